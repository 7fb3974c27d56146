"""Every exercise of the course, one file a lesson. `find("02.attend")` gives one; `lessons()` gives all."""

import importlib
import pkgutil
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache

from course_lib.checking.kinds import Case, Choice, Code, Exercise, Mistake, Module, Number, Prediction
from course_lib.errors import CourseError

__all__ = [
    "Case",
    "Choice",
    "Code",
    "Exercise",
    "Lesson",
    "Mistake",
    "Module",
    "Number",
    "Prediction",
    "all_exercises",
    "find",
    "lessons",
]


@dataclass(frozen=True)
class Lesson:
    """A lesson that exists: `name` is its notebook's name without the ending."""

    number: str
    name: str
    title: str
    exercises: tuple[Exercise, ...]  # graded ones, in the order of the lesson
    predictions: tuple[Prediction, ...]

    @property
    def points(self) -> int:
        return sum(exercise.points for exercise in self.exercises)


@cache
def lessons() -> dict[str, Lesson]:
    """Lessons by number, "00" first. Each `lesson_NN.py` says NAME and TITLE and holds its exercises as variables."""
    found = {}
    for module_info in pkgutil.iter_modules(__path__):
        if not module_info.name.startswith("lesson_"):
            continue
        module = importlib.import_module(f"{__name__}.{module_info.name}")
        number = module_info.name.removeprefix("lesson_")
        own = {name: value for name, value in vars(module).items() if isinstance(value, Exercise)}
        for name, exercise in own.items():
            exercise.lesson, exercise.name = number, name
            if exercise.start:
                exercise.start = exercise.start.replace(f"{name}_start", name)
        found[number] = Lesson(
            number,
            module.NAME,
            module.TITLE,
            tuple(e for e in own.values() if e.graded),
            tuple(e for e in own.values() if not e.graded),
        )
    return dict(sorted(found.items()))


def all_exercises() -> list[Exercise]:
    """The graded exercises of all lessons, in course order."""
    return [exercise for lesson in lessons().values() for exercise in lesson.exercises]


def find(key: str) -> Exercise:
    """The exercise or prediction with this key, such as "02.attend"."""
    known = {e.key: e for lesson in lessons().values() for e in lesson.exercises + lesson.predictions}
    if key in known:
        return known[key]
    near = get_close_matches(str(key), known, n=1, cutoff=0.4)
    raise CourseError(f"There is no exercise {key!r}." + (f" Did you mean {near[0]!r}?" if near else ""))
