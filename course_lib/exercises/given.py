"""What exercises give a student's code beside tensors: functions with numbers of their own.

In official grading the modules called `given`, and the code that a lesson hands out (`buggy`, `planted`), are all of the
exercises that a student's process holds. So no answer stands in them, and they import no other module of the exercises.
"""

import torch


class Sublayer:
    """A function with numbers of its own; equal to another with the same numbers."""

    def __init__(self, apply, *numbers):
        self.apply, self.numbers = apply, numbers

    def __call__(self, *inputs):
        return self.apply(*inputs, *self.numbers)

    def __eq__(self, other):
        return all(map(torch.equal, self.numbers, other.numbers))

    __hash__ = None


def bend(x, W_1, W_2):
    """A feed-forward network without biases."""
    return (x @ W_1).relu() @ W_2


def norm(x, gamma, beta):
    return torch.nn.functional.layer_norm(x, gamma.shape, gamma, beta)
