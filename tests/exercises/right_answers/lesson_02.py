"""Right answers to lesson 02, Self-attention."""

import functools
import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import einsum, nn

from right_answers import right

# --- 02.attend --------------------------------------------------------------------------------------------------------


@right("02.attend")
def step_by_step(query, keys, values):
    scores = keys @ query
    weights = torch.softmax(scores, dim=0)
    return weights @ values


@right("02.attend")
def attend_by_einsum(query, keys, values):
    return einsum("n,nd->d", einsum("nd,d->n", keys, query).softmax(0), values)


@right("02.attend")
def attend_by_loop(query, keys, values):
    scores = torch.stack([query.dot(key) for key in keys])
    weights = F.softmax(scores, dim=-1)
    total = torch.zeros(values.shape[1], dtype=values.dtype)
    for weight, value in zip(weights, values):
        total = total + weight * value
    return total


@right("02.attend")
def as_a_matrix(query, keys, values):
    return (nn.Softmax(dim=-1)(query[None] @ keys.T) @ values).squeeze(0)


@right("02.attend")
def with_its_own_softmax(query, keys, values):
    scores = F.linear(keys, query)
    scores -= scores.max().item()
    e = scores.exp()
    return (e[:, None] * values).sum(0) / e.sum()


@right("02.attend")
def with_more_arguments(query, keys, values, scale=1.0, *, dim=-1):
    return torch.mv(values.t(), torch.softmax(torch.mv(keys, query) * scale, dim=dim))


# --- 02.bilinear ------------------------------------------------------------------------------------------------------


@right("02.bilinear")
def transpose_and_multiply(W_Q, W_K):
    return W_Q.T @ W_K


@right("02.bilinear")
def bilinear_by_einsum(W_Q, W_K):
    return einsum("ki,kj->ij", W_Q, W_K)


@right("02.bilinear")
def sum_of_outer_products(W_Q, W_K):
    return sum(torch.outer(q, k) for q, k in zip(W_Q, W_K))


@right("02.bilinear")
def by_unit_vectors(W_Q, W_K):
    unit = torch.eye(W_Q.shape[1], dtype=W_Q.dtype)
    return torch.stack([torch.stack([(W_Q @ x) @ (W_K @ y) for y in unit]) for x in unit])


@right("02.bilinear")
def transposed_twice(W_Q, W_K):
    return torch.matmul(W_K.permute(1, 0), W_Q).transpose(0, 1)


right("02.bilinear")(lambda W_Q, W_K: torch.tensordot(W_Q, W_K, dims=([0], [0])))


# --- 02.scaled_dot_product_attention ----------------------------------------------------------------------------------


@right("02.scaled_dot_product_attention")
def plain(query, key, value):
    d_k = query.shape[-1]
    scores = query @ key.transpose(-2, -1) / math.sqrt(d_k)
    weights = scores.softmax(dim=-1)
    return weights @ value, weights


@right("02.scaled_dot_product_attention")
def sdpa_by_einsum(query, key, value):
    scores = einsum("...qd,...kd->...qk", query, key) * query.size(-1) ** -0.5
    weights = F.softmax(scores, dim=-1)
    return einsum("...qk,...kd->...qd", weights, value), weights


@right("02.scaled_dot_product_attention")
def sdpa_by_loops(query, key, value):
    if query.dim() > 2:
        results = [sdpa_by_loops(*one) for one in zip(query, key, value)]
        return torch.stack([output for output, _ in results]), torch.stack([weights for _, weights in results])
    outputs, rows = [], []
    for q in query:
        scores = torch.stack([(q * k).sum() / len(q) ** 0.5 for k in key])
        e = (scores - scores.max()).exp()
        row = e / e.sum()
        rows.append(row)
        outputs.append(sum(w * v for w, v in zip(row, value)))
    return torch.stack(outputs), torch.stack(rows)


@right("02.scaled_dot_product_attention")
def sdpa_by_own_softmax(query, key, value, mask=None, scale=None):
    def softmax(x):
        e = torch.exp(x - torch.amax(x, dim=-1, keepdim=True))
        return e / torch.sum(e, dim=-1, keepdim=True)

    scale = scale or 1 / np.sqrt(query.shape[-1])
    weights = softmax(torch.matmul(query * scale, key.mT))
    return [torch.matmul(weights, value), weights]


