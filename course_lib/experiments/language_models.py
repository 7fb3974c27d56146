"""Three ways to say the next word: a trigram, which counts; a GRU, which carries all it has read in one vector; a GPT.

    model = small_gpt(len(vocabulary), seed=0)                     # or RecurrentLM(len(vocabulary))
    losses = train(model, text_ids(texts, 16, seed=0), steps=500)  # texts: lists of ids, marks not yet among them
    mean_loss(model, held_out)                                     # nats for each token; a Trigram is asked alike

Lesson 13's experiments (`feast`, `tiny_gpt`, `docs_gpt`) train and measure with these.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.optim import Optimizer

from course_lib.corpora.batching import bucketed, pad
from course_lib.corpora.vocabulary import END_ID, PAD_ID, START_ID
from course_lib.gpt import GPT, GPTConfig
from course_lib.training import cosine_decay, fit, muon_and_adamw, scheduled

Texts = Sequence[Sequence[int]]
Logits = Float[Tensor, "batch n vocab"]

SIZES = dict(d_model=128, num_heads=4, d_ff=512, num_layers=3, max_len=160, dropout=0.0)
RATES = {"GPT": 2e-3, "GRU": 8e-3}  # AdamW's; Muon's is five times as high
SHARES = (0.1, 0.3, 0.6)  # that a trigram gives to one word, to two, to three


class Trigram:
    """P(w | u v) = .6 count(u v w) / count(u v) + .3 count(v w) / count(v) + .1 count(w) / all. Counted once, no steps.

    Jelinek and Mercer (1980) interpolate so: three words that never stood together still get something. What has never
    been followed by anything leaves its share to the shorter context; every word has a tenth of a count for a start.
    """

    def __init__(self, texts: Texts, vocab_size: int):
        one = torch.full((vocab_size,), 0.1)
        self.after_one, self.after_two = defaultdict(Counter), defaultdict(Counter)
        for text in texts:
            row = [START_ID, *text, END_ID]
            for u, v, w in zip([PAD_ID, *row], row, row[1:], strict=False):
                one[w] += 1
                self.after_one[v][w] += 1
                self.after_two[u, v][w] += 1
        self.one = one / one.sum()

    def __call__(self, ids: Int[Tensor, "batch n"]) -> tuple[Logits, None]:
        """As a model gives them: logarithms of probabilities are logits, too."""
        rows = [[self._next(u, v) for u, v in zip([PAD_ID, *row], row, strict=False)] for row in ids.tolist()]
        return torch.stack([torch.stack(row) for row in rows]).log(), None

    def _next(self, u: int, v: int) -> Float[Tensor, " vocab"]:
        of_one, of_two, of_three = SHARES
        two, three = self.after_one.get(v), self.after_two.get((u, v))
        if three is None:
            of_two, of_three = of_two + of_three, 0.0
        if two is None:
            of_one, of_two = of_one + of_two, 0.0
        p = of_one * self.one
        for share, counts in ((of_two, two), (of_three, three)):
            if share:
                p[list(counts)] += share * torch.tensor(list(counts.values())) / counts.total()
        return p


class RecurrentLM(nn.Module):
    """Embedding, GRU, a linear map back to the embedding's width; the output table is the input's (tied)."""

    def __init__(self, vocab_size: int, d_model: int = 128, hidden: int = 256, seed: int = 0):
        torch.manual_seed(seed)
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.token.weight, std=0.1)
        self.gru = nn.GRU(d_model, hidden, batch_first=True)
        self.out = nn.Linear(hidden, d_model)
        self.bias = nn.Parameter(torch.zeros(vocab_size))

    def forward(self, ids: Int[Tensor, "batch n"]) -> tuple[Logits, None]:
        return self.logits(self.states(ids)[0]), None

    def states(self, ids: Int[Tensor, "batch n"]) -> tuple[Tensor, None]:
        """(batch, n, d_model); there are no weights."""
        return self.out(self.gru(self.token(ids))[0]), None

    def logits(self, states: Tensor) -> Tensor:
        return F.linear(states, self.token.weight, self.bias)


def small_gpt(vocab_size: int, seed: int = 0, **changes) -> GPT:
    """An untrained GPT of SIZES, or with `changes`. Each block begins as the identity: it learns sooner."""
    torch.manual_seed(seed)
    model = GPT(GPTConfig(vocab_size, **SIZES | changes))
    for block in model.blocks:
        nn.init.zeros_(block.attention.W_O.weight)
        nn.init.zeros_(block.feed_forward.W_2.weight)
    return model


# --- training ---------------------------------------------------------------------------------------------------------


def optimizer_of(model: nn.Module, rate: float | None = None) -> Optimizer:
    """AdamW for a GRU; for a GPT Muon beside it, five times as fast."""
    if isinstance(model, GPT):
        rate = RATES["GPT"] if rate is None else rate
        return muon_and_adamw(model, 5 * rate, rate)
    rate = RATES["GRU"] if rate is None else rate
    return torch.optim.AdamW(model.parameters(), rate, betas=(0.9, 0.98), weight_decay=0.01, fused=True)


def rate_at(step: int, steps: int) -> float:
    """A share of the highest rate: 30 steps of warm-up, then a cosine down to a twentieth."""
    return cosine_decay(step, steps, warmup=min(30, steps), lowest=0.05)


def text_ids(texts: Texts, size: int, seed: int) -> Iterator[Int[Tensor, "batch n"]]:
    """Batches without end of about equally long texts, each between its marks, padded to the longest."""
    rng = random.Random(seed)
    while True:
        for part in bucketed(texts, size, rng, length=len):
            yield pad([[START_ID, *text, END_ID] for text in part])[0]


def next_token_loss(model: nn.Module, ids: Int[Tensor, "batch n"]) -> Float[Tensor, ""]:
    """The mean of −log p of each token after the first, padding left out, in nats; no logits are made for padding."""
    states, _ = model.states(ids[:, :-1])
    wanted = ids[:, 1:]
    kept = wanted != PAD_ID
    return F.cross_entropy(model.logits(states[kept]).float(), wanted[kept])


def train(
    model: nn.Module,
    batches: Iterable[Int[Tensor, "batch n"]],
    steps: int,
    *,
    rate: float | None = None,
    seed: int = 0,
    autocast: str | None = None,
    loss: Callable[[Tensor, Tensor, int], Tensor] | None = None,
    **options,
) -> list[float]:
    """A batch a step, as `text_ids` makes them; returns every step's loss.

    loss: of (logits (batch, n, vocab), ids (batch, n), pad_id), in place of the course's own. options: what else `fit`
    takes.
    """
    optimizer = optimizer_of(model, rate)

    def of_batch(ids: Tensor) -> Tensor:
        if loss is None:
            return next_token_loss(model, ids)
        states, _ = model.states(ids)
        return loss(model.logits(states).float(), ids, PAD_ID)

    return fit(
        model, batches, of_batch, steps, optimizer, scheduled(optimizer, lambda step: rate_at(step, steps)),
        clip=1.0, seed=seed, autocast=autocast, tokens=lambda ids: int((ids[:, 1:] != PAD_ID).sum()), **options,
    )  # fmt: skip


# --- measuring --------------------------------------------------------------------------------------------------------


@torch.no_grad()
def mean_loss(model: Callable, texts: Texts, size: int = 64) -> float:
    """Nats for each token, the end mark counted, over these texts."""
    total, count, ordered = 0.0, 0, sorted(texts, key=len)
    for i in range(0, len(ordered), size):
        ids, _ = pad([[START_ID, *text, END_ID] for text in ordered[i : i + size]])
        kept = ids[:, 1:] != PAD_ID
        logits, _ = model(ids[:, :-1])
        total += F.cross_entropy(logits[kept], ids[:, 1:][kept], reduction="sum").item()
        count += int(kept.sum())
    return total / count


@torch.no_grad()
def after(model: Callable, texts: Texts, size: int = 64) -> Float[Tensor, "text vocab"]:
    """The probabilities of the token that follows each of these beginnings."""
    rows = []
    for i in range(0, len(texts), size):
        part = texts[i : i + size]
        logits, _ = model(pad([[START_ID, *text] for text in part])[0])
        rows.append(logits[range(len(part)), [len(text) for text in part]].softmax(-1))
    return torch.cat(rows)
