"""A fourth fresh try at lesson 04, after it was mended. Each docstring says what is really wrong."""

import torch
import torch.nn.functional as F

from unlisted_mistakes import wrong
from unlisted_mistakes.first_04 import lower, padding, scores_of

INF = float("inf")

K = "04.causal_mask"


@wrong(K, "A word can't see itself in your mask, so the first")
def fourth_causal_loop_stops_early(n):
    """The inner range lacks its + 1."""
    mask = torch.zeros(n, n, dtype=torch.bool)
    for i in range(n):
        for j in range(i):
            mask[i, j] = True
    return mask


@wrong(K, "Turned over: your words see themselves and what")
def fourth_causal_compares_the_other_way(n):
    """i <= j with rows i."""
    i = torch.arange(n)
    return i[:, None] <= i


@wrong(K, "It holds floats, 1.0 and 0.0. A mask is boolean:")
def fourth_causal_ones_as_numbers(n):
    """tril of ones without a dtype."""
    return torch.tril(torch.ones((n, n)))


@wrong(K, "That is the mask for adding: 0 where one may look,")
def fourth_causal_generate(n):
    """torch's own for nn.Transformer: 0 and −∞."""
    return torch.nn.Transformer.generate_square_subsequent_mask(n)


@wrong(K, "You marked what is forbidden. In this course, as in")
def fourth_causal_hidden_is_true(n):
    """nn.MultiheadAttention's convention."""
    return torch.triu(torch.ones(n, n, dtype=torch.bool), diagonal=1)


@wrong(K, "The result has the wrong shape: expected (query 16,")
def fourth_causal_with_batch(n):
    """(1, n, n)."""
    return lower(n)[None]


K = "04.masked_attention"


@wrong(K, "−∞ stands on the wrong side: torch.where(mask, a,")
def fourth_masked_where_turned(query, key, value, mask):
    """torch.where with its two branches exchanged."""
    weights = torch.where(mask, torch.tensor(-INF, dtype=query.dtype), scores_of(query, key)).softmax(-1)
    weights = torch.where(mask, weights, 0.0)
    return weights @ value, weights


@wrong(K, "Where a closed score is far higher than the open")
def fourth_masked_divides_anew_with_eps(query, key, value, mask):
    """Zero afterwards, divided anew by sum + 1e-9."""
    weights = scores_of(query, key).softmax(-1) * mask
    weights = weights / (weights.sum(-1, keepdim=True) + 1e-9)
    return weights @ value, weights


@wrong(K, "You add the mask to the scores. True counts as 1,")
def fourth_masked_float_mask_added(query, key, value, mask):
    """The mask as floats is added to the scores."""
    weights = (scores_of(query, key) + mask.float()).softmax(-1)
    return weights @ value, weights


@wrong(K, "You set closed scores to 0, but 0 is a score like")
def fourth_masked_times_mask(query, key, value, mask):
    """Scores multiplied by the mask: closed scores are 0."""
    weights = (scores_of(query, key) * mask).softmax(-1)
    return weights @ value, weights


@wrong(K, "Two things at once. First: The scale is missing:")
def fourth_masked_times_mask_no_scale(query, key, value, mask):
    """Scores multiplied by the mask, and no scale: two mistakes."""
    weights = ((query @ key.mT) * mask).softmax(-1)
    return weights @ value, weights


@wrong(K, "The output contains NaN (not a number). Where could")
def fourth_masked_nan_and_no_scale(query, key, value, mask):
    """No scale, and NaN in empty rows."""
    weights = (query @ key.mT).masked_fill(~mask, -INF).softmax(-1)
    return weights @ value, weights


@wrong(K, "A query with nothing to look at gives NaN: 0")
def fourth_masked_log_of_mask(query, key, value, mask):
    """log(mask) added: −∞ and 0; the empty row is NaN."""
    weights = (scores_of(query, key) + mask.float().log()).softmax(-1)
    return weights @ value, weights


@wrong(K, "The mask has no effect: every query sees every")
def fourth_masked_fill_not_assigned(query, key, value, mask):
    """masked_fill without its underscore, result thrown away."""
    scores = scores_of(query, key)
    scores.masked_fill(~mask, -INF)
    weights = scores.softmax(-1)
    return weights @ value, weights


@wrong(K, "Closed weights become 0 in the output alone, and")
def fourth_masked_values_masked(query, key, value, mask):
    """The values of padding are set to zero, the weights stay as they are."""
    weights = scores_of(query, key).softmax(-1)
    return (weights * mask) @ value, weights


