"""Layer normalisation: each word's numbers brought to mean 0 and standard deviation 1, then γ and β."""

import math

import torch

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer, non_contiguous, randn


def _layer_norm(x, gamma, beta, eps=1e-5):
    mean = x.mean(dim=-1, keepdim=True)
    variance = (x - mean).square().mean(dim=-1, keepdim=True)
    return (x - mean) / (variance + eps).sqrt() * gamma + beta


def _inputs(g, *shape, eps=1e-5, shift=1.0, size=2.0, dtype=torch.float32):
    """Words whose means and spreads differ from word to word and from place to place."""
    d_model = shape[-1]
    x = randn(g, *shape, dtype=dtype) * size
    x = x * (0.5 + torch.rand(*shape[:-1], 1, generator=g, dtype=dtype)) + shift * randn(g, *shape[:-1], 1, dtype=dtype)
    return x, 1 + 0.5 * randn(g, d_model, dtype=dtype), randn(g, d_model, dtype=dtype), eps


layer_norm = Code(
    "06.layer_norm",
    title="Layer normalisation",
    points=4,
    minutes=12,
    difficulty=2,
    reference=_layer_norm,
    axes=["... d_model"],
    forbidden=("layer_norm", "layernorm", "batch_norm", "group_norm", "instance_norm", "rms_norm"),
    cases=[
        Case("three words", lambda g: _inputs(g, 3, 4)),
        Case("as many words as numbers", lambda g: _inputs(g, 5, 5)),
        Case("one word", lambda g: _inputs(g, 1, 6)),
        Case("a single vector", lambda g: _inputs(g, 6)),
        Case("a batch of two sentences", lambda g: _inputs(g, 2, 4, 3)),
        Case("an ε that shows", lambda g: _inputs(g, 4, 5, eps=0.5)),
        Case("numbers that hardly differ", lambda g: _inputs(g, 3, 8, size=0.02, shift=0.1, eps=1e-3)),
        Case("all numbers of a word equal", lambda g: _constant(g, 3, 4)),
        Case("any sizes", lambda g: _inputs(g, integer(g, 6, 9), integer(g, 10, 20))),
        Case("two leading axes", lambda g: _inputs(g, 2, 3, 2, 4)),
        Case("double precision", lambda g: _inputs(g, 4, 6, dtype=torch.float64)),
        Case("not contiguous in memory", lambda g: (non_contiguous(randn(g, 5, 4)), *_inputs(g, 1, 4)[1:])),
    ],
    differentiable=True,
    hints=[
        "Mean and variance are each word's own: over the last axis, with keepdim=True, so that they can be subtracted and divided.",
        "The variance is the mean of (x − μ)²: divide by d, not by d − 1. torch's .var does that with correction=0.",
        "(x − μ) / √(σ² + ε), then times gamma, plus beta.",
    ],
)


def _constant(g, n, d_model):
    return randn(g, n, 1).expand(n, d_model).clone().round(), *_inputs(g, n, d_model)[1:]


def own_mean(x):
    return x.mean(-1, keepdim=True)


def own_variance(x, correction=0):
    return x.var(-1, keepdim=True, correction=correction)


@layer_norm.variants
def steps(
    x,
    gamma,
    beta,
    eps,
    *,
    mean=own_mean,
    variance=own_variance,
    correction=0,
    centred=lambda x, mean: x - mean,
    scale=lambda variance, eps: (variance + eps).sqrt(),
    divided=lambda x, scale: x / scale,
    result=lambda y, gamma, beta: y * gamma + beta,
):
    return result(divided(centred(x, mean(x)), scale(variance(x, correction), eps)), gamma, beta)


