"""learn_merges, lesson 07."""

from collections import Counter

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer
from course_lib.exercises.lesson_07.count_pairs import _count_pairs, each_word_once
from course_lib.exercises.lesson_07.merge_pair import _merge_pair, first_place_only
from course_lib.exercises.lesson_07.words import _table, _twins
from course_lib.tokenizers import recount


def _learn_merges(words, num_merges):
    words, merges = dict(words), []
    while len(merges) < num_merges:
        counts = _count_pairs(words)
        if not counts:
            break
        pair = recount.most_frequent(counts)
        merged = Counter()
        for word, n in words.items():
            merged[tuple(_merge_pair(word, pair))] += n
        words = merged
        merges.append(pair)
    return merges


def _learn(words, num_merges, choose=None, count=_count_pairs, merge=_merge_pair, stop=lambda counts, pair: False):
    """The loop, with one thing done in another way."""
    choose = choose or recount.most_frequent
    words, merges = dict(words), []
    for _ in range(num_merges):
        counts = count(words)
        if not counts:
            break
        pair = choose(counts)
        if stop(counts, pair):
            break
        words = {tuple(merge(word, pair)): n for word, n in words.items()}
        merges.append(pair)
    return merges


PAPER = {
    ("l", "o", "w</w>"): 5,
    ("l", "o", "w", "e", "r</w>"): 2,
    ("n", "e", "w", "e", "s", "t</w>"): 6,
    ("w", "i", "d", "e", "s", "t</w>"): 3,
}

learn_merges = Code(
    "07.learn_merges",
    title="Learn the merges",
    points=3, minutes=12, difficulty=2,
    reference=_learn_merges,
    axes=["merges"],
    cases=[
        Case("the words of the paper", lambda g: (PAPER, integer(g, 3, 8))),
        Case("many words", lambda g: (_table(g, 40), integer(g, 12, 16))),
        Case("two letters, many ties", lambda g: (_table(g, 12, letters="ba"), 8)),
        Case("symbols in a row", lambda g: (_twins(g), 4)),
        Case("a tie with and without the mark", lambda g: (dict.fromkeys([("a", "b</w>"), ("a", "b", "c</w>")], integer(g, 1, 9)), 2)),
        Case("a row against a pair", lambda g: (lambda n: ({("c", "d</w>"): 2 * n - 1, ("a", "a", "a", "b</w>"): n}, 1))(integer(g, 2, 9))),
        Case("a tie of short and long symbols", lambda g: (dict.fromkeys([("ab", "c</w>"), ("a", "bd</w>")], integer(g, 1, 9)), 2)),
        Case("a pair twice in a word", lambda g: ({("n", "a", "n", "a", "s</w>"): integer(g, 1, 9)}, 2)),
        Case("every word once", lambda g: (dict.fromkeys(_table(g, 15, letters="zyx"), 1), 10)),
        Case("until nothing is left", lambda g: ({("a", "b</w>"): integer(g, 2, 5), ("d", "e</w>"): 1, ("c",): 9}, 10)),
        Case("no merges", lambda g: (_table(g, 5), 0)),
        Case("no words", lambda g: ({}, 3)),
    ],
    hints=[
        "Each round: count all pairs, choose one, merge it in every word, write it down.",
        "min(counts, key=lambda pair: (-counts[pair], pair)) is the most frequent pair, and of several the first in alphabetical order.",
        "The merged words go into a new dictionary, {tuple(merge_pair(word, pair)): n …}. When there are no pairs left, stop.",
    ],
)  # fmt: skip


@learn_merges.mistake(
    "Of equally frequent pairs you take the one that was counted first. Two people who read the words in another order would get another tokenizer: take the first in alphabetical order, as the text asks."
)
def first_counted(words, num_merges):
    return _learn(words, num_merges, choose=lambda counts: max(counts, key=counts.get))


@learn_merges.mistake(
    "Of equally frequent pairs you take the last in alphabetical order: max over (count, pair) prefers the larger pair. Use min over (−count, pair)."
)
def last_of_equals(words, num_merges):
    return _learn(words, num_merges, choose=lambda counts: max(counts, key=lambda pair: (counts[pair], pair)))


@learn_merges.mistake(
    "You count once, before the loop, and merge the most frequent pairs of the beginning. Each merge changes the counts and makes new pairs: count again in every round."
)
def counts_once(words, num_merges):
    counts = _count_pairs(words)
    return sorted(counts, key=lambda pair: (-counts[pair], pair))[:num_merges]


@learn_merges.mistake(
    "You don't go on with the merged words: every round finds the same pair. Put the merged words in the place of the old ones."
)
def never_merges(words, num_merges):
    counts = _count_pairs(words)
    return [recount.most_frequent(counts)] * num_merges if counts else []


@learn_merges.mistake("You count each word once. Its count in the table says how much its pairs weigh.")
def weightless(words, num_merges):
    return _learn(words, num_merges, count=each_word_once)


@learn_merges.mistake("You take the least frequent pair. The most frequent one saves most symbols.")
def least_frequent(words, num_merges):
    return _learn(words, num_merges, choose=lambda counts: min(counts, key=lambda pair: (counts[pair], pair)))


@learn_merges.mistake(
    "You stop when no pair occurs twice. The text asks for num_merges merges, or until no pairs are left at all."
)
def stops_at_ones(words, num_merges):
    return _learn(words, num_merges, stop=lambda counts, pair: counts[pair] < 2)


@learn_merges.mistake("You do one merge too few.")
def one_too_few(words, num_merges):
    return _learn(words, num_merges - 1)


@learn_merges.mistake("You do one merge too many.")
def one_too_many(words, num_merges):
    return _learn(words, num_merges + 1)


@learn_merges.mistake(
    "When there are no pairs left your code stops with an error. Stop the loop then, and return what you have."
)
def no_way_out(words, num_merges):
    words, merges = dict(words), []
    for _ in range(num_merges):
        counts = _count_pairs(words)
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        words = {tuple(_merge_pair(word, pair)): n for word, n in words.items()}
        merges.append(pair)
    return merges


@learn_merges.mistake("You return the new symbols. Return the pairs: to encode a word one needs to know what to merge.")
def returns_symbols(words, num_merges):
    return [left + right for left, right in _learn_merges(words, num_merges)]


@learn_merges.mistake("You return the merged words. Return the list of merges, in the order in which you made them.")
def returns_words(words, num_merges):
    words = dict(words)
    for pair in _learn_merges(words, num_merges):
        words = {tuple(_merge_pair(word, pair)): n for word, n in words.items()}
    return words


@learn_merges.mistake(
    "Your merges come in alphabetical order. Their order is what encoding goes by: keep the one in which they were made."
)
def sorted_merges(words, num_merges):
    return sorted(_learn_merges(words, num_merges))


@learn_merges.mistake("You merge the pair at its first place in a word only. merge_pair does all places.")
def merges_first_places(words, num_merges):
    return _learn(words, num_merges, merge=first_place_only)
