"""First drafts to lesson 08, Encoder and decoder, as students write them. Each docstring says what is really wrong."""

import torch

from unlisted_mistakes import wrong

# --- 08.cross_attention -----------------------------------------------------------------------------------------------

C = "08.cross_attention"
HIDDEN = float("-inf")


def weighed(scores, mask, fill=HIDDEN):
    return scores.masked_fill(~mask, fill).softmax(-1)


@wrong(C)
def draft_cross_kv_swapped_sources(x, memory, W_Q, W_K, W_V, mask):
    """Values from x, and the matrices not turned."""
    q, k, v = x @ W_Q, memory @ W_K, x @ W_V
    w = weighed(q @ k.mT / k.shape[-1] ** 0.5, mask)
    return w @ v, w


@wrong(C)
def draft_cross_mask_added(x, memory, W_Q, W_K, W_V, mask):
    """The mask (True = 1) is added to the scores."""
    q, k, v = x @ W_Q.mT, memory @ W_K.mT, memory @ W_V.mT
    w = (q @ k.mT / k.shape[-1] ** 0.5 + mask).softmax(-1)
    return w @ v, w


@wrong(C)
def draft_cross_mask_multiplied(x, memory, W_Q, W_K, W_V, mask):
    """Scores times mask, and no scale."""
    q, k, v = x @ W_Q.mT, memory @ W_K.mT, memory @ W_V.mT
    w = (q @ k.mT * mask).softmax(-1)
    return w @ v, w


@wrong(C)
def draft_cross_mask_ignored_no_turn(x, memory, W_Q, W_K, W_V, mask):
    """No mask, and the matrices not turned."""
    q, k, v = x @ W_Q, memory @ W_K, memory @ W_V
    w = (q @ k.mT / k.shape[-1] ** 0.5).softmax(-1)
    return w @ v, w


@wrong(C)
def draft_cross_masked_after_without_scale(x, memory, W_Q, W_K, W_V, mask):
    """The mask comes after the softmax, and the scale is missing."""
    q, k, v = x @ W_Q.mT, memory @ W_K.mT, memory @ W_V.mT
    w = (q @ k.mT).softmax(-1) * mask
    return w @ v, w


@wrong(C)
def draft_cross_filled_after(x, memory, W_Q, W_K, W_V, mask):
    """masked_fill with −∞ after the softmax."""
    q, k, v = x @ W_Q.mT, memory @ W_K.mT, memory @ W_V.mT
    w = (q @ k.mT / k.shape[-1] ** 0.5).softmax(-1).masked_fill(~mask, HIDDEN)
    return w @ v, w


@wrong(C)
def draft_cross_no_projection_of_memory(x, memory, W_Q, W_K, W_V, mask):
    """Only the query is projected."""
    q = x @ W_Q.mT
    w = weighed(q @ memory.mT / q.shape[-1] ** 0.5, mask)
    return w @ memory, w


@wrong(C)
def draft_cross_query_unprojected(x, memory, W_Q, W_K, W_V, mask):
    """Keys and values are projected, x isn't."""
    k, v = memory @ W_K.mT, memory @ W_V.mT
    w = weighed(x @ k.mT / k.shape[-1] ** 0.5, mask)
    return w @ v, w


@wrong(C)
def draft_cross_values_first(x, memory, W_Q, W_K, W_V, mask):
    """value @ weights: the wrong order."""
    q, k, v = x @ W_Q.mT, memory @ W_K.mT, memory @ W_V.mT
    w = weighed(q @ k.mT / k.shape[-1] ** 0.5, mask)
    return v @ w, w


@wrong(C)
def draft_cross_keys_not_turned(x, memory, W_Q, W_K, W_V, mask):
    """q @ k without turning the keys."""
    q, k, v = x @ W_Q.mT, memory @ W_K.mT, memory @ W_V.mT
    w = weighed(q @ k / k.shape[-1] ** 0.5, mask)
    return w @ v, w


@wrong(C)
def draft_cross_causal_instead(x, memory, W_Q, W_K, W_V, mask):
    """A causal mask, and no scale."""
    q, k, v = x @ W_Q.mT, memory @ W_K.mT, memory @ W_V.mT
    w = weighed(q @ k.mT, mask & torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril())
    return w @ v, w


