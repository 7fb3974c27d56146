"""Arcs over a sentence: what is drawn, what is said, and what is refused."""

import io

import numpy as np
import pytest
import torch
from matplotlib.patches import FancyArrowPatch
from PIL import Image

from course_lib import viz
from course_lib.viz.style import new_figure

WORDS = ["ROOT", "keys", "near", "doors", "rust", "today"]
PARENTS = [0, 4, 3, 1, 0, 4]
LABELS = ["", "nsubj", "case", "nmod", "root", "advmod"]


def ink(picture):
    return (np.asarray(Image.open(io.BytesIO(picture.png)).convert("L")) < 250).sum()


def drawn(**more):
    """The arrows on axes of one's own, in the order of their height."""
    axes = new_figure(6, 4).subplots()
    viz.draw_arcs(axes, WORDS, PARENTS, **more)
    arrows = [patch for patch in axes.patches if isinstance(patch, FancyArrowPatch)]
    return axes, sorted(arrows, key=lambda arrow: arrow.get_path().get_extents().height)


def test_the_words_list_the_arcs_and_what_is_wrong():
    picture = viz.arcs(WORDS, torch.tensor(PARENTS), LABELS, wrong=[3], asked=4, weights=[0, 0.7, 0, 0.3, 0, 0])
    assert picture.alt == (
        "Arcs from each parent to its child, over “ROOT keys near doors rust today”: rust → keys (nsubj); "
        "doors → near (case); keys → doors (nmod), a wrong arc; ROOT → rust (root); rust → today (advmod). "
        "“rust” attends most to “keys” (0.70)."
    )
    assert viz.arcs(WORDS, PARENTS, title="A tree").alt.startswith("A tree. Arcs")
    assert viz.arcs(WORDS, PARENTS, alt="My words").alt == "My words"


def test_each_arc_joins_its_two_words_above_all_that_it_spans():
    axes, arrows = drawn()
    at = {text.get_text(): text.get_position()[0] for text in axes.texts}
    found = [(box.x0, box.x1) for box in (arrow.get_path().get_extents() for arrow in arrows)]
    pairs = [{("near", "doors"), ("rust", "today")}, {("keys", "doors")}, {("keys", "rust")}, {("ROOT", "rust")}]
    lowest_first = [pair for same in pairs for pair in sorted(same, key=lambda pair: at[pair[0]])]
    lowest = sorted(found[:2]) + found[2:]
    for (left, right), (start, end) in zip(lowest, lowest_first, strict=True):
        assert left == pytest.approx(at[start], abs=0.12) and right == pytest.approx(at[end], abs=0.12)


def test_a_wrong_arc_is_dashed_not_only_of_another_colour():
    _, arrows = drawn(wrong=[3])
    assert sorted(arrow.get_linestyle() == "-" for arrow in arrows) == [False, True, True, True, True]


def test_what_stands_under_the_words_is_drawn():
    plain = viz.arcs(WORDS, PARENTS)
    told = viz.arcs(WORDS, PARENTS, asked=4, rows={"edges": [1, 1, 2, 2, 0, 1]})
    assert told.height > plain.height and ink(told) > ink(plain)
    whole = viz.arcs(WORDS, PARENTS, weights=torch.eye(6))
    assert whole.height > told.height and "map of attention" in whole.alt


def test_many_words_are_no_wider_than_a_page():
    words = [f"word{i}" for i in range(40)]
    assert viz.arcs(words, [max(i - 1, 0) for i in range(40)]).width <= 1100


def test_a_tree_whose_arcs_cross_is_drawn():
    assert ink(viz.arcs(list("Rabcd"), [0, 3, 4, 0, 1])) > 100


@pytest.mark.parametrize(
    "given, sentence",
    [
        ({"words": "ROOT keys"}, "is one string"),
        ({"words": ["a"], "parents": [0]}, "needs two words or more"),
        ({"parents": [0, 1]}, "one whole number for each of 6 words"),
        ({"parents": [0, 4, 3, 1, 0, 4.5]}, "one whole number"),
        ({"parents": [0, 4, 3, 1, 0, 6]}, "0 to 5; got 6"),
        ({"labels": ["a"]}, "labels has 1 label"),
        ({"asked": 6}, "asked should name places"),
        ({"wrong": ["keys"]}, "wrong should name places"),
        ({"rows": {"edges": [1]}}, "1 entr"),
        ({"weights": torch.eye(6)[0]}, "say which it is"),
        ({"weights": torch.eye(5)}, "weights should have the shape"),
        ({"weights": torch.full((6, 6), 0.3)}, "should sum to 1"),
    ],
)
def test_bad_input_gets_one_sentence(given, sentence):
    with pytest.raises(viz.PictureError, match=sentence):
        viz.arcs(**{"words": WORDS, "parents": PARENTS} | given)
