"""The pictures of lesson 01 from Python's side: the score family, stored runs, and the text box."""

import anywidget
import numpy as np
import pytest
import torch

from course_lib import attention, viz
from course_lib.errors import CourseError
from course_lib.viz.widgets.score_family import family_weights

KEYS, WORDS = torch.tensor([[1.7, 0.4], [0.2, 1.3], [-1.1, 0.6]]), ["cat", "<b>sat</b>", "mat"]
LEARNED = {
    "W_1": torch.eye(2),
    "W_2": -torch.eye(2),
    "w_3": torch.tensor([1.5, -1.0]),
    "W": torch.tensor([[0.0, -1.5], [1.5, 0.0]]),
}


def test_both_sliders_are_linked_in_the_browser():
    live = viz.score_family(KEYS, WORDS, **LEARNED, start=(90, 2.0))
    direction, length, view = live.widget.children
    assert isinstance(view, anywidget.AnyWidget) and (view.direction, view.length) == (90, 2.0) == (
        direction.value,
        length.value,
    )
    assert [(link.source[0], link.target) for link in live.widget.links] == [
        (direction, (view, "direction")),
        (length, (view, "length")),
    ]
    assert view.reach == 4.0 and "&lt;b&gt;" in live.picture.html()


def test_the_still_picture_says_each_scores_largest_weight():
    assert "cosine 0.51 on cat" in viz.score_family(KEYS, WORDS, **LEARNED, start=(30, 1.0)).picture.alt


def test_family_weights_are_the_librarys_scores():
    query = np.array([0.3, -2.0])
    weights = family_weights(query, KEYS, **LEARNED)
    assert list(weights) == ["additive", "multiplicative", "dot", "scaled dot", "cosine"]
    q = torch.tensor(query)[None].float()
    np.testing.assert_allclose(weights["dot"], attention.dot_scores(q, KEYS)[0].softmax(-1), rtol=1e-5)
    np.testing.assert_allclose(
        weights["additive"], attention.additive_scores(q, KEYS, *list(LEARNED.values())[:3])[0].softmax(-1), rtol=1e-5
    )


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"keys": torch.randn(3, 4)}, r"shape \(key, 2\)"),
        ({"tokens": ["a"]}, "1 word, but there are 3 keys"),
        ({"W": torch.eye(3)}, r"W should have the shape \(2, 2\)"),
        ({"W_1": torch.randn(3, 2)}, r"W_1 should have the shape \(d_score, 2\), here \(2, 2\)"),
        ({"w_3": torch.tensor([1.0, float("nan")])}, "finite"),
        ({"start": (30, 9.0)}, "outside its range"),
        ({"length": (3, 1)}, "lowest < highest"),
    ],
)
def test_bad_families_get_one_sentence(change, sentence):
    arguments = {"keys": KEYS, "tokens": WORDS, **LEARNED} | change
    with pytest.raises(viz.PictureError, match=sentence):
        viz.score_family(arguments.pop("keys"), arguments.pop("tokens"), **arguments)


def test_runs_say_where_lines_and_bands_go():
    picture = viz.runs(
        [1, 2, 3],
        {"a": [1, 0.9, 0.8], "b": [1, 0.5, 0.1]},
        {"a": [[1, 1, 0.7], [1, 0.8, 0.9]]},
        x="length",
        y="right",
        mark=(2, "here"),
    )
    assert (
        picture.alt
        == "Line chart of right against length: a from 1.00 at 1 to 0.80 at 3 (stored runs: 0.70 to 0.90); b from 1.00 at 1 to 0.10 at 3."
    )


@pytest.mark.parametrize(
    ("live", "stored", "sentence"),
    [
        ({}, {}, "at least one label"),
        ({"a": [1, 2]}, {}, r"3 xs, and “a” has the shape \(2,\)"),
        ({"a": [1, 2, float("inf")]}, {}, "finite"),
        ({"a": [1, 2, 3]}, {"b": [[1, 2, 3]]}, "no line of this name"),
        ({"a": [1, 2, 3]}, {"a": [1, 2, 3]}, r"\(run, point\) with 3 points"),
    ],
)
def test_bad_runs_get_one_sentence(live, stored, sentence):
    with pytest.raises(viz.PictureError, match=sentence):
        viz.runs([1, 2, 3], live, stored, x="x", y="y")


def words_picture(text):
    if not text:
        raise CourseError("Write <something>.")
    if text == "crash":
        raise ZeroDivisionError("by zero")
    return viz.bars([1.0] * len(text.split()), text.split())


def test_a_text_is_drawn_and_a_bad_one_gets_its_sentence():
    live = viz.text_picture(words_picture, "one two", label="words:")
    box, message, image, _ = live.widget.children
    assert "2 bars" in message.value and box.continuous_update is False
    before = image.value
    box.value = "one two three"
    assert "3 bars" in message.value and image.value != before
    drawn = image.value
    box.value = ""
    assert "Write &lt;something&gt;." in message.value and image.value == drawn, "the last picture stays"
    box.value = "crash"
    assert "For “crash” the picture could not be drawn: ZeroDivisionError: by zero" in message.value
    box.value = "one"
    assert "1 bar" in message.value and "could not" not in message.value
    with pytest.raises(viz.PictureError, match="draw should be a function"):
        viz.text_picture("heatmap", "one")
