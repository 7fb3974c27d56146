"""Self-attention with two bugs: what it divides by, and what it sums over."""

import torch

from course_lib import attention
from course_lib.checking.kinds import Case, Code
from course_lib.exercises.common import FINISHED_ATTENTION
from course_lib.exercises.inputs import integer, randn
from course_lib.exercises.lesson_02 import buggy


def _self_attention(x, W_Q, W_K, W_V):
    return attention.scaled_dot_product_attention(x @ W_Q.mT, x @ W_K.mT, x @ W_V.mT)[0]


def _words(g, n, d_model, d_k, d_v=None, **kwargs):
    return (
        randn(g, n, d_model, **kwargs),
        *(randn(g, d, d_model, **kwargs) / d_model**0.5 for d in (d_k, d_k, d_v or d_k)),
    )


repaired = Code(
    "02.repaired",
    title="Find the two bugs",
    points=3,
    minutes=12,
    difficulty=3,
    reference=_self_attention,
    buggy=buggy.repaired,
    unchanged="Both bugs are still there. Print weights.sum(-1): does every word's row sum to 1?",
    axes=["n d_v"],
    forbidden=FINISHED_ATTENTION,
    cases=[
        Case("five words", lambda g: _words(g, 5, 8, 4)),
        Case("d_k equal to d_model", lambda g: _words(g, 4, 6, 6)),
        Case("values longer than keys", lambda g: _words(g, 3, 8, 2, d_v=5)),
        Case("one word", lambda g: _words(g, 1, 4, 3)),
        Case("some more words", lambda g: _words(g, integer(g, 9, 12), 16, 8)),
        Case("double precision", lambda g: _words(g, 4, 8, 4, dtype=torch.float64)),
    ],
    hints=[
        "Print weights.sum(-1). What should it be?",
        "(n, n) divided by (n,) is broadcast from the right: column j is divided by the sum of row j. How does a sum keep its axis?",
        "The second bug is in the scale. Which length makes the scores grow: that of x or that of a key?",
    ],
)


def root_of_d_k(x, query):
    return query.shape[-1] ** 0.5


def root_of_d_model(x, query):  # the first bug
    return x.shape[-1] ** 0.5


def root_of_n(x, query):
    return len(x) ** 0.5


def rows_sum_to_one(e):
    return e / e.sum(-1, keepdim=True)


def divided_by_other_rows(e):  # the second bug
    return e / e.sum(-1)


def columns_sum_to_one(e):
    return e / e.sum(-2, keepdim=True)


@repaired.variants
def steps(x, W_Q, W_K, W_V, *, scale=root_of_d_k, normalised=rows_sum_to_one):
    query, key, value = x @ W_Q.mT, x @ W_K.mT, x @ W_V.mT
    scores = query @ key.mT / scale(x, query)
    exponentials = (scores - scores.max(dim=-1, keepdim=True).values).exp()
    return normalised(exponentials) @ value


steps.mistake(
    "One found: the rows sum to 1 now. The other is in the scale: d_k is the length of a key, not of x.",
    scale=root_of_d_model,
)
steps.mistake(
    "One found: the scale is right now. The other: look at weights.sum(-1), which should be 1 for every word.",
    normalised=divided_by_other_rows,
)
steps.mistake(
    "The scale is right. Now the columns sum to 1, not the rows: the sum belongs over the keys, dim=-1, with keepdim=True.",
    normalised=columns_sum_to_one,
)
steps.mistake(
    "Now the columns sum to 1, not the rows; and the scale is still the length of x, not of a key.",
    scale=root_of_d_model,
    normalised=columns_sum_to_one,
)
steps.mistake(
    "The rows sum to 1. But the scale has gone altogether: divide the scores by √d_k.", scale=lambda x, query: 1.0
)
steps.mistake(
    "The rows sum to 1. But you divide by d_k; divide by its square root.", scale=lambda x, query: query.shape[-1]
)
steps.mistake(
    "The rows sum to 1. But you scale by the number of words; d_k is the length of a key, query.shape[-1].",
    scale=root_of_n,
)
steps.mistake(
    "You scale by the number of words; d_k is the length of a key. And look at weights.sum(-1): it should be 1 for every word.",
    scale=root_of_n,
    normalised=divided_by_other_rows,
)
steps.mistake(
    "The scale is right. Now all weights sum to 1 together; each row should, by itself.",
    normalised=lambda e: e / e.sum(),
)
