"""`make lesson` begins a lesson that is released, graded and judged as it stands."""

import runpy
import sys
from types import ModuleType

import pytest
from solved_lesson import solved_copy

import course_lib.exercises
from course_lib.app.new_lesson import begin
from course_lib.app.readme import README, with_table
from course_lib.checking.collect import collect
from course_lib.checking.judge import judge
from course_lib.errors import CourseError
from course_lib.grading.grade import grade
from course_lib.workbook import notebook_files as files
from course_lib.workbook.release import student_copy
from course_lib.workbook.workbook import LessonFile, Workbook

WHERE = "import course_lib.exercises\ncourse_lib.exercises.__path__.append({!r})\n"


@pytest.fixture
def begun(tmp_path, monkeypatch):
    """A folder with lesson 41, just begun, its exercises among the course's."""
    begin("41_the_block", root=tmp_path)
    folder = str(tmp_path / "course_lib" / "exercises")
    monkeypatch.setattr(course_lib.exercises, "__path__", [*course_lib.exercises.__path__, folder])
    yield tmp_path
    for name in [each for each in sys.modules if each.startswith("course_lib.exercises.lesson_41")]:
        del sys.modules[name]


def answers(folder, kind, decorator):
    """What the new lesson's file of right, or of unlisted, answers lists."""
    listed, package = [], ModuleType(kind)
    setattr(package, decorator, lambda key: lambda function: listed.append((key, function)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, kind, package)
        runpy.run_path(str(folder / "tests" / "exercises" / kind / "lesson_41.py"))
    return listed


def test_its_bank_tells_answers_apart(begun):
    lesson = course_lib.exercises.lessons()["41"]
    assert (lesson.name, lesson.title, [each.key for each in lesson.exercises]) == (
        "41_the_block",
        "The block",
        ["41.mean_token"],
    )
    [exercise] = lesson.exercises
    right, wrong = answers(begun, "right_answers", "right"), answers(begun, "unlisted_mistakes", "wrong")
    assert len(exercise.mistakes) >= 6 and len(right) >= 3 and wrong
    assert {key for key, _ in right + wrong} == {exercise.key}
    for seed in "123":
        for mistake in exercise.mistakes:
            assert judge(exercise, seed, collect(exercise, mistake.wrong, seed)).message == mistake.sentence
        assert all(judge(exercise, seed, collect(exercise, each, seed)).passed for _, each in right)
        assert not any(judge(exercise, seed, collect(exercise, each, seed)).passed for _, each in wrong)


@pytest.mark.notebook
def test_its_notebook_is_released_and_graded(begun, tmp_path):
    path = begun / "notebooks" / "41_the_block.ipynb"
    source = files.read_notebook(path)
    source.cells[1].source = WHERE.format(str(begun / "course_lib" / "exercises")) + source.cells[1].source
    files.write_notebook(path, source)
    for name, copy, points in (("untouched", student_copy(source), 0), ("solved", solved_copy(source), 2)):
        workbook = Workbook(tmp_path / name, notebooks=begun / "notebooks")
        files.write_notebook(workbook.root / path.name, copy)
        result = grade(workbook, LessonFile(path))
        assert (result.points, result.possible, result.notes, result.failed) == (points, 2, [], "")


def test_a_title_of_its_own(tmp_path):
    written = begin("06_the_block", 'Blocks, "stacked"', root=tmp_path)
    assert len(written) == 5 and all(path.read_text("utf-8") for path in written)
    assert '# 06 · Blocks, \\"stacked\\"' in written[0].read_text("utf-8")
    assert "Lesson 07" in written[0].read_text("utf-8")
    assert 'title="Blocks, \\"stacked\\""' in written[1].read_text("utf-8")


def test_what_exists_is_never_overwritten(begun):
    before = {path: path.read_bytes() for path in begun.rglob("*") if path.is_file()}
    with pytest.raises(CourseError, match=r"Lesson 41 exists already: notebooks/41_the_block\.ipynb\. Nothing was"):
        begin("41_another_name", root=begun)
    assert {path: path.read_bytes() for path in begun.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("name", ["", "6_block", "block", "06_The_Block", "06", "06_block.ipynb", "06 block"])
def test_a_name_that_is_none(tmp_path, name):
    with pytest.raises(CourseError, match="two digits and small letters, such as 06_the_block; got"):
        begin(name, root=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_from_the_command_line_a_refusal_is_one_sentence(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["new_lesson", "02_again"])
    monkeypatch.delitem(sys.modules, "course_lib.app.new_lesson")
    with pytest.raises(SystemExit, match=r"^Lesson 02 exists already: notebooks/02_self_attention\.ipynb\."):
        runpy.run_module("course_lib.app.new_lesson", run_name="__main__")


def test_the_readme_has_the_table_of_the_lessons_that_exist():
    readme = README.read_text("utf-8")
    assert with_table(readme) == readme, "run `make readme`"
    assert readme.count("<!-- `make readme` writes this table -->") == 1
