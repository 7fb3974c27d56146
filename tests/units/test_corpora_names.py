"""The same names in many languages."""

import unicodedata

import pytest

from course_lib.corpora import names
from course_lib.errors import CourseError

SCRIPTS = {
    "ru": "CYRILLIC",
    "el": "GREEK",
    "ar": "ARABIC",
    "he": "HEBREW",
    "hi": "DEVANAGARI",
    "th": "THAI",
    "zh": "CJK",
    "ko": "HANGUL",
    "tr": "LATIN",
    "sw": "LATIN",
}


def test_an_entry_means_the_same_in_every_language():
    lists = names.by_language()
    assert tuple(lists) == names.LOCALES and len({len(words) for words in lists.values()}) == 1
    assert 900 < len(lists["en"]) < 2000
    at = lists["en"].index
    for english, locale, expected in [
        ("Germany", "de", "Deutschland"), ("Germany", "sw", "Ujerumani"), ("Germany", "ru", "Германия"), ("Swahili", "zh", "斯瓦希里语"), ("Japan", "ko", "일본"),
        ("Monday", "tr", "Pazartesi"), ("Monday", "el", "Δευτέρα"), ("Friday", "ja", "金曜日"), ("January", "fi", "tammikuuta"), ("meters", "hi", "मीटर"), ("Danish Krone", "de", "Dänische Krone"),
    ]:  # fmt: skip
        assert lists[locale][at(english)] == expected, (english, locale)
    assert all(word.strip() for words in lists.values() for word in words)


@pytest.mark.parametrize("kind", names.KINDS)
def test_each_language_is_in_its_own_script(kind):
    """All but a few ('byte' is English in Greek, too). Babel at times gives the names of the locale that was loaded before; not those that we ask for."""
    for locale, words in names.by_language(kinds=[kind]).items():
        if locale in SCRIPTS:
            own = [any(unicodedata.name(c, "").startswith(SCRIPTS[locale]) for c in word) for word in words]
            assert sum(own) > 0.9 * len(own), (locale, [word for word, right in zip(words, own) if not right])


def test_only_what_all_have_is_in_and_the_order_is_fixed():
    few, many = names.by_language(["en", "sw"])["en"], names.by_language(["en"])["en"]
    assert len(few) < len(many) and [name for name in many if name in set(few)][:50] == few[:50]
    assert (
        names.by_language(["en"], ["month", "weekday"])["en"] == names.by_language(["en"], ["weekday", "month"])["en"]
    )
    assert (
        names.by_language(["sw"], ["month"])["sw"][:3] == ["Januari", "Februari", "Machi"]
        and names.by_language(["sw"], ["weekday"])["sw"][0] == "Jumatatu"
    )
    assert names.by_language(["pt_BR", "zh_Hant"]).keys() == {"pt_BR", "zh_Hant"}


@pytest.mark.parametrize(
    "locales, sentence",
    [
        (["swahili"], r"no locale 'swahili'. Did you mean sw \(Swahili\)"),
        (["japanese"], r"Did you mean ja \(Japanese\)"),
        (["zh-TW"], r"Did you mean zh_Hant_TW"),
        (["de_XX"], r"Did you mean de \(German\)"),
        (["qqq"], "Pass an identifier such as"),
        ([""], "no locale ''"),
        ([None], "no locale None"),
        ([], "locales is empty"),
        ("en", "are lists"),
    ],
)
def test_a_language_that_is_not_there(locales, sentence):
    with pytest.raises(CourseError, match=sentence):
        names.by_language(locales)


def test_a_kind_that_is_not_there():
    with pytest.raises(CourseError, match="no kind of name called 'colour'. Choose from territory"):
        names.by_language(["en"], ["colour"])


def test_english_names():
    assert names.english_name("sw") == "Swahili" and names.english_name("pt_BR") == "Portuguese (Brazil)"
