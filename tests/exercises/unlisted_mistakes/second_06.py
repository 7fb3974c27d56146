"""A second set of first drafts to lesson 06, The block, written before they were judged. Each docstring says what is really wrong."""

import math

import torch
import torch.nn.functional as F

from unlisted_mistakes import wrong

# --- 06.feed_forward --------------------------------------------------------------------------------------------------

FF = "06.feed_forward"


@wrong(FF)
def second_ff_unturned_and_swapped(x, W_1, b_1, W_2, b_2):
    """W_1 and W_2 aren't turned: W_1 @ x."""
    return W_2 @ torch.relu(W_1 @ x + b_1) + b_2


@wrong(FF)
def second_ff_one_bias_only(x, W_1, b_1, W_2, b_2):
    """b_2 is forgotten, and relu comes at the end as well."""
    return F.relu(F.relu(x @ W_1.T + b_1) @ W_2.T)


@wrong(FF)
def second_ff_bias_after_relu(x, W_1, b_1, W_2, b_2):
    """Both biases come too late: relu(xW₁ᵀ) + b₁, and b₂ inside a relu."""
    h = F.relu(x @ W_1.T) + b_1
    return F.relu(h @ W_2.T + b_2)


@wrong(FF)
def second_ff_max_over_word(x, W_1, b_1, W_2, b_2):
    """max(0, ·) taken along an axis."""
    h = torch.max(x @ W_1.T + b_1, dim=0).values
    return h @ W_2.T + b_2


@wrong(FF)
def second_ff_where(x, W_1, b_1, W_2, b_2):
    """Negative numbers become 1, not 0."""
    h = x @ W_1.T + b_1
    return torch.where(h > 0, h, 1.0) @ W_2.T + b_2


@wrong(FF)
def second_ff_residual_no_b1(x, W_1, b_1, W_2, b_2):
    """A skip is added, and b₁ is missing."""
    return x + torch.relu(x @ W_1.T) @ W_2.T + b_2


@wrong(FF)
def second_ff_gelu_no_b2(x, W_1, b_1, W_2, b_2):
    """GELU, and b₂ is missing."""
    return F.gelu(x @ W_1.T + b_1) @ W_2.T


@wrong(FF)
def second_ff_linear_of_linear(x, W_1, b_1, W_2, b_2):
    """F.linear with the matrix turned: shapes don't fit."""
    return F.linear(F.relu(F.linear(x, W_1.T, b_1)), W_2.T, b_2)


@wrong(FF)
def second_ff_first_bias_twice(x, W_1, b_1, W_2, b_2):
    """b_1 stands where b_2 belongs."""
    return F.relu(x @ W_1.T + b_1) @ W_2.T + b_1


@wrong(FF)
def second_ff_in_loop_over_words(x, W_1, b_1, W_2, b_2):
    """A loop over words without a batch, ReLU forgotten: a list comes back."""
    return [W_2 @ (W_1 @ word + b_1) + b_2 for word in x]


# --- 06.layer_norm ----------------------------------------------------------------------------------------------------

N = "06.layer_norm"


@wrong(N)
def second_norm_eps_in_mean(x, gamma, beta, eps):
    """ε is added to the whole fraction's upper part and lower part (outside the root)."""
    m, v = x.mean(-1, keepdim=True), x.var(-1, keepdim=True, unbiased=False)
    return gamma * (x - m) / (v.sqrt() + eps) + beta


@wrong(N)
def second_norm_std_times(x, gamma, beta, eps):
    """Multiplied by 1 / variance: the root is missing."""
    m, v = x.mean(-1, keepdim=True), x.var(-1, keepdim=True, unbiased=False)
    return gamma * (x - m) * (1 / (v + eps)) + beta


@wrong(N)
def second_norm_first_gamma(x, gamma, beta, eps):
    """γ scales before the division and the mean is of x · γ."""
    y = x * gamma
    return (y - y.mean(-1, keepdim=True)) / torch.sqrt(y.var(-1, keepdim=True, unbiased=False) + eps) + beta


