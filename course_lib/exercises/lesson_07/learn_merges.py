"""Byte-pair encoding's training: count all pairs, merge the most frequent one in every word, begin again."""

from collections import Counter
from itertools import pairwise

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer
from course_lib.exercises.lesson_07.count_pairs import count_pairs
from course_lib.exercises.lesson_07.merge_pair import first_place_only, merge_pair, replaces_letters
from course_lib.exercises.lesson_07.words import PAPER, twins, word_table
from course_lib.tokenizers import naive_bpe


def _learn_merges(words, num_merges):
    return steps(words, num_merges)  # each of them as it should be


def _across_the_border(g):
    """The end of one word and the beginning of the next would be the most frequent pair."""
    n = integer(g, 3, 9)
    return {("a", "b</w>"): n, ("c", "d</w>"): n, ("e", "b</w>"): n, ("c", "f</w>"): n}, 4


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
            lambda g: (
                dict.fromkeys([("a", "b</w>"), ("a", "b", "c</w>"), ("d", "f</w>"), ("d", "e</w>")], integer(g, 1, 9)),
                4,
            ),
        ),
        Case("a row against a pair", _row_against_a_pair),
        Case(
            "a tie of short and long symbols",
            lambda g: (dict.fromkeys([("ab", "c</w>"), ("a", "bd</w>")], integer(g, 1, 9)), 2),
        ),
        Case("ends and beginnings alike", _across_the_border),
        Case("a pair twice in a word", lambda g: ({("n", "a", "n", "a", "s</w>"): integer(g, 1, 9)}, 2)),
        Case(
            "a frequent word and two rare ones",
            lambda g: ({("x", "y</w>"): integer(g, 3, 9), ("a", "b", "c</w>"): 1, ("a", "b", "d</w>"): 1}, 3),
        ),
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


def across_the_border(words):
    """Each word's pairs, and the last symbol of the word before with the first of this one."""
    before = [(), *(word[-1:] for word in words)]
    return count_pairs.reference({(*last, *word): n for last, (word, n) in zip(before, words.items())})


def once_in_a_word(words):
    counts = Counter()
    for word, n in words.items():
        for pair in dict.fromkeys(pairwise(word)):
            counts[pair] += n
    return counts


@learn_merges.variants
def steps(
    words,
    num_merges,
    *,
    count=count_pairs.reference,
    go_on=lambda counts: bool(counts),
    choose=naive_bpe.most_frequent,
    merge=merge_pair.reference,
    note=lambda pair, counts: pair,
    give=list,
):
    merges = []
    while len(merges) < num_merges and go_on(counts := count(words)):
        pair = choose(counts)
        merged = Counter()
        for word, n in words.items():
            merged[tuple(merge(word, pair))] += n
        words = merged
        merges.append(note(pair, counts))
    return give(merges)


