"""Unlisted wrong answers to lesson 13, GPT."""

import torch
import torch.nn.functional as F

from unlisted_mistakes import wrong

# --- 13.lm_loss -------------------------------------------------------------------------------------------------------

K = "13.lm_loss"


def shifted(logits, ids, pad_id, **options):
    return F.cross_entropy(logits[:, :-1].mT, ids[:, 1:], ignore_index=pad_id, **options)


@wrong(K)
def loss_smoothed(logits, ids, pad_id):
    return shifted(logits, ids, pad_id, label_smoothing=0.1)


@wrong(K)
def loss_all_but_first_pad(logits, ids, pad_id):
    return F.cross_entropy(logits[:, :-1].mT, ids[:, 1:], ignore_index=-100)


@wrong(K)
def loss_reversed_text(logits, ids, pad_id):
    return shifted(logits.flip(1), ids.flip(1), pad_id)


@wrong(K)
def loss_halved(logits, ids, pad_id):
    return shifted(logits, ids, pad_id) / 2


@wrong(K)
def loss_divided_by_length(logits, ids, pad_id):
    return shifted(logits, ids, pad_id) / ids.shape[1]


@wrong(K)
def loss_median(logits, ids, pad_id):
    log_p = logits[:, :-1].log_softmax(-1).gather(-1, ids[:, 1:, None]).squeeze(-1)
    return -log_p[ids[:, 1:] != pad_id].median()


@wrong(K)
def loss_largest(logits, ids, pad_id):
    log_p = logits[:, :-1].log_softmax(-1).gather(-1, ids[:, 1:, None]).squeeze(-1)
    return -log_p[ids[:, 1:] != pad_id].min()


@wrong(K)
def loss_squared_error(logits, ids, pad_id):
    kept = ids[:, 1:] != pad_id
    p = logits[:, :-1].softmax(-1)
    return (p - F.one_hot(ids[:, 1:], p.shape[-1]))[kept].square().mean()


@wrong(K)
def loss_one_minus_p(logits, ids, pad_id):
    p = logits[:, :-1].softmax(-1).gather(-1, ids[:, 1:, None]).squeeze(-1)
    return (1 - p[ids[:, 1:] != pad_id]).mean()


@wrong(K)
def loss_log_of_log(logits, ids, pad_id):
    return F.cross_entropy(logits[:, :-1].log_softmax(-1).exp().mT, ids[:, 1:], ignore_index=pad_id)


@wrong(K)
def loss_shift_and_pad_read(logits, ids, pad_id):
    log_p = logits[:, :-1].log_softmax(-1).gather(-1, ids[:, 1:, None]).squeeze(-1)
    return -(log_p * (ids[:, :-1] != pad_id)).mean()


@wrong(K)
def loss_first_text_only(logits, ids, pad_id):
    return shifted(logits[:1], ids[:1], pad_id)


@wrong(K)
def loss_copy_sum(logits, ids, pad_id):
    return F.cross_entropy(logits.mT, ids, ignore_index=pad_id, reduction="sum")


@wrong(K)
def loss_twice_bits(logits, ids, pad_id):
    return 2 * shifted(logits, ids, pad_id)


@wrong(K)
def loss_three_on(logits, ids, pad_id):
    return F.cross_entropy(logits[:, :-2].mT, ids[:, 2:])


# --- 13.next_word_logits ----------------------------------------------------------------------------------------------

K = "13.next_word_logits"


def model(ids, W_e, W_p, W_Q, W_K, W_V, dim=-1, diagonal=0, eps=0.0, order=None, scale=None, positions=True):
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + (W_p[:n] if positions else 0)
    x = (h - h.mean(dim, keepdim=True)) / (h.std(dim, keepdim=True, correction=0) + eps)
    scores = (x @ W_Q) @ (x @ W_K).mT / (scale or d**0.5)
    weights = scores.masked_fill(~torch.ones(n, n, dtype=torch.bool).tril(diagonal), float("-inf")).softmax(-1)
    return (h + weights @ (x @ W_V)) @ W_e.mT


