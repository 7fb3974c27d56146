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

SCORES: dict[str, Callable[[int, int, int, int], float]] = {
    "ratio": lambda n_ab, n_a, n_b, N: n_ab / (n_a * n_b),
    "gain": lambda n_ab, n_a, n_b, N: n_ab * log(N * n_ab / (n_a * n_b)),
}


class SpelledWords:
    """The training text: each different word as a string with one character, chr(id), for each token, and its count.

    So a pair is a string of two, and to join it is `split` and `join`. Counts are kept up to date where a word changes.
    """

    def __init__(self, words: Mapping[str, int]):
        self.spelled, self.times = list(words), list(words.values())
        self.tokens: Counter[str] = Counter()  # token → how often
        self.pairs: Counter[str] = Counter()  # pair → how often
        self.total = 0  # tokens in the text
        self.where: dict[str, set[int]] = defaultdict(set)  # pair → words that hold it, or once did
        self.pairs_with: dict[str, set[str]] = defaultdict(set)  # token → pairs that hold it, or once did
        for word in range(len(self.spelled)):
            self._count(word, self.times[word])

    def _count(self, word: int, times: int) -> None:
        spelled = self.spelled[word]
        self.total += len(spelled) * times
        for token in spelled:
            self.tokens[token] += times
        for pair in map("".join, pairwise(spelled)):
            self.pairs[pair] += times
            if times > 0:
                self.where[pair].add(word)
                self.pairs_with[pair[0]].add(pair)
                self.pairs_with[pair[1]].add(pair)

    def join(self, pair: str, new: str) -> set[str]:
        """Replace the pair by the token `new` in each word that holds it. Returns the pairs whose score may have changed."""
        for word in self.where.pop(pair):
            if pair in self.spelled[word]:
                self._count(word, -self.times[word])
                self.spelled[word] = self.spelled[word].replace(pair, new)
                self._count(word, self.times[word])
        changed = set()
        for token in {*pair, new}:
            self.pairs_with[token] = {pair for pair in self.pairs_with[token] if self.pairs[pair]}
            changed |= self.pairs_with[token]
        return changed


def learn(
    words: Mapping[str, int], vocab: dict[str, int], vocab_size: int, join: Callable[[str, str], str], score: str, min_count: int
) -> list[tuple[str, str]]:
    """The pairs of tokens in the order in which they were joined; `vocab` grows in place, up to `vocab_size` tokens.

    `words` as in SpelledWords; `join("h", "##e")` is "he". Pairs seen less than `min_count` times aren't joined. Of equal
    scores the pair of older tokens wins: the smaller first id, then the smaller second. One token can be found twice, as
    "h" + "##er" and as "he" + "##r": then both pairs are in the list.

    The heap is lazy. For each pair it holds a score that is right or too high. A score that falls stays as it is until it
    comes to the top, and is put right there; one that rises is pushed at once. Only those of pairs with a, b or the new token
    can rise, as n_a and n_b fall; N falls too, but that lowers them all. So what is right on top is the highest of all.
    """
    text, rate, merges = SpelledWords(words), SCORES[score], []
    tokens = list(vocab)  # by id
    heap: list[tuple[float, str]] = []  # the smallest is on top, so scores are negative
    held: dict[str, float] = {}  # pair → its score in the heap; what else the heap has of it is void

    def negative_score(pair: str) -> float:
        n_ab = text.pairs[pair]
        return -rate(n_ab, text.tokens[pair[0]], text.tokens[pair[1]], text.total) if n_ab >= min_count else inf

    def push(pair: str) -> None:
        if (key := negative_score(pair)) < held.get(pair, inf):
            held[pair] = key
            heapq.heappush(heap, (key, pair))

    for pair in text.pairs:
        push(pair)
    with tqdm(total=vocab_size - len(tokens), desc="Learning tokens", unit="token", delay=1, leave=False) as bar:
        while heap and len(tokens) < vocab_size:
            key, pair = heapq.heappop(heap)
            if held.get(pair) != key:
                continue
            del held[pair]
            if negative_score(pair) > key:
                push(pair)
                continue
            a, b = tokens[ord(pair[0])], tokens[ord(pair[1])]
            new = join(a, b)
            if new not in vocab:
                vocab[new] = len(tokens)
                tokens.append(new)
                bar.update()
            merges.append((a, b))
            for changed in text.join(pair, chr(vocab[new])):
                push(changed)
    return merges