steps.mistake(
    "ε stands outside the root. It belongs inside: √(σ² + ε). Where all numbers are equal, the gradient of √ at 0 would be infinite.",
    scale=lambda variance, eps: variance.sqrt() + eps,
)
steps.mistake(
    "You divide the variance by d − 1, as torch's var and std do unless you pass correction=0. Divide by d.",
    correction=1,
)
steps.mistake(
    "You divide by d − 1, as torch's std does unless you pass correction=0, and ε stands outside the root: √(σ² + ε) with σ² divided by d.",
    correction=1,
    scale=lambda variance, eps: variance.sqrt() + eps,
)
steps.mistake(
    "ε is missing. Where all numbers of a word are equal, the variance is 0, and 0/0 is NaN: √(σ² + ε).",
    scale=lambda variance, eps: variance.sqrt(),
)
steps.mistake("You divide by the variance. Divide by its root, √(σ² + ε).", scale=lambda variance, eps: variance + eps)
steps.mistake(
    "You take the root of the standard deviation: √(σ + ε). σ is a root already; under the root stands the variance, √(σ² + ε).",
    scale=lambda variance, eps: (variance.sqrt() + eps).sqrt(),
)
steps.mistake(
    "That is one lecture's √σ + ε, which takes the root twice: σ is √variance already. The paper's is √(σ² + ε).",
    scale=lambda variance, eps: variance.sqrt().sqrt() + eps,
)
steps.mistake("You divide by the variance, without root and ε: √(σ² + ε).", scale=lambda variance, eps: variance)
steps.mistake("ε is squared. It is added to σ² as it is.", scale=lambda variance, eps: (variance + eps**2).sqrt())
steps.mistake("You multiply by √(σ² + ε). Divide by it.", divided=lambda x, scale: x * scale)
steps.mistake("The mean isn't taken off: (x − μ) first.", centred=lambda x, mean: x)
steps.mistake("You add the mean. Take it off: x − μ.", centred=lambda x, mean: x + mean)
steps.mistake("The mean is taken off, but nothing is divided by √(σ² + ε).", divided=lambda x, scale: x)
steps.mistake("γ and β are missing: multiply by gamma, then add beta.", result=lambda y, gamma, beta: y)
steps.mistake("β is missing: add beta at the end.", result=lambda y, gamma, beta: y * gamma)
steps.mistake("γ is missing: multiply by gamma before beta is added.", result=lambda y, gamma, beta: y + beta)
steps.mistake(
    "β is multiplied by γ, too. First times gamma, then plus beta.", result=lambda y, gamma, beta: (y + beta) * gamma
)
steps.mistake(
    "gamma and beta have changed places: gamma multiplies, beta is added.",
    result=lambda y, gamma, beta: y * beta + gamma,
)
steps.mistake("You divide by γ. It multiplies.", result=lambda y, gamma, beta: y / gamma + beta)
steps.mistake(
    "1 + gamma multiplies in your code. It is gamma alone.", result=lambda y, gamma, beta: y * (1 + gamma) + beta
)
steps.mistake("β is subtracted. It is added.", result=lambda y, gamma, beta: y * gamma - beta)


def outside(variance, eps):
    return variance.sqrt() + eps


WHERE = {  # which numbers are taken together, and their axes
    "run over the words, so another word changed this one": lambda x: -2,
    "run over the first axis: the words of one sentence, or the sentences of a batch": lambda x: 0,
    "run over axis 1, which is the last only where x is (n, d_model). With a batch in front it is the words": lambda x: (
        1
    ),
    "are the same for all numbers together: another sentence changed this word": lambda x: tuple(range(x.dim())),
    "are the same for a whole sentence: another word changed this one": lambda x: (-2, -1),
    "run over all axes but the first, as for images: another word changed this one": lambda x: tuple(range(1, x.dim())),
    "run over batch and words, for each place of the vector: that is batch normalisation": lambda x: tuple(
        range(x.dim() - 1)
    ),
}
NOT_KEPT = {  # which of the two lose the last axis
    "Mean and variance lose": (False, False),
    "The mean loses": (False, True),
    "The variance loses": (True, False),
}
EXTRAS = [  # a second mistake that often stands beside these
    ("", 0, {}),
    (" And σ² is divided by d, not by d − 1: correction=0.", 1, {}),
    (" And ε stands inside the root: √(σ² + ε).", 0, {"scale": outside}),
    (" And it is √(σ² + ε), ε inside, with σ² divided by d (correction=0).", 1, {"scale": outside}),
]
for more, correction, scale in EXTRAS:
    for where, axes in WHERE.items():
        steps.mistake(
            f"Mean and variance {where}. Each word by itself: the last axis, dim=-1.{more}",
            mean=lambda x, axes=axes: x.mean(axes(x), keepdim=True),
            variance=lambda x, c, axes=axes: x.var(axes(x), keepdim=True, correction=c),
            correction=correction,
            **scale,
        )
    if scale:  # where it runs without the last axis, ε doesn't show
        continue
    for lost, (of_mean, of_variance) in NOT_KEPT.items():
        says = f"{lost} the last axis, so what is subtracted and divided doesn't stand beside its own word: keepdim=True.{more}"
        lose = {
            "mean": lambda x, kept=of_mean: x.mean(-1, keepdim=kept),
            "variance": lambda x, c, kept=of_variance: x.var(-1, keepdim=kept, correction=c),
            "correction": correction,
        }
        steps.mistake(says, **lose)
        steps.mistake(f"{says} And γ and β are missing.", **lose, result=lambda y, gamma, beta: y)
