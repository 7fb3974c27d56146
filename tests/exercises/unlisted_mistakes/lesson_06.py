"""Unlisted wrong answers to lesson 06, The block."""

import torch
import torch.nn.functional as F

from unlisted_mistakes import wrong

# --- 06.feed_forward --------------------------------------------------------------------------------------------------

K = "06.feed_forward"


def ff(x, W_1, b_1, W_2, b_2, bend=torch.relu):
    return bend(x @ W_1.mT + b_1) @ W_2.mT + b_2


@wrong(K)
def ff_matrices_changed(x, W_1, b_1, W_2, b_2):
    return torch.relu(x @ W_2 + b_1) @ W_1 + b_2


@wrong(K)
def ff_leaky(x, *weights):
    return ff(x, *weights, bend=F.leaky_relu)


@wrong(K)
def ff_elu(x, *weights):
    return ff(x, *weights, bend=F.elu)


@wrong(K)
def ff_softplus(x, *weights):
    return ff(x, *weights, bend=F.softplus)


@wrong(K)
def ff_squared(x, *weights):
    return ff(x, *weights, bend=lambda h: h.relu() ** 2)


@wrong(K, "second ReLU at the end")
def ff_two_bends(x, *weights):
    return ff(x, *weights).relu()


@wrong(K)
def ff_b_1_twice(x, W_1, b_1, W_2, b_2):
    return ff(x, W_1, 2 * b_1, W_2, b_2)


@wrong(K)
def ff_no_bias(x, W_1, b_1, W_2, b_2):
    return torch.relu(x @ W_1.mT) @ W_2.mT


@wrong(K)
def ff_no_bend_no_bias(x, W_1, b_1, W_2, b_2):
    return x @ W_1.mT @ W_2.mT


@wrong(K)
def ff_negative(x, *weights):
    return -ff(x, *weights)


@wrong(K)
def ff_of_batch_mean(x, *weights):
    return ff(x.mean(0, keepdim=True).expand_as(x), *weights)


@wrong(K)
def ff_bend_both(x, *weights):
    return ff(x.relu(), *weights)


@wrong(K)
def ff_skip_and_no_bend(x, *weights):
    return x + ff(x, *weights, bend=lambda h: h)


@wrong(K)
def ff_flat(x, *weights):
    return ff(x, *weights).reshape(-1, x.shape[-1])


@wrong(K)
def ff_in_place(x, *weights):
    x += 1
    return ff(x - 1, *weights)


@wrong(K)
def ff_middle(x, W_1, b_1, W_2, b_2):
    return torch.relu(x @ W_1.mT + b_1)


@wrong(K)
def ff_dropped(x, *weights):
    return ff(x, *weights, bend=lambda h: F.dropout(h.relu(), 0.1))


# --- 06.layer_norm ----------------------------------------------------------------------------------------------------

K = "06.layer_norm"


def ln(x, gamma, beta, eps, dim=-1, correction=0):
    return (x - x.mean(dim, keepdim=True)) / (
        x.var(dim, keepdim=True, correction=correction) + eps
    ).sqrt() * gamma + beta


@wrong(K, "d − 1")
def ln_std(x, gamma, beta, eps):
    return (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + eps) * gamma + beta


@wrong(K)
def ln_no_keepdim(x, gamma, beta, eps):
    return (x - x.mean(-1)) / (x.var(-1, correction=0) + eps).sqrt() * gamma + beta


@wrong(K)
def ln_dim_1(x, gamma, beta, eps):
    return ln(x, gamma, beta, eps, dim=1)


@wrong(K)
def ln_twice(x, gamma, beta, eps):
    return ln(ln(x, gamma, beta, eps), gamma, beta, eps)


@wrong(K)
def ln_eps_minus(x, gamma, beta, eps):
    return ln(x, gamma, beta, -eps)


@wrong(K)
def ln_eps_twice(x, gamma, beta, eps):
    return ln(x, gamma, beta, 2 * eps)


@wrong(K)
def ln_eps_on_top(x, gamma, beta, eps):
    return (x - x.mean(-1, keepdim=True) + eps) / x.var(-1, keepdim=True, correction=0).sqrt() * gamma + beta


@wrong(K)
def ln_gamma_squared(x, gamma, beta, eps):
    return ln(x, gamma**2, beta, eps)


@wrong(K)
def ln_gamma_sign(x, gamma, beta, eps):
    return ln(x, gamma.abs(), beta, eps)


@wrong(K)
def ln_negative(x, gamma, beta, eps):
    return -ln(x, gamma, beta, eps)


@wrong(K)
def ln_correction_2(x, gamma, beta, eps):
    return ln(x, gamma, beta, eps, correction=2)


@wrong(K)
def ln_clamped(x, gamma, beta, eps):
    return ln(x, gamma, beta, eps).clamp(-2, 2)


@wrong(K)
def ln_softmax(x, gamma, beta, eps):
    return x.softmax(-1) * gamma + beta


@wrong(K)
def ln_mean_left_in_the_variance(x, gamma, beta, eps):
    variance = (x**2).mean(-1, keepdim=True) + x.mean(-1, keepdim=True) ** 2
    return (x - x.mean(-1, keepdim=True)) / (variance + eps).sqrt() * gamma + beta


