"""How an answer differs from the right one, in one sentence: type, count, shape, dtype, NaN, numbers, in this order."""

import contextlib
import math
import re

import torch

from course_lib.checking.kinds import Code
from course_lib.checking.wire import Other
from course_lib.support.messages import is_plural

SLIPS = {
    "NumPy array": "a NumPy array",
    "generator": "a generator: there is a `yield` where `return` is meant",
    "coroutine": "a coroutine: write `def`, not `async def`",
    "set": "a set",
    "bytes": "bytes: .decode() makes a text of them",
    "map": "a map: make a list of it with list(...)",
    "filter": "a filter: make a list of it with list(...)",
    "reversed": "a reversed list that isn't made yet: make a list of it with list(...)",
    "dict_items": "the items of a dictionary: return the dictionary itself",
    "dict_keys": "the keys of a dictionary: make a list of them with list(...)",
    "function": "a function: it is returned without being called",
    "builtin_function_or_method": "a function: it is named without being called, or its brackets () are missing",
}


ORDINALS = ("first", "second", "third", "fourth")


class WrongNumbers(str):
    """The sentence about an answer that has the right form: here a symptom may say more."""


class Explained(str):
    """A sentence that names the cause already."""


def difference(exercise: Code, value, want) -> str | None:
    """None if `value` is the right answer, else what differs first: type, count, shape, dtype, NaN, numbers."""
    if not isinstance(want, tuple):
        return _tensor_difference(exercise, value, want, 0)
    if value is None:
        return "Your function returns None. Is there a return at its end?"
    if not isinstance(value, (tuple, list)) or len(value) != len(want):
        got = f"{len(value)} results" if isinstance(value, (tuple, list)) else type_name(value)
        return f"Expected {len(want)} results: {_output_names(exercise, want)}. Yours: {got}."
    sentences = [_tensor_difference(exercise, own, right, i) for i, (own, right) in enumerate(zip(value, want))]
    said = [each for each in sentences if each]  # a wrong form says more than wrong numbers before it
    return next((each for each in said if not isinstance(each, WrongNumbers)), said[0] if said else None)


def wrong_outputs(exercise: Code, value, want) -> list[int] | None:
    """Which of several outputs are wrong; None where they can't be told apart."""
    if not isinstance(want, tuple):
        value, want = (value,), (want,)
    if not isinstance(value, (tuple, list)) or len(value) != len(want):
        return None
    return [i for i, (own, right) in enumerate(zip(value, want)) if _tensor_difference(exercise, own, right, i)]


def called(exercise: Code, i: int, count: int) -> str:
    """What the i-th output is called at the beginning of a sentence."""
    if i < len(exercise.results):
        return f"The {exercise.results[i]}"
    return f"Result {i + 1} of {count}" if count > 1 else "The result"


def _output_names(exercise: Code, want: tuple) -> str:
    return ", then ".join(
        f"({axes})" if isinstance(right, torch.Tensor) else axes for axes, right in zip(exercise.axes, want)
    )


