"""A look-up that shares: each key's value counts by how near the key is to the query."""

import torch

from course_lib.checking.kinds import Case, Code
from course_lib.exercises import common
from course_lib.exercises.inputs import integer, randn, whole


def _soft_lookup(queries, keys, values, width):
    scores = -(((queries[:, None] - keys) / width) ** 2)
    return scores.softmax(dim=-1) @ values


def _table(g, queries, keys, width, **kwargs):
    return randn(g, queries, **kwargs), randn(g, keys, **kwargs), randn(g, keys, **kwargs), width


def _far_away(g):
    """Queries so far from every key that exp(score) is zero for all of them.

    All scores are whole numbers: of rounded ones in the thousands logsumexp loses digits that a softmax keeps.
    """
    return 20 + whole(g, 3, size=2), whole(g, 5, size=2), randn(g, 5), 0.5


def _width(g, low, high):
    return low + (high - low) * torch.rand((), generator=g).item()


soft_lookup = Code(
    "01.soft_lookup",
    title="A table that answers every question",
    points=2,
    minutes=10,
    difficulty=1,
    reference=_soft_lookup,
    axes=["query"],
    cases=[
        Case("a few queries", lambda g: _table(g, 3, 5, _width(g, 0.4, 0.8))),
        Case("as many queries as keys", lambda g: _table(g, 4, 4, _width(g, 1.5, 2.5))),
        Case("one query", lambda g: _table(g, 1, 6, 0.5)),
        Case("one key", lambda g: _table(g, 3, 1, 2.0)),
        Case("any sizes", lambda g: _table(g, integer(g, 5, 9), integer(g, 10, 14), _width(g, 0.3, 0.6))),
        Case("far from every key", _far_away),
        Case("a narrow width", lambda g: _table(g, 4, 5, 0.01)),
        Case("double precision", lambda g: _table(g, 3, 4, 0.7, dtype=torch.float64)),
    ],
    differentiable=True,
    hints=[
        "Three steps: a score for each query and key, weights from the scores, a weighted sum of the values.",
        "queries[:, None] is (query, 1) and keys is (key): their difference is (query, key), every query with every key.",
        "The softmax runs over the keys, dim=-1; then weights (query, key) @ values (key) gives (query).",
    ],
)


@soft_lookup.variants
def steps(
    queries,
    keys,
    values,
    width,
    *,
    difference=lambda q, k: q[:, None] - k,
    scores=lambda difference, width: -((difference / width) ** 2),
    weights=lambda s: s.softmax(-1),
    mixed=lambda w, keys, values: w @ values,
):
    return mixed(weights(scores(difference(queries, keys), width)), keys, values)


