"""Full dates as people write them, in CLDR's tables in Babel: *Saturday, March 21, 1987*, *Samstag, 21. März 1987*."""

import datetime
import re

from babel.dates import format_date

from course_lib.corpora.languages import language

FIRST, LAST = datetime.date(1900, 1, 1), datetime.date(2099, 12, 31)


def date_text(date: datetime.date, code: str) -> str:
    """The date with its weekday, in full: CLDR's format "full"."""
    language(code)
    return format_date(date, "full", locale=code)


def date_tokens(text: str) -> list[str]:
    """Words, single digits and marks. Digits stand alone so that no year is unknown.

    >>> date_tokens("21. März")
    ['2', '1', '.', 'März']
    """
    return re.findall(r"\d|[^\W\d]+|[^\w\s]", text)


def joined_date(tokens: list[str]) -> str:
    """Tokens put together again.

    >>> joined_date(["2", "1", ".", "März"])
    '21. März'
    """
    return re.sub(r" (?=[.,])", "", re.sub(r"(?<=\d) (?=\d)", "", " ".join(tokens)))
