"""What a student calls in a lesson: check, hint and solution."""

import os
import secrets
import time

from IPython.display import display

from course_lib.checking.collect import collect
from course_lib.checking.judge import Verdict, judge
from course_lib.checking.kinds import Code, Exercise
from course_lib.checking.student_code import fingerprint
from course_lib.errors import CourseError
from course_lib.exercises import find, lessons
from course_lib.student import parts
from course_lib.student.card import Card, as_html, as_text, fault_card, message_card
from course_lib.student.official import is_official
from course_lib.support.paths import course_notebooks
from course_lib.workbook import progress

TRIES_BEFORE_SOLUTION = 3
_last_tried = {}  # by workbook and exercise: the fingerprint of the last answer, in this kernel
NOT_WITH_NBGRADER = (
    "nbgrader can't grade or validate this course: use `course grade`. "
    "To nbgrader, every check cell that raises nothing is right."
)


def _exercise(key: str) -> Exercise:
    exercise = find(key)
    if not exercise.graded:
        raise CourseError(f'{key} is a prediction, not an exercise: use predict("{key}").')
    return exercise


def check(key: str, submission) -> None:
    """Try the answer to an exercise on fresh cases and show what came of it.

    In official grading it does nothing: there the check cells run `official.answer`, and the judge sits outside.
    """
    if "NBGRADER_EXECUTION" in os.environ:  # set by nbgrader in the kernels that it grades and validates with
        raise CourseError(NOT_WITH_NBGRADER)
    if is_official():
        return
    exercise = _exercise(key)
    seed, started = secrets.token_hex(8), time.perf_counter()
    try:
        verdict = judge(exercise, seed, collect(exercise, submission, seed))
    except Exception as fault:  # whatever the student's code does is in the answers: this is ours
        display(fault_card(exercise, fault))
        return
    seconds = time.perf_counter() - started
    extra = _record(verdict, _is_new(key, submission) and not verdict.limit_hit)
    if verdict.passed and isinstance(exercise, Code) and not exercise.start:
        extra += _keep(exercise, submission)
    display(Card(as_html(verdict, extra, seconds), as_text(verdict, extra)))


def _is_new(key: str, submission) -> bool:
    """Is this another answer than the last one? Only then is it a try."""
    here, own = (progress.workbook_root(), key), fingerprint(submission)
    same = own != "" and _last_tried.get(here) == own
    _last_tried[here] = own
    return not same


def _record(verdict: Verdict, is_try: bool = True) -> list[str]:
    """Write it down; returns further lines for the card."""
    exercise, lines = verdict.exercise, []
    if not verdict.attempted:
        return lines
    try:
        with progress.changing() as mine:
            lines += [mine.note] if mine.note else []
            record = mine.exercise(exercise.key, exercise.points)
            record.tries += is_try
            record.points = max(record.points, verdict.points)
            if verdict.passed:
                record.passed_at = record.passed_at or progress.now()
            record.status = "passed" if verdict.passed or record.status == "passed" else "tried"
            if not verdict.passed:
                lines.append(_way_on(exercise, record))
    except CourseError as error:
        lines.append(str(error))
    return lines


def _way_on(exercise: Exercise, record: progress.Record) -> str:
    if record.tries >= TRIES_BEFORE_SOLUTION:
        return f'Stuck? In a new cell: `hint("{exercise.key}")` or `solution("{exercise.key}")`.'
    return f'Stuck? In a new cell: `hint("{exercise.key}")`.'


def _keep(exercise: Code, submission) -> list[str]:
    try:
        file = parts.keep(exercise, submission)
    except parts.NotKept as reason:
        return [f"It passed, but it isn't kept as a part of your own: {reason}."]
    return [f"Kept as `{parts.PACKAGE}/{file.name}`: later lessons use it."] if file else []


def hint(key: str) -> None:
    """Show the next hint for an exercise, after those that were shown before."""
    if is_official():  # it isn't the student who asks
        return
    exercise, lines = _exercise(key), []
    try:
        with progress.changing() as mine:
            record = mine.exercise(key)
            record.hints = min(record.hints + 1, len(exercise.hints))
            shown = record.hints
    except CourseError as error:
        shown, lines = len(exercise.hints), [str(error)]
    hints = [f"{i + 1}. {text}" for i, text in enumerate(exercise.hints[:shown])]
    more = len(exercise.hints) - shown
    last = f"{more} more: run this again." if more else "That was the last hint."
    display(message_card(f"Hints · {exercise.title}", [*hints, last, *lines]))


def solution(key: str) -> None:
    """Show how the course solves an exercise, once it has passed or after three tries."""
    if is_official():
        return
    exercise = _exercise(key)
    record = progress.current().exercise(key)
    left = TRIES_BEFORE_SOLUTION - record.tries
    if record.status != "passed" and left > 0:
        tries = "one more try" if left == 1 else f"{left} more tries"
        display(
            message_card(
                f"Not yet · {exercise.title}",
                [f'The solution opens when you pass, or after {tries}. Until then: `hint("{key}")`.'],
            )
        )
        return
    display(message_card(f"A solution · {exercise.title}", [], code=_solution_source(exercise)))


def _solution_source(exercise: Exercise) -> str:
    """The solved cell of the lesson's source notebook, without nbgrader's marks."""
    from course_lib.workbook.cells import exercise_key, is_answer  # these load nbformat
    from course_lib.workbook.notebook_files import read_notebook

    notebook = read_notebook(course_notebooks() / f"{lessons()[exercise.lesson].name}.ipynb")
    for cell in notebook.cells:
        if is_answer(cell) and exercise_key(cell) == exercise.key:
            marks = ("### BEGIN SOLUTION", "### END SOLUTION")
            return "\n".join(line for line in cell.source.splitlines() if not any(mark in line for mark in marks))
    raise CourseError(f"The solution of {exercise.key} isn't in its lesson. Please tell your lecturer.")