def _tensor_difference(exercise: Code, value, want, i: int) -> str | None:
    which = called(exercise, i, len(exercise.axes))
    has, contains, is_ = ("have", "contain", "are") if is_plural(which) else ("has", "contains", "is")
    if not isinstance(want, torch.Tensor):
        return _plain_difference(exercise, value, want, f"The {exercise.axes[i]}")
    if value is None:
        return (
            f"{which} ({exercise.axes[i]}) {is_} None."
            if len(exercise.axes) > 1
            else "Your function returns None. Is there a return at its end?"
        )
    if isinstance(value, (tuple, list)) and len(exercise.axes) == 1:
        if how := _joined(exercise, value, want):
            return Explained(f"You return a {type(value).__name__} of {len(value)} tensors. Make one of them: {how}.")
        right = [j for j, own in enumerate(value) if equal(exercise, own, want)]
        if len(right) == 1 and len(value) > 1:
            place = ORDINALS[right[0]] if right[0] < len(ORDINALS) else f"one with index {right[0]}"
            return Explained(f"You return {len(value)} results. Only the {place}, which is right, is asked for.")
        if isinstance(value, tuple) and len(value) > 1 and all(isinstance(own, torch.Tensor) for own in value):
            return f"You return {len(value)} results, and one is asked for: {_named(want.shape, exercise.axes[i])}."
    if not isinstance(value, torch.Tensor):
        return f"{which} should be {_a(_dtype(want))} tensor, yours {is_} {type_name(value)}."
    axes = exercise.axes[i] if i < len(exercise.axes) else ""
    if exercise.broadcastable and value.shape != want.shape and _fits(value.shape, want.shape):
        value, want = torch.broadcast_tensors(value, want)
    if value.shape != want.shape:
        expected, got = _named(want.shape, axes), _named_like(value.shape, want.shape, axes)
        return (
            f"{which} {has} the wrong shape: expected {expected}, got {got}.{_missing(value.shape, want.shape, axes)}"
        )
    if value.dtype != want.dtype:
        cure = (
            "Make it True and False: compare (> 0, != 0), or .bool()."
            if want.dtype == torch.bool
            else "Let the inputs decide it."
        )
        return f"{which} {has} the wrong dtype: expected {_dtype(want)}, got {_dtype(value)}. {cure}"
    if close(exercise, value, want):
        return None
    if value.is_floating_point() and value.isnan().any() and not want.isnan().any():
        return (
            f"{which} {contains} NaN (not a number). "
            "Where could something be divided by zero, or infinity be taken from infinity?"
        )
    if value.is_floating_point() and value.isinf().any() and not want.isinf().any():
        return f"{which} {contains} infinity. Which number became too large?"
    if want.dtype == torch.float64 and close(exercise, value.float(), want.float()):
        return Explained(
            f"{which} {has} lost digits: the input is float64, but your numbers are only as exact as float32. "
            "Let the inputs decide the dtype, and add no small number such as 1e-9."
        )
    return WrongNumbers(f"{which} {has} the right shape, but wrong numbers{_where(exercise, value, want, axes)}.")


def _joined(exercise: Code, pieces, want) -> str | None:
    """How pieces become the right answer, if they do."""
    with contextlib.suppress(Exception):
        if len(pieces) > 1 and equal(exercise, sum(pieces), want):
            return "add them up"
    for name, join in (("cat", torch.cat), ("stack", torch.stack)):
        for dim in range(-1, -1 - want.dim(), -1):
            with contextlib.suppress(Exception):
                if len(pieces) > 1 and equal(exercise, join(list(pieces), dim), want):
                    return f"torch.{name}(…, dim={dim})"
    return None


def _fits(own, want) -> bool:
    """Does one of these shapes broadcast to the other, or both to their larger axes?"""
    return 0 < len(own) <= len(want) and all(a == b or 1 in (a, b) for a, b in zip(own[::-1], want[::-1]))


def _missing(own, want, axes: str) -> str:
    """Says which axis is missing, or that there is one too many, where that is without doubt."""
    names = axis_names(want, axes)
    if len(own) == len(want) and {b - a for a, b in zip(own, want)} <= {0, 1}:
        shorter = [_axis(name) for name, a, b in zip(names, own, want) if a < b]
        cut = " A slice [1:] cuts the first axis; [..., 1:] cuts the last." * any("leading" in each for each in shorter)
        return f" {' and '.join(shorter).capitalize()}: one place is missing.{cut}"
    if len(own) == len(want) - 1:
        left_out = [names[i] for i in range(len(want)) if want[:i] + want[i + 1 :] == own]
        if len(left_out) == 1:
            return f" The {_axis(left_out[0])} is missing."
        return f" An axis is missing: {' or '.join(left_out)}." if left_out else ""
    if len(own) == len(want) + 1:
        added = [n for i, n in enumerate(own) if own[:i] + own[i + 1 :] == want]
        return f" There is an axis too many, of length {added[0]}." if len(set(added)) == 1 else ""
    return ""


def _axis(name: str) -> str:
    return name if "axis" in name else f"axis {name}"


