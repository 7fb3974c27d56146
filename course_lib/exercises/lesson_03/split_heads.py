"""Cut the last axis into heads: (batch, n, num_heads · d) → (batch, num_heads, n, d)."""

import torch

from course_lib import attention
from course_lib.checking.kinds import Case, Code
from course_lib.exercises.common import FINISHED_ATTENTION, unchanged
from course_lib.exercises.inputs import integer, non_contiguous, randn


def _split(g, batch, n, num_heads, d, **kwargs):
    return randn(g, batch, n, num_heads * d, **kwargs), num_heads


split_heads = Code(
    "03.split_heads",
    title="Cut into heads",
    points=2,
    minutes=8,
    difficulty=2,
    reference=attention.split_heads,
    axes=["batch head n d"],
    forbidden=("split_heads", *FINISHED_ATTENTION),
    cases=[
        Case("two sentences, two heads", lambda g: _split(g, 2, 3, 2, 4)),
        Case("as many words as heads", lambda g: _split(g, 2, 4, 4, 3)),
        Case("one sentence", lambda g: _split(g, 1, 5, 3, 2)),
        Case("one head", lambda g: _split(g, 2, 3, 1, 4)),
        Case("one word", lambda g: _split(g, 3, 1, 2, 4)),
        Case("any sizes", lambda g: _split(g, integer(g, 2, 4), integer(g, 5, 8), integer(g, 2, 4), 5)),
        Case("double precision", lambda g: _split(g, 2, 3, 2, 2, dtype=torch.float64)),
        Case("not contiguous in memory", lambda g: (non_contiguous(_split(g, 2, 3, 2, 4)[0]), 2)),
    ],
    differentiable=True,
    hints=[
        "Two steps. First cut the last axis in two, (batch, n, head, d). Which two axes must change places then?",
        "x.reshape(batch, n, num_heads, d), then transpose(1, 2).",
    ],
)


@split_heads.variants
def steps(x, num_heads, *, cut=lambda x, h: x.unflatten(-1, (h, -1)), swap=lambda x: x.transpose(1, 2)):
    return swap(cut(x, num_heads))  # from (batch, n, head, d)


steps.mistake(
    "The words come before the heads: (batch, n, head, d). Swap these two axes, so that each head sees a sentence.",
    swap=unchanged,
)
steps.mistake(
    "You swapped the last two axes as well: (batch, head, d, n). Words before numbers.",
    swap=lambda x: x.permute(0, 2, 3, 1),
)
steps.mistake(
    "Heads before sentences: (head, batch, n, d). The batch comes first.", swap=lambda x: x.permute(2, 0, 1, 3)
)
steps.mistake(
    "You deal the numbers out like cards: head 0 gets numbers 0, h, 2h … Each head should get d neighbours: cut into (num_heads, d), in this order.",
    cut=lambda x, h: x.unflatten(-1, (-1, h)).mT,
)
steps.mistake(
    "Every head gets the whole vector. Each should get its own d = width / num_heads numbers.",
    cut=lambda x, h: x.unsqueeze(2).expand(-1, -1, h, -1),
)


@split_heads.mistake(
    "The shape is right, the numbers are scrambled: reshaping straight to (batch, head, n, d) cuts sentences apart. Cut the last axis first, then swap the axes."
)
def straight_to_shape(x, num_heads):
    batch, n, width = x.shape
    return x.reshape(batch, num_heads, n, width // num_heads)


@split_heads.mistake("This works for one sentence only: the batch has been lost in the first axis.")
def batch_lost(x, num_heads):
    return x.reshape(-1, num_heads, x.shape[-1] // num_heads).transpose(0, 1).unsqueeze(0)


@split_heads.mistake("You cut the words into heads, not their numbers. The last axis is the one to cut.")
def cuts_the_words(x, num_heads):
    batch, n, width = x.shape
    return x.reshape(batch, num_heads, n // num_heads, width)
