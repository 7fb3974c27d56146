"""The experiments of lesson 06: what each part of a block is for, measured by taking it away.

    layers = untrained(depth=12, skip=False)        # layers with any of their parts switched off
    runs = stored_runs()                            # twelve layers, trained with and without each part, three seeds
    landscapes = stored_landscapes()                # the loss around three trained models

`python -m course_lib.experiments.block_parts` remakes data/block_parts.json, in about ten minutes of one CPU thread.
"""

import argparse
import json
import math
import time
from collections.abc import Iterator
from pathlib import Path

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.attention import MultiHeadAttention
from course_lib.errors import CourseError
from course_lib.layers import FeedForward, LayerNorm
from course_lib.masks import Mask, causal_mask
from course_lib.support.messages import one_of
from course_lib.support.paths import DATA
from course_lib.training import cross_entropy, fit

STORED = DATA / "block_parts.json"
NORMS = ("post", "pre", "none")
Words = Float[Tensor, "batch n d_model"]

# --- a layer with switches --------------------------------------------------------------------------------------------


class ConstantNorm(LayerNorm):
    """Layer normalisation whose mean and variance are constants to the gradient: DetachNorm of Xu et al. (2019)."""

    def forward(self, x: Float[Tensor, "*axes d_model"]) -> Float[Tensor, "*axes d_model"]:
        mean, variance = x.mean(-1, keepdim=True).detach(), x.var(-1, keepdim=True, correction=0).detach()
        return (x - mean) / (variance + self.eps).sqrt() * self.weight + self.bias


class Layer(nn.Module):
    """A block that can be taken apart: attention, and each of feed-forward network, norm and skip, or not."""

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        feed_forward: bool = True,
        norm: str = "post",
        skip: bool = True,
        make_norm: type[LayerNorm] = LayerNorm,
        dropout: float = 0.0,
    ):
        super().__init__()
        self.norm, self.skip = one_of("norm", norm, NORMS), skip
        self.attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, 4 * d_model) if feed_forward else None
        self.norms = (
            nn.ModuleList(make_norm(d_model) for _ in range(1 + feed_forward)) if norm != "none" else [None] * 2
        )
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Words, mask: Mask | None = None) -> Words:
        x = self._sublayer(x, lambda x: self.attention(x, mask=mask)[0], self.norms[0])
        return self._sublayer(x, self.feed_forward, self.norms[1]) if self.feed_forward else x

    def _sublayer(self, x: Words, work, norm) -> Words:
        new = self.dropout(work(norm(x) if self.norm == "pre" else x))
        new = x + new if self.skip else new
        return norm(new) if self.norm == "post" else new


def untrained(depth: int, d_model: int = 64, num_heads: int = 4, seed: int = 0, **switches) -> nn.ModuleList:
    """`depth` layers with fresh weights. The same seed gives attention the same weights, whatever else is switched."""
    layers = nn.ModuleList()
    with torch.random.fork_rng(devices=[]):
        for i in range(depth):
            torch.manual_seed(1000 * seed + i)
            layers.append(Layer(d_model, num_heads, **switches))
    return layers


# --- a task and a model -----------------------------------------------------------------------------------------------

DIGITS, LENGTH = 8, 8

Texts = tuple[Int[Tensor, "batch n"], Int[Tensor, "batch m"]]  # digits, and a sum for each but the first


def sums(batch: int, generator: torch.Generator) -> Texts:
    """Digits from 0 to 7. At each but the first: this one and the one before it, added, modulo 8."""
    ids = torch.randint(DIGITS, (batch, LENGTH), generator=generator)
    return ids, (ids[:, 1:] + ids[:, :-1]) % DIGITS


