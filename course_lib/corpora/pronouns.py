"""Sentences with *it*, and the noun that *it* stands for.

'the animal did not cross the street because it was too tired': only an animal tires. Exchange the last word for
'wide', and *it* is the street. Every sentence here is like that: two nouns could stand behind *it*, and what the
sentence says about *it* fits one of them. The order of the nouns never decides: within a frame both readings are drawn
equally often, and most frames name their nouns in either order. The sentences are made from templates of our own,
after Winograd's schemas (Winograd 1972; Levesque, Davis and Morgenstern 2012, "The Winograd Schema Challenge").

Templates: `[a|b]` chooses one of the alternatives, `{road}` a noun of that kind.
"""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from itertools import combinations
from typing import Literal

Split = Literal["train", "test"]

NOUNS: dict[str, tuple[str, ...]] = {
    kind: tuple(words.split())
    for kind, words in {
        "animal": "animal dog cat horse cow rabbit fox goat mouse",
        "crossing": "street road river bridge field",
        "lane": "street road bridge path",
        "vehicle": "car bus truck tractor",
        "food": "apple cake bread soup cheese",
        "item": "trophy ball book lamp guitar",
        "container": "suitcase box bag drawer basket",
        "crockery": "cup glass plate vase bowl",
        "vessel": "cup glass bottle jug bowl",
        "drink": "milk water tea juice",
        "surface": "table shelf floor desk",
        "furniture": "table desk piano",
        "opening": "door gate window",
        "device": "phone computer radio camera",
        "garment": "coat shirt blanket scarf",
        "plant": "tree flower rose bush",
        "building": "house school shop hotel",
        "reading": "book letter newspaper",
        "missile": "ball stone",
        "pane": "window mirror vase",
        "tool": "knife saw",
        "stuff": "bread rope cheese wood",
        "weather": "storm wind",
        "ladder": "ladder rope",
        "height": "roof shelf window",
    }.items()
}
PEOPLE = "[the [boy|girl|man|woman|teacher|farmer]|mia|tom|anna]"


@dataclass(frozen=True)
class Frame:
    """Beginnings that name two nouns, and for each of the two the endings that fit it alone."""

    name: str
    beginnings: tuple[str, ...]
    endings: dict[str, tuple[str, ...]]


TOO = "[because|since] it was [too|too|so|very]"
WAS = "[because|since] it was [so|very]"

