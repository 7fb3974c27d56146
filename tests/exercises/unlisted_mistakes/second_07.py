"""A second fresh try at lesson 07, after the mending of the first. Each docstring says what is really wrong."""

from collections import Counter

from unlisted_mistakes import wrong
from unlisted_mistakes.first_07 import counted, learn, longest, match, merged

K = "07.count_pairs"


@wrong(K, "You count in the joined text, with .count:")
def second_count_by_text(words):
    """Counted in the joined text, so that letters inside of symbols are found, too, and overlaps are lost."""
    counts = Counter()
    for word, n in words.items():
        for pair in set(zip(word, word[1:])):
            counts[pair] += n * "".join(word).count("".join(pair))
    return dict(counts)


@wrong(K, "Words that occur once are left out.")
def second_count_only_words_that_repeat(words):
    """Words that occur once are left out."""
    return dict(counted({word: n for word, n in words.items() if n > 1}))


@wrong(K, "Some keys aren't pairs:")
def second_count_keys_with_n(words):
    """The keys hold the word's count as well."""
    return {(*pair, n): n for word, n in words.items() for pair in zip(word, word[1:])}


@wrong(K, "The counts should have 7 for")
def second_count_subtracts(words):
    """Subtracted, not added."""
    return {pair: -n for pair, n in counted(words).items()}


@wrong(K, "You count with the number of words in the table, len")
def second_count_total_once(words):
    """The number of words is added at each place, not how often the word occurs."""
    counts = Counter()
    for word in words:
        for pair in zip(word, word[1:]):
            counts[pair] += len(words)
    return dict(counts)


@wrong(K, "The counts should have 7")
def second_count_floats(words):
    """Floats in place of whole numbers."""
    return {pair: float(n) for pair, n in counted(words).items()}


@wrong(K, "Pairs that don't occur are in your dictionary, with 0.")
def second_count_with_zeros(words):
    """Pairs that don't occur are there, with 0."""
    counts = counted(words)
    symbols = {symbol for word in words for symbol in word}
    return {(a, b): counts[a, b] for a in symbols for b in symbols}


@wrong(K, "You count a pair of the last symbol and the first:")
def second_count_wraps(words):
    """The last symbol is paired with the first."""
    counts = Counter()
    for word, n in words.items():
        for i in range(len(word)):
            counts[word[i], word[(i + 1) % len(word)]] += n
    return dict(counts)


K = "07.merge_pair"


@wrong(K, "Some items of your list aren't texts.")
def second_merge_with_count(word, pair):
    """The number of merges is returned beside the word."""
    out = merged(word, pair)
    return out, len(word) - len(out)


@wrong(K, "Symbols that come twice are dropped:")
def second_merge_drops_doubles(word, pair):
    """Symbols that come twice are dropped."""
    return list(dict.fromkeys(merged(word, pair)))


@wrong(K, "The whole word is joined as soon as the pair stands in it.")
def second_merge_if_anywhere(word, pair):
    """All is joined as soon as the pair stands somewhere."""
    return ["".join(word)] if pair in zip(word, word[1:]) else list(word)


@wrong(K)  # not told yet
def second_merge_keeps_left(word, pair):
    """The left symbol stays in front of the new one."""
    out, i = [], 0
    while i < len(word):
        if tuple(word[i : i + 2]) == pair:
            out += [word[i], word[i] + word[i + 1]]
            i += 2
        else:
            out.append(word[i])
            i += 1
    return out


@wrong(K, "Two places are merged, or one, and then no more.")
def second_merge_two_at_most(word, pair):
    """Two places at most are merged."""
    out, i, done = [], 0, 0
    while i < len(word):
        if done < 2 and tuple(word[i : i + 2]) == pair:
            out.append("".join(pair))
            i, done = i + 2, done + 1
        else:
            out.append(word[i])
            i += 1
    return out


@wrong(K)  # not told yet
def second_merge_previous(word, pair):
    """Looks one place back, so that rows are merged from the second on: word[i − 1] at i = 0 is the last symbol."""
    out, i = [], 0
    while i < len(word):
        if (word[i - 1], word[i]) == pair and out:
            out[-1] = word[i - 1] + word[i]
        else:
            out.append(word[i])
        i += 1
    return out


