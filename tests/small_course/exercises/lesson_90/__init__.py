"""A small lesson, for the tests of workbook and grading."""

import torch

from course_lib.checking.kinds import Case, Code, Number
from course_lib.exercises.lesson import Lesson

from . import buggy

CASES = [Case("three numbers", lambda g: (torch.randn(3, generator=g),))]

double = Code(
    "90.double",
    title="Double",
    points=3,
    minutes=1,
    difficulty=1,
    hints=[],
    reference=lambda x: 2 * x,
    axes=["n"],
    cases=CASES,
)


@double.mistake("That is the square.")
def squared(x):
    return x * x


sizes = Number("90.sizes", title="Sizes", points=2, minutes=1, difficulty=1, hints=[], answer={"rows": 3, "columns": 4})

repaired = Code(
    "90.repaired",
    title="Repair",
    points=1,
    minutes=1,
    difficulty=1,
    hints=[],
    reference=lambda x: x + 1,
    buggy=buggy.broken,
    unchanged="The sign is wrong.",
    axes=["n"],
    cases=CASES,
)

LESSON = Lesson("90_small", "A small lesson", "see a small lesson", exercises=(double, sizes, repaired))
