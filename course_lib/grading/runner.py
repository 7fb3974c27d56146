"""Runs a student's notebook in a kernel of its own and keeps nothing of it but the answers of the check cells.

Whatever a cell does (raise, hang, kill its kernel, print without end), the rest of the notebook goes on.
"""

import os
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty

from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from jupyter_core.utils import run_sync
from nbclient import NotebookClient
from nbclient.exceptions import DeadKernelError
from nbformat import NotebookNode

from course_lib.checking.wire import MIME
from course_lib.errors import CourseError

SECONDS_PER_CELL = 300
STRIKES = 5  # hanging cells and dead kernels in one notebook, before the rest is left unrun
HUNG = "CellHung"


@dataclass
class Run:
    """What came of a notebook: the first answers of each check cell, and what went wrong in which cell."""

    answers: dict[int, dict] = field(default_factory=dict)
    troubles: dict[int, str] = field(default_factory=dict)


def run(
    notebook: NotebookNode,
    folder: Path,
    checks: dict[int, str],
    seed: str,
    seconds_per_cell: int = SECONDS_PER_CELL,
    on_cell: Callable[[int], None] = lambda index: None,
) -> Run:
    """Run the code cells in order, in `folder`. `checks` maps the index of each check cell to its exercise's key.

    `on_cell(index)` is called before each cell. Answers count only from a cell in `checks`, for its own key and `seed`.
    """
    return _Runner(notebook, checks, seed, seconds_per_cell).run(folder, on_cell)


class _Runner(NotebookClient):
    def __init__(self, notebook, checks, seed, seconds_per_cell):
        super().__init__(
            notebook,
            allow_errors=True,
            timeout=seconds_per_cell,
            interrupt_on_timeout=True,
            error_on_timeout={"ename": HUNG, "evalue": "", "traceback": []},
            iopub_timeout=10,
            shutdown_kernel="immediate",
            extra_arguments=["--HistoryManager.enabled=False"],
            on_cell_error=self._note_error,
        )
        self.log.setLevel("CRITICAL")
        self.checks, self.seed, self.result = checks, seed, Run()
        self.poisonous, self.hung = set(), False

    def run(self, folder: Path, on_cell: Callable[[int], None]) -> Run:
        secrets = {"COURSE_GRADING_SEED": self.seed, "PYTHONWARNINGS": "ignore"}
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        cells, at = self.nb.cells, 0
        while at < len(cells) and len(self.poisonous) < STRIKES:
            index = at
            try:
                with self.setup_kernel(cwd=str(folder), env={**os.environ, **secrets}, **quiet):
                    for index in range(at):  # after a restart: define again what earlier cells defined
                        if index not in self.poisonous and index not in self.checks:
                            self._run_cell(index)
                    while at < len(cells) and len(self.poisonous) < STRIKES:
                        index = at
                        on_cell(at)
                        self._run_cell(at)
                        at += 1
            except DeadKernelError:
                self.poisonous.add(index)
                self.result.troubles.setdefault(index, "The cell ended its Python.")
                at = max(at, index + 1)
            except RuntimeError as reason:
                raise CourseError(f"Python did not start in {folder} to run the notebook: {reason}.") from reason
        unrun = f"Not run: {STRIKES} cells of this notebook hang or end their Python."
        self.result.troubles |= dict.fromkeys(range(at, len(cells)), unrun)
        return self.result

    def _run_cell(self, index: int) -> None:
        self.hung = False
        self.execute_cell(self.nb.cells[index], index)
        if self.hung:
            self.poisonous.add(index)
            if not self._answers_again():
                raise DeadKernelError("the cell did not stop when it was interrupted")

    def _answers_again(self, seconds: float = 5) -> bool:
        """Is the kernel back after an interrupt?"""
        request, end = self.kc.kernel_info(), time.monotonic() + seconds

        async def wait() -> bool:
            while time.monotonic() < end:
                try:
                    reply = await self.kc.shell_channel.get_msg(timeout=0.2)
                except Empty:
                    continue
                if reply["parent_header"].get("msg_id") == request:
                    return True
            return False

        return run_sync(wait)()

    async def _note_error(self, cell, cell_index, execute_reply) -> None:
        error = execute_reply["content"]
        self.hung = error["ename"] == HUNG
        said = f"{error['ename']}: {error['evalue']}"[:300]
        stopped = f"The cell ran longer than {self.timeout} s and was stopped."
        self.result.troubles[cell_index] = stopped if self.hung else said

    def create_kernel_manager(self):
        """This Python's own kernel, whatever kernel the student's notebook names."""
        self.km = AsyncKernelManager(kernel_name="python3", kernel_spec_manager=KernelSpecManager(kernel_dirs=[]))
        return self.km

    def process_message(self, msg, cell, cell_index):
        """Of all that a cell sends, only the end of its run and the answers of a check cell matter."""
        if msg["msg_type"] == "status":
            return super().process_message(msg, cell, cell_index)
        if msg["msg_type"] == "display_data" and cell_index in self.checks:
            bundle = msg["content"].get("data", {}).get(MIME)
            ours = {"key": self.checks[cell_index], "seed": self.seed}
            if isinstance(bundle, dict) and isinstance(bundle.get("answers"), dict) and ours.items() <= bundle.items():
                self.result.answers.setdefault(cell_index, bundle["answers"])
        return None
