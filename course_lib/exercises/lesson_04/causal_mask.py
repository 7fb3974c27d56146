"""causal_mask, lesson 04."""

import torch

from course_lib import masks
from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer

causal_mask = Code(
    "04.causal_mask",
    title="The causal mask",
    points=2,
    minutes=5,
    difficulty=1,
    reference=masks.causal_mask,
    axes=["query key"],
    forbidden=("causal_mask",),
    cases=[
        Case("a sentence", lambda g: (integer(g, 5, 30),)),
        Case("one word", lambda g: (1,)),
        Case("two words", lambda g: (2,)),
        Case("three words", lambda g: (3,)),
        Case("a longer text", lambda g: (integer(g, 100, 160),)),
    ],
    hints=[
        "Row i belongs to word i. Which columns should be True in row 0, and which in the last row?",
        "A lower triangle with its diagonal: .tril() keeps it. Start from torch.ones(n, n, dtype=torch.bool).",
    ],
)


def _everywhere(n):
    return torch.ones(n, n, dtype=torch.bool)


@causal_mask.mistake(
    "Turned over: your words see themselves and what comes after them. Row i should be True in columns 0 … i: the lower triangle."
)
def upper_triangle(n):
    return _everywhere(n).triu()


@causal_mask.mistake("A word can't see itself in your mask, so the first one sees nothing at all. Keep the diagonal.")
def without_the_diagonal(n):
    return _everywhere(n).tril(-1)


@causal_mask.mistake(
    "Each word sees one word too many: the one that comes next. The diagonal is the last that it may see."
)
def one_too_many(n):
    return _everywhere(n).tril(1)


@causal_mask.mistake(
    "You marked what is forbidden. In this course, as in torch's scaled_dot_product_attention, True means “may attend”."
)
def marks_the_forbidden(n):
    return _everywhere(n).triu(1)


@causal_mask.mistake(
    "The triangle is right, but it holds floats, 1.0 and 0.0. A mask is boolean: dtype=torch.bool, or a comparison."
)
def floats(n):
    return torch.ones(n, n).tril()


@causal_mask.mistake(
    "The triangle is right, but it holds whole numbers. A mask is boolean: dtype=torch.bool, or a comparison."
)
def whole_numbers(n):
    return torch.ones(n, n, dtype=torch.long).tril()


@causal_mask.mistake(
    "That is the mask for adding: 0 where one may look, −∞ elsewhere. Here it should be boolean: True where one may look."
)
def for_adding(n):
    return torch.zeros(n, n).masked_fill(_everywhere(n).triu(1), float("-inf"))


@causal_mask.mistake("Everybody sees everything. Close what comes later: row i is True in columns 0 … i only.")
def everything(n):
    return _everywhere(n)


@causal_mask.mistake("Each word sees itself alone. It may also see all that came before it.")
def itself_alone(n):
    return torch.eye(n, dtype=torch.bool)


@causal_mask.mistake("Each word sees itself and the one before it. It may see all that came before.")
def one_word_back(n):
    return _everywhere(n).tril() & _everywhere(n).triu(-1)


@causal_mask.mistake(
    "The axes of batch and head are too much here: the mask should be (n, n). It broadcasts to them by itself."
)
def with_batch_and_head(n):
    return _everywhere(n).tril()[None, None]


@causal_mask.mistake(
    "The triangle hangs on the wrong side: your first word sees everything, and the last one only the first. Don't flip it."
)
def flipped(n):
    return _everywhere(n).tril().flip(0)


@causal_mask.mistake("That is a list of lists with the right values. Make a tensor of it: torch.tensor(...).")
def lists(n):
    return [[j <= i for j in range(n)] for i in range(n)]


@causal_mask.mistake(
    "You return one row. Each of the n queries needs its own: (n, n). Compare a column of positions with a row of them: positions <= positions[:, None]."
)
def one_row(n):
    return torch.arange(n) <= torch.arange(n)


@causal_mask.mistake("Your mask has n + 1 rows and columns. There are n words, and each can see itself.")
def one_larger(n):
    return _everywhere(n + 1).tril()


@causal_mask.symptom("Some word sees what comes after it. In row i nothing right of column i may be True.")
def sees_the_future(inputs, answer):
    return bool(answer.triu(1).any())


@causal_mask.symptom("Some word doesn't see all that came before it. In row i all columns 0 … i are True.")
def misses_the_past(inputs, answer):
    return not bool((answer | ~masks.causal_mask(len(answer))).all())
