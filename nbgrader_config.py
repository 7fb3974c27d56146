"""Lets `nbgrader generate_assignment` give students the same cells as `course lab` does. Nothing is graded here."""

import os

from nbgrader.preprocessors import ClearHiddenTests, ClearMarkScheme, NbGraderPreprocessor, SaveCells

from course_lib.student.check import NOT_WITH_NBGRADER
from course_lib.workbook.release import CODE_STUB, PREPROCESSORS


class Refuse(NbGraderPreprocessor):
    """In the place of those that would grade."""

    def preprocess(self, notebook, resources):
        raise SystemExit(NOT_WITH_NBGRADER)  # without a traceback; the server's buttons show it, too


def refuse_to_validate(notebook):
    if os.environ.get("NBGRADER_EXECUTION") == "validate":  # its list of preprocessors can't be changed
        raise SystemExit(NOT_WITH_NBGRADER)


c = get_config()
c.ClearSolutions.code_stub = {"python": CODE_STUB}
c.GenerateAssignment.preprocessors = [*PREPROCESSORS, SaveCells, ClearHiddenTests, ClearMarkScheme]
c.Autograde.sanitize_preprocessors = c.Autograde.autograde_preprocessors = [Refuse]
c.Execute.on_notebook_start = refuse_to_validate
