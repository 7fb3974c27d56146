"""Lesson 13's GPT, pretrained on the tiny world in a minute and a half of one CPU core.

    world = tiny_world(seed=0)
    model = new_model(seed=0)
    train(model, world.train, seed=0)
    accuracies(model, world)                           # {"trivia": …, "syntax": …, …}
    complete(model, "lucia dropped the cup because")   # writes on

`python -m course_lib.experiments.tiny_gpt` remakes data/tiny_gpt_runs.json; its card is data/tiny_gpt_runs.md.
"""

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib import decoding
from course_lib.corpora.tiny_world import Paragraph, Probe, World, score, tiny_world, world_vocabulary
from course_lib.corpora.vocabulary import END_ID, START, START_ID
from course_lib.experiments import language_models
from course_lib.experiments.language_models import RecurrentLM, Trigram, Watch, after, mean_loss, remake, small_gpt
from course_lib.gpt import GPT
from course_lib.support.paths import DATA

STORED = DATA / "tiny_gpt_runs.json"
STEPS, SIZE = 1200, 64
LONGEST = 60  # words that a continuation may have


def new_model(seed: int = 0, **changes) -> GPT:
    """Untrained: three layers, four heads, 128 numbers a word. `changes`: other sizes than `language_models.SIZES`."""
    return small_gpt(len(world_vocabulary()), seed, **changes)


def encoded(paragraphs: Sequence[Paragraph]) -> list[list[int]]:
    """Each paragraph's ids, without marks."""
    vocabulary = world_vocabulary()
    return [vocabulary.encode(paragraph.text.split()) for paragraph in paragraphs]


def train(model: torch.nn.Module, paragraphs: Sequence[Paragraph], steps: int = STEPS, *, size: int = SIZE, **options):
    """Returns every step's loss. `options` as in `language_models.train`."""
    return language_models.train(model, encoded(paragraphs), steps, size=size, **options)


# --- using it ---------------------------------------------------------------------------------------------------------


def next_words(model: Callable, beginnings: Sequence[str]) -> Float[Tensor, "text vocab"]:
    """The probabilities of the word that follows each of these beginnings; the empty one is a paragraph's start."""
    vocabulary = world_vocabulary()
    return after(model, [vocabulary.encode(text.split()) if text.strip() else [] for text in beginnings])


def accuracies(model: Callable, world: World) -> dict[str, float]:
    """For each phenomenon the share of held-out probes whose likeliest word is an accepted one; `before` is all it reads."""
    return score(world.probes, lambda probes: next_words(model, [p.before for p in probes]), left_to_right=True)


def prompt(text: str) -> Tensor:
    """(1, n): the start mark and the words of the text."""
    words = text.lower().split()
    return torch.tensor([world_vocabulary().encode([START, *words])])


def complete(model: GPT, text: str = "", *, greedy: bool = False, seed: int = 0, max_len: int = LONGEST, **options) -> str:
    """The text as the model writes it on, up to its end mark; `options` as in `decoding.sample`."""
    start = prompt(text)
    if greedy:
        (written,) = decoding.greedy(model.next_token(), start, END_ID, max_len)
    else:
        generator = torch.Generator().manual_seed(seed)
        (written,) = decoding.sample(model.next_token(), start, END_ID, max_len, generator=generator, **options)
    return " ".join([*text.split(), *world_vocabulary().decode(written.ids)])


@dataclass(frozen=True)
class Look:
    """A text's words, the start mark in front, and where each looked."""

    words: list[str]
    weights: Float[Tensor, "layer head query key"]


@torch.no_grad()
def look(model: GPT, text: str) -> Look:
    """All attention on the way through a text."""
    _, weights = model(prompt(text), need_weights=True)
    return Look([START, *text.lower().split()], weights[0])


@torch.no_grad()
def mass_on_antecedent(model: GPT, probes: Sequence[Probe]) -> Float[Tensor, "layer head"]:
    """How much each head gives, on average, to the word that decides, from the place where the blank's word is said."""
    total = 0.0
    for probe in probes:
        total = total + look(model, probe.before).weights[:, :, -1, probe.antecedent_place + 1]  # the start mark is 0
    return total / len(probes)
