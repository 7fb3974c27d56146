"""Unlisted wrong answers to lesson 16, cost and variants."""

import math

import torch
import torch.nn.functional as F_

from unlisted_mistakes import wrong

# --- 16.sparse_mask ---------------------------------------------------------------------------------------------------

K = "16.sparse_mask"


def whole_mask(n, window, num_global, chosen):
    place = torch.arange(n)
    mask = (place[:, None] - place).abs() <= window
    mask[:num_global] = True
    mask[:, :num_global] = True
    return mask.scatter(1, chosen, True)


@wrong(K, "counts from the end")
def mask_slices_that_begin_below_zero(n, window, num_global, chosen):
    mask = torch.zeros(n, n, dtype=torch.bool)
    for i in range(n):
        mask[i, i - window : i + window + 1] = True
        mask[i, chosen[i]] = True
    mask[:num_global] = True
    mask[:, :num_global] = True
    return mask


@wrong(K, "at both ends of the text")
def mask_loop_leaves_out_the_ends(n, window, num_global, chosen):
    mask = torch.zeros(n, n, dtype=torch.bool)
    for i in range(window, n - window):
        mask[i, i - window : i + window + 1] = True
    for i in range(n):
        mask[i, chosen[i]] = True
    mask[:num_global] = True
    mask[:, :num_global] = True
    return mask


@wrong(K, "Up to i + window + 1")
def mask_range_without_the_last(n, window, num_global, chosen):
    mask = torch.zeros(n, n, dtype=torch.bool)
    for i in range(n):
        for j in range(max(0, i - window), min(n, i + window)):
            mask[i, j] = True
        mask[i, chosen[i]] = True
    mask[:num_global] = True
    mask[:, :num_global] = True
    return mask


@wrong(K, "doesn't see word 2")
def mask_range_stops_before_the_last_word(n, window, num_global, chosen):
    mask = torch.zeros(n, n, dtype=torch.bool)
    for i in range(n):
        for j in range(max(0, i - window), min(n - 1, i + window) + 0):
            mask[i, j] = True
        mask[i, chosen[i]] = True
    mask[:num_global] = mask[:, :num_global] = True
    return mask


@wrong(K, "Two things at once")
def mask_global_as_queries_and_chosen_for_all(n, window, num_global, chosen):
    place = torch.arange(n)
    mask = (place[:, None] - place).abs() <= window
    mask[:num_global] = True
    mask[:, chosen] = True
    return mask


@wrong(K, "are they drawn anew?")
def mask_drawn_anew(n, window, num_global, chosen):
    place = torch.arange(n)
    mask = (place[:, None] - place).abs() <= window
    mask[:num_global] = mask[:, :num_global] = True
    g = torch.Generator().manual_seed(0)
    return mask.scatter(1, torch.randint(n, chosen.shape, generator=g), True)


@wrong(K, "two different answers")
def mask_drawn_anew_each_time(n, window, num_global, chosen):
    place = torch.arange(n)
    mask = (place[:, None] - place).abs() <= window
    mask[:num_global] = mask[:, :num_global] = True
    return mask.scatter(1, torch.randint(n, chosen.shape), True)


@wrong(K, "dim=1")
def mask_scattered_along_the_other_axis(n, window, num_global, chosen):
    place = torch.arange(n)
    mask = (place[:, None] - place).abs() <= window
    mask[:num_global] = mask[:, :num_global] = True
    return mask.scatter(0, chosen, True)


@wrong(K, "turned round")
def mask_chosen_rows_by_place(n, window, num_global, chosen):
    place = torch.arange(n)
    mask = (place[:, None] - place).abs() <= window
    mask[:num_global] = mask[:, :num_global] = True
    for i in range(n):
        for j in chosen[i]:
            mask[j, i] = True
    return mask


@wrong(K, "Go over all n rows")
def mask_only_r_queries_get_keys(n, window, num_global, chosen):
    place = torch.arange(n)
    mask = (place[:, None] - place).abs() <= window
    mask[:num_global] = mask[:, :num_global] = True
    for i in range(chosen.shape[1]):
        mask[i, chosen[i]] = True
    return mask


@wrong(K, "The first two tokens are global")
def mask_global_fixed_at_two(n, window, num_global, chosen):
    return whole_mask(n, window, 2, chosen)


@wrong(K, "Your window is 2")
def mask_window_fixed_at_two(n, window, num_global, chosen):
    return whole_mask(n, 2, num_global, chosen)


