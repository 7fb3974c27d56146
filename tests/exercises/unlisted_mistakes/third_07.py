"""A third fresh try at lesson 07. Each docstring says what is really wrong."""

from unlisted_mistakes import wrong
from unlisted_mistakes.first_07 import counted, learn, longest, match, merged
from unlisted_mistakes.second_07 import best

K = "07.count_pairs"


@wrong(K, "You take the </w> off.")
def third_count_without_marks(words):
    """The mark </w> is taken off."""
    return dict(counted({tuple(s.replace("</w>", "") for s in word): n for word, n in words.items()}))


@wrong(K, "The first word is counted twice.")
def third_count_first_word_twice(words):
    """The first word is counted twice."""
    counts = counted(words)
    for word, n in list(words.items())[:1]:
        for pair in zip(word, word[1:]):
            counts[pair] += n
    return dict(counts)


@wrong(K, "The counts should be a dictionary, yours is a list.")
def third_count_list_of_pairs(words):
    """A list of all pairs, not their counts."""
    return [pair for word, n in words.items() for pair in zip(word, word[1:])]


@wrong(K, "Of all counts of a pair you keep the smallest.")
def third_count_lowest(words):
    """The smallest count of a pair's words is kept."""
    counts = {}
    for word, n in words.items():
        for pair in zip(word, word[1:]):
            counts[pair] = min(counts.get(pair, n), n)
    return counts


@wrong(K, "Words of two symbols are left out.")
def third_count_long_words_only(words):
    """Words of two symbols are left out."""
    return dict(counted({word: n for word, n in words.items() if len(word) > 2}))


K = "07.merge_pair"


@wrong(K, "Only the end of the word is looked at.")
def third_merge_only_last_two(word, pair):
    """Only the end of the word is looked at."""
    return [*word[:-2], "".join(pair)] if word[-2:] == pair else list(word)


@wrong(K)  # not told yet
def third_merge_swapped_and_skips(word, pair):
    """The new symbol is right + left, and only the first place is merged."""
    for i in range(len(word) - 1):
        if word[i : i + 2] == pair:
            return [*word[:i], pair[1] + pair[0], *word[i + 2 :]]
    return list(word)


@wrong(K, "The first item of `word` is left out.")
def third_merge_starts_at_one(word, pair):
    """The loop begins at index 1: the first symbol is lost."""
    return merged(word[1:], pair)


@wrong(K, "Where the pair doesn't stand in the word you return an empty")
def third_merge_none_when_nowhere(word, pair):
    """Where the pair isn't, an empty list comes back."""
    return merged(word, pair) if pair in zip(word, word[1:]) else []


@wrong(K, "The right places are merged, but the new symbol isn't left +")
def third_merge_upper(word, pair):
    """The new symbol is in capitals."""
    return [s.upper() if s == "".join(pair) else s for s in merged(word, pair)]


K = "07.learn_merges"


@wrong(K, "Two things at once. First: Of equally frequent pairs you take the one")
def third_learn_counts_and_ties(words, num_merges):
    """Each word counts once, and ties go to the first counted."""
    return learn(dict.fromkeys(words, 1), num_merges, lambda counts: max(counts, key=counts.get))


@wrong(K, "Your pairs are turned round:")
def third_learn_turned(words, num_merges):
    """The pairs are returned turned round."""
    return [(b, a) for a, b in learn(words, num_merges, best)]


@wrong(K, "You learn from the most frequent word alone.")
def third_learn_same_word_overwrites(words, num_merges):
    """Only the most frequent word is learned from."""
    top = max(words, key=words.get, default=None)
    return learn({top: words[top]} if top else {}, num_merges, best)


@wrong(K, "You take the pair that makes the longest symbol.")
def third_learn_longest_symbol(words, num_merges):
    """The pair with the longest joined symbol is taken, whatever its count."""
    return learn(words, num_merges, lambda counts: max(counts, key=lambda p: (len("".join(p)), counts[p])))


@wrong(K, "`num_merges` is taken twice.")
def third_learn_twice_num(words, num_merges):
    """Twice as many merges as asked for."""
    return learn(words, 2 * num_merges, best)


K = "07.encode_word"


@wrong(K, "A new token is left + right; yours has the two the other way")
def third_encode_turned_result(word, merges):
    """New symbols are right + left."""
    for left, right in merges:
        word = [right + left if s == left + right else s for s in merged(word, (left, right))]
    return list(word)


@wrong(K, "Each merge begins anew with the word as it came, so only the")
def third_encode_last_half(word, merges):
    """Only the last merge is carried out."""
    return merged(word, merges[-1]) if merges else list(word)


@wrong(K, "Some items of your list aren't texts.")
def third_encode_pairs(word, merges):
    """Tokens come in pairs with their rank."""
    for pair in merges:
        word = merged(word, pair)
    return list(enumerate(word))


@wrong(K, "The first item of `word` is left out.")
def third_encode_drops_first_symbol(word, merges):
    """The first symbol of the word is left out."""
    word = list(word)[1:]
    for pair in merges:
        word = merged(word, pair)
    return word


@wrong(K, "You begin with the longest merges.")
def third_encode_loops_twice_reversed(word, merges):
    """Merges are carried out longest first."""
    for pair in sorted(merges, key=lambda p: -len(p[0] + p[1])):
        word = merged(word, pair)
    return list(word)


K = "07.longest_match"


@wrong(K)  # not told yet
def third_match_strip(word, vocab):
    """Plural s is taken off first."""
    return match(word.rstrip("s"), vocab, longest)


@wrong(K)  # not told yet
def third_match_mark_first_only(word, vocab):
    """## stands before the second piece only; later pieces are looked up without."""
    out, start = [], 0
    while start < len(word):
        for end in longest(start, len(word)):
            piece = ("##" if len(out) == 1 else "") + word[start:end]
            if piece in vocab:
                out.append(piece)
                start = end
                break
        else:
            return ["[UNK]"]
    return out


@wrong(K, "[UNK] stands beside other tokens.")
def third_match_unknown_for_each_piece(word, vocab):
    """[UNK] as many times as there are letters."""
    out = match(word, vocab, longest)
    return ["[UNK]"] * len(word) if out == ["[UNK]"] else out


@wrong(K, "You never try a single letter:")
def third_match_at_least_two(word, vocab):
    """Pieces of a single letter are not taken."""
    return match(word, vocab, lambda start, n: range(n, start + 1, -1))


@wrong(K, "Two things at once. First: You take the shortest piece that fits. Begi")
def third_match_two_mistakes(word, vocab):
    """The shortest piece, and the ## isn't returned."""
    found = match(word, vocab, lambda start, n: range(start + 1, n + 1))
    return [piece.removeprefix("##") for piece in found]
