"""Right answers to lessons 00 to 03 in styles that a student tried who had read the lessons alone."""

import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from right_answers import right

# --- lesson 00 --------------------------------------------------------------------------------------------------------


@right("00.all_dots")
def dots_by_columns(queries, keys):
    return torch.stack([(queries * keys[..., j : j + 1, :]).sum(-1) for j in range(keys.size(-2))], -1)


@right("00.all_dots")
def dots_linear(queries, keys):
    return torch.matmul(queries, keys.swapaxes(-1, -2))


@right("00.all_dots")
def dots_turned_twice(queries, keys):
    return (keys @ queries.transpose(-2, -1)).transpose(-2, -1)


@right("00.softmax")
def softmax_by_amax(scores):
    shifted = scores - torch.amax(scores, -1, True)
    return torch.exp(shifted).div(torch.exp(shifted).sum(-1, True))


@right("00.softmax")
def softmax_turned(scores):
    columns = scores.movedim(-1, 0)
    e = (columns - columns.max(0).values).exp()
    return (e / e.sum(0)).movedim(0, -1)


@right("00.softmax")
def softmax_by_sorting(scores):
    top = scores.sort(dim=-1, descending=True)[0][..., :1]
    e = math.e ** (scores - top)
    return e / torch.einsum("...n->...", e)[..., None]


right("00.broadcast_shape")(dict(zip(("first axis", "second axis", "third axis"), (3.0, 4, np.int64(5)))))

# --- lesson 01 --------------------------------------------------------------------------------------------------------

right("01.waiting")({"GRU, steps in a row": 1e3, "convolution, layers": 500, "attention, scores": 1000**2})


@right("01.soft_lookup")
def lookup_row_by_row(queries, keys, values, width):
    answers = [((-(((q - keys) / width) ** 2)).softmax(0) * values).sum() for q in queries]
    return torch.stack(answers) if answers else queries.new_zeros(0)


@right("01.soft_lookup")
def lookup_logsumexp(queries, keys, values, width):
    s = -((torch.sub(queries.unsqueeze(1), keys) / width).square())
    return torch.exp(s - torch.logsumexp(s, 1, keepdim=True)) @ values


@right("01.soft_lookup")
def lookup_columns(queries, keys, values, width):
    s = -(((keys.reshape(-1, 1) - queries) / width).pow(2))
    return values @ torch.softmax(s, dim=0)


@right("01.additive_scores")
def additive_einsum(query, key, W_1, W_2, w_3):
    q = torch.einsum("...qi,si->...qs", query, W_1)
    k = torch.einsum("...ki,si->...ks", key, W_2)
    return torch.einsum("...qks,s->...qk", torch.tanh(q.unsqueeze(-2) + k.unsqueeze(-3)), w_3)


@right("01.additive_scores")
def additive_linear(query, key, W_1, W_2, w_3):
    hidden = F.linear(query, W_1).unsqueeze(-2) + F.linear(key, W_2).unsqueeze(-3)
    return F.linear(hidden.tanh(), w_3[None]).squeeze(-1)


@right("01.additive_scores")
def additive_loop(query, key, W_1, W_2, w_3):
    rows = [
        torch.stack(
            [torch.tanh(query[..., i, :] @ W_1.T + key[..., j, :] @ W_2.T) @ w_3 for j in range(key.shape[-2])], -1
        )
        for i in range(query.shape[-2])
    ]
    return torch.stack(rows, -2)


@right("01.context_vector")
def context_where(scores, annotations, lengths):
    real = torch.arange(scores.shape[1])[None] < lengths[:, None]
    weights = torch.where(real, scores, -torch.inf).softmax(dim=1)
    weights = torch.where(real, weights, 0.0)
    return torch.einsum("bk,bkd->bd", weights, annotations), weights


@right("01.context_vector")
def context_exp(scores, annotations, lengths):
    real = (torch.arange(scores.shape[1]) < lengths.unsqueeze(1)).to(scores.dtype)
    hidden = torch.where(real > 0, scores, torch.finfo(scores.dtype).min)
    e = torch.exp(hidden - hidden.max(1, keepdim=True).values) * real
    weights = e / e.sum(1, keepdim=True).clamp(min=1e-30)
    return torch.bmm(weights.unsqueeze(1), annotations).squeeze(1), weights


@right("01.context_vector")
def context_text_by_text(scores, annotations, lengths):
    weights = torch.zeros_like(scores)
    for b, n in enumerate(lengths.tolist()):
        weights[b, :n] = scores[b, :n].softmax(0)
    return (weights.unsqueeze(1) @ annotations)[:, 0], weights


