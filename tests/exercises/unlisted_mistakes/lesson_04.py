"""Unlisted wrong answers to lesson 04, Masking."""

import torch
import torch.nn.functional as F

from unlisted_mistakes import wrong

# --- 04.causal_mask ---------------------------------------------------------------------------------------------------

K = "04.causal_mask"


def triangle(n, diagonal=0):
    return torch.ones(n, n, dtype=torch.bool).tril(diagonal)


@wrong(K)
def causal_for_three_words(n):
    return torch.tensor([[True, False, False], [True, True, False], [True, True, True]])


@wrong(K, "NumPy array")
def causal_as_numpy(n):
    return triangle(n).numpy()


@wrong(K, "uint8")
def causal_as_bytes(n):
    return triangle(n).byte()


@wrong(K, "float64")
def causal_as_doubles(n):
    return triangle(n).double()


@wrong(K, "a window")
def causal_window_of_three(n):
    return triangle(n) & ~triangle(n, -3)


@wrong(K, "doesn't see all that came before")
def causal_without_the_first(n):
    mask = triangle(n)
    mask[1:, 0] = False
    return mask


@wrong(K, "right after them")
def causal_that_opens_the_last_row_too_early(n):
    mask = triangle(n)
    mask[-2:] = True
    return mask


@wrong(K, "Your triangle is moved")
def causal_two_ahead(n):
    return triangle(n, 2)


@wrong(K)
def causal_two_behind(n):
    return triangle(n, -2)


@wrong(K, "comes after")
def causal_band(n):
    return triangle(n, 1) & triangle(n, 1).mT


@wrong(K, "wrong shape")
def causal_with_one_axis_more(n):
    return triangle(n)[None]


@wrong(K, "flat")
def causal_flat(n):
    return triangle(n).flatten()


@wrong(K, "The last row is missing")
def causal_for_the_next_word(n):
    return triangle(n)[:-1]


@wrong(K, "a tuple")
def causal_in_a_tuple(n):
    return (triangle(n),)


@wrong(K)
def causal_random(n):
    return torch.rand(n, n) < 0.5


@wrong(K, "return")
def causal_without_return(n):
    triangle(n)


@wrong(K, "comes after")
def causal_first_word_sees_all(n):
    return triangle(n) | (torch.arange(n) == 0)[:, None]


@wrong(K)
def causal_mirrored(n):
    return triangle(n).flip(1)


@wrong(K, "for even n")
def causal_for_even_lengths(n):
    if n % 2 and n > 1:
        raise ValueError("only for even n")
    return triangle(n)


@wrong(K, "finished")
def causal_by_the_library(n):
    from course_lib.masks import causal_mask

    return causal_mask(n)


# --- 04.masked_attention ----------------------------------------------------------------------------------------------

K = "04.masked_attention"


def scores_of(query, key):
    return query @ key.mT / query.shape[-1] ** 0.5


def attend(query, key, value, mask, fill=float("-inf")):
    weights = scores_of(query, key).masked_fill(~mask, fill).softmax(-1).masked_fill(~mask, 0.0)
    return weights @ value, weights


@wrong(K, "gradient is NaN")
def adds_minus_infinity(query, key, value, mask):
    weights = (scores_of(query, key) + mask.to(query.dtype).log()).softmax(-1).nan_to_num()
    return weights @ value, weights


@wrong(K)
def multiplies_by_infinity(query, key, value, mask):
    weights = (scores_of(query, key) * torch.where(mask, 1.0, float("-inf"))).softmax(-1).nan_to_num()
    return weights @ value, weights


@wrong(K, "gradient isn't")
def detached_scores(query, key, value, mask):
    return attend(query.detach(), key, value, mask)


@wrong(K, "no gradient flows")
def without_gradient(query, key, value, mask):
    with torch.no_grad():
        return attend(query, key, value, mask)


@wrong(K)
def minus_a_hundred(query, key, value, mask):
    return attend(query, key, value, mask, -100.0)


@wrong(K)
def minus_ten(query, key, value, mask):
    return attend(query, key, value, mask, -10.0)


@wrong(K)
def smallest_number_alone(query, key, value, mask):
    weights = scores_of(query, key).masked_fill(~mask, torch.finfo(query.dtype).min).softmax(-1)
    return weights @ value, weights


@wrong(K, "changes its input `mask`")
def changes_the_mask(query, key, value, mask):
    mask.logical_not_()
    weights = scores_of(query, key).masked_fill(mask, float("-inf")).softmax(-1).masked_fill(mask, 0.0)
    return weights @ value, weights


@wrong(K)
def only_the_first_sentence(query, key, value, mask):
    return attend(query, key, value, mask[:1] if mask.dim() > 2 else mask)


@wrong(K)
def only_the_first_head(query, key, value, mask):
    return attend(query, key, value, mask[..., :1, :, :] if mask.dim() > 2 else mask)


