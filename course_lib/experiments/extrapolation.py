"""The extrapolation experiment of lesson 05: which positions still work in texts longer than those trained on?

    runs = compare(seed=0)                          # every scheme on both tasks, about a minute of one CPU thread
    runs["shift 3", "rotary"][64]                   # accuracy on the last eight tokens of texts of 64 tokens

The same small causal Transformer is trained with each scheme on texts of 16, 24 and 32 tokens, and tested on up to 64.
`python -m course_lib.experiments.extrapolation` remakes the stored runs, data/extrapolation.json, with that function.
"""

import argparse
import copy
import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn
from tqdm.auto import tqdm

from course_lib import positions
from course_lib.errors import CourseError
from course_lib.layers import Block
from course_lib.masks import causal_mask
from course_lib.positions import Positions
from course_lib.support.messages import one_of
from course_lib.support.paths import DATA
from course_lib.training import IGNORE_INDEX, cross_entropy, fit

STORED = DATA / "extrapolation.json"
TRAINED = (16, 24, 32)  # tokens in the texts of training
LENGTHS = (16, 24, 32, 40, 48, 56, 64)  # of the texts in the test
TAIL = 8  # tokens at the end of a text that are counted


@dataclass(frozen=True)
class Config:
    d_model: int = 32
    num_heads: int = 4
    num_layers: int = 2
    d_ff: int = 64
    max_len: int = LENGTHS[-1]

    @property
    def d_k(self) -> int:
        return self.d_model // self.num_heads


CONFIG = Config()
SCHEMES: dict[str, Callable[[], Positions]] = {
    "none": Positions,
    "index": partial(positions.IndexPositions, CONFIG.d_model, unit=float(TRAINED[-1])),
    "fraction": partial(positions.FractionPositions, CONFIG.d_model),
    "binary": partial(positions.BinaryPositions, CONFIG.d_model, CONFIG.max_len),
    "sinusoidal": partial(positions.SinusoidalPositions, CONFIG.d_model, CONFIG.max_len),
    "learned": partial(positions.LearnedPositions, CONFIG.d_model, CONFIG.max_len, std=0.5),
    "Shaw 8": partial(positions.RelativePositions, CONFIG.d_k, 8),
    "Shaw 16": partial(positions.RelativePositions, CONFIG.d_k, 16),
    "rotary": positions.RotaryPositions,
    "ALiBi": partial(positions.ALiBiPositions, CONFIG.num_heads),
}

# --- two tasks --------------------------------------------------------------------------------------------------------

DIGITS = 8
NOISE = DIGITS  # the id of the token that is no digit

Texts = tuple[Int[Tensor, "batch n"], Int[Tensor, "batch n"]]  # ids, and at each token its target: the digit to name


def last_digit(batch: int, n: int, generator: Generator) -> Texts:
    """Three tokens of four are noise. Name the digit that came last before this token: attend to what is near."""
    ids = torch.randint(DIGITS, (batch, n), generator=generator)
    ids[torch.rand(batch, n, generator=generator) > 0.25] = NOISE
    place = torch.where(ids != NOISE, torch.arange(n), -1).cummax(dim=1).values
    before = F.pad(place, (1, -1), value=-1)  # where the last digit before each token is; −1 where there is none
    return ids, torch.where(before >= 0, ids.gather(1, before.clamp(min=0)), IGNORE_INDEX)


def shift_3(batch: int, n: int, generator: Generator) -> Texts:
    """Only digits. Name the one three places back: attend by distance and nothing else."""
    ids = torch.randint(DIGITS, (batch, n), generator=generator)
    return ids, F.pad(ids, (3, -3), value=IGNORE_INDEX)


TASKS: dict[str, Callable[[int, int, Generator], Texts]] = {"last digit": last_digit, "shift 3": shift_3}

# --- one model --------------------------------------------------------------------------------------------------------


class SmallReader(nn.Module):
    """A causal Transformer of two blocks that names a digit at each token. Only its positions vary."""

    def __init__(self, positions: Positions, config: Config = CONFIG):
        super().__init__()
        self.positions = positions
        self.token = nn.Embedding(DIGITS + 1, config.d_model)
        self.blocks = nn.ModuleList(
            Block(config.d_model, config.num_heads, config.d_ff, positions=positions) for _ in range(config.num_layers)
        )
        self.norm = nn.LayerNorm(config.d_model)
        self.digit = nn.Linear(config.d_model, DIGITS)

    def forward(self, ids: Int[Tensor, "batch n"]) -> Float[Tensor, "batch n digit"]:
        x, mask = self.positions(self.token(ids)), causal_mask(ids.shape[1])
        for block in self.blocks:
            x, _ = block(x, mask)
        return self.digit(self.norm(x))

    def with_positions(self, positions: Positions) -> "SmallReader":
        """A reader with the same weights, told by other positions where its tokens stand."""
        other = copy.deepcopy(self)
        for part in (other, *(block.attention for block in other.blocks)):
            part.positions = positions
        return other


