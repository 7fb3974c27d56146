"""The feast: "it was october in velm … soon it was halloween". What is right is decided by one word far back.

Lesson 13 asks three models for the feast: a trigram, a GRU and a GPT, by distance and by training time. `travellers`
asks for more: several people, each with a month of their own, and only at the end who is meant.
`python -m course_lib.experiments.feast` remakes data/feast_runs.json; its card is data/feast_runs.md.
"""

import argparse
import json
import math
import random
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from course_lib.corpora.batching import pad
from course_lib.corpora.vocabulary import END, PAD_ID, START, Vocabulary
from course_lib.experiments.rivals import RecurrentLM, Trigram
from course_lib.gpt import GPT, GPTConfig
from course_lib.support.paths import DATA
from course_lib.training import cosine_decay, cross_entropy, fit, muon_and_adamw, scheduled

STORED = DATA / "feast_runs.json"
FEASTS = {
    "october": "halloween", "july": "independence", "december": "christmas",
    "april": "easter", "february": "carnival", "november": "thanksgiving",
}  # fmt: skip
MONTHS = list(FEASTS)
PEOPLE = "alba bruno cleo dario edda felix gita hugo ines jonas kira lars mona nils olga pablo".split()
TOWNS = "velm arden toska brill corran dunmor ostry pellin quern sable tarnow ulst".split()
THINGS = "lamp letter coat basket clock ladder kettle drum boat ring saddle mirror".split()
CUES = ("it was {month} in {town} .", "in {month} {person} came to {town} .", "{person} saw {town} in {month} .")
ENDS = ("soon it was {feast} .", "now the people there celebrate {feast} .", "everyone was happy because of {feast} .")
GAPS = (
    "{person} met {other} by the river .", "{person} bought a {thing} and sold it again .", "{person} was tired .",
    "the {thing} of {person} was old .", "{person} gave the {thing} to {other} .", "it rained all day .",
    "{person} asked {other} for a {thing} .", "the road to {town} was long .", "{person} sang .", "then it was quiet .",
    "{person} and {other} walked to {town} .", "there was a {thing} in the house of {person} .", "a dog barked .",
)  # fmt: skip
OTHERS = ("{person} was born in {month} .", "the letter was from last {month} .", "the shop was closed until {month} .")
OTHER_MONTH = 0.1  # how often a sentence between names a month that decides nothing
SHORTEST, LONGEST = 3, 100
DISTANCES = (3, 6, 10, 20, 40, 70, 100)


@dataclass(frozen=True)
class Story:
    """The feast asked for is words[place]; the month that decides it stands `distance` words before."""

    words: tuple[str, ...]
    place: int
    month: str
    distance: int


def held_out(month: str, town: str) -> bool:
    """An eighth of all pairs, which no story to train on has."""
    return zlib.crc32(f"{month} {town}".encode()) % 8 == 0


def story(rng: random.Random, test: bool = False, distance: int | None = None) -> Story:
    """`distance` words between month and feast, or a few less; unless given, even on a logarithmic scale, 3 to 100."""
    pairs = [(month, town) for month in MONTHS for town in TOWNS if held_out(month, town) == test]
    month, town = rng.choice(pairs)
    wanted = distance or round(SHORTEST * (LONGEST / SHORTEST) ** rng.random())
    start = between(rng, rng.randint(0, 10))
    if wanted < 6:
        words = [*start, *f"in {town} in {month} people celebrate {FEASTS[month]} .".split()]
        return Story(tuple(words), len(start) + 6, month, 3)
    cue, end = _fill(rng, rng.choice(CUES), month=month, town=town), _fill(rng, rng.choice(ENDS), feast=FEASTS[month])
    from_month, to_feast = len(cue) - cue.index(month), end.index(FEASTS[month])
    gap = between(rng, wanted - from_month - to_feast)
    place = len(start) + len(cue) + len(gap) + to_feast
    return Story((*start, *cue, *gap, *end), place, month, from_month + len(gap) + to_feast)


def between(rng: random.Random, count: int) -> list[str]:
    """Sentences of `count` words in all, or a few less."""
    words = []
    while True:
        new = _fill(rng, rng.choice(OTHERS if rng.random() < OTHER_MONTH else GAPS))
        if len(words) + len(new) > count:
            return words + _fill(rng, "{person} sang .") * (count - len(words) >= 3)
        words += new


def _fill(rng: random.Random, sentence: str, **given: str) -> list[str]:
    person, other = rng.sample(PEOPLE, 2)
    drawn = dict(person=person, other=other, town=rng.choice(TOWNS), thing=rng.choice(THINGS), month=rng.choice(MONTHS))
    return sentence.format(**drawn | given).split()


# --- several people, each with a month --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Travellers:
    """Each of `places` holds a feast that the month of the person before decides; `people` came in all."""

    words: tuple[str, ...]
    places: tuple[int, ...]
    people: int


