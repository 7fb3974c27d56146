"""Lay the heads side by side again: (batch, num_heads, n, d) → (batch, n, num_heads · d)."""

import torch

from course_lib import attention
from course_lib.checking.kinds import Case, Code
from course_lib.exercises.common import FINISHED_ATTENTION, unchanged
from course_lib.exercises.inputs import integer, randn


def _heads(g, batch, num_heads, n, d, **kwargs):
    return (randn(g, batch, num_heads, n, d, **kwargs),)


merge_heads = Code(
    "03.merge_heads",
    title="Lay the heads side by side",
    points=2,
    minutes=6,
    difficulty=2,
    reference=attention.merge_heads,
    axes=["batch n width"],
    forbidden=("merge_heads", *FINISHED_ATTENTION),
    cases=[
        Case("two sentences, two heads", lambda g: _heads(g, 2, 2, 3, 4)),
        Case("as many words as heads", lambda g: _heads(g, 2, 3, 3, 4)),
        Case("one sentence", lambda g: _heads(g, 1, 3, 5, 2)),
        Case("one head", lambda g: _heads(g, 2, 1, 3, 4)),
        Case("any sizes", lambda g: _heads(g, integer(g, 2, 3), integer(g, 2, 5), integer(g, 6, 8), 3)),
        Case("straight from split_heads", lambda g: (attention.split_heads(randn(g, 2, 4, 6), 3),)),
        Case("double precision", lambda g: _heads(g, 2, 2, 3, 2, dtype=torch.float64)),
    ],
    differentiable=True,
    hints=[
        "It is split_heads backwards. What was the last thing that it did?",
        "Swap the axes back, (batch, n, head, d); then join the last two. .reshape may copy, .view may not.",
    ],
)


@merge_heads.variants
def steps(x, *, swap=lambda x: x.transpose(1, 2), join=lambda x: x.flatten(-2)):
    return join(swap(x))


steps.mistake(
    "The numbers of the heads are interleaved. Head 0's numbers come first, then head 1's: join (head, d), in this order.",
    swap=lambda x: x.permute(0, 2, 3, 1),
)
steps.mistake("The axes are swapped back, but head and d are still apart. Join the last two axes.", join=unchanged)
steps.mistake(
    "view can't join axes that don't lie next to each other in memory, and after a transpose they don't. Use reshape (or contiguous() first).",
    join=lambda x: x.view(*x.shape[:2], -1),
)


@merge_heads.mistake("The shape is right, the words are scrambled: swap head and word axes first, then join.")
def straight_back(x):
    batch, num_heads, n, d = x.shape
    return x.reshape(batch, n, num_heads * d)


@merge_heads.mistake(
    "You laid the words of all heads one after another: (batch, head · n, d). Each word should keep its place and get all heads' numbers."
)
def words_in_a_row(x):
    return x.flatten(1, 2)


@merge_heads.mistake(
    "You add the heads up: what each of them found can't be told apart any more. Lay them side by side."
)
def summed(x):
    return x.sum(1)


@merge_heads.mistake(
    "You average the heads: what each of them found can't be told apart any more. Lay them side by side."
)
def averaged(x):
    return x.mean(1)
