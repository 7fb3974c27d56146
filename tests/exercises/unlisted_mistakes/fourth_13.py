"""Twelve ordinary wrong answers for each code exercise of lesson 13, written before any was judged."""

import math

import torch
import torch.nn.functional as F

from unlisted_mistakes import wrong

# --- 13.1: find the leaks ----------------------------------------------------------------------------------------------


@wrong("13.next_word_logits")
def fourth_mask_after_softmax_renormalised(ids, W_e, W_p, W_Q, W_K, W_V):
    """Mask mended, the norm is taken over batch and features, dim=(0, 2)."""
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p[:n]
    x = (h - h.mean(dim=(0, 2), keepdim=True)) / h.std(dim=(0, 2), keepdim=True, correction=0)
    query, key, value = x @ W_Q, x @ W_K, x @ W_V
    scores = query @ key.mT / d**0.5
    allowed = torch.ones(n, n, dtype=torch.bool).tril()
    weights = scores.masked_fill(~allowed, float("-inf")).softmax(dim=-1)
    return (h + weights @ value) @ W_e.mT


@wrong("13.next_word_logits")
def fourth_tril_minus_one_and_old_norm(ids, W_e, W_p, W_Q, W_K, W_V):
    """Two: tril(-1), with the first place NaN, and the norm still over the text."""
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p[:n]
    x = (h - h.mean(dim=1, keepdim=True)) / h.std(dim=1, keepdim=True, correction=0)
    query, key, value = x @ W_Q, x @ W_K, x @ W_V
    scores = query @ key.mT / d**0.5
    allowed = torch.ones(n, n, dtype=torch.bool).tril(diagonal=-1)
    weights = scores.masked_fill(~allowed, float("-inf")).softmax(dim=-1)
    return (h + weights @ value) @ W_e.mT


@wrong("13.next_word_logits")
def fourth_norm_of_the_output(ids, W_e, W_p, W_Q, W_K, W_V):
    """Post-norm: h isn't normalised before attention, the sum is."""
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p[:n]
    scores = (h @ W_Q) @ (h @ W_K).mT / d**0.5
    allowed = torch.ones(n, n, dtype=torch.bool).tril()
    weights = scores.masked_fill(~allowed, float("-inf")).softmax(dim=-1)
    h = h + weights @ (h @ W_V)
    return (h - h.mean(dim=-1, keepdim=True)) / h.std(dim=-1, keepdim=True, correction=0) @ W_e.mT


@wrong("13.next_word_logits")
def fourth_std_without_correction(ids, W_e, W_p, W_Q, W_K, W_V):
    """Mean and spread over dim=-1, mask with tril(), but correction=0 was deleted and eps added."""
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p[:n]
    x = (h - h.mean(dim=-1, keepdim=True)) / (h.std(dim=-1, keepdim=True) + 1e-5)
    query, key, value = x @ W_Q, x @ W_K, x @ W_V
    scores = query @ key.mT / d**0.5
    allowed = torch.ones(n, n, dtype=torch.bool).tril()
    weights = scores.masked_fill(~allowed, float("-inf")).softmax(dim=-1)
    return (h + weights @ value) @ W_e.mT


@wrong("13.next_word_logits")
def fourth_mask_of_zeros(ids, W_e, W_p, W_Q, W_K, W_V):
    """allowed is a float matrix: ~ on it fails."""
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p[:n]
    x = (h - h.mean(dim=-1, keepdim=True)) / h.std(dim=-1, keepdim=True, correction=0)
    scores = (x @ W_Q) @ (x @ W_K).mT / d**0.5
    allowed = torch.ones(n, n).tril()
    weights = scores.masked_fill(~allowed, float("-inf")).softmax(dim=-1)
    return (h + weights @ (x @ W_V)) @ W_e.mT


@wrong("13.next_word_logits")
def fourth_positions_dropped(ids, W_e, W_p, W_Q, W_K, W_V):
    """Both leaks closed, the positions are gone."""
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids]
    x = (h - h.mean(dim=-1, keepdim=True)) / h.std(dim=-1, keepdim=True, correction=0)
    scores = (x @ W_Q) @ (x @ W_K).mT / d**0.5
    allowed = torch.ones(n, n, dtype=torch.bool).tril()
    weights = scores.masked_fill(~allowed, float("-inf")).softmax(dim=-1)
    return (h + weights @ (x @ W_V)) @ W_e.mT