@wrong(K)
def ln_first_word(x, gamma, beta, eps):
    return ln(x[..., :1, :].expand_as(x), gamma, beta, eps)


@wrong(K)
def ln_detached(x, gamma, beta, eps):
    mean, variance = x.mean(-1, keepdim=True).detach(), x.var(-1, keepdim=True, correction=0).detach()
    return (x - mean) / (variance + eps).sqrt() * gamma + beta


# --- 06.block ---------------------------------------------------------------------------------------------------------

K = "06.block"


def each(first, second):
    """A block of two sublayers, each x, f, norm, pre → x."""

    def wrong_block(x, attention, feed_forward, norm_1, norm_2, pre_norm):
        return second(first(x, attention, norm_1, pre_norm), feed_forward, norm_2, pre_norm)

    return wrong_block


def good(x, f, norm, pre):
    return x + f(norm(x)) if pre else norm(x + f(x))


def half(x, f, norm, pre):
    return (x + f(norm(x))) / 2 if pre else norm(x + f(x))


def twice(x, f, norm, pre):
    return x + 2 * f(norm(x)) if pre else norm(x + 2 * f(x))


def no_skip(x, f, norm, pre):
    return f(norm(x)) if pre else norm(f(x))


def no_norm(x, f, norm, pre):
    return x + f(x)


for first, second in [
    (half, half), (twice, good), (good, twice), (twice, twice), (no_skip, no_norm), (no_norm, no_skip), (good, no_norm),
    (no_norm, good), (half, good), (good, half), (no_skip, twice),
]:  # fmt: skip
    made = each(first, second)
    made.__name__ = f"block_{first.__name__}_{second.__name__}"
    wrong(K)(made)


@wrong(K)
def block_attention_twice(x, attention, feed_forward, norm_1, norm_2, pre_norm):
    return good(good(x, attention, norm_1, pre_norm), attention, norm_2, pre_norm)


@wrong(K)
def block_feed_forward_twice(x, attention, feed_forward, norm_1, norm_2, pre_norm):
    return good(good(x, feed_forward, norm_1, pre_norm), feed_forward, norm_2, pre_norm)


@wrong(K)
def block_side_by_side(x, attention, feed_forward, norm_1, norm_2, pre_norm):
    return x + attention(norm_1(x)) + feed_forward(norm_2(x))


@wrong(K)
def block_one_skip(x, attention, feed_forward, norm_1, norm_2, pre_norm):
    return (
        x + feed_forward(norm_2(attention(norm_1(x)))) if pre_norm else norm_2(x + feed_forward(norm_1(attention(x))))
    )


@wrong(K)
def block_no_return_in_pre(x, attention, feed_forward, norm_1, norm_2, pre_norm):
    if not pre_norm:
        return good(good(x, attention, norm_1, False), feed_forward, norm_2, False)


@wrong(K)
def block_norm_of_the_attention(x, attention, feed_forward, norm_1, norm_2, pre_norm):
    return x + norm_2(feed_forward(norm_1(attention(x))))


# --- 06.dropout -------------------------------------------------------------------------------------------------------

K = "06.dropout"


def drop(new, u, p, scale=lambda p: 1 / (1 - p)):
    return new * (u >= p) * scale(p)


@wrong(K)
def dropout_torch(x, new, u, p, training):
    torch.manual_seed(0)
    return x + F.dropout(new, p, training)


@wrong(K)
def dropout_random(x, new, u, p, training):
    return x + drop(new, torch.rand(new.shape), p) if training else x + new


@wrong(K)
def dropout_the_input(x, new, u, p, training):
    return drop(x, u, p) + new if training else x + new


@wrong(K)
def dropout_both(x, new, u, p, training):
    return drop(x, u, p) + drop(new, u, p) if training else x + new


@wrong(K)
def dropout_greater(x, new, u, p, training):
    return x + new * (u > 0.5) / (1 - p) if training else x + new


@wrong(K)
def dropout_half(x, new, u, p, training):
    return x + drop(new, u, p, lambda p: 2) if training else x + new


@wrong(K)
def dropout_log(x, new, u, p, training):
    return x + drop(new, u, p, lambda p: 1 / (1 - p) ** 2) if training else x + new


@wrong(K)
def dropout_mean(x, new, u, p, training):
    return x + new * (u >= p) + p * new.mean() if training else x + new


@wrong(K)
def dropout_always(x, new, u, p, training):
    return x + new / (1 - p)


@wrong(K)
def dropout_never_training(x, new, u, p, training):
    return x + drop(new, u, p) if not training else x + new


@wrong(K)
def dropout_scaled_by_u(x, new, u, p, training):
    return x + new * u if training else x + new


@wrong(K)
def dropout_in_place(x, new, u, p, training):
    if training:
        new *= (u >= p) / (1 - p)
    return x + new


@wrong(K)
def dropout_subtracted(x, new, u, p, training):
    return x - drop(new, u, p) if training else x - new


@wrong(K)
def dropout_x_doubled(x, new, u, p, training):
    return x + x + drop(new, u, p) if training else x + new


@wrong(K)
def dropout_nothing_in_evaluation(x, new, u, p, training):
    return x + drop(new, u, p) if training else None


@wrong(K)
def dropout_same_everywhere(x, new, u, p, training):
    return x + drop(new, u[..., :1, :1], p) if training else x + new
