"""Official grading of a student's notebook: right, wrong, hostile and broken ones. Each run is a real kernel: few of them."""

import pytest
from small_course import NAME, Editor, cell, code

from course_lib.checking.collect import collect
from course_lib.checking.kinds import Case
from course_lib.errors import CourseError
from course_lib.exercises import find
from course_lib.grading import grade as grading
from course_lib.grading.grade import grade
from course_lib.grading.runner import Run

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


def own_seed(path) -> str:
    """A line for a cell of the student's, that writes down the seed."""
    return f"import os\nopen({str(path)!r}, 'a').write(os.environ['COURSE_GRADING_SEED'] + chr(10))"


@pytest.mark.slow
def test_right_answers_get_full_marks_with_a_fresh_seed_each_time_renamed_or_not(
    graded, write_answers, insert, workbook, path, tmp_path
):
    write_answers()
    insert("question", own_seed(tmp_path / "seeds"))
    result = graded()
    assert points(result) == {"double": 3, "sizes": 2, "repaired": 1}
    assert (result.points, result.possible, result.failed, result.notes) == (6, 6, "", [])
    (workbook.root / "mine").mkdir()
    path.rename(workbook.root / "mine" / "attempt.ipynb")
    result = graded()
    assert result.points == 6
    assert result.notes == ["Lesson 90 was found as mine/attempt.ipynb."]
    first, second = (tmp_path / "seeds").read_text().split()
    assert first != second and len(first) == 32


def test_an_untouched_copy_gets_nothing_and_a_changed_check_counts_as_the_course_wrote_it(graded, path):
    with Editor(path) as notebook:
        for name in ("double", "sizes", "repaired"):
            cell(notebook, f"{name}-check").source = "print('passed')"
        cell(notebook, "repaired-answer").source = RIGHT["repaired-answer"]
    result = graded()
    assert points(result) == {"double": 0, "sizes": 0, "repaired": 1} and not result.failed
    assert [verdict.exercise.name for verdict in result.verdicts if not verdict.attempted] == ["double", "sizes"]


FORGERY = """
import os, torch, course_lib.exercises
from IPython.display import display
from course_lib.checking.collect import collect
from course_lib.checking.wire import MIME
exercise, seed = course_lib.exercises.find("90.double"), os.environ["COURSE_GRADING_SEED"]
def right(x):
    return 2 * x
bundle = {MIME: {"key": "90.double", "seed": seed, "answers": collect(exercise, right, seed).to_json()}}
display(bundle, raw=True)
"""


@pytest.mark.slow
def test_partial_credit_and_the_sentence_for_a_mistake_whatever_is_patched_or_forged(graded, write_answers, insert):
    write_answers(double="def double(x):\n    return x * x", sizes='sizes = {"rows": 3, "columns": 5}')
    insert("double-check", FORGERY)
    insert("sizes-check", FORGERY.replace("display(bundle, raw=True)", "double = right"))
    insert(
        "double-check",
        "import torch\ntorch.allclose = torch.equal = lambda *a, **k: True\ntorch.isclose = lambda a, b, **k: a == a",
    )
    insert("double-check", "import course_lib.checking.judge as j\nj.difference = lambda *a: None\nj.judge = None")
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
def test_missing_cells_score_nothing_and_are_named_and_of_duplicates_the_first_check_counts(
    graded, write_answers, path
):
    write_answers()
    with Editor(path) as notebook:
        for name, source in {"double-answer": "def double(x):\n    return x", "double-check": "later"}.items():
            twin = cell(notebook, name).copy()
            twin.update(id=f"twin-{name}", source=source)
            notebook.cells.append(twin)
        notebook.cells = [each for each in notebook.cells if each.id not in ("repaired-answer", "sizes-check")]
    result = graded()
    assert points(result) == {"double": 3, "sizes": 0, "repaired": 0}
    assert "`course reset 90 repaired` puts it back" in message(result, "repaired")
    assert any("check cell of 90.sizes is missing" in note for note in result.notes)
    assert "90.double has 2 check cells: the first one counts." in result.notes
    assert not result.failed


def test_a_missing_or_damaged_lesson_could_not_be_graded(graded, path):
    path.write_text("{ half a notebook")
    result = graded()
    assert (result.points, result.possible) == (0, 6) and "isn't a notebook any more" in result.failed
    path.unlink()
    assert graded().failed == "90_small.ipynb is missing. `course reset 90` gives the lesson back."


def test_a_lesson_without_exercises_says_so(workbook):
    with pytest.raises(CourseError, match="Lesson 91 has no graded exercises"):
        grade(workbook, workbook.lesson("91"))


# --- our own faults, in grading without a kernel ----------------------------------------------------------------------


@pytest.fixture
def all_right(monkeypatch):
    """In place of a kernel: every check sends the answers of the course's own solution, if it can."""
    solutions = {"90.sizes": {"rows": 3, "columns": 4}, "90.double": lambda x: x + x, "90.repaired": lambda x: x + 1}

    def run(notebook, folder, checks, seed, *_):
        done = Run()
        for index, key in checks.items():
            try:
                done.answers[index] = collect(find(key), solutions[key], seed).to_json()
            except ZeroDivisionError as error:
                done.troubles[index] = str(error)
        return done

    monkeypatch.setattr(grading, "run", run)


@pytest.mark.parametrize(
    "broken", [{"reference": lambda x: 1 / 0}, {"cases": [Case("broken", lambda g: 1 / 0)]}], ids=["reference", "case"]
)
def test_a_fault_of_ours_is_said_and_the_rest_is_graded(graded, all_right, monkeypatch, broken):
    for name, value in broken.items():
        monkeypatch.setattr(find("90.double"), name, value)
    result = graded()
    assert points(result) == {"double": 0, "sizes": 2, "repaired": 1}
    assert "The judge failed on 90.double (ZeroDivisionError" in result.failed


def test_without_a_fault_of_ours_all_is_well(graded, all_right):
    assert (graded().points, graded().failed) == (6, "")


def test_damaged_answers_are_no_fault_of_ours(graded, monkeypatch):
    monkeypatch.setattr(grading, "run", lambda notebook, folder, checks, *_: Run({i: {"cases": 3} for i in checks}))
    result = graded()
    assert (result.points, result.failed) == (0, "") and "damaged" in message(result, "double")
