"""The training loop against one written out by hand, and what it promises."""

import os
import re
import signal
import threading
import time
from itertools import islice

import pytest
import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from torch import nn

from course_lib.errors import CourseError
from course_lib.training import (
    IGNORE_INDEX,
    cosine_decay,
    cross_entropy,
    fit,
    inverse_sqrt,
    linear_decay,
    muon_and_adamw,
    scheduled,
    smoothed_cross_entropy,
    smoothed_targets,
)


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


@pytest.mark.parametrize(("there", "asked"), [(9, [0, 1, 2, 3]), (2, [0, 1, 2])])
def test_between_is_asked_before_each_step_and_after_the_last(there, asked):
    ours, seen = model(), []
    optimizer = torch.optim.SGD(ours.parameters(), lr=0.1)
    fit(ours, islice(batches(), there), loss_of(ours), 3, optimizer, between=seen.append, progress=False)
    assert seen == asked


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


def stopped_at(step, net, **options):
    """The losses of a training in which the stop button is pressed during this step."""
    count = iter(range(1, 1000))

    def loss(batch):
        if next(count) == step:
            os.kill(os.getpid(), signal.SIGINT)
        return loss_of(net)(batch)

    options |= {"optimizer": torch.optim.SGD(net.parameters(), 0.1), "progress": False}
    return fit(net, batches(), loss, 50, **options)


def test_the_stop_button_ends_it_after_the_step_and_keeps_all(capsys, tmp_path):
    whole, stopped, path = model(), model(), tmp_path / "run.safetensors"
    expected = fit(whole, batches(), loss_of(whole), 7, torch.optim.SGD(whole.parameters(), 0.1), progress=False)
    before = signal.getsignal(signal.SIGINT)
    assert stopped_at(7, stopped, checkpoint=path) == expected
    assert signal.getsignal(signal.SIGINT) is before
    assert all(torch.equal(a, b) for a, b in zip(whole.parameters(), stopped.parameters(), strict=True))
    assert not stopped.training
    assert capsys.readouterr().out == ("Stopped after 7 of 50 steps: the model keeps what it has learned so far.\n")
    net = model()
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    resumed = fit(net, batches(), loss_of(net), 20, optimizer, checkpoint=path, resume=True, progress=False)
    net = model()
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    assert resumed == fit(net, batches(), loss_of(net), 20, optimizer, progress=False), "the step was whole"


def test_pressed_twice_it_ends_at_once(capsys, tmp_path):
    net, path = model(), tmp_path / "run.safetensors"

    def loss(batch):
        if path.exists():
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)
            pytest.fail("it went on")
        return loss_of(net)(batch)

    losses = fit(net, batches(), loss, 50, torch.optim.SGD(net.parameters(), 0.1), checkpoint=path, progress=False)
    assert len(losses) == 1 and not net.training and "Stopped after 1 of 50 steps" in capsys.readouterr().out


def test_outside_the_main_thread_it_trains_as_well():
    net, found = model(), []
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    thread = threading.Thread(
        target=lambda: found.extend(fit(net, batches(), loss_of(net), 3, optimizer, progress=False))
    )
    thread.start()
    thread.join()
    assert len(found) == 3


def test_watching_takes_a_twentieth_of_the_time_at_most_and_sees_the_end(monkeypatch):
    now, seen, cost = [0.0], [], [0.0]
    monkeypatch.setattr("course_lib.training.time.monotonic", lambda: now[0])
    net = model()

    def loss(batch):
        now[0] += 0.1
        return loss_of(net)(batch)

    def watch(losses):
        seen.append(len(losses))
        now[0] += cost[0]

    for cost[0], expected in ((0.0, [1, 6, 11, 16, 20]), (0.05, [1, 11, 20])):
        seen.clear()
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        losses = fit(net, batches(), loss, 20, optimizer, watch=watch, progress=False)
        assert seen[0] == 1 and seen[-1] == len(losses) and seen == pytest.approx(expected, abs=1)


def test_without_a_step_there_is_nothing_to_watch_or_save(tmp_path):
    net, path = model(), tmp_path / "run.safetensors"
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    options = {"watch": lambda losses: pytest.fail("watched"), "checkpoint": path, "progress": False}
    assert fit(net, batches(), loss_of(net), 0, optimizer, **options) == [] and not path.exists()


def test_the_bar_counts_tokens(capsys):
    net = model()

    def slow(batch):
        time.sleep(0.6)
        return loss_of(net)(batch)

    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    fit(net, batches(), slow, 3, optimizer, tokens=lambda batch: 100_000)
    assert re.search(r"tokens/s=1\d\d,\d\d\d", capsys.readouterr().err)


