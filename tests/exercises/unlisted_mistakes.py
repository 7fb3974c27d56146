"""Plausible wrong answers that no bank lists: none may pass. `UNLISTED["02.attend"]` holds them with a word that their verdict must contain."""

import math
from collections import defaultdict

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

UNLISTED = defaultdict(list)


def wrong(key, says=""):
    """`says` is a piece of the sentence that should be shown."""

    def add(answer):
        UNLISTED[key].append((answer, says))
        return answer

    return add


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
    columns = [(-F.cross_entropy(flat, torch.full((len(flat),), j), reduction="none")).exp() for j in range(flat.shape[-1])]
    return torch.stack(columns, -1).reshape(scores.shape)


@wrong(K)
def softmax_by_logcumsumexp(scores):
    return (scores - torch.logcumsumexp(scores, -1)[..., -1:]).exp()


@wrong(K)
def softmax_by_attention(scores):
    flat = scores.reshape(-1, 1, scores.shape[-1])
    eye = torch.eye(scores.shape[-1], dtype=scores.dtype).expand(len(flat), -1, -1)
    return F.scaled_dot_product_attention(flat, eye, eye, scale=1.0).reshape(scores.shape)


# --- 02.attend --------------------------------------------------------------------------------------------------------

K = "02.attend"


@wrong(K)
def attend_transposed(query, keys, values):
    return values.mT @ (keys.mT @ query).softmax(-1)


@wrong(K)
def attend_keepdim(query, keys, values):
    return (query[None] @ keys.mT).softmax(-1) @ values


@wrong(K)
def attend_softmax_wrong_axis(query, keys, values):
    return ((query[None] @ keys.mT).softmax(0) @ values)[0]


@wrong(K)
def attend_scaled_and_mean(query, keys, values):
    return ((keys @ query).softmax(-1)[:, None] * values).mean(0)


@wrong(K)
def attend_max(query, keys, values):
    return ((keys @ query).softmax(-1)[:, None] * values).max(0).values


@wrong(K)
def attend_returns_weights(query, keys, values):
    return (keys @ query).softmax(-1)


@wrong(K)
def attend_returns_both(query, keys, values):
    weights = (keys @ query).softmax(-1)
    return weights @ values, weights


@wrong(K)
def attend_float32(query, keys, values):
    return (keys.float() @ query.float()).softmax(-1) @ values.float()


@wrong(K)
def attend_loop_skips_first(query, keys, values):
    weights = (keys @ query).softmax(-1)
    return sum(weights[i] * values[i] for i in range(1, len(values)))


@wrong(K)
def attend_loop_skips_last(query, keys, values):
    weights = (keys @ query).softmax(-1)
    return sum(weights[i] * values[i] for i in range(len(values) - 1))


@wrong(K)
def attend_no_maximum(query, keys, values):
    e = (keys @ query).exp()
    return e @ values / e.sum()


@wrong(K)
def attend_math_exp(query, keys, values):
    scores = [math.exp((k * query).sum().item()) for k in keys]
    return sum(s * v for s, v in zip(scores, values)) / sum(scores)


@wrong(K)
def attend_item(query, keys, values):
    weights = (keys @ query).softmax(-1)
    return sum(w.item() * v for w, v in zip(weights, values))


@wrong(K)
def attend_sum_of_products_wrong_axis(query, keys, values):
    return (keys * query).sum(0).softmax(-1) @ values


@wrong(K)
def attend_hard_coded(query, keys, values):
    out = torch.zeros(3)
    weights = (keys @ query).softmax(-1)
    for w, v in zip(weights, values):
        out += w * v
    return out


@wrong(K)
def attend_out_like_query(query, keys, values):
    out = torch.zeros_like(query)
    weights = (keys @ query).softmax(-1)
    for w, v in zip(weights, values):
        out = out + w * v
    return out


@wrong(K)
def attend_distances(query, keys, values):
    return (-(keys - query).norm(dim=-1)).softmax(-1) @ values


@wrong(K)
def attend_scaled_by_d_k(query, keys, values):
    return (keys @ query / query.shape[-1]).softmax(-1) @ values


@wrong(K)
def attend_relu(query, keys, values):
    s = (keys @ query).relu()
    return s / (s.sum() + 1e-9) @ values


@wrong(K)
def attend_sigmoid(query, keys, values):
    return (keys @ query).sigmoid() @ values


@wrong(K)
def attend_nothing(query, keys, values):
    return query


@wrong(K)
def attend_best_four(query, keys, values):
    top = (keys @ query).topk(min(4, len(keys)))
    return top.values.softmax(-1) @ values[top.indices]


@wrong(K)
def attend_adds_query(query, keys, values):
    out = (keys @ query).softmax(-1) @ values
    return out + query if out.shape == query.shape else out


@wrong(K)
def attend_swapped_arguments(values, keys, query):
    return (keys @ query).softmax(-1) @ values


@wrong(K)
def attend_no_grad(query, keys, values):
    with torch.no_grad():
        return (keys @ query).softmax(-1) @ values


@wrong(K)
def attend_weights_detached(query, keys, values):
    return (keys @ query).softmax(-1).detach() @ values