@wrong(C)
def draft_cross_1e9_after(x, memory, W_Q, W_K, W_V, mask):
    """The closed scores become 1e-9, a small positive number."""
    q, k, v = x @ W_Q.mT, memory @ W_K.mT, memory @ W_V.mT
    w = weighed(q @ k.mT / k.shape[-1] ** 0.5, mask, 1e-9)
    return w @ v, w


@wrong(C)
def draft_cross_roles_changed_results_too(x, memory, W_Q, W_K, W_V, mask):
    """Weights first, and no mask."""
    q, k, v = x @ W_Q.mT, memory @ W_K.mT, memory @ W_V.mT
    w = (q @ k.mT / k.shape[-1] ** 0.5).softmax(-1)
    return w, w @ v


@wrong(C)
def draft_cross_softmax_dim_0(x, memory, W_Q, W_K, W_V, mask):
    """softmax over axis 0."""
    q, k, v = x @ W_Q.mT, memory @ W_K.mT, memory @ W_V.mT
    w = (q @ k.mT / k.shape[-1] ** 0.5).masked_fill(~mask, -1e9).softmax(0)
    return w @ v, w


@wrong(C)
def draft_cross_scale_on_the_output(x, memory, W_Q, W_K, W_V, mask):
    """The output is divided by √d_k, not the scores."""
    q, k, v = x @ W_Q.mT, memory @ W_K.mT, memory @ W_V.mT
    w = weighed(q @ k.mT, mask)
    return w @ v / k.shape[-1] ** 0.5, w


@wrong(C)
def draft_cross_scaled_keys_and_queries(x, memory, W_Q, W_K, W_V, mask):
    """The projection of the values is scaled as well."""
    q, k, v = x @ W_Q.mT, memory @ W_K.mT, memory @ W_V.mT / W_V.shape[0] ** 0.5
    w = weighed(q @ k.mT / k.shape[-1] ** 0.5, mask)
    return w @ v, w


@wrong(C)
def draft_cross_weights_detached_output(x, memory, W_Q, W_K, W_V, mask):
    """W_Q makes the keys, W_K the queries, and no scale."""
    q, k, v = x @ W_K.mT, memory @ W_Q.mT, memory @ W_V.mT
    w = weighed(q @ k.mT, mask)
    return w @ v, w


@wrong(C)
def draft_cross_one_matrix(x, memory, W_Q, W_K, W_V, mask):
    """W_Q for all three."""
    q, k, v = x @ W_Q.mT, memory @ W_Q.mT, memory @ W_Q.mT
    w = weighed(q @ k.mT / k.shape[-1] ** 0.5, mask)
    return w @ v, w


@wrong(C)
def draft_cross_fill_where_open(x, memory, W_Q, W_K, W_V, mask):
    """masked_fill(mask, −1e9): the mask turned round."""
    q, k, v = x @ W_Q.mT, memory @ W_K.mT, memory @ W_V.mT
    w = (q @ k.mT / k.shape[-1] ** 0.5).masked_fill(mask, -1e9).softmax(-1)
    return w @ v, w


@wrong(C)
def draft_cross_argmax(x, memory, W_Q, W_K, W_V, mask):
    """Keys of x, values of memory, no mask."""
    q, k, v = x @ W_Q.mT, x @ W_K.mT, memory @ W_V.mT
    w = (q @ k.mT / k.shape[-1] ** 0.5).softmax(-1)
    return w @ v, w


# --- 08.decoder_layer -------------------------------------------------------------------------------------------------

D = "08.decoder_layer"


def tri(y):
    n = y.shape[-2]
    return torch.ones(n, n, dtype=torch.bool).tril()


@wrong(D)
def draft_layer_mask_int(y, memory, attend, cross, ff, n1, n2, n3, m):
    """The mask is made of whole numbers, not of True and False."""
    n = y.shape[-2]
    y = n1(y + attend(y, y, torch.tril(torch.ones(n, n, dtype=torch.long))))
    y = n2(y + cross(y, memory, m))
    return n3(y + ff(y))