@right("01.repaired")
def step_einsum(word, state, annotations, W_1, W_2, w_3, W):
    compared = torch.tanh(
        torch.einsum("sd,bd->bs", W_1, state).unsqueeze(1) + torch.einsum("sd,bnd->bns", W_2, annotations)
    )
    weights = torch.softmax(torch.einsum("bns,s->bn", compared, w_3), 1)
    return torch.tanh(
        F.linear(torch.cat((word, state, torch.einsum("bn,bnd->bd", weights, annotations)), 1), W)
    ), weights


@right("01.repaired")
def step_two_lines(word, state, annotations, W_1, W_2, w_3, W):
    query = state
    compared = torch.tanh((query @ W_1.mT)[:, None] + annotations @ W_2.mT)
    weights = (compared @ w_3).softmax(dim=-1)
    context = (weights[..., None] * annotations).sum(dim=1)
    return torch.tanh(torch.cat([word, state, context], dim=-1) @ W.mT), weights


@right("01.repaired")
def step_in_pieces(word, state, annotations, W_1, W_2, w_3, W):
    scores = torch.stack([torch.tanh(state @ W_1.T + a @ W_2.T) @ w_3 for a in annotations.unbind(1)], 1)
    weights = scores.softmax(1)
    context = torch.bmm(weights[:, None], annotations)[:, 0]
    w, s = word.shape[1], state.shape[1]
    return (word @ W[:, :w].T + state @ W[:, w : w + s].T + context @ W[:, w + s :].T).tanh(), weights


# --- lesson 02 --------------------------------------------------------------------------------------------------------


@right("02.attend")
def attend_row(query, keys, values):
    return (query[None] @ keys.T).softmax(-1).squeeze(0) @ values


@right("02.attend")
def attend_mv(query, keys, values):
    return values.T.mv(torch.softmax(torch.mv(keys, query), dim=0))


@right("02.attend")
def attend_written_out(query, keys, values):
    scores = (query * keys).sum(dim=1)
    e = torch.exp(scores - scores.max())
    return (e[:, None] * values).sum(0) / e.sum()


@right("02.bilinear")
def bilinear_einsum(W_Q, W_K):
    return torch.einsum("ki,kj->ij", W_Q, W_K)


@right("02.bilinear")
def bilinear_outer_products(W_Q, W_K):
    return sum(torch.outer(q, k) for q, k in zip(W_Q, W_K))


@right("02.bilinear")
def bilinear_turned_back(W_Q, W_K):
    return (W_K.mT @ W_Q).mT


right("02.by_hand")({"first scaled score": 10, "first weight": 0.982})
right("02.by_hand")({"first scaled score": 40 / math.sqrt(16), "first weight": 1 / (1 + math.exp(-4))})


@right("02.scaled_dot_product_attention")
def sdpa_einsum(query, key, value):
    weights = torch.softmax(torch.einsum("...qd,...kd->...qk", query, key) * key.shape[-1] ** -0.5, dim=-1)
    return torch.einsum("...qk,...kv->...qv", weights, value), weights


@right("02.scaled_dot_product_attention")
def sdpa_scaled_query(query, key, value):
    weights = F.softmax((query / math.sqrt(query.size(-1))).matmul(key.transpose(-2, -1)), -1)
    return weights.matmul(value), weights


@right("02.scaled_dot_product_attention")
def sdpa_with_tensor_root(query, key, value):
    scores = torch.matmul(query, key.transpose(-1, -2)) / torch.sqrt(torch.tensor(query.shape[-1], dtype=query.dtype))
    scores = scores - scores.amax(-1, keepdim=True)
    weights = scores.exp() / scores.exp().sum(-1, keepdim=True)
    return (weights.unsqueeze(-1) * value.unsqueeze(-3)).sum(-2), weights


@right("02.repaired")
def repair_two_words(x, W_Q, W_K, W_V):
    query, key, value = x @ W_Q.mT, x @ W_K.mT, x @ W_V.mT
    scores = query @ key.mT / query.shape[-1] ** 0.5
    exponentials = (scores - scores.max(dim=-1, keepdim=True).values).exp()
    return exponentials / exponentials.sum(dim=-1, keepdim=True) @ value


@right("02.repaired")
def repair_softmax(x, W_Q, W_K, W_V):
    return (x @ W_Q.T @ W_K @ x.T / len(W_K) ** 0.5).softmax(1) @ x @ W_V.T


@right("02.repaired")
def repair_rows(x, W_Q, W_K, W_V):
    keys, values = x @ W_K.T, x @ W_V.T
    return torch.stack([(keys @ (W_Q @ word) / math.sqrt(len(W_Q))).softmax(-1) @ values for word in x])


# --- lesson 03 --------------------------------------------------------------------------------------------------------


@right("03.split_heads")
def split_chunks(x, num_heads):
    return torch.stack(x.chunk(num_heads, dim=-1), dim=1)


