"""Which tests drive a browser and go first, which a quick run takes, and what nbval can't compare of stored outputs."""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from unittest import mock

import pytest
import trained_once

ROOT = Path(__file__).parent
BROWSER_TESTS = ROOT / "tests" / "browser"

# Random or measured each time: widgets' model ids, the HTML of cards with their seconds, pictures' bytes.
NOT_COMPARED = (
    "text/html",
    "application/vnd.jupyter.widget-view+json",
    "application/vnd.course.answers+json",
    "image/svg+xml",
)

# A bar appears after a second: on a busy machine one output more. No cell whose outputs are compared has one.
NO_BARS = """def _():
    from functools import partialmethod
    from tqdm.notebook import tqdm_notebook
    tqdm_notebook.__init__ = partialmethod(tqdm_notebook.__init__, disable=True)
_()
del _
"""


def pytest_configure(config):
    """A folder for the trainings of this run, the same for all workers, and for the startup file of nbval's kernels."""
    if not hasattr(config, "workerinput"):
        folder = os.environ[trained_once.FOLDER] = tempfile.mkdtemp(prefix="trainings-")
        config.add_cleanup(lambda: shutil.rmtree(os.environ.pop(trained_once.FOLDER)))
        startup = Path(folder, "ipython", "profile_default", "startup", "first.py")
        startup.parent.mkdir(parents=True)
        startup.write_text(trained_once.startup() + NO_BARS)


def pytest_collectstart(collector):
    if hasattr(collector, "skip_compare"):
        collector.skip_compare += NOT_COMPARED
        collector.setup = with_startup_file(collector.setup)


def with_startup_file(start):
    """nbval starts a notebook's kernel, which reads it."""

    def setup():
        with mock.patch.dict(os.environ, IPYTHONDIR=f"{os.environ[trained_once.FOLDER]}/ipython"):
            start()

    return setup


def pytest_addoption(parser):
    parser.addoption("--changed", action="store_true", help="of lessons that are as in main, only one exercise each")


def pytest_collection_modifyitems(config, items):
    """Whole lessons first, then files with slow tests: one at the end would keep one worker busy, others waiting."""
    if config.getoption("changed"):
        deselect_what_is_as_in_main(config, items)
    for item in items:
        if BROWSER_TESTS in item.path.parents:
            item.add_marker(pytest.mark.browser)
        elif item.path.suffix == ".ipynb":  # a cell that pretrains takes minutes, on a busy machine many
            item.add_marker(pytest.mark.timeout(1800))
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    order = lambda path: (BROWSER_TESTS not in path.parents, path.suffix != ".ipynb", path not in slow)  # noqa: E731
    items.sort(key=lambda item: order(item.path))


def deselect_what_is_as_in_main(config, items):
    """Of a lesson of which main has every file of exercises, right and wrong answers, only its first exercise stays."""
    changed, first, left_out = changed_lessons(), {}, []
    for item in list(items):
        exercise = getattr(item, "callspec", None) and item.callspec.params.get("exercise")
        if getattr(exercise, "lesson", None) in changed or not hasattr(exercise, "lesson"):
            continue
        if exercise.kind == "code" and first.setdefault(exercise.lesson, exercise.key) == exercise.key:
            continue
        items.remove(item)
        left_out.append(item)
    config.hook.pytest_deselected(items=left_out)


def changed_lessons():
    """Their numbers. Where there is no git, or no main, none is known to be changed."""

    def files(*arguments):
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
        return done.stdout if done.returncode == 0 else ""

    paths = files("diff", "--name-only", "--merge-base", "main") + files("ls-files", "--others", "--exclude-standard")
    return set(re.findall(r"exercises/(?:\w+/)?\w*?_(\d\d)[/.]", paths))
