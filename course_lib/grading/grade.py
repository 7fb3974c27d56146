"""Official grading: the student's notebooks run on cases made at this moment, and the judge sits outside."""

import os
import re
import secrets
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

import torch

from course_lib.checking.judge import Verdict, judge_json, prove
from course_lib.checking.kinds import Exercise
from course_lib.checking.task import pack
from course_lib.errors import CourseError
from course_lib.exercises import lessons as all_lessons
from course_lib.grading import report
from course_lib.grading.kernels import cool_down, warm_up
from course_lib.grading.lesson_grade import LessonGrade
from course_lib.grading.needed_cells import names
from course_lib.grading.runner import USUAL, Limits, Plan, Run, run
from course_lib.grading.submission import prepare
from course_lib.workbook import progress
from course_lib.workbook.cells import exercise_key
from course_lib.workbook.notebook_files import read_notebook
from course_lib.workbook.workbook import LessonFile, Workbook

OnCell = Callable[[LessonFile, int, int, str], None]  # (lesson, cells done, cells in all, what is run now)


def graded_exercises(lesson: LessonFile) -> list[Exercise]:
    """The exercises of a lesson that give points."""
    known = all_lessons().get(lesson.number)
    return list(known.exercises) if known else []


def grade(workbook: Workbook, lesson: LessonFile, limits: Limits = USUAL) -> LessonGrade:
    """Grade the student's copy of one lesson; see `grade_lessons`."""
    return grade_lessons(workbook, [lesson], limits)[0]


