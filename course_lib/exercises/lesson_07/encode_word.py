"""A word into tokens by byte-pair encoding: the learnt merges, one after another, in the order in which they were learnt."""

from collections import Counter
from itertools import pairwise

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer
from course_lib.exercises.lesson_07.learn_merges import learn_merges
from course_lib.exercises.lesson_07.merge_pair import first_place_only, merge_pair
from course_lib.exercises.lesson_07.words import LETTERS, PAPER, is_within, random_word, word_table
from course_lib.tokenizers import naive_bpe

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
        Case(
            "the first learnt, the most frequent and the leftmost",
            lambda g: (
                (*"abexbebe", *"nar", "s" * integer(g, 1, 3) + "</w>"),
                [("x", "b"), ("b", "e"), ("a", "b"), ("n", "a"), ("a", "r")],
            ),
        ),
        Case(
            "a short word, a late merge",
            lambda g: (("a", "b</w>"), [(left, "c") for left in LETTERS * integer(g, 2, 4)] + [("a", "b</w>")]),
        ),
        Case("no merges", lambda g: (random_word(g), [])),
        Case("nothing fits", lambda g: (("x", "y", "z</w>"), [("a", "n"), ("e", "r" * integer(g, 1, 2))])),
        Case("one symbol", lambda g: (("a</w>",), ORDER)),
        Case("an empty word", lambda g: ((), ORDER)),
    ],
    hints=[
        "The word was taken apart in training, too. Do to it what training would have done: the same merges in the same order.",
        "merge_pair does one merge. Do one after another, in the order of the list, and go on each time with the word that came back.",
    ],
)


def by_a_set(merges):
    """Any order but the right one: the alphabetical, backwards."""
    return sorted(merges, reverse=True)


def spelled_again(word):
    text = "".join(word)
    return (*text.removesuffix("</w>")[:-1], text.removesuffix("</w>")[-1:] + "</w>") if text else ()


def merges_by_text(word, pair):
    """Merges neighbours whose joined text is the pair's."""
    merged, i = [], 0
    while i < len(word):
        if i + 1 < len(word) and word[i] + word[i + 1] == "".join(pair):
            merged.append(word[i] + word[i + 1])
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return merged


def at_the_first_left_symbol(word, pair):
    i = word.index(pair[0]) if pair[0] in word else len(word)
    return [*word[:i], "".join(pair), *word[i + 2 :]] if tuple(word[i : i + 2]) == pair else word


@encode_word.variants
def steps(word, merges, *, begin=tuple, order=list, merge=merge_pair.reference, give=list):
    word = begin(word)
    for pair in order(merges):
        word = tuple(merge(word, pair))
    return give(word)


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


