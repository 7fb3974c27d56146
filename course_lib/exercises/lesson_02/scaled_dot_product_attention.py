"""softmax(query keyᵀ / √d_k) value, for any leading axes: the heart of the course."""

import torch

from course_lib import attention
from course_lib.attention import cosine_scores, dot_scores, scaled_dot_scores, softmax_over_keys
from course_lib.checking.kinds import Case, Code
from course_lib.exercises import common
from course_lib.exercises.common import FINISHED_ATTENTION
from course_lib.exercises.inputs import integer, non_contiguous, qkv, randn, whole


def _spikes(g):
    """Scores in the thousands: exp overflows unless the row's maximum is taken off first.

    All are exact in float32, √16 too: rounded ones that nearly tie would give other weights to every way of computing them.
    """
    return whole(g, 3, 16, size=64), whole(g, 5, 16, size=64), randn(g, 5, 2)


scaled_dot_product_attention = Code(
    "02.scaled_dot_product_attention",
    title="Scaled dot-product attention",
    points=4,
    minutes=15,
    difficulty=2,
    reference=attention.scaled_dot_product_attention,
    axes=["... query d_v", "... query key"],
    results=("output", "weights"),
    forbidden=FINISHED_ATTENTION,
    cases=[
        Case("two words", lambda g: qkv(g, 2, 4)),
        Case("as many words as numbers", lambda g: qkv(g, 5, 5)),
        Case("keys outnumber queries", lambda g: qkv(g, 3, 8, keys=7)),
        Case("queries outnumber keys", lambda g: qkv(g, 6, 4, keys=integer(g, 2, 4))),
        Case("values longer than keys", lambda g: qkv(g, 3, 4, keys=5, d_v=9)),
        Case("one query, one key", lambda g: qkv(g, 1, 6, d_v=2)),
        Case("batch of one", lambda g: qkv(g, 4, 4, leading=(1,))),
        Case("two leading axes", lambda g: qkv(g, 3, 4, keys=4, leading=(2, 2))),
        Case("batch and heads", lambda g: qkv(g, 4, integer(g, 5, 7), keys=3, d_v=2, leading=(2, 3))),
        Case("very large scores", _spikes),
        Case("double precision", lambda g: qkv(g, 3, 4, keys=6, d_v=5, dtype=torch.float64)),
        Case(
            "not contiguous in memory", lambda g: tuple(map(non_contiguous, qkv(g, 3, 4, keys=5, d_v=6, leading=(2,))))
        ),
    ],
    differentiable=True,
    hints=[
        "Which two shapes does the product of queries and keys join? Which axis should vanish?",
        "scores = query @ key.mT: (..., n_query, d_k) times (..., d_k, n_key). Then the scale, then the softmax over the keys.",
        "d_k is query.shape[-1]. Return two things: weights @ value, and the weights.",
    ],
)


@scaled_dot_product_attention.variants
def steps(
    query,
    key,
    value,
    *,
    scores=scaled_dot_scores,
    weights=softmax_over_keys,
    mixed=lambda q, k, v: v,
    output=torch.matmul,
    returned=common.unchanged,
    results=lambda output, weights: (output, weights),
):
    w = weights(scores(query, key))
    return results(output(w, mixed(query, key, value)), returned(w))


