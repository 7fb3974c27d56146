"""Right answers to lesson 06, The block."""

import torch
import torch.nn.functional as F

from right_answers import right

# --- 06.feed_forward --------------------------------------------------------------------------------------------------


@right("06.feed_forward")
def feed_forward_by_linear(x, W_1, b_1, W_2, b_2):
    return F.linear(F.relu(F.linear(x, W_1, b_1)), W_2, b_2)


@right("06.feed_forward")
def feed_forward_by_einsum(x, W_1, b_1, W_2, b_2):
    inner = torch.einsum("...d,fd->...f", x, W_1) + b_1
    return torch.einsum("...f,df->...d", torch.maximum(inner, torch.zeros_like(inner)), W_2) + b_2


@right("06.feed_forward")
def feed_forward_word_by_word(x, W_1, b_1, W_2, b_2):
    words = []
    for word in x.reshape(-1, x.shape[-1]):
        h = W_1 @ word + b_1
        words.append(W_2 @ torch.where(h > 0, h, 0) + b_2)
    return torch.stack(words).reshape(x.shape)


@right("06.feed_forward")
def feed_forward_column_vectors(x, W_1, b_1, W_2, b_2):
    h = (W_1 @ x.mT + b_1[:, None]).clamp(min=0)
    return (W_2 @ h + b_2[:, None]).mT


# --- 06.layer_norm ----------------------------------------------------------------------------------------------------


@right("06.layer_norm")
def layer_norm_with_var(x, gamma, beta, eps=1e-5):
    return gamma * (x - x.mean(-1, keepdim=True)) / torch.sqrt(x.var(-1, correction=0, keepdim=True) + eps) + beta


@right("06.layer_norm")
def layer_norm_with_rsqrt(x, gamma, beta, eps=1e-5):
    variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return torch.addcmul(beta, (x - mean) * torch.rsqrt(variance + eps), gamma)


@right("06.layer_norm")
def layer_norm_by_loop(x, gamma, beta, eps=1e-5):
    d_model, rows = x.shape[-1], []
    for row in x.reshape(-1, d_model):
        mean = sum(row) / d_model
        variance = sum((each - mean) ** 2 for each in row) / d_model
        rows.append((row - mean) / (variance + eps) ** 0.5 * gamma + beta)
    return torch.stack(rows).reshape(x.shape)


@right("06.layer_norm")
def layer_norm_with_the_unbiased_variance_mended(x, gamma, beta, eps=1e-5):
    d_model = x.shape[-1]
    return (x - x.mean(-1, True)) / (x.var(-1, keepdim=True) * (d_model - 1) / d_model + eps).sqrt() * gamma + beta


# --- 06.block ---------------------------------------------------------------------------------------------------------


@right("06.block")
def block_in_four_lines(x, attention, feed_forward, norm_1, norm_2, pre_norm):
    x = x + attention(norm_1(x)) if pre_norm else norm_1(x + attention(x))
    x = x + feed_forward(norm_2(x)) if pre_norm else norm_2(x + feed_forward(x))
    return x


@right("06.block")
def block_by_loop(x, attention, feed_forward, norm_1, norm_2, pre_norm):
    for sublayer, norm in ((attention, norm_1), (feed_forward, norm_2)):
        x = x + sublayer(norm(x)) if pre_norm else norm(x + sublayer(x))
    return x


@right("06.block")
def block_with_names(x, attention, feed_forward, norm_1, norm_2, pre_norm):
    if not pre_norm:
        after_attention = norm_1(attention(x) + x)
        return norm_2(feed_forward(after_attention) + after_attention)
    residual = x
    x = attention(norm_1(x))
    x = residual + x
    residual = x
    x = feed_forward(norm_2(x))
    return residual + x


# --- 06.dropout -------------------------------------------------------------------------------------------------------


@right("06.dropout")
def dropout_by_where(x, new, u, p, training):
    if training:
        new = torch.where(u >= p, new / (1 - p), torch.zeros_like(new))
    return x + new


@right("06.dropout")
def dropout_by_masked_fill(x, new, u, p, training):
    return x + (new.masked_fill(u < p, 0) / (1 - p) if training else new)


@right("06.dropout")
def dropout_with_a_float_mask(x, new, u, p, training):
    kept = (u >= p).to(new.dtype)
    if not training:
        return new + x
    return x + kept * new / (1 - p)