@right("02.scaled_dot_product_attention")
def sdpa_by_baddbmm(query, key, value):
    lead = query.shape[:-2]
    q, k, v = (x.reshape(-1, *x.shape[-2:]) for x in (query, key, value))
    start = torch.zeros(len(q), q.shape[1], k.shape[1], dtype=q.dtype)
    scores = torch.baddbmm(start, q, k.transpose(1, 2), beta=0, alpha=q.shape[-1] ** -0.5)
    weights = nn.Softmax(-1)(scores)
    return torch.bmm(weights, v).unflatten(0, lead) if lead else torch.bmm(weights, v)[0], weights.reshape(
        *lead, *weights.shape[1:]
    )


@right("02.scaled_dot_product_attention")
def sdpa_by_vmap(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    def one(q, k, v):
        weights = torch.softmax(q @ k.T / q.shape[-1] ** 0.5, -1)
        return weights @ v, weights

    for _ in query.shape[:-2]:
        one = torch.vmap(one)
    return one(query, key, value)


class Attention:
    """A callable object, as some people write everything."""

    def __call__(self, query, key, value):
        weights = self.weights(query, key)
        return weights @ value, weights

    def weights(self, query, key):
        return (query / torch.tensor(query.shape[-1], dtype=query.dtype).sqrt() @ key.mT).log_softmax(-1).exp()


right("02.scaled_dot_product_attention")(Attention())


def _with_scale(query, key, value, power):
    weights = torch.softmax(query @ key.mT * query.shape[-1] ** power, dim=-1)
    return weights @ value, weights


right("02.scaled_dot_product_attention")(functools.partial(_with_scale, power=-0.5))


# --- 02.repaired ------------------------------------------------------------------------------------------------------


@right("02.repaired")
def keepdim(x, W_Q, W_K, W_V):
    query, key, value = x @ W_Q.mT, x @ W_K.mT, x @ W_V.mT
    scores = query @ key.mT / query.shape[-1] ** 0.5
    exponentials = (scores - scores.max(dim=-1, keepdim=True).values).exp()
    weights = exponentials / exponentials.sum(dim=-1, keepdim=True)
    return weights @ value


@right("02.repaired")
def with_softmax(x, W_Q, W_K, W_V):
    query, key, value = F.linear(x, W_Q), F.linear(x, W_K), F.linear(x, W_V)
    return torch.softmax(query @ key.T / math.sqrt(W_Q.shape[0]), dim=1) @ value


@right("02.repaired")
def word_by_word(x, W_Q, W_K, W_V):
    out = []
    for word in x:
        scores = torch.stack([(W_Q @ word) @ (W_K @ other) for other in x]) / len(W_K) ** 0.5
        out.append(scores.softmax(0) @ torch.stack([W_V @ other for other in x]))
    return torch.stack(out)


@right("02.repaired")
def transposed_sum(x, W_Q, W_K, W_V):
    scores = (x @ W_Q.mT) @ (x @ W_K.mT).mT / W_K.shape[0] ** 0.5
    exponentials = (scores - scores.amax(dim=-1)[:, None]).exp()
    return (exponentials.mT / exponentials.sum(dim=-1)).mT @ (x @ W_V.mT)


# --- 02.noun_finder ---------------------------------------------------------------------------------------------------


@right("02.noun_finder")
def row_by_row():
    W_Q, W_K = torch.zeros(3, 4), torch.zeros(3, 4)
    W_Q[0, 2] = W_Q[1, 3] = W_Q[2, 1] = 30.0
    W_K[0, 2] = W_K[1, 3] = W_K[2, 0] = 1.0
    return W_Q, W_K


@right("02.noun_finder")
def by_the_bilinear_form():
    W = torch.zeros(4, 4)  # who asks, who answers
    W[1, 0] = W[2, 2] = W[3, 3] = 25.0
    return torch.eye(4), W


@right("02.noun_finder")
def with_one_row_for_both_kinds():
    W_Q = torch.tensor([[0.0, 0.0, 1.0, -1.0], [0.0, 2.0, 0.0, 0.0]]) * 5
    W_K = torch.tensor([[0.0, 0.0, 1.0, -1.0], [1.0, 0.0, 0.0, 0.0]]) * 5
    return W_Q, W_K


@right("02.noun_finder")
def whole_numbers_and_kinds_alone():
    W_Q = torch.tensor([[0, 0, 1, 0], [0, 0, 0, 1]]) * 9
    W_K = torch.tensor([[1, -1, 2, 0], [1, -1, 0, 2]])
    return [W_Q, W_K]
