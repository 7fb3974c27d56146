"""Right answers to lesson 08, Encoder and decoder."""

import torch
import torch.nn.functional as F

from course_lib import attention, masks
from right_answers import right

# --- 08.cross_attention -----------------------------------------------------------------------------------------------


@right("08.cross_attention")
def cross_by_hand(x, memory, W_Q, W_K, W_V, mask):
    scores = (x @ W_Q.mT) @ (memory @ W_K.mT).mT / W_K.shape[0] ** 0.5
    weights = scores.masked_fill(~mask, float("-inf")).softmax(-1)
    return weights @ (memory @ W_V.mT), weights


@right("08.cross_attention")
def cross_by_linear(x, memory, W_Q, W_K, W_V, mask):
    q, k, v = F.linear(x, W_Q), F.linear(memory, W_K), F.linear(memory, W_V)
    weights = attention.attention_weights(q, k, mask)
    return weights @ v, weights


@right("08.cross_attention")
def cross_by_einsum(x, memory, W_Q, W_K, W_V, mask):
    q = torch.einsum("...nd,kd->...nk", x, W_Q)
    k, v = (torch.einsum("...md,kd->...mk", memory, W) for W in (W_K, W_V))
    scores = torch.einsum("...nk,...mk->...nm", q, k) * q.shape[-1] ** -0.5
    scores = torch.where(mask, scores, torch.tensor(float("-inf"), dtype=scores.dtype))
    powers = (scores - scores.amax(-1, keepdim=True)).exp()
    weights = powers / powers.sum(-1, keepdim=True)
    return torch.einsum("...nm,...mv->...nv", weights, v), weights


@right("08.cross_attention")
def cross_by_the_lesson_before(x, memory, W_Q, W_K, W_V, mask):
    return attention.scaled_dot_product_attention(x @ W_Q.mT, memory @ W_K.mT, memory @ W_V.mT, mask)


# --- 08.decoder_layer -------------------------------------------------------------------------------------------------


@right("08.decoder_layer")
def decoder_in_three_lines(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    y = norm_1(y + self_attention(y, y, masks.causal_mask(y.shape[-2])))
    y = norm_2(y + cross_attention(y, memory, memory_mask))
    return norm_3(y + feed_forward(y))


@right("08.decoder_layer")
def decoder_step_by_step(y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask):
    n = y.shape[-2]
    place = torch.arange(n)
    causal = place[None, :] <= place[:, None]
    own = self_attention(y, y, causal)
    after_own = norm_1(own + y)
    read = cross_attention(after_own, memory, memory_mask)
    after_read = norm_2(read + after_own)
    return norm_3(feed_forward(after_read) + after_read)


@right("08.decoder_layer")
def decoder_by_a_loop(y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask):
    causal = ~torch.ones(y.shape[-2], y.shape[-2], dtype=torch.bool).triu(1)
    sublayers = [
        lambda z: self_attention(z, z, causal),
        lambda z: cross_attention(z, memory, memory_mask),
        feed_forward,
    ]
    for sublayer, norm in zip(sublayers, (norm_1, norm_2, norm_3)):
        y = norm(y + sublayer(y))
    return y


@right("08.decoder_layer")
def decoder_one_word_at_a_time(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """The beginnings one after the other, and of each its last word: no mask is needed."""
    rows = []
    for i in range(y.shape[-2]):
        so_far = y[..., : i + 1, :]
        everything = torch.ones(1, i + 1, dtype=torch.bool)
        z = norm_1(so_far[..., -1:, :] + self_attention(so_far[..., -1:, :], so_far, everything))
        z = norm_2(z + cross_attention(z, memory, memory_mask))
        rows.append(norm_3(z + feed_forward(z)))
    return torch.cat(rows, dim=-2)


# --- 08.shift ---------------------------------------------------------------------------------------------------------


@right("08.shift")
def shift_by_loop(ids, start, end, pad):
    inputs, targets = [], []
    for row in ids.tolist():
        words = [word for word in row if word != pad]
        padding = [pad] * (len(row) - len(words))
        inputs.append([start, *words, *padding])
        targets.append([*words, end, *padding])
    return torch.tensor(inputs), torch.tensor(targets)


@right("08.shift")
def shift_by_indexing(ids, start, end, pad):
    batch, n = ids.shape
    inputs, targets = torch.full((batch, n + 1), pad), torch.full((batch, n + 1), pad)
    inputs[:, 0], inputs[:, 1:], targets[:, :-1] = start, ids, ids
    targets[torch.arange(batch), (ids != pad).sum(1)] = end
    return inputs, targets


@right("08.shift")
def shift_by_padding(ids, start, end, pad):
    inputs = F.pad(ids, (1, 0), value=start)
    targets = F.pad(ids, (0, 1), value=pad)
    place = torch.arange(ids.shape[1] + 1)
    return inputs, torch.where(place == (ids != pad).sum(1, keepdim=True), end, targets)


@right("08.shift")
def shift_from_one_text(ids, start, end, pad):
    """START, words, END in one tensor; the inputs without END, the targets without START."""
    whole = F.pad(ids, (1, 1), value=pad)
    whole[:, 0] = start
    lengths = (ids != pad).sum(1)
    whole[torch.arange(len(ids)), lengths + 1] = end
    inputs = whole[:, :-1].clone()
    inputs[inputs == end] = pad
    return inputs, whole[:, 1:]


# --- 08.tied ----------------------------------------------------------------------------------------------------------


@right("08.tied")
def tied_repaired(table, step, ids, states):
    table = table + step
    vectors = table[ids] * table.shape[1] ** 0.5
    logits = states @ table.mT
    return vectors, logits


@right("08.tied")
def tied_by_torch(table, step, ids, states):
    trained = table + step
    return F.embedding(ids, trained) * trained.shape[-1] ** 0.5, F.linear(states, trained)


@right("08.tied")
def tied_by_one_hot(table, step, ids, states):
    trained = (table + step).to(states.dtype)
    chosen = F.one_hot(ids, len(trained)).to(trained.dtype)
    return (chosen @ trained) * states.shape[-1] ** 0.5, torch.einsum("...d,vd->...v", states, trained)
