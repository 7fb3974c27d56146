"""masked_attention, lesson 04."""

import torch

from course_lib import attention, masks
from course_lib.checking.kinds import Case, Code
from course_lib.exercises.common import FINISHED_ATTENTION
from course_lib.exercises.inputs import integer, non_contiguous, qkv, randn


def _with_mask(inputs, mask):
    return (*inputs, mask)


def _empty_row(g):
    mask = torch.rand(5, 6, generator=g) < 0.5
    mask[:, integer(g, 0, 5)] = True
    mask[integer(g, 1, 3)] = False
    return _with_mask(qkv(g, 5, 4, keys=6, d_v=3), mask)


def _padded(g, batch, heads, n, d_k, **kwargs):
    lengths = torch.tensor([n] + [integer(g, 1, n - 1) for _ in range(batch - 1)])
    return _with_mask(qkv(g, n, d_k, leading=(batch, heads), **kwargs), masks.length_mask(lengths, n))


def _padded_and_causal(g):
    *inputs, mask = _padded(g, 2, 2, 5, 4)
    return _with_mask(inputs, mask & masks.causal_mask(5))


def _low_scores(g):
    """All scores near −19 200, exactly representable: a masked score of −10 000 would win."""
    query = torch.tensor([64.0, 64.0, 64.0, 1 / 16]).repeat(3, 1)
    key = torch.full((5, 4), -200.0)
    key[:, 3] = torch.randint(-64, 64, (5,), generator=g).float()
    return query, key, randn(g, 5, 2), masks.causal_mask(3, past=2)


def _tempting_key(g):
    """The key that nobody may look at has by far the highest score."""
    query = torch.tensor([64.0, 64.0, 64.0, 1 / 16]).repeat(3, 1)
    key = torch.full((4, 4), 1.0)
    key[:, 3] = torch.randint(-64, 64, (4,), generator=g).float()
    key[3, :3] = 200.0
    return query, key, randn(g, 4, 3), torch.tensor([True, True, True, False])


def _cross(g):
    mask = torch.rand(2, 1, 3, 6, generator=g) < 0.6
    mask[..., 0] = True
    mask[1, 0, 2] = False
    return _with_mask(qkv(g, 3, 4, keys=6, d_v=5, leading=(2, 2)), mask)


def _one_mask_a_head(g):
    mask = torch.rand(3, 4, 4, generator=g) < 0.5
    mask[..., 0] = True
    return _with_mask(qkv(g, 4, 4, leading=(2, 3)), mask)


def _turned_memory(g):
    query, key, value = map(non_contiguous, qkv(g, 4, 4, d_v=3, leading=(2,)))
    return query, key, value, masks.causal_mask(4).mT.contiguous().mT


masked_attention = Code(
    "04.masked_attention",
    title="Attention under a mask",
    points=5,
    minutes=12,
    difficulty=2,
    reference=attention.scaled_dot_product_attention,
    axes=["... query d_v", "... query key"],
    forbidden=FINISHED_ATTENTION,
    cases=[
        Case("a query with nothing to look at", _empty_row),
        Case("causal", lambda g: _with_mask(qkv(g, 5, 4), masks.causal_mask(5))),
        Case("all may be seen", lambda g: _with_mask(qkv(g, 3, 4, keys=4), torch.ones(3, 4, dtype=torch.bool))),
        Case("a padded batch", lambda g: _padded(g, 3, 2, integer(g, 4, 7), 4, d_v=3)),
        Case("padded and causal", _padded_and_causal),
        Case("from one text to another", _cross),
        Case("another mask for each head", _one_mask_a_head),
        Case(
            "nothing may be seen",
            lambda g: _with_mask(qkv(g, 2, 4, keys=3, leading=(2,)), torch.zeros(2, 3, dtype=torch.bool)),
        ),
        Case("one query, one key", lambda g: _with_mask(qkv(g, 1, 4, d_v=2), torch.ones(1, 1, dtype=torch.bool))),
        Case("very low scores", _low_scores),
        Case("a masked key that would win", _tempting_key),
        Case(
            "double precision",
            lambda g: _with_mask(qkv(g, 4, 4, keys=5, dtype=torch.float64), masks.causal_mask(4, past=1)),
        ),
        Case("not contiguous in memory", _turned_memory),
    ],
    differentiable=True,
    hints=[
        "Scores, mask, softmax, values: the mask comes before the softmax. scores.masked_fill(where, value) puts a value where `where` is True.",
        '`~mask` is True where one may not look. There the score becomes float("-inf"), and its weight e^−∞ = 0.',
        "A row of −∞ alone becomes NaN. Put zeros where one may not look once more, after the softmax: weights.masked_fill(~mask, 0.0).",
    ],
)


