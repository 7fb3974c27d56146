"""Masks: which query may attend to which key. Boolean; True means "may attend".

They broadcast to (batch, head, query, key), the same as the boolean mask of torch's scaled_dot_product_attention.
`&` joins masks; `combine_masks` does it for masks of which some may be None. What a finished model really sees,
whatever its masks promise, `course_lib.leaks` measures.
"""

import operator
from collections.abc import Sequence
from functools import reduce

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from course_lib.errors import CourseError
from course_lib.support.messages import whole_number

Mask = Bool[Tensor, "..."]


def causal_mask(n: int, past: int = 0) -> Bool[Tensor, "{n} {past+n}"]:
    """Position i may attend to positions 0 … i: a lower triangle with its diagonal.

    `past` keys of earlier calls stand in front (a cache): then query i is position past + i of the text.
    """
    n, past = whole_number("n", n), whole_number("past", past)
    return torch.ones(n, past + n, dtype=torch.bool).tril(past)


def padding_mask(ids: Int[Tensor, "batch n"], pad_id: int) -> Bool[Tensor, "batch 1 1 n"]:
    """Nobody may attend to padding. The two axes of length 1 broadcast over heads and queries."""
    return (ids != pad_id)[:, None, None, :]


def length_mask(lengths: Int[Tensor, " batch"], n: int | None = None) -> Bool[Tensor, "batch 1 1 n"]:
    """The padding mask of texts of these lengths, padded at the end to n tokens (to the longest text unless given)."""
    longest = int(lengths.max()) if lengths.numel() else 0
    n = longest if n is None else n
    if longest > n or bool((lengths < 0).any()):
        raise CourseError(f"Each length should lie between 0 and n = {n}, but the lengths are {lengths.tolist()}.")
    return (torch.arange(n, device=lengths.device) < lengths[:, None])[:, None, None, :]


def cross_mask(
    query_ids: Int[Tensor, "batch n_query"], key_ids: Int[Tensor, "batch n_key"], pad_id: int
) -> Bool[Tensor, "batch 1 n_query n_key"]:
    """From one text to another: tokens of the first may attend to those of the second; padding neither way.

    A row of padding is False throughout, so its weights and output are zero. Where those don't matter,
    `padding_mask(key_ids, pad_id)` is enough.
    """
    if len(query_ids) != len(key_ids):
        raise CourseError(
            f"Each text needs its partner, but there are {len(query_ids)} query texts and {len(key_ids)} key texts."
        )
    return (query_ids != pad_id)[:, None, :, None] & (key_ids != pad_id)[:, None, None, :]


def window_mask(n: int, window: int) -> Bool[Tensor, "{n} {n}"]:
    """Each position may attend to itself and to `window` neighbours on each side: |i − j| ≤ window."""
    place = torch.arange(whole_number("n", n))
    return (place[:, None] - place).abs() <= whole_number("window", window)


def sparse_mask(
    n: int, window: int, num_global: int = 0, chosen: Int[Tensor, "{n} r"] | None = None
) -> Bool[Tensor, "{n} {n}"]:
    """A window, tokens that see all and are seen by all, and a few chosen keys. Zaheer et al. (2020), "Big Bird".

    num_global: the first so many tokens attend to all, and all attend to them. chosen (n, r): for each query r more
    keys, as `sparse.random_keys` draws them. Without these it is Longformer's (Beltagy, Peters and Cohan 2020).
    """
    mask = window_mask(n, window)
    mask[: whole_number("num_global", num_global)] = True
    mask[:, :num_global] = True
    if chosen is None:
        return mask
    if len(chosen) != n or (chosen.numel() and not 0 <= int(chosen.min()) <= int(chosen.max()) < n):
        raise CourseError(
            f"chosen should hold a row of keys, from 0 to {n - 1}, for each of n = {n} queries; got the shape "
            f"{tuple(chosen.shape)}"
            + (f" with keys from {int(chosen.min())} to {int(chosen.max())}." if chosen.numel() else ".")
        )
    return mask.scatter(1, chosen, True)


def reach(mask: Bool[Tensor, "n n"], layers: int = 1) -> Bool[Tensor, "n n"]:
    """Which output has heard of which input after so many blocks that all have this mask.

    What a token attends to has itself heard of others in the block before: a power of the mask as a matrix of 0 and 1.
    Each output has heard of its own input, whatever the mask says: the skip connection carries it.
    """
    check_boolean(mask)
    if mask.dim() != 2 or mask.shape[0] != mask.shape[1]:
        raise CourseError(f"reach follows a mask of the shape (n, n), of one text; got the shape {tuple(mask.shape)}.")
    heard = own = torch.eye(len(mask), dtype=torch.bool, device=mask.device)
    for _ in range(whole_number("layers", layers)):
        heard = (mask | own).float() @ heard.float() > 0
    return heard


def combine_masks(*masks: Mask | None) -> Mask | None:
    """What all of these masks allow, by broadcasting; None stands for "everything" and is left out."""
    given = [mask for mask in masks if mask is not None]
    for mask in given:
        check_boolean(mask)
    return reduce(operator.and_, given) if given else None


def check_mask(mask: Tensor, shape: Sequence[int]) -> None:
    """Raises CourseError if the mask isn't boolean, or doesn't broadcast to the `shape` of the scores."""
    check_boolean(mask)
    if mask.dim() > len(shape) or any(n not in (1, size) for n, size in zip(reversed(mask.shape), reversed(shape))):
        raise CourseError(
            f"A mask should broadcast to the shape of the scores, {tuple(shape)}, with the axes (…, query, key) last; "
            f"got the shape {tuple(mask.shape)}."
        )


def check_padding_mask(name: str, mask: Tensor | None, batch: int, n: int) -> None:
    """Raises CourseError unless the mask is None or says of keys only, for all heads and queries the same."""
    if mask is None:
        return
    check_boolean(mask)
    if tuple(mask.shape) not in {(batch, 1, 1, n), (1, 1, 1, n)}:
        raise CourseError(
            f"{name} should be a padding mask of the shape (batch, 1, 1, n) = {(batch, 1, 1, n)}, as "
            f"masks.padding_mask makes it; got the shape {tuple(mask.shape)}."
        )


def check_boolean(mask: Tensor) -> None:
    """Raises CourseError if the mask isn't boolean: 0 and −∞, or 1 and 0, mean something else in every library."""
    if mask.dtype != torch.bool:
        raise CourseError(f"A mask is boolean, True where a query may attend; got {mask.dtype}. Use mask.bool().")
