"""The pattern painter, from Python's side: its pattern is the library's mask, its still picture, its sentences."""

import numpy as np
import pytest
import torch

from course_lib import masks, viz
from course_lib.viz.widgets.pattern_painter import RANGES, drawn_keys, key_order, painted


def test_every_slider_moves_the_pattern_in_the_browser():
    live = viz.pattern_painter(n=16, window=3)
    view = live.widget.children[-1]
    assert list(live.sliders) == list(RANGES)
    assert {link.target[1] for link in live.widget.links} == set(RANGES)
    assert (view.n, view.window, live.sliders["window"].value) == (16, 3, 3)


@pytest.mark.parametrize("n, window, num_global, num_random", [(8, 0, 0, 1), (24, 2, 1, 1), (48, 3, 2, 6)])
def test_the_pattern_is_the_librarys_mask(n, window, num_global, num_random):
    order = key_order(0)
    chosen = torch.tensor(drawn_keys(order, n, window, num_global, num_random))
    mask = painted(order, n, window, num_global, num_random)
    np.testing.assert_array_equal(mask, masks.sparse_mask(n, window, num_global, chosen))
    assert mask.sum(1).max() == n if num_global else mask.sum(1).max() <= 2 * window + 1 + num_random


def test_where_no_keys_are_left_fewer_are_drawn():
    assert painted(key_order(0), 8, 12, 4, 6).all()
    assert painted(key_order(0), 8, 2, 0, 6).all()


def test_the_still_picture_says_what_is_counted():
    alt = viz.pattern_painter(n=8, window=1, num_global=0, num_random=0, layers=2).picture.alt
    assert "22 of 64 cells, 2.8 a row" in alt and "Through 2 layers 34 of 64" in alt


@pytest.mark.parametrize("bad", [{"n": 49}, {"window": -1}, {"layers": 0}, {"num_global": 1.5}])
def test_a_number_that_no_slider_has_gets_a_sentence(bad):
    with pytest.raises(viz.PictureError, match=next(iter(bad))):
        viz.pattern_painter(**bad)
