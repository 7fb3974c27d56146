"""A tiny world, simulated and then told in English, with its ground truth.

    world = tiny_world(seed=0)
    world.train[0].sentences        # a paragraph of one to six sentences
    world.probes["coreference"][0]  # a blank, what may stand in it, and the word that decides it

What a language model learns from text can be measured here: each probe's answer rests on a combination of words (two
people, two nouns, a fact in one wording, a whole scene) that no training text contains. About one combination in eight
is held out like this, the same ones for every seed. The words and the facts are the same for every seed as well.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate, islice

from torch import Tensor

from course_lib.corpora.tiny_world import scenes, words
from course_lib.corpora.tiny_world.telling import Blank, Story, held_out
from course_lib.corpora.vocabulary import END, START, Vocabulary
from course_lib.errors import CourseError

PHENOMENA = ("trivia", "syntax", "coreference", "word classes", "sentiment", "location", "sequences")
CLS, SEP, MASK = "[CLS]", "[SEP]", "[MASK]"


@dataclass(frozen=True)
class Probe:
    """A blank in a story. `before`, `answer` and `after`, joined by spaces, tell it up to the end of this sentence.

    accepted: the words that may stand in the blank. antecedent: the word that decides, and its place among the words of
    the text. left_to_right: whether `before` alone decides (not so for 'a' and 'an'). scene: which scene told it.
    """

    phenomenon: str
    before: str
    answer: str
    after: str
    accepted: frozenset[str]
    antecedent: str
    antecedent_place: int
    scene: str
    left_to_right: bool = True

    @property
    def place(self) -> int:
        """The blank's place among the words of the text."""
        return len(self.before.split())

    @property
    def text(self) -> str:
        return " ".join(filter(None, (self.before, self.answer, self.after)))


@dataclass(frozen=True)
class Paragraph:
    """One to six sentences about one thing: lower case, words and marks separated by single spaces."""

    sentences: tuple[str, ...]
    scene: str
    blanks: tuple[tuple[int, int, Blank], ...] = field(repr=False)

    @property
    def text(self) -> str:
        return " ".join(self.sentences)

    @property
    def probes(self) -> tuple[Probe, ...]:
        """All blanks, whether held out or not."""
        return tuple(self.probe(*blank) for blank in self.blanks)

    def probe(self, sentence: int, place: int, blank: Blank) -> Probe:
        """The blank at this place of this sentence, as something to ask."""
        text = " ".join(self.sentences[: sentence + 1]).split()
        place += sum(len(told.split()) for told in self.sentences[:sentence])
        decides = [i for i, word in enumerate(text) if word == blank.antecedent and i != place]
        return Probe(
            blank.phenomenon,
            " ".join(text[:place]),
            blank.word,
            " ".join(text[place + 1 :]),
            frozenset(blank.accepted),
            blank.antecedent,
            max((i for i in decides if i < place), default=decides[0]),
            self.scene,
            blank.left_to_right,
        )


@dataclass(frozen=True)
class World:
    """What was told.

    train: paragraphs without any held-out combination. probes: for each phenomenon, blanks that rest on held-out
    combinations only. held_out_text: other paragraphs of the same kind, none of which stands in `train`, for the loss
    of a language model; held-out combinations may stand in them.
    """

    train: list[Paragraph]
    probes: dict[str, list[Probe]]
    held_out_text: list[Paragraph]


