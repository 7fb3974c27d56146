"""Unlisted wrong answers to lesson 01, Why attention."""

import torch
import torch.nn.functional as F

from course_lib import attention
from unlisted_mistakes import wrong

# --- 01.soft_lookup -----------------------------------------------------------------------------------------------------

K = "01.soft_lookup"


def _look(
    name, scores=lambda d, w: -((d / w) ** 2), weights=lambda s: s.softmax(-1), mixed=lambda a, k, v: a @ v, says=""
):
    def answer(queries, keys, values, width):
        return mixed(weights(scores(queries[:, None] - keys, width)), keys, values)

    answer.__name__ = name
    wrong(K, says)(answer)


_look("lookup_width_doubled", scores=lambda d, w: -((d / (2 * w)) ** 2))
_look("lookup_width_rooted", scores=lambda d, w: -((d / w**0.5) ** 2))
_look("lookup_cubed", scores=lambda d, w: -((d / w).abs() ** 3))
_look("lookup_reciprocal", scores=lambda d, w: 1 / (1 + (d / w) ** 2))
_look("lookup_logarithm", scores=lambda d, w: -(1 + (d / w) ** 2).log())
_look("lookup_scaled_by_keys", scores=lambda d, w: -((d / w) ** 2) / d.shape[-1] ** 0.5)
_look("lookup_softmax_twice", weights=lambda s: s.softmax(-1).softmax(-1))
_look("lookup_log_softmax", weights=lambda s: s.log_softmax(-1))
_look("lookup_sigmoid", weights=lambda s: s.sigmoid())
_look("lookup_flat_softmax", weights=lambda s: s.flatten().softmax(0).view_as(s))
_look("lookup_best", mixed=lambda a, k, v: (a * v).amax(-1))
_look(
    "lookup_best_two",
    weights=lambda s: s.masked_fill(s < s.topk(min(2, s.shape[-1]), -1).values[:, -1:], float("-inf")).softmax(-1),
)
_look("lookup_column", mixed=lambda a, k, v: (a @ v)[:, None], says="shape")
_look("lookup_row_of_one", mixed=lambda a, k, v: (a @ v)[None], says="shape")
_look("lookup_adds_the_mean", mixed=lambda a, k, v: a @ v + v.mean())
_look("lookup_double", mixed=lambda a, k, v: (a @ v).double(), says="dtype")
_look("lookup_list", mixed=lambda a, k, v: (a @ v).tolist())
_look("lookup_detached", mixed=lambda a, k, v: (a @ v).detach(), says="gradient")
_look("lookup_weights_detached", mixed=lambda a, k, v: a.detach() @ v, says="gradient")
_look("lookup_rounded", mixed=lambda a, k, v: (a @ v).round(decimals=2))


_look(
    "lookup_no_minus_over_queries",
    scores=lambda d, w: (d / w) ** 2,
    weights=lambda s: s.softmax(0),
    says="And then: Your weights sum",
)


@wrong(K)
def lookup_first_query(queries, keys, values, width):
    return attention.softmax_over_keys(-(((queries[0] - keys) / width) ** 2)) @ values


@wrong(K)
def lookup_same_places(queries, keys, values, width):
    return (-(((queries - keys) / width) ** 2)).softmax(-1) @ values


@wrong(K, "None")
def lookup_nothing(queries, keys, values, width):
    (-(((queries[:, None] - keys) / width) ** 2)).softmax(-1) @ values


@wrong(K)
def lookup_in_place(queries, keys, values, width):
    keys /= width
    return (-((queries[:, None] / width - keys) ** 2)).softmax(-1) @ values


# --- 01.additive_scores ---------------------------------------------------------------------------------------------------

K2 = "01.additive_scores"


def _add(name, change, says=""):
    def answer(query, key, W_1, W_2, w_3):
        return change(query, key, W_1, W_2, w_3)

    answer.__name__ = name
    wrong(K2, says)(answer)