steps.mistake(
    "The weights are too sharp: your scores grow with d_k. Divide them by √d_k before the softmax.", scores=dot_scores
)
steps.mistake(
    "You divide by d_k. Divide by its square root: the spread of the scores grows with √d_k.",
    scores=lambda q, k: q @ k.mT / q.shape[-1],
)
steps.mistake(
    "You divide by 8, the root of one d_k alone, 64. Here d_k is query.shape[-1], whatever that is.",
    scores=lambda q, k: q @ k.mT / 8,
)
steps.mistake(
    "You divide by 2 d_k, no root is taken. The root is `d_k ** 0.5`: `* 0.5` multiplies by a half, and `d_k ** 1/2` is (d_k ** 1) / 2.",
    scores=lambda q, k: q @ k.mT / q.shape[-1] * 0.5,
)
steps.mistake(
    "You divide by d_k / 2, no root is taken. The root is `d_k ** 0.5`: `* 0.5` multiplies by a half, and `d_k ** 1/2` is (d_k ** 1) / 2.",
    scores=lambda q, k: q @ k.mT / (q.shape[-1] * 0.5),
)
steps.mistake(
    "You multiply by √d_k. Divide, so that the spread shrinks back to 1.",
    scores=lambda q, k: q @ k.mT * q.shape[-1] ** 0.5,
)
steps.mistake(
    "You scale by the number of keys. What makes scores grow is the length of a key, d_k = query.shape[-1].",
    scores=lambda q, k: q @ k.mT / k.shape[-2] ** 0.5,
)
steps.mistake(
    "You scale by the number of queries. What makes scores grow is the length of a key, d_k = query.shape[-1].",
    scores=lambda q, k: q @ k.mT / q.shape[-2] ** 0.5,
)
steps.mistake(
    "Your weights sum to 1 over the queries; softmax belongs over the keys, the last axis of query @ key.mT.",
    weights=lambda s: s.softmax(-2),
)
steps.mistake(
    "Your softmax runs over the first axis. It belongs over the keys, the last one: dim=-1.",
    weights=lambda s: s.softmax(0),
)
steps.mistake(
    "softmax(dim=1) is right only for two axes. With batch and head in front the keys are elsewhere: count from the end, dim=-1.",
    weights=lambda s: s.softmax(1),
)
steps.mistake(
    "No softmax: your weights are the raw scores, so they can be negative and sum to anything.",
    weights=common.unchanged,
)
steps.mistake(
    "exp of a large score is infinite, and infinity divided by infinity is NaN. Use softmax, which takes the row's maximum off first.",
    weights=common.softmax_that_overflows,
)
common.other_weights(steps, "twice logarithm powers_of_two sigmoid squared absolute relu largest")
steps.mistake(
    "You divide the scores by their sum. Without exp a negative score becomes a negative weight: use softmax.",
    weights=common.share_without_exp,
)
steps.mistake(
    "You mix the keys. The weights come from the keys; what they mix are the values.", mixed=lambda q, k, v: k
)
steps.mistake(
    "You mix the queries. The weights belong to the keys, and each key has a value: mix the values.",
    mixed=lambda q, k, v: q,
)
steps.mistake(
    "Your weights are hard: all on the best key. That has no gradient. Use a softmax.", weights=common.all_on_the_best
)
steps.mistake(
    "You compare queries with queries. The other side of the product is the keys.",
    scores=lambda q, k: scaled_dot_scores(q, q),
)
steps.mistake(
    "The lengths of query and key are divided out: that is the cosine. Here the dot product is divided by √d_k, nothing else.",
    scores=cosine_scores,
)
steps.mistake(
    "This works for one sentence without a batch: .T turns all axes round. Swap only the last two, with .mT.",
    scores=lambda q, k: q @ common.all_axes_reversed(k) / q.shape[-1] ** 0.5,
)
steps.mistake(
    "transpose(0, 1) swaps the first two axes: right for a single sentence, wrong with a batch in front. Use .mT or transpose(-2, -1).",
    scores=lambda q, k: q @ k.transpose(0, 1) / q.shape[-1] ** 0.5,
)
steps.mistake(
    "transpose(1, 2) is right for one batch axis and no other number of them. Count from the end: .mT or transpose(-2, -1).",
    scores=lambda q, k: q @ k.transpose(1, 2) / q.shape[-1] ** 0.5,
)
steps.mistake(
    "The keys still lie the wrong way: their d_k numbers should meet those of the queries. Turn them: query @ key.mT.",
    scores=lambda q, k: q @ k / q.shape[-1] ** 0.5,
)
steps.mistake(
    "Queries and keys have changed places: a row of scores belongs to a query, query @ key.mT.",
    scores=lambda q, k: scaled_dot_scores(k, q),
)
steps.mistake(
    "That is the cosine, and divided by √d_k besides. Leave the lengths of query and key in: they are part of the dot product.",
    scores=lambda q, k: cosine_scores(q, k) / q.shape[-1] ** 0.5,
)
for _name, _distance in {
    "the distance, with a minus sign,": lambda q, k: -torch.cdist(q, k),
    "the distance, with a minus sign and over √d_k,": lambda q, k: -torch.cdist(q, k) / q.shape[-1] ** 0.5,
    "the squared distance, with a minus sign,": lambda q, k: -(torch.cdist(q, k) ** 2),
    "the squared distance, with a minus sign and over √d_k,": lambda q, k: (
        -(torch.cdist(q, k) ** 2) / q.shape[-1] ** 0.5
    ),
    "the distance": torch.cdist,
    "the distance over √d_k": lambda q, k: torch.cdist(q, k) / q.shape[-1] ** 0.5,
}.items():
    steps.mistake(
        f"Your score is {_name} of query and key. Here it is their dot product, query @ key.mT, divided by √d_k.",
        scores=_distance,
    )
