"""A fresh student's second set for lesson 13, GPT, judged once all mistakes of the first had their sentence."""

import torch
import torch.nn.functional as F

from unlisted_mistakes import wrong


@wrong("13.next_word_logits")
def student_13_again_layer_norm_over_the_text(ids, W_e, W_p, W_Q, W_K, W_V):
    """torch's layer_norm over (n, d): all places are mixed."""
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p[:n]
    x = F.layer_norm(h, (n, d), eps=0)
    scores = (x @ W_Q) @ (x @ W_K).mT / d**0.5
    scores = scores.masked_fill(torch.ones(n, n, dtype=torch.bool).triu(1), float("-inf"))
    return (h + scores.softmax(-1) @ (x @ W_V)) @ W_e.mT


@wrong("13.next_word_logits")
def student_13_again_normed_values_forgotten(ids, W_e, W_p, W_Q, W_K, W_V):
    """The values are made from h, not from the normalised x."""
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p[:n]
    x = F.layer_norm(h, (d,), eps=0)
    scores = (x @ W_Q) @ (x @ W_K).mT / d**0.5
    scores = scores.masked_fill(torch.ones(n, n, dtype=torch.bool).triu(1), float("-inf"))
    return (h + scores.softmax(-1) @ (h @ W_V)) @ W_e.mT


@wrong("13.next_word_logits")
def student_13_again_norm_of_the_embedding_only(ids, W_e, W_p, W_Q, W_K, W_V):
    """Normalised before the positions are added."""
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p[:n]
    x = F.layer_norm(W_e[ids], (d,), eps=0) + W_p[:n]
    scores = (x @ W_Q) @ (x @ W_K).mT / d**0.5
    scores = scores.masked_fill(torch.ones(n, n, dtype=torch.bool).triu(1), float("-inf"))
    return (h + scores.softmax(-1) @ (x @ W_V)) @ W_e.mT


@wrong("13.next_word_logits")
def student_13_again_triu_0_masked(ids, W_e, W_p, W_Q, W_K, W_V):
    """triu() without 1 hides the diagonal too: the first place is NaN."""
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p[:n]
    x = F.layer_norm(h, (d,), eps=0)
    scores = (x @ W_Q) @ (x @ W_K).mT / d**0.5
    scores = scores.masked_fill(torch.ones(n, n, dtype=torch.bool).triu(), float("-inf"))
    return (h + scores.softmax(-1) @ (x @ W_V)) @ W_e.mT


@wrong("13.next_word_logits")
def student_13_again_last_place_only(ids, W_e, W_p, W_Q, W_K, W_V):
    """Only the last place's logits are given back."""
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p[:n]
    x = F.layer_norm(h, (d,), eps=0)
    scores = (x @ W_Q) @ (x @ W_K).mT / d**0.5
    scores = scores.masked_fill(torch.ones(n, n, dtype=torch.bool).triu(1), float("-inf"))
    return ((h + scores.softmax(-1) @ (x @ W_V)) @ W_e.mT)[:, -1]


@wrong("13.lm_loss")
def student_13_again_targets_reshaped(logits, ids, pad_id):
    """The logits are reshaped to (batch, vocab, n) instead of transposed: numbers of different places are mixed."""
    ahead, after = logits[:, :-1], ids[:, 1:]
    return F.cross_entropy(ahead.reshape(len(ids), -1, after.shape[1]), after, ignore_index=pad_id)


@wrong("13.lm_loss")
def student_13_again_logits_shifted_alone(logits, ids, pad_id):
    """The ids aren't cut: sizes don't fit."""
    return F.cross_entropy(logits[:, :-1].mT, ids, ignore_index=pad_id)


@wrong("13.lm_loss")
def student_13_again_first_token_too(logits, ids, pad_id):
    """Divided by all tokens that are no padding, the first ones too, which nothing foretells."""
    losses = F.cross_entropy(logits[:, :-1].mT, ids[:, 1:], ignore_index=pad_id, reduction="sum")
    return losses / (ids != pad_id).sum()


@wrong("13.lm_loss")
def student_13_again_text_by_text_sum(logits, ids, pad_id):
    """Summed within each text, then the mean over the texts."""
    losses = F.cross_entropy(logits[:, :-1].mT, ids[:, 1:], ignore_index=pad_id, reduction="none")
    return losses.sum(1).mean()


@wrong("13.lm_loss")
def student_13_again_log_of_softmax_base_10(logits, ids, pad_id):
    """log10."""
    p = logits[:, :-1].softmax(-1).gather(-1, ids[:, 1:, None])[..., 0]
    return -p.log10()[ids[:, 1:] != pad_id].mean()


