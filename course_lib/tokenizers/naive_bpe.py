"""Byte-pair encoding as it is first explained: count every pair, merge the most frequent one, begin again.

For learning and for comparison; `bpe_trainer` is the fast way to the same merges.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise


def count_pairs(tokens: Sequence) -> Counter:
    """How often each pair of neighbours occurs.

    >>> count_pairs("banana")
    Counter({('a', 'n'): 2, ('n', 'a'): 2, ('b', 'a'): 1})
    """
    return Counter(pairwise(tokens))


def merge(tokens: Sequence, pair: tuple, new) -> list:
    """The tokens, with `new` in each place of the pair, from left to right.

    >>> merge("aaab", ("a", "a"), "aa")
    ['aa', 'a', 'b']
    """
    merged, i = [], 0
    while i < len(tokens):
        if i + 1 < len(tokens) and (tokens[i], tokens[i + 1]) == pair:
            merged.append(new)
            i += 2
        else:
            merged.append(tokens[i])
            i += 1
    return merged


def most_frequent(counts: Mapping[tuple, int]) -> tuple:
    """The pair with the highest count; of several, the smallest."""
    return min(counts, key=lambda pair: (-counts[pair], pair))


def learn_from_tokens(tokens: Sequence[int], first_new: int, max_merges: int) -> list[tuple[int, int]]:
    """All of the text as one list of numbers, counted anew for each merge. Pairs may cross from word to word."""
    merges = []
    while len(merges) < max_merges and (counts := count_pairs(tokens)):
        pair = most_frequent(counts)
        tokens = merge(tokens, pair, first_new + len(merges))
        merges.append(pair)
    return merges


def learn_from_words(
    word_counts: Mapping[Sequence[int], int], first_new: int, max_merges: int
) -> list[tuple[int, int]]:
    """Each different word once, with how often it occurs; counted anew for each merge.

    The same merges as `bpe_trainer.learn_merges`.
    """
    words, merges = dict(word_counts), []
    while len(merges) < max_merges:
        counts = Counter()
        for word, n in words.items():
            for pair in pairwise(word):
                counts[pair] += n
        if not counts:
            break
        pair = most_frequent(counts)
        words = {tuple(merge(word, pair, first_new + len(merges))): n for word, n in words.items()}
        merges.append(pair)
    return merges
