"""A second set of first drafts to lesson 08, Encoder and decoder, written before they were judged, with what is really wrong."""

import torch

from unlisted_mistakes import wrong

# --- 08.cross_attention -----------------------------------------------------------------------------------------------

C = "08.cross_attention"
HIDDEN = float("-inf")


@wrong(C)
def second_cross_memory_asks_mask_ignored(x, memory, W_Q, W_K, W_V, mask):
    """Queries from memory, keys and values from x, no mask."""
    q, k, v = memory @ W_Q.T, x @ W_K.T, x @ W_V.T
    w = (q @ k.mT / k.shape[-1] ** 0.5).softmax(-1)
    return w @ v, w


@wrong(C)
def second_cross_scale_by_d_model_no_mask(x, memory, W_Q, W_K, W_V, mask):
    """√d_model for √d_k, and no mask."""
    q, k, v = x @ W_Q.T, memory @ W_K.T, memory @ W_V.T
    w = (q @ k.mT / x.shape[-1] ** 0.5).softmax(-1)
    return w @ v, w


@wrong(C)
def second_cross_scale_precedence(x, memory, W_Q, W_K, W_V, mask):
    """** 1 / 2: divided by d_k and by 2."""
    q, k, v = x @ W_Q.T, memory @ W_K.T, memory @ W_V.T
    w = (q @ k.mT / k.shape[-1] ** 1 / 2).masked_fill(~mask, HIDDEN).softmax(-1)
    return w @ v, w


@wrong(C)
def second_cross_mask_no_tilde_no_scale(x, memory, W_Q, W_K, W_V, mask):
    """The mask is turned round, and the scale is missing."""
    q, k, v = x @ W_Q.T, memory @ W_K.T, memory @ W_V.T
    w = (q @ k.mT).masked_fill(mask, HIDDEN).softmax(-1)
    return w @ v, w


@wrong(C)
def second_cross_masked_fill_forgotten_result(x, memory, W_Q, W_K, W_V, mask):
    """The result of masked_fill isn't kept: no mask."""
    q, k, v = x @ W_Q.T, memory @ W_K.T, memory @ W_V.T
    scores = q @ k.mT / k.shape[-1] ** 0.5
    scores.masked_fill(~mask, HIDDEN)
    w = scores.softmax(-1)
    return w @ v, w


@wrong(C)
def second_cross_values_of_x_no_scale(x, memory, W_Q, W_K, W_V, mask):
    """All from x, no scale (the mask doesn't fit)."""
    q, k, v = x @ W_Q.T, x @ W_K.T, x @ W_V.T
    w = (q @ k.mT).masked_fill(~mask, HIDDEN).softmax(-1)
    return w @ v, w


@wrong(C)
def second_cross_output_projected_again(x, memory, W_Q, W_K, W_V, mask):
    """The values are projected after they are mixed: W_V isn't turned."""
    q, k = x @ W_Q.T, memory @ W_K.T
    w = (q @ k.mT / k.shape[-1] ** 0.5).masked_fill(~mask, HIDDEN).softmax(-1)
    return w @ memory @ W_V, w


@wrong(C)
def second_cross_k_transposed_all(x, memory, W_Q, W_K, W_V, mask):
    """transpose(1, 2): there is no axis 2 without a batch."""
    q, k, v = x @ W_Q.T, memory @ W_K.T, memory @ W_V.T
    w = (q @ k.transpose(1, 2) / k.shape[-1] ** 0.5).masked_fill(~mask, HIDDEN).softmax(-1)
    return w @ v, w


@wrong(C)
def second_cross_weights_not_masked_renormalised(x, memory, W_Q, W_K, W_V, mask):
    """Softmax over queries, and no scale."""
    q, k, v = x @ W_Q.T, memory @ W_K.T, memory @ W_V.T
    w = (q @ k.mT).masked_fill(~mask, HIDDEN).softmax(-2)
    return w @ v, w


@wrong(C)
def second_cross_skip_and_no_mask(x, memory, W_Q, W_K, W_V, mask):
    """The padding's values are 0, and no scale."""
    q, k, v = x @ W_Q.T, memory @ W_K.T, memory @ W_V.T
    w = (q @ k.mT).softmax(-1)
    return w @ (v * mask.mT), w


# --- 08.decoder_layer -------------------------------------------------------------------------------------------------

D = "08.decoder_layer"


def tri(y):
    n = y.shape[-2]
    return torch.ones(n, n, dtype=torch.bool).tril()


@wrong(D)
def second_layer_mask_none_and_swapped_norms(y, memory, attend, cross, ff, n1, n2, n3, m):
    """No causal mask, and norm_2 and norm_3 have changed places."""
    y = n1(y + attend(y, y, None))
    y = n3(y + cross(y, memory, m))
    return n2(y + ff(y))


