"""Right answers to lesson 16, cost and variants."""

import math

import torch

from course_lib.attention import scaled_dot_product_attention
from course_lib.masks import window_mask
from right_answers import right

# --- 16.sparse_mask ---------------------------------------------------------------------------------------------------


@right("16.sparse_mask")
def mask_by_three_rules(n, window, num_global, chosen):
    place = torch.arange(n)
    near = (place[:, None] - place).abs() <= window
    whole = (place < num_global)[:, None] | (place < num_global)
    return (near | whole).scatter(1, chosen, True)


@right("16.sparse_mask")
def mask_by_loop(n, window, num_global, chosen):
    mask = torch.zeros(n, n, dtype=torch.bool)
    for i in range(n):
        for j in range(max(0, i - window), min(n, i + window + 1)):
            mask[i, j] = True
        for j in chosen[i].tolist():
            mask[i, j] = True
    for i in range(num_global):
        mask[i] = True
        mask[:, i] = True
    return mask


@right("16.sparse_mask")
def mask_cell_by_cell(n, window, num_global, chosen):
    drawn = [set(row) for row in chosen.tolist()]

    def may_look(i, j):
        return abs(i - j) <= window or min(i, j) < num_global or j in drawn[i]

    return torch.tensor([[may_look(i, j) for j in range(n)] for i in range(n)])


@right("16.sparse_mask")
def mask_by_diagonals(n, window, num_global, chosen):
    mask = torch.ones(n, n).tril(window).triu(-window) > 0
    mask[:num_global, :] = True
    mask[:, :num_global] = True
    rows = torch.arange(n)[:, None].expand_as(chosen)
    mask[rows, chosen] = True
    return mask


@right("16.sparse_mask")
def mask_by_one_hot(n, window, num_global, chosen):
    drawn = torch.nn.functional.one_hot(chosen, n).sum(1) > 0
    mask = window_mask(n, window) | drawn
    mask[:num_global] = mask[:, :num_global] = True
    return mask


# --- 16.linformer_attention -------------------------------------------------------------------------------------------


@right("16.linformer_attention")
def linformer_in_three_lines(query, key, value, E, F):
    scores = query @ (E @ key).mT / query.shape[-1] ** 0.5
    weights = torch.softmax(scores, dim=-1)
    return weights @ (F @ value), weights


@right("16.linformer_attention")
def linformer_by_einsum(query, key, value, E, F):
    short_key = torch.einsum("kn,...nd->...kd", E, key)
    short_value = torch.einsum("kn,...nd->...kd", F, value)
    scores = torch.einsum("...id,...kd->...ik", query, short_key) / math.sqrt(key.size(-1))
    e = (scores - scores.amax(-1, keepdim=True)).exp()
    weights = e / e.sum(-1, keepdim=True)
    return torch.einsum("...ik,...kd->...id", weights, short_value), weights


@right("16.linformer_attention")
def linformer_turned_round(query, key, value, E, F):
    short_key = key.transpose(-2, -1) @ E.T  # (…, d, short)
    weights = (query @ short_key * query.size(-1) ** -0.5).softmax(-1)
    return weights @ F @ value, weights


@right("16.linformer_attention")
def linformer_by_loop(query, key, value, E, F):
    keys = torch.stack([(row[:, None] * key).sum(-2) for row in E], -2)
    values = torch.stack([(row[:, None] * value).sum(-2) for row in F], -2)
    scores = torch.stack([(query * keys[..., k : k + 1, :]).sum(-1) for k in range(len(E))], -1)
    weights = (scores / query.shape[-1] ** 0.5).softmax(-1)
    return weights @ values, weights


@right("16.linformer_attention")
def linformer_from_all_scores(query, key, value, E, F):
    """Costs n² again, but the numbers are those that are asked for: a product may be taken in any order."""
    weights = ((query @ key.mT) @ E.mT / query.shape[-1] ** 0.5).softmax(-1)
    return weights @ (F @ value), weights


@right("16.linformer_attention")
def linformer_by_the_finished_attention(query, key, value, E, F):
    return scaled_dot_product_attention(query, E @ key, F @ value)


# --- 16.compressed_attention ------------------------------------------------------------------------------------------


