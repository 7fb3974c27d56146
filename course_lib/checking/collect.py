"""The student's side of a check: run their code on the cases and write down what came of it. No verdict here.

Whatever the code does (raise, loop for ever, change its inputs, return nonsense) ends up as plain data. What is raised
from here is the course's own fault: an exercise whose cases are broken.
"""

import contextlib
import inspect
from dataclasses import replace

import torch

from course_lib.checking import calls
from course_lib.checking.answers import LONGEST, Answers, CaseAnswer, message_of
from course_lib.checking.kinds import Exercise
from course_lib.checking.limits import (
    Forbidden,
    TooSlow,
    is_finished,
    no_finished_parts,
    quiet,
    time_limit,
    torch_function_mode,
)
from course_lib.checking.stops import Witness, failing_code
from course_lib.checking.student_code import global_data, has_ellipsis, is_students, is_untouched, own_trace, source_of
from course_lib.checking.task import Task
from course_lib.checking.usual_state import usual_state
from course_lib.checking.wire import Other, as_data, readable

SECONDS = 5.0  # of computing, for all cases of an exercise together
PATIENCE = 8  # times as many by the clock, for code that waits and for a busy machine


def collect(exercise: Exercise, submission, seed: str) -> Answers:
    """Everything the judge needs to know about `submission`."""
    return answers_to(exercise.task(seed), submission)


def answers_to(task: Task, submission) -> Answers:
    """The same where there is no exercise, and no right answer, but what it asks for."""
    if not task.wanted:
        return Answers(value=as_data(submission))
    source = source_of(submission)
    if is_untouched(task.start, source):
        return Answers(attempted=False)
    problem, detail = _problem(task, submission)
    if problem:
        return Answers(problem=problem, detail=readable(detail[: LONGEST["detail"]]))
    return Answers(
        unfinished=source is not None and has_ellipsis(source),
        notebook_names=tuple(global_data(submission)),
        **_run(task, submission),
    )


# --- running it -------------------------------------------------------------------------------------------------------


def _run(task: Task, submission) -> dict:
    """The fields of Answers that come from calls; where a limit stopped them, those that were there by then."""
    found = {"cases": ()}
    try:
        with (
            quiet() as printed,
            usual_state(),
            no_finished_parts(task.forbidden, task.find_reference(), task.name),
            time_limit(SECONDS, PATIENCE * SECONDS),
        ):
            for index in range(len(task.cases)):
                found["cases"] += (_run_case(task, submission, index),)
                # by the first case: the others would only repeat it
                found.setdefault("printed", readable(printed.getvalue()[: LONGEST["printed"]].rstrip()))
            if not found["cases"][0].error:
                torch.manual_seed(torch.seed() % 2**31 + 1)
                found["again"] = _run_case(task, submission, 0)
            if task.differentiable and not any(c.error or isinstance(c.value, Other) for c in found["cases"]):
                found["gradient"] = _run_gradient(task, submission)
    except TooSlow as late:
        problem, factor = ("waiting", PATIENCE) if late.waited else ("timeout", 1)
        found |= {"problem": problem, "seconds": float(factor * SECONDS)}
    except Forbidden as error:
        found |= {"problem": "forbidden", "detail": str(error)}
    return found


def _run_case(task: Task, submission, index: int) -> CaseAnswer:
    inputs = task.inputs(index)
    try:
        value = task.call(submission, *inputs)
    except calls.Misnamed as error:
        return CaseAnswer(error="Misnamed", message=str(error))
    except (TooSlow, Forbidden, KeyboardInterrupt):
        raise
    except BaseException as error:  # SystemExit too, or an exception class of the student's
        return replace(_stopped(error, own_trace(error)), **_circumstances(task, submission, index, error))
    changed = tuple(name for name, a, b in zip(task.names, inputs, task.cases[index]) if _is_changed(a, b))
    return CaseAnswer(as_data(value), changed)


def _circumstances(task: Task, submission, index: int, error: BaseException) -> dict[str, str]:
    """What stopped the code: once more, with a witness of torch's operations."""
    code = failing_code(error, is_students)[: LONGEST["code"]]
    if not isinstance(error, (RuntimeError, IndexError, TypeError, ValueError)) or isinstance(error, RecursionError):
        return {"code": code}
    witness = Witness()
    with contextlib.suppress(Exception), torch_function_mode(witness):
        task.call(submission, *task.inputs(index))
    return {"code": code, "operation": witness.operation[: LONGEST["operation"]]}


def _run_gradient(task: Task, submission) -> CaseAnswer:
    try:
        value = as_data(calls.gradient(task.call, submission, task.inputs(0)))
    except Exception as error:
        return _stopped(error)
    return CaseAnswer(error="Unreadable", message=value.name) if isinstance(value, Other) else CaseAnswer(value)


def _stopped(error: BaseException, trace: str = "") -> CaseAnswer:
    name = type(error).__name__[: LONGEST["error"]]
    return CaseAnswer(error=readable(name), message=message_of(error), trace=readable(trace[: LONGEST["trace"]]))


def _is_changed(after, before) -> bool:
    try:
        return _differs(after, before)
    except Exception:  # what was put into it can't be compared, so it wasn't there before
        return True


def _differs(a, b) -> bool:
    if isinstance(b, torch.Tensor):
        return a.shape != b.shape or not torch.equal(a.nan_to_num(), b.nan_to_num())
    if isinstance(b, dict):
        return list(a) != list(b) or any(type(a[key]) is not type(b[key]) or _differs(a[key], b[key]) for key in b)
    if isinstance(b, (list, tuple)):
        return len(a) != len(b) or any(type(x) is not type(y) or _differs(x, y) for x, y in zip(a, b))
    return a != b


# --- what keeps it from being run -------------------------------------------------------------------------------------


def _problem(task: Task, submission) -> tuple[str, str]:
    """One of answers.PROBLEMS with its detail; "" where the code can be run."""
    name = _attribute(submission, "__name__") or ""
    if is_finished(task.forbidden, name, _attribute(submission, "__module__") or "torch"):
        return "forbidden", str(name)
    if not callable(submission) or (task.wanted == "class") != inspect.isclass(submission):
        return "type", _describe(submission)
    misfit = _signature_problem(task, submission)
    return ("signature", misfit) if misfit else ("", "")


def _attribute(thing, name: str):
    try:
        return getattr(thing, name, None)
    except Exception:  # a student's own __getattr__ may raise anything
        return None


def _describe(value) -> str:
    if value is None or value is Ellipsis:
        return "None"
    if type(value) is torch.Tensor:
        return f"a tensor of shape {tuple(value.shape)}"
    if inspect.isclass(value):
        return f"the class {value.__name__}"
    if inspect.isfunction(value):
        return f"the function {value.__name__}"
    return f"a value of type {type(value).__name__}"


def _signature_problem(task: Task, submission) -> str | None:
    """None if the code can be called the way the exercise calls it, else what is expected and what is there."""
    if task.call is calls.of_module and not issubclass(submission, torch.nn.Module):
        return f"{submission.__name__} should be a subclass of nn.Module"
    for attribute, names, by_keyword in task.signatures:
        own = _attribute(submission, attribute) if attribute else submission
        try:
            signature = inspect.signature(own)
        except (TypeError, ValueError):  # a method that is missing is told of where it is called
            continue
        try:
            signature.bind(**dict.fromkeys(names)) if by_keyword else signature.bind(*names)
        except TypeError:
            return f"expected ({', '.join(names)}), yours has {signature}"
    return None
