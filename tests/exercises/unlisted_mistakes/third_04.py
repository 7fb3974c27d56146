"""A third fresh try at lesson 04. Each docstring says what is really wrong."""

import torch

from unlisted_mistakes import wrong
from unlisted_mistakes.first_04 import lower, padding, scores_of, three

K = "04.causal_mask"


@wrong(K)  # not told yet
def third_causal_abs(n):
    """The distance's sign is lost: neighbours on both sides are seen."""
    i = torch.arange(n)
    return (i[:, None] - i).abs() <= 1


@wrong(K, "The result should be a bool tensor, yours is a list.")
def third_causal_strings(n):
    """0 and 1 as a list of lists."""
    return [[int(j <= i) for j in range(n)] for i in range(n)]


@wrong(K, "Your function returns None.")
def third_causal_in_place_forgot(n):
    """Nothing is returned."""
    lower(n)


@wrong(K, "The result has the wrong shape:")
def third_causal_one_word_short(n):
    """n − 1 rows and columns."""
    return lower(n)[:-1, :-1]


@wrong(K, "Your triangle is moved:")
def third_causal_two_back(n):
    """A word sees neither itself nor the word before."""
    return torch.ones(n, n, dtype=torch.bool).tril(-2)


K = "04.masked_attention"


@wrong(K, "You divide by √d_k after the softmax.")
def third_masked_key_width_of_heads(query, key, value, mask):
    """Divided by √d_k after the softmax, not before."""
    weights = (query @ key.mT).masked_fill(~mask, -1e30).softmax(-1) * mask / query.shape[-1] ** 0.5
    return weights @ value, weights


@wrong(K, "A sigmoid stands where the softmax should:")
def third_masked_sigmoid(query, key, value, mask):
    """A sigmoid in place of the softmax."""
    weights = scores_of(query, key).sigmoid() * mask
    return weights @ value, weights


@wrong(K, "Each query gives all open keys the same weight:")
def third_masked_rows_from_the_mask(query, key, value, mask):
    """Equal weights for what is open: the scores aren't used."""
    weights = mask.float().expand(*query.shape[:-1], key.shape[-2])
    weights = (weights / weights.sum(-1, keepdim=True).clamp(min=1)).to(query.dtype)
    return weights @ value, weights


@wrong(K, "The weights are hard:")
def third_masked_best_only(query, key, value, mask):
    """Each query takes its best key only."""
    scores = scores_of(query, key).masked_fill(~mask, -1e30)
    weights = (scores == scores.amax(-1, keepdim=True)).to(query.dtype) * mask
    return weights @ value, weights


@wrong(K, "A query with nothing to look at looks at the first key in yo")
def third_masked_empty_gets_one(query, key, value, mask):
    """A query with nothing to look at looks at the first key."""
    mask = mask.clone()
    mask[..., 0] |= ~mask.any(-1)
    weights = scores_of(query, key).masked_fill(~mask, float("-inf")).softmax(-1)
    return weights @ value, weights


K = "04.decoder_mask"


@wrong(K, "Each word sees itself and the one before it only.")
def third_decoder_window(ids, pad_id):
    """Only the word before and the word itself are open."""
    n = ids.shape[1]
    return torch.ones(n, n, dtype=torch.bool).tril().triu(-1) & padding(ids, pad_id)


@wrong(K, "That is the mask for adding, 0 where one may look and a larg")
def third_decoder_additive(ids, pad_id):
    """A mask for adding: 0 and −1e9."""
    return (~(lower(ids.shape[1]) & padding(ids, pad_id))).float() * -1e9


@wrong(K, "The padding is one place off:")
def third_decoder_shifted_padding(ids, pad_id):
    """The padding is moved by one place: the next word decides."""
    real = (ids != pad_id).roll(-1, 1)
    return lower(ids.shape[1]) & real[:, None, None, :]


@wrong(K, "The rows of words are right, those of padding aren't.")
def third_decoder_padding_sees_everything(ids, pad_id):
    """Padding's rows are opened altogether."""
    return (lower(ids.shape[1]) & padding(ids, pad_id)) | (ids == pad_id)[:, None, :, None]


@wrong(K, "A place is open in your mask when any sentence has a word th")
def third_decoder_all_of_the_batch(ids, pad_id):
    """A place is open when any sentence has a word there."""
    real = (ids != pad_id).any(0).expand_as(ids)
    return lower(ids.shape[1]) & real[:, None, None, :]


K = "04.repaired"


@wrong(K, "The source's mask is turned round now.")
def third_repaired_source_negated(source_ids, target_ids, pad_id):
    """The source's mask, that was right, is turned round; the rest is repaired."""
    return three(source_ids, target_ids, pad_id, source=~padding(source_ids, pad_id))


@wrong(K, "The cross-attention's mask has the wrong shape:")
def third_repaired_strict_and_target_cross(source_ids, target_ids, pad_id):
    """A target word doesn't see itself, and the cross mask has the target's padding."""
    n = target_ids.shape[1]
    causal = torch.ones(n, n, dtype=torch.bool).tril(-1)
    return three(source_ids, target_ids, pad_id, causal=causal, cross=padding(target_ids, pad_id))


@wrong(K, "The source's mask has the wrong dtype:")
def third_repaired_floats(source_ids, target_ids, pad_id):
    """Floats, not booleans."""
    return tuple(mask.float() for mask in three(source_ids, target_ids, pad_id))


@wrong(K, "For the cross-attention you return the target's own mask.")
def third_repaired_same_mask(source_ids, target_ids, pad_id):
    """The target's mask is returned for the cross-attention."""
    source, target, _ = three(source_ids, target_ids, pad_id)
    return source, target, target
