"""What a student reads about code that isn't right: of all that could be said, the one sentence that helps most."""

import re

import torch

from course_lib.checking import recognise, stops
from course_lib.checking.answers import Answers, CaseAnswer
from course_lib.checking.differences import WrongNumbers, called, difference, equal, short, wrong_outputs
from course_lib.checking.kinds import Code, ModuleCode
from course_lib.checking.recognise import WrongCode
from course_lib.checking.wire import encode
from course_lib.support.messages import is_plural

NOT_REPEATED = (
    "Called twice with the same input, your code gives two different answers. "
    "It keeps something from call to call, or draws random numbers."
)
STAY_WITH_TENSORS = "Stay with tensor operations: no .item(), .tolist(), .detach(), .data, "


def explain(wrong: WrongCode) -> tuple[str, str]:
    """The sentence of the mistake that it is, or else the first of SENTENCES that applies, and where it went wrong.

    With it what was recognised: "mistake:" and its name, one of SENTENCES, or "error:" and its class; "" where all that
    can be said is how it differs.
    """
    mistake = recognise.listed(wrong)
    if mistake:
        return mistake.sentence, f"mistake:{mistake.name}"
    said = ((recognised, applies(wrong)) for recognised, applies in SENTENCES)
    recognised, sentence = next((recognised, sentence) for recognised, sentence in said if sentence)
    recognised = recognised or (f"error:{wrong.case.error}" if wrong.case.error else "")
    return sentence + _which_cases(wrong) + _inputs_there(wrong), recognised


# --- the sentences, in the order in which they are tried --------------------------------------------------------------


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


def _returns_nothing(wrong: WrongCode) -> str | None:
    values = [case.value for case in wrong.answers.cases if not case.error]
    if wrong.case.error or wrong.case.value is not None or all(value is None for value in values):
        return None
    return f"{wrong.problem} In other cases something comes back: does a return stand in one branch of an `if` alone?"


def _simple(wrong: WrongCode) -> str | None:
    return _related(wrong) if wrong.relation and wrong.relation.is_simple else None


def _suspect(wrong: WrongCode) -> str | None:
    return _with_the_problem(wrong, recognise.suspect(wrong))


def _each_output(wrong: WrongCode) -> str | None:
    return _with_the_problem(wrong, recognise.each_output(wrong))


def _mutant(wrong: WrongCode) -> str | None:
    return _with_the_problem(wrong, wrong.mutant)


def _with_the_problem(wrong: WrongCode, says: str | None) -> str | None:
    """What can be seen at once, such as a wrong shape, comes first; where it stopped, after the reason."""
    if says and wrong.case.error:
        return f"{says} {wrong.problem}"
    return says if says is None or isinstance(wrong.problem, WrongNumbers) else f"{wrong.problem} {says}"


WHOLE = ("the right numbers", "all others are right", "wrong only ")


def _symptom(wrong: WrongCode) -> str | None:
    says = recognise.symptom(wrong)
    if says is None:
        return None
    if not isinstance(wrong.problem, WrongNumbers):
        return f"{wrong.problem} {says}"
    want = wrong.expected[wrong.first]
    if not any(isinstance(x, torch.Tensor) for x in (want if isinstance(want, tuple) else (want,))):  # can be shown
        return f"{says} {wrong.problem}"
    related = wrong.mutant or _related(wrong) or ""
    whole = wrong.mutant or any(each in related for each in WHOLE)  # then all is known
    return (f"{related} {says}" if whole else f"{says} {related}").rstrip()


def _related(wrong: WrongCode) -> str | None:
    if wrong.relation is None:
        return None
    output, says = wrong.relation
    if output is None:
        return says
    count = len(wrong.expected[0]) if isinstance(wrong.expected[0], tuple) else 1
    return _with_facts(wrong, called(wrong.exercise, output, count), says) + _right_ones(wrong, count)


def _with_facts(wrong: WrongCode, which: str, says: str) -> str:
    """A wrong shape, or what can be read, is shown first: lists, dictionaries, numbers, texts."""
    numbers = isinstance(wrong.problem, WrongNumbers) and isinstance(_first_output(wrong), torch.Tensor)
    alone = f"{wrong.problem} {says[0].upper()}{says[1:]}"
    return f"{which}: {says}" if numbers or "NaN" in wrong.problem else alone


