"""How often each pair of neighbours occurs in a table of words: byte-pair encoding counts before it merges."""

from collections import Counter
from itertools import combinations, pairwise

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer
from course_lib.exercises.lesson_07.words import twins, word_table


def _count_pairs(words):
    counts = {}
    for word, n in words.items():
        for pair in pairwise(word):
            counts[pair] = counts.get(pair, 0) + n
    return counts


count_pairs = Code(
    "07.count_pairs",
    title="Count the pairs",
    points=2,
    minutes=8,
    difficulty=1,
    reference=_count_pairs,
    axes=["counts"],
    cases=[
        Case(
            "three words",
            lambda g: (
                {
                    ("l", "o", "w</w>"): integer(g, 2, 9),
                    ("l", "o", "t</w>"): integer(g, 2, 9),
                    ("o", "w", "l</w>"): integer(g, 10, 20),
                },
            ),
        ),
        Case("words of one symbol", lambda g: ({("a</w>",): integer(g, 2, 9), ("a", "n</w>"): integer(g, 2, 9)},)),
        Case("nothing but words of one symbol", lambda g: ({("a</w>",): integer(g, 2, 9), ("n</w>",): 1},)),
        Case("the same symbol in a row", lambda g: (twins(g),)),
        Case(
            "a pair twice in a word",
            lambda g: ({("n", "a", "n", "a</w>"): 3, ("n", "a", "n", "a", "n</w>"): integer(g, 2, 9)},),
        ),
        Case("many words", lambda g: (word_table(g, 40),)),
        Case("no words", lambda g: ({},)),
    ],
    hints=[
        "Two loops: over the words with their counts, and over the places in a word where a symbol has a neighbour on its right.",
        "zip(word, word[1:]) gives all pairs of neighbours of a word.",
        "A word that occurs 5 times brings each of its pairs 5 times.",
    ],
)


@count_pairs.variants
def steps(words, *, pairs=pairwise, count=lambda counts, pair, n: counts.get(pair, 0) + n):
    counts = {}
    for word, n in words.items():
        for pair in pairs(word):
            counts[pair] = count(counts, pair, n)
    return counts


steps.mistake(
    "You count each word once. The table says how often a word occurs: each of its pairs occurs that often, too.",
    count=lambda counts, pair, n: counts.get(pair, 0) + 1,
)
steps.mistake(
    "A pair that stands twice in a word counts once with you. Count every place, not every word that holds the pair.",
    pairs=lambda word: set(pairwise(word)),
)
steps.mistake(
    "A later word overwrites what earlier words counted. Add to the count of the pair: counts[pair] += n.",
    count=lambda counts, pair, n: n,
)
steps.mistake(
    "You skip from pair to pair, two symbols at a time. Neighbours overlap: in l o w, both (l, o) and (o, w) are pairs.",
    pairs=lambda word: list(pairwise(word))[::2],
)
steps.mistake(
    "The last pair of each word is missing. A word of k symbols has k − 1 pairs: range(len(word) - 1).",
    pairs=lambda word: pairwise(word[:-1]),
)
steps.mistake("The first pair of each word is missing: begin at index 0.", pairs=lambda word: pairwise(word[1:]))
steps.mistake(
    "You count single symbols. What is merged is a pair: count a symbol together with its right neighbour.",
    pairs=lambda word: word,
)
steps.mistake(
    "Your pairs are glued together into one text. Keep the two symbols apart, as a tuple: from “anana” one can't tell (an, ana) from (ana, na).",
    pairs=lambda word: map("".join, pairwise(word)),
)
steps.mistake(
    "You count each pair in both orders. Only neighbours from left to right are a pair: (a, n) isn't (n, a).",
    pairs=lambda word: [*pairwise(word), *pairwise(word[::-1])],
)
steps.mistake(
    "You sort the two symbols of a pair, so that (n, a) is counted as (a, n). Their order matters.",
    pairs=lambda word: [tuple(sorted(pair)) for pair in pairwise(word)],
)
steps.mistake(
    "Your code stops with an IndexError: the last symbol has no neighbour on its right. A word of k symbols has k − 1 pairs: range(len(word) - 1).",
    pairs=lambda word: [(word[i], word[i + 1]) for i in range(len(word))],
)
steps.mistake(
    "Your code stops with a KeyError: += needs a count to add to, and a new pair has none. Use counts.get(pair, 0) + n, or a Counter, which begins at 0.",
    count=lambda counts, pair, n: counts[pair] + n,
)
steps.mistake(
    "A list can't be a key of a dictionary, since it may change. Make the pair a tuple: (left, right).",
    pairs=lambda word: map(list, pairwise(word)),
)
steps.mistake(
    "When a pair comes for the first time you set its count, but to 0 or 1. It comes n times, as often as its word: begin with 0 and add n.",
    count=lambda counts, pair, n: counts[pair] + n if pair in counts else 1,
)


