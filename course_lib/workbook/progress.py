"""What a student has done so far, kept in their workbook: `.course/progress.json`."""

import datetime
import json
import math
import os
import re
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

from filelock import FileLock, Timeout

from course_lib.errors import CourseError
from course_lib.support.files import replace_whole


@dataclass
class Record:
    """One exercise. `status` is "open", "tried" or "passed"; once passed it stays so. Points never go down."""

    status: str = "open"
    tries: int = 0
    points: float = 0.0
    hints: int = 0
    passed_at: str | None = None

    def __post_init__(self):
        numbers = isinstance(self.tries, int) and isinstance(self.points, (int, float)) and isinstance(self.hints, int)
        texts = self.status in ("open", "tried", "passed") and isinstance(self.passed_at, (str, type(None)))
        if not numbers or not texts or not all(0 <= each < math.inf for each in (self.tries, self.points, self.hints)):
            raise TypeError("a damaged record")


@dataclass
class Progress:
    """A student's records by exercise, and their predictions, each by its key."""

    exercises: dict[str, Record] = field(default_factory=dict)
    predictions: dict[str, str] = field(default_factory=dict)
    note: str = ""  # something about the file that the student should read; not saved

    def exercise(self, key: str, points: float = math.inf) -> Record:
        """Its record, with no more than the `points` that it gives: the file is the student's to edit."""
        record = self.exercises.setdefault(key, Record())
        record.points = min(record.points, points)
        return record


def workbook_root() -> Path | None:
    """The student's workbook: the nearest folder, from here upwards, that holds `.course/`. None outside of one."""
    named = os.environ.get("COURSE_WORKBOOK")
    if named:
        return Path(named) if (Path(named) / ".course").is_dir() else None
    try:
        here = Path.cwd()
    except FileNotFoundError:  # the folder was deleted under us
        return None
    return next((folder for folder in (here, *here.parents) if (folder / ".course").is_dir()), None)


def _file(root: Path) -> Path:
    return root / ".course" / "progress.json"


def load(root: Path | None) -> Progress:
    """The progress in `root`. Of a damaged file what can be read is kept, the file is set aside, and `note` says so."""
    if root is None or not _file(root).exists():
        return Progress()
    try:
        text = _file(root).read_text("utf-8", "replace")
    except OSError as error:
        raise CourseError(f"Your progress in {_file(root)} can't be read: {error.strerror}.") from error
    progress, whole = _read(text)
    if not whole:
        aside = _file(root).with_suffix(f".damaged-{datetime.datetime.now():%Y%m%d-%H%M%S}.json")
        count = len(progress.exercises)
        progress.note = f"Your progress file was damaged: {count} exercises could be read. The old file is {aside}."
        with suppress(OSError):
            os.replace(_file(root), aside)
            replace_whole(_file(root), _text(progress))
    return progress


def _read(text: str) -> tuple[Progress, bool]:
    """The readable part of a progress file, and whether that is all of it."""
    try:
        data = json.loads(text)
        records, predictions, whole = dict(data["exercises"]), dict(data["predictions"]), True
    except (ValueError, KeyError, TypeError, RecursionError):
        predictions = _pieces(PREDICTION, text.partition('"predictions"')[2])
        records, whole = _pieces(RECORD, text), False
    known, exercises = {f.name for f in fields(Record)}, {}
    for key, record in records.items():
        with suppress(TypeError, AttributeError):  # a newer version of the course may have added a field
            exercises[str(key)] = Record(**{name: value for name, value in record.items() if name in known})
    return Progress(exercises, predictions), whole and len(exercises) == len(records)


KEY = r'("\d+\.\w+")\s*:\s*'
RECORD = re.compile(KEY + r"(\{[^{}]*\})")
PREDICTION = re.compile(KEY + r'("(?:[^"\\]|\\.)*")')


def _pieces(pattern: re.Pattern, text: str) -> dict:
    """Of a file that was cut off, or damaged in the middle: every pair that is whole."""
    found = {}
    for key, value in pattern.findall(text):
        with suppress(ValueError):
            found[json.loads(key)] = json.loads(value)
    return found


def _text(progress: Progress) -> str:
    exercises = {key: asdict(record) for key, record in progress.exercises.items()}
    return json.dumps({"exercises": exercises, "predictions": progress.predictions}, indent=1)


_outside_workbook = Progress()  # in notebooks/, or where no workbook is: remembered until the kernel ends


def current() -> Progress:
    """The progress of the workbook around us, or of this kernel where there is none."""
    root = workbook_root()
    return load(root) if root else _outside_workbook


@contextmanager
def changing():
    """Read, change and write the progress, alone: two lessons may be open at once.

    Raises CourseError, after the block has run, where it can't be written.
    """
    root = workbook_root()
    if root is None:
        yield _outside_workbook
        return
    lock = FileLock(root / ".course" / "progress.lock", timeout=10)
    try:
        lock.acquire()
    except (OSError, Timeout) as error:
        yield load(root)
        raise CourseError(f"Your progress couldn't be saved in {root}: the folder can't be written to.") from error
    try:
        progress = load(root)
        yield progress
        replace_whole(_file(root), _text(progress))
    except OSError as error:
        raise CourseError(f"Your progress couldn't be saved in {root}: {error.strerror}.") from error
    finally:
        lock.release()


def now() -> str:
    return datetime.datetime.now().astimezone().isoformat(timespec="seconds")
