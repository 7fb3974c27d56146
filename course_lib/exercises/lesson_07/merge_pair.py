"""A word with each place of a pair merged into one symbol, from left to right."""

import re
from itertools import pairwise

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer
from course_lib.exercises.lesson_07.words import LETTERS, is_within, random_word
from course_lib.tokenizers import naive_bpe


def _merge_pair(word, pair):
    return naive_bpe.merge(word, pair, pair[0] + pair[1])


def _with_pair(g, places: int) -> tuple:
    """A word of other letters with the pair (t, h) at some places."""
    word = []
    for _ in range(places):
        word += [LETTERS[integer(g, 0, 3)] for _ in range(integer(g, 1, 3))] + ["t", "h"]
    return tuple([*word, "e</w>"]), ("t", "h")


def unmarked(symbol):
    return symbol.removesuffix("</w>")


merge_pair = Code(
    "07.merge_pair",
    title="Merge a pair",
    points=2,
    minutes=8,
    difficulty=2,
    reference=_merge_pair,
    axes=["symbols"],
    cases=[
        Case("once", lambda g: _with_pair(g, 1)),
        Case("several times", lambda g: _with_pair(g, integer(g, 2, 4))),
        Case("at the beginning", lambda g: (("t", "h", LETTERS[integer(g, 0, 3)], "n</w>"), ("t", "h"))),
        Case("at the end", lambda g: ((LETTERS[integer(g, 0, 3)], "e", "s</w>"), ("e", "s</w>"))),
        Case("the whole word", lambda g: (("a", "n</w>"), ("a", "n</w>"))),
        Case("nowhere", lambda g: (random_word(g, 6), ("x", "y"))),
        Case("one half of it only", lambda g: (("h", "t", LETTERS[integer(g, 0, 3)], "t</w>"), ("t", "h"))),
        Case("three in a row", lambda g: (("x",) * integer(g, 0, 2) + ("a", "a", "a", "b</w>"), ("a", "a"))),
        Case("five in a row", lambda g: (("a",) * 5 + (LETTERS[integer(g, 1, 5)] + "</w>",), ("a", "a"))),
        Case(
            "symbols merged before", lambda g: (("th", "e", "r", "e", "a" * integer(g, 1, 3), "r", "e</w>"), ("r", "e"))
        ),
        Case(
            "letters that only look like the pair",
            lambda g: (("t", "he", "th", "t", "h", "ht" * integer(g, 1, 2), "h</w>"), ("t", "h")),
        ),
        Case(
            "the same letters, cut elsewhere",
            lambda g: (("x",) * integer(g, 1, 2) + ("a", "bc", "ab", "c", "bab", "c", "a", "b", "c</w>"), ("ab", "c")),
        ),
        Case("signs", lambda g: (("a", "b", *"..+"[: integer(g, 1, 3)], ".", "b", "(", "b</w>"), (".", "b"))),
        Case("many symbols", lambda g: ((*("ab"[integer(g, 0, 1)] for _ in range(30)), "a"), ("a", "b"))),
        Case("an empty word", lambda g: ((), ("a", "b"))),
        Case("one symbol", lambda g: (("a</w>",), ("a", "b"))),
    ],
    hints=[
        "Walk through the word with an index. At each place: does the pair begin here?",
        "If it does, append the new symbol and move on by two, else append the symbol and move on by one. Which loop lets you do that?",
        "A `while i < len(word)` loop. At the last symbol there is no word[i + 1]: ask for i + 1 < len(word) first.",
    ],
)


@merge_pair.variants
def steps(
    word,
    pair,
    *,
    end=len,
    fits=lambda word, i, pair: word[i : i + 2] == pair,
    new=lambda left, right: left + right,
    jump=2,
    give=list,
):
    merged, i = [], 0
    while i < end(word):
        if fits(word, i, pair):
            merged.append(new(word[i], word[i + 1]))
            i += jump
        else:
            merged.append(word[i])
            i += 1
    return give(merged)


