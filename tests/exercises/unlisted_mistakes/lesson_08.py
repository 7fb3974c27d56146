"""Unlisted wrong answers to lesson 08, Encoder and decoder."""

import torch

from course_lib.attention import scaled_dot_product_attention as sdpa
from unlisted_mistakes import wrong

# --- 08.cross_attention -----------------------------------------------------------------------------------------------

K = "08.cross_attention"


def parts(x, memory, W_Q, W_K, W_V):
    return x @ W_Q.mT, memory @ W_K.mT, memory @ W_V.mT


@wrong(K)
def cross_source_reversed(x, memory, W_Q, W_K, W_V, mask):
    return sdpa(*parts(x, memory.flip(-2), W_Q, W_K, W_V), mask)


@wrong(K)
def cross_values_not_projected(x, memory, W_Q, W_K, W_V, mask):
    q, k, _ = parts(x, memory, W_Q, W_K, W_V)
    return sdpa(q, k, memory, mask)


@wrong(K)
def cross_keys_not_projected(x, memory, W_Q, W_K, W_V, mask):
    q, _, v = parts(x, memory, W_Q, W_K, W_V)
    return sdpa(q, memory[..., : q.shape[-1]], v, mask)


@wrong(K)
def cross_queries_not_projected(x, memory, W_Q, W_K, W_V, mask):
    _, k, v = parts(x, memory, W_Q, W_K, W_V)
    return sdpa(x[..., : k.shape[-1]], k, v, mask)


@wrong(K)
def cross_adds_x(x, memory, W_Q, W_K, W_V, mask):
    output, weights = sdpa(*parts(x, memory, W_Q, W_K, W_V), mask)
    return output + x.mean(), weights


@wrong(K)
def cross_hard(x, memory, W_Q, W_K, W_V, mask):
    q, k, v = parts(x, memory, W_Q, W_K, W_V)
    _, w = sdpa(q, k, v, mask)
    hard = torch.nn.functional.one_hot(w.argmax(-1), w.shape[-1]).to(w.dtype)
    return hard @ v, hard


@wrong(K)
def cross_weights_of_the_first_word(x, memory, W_Q, W_K, W_V, mask):
    output, weights = sdpa(*parts(x[..., :1, :].expand_as(x), memory, W_Q, W_K, W_V), mask)
    return output, weights


@wrong(K)
def cross_shifted_mask(x, memory, W_Q, W_K, W_V, mask):
    return sdpa(*parts(x, memory, W_Q, W_K, W_V), mask.roll(1, -1))


@wrong(K)
def cross_scale_of_d_model(x, memory, W_Q, W_K, W_V, mask):
    return sdpa(*parts(x, memory, W_Q, W_K, W_V), mask, scale=(2 * x.shape[-1]) ** -0.5)


@wrong(K)
def cross_scaled_twice(x, memory, W_Q, W_K, W_V, mask):
    q, k, v = parts(x, memory, W_Q, W_K, W_V)
    return sdpa(q / q.shape[-1] ** 0.5, k / k.shape[-1] ** 0.5, v, mask)


@wrong(K)
def cross_negative_scores(x, memory, W_Q, W_K, W_V, mask):
    q, k, v = parts(x, memory, W_Q, W_K, W_V)
    return sdpa(-q, k, v, mask)


@wrong(K)
def cross_mean_of_memory(x, memory, W_Q, W_K, W_V, mask):
    _, k, v = parts(x, memory, W_Q, W_K, W_V)
    weights = mask.to(x.dtype).expand(*x.shape[:-1], memory.shape[-2])
    weights = weights / weights.sum(-1, keepdim=True)
    return weights @ v, weights


@wrong(K)
def cross_zero_for_minus_infinity(x, memory, W_Q, W_K, W_V, mask):
    q, k, v = parts(x, memory, W_Q, W_K, W_V)
    w = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(~mask, 0.0).softmax(-1)
    return w @ v, w


@wrong(K)
def cross_sigmoid(x, memory, W_Q, W_K, W_V, mask):
    q, k, v = parts(x, memory, W_Q, W_K, W_V)
    w = (q @ k.mT / q.shape[-1] ** 0.5).sigmoid() * mask
    w = w / w.sum(-1, keepdim=True)
    return w @ v, w


@wrong(K)
def cross_weights_turned(x, memory, W_Q, W_K, W_V, mask):
    output, weights = sdpa(*parts(x, memory, W_Q, W_K, W_V), mask)
    return output, weights.mT


# --- 08.decoder_layer -------------------------------------------------------------------------------------------------

D = "08.decoder_layer"


def tri(n):
    return torch.ones(n, n, dtype=torch.bool).tril()


