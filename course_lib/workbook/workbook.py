"""The student's folder: made from `notebooks/`, refreshed after a course update, given back piece by piece.

workbook/02_self_attention.ipynb      the student's lesson
workbook/.course/originals/           each lesson as it was last given to this student
workbook/.course/backups/<time>/      copies of what was there before a change
"""

import copy
import hashlib
import sqlite3
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache
from pathlib import Path

from nbformat import NotebookNode
from nbformat.sign import NotebookNotary

from course_lib.errors import CourseError
from course_lib.support.files import ChangedMeanwhile, make_folder, remove_leftovers, write
from course_lib.support.messages import did_you_mean
from course_lib.support.paths import course_notebooks
from course_lib.workbook.cells import exercise_key
from course_lib.workbook.merge import merge, unedited
from course_lib.workbook.notebook_files import is_readable, newest_copy, read_notebook, when, write_notebook

LOST = (
    "What you were given of it, kept in .course/originals, was lost or damaged and is there again; "
    "course cells that you had deleted are back"
)


@dataclass(frozen=True)
class LessonFile:
    """A lesson's notebook in the course: `name` is "02_self_attention", `number` is "02"."""

    source: Path

    @property
    def name(self) -> str:
        return self.source.stem

    @property
    def number(self) -> str:
        return self.name.split("_")[0]


@dataclass(frozen=True)
class Change:
    """What a refresh did to one lesson, in words for the student."""

    lesson: LessonFile
    what: str


