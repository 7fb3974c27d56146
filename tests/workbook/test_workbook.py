"""The student's folder: made, refreshed, given back; and everything that can be wrong with it."""

import errno
import os

import pytest
from small_course import NAME, Editor, cell, ids, read, small_lesson, text, write_lessons

from course_lib.errors import CourseError
from course_lib.workbook.notebook_files import read_notebook
from course_lib.workbook.workbook import Workbook

SOLVED = "def double(x):\n    return x + x"


@pytest.fixture
def path(workbook):
    return workbook.root / f"{NAME}.ipynb"


@pytest.fixture
def worked(path):
    """A lesson that the student worked in."""
    with Editor(path) as notebook:
        cell(notebook, "double-answer").source = SOLVED
    return path


@pytest.fixture
def update(small_course, workbook):
    """Changes the course, and refreshes the workbook as the next `course lab` would."""

    def do():
        lesson = small_lesson()
        cell(lesson, "question").source = "Better asked."
        write_lessons(small_course, small=lesson)
        return Workbook(workbook.root).refresh()

    return do


def everything(root):
    return {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}


def backups(workbook):
    return list((workbook.root / ".course" / "backups").rglob("*.ipynb"))


def test_made_from_the_course(workbook, path):
    assert sorted(each.name for each in workbook.root.glob("*.ipynb")) == [f"{NAME}.ipynb", "91_other.ipynb"]
    assert "your code here" in path.read_text() and "2 * x" not in path.read_text()


def test_a_second_refresh_writes_nothing(workbook, worked, update):
    assert [change.lesson.name for change in update()] == [NAME]
    before = everything(workbook.root)
    assert Workbook(workbook.root).refresh() == []
    assert everything(workbook.root) == before


def test_a_refresh_without_an_update_needs_no_nbgrader(workbook, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "course_lib.workbook.release", None)
    assert Workbook(workbook.root).refresh() == []


def test_an_update_keeps_the_work_and_a_copy(workbook, worked, update):
    before = worked.read_bytes()
    [change] = update()
    assert "what you wrote stays" in change.what
    assert cell(read(worked), "double-answer").source == SOLVED
    assert cell(read(worked), "question").source == "Better asked."
    assert [copy.read_bytes() for copy in backups(workbook)] == [before]


def test_an_untouched_lesson_is_replaced(path, update):
    assert [change.what for change in update()] == ["updated"]
    assert cell(read(path), "question").source == "Better asked."


def test_a_new_lesson_is_added(small_course, workbook):
    (small_course / "92_third.ipynb").write_text((small_course / "91_other.ipynb").read_text().replace('"91"', '"92"'))
    assert [(change.lesson.name, change.what) for change in Workbook(workbook.root).refresh()] == [("92_third", "new")]


def test_a_deleted_lesson_comes_back(workbook, path):
    path.unlink()
    assert [change.what for change in Workbook(workbook.root).refresh()] == ["it was missing, here it is again"]
    assert path.exists()


def test_a_renamed_lesson_is_found_and_updated(workbook, worked, update):
    renamed = worked.rename(workbook.root / "my lesson.ipynb")
    update()
    assert not worked.exists()
    assert cell(read(renamed), "question").source == "Better asked."


def test_a_damaged_lesson_stays_and_is_named(workbook, path):
    path.write_text("{ half a notebook")
    [change] = Workbook(workbook.root).refresh()
    assert "isn't a notebook any more" in change.what and "course reset 90_small" in change.what
    assert path.read_text() == "{ half a notebook"


@pytest.mark.parametrize(
    "damage", ["", "[]", "null", "{}", '{"cells": 3}', '{"nbformat": 3, "worksheets": []}', "\udcff"]
)
def test_what_is_not_a_notebook_is_one_sentence(path, damage):
    path.write_bytes(damage.encode("utf-8", "surrogateescape"))
    with pytest.raises(CourseError, match=r"^90_small.ipynb isn't a notebook any more.*course reset"):
        read_notebook(path)


