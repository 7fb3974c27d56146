"""Attention under a mask: −∞ before the softmax where a query may not attend, and zeros, not NaN, for a query with no key."""

import torch

from course_lib import attention, masks
from course_lib.attention import dot_scores, scaled_dot_scores
from course_lib.checking.kinds import Case, Code
from course_lib.exercises import common
from course_lib.exercises.common import masked, unchanged
from course_lib.exercises.inputs import integer, non_contiguous, qkv, randn


def _random_mask(g, *shape, share):
    """Each query may attend to this share of the keys, and to the first in any case."""
    return (torch.rand(*shape, generator=g) < share) | (torch.arange(shape[-1]) == 0)


def _empty_row(g):
    mask = torch.rand(5, 6, generator=g) < 0.5
    mask[:, integer(g, 0, 5)] = True
    mask[integer(g, 1, 3)] = False
    return *qkv(g, 5, 4, keys=6, d_v=3), mask


def _padded(g, batch, n, **kwargs):
    lengths = torch.tensor([n] + [integer(g, 1, n - 1) for _ in range(batch - 1)])
    return *qkv(g, n, 4, leading=(batch, 2), **kwargs), masks.length_mask(lengths, n)


def _padded_and_causal(g):
    *inputs, mask = _padded(g, 2, 5)
    return *inputs, mask & masks.causal_mask(5)


def _cross(g):
    mask = _random_mask(g, 2, 1, 3, 6, share=0.6)
    mask[1, 0, 2] = False
    return *qkv(g, 3, 4, keys=6, d_v=5, leading=(2, 2)), mask


def _one_mask_a_head(g):
    mask = _random_mask(g, 3, 4, 4, share=0.5)
    return *qkv(g, 4, 4, leading=(2, 3)), mask


def _exact_scores(g, *levels):
    """Three queries, and keys whose scores are near 96 · level for every query: exactly representable, the same in every order of sums."""
    query = torch.tensor([64.0, 64.0, 64.0, 1 / 16]).repeat(3, 1)
    level = torch.tensor(levels)[:, None].expand(-1, 3)
    return query, torch.cat([level, torch.randint(-64, 64, (len(levels), 1), generator=g)], dim=1)


def _low_scores(g):
    """All scores near −19 200: a masked score of −10 000 would win."""
    return *_exact_scores(g, *[-200.0] * 5), randn(g, 5, 2), masks.causal_mask(3, past=2)


def _tempting_key(g):
    """The key that nobody may look at has by far the highest score."""
    return *_exact_scores(g, 1.0, 1.0, 1.0, 200.0), randn(g, 4, 3), torch.tensor([True, True, True, False])


def _turned_memory(g):
    query, key, value = map(non_contiguous, qkv(g, 4, 4, d_v=3, leading=(2,)))
    return query, key, value, non_contiguous(masks.causal_mask(4))


masked_attention = Code(
    "04.masked_attention",
    title="Attention under a mask",
    points=5,
    minutes=12,
    difficulty=2,
    reference=attention.scaled_dot_product_attention,
    axes=["... query d_v", "... query key"],
    results=("output", "weights"),
    forbidden=common.FINISHED_ATTENTION,
    cases=[
        Case("a query with nothing to look at", _empty_row),
        Case("causal", lambda g: (*qkv(g, 5, 4), masks.causal_mask(5))),
        Case("all may be seen", lambda g: (*qkv(g, 3, 4, keys=4), torch.ones(3, 4, dtype=torch.bool))),
        Case("a padded batch", lambda g: _padded(g, 3, integer(g, 4, 7), d_v=3)),
        Case("padded and causal", _padded_and_causal),
        Case("from one text to another", _cross),
        Case("another mask for each head", _one_mask_a_head),
        Case(
            "nothing may be seen", lambda g: (*qkv(g, 2, 4, keys=3, leading=(2,)), torch.zeros(2, 3, dtype=torch.bool))
        ),
        Case("one query, one key", lambda g: (*qkv(g, 1, 4, d_v=2), torch.ones(1, 1, dtype=torch.bool))),
        Case("very low scores", _low_scores),
        Case("a masked key that would win", _tempting_key),
        Case("double precision", lambda g: (*qkv(g, 4, 4, keys=5, dtype=torch.float64), masks.causal_mask(4, past=1))),
        Case("not contiguous in memory", _turned_memory),
    ],
    differentiable=True,
    hints=[
        "Scores, mask, softmax, values: the mask comes before the softmax. scores.masked_fill(where, value) puts a value where `where` is True.",
        '`~mask` is True where one may not look. There the score becomes float("-inf"), and its weight e^−∞ = 0.',
        "A row of −∞ alone becomes NaN. Put zeros where one may not look once more, after the softmax: weights.masked_fill(~mask, 0.0).",
    ],
)