class Workbook:
    """The student's folder `root`, made from the lessons in `notebooks` (default: `course_notebooks()`).

    Of each lesson there are the `source` in the course, the `released` notebook that is made of it for students, the
    `original` (as last released to this student, kept in `.course/`), and the student's file.
    """

    def __init__(self, root: Path, notebooks: Path | None = None):
        self.root = Path(root).resolve()
        self.notebooks = notebooks or course_notebooks()
        self._released: dict[LessonFile, NotebookNode] = {}
        self._stamp = f"{datetime.now():%Y-%m-%dT%H-%M-%S.%f}"

    @property
    def exists(self) -> bool:
        return (self.root / ".course").is_dir()

    @cached_property
    def lessons(self) -> list[LessonFile]:
        return [LessonFile(path) for path in sorted(self.notebooks.glob("[0-9]*_*.ipynb"))]

    def lesson(self, wanted: str) -> LessonFile:
        """The lesson that "2", "02", "02_self_attention" or "02_self_attention.ipynb" means."""
        name = Path(wanted).name.removesuffix(".ipynb")
        for lesson in self.lessons:
            if name == lesson.name or (name.isdigit() and int(name) == int(lesson.number)):
                return lesson
        near = did_you_mean(name, [lesson.name for lesson in self.lessons])
        numbers = ", ".join(lesson.number for lesson in self.lessons)
        raise CourseError(f"There is no lesson {wanted!r}.{near} The lessons are {numbers}.")

    def find(self, lesson: LessonFile) -> Path | None:
        """The student's file of a lesson; under another name where the student renamed it; None where it is gone."""
        usual = self.root / f"{lesson.name}.ipynb"
        if usual.exists():
            return usual
        return max(self._renamed(lesson), key=lambda path: path.stat().st_mtime, default=None)

    def others(self, lesson: LessonFile) -> list[Path]:
        """Further files that hold the lesson, such as JupyterLab's duplicates: neither updated nor graded."""
        return sorted(path for path in self._renamed(lesson) if path != self.find(lesson))

    def _renamed(self, lesson: LessonFile) -> list[Path]:
        """The files under other names that say that they are this lesson."""
        found = []
        for path in self.root.rglob("*.ipynb"):
            inside = path.relative_to(self.root).parts
            if path.name.removesuffix(".ipynb") in self._names or any(part.startswith(".") for part in inside):
                continue
            if path.is_file() and _lesson_inside(path, path.stat().st_mtime_ns) == lesson.number:
                found.append(path)
        return found

    @cached_property
    def _names(self) -> set[str]:
        return {lesson.name for lesson in self.lessons}

    def refresh(self) -> list[Change]:
        """Make the folder, or bring it up to date; returns what changed, nothing where nothing did."""
        originals = make_folder(self.root / ".course" / "originals")
        for folder in (self.root, originals.parent, originals):
            remove_leftovers(folder)
        changes = (self._refresh(lesson) for lesson in self.lessons)
        return [change for change in changes if change is not None]

    def released(self, lesson: LessonFile) -> NotebookNode:
        """The lesson as the course gives it to students now."""
        if lesson not in self._released:
            notebook, fingerprint = self._original(lesson)
            if fingerprint != _fingerprint(lesson):
                from course_lib.workbook.release import student_copy  # nbgrader takes two seconds to import

                notebook = student_copy(read_notebook(lesson.source))
            self._released[lesson] = notebook
        return self._released[lesson]

    def restore(self, lesson: LessonFile) -> tuple[str, Path | None]:
        """Put Jupyter's newest whole copy in the place of a notebook that can't be read.

        Returns when that copy was made, and where the broken file is kept.
        """
        path = self.find(lesson) or self.root / f"{lesson.name}.ipynb"
        if path.exists() and is_readable(path):
            raise CourseError(f"{path.name} can be read, so nothing was restored.")
        copy = newest_copy(path)
        if copy is None:
            raise CourseError(
                f"There is no whole copy of {path.name} beside it. "
                f"`course reset {lesson.number}` gives the lesson back."
            )
        backup, made = self.backup(path), when(copy)
        write(path, copy.read_bytes())
        return made, backup

    def reset(self, lesson: LessonFile) -> Path | None:
        """Give the whole lesson back; returns where the copy of the student's file is, None where there was none."""
        path = self.find(lesson) or self.root / f"{lesson.name}.ipynb"
        backup = self.backup(path)
        self._hand_out(lesson, path, self.released(lesson), trusted=True)
        return backup

    def reset_exercise(self, lesson: LessonFile, wanted: str) -> tuple[str, Path | None]:
        """Give one exercise back, its answer cell and its check; returns its key and where the copy is."""
        new = self.released(lesson)
        keys = list(dict.fromkeys(exercise_key(cell) for cell in new.cells if exercise_key(cell)))
        key = wanted if wanted in keys else f"{lesson.number}.{wanted}"
        if key not in keys:
            names = [known.split(".", 1)[1] for known in keys]
            raise CourseError(
                f"Lesson {lesson.number} has no exercise {wanted!r}.{did_you_mean(wanted, names)} "
                f"Its exercises are {', '.join(names) or 'none'}."
            )
        path = self.find(lesson)
        if path is None:
            raise CourseError(f"{lesson.name}.ipynb is missing. `course reset {lesson.number}` gives the lesson back.")
        mine = read_notebook(path)
        course = [cell.id for cell in new.cells]
        mine.cells = [cell for cell in mine.cells if exercise_key(cell) != key or cell.id in course]  # no duplicates
        merged = merge(mine, self._original(lesson)[0], new)
        for fresh in (cell for cell in new.cells if exercise_key(cell) == key):
            order = [cell.id for cell in merged.cells]
            place = order.index(fresh.id) if fresh.id in order else _place_after(order, course, fresh.id)
            merged.cells[place : place + (fresh.id in order)] = [fresh]
        backup = self.backup(path)
        self._hand_out(lesson, path, merged)
        return key, backup

    def backup(self, path: Path) -> Path | None:
        """Keep a copy of a student's file as it is now, even where it isn't a notebook any more."""
        if not path.exists():
            return None
        kept = self.root / ".course" / "backups" / self._stamp / path.name
        write(kept, path.read_bytes())
        return kept

    def _refresh(self, lesson: LessonFile) -> Change | None:
        path = self.find(lesson)
        new, (base, fingerprint) = self.released(lesson), self._original(lesson)
        if path is None:
            self._hand_out(lesson, self.root / f"{lesson.name}.ipynb", new, trusted=True)
            return Change(lesson, "new" if base is None else "it was missing, here it is again")
        before = path.read_bytes()
        try:
            mine = read_notebook(path)
        except CourseError as reason:
            return Change(lesson, str(reason))
        merged = merge(mine, base, new)
        if merged == mine:
            if base != new or fingerprint != _fingerprint(lesson):
                self._hand_out(lesson, None, new)
            return Change(lesson, LOST) if base is None else None
        backup = self.backup(path)
        try:
            self._hand_out(lesson, path, merged, trusted=_is_trusted(mine), instead_of=before)
        except ChangedMeanwhile:  # saved by JupyterLab in this moment
            return self._refresh(lesson)
        if base is not None and unedited(mine, base):
            return Change(lesson, "updated")
        what = f"updated, and what you wrote stays; a copy of the old file is in {backup.parent}"
        moved = {cell.id for cell in merged.cells} - {cell.id for cell in [*mine.cells, *new.cells]}
        what += ". What you wrote into a check cell now stands in a cell of its own above it" if moved else ""
        return Change(lesson, f"{what}. {LOST}" if base is None else what)

    def _hand_out(
        self,
        lesson: LessonFile,
        path: Path | None,
        notebook: NotebookNode,
        trusted: bool = False,
        instead_of: bytes | None = None,
    ) -> None:
        """The student's file first, the original last: a crash in between is put right by the next refresh."""
        if path is not None:
            write_notebook(path, notebook, instead_of)
            if trusted:
                with suppress(OSError, sqlite3.Error):  # a nicety: without it, kept pictures ask to be run again
                    NotebookNotary().sign(notebook)
        original = copy.deepcopy(self.released(lesson))
        original.metadata["fingerprint"] = _fingerprint(lesson)
        write_notebook(self._original_path(lesson), original)

    def _original(self, lesson: LessonFile) -> tuple[NotebookNode | None, str | None]:
        """The lesson as last given to the student, and the fingerprint of the course that gave it."""
        try:
            notebook = read_notebook(self._original_path(lesson))
        except CourseError:
            return None, None
        return notebook, notebook.metadata.pop("fingerprint", None)

    def _original_path(self, lesson: LessonFile) -> Path:
        return self.root / ".course" / "originals" / f"{lesson.name}.ipynb"


@lru_cache
def _lesson_inside(path: Path, written: int) -> str | None:
    """The number of the lesson that a notebook says it is, read once until it is written again."""
    with suppress(CourseError, AttributeError):  # AttributeError: metadata of another form
        return read_notebook(path).metadata.get("course", {}).get("lesson")
    return None


def _is_trusted(notebook: NotebookNode) -> bool:
    with suppress(OSError, sqlite3.Error):
        return NotebookNotary().check_signature(notebook)
    return False


def _fingerprint(lesson: LessonFile) -> str:
    """Changes when the lesson, or anything that decides what a student gets of it, changes."""
    package = Path(__file__).parents[1]
    sources = [lesson.source, package / "workbook" / "release.py", *sorted((package / "exercises").rglob("*.py"))]
    return hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()[:16]


def _place_after(order: list[str], course: list[str], name: str) -> int:
    """Where `name` belongs in `order`: after the nearest of its predecessors in the course that is there."""
    for before in reversed(course[: course.index(name)]):
        if before in order:
            return order.index(before) + 1
    return 0
