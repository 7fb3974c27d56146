"""Eight more ordinary wrong answers for each code exercise of lesson 13, written after the mending, before any was judged."""

import torch
import torch.nn.functional as F

from unlisted_mistakes import wrong


def attended(x, W_Q, W_K, W_V, hide):
    scores = (x @ W_Q) @ (x @ W_K).mT / x.shape[-1] ** 0.5
    return scores.masked_fill(hide, float("-inf")).softmax(dim=-1) @ (x @ W_V)


@wrong("13.next_word_logits")
def fifth_model_mask_by_columns(ids, W_e, W_p, W_Q, W_K, W_V):
    """The mask is transposed by .mT on the scores: softmax over the keys of the other one."""
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p[:n]
    x = (h - h.mean(dim=-1, keepdim=True)) / h.std(dim=-1, keepdim=True, correction=0)
    scores = (x @ W_Q) @ (x @ W_K).mT / d**0.5
    allowed = torch.ones(n, n, dtype=torch.bool).tril()
    weights = scores.masked_fill(~allowed, float("-inf")).softmax(dim=-1).mT
    return (h + weights @ (x @ W_V)) @ W_e.mT


@wrong("13.next_word_logits")
def fifth_model_window(ids, W_e, W_p, W_Q, W_K, W_V):
    """Only the place itself and the one before may be seen."""
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p[:n]
    x = F.layer_norm(h, (d,), eps=0)
    seen = torch.ones(n, n, dtype=torch.bool).tril().triu(-1)
    return (h + attended(x, W_Q, W_K, W_V, ~seen)) @ W_e.mT


@wrong("13.next_word_logits")
def fifth_model_minus_norm(ids, W_e, W_p, W_Q, W_K, W_V):
    """Divided by the vector's length (F.normalize) instead of layer normalisation."""
    n = ids.shape[1]
    h = W_e[ids] + W_p[:n]
    x = F.normalize(h - h.mean(dim=-1, keepdim=True), dim=-1)
    return (h + attended(x, W_Q, W_K, W_V, torch.ones(n, n, dtype=torch.bool).triu(1))) @ W_e.mT


@wrong("13.next_word_logits")
def fifth_model_mask_fill_small(ids, W_e, W_p, W_Q, W_K, W_V):
    """Hidden scores are -10, not -inf."""
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p[:n]
    x = (h - h.mean(dim=-1, keepdim=True)) / h.std(dim=-1, keepdim=True, correction=0)
    scores = ((x @ W_Q) @ (x @ W_K).mT / d**0.5).masked_fill(torch.ones(n, n, dtype=torch.bool).triu(1), -10.0)
    return (h + scores.softmax(dim=-1) @ (x @ W_V)) @ W_e.mT


@wrong("13.next_word_logits")
def fifth_model_keepdim_lost_in_std(ids, W_e, W_p, W_Q, W_K, W_V):
    """keepdim is lost in the std alone."""
    n = ids.shape[1]
    h = W_e[ids] + W_p[:n]
    x = (h - h.mean(dim=-1, keepdim=True)) / h.std(dim=-1, correction=0)
    return (h + attended(x, W_Q, W_K, W_V, torch.ones(n, n, dtype=torch.bool).triu(1))) @ W_e.mT


@wrong("13.next_word_logits")
def fifth_model_triu_zero(ids, W_e, W_p, W_Q, W_K, W_V):
    """allowed = tril(), and it is passed without ~: the past is hidden; the norm is still over the text."""
    n = ids.shape[1]
    h = W_e[ids] + W_p[:n]
    x = (h - h.mean(dim=1, keepdim=True)) / h.std(dim=1, keepdim=True, correction=0)
    return (h + attended(x, W_Q, W_K, W_V, torch.ones(n, n, dtype=torch.bool).tril())) @ W_e.mT


@wrong("13.next_word_logits")
def fifth_model_norm_twice(ids, W_e, W_p, W_Q, W_K, W_V):
    """The embeddings are normalised in place of the sum: h itself is normalised and goes on."""
    n = ids.shape[1]
    h = W_e[ids] + W_p[:n]
    h = (h - h.mean(dim=-1, keepdim=True)) / h.std(dim=-1, keepdim=True, correction=0)
    return (h + attended(h, W_Q, W_K, W_V, torch.ones(n, n, dtype=torch.bool).triu(1))) @ W_e.mT


@wrong("13.next_word_logits")
def fifth_model_scale_n(ids, W_e, W_p, W_Q, W_K, W_V):
    """Divided by √n on the way."""
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p[:n]
    x = F.layer_norm(h, (d,), eps=0)
    scores = (x @ W_Q) @ (x @ W_K).mT / n**0.5
    weights = scores.masked_fill(torch.ones(n, n, dtype=torch.bool).triu(1), float("-inf")).softmax(dim=-1)
    return (h + weights @ (x @ W_V)) @ W_e.mT


