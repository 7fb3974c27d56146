"""A word into tokens by byte-pair encoding: the learnt merges, one after another, in the order in which they were learnt."""

from itertools import pairwise

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer
from course_lib.exercises.lesson_07.learn_merges import learn_merges
from course_lib.exercises.lesson_07.merge_pair import first_place_only, merge_pair
from course_lib.exercises.lesson_07.words import LETTERS, PAPER, random_word, word_table

ORDER = [("r", "s"), ("e", "r"), ("t", "er"), ("n", "t"), ("e", "rs"), ("a", "n")]


def _encode_word(word, merges):
    for pair in merges:
        word = merge_pair.reference(word, tuple(pair))
    return list(word)


def _merges(g, size: int, num_merges: int) -> list[tuple[str, str]]:
    """Learnt from random words. Each token is made by one merge only: with two, it matters whether one applies
    merge after merge or always the one of lowest rank, and both ways are right answers."""
    made = {}
    for pair in learn_merges.reference(word_table(g, size, merged=False), num_merges):
        made.setdefault("".join(pair), pair)
    return list(made.values())


def _of_the_paper(g, low, high):
    return learn_merges.reference(PAPER, integer(g, low, high))


encode_word = Code(
    "07.encode_word",
    title="Encode a word",
    points=2,
    minutes=10,
    difficulty=1,
    reference=_encode_word,
    axes=["tokens"],
    cases=[
        Case("a word of the training text", lambda g: (list(PAPER)[integer(g, 0, 3)], _of_the_paper(g, 4, 10))),
        Case("a new word", lambda g: (("l", "o", "w", "e", "s", "t</w>"), _of_the_paper(g, 6, 10))),
        Case(
            "the same word, other merges",
            lambda g: (
                ("l", "o", "w", "e", "s", "t</w>"),
                [("w", "e"), ("s", "t</w>"), ("o", "we")][: integer(g, 1, 3)],
            ),
        ),
        Case(
            "two merges want the same symbol",
            lambda g: ((*("aesn"[integer(g, 0, 3)] for _ in range(2)), "n", "t", "e", "r", "s", "a</w>"), ORDER),
        ),
        Case(
            "the longest token isn't reached",
            lambda g: (
                ("x" * integer(g, 1, 3), "a", "b", "c", "d</w>"),
                [("b", "c"), ("a", "b"), ("ab", "c"), ("c", "d</w>")],
            ),
        ),
        Case(
            "a token made from its end",
            lambda g: (("n",) * integer(g, 1, 3) + ("a", "b", "c</w>"), [("b", "c</w>"), ("a", "bc</w>"), ("a", "b")]),
        ),
        Case("random words", lambda g: (random_word(g, 10), _merges(g, 30, 14))),
        Case("a long word", lambda g: (tuple(LETTERS[integer(g, 0, 5)] for _ in range(40)), _merges(g, 40, 25))),
        Case(
            "a pair several times",
            lambda g: (("n", "a") * integer(g, 2, 4) + ("s</w>",), [("n", "a"), ("na", "na"), ("a", "s</w>")]),
        ),
        Case(
            "the same symbol in a row",
            lambda g: (("a",) * integer(g, 3, 7) + ("a</w>",), [("a", "a"), ("aa", "aa"), ("a", "a</w>")]),
        ),
        Case("three in a row", lambda g: (("b",) * integer(g, 0, 2) + ("a", "a", "a", "b</w>"), [("a", "a")])),
        Case(
            "merges of merges",
            lambda g: (
                ("s", "t", "r", "e", "s", "s", "e", "d" * integer(g, 1, 2), "</w>"),
                [("s", "t"), ("r", "e"), ("st", "re"), ("s", "s"), ("stre", "ss"), ("stress", "e")],
            ),
        ),
        Case("no merges", lambda g: (random_word(g), [])),
        Case("nothing fits", lambda g: (("x", "y", "z</w>"), [("a", "n"), ("e", "r" * integer(g, 1, 2))])),
        Case("one symbol", lambda g: (("a</w>",), ORDER)),
        Case("an empty word", lambda g: ((), ORDER)),
    ],
    hints=[
        "The word was taken apart in training, too. Do to it what training would have done: the same merges in the same order.",
        "merge_pair does one merge. Which list says what comes next?",
    ],
)


@encode_word.variants
def steps(word, merges, *, order=list, merge=merge_pair.reference):
    for pair in order(merges):
        word = tuple(merge(word, pair))
    return list(word)


steps.mistake(
    "You apply the merges from the last learnt to the first. Long tokens are made of short ones, so the first learnt go first.",
    order=reversed,
)
steps.mistake(
    "You apply each merge at its first place only. Each one is applied wherever its pair stands.",
    merge=first_place_only,
)
steps.mistake("You return the word as it came: nothing is merged.", merge=lambda word, pair: word)
steps.mistake(
    "You do the merges in alphabetical order. Their order in the list is the order in which they were learnt: keep it.",
    order=sorted,
)


@encode_word.variants
def place_by_place(word, merges, *, choose=min):
    """The other way to say it: of all (rank, index) where a learnt pair stands, the lowest rank is merged."""
    word, rank = list(word), {pair: i for i, pair in enumerate(merges)}
    while places := [(rank[pair], i) for i, pair in enumerate(pairwise(word)) if pair in rank]:
        _, i = choose(places)
        word[i : i + 2] = [word[i] + word[i + 1]]
    return word


place_by_place.mistake(
    "You merge whatever fits first, reading from left to right. The merge that was learnt first goes first, wherever in the word it stands.",
    choose=lambda places: min(places, key=lambda place: place[1]),
)
place_by_place.mistake(
    "You prefer the merge that was learnt last. It's the other way round: the first learnt goes first.",
    choose=lambda places: max(places, key=lambda place: (place[0], -place[1])),
)


@encode_word.mistake(
    "You look for the longest token that fits, from the left. That is how WordPiece reads. Byte-pair encoding repeats the merges in the order in which they were learnt, and may never come to that token."
)
def longest_first(word, merges):
    known = {left + right for left, right in merges}
    tokens = []
    while word:
        end = next((end for end in range(len(word), 1, -1) if "".join(word[:end]) in known), 1)
        tokens.append("".join(word[:end]))
        word = word[end:]
    return tokens


@encode_word.mistake("You stop after the first merge that fits. Go on until no learnt pair is left in the word.")
def one_merge(word, merges):
    first = [pair for pair in merges if pair in pairwise(word)][:1]
    return _encode_word(word, first)


@encode_word.mistake(
    "You count pairs in this one word and merge the most frequent. The counting was done in training; encoding only repeats the merges."
)
def trains_again(word, merges):
    return _encode_word(word, learn_merges.reference({word: 1}, len(merges)))


@encode_word.mistake("You return one text. What comes back is a list of tokens.")
def joined(word, merges):
    return " ".join(_encode_word(word, merges))


@encode_word.mistake("You lose the symbols that no merge takes. They are tokens, too.")
def only_merged(word, merges):
    return [token for token in _encode_word(word, merges) if token not in word]