@wrong("13.next_word_logits")
def fourth_minus_1e9_added_to_allowed(ids, W_e, W_p, W_Q, W_K, W_V):
    """The allowed ones get the large negative number: the mask is the wrong way round, with -1e9."""
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p[:n]
    x = (h - h.mean(dim=-1, keepdim=True)) / h.std(dim=-1, keepdim=True, correction=0)
    scores = (x @ W_Q) @ (x @ W_K).mT / d**0.5
    allowed = torch.ones(n, n, dtype=torch.bool).tril()
    weights = (scores + -1e9 * allowed).softmax(dim=-1)
    return (h + weights @ (x @ W_V)) @ W_e.mT


@wrong("13.next_word_logits")
def fourth_logits_shifted(ids, W_e, W_p, W_Q, W_K, W_V):
    """Leaks closed, and the last place is cut off, as if the loss were computed here."""
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p[:n]
    x = (h - h.mean(dim=-1, keepdim=True)) / h.std(dim=-1, keepdim=True, correction=0)
    scores = (x @ W_Q) @ (x @ W_K).mT / d**0.5
    allowed = torch.ones(n, n, dtype=torch.bool).tril()
    weights = scores.masked_fill(~allowed, float("-inf")).softmax(dim=-1)
    return ((h + weights @ (x @ W_V)) @ W_e.mT)[:, :-1]


@wrong("13.next_word_logits")
def fourth_only_last_place(ids, W_e, W_p, W_Q, W_K, W_V):
    """Leaks closed, but only the last word's logits are given back."""
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p[:n]
    x = (h - h.mean(dim=-1, keepdim=True)) / h.std(dim=-1, keepdim=True, correction=0)
    scores = (x @ W_Q) @ (x @ W_K).mT / d**0.5
    allowed = torch.ones(n, n, dtype=torch.bool).tril()
    weights = scores.masked_fill(~allowed, float("-inf")).softmax(dim=-1)
    return (h + weights @ (x @ W_V))[:, -1] @ W_e.mT


@wrong("13.next_word_logits")
def fourth_w_p_for_w_e(ids, W_e, W_p, W_Q, W_K, W_V):
    """No mean subtracted: divided by the root mean square (RMSNorm)."""
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p[:n]
    x = h / h.pow(2).mean(dim=-1, keepdim=True).sqrt()
    scores = (x @ W_Q) @ (x @ W_K).mT / d**0.5
    allowed = torch.ones(n, n, dtype=torch.bool).tril()
    weights = scores.masked_fill(~allowed, float("-inf")).softmax(dim=-1)
    return (h + weights @ (x @ W_V)) @ W_e.mT


@wrong("13.next_word_logits")
def fourth_mask_on_queries_axis(ids, W_e, W_p, W_Q, W_K, W_V):
    """Leaks closed, keys and queries have changed places in the scores."""
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p[:n]
    x = (h - h.mean(dim=-1, keepdim=True)) / h.std(dim=-1, keepdim=True, correction=0)
    scores = (x @ W_K) @ (x @ W_Q).mT / d**0.5
    allowed = torch.ones(n, n, dtype=torch.bool).tril()
    weights = scores.masked_fill(~allowed, float("-inf")).softmax(dim=-1)
    return (h + weights @ (x @ W_V)) @ W_e.mT


@wrong("13.next_word_logits")
def fourth_norm_of_first_word(ids, W_e, W_p, W_Q, W_K, W_V):
    """Mean and spread of the first word alone: knows no future, but isn't each vector's own."""
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p[:n]
    first = h[:, :1]
    x = (h - first.mean(dim=-1, keepdim=True)) / first.std(dim=-1, keepdim=True, correction=0)
    scores = (x @ W_Q) @ (x @ W_K).mT / d**0.5
    allowed = torch.ones(n, n, dtype=torch.bool).tril()
    weights = scores.masked_fill(~allowed, float("-inf")).softmax(dim=-1)
    return (h + weights @ (x @ W_V)) @ W_e.mT


# --- 13.2: the loss ----------------------------------------------------------------------------------------------------


@wrong("13.lm_loss")
def fourth_loss_mask_of_read_and_wanted(logits, ids, pad_id):
    """A place counts only if it and the one before are no padding, and the first place of all is left out."""
    log_p = logits[:, 1:-1].log_softmax(-1)
    wanted = ids[:, 2:]
    right = log_p.gather(-1, wanted[..., None]).squeeze(-1)
    return -right[wanted != pad_id].mean()


@wrong("13.lm_loss")
def fourth_loss_sum_over_batch_len(logits, ids, pad_id):
    """Summed over the places, averaged over the texts (batchmean)."""
    loss = F.cross_entropy(logits[:, :-1].transpose(1, 2), ids[:, 1:], ignore_index=pad_id, reduction="none")
    return loss.sum(1).mean()


