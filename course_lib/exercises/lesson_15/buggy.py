"""The code with bugs that a student of lesson 15 is given."""

import torch


def probe_leak(states, words, labels):
    """What a linear probe reads of a word's class from its state, tested on words that it has never seen.

    states (place, d) · words (place), the word's id at each place · labels (place), its class: 0 or 1
    The probe learns at the first half of the places. It is tested at those places of the second half
    whose word the first half doesn't have. Returns (w, its accuracy there, how many places these are).
    """
    half = len(words) // 2
    x = states - states.mean(dim=0)  # centred by what the probe learns from
    y = 2 * labels - 1  # −1 or 1
    squares = x.T @ x + torch.eye(x.shape[1])
    w = torch.linalg.solve(squares, x.T @ y.to(x.dtype))  # ridge regression: (d)
    said = (x[half:] @ w > 0).long()
    right = said == labels[half:]
    return w, right.float().mean(), len(right)