# --- 02.bilinear ------------------------------------------------------------------------------------------------------

K = "02.bilinear"


@wrong(K)
def bilinear_diagonal(W_Q, W_K):
    return torch.diag((W_Q * W_K).sum(0))


@wrong(K)
def bilinear_sum(W_Q, W_K):
    return (W_Q * W_K).sum()


@wrong(K)
def bilinear_outer(W_Q, W_K):
    return W_Q[:, :, None] * W_K[:, None, :]


@wrong(K)
def bilinear_outer_mean(W_Q, W_K):
    return (W_Q[:, :, None] * W_K[:, None, :]).mean(0)


@wrong(K)
def bilinear_first_row(W_Q, W_K):
    return torch.outer(W_Q[0], W_K[0])


@wrong(K)
def bilinear_float32(W_Q, W_K):
    return W_Q.T.float() @ W_K.float()


@wrong(K)
def bilinear_reshaped(W_Q, W_K):
    return W_Q.reshape(W_Q.shape[1], -1) @ W_K


@wrong(K)
def bilinear_plus(W_Q, W_K):
    return W_Q.mT + W_K


@wrong(K)
def bilinear_both_transposed(W_Q, W_K):
    return W_Q.mT @ W_K.mT


@wrong(K)
def bilinear_inverse(W_Q, W_K):
    return torch.linalg.pinv(W_Q) @ W_K


@wrong(K)
def bilinear_product_transposed(W_Q, W_K):
    return (W_Q.mT @ W_K).mT


@wrong(K)
def bilinear_divided_by_d_k(W_Q, W_K):
    return W_Q.mT @ W_K / W_Q.shape[0]


@wrong(K)
def bilinear_divided_by_d_model(W_Q, W_K):
    return W_Q.mT @ W_K / W_Q.shape[1] ** 0.5


@wrong(K)
def bilinear_upper(W_Q, W_K):
    return (W_Q.mT @ W_K).triu()


@wrong(K)
def bilinear_symmetric_without_half(W_Q, W_K):
    W = W_Q.mT @ W_K
    return W + W.mT


@wrong(K)
def bilinear_softmax(W_Q, W_K):
    return (W_Q.mT @ W_K).softmax(-1)


@wrong(K)
def bilinear_returns_function(W_Q, W_K):
    return lambda x, y: (W_Q @ x) @ (W_K @ y)


@wrong(K)
def bilinear_detached(W_Q, W_K):
    return torch.tensor((W_Q.mT @ W_K).tolist(), dtype=W_Q.dtype)


@wrong(K)
def bilinear_integers(W_Q, W_K):
    return (W_Q.mT @ W_K).int()


@wrong(K)
def bilinear_random_probe(W_Q, W_K):
    x = torch.randn(1000, W_Q.shape[1], dtype=W_Q.dtype)
    return x.mT @ (x @ W_Q.mT @ W_K) / 1000


# --- 02.scaled_dot_product_attention ----------------------------------------------------------------------------------

K = "02.scaled_dot_product_attention"


def _sdpa(scores=lambda q, k: q @ k.mT / q.shape[-1] ** 0.5, weights=lambda s: s.softmax(-1), out=lambda w, v: w @ v):
    def f(query, key, value):
        w = weights(scores(query, key))
        return out(w, value), w

    return f


def _variant(name, says="", **steps):
    f = _sdpa(**steps)
    f.__name__ = f.__qualname__ = name
    wrong(K, says)(f)


