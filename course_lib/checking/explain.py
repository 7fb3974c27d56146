"""What a student reads about code that isn't right: of all that could be said, the one sentence that helps most."""

import copy
import itertools
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import torch

from course_lib.checking import stops, suspects
from course_lib.checking.answers import Answers, CaseAnswer, message_of
from course_lib.checking.differences import (
    Explained,
    WrongNumbers,
    called,
    close,
    difference,
    distinct_names,
    equal,
    short,
    wrong_outputs,
)
from course_lib.checking.kinds import Code, ModuleCode
from course_lib.checking.mutants import mutants
from course_lib.checking.relations import claims, what_all_say
from course_lib.checking.wire import encode

NOT_REPEATED = (
    "Called twice with the same input, your code gives two different answers. "
    "It keeps something from call to call, or draws random numbers."
)
SECONDS = 1.5  # of CPU, for trying suspects that nobody listed, and for mutants
STAY_WITH_TENSORS = "Stay with tensor operations: no .item(), .tolist(), .detach(), .data, "


@dataclass(frozen=True)
class WrongCode:
    """What an explanation looks at. `problems` has for each case the first difference, or None where it is right."""

    exercise: Code
    seed: str
    answers: Answers
    problems: list[str | None]
    expected: list
    _inputs: dict = field(default_factory=dict)

    def inputs(self, index: int) -> tuple:
        """The arguments of a case, as new objects."""
        if index not in self._inputs:
            self._inputs[index] = self.exercise.inputs(index, self.seed)
        return copy.deepcopy(self._inputs[index])

    @property
    def first(self) -> int:
        """The index of the first case that isn't right."""
        return next(index for index, problem in enumerate(self.problems) if problem)

    @property
    def case(self) -> CaseAnswer:
        return self.answers.cases[self.first]

    @property
    def problem(self) -> str:
        return self.problems[self.first]


def explain(wrong: WrongCode) -> str:
    """The sentence of the mistake that it is, or else the first of SENTENCES that applies, and where it went wrong."""
    mistake = _recognise(wrong)
    if mistake:
        return mistake
    sentence = next(filter(None, (applies(wrong) for applies in SENTENCES)))
    return sentence + _which_cases(wrong) + _inputs_there(wrong)


# --- mistakes that can be made: listed, two of them at once, inputs confused ------------------------------------------


def _recognise(wrong: WrongCode) -> str | None:
    """The sentence of the listed mistake that gives the same answer in every case, errors included."""
    if wrong.case.changed:
        return None
    run = wrong.exercise.run
    return next(
        (
            mistake.sentence
            for mistake in wrong.exercise.mistakes
            if _is(wrong, lambda *inputs, made=mistake.wrong: run(made, *inputs))
        ),
        None,
    )


def _suspect(wrong: WrongCode) -> str | None:
    """The same for mistakes that nobody listed: inputs confused, two at once. Errors alone prove nothing here."""
    exercise, names, inputs = wrong.exercise, wrong.exercise.input_names(), wrong.inputs(wrong.first)
    related = _related(wrong)
    if related and TURNED.search(related):  # simpler than any two mistakes that come to the same
        return related
    return _first_that_is(
        wrong,
        suspects.inputs_confused(exercise, names, inputs),
        suspects.two_at_once(exercise),
        suspects.mistake_and_last_step(exercise),
        suspects.mistake_and_inputs_confused(exercise, names, inputs),
    )


TURNED = re.compile("right numbers, but (transposed|the axes are|in reverse|with (one|\\d+) ax)", re.IGNORECASE)


def _mutant(wrong: WrongCode) -> str | None:
    """The same for one of torch's operations that stands where another is meant."""
    return _first_that_is(wrong, mutants(wrong.exercise, wrong.inputs(wrong.first)))


def _first_that_is(wrong: WrongCode, *candidates) -> str | None:
    ran = [case for case in wrong.answers.cases if not case.error]
    if wrong.case.changed or wrong.case.error or not ran or isinstance(wrong.problem, Explained):
        return None
    started = time.thread_time()
    for says, makes in itertools.chain(*candidates):
        if time.thread_time() - started > SECONDS:
            return None
        if _is(wrong, makes) and not _gives_the_right_answer(wrong, makes):
            return says if isinstance(wrong.problem, WrongNumbers) else f"{wrong.problem} {says}"
    return None


def _gives_the_right_answer(wrong: WrongCode, makes: Callable) -> bool:
    """In the case that went wrong: then it is no mistake at all."""
    return equal(wrong.exercise, makes(*wrong.inputs(wrong.first)), wrong.expected[wrong.first])


