"""What the tests of the exercises share: which there are, and what the judge says of an answer."""

import copy
import functools

from course_lib.checking.collect import collect
from course_lib.checking.judge import Verdict, judge
from course_lib.checking.kinds import Code, Exercise
from course_lib.exercises import all_exercises

CODE = [exercise for exercise in all_exercises() if isinstance(exercise, Code)]


def verdict(exercise: Exercise, answer, seed: str = "1") -> Verdict:
    return judge(exercise, seed, collect(exercise, answer, seed))


def allowing_all(exercise: Code) -> Code:
    """The exercise with nothing forbidden: reference and mistakes may be built from finished functions.

    It remembers the right answers, which all answers that are judged by it are compared with.
    """
    exercise = copy.copy(exercise)
    exercise.forbidden, exercise.refuses_reference = (), False
    exercise.expected = functools.cache(exercise.expected)
    return exercise


def name(thing) -> str:
    """For pytest's ids: what a parameter is called."""
    return (
        getattr(thing, "key", None) or getattr(thing, "name", None) or getattr(thing, "__name__", type(thing).__name__)
    )
