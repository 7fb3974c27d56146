"""A regular expression of Python's `regex` module, as JavaScript writes it with the u flag.

Tokenizers publish their pre-tokenising patterns in the syntax of Oniguruma and `regex`. JavaScript lacks possessive
quantifiers, atomic groups and (on older browsers) (?i:…), and its \\s isn't Unicode's White_Space. Possessive and atomic parts become
a lookahead and a backreference, since JavaScript never goes back into a lookahead; (?i:…) becomes classes with both cases.
"""

import re
from functools import cache

import regex

from .inputs import PictureError

SETS = {"s": r"\p{White_Space}", "S": r"\P{White_Space}", "d": r"\p{Nd}", "D": r"\P{Nd}"}
CHARACTERS = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v", "a": "\a"}
CATEGORY = re.compile(r"L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?|C[cfosn]?|White_Space")
GROUPS = ("(?:", "(?=", "(?!", "(?<=", "(?<!")
QUANTIFIER = re.compile(r"([*+?]|\{\d+(?:,\d*)?\}|\{,\d+\})([?+]?)")


def to_javascript(pattern: str) -> str:
    """The source for `new RegExp(source, "gu")` that finds the same matches as `regex.finditer(pattern, text)`.

    Raises PictureError for a pattern that `regex` doesn't take, and for syntax that has no translation here
    (global flags, backreferences, \\w, \\b, scripts, set operations, negated classes under (?i:…)).
    """
    if not isinstance(pattern, str):
        raise PictureError(f"pattern should be a regular expression as a string; a {type(pattern).__name__} came.")
    try:
        regex.compile(pattern)
    except regex.error as error:
        raise PictureError(f"pattern isn't a regular expression that the regex module takes: {error}.") from None
    return _Translator(pattern).translate()


class _Translator:
    def __init__(self, pattern: str):
        self.pattern, self.at, self.atomic = pattern, 0, 0

    def translate(self) -> str:
        source = self.alternatives(ignore_case=False)
        if self.at < len(self.pattern):
            raise self.unknown()
        return source

    def next_is(self, start: str) -> bool:
        return self.pattern.startswith(start, self.at)

    def unknown(self) -> PictureError:
        part = self.pattern[self.at : self.at + 12]
        what_to_do = "Use the GPT-2 or the GPT-4 pattern, or a plainer one."
        return PictureError(f"The browser can't follow this part of the pattern: {part!r}. {what_to_do}")

    def alternatives(self, ignore_case: bool) -> str:
        source = ""
        while self.at < len(self.pattern) and not self.next_is(")"):
            if self.next_is("|"):
                source += "|"
                self.at += 1
            else:
                source += self.quantified(self.atom(ignore_case))
        return source

    def quantified(self, atom: str) -> str:
        found = QUANTIFIER.match(self.pattern, self.at)
        if not found:
            return atom
        self.at = found.end()
        count, kind = found.groups()
        repeated = atom + count.replace("{,", "{0,")
        return self.without_return(repeated) if kind == "+" else repeated + kind

    def without_return(self, source: str) -> str:
        self.atomic += 1
        return f"(?:(?=(?<p{self.atomic}>{source}))\\k<p{self.atomic}>)"

    def atom(self, ignore_case: bool) -> str:
        start, first = self.at, self.pattern[self.at]
        if first == "(":
            return self.group(ignore_case)
        self.at += 1
        if first == "[":
            return self.character_class(ignore_case)
        if first == ".":
            return r"[^\n]"
        if first == "^":
            return "^"
        if first == "$":
            return r"(?=\n?$)"  # Python's $ also stands before a last line break
        if first == "\\":
            source = self.escape()
        elif first in "*+?":
            self.at = start
            raise self.unknown()
        else:
            source = _literal(first)
        if ignore_case:
            return f"[{source}{_other_cases(self.pattern[start : self.at])}]"
        return source

    def group(self, ignore_case: bool) -> str:
        opening = next((g for g in GROUPS if self.next_is(g)), None)
        named = re.compile(r"\(\?P?<\w+>").match(self.pattern, self.at)
        if opening:
            self.at += len(opening)
        elif self.next_is("(?i:"):
            opening, ignore_case, self.at = "(?:", True, self.at + 4
        elif self.next_is("(?>"):
            self.at += 3
            opening = ""
        elif named:
            opening, self.at = "(?:", named.end()
        elif self.next_is("(?"):
            raise self.unknown()
        else:
            opening, self.at = "(?:", self.at + 1
        inside = self.alternatives(ignore_case)
        self.at += 1  # the closing bracket: regex.compile saw that it is there
        return f"{opening}{inside})" if opening else self.without_return(inside)

    def escape(self) -> str:
        """What follows a backslash; good inside a class and outside."""
        rest = self.pattern[self.at :]
        code = re.match(r"x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})", rest)
        category = re.match(r"([pP])(?:\{(\w+)\}|(\w))", rest)
        if code:
            self.at += code.end()
            return _literal(chr(int(code[1] or code[2] or code[3], 16)))
        if category and CATEGORY.fullmatch(category[2] or category[3]):
            self.at += category.end()
            return f"\\{category[1]}{{{category[2] or category[3]}}}"
        if rest[0] in SETS or rest[0] in CHARACTERS or not rest[0].isalnum():
            self.at += 1
            return SETS.get(rest[0]) or _literal(CHARACTERS.get(rest[0], rest[0]))
        self.at -= 1
        raise self.unknown()

    def character_class(self, ignore_case: bool) -> str:
        start = self.at - 1
        negated = self.next_is("^")
        self.at += negated
        source, first = "", True
        while first or not self.next_is("]"):
            first = False
            character = self.pattern[self.at]
            if character == "[" or self.pattern[self.at : self.at + 2] in ("&&", "||", "--", "~~"):
                raise self.unknown()
            self.at += 1
            if character == "\\":
                source += self.escape()
            elif character == "-" and source and not self.next_is("]"):
                source += "-"  # a range
            else:
                source += _literal(character)
        self.at += 1
        if ignore_case and negated:
            self.at = start
            raise self.unknown()
        return f"[{'^' * negated}{source}{_other_cases(self.pattern[start : self.at]) if ignore_case else ''}]"


def _literal(character: str) -> str:
    if character.isalnum() or character in " '_<>=!:,;@#%&~`\"":
        return character
    return f"\\u{{{ord(character):x}}}"


@cache
def _cased() -> str:
    return "".join(c for c in map(chr, range(0x20000)) if c.lower() != c or c.upper() != c)


@cache
def _other_cases(atom: str) -> str:
    """What the atom matches under (?i:…) and not without it: 'S' and 'ſ' for 's'."""
    return "".join(sorted(set(regex.findall(f"(?i:{atom})", _cased())) - set(regex.findall(atom, _cased()))))
