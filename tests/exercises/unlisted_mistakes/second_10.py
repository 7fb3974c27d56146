"""Lesson 10: a fresh student's answers that were rejected without their error being named, and the odder ones tried after."""

import numpy as np
import torch
import torch.nn.functional as F

from unlisted_mistakes import wrong


def shifted_right(h):
    return torch.cat([torch.zeros_like(h[:, :1]), h[:, :-1]], 1)


def shifted_left(h):
    return torch.cat([h[:, 1:], torch.zeros_like(h[:, :1])], 1)


def cosine(v, i):
    return F.cosine_similarity(v, v[i][None], dim=-1)


def mixed(p, states):
    return torch.einsum("l,l...->...", p, states)


# --- 10.window_pairs -------------------------------------------------------------------------------------------------


@wrong("10.window_pairs", "in another order")
def second_a01(sentences, window):
    "zip of shifted lists: only company exactly up to window to the right, and its reverse appended at the end"
    out = []
    for s in sentences:
        for d in range(1, window + 1):
            for a, b in zip(s, s[d:]):
                out += [(a, b)]
        for d in range(1, window + 1):
            for a, b in zip(s, s[d:]):
                out += [(b, a)]
    return out


@wrong("10.window_pairs", "in place")
def second_a02(sentences, window):
    "sentence.remove(word) first, then slices by the old place: changes the input"
    out = []
    for s in sentences:
        for i, w in enumerate(list(s)):
            out += [(w, c) for c in s[max(0, i - window) : i + window + 1]]
            s.pop(0)
    return out


@wrong("10.window_pairs", "beyond the sentence")
def second_a03(sentences, window):
    "range(i - window, i + window + 1) with only j >= 0 checked: IndexError at the end"
    out = []
    for s in sentences:
        for i in range(len(s)):
            for j in range(i - window, i + window + 1):
                if j >= 0 and j != i:
                    out.append((s[i], s[j]))
    return out


@wrong("10.window_pairs", "compare the place j")
def second_a04(sentences, window):
    "j < window instead of |i - j| <= window: compares the place, not the distance"
    return [(s[i], s[j]) for s in sentences for i in range(len(s)) for j in range(len(s)) if i != j and j <= window]


@wrong("10.window_pairs", "is missing")
def second_a05(sentences, window):
    "left off by one: max(1, i - window), so word 0 never is company, and right end one short (two)"
    return [
        (s[i], s[j])
        for s in sentences
        for i in range(len(s))
        for j in range(max(1, i - window), min(len(s), i + window))
        if i != j
    ]


@wrong("10.window_pairs", "A list for each word")
def second_a06(sentences, window):
    "list of lists [word, company] and nested by word (two)"
    return [
        [[s[i], s[j]] for j in range(max(0, i - window), min(len(s), i + window + 1)) if i != j]
        for s in sentences
        for i in range(len(s))
    ]


# --- 10.negative_sampling_loss ---------------------------------------------------------------------------------------


@wrong("10.negative_sampling_loss", "That is in bits")
def first_b09(words, company, strangers):
    "log2: bits, not nats"
    p = (words * company).sum(-1)
    n = (strangers * words[:, None]).sum(-1)
    return -(F.logsigmoid(p) + F.logsigmoid(-n).sum(-1)).mean() / torch.tensor(2.0).log().to(words.dtype)


@wrong("10.negative_sampling_loss", "in bits")
def second_b01(words, company, strangers):
    "log2 of sigmoid: bits, and −inf for large products"
    p = (words * company).sum(-1)
    n = (strangers * words[:, None]).sum(-1)
    return -(torch.log2(torch.sigmoid(p)) + torch.log2(torch.sigmoid(-n)).sum(-1)).mean()


@wrong("10.negative_sampling_loss", "total = 0")
def second_b02(words, company, strangers):
    "loop, total made anew in the loop: only the last pair"
    for w, c, s in zip(words, company, strangers):
        total = 0
        total = total - F.logsigmoid(w @ c) - F.logsigmoid(-(s @ w)).sum()
    return total / len(words)


@wrong("10.negative_sampling_loss", "divided by k")
def second_b03(words, company, strangers):
    "divides by k, the number of strangers, instead of the number of pairs"
    p = (words * company).sum(-1)
    n = (strangers * words[:, None]).sum(-1)
    return -(F.logsigmoid(p).sum() + F.logsigmoid(-n).sum()) / max(strangers.shape[1], 1)


@wrong("10.negative_sampling_loss", "the other way round")
def second_b04(words, company, strangers):
    "strangers summed over pairs (dim 0), then mean over strangers"
    p = (words * company).sum(-1)
    n = (strangers * words[:, None]).sum(-1)
    return -F.logsigmoid(p).mean() - F.logsigmoid(-n).sum(0).mean()


@wrong("10.negative_sampling_loss", "strangers' product is missing")
def second_b05(words, company, strangers):
    "sum over d forgotten for the strangers' product: logsigmoid number by number"
    p = (words * company).sum(-1)
    n = strangers * words[:, None]
    return -(F.logsigmoid(p) + F.logsigmoid(-n).sum((1, 2))).mean()


