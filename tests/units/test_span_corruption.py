"""Gaps: what is hidden is asked for, once, and the text can be put together again."""

import random
from collections import Counter
from itertools import islice, pairwise

import pytest
import torch

from course_lib.corpora.span_corruption import filled_in, random_spans, span_batches, span_corruption, with_sentinels
from course_lib.corpora.tiny_world import world_vocabulary
from course_lib.corpora.vocabulary import END_ID, PAD_ID, START_ID, Vocabulary
from course_lib.errors import CourseError

MARKS = range(100, 120)


def test_the_papers_example():
    """Raffel et al. (2020), figure 2: <X> for inviting <Y> last <Z>."""
    text = ["Thank", "you", "for", "inviting", "me", "to", "your", "party", "last", "week", "."]
    vocabulary, marks = with_sentinels(Vocabulary.of_texts([text]))
    source, target = span_corruption(vocabulary.encode(text), [(2, 4), (8, 9)], marks)
    assert " ".join(vocabulary.decode(source)) == "Thank you <0> me to your party <1> week ."
    assert " ".join(vocabulary.decode(target)) == "<0> for inviting <1> last <2>"


def test_sentinels_stand_behind_the_last_word_and_no_id_changes():
    old = world_vocabulary()
    new, marks = with_sentinels(old, 5)
    assert new.words[: len(old)] == old.words and new.special_tokens == old.special_tokens
    assert new.words[len(old) :] == ["<0>", "<1>", "<2>", "<3>", "<4>"] and list(marks) == new.encode(new.words[-5:])
    assert not set(old.words) & set(new.words[len(old) :])
    with pytest.raises(CourseError, match="count should be a whole number from 2 up"):
        with_sentinels(old, 1)


@pytest.mark.parametrize(
    ("spans", "source", "target"),
    [
        ([(0, 1)], [100, 2, 3, 4], [100, 1, 101]),
        ([(3, 4)], [1, 2, 3, 100], [100, 4, 101]),
        ([(0, 4)], [100], [100, 1, 2, 3, 4, 101]),
        ([(1, 2), (2, 3)], [1, 100, 101, 4], [100, 2, 101, 3, 102]),
        ([], [1, 2, 3, 4], [100]),
    ],
    ids=["at the start", "at the end", "all of it", "two that touch", "none"],
)
def test_each_span_has_its_mark_in_both(spans, source, target):
    assert span_corruption([1, 2, 3, 4], spans, MARKS) == (source, target)
    assert filled_in(source, target, MARKS) == [1, 2, 3, 4]


def test_what_is_hidden_and_what_is_read_are_the_whole_text_again():
    rng = random.Random(0)
    for _ in range(300):
        ids = [rng.randrange(10) for _ in range(rng.randint(2, 80))]
        spans = random_spans(len(ids), rng, share=rng.choice([0.15, 0.5, 0.9]), mean_length=rng.choice([1, 3, 10]))
        source, target = span_corruption(ids, spans, range(100, 200))
        assert filled_in(source, target, range(100, 200)) == ids
        assert len(source) + len(target) == len(ids) + 2 * len(spans) + 1
        assert [id for id in source if id >= 100] == [id for id in target if id >= 100][:-1]


def test_what_a_model_writes_need_not_be_well_formed():
    assert filled_in([1, 100, 2, 101], [7, 7, 101, 8, 9], MARKS) == [1, 2, 8, 9]
    assert filled_in([1, 100], [100, 5, 103, 6], MARKS) == [1, 5]


@pytest.mark.parametrize(("n", "hidden", "count"), [(2, 1, 1), (9, 1, 1), (20, 3, 1), (40, 6, 2), (100, 15, 5)])
def test_share_and_mean_length_decide_how_many(n, hidden, count):
    rng = random.Random(n)
    for _ in range(100):
        spans = random_spans(n, rng)
        assert len(spans) == count and sum(end - start for start, end in spans) == hidden
        assert spans[0][0] >= 0 and spans[-1][1] <= n
        assert all(start < end for start, end in spans)
        assert all(one[1] < two[0] for one, two in pairwise(spans)), "a token stands between two gaps"


def test_all_choices_are_equally_likely():
    """Five tokens, three hidden in two spans: by hand, (1 + 2 or 2 + 1) × three places for the two kept ones."""
    rng = random.Random(1)
    counts = Counter(tuple(random_spans(5, rng, share=0.6, mean_length=1.5)) for _ in range(3000))
    assert set(counts) == {
        ((0, 1), (2, 4)), ((0, 1), (3, 5)), ((1, 2), (3, 5)), ((0, 2), (3, 4)), ((0, 2), (4, 5)), ((1, 3), (4, 5)),
    }  # fmt: skip
    assert all(400 < count < 600 for count in counts.values())


def test_a_text_of_one_word_and_a_share_of_nothing_get_a_sentence():
    rng = random.Random(0)
    with pytest.raises(CourseError, match="needs two tokens at least, one to hide and one to read; this one has 1"):
        random_spans(1, rng)
    for wrong in ({"share": 0}, {"share": 1}, {"mean_length": 0.5}):
        with pytest.raises(CourseError, match="A share between 0 and 1 is hidden, in spans of one token at least"):
            random_spans(10, rng, **wrong)


@pytest.mark.parametrize("spans", [[(1, 1)], [(2, 1)], [(2, 4), (3, 4)], [(2, 3), (0, 1)], [(3, 5)], [(-1, 2)]])
def test_spans_that_are_none_get_a_sentence(spans):
    with pytest.raises(CourseError, match="behind the span before it and inside the 4 tokens"):
        span_corruption([1, 2, 3, 4], spans, MARKS)


def test_too_few_marks_get_a_sentence():
    with pytest.raises(CourseError, match="2 spans need 3 marks, one each and one to end with; got 2"):
        span_corruption([1, 2, 3, 4], [(0, 1), (2, 3)], [100, 101])


def test_batches_have_marks_padding_and_new_gaps_each_round():
    texts = [list(range(3, 3 + n)) for n in (12, 25, 40, 41, 13, 26)]
    rows = {tuple(text): set() for text in texts}
    for batch in islice(span_batches(texts, MARKS, size=2, seed=0), 30):
        lengths = zip(batch.source_lengths, batch.target_lengths, strict=True)
        for source, target, (n, m) in zip(batch.source, batch.target, lengths, strict=True):
            source, rest = source[:n].tolist(), source[n:]
            target, more = target[:m].tolist(), target[m:]
            assert source.pop() == END_ID and target.pop() == END_ID and target.pop(0) == START_ID
            assert (rest == PAD_ID).all() and (more == PAD_ID).all()
            rows[tuple(filled_in(source, target, MARKS))].add(tuple(source))
    assert all(len(gaps) > 5 for gaps in rows.values())
    one, two = (next(span_batches(texts, MARKS, size=2, seed=0)) for _ in range(2))
    assert torch.equal(one.source, two.source) and torch.equal(one.target, two.target)
    with pytest.raises(CourseError, match="Batches are made of texts, but there are none"):
        span_batches([], MARKS, size=2, seed=0)