class Adder(nn.Module):
    """A causal stack of layers that names a digit at each place but the first. scale: how large its input begins."""

    def __init__(
        self, depth: int, d_model: int = 32, num_heads: int = 4, scale: float = 1.0, make_layer=Layer, **switches
    ):
        super().__init__()
        self.token = nn.Embedding(DIGITS, d_model)
        self.place = nn.Parameter(torch.randn(LENGTH, d_model) * 0.5)
        self.token.weight.data *= scale
        self.place.data *= scale
        self.layers = nn.ModuleList(make_layer(d_model, num_heads, **switches) for _ in range(depth))
        self.norm = LayerNorm(d_model) if switches.get("norm") != "none" else nn.Identity()
        self.dropout = nn.Dropout(switches.get("dropout", 0.0))  # on the sums of embeddings and positions, too
        self.digit = nn.Linear(d_model, DIGITS)

    def forward(self, ids: Int[Tensor, "batch n"]) -> Float[Tensor, "batch m digit"]:
        x, mask = self.dropout(self.token(ids) + self.place), causal_mask(ids.shape[1])
        for layer in self.layers:
            x = layer(x, mask)
        return self.digit(self.norm(x[:, 1:]))


def train(
    depth: int,
    seed: int,
    lr: float,
    steps: int = 300,
    warm_up: int = 0,
    texts: Texts | None = None,
    progress: bool = False,
    **switches,
) -> tuple[Adder, list[float]]:
    """An adder trained with Adam, and its losses. With `warm_up` the rate rises to `lr` over so many steps.

    It sees new texts at every step, or `texts` again and again.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        adder = Adder(depth, **switches)
        optimizer = torch.optim.Adam(adder.parameters(), lr, fused=True)
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / max(warm_up, 1)))
        losses = fit(
            adder,
            _batches(seed, texts),
            lambda texts: cross_entropy(adder(texts[0]), texts[1]),
            steps,
            optimizer,
            schedule,
            progress=progress,
        )
    return adder.eval().requires_grad_(False), losses


def _batches(seed: int, texts: Texts | None) -> Iterator[Texts]:
    generator = torch.Generator().manual_seed(1000 + seed)
    while True:
        if texts is None:
            yield sums(32, generator)
        else:
            chosen = torch.randint(len(texts[0]), (32,), generator=generator)
            yield texts[0][chosen], texts[1][chosen]


@torch.no_grad()
def accuracy(adder: Adder, texts: Texts | None = None) -> float:
    """The share of sums that are right, on 256 new texts or on `texts`."""
    ids, targets = texts or sums(256, torch.Generator().manual_seed(9))
    return (adder(ids).argmax(-1) == targets).float().mean().item()


# --- the loss around a trained model ----------------------------------------------------------------------------------

HALF = 15  # points on each side of the middle
RADII = [
    (i / HALF) ** 2 * (1 if i > 0 else -1) for i in range(-HALF, HALF + 1)
]  # −1 … 1, closer together in the middle


def direction(adder: Adder, generator: torch.Generator) -> list[Tensor]:
    """A random direction: each row as long as the trained row, biases and norms stay. Li et al. (2018), section 4."""
    made = []
    for weight in adder.parameters():
        random = torch.randn(weight.shape, generator=generator)
        longer = weight.norm(dim=-1, keepdim=True) / random.norm(dim=-1, keepdim=True)
        made.append(random * longer if weight.dim() > 1 else torch.zeros_like(weight))
    return made


@torch.no_grad()
def landscape(adder: Adder, seed: int = 0, radii: list[float] = RADII) -> list[list[float]]:
    """The loss at w + a·u + b·v, a row for each a and a column for each b, along two random directions u and v."""
    generator = torch.Generator().manual_seed(seed)
    trained = [weight.clone() for weight in adder.parameters()]
    u, v = direction(adder, generator), direction(adder, generator)
    ids, targets = sums(64, torch.Generator().manual_seed(77))
    table = []
    for a in radii:
        table.append([])
        for b in radii:
            for weight, middle, along_u, along_v in zip(adder.parameters(), trained, u, v, strict=True):
                weight.copy_(middle + a * along_u + b * along_v)
            table[-1].append(round(cross_entropy(adder(ids), targets).item(), 3))
    for weight, middle in zip(adder.parameters(), trained, strict=True):
        weight.copy_(middle)
    return table


# --- the stored runs --------------------------------------------------------------------------------------------------

RATES = (1e-3, 3e-3)
VARIANTS = {  # twelve layers, each trained at both rates
    "post-norm": {},
    "pre-norm": {"norm": "pre"},
    "post-norm, warm-up": {"warm_up": 100},
    "pre-norm, warm-up": {"norm": "pre", "warm_up": 100},
    "skip, no norm": {"norm": "none"},
    "post-norm, no skip": {"skip": False},
    "post-norm, constant statistics": {"make_norm": ConstantNorm},
    "pre-norm, constant statistics": {"norm": "pre", "make_norm": ConstantNorm},
    "skip, no norm, input × 10": {"norm": "none", "scale": 10.0},
    "post-norm, input × 10": {"scale": 10.0},
    "pre-norm, input × 10": {"norm": "pre", "scale": 10.0},
}
LANDSCAPES = {
    "6 layers with skips": {"depth": 6},
    "6 layers without skips": {"depth": 6, "skip": False},
    "3 layers without skips": {"depth": 3, "skip": False},
}
EVERY = 10  # steps: of the losses, the means of so many are stored


def _stored(part: str, path: str | Path) -> dict:
    if not Path(path).is_file():
        raise CourseError(
            f"The stored runs should be at {path}, but there is no such file. "
            "Make them with: python -m course_lib.experiments.block_parts"
        )
    return json.loads(Path(path).read_text("utf-8"))[part]


def stored_runs(path: str | Path = STORED) -> dict[tuple[str, float], dict[str, list]]:
    """{(variant, rate): {"accuracy": [one for each seed], "loss": [[the means of ten steps] for each seed]}}."""
    return {(name, float(rate)): run for name, rates in _stored("runs", path).items() for rate, run in rates.items()}


def stored_landscapes(path: str | Path = STORED) -> dict[str, dict[str, list]]:
    """{model: {"accuracy": [one for each seed], "loss": [a table for each seed, as from `landscape`]}}."""
    return _stored("landscapes", path)


def main() -> None:
    parser = argparse.ArgumentParser(description="Train adders with and without their parts; store what came of it.")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--out", default=STORED, help="where the numbers go")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    runs, landscapes = {}, {}
    for name, switches in VARIANTS.items():
        runs[name] = {rate: {"accuracy": [], "loss": []} for rate in RATES}
        for rate, run in runs[name].items():
            start = time.process_time()
            for seed in arguments.seeds:
                adder, losses = train(12, seed, rate, arguments.steps, **switches)
                run["accuracy"].append(round(accuracy(adder), 4))
                run["loss"].append(
                    [round(math.fsum(losses[i : i + EVERY]) / EVERY, 4) for i in range(0, len(losses), EVERY)]
                )
            print(f"{name}, rate {rate}: {run['accuracy']}, {time.process_time() - start:.0f} s", flush=True)
    for name, switches in LANDSCAPES.items():
        landscapes[name] = {"accuracy": [], "loss": []}
        for seed in arguments.seeds:
            adder, _ = train(seed=seed, lr=1e-3, steps=400, warm_up=50, **switches)
            landscapes[name]["accuracy"].append(round(accuracy(adder), 4))
            landscapes[name]["loss"].append(landscape(adder, seed))
        print(f"{name}: {landscapes[name]['accuracy']}", flush=True)
    stored = {
        "seeds": arguments.seeds,
        "steps": arguments.steps,
        "runs": runs,
        "radii": RADII,
        "landscapes": landscapes,
    }
    Path(arguments.out).write_text(json.dumps(stored) + "\n", "utf-8")


if __name__ == "__main__":
    main()
