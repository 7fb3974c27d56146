"""A lesson as a student gets it: nbgrader clears the solutions and outputs and locks the checks.

`nbgrader_config.py` uses the same list, so `nbgrader generate_assignment` gives the same cells.
"""

import copy
import logging

from nbformat import NotebookNode
from nbgrader.preprocessors import (
    CheckCellMetadata,
    ClearOutput,
    ClearSolutions,
    ComputeChecksums,
    LockCells,
    NbGraderPreprocessor,
)

from course_lib.errors import CourseError
from course_lib.exercises import find
from course_lib.workbook.cells import exercise_key, is_answer, stamp

QUIET = logging.getLogger("course.release")  # what nbgrader would log comes as our sentence
QUIET.addHandler(logging.NullHandler())
QUIET.propagate = False
COMMENT = "# your code here"
CODE_STUB = f"...  {COMMENT}"


class GiveStart(NbGraderPreprocessor):
    """Puts the code with the bug where an exercise starts from one. Runs after ClearSolutions."""

    def preprocess_cell(self, cell, resources, index):
        if cell.cell_type == "code" and is_answer(cell):
            cell.source = find(exercise_key(cell)).start or cell.source
        return cell, resources


class QuietStub(NbGraderPreprocessor):
    """Keeps only the stub's comment outside of functions: a bare `...` would show `Ellipsis` under the cell."""

    def preprocess_cell(self, cell, resources, index):
        if cell.cell_type == "code" and is_answer(cell):
            lines = [COMMENT if line == CODE_STUB else line for line in cell.source.split("\n")]
            cell.source = "\n".join(lines)
        return cell, resources


class Stamp(NbGraderPreprocessor):
    """Each cell carries what it was when it was given: an update knows then what the student has changed."""

    def preprocess_cell(self, cell, resources, index):
        stamp(cell)
        return cell, resources


PREPROCESSORS = [
    LockCells,
    ClearSolutions,
    QuietStub,
    GiveStart,
    ClearOutput,
    CheckCellMetadata,
    ComputeChecksums,
    Stamp,
]


def student_copy(source: NotebookNode) -> NotebookNode:
    """The lesson without solutions and outputs; `source` stays as it is. CourseError where its metadata is wrong."""
    notebook = copy.deepcopy(source)
    lesson = notebook.metadata.get("course", {}).get("lesson", "?")
    for preprocessor in PREPROCESSORS:
        step = preprocessor(log=QUIET)
        if preprocessor is ClearSolutions:
            step.code_stub = {"python": CODE_STUB}
        try:
            notebook, _ = step.preprocess(notebook, {})
        except CourseError:
            raise
        except Exception as reason:
            what = str(reason).splitlines()[0].rstrip(".")
            raise CourseError(f"Lesson {lesson} can't be released by {preprocessor.__name__}: {what}.") from reason
    notebook.metadata.pop("widgets", None)
    return notebook
