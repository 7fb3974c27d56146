"""Which mistake is it? Wrong answers beside those of listed mistakes, of suspects and mutants, and the right ones.

What is found is a sentence, without the problem, the case or the inputs: `explain` makes of it what a student reads.
"""

import itertools
import re
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import NamedTuple

import torch

from course_lib.checking import suspects
from course_lib.checking.answers import Answers, CaseAnswer, message_of
from course_lib.checking.differences import Explained, WrongNumbers, called, close, distinct_names, equal, wrong_outputs
from course_lib.checking.kinds import Code, Mistake, ModuleCode
from course_lib.checking.mutants import mistake_and_mutant, mutants
from course_lib.checking.relations import claims, what_all_say
from course_lib.support.messages import is_plural

SUSPECTS_UNTIL, MUTANTS_UNTIL = 0.9, 1.3  # seconds of CPU time since an answer was found to be wrong


class Relation(NamedTuple):
    """What can be said of one output beside the right one; of all of them together, where `output` is None."""

    output: int | None
    says: str

    @property
    def is_simple(self) -> bool:
        """Simpler than any two mistakes that come to the same: one result of several, or the right numbers turned."""
        return self.output is None or bool(TURNED.match(self.says))


TURNED = re.compile(r"right numbers, but (transposed|the axes are|in reverse|with (one|\d+) ax)")


@dataclass(frozen=True)
class WrongCode:
    """What an explanation looks at. `problems` has for each case the first difference, or None where it is right."""

    exercise: Code
    seed: str
    answers: Answers
    problems: list[str | None]
    expected: list
    started: float = field(default_factory=time.thread_time)
    _inputs: dict = field(default_factory=dict)

    def inputs(self, index: int) -> tuple:
        """The arguments of a case; made anew only where whoever had them last has changed them in place."""
        made, as_made = self._inputs.get(index, ((), None))
        if _state(made) != as_made:
            made = self.exercise.inputs(index, self.seed)
            self._inputs[index] = made, _state(made)
        return made

    @cached_property
    def first(self) -> int:
        """The index of the first case that isn't right."""
        return next(index for index, problem in enumerate(self.problems) if problem)

    @property
    def case(self) -> CaseAnswer:
        return self.answers.cases[self.first]

    @property
    def problem(self) -> str:
        return self.problems[self.first]

    @cached_property
    def relation(self) -> Relation | None:
        """What an output has to do with the right one, the same in all cases where it is wrong."""
        return _relation(self)

    @cached_property
    def mutant(self) -> str | None:
        """The one of torch's operations that stands where another is meant, alone or beside a listed mistake."""
        given = self.exercise, self.inputs(self.first)
        return _first_that_is(self, MUTANTS_UNTIL, mutants(*given), mistake_and_mutant(*given))


def _state(x):
    """What is another one after `x` was changed in place; of a tensor torch counts the changes."""
    if isinstance(x, torch.Tensor):
        return x._version, x.shape
    if isinstance(x, (list, tuple)):
        return [_state(each) for each in x]
    if isinstance(x, dict):
        return [(key, _state(value)) for key, value in x.items()]
    return _state(vars(x)) if hasattr(x, "__dict__") else x


# --- mistakes that can be made: listed, two of them at once, inputs confused ------------------------------------------


def listed(wrong: WrongCode) -> Mistake | None:
    """The listed mistake that gives the same answer in every case, errors included."""
    exercise = wrong.exercise
    candidates = ((each, partial(exercise.run, each.wrong)) for each in exercise.mistakes)
    return None if wrong.case.changed else _likest(wrong, candidates)


def suspect(wrong: WrongCode) -> str | None:
    """The same for mistakes that nobody listed: inputs confused, two at once. Errors alone prove nothing here."""
    exercise, names, inputs = wrong.exercise, wrong.exercise.input_names(), wrong.inputs(wrong.first)
    return _first_that_is(
        wrong,
        SUSPECTS_UNTIL,
        suspects.inputs_confused(exercise, names, inputs),
        suspects.two_at_once(exercise),
        suspects.mistake_and_last_step(exercise),
        suspects.mistake_and_inputs_confused(exercise, names, inputs),
    )


