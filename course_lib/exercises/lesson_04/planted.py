"""Five layers for lesson 04. Some see what they shouldn't; students find out which, with `leaks`, without reading this file.

All take x (batch, n, 8) and return (output (batch, n, 8), weights (batch, n, n)): attention with one head, and something after it.
Don't read on before you have measured.
"""

import torch
from torch import Tensor, nn

from course_lib.attention import attention_weights
from course_lib.masks import causal_mask

D_MODEL = 8


class Layer(nn.Module):
    """Causal attention, as it should be."""

    def __init__(self):
        super().__init__()
        self.W_Q, self.W_K, self.W_V = (nn.Linear(D_MODEL, D_MODEL) for _ in range(3))

    def weights(self, query: Tensor, key: Tensor) -> Tensor:
        return attention_weights(query, key, causal_mask(query.shape[1]))

    def after(self, x: Tensor, attended: Tensor) -> Tensor:
        return x + attended

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        weights = self.weights(self.W_Q(x), self.W_K(x))
        return self.after(x, weights @ self.W_V(x)), weights


class A(Layer):
    """Looks like a bug and isn't one: what the softmax divided by cancels out."""

    def weights(self, query, key):
        weights = attention_weights(query, key) * causal_mask(query.shape[1])
        return weights / weights.sum(-1, keepdim=True)


class B(Layer):
    """Zeros after the softmax: the weights look right, and each was divided by a sum over all words."""

    def weights(self, query, key):
        return attention_weights(query, key) * causal_mask(query.shape[1])


class C(Layer):
    """The attention is right. The convolution after it is centred, so it reaches two words ahead."""

    def __init__(self):
        super().__init__()
        self.neighbours = nn.Conv1d(D_MODEL, D_MODEL, kernel_size=5, padding=2)

    def after(self, x, attended):
        return x + self.neighbours((x + attended).mT).mT


class D(Layer):
    """Switches that the next word sets: steps, which have no gradient."""

    def after(self, x, attended):
        following = torch.cat([x[:, 1:], x[:, :1] * 0], dim=1)
        return x + attended * torch.where(following > 0, 1.0, 0.5)


class E(Layer):
    """No word sees a later one; but what is taken off is a mean over the sentences of the batch."""

    def after(self, x, attended):
        mixed = x + attended
        return mixed - mixed.mean(0, keepdim=True)


def planted() -> dict[str, nn.Module]:
    """The five layers by name, with the same random weights every time."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(4)
        return {kind.__name__: kind().eval() for kind in (A, B, C, D, E)}
