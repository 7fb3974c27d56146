"""The extrapolation experiment of lesson 05: which positions still work in texts longer than those trained on?

    runs = compare(seed=0)                          # every scheme on both tasks, about a minute of one CPU thread
    runs["shift 3", "rotary"][64]                   # accuracy on the last eight words of texts of 64 words

The same small causal Transformer is trained with each scheme on texts of 16, 24 and 32 words, and tested on up to 64. The
stored runs of data/extrapolation.json were made with the same function, by data/train_extrapolation.py.
"""

import json
import math
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn
from tqdm.auto import tqdm

from course_lib import positions
from course_lib.attention import MultiHeadAttention
from course_lib.errors import CourseError
from course_lib.masks import causal_mask
from course_lib.positions import Positions
from course_lib.support.paths import DATA

STORED = DATA / "extrapolation.json"
TRAINED = (16, 24, 32)  # words in the texts of training
LENGTHS = (16, 24, 32, 40, 48, 56, 64)  # of the texts in the test
TAIL = 8  # words at the end of a text that are counted
D_MODEL, NUM_HEADS, NUM_LAYERS, D_FF = 32, 4, 2, 64
D_K = D_MODEL // NUM_HEADS
LONGEST = LENGTHS[-1]

SCHEMES: dict[str, Callable[[], Positions]] = {
    "none": Positions,
    "index": partial(positions.IndexPositions, D_MODEL, unit=float(TRAINED[-1])),
    "fraction": partial(positions.FractionPositions, D_MODEL),
    "binary": partial(positions.BinaryPositions, D_MODEL, LONGEST),
    "sinusoidal": partial(positions.SinusoidalPositions, D_MODEL, LONGEST),
    "learned": partial(positions.LearnedPositions, D_MODEL, LONGEST, std=0.5),
    "Shaw 8": partial(positions.RelativePositions, D_K, 8),
    "Shaw 16": partial(positions.RelativePositions, D_K, 16),
    "rotary": positions.RotaryPositions,
    "ALiBi": partial(positions.ALiBiPositions, NUM_HEADS),
}

# --- two tasks --------------------------------------------------------------------------------------------------------

DIGITS = 8
NOISE = DIGITS  # the id of the word that is no digit
UNASKED = -100  # what cross_entropy leaves out

Texts = tuple[Int[Tensor, "batch n"], Int[Tensor, "batch n"]]  # ids, and at each word the digit asked for


def last_digit(batch: int, n: int, generator: Generator) -> Texts:
    """Three words of four are noise. Name the digit that came last before this word: attend to what is near."""
    ids = torch.randint(DIGITS, (batch, n), generator=generator)
    ids[torch.rand(batch, n, generator=generator) > 0.25] = NOISE
    place = torch.where(ids != NOISE, torch.arange(n), -1).cummax(dim=1).values
    before = F.pad(place, (1, -1), value=-1)  # the last digit's place before each word; −1 where there is none
    return ids, torch.where(before >= 0, ids.gather(1, before.clamp(min=0)), UNASKED)


def shift_3(batch: int, n: int, generator: Generator) -> Texts:
    """Only digits. Name the one three places back: attend by distance and nothing else."""
    ids = torch.randint(DIGITS, (batch, n), generator=generator)
    return ids, F.pad(ids, (3, -3), value=UNASKED)


TASKS: dict[str, Callable[[int, int, Generator], Texts]] = {"last digit": last_digit, "shift 3": shift_3}

# --- one model --------------------------------------------------------------------------------------------------------


class Layer(nn.Module):
    """x + attention(norm(x)), then x + feed-forward(norm(x)). Lesson 06 takes it apart."""

    def __init__(self, positions: Positions):
        super().__init__()
        self.attention = MultiHeadAttention(D_MODEL, NUM_HEADS, positions=positions)
        self.feed_forward = nn.Sequential(nn.Linear(D_MODEL, D_FF), nn.GELU(), nn.Linear(D_FF, D_MODEL))
        self.norms = nn.ModuleList([nn.LayerNorm(D_MODEL), nn.LayerNorm(D_MODEL)])

    def forward(self, x: Float[Tensor, "batch n d_model"], mask: Tensor) -> Float[Tensor, "batch n d_model"]:
        x = x + self.attention(self.norms[0](x), mask=mask)[0]
        return x + self.feed_forward(self.norms[1](x))


