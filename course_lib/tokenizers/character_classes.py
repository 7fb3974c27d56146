"""The classes of characters that BERT's rules speak of, exactly as Hugging Face's `tokenizers` (0.23) knows them.

Unicode grows. The tables of `tokenizers` are of several ages: categories from Unicode 8.0 (2015), decompositions from 9.0
(2016), lower case from 17.0 (2025). Python's own depend on its version. So we take the categories of the package `regex`,
whose version is fixed, and leave out the ranges in which only younger characters have the category. Rare scripts, all of
them; but who says "the same tokens" should mean it. A test holds each class against `tokenizers` on all 1 112 064 characters.
"""

import unicodedata

import regex


def _ranges(text: str) -> str:
    """Hexadecimal ranges as the inside of a pattern's class: "7FD 9FD-9FE" → r"\\U000007FD\\U000009FD-\\U000009FE"."""
    return "".join("-".join(f"\\U{end:0>8}" for end in one.split("-")) for one in text.split())


SINCE_UNICODE_9 = _ranges(
    "5C8-5C9 61D 7FD 890-8E2 9FD-9FE A76 AFA-AFF B53-B55 C04-C3C C77 C84 D00 D3B-D3C D81 EBA ECE 180F-1886 1ABF-1AF0 1B4E-1B4F "
    "1B7D-1B7F 1DF6-1DFB 2E43-2E63 A82C A8C5 A8FF A9BD 10D24-10F89 11070-11074 110C2-110CD 111CF 1123E-11241 1133B 113BB-1145E "
    "11660-1166C 116B9 1182F-11FFF 12FF1-1612F 16D6D-16F4F 16FE2-16FE4 1CF00-1D128 1D25B-1D25C 1E000-1E6F5 1E944-1E95F"
)
SINCE_UNICODE_10 = _ranges(
    "5C8-5C9 7FD 897-8D3 9FE C3C D3B-D3C EBA 1715 1ABF-1AF0 1DF6-1DFA A82C 105C9-105E4 10D24-10F85 11070 1133B 11383-113D0 1145E "
    "11839-11A99 11D42-1612F 16D68-16FF1 1D127-1D128 1D250-1D281 1E08F-1E6F5"
)
TO_MARKS_OR_SYMBOLS = _ranges("166D 111C9")  # punctuation in Unicode 8.0, something else by now
TO_SPACING_MARKS = _ranges("1734 1171E")  # marks without room of their own in Unicode 8.0, with it by now
SPACE = r"\p{White_Space}"
CONTROL = rf"[[\0\uFFFD\p{{Cc}}\p{{Cf}}\p{{Co}}]--[{SINCE_UNICODE_9}]]"  # control, format, private
PUNCTUATION = (
    rf"[[\p{{P}}--[{SINCE_UNICODE_9}]]!-/:-@\[-`\{{-~{TO_MARKS_OR_SYMBOLS}]"  # $+<=>^`|~ too, symbols for Unicode
)
MARK = rf"[[\p{{Mn}}--[{SINCE_UNICODE_9}{TO_MARKS_OR_SYMBOLS}]]{TO_SPACING_MARKS}]"  # accents and other signs without room of their own
IDEOGRAPH = rf"[{_ranges('3400-4DBF 4E00-9FFF F900-FAFF 20000-2A6DF 2A700-2B81F 2B920-2CEAF 2F800-2FA1F')}]"  # no spaces between words
_DECOMPOSED = regex.compile(rf"[^{SINCE_UNICODE_10}]+", regex.V1)
_LOWER = {  # of characters that are younger than some of the Pythons we support
    chr(upper): chr(upper + step)
    for first, last, step in [
        (0x1C89, 0x1C89, 1), (0xA7CB, 0xA7CB, 0x264 - 0xA7CB), (0xA7CC, 0xA7CC, 1), (0xA7CE, 0xA7CE, 1), (0xA7D2, 0xA7D2, 1),
        (0xA7D4, 0xA7D4, 1), (0xA7DA, 0xA7DA, 1), (0xA7DC, 0xA7DC, 0x19B - 0xA7DC), (0x10D50, 0x10D65, 0x20), (0x16EA0, 0x16EB8, 0x1B),
    ]
    for upper in range(first, last + 1)
}  # fmt: skip
_LOWER = str.maketrans(
    _LOWER | {"Σ": "σ"}
)  # str.lower() would write ς at a word's end; `tokenizers` looks at one character at a time


def lower(text: str) -> str:
    """Each character in lower case."""
    return text.lower() if text.isascii() else text.translate(_LOWER).lower()


def decomposed(text: str) -> str:
    """Unicode's form D: "é" becomes "e" and an accent of its own."""
    return text if text.isascii() else _DECOMPOSED.sub(lambda known: unicodedata.normalize("NFD", known[0]), text)
