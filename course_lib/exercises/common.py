"""What exercises of several lessons share: names of finished functions, steps, mistakes, symptoms."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from course_lib.checking.kinds import Code, Variants

# What finished attention is called, in torch and here: an exercise that asks for it forbids these words in a function's name.
FINISHED_ATTENTION = (
    "scaled_dot_product",
    "attention_weights",
    "multi_head_attention",
    "multiheadattention",
    "flex_attention",
)

# Sentences for the same mistake, made in exercises that are built differently.
RESULTS_SWAPPED = "The two results are in the wrong order: the output first, then the weights."
ONLY_THE_OUTPUT = "Only the output comes back. The weights are asked for too: return output, weights."
KEYS_RESHAPED = "Your keys have been cut anew, not turned: reshape and view keep the numbers in their order. Swap the two axes, with .mT."


# --- steps: what a right answer does, and what others do in its place ------------------------------------------------


def unchanged(x: Tensor, *_) -> Tensor:
    """The step is left out."""
    return x


def transposed(x: Tensor) -> Tensor:
    """The last two axes swapped."""
    return x.mT


def reshaped(x: Tensor) -> Tensor:
    """The shape of x.mT, but the numbers in their old order."""
    return x.reshape(x.mT.shape)


def all_axes_reversed(x: Tensor) -> Tensor:
    """What x.T does; for more than two axes torch warns of it."""
    return x.permute(*reversed(range(x.dim())))


def masked(x: Tensor, mask: Tensor, fill: float = float("-inf")) -> Tensor:
    """`fill` where the mask is False."""
    return x.masked_fill(~mask, fill)


def softmax_that_overflows(scores: Tensor) -> Tensor:
    """exp without the row's maximum taken off: NaN for large scores."""
    e = scores.exp()
    return e / e.sum(-1, keepdim=True)


def share_without_exp(scores: Tensor) -> Tensor:
    """Each score as a share of its row's sum; some are negative."""
    return scores / scores.sum(-1, keepdim=True)


def all_on_the_best(scores: Tensor) -> Tensor:
    """Weight 1 for the largest score, 0 for the others."""
    return F.one_hot(scores.argmax(-1), scores.shape[-1]).to(scores.dtype)


# Weights made of scores in ways that no exercise asks for, by name: the sentence, and what is done in place of a softmax.
OTHER_WEIGHTS = {
    "twice": (
        "You take the softmax twice: the second one flattens the weights. Once is enough.",
        lambda s: s.softmax(-1).softmax(-1),
    ),
    "logarithm": ("These are the logarithms of weights. Use softmax, not log_softmax.", lambda s: s.log_softmax(-1)),
    "powers_of_two": (
        "You raise 2 to the scores. A softmax raises e: torch.exp, or softmax itself.",
        lambda s: (s * math.log(2)).softmax(-1),
    ),
    "sigmoid": (
        "The sigmoid looks at each score by itself. The keys share a weight of 1 among them: softmax over the keys.",
        torch.sigmoid,
    ),
    "squared": (
        "You square the scores, so a negative one counts as much as a positive one. The softmax takes the scores as they are.",
        lambda s: (s**2).softmax(-1),
    ),
    "absolute": (
        "You leave out the signs of the scores, so a key that doesn't fit at all gets much. The softmax takes the scores as they are.",
        lambda s: s.abs().softmax(-1),
    ),
    "relu": (
        "You set negative scores to 0. The softmax takes the scores as they are, negative ones, too.",
        lambda s: s.relu().softmax(-1),
    ),
    "negative": (
        "The signs are turned round: what fits least gets the most weight. The softmax takes the scores as they are.",
        lambda s: (-s).softmax(-1),
    ),
    "largest": (
        "You divide by the largest score. Then some weights are negative, and they don't sum to 1: use a softmax.",
        lambda s: s / s.amax(-1, keepdim=True),
    ),
    "all": (
        "All your weights sum to 1 together. The weights of each query should, by themselves: softmax over the keys, dim=-1.",
        lambda s: s.flatten().softmax(0).view_as(s),
    ),
}


def other_weights(steps: Variants, names: str) -> None:
    """Of OTHER_WEIGHTS those named, in place of the step `weights`."""
    for name in names.split():
        sentence, weights = OTHER_WEIGHTS[name]
        steps.mistake(sentence, weights=weights)


# --- mistakes: whole answers made from the exercise's own reference ------------------------------------------------


def output_only(exercise: Code) -> None:
    """Of output and weights only the output is returned."""

    @exercise.mistake(ONLY_THE_OUTPUT)
    def output_only(*inputs):
        return exercise.reference(*inputs)[0]


def order_of_results(exercise: Code) -> None:
    """Output and weights change places."""

    @exercise.mistake(RESULTS_SWAPPED)
    def order_of_results(*inputs):
        return exercise.reference(*inputs)[::-1]


# --- symptoms: what a wrong answer shows, whatever made it -----------------------------------------------------------


def rows_do_not_sum_to_one(exercise: Code, sentence: str) -> None:
    """The weights, the only result or the second one, don't sum to 1 for each query."""

    @exercise.symptom(sentence)
    def rows_do_not_sum_to_one(inputs, answer):
        return not rows_sum_to_one(answer if isinstance(answer, Tensor) else answer[1])


def output_does_not_follow(
    exercise: Code, sentence: str = "Your weights are right, but the output isn't: it should be weights @ value."
) -> None:
    """Of output and weights only the weights are right."""

    @exercise.symptom(sentence)
    def output_does_not_follow(inputs, answer):
        return same(answer[1], exercise.run(exercise.reference, *inputs)[1])


def rows_sum_to_one(weights: Tensor) -> bool:
    """Whether each query's row of weights sums to 1."""
    return torch.allclose(weights.sum(-1), torch.ones(1, dtype=weights.dtype), atol=1e-3)


def only_the_scale_differs(weights: Tensor, right: Tensor) -> bool:
    """Whether the scores behind two tables of weights differ by a positive factor alone."""
    if not rows_sum_to_one(weights):
        return False
    own, right = (w.double().log() - w.double().log().mean(-1, keepdim=True) for w in (weights, right))
    factor = (own * right).sum() / (right * right).sum()
    return bool(factor > 0) and abs(factor - 1) > 1e-3 and torch.allclose(own, factor * right, rtol=1e-3, atol=1e-4)


def same(answer: Tensor, expected: Tensor) -> bool:
    """Whether both are equal up to rounding, as far as a symptom needs to know."""
    return torch.allclose(expected, answer, atol=1e-4)
