"""Browser tests: one Chromium for the whole run; a lesson is opened and run once for all tests of a module.

Without Chromium the tests are skipped on a person's machine, and fail in CI, where nobody would notice.
"""

import os
from pathlib import Path
from typing import NamedTuple

import pytest
import trained_once

from course_lib.app import lab
from course_lib.workbook.workbook import Workbook

from .lab import Lesson, chromium, chromium_path, end_kernels, lab_server, open_page


@pytest.fixture(scope="session")
def browser():
    if chromium_path() is None:
        message = "Chromium is missing: install it, on Debian and Ubuntu with `apt-get install chromium`."
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
    with chromium() as browser:
        yield browser


@pytest.fixture
def page(browser):
    """A fresh tab."""
    with open_page(browser) as page:
        yield page


class Student(NamedTuple):
    """A student's fresh workbook, and the address where JupyterLab serves it."""

    folder: Path
    address: str

    def open(self, page, name: str) -> Lesson:
        return Lesson(page, self.address, f"{self.folder.name}/{name}.ipynb")


@pytest.fixture(scope="session")
def desk(tmp_path_factory):
    """A folder of workbooks and the address where JupyterLab, with the course's settings, serves it."""
    folder = tmp_path_factory.mktemp("desk")
    environment = {"JUPYTER_CONFIG_PATH": str(lab.CONFIG), "OMP_NUM_THREADS": "1"}
    with lab_server(folder, environment, startup=trained_once.startup()) as address:
        yield folder, address


@pytest.fixture(scope="module")
def student(request, desk):
    """The student of a module's tests, who begins with a workbook of their own."""
    folder, address = desk
    name = request.module.__name__.rpartition(".")[2]
    Workbook(folder / name).refresh()
    yield Student(folder / name, address)
    end_kernels(address)


@pytest.fixture(scope="module")
def lesson(request, browser, student):
    """The untouched lesson that a module names as LESSON, or a test as its parameter, with every cell run once.

    Tests share it: each moves things in it, from whatever state it finds.
    """
    name = getattr(request, "param", None) or request.module.LESSON
    with open_page(browser) as page:
        lesson = student.open(page, name)
        lesson.run_all()
        yield lesson