@wrong(K, "A query that sees nothing gets equal weights,")
def fourth_masked_nan_to_num_first(query, key, value, mask):
    """nan_to_num on the scores: −∞ becomes a large negative number, and the empty row is even."""
    weights = torch.nan_to_num(scores_of(query, key).masked_fill(~mask, -INF)).softmax(-1)
    return weights @ value, weights


@wrong(K, "A query that sees nothing gets equal weights,")
def fourth_masked_empty_row_uniform(query, key, value, mask):
    """An empty row is replaced by equal weights."""
    weights = scores_of(query, key).masked_fill(~mask, -INF).softmax(-1)
    weights = torch.where(weights.isnan(), 1 / key.shape[-2], weights)
    return weights @ value, weights


K = "04.decoder_mask"


@wrong(K, "You close the rows of padding, not its columns.")
def fourth_decoder_rows(ids, pad_id):
    """Padding on the rows."""
    return lower(ids.shape[1]) & (ids != pad_id)[:, None, :, None]


@wrong(K, "`|` opens what either of the two allows. A key must")
def fourth_decoder_or(ids, pad_id):
    """Joined by |."""
    return lower(ids.shape[1]) | padding(ids, pad_id)


@wrong(K, "All is turned round: True stands where one may not")
def fourth_decoder_pad_true(ids, pad_id):
    """nn.MultiheadAttention's convention for both."""
    return ~lower(ids.shape[1]) | ~padding(ids, pad_id)


@wrong(K, "The axis of heads is missing: (batch, 1, n, n)")
def fourth_decoder_without_head(ids, pad_id):
    """(batch, n, n)."""
    return lower(ids.shape[1]) & (ids != pad_id)[:, None, :]


@wrong(K, "The last two axes have changed places: the queries")
def fourth_decoder_upper_and_padding_rows(ids, pad_id):
    """Two at once: the upper triangle, and padding on the rows."""
    n = ids.shape[1]
    return torch.ones(n, n, dtype=torch.bool).triu() & (ids != pad_id)[:, None, :, None]


@wrong(K, "You compare with 0. Here padding may have another")
def fourth_decoder_is_zero(ids, pad_id):
    """Truth of the id itself."""
    return lower(ids.shape[1]) & ids.bool()[:, None, None, :]


@wrong(K, "In `lower(ids.shape[1]) and padding(ids, pad_id)`,")
def fourth_decoder_and_word(ids, pad_id):
    """Python's `and`."""
    return lower(ids.shape[1]) and padding(ids, pad_id)


@wrong(K, "The result should be a bool tensor, yours is a")
def fourth_decoder_batch_loop(ids, pad_id):
    """A list of masks, one a sentence, not stacked."""
    return [lower(ids.shape[1]) & (row != pad_id) for row in ids]


@wrong(K, "The axis of heads is missing: (batch, 1, n, n)")
def fourth_decoder_stacked_without_head(ids, pad_id):
    """Stacked, but the head's axis is missing."""
    return torch.stack([lower(ids.shape[1]) & (row != pad_id) for row in ids])


K = "04.by_gradient"


def rows(layer, x, of=lambda y, i: (y[i] * torch.randn_like(y[i])).sum(), seen=lambda g: (g != 0).any(-1)):
    x = x.clone().requires_grad_()
    y = layer(x)
    return [seen(torch.autograd.grad(of(y, i), x, retain_graph=True)[0]) for i in range(len(x))]


@wrong(K, "A plain sum, or a mean, of an output's numbers can")
def fourth_detector_plain_sum(layer, x):
    """output[i].sum()."""
    return torch.stack(rows(layer, x, lambda y, i: y[i].sum()))


@wrong(K, "The result has the wrong dtype: expected bool, got")
def fourth_detector_norm(layer, x):
    """The plain sum of the output, and the length of the gradients in place of True and False."""
    return torch.stack(rows(layer, x, lambda y, i: y[i].sum(), lambda g: g.norm(dim=-1)))


@wrong(K, "Rows and columns have changed places: the row is")
def fourth_detector_columns(layer, x):
    """Stacked along dim=1: transposed."""
    return torch.stack(rows(layer, x), dim=1)


@wrong(K, "Two things at once. First: A plain sum, or a mean,")
def fourth_detector_columns_and_sum(layer, x):
    """Two at once: transposed, and a plain sum."""
    return torch.stack(rows(layer, x, lambda y, i: y[i].sum()), dim=1)


@wrong(K, "In `(torch.autograd.grad(y[i].sum(), x,")
def fourth_detector_tuple(layer, x):
    """autograd.grad's tuple isn't unpacked."""
    x = x.clone().requires_grad_()
    y = layer(x)
    return torch.stack([(torch.autograd.grad(y[i].sum(), x, retain_graph=True) != 0).any(-1) for i in range(len(x))])


