"""Lesson 10's homographs: that each test set closes what it says it closes, and that training knows nothing of it."""

import pytest

from course_lib.corpora import homographs
from course_lib.corpora.homographs import HOMOGRAPHS, KINDS, SENSES, VERB_NOUN
from course_lib.errors import CourseError


@pytest.fixture(scope="module")
def told():
    return homographs.corpus(0, sentences=6000, paragraphs=500)


@pytest.fixture(scope="module")
def tests():
    return homographs.tests()


def beside(words, place):
    return (words[place - 1] if place else None, words[place + 1])


def test_the_same_seed_tells_the_same_and_another_one_doesnt(told):
    again, uses = homographs.corpus(0, sentences=6000, paragraphs=500)
    assert (again, uses) == told and homographs.corpus(1, 50, 5)[0] != homographs.corpus(0, 50, 5)[0]


def test_a_use_is_where_it_says(told, tests):
    for use in [*told[1], *(use for uses in tests.values() for use in uses)]:
        assert use.words[use.place] == use.word in HOMOGRAPHS and use.sense in SENSES[use.word]
        assert not any(mark in word for word in use.words for mark in "{}*[]")


def test_every_sense_is_told_about_equally_often(told):
    counts = [
        sum((use.word, use.sense) == (word, sense) for use in told[1]) for word in HOMOGRAPHS for sense in SENSES[word]
    ]
    assert min(counts) > 130 and max(counts) < 1.6 * min(counts)


def test_nothing_asked_is_told_and_every_word_asked_is_known(told, tests):
    sentences = set(told[0])
    words = {word for sentence in sentences for word in sentence}
    for uses in tests.values():
        assert not any(use.words in sentences for use in uses)
        assert {word for use in uses for word in use.words} <= words


def test_new_neighbours_never_stood_beside_that_word_but_beside_others(told, tests):
    seen = {(word, side, words[i]) for words in told[0] for place, word in enumerate(words) if word in HOMOGRAPHS
            for side, i in (("before", place - 1), ("after", place + 1)) if 0 <= i < len(words)}  # fmt: skip
    stood = {side: {n for _, s, n in seen if s == side} for side in ("before", "after")}
    for name in ("new neighbours", "both senses"):
        for use in tests[name]:
            for side, neighbour in zip(("before", "after"), beside(use.words, use.place)):
                assert (use.word, side, neighbour) not in seen
                if use.word in VERB_NOUN:
                    assert neighbour in stood[side]


def test_neutral_neighbours_are_the_same_in_both_senses(tests):
    for word in HOMOGRAPHS:
        one, two = (
            {beside(use.words, use.place) for use in tests["neutral neighbours"] if (use.word, use.sense) == (word, s)}
            for s in SENSES[word]
        )
        assert len(one & two) >= 0.5 * len(one | two)


def test_both_senses_stand_in_one_sentence_and_only_order_tells_two_clauses(tests):
    for name in ("both senses", "two clauses"):
        for verb, noun in zip(tests[name][::2], tests[name][1::2]):
            assert (
                verb.words == noun.words and {verb.sense, noun.sense} == {"verb", "noun"} and verb.place != noun.place
            )
    for use in tests["two clauses"]:
        assert use.words[use.place - 1] == "her" and use.words[use.place + 1] in homographs.ANYWHERE["every"]


def test_kinds_share_no_words_beside_them_with_the_other_sense():
    for one, two in homographs.TWO_NOUNS.values():
        assert not set(KINDS[one].after) & set(KINDS[two].after) and not set(KINDS[one].before) & set(KINDS[two].before)


@pytest.mark.parametrize("arguments", [(0, 5), (5, 0)])
def test_nothing_to_tell(arguments):
    with pytest.raises(CourseError, match="one sentence and one paragraph"):
        homographs.corpus(0, *arguments)