FRAMES = [
    Frame(
        "cross",
        (
            "the {animal} did not cross the {crossing}",
            "the {animal} could not cross the {crossing}",
            "the {animal} stopped at the {crossing}",
            "the {crossing} was not crossed by the {animal}",
            "the {crossing} stopped the {animal}",
        ),
        {"animal": (f"{TOO} [tired|weak|scared|hungry|sick]",), "crossing": (f"{TOO} [wide|busy|icy|long]",)},
    ),
    Frame(
        "drive",
        (
            "the {vehicle} could not drive down the {lane}",
            "the {vehicle} did not take the {lane}",
            "the {lane} was closed to the {vehicle}",
            "on the {lane} the {vehicle} stopped",
        ),
        {
            "vehicle": (f"{TOO} [big|large|heavy|slow]", "because it had [no fuel|a flat tyre]"),
            "lane": (f"{TOO} [narrow|icy|steep|busy]",),
        },
    ),
    Frame(
        "eat",
        ("the {animal} ate the {food}", "the {animal} stole the {food}", "the {food} was eaten by the {animal}"),
        {"animal": (f"{WAS} [hungry|greedy]",), "food": (f"{WAS} [sweet|fresh|delicious]",)},
    ),
    Frame(
        "leave",
        (
            "the {animal} did not eat the {food}",
            "the {animal} left the {food}",
            "the {food} was not eaten by the {animal}",
        ),
        {"animal": (f"{TOO} [tired|sick|scared]",), "food": (f"{TOO} [hot|old|salty|bitter]",)},
    ),
    Frame(
        "fit",
        (
            "the {item} did not fit in the {container}",
            "the {item} did not go into the {container}",
            "the {container} could not hold the {item}",
            "there was no room in the {container} for the {item}",
        ),
        {"item": (f"{TOO} [big|large|tall|heavy]",), "container": (f"{TOO} [small|narrow|tiny|full]",)},
    ),
    Frame(
        "through",
        (
            "the {furniture} did not go through the {opening}",
            "the {furniture} did not fit through the {opening}",
            "the {opening} did not let the {furniture} through",
        ),
        {"furniture": (f"{TOO} [wide|big|large]",), "opening": (f"{TOO} [narrow|small|tiny]",)},
    ),
    Frame(
        "fall",
        (
            "the {crockery} fell on the {surface}",
            "the {crockery} fell from the {surface}",
            "the {surface} shook under the {crockery}",
            "on the {surface} stood the {crockery}",
        ),
        {
            "crockery": ("and it [broke|cracked]", "but it did not [break|crack]", f"{WAS} [fragile|full]"),
            "surface": ("and it was [dusty|uneven]", "but it was not [dusty|uneven]", f"{WAS} [uneven|dusty]"),
        },
    ),
    Frame(
        "pour",
        (
            f"{PEOPLE} poured the {{drink}} into the {{vessel}}",
            f"{PEOPLE} filled the {{vessel}} with the {{drink}}",
            f"{PEOPLE} did not pour the {{drink}} into the {{vessel}}",
        ),
        {"drink": (f"{TOO} [hot|cold|fresh|sweet]",), "vessel": (f"{TOO} [small|big|fragile|empty|clean]",)},
    ),
    Frame(
        "sleep in",
        (
            "the {animal} slept in the {building}",
            "the {animal} walked into the {building}",
            "in the {building} the {animal} slept",
            "the {building} was good for the {animal}",
        ),
        {
            "animal": (f"{WAS} [tired|cold|sick]", "and it [ate|drank] some water"),
            "building": (f"{WAS} [warm|quiet|empty]", "and it was [open|closed] on sunday"),
        },
    ),
    Frame(
        "sleep on",
        (
            "the {animal} slept on the {garment}",
            "the {animal} took the {garment}",
            "the {garment} was under the {animal}",
        ),
        {"animal": (f"{WAS} [tired|cold|sick]",), "garment": (f"{WAS} [soft|warm|dry]",)},
    ),
    Frame(
        "follow",
        (
            "the {animal} followed the {vehicle}",
            "the {animal} ran in front of the {vehicle}",
            "the {vehicle} followed the {animal}",
            "the {vehicle} stopped for the {animal}",
            "the {vehicle} passed the {animal}",
        ),
        {
            "animal": ("when it [woke up|ran away]", f"{WAS} [hungry|scared|curious]"),
            "vehicle": ("when it [left the city|turned left]", "because it had [no fuel|a flat tyre]"),
        },
    ),
    Frame(
        "grow",
        (
            "the {plant} grew [near|behind] the {building}",
            "the {building} stood [near|behind] the {plant}",
            f"{PEOPLE} saw the {{plant}} [near|behind] the {{building}}",
        ),
        {
            "plant": ("and it [bloomed|needed water|lost its leaves]", "but it did not bloom"),
            "building": ("and it was [open|closed] on sunday", "but it was [empty|closed]"),
        },
    ),
    Frame(
        "put down",
        (
            f"{PEOPLE} put the {{device}} on the {{surface}}",
            "the {device} was on the {surface}",
            f"on the {{surface}} {PEOPLE} left the {{device}}",
        ),
        {
            "device": ("because it [needed a new battery|did not work]", f"{WAS} [loud|expensive]"),
            "surface": (f"{WAS} [flat|clean|near]",),
        },
    ),
    Frame(
        "smash",
        (
            "the {missile} broke the {pane}",
            "the {missile} went through the {pane}",
            "the {pane} was hit by the {missile}",
            f"{PEOPLE} hit the {{pane}} with the {{missile}}",
        ),
        {"missile": (f"{WAS} [hard|heavy|fast]",), "pane": (f"{WAS} [thin|fragile|old]",)},
    ),
    Frame(
        "cut",
        (
            "the {tool} did not cut the {stuff}",
            f"{PEOPLE} did not cut the {{stuff}} with the {{tool}}",
            f"with the {{tool}} {PEOPLE} could not cut the {{stuff}}",
        ),
        {"tool": (f"{TOO} [blunt|dull]",), "stuff": (f"{TOO} [hard|thick]",)},
    ),
    Frame(
        "reach",
        (
            "the {ladder} did not reach the {height}",
            f"{PEOPLE} could not reach the {{height}} with the {{ladder}}",
            f"with the {{ladder}} {PEOPLE} did not reach the {{height}}",
        ),
        {"ladder": (f"{TOO} [short|weak]",), "height": (f"{TOO} [high|steep]",)},
    ),
    Frame(
        "blow",
        ("the {weather} shook the {plant}", "the {weather} broke the {plant}", "the {plant} fell in the {weather}"),
        {"weather": (f"{WAS} [strong|loud|fast]",), "plant": (f"{WAS} [dry|weak|old|thin]",)},
    ),
    # Here two nouns of one kind meet, so that the verb must say which of them can be full or too big.
    Frame(
        "nest",
        (
            "the {container} did not fit in the {container2}",
            "there was no room in the {container2} for the {container}",
            "the {container2} could not hold the {container}",
        ),
        {"container": (f"{TOO} [big|large|tall]",), "container2": (f"{TOO} [small|narrow|tiny]",)},
    ),
    Frame(
        "pour over",
        (
            f"{PEOPLE} poured [milk|water|tea|juice] from the {{vessel}} into the {{vessel2}}",
            f"{PEOPLE} filled the {{vessel2}} with [milk|water|tea|juice] from the {{vessel}}",
        ),
        {"vessel": ("until it was empty",), "vessel2": ("until it was full",)},
    ),
]