@right("03.split_heads")
def split_slices(x, num_heads):
    d = x.shape[-1] // num_heads
    return torch.stack([x[:, :, h * d : (h + 1) * d] for h in range(num_heads)]).transpose(0, 1)


@right("03.split_heads")
def split_view(x, num_heads):
    b, n, _ = x.shape
    return x.contiguous().view(b, n, num_heads, -1).permute(0, 2, 1, 3)


@right("03.merge_heads")
def merge_cat(x):
    return torch.cat(list(x.unbind(dim=1)), dim=2)


@right("03.merge_heads")
def merge_contiguous(x):
    return x.transpose(1, 2).contiguous().view(x.shape[0], x.shape[2], -1)


@right("03.merge_heads")
def merge_einsum(x):
    return torch.einsum("bhnd->bnhd", x).flatten(-2)


right("03.parameters")(
    {"8 heads, without bias": 4 * 512**2, "16 heads, without bias": 1048576.0, "8 heads, with bias": 4 * 512 * 513}
)


class Layer(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.h = num_heads
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(d_model, d_model) for _ in range(4))


@right("03.MultiHeadAttention")
class LayerInALoop(Layer):
    def forward(self, query, key, value):
        outputs, weights = [], []
        for q, k, v in zip(*(x.chunk(self.h, -1) for x in (self.W_Q(query), self.W_K(key), self.W_V(value)))):
            w = (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1)
            outputs.append(w @ v)
            weights.append(w)
        return self.W_O(torch.cat(outputs, -1)), torch.stack(weights, 1)


@right("03.MultiHeadAttention")
class LayerEinsum(Layer):
    def forward(self, query, key, value):
        q, k, v = (W(x).unflatten(-1, (self.h, -1)) for W, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value)))
        w = (torch.einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(q.shape[-1])).softmax(-1)
        return self.W_O(torch.einsum("bhqk,bkhd->bqhd", w, v).flatten(2)), w


@right("03.MultiHeadAttention")
class LayerHeadsInBatch(Layer):
    def forward(self, query, key, value):
        b, n, d_model = query.shape
        d = d_model // self.h

        def fold(x):
            return x.view(b, -1, self.h, d).transpose(1, 2).reshape(b * self.h, -1, d)

        q, k, v = fold(self.W_Q(query)), fold(self.W_K(key)), fold(self.W_V(value))
        w = torch.bmm(q, k.transpose(1, 2)).mul(d**-0.5).softmax(-1)
        out = torch.bmm(w, v).view(b, self.h, n, d).transpose(1, 2).reshape(b, n, d_model)
        return self.W_O(out), w.view(b, self.h, n, -1)


@right("03.strongest_head")
def head_by_loops(weights, query, key):
    pairs = [(a, b) for a in range(weights.shape[0]) for b in range(weights.shape[1])]
    return max(pairs, key=lambda pair: weights[pair[0], pair[1], query, key])


@right("03.strongest_head")
def head_unravelled(weights, query, key):
    w = weights[..., query, key]
    return tuple(int(i) for i in np.unravel_index(int(w.argmax()), tuple(w.shape)))


@right("03.strongest_head")
def head_by_max_of_max(weights, query, key):
    w = weights[:, :, query, key]
    layer = w.max(dim=1).values.argmax().item()
    return layer, w[layer].argmax().item()


@right("03.repaired")
def meet_transposed(x, W_Q, W_K, W_V, W_O, num_heads):
    batch, n, d_model = x.shape
    query = (x @ W_Q.mT).reshape(batch, n, num_heads, -1).transpose(1, 2)
    key = (x @ W_K.mT).reshape(batch, n, num_heads, -1).transpose(1, 2)
    value = (x @ W_V.mT).reshape(batch, n, num_heads, -1).transpose(1, 2)
    heads = (query @ key.mT / query.shape[-1] ** 0.5).softmax(dim=-1) @ value
    return heads.transpose(1, 2).reshape(batch, n, d_model) @ W_O.mT


@right("03.repaired")
def meet_by_letters(x, W_Q, W_K, W_V, W_O, num_heads):
    q, k, v = (F.linear(x, W).unflatten(2, (num_heads, -1)) for W in (W_Q, W_K, W_V))
    w = (torch.einsum("bqhd,bkhd->bhqk", q, k) / q.shape[3] ** 0.5).softmax(3)
    return F.linear(torch.einsum("bhqk,bkhd->bqhd", w, v).flatten(2), W_O)


@right("03.repaired")
def meet_head_by_head(x, W_Q, W_K, W_V, W_O, num_heads):
    results = []
    for q, k, v in zip(W_Q.chunk(num_heads), W_K.chunk(num_heads), W_V.chunk(num_heads)):
        results.append((x @ q.T @ (x @ k.T).mT / len(q) ** 0.5).softmax(-1) @ (x @ v.T))
    return torch.cat(results, -1) @ W_O.T
