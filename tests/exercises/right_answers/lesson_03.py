"""Right answers to lesson 03, Multi-head attention."""

import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import einsum, nn

from right_answers import right

# --- 03.split_heads ---------------------------------------------------------------------------------------------------


@right("03.split_heads")
def split_by_reshape(x, num_heads):
    batch, n, width = x.shape
    return x.reshape(batch, n, num_heads, width // num_heads).transpose(1, 2)


@right("03.split_heads")
def split_by_chunks(x, num_heads):
    return torch.stack(x.chunk(num_heads, dim=-1), dim=1)


@right("03.split_heads")
def split_by_loop(x, num_heads):
    d = int(x.shape[-1] / num_heads)
    heads = [x[:, :, h * d : (h + 1) * d] for h in range(num_heads)]
    return torch.cat([head[:, None] for head in heads], dim=1)


@right("03.split_heads")
def split_by_unflatten(x, num_heads):
    return x.unflatten(2, (num_heads, -1)).permute(0, 2, 1, 3).contiguous()


@right("03.split_heads")
def split_by_view(x, num_heads):
    """Cutting an axis is possible in any layout; only joining isn't."""
    return x.view(x.size(0), -1, num_heads, x.size(2) // num_heads).swapaxes(1, 2)


@right("03.split_heads")
def split_by_unfold(x, num_heads):
    d = x.shape[-1] // num_heads
    return x.unfold(-1, d, d).movedim(2, 1)


@right("03.split_heads")
def split_into_an_empty_tensor(x, num_heads):
    batch, n, width = x.shape
    out = x.new_empty(batch, num_heads, n, width // num_heads)
    for h, part in enumerate(x.split(width // num_heads, dim=2)):
        out[:, h] = part
    return out


# --- 03.merge_heads ---------------------------------------------------------------------------------------------------


@right("03.merge_heads")
def merge_by_flatten(x):
    return x.transpose(1, 2).flatten(2)


@right("03.merge_heads")
def merge_by_reshape(x):
    batch, num_heads, n, d = x.shape
    return x.permute(0, 2, 1, 3).reshape(batch, n, num_heads * d)


@right("03.merge_heads")
def merge_by_cat(x):
    return torch.cat(list(x.unbind(1)), dim=-1)


@right("03.merge_heads")
def merge_by_view(x):
    return x.transpose(1, 2).contiguous().view(x.shape[0], x.shape[2], -1)


@right("03.merge_heads")
def merge_by_einsum(x):
    return einsum("bhnd->bnhd", x).reshape(x.shape[0], x.shape[2], x.shape[1] * x.shape[3])


@right("03.merge_heads")
def merge_word_by_word(x):
    return torch.stack([torch.stack([sentence[:, i].ravel() for i in range(x.shape[2])]) for sentence in x])


# --- 03.MultiHeadAttention --------------------------------------------------------------------------------------------


class _Projections(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)


@right("03.MultiHeadAttention")
class ByReshape(_Projections):
    def forward(self, query, key, value):
        def cut(x):
            return x.reshape(*x.shape[:2], self.num_heads, -1).transpose(1, 2)

        q, k, v = cut(self.W_Q(query)), cut(self.W_K(key)), cut(self.W_V(value))
        weights = (q @ k.mT / q.shape[-1] ** 0.5).softmax(dim=-1)
        return self.W_O((weights @ v).transpose(1, 2).flatten(2)), weights


@right("03.MultiHeadAttention")
class ByEinsum(_Projections):
    def forward(self, query, key, value):
        q, k, v = (
            layer(x).unflatten(-1, (self.num_heads, -1))
            for layer, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value))
        )
        weights = F.softmax(einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(q.size(-1)), dim=3)
        return self.W_O(einsum("bhqk,bkhd->bqhd", weights, v).flatten(-2)), weights


@right("03.MultiHeadAttention")
class HeadByHead(_Projections):
    def forward(self, query, key, value):
        queries, keys, values = self.W_Q(query), self.W_K(key), self.W_V(value)
        outputs, all_weights = [], []
        for q, k, v in zip(*(x.chunk(self.num_heads, -1) for x in (queries, keys, values))):
            weights = torch.softmax(q @ k.transpose(1, 2) / q.shape[-1] ** 0.5, -1)
            outputs.append(weights @ v)
            all_weights.append(weights)
        return self.W_O(torch.cat(outputs, -1)), torch.stack(all_weights, 1)


@right("03.MultiHeadAttention")
class WithTheLibrarysAttention(_Projections):
    """The part of lesson 02 may be used: this exercise is about the heads."""

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0):
        super().__init__(d_model, num_heads)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        from course_lib.attention import merge_heads, scaled_dot_product_attention, split_heads

        q, k, v = (split_heads(x, self.num_heads) for x in (self.W_Q(query), self.W_K(key), self.W_V(value)))
        output, weights = scaled_dot_product_attention(q, k, v)
        return self.W_O(merge_heads(output)), self.dropout(weights)


@right("03.MultiHeadAttention")
class WithBmm(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.heads, self.d_k = num_heads, d_model // num_heads
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            setattr(self, name, nn.Linear(d_model, d_model))

    def forward(self, query, key, value):
        batch = query.shape[0]
        q = self.cut(self.W_Q(query)) * self.d_k**-0.5
        weights = torch.bmm(q, self.cut(self.W_K(key)).mT).softmax(-1)
        heads = torch.bmm(weights, self.cut(self.W_V(value)))
        out = heads.view(batch, self.heads, -1, self.d_k).swapaxes(1, 2).reshape(batch, -1, self.heads * self.d_k)
        return self.W_O(out), weights.view(batch, self.heads, *weights.shape[1:])

    def cut(self, x):
        return x.reshape(len(x), -1, self.heads, self.d_k).permute(0, 2, 1, 3).flatten(0, 1)


@right("03.MultiHeadAttention")
class WithTorchsFused(_Projections):
    """torch's fused attention gives no weights, so they are computed apart."""

    def forward(self, query, key, value):
        q, k, v = (
            f(x).unflatten(-1, (self.num_heads, -1)).mT.mT.transpose(1, 2)
            for f, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value))
        )
        output = F.scaled_dot_product_attention(q, k, v)
        return self.W_O(output.transpose(1, 2).flatten(2)), (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1)


# --- 03.strongest_head ------------------------------------------------------------------------------------------------


@right("03.strongest_head")
def by_divmod(weights, query, key):
    return divmod(weights[:, :, query, key].argmax().item(), weights.shape[1])


@right("03.strongest_head")
def by_loops(weights, query, key):
    best, where = -1, None
    for layer in range(weights.shape[0]):
        for head in range(weights.shape[1]):
            if weights[layer, head, query, key] > best:
                best, where = weights[layer, head, query, key], (layer, head)
    return where


@right("03.strongest_head")
def by_unravel(weights, query, key):
    here = weights[..., query, key]
    layer, head = torch.unravel_index(here.argmax(), here.shape)
    return int(layer), int(head)


@right("03.strongest_head")
def by_maximum(weights, query, key):
    here = weights[:, :, query, key]
    return (here == here.max()).nonzero()[0].tolist()


@right("03.strongest_head")
def by_max_over_pairs(weights, query, key):
    pairs = [(layer, head) for layer in range(len(weights)) for head in range(len(weights[0]))]
    return max(pairs, key=lambda pair: weights[pair][query, key])


@right("03.strongest_head")
def by_numpy(weights, query, key):
    here = weights[:, :, query, key].numpy()
    return np.unravel_index(here.argmax(), here.shape)


# --- 03.repaired ------------------------------------------------------------------------------------------------------


@right("03.repaired")
def swapped_and_back(x, W_Q, W_K, W_V, W_O, num_heads):
    batch, n, d_model = x.shape
    query = (x @ W_Q.mT).reshape(batch, n, num_heads, -1).transpose(1, 2)
    key = (x @ W_K.mT).reshape(batch, n, num_heads, -1).transpose(1, 2)
    value = (x @ W_V.mT).reshape(batch, n, num_heads, -1).transpose(1, 2)
    scores = query @ key.mT / query.shape[-1] ** 0.5
    heads = scores.softmax(dim=-1) @ value
    return heads.transpose(1, 2).reshape(batch, n, d_model) @ W_O.mT


@right("03.repaired")
def repaired_by_einsum(x, W_Q, W_K, W_V, W_O, num_heads):
    query, key, value = (F.linear(x, W).unflatten(-1, (num_heads, -1)) for W in (W_Q, W_K, W_V))
    scores = einsum("bqhd,bkhd->bhqk", query, key) / query.shape[-1] ** 0.5
    return F.linear(einsum("bhqk,bkhd->bqhd", scores.softmax(-1), value).flatten(2), W_O)


@right("03.repaired")
def repaired_head_by_head(x, W_Q, W_K, W_V, W_O, num_heads):
    d, heads = x.shape[-1] // num_heads, []
    for h in range(num_heads):
        rows = slice(h * d, (h + 1) * d)
        query, key, value = x @ W_Q[rows].T, x @ W_K[rows].T, x @ W_V[rows].T
        heads.append((query @ key.mT / d**0.5).softmax(-1) @ value)
    return torch.cat(heads, dim=-1) @ W_O.T


@right("03.repaired")
def repaired_with_torchs_attention(x, W_Q, W_K, W_V, W_O, num_heads):
    query, key, value = ((x @ W.mT).unflatten(-1, (num_heads, -1)).transpose(1, 2) for W in (W_Q, W_K, W_V))
    return F.scaled_dot_product_attention(query, key, value).transpose(1, 2).flatten(2) @ W_O.mT


# --- 03.silence -------------------------------------------------------------------------------------------------------


@right("03.silence")
def silent_copy(W_O, head, num_heads):
    d_v = W_O.shape[1] // num_heads
    W_O = W_O.clone()
    W_O[:, head * d_v : (head + 1) * d_v] = 0
    return W_O


@right("03.silence")
def silent_by_a_mask(W_O, head, num_heads):
    whose = torch.arange(W_O.shape[1]) // (W_O.shape[1] // num_heads)
    return torch.where(whose == head, 0, W_O)


@right("03.silence")
def silent_piece(W_O, head, num_heads):
    pieces = list(W_O.chunk(num_heads, dim=1))
    pieces[head] = torch.zeros_like(pieces[head])
    return torch.cat(pieces, dim=1)


@right("03.silence")
def silent_as_heads(W_O, head, num_heads):
    keep = (torch.arange(num_heads) != head)[:, None]
    return (W_O.unflatten(1, (num_heads, -1)) * keep).flatten(1)
