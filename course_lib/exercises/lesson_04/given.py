"""Layers whose leaks are to be found, (n, d) → (n, d_out), and the random numbers with which a student looks for them."""

import torch

from course_lib.attention import dot_scores, softmax_over_keys

WHISPER = 1e-10  # an influence that no comparison of outputs would show


def attention(x, W, mask):
    return softmax_over_keys(dot_scores(x, x), mask) @ x @ W


def following(x):
    """In each word's place the one that follows; zeros in the last."""
    return torch.cat([x[1:], 0 * x[:1]])


def preceding(x):
    return torch.cat([0 * x[:1], x[:-1]])


def cancelling(x, W, mask):
    y = attention(x, W, mask)
    return torch.cat([y, -y], dim=-1)


def whispering(x, W, mask):
    return attention(x, W, mask) + WHISPER * following(x) @ W


def into_one_number(x, W, mask):
    """The word that follows reaches the second number of the output."""
    y = attention(x, W, mask)
    return torch.cat([y[:, :1], y[:, 1:2] + following(x)[:, :1], y[:, 2:]], dim=-1)


def difference(x, W, mask):
    """Of the word before it only matters by how much its second number is above its third."""
    return (preceding(x)[:, 1:2] - preceding(x)[:, 2:3]) * W[0]


def words_around(x, W, mask):
    return (preceding(x) + x + following(x)) @ W


def word_before(x, W, mask):
    """Whose first number has no influence."""
    return preceding(x)[:, 1:] @ W[1:]


def seeded(submission, *inputs):
    """The student draws random weights; the same ones in every call, so that an answer can be compared."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return submission(*inputs)