def _plain_difference(exercise: Code, value, want, which: str) -> str | None:
    if isinstance(value, torch.Tensor) and value.numel() == 1 and isinstance(want, (int, float)):
        return f"{which} should be a Python number, yours is a tensor. Use .item()."
    if type(want) is float and type(value) in (int, float):
        near = math.isclose(value, want, rel_tol=exercise.rtol, abs_tol=exercise.atol)
        return None if near else WrongNumbers(f"{which} should be {want:.4g}, yours is {value:.4g}.")
    if isinstance(want, dict) and isinstance(value, dict):
        return _dict_difference(exercise, value, want, which)
    if isinstance(want, list) and isinstance(value, (list, tuple)):
        return _list_difference(exercise, list(value), want, which)
    if value is None:
        nothing = f"{which}: None comes back." if len(exercise.axes) > 1 else "Your function returns None."
        return f"{nothing} Is there a return at its end?"
    if type(value) is not type(want):
        return f"{which} should be {type_name(want)}, yours is {type_name(value)}."
    return None if value == want else WrongNumbers(f"{which} should be {short(want)}, yours is {short(value)}.")


def _dict_difference(exercise: Code, value: dict, want: dict, which: str) -> str | None:
    """The first entry that is missing, too many, or has the wrong value."""
    if _same(exercise, value, want):
        return None
    if want and value and not {type(key) for key in value} & {type(key) for key in want}:
        own, right = next(iter(value)), next(iter(want))
        return WrongNumbers(
            f"{which} should have keys such as {short(right)}, {type_name(right)}; "
            f"yours has {short(own)}, {type_name(own)}."
        )
    key = next((key for key in want if key not in value), None)
    if key is not None:
        return WrongNumbers(
            f"{which} should have an entry for {short(key)}, with {_brief(want[key])}, but yours has none."
        )
    extra = next(((key, own) for key, own in value.items() if key not in want), None)
    if extra is not None:
        return WrongNumbers(
            f"{which} shouldn't have an entry for {short(extra[0])}; yours has one, with {short(extra[1])}."
        )
    key = next(key for key in want if not _same(exercise, value[key], want[key]))
    expected, yours = _shown(value[key], want[key])
    return WrongNumbers(f"{which} should have {expected} for {short(key)}; yours has {yours}.")


def _list_difference(exercise: Code, value: list, want: list, which: str) -> str | None:
    """Both lists where they are short, else the first place where they part."""
    if _same(exercise, value, want):
        return None
    both = list(zip(value, want))
    place = next((i for i, (own, right) in enumerate(both) if not _same(exercise, own, right)), len(both))
    another_type = place < len(both) and type(value[place]) is not type(want[place])
    if not another_type and len(repr(want)) + len(repr(value)) < 160:
        return WrongNumbers(f"{which}: expected {short(want, 160)}, yours {short(value, 160)}.")
    expected, yours = (
        _shown(*both[place])
        if place < len(both)
        else [short(items[place]) if place < len(items) else "the end" for items in (want, value)]
    )
    lengths = (
        ":"
        if len(value) == len(want)
        else f" should have {len(want)} item{'s' * (len(want) != 1)}, yours has {len(value)};"
    )
    return WrongNumbers(
        f"{which}{lengths} the first difference is at index {place}: expected {expected}, yours {yours}."
    )


def _same(exercise: Code, value, want) -> bool:
    """`equal`, but a list is no tuple, and the other way round."""
    if isinstance(want, (list, tuple)):
        return (
            type(value) is type(want)
            and len(value) == len(want)
            and all(_same(exercise, own, right) for own, right in zip(value, want))
        )
    if isinstance(want, dict):
        return (
            isinstance(value, dict)
            and value.keys() == want.keys()
            and all(_same(exercise, value[key], want[key]) for key in want)
        )
    return equal(exercise, value, want)


def _shown(value, want) -> tuple[str, str]:
    """Right and own value; with their types where these differ: 7 and 7.0, or (1, 2) and [1, 2], look much the same."""
    if type(value) is type(want) is float:  # as many digits as tell them apart
        digits = next((n for n in (4, 6, 8, 12) if f"{want:.{n}g}" != f"{value:.{n}g}"), 17)
        return f"{want:.{digits}g}", f"{value:.{digits}g}"
    if type(value) is type(want) or value is None:
        return short(want), short(value)
    return f"{short(want)} ({type_name(want)})", f"{short(value)} ({type_name(value)})"


def _brief(value) -> str:
    return f"{value:.4g}" if type(value) is float else short(value)


