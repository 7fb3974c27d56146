"""The same names in many languages: countries, languages, months, weekdays, currencies, units.

They come from Unicode's Common Locale Data Repository (CLDR), which the package Babel carries: entry i of every list
means the same thing, so that tokens can be counted for the same content in each language.
"""

import re
from difflib import get_close_matches
from functools import cache

from babel import Locale, UnknownLocaleError
from babel.localedata import locale_identifiers

from course_lib.errors import CourseError

# Ten scripts, and languages that build their words in many ways.
LOCALES = ("en", "de", "fr", "es", "sw", "fi", "tr", "vi", "ru", "el", "ar", "he", "hi", "th", "zh", "ja", "ko")
KINDS = ("territory", "language", "month", "weekday", "currency", "unit")


def by_language(locales=LOCALES, kinds=KINDS) -> dict[str, list[str]]:
    """{locale: names}; entry i means the same in each of them. Only what all of these languages have a name for is in.

    locales: identifiers of CLDR such as "sw" or "pt_BR". kinds: a choice of KINDS.
    Raises CourseError for a locale or a kind that doesn't exist, with the nearest ones that do.
    """
    if isinstance(locales, str) or isinstance(kinds, str):
        given = locales if isinstance(locales, str) else kinds
        raise CourseError(
            f"locales and kinds are lists, for example by_language(['en', 'sw'], kinds=['month']); got {given!r}."
        )
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        raise CourseError(f"There is no kind of name called {unknown[0]!r}. Choose from {', '.join(KINDS)}.")
    tables = {locale: _names(locale) for locale in locales}
    if not tables:
        raise CourseError("locales is empty. Name at least one language, for example by_language(['en', 'sw']).")
    shared = [
        key for key in next(iter(tables.values())) if key[0] in kinds and all(key in table for table in tables.values())
    ]
    return {locale: [table[key] for key in shared] for locale, table in tables.items()}


def english_name(locale: str) -> str:
    """'Swahili' for 'sw'. Raises CourseError for a locale that doesn't exist."""
    return _locale(locale).get_display_name("en")


@cache
def _names(locale: str) -> dict[tuple[str, str], str]:
    """{(kind, code): name}, in the order of KINDS and then of the codes."""
    data = _locale(locale)
    # Babel's "stand-alone" months and days are at times those of the locale that was loaded before; "format" is right.
    tables = {
        "territory": data.territories,
        "language": data.languages,
        "month": data.months["format"]["wide"],
        "weekday": data.days["format"]["wide"],
        "currency": {code: name for code, name in data.currencies.items() if code not in _past()},
        "unit": {code: names.get("long") or names.get("short") for code, names in data.unit_display_names.items()},
    }
    return {(kind, str(code)): name for kind in KINDS for code, name in sorted(tables[kind].items()) if _is_name(name)}


def _is_name(name) -> bool:
    """Whether it has a letter: '°' is no name."""
    return isinstance(name, str) and any(map(str.isalpha, name))


@cache
def _past() -> set[str]:
    """Currencies that are no more: their names are mostly years in brackets."""
    return {code for code, name in Locale("en").currencies.items() if re.search(r"\d{4}", name)}


@cache
def _locale(name: str) -> Locale:
    try:
        return Locale.parse(name)
    except (UnknownLocaleError, ValueError, TypeError):
        near = _near(name) if isinstance(name, str) else ""
        raise CourseError(
            f"CLDR has no locale {name!r}. {near or 'Pass an identifier such as sw, pt_BR or zh_Hant.'}"
        ) from None


def _near(name: str) -> str:
    """'Did you mean sw (Swahili)?', from the identifiers and from the languages' English names."""
    known = {identifier.lower(): identifier for identifier in locale_identifiers() if identifier != "root"}
    plain = name.strip().lower().replace("-", "_")
    try:
        found = [str(Locale.parse(plain))]  # zh-TW
    except (UnknownLocaleError, ValueError):
        languages = {english.lower(): code for code, english in Locale("en").languages.items() if code in known}
        found = [languages[english] for english in get_close_matches(plain, languages, n=2, cutoff=0.75)]
        found += [known[plain.partition("_")[0]]] if plain.partition("_")[0] in known else []
        found = found or [known[identifier] for identifier in get_close_matches(plain, known, n=3, cutoff=0.75)]
    names = [f"{code} ({Locale.parse(code).get_display_name('en')})" for code in dict.fromkeys(found)]
    return f"Did you mean {' or '.join(names[:3])}?" if names else ""
