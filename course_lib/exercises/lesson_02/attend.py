"""Attention of one query: a score for each key, weights from the scores, a weighted sum of the values."""

import torch
import torch.nn.functional as F

from course_lib.attention import softmax_over_keys
from course_lib.checking.kinds import Case, Code
from course_lib.exercises.common import (
    FINISHED_ATTENTION,
    other_weights,
    share_without_exp,
    softmax_that_overflows,
    unchanged,
)
from course_lib.exercises.inputs import integer, qkv


def _attend(query, keys, values):
    return (keys @ query).softmax(dim=-1) @ values


def _one_query(g, n, d_k, d_v=None, **kwargs):
    query, keys, values = qkv(g, n, d_k, d_v=d_v, **kwargs)
    return query[0], keys, values


def _large_scores(g):
    """One key is the query itself, so that its score is in the thousands for every seed."""
    query, keys, values = _one_query(g, 6, 8, d_v=3, size=30.0)
    keys[integer(g, 0, 5)] = query
    return query, keys, values


attend = Code(
    "02.attend",
    title="One word looks at all",
    points=2,
    minutes=10,
    difficulty=1,
    reference=_attend,
    axes=["d_v"],
    forbidden=FINISHED_ATTENTION,
    cases=[
        Case("four words", lambda g: _one_query(g, 4, 3)),
        Case("values longer than keys", lambda g: _one_query(g, 3, 4, d_v=6)),
        Case("as many words as numbers", lambda g: _one_query(g, 5, 5)),
        Case("many words", lambda g: _one_query(g, integer(g, 20, 30), 4, d_v=2)),
        Case("values of length 1", lambda g: _one_query(g, 4, 3, d_v=1)),
        Case("large scores", _large_scores),
        Case("double precision", lambda g: _one_query(g, 4, 3, d_v=2, dtype=torch.float64)),
    ],
    differentiable=True,
    hints=[
        "Three steps: a score for each key, weights from the scores, a weighted sum of the values.",
        "keys @ query gives all scores at once: (n, d_k) times (d_k,) is (n,).",
        "The weighted sum is a product as well: weights (n,) times values (n, d_v).",
    ],
)


@attend.variants
def steps(query, keys, values, *, scores=torch.mv, weights=softmax_over_keys, mixed=lambda w, k, v: w @ v):
    return mixed(weights(scores(keys, query)), keys, values)


steps.mistake(
    "Every word counts the same in your answer: that is the plain average. The weights should come from the scores.",
    weights=lambda s: torch.ones_like(s) / len(s),
)
steps.mistake(
    "You weigh with the raw scores. They can be negative and sum to anything: send them through a softmax first.",
    weights=unchanged,
)
steps.mistake(
    "You return the value of the best key alone. That is a hard look-up; attention mixes all values by their weights.",
    mixed=lambda w, k, v: v[w.argmax()],
)
steps.mistake(
    "Your weights are 1 for every word, so the values are only added up. A softmax along another axis does that: it belongs over the words, "
    "one number for each.",
    weights=torch.ones_like,
)
steps.mistake(
    "You take the mean of the weighted values. The weights sum to 1 already: add the weighted values up.",
    mixed=lambda w, k, v: (w[:, None] * v).mean(0),
)
steps.mistake(
    "exp of a large score is infinite, and infinity divided by infinity is NaN. Use softmax, or take the largest score off first.",
    weights=softmax_that_overflows,
)
steps.mistake(
    "You mix the keys. They only serve to find the weights; what is mixed are the values.", mixed=lambda w, k, v: w @ k
)
steps.mistake(
    "You divide by √d_k already. That comes later in this lesson, with its reason; here the plain dot product is the score.",
    scores=lambda k, q: k @ q / q.shape[-1] ** 0.5,
)
steps.mistake(
    "You divide the scores by their sum, without exp: negative scores become negative weights. Use a softmax.",
    weights=share_without_exp,
)
steps.mistake("Your weights don't sum to 1: after exp, divide by the sum.", weights=torch.exp)
steps.mistake(
    "After exp you divide by the largest, so the best word has weight 1 and all together more. Divide by the sum.",
    weights=lambda s: s.exp() / s.exp().max(),
)
steps.mistake(
    "You divide the scores by the sum of their sizes, without exp: negative scores stay negative weights. Use a softmax.",
    weights=lambda s: s / s.abs().sum(),
)
steps.mistake(
    "The values go through the softmax. It makes weights of the scores; the values are mixed as they are.",
    weights=unchanged,
    mixed=lambda w, k, v: w @ v.softmax(0),
)
steps.mistake(
    "You compare by the cosine: the lengths of query and keys are divided out. The score here is the dot product itself.",
    scores=lambda k, q: F.normalize(k, dim=-1) @ F.normalize(q, dim=-1),
)
steps.mistake(
    "You sum over the wrong axis: the weights run over the words, so the sum does too, and d_v numbers are left.",
    mixed=lambda w, k, v: (w[:, None] * v).sum(-1),
)
steps.mistake(
    "The weighted values aren't summed yet: one vector should come out, not one for each word.",
    mixed=lambda w, k, v: w[:, None] * v,
)
steps.mistake(
    "query @ keys sums over the words. The numbers of query and key should meet, and keys have them on their last axis: keys @ query.",
    scores=lambda k, q: q @ k,
)
steps.mistake(
    "query * keys multiplies, but nothing is added up: a score is one number for each word. Sum over the last axis, or write keys @ query.",
    scores=torch.mul,
)
for _axis, _over in (0, "the words"), (-1, "the numbers of a key"):
    steps.mistake(
        f"query * keys multiplies, but nothing is added up, and the softmax runs over {_over}. A score is one number for each word: "
        "sum over the last axis, or write keys @ query.",
        scores=torch.mul,
        weights=lambda s, _axis=_axis: s.softmax(_axis),
        mixed=lambda w, k, v: (w * v).sum(0),
    )
