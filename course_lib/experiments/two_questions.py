"""The experiment of lesson 03: two questions at each word, which one head can't answer and two half as wide can.

    model, losses = train(num_heads=2, seed=0)
    accuracy(model)                               # {"before": 1.0, "first": 1.0, "both": 1.0}

A text is eight words drawn at random. At each word but the first two: which word stands before it, and which is the
text's first? Behind the heads nothing bends: a matrix reads each answer off their output. About a second a run.
"""

from collections.abc import Iterator

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.attention import MultiHeadAttention
from course_lib.support.messages import one_of
from course_lib.training import cross_entropy, fit

NUM_WORDS, LENGTH = 16, 8
QUESTIONS = ("before", "first")

Texts = tuple[Int[Tensor, "batch n"], dict[str, Int[Tensor, "batch m"]]]  # words; each question's answers, m = n − 2


def texts(batch: int, generator: torch.Generator) -> Texts:
    """Words, and for each but the first two the word before it and the first of its text."""
    ids = torch.randint(NUM_WORDS, (batch, LENGTH), generator=generator)
    return ids, {"before": ids[:, 1:-1], "first": ids[:, :1].expand(-1, LENGTH - 2)}


class TwoQuestions(nn.Module):
    """One layer of attention over a text, and for each question a matrix that reads it.

    Queries and keys are made of places, values of words: the weights are the same in every text. With
    `places_only=False` all three are made of words with their places added, as in any Transformer.
    """

    def __init__(self, d_model: int, num_heads: int, places_only: bool = True):
        super().__init__()
        self.places_only = places_only
        self.word = nn.Embedding(NUM_WORDS, d_model)
        self.place = nn.Parameter(torch.randn(LENGTH, d_model))
        self.attention = MultiHeadAttention(d_model, num_heads, bias=False)
        self.readers = nn.ModuleDict({question: nn.Linear(d_model, NUM_WORDS) for question in QUESTIONS})

    def forward(
        self, ids: Int[Tensor, "batch n"]
    ) -> tuple[dict[str, Float[Tensor, "batch m word"]], Float[Tensor, "batch head n n"]]:
        """For each question logits at each word but the first two; and the weights."""
        words = self.word(ids)
        x = self.place.expand_as(words) if self.places_only else words + self.place
        found, weights = self.attention(x, x, words if self.places_only else x, need_weights=True)
        return {question: reader(found[:, 2:]) for question, reader in self.readers.items()}, weights


def train(
    num_heads: int,
    seed: int,
    d_model: int = 32,
    questions: tuple[str, ...] = QUESTIONS,
    places_only: bool = True,
    steps: int = 600,
    lr: float = 3e-3,
) -> tuple[TwoQuestions, list[float]]:
    """A trained model, and its loss (nats, the questions' losses added up) at each step."""
    for question in questions:
        one_of("questions", question, QUESTIONS)
    torch.manual_seed(seed)
    model = TwoQuestions(d_model, num_heads, places_only)
    optimizer = torch.optim.AdamW(model.parameters(), lr, betas=(0.9, 0.98))

    def loss(batch: Texts) -> Tensor:
        ids, answers = batch
        logits, _ = model(ids)
        return sum(cross_entropy(logits[question], answers[question]) for question in questions)

    return model, fit(model, _batches(64, seed), loss, steps, optimizer, progress=False)


def _batches(size: int, seed: int) -> Iterator[Texts]:
    generator = torch.Generator().manual_seed(seed)
    while True:
        yield texts(size, generator)


@torch.no_grad()
def accuracy(model: TwoQuestions, count: int = 1000, seed: int = 10_000) -> dict[str, float]:
    """On new texts the share of right answers to each question, and of places where both are right."""
    ids, answers = texts(count, torch.Generator().manual_seed(seed))
    logits, _ = model(ids)
    right = {question: logits[question].argmax(-1) == answers[question] for question in QUESTIONS}
    right["both"] = right["before"] & right["first"]
    return {name: each.float().mean().item() for name, each in right.items()}
