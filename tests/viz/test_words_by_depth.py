"""The slider over a stack's layers, from Python's side: what it computes, what it sends, its sentences."""

from itertools import product

import numpy as np
import pytest
import torch

from course_lib import viz
from course_lib.viz.widgets.words_by_depth import flattened, spread

WORDS = ["a", "<b>old</b>", "clock"]
SETTINGS = list(product((False, True), repeat=3))


def stacks(layers=3, words=3, d_model=5):
    return {setting: torch.randn(layers, words, d_model) for setting in SETTINGS}


def test_equal_words_have_no_spread_and_fall_into_one_point():
    vectors = np.random.default_rng(0).normal(size=(2, 3, 5))
    vectors[1] = vectors[1, 0]
    assert spread(vectors)[0] > 0.3 and spread(vectors)[1] < 1e-9
    assert np.ptp(flattened(vectors)[1], axis=0).max() < 1e-9


def test_the_size_of_the_vectors_changes_nothing():
    vectors = np.random.default_rng(0).normal(size=(2, 4, 5))
    np.testing.assert_allclose(spread(1000 * vectors), spread(vectors))
    np.testing.assert_allclose(abs(flattened(1000 * vectors)), abs(flattened(vectors)), atol=1e-9)


def test_words_in_a_plane_keep_their_distances_and_a_turn_is_undone():
    rng = np.random.default_rng(1)
    plane = rng.normal(size=(5, 2))
    plane -= plane.mean(0)
    turn, _ = np.linalg.qr(rng.normal(size=(2, 2)))
    vectors = np.zeros((2, 5, 4))
    vectors[0, :, :2], vectors[1, :, 1:3] = plane, plane @ turn
    points = flattened(vectors)
    np.testing.assert_allclose(points[1], points[0], atol=1e-9)
    distances = np.linalg.norm(points[0][:, None] - points[0], axis=-1)
    original = np.linalg.norm(plane[:, None] - plane, axis=-1)
    np.testing.assert_allclose(distances / distances.max(), original / original.max(), atol=1e-9)


def test_the_switches_and_the_slider_are_linked_in_the_browser():
    live = viz.words_by_depth(stacks(), WORDS, depth=1, parts=["skip"])
    *controls, view = live.widget.children
    assert [(link.source[0], link.target) for link in live.widget.links] == [
        (control, (view, name)) for control, name in zip(controls, ("depth", "feed_forward", "norm", "skip"))
    ]
    assert (view.depth, view.feed_forward, view.norm, view.skip) == (1, False, False, True)
    assert set(view.points) == set(view.spreads) == {"".join(str(int(on)) for on in setting) for setting in SETTINGS}
    assert np.shape(view.points["101"]) == (3, 3, 2) and np.shape(view.spreads["101"]) == (3,)
    assert "after 1 layer of attention + skip" in live.picture.alt and "&lt;b&gt;" not in live.picture.alt


@pytest.mark.parametrize(
    "vectors, tokens, options, sentence",
    [
        (torch.randn(3, 3, 5), WORDS, {}, "all eight choices"),
        ({setting: torch.randn(3, 3, 5) for setting in SETTINGS[:7]}, WORDS, {}, "all eight choices"),
        (stacks() | {SETTINGS[0]: torch.randn(4, 3, 5)}, WORDS, {}, "the same for all choices"),
        (stacks(layers=1), WORDS, {}, "two or more of each"),
        (stacks(), WORDS[:2], {}, "2 words, but there are 3 words"),
        (stacks() | {SETTINGS[3]: torch.full((3, 3, 5), torch.nan)}, WORDS, {}, "finite"),
        (stacks(), WORDS, {"depth": 3}, "from 0 to 2; got 3"),
        (stacks(), WORDS, {"parts": ["dropout"]}, "got 'dropout'"),
    ],
)
def test_bad_arguments_get_one_sentence(vectors, tokens, options, sentence):
    with pytest.raises(viz.PictureError, match=sentence):
        viz.words_by_depth(vectors, tokens, **options)