for what, axes in {
    "the words": lambda x: -2,
    "the first axis": lambda x: 0,
    "all numbers": lambda x: tuple(range(x.dim())),
}.items():
    steps.mistake(
        f"The variance runs over {what}, the mean doesn't. Both are each word's own: dim=-1.",
        variance=lambda x, c, axes=axes: x.var(axes(x), keepdim=True, correction=c),
    )
    steps.mistake(
        f"The mean runs over {what}, the variance doesn't. Both are each word's own: dim=-1.",
        mean=lambda x, axes=axes: x.mean(axes(x), keepdim=True),
    )
steps.mistake(
    "You always divide by 4, as for the four numbers by hand. Divide by d, the length of the last axis: x.shape[-1].",
    mean=lambda x: x.sum(-1, keepdim=True) / 4,
    variance=lambda x, c: (x - x.sum(-1, keepdim=True) / 4).square().sum(-1, keepdim=True) / 4,
)
for says, divided_by in {
    "You divide by x.shape[0], the number of words or sentences. Each word's numbers are d: x.shape[-1].": lambda x: len(x),
    "You divide by x.shape[-2], the number of words. Each word's numbers are d: x.shape[-1].": lambda x: x.shape[-2],
}.items():  # fmt: skip
    steps.mistake(
        says,
        mean=lambda x, n=divided_by: x.sum(-1, keepdim=True) / n(x),
        variance=lambda x, c, n=divided_by: (x - x.sum(-1, keepdim=True) / n(x)).square().sum(-1, keepdim=True) / n(x),
    )
    steps.mistake(
        f"In the variance: {says[0].lower()}{says[1:]}",
        variance=lambda x, c, n=divided_by: (x - own_mean(x)).square().sum(-1, keepdim=True) / n(x),
    )
