"""Tasks of two texts and three: true, balanced, readable, and the test's combinations in no training example."""

import pytest

from course_lib.corpora.tiny_world import tiny_world, world_vocabulary
from course_lib.corpora.tiny_world.pair_tasks import ENTAILMENT, SIMILARITY, TWO_ENDINGS
from course_lib.corpora.tiny_world.words import BAD, FACTS, FEMALE, GOOD, PEOPLE, ROOMS

TASKS = [ENTAILMENT, SIMILARITY, TWO_ENDINGS]
tasks = pytest.mark.parametrize("task", TASKS, ids=[task.name for task in TASKS])


def texts(example):
    return [example.first, *(example.endings if hasattr(example, "endings") else [example.second])]


@tasks
def test_balanced_different_and_readable(task):
    train, test = task.train(300), task.test()
    counts = [sum(example.answer == label for example in test) for label in range(len(task.labels))]
    assert max(counts) - min(counts) <= 1 and len(set(test)) == 400
    assert not {example[:2] for example in train} & {example[:2] for example in test}
    assert all(world_vocabulary().encode(" ".join(texts(example)).split()) for example in train + test)


def test_entailment_is_true():
    for example in ENTAILMENT.train(300) + ENTAILMENT.test():
        premise, claim = example.first.split(), example.second.split()
        one, two = [word for word in premise if word in PEOPLE]
        (pronoun,) = {"he", "she"} & set(premise)
        meant = one if (one in FEMALE) == (pronoun == "she") else two
        did = set(claim[1:]) - {"her", "his"} <= set(premise)
        assert claim[0] in (one, two)
        assert example.answer == (2 if not did else int(claim[0] != meant)), example


def test_the_same_fact_has_the_same_label():
    values = {fact.value for fact in FACTS}
    for example in SIMILARITY.train(300) + SIMILARITY.test():
        told = [{word for word in text.split() if word in values or word in PEOPLE} for text in texts(example)]
        assert (told[0] == told[1]) == bool(example.answer), example


def test_one_ending_fits_and_they_differ_in_one_word():
    kinds = set()
    for example in TWO_ENDINGS.train(300) + TWO_ENDINGS.test():
        right, wrong = (example.endings[i].split() for i in (example.answer, 1 - example.answer))
        ((fits, fails),) = [(a, b) for a, b in zip(right, wrong, strict=True) if a != b]
        kinds.add(fits in ROOMS)
        if fits in ROOMS:
            sentences = [s.split() for s in example.first.split(" . ")]
            (who,) = [word for word in right if word in PEOPLE]
            told = [next(word for word in s if word in ROOMS) for s in sentences if who in s and set(s) & set(ROOMS)]
            assert told[-1] == fits and fails in example.first.split()
        else:
            assert (fits in GOOD) != (fails in GOOD) and {fits, fails} <= {*GOOD, *BAD}
    assert kinds == {True, False}


def test_no_tested_fact_stands_in_that_wording_in_the_text_to_pretrain_on():
    told = " ".join(paragraph.text for paragraph in tiny_world(0, count=3000, probes=1).train)
    assert all(any(text not in told for text in texts(example)) for example in SIMILARITY.test())
