"""Right answers to lesson 09, Training a translator."""

import torch

from right_answers import right

# --- 09.mean_token ----------------------------------------------------------------------------------------------


@right("09.mean_token")
def by_sum(x):
    return x.sum(-2) / x.shape[-2]


@right("09.mean_token")
def by_einsum(x):
    return torch.einsum("...nd->...d", x) / x.shape[-2]


@right("09.mean_token")
def by_loop(x):
    total = 0
    for position in range(x.shape[-2]):
        total = total + x[..., position, :]
    return total / x.shape[-2]
