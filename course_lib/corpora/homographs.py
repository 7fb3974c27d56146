"""Words of one spelling and two meanings, in sentences that know which one is meant.

    sentences, uses = corpus(seed=0)    # lists of words; half about homographs, half from the tiny world
    uses[0]    # Use(words=("nora", "will", "record", …), place=2, word="record", sense="verb")
    tests()["two clauses"]    # uses that no training text contains

Five homographs are a verb and a noun (*record*), three are two nouns (*bank*). What tells the senses apart must be
context, but which? Each of the four test sets closes a way of guessing without reading the whole sentence:

    new neighbours      no word beside the homograph ever stood beside it in training
    neutral neighbours  the words beside it are the same in both senses: the clue is further away
    both senses         one sentence has both, so its words, taken together, say nothing
    two clauses         both senses and neutral neighbours: only order tells which is which

For `new neighbours`, two of five words that may stand beside a homograph are set aside: never beside this one in
training, though beside others of its kind. Which ones depends on the words alone, not on a seed.
"""

import random
import zlib
from collections.abc import Sequence
from typing import NamedTuple

from course_lib.corpora.tiny_world import tiny_world
from course_lib.corpora.tiny_world.scenes import HOMOGRAPHS as TOLD_ELSEWHERE
from course_lib.corpora.tiny_world.words import PEOPLE
from course_lib.errors import CourseError

SET_ASIDE = 40  # of a hundred words that may stand beside a homograph
SENTENCES, PARAGRAPHS = 20_000, 7_500  # about half of the words each


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# --- which words: a verb and a noun ----------------------------------------------------------------------------------

OBJECTS = {  # what one records, watches, …; the first five are homographs
    "record": _words("song speech concert voice story lesson"),
    "watch": _words("movie game play show match parade"),
    "park": _words("car van truck bike bus tractor"),
    "light": _words("candle fire stove torch oven lantern"),
    "present": _words("plan prize report idea guest winner"),
    "paint": _words("wall door fence chair picture boat"),
    "draw": _words("horse house tree face flower tower"),
    "carry": _words("box basket bag chair child bottle"),
    "clean": _words("floor window car boat oven wall"),
    "sell": _words("house car horse picture bike clock"),
    "open": _words("door box window bottle letter gate"),
    "hide": _words("letter box prize bottle picture coin"),
    "buy": _words("house van picture horse clock guitar"),
}
PLACES = {  # where the thing of that name is
    "record": _words("shop attic market"),
    "watch": _words("shop market bedroom"),
    "park": _words("town castle station"),
    "light": _words("kitchen hallway cellar"),
    "present": _words("shop station market"),
}
ANY_PLACE = _words("shop attic market kitchen hallway cellar")
THINGS = _words("lamp book map coat clock letter guitar picture")
MODALS = _words("will can must should might would could may")
ADVERBS = _words("always often never rarely gladly slowly quickly seldom soon sometimes")
AFTER_VERB = _words("the my his our their your another each no its")
BEFORE_NOUN = _words("old new red small heavy broken dirty expensive round lovely blue big pretty strange green tiny")
PREPOSITIONS = _words("in near behind from beside inside outside opposite by")
AFTER_NOUN = {  # the word after the noun: what follows from there
    **{preposition: preposition + " the {place}" for preposition in PREPOSITIONS},
    "with": "with a ring",
    "of": "of {person}",
    "was": "was lovely",
    "is": "is lovely",
    "cost": "cost ten coins",
    "fell": "fell down",
    "lay": "lay there",
}

# --- two nouns: words of a class share what stands beside them -------------------------------------------------------


class Kind(NamedTuple):
    """Nouns of one class, the words right before and right after them, and what else is spoken of."""

    others: tuple[str, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]
    topics: tuple[str, ...]


KINDS = {
    kind: Kind(*map(_words, parts))
    for kind, parts in {
        "animal": (
            "owl crow moth frog mouse",
            "hungry sleepy furry wild tired shy frightened young",
            "slept flew ate hid woke drank squeaked rested",
            "cave forest night nest tree tower barn moon",
        ),
        "sports": (
            "racket stick club paddle glove",
            "wooden cracked polished heavy painted new expensive broken",
            "snapped split slipped cost bounced swung matched broke",
            "game ball team coach stadium player match score",
        ),
        "season": (
            "summer autumn winter harvest june",
            "rainy warm late early mild cold sunny dry",
            "began ended came passed arrived lasted returned started",
            "flowers months calendar holiday weather rain birds year",
        ),
        "water": (
            "brook pond fountain lake stream",
            "clear deep icy hidden muddy bubbling rocky shallow",
            "flowed ran froze dried glittered splashed rose sank",
            "rocks hill fish moss valley boat bucket path",
        ),
        "money": (
            "museum shop court hotel school",
            "wealthy busy famous private honest modern national strict",
            "closed opened paid lent hired refused charged moved",
            "money loan clerk coins safe lawyer cheque street",
        ),
        "shore": (
            "beach meadow cliff island field",
            "sandy grassy steep green wet flooded windy quiet",
            "crumbled eroded curved sloped shrank vanished collapsed stretched",
            "river boat ducks reeds bridge swimmer waves fisherman",
        ),
    }.items()
}
TWO_NOUNS = {"bat": ("animal", "sports"), "spring": ("season", "water"), "bank": ("money", "shore")}
VERB_NOUN = tuple(PLACES)
HOMOGRAPHS = (*VERB_NOUN, *TWO_NOUNS)
SENSES = {**dict.fromkeys(VERB_NOUN, ("verb", "noun")), **TWO_NOUNS}

