"""What a fresh student tried in lesson 08, Encoder and decoder, in two sets. Each docstring says what is really wrong."""

import torch
import torch.nn.functional as F

from course_lib import attention, masks
from unlisted_mistakes import wrong


@wrong("08.cross_attention")
def student_08_cross_attention_kv_from_x_self_attention(x, memory, W_Q, W_K, W_V, mask):
    """Memory never used."""
    Q, K, V = x @ W_Q.mT, x @ W_K.mT, x @ W_V.mT
    s = Q @ K.mT / K.shape[-1] ** 0.5
    s = s.masked_fill(~mask, float("-inf"))
    w = s.softmax(-1)
    return w @ V, w


@wrong("08.cross_attention")
def student_08_cross_attention_v_from_x(x, memory, W_Q, W_K, W_V, mask):
    """Values from x."""
    Q, K, V = x @ W_Q.mT, memory @ W_K.mT, x @ W_V.mT
    s = Q @ K.mT / K.shape[-1] ** 0.5
    s = s.masked_fill(~mask, float("-inf"))
    w = s.softmax(-1)
    return w @ V, w


@wrong("08.cross_attention")
def student_08_cross_attention_k_from_x_only(x, memory, W_Q, W_K, W_V, mask):
    """Keys from x."""
    Q, K, V = x @ W_Q.mT, x @ W_K.mT, memory @ W_V.mT
    s = Q @ K.mT / K.shape[-1] ** 0.5
    s = s.masked_fill(~mask, float("-inf"))
    w = s.softmax(-1)
    return w @ V, w


@wrong("08.cross_attention")
def student_08_cross_attention_roles_swapped_q_from_memory(x, memory, W_Q, W_K, W_V, mask):
    """Queries from the memory, keys/values from x."""
    Q, K, V = memory @ W_Q.mT, x @ W_K.mT, x @ W_V.mT
    s = Q @ K.mT / K.shape[-1] ** 0.5
    s = s.masked_fill(~mask.mT, float("-inf"))
    w = s.softmax(-1)
    return w @ V, w


@wrong("08.cross_attention")
def student_08_cross_attention_no_transposing_of_w(x, memory, W_Q, W_K, W_V, mask):
    """W not transposed."""
    Q, K, V = x @ W_Q, memory @ W_K, memory @ W_V
    s = Q @ K.mT / K.shape[-1] ** 0.5
    s = s.masked_fill(~mask, float("-inf"))
    w = s.softmax(-1)
    return w @ V, w


@wrong("08.cross_attention")
def student_08_cross_attention_softmax_over_queries(x, memory, W_Q, W_K, W_V, mask):
    """Softmax over wrong axis."""
    Q, K, V = x @ W_Q.mT, memory @ W_K.mT, memory @ W_V.mT
    s = Q @ K.mT / K.shape[-1] ** 0.5
    s = s.masked_fill(~mask, float("-inf"))
    w = s.softmax(-2)
    return w @ V, w


@wrong("08.cross_attention")
def student_08_cross_attention_mask_inverted(x, memory, W_Q, W_K, W_V, mask):
    """Mask True treated as hidden."""
    Q, K, V = x @ W_Q.mT, memory @ W_K.mT, memory @ W_V.mT
    s = Q @ K.mT / K.shape[-1] ** 0.5
    s = s.masked_fill(mask, float("-inf"))
    w = s.softmax(-1)
    return w @ V, w


@wrong("08.cross_attention")
def student_08_cross_attention_mask_ignored(x, memory, W_Q, W_K, W_V, mask):
    """Mask ignored."""
    Q, K, V = x @ W_Q.mT, memory @ W_K.mT, memory @ W_V.mT
    w = (Q @ K.mT / K.shape[-1] ** 0.5).softmax(-1)
    return w @ V, w


@wrong("08.cross_attention")
def student_08_cross_attention_mask_after_softmax_without_renorm(x, memory, W_Q, W_K, W_V, mask):
    """Mask applied to weights after softmax."""
    Q, K, V = x @ W_Q.mT, memory @ W_K.mT, memory @ W_V.mT
    w = (Q @ K.mT / K.shape[-1] ** 0.5).softmax(-1) * mask
    return w @ V, w


@wrong("08.cross_attention")
def student_08_cross_attention_masked_with_zero(x, memory, W_Q, W_K, W_V, mask):
    """Closed scores set to 0, not -inf."""
    Q, K, V = x @ W_Q.mT, memory @ W_K.mT, memory @ W_V.mT
    s = Q @ K.mT / K.shape[-1] ** 0.5
    w = s.masked_fill(~mask, 0).softmax(-1)
    return w @ V, w


@wrong("08.cross_attention")
def student_08_cross_attention_masked_1e9_added_mask(x, memory, W_Q, W_K, W_V, mask):
    """Mask multiplied to scores."""
    Q, K, V = x @ W_Q.mT, memory @ W_K.mT, memory @ W_V.mT
    s = Q @ K.mT / K.shape[-1] ** 0.5 * mask
    w = s.softmax(-1)
    return w @ V, w


@wrong("08.cross_attention")
def student_08_cross_attention_divided_by_sqrt_d_model(x, memory, W_Q, W_K, W_V, mask):
    """Sqrt(d_model) instead of d_k."""
    Q, K, V = x @ W_Q.mT, memory @ W_K.mT, memory @ W_V.mT
    s = Q @ K.mT / x.shape[-1] ** 0.5
    w = s.masked_fill(~mask, float("-inf")).softmax(-1)
    return w @ V, w


@wrong("08.cross_attention")
def student_08_cross_attention_divided_by_sqrt_d_v(x, memory, W_Q, W_K, W_V, mask):
    """Sqrt(d_v) instead of d_k."""
    Q, K, V = x @ W_Q.mT, memory @ W_K.mT, memory @ W_V.mT
    s = Q @ K.mT / V.shape[-1] ** 0.5
    w = s.masked_fill(~mask, float("-inf")).softmax(-1)
    return w @ V, w


@wrong("08.cross_attention")
def student_08_cross_attention_divided_by_d_k(x, memory, W_Q, W_K, W_V, mask):
    """D_k not root."""
    Q, K, V = x @ W_Q.mT, memory @ W_K.mT, memory @ W_V.mT
    s = Q @ K.mT / K.shape[-1]
    w = s.masked_fill(~mask, float("-inf")).softmax(-1)
    return w @ V, w


@wrong("08.cross_attention")
def student_08_cross_attention_no_scale_and_wrong_text_two(x, memory, W_Q, W_K, W_V, mask):
    """No scale, values from x."""
    Q, K, V = x @ W_Q.mT, memory @ W_K.mT, x @ W_V.mT
    w = (Q @ K.mT).masked_fill(~mask, float("-inf")).softmax(-1)
    return w @ V, w


