"""The grade as a page to read: `report.html`, with what was wrong and why."""

from datetime import datetime

from jinja2 import Environment

from course_lib.grading.grade import LessonGrade
from course_lib.student import card
from course_lib.student.card import MARK, state

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Grade report: {{ points }} of {{ possible }} points</title>
<style>
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; }
table { border-collapse: collapse; }
th, td { text-align: left; padding: .2em 1em .2em 0; border-bottom: 1px solid #8884; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
.note { border-left: 4px solid #c98a00; padding-left: .8em; }
@media (prefers-color-scheme: dark) {
  body { --jp-layout-color1: #1c1c1c; --jp-layout-color2: #2b2b2b; --jp-content-font-color2: #b5b5b5; }
}
</style>
</head>
<body>
<h1>{{ points }} of {{ possible }} points</h1>
<p>Graded {{ when }}. Every exercise ran in a fresh kernel, on cases drawn for this run.</p>
<table>
<thead><tr><th>Exercise</th><th>Verdict</th><th class="number">Points</th></tr></thead>
<tbody>
{% for grade in grades %}
<tr><th colspan="2"><a href="#lesson-{{ grade.lesson.number }}">{{ grade.lesson.number }} {{ grade.title }}</a></th>
<th class="number">{{ number(grade.points) }} / {{ grade.possible }}</th></tr>
{% for verdict in grade.verdicts %}
<tr><td>{{ verdict.exercise.title }}</td><td>{{ mark[state(verdict)] }} {{ state(verdict) }}</td>
<td class="number">{{ number(verdict.points) }} / {{ verdict.exercise.points }}</td></tr>
{% endfor %}
{% endfor %}
</tbody>
</table>
{% for grade in grades %}
<h2 id="lesson-{{ grade.lesson.number }}">{{ grade.lesson.number }} {{ grade.title }}</h2>
{% if grade.failed %}<p class="note">{{ grade.failed }}</p>{% endif %}
{% for note in grade.notes %}<p class="note">{{ note }}</p>{% endfor %}
{% for verdict in grade.verdicts %}
{{ card(verdict) | safe }}
{% endfor %}
{% endfor %}
</body>
</html>
"""


def number(points: float) -> str:
    """Points as a person writes them: 3, 2.5."""
    return f"{points:g}"


def as_html(grades: list[LessonGrade]) -> str:
    """The whole page."""
    page = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(PAGE)
    return page.render(
        grades=grades,
        points=number(sum(grade.points for grade in grades)),
        possible=sum(grade.possible for grade in grades),
        when=f"{datetime.now():%d %B %Y at %H:%M}",
        mark=MARK,
        state=state,
        card=card.as_html,
        number=number,
    )
