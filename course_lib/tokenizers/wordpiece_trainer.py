"""How WordPiece learns its tokens: again and again it joins the two neighbours whose union explains the text best.

Schuster & Nakajima (2012), "Japanese and Korean Voice Search": join the pair that "increases the likelihood on the training
data the most". Draw each token by itself, with the probability n / N that its count n gives it. Then a and b as one token
are (n_ab / N) / ((n_a / N) · (n_b / N)) times as likely as the two. Hence two scores:

    ratio   n_ab / (n_a · n_b)                  that factor, for one occurrence: the score that is mostly quoted
    gain    n_ab · log(N · n_ab / (n_a · n_b))  its logarithm, for all occurrences: what the whole text gains
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


class SpelledWords:
    """Each different word as a string with one character, chr(id), for each token: a pair is a string of two. All is counted."""

    def __init__(self, words: Mapping[str, int]):
        self.spelled, self.times = list(words), list(words.values())
        self.tokens, self.pairs = Counter(), Counter()  # how often each is in the text
        self.where = defaultdict(set)  # pair → words that hold it, or once did
        self.pairs_with = defaultdict(set)  # token → pairs that hold it, or once did
        for word in range(len(self.spelled)):
            self.count(word, +1)
        self.total = self.tokens.total()

    def count(self, word: int, sign: int) -> None:
        for token in self.spelled[word]:
            self.tokens[token] += sign * self.times[word]
        for pair in map("".join, pairwise(self.spelled[word])):
            self.pairs[pair] += sign * self.times[word]
            if sign > 0:
                self.where[pair].add(word)
                for token in pair:
                    self.pairs_with[token].add(pair)

    def join(self, pair: str, new: str) -> set[str]:
        """Replace the pair by the token `new` in each word that holds it. Returns the pairs whose score may have risen."""
        before = self.tokens[new]
        for word in self.where.pop(pair):
            self.count(word, -1)
            self.spelled[word] = self.spelled[word].replace(pair, new)
            self.count(word, +1)
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
    """The pairs of tokens in the order in which they were joined; `vocab` grows in place, up to `vocab_size` tokens.

    `words` as in SpelledWords, with their counts; `join("h", "##e")` is "he". Pairs seen less than `min_count` times aren't
    joined. Of equal scores the pair of older tokens wins: the smaller first id, then the smaller second. One token can be
    found twice, as "h" + "##er" and as "he" + "##r": then both pairs are in the list.

    The heap is lazy: what it holds for a pair is its score or more. A score that falls stays as it is until it comes to the
    top, and is put right there. One that rises is pushed at once; only those of pairs with a, b or the new token can rise,
    as n_a and n_b fall (N falls too, which lowers them all). So a score that is right when on top is the highest.
    """
    text, rate, tokens, merges = SpelledWords(words), SCORES[score], list(vocab), []
    heap: list[tuple[float, str]] = []  # the smallest comes to the top, so scores are negative
    held: dict[str, float] = {}  # pair → its score in the heap; other entries of it are void

    def push(pair: str) -> None:
        if (n_ab := text.pairs[pair]) >= min_count:
            key = -rate(n_ab, text.tokens[pair[0]], text.tokens[pair[1]], text.total)
            if key < held.get(pair, inf):
                held[pair] = key
                heapq.heappush(heap, (key, pair))

    for pair in text.pairs:
        push(pair)
    with tqdm(total=vocab_size, initial=len(tokens), desc="Learning tokens", unit="token", delay=1, leave=False) as bar:
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
                bar.update()
            for changed in text.join(pair, chr(vocab[new])):
                push(changed)
    return merges
