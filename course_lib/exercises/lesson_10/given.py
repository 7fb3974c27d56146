"""A small language model that reads in one direction."""

import torch


def read(x, of_word, bias, kept):
    """A small recurrent network, all its states at once: of each word before, a share is kept that fades with its distance."""
    place = torch.arange(x.shape[1])
    fades = (kept ** (place[:, None] - place)).tril()  # (n, n): kept to the power of the distance
    return (fades @ x @ of_word + bias).tanh()
