"""What a fresh student tried in lesson 07, Subwords. Each docstring says what is really wrong."""

from collections import Counter

from unlisted_mistakes import wrong


def counted(words):
    counts = Counter()
    for word, n in words.items():
        for pair in zip(word, word[1:]):
            counts[pair] += n
    return counts


def merged(word, pair):
    out, i = [], 0
    while i < len(word):
        if tuple(word[i : i + 2]) == tuple(pair):
            out.append(word[i] + word[i + 1])
            i += 2
        else:
            out.append(word[i])
            i += 1
    return out


# --- 07.count_pairs ---------------------------------------------------------------------------------------------------

K = "07.count_pairs"


@wrong(K, "You count each word once.")
def fresh_count_once(words):
    """Each word's pairs count once, however often the word occurs."""
    counts = {}
    for word in words:
        for pair in zip(word, word[1:]):
            counts[pair] = counts.get(pair, 0) + 1
    return counts


@wrong(K, "A later word overwrites what earlier words counted.")
def fresh_count_overwritten(words):
    """The count is overwritten by the last word's, not added up."""
    counts = {}
    for word, n in words.items():
        for pair in zip(word, word[1:]):
            counts[pair] = n
    return counts


@wrong(K, "A pair that stands twice in a word counts once with you.")
def fresh_count_set_in_a_word(words):
    """A pair that stands twice in one word counts once."""
    counts = Counter()
    for word, n in words.items():
        for pair in set(zip(word, word[1:])):
            counts[pair] += n
    return dict(counts)


@wrong(K, "Your pairs are glued together into one text.")
def fresh_count_joined(words):
    """The keys are the joined symbols, not pairs."""
    counts = Counter()
    for pair, n in counted(words).items():
        counts["".join(pair)] += n
    return dict(counts)


@wrong(K, "The last pair of each word is missing.")
def fresh_count_short(words):
    """The last pair of each word is left out."""
    counts = Counter()
    for word, n in words.items():
        for i in range(len(word) - 2):
            counts[word[i], word[i + 1]] += n
    return dict(counts)


@wrong(K, "Your code stops with an IndexError:")
def fresh_count_too_far(words):
    """The loop runs one too far, past the end of the word."""
    counts = Counter()
    for word, n in words.items():
        for i in range(len(word)):
            counts[word[i], word[i + 1]] += n
    return dict(counts)


@wrong(K, "You skip from pair to pair, two symbols at a time.")
def fresh_count_steps_of_two(words):
    """Steps of two: every second pair is left out."""
    counts = Counter()
    for word, n in words.items():
        for i in range(0, len(word) - 1, 2):
            counts[word[i], word[i + 1]] += n
    return dict(counts)


@wrong(K, "You count single symbols.")
def fresh_count_symbols(words):
    """Single symbols are counted, not pairs."""
    counts = Counter()
    for word, n in words.items():
        for symbol in word:
            counts[symbol] += n
    return dict(counts)


@wrong(K, "You sort the two symbols of a pair, so that")
def fresh_count_sorted_pairs(words):
    """(a, b) and (b, a) are counted as one pair."""
    counts = Counter()
    for (a, b), n in counted(words).items():
        counts[min(a, b), max(a, b)] += n
    return dict(counts)


@wrong(K, "You join the word's symbols into one text first.")
def fresh_count_letters(words):
    """The word is joined and read letter by letter, so that </w> falls into pieces."""
    counts = Counter()
    for word, n in words.items():
        text = "".join(word)
        for a, b in zip(text, text[1:]):
            counts[a, b] += n
    return dict(counts)


@wrong(K, "You count all pairs of symbols of a word.")
def fresh_count_all_pairs(words):
    """All pairs of symbols in a word, neighbours or not."""
    counts = Counter()
    for word, n in words.items():
        for i in range(len(word)):
            for j in range(i + 1, len(word)):
                counts[word[i], word[j]] += n
    return dict(counts)


@wrong(K, "Your code stops with a KeyError:")
def fresh_count_no_default(words):
    """The first time a pair comes its key isn't there."""
    counts = {}
    for word, n in words.items():
        for pair in zip(word, word[1:]):
            counts[pair] += n
    return counts