# What can be said of one kind of thing and of no other kind in this table: for lists of two or three things.
SAID_OF = {
    "animal": "it [was hungry|ran away|woke up]",
    "food": "it was [delicious|sweet|salty]",
    "device": "it needed a new battery",
    "garment": "it was [soft|warm]",
    "vehicle": "it had [no fuel|a flat tyre]",
    "plant": "it [bloomed|lost its leaves]",
    "crockery": "it [broke|cracked]",
}
DONE_TO = {
    "animal": "fed", "food": "ate", "reading": "read", "garment": "wore", "vehicle": "drove", "plant": "watered",
    "crockery": "filled", "device": "repaired",
}  # fmt: skip

# Here *it* stands for nothing.
NOTHING = (
    "the {animal} slept in the {building} because it [rained all day|was late|was dark]",
    "it [rained all day|was late|was dark] and the {animal} did not cross the {crossing}",
    f"{PEOPLE} put the {{garment}} on the {{surface}} because it [rained all day|was late|was dark]",
)
FILLERS = (
    f"{PEOPLE} [saw|watched|found] the {{animal}} [near|behind] the {{building}}",
    f"{PEOPLE} put the {{item}} into the {{container}}",
    f"{PEOPLE} read the {{reading}} and [ate|stole] the {{food}}",
    "the {animal} was [tired|hungry|sick|scared|cold]",
    "the {crossing} was [wide|busy|icy|long]",
    "the {food} was [sweet|fresh|delicious|salty]",
    f"{PEOPLE} drove the {{vehicle}} down the {{lane}}",
)
TIMES = ("yesterday", "on sunday", "in the morning", "at night")
LOOKS = ("old", "new", "little", "red", "brown", "black")
MARKS = (".", ",")


