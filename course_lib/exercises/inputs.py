"""Random inputs for cases. All draw from a generator, so that a seed decides them."""

import torch


def randn(generator, *shape, dtype=torch.float32, size: float = 1.0):
    """Normal numbers of the given shape; `size` is their standard deviation."""
    return size * torch.randn(*shape, generator=generator, dtype=dtype)


def whole(generator, *shape, size: int):
    """Whole numbers from -size to size, as floats: their products and sums are exact."""
    return torch.randint(-size, size + 1, shape, generator=generator).float()


def integer(generator, low: int, high: int) -> int:
    """A whole number from low to high, both included."""
    return int(torch.randint(low, high + 1, (), generator=generator))


def non_contiguous(x):
    """The same numbers, laid out in memory with the last two axes swapped: .view fails on such a tensor."""
    return x.mT.contiguous().mT


def qkv(generator, n, d_k, keys=None, d_v=None, leading=(), **kwargs):
    """query (*leading, n, d_k), key (*leading, keys, d_k), value (*leading, keys, d_v)."""
    keys, d_v = keys or n, d_v or d_k
    return (
        randn(generator, *leading, n, d_k, **kwargs),
        randn(generator, *leading, keys, d_k, **kwargs),
        randn(generator, *leading, keys, d_v, **kwargs),
    )
