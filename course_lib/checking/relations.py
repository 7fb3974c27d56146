"""How a wrong answer is related to the right one: transposed, shifted, twice as large, right but for its first row, …

Each small function looks at one answer beside the right one and yields what could be said of the two. A sentence is
told only if it can be said of every case that went wrong: what is true by accident in one is seldom true in another.
"""

import contextlib
import itertools
import math
from collections.abc import Callable, Iterator

import torch
from torch import Tensor

Close = Callable[[Tensor, Tensor], bool]  # equal up to rounding, with the exercise's tolerance
Sizes = dict[str, float]  # what a factor may be called: {"query.shape[-1]": 4}


class Weak(str):
    """True here, but of an axis so short that it says little: only with a case where it says more."""


def what_all_say(claims: list[list[str]]) -> str | None:
    """The first sentence that is among those of every case, and in one of them not only weakly."""
    strong = {each for case in claims for each in case if not isinstance(each, Weak)}
    return (
        next((str(each) for each in claims[0] if each in strong and all(each in case for case in claims[1:])), None)
        if claims
        else None
    )


def claims(own, want, names: list[str], sizes: Sizes, close: Close) -> list[str]:
    """All that can be said of two tensors, the surest first. `names` are those of the right one's axes."""
    if isinstance(own, Tensor) and isinstance(want, Tensor):

        def same(a: Tensor, b: Tensor) -> bool:
            return a.shape == b.shape and close(a.to(want.dtype), b.to(want.dtype))

        looks = SAME_SHAPE if own.shape == want.shape else OTHER_SHAPE
        if (
            own.dtype != want.dtype
            or not own.numel()
            or not want.numel()
            or want.dim() > 5
            or max(own.numel(), want.numel()) > 26_000
        ):
            return []  # of another dtype, or too large to look at for long
        said = _said(looks, own, want, names, sizes, same)
        return [type(claim)(claim.replace("axis leading axis", "leading axis")) for claim in said]
    return _said(PLAIN, own, want)


def _said(looks, *pair) -> list[str]:
    found = []
    for look in looks:
        with contextlib.suppress(Exception):  # they look at answers of any kind: a dictionary may hold tensors
            found += list(look(*pair))
    return found


# --- the same numbers in another place --------------------------------------------------------------------------------


def _axes_exchanged(own, want, names, sizes, same) -> Iterator[str]:
    for order in itertools.permutations(range(want.dim())) if want.dim() < 5 else []:
        moved = [i for i, axis in enumerate(order) if i != axis]
        if moved and same(own, want.permute(order)):
            if len(moved) == 2:
                first, second = (names[i] for i in moved)
                yield f"right numbers, but transposed: the axes {first} and {second} have changed places."
            else:
                yield f"right numbers, but the axes are in the order ({', '.join(names[i] for i in order)})."


def _reversed(own, want, names, sizes, same) -> Iterator[str]:
    for axis, name in enumerate(names):
        if want.shape[axis] > 1 and same(own, want.flip(axis)):
            yield f"right numbers, but in reverse order along the {name} axis."


def _shifted(own, want, names, sizes, same) -> Iterator[str]:
    for axis, name in enumerate(names):
        n = want.shape[axis]
        for step in (1, -1):
            if n > 2 and same(own, want.roll(step, axis)):
                yield f"right numbers, but {_places(step)} along the {name} axis, and round the end."
            rest = n - 1
            late, early = (own, want) if step > 0 else (want, own)
            if n > 2 and same(late.narrow(axis, 1, rest), early.narrow(axis, 0, rest)):
                yield f"right numbers, but {_places(step)} along the {name} axis. Off by one?"


def _places(step: int) -> str:
    return "one place too late" if step > 0 else "one place too early"


def _sorted(own, want, names, sizes, same) -> Iterator[str]:
    for axis, name in enumerate(names):
        ways = (False, True) if want.dtype != torch.bool and want.shape[axis] > 2 else ()
        if any(same(own, want.sort(axis, descending=down).values) for down in ways):
            yield f"the right numbers, but sorted along the {name} axis: each should stay in its place."