def _is(wrong: WrongCode, makes: Callable) -> bool:
    """Does `makes(*inputs)` give what was answered, in every case?"""
    cases = wrong.answers.cases
    only_errors = all(case.error for case in cases)
    if not only_errors and all(case.error for case, problem in zip(cases, wrong.problems) if problem):
        only_errors = None  # what ran is right: nothing but the errors tells which mistake it is
    order = sorted(range(len(cases)), key=lambda index: wrong.problems[index] is None)  # it differs there, if anywhere
    return all(_same_in(wrong, makes, index, cases[index], only_errors) for index in order)


def _same_in(wrong: WrongCode, makes: Callable, index: int, case: CaseAnswer, only_errors: bool | None) -> bool:
    try:
        theirs = makes(*wrong.inputs(index))
    except suspects.NotHere:
        return bool(case.error)
    except Exception as error:  # a TypeError alone says little; and where all are errors, their words must be the same
        words_count = only_errors is not False or isinstance(error, TypeError)
        said, right = (text.replace("=: ", ": ") for text in (case.message, message_of(error)))  # += says it as + does
        same_words = said == right if only_errors else DIGITS.sub("", said) == DIGITS.sub("", right)
        return case.error == type(error).__name__ and (not words_count or same_words)
    if case.value is None and not case.error and theirs in ([], {}) and theirs == wrong.expected[index]:
        return True  # a `return` inside the loop gives None where there is nothing to loop over
    if case.error:  # a second slip: .view for .reshape on inputs that aren't contiguous, a tensor made in float32
        return not only_errors and bool(SECOND_SLIP.search(case.message))
    return equal(wrong.exercise, _in_double_precision(case.value, theirs), theirs)


DIGITS = re.compile(r"\d+")
SECOND_SLIP = re.compile("view size is not compatible|same dtype|expected scalar type|found dtype")


def _in_double_precision(own, theirs):
    """The mistake may be the same, and made in float32 where the input is float64: then digits alone are missing."""
    if isinstance(own, (tuple, list)) and isinstance(theirs, (tuple, list)) and len(own) == len(theirs):
        return [_in_double_precision(*pair) for pair in zip(own, theirs)]
    if not (isinstance(own, torch.Tensor) and isinstance(theirs, torch.Tensor)) or own.shape != theirs.shape:
        return own
    lost = own.dtype == torch.float32 and theirs.dtype == torch.float64
    return theirs if lost and torch.allclose(own, theirs.float(), rtol=1e-4, atol=1e-5, equal_nan=True) else own


# --- the sentences for any other, in the order in which they are tried ------------------------------------------------


def _not_repeated(wrong: WrongCode) -> str | None:
    runs = not wrong.answers.cases[0].error
    return NOT_REPEATED if runs and not repeats_itself(wrong.exercise, wrong.answers) else None


def _unfinished(wrong: WrongCode) -> str | None:
    if not wrong.answers.unfinished:
        return None
    return f"There is still a `...` in your code: replace it with your own lines. {wrong.problem}"


def _reads_the_notebook(wrong: WrongCode) -> str | None:
    names = ", ".join(f"`{name[:40]}`" for name in wrong.answers.notebook_names[:3])
    if not names:
        return None
    return (
        f"{wrong.problem} It reads the notebook's variable {names}, "
        "which isn't among its arguments: work only with what is passed in."
    )


WHOLE = ("the right numbers", "all others are right", "wrong only ")


def _symptom(wrong: WrongCode) -> str | None:
    if not isinstance(wrong.problem, WrongNumbers):
        return None
    inputs = wrong.inputs(wrong.first)
    found = ((says, _holds(test, inputs, wrong.case.value)) for says, test in wrong.exercise.symptoms)
    says = next((held if isinstance(held, str) else says for says, held in found if held), None)
    if says and isinstance(wrong.expected[wrong.first], (list, dict)):  # both answers can be shown, and say more
        return f"{says} {wrong.problem}"
    mutant = says and _mutant(wrong)
    related = says and (mutant or _related(wrong) or "")
    whole = mutant or (related and any(each in related for each in WHOLE))  # then all is known
    return says and (f"{related} {says}" if whole else f"{says} {related}").rstrip()


def _related(wrong: WrongCode) -> str | None:
    """What an output has to do with the right one, the same in all cases where it is wrong."""
    exercise, cases = wrong.exercise, wrong.answers.cases
    ran = [index for index, problem in enumerate(wrong.problems) if problem and not cases[index].error]
    if wrong.case.error or wrong.case.changed or isinstance(wrong.problem, Explained):
        return None
    wrong_ones = {index: wrong_outputs(exercise, cases[index].value, wrong.expected[index]) for index in ran}
    swapped = _first_or_last(wrong, ran) if isinstance(wrong.expected[0], tuple) else None
    if swapped or None in wrong_ones.values():
        return swapped
    count = len(wrong.expected[0]) if isinstance(wrong.expected[0], tuple) else 1
    for i in sorted(set().union(*wrong_ones.values())):
        says = what_all_say([_claims(wrong, index, i) for index in ran if i in wrong_ones[index]])
        if says:
            return _with_facts(wrong, f"{called(exercise, i, count)}: {says}") + _right_ones(wrong, count)
    return None


