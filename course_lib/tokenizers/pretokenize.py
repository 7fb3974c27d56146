"""Pretokenization: a pattern cuts the text into words before any merging, and no token ever crosses such a cut.

A pattern decides a good deal: whether a space belongs to the word after it, how many digits go together, what becomes
of line ends. Those of two well-known models are here. They are for the package `regex`: Python's own `re` doesn't know
\\p{L}, the letters of all scripts.
"""

from functools import cache

import regex

from course_lib.errors import CourseError
from course_lib.tokenizers.unicode_versions import NEWER_THAN_UNICODE_16, ranges

# Radford et al. (2019), Language Models are Unsupervised Multitask Learners, section 2.2; as in the code published with
# it. English contractions; a word, a number or a run of signs with the space before it; the last of several spaces goes
# with the word.
GPT2 = r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
# As published with Llama 3 (Dubey et al. 2024, The Llama 3 Herd of Models) after GPT-4's: contractions in capitals too,
# at most three digits together, any one sign may lead a word, and line ends stay with the signs before them.
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
BETWEEN_SPACES = r"\S+"  # the spaces themselves are dropped

STAND_IN = "\ue000"  # private use: neither letter, number nor space


@cache
def stand_ins() -> dict[int, str]:
    """For `str.translate`: each letter and number that is newer than Unicode 16 becomes a character that is neither."""
    return {code: STAND_IN for each in ranges(NEWER_THAN_UNICODE_16) for code in each}


@cache
def _newer() -> frozenset[str]:
    return frozenset(map(chr, stand_ins()))


@cache
def compiled(pattern: str) -> regex.Pattern:
    """The pattern, compiled. Raises CourseError where it isn't a regular expression, or could match nothing at all."""
    try:
        if not isinstance(pattern, str):
            raise TypeError(f"it is of type {type(pattern).__name__}")
        made = regex.compile(pattern)
    except (regex.error, TypeError) as error:
        raise CourseError(f"The pattern should be a regular expression; got {pattern!r}: {error}.") from None
    if made.groups:
        raise CourseError(f"The pattern {pattern!r} has capturing groups: write (?:…) in place of (…).")
    if made.match(""):
        raise CourseError(f"The pattern {pattern!r} matches the empty text: write + in place of *, for example.")
    return made


def pretokenize(text: str, pattern: str, keep_rest: bool = False) -> list[str]:
    """The words of a text, in order.

    keep_rest: what the pattern doesn't match stands between them, so that joined they are the text; else it is left
    out.

    >>> pretokenize("it's 2 a.m.", GPT2)
    ['it', "'s", ' 2', ' a', '.', 'm', '.']
    """
    words, known = compiled(pattern), text
    if text.isascii() or _newer().isdisjoint(text):
        found = words.findall(text)
    else:
        known = text.translate(stand_ins())
        found = [text[match.start() : match.end()] for match in words.finditer(known)]
    if not keep_rest or sum(map(len, found)) == len(text):
        return found
    pieces, end = [], 0
    for match in words.finditer(known):
        pieces += [text[end : match.start()], text[match.start() : match.end()]]
        end = match.end()
    return [piece for piece in [*pieces, text[end:]] if piece]
