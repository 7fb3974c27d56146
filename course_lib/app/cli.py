"""The command `course`: JupyterLab on the workbook, where you stand, your grade, and an exercise given back."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
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
    made = not any(map(mine.find, mine.lessons))
    changes = mine.refresh()
    if made:
        _say(f"Your workbook is in {mine.root}: {len(changes)} lessons.")
    else:
        for change in changes:
            _say(f"{change.lesson.name}: {change.what}.".replace("..", "."))
    for lesson in mine.lessons:
        for path in mine.others(lesson):
            here, graded = path.relative_to(mine.root), mine.find(lesson).relative_to(mine.root)
            _say(f"{here} holds lesson {lesson.number}, too. Only {graded} is updated and graded: is your work there?")
    if start:
        first = mine.find(mine.lessons[0]).relative_to(mine.root).as_posix()
        token = jupyter.new_token()
        _say(f"JupyterLab: {jupyter.address(port, first, token)}\nStop it with Ctrl-C.")
        jupyter.serve(mine.root, first, port, token, browser)


@app.command()
def status(workbook: WorkbookOption = None):
    """Show every lesson and exercise, your points, and what is open."""
    from course_lib.exercises import lessons
    from course_lib.student.board import standings
    from course_lib.student.card import state
    from course_lib.workbook import progress

    mine, known = _workbook(workbook), lessons()
    kept = progress.load(mine.root)
    if kept.note:
        _say(kept.note)
    table = _Table("Status")
    for standing in standings(kept, [known[each.number] for each in mine.lessons if each.number in known]):
        lesson = standing.lesson
        table.lesson(f"{lesson.number} {lesson.title}", standing.points, lesson.points)
        for exercise, record in standing.records:
            tries = "1 try" if record.tries == 1 else f"{record.tries} tries"
            words = f"{_words(state(record))} ({tries})" if record.status == "tried" else _words(state(record))
            table.exercise(exercise, words, record.points)
    table.show()
    _say("These are the checks you ran in the notebooks. `course grade` runs everything anew.")


@app.command()
def grade(
    lesson: LessonArgument = None,
    workbook: WorkbookOption = None,
    timeout: Annotated[int, typer.Option(min=1, help="Seconds that one cell may run.")] = 300,
    budget: Annotated[
        int, typer.Option(min=1, help="Seconds for one notebook. After them only what the exercises need is run.")
    ] = 1200,
    jobs: Annotated[int | None, typer.Option(min=1, help="Lessons run at a time. [default: one a core]")] = None,
):
    """Run your notebooks in fresh kernels, score every exercise, and write report.html."""
    from course_lib.grading.kernels import warm_up

    mine = _workbook(workbook)
    chosen = [mine.lesson(lesson)] if lesson else None
    warm_up()  # before anything else is imported: it forks this process

    from course_lib.grading import report
    from course_lib.grading.grade import graded_exercises
    from course_lib.grading.runner import Limits
    from course_lib.student.card import state
    from course_lib.support.files import write

    chosen = chosen or [each for each in mine.lessons if graded_exercises(each)]
    grades = _grade_with_progress(mine, chosen, Limits(timeout, budget), jobs)
    table = _Table("Verdict")
    for one in grades:
        table.lesson(f"{one.lesson.number} {one.title}", one.points, one.possible)
        for verdict in one.verdicts:
            table.exercise(verdict.exercise, _words(state(verdict)), verdict.points)
    table.show()
    for note in dict.fromkeys(note for one in grades for note in one.notes):
        _say(note)
    page = mine.root / "report.html"
    write(page, report.as_html(grades))
    _say(f"What was wrong, and why: {page}")
    failures = [one.failed for one in grades if one.failed]
    if failures:
        raise CourseError("\n".join(failures))


def _grade_with_progress(mine, chosen, limits, jobs):
    """A bar for each lesson, with what it runs now."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from course_lib.grading.grade import grade_lessons

    running = TextColumn("[dim]{task.fields[running]}", markup=True)
    with Progress(
        TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), running, console=complaints, transient=True
    ) as bars:
        rows = {lesson: bars.add_task(lesson.name, total=None, running="", start=False) for lesson in chosen}

        def show(lesson, done, total, running):
            bars.start_task(rows[lesson])
            bars.update(rows[lesson], completed=done, total=total, running=escape(running))

        return grade_lessons(mine, chosen, limits, jobs, show)


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


@app.command()
def restore(
    lesson: Annotated[str, typer.Argument(help="2, 02 or 02_self_attention.")], workbook: WorkbookOption = None
):
    """Put the newest whole copy in the place of a notebook that a crash left unreadable."""
    mine = _workbook(workbook)
    which = mine.lesson(lesson)
    made, backup = mine.restore(which)
    _say(f"{which.name} is as Jupyter last saved it whole, on {made}.")
    if backup:
        _say(f"The broken file is in {backup}.")


class _Table:
    """Lessons and their exercises, each with what is said of it and its points, and the sum of all."""

    def __init__(self, middle: str):
        self.table = Table("Exercise", middle, box=None, pad_edge=False, header_style="dim")
        self.table.add_column("Points", justify="right")
        self.reached = self.possible = 0

    def lesson(self, title: str, points: float, possible: int) -> None:
        self.reached, self.possible = self.reached + points, self.possible + possible
        self.table.add_row(f"[bold]{title}", "", f"[bold]{points:g} / {possible}")

    def exercise(self, exercise, words: str, points: float) -> None:
        self.table.add_row(f"   {exercise.title}", words, f"{points:g} / {exercise.points}")

    def show(self) -> None:
        self.table.add_section()
        self.table.add_row("[bold]Together", "", f"[bold]{self.reached:g} / {self.possible}")
        console.print(self.table)


def _words(state) -> str:
    return f"{state.mark} {state.name}"
