"""Lets `nbgrader generate_assignment` give students the same cells as `course lab` does."""

from nbgrader.preprocessors import ClearHiddenTests, ClearMarkScheme, SaveCells

from course_lib.workbook.release import CODE_STUB, PREPROCESSORS

c = get_config()
c.ClearSolutions.code_stub = {"python": CODE_STUB}
c.GenerateAssignment.preprocessors = [*PREPROCESSORS, SaveCells, ClearHiddenTests, ClearMarkScheme]