def grade_lessons(
    workbook: Workbook,
    lessons: list[LessonFile],
    limits: Limits = USUAL,
    jobs: int | None = None,
    on_cell: OnCell = lambda *_: None,
) -> list[LessonGrade]:
    """Grade the student's copies of these lessons, `jobs` of them at a time. Their files are read, never written.

    limits: how long cells may run. jobs: one a core by default. on_cell: called before each cell, in any thread.
    Raises CourseError for a lesson without exercises. Whatever else goes wrong with one is its `failed`.
    """
    for lesson in lessons:
        if not graded_exercises(lesson):
            raise CourseError(f"Lesson {lesson.number} has no graded exercises.")
    warm_up()
    kept = _progress(workbook)
    gradings = [_Grading(workbook, lesson, kept) for lesson in lessons]
    _import_what_is_needed_later(gradings)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    jobs = jobs or min(cores, len(lessons))
    environment = {"OMP_NUM_THREADS": str(max(1, cores // jobs)), **os.environ}
    # tasks and verdicts here, one after another: torch's settings belong to the whole process
    for choose in (_Grading.first, _Grading.alone, _Grading.whole):
        chosen = [(grading, plan) for grading in gradings if (plan := choose(grading))]
        for grading, plan in chosen:
            grading.make_tasks(plan)
        with ThreadPoolExecutor(jobs) as pool:
            done = pool.map(lambda one: one[0].run(one[1], limits, environment, on_cell), chosen)
            try:
                for (grading, _), ran in zip(chosen, done):
                    grading.judge(ran)
            except BaseException:  # Ctrl-C
                for grading in gradings:
                    grading.stopped = True
                cool_down()
                raise
    for grading in gradings:
        grading.note_what_passed_elsewhere()
    return [grading.result for grading in gradings]


def _progress(workbook: Workbook) -> progress.Progress:
    try:
        return progress.load(workbook.root)
    except Exception:  # the student's file: no grade depends on it
        return progress.Progress()


def _import_what_is_needed_later(gradings: list["_Grading"]) -> None:
    """A report with a picture is made and thrown away: what it imports, no student's code can have changed by now."""
    exercise = graded_exercises(gradings[0].result.lesson)[0]
    picture = {"yours": torch.zeros(2, 2), "expected": torch.ones(2, 2), "axes": []}
    report.as_html([LessonGrade(gradings[0].result.lesson, "", [Verdict(exercise, picture=picture)])])


class _Grading:
    """One lesson on its way through three rounds: as it is; alone, what passed in the notebook but not here; whole."""

    def __init__(self, workbook: Workbook, lesson: LessonFile, kept: progress.Progress):
        self.result, self.kept, self.seed = LessonGrade(lesson, all_lessons()[lesson.number].title), kept, ""
        self.exercises, self.submission, self.stopped = graded_exercises(lesson), None, False
        with self._or_failed():
            path = self._find(workbook)
            self.folder = path.parent
            base, source = workbook.released(lesson), read_notebook(lesson.source)
            self.submission = prepare(read_notebook(path), base, source)
            self.result.notes += _namesakes(self.folder)
            self._note_duplicates()

    @contextmanager
    def _or_failed(self):
        """One notebook never ends the grading of another: any exception is this one's `failed`."""
        try:
            yield
        except CourseError as reason:
            self.fail(str(reason))
        except Exception as fault:
            lesson = self.result.lesson.number
            self.fail(f"Lesson {lesson} could not be graded ({type(fault).__name__}: {fault}). Please report this.")

    def fail(self, reason: str) -> None:
        self.result.failed = self.result.failed or reason
        judged = {verdict.exercise.key: verdict for verdict in self.result.verdicts}
        missing = [Verdict(each, attempted=False, message=reason) for each in self.exercises if each.key not in judged]
        judged |= {verdict.exercise.key: verdict for verdict in missing}
        self.result.verdicts = [judged[each.key] for each in self.exercises]

    def _find(self, workbook: Workbook) -> Path:
        lesson, path = self.result.lesson, workbook.find(self.result.lesson)
        if path is None:
            raise CourseError(f"{lesson.name}.ipynb is missing. `course reset {lesson.number}` gives the lesson back.")
        if path.stem != lesson.name:
            self.result.notes.append(f"Lesson {lesson.number} was found as {path.relative_to(workbook.root)}.")
        here = path.relative_to(workbook.root)
        for other in workbook.others(lesson):
            name = other.relative_to(workbook.root)
            self.result.notes.append(
                f"{name} holds lesson {lesson.number}, too. Only {here} was graded: is your work there?"
            )
        return path

    def _note_duplicates(self) -> None:
        for exercise in self.exercises:
            count = len(self.submission.answers(exercise.key))
            if count > 1:
                self.result.notes.append(
                    f"{exercise.key} has {count} answer cells: what is defined when its check runs counts."
                )

    # --- the rounds ---------------------------------------------------------------------------------------------------

    def first(self) -> Plan | None:
        return self.submission and self.submission.plan

    def alone(self) -> Plan | None:
        """What another cell did may have spoilt an answer."""
        missed = {key for key in self._missed() if self.submission.check(key) in self.ran.answers}
        return self.submission.only(missed) if missed else None

    def whole(self) -> Plan | None:
        """An answer may stand on a cell of the course's that seemed to matter to none."""
        return self.submission.whole() if self._missed() else None

    def _missed(self) -> set[str]:
        """What passed in the student's notebook and not here."""
        wrong = {verdict.exercise.key for verdict in self.result.verdicts if not verdict.passed}
        passed = {key for key, record in self.kept.exercises.items() if record.status == "passed"}
        return wrong & passed if self.submission and not self.result.failed else set()

    def make_tasks(self, plan: Plan) -> None:
        """What the kernels are to ask, with fresh cases."""
        self.seed, self.tasks = secrets.token_hex(16), {}
        for exercise in self.exercises:
            if exercise.key in plan.checks.values():
                with suppress(Exception):  # its cases are broken: no answer arrives, and `_verdict` says why
                    self.tasks[exercise.key] = pack(exercise.task(self.seed))

    def run(self, plan: Plan, limits: Limits, environment: dict, on_cell: OnCell) -> Run | None:
        """In a thread of its own. None where it failed."""
        done, total = 0, len(plan.together or plan.checks)

        def tell(index: int) -> None:
            nonlocal done
            if self.stopped:
                raise CourseError("The grading was stopped.")
            on_cell(self.result.lesson, min(done, total), total, self._name(index))
            done += 1

        with self._or_failed():
            ran = run(plan, self.folder, self.tasks, limits, tell, environment)
            on_cell(self.result.lesson, total, total, "")
            return ran
        return None

    def judge(self, ran: Run | None) -> None:
        """Of two verdicts the better one stays."""
        if ran is None:
            return
        self.ran, before = ran, {verdict.exercise.key: verdict for verdict in self.result.verdicts}
        with self._or_failed():
            after = [self._verdict(exercise, ran) for exercise in self.exercises]
            self.result.verdicts = [
                max(before.get(new.exercise.key, new), new, key=lambda v: v.points) for new in after
            ]

    def note_what_passed_elsewhere(self) -> None:
        missed = self._missed()
        for verdict in self.result.verdicts:
            if (key := verdict.exercise.key) in missed:
                when = _date(self.kept.exercises[key].passed_at)
                why = f": {verdict.message}".split("\n")[0] if verdict.message else "."
                self.result.notes.append(f"{key} passed in your notebook{when}, not here{why}")

    # --- a verdict ----------------------------------------------------------------------------------------------------

    def _verdict(self, exercise: Exercise, ran: Run) -> Verdict:
        check, answers = self.submission.check(exercise.key), self.submission.answers(exercise.key)
        try:
            if check in ran.answers:
                verdict = judge_json(exercise, self.seed, ran.answers[check])
                verdict.message += "" if verdict.passed else self._cause(verdict.message, check, ran)
                return verdict
            prove(exercise, self.seed)  # or is it our exercise that stopped the check?
        except Exception as fault:  # ours, not the student's: said so, and the other exercises are still graded
            self.result.failed = (
                f"The judge failed on {exercise.key} ({type(fault).__name__}: {fault}). Please report this."
            )
            return Verdict(exercise, message=self.result.failed)
        if not answers:
            way_back = f"`course reset {exercise.lesson} {exercise.name}` puts it back."
            sentence = f"The answer cell of {exercise.key} is missing from your notebook. {way_back}"
            if sentence not in self.result.notes:
                self.result.notes.append(sentence)
            return Verdict(exercise, attempted=False, message=sentence)
        trouble = next((ran.troubles[i] for i in [*answers, check] if i in ran.troubles), "It gave no answer.")
        message = f"No answer arrived from this exercise. {trouble}{self._cause(trouble, check, ran)}"
        return Verdict(exercise, message=message)

    def _cause(self, message: str, check: int, ran: Run) -> str:
        """What is behind a name that isn't defined: a cell further down, or a cell above that failed."""
        missing, sources = re.search(r"name '(\w+)' is not defined", message), self.submission.plan.sources
        if not missing:
            return ""
        for index in range(check + 1, len(sources)):
            if missing[1] in names(sources[index])[0]:
                return f"\n`{missing[1]}` is defined further down, in {self._name(index)}: move it up."
        failed = min((index for index in ran.troubles if index < check), default=None)
        if failed is None or ran.troubles[failed] == message:
            return ""
        return f"\nThe first cell that failed is {self._name(failed)}: {ran.troubles[failed]}"

    def _name(self, index: int) -> str:
        key = exercise_key(self.submission.notebook.cells[index])
        line = self.submission.notebook.cells[index].source.strip().split("\n")[0][:50]
        return key if key else f"the cell that begins `{line}`"


def _namesakes(folder: Path) -> list[str]:
    """Of files beside the notebooks that hide a module, such as torch.py."""
    with suppress(OSError):
        files = sorted(folder.glob("*.py")) + sorted(path.parent for path in folder.glob("*/__init__.py"))
        return [
            f"{file.name} beside your notebooks has the name of a module that the course uses, and Python may take "
            "yours for it. Give it another name."
            for file in files
            if file.stem in sys.modules or file.stem in sys.stdlib_module_names
        ]
    return []


def _date(text: str | None) -> str:
    with suppress(TypeError, ValueError):
        return f" on {datetime.fromisoformat(text):%d %B %Y}"
    return ""
