"""Runs a student's notebook in kernels of its own and keeps nothing of it but the answers of the check cells.

In place of a check the kernel gets its task: what to call the submission with, no right answer and no seed.

The cells run in order in one kernel. Where it dies, hangs for good or uses up its time, each exercise that hasn't
answered yet gets a kernel for itself, with only the cells that it needs: what one cell does to its Python, now or a
second later, costs no exercise but those that need this cell.
"""

import os
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from course_lib.checking.wire import MIME
from course_lib.errors import CourseError
from course_lib.grading.kernels import Kernel, KernelDied
from course_lib.student.official import GRADING

SECONDS_PER_CELL = 300
SECONDS_PER_NOTEBOOK = 1200
ANSWER = '__import__("course_lib.student.official", fromlist=["answer"]).answer("{token}", "{task}", *{arguments}\n)'


@dataclass(frozen=True)
class Limits:
    """How long student code may run, in seconds: one cell, and all of a notebook before exercises run one by one."""

    cell: float = SECONDS_PER_CELL
    notebook: float = SECONDS_PER_NOTEBOOK


USUAL = Limits()


@dataclass(frozen=True)
class Plan:
    """What to run of a notebook: `together`, in one kernel, and `alone`, for each check cell, what it needs.

    `checks` maps the index of each check cell to its exercise's key. All are indices of `sources`, which holds of a
    check cell the arguments alone: `("02.attend", attend)`.
    """

    sources: list[str]
    checks: dict[int, str]
    together: list[int]
    alone: dict[int, list[int]]


@dataclass
class Run:
    """What came of a notebook: the first answers of each check cell, and what went wrong in which cell."""

    answers: dict[int, dict] = field(default_factory=dict)
    troubles: dict[int, str] = field(default_factory=dict)


def run(
    plan: Plan,
    folder: Path,
    tasks: Mapping[str, str],
    limits: Limits = USUAL,
    on_cell: Callable[[int], None] = lambda index: None,
    environment: Mapping[str, str] = os.environ,
) -> Run:
    """Run the plan in `folder`. `tasks`: by exercise, packed. `on_cell(index)` is called before each cell.

    Answers count only from a check cell, for its own key and with its token. CourseError where no Python starts.
    """
    found, environment = Run(), {**environment, GRADING: "1", "PYTHONWARNINGS": "ignore"}

    def run_cells(cells: list[int], seconds: float) -> None:
        end = time.monotonic() + seconds
        try:
            with Kernel(folder, environment) as kernel:
                for index in cells:
                    left = end - time.monotonic()
                    if left <= 0:
                        found.troubles.setdefault(index, f"Not run: the {seconds:g} s for these cells were over.")
                        return
                    on_cell(index)
                    found.troubles.pop(index, None)
                    source, token = plan.sources[index], secrets.token_hex(16)
                    if key := plan.checks.get(index):
                        source = ANSWER.format(token=token, task=tasks.get(key, ""), arguments=source)
                    try:
                        trouble = kernel.run(source, min(limits.cell, left), keeper(index, token))
                    except KernelDied as reason:
                        found.troubles[index] = str(reason)
                        return
                    if trouble:
                        found.troubles[index] = trouble
        except RuntimeError as reason:
            raise CourseError(f"Python did not start in {folder} to run the notebook.") from reason

    def keeper(index: int, token: str) -> Callable[[dict], None]:
        def keep(data: dict) -> None:
            bundle, ours = data.get(MIME), {"key": plan.checks.get(index), "token": token}
            if isinstance(bundle, dict) and isinstance(bundle.get("answers"), dict) and ours.items() <= bundle.items():
                found.answers.setdefault(index, bundle["answers"])

        return keep

    if plan.together:
        run_cells(plan.together, limits.notebook)
    silent = [index for index in plan.checks if index not in found.answers]
    for index in silent:
        run_cells(plan.alone[index], limits.notebook / len(silent))
    return found
