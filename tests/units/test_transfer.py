"""The modifications of lesson 16, one change at a time."""

from copy import deepcopy

import pytest
import torch
from torch import nn

from course_lib.errors import CourseError
from course_lib.experiments.transfer import KINDS, kinds, modify, page_reader, stored_runs, train_one
from course_lib.layers import Block
from course_lib.positions import RotaryPositions


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("causal", [True, False])
def test_a_change_is_the_only_one(kind, causal):
    torch.manual_seed(0)
    block, x = Block(16, 2, 32, activation=nn.ReLU, positions=RotaryPositions()), torch.randn(2, 5, 16)
    changed = deepcopy(block)
    modify(changed, kind, causal)
    activation, convolved = KINDS[kind]
    assert isinstance(changed.feed_forward.activation, activation)
    expected = deepcopy(block)
    expected.feed_forward.activation = activation()
    torch.testing.assert_close(changed(x)[0], expected(x)[0])  # the convolution begins as the identity
    extra = sum(p.numel() for p in changed.parameters()) - sum(p.numel() for p in block.parameters())
    assert extra == (3 * 3 * 16 if convolved else 0)  # three taps for queries, keys and values


@pytest.mark.parametrize("kind", KINDS)
def test_partners_begin_with_the_same_weights(kind):
    baseline, changed = page_reader("ReLU", 3).state_dict(), page_reader(kind, 3).state_dict()
    for name, weights in baseline.items():
        name = name if name in changed else name.replace(".weight", ".0.weight").replace(".bias", ".0.bias")
        assert torch.equal(weights, changed[name]), name


def test_the_stored_runs_have_ten_baselines_and_five_of_each_other():
    runs = stored_runs()
    for task in ("facts", "pages"):
        seeds = {kind: [run["seed"] for run in runs[task] if run["kind"] == kind] for kind in kinds(task)}
        assert seeds.pop("ReLU") == list(range(10)) and all(each == list(range(5)) for each in seeds.values())


def test_a_run_says_what_it_was():
    run = train_one("facts", "squared ReLU", seed=1)
    assert (run["task"], run["kind"], run["seed"], run["rate"]) == ("facts", "squared ReLU", 1, 1.0)
    assert 2.0 < run["loss"] < 2.7  # far below the 2.77 nats of knowing nothing, far from knowing all


def test_unknown_names_are_said():
    with pytest.raises(CourseError, match="squared ReLU"):
        modify(Block(8, 2, 16), "relu squared", causal=True)
    with pytest.raises(CourseError, match="pages"):
        train_one("page", "ReLU", 0)
    with pytest.raises(CourseError, match="convolution"):
        train_one("facts", "convolution", 0)  # a single fact has no neighbours
