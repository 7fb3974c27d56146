"""The code with bugs that a student of lesson 13 is given."""

import torch


def next_word_logits(ids, W_e, W_p, W_Q, W_K, W_V):
    """A small GPT: at every place the logits of the word that comes next, from the words up to this place.

    ids (batch, n) · W_e (vocab, d) · W_p (longest, d) · W_Q, W_K, W_V (d, d)
    Returns (batch, n, vocab).
    """
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p[:n]  # (batch, n, d)
    x = (h - h.mean(dim=1, keepdim=True)) / h.std(dim=1, keepdim=True, correction=0)  # layer normalisation
    query, key, value = x @ W_Q, x @ W_K, x @ W_V
    scores = query @ key.mT / d**0.5
    allowed = torch.ones(n, n, dtype=torch.bool).tril(diagonal=1)
    weights = scores.masked_fill(~allowed, float("-inf")).softmax(dim=-1)
    h = h + weights @ value
    return h @ W_e.mT