def _sum(q, k, W_1, W_2):
    return (q @ W_1.mT).unsqueeze(-2) + (k @ W_2.mT).unsqueeze(-3)


_add("scores_bahdanau_gelu", lambda q, k, A, B, w: F.gelu(_sum(q, k, A, B)) @ w)
_add("scores_softsign", lambda q, k, A, B, w: F.softsign(_sum(q, k, A, B)) @ w)
_add("scores_halved", lambda q, k, A, B, w: torch.tanh(_sum(q, k, A, B) / 2) @ w)
_add("scores_averaged_inside", lambda q, k, A, B, w: torch.tanh(_sum(q, k, A, B) / q.shape[-1] ** 0.5) @ w)
_add(
    "scores_only_query",
    lambda q, k, A, B, w: (torch.tanh(q @ A.mT) @ w).unsqueeze(-1).expand(*q.shape[:-1], k.shape[-2]),
)
_add(
    "scores_only_key", lambda q, k, A, B, w: (torch.tanh(k @ B.mT) @ w).unsqueeze(-2).expand(*q.shape[:-1], k.shape[-2])
)
_add("scores_keepdim", lambda q, k, A, B, w: torch.tanh(_sum(q, k, A, B)) @ w[:, None], "shape")
_add("scores_softmax_over_queries", lambda q, k, A, B, w: (torch.tanh(_sum(q, k, A, B)) @ w).softmax(-2))
_add("scores_tanh_twice", lambda q, k, A, B, w: torch.tanh(torch.tanh(_sum(q, k, A, B)) @ w))
_add("scores_normalised_w", lambda q, k, A, B, w: torch.tanh(_sum(q, k, A, B)) @ F.normalize(w, dim=0))
_add("scores_dot_of_tanh", lambda q, k, A, B, w: torch.tanh(q @ A.mT) @ (torch.tanh(k @ B.mT) * w).mT)
_add(
    "scores_product_without_tanh",
    lambda q, k, A, B, w: ((q @ A.mT).unsqueeze(-2) * (k @ B.mT).unsqueeze(-3)) @ w,
    "And then: The tanh is missing",
)
_add("scores_projected_dot", lambda q, k, A, B, w: (q @ A.mT) @ (k @ B.mT).mT)
_add("scores_squared", lambda q, k, A, B, w: _sum(q, k, A, B).square() @ w)
_add("scores_max", lambda q, k, A, B, w: (torch.tanh(_sum(q, k, A, B)) * w).amax(-1))
_add("scores_absolute", lambda q, k, A, B, w: torch.tanh(_sum(q, k, A, B)).abs() @ w)
_add("scores_negative", lambda q, k, A, B, w: -torch.tanh(_sum(q, k, A, B)) @ w)
_add("scores_transposed", lambda q, k, A, B, w: (torch.tanh(_sum(q, k, A, B)) @ w).mT)
_add("scores_detached", lambda q, k, A, B, w: torch.tanh(_sum(q, k, A, B)).detach() @ w, "gradient")
_add("scores_float", lambda q, k, A, B, w: torch.tanh(_sum(q, k, A, B).float()) @ w.float(), "")
_add("scores_pair", lambda q, k, A, B, w: (torch.tanh(_sum(q, k, A, B)) @ w, q))
_add(
    "scores_sums_texts",
    lambda q, k, A, B, w: torch.tanh(_sum(q, k, A, B).flatten(0, -4).sum(0) if q.dim() > 2 else _sum(q, k, A, B)) @ w,
)


@wrong(K2)
def scores_one_text(query, key, W_1, W_2, w_3):
    return torch.stack([torch.stack([w_3 @ torch.tanh(W_1 @ q + W_2 @ k) for k in key[0]]) for q in query[0]])


@wrong(K2)
def scores_one_batch_axis(query, key, W_1, W_2, w_3):
    return torch.tanh((query @ W_1.mT)[:, :, None] + (key @ W_2.mT)[:, None]) @ w_3


# --- 01.context_vector ----------------------------------------------------------------------------------------------------

K3 = "01.context_vector"