@wrong(N)
def second_norm_batch(x, gamma, beta, eps):
    """Batch normalisation, over the first axis, divided by n − 1."""
    return gamma * (x - x.mean(0)) / torch.sqrt(x.var(0) + eps) + beta


@wrong(N)
def second_norm_mean_of_all_var_last(x, gamma, beta, eps):
    """The mean is of all numbers, the variance of the word (d − 1)."""
    return gamma * (x - x.mean()) / torch.sqrt(x.var(-1, keepdim=True) + eps) + beta


@wrong(N)
def second_norm_math_sqrt(x, gamma, beta, eps):
    """math.sqrt of a tensor of several numbers."""
    m, v = x.mean(-1, keepdim=True), x.var(-1, keepdim=True, unbiased=False)
    return gamma * (x - m) / math.sqrt(v + eps) + beta


@wrong(N)
def second_norm_abs_deviation(x, gamma, beta, eps):
    """The mean absolute deviation for the standard deviation."""
    m = x.mean(-1, keepdim=True)
    return gamma * (x - m) / ((x - m).abs().mean(-1, keepdim=True) + eps) + beta


@wrong(N)
def second_norm_beta_minus(x, gamma, beta, eps):
    """Only β − and std with d − 1."""
    m, s = x.mean(-1, keepdim=True), x.std(-1, keepdim=True)
    return gamma * (x - m) / (s + eps) - beta


@wrong(N)
def second_norm_no_keepdim_both(x, gamma, beta, eps):
    """keepdim is missing, and no γ."""
    return (x - x.mean(-1)) / torch.sqrt(x.var(-1, unbiased=False) + eps) + beta


@wrong(N)
def second_norm_eps_inside_and_outside_mean(x, gamma, beta, eps):
    """Nothing but division by the std: the mean stays, d − 1."""
    return gamma * x / torch.sqrt(x.var(-1, keepdim=True) + eps) + beta


# --- 06.block ---------------------------------------------------------------------------------------------------------

B = "06.block"


@wrong(B)
def second_block_pre_norm_final_norm(x, attention, feed_forward, norm_1, norm_2, pre_norm):
    """Pre-norm goes on from the normalised x: the skip is behind the norm."""
    if pre_norm:
        x = norm_1(x)
        x = x + attention(x)
        x = norm_2(x)
        return x + feed_forward(x)
    x = norm_1(x + attention(x))
    return norm_2(x + feed_forward(x))


@wrong(B)
def second_block_post_in_both_second_line(x, attention, feed_forward, norm_1, norm_2, pre_norm):
    """The second line is post-norm in both."""
    x = x + attention(norm_1(x)) if pre_norm else norm_1(x + attention(x))
    return norm_2(x + feed_forward(x))


@wrong(B)
def second_block_inverted_norms_swapped(x, attention, feed_forward, norm_1, norm_2, pre_norm):
    """Pre and post changed places, and only norm_1 is used."""
    if not pre_norm:
        x = x + attention(norm_1(x))
        return x + feed_forward(norm_1(x))
    x = norm_1(x + attention(x))
    return norm_1(x + feed_forward(x))


@wrong(B)
def second_block_no_second_skip_post(x, attention, feed_forward, norm_1, norm_2, pre_norm):
    """Post-norm: the second skip is missing."""
    if pre_norm:
        x = x + attention(norm_1(x))
        return x + feed_forward(norm_2(x))
    x = norm_1(x + attention(x))
    return norm_2(feed_forward(x))


@wrong(B)
def second_block_attention_of_three(x, attention, feed_forward, norm_1, norm_2, pre_norm):
    """attention(x, x, x) as in lesson 03."""
    if pre_norm:
        x = x + attention(norm_1(x), norm_1(x), norm_1(x))
        return x + feed_forward(norm_2(x))
    x = norm_1(x + attention(x, x, x))
    return norm_2(x + feed_forward(x))


@wrong(B)
def second_block_adds_x_in_ff(x, attention, feed_forward, norm_1, norm_2, pre_norm):
    """Each line is kept under another name, and the last adds the first x."""
    if pre_norm:
        a = x + attention(norm_1(x))
        return x + feed_forward(norm_2(a))
    a = norm_1(x + attention(x))
    return norm_2(x + feed_forward(a))


