"""Right answers to lesson 04 in the styles of a fresh student."""

import math

import torch

from course_lib import masks
from right_answers import right

INF = float("-inf")


@right("04.causal_mask")
def student_cm_r1(n):
    i = torch.arange(n)
    return i[:, None] >= i[None, :]


@right("04.causal_mask")
def student_cm_r2(n):
    return torch.tensor([[j <= i for j in range(n)] for i in range(n)])


@right("04.causal_mask")
def student_cm_r3(n):
    return ~torch.triu(torch.ones(n, n), 1).bool()


@right("04.causal_mask")
def student_cm_r4(n):
    return torch.ones(n, n).cumsum(0) >= torch.ones(n, n).cumsum(1)


@right("04.masked_attention")
def student_ma_r1(query, key, value, mask):
    s = torch.einsum("...id,...jd->...ij", query, key) / math.sqrt(query.size(-1))
    w = torch.softmax(s.masked_fill(~mask, INF), dim=-1)
    w = torch.where(mask, w, 0.0)
    return w @ value, w


@right("04.masked_attention")
def student_ma_r2(query, key, value, mask):
    s = query @ key.transpose(-2, -1) / key.shape[-1] ** 0.5
    s = s.masked_fill(torch.logical_not(mask), INF)
    top = s.amax(-1, keepdim=True)
    top = torch.where(top.isinf(), torch.zeros_like(top), top)
    e = torch.exp(s - top)
    total = e.sum(-1, keepdim=True)
    w = e / torch.where(total == 0, torch.ones_like(total), total)
    return w @ value, w


@right("04.masked_attention")
def student_ma_r3(query, key, value, mask):
    s = query @ key.mT / query.shape[-1] ** 0.5
    empty = ~mask.any(dim=-1, keepdim=True)
    s = s.masked_fill(~(mask | empty), INF)
    w = s.softmax(-1) * ~empty
    return w @ value, w


@right("04.masked_attention")
def student_ma_r4(query, key, value, mask):
    s = query @ key.mT / query.shape[-1] ** 0.5
    w = torch.nan_to_num(s.masked_fill(mask.int() == 0, INF).softmax(-1))
    return w @ value, w


@right("04.decoder_mask")
def student_dm_r1(ids, pad_id):
    b, n = ids.shape
    out = torch.zeros(b, 1, n, n, dtype=torch.bool)
    for s in range(b):
        for i in range(n):
            for j in range(i + 1):
                out[s, 0, i, j] = ids[s, j] != pad_id
    return out


@right("04.decoder_mask")
def student_dm_r2(ids, pad_id):
    return (masks.padding_mask(ids, pad_id) * masks.causal_mask(ids.size(-1))).bool()


@right("04.decoder_mask")
def student_dm_r3(ids, pad_id):
    n = ids.shape[1]
    keys = ids.ne(pad_id).unsqueeze(1).unsqueeze(2).expand(-1, 1, n, n)
    return torch.tril(keys)


@right("04.by_gradient")
def student_bg_r1(layer, x):
    J = torch.autograd.functional.jacobian(layer, x.detach())  # (n, d_out, n, d)
    return (J != 0).any(dim=3).any(dim=1)


@right("04.by_gradient")
def student_bg_r2(layer, x):
    x = x.detach().requires_grad_(True)
    y = layer(x)
    seen = torch.zeros(len(x), len(x), dtype=torch.bool)
    for i in range(y.shape[0]):
        for k in range(y.shape[1]):
            (g,) = torch.autograd.grad(y[i, k], x, retain_graph=True)
            seen[i] |= (g != 0).any(1)
    return seen


@right("04.by_gradient")
def student_bg_r3(layer, x):
    n = len(x)
    rows = []
    for i in range(n):
        z = torch.tensor(x.tolist(), dtype=x.dtype, requires_grad=True)
        out = layer(z)[i]
        (out * torch.rand_like(out)).sum().backward()
        rows.append(z.grad.abs().amax(1) > 0)
    return torch.stack(rows)


@right("04.repaired")
def student_rp_r1(source_ids, target_ids, pad_id):
    return (
        masks.padding_mask(source_ids, pad_id),
        masks.padding_mask(target_ids, pad_id) & masks.causal_mask(target_ids.shape[1]),
        masks.padding_mask(source_ids, pad_id),
    )


@right("04.repaired")
def student_rp_r2(source_ids, target_ids, pad_id):
    b, m = source_ids.shape
    n = target_ids.shape[1]
    s = (source_ids != pad_id).view(b, 1, 1, m)
    t = (target_ids != pad_id).view(b, 1, 1, n)
    return s.expand(b, 1, m, m), torch.tril(t.expand(b, 1, n, n)), s.expand(b, 1, n, m)


@right("04.repaired")
def student_rp_r3(source_ids, target_ids, pad_id):
    n = target_ids.shape[1]
    causal = torch.ones(n, n, dtype=torch.bool).triu().T
    source_mask = (source_ids != pad_id)[:, None, None, :]
    target_mask = torch.logical_and(causal, (target_ids != pad_id)[:, None, None, :])
    cross_mask = (source_ids != pad_id)[:, None, None, :]
    return [source_mask, target_mask, cross_mask]
