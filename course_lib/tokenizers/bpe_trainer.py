"""Learning the merges of byte-pair encoding: the most frequent pair becomes a symbol, again and again.

Sennrich, Haddow and Birch (2016), Neural Machine Translation of Rare Words with Subword Units, algorithm 1. Written as it stands there (`recount.py`), every
merge counts all pairs anew. Here three things are kept up to date instead: how often each pair occurs, in which words it occurs, and a heap that gives the most
frequent one. A merge then touches only the words that hold its pair.

A word is a string with one character for each symbol: symbol number 7 is chr(7), whatever it stands for. So a pair is a string of length 2, merging it is
`replace`, which Python does in C, and comparing two pairs compares their symbols' numbers.
"""

import heapq
from collections import defaultdict
from collections.abc import Mapping

from tqdm.auto import tqdm

from course_lib.support.garbage import no_garbage_collection


@no_garbage_collection()
def learn_merges(word_counts: Mapping[str, int], first_new: int, max_merges: int) -> list[str]:
    """The pairs to merge, in order; the pair at index i becomes symbol chr(first_new + i).

    word_counts: how often each word occurs, words written in the symbols chr(0) … chr(first_new - 1).
    Each pair is a most frequent one at its moment, counting every place where it stands ("aaa" holds "aa" twice); of equally frequent pairs, the one with the
    smallest symbol numbers, the left one first. Stops early when no word has two symbols left.

    >>> learn_merges({"\\0\\1\\0\\1": 3, "\\1\\0": 1}, first_new=2, max_merges=5)
    ['\\x00\\x01', '\\x02\\x02', '\\x01\\x00']
    """
    words, counts = list(word_counts), list(word_counts.values())
    frequency = defaultdict(int)  # pair → how often it occurs now
    places = defaultdict(list)  # pair → the words that hold it, or once did
    for index, word in enumerate(words):
        for pair in map(str.__add__, word, word[1:]):
            frequency[pair] += counts[index]
            places[pair].append(index)
    heap = [(-n, pair) for pair, n in frequency.items()]
    heapq.heapify(heap)

    merges = []
    with tqdm(total=max_merges, desc="learning merges", delay=1, leave=False) as progress:
        while heap and len(merges) < max_merges:
            n, pair = heapq.heappop(heap)
            if -n != frequency[pair]:  # since it was pushed, other merges took some of its places
                if frequency[pair]:
                    heapq.heappush(heap, (-frequency[pair], pair))
                continue
            new = chr(first_new + len(merges))
            merges.append(pair)
            born = _merge_everywhere(pair, new, words, counts, frequency, places)
            for other in born:
                heapq.heappush(heap, (-frequency[other], other))
            progress.update()
    return merges


def _merge_everywhere(
    pair: str, new: str, words: list[str], counts: list[int], frequency: dict, places: dict
) -> set[str]:
    """Put `new` in the place of `pair` in all words, and keep frequency and places true. Returns the pairs that came into being."""
    a, b = pair
    born = set()
    for index in places.pop(pair):
        gaps = words[index].split(pair)  # what stands before, between and after the places of the pair
        if len(gaps) == 1:
            continue  # an earlier merge took it, or the word was listed twice
        words[index], count = new.join(gaps), counts[index]
        last = len(gaps) - 1
        for i, gap in enumerate(gaps):
            if i > 0 and gap:  # b met the gap's first symbol; now new does
                frequency[b + gap[0]] -= count
                born.add(met := new + gap[0])
                frequency[met] += count
                places[met].append(index)
            if i < last and (gap or i > 0):  # the gap's last symbol met a; in an empty gap that was the b before it
                frequency[(gap[-1] if gap else b) + a] -= count
                born.add(met := (gap[-1] if gap else new) + new)
                frequency[met] += count
                places[met].append(index)
    del frequency[pair]
    return born
