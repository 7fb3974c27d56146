"""A second fresh try at lesson 04, after the mending of the first. Each docstring says what is really wrong."""

import torch
import torch.nn.functional as F

from unlisted_mistakes import wrong
from unlisted_mistakes.first_04 import LEAKS, lower, padding, scores_of, three

K = "04.causal_mask"


@wrong(K, "Nothing is open:")
def second_causal_cumsum_compared(n):
    """All is False: the comparison is one off in each column."""
    return torch.ones(n, n).cumsum(1) <= torch.arange(n)


@wrong(K)  # not told yet
def second_causal_first_row_open(n):
    """The first row is opened altogether."""
    mask = lower(n)
    mask[0] = True
    return mask


@wrong(K, "Some words don't see themselves.")
def second_causal_strict_but_first_column(n):
    """A word doesn't see itself, except the first."""
    mask = lower(n) & ~torch.eye(n, dtype=torch.bool)
    mask[:, 0] = True
    return mask


@wrong(K, "The result has the wrong shape:")
def second_causal_three_axes(n):
    """An axis too many, (1, n, n)."""
    return lower(n).unsqueeze(0)


@wrong(K, "That is a mask for adding, 0 where one may look and a large")
def second_causal_large_negative(n):
    """A mask for adding, with −1e9."""
    return (~lower(n)).float() * -1e9


@wrong(K, "The mask is flat, a single row of n · n.")
def second_causal_square_of_n(n):
    """The mask is flat: one row of n · n."""
    return lower(n).flatten()


@wrong(K, "Only the first, which is right, is asked for.")
def second_causal_pair(n):
    """Two things are returned, the mask and its opposite."""
    return lower(n), ~lower(n)


@wrong(K)  # not told yet
def second_causal_every_second(n):
    """Each word sees only every second of those before it."""
    i = torch.arange(n)
    return lower(n) & ((i[:, None] - i) % 2 == 0)


K = "04.masked_attention"


@wrong(K, "+∞ stands where −∞ should:")
def second_masked_plus_infinity(query, key, value, mask):
    """+∞ in place of −∞."""
    weights = scores_of(query, key).masked_fill(~mask, float("inf")).softmax(-1)
    return weights @ value, weights


@wrong(K, "Two things at once. First: You close what is open: True means “may loo")
def second_masked_where_swapped(query, key, value, mask):
    """where's two values are exchanged: what is open is closed."""
    weights = torch.where(mask, torch.tensor(-1e9), scores_of(query, key)).softmax(-1)
    return weights @ value, weights


@wrong(K, "Where a closed score is far higher than the open ones, their")
def second_masked_renormalised(query, key, value, mask):
    """Masked after the softmax and divided by the sum: the open ones are 0 where a closed score is far higher."""
    weights = scores_of(query, key).softmax(-1) * mask
    weights = weights / weights.sum(-1, keepdim=True).clamp(min=1e-12)
    return weights @ value, weights


@wrong(K, "Where all scores are very low, the weights vanish:")
def second_masked_plain_exp(query, key, value, mask):
    """exp without the maximum taken off: 0 / 0 for very low scores."""
    e = scores_of(query, key).exp() * mask
    weights = e / e.sum(-1, keepdim=True).clamp(min=1e-12)
    return weights @ value, weights


@wrong(K)  # not told yet
def second_masked_first_mask_for_all(query, key, value, mask):
    """The first sentence's mask is used for all."""
    mask = mask[:1].expand_as(mask) if mask.dim() > 2 else mask
    weights = scores_of(query, key).masked_fill(~mask, -1e9).softmax(-1) * mask
    return weights @ value, weights


@wrong(K, "Your weights are right, but the output isn't:")
def second_masked_sum_for_mean(query, key, value, mask):
    """The output is multiplied by the number of open keys."""
    weights = scores_of(query, key).masked_fill(~mask, -1e9).softmax(-1) * mask
    return (weights @ value) * mask.sum(-1, keepdim=True), weights


@wrong(K, "The numbers are right, but the gradient isn't:")
def second_masked_detached(query, key, value, mask):
    """The weights are cut off from the gradient."""
    weights = scores_of(query, key).detach().masked_fill(~mask, -1e9).softmax(-1) * mask
    return weights @ value, weights


@wrong(K, "Called twice with the same input, your code gives two differ")
def second_masked_dropout(query, key, value, mask):
    """Weights are dropped out at random."""
    weights = F.dropout(scores_of(query, key).masked_fill(~mask, -1e9).softmax(-1) * mask, 0.3)
    return weights @ value, weights


