"""The progress board: every lesson, every exercise, what is passed and what is open."""

from collections.abc import Iterable
from dataclasses import dataclass

from course_lib.checking.kinds import Exercise
from course_lib.exercises import lessons
from course_lib.exercises.lesson import Lesson
from course_lib.student.card import OPEN, Card, render, state
from course_lib.student.official import is_official
from course_lib.workbook import progress
from course_lib.workbook.progress import Progress, Record


@dataclass(frozen=True)
class Standing:
    """How far a student is in one lesson."""

    lesson: Lesson
    records: list[tuple[Exercise, Record]]

    @property
    def points(self) -> float:
        return sum(record.points for _, record in self.records)

    @property
    def percent(self) -> float:
        return 100 * self.points / self.lesson.points


def standings(mine: Progress, which: Iterable[Lesson]) -> list[Standing]:
    """Lesson by lesson, what is kept about each of its exercises."""
    return [
        Standing(lesson, [(each, mine.exercise(each.key, each.points)) for each in lesson.exercises])
        for lesson in which
    ]


def board() -> Card:
    """A table of all lessons with your points, to be shown in a notebook."""
    if is_official():
        return Card("", "")
    mine = progress.current()
    table = standings(mine, lessons().values())
    html = render("board.html", role="region", label="Your progress", state=OPEN, standings=table, note=mine.note)
    return Card(html, "\n".join([*map(_line, table), *filter(None, [mine.note])]))


def _line(each: Standing) -> str:
    marks = ", ".join(f"{exercise.name} {state(record).mark}" for exercise, record in each.records)
    lesson = each.lesson
    return f"{lesson.number} {lesson.title}: {each.points:g} / {lesson.points} points ({marks})"