_variant("scale_hard_coded_2", scores=lambda q, k: q @ k.mT / 2)
_variant("scale_integer_division", scores=lambda q, k: q @ k.mT / (q.shape[-1] // 2))
_variant("scale_floor_root", scores=lambda q, k: q @ k.mT / int(q.shape[-1] ** 0.5))
_variant("scale_rounded_root", scores=lambda q, k: q @ k.mT / round(q.shape[-1] ** 0.5))
_variant("scale_floor_division_of_scores", scores=lambda q, k: (q @ k.mT) // q.shape[-1] ** 0.5)
_variant("scale_8", scores=lambda q, k: q @ k.mT / 8)
_variant("scale_64", scores=lambda q, k: q @ k.mT / 64**0.5)
_variant("scale_both_sides", scores=lambda q, k: (q / q.shape[-1] ** 0.5) @ (k / k.shape[-1] ** 0.5).mT)
_variant("scale_fourth_root", scores=lambda q, k: q @ k.mT / q.shape[-1] ** 0.25)
_variant("scale_len", scores=lambda q, k: q @ k.mT / len(q) ** 0.5)
_variant("scale_shape_1", scores=lambda q, k: q @ k.mT / q.shape[1] ** 0.5)
_variant("scale_numel", scores=lambda q, k: q @ k.mT / q.numel() ** 0.5)
_variant("scale_std", scores=lambda q, k: (q @ k.mT) / (q @ k.mT).std())
_variant("no_scale_over_queries", scores=lambda q, k: q @ k.mT, weights=lambda s: s.softmax(-2))
_variant("scale_d_k_over_queries", scores=lambda q, k: q @ k.mT / q.shape[-1], weights=lambda s: s.softmax(-2))
_variant("no_scale_no_softmax", scores=lambda q, k: q @ k.mT, weights=lambda s: s)
_variant("softmax_dim_2", weights=lambda s: s.softmax(2))
_variant("softmax_over_all", weights=lambda s: s.flatten().softmax(0).reshape(s.shape))
_variant("softmax_twice", weights=lambda s: s.softmax(-1).softmax(-1))
_variant("log_softmax", weights=lambda s: s.log_softmax(-1))
_variant("sigmoid", weights=lambda s: s.sigmoid())
_variant("relu", weights=lambda s: s.relu() / s.relu().sum(-1, keepdim=True).clamp(min=1e-9))
_variant("exp_only", weights=lambda s: s.exp())
_variant("normalised_without_keepdim", weights=lambda s: (s - s.amax(-1, keepdim=True)).exp() / (s - s.amax(-1, keepdim=True)).exp().sum(-1))
_variant("global_maximum", weights=lambda s: (s - s.max()).exp() / (s - s.max()).exp().sum(-1, keepdim=True))
_variant("clamped", weights=lambda s: s.clamp(-50, 50).softmax(-1))
_variant("causal_without_being_asked", weights=lambda s: s.masked_fill(~torch.ones_like(s, dtype=torch.bool).tril(), -torch.inf).softmax(-1))
_variant("diagonal_hidden", weights=lambda s: s.masked_fill(torch.ones_like(s[..., :1, :]).bool() & torch.eye(s.shape[-2], s.shape[-1], dtype=torch.bool), -torch.inf).softmax(-1))
_variant("uniform", weights=lambda s: torch.full_like(s, 1 / s.shape[-1]))
_variant("with_dropout", weights=lambda s: F.dropout(s.softmax(-1), 0.1))
_variant("detached_scores", weights=lambda s: s.detach().softmax(-1))
_variant("detached_weights", weights=lambda s: s.softmax(-1).detach())
_variant("rounded", weights=lambda s: s.softmax(-1).round(decimals=3))
_variant("float32", scores=lambda q, k: q.float() @ k.float().mT / q.shape[-1] ** 0.5, out=lambda w, v: w @ v.float())
_variant("float32_inside", weights=lambda s: s.float().softmax(-1).to(s.dtype))
_variant("half_inside", weights=lambda s: s.half().softmax(-1).to(s.dtype))
_variant("mean_of_values", out=lambda w, v: v.mean(-2, keepdim=True).expand(*w.shape[:-1], v.shape[-1]))
_variant("output_divided_by_keys", out=lambda w, v: w @ v / v.shape[-2])
_variant("one_value_only", out=lambda w, v: w[..., :1] @ v[..., :1, :])
_variant("first_leading_only", out=lambda w, v: w @ v[(0,) * (v.dim() - 2)])
_variant("output_transposed", out=lambda w, v: (w @ v).mT)
_variant("output_by_loop_skips_last_key", out=lambda w, v: sum(w[..., j, None] * v[..., j, None, :] for j in range(v.shape[-2] - 1)))
_variant("distances", scores=lambda q, k: -torch.cdist(q, k) / q.shape[-1] ** 0.5)
_variant("absolute", scores=lambda q, k: (q @ k.mT).abs() / q.shape[-1] ** 0.5)
_variant("negative", scores=lambda q, k: -(q @ k.mT) / q.shape[-1] ** 0.5)
_variant("keys_with_queries", scores=lambda q, k: (k @ q.mT) / q.shape[-1] ** 0.5)
_variant("scaled_query_in_place", scores=lambda q, k: q.div_(q.shape[-1] ** 0.5) @ k.mT)
_variant("reshaped_keys", scores=lambda q, k: q @ k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2]) / q.shape[-1] ** 0.5)
_variant("viewed_keys", scores=lambda q, k: q @ k.view(*k.shape[:-2], k.shape[-1], k.shape[-2]) / q.shape[-1] ** 0.5)
_variant("only_two_axes", scores=lambda q, k: q @ k.t() / q.shape[-1] ** 0.5)
_variant("only_batches", scores=lambda q, k: torch.bmm(q, k.transpose(1, 2)) / q.shape[-1] ** 0.5)
_variant("only_heads", scores=lambda q, k: torch.einsum("bhqd,bhkd->bhqk", q, k) / q.shape[-1] ** 0.5)
_variant("einsum_across_batch", scores=lambda q, k: torch.einsum("...qd,...kd->qk", q, k) / q.shape[-1] ** 0.5)
_variant("math_sqrt_of_tensor_int", scores=lambda q, k: q @ k.mT / torch.tensor(q.shape[-1]).sqrt().int())


@wrong(K)
def causal_ignoring_queries_and_keys(query, key, value):
    weights = torch.ones(*query.shape[:-1], key.shape[-2], dtype=query.dtype).tril().softmax(-1)
    return weights @ value, weights


@wrong(K)
def three_results(query, key, value):
    output, weights = _sdpa()(query, key, value)
    return output, weights, weights


@wrong(K)
def a_dictionary(query, key, value):
    output, weights = _sdpa()(query, key, value)
    return {"output": output, "weights": weights}


@wrong(K)
def stacked(query, key, value):
    output, weights = _sdpa()(query, key, value)
    return torch.cat([output, weights], -1)


@wrong(K)
def weights_averaged(query, key, value):
    output, weights = _sdpa()(query, key, value)
    return output, weights.mean(1) if weights.dim() > 3 else weights


@wrong(K)
def weights_transposed_in_return(query, key, value):
    output, weights = _sdpa()(query, key, value)
    return output, weights.mT


@wrong(K)
def weights_detached_in_return(query, key, value):
    output, weights = _sdpa()(query, key, value)
    return output, weights.detach()


@wrong(K)
def squeezed(query, key, value):
    output, weights = _sdpa()(query, key, value)
    return output.squeeze(), weights.squeeze()


@wrong(K)
def adds_a_batch(query, key, value):
    if query.dim() == 2:
        query, key, value = query[None], key[None], value[None]
    return _sdpa()(query, key, value)


@wrong(K)
def values_like_keys(query, key, value):
    output, weights = _sdpa()(query, key, value)
    return output[..., : key.shape[-1]], weights


@wrong(K)
def output_like_query(query, key, value):
    weights = _sdpa()(query, key, value)[1]
    out = torch.zeros_like(query)
    for i in range(query.shape[-2]):
        out[..., i, :] = (weights[..., i, :, None] * value).sum(-2)
    return out, weights


@wrong(K)
def square_loops(query, key, value):
    n = query.shape[-2]
    scores = torch.zeros(*query.shape[:-1], n, dtype=query.dtype)
    for i in range(n):
        for j in range(n):
            scores[..., i, j] = (query[..., i, :] * key[..., j, :]).sum(-1) / query.shape[-1] ** 0.5
    weights = scores.softmax(-1)
    return weights @ value, weights


# --- 02.repaired ------------------------------------------------------------------------------------------------------

K = "02.repaired"


def _repair_02(scale=lambda x, q, k: q.shape[-1] ** 0.5, normalise=lambda e: e / e.sum(-1, keepdim=True), shift=lambda s: s - s.amax(-1, keepdim=True), mix=lambda w, v: w @ v):
    def f(x, W_Q, W_K, W_V):
        query, key, value = x @ W_Q.mT, x @ W_K.mT, x @ W_V.mT
        return mix(normalise(shift(query @ key.mT / scale(x, query, key)).exp()), value)

    return f


for _name, _says, _steps in [
    ("scale_by_d_k", "", dict(scale=lambda x, q, k: q.shape[-1])),
    ("scale_by_d_model_no_root", "", dict(scale=lambda x, q, k: x.shape[-1])),
    ("scale_by_d_k_no_keepdim", "", dict(scale=lambda x, q, k: q.shape[-1], normalise=lambda e: e / e.sum(-1))),
    ("scale_4", "", dict(scale=lambda x, q, k: 4 ** 0.5)),
    ("no_scale_no_keepdim", "", dict(scale=lambda x, q, k: 1, normalise=lambda e: e / e.sum(-1))),
    ("scale_words_no_keepdim", "", dict(scale=lambda x, q, k: q.shape[0] ** 0.5, normalise=lambda e: e / e.sum(-1))),
    ("sum_dim_0", "", dict(normalise=lambda e: e / e.sum(0))),
    ("sum_over_all_and_scale", "", dict(scale=lambda x, q, k: x.shape[-1] ** 0.5, normalise=lambda e: e / e.sum())),
    ("not_normalised", "", dict(normalise=lambda e: e)),
    ("not_normalised_and_scale", "", dict(scale=lambda x, q, k: x.shape[-1] ** 0.5, normalise=lambda e: e)),
    ("sum_minus_1_mean", "", dict(normalise=lambda e: e / e.mean(-1, keepdim=True))),
    ("wrong_unsqueeze", "", dict(normalise=lambda e: e / e.sum(-1).unsqueeze(0))),
    ("softmax_on_exponentials", "", dict(normalise=lambda e: e.softmax(-1))),
    ("max_dropped_keepdim", "", dict(shift=lambda s: s - s.max(-1).values)),
    ("transposed_weights", "", dict(mix=lambda w, v: w.mT @ v)),
    ("d_v_scale", "", dict(scale=lambda x, q, k: (q @ k.mT).shape[-1])),
    ("scale_multiplied", "", dict(scale=lambda x, q, k: q.shape[-1] ** -0.5)),
    ("everything_in_float32", "", dict(mix=lambda w, v: w.float() @ v.float())),
]:
    _f = _repair_02(**_steps)
    _f.__name__ = _name
    wrong(K, _says)(_f)


@wrong(K)
def returns_weights_too(x, W_Q, W_K, W_V):
    query, key, value = x @ W_Q.mT, x @ W_K.mT, x @ W_V.mT
    weights = (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1)
    return weights @ value, weights


@wrong(K)
def matrices_not_turned(x, W_Q, W_K, W_V):
    query, key, value = x @ W_Q, x @ W_K, x @ W_V
    return (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1) @ value


# --- 03.split_heads ---------------------------------------------------------------------------------------------------

K = "03.split_heads"


@wrong(K)
def split_two_heads(x, num_heads):
    return x.unflatten(-1, (2, -1)).transpose(1, 2)


@wrong(K)
def split_d_four(x, num_heads):
    return x.reshape(x.shape[0], x.shape[1], num_heads, 4).transpose(1, 2)


@wrong(K)
def split_num_heads_is_d(x, num_heads):
    return x.unflatten(-1, (-1, num_heads)).transpose(1, 2)


@wrong(K)
def split_float_d(x, num_heads):
    batch, n, width = x.shape
    return x.reshape(batch, n, num_heads, width / num_heads).transpose(1, 2)


@wrong(K)
def split_batch_swapped(x, num_heads):
    return x.unflatten(-1, (num_heads, -1)).transpose(0, 2)


@wrong(K)
def split_reshape_after(x, num_heads):
    batch, n, width = x.shape
    return x.transpose(1, 2).reshape(batch, num_heads, n, -1)


@wrong(K)
def split_transpose_then_cut(x, num_heads):
    return x.transpose(1, 2).unflatten(1, (num_heads, -1))


@wrong(K)
def split_flat(x, num_heads):
    return x.reshape(-1, num_heads, x.shape[1], x.shape[-1] // num_heads)


@wrong(K)
def split_list(x, num_heads):
    return list(x.chunk(num_heads, -1))


@wrong(K)
def split_merged_batch(x, num_heads):
    batch, n, width = x.shape
    return x.reshape(batch, n, num_heads, -1).transpose(1, 2).flatten(0, 1)


@wrong(K)
def split_only_first_sentence(x, num_heads):
    return x[0].unflatten(-1, (num_heads, -1)).transpose(0, 1)[None]


@wrong(K)
def split_first_sentence_for_all(x, num_heads):
    return x[:1].unflatten(-1, (num_heads, -1)).transpose(1, 2).expand(len(x), -1, -1, -1)


@wrong(K)
def split_heads_backwards(x, num_heads):
    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2).flip(1)


@wrong(K)
def split_twice_transposed(x, num_heads):
    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2).transpose(1, 2)


