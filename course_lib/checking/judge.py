"""The judge: compares the answers with the reference and gives a verdict. What it says about wrong code: explain.py.

Only answers that can't be read are called damaged. Any other error here is the course's own: it is raised.
"""

import math
import warnings
from dataclasses import dataclass, field, replace

import torch

from course_lib.checking import explain
from course_lib.checking.answers import LIMITS, LONGEST, Answers, CaseAnswer, message_of
from course_lib.checking.differences import close, type_name
from course_lib.checking.kinds import Choice, Code, Exercise, Number, as_returned
from course_lib.checking.recognise import WrongCode
from course_lib.checking.usual_state import usual_state
from course_lib.checking.wire import Unreadable

UNATTEMPTED = "Not attempted yet."
DAMAGED = "The answer that arrived is damaged. Run the cells of this exercise again."


@dataclass
class Verdict:
    """What the judge found. `message` is for the student; `picture` holds yours and expected where it can be drawn."""

    exercise: Exercise
    passed: bool = False
    attempted: bool = True
    message: str = ""
    trace: str = ""
    printed: str = ""
    criteria: dict[str, bool] = field(default_factory=dict)  # by default all as `passed` says
    checked: list[str] = field(default_factory=list)
    picture: dict | None = None
    limit_hit: bool = False  # stopped by a limit: not counted as a try
    recognised: str = ""  # "mistake:name", or what else explains a wrong answer; "" where nothing does
    failed: tuple[int, ...] = ()  # the cases that aren't right

    def __post_init__(self):
        self.criteria = self.criteria or dict.fromkeys(self.exercise.criteria, self.passed)

    @property
    def points(self) -> float:
        return float(sum(self.exercise.criteria[name] for name, right in self.criteria.items() if right))


def judge(exercise: Exercise, seed: str, answers: Answers) -> Verdict:
    """The verdict on what `collect(exercise, submission, seed)` gave, with the same seed."""
    judges = {Number: _judge_number, Choice: _judge_choice}
    with warnings.catch_warnings(), usual_state():
        warnings.simplefilter("ignore")  # listed mistakes use what students use, deprecated or not
        try:
            return judges.get(type(exercise), _judge_code)(exercise, seed, answers)
        except Unreadable:
            return Verdict(exercise, message=DAMAGED)


def judge_json(exercise: Exercise, seed: str, data) -> Verdict:
    """The verdict on answers that arrived as JSON from a process that nobody trusts."""
    try:
        return judge(exercise, seed, Answers.from_json(data))
    except Unreadable:
        return Verdict(exercise, message=DAMAGED)


def prove(exercise: Exercise, seed: str) -> None:
    """Raises what the exercise's own cases or reference raise, if they do."""
    if isinstance(exercise, Code):
        with usual_state():
            for index in range(len(exercise.cases)):
                exercise.expected(index, seed)


# --- numbers and choices ------------------------------------------------------------------------------------------


def _judge_number(exercise: Number, seed: str, answers: Answers) -> Verdict:
    given, right = answers.value, exercise.answers()
    several = isinstance(exercise.answer, dict)
    if several and given is not None and not isinstance(given, dict):
        names = ", ".join(right)
        return Verdict(exercise, message=f"Keep the dictionary as it was given, with a number for each of: {names}.")
    given = (given or {}) if several else {"": given}
    if several and not set(given) & set(right) and any(value not in (None, ...) for value in given.values()):
        return Verdict(exercise, message=f"Keep the names as they were given: {', '.join(right)}.")
    if all(given.get(criterion) is None for criterion in right):
        return Verdict(exercise, attempted=False, message=UNATTEMPTED)
    problems = {name: _number_problem(exercise, name, given.get(name), wanted) for name, wanted in right.items()}
    sentences = [f"{name}: {problem}" if name else problem for name, problem in problems.items() if problem]
    wrong = {name: problem for name, problem in problems.items() if problem}
    listed = all(problem in exercise.wrong_for(name).values() for name, problem in wrong.items())
    return Verdict(
        exercise,
        passed=not sentences,
        message="\n".join(sentences),
        criteria={name: problem is None for name, problem in problems.items()},
        checked=[name for name in right if name] or ["the number, with a tolerance for rounding"],
        recognised=f"mistake:{', '.join(wrong)}" if wrong and listed else "",
    )