@wrong("13.lm_loss")
def fourth_loss_transposed_wrongly(logits, ids, pad_id):
    """cross_entropy without moving the vocabulary to axis 1: shapes don't fit."""
    return F.cross_entropy(logits[:, :-1], ids[:, 1:], ignore_index=pad_id)


@wrong("13.lm_loss")
def fourth_loss_pad_id_minus_100(logits, ids, pad_id):
    """The default ignore_index is relied on: padding counts."""
    logits, wanted = logits[:, :-1], ids[:, 1:]
    return F.cross_entropy(logits.reshape(-1, logits.shape[-1]), wanted.reshape(-1))


@wrong("13.lm_loss")
def fourth_loss_log2(logits, ids, pad_id):
    """log2 of the softmax: bits."""
    p = logits[:, :-1].softmax(-1).gather(-1, ids[:, 1:, None]).squeeze(-1)
    return -torch.log2(p)[ids[:, 1:] != pad_id].mean()


@wrong("13.lm_loss")
def fourth_loss_kept_by_count_of_ids(logits, ids, pad_id):
    """Divided by the number of all real tokens, the first of each text too."""
    log_p = logits[:, :-1].log_softmax(-1).gather(-1, ids[:, 1:, None]).squeeze(-1)
    return -(log_p * (ids[:, 1:] != pad_id)).sum() / (ids != pad_id).sum()


@wrong("13.lm_loss")
def fourth_loss_squeeze_lost(logits, ids, pad_id):
    """gather keeps its axis of one; the mask broadcasts against it."""
    log_p = logits[:, :-1].log_softmax(-1).gather(-1, ids[:, 1:, None])
    kept = (ids[:, 1:] != pad_id).to(log_p.dtype)
    return -(log_p * kept).sum() / kept.sum()


@wrong("13.lm_loss")
def fourth_loss_indexing_all_pairs(logits, ids, pad_id):
    """log_p[..., ids] picks every id at every place."""
    log_p = logits[:, :-1].log_softmax(-1)
    wanted = ids[:, 1:]
    picked = log_p[:, :, wanted]
    return -picked.mean()


@wrong("13.lm_loss")
def fourth_loss_max_subtracted_only(logits, ids, pad_id):
    """Log of the sum of exponentials forgotten: logit less the largest logit."""
    said, wanted = logits[:, :-1], ids[:, 1:]
    right = said.gather(-1, wanted[..., None]).squeeze(-1) - said.amax(-1)
    return -right[wanted != pad_id].mean()


@wrong("13.lm_loss")
def fourth_loss_pads_from_logits_first(logits, ids, pad_id):
    """The last real token's place is left out: padding is looked up in the ids read and wanted both, one too many."""
    log_p = logits[:, :-1].log_softmax(-1).gather(-1, ids[:, 1:, None]).squeeze(-1)
    after = torch.cat([ids[:, 2:], torch.full_like(ids[:, :1], pad_id)], dim=1)
    return -log_p[after != pad_id].mean()


@wrong("13.lm_loss")
def fourth_loss_sigmoid(logits, ids, pad_id):
    """Binary cross-entropy with one-hot targets in place of the softmax's."""
    wanted = ids[:, 1:]
    target = F.one_hot(wanted, logits.shape[-1]).to(logits.dtype)
    loss = F.binary_cross_entropy_with_logits(logits[:, :-1], target, reduction="none").sum(-1)
    return loss[wanted != pad_id].mean()


@wrong("13.lm_loss")
def fourth_loss_first_row(logits, ids, pad_id):
    """Returned inside the loop: only the first text's loss."""
    for row, text in zip(logits, ids):
        kept = text[1:] != pad_id
        return F.cross_entropy(row[:-1][kept], text[1:][kept])


# --- 13.4: the nucleus -------------------------------------------------------------------------------------------------


@wrong("13.top_p_filter")
def fourth_top_no_scatter(probabilities, p):
    """The sorted nucleus is indexed by order instead of scattered: [order]."""
    values, order = probabilities.sort(dim=-1, descending=True)
    values = values * (values.cumsum(-1) - values < p)
    values = values / values.sum(-1, keepdim=True)
    return torch.take_along_dim(values, order, dim=-1)


@wrong("13.top_p_filter")
def fourth_top_one_row_only(probabilities, p):
    """sum() without keepdim: the shapes don't fit, or the wrong rows are divided."""
    values, order = probabilities.sort(dim=-1, descending=True)
    values = values * (values.cumsum(-1) - values < p)
    kept = torch.zeros_like(probabilities).scatter(-1, order, values)
    return kept / kept.sum(-1)


