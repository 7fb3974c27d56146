"""Numbers in words, cut into the pieces that a translator reads and writes: *ein und zwanzig*, *twenty one*."""

import re
from difflib import get_close_matches
from functools import cache

from num2words import num2words

from course_lib.corpora.languages import language
from course_lib.errors import CourseError

SEPARATOR = ","
LARGEST = 999_999
LARGEST_IN_LISTS = 99


@cache
def number_text(n: int, code: str) -> str:
    """21 → "twenty-one" (en), "einundzwanzig" (de), "vingt et un" (fr). From 0 to 999,999; CourseError beyond."""
    language(code)
    if not 0 <= n <= LARGEST:
        raise CourseError(f"The corpora hold whole numbers from 0 to {LARGEST:,}; got {n:,}.")
    return num2words(n, lang=code)


def number_tokens(text: str, code: str) -> list[str]:
    """The words of a number, glued ones in their pieces: "einundzwanzig" → ["ein", "und", "zwanzig"].

    Commas, as in "one thousand, two hundred", are left out. Raises CourseError for a word that is in no number.
    """
    words = text.lower().replace(",", " ").replace("-", " ").split()
    return [piece for word in words for piece in _pieces(word, code)]


def list_tokens(numbers: tuple[int, ...], code: str) -> list[str]:
    """(21, 8) → ["twenty", "one", ",", "eight"]."""
    tokens = []
    for n in numbers:
        tokens += [SEPARATOR] * bool(tokens) + [*_tokens(n, code)]
    return tokens


def joined_numbers(tokens: list[str], code: str) -> str:
    """Tokens put together again for people; a dot shows where glued pieces meet: "ein·und·zwanzig, acht"."""
    return (
        ("·" if language(code).glued else " ")
        .join(tokens)
        .replace(f"·{SEPARATOR}·", ", ")
        .replace(f" {SEPARATOR} ", ", ")
    )


def alignment(numbers: tuple[int, ...], source: str, target: str) -> list[int | None]:
    """For each token of the target list, the index of the source token that says the same ten or unit.

    None where nothing does: separators, *und*, and numbers that one of the languages composes otherwise
    (French 97 is four twenties, ten, seven). The pieces' values decide: they must sum to the number on both sides.
    """
    pairs, here = [], 0
    for n in numbers:
        asked, given = _tokens(n, target), _tokens(n, source)
        values = [_values(source).get(token) for token in given]
        wanted = [_values(target).get(token) for token in asked]
        plain = all(sum(v or 0 for v in side) == n for side in (values, wanted))
        pairs += [None] * bool(pairs) + [
            here + values.index(v) if plain and v is not None and v in values else None for v in wanted
        ]
        here += len(given) + 1  # and the separator
    return pairs


def parse_numbers(text: str, code: str) -> tuple[int, ...]:
    """What somebody typed, as numbers from 0 to 99: "twenty-one forty-two", "einundzwanzig, 42".

    Commas are welcome and not needed: the longest words that make a number are taken together.
    Raises CourseError, with the nearest known words, for anything else.
    """
    known, example = _numbers_in_lists(code), f"{number_text(21, code)}, {number_text(8, code)}"
    numbers = []
    for chunk in re.split(r"[,;.\n]", text):
        tokens = [token for word in chunk.lower().replace("-", " ").split() for token in _typed(word, code)]
        while tokens:
            end = next((end for end in range(len(tokens), 0, -1) if tuple(tokens[:end]) in known), None)
            if end is None:
                raise CourseError(
                    f"No {language(code).name} number begins with '{tokens[0]}'. "
                    f"Write numbers from zero to {LARGEST_IN_LISTS}, for example: {example}."
                )
            numbers.append(known[tuple(tokens[:end])])
            tokens = tokens[end:]
    if not numbers:
        raise CourseError(
            f"There is no number in this text. Write some in {language(code).name}, for example: {example}."
        )
    return tuple(numbers)


def _typed(word: str, code: str) -> list[str]:
    if word.isdecimal():
        if int(word) > LARGEST_IN_LISTS:
            raise CourseError(f"These lists hold numbers from 0 to {LARGEST_IN_LISTS}; got {word}.")
        return [*_tokens(int(word), code)]
    words = {token for number in _numbers_in_lists(code) for token in number}
    try:
        pieces = _pieces(word, code)
    except CourseError:
        pieces = [word]
    for piece in pieces:
        if piece not in words:
            near = get_close_matches(piece, sorted(words), 3, cutoff=0.6)
            advice = (
                f"The nearest that it knows: {', '.join(near)}."
                if near
                else f"It knows the numbers from zero to {LARGEST_IN_LISTS}."
            )
            raise CourseError(
                f"The word '{word}' is in none of the {language(code).name} numbers of these lists. {advice}"
            )
    return pieces


@cache
def _tokens(n: int, code: str) -> tuple[str, ...]:
    return tuple(number_tokens(number_text(n, code), code))


@cache
def _numbers_in_lists(code: str) -> dict[tuple[str, ...], int]:
    return {_tokens(n, code): n for n in range(LARGEST_IN_LISTS + 1)}


@cache
def _values(code: str) -> dict[str, int]:
    """What each piece stands for, where it stands for something: {"ein": 1, "eins": 1, "zwanzig": 20, …}."""
    own = {number_text(n, code): n for n in [*range(20), *range(20, 100, 10)]}
    return {word: n for word, n in own.items() if " " not in word and "-" not in word} | {
        piece: n for piece, n in language(code).pieces if n is not None
    }


@cache
def _pieces(word: str, code: str) -> tuple[str, ...]:
    """A glued word cut where its pieces meet, the longest piece first; a word of another language stays whole."""
    if not language(code).glued:
        return (word,)
    known = sorted({*_values(code), *(piece for piece, _ in language(code).pieces)}, key=len, reverse=True)

    def cut(rest: str) -> tuple[str, ...] | None:
        if not rest:
            return ()
        for piece in known:
            if rest.startswith(piece) and (tail := cut(rest[len(piece) :])) is not None:
                return (piece, *tail)
        return None

    pieces = cut(word)
    if pieces is None:
        raise CourseError(f"The word '{word}' is in no {language(code).name} number.")
    return pieces
