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
steps.mistake(
    "The heads are joined in reverse order. Head 0's numbers come first.", join=lambda x: x.flip(2).flatten(-2)
)
steps.mistake(
    "You joined words and heads: (batch, n · head, d) or flatter still. Join the last two axes, head and d, and leave the words apart.",
    join=lambda x: x.flatten(1, 2),
)
steps.mistake(
    "Everything of a sentence is in one row: flatten(1) joins all axes behind the batch. Join the last two: flatten(2).",
    join=lambda x: x.flatten(1),
)
steps.mistake(
    "You joined words and numbers: (batch, head, n · d). Swap the axes back first, so that each word has its heads beside it.",
    swap=unchanged,
)
steps.mistake(
    "You swapped words and numbers, axes 2 and 3. Swap back what split_heads swapped, axes 1 and 2.",
    swap=lambda x: x.transpose(2, 3),
)
steps.mistake(
    "You swapped heads and numbers, axes 1 and 3. Swap back what split_heads swapped, axes 1 and 2.",
    swap=lambda x: x.transpose(1, 3),
)
steps.mistake("Words before sentences: (n, batch, width). The batch comes first.", swap=lambda x: x.permute(2, 0, 1, 3))
steps.mistake("Only the first head is left. Lay all of them side by side.", join=lambda x: x[:, :, 0])
steps.mistake("Only the last head is left. Lay all of them side by side.", join=lambda x: x[:, :, -1])
steps.mistake(
    "Only two heads are left. Lay all of them side by side, however many.", join=lambda x: x[:, :, :2].flatten(-2)
)
steps.mistake(
    "You keep the largest number of all heads: what each of them found is lost. Lay them side by side.",
    join=lambda x: x.amax(2),
)


@merge_heads.mistake(
    "The words are scrambled: words and numbers were swapped, and then all cut anew. Swap back what split_heads swapped, axes 1 and 2."
)
def wrong_swap_and_cut(x):
    batch, num_heads, n, d = x.shape
    return x.transpose(2, 3).reshape(batch, n, num_heads * d)


@merge_heads.mistake(
    "You joined before you swapped, so words are scrambled, and (batch, width, n) comes out. Swap heads and words first, then join."
)
def swapped_after_the_join(x):
    batch, num_heads, n, d = x.shape
    return x.reshape(batch, n, num_heads * d).transpose(1, 2)


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


@merge_heads.mistake(
    "You swapped axes 0 and 2, sentences and words, and then all was cut anew. Swap back what split_heads swapped, axes 1 and 2."
)
def batch_swapped(x):
    batch, num_heads, n, d = x.shape
    return x.transpose(0, 2).reshape(batch, n, num_heads * d)


@merge_heads.mistake(
    "You swapped axes 0 and 1, sentences and heads, and then all was cut anew. Swap back what split_heads swapped, axes 1 and 2."
)
def heads_before_sentences(x):
    batch, num_heads, n, d = x.shape
    return x.transpose(0, 1).reshape(batch, n, num_heads * d)


@merge_heads.mistake(
    "The heads stand on a new last axis, (batch, n, d, head). Lay them side by side: torch.cat(…, dim=-1)."
)
def stacked(x):
    return torch.stack(x.unbind(1), dim=-1)


@merge_heads.mistake(
    "You laid the *sentences* side by side: x[0], x[1] and so on are sentences. The heads stand on axis 1: x[:, 0], x[:, 1] …"
)
def sentences_side_by_side(x):
    return torch.cat(list(x), dim=-1)


@merge_heads.mistake(
    "Words came before sentences, and then all was cut anew, so both are scrambled. Swap axes 1 and 2 alone, heads and words."
)
def words_first_and_cut(x):
    batch, num_heads, n, d = x.shape
    return x.permute(2, 0, 1, 3).reshape(batch, n, num_heads * d)


@merge_heads.mistake(
    "x comes as (batch, head, n, d). You took its second axis for the words and its third for the heads."
)
def words_and_heads_misnamed(x):
    batch, n, num_heads, d = x.shape
    return x.transpose(1, 2).reshape(batch, n, num_heads * d)


@merge_heads.mistake("The first head is lost: heads are counted from 0.")
def counted_from_one(x):
    return torch.cat([x[:, h] for h in range(1, x.shape[1])], dim=-1)


@merge_heads.mistake(
    "chunk keeps the axis that it cuts, with length 1: (batch, 1, n, width) comes out. unbind(1) takes it away, or x[:, h]."
)
def pieces_with_their_axis(x):
    return torch.cat(x.chunk(x.shape[1], dim=1), dim=-1)


@merge_heads.mistake("Only the first and the last head are left. Lay all of them side by side.")
def first_and_last(x):
    return torch.cat([x[:, 0], x[:, -1]], dim=-1)