@wrong("08.cross_attention")
def student_08_cross_attention_no_scale_and_mask_ignored_two(x, memory, W_Q, W_K, W_V, mask):
    """No scale, no mask."""
    Q, K, V = x @ W_Q.mT, memory @ W_K.mT, memory @ W_V.mT
    w = (Q @ K.mT).softmax(-1)
    return w @ V, w


@wrong("08.cross_attention")
def student_08_cross_attention_order_of_results(x, memory, W_Q, W_K, W_V, mask):
    """Weights, output swapped."""
    Q, K, V = x @ W_Q.mT, memory @ W_K.mT, memory @ W_V.mT
    s = Q @ K.mT / K.shape[-1] ** 0.5
    w = s.masked_fill(~mask, float("-inf")).softmax(-1)
    return w, w @ V


@wrong("08.cross_attention")
def student_08_cross_attention_returns_only_output(x, memory, W_Q, W_K, W_V, mask):
    """Weights missing."""
    Q, K, V = x @ W_Q.mT, memory @ W_K.mT, memory @ W_V.mT
    s = Q @ K.mT / K.shape[-1] ** 0.5
    w = s.masked_fill(~mask, float("-inf")).softmax(-1)
    return w @ V


@wrong("08.cross_attention")
def student_08_cross_attention_returns_scores(x, memory, W_Q, W_K, W_V, mask):
    """Scores before softmax returned as weights."""
    Q, K, V = x @ W_Q.mT, memory @ W_K.mT, memory @ W_V.mT
    s = Q @ K.mT / K.shape[-1] ** 0.5
    s = s.masked_fill(~mask, float("-inf"))
    return s.softmax(-1) @ V, s


@wrong("08.cross_attention")
def student_08_cross_attention_t_on_batches(x, memory, W_Q, W_K, W_V, mask):
    """.T reverses all axes."""
    Q, K, V = x @ W_Q.T, memory @ W_K.T, memory @ W_V.T
    s = Q @ K.T / K.shape[-1] ** 0.5
    w = s.masked_fill(~mask, float("-inf")).softmax(-1)
    return w @ V, w


@wrong("08.cross_attention")
def student_08_cross_attention_transpose_0_1(x, memory, W_Q, W_K, W_V, mask):
    """Transposes first two axes."""
    Q, K, V = x @ W_Q.T, memory @ W_K.T, memory @ W_V.T
    s = Q @ K.transpose(0, 1) / K.shape[-1] ** 0.5
    w = s.masked_fill(~mask, float("-inf")).softmax(-1)
    return w @ V, w


@wrong("08.cross_attention")
def student_08_cross_attention_w_v_forgotten(x, memory, W_Q, W_K, W_V, mask):
    """Values are the memory itself."""
    Q, K = x @ W_Q.mT, memory @ W_K.mT
    s = Q @ K.mT / K.shape[-1] ** 0.5
    w = s.masked_fill(~mask, float("-inf")).softmax(-1)
    return w @ memory, w


@wrong("08.cross_attention")
def student_08_cross_attention_w_k_used_for_v(x, memory, W_Q, W_K, W_V, mask):
    """W_K in place of W_V."""
    Q, K, V = x @ W_Q.mT, memory @ W_K.mT, memory @ W_K.mT
    s = Q @ K.mT / K.shape[-1] ** 0.5
    w = s.masked_fill(~mask, float("-inf")).softmax(-1)
    return w @ V, w


@wrong("08.cross_attention")
def student_08_cross_attention_causal_mask_too(x, memory, W_Q, W_K, W_V, mask):
    """Additional causal mask on cross attention."""
    Q, K, V = x @ W_Q.mT, memory @ W_K.mT, memory @ W_V.mT
    s = Q @ K.mT / K.shape[-1] ** 0.5
    n, m = s.shape[-2:]
    mask = mask & torch.ones(n, m, dtype=torch.bool).tril()
    w = s.masked_fill(~mask, float("-inf")).softmax(-1)
    return w @ V, w


@wrong("08.cross_attention")
def student_08_cross_attention_weights_transposed(x, memory, W_Q, W_K, W_V, mask):
    """(m, n)."""
    Q, K, V = x @ W_Q.mT, memory @ W_K.mT, memory @ W_V.mT
    s = K @ Q.mT / K.shape[-1] ** 0.5
    w = s.masked_fill(~mask.mT, float("-inf")).softmax(-1)
    return w.mT @ V, w


