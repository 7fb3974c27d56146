"""Lets `nbgrader generate_assignment` give students the same cells as `course lab` does. Nothing is graded here."""

from nbgrader.converters.base import NbGraderException
from nbgrader.preprocessors import ClearHiddenTests, ClearMarkScheme, NbGraderPreprocessor, SaveCells

from course_lib.workbook.release import CODE_STUB, PREPROCESSORS


class Refuse(NbGraderPreprocessor):
    """nbgrader gives a check cell full marks when it raises nothing, and the course's checks never raise."""

    def preprocess(self, notebook, resources):
        raise NbGraderException("nbgrader can't grade or validate this course: use `course grade` in the workbook.")


c = get_config()
c.ClearSolutions.code_stub = {"python": CODE_STUB}
c.GenerateAssignment.preprocessors = [*PREPROCESSORS, SaveCells, ClearHiddenTests, ClearMarkScheme]
c.Autograde.sanitize_preprocessors = c.Autograde.autograde_preprocessors = [Refuse]
c.Validator.preprocessors = [Refuse]
