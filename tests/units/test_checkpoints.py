"""Saved and loaded again: the same model, a training that goes on exactly, and a sentence for every broken file."""

import json
import os
from dataclasses import dataclass

import pytest
import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file
from torch import nn
from torch.optim import lr_scheduler

from course_lib import checkpoints, training
from course_lib.checkpoints import load_model, read, save_model
from course_lib.errors import CourseError
from course_lib.training import cosine_decay, fit, scheduled


@dataclass(frozen=True)
class Config:
    vocab_size: int = 7
    d_model: int = 6
    sizes: tuple[int, ...] = (6, 8)
    num_heads: int = 2  # nothing of it shows in the weights


class Small(nn.Module):
    """Embeddings tied to the output layer, dropout, a buffer, an empty tensor: what can be lost on the way."""

    def __init__(self, config=Config()):
        super().__init__()
        self.config = config
        self.word = nn.Embedding(config.vocab_size, config.d_model)
        self.middle = nn.Sequential(
            nn.Linear(config.d_model, config.d_model), nn.BatchNorm1d(config.d_model), nn.Dropout(0.3)
        )
        self.output = nn.Linear(config.d_model, config.vocab_size, bias=False)
        self.output.weight = self.word.weight
        self.register_buffer("empty", torch.zeros(0))

    def forward(self, ids):
        return self.output(self.middle(self.word(ids)))


def made(config=Config(), seed=0):
    torch.manual_seed(seed)
    return Small(config)


def build(config):
    return Small(Config(**config | {"sizes": tuple(config["sizes"])}))


def same(a, b):
    return all(torch.equal(x, y) for x, y in zip(a.state_dict().values(), b.state_dict().values(), strict=True))


# --- models -----------------------------------------------------------------------------------------------------------


def test_a_model_comes_back_with_its_config_and_metrics(tmp_path):
    model = made(Config(9, 4, (4, 2)))
    model.middle[1].running_mean += 1
    save_model(model, tmp_path / "model.safetensors", {"exact match": 0.97})
    before = torch.get_rng_state()
    copy = load_model(tmp_path / "model.safetensors", build)
    assert torch.equal(before, torch.get_rng_state()), "the caller's random numbers stay"
    assert same(model, copy) and copy.config == model.config and not copy.training
    assert copy.output.weight is copy.word.weight
    assert read(tmp_path / "model.safetensors")[1]["metrics"] == {"exact match": 0.97}
    assert "output.weight" not in load_file(tmp_path / "model.safetensors"), "what is tied is stored once"


def test_every_wrong_byte_is_noticed(tmp_path):
    path = tmp_path / "model.safetensors"
    model, unharmed = made(), []
    save_model(model, path, {"loss": 1.5})
    good = path.read_bytes()
    for place in range(0, len(good), 3):
        path.write_bytes(good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :])
        try:
            copy = load_model(path, build)
        except CourseError as error:
            assert "model.safetensors is damaged" in str(error)
        else:
            assert same(copy, model) and copy.config == model.config
            unharmed.append(place)
    assert len(unharmed) < 20, "the name of the checksum, and blanks"
    for length in (0, 4, 100, len(good) - 1):
        path.write_bytes(good[:length])
        with pytest.raises(CourseError, match="is damaged, or isn't a safetensors file"):
            load_model(path, build)


def test_foreign_files_get_a_sentence(tmp_path):
    path = tmp_path / "foreign.safetensors"
    with pytest.raises(CourseError, match="There is no file"):
        load_model(path, build)
    save_file({"x": torch.zeros(2)}, path, {"format": "pt"})
    with pytest.raises(CourseError, match="holds no config"):
        load_model(path, build)
    torch.save(made().state_dict(), path)
    with pytest.raises(CourseError, match="isn't a safetensors file"):
        load_model(path, build)
    save_file({"x": torch.zeros(2)}, path, {"config": json.dumps({"width": 3, "sizes": []})})
    with pytest.raises(CourseError, match="another kind of model, or one of another version: .*'width'"):
        load_model(path, build)
    save_model(made(), path)
    with pytest.raises(CourseError, match=r"'word.weight' is \(7, 6\) there, and \(7, 8\) in this model"):
        load_model(path, lambda config: Small(Config(d_model=8)))
    with pytest.raises(CourseError, match=r"'extra' is missing there, and \(3,\) in this model"):
        load_model(path, lambda config: with_extra())