@wrong("13.lm_loss")
def student_13_again_pad_in_the_logits(logits, ids, pad_id):
    """The padding's logit is set to -inf too, so the other probabilities grow."""
    logits = logits.clone()
    logits[..., pad_id] = float("-inf")
    return F.cross_entropy(logits[:, :-1].mT, ids[:, 1:], ignore_index=pad_id)


for numbers in (
    {"perplexity": 7.39, "bits a token": 2.885, "bits a byte": 866},  # the whole text
    {"perplexity": 7.39, "bits a token": 2.885, "bits a byte": 2.885},  # that of a token
    {"perplexity": 7.39, "bits a token": 0.868, "bits a byte": 0.208},  # ln 10 for ln 2
):
    wrong("13.bits_per_byte")(numbers)


@wrong("13.top_p_filter")
def student_13_again_strictly_more(probabilities, p):
    """Words before hold at most p: one too many where the sum is exactly p."""
    values, order = probabilities.sort(dim=-1, descending=True)
    out = torch.zeros_like(probabilities).scatter(-1, order, values * (values.cumsum(-1) - values <= p))
    return out / out.sum(-1, keepdim=True)


@wrong("13.top_p_filter")
def student_13_again_the_rest_shared(probabilities, p):
    """The rest of the probability is shared evenly among the kept ones."""
    values, order = probabilities.sort(dim=-1, descending=True)
    keep = values.cumsum(-1) - values < p
    out = torch.zeros_like(probabilities).scatter(-1, order, values * keep)
    kept = out > 0
    return out + kept * (1 - out.sum(-1, keepdim=True)) / kept.sum(-1, keepdim=True)


@wrong("13.top_p_filter")
def student_13_again_two_below_p_sorted(probabilities, p):
    """Two: left in sorted order, and the word that passes p is left out."""
    values = probabilities.sort(dim=-1, descending=True).values
    values = values * (values.cumsum(-1) <= p)
    return values / values.sum(-1, keepdim=True)


@wrong("13.top_p_filter")
def student_13_again_tail_to_minus_inf(probabilities, p):
    """The words thrown out are -inf, as if these were logits."""
    values, order = probabilities.sort(dim=-1, descending=True)
    drop = torch.zeros_like(order, dtype=torch.bool).scatter(-1, order, values.cumsum(-1) - values >= p)
    return probabilities.masked_fill(drop, float("-inf"))


@wrong("13.top_p_filter")
def student_13_again_first_axis(probabilities, p):
    """Sorted and summed along the first axis."""
    values, order = probabilities.sort(dim=0, descending=True)
    out = torch.zeros_like(probabilities).scatter(0, order, values * (values.cumsum(0) - values < p))
    return out / out.sum(0, keepdim=True)


@wrong("13.cache_step")
def student_13_again_longest_minus_one(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """The position is the table's last."""
    x = W_e[new_id] + W_p[-1]
    keys, values = torch.cat([keys, x @ W_K], 1), torch.cat([values, x @ W_V], 1)
    return ((x @ W_Q) @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1) @ values, keys, values


@wrong("13.cache_step")
def student_13_again_position_from_the_width(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """keys.shape[-1], the width, is taken for the number of words."""
    x = W_e[new_id] + W_p[keys.shape[-1]]
    keys, values = torch.cat([keys, x @ W_K], 1), torch.cat([values, x @ W_V], 1)
    return ((x @ W_Q) @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1) @ values, keys, values


@wrong("13.cache_step")
def student_13_again_all_positions(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """All positions up to the new word's are added: the one word becomes past + 1."""
    x = W_e[new_id] + W_p[: keys.shape[1] + 1]
    keys, values = torch.cat([keys, x @ W_K], 1), torch.cat([values, x @ W_V], 1)
    return ((x @ W_Q) @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1) @ values, keys, values


@wrong("13.cache_step")
def student_13_again_query_with_keys_matrix(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """The query is made with W_K."""
    x = W_e[new_id] + W_p[keys.shape[1]]
    keys, values = torch.cat([keys, x @ W_K], 1), torch.cat([values, x @ W_V], 1)
    return ((x @ W_K) @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1) @ values, keys, values


@wrong("13.cache_step")
def student_13_again_values_not_grown(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """The keys grow, the values don't: the product fails."""
    x = W_e[new_id] + W_p[keys.shape[1]]
    keys = torch.cat([keys, x @ W_K], 1)
    return ((x @ W_Q) @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1) @ values, keys, values


@wrong("13.cache_step")
def student_13_again_is_causal(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    """is_causal with one query: only the first key is seen."""
    x = W_e[new_id] + W_p[keys.shape[1]]
    keys, values = torch.cat([keys, x @ W_K], 1), torch.cat([values, x @ W_V], 1)
    return F.scaled_dot_product_attention(x @ W_Q, keys, values, is_causal=True), keys, values