@wrong("13.lm_loss")
def fifth_loss_flatten_before_cut(logits, ids, pad_id):
    """Flattened, and the first of all ids is cut, the last of all logits: rows join; padding counted."""
    return F.cross_entropy(logits.flatten(0, 1)[:-1], ids.flatten()[1:])


@wrong("13.lm_loss")
def fifth_loss_mean_of_places(logits, ids, pad_id):
    """A mean over the texts at each place first, then over the places."""
    loss = F.cross_entropy(logits[:, :-1].mT, ids[:, 1:], reduction="none")
    kept = (ids[:, 1:] != pad_id).to(loss.dtype)
    return ((loss * kept).sum(0) / kept.sum(0).clamp(min=1)).mean()


@wrong("13.lm_loss")
def fifth_loss_pad_logit_zeroed(logits, ids, pad_id):
    """The pad's log p is set to 0 after the softmax, and the mean is over all places."""
    log_p = logits[:, :-1].log_softmax(-1)
    log_p = log_p.index_fill(-1, torch.tensor(pad_id), 0.0)
    return -log_p.gather(-1, ids[:, 1:, None]).mean()


@wrong("13.lm_loss")
def fifth_loss_first_text_longest(logits, ids, pad_id):
    """Cut to the shortest text of the batch."""
    n = int((ids != pad_id).sum(1).min())
    return F.cross_entropy(logits[:, : n - 1].mT, ids[:, 1:n])


@wrong("13.lm_loss")
def fifth_loss_log_of_sum(logits, ids, pad_id):
    """exp of logits normalised, log10."""
    p = logits[:, :-1].softmax(-1).gather(-1, ids[:, 1:, None]).squeeze(-1)
    return -torch.log10(p[ids[:, 1:] != pad_id]).mean()


@wrong("13.lm_loss")
def fifth_loss_kept_wrong_shift(logits, ids, pad_id):
    """Padding is looked up among all ids, one place shifted: the mask has n places, the loss n - 1."""
    log_p = logits[:, :-1].log_softmax(-1).gather(-1, ids[:, 1:, None]).squeeze(-1)
    return -log_p[ids != pad_id].mean()


@wrong("13.lm_loss")
def fifth_loss_sum_of_text_means(logits, ids, pad_id):
    """The texts' means are added."""
    return sum(F.cross_entropy(row[:-1], text[1:], ignore_index=pad_id) for row, text in zip(logits, ids))


@wrong("13.lm_loss")
def fifth_loss_nll_on_softmax(logits, ids, pad_id):
    """nll_loss with probabilities: the mean of -p."""
    return F.nll_loss(logits[:, :-1].softmax(-1).mT, ids[:, 1:], ignore_index=pad_id)


@wrong("13.top_p_filter")
def fifth_top_cumsum_of_unsorted_gathered(probabilities, p):
    """Sorted ascending by mistake and the comparison kept: the smallest words stay while they hold less than p."""
    order = probabilities.argsort(dim=-1)
    values = probabilities.gather(-1, order)
    kept = torch.zeros_like(probabilities).scatter(-1, order, values * (values.cumsum(-1) < p))
    return kept / kept.sum(-1, keepdim=True)


@wrong("13.top_p_filter")
def fifth_top_loop_break_before(probabilities, p):
    """A loop that stops before the crossing word is written."""
    out = torch.zeros_like(probabilities)
    flat, given = out.view(-1, out.shape[-1]), probabilities.reshape(-1, out.shape[-1])
    for row, of in zip(flat, given):
        total = 0.0
        for i in of.argsort(descending=True):
            if total + of[i] > p:
                break
            row[i] = of[i]
            total += of[i]
    return out / out.sum(-1, keepdim=True)


@wrong("13.top_p_filter")
def fifth_top_loop_first_row(probabilities, p):
    """Only the first row is filtered, the others stay."""
    values, order = probabilities.sort(dim=-1, descending=True)
    keep = values.cumsum(-1) - values < p
    keep.view(-1, keep.shape[-1])[1:] = True
    kept = torch.zeros_like(probabilities).scatter(-1, order, values * keep)
    return kept / kept.sum(-1, keepdim=True)


@wrong("13.top_p_filter")
def fifth_top_p_of_max(probabilities, p):
    """What is above the mean stays."""
    kept = probabilities * (probabilities > probabilities.mean(-1, keepdim=True))
    return kept / kept.sum(-1, keepdim=True)


