"""A workbook around the test, and what `check` and its like have shown."""

import pytest

from course_lib.student import check as check_module
from course_lib.workbook import progress


@pytest.fixture
def student(tmp_path, monkeypatch):
    """A folder that is a student's workbook; the test runs in it."""
    (tmp_path / ".course").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COURSE_WORKBOOK", raising=False)
    monkeypatch.delenv("COURSE_GRADING", raising=False)
    return tmp_path


@pytest.fixture
def nowhere(tmp_path, monkeypatch):
    """No workbook around us, as in `notebooks/`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COURSE_WORKBOOK", raising=False)
    monkeypatch.delenv("COURSE_GRADING", raising=False)
    monkeypatch.setattr(progress, "_outside_workbook", progress.Progress())
    return tmp_path


@pytest.fixture
def shown(monkeypatch):
    """The list of everything that check, hint and solution display."""
    cards = []
    monkeypatch.setattr(check_module, "display", lambda card, **kwargs: cards.append(card))
    return cards
