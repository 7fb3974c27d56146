"""The code with bugs that a student of lesson 05 is given."""

import torch


def rotary(x, base=10_000.0):
    """Rotary positions for x (..., n, d_k): turns the pairs (i, i + d_k/2), returns the same shape, with its gradient."""
    n, d_k = x.shape[-2:]
    frequencies = base ** (-torch.arange(0, d_k, 2, dtype=x.dtype) / d_k)
    angles = torch.arange(n, dtype=x.dtype)[:, None] * frequencies
    angles = angles.repeat_interleave(2, dim=-1)
    first, second = x.chunk(2, dim=-1)
    turned = torch.cat([-second, first], dim=-1)
    return x * angles.cos() + turned * angles.sin()