@wrong(K)
def always_causal(query, key, value, mask):
    return attend(query, key, value, torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool).tril())


@wrong(K)
def causal_too(query, key, value, mask):
    return attend(query, key, value, mask & torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool).tril())


@wrong(K)
def float32_always(query, key, value, mask):
    return attend(query.float(), key.float(), value.float(), mask)


@wrong(K)
def uniform_over_the_open(query, key, value, mask):
    weights = mask.to(query.dtype).expand(*query.shape[:-1], key.shape[-2])
    weights = weights / weights.sum(-1, keepdim=True).clamp(min=1)
    return weights @ value, weights


@wrong(K)
def masks_the_values(query, key, value, mask):
    weights = scores_of(query, key).softmax(-1)
    return (weights * mask) @ value, weights


@wrong(K)
def masks_by_the_last_query(query, key, value, mask):
    return attend(query, key, value, mask[..., -1:, :] if mask.dim() > 1 else mask)


@wrong(K)
def divided_by_one_more(query, key, value, mask):
    e = scores_of(query, key).masked_fill(~mask, float("-inf")).exp()
    weights = e / (1 + e.sum(-1, keepdim=True))
    return weights @ value, weights


@wrong(K)
def a_small_number_below(query, key, value, mask):
    weights = scores_of(query, key).softmax(-1) * mask
    weights = weights / (weights.sum(-1, keepdim=True) + 1e-9)
    return weights @ value, weights


@wrong(K)
def exp_without_the_maximum(query, key, value, mask):
    e = scores_of(query, key).exp() * mask
    weights = e / e.sum(-1, keepdim=True).clamp(min=1e-30)
    return weights @ value, weights


@wrong(K, "finished")
def by_torchs_own(query, key, value, mask):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask), None


@wrong(K)
def rounded(query, key, value, mask):
    output, weights = attend(query, key, value, mask)
    return output, weights.round(decimals=3)


# --- 04.decoder_mask --------------------------------------------------------------------------------------------------

K = "04.decoder_mask"


def both(ids, pad_id):
    return triangle(ids.shape[1]) & (ids != pad_id)[:, None, None, :]


@wrong(K, "wrong shape")
def two_axes(ids, pad_id):
    return both(ids, pad_id)[0, 0]


@wrong(K, "Only the first sentence")
def one_sentence_only(ids, pad_id):
    return both(ids, pad_id)[:1]


@wrong(K)
def by_one_broadcast_too_few(ids, pad_id):
    return (triangle(ids.shape[1]) & (ids != pad_id))[None, None]


@wrong(K)
def first_word_always(ids, pad_id):
    mask = both(ids, pad_id)
    mask[..., 0] = True
    return mask


@wrong(K)
def itself_always(ids, pad_id):
    return both(ids, pad_id) | torch.eye(ids.shape[1], dtype=torch.bool)


@wrong(K)
def up_to_the_first_padding(ids, pad_id):
    return both(ids, pad_id) & ((ids == pad_id).cumsum(1) == 0)[:, None, None, :]


@wrong(K)
def padding_from_the_last_word(ids, pad_id):
    return triangle(ids.shape[1]) & (ids != ids[:, -1:])[:, None, None, :]


@wrong(K)
def padding_is_the_smallest_id(ids, pad_id):
    return triangle(ids.shape[1]) & (ids != ids.min())[:, None, None, :]


@wrong(K)
def exclusive_or(ids, pad_id):
    return triangle(ids.shape[1]) ^ (ids != pad_id)[:, None, None, :]


@wrong(K)
def closed_for_equal_words(ids, pad_id):
    return both(ids, pad_id) & (ids[:, None, :, None] != ids[:, None, None, :])


@wrong(K)
def keys_turned(ids, pad_id):
    return both(ids, pad_id).mT


@wrong(K)
def lengths_less_one(ids, pad_id):
    mask = both(ids, pad_id)
    return mask & mask.roll(-1, -1)


@wrong(K, "int32")
def as_int32(ids, pad_id):
    return both(ids, pad_id).int()


@wrong(K)
def for_adding(ids, pad_id):
    return torch.zeros(both(ids, pad_id).shape).masked_fill(~both(ids, pad_id), float("-inf"))


@wrong(K, "changes its input")
def writes_into_the_ids(ids, pad_id):
    ids[ids == pad_id] = -1
    return triangle(ids.shape[1]) & (ids != -1)[:, None, None, :]


@wrong(K)
def everything_open_in_empty_rows(ids, pad_id):
    mask = both(ids, pad_id)
    return mask | ~mask.any(-1, keepdim=True)


# --- 04.repaired ------------------------------------------------------------------------------------------------------

K = "04.repaired"


def words(ids, pad_id):
    return (ids != pad_id)[:, None, None, :]


@wrong(K, "Expected 3 results")
def two_masks(source_ids, target_ids, pad_id):
    return words(source_ids, pad_id), both(target_ids, pad_id)


