"""First drafts to lesson 06, The block, as students write them. Each docstring says what is really wrong."""

import torch

from unlisted_mistakes import wrong

# --- 06.layer_norm ----------------------------------------------------------------------------------------------------

N = "06.layer_norm"


@wrong(N)
def draft_norm_std_without_correction(x, gamma, beta, eps):
    """Std divides by d − 1; ε is inside."""
    m, s = x.mean(-1, keepdim=True), x.std(-1, keepdim=True)
    return gamma * (x - m) / torch.sqrt(s**2 + eps) + beta


@wrong(N)
def draft_norm_std_and_root(x, gamma, beta, eps):
    """The root of the standard deviation (which divides by d − 1)."""
    m, s = x.mean(-1, keepdim=True), x.std(-1, keepdim=True)
    return gamma * (x - m) / torch.sqrt(s + eps) + beta


@wrong(N)
def draft_norm_unbiased_std_no_eps(x, gamma, beta, eps):
    """No ε, and std divides by d − 1."""
    return gamma * (x - x.mean(-1, keepdim=True)) / x.std(-1, keepdim=True) + beta


@wrong(N)
def draft_norm_beta_inside(x, gamma, beta, eps):
    """β is added before γ, and the variance divides by d − 1."""
    return gamma * ((x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True) + eps).sqrt() + beta)


@wrong(N)
def draft_norm_dim_0(x, gamma, beta, eps):
    """Mean over the last axis, variance over the first."""
    return gamma * (x - x.mean(-1, keepdim=True)) / (x.var(0, keepdim=True, correction=0) + eps).sqrt() + beta


@wrong(N)
def draft_norm_no_dim(x, gamma, beta, eps):
    """Over all numbers at once, divided by d − 1."""
    return gamma * (x - x.mean()) / torch.sqrt(x.var() + eps) + beta


@wrong(N)
def draft_norm_std_of_all(x, gamma, beta, eps):
    """Over all numbers at once, std with ε outside."""
    return gamma * (x - x.mean()) / (x.std() + eps) + beta


@wrong(N)
def draft_norm_variance_before_centring(x, gamma, beta, eps):
    """E[x²] + E[x]² where the minus is meant."""
    m = x.mean(-1, keepdim=True)
    v = (x * x).mean(-1, keepdim=True) + m * m
    return gamma * (x - m) / torch.sqrt(v + eps) + beta


@wrong(N)
def draft_norm_square_of_the_mean_missing(x, gamma, beta, eps):
    """E[x²] − E[x], the mean isn't squared."""
    m = x.mean(-1, keepdim=True)
    v = (x * x).mean(-1, keepdim=True) - m
    return gamma * (x - m) / torch.sqrt(v.abs() + eps) + beta


@wrong(N)
def draft_norm_precedence(x, gamma, beta, eps):
    """x − mean / root, brackets missing, around all."""
    return gamma * (x - x.mean(-1, keepdim=True) / torch.sqrt(x.var(-1, keepdim=True, correction=0) + eps)) + beta


@wrong(N)
def draft_norm_half_power(x, gamma, beta, eps):
    """** 1 / 2 is the first power, halved."""
    return gamma * (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True, correction=0) + eps) ** 1 / 2 + beta


@wrong(N)
def draft_norm_rsqrt_divided(x, gamma, beta, eps):
    """Divided by rsqrt, that is multiplied by the root."""
    return gamma * (x - x.mean(-1, keepdim=True)) / torch.rsqrt(x.var(-1, keepdim=True, correction=0) + eps) + beta


@wrong(N)
def draft_norm_gamma_beta_swapped_and_std(x, gamma, beta, eps):
    """γ and β changed places, and d − 1."""
    y = (x - x.mean(-1, keepdim=True)) / torch.sqrt(x.var(-1, keepdim=True) + eps)
    return y * beta + gamma


@wrong(N)
def draft_norm_sum_for_mean(x, gamma, beta, eps):
    """The sum is taken off, not the mean; the variance is right."""
    return gamma * (x - x.sum(-1, keepdim=True)) / torch.sqrt(x.var(-1, keepdim=True, correction=0) + eps) + beta


@wrong(N)
def draft_norm_variance_summed(x, gamma, beta, eps):
    """The squares are summed and not divided."""
    d = x - x.mean(-1, keepdim=True)
    return gamma * d / torch.sqrt((d * d).sum(-1, keepdim=True) + eps) + beta


@wrong(N)
def draft_norm_shape_0(x, gamma, beta, eps):
    """Divided by x.shape[0], the number of words."""
    m = x.sum(-1, keepdim=True) / x.shape[0]
    v = ((x - m) ** 2).sum(-1, keepdim=True) / x.shape[0]
    return gamma * (x - m) / torch.sqrt(v + eps) + beta


@wrong(N)
def draft_norm_no_keepdim_in_the_middle(x, gamma, beta, eps):
    """The mean loses the last axis, the variance divides by d − 1."""
    m = x.mean(dim=-1)
    return gamma * (x - m) / torch.sqrt(x.var(dim=-1, keepdim=True) + eps) + beta


