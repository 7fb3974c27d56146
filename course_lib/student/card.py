"""How things look in the notebook: a card for a verdict or a note, and the same in plain text. HTML: `templates/`."""

import re
import traceback
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup, escape

from course_lib.checking.judge import UNATTEMPTED, Verdict
from course_lib.checking.kinds import Exercise
from course_lib.workbook.progress import Record

TO_DO = {
    "code": "Replace the `...` with your own code, run the cell, then run this one.",
    "start": "This is still the code that you were given. Find what is wrong with it, run the cell, then run this one.",
    "number": "Write your answer in the cell above, run it, then run this one.",
    "choice": "Write your answer in the cell above, run it, then run this one.",
}


@dataclass(frozen=True)
class State:
    """Where an exercise stands, as cards, boards, reports and the command line say it."""

    name: str
    mark: str
    colour: str  # of the card's edge
    headline: str


PASSED = State("passed", "✓", "#2a9d5c", "Passed")
PARTLY = State("partly", "◐", "#c98a00", "Partly there")
NOT_YET = State("not yet", "✗", "#d1603d", "Not yet")
OPEN = State("open", "○", "#8a8a8a", "Not attempted yet")


def state(thing: Verdict | Record) -> State:
    """Of a verdict, or of what is kept about an exercise."""
    if isinstance(thing, Record):
        return {"passed": PASSED, "tried": NOT_YET, "open": OPEN}[thing.status]
    if not thing.attempted:
        return OPEN
    if thing.passed:
        return PASSED
    return PARTLY if thing.points else NOT_YET


STRESSED = re.compile(r"(?<![\w*])\*([^\W\d_]|[^\W\d_][^*\n]*\w)\*(?![\w*])")  # *so*, but not 2*n*d, a * b or *rows


def marked_up(text: str) -> Markup:
    """Plain text to HTML, with `code` in backticks and *stress*; a backtick without a second one stays."""
    pieces = text.split("`")
    html = Markup()
    for i, piece in enumerate(pieces):
        if i % 2 and i + 1 < len(pieces):
            html += Markup("<code>{}</code>").format(piece)
        else:
            html += "`" * (i % 2) + Markup(STRESSED.sub(r"<em>\1</em>", str(escape(piece))))
    return html


_pages = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"), autoescape=True, trim_blocks=True, lstrip_blocks=True
)
_pages.filters |= {"marked_up": marked_up, "state": state}


def render(template: str, **values) -> str:
    """A page or card of `templates/`; whatever isn't Markup is escaped."""
    return _pages.get_template(template).render(**values)


class Card:
    """What `check` shows: HTML where it can be shown, plain text elsewhere."""

    def __init__(self, html: str, text: str):
        self.html, self.text = html, text

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict:
        return {"text/html": self.html, "text/plain": self.text}


# --- a verdict --------------------------------------------------------------------------------------------------------


def headline(verdict: Verdict) -> str:
    exercise = verdict.exercise
    unit = "point" if exercise.points == 1 else "points"
    return f"{state(verdict).headline} · {exercise.title} · {verdict.points:g} of {exercise.points} {unit}"


def notes(verdict: Verdict) -> list[str]:
    """The lines under the headline, as plain text."""
    exercise = verdict.exercise
    lines = verdict.message.split("\n") if verdict.message else []
    if not verdict.attempted:
        return lines if lines and lines != [UNATTEMPTED] else [TO_DO["start" if exercise.start else exercise.kind]]
    if len(verdict.criteria) > 1:
        for name, right in verdict.criteria.items():
            lines.append(f"{PASSED.mark if right else NOT_YET.mark} {name} ({exercise.criteria[name]} p.)")
    return lines


def as_text(verdict: Verdict, extra: list[str] = ()) -> str:
    lines = [f"{state(verdict).mark} {headline(verdict)}", *notes(verdict), *extra]
    return "\n".join(lines + [text for text in (verdict.trace, verdict.printed) if text])


def as_html(verdict: Verdict, extra: list[str] = (), seconds: float | None = None) -> str:
    """The card. `extra` are further lines of plain text; `seconds` is how long the check took."""
    return render(
        "verdict.html",
        role="status",
        state=state(verdict),
        verdict=verdict,
        headline=headline(verdict),
        lines=[*notes(verdict), *extra],
        seconds=seconds,
        picture=_comparison(verdict.picture) if verdict.picture else "",
    )


def _comparison(picture: dict) -> Markup:
    from course_lib.viz.comparison import comparison  # loads matplotlib

    try:
        return Markup(comparison(picture["yours"], picture["expected"], picture["axes"]).html())
    except Exception:  # a card without its picture is still a card
        return Markup()


# --- what isn't a verdict ---------------------------------------------------------------------------------------------


def message_card(title: str, lines: list[str], code: str = "") -> Card:
    """A hint, a solution, a note."""
    html = render("message.html", role="note", state=OPEN, title=title, lines=lines, code=code)
    return Card(html, "\n".join([title, *lines] + ([code] if code else [])))


def fault_card(exercise: Exercise, fault: Exception) -> Card:
    """An error in the course's own code: said as such, with all that whoever mends it needs."""
    lines = [
        f"The course could not check this exercise: there is a mistake in the course itself, at `{exercise.key}`. "
        "Your code may be right. This was no try and costs no points.",
        "Please report it, with the lines below.",
    ]
    return message_card(f"Our fault · {exercise.title}", lines, "".join(traceback.format_exception(fault)))