@right("16.compressed_attention")
def compressed_by_einsum(query, key, value, W_key, W_value):
    stride = W_key.shape[0]

    def shorten(x, W):
        x = torch.nn.functional.pad(x, (0, 0, 0, -x.shape[-2] % stride))
        return torch.einsum("...msd,sed->...me", x.unflatten(-2, (-1, stride)), W)

    weights = (query @ shorten(key, W_key).mT / query.shape[-1] ** 0.5).softmax(-1)
    return weights @ shorten(value, W_value), weights


@right("16.compressed_attention")
def compressed_by_loop(query, key, value, W_key, W_value):
    n, stride = key.shape[-2], len(W_key)
    groups = math.ceil(n / stride)

    def shorten(x, W):
        rows = []
        for m in range(groups):
            y = 0
            for s in range(stride):
                if m * stride + s < n:
                    y = y + (W[s] @ x[..., m * stride + s, :, None])[..., 0]
            rows.append(y)
        return torch.stack(rows, -2)

    scores = query @ shorten(key, W_key).transpose(-1, -2) / math.sqrt(query.size(-1))
    weights = torch.softmax(scores, -1)
    return weights @ shorten(value, W_value), weights


@right("16.compressed_attention")
def compressed_by_convolution(query, key, value, W_key, W_value):
    stride, d = W_key.shape[:2]

    def shorten(x, W):
        x = torch.nn.functional.pad(x, (0, 0, 0, -x.shape[-2] % stride))
        flat = x.reshape(-1, *x.shape[-2:]).mT
        y = torch.nn.functional.conv1d(flat, W.permute(1, 2, 0), stride=stride).mT
        return y.reshape(*x.shape[:-2], -1, d)

    weights = (query @ shorten(key, W_key).mT * d**-0.5).softmax(-1)
    return weights @ shorten(value, W_value), weights


@right("16.compressed_attention")
def compressed_by_slices(query, key, value, W_key, W_value):
    stride, n = len(W_key), key.shape[-2]
    missing = (stride - n % stride) % stride
    zeros = key.new_zeros(*key.shape[:-2], missing, key.shape[-1])
    key, value = torch.cat([key, zeros], -2), torch.cat([value, zeros], -2)
    short_key = sum(key[..., s::stride, :] @ W_key[s].mT for s in range(stride))
    short_value = sum(value[..., s::stride, :] @ W_value[s].mT for s in range(stride))
    scores = torch.einsum("...id,...md->...im", query, short_key) / query.shape[-1] ** 0.5
    e = (scores - scores.max(-1, keepdim=True).values).exp()
    weights = e / e.sum(-1, keepdim=True)
    return torch.einsum("...im,...md->...id", weights, short_value), weights


@right("16.compressed_attention")
def groups_of_what_is_there(query, key, value, W_key, W_value):
    def shorten(x, W):
        groups = x.split(len(W), dim=-2)
        return torch.stack([sum(each[..., s, :] @ W[s].mT for s in range(each.shape[-2])) for each in groups], dim=-2)

    return scaled_dot_product_attention(query, shorten(key, W_key), shorten(value, W_value))


# --- 16.top_k_gate ----------------------------------------------------------------------------------------------------


@right("16.top_k_gate")
def gate_by_scatter(logits, k):
    largest, which = logits.topk(k, dim=-1)
    return torch.zeros_like(logits).scatter(-1, which, largest.softmax(-1))


@right("16.top_k_gate")
def gate_by_threshold(logits, k):
    threshold = logits.sort(-1, descending=True).values[:, k - 1 : k]
    return logits.masked_fill(logits < threshold, float("-inf")).softmax(-1)


@right("16.top_k_gate")
def gate_renormalised(logits, k):
    shares = logits.softmax(-1)
    kept = shares * torch.zeros_like(shares).scatter(1, logits.topk(k).indices, 1.0)
    return kept / kept.sum(-1, keepdim=True)


@right("16.top_k_gate")
def gate_by_loop(logits, k):
    rows = []
    for row in logits:
        best = row.argsort(descending=True)[:k]
        out = torch.zeros_like(row)
        e = (row[best] - row.max()).exp()
        out[best] = e / e.sum()
        rows.append(out)
    return torch.stack(rows)
