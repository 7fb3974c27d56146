"""Labelled examples from the tiny world, with truth from the world: what a pretrained model is fine-tuned on.

    examples = SENTIMENT.train(50, seed=0)      # the first 10 of these are SENTIMENT.train(10, seed=0)
    examples[0].first, examples[0].answer       # 'yesterday i saw a play . the ending was dull .', 0
    SENTIMENT.labels[0]                         # 'bad'
    SENTIMENT.test()                            # 400 others, the same for every seed

SENTIMENT    one text: is what the review tells good or bad? The verdict itself is left out
VERDICT      two texts: does the verdict follow from the review?
SAME_THINGS  two texts: do both name the same three things? They stand in another order, or one of them differs
ROOM         two texts: somebody goes to a room; is the second sentence, on where they were, true?
WHEREABOUTS  the same of two people in two rooms: now it counts who is where
TAGS         one text: which words are people, places, universities, jobs? An answer for each word
SPANS        a question with a blank and a passage: from which word to which does the answer stand in the passage?

What a test example rests on stands in no example to train on (and in no text of `tiny_world().train`): a review's every
remark, the beginning of a list, the whole scene, some tagged word. About one combination in eight is held out so.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import NamedTuple

from course_lib.corpora.tiny_world import MASK, scenes, tell
from course_lib.corpora.tiny_world.telling import Story, Wordings, held_out
from course_lib.corpora.tiny_world.words import BAD, CATEGORIES, GOOD, JOBS, LANDS, PEOPLE, ROOMS, TOWNS, UNIVERSITIES
from course_lib.errors import CourseError
from course_lib.support.messages import whole_number

TEST = 400
PATIENCE = 20_000  # examples without a new one, before there are none


class Example(NamedTuple):
    """One text, or two; words and marks separated by single spaces. `second` is "" where there is one only.

    answer: the label's place in the task's `labels`; of a tagging task one for each word of `first`; of a span the
    places of its first and of its last word in `second`.
    """

    first: str
    second: str
    answer: int | tuple[int, ...]


@dataclass(frozen=True)
class Task:
    """make: one example or None, from random numbers, for the test or for training."""

    name: str
    labels: tuple[str, ...]  # none for spans
    make: Callable[[random.Random, bool], Example | None]
    classes: bool = True  # one label for the whole: then each label comes equally often

    def train(self, count: int, seed: int = 0) -> list[Example]:
        """`count` different examples to train on; more of them begin with the same ones."""
        return self._take(random.Random(f"{seed} {self.name}"), False, count)

    def test(self, count: int = TEST) -> list[Example]:
        """`count` different examples to test with, none of which rests on what any training example tells."""
        return self._take(random.Random(f"test {self.name}"), True, count)

    def _take(self, rng: random.Random, test: bool, count: int) -> list[Example]:
        whole_number("count", count, low=1)
        found: dict[Example, None] = {}
        last = 0
        for tried, example in enumerate(self._stream(rng, test)):
            # Labels take turns, so that ten examples of two labels are always five and five.
            if not self.classes or example.answer == len(found) % len(self.labels):
                last = last if example in found else tried
                found[example] = None
            if len(found) == count:
                return list(found)
            if tried - last > PATIENCE:
                raise CourseError(f"The world tells about {len(found)} different examples of {self.name}, not {count}.")

    def _stream(self, rng: random.Random, test: bool) -> Iterator[Example]:
        while True:
            if (example := self.make(rng, test)) is not None:
                yield example


def _fits(needed: list, test: bool) -> bool:
    """All held out in the test, and none in training."""
    return all(map(held_out, needed)) if test else not any(map(held_out, needed))


def _sentiment(rng: random.Random, test: bool) -> Example | None:
    story = tell(rng, scenes.review)
    if _fits(story.combinations, test):
        _, _, verdict = story.blanks[-1]
        return Example(" ".join(story.sentences[:-1]), "", int(verdict.word in GOOD))


def _verdict(rng: random.Random, test: bool) -> Example | None:
    story = tell(rng, scenes.review)
    if not _fits(story.combinations, test):
        return None
    *told, sentence = story.sentences
    _, place, verdict = story.blanks[-1]
    follows = rng.random() < 0.5
    words = sentence.split()
    words[place] = rng.choice(GOOD if (verdict.word in GOOD) == follows else BAD)
    return Example(" ".join(told), " ".join(words), int(follows))


def _same_things(rng: random.Random, test: bool) -> Example | None:
    members = rng.choice(CATEGORIES).members
    *things, other = rng.sample(members, 4)
    same = rng.random() < 0.5
    again = rng.sample(things, 3)
    if not same:
        again[rng.randrange(3)] = other
    told = {scenes.same_list(pair) for some in (things, again) for pair in combinations(some, 2)}
    if not _fits([scenes.same_list(things[:2])] if test else list(told), test):
        return None
    story, who = Story(rng, "same things"), rng.sample(PEOPLE, 2)
    for person, listed in zip(who, (things, again), strict=True):
        story.say(scenes.LIST, who=person, shown=f"{listed[0]} , {listed[1]} ,", last=listed[2])
    return Example(*story.sentences, int(same))


WAS_THERE = Wordings("{who} [was in|was now in|was still in|stayed in] the {room} .")


def _whereabouts(rng: random.Random, test: bool, people: int) -> Example | None:
    where = dict(zip(rng.sample(PEOPLE, people), rng.sample(ROOMS, people), strict=True))
    if not _fits([("location", *sorted(f"{who} in {room}" for who, room in where.items()))], test):
        return None
    story = Story(rng, "whereabouts")
    for who, room in where.items():
        story.say(scenes.GOING, who=who, room=room)
    asked = rng.choice(list(where))
    said = rng.choice(list(where.values()) if people > 1 else [where[asked], rng.choice(ROOMS)])
    told = " ".join(story.sentences)
    story.say(WAS_THERE, who=asked, room=said)
    return Example(told, story.sentences[-1], int(where[asked] == said))


TAGGED = {"PER": PEOPLE, "LOC": TOWNS + LANDS, "ORG": UNIVERSITIES, "JOB": JOBS}
TAG_OF = {word: tag for tag, words in TAGGED.items() for word in words}
NEVER_TAGGED = frozenset(word for words in TAGGED.values() for word in words[::4])  # not once in training


def _tags(rng: random.Random, test: bool) -> Example | None:
    story = tell(rng, scenes.trivia)
    words = " ".join(story.sentences).split()
    if NEVER_TAGGED.isdisjoint(words) == test:
        return None
    return Example(" ".join(words), "", tuple(TAGS.labels.index(TAG_OF.get(word, "O")) for word in words))


def _spans(rng: random.Random, test: bool) -> Example | None:
    story, lists = Story(rng, "spans"), {}
    count = rng.choice((2, 3))
    for who, category in zip(rng.sample(PEOPLE, count), rng.sample(CATEGORIES, count), strict=True):
        things = rng.sample(category.members, 3)
        did = rng.choice(("drew", "counted", "dreamed of", "talked about"))
        lists[who] = did, things
        story.sentences.append(f"{who} {did} {things[0]} , {things[1]} , and {things[2]} .")
    who = rng.choice(list(lists))
    did, things = lists[who]
    pairs = [pair for _, some in lists.values() for pair in combinations(some, 2)]
    if not _fits([scenes.same_list(pair) for pair in ([things[:2]] if test else pairs)], test):
        return None
    passage = " ".join(story.sentences).split()
    at = passage.index(who)
    if rng.random() < 0.5:  # who?
        return Example(f"{MASK} {did} {things[0]} .", " ".join(passage), (at, at))
    start = at + 1 + len(did.split())
    return Example(f"{who} {did} {MASK} .", " ".join(passage), (start, start + 5))


SENTIMENT = Task("sentiment", ("bad", "good"), _sentiment)
VERDICT = Task("verdict", ("contradicts", "follows"), _verdict)
SAME_THINGS = Task("same things", ("different", "the same"), _same_things)
ROOM = Task("room", ("false", "true"), partial(_whereabouts, people=1))
WHEREABOUTS = Task("whereabouts", ("false", "true"), partial(_whereabouts, people=2))
TAGS = Task("tags", ("O", *TAGGED), _tags, classes=False)
SPANS = Task("spans", (), _spans, classes=False)
TASKS = {task.name: task for task in (SENTIMENT, VERDICT, SAME_THINGS, ROOM, WHEREABOUTS, TAGS, SPANS)}
