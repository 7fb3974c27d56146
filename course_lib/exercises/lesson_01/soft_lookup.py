"""soft_lookup, lesson 01."""

import torch

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer, randn


def _soft_lookup(queries, keys, values, width):
    scores = -(((queries[:, None] - keys) / width) ** 2)
    return scores.softmax(dim=-1) @ values


def _table(g, queries, keys, width, **kwargs):
    return randn(g, queries, **kwargs), randn(g, keys, **kwargs), randn(g, keys, **kwargs), width


def _far_away(g):
    """Queries so far from every key that exp(score) is zero for all of them."""
    queries, keys, values, width = _table(g, 3, 5, 0.4)
    return queries + 40, keys, values, width


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


def _lookup(
    sentence,
    name,
    scores=lambda d, width: -((d / width) ** 2),
    weights=lambda s: s.softmax(-1),
    mixed=lambda w, keys, values: w @ values,
):
    def wrong(queries, keys, values, width):
        return mixed(weights(scores(queries[:, None] - keys, width)), keys, values)

    wrong.__name__ = name
    soft_lookup.mistake(sentence)(wrong)


_lookup(
    "You give back the value of the nearest key alone. That is the hard table; here every value counts, by its weight.",
    "hard",
    weights=lambda s: torch.nn.functional.one_hot(s.argmax(-1), s.shape[-1]).to(s.dtype),
)
_lookup(
    "The minus sign is missing: keys that are far away get the most weight.",
    "no_minus",
    scores=lambda d, w: (d / w) ** 2,
)
_lookup(
    "The distance isn't squared. The score is −((q − k) / width)².", "not_squared", scores=lambda d, w: -(d / w).abs()
)
_lookup(
    "The width isn't squared. Divide the difference by the width first, then square the whole.",
    "width_not_squared",
    scores=lambda d, w: -(d**2) / w,
)
_lookup(
    "The width doesn't matter in your answer. Divide the difference of query and key by it, before you square.",
    "no_width",
    scores=lambda d, w: -(d**2),
)
_lookup(
    "You multiply by the width. A larger width should make the weights more alike, so divide.",
    "times_width",
    scores=lambda d, w: -((d * w) ** 2),
)
_lookup(
    "Your score is half as large as asked, as in the bell curve of statistics. Here it is −((q − k) / width)², without ½.",
    "bell_curve",
    scores=lambda d, w: -((d / w) ** 2) / 2,
)
_lookup(
    "Without the square, a key on one side counts more the further away it is. Square the difference.",
    "signed",
    scores=lambda d, w: -d / w,
)
_lookup(
    "Your weights sum to 1 over the queries. Each query shares its weight among the keys: dim=-1.",
    "over_queries",
    weights=lambda s: s.softmax(0),
)
_lookup(
    "The weights don't sum to 1: after exp, divide by the sum over the keys.",
    "not_normalised",
    weights=lambda s: s.exp(),
)
_lookup(
    "Far from every key all exponentials are 0, and 0 / 0 is NaN. Use softmax, which takes the largest score off first.",
    "underflowing",
    weights=lambda s: s.exp() / s.exp().sum(-1, keepdim=True),
)
_lookup(
    "You mix with the raw scores. They are negative and sum to anything: send them through a softmax.",
    "no_softmax",
    weights=lambda s: s,
)
_lookup(
    "You divide the scores by their sum. Then the key that is furthest away gets the most. Use a softmax.",
    "divides_by_sum",
    weights=lambda s: s / s.sum(-1, keepdim=True),
)
_lookup(
    "You mix the keys. They only serve to find the weights; what is mixed are the values.",
    "mixes_keys",
    mixed=lambda w, k, v: w @ k,
)
_lookup(
    "Every value counts the same in your answer. The weights should come from the distances.",
    "plain_mean",
    weights=lambda s: torch.full_like(s, 1 / s.shape[-1]),
)
_lookup(
    "You take the mean of the weighted values. The weights sum to 1 already: add the weighted values up.",
    "mean_of_weighted",
    mixed=lambda w, k, v: (w * v).mean(-1),
)
_lookup(
    "The weighted values aren't added up yet: one number for each query should come out.",
    "not_summed",
    mixed=lambda w, k, v: w * v,
)
_lookup("These are the weights. Mix the values with them: weights @ values.", "weights_only", mixed=lambda w, k, v: w)
