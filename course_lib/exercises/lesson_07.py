"""Lesson 07, Subwords: byte-pair encoding, learnt and applied; WordPiece."""

from collections import Counter

from course_lib.checking.kinds import Case, Code, Number, Prediction
from course_lib.exercises.inputs import integer
from course_lib.tokenizers import naive_bpe

NAME = "07_subwords"
TITLE = "Subwords"

# --- predictions ------------------------------------------------------------------------------------------------------

unknown_words = Prediction(
    title="Unknown words",
    question="A vocabulary holds every word of Python's manual. Now it reads other texts by the same people about the same things, the docstrings of the standard library. What share of the different words in them does it not know?",
    options=["below 5 %", "about 15 %", "about 35 %", "more than half"],
    answer="more than half",
    why="Most of the different words of a text occur once or twice, and other texts have other rare words.",
)
first_merge = Prediction(
    title="The first merge",
    question="Byte-pair encoding over bytes reads Python's manual, the text as it stands. Which pair of bytes does it merge first?",
    options=["t and h", "a space and t", "e and a space", "a space and a space"],
    answer="a space and a space",
    why="The manual is full of indented code and lists. Counting knows nothing of what is interesting.",
)
twice_the_vocabulary = Prediction(
    title="Twice the vocabulary",
    question="A tokenizer of 2,000 tokens cuts the manual into some number of tokens. Another one has 4,000. How many tokens does it make of the same text?",
    options=["half as many", "about a third fewer", "about an eighth fewer", "just as many"],
    answer="about an eighth fewer",
    why="The frequent words are whole tokens already. Each further token is rarer than those before it and saves less.",
)
other_languages = Prediction(
    title="Other languages",
    question="A tokenizer over bytes has learnt from English. The same names of countries, months and currencies are written in 17 languages. How many times as many tokens as English does the most expensive language need?",
    options=["as many", "about twice as many", "about 5 times as many", "about 20 times as many"],
    answer="about 5 times as many",
    why="Letters of Hindi and Thai take three bytes each, and no merge was learnt for any of them.",
)

# --- words, spelled -----------------------------------------------------------------------------------------------------

LETTERS = "aenrst"


def _word(g, longest: int = 8, letters: str = LETTERS) -> tuple[str, ...]:
    """A random word in symbols, the last one with the end-of-word mark."""
    drawn = [letters[integer(g, 0, len(letters) - 1)] for _ in range(integer(g, 1, longest))]
    return (*drawn[:-1], drawn[-1] + "</w>")


def _table(g, size: int, letters: str = LETTERS, longest: int = 8, merged: bool = True) -> dict[tuple[str, ...], int]:
    """Different words with counts; where `merged`, a few symbols have been merged already."""
    table, seen = {}, set()
    while len(table) < size:
        word = _word(g, longest, letters)
        if (
            word in seen
        ):  # never one word in two spellings: when merges make them the same, their counts would have to be added
            continue
        seen.add(word)
        if merged and len(word) > 3 and integer(g, 0, 2) == 0:
            word = (word[0] + word[1], *word[2:])
        table[word] = integer(g, 1, 9)
    return table


def _twins(g) -> tuple:
    """Words in which a symbol stands three times in a row."""
    letter, other = "ab" if integer(g, 0, 1) else "ba"
    return {
        (other, letter, letter, letter, letter + "</w>"): integer(g, 2, 5),
        (letter, letter, letter, other + "</w>"): integer(g, 2, 5),
        ("a", "b", "a</w>"): integer(g, 1, 9),
    }


# --- 1. count the pairs ---------------------------------------------------------------------------------------------------


def _count_pairs(words):
    counts = Counter()
    for word, n in words.items():
        for pair, times in naive_bpe.count_pairs(word).items():
            counts[pair] += n * times
    return dict(counts)


