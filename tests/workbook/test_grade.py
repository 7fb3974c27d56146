"""Official grading of a student's notebook: right, wrong and broken ones, in kernels forked from one warm process."""

import copy
import json
import subprocess
import sys

import pytest
from nbformat import from_dict
from small_course import NAME, Editor, cell, code

from course_lib.checking.collect import answers_to
from course_lib.checking.kinds import Case
from course_lib.checking.task import unpack
from course_lib.errors import CourseError
from course_lib.exercises import find
from course_lib.grading import grade as grading
from course_lib.grading.grade import grade
from course_lib.grading.runner import Limits, Run

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


@pytest.mark.slow
def test_right_answers_get_full_marks_with_a_fresh_seed_each_time_renamed_or_not(
    graded, write_answers, workbook, path, tmp_path
):
    kept = f"    open({str(tmp_path / 'inputs')!r}, 'a').write(str(x) + chr(10))\n"
    write_answers(double=f"def double(x):\n{kept}    return x + x")
    result = graded()
    assert points(result) == {"double": 3, "sizes": 2, "repaired": 1}
    assert (result.points, result.possible, result.failed, result.notes) == (6, 6, "", [])
    (workbook.root / "mine").mkdir()
    path.rename(workbook.root / "mine" / "attempt.ipynb")
    result = graded()
    assert result.points == 6
    assert result.notes == ["Lesson 90 was found as mine/attempt.ipynb."]
    inputs = (tmp_path / "inputs").read_text()
    assert inputs[: len(inputs) // 2] != inputs[len(inputs) // 2 :]


def test_an_untouched_copy_gets_nothing_and_a_changed_check_counts_as_the_course_wrote_it(graded, path):
    with Editor(path) as notebook:
        for name in ("double", "sizes", "repaired"):
            cell(notebook, f"{name}-check").source = "print('passed')"
        cell(notebook, "repaired-answer").source = RIGHT["repaired-answer"]
    result = graded()
    assert points(result) == {"double": 0, "sizes": 0, "repaired": 1} and not result.failed
    assert [verdict.exercise.name for verdict in result.verdicts if not verdict.attempted] == ["double", "sizes"]


FORGERY = """
import re
from IPython.display import display
from course_lib.checking import collect
from course_lib.checking.task import unpack
from course_lib.checking.wire import MIME
def right(x):
    return 2 * x
def double(x):  # the cell that calls it holds the task
    task = unpack(re.search('answer."(.+?)", "(.+?)"', In[-1])[2])
    answers = collect.answers_to(task, right).to_json()
    display({MIME: {"token": "guessed", "key": "90.double", "answers": answers}}, raw=True)
    return x * x
"""


@pytest.mark.slow
def test_partial_credit_and_the_sentence_for_a_mistake_whatever_is_patched_or_forged(graded, write_answers, insert):
    write_answers(double=FORGERY, sizes='sizes = {"rows": 3, "columns": 5}')
    insert("sizes-check", "double = right")
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
def test_a_missing_answer_scores_nothing_and_is_named_and_of_several_that_above_the_check_counts(
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
    assert points(result) == {"double": 3, "sizes": 2, "repaired": 0}
    assert "`course reset 90 repaired` puts it back" in message(result, "repaired")
    assert "90.double has 2 answer cells: what is defined when its check runs counts." in result.notes
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

    def run(plan, folder, tasks, *_):
        asked = {index: key for index, key in plan.checks.items() if key in tasks}
        return Run({index: answers_to(unpack(tasks[key]), solutions[key]).to_json() for index, key in asked.items()})

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
    monkeypatch.setattr(grading, "run", lambda plan, *_: Run({i: {"cases": 3} for i in plan.checks}))
    result = graded()
    assert (result.points, result.failed) == (0, "") and "damaged" in message(result, "double")


# --- what is graded: their answers, the course's checks ---------------------------------------------------------------


def without_metadata(notebook):
    for each in notebook.cells:
        each.metadata = {}
    notebook.metadata = {}


def without_ids(notebook):
    for number, each in enumerate(notebook.cells):
        each.id = f"other-{number}"


def without_both(notebook):
    without_metadata(notebook)
    without_ids(notebook)


def without_checks(notebook):
    notebook.cells = [each for each in notebook.cells if not each.id.endswith("-check")]


def renamed_checks(notebook):
    for number, each in enumerate(each for each in notebook.cells if each.id.endswith("-check")):
        each.metadata.nbgrader.grade_id, each.id = f"mine-{number}", f"mine-{number}"


def checks_above_and_below(notebook):
    for name in ("double", "sizes", "repaired"):
        check = cell(notebook, f"{name}-check")
        for place, twin in ((notebook.cells.index(cell(notebook, f"{name}-answer")), "a"), (len(notebook.cells), "b")):
            notebook.cells.insert(place, from_dict({**copy.deepcopy(check), "id": f"{twin}-{name}"}))


def checks_moved_above(notebook):
    for name in ("double", "sizes", "repaired"):
        check = cell(notebook, f"{name}-check")
        notebook.cells.remove(check)
        notebook.cells.insert(1, check)


def checks_as_text(notebook):
    for each in notebook.cells:
        if each.id.endswith("-check"):
            each.cell_type = "markdown"
            del each["outputs"], each["execution_count"]


def points_in_metadata(notebook):
    for each in notebook.cells:
        if each.id.endswith("-check"):
            each.metadata.nbgrader.points = 99


def answers_split(notebook):
    """The function is in a cell of the student's own, below the answer cell."""
    for name in ("double", "sizes", "repaired"):
        answer = cell(notebook, f"{name}-answer")
        notebook.cells.insert(notebook.cells.index(answer) + 1, code(f"own-{name}", answer.source))
        answer.source = "# below"


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [without_metadata, without_ids, without_both, without_checks, renamed_checks, checks_above_and_below,
     checks_moved_above, checks_as_text, points_in_metadata, answers_split],
)  # fmt: skip
def test_whatever_became_of_the_check_cells_the_answers_count(graded, write_answers, path, change):
    write_answers(sizes='sizes = {"rows": 3, "columns": 5}')
    with Editor(path) as notebook:
        change(notebook)
    result = graded()
    assert points(result) == {"double": 3, "sizes": 1, "repaired": 1}
    assert result.possible == 6 and not result.failed


def test_checks_and_locked_cells_come_from_the_course_and_not_from_the_workbook(graded, workbook):
    """What `.course/originals` says of them is the student's to change."""
    original = workbook.root / ".course" / "originals" / f"{NAME}.ipynb"
    with Editor(original) as notebook:
        for each in notebook.cells:
            if each.id.endswith("-check"):
                each.source = each.source.replace(")", " if False else right)")
        cell(notebook, "imports").source += "\nright = lambda x: 2 * x"
    assert points(graded()) == {"double": 0, "sizes": 0, "repaired": 0}
    original.unlink()
    assert points(graded()) == {"double": 0, "sizes": 0, "repaired": 0}


# --- submissions that lost points, from reviews: right answers, and one more cell of the student's --------------------

HARMLESS = {
    "L62 exit": "exit()",
    "X07 quit": "quit()",
    "R04 timer": "import os, threading\nthreading.Timer(0.05, lambda: os._exit(1)).start()\nimport time\ntime.sleep(1)",
    "L61 shutdown": "import IPython\nIPython.Application.instance().kernel.do_shutdown(True)",
    "L50 check": "for check in range(3): pass",
    "L63 reset": "%reset -f",
    "L21 stdout": "import sys\nsys.stdout = None",
    "L12 files": "import os\nos.closerange(0, 1000)",
    "L04 kill": "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)",
    "L44 parent": "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)",
    "L13 folder": "import os, tempfile\nhere = tempfile.mkdtemp()\nos.chdir(here)\nos.rmdir(here)",
    "A22 message": "p = get_ipython().display_pub\np.session.send(p.pub_socket, 'display_data', 5, parent=p.parent_header)",
    "A23 signature": "get_ipython().display_pub.session.key = b'another'\ndisplay(1)",
    "L36 display": "import IPython.display\nIPython.display.display = display = None",
    "L18 L19 L22 L23 L31 L42": (
        "import signal, sys\nprint('x' * 10**6, file=sys.stderr)\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\n"
        "sys.settrace(lambda *a: None)\nsys.setrecursionlimit(200)\nname = input('name?')"
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("own", HARMLESS.values(), ids=HARMLESS)
def test_a_cell_of_the_students_own_costs_no_exercise(graded, write_answers, insert, own):
    write_answers()
    insert("sizes-answer", own)
    result = graded()
    assert points(result) == {"double": 3, "sizes": 2, "repaired": 1} and not result.failed


@pytest.mark.slow
def test_cells_that_hang_cost_no_exercise_but_the_time_for_all(graded, write_answers, insert):
    write_answers()
    for _ in range(6):
        insert("sizes-answer", "while True: pass")
    assert graded(limits=Limits(cell=1, notebook=4)).points == 6


GUILTY = {
    "R05 exit at the end": ("{}\nexit()", 2),
    "L36 check beside it": ("{}\ncheck = 3", 2),
    "L04 kill": ("{}\nimport os, signal\nos.kill(os.getpid(), signal.SIGKILL)", 0),
    "L07 deaf": ("{}\nimport signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass", 0),
    "L05 loop below it": ("{}\nwhile True: pass", 2),
}


@pytest.mark.slow
@pytest.mark.parametrize(("source", "reached"), GUILTY.values(), ids=GUILTY)
def test_an_answer_cell_costs_itself_alone(graded, write_answers, source, reached):
    write_answers(sizes=source.format(RIGHT["sizes-answer"]))
    assert points(graded(limits=Limits(cell=2))) == {"double": 3, "sizes": reached, "repaired": 1}


# --- the cause is named -----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_behind_a_missing_name_the_first_failed_cell_or_the_later_definition_is_named(graded, write_answers, insert):
    write_answers(
        double="def double(x):\n    return factor * x",
        sizes='sizes = {"rows": rows, "columns": 4}',
        repaired="def broken(x):\n    return later(x)",
    )
    insert("double-answer", "factor = 1 / 0")
    insert("double-answer", "rows = nothing")
    insert("end", "def later(x):\n    return x + 1")
    result = graded()
    first = "The first cell that failed is the cell that begins `factor = 1 / 0`: ZeroDivisionError: division by zero"
    assert first in message(result, "double") and first in message(result, "sizes")
    assert "`later` is defined further down, in the cell that begins `def later(x):`" in message(result, "repaired")
    assert result.points == 0


def test_a_file_that_hides_a_module_of_the_course_is_named_and_does_no_harm(graded, write_answers, workbook):
    write_answers()
    (workbook.root / "torch.py").write_text("raise ImportError")
    (workbook.root / "mine.py").write_text("")
    result = graded()
    assert result.points == 6
    assert [note.split(" has the name")[0] for note in result.notes] == ["torch.py beside your notebooks"]


def test_another_file_of_the_lesson_is_named(workbook, path, all_right):
    path.with_name(f"{NAME}-Copy1.ipynb").write_bytes(path.read_bytes())
    notes = grade(workbook, workbook.lesson("90")).notes
    assert notes == [f"{NAME}-Copy1.ipynb holds lesson 90, too. Only {NAME}.ipynb was graded: is your work there?"]


# --- what passed in the notebook and not here -------------------------------------------------------------------------


@pytest.fixture
def passed(workbook):
    """As if checks in the notebook had passed these exercises."""

    def write(*names):
        record = {"status": "passed", "points": 1, "tries": 1, "passed_at": "2026-11-05T10:00:00+01:00"}
        records = {f"90.{name}": record for name in names}
        (workbook.root / ".course" / "progress.json").write_text(json.dumps({"exercises": records, "predictions": {}}))

    return write


@pytest.mark.slow
def test_what_passed_in_the_notebook_and_not_here_is_said(graded, write_answers, passed):
    write_answers(double="def double(x):\n    return x * x", sizes="sizes = {}")
    passed("double", "repaired")
    result = graded()
    assert result.notes == ["90.double passed in your notebook on 05 November 2026, not here: That is the square."]


@pytest.mark.slow
def test_before_that_it_is_run_alone_and_then_with_all_that_was_left_out(
    graded, write_answers, insert, passed, small_course, workbook
):
    with Editor(small_course / f"{NAME}.ipynb") as notebook:
        cell(notebook, "demo").source = "import builtins\nbuiltins.hidden = 2"
    workbook._released.clear()
    workbook.refresh()
    write_answers(double="def double(x):\n    return hidden * x", sizes='sizes = {"rows": len(check_me), "columns": 4}')
    insert("sizes-answer", "check_me = [1, 2, 3]")
    insert("sizes-check", "sizes = {}")
    assert points(graded()) == {"double": 0, "sizes": 0, "repaired": 1}
    passed("double", "sizes", "repaired")
    result = graded()
    assert points(result) == {"double": 3, "sizes": 0, "repaired": 1} and len(result.notes) == 1


# --- one notebook never ends the grading of another -------------------------------------------------------------------


def test_a_fault_in_one_lesson_is_its_own(workbook, all_right, monkeypatch):
    prepare, lesson, faults = grading.prepare, workbook.lesson("90"), iter([RecursionError("deep"), None])

    def sometimes(*notebooks):
        if fault := next(faults):
            raise fault
        return prepare(*notebooks)

    monkeypatch.setattr(grading, "prepare", sometimes)
    first, second = grading.grade_lessons(workbook, [lesson, lesson])
    assert (first.points, first.possible) == (0, 6) and "could not be graded (RecursionError: deep)" in first.failed
    assert (second.points, second.failed) == (6, "")


def test_a_fault_in_the_run_of_one_lesson_is_its_own(workbook, all_right, monkeypatch):
    run, lesson, calls = grading.run, workbook.lesson("90"), []

    def sometimes(*arguments):
        calls.append(arguments)
        if len(calls) == 1:
            raise ValueError("odd")
        return run(*arguments)

    monkeypatch.setattr(grading, "run", sometimes)
    grades = grading.grade_lessons(workbook, [lesson, lesson], jobs=1)
    assert [(each.points, bool(each.failed)) for each in grades] == [(0, True), (6, False)]


def test_progress_that_nobody_can_read_keeps_nobody_from_a_grade(workbook, all_right, monkeypatch):
    monkeypatch.setattr(grading.progress, "load", lambda root: json.loads("[" * 100_000))
    assert grade(workbook, workbook.lesson("90")).points == 6


def test_lessons_are_told_cell_by_cell_and_come_back_in_order(workbook, write_answers):
    write_answers()
    lesson, told = workbook.lesson("90"), []
    grades = grading.grade_lessons(workbook, [lesson, lesson], jobs=2, on_cell=lambda *what: told.append(what[1:]))
    assert [each.points for each in grades] == [6, 6]
    assert (0, 7, "the cell that begins `import course_lib.exercises`") in told and (7, 7, "") in told
    assert any(what == "90.double" for _, _, what in told)


LATE = """
import sys
from pathlib import Path
import torch
from course_lib.checking.judge import judge
from course_lib.checking.collect import collect
from course_lib.grading import grade, report
from course_lib.workbook.workbook import Workbook
workbook = Workbook(Path("none"))
lesson = workbook.lesson("02")
grading = grade._Grading(workbook, lesson, grade._progress(workbook))
grade._import_what_is_needed_later([grading])
before = set(sys.modules)
for exercise in grading.exercises:
    grading.result.verdicts.append(judge(exercise, "seed", collect(exercise, lambda *a: torch.ones(2, 2), "seed")))
report.as_html([grading.result])
print([name for name in set(sys.modules) - before if name.startswith("course_lib")])
"""


@pytest.mark.slow
def test_nothing_of_the_course_is_imported_after_students_code_has_run(tmp_path):
    done = subprocess.run([sys.executable, "-c", LATE], cwd=tmp_path, capture_output=True, text=True)
    assert (done.stdout.strip(), done.returncode) == ("[]", 0), done.stderr