@wrong(K, "When a pair comes for the first time you only set its count")
def fresh_count_first_misses(words):
    """A pair's first occurrence starts at 0, so one is missing."""
    counts = {}
    for word, n in words.items():
        for pair in zip(word, word[1:]):
            if pair not in counts:
                counts[pair] = 0
            else:
                counts[pair] += n
    return counts


@wrong(K, "You return after the first word.")
def fresh_count_returns_in_the_loop(words):
    """The return stands in the loop: only the first word is counted."""
    counts = Counter()
    for word, n in words.items():
        for pair in zip(word, word[1:]):
            counts[pair] += n
        return dict(counts)


# --- 07.merge_pair ----------------------------------------------------------------------------------------------------

K = "07.merge_pair"


@wrong(K, "You merge the first place only.")
def fresh_merge_first_only(word, pair):
    """Only the first place is merged."""
    word = list(word)
    for i in range(len(word) - 1):
        if (word[i], word[i + 1]) == pair:
            return word[:i] + [word[i] + word[i + 1]] + word[i + 2 :]
    return word


@wrong(K, "After a merge you move on by one, so the pair's second symbo")
def fresh_merge_overlap(word, pair):
    """The loop goes on at i + 1 after a merge: the right symbol is used again."""
    out = []
    for i in range(len(word)):
        if tuple(word[i : i + 2]) == pair:
            out.append(word[i] + word[i + 1])
        else:
            out.append(word[i])
    return out


@wrong(K, "The last symbol of the word gets lost when it isn't part of")
def fresh_merge_loses_last(word, pair):
    """The last symbol is lost when it isn't part of a pair."""
    out, i = [], 0
    while i < len(word) - 1:
        if (word[i], word[i + 1]) == pair:
            out.append(word[i] + word[i + 1])
            i += 2
        else:
            out.append(word[i])
            i += 1
    return out


@wrong(K, "You merge from right to left:")
def fresh_merge_from_the_right(word, pair):
    """Merged from right to left."""
    out, i = [], len(word) - 1
    while i >= 0:
        if i > 0 and (word[i - 1], word[i]) == pair:
            out.insert(0, word[i - 1] + word[i])
            i -= 2
        else:
            out.insert(0, word[i])
            i -= 1
    return out


@wrong(K, "You join the symbols with spaces and replace in that text.")
def fresh_merge_text_replace(word, pair):
    """Joined by spaces and replaced as text: a symbol that only ends like the left one is hit, too."""
    return " ".join(word).replace(" ".join(pair), "".join(pair)).split()


@wrong(K, "You merge the two symbols in either order.")
def fresh_merge_again(word, pair):
    """Repeated until nothing changes … with symbols already merged, and the pair turned round is merged as well."""
    out, i = [], 0
    while i < len(word):
        if tuple(word[i : i + 2]) in (pair, pair[::-1]):
            out.append(word[i] + word[i + 1])
            i += 2
        else:
            out.append(word[i])
            i += 1
    return out


@wrong(K, "Some items of your list aren't texts.")
def fresh_merge_tuple_symbol(word, pair):
    """The pair itself, a tuple, stands in the place of the new symbol."""
    return [pair if symbol == "".join(pair) else symbol for symbol in merged(word, pair)]


@wrong(K, "The symbols should be a list, yours is a text.")
def fresh_merge_returns_text(word, pair):
    """A text is returned, not a list."""
    return " ".join(merged(word, pair))


@wrong(K, "After a merge you move on by one, so the pair's second symbo")
def fresh_merge_forgets_the_skip(word, pair):
    """i + 2 is forgotten after a merge, so the loop never ends? No: it goes on at i + 1 and keeps the right symbol, too."""
    out, i = [], 0
    while i < len(word):
        if tuple(word[i : i + 2]) == pair:
            out.append("".join(pair))
        else:
            out.append(word[i])
        i += 1
    return out


@wrong(K, "After a merge you move on by one, so the pair's second symbo")
def fresh_merge_pops_in_place(word, pair):
    """The right symbol isn't taken away after the merge, and the left one is overwritten."""
    word = list(word)
    for i in range(len(word) - 1):
        if (word[i], word[i + 1]) == pair:
            word[i] = word[i] + word[i + 1]
    return word


