"""Sentences that many parts of the course say: one of these, did you mean, what came, a whole number."""

import operator
from collections.abc import Iterable
from difflib import get_close_matches

from course_lib.errors import CourseError


def one_of(name: str, value, allowed: Iterable, error: type[Exception] = CourseError):
    """`value`, if it is among `allowed`; else a sentence that names them.

    >>> one_of("layout", "rows", ["rows", "columns"])
    'rows'
    """
    allowed = list(allowed)
    if value not in allowed:
        listed = ", ".join(map(repr, allowed[:-1])) + f" or {allowed[-1]!r}" if len(allowed) > 1 else repr(allowed[0])
        raise error(f"{name} should be {listed}; got {value!r}.{did_you_mean(value, allowed)}")
    return value


def did_you_mean(wanted, known: Iterable, cutoff: float = 0.4) -> str:
    """ " Did you mean 'attend'?", with a space in front, or nothing where no known name is near.

    >>> did_you_mean("atend", ["attend", "bilinear"])
    " Did you mean 'attend'?"
    >>> did_you_mean("softmax", ["attend", "bilinear"])
    ''
    """
    near = get_close_matches(str(wanted), [each for each in known if isinstance(each, str)], n=1, cutoff=cutoff)
    return f" Did you mean {near[0]!r}?" if near else ""


def is_plural(name: str) -> bool:
    """Whether a verb after it stands in the plural.

    >>> is_plural("weights"), is_plural("loss")
    (True, False)
    """
    return name.endswith("s") and not name.endswith("ss")


def described(x) -> str:
    """What came where a tensor should be: its numbers and its shape; what is no tensor, by its type.

    >>> described([1, 2])
    'a list'
    """
    return f"{x.dtype} of the shape {tuple(x.shape)}" if hasattr(x, "dtype") else f"a {type(x).__name__}"


def whole_number(name: str, value, low: int = 0, error: type[Exception] = CourseError) -> int:
    """`value` as an int, if it is a whole number from `low` up.

    >>> whole_number("max_distance", 8)
    8
    """
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool) or number < low:
        raise error(f"{name} should be a whole number from {low} up; got {value!r}.")
    return number
