"""How a verdict looks: a card in the notebook, and the same in plain text."""

from html import escape

from course_lib.checking.judge import Verdict

STYLE = """<style>
.course-card{border:1px solid var(--jp-border-color2,#c8c8c8);border-left:6px solid var(--edge);border-radius:6px;padding:.6em 1em;
 margin:.4em 0;max-width:56em;color:var(--jp-content-font-color1,inherit);background:var(--jp-layout-color1,transparent);
 font-family:var(--jp-content-font-family,sans-serif);line-height:1.5}
.course-card h4{margin:0 0 .2em;font-size:1.05em;font-weight:600}
.course-card p{margin:.35em 0}
.course-card small{color:var(--jp-content-font-color2,#555)}
.course-card pre{margin:.4em 0;padding:.5em .8em;overflow-x:auto;background:var(--jp-layout-color2,#f2f2f2);
 color:inherit;border-radius:4px;font-size:.9em;white-space:pre-wrap}
.course-card code{background:var(--jp-layout-color2,#f2f2f2);padding:0 .3em;border-radius:3px}
.course-card img{max-width:100%;border-radius:4px}
.course-card .mark{display:inline-block;min-width:1.4em;color:var(--edge);font-weight:700}
.course-card ul{margin:.2em 0;padding-left:1.4em}
</style>"""
EDGE = {"passed": "#2a9d5c", "partly": "#c98a00", "not yet": "#d1603d", "open": "#8a8a8a"}
TO_DO = {
    "code": "Replace the `...` with your own code, run the cell, then run this one.",
    "start": "This is still the code that you were given. Find what is wrong with it, run the cell, then run this one.",
    "number": "Write your answer in the cell above, run it, then run this one.",
    "choice": "Write your answer in the cell above, run it, then run this one.",
}
MARK = {"passed": "✓", "partly": "◐", "not yet": "✗", "open": "○"}


def state(verdict: Verdict) -> str:
    if not verdict.attempted:
        return "open"
    if verdict.passed:
        return "passed"
    return "partly" if verdict.points else "not yet"


def headline(verdict: Verdict) -> str:
    words = {"passed": "Passed", "partly": "Partly there", "not yet": "Not yet", "open": "Not attempted yet"}[
        state(verdict)
    ]
    exercise = verdict.exercise
    unit = "point" if exercise.points == 1 else "points"
    return f"{words} · {exercise.title} · {verdict.points:g} of {exercise.points} {unit}"


def notes(verdict: Verdict) -> list[str]:
    """The lines under the headline, as plain text."""
    lines = (
        []
        if not verdict.attempted and verdict.message == "Not attempted yet."
        else verdict.message.split("\n")
        if verdict.message
        else []
    )
    if len(verdict.criteria) > 1 and verdict.attempted:
        lines += [
            f"{'✓' if right else '✗'} {name} ({verdict.exercise.criteria[name]} p.)"
            for name, right in verdict.criteria.items()
        ]
    if not verdict.attempted and not lines:
        lines = [TO_DO["start" if verdict.exercise.start else verdict.exercise.kind]]
    return lines


def as_text(verdict: Verdict, extra: list[str] = ()) -> str:
    lines = [f"{MARK[state(verdict)]} {headline(verdict)}", *notes(verdict), *extra]
    return "\n".join(lines + [text for text in (verdict.trace, verdict.printed) if text])


def as_html(verdict: Verdict, extra: list[str] = (), seconds: float | None = None) -> str:
    """The card. `extra` are further lines of plain text; `seconds` is how long the check took."""
    now = state(verdict)
    body = "".join(f"<p>{_inline(line)}</p>" for line in [*notes(verdict), *extra])
    if verdict.trace:
        body += f"<pre aria-label='where it happened'>{escape(verdict.trace)}</pre>"
    if verdict.printed:
        body += f"<p><small>Printed by your code in the first case:</small></p><pre>{escape(verdict.printed)}</pre>"
    if verdict.passed and verdict.checked:
        took = f" in {seconds * 1000:.0f} ms" if seconds is not None else ""
        body += f"<p><small>Checked{took}: {escape('; '.join(verdict.checked))}.</small></p>"
    if verdict.picture:
        body += _comparison(verdict.picture)
    return (
        f'{STYLE}<div class="course-card" role="status" style="--edge:{EDGE[now]}">'
        f'<h4><span class="mark" aria-hidden="true">{MARK[now]}</span>{escape(headline(verdict))}</h4>{body}</div>'
    )


def _inline(text: str) -> str:
    """Plain text to HTML, with `code` in backticks."""
    pieces = escape(text).split("`")
    return "".join(
        f"<code>{piece}</code>" if i % 2 and i < len(pieces) - 1 else piece if not i % 2 else f"`{piece}"
        for i, piece in enumerate(pieces)
    )


def _comparison(picture: dict) -> str:
    from course_lib.viz.comparison import comparison

    try:
        return comparison(picture["yours"], picture["expected"], picture["axes"]).html()
    except Exception:  # a card without its picture is still a card
        return ""


class Card:
    """What `check` shows: HTML where it can be shown, plain text elsewhere."""

    def __init__(self, html: str, text: str):
        self.html, self.text = html, text

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict:
        return {"text/html": self.html, "text/plain": self.text}


def message_card(title: str, lines: list[str], edge: str = "open", code: str = "") -> Card:
    """A card that isn't a verdict: a hint, a solution, a note."""
    body = "".join(f"<p>{_inline(line)}</p>" for line in lines) + (f"<pre>{escape(code)}</pre>" if code else "")
    html = (
        f'{STYLE}<div class="course-card" role="note" style="--edge:{EDGE[edge]}"><h4>{escape(title)}</h4>{body}</div>'
    )
    return Card(html, "\n".join([title, *lines] + ([code] if code else [])))