def _context(name, change, says=""):
    def answer(scores, annotations, lengths):
        words = torch.arange(scores.shape[-1]) < lengths[:, None]
        return change(scores, annotations, lengths, words)

    answer.__name__ = name
    wrong(K3, says)(answer)


def _weights(s, m):
    return s.masked_fill(~m, float("-inf")).softmax(-1).masked_fill(~m, 0.0)


def _mix(w, a):
    return (w[..., None] * a).sum(1)


def _both(w, a):
    return _mix(w, a), w


_context("context_small_negative", lambda s, a, n, m: _both(s.masked_fill(~m, -10.0).softmax(-1).masked_fill(~m, 0), a))
_context("context_halfway", lambda s, a, n, m: _both(s.masked_fill(~m, -1e4).softmax(-1), a))
_context(
    "context_renormalised_with_a_bit",
    lambda s, a, n, m: _both((s.softmax(-1) * m) / ((s.softmax(-1) * m).sum(-1, keepdim=True) + 1e-3), a),
)
_context(
    "context_renormalised_nan",
    lambda s, a, n, m: _both((s.softmax(-1) * m) / (s.softmax(-1) * m).sum(-1, keepdim=True), a),
)
_context(
    "context_renormalised_with_a_floor",
    lambda s, a, n, m: _both((s.softmax(-1) * m) / (s.softmax(-1) * m).sum(-1, keepdim=True).clamp(min=1e-9), a),
    "sum to 1",
)
_context(
    "context_fill_too_small", lambda s, a, n, m: _both(s.masked_fill(~m, -100.0).softmax(-1) * m, a), "took a part"
)
_context(
    "context_nothing_subtracted",
    lambda s, a, n, m: _both((s.exp() * m) / (s.exp() * m).sum(-1, keepdim=True).clamp(min=1e-12), a),
)
_context("context_scaled", lambda s, a, n, m: _both(_weights(s / a.shape[-1] ** 0.5, m), a))
_context("context_scaled_by_length", lambda s, a, n, m: _both(_weights(s, m) / n[:, None].clamp(min=1), a))
_context("context_from_the_end", lambda s, a, n, m: _both(_weights(s, m.flip(-1)), a))
_context("context_flat", lambda s, a, n, m: _both(_weights(s.flatten(), m.flatten()).view_as(s), a))
_context("context_exp", lambda s, a, n, m: _both(s.exp() * m, a))
_context("context_sigmoid", lambda s, a, n, m: _both(s.sigmoid() * m, a))
_context("context_scores_back", lambda s, a, n, m: (_mix(_weights(s, m), a), s))
_context("context_mask_back", lambda s, a, n, m: (_mix(_weights(s, m), a), m))
_context("context_summed_words", lambda s, a, n, m: (_weights(s, m)[..., None] * a, _weights(s, m)), "added up")
_context("context_wrong_axis", lambda s, a, n, m: ((_weights(s, m)[..., None] * a).sum(-1), _weights(s, m)))
_context("context_max", lambda s, a, n, m: ((_weights(s, m)[..., None] * a).amax(1), _weights(s, m)))
_context("context_last_annotation", lambda s, a, n, m: (a[torch.arange(len(a)), n - 1], _weights(s, m)))
_context("context_unmasked_mixture", lambda s, a, n, m: (_mix(s.softmax(-1), a), _weights(s, m)))
_context("context_unmasked_weights", lambda s, a, n, m: (_mix(_weights(s, m), a), s.softmax(-1)))
_context(
    "context_nan_context_only",
    lambda s, a, n, m: (_mix(s.masked_fill(~m, float("-inf")).softmax(-1), a), _weights(s, m)),
)
_context("context_cut", lambda s, a, n, m: _both(_weights(s, m)[:, : int(n.max())], a[:, : int(n.max())]))
_context("context_three", lambda s, a, n, m: (*_both(_weights(s, m), a), m))
_context("context_detached", lambda s, a, n, m: _both(_weights(s.detach(), m), a), "gradient")
_context("context_two_softmaxes", lambda s, a, n, m: _both(_weights(_weights(s, m), m), a))
_context("context_double", lambda s, a, n, m: tuple(x.double() for x in _both(_weights(s, m), a)), "dtype")


