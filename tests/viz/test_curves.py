"""Curves and bars."""

import pytest
import torch

from course_lib import viz


def test_a_curve_says_where_it_goes():
    picture = viz.curve([1, 4, 16], [1.0, 2.1, 3.9], x="length", y="spread", reference=("√d_k", [1, 2, 4]), log=True)
    assert (
        picture.alt
        == "Line chart of spread against length; from 1 at 1 to 3.9 at 16; dashed line to compare with: √d_k."
    )


@pytest.mark.parametrize("log", [False, True, "x", "y"])
def test_several_lines(log):
    picture = viz.curve(
        torch.arange(1, 60), torch.rand(3, 59) + 0.1, labels=["a", "b", "$c$"], x="n", y="time, s", log=log, title="$5"
    )
    assert picture.alt.startswith("$5. Line chart of time, s against n; a: from ")


@pytest.mark.parametrize(
    "arguments, options, sentence",
    [
        (([1, 2], [1, 2, 3]), {}, r"2 xs, and ys has the shape \(3,\)"),
        (([], []), {}, "one y for each x"),
        (([1, 2], [[1, 2], [3, 4]]), {}, "2 lines; pass labels"),
        (([1, 2], [[1, 2], [3, 4]]), {"labels": ["a"]}, "list with 2 names"),
        (([1, 2], [1, 2]), {"labels": "ab"}, "labels should be a list"),
        (([1, 2], [1, float("nan")]), {}, "finite"),
        (([0, 2], [1, 2]), {"log": True}, "above 0, but xs holds 0"),
        (([1, 2], [-1, 2]), {"log": "y"}, "ys holds -1"),
        (([1, 2], [1, 2]), {"log": "z"}, "log should be"),
        (([1, 2], [1, 2]), {"reference": ("r", [1])}, "pair of a label and 2 values"),
    ],
)
def test_bad_curves_get_one_sentence(arguments, options, sentence):
    with pytest.raises(viz.PictureError, match=sentence):
        viz.curve(*arguments, x="x", y="y", **options)


def test_bars():
    assert (
        "highest “animal” (0.7), lowest “the” (0.1)"
        in viz.bars([0.1, 0.7, 0.2], ["the", "animal", "$it$"], y="weight", highlight=1).alt
    )
    viz.bars(torch.randn(30) * 1e4, [f"a long word {i}" for i in range(30)], y="count")
    with pytest.raises(
        viz.PictureError, match=r"shape \(2,\), and there is 1 label|shape \(2,\), and there are 1 label"
    ):
        viz.bars([1, 2], ["a"])
    with pytest.raises(viz.PictureError, match="finite"):
        viz.bars([1, float("inf")], ["a", "b"])