steps.mistake(
    "You give back the value of the nearest key alone. That is the hard table; here every value counts, by its weight.",
    weights=common.all_on_the_best,
)
steps.mistake(
    "No minus sign is left: keys that are far away get the most weight. It belongs in front of the square; inside it is squared away.",
    scores=lambda d, width: (d / width) ** 2,
)
steps.mistake(
    "You subtract key 0 from query 0, key 1 from query 1. Every query should meet every key: queries[:, None] - keys is (query, key).",
    difference=torch.sub,
)
steps.mistake(
    "Your table is the wrong way round: (key, query). Write queries[:, None] - keys, so that each query has a row.",
    difference=lambda q, k: q - k[:, None],
)
steps.mistake(
    "The distance isn't squared. The score is −((q − k) / width)².", scores=lambda d, width: -(d / width).abs()
)
steps.mistake(
    "The width isn't squared. Divide the difference by the width first, then square the whole.",
    scores=lambda d, width: -(d**2) / width,
)
steps.mistake(
    "No minus sign is left, so keys that are far away get the most weight; and the width isn't squared. The score is −((q − k) / width)².",
    scores=lambda d, width: d**2 / width,
)
steps.mistake(
    "Your weights fall in a straight line and end at a distance of one width. The softmax of −((q − k) / width)² never ends.",
    weights=lambda s: (w := (1 - (-s).sqrt()).clamp(min=0)) / w.sum(-1, keepdim=True),
)
steps.mistake(
    "The width doesn't matter in your answer. Divide the difference of query and key by it, before you square.",
    scores=lambda d, width: -(d**2),
)
steps.mistake(
    "You multiply by the width. A larger width should make the weights more alike, so divide.",
    scores=lambda d, width: -((d * width) ** 2),
)
steps.mistake(
    "Your score is half as large as asked, as in the bell curve of statistics. Here it is −((q − k) / width)², without ½.",
    scores=lambda d, width: -((d / width) ** 2) / 2,
)
steps.mistake(
    "Without the square, a key on one side counts more the further away it is. Square the difference.",
    scores=lambda d, width: -d / width,
)
steps.mistake(
    "Your weights sum to 1 over the queries. Each query shares its weight among the keys: dim=-1.",
    weights=lambda s: s.softmax(0),
)
steps.mistake(
    "The sum lost its axis, so a row isn't divided by its own sum. Use sum(dim=-1, keepdim=True), or softmax.",
    weights=lambda s: (s - s.amax(-1, keepdim=True)).exp() / (s - s.amax(-1, keepdim=True)).exp().sum(-1),
)
steps.mistake("The weights don't sum to 1: after exp, divide by the sum over the keys.", weights=torch.exp)
steps.mistake(
    "Far from every key all exponentials are 0, and 0 / 0 is NaN. Use softmax, which takes the largest score off first.",
    weights=common.softmax_that_overflows,
)
steps.mistake(
    "You mix with the raw scores. They are negative and sum to anything: send them through a softmax.",
    weights=lambda s: s,
)
steps.mistake(
    "You divide the scores by their sum. Then the key that is furthest away gets the most. Use a softmax.",
    weights=common.share_without_exp,
)
steps.mistake(
    "Every value counts the same in your answer. The weights should come from the distances.",
    weights=lambda s: torch.full_like(s, 1 / s.shape[-1]),
)
steps.mistake(
    "You mix the keys. They only serve to find the weights; what is mixed are the values.", mixed=lambda w, k, v: w @ k
)
steps.mistake(
    "You take the mean of the weighted values. The weights sum to 1 already: add the weighted values up.",
    mixed=lambda w, k, v: (w * v).mean(-1),
)
steps.mistake(
    "The weighted values aren't added up yet: one number for each query should come out.", mixed=lambda w, k, v: w * v
)
steps.mistake(
    "The values meet the queries. Their partners are the keys: with weights (query, key) it is weights @ values.",
    mixed=lambda w, k, v: v @ w,
)
steps.mistake(
    "You add up over the queries: one number for each key is left. Add up over the keys, the last axis.",
    mixed=lambda w, k, v: (w * v).sum(0),
)
for _law, _inverse in {
    "1 / d": lambda s: 1 / (-s).sqrt(),
    "1 / d²": lambda s: 1 / -s,
    "1 / (1 + d)": lambda s: 1 / (1 + (-s).sqrt()),
    "1 / (1 + d²)": lambda s: 1 / (1 - s),
}.items():
    steps.mistake(
        f"You share by {_law}, for a distance of d. Nearer keys get more by that, too, but by another law: here it is softmax(−d²).",
        weights=lambda s, inverse=_inverse: inverse(s) / inverse(s).sum(-1, keepdim=True),
    )
steps.mistake(
    "You divide by the sum of the whole table. Each query shares a weight of 1 among its keys: sum(dim=-1, keepdim=True), or softmax.",
    weights=lambda s: s.exp() / s.exp().sum(),
)
common.other_weights(steps, "twice logarithm sigmoid squared all")
steps.mistake(
    "The softmax is taken of the values. It belongs around the scores, over the keys; the values stay as they are.",
    weights=common.unchanged,
    mixed=lambda w, k, v: w @ v.softmax(-1),
)
steps.mistake("These are the weights. Mix the values with them: weights @ values.", mixed=lambda w, k, v: w)


@soft_lookup.mistake(
    "You multiply query and key. Here a key counts by how near it is: the score is −((q − k) / width)²."
)
def products(queries, keys, values, width):
    return (queries[:, None] * keys / width).softmax(-1) @ values


@soft_lookup.mistake("Only the first query gets an answer. Each of them should: queries[:, None] - keys.")
def first_query_only(queries, keys, values, width):
    return _soft_lookup(queries[:1], keys, values, width)[0]


@soft_lookup.mistake(
    "You subtract the squares, q² − k². Subtract first, and square the difference: −((q − k) / width)²."
)
def difference_of_squares(queries, keys, values, width):
    return (-(queries[:, None] ** 2 - keys**2) / width**2).softmax(-1) @ values


@soft_lookup.mistake(
    "The softmax is taken of the scores times the values, and then added up. Softmax the scores alone; the values come after it."
)
def values_inside(queries, keys, values, width):
    return (-(((queries[:, None] - keys) / width) ** 2) * values).softmax(-1).sum(-1)