def test_bf16_computes_the_loss_in_bfloat16_and_keeps_the_weights_whole():
    net, seen = model(), []

    def loss(batch):
        seen.append(net(batch[0]).dtype)
        return loss_of(net)(batch)

    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    losses = fit(net, batches(), loss, 30, optimizer, autocast="bf16", progress=False)
    assert set(seen) == {torch.bfloat16} and sum(losses[-5:]) < sum(losses[:5])
    assert all(p.dtype == torch.float32 for p in net.parameters())
    with pytest.raises(CourseError, match="autocast should be None, 'bf16' or 'auto'; got 'fp16'"):
        fit(net, batches(), loss, 1, optimizer, autocast="fp16")


@pytest.mark.parametrize("faster", [None, "bf16"])
def test_auto_takes_bfloat16_where_it_is_faster_and_says_so_in_the_checkpoint(monkeypatch, tmp_path, faster):
    """A machine on which only the steps of the other kind take time; the training is that of the kind it chose."""
    now, path = [0.0], tmp_path / "run.safetensors"
    monkeypatch.setattr("course_lib.training.time.process_time", lambda: now[0])

    def trained(steps, autocast, **options):
        net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(0.5), nn.Linear(8, 1))
        torch.manual_seed(0)
        for layer in (net[0], net[3]):
            layer.reset_parameters()

        def loss(batch):
            now[0] += 1.0 if torch.is_autocast_enabled("cpu") == (faster == "bf16") else 2.0
            return loss_of(net)(batch)

        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        return net, fit(net, batches(), loss, steps, optimizer, autocast=autocast, seed=1, progress=False, **options)

    expected, losses = trained(9, faster)
    net, same = trained(9, "auto")
    assert same == losses
    assert all(
        torch.equal(a, b) for a, b in zip(net.state_dict().values(), expected.state_dict().values(), strict=True)
    )

    other = {None: "bf16", "bf16": None}
    assert trained(5, "auto", checkpoint=path)[1] == losses[:5]
    with pytest.raises(CourseError, match=f"with autocast={faster!r}, but this one has {other[faster]!r}"):
        trained(9, other[faster], checkpoint=path, resume=True)
    faster = other[faster]  # on another machine it goes on as it began
    assert trained(9, "auto", checkpoint=path, resume=True)[1] == losses


def test_auto_takes_no_batch_too_many():
    net, stream = model(), batches()
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    assert len(fit(net, stream, loss_of(net), 3, optimizer, autocast="auto", progress=False)) == 3
    fourth = list(zip(range(4), batches(), strict=False))[3][1]
    assert torch.equal(next(stream)[0], fourth[0])
    assert fit(net, [], loss_of(net), 3, optimizer, autocast="auto", progress=False) == []
    assert fit(net, batches(), loss_of(net), 0, optimizer, autocast="auto", progress=False) == []


def test_cross_entropy_leaves_out_what_is_ignored():
    logits, targets = torch.randn(2, 3, 5), torch.tensor([[1, 4, IGNORE_INDEX], [IGNORE_INDEX, 0, 2]])
    kept = [(0, 0, 1), (0, 1, 4), (1, 1, 0), (1, 2, 2)]
    expected = -sum(logits.log_softmax(-1)[place] for place in kept) / 4
    torch.testing.assert_close(cross_entropy(logits, targets), expected)
    torch.testing.assert_close(
        cross_entropy(logits, targets.clamp(min=0), ignore_index=0),
        -sum(logits.log_softmax(-1)[place] for place in [(0, 0, 1), (0, 1, 4), (1, 2, 2)]) / 3,
    )


@pytest.mark.parametrize(("wrong", "sentence"), [
    ({"steps": 3.0}, r"steps should be a whole number from 0 up; got 3\.0"),
    ({"steps": -1}, "steps should be a whole number from 0 up; got -1"),
    ({"clip": -1.0}, r"clip should be a length above 0, or None .*; got -1\.0"),
    ({"loss": lambda batch: 0.5}, "loss should give a tensor of one number, such as a mean; got a float"),
    ({"loss": lambda batch: batch[0]}, r"loss should give .*; got torch\.float32 of the shape \(16, 4\)"),
])  # fmt: skip
def test_a_training_that_cant_be(unchecked, wrong, sentence):
    net = model()
    options = {"loss": loss_of(net), "steps": 3, "optimizer": torch.optim.SGD(net.parameters(), 0.1)} | wrong
    with pytest.raises(CourseError, match=sentence):
        unchecked.fit(net, batches(), progress=False, **options)


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_loss_that_is_no_number_ends_it_with_weights_and_checkpoint_as_they_were(number, tmp_path, capsys):
    net, whole, path = model(), model(), tmp_path / "run.safetensors"
    count = iter(range(1, 1000))

    def loss(batch):
        return loss_of(net)(batch) * (number if next(count) == 4 else 1)

    losses = fit(net, batches(), loss, 9, torch.optim.SGD(net.parameters(), 0.1), checkpoint=path, progress=False)
    optimizer = torch.optim.SGD(whole.parameters(), 0.1)
    assert losses == fit(whole, batches(), loss_of(whole), 3, optimizer, progress=False)
    for a, b, saved in zip(net.parameters(), whole.parameters(), load_file(path).values(), strict=False):
        assert torch.equal(a, b) and saved.isfinite().all()
    assert f"Stopped after 3 of 9 steps: the next loss was {number}. A lower" in capsys.readouterr().out


