"""Wrong answers that nobody listed, made of what the exercise holds: two mistakes at once, or inputs that are confused.

Each is a sentence and a function from a case's inputs to what somebody would return who made this mistake.
"""

import itertools
import re
from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from course_lib.checking.kinds import Code, ModuleCode
from course_lib.support.messages import is_plural

Alteration = tuple[str, Callable[[tuple], tuple]]  # a sentence, and the inputs as they are confused


class NotHere(Exception):
    """The inputs of this case can't be confused in this way."""


def _turned_at_last(x: Tensor) -> Tensor:
    if x.dim() < 2:
        raise NotHere
    return x.mT


def two_at_once(exercise: Code) -> Iterator[tuple[str, Callable]]:
    """Every two listed mistakes that replace different steps."""
    for one, other in itertools.combinations([each for each in exercise.mistakes if each.steps], 2):
        if one.build is other.build and not set(one.steps) & set(other.steps):
            wrong = exercise.with_steps(one.build, {**one.steps, **other.steps})
            yield both(one.sentence, other.sentence), _called(exercise, wrong)


def inputs_confused(exercise: Code, names: list[str], inputs: tuple) -> Iterator[tuple[str, Callable]]:
    """The right answer to other inputs than those that were passed in."""
    for says, alter in alterations(exercise, names, inputs):
        yield says, _called(exercise, exercise.reference, alter)


def mistake_and_inputs_confused(exercise: Code, names: list[str], inputs: tuple) -> Iterator[tuple[str, Callable]]:
    for says, alter in alterations(exercise, names, inputs):
        for mistake in exercise.mistakes:
            yield both(mistake.sentence, says), _called(exercise, mistake.wrong, alter)


def mistake_and_last_step(exercise: Code) -> Iterator[tuple[str, Callable]]:
    """A listed mistake, and something done to the result that isn't asked for."""
    for says, step in _last_steps(exercise):
        for mistake in exercise.mistakes:
            yield both(mistake.sentence, says), _then(step, _called(exercise, mistake.wrong))


def _then(step: Callable, makes: Callable) -> Callable:
    return lambda *inputs: step(makes(*inputs))


def _last_steps(exercise: Code) -> Iterator[tuple[str, Callable]]:
    count = len(exercise.axes)
    if count == 1:
        yield from ((says.format("the result"), step) for says, step in LAST_STEPS.items())
        return
    names = exercise.results or [f"result {i + 1}" for i in range(count)]
    yield f"The results come in the wrong order: first {', then '.join(names)}.", lambda all: tuple(all)[::-1]
    for i, name in enumerate(names):
        verb = "come" if is_plural(name) else "comes"
        yield f"Only the {name} {verb} back; all are asked for: {', then '.join(names)}.", lambda all, i=i: all[i]
        for says, step in LAST_STEPS.items():
            yield says.format(f"the {name}"), lambda all, i=i, step=step: (*all[:i], step(all[i]), *all[i + 1 :])


LAST_STEPS = {
    "The last two axes of {} have changed places.": _turned_at_last,
    "At last a softmax is taken of {}, which isn't asked for.": lambda x: x.softmax(-1),
    "The sign of {} is wrong.": torch.neg,
}


def both(one: str, other: str) -> str:
    one, other = (
        re.sub(r"^[a-z]\w", lambda begins: begins[0].capitalize(), COUNT.sub("", says)) for says in (one, other)
    )
    return f"Two things at once. First: {one} And then: {other}"


# What a find-the-bug exercise says before its sentence; of two mistakes at once it isn't true any more.
COUNT = re.compile(r"^((One|Two)( of three)? found(: [^.]*)?\. )?(One|Two)( leaks?| bugs?)? (is|are) left: (?=\w)")


def _called(exercise: Code, function: Callable, alter=lambda inputs: inputs) -> Callable:
    return lambda *inputs: exercise.run(function, *alter(inputs))