def _with_facts(wrong: WrongCode, says: str) -> str:
    """A wrong shape, or what can be read, is shown first: lists, dictionaries, numbers, texts."""
    numbers = isinstance(wrong.problem, WrongNumbers) and isinstance(_first_output(wrong), torch.Tensor)
    _, _, says_alone = says.partition(": ")
    return says if numbers or "NaN" in wrong.problem else f"{wrong.problem} {says_alone[0].upper()}{says_alone[1:]}"


def _first_output(wrong: WrongCode):
    want = wrong.expected[wrong.first]
    return want[0] if isinstance(want, tuple) else want


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


def _right_ones(wrong: WrongCode, count: int) -> str:
    """The outputs that are right in every case that ran."""
    cases = wrong.answers.cases
    bad = [
        wrong_outputs(wrong.exercise, case.value, want) for case, want in zip(cases, wrong.expected) if not case.error
    ]
    if count == 1 or None in bad:
        return ""
    right = [called(wrong.exercise, i, count) for i in range(count) if not any(i in each for each in bad)]
    verb = "are" if len(right) > 1 or (right and right[0].endswith("s")) else "is"
    return f" {' and '.join([right[0], *(each.lower() for each in right[1:])])} {verb} right." if right else ""


def _first_or_last(wrong: WrongCode, ran: list[int]) -> str | None:
    """Of several results only one comes back, or they come in another order."""
    exercise = wrong.exercise
    for says, pick in (
        ("The results are the right ones in another order: first {0}.", lambda want: want[::-1]),
        *(
            (
                f"Only {called(exercise, i, len(exercise.axes)).lower()} comes back; all are asked for: {{0}}.",
                lambda want, i=i: want[i],
            )
            for i in range(len(exercise.axes))
        ),
    ):
        if all(equal(exercise, wrong.answers.cases[index].value, pick(wrong.expected[index])) for index in ran):
            names = exercise.results or [
                called(exercise, i, len(exercise.axes)).lower() for i in range(len(exercise.axes))
            ]
            return says.format(", then ".join(names))
    return None


def _first_difference(wrong: WrongCode) -> str:
    count = len(wrong.expected[0]) if isinstance(wrong.expected[0], tuple) else 1
    return wrong.problem + ("" if wrong.case.error or wrong.case.changed else _right_ones(wrong, count))


SENTENCES = (_not_repeated, _unfinished, _reads_the_notebook, _suspect, _symptom, _mutant, _related, _first_difference)


def _holds(test, inputs, value) -> bool | str:
    try:
        return test(inputs, value)
    except Exception:  # a symptom looks at answers of any shape
        return False


# --- where ------------------------------------------------------------------------------------------------------------


def _which_cases(wrong: WrongCode) -> str:
    """Where it went wrong first, and what was right: a batch that fails after single sentences says much."""
    names, problems = [case.name for case in wrong.exercise.cases], wrong.problems
    if len(names) == 1:
        return ""
    failed = [name for name, problem in zip(names, problems) if problem]
    right = [name for name, problem in zip(names, problems) if not problem]
    also = f" Right in {len(right)} of {len(names)} cases" if right else ""
    if len(right) > max(len(failed), 6):  # then the others are the shorter list
        also += f"; wrong in {', '.join(failed[1:])}, too." if len(failed) > 1 else "."
    elif right:
        also += f": {', '.join(right)}."
    return f" (In the case “{failed[0]}”.{also})"


def _inputs_there(wrong: WrongCode) -> str:
    """The call that went wrong: written out where it can be read, with the shapes of what is larger."""
    exercise, inputs = wrong.exercise, wrong.inputs(wrong.first)
    if not isinstance(exercise, ModuleCode) and all(map(_is_plain, inputs)):
        whole = ", ".join(map(repr, inputs))
        return f"\nThe call: `{exercise.name}({whole if len(whole) <= 300 else ', '.join(map(short, inputs))})`"
    given = dict(zip(exercise.input_names(), inputs))
    if isinstance(exercise, ModuleCode):
        given = {**given.pop("config"), **{name: x for name, x in given.items() if name != "weights"}}
    shown = [_shown(name, x) for name, x in given.items() if isinstance(x, torch.Tensor) or _is_plain(x)]
    return f"\nThe inputs there: {', '.join(shown)}." if shown else ""


def _shown(name: str, x) -> str:
    if not isinstance(x, torch.Tensor):
        return f"{name} = {short(x)}"
    if x.dim() < 2 and x.numel() <= 8:
        numbers = [round(value, 4) if isinstance(value, float) else value for value in x.flatten().tolist()]
        return f"{name} {tuple(x.shape)} = {numbers if x.dim() else numbers[0]}"
    return f"{name} {tuple(x.shape)}"


