"""Cutting text into words before any merging: a pattern says where, and no token ever crosses such a cut.

A pattern decides a good deal: whether a space belongs to the word after it, how many digits go together, what becomes of line ends. Those of two well-known
models are here; `regex` reads them, because Python's own `re` knows no \\p{L}, the letters of all scripts.
"""

from functools import cache

import regex

from course_lib.errors import CourseError

# Radford et al. (2019), Language Models are Unsupervised Multitask Learners, section 2.2; as in the code published with it. English contractions; a word, a
# number or a run of signs with the space before it; the last space of several goes with the word.
GPT2 = r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
# As published with Llama 3 (Dubey et al. 2024, The Llama 3 Herd of Models) after GPT-4's: contractions in capitals too, at most three digits together,
# any one sign may lead a word, and line ends stay with the signs before them.
LLAMA3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
SPACES_APART = r"\S+"  # words are what stands between spaces; the spaces are dropped

# Unicode grows every year, and the same text should give the same tokens for ever. Here letters and numbers are those of Unicode 16, as in the library
# `tokenizers` 0.23; `regex` knows more by now. These are the newer ones, first and last of each range.
NEWER_THAN_UNICODE_16 = """
558 558 58B 58C 88F 88F C5C C5C CDC CDC 208F 208F 209D 209F A7CE A7CF A7D2 A7D2 A7D4 A7D4 A7DD A7DD A7E2 A7E2 A7F1 A7F1 AB6C AB6D 107BB 107BF 10940 10959 10EC5 10EC7
10ED9 10EEE 11B0A 11B0A 11DB0 11DDB 11DE0 11DE9 11DF1 11DF1 1246F 1246F 12475 1247F 12550 12686 16EA0 16EB8 16EBB 16ED3 16FF2 16FF6 187F8 187FF 18CD6 18CDA 18D09 18D20
18D80 18DF2 18E00 19191 191A0 191D2 1B123 1B128 1B168 1B168 1D6A6 1D6A6 1DF1F 1DF24 1DF2B 1DF81 1DF90 1DF96 1DFCD 1DFFF 1E6C0 1E6DE 1E6E0 1E6E2 1E6E4 1E6E5 1E6E7 1E6ED
1E6F0 1E6F4 1E6FE 1E6FF 2B73A 2B73F 2B81E 2B81E 2CEA2 2CEAD 323B0 33479 3D000 3FC3F
"""
STAND_IN = "\ue000"  # of the private use area: neither letter, number nor space


@cache
def _stand_ins() -> dict[int, str]:
    numbers = [int(number, 16) for number in NEWER_THAN_UNICODE_16.split()]
    return {code: STAND_IN for first, last in zip(numbers[::2], numbers[1::2]) for code in range(first, last + 1)}


@cache
def newer_characters() -> frozenset[str]:
    return frozenset(map(chr, _stand_ins()))


@cache
def compiled(pattern: str) -> regex.Pattern:
    """The pattern, ready to use. Raises CourseError where it isn't a regular expression, or could match nothing at all."""
    try:
        made = regex.compile(pattern)
    except (regex.error, TypeError) as error:
        raise CourseError(f"The pattern {pattern!r} should be a regular expression, but {error}.") from None
    if made.groups:
        raise CourseError(f"The pattern {pattern!r} has capturing groups: write (?:…) in place of (…).")
    if made.match(""):
        raise CourseError(f"The pattern {pattern!r} matches the empty text: write + in place of *, for example.")
    return made


def split(text: str, pattern: str) -> list[str]:
    """The words of a text, in order. What the pattern doesn't match isn't among them.

    >>> split("it's 2 a.m.", GPT2)
    ['it', "'s", ' 2', ' a', '.', 'm', '.']
    """
    find = compiled(pattern)
    if newer_characters().isdisjoint(text):
        return find.findall(text)
    return [text[match.start() : match.end()] for match in find.finditer(text.translate(_stand_ins()))]


def split_all(text: str, pattern: str) -> list[str]:
    """Like `split`, but what the pattern doesn't match is kept as words of its own: joined, the words give the text."""
    words = split(text, pattern)
    if sum(map(len, words)) == len(text):
        return words
    known, pieces, end = text.translate(_stand_ins()), [], 0
    for match in compiled(pattern).finditer(known):
        pieces += [text[end : match.start()], text[match.start() : match.end()]]
        end = match.end()
    return [piece for piece in [*pieces, text[end:]] if piece]