@pytest.mark.parametrize("metadata", [{}, {"nbgrader": 3, "course": "x"}, {"nbgrader": {}, "course": []}])
def test_damaged_metadata_is_put_right(workbook, worked, metadata):
    whole = read(worked)
    with Editor(worked) as notebook:
        for each in notebook.cells:
            each.metadata = type(each.metadata)(metadata)
    assert len(Workbook(workbook.root).refresh()) == 1
    assert [(each.id, each.source, each.metadata) for each in read(worked).cells] == [
        (each.id, each.source, each.metadata) for each in whole.cells
    ]


def test_cells_without_ids_or_with_the_same_get_their_own(path):
    text_of = path.read_text().replace('"id": "question"', '"id": "title"').replace('"id": "demo",', "")
    path.write_text(text_of)
    assert len(set(ids(read_notebook(path)))) == len(small_lesson().cells)


def test_what_is_written_into_a_check_is_kept_and_said(workbook, worked):
    with Editor(worked) as notebook:
        cell(notebook, "double-check").source += "\nprint('mine')"
    [change] = Workbook(workbook.root).refresh()
    assert "What you wrote into a check cell now stands in a cell of its own above it" in change.what
    assert [each.source for each in read(worked).cells].count("print('mine')") == 1
    assert Workbook(workbook.root).refresh() == []


@pytest.mark.parametrize("damage", ["{", None], ids=["damaged", "deleted"])
def test_a_lost_original_is_said_and_updates_still_arrive(workbook, worked, update, damage):
    original = workbook.root / ".course" / "originals" / f"{NAME}.ipynb"
    original.write_text(damage) if damage else original.unlink()
    [change] = update()
    assert ".course/originals, was lost or damaged" in change.what
    assert cell(read(worked), "question").source == "Better asked."
    assert cell(read(worked), "double-answer").source == SOLVED
    original.unlink()
    assert [".course/originals, was lost" in change.what for change in Workbook(workbook.root).refresh()] == [True]
    assert Workbook(workbook.root).refresh() == []


def test_a_link_stays_a_link(workbook, worked, update, tmp_path):
    elsewhere = worked.rename(tmp_path / "elsewhere.ipynb")
    worked.symlink_to(elsewhere)
    update()
    assert worked.is_symlink() and cell(read(elsewhere), "question").source == "Better asked."


def test_left_over_files_of_a_killed_write_go_when_they_are_old(workbook, path):
    old, fresh, other = (
        path.with_name(f".{name}") for name in (f"{NAME}.ipynb.a1b2c3d_", f"{NAME}.ipynb.zzzzzzzz", "my.settings")
    )
    hidden = workbook.root / ".course" / ".progress.json.0123abcd"
    for file in (old, fresh, other, hidden):
        file.write_text("half")
    for file in (old, other, hidden):
        os.utime(file, (1e9, 1e9))
    workbook.refresh()
    assert [file.exists() for file in (old, fresh, other, hidden)] == [False, True, True, False]


def test_saved_by_jupyterlab_in_the_moment_of_writing(workbook, worked, update, monkeypatch):
    """The student saves after the refresh has read the file, and before it writes."""
    real, saved = os.fsync, []

    def save(handle):
        real(handle)
        if not saved:
            saved.append(True)
            with Editor(worked) as notebook:
                cell(notebook, "sizes-answer").source = "sizes = 'saved in this moment'"

    monkeypatch.setattr(os, "fsync", save)
    update()
    assert saved and cell(read(worked), "sizes-answer").source == "sizes = 'saved in this moment'"
    assert cell(read(worked), "question").source == "Better asked."


# --- broken by a crash: Jupyter's copies ---------------------------------------------------------------------------


