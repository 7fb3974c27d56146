"""For authors: begins a lesson, with one small exercise to replace.

python -m course_lib.app.new_lesson 06_the_block "The block"

It writes notebooks/06_the_block.ipynb, course_lib/exercises/lesson_06/ and, in tests/exercises/,
right_answers/lesson_06.py and unlisted_mistakes/lesson_06.py. Everything else finds the lesson by itself.
"""

import json
import re
import sys
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from course_lib.errors import CourseError
from course_lib.support.files import write
from course_lib.support.paths import ROOT

NAME = re.compile(r"(?P<number>\d\d)_(?P<words>[a-z0-9]+(_[a-z0-9]+)*)")

LESSON = '''"""Lesson {number}, {title}."""

from course_lib.exercises.lesson import Lesson
from course_lib.exercises.lesson_{number}.mean_token import mean_token

LESSON = Lesson(
    name="{name}",
    title={quoted},
    promise="in a few words, what the student will do",
    exercises=(mean_token,),
)
'''

EXERCISE = '''"""The mean of a text's tokens: an exercise to begin from."""

import torch

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer, randn


def _mean_token(x):
    return x.mean(dim=-2)


mean_token = Code(
    "{number}.mean_token",
    title="The mean token",
    points=2,
    minutes=5,
    difficulty=1,
    reference=_mean_token,
    axes=["... d_model"],
    cases=[
        Case("three tokens", lambda g: (randn(g, 3, 4),)),
        Case("any number of tokens", lambda g: (randn(g, integer(g, 4, 9), integer(g, 2, 6)),)),
        Case("one token", lambda g: (randn(g, 1, 4),)),
        Case("a batch of two texts", lambda g: (randn(g, 2, 5, 3),)),
        Case("double precision", lambda g: (randn(g, 4, 3, dtype=torch.float64),)),
    ],
    differentiable=True,
    hints=["Which axis holds the tokens?", "Count axes from the end: then it works for a batch, too."],
)


@mean_token.variants
def steps(x, *, axis=-2, divide=True):
    return x.sum(axis) / (x.shape[axis] if divide else 1)


steps.mistake("You sum the tokens. A mean is the sum divided by their number.", divide=False)
steps.mistake("You take the mean of each token's numbers. The tokens lie on the last axis but one.", axis=-1)
steps.mistake("dim=0 holds the tokens of one text; in a batch it holds the texts. Count from the end, dim=-2.", axis=0)


@mean_token.mistake("You give the first token. All tokens count alike.")
def first(x):
    return x[..., 0, :]


@mean_token.mistake("You give the last token. All tokens count alike.")
def last(x):
    return x[..., -1, :]


@mean_token.mistake("You take the largest number of each column. The mean is asked for.")
def largest(x):
    return x.amax(-2)
'''

RIGHT = '''"""Right answers to lesson {number}, {title}."""

import torch

from right_answers import right

# --- {number}.mean_token ----------------------------------------------------------------------------------------------


@right("{number}.mean_token")
def by_sum(x):
    return x.sum(-2) / x.shape[-2]


@right("{number}.mean_token")
def by_einsum(x):
    return torch.einsum("...nd->...d", x) / x.shape[-2]


@right("{number}.mean_token")
def by_loop(x):
    total = 0
    for position in range(x.shape[-2]):
        total = total + x[..., position, :]
    return total / x.shape[-2]
'''

UNLISTED = '''"""Unlisted wrong answers to lesson {number}, {title}."""

from unlisted_mistakes import wrong

# --- {number}.mean_token ----------------------------------------------------------------------------------------------

K = "{number}.mean_token"


@wrong(K)
def smallest(x):
    return x.amin(-2)


@wrong(K)
def one_too_many(x):
    return x.sum(-2) / (x.shape[-2] + 1)
'''


def begin(name: str, title: str = "", root: Path = ROOT) -> list[Path]:
    """Write the files of a new lesson under `root`; returns them. CourseError where the number is taken."""
    fits = NAME.fullmatch(name)
    if not fits:
        raise CourseError(f"A lesson's name is two digits and small letters, such as 06_the_block; got {name!r}.")
    number, title = fits["number"], title or fits["words"].replace("_", " ").capitalize()
    exercises, tests = root / "course_lib" / "exercises" / f"lesson_{number}", root / "tests" / "exercises"
    texts = {
        root / "notebooks" / f"{name}.ipynb": nbformat.writes(_notebook(number, title)) + "\n",
        exercises / "__init__.py": LESSON,
        exercises / "mean_token.py": EXERCISE,
        tests / "right_answers" / f"lesson_{number}.py": RIGHT,
        tests / "unlisted_mistakes" / f"lesson_{number}.py": UNLISTED,
    }
    there = [*(root / "notebooks").glob(f"{number}_*.ipynb"), *(path for path in texts if path.exists())]
    if there:
        raise CourseError(f"Lesson {number} exists already: {there[0].relative_to(root)}. Nothing was written.")
    for path, text in texts.items():
        words = (
            {"{number}": number, "{name}": name, "{title}": title, "{quoted}": json.dumps(title, ensure_ascii=False)}
            if path.suffix == ".py"
            else {}
        )
        for mark, word in words.items():
            text = text.replace(mark, word)
        write(path, text)
    return list(texts)


def _notebook(number: str, title: str) -> nbformat.NotebookNode:
    marks = {"grade": False, "solution": True, "locked": False, "schema_version": 3, "task": False}
    answer = marks | {"grade_id": f"{number}-mean_token", "cell_type": "code"}
    check = answer | {"grade": True, "solution": False, "locked": True, "points": 2}
    check["grade_id"] += "-check"
    following = f"{int(number) + 1:02d}"
    cells = [
        new_markdown_cell(
            f"# {number} · {title}\n\n**In this lesson you …**\n\nYou need: …\n\nThe paper: …", id="title"
        ),
        new_code_cell("import torch\nfrom course_lib import check, hint, part, predict, solution, viz", id="setup"),
        new_markdown_cell(
            f"### ✎ Exercise {number}.1 · The mean token\n\n2 points · ●○○ · 5 minutes\n\n"
            "What stands in the middle of a text's tokens?",
            id="ex-mean_token",
        ),
        new_code_cell(
            'def mean_token(x):\n    """The mean of the tokens: x (..., token, d_model) → (..., d_model)."""\n'
            "    ### BEGIN SOLUTION\n    return x.mean(dim=-2)\n    ### END SOLUTION",
            id=f"{number}-mean_token",
            metadata={"nbgrader": answer},
        ),
        new_code_cell(
            f'check("{number}.mean_token", mean_token)', id=f"{number}-mean_token-check", metadata={"nbgrader": check}
        ),
        new_markdown_cell(
            f"## What you know now\n\n- …\n\n**Where this goes next.** Lesson {following} …", id="summary"
        ),
    ]
    kernel = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    return new_notebook(cells=cells, metadata={"course": {"lesson": number}, "kernelspec": kernel})


if __name__ == "__main__":
    try:
        for path in begin(*sys.argv[1:3]):
            print(path.relative_to(ROOT))
    except CourseError as reason:
        sys.exit(str(reason))