@masked_attention.variants
def steps(
    query,
    key,
    value,
    mask,
    *,
    may_attend=lambda mask: mask,
    scores=scaled_dot_scores,
    before=masked,
    softmax=lambda s: s.softmax(-1),
    after=lambda w, mask: masked(w, mask, 0.0),
):
    mask = may_attend(mask)
    weights = after(softmax(before(scores(query, key), mask)), mask)
    return weights @ value, weights


steps.mistake("The scale is missing: divide the scores by √d_k.", scores=dot_scores)
steps.mistake("You divide the scores by d_k. Divide by its root.", scores=lambda q, k: q @ k.mT / q.shape[-1])
steps.mistake("You multiply the scores by √d_k. Divide by it.", scores=lambda q, k: q @ k.mT * q.shape[-1] ** 0.5)
steps.mistake(
    "You divide the scores by √n, the number of keys. Divide by √d_k, the length of a query.",
    scores=lambda q, k: q @ k.mT / k.shape[-2] ** 0.5,
)
steps.mistake(
    "The mask has no effect: every query sees every key. Is the result of masked_fill kept? It returns a new tensor.",
    before=unchanged,
    after=unchanged,
)
steps.mistake(
    "The mask is turned over: rows are queries, columns are keys. Use it as it is, without .mT.",
    may_attend=lambda mask: mask.mT if mask.dim() > 1 else mask,
)
steps.mistake(
    "The mask is turned over: rows are queries, columns are keys. Use it as it is, without .mT, which a mask of one axis doesn't have either.",
    may_attend=lambda mask: mask.mT,
)
steps.mistake("You close what is open: True means “may look”. Fill where ~mask is True.", may_attend=torch.logical_not)
steps.mistake(
    "You close what is open: True means “may look”, so −∞ goes where ~mask is True. And a row that is closed throughout becomes NaN.",
    may_attend=torch.logical_not,
    after=unchanged,
)
steps.mistake(
    "A query that sees nothing sees everything in your version. It should get weights of zero.",
    may_attend=lambda mask: mask | ~mask.any(-1, keepdim=True),
)
steps.mistake(
    "A query with nothing to look at gives NaN: 0 divided by 0 in the softmax. Its weights should be zero: put zeros where one may not look, after the softmax.",
    after=unchanged,
)
steps.mistake(
    "Your rule holds only where nobody sees anything. A single query that sees nothing still gives NaN: put zeros where one may not look, after the softmax.",
    after=lambda w, mask: w if mask.any() else torch.zeros_like(w),
)
steps.mistake(
    "You put zeros after the softmax, so the rows no longer sum to 1, and what was closed has still taken part in the sum. Put −∞ before it.",
    before=unchanged,
)
steps.mistake(
    "Zero after the softmax and divided anew: right as long as something is left to divide by. Where it isn't, 0 / 0 is NaN. Put −∞ before the softmax.",
    before=unchanged,
    after=lambda w, mask: w * mask / (w * mask).sum(-1, keepdim=True),
)
steps.mistake(
    "You set closed scores to 0, but 0 is a score like any other: e^0 = 1. Only −∞ becomes a weight of 0.",
    before=lambda s, mask: masked(s, mask, 0.0),
    after=unchanged,
)
steps.mistake(
    "A query that sees nothing gets equal weights, padding among them, instead of none. That is what a large negative number does in the place of −∞, or the same number for its whole row. Its weights should be zero: put zeros where one may not look, after the softmax.",
    before=lambda s, mask: masked(s, mask, -1e9),
    after=unchanged,
)
steps.mistake(
    '−10 000 isn\'t low enough: scores may be lower than that, and then what is closed wins. Use float("-inf"), and zeros afterwards.',
    before=lambda s, mask: masked(s, mask, -1e4),
    after=unchanged,
)
steps.mistake(
    'The row that sees nothing is zero now. But −10 000 isn\'t low enough: scores may be lower than that, and then what is closed wins. Use float("-inf").',
    before=lambda s, mask: masked(s, mask, -1e4),
)
steps.mistake(
    "Closed scores become 0, or the smallest positive number: a score like any other, since e^0 = 1. Zeros after the softmax come too late, what is closed has taken part in the sum. Put −∞ in.",
    before=lambda s, mask: masked(s, mask, torch.finfo(torch.float32).tiny),
)
steps.mistake(
    "You add the mask to the scores. True counts as 1, so what may be seen gets a point more; what may not stays open.",
    before=torch.add,
    after=unchanged,
)
steps.mistake("Your softmax runs over the queries. It belongs over the keys, dim=-1.", softmax=lambda s: s.softmax(-2))
steps.mistake(
    "Your softmax runs over the queries, and where nobody may look at a key it gives NaN. It belongs over the keys, dim=-1; a row without keys is zero.",
    softmax=lambda s: s.softmax(-2),
    after=unchanged,
)
steps.mistake(
    "Your softmax runs over the first axis, dim=0. It belongs over the keys, dim=-1.",
    softmax=lambda s: s.softmax(0),
    after=lambda w, mask: w.nan_to_num(),
)
steps.mistake(
    "log_softmax gives the logarithms of the weights, −∞ among them. Take softmax.",
    softmax=lambda s: s.log_softmax(-1),
    after=unchanged,
)
steps.mistake("There is no softmax: your weights are the raw scores.", softmax=lambda s: s)

