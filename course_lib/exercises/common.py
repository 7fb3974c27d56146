"""Mistakes and symptoms that exercises of several lessons share."""

import torch
from torch import Tensor

from course_lib.checking.kinds import Code

# What finished attention is called, in torch and here: an exercise that asks for it forbids these words in a function's name.
FINISHED_ATTENTION = (
    "scaled_dot_product",
    "attention_weights",
    "multi_head_attention",
    "multiheadattention",
    "flex_attention",
)


# --- mistakes: whole answers made from the exercise's own reference ------------------------------------------------


def output_only(exercise: Code) -> None:
    """Of output and weights only the output is returned."""

    @exercise.mistake("Only the output comes back. The weights are asked for too: return output, weights.")
    def output_only(*inputs):
        return exercise.reference(*inputs)[0]


def order_of_results(exercise: Code) -> None:
    """Output and weights change places."""

    @exercise.mistake("The two results are in the wrong order: the output first, then the weights.")
    def order_of_results(*inputs):
        return exercise.reference(*inputs)[::-1]


# --- symptoms: what a wrong answer shows, whatever made it -----------------------------------------------------------


def rows_sum_to_one(weights: Tensor) -> bool:
    """Does each query's row of weights sum to 1?"""
    return torch.allclose(weights.sum(-1), torch.ones(1, dtype=weights.dtype), atol=1e-3)


def only_the_scale_differs(weights: Tensor, right: Tensor) -> bool:
    """Do the scores behind two tables of weights differ by a positive factor alone?"""
    if not rows_sum_to_one(weights):
        return False
    own, right = (w.double().log() - w.double().log().mean(-1, keepdim=True) for w in (weights, right))
    factor = (own * right).sum() / (right * right).sum()
    return bool(factor > 0) and abs(factor - 1) > 1e-3 and torch.allclose(own, factor * right, rtol=1e-3, atol=1e-4)


def same(answer: Tensor, expected: Tensor) -> bool:
    """Equal up to rounding, as far as a symptom needs to know."""
    return torch.allclose(expected, answer, atol=1e-4)


def output_does_not_follow(exercise: Code) -> None:
    """Of output and weights the weights are right, and the output is made of others."""

    @exercise.symptom("Your weights are right, but the output isn't: it should be weights @ value.")
    def output_does_not_follow(inputs, answer):
        return same(answer[1], exercise.reference(*inputs)[1])


# --- steps: what a wrong answer does in place of the right step ------------------------------------------------------


def unchanged(x: Tensor, *_) -> Tensor:
    """The step is left out."""
    return x


def masked(x: Tensor, mask: Tensor, fill: float = float("-inf")) -> Tensor:
    """`fill` where the mask is False."""
    return x.masked_fill(~mask, fill)