# --- optimizers -------------------------------------------------------------------------------------------------------


class Stacked(nn.Module):
    """Embeddings, two blocks and a tied head, with norms and biases."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.word, self.position = nn.Embedding(9, 6), nn.Parameter(torch.randn(4, 6))
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.LayerNorm(6), nn.Linear(6, 8), nn.GELU(), nn.Linear(8, 6)) for _ in range(2)
        )
        self.head = nn.Linear(6, 9)
        self.head.weight = self.word.weight

    def forward(self, ids):
        x = self.word(ids) + self.position
        for block in self.blocks:
            x = x + block(x)
        return self.head(x)


def next_of(net):
    return lambda ids: F.cross_entropy(net(ids).flatten(0, 1), (ids.flatten() + 1) % 9)


def id_batches():
    generator = torch.Generator().manual_seed(1)
    return [torch.randint(9, (8, 4), generator=generator) for _ in range(30)]


def test_muon_steps_the_blocks_matrices_and_adamw_all_else():
    ours, theirs = Stacked(), Stacked()
    optimizer = muon_and_adamw(ours, muon=0.02, adamw=0.1)
    losses = fit(
        ours, id_batches(), next_of(ours), 30, optimizer, scheduled(optimizer, lambda n: n**-0.5), progress=False
    )

    matrices = [layer.weight for block in theirs.blocks for layer in (block[1], block[3])]
    rest = [p for p in theirs.parameters() if all(p is not matrix for matrix in matrices)]
    assert len(rest) == 2 + 2 * 4 + 1
    both = [torch.optim.Muon(matrices, 0.02, weight_decay=0.01),
            torch.optim.AdamW(rest, 0.1, betas=(0.9, 0.95), weight_decay=0.0)]  # fmt: skip
    expected = []
    for n, ids in enumerate(id_batches(), start=1):
        loss = next_of(theirs)(ids)
        theirs.zero_grad()
        loss.backward()
        for optimizer, rate in zip(both, (0.02, 0.1), strict=True):
            optimizer.param_groups[0]["lr"] = rate * n**-0.5
            optimizer.step()
        expected.append(loss.item())
    assert losses == pytest.approx(expected, rel=1e-4) and losses[-1] < losses[0] / 2
    for a, b in zip(ours.parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(a, b, atol=1e-4, rtol=1e-3)


def test_a_model_without_blocks_is_told_of_adamw():
    with pytest.raises(CourseError, match=r"but Sequential has none there\. Take torch\.optim\.AdamW"):
        muon_and_adamw(model())


# --- label smoothing --------------------------------------------------------------------------------------------------


def test_label_smoothing_is_torchs_with_its_gradients():
    torch.manual_seed(0)
    logits = torch.randn(3, 7, 11, requires_grad=True)
    targets = torch.randint(11, (3, 7)).masked_fill(torch.rand(3, 7) < 0.3, 0)
    for smoothing in (0.0, 0.1, 0.5):
        ours = smoothed_cross_entropy(logits, targets, smoothing, ignore_index=0)
        theirs = nn.CrossEntropyLoss(label_smoothing=smoothing, ignore_index=0)(logits.flatten(0, 1), targets.flatten())
        torch.testing.assert_close(ours, theirs)
        torch.testing.assert_close(*(torch.autograd.grad(loss, logits)[0] for loss in (ours, theirs)))
    torch.testing.assert_close(smoothed_cross_entropy(logits, targets, 0.0), cross_entropy(logits, targets))


def test_losses_of_bfloat16_logits_are_computed_in_float32():
    torch.manual_seed(0)
    logits, targets = torch.randn(2, 5, 6).bfloat16(), torch.randint(6, (2, 5))
    for autocast in (False, True):
        with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
            loss = smoothed_cross_entropy(logits, targets)
        assert loss.dtype == torch.float32
        torch.testing.assert_close(loss, smoothed_cross_entropy(logits.float(), targets))
    assert smoothed_cross_entropy(logits.double(), targets).dtype == torch.float64


@pytest.mark.parametrize("over", ["all", "others"])
def test_both_conventions_are_the_cross_entropy_against_the_smoothed_targets(over):
    torch.manual_seed(0)
    logits, targets = torch.randn(2, 5, 6), torch.randint(6, (2, 5))
    q = smoothed_targets(targets, 6, 0.2, over)
    torch.testing.assert_close(q.sum(-1), torch.ones(2, 5))
    right = q.gather(-1, targets[..., None])
    torch.testing.assert_close(right, torch.full((2, 5, 1), 0.8 + (0.2 / 6 if over == "all" else 0)))
    torch.testing.assert_close(q.sort(-1).values[..., :-1], torch.full((2, 5, 5), 0.2 / (6 if over == "all" else 5)))
    loss = smoothed_cross_entropy(logits, targets, 0.2, over=over)
    torch.testing.assert_close(loss, -(q * logits.log_softmax(-1)).sum(-1).mean())
    divergence = F.kl_div(logits.log_softmax(-1), q, reduction="none").sum(-1).mean()
    torch.testing.assert_close(loss, divergence - (q * q.log()).sum(-1).mean())


def test_an_unknown_convention_is_named():
    for wrong in (lambda: smoothed_targets(torch.tensor([1]), 4, over="other"),
                  lambda: smoothed_cross_entropy(torch.zeros(1, 1, 4), torch.tensor([[1]]), over="other")):  # fmt: skip
        with pytest.raises(CourseError, match="over should be 'all' or 'others'; got 'other'"):
            wrong()


@pytest.mark.parametrize("smoothing", [-0.1, 1.5])
def test_smoothing_is_a_share(smoothing):
    with pytest.raises(CourseError, match="smoothing should be a share of the probability, from 0 to 1"):
        smoothed_targets(torch.tensor([1]), 4, smoothing)
    with pytest.raises(CourseError, match="smoothing should be a share of the probability, from 0 to 1"):
        smoothed_cross_entropy(torch.zeros(1, 1, 4), torch.tensor([[1]]), smoothing)


# --- learning rates ---------------------------------------------------------------------------------------------------


def rates(schedule, steps):
    """The rate with which each step is made."""
    found = []
    for _ in range(steps):
        found.append(schedule.optimizer.param_groups[0]["lr"])
        schedule.optimizer.step()
        schedule.step()
    return found


def test_the_papers_schedule_is_the_formula():
    optimizer = torch.optim.SGD(model().parameters(), lr=1.0)
    found = rates(scheduled(optimizer, lambda step: inverse_sqrt(step, 512, warmup=40)), 200)
    assert found == pytest.approx([512**-0.5 * min(n**-0.5, n * 40**-1.5) for n in range(1, 201)], rel=1e-12)
    assert max(found) == found[39] == pytest.approx((512 * 40) ** -0.5)


def torchs(warmup, steps, fall):
    """torch's own warm-up and fall, one after the other; LinearLR begins at the first of `warmup` steps."""
    optimizer = torch.optim.SGD(model().parameters(), lr=0.5)
    rise = torch.optim.lr_scheduler.LinearLR(optimizer, 1 / warmup, total_iters=warmup - 1)
    return rates(torch.optim.lr_scheduler.SequentialLR(optimizer, [rise, fall(optimizer)], [warmup - 1]), steps)


