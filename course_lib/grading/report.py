"""The grade as a page to read: `report.html`, with what was wrong and why."""

from datetime import datetime

from markupsafe import Markup

from course_lib.checking.judge import Verdict
from course_lib.grading.lesson_grade import LessonGrade
from course_lib.student import card


def as_html(grades: list[LessonGrade]) -> str:
    """The whole page."""
    return card.render(
        "report.html",
        grades=grades,
        points=sum(grade.points for grade in grades),
        possible=sum(grade.possible for grade in grades),
        when=f"{datetime.now():%d %B %Y at %H:%M}",
        card=_card,
    )


def _card(verdict: Verdict) -> Markup:
    return Markup(card.as_html(verdict))
