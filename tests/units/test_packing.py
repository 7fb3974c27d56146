"""Rows for a language model: nothing lost, nothing predicted twice, and what is padding doesn't count."""

from itertools import islice

import pytest
import torch

from course_lib.corpora.batching import IGNORE_INDEX
from course_lib.corpora.packing import block_batches, blocks, text_batches, text_rows
from course_lib.corpora.vocabulary import END_ID, START_ID
from course_lib.errors import CourseError

TEXTS = [[3 + i % 9] * (1 + i * 7 % 13) for i in range(100)]


def test_blocks_hold_the_texts_in_their_order_with_an_end_mark_behind_each():
    line = [i for text in TEXTS for i in [*text, END_ID]]
    found = blocks(TEXTS, n=16)
    assert found.shape == ((len(line) - 1) // 16, 17)
    inputs, targets = found[:, :-1].flatten().tolist(), found[:, 1:].flatten().tolist()
    assert inputs == line[: len(inputs)] and targets == line[1 : len(inputs) + 1], "each token is predicted once"
    assert 0 <= len(line) - 1 - len(inputs) < 16
    assert blocks([[5, 6, 7]], n=3, end=9).tolist() == [[5, 6, 7, 9]]


def test_too_little_text_for_a_block_gets_a_sentence():
    with pytest.raises(
        CourseError, match=r"A block takes n \+ 1 = 5 tokens, but the texts have 4 with their end marks"
    ):
        blocks([[5, 6, 7]], n=4)
    with pytest.raises(CourseError, match="the texts have 0"):
        blocks([], n=4)


def test_a_round_of_batches_has_every_block_once_and_the_next_another_order():
    found = torch.arange(40).view(8, 5)
    stream = block_batches(found, size=3, seed=0)
    rounds = [list(islice(stream, 2)) for _ in range(20)]  # of eight blocks two stay out
    for batches in rounds:
        first = torch.cat([batch.inputs[:, 0] for batch in batches])
        assert len(first) == len(set(first.tolist())) == 6
        for batch in batches:
            assert torch.equal(batch.targets, batch.inputs + 1) and batch.inputs.shape == (3, 4)
            assert batch.num_tokens == 12
    seen = [tuple(batch.inputs[:, 0].tolist()) for batches in rounds for batch in batches]
    assert len(set(seen)) > 30 and set(found[:, 0].tolist()) == {i for each in seen for i in each}
    again = block_batches(found, size=3, seed=0)
    assert all(torch.equal(next(again).inputs, batch.inputs) for batches in rounds for batch in batches)
    with pytest.raises(CourseError, match="A batch of 9 blocks can't be made of 8"):
        block_batches(found, 9, seed=0)


def test_a_text_a_row_between_its_marks_with_padding_that_doesnt_count():
    rows = text_rows([[5, 6], [7], []], start=3, end=4)
    assert rows.inputs.tolist() == [[3, 5, 6], [3, 7, 0], [3, 0, 0]]
    none = IGNORE_INDEX
    assert rows.targets.tolist() == [[5, 6, 4], [7, 4, none], [4, none, none]]
    assert rows.num_tokens == 6
    assert text_rows([[5]]).inputs.tolist() == [[START_ID, 5]] and text_rows([[5]]).targets.tolist() == [[5, END_ID]]


def test_batches_of_texts_have_every_text_once_a_round_and_little_padding():
    stream = text_batches(TEXTS, size=10, seed=0)
    first = list(islice(stream, 10))
    found = [[i for i in row if i not in (END_ID, IGNORE_INDEX)] for batch in first for row in batch.targets.tolist()]
    assert sorted(found) == sorted(TEXTS) and found != TEXTS
    assert sum(batch.num_tokens for batch in first) > 0.85 * sum(batch.targets.numel() for batch in first)
    assert [len(batch.inputs) for batch in islice(stream, 10)] == [10] * 10
    again = text_batches(TEXTS, size=10, seed=0)
    assert all(torch.equal(next(again).inputs, batch.inputs) for batch in first)
    assert not torch.equal(next(text_batches(TEXTS, size=10, seed=1)).inputs, first[0].inputs)


def test_of_no_texts_there_are_no_batches():
    with pytest.raises(CourseError, match="Batches are made of texts, but there are none"):
        text_batches([], 8, seed=0)
    with pytest.raises(CourseError, match="size should be a whole number from 1 up; got 0"):
        text_batches([[5]], 0, seed=0)