def _in_another_order(own, want, names, sizes, same) -> Iterator[str]:
    """Whole rows, or columns, or batches in another order; then the numbers of each row."""
    for axis, name in enumerate(names):
        n = want.shape[axis]
        if 1 < n <= 64:
            rows, right = own.movedim(axis, 0), want.movedim(axis, 0)
            order = [next((j for j in range(n) if same(row, right[j])), None) for row in rows]
            if None not in order and len(set(order)) == n:
                yield f"right numbers, but in another order along the {name} axis."
            elif None not in order and want.dim() > 1:
                yield f"each {name} has what belongs to some {name}, but not to its own."
    for axis, name in enumerate(names):
        if want.dtype != torch.bool and want.dim() > 1 and same(own.sort(axis).values, want.sort(axis).values):
            yield f"right numbers, but in another order along the {name} axis, not the same everywhere."


def _scrambled(own, want, names, sizes, same) -> Iterator[str]:
    if own.numel() == want.numel() > 2 and want.dtype != torch.bool:
        a, b = own.flatten(), want.flatten()
        if own.shape != want.shape and same(a, b):
            yield "right numbers in their right order, but cut into another shape."
        elif same(a.sort().values, b.sort().values):
            yield (
                "all the right numbers are there, but in other places. reshape and view keep the order in memory; "
                "axes change places by transpose or permute."
            )


def _axis_of_one(own, want, names, sizes, same) -> Iterator[str]:
    if own.numel() == want.numel() and same(own.squeeze(), want.squeeze()):
        more, less = own.dim() - want.dim(), want.dim() - own.dim()
        if more > 0:
            yield f"right numbers, but with {_count(more)} of length 1 too many. Where does it come from?"
        elif less > 0:
            yield f"right numbers, but with {_count(less)} of length 1 too few."
        else:
            yield "right numbers, but the axis of length 1 is in another place."


def _count(n: int) -> str:
    return "one axis" if n == 1 else f"{n} axes"


def _one_repeated(own, want, names, sizes, same) -> Iterator[str]:
    """The right answer's shape, each row the same."""
    for axis, name in enumerate(names):
        if want.shape[axis] < 2 or own.numel() < 3:
            continue
        first = want.narrow(axis, 0, 1).expand_as(want)
        if same(own, first):
            yield f"every {name} gets what only the first should get."
        elif want.is_floating_point() and same(own, want.mean(axis, keepdim=True).expand_as(want)):
            yield f"every {name} gets the average over all of them."
        elif want.is_floating_point() and same(own, want.sum(axis, keepdim=True).expand_as(want)):
            yield f"every {name} gets the sum over all of them."


def _all_alike(own, want, names, sizes, same) -> Iterator[str]:
    if own.numel() > 1 and (own == own.flatten()[0]).all():
        entry = own.flatten()[0].item()
        yield f"every entry is {entry if isinstance(entry, bool) else f'{entry:.4g}'}, and they should differ."
        return
    for axis, name in enumerate(names):
        if want.shape[axis] > 1 and own.dim() > 1 and same(own, own.narrow(axis, 0, 1).expand_as(own)):
            yield f"it is the same for every {name}, and should be different."


# --- parts of it right ------------------------------------------------------------------------------------------------