def layer(y, memory, a, c, f, n1, n2, n3, m, own=None, crossed=None, out=None):
    y = n1(y + (own or (lambda y: a(y, y, tri(y.shape[-2]))))(y))
    y = n2(y + (crossed or (lambda y: c(y, memory, m)))(y))
    return (out or (lambda y: n3(y + f(y))))(y)


@wrong(D)
def decoder_halved(y, memory, a, c, f, n1, n2, n3, m):
    return layer(y, memory, a, c, f, n1, n2, n3, m) / 2


@wrong(D)
def decoder_reads_twice(y, memory, a, c, f, n1, n2, n3, m):
    return layer(y, memory, a, c, f, n1, n2, n3, m, crossed=lambda y: 2 * c(y, memory, m))


@wrong(D)
def decoder_thinks_twice(y, memory, a, c, f, n1, n2, n3, m):
    return layer(y, memory, a, c, f, n1, n2, n3, m, out=lambda y: n3(y + f(y) + f(y)))


@wrong(D)
def decoder_norms_twice(y, memory, a, c, f, n1, n2, n3, m):
    return layer(y, memory, a, c, f, n1, n2, n3, m, out=lambda y: n3(n3(y + f(y))))


@wrong(D)
def decoder_without_first_norm(y, memory, a, c, f, n1, n2, n3, m):
    return layer(y, memory, a, c, f, lambda x: x, n2, n3, m)


@wrong(D)
def decoder_without_second_norm(y, memory, a, c, f, n1, n2, n3, m):
    return layer(y, memory, a, c, f, n1, lambda x: x, n3, m)


@wrong(D)
def decoder_subtracts(y, memory, a, c, f, n1, n2, n3, m):
    return layer(y, memory, a, c, f, n1, n2, n3, m, out=lambda y: n3(y - f(y)))


@wrong(D)
def decoder_last_source_word_only(y, memory, a, c, f, n1, n2, n3, m):
    return layer(y, memory, a, c, f, n1, n2, n3, m, crossed=lambda y: c(y, memory[..., -1:, :], None))


@wrong(D)
def decoder_first_source_word_only(y, memory, a, c, f, n1, n2, n3, m):
    return layer(y, memory, a, c, f, n1, n2, n3, m, crossed=lambda y: c(y, memory[..., :1, :], None))


@wrong(D)
def decoder_only_itself(y, memory, a, c, f, n1, n2, n3, m):
    return layer(y, memory, a, c, f, n1, n2, n3, m, own=lambda y: a(y, y, torch.eye(y.shape[-2], dtype=torch.bool)))


@wrong(D)
def decoder_only_the_last_two(y, memory, a, c, f, n1, n2, n3, m):
    return layer(
        y, memory, a, c, f, n1, n2, n3, m, own=lambda y: a(y, y, tri(y.shape[-2]) & ~tri(y.shape[-2]).tril(-2))
    )


@wrong(D)
def decoder_average_of_memory(y, memory, a, c, f, n1, n2, n3, m):
    return layer(y, memory, a, c, f, n1, n2, n3, m, crossed=lambda y: memory.mean(-2, keepdim=True).expand_as(y))


@wrong(D)
def decoder_side_by_side(y, memory, a, c, f, n1, n2, n3, m):
    return n3(y + a(y, y, tri(y.shape[-2])) + c(y, memory, m) + f(y))


@wrong(D)
def decoder_returns_memory_norm(y, memory, a, c, f, n1, n2, n3, m):
    return layer(y, n2(memory), a, c, f, n1, n2, n3, m)


@wrong(D)
def decoder_norms_turned(y, memory, a, c, f, n1, n2, n3, m):
    return layer(y, memory, a, c, f, n3, n1, n2, m)


@wrong(D)
def decoder_pre_norm_last(y, memory, a, c, f, n1, n2, n3, m):
    return layer(y, memory, a, c, f, n1, n2, n3, m, out=lambda y: y + f(n3(y)))


# --- 08.shift ---------------------------------------------------------------------------------------------------------

S = "08.shift"


def col(ids, value):
    return torch.full_like(ids[:, :1], value)


def fed(ids, start):
    return torch.cat([col(ids, start), ids], 1)


def asked(ids, end, pad):
    return torch.cat([ids, col(ids, pad)], 1).scatter(1, (ids != pad).sum(1)[:, None], end)


@wrong(S)
def shift_only_inputs(ids, start, end, pad):
    return fed(ids, start)


@wrong(S)
def shift_lists(ids, start, end, pad):
    return fed(ids, start).tolist(), asked(ids, end, pad).tolist()


@wrong(S)
def shift_reversed_words(ids, start, end, pad):
    return fed(ids.flip(1), start), asked(ids, end, pad)


