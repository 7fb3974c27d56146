"""The exercises of a small lesson that the tests of workbook and grading use."""

import torch

from course_lib.checking.kinds import Case, Code, Number

NAME, TITLE = "90_small", "A small lesson"

double = Code(
    title="Double", points=3, minutes=1, difficulty=1, hints=[],
    reference=lambda x: 2 * x, axes=["n"],
    cases=[Case("three numbers", lambda g: (torch.randn(3, generator=g),))],
)  # fmt: skip


@double.mistake("That is the square.")
def squared(x):
    return x * x


sizes = Number(title="Sizes", points=2, minutes=1, difficulty=1, hints=[], answer={"rows": 3, "columns": 4})

repaired = Code(
    title="Repair", points=1, minutes=1, difficulty=1, hints=[],
    reference=lambda x: x + 1, axes=["n"],
    cases=[Case("three numbers", lambda g: (torch.randn(3, generator=g),))],
)  # fmt: skip


@repaired.mistake("The sign is wrong.")
@repaired.starts_from
def broken(x):
    return x - 1