def _is_plain(value) -> bool:
    if isinstance(value, dict):
        return all(map(_is_plain, value)) and all(map(_is_plain, value.values()))
    return all(map(_is_plain, value)) if isinstance(value, (list, tuple)) else isinstance(value, (str, int, float))


# --- what is wrong with one case, with the whole, or with the submission itself ------------------------------------


def why_not_run(exercise: Code, answers: Answers) -> str:
    """What kept the code from being run, or from running to its end."""
    detail = answers.detail
    if answers.problem == "type":
        wanted = "class" if isinstance(exercise, ModuleCode) else "function"
        call = f'check("{exercise.key}", {exercise.name})'
        return f"check needs your {wanted} itself, not {detail}: {call}, without calling it."
    if answers.problem == "signature":
        return f"The arguments don't fit: {detail}. Keep the first line as it was given."
    if answers.problem == "timeout":
        return (
            f"Stopped after {answers.seconds:g} seconds of computing, in the case “{detail}”. "
            "Is there a loop that never ends? Look at what makes each loop stop. "
            "The notebook is still usable, and this is no try."
        )
    if answers.problem == "waiting":
        return (
            f"Stopped after {answers.seconds:g} seconds, in the case “{detail}”, though little was computed. Does your "
            "code wait for something, in a loop or for an input? Otherwise the machine is busy: try again. "
            "The notebook is still usable, and this is no try."
        )
    return (
        f"Your code calls the finished {detail}. "
        "Writing that is what this exercise is about: build it from smaller operations."
    )


def case_problem(exercise: Code, case: CaseAnswer, want) -> str | None:
    """None where the case is right, else one sentence."""
    if case.error:
        return _error_sentence(case)
    if case.changed:
        names = " and ".join(f"`{name[:40]}`" for name in case.changed)
        return (
            f"Your code changes its input {names} in place. "
            "Whoever passed it in still needs it: leave it as it is, and make a new one."
        )
    return difference(exercise, case.value, want)


def _error_sentence(case: CaseAnswer) -> str:
    error, message = case.error, case.message
    if error == "Misnamed":
        return message
    if error == "NotImplementedError" and not message:  # with a message it comes from torch
        return "Part of this is still to be written: it raises NotImplementedError."
    if 'missing the required "forward"' in message:
        return "Your module has no method called forward. Is its name spelt like that, and indented inside the class?"
    if "before Module.__init__() call" in message:
        return "Your __init__ must begin with super().__init__(): nn.Module can't hold layers before that."
    said = f"Your code stopped with {error}: {message}"
    cause = stops.explained(message, case.operation, case.code)
    return f"{cause} {said}" if cause else said


def repeats_itself(exercise: Code, answers: Answers) -> bool:
    """Did the first case give the same twice?"""
    first, again = answers.cases[0], answers.again
    if again is None or again.error:
        return False
    # the same as JSON: NaN, or a tensor as a key, is unequal to itself
    return encode(again.value) == encode(first.value) or equal(exercise, again.value, first.value)


def behaviour_problem(exercise: Code, seed: str, answers: Answers) -> str | None:
    """Right numbers are not all: the same again for the same input, and a gradient that flows."""
    if not repeats_itself(exercise, answers):
        return NOT_REPEATED
    return _gradient_problem(exercise, seed, answers.gradient) if exercise.differentiable else None


def _gradient_problem(exercise: Code, seed: str, own: CaseAnswer | None) -> str | None:
    right = exercise.gradient(exercise.reference, seed)
    if own is not None and "inplace operation" in own.message:
        return (
            "The numbers are right, but no gradient can be computed: a tensor is changed in place (x[i] = …) "
            "after it was used, and PyTorch still needs it as it was. "
            "Make a new one: masked_fill or torch.where for single numbers, torch.stack of a list for rows."
        )
    if own is None or own.error:
        return (
            "The numbers are right, but no gradient flows back through your code, "
            "so nothing in front of it could learn. "
            f"{STAY_WITH_TENSORS}NumPy, or torch.tensor(...) of results."
        )
    if any(g.isnan().any() for g in own.value) and not any(g.isnan().any() for g in right):
        return (
            "The numbers are right, but their gradient is NaN, and one NaN spoils every weight that learns from it. "
            "Somewhere infinity is taken from infinity, or multiplied by zero, on the way back: "
            "fill −∞ in (masked_fill, where) instead of adding or multiplying it."
        )
    if not equal(exercise, own.value, right):
        return (
            "The numbers are right, but the gradient isn't: part of the calculation is cut off from it. "
            f"{STAY_WITH_TENSORS}torch.no_grad(), or torch.tensor(...) of results."
        )
    return None