@wrong(D)
def second_layer_cross_reads_first_y(y, memory, attend, cross, ff, n1, n2, n3, m):
    """Cross-attention asks with the old y and adds to the old y: self-attention is lost."""
    _ = n1(y + attend(y, y, tri(y)))
    b = n2(y + cross(y, memory, m))
    return n3(b + ff(b))


@wrong(D)
def second_layer_pre_norm_norm_once(y, memory, attend, cross, ff, n1, n2, n3, m):
    """Pre-norm in the attentions, post-norm in the last."""
    h = n1(y)
    y = y + attend(h, h, tri(y))
    y = y + cross(n2(y), memory, m)
    return n3(y + ff(y))


@wrong(D)
def second_layer_no_norm_between(y, memory, attend, cross, ff, n1, n2, n3, m):
    """One norm at the end; norm_1 and norm_2 aren't used."""
    y = y + attend(y, y, tri(y))
    y = y + cross(y, memory, m)
    y = y + ff(y)
    return n3(y)


@wrong(D)
def second_layer_memory_mask_in_both(y, memory, attend, cross, ff, n1, n2, n3, m):
    """memory_mask goes to self-attention, None to cross-attention."""
    y = n1(y + attend(y, y, m))
    y = n2(y + cross(y, memory, None))
    return n3(y + ff(y))


@wrong(D)
def second_layer_ff_twice_no_cross(y, memory, attend, cross, ff, n1, n2, n3, m):
    """ff after each attention."""
    y = n1(y + ff(attend(y, y, tri(y))))
    y = n2(y + ff(cross(y, memory, m)))
    return n3(y)


@wrong(D)
def second_layer_causal_of_rows(y, memory, attend, cross, ff, n1, n2, n3, m):
    """torch.tril(torch.ones_like(scores)) by hand with m columns for both."""
    mask = torch.ones(y.shape[-2], memory.shape[-2], dtype=torch.bool).tril()
    y = n1(y + attend(y, y, mask))
    y = n2(y + cross(y, memory, mask))
    return n3(y + ff(y))


@wrong(D)
def second_layer_cross_no_skip_norm_1(y, memory, attend, cross, ff, n1, n2, n3, m):
    """The cross-attention's skip is missing, and norm_1 twice."""
    y = n1(y + attend(y, y, tri(y)))
    y = n1(cross(y, memory, m))
    return n3(y + ff(y))


@wrong(D)
def second_layer_kv_of_memory(y, memory, attend, cross, ff, n1, n2, n3, m):
    """cross_attention(y, memory, memory, memory_mask): four arguments."""
    y = n1(y + attend(y, y, tri(y)))
    y = n2(y + cross(y, memory, memory, m))
    return n3(y + ff(y))


@wrong(D)
def second_layer_no_last_skip_no_mask(y, memory, attend, cross, ff, n1, n2, n3, m):
    """The last skip is missing, and the causal mask is upper."""
    y = n1(y + attend(y, y, tri(y).mT))
    y = n2(y + cross(y, memory, m))
    return n3(ff(y))


# --- 08.shift ---------------------------------------------------------------------------------------------------------

S = "08.shift"


@wrong(S)
def second_shift_zeros_and_end(ids, start, end, pad):
    """A new row of zeros, filled: END at place length − 1."""
    b, n = ids.shape
    inputs, targets = torch.full((b, n + 1), pad), torch.full((b, n + 1), pad)
    inputs[:, 0], inputs[:, 1:], targets[:, :-1] = start, ids, ids
    for i in range(b):
        targets[i, (ids[i] != pad).sum() - 1] = end
    return inputs, targets


@wrong(S)
def second_shift_end_in_last_column_inputs_cut(ids, start, end, pad):
    """Inputs lose the last word; END is in the last column."""
    b = len(ids)
    s, e = torch.full((b, 1), start), torch.full((b, 1), end)
    return torch.cat([s, ids[:, :-1]], 1), torch.cat([ids, e], 1)


@wrong(S)
def second_shift_both_start_and_end_inputs(ids, start, end, pad):
    """Inputs: START, words, END at the edge; targets right."""
    b = len(ids)
    s, e, p = (torch.full((b, 1), mark) for mark in (start, end, pad))
    targets = torch.cat([ids, p], 1)
    targets[torch.arange(b), (ids != pad).sum(1)] = end
    return torch.cat([s, ids, e], 1), targets


@wrong(S)
def second_shift_targets_shifted_twice(ids, start, end, pad):
    """Targets: words from the second, END at the right distance, padding to full length."""
    b = len(ids)
    s, p = torch.full((b, 1), start), torch.full((b, 1), pad)
    targets = torch.cat([ids[:, 1:], p, p], 1)
    targets[torch.arange(b), ((ids != pad).sum(1) - 1).clamp(min=0)] = end
    return torch.cat([s, ids], 1), targets


