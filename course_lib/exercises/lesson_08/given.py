"""The attention that a decoder layer is built of."""

import torch

from course_lib.attention import softmax_over_keys
from course_lib.errors import CourseError
from course_lib.exercises.given import Sublayer


def attend(x, other, mask, W, V):
    """For each word of x what it takes home from `other`."""
    return softmax_over_keys(x @ W @ other.mT / x.shape[-1] ** 0.5, mask) @ other @ V


class Attention(Sublayer):
    """Called with the three arguments that the exercise names, and no others."""

    def __call__(self, *inputs, **named):
        names = ("x", "other", "mask")
        given = {**dict(zip(names, inputs)), **named}
        if len(inputs) + len(named) != 3 or set(given) != set(names):
            came = ", ".join(
                [*(f"{tuple(i.shape)}" if isinstance(i, torch.Tensor) else str(i) for i in inputs), *named]
            )
            raise CourseError(
                f"An attention takes three arguments here, (x, other, mask): who asks, who answers, who may look at whom. Got {len(inputs) + len(named)}: {came}."
            )
        return super().__call__(*(given[name] for name in names))
