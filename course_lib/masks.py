"""Masks: which query may attend to which key. Boolean; True means "may attend"."""

import torch
from jaxtyping import Bool, Int
from torch import Tensor


def causal_mask(n: int) -> Bool[Tensor, "{n} {n}"]:
    """Position i may attend to positions 0 … i: a lower triangle with its diagonal."""
    return torch.ones(n, n, dtype=torch.bool).tril()


def padding_mask(ids: Int[Tensor, "batch n"], pad_id: int) -> Bool[Tensor, "batch 1 1 n"]:
    """Nobody may attend to padding. The two axes of length 1 broadcast over heads and queries."""
    return (ids != pad_id)[:, None, None, :]
