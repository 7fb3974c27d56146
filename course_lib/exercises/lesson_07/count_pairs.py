"""count_pairs, lesson 07."""

from collections import Counter

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer
from course_lib.exercises.lesson_07.words import _table, _twins
from course_lib.tokenizers import recount


def _count_pairs(words):
    counts = Counter()
    for word, n in words.items():
        for pair, times in recount.count_pairs(word).items():
            counts[pair] += n * times
    return dict(counts)


count_pairs = Code(
    "07.count_pairs",
    title="Count the pairs",
    points=2, minutes=8, difficulty=1,
    reference=_count_pairs,
    axes=["counts"],
    cases=[
        Case("three words", lambda g: ({("l", "o", "w</w>"): integer(g, 2, 9), ("l", "o", "t</w>"): integer(g, 2, 9), ("o", "w", "l</w>"): integer(g, 10, 20)},)),
        Case("words of one symbol", lambda g: ({("a</w>",): integer(g, 2, 9), ("a", "n</w>"): integer(g, 2, 9)},)),
        Case("the same symbol in a row", lambda g: (_twins(g),)),
        Case("a pair twice in a word", lambda g: ({("n", "a", "n", "a</w>"): 3, ("n", "a", "n", "a", "n</w>"): integer(g, 2, 9)},)),
        Case("many words", lambda g: (_table(g, 40),)),
        Case("no words", lambda g: ({},)),
    ],
    hints=[
        "Two loops: over the words with their counts, and over the places in a word where a symbol has a neighbour on its right.",
        "zip(word, word[1:]) gives all pairs of neighbours of a word.",
        "A word that occurs 5 times brings each of its pairs 5 times.",
    ],
)  # fmt: skip


@count_pairs.mistake(
    "You count each word once. The table says how often a word occurs: each of its pairs occurs that often, too."
)
def each_word_once(words):
    counts = Counter()
    for word in words:
        counts.update(zip(word, word[1:]))
    return dict(counts)


@count_pairs.mistake(
    "A pair that stands twice in a word counts once with you. Count every place, not every word that holds the pair."
)
def each_pair_once_a_word(words):
    counts = Counter()
    for word, n in words.items():
        for pair in set(zip(word, word[1:])):
            counts[pair] += n
    return dict(counts)


@count_pairs.mistake(
    "A later word overwrites what earlier words counted. Add to the count of the pair: counts[pair] += n."
)
def overwritten(words):
    counts = {}
    for word, n in words.items():
        for pair in zip(word, word[1:]):
            counts[pair] = n
    return counts


@count_pairs.mistake(
    "You skip from pair to pair, two symbols at a time. Neighbours overlap: in l o w, both (l, o) and (o, w) are pairs."
)
def two_at_a_time(words):
    counts = Counter()
    for word, n in words.items():
        for i in range(0, len(word) - 1, 2):
            counts[word[i], word[i + 1]] += n
    return dict(counts)


@count_pairs.mistake(
    "The last pair of each word is missing. A word of k symbols has k − 1 pairs: range(len(word) - 1)."
)
def without_the_last(words):
    counts = Counter()
    for word, n in words.items():
        for i in range(len(word) - 2):
            counts[word[i], word[i + 1]] += n
    return dict(counts)


@count_pairs.mistake("The first pair of each word is missing: begin at index 0.")
def without_the_first(words):
    counts = Counter()
    for word, n in words.items():
        for i in range(1, len(word) - 1):
            counts[word[i], word[i + 1]] += n
    return dict(counts)


@count_pairs.mistake(
    "You count single symbols. What is merged is a pair: count a symbol together with its right neighbour."
)
def single_symbols(words):
    counts = Counter()
    for word, n in words.items():
        for symbol in word:
            counts[symbol] += n
    return dict(counts)


@count_pairs.mistake(
    "Your pairs are glued together into one text. Keep the two symbols apart, as a tuple: from “anana” one can't tell (an, ana) from (ana, na)."
)
def glued(words):
    counts = Counter()
    for word, n in words.items():
        for left, right in zip(word, word[1:]):
            counts[left + right] += n
    return dict(counts)


@count_pairs.mistake(
    "You count each pair in both orders. Only neighbours from left to right are a pair: (a, n) isn't (n, a)."
)
def both_orders(words):
    counts = Counter()
    for word, n in words.items():
        for left, right in zip(word, word[1:]):
            counts[left, right] += n
            counts[right, left] += n
    return dict(counts)


@count_pairs.mistake("You sort the two symbols of a pair, so that (n, a) is counted as (a, n). Their order matters.")
def sorted_pairs(words):
    counts = Counter()
    for word, n in words.items():
        for pair in zip(word, word[1:]):
            counts[tuple(sorted(pair))] += n
    return dict(counts)


@count_pairs.mistake(
    "You count pairs across the border of two words. A merge never joins two words: begin anew with each."
)
def across_words(words):
    counts = Counter()
    last = None
    for word, n in words.items():
        symbols = word if last is None else (last, *word)
        for pair in zip(symbols, symbols[1:]):
            counts[pair] += n
        last = word[-1]
    return dict(counts)


@count_pairs.mistake(
    "In a a a, the pair (a, a) stands twice: at the first place and at the second. You take it once. Count every place where a symbol has a neighbour."
)
def without_overlap(words):
    counts = Counter()
    for word, n in words.items():
        i = 0
        while i < len(word) - 1:
            counts[word[i], word[i + 1]] += n
            i += 2 if i + 2 < len(word) and word[i] == word[i + 1] == word[i + 2] else 1
    return dict(counts)


@count_pairs.mistake(
    "Your code stops with an IndexError: the last symbol has no neighbour on its right. A word of k symbols has k − 1 pairs: range(len(word) - 1)."
)
def past_the_end(words):
    counts = Counter()
    for word, n in words.items():
        for i in range(len(word)):
            counts[word[i], word[i + 1]] += n
    return dict(counts)


@count_pairs.mistake(
    "Your code stops with a KeyError: += needs a count to add to, and a new pair has none. Use counts.get(pair, 0) + n, or a Counter, which begins at 0."
)
def nothing_to_add_to(words):
    counts = {}
    for word, n in words.items():
        for pair in zip(word, word[1:]):
            counts[pair] += n
    return counts


@count_pairs.mistake(
    "A list can't be a key of a dictionary, since it may change. Make the pair a tuple: (left, right)."
)
def lists_as_keys(words):
    counts = {}
    for word, n in words.items():
        for i in range(len(word) - 1):
            pair = list(word[i : i + 2])
            counts[pair] = counts.get(pair, 0) + n
    return counts


@count_pairs.mistake(
    "When a pair comes for the first time you set its count, but to 0 or 1. It comes n times, as often as its word: begin with 0 and add n."
)
def first_time_is_one(words):
    counts = {}
    for word, n in words.items():
        for pair in zip(word, word[1:]):
            counts[pair] = counts[pair] + n if pair in counts else 1
    return counts
