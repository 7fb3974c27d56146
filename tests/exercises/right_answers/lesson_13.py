"""Right answers to lesson 13, GPT."""

import torch
import torch.nn.functional as F

from right_answers import right

# --- 13.next_word_logits ----------------------------------------------------------------------------------------------


@right("13.next_word_logits")
def two_changes(ids, W_e, W_p, W_Q, W_K, W_V):
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p[:n]
    x = (h - h.mean(dim=-1, keepdim=True)) / h.std(dim=-1, keepdim=True, correction=0)
    query, key, value = x @ W_Q, x @ W_K, x @ W_V
    scores = query @ key.mT / d**0.5
    allowed = torch.ones(n, n, dtype=torch.bool).tril()
    weights = scores.masked_fill(~allowed, float("-inf")).softmax(dim=-1)
    return (h + weights @ value) @ W_e.mT


@right("13.next_word_logits")
def with_torchs_own(ids, W_e, W_p, W_Q, W_K, W_V):
    h = W_e[ids] + W_p[: ids.shape[1]]
    x = F.layer_norm(h, h.shape[-1:], eps=0)
    return (h + F.scaled_dot_product_attention(x @ W_Q, x @ W_K, x @ W_V, is_causal=True)) @ W_e.T


@right("13.next_word_logits")
def place_by_place(ids, W_e, W_p, W_Q, W_K, W_V):
    h = W_e[ids] + W_p[: ids.shape[1]]
    x = (h - h.mean(2, keepdim=True)) / h.var(2, keepdim=True, correction=0).sqrt()
    rows = []
    for i in range(ids.shape[1]):
        scores = torch.einsum("bd,bkd->bk", x[:, i] @ W_Q, x[:, : i + 1] @ W_K) / W_e.shape[1] ** 0.5
        rows.append(h[:, i] + torch.einsum("bk,bkd->bd", scores.softmax(-1), x[:, : i + 1] @ W_V))
    return torch.stack(rows, 1) @ W_e.T


# --- 13.lm_loss -------------------------------------------------------------------------------------------------------


@right("13.lm_loss")
def by_torch(logits, ids, pad_id):
    return F.cross_entropy(logits[:, :-1].transpose(1, 2), ids[:, 1:], ignore_index=pad_id)


@right("13.lm_loss")
def by_mask(logits, ids, pad_id):
    log_p = logits[:, :-1].log_softmax(-1)
    wanted = ids[:, 1:]
    right = log_p.gather(-1, wanted.unsqueeze(-1)).squeeze(-1)
    return -(right * (wanted != pad_id)).sum() / (wanted != pad_id).sum()


@right("13.lm_loss")
def by_loop(logits, ids, pad_id):
    losses = []
    for row in range(len(ids)):
        for i in range(ids.shape[1] - 1):
            if ids[row, i + 1] != pad_id:
                losses.append(-logits[row, i].log_softmax(0)[ids[row, i + 1]])
    return sum(losses) / len(losses)


@right("13.lm_loss")
def with_rolled_ids(logits, ids, pad_id):
    wanted = ids.roll(-1, 1)
    wanted[:, -1] = pad_id
    return F.nll_loss(logits.log_softmax(-1).flatten(0, 1), wanted.flatten(), ignore_index=pad_id)


# --- 13.top_p_filter --------------------------------------------------------------------------------------------------


@right("13.top_p_filter")
def sorted_and_scattered(probabilities, p):
    values, order = probabilities.sort(dim=-1, descending=True)
    before = values.cumsum(-1) - values
    values = torch.where(before < p, values, torch.zeros_like(values))
    out = torch.zeros_like(probabilities).scatter(-1, order, values)
    return out / out.sum(dim=-1, keepdim=True)


@right("13.top_p_filter")
def by_comparing_all_pairs(probabilities, p):
    likelier = probabilities.unsqueeze(-2) > probabilities.unsqueeze(-1)
    before = (probabilities.unsqueeze(-2) * likelier).sum(-1)
    out = probabilities * (before < p)
    return out / out.sum(-1, keepdim=True)


@right("13.top_p_filter")
def by_an_inverse_permutation(probabilities, p):
    order = probabilities.argsort(-1, descending=True)
    values = probabilities.gather(-1, order)
    dropped = torch.roll(values.cumsum(-1) >= p, 1, -1)
    dropped[..., 0] = False
    values = values.masked_fill(dropped, 0)
    values = values / values.sum(-1, keepdim=True)
    return values.gather(-1, order.argsort(-1))


@right("13.top_p_filter")
def row_by_row(probabilities, p):
    rows = []
    for row in probabilities.reshape(-1, probabilities.shape[-1]):
        held, keep = 0.0, []
        for i in row.argsort(descending=True).tolist():
            keep.append(i)
            held += row[i].item()
            if held >= p:
                break
        mask = torch.zeros_like(row)
        mask[keep] = 1
        rows.append(row * mask / (row * mask).sum())
    return torch.stack(rows).view_as(probabilities)


# --- 13.cache_step ----------------------------------------------------------------------------------------------------


@right("13.cache_step")
def by_cat(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    x = W_e[new_id] + W_p[keys.shape[1]]
    keys = torch.cat([keys, x @ W_K], dim=1)
    values = torch.cat([values, x @ W_V], dim=1)
    scores = (x @ W_Q) @ keys.transpose(1, 2) / W_K.shape[1] ** 0.5
    return scores.softmax(dim=-1) @ values, keys, values


@right("13.cache_step")
def in_tensors_made_before(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    past = keys.size(1)
    x = F.embedding(new_id, W_e) + W_p[past : past + 1]
    all_keys = keys.new_empty(len(keys), past + 1, W_K.shape[1])
    all_values = values.new_empty(len(values), past + 1, W_V.shape[1])
    all_keys[:, :past], all_keys[:, past:] = keys, x @ W_K
    all_values[:, :past], all_values[:, past:] = values, x @ W_V
    weights = F.softmax(torch.bmm(x @ W_Q, all_keys.mT).div(W_Q.shape[1] ** 0.5), dim=2)
    return torch.bmm(weights, all_values), all_keys, all_values


@right("13.cache_step")
def by_einsum(new_id, keys, values, W_e, W_p, W_Q, W_K, W_V):
    x = W_e[new_id[:, 0]] + W_p[values.shape[1]]
    keys = torch.cat([keys, (x @ W_K)[:, None]], 1)
    values = torch.cat([values, (x @ W_V)[:, None]], 1)
    weights = (torch.einsum("bd,bkd->bk", x @ W_Q, keys) * keys.shape[-1] ** -0.5).softmax(-1)
    return torch.einsum("bk,bkv->bv", weights, values)[:, None], keys, values
