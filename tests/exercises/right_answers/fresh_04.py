"""Right answers to lesson 04 in a fresh student's styles."""

import math

import numpy as np
import torch

from right_answers import right


@right("04.causal_mask")
def fresh_causal_cumsum(n):
    return torch.eye(n).cumsum(1).T > 0


@right("04.causal_mask")
def fresh_causal_numpy(n):
    return torch.from_numpy(np.tri(n, dtype=bool))


@right("04.causal_mask")
def fresh_causal_list(n):
    return torch.tensor([[j <= i for j in range(n)] for i in range(n)])


@right("04.masked_attention")
def fresh_masked_exp(query, key, value, mask):
    scores = torch.einsum("...id,...jd->...ij", query, key) / math.sqrt(key.shape[-1])
    scores = torch.where(mask, scores, torch.full((), -1e30, dtype=scores.dtype))
    e = (scores - scores.amax(-1, keepdim=True)).exp() * mask
    weights = e / e.sum(-1, keepdim=True).clamp(min=1e-30)
    return weights @ value, weights


@right("04.masked_attention")
def fresh_masked_open_then_close(query, key, value, mask):
    empty = ~mask.any(-1, keepdim=True)
    scores = (query @ key.transpose(-1, -2)) * query.size(-1) ** -0.5
    weights = torch.softmax(scores.masked_fill(~(mask | empty), -torch.inf), -1).masked_fill(empty, 0.0)
    return torch.matmul(weights, value), weights


@right("04.masked_attention")
def fresh_masked_finfo(query, key, value, mask):
    scores = query @ key.mT / query.shape[-1] ** 0.5
    mask = mask.expand_as(scores)
    weights = scores.masked_fill(mask.logical_not(), torch.finfo(scores.dtype).min).softmax(dim=-1)
    weights = weights * mask
    return weights @ value, weights


@right("04.masked_attention")
def fresh_masked_nan_to_num(query, key, value, mask):
    """masked_fill's gradient is 0 where it filled, so no NaN gets through."""
    scores = (query @ key.mT / query.shape[-1] ** 0.5).masked_fill(~mask, float("-inf"))
    weights = scores.softmax(-1).nan_to_num(0)
    return weights @ value, weights


@right("04.decoder_mask")
def fresh_decoder_loops(ids, pad_id):
    batch, n = ids.shape
    mask = torch.zeros(batch, 1, n, n, dtype=torch.bool)
    for b in range(batch):
        for i in range(n):
            for j in range(i + 1):
                mask[b, 0, i, j] = ids[b, j] != pad_id
    return mask


@right("04.decoder_mask")
def fresh_decoder_ne(ids, pad_id):
    return ids.ne(pad_id).unsqueeze(1).expand(-1, ids.size(1), -1).tril().unsqueeze(1)


@right("04.decoder_mask")
def fresh_decoder_stack(ids, pad_id):
    place = torch.arange(ids.shape[1])
    return torch.stack([(place[None, :] <= place[:, None]) & (row != pad_id) for row in ids])[:, None]


@right("04.repaired")
def fresh_repaired_tuple(source_ids, target_ids, pad_id):
    source = source_ids.ne(pad_id)[:, None, None]
    n = target_ids.shape[-1]
    return source, torch.ones(n, n).tril().bool() & target_ids.ne(pad_id)[:, None, None], source


@right("04.repaired")
def fresh_repaired_list(source_ids, target_ids, pad_id):
    n = target_ids.shape[1]
    causal = torch.ones(n, n, dtype=torch.bool).triu(1)
    source = (source_ids != pad_id)[:, None, None, :]
    return [source, ~causal & (target_ids != pad_id)[:, None, None, :], source]


@right("04.repaired")
def fresh_repaired_expanded(source_ids, target_ids, pad_id):
    (batch, m), n = source_ids.shape, target_ids.shape[1]
    source = (source_ids != pad_id).view(batch, 1, 1, m).expand(batch, 1, m, m)
    target = (target_ids != pad_id).view(batch, 1, 1, n) & (torch.arange(n)[:, None] >= torch.arange(n))
    return source, target, (source_ids != pad_id).view(batch, 1, 1, m).expand(batch, 1, n, m)
