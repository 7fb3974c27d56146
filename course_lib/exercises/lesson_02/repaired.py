"""Self-attention with two bugs: what it divides by, and what it sums over."""

import torch

from course_lib import attention
from course_lib.checking.kinds import Case, Code
from course_lib.exercises import common
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


def _unequal_words(g):
    """Some words are long vectors, with scores in the thousands among each other, one is short."""
    long = randn(g, 3, 8, dtype=torch.float64, size=200.0)
    x = torch.cat([long, -long, randn(g, 1, 8, dtype=torch.float64) / 100])
    return x, *_words(g, 1, 8, 4, dtype=torch.float64)[1:]


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
        Case("words of very different length", _unequal_words),
        Case("some more words", lambda g: _words(g, integer(g, 9, 12), 16, 8)),
        Case("double precision", lambda g: _words(g, 4, 8, 4, dtype=torch.float64)),
    ],
    hints=[
        "Print weights.sum(-1). What should it be?",
        "(n, n) divided by (n,) is broadcast from the right: column j is divided by the sum of row j. How does a sum keep its axis?",
        "The second bug is in the scale. Which length makes the scores grow: that of x or that of a key?",
    ],
)


def root_of_d_k(x, query, value):
    return query.shape[-1] ** 0.5


def root_of_d_model(x, query, value):  # the first bug
    return x.shape[-1] ** 0.5


def root_of_n(x, query, value):
    return len(x) ** 0.5


def rows_sum_to_one(e):
    return e / e.sum(-1, keepdim=True)


def divided_by_other_rows(e):  # the second bug
    return e / e.sum(-1)


def columns_sum_to_one(e):
    return e / e.sum(-2, keepdim=True)


@repaired.variants
def steps(
    x,
    W_Q,
    W_K,
    W_V,
    *,
    projected=common.transposed,
    products=lambda query, key: query @ key.mT,
    scale=root_of_d_k,
    largest=lambda s: s.max(dim=-1, keepdim=True).values,
    normalised=rows_sum_to_one,
    mixed=torch.matmul,
):
    query, key, value = (x @ projected(W) for W in (W_Q, W_K, W_V))
    scores = products(query, key) / scale(x, query, value)
    exponentials = (scores - largest(scores)).exp()
    return mixed(normalised(exponentials), value)


steps.mistake("One of the two bugs is left, in the scale: d_k is the length of a key, not of x.", scale=root_of_d_model)
steps.mistake(
    "One of the two bugs is left: look at weights.sum(-1), which should be 1 for every word.",
    normalised=divided_by_other_rows,
)
steps.mistake(
    "Now the columns sum to 1, not the rows: the sum belongs over the keys, dim=-1, with keepdim=True.",
    normalised=columns_sum_to_one,
)
steps.mistake(
    "Now the columns sum to 1, not the rows: a softmax belongs over the keys, dim=-1.",
    largest=lambda s: s.amax(0, keepdim=True),
    normalised=columns_sum_to_one,
)
steps.mistake(
    "Now the columns sum to 1, not the rows; and the scale is still the length of x, not of a key.",
    scale=root_of_d_model,
    normalised=columns_sum_to_one,
)
steps.mistake("The scale has gone altogether: divide the scores by √d_k.", scale=lambda x, query, value: 1.0)
steps.mistake("You divide by d_k; divide by its square root.", scale=lambda x, query, value: query.shape[-1])
steps.mistake("You scale by the number of words; d_k is the length of a key, query.shape[-1].", scale=root_of_n)
steps.mistake(
    "You scale by the number of words; d_k is the length of a key. And look at weights.sum(-1): it should be 1 for every word.",
    scale=root_of_n,
    normalised=divided_by_other_rows,
)
steps.mistake("Now all weights sum to 1 together; each row should, by itself.", normalised=lambda e: e / e.sum())
steps.mistake(
    "Now all weights sum to 1 together, and the largest score of all is subtracted; both belong to each row by itself.",
    largest=torch.max,
    normalised=lambda e: e / e.sum(),
)
steps.mistake(
    "You multiply by √d_k. Divide, so that the spread of the scores shrinks back to 1.",
    scale=lambda x, query, value: query.shape[-1] ** -0.5,
)
steps.mistake(
    "You scale by the length of a value. Scores are made of queries and keys: d_k is query.shape[-1].",
    scale=lambda x, query, value: value.shape[-1] ** 0.5,
)
steps.mistake(
    "Queries and keys have changed places. That line was right: a row of scores belongs to a query, query @ key.mT.",
    products=lambda query, key: key @ query.mT,
)
steps.mistake(
    "You subtract the largest score of all. A row far below it vanishes to 0 / 0; that line was right, each row has its own maximum.",
    largest=lambda s: s.max(),
)
steps.mistake(
    "The row's largest score is no longer taken off, so exp of a large one is infinite. That line was right.",
    largest=lambda s: 0.0,
)
steps.mistake(
    "You subtract each column's maximum, so that inside a row different numbers are taken off. That line was right, with dim=-1.",
    largest=lambda s: s.amax(0, keepdim=True),
)
steps.mistake(
    "You divide by the mean of the row. Divide by its sum: then the weights add up to 1.",
    normalised=lambda e: e / e.mean(-1, keepdim=True),
)
steps.mistake("The division has gone: the exponentials should be divided by their row's sum.", normalised=lambda e: e)
steps.mistake(
    "You take exp twice: softmax does it once more. Either the softmax of the scores, or exp divided by the row's sum.",
    normalised=lambda e: e.softmax(-1),
)
steps.mistake(
    "The weights are transposed before they meet the values. That line was right: weights @ value.",
    mixed=lambda w, v: w.mT @ v,
)
steps.mistake(
    "The three matrices aren't turned any more. They were right: x @ W.mT is W x for each row of x.",
    projected=common.unchanged,
)
steps.mistake(
    "The scale is d_model, without a root. It should be √d_k: the length of a key, and its root.",
    scale=lambda x, query, value: x.shape[-1],
)
steps.mistake(
    "You divide by the number of words; the scale is √d_k, the root of the length of a key.",
    scale=lambda x, query, value: len(x),
)
steps.mistake(
    "The maximum has lost its axis, so inside a row different numbers are taken off. That line was right, with keepdim=True.",
    largest=lambda s: s.max(dim=-1).values,
)


@repaired.mistake("Below the line stands the sum of the scores. It should be the sum of their exponentials, as above.")
def divided_by_the_scores(x, W_Q, W_K, W_V):
    query, key, value = x @ W_Q.mT, x @ W_K.mT, x @ W_V.mT
    scores = query @ key.mT / query.shape[-1] ** 0.5
    return (scores - scores.amax(-1, keepdim=True)).exp() / scores.sum(-1, keepdim=True) @ value


@repaired.mistake("The words themselves are mixed. The line was right: the values are x @ W_V.mT.")
def words_mixed(x, W_Q, W_K, W_V):
    query, key = x @ W_Q.mT, x @ W_K.mT
    return (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1) @ x


@repaired.mistake("These are the weights. What is asked for is the mixture: weights @ value.")
def weights_alone(x, W_Q, W_K, W_V):
    query, key = x @ W_Q.mT, x @ W_K.mT
    return (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1)
