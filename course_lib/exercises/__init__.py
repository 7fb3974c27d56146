"""Every exercise of the course. `find("02.attend")` gives the one in lesson_02/attend.py; `lessons()` gives all.

A lesson is a folder: its `__init__.py` holds one `LESSON = Lesson(...)`, each other file one exercise.
Lessons in another folder join these: `course_lib.exercises.__path__.append("folder")`.
"""

import importlib
import pkgutil

from course_lib.checking.kinds import Exercise
from course_lib.errors import CourseError
from course_lib.exercises.lesson import Lesson
from course_lib.support.messages import did_you_mean

FOLDER = "lesson_"


def lessons() -> dict[str, Lesson]:
    """Lessons by number, "00" first."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__) if module.name.startswith(FOLDER))
    return {name.removeprefix(FOLDER): _lesson(name) for name in names}


def _lesson(folder: str) -> Lesson:
    return importlib.import_module(f"{__name__}.{folder}").LESSON


def all_exercises() -> list[Exercise]:
    """The graded exercises of all lessons, in course order."""
    return [exercise for lesson in lessons().values() for exercise in lesson.exercises]


def find(key: str) -> Exercise:
    """The exercise or prediction with this key, such as "02.attend". Of the lessons only its own is imported."""
    folder = FOLDER + str(key).partition(".")[0]
    if any(module.name == folder for module in pkgutil.iter_modules(__path__)):
        own = _lesson(folder)
        found = next((each for each in (*own.exercises, *own.predictions) if each.key == key), None)
        if found:
            return found
    known = [each.key for lesson in lessons().values() for each in (*lesson.exercises, *lesson.predictions)]
    raise CourseError(f"There is no exercise {key!r}.{did_you_mean(key, known)}")
