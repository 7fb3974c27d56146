"""Kernels for students' cells: forked from a warm process where the system can, started anew elsewhere.

What a kernel sends is never trusted: a message that is malformed, unsigned or too large is that kernel's death.
"""

import atexit
import json
import os
import secrets
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import zmq
from jupyter_client.connect import write_connection_file
from jupyter_client.session import Session

from course_lib.grading.kernel_process import import_what_lessons_import, serve_forks

MODULE = [sys.executable, "-P", "-m", "course_lib.grading.kernel_process"]  # -P: no torch.py of the student's
CAN_FORK = hasattr(os, "fork")
SECONDS_TO_START = 60
SECONDS_TO_STOP = 5  # after an interrupt
SECONDS_TO_ANSWER = 3  # without a reply, after which the kernel is asked whether it still works on the cell
SECONDS_FOR_OUTPUT = 10  # after the reply
LARGEST_PART = 256_000_000  # bytes; with a part above, the connection ends
LARGEST_MESSAGE = 32_000_000  # bytes that are looked at: answers are far smaller, an output above isn't read
DEAD = "The cell ended its Python."


class KernelDied(Exception):
    """The kernel is of no use any more; the message says why, in a sentence."""


class WarmProcess:
    """Forks kernels that have imported what lessons need.

    It is a fork of this process itself where this has only just started, so that all is imported once. One that has
    used torch may hold threads that a fork would lose: then it is a process of its own.
    """

    def __init__(self):
        self.patience, self.ended = SECONDS_TO_START, False
        if "torch" in sys.modules:
            quiet = {"stderr": subprocess.DEVNULL, "start_new_session": True}
            process = subprocess.Popen(MODULE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **quiet)
            self.pid, self.to, self.answers = process.pid, process.stdin, process.stdout
            self._reap = process.wait
        else:
            self._fork_this()

    def _fork_this(self) -> None:
        import_what_lessons_import()
        (requests, to), (answers, back) = os.pipe(), os.pipe()
        self.pid, self._reap = os.fork(), lambda: os.waitpid(self.pid, 0)
        if self.pid == 0:
            try:
                os.setsid()
                os.dup2(requests, 0), os.dup2(back, 1)
                os.closerange(3, max(requests, to, answers, back) + 1)
                serve_forks(os.fdopen(0), os.fdopen(1, "w"))
            finally:
                os._exit(0)
        os.close(requests), os.close(back)
        self.to, self.answers = os.fdopen(to, "wb"), os.fdopen(answers, "rb")

    def fork(self, request: dict) -> int | None:
        """The pid of a new kernel; None, and this process is at its end, if it doesn't answer."""
        try:
            self.to.write(json.dumps(request).encode() + b"\n")
            self.to.flush()
            arrived = select.select([self.answers], [], [], self.patience)[0]
            self.patience = SECONDS_TO_STOP
            if arrived:
                return int(self.answers.readline())
        except (OSError, ValueError):
            pass
        self.end()
        return None

    def end(self) -> None:
        """At the end of its input it ends its kernels and itself; and where it doesn't, it is ended."""
        if self.ended:
            return
        with suppress(OSError):
            self.to.close()
        select.select([self.answers], [], [], 1)
        self.answers.close()
        with suppress(OSError):
            os.kill(self.pid, signal.SIGKILL)
        with suppress(OSError):
            self._reap()
        self.ended = True


_warm: WarmProcess | None = None
_one_at_a_time = threading.Lock()


def warm_up() -> None:
    """Begin the warm process's imports now, before the first kernel is needed."""
    global _warm
    if CAN_FORK and (_warm is None or _warm.ended):
        _warm = WarmProcess()


def cool_down() -> None:
    """End the warm process, and with it what it forked."""
    global _warm
    with _one_at_a_time:
        if _warm is not None:
            _warm.end()
        _warm = None


atexit.register(cool_down)


