"""The command `course`: JupyterLab on the workbook, where you stand, your grade, and an exercise given back."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from typer.core import TyperGroup

from course_lib.errors import CourseError
from course_lib.support.paths import ROOT

console = Console()
complaints = Console(stderr=True)


class _OneSentence(TyperGroup):
    """A command that can't do its job says why in one sentence and ends with status 1."""

    def invoke(self, ctx):
        try:
            return super().invoke(ctx)
        except CourseError as reason:
            complaints.print(str(reason), style="red", markup=False, highlight=False, soft_wrap=True)
            raise typer.Exit(1) from None


app = typer.Typer(cls=_OneSentence, no_args_is_help=True, add_completion=False, pretty_exceptions_show_locals=False)
WorkbookOption = Annotated[
    Path | None,
    typer.Option("--workbook", help="Your folder. [default: the one around you, else the course's workbook/]"),
]
LessonArgument = Annotated[str | None, typer.Argument(help="2, 02 or 02_self_attention. [default: every lesson]")]


def _workbook(path: Path | None, must_exist: bool = True):
    from course_lib.workbook.progress import workbook_root
    from course_lib.workbook.workbook import Workbook

    workbook = Workbook(path or workbook_root() or ROOT / "workbook")
    if must_exist and not workbook.exists:
        raise CourseError(f"There is no workbook in {workbook.root} yet. `make lab` or `course lab` makes it.")
    return workbook


def _say(text: str) -> None:
    console.print(text, markup=False, highlight=False, soft_wrap=True)


@app.command()
def lab(
    workbook: WorkbookOption = None,
    port: Annotated[int | None, typer.Option(help="[default: the first free one from 8888 on]")] = None,
    browser: Annotated[bool, typer.Option(help="Open a browser window.")] = True,
    start: Annotated[bool, typer.Option(help="Start JupyterLab, or only make and refresh the workbook.")] = True,
):
    """Make or refresh your workbook and open it in JupyterLab."""
    from course_lib.app import lab as jupyter

    mine = _workbook(workbook, must_exist=False)
    port = jupyter.free_port(port) if start else None
    made = not mine.exists
    changes = mine.refresh()
    if made:
        _say(f"Your workbook is in {mine.root}: {len(changes)} lessons.")
    else:
        for change in changes:
            _say(f"{change.lesson.name}: {change.what}.".replace("..", "."))
    if start:
        first = mine.find(mine.lessons[0]).relative_to(mine.root).as_posix()
        token = jupyter.new_token()
        _say(f"JupyterLab: {jupyter.address(port, first, token)}\nStop it with Ctrl-C.")
        jupyter.serve(mine.root, first, port, token, browser)


@app.command()
def status(workbook: WorkbookOption = None):
    """Show every lesson and exercise, your points, and what is open."""
    from course_lib.exercises import lessons
    from course_lib.workbook import progress

    mine = progress.load(_workbook(workbook).root)
    if mine.note:
        _say(mine.note)
    table = _table("Status")
    reached = possible = 0
    for lesson in lessons().values():
        records = [(exercise, mine.exercise(exercise.key)) for exercise in lesson.exercises]
        points = sum(record.points for _, record in records)
        reached, possible = reached + points, possible + lesson.points
        table.add_row(f"[bold]{lesson.number} {lesson.title}", "", f"[bold]{points:g} / {lesson.points}")
        for exercise, record in records:
            table.add_row(f"   {exercise.title}", _status_words(record), f"{record.points:g} / {exercise.points}")
    table.add_section()
    table.add_row("[bold]Together", "", f"[bold]{reached:g} / {possible}")
    console.print(table)
    _say("These are the checks you ran in the notebooks. `course grade` runs everything anew.")


def _status_words(record) -> str:
    from course_lib.student.card import MARK

    if record.status == "tried":
        tries = "1 try" if record.tries == 1 else f"{record.tries} tries"
        return f"{MARK['not yet']} not yet ({tries})"
    return f"{MARK[record.status]} {record.status}"


@app.command()
def grade(
    lesson: LessonArgument = None,
    workbook: WorkbookOption = None,
    timeout: Annotated[int, typer.Option(min=1, help="Seconds that one cell may run.")] = 300,
):
    """Run your notebooks in fresh kernels, score every exercise, and write report.html."""
    from course_lib.grading import report
    from course_lib.grading.grade import graded_exercises
    from course_lib.student.card import MARK, state
    from course_lib.support.files import write

    mine = _workbook(workbook)
    chosen = [mine.lesson(lesson)] if lesson else [each for each in mine.lessons if graded_exercises(each)]
    grades = _grade_with_progress(mine, chosen, timeout)
    table = _table("Verdict")
    for one in grades:
        table.add_row(f"[bold]{one.lesson.number} {one.title}", "", f"[bold]{one.points:g} / {one.possible}")
        for verdict in one.verdicts:
            words = f"{MARK[state(verdict)]} {state(verdict)}"
            table.add_row(f"   {verdict.exercise.title}", words, f"{verdict.points:g} / {verdict.exercise.points}")
    table.add_section()
    points, possible = sum(one.points for one in grades), sum(one.possible for one in grades)
    table.add_row("[bold]Together", "", f"[bold]{points:g} / {possible}")
    console.print(table)
    for one in grades:
        for note in one.notes:
            _say(note)
    page = mine.root / "report.html"
    write(page, report.as_html(grades))
    _say(f"What was wrong, and why: {page}")
    failures = [one.failed for one in grades if one.failed]
    if failures:
        raise CourseError("\n".join(failures))


def _grade_with_progress(mine, chosen, timeout):
    from rich.progress import Progress

    from course_lib.grading.grade import grade as grade_lesson

    grades = []
    with Progress(console=complaints, transient=True) as bars:
        for lesson in chosen:
            bar = bars.add_task(lesson.name, total=None)
            update = lambda done, total, bar=bar: bars.update(bar, completed=done, total=total)  # noqa: E731
            grades.append(grade_lesson(mine, lesson, timeout, update))
    return grades


@app.command()
def reset(
    lesson: Annotated[str, typer.Argument(help="2, 02 or 02_self_attention.")],
    exercise: Annotated[str | None, typer.Argument(help="Its name. [default: the whole lesson]")] = None,
    workbook: WorkbookOption = None,
):
    """Give an untouched exercise or lesson back; a copy of what was there is kept."""
    mine = _workbook(workbook)
    which = mine.lesson(lesson)
    if exercise:
        key, backup = mine.reset_exercise(which, exercise)
        _say(f"{key} is as it was at the start.")
    else:
        backup = mine.reset(which)
        _say(f"{which.name} is as it was at the start.")
    if backup:
        _say(f"What was there is in {backup}.")
        _say("If the lesson is open in JupyterLab: File → Reload Notebook from Disk.")


def _table(middle: str) -> Table:
    table = Table("Exercise", middle, box=None, pad_edge=False, header_style="dim")
    table.add_column("Points", justify="right")
    return table
