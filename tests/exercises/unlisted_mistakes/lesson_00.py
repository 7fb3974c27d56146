"""Unlisted wrong answers to lesson 00, Start here."""

import math

import numpy as np
import torch
import torch.nn.functional as F

from unlisted_mistakes import wrong

# --- 00.all_dots ------------------------------------------------------------------------------------------------------

K = "00.all_dots"


@wrong(K)
def dots_only_two_axes(queries, keys):
    return torch.mm(queries, keys.t())


@wrong(K)
def dots_only_for_a_batch(queries, keys):
    return torch.bmm(queries, keys.transpose(1, 2))


@wrong(K)
def dots_of_first_batch(queries, keys):
    while queries.dim() > 2:
        queries, keys = queries[0], keys[0]
    return queries @ keys.mT


@wrong(K)
def dots_flattened(queries, keys):
    return queries.flatten(0, -2) @ keys.flatten(0, -2).T


@wrong(K)
def dots_forced_float32(queries, keys):
    return queries.float() @ keys.float().mT


@wrong(K)
def dots_result_in_float32(queries, keys):
    out = torch.zeros(*queries.shape[:-1], keys.shape[-2])
    for i in range(queries.shape[-2]):
        for j in range(keys.shape[-2]):
            out[..., i, j] = (queries[..., i, :] * keys[..., j, :]).sum(-1)
    return out


@wrong(K)
def dots_by_item(queries, keys):
    if queries.dim() > 2:
        return torch.stack([dots_by_item(q, k) for q, k in zip(queries, keys)])
    return torch.tensor([[(q @ k).item() for k in keys] for q in queries], dtype=queries.dtype)


@wrong(K)
def dots_detached(queries, keys):
    return queries.detach() @ keys.mT


@wrong(K)
def dots_through_numpy(queries, keys):
    return torch.from_numpy(queries.numpy() @ keys.numpy().swapaxes(-1, -2))


@wrong(K)
def dots_as_numpy(queries, keys):
    return queries.numpy() @ keys.numpy().swapaxes(-1, -2)


@wrong(K)
def dots_rounded(queries, keys):
    return torch.round(queries @ keys.mT, decimals=2)


@wrong(K)
def dots_absolute(queries, keys):
    return (queries @ keys.mT).abs()


@wrong(K)
def dots_by_view(queries, keys):
    return queries @ keys.view(*keys.shape[:-2], keys.shape[-1], keys.shape[-2])


@wrong(K)
def dots_by_reshape(queries, keys):
    return queries @ keys.reshape(*keys.shape[:-2], keys.shape[-1], keys.shape[-2])


@wrong(K)
def dots_with_last_key_missing(queries, keys):
    return queries @ keys[..., :-1, :].mT


@wrong(K)
def dots_of_distances(queries, keys):
    return torch.cdist(queries, keys)


@wrong(K)
def dots_of_self(queries, keys):
    return queries @ queries.mT


@wrong(K)
def dots_softmaxed(queries, keys):
    return (queries @ keys.mT).softmax(-1)


@wrong(K)
def dots_as_nested_list(queries, keys):
    return (queries @ keys.mT).tolist()


@wrong(K)
def dots_printed(queries, keys):
    print(queries @ keys.mT)


@wrong(K)
def dots_plus_a_little(queries, keys):
    return queries @ keys.mT + 1e-3


@wrong(K)
def dots_in_half(queries, keys):
    return (queries.half() @ keys.half().mT).to(queries.dtype)


@wrong(K)
def dots_square_only(queries, keys):
    n = queries.shape[-2]
    out = queries.new_zeros(*queries.shape[:-1], n)
    for i in range(n):
        for j in range(n):
            out[..., i, j] = (queries[..., i, :] * keys[..., j, :]).sum(-1)
    return out


# --- 00.softmax -------------------------------------------------------------------------------------------------------

K = "00.softmax"


@wrong(K)
def softmax_minus_min(scores):
    e = (scores - scores.min(-1, keepdim=True).values).exp()
    return e / e.sum(-1, keepdim=True)


@wrong(K)
def softmax_minus_1000(scores):
    e = (scores - 1000).exp()
    return e / e.sum(-1, keepdim=True)


@wrong(K)
def softmax_minus_row_mean(scores):
    e = (scores - scores.mean(-1, keepdim=True)).exp()
    return e / e.sum(-1, keepdim=True)


@wrong(K, "And then: The sum lost its axis")
def softmax_both_without_keepdim(scores):
    e = (scores - scores.max(-1).values).exp()
    return e / e.sum(-1)


@wrong(K, "And then: The sum lost its axis")
def softmax_no_shift_without_keepdim(scores):
    e = scores.exp()
    return e / e.sum(-1)


@wrong(K)
def softmax_epsilon(scores):
    e = (scores - scores.amax(-1, keepdim=True)).exp()
    return e / (e.sum(-1, keepdim=True) + 1e-3)


@wrong(K)
def softmax_no_shift_but_epsilon(scores):
    e = scores.exp()
    return e / (e.sum(-1, keepdim=True) + 1e-9)


@wrong(K)
def softmax_clamped(scores):
    e = scores.clamp(max=80).exp()
    return e / e.sum(-1, keepdim=True)


@wrong(K)
def softmax_nan_to_num(scores):
    e = scores.exp()
    return (e / e.sum(-1, keepdim=True)).nan_to_num()