@wrong(K, "The list gets shorter with each merge, but the loop still co")
def fresh_merge_while_going(word, pair):
    """The list gets shorter while the loop counts to its old length."""
    word = list(word)
    for i in range(len(word) - 1):
        if (word[i], word[i + 1]) == pair:
            word[i : i + 2] = [word[i] + word[i + 1]]
    return word


@wrong(K, "After a merge you skip a symbol:")
def fresh_merge_skips_three(word, pair):
    """After a merge the loop goes on three places further: a symbol is lost."""
    out, i = [], 0
    while i < len(word):
        if tuple(word[i : i + 2]) == pair:
            out.append("".join(pair))
            i += 3
        else:
            out.append(word[i])
            i += 1
    return out


@wrong(K, "Nothing is merged:")
def fresh_merge_list_against_tuple(word, pair):
    """A list is compared with a tuple, which is never equal: nothing is merged."""
    out, i = [], 0
    while i < len(word):
        if [*word[i : i + 2]] == pair:
            out.append("".join(pair))
            i += 2
        else:
            out.append(word[i])
            i += 1
    return out


# --- 07.learn_merges --------------------------------------------------------------------------------------------------

K = "07.learn_merges"


def learn(words, num_merges, choose, merge=merged, spell=tuple, enough=lambda n: False):
    words, merges = dict(words), []
    for _ in range(num_merges):
        counts = counted(words)
        if not counts:
            break
        best = choose(counts)
        if enough(counts[best]):
            break
        merges.append(best)
        shorter = Counter()
        for word, n in words.items():
            shorter[spell(merge(word, best))] += n
        words = shorter
    return merges


@wrong(K, "Of equally frequent pairs you take the one that was counted")
def fresh_learn_max(words, num_merges):
    """Of equally frequent pairs the first seen is taken, not the smallest."""
    return learn(words, num_merges, lambda counts: max(counts, key=counts.get))


@wrong(K, "Of equally frequent pairs you take the last in alphabetical")
def fresh_learn_largest(words, num_merges):
    """Of equally frequent pairs the largest is taken."""
    return learn(words, num_merges, lambda counts: max(counts, key=lambda pair: (counts[pair], pair)))


@wrong(K, "You take the least frequent pair.")
def fresh_learn_rarest(words, num_merges):
    """The rarest pair is taken."""
    return learn(words, num_merges, lambda counts: min(counts, key=lambda pair: (counts[pair], pair)))


@wrong(K, "Of equally frequent pairs you take the first by their joined")
def fresh_learn_joined_tie(words, num_merges):
    """Ties are broken by the joined symbol, not by the pair."""
    return learn(words, num_merges, lambda counts: min(counts, key=lambda pair: (-counts[pair], "".join(pair))))


@wrong(K, "Of equally frequent pairs you compare the right symbols firs")
def fresh_learn_tie_right_first(words, num_merges):
    """Ties are broken by the right symbol first."""
    return learn(words, num_merges, lambda counts: min(counts, key=lambda pair: (-counts[pair], pair[1], pair[0])))


@wrong(K, "You count once, before the loop, and merge the most frequent")
def fresh_learn_no_recount(words, num_merges):
    """Pairs are counted once; the merges aren't carried out."""
    counts = counted(words)
    return sorted(counts, key=lambda pair: (-counts[pair], pair))[:num_merges]


@wrong(K, "You stop when no pair occurs twice.")
def fresh_learn_stops_at_one(words, num_merges):
    """Stops when every pair occurs only once."""
    return learn(
        words, num_merges, lambda counts: min(counts, key=lambda pair: (-counts[pair], pair)), enough=lambda n: n < 2
    )


@wrong(K, "You do one merge too few.")
def fresh_learn_one_too_few(words, num_merges):
    """One merge too few."""
    return learn(words, num_merges - 1, lambda counts: min(counts, key=lambda pair: (-counts[pair], pair)))


@wrong(K, "You do one merge too many.")
def fresh_learn_one_too_many(words, num_merges):
    """One merge too many."""
    return learn(words, num_merges + 1, lambda counts: min(counts, key=lambda pair: (-counts[pair], pair)))