@wrong(K)
def split_float32(x, num_heads):
    return x.float().unflatten(-1, (num_heads, -1)).transpose(1, 2)


@wrong(K)
def split_detached(x, num_heads):
    return torch.stack([torch.tensor(part.tolist(), dtype=x.dtype) for part in x.chunk(num_heads, -1)], 1)


@wrong(K)
def split_squeezed(x, num_heads):
    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2).squeeze(0)


@wrong(K)
def split_resized_in_place(x, num_heads):
    return x.resize_(len(x), num_heads, x.shape[1], x.shape[2] // num_heads)


@wrong(K)
def split_first_head_repeated(x, num_heads):
    d = x.shape[-1] // num_heads
    return torch.stack([x[..., :d]] * num_heads, 1)


@wrong(K)
def split_overlapping(x, num_heads):
    d = x.shape[-1] // num_heads
    return torch.stack([x[..., h : h + d] for h in range(num_heads)], 1)


# --- 03.merge_heads ---------------------------------------------------------------------------------------------------

K = "03.merge_heads"


@wrong(K)
def merge_flatten_1_2(x):
    return x.transpose(1, 2).flatten(1, 2)


@wrong(K)
def merge_flatten_last(x):
    return x.flatten(-2)


@wrong(K)
def merge_cat_words(x):
    return torch.cat(list(x.unbind(1)), dim=1)


@wrong(K)
def merge_reshape_to_batch_n(x):
    return x.reshape(x.shape[0], x.shape[2], -1)


@wrong(K)
def merge_stack(x):
    return torch.stack(list(x.unbind(1)), dim=-1).flatten(-2)


@wrong(K)
def merge_first_head(x):
    return x[:, 0]


@wrong(K)
def merge_first_head_repeated(x):
    return x[:, 0].repeat(1, 1, x.shape[1])


@wrong(K)
def merge_max(x):
    return x.amax(1)


@wrong(K)
def merge_backwards(x):
    return x.flip(1).transpose(1, 2).flatten(2)


@wrong(K)
def merge_transposed_wrong(x):
    return x.transpose(-1, -2).reshape(x.shape[0], x.shape[2], -1)


@wrong(K)
def merge_batch_lost(x):
    return x.transpose(1, 2).reshape(-1, x.shape[1] * x.shape[3])


@wrong(K)
def merge_swapped_batch(x):
    return x.transpose(0, 2).reshape(x.shape[0], x.shape[2], -1)


@wrong(K)
def merge_hard_coded_width(x):
    return x.transpose(1, 2).reshape(x.shape[0], x.shape[2], 8)


@wrong(K)
def merge_float32(x):
    return x.transpose(1, 2).flatten(2).float()


@wrong(K)
def merge_detached(x):
    return x.detach().transpose(1, 2).flatten(2)


@wrong(K)
def merge_clone_of_input(x):
    return x.clone()


@wrong(K)
def merge_numpy(x):
    return x.numpy().transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1)


