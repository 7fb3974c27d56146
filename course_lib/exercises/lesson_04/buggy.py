"""The masks of a translator with the three bugs that a student of lesson 04 is given."""

import torch


def repaired(source_ids, target_ids, pad_id):
    """The masks of a translator: (source, target, cross), each broadcastable to (batch, head, query, key)."""
    n = target_ids.shape[1]
    causal = torch.ones(n, n, dtype=torch.bool).triu()
    source_mask = (source_ids != pad_id)[:, None, None, :]
    target_mask = causal | (target_ids != pad_id)[:, None, None, :]
    cross_mask = (target_ids != pad_id)[:, None, None, :]
    return source_mask, target_mask, cross_mask