def tiny_world(seed: int = 0, count: int = 25_000, probes: int = 200) -> World:
    """`count` paragraphs to train on and `probes` probes for each phenomenon. Raises CourseError for none of either."""
    if count < 1 or probes < 1:
        raise CourseError(f"Ask for one paragraph and one probe at least; got count={count}, probes={probes}.")
    train = list(islice(_told(f"{seed} train", may_hold=False), count))
    known = {paragraph.text for paragraph in train}
    others = (paragraph for paragraph in _told(f"{seed} held-out text") if paragraph.text not in known)
    return World(
        train,
        {phenomenon: list(islice(_held_out_probes(seed, phenomenon), probes)) for phenomenon in PHENOMENA},
        list(islice(others, max(1, count // 25))),
    )


def _told(seed: str, only: Collection = tuple(scenes.SCENES), may_hold: bool = True) -> Iterator[Paragraph]:
    """Paragraph after paragraph without end. may_hold: whether they may hold combinations that are held out."""
    rng = random.Random(seed)
    shares = list(accumulate(scenes.SCENES[scene] for scene in only))
    while True:
        (scene,) = rng.choices(only, cum_weights=shares)
        story = tell(rng, scene)
        while not may_hold and any(map(held_out, story.combinations)):
            story = tell(rng, scene)
        yield Paragraph(tuple(story.sentences), story.scene, tuple(story.blanks))


def tell(rng: random.Random, scene: Callable[[Story], None]) -> Story:
    """One in which nobody says the same sentence twice."""
    while True:
        story = Story(rng, scene.__name__.replace("_", " "))
        scene(story)
        if len(set(story.sentences)) == len(story.sentences):
            return story


def _held_out_probes(seed: int, phenomenon: str) -> Iterator[Probe]:
    """One a paragraph: the last blank of this phenomenon whose combinations are all held out."""
    seen = set()
    for paragraph in _told(f"{seed} {phenomenon}", scenes.SCENES_OF[phenomenon]):
        for blank in reversed(paragraph.blanks):
            needs = blank[-1].needs
            if needs and all(map(held_out, needs)):
                probe = paragraph.probe(*blank)
                if probe.text not in seen:
                    seen.add(probe.text)
                    yield probe
                break


@cache
def world_vocabulary() -> Vocabulary:
    """Every word that the world can say, the same for every seed. The special tokens stand first: the padding is id 0,
    <s> and </s> are for a language model, [CLS], [SEP] and [MASK] for BERT."""
    said = {word for fact in words.FACTS for word in fact[1:]}
    said |= {*words.PEOPLE, *words.ROLES, *words.ROOMS, *words.THINGS, *words.THINGS.values(), *words.GOOD, *words.BAD}
    for category in words.CATEGORIES:
        said |= {category.place, *category.at.split(), category.did, *category.members}
    for topic in words.TOPICS:
        said |= {topic.name, *topic.did.split(), *topic.aspects}
    said |= {"a", "an", "the", "and", ",", "he", "she", "him", "his", "her", "it", "them", "is", "are", "was", "were"}
    said |= set(map(str, range(1, words.NUMBER_LIMIT + 1)))
    for wordings in scenes.WORDINGS:
        said |= wordings.words
    return Vocabulary(sorted(said), special_tokens=("[PAD]", START, END, CLS, SEP, MASK))


def score(
    probes: dict[str, list[Probe]],
    predict: Callable[[list[Probe]], Sequence[str] | Tensor],
    left_to_right: bool = False,
) -> dict[str, float]:
    """The share of the probes that `predict` answers with an accepted word, for each phenomenon.

    predict: gets the probes of one phenomenon, gives a word for each, or scores (probes, vocabulary) of which the
    highest counts. left_to_right: only those probes that `before` alone decides, for a model that reads nothing else.
    """
    shares = {}
    for phenomenon, asked in probes.items():
        asked = [probe for probe in asked if probe.left_to_right or not left_to_right]
        answers = predict(asked)
        if isinstance(answers, Tensor):
            answers = [world_vocabulary().words[i] for i in answers.argmax(-1).tolist()]
        right = [answer in probe.accepted for answer, probe in zip(answers, asked, strict=True)]
        shares[phenomenon] = sum(right) / len(right)
    return shares


def baselines(world: World, left_to_right: bool = False) -> dict[str, dict[str, float]]:
    """For each phenomenon, the accuracy of two who have only counted the training text.

    "majority" always says the one word that most of this phenomenon's blanks accept. "trigram" says what
    came most often after the two words before the blank (after the one, if those two never came; else the majority's).
    """
    answers = defaultdict(Counter)
    after_two, after_one = defaultdict(Counter), defaultdict(Counter)
    for paragraph in world.train:
        for _, _, blank in paragraph.blanks:
            if blank.left_to_right or not left_to_right:
                answers[blank.phenomenon].update(blank.accepted)
        told = paragraph.text.split()
        for one, two, word in zip(["", "", *told], ["", *told], told, strict=False):
            after_two[one, two][word] += 1
            after_one[two][word] += 1

    def majority(asked: list[Probe]) -> list[str]:
        return [answers[probe.phenomenon].most_common(1)[0][0] for probe in asked]

    def trigram(asked: list[Probe]) -> list[str]:
        guesses = []
        for probe in asked:
            one, two = ["", "", *probe.before.split()][-2:]
            counts = after_two.get((one, two)) or after_one.get(two) or answers[probe.phenomenon]
            guesses.append(counts.most_common(1)[0][0])
        return guesses

    scores = {
        name: score(world.probes, guess, left_to_right)
        for name, guess in (("majority", majority), ("trigram", trigram))
    }
    return {phenomenon: {name: scores[name][phenomenon] for name in scores} for phenomenon in world.probes}
