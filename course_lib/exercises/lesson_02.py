"""Lesson 02, Self-attention: queries, keys, values, and why the scores are divided by √d_k."""

import torch

from course_lib import attention
from course_lib.checking.kinds import Case, Choice, Code, Number, Prediction
from course_lib.exercises.inputs import integer, non_contiguous, qkv, randn

NAME = "02_self_attention"
TITLE = "Self-attention"

FINISHED = ("scaled_dot_product", "attention_weights", "multi_head_attention", "multiheadattention", "flex_attention")

# --- predictions ----------------------------------------------------------------------------------------------------

looks_at = Prediction(
    title="What does *it* look at?",
    question="The animal did not cross the street because it was too tired. Which word should “it” take most from?",
    options=["street", "animal", "tired", "it"],
    answer="animal",
    why="Streets don't tire. A reader has to find that out from the sentence, and so has the model.",
)
spread = Prediction(
    title="The spread of the scores",
    question="Queries and keys are random, each number with mean 0 and variance 1. You double d_k from 64 to 128. What happens to the spread (standard deviation) of the scores q · k?",
    options=["it stays the same", "it grows by √2", "it doubles", "it shrinks by √2"],
    answer="it grows by √2",
    why="A score is a sum of d_k products. Variances add, so the variance doubles and the spread grows by its root.",
)
shuffled = Prediction(
    title="Shuffled words",
    question="You shuffle the words of the sentence and run self-attention again. What becomes of the vector for “it”?",
    options=["it is the same vector as before", "it is a different vector", "it can't be computed"],
    answer="it is the same vector as before",
    why="“it” still meets the same keys and values, in another order, and a weighted sum doesn't mind the order.",
)
twice_as_long = Prediction(
    title="Twice as long",
    question="A text becomes twice as long. By how much does the number of scores grow?",
    options=["by 2", "by 4", "by 8", "not at all"],
    answer="by 4",
    why="Every word meets every word: n² scores.",
)

# --- 1. one word looks at all ---------------------------------------------------------------------------------------


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
    title="One word looks at all",
    points=2,
    minutes=10,
    difficulty=1,
    reference=_attend,
    axes=["d_v"],
    forbidden=FINISHED,
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


@attend.mistake(
    "Every word counts the same in your answer: that is the plain average. The weights should come from the scores."
)
def plain_average(query, keys, values):
    return values.mean(0)


@attend.mistake(
    "You weigh with the raw scores. They can be negative and sum to anything: send them through a softmax first."
)
def no_softmax(query, keys, values):
    return (keys @ query) @ values


@attend.mistake(
    "You return the value of the best key alone. That is a hard look-up; attention mixes all values by their weights."
)
def hard_lookup(query, keys, values):
    return values[(keys @ query).argmax()]


@attend.mistake(
    "Each of your weights is 1, so the values are only added up. A softmax over an axis of length 1 does that: it belongs over the words."
)
def only_added_up(query, keys, values):
    return values.sum(0)


@attend.mistake("You take the mean of the weighted values. The weights sum to 1 already: add the weighted values up.")
def mean_of_weighted(query, keys, values):
    return ((keys @ query).softmax(-1)[:, None] * values).mean(0)


@attend.mistake(
    "exp of a large score is infinite, and infinity divided by infinity is NaN. Use softmax, or take the largest score off first."
)
def overflowing(query, keys, values):
    e = (keys @ query).exp()
    return e / e.sum() @ values


@attend.mistake("You mix the keys. They only serve to find the weights; what is mixed are the values.")
def mixes_keys(query, keys, values):
    return (keys @ query).softmax(-1) @ keys


@attend.mistake(
    "You divide by √d_k already. That comes later in this lesson, with its reason; here the plain dot product is the score."
)
def scaled_too_soon(query, keys, values):
    return (keys @ query / query.shape[-1] ** 0.5).softmax(-1) @ values


@attend.mistake(
    "You divide the scores by their sum, without exp: negative scores become negative weights. Use a softmax."
)
def divides_by_sum(query, keys, values):
    scores = keys @ query
    return scores / scores.sum() @ values


