"""The student's side of a check: run their code on the cases and write down what came back. No verdict here.

Whatever the code does (raise, loop for ever, change its inputs, return nonsense) ends up as plain JSON.
"""

import _thread
import ast
import contextlib
import dis
import inspect
import io
import linecache
import signal
import sys
import textwrap
import threading
import traceback
import types
import warnings

import numpy as np
import torch
from torch.overrides import TorchFunctionMode

from course_lib.exercises.kinds import Code, Exercise, Misnamed, Module
from course_lib.grading.wire import Unreadable, encode

SECONDS = 5.0  # for all cases of an exercise together
OUR_CODE = ("torch", "course_lib", "numpy", "scipy")


class TooSlow(BaseException):
    """Time is up. Not an Exception, so that a student's `except Exception` lets it pass."""


class Forbidden(BaseException):
    """The finished function was called; its name is the message."""


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
    wanted = "class" if isinstance(exercise, Module) else "function"
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
        with quiet() as printed, usual_torch(), time_limit(SECONDS), no_finished_parts(exercise.forbidden):
            for index in range(len(exercise.cases)):
                answers["cases"].append(_run_case(exercise, submission, index, seed))
                answers.setdefault("printed", printed.getvalue()[:2000].rstrip())  # by the first case: the others would only repeat it
            if "value" in answers["cases"][0]:
                torch.manual_seed(torch.seed() % 2**31 + 1)
                answers["again"] = _run_case(exercise, submission, 0, seed)
            if exercise.differentiable and all("value" in case for case in answers["cases"]):
                answers["gradient"] = _gradient(exercise, submission, seed)
    except TooSlow:
        answers |= {"problem": "timeout", "detail": exercise.cases[min(len(answers["cases"]), len(exercise.cases) - 1)].name}
    except Forbidden as error:
        answers |= {"problem": "forbidden", "detail": str(error)}
    return answers


def _run_case(exercise: Code, submission, index: int, seed: str) -> dict:
    inputs, untouched = exercise.inputs(index, seed), exercise.inputs(index, seed)
    try:
        value = exercise.run(submission, *inputs)
    except Misnamed as error:
        return {"error": {"type": "Misnamed", "message": str(error), "trace": ""}}
    except NotImplementedError as error:
        return {"error": {"type": "NotImplementedError", "message": str(error), "trace": ""}}
    except (TooSlow, Forbidden, KeyboardInterrupt):
        raise
    except BaseException as error:  # SystemExit too, or an exception class of the student's
        shapes = [f"{name} {tuple(x.shape)}" for name, x in zip(_names(exercise), untouched) if isinstance(x, torch.Tensor)]
        return {"error": {"type": type(error).__name__, "message": _message(error), "trace": own_trace(error), "inputs": ", ".join(shapes)}}
    changed = [name for name, a, b in zip(_names(exercise), inputs, untouched) if _differs(a, b)]
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
        return {"error": {"type": type(error).__name__, "message": _message(error), "trace": ""}}
    return {"value": _encode([g if g is not None else torch.zeros_like(x) for g, x in zip(gradients, leaves)])}


def reference_gradient(exercise: Code, seed: str) -> dict:
    return _gradient(exercise, exercise.reference, seed)


def _names(exercise: Code) -> list[str]:
    if isinstance(exercise, Module):
        return ["config", "weights", *list(inspect.signature(exercise.reference.forward).parameters)[1:]]
    return list(inspect.signature(exercise.reference).parameters)


def _differs(a, b) -> bool:
    if isinstance(a, torch.Tensor):
        return a.shape != b.shape or not torch.equal(a.nan_to_num(), b.nan_to_num())
    if isinstance(a, dict):
        return any(_differs(a[key], b[key]) for key in b)
    return a != b


# --- what the student's code looks like -------------------------------------------------------------------------


def source_of(thing) -> str | None:
    """The source that a function or class was defined with, or None."""
    try:
        if inspect.isclass(thing) and thing.__module__ == "__main__":
            return _class_source(thing)
        return textwrap.dedent(inspect.getsource(thing))
    except Exception:  # not only where there is none: `inspect` asks the object, which may be a student's own
        return None


