"""The causal mask: word i may attend to the words 0 … i, a lower triangle with its diagonal."""

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


def _all_true(n):
    return torch.ones(n, n, dtype=torch.bool)


@causal_mask.variants
def steps(n, *, square=_all_true, triangle=torch.tril):
    return triangle(square(n))


steps.mistake(
    "Turned over: your words see themselves and what comes after them. Row i should be True in columns 0 … i: the lower triangle.",
    triangle=torch.triu,
)
steps.mistake(
    "A word can't see itself in your mask, so the first one sees nothing at all. Keep the diagonal.",
    triangle=lambda m: m.tril(-1),
)
steps.mistake(
    "Each word sees one word too many: the one that comes next. The diagonal is the last that it may see.",
    triangle=lambda m: m.tril(1),
)
steps.mistake(
    "You marked what is forbidden. In this course, as in torch's scaled_dot_product_attention, True means “may look”.",
    triangle=lambda m: m.triu(1),
)
steps.mistake(
    "It holds floats, 1.0 and 0.0. A mask is boolean: dtype=torch.bool, or a comparison.",
    square=lambda n: torch.ones(n, n),
)
steps.mistake(
    "It holds whole numbers. A mask is boolean: dtype=torch.bool, or a comparison.",
    square=lambda n: torch.ones(n, n, dtype=torch.long),
)
steps.mistake(
    "Everybody sees everything. Close what comes later: row i is True in columns 0 … i only.", triangle=lambda m: m
)
steps.mistake(
    "Each word sees itself alone. It may also see all that came before it.", triangle=lambda m: m.tril().triu()
)
steps.mistake(
    "Each word sees itself and the one before it. It may see all that came before.",
    triangle=lambda m: m.tril().triu(-1),
)
steps.mistake(
    "Each word sees itself and the one after it. It may see itself and all that came before it.",
    triangle=lambda m: m.triu().tril(1),
)
steps.mistake(
    "The mask needs no axes for batch and head: it should be (n, n), and broadcasts to them by itself.",
    triangle=lambda m: m.tril()[None, None],
)
steps.mistake(
    "The triangle hangs on the wrong side: your first word sees everything, and the last one only the first. Don't flip it.",
    triangle=lambda m: m.tril().flip(0),
)
steps.mistake(
    "The triangle is mirrored: your first word sees the last one only. Row i should be True in columns 0 … i. Don't flip it.",
    triangle=lambda m: m.tril().flip(1),
)
steps.mistake(
    "Your mask has n + 1 rows and columns. There are n words, and each can see itself.",
    square=lambda n: _all_true(n + 1),
)
steps.mistake(
    "Nothing is open: a triangle cut out of zeros is all False. Start from ones, torch.ones(n, n, dtype=torch.bool).",
    square=lambda n: ~_all_true(n),
)
steps.mistake(
    "The last row is missing, that of the word which sees all. There are n words, so n rows: 0 … n − 1.",
    triangle=lambda m: m.tril()[:-1],
)
steps.mistake(
    "The first row is missing, that of the word which sees itself alone. There are n words, so n rows: 0 … n − 1.",
    triangle=lambda m: m.tril()[1:],
)
steps.mistake(
    "Your mask is (5, 5) whatever n is: does a 5 stand in it, or something that the notebook holds? It is asked for n words.",
    square=lambda n: _all_true(5),
)


@causal_mask.mistake(
    "That is the mask for adding: 0 where one may look, −∞ elsewhere. Here it should be boolean: True where one may look."
)
def for_adding(n):
    return torch.full((n, n), float("-inf")).triu(1)


@causal_mask.mistake(
    "That is a mask for adding, 0 where one may look and a large negative number elsewhere. Here it should be boolean: True where one may look."
)
def for_adding_large(n):
    return (~masks.causal_mask(n)).float() * -1e9


@causal_mask.mistake("The mask is flat, a single row of n · n. It is a table, (n, n): one row for each query.")
def flat(n):
    return masks.causal_mask(n).flatten()


@causal_mask.mistake(
    "That is a mask for adding, and turned round: −∞ stands where one may look. Here it should be boolean: True where one may look."
)
def for_adding_turned(n):
    return torch.full((n, n), float("-inf")).tril()


@causal_mask.mistake(
    "The rows of your list have different lengths, and a tensor's are equally long: fill what is closed with False."
)
def ragged(n):
    return torch.tensor([[True] * (i + 1) for i in range(n)])


@causal_mask.mistake("That is a list of lists with the right values. Make a tensor of it: torch.tensor(...).")
def lists(n):
    return [[j <= i for j in range(n)] for i in range(n)]


@causal_mask.mistake(
    "You return one row. Each of the n queries needs its own: (n, n). Compare a column of positions with a row of them: positions <= positions[:, None]."
)
def one_row(n):
    return torch.arange(n) <= torch.arange(n)


def _band(answer, low, high):
    """Is the answer True exactly where column − row is between low and high?"""
    place = torch.arange(len(answer)) - torch.arange(len(answer))[:, None]
    return torch.equal(answer, (place >= low) & (place <= high))


@causal_mask.symptom("Nothing is open: every entry is False. Word i sees itself and what came before it: column ≤ row.")
def nothing_open(inputs, answer):
    return not answer.any()


@causal_mask.symptom(
    "Your triangle is moved: words see several of those that come after them. It ends at the diagonal, whatever n is."
)
def ends_too_late(inputs, answer):
    return any(_band(answer, -len(answer), high) for high in range(1, len(answer)))


@causal_mask.symptom(
    "Your triangle is moved: it ends before the diagonal, so a word sees neither itself nor what stands right before it. "
    "It ends at the diagonal, whatever n is."
)
def ends_too_early(inputs, answer):
    return any(_band(answer, -len(answer), -low) for low in range(1, len(answer)))


@causal_mask.symptom("Your words see only so many words back: a window. In row i all columns 0 … i are True.")
def a_window(inputs, answer):
    return any(_band(answer, -back, 0) for back in range(len(answer) - 1))


@causal_mask.symptom(
    "Some words see nothing at all, not even themselves: their rows are empty. Does your loop reach every row, 0 … n − 1?"
)
def empty_rows(inputs, answer):
    rows = answer.any(-1)
    return not rows.all() and torch.equal(answer[rows], masks.causal_mask(len(answer))[rows])


@causal_mask.symptom(
    "Some words are seen by nobody, not even by themselves: their columns are empty. Does your loop reach every column, 0 … i?"
)
def empty_columns(inputs, answer):
    columns = answer.any(0)
    return not columns.all() and torch.equal(answer[:, columns], masks.causal_mask(len(answer))[:, columns])


@causal_mask.symptom("Some words see the one right after them, others don't. It is one rule for all: column ≤ row.")
def some_see_the_next(inputs, answer):
    allowed = masks.causal_mask(len(answer))
    return bool(answer.triu(1).any() and not answer.triu(2).any() and (answer | ~allowed).all())


@causal_mask.symptom("Some word sees what comes after it. In row i nothing right of column i may be True.")
def sees_the_future(inputs, answer):
    return bool(answer.triu(1).any())


@causal_mask.symptom(
    "Some words don't see themselves. The diagonal is True in every row: column ≤ row, not column < row."
)
def some_not_themselves(inputs, answer):
    return not answer.diagonal().all()


@causal_mask.symptom("Some word doesn't see all that came before it. In row i all columns 0 … i are True.")
def misses_the_past(inputs, answer):
    return not bool((answer | ~masks.causal_mask(len(answer))).all())