def test_linear_and_cosine_decay_are_torchs():
    lr = torch.optim.lr_scheduler
    for rate, fall in (
        (lambda step: linear_decay(step, 50, 10), lambda optimizer: lr.LinearLR(optimizer, 1.0, 0.0, 41)),
        (lambda step: cosine_decay(step, 50, 10), lambda optimizer: lr.CosineAnnealingLR(optimizer, 41)),
        (lambda step: cosine_decay(step, 50, 10, 0.2), lambda optimizer: lr.CosineAnnealingLR(optimizer, 41, 0.1)),
    ):
        optimizer = torch.optim.SGD(model().parameters(), lr=0.5)
        assert rates(scheduled(optimizer, rate), 50) == pytest.approx(torchs(10, 50, fall), rel=1e-6)
        assert rate(10) == 1 > rate(50) > rate(51)
    assert linear_decay(51, 50) == cosine_decay(60, 50) == 0, "and stays there"
    assert linear_decay(1, 50, 1) == cosine_decay(1, 50, 1) == 1


@pytest.mark.parametrize(("wrong", "sentence"), [
    (lambda: inverse_sqrt(0, 512), "step should be a whole number from 1 up; got 0"),
    (lambda: inverse_sqrt(1, -512), "d_model should be a whole number from 1 up; got -512"),
    (lambda: inverse_sqrt(1, 512, 0), "warmup should be a whole number from 1 up; got 0"),
    (lambda: linear_decay(0, 50), "step should be a whole number from 1 up"),
    (lambda: cosine_decay(1, 50, 51), "warm-up should end within the 50 steps, but it takes 51"),
])  # fmt: skip
def test_a_step_or_a_warm_up_that_cant_be(wrong, sentence):
    with pytest.raises(CourseError, match=sentence):
        wrong()