@wrong(D)
def draft_layer_triu_1(y, memory, attend, cross, ff, n1, n2, n3, m):
    """triu without diagonal=1, inverted: the diagonal is closed."""
    n = y.shape[-2]
    y = n1(y + attend(y, y, ~torch.ones(n, n, dtype=torch.bool).triu()))
    y = n2(y + cross(y, memory, m))
    return n3(y + ff(y))


@wrong(D)
def draft_layer_pre_norm_and_no_mask(y, memory, attend, cross, ff, n1, n2, n3, m):
    """Pre-norm, and None for the causal mask."""
    h = n1(y)
    y = y + attend(h, h, None)
    y = y + cross(n2(y), memory, m)
    return y + ff(n3(y))


@wrong(D)
def draft_layer_pre_norm_with_memory(y, memory, attend, cross, ff, n1, n2, n3, m):
    """Pre-norm, and self-attention reads only its queries normalised."""
    y = y + attend(n1(y), y, tri(y))
    y = y + cross(n2(y), memory, m)
    return y + ff(n3(y))


@wrong(D)
def draft_layer_no_skips_in_attentions(y, memory, attend, cross, ff, n1, n2, n3, m):
    """The skips of both attentions are missing."""
    y = n1(attend(y, y, tri(y)))
    y = n2(cross(y, memory, m))
    return n3(y + ff(y))


@wrong(D)
def draft_layer_norms_only_last(y, memory, attend, cross, ff, n1, n2, n3, m):
    """The first two norms are missing."""
    y = y + attend(y, y, tri(y))
    y = y + cross(y, memory, m)
    return n3(y + ff(y))


@wrong(D)
def draft_layer_norm_on_results(y, memory, attend, cross, ff, n1, n2, n3, m):
    """The norms are on the attentions' results, then no norm at the end."""
    y = y + n1(attend(y, y, tri(y)))
    y = y + n2(cross(y, memory, m))
    return y + ff(y)


@wrong(D)
def draft_layer_cross_first_and_norms(y, memory, attend, cross, ff, n1, n2, n3, m):
    """The source first, each norm with its sublayer."""
    y = n2(y + cross(y, memory, m))
    y = n1(y + attend(y, y, tri(y)))
    return n3(y + ff(y))


@wrong(D)
def draft_layer_cross_memory_memory(y, memory, attend, cross, ff, n1, n2, n3, m):
    """cross(memory, memory, mask): the source reads itself."""
    y = n1(y + attend(y, y, tri(y)))
    y = n2(y + cross(memory, memory, m))
    return n3(y + ff(y))


@wrong(D)
def draft_layer_forgets_the_first(y, memory, attend, cross, ff, n1, n2, n3, m):
    """The result of the first line isn't used: each goes on from the old y."""
    a = n1(y + attend(y, y, tri(y)))
    b = n2(y + cross(y, memory, m))
    return n3(a + b + ff(b))


@wrong(D)
def draft_layer_ff_of_a(y, memory, attend, cross, ff, n1, n2, n3, m):
    """The feed-forward network reads the first line's result."""
    a = n1(y + attend(y, y, tri(y)))
    b = n2(a + cross(a, memory, m))
    return n3(b + ff(a))


@wrong(D)
def draft_layer_last_skip_of_a(y, memory, attend, cross, ff, n1, n2, n3, m):
    """The last skip starts from the first line's result."""
    a = n1(y + attend(y, y, tri(y)))
    b = n2(a + cross(a, memory, m))
    return n3(a + ff(b))


@wrong(D)
def draft_layer_two_arguments(y, memory, attend, cross, ff, n1, n2, n3, m):
    """attend(y, mask): only two arguments."""
    y = n1(y + attend(y, tri(y)))
    y = n2(y + cross(y, memory, m))
    return n3(y + ff(y))


@wrong(D)
def draft_layer_mask_of_y(y, memory, attend, cross, ff, n1, n2, n3, m):
    """The mask is (n, d_model): ones_like(y)."""
    y = n1(y + attend(y, y, torch.ones_like(y).tril().bool()))
    y = n2(y + cross(y, memory, m))
    return n3(y + ff(y))