def travellers(rng: random.Random, people: int | None = None, gap: int = 6) -> Travellers:
    """ "alba came in october . … bruno came in july . … now alba celebrates halloween ." One to four people, all asked."""
    people = people or rng.randint(1, 4)
    names = rng.sample(PEOPLE, people)
    months = dict(zip(names, rng.sample(MONTHS, people)))
    words, places = [], []
    for name in names:
        words += [*between_people(rng, gap), name, "came", "in", months[name], "."]
    for name in rng.sample(names, people):
        words += [*between_people(rng, gap), "now", name, "celebrates"]
        places.append(len(words))
        words += [FEASTS[months[name]], "."]
    return Travellers(tuple(words), tuple(places), people)


def between_people(rng: random.Random, longest: int) -> list[str]:
    """Like `between`, without names and months: they would be people and months of the story."""
    sentence = rng.choice(("", "", "it rained all day .", "then it was quiet .", "a dog barked .", "the road was long ."))
    return sentence.split()[: longest or None] if longest else []


# --- the models -------------------------------------------------------------------------------------------------------


def vocabulary(texts: Sequence[Sequence[str]]) -> Vocabulary:
    return Vocabulary.of_texts(texts)


def ids_of(words: Vocabulary, text: Sequence[str], end: bool = True) -> list[int]:
    """With the start mark, and the end mark."""
    return words.encode([START, *text, *[END] * end])


def new_model(kind: str, vocab_size: int, seed: int, layers: int = 2) -> nn.Module:
    """"GRU" or "GPT", untrained, of about half a million parameters."""
    torch.manual_seed(seed)
    if kind == "GRU":
        return RecurrentLM(vocab_size)
    model = GPT(GPTConfig(vocab_size, d_model=128, num_heads=4, num_layers=layers, d_ff=512, max_len=160, dropout=0.0))
    for block in model.blocks:  # each block begins as the identity
        nn.init.zeros_(block.attention.W_O.weight)
        nn.init.zeros_(block.feed_forward.W_2.weight)
    return model


def optimizer_of(model: nn.Module, rate: float) -> torch.optim.Optimizer:
    """The GRU's is AdamW; the GPT's is Muon with the same `rate` × 5 beside it."""
    if isinstance(model, RecurrentLM):
        return torch.optim.AdamW(model.parameters(), rate, betas=(0.9, 0.98), weight_decay=0.01, fused=True)
    return muon_and_adamw(model, 5 * rate, rate)


def batches(rows: Sequence[Sequence[int]], size: int, seed: int) -> Iterator[Tensor]:
    """Rows of about equal length together, without end."""
    rng = random.Random(seed)
    while True:
        pool = sorted(rng.sample(rows, min(len(rows), 16 * size)), key=len)
        parts = [pool[i : i + size] for i in range(0, len(pool), size)]
        rng.shuffle(parts)
        for part in parts:
            yield pad(part)[0]


def train(
    model: nn.Module, rows: Sequence[Sequence[int]], steps: int, rate: float, seed: int,
    between: Callable[[int], None] | None = None, size: int = 16, **options,
) -> list[float]:  # fmt: skip
    """A cosine over `steps`; returns every step's loss. `between` is called with the number of steps made."""
    optimizer = optimizer_of(model, rate)
    gpt = isinstance(model, GPT)

    def loss(ids: Tensor) -> Tensor:
        logits, _ = model(ids[:, :-1], need_weights=True) if gpt else model(ids[:, :-1])
        return cross_entropy(logits.float(), ids[:, 1:], ignore_index=PAD_ID)

    def stream() -> Iterator[Tensor]:
        for step, ids in enumerate(batches(rows, size, seed)):
            if between is not None:
                between(step)
            yield ids

    schedule = scheduled(optimizer, lambda step: cosine_decay(step, steps, warmup=min(30, steps), lowest=0.05))
    losses = fit(model, stream(), loss, steps, optimizer, schedule, clip=1.0, seed=seed,
                 autocast="bf16" if gpt else None, **options)  # fmt: skip
    if between is not None:
        between(steps)
    return losses


@torch.no_grad()
def probability(model, words: Vocabulary, texts: Sequence[Sequence[str]], places: Sequence[int]) -> tuple[Tensor, Tensor]:
    """Of the word at each text's place, when all before it has been read; and whether no word is likelier."""
    p, first = [], []
    for text, place in zip(texts, places, strict=True):
        logits, _ = model(torch.tensor([ids_of(words, text[:place], end=False)]))
        shares = logits[0, -1].softmax(-1)
        right = words.ids[text[place]]
        p.append(shares[right])
        first.append(shares.argmax() == right)
    return torch.stack(p), torch.stack(first)


@torch.no_grad()
def mean_loss(model, rows: Sequence[Sequence[int]], size: int = 64) -> float:
    """Nats a word, the end mark counted, over these rows."""
    total, count, rows = 0.0, 0, sorted(rows, key=len)
    for i in range(0, len(rows), size):
        ids, _ = pad(rows[i : i + size])
        logits, _ = model(ids[:, :-1])
        n = int((ids[:, 1:] != PAD_ID).sum())
        total += cross_entropy(logits, ids[:, 1:], ignore_index=PAD_ID).item() * n
        count += n
    return total / count