@wrong(K)
def model_text_and_future(*inputs):
    return model(*inputs, dim=1, diagonal=2)


@wrong(K)
def model_three_ahead(*inputs):
    return model(*inputs, diagonal=3)


@wrong(K)
def model_large_eps(*inputs):
    return model(*inputs, eps=0.5)


@wrong(K)
def model_scaled_by_d(*inputs):
    return model(*inputs, scale=inputs[1].shape[1])


@wrong(K)
def model_without_positions(*inputs):
    return model(*inputs, positions=False)


@wrong(K)
def model_shifted_output(*inputs):
    return model(*inputs).roll(1, 1)


@wrong(K)
def model_exponentials(*inputs):
    return model(*inputs).exp()


@wrong(K)
def model_last_place(*inputs):
    return model(*inputs)[:, -1:]


@wrong(K)
def model_without_last_place(*inputs):
    return model(*inputs)[:, :-1]


@wrong(K)
def model_zeroed_future_ids(ids, *rest):
    return model(torch.where(torch.arange(ids.shape[1]) > 0, ids, 0), *rest)


@wrong(K)
def model_without_attention(ids, W_e, W_p, W_Q, W_K, W_V):
    return (W_e[ids] + W_p[: ids.shape[1]]) @ W_e.mT


@wrong(K)
def model_mean_of_past(ids, W_e, W_p, W_Q, W_K, W_V):
    h = W_e[ids] + W_p[: ids.shape[1]]
    return h.cumsum(1) @ W_e.mT


@wrong(K)
def model_query_for_key(ids, W_e, W_p, W_Q, W_K, W_V):
    return model(ids, W_e, W_p, W_Q, W_Q, W_V)


@wrong(K)
def model_running_mean(ids, W_e, W_p, W_Q, W_K, W_V):
    n = ids.shape[1]
    h = W_e[ids] + W_p[:n]
    x = h - h.cumsum(1) / torch.arange(1, n + 1).to(h)[:, None]
    weights = ((x @ W_Q) @ (x @ W_K).mT).masked_fill(~torch.ones(n, n).tril().bool(), float("-inf")).softmax(-1)
    return (h + weights @ (x @ W_V)) @ W_e.mT


@wrong(K)
def model_positions_from_one(ids, W_e, W_p, W_Q, W_K, W_V):
    return model(ids, W_e, W_p.roll(-1, 0), W_Q, W_K, W_V)


# --- 13.top_p_filter --------------------------------------------------------------------------------------------------

K = "13.top_p_filter"


def nucleus(probabilities, p):
    values, order = probabilities.sort(dim=-1, descending=True)
    values = values * (values.cumsum(-1) - values < p)
    kept = torch.zeros_like(probabilities).scatter(-1, order, values)
    return kept / kept.sum(-1, keepdim=True)


@wrong(K)
def top_two(probabilities, p):
    values, at = probabilities.topk(2, dim=-1)
    return torch.zeros_like(probabilities).scatter(-1, at, values / values.sum(-1, keepdim=True))


@wrong(K)
def top_fixed_p(probabilities, p):
    return nucleus(probabilities, 0.5)


@wrong(K)
def top_evenly(probabilities, p):
    kept = (nucleus(probabilities, p) > 0).to(probabilities.dtype)
    return kept / kept.sum(-1, keepdim=True)


@wrong(K)
def top_powers(probabilities, p):
    x = probabilities ** (1 / p)
    return x / x.sum(-1, keepdim=True)


@wrong(K)
def top_minus(probabilities, p):
    x = (probabilities - (1 - p)).clamp(min=0)
    return x / x.sum(-1, keepdim=True)


@wrong(K)
def top_tail(probabilities, p):
    x = probabilities - nucleus(probabilities, p)
    return x.abs() / x.abs().sum(-1, keepdim=True)