@wrong("08.decoder_layer")
def student_08_decoder_layer_no_causal_mask_none(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """None instead of causal mask."""
    y = norm_1(y + self_attention(y, y, None))
    y = norm_2(y + cross_attention(y, memory, memory_mask))
    return norm_3(y + feed_forward(y))


@wrong("08.decoder_layer")
def student_08_decoder_layer_ones_mask(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """Mask all True."""
    n = y.shape[-2]
    y = norm_1(y + self_attention(y, y, torch.ones(n, n, dtype=torch.bool)))
    y = norm_2(y + cross_attention(y, memory, memory_mask))
    return norm_3(y + feed_forward(y))


@wrong("08.decoder_layer")
def student_08_decoder_layer_memory_mask_for_self(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """Source's mask for self-attention."""
    y = norm_1(y + self_attention(y, y, memory_mask))
    y = norm_2(y + cross_attention(y, memory, memory_mask))
    return norm_3(y + feed_forward(y))


@wrong("08.decoder_layer")
def student_08_decoder_layer_pre_norm(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """Pre-norm."""
    mask = masks.causal_mask(y.shape[-2])
    h = norm_1(y)
    y = y + self_attention(h, h, mask)
    y = y + cross_attention(norm_2(y), memory, memory_mask)
    return y + feed_forward(norm_3(y))


@wrong("08.decoder_layer")
def student_08_decoder_layer_residual_missing_in_cross(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """Residual missing around cross-attention."""
    mask = masks.causal_mask(y.shape[-2])
    y = norm_1(y + self_attention(y, y, mask))
    y = norm_2(cross_attention(y, memory, memory_mask))
    return norm_3(y + feed_forward(y))


@wrong("08.decoder_layer")
def student_08_decoder_layer_all_residuals_missing(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """No residuals."""
    mask = masks.causal_mask(y.shape[-2])
    y = norm_1(self_attention(y, y, mask))
    y = norm_2(cross_attention(y, memory, memory_mask))
    return norm_3(feed_forward(y))


@wrong("08.decoder_layer")
def student_08_decoder_layer_residual_from_the_original_y(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """Cross residual adds the original y."""
    mask = masks.causal_mask(y.shape[-2])
    y1 = norm_1(y + self_attention(y, y, mask))
    y2 = norm_2(y + cross_attention(y1, memory, memory_mask))
    return norm_3(y2 + feed_forward(y2))


@wrong("08.decoder_layer")
def student_08_decoder_layer_cross_queries_from_original_y(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """Cross asks with original y."""
    mask = masks.causal_mask(y.shape[-2])
    y1 = norm_1(y + self_attention(y, y, mask))
    y2 = norm_2(y1 + cross_attention(y, memory, memory_mask))
    return norm_3(y2 + feed_forward(y2))


@wrong("08.decoder_layer")
def student_08_decoder_layer_cross_first(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """Cross before self."""
    mask = masks.causal_mask(y.shape[-2])
    y = norm_1(y + cross_attention(y, memory, memory_mask))
    y = norm_2(y + self_attention(y, y, mask))
    return norm_3(y + feed_forward(y))


@wrong("08.decoder_layer")
def student_08_decoder_layer_cross_args_swapped(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """Memory asks."""
    mask = masks.causal_mask(y.shape[-2])
    y = norm_1(y + self_attention(y, y, mask))
    y = norm_2(y + cross_attention(memory, y, memory_mask))
    return norm_3(y + feed_forward(y))


@wrong("08.decoder_layer")
def student_08_decoder_layer_cross_with_y_y(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """Cross looks at target."""
    mask = masks.causal_mask(y.shape[-2])
    y = norm_1(y + self_attention(y, y, mask))
    y = norm_2(y + cross_attention(y, y, memory_mask))
    return norm_3(y + feed_forward(y))


@wrong("08.decoder_layer")
def student_08_decoder_layer_self_attention_called_on_memory(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """Self called with memory."""
    mask = masks.causal_mask(y.shape[-2])
    y = norm_1(y + self_attention(y, memory, mask))
    y = norm_2(y + cross_attention(y, memory, memory_mask))
    return norm_3(y + feed_forward(y))


@wrong("08.decoder_layer")
def student_08_decoder_layer_inverted_causal_mask_torch(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """True = hidden."""
    n = y.shape[-2]
    mask = torch.ones(n, n, dtype=torch.bool).triu(1)
    y = norm_1(y + self_attention(y, y, mask))
    y = norm_2(y + cross_attention(y, memory, memory_mask))
    return norm_3(y + feed_forward(y))


@wrong("08.decoder_layer")
def student_08_decoder_layer_tril_1(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """Diagonal closed."""
    n = y.shape[-2]
    mask = torch.ones(n, n, dtype=torch.bool).tril(-1)
    y = norm_1(y + self_attention(y, y, mask))
    y = norm_2(y + cross_attention(y, memory, memory_mask))
    return norm_3(y + feed_forward(y))


@wrong("08.decoder_layer")
def student_08_decoder_layer_causal_size_from_batch(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """Size from y.shape[0]."""
    mask = masks.causal_mask(y.shape[0])
    y = norm_1(y + self_attention(y, y, mask))
    y = norm_2(y + cross_attention(y, memory, memory_mask))
    return norm_3(y + feed_forward(y))


@wrong("08.decoder_layer")
def student_08_decoder_layer_causal_size_from_memory(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """Size m."""
    mask = masks.causal_mask(memory.shape[-2])
    y = norm_1(y + self_attention(y, y, mask))
    y = norm_2(y + cross_attention(y, memory, memory_mask))
    return norm_3(y + feed_forward(y))


@wrong("08.decoder_layer")
def student_08_decoder_layer_float_mask(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """Dtype float mask."""
    n = y.shape[-2]
    mask = torch.tril(torch.ones(n, n))
    y = norm_1(y + self_attention(y, y, mask))
    y = norm_2(y + cross_attention(y, memory, memory_mask))
    return norm_3(y + feed_forward(y))


@wrong("08.decoder_layer")
def student_08_decoder_layer_causal_memory_mask_for_cross(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """Causal mask on cross too."""
    mask = masks.causal_mask(y.shape[-2])
    y = norm_1(y + self_attention(y, y, mask))
    y = norm_2(y + cross_attention(y, memory, mask))
    return norm_3(y + feed_forward(y))


@wrong("08.decoder_layer")
def student_08_decoder_layer_last_norm_forgotten(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """Norm_3 missing."""
    mask = masks.causal_mask(y.shape[-2])
    y = norm_1(y + self_attention(y, y, mask))
    y = norm_2(y + cross_attention(y, memory, memory_mask))
    return y + feed_forward(y)


@wrong("08.decoder_layer")
def student_08_decoder_layer_norm_1_thrice(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """Norm_1 used thrice."""
    mask = masks.causal_mask(y.shape[-2])
    y = norm_1(y + self_attention(y, y, mask))
    y = norm_1(y + cross_attention(y, memory, memory_mask))
    return norm_1(y + feed_forward(y))


@wrong("08.decoder_layer")
def student_08_decoder_layer_in_place(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """Y changed in place."""
    mask = masks.causal_mask(y.shape[-2])
    y += self_attention(y, y, mask)
    y = norm_1(y)
    y += cross_attention(y, memory, memory_mask)
    y = norm_2(y)
    y += feed_forward(y)
    return norm_3(y)


@wrong("08.decoder_layer")
def student_08_decoder_layer_norm_memory_too(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """Norm on memory."""
    mask = masks.causal_mask(y.shape[-2])
    y = norm_1(y + self_attention(y, y, mask))
    y = norm_2(y + cross_attention(y, norm_2(memory), memory_mask))
    return norm_3(y + feed_forward(y))


@wrong("08.decoder_layer")
def student_08_decoder_layer_feed_forward_skipped_in_the_middle_cross_out_o(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """Norm around sublayer only: y + norm(sub(y))."""
    mask = masks.causal_mask(y.shape[-2])
    y = y + norm_1(self_attention(y, y, mask))
    y = y + norm_2(cross_attention(y, memory, memory_mask))
    return y + norm_3(feed_forward(y))


@wrong("08.decoder_layer")
def student_08_decoder_layer_no_causal_pre_norm_two(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """No mask and pre-norm."""
    h = norm_1(y)
    n = y.shape[-2]
    y = y + self_attention(h, h, torch.ones(n, n, dtype=torch.bool))
    y = y + cross_attention(norm_2(y), memory, memory_mask)
    return y + feed_forward(norm_3(y))


@wrong("08.decoder_layer")
def student_08_decoder_layer_forgets_masks_argument(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """Missing argument mask."""
    y = norm_1(y + self_attention(y, y))
    y = norm_2(y + cross_attention(y, memory))
    return norm_3(y + feed_forward(y))


@wrong("08.decoder_layer")
def student_08_decoder_layer_no_feed_forward(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """FF missing."""
    mask = masks.causal_mask(y.shape[-2])
    y = norm_1(y + self_attention(y, y, mask))
    return norm_2(y + cross_attention(y, memory, memory_mask))


@wrong("08.shift")
def student_08_shift_end_at_last_column(ids, start, end, pad):
    """END after padding."""
    b = ids.shape[0]
    inputs = torch.cat([torch.full((b, 1), start), ids], 1)
    targets = torch.cat([ids, torch.full((b, 1), end)], 1)
    return inputs, targets


@wrong("08.shift")
def student_08_shift_swapped_results(ids, start, end, pad):
    """Targets, inputs swapped."""
    b = ids.shape[0]
    inputs = torch.cat([torch.full((b, 1), start), ids], 1)
    n = (ids != pad).sum(1)
    targets = torch.cat([ids, torch.full((b, 1), pad)], 1)
    targets[torch.arange(b), n] = end
    return targets, inputs


@wrong("08.shift")
def student_08_shift_start_and_end_in_both(ids, start, end, pad):
    """END also in inputs."""
    b = ids.shape[0]
    n = (ids != pad).sum(1)
    targets = torch.cat([ids, torch.full((b, 1), pad)], 1)
    targets[torch.arange(b), n] = end
    inputs = torch.cat([torch.full((b, 1), start), targets[:, :-1]], 1)
    return inputs, targets


@wrong("08.shift")
def student_08_shift_length_n_drop_last(ids, start, end, pad):
    """Last column dropped: n instead of n+1."""
    b = ids.shape[0]
    inputs = torch.cat([torch.full((b, 1), start), ids[:, :-1]], 1)
    return inputs, ids


@wrong("08.shift")
def student_08_shift_n_2(ids, start, end, pad):
    """START + words + END both."""
    b = ids.shape[0]
    n = (ids != pad).sum(1)
    t = torch.cat([torch.full((b, 1), start), ids, torch.full((b, 1), pad)], 1)
    t[torch.arange(b), n + 1] = end
    return t, t


@wrong("08.shift")
def student_08_shift_no_end(ids, start, end, pad):
    """END missing."""
    b = ids.shape[0]
    inputs = torch.cat([torch.full((b, 1), start), ids], 1)
    targets = torch.cat([ids, torch.full((b, 1), pad)], 1)
    return inputs, targets


@wrong("08.shift")
def student_08_shift_padded_in_front_of_end_roll(ids, start, end, pad):
    """Roll: last goes to the front."""
    inputs = ids.roll(1, dims=1)
    inputs[:, 0] = start
    targets = ids.clone()
    targets[:, -1] = end
    return inputs, targets


@wrong("08.shift")
def student_08_shift_end_overwrites_last_word(ids, start, end, pad):
    """END over the last word."""
    b = ids.shape[0]
    n = (ids != pad).sum(1)
    inputs = torch.cat([torch.full((b, 1), start), ids], 1)
    targets = torch.cat([ids, torch.full((b, 1), pad)], 1)
    targets[torch.arange(b), n - 1] = end
    return inputs, targets


@wrong("08.shift")
def student_08_shift_end_one_too_far(ids, start, end, pad):
    """END one place too late."""
    b, w = ids.shape
    n = (ids != pad).sum(1)
    inputs = torch.cat([torch.full((b, 1), start), ids], 1)
    targets = torch.cat([ids, torch.full((b, 1), pad)], 1)
    targets[torch.arange(b), (n + 1).clamp(max=w)] = end
    return inputs, targets


@wrong("08.shift")
def student_08_shift_all_pads_become_end(ids, start, end, pad):
    """END at every padding place."""
    b = ids.shape[0]
    inputs = torch.cat([torch.full((b, 1), start), ids], 1)
    targets = torch.cat([ids, torch.full((b, 1), pad)], 1)
    targets[targets == pad] = end
    return inputs, targets


@wrong("08.shift")
def student_08_shift_pad_0_assumed(ids, start, end, pad):
    """0 assumed for padding."""
    b = ids.shape[0]
    n = (ids != 0).sum(1)
    inputs = torch.cat([torch.full((b, 1), start), ids], 1)
    targets = torch.cat([ids, torch.full((b, 1), 0)], 1)
    targets[torch.arange(b), n] = end
    return inputs, targets


@wrong("08.shift")
def student_08_shift_same_end_place_for_all_longest(ids, start, end, pad):
    """END at longest for all."""
    b = ids.shape[0]
    n = (ids != pad).sum(1).max()
    inputs = torch.cat([torch.full((b, 1), start), ids], 1)
    targets = torch.cat([ids, torch.full((b, 1), pad)], 1)
    targets[:, n] = end
    return inputs, targets


@wrong("08.shift")
def student_08_shift_targets_n_end_row_vs_index(ids, start, end, pad):
    """Index without rows."""
    b = ids.shape[0]
    n = (ids != pad).sum(1)
    inputs = torch.cat([torch.full((b, 1), start), ids], 1)
    targets = torch.cat([ids, torch.full((b, 1), pad)], 1)
    targets[:, n] = end
    return inputs, targets


@wrong("08.shift")
def student_08_shift_float(ids, start, end, pad):
    """Float dtype."""
    b = ids.shape[0]
    n = (ids != pad).sum(1)
    inputs = torch.cat([torch.ones(b, 1) * start, ids], 1)
    targets = torch.cat([ids, torch.ones(b, 1) * pad], 1)
    targets[torch.arange(b), n] = end
    return inputs, targets


@wrong("08.shift")
def student_08_shift_lists(ids, start, end, pad):
    """Lists instead of tensors."""
    inputs, targets = [], []
    for row in ids.tolist():
        w = [i for i in row if i != pad]
        fill = [pad] * (len(row) - len(w))
        inputs.append([start] + w + fill)
        targets.append(w + [end] + fill)
    return inputs, targets


@wrong("08.shift")
def student_08_shift_in_place_on_ids(ids, start, end, pad):
    """Changes ids."""
    b, w = ids.shape
    inputs = torch.cat([torch.full((b, 1), start), ids], 1)
    n = (ids != pad).sum(1)
    ids.resize_(b, w)
    targets = torch.cat([ids, torch.full((b, 1), pad)], 1)
    targets[torch.arange(b), n] = end
    ids[ids == pad] = end
    return inputs, targets


@wrong("08.shift")
def student_08_shift_wrong_axis_cat(ids, start, end, pad):
    """Cat along the batch."""
    b, w = ids.shape
    inputs = torch.cat([torch.full((1, w), start), ids], 0)
    targets = torch.cat([ids, torch.full((1, w), end)], 0)
    return inputs, targets


@wrong("08.shift")
def student_08_shift_ragged_padding_dropped_in_loop_end_at_first_pad_only_i(ids, start, end, pad):
    """Full rows get no END."""
    b, w = ids.shape
    inputs = torch.cat([torch.full((b, 1), start), ids], 1)
    targets = torch.cat([ids, torch.full((b, 1), pad)], 1)
    for r in range(b):
        for c in range(w):
            if targets[r, c] == pad:
                targets[r, c] = end
                break
    return inputs, targets


@wrong("08.shift")
def student_08_shift_start_at_the_end_end_at_front_left_shift(ids, start, end, pad):
    """Shifted left."""
    b, w = ids.shape
    inputs = torch.cat([ids, torch.full((b, 1), start)], 1)
    targets = torch.cat([torch.full((b, 1), end), ids], 1)
    return inputs, targets


@wrong("08.shift")
def student_08_shift_list_of_unequal_lengths(ids, start, end, pad):
    """Unpadded."""
    ins = [torch.tensor([start] + [i for i in r if i != pad]) for r in ids.tolist()]
    outs = [torch.tensor([i for i in r if i != pad] + [end]) for r in ids.tolist()]
    return ins, outs


@wrong("08.tied")
def student_08_tied_only_clone_fixed(table, step, ids, states):
    """Vocab root and logits root left."""
    table = table + step
    output_table = table
    vectors = table[ids] * table.shape[0] ** 0.5
    logits = states @ output_table.mT * table.shape[1] ** 0.5
    return vectors, logits


@wrong("08.tied")
def student_08_tied_clone_moved_after_root_fixed_logits_scaled(table, step, ids, states):
    """Logits still times root."""
    table = table + step
    vectors = table[ids] * table.shape[1] ** 0.5
    logits = states @ table.mT * table.shape[1] ** 0.5
    return vectors, logits


@wrong("08.tied")
def student_08_tied_output_old_table(table, step, ids, states):
    """Old table at output."""
    output_table = table.clone()
    table = table + step
    vectors = table[ids] * table.shape[1] ** 0.5
    logits = states @ output_table.mT
    return vectors, logits


@wrong("08.tied")
def student_08_tied_both_old(table, step, ids, states):
    """Step never added."""
    vectors = table[ids] * table.shape[1] ** 0.5
    logits = states @ table.mT
    return vectors, logits


@wrong("08.tied")
def student_08_tied_vocab_root_left(table, step, ids, states):
    """Root of vocab."""
    table = table + step
    vectors = table[ids] * table.shape[0] ** 0.5
    logits = states @ table.mT
    return vectors, logits


@wrong("08.tied")
def student_08_tied_no_root_at_all(table, step, ids, states):
    """Root missing at input."""
    table = table + step
    return table[ids], states @ table.mT


@wrong("08.tied")
def student_08_tied_divide_at_logits(table, step, ids, states):
    """Logits divided by root d."""
    table = table + step
    return table[ids] * table.shape[1] ** 0.5, states @ table.mT / table.shape[1] ** 0.5


@wrong("08.tied")
def student_08_tied_divide_at_input(table, step, ids, states):
    """Divided at input."""
    table = table + step
    return table[ids] / table.shape[1] ** 0.5, states @ table.mT


@wrong("08.tied")
def student_08_tied_roots_swapped(table, step, ids, states):
    """Root at output rather than input."""
    table = table + step
    return table[ids], states @ table.mT * table.shape[1] ** 0.5


@wrong("08.tied")
def student_08_tied_times_d(table, step, ids, states):
    """D rather than root."""
    table = table + step
    return table[ids] * table.shape[1], states @ table.mT


@wrong("08.tied")
def student_08_tied_in_place(table, step, ids, states):
    """Table changed in place."""
    table += step
    return table[ids] * table.shape[1] ** 0.5, states @ table.mT


@wrong("08.tied")
def student_08_tied_step_subtracted(table, step, ids, states):
    """Sign."""
    table = table - step
    return table[ids] * table.shape[1] ** 0.5, states @ table.mT


@wrong("08.tied")
def student_08_tied_step_on_output_only(table, step, ids, states):
    """Input old."""
    output_table = table + step
    vectors = table[ids] * table.shape[1] ** 0.5
    return vectors, states @ output_table.mT


@wrong("08.tied")
def student_08_tied_step_twice(table, step, ids, states):
    """Step added twice (output = +2 step)."""
    table = table + step
    output_table = table + step
    return table[ids] * table.shape[1] ** 0.5, states @ output_table.mT


@wrong("08.tied")
def student_08_tied_softmax(table, step, ids, states):
    """Probabilities rather than logits."""
    table = table + step
    return table[ids] * table.shape[1] ** 0.5, (states @ table.mT).softmax(-1)


@wrong("08.tied")
def student_08_tied_no_transpose(table, step, ids, states):
    """No transpose: shapes."""
    table = table + step
    return table[ids] * table.shape[1] ** 0.5, states @ table


@wrong("08.tied")
def student_08_tied_detached(table, step, ids, states):
    """Clone/detach - no gradient at output."""
    table = table + step
    output_table = table.clone().detach()
    return table[ids] * table.shape[1] ** 0.5, states @ output_table.mT


@wrong("08.tied")
def student_08_tied_scaled_table_shared(table, step, ids, states):
    """Whole table scaled."""
    table = (table + step) * table.shape[1] ** 0.5
    return table[ids], states @ table.mT


@wrong("08.tied")
def student_08_tied_scaling_before_step(table, step, ids, states):
    """Step not scaled: table*sqrt + step."""
    vectors = table[ids] * table.shape[1] ** 0.5 + step[ids]
    return vectors, states @ (table + step).mT


@wrong("08.tied")
def student_08_tied_log_softmax_swapped_outputs(table, step, ids, states):
    """Order swapped."""
    table = table + step
    return states @ table.mT, table[ids] * table.shape[1] ** 0.5


@wrong("08.cross_attention")
def student_08_cross_attention_roles_swapped_mask_as_is(x, memory, W_Q, W_K, W_V, mask):
    """Queries from memory, keys and values from x."""
    Q, K, V = memory @ W_Q.T, x @ W_K.T, x @ W_V.T
    s = (Q @ K.mT) / Q.shape[-1] ** 0.5
    s = s.masked_fill(not mask, float("-inf"))
    w = torch.softmax(s, dim=-1)
    return w @ V, w


@wrong("08.cross_attention")
def student_08_cross_attention_1e9_multiplied_wrong_sign(x, memory, W_Q, W_K, W_V, mask):
    """Open places get -1e9 (mask * -1e9)."""
    Q, K, V = x @ W_Q.T, memory @ W_K.T, memory @ W_V.T
    s = (Q @ K.mT) / Q.shape[-1] ** 0.5 + mask * -1e9
    w = torch.softmax(s, dim=-1)
    return w @ V, w


@wrong("08.cross_attention")
def student_08_cross_attention_no_scale(x, memory, W_Q, W_K, W_V, mask):
    """Scale missing."""
    Q, K, V = x @ W_Q.T, memory @ W_K.T, memory @ W_V.T
    w = torch.softmax((Q @ K.mT).masked_fill(~mask, -1e9), dim=-1)
    return w @ V, w


@wrong("08.cross_attention")
def student_08_cross_attention_scale_after_softmax(x, memory, W_Q, W_K, W_V, mask):
    """Weights divided by root d_k after softmax."""
    Q, K, V = x @ W_Q.T, memory @ W_K.T, memory @ W_V.T
    w = torch.softmax((Q @ K.mT).masked_fill(~mask, -1e9), dim=-1) / K.shape[-1] ** 0.5
    return w @ V, w


@wrong("08.cross_attention")
def student_08_cross_attention_multiplied_by_sqrt(x, memory, W_Q, W_K, W_V, mask):
    """Multiplied by the root instead of divided."""
    Q, K, V = x @ W_Q.T, memory @ W_K.T, memory @ W_V.T
    w = torch.softmax((Q @ K.mT * K.shape[-1] ** 0.5).masked_fill(~mask, -1e9), dim=-1)
    return w @ V, w


@wrong("08.cross_attention")
def student_08_cross_attention_scale_size_0_of_w_wrong_w_q_shape_1(x, memory, W_Q, W_K, W_V, mask):
    """D_model for d_k."""
    Q, K, V = x @ W_Q.T, memory @ W_K.T, memory @ W_V.T
    w = torch.softmax((Q @ K.mT / W_Q.shape[1] ** 0.5).masked_fill(~mask, -1e9), dim=-1)
    return w @ V, w


@wrong("08.cross_attention")
def student_08_cross_attention_values_without_weights_sum_of_attention_over(x, memory, W_Q, W_K, W_V, mask):
    """Output = weights.mT @ ...."""
    Q, K, V = x @ W_Q.T, memory @ W_K.T, memory @ W_V.T
    w = torch.softmax((Q @ K.mT / K.shape[-1] ** 0.5).masked_fill(~mask, -1e9), dim=-1)
    return w.mT @ V, w


@wrong("08.cross_attention")
def student_08_cross_attention_output_w_k(x, memory, W_Q, W_K, W_V, mask):
    """Keys mixed, not values."""
    Q, K, _V = x @ W_Q.T, memory @ W_K.T, memory @ W_V.T
    w = torch.softmax((Q @ K.mT / K.shape[-1] ** 0.5).masked_fill(~mask, -1e9), dim=-1)
    return w @ K, w


@wrong("08.cross_attention")
def student_08_cross_attention_residual_added(x, memory, W_Q, W_K, W_V, mask):
    """Adds x to the output (skip)."""
    Q, K, V = x @ W_Q.T, memory @ W_K.T, memory @ W_V.T
    w = torch.softmax((Q @ K.mT / K.shape[-1] ** 0.5).masked_fill(~mask, -1e9), dim=-1)
    return Q + w @ V, w


@wrong("08.cross_attention")
def student_08_cross_attention_key_mask_on_rows(x, memory, W_Q, W_K, W_V, mask):
    """Mask turned: closes target rows."""
    Q, K, V = x @ W_Q.T, memory @ W_K.T, memory @ W_V.T
    w = torch.softmax((Q @ K.mT / K.shape[-1] ** 0.5).masked_fill(~mask.mT, -1e9), dim=-1)
    return w @ V, w


@wrong("08.cross_attention")
def student_08_cross_attention_masked_after_with_renorm_wrong_axis(x, memory, W_Q, W_K, W_V, mask):
    """Renormalised over queries."""
    Q, K, V = x @ W_Q.T, memory @ W_K.T, memory @ W_V.T
    w = torch.softmax((Q @ K.mT / K.shape[-1] ** 0.5), dim=-1) * mask
    w = w / w.sum(-2, keepdim=True)
    return w @ V, w


@wrong("08.cross_attention")
def student_08_cross_attention_loop_for_the_first_batch_only_2_d_only(x, memory, W_Q, W_K, W_V, mask):
    """Works without batch only: .T everywhere and dim=1."""
    Q, K, V = x @ W_Q.T, memory @ W_K.T, memory @ W_V.T
    w = torch.softmax((Q @ K.mT / K.shape[-1] ** 0.5).masked_fill(~mask, -1e9), dim=1)
    return w @ V, w


@wrong("08.cross_attention")
def student_08_cross_attention_values_from_x_no_mask(x, memory, W_Q, W_K, W_V, mask):
    """Values from x and no mask."""
    Q, K, V = x @ W_Q.T, memory @ W_K.T, x @ W_V.T
    w = torch.softmax(Q @ K.mT / K.shape[-1] ** 0.5, dim=-1)
    return w @ V, w


@wrong("08.cross_attention")
def student_08_cross_attention_joined_texts(x, memory, W_Q, W_K, W_V, mask):
    """Keys of both texts."""
    both = torch.cat([x, memory], dim=-2)
    Q, K, V = x @ W_Q.T, both @ W_K.T, both @ W_V.T
    w = torch.softmax(Q @ K.mT / K.shape[-1] ** 0.5, dim=-1)
    return w @ V, w


@wrong("08.cross_attention")
def student_08_cross_attention_self_attention_via_library(x, memory, W_Q, W_K, W_V, mask):
    """Library call with x for all."""
    return attention.scaled_dot_product_attention(x @ W_Q.T, x @ W_K.T, x @ W_V.T, mask)


@wrong("08.decoder_layer")
def student_08_decoder_layer_returns_tuple_unpack_0(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """Takes [0] of the attention's result, as if it returned (output, weights)."""
    mask = masks.causal_mask(y.shape[-2])
    y = norm_1(y + self_attention(y, y, mask)[0])
    y = norm_2(y + cross_attention(y, memory, memory_mask)[0])
    return norm_3(y + feed_forward(y))


@wrong("08.decoder_layer")
def student_08_decoder_layer_unpack_out(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """Unpacks two results."""
    mask = masks.causal_mask(y.shape[-2])
    out, _ = self_attention(y, y, mask)
    y = norm_1(y + out)
    out, _ = cross_attention(y, memory, memory_mask)
    y = norm_2(y + out)
    return norm_3(y + feed_forward(y))


@wrong("08.decoder_layer")
def student_08_decoder_layer_four_args_q_k_v_mask(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """Calls with q, k, v, mask."""
    mask = masks.causal_mask(y.shape[-2])
    y = norm_1(y + self_attention(y, y, y, mask))
    y = norm_2(y + cross_attention(y, memory, memory, memory_mask))
    return norm_3(y + feed_forward(y))


@wrong("08.decoder_layer")
def student_08_decoder_layer_masks_swapped(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """Causal for cross, memory_mask for self."""
    mask = masks.causal_mask(y.shape[-2])
    y = norm_1(y + self_attention(y, y, memory_mask))
    y = norm_2(y + cross_attention(y, memory, mask))
    return norm_3(y + feed_forward(y))


@wrong("08.decoder_layer")
def student_08_decoder_layer_torch_convention_inf_mask(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """Float -inf mask."""
    n = y.shape[-2]
    mask = torch.full((n, n), float("-inf")).triu(1)
    y = norm_1(y + self_attention(y, y, mask))
    y = norm_2(y + cross_attention(y, memory, memory_mask))
    return norm_3(y + feed_forward(y))


@wrong("08.decoder_layer")
def student_08_decoder_layer_memory_mask_inverted(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """~memory_mask passed."""
    mask = masks.causal_mask(y.shape[-2])
    y = norm_1(y + self_attention(y, y, mask))
    y = norm_2(y + cross_attention(y, memory, ~memory_mask))
    return norm_3(y + feed_forward(y))


@wrong("08.decoder_layer")
def student_08_decoder_layer_memory_mask_none(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """None for memory mask."""
    mask = masks.causal_mask(y.shape[-2])
    y = norm_1(y + self_attention(y, y, mask))
    y = norm_2(y + cross_attention(y, memory, None))
    return norm_3(y + feed_forward(y))


@wrong("08.decoder_layer")
def student_08_decoder_layer_cross_skip_from_before_and_last_too(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """Every skip from the input."""
    mask = masks.causal_mask(y.shape[-2])
    a = norm_1(y + self_attention(y, y, mask))
    b = norm_2(y + cross_attention(a, memory, memory_mask))
    return norm_3(y + feed_forward(b))


@wrong("08.decoder_layer")
def student_08_decoder_layer_residual_of_normed_only_in_last_norm_y_ff_norm(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """Last sublayer: norm_3(y) + ff(y)."""
    mask = masks.causal_mask(y.shape[-2])
    y = norm_1(y + self_attention(y, y, mask))
    y = norm_2(y + cross_attention(y, memory, memory_mask))
    return norm_3(y) + feed_forward(y)


@wrong("08.decoder_layer")
def student_08_decoder_layer_ff_between_and_no_skip_in_ff(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """Skip around feed-forward missing."""
    mask = masks.causal_mask(y.shape[-2])
    y = norm_1(y + self_attention(y, y, mask))
    y = norm_2(y + cross_attention(y, memory, memory_mask))
    return norm_3(feed_forward(y))


@wrong("08.decoder_layer")
def student_08_decoder_layer_memory_cross(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """Adds memory rather than y."""
    mask = masks.causal_mask(y.shape[-2])
    y = norm_1(y + self_attention(y, y, mask))
    y = norm_2(memory + cross_attention(y, memory, memory_mask))
    return norm_3(y + feed_forward(y))


@wrong("08.decoder_layer")
def student_08_decoder_layer_added_twice_2_y(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """Doubles: y + y + ...."""
    mask = masks.causal_mask(y.shape[-2])
    y = y + self_attention(y, y, mask)
    y = norm_1(y)
    y = y + norm_2(y + cross_attention(y, memory, memory_mask))
    return norm_3(y + feed_forward(y))


@wrong("08.decoder_layer")
def student_08_decoder_layer_triu_lower_transposed(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """Upper triangle."""
    n = y.shape[-2]
    mask = torch.triu(torch.ones(n, n)) == 1
    y = norm_1(y + self_attention(y, y, mask))
    y = norm_2(y + cross_attention(y, memory, memory_mask))
    return norm_3(y + feed_forward(y))


@wrong("08.decoder_layer")
def student_08_decoder_layer_no_causal_and_skip_missing(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """No causal mask, cross skip missing."""
    n = y.shape[-2]
    y = norm_1(y + self_attention(y, y, torch.ones(n, n, dtype=torch.bool)))
    y = norm_2(cross_attention(y, memory, memory_mask))
    return norm_3(y + feed_forward(y))


@wrong("08.decoder_layer")
def student_08_decoder_layer_no_return(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """Return missing."""
    mask = masks.causal_mask(y.shape[-2])
    y = norm_1(y + self_attention(y, y, mask))
    y = norm_2(y + cross_attention(y, memory, memory_mask))
    y = norm_3(y + feed_forward(y))


@wrong("08.decoder_layer")
def student_08_decoder_layer_norm_twice(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """Norms before and after."""
    mask = masks.causal_mask(y.shape[-2])
    h = norm_1(y)
    y = norm_1(y + self_attention(h, h, mask))
    y = norm_2(y + cross_attention(norm_2(y), memory, memory_mask))
    return norm_3(y + feed_forward(norm_3(y)))


@wrong("08.decoder_layer")
def student_08_decoder_layer_n_y_shape_1(
    y, memory, self_attention, cross_attention, feed_forward, norm_1, norm_2, norm_3, memory_mask
):
    """Shape[1] is d_model without a batch."""
    mask = masks.causal_mask(y.shape[1])
    y = norm_1(y + self_attention(y, y, mask))
    y = norm_2(y + cross_attention(y, memory, memory_mask))
    return norm_3(y + feed_forward(y))


@wrong("08.shift")
def student_08_shift_both_start_end_full_sliced_teacher_forcing(ids, start, end, pad):
    """Slices [:-1], [1:] of START+ids+END with END at the edge."""
    b = len(ids)
    full = torch.cat([torch.full((b, 1), start), ids, torch.full((b, 1), end)], 1)
    return full[:, :-1], full[:, 1:]


@wrong("08.shift")
def student_08_shift_slicing_ids_without_adding(ids, start, end, pad):
    """Takes ids[:, :-1], ids[:, 1:]."""
    return ids[:, :-1], ids[:, 1:]


@wrong("08.shift")
def student_08_shift_start_written_over_first_word(ids, start, end, pad):
    """START written over the first word."""
    b = len(ids)
    n = (ids != pad).sum(1)
    targets = torch.cat([ids, torch.full((b, 1), pad)], 1)
    targets[torch.arange(b), n] = end
    inputs = torch.cat([ids, torch.full((b, 1), pad)], 1)
    inputs[:, 0] = start
    return inputs, targets


@wrong("08.shift")
def student_08_shift_length_counts_from_start(ids, start, end, pad):
    """N + 1 index into targets: crash for full rows."""
    b = len(ids)
    n = (ids != pad).sum(1)
    targets = torch.cat([ids, torch.full((b, 1), pad)], 1)
    targets[torch.arange(b), n + 1] = end
    inputs = torch.cat([torch.full((b, 1), start), ids], 1)
    return inputs, targets


@wrong("08.shift")
def student_08_shift_sum_over_dim_0(ids, start, end, pad):
    """Counts along the batch."""
    b = len(ids)
    n = (ids != pad).sum(0)
    targets = torch.cat([ids, torch.full((b, 1), pad)], 1)
    targets[torch.arange(b), n] = end
    inputs = torch.cat([torch.full((b, 1), start), ids], 1)
    return inputs, targets


@wrong("08.shift")
def student_08_shift_sum_of_ids_instead_of_count(ids, start, end, pad):
    """Sums ids rather than counting."""
    b = len(ids)
    n = ids.sum(1)
    targets = torch.cat([ids, torch.full((b, 1), pad)], 1)
    targets[torch.arange(b), n] = end
    inputs = torch.cat([torch.full((b, 1), start), ids], 1)
    return inputs, targets


@wrong("08.shift")
def student_08_shift_stack_rather_than_cat(ids, start, end, pad):
    """Number rather than a column: cat([start, ids])."""
    inputs = torch.cat([start, ids], 1)
    targets = torch.cat([ids, end], 1)
    return inputs, targets


@wrong("08.shift")
def student_08_shift_1_d_column(ids, start, end, pad):
    """1-d tensor in cat."""
    b = len(ids)
    inputs = torch.cat([torch.full((b,), start), ids], 1)
    targets = torch.cat([ids, torch.full((b,), end)], 1)
    return inputs, targets


@wrong("08.shift")
def student_08_shift_fixed_marks_1_and_2(ids, start, end, pad):
    """Takes 1 and 2 for START and END."""
    b = len(ids)
    n = (ids != pad).sum(1)
    targets = torch.cat([ids, torch.full((b, 1), pad)], 1)
    targets[torch.arange(b), n] = 2
    inputs = torch.cat([torch.full((b, 1), 1), ids], 1)
    return inputs, targets


@wrong("08.shift")
def student_08_shift_fixed_pad_0_fill_only(ids, start, end, pad):
    """Fills with 0."""
    b = len(ids)
    n = (ids != pad).sum(1)
    targets = torch.cat([ids, torch.zeros((b, 1), dtype=torch.long)], 1)
    targets[torch.arange(b), n] = end
    inputs = torch.cat([torch.full((b, 1), start), ids], 1)
    return inputs, targets


@wrong("08.shift")
def student_08_shift_only_inputs_returned(ids, start, end, pad):
    """Targets not returned."""
    b = len(ids)
    return torch.cat([torch.full((b, 1), start), ids], 1)


@wrong("08.shift")
def student_08_shift_start_after_padding_shift_padding_moved_to_the_front(ids, start, end, pad):
    """Padding in front."""
    n = (ids != pad).sum(1)
    rows_in, rows_out = [], []
    for row, k in zip(ids, n):
        fill = torch.full((ids.shape[1] - k,), pad)
        rows_in.append(torch.cat([fill, torch.tensor([start]), row[:k]]))
        rows_out.append(torch.cat([fill, row[:k], torch.tensor([end])]))
    return torch.stack(rows_in), torch.stack(rows_out)


@wrong("08.shift")
def student_08_shift_end_at_first_padding_via_argmax(ids, start, end, pad):
    """Argmax of ids == pad: 0 for full rows."""
    b = len(ids)
    at = (ids == pad).int().argmax(1)
    targets = torch.cat([ids, torch.full((b, 1), pad)], 1)
    targets[torch.arange(b), at] = end
    inputs = torch.cat([torch.full((b, 1), start), ids], 1)
    return inputs, targets


@wrong("08.shift")
def student_08_shift_one_column_only_in_targets_last_word_of_inputs_dropped(ids, start, end, pad):
    """Last word missing in inputs (and pad kept)."""
    b = len(ids)
    n = (ids != pad).sum(1)
    targets = torch.cat([ids, torch.full((b, 1), pad)], 1)
    targets[torch.arange(b), n] = end
    inputs = torch.cat([torch.full((b, 1), start), ids], 1)
    inputs[torch.arange(b), n] = pad
    return inputs, targets


@wrong("08.shift")
def student_08_shift_inputs_end_instead_of_start_double(ids, start, end, pad):
    """END at front of the inputs."""
    b = len(ids)
    n = (ids != pad).sum(1)
    targets = torch.cat([ids, torch.full((b, 1), pad)], 1)
    targets[torch.arange(b), n] = end
    inputs = torch.cat([torch.full((b, 1), end), ids], 1)
    return inputs, targets


@wrong("08.tied")
def student_08_tied_only_first_root_fixed(table, step, ids, states):
    """Clone and output root left."""
    output_table = table.clone()
    table = table + step
    vectors = table[ids] * table.shape[1] ** 0.5
    logits = states @ output_table.mT * table.shape[1] ** 0.5
    return vectors, logits


@wrong("08.tied")
def student_08_tied_only_output_root_removed(table, step, ids, states):
    """Clone and vocab root left."""
    output_table = table.clone()
    table = table + step
    vectors = table[ids] * table.shape[0] ** 0.5
    logits = states @ output_table.mT
    return vectors, logits


@wrong("08.tied")
def student_08_tied_roots_exchanged(table, step, ids, states):
    """No root in input; vocab in output."""
    table = table + step
    vectors = table[ids] * table.shape[1] ** 0.5
    logits = states @ table.mT * table.shape[0] ** 0.5
    return vectors, logits


@wrong("08.tied")
def student_08_tied_ids_shape(table, step, ids, states):
    """Root of number of words."""
    table = table + step
    vectors = table[ids] * ids.shape[-1] ** 0.5
    return vectors, states @ table.mT


@wrong("08.tied")
def student_08_tied_divided_by_vocab_root_in_output(table, step, ids, states):
    """Output divided by root vocab."""
    table = table + step
    return table[ids] * table.shape[1] ** 0.5, states @ table.mT / table.shape[0] ** 0.5


@wrong("08.tied")
def student_08_tied_copy_added_step_only_in_output(table, step, ids, states):
    """Vectors old."""
    vectors = table[ids] * table.shape[1] ** 0.5
    table = table + step
    logits = states @ table.mT
    return vectors, logits


@wrong("08.tied")
def student_08_tied_step_to_output_scaled(table, step, ids, states):
    """Step scaled at lookup."""
    vectors = table[ids] + step[ids] * table.shape[1] ** 0.5
    return vectors, states @ (table + step).mT


@wrong("08.tied")
def student_08_tied_logits_only_for_ids(table, step, ids, states):
    """Logits with vectors, not table."""
    table = table + step
    vectors = table[ids] * table.shape[1] ** 0.5
    return vectors, states @ vectors.mT


@wrong("08.tied")
def student_08_tied_quarter_power(table, step, ids, states):
    """D ** 0.25."""
    table = table + step
    return table[ids] * table.shape[1] ** 0.25, states @ table.mT


@wrong("08.tied")
def student_08_tied_normalised_states(table, step, ids, states):
    """States normalised."""
    table = table + step
    return table[ids] * table.shape[1] ** 0.5, F.normalize(states, dim=-1) @ table.mT


@wrong("08.tied")
def student_08_tied_forget_logits(table, step, ids, states):
    """Returns vectors only."""
    table = table + step
    return table[ids] * table.shape[1] ** 0.5


@wrong("08.tied")
def student_08_tied_states_table(table, step, ids, states):
    """* for @."""
    table = table + step
    return table[ids] * table.shape[1] ** 0.5, states * table


@wrong("08.tied")
def student_08_tied_1_2_precedence(table, step, ids, states):
    """** 1 / 2: half of d."""
    table = table + step
    return table[ids] * table.shape[1] ** 1 / 2, states @ table.mT


@wrong("08.tied")
def student_08_tied_argmax(table, step, ids, states):
    """Words, not logits."""
    table = table + step
    return table[ids] * table.shape[1] ** 0.5, (states @ table.mT).argmax(-1)
