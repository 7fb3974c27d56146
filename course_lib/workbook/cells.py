"""What kind of cell of a lesson this is, told from nbgrader's metadata."""

import hashlib

from nbformat import NotebookNode

CHECK = "-check"  # the grade_id of a check cell is its answer cell's with this ending


def _marks(cell: NotebookNode, tool: str) -> dict:
    """What a tool has written into the cell's metadata; nothing where that isn't its form any more."""
    marks = cell.metadata.get(tool)
    return marks if isinstance(marks, dict) else {}


def grade_id(cell: NotebookNode) -> str | None:
    """What nbgrader knows the cell by, such as "02-attend" or "02-attend-check" (it allows no dot); None for others."""
    return _marks(cell, "nbgrader").get("grade_id")


def is_check(cell: NotebookNode) -> bool:
    """The locked cell under an exercise, that holds `check("…", …)`."""
    marks = _marks(cell, "nbgrader")
    return bool(marks.get("grade")) and not marks.get("solution")


def is_answer(cell: NotebookNode) -> bool:
    """The cell that the student writes an exercise in."""
    return bool(_marks(cell, "nbgrader").get("solution"))


def is_locked(cell: NotebookNode) -> bool:
    """A cell that the student may not change."""
    return is_check(cell) or (bool(_marks(cell, "nbgrader").get("locked")) and not is_answer(cell))


def exercise_key(cell: NotebookNode) -> str | None:
    """The exercise that an answer or check cell belongs to, such as "02.attend"."""
    if not grade_id(cell) or not (is_check(cell) or is_answer(cell)):
        return None
    return grade_id(cell).removesuffix(CHECK if is_check(cell) else "").replace("-", ".", 1)


def fingerprint(cell: NotebookNode) -> str:
    """Changes when the cell's source does."""
    return hashlib.sha256(f"{cell.cell_type}\n{cell.source}".encode("utf-8", "replace")).hexdigest()[:12]


def stamp(cell: NotebookNode) -> None:
    """Write down in the cell what it is when the student gets it."""
    cell.metadata["course"] = {"given": fingerprint(cell)}


def is_as_given(cell: NotebookNode) -> bool:
    """Does the cell's stamp say that the student hasn't changed it? False where it has none."""
    return _marks(cell, "course").get("given") == fingerprint(cell)