steps.mistake(
    "You begin with the longest merges. Their order in the list counts, not their length: the first learnt go first.",
    order=lambda merges: sorted(merges, key=lambda pair: -len("".join(pair))),
)
steps.mistake(
    "You begin with the shortest merges. Their order in the list counts, not their length: the first learnt go first.",
    order=lambda merges: sorted(merges, key=lambda pair: len("".join(pair))),
)
steps.mistake(
    "You put the pair together in the text with spaces. There “r e” is found in “er e” as well, where r isn't a symbol of its own: use merge_pair.",
    merge=lambda word, pair: " ".join(word).replace(" ".join(pair), "".join(pair)).split(),
)
steps.mistake(
    "Of each pair you look at the first place of its left symbol only. It may stand somewhere else, too: use merge_pair.",
    merge=at_the_first_left_symbol,
)
steps.mistake(
    "You hang a symbol </w> on the word. Its last symbol has the mark already.", begin=lambda word: (*word, "</w>")
)
steps.mistake(
    "Only the first merge is applied. Go through all of them; `return` belongs behind the loop.",
    order=lambda merges: merges[:1],
)
steps.mistake("Every second merge is left out. Go through all of them.", order=lambda merges: merges[::2])
steps.mistake("The last merge isn't applied.", order=lambda merges: merges[:-1])
steps.mistake("The first merge isn't applied.", order=lambda merges: merges[1:])
steps.mistake("Your merges come in a set, so their order is lost. The first learnt go first.", order=by_a_set)
steps.mistake(
    "You spell the word a second time. It comes as symbols, some of them longer than a letter; joining them first takes </w> apart, too.",
    begin=lambda word: tuple("".join(word)),
)
steps.mistake(
    "You spell the word a second time. It comes as symbols, and some of them are longer than a letter: take them as they are.",
    begin=spelled_again,
)
steps.mistake(
    "You spell the word a second time and hang another </w> on it. It comes as symbols with their mark: take them as they are.",
    begin=lambda word: (*"".join(word)[:-1], "".join(word)[-1] + "</w>") if word else (),
)
steps.mistake(
    "You take the mark </w> off. It belongs to the last token: that is how one sees where a word ends.",
    give=lambda word: [token.removesuffix("</w>") for token in word],
)
steps.mistake(
    "You take the mark </w> off before you merge, so merges with it never fit.",
    begin=lambda word: tuple(symbol.removesuffix("</w>") for symbol in word),
)
steps.mistake(
    "You make </w> a token of its own. Here it belongs to the last symbol.",
    give=lambda word: [*word[:-1], *([word[-1].removesuffix("</w>"), "</w>"] if word else [])],
)
steps.mistake("Your tokens come in reverse order.", give=lambda word: [*word[::-1]])
steps.mistake(
    "You look for the glued text of a pair. (a, bc) and (ab, c) give the same text, but only one of them was learnt: compare the pairs.",
    merge=merges_by_text,
)


