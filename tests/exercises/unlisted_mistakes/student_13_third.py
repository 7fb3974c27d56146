"""A fresh student's third set for lesson 13, GPT."""

import torch
import torch.nn.functional as F

from unlisted_mistakes import wrong


@wrong("13.next_word_logits")
def student_13_third_mask_multiplied(ids, W_e, W_p, W_Q, W_K, W_V):
    """The scores are multiplied by the mask: hidden scores are 0, not -inf."""
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p[:n]
    x = F.layer_norm(h, (d,), eps=0)
    scores = (x @ W_Q) @ (x @ W_K).mT / d**0.5 * torch.ones(n, n).tril()
    return (h + scores.softmax(-1) @ (x @ W_V)) @ W_e.mT


@wrong("13.next_word_logits")
def student_13_third_one_mean_only_and_mask(ids, W_e, W_p, W_Q, W_K, W_V):
    """Two: the mean is mended, the spread isn't, and the mask still shows one place."""
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p[:n]
    x = (h - h.mean(-1, keepdim=True)) / h.std(1, keepdim=True, correction=0)
    scores = (x @ W_Q) @ (x @ W_K).mT / d**0.5
    scores = scores.masked_fill(torch.ones(n, n, dtype=torch.bool).triu(2), float("-inf"))
    return (h + scores.softmax(-1) @ (x @ W_V)) @ W_e.mT


@wrong("13.next_word_logits")
def student_13_third_keepdim_lost(ids, W_e, W_p, W_Q, W_K, W_V):
    """keepdim is lost: the shapes don't fit."""
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p[:n]
    x = (h - h.mean(dim=-1)) / h.std(dim=-1, correction=0)
    scores = (x @ W_Q) @ (x @ W_K).mT / d**0.5
    scores = scores.masked_fill(torch.ones(n, n, dtype=torch.bool).triu(1), float("-inf"))
    return (h + scores.softmax(-1) @ (x @ W_V)) @ W_e.mT


@wrong("13.next_word_logits")
def student_13_third_positions_shifted(ids, W_e, W_p, W_Q, W_K, W_V):
    """The positions begin at 1."""
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p.roll(-1, 0)[:n]
    x = F.layer_norm(h, (d,), eps=0)
    scores = (x @ W_Q) @ (x @ W_K).mT / d**0.5
    scores = scores.masked_fill(torch.ones(n, n, dtype=torch.bool).triu(1), float("-inf"))
    return (h + scores.softmax(-1) @ (x @ W_V)) @ W_e.mT


@wrong("13.lm_loss")
def student_13_third_padding_weighted_and_unshifted(logits, ids, pad_id):
    """Two: shifted backwards and padding counts."""
    return F.cross_entropy(logits[:, 1:].mT, ids[:, :-1])


@wrong("13.lm_loss")
def student_13_third_sum_by_batch(logits, ids, pad_id):
    """Divided by all places but the padding's, n - 1 for each text: batch times n."""
    return F.cross_entropy(logits[:, :-1].mT, ids[:, 1:], ignore_index=pad_id, reduction="sum") / ids.numel()


@wrong("13.lm_loss")
def student_13_third_perplexity(logits, ids, pad_id):
    """Perplexity."""
    return F.cross_entropy(logits[:, :-1].mT, ids[:, 1:], ignore_index=pad_id).exp()


@wrong("13.lm_loss")
def student_13_third_item(logits, ids, pad_id):
    """.item(): no gradient."""
    return F.cross_entropy(logits[:, :-1].mT, ids[:, 1:], ignore_index=pad_id).item()


@wrong("13.lm_loss")
def student_13_third_last_word(logits, ids, pad_id):
    """Only the last place before the padding is asked."""
    last = (ids != pad_id).sum(1) - 1
    rows = torch.arange(len(ids))
    return F.cross_entropy(logits[rows, last - 1], ids[rows, last])


@wrong("13.top_p_filter")
def student_13_third_p_of_the_flat_batch(probabilities, p):
    """Sorted over the whole batch."""
    flat = probabilities.flatten()
    values, order = flat.sort(descending=True)
    out = torch.zeros_like(flat).scatter(0, order, values * (values.cumsum(0) - values < p)).view_as(probabilities)
    return out / out.sum(-1, keepdim=True)


@wrong("13.top_p_filter")
def student_13_third_threshold_by_value(probabilities, p):
    """The complement: drops while the dropped ones hold less than p."""
    values, order = probabilities.sort(dim=-1)
    out = torch.zeros_like(probabilities).scatter(-1, order, values * (values.cumsum(-1) > p))
    return out / out.sum(-1, keepdim=True)


@wrong("13.top_p_filter")
def student_13_third_divided_by_p(probabilities, p):
    """Divided by p."""
    values, order = probabilities.sort(dim=-1, descending=True)
    return torch.zeros_like(probabilities).scatter(-1, order, values * (values.cumsum(-1) - values < p)) / p


@wrong("13.top_p_filter")
def student_13_third_nothing_dropped_sorted(probabilities, p):
    """cumsum itself is given back as the mask: the sums, not the probabilities."""
    values, order = probabilities.sort(dim=-1, descending=True)
    total = values.cumsum(-1)
    out = torch.zeros_like(probabilities).scatter(-1, order, total * (total - values < p))
    return out / out.sum(-1, keepdim=True)


@wrong("13.top_p_filter")
def student_13_third_ones(probabilities, p):
    """The mask itself, as numbers."""
    values, order = probabilities.sort(dim=-1, descending=True)
    keep = (values.cumsum(-1) - values < p).to(values.dtype)
    out = torch.zeros_like(probabilities).scatter(-1, order, keep)
    return out / out.sum(-1, keepdim=True)


@wrong("13.cache_step")
def student_13_third_weights_given_back(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """The weights come back in place of the output."""
    x = W_e[new_id] + W_p[keys.shape[1]]
    keys, values = torch.cat([keys, x @ W_K], 1), torch.cat([values, x @ W_V], 1)
    return ((x @ W_Q) @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1), keys, values


@wrong("13.cache_step")
def student_13_third_embedding_in_the_cache(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """x itself is put into the cache, not its key and value: widths don't fit."""
    x = W_e[new_id] + W_p[keys.shape[1]]
    keys, values = torch.cat([keys, x], 1), torch.cat([values, x], 1)
    return ((x @ W_Q) @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1) @ values, keys, values


@wrong("13.cache_step")
def student_13_third_past_projected_again(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """Position after the concatenation: one too far (no such row at the table's end)."""
    e = W_e[new_id]
    k = torch.cat([keys, e @ W_K], 1)
    x = e + W_p[k.shape[1]]
    keys, values = torch.cat([keys, x @ W_K], 1), torch.cat([values, x @ W_V], 1)
    return ((x @ W_Q) @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1) @ values, keys, values


@wrong("13.cache_step")
def student_13_third_value_before_key(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """Values put in front, keys behind: the weights meet the wrong values."""
    x = W_e[new_id] + W_p[keys.shape[1]]
    keys, values = torch.cat([keys, x @ W_K], 1), torch.cat([x @ W_V, values], 1)
    return ((x @ W_Q) @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1) @ values, keys, values


@wrong("13.cache_step")
def student_13_third_position_times(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """The number of the position is added, not its vector."""
    x = W_e[new_id] + keys.shape[1]
    keys, values = torch.cat([keys, x @ W_K], 1), torch.cat([values, x @ W_V], 1)
    return ((x @ W_Q) @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1) @ values, keys, values
