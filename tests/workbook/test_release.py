"""What a student gets of a lesson."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from small_course import EXERCISES, cell, ids, read, small_lesson, write_lessons

from course_lib.errors import CourseError
from course_lib.support.paths import ROOT
from course_lib.workbook.release import student_copy

pytestmark = pytest.mark.usefixtures("small_course")


def test_solutions_are_cleared_and_the_rest_stays():
    source = small_lesson()
    given = student_copy(source)
    assert ids(given) == ids(source)
    assert cell(given, "double-answer").source == "def double(x):\n    ...  # your code here"
    assert cell(given, "sizes-answer").source == 'sizes = {"rows": None, "columns": None}\n# your code here'
    assert "2 * x" not in json.dumps(given) and "BEGIN SOLUTION" not in json.dumps(given)
    assert cell(given, "question").source == cell(source, "question").source


def test_outputs_are_cleared():
    assert cell(student_copy(small_lesson()), "demo").outputs == []


def test_the_source_stays_as_it_is():
    source = small_lesson()
    student_copy(source)
    assert source == small_lesson()


def test_an_exercise_with_a_bug_starts_from_it():
    assert cell(student_copy(small_lesson()), "repaired-answer").source == "def broken(x):\n    return x - 1"


def test_checks_are_locked_and_answers_can_not_be_deleted():
    given = student_copy(small_lesson())
    check, answer = cell(given, "double-check").metadata, cell(given, "double-answer").metadata
    assert (check.deletable, check.editable) == (False, False)
    assert answer.deletable is False and "editable" not in answer
    assert check.nbgrader.points == 3 and check.nbgrader.checksum


def test_a_solution_without_an_end_is_one_sentence():
    source = small_lesson()
    cell(source, "double-answer").source = "### BEGIN SOLUTION\nx = 1"
    with pytest.raises(CourseError, match="Lesson 90 .*no end solution"):
        student_copy(source)


@pytest.mark.slow
def test_nbgrader_itself_gives_the_same_cells(tmp_path):
    """`nbgrader generate_assignment` with the course's nbgrader_config.py."""
    write_lessons(tmp_path / "source" / "small")
    exercises = f"import course_lib.exercises\ncourse_lib.exercises.__path__.append({str(EXERCISES)!r})\n"
    (tmp_path / "nbgrader_config.py").write_text(exercises + (ROOT / "nbgrader_config.py").read_text())
    command = [sys.executable, "-m", "nbgrader", "generate_assignment", "small", f"--course={tmp_path}"]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # nbgrader calls alembic by its name
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=os.environ | {"PATH": path})
    assert done.returncode == 0, done.stderr
    assert read(tmp_path / "release" / "small" / "90_small.ipynb").cells == student_copy(small_lesson()).cells
