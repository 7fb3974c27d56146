"""What of a student's notebook is graded: their cells, with the course's own checks and locked cells put back."""

import copy
from dataclasses import dataclass

from nbformat import NotebookNode

from course_lib.grading.needed_cells import needed
from course_lib.grading.runner import Plan
from course_lib.workbook.cells import exercise_key, is_answer, is_check, is_locked
from course_lib.workbook.merge import merge


@dataclass(frozen=True)
class Submission:
    """The notebook to run, and the plan of it."""

    notebook: NotebookNode
    plan: Plan

    def answers(self, key: str) -> list[int]:
        """The indices of the answer cells of an exercise."""
        return [i for i, cell in enumerate(self.notebook.cells) if exercise_key(cell) == key and is_answer(cell)]

    def check(self, key: str) -> int:
        return next(index for index, checked in self.plan.checks.items() if checked == key)

    def only(self, keys: set[str]) -> Plan:
        """Each of these exercises alone."""
        checks = {index: key for index, key in self.plan.checks.items() if key in keys}
        return Plan(self.plan.sources, checks, [], self.plan.alone)

    def whole(self) -> Plan:
        """Every cell, needed or not."""
        return Plan(self.plan.sources, self.plan.checks, list(range(len(self.plan.sources))), self.plan.alone)


def prepare(mine: NotebookNode, base: NotebookNode, source: NotebookNode) -> Submission:
    """The student's notebook as a course update would leave it, except that no check is missing, changed or doubled.

    base: the lesson as it was given to them, kept in their own folder: it may say which cells they have edited and what
    the stubs were, nothing else. source: the lesson in the course.
    """
    given = _given(base, source)
    notebook = merge(mine, base, given)
    notebook.cells = _with_course_checks(notebook.cells, given)
    course = {(cell.cell_type, cell.source) for cell in given.cells if not exercise_key(cell)}
    setup = next(cell for cell in given.cells if cell.cell_type == "code")
    sources, checks, roots, first = [], {}, [], []
    for index, cell in enumerate(notebook.cells):
        sources.append(cell.source if cell.cell_type == "code" else "")
        if cell.id == setup.id or cell.source == setup.source:
            first.append(index)
        if is_check(cell):
            checks[index] = exercise_key(cell)
            sources[index] = cell.source.removeprefix(
                "check"
            )  # what that is by then, nobody knows: `runner.ANSWER` calls
        if sources[index] and (exercise_key(cell) or (cell.cell_type, cell.source) not in course or index in first):
            roots.append(index)
    alone = {}
    for check, key in checks.items():
        own = [i for i in range(check) if exercise_key(notebook.cells[i]) == key]
        alone[check] = needed(sources[: check + 1], [*first, *own, check])
    return Submission(notebook, Plan(sources, checks, needed(sources, roots), alone))


def _given(base: NotebookNode, source: NotebookNode) -> NotebookNode:
    """The lesson as students get it: the answer cells from `base`, all else from the course itself."""
    stubs = {cell.id: cell.source for cell in base.cells if is_answer(cell)}
    given = copy.deepcopy(source)
    for cell in given.cells:
        if cell.cell_type == "code":
            cell.outputs = []
        if is_answer(cell):
            cell.source = stubs.get(cell.id, "")
    return given


def _with_course_checks(cells: list[NotebookNode], given: NotebookNode) -> list[NotebookNode]:
    """`cells` with each check and locked cell of the course once: where it was, but below its answer."""
    course = {cell.id: cell for cell in given.cells}
    locked = [cell for cell in given.cells if is_locked(cell)]
    keys = {exercise_key(cell) for cell in locked if is_check(cell)}
    order = [cell.id for cell in given.cells]
    cells = [cell for cell in cells if not is_check(cell) or cell.id in course or exercise_key(cell) not in keys]
    for cell in locked:
        here = [each.id for each in cells]
        before = next((name for name in reversed(order[: order.index(cell.id)]) if name in here), None)
        place = here.index(before) + 1 if before else 0
        if cell.id in here and here.index(cell.id) >= place:
            continue
        if cell.id in here:
            cells.pop(here.index(cell.id))
            place -= 1
        while place < len(cells) and cells[place].id not in course:  # the student's own, below the answer
            place += 1
        cells.insert(place, copy.deepcopy(cell))
    return cells