@wrong(N)
def draft_norm_loop_over_words(x, gamma, beta, eps):
    """A loop over the first axis: a sentence at a time where there is a batch."""
    out = torch.zeros_like(x)
    for i in range(x.shape[0]):
        out[i] = gamma * (x[i] - x[i].mean()) / torch.sqrt(x[i].var(correction=0) + eps) + beta
    return out


@wrong(N)
def draft_norm_keepdims_typo(x, gamma, beta, eps):
    """The variance takes the axis -2."""
    return gamma * (x - x.mean(-1, keepdim=True)) / (x.var(-2, keepdim=True) + eps).sqrt() + beta


@wrong(N)
def draft_norm_gamma_only_std(x, gamma, beta, eps):
    """β is forgotten, and std with ε outside."""
    return gamma * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + eps)


# --- 06.dropout -------------------------------------------------------------------------------------------------------

D = "06.dropout"


@wrong(D)
def draft_drop_if_not_returns_x(x, new, u, p, training):
    """In evaluation new is forgotten, and nothing is rescaled."""
    if not training:
        return x
    return x + new * (u >= p)


@wrong(D)
def draft_drop_scaled_in_both(x, new, u, p, training):
    """Rescaled in evaluation, too."""
    kept = (u >= p).to(new.dtype) if training else torch.ones_like(new)
    return x + new * kept / (1 - p)


@wrong(D)
def draft_drop_scaled_only_in_evaluation(x, new, u, p, training):
    """Divided in evaluation, not in training."""
    if training:
        return x + new * (u >= p)
    return x + new / (1 - p)


@wrong(D)
def draft_drop_evaluation_times_1_minus_p_sum(x, new, u, p, training):
    """The sum is dropped in training; in evaluation all of it is scaled."""
    if training:
        return (x + new) * (u >= p)
    return (x + new) * (1 - p)


@wrong(D)
def draft_drop_condition_inverted(x, new, u, p, training):
    """Training and evaluation changed places, nothing rescaled."""
    if training:
        return x + new
    return x + new * (u >= p)


@wrong(D)
def draft_drop_less_than(x, new, u, p, training):
    """Kept where u < p, rescaled by 1 − p."""
    if not training:
        return x + new
    return x + new * (u < p) / (1 - p)


@wrong(D)
def draft_drop_less_than_divided_by_p(x, new, u, p, training):
    """Kept where u < p, rescaled by p: p taken for the share that stays."""
    if not training:
        return x + new
    return x + new * (u < p) / p


@wrong(D)
def draft_drop_precedence(x, new, u, p, training):
    """Brackets missing: / 1 − p."""
    if not training:
        return x + new
    return x + new * (u >= p) / 1 - p


@wrong(D)
def draft_drop_all_by_1_minus_p(x, new, u, p, training):
    """The whole sum is divided."""
    if not training:
        return x + new
    return (x + new * (u >= p)) / (1 - p)


@wrong(D)
def draft_drop_only_scale_fixed(x, new, u, p, training):
    """The sum is still dropped, in evaluation, too; rescaled."""
    kept = (u >= p).to(new.dtype)
    return (x + new) * kept / (1 - p)


@wrong(D)
def draft_drop_only_place_and_scale(x, new, u, p, training):
    """Evaluation drops as well."""
    kept = (u >= p).to(new.dtype)
    return x + new * kept / (1 - p)


@wrong(D)
def draft_drop_only_place(x, new, u, p, training):
    """Neither rescaled nor switched off in evaluation."""
    return x + new * (u >= p).to(new.dtype)


@wrong(D)
def draft_drop_only_evaluation(x, new, u, p, training):
    """Only evaluation is mended."""
    if not training:
        return x + new
    return (x + new) * (u >= p).to(new.dtype)


@wrong(D)
def draft_drop_place_and_evaluation_by_p(x, new, u, p, training):
    """Divided by p."""
    if not training:
        return x + new
    return x + (u >= p).to(new.dtype) * new / p


@wrong(D)
def draft_drop_times(x, new, u, p, training):
    """Multiplied by 1 − p in training."""
    if not training:
        return x + new
    return x + (u >= p).to(new.dtype) * new * (1 - p)


@wrong(D)
def draft_drop_mask_added(x, new, u, p, training):
    """masked_fill where it is kept."""
    if not training:
        return x + new
    return x + new.masked_fill(u >= p, 0.0) / (1 - p)


@wrong(D)
def draft_drop_indexed(x, new, u, p, training):
    """new[kept] is a list of numbers: the shape is lost."""
    if not training:
        return x + new
    return x + new[u >= p] / (1 - p)


@wrong(D)
def draft_drop_in_place(x, new, u, p, training):
    """new is changed in place."""
    if not training:
        return x + new
    new[u < p] = 0
    return x + new / (1 - p)


@wrong(D)
def draft_drop_evaluation_times_2014(x, new, u, p, training):
    """2014's dropout, with the sum scaled in evaluation."""
    if training:
        return x + new * (u >= p)
    return (x + new) * (1 - p)


@wrong(D)
def draft_drop_skip_scaled_in_evaluation(x, new, u, p, training):
    """In evaluation only the sublayer's result comes back, rescaled."""
    if training:
        return x + new * (u >= p) / (1 - p)
    return new / (1 - p)
