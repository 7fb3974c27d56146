"""Lesson 13's GPT, pretrained on the tiny world in a minute and a half of one CPU core.

    world = tiny_world(seed=0)
    model = new_model(seed=0)
    train(model, world.train, seed=0)
    accuracies(model, world)                           # {"trivia": …, "syntax": …, …}
    complete(model, "lucia bought a")                # writes on

`python -m course_lib.experiments.tiny_gpt` remakes data/tiny_gpt_runs.json; its card is data/tiny_gpt_runs.md.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import process_time

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib import decoding
from course_lib.checkpoints import load_model
from course_lib.corpora.tiny_world import Paragraph, Probe, World, scenes, score, tiny_world, world_vocabulary
from course_lib.corpora.tiny_world.telling import Story, held_out
from course_lib.corpora.tiny_world.words import PEOPLE, ROLES, he
from course_lib.corpora.vocabulary import END_ID, START
from course_lib.experiments import language_models
from course_lib.experiments.language_models import RecurrentLM, Trigram, after, mean_loss, small_gpt, text_ids
from course_lib.experiments.stored import Watch, command, read_runs
from course_lib.gpt import GPT, GPTConfig
from course_lib.support.paths import DATA

STORED, CHECKPOINT = DATA / "tiny_gpt_runs.json", DATA / "tiny_gpt.safetensors"
STEPS, SIZE = 1200, 64  # about 80 seconds of a free core
LIVE_STEPS = 600  # that a student waits for
LONGEST = 60  # words that a continuation may have


def new_model(seed: int = 0, **changes) -> GPT:
    """Untrained: three layers, four heads, 128 numbers a word. `changes`: other sizes than `language_models.SIZES`."""
    return small_gpt(len(world_vocabulary()), seed, **changes)


def pretrained(path: str | Path = CHECKPOINT) -> GPT:
    """The one of `python -m course_lib.pretrain gpt`, trained longer; data/tiny_gpt.md is its card.

    path: another that this command has made. Raises CourseError where there is none.
    """
    return load_model(path, lambda config: GPT(GPTConfig(**config)))


def encoded(paragraphs: Sequence[Paragraph]) -> list[list[int]]:
    """Each paragraph's ids, without marks."""
    vocabulary = world_vocabulary()
    return [vocabulary.encode(paragraph.text.split()) for paragraph in paragraphs]


def train(
    model: torch.nn.Module, paragraphs: Sequence[Paragraph], steps: int = STEPS, *, seed: int = 0, **options
) -> list[float]:
    """SIZE paragraphs a step; returns every step's loss. `options` as in `language_models.train`."""
    return language_models.train(model, text_ids(encoded(paragraphs), SIZE, seed), steps, seed=seed, **options)


# --- using it ---------------------------------------------------------------------------------------------------------


def next_words(model: Callable, beginnings: Sequence[str]) -> Float[Tensor, "text vocab"]:
    """The probabilities of the word that follows each of these beginnings; the empty one is a paragraph's start."""
    vocabulary = world_vocabulary()
    return after(model, [vocabulary.encode(text.split()) if text.strip() else [] for text in beginnings])


def accuracies(model: Callable, world: World) -> dict[str, float]:
    """The share of held-out probes, by phenomenon, whose likeliest next word is accepted; `before` is all it reads."""
    return score(world.probes, lambda probes: next_words(model, [p.before for p in probes]), left_to_right=True)


def prompt(text: str) -> Tensor:
    """(1, n): the start mark and the words of the text."""
    words = text.lower().split()
    return torch.tensor([world_vocabulary().encode([START, *words])])


def complete(
    model: GPT, text: str = "", *, greedy: bool = False, seed: int = 0, max_len: int = LONGEST, **options
) -> str:
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


# --- who is meant? ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Because:
    """ "kofi hid from mei because": he. "kofi thanked mei because": she. One man, one woman, and a pronoun to come."""

    text: str
    people: tuple[str, str]  # in the order in which they are named
    meant: int  # which of the two the pronoun stands for, 0 or 1

    @property
    def places(self) -> tuple[int, ...]:
        """Of the two, the start mark counted."""
        return tuple([START, *self.text.split()].index(person) for person in self.people)

    @property
    def altered(self) -> "Because":
        """The same verb, but one word less or more between the names: "hid mei", "thanked to mei"."""
        words = self.text.split()
        verb = words.index(self.people[0]) + 1
        words[verb + 1 : -2] = [] if self.meant == 0 else ["to"]
        return replace(self, text=" ".join(words))