@dataclass(frozen=True)
class Sentence:
    """A text as words, and what its *it* stands for.

    tokens       lower-case words and marks
    it           where *it* is; None where there is none
    antecedent   where the noun is that *it* stands for; None where *it* stands for nothing ('it rained')
    candidates   where the nouns are that *it* could stand for, `antecedent` among them
    frame        the name of the construction
    """

    tokens: tuple[str, ...]
    it: int | None
    antecedent: int | None
    candidates: tuple[int, ...]
    frame: str

    def __str__(self) -> str:
        return re.sub(r" ([.,])", r"\1", " ".join(self.tokens))

    @property
    def answer(self) -> str | None:
        """The noun that *it* stands for."""
        return None if self.antecedent is None else self.tokens[self.antecedent]


# The best-known sentences of their kind, so that they are new to the model that reads them.
FAMOUS = {("animal", "street"), ("suitcase", "trophy")}


def held_out(*nouns: str) -> bool:
    """Whether two of these nouns are kept apart from each other in training: about 15 % of all pairs, by their hash."""
    return any(
        (a, b) in FAMOUS or sha256(f"{a} {b}".encode()).digest()[0] < 38 for a, b in combinations(sorted(set(nouns)), 2)
    )


def sentences(seed: int, count: int, split: Split = "train") -> list[Sentence]:
    """`count` sentences of the split; the same seed gives the same sentences."""
    drawn = _stream(random.Random(f"pronouns {split} {seed}"), split)
    return [next(drawn) for _ in range(count)]


def minimal_pairs(seed: int, count: int, split: Split = "test") -> list[tuple[Sentence, Sentence]]:
    """Pairs with the same beginning whose endings point *it* at one noun, then at the other."""
    rng, pairs = random.Random(f"pairs {split} {seed}"), []
    while len(pairs) < count:
        pair = _schema(rng)
        if _belongs(pair[0], split) and _belongs(pair[1], split):
            pairs.append(pair)
    return pairs


@cache
def vocabulary() -> tuple[str, ...]:
    """Every word that a sentence can contain, in alphabetical order, and the two marks."""
    ending = [e for f in FRAMES for es in f.endings.values() for e in es]
    beginning = [b for f in FRAMES for b in f.beginnings]
    extra = [*SAID_OF.values(), *DONE_TO.values(), *NOTHING, *FILLERS, *TIMES, *LOOKS, *_LISTS, "a an then"]
    written = re.sub(r"\{\w+\}", " ", " ".join([*ending, *beginning, *extra]))
    return (*MARKS, *sorted({*re.findall(r"[a-z]+", written), *(n for ns in NOUNS.values() for n in ns)}))


_LISTS = (f"{PEOPLE} [bought|found] {{}}", f"{PEOPLE} saw {{}} near the [house|school|shop|hotel]", "there was {}")


def _stream(rng: random.Random, split: Split) -> Iterator[Sentence]:
    makers = [lambda r: r.choice(_schema(r)), _said_of_one, _done_to_one, _nothing, _filler]
    while True:
        sentence = rng.choices(makers, (70, 10, 10, 4, 6))[0](rng)
        if _belongs(sentence, split):
            yield sentence


def _belongs(sentence: Sentence, split: Split) -> bool:
    nouns = [sentence.tokens[i] for i in sentence.candidates]
    return held_out(*nouns) == (split == "test")


def _schema(rng: random.Random) -> tuple[Sentence, Sentence]:
    """One beginning with an ending for each of its two nouns, in random order."""
    frame = rng.choice(FRAMES)
    beginning = _choose(rng, rng.choice(frame.beginnings))
    nouns = _nouns(rng, re.findall(r"\{(\w+)\}", beginning))
    looks = {kind: rng.choice(LOOKS) if rng.random() < 0.12 else "" for kind in nouns}
    time, stop = _time(rng), _stop(rng)
    fronted = rng.random() < 0.12
    # Both endings come from one place in their lists, so that 'because' meets 'because' where it can.
    place, pair = rng.random(), []
    join = rng.getrandbits(32)
    for kind in rng.sample(list(frame.endings), 2):
        endings = frame.endings[kind]
        ending = _choose(random.Random(join), endings[int(place * len(endings))])
        if fronted and ending.startswith(("because", "since")):
            text = f"{time} {ending} , {beginning} {stop}"
        else:
            text = f"{time} {beginning} {ending} {stop}"
        pair.append(_sentence(text, nouns, looks, kind, frame.name))
    return pair[0], pair[1]