steps.mistake(
    "Of equally frequent pairs you take the one that was counted first. Two people who read the words in another order would get another tokenizer: take the first in alphabetical order, as the text asks.",
    choose=lambda counts: max(counts, key=counts.get),
)
steps.mistake(
    "Of equally frequent pairs you take the last in alphabetical order: max over (count, pair) prefers the larger pair. Use min over (−count, pair).",
    choose=lambda counts: max(counts, key=lambda pair: (counts[pair], pair)),
)
steps.mistake(
    "Of equally frequent pairs you take the longest. Take the smallest, as Python compares tuples: min over (−count, pair).",
    choose=lambda counts: min(counts, key=lambda pair: (-counts[pair], -len("".join(pair)), pair)),
)
steps.mistake(
    "Of equally frequent pairs you take the shortest. Take the smallest, as Python compares tuples: min over (−count, pair).",
    choose=lambda counts: min(counts, key=lambda pair: (-counts[pair], len("".join(pair)), pair)),
)
steps.mistake(
    "Of equally frequent pairs you take the first by their joined texts. Compare the tuples, the left symbols first: min over (−count, pair).",
    choose=lambda counts: min(counts, key=lambda pair: (-counts[pair], "".join(pair))),
)
steps.mistake(
    "Of equally frequent pairs you compare the right symbols first. The left ones come first, as in Python's tuples: min over (−count, pair).",
    choose=lambda counts: min(counts, key=lambda pair: (-counts[pair], pair[::-1])),
)
steps.mistake(
    "Of equally frequent pairs you compare the left symbols alone. Where they are the same, too, the right ones decide: min over (−count, pair).",
    choose=lambda counts: min(counts, key=lambda pair: (-counts[pair], pair[0])),
)
steps.mistake(
    "Of equally frequent pairs you take the one that was counted last. Take the smallest, as Python compares tuples: min over (−count, pair).",
    choose=lambda counts: max(reversed(counts), key=counts.get),
)
steps.mistake(
    "Of equally frequent pairs you leave the </w> out when you compare. Compare the symbols as they are: min over (−count, pair).",
    choose=lambda counts: min(
        counts, key=lambda pair: (-counts[pair], tuple(symbol.removesuffix("</w>") for symbol in pair))
    ),
)
steps.mistake(
    "max(counts) compares the pairs themselves and takes the last in alphabetical order. Their counts have no say: give a key.",
    choose=max,
)
steps.mistake(
    "min(counts) compares the pairs themselves and takes the first in alphabetical order. Their counts have no say: give a key.",
    choose=min,
)
steps.mistake(
    "Of the least frequent pairs you take the last in alphabetical order. The most frequent pair saves most: min over (−count, pair).",
    choose=lambda counts: max(counts, key=lambda pair: (-counts[pair], pair)),
)
steps.mistake(
    "You weigh a pair's count with its length. Only the count decides, then the alphabet.",
    choose=lambda counts: min(counts, key=lambda pair: (-counts[pair] * len("".join(pair)), pair)),
)
steps.mistake(
    "You count pairs across the border of two words. A merge never joins two words: begin anew with each.",
    count=across_the_border,
)
steps.mistake(
    "You put all words one after another and count in that row, also across their borders. A merge never joins two words: count in each by itself.",
    count=lambda words: Counter(pairwise(symbol for word, n in words.items() for symbol in word * n)),
)
steps.mistake("A pair that stands twice in a word counts once with you. Count every place.", count=once_in_a_word)
steps.mistake(
    "With each pair you return its count. The pairs alone are asked for: [(left, right), …].",
    note=lambda pair, counts: (pair, counts[pair]),
)
steps.mistake(
    "Your pairs are lists. A pair is a tuple, (left, right), so that it can be compared with others.",
    note=lambda pair, counts: list(pair),
)
steps.mistake(
    "You return the new symbols. Return the pairs: to encode a word one needs to know what to merge.",
    note=lambda pair, counts: "".join(pair),
)
steps.mistake("Your merges come last first. The first learnt stands first.", give=lambda merges: merges[::-1])
steps.mistake("Only the last merge comes back. Collect them all in a list.", give=lambda merges: merges[-1:])
steps.mistake(
    "Your pairs are turned round: (left, right), as they stand in the word.", note=lambda pair, counts: pair[::-1]
)
steps.mistake(
    "Your pairs are glued together with a space. A merge is a tuple of two texts: (left, right).",
    note=lambda pair, counts: " ".join(pair),
)
steps.mistake(
    "You return the counts. The pairs are asked for, in the order in which they were merged.",
    note=lambda pair, counts: counts[pair],
)
steps.mistake(
    "Each merge comes with its number. The pairs alone are asked for: [(left, right), …].",
    give=lambda merges: [*enumerate(merges)],
)
steps.mistake(
    "You return a set, or the merges sorted and each once: their order is lost. Return the list as it was made.",
    give=lambda merges: sorted({*merges}, reverse=True),
)
steps.mistake(
    "Each merge is a triple, with the new symbol. The pairs alone are asked for: (left, right).",
    note=lambda pair, counts: (*pair, "".join(pair)),
)
steps.mistake("The first merge is missing.", give=lambda merges: merges[1:])
steps.mistake(
    "You don't go on with the merged words: every round finds the same pair. Put the merged words in the place of the old ones.",
    merge=lambda word, pair: word,
)
steps.mistake(
    "You merge in the text with spaces. There “r e” is found in “er e” as well, where r isn't a symbol of its own. Use merge_pair.",
    merge=lambda word, pair: " ".join(word).replace(" ".join(pair), "".join(pair)).split(),
)
steps.mistake(
    "You merge wherever the letters of the pair stand, also inside of symbols. Use merge_pair.", merge=replaces_letters
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
    "You stop when only one pair is left. It is merged, too: stop when there are none.",
    go_on=lambda counts: len(counts) > 1,
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


@learn_merges.mistake(
    "You count once and take the most frequent pairs of the beginning. Each merge changes the counts: count again in every round; and of equally frequent pairs take the smallest."
)
def most_common_of_the_beginning(words, num_merges):
    return [pair for pair, _ in Counter(count_pairs.reference(words)).most_common(num_merges)]


@learn_merges.mistake("You learn from the first word alone. Count the pairs of all words.")
def first_word_alone(words, num_merges):
    return steps(dict([*words.items()][:1]), num_merges)


@learn_merges.mistake(
    "The old words stay in the table beside the merged ones, so they are counted twice. Build a new dictionary in each round."
)
def keeps_the_old_words(words, num_merges):
    merges = []
    while len(merges) < num_merges and (counts := count_pairs.reference(words)):
        merges.append(naive_bpe.most_frequent(counts))
        words = words | {tuple(merge_pair.reference(word, merges[-1])): n for word, n in words.items()}
    return merges


@learn_merges.mistake(
    "Each round begins with the words as they came, so only the last merge is carried out. Go on with the merged words."
)
def begins_anew(words, num_merges):
    merges, merged = [], words
    while len(merges) < num_merges and (counts := count_pairs.reference(merged)):
        merges.append(naive_bpe.most_frequent(counts))
        merged = {tuple(merge_pair.reference(word, merges[-1])): n for word, n in words.items()}
    return merges


@learn_merges.mistake(
    "You stop when there are num_merges different symbols. It's the number of merges that is given, not the size of the vocabulary."
)
def up_to_a_vocabulary(words, num_merges):
    symbols = {symbol for word in words for symbol in word}
    return steps(words, max(0, num_merges - len(symbols)))


@learn_merges.mistake(
    "A word falls out of the table once it is a single symbol, or the table is emptied: later rounds don't see all words. Keep every word with its count."
)
def forgets_words(words, num_merges):
    merges = []
    while len(merges) < num_merges and (counts := count_pairs.reference(words)):
        merges.append(naive_bpe.most_frequent(counts))
        words = {
            tuple(merged): n
            for word, n in words.items()
            if (merged := merge_pair.reference(word, merges[-1])) != list(word)
        }
    return merges


@learn_merges.mistake(
    "num_merges isn't a least count: you stop when the best pair is rarer than that. It is how many merges are made."
)
def least_count(words, num_merges):
    def go_on(counts):
        return max(counts.values(), default=-1) >= num_merges

    return steps(words, 1000, go_on=go_on)


@learn_merges.mistake("You take the second most frequent pair. The most frequent one goes first.")
def second_best(words, num_merges):
    def second(counts):
        return sorted(counts, key=lambda pair: (-counts[pair], pair))[:2][-1]

    return steps(words, num_merges, choose=second)


@learn_merges.mistake(
    "All equally frequent pairs are merged in one round. Each merge changes the counts: take one, and count again."
)
def several_in_a_round(words, num_merges):
    merges = []
    while len(merges) < num_merges and (counts := count_pairs.reference(words)):
        for pair in sorted(pair for pair, n in counts.items() if n == max(counts.values())):
            merges.append(pair)
            words = {tuple(merge_pair.reference(word, pair)): n for word, n in words.items()}
    return merges[:num_merges]


@learn_merges.mistake(
    "Each merge is made only in the first word that holds its pair. It is made in all of them: does a `break` stop your loop over the words?"
)
def in_one_word(words, num_merges):
    merges = []
    while len(merges) < num_merges and (counts := count_pairs.reference(words)):
        merges.append(naive_bpe.most_frequent(counts))
        first = next(word for word in words if merges[-1] in pairwise(word))
        words = {tuple(merge_pair.reference(w, merges[-1])) if w == first else w: n for w, n in words.items()}
    return merges


def merged_counts(words, num_merges, count):
    """Learns with `count(word, merged, n)` as the count of a word after a merge."""
    merges = []
    while len(merges) < num_merges and (counts := count_pairs.reference(words)):
        merges.append(naive_bpe.most_frequent(counts))
        merged = {word: tuple(merge_pair.reference(word, merges[-1])) for word in words}
        words = {merged[word]: count(word, merged[word], n) for word, n in words.items()}
    return merges


@learn_merges.mistake(
    "After a merge every word counts once: its count is lost. The merged word keeps it: {tuple(merge_pair(word, pair)): n …}."
)
def counts_lost(words, num_merges):
    return merged_counts(words, num_merges, lambda word, merged, n: 1)


@learn_merges.mistake(
    "A word that a merge changes counts once from then on: its count is lost. The merged word keeps it: {tuple(merge_pair(word, pair)): n …}."
)
def counts_of_changed_words_lost(words, num_merges):
    return merged_counts(words, num_merges, lambda word, merged, n: n if merged == word else 1)


@learn_merges.mistake(
    "A word that a merge changes weighs with the pair's count, not with its own. The merged word keeps its count: {tuple(merge_pair(word, pair)): n …}."
)
def counts_of_the_pair(words, num_merges):
    def weight(word, merged, n):
        return n if merged == word else max(count_pairs.reference(words).values())

    return merged_counts(words, num_merges, weight)


@learn_merges.mistake("You learn from the most frequent word alone. Count the pairs of all words.")
def most_frequent_word(words, num_merges):
    top = max(words, key=words.get, default=None)
    return steps({top: words[top]} if top else {}, num_merges)


@learn_merges.mistake(
    "You take the pair that makes the longest symbol. The most frequent one is merged, whatever its length."
)
def longest_symbol(words, num_merges):
    return steps(words, num_merges, choose=lambda counts: max(counts, key=lambda p: (len("".join(p)), counts[p])))


@learn_merges.mistake("You do one merge too few.")
def one_too_few(words, num_merges):
    return steps(words, num_merges - 1)


@learn_merges.mistake("You do one merge too many.")
def one_too_many(words, num_merges):
    return steps(words, num_merges + 1)


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


@learn_merges.mistake(
    "merge_pair returns a list, and a list can't be a key of a dictionary: tuple(merge_pair(word, pair))."
)
def lists_as_keys(words, num_merges):
    return steps(words, num_merges, choose=lambda counts: {[]: counts})


@learn_merges.mistake(
    "When there are no pairs left your code stops with an error: leave the loop then. And of equally frequent pairs you take the one that was counted first: take the first in alphabetical order."
)
def first_counted_without_an_end(words, num_merges):
    return steps(words, num_merges, go_on=lambda counts: True, choose=lambda counts: max(counts, key=counts.get))


@learn_merges.mistake("Your function returns after its first merge. `return` belongs behind the loop.")
def returns_in_the_loop(words, num_merges):
    return steps(words, min(num_merges, 1))


@learn_merges.symptom(
    "You return an empty list, though pairs were merged. When there are no pairs left, leave the loop with `break` and return what you have."
)
def empty_list(inputs, answer):
    return answer == []


@learn_merges.symptom("As a set your merges are the right ones, but not in the order in which they are made.")
def another_order(inputs, answer):
    return sorted(answer) == sorted(_learn_merges(*inputs))


@learn_merges.symptom(
    "You merge the end of a word, </w>, with the beginning of the next. A merge never joins two words: count and merge in each word by itself."
)
def joins_two_words(inputs, answer):
    return any(left.endswith("</w>") for left, _ in answer)


@learn_merges.symptom("You return symbols, texts. The pairs are asked for, tuples of two: [(left, right), …].")
def texts(inputs, answer):
    return bool(answer) and all(isinstance(each, str) for each in answer)


@learn_merges.mistake(
    "You go on counting in the same dictionary, so pairs that were merged long ago still count. Begin with new counts in every round."
)
def counts_on(words, num_merges):
    total = Counter()

    def count(words):
        new = count_pairs.reference(words)
        total.update(new)
        return total if new else {}

    return steps(words, num_merges, count=count)


@learn_merges.mistake(
    'After a merge you join the word into one text, "".join, and it falls apart into letters again. A word stays a tuple of symbols: tuple(merge_pair(word, pair)).'
)
def words_become_texts(words, num_merges):
    merges = []
    while len(merges) < num_merges and (counts := count_pairs.reference(words)):
        merges.append(naive_bpe.most_frequent(counts))
        words = {"".join(merge_pair.reference(word, merges[-1])): n for word, n in words.items()}
    return merges


@learn_merges.symptom(
    "The same merge stands in your list again and again: its pair is still in the words, or still counted. Merge it in every word, and count anew in every round."
)
def again(inputs, answer):
    return len({*answer}) < len(answer) and len({*_learn_merges(*inputs)}) == len(_learn_merges(*inputs))


@learn_merges.symptom(
    "Your merges hold no </w>: the mark is taken off. It belongs to the symbol: t at the end of a word is another symbol than t inside."
)
def no_marks(inputs, answer):
    words, num_merges = inputs
    return "</w>" not in "".join(map("".join, answer)) and "</w>" in "".join(
        map("".join, _learn_merges(words, num_merges))
    )


@learn_merges.symptom(
    "The first merge that differs is a tie: both pairs are equally frequent then. Take the smaller one, as Python compares tuples: min over (−count, pair)."
)
def another_tie(inputs, answer):
    words, _ = inputs
    for own in answer:  # each a most frequent one, after those before it
        counts = count_pairs.reference(words)
        if counts.get(own) != max(counts.values()):
            return False
        merged = Counter()
        for word, n in words.items():
            merged[tuple(merge_pair.reference(word, own))] += n
        words = merged
    return len(answer) == len(_learn_merges(*inputs))


@learn_merges.symptom(
    "You take a pair that isn't the most frequent one at that time. Are the counts those of the words as they are merged now, each as often as it occurs?"
)
def not_the_most_frequent(inputs, answer):
    pairs = all(isinstance(pair, tuple) and all(isinstance(symbol, str) for symbol in pair) for pair in answer)
    return pairs and len(answer) == len(_learn_merges(*inputs))


@learn_merges.symptom(
    "Your merges begin rightly, but there aren't as many as there should be: num_merges, or fewer where no pairs are left."
)
def another_number(inputs, answer):
    right = _learn_merges(*inputs)
    return answer[: len(right)] == right[: len(answer)]
