"""The judge: compares plain answers with the reference, and knows the usual mistakes by their answers."""

import math
import warnings
from dataclasses import dataclass, field

import torch

from course_lib.checking.collect import reference_gradient
from course_lib.checking.differences import WrongNumbers, close, difference, equal, short, type_name
from course_lib.checking.kinds import Choice, Code, Exercise, ModuleCode, Number
from course_lib.checking.limits import usual_torch
from course_lib.checking.wire import Unreadable, decode

UNATTEMPTED = "Not attempted yet."
NOT_REPEATED = "Called twice with the same input, your code gives two different answers. It keeps something from call to call, or draws random numbers."
GLOBAL_HINT = (
    " It reads the notebook's variable {names}, which isn't among its arguments: work only with what is passed in."
)


@dataclass
class Verdict:
    """What the judge found. `message` is for the student; `picture` holds yours and expected where they can be drawn."""

    exercise: Exercise
    passed: bool = False
    attempted: bool = True
    message: str = ""
    trace: str = ""
    printed: str = ""
    criteria: dict[str, bool] = field(default_factory=dict)
    checked: list[str] = field(default_factory=list)
    picture: dict | None = None

    @property
    def points(self) -> float:
        return float(sum(self.exercise.criteria[name] for name, right in self.criteria.items() if right))


def judge(exercise: Exercise, seed: str, answers: dict) -> Verdict:
    """`answers` is what `answers.collect(exercise, ..., seed)` wrote, perhaps in another process."""
    kinds = {Number: _judge_number, Choice: _judge_choice}
    try:
        with warnings.catch_warnings(), usual_torch():
            warnings.simplefilter("ignore")  # listed mistakes use what students use, deprecated or not
            verdict = kinds.get(type(exercise), _judge_code)(exercise, seed, answers)
        verdict.printed = str(answers.get("printed", ""))[:2000]
    except (
        KeyError,
        TypeError,
        AttributeError,
        IndexError,
        ValueError,
        ArithmeticError,
        RuntimeError,
    ):  # Unreadable is a ValueError
        verdict = Verdict(exercise, message="The answer that arrived is damaged. Run the cells of this exercise again.")
        verdict.criteria = dict.fromkeys(exercise.criteria, False)
    verdict.criteria = verdict.criteria or dict.fromkeys(exercise.criteria, verdict.passed)
    return verdict


# --- numbers and choices ------------------------------------------------------------------------------------------


def _judge_number(exercise: Number, seed: str, answers: dict) -> Verdict:
    given, right = decode(answers["value"]), exercise.answers()
    several = isinstance(exercise.answer, dict)
    if several and not isinstance(given, dict):
        if given is not None:
            return Verdict(
                exercise, message=f"Keep the dictionary as it was given, with a number for each of: {', '.join(right)}."
            )
        given = {}
    given = given if several else {"": given}
    if all(given.get(part) is None for part in right):
        return Verdict(exercise, attempted=False, message=UNATTEMPTED)
    verdict, sentences = Verdict(exercise), []
    for part, wanted in right.items():
        sentence = _number_problem(exercise, part, given.get(part), wanted)
        verdict.criteria[part] = sentence is None
        if sentence:
            sentences.append(f"{part}: {sentence}" if part else sentence)
    verdict.passed = all(verdict.criteria.values())
    verdict.message = "\n".join(sentences)
    verdict.checked = [part for part in right if part] or ["the number, with a tolerance for rounding"]
    return verdict


def _number_problem(exercise: Number, part: str, value, wanted: float) -> str | None:
    if isinstance(value, torch.Tensor) and value.numel() == 1:
        value = value.item()
    if value is None:
        return "not answered yet."
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return f"expected a number, got {type_name(value)}. Write digits, without quotes or units."
    if isinstance(value, int) and abs(value) > 1e300:
        return "that number is far too large."
    if math.isnan(value) or math.isinf(value):
        return f"expected a finite number, got {value}."

    def near(target):
        return math.isclose(value, target, rel_tol=exercise.rtol, abs_tol=1e-9)

    if near(wanted):
        return None
    for tempting, sentence in exercise.wrong_for(part).items():
        if near(tempting):
            return sentence
    if near(-wanted):
        return "the size is right, the sign isn't."
    for factor in (10, 100, 1000):
        if near(wanted * factor) or near(wanted / factor):
            return f"the digits are right, but the number is {'too large' if abs(value) > abs(wanted) else 'too small'} by a factor of {factor}."
    return f"{value:g} is {'too large' if value > wanted else 'too small'}."