@wrong(K)
def softmax_base_two(scores):
    e = 2 ** (scores - scores.amax(-1, keepdim=True))
    return e / e.sum(-1, keepdim=True)


@wrong(K)
def softmax_base_2_718(scores):
    e = 2.718 ** (scores - scores.amax(-1, keepdim=True))
    return e / e.sum(-1, keepdim=True)


@wrong(K)
def softmax_exponential_of_difference_negated(scores):
    e = (scores.amax(-1, keepdim=True) - scores).exp()
    return e / e.sum(-1, keepdim=True)


@wrong(K)
def softmax_divided_by_max(scores):
    e = (scores / scores.amax(-1, keepdim=True)).exp()
    return e / e.sum(-1, keepdim=True)


@wrong(K)
def softmax_sum_of_all(scores):
    e = (scores - scores.amax(-1, keepdim=True)).exp()
    return e / e.sum()


@wrong(K)
def softmax_sum_first_axis(scores):
    e = (scores - scores.amax(-1, keepdim=True)).exp()
    return e / e.sum(0, keepdim=True)


@wrong(K)
def softmax_sum_first_axis_no_keepdim(scores):
    e = (scores - scores.max()).exp()
    return e / e.sum(dim=0)


@wrong(K)
def softmax_dim_one(scores):
    e = (scores - scores.amax(1, keepdim=True)).exp()
    return e / e.sum(1, keepdim=True)


@wrong(K)
def softmax_argmax(scores):
    return F.one_hot(scores.argmax(-1), scores.shape[-1]).to(scores.dtype)


@wrong(K)
def softmax_sigmoid(scores):
    return scores.sigmoid()


@wrong(K)
def softmax_sigmoid_normalised(scores):
    s = scores.sigmoid()
    return s / s.sum(-1, keepdim=True)


@wrong(K)
def softmax_max_forgot_values(scores):
    e = (scores - scores.max(-1, keepdim=True)).exp()
    return e / e.sum(-1, keepdim=True)


@wrong(K)
def softmax_max_without_keepdim(scores):
    e = (scores - scores.max(-1).values).exp()
    return e / e.sum(-1, keepdim=True)


@wrong(K)
def softmax_in_place(scores):
    scores -= scores.amax(-1, keepdim=True)
    return scores.exp() / scores.exp().sum(-1, keepdim=True)


@wrong(K)
def softmax_detached(scores):
    e = (scores - scores.amax(-1, keepdim=True)).exp()
    return e / e.sum(-1, keepdim=True).detach()


@wrong(K)
def softmax_item(scores):
    e = (scores - scores.amax(-1, keepdim=True)).exp()
    sums = torch.tensor(e.sum(-1, keepdim=True).tolist(), dtype=scores.dtype)
    return e / sums


@wrong(K)
def softmax_math_exp(scores):
    return torch.tensor([math.exp(s) for s in scores]) / sum(math.exp(s) for s in scores)


@wrong(K)
def softmax_numpy(scores):
    e = np.exp(scores.numpy() - scores.numpy().max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@wrong(K)
def softmax_rounded(scores):
    e = (scores - scores.amax(-1, keepdim=True)).exp()
    return (e / e.sum(-1, keepdim=True)).round(decimals=3)


@wrong(K)
def softmax_in_float32(scores):
    e = (scores - scores.amax(-1, keepdim=True)).float().exp()
    return e / e.sum(-1, keepdim=True)


@wrong(K)
def softmax_in_float32_and_back(scores):
    return softmax_in_float32(scores).to(scores.dtype)


@wrong(K)
def softmax_squares(scores):
    return scores**2 / (scores**2).sum(-1, keepdim=True)


@wrong(K)
def softmax_absolute(scores):
    return scores.abs() / scores.abs().sum(-1, keepdim=True)


@wrong(K)
def softmax_min_max(scores):
    low, high = scores.amin(-1, keepdim=True), scores.amax(-1, keepdim=True)
    return (scores - low) / (high - low)


@wrong(K)
def softmax_only_two_axes(scores):
    rows = [(row - row.max()).exp() for row in scores]
    return torch.stack([row / row.sum() for row in rows])


@wrong(K)
def softmax_uniform(scores):
    return torch.full_like(scores, 1 / scores.shape[-1])


@wrong(K)
def softmax_normalize_l2(scores):
    return F.normalize((scores - scores.amax(-1, keepdim=True)).exp(), dim=-1)


@wrong(K, "finished gumbel_softmax")
def softmax_gumbel(scores):
    return F.gumbel_softmax(scores)


@wrong(K, "finished softmin")
def softmax_by_softmin(scores):
    return F.softmin(-scores, dim=-1)


@wrong(K)
def softmax_by_cross_entropy(scores):
    flat = scores.reshape(-1, scores.shape[-1])
    columns = [
        (-F.cross_entropy(flat, torch.full((len(flat),), j), reduction="none")).exp() for j in range(flat.shape[-1])
    ]
    return torch.stack(columns, -1).reshape(scores.shape)


@wrong(K)
def softmax_by_logcumsumexp(scores):
    return (scores - torch.logcumsumexp(scores, -1)[..., -1:]).exp()


@wrong(K)
def softmax_by_attention(scores):
    flat = scores.reshape(-1, 1, scores.shape[-1])
    eye = torch.eye(scores.shape[-1], dtype=scores.dtype).expand(len(flat), -1, -1)
    return F.scaled_dot_product_attention(flat, eye, eye, scale=1.0).reshape(scores.shape)
