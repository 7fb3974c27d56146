"""What experts are for: eight feed-forward networks hold more facts than one, and a fact pays for one of them.

    facts = random_facts(seed=0)                        # 4,000 pairs, each with one of 16 answers, drawn blindly
    model = new_model("experts", seed=0)
    train(model, facts)
    known(model, facts)                                 # the share of facts it says right

A fact can only be learned by heart, so what counts is room: parameters. A token pays for products.
`python -m course_lib.experiments.expert_facts` remakes data/expert_facts_runs.json; its card is
data/expert_facts_runs.md.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import repeat

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.experiments.stored import Watch, command, read_runs
from course_lib.experts import Experts, balance_losses
from course_lib.layers import FeedForward
from course_lib.support.messages import one_of
from course_lib.support.paths import DATA
from course_lib.training import cosine_decay, fit, scheduled

STORED = DATA / "expert_facts_runs.json"
SUBJECTS, RELATIONS, ANSWERS, COUNT, HELD_OUT = 80, 60, 16, 4000, 256
D_MODEL, D_FF, NUM_EXPERTS = 64, 8, 8
STEPS, RATE, WARMUP = 300, 1e-2, 20


@dataclass(frozen=True)
class Facts:
    """Each pair of a subject and a relation is a vector: that of its subject, then that of its relation."""

    pairs: Float[Tensor, "fact d_model"]
    answers: Int[Tensor, "fact"]


def random_facts(seed: int = 0) -> tuple[Facts, Facts]:
    """(to learn, held out): pairs drawn without repetition, answers drawn blindly."""
    generator = torch.Generator().manual_seed(seed)
    drawn = torch.randperm(SUBJECTS * RELATIONS, generator=generator)[: COUNT + HELD_OUT]
    subjects, relations = (torch.randn(size, D_MODEL // 2, generator=generator) for size in (SUBJECTS, RELATIONS))
    pairs = torch.cat([subjects[drawn // RELATIONS], relations[drawn % RELATIONS]], dim=1)
    answers = torch.randint(ANSWERS, (len(drawn),), generator=generator)
    return Facts(pairs[:COUNT], answers[:COUNT]), Facts(pairs[COUNT:], answers[COUNT:])


class FactReader(nn.Module):
    """x + feed_forward(x), normalised, through a linear map to the answers."""

    def __init__(self, feed_forward: nn.Module):
        super().__init__()
        self.feed_forward = feed_forward
        self.norm = nn.LayerNorm(D_MODEL)
        self.head = nn.Linear(D_MODEL, ANSWERS)

    def forward(self, pairs: Float[Tensor, "fact d_model"]) -> Float[Tensor, "fact answer"]:
        return self.head(self.norm(pairs + self.feed_forward(pairs)))


KINDS = ("dense", "experts", "fixed gate", "no balance", "dense × 8")


def new_model(kind: str, seed: int = 0) -> FactReader:
    """One of KINDS, untrained: the first four cost a fact the same products, but for the gate's."""
    one_of("kind", kind, KINDS)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        if kind.startswith("dense"):
            return FactReader(FeedForward(D_MODEL, D_FF if kind == "dense" else NUM_EXPERTS * D_FF, activation=nn.GELU))
        model = FactReader(Experts(D_MODEL, D_FF, NUM_EXPERTS))
    model.feed_forward.gate.requires_grad_(kind != "fixed gate")
    return model


def train(
    model: FactReader,
    facts: Facts,
    balance: float = 0.01,
    steps: int = STEPS,
    *,
    seed: int = 0,
    rate: float = 1.0,
    **options,
) -> list[float]:
    """Adam at `rate` times RATE, all facts at each step; each step's loss. options: what else `fit` takes."""
    experts = isinstance(model.feed_forward, Experts)

    def loss(facts: Facts) -> Tensor:
        value = F.cross_entropy(model(facts.pairs), facts.answers)
        return value + balance * balance_losses(model) if experts else value

    optimizer = torch.optim.Adam((p for p in model.parameters() if p.requires_grad), rate * RATE)
    schedule = scheduled(optimizer, lambda step: cosine_decay(step, steps, min(WARMUP, steps), lowest=0.05))
    return fit(model, repeat(facts), loss, steps, optimizer, schedule, seed=seed, **options)


@torch.no_grad()
def known(model: FactReader, facts: Facts) -> float:
    """The share of facts whose answer it says. Chance: a sixteenth."""
    return (model(facts.pairs).argmax(-1) == facts.answers).float().mean().item()


# --- the stored runs: about a minute of one CPU thread ----------------------------------------------------------------

SEEDS, MEASURED_EVERY = range(3), 50


def _facts() -> Iterator[dict]:
    for seed in SEEDS:
        learned, held_out = random_facts(seed)
        for kind in KINDS:
            model = new_model(kind, seed)
            share = lambda model=model, facts=learned: {"known": round(known(model, facts), 4)}  # noqa: E731
            watch = Watch(range(0, STEPS + 1, MEASURED_EVERY), share)
            balance = 0.0 if kind == "no balance" else 0.01
            train(model, learned, balance, seed=seed, between=watch, progress=False)
            run = {"kind": kind, "seed": seed, "held_out": round(known(model, held_out), 4), "history": watch.rows}
            run["parameters"] = sum(parameter.numel() for parameter in model.feed_forward.parameters())
            if isinstance(model.feed_forward, Experts):
                model(learned.pairs)
                run["used"] = [round(share, 4) for share in model.feed_forward.used.tolist()]
            yield run


def stored_runs() -> list[dict]:
    """The runs of data/expert_facts_runs.json."""
    return read_runs(STORED)["facts"]


if __name__ == "__main__":
    command("Let lesson 16's feed-forward networks learn facts by heart.", STORED, {"facts": _facts})
