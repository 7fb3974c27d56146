"""A second set of wrong answers to lesson 16, written before the judge had seen any of them."""

import torch
import torch.nn.functional as F_

from unlisted_mistakes import wrong

# --- 16.sparse_mask ---------------------------------------------------------------------------------------------------

K = "16.sparse_mask"


@wrong(K, "for a pair")
def fresh_mask_pairs(n, window, num_global, chosen):
    mask = torch.zeros(n, n, dtype=torch.bool)
    for i in range(n):
        for j in range(n):
            if abs(i - j) <= window or i < num_global or j < num_global:
                mask[i, j] = True
    for i, j in chosen:
        mask[i, j] = True
    return mask


@wrong(K, "No word looks at itself")
def fresh_mask_no_diagonal(n, window, num_global, chosen):
    p = torch.arange(n)
    m = (p[None] - p[:, None]).abs() <= window
    m[:num_global] = True
    m[:, :num_global] = True
    for i in range(n):
        m[i, chosen[i]] = True
    m.fill_diagonal_(False)
    return m


@wrong(K, "[:num_global]")
def fresh_mask_rows_behind(n, window, num_global, chosen):
    p = torch.arange(n)
    m = (p[None] - p[:, None]).abs() <= window
    m[num_global:] = True
    m[:, num_global:] = True
    m.scatter_(1, chosen, True)
    return m


@wrong(K, "They must be *seen*")
def fresh_mask_elif(n, window, num_global, chosen):
    m = torch.zeros(n, n, dtype=torch.bool)
    for i in range(n):
        for j in range(n):
            if i < num_global or abs(i - j) <= window or j in chosen[i]:
                m[i, j] = True
    return m


@wrong(K, "see each other only")
def fresh_mask_and_for_global(n, window, num_global, chosen):
    m = torch.zeros(n, n, dtype=torch.bool)
    for i in range(n):
        for j in range(n):
            m[i, j] = abs(i - j) <= window or (i < num_global and j < num_global) or j in chosen[i]
    return m


@wrong(K, "*all* queries")
def fresh_mask_j_in_chosen(n, window, num_global, chosen):
    m = torch.zeros(n, n, dtype=torch.bool)
    for i in range(n):
        for j in range(n):
            m[i, j] = abs(i - j) <= window or i < num_global or j < num_global or j in chosen
    return m


@wrong(K, "is global")
def fresh_mask_loop_global_returns(n, window, num_global, chosen):
    p = torch.arange(n)
    m = (p[None] - p[:, None]).abs() <= window
    m = m.scatter(1, chosen, True)
    for g in range(num_global):
        m[g, :] = True
        m[:, g] = True
        return m


@wrong(K, "doesn't see word 0")
def fresh_mask_clamped_window(n, window, num_global, chosen):
    m = torch.zeros(n, n, dtype=torch.bool)
    for i in range(n):
        for k in range(-window, window + 1):
            j = i + k
            if 0 < j < n:
                m[i, j] = True
    m[:num_global] = True
    m[:, :num_global] = True
    return m.scatter(1, chosen, True)


@wrong(K, "*last* column")
def fresh_mask_negative_index(n, window, num_global, chosen):
    m = torch.zeros(n, n, dtype=torch.bool)
    for i in range(n):
        for k in range(-window, window + 1):
            if i + k < n:
                m[i, i + k] = True
    m[:num_global] = True
    m[:, :num_global] = True
    return m.scatter(1, chosen, True)


@wrong(K, "there is no place 8")
def fresh_mask_index_error(n, window, num_global, chosen):
    m = torch.zeros(n, n, dtype=torch.bool)
    for i in range(n):
        for k in range(window + 1):
            m[i, i + k] = True
            m[i, i - k] = True
    m[:num_global] = True
    m[:, :num_global] = True
    return m.scatter(1, chosen, True)


@wrong(K, "Two things at once")
def fresh_mask_chosen_first_then_window(n, window, num_global, chosen):
    m = torch.zeros(n, n, dtype=torch.bool).scatter(1, chosen, True)
    m[:num_global] = True
    m[:, :num_global] = True
    p = torch.arange(n)
    m = (p[None] - p[:, None]).abs() <= window
    return m


@wrong(K, "two rules allow it")
def fresh_mask_global_overwrites_rows(n, window, num_global, chosen):
    p = torch.arange(n)
    m = (p[None] - p[:, None]).abs() <= window
    g = torch.zeros(n, n, dtype=torch.bool)
    g[:num_global] = True
    g[:, :num_global] = True
    r = torch.zeros(n, n, dtype=torch.bool).scatter(1, chosen, True)
    return torch.where(r, r, torch.where(g, g, m)) & ~(g & r)