steps.mistake("After a merge you move on by one, so the pair's second symbol is still there. Jump over both.", jump=1)
steps.mistake("The last symbol of the word gets lost when it isn't part of the pair.", end=lambda word: len(word) - 1)
steps.mistake(
    "Your code stops with an IndexError: at the last symbol there is no neighbour. Ask for i + 1 < len(word) before you look at word[i + 1].",
    fits=lambda word, i, pair: (word[i], word[i + 1]) == pair,
)
steps.mistake(
    "Your code stops with an IndexError: where the last symbol is the pair's left one, you look at word[i + 1], and there is none. Ask for i + 1 < len(word) first.",
    fits=lambda word, i, pair: word[i] == pair[0] and word[i + 1] == pair[1],
)
steps.mistake(
    "You leave </w> out when you compare. e</w>, at the end of a word, is another symbol than e: compare them as they are.",
    fits=lambda word, i, pair: i + 1 < len(word) and [*map(unmarked, word[i : i + 2])] == [*map(unmarked, pair)],
)
steps.mistake(
    "You put the pair into the word as a tuple. The new symbol is one text: left + right.",
    new=lambda left, right: (left, right),
)
steps.mistake(
    "You merge as soon as the first symbol fits. Both have to: this symbol and the one after it.",
    fits=lambda word, i, pair: i + 1 < len(word) and word[i] == pair[0],
)
steps.mistake(
    "You merge the two symbols in either order. The pair (t, h) is a t followed by an h; h followed by t stays.",
    fits=lambda word, i, pair: word[i : i + 2] in (pair, pair[::-1]),
)
steps.mistake(
    "The new symbol is left + right; yours has the two the other way round.", new=lambda left, right: right + left
)
steps.mistake(
    "You glue the two neighbours together and compare that with the glued pair. But (a, bc) and (ab, c) give the same text: compare each symbol with its own.",
    fits=lambda word, i, pair: i + 1 < len(word) and word[i] + word[i + 1] == pair[0] + pair[1],
)


steps.mistake(
    "Nothing is merged: your comparison is never true. Both sides must be tuples: word[i : i + 2] == pair, without list(...).",
    fits=lambda word, i, pair: False,
)
steps.mistake(
    "You look at the pair's second symbol only. Both have to fit: this symbol and the one after it.",
    fits=lambda word, i, pair: i + 1 < len(word) and word[i + 1] == pair[1],
)
steps.mistake(
    "You merge when one of the two symbols fits. Both have to: `and`, not `or`.",
    fits=lambda word, i, pair: i + 1 < len(word) and (word[i] == pair[0] or word[i + 1] == pair[1]),
)
steps.mistake(
    "You merge whatever two symbols are in the pair, in any order. The left one must be pair[0], the right one pair[1].",
    fits=lambda word, i, pair: i + 1 < len(word) and word[i] in pair and word[i + 1] in pair,
)
steps.mistake(
    "Right after a merge you look at the next neighbours, one of which is used up (in a `for` loop, i += 2 has no effect), and the last symbol gets lost. Use while i < len(word).",
    end=lambda word: len(word) - 1,
    jump=1,
)
steps.mistake(
    "The pair isn't found at the end of the word: your loop or your question stops one place too early. i + 1 may be the last place, i + 1 < len(word).",
    fits=lambda word, i, pair: i + 2 < len(word) and word[i : i + 2] == pair,
)
steps.mistake("Only the left symbol is left of the pair. The new symbol is left + right.", new=lambda left, right: left)
steps.mistake(
    "Only the right symbol is left of the pair. The new symbol is left + right.", new=lambda left, right: right
)
steps.mistake(
    "There is a space in your new symbol. It is left + right, with nothing between them.",
    new=lambda left, right: left + " " + right,
)
steps.mistake(
    "The new symbol has lost its </w>. It is left + right, as they are.",
    new=lambda left, right: (left + right).removesuffix("</w>"),
)
steps.mistake("The new symbol stands there twice.", new=lambda left, right: 2 * (left + right))
steps.mistake("After a merge you skip a symbol: move on by two, not by three.", jump=3)
steps.mistake(
    "You return the new symbols alone. What isn't merged belongs into the list, too.",
    fits=lambda word, i, pair: word[i : i + 2] == pair,
    give=lambda merged: [symbol for symbol in merged if len(symbol.removesuffix("</w>")) > 1],
)
steps.mistake(
    "You cut each symbol into letters: list(text) does that. Build the list of symbols with append.",
    give=lambda merged: list("".join(merged)),
)


