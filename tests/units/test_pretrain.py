"""The command that pretrains: whatever ends it, it goes on with the same losses; several processes are as one."""

import os
import signal
import subprocess
import sys

import pytest
import torch

from course_lib import pretrain as command
from course_lib.bert import Bert, BertConfig
from course_lib.checkpoints import load_model, read
from course_lib.corpora.tiny_world import PHENOMENA, tiny_world
from course_lib.errors import CourseError
from course_lib.experiments import tiny_bert, tiny_gpt
from course_lib.gpt import GPT, GPTConfig
from course_lib.processes import Processes

SHORT = {"steps": 6, "paragraphs": 300, "autocast": None}
BUILD = {"bert": lambda config: Bert(BertConfig(**config)), "gpt": lambda config: GPT(GPTConfig(**config))}


@pytest.fixture(autouse=True)
def few_probes(monkeypatch):
    monkeypatch.setattr(command, "tiny_world", lambda seed, count: tiny_world(seed, count, probes=5))


@pytest.fixture
def at_batch(monkeypatch):
    """at_batch(3, action): when the third batch is asked for, this happens."""

    def plan(number, action):
        class Interrupted(Processes):
            def share(self, model, batches, loss):
                def until():
                    for i, batch in enumerate(batches, start=1):
                        if i == number:
                            action()
                        yield batch

                return super().share(model, until(), loss)

        monkeypatch.setattr(command, "Processes", Interrupted)

    return plan


def files_in(folder):
    return sorted(path.name for path in folder.iterdir())


def same_weights(a, b):
    return all(torch.equal(x, y) for x, y in zip(a.state_dict().values(), b.state_dict().values(), strict=True))


@pytest.mark.parametrize("name", ["bert", "gpt"])
def test_stopped_by_hand_it_goes_on_as_if_nothing_had_been(tmp_path, at_batch, capsys, name):
    out = tmp_path / "model.safetensors"
    losses = command.pretrain(name, out, **SHORT)
    assert len(losses) == 6 and losses[-1] < losses[0]
    whole = load_model(out, BUILD[name])
    assert files_in(tmp_path) == ["model.md", "model.safetensors"]
    metrics = read(out)[1]["metrics"]
    assert metrics["steps"] == 6 and set(metrics["accuracy"]) == set(PHENOMENA)
    card = (tmp_path / "model.md").read_text()
    assert f"python -m course_lib.pretrain {name} --steps 6 --seed 0 --paragraphs 300 --autocast none" in card
    assert all(f"| {phenomenon} |" in card for phenomenon in PHENOMENA)

    out = tmp_path / "again" / "model.safetensors"
    at_batch(4, lambda: os.kill(os.getpid(), signal.SIGINT))
    assert command.pretrain(name, out, **SHORT) == losses[:4]
    assert files_in(out.parent) == ["model.training.json", "model.training.safetensors"]
    assert "Stopped after 4 of 6 steps" in capsys.readouterr().out
    assert isinstance(load_model(out.parent / "model.training.safetensors", BUILD[name]), torch.nn.Module)
    at_batch(0, None)
    assert command.pretrain(name, out, **SHORT) == losses
    assert "Going on with the training of 6 steps" in capsys.readouterr().out
    assert same_weights(load_model(out, BUILD[name]), whole)
    assert files_in(out.parent) == ["model.md", "model.safetensors"]


def out_of_memory():
    raise RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes.")


@pytest.mark.parametrize(("failure", "sentence"), [
    ("memory", "The memory is too small for the next step .* goes on from the last checkpoint"),
    ("disk", r"model\.training\.safetensors could not be written: the disk is full\. Free some space"),
])  # fmt: skip
def test_without_memory_or_disk_the_last_good_checkpoint_stays(tmp_path, at_batch, monkeypatch, failure, sentence):
    losses = command.pretrain("gpt", tmp_path / "whole.safetensors", **SHORT)
    out, kept = tmp_path / "model.safetensors", tmp_path / "model.training.safetensors"

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        monkeypatch.setattr("course_lib.training.SAVE_EVERY", -1e9)  # after each step
        monkeypatch.setattr("course_lib.training.SHARE", 1.0)
        at_batch(4, out_of_memory if failure == "memory" else lambda: broken.setattr(os, "replace", full))
        with pytest.raises(SystemExit, match=sentence):
            command.main(["gpt", "--steps", "6", "--paragraphs", "300", "--autocast", "none", "--out", str(out)])
    assert read(kept)[1]["metrics"]["steps"] == 3
    at_batch(0, None)
    assert command.pretrain("gpt", out, **SHORT) == losses