@attend.mistake("Your weights don't sum to 1: after exp, divide by the sum.")
def not_normalised(query, keys, values):
    return (keys @ query).exp() @ values


@attend.mistake(
    "You compare by the cosine: the lengths of query and keys are divided out. The score here is the dot product itself."
)
def cosine(query, keys, values):
    normalize = torch.nn.functional.normalize
    return (normalize(keys, dim=-1) @ normalize(query, dim=-1)).softmax(-1) @ values


@attend.mistake("You compare the query with the values. It should be compared with the keys.")
def looks_at_values(query, keys, values):
    return (values @ query).softmax(-1) @ values


@attend.mistake(
    "You sum over the wrong axis: the weights run over the words, so the sum does too, and d_v numbers are left."
)
def sums_wrong_axis(query, keys, values):
    return ((keys @ query).softmax(-1)[:, None] * values).sum(-1)


@attend.mistake("The weighted values aren't summed yet: one vector should come out, not one for each word.")
def not_summed(query, keys, values):
    return (keys @ query).softmax(-1)[:, None] * values


# --- 2. one matrix between two words --------------------------------------------------------------------------------


def _bilinear(W_Q, W_K):
    return W_Q.mT @ W_K


def _projections(g, d_k, d_model, **kwargs):
    return randn(g, d_k, d_model, **kwargs), randn(g, d_k, d_model, **kwargs)


bilinear = Code(
    title="One matrix between two words",
    points=2,
    minutes=10,
    difficulty=2,
    reference=_bilinear,
    axes=["d_model d_model"],
    cases=[
        Case("d_k smaller than d_model", lambda g: _projections(g, 3, 5)),
        Case("d_k equal to d_model", lambda g: _projections(g, 4, 4)),
        Case("d_k larger than d_model", lambda g: _projections(g, integer(g, 6, 9), 3)),
        Case("d_k of 1", lambda g: _projections(g, 1, 4)),
        Case("double precision", lambda g: _projections(g, 2, 3, dtype=torch.float64)),
    ],
    differentiable=True,
    hints=[
        "Write the score out: q · k = (W_Q x)ᵀ (W_K y). What is (W_Q x)ᵀ?",
        "(A B)ᵀ = Bᵀ Aᵀ, so (W_Q x)ᵀ = xᵀ W_Qᵀ. What stands between xᵀ and y now?",
    ],
)


@bilinear.mistake(
    "This is W_Kᵀ W_Q, the transpose: with it the key word asks and the query word answers. The query stands on the left."
)
def roles_swapped(W_Q, W_K):
    return W_K.mT @ W_Q


@bilinear.mistake(
    "W_Q W_Kᵀ is (d_k, d_k): it stands between two queries, not between two words. The words are outside, so d_model must be."
)
def wrong_side(W_Q, W_K):
    return W_Q @ W_K.mT


@bilinear.mistake(
    "W_Q W_K multiplies d_model with d_k: it only fits where both are equal, and isn't the score even then. Transpose W_Q."
)
def no_transpose(W_Q, W_K):
    return W_Q @ W_K


@bilinear.mistake(
    "W_Q has been cut anew, not turned: reshape and view keep the numbers in their order. Swap its axes, with .mT."
)
def reshaped(W_Q, W_K):
    return W_Q.reshape(W_Q.mT.shape) @ W_K


@bilinear.mistake("You multiply entry by entry. The score sums over d_k, so a matrix product is needed.")
def entry_by_entry(W_Q, W_K):
    return W_Q * W_K


@bilinear.mistake("You use only W_Q. The key has its own matrix.")
def only_queries(W_Q, W_K):
    return W_Q.mT @ W_Q


@bilinear.mistake("You use only W_K. The query has its own matrix.")
def only_keys(W_Q, W_K):
    return W_K.mT @ W_K


@bilinear.mistake(
    "You made it symmetric. It isn't: “animal” asking “it” is another question than “it” asking “animal”."
)
def symmetric(W_Q, W_K):
    return (W_Q.mT @ W_K + W_K.mT @ W_Q) / 2


