"""What a student gets of a lesson."""

import json
import os
import shutil
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


# --- nbgrader itself, with the course's nbgrader_config.py ----------------------------------------------------------


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A lecturer's folder with a released lesson, and Ann's submission of it, untouched."""
    folder = tmp_path_factory.mktemp("course")
    write_lessons(folder / "source" / "small")
    exercises = f"import course_lib.exercises\ncourse_lib.exercises.__path__.append({str(EXERCISES)!r})\n"
    (folder / "nbgrader_config.py").write_text(exercises + (ROOT / "nbgrader_config.py").read_text())
    done = nbgrader(folder, "-m", "nbgrader", "generate_assignment", "small")
    assert done.returncode == 0, done.stderr
    shutil.copytree(folder / "release" / "small", folder / "submitted" / "ann" / "small")
    return folder


def nbgrader(folder, *arguments):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # nbgrader calls alembic by its name
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=os.environ | {"PATH": path})


@pytest.mark.slow
def test_nbgrader_itself_gives_the_same_cells(course):
    assert read(course / "release" / "small" / "90_small.ipynb").cells == student_copy(small_lesson()).cells


@pytest.mark.slow
@pytest.mark.parametrize("command", [["autograde", "small"], ["validate", "release/small/90_small.ipynb"]])
def test_nbgrader_refuses_to_grade(course, command):
    done = nbgrader(course, "-m", "nbgrader", *command)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert done.stderr.count("nbgrader can't grade or validate this course: use `course grade`.") == 1
    assert "Success" not in done.stdout and not list((course / "autograded").rglob("*.ipynb"))


BUTTON = """
from nbgrader.apps.api import NbGraderAPI
from nbgrader.apps.baseapp import NbGrader
app = NbGrader()
app.load_config_file()
done = NbGraderAPI(config=app.config).autograde("small", "ann")
print(done["success"], done["error"].splitlines()[-1])
"""


@pytest.mark.slow
def test_the_autograde_button_of_formgrader_refuses(course):
    said = nbgrader(course, "-c", BUTTON).stdout.splitlines()[-1]
    assert said.startswith("False SystemExit: nbgrader can't grade or validate this course: use `course grade`.")


@pytest.mark.slow
def test_without_the_courses_configuration_nothing_passes_either(course):
    done = nbgrader(course.parent, "-m", "nbgrader", "validate", f"{course.name}/release/small/90_small.ipynb")
    assert done.stdout.count("The following cell failed") == 3 and "use `course grade`" in done.stdout