def short(value, length: int = 80) -> str:
    """What Python writes for it, on one line, cut where it gets long."""
    text = re.sub(r"\n\s*", " ", repr(value))  # a text's own line breaks are written \\n: these are a tensor's
    return text if len(text) <= length else f"{text[: length - 20]} … ({len(text):,} characters in all)"


def _differing(exercise: Code, value, want) -> torch.Tensor:
    """True where two tensors of the same shape and dtype are further apart than rounding explains."""
    rtol, atol = (exercise.rtol, exercise.atol) if want.dtype != torch.float64 else (1e-9, 1e-11)
    if not want.is_floating_point():
        return value != want
    return ~torch.isclose(value, want, rtol=rtol, atol=atol, equal_nan=True)


def close(exercise: Code, value, want) -> bool:
    return not _differing(exercise, value, want).any()


def _where(exercise: Code, value, want, axes: str) -> str:
    wrong = _differing(exercise, value, want)
    index = tuple(wrong.nonzero()[0].tolist())
    names = distinct_names(want.shape, axes)
    place = ", ".join(f"{name} = {n}" for name, n in zip(names, index))
    if want.dtype == torch.bool:
        shown = f"expected {bool(want[index])}, got {bool(value[index])}"
    else:
        right, own = want[index].item(), value[index].item()
        digits = next((n for n in (4, 6, 8, 12) if f"{right:.{n}g}" != f"{own:.{n}g}"), 17)
        shown = f"expected {right:.{digits}g}, got {own:.{digits}g}"
    if wrong.numel() == 1:
        return f": {shown}"
    return f": {int(wrong.sum())} of {wrong.numel()} differ, the first at {place}, {shown}"


def axis_names(shape, axes: str) -> list[str]:
    names = axes.split()
    if "..." in names:
        at = names.index("...")
        extra = len(shape) - len(names) + 1
        names[at : at + 1] = [f"leading axis {i + 1}" for i in range(extra)]
    return names if len(names) == len(shape) else [f"axis {i}" for i in range(len(shape))]


def distinct_names(shape, axes: str) -> list[str]:
    """The same, but the two axes of a square matrix are its row and its column."""
    names = axis_names(shape, axes)
    return [*names[:-2], "row", "column"] if len(names) > 1 and names[-1] == names[-2] else names


def _named(shape, axes: str) -> str:
    names = axis_names(shape, axes)
    shown = [str(n) if name.startswith("leading") else f"{name} {n}" for name, n in zip(names, shape)]
    return "(" + ", ".join(shown) + ")" if names else "a single number"


def _named_like(shape, want, axes: str) -> str:
    """Name the axes of a wrong shape by the lengths of the right one, where that is without doubt."""
    names = dict(zip(want, axis_names(want, axes)))
    if len(names) == len(want) and all(n in names for n in shape) and len(set(shape)) == len(shape):
        return "(" + ", ".join(f"{names[n]} {n}" for n in shape) + ")" if len(shape) else "a single number"
    return str(tuple(shape)) if len(shape) else "a single number"


def _dtype(x: torch.Tensor) -> str:
    return str(x.dtype).removeprefix("torch.")


def _a(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


def type_name(value) -> str:
    if isinstance(value, Other):
        return SLIPS.get(value.name) or (value.name if " " in value.name else f"a value of type {value.name}")
    if isinstance(value, torch.Tensor):
        return f"a tensor of shape {tuple(value.shape)}"
    names = {
        bool: "True or False",
        int: "a whole number",
        float: "a float",
        str: "a text",
        list: "a list",
        tuple: "a tuple",
        dict: "a dictionary",
        type(None): "None",
    }
    return names.get(type(value), type(value).__name__)


def equal(exercise: Code, a, b) -> bool:
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)):
        return len(a) == len(b) and all(equal(exercise, x, y) for x, y in zip(a, b))
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        return a.shape == b.shape and a.dtype == b.dtype and close(exercise, a, b)
    if isinstance(a, dict) and isinstance(b, dict):  # a Counter is one, too
        return a.keys() == b.keys() and all(equal(exercise, a[key], b[key]) for key in b)
    if type(a) is float and type(b) is float:
        return math.isclose(a, b, rel_tol=exercise.rtol, abs_tol=exercise.atol)
    return type(a) is type(b) and a == b