@wrong(K, "2 steps away")
def fresh_mask_twice_the_window(n, window, num_global, chosen):
    p = torch.arange(n)
    m = (p[None] - p[:, None]) ** 2 <= window
    m[:num_global] = True
    m[:, :num_global] = True
    return m.scatter(1, chosen, True)


@wrong(K, "mask for adding")
def fresh_mask_of_minus_infinity(n, window, num_global, chosen):
    m = torch.full((n, n), float("-inf"))
    p = torch.arange(n)
    m[(p[None] - p[:, None]).abs() <= window] = 0
    m[:num_global] = 0
    m[:, :num_global] = 0
    return m.scatter(1, chosen, 0.0)


@wrong(K, "one axis of length 1")
def fresh_mask_batch_axes(n, window, num_global, chosen):
    p = torch.arange(n)
    m = (p[None] - p[:, None]).abs() <= window
    m[:num_global] = True
    m[:, :num_global] = True
    return m.scatter(1, chosen, True)[None]


# --- 16.linformer_attention -------------------------------------------------------------------------------------------

K = "16.linformer_attention"


@wrong(K, "√n")
def fresh_linformer_d_of_e(query, key, value, E, F):
    w = (query @ (E @ key).mT / E.shape[-1] ** 0.5).softmax(-1)
    return w @ (F @ value), w


@wrong(K, "first axis")
def fresh_linformer_softmax_dim_zero(query, key, value, E, F):
    w = (query @ (E @ key).mT / query.shape[-1] ** 0.5).softmax(0)
    return w @ (F @ value), w


@wrong(K, "wrong numbers")
def fresh_linformer_keys_by_softmax(query, key, value, E, F):
    k = (E @ key).softmax(-1)
    w = (query @ k.mT / query.shape[-1] ** 0.5).softmax(-1)
    return w @ (F @ value), w


@wrong(K, "weights @ (F @ value)")
def fresh_linformer_output_from_full(query, key, value, E, F):
    w = (query @ (E @ key).mT / query.shape[-1] ** 0.5).softmax(-1)
    full = (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1)
    return full @ value, w


@wrong(K, "don't sum to 1")
def fresh_linformer_with_f_on_the_weights(query, key, value, E, F):
    scores = query @ key.mT / query.shape[-1] ** 0.5
    w = scores.softmax(-1)
    return (w @ F.mT) @ (F @ value), w @ E.mT


@wrong(K, "Every word asks")
def fresh_linformer_query_dot_f(query, key, value, E, F):
    w = (E @ query @ (E @ key).mT / query.shape[-1] ** 0.5).softmax(-1)
    return w @ (F @ value), w


@wrong(K, "cut anew")
def fresh_linformer_transposed_view(query, key, value, E, F):
    k = E @ key
    k = k.view(*k.shape[:-2], k.shape[-1], k.shape[-2])
    w = (query @ k / query.shape[-1] ** 0.5).softmax(-1)
    return w @ (F @ value), w


@wrong(K, "In `E @ k`")
def fresh_linformer_for_loop_over_batch_only(query, key, value, E, F):
    outs, ws = [], []
    for q, k, v in zip(query, key, value):
        w = (q @ (E @ k).mT / q.shape[-1] ** 0.5).softmax(-1)
        outs.append(w @ (F @ v))
        ws.append(w)
    return torch.stack(outs), torch.stack(ws)


@wrong(K, "don't sum to 1")
def fresh_linformer_scale_after(query, key, value, E, F):
    w = (query @ (E @ key).mT).softmax(-1) / query.shape[-1] ** 0.5
    return w @ (F @ value), w


@wrong(K, "wrong numbers")
def fresh_linformer_e_plus_f(query, key, value, E, F):
    w = (query @ ((E + F) @ key).mT / query.shape[-1] ** 0.5).softmax(-1)
    return w @ ((E + F) @ value), w


@wrong(K, "got bool")
def fresh_linformer_bool(query, key, value, E, F):
    w = (query @ (E @ key).mT / query.shape[-1] ** 0.5).softmax(-1)
    return w @ (F @ value), (w > 0.5)


# --- 16.compressed_attention ------------------------------------------------------------------------------------------

K = "16.compressed_attention"


def attended(query, k, v):
    w = (query @ k.mT / query.shape[-1] ** 0.5).softmax(-1)
    return w @ v, w


@wrong(K, "W[s] @ x")
def fresh_compressed_reshape_stride_first(query, key, value, W_key, W_value):
    s, d = W_key.shape[:2]

    def shorten(x, W):
        x = F_.pad(x, (0, 0, 0, -x.shape[-2] % s))
        return x.reshape(*x.shape[:-2], -1, s * d) @ W.reshape(s * d, d)

    return attended(query, shorten(key, W_key), shorten(value, W_value))