@wrong("10.negative_sampling_loss", "mean over a pair")
def second_b06(words, company, strangers):
    "two: strangers against company, and mean over the strangers"
    p = (words * company).sum(-1)
    n = (strangers * company[:, None]).sum(-1)
    return -(F.logsigmoid(p) + F.logsigmoid(-n).mean(-1)).mean()


@wrong("10.negative_sampling_loss", "logsigmoid is exact")
def second_b07(words, company, strangers):
    "−log(1 + e^−x) by hand: overflows"
    p = (words * company).sum(-1)
    n = (strangers * words[:, None]).sum(-1)
    return (torch.log(1 + torch.exp(-p)) + torch.log(1 + torch.exp(n)).sum(-1)).mean()


# --- 10.nearest_words ------------------------------------------------------------------------------------------------


@wrong("10.nearest_words", "take the signs away")
def first_c10(vectors, word, k):
    "absolute cosine"
    z = cosine(vectors, word).abs()
    z[word] = -torch.inf
    return z.topk(k).indices


@wrong("10.nearest_words", "k + 1 words come out")
def first_c18(vectors, word, k):
    "k + 1 ids, itself at the front"
    return cosine(vectors, word).topk(k + 1).indices


@wrong("10.nearest_words", "with dim=0 cosine_similarity")
def first_c20(vectors, word, k):
    "cosine_similarity with dim=0: over the vocabulary"
    z = F.cosine_similarity(vectors, vectors[word][None].expand_as(vectors), dim=0)
    z[word] = -torch.inf
    return z.topk(k).indices


@wrong("10.nearest_words", "farthest")
def second_c01(vectors, word, k):
    "sorted python list of (cosine, id) ascending, first k dropped itself: farthest"
    z = F.cosine_similarity(vectors, vectors[word][None])
    order = sorted(range(len(z)), key=lambda i: z[i].item())
    return torch.tensor([i for i in order if i != word][:k])


@wrong("10.nearest_words", "take .indices")
def second_c02(vectors, word, k):
    "topk of the values, returns the (values, indices) pair"
    z = F.cosine_similarity(vectors, vectors[word][None])
    z[word] = -torch.inf
    return z.topk(k)


@wrong("10.nearest_words", "the vectors of the nearest")
def second_c03(vectors, word, k):
    "the vectors of the nearest, not their ids"
    z = F.cosine_similarity(vectors, vectors[word][None])
    z[word] = -torch.inf
    return vectors[z.topk(k).indices]


@wrong("10.nearest_words", "table's columns")
def second_c04(vectors, word, k):
    "norm over dim 0 for the table, right for the word: dot of mixed things"
    z = (vectors / vectors.norm(dim=0)) @ vectors[word]
    z[word] = -torch.inf
    return z.topk(k).indices


@wrong("10.nearest_words", "another order")
def second_c05(vectors, word, k):
    "own cosine set to -1: comes back where all others are asked"
    z = F.cosine_similarity(vectors, vectors[word][None])
    z[word] = -1
    return z.topk(k, sorted=False).indices.flip(0)


@wrong("10.nearest_words", "*farthest*")
def second_c06(vectors, word, k):
    "two: euclidean, and farthest first by argsort descending"
    z = (vectors - vectors[word]).norm(dim=1)
    o = z.argsort(descending=True)
    return o[o != word][:k]


@wrong("10.nearest_words", "NumPy array")
def second_c07(vectors, word, k):
    "numpy array of ids"
    v = vectors.numpy()
    z = v @ v[word] / np.linalg.norm(v, axis=1)
    z[word] = -np.inf
    return np.argsort(-z)[:k]


# --- 10.both_directions ----------------------------------------------------------------------------------------------


@wrong("10.both_directions", "as wide as a word's vector")
def first_d12(x, forward, backward):
    "zeros of width d, not d_state"
    z = torch.zeros_like(x[:, :1])
    f, b = forward(x), backward(x.flip(1)).flip(1)
    return torch.cat([torch.cat([z, f[:, :-1]], 1), torch.cat([b[:, 1:], z], 1)], -1)


@wrong("10.both_directions", "the words are axis 1")
def first_d15(x, forward, backward):
    "flip along the batch (0)"
    return torch.cat([shifted_right(forward(x)), shifted_left(backward(x.flip(0)).flip(0))], -1)


@wrong("10.both_directions", "no state is moved")
def first_d18(x, forward, backward):
    "two: not turned back and not shifted"
    return torch.cat([forward(x), backward(x.flip(1))], -1)


@wrong("10.both_directions", "One place is missing")
def first_d20(x, forward, backward):
    "first zeros forgotten: n - 1 places"
    return torch.cat([forward(x)[:, :-1], backward(x.flip(1)).flip(1)[:, 1:]], -1)


@wrong("10.both_directions", "all is 0 with you")
def first_d21(x, forward, backward):
    "only places with both sides known, zeros at both ends for both halves"
    f, b = forward(x), backward(x.flip(1)).flip(1)
    out = torch.zeros(*f.shape[:2], 2 * f.shape[-1], dtype=f.dtype)
    out[:, 1:-1] = torch.cat([f[:, :-2], b[:, 2:]], -1)
    return out


