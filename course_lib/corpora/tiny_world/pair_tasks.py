"""Labelled tasks with two texts or more, all with truth from the tiny world.

    entailment(300, seed=0)[0]                     # Texts(("yesterday i saw a film . …", "the plot was lovely ."), 0)
    similarity(300, seed=0, held_out=True)         # a fact in a wording that no training text has
    two_endings(300, seed=0)[0].texts              # a story, an ending, another; the label says which one is right

Every label is equally frequent, and no text is drawn twice. A training example rests on no held-out combination of the
world (`telling.held_out`), a test example on held-out ones: what is asked was neither pretrained nor fine-tuned on.
Classification of one text is in `tasks`.
"""

import random
from collections.abc import Callable
from typing import NamedTuple

from course_lib.corpora.tiny_world import scenes
from course_lib.corpora.tiny_world import words as w
from course_lib.corpora.tiny_world.telling import Story, held_out
from course_lib.errors import CourseError

ENTAILMENT = ("entailment", "contradiction", "neutral")
SIMILARITY = ("different", "the same")
MOST = 3000  # examples of a task that may be asked for


class Texts(NamedTuple):
    """What belongs together, and its label: a number, which ENTAILMENT and SIMILARITY name."""

    texts: tuple[str, ...]
    label: int


def entailment(count: int, seed: int = 0, held_out: bool = False) -> list[Texts]:
    """A review (the premise) and a remark (the hypothesis): does the one follow, or its contrary, or neither?

    In this world a thing is liked or it isn't: after "the plot was superb" it is true that the plot was lovely, and
    false that it was dull. Of the music nothing was said. Labels: 0 entailment, 1 contradiction, 2 neutral.
    """
    return _drawn(_entailment, len(ENTAILMENT), count, seed, held_out)


def similarity(count: int, seed: int = 0, held_out: bool = False) -> list[Texts]:
    """Two sentences: do they tell the same fact? Label 1 if they do, 0 if they tell two facts of the same kind.

    "nora lives in kelstead ." and "the house of nora stands in kelstead ." do. No label depends on which stands first.
    """
    return _drawn(_similarity, len(SIMILARITY), count, seed, held_out)


def two_endings(count: int, seed: int = 0, held_out: bool = False) -> list[Texts]:
    """A story and two endings that differ in one word, as in the Story Cloze test. Label: 0 or 1, the one that fits.

    What decides stands in the story: whether it was liked, or in which room somebody is. The wrong room is another
    one that the story names.
    """
    return _drawn(_two_endings, 2, count, seed, held_out)


Draw = Callable[[random.Random, int, bool], Texts | None]


def _drawn(draw: Draw, num_labels: int, count: int, seed: int, held_out: bool) -> list[Texts]:
    """Different ones, their labels in turn, then shuffled. A draw may come to nothing: it is made again."""
    if not 1 <= count <= MOST:
        raise CourseError(f"count should be from 1 to {MOST:,} examples; got {count}.")
    rng, found = random.Random(f"{draw.__name__} {seed} {held_out}"), {}
    while len(found) < count:
        example = draw(rng, len(found) % num_labels, held_out)
        if example is not None:
            found.setdefault(example.texts, example)
    examples = list(found.values())
    rng.shuffle(examples)
    return examples


# --- entailment -------------------------------------------------------------------------------------------------------


def _entailment(rng: random.Random, label: int, test: bool) -> Texts | None:
    topic, liked = rng.choice(w.TOPICS), rng.random() < 0.5
    aspects = rng.sample(topic.aspects, len(topic.aspects))
    said, unsaid = aspects[: rng.choice((1, 2, 2, 3))], aspects[-1]
    remarks = [(aspect, rng.choice(w.GOOD if liked else w.BAD)) for aspect in said]
    claimed = unsaid if label == 2 else rng.choice(said)
    claims_good = rng.random() < 0.5 if label == 2 else liked == (label == 0)
    claim = (claimed, rng.choice(w.GOOD if claims_good else w.BAD))
    if claim in remarks or held_out(("sentiment", *claim)) != test:
        return None
    if not test and any(held_out(("sentiment", *remark)) for remark in remarks):
        return None
    sentences = [_say(rng, scenes.REVIEW_OF, did=topic.did, a=w.article(topic.name), topic=topic.name,
                      who=rng.choice(w.PEOPLE))]  # fmt: skip
    sentences += [_say(rng, scenes.ONE_ASPECT, aspect=aspect, adjective=adjective) for aspect, adjective in remarks]
    return Texts((" ".join(sentences), _say(rng, scenes.ONE_ASPECT, aspect=claim[0], adjective=claim[1])), label)


def _say(rng: random.Random, wordings, **filled: str) -> str:
    return rng.choice(wordings.sentences).format(**filled)


# --- similarity -------------------------------------------------------------------------------------------------------


def _similarity(rng: random.Random, label: int, test: bool) -> Texts | None:
    fact = rng.choice(w.FACTS)
    others = [f for f in w.FACTS if f.relation == fact.relation and f.about != fact.about and f.value != fact.value]
    other = fact if label else rng.choice(others)
    told = list(zip((fact, other), rng.sample(range(len(scenes.FACT_WORDINGS[fact.relation])), 2), strict=True))
    if any(held_out(scenes.fact_combination(*each)) for each in told) != test:
        return None
    one, two = (_say(rng, scenes.FACT_WORDINGS[f.relation][way], about=f.about, value=f.value) for f, way in told)
    return Texts((one, two), label)


# --- a story and two endings ------------------------------------------------------------------------------------------

def _two_endings(rng: random.Random, label: int, test: bool) -> Texts | None:
    scene = rng.choice((scenes.review, scenes.location))
    story = Story(rng, scene.__name__)
    scene(story)
    sentence, place, blank = story.blanks[-1]
    *before, right = story.sentences
    if sentence < len(before) or not before or any(held_out(needed) != test for needed in blank.needs):
        return None
    if blank.phenomenon == "sentiment":
        wrong = w.BAD if blank.word in w.GOOD else w.GOOD
    else:  # where somebody else is, or was
        wrong = [room for room in w.ROOMS if room in " ".join(before).split() and room != blank.word]
    if not wrong or (test and not blank.needs):
        return None
    words = right.split()
    words[place] = rng.choice(wrong)
    endings = (right, " ".join(words))
    return Texts((" ".join(before), *(endings if label == 0 else endings[::-1])), label)