def test_another_error_is_not_taken_for_a_lack_of_memory(tmp_path, at_batch):
    def mistake():
        raise RuntimeError("mat1 and mat2 shapes cannot be multiplied")

    at_batch(2, mistake)
    with pytest.raises(RuntimeError, match="mat1 and mat2"):
        command.pretrain("gpt", tmp_path / "model.safetensors", **SHORT)


def test_another_training_in_its_place_gets_a_sentence(tmp_path, at_batch):
    out = tmp_path / "model.safetensors"
    at_batch(2, lambda: os.kill(os.getpid(), signal.SIGINT))
    command.pretrain("gpt", out, **SHORT)
    for changed, sentence in (
        ({"seed": 1}, "with seed = 0 instead of 1"),
        ({"steps": 9}, "with steps = 6 instead of 9"),
        ({"autocast": "bf16"}, "with autocast = None instead of 'bf16'"),
    ):
        with pytest.raises(CourseError, match=f"keeps another training, {sentence}"):
            command.pretrain("gpt", out, **SHORT | changed)
    (tmp_path / "model.training.json").write_text('{"model": ')
    with pytest.raises(CourseError, match=r"model\.training\.json is damaged"):
        command.pretrain("gpt", out, **SHORT)
    (tmp_path / "model.training.json").unlink()
    at_batch(0, None)
    assert len(command.pretrain("gpt", out, **SHORT)) == 6, "from its beginning"


def test_minutes_are_turned_into_steps(tmp_path, monkeypatch):
    """A machine on which a batch takes a second: twelve go into a fifth of a minute."""
    now = [0.0]

    class Slow(Processes):
        def share(self, model, batches, loss):
            def slow(batch):
                now[0] += 1.0
                return loss(batch)

            return super().share(model, batches, slow)

    monkeypatch.setattr(command, "Processes", Slow)
    monkeypatch.setattr(command, "TIMED", 3)
    monkeypatch.setattr("course_lib.pretrain.time.perf_counter", lambda: now[0])
    options = SHORT | {"steps": None, "minutes": 0.2}
    assert len(command.pretrain("gpt", tmp_path / "model.safetensors", **options)) == 12


@pytest.mark.parametrize("wrong", [["--minutes", "0"], ["--steps", "0"], ["--threads", "0"], ["--min", "3"]])
def test_numbers_that_cant_be(wrong, capsys):
    with pytest.raises(SystemExit):
        command.main(["gpt", *wrong])
    assert "usage" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bert", "gpt"])
def test_two_processes_are_as_one(tmp_path, name):
    """Started by torchrun, over gloo: the same global batches give the same losses and the same model."""
    alone, both = tmp_path / "alone.safetensors", tmp_path / "both.safetensors"
    command.pretrain(name, alone, **SHORT)
    script = (
        "import json, sys; from course_lib import pretrain as p; from course_lib.corpora import tiny_world as w\n"
        "p.tiny_world = lambda seed, count: w.tiny_world(seed, count, probes=5)\n"
        f"p.main(['{name}', '--steps', '6', '--paragraphs', '300', '--autocast', 'none', '--out', sys.argv[1]])"
    )
    (tmp_path / "both.py").write_text(script)
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
    done = subprocess.run([*torchrun, str(tmp_path / "both.py"), str(both)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "2 processes × one thread" in both.with_suffix(".md").read_text()
    one, two = (read(path)[1]["metrics"] for path in (alone, both))
    assert two["loss"] == pytest.approx(one["loss"], abs=1e-3) and two["steps"] == 6
    for a, b in zip(*(load_model(path, BUILD[name]).state_dict().values() for path in (alone, both)), strict=True):
        torch.testing.assert_close(a, b, atol=2e-3, rtol=0)


# --- what it has made -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("room", [tiny_bert, tiny_gpt])
def test_the_shipped_models_are_what_their_cards_say(room):
    """Each knows what its lesson needs, on probes of another seed; the card has the file's own numbers."""
    name, metrics = room.__name__.rpartition("_")[2], read(room.CHECKPOINT)[1]["metrics"]
    assert room.CHECKPOINT.stat().st_size < 15e6
    card = room.CHECKPOINT.with_suffix(".md").read_text()
    for phenomenon, share in metrics["accuracy"].items():
        assert f"| {phenomenon} | {share:.3f} |" in card
    assert f"--steps {metrics['steps']} --seed {metrics['seed']}" in card and metrics["steps"] > room.STEPS
    model, world = room.pretrained(), tiny_world(seed=7, count=1, probes=40)
    assert not model.training
    accuracy = command.RECIPES[name].scores(model, world)
    for phenomenon in ("trivia", "syntax", "coreference", "word classes", "sentiment"):
        assert accuracy[phenomenon] > 0.85, phenomenon