def each_output(wrong: WrongCode) -> str | None:
    """Where two outputs are wrong: the listed mistake that each of them shows, as if the other were right."""
    if not isinstance(wrong.expected[0], tuple) or any(case.error or case.changed for case in wrong.answers.cases):
        return None
    pairs = [(case.value, want) for case, want in zip(wrong.answers.cases, wrong.expected)]
    wrong_ones = [wrong_outputs(wrong.exercise, *pair) for pair in pairs]
    outputs = [] if None in wrong_ones else sorted(set().union(*wrong_ones))
    if len(outputs) != 2:
        return None
    said = []
    for i in outputs:
        cases = [
            replace(case, value=(*want[:i], case.value[i], *want[i + 1 :]))
            for case, want in zip(wrong.answers.cases, wrong.expected)
        ]
        mistake = listed(replace(wrong, answers=replace(wrong.answers, cases=tuple(cases))))
        said.append(mistake and mistake.sentence)
    alone = all(said) and not any(re.search("(is|are) right", says) for says in said)  # it isn't: both are wrong
    return suspects.both(*said) if alone else None


def _first_that_is(wrong: WrongCode, until: float, *candidates: Iterable[tuple[str, Callable]]) -> str | None:
    cases = zip(wrong.answers.cases, wrong.problems)
    ran = next((i for i, (case, problem) in enumerate(cases) if problem and not case.error), None)
    explained = isinstance(wrong.problem, Explained) or not wrong.exercise.calculates
    if ran is None or wrong.case.changed or explained or _is_nothing(wrong):
        return None
    in_time = _until(wrong.started + until, itertools.chain(*candidates))
    return _likest(wrong, in_time, lambda makes: not _gives_the_right_answer(wrong, makes, ran))


def _is_nothing(wrong: WrongCode) -> bool:
    """None, or not one number: many mistakes give that, and it doesn't tell which."""
    value = wrong.case.value
    return not wrong.case.error and (
        value is None or (isinstance(value, torch.Tensor) and value.is_floating_point() and bool(value.isnan().all()))
    )


def _until(end: float, candidates: Iterable) -> Iterator:
    """Those that can be asked for before this thread has used so much CPU time."""
    for i, candidate in enumerate(candidates):
        if i % 16 == 0 and time.thread_time() > end:  # to look at the clock takes as long as to try one
            return
        yield candidate


def _gives_the_right_answer(wrong: WrongCode, makes: Callable, index: int) -> bool:
    """In a case that went wrong: then it is no mistake at all."""
    return equal(wrong.exercise, makes(*wrong.inputs(index)), wrong.expected[index])


def _likest(wrong: WrongCode, candidates, counts=lambda makes: True):
    """Of (what, makes) pairs the first that makes the same, or else the same but for a slip."""
    but_for_a_slip = None
    for what, makes in candidates:
        likeness = _likeness(wrong, makes)
        if likeness != OTHER and counts(makes):
            if likeness == SAME:
                return what
            but_for_a_slip = but_for_a_slip or what
    return but_for_a_slip


# --- is it this one? --------------------------------------------------------------------------------------------------

OTHER, BUT_FOR_A_SLIP, SAME = range(3)  # a slip: .view for .reshape, or something made in float32 whatever comes


def _likeness(wrong: WrongCode, makes: Callable) -> int:
    """How like what was answered is what `makes(*inputs)` gives, in the case where it is least so."""
    cases = wrong.answers.cases
    only_errors = all(case.error for case in cases)
    if not only_errors and all(case.error for case, problem in zip(cases, wrong.problems) if problem):
        only_errors = None  # what ran is right: nothing but the errors tells which mistake it is
    order = sorted(range(len(cases)), key=lambda index: wrong.problems[index] is None)  # it differs there, if anywhere
    return _least(_likeness_in(wrong, makes, index, cases[index], only_errors) for index in order)