steps.mistake(
    "Your pairs are turned round: you look for right before left. (l, o) is an l followed by an o.",
    merge=lambda word, pair: merge_pair.reference(word, pair[::-1]),
)
steps.mistake(
    "You keep the merges in a dictionary by their left symbols, which holds one merge for each: of several with the same left symbol all but the last are lost. Keep the list.",
    order=lambda merges: list(dict(merges).items()),
)
steps.mistake(
    "You keep the merges in a dictionary by their right symbols, which holds one merge for each: of several with the same right symbol all but the last are lost. Keep the list.",
    order=lambda merges: [(left, right) for right, left in {right: left for left, right in merges}.items()],
)
steps.mistake(
    "You stop at the last merge but some: only the first half of the list is applied. Go through all of it.",
    order=lambda merges: merges[: len(merges) // 2],
)
steps.mistake(
    "The merges come in another order: by their right symbols. Their order in the list is the order in which they were learnt: keep it.",
    order=lambda merges: sorted(merges, key=lambda pair: pair[::-1]),
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
    "You merge whatever fits, beginning at the word's end. The merge that was learnt first goes first, wherever in the word it stands.",
    choose=lambda places: max(places, key=lambda place: place[1]),
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


@encode_word.mistake(
    "Of the pairs that fit you take the one that makes the longest token. The merge that was learnt first goes first, whatever its length."
)
def longest_new_token(word, merges):
    word, known = list(word), {*map(tuple, merges)}
    while places := [i for i, pair in enumerate(pairwise(word)) if pair in known]:
        i = max(places, key=lambda i: len(word[i] + word[i + 1]))
        word[i : i + 2] = [word[i] + word[i + 1]]
    return word


@encode_word.mistake(
    "Each merge is tried at the beginning of the word only. Its pair may stand anywhere: use merge_pair."
)
def at_the_beginning_only(word, merges):
    word = tuple(word)
    for pair in merges:
        word = ("".join(pair), *word[2:]) if word[:2] == tuple(pair) else word
    return list(word)


@encode_word.mistake("A new token is left + right; yours has the two the other way round.")
def right_before_left(word, merges):
    for left, right in merges:
        word = [right + left if s == left + right else s for s in merge_pair.reference(word, (left, right))]
    return list(word)


@encode_word.mistake("You return one text. What comes back is a list of tokens.")
def joined(word, merges):
    return " ".join(_encode_word(word, merges))


@encode_word.mistake("You lose the symbols that no merge takes. They are tokens, too.")
def only_merged(word, merges):
    return [token for token in _encode_word(word, merges) if token not in word]


@encode_word.mistake("You stop at the first merge that doesn't fit. Many don't: pass over it and go on with the next.")
def stops_where_one_does_not_fit(word, merges):
    for pair in merges:
        if tuple(pair) not in pairwise(word):
            break
        word = tuple(merge_pair.reference(word, pair))
    return list(word)


@encode_word.mistake(
    "You go through the word once, from left to right, and merge what fits. What was merged may be merged again: go through the merges, in the order in which they were learnt."
)
def one_pass(word, merges):
    tokens, i = [], 0
    while i < len(word):
        step = 2 if word[i : i + 2] in merges else 1
        tokens.append("".join(word[i : i + step]))
        i += step
    return tokens


@encode_word.mistake(
    "You go through the word once, from left to right, and let each token grow as long as a merge fits. The order of the merges decides, not that of the places."
)
def grows_from_the_left(word, merges):
    tokens = []
    for symbol in word:
        if tokens and (tokens[-1], symbol) in merges:
            tokens[-1] += symbol
        else:
            tokens.append(symbol)
    return tokens


@encode_word.mistake(
    "Each merge begins anew with the word as it came, so only the last one is seen. Go on with what the merge before has made: word = merge_pair(word, pair)."
)
def begins_anew(word, merges):
    tokens = list(word)
    for pair in merges:
        tokens = merge_pair.reference(word, pair)
    return tokens


@encode_word.mistake(
    "You return [UNK] for symbols that stand in no merge. Byte-pair encoding knows all symbols: those that aren't merged stay as they are."
)
def unknown_symbols(word, merges):
    known = {symbol for pair in merges for symbol in (*pair, "".join(pair))}
    return [token if token in known else "[UNK]" for token in _encode_word(word, merges)]


@encode_word.mistake(
    "You merge until one token is left, or use merges that weren't learnt. Only the pairs in the list are merged."
)
def all_in_one(word, merges):
    return ["".join(word)] if word else []


@encode_word.symptom("These are numbers. The tokens themselves are asked for: texts.")
def numbers(inputs, answer):
    return bool(answer) and all(isinstance(token, int) for token in answer)


@encode_word.symptom("Some items of your list aren't texts. The tokens alone are asked for.")
def no_texts(inputs, answer):
    return not all(isinstance(token, str) for token in answer)


@encode_word.symptom("[UNK] isn't needed here: a symbol that no merge takes stays as it is.")
def has_unknown(inputs, answer):
    return "[UNK]" in answer


@encode_word.symptom(
    "You look for the longest text that is a token, letter by letter. Byte-pair encoding repeats the merges in the order in which they were learnt, and may never come to that token."
)
def longest_text_first(inputs, answer):
    word, merges = inputs
    known, text, tokens = {left + right for left, right in merges} | {*word}, "".join(word), []
    while text:
        end = next((end for end in range(len(text), 1, -1) if text[:end] in known), 1)
        tokens.append(text[:end])
        text = text[end:]
    return answer == tokens


@encode_word.symptom("WordPiece's mark ## isn't used here. A token is what stands in the word, with </w> at its end.")
def hashes(inputs, answer):
    return any(token.startswith("##") for token in answer)


@encode_word.symptom(
    "Some tokens are lost. Each symbol of the word belongs to one, also the last, and also those that come twice."
)
def tokens_lost(inputs, answer):
    return is_within(answer, _encode_word(*inputs))


@encode_word.symptom("The right tokens, but in another order. Keep that of the word.")
def order_of_tokens(inputs, answer):
    return sorted(answer) == sorted(_encode_word(*inputs))


@encode_word.symptom(
    "Your list holds the word several times over: it grows with each merge. Only the last state of the word is asked for: its tokens after all merges."
)
def several_times(inputs, answer):
    return "".join(answer).count("".join(inputs[0])) > 1


@encode_word.symptom("The mark </w> stands twice in your tokens. The word comes with it: hang nothing on it.")
def mark_twice(inputs, answer):
    return "".join(answer).count("</w>") > "".join(inputs[0]).count("</w>")


@encode_word.symptom("Some tokens hold a space. A merge joins left and right with nothing between them.")
def holds_a_space(inputs, answer):
    return any(" " in token for token in answer)


@encode_word.symptom(
    "Joined, your tokens no longer give the word: symbols are lost, changed or stand in another order. A merge only joins two neighbours."
)
def other_letters(inputs, answer):
    return "".join(answer) != "".join(inputs[0])


@encode_word.symptom("You cut symbols apart. The word comes as symbols, and they are only ever joined.")
def cuts_symbols(inputs, answer):
    word, ends = inputs[0], set()
    for tokens in (answer, word):
        at, places = 0, set()
        for token in tokens:
            places.add(at := at + len(token))
        ends = places - ends if tokens is answer else ends - places
    return bool(ends)


@encode_word.symptom(
    "You stop too early: a learnt pair still stands side by side in your tokens, and joining it would lead to the right ones."
)
def not_merged_enough(inputs, answer):
    return len(answer) > len(_encode_word(*inputs)) and any(tuple(pair) in inputs[1] for pair in pairwise(answer))


@encode_word.symptom(
    "Your tokens were joined by learnt merges, but not in their order. The merge that was learnt first goes first, wherever in the word it stands."
)
def in_another_order(inputs, answer):
    word, merges = inputs
    return {token for token in answer if token not in word} <= {"".join(pair) for pair in merges}


@encode_word.mistake("You return merges. The tokens are asked for, what the merges make of the word.")
def merges_that_fit(word, merges):
    return [pair for pair in merges if pair in list(pairwise(word))]


@encode_word.mistake(
    "You merge the pair that is most frequent in this word. Of the learnt pairs that stand in it, the first learnt goes first."
)
def most_frequent_in_the_word(word, merges):
    while counts := Counter(pair for pair in pairwise(word) if pair in merges):
        word = tuple(merge_pair.reference(word, counts.most_common(1)[0][0]))
    return list(word)


@encode_word.mistake(
    "You merge the pair that is most frequent in this word, and of several the first in alphabetical order, as in training. Encoding doesn't count: of the learnt pairs that stand in the word, the first learnt goes first."
)
def most_frequent_as_in_training(word, merges):
    while counts := Counter(pair for pair in pairwise(word) if pair in merges):
        word = tuple(merge_pair.reference(word, naive_bpe.most_frequent(counts)))
    return list(word)


@encode_word.mistake(
    "You look up the whole word only: where it isn't a token, its symbols come back as they were. Repeat the merges, in their order."
)
def whole_word_or_nothing(word, merges):
    text = "".join(word)
    return [text] if text in {left + right for left, right in merges} else list(word)


@encode_word.mistake(
    "You merge only symbols that the word began with. What a merge has made may be merged again: go on with the merged word."
)
def no_merges_of_merges(word, merges):
    return _encode_word(word, [pair for pair in merges if {*pair} <= {*word}])


@encode_word.mistake(
    "Where places of a pair overlap, you merge the right one: of a a a that leaves a aa. Go from left to right, as merge_pair does."
)
def from_the_right(word, merges):
    word = list(word)
    for left, right in merges:
        i = len(word) - 1
        while i > 0:
            if (word[i - 1], word[i]) == (left, right):
                word[i - 1 : i + 1] = [left + right]
                i -= 1
            i -= 1
    return word


@encode_word.mistake("You use only as many merges as the word has symbols. Go through all of them.")
def as_many_as_symbols(word, merges):
    return _encode_word(word, merges[: len(word)])


@encode_word.mistake(
    "You walk through the word with a dictionary of left symbols. It holds one merge for each of them, and the merges' order is lost. Go through the list of merges, in their order."
)
def one_pass_by_left_symbols(word, merges):
    follows, tokens, i = dict(merges), [], 0
    while i < len(word):
        step = 2 if i + 1 < len(word) and follows.get(word[i]) == word[i + 1] else 1
        tokens.append("".join(word[i : i + step]))
        i += step
    return tokens
