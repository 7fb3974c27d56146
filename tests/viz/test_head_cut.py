"""The drawing of the cut into heads shows what torch does to the numbers."""

import re
import xml.etree.ElementTree as ET

import pytest
import torch

from course_lib import viz

WORDS = ["the", "cat", "<b>"]
SVG = "{http://www.w3.org/2000/svg}"
X = torch.arange(12).reshape(1, 3, 4)


def cells(drawing):
    """The words' numbers (0 to 11) as they stand in the drawing: table by table, row by row."""
    texts = [node.text for node in ET.fromstring(drawing.svg).iter(SVG + "text") if re.search("[₀-₉]", node.text or "")]
    return [4 * WORDS.index(text[:-1]) + "₀₁₂₃".index(text[-1]) for text in texts]


@pytest.mark.parametrize(
    ("step", "at_once", "becomes"),
    [
        ("as it comes", False, X),
        ("half-way", False, X.reshape(1, 3, 2, 2)),
        ("in heads", False, X.reshape(1, 3, 2, 2).transpose(1, 2)),
        ("half-way", True, X.flatten()),
        ("in heads", True, X.reshape(1, 2, 3, 2)),
    ],
)
def test_each_number_stands_where_torch_puts_it(step, at_once, becomes):
    drawing = viz.head_cut(WORDS, num_heads=2, d=2, step=step, at_once=at_once)
    assert cells(drawing) == becomes.flatten().tolist()
    shape = tuple(becomes.shape[1:] if becomes.dim() > 1 else becomes.shape)
    assert f"({', '.join(map(str, shape))})" in drawing.alt


def test_its_words_tell_what_a_head_holds():
    assert "head 0 holds the: the 0, the 1; cat: cat 0, cat 1" in viz.head_cut(WORDS, 2, 2).alt
    assert (
        "head 0 holds row 0: the 0, the 1; row 1: the 2, the 3; row 2: cat 0"
        in viz.head_cut(WORDS, 2, 2, at_once=True).alt
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"num_heads": 3}, "room for 4 words and 13 numbers"),
        ({"num_heads": 0}, "num_heads"),
        ({"step": "swap"}, "step should be 'as it comes', 'half-way' or 'in heads'"),
        ({"words": list("abcde"), "num_heads": 1, "d": 1}, "got 5 words"),
    ],
)
def test_bad_arguments_get_one_sentence(arguments, sentence):
    with pytest.raises(viz.PictureError, match=sentence):
        viz.head_cut(**{"words": WORDS, "num_heads": 2, "d": 2} | arguments)
