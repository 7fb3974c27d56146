"""Of two equal trainings of a run only the first is computed (tests/trained_once.py), and of any others both."""

from dataclasses import dataclass

import pytest
import torch
import torch.nn.functional as F
from trained_once import FIRST, once

from course_lib.training import cosine_decay, fit, scheduled

STEPS = 60


@pytest.fixture
def kernels(tmp_path):
    """Two kernels that share a folder: each its own `fit`."""
    return once(fit, tmp_path), once(fit, tmp_path)


class Small(torch.nn.Sequential):
    """A model with dropout."""

    def __init__(self, width, config):
        super().__init__(torch.nn.Linear(4, width), torch.nn.Dropout(0.2), torch.nn.Linear(width, 1))
        self.config = config


@dataclass
class Config:
    made_by: object = None


class Trained:
    """A small model, trained from the caller's random numbers; how often its loss was asked for."""

    def __init__(self, fit, weight=1.0, width=8, lr=0.01, config=None, **options):
        torch.manual_seed(0)
        self.model = Small(width, config)
        optimizer = torch.optim.AdamW(self.model.parameters(), lr)
        schedule = scheduled(optimizer, lambda step: cosine_decay(step, STEPS))
        self.asked, self.between, self.seen = 0, [], []

        def loss(batch):
            self.asked += 1
            return weight * F.mse_loss(self.model(batch), batch.sum(-1, keepdim=True))

        texts = torch.Generator().manual_seed(0)
        batches = (torch.randn(8, 4, generator=texts) for _ in range(1000))
        options = {"between": self.between.append, "watch": lambda losses: self.seen.append(len(losses))} | options
        self.losses = fit(self.model, batches, loss, STEPS, optimizer, schedule, progress=False, **options)
        self.drawn, self.rate = torch.rand(3), optimizer.param_groups[0]["lr"]
        self.weights = torch.cat([p.detach().flatten() for p in self.model.parameters()])

    def is_like(self, other) -> bool:
        """All that a lesson could see of it."""
        return (
            self.losses == other.losses
            and torch.equal(self.weights, other.weights)
            and torch.equal(self.drawn, other.drawn)
            and (self.rate, self.model.training) == (other.rate, other.model.training)
            and (self.between[0], self.between[-1], self.seen[-1]) == (0, STEPS, STEPS)
            and (other.between[0], other.between[-1], other.seen[-1]) == (0, STEPS, STEPS)
        )


@pytest.mark.parametrize("options", [{}, {"seed": 1, "clip": 0.5}, {"autocast": "bf16"}], ids=str)
def test_the_second_goes_on_from_the_end_of_the_first(kernels, options):
    alone, first, second = (Trained(each, **options) for each in (fit, *kernels))
    assert alone.is_like(first) and alone.is_like(second)
    assert (first.asked, second.asked) == (STEPS, FIRST)


@pytest.mark.parametrize(
    "other",
    [{"weight": 1.001}, {"width": 9}, {"lr": 0.02}, {"seed": 1}, {"clip": 0.01}],
    ids=lambda other: next(iter(other)),
)
def test_one_that_begins_in_another_way_is_trained_like_any_other(kernels, other):
    one, two = kernels
    Trained(one)
    alone, second = Trained(fit, **other), Trained(two, **other)
    assert second.asked >= STEPS and alone.is_like(second)


def test_the_same_twice_in_one_kernel_is_two_trainings(kernels):
    one, two = kernels
    assert [Trained(one).asked, Trained(one).asked] == [STEPS, STEPS]
    assert [Trained(two).asked, Trained(two).asked] == [FIRST, FIRST]


def test_one_that_was_stopped_is_no_end(kernels):
    def stop(losses):
        raise KeyboardInterrupt

    one, two = kernels
    assert len(Trained(one, watch=stop).losses) < STEPS
    assert Trained(two).asked == STEPS


def test_what_no_file_can_hold_is_trained(kernels):
    config = Config(made_by=torch.nn.Linear)
    assert [Trained(each, config=config).asked for each in kernels] == [STEPS, STEPS]