steps.mistake(
    "You set closed scores to 0, but 0 is a score like any other: e^0 = 1. The row that sees nothing is zero, but elsewhere what is closed has weight. Only −∞ becomes a weight of 0.",
    before=lambda s, mask: masked(s, mask, 0.0),
    after=lambda w, mask: w * mask.any(-1, keepdim=True),
)
steps.mistake(
    "You divide the scores by √n, the number of queries. Divide by √d_k, the length of a query.",
    scores=lambda q, k: q @ k.mT / q.shape[-2] ** 0.5,
)
steps.mistake(
    "dim=1 is the keys for a single sentence only. With batch and heads in front it is another axis: count from the end, dim=-1.",
    softmax=lambda s: s.softmax(1),
)
steps.mistake(
    "−∞ multiplied by 0 is NaN, so every open score is lost. Put −∞ in with masked_fill, don't add a product.",
    before=lambda s, mask: s + (~mask) * float("-inf"),
)
steps.mistake(
    "−∞ multiplied by 0 is NaN, so every open score is lost. Put −∞ in with masked_fill, don't add a product; and zeros after the softmax.",
    before=lambda s, mask: s + (~mask) * float("-inf"),
    after=unchanged,
)
steps.mistake(
    "−∞ multiplied by 0 is NaN, so every open score is lost, and nan_to_num hides it. Put −∞ in with masked_fill, don't add a product.",
    before=lambda s, mask: s + (~mask) * float("-inf"),
    after=lambda w, mask: w.nan_to_num(),
)
steps.mistake(
    "You set every row to zero in which anything is closed. Only a row in which nothing is open should be: mask.any(-1), not all.",
    after=lambda w, mask: masked(w, mask, 0.0) * mask.all(-1, keepdim=True),
)
steps.mistake(
    "exp of a very low score is 0, so a row may have nothing to divide by, and 0 / 0 is NaN; so it is for a query that sees nothing. "
    "Put −∞ in and take softmax, which is safe; then zeros.",
    before=unchanged,
    softmax=torch.exp,
    after=lambda e, mask: e * mask / (e * mask).sum(-1, keepdim=True),
)
steps.mistake(
    "Your −1e9 goes where one may look, so what is open is closed. Add it where ~mask is True, or better put −∞ there.",
    before=lambda s, mask: s + mask * -1e9,
    after=unchanged,
)
steps.mistake(
    "The closed weights are 0, and then each row gets a second softmax: e^0 = 1, so what is closed has weight again. One softmax, after −∞.",
    after=lambda w, mask: masked(w, mask, 0.0).softmax(-1),
)
steps.mistake(
    '+∞ stands where −∞ should: what is closed wins, and the softmax gives NaN. Put float("-inf") in.',
    before=lambda s, mask: masked(s, mask, float("inf")),
    after=unchanged,
)
steps.mistake(
    '+∞ stands where −∞ should: what is closed wins, and the softmax gives NaN where anything is closed. Put float("-inf") in; the zeros after it can\'t help.',
    before=lambda s, mask: masked(s, mask, float("inf")),
)
steps.mistake(
    "−∞ stands on the wrong side: torch.where(mask, a, b) takes a where the mask is True, and masked_fill fills there. "
    "Scores belong where the mask is True, −∞ where it is False.",
    before=lambda s, mask: masked(s, ~mask),
)
steps.mistake(
    "The closed weights come out as −∞. After the softmax they should be 0: masked_fill(~mask, 0.0).",
    after=lambda w, mask: masked(w, mask),
)


