"""Texts for a language model: ids in rows, each token the target of the one before it.

contiguous    … b c </s> d | d e f </s> | </s> g h …    blocks(texts, n): no place is lost, texts may be cut
a text a row  <s> a b c </s> | <s> d </s> <pad> <pad>   text_batches(texts, …): each begins at position 0
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, repeat

import torch
from jaxtyping import Int
from torch import Tensor

from course_lib.corpora.batching import IGNORE_INDEX, bucketed, pad
from course_lib.corpora.vocabulary import END_ID, START_ID
from course_lib.errors import CourseError
from course_lib.support.messages import whole_number


@dataclass(frozen=True)
class Rows:
    """A batch. Padding, if any, stands at the end of a row, so that a causal model needs no mask for it."""

    inputs: Int[Tensor, "batch n"]
    targets: Int[Tensor, "batch n"]  # what follows each input; IGNORE_INDEX where it is padding

    @property
    def num_tokens(self) -> int:
        """Those that are predicted."""
        return int((self.targets != IGNORE_INDEX).sum())


def blocks(texts: Iterable[Sequence[int]], n: int, end: int = END_ID) -> Int[Tensor, "block {n+1}"]:
    """All texts in a line, an end mark behind each, cut into blocks: n inputs, and the last one's target.

    That target is the next block's first input, so that every token but the first is predicted once. What is left at
    the end and fills no block is dropped. Raises CourseError where no block is filled.

    >>> blocks([[5, 6, 7], [8]], n=2)
    tensor([[5, 6, 7],
            [7, 2, 8]])
    """
    whole_number("n", n, low=1)
    line = [i for text in texts for i in (*text, end)]
    count = (len(line) - 1) // n
    if count < 1:
        raise CourseError(f"A block takes n + 1 = {n + 1} tokens, but the texts have {len(line)} with their end marks.")
    return torch.tensor(line[: count * n + 1]).unfold(0, n + 1, n)


def block_batches(blocks: Int[Tensor, "block width"], size: int, seed: int) -> Iterator[Rows]:
    """Batches of `size` blocks without end, shuffled anew in each round; those that fill no batch wait for the next.

    Raises CourseError where there are fewer blocks than `size`.
    """
    if len(blocks) < whole_number("size", size, low=1):
        raise CourseError(
            f"A batch of {size} blocks can't be made of {len(blocks)}. Take a smaller size, or more text."
        )
    return _rounds(blocks, size, random.Random(seed))


def _rounds(blocks: Tensor, size: int, rng: random.Random) -> Iterator[Rows]:
    while True:
        order = torch.tensor(rng.sample(range(len(blocks)), len(blocks)))
        for start in range(0, len(order) - size + 1, size):
            chosen = blocks[order[start : start + size]]
            yield Rows(chosen[:, :-1], chosen[:, 1:])


def text_batches(
    texts: Sequence[Sequence[int]], size: int, seed: int, start: int = START_ID, end: int = END_ID
) -> Iterator[Rows]:
    """Batches of `size` texts of about the same length without end, each between its marks, padded to the longest.

    Raises CourseError where there are no texts.
    """
    whole_number("size", size, low=1)
    if not texts:
        raise CourseError("Batches are made of texts, but there are none.")
    rng = random.Random(seed)
    rounds = (bucketed(texts, size, rng, length=len) for _ in repeat(None))
    return (text_rows(part, start, end) for part in chain.from_iterable(rounds))


def text_rows(texts: Sequence[Sequence[int]], start: int = START_ID, end: int = END_ID) -> Rows:
    """These texts as one batch, in their order.

    >>> text_rows([[5, 6], [7]])
    Rows(inputs=tensor([[1, 5, 6],
            [1, 7, 0]]), targets=tensor([[   5,    6,    2],
            [   7,    2, -100]]))
    """
    inputs, _ = pad([[start, *text] for text in texts])
    targets, _ = pad([[*text, end] for text in texts], IGNORE_INDEX)
    return Rows(inputs, targets)
