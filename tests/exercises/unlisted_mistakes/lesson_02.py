"""Unlisted wrong answers to lesson 02, Self-attention."""

import math

import torch
import torch.nn.functional as F

from unlisted_mistakes import wrong

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


@wrong(K, "You divide by √d_k already")
def attend_scaled_and_mean(query, keys, values):
    return ((keys @ query / query.shape[-1] ** 0.5).softmax(-1)[:, None] * values).mean(0)


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


@wrong(K, "nothing is added up")
def attend_softmax_of_every_number(query, keys, values):
    return ((query * keys).softmax(0) * values).sum(0)


@wrong(K, "You raise 2")
def attend_powers_of_two(query, keys, values):
    e = 2 ** (keys @ query - (keys @ query).max())
    return e / e.sum() @ values


@wrong(K, "The first word is left out")
def attend_loop_skips_first(query, keys, values):
    weights = (keys @ query).softmax(-1)
    return sum(weights[i] * values[i] for i in range(1, len(values)))


@wrong(K, "The last word is left out")
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


@wrong(K, "The last row of each matrix is left out")
def bilinear_loop_skips_last(W_Q, W_K):
    product = W_Q.new_zeros(W_Q.shape[1], W_Q.shape[1])
    for m in range(len(W_Q) - 1):
        product = product + torch.outer(W_Q[m], W_K[m])
    return product


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


@wrong(K, "And then: The division")
def bilinear_roles_swapped_and_scaled(W_Q, W_K):
    return W_K.mT @ W_Q / W_Q.shape[0] ** 0.5


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


@wrong(K, "You divide by 8")
def attention_of_one_d_k(query, key, value):
    weights = (query @ key.mT / 8).softmax(-1)
    return weights @ value, weights


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
_variant(
    "no_scale_over_queries",
    "And then: Your weights sum to 1 over the queries",
    scores=lambda q, k: q @ k.mT,
    weights=lambda s: s.softmax(-2),
)
_variant("scale_d_k_over_queries", scores=lambda q, k: q @ k.mT / q.shape[-1], weights=lambda s: s.softmax(-2))
_variant("no_scale_no_softmax", "And then: No softmax", scores=lambda q, k: q @ k.mT, weights=lambda s: s)
_variant("softmax_dim_2", weights=lambda s: s.softmax(2))
_variant("softmax_over_all", weights=lambda s: s.flatten().softmax(0).reshape(s.shape))
_variant("softmax_twice", weights=lambda s: s.softmax(-1).softmax(-1))
_variant("log_softmax", weights=lambda s: s.log_softmax(-1))
_variant("sigmoid", weights=lambda s: s.sigmoid())
_variant("relu", weights=lambda s: s.relu() / s.relu().sum(-1, keepdim=True).clamp(min=1e-9))
_variant("exp_only", weights=lambda s: s.exp())
_variant(
    "normalised_without_keepdim",
    weights=lambda s: (s - s.amax(-1, keepdim=True)).exp() / (s - s.amax(-1, keepdim=True)).exp().sum(-1),
)
_variant("global_maximum", weights=lambda s: (s - s.max()).exp() / (s - s.max()).exp().sum(-1, keepdim=True))
_variant("clamped", weights=lambda s: s.clamp(-50, 50).softmax(-1))
_variant(
    "causal_without_being_asked",
    weights=lambda s: s.masked_fill(~torch.ones_like(s, dtype=torch.bool).tril(), -torch.inf).softmax(-1),
)
_variant(
    "diagonal_hidden",
    weights=lambda s: s.masked_fill(
        torch.ones_like(s[..., :1, :]).bool() & torch.eye(s.shape[-2], s.shape[-1], dtype=torch.bool), -torch.inf
    ).softmax(-1),
)
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
_variant(
    "output_by_loop_skips_last_key",
    out=lambda w, v: sum(w[..., j, None] * v[..., j, None, :] for j in range(v.shape[-2] - 1)),
)
_variant("distances", scores=lambda q, k: -torch.cdist(q, k) / q.shape[-1] ** 0.5)
_variant("absolute", scores=lambda q, k: (q @ k.mT).abs() / q.shape[-1] ** 0.5)
_variant("negative", scores=lambda q, k: -(q @ k.mT) / q.shape[-1] ** 0.5)
_variant("keys_with_queries", scores=lambda q, k: (k @ q.mT) / q.shape[-1] ** 0.5)
_variant("scaled_query_in_place", scores=lambda q, k: q.div_(q.shape[-1] ** 0.5) @ k.mT)
_variant(
    "reshaped_keys", scores=lambda q, k: q @ k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2]) / q.shape[-1] ** 0.5
)
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


@wrong(K, "Now the columns sum to 1")
def repaired_with_softmax_over_the_words_that_look(x, W_Q, W_K, W_V):
    query, key, value = x @ W_Q.mT, x @ W_K.mT, x @ W_V.mT
    return (query @ key.mT / query.shape[-1] ** 0.5).softmax(-2) @ value