@wrong("13.top_p_filter")
def fourth_top_strict_keeps_first(probabilities, p):
    """cumsum < p, with the first always kept: the crossing one is dropped."""
    values, order = probabilities.sort(dim=-1, descending=True)
    keep = values.cumsum(-1) < p
    keep[..., 0] = True
    kept = torch.zeros_like(probabilities).scatter(-1, order, values * keep)
    return kept / kept.sum(-1, keepdim=True)


@wrong("13.top_p_filter")
def fourth_top_renormalise_by_softmax_log(probabilities, p):
    """Not renormalised, and the crossing word is dropped."""
    values, order = probabilities.sort(dim=-1, descending=True)
    return torch.zeros_like(probabilities).scatter(-1, order, values * (values.cumsum(-1) <= p))


@wrong("13.top_p_filter")
def fourth_top_count_by_searchsorted(probabilities, p):
    """k = searchsorted(cumsum, p): the index of the crossing word, taken as the number of words."""
    values, order = probabilities.sort(dim=-1, descending=True)
    k = torch.searchsorted(values.cumsum(-1), torch.full_like(values[..., :1], p))
    kept = torch.zeros_like(probabilities).scatter(-1, order, values * (torch.arange(values.shape[-1]) < k))
    return kept / kept.sum(-1, keepdim=True)


@wrong("13.top_p_filter")
def fourth_top_argsort_once(probabilities, p):
    """The mask is put back with order where its inverse is needed: keep[order]."""
    values, order = probabilities.sort(dim=-1, descending=True)
    keep = values.cumsum(-1) - values < p
    kept = probabilities * keep.gather(-1, order)
    return kept / kept.sum(-1, keepdim=True)


@wrong("13.top_p_filter")
def fourth_top_sort_dim_zero(probabilities, p):
    """sort() of dim 0 by mistake, the rest over the last."""
    values, order = probabilities.sort(dim=0, descending=True)
    values = values * (values.cumsum(-1) - values < p)
    kept = torch.zeros_like(probabilities).scatter(0, order, values)
    return kept / kept.sum(-1, keepdim=True)


@wrong("13.top_p_filter")
def fourth_top_threshold_of_last(probabilities, p):
    """Words strictly more probable than the last of the nucleus stay: the last one itself is lost."""
    values = probabilities.sort(dim=-1, descending=True).values
    inside = values.cumsum(-1) - values < p
    least = values.masked_fill(~inside, 1.0).amin(-1, keepdim=True)
    kept = probabilities * (probabilities > least)
    return kept / kept.sum(-1, keepdim=True)


@wrong("13.top_p_filter")
def fourth_top_rest_epsilon(probabilities, p):
    """The others get 1e-9, not 0, before the division... 1e-2, so that it shows."""
    values, order = probabilities.sort(dim=-1, descending=True)
    values = torch.where(values.cumsum(-1) - values < p, values, 1e-2)
    kept = torch.zeros_like(probabilities).scatter(-1, order, values)
    return kept / kept.sum(-1, keepdim=True)


@wrong("13.top_p_filter")
def fourth_top_in_place(probabilities, p):
    """The right numbers, written into the argument."""
    values, order = probabilities.sort(dim=-1, descending=True)
    out = values.cumsum(-1) - values >= p
    mask = torch.zeros_like(out).scatter(-1, order, out)
    probabilities[mask] = 0
    return probabilities / probabilities.sum(-1, keepdim=True)


@wrong("13.top_p_filter")
def fourth_top_k_is_p(probabilities, p):
    """int(p * 10) words stay."""
    values, order = probabilities.sort(dim=-1, descending=True)
    k = int(p * 10)
    kept = torch.zeros_like(probabilities).scatter(-1, order[..., :k], values[..., :k])
    return kept / kept.sum(-1, keepdim=True)


@wrong("13.top_p_filter")
def fourth_top_one_minus_total(probabilities, p):
    """total - value is compared with 1 - p, from the smallest: drops while the dropped hold less than p."""
    values, order = probabilities.sort(dim=-1)
    keep = values.cumsum(-1) - values > 1 - p
    kept = torch.zeros_like(probabilities).scatter(-1, order, values * keep)
    return kept / kept.sum(-1, keepdim=True)


# --- 13.6: a step with the cache ---------------------------------------------------------------------------------------