def _some_slices(own, want, names, sizes, same) -> Iterator[str]:
    """Only the first, all but the last, every second: what is right along one axis."""
    for axis, name in enumerate(names):
        n = want.shape[axis]
        right = [i for i in range(n) if same(own.select(axis, i), want.select(axis, i))]
        wrong = [i for i in range(n) if i not in right]
        if n <= 2 and wrong == [0]:
            yield Weak(f"only the first {name} is wrong, all others are right.")
        if n <= 2 and wrong == [n - 1]:
            yield Weak(f"only the last {name} is wrong, all others are right.")
        if n < 2:
            continue
        if right == [0]:
            yield f"only the first {name} is right."
        if n > 2 and right == [n - 1]:
            yield f"only the last {name} is right."
        if n > 2 and wrong == [0]:
            yield f"only the first {name} is wrong, all others are right."
        if n > 2 and wrong == [n - 1]:
            yield f"only the last {name} is wrong, all others are right."
        if n > 3 and wrong == list(range(1, n, 2)):
            yield f"along the {name} axis every second one is right, from the first on; those between are wrong."
        if n > 3 and wrong == list(range(0, n, 2)):
            yield f"along the {name} axis every second one is right, from the second on; those between are wrong."
        if n > 3 and n % 2 == 0 and wrong == list(range(n // 2, n)):
            yield f"the first half along the {name} axis is right, the second isn't."
        if n > 3 and n % 2 == 0 and wrong == list(range(n // 2)):
            yield f"the second half along the {name} axis is right, the first isn't."


def _triangles(own, want, names, sizes, same) -> Iterator[str]:
    if want.dim() < 2 or min(want.shape[-2:]) < 2:
        return
    row, column = names[-2:]
    place = torch.arange(want.shape[-1]) - torch.arange(want.shape[-2])[:, None]  # column - row
    where = {
        "on the diagonal": place == 0,
        "above the diagonal": place > 0,
        "below the diagonal": place < 0,
        "on the first diagonal above": place == 1,
        "on the first diagonal below": place == -1,
    }
    for text, part in where.items():
        rest = ~part
        if not part.any() or not rest.any():
            continue
        part_right, rest_right = (same(own[..., each], want[..., each]) for each in (part, rest))
        if rest_right and not part_right:
            yield f"wrong only {text}, where {_compared(row, column, text)}."
        elif part_right and part.sum() > 1 and not _entries_right(own, want)[..., rest].any():
            yield f"right only {text}, where {_compared(row, column, text)}."


def _entries_right(own, want) -> Tensor:
    return torch.isclose(own.double(), want.double(), rtol=1e-3, atol=1e-5, equal_nan=True)


def _compared(row: str, column: str, text: str) -> str:
    row, column = ("the row", "the column") if row == column else (row, column)
    if "first" in text:
        return f"{column} = {row} {'+' if 'above' in text else '-'} 1"
    return f"{column} {'>' if 'above' in text else '<' if 'below' in text else '='} {row}"


def _but_for_nan(own, want, names, sizes, same) -> Iterator[str]:
    if own.is_floating_point() and want.is_floating_point():
        lost = own.isnan() & ~want.isnan()
        if lost.any() and not lost.all() and same(own.masked_fill(lost, 0), want.masked_fill(lost, 0)):
            yield "right but for NaN (not a number). Where is zero divided by zero, or infinity taken from infinity?"


def _but_for_zeros(own, want, names, sizes, same) -> Iterator[str]:
    """Right where the right answer isn't 0, or where its own isn't."""
    if not want.is_floating_point() or own.numel() < 3:
        return
    empty, own_empty = want == 0, own == 0
    if empty.any() and not empty.all() and same(own.masked_fill(empty, 0), want):
        yield "right but where 0 is expected: there something else stands."
    if own_empty.any() and not own_empty.all() and same(want.masked_fill(own_empty, 0), own):
        yield "right but where you have 0: there something is missing."


def _nearly(own, want, names, sizes, same) -> Iterator[str]:
    digits = want.dtype == torch.float64 and torch.allclose(own, want, rtol=1e-5, atol=1e-6)  # float32 on the way
    if want.is_floating_point() and not digits and torch.allclose(own.double(), want.double(), rtol=5e-3, atol=5e-4):
        yield (
            "nearly right, but not exactly. Is something rounded, in lower precision, "
            "or is a small number added, such as 1e-5?"
        )


# --- other numbers ----------------------------------------------------------------------------------------------------


def _one_step_more(own, want, names, sizes, same) -> Iterator[str]:
    """One function of all numbers lies between the two."""
    if want.dtype == torch.bool or own.dtype == torch.bool:
        if own.dtype == want.dtype and same(own, ~want):
            yield "True and False have changed places."
        return
    if not want.is_floating_point() or own.numel() < 2:
        return
    after = {
        "with the wrong sign": (torch.neg,),
        "without their sign": (torch.abs,),
        "squared": (torch.square,),
        "under a root": (torch.sqrt, lambda x: x.abs().sqrt()),
        "as 1 / x": (torch.reciprocal,),
        "as 1 - x": (lambda x: 1 - x,),
        "sent through exp once more": (torch.exp,),
        "with a logarithm taken": (torch.log,),
        "sent through a tanh once more": (torch.tanh,),
        "sent through a sigmoid once more": (torch.sigmoid,),
        "cut off at 0": (torch.relu,),
        "rounded": (
            torch.round,
            lambda x: (x * 10).round() / 10,
            lambda x: (x * 100).round() / 100,
            lambda x: (x * 1000).round() / 1000,
        ),
        "as sin where cos is meant": (lambda x: (1 - x * x).clamp(min=0).sqrt(),),
    }
    for text, steps in after.items():
        if any(same(own, step(want)) for step in steps):
            yield f"the right numbers {text}."
    missing = {
        "squared": torch.square,
        "sent through exp": torch.exp,
        "sent through tanh": torch.tanh,
        "under a root": torch.sqrt,
    }
    for text, step in missing.items():
        if same(step(own), want):
            yield f"the last step is missing: your numbers should still be {text}."
    for axis, name in enumerate(names):
        if want.shape[axis] > 1:
            if same(own.softmax(axis), want):
                yield f"the softmax over the axis {name} is missing."
            elif same(own, want.softmax(axis)):
                yield f"the right numbers, sent through a softmax over the axis {name} once more."


def _sums(own, want, names, sizes, same) -> Iterator[str]:
    """What the numbers add up to, along which axis."""
    if not want.is_floating_point() or own.shape != want.shape or own.numel() < 3:
        return
    should = [axis for axis in range(want.dim()) if want.shape[axis] > 1 and _sums_to_one(want, axis, same)]
    for axis in should:
        name = names[axis]
        if _sums_to_one(own, axis, same):
            continue
        total = own.sum(axis, keepdim=True)
        if (total != 0).all() and same(own / total, want):
            yield f"the proportions are right, but they don't sum to 1 over the axis {name}: divide by that sum."
        for other, other_name in enumerate(names):
            if other != axis and want.shape[other] > 1 and _sums_to_one(own, other, same):
                yield f"your numbers sum to 1 over the axis {other_name}; they should over the axis {name}."
        if same(own.sum(), torch.ones_like(own.sum())):
            yield f"all your numbers together sum to 1; they should for each sum over the axis {name}."


def _sums_to_one(x: Tensor, axis: int, same) -> bool:
    total = x.sum(axis)
    return same(total, torch.ones_like(total))


def _factor(own, want, names, sizes, same) -> Iterator[str]:
    """The same factor everywhere, or the same number added."""
    if not want.is_floating_point() or own.numel() < 2:
        return
    safe = want.abs() > 1e-6 * want.abs().max()
    if safe.sum() > 1 and (want[safe][0] != want[safe]).any():
        factor = (own[safe] / want[safe]).median()
        if factor.isfinite() and factor != 0 and abs(factor - 1) > 1e-3 and same(own, want * factor):
            value = float(factor)
            yield from (f"the right numbers, but {text}." for text in _factor_names(value, sizes))
            if math.isclose(value * float(want.norm()), 1, rel_tol=1e-3):
                yield "the right numbers, but divided by their norm, the length of them all as one vector."
            yield f"the right numbers, but multiplied by {value:.4g}."
            yield "the right numbers, but for a factor that depends on the sizes: a scale is missing, or one too many."
    added = (own - want).median()
    if added.isfinite() and abs(added) > 1e-4 and same(own, want + added):
        yield from (f"the right numbers, each {text}." for text in _summand_names(float(added), sizes))
        yield f"the right numbers, but with {float(added):.3g} added to each."
        yield "the right numbers, but with the same number added to each, another one in each case."


CONSTANTS = {
    "2": 2.0,
    "3": 3.0,
    "4": 4.0,
    "10": 10.0,
    "100": 100.0,
    "1000": 1000.0,
    "ln 2": math.log(2),
    "ln 10": math.log(10),
    "π": math.pi,
    "2π": 2 * math.pi,
    "180/π": 180 / math.pi,
    "√2": 2**0.5,
    "e": math.e,
}


def _factor_names(factor: float, sizes: Sizes) -> Iterator[str]:
    """What the factor could be: √ of a size before the size itself, that before plain numbers."""
    yield from _products(factor, sizes)
    yield from _products(factor, CONSTANTS, roots=False)


def _products(factor: float, known: Sizes, roots: bool = True) -> Iterator[str]:
    sign = " and with the wrong sign" if factor < 0 else ""
    factor = abs(factor)
    powers = {"√({})": 0.5, "{}": 1.0, "{}²": 2.0} if roots else {"{}": 1.0}
    for text, power in powers.items():
        for name, value in known.items():
            if value <= 1 and roots:
                continue
            shown = text.format(name)
            if math.isclose(factor, value**power, rel_tol=1e-3):
                yield f"multiplied by {shown}{sign}"
            elif math.isclose(factor * value**power, 1, rel_tol=1e-3):
                yield f"divided by {shown}{sign}"


def _summand_names(added: float, sizes: Sizes) -> Iterator[str]:
    for value, text in ((1.0, "1 too large"), (-1.0, "1 too small")):
        if math.isclose(added, value, rel_tol=1e-3):
            yield text
    for name, value in sizes.items():
        if math.isclose(abs(added), value, rel_tol=1e-3):
            yield f"too {'large' if added > 0 else 'small'} by {name}"


def _factor_of_each(own, want, names, sizes, same) -> Iterator[str]:
    """Each row is the right one times a number of its own."""
    if not want.is_floating_point():
        return
    for axis, name in enumerate(names):
        if want.shape[axis] < 2 or want.dim() < 2:
            continue
        size, own_size = ((x * x).sum(axis, keepdim=True).sqrt() for x in (want, own))
        if (size > 0).all() and (own_size > 0).all() and want.numel() > 3 and same(own / own_size * size, want):
            others = ", ".join(each for i, each in enumerate(names) if i != axis)
            yield f"right proportions along the {name} axis, but each {others} has a factor of its own."


# --- other shapes -----------------------------------------------------------------------------------------------------


def _not_reduced(own, want, names, sizes, same) -> Iterator[str]:
    """An axis is there that should have been summed up."""
    if not own.is_floating_point() or own.dim() != want.dim() + 1:
        return
    for axis in range(own.dim()):
        if own.shape[axis] > 1:
            where = "the last axis" if axis == own.dim() - 1 else "the first axis" if axis == 0 else f"axis {axis}"
            if same(own.sum(axis), want):
                yield f"nearly there: it is only not summed over {where} yet."
            elif same(own.mean(axis), want):
                yield f"nearly there: the mean over {where} is still to be taken."


def _reduced_too_far(own, want, names, sizes, same) -> Iterator[str]:
    if own.dim() >= want.dim():
        return
    if want.dim() > 2 and same(own, want.flatten(0, -3)[0]):
        yield "only the first of the batch comes back. Leading axes should stay: count axes from the end."
    for axis, name in enumerate(names):
        if want.shape[axis] < 2:
            continue
        if same(own, want.select(axis, 0)):
            yield f"only the first along the {name} axis comes back; all are asked for."
        elif same(own, want.select(axis, -1)):
            yield f"only the last along the {name} axis comes back; all are asked for."
        elif want.is_floating_point() and same(own, want.sum(axis)):
            yield f"you have summed over the axis {name} as well; it should stay."
        elif want.is_floating_point() and same(own, want.mean(axis)):
            yield f"you have averaged over the axis {name} as well; it should stay."
    if own.numel() == 1 and want.is_floating_point() and same(own.reshape(()), want.sum()):
        yield "you have summed over everything."


def _one_too_many(own, want, names, sizes, same) -> Iterator[str]:
    if own.dim() != want.dim():
        return
    for axis, name in enumerate(names):
        more = own.shape[axis] - want.shape[axis]
        long, short = (own, want) if more > 0 else (want, own)
        n = short.shape[axis]
        if (
            abs(more) != 1
            or not n
            or own.shape[:axis] + own.shape[axis + 1 :] != want.shape[:axis] + want.shape[axis + 1 :]
        ):
            continue
        word = "too many" if more > 0 else "missing"
        if same(long.narrow(axis, 0, n), short):
            yield f"right numbers, but one is {word} at the end of the axis {name}."
        elif same(long.narrow(axis, 1, n), short):
            yield f"right numbers, but one is {word} at the beginning of the axis {name}."


def _broadcast(own, want, names, sizes, same) -> Iterator[str]:
    try:
        wide = own.expand_as(want)
    except RuntimeError:
        return
    if own.numel() < want.numel() and same(wide, want):
        yield "right numbers, but not repeated to the full shape: expand does that."


SAME_SHAPE = (
    _axes_exchanged,
    _reversed,
    _shifted,
    _sorted,
    _in_another_order,
    _one_step_more,
    _factor,
    _sums,
    _but_for_nan,
    _some_slices,
    _triangles,
    _one_repeated,
    _all_alike,
    _but_for_zeros,
    _factor_of_each,
    _scrambled,
    _nearly,
)
OTHER_SHAPE = (_axes_exchanged, _axis_of_one, _not_reduced, _reduced_too_far, _one_too_many, _broadcast, _scrambled)


# --- lists, dictionaries, numbers, texts ------------------------------------------------------------------------------


def _lists(own, want) -> Iterator[str]:
    if not (isinstance(own, (list, tuple)) and isinstance(want, (list, tuple))) or list(own) == list(want):
        return
    own, want = list(own), list(want)
    n = len(want)
    if own and isinstance(own[0], list) and own[0] == want:
        yield "the right list comes first, but beside something else. Return it alone."
    if own == want[::-1]:
        yield "the right items in reverse order."
    if len(own) == n and n > 1 and sorted(map(repr, own)) == sorted(map(repr, want)):
        yield "the right items, but in another order."
    if own and n > len(own) and own == want[: len(own)]:
        yield (
            "right as far as it goes, but it ends too early."
            if n - len(own) > 1
            else "right, but the last item is missing."
        )
    if own and n > len(own) and own == want[-len(own) :]:
        yield "right, but the beginning is missing." if n - len(own) > 1 else "right, but the first item is missing."
    if n and len(own) > n and own[:n] == want:
        yield "right as far as it should go, but it doesn't stop there."
    if n and len(own) > n and own[-n:] == want:
        yield "right at its end, but there is something in front that doesn't belong there."
    if n > 1 and len(own) == n - 1 and own not in (want[1:], want[:-1]):
        i = next((i for i in range(n) if want[:i] + want[i + 1 :] == own), None)
        if i is not None:
            yield f"right, but one item is missing, {want[i]!r} at index {i}."
    if n and len(own) == n + 1 and want not in (own[1:], own[:-1]):
        i = next((i for i in range(n + 1) if own[:i] + own[i + 1 :] == want), None)
        if i is not None:
            yield f"right, but one item is too many, {own[i]!r} at index {i}."
    if n and [x for x, y in itertools.zip_longest(own, own[1:], fillvalue=object()) if x != y] == want:
        yield "the right items, but some come twice."
    if all(isinstance(x, str) for x in own + want) and own:
        if "" in own and [x for x in own if x] == want:
            yield "right but for empty texts among the items."
        elif "".join(own) == "".join(want):
            yield "the letters are right, and all are there, but the cuts between them are in other places."
        elif [x.lower() for x in own] == [x.lower() for x in want]:
            yield "right but for capital letters."
        elif [x.strip() for x in own] == [x.strip() for x in want]:
            yield "right but for spaces around the items."
        elif len(own) == n and all(x in y or y in x for x, y in zip(own, want)):
            yield "the items are nearly right: each has a few letters too many or too few."
    if all(isinstance(x, (list, tuple)) for x in own + want) and [tuple(x)[::-1] for x in own] == [
        tuple(x) for x in want
    ]:
        yield "the right pairs, but turned round: left and right have changed places."


def _dictionaries(own, want) -> Iterator[str]:
    if not (isinstance(own, dict) and isinstance(want, dict)) or not own or own == want:
        return
    numbers = all(isinstance(x, (int, float)) for x in (*own.values(), *want.values()))
    if own.keys() == want.keys() and numbers:
        if all(value == 1 for value in own.values()):
            yield "the right keys, but each is counted as 1."
        factors = {own[key] / want[key] for key in want if want[key]}
        if factors == {-1.0}:
            yield "the right keys, but every number has the wrong sign."
        elif len(factors) == 1 and factors != {1.0} and len(want) > 1:
            yield f"the right keys, but every number is {next(iter(factors)):.4g} times what it should be."
        if len({own[key] - want[key] for key in want}) == 1 and len(want) > 1:
            yield f"the right keys, but every number is off by {abs(next(own[key] - want[key] for key in want)):.4g}."
        if not all(isinstance(x, int) for x in (*own.values(), *want.values())):
            return  # nothing was counted
        if all(own[key] < want[key] for key in want if own[key] != want[key]):
            yield "the right keys, but some numbers are too small: something isn't counted, or isn't added up."
        elif all(own[key] > want[key] for key in want if own[key] != want[key]):
            yield "the right keys, but some numbers are too large: something is counted more than once."
        return
    if all(isinstance(key, tuple) for key in (*own, *want)) and {key[::-1]: n for key, n in own.items()} == want:
        yield "the right pairs, but turned round: left and right have changed places."
    if abs(len(own) - len(want)) < 2:
        return
    if own.items() < want.items():
        yield "what is there is right, but entries are missing."
    elif want.items() < own.items():
        yield "all that should be there is there, but also entries that shouldn't be."


def _numbers(own, want) -> Iterator[str]:
    if not all(type(x) in (int, float) for x in (own, want)) or own == want:
        return
    if own == -want:
        yield "the size is right, the sign isn't."
    if abs(own - want) == 1 and type(want) is int:
        yield f"off by one: it is {'too large' if own > want else 'too small'} by 1. Do you count from 0?"
    for factor in (2, 4, 10, 100, 1000):
        if want and math.isclose(own, want * factor, rel_tol=1e-6):
            yield f"{factor} times too large."
        elif want and math.isclose(own * factor, want, rel_tol=1e-6):
            yield f"{factor} times too small."


def _texts(own, want) -> Iterator[str]:
    if not (isinstance(own, str) and isinstance(want, str)) or own == want:
        return
    if own == want[::-1]:
        yield "the right text, but backwards."
    elif own.lower() == want.lower():
        yield "right but for capital letters."
    elif own.split() == want.split():
        yield "right but for the spaces."
    elif sorted(own) == sorted(want):
        yield "the right letters in another order."


PLAIN = (_lists, _dictionaries, _numbers, _texts)