def _judge_choice(exercise: Choice, seed: str, answers: dict) -> Verdict:
    value = decode(answers["value"])
    letters = ", ".join(exercise.options)
    if value is None or value == "":
        return Verdict(exercise, attempted=False, message=f"Answer with one letter, in quotes: {letters}.")
    letter = value.strip().strip("().'\"").lower() if isinstance(value, str) else None
    if letter not in exercise.options:
        shown = repr(value)[:40] if isinstance(value, (str, int, float)) else type_name(value)
        return Verdict(exercise, message=f"Expected one of the letters {letters} in quotes, got {shown}.")
    return Verdict(exercise, passed=letter == exercise.answer, message=exercise.options[letter], checked=["the letter"])


# --- code -----------------------------------------------------------------------------------------------------------


def _judge_code(exercise: Code, seed: str, answers: dict) -> Verdict:
    if answers.get("untouched"):
        return Verdict(exercise, attempted=False, message=UNATTEMPTED)
    problem = answers.get("problem")
    if problem:
        return Verdict(exercise, message=_problem_sentence(exercise, problem, answers))
    cases = answers["cases"]
    if not isinstance(cases, list) or len(cases) != len(exercise.cases):
        raise Unreadable("a damaged answer")
    expected = [_expected(exercise, i, seed) for i in range(len(cases))]
    problems = [_case_problem(exercise, case, want) for case, want in zip(cases, expected)]
    verdict = Verdict(exercise, checked=[case.name for case in exercise.cases])
    for criterion in exercise.criteria:
        verdict.criteria[criterion] = not any(
            p for p, case in zip(problems, exercise.cases) if case.criterion == criterion
        )
    if any(problems):
        _explain(verdict, exercise, seed, answers, expected, problems)
        return verdict
    verdict.message = _behaviour_problem(exercise, seed, answers) or ""
    verdict.passed = not verdict.message
    if verdict.message:
        verdict.criteria = dict.fromkeys(exercise.criteria, False)
    return verdict


def _expected(exercise: Code, index: int, seed: str):
    return exercise.run(exercise.reference, *exercise.inputs(index, seed))


def _problem_sentence(exercise: Code, problem: str, answers: dict) -> str:
    detail = str(answers.get("detail", ""))[:500]
    if problem == "type":
        wanted = "class" if answers.get("wanted") == "class" else "function"
        return f'check needs your {wanted} itself, not {detail}: check("{exercise.key}", {exercise.name}), without calling it.'
    if problem == "signature":
        return f"The arguments don't fit: {detail}. Keep the first line as it was given."
    if problem == "timeout":
        seconds = float(answers["seconds"])
        return (
            f"Stopped after {seconds:g} seconds, in the case “{detail}”. Is there a loop that never ends? "
            "Look at what makes each loop stop. The notebook is still usable."
        )
    if problem == "forbidden":
        return f"Your code calls the finished {detail}. Writing that is what this exercise is about: build it from smaller operations."
    raise Unreadable("a damaged answer")


def _case_problem(exercise: Code, case: dict, want) -> str | None:
    """None where the case is right, else one sentence."""
    if "error" in case:
        return _error_sentence(exercise, case["error"])
    value = decode(case["value"])
    if case.get("changed"):
        names = " and ".join(f"`{str(name)[:40]}`" for name in case["changed"])
        return f"Your code changes its input {names} in place. Whoever passed it in still needs it: leave it as it is, and make a new one."
    return difference(exercise, value, want)