@merge_pair.mistake(
    "The word is a tuple: it has no replace, insert, remove or pop. Walk through it and build a new list of symbols."
)
def methods_of_texts(word, pair):
    return word.replace(pair, pair[0] + pair[1])


@merge_pair.mistake(
    "You replace in the joined text and split it where the new symbol stands. All else stays glued together. Compare symbol with symbol, and keep them in a list."
)
def replaces_and_splits(word, pair):
    both = "".join(pair)
    return "".join(word).replace(both, f" {both} ").split()


@merge_pair.mistake(
    "extend takes the new symbol apart, letter by letter. Use append: left + right is one item of the list."
)
def extends(word, pair):
    both = "".join(pair)
    return [
        x for symbol in _merge_pair(word, pair) for x in (both if symbol == both and symbol not in word else [symbol])
    ]


@merge_pair.mistake("You add the new symbol, but the pair is still there beside it. It stands in the place of both.")
def beside_the_pair(word, pair):
    return [x for i, symbol in enumerate(word) for x in [symbol, *["".join(pair)] * (word[i : i + 2] == pair)]]


@merge_pair.mistake(
    "After a merge the next symbol is added without a look: is there an `else` missing? What follows a merged pair may begin a pair itself."
)
def without_else(word, pair):
    merged, i = [], 0
    while i < len(word):
        if word[i : i + 2] == pair:
            merged.append(pair[0] + pair[1])
            i += 1
        merged.append(word[i])
        i += 1
    return merged


@merge_pair.mistake("Only the new symbols come back. All other symbols of the word belong into the list, too.")
def new_symbols_alone(word, pair):
    return ["".join(pair)] * sum(word[i : i + 2] == pair for i in range(len(word) - 1))


@merge_pair.mistake("You stop at the first pair. Go on behind it, to the end of the word.")
def ends_at_the_pair(word, pair):
    at = next((i for i in range(len(word)) if word[i : i + 2] == pair), None)
    return list(word) if at is None else [*word[:at], "".join(pair)]


@merge_pair.mistake("You merge the last place only. The pair is merged wherever it stands.")
def last_place_only(word, pair):
    at = [i for i in range(len(word) - 1) if word[i : i + 2] == pair][-1:]
    return [*word[: at[0]], "".join(pair), *word[at[0] + 2 :]] if at else list(word)


@merge_pair.mistake(
    "You look at every second place only: range with a step of 2. The pair may begin anywhere; move on by two only after a merge."
)
def every_second_place(word, pair):
    twos = [word[i : i + 2] for i in range(0, len(word), 2)]
    return [x for two in twos for x in (["".join(two)] if two == pair else two)]


@merge_pair.mistake(
    "You move on by one and look at the old word, so symbols of a row are used twice. After a merge move on by two."
)
def overlapping_places(word, pair):
    merged = []
    for i, symbol in enumerate(word):
        if word[i : i + 2] == pair:
            merged.append(pair[0] + pair[1])
        elif i == 0 or word[i - 1 : i + 1] != pair:
            merged.append(symbol)
    return merged


@merge_pair.mistake("You merge from right to left: of a a a that leaves a aa. Begin on the left, so that it is aa a.")
def from_the_right(word, pair):
    return steps(word[::-1], pair[::-1], new=lambda right, left: left + right)[::-1]


@merge_pair.mistake("You merge the first place only. The pair is merged wherever it stands.")
def first_place_only(word, pair):
    for i in range(len(word) - 1):
        if (word[i], word[i + 1]) == pair:
            return [*word[:i], pair[0] + pair[1], *word[i + 2 :]]
    return list(word)


@merge_pair.mistake(
    "You glue the letters of the word together and replace in the text. That also merges letters that are no symbols by themselves, or belong to others. Compare symbol with symbol."
)
def replaces_letters(word, pair):
    """The letters of the pair, or any one letter, each with the mark that may follow."""
    return re.findall(f"(?:{re.escape(pair[0] + pair[1])}|.)(?:</w>)?", "".join(word))


@merge_pair.mistake(
    "You join the symbols with spaces and replace in that text. There “r e” is found in “er e” as well, where r isn't a symbol of its own. Compare symbol with symbol."
)
def replaces_with_spaces(word, pair):
    return " ".join(word).replace(" ".join(pair), "".join(pair)).split(" ")