steps.mistake(
    "You take off the sum, not the mean: it is still to be divided by d.", mean=lambda x: x.sum(-1, keepdim=True)
)
steps.mistake(
    "You take off the sum, not the mean, in the variance as well: it is still to be divided by d.",
    mean=lambda x: x.sum(-1, keepdim=True),
    variance=lambda x, c: (x - x.sum(-1, keepdim=True)).square().mean(-1, keepdim=True),
)
steps.mistake(
    "Your variance is the mean of x² *plus* the square of the mean. It is minus: or, plainer, the mean of (x − μ)².",
    variance=lambda x, c: x.square().mean(-1, keepdim=True) + own_mean(x).square(),
)
steps.mistake(
    "Your variance is the mean of x² minus the mean. It is minus the *square* of the mean: or, plainer, the mean of (x − μ)².",
    variance=lambda x, c: x.square().mean(-1, keepdim=True) - own_mean(x),
)
steps.mistake(
    "Your variance is the square of the mean difference, which is 0: first square, (x − μ)², then take the mean.",
    variance=lambda x, c: (x - own_mean(x)).mean(-1, keepdim=True).square(),
)
steps.mistake(
    "The differences x − μ aren't squared before their mean is taken, and so they cancel to 0: σ² is the mean of (x − μ)².",
    variance=lambda x, c: (x - own_mean(x)).mean(-1, keepdim=True),
)
steps.mistake(
    "Nothing is averaged under your root: each number is divided by its own size. σ² is the mean of (x − μ)² over the word.",
    variance=lambda x, c: (x - own_mean(x)).square(),
)
steps.mistake(
    "`** 1 / 2` is the first power, halved: ** binds more strongly than /. Write ** 0.5 or .sqrt().",
    divided=lambda x, scale: x / scale.square() / 2,
)
steps.mistake(
    "You divide by σ², as `** 2` makes it: (σ² + ε) ** 2. It is ** 0.5, the root.",
    scale=lambda variance, eps: (variance + eps) ** 2,
)
steps.mistake(
    "ε is subtracted. It is added, under the root: √(σ² + ε).", scale=lambda variance, eps: (variance - eps).sqrt()
)
steps.mistake(
    "β is missing, and γ is added where it multiplies: times gamma, plus beta.", result=lambda y, gamma, beta: y + gamma
)
steps.mistake(
    "gamma and beta are both added. gamma multiplies: times gamma, plus beta.",
    result=lambda y, gamma, beta: y + gamma + beta,
)
steps.mistake(
    "gamma and beta both multiply. beta is added: times gamma, plus beta.",
    result=lambda y, gamma, beta: y * gamma * beta,
)
steps.mistake(
    "The mean becomes 1, as one lecture's slide says. It is 0: nothing is added before γ and β.",
    result=lambda y, gamma, beta: (y + 1) * gamma + beta,
)
steps.mistake(
    "The sign is lost: (x − μ)² under a root is |x − μ|. Only σ² + ε stands under it.",
    divided=lambda x, scale: x.abs() / scale,
)
steps.mistake(
    "math.sqrt takes one number; here every word has its own variance. Use torch.sqrt, .sqrt() or ** 0.5.",
    scale=lambda variance, eps: math.sqrt(variance + eps),
)
steps.mistake(
    "The squares are summed, not averaged: a long vector would come out shorter. σ² is the mean of (x − μ)².",
    variance=lambda x, c: own_variance(x) * x.shape[-1],
)
steps.mistake(
    "Your variance is the mean of x², not of (x − μ)². Take the mean off first.",
    variance=lambda x, c: x.square().mean(-1, keepdim=True),
)
steps.mistake(
    "That is RMSNorm: no mean taken off, and divided by the root of the mean square. Later models do that; here it is (x − μ) / √(σ² + ε).",
    variance=lambda x, c: x.square().mean(-1, keepdim=True),
    centred=lambda x, mean: x,
)
steps.mistake(
    "You divide by the vector's length, so the result has length 1, not standard deviation 1: that is √d too short. Divide by √(σ² + ε).",
    scale=lambda variance, eps: variance.sqrt(),
    variance=lambda x, c: (x - own_mean(x)).square().sum(-1, keepdim=True) + 1e-12,
)
steps.mistake(
    "You divide by the mean distance |x − μ|. It is the root of the mean square: √(σ² + ε).",
    variance=lambda x, c: (x - own_mean(x)).abs().mean(-1, keepdim=True),
    scale=lambda variance, eps: variance + eps,
)
steps.mistake(
    "ε is always 1e-6 in your code. Use the argument `eps`.", scale=lambda variance, eps: (variance + 1e-6).sqrt()
)
steps.mistake(
    "ε is a lower bound in your code: σ where it is larger, else ε. It is always added, under the root: √(σ² + ε).",
    scale=lambda variance, eps: variance.sqrt().clamp(min=eps),
)
steps.mistake(
    "ε is a lower bound for σ² in your code. It is always added: √(σ² + ε).",
    scale=lambda variance, eps: variance.clamp(min=eps).sqrt(),
)
steps.mistake(
    "ε is added twice, under the root and outside it. Under the root alone: √(σ² + ε).",
    scale=lambda variance, eps: (variance + eps).sqrt() + eps,
)
steps.mistake(
    "The mean is divided by d − 1. It is the sum over d; and so is the variance.",
    mean=lambda x: x.sum(-1, keepdim=True) / max(x.shape[-1] - 1, 1),
)
steps.mistake(
    "ε is always 1e-5 in your code. Use the argument `eps`.", scale=lambda variance, eps: (variance + 1e-5).sqrt()
)
steps.mistake("You take the median. It is the mean.", mean=lambda x: x.median(-1, keepdim=True).values)
steps.mistake(
    "You take the median, and the variance around it. Both are of the mean.",
    mean=lambda x: x.median(-1, keepdim=True).values,
    variance=lambda x, c: (x - x.median(-1, keepdim=True).values).square().mean(-1, keepdim=True),
)
steps.mistake(
    "You bring each word to the range from 0 to 1. It is mean 0 and standard deviation 1: (x − μ) / √(σ² + ε).",
    mean=lambda x: x.amin(-1, keepdim=True),
    scale=lambda variance, eps: variance,
    variance=lambda x, c: x.amax(-1, keepdim=True) - x.amin(-1, keepdim=True) + 1e-5,
)


