"""A page of words in coloured inks: what can an attention that looks at a quarter of the cells still learn?

    model = new_model("window", seed=0)
    train(model, seed=0)                        # 600 steps, 20 seconds of one CPU thread
    accuracy(model)                             # {"near": 1.0, "far": 0.2, "count": 0.7}

Every word of a page's first half is different, and comes back once in the second half, in another order and another
ink. All at once, every place is asked three things, and each answer is an ink:

    near    the ink three places back
    far     the ink that this very word had in the first half: only where that is further than two windows reach
    count   the page's commonest ink

Each kind of lesson 16 reads it with the same two blocks. All but "full" and "experts" pay for 32 or 33 cells a row
instead of 128. `python -m course_lib.experiments.patterns` remakes data/patterns_runs.json; its card is
data/patterns_runs.md.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count, islice

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from course_lib.attention import MultiHeadAttention
from course_lib.corpora.batching import IGNORE_INDEX
from course_lib.experiments.stored import Watch, command, read_runs
from course_lib.experts import Experts, balance_losses
from course_lib.layers import Block, LayerNorm
from course_lib.masks import Mask, sparse_mask
from course_lib.positions import RotaryPositions, SinusoidalPositions
from course_lib.short_keys import CompressedAttention, LinformerAttention
from course_lib.sparse import random_keys
from course_lib.support.messages import one_of
from course_lib.support.paths import DATA
from course_lib.training import cross_entropy, fit, muon_and_adamw, scheduled

STORED = DATA / "patterns_runs.json"
N, INKS, NEAR, WINDOW = 128, 8, 3, 16
QUESTIONS = ("near", "far", "count")
PATTERNS = {
    "window": dict(window=WINDOW),
    "Big Bird": dict(window=10, num_global=4, num_random=7),
    "random": dict(window=0, num_random=31),
}  # of masks; with its own place a row of them has 33, 32 and 32 cells
KINDS = ("full", *PATTERNS, "Linformer", "compressed", "experts")
SHORT, STRIDE, NUM_EXPERTS = 32, 4, 4
D_MODEL, NUM_HEADS, D_FF, NUM_BLOCKS = 64, 4, 256, 2
STEPS, BATCH_SIZE, WARMUP = 600, 16, 50
MUON, ADAMW = 0.02, 3e-3


@dataclass(frozen=True)
class Pages:
    """Some pages, and the right ink for each question at each place: IGNORE_INDEX where it isn't asked."""

    words: Int[Tensor, "batch n"]
    inks: Int[Tensor, "batch n"]
    answers: dict[str, Int[Tensor, "batch n"]]

    @property
    def num_tokens(self) -> int:
        return self.words.numel()


def pages(batch: int, generator: torch.Generator, n: int = N) -> Pages:
    """n // 2 words, each twice. One ink, another one on each page, is twice as likely as any other."""
    half = n // 2
    words = torch.cat([torch.rand(batch, half, generator=generator).argsort(1) for _ in range(2)], dim=1)
    shares = torch.ones(batch, INKS).scatter_(1, torch.randint(INKS, (batch, 1), generator=generator), 2.0)
    inks = torch.multinomial(shares, n, replacement=True, generator=generator)

    near = torch.full((batch, n), IGNORE_INDEX)
    near[:, NEAR:] = inks[:, :-NEAR]

    first = words[:, :half].argsort(1).gather(1, words[:, half:])  # where each word of the second half stood before
    far = torch.full((batch, n), IGNORE_INDEX)
    far[:, half:] = inks.gather(1, first)
    far[:, half:][torch.arange(half, n) - first <= 2 * WINDOW] = IGNORE_INDEX

    counts = F.one_hot(inks, INKS).sum(1)
    most, second = counts.topk(2, dim=1).values.T
    commonest = counts.argmax(1).masked_fill(most == second, IGNORE_INDEX)  # a tie isn't asked
    return Pages(words, inks, {"near": near, "far": far, "count": commonest[:, None].expand(batch, n)})