@bilinear.mistake("The division by √d_k isn't part of W. It comes afterwards, with the softmax.")
def scaled(W_Q, W_K):
    return W_Q.mT @ W_K / W_Q.shape[0] ** 0.5


# --- 3. the numbers by hand -----------------------------------------------------------------------------------------

by_hand = Number(
    title="Two scores by hand",
    points=2,
    minutes=6,
    difficulty=1,
    answer={"first scaled score": 10.0, "first weight": 0.98201},
    rtol=5e-3,
    wrong={
        "first scaled score": {
            40.0: "that is the score itself. Divide it by √d_k.",
            2.5: "you divided by d_k. Divide by its square root.",
            160.0: "you multiplied by √d_k. Divide.",
            6.0: "that is the second one.",
        },
        "first weight": {
            0.01799: "that is the weight of the second word.",
            0.73106: "that comes out when you divide the scores by d_k instead of √d_k.",
            0.625: "you divided 10 by 10 + 6. Take the exponentials first.",
            1.0: "that is what 40 against 24 gives, without the scale. Divide the scores by √d_k first.",
            98.2: "write it as a part of 1, not in per cent.",
            54.598: "that is how much more often the first is chosen, e⁴. The weight is this divided by itself plus 1.",
        },
    },
    hints=[
        "d_k = 16. What is its square root, and what do 40 and 24 become?",
        "softmax(10, 6): only the difference counts, so it is 1 / (1 + e⁻⁴).",
    ],
)

# --- 4. scaled dot-product attention --------------------------------------------------------------------------------


def _spikes(g):
    """Scores in the thousands: exp overflows unless the row's maximum is taken off first."""
    query, key, value = qkv(g, 3, 8, keys=5, d_v=2)
    return query * 100, key * 20, value


