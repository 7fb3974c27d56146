"""Wrong answers to lesson 16 that a student wrote before the judge had seen them; the course had no word for these."""

import torch

from unlisted_mistakes import wrong

# --- 16.sparse_mask ---------------------------------------------------------------------------------------------------

K = "16.sparse_mask"


def distances(n):
    place = torch.arange(n)
    return (place[:, None] - place).abs()


@wrong(K, "binds more strongly than <=")
def mask_without_brackets(n, window, num_global, chosen):
    place = torch.arange(n)
    mask = distances(n) <= window | (place < num_global) | (place[:, None] < num_global)
    return mask.scatter(1, chosen, True)


@wrong(K, "put each comparison in brackets")
def mask_without_any_brackets(n, window, num_global, chosen):
    place = torch.arange(n)
    mask = distances(n) <= window | place < num_global | place[:, None] < num_global
    return mask.scatter(1, chosen, True)


@wrong(K, "“And” stands between window and global tokens")
def mask_with_one_and(n, window, num_global, chosen):
    place = torch.arange(n)
    glob = (place < num_global) | (place[:, None] < num_global)
    drawn = torch.zeros(n, n, dtype=torch.bool).scatter(1, chosen, True)
    return (distances(n) <= window) & glob | drawn


@wrong(K, "No tokens are added")
def mask_with_tokens_added(n, window, num_global, chosen):
    mask = torch.zeros(n + num_global, n + num_global, dtype=torch.bool)
    mask[num_global:, num_global:] = (distances(n) <= window).scatter(1, chosen, True)
    mask[:num_global] = True
    mask[:, :num_global] = True
    return mask


# --- 16.linformer_attention -------------------------------------------------------------------------------------------

K = "16.linformer_attention"


@wrong(K, "it hides torch.nn.functional. Write torch.softmax")
def functional_is_hidden(query, key, value, E, F):
    weights = F.softmax(query @ (E @ key).mT / query.shape[-1] ** 0.5, dim=-1)
    return weights @ (F @ value), weights


# --- 16.compressed_attention ------------------------------------------------------------------------------------------

K = "16.compressed_attention"


def attended(query, key, value):
    weights = (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1)
    return weights @ value, weights


@wrong(K, "+=, not =")
def groups_overwritten(query, key, value, W_key, W_value):
    def shorten(x, W):
        n, stride = x.shape[-2], len(W)
        short = x.new_zeros(*x.shape[:-2], -(-n // stride), x.shape[-1])
        for i in range(n):
            short[..., i // stride, :] = x[..., i, :] @ W[i % stride].T
        return short

    return attended(query, shorten(key, W_key), shorten(value, W_value))


@wrong(K, "W_key's *first* axis")
def groups_of_the_wrong_axis(query, key, value, W_key, W_value):
    def shorten(x, W):
        stride = W.shape[-1]
        filled = torch.nn.functional.pad(x, (0, 0, 0, -x.shape[-2] % stride)).unflatten(-2, (-1, stride))
        return torch.einsum("...msd,sed->...me", filled[..., : len(W), :], W)

    return attended(query, shorten(key, W_key), shorten(value, W_value))


@wrong(K, "wants its weight as (out, in, place)")
def groups_by_a_kernel_as_it_is(query, key, value, W_key, W_value):
    def shorten(x, W):
        filled = torch.nn.functional.pad(x, (0, 0, 0, -x.shape[-2] % len(W)))
        short = torch.nn.functional.conv1d(filled.reshape(-1, *filled.shape[-2:]).mT, W, stride=len(W)).mT
        return short.reshape(*x.shape[:-2], *short.shape[-2:])

    return attended(query, shorten(key, W_key), shorten(value, W_value))


# --- 16.top_k_gate ----------------------------------------------------------------------------------------------------

K = "16.top_k_gate"


@wrong(K, "*after* it")
def gate_closed_after(logits, k):
    chosen = torch.zeros_like(logits, dtype=torch.bool).scatter(-1, logits.topk(k, -1).indices, True)
    return logits.softmax(-1).masked_fill(~chosen, -1e9)