def _said_of_one(rng: random.Random) -> Sentence:
    """'mia bought a cake, a dog and a cup, but it broke': two or three things, and something true of one kind."""
    kinds = rng.sample(list(SAID_OF), rng.choice((2, 2, 3)))
    *first, last = [("a" if rng.random() < 0.5 else "the") + f" {{{kind}}}" for kind in kinds]
    things = " , ".join(first) + f" and {last}"
    meant = rng.choice(kinds)
    text = f"{_time(rng)} {rng.choice(_LISTS).format(things)} [, but|and|, and|because|.] {SAID_OF[meant]} {_stop(rng)}"
    return _sentence(_choose(rng, text), _nouns(rng, kinds), {}, meant, "list")


def _done_to_one(rng: random.Random) -> Sentence:
    """'tom took the book and the cake and then ate it': the verb before *it* decides."""
    kinds = rng.sample(list(DONE_TO), 2)
    meant = rng.choice(kinds)
    text = (
        f"{_time(rng)} {PEOPLE} [took|found|bought] the {{{kinds[0]}}} and the {{{kinds[1]}}} "
        f"[and|, and|and then|, then] {DONE_TO[meant]} it {_stop(rng)}"
    )
    return _sentence(_choose(rng, text), _nouns(rng, kinds), {}, meant, "object")


def _nothing(rng: random.Random) -> Sentence:
    text = _choose(rng, f"{rng.choice(NOTHING)} {_stop(rng)}")
    return _sentence(text, _nouns(rng, re.findall(r"\{(\w+)\}", text)), {}, None, "nothing")


def _filler(rng: random.Random) -> Sentence:
    text = _choose(rng, f"{_time(rng)} {rng.choice(FILLERS)} {_stop(rng)}")
    return _sentence(text, _nouns(rng, re.findall(r"\{(\w+)\}", text)), {}, None, "filler")


def _time(rng: random.Random) -> str:
    return rng.choice(TIMES) if rng.random() < 0.2 else ""


def _stop(rng: random.Random) -> str:
    return "." if rng.random() < 0.85 else ""


def _choose(rng: random.Random, template: str) -> str:
    """Take one alternative of every `[a|b]`, the innermost first."""
    while "[" in template:
        template = re.sub(r"\[([^\[\]]*)\]", lambda match: rng.choice(match[1].split("|")), template)
    return template


def _nouns(rng: random.Random, kinds: list[str]) -> dict[str, str]:
    """A different noun for each kind; `vessel2` is a second vessel."""
    chosen: dict[str, str] = {}
    for kind in kinds:
        chosen[kind] = rng.choice([noun for noun in NOUNS[kind.rstrip("2")] if noun not in chosen.values()])
    return chosen


def _sentence(text: str, nouns: dict[str, str], looks: dict[str, str], meant: str | None, frame: str) -> Sentence:
    """Fill the nouns in and remember where they are."""
    tokens: list[str] = []
    at: dict[str, int] = {}
    for word in text.split():
        if word.startswith("{"):
            kind = word.strip("{}")
            tokens += [looks[kind]] if looks.get(kind) else []
            if tokens[-1:] == ["a"] and nouns[kind][0] in "aeiou":
                tokens[-1] = "an"
            at[kind] = len(tokens)
            word = nouns[kind]
        tokens.append(word)
    it = tokens.index("it") if "it" in tokens else None
    return Sentence(tuple(tokens), it, None if meant is None else at[meant], tuple(sorted(at.values())), frame)
