"""Unicode grows every year, and the same text should give the same tokens forever: here its classes are pinned.

We follow Hugging Face's `tokenizers` 0.23, whose tables are of several ages. For byte-pair encoding, letters and
numbers are those of Unicode 16 (2024). For BERT, categories are from Unicode 8 (2015), decompositions from 9 (2016),
lower case from 17 (2025). Python's own tables depend on its version. So we take those of the package `regex`, whose
version is fixed, and leave out the ranges in which only younger characters have the category. Only rare scripts are
affected, but "the same tokens" should be true for them too. The tests hold each class against `tokenizers` on all 1 112
064 characters.
"""

import unicodedata

import regex


def ranges(text: str) -> list[range]:
    """Hexadecimal numbers, and ranges with their ends: the one notation of this file.

    >>> ranges("7FD 9FD-9FE") == [range(0x7FD, 0x7FE), range(0x9FD, 0x9FF)]
    True
    """
    ends = [[int(end, 16) for end in one.split("-")] for one in text.split()]
    return [range(each[0], each[-1] + 1) for each in ends]


def _class(text: str) -> str:
    """The same ranges as the inside of a pattern's class: "7FD 9FD-9FE" → r"\\U000007FD-\\U000007FD\\U000009FD-…"."""
    return "".join(f"\\U{each[0]:08X}-\\U{each[-1]:08X}" for each in ranges(text))


# Letters and numbers (\p{L}, \p{N}) that are younger than Unicode 16.
NEWER_THAN_UNICODE_16 = (
    "558 58B-58C 88F C5C CDC 208F 209D-209F A7CE-A7CF A7D2 A7D4 A7DD A7E2 A7F1 AB6C-AB6D 107BB-107BF 10940-10959 "
    "10EC5-10EC7 10ED9-10EEE 11B0A 11DB0-11DDB 11DE0-11DE9 11DF1 1246F 12475-1247F 12550-12686 16EA0-16EB8 "
    "16EBB-16ED3 16FF2-16FF6 187F8-187FF 18CD6-18CDA 18D09-18D20 18D80-18DF2 18E00-19191 191A0-191D2 1B123-1B128 "
    "1B168 1D6A6 1DF1F-1DF24 1DF2B-1DF81 1DF90-1DF96 1DFCD-1DFFF 1E6C0-1E6DE 1E6E0-1E6E2 1E6E4-1E6E5 1E6E7-1E6ED "
    "1E6F0-1E6F4 1E6FE-1E6FF 2B73A-2B73F 2B81E 2CEA2-2CEAD 323B0-33479 3D000-3FC3F"
)

SINCE_UNICODE_9 = _class(
    "5C8-5C9 61D 7FD 890-8E2 9FD-9FE A76 AFA-AFF B53-B55 C04-C3C C77 C84 D00 D3B-D3C D81 EBA ECE 180F-1886 "
    "1ABF-1AF0 1B4E-1B4F 1B7D-1B7F 1DF6-1DFB 2E43-2E63 A82C A8C5 A8FF A9BD 10D24-10F89 11070-11074 110C2-110CD "
    "111CF 1123E-11241 1133B 113BB-1145E 11660-1166C 116B9 1182F-11FFF 12FF1-1612F 16D6D-16F4F 16FE2-16FE4 "
    "1CF00-1D128 1D25B-1D25C 1E000-1E6F5 1E944-1E95F"
)
SINCE_UNICODE_10 = _class(
    "5C8-5C9 7FD 897-8D3 9FE C3C D3B-D3C EBA 1715 1ABF-1AF0 1DF6-1DFA A82C 105C9-105E4 10D24-10F85 11070 1133B "
    "11383-113D0 1145E 11839-11A99 11D42-1612F 16D68-16FF1 1D127-1D128 1D250-1D281 1E08F-1E6F5"
)
TO_MARKS_OR_SYMBOLS = _class("166D 111C9")  # punctuation in Unicode 8, something else by now
TO_SPACING_MARKS = _class("1734 1171E")  # marks without width of their own in Unicode 8, with it by now

SPACE = r"\p{White_Space}"
CONTROL = rf"[[\0\uFFFD\p{{Cc}}\p{{Cf}}\p{{Co}}]--[{SINCE_UNICODE_9}]]"  # control, format, private use
# $+<=>^`|~ count as punctuation too; for Unicode they are symbols
PUNCTUATION = rf"[[\p{{P}}--[{SINCE_UNICODE_9}]]!-/:-@\[-`\{{-~{TO_MARKS_OR_SYMBOLS}]"
# accents and other signs without width of their own
MARK = rf"[[\p{{Mn}}--[{SINCE_UNICODE_9}{TO_MARKS_OR_SYMBOLS}]]{TO_SPACING_MARKS}]"
# Chinese characters: no spaces between words
IDEOGRAPH = rf"[{_class('3400-4DBF 4E00-9FFF F900-FAFF 20000-2A6DF 2A700-2B81F 2B920-2CEAF 2F800-2FA1F')}]"

_DECOMPOSED = regex.compile(rf"[^{SINCE_UNICODE_10}]+", regex.V1)
# Capitals that are younger than some of the Pythons we support, and the first of their small letters.
_LOWER = {
    upper: int(small, 16) + i
    for capitals, small in [
        ("1C89", "1C8A"), ("A7CB", "264"), ("A7CC", "A7CD"), ("A7CE", "A7CF"), ("A7D2", "A7D3"), ("A7D4", "A7D5"),
        ("A7DA", "A7DB"), ("A7DC", "19B"), ("10D50-10D65", "10D70"), ("16EA0-16EB8", "16EBB"),
    ]
    for each in ranges(capitals)
    for i, upper in enumerate(each)
}  # fmt: skip
# str.lower() would write ς at a word's end; `tokenizers` looks at one character at a time.
_LOWER[ord("Σ")] = ord("σ")


def lower(text: str) -> str:
    """Each character in lower case."""
    return text.lower() if text.isascii() else text.translate(_LOWER).lower()


def decomposed(text: str) -> str:
    """Unicode's form D: "é" becomes "e" and an accent of its own."""
    return text if text.isascii() else _DECOMPOSED.sub(lambda known: unicodedata.normalize("NFD", known[0]), text)
