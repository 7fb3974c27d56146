"""The map of words and the mixture of layers, from Python's side: what they compute, what they send, their sentences."""

import json

import numpy as np
import pytest

from course_lib import viz
from course_lib.viz.neighbour_map import neighbour_map
from course_lib.viz.widgets.layer_mixture import flattened, shares

RNG = np.random.default_rng(0)
WORDS = [f"a{i}" for i in range(12)] + [f"b{i}" for i in range(12)] + ["<b>"]


def crowds(seed=0):
    """Twelve vectors of one kind, twelve of another, and one between."""
    rng = np.random.default_rng(seed)
    one, two = np.eye(8)[0] * 4, np.eye(8)[1] * 4
    middle = [*[one] * 12, *[two] * 12, (one + two) / 2]
    return np.array(middle) + 0.3 * rng.normal(size=(25, 8))


def test_two_crowds_stay_apart_and_what_is_between_lies_between():
    places = neighbour_map(crowds(), perplexity=5)
    one, two = places[:12].mean(0), places[12:24].mean(0)
    apart = np.linalg.norm(one - two)
    for crowd, centre in ((places[:12], one), (places[12:24], two)):
        assert np.linalg.norm(crowd - centre, axis=1).max() < apart / 2
    assert np.linalg.norm(places.mean(0)) < 1e-9


def test_length_and_the_order_of_words_change_nothing_and_the_map_goes_on_from_where_it_was():
    vectors = crowds()
    places = neighbour_map(vectors)
    np.testing.assert_allclose(neighbour_map(vectors * 7), places, atol=1e-6)
    moved = neighbour_map(vectors, places)
    assert np.linalg.norm(moved - places, axis=1).max() < 0.5 * np.abs(places).max()


@pytest.mark.parametrize(
    "vectors, start", [(np.zeros((5, 3)), None), (np.ones((3, 3)), None), (crowds(), np.zeros((2, 2)))]
)
def test_what_no_map_can_be_made_of(vectors, start):
    with pytest.raises(viz.PictureError):
        neighbour_map(vectors, start)


def test_the_map_sends_points_and_nearest_words_of_each_moment():
    made = viz.word_map(WORDS, RNG.normal(size=(25, 8)), groups={"as": WORDS[:12], "bs": WORDS[12:24]}, marked=["<b>"])
    (view,) = made.widget.children
    made.add(100, crowds())
    moments = [json.loads(moment) for moment in view.moments]
    assert [moment["at"] for moment in moments] == [0, 100] and made.moments == 2
    assert np.shape(moments[1]["points"]) == (25, 2) and np.abs(moments[1]["points"]).max() == 1
    for i, near in enumerate(moments[1]["near"][:24]):
        assert i not in [j for j, _ in near] and near == sorted(near, key=lambda pair: -pair[1])
        assert all(j // 12 == i // 12 for j, _ in near[:4])
    assert view.groups == [["as", list(range(12))], ["bs", list(range(12, 24))]] and view.marked == [24]
    assert "25 words after 100 steps" in made.picture.alt and "<b>" not in made.picture.html()


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        ({"words": ["a"] * 25}, "different words"),
        ({"words": WORDS[:2]}, "4 to 600"),
        ({"groups": {"x": ["nobody"]}}, "'nobody' is in a group or marked"),
        ({"groups": {"x": []}}, "'x' has no words"),
        ({"marked": ["nobody"]}, "none of the words"),
        ({"vectors": np.ones((3, 2))}, r"25 words; got \(3, 2\)"),
    ],
)
def test_no_such_map(arguments, sentence):
    given = {"words": WORDS, "vectors": crowds()} | arguments
    with pytest.raises(viz.PictureError, match=sentence):
        viz.word_map(given.pop("words"), given.pop("vectors"), **given)


# --- layers -----------------------------------------------------------------------------------------------------------


def uses():
    """Six uses: one point in layer 0, two crowds in layer 1."""
    layers = np.zeros((2, 6, 4))
    layers[0] = 3
    layers[1, :3, 0], layers[1, 3:, 0] = 1, -1
    layers[1, :, 1] = np.linspace(-0.2, 0.2, 6)
    return layers


def test_a_layer_without_difference_is_one_point_and_mixing_comes_before_or_after_the_plane():
    layers = uses()
    points = flattened(layers)
    assert np.ptp(points[0], axis=0).max() < 1e-9 and np.abs(points).max() == 1
    assert (points[1, :3, 0] * points[1, 3:, 0] < 0).all()
    share = shares([0.3, -1.0])
    mixed = flattened(np.stack([np.einsum("j,jud->ud", share, layers)] * 2))[0]
    both = np.einsum("j,jux->ux", share, points)
    np.testing.assert_allclose(np.abs(mixed), np.abs(both) / np.abs(both).max(), atol=1e-9)
    assert share.sum() == pytest.approx(1)


def test_the_sliders_are_linked_in_the_browser():
    kinds, texts = ["verb"] * 3 + ["noun"] * 3, ["x <b>y</b>"] * 6
    live = viz.layer_mixture(
        {"one": uses(), "two": uses()}, {"one": kinds, "two": kinds}, {"one": texts, "two": texts}, start=[3, 0]
    )
    *controls, view = live.widget.children
    names = ("word", "s0", "s1", "gamma")
    assert [(link.source[0], link.target) for link in live.widget.links] == [
        (control, (view, name)) for control, name in zip(controls, names)
    ]
    assert (view.s0, view.s1, view.gamma, view.word) == (3, 0, 1, 0) and view.traits()["s0"].metadata["sync"]
    assert (
        np.shape(view.points) == (2, 2, 6, 2)
        and view.kinds[0] == [0, 0, 0, 1, 1, 1]
        and view.names[0] == ["verb", "noun"]
    )
    assert "6 uses of one" in live.picture.alt and "layer 0 0.95" in live.picture.alt


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        ({"layers": {"x": uses()[:1]}}, r"\(layer, use, d\)"),
        ({"kinds": {"x": ["verb"] * 6}}, "two different names"),
        ({"texts": {"y": ["t"] * 6}}, "same words"),
        ({"start": [9, 0]}, "2 numbers from -4 to 4"),
    ],
)
def test_layers_that_do_not_fit(arguments, sentence):
    given = {"layers": {"x": uses()}, "kinds": {"x": ["a"] * 3 + ["b"] * 3}, "texts": {"x": ["t"] * 6}} | arguments
    with pytest.raises(viz.PictureError, match=sentence):
        viz.layer_mixture(given.pop("layers"), given.pop("kinds"), given.pop("texts"), **given)