steps.mistake(
    "The values are divided by √d_k. Divide the scores, before the softmax; the values stay as they are.",
    scores=dot_scores,
    mixed=lambda q, k, v: v / q.shape[-1] ** 0.5,
)
steps.mistake(
    "The signs are turned round: the keys that fit least get the most weight. Leave the minus out.",
    scores=lambda q, k: -scaled_dot_scores(q, k),
)
steps.mistake(
    "Your weights are all positive and sum to 1, but along no axis: all of them together. Softmax belongs over the keys, dim=-1.",
    weights=lambda s: s.flatten().softmax(0).reshape(s.shape),
)
steps.mistake(
    "The sum lost its axis, so a row is divided by another row's sum. Use sum(dim=-1, keepdim=True).",
    weights=lambda s: (s - s.amax(-1, keepdim=True)).exp() / (s - s.amax(-1, keepdim=True)).exp().sum(-1),
)
steps.mistake(
    "The maximum lost its axis, so inside a row different numbers are taken off. Use max(dim=-1, keepdim=True).values, or softmax alone.",
    weights=lambda s: (s - s.amax(-1)).softmax(-1),
)
steps.mistake("The weights are exp alone: divide them by the sum of their row, or use softmax.", weights=torch.exp)
steps.mistake(
    "The sum lost its axis, so a row is divided by another row's sum: keepdim=True. And exp of a large score is infinite: softmax does both.",
    weights=lambda s: s.exp() / s.exp().sum(-1),
)
steps.mistake(
    "You sum over the numbers of each value. The keys should vanish, and d_v numbers be left: weights @ value.",
    output=lambda w, v: (w[..., None] * v.unsqueeze(-3)).sum(-1),
)
steps.mistake(
    "The weights are transposed before they meet the values. A row of weights belongs to a query: weights @ value.",
    output=lambda w, v: w.mT @ v,
)
steps.mistake(
    "value @ weights is the wrong way round: the keys of the weights should meet the keys of the values. weights @ value.",
    output=lambda w, v: v @ w,
)
steps.mistake(
    "`*` multiplies number by number. The values are to be weighed and added up, which is the matrix product: weights @ value.",
    output=torch.mul,
)
steps.mistake(
    "You take the mean of the weighted values. The weights sum to 1 already: add them up, weights @ value.",
    output=lambda w, v: w @ v / v.shape[-2],
)
steps.mistake(
    "The returned weights are turned round: one row for each query, one column for each key.",
    returned=common.transposed,
)


@scaled_dot_product_attention.mistake(
    "You compare the queries with the values. They are compared with the keys; the values are what is mixed."
)
def looks_at_values(query, key, value):
    weights = (query @ value.mT / query.shape[-1] ** 0.5).softmax(-1)
    return weights @ value, weights


@scaled_dot_product_attention.mistake(
    "The returned weights are averaged over the first axis. Return those of every query, and of every sentence and head."
)
def averaged_weights(query, key, value):
    output, weights = attention.scaled_dot_product_attention(query, key, value)
    return output, weights.mean(0)


@scaled_dot_product_attention.mistake(
    "You scale after the softmax: then the rows sum to 1/√d_k. Scale the scores, before it."
)
def scaled_after_softmax(query, key, value):
    weights = softmax_over_keys(dot_scores(query, key)) / query.shape[-1] ** 0.5
    return weights @ value, weights


@scaled_dot_product_attention.mistake(
    "You divide the output by √d_k as well, or instead. Only the scores are scaled, before the softmax."
)
def scaled_output(query, key, value):
    output, weights = attention.scaled_dot_product_attention(query, key, value)
    return output / query.shape[-1] ** 0.5, weights


@scaled_dot_product_attention.mistake(
    "The scale is right for the returned weights, but the output is mixed with unscaled ones. Use the same weights for both."
)
def two_kinds_of_weights(query, key, value):
    return softmax_over_keys(dot_scores(query, key)) @ value, attention.attention_weights(query, key)


@scaled_dot_product_attention.mistake(
    "The output is right. As the second result you return the scores, before the softmax; the weights are asked for."
)
def returns_scores(query, key, value):
    return attention.scaled_dot_product_attention(query, key, value)[0], scaled_dot_scores(query, key)


@scaled_dot_product_attention.mistake(
    "You scale by the length of the values, d_v. The scores are made of queries and keys: d_k is query.shape[-1]."
)
def scaled_by_d_v(query, key, value):
    weights = (query @ key.mT / value.shape[-1] ** 0.5).softmax(-1)
    return weights @ value, weights


steps.mistake(common.ONLY_THE_OUTPUT, results=lambda output, weights: output)
steps.mistake(common.RESULTS_SWAPPED, results=lambda output, weights: (weights, output))


@scaled_dot_product_attention.symptom(
    "The size of your scores is wrong. They should be divided by √d_k, the root of query.shape[-1], whatever that is."
)
def wrong_scale(inputs, answer):
    output, weights = answer
    right = attention.attention_weights(*inputs[:2])
    follows = torch.allclose(output, weights @ inputs[2], atol=1e-3)
    return common.only_the_scale_differs(weights, right) and follows


@scaled_dot_product_attention.symptom(common.KEYS_RESHAPED)
def keys_reshaped(inputs, answer):
    _, weights = steps(*inputs, scores=lambda q, k: q @ common.reshaped(k) / q.shape[-1] ** 0.5)
    return common.same(answer[1], weights)


common.rows_do_not_sum_to_one(
    scaled_dot_product_attention,
    "Your weights don't sum to 1 for each query. Softmax over the keys makes them do so, and it must be the last step before the values.",
)
common.output_does_not_follow(scaled_dot_product_attention)
