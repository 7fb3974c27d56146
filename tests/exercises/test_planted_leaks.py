"""The leaks planted for lesson 04 are there, as many as its exercise counts."""

import pytest
import torch

from course_lib import masks
from course_lib.exercises.lesson_04 import planted_leaks
from course_lib.exercises.lesson_04.planted import planted
from course_lib.leaks import leaks

N, BATCH = 6, 4
CAUSAL = masks.causal_mask(N)


def later_seen(name, batch=BATCH, **options):
    seen = leaks(planted()[name], (batch, N, 8), **options)
    assert (seen | ~CAUSAL).all(), "all that came before is seen"
    return int((seen & ~CAUSAL).sum())


@pytest.mark.parametrize("seed", range(3))
def test_the_counts_are_those_of_the_exercise(seed):
    counted = {name: later_seen(name, by="change", seed=seed) for name in "ABCD"}
    between = leaks(planted()["E"], (BATCH, N, 8), axis=0, seed=seed)
    counted["E, sentences"] = int((between & ~torch.eye(BATCH, dtype=torch.bool)).sum())
    assert counted == planted_leaks.answer
    assert {name: later_seen(name, seed=seed) for name in "ABCDE"} == {"A": 0, "B": 15, "C": 9, "D": 0, "E": 0}
    assert not (leaks(planted()["D"], (BATCH, N, 8), by="change", axis=0) & ~torch.eye(BATCH, dtype=torch.bool)).any()


@pytest.mark.parametrize("batch", [1, 2, 16])
def test_another_batch_counts_the_same(batch):
    assert [later_seen(name, batch, by="change") for name in "ABCD"] == [planted_leaks.answer[name] for name in "ABCD"]


def test_the_weights_of_all_look_causal():
    x = torch.randn(BATCH, N, 8, generator=torch.Generator().manual_seed(0))
    for layer in planted().values():
        _, weights = layer(x)
        assert (weights[:, ~CAUSAL] == 0).all() and (weights[:, CAUSAL] > 0).all()


def test_they_are_the_same_every_time_and_leave_the_random_numbers_alone():
    torch.manual_seed(1)
    first = planted()
    drawn = torch.randn(3)
    torch.manual_seed(1)
    assert torch.equal(torch.randn(3), drawn)
    assert all(
        torch.equal(a, b)
        for one, other in zip(first.values(), planted().values())
        for a, b in zip(one.parameters(), other.parameters())
    )