def because(count: int = 60, seed: int = 0) -> tuple[list[Because], list[Because]]:
    """So many in which the one named first is meant, and so many with the second; training has none of these pairs."""
    rng, found = random.Random(seed), ({}, {})
    while min(map(len, found)) < count:
        story = Story(rng, "two people")
        scenes.two_people(story)
        for blank in story.blanks:
            probe = Paragraph(tuple(story.sentences), story.scene, tuple(story.blanks)).probe(*blank)
            people = tuple(word for word in probe.before.split() if word in {*PEOPLE, *ROLES})
            if probe.before.endswith("because") and len(people) == 2 and all(map(held_out, blank[-1].needs)):
                meant = people.index(probe.antecedent)
                found[meant][probe.before] = Because(probe.before, people, meant)
    return tuple(list(each.values())[:count] for each in found)


def mass_on_the_two(model: GPT, asked: Sequence[Because]) -> Float[Tensor, "2 layer head"]:
    """How much each head gives, on average, to the one named first and to the other, from the place of "because"."""
    rows = [look(model, each.text).weights[:, :, -1, list(each.places)] for each in asked]
    return torch.stack(rows).mean(0).movedim(-1, 0)


def means(model: Callable, asked: Sequence[Because]) -> list[int]:
    """0 where the pronoun of the one named first is the likelier next word, 1 where the other's is."""
    shares = next_words(model, [each.text for each in asked])
    ids = torch.tensor([world_vocabulary().encode([he(person) for person in each.people]) for each in asked])
    return shares.gather(1, ids).argmax(1).tolist()


# --- the stored runs: about fourteen minutes of one CPU thread --------------------------------------------------------

SEEDS = range(3)
MEASURED = (100, 200, 300, 400, 600, 900, 1200)


def measured(model: Callable, world: World, held_out: Sequence[Sequence[int]]) -> dict:
    """The loss on held-out text, and the accuracy on each phenomenon."""
    shares = {phenomenon: round(share, 4) for phenomenon, share in accuracies(model, world).items()}
    return {"loss": round(mean_loss(model, held_out), 4), "accuracy": shares}


def _runs_of(kind: str) -> Iterator[dict]:
    for seed in SEEDS:
        world = tiny_world(seed, probes=100)
        held_out = encoded(world.held_out_text[:200])
        model = new_model(seed) if kind == "GPT" else RecurrentLM(len(world_vocabulary()), seed=seed)
        watch = Watch(MEASURED, lambda model=model, asked=(world, held_out): measured(model, *asked))
        train(model, world.train, seed=seed, autocast="bf16" if kind == "GPT" else None, between=watch, progress=False)
        run = {"seed": seed, "parameters": sum(p.numel() for p in model.parameters()), "history": watch.rows}
        yield run | ({"heads": heads(model, world)} if kind == "GPT" else {})


def _trigram() -> Iterator[dict]:
    for seed in SEEDS:
        world, start = tiny_world(seed, probes=100), process_time()
        trigram = Trigram(encoded(world.train), len(world_vocabulary()))
        run = {"seed": seed, "cpu_seconds": round(process_time() - start, 1)}
        yield run | measured(trigram, world, encoded(world.held_out_text[:200]))


def heads(model: GPT, world: World, count: int = 60) -> dict[str, list[list[float]]]:
    """For each phenomenon `mass_on_antecedent`, (layer, head)."""
    found = {}
    for phenomenon, probes in world.probes.items():
        asked = [probe for probe in probes if probe.antecedent_place < probe.place][:count]
        if asked:
            found[phenomenon] = [[round(x, 3) for x in row] for row in mass_on_antecedent(model, asked).tolist()]
    return found


def _because() -> Iterator[dict]:
    """The model of the lesson, after as many steps as there: is the verb understood, or are words counted?"""
    asked = because()
    for seed in SEEDS:
        model = new_model(seed)
        train(model, tiny_world(seed).train, LIVE_STEPS, seed=seed, autocast="bf16", progress=False)
        mass = torch.stack([mass_on_the_two(model, each) for each in asked])  # (meant, named, layer, head)
        told_apart = torch.minimum(mass[0, 0] - mass[0, 1], mass[1, 1] - mass[1, 0])
        layer, head = divmod(int(told_apart.argmax()), told_apart.shape[1])
        yield {
            "seed": seed,
            "right": [_share(means(model, each), meant) for meant, each in enumerate(asked)],
            "altered": [_share(means(model, [a.altered for a in each]), meant) for meant, each in enumerate(asked)],
            "head": [layer, head],
            "mass": [[round(x, 3) for x in row] for row in mass[..., layer, head].tolist()],
        }


def _share(said: Sequence[int], meant: int) -> float:
    return round(said.count(meant) / len(said), 4)


SECTIONS = {"GPT": partial(_runs_of, "GPT"), "trigram": _trigram, "GRU": partial(_runs_of, "GRU"), "because": _because}


def stored_runs() -> dict[str, list[dict]]:
    """The runs of data/tiny_gpt_runs.json, by section: GPT, trigram, GRU, because."""
    return read_runs(STORED)


if __name__ == "__main__":
    command("Pretrain lesson 13's models and keep what was measured.", STORED, SECTIONS)
