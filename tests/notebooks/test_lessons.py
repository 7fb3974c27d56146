"""Every lesson that exists: its source, the student's untouched copy, and the copy with the solutions put back.

nbval runs each source and tests/browser each untouched copy, from top to bottom, once. Here only what grading needs is run.
"""

import os
import re
from pathlib import Path

import nbformat
import pytest
from browser.lab import chromium_path
from nbclient import NotebookClient
from nbformat import NotebookNode
from solved_lesson import MARK, solved_copy

from course_lib.app.readme import promised_minutes
from course_lib.exercises import lessons
from course_lib.grading.grade import LessonGrade, grade, graded_exercises
from course_lib.support.paths import NOTEBOOKS
from course_lib.workbook import notebook_files as files
from course_lib.workbook.cells import exercise_key, is_answer, is_check
from course_lib.workbook.release import student_copy
from course_lib.workbook.workbook import LessonFile, Workbook

LESSONS = [LessonFile(path) for path in sorted(NOTEBOOKS.glob("[0-9]*_*.ipynb"))]


@pytest.fixture(params=LESSONS, ids=lambda lesson: lesson.name)
def lesson(request):
    return request.param


@pytest.fixture
def source(lesson):
    return files.read_notebook(lesson.source)


# --- the source -----------------------------------------------------------------------------------------------------


def test_every_lesson_with_exercises_has_its_notebook():
    assert {each.name for each in lessons().values()} <= {each.name for each in LESSONS}


def test_the_source_is_a_valid_notebook_of_its_lesson(lesson, source):
    nbformat.validate(source)
    assert source.metadata.course == {"lesson": lesson.number}
    assert source.metadata.kernelspec.name == "python3"
    raw = nbformat.read(lesson.source, as_version=4)
    assert [cell.id for cell in raw.cells] == [cell.id for cell in source.cells], "a cell lacks its own id"


def test_every_exercise_has_its_answer_and_under_it_its_check(lesson, source):
    code = [cell for cell in source.cells if exercise_key(cell)]
    found = [(exercise_key(cell), "check" if is_check(cell) else "answer") for cell in code]
    assert found == [(each.key, kind) for each in graded_exercises(lesson) for kind in ("answer", "check")]
    points = {exercise_key(cell): cell.metadata.nbgrader.points for cell in code if is_check(cell)}
    assert points == {each.key: each.points for each in graded_exercises(lesson)}
    for cell in code:
        if is_check(cell):
            assert cell.source.startswith(f'check("{exercise_key(cell)}", ') and "\n" not in cell.source


def test_no_sitting_has_more_than_five_exercises(source):
    """A lesson is cut into sittings where it says that a lecture stops; an uncut one may have six."""
    sittings = [0]
    for cell in source.cells:
        if re.search(r"^\*\*A lecture of 75 minutes stops here", cell.source, re.MULTILINE):
            sittings.append(0)
        sittings[-1] += is_check(cell)
    assert sittings[0] <= 6 if len(sittings) == 1 else max(sittings) <= 5
    assert "75-minute lecture stops here" not in "".join(cell.source for cell in source.cells), "another wording"


def test_the_heading_of_an_exercise_says_what_its_object_says(lesson, source):
    text = "\n".join(cell.source for cell in source.cells if cell.cell_type == "markdown")
    for number, each in enumerate(graded_exercises(lesson), start=1):
        points = f"{each.points} point{'s' if each.points != 1 else ''}"
        difficulty = "●" * each.difficulty + "○" * (3 - each.difficulty)
        assert (
            f"### ✎ Exercise {each.lesson}.{number} · {each.title}\n\n{points} · {difficulty} · {each.minutes} minutes"
            in text
        )


def test_the_source_was_run_and_its_outputs_kept(source):
    code = [cell for cell in source.cells if cell.cell_type == "code" and cell.source.strip()]
    assert all(cell.execution_count for cell in code), "run `make execute`"
    assert [cell.id for cell in code if _troubles(cell)] == []


def test_the_end_says_which_lesson_is_next(lesson, source):
    """By its number; where a lesson is named by its title or file too, there is such a lesson."""
    closing = source.cells[-1].source.rpartition("**Where ")[2]
    assert re.search(rf"\b[Ll]esson {int(lesson.number) + 1:02d}\b", closing)


def test_what_is_said_of_other_lessons_is_so(source):
    text = "\n".join(cell.source for cell in source.cells if cell.cell_type == "markdown")
    titles = {each.number: each.title for each in lessons().values()}
    assert all(titles[number] == title for number, title in re.findall(r"[Ll]esson (\d\d), \*(.+?)\*", text))
    assert set(re.findall(r"`(\d\d_\w+)\.ipynb`", text)) <= {each.name for each in LESSONS}
    assert not re.search(r"(isn't|not|be) written( yet)?\b", text), "of lessons that exist this becomes untrue"


def test_the_first_cell_promises_honest_minutes(lesson, source):
    """Reading at 200 words a minute, code at 15 lines a minute, and the exercises as they say themselves."""
    text = [cell.source for cell in source.cells if cell.cell_type == "markdown"]
    code = [cell.source for cell in source.cells if cell.cell_type == "code"]
    needed = sum(len(each.split()) for each in text) / 200 + sum(len(each.splitlines()) for each in code) / 15
    needed += sum(each.minutes for each in graded_exercises(lesson))
    assert promised_minutes(lesson.number) > 0.9 * needed


# --- the student's copy ---------------------------------------------------------------------------------------------


def test_no_solution_reaches_the_student(source):
    given = student_copy(source)
    for cell, before in zip(given.cells, source.cells):
        assert "SOLUTION" not in cell.source and not cell.get("outputs")
        if is_answer(before):
            assert cell.source != MARK.sub("", before.source)


@pytest.mark.notebook
@pytest.mark.timeout(1800)
@pytest.mark.skipif(bool(chromium_path() or os.environ.get("CI")), reason="tests/browser runs it in JupyterLab")
def test_the_untouched_copy_runs_without_one_error(source, tmp_path):
    notebook = student_copy(source)
    NotebookClient(
        notebook, timeout=1800, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [(cell.id, _troubles(cell)) for cell in code if _troubles(cell)] == []


# --- its grade ------------------------------------------------------------------------------------------------------


@pytest.mark.notebook
def test_the_untouched_copy_is_graded_with_nothing(lesson, source, tmp_path):
    result = graded(tmp_path, lesson, student_copy(source))
    assert (result.points, result.notes, result.failed) == (0, [], "")


@pytest.mark.notebook
def test_the_copy_with_the_solutions_gets_full_marks(lesson, source, tmp_path):
    result = graded(tmp_path, lesson, solved_copy(source))
    assert {each.exercise.key: each.message for each in result.verdicts if not each.passed} == {}
    assert result.points == result.possible == sum(each.points for each in graded_exercises(lesson))
    assert (result.notes, result.failed) == ([], "")


def graded(folder: Path, lesson: LessonFile, copy: NotebookNode) -> LessonGrade:
    """What `course grade` says of a workbook that holds a student's copy of this lesson."""
    files.write_notebook(folder / lesson.source.name, copy)
    return grade(Workbook(folder), lesson)


def _troubles(cell) -> list[str]:
    """Errors, and whatever went to stderr."""
    return [
        f"{output.get('ename', '')} {output.get('evalue', '')} {output.get('text', '')}".strip()
        for output in cell.outputs
        if output.output_type == "error" or output.get("name") == "stderr"
    ]