@wrong(K)
def merge_empty_float32(x):
    batch, heads, n, d = x.shape
    out = torch.empty(batch, n, heads * d)
    for h in range(heads):
        out[:, :, h * d : (h + 1) * d] = x[:, h]
    return out


@wrong(K)
def merge_off_by_one(x):
    batch, heads, n, d = x.shape
    out = x.new_zeros(batch, n, heads * d)
    for h in range(heads - 1):
        out[:, :, h * d : (h + 1) * d] = x[:, h]
    return out


@wrong(K)
def merge_squeezed(x):
    return x.transpose(1, 2).flatten(2).squeeze(0)


# --- 03.MultiHeadAttention --------------------------------------------------------------------------------------------

K = "03.MultiHeadAttention"


class Base(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)

    def cut(self, x):
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def forward(self, query, key, value):
        q, k, v = self.cut(self.W_Q(query)), self.cut(self.W_K(key)), self.cut(self.W_V(value))
        weights = (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1)
        return self.W_O((weights @ v).transpose(1, 2).flatten(2)), weights


def _module(name, says="", base=Base, **methods):
    wrong(K, says)(type(name, (base,), methods))


def _forward(scores=lambda self, q, k: q @ k.mT / q.shape[-1] ** 0.5, weights=lambda s: s.softmax(-1), mix=lambda w, v: w @ v,
             join=lambda h: h.transpose(1, 2).flatten(2), out=lambda self, x: self.W_O(x), inputs=lambda q, k, v: (q, k, v), result=lambda o, w: (o, w)):
    def forward(self, query, key, value):
        query, key, value = inputs(query, key, value)
        q, k, v = self.cut(self.W_Q(query)), self.cut(self.W_K(key)), self.cut(self.W_V(value))
        w = weights(scores(self, q, k))
        return result(out(self, join(mix(w, v))), w)

    return forward