@wrong(K, "Two things")
def mask_causal_window(n, window, num_global, chosen):
    place = torch.arange(n)
    mask = (place[:, None] >= place) & (place[:, None] - place <= window)
    mask[:, :num_global] = True
    return mask.scatter(1, chosen, True)


@wrong(K, "exactly one rule")
def mask_sum_of_three(n, window, num_global, chosen):
    place = torch.arange(n)
    near = ((place[:, None] - place).abs() <= window).int()
    glob = ((place[:, None] < num_global) | (place < num_global)).int()
    drawn = torch.zeros(n, n, dtype=torch.int).scatter(1, chosen, 1)
    return near + glob + drawn == 1


@wrong(K, "expected bool")
def mask_float_sum(n, window, num_global, chosen):
    place = torch.arange(n)
    near = ((place[:, None] - place).abs() <= window).float()
    glob = ((place[:, None] < num_global) | (place < num_global)).float()
    drawn = torch.zeros(n, n).scatter(1, chosen, 1)
    return near + glob + drawn


@wrong(K, "The sign")
def mask_signed_distance(n, window, num_global, chosen):
    place = torch.arange(n)
    mask = place[:, None] - place <= window
    mask[:num_global] = mask[:, :num_global] = True
    return mask.scatter(1, chosen, True)


@wrong(K, "whole columns")
def mask_global_closes_nothing_but_the_first_column(n, window, num_global, chosen):
    mask = whole_mask(n, window, 0, chosen)
    mask[:num_global] = True
    mask[:, 0] = True
    return mask


@wrong(K, "whole columns")
def mask_global_overwrites(n, window, num_global, chosen):
    mask = whole_mask(n, window, 0, chosen)
    place = torch.arange(n)
    for i in range(num_global):
        mask[i] = place >= 0
        mask[:, i] = place == i
    return mask


@wrong(K, "others than those in chosen")
def mask_chosen_from_the_global(n, window, num_global, chosen):
    place = torch.arange(n)
    mask = (place[:, None] - place).abs() <= window
    mask[:num_global] = mask[:, :num_global] = True
    return mask.scatter(1, (chosen + num_global).clamp(max=n - 1), True)


@wrong(K, "returns None")
def mask_returns_nothing(n, window, num_global, chosen):
    mask = whole_mask(n, window, num_global, chosen)
    mask.bool()


@wrong(K, "Your blocks are whole")
def mask_window_of_blocks(n, window, num_global, chosen):
    block = torch.arange(n) // max(window, 1)
    mask = (block[:, None] - block).abs() <= 1
    mask[:num_global] = mask[:, :num_global] = True
    return mask.scatter(1, chosen, True)


@wrong(K, "though chosen[")
def mask_flattened_put(n, window, num_global, chosen):
    mask = whole_mask(n, window, num_global, chosen[:, :0])
    mask.view(-1)[chosen.flatten()] = True
    return mask


@wrong(K, "is one row alone")
def mask_global_or_instead_of_row(n, window, num_global, chosen):
    mask = whole_mask(n, window, 0, chosen)
    mask[num_global] = True
    mask[:, num_global] = True
    return mask


# --- 16.linformer_attention -------------------------------------------------------------------------------------------

K = "16.linformer_attention"


def soft(query, key):
    return (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1)


@wrong(K, "divided by √")
def linformer_scaled_values(query, key, value, E, F):
    w = soft(query, E @ key)
    return w @ (F @ value) / query.shape[-1] ** 0.5, w


@wrong(K, "have changed places")
def linformer_key_and_value_swapped(query, key, value, E, F):
    w = soft(query, F @ value)
    return w @ (E @ key), w


@wrong(K, "mixes both with E")
def linformer_same_words_for_values(query, key, value, E, F):
    w = soft(query, E @ key)
    return w @ (E @ value), w


@wrong(K, "don't sum to 1")
def linformer_hidden_below(query, key, value, E, F):
    w = soft(query, E @ key).tril()
    return w @ (F @ value), w


@wrong(K, "You average neighbours")
def linformer_pooled(query, key, value, E, F):
    short = E.shape[0]
    k = F_.adaptive_avg_pool1d(key.reshape(-1, *key.shape[-2:]).mT, short).mT.reshape(*key.shape[:-2], short, -1)
    v = F_.adaptive_avg_pool1d(value.reshape(-1, *value.shape[-2:]).mT, short).mT.reshape(*key.shape[:-2], short, -1)
    w = soft(query, k)
    return w @ v, w