# --- how inputs can be confused ---------------------------------------------------------------------------------------


def alterations(exercise: Code, names: list[str], inputs: tuple) -> list[Alteration]:
    """All that fit these inputs; of a module the weights, by their names, and the arguments of forward."""
    if isinstance(exercise, ModuleCode):
        _, weights, *arguments = inputs
        inside = [(says, _of_weights(alter)) for says, alter in _tensors(list(weights), list(weights.values()), True)]
        outside = [(says, _of_arguments(alter)) for says, alter in _tensors(names[2:], arguments)]
        return inside + outside
    return _tensors(names, list(inputs)) + _shared_axes(names, list(inputs)) + _plain(names, list(inputs))


def _of_weights(alter):
    def altered(inputs):
        config, weights, *arguments = inputs
        return config, dict(zip(weights, alter(tuple(weights.values())))), *arguments

    return altered


def _of_arguments(alter):
    return lambda inputs: (*inputs[:2], *alter(tuple(inputs[2:])))


def _put(i: int, change: Callable) -> Callable:
    """The inputs with the i-th changed."""

    def altered(inputs):
        changed = list(inputs)
        changed[i] = change(inputs[i])
        return tuple(changed)

    return altered


def _exchange(i: int, j: int) -> Callable:
    def altered(inputs):
        changed = list(inputs)
        changed[i], changed[j] = changed[j], changed[i]
        return tuple(changed)

    return altered


def _copy(source: int, target: int) -> Callable:
    def altered(inputs):
        changed = list(inputs)
        changed[target] = changed[source]
        return tuple(changed)

    return altered


def _turned(x: Tensor) -> Tensor:
    if x.dim() != 2:
        raise NotHere
    return x.mT


def _tensors(names: list[str], inputs: list, parameters: bool = False) -> list[Alteration]:
    found = []
    tensors = [i for i, x in enumerate(inputs) if isinstance(x, Tensor)]
    for i, j in itertools.combinations(tensors, 2):
        if inputs[i].dim() == inputs[j].dim() and inputs[i].dtype == inputs[j].dtype:
            found.append((f"`{names[i]}` and `{names[j]}` have changed places.", _exchange(i, j)))
    for i, j in itertools.permutations(tensors, 2):
        if inputs[i].dim() == inputs[j].dim() and inputs[i].dtype == inputs[j].dtype:
            found.append((f"`{names[j]}` isn't used: `{names[i]}` stands in its place.", _copy(i, j)))
    for i in tensors:
        x, name = inputs[i], names[i]
        if x.dim() == 2 and (parameters or not name[0].islower()):  # a matrix W, not a table of vectors
            found.append(
                (
                    f"`{name}` is used the wrong way round: x @ W where x @ W.mT is meant, or the reverse.",
                    _put(i, _turned),
                )
            )
        if x.is_floating_point():
            found.append(
                (
                    f"`{name}` has no influence: your answer is the same as if it were 0 everywhere.",
                    _put(i, lambda x: x * 0),
                )
            )
            found.append((f"your answer is that for `{name}` with the wrong sign.", _put(i, lambda x: -x)))
            found.append(
                (
                    f"`{name}` has no influence: your answer is the same as if it were 1 everywhere.",
                    _put(i, lambda x: x * 0 + 1),
                )
            )
        if parameters:
            continue
        if x.dtype != torch.bool:
            found.append((f"`{name}` is taken 1 too large.", _put(i, lambda x: x + 1)))
            found.append((f"`{name}` is taken 1 too small.", _put(i, lambda x: x - 1)))
        else:
            found.append((f"in `{name}` True and False have changed places.", _put(i, lambda x: ~x)))
        for axis in range(-1, -1 - x.dim(), -1):
            found.append(
                (
                    f"`{name}` is read backwards along its axis {axis}.",
                    _put(i, lambda x, axis=axis: x.flip(axis) if x.dim() >= -axis else x),
                )
            )
            found.append(
                (
                    f"of `{name}` only the first along its axis {axis} is used, for all.",
                    _put(i, lambda x, axis=axis: x.narrow(axis, 0, 1).expand_as(x).clone() if x.dim() >= -axis else x),
                )
            )
    return [(says[0].upper() + says[1:], alter) for says, alter in found]


