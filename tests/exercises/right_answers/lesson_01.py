"""Right answers to lesson 01, Why attention."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import einsum, nn

from right_answers import right

# --- 01.soft_lookup -----------------------------------------------------------------------------------------------------


@right("01.soft_lookup")
def lookup_by_loop(queries, keys, values, width):
    answers = []
    for query in queries:
        weights = F.softmax(-(((query - keys) / width) ** 2), dim=0)
        answers.append((weights * values).sum())
    return torch.stack(answers)


@right("01.soft_lookup")
def lookup_by_einsum(queries, keys, values, width):
    distance = torch.cdist(queries[:, None], keys[:, None])
    return einsum("qk,k->q", torch.softmax(-distance.pow(2) / width**2, 1), values)


@right("01.soft_lookup")
def lookup_with_a_safe_exp(queries, keys, values, width):
    scores = -((queries.unsqueeze(1) - keys.unsqueeze(0)) / width).square()
    e = torch.exp(scores - scores.amax(1, keepdim=True))
    return (e * values).sum(1) / e.sum(1)


@right("01.soft_lookup")
def lookup_keys_first(queries, keys, values, width):
    scores = -(((keys[:, None] - queries) / width) ** 2)
    return values @ torch.softmax(scores, dim=0)


@right("01.soft_lookup")
def lookup_by_logsumexp(queries, keys, values, width):
    scores = -torch.square((queries[:, None] - keys) / width)
    return torch.exp(scores - torch.logsumexp(scores, dim=1, keepdim=True)) @ values


# --- 01.additive_scores ---------------------------------------------------------------------------------------------------


@right("01.additive_scores")
def scores_by_loop(query, key, W_1, W_2, w_3):
    rows = []
    for i in range(query.shape[-2]):
        row = [torch.tanh(query[..., i, :] @ W_1.T + key[..., j, :] @ W_2.T) @ w_3 for j in range(key.shape[-2])]
        rows.append(torch.stack(row, dim=-1))
    return torch.stack(rows, dim=-2)


@right("01.additive_scores")
def scores_by_einsum(query, key, W_1, W_2, w_3):
    asked, found = einsum("...qd,sd->...qs", query, W_1), einsum("...kd,sd->...ks", key, W_2)
    return einsum("...qks,s->...qk", torch.tanh(asked[..., :, None, :] + found[..., None, :, :]), w_3)


@right("01.additive_scores")
def scores_by_linear(query, key, W_1, W_2, w_3):
    both = F.linear(query, W_1).unsqueeze(-2) + F.linear(key, W_2).unsqueeze(-3)
    return F.linear(both.tanh(), w_3[None]).squeeze(-1)


@right("01.additive_scores")
def scores_side_by_side(query, key, W_1, W_2, w_3):
    """[W₁ W₂] [q; k] is W₁ q + W₂ k."""
    n, m = query.shape[-2], key.shape[-2]
    asked = query.unsqueeze(-2).expand(*query.shape[:-1], m, query.shape[-1])
    found = key.unsqueeze(-3).expand(*key.shape[:-2], n, m, key.shape[-1])
    return (torch.tanh(torch.cat([asked, found], -1) @ torch.cat([W_1, W_2], 1).mT) * w_3).sum(-1)


# --- 01.context_vector ----------------------------------------------------------------------------------------------------


@right("01.context_vector")
def context_by_loop(scores, annotations, lengths):
    weights, contexts = [], []
    for row, length in enumerate(lengths.tolist()):
        own = scores[row, :length].softmax(0) if length else scores[row, :0]
        weights.append(F.pad(own, (0, scores.shape[1] - length)))
        contexts.append(weights[-1] @ annotations[row])
    return torch.stack(contexts), torch.stack(weights)


@right("01.context_vector")
def context_by_where(scores, annotations, lengths):
    words = torch.arange(scores.shape[1]).unsqueeze(0) < lengths.unsqueeze(1)
    masked = torch.where(words, scores, -torch.inf)
    weights = torch.nan_to_num(torch.softmax(masked, 1))
    return einsum("bk,bkd->bd", weights, annotations), weights


@right("01.context_vector")
def context_normalised_by_hand(scores, annotations, lengths):
    words = (torch.arange(scores.shape[-1]) < lengths[:, None]).to(scores.dtype)
    top = scores.masked_fill(words == 0, -np.inf).amax(-1, keepdim=True).nan_to_num(neginf=0.0)
    e = (scores.masked_fill(words == 0, -np.inf) - top).exp()
    weights = e / e.sum(-1, keepdim=True).clamp(min=torch.finfo(scores.dtype).tiny)
    return torch.bmm(weights.unsqueeze(1), annotations)[:, 0], weights


@right("01.context_vector")
def context_with_large_negative_and_zeroed(scores, annotations, lengths):
    padding = torch.arange(scores.shape[-1]).expand_as(scores) >= lengths[:, None]
    weights = F.softmax(scores.masked_fill(padding, torch.finfo(scores.dtype).min), -1).masked_fill(padding, 0)
    return (annotations * weights[:, :, None]).sum(1), weights


# --- 01.repaired ------------------------------------------------------------------------------------------------------------


@right("01.repaired")
def as_meant(word, state, annotations, W_1, W_2, w_3, W):
    compared = torch.tanh((state @ W_1.mT)[:, None] + annotations @ W_2.mT)
    weights = (compared @ w_3).softmax(dim=1)
    context = (weights[..., None] * annotations).sum(dim=1)
    return torch.tanh(torch.cat([word, state, context], dim=-1) @ W.mT), weights


@right("01.repaired")
def text_by_text(word, state, annotations, W_1, W_2, w_3, W):
    states, looks = [], []
    for w, s, a in zip(word, state, annotations):
        scores = torch.stack([w_3 @ torch.tanh(W_1 @ s + W_2 @ k) for k in a])
        weights = scores.softmax(0)
        states.append(torch.tanh(W @ torch.cat([w, s, weights @ a])))
        looks.append(weights)
    return torch.stack(states), torch.stack(looks)


@right("01.repaired")
def with_layers(word, state, annotations, W_1, W_2, w_3, W):
    weights = nn.Softmax(-1)(F.linear(torch.tanh(F.linear(state, W_1).unsqueeze(1) + F.linear(annotations, W_2)), w_3))
    context = torch.bmm(weights.unsqueeze(1), annotations).squeeze(1)
    return F.linear(torch.cat((word, state, context), 1), W).tanh(), weights