@wrong(K, "When there are no pairs left your code stops with an error.")
def fresh_learn_no_stop(words, num_merges):
    """Doesn't stop when no pairs are left: min of nothing."""
    words, merges = dict(words), []
    for _ in range(num_merges):
        counts = counted(words)
        best = min(counts, key=lambda pair: (-counts[pair], pair))
        merges.append(best)
        words = {tuple(merged(word, best)): n for word, n in words.items()}
    return merges


@wrong(K, "You return the new symbols.")
def fresh_learn_symbols(words, num_merges):
    """The new symbols are returned, not the pairs."""
    pairs = learn(words, num_merges, lambda counts: min(counts, key=lambda pair: (-counts[pair], pair)))
    return [left + right for left, right in pairs]


@wrong(K, "The merges: the first difference is at index 0: ex")
def fresh_learn_with_counts(words, num_merges):
    """Each merge comes with its count."""
    pairs = learn(words, num_merges, lambda counts: min(counts, key=lambda pair: (-counts[pair], pair)))
    return [(pair, 1) for pair in pairs]


@wrong(K, "Your code changes its input `words` in place.")
def fresh_learn_changes_the_table(words, num_merges):
    """The caller's table is changed."""
    merges = []
    for _ in range(num_merges):
        counts = counted(words)
        if not counts:
            break
        best = min(counts, key=lambda pair: (-counts[pair], pair))
        merges.append(best)
        for word in list(words):
            words[tuple(merged(word, best))] = words.pop(word)
    return merges


@wrong(K, "The merges should be a list, yours is a dictionary.")
def fresh_learn_as_a_dictionary(words, num_merges):
    """A dictionary of ranks, not a list."""
    pairs = learn(words, num_merges, lambda counts: min(counts, key=lambda pair: (-counts[pair], pair)))
    return {pair: i for i, pair in enumerate(pairs)}


@wrong(K, "You count each word once.")
def fresh_learn_unweighted(words, num_merges):
    """How often a word occurs isn't used: each counts once."""
    return learn(
        dict.fromkeys(words, 1), num_merges, lambda counts: min(counts, key=lambda pair: (-counts[pair], pair))
    )


# --- 07.encode_word ---------------------------------------------------------------------------------------------------

K = "07.encode_word"


@wrong(K, "You apply the merges from the last learnt to the first.")
def fresh_encode_backwards(word, merges):
    """The merges are carried out last learnt first."""
    for pair in reversed(merges):
        word = merged(word, pair)
    return list(word)


@wrong(K, "You apply each merge at its first place only.")
def fresh_encode_once_each(word, merges):
    """Each merge is carried out at the first place only."""
    word = list(word)
    for left, right in merges:
        for i in range(len(word) - 1):
            if (word[i], word[i + 1]) == (left, right):
                word[i : i + 2] = [left + right]
                break
    return word


@wrong(K, "You look for the longest text that is a token, letter by let")
def fresh_encode_tokens_longest(word, merges):
    """The longest token that fits is taken from the left; the merges' order isn't used."""
    known = {left + right for left, right in merges} | set(word)
    text, out = "".join(word), []
    while text:
        end = len(text)
        while end > 1 and text[:end] not in known:
            end -= 1
        out.append(text[:end])
        text = text[end:]
    return out


@wrong(K, "You merge whatever fits first, reading from left to right.")
def fresh_encode_left_to_right(word, merges):
    """The leftmost pair that is known is merged, whatever its rank."""
    word, known = list(word), {tuple(pair) for pair in merges}
    i = 0
    while i < len(word) - 1:
        if (word[i], word[i + 1]) in known:
            word[i : i + 2] = [word[i] + word[i + 1]]
            i = 0
        else:
            i += 1
    return word


@wrong(K, "You stop at the first merge that doesn't fit.")
def fresh_encode_stops_at_first_missing(word, merges):
    """Stops at the first merge that the word doesn't have."""
    word = list(word)
    for pair in merges:
        shorter = merged(word, pair)
        if shorter == word:
            break
        word = shorter
    return word