ANYWHERE = {  # words that any sentence may draw
    "person": PEOPLE,
    "who": ("{person}", "{person}", "{group}", "the {job}"),
    "group": _words("they we people you"),
    "job": _words("teacher singer farmer doctor"),
    "modal": MODALS,
    "when": ("", "today", "at home", "in the morning", "for {person}", "with {person}"),
    "again": ("", "again", "at home"),
    "the": _words("the this that her his my our"),
    "that": _words("the this that"),
    "adjective": ("",) * 2 * len(BEFORE_NOUN) + BEFORE_NOUN,
    "saw": _words("bought saw found liked sold drew described missed remembered showed"),
    "thought": _words("thought spoke dreamed heard wrote knew"),
    "and": _words("and or"),
    "every": _words("every this one that"),
    "let": _words("let saw heard made helped"),
    "wanted": _words("wanted liked needed missed loved"),
    "morning": _words("morning evening day week"),
    "said": ("", "today", "then", "{person} said"),
}


class Use(NamedTuple):
    """words[place] is `word`, a homograph or another word of its kind, in this sense."""

    words: tuple[str, ...]
    place: int
    word: str
    sense: str


def corpus(
    seed: int = 0, sentences: int = SENTENCES, paragraphs: int = PARAGRAPHS
) -> tuple[list[tuple[str, ...]], list[Use]]:
    """All sentences to train on, mixed, and those about homographs once more, with their senses.

    So many sentences about homographs and other words of their kinds, and so many paragraphs of the tiny world (without
    its own homographs). None of them is asked in `tests`. Raises CourseError for fewer than one of either.
    """
    if sentences < 1 or paragraphs < 1:
        raise CourseError(f"Ask for one sentence and one paragraph at least; got {sentences} and {paragraphs}.")
    rng = random.Random(f"{seed} homographs")
    asked = {use.words for uses in tests().values() for use in uses}
    told = []
    while len(told) < sentences:
        use = _to_train_on(rng)
        if use.words not in asked:
            told.append(use)
    world = tiny_world(seed, paragraphs, probes=1).train
    others = [tuple(line.split()) for story in world if story.scene not in TOLD_ELSEWHERE for line in story.sentences]
    everything = [use.words for use in told] + others
    rng.shuffle(everything)
    return everything, [use for use in told if use.word in HOMOGRAPHS]


def tests(each: int = 40, seed: int = 99) -> dict[str, list[Use]]:
    """Four test sets, with `each` uses of every sense of each homograph (the last two: of those with a verb)."""
    rng = random.Random(seed)
    made = {"new neighbours": [], "neutral neighbours": [], "both senses": [], "two clauses": []}
    for word in HOMOGRAPHS:
        for _ in range(each):
            for sense in SENSES[word]:
                made["new neighbours"].append(_plain(rng, word, sense, new=True))
                made["neutral neighbours"].append(_neutral(rng, word, sense))
            if word in VERB_NOUN:
                made["both senses"] += _both(rng, word)
                made["two clauses"] += _clauses(rng, _neutral(rng, word, "verb"), _neutral(rng, word, "noun"))
    return made


def set_aside(word: str, side: str, neighbour: str) -> bool:
    """Whether this neighbour never stands on this side ("before", "after") of this homograph in training."""
    return zlib.crc32(f"{word} {side} {neighbour}".encode()) % 100 < SET_ASIDE


# --- one sentence ----------------------------------------------------------------------------------------------------


def _to_train_on(rng: random.Random) -> Use:
    """About a homograph or another word of its kind; one in three with neutral neighbours, and some in two clauses."""
    if rng.random() < 0.62:
        sense = rng.choice(("verb", "noun"))
        others = tuple(OBJECTS)[len(VERB_NOUN) :] if sense == "verb" else THINGS
        word = rng.choice(VERB_NOUN if rng.random() < 0.55 else others)
        if rng.random() < 0.15:  # two clauses about two different words: that sentences are joined is nothing new later
            other = "noun" if sense == "verb" else "verb"
            second = rng.choice([w for w in (*THINGS, *VERB_NOUN) if w != word] if sense == "verb" else
                                [w for w in OBJECTS if w != word])  # fmt: skip
            return next(use for use in _clauses(rng, _neutral(rng, word, sense), _neutral(rng, second, other))
                        if use.word == word)  # fmt: skip
        return _neutral(rng, word, sense) if rng.random() < 0.3 else _plain(rng, word, sense)
    word = rng.choice(tuple(TWO_NOUNS))
    sense = rng.choice(TWO_NOUNS[word])
    word = word if rng.random() < 0.5 else rng.choice(KINDS[sense].others)
    return _neutral(rng, word, sense) if rng.random() < 0.35 else _plain(rng, word, sense)