def _scores(query, key):
    return query @ key.mT / query.shape[-1] ** 0.5


def _low(query, key, mask, fill=float("-inf")):
    return _scores(query, key).masked_fill(~mask, fill)


def _closing(sentence, name, weights):
    """A version whose weights are computed by `weights(query, key, mask)`."""

    def attention_with_a_mistake(query, key, value, mask):
        w = weights(query, key, mask)
        return w @ value, w

    attention_with_a_mistake.__name__ = name
    masked_attention.mistake(sentence)(attention_with_a_mistake)


_closing(
    "A query with nothing to look at gives NaN: 0 divided by 0 in the softmax. Its weights should be zero: put zeros where one may not look, after the softmax.",
    "nan_row",
    lambda q, k, m: _low(q, k, m).softmax(-1),
)
_closing(
    "You put zeros after the softmax, so the rows no longer sum to 1, and what was closed has still taken part in the sum. Put −∞ before it.",
    "zero_afterwards",
    lambda q, k, m: _scores(q, k).softmax(-1) * m,
)
_closing(
    "Zero after the softmax and divided anew: right as long as something is left to divide by. Where it isn't, 0 / 0 is NaN. Put −∞ before the softmax.",
    "divided_anew",
    lambda q, k, m: (_scores(q, k).softmax(-1) * m) / (_scores(q, k).softmax(-1) * m).sum(-1, keepdim=True),
)
_closing(
    "You close what is open: True means “may look”. Fill where ~mask is True.",
    "turned_sense",
    lambda q, k, m: _scores(q, k).masked_fill(m, float("-inf")).softmax(-1).masked_fill(m, 0.0),
)
_closing(
    "You close what is open: True means “may look”, so −∞ goes where ~mask is True. And a row that is closed throughout becomes NaN.",
    "turned_sense_with_nan",
    lambda q, k, m: _scores(q, k).masked_fill(m, float("-inf")).softmax(-1),
)
_closing(
    "You set closed scores to 0, but 0 is a score like any other: e^0 = 1. Only −∞ becomes a weight of 0.",
    "score_zero",
    lambda q, k, m: (_scores(q, k) * m).softmax(-1),
)
_closing(
    'A large negative number isn\'t −∞: a query that sees nothing gets equal weights, padding among them, instead of none. Use float("-inf"), and zeros afterwards.',
    "large_negative_number",
    lambda q, k, m: _low(q, k, m, -1e9).softmax(-1),
)
_closing(
    '−10 000 isn\'t low enough: scores may be lower than that, and then what is closed wins. Use float("-inf"), and zeros afterwards.',
    "not_low_enough",
    lambda q, k, m: _low(q, k, m, -1e4).softmax(-1),
)
_closing(
    'The row that sees nothing is zero now. But −10 000 isn\'t low enough: scores may be lower than that, and then what is closed wins. Use float("-inf").',
    "not_low_enough_but_zeros",
    lambda q, k, m: _low(q, k, m, -1e4).softmax(-1).masked_fill(~m, 0.0),
)
_closing(
    "The smallest positive number stands where −∞ should: closed scores become about 0, a score like any other.",
    "smallest_positive",
    lambda q, k, m: _low(q, k, m, torch.finfo(torch.float32).tiny).softmax(-1).masked_fill(~m, 0.0),
)
_closing("The mask has no effect: every query sees every key.", "no_mask", lambda q, k, m: _scores(q, k).softmax(-1))
_closing(
    "You add the mask to the scores. True counts as 1, so what may be seen gets a point more; what may not stays open.",
    "mask_added",
    lambda q, k, m: (_scores(q, k) + m).softmax(-1),
)
_closing(
    "Right but for the scale: divide the scores by √d_k.",
    "no_scale",
    lambda q, k, m: (q @ k.mT).masked_fill(~m, float("-inf")).softmax(-1).masked_fill(~m, 0.0),
)
_closing(
    "You divide the scores by d_k. Divide by its root.",
    "no_root",
    lambda q, k, m: (q @ k.mT / q.shape[-1]).masked_fill(~m, float("-inf")).softmax(-1).masked_fill(~m, 0.0),
)
_closing(
    "Your softmax runs over the queries. It belongs over the keys, dim=-1.",
    "over_queries",
    lambda q, k, m: _low(q, k, m).softmax(-2).masked_fill(~m, 0.0),
)
_closing(
    "Your softmax runs over the queries, and where nobody may look at a key it gives NaN. It belongs over the keys, dim=-1; a row without keys is zero.",
    "over_queries_nan",
    lambda q, k, m: _low(q, k, m).softmax(-2),
)
_closing(
    "There is no softmax: your weights are the raw scores.",
    "no_softmax",
    lambda q, k, m: _scores(q, k).masked_fill(~m, 0.0),
)
_closing(
    "A query that sees nothing sees everything in your version. It should get weights of zero.",
    "empty_row_opened",
    lambda q, k, m: _low(q, k, m | ~m.any(-1, keepdim=True)).softmax(-1),
)