steps.mistake(
    "You divide by d_k. No scale is asked for yet: here the plain dot product is the score.",
    scores=lambda k, q: k @ q / q.shape[-1],
)
steps.mistake(
    "The signs are turned round: the words that fit least get the most weight. The score is keys @ query itself.",
    scores=lambda k, q: -(k @ q),
)
steps.mistake(
    "You compare by the distance. The score here is the dot product, keys @ query.",
    scores=lambda k, q: -(k - q).norm(dim=-1),
)
for _half, _said in (1, ""), (0.5, " and halved"):
    steps.mistake(
        f"Your score is the squared distance, with a minus sign{_said}: the soft table of lesson 01. "
        "Here it is the dot product alone, keys @ query.",
        scores=lambda k, q, _half=_half: -_half * (k - q).square().sum(-1),
    )
steps.mistake(
    "values @ weights joins the numbers of a value to the weights. A weight belongs to a word, so the words must meet: weights @ values.",
    mixed=lambda w, k, v: v @ w,
)
steps.mistake(
    "An axis of length 1 is left: (1, d_v). Where did you put it in? [0] takes it away again.",
    mixed=lambda w, k, v: (w @ v)[None],
)
steps.mistake(
    "You add up everything. Only the words should be summed over, dim=0, so that d_v numbers are left.",
    mixed=lambda w, k, v: (w[:, None] * v).sum(),
)
steps.mistake(
    "weights * values gives number i of every value the weight of word i. Make a column of the weights, weights[:, None] * values, "
    "or use the matrix product, weights @ values.",
    mixed=lambda w, k, v: (w * v).sum(0),
)
steps.mistake(
    "Only the last word is left: in the loop each turn writes over the one before. Add up, out = out + w * v.",
    mixed=lambda w, k, v: w[-1] * v[-1],
)
steps.mistake(
    "Only the first word is there: the return stands inside the loop and ends it at once. Indent it less.",
    mixed=lambda w, k, v: w[0] * v[0],
)
for _which, _some in {"first": slice(1, None), "last": slice(None, -1)}.items():
    steps.mistake(
        f"The {_which} word is left out of the mixture. A loop over all n words is `for j in range(n)`, from 0 to n - 1.",
        mixed=lambda w, k, v, _some=_some: w[_some] @ v[_some],
    )
    steps.mistake(
        f"The {_which} word has no weight: its score is missing. A loop over all n words is `for j in range(n)`, from 0 to n - 1.",
        weights=lambda s, _some=_some: s[_some].softmax(-1),
        mixed=lambda w, k, v, _some=_some: w @ v[_some],
    )
steps.mistake(
    "Of the mixture you return one part alone, that of the best word. Add up all the weighted values.",
    mixed=lambda w, k, v: w.max() * v[w.argmax()],
)
steps.mistake(
    "query * keys is added up over the words. The numbers of a key should be: sum(-1), or keys @ query, one score for each word.",
    scores=lambda k, q: (k * q).sum(0),
)
other_weights(steps, "twice logarithm powers_of_two sigmoid squared absolute relu largest")
steps.mistake("These are the weights. Mix the values with them: weights @ values.", mixed=lambda w, k, v: w)


@attend.mistake("The softmax comes too late: it makes weights of the scores. You have sent the mixture through it.")
def softmax_of_the_mixture(query, keys, values):
    return ((keys @ query) @ values).softmax(-1)


@attend.mistake(
    "You divide by √d_v. No scale is asked for yet, and a later one will come from the keys: here the plain dot product is the score."
)
def scaled_by_d_v(query, keys, values):
    return (keys @ query / values.shape[-1] ** 0.5).softmax(-1) @ values


@attend.mistake("You compare the keys with each other. Only one word asks, the query: keys @ query.")
def keys_with_keys(query, keys, values):
    return (keys @ keys.mT).softmax(-1) @ values


@attend.mistake("You compare the query with the values. It should be compared with the keys.")
def looks_at_values(query, keys, values):
    return (values @ query).softmax(-1) @ values


@attend.mistake(
    "The softmax is taken of score times value, column by column. Softmax the scores alone; then weigh the values with it."
)
def values_inside(query, keys, values):
    return ((keys @ query)[:, None] * values).softmax(0).sum(0)