def _first_output(wrong: WrongCode):
    want = wrong.expected[wrong.first]
    return want[0] if isinstance(want, tuple) else want


def _right_ones(wrong: WrongCode, count: int) -> str:
    """The outputs that are right in every case that ran."""
    cases = wrong.answers.cases
    bad = [
        wrong_outputs(wrong.exercise, case.value, want) for case, want in zip(cases, wrong.expected) if not case.error
    ]
    if count == 1 or None in bad:
        return ""
    right = [called(wrong.exercise, i, count) for i in range(count) if not any(i in each for each in bad)]
    verb = "are" if len(right) > 1 or (right and is_plural(right[0])) else "is"
    return f" {' and '.join([right[0], *(each.lower() for each in right[1:])])} {verb} right." if right else ""


def _first_difference(wrong: WrongCode) -> str:
    count = len(wrong.expected[0]) if isinstance(wrong.expected[0], tuple) else 1
    return wrong.problem + ("" if wrong.case.error or wrong.case.changed else _right_ones(wrong, count))


SENTENCES = (
    ("not repeated", _not_repeated),
    ("unfinished", _unfinished),
    ("notebook's variable", _reads_the_notebook),
    ("nothing returned", _returns_nothing),
    ("relation", _simple),
    ("suspect", _suspect),
    ("each output", _each_output),
    ("symptom", _symptom),
    ("mutant", _mutant),
    ("relation", _related),
    ("", _first_difference),
)


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
    if exercise.wanted == "function" and all(map(_is_plain, inputs)):
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
    if isinstance(value, (list, tuple)):
        return all(map(_is_plain, value))
    return isinstance(value, (str, bytes, int, float))


# --- what is wrong with one case, with the whole, or with the submission itself ------------------------------------


def why_not_run(exercise: Code, answers: Answers) -> str:
    """What kept the code from being run, or from running to its end."""
    detail, reached = answers.detail, exercise.cases[min(len(answers.cases), len(exercise.cases) - 1)].name
    if answers.problem == "type":
        call = f'check("{exercise.key}", {exercise.name})'
        return f"check needs your {exercise.wanted} itself, not {detail}: {call}, without calling it."
    if answers.problem == "signature":
        return f"The arguments don't fit: {detail}. Keep the first line as it was given."
    if answers.problem == "timeout":
        return (
            f"Stopped after {answers.seconds:g} seconds of computing, in the case “{reached}”. "
            "Is there a loop that never ends? Look at what makes each loop stop. "
            "The notebook is still usable, and this is no try."
        )
    if answers.problem == "waiting":
        return (
            f"Stopped after {answers.seconds:g} seconds, in the case “{reached}”, though little was computed. Does "
            "your code wait for something, in a loop or for an input? Otherwise the machine is busy: try again. "
            "The notebook is still usable, and this is no try."
        )
    return (
        f"Your code calls the finished {detail}. "
        "Writing that is what this exercise is about: build it from smaller operations."
    )


def case_problem(exercise: Code, case: CaseAnswer, want) -> str | None:
    """None where the case is right, else one sentence."""
    if case.error:
        return _hidden_name(exercise, case) or _error_sentence(case)
    if case.changed:
        names = " and ".join(f"`{name[:40]}`" for name in case.changed)
        return (
            f"Your code changes its input {names} in place. "
            "Whoever passed it in still needs it: leave it as it is, and make a new one."
        )
    return difference(exercise, case.value, want)


def _hidden_name(exercise: Code, case: CaseAnswer) -> str | None:
    """`F.softmax(…)` where F is an argument, and not torch.nn.functional."""
    called_there = re.search(r"\bF\.(\w+)", case.code) if "F" in exercise.input_names() else None
    if called_there is None or case.error not in ("TypeError", "AttributeError"):
        return None
    torch_has_it = (
        f"torch.{called_there[1]}" if hasattr(torch, called_there[1]) else f"torch.nn.functional.{called_there[1]}"
    )
    return (
        f"In `{case.code}`, F is your argument, a tensor: in this function it hides torch.nn.functional. "
        f"Write {torch_has_it}. Your code stopped with {case.error}: {case.message}"
    )


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
    right = exercise.gradient(seed)
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