steps.mistake(
    "counts.get(pair) is None for a pair that isn't there yet, and None can't be added to. Say what to begin with: counts.get(pair, 0).",
    count=lambda counts, pair, n: counts.get(pair) + n,
)
steps.mistake(
    "When a pair comes again, its count stays as it was the first time. Add n each time.",
    count=lambda counts, pair, n: counts.get(pair, n),
)
steps.mistake(
    "Of all counts of a pair you keep the largest. Add them up.",
    count=lambda counts, pair, n: max(counts.get(pair, 0), n),
)
steps.mistake(
    "You count with n · n. Each place counts n, as often as the word occurs.",
    count=lambda counts, pair, n: counts.get(pair, 0) + n * n,
)
steps.mistake(
    "Your counts are one too large for each pair: begin with 0, not with 1.",
    count=lambda counts, pair, n: counts.get(pair, 1) + n,
)
steps.mistake(
    "You begin a pair's count with n and then add n again. Begin with 0.",
    count=lambda counts, pair, n: counts.get(pair, n) + n,
)
steps.mistake(
    "Your pair is a word's first and last symbol. Neighbours are meant: each symbol with the one right after it.",
    pairs=lambda word: [(word[0], word[-1])],
)
steps.mistake(
    "Only the last pair of each word is counted. Does the line that counts stand inside the inner loop?",
    pairs=lambda word: [*pairwise(word)][-1:],
)
steps.mistake(
    "Only the first pair of each word is counted. Go on to the end of the word.",
    pairs=lambda word: [*pairwise(word)][:1],
)
steps.mistake(
    "word[i : i + 2] holds a single symbol at the last place. Stop before it: range(len(word) - 1).",
    pairs=lambda word: [word[i : i + 2] for i in range(len(word))],
)
steps.mistake(
    "You count the last symbol once more, with nothing behind it. A word of k symbols has k − 1 pairs.",
    pairs=lambda word: [*pairwise([*word, ""])],
)
steps.mistake(
    "You count the pairs of all letters, also inside of merged symbols. Count the symbols as they stand in the tuple.",
    pairs=lambda word: pairwise([letter for symbol in word for letter in symbol.removesuffix("</w>")]),
)
steps.mistake(
    "You add one of the word's symbols, or the word, to a count. How often the word occurs is n, in words.items().",
    count=lambda counts, pair, n: counts.get(pair, 0) + pair[1],
)
steps.mistake(
    "You add the word to a count. How often it occurs is its value in the table: for word, n in words.items().",
    count=lambda counts, pair, n: counts.get(pair, 0) + pair,
)
steps.mistake(
    "range takes a number, and a word is a tuple: range(len(word) - 1).",
    pairs=lambda word: [(word[i], word[i + 1]) for i in range(word)],
)
steps.mistake(
    "A word is a tuple and can't be a factor. How often it occurs is its value in the table: for word, n in words.items().",
    pairs=lambda word: [*pairwise(word)] * word,
)
steps.mistake(
    "You look for a symbol that isn't there, such as pair[2]. A pair has two, pair[0] and pair[1], and a word has len(word).",
    pairs=lambda word: [(pair[0], pair[2]) for pair in pairwise(word)],
)
steps.mistake(
    "You count all pairs of symbols of a word. Only neighbours are merged: a symbol and the one right after it.",
    pairs=lambda word: combinations(word, 2),
)
steps.mistake(
    "You count a pair of the last symbol and the first: at i = 0, word[i - 1] is the last one, since Python counts from the end, and % begins anew. The last symbol has no neighbour on its right.",
    pairs=lambda word: [(word[i - 1], word[i]) for i in range(len(word))],
)
steps.mistake(
    "You join the word's symbols into one text first. Then letters are counted, and </w> falls apart. Count the symbols as they stand in the tuple.",
    pairs=lambda word: pairwise("".join(word)),
)
steps.mistake(
    "The pairs are the wrong way round: (left, right), as they stand in the word.",
    pairs=lambda word: [(right, left) for left, right in pairwise(word)],
)
steps.mistake(
    "Your pairs are symbols two places apart. Neighbours are word[i] and word[i + 1].",
    pairs=lambda word: zip(word, word[2:]),
)
steps.mistake(
    "zip(word, word) pairs each symbol with itself. Its neighbour comes from word[1:].",
    pairs=lambda word: zip(word, word),
)
steps.mistake(
    "You count each pair n times its word's length. Each place counts n.",
    pairs=lambda word: [*pairwise(word)] * len(word),
)
steps.mistake(
    "You take the </w> off. It belongs to the symbol: t at the end of a word is another symbol than t inside.",
    pairs=lambda word: pairwise([symbol.removesuffix("</w>") for symbol in word]),
)
steps.mistake("You use three symbols in a row. A pair has two.", pairs=lambda word: zip(word, word[1:], word[2:]))