@wrong(S)
def second_shift_no_end_and_zero_pad(ids, start, end, pad):
    """No END, and 0 for padding."""
    b = len(ids)
    return torch.cat([torch.full((b, 1), start), ids], 1), torch.cat([ids, torch.zeros(b, 1, dtype=torch.long)], 1)


@wrong(S)
def second_shift_end_at_first_zero(ids, start, end, pad):
    """(targets == 0).argmax: 0 is taken for padding."""
    b = len(ids)
    targets = torch.cat([ids, torch.full((b, 1), pad)], 1)
    targets[torch.arange(b), (targets == 0).int().argmax(1)] = end
    return torch.cat([torch.full((b, 1), start), ids], 1), targets


@wrong(S)
def second_shift_one_list(ids, start, end, pad):
    """One tensor of both, stacked."""
    b = len(ids)
    targets = torch.cat([ids, torch.full((b, 1), pad)], 1)
    targets[torch.arange(b), (ids != pad).sum(1)] = end
    return torch.stack([torch.cat([torch.full((b, 1), start), ids], 1), targets])


@wrong(S)
def second_shift_longest(ids, start, end, pad):
    """END at the longest text's end, in all rows; inputs without the last column."""
    b = len(ids)
    targets = torch.cat([ids, torch.full((b, 1), pad)], 1)
    targets[:, (ids != pad).sum(1).max()] = end
    return torch.cat([torch.full((b, 1), start), ids[:, :-1]], 1), targets


@wrong(S)
def second_shift_loop_break(ids, start, end, pad):
    """A loop without break: every padding becomes END; START is missing."""
    b = len(ids)
    targets = torch.cat([ids, torch.full((b, 1), pad)], 1)
    for i in range(b):
        for j in range(targets.shape[1]):
            if targets[i, j] == pad:
                targets[i, j] = end
    return ids, targets


@wrong(S)
def second_shift_end_everywhere_in_inputs(ids, start, end, pad):
    """The inputs are the targets shifted by one, END included."""
    b = len(ids)
    targets = torch.cat([ids, torch.full((b, 1), pad)], 1)
    targets[torch.arange(b), (ids != pad).sum(1)] = end
    return torch.cat([torch.full((b, 1), start), targets], 1), targets


# --- 08.tied ----------------------------------------------------------------------------------------------------------

T = "08.tied"


@wrong(T)
def second_tied_len_table(table, step, ids, states):
    """√len(table) at the input: the vocabulary."""
    table = table + step
    return table[ids] * len(table) ** 0.5, states @ table.mT


@wrong(T)
def second_tied_copy_after_and_divided(table, step, ids, states):
    """The input is divided by √d_model, the logits multiplied."""
    table = table + step
    return table[ids] / table.shape[1] ** 0.5, states @ table.mT * table.shape[1] ** 0.5


@wrong(T)
def second_tied_old_table_in_both_scaled(table, step, ids, states):
    """The old table everywhere, and the input isn't scaled."""
    return table[ids], states @ table.mT


@wrong(T)
def second_tied_output_of_scaled(table, step, ids, states):
    """The output's table is scaled and the step missing there."""
    new = table + step
    return new[ids] * new.shape[1] ** 0.5, states @ (table * table.shape[1] ** 0.5).mT


@wrong(T)
def second_tied_math_sqrt_vocab_both(table, step, ids, states):
    """√vocab at the input; the logits are divided by √d_model."""
    new = table + step
    return new[ids] * new.shape[0] ** 0.5, states @ new.mT / new.shape[1] ** 0.5


@wrong(T)
def second_tied_states_scaled(table, step, ids, states):
    """The states are multiplied by √d_model; the input isn't."""
    new = table + step
    return new[ids], (states * new.shape[1] ** 0.5) @ new.mT


@wrong(T)
def second_tied_not_transposed(table, step, ids, states):
    """table @ states.mT: the logits come out turned."""
    new = table + step
    return new[ids] * new.shape[1] ** 0.5, new @ states.mT


@wrong(T)
def second_tied_step_of_ids(table, step, ids, states):
    """The step reaches only the words in ids."""
    new = table.clone()
    new[ids] = new[ids] + step[ids]
    return new[ids] * new.shape[1] ** 0.5, states @ new.mT


@wrong(T)
def second_tied_copy_softmax(table, step, ids, states):
    """The output's table is an old copy, and a softmax is taken."""
    old = table.clone()
    new = table + step
    return new[ids] * new.shape[1] ** 0.5, (states @ old.mT).softmax(-1)


@wrong(T)
def second_tied_root_of_d_squared(table, step, ids, states):
    """d_model for √d_model, and the logits are still scaled by √d_model."""
    new = table + step
    return new[ids] * new.shape[1], states @ new.mT * new.shape[1] ** 0.5
