"""What several folders of tests share."""

# ruff: noqa: E402 - the hook stands before the imports that it watches
import re
from pathlib import Path

from jaxtyping import install_import_hook

# Before anything of the course is imported: from now on the shapes in these modules' signatures are checked at each call.
COURSE = Path(__file__).parents[1] / "course_lib"
CHECKED = [
    ".".join(["course_lib", *path.relative_to(COURSE).with_suffix("").parts]).removesuffix(".__init__")
    for path in COURSE.rglob("*.py")
    if re.search(r"^(from|import) jaxtyping\b", path.read_text("utf-8"), re.MULTILINE)
]
install_import_hook(CHECKED, "beartype.beartype")

import pytest
import tqdm.auto  # noqa: F401 -- chooses its bar when imported; imported while test_banks.py is collected, it takes the notebook's
from small_course import EXERCISES, write_lessons

import course_lib.exercises
from course_lib.workbook.workbook import Workbook


@pytest.fixture
def small_course(tmp_path, monkeypatch):
    """The folder of a course of two small lessons; their exercises have joined the real ones."""
    folder = write_lessons(tmp_path / "notebooks")
    monkeypatch.setenv("COURSE_NOTEBOOKS", str(folder))
    monkeypatch.setattr(course_lib.exercises, "__path__", [*course_lib.exercises.__path__, str(EXERCISES)])
    return folder


@pytest.fixture
def workbook(small_course, tmp_path):
    """A student's workbook, just made from the small course."""
    made = Workbook(tmp_path / "workbook")
    made.refresh()
    return made
