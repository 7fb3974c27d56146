"""How WordPiece learns its tokens: again and again it merges the two neighbours whose union explains the text best.

Schuster & Nakajima (2012), "Japanese and Korean Voice Search": merge the pair that "increases the likelihood on the
training data the most". Draw each token by itself, with the probability n / N that its count n gives it. Then a and b
as one token are (n_ab / N) / ((n_a / N) · (n_b / N)) times as likely as the two. Hence two scores:

    ratio   n_ab / (n_a · n_b)                  that factor, for one occurrence: the score that is mostly quoted
    gain    n_ab · log(N · n_ab / (n_a · n_b))  its logarithm, for all occurrences: what the whole text gains

As in `bpe_trainer`, a word is a string with one character for each token, chr(id), and a pair a string of two.
"""

import heapq
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from itertools import pairwise
from math import inf, log

from tqdm.auto import tqdm

from course_lib.support.garbage import no_garbage_collection

SCORES: dict[str, Callable[[int, int, int, int], float]] = {
    "ratio": lambda n_ab, n_a, n_b, N: n_ab / (n_a * n_b),
    "gain": lambda n_ab, n_a, n_b, N: n_ab * log(N * n_ab / (n_a * n_b)),
}


class WordTable:
    """Each different word once, with how often it occurs, and the counts of all tokens and pairs.

    >>> table = WordTable({"low": 5, "lower": 2})
    >>> table.tokens["w"], table.pairs["we"], table.total
    (7, 2, 25)
    >>> _ = table.merge("er", "R")
    >>> table.words, table.pairs["wR"], table.total
    (['low', 'lowR'], 2, 23)
    """

    def __init__(self, words: Mapping[str, int]):
        self.words, self.counts = list(words), list(words.values())
        self.tokens, self.pairs = Counter(), Counter()  # how often each is in the text
        self.places = defaultdict(set)  # pair → words that hold it, or once did
        self.pairs_with = defaultdict(set)  # token → pairs that hold it, or once did
        for index in range(len(self.words)):
            self._add(index, +1)
        self.total = self.tokens.total()

    def _add(self, index: int, sign: int) -> None:
        """Count the word in (sign 1), or out (-1)."""
        word, count = self.words[index], sign * self.counts[index]
        for token in word:
            self.tokens[token] += count
        for pair in map("".join, pairwise(word)):
            self.pairs[pair] += count
            if sign > 0:
                self.places[pair].add(index)
                for token in pair:
                    self.pairs_with[token].add(pair)

    def merge(self, pair: str, new: str) -> set[str]:
        """Put the token `new` in place of the pair, wherever it stands. Returns the pairs that may score higher."""
        before = self.tokens[new]
        for index in self.places.pop(pair):
            self._add(index, -1)
            self.words[index] = self.words[index].replace(pair, new)
            self._add(index, +1)
        self.total -= self.tokens[new] - before
        for token in (*pair, new):
            self.pairs_with[token] = {each for each in self.pairs_with[token] if self.pairs[each]}
        return set().union(*(self.pairs_with[token] for token in (*pair, new)))


@no_garbage_collection()
def learn(
    words: Mapping[str, int],
    vocab: dict[str, int],
    vocab_size: int,
    join: Callable[[str, str], str],
    score: str,
    min_count: int,
) -> list[tuple[str, str]]:
    """The pairs of tokens in the order in which they were merged; `vocab` grows in place, up to `vocab_size` tokens.

    `words` as in WordTable, with their counts; `join("h", "##e")` is "he". Pairs seen less than `min_count` times
    aren't merged. Of equal scores the pair of older tokens wins: the smaller first id, then the smaller second. One
    token can be found twice, as "h" + "##er" and as "he" + "##r": then both pairs are in the list.

    The heap is lazy: what it holds for a pair is its score or more. A score that falls stays as it is until it comes to
    the top, and is put right there. One that rises is pushed at once; only those of pairs with a, b or the new token
    can rise, as n_a and n_b fall (N falls too, which lowers them all). So a score that is right when on top is the
    highest.
    """
    table, score_of, tokens, merges = WordTable(words), SCORES[score], list(vocab), []
    heap: list[tuple[float, str]] = []  # the smallest comes to the top, so scores are negative
    held: dict[str, float] = {}  # pair → its score in the heap; other entries of it are void

    def push(pair: str) -> None:
        if (n_ab := table.pairs[pair]) >= min_count:
            key = -score_of(n_ab, table.tokens[pair[0]], table.tokens[pair[1]], table.total)
            if key < held.get(pair, inf):
                held[pair] = key
                heapq.heappush(heap, (key, pair))

    for pair in table.pairs:
        push(pair)
    with tqdm(total=vocab_size, initial=len(tokens), desc="learning tokens", delay=1, leave=False) as progress:
        while heap and len(tokens) < vocab_size:
            key, pair = heapq.heappop(heap)
            if held.get(pair) != key:
                continue  # void
            del held[pair]
            push(pair)
            if held.get(pair) != key:
                continue  # it has fallen
            a, b = (tokens[ord(token)] for token in pair)
            new = join(a, b)
            merges.append((a, b))
            if new not in vocab:
                vocab[new] = len(tokens)
                tokens.append(new)
                progress.update()
            for changed in table.merge(pair, chr(vocab[new])):
                push(changed)
    return merges