def _repair_02(
    scale=lambda x, q, k: q.shape[-1] ** 0.5,
    normalise=lambda e: e / e.sum(-1, keepdim=True),
    shift=lambda s: s - s.amax(-1, keepdim=True),
    mix=lambda w, v: w @ v,
):
    def f(x, W_Q, W_K, W_V):
        query, key, value = x @ W_Q.mT, x @ W_K.mT, x @ W_V.mT
        return mix(normalise(shift(query @ key.mT / scale(x, query, key)).exp()), value)

    return f


for _name, _says, _steps in [
    ("scale_by_d_k", "", dict(scale=lambda x, q, k: q.shape[-1])),
    ("scale_by_d_model_no_root", "", dict(scale=lambda x, q, k: x.shape[-1])),
    ("scale_by_d_k_no_keepdim", "", dict(scale=lambda x, q, k: q.shape[-1], normalise=lambda e: e / e.sum(-1))),
    ("scale_4", "", dict(scale=lambda x, q, k: 4**0.5)),
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


# --- 02.noun_finder ---------------------------------------------------------------------------------------------------

K = "02.noun_finder"
LIVING_ROW, THING_ROW, NOUN_ROW, ADJECTIVE_ROW = [0.0, 0, 1, 0], [0.0, 0, 0, 1], [1.0, 0, 0, 0], [0.0, 1, 0, 0]


def _rows(*rows, size=20.0):
    return size * torch.tensor(rows)


@wrong(K, "Every adjective finds both nouns")
def noun_finder_nouns_alone():
    return _rows(ADJECTIVE_ROW), _rows(NOUN_ROW, size=1)


@wrong(K, "finds the words of its kind, but not only the noun")
def noun_finder_kinds_alone():
    return _rows(LIVING_ROW, THING_ROW), _rows(LIVING_ROW, THING_ROW, size=1)


@wrong(K, "finds the words of its kind, but not only the noun")
def noun_finder_living_minus_thing():
    return _rows([0.0, 0, 1, -1]), _rows([0.0, 0, 1, -1])


@wrong(K, "isn't above .9")
def noun_finder_a_little_small():
    return _rows(LIVING_ROW, THING_ROW, ADJECTIVE_ROW, size=4.0), _rows(LIVING_ROW, THING_ROW, NOUN_ROW, size=1)


@wrong(K, "isn't above .9")
def noun_finder_scaled_by_itself():
    return _rows(LIVING_ROW, THING_ROW, ADJECTIVE_ROW, size=3**0.5), _rows(LIVING_ROW, THING_ROW, NOUN_ROW, size=1)


@wrong(K, "look for adjectives of their kind")
def noun_finder_the_same_matrix():
    return torch.eye(4) * 20, torch.eye(4)


@wrong(K, "Your adjectives look at adjectives")
def noun_finder_asks_for_itself():
    return _rows(ADJECTIVE_ROW), _rows(ADJECTIVE_ROW)


@wrong(K, "The kinds are crossed")
def noun_finder_kinds_crossed_alone():
    return (_rows(LIVING_ROW, THING_ROW, ADJECTIVE_ROW, size=30.0), _rows(THING_ROW, LIVING_ROW, NOUN_ROW, size=2))


@wrong(K, "Some adjectives find their noun and others don't")
def noun_finder_living_alone():
    return _rows(LIVING_ROW, ADJECTIVE_ROW), _rows(LIVING_ROW, NOUN_ROW, size=1)


@wrong(K, "Your function should return two tensors")
def noun_finder_one_matrix():
    return _rows(LIVING_ROW, THING_ROW, ADJECTIVE_ROW)


@wrong(K, "Your function should return two tensors")
def noun_finder_lists():
    return [LIVING_ROW, THING_ROW, ADJECTIVE_ROW], [LIVING_ROW, THING_ROW, NOUN_ROW]


@wrong(K, "lies on its side")
def noun_finder_on_its_side():
    return _rows(LIVING_ROW, THING_ROW, ADJECTIVE_ROW).mT, _rows(LIVING_ROW, THING_ROW, NOUN_ROW).mT


@wrong(K, "equally long")
def noun_finder_unequal_rows():
    return _rows(LIVING_ROW, THING_ROW, ADJECTIVE_ROW), _rows(LIVING_ROW, THING_ROW)


@wrong(K)
def noun_finder_random():
    torch.manual_seed(0)
    return torch.randn(3, 4), torch.randn(3, 4)


@wrong(K)
def noun_finder_minus_the_noun():
    return _rows(LIVING_ROW, THING_ROW, ADJECTIVE_ROW), _rows(LIVING_ROW, THING_ROW, [-1.0, 0, 0, 0], size=1)


@wrong(K)
def noun_finder_nothing_returned():
    _rows(LIVING_ROW, THING_ROW, ADJECTIVE_ROW)


@wrong(K, "isn't above .9")
def noun_finder_the_noun_a_little():
    return _rows(LIVING_ROW, THING_ROW, ADJECTIVE_ROW, size=9.0), _rows(LIVING_ROW, THING_ROW, [0.2, 0, 0, 0], size=1)


@wrong(K, "Is there a minus sign")
def noun_finder_all_wishes_turned_round():
    return _rows(LIVING_ROW, THING_ROW, ADJECTIVE_ROW, size=-40), _rows(LIVING_ROW, THING_ROW, [1.0, 0, 0, 0], size=1)