@wrong(K, "You shorten the *output*")
def linformer_projected_output(query, key, value, E, F):
    w = soft(query, key)
    return F @ (w @ value), w


@wrong(K, ".mT")
def linformer_for_one_text(query, key, value, E, F):
    w = (query @ (E @ key).T / query.shape[-1] ** 0.5).softmax(-1)
    return w @ (F @ value), w


@wrong(K, "The last two axes of the weights")
def linformer_einsum_wrong_way(query, key, value, E, F):
    k = torch.einsum("kn,...nd->...kd", E, key)
    v = torch.einsum("kn,...nd->...kd", F, value)
    w = (torch.einsum("...id,...kd->...ki", query, k) / query.shape[-1] ** 0.5).softmax(-1)
    return torch.einsum("...ki,...kd->...id", w, v), w


@wrong(K, "The output is right")
def linformer_double_shortened(query, key, value, E, F):
    w = soft(query, E @ key)
    return (w @ F) @ value, w @ F


@wrong(K, "gradient")
def linformer_detached(query, key, value, E, F):
    w = soft(query, (E @ key).detach())
    return w @ (F @ value), w


@wrong(K, "root of the number of keys")
def linformer_scale_of_short_and_d(query, key, value, E, F):
    w = (query @ (E @ key).mT / (query.shape[-1] * E.shape[0]) ** 0.5).softmax(-1)
    return w @ (F @ value), w


@wrong(K, "by their sums")
def linformer_renormalised_rows(query, key, value, E, F):
    E, F = E / E.sum(-1, keepdim=True), F / F.sum(-1, keepdim=True)
    w = soft(query, E @ key)
    return w @ (F @ value), w


@wrong(K)
def linformer_relu_of_e(query, key, value, E, F):
    w = soft(query, E.relu() @ key)
    return w @ (F.relu() @ value), w


@wrong(K, "weights @ (F @ value)")
def linformer_matmul_of_raw_values(query, key, value, E, F):
    w = soft(query, E @ key)
    return w @ value[..., : E.shape[0], :], w


@wrong(K, "Every word asks")
def linformer_e_for_queries_only(query, key, value, E, F):
    w = soft(E @ query, key)
    return w @ value, w


@wrong(K, "with `query` added")
def linformer_residual(query, key, value, E, F):
    w = soft(query, E @ key)
    return query + w @ (F @ value), w


@wrong(K, "transposed")
def linformer_transposed_weights_returned(query, key, value, E, F):
    w = soft(query, E @ key)
    return w @ (F @ value), w.mT


@wrong(K, "axis query is missing")
def linformer_mean_over_heads(query, key, value, E, F):
    w = soft(query, E @ key)
    return w @ (F @ value), w.mean(0)


@wrong(K, "weights @ (F @ value)")
def linformer_softmax_last_of_values(query, key, value, E, F):
    s = query @ (E @ key).mT / query.shape[-1] ** 0.5
    return (s @ (F @ value)).softmax(-1), s.softmax(-1)


@wrong(K, "You divide by 8")
def linformer_scale_64(query, key, value, E, F):
    w = (query @ (E @ key).mT / 8).softmax(-1)
    return w @ (F @ value), w


@wrong(K, "3 results")
def linformer_three_results(query, key, value, E, F):
    w = soft(query, E @ key)
    return w @ (F @ value), w, E @ key


@wrong(K)
def linformer_flat_batch(query, key, value, E, F):
    k = torch.matmul(E, key.reshape(key.shape[-2], -1)).reshape(*key.shape[:-2], E.shape[0], key.shape[-1])
    v = torch.matmul(F, value.reshape(value.shape[-2], -1)).reshape(*key.shape[:-2], E.shape[0], key.shape[-1])
    w = soft(query, k)
    return w @ v, w


# --- 16.compressed_attention ------------------------------------------------------------------------------------------

K = "16.compressed_attention"


def padded(x, stride):
    return F_.pad(x, (0, 0, 0, -x.shape[-2] % stride))


def shortened(x, W):
    return torch.einsum("...msd,sed->...me", padded(x, len(W)).unflatten(-2, (-1, len(W))), W)


@wrong(K, "W[s] @ x")
def compressed_kernel_without_positions(query, key, value, W_key, W_value):
    s = len(W_key)
    k = sum(padded(key, s)[..., i::s, :] @ W_key[i] for i in range(s))
    v = sum(padded(value, s)[..., i::s, :] @ W_value[i] for i in range(s))
    w = soft(query, k)
    return w @ v, w


