"""The command `course`, as typed by a student."""

import errno
import os
import shutil
import socket

import pytest
from small_course import NAME, Editor, cell, read
from typer.testing import CliRunner

from course_lib.app.cli import app
from course_lib.checking.judge import Verdict
from course_lib.grading import grade as grade_module
from course_lib.grading import kernels
from course_lib.workbook.progress import workbook_root


@pytest.fixture
def root(workbook, monkeypatch):
    monkeypatch.chdir(workbook.root)
    monkeypatch.delenv("COURSE_WORKBOOK", raising=False)
    monkeypatch.setenv("COLUMNS", "100")
    return workbook.root


def course(*arguments):
    """Run the command; returns (exit status, what it printed, what it complained)."""
    done = CliRunner().invoke(app, [str(each) for each in arguments])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.stdout, done.stderr


def assert_one_sentence(result, *words):
    status, _, complaint = result
    assert status == 1
    assert len(complaint.strip().splitlines()) == 1 and "Traceback" not in complaint
    assert all(word in complaint for word in words), complaint


@pytest.fixture
def no_kernels(monkeypatch):
    """Grading without running anything: every exercise is right, or the lesson failed."""

    def fake(workbook, lessons, limits, jobs, on_cell, failed=""):
        exercises = grade_module.graded_exercises(lessons[0])
        on_cell(lessons[0], 1, 2, "[a cell] of theirs")
        verdicts = [Verdict(each, passed=True, criteria=dict.fromkeys(each.criteria, True)) for each in exercises]
        return [grade_module.LessonGrade(lessons[0], "A small lesson", verdicts, ["<b>A note</b>"], failed)]

    monkeypatch.setattr(kernels, "warm_up", lambda: None)
    monkeypatch.setattr(grade_module, "grade_lessons", fake)
    return lambda reason: monkeypatch.setattr(grade_module, "grade_lessons", lambda *a: fake(*a, failed=reason))


def test_without_a_command_it_helps(root):
    _, shown, _ = course()
    assert all(command in shown for command in ("lab", "status", "grade", "reset", "restore"))


def test_status_lists_lessons_exercises_and_points(root):
    (root / ".course" / "progress.json").write_text(
        '{"exercises": {"90.double": {"status": "passed", "points": 3, "tries": 2},'
        ' "90.sizes": {"status": "tried", "points": 1, "tries": 1}}, "predictions": {}}'
    )
    status, shown, _ = course("status")
    assert status == 0
    lines = {" ".join(line.split()) for line in shown.splitlines()}
    assert {
        "90 A small lesson 4 / 6",
        "Double ✓ passed 3 / 3",
        "Sizes ✗ not yet (1 try) 1 / 2",
        "Repair ○ open 0 / 1",
        "Together 4 / 6",
    } <= lines


def test_the_workbook_around_us_is_found(root, monkeypatch):
    (root / "my_transformer").mkdir()
    monkeypatch.chdir(root / "my_transformer")
    assert workbook_root() == root
    assert course("status")[0] == 0


def test_grade_prints_the_table_and_writes_the_report(root, no_kernels):
    status, shown, _ = course("grade")
    assert status == 0 and "6 / 6" in shown and str(root / "report.html") in shown
    report = (root / "report.html").read_text()
    assert "6 of 6 points" in report and "Passed · Double" in report
    assert "&lt;b&gt;A note" in report and "http" not in report


@pytest.mark.slow
def test_grade_for_real(root):
    with Editor(root / f"{NAME}.ipynb") as notebook:
        cell(notebook, "double-answer").source = "def double(x):\n    return x * x"
    status, shown, _ = course("grade", "90")
    assert status == 0 and "0 / 6" in shown
    assert "That is the square." in (root / "report.html").read_text()


def test_grading_that_failed_is_status_1(root, no_kernels):
    no_kernels("90_small.ipynb isn't a notebook any more.")
    assert_one_sentence(course("grade"), "isn't a notebook any more")
    assert (root / "report.html").exists()


def test_reset_says_where_the_copy_is(root):
    status, shown, _ = course("reset", "90", "double")
    assert status == 0 and "90.double is as it was" in shown and str(root / ".course" / "backups") in shown
    status, shown, _ = course("reset", "90")
    assert status == 0 and "90_small is as it was" in shown