# --- the experiment ---------------------------------------------------------------------------------------------------


def train(
    task: str,
    scheme: Callable[[], Positions],
    seed: int = 0,
    steps: int = 400,
    batch: int = 20,
    progress: bool = False,
    config: Config = CONFIG,
) -> SmallReader:
    """A reader with these positions, trained on `steps` batches of texts of 16, 24 or 32 tokens."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        reader = SmallReader(scheme(), config)
        optimizer = torch.optim.AdamW(reader.parameters(), lr=5e-3, fused=True)
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: lr_lambda(step, steps))
        fit(
            reader,
            texts(task, batch, seed),
            lambda text: cross_entropy(reader(text[0]), text[1]),
            steps,
            optimizer,
            schedule,
            progress=progress,
        )
    return reader.requires_grad_(False)


def texts(task: str, batch: int, seed: int) -> Iterator[Texts]:
    """Batches without end, each of one of the lengths of training."""
    generator = torch.Generator().manual_seed(1000 + seed)
    while True:
        n = TRAINED[torch.randint(len(TRAINED), (), generator=generator)]
        yield TASKS[task](batch, n, generator)


def lr_lambda(step: int, steps: int) -> float:
    """The share of the learning rate: 50 steps of warm-up, then a cosine from 1 to a twentieth."""
    return min(1.0, (step + 1) / 50) * (0.525 + 0.475 * math.cos(math.pi * step / steps))


@torch.no_grad()
def accuracy(reader: SmallReader, task: str, n: int, count: int = 256) -> float:
    """The share of digits named correctly at the last eight tokens of `count` new texts of n tokens."""
    ids, targets = TASKS[task](count, n, torch.Generator().manual_seed(10_000 + n))  # other seeds than training's
    targets = targets[:, -TAIL:]
    correct = reader(ids)[:, -TAIL:].argmax(dim=-1) == targets
    return correct[targets != IGNORE_INDEX].float().mean().item()


def compare(
    seed: int, schemes: Sequence[str] = tuple(SCHEMES), tasks: Sequence[str] = tuple(TASKS), steps: int = 400
) -> dict[tuple[str, str], dict[int, float]]:
    """Train and test each scheme on each task: {(task, scheme): {length: accuracy}}. Shows its progress."""
    pairs = [(one_of("task", task, TASKS), one_of("scheme", scheme, SCHEMES)) for task in tasks for scheme in schemes]
    runs = {}
    for task, scheme in (bar := tqdm(pairs, desc="training", unit="reader", delay=1)):
        bar.set_postfix_str(f"{task}, {scheme}", refresh=False)
        reader = train(task, SCHEMES[scheme], seed, steps)
        runs[task, scheme] = {n: accuracy(reader, task, n) for n in LENGTHS}
    return runs


def stored_runs(path: str | Path = STORED) -> dict[tuple[str, str], dict[int, tuple[float, ...]]]:
    """Five seeds of `compare`, made beforehand: {(task, scheme): {length: (accuracy for each seed)}}."""
    if not Path(path).is_file():
        raise CourseError(
            f"The stored runs should be at {path}, but there is no such file. "
            "Make them with: python -m course_lib.experiments.extrapolation"
        )
    runs = json.loads(Path(path).read_text("utf-8"))["runs"]
    return {
        (task, scheme): dict(zip(LENGTHS, zip(*of_seeds, strict=True), strict=True))
        for task, schemes in runs.items()
        for scheme, of_seeds in schemes.items()
    }


# --- remaking them ----------------------------------------------------------------------------------------------------


def table(runs: dict, seeds: list[int]) -> str:
    """The runs of all seeds as a table: the smallest and the largest accuracy at three lengths."""
    shown = (32, 40, 64)
    head = ["positions", *(f"{task} at {n}" for task in TASKS for n in shown)]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for scheme in SCHEMES:
        row = [scheme]
        for task in TASKS:
            for n in shown:
                values = [runs[task][scheme][i][LENGTHS.index(n)] for i in range(len(seeds))]
                row.append(f"{min(values):.3f} – {max(values):.3f}")
        lines.append("| " + " | ".join(row) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Train every position scheme on both tasks, several times; store the accuracies."
    )
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3, 4, 5])
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--out", default=STORED, help="where the accuracies go")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    runs = {task: {scheme: [] for scheme in SCHEMES} for task in TASKS}
    for seed in arguments.seeds:
        start = time.process_time()
        for (task, scheme), of_length in compare(seed, steps=arguments.steps).items():
            runs[task][scheme].append([round(of_length[n], 4) for n in LENGTHS])
        print(f"seed {seed}: {time.process_time() - start:.0f} s of one CPU thread", flush=True)
    with open(arguments.out, "w", encoding="utf-8") as file:
        stored = {
            "seeds": arguments.seeds,
            "lengths": LENGTHS,
            "accuracy": "on the last eight words of 256 texts",
            "runs": runs,
        }
        json.dump(stored, file, indent=1)
    print(table(runs, arguments.seeds))


if __name__ == "__main__":
    main()
