"""The slider over what a head mixes, from Python's side: what it sends, its still picture, its sentences."""

import numpy as np
import pytest
import torch

from course_lib import viz
from course_lib.viz.widgets.mixture import outline

WORDS = ["dog", "<b>bites</b>", "man"]
WEIGHTS, VALUES = torch.tensor([[0.2, 0.4, 0.4], [0.0, 1.0, 0.0]]), torch.tensor([[2.0, 0.0], [0.0, 4.0], [2.0, 4.0]])


def test_the_slider_moves_the_row_in_the_browser():
    live = viz.mixture(WEIGHTS, VALUES, WORDS, slider="angle", settings=[0, 90], start=1)
    control, view = live.widget.children
    assert [(link.source, link.target) for link in live.widget.links] == [((control, "index"), (view, "index"))]
    assert (view.index, control.label, view.slider, view.settings) == (1, "90", "angle", ["0", "90"])
    np.testing.assert_allclose(view.rows, WEIGHTS, atol=1e-5)
    assert view.points == VALUES.tolist()


def test_the_still_picture_says_where_z_is():
    live = viz.mixture(WEIGHTS, VALUES, WORDS, slider="angle", settings=[0, 90])
    assert "angle: 0. 3 values as points, and their mixture z at 1.20 and 3.20" in live.picture.alt
    assert "The largest weight is 0.40, on <b>bites</b>" in live.picture.alt and "<b>" not in live.picture.html()


def test_the_outline_goes_round_all_points():
    square = np.array([[0, 0], [1, 1], [0.5, 0.5], [1, 0], [0, 1]], dtype=float)
    assert outline(square) == [0, 3, 1, 4]
    assert set(outline(np.array([[0, 0], [1, 1], [2, 2]], dtype=float))) == {0, 2}
    assert outline(np.zeros((1, 2))) == [0]


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        ({"weights": WEIGHTS[0]}, r"\(setting, key\)"),
        ({"weights": WEIGHTS * 2}, "sum 1"),
        ({"weights": -WEIGHTS}, "positive"),
        ({"values": VALUES.T}, r"\(3, 2\), a point of a plane for each key; got \(2, 3\)"),
        ({"tokens": ["dog"]}, "1 word, but there are 3 keys"),
        ({"settings": [0]}, "1 name, but there are 2 rows"),
        ({"start": 2}, "from 0 to 1"),
    ],
)
def test_bad_arguments_get_one_sentence(arguments, sentence):
    given = {"weights": WEIGHTS, "values": VALUES, "tokens": WORDS} | arguments
    with pytest.raises(viz.PictureError, match=sentence):
        viz.mixture(given.pop("weights"), given.pop("values"), given.pop("tokens"), **given)