def _class_source(cls) -> str | None:
    """A class made in a notebook: found in the cell that holds its methods, which `inspect` can't do by itself."""
    method = next((m for m in vars(cls).values() if isinstance(m, types.FunctionType)), None)
    if method is None:
        return None
    lines = linecache.getlines(method.__code__.co_filename)
    for node in ast.walk(ast.parse("".join(lines))):
        if isinstance(node, ast.ClassDef) and node.name == cls.__name__:
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            if first <= method.__code__.co_firstlineno <= node.end_lineno:
                return textwrap.dedent("".join(lines[first - 1 : node.end_lineno]))
    return None


def _parse(source: str):
    try:
        return ast.parse(source).body[0]
    except (SyntaxError, IndexError):
        return None


def _is_ellipsis(node) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and node.value.value is Ellipsis


def _statements(node) -> list:
    """A body without its docstring."""
    body = node.body
    return body[1:] if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) and isinstance(body[0].value.value, str) else body


def has_ellipsis(source: str) -> bool:
    tree = _parse(source)
    return tree is not None and any(_is_ellipsis(node) for node in ast.walk(tree))


def is_untouched(exercise: Code, source: str | None) -> bool:
    """Is this still what the student was given?"""
    tree = source and _parse(source)
    if not isinstance(tree, (ast.FunctionDef, ast.ClassDef)):
        return False
    if exercise.start:
        return ast.dump(tree) == ast.dump(_parse(exercise.start))
    stubs = [tree] if isinstance(tree, ast.FunctionDef) else [n for n in tree.body if isinstance(n, ast.FunctionDef)]
    given = (ast.Pass, ast.Expr)  # an expression: the `...` itself, or super().__init__()
    return bool(stubs) and all(
        all(isinstance(s, given) for s in _statements(f)) and any(_is_ellipsis(s) or isinstance(s, ast.Pass) for s in _statements(f))
        for f in stubs
    )


def _codes(submission):
    """All code objects of a function or class made in this notebook, nested ones too."""
    functions = [submission] if inspect.isfunction(submission) else [m for m in vars(submission).values() if inspect.isfunction(m)] if inspect.isclass(submission) else []
    todo = [f.__code__ for f in functions]
    while todo:
        code = todo.pop()
        yield code
        todo += [c for c in code.co_consts if isinstance(c, types.CodeType)]


def global_names(submission) -> set[str]:
    """Names that the code reads or writes in its module, such as `torch` or a variable of the notebook."""
    return {
        i.argval for code in _codes(submission) for i in dis.get_instructions(code) if i.opname in ("LOAD_GLOBAL", "STORE_GLOBAL", "LOAD_NAME")
    }


def namespace_of(submission) -> dict:
    if inspect.isfunction(submission):
        return submission.__globals__
    return vars(sys.modules.get(getattr(submission, "__module__", ""), types.ModuleType("empty")))


def global_data(submission) -> list[str]:
    """The notebook's variables that the code reads: data, not modules, functions or constants IN CAPITALS."""
    space = namespace_of(submission)
    data = (torch.Tensor, torch.nn.Module, np.ndarray, int, float, list, dict, set)
    return sorted(n for n in global_names(submission) if not n.isupper() and isinstance(space.get(n), data))


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
    if isinstance(exercise, Module):
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


# --- keeping it in bounds -----------------------------------------------------------------------------------------


class Beginning(io.StringIO):
    """Keeps the first of what is printed: an endless loop can print gigabytes."""

    def write(self, text: str) -> int:
        if self.tell() < 10_000:
            super().write(text[:10_000])
        return len(text)


@contextlib.contextmanager
def usual_torch():
    """torch as it is when it starts, whatever the notebook has set; afterwards as it was, whatever the code sets."""
    dtype, threads = torch.get_default_dtype(), torch.get_num_threads()
    torch.set_default_dtype(torch.float32)
    try:
        with torch.random.fork_rng(devices=[]), torch.enable_grad():
            yield
    finally:
        torch.set_default_dtype(dtype)
        if torch.get_num_threads() != threads:
            torch.set_num_threads(threads)