@wrong("13.cache_step")
def fourth_step_position_from_values_width(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """Position after the cat, shape[1] - 2: one too few."""
    e = W_e[new_id]
    past = torch.cat([keys, e @ W_K], 1).shape[1] - 2
    x = e + W_p[past]
    keys, values = torch.cat([keys, x @ W_K], 1), torch.cat([values, x @ W_V], 1)
    return ((x @ W_Q) @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1) @ values, keys, values


@wrong("13.cache_step")
def fourth_step_old_values_used(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """The weights of all keys, but only the old values: shapes don't fit."""
    x = W_e[new_id] + W_p[keys.shape[1]]
    all_keys, all_values = torch.cat([keys, x @ W_K], 1), torch.cat([values, x @ W_V], 1)
    return ((x @ W_Q) @ all_keys.mT / keys.shape[-1] ** 0.5).softmax(-1) @ values, all_keys, all_values


@wrong("13.cache_step")
def fourth_step_cat_last_dim(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """cat along the last axis."""
    x = W_e[new_id] + W_p[keys.shape[1]]
    keys, values = torch.cat([keys, x @ W_K], -1), torch.cat([values, x @ W_V], -1)
    return ((x @ W_Q) @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1) @ values, keys, values


@wrong("13.cache_step")
def fourth_step_cat_first_dim(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """cat along the batch (dim=0, the default)."""
    x = W_e[new_id] + W_p[keys.shape[1]]
    keys, values = torch.cat([keys, x @ W_K]), torch.cat([values, x @ W_V])
    return ((x @ W_Q) @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1) @ values, keys, values


@wrong("13.cache_step")
def fourth_step_keys_not_transposed(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """keys isn't transposed: the product doesn't fit."""
    x = W_e[new_id] + W_p[keys.shape[1]]
    keys, values = torch.cat([keys, x @ W_K], 1), torch.cat([values, x @ W_V], 1)
    return ((x @ W_Q) @ keys / keys.shape[-1] ** 0.5).softmax(-1) @ values, keys, values


@wrong("13.cache_step")
def fourth_step_all_past_positions(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """The position is looked up for the id: W_p[new_id]."""
    x = W_e[new_id] + W_p[new_id]
    keys, values = torch.cat([keys, x @ W_K], 1), torch.cat([values, x @ W_V], 1)
    return ((x @ W_Q) @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1) @ values, keys, values


@wrong("13.cache_step")
def fourth_step_project_cache_again(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """The old keys are projected again (works where d = d_k alone)."""
    x = W_e[new_id] + W_p[keys.shape[1]]
    keys, values = torch.cat([keys @ W_K, x @ W_K], 1), torch.cat([values @ W_V, x @ W_V], 1)
    return ((x @ W_Q) @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1) @ values, keys, values


@wrong("13.cache_step")
def fourth_step_value_key_tables(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """Keys made with W_Q and the query with W_K."""
    x = W_e[new_id] + W_p[keys.shape[1]]
    keys, values = torch.cat([keys, x @ W_Q], 1), torch.cat([values, x @ W_V], 1)
    return ((x @ W_K) @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1) @ values, keys, values


@wrong("13.cache_step")
def fourth_step_no_see_itself_no_scale(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """Two: no scale, and the new word doesn't see itself."""
    x = W_e[new_id] + W_p[keys.shape[1]]
    output = ((x @ W_Q) @ keys.mT).softmax(-1) @ values
    return output, torch.cat([keys, x @ W_K], 1), torch.cat([values, x @ W_V], 1)


@wrong("13.cache_step")
def fourth_step_scale_by_math(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """Divided by √d_v."""
    x = W_e[new_id] + W_p[keys.shape[1]]
    keys, values = torch.cat([keys, x @ W_K], 1), torch.cat([values, x @ W_V], 1)
    return ((x @ W_Q) @ keys.mT / math.sqrt(values.shape[-1])).softmax(-1) @ values, keys, values


@wrong("13.cache_step")
def fourth_step_returns_lists(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """The new key and value are added to the last ones of the cache, not put behind."""
    x = W_e[new_id] + W_p[keys.shape[1]]
    keys, values = keys + x @ W_K, values + x @ W_V
    return ((x @ W_Q) @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1) @ values, keys, values


@wrong("13.cache_step")
def fourth_step_mean_of_weights(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """The position is added after the projections: to query, key and value."""
    place = W_p[keys.shape[1]]
    x = W_e[new_id]
    query = x @ W_Q + place @ W_Q
    keys, values = torch.cat([keys, x @ W_K + place @ W_Q], 1), torch.cat([values, x @ W_V], 1)
    return (query @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1) @ values, keys, values
