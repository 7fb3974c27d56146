"""Labelled examples of two texts or three, with truth from the tiny world: what lesson 14's GPT is fine-tuned on.

    example = ENTAILMENT.train(50, seed=0)[0]   # .first: the premise, .second: the hypothesis
    ENTAILMENT.labels[example.answer]           # 'contradiction'
    TWO_ENDINGS.test()[0].endings               # of a story, `.first`; the answer says which of the two is right

ENTAILMENT   a review and a remark. In this world a thing is liked or it isn't: after "the plot was superb ." it is true
             that the plot was lovely, and false that it was dull. Of the music nothing was said
SIMILARITY   two sentences: do they tell the same fact? Neither stands first by nature
TWO_ENDINGS  which ending fits the story, as in the Story Cloze test? The endings differ in one word: whether it was
             liked, or the room somebody is in, where the other room is one that the story names, too

They are asked for as those of `tasks`: what a test example rests on stands in no example to train on, and in no text of
`tiny_world().train`.
"""

import random
from typing import NamedTuple

from course_lib.corpora.tiny_world import scenes, tell
from course_lib.corpora.tiny_world.tasks import Example, Task
from course_lib.corpora.tiny_world.telling import Story, held_out
from course_lib.corpora.tiny_world.words import BAD, FACTS, GOOD, PEOPLE, ROOMS, TOPICS, article


class TwoEndings(NamedTuple):
    """A story and how it might end; `answer` says which of the endings is right, 0 or 1."""

    first: str
    endings: tuple[str, str]
    answer: int


def _entailment(rng: random.Random, test: bool) -> Example | None:
    topic, answer, liked = rng.choice(TOPICS), rng.randrange(3), rng.random() < 0.5
    *aspects, unsaid = rng.sample(topic.aspects, len(topic.aspects))
    remarks = [(aspect, rng.choice(GOOD if liked else BAD)) for aspect in aspects[: rng.choice((1, 2, 2, 3))]]
    about = unsaid if answer == 2 else rng.choice(remarks)[0]
    good = rng.random() < 0.5 if answer == 2 else liked == (answer == 0)
    claim = (about, rng.choice(GOOD if good else BAD))
    if claim in remarks or held_out(("sentiment", *claim)) != test:
        return None
    if not test and any(held_out(("sentiment", *remark)) for remark in remarks):
        return None
    story = Story(rng, "entailment")
    who = rng.choice(PEOPLE)
    story.say(scenes.REVIEW_OF, did=topic.did, a=article(topic.name), topic=topic.name, who=who)
    for aspect, adjective in (*remarks, claim):
        story.say(scenes.ONE_ASPECT, aspect=aspect, adjective=adjective)
    *premise, hypothesis = story.sentences
    return Example(" ".join(premise), hypothesis, answer)


def _similarity(rng: random.Random, test: bool) -> Example | None:
    fact, answer = rng.choice(FACTS), rng.randrange(2)
    others = [f for f in FACTS if f.relation == fact.relation and f.about != fact.about and f.value != fact.value]
    wordings = scenes.FACT_WORDINGS[fact.relation]
    told = zip((fact, fact if answer else rng.choice(others)), rng.sample(range(len(wordings)), 2), strict=True)
    story, unseen = Story(rng, "similarity"), False
    for one, which in told:
        unseen |= held_out(scenes.fact_combination(one, which))
        story.say(wordings[which], about=one.about, value=one.value)
    return Example(*story.sentences, answer) if unseen == test else None


def _two_endings(rng: random.Random, test: bool) -> TwoEndings | None:
    story = tell(rng, rng.choice((scenes.review, scenes.location)))
    sentence, place, blank = story.blanks[-1]
    *before, right = story.sentences
    if sentence < len(before) or not blank.needs or any(held_out(needed) != test for needed in blank.needs):
        return None
    wrong = BAD if blank.word in GOOD else GOOD
    if blank.phenomenon == "location":
        wrong = [room for room in ROOMS if room in " ".join(before).split() and room != blank.word]
    words, answer = right.split(), rng.randrange(2)
    words[place] = rng.choice(wrong)
    endings = (right, " ".join(words))
    return TwoEndings(" ".join(before), endings[::-1] if answer else endings, answer)


ENTAILMENT = Task("entailment", ("entailment", "contradiction", "neutral"), _entailment)
SIMILARITY = Task("similarity", ("different", "the same"), _similarity)
TWO_ENDINGS = Task("two endings", ("the first", "the second"), _two_endings)