@masked_attention.mistake("The mask is turned over: rows are queries, columns are keys. Use it as it is, without .mT.")
def turned_over(query, key, value, mask):
    return attention.scaled_dot_product_attention(query, key, value, mask.mT if mask.dim() > 1 else mask)


@masked_attention.mistake(
    "The weights that you return are right, but the output is mixed with weights from before the mask. Use the same for both."
)
def output_without_mask(query, key, value, mask):
    return attention.scaled_dot_product_attention(query, key, value)[0], attention.attention_weights(query, key, mask)


@masked_attention.mistake(
    "The output is right; the weights that you return are those from before the mask. Return the ones that you mix with."
)
def weights_without_mask(query, key, value, mask):
    return attention.scaled_dot_product_attention(query, key, value, mask)[0], attention.attention_weights(query, key)


@masked_attention.mistake("The output is free of NaN, the weights aren't. Repair the weights, and the output follows.")
def weights_still_nan(query, key, value, mask):
    weights = _low(query, key, mask).softmax(-1)
    return (weights @ value).nan_to_num(), weights


@masked_attention.mistake(
    "The weights are repaired too late: the output was mixed with NaN before. Repair them first, then mix."
)
def output_still_nan(query, key, value, mask):
    weights = _low(query, key, mask).softmax(-1)
    return weights @ value, weights.masked_fill(~mask, 0.0)


@masked_attention.mistake("Only the output comes back. The weights are asked for too: return output, weights.")
def output_only(query, key, value, mask):
    return attention.scaled_dot_product_attention(query, key, value, mask)[0]


@masked_attention.mistake("The two results are in the wrong order: the output first, then the weights.")
def order_of_results(query, key, value, mask):
    return attention.scaled_dot_product_attention(query, key, value, mask)[::-1]


@masked_attention.mistake(
    "As the second result you return the scores with their −∞. The weights are asked for, after the softmax."
)
def returns_scores(query, key, value, mask):
    return attention.scaled_dot_product_attention(query, key, value, mask)[0], _low(query, key, mask)


@masked_attention.symptom(
    "Something that may not be seen has weight. Where the mask is False, the weight should be exactly 0."
)
def closed_but_seen(inputs, answer):
    return bool((answer[1] * ~inputs[3]).abs().max() > 1e-4)


@masked_attention.symptom(
    "Nothing closed has weight, but the rows don't sum to 1. −∞ before the softmax lets the open ones share all of it."
)
def rows_do_not_sum_to_one(inputs, answer):
    some = inputs[3].expand(answer[1].shape).any(-1)
    return not torch.allclose(answer[1].sum(-1)[some], torch.ones(1, dtype=answer[1].dtype), atol=1e-3)


@masked_attention.symptom("Your weights are right, but the output isn't: it should be weights @ value.")
def output_does_not_follow(inputs, answer):
    return torch.allclose(attention.attention_weights(inputs[0], inputs[1], inputs[3]), answer[1], atol=1e-4)