_module("ScaleByHeads", forward=_forward(scores=lambda self, q, k: q @ k.mT / self.num_heads**0.5))
_module("ScaleByKeys", forward=_forward(scores=lambda self, q, k: q @ k.mT / k.shape[-2] ** 0.5))
_module("ScaleByDModel", forward=_forward(scores=lambda self, q, k: q @ k.mT / (self.num_heads * q.shape[-1])))
_module("ScaleAfter", forward=_forward(scores=lambda self, q, k: q @ k.mT, weights=lambda s: s.softmax(-1) / s.shape[-1] ** 0.5))
_module("SoftmaxFirst", forward=_forward(weights=lambda s: s.softmax(0)))
_module("SoftmaxDim2", forward=_forward(weights=lambda s: s.softmax(2)))
_module("Causal", forward=_forward(weights=lambda s: s.masked_fill(~torch.ones(s.shape[-2:], dtype=torch.bool).tril(), -torch.inf).softmax(-1)))
_module("DropoutOnAlways", forward=_forward(weights=lambda s: F.dropout(s.softmax(-1), 0.1, True)))
_module("JoinFlatten", forward=_forward(join=lambda h: h.flatten(1, 2)))
_module("JoinSum", forward=_forward(join=lambda h: h.sum(1).repeat(1, 1, h.shape[1])))
_module("JoinMean", forward=_forward(join=lambda h: h.mean(1).repeat(1, 1, h.shape[1])))
_module("JoinBackwards", forward=_forward(join=lambda h: h.flip(1).transpose(1, 2).flatten(2)))
_module("NoBias", forward=_forward(out=lambda self, x: x @ self.W_O.weight.mT))
_module("OutNotTransposed", forward=_forward(out=lambda self, x: x @ self.W_O.weight + self.W_O.bias))
_module("OutTwice", forward=_forward(out=lambda self, x: self.W_O(self.W_O(x))))
_module("OutRelu", forward=_forward(out=lambda self, x: self.W_O(x).relu()))
_module("KeyIsValue", forward=_forward(inputs=lambda q, k, v: (q, v, v)))
_module("QueryIsKey", forward=_forward(inputs=lambda q, k, v: (k, k, v)))
_module("ValueIsQuery", forward=_forward(inputs=lambda q, k, v: (q, k, q)))
_module("AllFirstSentence", forward=_forward(inputs=lambda q, k, v: (q[:1].expand_as(q), k[:1].expand_as(k), v[:1].expand_as(v))))
_module("WeightsSum", forward=_forward(result=lambda o, w: (o, w.sum(1))))
_module("WeightsFirstHead", forward=_forward(result=lambda o, w: (o, w[:, 0])))
_module("WeightsTransposed", forward=_forward(result=lambda o, w: (o, w.mT)))
_module("WeightsHeadFirst", forward=_forward(result=lambda o, w: (o, w.transpose(0, 1))))
_module("WeightsNone", forward=_forward(result=lambda o, w: (o, None)))
_module("OutputDetached", forward=_forward(result=lambda o, w: (o.detach(), w)))
_module("WeightsDetached", forward=_forward(result=lambda o, w: (o, w.detach())))
_module("LayerNormed", forward=_forward(result=lambda o, w: (F.layer_norm(o, o.shape[-1:]), w)))
_module("NoForward", base=nn.Module)
_module("NothingInInit", __init__=lambda self, d_model, num_heads: nn.Module.__init__(self))