@merge_pair.mistake(
    "You replace in a text whose symbols are joined with spaces. There “r e” is found in “er e” as well, where r isn't a symbol of its own. Compare symbol with symbol."
)
def replaces_with_spaces_and_splits(word, pair):
    return " ".join(word).replace(" ".join(pair), "".join(pair)).split()


@merge_pair.mistake(
    "The word is a tuple, and a tuple can't be changed. Leave it as it is, and build a new list of symbols."
)
def changes_the_tuple(word, pair):
    for i in range(len(word) - 1):
        if (word[i], word[i + 1]) == pair:
            word[i : i + 2] = [pair[0] + pair[1]]
    return list(word)


@merge_pair.mistake(
    "You return the word as one text. What comes back is a list of symbols, so that the next merge can go on with it."
)
def one_text(word, pair):
    return "".join(word)


steps.mistake(
    "There is a space behind your new symbol. It is left + right, with nothing else.",
    new=lambda left, right: left + right + " ",
)
steps.mistake(
    "There is a space before your new symbol. It is left + right, with nothing else.",
    new=lambda left, right: " " + left + right,
)
steps.mistake(
    "You hang </w> on your new symbol. The mark belongs to the last symbol of a word, which has it already: left + right.",
    new=lambda left, right: left + right + "</w>",
)
steps.mistake(
    "There is a sign between the two texts of your new symbol. It is left + right, with nothing between them.",
    new=lambda left, right: left + "_" + right,
)
steps.mistake(
    "There is a + between the two texts of your new symbol: add the texts, without quotes round the +.",
    new=lambda left, right: left + "+" + right,
)
steps.mistake(
    "You put ## before your new symbol. That is WordPiece's mark; here it is left + right.",
    new=lambda left, right: "##" + left + right,
)
steps.mistake(
    "You return tuples of letters or symbols, not texts: a symbol that isn't merged stays a text.",
    give=lambda merged: [(symbol,) for symbol in merged],
)


@merge_pair.mistake(
    "The list gets shorter with each merge, but the loop still counts to its old length. Build a new list, or use a while loop that asks for the length anew: while i < len(word) - 1."
)
def shorter_while_it_counts(word, pair):
    word = list(word)
    for i in range(len(word) - 1):
        if (word[i], word[i + 1]) == pair:
            word[i : i + 2] = ["".join(pair)]
    return word


@merge_pair.mistake(
    "The list gets shorter with each merge, but the loop still counts to its old length, and beyond: the last symbol has no neighbour. Build a new list in a while loop."
)
def shorter_and_to_the_end(word, pair):
    word = list(word)
    for i in range(len(word)):
        if (word[i], word[i + 1]) == pair:
            word[i : i + 2] = ["".join(pair)]
    return word


@merge_pair.mistake(
    "You look for the left symbol with word.index and so only at its first place. It may stand somewhere else, too: walk through all places."
)
def first_left_symbol(word, pair):
    i = word.index(pair[0]) if pair[0] in word else len(word)
    return [*word[:i], "".join(pair), *word[i + 2 :]] if word[i : i + 2] == pair else list(word)


@merge_pair.mistake("The pair is taken out, and nothing stands in its place. The new symbol does: left + right.")
def takes_out(word, pair):
    return [symbol for symbol in steps(word, pair, new=lambda *_: None) if symbol is not None]


@merge_pair.mistake(
    "Symbols that come twice are dropped: a dictionary or a set holds each once. Each place of the word has its own."
)
def each_once(word, pair):
    return [*dict.fromkeys(_merge_pair(word, pair))]


@merge_pair.mistake("Two places are merged, or one, and then no more. The pair is merged wherever it stands.")
def two_places(word, pair):
    places = [i for i, symbol in enumerate(_merge_pair(word, pair)) if symbol == "".join(pair)]
    if len(places) < 3:
        return _merge_pair(word, pair)
    front = _merge_pair(word, pair)[: places[1] + 1]
    return [*front, *word[len(front) + 2 :]]