def with_extra():
    model = made()
    model.extra = nn.Parameter(torch.zeros(3))
    return model


def test_what_no_file_can_hold_gets_a_sentence(tmp_path):
    path = tmp_path / "model.safetensors"
    with pytest.raises(CourseError, match=r"Linear has no such \.config"):
        save_model(nn.Linear(2, 2), path)
    with pytest.raises(CourseError, match=r"numbers and words alone: .*Tensor.*take \.item\(\)"):
        save_model(made(), path, {"loss": torch.tensor(0.5)})
    assert not path.exists()


# --- trainings --------------------------------------------------------------------------------------------------------

SCHEDULES = {
    "none": lambda optimizer: None,
    "lambda": lambda optimizer: scheduled(optimizer, lambda step: cosine_decay(step, 20, 5)),
    "one cycle": lambda optimizer: lr_scheduler.OneCycleLR(optimizer, 0.1, 20),
    "sequential": lambda optimizer: lr_scheduler.SequentialLR(
        optimizer,
        [lr_scheduler.LinearLR(optimizer, 0.1, total_iters=5), lr_scheduler.CosineAnnealingLR(optimizer, 15)],
        [5],
    ),
}
OPTIMIZERS = {
    "AdamW": lambda p: torch.optim.AdamW([{"params": p[:1], "weight_decay": 0.1}, {"params": p[1:]}], 0.05, betas=(0.8, 0.9)),
    "SGD": lambda p: torch.optim.SGD(p, 0.1, momentum=0.9),
    "Adagrad": lambda p: torch.optim.Adagrad(p, 0.1),
    "Muon and AdamW": lambda p: training.MuonAndAdamW(p[1:2], p[:1] + p[2:], muon=0.05, adamw=0.05),
}  # fmt: skip


class Crash(Exception):
    pass


def run(
    steps,
    *,
    optimizer="AdamW",
    schedule="lambda",
    crash_at=None,
    seed=3,
    own_random_batches=False,
    model=None,
    **options,
):
    """A training from a fresh start: the model and its losses. crash_at: the batch at which the power fails."""
    model = model or made()
    optimizer = OPTIMIZERS[optimizer](list(model.parameters()))

    def batches():
        generator = None if own_random_batches else torch.Generator().manual_seed(5)
        for i in range(1000):
            if i == crash_at:
                raise Crash
            yield torch.randint(7, (16,), generator=generator)

    def loss(ids):
        return F.cross_entropy(model(ids), (ids + 1) % 7)

    options |= {"clip": 1.0, "seed": seed, "progress": False}
    return model, fit(model, batches(), loss, steps, optimizer, SCHEDULES[schedule](optimizer), **options)


@pytest.mark.parametrize(("optimizer", "schedule"), [
    *(("AdamW", schedule) for schedule in SCHEDULES), ("SGD", "lambda"), ("Adagrad", "none"), ("Muon and AdamW", "lambda"),
])  # fmt: skip
@pytest.mark.parametrize("own_random_batches", [False, True])
def test_after_a_crash_it_goes_on_as_if_nothing_had_been(
    tmp_path, monkeypatch, optimizer, schedule, own_random_batches
):
    options = {"optimizer": optimizer, "schedule": schedule, "own_random_batches": own_random_batches}
    unbroken, losses = run(20, **options)
    options |= {"checkpoint": tmp_path / "run.safetensors", "resume": True}
    monkeypatch.setattr(training, "SAVE_EVERY", -1e9)  # after each step
    monkeypatch.setattr(training, "SHARE", 1.0)
    for crash_at in (0, 8, 13):
        with pytest.raises(Crash):
            run(20, crash_at=crash_at, **options)
    assert read(tmp_path / "run.safetensors")[1]["metrics"]["steps"] == 13
    resumed, again = run(20, **options)
    assert again == losses and same(unbroken, resumed)
    assert run(20, **options)[1] == losses, "and where all is done, nothing more happens"
    assert run(20, **options | {"resume": False})[1] == losses, "without resume, it begins at its beginning"


