"""Byte-pair encoding's training: count all pairs, merge the most frequent one in every word, begin again."""

from collections import Counter

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer
from course_lib.exercises.lesson_07.count_pairs import count_pairs
from course_lib.exercises.lesson_07.merge_pair import first_place_only, merge_pair
from course_lib.exercises.lesson_07.words import PAPER, twins, word_table
from course_lib.tokenizers import naive_bpe


def _learn_merges(words, num_merges):
    return steps(words, num_merges)  # each of them as it should be


def _row_against_a_pair(g):
    """(a, a) stands twice in a word that occurs n times; the other pair occurs once less."""
    n = integer(g, 2, 9)
    return {("c", "d</w>"): 2 * n - 1, ("a", "a", "a", "b</w>"): n}, 1


learn_merges = Code(
    "07.learn_merges",
    title="Learn the merges",
    points=3,
    minutes=12,
    difficulty=2,
    reference=_learn_merges,
    axes=["merges"],
    cases=[
        Case("the words of the paper", lambda g: (PAPER, integer(g, 3, 8))),
        Case("many words", lambda g: (word_table(g, 40), integer(g, 12, 16))),
        Case("two letters, many ties", lambda g: (word_table(g, 12, letters="ba"), 8)),
        Case("symbols in a row", lambda g: (twins(g), 4)),
        Case(
            "a tie with and without the mark",
            lambda g: (dict.fromkeys([("a", "b</w>"), ("a", "b", "c</w>")], integer(g, 1, 9)), 2),
        ),
        Case("a row against a pair", _row_against_a_pair),
        Case(
            "a tie of short and long symbols",
            lambda g: (dict.fromkeys([("ab", "c</w>"), ("a", "bd</w>")], integer(g, 1, 9)), 2),
        ),
        Case("a pair twice in a word", lambda g: ({("n", "a", "n", "a", "s</w>"): integer(g, 1, 9)}, 2)),
        Case("every word once", lambda g: (dict.fromkeys(word_table(g, 15, letters="zyx"), 1), 10)),
        Case("until nothing is left", lambda g: ({("a", "b</w>"): integer(g, 2, 5), ("d", "e</w>"): 1, ("c",): 9}, 10)),
        Case("no merges", lambda g: (word_table(g, 5), 0)),
        Case("no words", lambda g: ({}, 3)),
    ],
    hints=[
        "Each round: count all pairs, choose one, merge it in every word, write it down.",
        "min(counts, key=lambda pair: (-counts[pair], pair)) is the most frequent pair, and of several the first in alphabetical order.",
        "The merged words go into a new dictionary, {tuple(merge_pair(word, pair)): n …}. When there are no pairs left, stop.",
    ],
)


@learn_merges.variants
def steps(
    words,
    num_merges,
    *,
    count=count_pairs.reference,
    go_on=lambda counts: bool(counts),
    choose=naive_bpe.most_frequent,
    merge=merge_pair.reference,
):
    merges = []
    while len(merges) < num_merges and go_on(counts := count(words)):
        pair = choose(counts)
        merged = Counter()
        for word, n in words.items():
            merged[tuple(merge(word, pair))] += n
        words = merged
        merges.append(pair)
    return merges


steps.mistake(
    "Of equally frequent pairs you take the one that was counted first. Two people who read the words in another order would get another tokenizer: take the first in alphabetical order, as the text asks.",
    choose=lambda counts: max(counts, key=counts.get),
)
steps.mistake(
    "Of equally frequent pairs you take the last in alphabetical order: max over (count, pair) prefers the larger pair. Use min over (−count, pair).",
    choose=lambda counts: max(counts, key=lambda pair: (counts[pair], pair)),
)
steps.mistake(
    "You don't go on with the merged words: every round finds the same pair. Put the merged words in the place of the old ones.",
    merge=lambda word, pair: word,
)
steps.mistake(
    "You count each word once. Its count in the table says how much its pairs weigh.",
    count=lambda words: count_pairs.reference(dict.fromkeys(words, 1)),
)
steps.mistake(
    "You take the least frequent pair. The most frequent one saves most symbols.",
    choose=lambda counts: min(counts, key=lambda pair: (counts[pair], pair)),
)
steps.mistake(
    "You stop when no pair occurs twice. The text asks for num_merges merges, or until no pairs are left at all.",
    go_on=lambda counts: max(counts.values(), default=0) >= 2,
)
steps.mistake(
    "When there are no pairs left your code stops with an error. Stop the loop then, and return what you have.",
    go_on=lambda counts: True,
)
steps.mistake(
    "You merge the pair at its first place in a word only. merge_pair does all places.", merge=first_place_only
)


@learn_merges.mistake(
    "You count once, before the loop, and merge the most frequent pairs of the beginning. Each merge changes the counts and makes new pairs: count again in every round."
)
def counts_once(words, num_merges):
    counts = count_pairs.reference(words)
    return sorted(counts, key=lambda pair: (-counts[pair], pair))[:num_merges]


@learn_merges.mistake("You do one merge too few.")
def one_too_few(words, num_merges):
    return steps(words, num_merges - 1)


@learn_merges.mistake("You do one merge too many.")
def one_too_many(words, num_merges):
    return steps(words, num_merges + 1)


@learn_merges.mistake("You return the new symbols. Return the pairs: to encode a word one needs to know what to merge.")
def returns_symbols(words, num_merges):
    return [left + right for left, right in steps(words, num_merges)]


@learn_merges.mistake("You return the merged words. Return the list of merges, in the order in which you made them.")
def returns_words(words, num_merges):
    for pair in steps(words, num_merges):
        words = {tuple(merge_pair.reference(word, pair)): n for word, n in words.items()}
    return words


@learn_merges.mistake(
    "Your merges come in alphabetical order. Their order is what encoding goes by: keep the one in which they were made."
)
def sorted_merges(words, num_merges):
    return sorted(steps(words, num_merges))
