"""The labelled examples: true, balanced, readable by the tiny BERT, and the test's combinations in no training example."""

import re

import pytest

from course_lib.corpora.tiny_world import MASK, tiny_world, world_vocabulary
from course_lib.corpora.tiny_world.tasks import (
    NEVER_TAGGED,
    ROOM,
    SAME_THINGS,
    SENTIMENT,
    SPANS,
    TAGS,
    TASKS,
    VERDICT,
    WHEREABOUTS,
)
from course_lib.corpora.tiny_world.words import BAD, CATEGORIES, GOOD, JOBS, PEOPLE, ROOMS
from course_lib.errors import CourseError

MEMBERS = {word for category in CATEGORIES for word in category.members}
tasks = pytest.mark.parametrize("task", TASKS.values(), ids=list(TASKS))


@tasks
def test_seeded_different_and_more_begin_with_the_same(task):
    assert task.train(30, seed=1)[:10] == task.train(10, seed=1) != task.train(10, seed=2)
    assert len(set(task.test())) == 400
    assert not set(task.test()) & set(task.train(500))


@tasks
def test_the_tiny_bert_can_read_it(task):
    for example in task.train(200) + task.test(200):
        words = f"{example.first} {example.second}".split()
        assert world_vocabulary().encode(words) and len(words) + 3 <= 64


@tasks
def test_labels_take_turns(task):
    if task.classes:
        assert [example.answer for example in task.train(4)] == [0, 1, 0, 1]


def test_none_is_refused():
    with pytest.raises(CourseError):
        SENTIMENT.train(0)


def test_a_review_says_what_its_label_says():
    for example in SENTIMENT.train(300) + SENTIMENT.test():
        told = set(re.sub(r"was not \w+ at all", "", example.first).split())
        assert not told & set((GOOD, BAD)[example.answer])


def remarks(text):
    """(aspect, adjective) of a review, read from its text."""
    text = text.replace("the whole time", "")
    return set(re.findall(r"(?:the|and the|found the) (\w+) (?:was )?(\w+) (?=\.|and)", text))


def test_no_remark_of_the_test_is_told_in_training():
    told = {pair for example in SENTIMENT.train(500) for pair in remarks(example.first)}
    told |= {pair for p in tiny_world(0, count=3000).train if p.scene == "review" for pair in remarks(p.text)}
    asked = {pair for example in SENTIMENT.test() for pair in remarks(example.first)}
    assert len(asked) > 30 and not told & asked


def test_same_things_are_the_same_things():
    for example in SAME_THINGS.train(200) + SAME_THINGS.test():
        one, two = (MEMBERS & set(text.split()) for text in example[:2])
        assert len(one) == len(two) == 3 and len(one & two) == 2 + example.answer


def test_a_verdict_follows_or_contradicts():
    for example in VERDICT.train(200) + VERDICT.test():
        told = re.sub(r"was not \w+ at all|nearly fell asleep|money back|sighed|warned|waste", "", example.first)
        if said := {word in GOOD for word in told.split() if word in GOOD + BAD}:
            (verdict,) = (word in GOOD for word in example.second.split() if word in GOOD + BAD)
            assert (said == {verdict}) == example.answer


def test_more_than_the_world_can_tell_is_refused():
    with pytest.raises(CourseError, match="different examples"):
        ROOM.test(4000)


@pytest.mark.parametrize("task", [ROOM, WHEREABOUTS])
def test_somebody_is_where_they_went(task):
    for example in task.train(200) + task.test():
        went = {}
        for sentence in example.first.split(" . "):
            (who,), (room,) = set(PEOPLE) & set(sentence.split()), set(ROOMS) & set(sentence.split())
            went[who] = room
        who, *_, room, _ = example.second.split()
        assert (went[who] == room) == example.answer
        assert room in went.values() or task is ROOM


def test_tags_say_what_a_word_is_and_some_words_are_in_the_test_alone():
    for example in TAGS.train(300):
        for word, tag in zip(example.first.split(), example.answer, strict=True):
            assert (TAGS.labels[tag] == "PER") == (word in PEOPLE) and (TAGS.labels[tag] == "JOB") == (word in JOBS)
            assert word not in NEVER_TAGGED
    assert all(NEVER_TAGGED & set(example.first.split()) for example in TAGS.test())


def test_a_span_answers_its_question():
    for example in SPANS.train(200) + SPANS.test():
        start, end = example.answer
        answer = " ".join(example.second.split()[start : end + 1])
        if example.first.startswith(MASK):
            did = example.first.removeprefix(f"{MASK} ").removesuffix(" .")
            verb, thing = did.rsplit(" ", 1)
            said = [sentence for sentence in example.second.split(" . ") if verb in sentence and thing in sentence]
            assert len(said) == 1 and said[0].startswith(answer)
        else:
            assert example.first.replace(MASK, answer) in example.second