@layer_norm.mistake("Only μ is divided: x − μ / √… reads as x − (μ / √…). Put x − μ in brackets.")
def no_brackets(x, gamma, beta, eps):
    return x - own_mean(x) / (own_variance(x) + eps).sqrt() * gamma + beta


@layer_norm.mistake("Only μ is divided: gamma * (x − μ / √…) reads as x − (μ / √…). Put x − μ in brackets of its own.")
def no_brackets_inside(x, gamma, beta, eps):
    return (x - own_mean(x) / (own_variance(x) + eps).sqrt()) * gamma + beta


BY_LOOP = "A loop over x runs over its first axis: words, if there is no batch, else whole sentences, which you normalise as one (and a single vector falls into numbers). dim=-1 needs no loop."
for more, correction, form in (
    ("", 0, lambda variance, eps: (variance + eps).sqrt()),
    (" And σ² is divided by d, not by d − 1: correction=0.", 1, lambda variance, eps: (variance + eps).sqrt()),
    (" And it is √(σ² + ε), ε inside, with σ² divided by d (correction=0).", 1, outside),
    (" And ε stands inside the root: √(σ² + ε).", 0, outside),
):

    def filled(x, gamma, beta, eps, correction=correction, form=form):
        out = torch.zeros_like(x)
        for i in range(len(x)):
            out[i] = (x[i] - x[i].mean()) / form(x[i].var(correction=correction), eps) * gamma + beta
        return out

    def stacked(x, gamma, beta, eps, correction=correction, form=form):
        each = [(word - word.mean()) / form(word.var(correction=correction), eps) * gamma + beta for word in x]
        return torch.stack(each)

    layer_norm.mistake(BY_LOOP + more)(filled)
    layer_norm.mistake(f"{BY_LOOP}{more} (A list, stacked at last.)")(stacked)


@layer_norm.mistake("You divide first and take μ off afterwards. First x − μ, then divide by √(σ² + ε).")
def divided_first(x, gamma, beta, eps):
    return (x / (own_variance(x) + eps).sqrt() - own_mean(x)) * gamma + beta


@layer_norm.mistake(
    "γ and β come first in your code, and what they made is normalised away. First (x − μ) / √(σ² + ε)."
)
def gamma_and_beta_first(x, gamma, beta, eps):
    return steps(x * gamma + beta, 1, 0, eps)


@layer_norm.mistake(
    "γ multiplies before mean and variance are taken, so they are those of γx. It comes after the division: (x − μ) / √(σ² + ε) · γ + β."
)
def gamma_first(x, gamma, beta, eps):
    return steps(x * gamma, 1, beta, eps)


@layer_norm.mistake(
    "γ is taken into x − μ before the variance is formed. σ² is that of x alone; γ comes after the division."
)
def gamma_in_the_variance(x, gamma, beta, eps):
    y = (x - own_mean(x)) * gamma
    return y / (y.square().mean(-1, keepdim=True) + eps).sqrt() + beta


@layer_norm.mistake("You normalise twice, γ and β included. Once.")
def twice(x, gamma, beta, eps):
    return steps(steps(x, gamma, beta, eps), gamma, beta, eps)


@layer_norm.mistake("You take a softmax. It is the mean taken off, and divided by √(σ² + ε).")
def softmax(x, gamma, beta, eps):
    return x.softmax(-1) * gamma + beta


@layer_norm.mistake("Nothing is normalised: only γ and β are used. First (x − μ) / √(σ² + ε).")
def only_gamma_and_beta(x, gamma, beta, eps):
    return x * gamma + beta


steps.mistake("γ is squared: it multiplies once.", result=lambda y, gamma, beta: y * gamma * gamma + beta)
steps.mistake("γ loses its sign. It may be negative.", result=lambda y, gamma, beta: y * gamma.abs() + beta)


@layer_norm.mistake("ε stands above the line. It belongs under the root: √(σ² + ε).")
def epsilon_above(x, gamma, beta, eps):
    return (x - own_mean(x) + eps) / own_variance(x).sqrt() * gamma + beta


steps.mistake("You divide the variance by d − 2. Divide by d: correction=0.", correction=2)
steps.mistake(
    "You divide by the largest |x − μ|, so that all lies between −1 and 1. It is the standard deviation: √(σ² + ε).",
    variance=lambda x, c: (x - own_mean(x)).abs().amax(-1, keepdim=True) + 1e-12,
    scale=lambda variance, eps: variance,
)
