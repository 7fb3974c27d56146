"""The decoder step with two bugs that a student of lesson 01 is given."""

import torch


def repaired(word, state, annotations, W_1, W_2, w_3, W):
    """One step of a decoder: look at the annotations, then update the state.

    word (batch, d_word), state (batch, d_state), annotations (batch, n, d_state)
    Returns (the next state (batch, d_state), the weights (batch, n)).
    """
    query = annotations[:, -1]
    compared = torch.tanh((query @ W_1.mT)[:, None] + annotations @ W_2.mT)
    weights = (compared @ w_3).softmax(dim=0)
    context = (weights[..., None] * annotations).sum(dim=1)
    return torch.tanh(torch.cat([word, state, context], dim=-1) @ W.mT), weights