def _error_sentence(exercise: Code, error: dict) -> str:
    kind, message = str(error["type"])[:80], str(error["message"])[:1500]
    if kind == "Misnamed":
        return message
    if kind == "NotImplementedError" and not message:  # with a message it comes from torch
        return "Part of this is still to be written: it raises NotImplementedError."
    if 'missing the required "forward"' in message:
        return "Your module has no method called forward. Is its name spelt like that, and indented inside the class?"
    if "before Module.__init__() call" in message:
        return "Your __init__ must begin with super().__init__(): nn.Module can't hold layers before that."
    return f"Your code stopped with {kind}: {message}"


# --- explaining -----------------------------------------------------------------------------------------------------


def _explain(verdict: Verdict, exercise: Code, seed: str, answers: dict, expected: list, problems: list) -> None:
    """Choose the one sentence that helps most: the recognised mistake, a symptom, or the first difference."""
    cases = answers["cases"]
    first = next(i for i, problem in enumerate(problems) if problem)
    case = cases[first]
    verdict.trace = str(case.get("error", {}).get("trace", ""))[:4000]
    verdict.message = problems[first]
    recognised = None if case.get("changed") else _recognise(exercise, seed, cases)
    if recognised:
        verdict.message = recognised.sentence
    elif "value" in cases[0] and not _repeats_itself(exercise, answers):
        verdict.message = NOT_REPEATED
    elif answers.get("unfinished"):
        verdict.message = f"There is still a `...` in your code: replace it with your own lines. {problems[first]}"
    elif answers.get("globals"):
        names = ", ".join(f"`{str(name)[:40]}`" for name in answers["globals"][:3])
        verdict.message += GLOBAL_HINT.format(names=names)
    elif isinstance(problems[first], WrongNumbers):
        value, inputs = decode(case["value"]), exercise.inputs(first, seed)
        verdict.message = (
            next((s for s, test in exercise.symptoms if _holds(test, inputs, value)), None) or verdict.message
        )
    if not recognised and len(exercise.cases) > 1:
        verdict.message += _which_cases(exercise, problems)
    shapes = str(case.get("error", {}).get("inputs", ""))[:500]
    if shapes and not recognised:
        verdict.message += f"\nThe inputs there: {shapes}."
    elif not recognised:
        verdict.message += _call(exercise, exercise.inputs(first, seed))
    if "value" in case:
        verdict.picture = _picture(decode(case["value"]), expected[first], exercise)


def _which_cases(exercise: Code, problems: list) -> str:
    """Where it went wrong first, and what was right: a batch that fails after single sentences says much."""
    wrong, right = (
        [case.name for case, problem in zip(exercise.cases, problems) if bool(problem) == bad] for bad in (True, False)
    )
    also = f" Right in {len(right)} of {len(problems)} cases: {', '.join(right)}." if right else ""
    if len(right) > max(len(wrong), 6):  # then the others are the shorter list
        also = f" Right in {len(right)} of {len(problems)} cases" + (
            f"; wrong in {', '.join(wrong[1:])}, too." if len(wrong) > 1 else "."
        )
    return f" (In the case “{wrong[0]}”.{also})"


def _call(exercise: Code, inputs: tuple) -> str:
    """How the code was called, where that can be read: with texts and lists, not tensors. A long argument is cut short."""
    if isinstance(exercise, ModuleCode) or not all(map(_is_plain, inputs)):
        return ""
    whole = ", ".join(map(repr, inputs))
    cut = ", ".join(map(short, inputs))
    return f"\nThe call: `{exercise.name}({whole if len(whole) <= 300 else cut})`"


def _is_plain(value) -> bool:
    if isinstance(value, dict):
        return all(map(_is_plain, value)) and all(map(_is_plain, value.values()))
    return all(map(_is_plain, value)) if isinstance(value, (list, tuple)) else isinstance(value, (str, int, float))


def _holds(test, inputs, value) -> bool:
    try:
        return bool(test(inputs, value))
    except Exception:  # a symptom looks at answers of any shape
        return False


