"""A fresh student's right answers to lesson 08, in other styles."""

import torch
import torch.nn.functional as F

from course_lib import masks
from right_answers import right


@right("08.cross_attention")
def student_08_cross_attention_r_einsum(x, memory, W_Q, W_K, W_V, mask):
    q = torch.einsum("...nd,kd->...nk", x, W_Q)
    k = torch.einsum("...md,kd->...mk", memory, W_K)
    v = torch.einsum("...md,kd->...mk", memory, W_V)
    s = torch.einsum("...nk,...mk->...nm", q, k) / W_Q.shape[0] ** 0.5
    s = torch.where(mask, s, torch.tensor(-1e9))
    p = torch.softmax(s, -1)
    return torch.einsum("...nm,...mv->...nv", p, v), p


@right("08.cross_attention")
def student_08_cross_attention_r_manual_softmax(x, memory, W_Q, W_K, W_V, mask):
    q, k, v = (F.linear(*p) for p in ((x, W_Q), (memory, W_K), (memory, W_V)))
    s = q @ k.transpose(-1, -2) * q.size(-1) ** -0.5
    s = s + torch.zeros(mask.shape).masked_fill(mask.logical_not(), float("-inf"))
    e = (s - s.amax(-1, keepdim=True)).exp()
    w = e / e.sum(-1, keepdim=True)
    return w @ v, w


@right("08.decoder_layer")
def student_08_decoder_layer_r_loop(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    n = y.size(-2)
    causal = torch.ones(n, n).tril().bool()
    for sub, norm in (
        (lambda z: self_attention(z, z, causal), norm_1),
        (lambda z: cross_attention(z, memory, memory_mask), norm_2),
        (feed_forward, norm_3),
    ):
        y = norm(y + sub(y))
    return y


@right("08.decoder_layer")
def student_08_decoder_layer_r_batched_mask(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    n = y.shape[-2]
    i = torch.arange(n)
    causal = (i[:, None] >= i).expand(*y.shape[:-2], n, n)
    a = norm_1(torch.add(self_attention(y, y, causal), y))
    c = cross_attention(a, memory, memory_mask)
    b = norm_2(a + c)
    return norm_3(feed_forward(b) + b)


@right("08.shift")
def student_08_shift_r_f_pad_where(ids, start, end, pad):
    inputs = F.pad(ids, (1, 0), value=start)
    lengths = (ids != pad).sum(1, keepdim=True)
    at = torch.arange(ids.shape[1] + 1)
    targets = torch.where(at == lengths, end, F.pad(ids, (0, 1), value=pad))
    return inputs, targets


@right("08.shift")
def student_08_shift_r_loops(ids, start, end, pad):
    inputs, targets = [], []
    for row in ids.tolist():
        w = [i for i in row if i != pad]
        fill = [pad] * (len(row) - len(w))
        inputs.append([start] + w + fill)
        targets.append(w + [end] + fill)
    return torch.tensor(inputs), torch.tensor(targets)


@right("08.shift")
def student_08_shift_r_scatter_tuple_list(ids, start, end, pad):
    b = len(ids)

    def col(v):
        return ids.new_full((b, 1), v)

    t = torch.hstack([ids, col(pad)])
    t.scatter_(1, ids.ne(pad).sum(1, keepdim=True), end)
    return [torch.hstack((col(start), ids)), t]


@right("08.tied")
def student_08_tied_r_f_embedding_linear(table, step, ids, states):
    E = torch.add(table, step)
    return F.embedding(ids, E) * E.size(-1) ** 0.5, F.linear(states, E)


@right("08.tied")
def student_08_tied_r_einsum_clone_after(table, step, ids, states):
    table = table.clone()
    table += step
    d = table.shape[-1]
    return d**0.5 * table.index_select(0, ids.flatten()).view(*ids.shape, d), torch.einsum(
        "...d,vd->...v", states, table
    )


@right("08.cross_attention")
def student_08_cross_attention_r_renormalised_mask(x, memory, W_Q, W_K, W_V, mask):
    Q, K, V = x @ W_Q.T, memory @ W_K.T, memory @ W_V.T
    w = torch.softmax(Q @ K.mT / K.shape[-1] ** 0.5, dim=-1) * mask
    w = w / w.sum(-1, keepdim=True)
    return w @ V, w


@right("08.cross_attention")
def student_08_cross_attention_r_project_later(x, memory, W_Q, W_K, W_V, mask):
    s = x @ W_Q.T @ W_K @ memory.mT * len(W_K) ** -0.5
    w = s.masked_fill(mask.logical_not(), torch.finfo(s.dtype).min).softmax(-1)
    return (w @ memory) @ W_V.T, w


@right("08.decoder_layer")
def student_08_decoder_layer_r_names(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    n = y.shape[-2]
    causal = ~torch.triu(torch.ones(n, n, dtype=torch.bool), diagonal=1)
    y = norm_1(y + self_attention(x=y, other=y, mask=causal))
    y = norm_2(y + cross_attention(y, other=memory, mask=memory_mask))
    return norm_3(y + feed_forward(y))


@right("08.decoder_layer")
def student_08_decoder_layer_r_helper(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    def add_norm(norm, old, new):
        return norm(old + new)

    causal = masks.causal_mask(y.shape[-2])
    one = add_norm(norm_1, y, self_attention(y, y, causal))
    two = add_norm(norm_2, one, cross_attention(one, memory, memory_mask))
    return add_norm(norm_3, two, feed_forward(two))


@right("08.shift")
def student_08_shift_r_argmax_padded(ids, start, end, pad):
    b = len(ids)
    padded = torch.cat([ids, ids.new_full((b, 1), pad)], 1)
    first = (padded == pad).int().argmax(1)
    targets = padded.clone()
    targets[range(b), first] = end
    inputs = padded.roll(1, dims=1)
    inputs[:, 0] = start
    return inputs, targets


@right("08.shift")
def student_08_shift_r_one_hot_where(ids, start, end, pad):
    t = F.pad(ids, (0, 1), value=pad)
    is_end = F.one_hot((ids != pad).sum(1), ids.shape[1] + 1).bool()
    return F.pad(ids, (1, 0), value=start), t.masked_fill(is_end, end)


@right("08.tied")
def student_08_tied_r_inner(table, step, ids, states):
    import math

    new = table + step
    return math.sqrt(new.shape[1]) * new[ids], torch.inner(states, new)


@right("08.tied")
def student_08_tied_r_minimal(table, step, ids, states):
    table = table + step
    output_table = table
    vectors = table[ids] * table.shape[1] ** 0.5
    logits = states @ output_table.mT
    return vectors, logits