class PageReader(nn.Module):
    """Pre-norm blocks over the sum of word, ink, half of the page and place; a head for each question.

    What a block adds begins at zero. `mask` is used in every block. Experts are balanced by `loss`.
    """

    def __init__(self, blocks: Sequence[Block], mask: Mask | None = None, n: int = N):
        super().__init__()
        self.mask = mask
        self.word, self.ink, self.part = (nn.Embedding(size, D_MODEL) for size in (n // 2, INKS, 2))
        for embedding in (self.word, self.ink, self.part):
            nn.init.normal_(embedding.weight, std=0.7)  # as long as the sinusoids
        self.places = SinusoidalPositions(D_MODEL, n, base=1000.0)
        self.blocks = nn.ModuleList(blocks)
        for name, parameter in self.blocks.named_parameters():
            if name.endswith(("W_O.weight", "W_2.weight")):
                nn.init.zeros_(parameter)
        self.norm = LayerNorm(D_MODEL)
        self.heads = nn.ModuleDict({question: nn.Linear(D_MODEL, INKS) for question in QUESTIONS})

    def forward(
        self, words: Int[Tensor, "batch n"], inks: Int[Tensor, "batch n"]
    ) -> dict[str, Float[Tensor, "batch n ink"]]:
        n = words.shape[1]
        part = torch.arange(n) // (n // 2)
        x = self.places(self.word(words) + self.ink(inks) + self.part(part))
        for block in self.blocks:
            x, _ = block(x, mask=self.mask)
        x = self.norm(x)
        return {question: head(x) for question, head in self.heads.items()}


def pattern_mask(kind: str, seed: int = 0, **changes: int) -> Bool[Tensor, "n n"]:
    """The mask of one of PATTERNS; `seed` draws its random keys. `changes`: other sizes than there."""
    sizes = dict(num_global=0, num_random=0) | PATTERNS[one_of("kind", kind, PATTERNS)] | changes
    window, num_global = sizes["window"], sizes["num_global"]
    return sparse_mask(N, window, num_global, random_keys(N, **sizes, seed=seed))


def positions() -> RotaryPositions:
    """With a base above the usual 10,000 most of a head's eight pairs turn slowly: a word is known from afar."""
    return RotaryPositions(base=100_000.0)


def new_model(
    kind: str,
    seed: int = 0,
    num_blocks: int = NUM_BLOCKS,
    d_ff: int = D_FF,
    short: int = SHORT,
    from_identity: bool = False,
    **changes: int,
) -> PageReader:
    """One of KINDS, untrained. `changes`: other sizes of its pattern, as in `pattern_mask`.

    from_identity: Linformer's E and F begin as the identity, so that each of the first `short` words has a key.
    """
    one_of("kind", kind, KINDS)

    def block() -> Block:
        options = dict(positions=positions())
        if kind == "Linformer":
            attention = LinformerAttention(D_MODEL, NUM_HEADS, N, short, **options)
            if from_identity:
                nn.init.eye_(attention.E)
                nn.init.eye_(attention.F)
        elif kind == "compressed":
            attention = CompressedAttention(D_MODEL, NUM_HEADS, STRIDE, **options)
        else:
            attention = MultiHeadAttention(D_MODEL, NUM_HEADS, **options)
        experts = Experts(D_MODEL, d_ff, NUM_EXPERTS) if kind == "experts" else None
        return Block(D_MODEL, NUM_HEADS, d_ff, attention=attention, feed_forward=experts)

    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return PageReader(
            [block() for _ in range(num_blocks)], pattern_mask(kind, seed, **changes) if kind in PATTERNS else None
        )


def loss(model: PageReader, batch: Pages, questions: Sequence[str] = QUESTIONS) -> Float[Tensor, ""]:
    """The sum of the questions' cross-entropies, in nats, and a hundredth of the balance losses of experts."""
    logits = model(batch.words, batch.inks)
    value = sum(cross_entropy(logits[question], batch.answers[question]) for question in questions)
    with_experts = any(isinstance(module, Experts) for module in model.modules())
    return value + 0.01 * balance_losses(model) if with_experts else value


def batches(seed: int, n: int = N) -> Iterator[Pages]:
    """New pages without end."""
    generator = torch.Generator().manual_seed(seed)
    return (pages(BATCH_SIZE, generator, n) for _ in count())


def train(
    model: PageReader,
    steps: int = STEPS,
    *,
    seed: int = 0,
    rate: float = 1.0,
    questions: Sequence[str] = QUESTIONS,
    stop: int | None = None,
    n: int = N,
    autocast: str | None = "auto",
    **options,
) -> list[float]:
    """Muon and AdamW at `rate` times MUON and ADAMW, falling in a line over the last 60 %; each step's loss.

    stop: end after so many steps, with the schedule of them all. n: the pages' length. options: what else `fit` takes.
    """
    optimizer = muon_and_adamw(model, rate * MUON, rate * ADAMW)
    schedule = scheduled(optimizer, lambda step: min(1.0, step / WARMUP, 2.5 * (1 - step / steps) + 0.02))
    stream = batches(seed + 1, n)
    return fit(
        model, islice(stream, stop), lambda batch: loss(model, batch, questions), steps, optimizer, schedule,
        seed=seed, autocast=autocast, **options,
    )  # fmt: skip


@torch.no_grad()
def accuracy(model: PageReader, count: int = 64, seed: int = 10_000) -> dict[str, float]:
    """The share of right answers to each question, on pages that no training has. Chance: an eighth."""
    held = pages(count, torch.Generator().manual_seed(seed))
    logits = model(held.words, held.inks)
    right = {}
    for question, wanted in held.answers.items():
        asked = wanted != IGNORE_INDEX
        right[question] = (logits[question].argmax(-1) == wanted)[asked].float().mean().item()
    return right


def commonest_ink(count: int = 64, seed: int = 10_000) -> dict[str, float]:
    """The accuracy of naming each page's commonest ink, whatever is asked, on the same pages."""
    held = pages(count, torch.Generator().manual_seed(seed))
    said = F.one_hot(held.inks, INKS).sum(1).argmax(1)[:, None]
    asked = {question: wanted != IGNORE_INDEX for question, wanted in held.answers.items()}
    return {q: (said == wanted)[asked[q]].float().mean().item() for q, wanted in held.answers.items()}


# --- the stored runs: about twenty minutes of one CPU thread ----------------------------------------------------------

SEEDS = range(5)
MEASURED_EVERY = 50


def run(
    kind: str,
    seed: int,
    steps: int = STEPS,
    rate: float = 1.0,
    questions: Sequence[str] = QUESTIONS,
    mixing: float = 1.0,
    **changes: int,
) -> dict:
    """One training, measured on its way; its first row is the untrained model.

    mixing: the share of each step that Linformer's E and F really make.
    """
    model = new_model(kind, seed, **changes)
    slow = _slowed(model, mixing)
    rounded = lambda: {question: round(share, 4) for question, share in accuracy(model).items()}  # noqa: E731
    watch = Watch(range(0, steps + 1, MEASURED_EVERY), lambda: {"accuracy": rounded()})

    def between(step: int) -> None:
        slow()
        watch(step)

    train(model, steps, seed=seed, rate=rate, questions=questions, autocast="bf16", between=between, progress=False)
    made = {"kind": kind, "seed": seed, "steps": steps, "rate": rate, "questions": list(questions)} | changes
    made |= {} if mixing == 1 else {"mixing": mixing}
    made["parameters"] = sum(parameter.numel() for parameter in model.parameters())
    used = [[round(share, 3) for share in m.used.tolist()] for m in model.modules() if isinstance(m, Experts)]
    return made | ({"used": used} if used else {}) | {"history": watch.rows}


def _slowed(model: PageReader, share: float) -> Callable[[], None]:
    """To be called after each step: takes back all but this share of what the step did to E and F."""
    mixings = [each for name, each in model.named_parameters() if share != 1 and name.endswith((".E", ".F"))]
    before = [each.detach().clone() for each in mixings]

    @torch.no_grad()
    def slow() -> None:
        for mixing, old in zip(mixings, before, strict=True):
            old.lerp_(mixing, share)
            mixing.copy_(old)

    return slow


def _patterns() -> Iterator[dict]:
    return (run(kind, seed) for seed in SEEDS for kind in KINDS)


def _more_global() -> Iterator[dict]:
    """With 64 the whole first half of the page is global."""
    return (run("Big Bird", 0, num_global=num_global) for num_global in (16, 64))


def _short_is_n() -> Iterator[dict]:
    """As many short keys as words: nothing need be lost. Where E and F stay the identity it is full attention."""
    yield run("Linformer", 0, short=N)
    yield from (run("Linformer", 0, mixing=mixing, short=N, from_identity=True) for mixing in (1.0, 1 / 30, 0.0))


def _slow_mixing() -> Iterator[dict]:
    """E and F that change ten times as slowly."""
    yield run("Linformer", 0, mixing=0.1)


def _far_alone() -> Iterator[dict]:
    return (run(kind, 0, questions=("far",)) for kind in ("full", "Big Bird"))


def _six_blocks() -> Iterator[dict]:
    """Six windows of 16 reach from one end of the page almost to the other."""
    yield run("window", 0, num_blocks=6)


def _half_rate() -> Iterator[dict]:
    return (run(kind, 0, rate=0.5) for kind in ("window", "Big Bird", "Linformer", "compressed"))


def _wide(rate: float = 1.0) -> Iterator[dict]:
    """As many parameters as all experts together, in one feed-forward network."""
    return (run("full", seed, rate=rate, d_ff=NUM_EXPERTS * D_FF) for seed in SEEDS[:3])


def _longer() -> Iterator[dict]:
    yield run("compressed", 0, 3 * STEPS)


SECTIONS = {
    "patterns": _patterns,
    "more global": _more_global,
    "short is n": _short_is_n,
    "slow mixing": _slow_mixing,
    "far alone": _far_alone,
    "six blocks": _six_blocks,
    "half rate": _half_rate,
    "wide": _wide,
    "wide, half rate": partial(_wide, 0.5),
    "longer": _longer,
}


def stored_runs() -> dict[str, list[dict]]:
    """The runs of data/patterns_runs.json, by section: "patterns", and the controls."""
    return read_runs(STORED)


if __name__ == "__main__":
    command("Train lesson 16's readers of pages and keep what was measured.", STORED, SECTIONS)