@wrong(K, "The right symbols, but in another order.")
def second_merge_sorted(word, pair):
    """The symbols come out sorted."""
    return sorted(merged(word, pair))


@wrong(K, "The pair isn't found at the end of the word:")
def second_merge_new_symbol_only_if_whole(word, pair):
    """A pair that ends the word isn't merged."""
    out = merged(word[:-1], pair) if word else []
    return [*out, *word[-1:]]


K = "07.learn_merges"


def best(counts):
    return min(counts, key=lambda pair: (-counts[pair], pair))


@wrong(K, "num_merges isn't a least count:")
def second_learn_threshold(words, num_merges):
    """num_merges is taken for the least count: it stops when the best pair is rarer."""
    return learn(words, 50, best, enough=lambda n: n < num_merges)


@wrong(K, "The same merge stands in your list again and again:")
def second_learn_only_first_word_merged(words, num_merges):
    """Only the first word is merged."""
    words, merges = dict(words), []
    while len(merges) < num_merges and (counts := counted(words)):
        merges.append(best(counts))
        first = next(iter(words))
        words = {tuple(merged(w, merges[-1])) if w == first else w: n for w, n in words.items()}
    return merges


@wrong(K, "You return symbols, texts.")
def second_learn_returns_vocabulary(words, num_merges):
    """All symbols are returned, letters and new ones."""
    pairs = learn(words, num_merges, best)
    return sorted({symbol for word in words for symbol in word}) + ["".join(pair) for pair in pairs]


@wrong(K, "You take the second most frequent pair.")
def second_learn_second_best(words, num_merges):
    """The second most frequent pair is taken."""
    return learn(
        words, num_merges, lambda counts: sorted(counts, key=lambda p: (-counts[p], p))[min(1, len(counts) - 1)]
    )


@wrong(K, "All equally frequent pairs are merged in one round.")
def second_learn_several_a_round(words, num_merges):
    """All pairs that are equally frequent are merged in one round."""
    words, merges = dict(words), []
    while len(merges) < num_merges and (counts := counted(words)):
        top = max(counts.values())
        for pair in sorted(pair for pair in counts if counts[pair] == top):
            merges.append(pair)
            words = {tuple(merged(word, pair)): n for word, n in words.items()}
    return merges[:num_merges]


@wrong(K, "The first merge that differs is a tie:")
def second_learn_ties_by_length_of_left(words, num_merges):
    """Ties go to the pair with the longer left symbol."""
    return learn(words, num_merges, lambda counts: min(counts, key=lambda p: (-counts[p], -len(p[0]), p)))


@wrong(K, "Your pairs are lists.")
def second_learn_lists(words, num_merges):
    """Pairs as lists."""
    return [list(pair) for pair in learn(words, num_merges, best)]


@wrong(K, "Your merges hold no </w>:")
def second_learn_no_end_marks(words, num_merges):
    """The mark </w> is taken off before learning."""
    bare = Counter()
    for word, n in words.items():
        bare[tuple(s.removesuffix("</w>") for s in word)] += n
    return learn(bare, num_merges, best)


K = "07.encode_word"


@wrong(K, "You merge whatever fits, beginning at the word's end.")
def second_encode_rightmost(word, merges):
    """The rightmost known pair is merged first."""
    word, known = list(word), {tuple(p) for p in merges}
    while True:
        places = [i for i in range(len(word) - 1) if (word[i], word[i + 1]) in known]
        if not places:
            return word
        i = places[-1]
        word[i : i + 2] = [word[i] + word[i + 1]]


@wrong(K, "WordPiece's mark ## isn't used here.")
def second_encode_marks_inside(word, merges):
    """WordPiece's ## stands before all but the first token."""
    for pair in merges:
        word = merged(word, pair)
    return [("##" if i else "") + token for i, token in enumerate(word)]


@wrong(K, "Some tokens are lost.")
def second_encode_set(word, merges):
    """Tokens that come twice are dropped."""
    for pair in merges:
        word = merged(word, pair)
    return list(dict.fromkeys(word))


@wrong(K, "Each merge is tried at the beginning of the word only.")
def second_encode_only_at_start(word, merges):
    """A merge is tried at the beginning of the word only."""
    word = list(word)
    for left, right in merges:
        if word[:2] == [left, right]:
            word[:2] = [left + right]
    return word


