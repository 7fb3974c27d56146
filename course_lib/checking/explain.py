"""What a student reads about code that isn't right: of all that could be said, the one sentence that helps most."""

from dataclasses import dataclass

from course_lib.checking.answers import Answers, CaseAnswer, message_of
from course_lib.checking.differences import WrongNumbers, difference, equal, short
from course_lib.checking.kinds import Code, Mistake, ModuleCode
from course_lib.checking.wire import encode

NOT_REPEATED = (
    "Called twice with the same input, your code gives two different answers. "
    "It keeps something from call to call, or draws random numbers."
)
STAY_WITH_TENSORS = "Stay with tensor operations: no .item(), .tolist(), .detach(), .data, "


@dataclass(frozen=True)
class WrongCode:
    """What an explanation looks at. `problems` has for each case the first difference, or None where it is right."""

    exercise: Code
    seed: str
    answers: Answers
    problems: list[str | None]

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
        return mistake.sentence
    sentence = next(filter(None, (applies(wrong) for applies in SENTENCES)))
    return sentence + _which_cases(wrong) + _inputs_there(wrong)


# --- the listed mistakes ----------------------------------------------------------------------------------------------


def _recognise(wrong: WrongCode) -> Mistake | None:
    """The listed mistake that gives the same answer in every case, errors included."""
    if wrong.case.changed:
        return None
    return next((mistake for mistake in wrong.exercise.mistakes if _is(mistake, wrong)), None)


def _is(mistake: Mistake, wrong: WrongCode) -> bool:
    cases = wrong.answers.cases
    only_errors = all(case.error for case in cases)
    return all(_same_in(wrong, mistake, index, case, only_errors) for index, case in enumerate(cases))


def _same_in(wrong: WrongCode, mistake: Mistake, index: int, case: CaseAnswer, only_errors: bool) -> bool:
    inputs = wrong.exercise.inputs(index, wrong.seed)
    try:
        theirs = wrong.exercise.run(mistake.wrong, *inputs)
    except Exception as error:  # a TypeError alone says little; and where all are errors, their words must be the same
        words_count = only_errors or isinstance(error, TypeError)
        same_words = case.message.replace("=: ", ": ") == message_of(error).replace("=: ", ": ")  # += says it as + does
        return case.error == type(error).__name__ and (not words_count or same_words)
    if case.error:  # the same mistake with .view instead of .reshape stops on inputs that aren't contiguous
        return not only_errors and "view size is not compatible" in case.message
    return equal(wrong.exercise, case.value, theirs)


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


def _symptom(wrong: WrongCode) -> str | None:
    if not isinstance(wrong.problem, WrongNumbers):
        return None
    inputs = wrong.exercise.inputs(wrong.first, wrong.seed)
    return next((says for says, test in wrong.exercise.symptoms if _holds(test, inputs, wrong.case.value)), None)


def _first_difference(wrong: WrongCode) -> str:
    return wrong.problem


SENTENCES = (_not_repeated, _unfinished, _reads_the_notebook, _symptom, _first_difference)


def _holds(test, inputs, value) -> bool:
    try:
        return bool(test(inputs, value))
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
    """The shapes where it stopped with an error; else the call, where it can be read: texts and lists, not tensors."""
    if wrong.case.shapes:
        return f"\nThe inputs there: {wrong.case.shapes}."
    inputs = wrong.exercise.inputs(wrong.first, wrong.seed)
    if isinstance(wrong.exercise, ModuleCode) or not all(map(_is_plain, inputs)):
        return ""
    whole = ", ".join(map(repr, inputs))
    return f"\nThe call: `{wrong.exercise.name}({whole if len(whole) <= 300 else ', '.join(map(short, inputs))})`"


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
            f"Stopped after {answers.seconds:g} seconds, in the case “{detail}”. Is there a loop that never ends? "
            "Look at what makes each loop stop. The notebook is still usable."
        )
    return (
        f"Your code calls the finished {detail}. "
        "Writing that is what this exercise is about: build it from smaller operations."
    )


def case_problem(exercise: Code, case: CaseAnswer, want) -> str | None:
    """None where the case is right, else one sentence."""
    if case.error:
        return _error_sentence(case.error, case.message)
    if case.changed:
        names = " and ".join(f"`{name[:40]}`" for name in case.changed)
        return (
            f"Your code changes its input {names} in place. "
            "Whoever passed it in still needs it: leave it as it is, and make a new one."
        )
    return difference(exercise, case.value, want)


def _error_sentence(error: str, message: str) -> str:
    if error == "Misnamed":
        return message
    if error == "NotImplementedError" and not message:  # with a message it comes from torch
        return "Part of this is still to be written: it raises NotImplementedError."
    if 'missing the required "forward"' in message:
        return "Your module has no method called forward. Is its name spelt like that, and indented inside the class?"
    if "before Module.__init__() call" in message:
        return "Your __init__ must begin with super().__init__(): nn.Module can't hold layers before that."
    return f"Your code stopped with {error}: {message}"


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
            "Collect the rows in a list and join them with torch.stack."
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