@wrong(D)
def draft_layer_mask_and(y, memory, attend, cross, ff, n1, n2, n3, m):
    """memory_mask is combined with the causal mask for self-attention."""
    y = n1(y + attend(y, y, tri(y) & m))
    y = n2(y + cross(y, memory, m))
    return n3(y + ff(y))


@wrong(D)
def draft_layer_no_cross_norm_pre_last(y, memory, attend, cross, ff, n1, n2, n3, m):
    """No mask in self-attention, and norm_1 everywhere."""
    y = n1(y + attend(y, y, None))
    y = n1(y + cross(y, memory, m))
    return n1(y + ff(y))


@wrong(D)
def draft_layer_in_place(y, memory, attend, cross, ff, n1, n2, n3, m):
    """y += changes the input."""
    y += attend(y, y, tri(y))
    y = n1(y)
    y = n2(y + cross(y, memory, m))
    return n3(y + ff(y))


@wrong(D)
def draft_layer_both_masks_none(y, memory, attend, cross, ff, n1, n2, n3, m):
    """No mask in either attention."""
    y = n1(y + attend(y, y, None))
    y = n2(y + cross(y, memory, None))
    return n3(y + ff(y))


@wrong(D)
def draft_layer_memory_before_y(y, memory, attend, cross, ff, n1, n2, n3, m):
    """cross(memory, y) and memory added: the source's rows come out."""
    y = n1(y + attend(y, y, tri(y)))
    z = n2(memory + cross(memory, y, None))
    return n3(z + ff(z))


@wrong(D)
def draft_layer_returns_ff(y, memory, attend, cross, ff, n1, n2, n3, m):
    """The feed-forward's line is without skip, and norm_2 twice."""
    y = n1(y + attend(y, y, tri(y)))
    y = n2(y + cross(y, memory, m))
    return n2(ff(y))


# --- 08.shift ---------------------------------------------------------------------------------------------------------

S = "08.shift"


def col(ids, value):
    return torch.full((len(ids), 1), value)


@wrong(S)
def draft_shift_end_then_cut(ids, start, end, pad):
    """START, words, END at the edge, cut at both sides: END after padding; inputs right."""
    both = torch.cat([col(ids, start), ids, col(ids, end)], dim=1)
    return both[:, :-1], both[:, 1:]


@wrong(S)
def draft_shift_first_pad(ids, start, end, pad):
    """END at the first padding of ids; a full row gets none."""
    targets = torch.cat([ids, col(ids, pad)], 1)
    for row in targets[:, :-1]:
        places = (row == pad).nonzero()
        if len(places):
            row[places[0]] = end
    return torch.cat([col(ids, start), ids], 1), targets


@wrong(S)
def draft_shift_inputs_without_last(ids, start, end, pad):
    """Inputs lose the last column; targets are right."""
    targets = torch.cat([ids, col(ids, pad)], 1)
    targets[torch.arange(len(ids)), (ids != pad).sum(1)] = end
    return torch.cat([col(ids, start), ids[:, :-1]], 1), targets


@wrong(S)
def draft_shift_targets_start_and_end(ids, start, end, pad):
    """The targets begin with START, END is right behind the words: one column too long."""
    targets = torch.cat([col(ids, start), ids, col(ids, pad)], 1)
    targets[torch.arange(len(ids)), (ids != pad).sum(1) + 1] = end
    return torch.cat([col(ids, start), ids], 1), targets


@wrong(S)
def draft_shift_scatter_one_dim(ids, start, end, pad):
    """The index of scatter has one axis."""
    targets = torch.cat([ids, col(ids, pad)], 1)
    return torch.cat([col(ids, start), ids], 1), targets.scatter(1, (ids != pad).sum(1), end)


@wrong(S)
def draft_shift_length_kept(ids, start, end, pad):
    """Lengths are (batch, 1): every row is written at all lengths."""
    targets = torch.cat([ids, col(ids, pad)], 1)
    targets[torch.arange(len(ids)), (ids != pad).sum(1, keepdim=True)] = end
    return torch.cat([col(ids, start), ids], 1), targets


@wrong(S)
def draft_shift_no_column(ids, start, end, pad):
    """No column of padding: a full row is out of range."""
    targets = ids.clone()
    targets[torch.arange(len(ids)), (ids != pad).sum(1)] = end
    return torch.cat([col(ids, start), ids], 1), targets