count_pairs = Code(
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


# --- 2. merge one pair -----------------------------------------------------------------------------------------------------


def _merge_pair(word, pair):
    return naive_bpe.merge(word, pair, pair[0] + pair[1])


def _with_pair(g, places: int) -> tuple:
    """A word of other letters with the pair (t, h) at some places."""
    word = []
    for _ in range(places):
        word += [LETTERS[integer(g, 0, 3)] for _ in range(integer(g, 1, 3))] + ["t", "h"]
    return tuple([*word, "e</w>"]), ("t", "h")


merge_pair = Code(
    title="Merge a pair",
    points=2, minutes=8, difficulty=2,
    reference=_merge_pair,
    axes=["symbols"],
    cases=[
        Case("once", lambda g: _with_pair(g, 1)),
        Case("several times", lambda g: _with_pair(g, integer(g, 2, 4))),
        Case("at the beginning", lambda g: (("t", "h", LETTERS[integer(g, 0, 3)], "n</w>"), ("t", "h"))),
        Case("at the end", lambda g: ((LETTERS[integer(g, 0, 3)], "e", "s</w>"), ("e", "s</w>"))),
        Case("the whole word", lambda g: (("a", "n</w>"), ("a", "n</w>"))),
        Case("nowhere", lambda g: (_word(g, 6), ("x", "y"))),
        Case("one half of it only", lambda g: (("h", "t", LETTERS[integer(g, 0, 3)], "t</w>"), ("t", "h"))),
        Case("three in a row", lambda g: (("x",) * integer(g, 0, 2) + ("a", "a", "a", "b</w>"), ("a", "a"))),
        Case("five in a row", lambda g: (("a",) * 5 + (LETTERS[integer(g, 1, 5)] + "</w>",), ("a", "a"))),
        Case("symbols merged before", lambda g: (("th", "e", "r", "e", "a" * integer(g, 1, 3), "r", "e</w>"), ("r", "e"))),
        Case("letters that only look like the pair", lambda g: (("t", "he", "th", "t", "h", "ht" * integer(g, 1, 2), "h</w>"), ("t", "h"))),
        Case("the same letters, cut elsewhere", lambda g: (("x",) * integer(g, 1, 2) + ("a", "bc", "ab", "c", "bab", "c", "a", "b", "c</w>"), ("ab", "c"))),
        Case("signs", lambda g: (("a", "b", *"..+"[: integer(g, 1, 3)], ".", "b", "(", "b</w>"), (".", "b"))),
        Case("many symbols", lambda g: (tuple("ab"[integer(g, 0, 1)] for _ in range(30)), ("a", "b"))),
        Case("an empty word", lambda g: ((), ("a", "b"))),
        Case("one symbol", lambda g: (("a</w>",), ("a", "b"))),
    ],
    hints=[
        "Walk through the word with an index. At each place: does the pair begin here?",
        "If it does, append the new symbol and move on by two, else append the symbol and move on by one. Which loop lets you do that?",
        "A `while i < len(word)` loop. At the last symbol there is no word[i + 1]: ask for i + 1 < len(word) first.",
    ],
)  # fmt: skip


@merge_pair.mistake("You merge the first place only. The pair is merged wherever it stands.")
def first_place_only(word, pair):
    for i in range(len(word) - 1):
        if (word[i], word[i + 1]) == tuple(pair):
            return [*word[:i], pair[0] + pair[1], *word[i + 2 :]]
    return list(word)


@merge_pair.mistake("After a merge you move on by one, so the pair's second symbol is still there. Jump over both.")
def keeps_the_second(word, pair):
    merged, i = [], 0
    while i < len(word):
        if i + 1 < len(word) and (word[i], word[i + 1]) == tuple(pair):
            merged.append(pair[0] + pair[1])
        else:
            merged.append(word[i])
        i += 1
    return merged


@merge_pair.mistake("The last symbol of the word gets lost when it isn't part of the pair.")
def loses_the_last(word, pair):
    merged, i = [], 0
    while i < len(word) - 1:
        if (word[i], word[i + 1]) == tuple(pair):
            merged.append(pair[0] + pair[1])
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return merged


@merge_pair.mistake(
    "Your code stops with an IndexError: at the last symbol there is no neighbour. Ask for i + 1 < len(word) before you look at word[i + 1]."
)
def looks_past_the_end(word, pair):
    merged, i = [], 0
    while i < len(word):
        if (word[i], word[i + 1]) == tuple(pair):
            merged.append(pair[0] + pair[1])
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return merged


@merge_pair.mistake(
    "You glue the letters of the word together and replace in the text. That also merges letters that are no symbols by themselves, or belong to others. Compare symbol with symbol."
)
def replaces_letters(word, pair):
    text, new = "".join(word), pair[0] + pair[1]
    merged, i = [], 0
    while i < len(text):
        if text.startswith(new, i):
            merged.append(new)
            i += len(new)
        elif text.startswith("</w>", i) and merged:
            merged[-1] += "</w>"
            i += 4
        else:
            merged.append(text[i])
            i += 1
    return merged


@merge_pair.mistake("You merge from right to left: of a a a that leaves a aa. Begin on the left, so that it is aa a.")
def from_the_right(word, pair):
    merged, i = [], len(word) - 1
    while i >= 0:
        if i > 0 and (word[i - 1], word[i]) == tuple(pair):
            merged.append(pair[0] + pair[1])
            i -= 2
        else:
            merged.append(word[i])
            i -= 1
    return merged[::-1]


@merge_pair.mistake("You put the pair into the word as a tuple. The new symbol is one text: left + right.")
def keeps_a_tuple(word, pair):
    merged, i = [], 0
    while i < len(word):
        if i + 1 < len(word) and (word[i], word[i + 1]) == tuple(pair):
            merged.append(tuple(pair))
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return merged


@merge_pair.mistake("You merge as soon as the first symbol fits. Both have to: this symbol and the one after it.")
def only_the_first_fits(word, pair):
    merged, i = [], 0
    while i < len(word):
        if i + 1 < len(word) and word[i] == pair[0]:
            merged.append(word[i] + word[i + 1])
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return merged


@merge_pair.mistake(
    "You merge the two symbols in either order. The pair (t, h) is a t followed by an h; h followed by t stays."
)
def either_order(word, pair):
    merged, i = [], 0
    while i < len(word):
        if i + 1 < len(word) and {word[i], word[i + 1]} == set(pair):
            merged.append(word[i] + word[i + 1])
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return merged


@merge_pair.mistake("The new symbol is left + right; yours has the two the other way round.")
def turned_round(word, pair):
    merged, i = [], 0
    while i < len(word):
        if i + 1 < len(word) and (word[i], word[i + 1]) == tuple(pair):
            merged.append(pair[1] + pair[0])
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return merged


@merge_pair.mistake(
    "You glue the two neighbours together and compare that with the glued pair. But (a, bc) and (ab, c) give the same text: compare each symbol with its own."
)
def compares_glued(word, pair):
    merged, i = [], 0
    while i < len(word):
        if i + 1 < len(word) and word[i] + word[i + 1] == pair[0] + pair[1]:
            merged.append(word[i] + word[i + 1])
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return merged


@merge_pair.mistake(
    "You join the symbols with spaces and replace in that text. There “r e” is found in “er e” as well, where r isn't a symbol of its own. Compare symbol with symbol."
)
def replaces_with_spaces(word, pair):
    return " ".join(word).replace(" ".join(pair), "".join(pair)).split()


@merge_pair.mistake(
    "The word is a tuple, and a tuple can't be changed. Leave it as it is, and build a new list of symbols."
)
def changes_the_tuple(word, pair):
    i = 0
    while i < len(word) - 1:
        if (word[i], word[i + 1]) == tuple(pair):
            word[i : i + 2] = [pair[0] + pair[1]]
        i += 1
    return list(word)


@merge_pair.mistake(
    "You return the word as one text. What comes back is a list of symbols, so that the next merge can go on with it."
)
def one_text(word, pair):
    return "".join(_merge_pair(word, pair))


# --- 3. learn the merges -----------------------------------------------------------------------------------------------------


def _learn_merges(words, num_merges):
    words, merges = dict(words), []
    while len(merges) < num_merges:
        counts = _count_pairs(words)
        if not counts:
            break
        pair = naive_bpe.most_frequent(counts)
        merged = Counter()
        for word, n in words.items():
            merged[tuple(_merge_pair(word, pair))] += n
        words = merged
        merges.append(pair)
    return merges


def _learn(words, num_merges, choose=None, count=_count_pairs, merge=_merge_pair, stop=lambda counts, pair: False):
    """The loop, with one thing done in another way."""
    choose = choose or naive_bpe.most_frequent
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
    return [naive_bpe.most_frequent(counts)] * num_merges if counts else []


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


# --- 4. encode a word ---------------------------------------------------------------------------------------------------------


def _encode_word(word, merges):
    word = list(word)
    for pair in merges:
        word = naive_bpe.merge(word, tuple(pair), pair[0] + pair[1])
    return word


def _merges(g, size: int, num_merges: int) -> list[tuple[str, str]]:
    """Learnt from random words. Each token is made by one merge only: with two, it matters whether one applies
    merge after merge or always the one of lowest rank, and both ways are right answers."""
    made = {}
    for pair in _learn_merges(_table(g, size, merged=False), num_merges):
        made.setdefault("".join(pair), pair)
    return list(made.values())


ORDER = [("r", "s"), ("e", "r"), ("t", "er"), ("n", "t"), ("e", "rs"), ("a", "n")]

encode_word = Code(
    title="Encode a word",
    points=2, minutes=10, difficulty=1,
    reference=_encode_word,
    axes=["tokens"],
    cases=[
        Case("a word of the training text", lambda g: (list(PAPER)[integer(g, 0, 3)], _learn_merges(PAPER, integer(g, 4, 10)))),
        Case("a new word", lambda g: (("l", "o", "w", "e", "s", "t</w>"), _learn_merges(PAPER, integer(g, 6, 10)))),
        Case("the same word, other merges", lambda g: (("l", "o", "w", "e", "s", "t</w>"), [("w", "e"), ("s", "t</w>"), ("o", "we")][: integer(g, 1, 3)])),
        Case("two merges want the same symbol", lambda g: ((*("aesn"[integer(g, 0, 3)] for _ in range(2)), "n", "t", "e", "r", "s", "a</w>"), ORDER)),
        Case("the longest token isn't reached", lambda g: (("x" * integer(g, 1, 3), "a", "b", "c", "d</w>"), [("b", "c"), ("a", "b"), ("ab", "c"), ("c", "d</w>")])),
        Case("a token made from its end", lambda g: (("n",) * integer(g, 1, 3) + ("a", "b", "c</w>"), [("b", "c</w>"), ("a", "bc</w>"), ("a", "b")])),
        Case("random words", lambda g: (_word(g, 10), _merges(g, 30, 14))),
        Case("a long word", lambda g: (tuple(LETTERS[integer(g, 0, 5)] for _ in range(40)), _merges(g, 40, 25))),
        Case("a pair several times", lambda g: (("n", "a") * integer(g, 2, 4) + ("s</w>",), [("n", "a"), ("na", "na"), ("a", "s</w>")])),
        Case("the same symbol in a row", lambda g: (("a",) * integer(g, 3, 7) + ("a</w>",), [("a", "a"), ("aa", "aa"), ("a", "a</w>")])),
        Case("three in a row", lambda g: (("b",) * integer(g, 0, 2) + ("a", "a", "a", "b</w>"), [("a", "a")])),
        Case("merges of merges", lambda g: (("s", "t", "r", "e", "s", "s", "e", "d" * integer(g, 1, 2), "</w>"), [("s", "t"), ("r", "e"), ("st", "re"), ("s", "s"), ("stre", "ss"), ("stress", "e")])),
        Case("no merges", lambda g: (_word(g), [])),
        Case("nothing fits", lambda g: (("x", "y", "z</w>"), [("a", "n"), ("e", "r" * integer(g, 1, 2))])),
        Case("one symbol", lambda g: (("a</w>",), ORDER)),
        Case("an empty word", lambda g: ((), ORDER)),
    ],
    hints=[
        "The word was taken apart in training, too. Do to it what training would have done: the same merges in the same order.",
        "merge_pair does one merge. Which list says what comes next?",
    ],
)  # fmt: skip


def _by_rule(word, merges, choose):
    """Merge one place at a time; `choose(places)` picks among (rank, index)."""
    word, rank = list(word), {tuple(pair): i for i, pair in enumerate(merges)}
    while True:
        places = [(rank[pair], i) for i, pair in enumerate(zip(word, word[1:])) if pair in rank]
        if not places:
            return word
        _, i = choose(places)
        word[i : i + 2] = [word[i] + word[i + 1]]


@encode_word.mistake(
    "You merge whatever fits first, reading from left to right. The merge that was learnt first goes first, wherever in the word it stands."
)
def left_to_right(word, merges):
    return _by_rule(word, merges, lambda places: min(places, key=lambda place: place[1]))


@encode_word.mistake(
    "You apply the merges from the last learnt to the first. Long tokens are made of short ones, so the first learnt go first."
)
def backwards(word, merges):
    word = list(word)
    for pair in reversed(merges):
        word = naive_bpe.merge(word, tuple(pair), pair[0] + pair[1])
    return word


@encode_word.mistake(
    "You prefer the merge that was learnt last. It's the other way round: the first learnt goes first."
)
def latest_first(word, merges):
    return _by_rule(word, merges, lambda places: max(places, key=lambda place: (place[0], -place[1])))


@encode_word.mistake(
    "You look for the longest token that fits, from the left. That is how WordPiece reads. Byte-pair encoding repeats the merges in the order in which they were learnt, and may never come to that token."
)
def longest_first(word, merges):
    known = {tuple(pair)[0] + tuple(pair)[1] for pair in merges}
    word, tokens = list(word), []
    while word:
        end = next((end for end in range(len(word), 1, -1) if "".join(word[:end]) in known), 1)
        tokens.append("".join(word[:end]))
        word = word[end:]
    return tokens


@encode_word.mistake("You stop after the first merge that fits. Go on until no learnt pair is left in the word.")
def one_merge(word, merges):
    for pair in merges:
        merged = naive_bpe.merge(list(word), tuple(pair), pair[0] + pair[1])
        if merged != list(word):
            return merged
    return list(word)


@encode_word.mistake("You apply each merge at its first place only. Each one is applied wherever its pair stands.")
def first_places(word, merges):
    word = list(word)
    for pair in merges:
        word = first_place_only(word, pair)
    return word


@encode_word.mistake(
    "You count pairs in this one word and merge the most frequent. The counting was done in training; encoding only repeats the merges."
)
def trains_again(word, merges):
    return (
        next((list(w) for w in [tuple(word)]), [])
        if len(word) < 2
        else _encode_word(word, _learn_merges({tuple(word): 1}, len(merges)))
    )


@encode_word.mistake("You return the word as it came: nothing is merged.")
def nothing_merged(word, merges):
    return list(word)


@encode_word.mistake("You return one text. What comes back is a list of tokens.")
def joined(word, merges):
    return " ".join(_encode_word(word, merges))


@encode_word.mistake(
    "You do the merges in alphabetical order. Their order in the list is the order in which they were learnt: keep it."
)
def alphabetical(word, merges):
    return _encode_word(word, sorted(tuple(pair) for pair in merges))


@encode_word.mistake("You lose the symbols that no merge takes. They are tokens, too.")
def only_merged(word, merges):
    return [token for token in _encode_word(word, merges) if token not in word]


# --- 5. two ways to choose ---------------------------------------------------------------------------------------------------------

pair_scores = Number(
    title="Two ways to choose a pair",
    points=2, minutes=6, difficulty=1,
    answer={"##n ##d": 5 / 60, "q ##u": 4 / 40},
    rtol=5e-3,  # worked out by hand: 0.083 is as good as 1 / 12
    wrong={
        "##n ##d": {
            5.0: "That is the count alone, what byte-pair encoding goes by. Divide it by both symbols' counts.",
            5 / 12: "You divide by the count of ##n alone. Divide by both.",
            1.0: "You divide by the count of ##d alone. Divide by both.",
            5 / 17: "You divide by the sum of the two counts. Divide by their product.",
            5 / 25: "##n stands in “ten” as well, not only in “end”. Count it in all words.",
            5 / 35: "##n stands in “end” as well, not only in “ten”. Count it in all words.",
            1 / 2: "You count each word once. The table says how often it occurs.",
        },
        "q ##u": {
            4.0: "That is the count alone, what byte-pair encoding goes by. Divide it by both symbols' counts.",
            1.0: "You divide by the count of q alone. Divide by both.",
            4 / 10: "You divide by the count of ##u alone. Divide by both.",
            4 / 14: "You divide by the sum of the two counts. Divide by their product.",
            4 / 24: "##u stands in “quit” as well, not only in “but”. Count it in all words.",
            4 / 16: "##u stands in “but” as well, not only in “quit”. Count it in all words.",
            1 / 2: "You count each word once. The table says how often it occurs.",
        },
    },
    hints=[
        "Three counts for each pair: the pair itself, its left symbol and its right symbol, in all words, each word as often as it occurs.",
        "##n stands in “end” and in “ten”: 5 + 7 times.",
    ],
)  # fmt: skip


# --- 6. WordPiece: longest match ------------------------------------------------------------------------------------------------

UNKNOWN = "[UNK]"


def _longest_match(word, vocab):
    tokens, start = [], 0
    while start < len(word):
        for end in range(len(word), start, -1):
            piece = word[start:end] if start == 0 else "##" + word[start:end]
            if piece in vocab:
                tokens.append(piece)
                start = end
                break
        else:
            return [UNKNOWN]
    return tokens


VOCAB = sorted(
    ["un", "under", "stand", "able", "believ", "to", "token", "tok", "play", "b", "u", "n", "##d", "##er", "##stand", "##able", "##believ", "##ken", "##ized", "##ize", "##iz",
     "##e", "##s", "##ing", "##play", "##un", "##n", "##i", "##r", "##bel", "##ieve", "##t"]
)  # fmt: skip


def _known_word(g) -> str:
    starts = [piece for piece in VOCAB if not piece.startswith("##")]
    goes_on = [piece[2:] for piece in VOCAB if piece.startswith("##")]
    return starts[integer(g, 0, len(starts) - 1)] + "".join(
        goes_on[integer(g, 0, len(goes_on) - 1)] for _ in range(integer(g, 2, 5))
    )


longest_match = Code(
    title="The longest match",
    points=3, minutes=12, difficulty=2,
    reference=_longest_match,
    axes=["tokens"],
    cases=[
        Case("in three pieces", lambda g: (["tokenized", "unplayable", "understands", "believable"][integer(g, 0, 3)] + ["s", "ing"][integer(g, 0, 1)], VOCAB)),
        Case("a longer piece wins", lambda g: ("unders" + "ing" * integer(g, 1, 2), VOCAB)),
        Case("a piece longer than all that begin a word", lambda g: ("un" * integer(g, 0, 1) + "unbelievable", ["un", "##un", "##believ", "##able", "##believable"])),
        Case("a random word of pieces", lambda g: (_known_word(g), VOCAB)),
        Case("another random word", lambda g: (_known_word(g) + _known_word(g), VOCAB)),
        Case("in the vocabulary as it is", lambda g: ("token", VOCAB)),
        Case("the same word, another vocabulary, a dictionary", lambda g: ("token", {"to": 0, "tok": 1, "##e": integer(g, 2, 9), "##en": 10, "##ken": 11, "##n": 12})),
        Case("a dead end after the longest piece", lambda g: (["abcd", "abcdcd"][integer(g, 0, 1)], ["a", "ab", "abc", "##bcd", "##cd"])),
        Case("unknown from the start", lambda g: (["xun", "ßplay"][integer(g, 0, 1)], VOCAB)),
        Case("known only inside a word", lambda g: (["sun", "tun", "tstand", "sable"][integer(g, 0, 3)], VOCAB)),
        Case("a capital letter", lambda g: (["Token", "playEr"][integer(g, 0, 1)], VOCAB)),
        Case("signs", lambda g: ("3x" + "5" * integer(g, 1, 2), ["3", "##.", "##5", "##.5", "##+"])),
        Case("unknown at the end", lambda g: (["unx", "tokenizedß", "playz"][integer(g, 0, 2)], VOCAB)),
        Case("unknown in the middle", lambda g: (["unxable", "playwing"][integer(g, 0, 1)], VOCAB)),
        Case("only as a beginning", lambda g: (["playto", "unb", "underu"][integer(g, 0, 2)], VOCAB)),
        Case("letter by letter", lambda g: ("n" * integer(g, 3, 6), VOCAB)),
        Case("an empty word", lambda g: ("", VOCAB)),
        Case("an empty vocabulary", lambda g: ("play" * integer(g, 1, 2), [])),
    ],
    hints=[
        "Stand at the start of the word. Try the whole rest first, then one letter less, and so on, until a piece is in the vocabulary.",
        "A piece that doesn't begin the word has ## in front when you look it up, and in the result.",
        "If not even one letter is found, the whole word is [\"[UNK]\"], whatever was found before.",
    ],
)  # fmt: skip


def _match(
    word,
    vocab,
    goes_on=lambda start: "" if start == 0 else "##",
    shortest=False,
    unknown=lambda tokens, rest: [UNKNOWN],
    written=None,
):
    tokens, start = [], 0
    while start < len(word):
        ends = range(start + 1, len(word) + 1) if shortest else range(len(word), start, -1)
        end = next((end for end in ends if goes_on(start) + word[start:end] in vocab), None)
        if end is None:
            return unknown(tokens, word[start:])
        tokens.append((goes_on if written is None else written)(start) + word[start:end])
        start = end
    return tokens


@longest_match.mistake(
    "You take the shortest piece that fits. Begin with the longest: the whole rest of the word, then one letter less."
)
def shortest_first(word, vocab):
    return _match(word, vocab, shortest=True)


@longest_match.mistake(
    "You look for the pieces inside a word without their ##. “able” at the beginning of a word and “##able” inside it are two different tokens."
)
def no_marks(word, vocab):
    return _match(word, vocab, goes_on=lambda start: "")


@longest_match.mistake("You find the pieces with their ##, but don't return it. The token is “##able”.")
def marks_lost(word, vocab):
    return _match(word, vocab, written=lambda start: "")


@longest_match.mistake(
    "You put ## before the first piece as well. It says that a piece goes on with a word; the first one begins it."
)
def marked_from_the_start(word, vocab):
    return _match(word, vocab, goes_on=lambda start: "##")


@longest_match.mistake(
    "You keep the pieces before the place that isn't known. As soon as one place fits nothing, the whole word is [UNK]."
)
def keeps_the_beginning(word, vocab):
    return _match(word, vocab, unknown=lambda tokens, rest: [*tokens, UNKNOWN])


@longest_match.mistake(
    "You drop what isn't known, so a reader can't see that something is missing. The whole word becomes [UNK]."
)
def drops_the_rest(word, vocab):
    return _match(word, vocab, unknown=lambda tokens, rest: tokens)


@longest_match.mistake("You skip a letter that isn't known and go on behind it. The whole word becomes [UNK].")
def skips_a_letter(word, vocab):
    tokens, start = [], 0
    while start < len(word):
        mark = "" if start == 0 else "##"
        end = next((end for end in range(len(word), start, -1) if mark + word[start:end] in vocab), None)
        if end is None:
            start += 1
        else:
            tokens.append(mark + word[start:end])
            start = end
    return tokens


@longest_match.mistake("You put one [UNK] in the place of each unknown letter. The whole word becomes a single [UNK].")
def unknown_letters(word, vocab):
    tokens, start = [], 0
    while start < len(word):
        mark = "" if start == 0 else "##"
        end = next((end for end in range(len(word), start, -1) if mark + word[start:end] in vocab), None)
        tokens.append(UNKNOWN if end is None else mark + word[start:end])
        start = start + 1 if end is None else end
    return tokens


@longest_match.mistake(
    "When a piece leads into a dead end you try a shorter one. WordPiece doesn't go back: once it has taken the longest piece, it stays with it, and the word is [UNK]."
)
def goes_back(word, vocab):
    def ways(start):
        if start == len(word):
            return []
        for end in range(len(word), start, -1):
            piece = ("" if start == 0 else "##") + word[start:end]
            if piece in vocab:
                rest = ways(end)
                if rest is not None:
                    return [piece, *rest]
        return None

    found = ways(0)
    return [UNKNOWN] if found is None else found


@longest_match.mistake("You return the word as one text with spaces. Return a list of tokens.")
def as_text(word, vocab):
    return " ".join(_longest_match(word, vocab))


@longest_match.mistake(
    'For a word that isn\'t known you return “[UNK]” as a text. A list comes back in every case: ["[UNK]"].'
)
def unknown_as_text(word, vocab):
    found = _longest_match(word, vocab)
    return UNKNOWN if found == [UNKNOWN] else found


@longest_match.mistake("You read from the end of the word. The longest piece is taken from the front.")
def from_the_end(word, vocab):
    tokens, end = [], len(word)
    while end > 0:
        start = next((start for start in range(end) if ("" if start == 0 else "##") + word[start:end] in vocab), None)
        if start is None:
            return [UNKNOWN]
        tokens.insert(0, ("" if start == 0 else "##") + word[start:end])
        end = start
    return tokens