@wrong(K, "That is a single True. A comparison with a tensor's")
def fourth_detector_grad_is_none(layer, x):
    """backward on a copy; x.grad of the original."""
    copy = x.clone().requires_grad_()
    layer(copy).sum().backward()
    return x.grad != 0


@wrong(K, "True and False have changed places: True where the")
def fourth_detector_equal_zero(layer, x):
    """== 0."""
    return torch.stack(rows(layer, x, seen=lambda g: (g == 0).all(-1)))


@wrong(K, "A plain sum, or a mean, of an output's numbers can")
def fourth_detector_input_weighted(layer, x):
    """Weights one number a word, then the plain sum over its numbers."""
    x = x.clone().requires_grad_()
    y = layer(x)
    r = torch.randn(len(y), dtype=x.dtype)
    return torch.stack(
        [(torch.autograd.grad(r[i] * y[i].sum(), x, retain_graph=True)[0] != 0).any(-1) for i in range(len(x))]
    )


@wrong(K, "A very small influence goes unseen in your version:")
def fourth_detector_threshold(layer, x):
    """> 1e-8."""
    return torch.stack(rows(layer, x, seen=lambda g: g.abs().amax(-1) > 1e-8))


@wrong(K, "The result has the wrong shape: expected (output 5,")
def fourth_detector_only_itself(layer, x):
    """Asks each output for its own input."""
    x = x.clone().requires_grad_()
    y = layer(x)
    return torch.stack([(torch.autograd.grad(y[i].sum(), x, retain_graph=True)[0][i] != 0) for i in range(len(x))])


@wrong(K, "You return a list of 5 tensors. Make one of them:")
def fourth_detector_stack_forgotten(layer, x):
    """A list of rows."""
    return rows(layer, x)


@wrong(K, "The table holds a row for each output and in it all")
def fourth_detector_any_missing(layer, x):
    """(n, n, d)."""
    return torch.stack(rows(layer, x, seen=lambda g: g != 0))


@wrong(K, "Only the row of the first output comes back. Does")
def fourth_detector_last_row(layer, x):
    """return inside the loop."""
    return rows(layer, x)[0]


@wrong(K, "your table doesn't say so")
def fourth_detector_softmax(layer, x):
    """A softmax over the output's numbers before they are summed: always 1."""
    return torch.stack(rows(layer, x, lambda y, i: F.softmax(y[i], -1).sum()))


K = "04.repaired"


def pair(source_ids, target_ids, pad_id, triangle=torch.tril, join=torch.logical_and, cross=None):
    n = target_ids.shape[1]
    target = join(triangle(torch.ones(n, n, dtype=torch.bool)), padding(target_ids, pad_id))
    source = padding(source_ids, pad_id)
    return source, target, source if cross is None else cross


@wrong(K, "One found: the triangle is the lower one now. How")
def fourth_repaired_triangle_only(source_ids, target_ids, pad_id):
    """Only the triangle is mended."""
    return pair(source_ids, target_ids, pad_id, join=torch.logical_or, cross=padding(target_ids, pad_id))


@wrong(K, "In cross-attention the keys are the source's, so")
def fourth_repaired_two_of_three(source_ids, target_ids, pad_id):
    """The cross mask is as it was."""
    return pair(source_ids, target_ids, pad_id, cross=padding(target_ids, pad_id))


@wrong(K, "The diagonal of the triangle has gone: a word may")
def fourth_repaired_strict(source_ids, target_ids, pad_id):
    """tril(-1)."""
    return pair(source_ids, target_ids, pad_id, triangle=lambda m: m.tril(-1))


@wrong(K, "The source's mask is causal now. When the target is")
def fourth_repaired_all_causal(source_ids, target_ids, pad_id):
    """The source is causal, too."""
    source, target, cross = pair(source_ids, target_ids, pad_id)
    return source & lower(source_ids.shape[1]), target, cross


@wrong(K, "In the cross-attention the axes have changed")
def fourth_repaired_cross_both(source_ids, target_ids, pad_id):
    """Cross: rows of the source, columns of the target."""
    cross = (source_ids != pad_id)[:, None, :, None] & padding(target_ids, pad_id)
    return pair(source_ids, target_ids, pad_id, cross=cross)


@wrong(K, "The cross-attention's mask has the wrong shape:")
def fourth_repaired_flat(source_ids, target_ids, pad_id):
    """Cross as (batch, n_source)."""
    return pair(source_ids, target_ids, pad_id, cross=source_ids != pad_id)


@wrong(K, "Expected 3 results: (batch head query key), then")
def fourth_repaired_only_two(source_ids, target_ids, pad_id):
    """Two masks are returned."""
    return pair(source_ids, target_ids, pad_id)[:2]