def _shared_axes(names: list[str], inputs: list) -> list[Alteration]:
    """Tensors that have the texts, or the places, in common: some of these are left out of all of them."""
    found = []
    for axis in (0, 1):
        having = [i for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.dim() > axis]
        n = inputs[having[0]].shape[axis] if having else 0
        together = [i for i in having if inputs[i].shape[axis] == n]
        if len(together) < 2 or n < 2:
            continue
        shared = f"along axis {axis} of {' and '.join(f'`{names[i]}`' for i in together)}"
        for says, of in WHICH.items():
            found.append((f"{says} {shared}.", _cut(together, axis, of)))
    return found


WHICH = {
    "Only what comes first is looked at,": lambda n: slice(0, 1),
    "Only what comes last is looked at,": lambda n: slice(n - 1, n),
    "What comes first is left out,": lambda n: slice(1, n),
    "What comes last is left out,": lambda n: slice(0, n - 1),
}


def _cut(which: list[int], axis: int, of: Callable) -> Callable:
    def altered(inputs):
        n = inputs[which[0]].shape[axis]
        if n < 2 and of(n) != slice(0, 1):
            raise NotHere
        keep = (slice(None),) * axis + (of(n),)
        return tuple(x[keep] if i in which else x for i, x in enumerate(inputs))

    return altered


def _plain(names: list[str], inputs: list) -> list[Alteration]:
    found = []
    for i, (name, x) in enumerate(zip(names, inputs)):
        if isinstance(x, bool):
            found.append((f"`{name}` is taken for its opposite.", _put(i, lambda x: not x)))
        elif isinstance(x, (int, float)):
            changes = {
                "1 too large": lambda x: x + 1,
                "1 too small": lambda x: x - 1,
                "twice": lambda x: 2 * x,
                "half": lambda x: x // 2 if isinstance(x, int) else x / 2,
                "with the wrong sign": lambda x: -x,
                "as 0": lambda x: 0 * x,
                "as 1": lambda x: 0 * x + 1,
            }
            for text, change in changes.items():
                found.append((f"`{name}` is taken {text}.", _put(i, change)))
        elif isinstance(x, str):
            found.append((f"`{name}` is read backwards.", _put(i, lambda x: x[::-1])))
            found.append((f"`{name}` is made small letters first.", _put(i, str.lower)))
            found.append((f"the first letter of `{name}` is left out.", _put(i, lambda x: x[1:])))
            found.append((f"the last letter of `{name}` is left out.", _put(i, lambda x: x[:-1])))
        elif isinstance(x, (list, tuple)):
            found.append((f"`{name}` is read from its end.", _put(i, lambda x: x[::-1])))
            found.append((f"the first item of `{name}` is left out.", _put(i, lambda x: x[1:])))
            found.append((f"the last item of `{name}` is left out.", _put(i, lambda x: x[:-1])))
            if isinstance(x, tuple) and len(x) == 2:
                found.append((f"only the first of `{name}` is looked at.", _put(i, lambda x: (x[0], x[0]))))
        elif isinstance(x, dict):
            if all(isinstance(value, int) for value in x.values()):
                found.append(
                    (
                        f"the numbers in `{name}` aren't used: each of its keys counts once.",
                        _put(i, lambda x: dict.fromkeys(x, 1)),
                    )
                )
            found.append((f"`{name}` is read from its end.", _put(i, lambda x: dict(reversed(x.items())))))
    return [(says[0].upper() + says[1:] if says[0] != "`" else says, alter) for says, alter in found]
