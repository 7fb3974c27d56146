"""The experiment of lesson 03: its texts by a slow loop, its weights, what one head and two learn."""

import pytest
import torch

from course_lib.errors import CourseError
from course_lib.experiments.two_questions import NUM_WORDS, TwoQuestions, accuracy, texts, train


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def test_each_answer_stands_where_it_is_asked_for():
    ids, answers = texts(5, generator())
    for text, before, first in zip(ids.tolist(), answers["before"].tolist(), answers["first"].tolist()):
        for place in range(2, len(text)):
            assert before[place - 2] == text[place - 1] and first[place - 2] == text[0]


@pytest.mark.parametrize("places_only", [True, False])
def test_the_weights_see_the_words_or_only_their_places(places_only):
    torch.manual_seed(0)
    model = TwoQuestions(d_model=8, num_heads=2, places_only=places_only)
    _, weights = model(texts(3, generator())[0])
    assert torch.allclose(weights[0], weights[1]) == places_only


def test_width_and_heads_leave_the_number_of_parameters_alone():
    counts = {sum(p.numel() for p in TwoQuestions(32, heads).parameters()) for heads in (1, 2, 4)}
    assert len(counts) == 1


@pytest.mark.slow
def test_two_heads_answer_both_questions_and_one_does_not():
    two, losses = train(num_heads=2, seed=1)
    one, _ = train(num_heads=1, seed=1)
    assert losses[-1] < 0.2 < losses[0] and accuracy(two)["both"] > 0.9
    assert accuracy(one)["both"] < 0.5 < max(accuracy(one).values())


@pytest.mark.slow
def test_one_head_answers_one_question():
    model, _ = train(num_heads=1, seed=1, questions=("first",))
    right = accuracy(model)
    assert right["first"] > 0.9 and right["before"] < 3 / NUM_WORDS


def test_an_unknown_question_gets_one_sentence():
    with pytest.raises(CourseError, match="questions should be 'before' or 'first'; got 'last'"):
        train(num_heads=1, seed=0, questions=("last",))
