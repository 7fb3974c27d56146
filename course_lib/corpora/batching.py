"""Texts of different lengths in one tensor: padding, lengths, and batches of texts that are about equally long."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import TypeVar

import torch
from jaxtyping import Int
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from course_lib.corpora.vocabulary import END_ID, PAD_ID, START_ID
from course_lib.errors import CourseError
from course_lib.support.messages import whole_number

IGNORE_INDEX = -100  # a target that doesn't count; what torch's cross_entropy leaves out
POOL = 8  # batches that are sorted by length together: less padding, and still a mixture

T = TypeVar("T")


@dataclass(frozen=True)
class Batch:
    """Sources end with the end mark; targets begin with the start mark, too. Padding fills the rest."""

    source: Int[Tensor, "batch n"]
    source_lengths: Int[Tensor, "batch"]
    target: Int[Tensor, "batch m"]
    target_lengths: Int[Tensor, "batch"]

    @property
    def num_tokens(self) -> int:
        """Source and target tokens with their marks, without padding."""
        return int(self.source_lengths.sum() + self.target_lengths.sum())

    @property
    def padding(self) -> float:
        """The share of padding among all that the model computes."""
        return 1 - self.num_tokens / (self.source.numel() + self.target.numel())


def pad(rows: Sequence[Sequence[int]], value: int = PAD_ID) -> tuple[Int[Tensor, "batch n"], Int[Tensor, "batch"]]:
    """[[5, 6, 7], [8]] → ([[5, 6, 7], [8, 0, 0]], [3, 1]): one tensor, and each row's length."""
    texts = [torch.tensor(row, dtype=torch.long) for row in rows]
    return pad_sequence(texts, batch_first=True, padding_value=value), torch.tensor([len(row) for row in rows])


def collate(pairs: Sequence[tuple[list[int], list[int]]]) -> Batch:
    """Pairs of (source ids, target ids), marks not yet among them, as one batch."""
    source, source_lengths = pad([[*ids, END_ID] for ids, _ in pairs])
    target, target_lengths = pad([[START_ID, *ids, END_ID] for _, ids in pairs])
    return Batch(source, source_lengths, target, target_lengths)


def batches(pairs: Sequence[tuple[list[int], list[int]]], size: int, seed: int) -> Iterator[Batch]:
    """Batches without end. The pairs are shuffled; eight batches at a time are sorted by length, split and shuffled.

    Raises CourseError where there are no pairs, or the size is none.
    """
    whole_number("size", size, low=1)
    if not pairs:
        raise CourseError("Batches are made of pairs of texts, but there are no pairs.")
    rng = random.Random(seed)
    rounds = (bucketed(pairs, size, rng, length=lambda pair: len(pair[0])) for _ in repeat(None))
    return map(collate, chain.from_iterable(rounds))


def bucketed(items: Sequence[T], size: int, rng: random.Random, length: Callable[[T], int]) -> Iterator[list[T]]:
    """One round: all items once, in lists of `size` that are about equally long. Shuffled, and eight lists at a time
    sorted by length, split and shuffled."""
    order = rng.sample(range(len(items)), len(items))
    for start in range(0, len(order), POOL * size):
        pool = sorted(order[start : start + POOL * size], key=lambda i: length(items[i]))
        parts = [pool[i : i + size] for i in range(0, len(pool), size)]
        rng.shuffle(parts)
        yield from ([items[i] for i in rows] for rows in parts)


def batches_by_tokens(
    pairs: Sequence[tuple[list[int], list[int]]], tokens: int, seed: int, buckets: bool = True
) -> Iterator[Batch]:
    """Batches without end, of pairs of about equal length, each of at most `tokens` tokens: many short pairs, or few
    long ones. Marks and padding count, source and target.

    Vaswani et al. (2017), section 5.1, batch so. Every pair comes once in each round. The pairs are shuffled and sorted
    by length, those of the same length stay mixed; then they are cut into batches, and the batches are shuffled.
    Without `buckets` they aren't sorted, to see what sorting saves.
    Raises CourseError for a pair that is longer than `tokens` by itself.
    """
    lengths = [(len(target) + 2, len(source) + 1) for source, target in pairs]
    if not pairs or (longest := max(map(sum, lengths))) > tokens:
        found = f"the longest pair has {longest}" if pairs else "there are no pairs"
        raise CourseError(f"A batch of at most {tokens} tokens should hold at least one pair, but {found}.")
    return _rounds(pairs, lengths, tokens, random.Random(seed), buckets)


def _rounds(pairs, lengths: list[tuple[int, int]], tokens: int, rng: random.Random, buckets: bool) -> Iterator[Batch]:
    while True:
        order = rng.sample(range(len(pairs)), len(pairs))
        if buckets:
            order.sort(key=lengths.__getitem__)
        parts, longest = [[]], (0, 0)
        for i in order:
            longest = max(longest[0], lengths[i][0]), max(longest[1], lengths[i][1])
            if (len(parts[-1]) + 1) * sum(longest) > tokens:
                parts.append([])
                longest = lengths[i]
            parts[-1].append(i)
        rng.shuffle(parts)
        yield from (collate([pairs[i] for i in rows]) for rows in parts)
