"""A workbook of the version before the seven lessons were mended, half of it solved: an update loses none of it.

version_before.tar.xz: lessons 00 to 05 and 07 as `course lab` gave them out then, every second exercise solved (the course's
own solutions), run from top to bottom, outputs cleared; with `.course/` and `my_transformer/` as the lessons left them.
"""

import json
import tarfile
from pathlib import Path

import pytest

from course_lib.exercises import lessons
from course_lib.grading.grade import grade
from course_lib.workbook.cells import exercise_key, is_answer, is_check
from course_lib.workbook.notebook_files import read_notebook
from course_lib.workbook.workbook import Workbook

OLD = ["00", "01", "02", "03", "04", "05", "07"]


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """The old workbook as it was, for comparison, and once more, updated."""
    both = []
    for name in ("before", "updated"):
        folder = tmp_path_factory.mktemp(name)
        with tarfile.open(Path(__file__).with_name("version_before.tar.xz")) as kept:
            kept.extractall(folder, filter="data")
        both.append(Workbook(folder / "workbook"))
    both[1].refresh()
    return both


def solved(workbook, number):
    """{key: source} of what the student changed."""
    lesson = workbook.lesson(number)
    original = workbook.root / ".course" / "originals" / f"{lesson.name}.ipynb"
    open_ = {cell.id: cell.source for cell in read_notebook(original).cells}
    cells = [cell for cell in read_notebook(workbook.find(lesson)).cells if exercise_key(cell) and is_answer(cell)]
    return {exercise_key(cell): cell.source for cell in cells if cell.source != open_.get(cell.id)}


def progress(workbook):
    return json.loads((workbook.root / ".course" / "progress.json").read_text())


@pytest.mark.parametrize("number", OLD)
def test_each_answer_stands_once_above_its_check(given, number):
    before, updated = given
    answers = solved(before, number)
    assert len(answers) >= 2
    cells = read_notebook(updated.find(updated.lesson(number))).cells
    for key, source in answers.items():
        at = [i for i, cell in enumerate(cells) if cell.source == source]
        assert len(at) == 1 and exercise_key(cells[at[0]]) == key
        checks = [i for i, cell in enumerate(cells) if exercise_key(cell) == key and is_check(cell)]
        assert len(checks) == 1 and checks[0] > at[0]
    keys = [exercise_key(cell) for cell in cells if exercise_key(cell) and is_check(cell)]
    assert sorted(keys) == sorted(each.key for each in lessons()[number].exercises), "and all that is new is there"


def test_points_predictions_and_parts_stay(given):
    before, updated = given
    known = {each.key for lesson in lessons().values() for each in lesson.exercises}
    assert progress(before) == progress(updated) and progress(before)["exercises"].keys() <= known
    parts = [{file.name: file.read_text() for file in book.root.glob("my_transformer/*.py")} for book in given]
    assert len(parts[0]) > 5 and parts[0].items() <= parts[1].items()


def test_a_second_update_changes_nothing(given):
    assert Workbook(given[1].root).refresh() == []


@pytest.mark.notebook
@pytest.mark.parametrize("number", OLD)
def test_what_had_passed_passes(given, number):
    before, updated = given
    records = progress(before)["exercises"]
    passed = {key for key in records if key.startswith(number) and records[key]["status"] == "passed"}
    result = grade(updated, updated.lesson(number))
    said = {each.exercise.key: each.message for each in result.verdicts if not each.passed}
    assert passed and not passed & said.keys(), said
    assert result.failed == ""
