"""The languages of the parallel corpora: those whose numbers num2words writes well, and whose dates CLDR does."""

from dataclasses import dataclass

from course_lib.errors import CourseError


@dataclass(frozen=True)
class Language:
    """`glued`: number words are written in one piece (einundzwanzig).

    `pieces` are then the parts that stand for no number of their own below twenty and no ten, with their value where
    they have one: und, hundert, and forms such as *ein* for 1.
    """

    name: str
    glued: bool = False
    pieces: tuple[tuple[str, int | None], ...] = ()


LANGUAGES = {
    "en": Language("English"),
    "de": Language("German", True, (("ein", 1), ("und", None), ("hundert", 100), ("tausend", 1000))),
    "nl": Language("Dutch", True, (("een", 1), ("en", None), ("ën", None), ("honderd", 100), ("duizend", 1000))),
    "da": Language("Danish", True, (("en", 1), ("og", None), ("hundrede", 100), ("tusinde", 1000), ("tusind", 1000))),
    "sv": Language("Swedish", True, (("hundra", 100), ("tusen", 1000))),
    "fr": Language("French"),
    "es": Language("Spanish"),
}


def language(code: str) -> Language:
    """The language with this code, such as "de". Raises CourseError for one that isn't there."""
    if code not in LANGUAGES:
        there = ", ".join(f'"{code}" ({each.name})' for code, each in LANGUAGES.items())
        raise CourseError(f"There is no language {code!r} in the course's corpora. Choose one of {there}.")
    return LANGUAGES[code]