@wrong(K, "cuts the kernel anew")
def fresh_compressed_reshape_kernel(query, key, value, W_key, W_value):
    s, d = W_key.shape[:2]

    def shorten(x, W):
        x = F_.pad(x, (0, 0, 0, -x.shape[-2] % s))
        return x.reshape(*x.shape[:-2], -1, s * d) @ W.reshape(d, s * d).mT

    return attended(query, shorten(key, W_key), shorten(value, W_value))


@wrong(K, "*left over*")
def fresh_compressed_pad_by_remainder(query, key, value, W_key, W_value):
    s = len(W_key)

    def shorten(x, W):
        r = x.shape[-2] % s
        if r:
            x = torch.cat([x, torch.zeros_like(x[..., :r, :])], -2)
        return torch.einsum("...msd,sed->...me", x.unflatten(-2, (-1, s)), W)

    return attended(query, shorten(key, W_key), shorten(value, W_value))


@wrong(K, "W[s] @ x")
def fresh_compressed_matmul_of_group(query, key, value, W_key, W_value):
    s = len(W_key)

    def shorten(x, W):
        x = F_.pad(x, (0, 0, 0, -x.shape[-2] % s)).unflatten(-2, (-1, s))
        return (x[..., None, :] @ W).squeeze(-2).sum(-2)

    return attended(query, shorten(key, W_key), shorten(value, W_value))


@wrong(K, "added up as they are")
def fresh_compressed_scores_summed(query, key, value, W_key, W_value):
    s = len(W_key)
    pad = -key.shape[-2] % s
    k = F_.pad(key, (0, 0, 0, pad)).unflatten(-2, (-1, s))
    v = torch.einsum("...msd,sed->...me", F_.pad(value, (0, 0, 0, pad)).unflatten(-2, (-1, s)), W_value)
    scores = torch.einsum("...id,...msd->...im", query, k) / query.shape[-1] ** 0.5
    w = scores.softmax(-1)
    return w @ v, w


@wrong(K, "made with W_value")
def fresh_compressed_only_whole_groups_of_values(query, key, value, W_key, W_value):
    s = len(W_key)

    def shorten(x, W):
        return torch.einsum("...msd,sed->...me", F_.pad(x, (0, 0, 0, -x.shape[-2] % s)).unflatten(-2, (-1, s)), W)

    v = F_.pad(value, (0, 0, 0, -value.shape[-2] % s)).unflatten(-2, (-1, s)).mean(-2)
    return attended(query, shorten(key, W_key), v)


