"""The feast: "it was october in velm … soon it was halloween". What is right is decided by one word far back.

Lesson 13 asks three models for the feast: a trigram, a GRU and a GPT, by distance and by training time. `travellers`
asks for more: several people, each with a month of their own, and only at the end who is meant.
`python -m course_lib.experiments.feast` remakes data/feast_runs.json; its card is data/feast_runs.md.
"""

import random
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch

from course_lib.corpora.vocabulary import Vocabulary
from course_lib.experiments.language_models import RecurrentLM, Trigram, after, mean_loss, small_gpt, text_ids, train
from course_lib.experiments.stored import Watch, command, read_runs
from course_lib.support.paths import DATA

STORED = DATA / "feast_runs.json"
FEASTS = {
    "october": "halloween", "july": "independence", "december": "christmas",
    "april": "easter", "february": "carnival", "november": "thanksgiving",
}  # fmt: skip
MONTHS = list(FEASTS)
PEOPLE = (
    "alba",
    "bruno",
    "cleo",
    "dario",
    "edda",
    "felix",
    "gita",
    "hugo",
    "ines",
    "jonas",
    "kira",
    "lars",
    "mona",
    "nils",
    "olga",
    "pablo",
)
TOWNS = ("velm", "arden", "toska", "brill", "corran", "dunmor", "ostry", "pellin", "quern", "sable", "tarnow", "ulst")
THINGS = ("lamp", "letter", "coat", "basket", "clock", "ladder", "kettle", "drum", "boat", "ring", "saddle", "mirror")
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
DISTANCES = (3, 10, 20, 40, 70, 100)


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


def travellers(rng: random.Random, people: int | None = None) -> Travellers:
    """ "alba came in october . bruno came in july . now alba celebrates halloween ." One to four people."""
    people = people or rng.randint(1, 4)
    names = rng.sample(PEOPLE, people)
    months = dict(zip(names, rng.sample(MONTHS, people), strict=True))
    words = [word for name in names for word in (name, "came", "in", months[name], ".")]
    places = []
    for name in rng.sample(names, people):
        places.append(len(words) + 3)
        words += ["now", name, "celebrates", FEASTS[months[name]], "."]
    return Travellers(tuple(words), tuple(places), people)


# --- the stored runs: about twelve minutes of one CPU thread ----------------------------------------------------

SEEDS = range(3)
RATES = {"GRU": (8e-3, 4e-3), "GPT": (2e-3, 1e-3)}
STEPS = 600
MEASURED = (50, 100, 150, 200, 250, 300, 350, 400, 500, 600)


def vocabulary() -> Vocabulary:
    """Every word that a story can have, the same for every seed."""
    said = " ".join((*CUES, *ENDS, *GAPS, *OTHERS, "in people celebrate came now celebrates"))
    fixed = {word for word in said.split() if "{" not in word}
    return Vocabulary(sorted(fixed | {*PEOPLE, *TOWNS, *THINGS, *MONTHS, *FEASTS.values()}))


def new_model(kind: str, seed: int) -> torch.nn.Module:
    """A "GRU" or a "GPT" of two layers, untrained."""
    vocab_size = len(vocabulary())
    return RecurrentLM(vocab_size, seed=seed) if kind == "GRU" else small_gpt(vocab_size, seed, num_layers=2)


def of_the_right_feast(model: Callable, texts: Sequence[tuple[Sequence[str], int]]) -> dict[str, float]:
    """Of (words, place of the feast): the mean probability of the right one, and how often none is likelier."""
    words = vocabulary()
    shares = after(model, [words.encode(text[:place]) for text, place in texts])
    right = torch.tensor(words.encode([text[place] for text, place in texts]))
    p = shares.gather(1, right[:, None])
    return {"p": round(p.mean().item(), 4), "first": round((shares.argmax(1) == right).float().mean().item(), 4)}


def tests(count: int = 60, seed: int = 99) -> dict[int, list[Story]]:
    """For each distance stories with pairs of month and town that none was trained on."""
    rng = random.Random(seed)
    return {distance: [story(rng, True, distance) for _ in range(count)] for distance in DISTANCES}


def _distance() -> Iterator[dict]:
    """One month, one feast: by distance, and while they learn."""
    words, tested, rng = vocabulary(), tests(), random.Random(98)
    plain = [words.encode(story(rng, test=True).words) for _ in range(200)]

    def measure(model) -> dict:
        found = {d: of_the_right_feast(model, [(s.words, s.place) for s in part]) for d, part in tested.items()}
        return {"loss": round(mean_loss(model, plain), 4), "feast": found}

    for seed in SEEDS:
        rng = random.Random(seed)
        texts = [words.encode(story(rng).words) for _ in range(12_000)]
        yield {"model": "trigram", "seed": seed} | measure(Trigram(texts, len(words)))
        yield from _both_models(texts, 16, seed, MEASURED, measure)


def _travellers() -> Iterator[dict]:
    """Several people, each with a month: pairs of person and month that training has, in new stories."""
    words, rng = vocabulary(), random.Random(97)
    tested = {people: [travellers(rng, people) for _ in range(200)] for people in range(1, 5)}

    def measure(model) -> dict:
        found = {n: of_the_right_feast(model, [(t.words, t.places[0]) for t in part]) for n, part in tested.items()}
        return {"feast": found}

    for seed in SEEDS:
        rng = random.Random(seed)
        texts = [words.encode(travellers(rng).words) for _ in range(20_000)]
        yield from _both_models(texts, 32, seed, (200, 400, STEPS), measure)


def _both_models(texts, size: int, seed: int, moments: Sequence[int], measure: Callable) -> Iterator[dict]:
    """A GRU and a GPT at two rates each, on the same texts, measured at these moments."""
    for kind, rates in RATES.items():
        for rate in rates:
            model = new_model(kind, seed)
            watch = Watch(moments, lambda model=model: measure(model))
            autocast = "bf16" if kind == "GPT" else None
            batches = text_ids(texts, size, seed)
            train(model, batches, STEPS, rate=rate, seed=seed, autocast=autocast, between=watch, progress=False)
            count = sum(p.numel() for p in model.parameters())
            yield {"model": kind, "rate": rate, "seed": seed, "parameters": count, "history": watch.rows}


SECTIONS = {"distance": _distance, "travellers": _travellers}


def stored_runs() -> dict[str, list[dict]]:
    """The runs of data/feast_runs.json, by section: distance, travellers."""
    return read_runs(STORED)


if __name__ == "__main__":
    command("Train lesson 13's models on the feast and keep what was measured.", STORED, SECTIONS)