@wrong("01.context_vector", "torch.stack of a list for rows")
def context_filled_in_place(scores, annotations, lengths):
    weights, contexts = torch.zeros_like(scores), []
    for row, length in enumerate(lengths.tolist()):
        if length:
            weights[row, :length] = scores[row, :length].softmax(0)
        contexts.append(weights[row] @ annotations[row])
    return torch.stack(contexts), weights


@wrong(K3)
def context_in_place(scores, annotations, lengths):
    scores[torch.arange(scores.shape[-1]) >= lengths[:, None]] = float("-inf")
    weights = scores.softmax(-1).nan_to_num()
    return _both(weights, annotations)


@wrong(K3)
def context_empty_gets_one(scores, annotations, lengths):
    words = torch.arange(scores.shape[-1]) < lengths.clamp(min=1)[:, None]
    return _both(_weights(scores, words), annotations)


# --- 01.repaired ------------------------------------------------------------------------------------------------------------

K4 = "01.repaired"


def _step(name, query=lambda w, s, a: s, softmax=lambda x: x.softmax(-1), mix=_mix, parts=lambda w, s, c: (w, s, c), bend=torch.tanh, last=torch.tanh,
          turned=lambda W: W.mT, result=lambda s, w: (s, w), says=""):  # fmt: skip
    def answer(word, state, annotations, W_1, W_2, w_3, W):
        weights = softmax(bend((query(word, state, annotations) @ W_1.mT)[:, None] + annotations @ W_2.mT) @ w_3)
        return result(last(torch.cat(parts(word, state, mix(weights, annotations)), -1) @ turned(W)), weights)

    answer.__name__ = name
    wrong(K4, says)(answer)


_step("step_no_tanh_and_last_annotation", query=lambda w, s, a: a[:, -1], bend=lambda x: x, says="without the tanh")
_step("step_state_and_mean", query=lambda w, s, a: s + a.mean(1))
_step("step_sum_of_annotations", query=lambda w, s, a: a.sum(1))
_step("step_half_state", query=lambda w, s, a: s / 2)
_step("step_tanh_of_state", query=lambda w, s, a: s.tanh())
_step("step_first_text_asks", query=lambda w, s, a: s[:1].expand_as(s))
_step("step_softmax_both", softmax=lambda x: x.softmax(0) * x.softmax(-1))
_step("step_softmax_twice", softmax=lambda x: x.softmax(-1).softmax(-1))
_step("step_sigmoid", softmax=torch.sigmoid)
_step("step_hard", softmax=lambda x: F.one_hot(x.argmax(-1), x.shape[-1]).to(x.dtype))
_step("step_normalised", softmax=lambda x: x / x.sum(-1, keepdim=True))
_step("step_max", mix=lambda w, a: (w[..., None] * a).amax(1))
_step("step_plain_mean", mix=lambda w, a: a.mean(1))
_step("step_last_annotation_as_context", mix=lambda w, a: a[:, -1])
_step("step_no_word", parts=lambda w, s, c: (torch.zeros_like(w), s, c))
_step("step_context_twice", parts=lambda w, s, c: (w, s + c, c))
_step("step_no_tanh_inside", bend=lambda x: x)
_step("step_no_tanh_at_the_end", last=lambda x: x)
_step("step_sigmoid_at_the_end", last=torch.sigmoid)
_step("step_matrix_not_turned", turned=lambda W: W)
_step("step_swapped_results", result=lambda s, w: (w, s))
_step("step_state_only", result=lambda s, w: s)
_step("step_context_back", result=lambda s, w: (s, s))
_step("step_column_of_weights", result=lambda s, w: (s, w[..., None]), says="shape")
_step("step_scaled", softmax=lambda x: (x / 2).softmax(-1))
