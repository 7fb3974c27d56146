"""Texts of different lengths in one tensor: padding, lengths, and batches of texts that are about equally long."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Int
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from course_lib.corpora.vocabulary import END_ID, PAD_ID, START_ID

POOL = 8  # batches that are sorted by length together: less padding, and still a mixture


@dataclass(frozen=True)
class Batch:
    """Sources end with the end mark; targets begin with the start mark, too. Padding fills the rest."""

    source: Int[Tensor, "batch n"]
    source_lengths: Int[Tensor, "batch"]
    target: Int[Tensor, "batch m"]
    target_lengths: Int[Tensor, "batch"]


def pad(rows: Sequence[Sequence[int]]) -> tuple[Int[Tensor, "batch n"], Int[Tensor, "batch"]]:
    """[[5, 6, 7], [8]] → ([[5, 6, 7], [8, 0, 0]], [3, 1]): one tensor, and each row's length."""
    texts = [torch.tensor(row, dtype=torch.long) for row in rows]
    return pad_sequence(texts, batch_first=True, padding_value=PAD_ID), torch.tensor([len(row) for row in rows])


def collate(pairs: Sequence[tuple[list[int], list[int]]]) -> Batch:
    """Pairs of (source ids, target ids), marks not yet among them, as one batch."""
    source, source_lengths = pad([[*ids, END_ID] for ids, _ in pairs])
    target, target_lengths = pad([[START_ID, *ids, END_ID] for _, ids in pairs])
    return Batch(source, source_lengths, target, target_lengths)


def batches(pairs: Sequence[tuple[list[int], list[int]]], size: int, seed: int) -> Iterator[Batch]:
    """Batches without end. The pairs are shuffled; eight batches at a time are sorted by length, split and shuffled."""
    rng = random.Random(seed)
    while True:
        order = rng.sample(range(len(pairs)), len(pairs))
        for start in range(0, len(order), POOL * size):
            pool = sorted(order[start : start + POOL * size], key=lambda i: len(pairs[i][0]))
            parts = [pool[i : i + size] for i in range(0, len(pool), size)]
            rng.shuffle(parts)
            yield from (collate([pairs[i] for i in rows]) for rows in parts)