@masked_attention.mistake(
    "You divide the scores by the root of d_v, the length of a value. It is √d_k, the length of a query: query.shape[-1]."
)
def scaled_by_values(query, key, value, mask):
    return steps(query, key, value, mask, scores=lambda q, k: q @ k.mT / value.shape[-1] ** 0.5)


steps.mistake(
    "query.shape[1] is d_k for a single sentence only. With batch and heads in front it is another axis: query.shape[-1].",
    scores=lambda q, k: q @ k.mT / q.shape[1] ** 0.5,
)


@masked_attention.mistake(
    "You divide by √d_k after the softmax. It belongs to the scores, before the softmax: then the weights still sum to 1."
)
def scaled_too_late(query, key, value, mask):
    return steps(
        query, key, value, mask, scores=dot_scores, after=lambda w, m: masked(w, m, 0.0) / query.shape[-1] ** 0.5
    )


@masked_attention.mistake(
    "You divide by √d_k twice, the second time after the softmax, where the weights no longer sum to 1. Once is enough: the scores."
)
def scaled_twice(query, key, value, mask):
    return steps(query, key, value, mask, after=lambda w, m: masked(w, m, 0.0) / query.shape[-1] ** 0.5)


@masked_attention.mistake(
    "A query with nothing to look at looks at the first key in your version. It should get weights of zero."
)
def looks_at_the_first(query, key, value, mask):
    first = torch.arange(mask.shape[-1]) == 0
    return steps(query, key, value, mask | (first & ~mask.any(-1, keepdim=True)))


@masked_attention.mistake(
    "The given mask isn't used: you make a causal one of your own. Who may look at whom is passed in."
)
def own_causal_mask(query, key, value, mask):
    causal = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool).tril()
    return steps(query, key, value, causal)


@masked_attention.mistake(
    "The output is right, the weights that you return aren't: a query that sees nothing has weights of its own there, and they should be zero. Return the ones that you mix with."
)
def zeros_in_the_output_alone(query, key, value, mask):
    low = {"before": lambda s, mask: masked(s, mask, -1e9)}
    return steps(query, key, value, mask, **low)[0], steps(query, key, value, mask, **low, after=unchanged)[1]


