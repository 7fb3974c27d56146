"""Lesson 11's pictures: the loss with rising bars, the strips of the input, bars of blanks, the die of the masking."""

import pytest
import torch

from course_lib import viz

LABELS = ["trivia", "syntax"]


def test_live_scores_say_losses_and_shares_and_draw_anew():
    live = viz.live_scores(LABELS, {"majority": [0.1, 0.4]}, steps=100, title="Learning")
    assert live.picture is None
    live.add(0, {"trivia": 0.0, "syntax": 0.5})
    first = live.picture
    assert "No step has been made yet." in repr(first) and "after 0 steps: trivia 0.00, syntax 0.50" in repr(first)
    live([5.0] * 10 + [1.0] * 40)
    live.add(50, {"trivia": 0.25, "syntax": 1.0})
    assert "at step 50" in repr(live.picture) and "after 50 steps: trivia 0.25, syntax 1.00" in repr(live.picture)
    assert first.png != live.picture.png and [step for step, _ in live.history] == [0, 50]


@pytest.mark.parametrize("marks", [{"a": [0.1]}, {name: [0.1, 0.2] for name in "abc"}])
def test_marks_that_do_not_fit(marks):
    with pytest.raises(viz.PictureError, match="marks"):
        viz.live_scores(LABELS, marks)


def test_strips_say_each_place_with_its_segment():
    picture = viz.input_strips(["[CLS]", "a", "[SEP]", "b", "[SEP]"], [0, 0, 0, 1, 1], *torch.randn(3, 5, 4))
    assert "0: [CLS], A; 1: a, A; 2: [SEP], A; 3: b, B; 4: [SEP], B" in repr(picture) and picture.png


@pytest.mark.parametrize(
    ("tokens", "segments", "shape"),
    [(["a"], [0, 1], (1, 4)), (["a"], [2], (1, 4)), (["a", "b"], [0, 1], (1, 4)), (["a"] * 40, [0] * 40, (40, 4))],
)
def test_strips_that_do_not_fit(tokens, segments, shape):
    with pytest.raises(viz.PictureError):
        viz.input_strips(tokens, segments, *torch.randn(3, *shape))


def test_blank_bars_say_every_word():
    picture = viz.blank_bars([[("she", 0.9), ("he", 0.05)], [("her", 1.0)]], title="two blanks")
    assert repr(picture) == "two blanks. blank 1: she 0.90, he 0.05; blank 2: her 1.00."


def test_blank_bars_of_several_models_have_a_row_for_each_and_long_titles_lines():
    one = [[("she", 0.9), ("he", 0.05)]]
    two = viz.blank_bars({"yours": one, "theirs": [[("he", 1.0)]]})
    assert "yours, blank 1: she 0.90, he 0.05; theirs, blank 1: he 1.00." in repr(two)
    assert two.height > 1.8 * viz.blank_bars(one).height
    assert viz.blank_bars(one, title="word " * 30).height > viz.blank_bars(one, title="word").height


@pytest.mark.parametrize("blanks", [[], [[]], [[("a", 0.5)]] * 5, [[("a", 1.5)]], {}, {"a": [[("a", 1.0)]], "b": []}])
def test_blanks_that_cannot_be_drawn(blanks):
    with pytest.raises(viz.PictureError):
        viz.blank_bars(blanks)


def test_the_die_has_a_still_picture_and_refuses_what_does_not_fit():
    die = viz.masking_die(["[CLS]", "a", "b", "[SEP]"], [True, False, False, True], ["x"])
    assert repr(die).startswith("What BERT reads: [CLS] [MASK] b [SEP]")
    for arguments in ((["a"], [], ["x"]), (["a"], [False], []), (["a"] * 30, [False] * 30, ["x"])):
        with pytest.raises(viz.PictureError):
            viz.masking_die(*arguments)
    with pytest.raises(viz.PictureError, match="share"):
        viz.masking_die(["a"], [False], ["x"], share=0)
