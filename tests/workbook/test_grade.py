"""Official grading of a student's notebook: right, wrong, hostile and broken ones, each in a real kernel."""

import pytest
from small_course import NAME, Editor, cell, code

from course_lib.errors import CourseError
from course_lib.grading.grade import grade
from course_lib.grading.runner import STRIKES

RIGHT = {
    "double-answer": "def double(x):\n    return x + x",
    "sizes-answer": 'sizes = {"rows": 3, "columns": 4}',
    "repaired-answer": "def broken(x):\n    return x + 1",
}


@pytest.fixture
def path(workbook):
    return workbook.root / f"{NAME}.ipynb"


@pytest.fixture
def write_answers(path):
    def write(**changes):
        with Editor(path) as notebook:
            for name, source in {**RIGHT, **{f"{key}-answer": source for key, source in changes.items()}}.items():
                cell(notebook, name).source = source

    return write


@pytest.fixture
def insert(path):
    """Put a cell of the student's own before the cell `name`."""

    def put(name, source):
        with Editor(path) as notebook:
            at = notebook.cells.index(cell(notebook, name))
            notebook.cells.insert(at, code(f"own-{len(notebook.cells)}", source))

    return put


@pytest.fixture
def graded(workbook, path):
    """Grade, and hold every grading to it that the student's folder is as it was."""

    def run(**options):
        before = {each: each.read_bytes() for each in workbook.root.rglob("*") if each.is_file()}
        result = grade(workbook, workbook.lesson("90"), **options)
        assert {each: each.read_bytes() for each in workbook.root.rglob("*") if each.is_file()} == before
        return result

    return run


def points(result):
    return {verdict.exercise.name: verdict.points for verdict in result.verdicts}


def message(result, name):
    return next(verdict.message for verdict in result.verdicts if verdict.exercise.name == name)


def test_right_answers_get_full_marks(graded, write_answers):
    write_answers()
    result = graded()
    assert points(result) == {"double": 3, "sizes": 2, "repaired": 1}
    assert (result.points, result.possible, result.failed, result.notes) == (6, 6, "", [])


def test_an_untouched_copy_gets_nothing(graded):
    result = graded()
    assert result.points == 0 and not result.failed
    # The bug that an exercise starts from is code, so its check may call it an attempt.
    assert not any(verdict.attempted for verdict in result.verdicts if verdict.exercise.name != "repaired")


def test_partial_credit_and_the_sentence_for_a_mistake(graded, write_answers):
    write_answers(double="def double(x):\n    return x * x", sizes='sizes = {"rows": 3, "columns": 5}')
    result = graded()
    assert points(result) == {"double": 0, "sizes": 1, "repaired": 1}
    assert message(result, "double") == "That is the square."


@pytest.mark.slow
def test_whatever_else_the_cells_do_the_rest_goes_on(graded, write_answers, insert):
    write_answers(double="def double(x)\n    return 2 * x")  # a syntax error
    insert("question", "1 / 0")
    insert("question", "import sys, warnings\nprint('x' * 100_000, file=sys.stderr)\nwarnings.warn('hear, hear')")
    insert("sizes-answer", "import ipywidgets\ndisplay(ipywidgets.IntSlider())\ninput('name?')")
    insert("sizes-answer", "import sys\nsys.exit()")
    result = graded()
    assert points(result) == {"double": 0, "sizes": 2, "repaired": 1}
    assert "No answer arrived" in message(result, "double") and "SyntaxError" in message(result, "double")


@pytest.mark.slow
def test_a_changed_check_counts_as_the_course_wrote_it(graded, path):
    with Editor(path) as notebook:
        for name in ("double", "sizes", "repaired"):
            cell(notebook, f"{name}-check").source = "print('passed')"
        cell(notebook, "sizes-answer").source = RIGHT["sizes-answer"]
    assert points(graded()) == {"double": 0, "sizes": 2, "repaired": 0}


FORGERY = """
import os, torch, course_lib.exercises
from IPython.display import display
from course_lib.checking.collect import collect
from course_lib.checking.wire import MIME
exercise, seed = course_lib.exercises.find("90.double"), os.environ["COURSE_GRADING_SEED"]
def right(x):
    return 2 * x
bundle = {MIME: {"key": "90.double", "seed": seed, "answers": collect(exercise, right, seed)}}
display(bundle, raw=True)
"""


@pytest.mark.slow
def test_answers_shown_by_another_cell_gain_nothing(graded, insert):
    insert("double-check", FORGERY)
    insert("sizes-check", FORGERY.replace("display(bundle, raw=True)", "double = right"))
    assert points(graded())["double"] == 0


@pytest.mark.slow
def test_patched_comparisons_gain_nothing(graded, write_answers, insert):
    write_answers(double="def double(x):\n    return x")
    insert(
        "double-check",
        "import torch\ntorch.allclose = torch.equal = lambda *a, **k: True\ntorch.isclose = lambda a, b, **k: a == a",
    )
    insert("double-check", "import course_lib.checking.judge as j\nj.difference = lambda *a: None\nj.judge = None")
    assert points(graded())["double"] == 0