def _least(likenesses: Iterable[int]) -> int:
    """The smallest, and none is asked for after OTHER."""
    least = SAME
    for each in likenesses:
        least = min(least, each)
        if least == OTHER:
            break
    return least


def _likeness_in(wrong: WrongCode, makes: Callable, index: int, case: CaseAnswer, only_errors: bool | None) -> int:
    try:
        theirs = makes(*wrong.inputs(index))
    except suspects.NotHere:
        return SAME if case.error else OTHER
    except Exception as error:  # a TypeError alone says little; and where all are errors, their words must be the same
        words_count = only_errors is not False or isinstance(error, TypeError)
        said, right = (text.replace("=: ", ": ") for text in (case.message, message_of(error)))  # += says it as + does
        same_words = said == right if only_errors else DIGITS.sub("", said) == DIGITS.sub("", right)
        return SAME if case.error == type(error).__name__ and (not words_count or same_words) else OTHER
    if case.value is None and not case.error and theirs in ([], {}) and theirs == wrong.expected[index]:
        return SAME  # a `return` inside the loop gives None where there is nothing to loop over
    if case.error:
        return BUT_FOR_A_SLIP if not only_errors and SLIP.search(case.message) else OTHER
    return _likeness_of(wrong.exercise, case.value, theirs)


DIGITS = re.compile(r"\d+")
SLIP = re.compile("view size is not compatible|same dtype|expected scalar type|found dtype")


def _likeness_of(exercise: Code, own, theirs) -> int:
    if isinstance(own, (tuple, list)) and isinstance(theirs, (tuple, list)) and len(own) == len(theirs):
        return _least(_likeness_of(exercise, *pair) for pair in zip(own, theirs))
    tensors = isinstance(own, torch.Tensor) and isinstance(theirs, torch.Tensor) and own.shape == theirs.shape
    if tensors and own.dtype == torch.float32 and theirs.dtype == torch.float64:  # then only the digits may differ
        return BUT_FOR_A_SLIP if torch.allclose(own, theirs.float(), rtol=1e-4, atol=1e-5, equal_nan=True) else OTHER
    if equal(exercise, own, theirs):
        return SAME
    a_constant = tensors and own.dtype == theirs.dtype == torch.float64  # such as torch.tensor(2.0).log() in it
    return BUT_FOR_A_SLIP if a_constant and torch.allclose(own, theirs, rtol=2e-7, equal_nan=True) else OTHER


# --- what it shows: a symptom, and what it has to do with the right answer --------------------------------------------


def symptom(wrong: WrongCode) -> str | None:
    """The first of the exercise's symptoms that the answer shows."""
    inputs = wrong.inputs(wrong.first)
    tests = wrong.exercise.symptoms
    if not isinstance(wrong.problem, WrongNumbers):
        tests = [(says, test) for says, test in tests if test.any_shape and not wrong.case.error]
    found = ((says, _holds(test, inputs, wrong.case.value)) for says, test in tests)
    return next((held if isinstance(held, str) else says for says, held in found if held), None)


def _holds(test, inputs, value) -> bool | str:
    try:
        return test(inputs, value)
    except Exception:  # a symptom looks at answers of any shape
        return False


def _relation(wrong: WrongCode) -> Relation | None:
    exercise, cases = wrong.exercise, wrong.answers.cases
    ran = [index for index, problem in enumerate(wrong.problems) if problem and not cases[index].error]
    explained = isinstance(wrong.problem, Explained) or not exercise.calculates
    if wrong.case.error or wrong.case.changed or explained or wrong.case.value is None:
        return None
    wrong_ones = {index: wrong_outputs(exercise, cases[index].value, wrong.expected[index]) for index in ran}
    swapped = _first_or_last(wrong, ran) if isinstance(wrong.expected[0], tuple) else None
    if swapped or None in wrong_ones.values():
        return Relation(None, swapped) if swapped else None
    for i in sorted(set().union(*wrong_ones.values())):
        says = what_all_say([_claims(wrong, index, i) for index in ran if i in wrong_ones[index]])
        if says:
            return Relation(i, says)
    return None


