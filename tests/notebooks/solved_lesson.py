"""A student's copy of a lesson with the solutions put back."""

import re

from nbformat import NotebookNode

from course_lib.workbook.cells import is_answer
from course_lib.workbook.release import student_copy

MARK = re.compile(r"^\s*### (BEGIN|END) SOLUTION\n?", re.MULTILINE)


def solved_copy(source: NotebookNode) -> NotebookNode:
    """The student's copy, its answer cells filled with what the source has between its marks."""
    solutions = {cell.id: MARK.sub("", cell.source) for cell in source.cells if is_answer(cell)}
    given = student_copy(source)
    for cell in given.cells:
        cell.source = solutions.get(cell.id, cell.source)
    return given
