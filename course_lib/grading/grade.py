"""Official grading: the student's notebooks run with a seed chosen at this moment, and the judge sits outside."""

import copy
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from nbformat import NotebookNode

from course_lib.checking.judge import Verdict, judge_json, prove
from course_lib.checking.kinds import Exercise
from course_lib.errors import CourseError
from course_lib.exercises import lessons
from course_lib.grading.runner import SECONDS_PER_CELL, run
from course_lib.workbook.cells import CHECK, exercise_key, grade_id, is_answer
from course_lib.workbook.notebook_files import read_notebook
from course_lib.workbook.workbook import LessonFile, Workbook


@dataclass
class LessonGrade:
    """One lesson's verdicts, in the order of the course. `failed` says why it could not be graded at all."""

    lesson: LessonFile
    title: str
    verdicts: list[Verdict] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    failed: str = ""

    @property
    def points(self) -> float:
        return sum(verdict.points for verdict in self.verdicts)

    @property
    def possible(self) -> int:
        return sum(verdict.exercise.points for verdict in self.verdicts)


def graded_exercises(lesson: LessonFile) -> list[Exercise]:
    """The exercises of a lesson that give points."""
    known = lessons().get(lesson.number)
    return list(known.exercises) if known else []


def grade(
    workbook: Workbook,
    lesson: LessonFile,
    seconds_per_cell: int = SECONDS_PER_CELL,
    on_cell: Callable[[int, int], None] = lambda done, total: None,
) -> LessonGrade:
    """Grade the student's copy of a lesson. Their file is read, never written.

    seconds_per_cell: how long one cell may run. on_cell: called with (cells done, cells in all) before each.
    Raises CourseError for a lesson without exercises.
    """
    exercises = graded_exercises(lesson)
    if not exercises:
        raise CourseError(f"Lesson {lesson.number} has no graded exercises.")
    result = LessonGrade(lesson, lessons()[lesson.number].title)
    try:
        path = _student_file(workbook, lesson, result)
        notebook, checks = _prepare(read_notebook(path), workbook.released(lesson))
        seed, total = secrets.token_hex(16), len(notebook.cells)
        ran = run(notebook, path.parent, checks, seed, seconds_per_cell, lambda index: on_cell(index, total))
    except CourseError as reason:
        result.failed = str(reason)
        result.verdicts = [Verdict(exercise, attempted=False, message=str(reason)) for exercise in exercises]
        return result
    on_cell(total, total)
    for exercise in exercises:
        where = _places(notebook, exercise.key)
        result.notes += _duplicates(where, exercise, lesson)
        result.verdicts.append(_verdict(exercise, seed, ran, where, lesson, result))
    return result


def _student_file(workbook: Workbook, lesson: LessonFile, result: LessonGrade) -> Path:
    path = workbook.find(lesson)
    if path is None:
        raise CourseError(f"{lesson.name}.ipynb is missing. `course reset {lesson.number}` gives the lesson back.")
    if path.stem != lesson.name:
        result.notes.append(f"Lesson {lesson.number} was found as {path.relative_to(workbook.root)}.")
    return path


def _prepare(mine: NotebookNode, released: NotebookNode) -> tuple[NotebookNode, dict[int, str]]:
    """A copy to run, its checks as the course wrote them; and where the first check of each exercise is."""
    notebook, checks = copy.deepcopy(mine), {}
    course = {grade_id(cell): cell for cell in released.cells if grade_id(cell)}
    for index, cell in enumerate(notebook.cells):
        name = grade_id(cell) or ""
        if name in course and name.endswith(CHECK):
            notebook.cells[index] = copy.deepcopy(course[name])
            key = exercise_key(course[name])
            if key not in checks.values():
                checks[index] = key
    return notebook, checks


@dataclass
class _Places:
    """The indices of an exercise's answer and check cells in the student's notebook, first ones first."""

    answers: list[int]
    checks: list[int]


def _places(notebook: NotebookNode, key: str) -> _Places:
    mine = [(i, cell) for i, cell in enumerate(notebook.cells) if exercise_key(cell) == key]
    return _Places([i for i, c in mine if is_answer(c)], [i for i, c in mine if not is_answer(c)])


def _duplicates(where: _Places, exercise: Exercise, lesson: LessonFile) -> list[str]:
    if len(where.checks) > 1:
        return [f"{exercise.key} has {len(where.checks)} check cells: the first one counts."]
    if len(where.answers) > 1:
        return [f"{exercise.key} has {len(where.answers)} answer cells: what is defined when its check runs counts."]
    return []


def _verdict(exercise: Exercise, seed: str, ran, where: _Places, lesson: LessonFile, result: LessonGrade) -> Verdict:
    way_back = f"`course reset {lesson.number} {exercise.name}` puts it back."
    if not where.checks:
        sentence = f"The check cell of {exercise.key} is missing from your notebook. {way_back}"
        result.notes.append(sentence)
        return Verdict(exercise, attempted=False, message=sentence)
    check = where.checks[0]
    try:
        if check in ran.answers:
            return judge_json(exercise, seed, ran.answers[check])
        prove(exercise, seed)  # or is it our exercise that stopped the check?
    except Exception as fault:  # ours, not the student's: said so, and the other exercises are still graded
        result.failed = f"The judge failed on {exercise.key} ({type(fault).__name__}: {fault}). Please report this."
        return Verdict(exercise, message=result.failed)
    if not where.answers:
        sentence = f"The answer cell of {exercise.key} is missing from your notebook. {way_back}"
        result.notes.append(sentence)
        return Verdict(exercise, attempted=False, message=sentence)
    trouble = next((ran.troubles[i] for i in [*where.answers, check] if i in ran.troubles), "It gave no answer.")
    return Verdict(exercise, message=f"No answer arrived from this exercise. {trouble}")