@wrong(K, "isn't full is hidden")
def fresh_compressed_mask_last_words(query, key, value, W_key, W_value):
    s, n = len(W_key), key.shape[-2]

    def shorten(x, W):
        return torch.einsum("...msd,sed->...me", F_.pad(x, (0, 0, 0, -x.shape[-2] % s)).unflatten(-2, (-1, s)), W)

    k, v = shorten(key, W_key), shorten(value, W_value)
    full = torch.arange(k.shape[-2]) < max(n // s, 1)
    scores = (query @ k.mT / query.shape[-1] ** 0.5).masked_fill(~full, float("-inf"))
    w = scores.softmax(-1)
    return w @ v, w


@wrong(K, "wrong numbers")
def fresh_compressed_zeros_between(query, key, value, W_key, W_value):
    s, n = len(W_key), key.shape[-2]
    groups = -(-n // s)

    def shorten(x, W):
        parts = x.tensor_split(groups, -2)
        rows = [sum(p[..., i, :] @ W[i].mT for i in range(p.shape[-2])) for p in parts]
        return torch.stack(rows, -2)

    return attended(query, shorten(key, W_key), shorten(value, W_value))


@wrong(K, "turned round")
def fresh_compressed_conv_flipped_like_mathematics(query, key, value, W_key, W_value):
    s = len(W_key)

    def shorten(x, W):
        x = F_.pad(x, (0, 0, 0, -x.shape[-2] % s))
        return sum(x[..., i::s, :] @ W[s - 1 - i].mT for i in range(s))

    return attended(query, shorten(key, W_key), shorten(value, W_value))


@wrong(K, "The output is right")
def fresh_compressed_weights_spread(query, key, value, W_key, W_value):
    s, n = len(W_key), key.shape[-2]

    def shorten(x, W):
        return torch.einsum("...msd,sed->...me", F_.pad(x, (0, 0, 0, -x.shape[-2] % s)).unflatten(-2, (-1, s)), W)

    out, w = attended(query, shorten(key, W_key), shorten(value, W_value))
    return out, w.repeat_interleave(s, -1)[..., :n] / s


@wrong(K, "first word")
def fresh_compressed_one_word_of_each(query, key, value, W_key, W_value):
    s = len(W_key)
    return attended(query, key[..., ::s, :], value[..., ::s, :])


@wrong(K, "wrong numbers")
def fresh_compressed_query_kernel(query, key, value, W_key, W_value):
    s = len(W_key)

    def shorten(x, W):
        return torch.einsum("...msd,sed->...me", F_.pad(x, (0, 0, 0, -x.shape[-2] % s)).unflatten(-2, (-1, s)), W)

    return attended(query @ W_key[0].mT, shorten(key, W_key), shorten(value, W_value))


# --- 16.top_k_gate ----------------------------------------------------------------------------------------------------

K = "16.top_k_gate"


@wrong(K, "then cut")
def fresh_gate_softmax_then_topk(logits, k):
    shares, which = logits.softmax(-1).topk(k, -1)
    return torch.zeros_like(logits).scatter(-1, which, shares)


@wrong(K, "second softmax")
def fresh_gate_softmax_then_topk_then_softmax(logits, k):
    shares, which = logits.softmax(-1).topk(k, -1)
    return torch.zeros_like(logits).scatter(-1, which, shares.softmax(-1))


@wrong(K, "don't sum to 1")
def fresh_gate_multiply_then_softmax(logits, k):
    keep = torch.zeros_like(logits).scatter(-1, logits.topk(k, -1).indices, 1)
    return (logits * keep).softmax(-1) * keep


@wrong(K, "counts from the *smallest*")
def fresh_gate_kth_value(logits, k):
    threshold = logits.kthvalue(k, dim=-1, keepdim=True).values
    return logits.masked_fill(logits < threshold, float("-inf")).softmax(-1)


@wrong(K, "*all* tokens")
def fresh_gate_index_rows(logits, k):
    which = logits.topk(k, -1).indices
    out = torch.full_like(logits, float("-inf"))
    out[:, which] = logits[:, which]
    return out.softmax(-1)


@wrong(K, "In `logits[which]`")
def fresh_gate_index_of_first(logits, k):
    which = logits.topk(k, -1).indices
    out = torch.full_like(logits, float("-inf"))
    out[which] = logits[which]
    return out.softmax(-1)


@wrong(K, "wrong way round")
def fresh_gate_mask_not_inverted(logits, k):
    mask = torch.zeros_like(logits, dtype=torch.bool).scatter(-1, logits.topk(k, -1).indices, True)
    return logits.masked_fill(mask, float("-inf")).softmax(-1)


@wrong(K, "don't sum to 1")
def fresh_gate_small_epsilon(logits, k):
    keep = torch.zeros_like(logits).scatter(-1, logits.topk(k, -1).indices, 1)
    shares = logits.softmax(-1) * keep
    return shares / (shares.sum(-1, keepdim=True) + 1e-2)


@wrong(K, "order of rank")
def fresh_gate_sorted_and_never_put_back(logits, k):
    s, _ = logits.sort(-1, descending=True)
    shares = s[:, :k].softmax(-1)
    return F_.pad(shares, (0, logits.shape[-1] - k))


@wrong(K, "aren't exactly 0")
def fresh_gate_scatter_add_logits(logits, k):
    largest, which = logits.topk(k, -1)
    return logits.scatter_add(-1, which, largest).softmax(-1)


@wrong(K, "expected float32")
def fresh_gate_one_hot_sum(logits, k):
    which = logits.topk(k, -1).indices
    return F_.one_hot(which, logits.shape[-1]).sum(-2)


@wrong(K, "1/k")
def fresh_gate_one_hot_mean(logits, k):
    which = logits.topk(k, -1).indices
    return F_.one_hot(which, logits.shape[-1]).to(logits.dtype).mean(-2)


@wrong(K)
def fresh_gate_nan(logits, k):
    closed = logits * torch.zeros_like(logits).scatter(-1, logits.topk(k, -1).indices, 1.0)
    closed[closed == 0] = float("nan")
    return closed.softmax(-1)


@wrong(K, "infinity over infinity")
def fresh_gate_exp_without_maximum(logits, k):
    largest, which = logits.topk(k, -1)
    e = largest.exp()
    return torch.zeros_like(logits).scatter(-1, which, e / e.sum(-1, keepdim=True))


@wrong(K, "number meets number")
def fresh_gate_top_of_columns_and_rows(logits, k):
    keep = logits >= logits.topk(k, 1).values[:, -1]
    return logits.masked_fill(~keep, float("-inf")).softmax(-1)
