"""Keeps a student's code in bounds while it is checked: time, output, and no finished parts."""

import _thread
import contextlib
import inspect
import io
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable
from types import FunctionType

from torch import overrides
from torch.overrides import TorchFunctionMode

from course_lib.checking.student_code import codes, functions

FINISHED_IN = ("torch", "course_lib", "numpy", "scipy")  # where finished functions come from


class TooSlow(BaseException):
    """Time is up. Not an Exception, so that a student's `except Exception` lets it pass."""

    waited = False  # was it the clock that ran out, and little computed?


class Forbidden(BaseException):
    """The finished function was called; its name is the message."""


class Beginning(io.StringIO):
    """Keeps the first of what is printed: an endless loop can print gigabytes."""

    def write(self, text: str) -> int:
        if self.tell() < 10_000:
            super().write(text[:10_000])
        return len(text)

    def close(self) -> None:
        """Stays open: `sys.stdout.close()` in a student's code shouldn't lose what was printed."""


@contextlib.contextmanager
def quiet():
    """What the code prints goes into the returned buffer; its warnings go nowhere."""
    buffer = Beginning()
    with contextlib.redirect_stdout(buffer), contextlib.redirect_stderr(Beginning()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield buffer


@contextlib.contextmanager
def time_limit(seconds: float, patience: float):
    """Raise TooSlow in the block after `seconds` of its own computing, or `patience` by the clock.

    On a busy machine the clock says nothing about the code, so what counts is the CPU time of this thread, without
    imports: torch loads some of its parts only when they are first used. Code that swallows the exception gets it again
    every half second. A bare `except:` in a loop would swallow every one of them, so each comes twice: the second on
    the handler's own line. Only the student's frames are treated so: ours must be able to clean up. For the same reason
    this context stands innermost. What can't be stopped is a single call into C that takes for ever, such as
    sum(range(10**12)): there only a restart helps.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
    elif hasattr(signal, "setitimer"):
        with _alarm(_Clock(seconds, patience)):
            yield
    else:
        with _watching_thread(seconds, patience):
            yield


class _Clock:
    """How much of its time a block has used. It is asked often: what passed since may have been an import."""

    def __init__(self, seconds: float, patience: float):
        self.seconds, self.patience = seconds, patience
        self.used, self.asked, self.started = 0.0, time.thread_time(), time.monotonic()

    def late(self, frame) -> TooSlow | None:
        now = time.thread_time()
        self.used, self.asked = self.used + (0.0 if _importing(frame) else now - self.asked), now
        if self.used < self.seconds and time.monotonic() - self.started < self.patience:
            return None
        error = TooSlow()
        error.waited = self.used < self.seconds
        return error


def _importing(frame) -> bool:
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back
    return False


@contextlib.contextmanager
def _alarm(clock: _Clock):
    def again(_, event, __):
        if event == "line":
            raise error
        return again

    caller, done, error = sys._getframe(4), False, None  # above this generator, time_limit, and contextlib twice
    often = min(0.1, clock.seconds / 4)

    def stop(_, frame):
        nonlocal error
        if done:  # it fired while the block was being left
            return
        if error is None:
            error = clock.late(frame)
            if error is None:
                return
            signal.setitimer(signal.ITIMER_REAL, 0.5, 0.5)
        while frame is not None and frame is not caller:
            if frame.f_globals.get("__name__", "").split(".")[0] not in ("course_lib", "contextlib", "torch"):
                frame.f_trace = again
            frame = frame.f_back
        sys.settrace(lambda *_: None)  # switches the frames' own tracing on, and follows no new frame
        raise error

    tracing = sys.gettrace()
    previous = signal.signal(signal.SIGALRM, stop)
    others = signal.setitimer(signal.ITIMER_REAL, often, often)
    try:
        yield
    finally:
        done = True
        signal.setitimer(signal.ITIMER_REAL, *others)
        signal.signal(signal.SIGALRM, previous)
        sys.settrace(tracing)


@contextlib.contextmanager
def _watching_thread(seconds: float, patience: float):
    """Windows has no alarm: a thread asks the main one to stop, as Ctrl-C would. It knows the CPU time of all alone."""
    finished, error = threading.Event(), None
    computing, clock = time.process_time(), time.monotonic()

    def interrupt():
        nonlocal error
        while not finished.wait(0.5 if error else min(0.1, seconds / 4)):
            computed = time.process_time() - computing >= seconds
            if error is None and (computed or time.monotonic() - clock >= patience):
                error = TooSlow()
                error.waited = not computed
            if error is not None:
                _thread.interrupt_main()

    thread = threading.Thread(target=interrupt, daemon=True)
    thread.start()
    try:
        yield
    except KeyboardInterrupt:
        if error is not None:
            raise error from None
        raise
    finally:
        finished.set()
        thread.join()


def is_finished(words: tuple[str, ...], name, module) -> bool:
    """Is this function torch's or the course's, with one of these words in its name?"""
    return str(module).split(".")[0] in FINISHED_IN and any(word in str(name).lower() for word in words)


class NoFinishedTensorFunctions(TorchFunctionMode):
    """Sees torch's own functions also where Python's profiler doesn't: inside functools.partial or map."""

    def __init__(self, words: tuple[str, ...], called: list[str]):
        super().__init__()
        self.words, self.called = words, called

    def __torch_function__(self, function, types, args=(), kwargs=None):
        name = getattr(function, "__name__", "")
        if is_finished(self.words, name, "torch"):
            self.called.append(name)
            raise Forbidden(name)
        return function(*args, **(kwargs or {}))


@contextlib.contextmanager
def torch_function_mode(mode: TorchFunctionMode):
    """`with mode:`, but afterwards torch's modes are as they were even where a stop struck inside torch's own code.

    The one place that calls torch's private functions; `with mode:` itself would pop one mode too many or too few.
    """
    before = overrides._get_current_function_mode_stack()
    overrides._push_mode(mode)
    try:
        yield
    finally:
        while overrides._len_torch_function_stack():
            overrides._pop_mode()
        for each in before:
            overrides._push_mode(each)


def _refuse(*_, **__):
    from course_lib.checking.limits import Forbidden  # it runs with the globals of the function that it stands in

    raise Forbidden("NAME")


@contextlib.contextmanager
def _emptied(parts: list[FunctionType], name: str):
    """These functions do nothing but refuse; gives the code that they have now. Closures keep theirs."""
    refuse = _refuse.__code__
    refuse = refuse.replace(co_consts=tuple(name if each == "NAME" else each for each in refuse.co_consts))
    whole = {function: function.__code__ for function in parts if not function.__code__.co_freevars}
    try:
        for function in whole:
            function.__code__ = refuse
        yield refuse
    finally:
        for function, code in whole.items():
            function.__code__ = code


@contextlib.contextmanager
def no_finished_parts(words: tuple[str, ...], reference: Callable | None = None, its_name: str = ""):
    """Raise Forbidden where a function of torch's or the course's own with one of these words in its name is called.

    The same for the course's own answer, `reference`. `part` gives it in lessons, and it is the same code under
    whatever name and in whatever wrapping. It is emptied as well, for whoever switches off what watches here.

    The interpreter reports every call, so it doesn't matter how the function was imported or renamed. A call that the
    code makes and then hides, by swallowing the exception or in a thread, is remembered and raised at the end.
    """
    if not words and reference is None:
        yield
        return
    seen, own = [], set(codes(reference))

    def watch(frame, event, called):
        if event == "c_call":
            name = called.__name__
            module = getattr(called, "__module__", None) or type(getattr(called, "__self__", None)).__module__
        elif event == "call":
            if frame.f_code in own:
                seen.append(its_name)
                raise Forbidden(its_name)
            if not frame.f_code.co_flags & inspect.CO_OPTIMIZED:
                return  # the body of a class or module that is being imported
            name = frame.f_code.co_qualname.split(".")[0]  # of a method: its class
            module = frame.f_globals.get("__name__", "")
        else:
            return
        if is_finished(words, name, module) and not _importing(frame):
            seen.append(name)
            raise Forbidden(name)

    previous = sys.getprofile()
    with _emptied(functions(reference), its_name) as refuse:
        own.add(refuse)
        sys.setprofile(watch)
        threading.setprofile(watch)
        try:
            with torch_function_mode(NoFinishedTensorFunctions(words, seen)) if words else contextlib.nullcontext():
                yield
        finally:
            threading.setprofile(None)
            sys.setprofile(previous)
    if seen:
        raise Forbidden(seen[0])