@masked_attention.mistake(
    "key.T turns all axes round, which is right for two axes only. .mT swaps the last two and leaves batch and heads alone."
)
def all_axes_turned(query, key, value, mask):
    return steps(query, key, value, mask, scores=lambda q, k: q @ common.all_axes_reversed(k) / q.shape[-1] ** 0.5)


common.output_only(masked_attention)
common.order_of_results(masked_attention)


@masked_attention.mistake(
    "The weights that you return are right, but the output is mixed with weights from before the mask. Use the same for both."
)
def output_without_mask(*inputs):
    return steps(*inputs, before=unchanged, after=unchanged)[0], steps(*inputs)[1]


@masked_attention.mistake(
    "The output is right; the weights that you return are those from before the mask. Return the ones that you mix with."
)
def weights_without_mask(*inputs):
    return steps(*inputs)[0], steps(*inputs, before=unchanged, after=unchanged)[1]


@masked_attention.mistake(
    "There are two softmaxes, one before the mask and one after it: what you set to 0 becomes e^0 = 1 in the second. One is enough, after −∞ has been put in."
)
def softmax_twice(*inputs):
    return steps(*inputs, before=unchanged, after=lambda w, mask: masked(w, mask, 0.0).softmax(-1))


@masked_attention.mistake(
    "Closed weights become 0 in the output alone, and after the softmax, in which what is closed has taken part. "
    "Put −∞ into the scores before it; then the weights that you return are right, too."
)
def zeros_on_the_way_to_the_values(*inputs):
    return steps(*inputs, before=unchanged)[0], steps(*inputs, before=unchanged, after=unchanged)[1]


@masked_attention.mistake(
    "As the second result you return the scores, as they were before mask and softmax. The weights are asked for."
)
def returns_plain_scores(*inputs):
    return steps(*inputs)[0], scaled_dot_scores(*inputs[:2])


@masked_attention.mistake("The output is free of NaN, the weights aren't. Repair the weights, and the output follows.")
def weights_still_nan(*inputs):
    return steps(*inputs)[0], steps(*inputs, after=unchanged)[1]


@masked_attention.mistake(
    "The weights are repaired too late: the output was mixed with NaN before. Repair them first, then mix."
)
def output_still_nan(*inputs):
    return steps(*inputs, after=unchanged)[0], steps(*inputs)[1]


@masked_attention.mistake(
    "As the second result you return the scores with their −∞. The weights are asked for, after the softmax."
)
def returns_scores(*inputs):
    return steps(*inputs)[0], steps(*inputs, softmax=lambda s: s, after=unchanged)[1]


@masked_attention.symptom(
    "Each query gives all open keys the same weight: the scores have no effect. It is the softmax of query @ key.mT / √d_k that gives the weights."
)
def equal_weights(inputs, answer):
    weights = answer[1]
    largest = weights.amax(-1, keepdim=True).expand_as(weights)
    return torch.allclose(weights[weights > 0], largest[weights > 0], atol=1e-4) and (weights > 0).sum() > len(weights)


@masked_attention.symptom(
    "Where a closed score is far higher than the open ones, their weights vanish: the softmax was taken with what is closed in it. Put −∞ in before it."
)
def closed_has_taken_part(inputs, answer):
    return _vanished(inputs, answer) and _far(inputs) > 80


@masked_attention.symptom(
    "Where all scores are very low, the weights vanish: exp of each is 0. Take the row's largest score off before exp, as torch's softmax does."
)
def plain_exp(inputs, answer):
    return _vanished(inputs, answer)


def _vanished(inputs, answer):
    some = inputs[3].expand(answer[1].shape).any(-1)
    return bool(some.any() and (answer[1][some].nan_to_num().abs().sum(-1) < 1e-6).any())


def _far(inputs):
    """By how much the highest closed score is above the highest open one."""
    scores, mask = scaled_dot_scores(*inputs[:2]), inputs[3]
    return (masked(scores, ~mask).amax(-1) - masked(scores, mask).amax(-1)).max()


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
    return not common.rows_sum_to_one(answer[1][some])


common.output_does_not_follow(masked_attention)