@wrong(K, "W_Q")
class OtherNames(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.query = nn.Linear(d_model, d_model)
        self.key = nn.Linear(d_model, d_model)
        self.value = nn.Linear(d_model, d_model)
        self.out = nn.Linear(d_model, d_model)

    def forward(self, query, key, value):
        return query, None


@wrong(K, "super().__init__()")
class ForgotSuper(nn.Module):
    def __init__(self, d_model, num_heads):
        self.num_heads = num_heads
        self.W_Q = nn.Linear(d_model, d_model)

    def forward(self, query, key, value):
        return query, None


@wrong(K)
class NoBiasInLayers(Base):
    def __init__(self, d_model, num_heads):
        super().__init__(d_model, num_heads)
        self.W_Q = nn.Linear(d_model, d_model, bias=False)


@wrong(K)
class HeadsOwnMatrices(Base):
    def __init__(self, d_model, num_heads):
        super().__init__(d_model, num_heads)
        self.W_Q = nn.ModuleList(nn.Linear(d_model, d_model // num_heads) for _ in range(num_heads))


@wrong(K)
class SmallProjections(Base):
    def __init__(self, d_model, num_heads):
        super().__init__(d_model, num_heads)
        self.W_Q = nn.Linear(d_model, d_model // num_heads)


@wrong(K)
class PlainLists(Base):
    """Layers kept in a list aren't seen as parameters."""

    def __init__(self, d_model, num_heads):
        nn.Module.__init__(self)
        self.layers = [nn.Linear(d_model, d_model) for _ in range(4)]


@wrong(K)
class AnotherParameter(Base):
    def __init__(self, d_model, num_heads):
        super().__init__(d_model, num_heads)
        self.norm = nn.LayerNorm(d_model)


@wrong(K)
class InitDrawsWeightsInForward(Base):
    def forward(self, query, key, value):
        self.W_O.reset_parameters()
        return super().forward(query, key, value)


@wrong(K)
class TwoHeadsAlways(Base):
    def cut(self, x):
        return x.unflatten(-1, (2, -1)).transpose(1, 2)


@wrong(K)
class LastSentenceOnly(Base):
    def forward(self, query, key, value):
        return tuple(x[-1:] for x in super().forward(query, key, value))


@wrong(K, "multi_head_attention")
class TorchsOwn(Base):
    def forward(self, query, key, value):
        weight = torch.cat([self.W_Q.weight, self.W_K.weight, self.W_V.weight])
        bias = torch.cat([self.W_Q.bias, self.W_K.bias, self.W_V.bias])
        output, weights = F.multi_head_attention_forward(
            query.transpose(0, 1), key.transpose(0, 1), value.transpose(0, 1), query.shape[-1], self.num_heads, weight, bias,
            None, None, False, 0.0, self.W_O.weight, self.W_O.bias, training=False, need_weights=True, average_attn_weights=False,
        )  # fmt: skip
        return output.transpose(0, 1), weights


@wrong(K)
class SelfOnly(Base):
    def forward(self, query, key=None, value=None):
        return super().forward(query, query, query)


@wrong(K, "arguments don't fit")
class OneArgument(Base):
    def forward(self, x):
        return super().forward(x, x, x)


# --- 03.strongest_head ------------------------------------------------------------------------------------------------

K = "03.strongest_head"


@wrong(K)
def head_from_one(weights, query, key):
    layer, head = divmod(weights[:, :, query, key].argmax().item(), weights.shape[1])
    return layer + 1, head + 1


@wrong(K)
def head_second_largest(weights, query, key):
    return divmod(weights[:, :, query, key].flatten().argsort()[-2].item(), weights.shape[1])


@wrong(K)
def head_largest_anywhere(weights, query, key):
    layers, heads, n, _ = weights.shape
    return divmod(weights.flatten().argmax().item() // (n * n), heads)


@wrong(K)
def head_hard_coded_4(weights, query, key):
    return divmod(weights[:, :, query, key].argmax().item(), 4)


@wrong(K)
def head_hard_coded_12(weights, query, key):
    return divmod(weights[:, :, query, key].argmax().item(), 12)


@wrong(K)
def head_per_layer(weights, query, key):
    return weights[:, :, query, key].argmax(-1)


@wrong(K)
def head_max_value(weights, query, key):
    return weights[:, :, query, key].max().item()


@wrong(K)
def head_floats(weights, query, key):
    index = weights[:, :, query, key].argmax().item()
    return index / weights.shape[1], index % weights.shape[1]


@wrong(K)
def head_tensor_pair(weights, query, key):
    return torch.tensor(divmod(weights[:, :, query, key].argmax().item(), weights.shape[1]))


@wrong(K)
def head_key_fixed(weights, query, key):
    return divmod(weights[:, :, query, 1].argmax().item(), weights.shape[1])


@wrong(K)
def head_query_last(weights, query, key):
    return divmod(weights[:, :, -1, key].argmax().item(), weights.shape[1])


@wrong(K)
def head_on_diagonal(weights, query, key):
    return divmod(weights[:, :, query, query].argmax().item(), weights.shape[1])


@wrong(K)
def head_most_heads_vote(weights, query, key):
    best = weights[:, :, query].argmax(-1) == key
    return divmod(best.float().argmax().item(), weights.shape[1])


@wrong(K)
def head_first_two_layers(weights, query, key):
    return divmod(weights[:2, :, query, key].argmax().item(), weights.shape[1])


@wrong(K)
def head_mean_over_layers(weights, query, key):
    head = weights[:, :, query, key].mean(0).argmax().item()
    return weights[:, head, query, key].argmax().item(), head


@wrong(K)
def head_mean_over_heads(weights, query, key):
    layer = weights[:, :, query, key].mean(1).argmax().item()
    return layer, weights[layer, :, query, key].argmax().item()


@wrong(K)
def head_loop_starts_at_one(weights, query, key):
    best, where = -1.0, (0, 0)
    for layer in range(1, weights.shape[0]):
        for head in range(weights.shape[1]):
            if weights[layer, head, query, key] > best:
                best, where = weights[layer, head, query, key], (layer, head)
    return where


@wrong(K)
def head_loop_swapped(weights, query, key):
    return max(((a, b) for a in range(weights.shape[1]) for b in range(weights.shape[0])), key=lambda p: weights[p[1], p[0], query, key])


@wrong(K)
def head_as_text(weights, query, key):
    layer, head = divmod(weights[:, :, query, key].argmax().item(), weights.shape[1])
    return f"layer {layer}, head {head}"


@wrong(K)
def head_wrong_divmod(weights, query, key):
    index = weights[:, :, query, key].argmax().item()
    return index % weights.shape[1], index // weights.shape[1]


@wrong(K)
def head_relative_to_row(weights, query, key):
    ratio = weights[:, :, query, key] / weights[:, :, key, query]
    return divmod(ratio.argmax().item(), weights.shape[1])


# --- 03.repaired ------------------------------------------------------------------------------------------------------

K = "03.repaired"


def _repair_03(swap=lambda x: x.transpose(1, 2), scores=lambda q, k: q @ k.mT / q.shape[-1] ** 0.5, softmax=lambda s: s.softmax(-1),
               join=lambda h, shape: h.transpose(1, 2).reshape(shape), last=lambda W: W.mT, mats=lambda Q, K, V: (Q, K, V)):
    def f(x, W_Q, W_K, W_V, W_O, num_heads):
        q, k, v = (swap((x @ W.mT).reshape(*x.shape[:2], num_heads, -1)) for W in mats(W_Q, W_K, W_V))
        return join(softmax(scores(q, k)) @ v, x.shape) @ last(W_O)

    return f


for _name, _says, _steps in [
    ("swap_first", "", dict(swap=lambda x: x.transpose(0, 1))),
    ("swap_last", "", dict(swap=lambda x: x.transpose(2, 3))),
    ("swap_and_wrong_last_scale", "", dict(scores=lambda q, k: q @ k.mT / q.shape[-1])),
    ("permuted_both", "", dict(swap=lambda x: x.permute(0, 2, 3, 1))),
    ("softmax_heads", "", dict(softmax=lambda s: s.softmax(1))),
    ("softmax_queries", "", dict(softmax=lambda s: s.softmax(2))),
    ("join_flat", "", dict(join=lambda h, shape: h.flatten(1).reshape(shape))),
    ("join_transposed_last", "", dict(join=lambda h, shape: h.transpose(2, 3).reshape(shape))),
    ("join_view", "", dict(join=lambda h, shape: h.transpose(1, 2).view(shape))),
    ("no_last", "", dict(last=lambda W: torch.eye(len(W), dtype=W.dtype))),
    ("last_symmetric", "", dict(last=lambda W: (W + W.mT) / 2)),
    ("scale_wrong_left", "", dict(scores=lambda q, k: q @ k.mT / (q.shape[1] * q.shape[-1]) ** 0.5, last=lambda W: W)),
    ("no_scale_last_left", "", dict(scores=lambda q, k: q @ k.mT, last=lambda W: W)),
    ("scale_by_words", "", dict(scores=lambda q, k: q @ k.mT / q.shape[-2] ** 0.5)),
    ("matrices_turned", "", dict(mats=lambda Q, K, V: (Q.mT, K.mT, V.mT))),
    ("matrices_and_last_turned", "", dict(mats=lambda Q, K, V: (Q.mT, K.mT, V.mT), last=lambda W: W)),
    ("keys_from_queries", "", dict(mats=lambda Q, K, V: (Q, Q, V))),
    ("reshape_straight", "", dict(swap=lambda x: x.reshape(x.shape[0], x.shape[2], x.shape[1], x.shape[3]))),
    ("reshape_straight_last_left", "", dict(swap=lambda x: x.reshape(x.shape[0], x.shape[2], x.shape[1], x.shape[3]), last=lambda W: W)),
    ("reshape_straight_and_back", "", dict(swap=lambda x: x.reshape(x.shape[0], x.shape[2], x.shape[1], x.shape[3]), join=lambda h, shape: h.reshape(shape))),
    ("interleaved_last_left", "", dict(join=lambda h, shape: h.permute(0, 2, 3, 1).flatten(-2), last=lambda W: W)),
    ("one_head", "", dict(swap=lambda x: x.flatten(2)[:, None], join=lambda h, shape: h[:, 0])),
]:
    _f = _repair_03(**_steps)
    _f.__name__ = _name
    wrong(K, _says)(_f)