steps.mistake(
    "When a pair comes for the first time you only set its count to 0, so that place isn't counted. It comes n times already: begin with n.",
    count=lambda counts, pair, n: counts[pair] + n if pair in counts else 0,
)
steps.mistake(
    "word.index(symbol) finds the first place where the symbol stands, not the one where you are. Count the places: range(len(word) - 1), or zip(word, word[1:]).",
    pairs=lambda word: [(symbol, word[word.index(symbol) + 1]) for symbol in word[:-1]],
)
steps.mistake(
    "A pair of two equal symbols isn't counted. (a, a) is a pair like any other.",
    pairs=lambda word: [pair for pair in pairwise(word) if pair[0] != pair[1]],
)
steps.mistake(
    "Between two equal symbols you count nothing, or the word loses symbols that stand twice: did you make a set of it? Take the word as it is.",
    pairs=lambda word: pairwise(dict.fromkeys(word)),
)
steps.mistake(
    "The word is sorted first, so others become neighbours. Take the symbols in their order.",
    pairs=lambda word: pairwise(sorted(word)),
)
steps.mistake(
    "You count each pair once more than it occurs: n + 1 at each place. Each place counts n.",
    count=lambda counts, pair, n: counts.get(pair, 0) + n + 1,
)
steps.mistake("You multiply the counts. Add n at each place.", count=lambda counts, pair, n: counts.get(pair, 1) * n)
steps.mistake(
    "You join the symbols by a space before you count: then the spaces are counted as well.",
    pairs=lambda word: pairwise(" ".join(word)),
)


def without_overlap(word):
    i = 0
    while i < len(word) - 1:
        yield word[i], word[i + 1]
        i += 2 if word[i : i + 3] == (word[i],) * 3 else 1


steps.mistake(
    "In a a a, the pair (a, a) stands twice: at the first place and at the second. You take it once. Count every place where a symbol has a neighbour.",
    pairs=without_overlap,
)