K = "04.decoder_mask"


@wrong(K, "Turned over:")
def second_decoder_triu_expanded(ids, pad_id):
    """The upper triangle is kept."""
    n = ids.shape[1]
    return padding(ids, pad_id).expand(-1, 1, n, n).triu()


@wrong(K, "Two things at once. First: You close the rows of padding as well. That")
def second_decoder_words_by_words(ids, pad_id):
    """Words with words: padding's rows are closed, too, and what comes later is open."""
    real = ids != pad_id
    return (real[:, :, None] & real[:, None, :])[:, None]


@wrong(K, "Rows that would be empty are opened again.")
def second_decoder_opens_empty_rows(ids, pad_id):
    """Rows that would be empty are opened altogether."""
    mask = lower(ids.shape[1]) & padding(ids, pad_id)
    return mask | ~mask.any(-1, keepdim=True)


@wrong(K, "Only the last column is closed for padding.")
def second_decoder_last_column_only(ids, pad_id):
    """Only the last column is closed for padding."""
    mask = lower(ids.shape[1]).expand(len(ids), 1, -1, -1).clone()
    mask[..., -1] &= (ids[:, -1] != pad_id)[:, None, None]
    return mask


@wrong(K, "The result should be a bool tensor, yours is a list.")
def second_decoder_list(ids, pad_id):
    """A list of masks, one for each sentence, not a tensor."""
    return [lower(ids.shape[1]) & (row != pad_id) for row in ids]


@wrong(K, "Two things at once. First: you count the words and take the places fro")
def second_decoder_own_triangle_of_lengths(ids, pad_id):
    """The words' number, not their places: padding in front shifts everything; and the rows of padding are empty."""
    n = ids.shape[1]
    length = (ids != pad_id).sum(1)[:, None, None, None]
    i = torch.arange(n)
    return lower(n) & (i < length) & (i[:, None] < length)


K = "04.planted_leaks"
for numbers in (
    (0, 60, 36, 20, 12),  # over the batch: times 4
    (0, 15, 9, 0, 12),  # by gradient only
    (21, 36, 30, 26, 16),  # all that is seen
    (0, 5, 5, 5, 3),  # one ahead, or one of each
    (0, 15, 9, 5, 4 * 3 / 16),  # a share
):
    wrong(K)(dict(zip(LEAKS, numbers)))

K = "04.repaired"


@wrong(K, "`|` opens what either of the two allows, the triangle or the")
def second_repaired_plus(source_ids, target_ids, pad_id):
    """Joined by +, which is "or" for booleans."""
    n = target_ids.shape[1]
    return three(source_ids, target_ids, pad_id, target=lower(n) + padding(target_ids, pad_id))


@wrong(K, "Expected 3 results:")
def second_repaired_dictionary(source_ids, target_ids, pad_id):
    """A dictionary is returned."""
    return dict(zip(("source", "target", "cross"), three(source_ids, target_ids, pad_id)))


@wrong(K, "Expected 3 results:")
def second_repaired_two(source_ids, target_ids, pad_id):
    """Only two masks are returned."""
    return three(source_ids, target_ids, pad_id)[1:]


@wrong(K, "Two things at once. First: The cross-attention is causal now. When the")
def second_repaired_source_and_cross_causal(source_ids, target_ids, pad_id):
    """Source and cross mask are made causal, too."""
    source, target, _ = three(source_ids, target_ids, pad_id)
    n, m = target_ids.shape[1], source_ids.shape[1]
    return source & lower(m), target, source & torch.ones(n, m, dtype=torch.bool).tril()


@wrong(K, "The triangle has the source's length.")
def second_repaired_triangle_of_the_source(source_ids, target_ids, pad_id):
    """The triangle has the source's length."""
    return three(source_ids, target_ids, pad_id, causal=lower(source_ids.shape[1]))


@wrong(K, "In the cross-attention both paddings stand on the axis of ke")
def second_repaired_cross_of_both_as_keys(source_ids, target_ids, pad_id):
    """The cross mask joins both paddings on the keys' axis, which have different lengths."""
    return three(source_ids, target_ids, pad_id, cross=padding(source_ids, pad_id) & padding(target_ids, pad_id))


@wrong(K, "The target's words see the padding and nothing else:")
def second_repaired_not_pad(source_ids, target_ids, pad_id):
    """== for != in the target's mask."""
    n = target_ids.shape[1]
    return three(source_ids, target_ids, pad_id, target=lower(n) & ~padding(target_ids, pad_id))
