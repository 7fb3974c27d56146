"""Learning the merges of byte-pair encoding: the most frequent pair becomes a symbol, again and again.

Sennrich, Haddow and Birch (2016), Neural Machine Translation of Rare Words with Subword Units, algorithm 1. As it
stands there (`naive_bpe.py`), every merge counts all pairs anew. Here three things are kept up to date instead: how
often each pair occurs, in which words, and a heap that gives the most frequent one. A merge touches only those words.

A word is a string with one character for each symbol: symbol 256 is chr(256), "Ā", whatever it stands for. So a pair is
a string of two, which Python's own `split` and `join` merge in C, and pairs compare as their symbols' numbers do.
"""

from collections import defaultdict
from collections.abc import Mapping
from heapq import heapify, heappop, heappush
from operator import add

from tqdm.auto import tqdm

from course_lib.support.garbage import no_garbage_collection


def learn_merges(word_counts: Mapping[str, int], first_new: int, max_merges: int) -> list[str]:
    """The pairs to merge, in order; the pair at index i becomes symbol chr(first_new + i).

    word_counts: how often each word occurs, words written in the symbols chr(0) … chr(first_new - 1).
    Each pair is the most frequent one at its moment, counting every place ("aaa" holds "aa" twice); of several, the one
    with the smallest symbols, the left one first. Stops early when no word has two symbols left.
    Below, Ā stands for "lo", ā for "low" and Ă for "er". The last merge joins "low" and "er":

    >>> learn_merges({"low": 5, "lower": 2, "newer": 1}, first_new=256, max_merges=4)
    ['lo', 'Āw', 'er', 'āĂ']
    """
    with no_garbage_collection(), tqdm(total=max_merges, desc="learning merges", delay=1, leave=False) as progress:
        words, counts = list(word_counts), list(word_counts.values())
        frequency = defaultdict(int)  # pair → how often it occurs now
        places = defaultdict(list)  # pair → the words that hold it, or once did
        for index, word in enumerate(words):
            for pair in map(add, word, word[1:]):
                frequency[pair] += counts[index]
                places[pair].append(index)
        heap, merges = [(-n, pair) for pair, n in frequency.items()], []
        heapify(heap)
        while heap and len(merges) < max_merges:
            n, pair = heappop(heap)
            if -n != frequency[pair]:  # since it was pushed, other merges took some of its places
                if frequency[pair]:
                    heappush(heap, (-frequency[pair], pair))
                continue
            new = chr(first_new + len(merges))
            merges.append(pair)
            for risen in _merge_everywhere(pair, new, words, counts, frequency, places):
                heappush(heap, (-frequency[risen], risen))
            progress.update()
        del words, frequency, places, heap  # before the garbage collector is on again and looks at them
        return merges


def _merge_everywhere(pair: str, new: str, words: list[str], counts: list[int], frequency: dict, places: dict) -> set:
    """Put `new` in place of `pair` in all words, keep frequency and places true, return the pairs that are new."""
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