@wrong(B)
def second_block_in_place(x, attention, feed_forward, norm_1, norm_2, pre_norm):
    """x += changes the input."""
    if pre_norm:
        x += attention(norm_1(x))
        x += feed_forward(norm_2(x))
        return x
    x = norm_1(x + attention(x))
    return norm_2(x + feed_forward(x))


@wrong(B)
def second_block_pre_without_return(x, attention, feed_forward, norm_1, norm_2, pre_norm):
    """No else: post-norm follows upon pre-norm."""
    if pre_norm:
        x = x + attention(norm_1(x))
        x = x + feed_forward(norm_2(x))
    x = norm_1(x + attention(x))
    return norm_2(x + feed_forward(x))


@wrong(B)
def second_block_norm_of_attention_only(x, attention, feed_forward, norm_1, norm_2, pre_norm):
    """Post-norm: x + norm(sublayer(x)), pre-norm right."""
    if pre_norm:
        x = x + attention(norm_1(x))
        return x + feed_forward(norm_2(x))
    x = x + norm_1(attention(x))
    return x + norm_2(feed_forward(x))


@wrong(B)
def second_block_side_by_side_pre(x, attention, feed_forward, norm_1, norm_2, pre_norm):
    """Pre-norm: both read the same, side by side."""
    if pre_norm:
        return x + attention(norm_1(x)) + feed_forward(norm_2(x))
    x = norm_1(x + attention(x))
    return norm_2(x + feed_forward(x))


# --- 06.dropout -------------------------------------------------------------------------------------------------------

D = "06.dropout"


@wrong(D)
def second_drop_x_plus_kept(x, new, u, p, training):
    """Everything is right in training; in evaluation new is scaled by 1 − p and the sum dropped by nothing."""
    kept = (u >= p).to(new.dtype)
    if training:
        return x + new * kept / (1 - p)
    return x + new * (1 - p)


@wrong(D)
def second_drop_kept_divided_once_more(x, new, u, p, training):
    """Rescaled by 1 − p, but the skip is dropped, too."""
    if not training:
        return x + new
    kept = (u >= p).to(new.dtype)
    return x * kept + new * kept / (1 - p)


@wrong(D)
def second_drop_greater(x, new, u, p, training):
    """u > p, and no rescaling."""
    if not training:
        return x + new
    return x + new * (u > p)


@wrong(D)
def second_drop_mean_kept(x, new, u, p, training):
    """Divided by the share that was really kept."""
    if not training:
        return x + new
    kept = (u >= p).to(new.dtype)
    return x + new * kept / kept.mean()


@wrong(D)
def second_drop_training_not_asked(x, new, u, p, training):
    """training isn't asked, the scale is p."""
    kept = (u >= p).to(new.dtype)
    return x + new * kept / p


@wrong(D)
def second_drop_eval_no_sum(x, new, u, p, training):
    """In evaluation only new comes back."""
    kept = (u >= p).to(new.dtype)
    if not training:
        return new
    return x + new * kept / (1 - p)


@wrong(D)
def second_drop_where_x(x, new, u, p, training):
    """torch.where puts x in place of the dropped numbers and new alone elsewhere."""
    if not training:
        return x + new
    return torch.where(u >= p, new / (1 - p), x)


@wrong(D)
def second_drop_inverted_mask(x, new, u, p, training):
    """Kept where u < p, not rescaled."""
    kept = (u < p).to(new.dtype)
    if training:
        return x + new * kept
    return x + new


@wrong(D)
def second_drop_python_if(x, new, u, p, training):
    """`if u >= p` of a whole tensor."""
    if not training:
        return x + new
    if u >= p:
        return x + new / (1 - p)
    return x


@wrong(D)
def second_drop_scaled_sum_in_both(x, new, u, p, training):
    """The sum is dropped and rescaled in training; in evaluation the sum is rescaled."""
    if training:
        return (x + new) * (u >= p) / (1 - p)
    return (x + new) / (1 - p)