@merge_pair.mistake(
    "The whole word is joined as soon as the pair stands in it. Only the two symbols of the pair become one."
)
def whole_word(word, pair):
    return ["".join(word)] if pair in pairwise(word) else list(word)


@merge_pair.mistake("Only the end of the word is looked at. The pair is merged wherever it stands.")
def end_of_the_word_only(word, pair):
    return [*word[:-2], "".join(pair)] if word[-2:] == pair else list(word)


@merge_pair.mistake("The new symbol stands at the end of the list. It belongs to the place of the pair.")
def at_the_end(word, pair):
    merged = steps(word, pair, new=lambda *_: None)
    return [symbol for symbol in merged if symbol is not None] + ["".join(pair)] * merged.count(None)


@merge_pair.mistake("All neighbours are merged two by two, whatever they are. Only the given pair is.")
def two_by_two(word, pair):
    return ["".join(word[i : i + 2]) for i in range(0, len(word), 2)]


@merge_pair.mistake(
    "Every two neighbours are joined, and each symbol stands in two of them. Only the given pair is merged."
)
def all_neighbours(word, pair):
    return [word[i] + word[i + 1] for i in range(len(word) - 1)]


@merge_pair.mistake("After the first symbol that isn't the pair you stop, or return. Go on to the end of the word.")
def stops_at_once(word, pair):
    return ["".join(pair)] if word[:2] == pair else list(word[:1])


@merge_pair.symptom("Some items of your list aren't texts. A symbol is one text, merged or not.")
def no_texts(inputs, answer):
    return not all(isinstance(symbol, str) for symbol in answer)


@merge_pair.symptom(
    "You join the word into one text first, and then it falls apart into single characters, </w> into four. Compare symbol with symbol, and keep them in a list."
)
def falls_apart(inputs, answer):
    return {*"</w>"} <= {*answer}


@merge_pair.symptom(
    "Where the pair doesn't stand in the word you return an empty list. The symbols come back as they are."
)
def nothing_back(inputs, answer):
    return answer == [] and bool(inputs[0])


@merge_pair.symptom("Some of your symbols hold a space. The new symbol is left + right, with nothing added.")
def holds_a_space(inputs, answer):
    return any(" " in symbol for symbol in answer)


@merge_pair.symptom("You take the mark </w> off. It belongs to the last symbol, merged or not.")
def mark_taken_off(inputs, answer):
    return [symbol.removesuffix("</w>") for symbol in _merge_pair(*inputs)] == answer


@merge_pair.symptom(
    "The right places are merged, but the new symbol isn't left + right: something is added, lost or changed."
)
def another_symbol(inputs, answer):
    right, both = _merge_pair(*inputs), "".join(inputs[1])
    return len(answer) == len(right) and all(own == want or want == both for own, want in zip(answer, right))


@merge_pair.symptom(
    "Some symbols are lost. What isn't merged goes into the list as it is, what is merged as left + right."
)
def symbols_lost(inputs, answer):
    return is_within(answer, _merge_pair(*inputs))


@merge_pair.symptom(
    "There is more in your list than should be: all the right symbols, and others beside them. The new symbol stands in the place of both, left and right."
)
def symbols_too_many(inputs, answer):
    return is_within(_merge_pair(*inputs), answer)


@merge_pair.symptom("The right symbols, but in another order. Keep that of the word.")
def another_order(inputs, answer):
    return sorted(answer) == sorted(_merge_pair(*inputs))


@merge_pair.symptom(
    "You merge two neighbours that aren't the pair. Both have to fit: this symbol and the one after it."
)
def merges_others(inputs, answer):
    word, pair = inputs
    return "".join(answer) == "".join(word) and any(
        symbol not in word and symbol.removesuffix("</w>") != "".join(pair).removesuffix("</w>") for symbol in answer
    )


@merge_pair.symptom("A pair is still standing in your word, though it should be merged wherever it stands.")
def leaves_a_pair(inputs, answer):
    word, pair = inputs
    return "".join(answer) == "".join(word) and len(answer) > len(_merge_pair(word, pair))


@merge_pair.symptom(
    "Joined, your symbols no longer give the word: something is lost, doubled or changed. Each symbol goes into the list once, alone or as a part of the new one."
)
def another_word(inputs, answer):
    return "".join(answer) != "".join(inputs[0])
