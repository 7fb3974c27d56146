"""Labelled examples of two texts or three, with truth from the tiny world: what lesson 14's GPT is fine-tuned on.

    example = ENTAILMENT.train(50, seed=0)[0]   # .first: the premise, .second: the hypothesis
    ENTAILMENT.labels[example.answer]           # 'contradiction'
    TWO_ENDINGS.test()[0].endings               # of a story, `.first`; the answer says which of the two is right

ENTAILMENT   a man and a woman meet, and then he or she does something (the premise). Did this one do so (the
             hypothesis)? What was done one person did: that the other one did it is a contradiction. Of what else
             anybody did, nothing is said: neutral
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
from course_lib.corpora.tiny_world.words import BAD, FACTS, FEMALE, GOOD, PEOPLE, ROOMS, he, his


class TwoEndings(NamedTuple):
    """A story and how it might end; `answer` says which of the endings is right, 0 or 1."""

    first: str
    endings: tuple[str, str]
    answer: int


def _entailment(rng: random.Random, test: bool) -> Example | None:
    one, two = rng.sample(PEOPLE, 2)
    if (one in FEMALE) == (two in FEMALE) or held_out(("coreference", one, two)) != test:
        return None
    answer, who = rng.randrange(3), rng.choice((one, two))
    did, other = (rng.choice(wordings.sentences) for wordings in rng.sample(scenes.SOMEONE_DID, 2))
    claimed = {0: who, 1: two if who == one else one, 2: rng.choice((one, two))}[answer]
    story = Story(rng, "entailment")
    story.say(scenes.MEETING, one=one, two=two)
    then = rng.choice(("then", "later", "after that ,"))
    premise = f"{story.sentences[0]} {then} {did.format(who=he(who), his=his(who))}"
    return Example(premise, (other if answer == 2 else did).format(who=claimed, his=his(claimed)), answer)


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


def _two_endings(rng: random.Random, test: bool) -> TwoEndings:
    scene = rng.choice((scenes.review, scenes.location))
    while True:  # for both scenes equally often one is found
        story = tell(rng, scene)
        sentence, place, blank = story.blanks[-1]
        ends = sentence > 0 and sentence == len(story.sentences) - 1
        if ends and blank.needs and all(held_out(needed) == test for needed in blank.needs):
            break
    *before, right = story.sentences
    wrong = BAD if blank.word in GOOD else GOOD
    if scene is scenes.location:
        wrong = [room for room in ROOMS if room in " ".join(before).split() and room != blank.word]
    words, answer = right.split(), rng.randrange(2)
    words[place] = rng.choice(wrong)
    endings = (right, " ".join(words))
    return TwoEndings(" ".join(before), endings[::-1] if answer else endings, answer)


ENTAILMENT = Task("entailment", ("entailment", "contradiction", "neutral"), _entailment)
SIMILARITY = Task("similarity", ("different", "the same"), _similarity)
TWO_ENDINGS = Task("two endings", ("the first", "the second"), _two_endings)
