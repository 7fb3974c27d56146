"""Whatever a cell does to its kernel, the rest of the notebook is run. Bare cells: no exercise, so that kernels start fast."""

import pytest
from nbformat.v4 import new_code_cell, new_notebook

from course_lib.checking.wire import MIME
from course_lib.errors import CourseError
from course_lib.grading.runner import STRIKES, run

pytestmark = pytest.mark.slow

SECONDS = 3  # that one of these cells may run: they need a hundredth of one
KEY, SEED = "90.double", "cafe"
DEAF = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass"
EXIT, KILL = "import os\nos._exit(1)", "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"


def answer(value: str, key=KEY, seed=SEED) -> str:
    """A cell that sends an answer, as `check` does."""
    return f"display({{{MIME!r}: {{'key': {key!r}, 'seed': {seed!r}, 'answers': {{'value': {value}}}}}}}, raw=True)"


def ran(folder, *cells, checks=()):
    notebook = new_notebook(cells=[new_code_cell(source) for source in cells])
    return run(notebook, folder, dict.fromkeys(checks, KEY), SEED, SECONDS)


def test_answers_count_from_a_check_for_its_own_key_and_seed_and_once(tmp_path):
    wrong = [answer("1", key="90.sizes"), answer("2", seed="another"), "display({'text/plain': 'x'}, raw=True)"]
    done = ran(tmp_path, answer("'elsewhere'"), *wrong, f"{answer('3')}\n{answer('4')}", checks=(1, 2, 3, 4))
    assert done.answers == {4: {"value": 3}} and done.troubles == {}


def test_an_interrupted_kernel_goes_on(tmp_path):
    done = ran(tmp_path, "before = 1", "while True: pass", answer("before"), checks=(2,))
    assert done.answers == {2: {"value": 1}}
    assert done.troubles == {1: f"The cell ran longer than {SECONDS} s and was stopped."}


def test_after_dead_and_deaf_kernels_what_came_before_is_defined_again(tmp_path):
    done = ran(tmp_path, "before = [1]", EXIT, "before.append(2)", KILL, DEAF, answer("before"), "1 / 0", checks=(5,))
    assert done.answers == {5: {"value": [1, 2]}}
    dead, deaf = "The cell ended its Python.", f"The cell ran longer than {SECONDS} s and was stopped."
    assert done.troubles == {1: dead, 3: dead, 4: deaf, 6: "ZeroDivisionError: division by zero"}


def test_a_notebook_that_dies_again_and_again_comes_to_an_end(tmp_path):
    done = ran(tmp_path, *[EXIT] * (STRIKES + 1), answer("1"), checks=(STRIKES + 1,))
    assert done.answers == {}
    unrun = f"Not run: {STRIKES} cells of this notebook hang or end their Python."
    assert list(done.troubles.values()) == ["The cell ended its Python."] * STRIKES + [unrun] * 2


def test_a_kernel_that_does_not_start_is_said(tmp_path, monkeypatch):
    (tmp_path / "ipykernel.py").write_text("raise SystemExit")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(CourseError, match="Python did not start"):
        ran(tmp_path, "1")
