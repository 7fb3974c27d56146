"""The other side of `kernels`: the process that a student's cells run in, and the warm one that forks such processes.

The warm process imports once what lessons import, and never runs a student's code. Per line of its input,
{"connection": file, "folder": ..., "environment": {...}}, it forks a kernel and answers with its pid.
"""

import gc
import json
import os
import signal
import sys
import warnings
from contextlib import suppress
from typing import TextIO

from ipykernel.ipkernel import IPythonKernel
from ipykernel.kernelapp import IPKernelApp
from ipykernel.zmqshell import ZMQInteractiveShell
from traitlets import Type

INLINE = "module://matplotlib_inline.backend_inline"  # pictures as in every kernel


class Shell(ZMQInteractiveShell):
    def ask_exit(self):
        """`exit()` and `quit()` would end the kernel somewhere in the cells that follow. Here they end nothing."""


class Kernel(IPythonKernel):
    shell_class = Type(Shell)

    def do_shutdown(self, restart):
        """The grader ends the kernel, nobody else."""
        return {"status": "ok", "restart": restart}


def serve(connection: str) -> None:
    """Be a kernel until somebody ends it."""
    sys.argv = ["ipykernel_launcher", "-f", connection]
    options = ["--HistoryManager.enabled=False", "--KernelApp.log_level=50"]
    IPKernelApp.launch_instance([*sys.argv[1:], *options], kernel_class=Kernel)


def serve_forks(requests: TextIO, answers: TextIO) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the kernels
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()
    forked = []
    for line in requests:
        pid = os.fork()
        if pid == 0:
            _become_kernel(**json.loads(line))
        forked.append(pid)
        print(pid, file=answers, flush=True)
    for pid in forked:  # the grader is gone
        with suppress(OSError):
            os.killpg(pid, signal.SIGKILL)


def _become_kernel(connection: str, folder: str, environment: dict) -> None:
    try:
        os.setsid()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nowhere, stream)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        warnings.simplefilter("ignore")
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(folder)
        with suppress(KeyError, ValueError):  # a list of numbers is for nested loops
            sys.modules["torch"].set_num_threads(int(environment["OMP_NUM_THREADS"]))
        sys.modules["matplotlib"].rcParams["backend"] = environment.get("MPLBACKEND") or INLINE
        gc.unfreeze()
        serve(connection)
    finally:
        os._exit(1)


def import_what_lessons_import() -> None:
    import ipywidgets  # noqa: F401
    import matplotlib.pyplot  # noqa: F401

    import course_lib
    from course_lib.exercises import lessons

    lessons()
    for name in course_lib.__all__:
        getattr(course_lib, name)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        serve(sys.argv[1])
    else:
        import_what_lessons_import()
        serve_forks(sys.stdin, sys.stdout)