@count_pairs.mistake(
    "You count pairs across the border of two words. A merge never joins two words: begin anew with each."
)
def across_words(words):
    before = [(), *(word[-1:] for word in words)]
    return _count_pairs({(*last, *word): n for last, (word, n) in zip(before, words.items())})


@count_pairs.mistake(
    "A dictionary gives its keys alone: `for word, n in words` takes each word apart. Write words.items()."
)
def keys_alone(words):
    counts = Counter()
    for word, n in words:
        counts.update(dict.fromkeys(pairwise(word), n))
    return counts


@count_pairs.mistake(
    "`words` is a dictionary, and words[0] looks for a word called 0. Its words with their counts come from words.items()."
)
def places_for_keys(words):
    return {pair: words[i] for i, word in enumerate(words) for pair in pairwise(word)}


@count_pairs.mistake(
    "A pair begins with n, as it should, but when it comes again you add 1. Each place counts n, as often as the word occurs."
)
def one_for_each_further_place(words):
    counts = {}
    for word, n in words.items():
        for pair in pairwise(word):
            counts[pair] = counts[pair] + 1 if pair in counts else n
    return counts


@count_pairs.mistake("You return after the first word. `return` belongs behind the loop, not inside it.")
def returns_in_the_loop(words):
    return _count_pairs(dict([*words.items()][:1]))


@count_pairs.mistake("A Counter can't be multiplied by a number. Add n to the count of each pair: counts[pair] += n.")
def counter_times_number(words):
    for word, n in words.items():
        Counter(pairwise(word)) * n
    return {}


@count_pairs.symptom("Pairs that don't occur are in your dictionary, with 0. Count only those that stand side by side.")
def zeros(inputs, answer):
    return 0 in answer.values()


@count_pairs.symptom(
    "One of your pairs has nothing on one side. The last symbol of a word has no neighbour on its right, and a word of one symbol has no pair."
)
def half_a_pair(inputs, answer):
    return any("" in pair or None in pair for pair in answer if isinstance(pair, tuple))


@count_pairs.symptom("All your counts are too large, or too small, by the same factor. Each place counts n, once.")
def a_factor_too_many(inputs, answer):
    right = _count_pairs(*inputs)
    factors = {answer[pair] / n for pair, n in right.items()}
    if answer.keys() == right.keys() and len(factors) == 1 and len(right) > 1:
        return f"All your counts are {factors.pop():.3g} times what they should be. Each place counts n, once."


@count_pairs.symptom(
    "All your pairs have the same count. Each pair's count is its own: add n to it at each of its places."
)
def all_the_same(inputs, answer):
    return len({*answer.values()}) == 1 < len({*_count_pairs(*inputs).values()})


@count_pairs.symptom(
    "The counts are those of other words. How often a word occurs is its own value: for word, n in words.items()."
)
def counts_of_others(inputs, answer):
    (words,) = inputs
    orders = (sorted(words.values()), sorted(words.values())[::-1], [*words.values()][::-1])
    return any(answer == _count_pairs(dict(zip(words, order))) for order in orders)


@count_pairs.symptom(
    "One of your pairs begins with the end of a word, </w>: it reaches across the border to the next word. A merge never joins two words."
)
def reaches_across(inputs, answer):
    return any(isinstance(pair, tuple) and str(pair[0]).endswith("</w>") for pair in answer)


@count_pairs.mistake(
    "Only the last word's pairs come back: the counts begin anew with each word. Make the dictionary once, before the loops."
)
def begins_anew(words):
    return _count_pairs(dict([*words.items()][-1:]))


@count_pairs.symptom("Your pairs are places in the word, such as (0, 1). The symbols that stand there are asked for.")
def places_for_symbols(inputs, answer):
    return all(isinstance(i, int) for pair in answer for i in pair)


@count_pairs.symptom(
    "Some of your counts aren't whole numbers: you divide by something. Each place counts n, as often as the word occurs."
)
def divided(inputs, answer):
    return any(isinstance(n, float) and n != round(n) for n in answer.values())