def _claims(wrong: WrongCode, index: int, i: int) -> list[str]:
    own, want = wrong.answers.cases[index].value, wrong.expected[index]
    own, want = (own[i], want[i]) if isinstance(want, tuple) else (own, want)
    inputs = wrong.inputs(index)
    names = distinct_names(want.shape, wrong.exercise.axes[i]) if isinstance(want, torch.Tensor) else []
    return claims(
        own, want, names, _sizes(wrong.exercise, inputs), lambda a, b: close(wrong.exercise, a, b)
    ) + _is_an_input(wrong, inputs, own, want)


def _is_an_input(wrong: WrongCode, inputs: tuple, own, want) -> list[str]:
    pairs = [(f"`{name}`", x) for name, x in zip(wrong.exercise.input_names(), inputs)]
    pairs += [(f"`{name}` with its last two axes exchanged", x.mT) for name, x in pairs if _is_table(x)]
    said = [f"you return {name} as it came in." for name, x in pairs if equal(wrong.exercise, own, x)]
    if not (isinstance(own, torch.Tensor) and isinstance(want, torch.Tensor) and want.is_floating_point()):
        return said
    for name, x in pairs:
        if isinstance(x, torch.Tensor) and x.shape == want.shape:
            said += [f"the right numbers with {name} added."] * equal(wrong.exercise, own, want + x)
            said += [f"the right numbers, multiplied by {name}."] * equal(wrong.exercise, own, want * x)
    return said


def _is_table(x) -> bool:
    return isinstance(x, torch.Tensor) and x.dim() >= 2


def _sizes(exercise: Code, inputs: tuple) -> dict[str, float]:
    """What a factor may be called: sizes of the inputs, their axes counted from the last, and numbers among them."""
    names, sizes = exercise.input_names(), {}
    if isinstance(exercise, ModuleCode):
        config = inputs[0]
        sizes |= {name: value for name, value in config.items() if isinstance(value, int)}
        if config.get("num_heads"):
            sizes["d_k"] = config["d_model"] / config["num_heads"]
        names, inputs = names[2:], inputs[2:]
    for axis in (-1, -2, -3):
        for name, x in zip(names, inputs):
            if isinstance(x, torch.Tensor) and x.dim() >= -axis:
                sizes[f"{name}.shape[{axis}]"] = x.shape[axis]
    for name, x in zip(names, inputs):
        if isinstance(x, torch.Tensor) and x.dim() == 1 and x.is_floating_point():
            sizes[f"the length of the vector {name}"] = float(x.norm())
    return sizes | {name: x for name, x in zip(names, inputs) if type(x) in (int, float)}


def _first_or_last(wrong: WrongCode, ran: list[int]) -> str | None:
    """Of several results only one comes back, or they come in another order."""
    exercise, count = wrong.exercise, len(wrong.expected[0])
    names = exercise.results or [called(exercise, i, count).lower() for i in range(count)]
    all_names = ", then ".join(names)
    picks = [(f"The results are the right ones in another order: first {all_names}.", lambda want: want[::-1])]
    for i, name in enumerate(names):
        verb, which = "come" if is_plural(name) else "comes", called(exercise, i, count).lower()
        picks.append((f"Only {which} {verb} back; all are asked for: {all_names}.", lambda want, i=i: want[i]))
    for says, pick in picks:
        if all(equal(exercise, wrong.answers.cases[index].value, pick(wrong.expected[index])) for index in ran):
            return says
    return None
