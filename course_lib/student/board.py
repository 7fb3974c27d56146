"""The progress board: every lesson, every exercise, what is passed and what is open."""

from html import escape

from course_lib.exercises import lessons
from course_lib.student.card import EDGE, MARK, STYLE, Card
from course_lib.workbook import progress

SHOWN = {"passed": "passed", "tried": "not yet", "open": "open"}


def board() -> Card:
    """A table of all lessons with your points, to be shown in a notebook."""
    mine, rows, lines = progress.current(), [], []
    for lesson in lessons().values():
        records = [(exercise, mine.exercise(exercise.key)) for exercise in lesson.exercises]
        points = sum(record.points for _, record in records)
        marks = " ".join(_mark(exercise, record) for exercise, record in records)
        percent = 100 * points / lesson.points
        rows.append(
            f"<tr><td>{lesson.number}</td><td style='text-align:left'>{escape(lesson.title)}</td><td>{marks}</td>"
            f"<td style='text-align:right'>{points:g} / {lesson.points}</td>"
            f"<td><progress max='100' value='{percent:.0f}' aria-label='{percent:.0f} % of lesson {lesson.number}'></progress></td></tr>"
        )
        words = ", ".join(f"{e.name} {MARK[SHOWN[r.status]]}" for e, r in records)
        lines.append(f"{lesson.number} {lesson.title}: {points:g} / {lesson.points} points ({words})")
    html = (
        f'{STYLE}<div class="course-card" role="region" aria-label="Your progress" style="--edge:{EDGE["open"]}">'
        "<h4>Your progress</h4><table><thead><tr><th></th><th style='text-align:left'>Lesson</th><th>Exercises</th><th>Points</th><th></th></tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table><p><small>✓ passed · ✗ tried · ○ open</small></p><p>{escape(mine.note)}</p></div>"
    )
    return Card(html, "\n".join([*lines, *filter(None, [mine.note])]))


def _mark(exercise, record) -> str:
    shown = SHOWN[record.status]
    label = escape(f"{exercise.title}: {record.status}, {record.points:g} of {exercise.points} points")
    return (
        f'<span title="{label}" aria-label="{label}" style="color:{EDGE[shown]};font-weight:700">{MARK[shown]}</span>'
    )