def _number_problem(exercise: Number, criterion: str, value, wanted: float) -> str | None:
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
    for tempting, sentence in exercise.wrong_for(criterion).items():
        if near(tempting):
            return sentence
    if near(-wanted):
        return "the size is right, the sign isn't."
    other = next((name for name, right in exercise.answers().items() if name != criterion and near(right)), None)
    if other:
        return f"that is the answer to “{other}”."
    size = "too large" if abs(value) > abs(wanted) else "too small"
    for factor in (10, 100, 1000):
        if near(wanted * factor) or near(wanted / factor):
            if _is_power_of_ten(wanted):
                return f"{_digits(value)} is {size}, by a factor of {factor}."
            return f"the digits are right, but the number is {size} by a factor of {factor}."
    for text, related in {
        "the square of it": wanted**2,
        "its root": abs(wanted) ** 0.5,
        "1 / x of it": 1 / (wanted or 1),
    }.items():
        if near(related) and wanted and abs(math.log(abs(wanted))) > 0.1:  # of a number near 1 all three are near it
            return f"{_digits(value)} is {text}: a last step is missing, or one too many."
    for name, factor in {**{str(k): k for k in range(2, 10)}, "π": math.pi, "2π": 2 * math.pi}.items():
        if near(factor * wanted) or near(wanted / factor):
            return f"{_digits(value)} is {size}, by a factor of {name}."
    by_one = " by 1" if abs(value - wanted) == 1 else ""
    return f"{_digits(value)} is {'too large' if value > wanted else 'too small'}{by_one}."


def _is_power_of_ten(number: float) -> bool:
    """Its digits say nothing: 0.1 and 10 are alike by accident."""
    return number != 0 and math.isclose(math.log10(abs(number)) % 1, 0, abs_tol=1e-9)


def _digits(number: float) -> str:
    return f"{number:,.0f}" if number == round(number) and abs(number) < 1e15 else f"{number:g}"


def _judge_choice(exercise: Choice, seed: str, answers: Answers) -> Verdict:
    value, letters = answers.value, ", ".join(exercise.options)
    if value is None or value == "":
        return Verdict(exercise, attempted=False, message=f"Answer with one letter, in quotes: {letters}.")
    letter = value.strip().strip("().'\"").lower() if isinstance(value, str) else None
    if letter not in exercise.options:
        shown = repr(value)[:40] if isinstance(value, (str, int, float)) else type_name(value)
        return Verdict(exercise, message=f"Expected one of the letters {letters} in quotes, got {shown}.")
    passed = letter == exercise.answer
    return Verdict(
        exercise,
        passed=passed,
        message=exercise.options[letter],
        checked=["the letter"],
        recognised="" if passed else f"mistake:{letter}",
    )


# --- code -----------------------------------------------------------------------------------------------------------


def _judge_code(exercise: Code, seed: str, answers: Answers) -> Verdict:
    if not answers.attempted:
        return Verdict(exercise, attempted=False, message=UNATTEMPTED)
    if answers.problem:
        return Verdict(
            exercise,
            message=explain.why_not_run(exercise, answers),
            printed=answers.printed,
            limit_hit=answers.problem in LIMITS,
            recognised=answers.problem,
        )
    if len(answers.cases) != len(exercise.cases):
        raise Unreadable("not an answer for each case")
    answers = _settled(exercise, seed, answers)
    expected = [exercise.expected(index, seed) for index in range(len(exercise.cases))]
    problems = [explain.case_problem(exercise, case, want) for case, want in zip(answers.cases, expected)]
    checked = [case.name for case in exercise.cases]
    if not any(problems):
        message = explain.behaviour_problem(exercise, seed, answers) or ""
        return Verdict(
            exercise,
            passed=not message,
            message=message,
            checked=checked,
            printed=answers.printed,
            recognised="behaviour" if message else "",
        )
    wrong = WrongCode(exercise, seed, answers, problems, expected)
    failed = tuple(index for index, problem in enumerate(problems) if problem)
    failed_parts = {exercise.cases[index].criterion for index in failed}
    message, recognised = explain.explain(wrong)
    return Verdict(
        exercise,
        message=message,
        trace=wrong.case.trace,
        printed=answers.printed,
        criteria={name: name not in failed_parts for name in exercise.criteria},
        checked=checked,
        picture=None if wrong.case.error else _picture(exercise, wrong.case.value, expected[wrong.first]),
        recognised=recognised,
        failed=failed,
    )


def _settled(exercise: Code, seed: str, answers: Answers) -> Answers:
    """The answers with what counts of each value. One that can't be settled is as if the code had stopped with it."""

    def settled(case: CaseAnswer, index: int) -> CaseAnswer:
        if case.error:
            return case
        try:
            return replace(case, value=exercise.settle(case.value, *exercise.inputs(index, seed)))
        except Exception as error:
            return CaseAnswer(error=type(error).__name__[: LONGEST["error"]], message=message_of(error))

    if exercise.settle is as_returned:
        return answers
    cases = tuple(settled(case, index) for index, case in enumerate(answers.cases))
    return replace(answers, cases=cases, again=answers.again and settled(answers.again, 0))


def _picture(exercise: Code, value, want) -> dict | None:
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
            bad = next((j for j in range(len(own)) if not torch.equal(own[j].double(), right[j].double())), 0)
            own, right = own[bad], right[bad]
        axes = exercise.axes[i].split()[-own.dim() :] if i < len(exercise.axes) else []
        return {"yours": own.double(), "expected": right.double(), "axes": axes}
    return None
