"""The training loop against one written out by hand, and what it promises."""

import time

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from course_lib.training import IGNORE_INDEX, cross_entropy, fit


def model(dropout=0.0):
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 8), nn.Dropout(dropout), nn.Linear(8, 1))


def batches(seed=0):
    generator = torch.Generator().manual_seed(seed)
    while True:
        x = torch.randn(16, 4, generator=generator)
        yield x, x.sum(-1, keepdim=True)


def loss_of(net):
    return lambda batch: F.mse_loss(net(batch[0]), batch[1])


def test_it_is_the_loop_written_out():
    ours, by_hand = model(), model()
    optimizer = torch.optim.SGD(ours.parameters(), lr=0.1)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 / (step + 1))
    losses = fit(ours, batches(), loss_of(ours), 20, optimizer, schedule, clip=2.0, progress=False)

    expected, clipped = [], 0
    for step, batch in zip(range(20), batches(), strict=False):
        loss = loss_of(by_hand)(batch)
        by_hand.zero_grad()
        loss.backward()
        length = sum((p.grad**2).sum() for p in by_hand.parameters()) ** 0.5
        clipped += length > 2
        with torch.no_grad():
            for p in by_hand.parameters():
                p -= 0.1 / (step + 1) * p.grad * min(1, 2 / length)
        expected.append(loss.item())
    assert losses == pytest.approx(expected, rel=1e-4) and sum(losses[-5:]) < sum(losses[:5])
    assert 0 < clipped < 20, "some gradients were too long, and some weren't"


def test_it_trains_in_train_mode_and_leaves_in_eval_mode():
    net, modes = model().eval(), []

    def loss(batch):
        modes.append(net.training)
        return loss_of(net)(batch)

    fit(net, batches(), loss, 3, torch.optim.SGD(net.parameters(), 0.1), progress=False)
    assert modes == [True] * 3 and not net.training


def test_it_takes_no_batch_too_many_and_stops_where_there_are_no_more():
    net, stream = model(), batches()
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    fit(net, stream, loss_of(net), 3, optimizer, progress=False)
    fourth = list(zip(range(4), batches(), strict=False))[3][1]
    assert torch.equal(next(stream)[0], fourth[0])
    assert len(fit(net, [next(stream), next(stream)], loss_of(net), 5, optimizer, progress=False)) == 2


def test_the_seed_decides_and_the_callers_random_numbers_stay():
    def losses(seed):
        net = model(dropout=0.5)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        before = torch.get_rng_state()
        found = fit(net, batches(), loss_of(net), 5, optimizer, seed=seed, progress=False)
        assert torch.equal(before, torch.get_rng_state()) == (seed is not None)
        torch.rand(1)
        return found

    assert losses(1) == losses(1) != losses(2)
    losses(None)


def test_no_step_begins_after_the_time_is_up():
    net = model()

    def slow(batch):
        time.sleep(0.05)
        return loss_of(net)(batch)

    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    assert 1 <= len(fit(net, batches(), slow, 1000, optimizer, seconds=0.2, progress=False)) <= 5


def test_the_bar_waits_a_second(capsys, monkeypatch):
    net = model()
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    with monkeypatch.context() as clock:
        clock.setattr("tqdm.std.time", lambda: 0.0)  # a machine on which no time passes
        fit(net, batches(), loss_of(net), 2, optimizer)
    assert capsys.readouterr().err == ""

    def slow(batch):
        time.sleep(0.6)
        return loss_of(net)(batch)

    fit(net, batches(), slow, 3, optimizer, name="a slow one")
    shown = capsys.readouterr().err
    assert "a slow one" in shown and "loss=" in shown


def test_cross_entropy_leaves_out_what_is_ignored():
    logits, targets = torch.randn(2, 3, 5), torch.tensor([[1, 4, IGNORE_INDEX], [IGNORE_INDEX, 0, 2]])
    kept = [(0, 0, 1), (0, 1, 4), (1, 1, 0), (1, 2, 2)]
    expected = -sum(logits.log_softmax(-1)[place] for place in kept) / 4
    torch.testing.assert_close(cross_entropy(logits, targets), expected)
    torch.testing.assert_close(
        cross_entropy(logits, targets.clamp(min=0), ignore_index=0),
        -sum(logits.log_softmax(-1)[place] for place in [(0, 0, 1), (0, 1, 4), (1, 2, 2)]) / 3,
    )