@wrong("13.top_p_filter")
def fifth_top_softmax_divided(probabilities, p):
    """Square roots of the kept ones are shared."""
    values, order = probabilities.sort(dim=-1, descending=True)
    kept = torch.zeros_like(probabilities).scatter(-1, order, values.sqrt() * (values.cumsum(-1) - values < p))
    return kept / kept.sum(-1, keepdim=True)


@wrong("13.top_p_filter")
def fifth_top_returns_values_and_order(probabilities, p):
    """The sorted nucleus and its order come back: two results."""
    values, order = probabilities.sort(dim=-1, descending=True)
    values = values * (values.cumsum(-1) - values < p)
    return values / values.sum(-1, keepdim=True), order


@wrong("13.top_p_filter")
def fifth_top_scatter_dim_zero(probabilities, p):
    """scatter along axis 0."""
    values, order = probabilities.sort(dim=-1, descending=True)
    values = values * (values.cumsum(-1) - values < p)
    kept = torch.zeros_like(probabilities).scatter(0, order, values)
    return kept / kept.sum(-1, keepdim=True)


@wrong("13.top_p_filter")
def fifth_top_normalised_first(probabilities, p):
    """Kept words are cut at the running sum's excess: the crossing word keeps only its share up to p."""
    values, order = probabilities.sort(dim=-1, descending=True)
    before = values.cumsum(-1) - values
    values = torch.minimum(values, (p - before).clamp(min=0))
    kept = torch.zeros_like(probabilities).scatter(-1, order, values)
    return kept / kept.sum(-1, keepdim=True)


@wrong("13.cache_step")
def fifth_step_query_from_cache(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """Every key asks, too: the whole cache is the query; the last row is cut out."""
    x = W_e[new_id] + W_p[keys.shape[1]]
    keys, values = torch.cat([keys, x @ W_K], 1), torch.cat([values, x @ W_V], 1)
    return ((keys @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1) @ values)[:, -1:], keys, values


@wrong("13.cache_step")
def fifth_step_past_plus_batch(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """len(keys) is taken for the number of words."""
    x = W_e[new_id] + W_p[len(keys)]
    keys, values = torch.cat([keys, x @ W_K], 1), torch.cat([values, x @ W_V], 1)
    return ((x @ W_Q) @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1) @ values, keys, values


@wrong("13.cache_step")
def fifth_step_key_normalised(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """The new key is scaled by 1/√d_k before it goes into the cache."""
    x = W_e[new_id] + W_p[keys.shape[1]]
    keys = torch.cat([keys, x @ W_K / keys.shape[-1] ** 0.5], 1)
    values = torch.cat([values, x @ W_V], 1)
    return ((x @ W_Q) @ keys.mT).softmax(-1) @ values, keys, values


@wrong("13.cache_step")
def fifth_step_value_of_keys(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """Position 1-based for the values only."""
    past = keys.shape[1]
    x = W_e[new_id] + W_p[past]
    keys = torch.cat([keys, x @ W_K], 1)
    values = torch.cat([values, (W_e[new_id] + W_p[past - 1]) @ W_V], 1)
    return ((x @ W_Q) @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1) @ values, keys, values


@wrong("13.cache_step")
def fifth_step_extra_axis(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """new_id's axis is squeezed: x is (batch, d), and cat fails."""
    x = W_e[new_id.squeeze(1)] + W_p[keys.shape[1]]
    keys, values = torch.cat([keys, x @ W_K], 1), torch.cat([values, x @ W_V], 1)
    return ((x @ W_Q) @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1) @ values, keys, values


@wrong("13.cache_step")
def fifth_step_argmax(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """A sigmoid in place of the softmax."""
    x = W_e[new_id] + W_p[keys.shape[1]]
    keys, values = torch.cat([keys, x @ W_K], 1), torch.cat([values, x @ W_V], 1)
    return ((x @ W_Q) @ keys.mT / keys.shape[-1] ** 0.5).sigmoid() @ values, keys, values


@wrong("13.cache_step")
def fifth_step_value_joined_twice(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """The values are made with W_K."""
    x = W_e[new_id] + W_p[keys.shape[1]]
    new = x @ W_K
    keys = torch.cat([keys, new], 1)
    values = torch.cat([values, F.pad(new, (0, values.shape[-1] - new.shape[-1]))], 1)
    return ((x @ W_Q) @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1) @ values, keys, values


@wrong("13.cache_step")
def fifth_step_causal_first(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """No position, and the new word is put in front."""
    x = W_e[new_id]
    keys, values = torch.cat([x @ W_K, keys], 1), torch.cat([x @ W_V, values], 1)
    return ((x @ W_Q) @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1) @ values, keys, values