scaled_dot_product_attention = Code(
    title="Scaled dot-product attention",
    points=4,
    minutes=15,
    difficulty=2,
    reference=attention.scaled_dot_product_attention,
    axes=["... query d_v", "... query key"],
    forbidden=FINISHED,
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


def _wrong(scores=lambda q, k: q @ k.mT / q.shape[-1] ** 0.5, weights=lambda s: s.softmax(-1), mixed=lambda q, k, v: v):
    """A version with one step replaced."""

    def attention_with_a_mistake(query, key, value):
        w = weights(scores(query, key))
        return w @ mixed(query, key, value), w

    return attention_with_a_mistake


def _list(sentence, name, **steps):
    wrong = _wrong(**steps)
    wrong.__name__ = name
    scaled_dot_product_attention.mistake(sentence)(wrong)


_list(
    "The weights are too sharp: your scores grow with d_k. Divide them by √d_k before the softmax.",
    "no_scale",
    scores=lambda q, k: q @ k.mT,
)
_list(
    "You divide by d_k. Divide by its square root: the spread of the scores grows with √d_k.",
    "scaled_by_d_k",
    scores=lambda q, k: q @ k.mT / q.shape[-1],
)
_list(
    "`* 0.5` multiplies by a half. The root is `** 0.5`.",
    "times_a_half",
    scores=lambda q, k: q @ k.mT / q.shape[-1] * 0.5,
)
_list(
    "`* 0.5` multiplies by a half: you divide by d_k / 2. The root is `** 0.5`.",
    "divided_by_half_d_k",
    scores=lambda q, k: q @ k.mT / (q.shape[-1] * 0.5),
)
_list(
    "You multiply by √d_k. Divide, so that the spread shrinks back to 1.",
    "multiplied",
    scores=lambda q, k: q @ k.mT * q.shape[-1] ** 0.5,
)
_list(
    "You scale by the number of keys. What makes scores grow is the length of a key, d_k = query.shape[-1].",
    "scaled_by_keys",
    scores=lambda q, k: q @ k.mT / k.shape[-2] ** 0.5,
)
_list(
    "You scale by the number of queries. What makes scores grow is the length of a key, d_k = query.shape[-1].",
    "scaled_by_queries",
    scores=lambda q, k: q @ k.mT / q.shape[-2] ** 0.5,
)
_list(
    "Your weights sum to 1 over the queries; softmax belongs over the keys, dim=-1.",
    "over_queries",
    weights=lambda s: s.softmax(-2),
)
_list(
    "Your softmax runs over the first axis. It belongs over the keys, the last one: dim=-1.",
    "over_first_axis",
    weights=lambda s: s.softmax(0),
)
_list(
    "softmax(dim=1) is right only for two axes. With batch and head in front the keys are elsewhere: count from the end, dim=-1.",
    "over_second_axis",
    weights=lambda s: s.softmax(1),
)
_list(
    "No softmax: your weights are the raw scores, so they can be negative and sum to anything.",
    "no_softmax",
    weights=lambda s: s,
)
_list(
    "exp of a large score is infinite, and infinity divided by infinity is NaN. Use softmax, which takes the row's maximum off first.",
    "overflowing",
    weights=lambda s: s.exp() / s.exp().sum(-1, keepdim=True),
)
_list(
    "You take the softmax twice: the second one flattens the weights. Once is enough.",
    "softmax_twice",
    weights=lambda s: s.softmax(-1).softmax(-1),
)
_list(
    "You divide the scores by their sum. Without exp a negative score becomes a negative weight: use softmax.",
    "divides_by_sum",
    weights=lambda s: s / s.sum(-1, keepdim=True),
)
_list(
    "You mix the keys. The weights come from the keys; what they mix are the values.",
    "mixes_keys",
    mixed=lambda q, k, v: k,
)
_list(
    "You mix the queries. The weights belong to the keys, and each key has a value: mix the values.",
    "mixes_queries",
    mixed=lambda q, k, v: q,
)
_list(
    "Your weights are hard: all on the best key. That has no gradient. Use a softmax.",
    "hard",
    weights=lambda s: torch.nn.functional.one_hot(s.argmax(-1), s.shape[-1]).to(s.dtype),
)
_list(
    "You compare queries with queries. The other side of the product is the keys.",
    "queries_with_queries",
    scores=lambda q, k: q @ q.mT / q.shape[-1] ** 0.5,
)
_list(
    "The lengths of query and key are divided out: that is the cosine. Here the dot product is divided by √d_k, nothing else.",
    "cosine",
    scores=lambda q, k: torch.nn.functional.normalize(q, dim=-1) @ torch.nn.functional.normalize(k, dim=-1).mT,
)


@scaled_dot_product_attention.mistake(
    "You scale after the softmax: then the rows sum to 1/√d_k. Scale the scores, before it."
)
def scaled_after_softmax(query, key, value):
    weights = (query @ key.mT).softmax(-1) / query.shape[-1] ** 0.5
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
    return (query @ key.mT).softmax(-1) @ value, (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1)


@scaled_dot_product_attention.mistake(
    "This works for one sentence without a batch: .T turns all axes round. Swap only the last two, with .mT."
)
def turns_all_axes(query, key, value):
    weights = (query @ key.permute(*reversed(range(key.dim()))) / query.shape[-1] ** 0.5).softmax(-1)
    return weights @ value, weights


@scaled_dot_product_attention.mistake(
    "transpose(0, 1) swaps the first two axes: right for a single sentence, wrong with a batch in front. Use .mT or transpose(-2, -1)."
)
def swaps_first_axes(query, key, value):
    weights = (query @ key.transpose(0, 1) / query.shape[-1] ** 0.5).softmax(-1)
    return weights @ value, weights


@scaled_dot_product_attention.mistake(
    "transpose(1, 2) is right for one batch axis and no other number of them. Count from the end: .mT or transpose(-2, -1)."
)
def swaps_second_axes(query, key, value):
    weights = (query @ key.transpose(1, 2) / query.shape[-1] ** 0.5).softmax(-1)
    return weights @ value, weights


@scaled_dot_product_attention.mistake(
    "Only the output comes back. The weights are asked for too: return output, weights."
)
def output_only(query, key, value):
    return attention.scaled_dot_product_attention(query, key, value)[0]


@scaled_dot_product_attention.mistake("The two results are in the wrong order: the output first, then the weights.")
def order_of_results(query, key, value):
    return attention.scaled_dot_product_attention(query, key, value)[::-1]


@scaled_dot_product_attention.mistake(
    "The output is right. As the second result you return the scores, before the softmax; the weights are asked for."
)
def returns_scores(query, key, value):
    return attention.scaled_dot_product_attention(query, key, value)[0], query @ key.mT / query.shape[-1] ** 0.5


@scaled_dot_product_attention.mistake(
    "You scale by the length of the values, d_v. The scores are made of queries and keys: d_k is query.shape[-1]."
)
def scaled_by_d_v(query, key, value):
    weights = (query @ key.mT / value.shape[-1] ** 0.5).softmax(-1)
    return weights @ value, weights


@scaled_dot_product_attention.mistake(
    "The weights are transposed before they meet the values. A row of weights belongs to a query: weights @ value."
)
def transposed_weights(query, key, value):
    weights = attention.attention_weights(query, key)
    return weights.mT @ value, weights


def only_the_scale_differs(weights, right) -> bool:
    """Do the scores behind two tables of weights differ by a positive factor alone?"""
    if not torch.allclose(weights.sum(-1), torch.ones_like(weights[..., 0]), atol=1e-3):
        return False
    own, right = (w.double().log() - w.double().log().mean(-1, keepdim=True) for w in (weights, right))
    factor = (own * right).sum() / (right * right).sum()
    return bool(factor > 0) and abs(factor - 1) > 1e-3 and torch.allclose(own, factor * right, rtol=1e-3, atol=1e-4)


@scaled_dot_product_attention.symptom(
    "Only the size of your scores is wrong. They should be divided by √d_k, the root of query.shape[-1], whatever that is."
)
def wrong_scale(inputs, answer):
    return only_the_scale_differs(answer[1], attention.attention_weights(*inputs[:2])) and torch.allclose(
        answer[0], answer[1] @ inputs[2], atol=1e-3
    )


@scaled_dot_product_attention.symptom(
    "Your keys have been cut anew, not turned: reshape and view keep the numbers in their order. Swap the two axes, with .mT."
)
def reshaped_keys(inputs, answer):
    query, key, _ = inputs
    return torch.allclose(
        (query @ key.reshape(key.mT.shape) / query.shape[-1] ** 0.5).softmax(-1), answer[1], atol=1e-4
    )


@scaled_dot_product_attention.symptom(
    "Your weights don't sum to 1 for each query. Softmax over the keys makes them do so, and it must be the last step before the values."
)
def rows_do_not_sum_to_one(inputs, answer):
    return not torch.allclose(answer[1].sum(-1), torch.ones(answer[1].shape[:-1], dtype=answer[1].dtype), atol=1e-3)


@scaled_dot_product_attention.symptom("Your weights are right, but the output isn't: it should be weights @ value.")
def output_does_not_follow(inputs, answer):
    _, weights = attention.scaled_dot_product_attention(*inputs)
    return torch.allclose(weights, answer[1], atol=1e-4)


# --- 5. order -------------------------------------------------------------------------------------------------------

order = Choice(
    title="The same thing twice",
    points=1,
    minutes=4,
    difficulty=2,
    answer="b",
    options={
        "a": "The weight is shared by twice as many words, that is right. But what each of them gives is there twice, too: half plus half.",
        "b": "Every key stands there twice, and each copy gets half of the weight: the mixture is the same. Attention neither counts nor knows the order; lesson 05 adds positions.",
        "c": "The weights still sum to 1, so what comes out is a mean of the values, not a sum: more words don't make it longer.",
        "d": "Both have the same query and meet the same keys. Nothing in the formula says where a word stands.",
    },
    hints=[
        "The weights of a query sum to 1. Every key now stands there twice: what does each copy get?",
        "Half the weight for each copy, two copies of each value. What is the sum?",
    ],
)

# --- 6. find the bugs -----------------------------------------------------------------------------------------------


def _self_attention(x, W_Q, W_K, W_V):
    return attention.scaled_dot_product_attention(x @ W_Q.mT, x @ W_K.mT, x @ W_V.mT)[0]


def _words(g, n, d_model, d_k, d_v=None, **kwargs):
    return (
        randn(g, n, d_model, **kwargs),
        *(randn(g, d, d_model, **kwargs) / d_model**0.5 for d in (d_k, d_k, d_v or d_k)),
    )


repaired = Code(
    title="Find the two bugs",
    points=3,
    minutes=12,
    difficulty=3,
    reference=_self_attention,
    axes=["n d_v"],
    forbidden=FINISHED,
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


@repaired.starts_from
def repaired_start(x, W_Q, W_K, W_V):
    """Self-attention of the words x (n, d_model): returns (n, d_v)."""
    query, key, value = x @ W_Q.mT, x @ W_K.mT, x @ W_V.mT
    scores = query @ key.mT / x.shape[-1] ** 0.5
    exponentials = (scores - scores.max(dim=-1, keepdim=True).values).exp()
    weights = exponentials / exponentials.sum(dim=-1)
    return weights @ value


def _half(scale, normalise):
    def self_attention(x, W_Q, W_K, W_V):
        query, key, value = x @ W_Q.mT, x @ W_K.mT, x @ W_V.mT
        scores = query @ key.mT / scale(x, query)
        exponentials = (scores - scores.max(dim=-1, keepdim=True).values).exp()
        return normalise(exponentials) @ value

    return self_attention


def _by_row(e):
    return e / e.sum(-1, keepdim=True)


for _name, _sentence, _scale, _normalise in [
    (
        "both_bugs",
        "Both bugs are still there. Print weights.sum(-1): does every word's row sum to 1?",
        lambda x, q: x.shape[-1] ** 0.5,
        lambda e: e / e.sum(-1),
    ),
    (
        "scale_left",
        "One found: the rows sum to 1 now. The other is in the scale: d_k is the length of a key, not of x.",
        lambda x, q: x.shape[-1] ** 0.5,
        _by_row,
    ),
    (
        "normalising_left",
        "One found: the scale is right now. The other: look at weights.sum(-1), which should be 1 for every word.",
        lambda x, q: q.shape[-1] ** 0.5,
        lambda e: e / e.sum(-1),
    ),
    (
        "columns",
        "The scale is right. Now the columns sum to 1, not the rows: the sum belongs over the keys, dim=-1, with keepdim=True.",
        lambda x, q: q.shape[-1] ** 0.5,
        lambda e: e / e.sum(-2, keepdim=True),
    ),
    (
        "columns_and_scale",
        "Now the columns sum to 1, not the rows; and the scale is still the length of x, not of a key.",
        lambda x, q: x.shape[-1] ** 0.5,
        lambda e: e / e.sum(-2, keepdim=True),
    ),
    (
        "scale_gone",
        "The rows sum to 1. But the scale has gone altogether: divide the scores by √d_k.",
        lambda x, q: 1.0,
        _by_row,
    ),
    (
        "no_root",
        "The rows sum to 1. But you divide by d_k; divide by its square root.",
        lambda x, q: q.shape[-1],
        _by_row,
    ),
    (
        "scale_by_words",
        "The rows sum to 1. But you scale by the number of words; d_k is the length of a key, query.shape[-1].",
        lambda x, q: len(x) ** 0.5,
        _by_row,
    ),
    (
        "scale_by_words_and_sum",
        "You scale by the number of words; d_k is the length of a key. And look at weights.sum(-1): it should be 1 for every word.",
        lambda x, q: len(x) ** 0.5,
        lambda e: e / e.sum(-1),
    ),
    (
        "all_together",
        "The scale is right. Now all weights sum to 1 together; each row should, by itself.",
        lambda x, q: q.shape[-1] ** 0.5,
        lambda e: e / e.sum(),
    ),
]:
    _wrong_version = _half(_scale, _normalise)
    _wrong_version.__name__ = _name
    repaired.mistake(_sentence)(_wrong_version)