def _recognise(exercise: Code, seed: str, cases: list):
    """The listed mistake that gives the same answer in every case, errors included."""
    only_errors = not any("value" in case for case in cases)
    for mistake in exercise.mistakes:
        if all(_same_as(exercise, mistake, i, case, seed, only_errors) for i, case in enumerate(cases)):
            return mistake
    return None


def _same_as(exercise: Code, mistake, index: int, case: dict, seed: str, only_errors: bool) -> bool:
    own = case.get("error", {})
    try:
        inputs = exercise.inputs(index, seed)
        theirs = exercise.run(mistake.wrong, *inputs)
    except Exception as error:  # where nothing but errors can be compared, their words must be the same, too
        return own.get("type") == type(error).__name__ and (not only_errors or own.get("message") == str(error))
    if own:  # the same mistake with .view instead of .reshape stops on inputs that aren't contiguous
        return not only_errors and "view size is not compatible" in str(own.get("message"))
    return equal(exercise, decode(case["value"]), theirs)


def _repeats_itself(exercise: Code, answers: dict) -> bool:
    again = answers.get("again", {})
    if (
        "value" in again and again["value"] == answers["cases"][0]["value"]
    ):  # NaN, or a tensor as a key, is unequal to itself
        return True
    return "value" in again and equal(exercise, decode(again["value"]), decode(answers["cases"][0]["value"]))


def _behaviour_problem(exercise: Code, seed: str, answers: dict) -> str | None:
    """Right numbers are not all: the same again for the same input, and a gradient that flows."""
    if not _repeats_itself(exercise, answers):
        return NOT_REPEATED
    if not exercise.differentiable:
        return None
    gradient, right = answers.get("gradient", {}), reference_gradient(exercise, seed)
    if "inplace operation" in str(gradient.get("error", {}).get("message")):
        return (
            "The numbers are right, but no gradient can be computed: a tensor is changed in place (x[i] = …) after it was used, and PyTorch "
            "still needs it as it was. Collect the rows in a list and join them with torch.stack."
        )
    if "value" not in gradient:
        return (
            "The numbers are right, but no gradient flows back through your code, so nothing in front of it could learn. "
            "Stay with tensor operations: no .item(), .tolist(), .detach(), .data, NumPy, or torch.tensor(...) of results."
        )
    own = decode(gradient["value"])
    if any(g.isnan().any() for g in own) and not any(g.isnan().any() for g in decode(right["value"])):
        return (
            "The numbers are right, but their gradient is NaN, and one NaN spoils every weight that learns from it. Somewhere infinity is "
            "taken from infinity, or multiplied by zero, on the way back: fill −∞ in (masked_fill, where) instead of adding or multiplying it."
        )
    if not equal(exercise, own, decode(right["value"])):
        return (
            "The numbers are right, but the gradient isn't: part of the calculation is cut off from it. "
            "Stay with tensor operations: no .item(), .tolist(), .detach(), .data, torch.no_grad(), or torch.tensor(...) of results."
        )
    return None


def _picture(value, want, exercise: Code) -> dict | None:
    """The first output that differs and can be drawn, as {"yours": ..., "expected": ..., "axes": ...}."""
    pairs = list(zip(value, want)) if isinstance(want, tuple) and isinstance(value, (tuple, list)) else [(value, want)]
    for i, (own, right) in enumerate(pairs):
        if not (isinstance(own, torch.Tensor) and isinstance(right, torch.Tensor)) or own.shape != right.shape:
            continue
        if own.dtype == right.dtype and close(exercise, own, right):
            continue
        if own.is_complex() or right.dim() < 1 or right.numel() > 4096:
            continue
        while own.dim() > 2:  # one slice of the leading axes: the first that differs
            bad = next((j for j in range(len(own)) if not torch.equal(own[j], right[j])), 0)
            own, right = own[bad], right[bad]
        axes = exercise.axes[i].split()[-own.dim() :] if i < len(exercise.axes) else []
        return {"yours": own.double(), "expected": right.double(), "axes": axes}
    return None