@wrong(S)
def shift_rolls(ids, start, end, pad):
    both = asked(ids, end, pad)
    return both.roll(1, 1), both


@wrong(S)
def shift_start_is_zero(ids, start, end, pad):
    return fed(ids, 0) if start else fed(ids, 5), asked(ids, end, pad)


@wrong(S)
def shift_end_is_two(ids, start, end, pad):
    return fed(ids, start), asked(ids, 3, pad)


@wrong(S)
def shift_padding_in_front(ids, start, end, pad):
    return fed(ids, start).flip(1), asked(ids, end, pad)


@wrong(S)
def shift_targets_of_the_next_text(ids, start, end, pad):
    return fed(ids, start), asked(ids + (ids != pad), end, pad)


@wrong(S)
def shift_ignores_padding_inside(ids, start, end, pad):
    return fed(ids, start).masked_fill(fed(ids, start) == pad, end), asked(ids, end, pad)


@wrong(S)
def shift_targets_masked(ids, start, end, pad):
    targets = asked(ids, end, pad)
    return fed(ids, start), targets.masked_fill(targets == pad, -100)


@wrong(S)
def shift_transposed(ids, start, end, pad):
    return fed(ids, start).T, asked(ids, end, pad).T


@wrong(S)
def shift_first_text_only(ids, start, end, pad):
    return fed(ids[:1], start), asked(ids[:1], end, pad)


@wrong(S)
def shift_one_too_long(ids, start, end, pad):
    return torch.cat([fed(ids, start), col(ids, pad)], 1), torch.cat([asked(ids, end, pad), col(ids, pad)], 1)


@wrong(S)
def shift_start_everywhere(ids, start, end, pad):
    return torch.full_like(fed(ids, start), start), asked(ids, end, pad)


@wrong(S)
def shift_both_marks_in_the_targets(ids, start, end, pad):
    return fed(ids, start), torch.cat([col(ids, start), asked(ids, end, pad)[:, :-1]], 1)


# --- 08.tied ----------------------------------------------------------------------------------------------------------

T = "08.tied"


@wrong(T)
def tied_scaled_states(table, step, ids, states):
    new = table + step
    return new[ids] * new.shape[1] ** 0.5, states / states.norm(dim=-1, keepdim=True) @ new.mT


@wrong(T)
def tied_normalised_rows(table, step, ids, states):
    new = torch.nn.functional.normalize(table + step, dim=-1)
    return new[ids] * new.shape[1] ** 0.5, states @ new.mT


@wrong(T)
def tied_root_of_words(table, step, ids, states):
    new = table + step
    return new[ids] * (3 * ids.shape[-1] + 1) ** 0.5, states @ new.mT


@wrong(T)
def tied_next_words(table, step, ids, states):
    new = table + step
    return new[(ids + 1) % len(new)] * new.shape[1] ** 0.5, states @ new.mT


@wrong(T)
def tied_half_a_step(table, step, ids, states):
    new = table + step / 2 + 0.01
    return new[ids] * new.shape[1] ** 0.5, states @ new.mT


@wrong(T)
def tied_mean_of_both(table, step, ids, states):
    new = table + step
    return new[ids] * new.shape[1] ** 0.5, states @ (new + table + 0.01).mT / 2


@wrong(T)
def tied_logs(table, step, ids, states):
    new = table + step
    return new[ids] * new.shape[1] ** 0.5, (states @ new.mT).log_softmax(-1)


@wrong(T)
def tied_squared_root(table, step, ids, states):
    new = table + step
    return new[ids] * new.shape[1] ** 0.25, states @ new.mT


@wrong(T)
def tied_reversed_table(table, step, ids, states):
    new = table + step
    return new[ids] * new.shape[1] ** 0.5, states @ new.flip(0).mT


@wrong(T)
def tied_absolute(table, step, ids, states):
    new = table + step
    return new[ids].abs() * new.shape[1] ** 0.5, states @ new.mT


@wrong(T)
def tied_only_vectors(table, step, ids, states):
    return (table + step)[ids] * table.shape[1] ** 0.5


@wrong(T)
def tied_only_logits(table, step, ids, states):
    return states @ (table + step).mT


@wrong(T)
def tied_adds_one(table, step, ids, states):
    new = table + step
    return new[ids] * (new.shape[1] + 1) ** 0.5, states @ new.mT


@wrong(T)
def tied_logits_of_the_vectors(table, step, ids, states):
    new = table + step
    vectors = new[ids] * new.shape[1] ** 0.5
    return vectors, vectors @ new.mT


@wrong(T)
def tied_first_word(table, step, ids, states):
    new = table + step
    return new[torch.zeros_like(ids)] * new.shape[1] ** 0.5, states @ new.mT