@wrong(K, "You stop after the first merge that fits.")
def fresh_encode_one_merge(word, merges):
    """Returns after the first merge that fits."""
    for pair in merges:
        shorter = merged(word, pair)
        if len(shorter) < len(word):
            return shorter
    return list(word)


@wrong(K, "You return one text.")
def fresh_encode_joined(word, merges):
    """One text, joined, not a list."""
    for pair in merges:
        word = merged(word, pair)
    return " ".join(word)


@wrong(K, "These are numbers.")
def fresh_encode_numbers(word, merges):
    """The merges' numbers are returned, not the tokens."""
    rank = {left + right: i for i, (left, right) in enumerate(merges)}
    for pair in merges:
        word = merged(word, pair)
    return [rank.get(symbol, -1) for symbol in word]


@wrong(K, "You do the merges in alphabetical order.")
def fresh_encode_merge_alphabetical(word, merges):
    """The merges are sorted first: alphabetical order in place of rank."""
    for pair in sorted(merges):
        word = merged(word, pair)
    return list(word)


@wrong(K, "The first merge isn't applied.")
def fresh_encode_skips_first(word, merges):
    """The first merge is left out."""
    for pair in merges[1:]:
        word = merged(word, pair)
    return list(word)


@wrong(K, "The mark </w> stands twice in your tokens.")
def fresh_encode_appends_mark(word, merges):
    """The mark is put at the end once more."""
    word = (*word[:-1], word[-1] + "</w>") if word else ()
    for pair in merges:
        word = merged(word, pair)
    return list(word)


@wrong(K, "You take the mark </w> off.")
def fresh_encode_drops_mark(word, merges):
    """The end-of-word mark is taken off the tokens."""
    for pair in merges:
        word = merged(word, pair)
    return [symbol.replace("</w>", "") for symbol in word]


@wrong(K, "You lose the symbols that no merge takes.")
def fresh_encode_only_merged(word, merges):
    """Only tokens that came from a merge are returned; single symbols are lost."""
    for pair in merges:
        word = merged(word, pair)
    known = {left + right for left, right in merges}
    return [symbol for symbol in word if symbol in known]


# --- 07.pair_scores ---------------------------------------------------------------------------------------------------

K = "07.pair_scores"
for nd, qu in (
    (5, 4),  # counts only
    (5 / 17, 4 / 14),  # the parts added, not multiplied
    (5 / (12 * 5) * 70, 4 / (4 * 10) * 70),  # times N: the factor
    (5 / 12, 4 / 10),  # divided by one part only
    (5 / (5 * 5), 4 / (4 * 4)),  # ten's n is forgotten, and but's u
    (1 / (2 * 1), 1 / (1 * 2)),  # each word counted once
    (12 * 5 / 5, 4 * 10 / 4),  # upside down
    (4 / 40, 5 / 60),  # exchanged
    (5 / 60 * 5, 4 / 40 * 4),  # times the count
    ("q ##u", "q ##u"),  # the name of the preferred pair
    (5 / 21, 4 / 21),  # a share of all words
):
    wrong(K)({"##n ##d": nd, "q ##u": qu})

# --- 07.longest_match -------------------------------------------------------------------------------------------------

K = "07.longest_match"


def match(word, vocab, ends, mark="##", unknown=lambda out: ["[UNK]"]):
    out, start = [], 0
    while start < len(word):
        for end in ends(start, len(word)):
            piece = word[start:end] if start == 0 else mark + word[start:end]
            if piece in vocab:
                out.append(piece)
                start = end
                break
        else:
            return unknown(out)
    return out


def longest(start, n):
    return range(n, start, -1)


@wrong(K, "You take the shortest piece that fits.")
def fresh_match_shortest(word, vocab):
    """The shortest token that fits is taken."""
    return match(word, vocab, lambda start, n: range(start + 1, n + 1))


@wrong(K, "You look for the pieces inside a word without their ##.")
def fresh_match_no_mark(word, vocab):
    """Pieces inside the word are looked up without ##."""
    return match(word, vocab, longest, mark="")


@wrong(K, "You find the pieces with their ##, but don't return it.")
def fresh_match_mark_lost(word, vocab):
    """Looked up with ##, but returned without."""
    return [piece.removeprefix("##") for piece in match(word, vocab, longest)]