@wrong(K, "Of the pairs that fit you take the one that makes the longes")
def second_encode_longest_new(word, merges):
    """Of the pairs that fit, the one that makes the longest token goes first."""
    word, known = list(word), {tuple(p) for p in merges}
    while True:
        places = [i for i in range(len(word) - 1) if (word[i], word[i + 1]) in known]
        if not places:
            return word
        i = max(places, key=lambda i: len(word[i] + word[i + 1]))
        word[i : i + 2] = [word[i] + word[i + 1]]


@wrong(K, "Some tokens are lost.")
def second_encode_loses_last(word, merges):
    """The last token is lost."""
    for pair in merges:
        word = merged(word, pair)
    return list(word)[:-1]


@wrong(K)  # not told yet
def second_encode_stops_when_one_fits_twice(word, merges):
    """Goes back to the first merge only when something was merged, but leaves after the first full pass of no change: fine; here it breaks after each merge that fits."""
    word = list(word)
    for pair in merges:
        before = len(word)
        word = merged(word, pair)
        if len(word) < before - 1:
            break
    return word


@wrong(K, "Your function returns None.")
def second_encode_none(word, merges):
    """Nothing is returned."""
    for pair in merges:
        word = merged(word, pair)


K = "07.pair_scores"
for nd, qu in (
    ("5/60", "4/40"),  # texts
    (60 / 5, 40 / 4),  # upside down
    (5 / 12 / 70, 4 / 10 / 70),  # N for one of the counts
    (5 / 144, 4 / 100),  # the one count squared
    (1 / 60, 1 / 40),  # the pair's count is forgotten
    (8.8, 7.8),  # the gains of the text further down
):
    wrong(K)({"##n ##d": nd, "q ##u": qu})

K = "07.longest_match"


@wrong(K, "What isn't in the vocabulary comes back as a piece.")
def second_match_rest_as_token(word, vocab):
    """What isn't known is returned as a piece of its own."""
    out, start = [], 0
    while start < len(word):
        for end in longest(start, len(word)):
            piece = ("##" if start else "") + word[start:end]
            if piece in vocab:
                out.append(piece)
                start = end
                break
        else:
            return [*out, ("##" if start else "") + word[start:]]
    return out


@wrong(K, "You cut in two pieces only:")
def second_match_two_pieces(word, vocab):
    """Two pieces at most: the longest beginning, and the whole rest."""
    for end in longest(0, len(word)):
        if word[:end] in vocab:
            if end == len(word):
                return [word]
            return [word[:end], "##" + word[end:]] if "##" + word[end:] in vocab else ["[UNK]"]
    return ["[UNK]"] if word else []


@wrong(K, "[UNK] stands beside other tokens.")
def second_match_ends_at_first_unknown(word, vocab):
    """[UNK] for the rest only when nothing fits, and the pieces before stay with [UNK] in front."""
    return match(word, vocab, longest, unknown=lambda out: ["[UNK]", *out])


@wrong(K, "You make a small letter of the first one.")
def second_match_capitalised(word, vocab):
    """The first letter is made small."""
    return match(word[:1].lower() + word[1:], vocab, longest)


@wrong(K, "You put ## behind each piece that is followed by another.")
def second_match_hash_behind(word, vocab):
    """## is put behind the pieces before others, not in front of those that go on."""
    out = match(word, vocab, longest)
    bare = [piece.removeprefix("##") for piece in out]
    return out if out == ["[UNK]"] else [piece + "##" for piece in bare[:-1]] + bare[-1:]


@wrong(K, "The right tokens, but in another order.")
def second_match_sorted(word, vocab):
    """The tokens come out sorted."""
    return sorted(match(word, vocab, longest))


@wrong(K, "The first piece is the shortest that fits, the others the lo")
def second_match_shortest_first_piece(word, vocab):
    """The first piece is the shortest that fits, the others are the longest."""
    return match(word, vocab, lambda start, n: range(1, n + 1) if start == 0 else longest(start, n))


@wrong(K, "Some items of your list aren't texts.")
def second_match_tuple_of_positions(word, vocab):
    """Pieces come with where they begin."""
    out, at = [], 0
    for piece in match(word, vocab, longest):
        out.append((at, piece))
        at += len(piece.removeprefix("##"))
    return out