@pytest.fixture
def broken(worked):
    """What a kill while JupyterLab saves leaves: half a file, the whole one before it as `.~name`, an older checkpoint."""
    whole = worked.read_bytes()
    checkpoint = worked.parent / ".ipynb_checkpoints" / f"{NAME}-checkpoint.ipynb"
    checkpoint.parent.mkdir()
    checkpoint.write_bytes(whole.replace(b"x + x", b"x * 2"))
    os.utime(checkpoint, (1e9, 1e9))
    worked.with_name(f".~{NAME}.ipynb").write_bytes(whole)
    worked.write_bytes(whole[: len(whole) // 2])
    return worked


def test_a_broken_lesson_names_the_newest_whole_copy_before_any_reset(workbook, broken):
    [change] = Workbook(workbook.root).refresh()
    assert f".~{NAME}.ipynb: `course restore {NAME}` puts it back" in change.what and "reset" not in change.what


def test_the_newest_whole_copy_is_put_back(workbook, broken):
    half = broken.read_bytes()
    made, backup = workbook.restore(workbook.lesson("90"))
    assert cell(read(broken), "double-answer").source == SOLVED
    assert backup.read_bytes() == half and made


def test_a_copy_that_is_broken_too_is_passed_over(workbook, broken):
    broken.with_name(f".~{NAME}.ipynb").write_text("{")
    made, _ = workbook.restore(workbook.lesson("90"))
    assert "x * 2" in cell(read(broken), "double-answer").source and made.startswith("2001-09-")


def test_nothing_to_restore(workbook, worked):
    before = everything(workbook.root)
    with pytest.raises(CourseError, match="90_small.ipynb can be read, so nothing was restored"):
        workbook.restore(workbook.lesson("90"))
    assert everything(workbook.root) == before
    worked.write_text("{")
    with pytest.raises(CourseError, match="no whole copy of 90_small.ipynb.*`course reset 90`"):
        workbook.restore(workbook.lesson("90"))


def test_a_deleted_lesson_can_be_restored(workbook, broken):
    broken.unlink()
    assert workbook.restore(workbook.lesson("90"))[1] is None
    assert cell(read(broken), "double-answer").source == SOLVED


# --- copies of the student's ---------------------------------------------------------------------------------------


def test_further_files_of_a_lesson_are_found(workbook, worked):
    lesson = workbook.lesson("90")
    assert workbook.others(lesson) == []
    copy = worked.with_name(f"{NAME}-Copy1.ipynb")
    copy.write_bytes(worked.read_bytes())
    assert (workbook.find(lesson), workbook.others(lesson)) == (worked, [copy])
    assert workbook.others(workbook.lesson("91")) == []
    older = worked.rename(workbook.root / "older.ipynb")
    os.utime(older, (1e9, 1e9))
    assert (workbook.find(lesson), workbook.others(lesson)) == (copy, [older])


@pytest.mark.parametrize(
    "content", ["{", '{"metadata": {"course": 3}, "cells": [], "nbformat": 4, "nbformat_minor": 5}']
)
def test_other_notebooks_of_any_content_are_no_lesson(workbook, path, content):
    path.with_name("mine.ipynb").write_text(content)
    path.with_name("dead link.ipynb").symlink_to("nowhere")
    assert Workbook(workbook.root).refresh() == [] and workbook.others(workbook.lesson("90")) == []
    path.unlink()
    assert workbook.find(workbook.lesson("90")) is None


# --- given back ---------------------------------------------------------------------------------------------------


def test_reset_a_lesson(workbook, worked):
    before = worked.read_bytes()
    backup = workbook.reset(workbook.lesson("90"))
    assert backup.read_bytes() == before
    assert read(worked).cells == workbook.released(workbook.lesson("90")).cells


def test_reset_a_damaged_lesson(workbook, path):
    path.write_text("{ half a notebook")
    assert workbook.reset(workbook.lesson("90")).read_text() == "{ half a notebook"
    assert ids(read(path)) == ids(small_lesson())


def test_reset_a_missing_lesson(workbook, path):
    path.unlink()
    assert workbook.reset(workbook.lesson("90")) is None
    assert path.exists()


def test_reset_an_exercise_only(workbook, worked):
    with Editor(worked) as notebook:
        cell(notebook, "sizes-answer").source = "sizes = 7"
    key, backup = workbook.reset_exercise(workbook.lesson("90"), "double")
    assert key == "90.double" and SOLVED.split("\n")[1] in backup.read_text()
    assert cell(read(worked), "double-answer").source.endswith("# your code here")
    assert cell(read(worked), "sizes-answer").source == "sizes = 7"


@pytest.mark.parametrize("gone", [["double-answer"], ["double-check"], ["double-answer", "double-check"]])
def test_reset_brings_deleted_cells_back_to_their_place(workbook, worked, gone):
    with Editor(worked) as notebook:
        order = ids(notebook)
        notebook.cells = [each for each in notebook.cells if each.id not in gone]
    workbook.reset_exercise(workbook.lesson("90"), "90.double")
    assert ids(read(worked)) == order


def test_reset_removes_duplicates(workbook, worked):
    with Editor(worked) as notebook:
        order = ids(notebook)
        twin = cell(notebook, "double-answer").copy()
        twin["id"] = "twin"
        notebook.cells.insert(2, twin)
    workbook.reset_exercise(workbook.lesson("90"), "double")
    assert ids(read(worked)) == order


def test_after_a_reset_the_next_update_reaches_the_exercise(small_course, workbook, worked):
    lesson = small_lesson()
    cell(lesson, "double-answer").source = "# Edition 2\n" + cell(lesson, "double-answer").source
    write_lessons(small_course, small=lesson)
    Workbook(workbook.root).reset_exercise(workbook.lesson("90"), "double")
    cell(lesson, "double-answer").source = cell(lesson, "double-answer").source.replace("2", "3", 1)
    write_lessons(small_course, small=lesson)
    Workbook(workbook.root).refresh()
    assert cell(read(worked), "double-answer").source.startswith("# Edition 3")


# --- names --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wanted", ["90", "90_small", "90_small.ipynb", "workbook/90_small.ipynb"])
def test_a_lesson_goes_by_many_names(workbook, wanted):
    assert workbook.lesson(wanted).name == NAME


def test_a_short_number(small_course, workbook):
    (small_course / "02_short.ipynb").write_text((small_course / "91_other.ipynb").read_text())
    assert Workbook(workbook.root).lesson("2").name == "02_short"


def test_an_unknown_lesson_names_the_nearest(workbook):
    with pytest.raises(
        CourseError, match=r"There is no lesson '90_smal'. Did you mean '90_small'\? The lessons are 90, 91."
    ):
        workbook.lesson("90_smal")


def test_an_unknown_exercise_names_the_nearest(workbook):
    with pytest.raises(CourseError, match=r"Lesson 90 has no exercise 'doubel'. Did you mean 'double'\?"):
        workbook.reset_exercise(workbook.lesson("90"), "doubel")


def test_without_a_clone_it_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_NOTEBOOKS", str(tmp_path))
    with pytest.raises(CourseError, match="pip install -e"):
        Workbook(tmp_path / "workbook")


# --- disks --------------------------------------------------------------------------------------------------------


def no_room(*_, **__):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_full_disk_loses_nothing(workbook, worked, update, monkeypatch, step):
    before = everything(workbook.root)
    with monkeypatch.context() as patched:
        patched.setattr(os, step, no_room)
        with pytest.raises(CourseError, match="the disk is full.*Nothing was lost"):
            update()
        with pytest.raises(CourseError, match="the disk is full"):
            workbook.reset(workbook.lesson("90"))
    assert everything(workbook.root) == before
    update()
    assert cell(read(worked), "double-answer").source == SOLVED


def test_a_disk_that_fills_up_between_two_files_is_put_right_later(workbook, worked, update, monkeypatch):
    """The student's file is written, the original is not."""
    real = os.replace

    def fills_up(source, target):
        return no_room() if "originals" in str(target) else real(source, target)

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", fills_up)
        with pytest.raises(CourseError, match="the disk is full"):
            update()
    assert Workbook(workbook.root).refresh() == []
    assert cell(read(worked), "double-answer").source == SOLVED
    assert cell(read(worked), "question").source == "Better asked."


def test_a_folder_that_can_not_be_written_to(small_course):
    with pytest.raises(CourseError, match=r"/proc/workbook.* could not be written"):
        Workbook("/proc/workbook").refresh()


def test_permission_denied_is_one_sentence(workbook, worked, update, monkeypatch):
    def denied(*_, **__):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr("tempfile.mkstemp", denied)
    with pytest.raises(CourseError, match="you may not write there.*--workbook"):
        update()


def test_text_cells_keep_their_attachments(small_course, workbook, path):
    lesson = small_lesson()
    lesson.cells.append(text("picture", "![](attachment:a.png)"))
    lesson.cells[-1].attachments = {"a.png": {"image/png": "AAAA"}}
    write_lessons(small_course, small=lesson)
    Workbook(workbook.root).refresh()
    assert cell(read(path), "picture").attachments["a.png"]