class SmallReader(nn.Module):
    """A causal Transformer of two layers that names a digit at each word. Its positions are the one thing that varies."""

    def __init__(self, positions: Positions):
        super().__init__()
        self.positions = positions
        self.word = nn.Embedding(DIGITS + 1, D_MODEL)
        self.layers = nn.ModuleList(Layer(positions) for _ in range(NUM_LAYERS))
        self.norm = nn.LayerNorm(D_MODEL)
        self.digit = nn.Linear(D_MODEL, DIGITS)

    def forward(self, ids: Int[Tensor, "batch n"]) -> Float[Tensor, "batch n digit"]:
        x, mask = self.positions(self.word(ids)), causal_mask(ids.shape[1])
        for layer in self.layers:
            x = layer(x, mask)
        return self.digit(self.norm(x))


# --- the experiment ---------------------------------------------------------------------------------------------------


def train(
    task: str, scheme: Callable[[], Positions], seed: int = 0, steps: int = 400, batch: int = 20, progress: bool = False
) -> SmallReader:
    """A reader with these positions, trained on `steps` batches of texts of 16, 24 or 32 words. The seed decides everything."""
    texts = TASKS[task]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        generator = torch.Generator().manual_seed(1000 + seed)
        reader = SmallReader(scheme())
        optimiser = torch.optim.AdamW(reader.parameters(), lr=5e-3, fused=True)
        schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: share_of_rate(step, steps))
        for _ in tqdm(range(steps), desc="training", unit="step", delay=1, disable=not progress):
            n = TRAINED[torch.randint(len(TRAINED), (), generator=generator)]
            ids, asked = texts(batch, n, generator)
            loss = F.cross_entropy(reader(ids).flatten(0, 1), asked.flatten(), ignore_index=UNASKED)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
    return reader.eval().requires_grad_(False)


def share_of_rate(step: int, steps: int) -> float:
    """Fifty steps of warm-up, and a cosine from 1 down to a twentieth."""
    return min(1.0, (step + 1) / 50) * (0.525 + 0.475 * math.cos(math.pi * step / steps))


@torch.no_grad()
def accuracy(reader: SmallReader, task: str, n: int, count: int = 256) -> float:
    """The share of digits named rightly at the last eight words of `count` new texts of n words."""
    ids, asked = TASKS[task](count, n, torch.Generator().manual_seed(10_000 + n))  # other seeds than training's
    asked = asked[:, -TAIL:]
    right = reader(ids)[:, -TAIL:].argmax(dim=-1) == asked
    return right[asked != UNASKED].float().mean().item()


def compare(
    seed: int, schemes: Sequence[str] = tuple(SCHEMES), tasks: Sequence[str] = tuple(TASKS), steps: int = 400
) -> dict[tuple[str, str], dict[int, float]]:
    """Train and test each scheme on each task: {(task, scheme): {length: accuracy}}. Shows its progress."""
    for name, known in [*((s, SCHEMES) for s in schemes), *((t, TASKS) for t in tasks)]:
        if name not in known:
            raise CourseError(f"There is no {name!r} in this experiment. Choose from: {', '.join(known)}.")
    pairs = [(task, scheme) for task in tasks for scheme in schemes]
    runs = {}
    for task, scheme in (bar := tqdm(pairs, desc="training", unit="reader", delay=1)):
        bar.set_postfix_str(f"{task}, {scheme}", refresh=False)
        reader = train(task, SCHEMES[scheme], seed, steps)
        runs[task, scheme] = {n: accuracy(reader, task, n) for n in LENGTHS}
    return runs


def stored_runs(path: str | Path = STORED) -> dict[tuple[str, str], dict[int, tuple[float, ...]]]:
    """Five seeds of `compare`, made beforehand: {(task, scheme): {length: (accuracy for each seed)}}."""
    if not Path(path).is_file():
        raise CourseError(f"The stored runs should be at {path}, but there is no such file. "
                          "Make them with: python data/train_extrapolation.py")  # fmt: skip
    runs = json.loads(Path(path).read_text("utf-8"))["runs"]
    return {
        (task, scheme): dict(zip(LENGTHS, zip(*of_seeds)))
        for task, schemes in runs.items()
        for scheme, of_seeds in schemes.items()
    }
