"""The student's side of a check: run their code on the cases and write down what came back. No verdict here.

Whatever the code does (raise, loop for ever, change its inputs, return nonsense) ends up as plain JSON.
"""

import inspect

import torch

from course_lib.checking.kinds import Code, Exercise, Misnamed, ModuleCode
from course_lib.checking.limits import (
    Forbidden,
    TooSlow,
    is_finished,
    no_finished_parts,
    quiet,
    time_limit,
    usual_torch,
)
from course_lib.checking.student_code import global_data, has_ellipsis, is_untouched, message_of, own_trace, source_of
from course_lib.checking.wire import Unreadable, encode

SECONDS = 5.0  # for all cases of an exercise together


def collect(exercise: Exercise, answer, seed: str) -> dict:
    """Everything the judge needs to know about `answer`, as JSON."""
    if not isinstance(exercise, Code):
        return {"value": _encode(answer)}
    return _collect_code(exercise, answer, seed)


def _encode(value) -> dict:
    try:
        return encode(value)
    except Unreadable as error:
        return {"type": "other", "name": str(error)}
    except (Exception, SystemExit) as error:  # a student's own class may raise from anywhere
        return {"type": "other", "name": f"something that can't be read ({type(error).__name__})"}


def _collect_code(exercise: Code, submission, seed: str) -> dict:
    source = source_of(submission)
    if is_untouched(exercise, source):
        return {"untouched": True}
    name = _attribute(submission, "__name__") or ""
    if is_finished(exercise.forbidden, name, _attribute(submission, "__module__") or "torch"):
        return {"problem": "forbidden", "detail": name}
    wanted = "class" if isinstance(exercise, ModuleCode) else "function"
    if not callable(submission) or (wanted == "class") != inspect.isclass(submission):
        return {"problem": "type", "wanted": wanted, "detail": _describe(submission)}
    answers = {
        "cases": [],
        "unfinished": source is not None and has_ellipsis(source),
        "globals": global_data(submission),
    }
    signature_problem = _signature_problem(exercise, submission, exercise.inputs(0, seed))
    if signature_problem:
        return answers | {"problem": "signature", "detail": signature_problem}
    try:
        with quiet() as printed, usual_torch(), no_finished_parts(exercise.forbidden), time_limit(SECONDS):
            for index in range(len(exercise.cases)):
                answers["cases"].append(_run_case(exercise, submission, index, seed))
                answers.setdefault(
                    "printed", printed.getvalue()[:2000].rstrip()
                )  # by the first case: the others would only repeat it
            if "value" in answers["cases"][0]:
                torch.manual_seed(torch.seed() % 2**31 + 1)
                answers["again"] = _run_case(exercise, submission, 0, seed)
            if exercise.differentiable and all(
                case.get("value", {}).get("type", "other") != "other" for case in answers["cases"]
            ):
                answers["gradient"] = _gradient(exercise, submission, seed)
    except TooSlow:
        answers |= {
            "problem": "timeout",
            "seconds": SECONDS,
            "detail": exercise.cases[min(len(answers["cases"]), len(exercise.cases) - 1)].name,
        }
    except Forbidden as error:
        answers |= {"problem": "forbidden", "detail": str(error)}
    return answers


def _run_case(exercise: Code, submission, index: int, seed: str) -> dict:
    inputs, untouched = exercise.inputs(index, seed), exercise.inputs(index, seed)
    try:
        value = exercise.run(submission, *inputs)
    except Misnamed as error:
        return {"error": {"type": "Misnamed", "message": str(error), "trace": ""}}
    except (TooSlow, Forbidden, KeyboardInterrupt):
        raise
    except BaseException as error:  # SystemExit too, or an exception class of the student's
        shapes = [
            f"{name} {tuple(x.shape)}" for name, x in zip(_names(exercise), untouched) if isinstance(x, torch.Tensor)
        ]
        return {
            "error": {
                "type": type(error).__name__,
                "message": message_of(error),
                "trace": own_trace(error),
                "inputs": ", ".join(shapes),
            }
        }
    changed = [name for name, a, b in zip(_names(exercise), inputs, untouched) if _is_changed(a, b)]
    return {"value": _encode(value), "changed": changed}


def _gradient(exercise: Code, submission, seed: str) -> dict:
    """The gradient of a weighted sum of the outputs with respect to the floating-point inputs of case 0."""
    inputs = exercise.inputs(0, seed)
    leaves = [x.requires_grad_() for x in inputs if isinstance(x, torch.Tensor) and x.is_floating_point()]
    try:
        outputs = exercise.run(submission, *inputs)
        outputs = outputs if isinstance(outputs, (tuple, list)) else [outputs]
        torch.manual_seed(0)
        total = sum((out * torch.randn(out.shape, dtype=out.dtype)).sum() for out in outputs if out is not None)
        gradients = torch.autograd.grad(total, leaves, allow_unused=True)
    except Exception as error:
        return {"error": {"type": type(error).__name__, "message": message_of(error), "trace": ""}}
    return {"value": _encode([g if g is not None else torch.zeros_like(x) for g, x in zip(gradients, leaves)])}


def reference_gradient(exercise: Code, seed: str) -> dict:
    return _gradient(exercise, exercise.reference, seed)


def _names(exercise: Code) -> list[str]:
    if isinstance(exercise, ModuleCode):
        return ["config", "weights", *list(inspect.signature(exercise.reference.forward).parameters)[1:]]
    return list(inspect.signature(exercise.reference).parameters)


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


def _signature_problem(exercise: Code, submission, inputs: tuple) -> str | None:
    """None if the code can be called the way the exercise calls it, else what is expected and what is there."""
    pairs = [(exercise.reference, submission, inputs, {})]
    if isinstance(exercise, ModuleCode):
        config, _, *arguments = inputs
        if not issubclass(submission, torch.nn.Module):
            return f"{submission.__name__} should be a subclass of nn.Module"
        pairs = [
            (exercise.reference, submission, (), config),
            (exercise.reference.forward, submission.forward, (None, *arguments), {}),
        ]
    for reference, own, args, kwargs in pairs:
        try:
            signature = inspect.signature(own)
        except (TypeError, ValueError):
            continue
        try:
            signature.bind(*args, **kwargs)
        except TypeError:
            wanted = list(inspect.signature(reference).parameters)[: len(args) + len(kwargs)]
            return f"expected ({', '.join(wanted)}), yours has {signature}"
    return None