class Kernel:
    """A kernel in `folder`, to be used in a `with`. RuntimeError where it doesn't start."""

    def __init__(self, folder: Path, environment: dict):
        self.home = Path(tempfile.mkdtemp(prefix="kernel-"))
        try:
            self._start(folder, environment)
        except BaseException:
            self.end()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def _start(self, folder: Path, environment: dict) -> None:
        self.process, self.pid, self.context = None, None, None
        for _ in range(2 if CAN_FORK else 0):  # the first may be one that a student's code has stopped
            request = {"connection": self._connection(), "folder": str(folder), "environment": environment}
            with _one_at_a_time:
                warm_up()
                self.pid = _warm.fork(request)
            if self.pid and self._is_ready():
                return
            self._stop()
        quiet = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
        if CAN_FORK:
            environment = {**environment, "JPY_PARENT_PID": str(os.getpid())}  # ends when this process is gone
        connection = self._connection()
        self.process = subprocess.Popen(
            [*MODULE, connection], cwd=folder, env=environment, start_new_session=True, **quiet
        )
        self.pid = self.process.pid
        if not self._is_ready():
            raise RuntimeError("Python did not start")

    def _connection(self) -> str:
        """Connect to a kernel to come: the file that tells it where."""
        local = {"transport": "ipc", "ip": str(self.home / secrets.token_hex(4))} if CAN_FORK else {"ip": "127.0.0.1"}
        key = secrets.token_hex(16).encode()
        file, where = write_connection_file(str(self.home / "connection.json"), key=key, **local)
        self.session = Session(key=where["key"].encode())
        self.context = zmq.Context()
        self.context.setsockopt(zmq.MAXMSGSIZE, LARGEST_PART)
        self.context.setsockopt(zmq.LINGER, 0)
        self.shell, self.output = self.context.socket(zmq.DEALER), self.context.socket(zmq.SUB)
        self.output.subscribe(b"")
        between = "-" if where["transport"] == "ipc" else ":"
        for socket, name in ((self.shell, "shell_port"), (self.output, "iopub_port")):
            socket.connect(f"{where['transport']}://{where['ip']}{between}{where[name]}")
        return file

    def _is_ready(self) -> bool:
        """Wait until it answers on both channels."""
        end, missing = time.monotonic() + SECONDS_TO_START, {self.shell, self.output}
        while missing and time.monotonic() < end and self.alive():
            self._ask("kernel_info_request", {})
            with suppress(KernelDied):
                missing -= {socket for socket, _ in self._messages(0.1)}
        return not missing

    def alive(self) -> bool:
        if self.process is not None:
            return self.process.poll() is None
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        return True

    def end(self) -> None:
        """Whatever it started goes too."""
        self._stop()
        shutil.rmtree(self.home, ignore_errors=True)

    def _stop(self) -> None:
        if self.pid:
            self._signal("SIGKILL")
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        if self.context is not None:
            self.context.destroy(linger=0)

    def _signal(self, name: str) -> None:
        """To the kernel and to what it started; nothing where the system has no such signal."""
        with suppress(OSError, AttributeError):
            os.killpg(self.pid, getattr(signal, name))

    def run(self, source: str, seconds: float, on_display: Callable[[dict], None]) -> str:
        """Run a cell; returns what went wrong, "" if nothing did. on_display: called with the data of each display.

        Raises KernelDied where the kernel ended, hangs for good, or lost its reply.
        """
        request, reply, idle, question, interrupted = self._execute(source), None, False, None, False
        began = time.monotonic()
        end, doubt = began + seconds, began + SECONDS_TO_ANSWER
        too_long = f"The cell ran longer than {seconds:g} s and was stopped."
        while reply is None or not idle:
            arrived = self._messages(0.2)
            for socket, message in arrived:
                parent, kind, content = message["parent_header"].get("msg_id"), message["msg_type"], message["content"]
                if socket is self.shell and parent == question and reply is None:
                    raise KernelDied(too_long if interrupted else "The cell broke the way its Python answers.")
                if parent != request:
                    continue
                if reply is not None:
                    end = time.monotonic() + SECONDS_FOR_OUTPUT
                if socket is self.shell:
                    reply, end = content, time.monotonic() + SECONDS_FOR_OUTPUT
                elif kind == "status":
                    idle = idle or content.get("execution_state") == "idle"
                elif kind == "display_data" and isinstance(content.get("data"), dict):
                    on_display(content["data"])
            if not arrived and not self.alive():
                raise KernelDied(too_long if interrupted else DEAD)
            now = time.monotonic()
            if reply is None and question is None and now > doubt:
                question = self._ask("kernel_info_request", {})
            if now > end:
                if reply is not None:
                    raise KernelDied("The cell's output did not come to an end.")
                if interrupted:
                    raise KernelDied(too_long)
                interrupted, end = True, now + SECONDS_TO_STOP
                self._signal("SIGINT")
        if interrupted:
            return too_long
        return "" if reply.get("status") == "ok" else f"{reply.get('ename')}: {reply.get('evalue')}"[:300]

    def _execute(self, source: str) -> str:
        told = {"silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
        return self._ask("execute_request", {"code": source, "stop_on_error": False, **told})

    def _ask(self, kind: str, content: dict) -> str:
        return self.session.send(self.shell, kind, content)["header"]["msg_id"]

    def _messages(self, seconds: float, most: int = 100) -> list[tuple[zmq.Socket, dict]]:
        """What arrives within so long, each with the socket it came on."""
        poller, found = zmq.Poller(), []
        for socket in (self.shell, self.output):
            poller.register(socket, zmq.POLLIN)
        for socket, _ in poller.poll(1000 * seconds):
            with suppress(zmq.Again):
                for _ in range(most):
                    message = self._message(socket, socket.recv_multipart(zmq.NOBLOCK))
                    found += [(socket, message)] if message else []
        return found

    def _message(self, socket: zmq.Socket, parts: list[bytes]) -> dict | None:
        if socket is self.output and sum(map(len, parts)) > LARGEST_MESSAGE:
            return None
        try:
            message = self.session.deserialize(self.session.feed_identities(parts)[1])
            if not all(isinstance(message[part], dict) for part in ("parent_header", "content")):
                raise TypeError("not a message")
        except Exception as reason:  # whatever the student's code sent
            raise KernelDied("The cell sent what no Python of Jupyter's sends.") from reason
        return message
