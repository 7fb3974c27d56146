"""Masks: which query may attend to which key. Boolean; True means "may attend"; broadcastable to (batch, head, query, key).

The same as the boolean mask of torch.nn.functional.scaled_dot_product_attention. `&` joins masks; `combine` does it for
masks of which some may be None. What a finished model really sees, whatever its masks promise, `course_lib.leaks` measures.
"""

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from course_lib.errors import CourseError


def causal_mask(n: int, past: int = 0) -> Bool[Tensor, "{n} {past+n}"]:
    """Position i may attend to positions 0 … i: a lower triangle with its diagonal.

    `past` keys of earlier calls stand in front (a cache): then query i is position past + i of the text.
    """
    if n < 0 or past < 0:
        raise CourseError(
            f"A mask has as many rows as there are queries; n = {n} and past = {past} came. Pass numbers from 0 up."
        )
    return torch.ones(n, past + n, dtype=torch.bool).tril(past)


def padding_mask(ids: Int[Tensor, "batch n"], pad_id: int) -> Bool[Tensor, "batch 1 1 n"]:
    """Nobody may attend to padding. The two axes of length 1 broadcast over heads and queries."""
    return (ids != pad_id)[:, None, None, :]


def length_mask(lengths: Int[Tensor, " batch"], n: int | None = None) -> Bool[Tensor, "batch 1 1 n"]:
    """The padding mask of sentences of these lengths, padded at the end to n words (to the longest of them unless given)."""
    longest = int(lengths.max()) if lengths.numel() else 0
    n = longest if n is None else n
    if longest > n or bool((lengths < 0).any()):
        raise CourseError(f"Each length should lie between 0 and n = {n}, but the lengths are {lengths.tolist()}.")
    return (torch.arange(n, device=lengths.device) < lengths[:, None])[:, None, None, :]


def cross_mask(
    query_ids: Int[Tensor, "batch n_query"], key_ids: Int[Tensor, "batch n_key"], pad_id: int
) -> Bool[Tensor, "batch 1 n_query n_key"]:
    """From one text to another: a word of the first may attend to the words of the second. Padding sees nothing and isn't seen.

    A row of padding is False throughout, so its weights and output are zero. Where those don't matter, `padding_mask(key_ids, pad_id)`
    is enough.
    """
    if len(query_ids) != len(key_ids):
        raise CourseError(
            f"Each text needs its partner, but there are {len(query_ids)} query texts and {len(key_ids)} key texts."
        )
    return (query_ids != pad_id)[:, None, :, None] & (key_ids != pad_id)[:, None, None, :]


def combine(*masks: Bool[Tensor, "..."] | None) -> Bool[Tensor, "..."] | None:
    """What all of these masks allow, by broadcasting; None stands for "everything" and is left out."""
    given = [mask for mask in masks if mask is not None]
    for mask in given:
        if mask.dtype != torch.bool:
            raise CourseError(
                f"A mask is boolean, True where a query may look, but one of these is {mask.dtype}. Use mask.bool()."
            )
    try:
        torch.broadcast_shapes(*(mask.shape for mask in given))
    except RuntimeError:
        shapes = ", ".join(str(tuple(mask.shape)) for mask in given)
        raise CourseError(
            f"These masks don't broadcast to one (batch, head, query, key): {shapes}. Axes fit when equal or 1."
        ) from None
    joined = None
    for mask in given:
        joined = mask if joined is None else joined & mask
    return joined