def test_lab_makes_and_refreshes_without_starting(small_course, tmp_path):
    folder = tmp_path / "new"
    assert course("lab", "--no-start", "--workbook", folder)[1].strip().endswith("new: 2 lessons.")
    assert (folder / f"{NAME}.ipynb").exists()
    assert course("lab", "--no-start", "--workbook", folder) == (0, "", "")
    (folder / f"{NAME}.ipynb").unlink()
    assert "90_small: it was missing, here it is again." in course("lab", "--no-start", "--workbook", folder)[1]


def test_lab_says_what_came_of_a_deleted_course_folder(root):
    shutil.rmtree(root / ".course")
    _, shown, _ = course("lab", "--no-start", "--workbook", root)
    assert shown.count("kept in .course/originals, was lost or damaged and is there again") == 2
    assert course("lab", "--no-start", "--workbook", root) == (0, "", "")


def test_lab_names_copies_that_are_not_graded(root):
    (root / f"{NAME}-Copy1.ipynb").write_bytes((root / f"{NAME}.ipynb").read_bytes())
    _, shown, _ = course("lab", "--no-start")
    assert f"{NAME}-Copy1.ipynb holds lesson 90, too. Only {NAME}.ipynb is updated and graded" in shown


def test_restore_puts_the_copy_of_a_crash_back(root):
    whole = (root / f"{NAME}.ipynb").read_bytes()
    (root / f".~{NAME}.ipynb").write_bytes(whole)
    (root / f"{NAME}.ipynb").write_bytes(whole[:99])
    assert_one_sentence(course("reset", "90", "double"), f"`course restore {NAME}` puts it back")
    status, shown, _ = course("restore", "90")
    assert status == 0 and "as Jupyter last saved it whole" in shown and str(root / ".course" / "backups") in shown
    assert (root / f"{NAME}.ipynb").read_bytes() == whole
    assert_one_sentence(course("restore", "90"), "nothing was restored")


# --- what can't be done, in one sentence --------------------------------------------------------------------------


@pytest.mark.parametrize("command", [["grade", "9"], ["grade", "small"], ["reset", "small"], ["reset", "90_smal"]])
def test_unknown_lesson(root, command):
    assert_one_sentence(course(*command), "There is no lesson", "The lessons are 90, 91.")


def test_unknown_exercise(root):
    assert_one_sentence(course("reset", "90", "doubel"), "Did you mean 'double'?", "double, sizes, repaired")


def test_a_lesson_without_exercises(root):
    assert_one_sentence(course("grade", "91"), "Lesson 91 has no graded exercises")


@pytest.mark.parametrize("command", [["status"], ["grade"], ["grade", "90"], ["reset", "90"]])
def test_no_workbook(small_course, tmp_path, command):
    assert_one_sentence(course(*command, "--workbook", tmp_path / "none"), "There is no workbook in", "make lab")
    assert not (tmp_path / "none").exists()


def test_damaged_lesson(root):
    (root / f"{NAME}.ipynb").write_text("{")
    assert_one_sentence(course("reset", "90", "double"), "isn't a notebook any more", "course reset 90_small")
    assert_one_sentence(course("grade", "90"), "isn't a notebook any more")
    assert (root / f"{NAME}.ipynb").read_text() == "{"


def test_missing_lesson(root):
    (root / f"{NAME}.ipynb").unlink()
    assert_one_sentence(course("grade", "90"), "90_small.ipynb is missing", "course reset 90")
    assert_one_sentence(course("reset", "90", "double"), "90_small.ipynb is missing", "course reset 90")
    assert course("reset", "90")[0] == 0


def test_read_only_folder(small_course):
    assert_one_sentence(
        course("lab", "--no-start", "--workbook", "/proc/workbook"), "/proc/workbook", "could not be written"
    )


def test_full_disk(root, no_kernels, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    before = (root / f"{NAME}.ipynb").read_bytes()
    monkeypatch.setattr(os, "fsync", full)
    assert_one_sentence(course("reset", "90"), "the disk is full")
    assert_one_sentence(course("grade"), "report.html could not be written", "the disk is full")
    assert (root / f"{NAME}.ipynb").read_bytes() == before


def test_taken_port(root):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert_one_sentence(course("lab", "--port", port), f"Port {port} is taken", "--port")


def test_impossible_port(root):
    assert_one_sentence(course("lab", "--port", 123456), "isn't a port")


def test_a_fault_in_one_lesson_does_not_keep_the_others(root):
    (root / f"{NAME}.ipynb").write_text("{")
    (root / "91_other.ipynb").unlink()
    status, shown, _ = course("lab", "--no-start")
    assert status == 0 and "91_other: it was missing" in shown and "isn't a notebook any more" in shown
    assert read(root / "91_other.ipynb").cells