@wrong(S)
def draft_shift_numbers_in_cat(ids, start, end, pad):
    """torch.tensor([start]) is one axis, ids has two."""
    return torch.cat([torch.tensor([start]), ids], 1), torch.cat([ids, torch.tensor([end])], 1)


@wrong(S)
def draft_shift_numbers_two_axes(ids, start, end, pad):
    """A (1, 1) column for a whole batch."""
    return torch.cat([torch.tensor([[start]]), ids], 1), torch.cat([ids, torch.tensor([[end]])], 1)


@wrong(S)
def draft_shift_rows_of_words(ids, start, end, pad):
    """Lists put together by torch.tensor, END at the end of the row, after padding."""
    return (torch.tensor([[start, *row] for row in ids.tolist()]), torch.tensor([[*row, end] for row in ids.tolist()]))


@wrong(S)
def draft_shift_end_overwrites_pad_first(ids, start, end, pad):
    """END in the inputs at the first padding, too."""
    inputs, targets = torch.cat([col(ids, start), ids], 1), torch.cat([ids, col(ids, pad)], 1)
    rows, n = torch.arange(len(ids)), (ids != pad).sum(1)
    targets[rows, n] = end
    inputs[rows, n] = end
    return inputs, targets


@wrong(S)
def draft_shift_where(ids, start, end, pad):
    """Every padding becomes END, and the inputs are cut."""
    full = torch.cat([ids, col(ids, pad)], 1)
    return torch.cat([col(ids, start), ids[:, :-1]], 1), torch.where(full == pad, end, full)


@wrong(S)
def draft_shift_roll(ids, start, end, pad):
    """Rolled: the last becomes START; targets have END in the last column."""
    inputs = ids.roll(1, 1)
    inputs[:, 0] = start
    return inputs, torch.cat([ids, col(ids, end)], 1)


@wrong(S)
def draft_shift_returns_dict(ids, start, end, pad):
    """Only the words and END: targets alone."""
    targets = torch.cat([ids, col(ids, pad)], 1)
    targets[torch.arange(len(ids)), (ids != pad).sum(1)] = end
    return targets


@wrong(S)
def draft_shift_end_in_inputs_start_in_targets(ids, start, end, pad):
    """START and END have changed places."""
    targets = torch.cat([ids, col(ids, pad)], 1)
    targets[torch.arange(len(ids)), (ids != pad).sum(1)] = start
    return torch.cat([col(ids, end), ids], 1), targets


@wrong(S)
def draft_shift_argmin(ids, start, end, pad):
    """ids.min over the row for the length: words aren't counted."""
    targets = torch.cat([ids, col(ids, pad)], 1)
    targets[torch.arange(len(ids)), ids.argmin(1)] = end
    return torch.cat([col(ids, start), ids], 1), targets


@wrong(S)
def draft_shift_last_is_end_always(ids, start, end, pad):
    """END replaces the last column of ids; no column is added to the targets."""
    targets = ids.clone()
    targets[:, -1] = end
    return torch.cat([col(ids, start), ids], 1), targets


@wrong(S)
def draft_shift_both_by_words(ids, start, end, pad):
    """Inputs are the words, targets the words one further (a language model's shift), END added."""
    targets = torch.cat([ids[:, 1:], col(ids, pad)], 1)
    targets[torch.arange(len(ids)), (ids != pad).sum(1) - 1] = end
    return ids, targets


@wrong(S)
def draft_shift_stack(ids, start, end, pad):
    """torch.stack for torch.cat."""
    return torch.stack([col(ids, start), ids], 1), torch.stack([ids, col(ids, end)], 1)


@wrong(S)
def draft_shift_lengths_plus_one_in_the_inputs(ids, start, end, pad):
    """The inputs lose each text's last word, END overwrites the last word in the targets."""
    rows, n = torch.arange(len(ids)), (ids != pad).sum(1)
    inputs, targets = torch.cat([col(ids, start), ids], 1), torch.cat([ids, col(ids, pad)], 1)
    inputs[rows, n] = pad
    targets[rows, n - 1] = end
    return inputs, targets