def _plain(rng: random.Random, word: str, sense: str, new: bool = False) -> Use:
    """The words beside it tell the sense. new: all of these are among those set aside for this word."""

    def beside(side: str, words) -> Sequence[str]:
        return [w for w in words if set_aside(word, side, w) == new] if word in HOMOGRAPHS else tuple(words)

    if sense == "verb":
        slots = {"after": beside("after", AFTER_VERB), "object": OBJECTS[word]}
        before = _before_verb(rng, beside("before", (*MODALS, *ADVERBS)))
        return _use(rng, f"{{who}} {before} * {{after}} {{adjective}} {{object}} {{when}} .", word, sense, slots)
    if sense == "noun":
        after = rng.choice(beside("after", AFTER_NOUN))
        start = "{person} {saw}" if after in (*PREPOSITIONS, "with", "of") else "{said}"
        slots = {"before": beside("before", BEFORE_NOUN), "place": PLACES.get(word, ANY_PLACE)}
        return _use(rng, f"{start} {{the}} {{before}} * {AFTER_NOUN[after]} .", word, sense, slots)
    kind = KINDS[sense]
    slots = {"before": beside("before", kind.before), "after": beside("after", kind.after), "topic": kind.topics}
    frames = (
        "{person} said that {that} {before} * {after} .",
        "{that} {before} * {after} and {person} spoke of the {topic} .",
        "{person} spoke of the {topic} because {that} {before} * {after} .",
        "there was talk of the {topic} after {that} {before} * {after} .",
    )
    return _use(rng, rng.choice(frames), word, sense, slots)


def _neutral(rng: random.Random, word: str, sense: str) -> Use:
    """The words beside it are the same in both senses."""
    if sense == "verb":
        return _use(rng, "{person} {let} her * {every} {object} {again} .", word, sense, {"object": OBJECTS[word]})
    if sense == "noun":
        return _use(rng, "{person} {wanted} her * {every} {morning} {again} .", word, sense, {})
    one, two = rng.sample(KINDS[sense].topics, 2)
    frames = (
        "{person} {thought} of the * {and} the {one} .",
        "after the {one} {person} {thought} of the * again .",
        "the {one} , the * and the {two} : {person} {thought} of them all .",
        "{person} {thought} of the {one} and of the * .",
    )
    return _use(rng, rng.choice(frames), word, sense, {"one": (one,), "two": (two,)})


def _both(rng: random.Random, word: str) -> list[Use]:
    """ "ada will record the old record in the shop ." All neighbours are new."""

    def beside(side: str, words: Sequence[str]) -> Sequence[str]:
        return [w for w in words if set_aside(word, side, w)]

    slots = {
        "after": beside("after", AFTER_VERB),
        "adjective": beside("before", BEFORE_NOUN),
        "preposition": beside("after", PREPOSITIONS),
        "place": PLACES[word],
    }
    before = _before_verb(rng, beside("before", (*MODALS, *ADVERBS)))
    frame = f"{{person}} {before} * {{after}} {{adjective}} {word} {{preposition}} the {{place}} ."
    verb = _use(rng, frame, word, "verb", slots)
    return [verb, verb._replace(place=verb.words.index(word, verb.place + 1), sense="noun")]


def _before_verb(rng: random.Random, words: Sequence[str]) -> str:
    """ "will", or "may often": one of these words stands right before the verb."""
    word = rng.choice(words)
    return word if word in MODALS else "{modal} " + word


def _clauses(rng: random.Random, *uses: Use) -> list[Use]:
    """The uses of two sentences that "and" makes one, in either order."""
    one, two = rng.sample(uses, 2)
    words = (*one.words[:-1], "and", *two.words)
    return [one._replace(words=words), two._replace(words=words, place=len(one.words) + two.place)]


def _use(rng: random.Random, frame: str, word: str, sense: str, slots: dict[str, Sequence[str]]) -> Use:
    """The frame with its {slots} drawn, and * replaced by the word."""
    slots = ANYWHERE | slots
    while "{" in frame:
        frame = frame.format_map(_Draw(rng, slots))
    words = frame.split()
    place = words.index("*")
    return Use((*words[:place], word, *words[place + 1 :]), place, word, sense)


class _Draw(dict):
    """Whatever it is asked for, drawn from what may stand there."""

    def __init__(self, rng: random.Random, slots: dict[str, Sequence[str]]):
        super().__init__(slots)
        self.rng = rng

    def __getitem__(self, slot: str) -> str:
        return self.rng.choice(super().__getitem__(slot))