@pytest.mark.slow
def test_the_seed_is_fresh_each_time(graded, write_answers, tmp_path):
    write_answers(
        double=f"import os\nopen({str(tmp_path / 'seeds')!r}, 'a').write(os.environ['COURSE_GRADING_SEED'] + chr(10))"
    )
    graded()
    graded()
    first, second = (tmp_path / "seeds").read_text().split()
    assert first != second and len(first) == 32


def test_missing_cells_score_nothing_and_are_named(graded, write_answers, path):
    write_answers()
    with Editor(path) as notebook:
        notebook.cells = [each for each in notebook.cells if each.id not in ("double-answer", "sizes-check")]
    result = graded()
    assert points(result) == {"double": 0, "sizes": 0, "repaired": 1}
    assert "`course reset 90 double` puts it back" in message(result, "double")
    assert any("check cell of 90.sizes is missing" in note for note in result.notes)
    assert not result.failed


@pytest.mark.slow
def test_with_duplicated_cells_the_first_check_counts(graded, write_answers, path):
    write_answers(double="def double(x):\n    return x")
    with Editor(path) as notebook:
        for name, source in {"double-answer": RIGHT["double-answer"], "double-check": "later"}.items():
            twin = cell(notebook, name).copy()
            twin.update(id=f"twin-{name}", source=source)
            notebook.cells.append(twin)
    result = graded()
    assert points(result)["double"] == 0
    assert result.notes == ["90.double has 2 check cells: the first one counts."]


@pytest.mark.slow
def test_a_renamed_lesson_is_graded_and_named(graded, write_answers, workbook, path):
    write_answers()
    (workbook.root / "mine").mkdir()
    path.rename(workbook.root / "mine" / "attempt.ipynb")
    result = graded()
    assert result.points == 6
    assert result.notes == ["Lesson 90 was found as mine/attempt.ipynb."]


def test_a_missing_or_damaged_lesson_could_not_be_graded(graded, path):
    path.write_text("{ half a notebook")
    result = graded()
    assert (result.points, result.possible) == (0, 6) and "isn't a notebook any more" in result.failed
    path.unlink()
    assert graded().failed == "90_small.ipynb is missing. `course reset 90` gives the lesson back."


@pytest.mark.slow
def test_a_fault_of_the_judge_is_said_and_the_rest_is_graded(graded, write_answers, monkeypatch):
    from course_lib.grading import grade as module

    real = module.judge
    monkeypatch.setattr(module, "judge", lambda e, s, a: 1 / 0 if e.name == "double" else real(e, s, a))
    write_answers()
    result = graded()
    assert points(result) == {"double": 0, "sizes": 2, "repaired": 1}
    assert "The judge failed on 90.double (ZeroDivisionError" in result.failed


@pytest.mark.slow
def test_a_kernel_that_does_not_start_is_said(graded, tmp_path, monkeypatch):
    (tmp_path / "ipykernel.py").write_text("raise SystemExit")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert "Python did not start" in graded().failed


def test_a_lesson_without_exercises_says_so(workbook):
    with pytest.raises(CourseError, match="Lesson 91 has no graded exercises"):
        grade(workbook, workbook.lesson("91"))


@pytest.mark.slow
def test_a_hanging_cell_is_stopped_and_its_kernel_goes_on(graded, write_answers, insert):
    write_answers(sizes="while True: pass")
    insert("double-answer", "before = 1")
    insert("repaired-answer", "assert before == 1")
    result = graded(seconds_per_cell=10)
    assert points(result) == {"double": 3, "sizes": 0, "repaired": 1}
    assert "ran longer than 10 s and was stopped" in message(result, "sizes")


DEAF = """
import signal
signal.signal(signal.SIGINT, signal.SIG_IGN)
while True: pass
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "deadly", ["import os\nos._exit(1)", "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", DEAF]
)
def test_a_dead_or_deaf_kernel_costs_only_the_exercise_that_killed_it(graded, write_answers, insert, deadly):
    write_answers(sizes=deadly)
    insert("double-answer", "offset = 1")
    insert("repaired-check", "def broken(x):\n    return x + offset")
    result = graded(seconds_per_cell=10)
    assert points(result) == {"double": 3, "sizes": 0, "repaired": 1}
    said = message(result, "sizes")
    assert "ended its Python" in said or "ran longer than" in said


@pytest.mark.slow
def test_a_notebook_that_dies_again_and_again_comes_to_an_end(graded, insert):
    for _ in range(STRIKES + 2):
        insert("double-answer", "import os\nos._exit(1)")
    result = graded()
    assert result.points == 0 and f"{STRIKES} cells of this notebook hang or end their Python" in message(
        result, "double"
    )
