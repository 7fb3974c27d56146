"""Do modifications transfer? The same small change on two tasks, beside the noise of seeds.

    run = train_one("pages", "squared ReLU", seed=0)      # {"loss": 0.2, …}: lower is better

    facts    `expert_facts`' dense reader learns by heart: nats for each fact, of those that it learned
    pages    two blocks read the pages of `patterns`, shorter ones: nats for each answer, on other pages

A change comes with the same seed, the same batches, and the same first weights as the baseline, ReLU.
`python -m course_lib.experiments.transfer` remakes data/transfer_runs.json; its card is data/transfer_runs.md.
"""

from collections.abc import Iterator
from functools import partial
from time import process_time

import torch
import torch.nn.functional as F
from torch import nn

from course_lib.experiments import expert_facts, patterns
from course_lib.experiments.stored import command, read_runs
from course_lib.layers import Block
from course_lib.support.messages import one_of
from course_lib.support.paths import DATA
from course_lib.variants import ConvolvedAttention, SquaredReLU

STORED = DATA / "transfer_runs.json"
KINDS = {
    "ReLU": (nn.ReLU, False),
    "GELU": (nn.GELU, False),
    "squared ReLU": (SquaredReLU, False),
    "convolution": (nn.ReLU, True),
    "both": (SquaredReLU, True),
}  # the activation, and whether queries, keys and values are convolved: "both" is Primer's
TASKS = ("facts", "pages")
PAGE, PAGES_STEPS = 48, 200


def modify(block: Block, kind: str, causal: bool) -> None:
    """Changes a block into one of KINDS. The convolution begins as the identity, so that nothing else changes."""
    activation, convolved = KINDS[one_of("kind", kind, KINDS)]
    block.feed_forward.activation = activation()
    if convolved:
        plain = block.attention
        new = ConvolvedAttention(plain.d_model, plain.num_heads, causal, positions=plain.positions)
        for name in ("W_Q", "W_K", "W_V"):
            getattr(new, name)[0].load_state_dict(getattr(plain, name).state_dict())
        new.W_O.load_state_dict(plain.W_O.state_dict())
        block.attention = new


def _facts(kind: str, seed: int, rate: float, longer: int) -> tuple[nn.Module, float]:
    facts, _ = expert_facts.random_facts(seed)
    model = expert_facts.new_model("dense", seed)
    model.feed_forward.activation = KINDS[kind][0]()
    expert_facts.train(model, facts, steps=longer * expert_facts.STEPS, seed=seed, rate=rate, progress=False)
    with torch.no_grad():
        return model, F.cross_entropy(model(facts.pairs), facts.answers).item()


def page_reader(kind: str, seed: int) -> patterns.PageReader:
    """Untrained. The change comes last: what else is drawn is the same for all kinds."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        sizes = patterns.D_MODEL, patterns.NUM_HEADS, patterns.D_FF
        blocks = [Block(*sizes, positions=patterns.positions()) for _ in range(patterns.NUM_BLOCKS)]
        model = patterns.PageReader(blocks, n=PAGE)
        for block in model.blocks:
            modify(block, kind, causal=False)
    return model


def _pages(kind: str, seed: int, rate: float, longer: int) -> tuple[nn.Module, float]:
    model = page_reader(kind, seed)
    steps = longer * PAGES_STEPS
    patterns.train(model, steps, seed=seed, rate=rate, n=PAGE, autocast="bf16", progress=False)
    with torch.no_grad():
        held = patterns.pages(128, torch.Generator().manual_seed(10_000), PAGE)
        return model, patterns.loss(model, held).item() / len(patterns.QUESTIONS)


def kinds(task: str) -> tuple[str, ...]:
    """Those that the task can be done with: a single fact has no neighbours to convolve."""
    return tuple(kind for kind, (_, convolved) in KINDS.items() if not (convolved and task == "facts"))


def train_one(task: str, kind: str, seed: int, rate: float = 1.0, longer: int = 1) -> dict:
    """One training, of `longer` times as many steps: its loss, its parameters, and its CPU seconds."""
    start = process_time()
    make = {"facts": _facts, "pages": _pages}[one_of("task", task, TASKS)]
    model, loss = make(one_of("kind", kind, kinds(task)), seed, rate, longer)
    run = {"task": task, "kind": kind, "seed": seed, "rate": rate, "loss": round(loss, 4)}
    run |= {} if longer == 1 else {"longer": longer}
    run["parameters"] = sum(parameter.numel() for parameter in model.parameters())
    return run | {"cpu_seconds": round(process_time() - start, 1)}


# --- the stored runs: about five minutes of one CPU thread ------------------------------------------------------------

SEEDS, NOISE = range(5), range(10)
OTHER_RATE, RATE_SEEDS = 0.5, range(2)


def _runs(task: str) -> Iterator[dict]:
    """The baseline with ten seeds: what is smaller than their spread, one seed can't show. The others with five."""
    for seed in NOISE:
        for kind in kinds(task):
            if kind == "ReLU" or seed in SEEDS:
                yield train_one(task, kind, seed)


def _other_rate() -> Iterator[dict]:
    for task in TASKS:
        for seed in RATE_SEEDS:
            for kind in kinds(task):
                yield train_one(task, kind, seed, OTHER_RATE)


def _equal_time() -> Iterator[dict]:
    """The baseline for about as many CPU seconds as the convolution takes: twice the steps."""
    return (train_one("pages", "ReLU", seed, longer=2) for seed in SEEDS)


SECTIONS = {task: partial(_runs, task) for task in TASKS} | {"other rate": _other_rate, "equal time": _equal_time}


def stored_runs() -> dict[str, list[dict]]:
    """The runs of data/transfer_runs.json, by section: a task's name, "other rate", "equal time"."""
    return read_runs(STORED)


if __name__ == "__main__":
    command("Train lesson 16's modifications and keep what was measured.", STORED, SECTIONS)
