"""Keeps a student's code in bounds while it is checked: time, output, torch's settings, and no finished parts."""

import _thread
import contextlib
import inspect
import io
import signal
import sys
import threading
import warnings

import torch
from torch import overrides
from torch.overrides import TorchFunctionMode

FINISHED_IN = ("torch", "course_lib", "numpy", "scipy")  # where finished functions come from


class TooSlow(BaseException):
    """Time is up. Not an Exception, so that a student's `except Exception` lets it pass."""


class Forbidden(BaseException):
    """The finished function was called; its name is the message."""


class Beginning(io.StringIO):
    """Keeps the first of what is printed: an endless loop can print gigabytes."""

    def write(self, text: str) -> int:
        if self.tell() < 10_000:
            super().write(text[:10_000])
        return len(text)


@contextlib.contextmanager
def usual_torch():
    """torch's dtype, threads, gradients and random numbers as they are when it starts; afterwards as they were."""
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

    A bare `except:` in a loop would swallow every one of them, so each comes twice: the second on the handler's own
    line. Only the student's frames are treated so: ours must be able to clean up. For the same reason this context
    stands innermost. What can't be stopped is a single call into C that takes for ever, such as sum(range(10**12)):
    there only a restart helps.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    if hasattr(signal, "setitimer"):

        def again(_, event, __):
            if event == "line":
                raise TooSlow
            return again

        caller, done = sys._getframe(2), False  # above this generator and contextlib

        def stop(_, frame):
            if done:  # it fired while the block was being left
                return
            while frame is not None and frame is not caller:
                if frame.f_globals.get("__name__", "").split(".")[0] not in ("course_lib", "contextlib", "torch"):
                    frame.f_trace = again
                frame = frame.f_back
            sys.settrace(lambda *_: None)  # switches the frames' own tracing on, and follows no new frame
            raise TooSlow

        tracing = sys.gettrace()
        previous = signal.signal(signal.SIGALRM, stop)
        others = signal.setitimer(signal.ITIMER_REAL, seconds, 0.5)
        try:
            yield
        finally:
            done = True
            signal.setitimer(signal.ITIMER_REAL, *others)
            signal.signal(signal.SIGALRM, previous)
            sys.settrace(tracing)
        return
    # Windows has no alarm: a thread asks the main one to stop, as Ctrl-C would
    finished, timed_out = threading.Event(), False

    def interrupt():
        nonlocal timed_out
        wait = seconds
        while not finished.wait(wait):
            timed_out, wait = True, 0.5
            _thread.interrupt_main()

    thread = threading.Thread(target=interrupt, daemon=True)
    thread.start()
    try:
        yield
    except KeyboardInterrupt:
        if timed_out:
            raise TooSlow from None
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


@contextlib.contextmanager
def no_finished_parts(words: tuple[str, ...]):
    """Raise Forbidden where a function of torch's or the course's own with one of these words in its name is called.

    The interpreter reports every call, so it doesn't matter how the function was imported or renamed. A call that the
    code makes and then hides, by swallowing the exception or in a thread, is remembered and raised at the end.
    """
    if not words:
        yield
        return
    seen = []

    def watch(frame, event, called):
        if event == "c_call":
            name = called.__name__
            module = getattr(called, "__module__", None) or type(getattr(called, "__self__", None)).__module__
        elif event == "call":
            if not frame.f_code.co_flags & inspect.CO_OPTIMIZED:
                return  # the body of a class or module that is being imported
            name = frame.f_code.co_qualname.split(".")[0]  # of a method: its class
            module = frame.f_globals.get("__name__", "")
        else:
            return
        if is_finished(words, name, module):
            seen.append(name)
            raise Forbidden(name)

    previous = sys.getprofile()
    sys.setprofile(watch)
    threading.setprofile(watch)
    try:
        with torch_function_mode(NoFinishedTensorFunctions(words, seen)):
            yield
    finally:
        threading.setprofile(None)
        sys.setprofile(previous)
    if seen:
        raise Forbidden(seen[0])