def test_with_the_callers_random_numbers_too(tmp_path):
    def go(steps, **options):
        torch.manual_seed(1)
        return run(steps, seed=None, **options)[1]

    path = tmp_path / "run.safetensors"
    expected = go(12)
    go(7, checkpoint=path)
    assert go(12, checkpoint=path, resume=True) == expected


def test_a_trainings_file_is_a_models_file(tmp_path):
    model, losses = run(6, checkpoint=tmp_path / "run.safetensors")
    copy = load_model(tmp_path / "run.safetensors", build)
    assert same(model, copy)
    assert read(tmp_path / "run.safetensors")[1]["metrics"] == {"steps": 6, "loss": losses[-1]}


@pytest.mark.parametrize("refusal", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_save_that_breaks_off_leaves_the_last_good_one(tmp_path, monkeypatch, refusal):
    path = tmp_path / "run.safetensors"
    run(5, checkpoint=path)
    good = path.read_bytes()

    def broken(*_):
        raise refusal

    with monkeypatch.context() as full:
        full.setattr(os, "replace", broken)
        with pytest.raises((CourseError, KeyboardInterrupt)):
            save_model(made(seed=1), path)
    assert path.read_bytes() == good and os.listdir(tmp_path) == ["run.safetensors"]
    assert run(9, checkpoint=path, resume=True)[1] == run(9)[1]


def test_another_trainings_file_gets_a_sentence_and_changes_nothing(tmp_path):
    path = tmp_path / "run.safetensors"
    run(5, checkpoint=path)

    def refused(sentence, **options):
        model = options.pop("model", None) or made(seed=4)
        before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
        with pytest.raises(CourseError, match=sentence):
            run(9, checkpoint=path, resume=True, model=model, **options)
        assert all(torch.equal(before[name], tensor) for name, tensor in model.state_dict().items())

    refused(
        r"by a training with AdamW for 1 \+ 4 tensors and LambdaLR, but this one has SGD for 5 tensors and LambdaLR",
        optimizer="SGD",
    )
    refused("and LambdaLR, but this one has .* and no schedule", schedule="none")
    refused(r"'word.weight' is \(7, 6\) there, and \(9, 6\) in this model", model=made(Config(9)))
    refused("saved by a model with num_heads = 2, but this one has 3", model=made(Config(num_heads=3)))
    refused(r"saved by a model with sizes = \[6, 8\], but this one has \[6, 9\]", model=made(Config(sizes=(6, 9))))
    save_model(made(), path)
    refused("holds a model, but no training that could go on")
    path.write_bytes(b"anything")
    refused("is damaged, or isn't a safetensors file")
    with pytest.raises(CourseError, match="fit needs the file to go on from"):
        run(9, resume=True)


def test_tensors_anywhere_inside_come_back():
    state = {0: {"a": torch.arange(3), "b": (1, None, [torch.tensor(2.0)])}, "c": 0.1}
    tensors = {}
    text = json.dumps(checkpoints._taken_out(state, "state", tensors))
    back = checkpoints._put_back(json.loads(text), tensors)
    assert list(back) == [0, "c"] and back["c"] == 0.1 and back[0]["b"][:2] == [1, None]
    assert torch.equal(back[0]["a"], torch.arange(3)) and back[0]["b"][2][0] == 2