@wrong(K)
def in_another_order(source_ids, target_ids, pad_id):
    return both(target_ids, pad_id), words(source_ids, pad_id), words(source_ids, pad_id)


@wrong(K)
def cross_in_the_middle(source_ids, target_ids, pad_id):
    return words(source_ids, pad_id), words(source_ids, pad_id), both(target_ids, pad_id)


@wrong(K)
def causal_source_too(source_ids, target_ids, pad_id):
    return both(source_ids, pad_id), both(target_ids, pad_id), words(source_ids, pad_id)


@wrong(K)
def zero_is_padding(source_ids, target_ids, pad_id):
    return words(source_ids, 0), both(target_ids, 0), words(source_ids, 0)


@wrong(K)
def target_without_padding(source_ids, target_ids, pad_id):
    return words(source_ids, pad_id), words(target_ids, pad_id), words(source_ids, pad_id)


@wrong(K)
def target_closes_rows(source_ids, target_ids, pad_id):
    return (
        words(source_ids, pad_id),
        triangle(target_ids.shape[1]) & words(target_ids, pad_id).mT,
        words(source_ids, pad_id),
    )


@wrong(K)
def cross_turned(source_ids, target_ids, pad_id):
    return words(source_ids, pad_id), both(target_ids, pad_id), ~words(source_ids, pad_id)


@wrong(K)
def target_turned(source_ids, target_ids, pad_id):
    return words(source_ids, pad_id), ~both(target_ids, pad_id), words(source_ids, pad_id)


@wrong(K)
def texts_exchanged(source_ids, target_ids, pad_id):
    return words(target_ids, pad_id), both(source_ids, pad_id), words(target_ids, pad_id)


@wrong(K)
def as_floats(source_ids, target_ids, pad_id):
    return words(source_ids, pad_id).float(), both(target_ids, pad_id).float(), words(source_ids, pad_id).float()


@wrong(K)
def triangle_of_the_source(source_ids, target_ids, pad_id):
    n = target_ids.shape[1]
    return (
        words(source_ids, pad_id),
        torch.ones(n, source_ids.shape[1], dtype=torch.bool).tril() & words(target_ids, pad_id),
        words(source_ids, pad_id),
    )


@wrong(K)
def a_dictionary(source_ids, target_ids, pad_id):
    return {"source": words(source_ids, pad_id), "target": both(target_ids, pad_id), "cross": words(source_ids, pad_id)}


@wrong(K)
def cross_is_none(source_ids, target_ids, pad_id):
    return words(source_ids, pad_id), both(target_ids, pad_id), None


@wrong(K)
def exclusive_target(source_ids, target_ids, pad_id):
    return (
        words(source_ids, pad_id),
        triangle(target_ids.shape[1]) ^ words(target_ids, pad_id),
        words(source_ids, pad_id),
    )


@wrong(K)
def heads_missing(source_ids, target_ids, pad_id):
    return tuple(
        mask[:, 0] for mask in (words(source_ids, pad_id), both(target_ids, pad_id), words(source_ids, pad_id))
    )


@wrong(K, "one axis of length 1 too few")
def without_the_axis_of_heads(source_ids, target_ids, pad_id):
    mask = words(source_ids, pad_id)[:, 0]
    return mask, both(target_ids, pad_id)[:, 0], mask


@wrong(K, "one word too many")
def one_ahead_and_the_targets_keys(source_ids, target_ids, pad_id):
    target = triangle(target_ids.shape[1], 1) & words(target_ids, pad_id)
    return words(source_ids, pad_id), target, words(target_ids, pad_id)


@wrong(K, "True and False have changed places")
def target_closes_what_is_open(source_ids, target_ids, pad_id):
    return words(source_ids, pad_id), ~both(target_ids, pad_id), words(source_ids, pad_id)


# --- two mistakes at once: both are named -----------------------------------------------------------------------------


@wrong("04.masked_attention", "divide the scores by √d_k")
def no_scale_and_turned_mask(query, key, value, mask):
    weights = (query @ key.mT).masked_fill(mask, float("-inf")).softmax(-1).nan_to_num()
    return weights @ value, weights


@wrong("04.masked_attention", "masked_fill or torch.where")
def nan_replaced_in_place(query, key, value, mask):
    weights = scores_of(query, key).masked_fill(~mask, float("-inf")).softmax(-1)
    weights[weights.isnan()] = 0
    return weights @ value, weights


@wrong("04.decoder_mask", "Keep the lower triangle")
def upper_triangle_or_words(ids, pad_id):
    return triangle(ids.shape[1]).mT | words(ids, pad_id)


@wrong("04.decoder_mask", "Keep the diagonal")
def rows_and_no_diagonal(ids, pad_id):
    return triangle(ids.shape[1], -1) & words(ids, pad_id).mT