@wrong(K)
def top_without_best(probabilities, p):
    x = nucleus(probabilities, p).clone()
    x = x.scatter(-1, x.argmax(-1, keepdim=True), 0.0)
    return x / x.sum(-1, keepdim=True).clamp(min=1e-9)


@wrong(K)
def top_logs(probabilities, p):
    return nucleus(probabilities, p).clamp(min=1e-9).log()


@wrong(K)
def top_mask_only(probabilities, p):
    return nucleus(probabilities, p) > 0


@wrong(K)
def top_squared(probabilities, p):
    return nucleus(probabilities, p * p)


@wrong(K)
def top_of_root(probabilities, p):
    return nucleus(probabilities, p**0.5)


@wrong(K)
def top_two_steps_more(probabilities, p):
    return nucleus(probabilities, min(1.0, p + 0.15))


@wrong(K)
def top_not_shared_and_sorted(probabilities, p):
    values = probabilities.sort(dim=-1, descending=True).values
    return values * (values.cumsum(-1) - values < p)


@wrong(K)
def top_normed_by_best(probabilities, p):
    x = nucleus(probabilities, p)
    return x / x.amax(-1, keepdim=True)


@wrong(K)
def top_mean_row(probabilities, p):
    return nucleus(probabilities, p).roll(1, -1)


# --- 13.cache_step ----------------------------------------------------------------------------------------------------

K = "13.cache_step"


def step(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V, place=None, times=1.0):
    x = W_e[new_id] + W_p[keys.shape[1] if place is None else place]
    keys, values = torch.cat([keys, x @ W_K], 1), torch.cat([values, x @ W_V], 1)
    weights = (times * (x @ W_Q) @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1)
    return weights @ values, keys, values


@wrong(K)
def step_scaled_by_d_v(new_id, keys, values, *tables):
    return step(new_id, keys, values, *tables, times=(keys.shape[-1] / 7) ** 0.5)


@wrong(K)
def step_at_one(*inputs):
    return step(*inputs, place=2)


@wrong(K)
def step_at_the_end(*inputs):
    return step(*inputs, place=-1)


@wrong(K)
def step_with_skip(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    out, keys, values = step(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V)
    return out + values[:, -1:], keys, values


@wrong(K)
def step_mean_of_values(*inputs):
    _, keys, values = step(*inputs)
    return values.mean(1, keepdim=True), keys, values


@wrong(K)
def step_best_key(*inputs):
    out, keys, values = step(*inputs, times=1e4)
    return out, keys, values


@wrong(K)
def step_scores_only(*inputs):
    _, keys, values = step(*inputs)
    return (values * 0).sum(1, keepdim=True), keys, values


@wrong(K)
def step_negative(*inputs):
    return step(*inputs, times=-1.0)


@wrong(K)
def step_all_positions(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    return step(new_id, keys, values, W_e, W_p.cumsum(0), W_Q, W_K, W_V)


@wrong(K)
def step_rescales_old_keys(new_id, keys, values, *tables):
    return step(new_id, keys * 0.5, values, *tables)


@wrong(K)
def step_forgets_the_oldest(new_id, keys, values, *tables):
    out, keys, values = step(new_id, keys, values, *tables)
    return out, keys[:, 1:], values[:, 1:]


@wrong(K)
def step_twice(new_id, keys, values, *tables):
    return step(new_id, *step(new_id, keys, values, *tables)[1:], *tables)


@wrong(K)
def step_zero_values(new_id, keys, values, *tables):
    return step(new_id, keys, torch.zeros_like(values), *tables)


@wrong(K)
def step_sums_the_heads(*inputs):
    out, keys, values = step(*inputs)
    return out.sum(-1, keepdim=True), keys, values


@wrong(K)
def step_reversed_cache(new_id, keys, values, *tables):
    out, keys, values = step(new_id, keys, values, *tables)
    return out, keys.flip(1), values.flip(1)