@contextlib.contextmanager
def quiet():
    """What the code prints goes into the returned buffer; its warnings go nowhere."""
    buffer = Beginning()
    with contextlib.redirect_stdout(buffer), contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield buffer


@contextlib.contextmanager
def time_limit(seconds: float):
    """Raise TooSlow in the block after `seconds`, and again every half second for code that swallows it.

    A bare `except:` in a loop would swallow every one of them, so each comes twice: the second on the handler's own line.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    if hasattr(signal, "setitimer"):

        def again(_, event, __):
            if event == "line":
                raise TooSlow
            return again

        def stop(_, frame):
            while frame is not None and frame.f_code is not time_limit.__wrapped__.__code__:
                frame.f_trace, frame = again, frame.f_back
            sys.settrace(again)
            raise TooSlow

        tracing = sys.gettrace()
        previous = signal.signal(signal.SIGALRM, stop)
        others = signal.setitimer(signal.ITIMER_REAL, seconds, 0.5)
        try:
            yield
        finally:
            sys.settrace(tracing)
            signal.setitimer(signal.ITIMER_REAL, *others)
            signal.signal(signal.SIGALRM, previous)
        return
    timed_out = False  # Windows has no alarm: a timer asks the main thread to stop, as Ctrl-C would

    def interrupt():
        nonlocal timed_out
        timed_out = True
        _thread.interrupt_main()

    timer = threading.Timer(seconds, interrupt)
    timer.start()
    try:
        yield
    except KeyboardInterrupt:
        if timed_out:
            raise TooSlow from None
        raise
    finally:
        timer.cancel()


def is_finished(words: tuple[str, ...], name, module) -> bool:
    """Is this function torch's or the course's, with one of these words in its name?"""
    return str(module).split(".")[0] in OUR_CODE and any(word in str(name).lower() for word in words)


class NoFinishedTensorFunctions(TorchFunctionMode):
    """Sees torch's own functions also where Python's profiler doesn't: inside functools.partial or map."""

    def __init__(self, words: tuple[str, ...]):
        super().__init__()
        self.words = words

    def __torch_function__(self, function, types, args=(), kwargs=None):
        name = getattr(function, "__name__", "")
        if is_finished(self.words, name, "torch"):
            raise Forbidden(name)
        return function(*args, **(kwargs or {}))


@contextlib.contextmanager
def no_finished_parts(words: tuple[str, ...]):
    """Raise Forbidden where a function of torch's or the course's own with one of these words in its name is called.

    The interpreter reports every call, so it doesn't matter how the function was imported or renamed.
    """
    if not words:
        yield
        return

    def watch(frame, event, called):
        if event == "c_call":
            name, module = called.__name__, getattr(called, "__module__", None) or type(getattr(called, "__self__", None)).__module__
        elif event == "call":
            if not frame.f_code.co_flags & inspect.CO_OPTIMIZED:
                return  # the body of a class or module that is being imported
            name, module = frame.f_code.co_qualname.split(".")[0], frame.f_globals.get("__name__", "")  # a method: its class
        else:
            return
        if is_finished(words, name, module):
            raise Forbidden(name)

    previous = sys.getprofile()
    sys.setprofile(watch)
    try:
        with NoFinishedTensorFunctions(words):
            yield
    finally:
        sys.setprofile(previous)


# --- errors ---------------------------------------------------------------------------------------------------------


def _message(error: BaseException) -> str:
    try:
        return str(error)[:2000]
    except Exception:
        return "(its message can't be shown)"


def own_trace(error: BaseException) -> str:
    """The lines of the student's own cells that led to the error, innermost last, without our frames or torch's."""
    shown = []
    for frame in traceback.extract_tb(error.__traceback__):
        in_cell = "ipykernel" in frame.filename or frame.filename.startswith("<")
        if not in_cell and ("site-packages" in frame.filename or "course_lib" in frame.filename or "lib/python" in frame.filename):
            continue
        line = linecache.getline(frame.filename, frame.lineno).rstrip() or (frame.line or "")
        shown.append(f"in {frame.name}, line {frame.lineno}:\n    {line.strip()}")
    return "\n".join(shown[-6:])