@count_pairs.symptom("Some keys aren't pairs: two symbols each, (left, right).")
def keys_are_no_pairs(inputs, answer):
    return any(isinstance(key, tuple) and len(key) != 2 for key in answer)


@count_pairs.symptom(
    "Some of your pairs stand nowhere side by side in a word, left before right. Only such neighbours are counted."
)
def no_neighbours(inputs, answer):
    return any(isinstance(key, tuple) for key in answer.keys() - _count_pairs(*inputs).keys())


@count_pairs.symptom(
    "Some pairs are missing: each symbol but the last of each word begins one. Does a loop end too early, by a break, a return or its range?"
)
def some_are_missing(inputs, answer):
    return bool(answer) and answer.keys() < _count_pairs(*inputs).keys()


@count_pairs.mistake(
    "You count with the number of the word in the table, 0, 1, 2 … How often a word occurs is its value: words.items()."
)
def places_for_counts(words):
    return _count_pairs({word: i for i, word in enumerate(words)})


@count_pairs.mistake("You return after the first pair. `return` belongs behind both loops, not inside of them.")
def returns_in_both_loops(words):
    for word, n in words.items():
        for pair in pairwise(word):
            return {pair: n}


@count_pairs.mistake("Pairs that occur once are left out. They belong into the dictionary, too.")
def only_frequent(words):
    return {pair: n for pair, n in _count_pairs(words).items() if n > 1}


@count_pairs.mistake("Only the most frequent pair comes back. All of them are asked for, each with its count.")
def only_the_most_frequent(words):
    return dict(Counter(_count_pairs(words)).most_common(1))


@count_pairs.mistake("These are shares: you divide by the sum. The counts themselves are asked for.")
def shares(words):
    counts = _count_pairs(words)
    return {pair: n / sum(counts.values()) for pair, n in counts.items()}


@count_pairs.mistake(
    "You count in how many different words a pair stands. Each place counts, and a word counts n times."
)
def different_words(words):
    return dict(Counter(pair for word in words for pair in {*pairwise(word)}))


@count_pairs.mistake("Your dictionary is turned over: counts as keys, pairs as values. The pair is the key.")
def turned_over(words):
    return {n: pair for pair, n in _count_pairs(words).items()}


@count_pairs.mistake("For each pair you return a list of the counts. Add them up: one number for each pair.")
def lists_of_counts(words):
    counts = {}
    for word, n in words.items():
        for pair in pairwise(word):
            counts.setdefault(pair, []).append(n)
    return counts


@count_pairs.mistake(
    "You count with the number of words in the table, len(words). How often a word occurs is its value: words.items()."
)
def size_of_the_table(words):
    return _count_pairs(dict.fromkeys(words, len(words)))


@count_pairs.mistake("Words that occur once are left out. Their pairs count, too.")
def without_single_words(words):
    return _count_pairs({word: n for word, n in words.items() if n > 1})


@count_pairs.mistake(
    "You count in the joined text, with .count: that finds letters inside of other symbols, and misses places that overlap. Count the neighbours in the tuple."
)
def count_of_texts(words):
    counts = Counter()
    for word, n in words.items():
        for pair in {*pairwise(word)}:
            counts[pair] += n * "".join(word).count("".join(pair))
    return counts


@count_pairs.mistake("Of all counts of a pair you keep the smallest. Add them up.")
def smallest(words):
    counts = {}
    for word, n in words.items():
        for pair in pairwise(word):
            counts[pair] = min(counts.get(pair, n), n)
    return counts


@count_pairs.mistake("Words of two symbols are left out. They have one pair.")
def long_words_alone(words):
    return _count_pairs({word: n for word, n in words.items() if len(word) > 2})


@count_pairs.mistake("The first word is counted twice. Go through each word once.")
def first_word_twice(words):
    counts = Counter(_count_pairs(words))
    counts.update(_count_pairs(dict([*words.items()][:1])))
    return counts