@wrong(K, "Neighbours form a group")
def compressed_contiguous_pieces(query, key, value, W_key, W_value):
    s = len(W_key)
    k = sum(chunk @ W_key[i].mT for i, chunk in enumerate(padded(key, s).chunk(s, -2)))
    v = sum(chunk @ W_value[i].mT for i, chunk in enumerate(padded(value, s).chunk(s, -2)))
    w = soft(query, k)
    return w @ v, w


@wrong(K, "are 3 groups")
def compressed_drops_the_rest_in_the_loop(query, key, value, W_key, W_value):
    s, n = len(W_key), key.shape[-2]

    def shorten(x, W):
        rows = [sum(x[..., m + i, :] @ W[i].mT for i in range(s)) for m in range(0, n - s + 1, s)]
        return torch.stack(rows, -2)

    w = soft(query, shorten(key, W_key))
    return w @ shorten(value, W_value), w


@wrong(K, "m · stride")
def compressed_slides_by_one(query, key, value, W_key, W_value):
    s, n = len(W_key), key.shape[-2]

    def shorten(x, W):
        x = padded(x, s)
        return torch.stack([sum(x[..., m + i, :] @ W[i].mT for i in range(s)) for m in range(-(-n // s))], -2)

    w = soft(query, shorten(key, W_key))
    return w @ shorten(value, W_value), w


@wrong(K, "padding on both sides")
def compressed_conv_with_padding_both_sides(query, key, value, W_key, W_value):
    s = len(W_key)

    def shorten(x, W):
        flat = x.reshape(-1, *x.shape[-2:]).mT
        y = F_.conv1d(flat, W.permute(1, 2, 0), stride=s, padding=s // 2).mT
        return y.reshape(*x.shape[:-2], -1, x.shape[-1])

    w = soft(query, shorten(key, W_key))
    return w @ shorten(value, W_value), w


@wrong(K, "are 3 groups")
def compressed_conv_without_rest(query, key, value, W_key, W_value):
    s = len(W_key)

    def shorten(x, W):
        flat = x.reshape(-1, *x.shape[-2:]).mT
        y = F_.conv1d(flat, W.permute(1, 2, 0), stride=s).mT
        return y.reshape(*x.shape[:-2], -1, x.shape[-1])

    w = soft(query, shorten(key, W_key))
    return w @ shorten(value, W_value), w


@wrong(K, "W[s] @ x")
def compressed_conv_axes_mixed(query, key, value, W_key, W_value):
    s = len(W_key)

    def shorten(x, W):
        x = padded(x, s)
        flat = x.reshape(-1, *x.shape[-2:]).mT
        y = F_.conv1d(flat, W.permute(2, 1, 0), stride=s).mT
        return y.reshape(*x.shape[:-2], -1, x.shape[-1])

    w = soft(query, shorten(key, W_key))
    return w @ shorten(value, W_value), w


@wrong(K, "There is a ReLU")
def compressed_relu(query, key, value, W_key, W_value):
    w = soft(query, shortened(key, W_key).relu())
    return w @ shortened(value, W_value).relu(), w


@wrong(K, "wrong shape")
def compressed_values_repeated(query, key, value, W_key, W_value):
    s, n = len(W_key), key.shape[-2]
    w = soft(query, shortened(key, W_key)).repeat_interleave(s, -1)[..., :n]
    return w @ value, w


@wrong(K, "Every word asks")
def compressed_outputs_of_groups(query, key, value, W_key, W_value):
    w = soft(shortened(query, W_key), shortened(key, W_key))
    return w @ shortened(value, W_value), w


@wrong(K, "left over stay as they are")
def compressed_rest_by_itself(query, key, value, W_key, W_value):
    s, n = len(W_key), key.shape[-2]
    rest = n % s

    def shorten(x, W):
        whole = (
            x[..., : n - rest, :].unflatten(-2, (-1, s)) if n >= s else x.new_zeros(*x.shape[:-2], 0, s, x.shape[-1])
        )
        y = torch.einsum("...msd,sed->...me", whole, W)
        return torch.cat([y, x[..., n - rest :, :]], -2)

    w = soft(query, shorten(key, W_key))
    return w @ shorten(value, W_value), w


@wrong(K, "*in front of*")
def compressed_last_kernel_for_the_rest(query, key, value, W_key, W_value):
    s, n = len(W_key), key.shape[-2]
    missing = -n % s

    def shorten(x, W):
        x = torch.cat(
            [x[..., : n - n % s, :], x.new_zeros(*x.shape[:-2], missing, x.shape[-1]), x[..., n - n % s :, :]], -2
        )
        return torch.einsum("...msd,sed->...me", x.unflatten(-2, (-1, s)), W)

    w = soft(query, shorten(key, W_key))
    return w @ shorten(value, W_value), w


@wrong(K, "right but the last")
def compressed_ones_for_zeros(query, key, value, W_key, W_value):
    s = len(W_key)

    def shorten(x, W):
        x = F_.pad(x, (0, 0, 0, -x.shape[-2] % s), value=1.0)
        return torch.einsum("...msd,sed->...me", x.unflatten(-2, (-1, s)), W)

    w = soft(query, shorten(key, W_key))
    return w @ shorten(value, W_value), w


@wrong(K, "in groups of 4")
def compressed_stride_three(query, key, value, W_key, W_value):
    def shorten(x, W):
        x = F_.pad(x, (0, 0, 0, -x.shape[-2] % 3))
        return torch.einsum("...msd,sed->...me", x.unflatten(-2, (-1, 3)), W[:3])

    w = soft(query, shorten(key, W_key))
    return w @ shorten(value, W_value), w


@wrong(K, "Later keys are hidden")
def compressed_scores_hidden_future(query, key, value, W_key, W_value):
    k = shortened(key, W_key)
    s = query @ k.mT / query.shape[-1] ** 0.5
    s = s.masked_fill(torch.ones_like(s, dtype=torch.bool).triu(1), float("-inf"))
    w = s.softmax(-1)
    return w @ shortened(value, W_value), w


@wrong(K, "The size of your scores")
def compressed_scale_stride(query, key, value, W_key, W_value):
    w = (query @ shortened(key, W_key).mT / (len(W_key) * query.shape[-1]) ** 0.5).softmax(-1)
    return w @ shortened(value, W_value), w


@wrong(K, "You divide by stride")
def compressed_divided_by_words_in_group(query, key, value, W_key, W_value):
    w = soft(query, shortened(key, W_key) / len(W_key))
    return w @ shortened(value, W_value) / len(W_key), w


@wrong(K, "The last word never comes in")
def compressed_last_word_forgotten(query, key, value, W_key, W_value):
    s, n = len(W_key), key.shape[-2]

    def shorten(x, W):
        rows = []
        for m in range(0, n, s):
            y = torch.zeros_like(x[..., 0, :])
            for i in range(s):
                if m + i < n - 1:
                    y = y + x[..., m + i, :] @ W[i].mT
            rows.append(y)
        return torch.stack(rows, -2)

    w = soft(query, shorten(key, W_key))
    return w @ shorten(value, W_value), w


@wrong(K, "the last word alone")
def compressed_overwrites_in_the_loop(query, key, value, W_key, W_value):
    s, n = len(W_key), key.shape[-2]

    def shorten(x, W):
        x = padded(x, s)
        rows = []
        for m in range(0, n, s):
            for i in range(s):
                y = x[..., m + i, :] @ W[i].mT
            rows.append(y)
        return torch.stack(rows, -2)

    w = soft(query, shorten(key, W_key))
    return w @ shorten(value, W_value), w


@wrong(K)
def compressed_elementwise_kernel(query, key, value, W_key, W_value):
    s = len(W_key)

    def shorten(x, W):
        g = padded(x, s).unflatten(-2, (-1, s))
        return (g * W.diagonal(dim1=-2, dim2=-1)).sum(-2)

    w = soft(query, shorten(key, W_key))
    return w @ shorten(value, W_value), w


# --- 16.top_k_gate ----------------------------------------------------------------------------------------------------

K = "16.top_k_gate"


@wrong(K, "then cut")
def gate_loop_over_columns(logits, k):
    out = torch.zeros_like(logits)
    for t in range(len(logits)):
        best = logits[t].topk(k).indices
        out[t, best] = logits[t].softmax(-1)[best]
    return out


@wrong(K, "One expert too few")
def gate_threshold_above(logits, k):
    threshold = logits.topk(k, -1).values[:, -1:]
    return logits.masked_fill(logits <= threshold, float("-inf")).softmax(-1)


@wrong(K, "one for the whole batch")
def gate_threshold_lost_its_axis(logits, k):
    threshold = logits.topk(k, -1).values.min()
    return logits.masked_fill(logits < threshold, float("-inf")).softmax(-1)


@wrong(K, "aren't exactly 0")
def gate_large_negative(logits, k):
    which = logits.topk(k, -1).indices
    closed = torch.full_like(logits, -10.0).scatter(-1, which, logits.gather(-1, which))
    return closed.softmax(-1)


@wrong(K, "keepdim=True")
def gate_sum_without_keepdim(logits, k):
    which = logits.topk(k, -1).indices
    kept = logits.softmax(-1) * torch.zeros_like(logits).scatter(-1, which, 1.0)
    return kept / kept.sum()


@wrong(K, "e⁰")
def gate_zero_then_softmax(logits, k):
    largest, which = logits.topk(k, -1)
    return torch.zeros_like(logits).scatter(-1, which, largest).softmax(-1)


@wrong(K, "over the tokens")
def gate_softmax_first_dim_of_topk(logits, k):
    largest, which = logits.topk(k, -1)
    return torch.zeros_like(logits).scatter(-1, which, largest.softmax(0))


@wrong(K, "each expert picks its tokens")
def gate_topk_of_dim_zero(logits, k):
    largest, which = logits.topk(min(k, len(logits)), 0)
    return torch.zeros_like(logits).scatter(0, which, largest.softmax(0))


@wrong(K, "order of rank")
def gate_sorted(logits, k):
    s = logits.sort(-1, descending=True).values
    s[:, k:] = float("-inf")
    return s.softmax(-1)


@wrong(K, "*smallest*")
def gate_sorted_ascending(logits, k):
    order = logits.argsort(-1)
    return torch.zeros_like(logits).scatter(-1, order[:, :k], logits.gather(-1, order[:, :k]).softmax(-1))


@wrong(K, "argsort says")
def gate_argsort_taken_for_rank(logits, k):
    rank = logits.argsort(-1, descending=True)
    return logits.masked_fill(rank >= k, float("-inf")).softmax(-1)


@wrong(K, "1/k")
def gate_straight_through(logits, k):
    which = logits.topk(k, -1).indices
    hard = torch.zeros_like(logits).scatter(-1, which, 1.0 / k)
    return hard + logits.softmax(-1) - logits.softmax(-1).detach()


@wrong(K, "gradient")
def gate_detached(logits, k):
    largest, which = logits.detach().topk(k, -1)
    return torch.zeros_like(logits).scatter(-1, which, largest.softmax(-1))


@wrong(K, "expected float64")
def gate_numbers(logits, k):
    rows = []
    for row in logits.tolist():
        best = sorted(range(len(row)), key=lambda i: -row[i])[:k]
        e = [math.exp(row[i] - max(row)) if i in best else 0.0 for i in range(len(row))]
        rows.append([x / sum(e) for x in e])
    return torch.tensor(rows)


@wrong(K, "whatever k is")
def gate_k_two_only(logits, k):
    a, i = logits.max(-1, keepdim=True)
    b, j = logits.scatter(-1, i, float("-inf")).max(-1, keepdim=True)
    shares = torch.cat([a, b], -1).softmax(-1)
    return torch.zeros_like(logits).scatter(-1, torch.cat([i, j], -1), shares)


@wrong(K, "k largest")
def gate_positive_logits(logits, k):
    return logits.masked_fill(logits < 0, float("-inf")).softmax(-1)


@wrong(K, "largest in *size*")
def gate_absolute(logits, k):
    which = logits.abs().topk(k, -1).indices
    return torch.full_like(logits, float("-inf")).scatter(-1, which, logits.gather(-1, which)).softmax(-1)


@wrong(K, "by their sum")
def gate_linear_shares(logits, k):
    largest, which = logits.topk(k, -1)
    return torch.zeros_like(logits).scatter(-1, which, largest / largest.sum(-1, keepdim=True))


@wrong(K, "two different answers")
def gate_noisy(logits, k):
    noisy = logits + torch.randn_like(logits)
    largest, which = noisy.topk(k, -1)
    return torch.zeros_like(logits).scatter(-1, which, largest.softmax(-1))


@wrong(K, "chosen logits themselves")
def gate_scatter_of_largest_without_softmax(logits, k):
    largest, which = logits.topk(k, -1)
    return torch.zeros_like(logits).scatter(-1, which, largest)


@wrong(K, "aren't exactly 0")
def gate_scatter_into_logits(logits, k):
    largest, which = logits.topk(k, -1)
    return logits.scatter(-1, which, largest.softmax(-1))


@wrong(K, "aren't the softmax of the chosen")
def gate_temperature(logits, k):
    largest, which = logits.topk(k, -1)
    return torch.zeros_like(logits).scatter(-1, which, (largest / k).softmax(-1))