@wrong(K, "You keep the pieces before the place that isn't known.")
def fresh_match_keeps_pieces(word, vocab):
    """The pieces found before stay in front of [UNK]."""
    return match(word, vocab, longest, unknown=lambda out: [*out, "[UNK]"])


@wrong(K, "Every word comes out as [UNK]:")
def fresh_match_never_whole(word, vocab):
    """The end runs to one short of the word's: the last letter never belongs."""
    return match(word, vocab, lambda start, n: range(n - 1, start, -1))


@wrong(K, "You put one [UNK] in the place of each unknown letter.")
def fresh_match_skips_unknown(word, vocab):
    """Where nothing fits one letter is [UNK], and the rest goes on."""
    out, start = [], 0
    while start < len(word):
        for end in longest(start, len(word)):
            piece = ("##" if start else "") + word[start:end]
            if piece in vocab:
                out.append(piece)
                start = end
                break
        else:
            out.append("[UNK]")
            start += 1
    return out


@wrong(K, "You make small letters of capitals.")
def fresh_match_lowercase(word, vocab):
    """The word is put into small letters first."""
    return match(word.lower(), vocab, longest)


@wrong(K, "For a word that isn't known you return “[UNK]” as a text.")
def fresh_match_unknown_as_text(word, vocab):
    """[UNK] as a text, not in a list."""
    return match(word, vocab, longest, unknown=lambda out: "[UNK]")


@wrong(K, "You read from the end of the word.")
def fresh_match_from_the_end(word, vocab):
    """The longest token is sought from the word's end."""
    out, end = [], len(word)
    while end > 0:
        for start in range(end):
            piece = ("##" if start else "") + word[start:end]
            if piece in vocab:
                out.insert(0, piece)
                end = start
                break
        else:
            return ["[UNK]"]
    return out


@wrong(K, "For an empty word you return [UNK].")
def fresh_match_empty_is_unknown(word, vocab):
    """An empty word gives [UNK]."""
    return match(word, vocab, longest) or ["[UNK]"]


@wrong(K, "When a piece leads into a dead end you try a shorter one.")
def fresh_match_backtracks(word, vocab):
    """Where nothing fits it goes back and tries a shorter token before."""

    def cut(start):
        if start == len(word):
            return []
        for end in longest(start, len(word)):
            piece = ("##" if start else "") + word[start:end]
            if piece in vocab:
                rest = cut(end)
                if rest is not None:
                    return [piece, *rest]
        return None

    out = cut(0)
    return ["[UNK]"] if out is None else out


@wrong(K, "You take the first token of the vocabulary that fits.")
def fresh_match_first_in_vocabulary(word, vocab):
    """The first token of the vocabulary that fits is taken, not the longest."""
    out, start = [], 0
    while start < len(word):
        for token in vocab:
            piece = token.removeprefix("##")
            if token.startswith("##") == (start > 0) and piece and word.startswith(piece, start):
                out.append(token)
                start += len(piece)
                break
        else:
            return ["[UNK]"]
    return out


@wrong(K, "You put ## before the first piece as well.")
def fresh_match_all_marked(word, vocab):
    """## stands in front of every piece, the first included."""
    out, start = [], 0
    while start < len(word):
        for end in longest(start, len(word)):
            if "##" + word[start:end] in vocab:
                out.append("##" + word[start:end])
                start = end
                break
        else:
            return ["[UNK]"]
    return out


@wrong(K, "You return positions in the vocabulary.")
def fresh_match_ids(word, vocab):
    """Numbers of the tokens, not the tokens."""
    number = {token: i for i, token in enumerate(vocab)}
    return [number.get(piece, -1) for piece in match(word, vocab, longest)]


@wrong(K, "Only the first piece comes back.")
def fresh_match_first_piece_only(word, vocab):
    """Only the first piece is returned."""
    return match(word, vocab, longest)[:1]


@wrong(K, "You drop what isn't known, so a reader can't see that someth")
def fresh_match_no_unknown(word, vocab):
    """Where nothing fits, it returns what it has, without [UNK]."""
    return match(word, vocab, longest, unknown=lambda out: out)