@wrong("10.both_directions", "no negative steps")
def second_d01(x, forward, backward):
    "x reversed by x[::-1]: torch has no negative step"
    return torch.cat([shifted_right(forward(x)), shifted_left(backward(x[:, ::-1])[:, ::-1])], -1)


@wrong("10.both_directions", "has seen the word itself")
def second_d02(x, forward, backward):
    "backward reads x[:, i:] turned round, the word itself in it"
    n = x.shape[1]
    b = torch.stack([backward(x[:, i:].flip(1))[:, -1] for i in range(n)], 1)
    return torch.cat([shifted_right(forward(x)), b], -1)


@wrong("10.both_directions", "*first* state")
def second_d03(x, forward, backward):
    "backward's state: the first of what comes after, [:, 0] instead of [:, -1]"
    n = x.shape[1]
    f = forward(x)
    b = [backward(x[:, i + 1 :].flip(1))[:, 0] if i < n - 1 else torch.zeros_like(f[:, 0]) for i in range(n)]
    return torch.cat([shifted_right(f), torch.stack(b, 1)], -1)


@wrong("10.both_directions", "room for d numbers")
def second_d04(x, forward, backward):
    "zeros as wide as x, in a tensor made before: out[:, :, :d] with d of x"
    b, n, d = x.shape
    out = torch.zeros(b, n, 2 * d, dtype=x.dtype)
    out[:, 1:, :d] = forward(x)[:, :-1]
    out[:, :-1, d:] = backward(x.flip(1)).flip(1)[:, 1:]
    return out


@wrong("10.both_directions", "but for the last place")
def second_d05(x, forward, backward):
    "zero placed at the wrong ends: forward's zero at the end, backward's at the start, states not moved"
    f, b = forward(x), backward(x.flip(1)).flip(1)
    return torch.cat(
        [torch.cat([f[:, :-1], torch.zeros_like(f[:, :1])], 1), torch.cat([torch.zeros_like(b[:, :1]), b[:, 1:]], 1)],
        -1,
    )


@wrong("10.both_directions", "Your first half is backward")
def second_d06(x, forward, backward):
    "two: halves exchanged and backward's states not turned back"
    return torch.cat([shifted_left(backward(x.flip(1))), shifted_right(forward(x))], -1)


@wrong("10.both_directions", "backward's of x, and")
def second_d07(x, forward, backward):
    "only forward shifted, backward's flip forgotten on the way in (two)"
    return torch.cat([shifted_right(forward(x)), backward(x)], -1)


# --- 10.mixture ------------------------------------------------------------------------------------------------------


@wrong("10.mixture", "fits states of 3 axes alone")
def first_e08(states, s, gamma):
    "two new axes always: right for (layer, n, d) only"
    return gamma * (s.softmax(0)[:, None, None] * states).sum(0)


@wrong("10.mixture", "softmax of s times the states")
def first_e16(states, s, gamma):
    "softmax of s times the states, over layers"
    w = (s.reshape(-1, *[1] * (states.dim() - 1)) * states).softmax(0)
    return gamma * (w * states).sum(0)


@wrong("10.mixture", "comes out flat")
def first_e21(states, s, gamma):
    "not brought back to its shape: (..., d) flat"
    return gamma * (s.softmax(0) @ states.reshape(len(states), -1))


@wrong("10.mixture", "equation gives it 4 letters")
def second_e01(states, s, gamma):
    "einsum with fixed letters: lbnd only"
    return gamma * torch.einsum("l,lbnd->bnd", s.softmax(0), states)


@wrong("10.mixture", "and outside")
def second_e02(states, s, gamma):
    "gamma multiplied before the softmax and after: softmax(γ s) · γ"
    return gamma * torch.einsum("l,l...->...", (s * gamma).softmax(0), states)


@wrong("10.mixture", "doesn't sum to 1 yet")
def second_e03(states, s, gamma):
    "s - max, exp, but not divided"
    return gamma * torch.einsum("l,l...->...", (s - s.max()).exp(), states)


@wrong("10.mixture", "add up the numbers of each vector")
def second_e04(states, s, gamma):
    "tensordot over the last axis"
    return gamma * torch.tensordot(states, s.softmax(0), dims=([-1], [0]))


@wrong("10.mixture", "by one length")
def second_e05(states, s, gamma):
    "γ squared away: divides by the mixture's norm then times γ"
    m = torch.einsum("l,l...->...", s.softmax(0), states)
    return gamma * m / m.norm()


@wrong("10.mixture", "γ is missing")
def second_e06(states, s, gamma):
    "two: mean over the layers, and γ forgotten"
    return (s.softmax(0).view(-1, *[1] * (states.dim() - 1)) * states).mean(0)


@wrong("10.mixture", "divide s by the largest")
def second_e07(states, s, gamma):
    "the softmax of γ·s·states' ... : layers weighted by s / max"
    return gamma * torch.einsum("l,l...->...", s / s.max(), states)
