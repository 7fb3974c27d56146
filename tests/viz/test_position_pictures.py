"""Pictures of positions: tables, the sinusoids' sliders, runs over a band of stored ones."""

import anywidget
import numpy as np
import pytest
import torch

from course_lib import positions, viz
from course_lib.viz.widgets.sinusoid_heatmaps import sinusoid_table

XS = [16, 32, 64]
GOOD = {"task": {"a": ([1, 1, 0.5], [[1, 1, 0.4], [1, 1, 0.6]]), "b": (None, [[0.1, 0.2, 0.3]])}}


@pytest.mark.parametrize(("d_model", "base"), [(2, 50.0), (64, 10_000.0)])
def test_the_widgets_table_is_the_librarys(d_model, base):
    expected = positions.sinusoids(torch.arange(40, dtype=torch.float64), d_model, base)
    np.testing.assert_allclose(sinusoid_table(40, d_model, base), expected, atol=1e-12)


def test_sliders_are_linked_in_the_browser():
    live = viz.sinusoid_heatmaps(32, start={"d_model": 16, "shift": 5})
    view = live.widget.children[-1]
    assert isinstance(view, anywidget.AnyWidget) and (view.positions, view.d_model, view.base, view.shift) == (
        32,
        16,
        10_000,
        5,
    )
    linked = {(link.source[0], link.target) for link in live.widget.links}
    for name, slider in live.sliders.items():
        assert (slider, (view, name)) in linked and slider.value == getattr(view, name)
    assert "32 positions × 16 numbers" in live.picture.alt and "5 apart it is" in live.picture.alt


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"positions": 1}, "whole number from 2 to 256"),
        ({"d_model": (1, 9)}, "d_model"),
        ({"d_model": (2, 65, 1)}, "d_model should be even"),
        ({"d_model": (2, 512, 2)}, "from 2 to 256"),
        ({"start": {"d_model": 7}}, "d_model should be even"),
        ({"base": (1, 100), "start": {"base": 50}}, "above 1"),
        ({"base": (10, 100)}, "outside its range"),
        ({"shift": (0, 64)}, "between 0 and 63"),
        ({"start": {"shift": 70}}, "outside its range"),
    ],
)
def test_bad_sliders_get_one_sentence(options, sentence):
    with pytest.raises(viz.PictureError, match=sentence):
        viz.sinusoid_heatmaps(**options)


def test_tables_side_by_side():
    picture = viz.position_tables(
        {"index": torch.arange(8)[:, None], "waves": positions.sinusoids(torch.arange(8.0), 6)}, title="Two"
    )
    assert (
        "Two. Tables of positions. index: 8 positions × 1 numbers, from 0 to 7; waves: 8 positions × 6" in picture.alt
    )
    assert picture.png[:4] == b"\x89PNG"
    assert "from 0 to 0" in viz.position_tables({"nothing": torch.zeros(3, 2)}).alt


@pytest.mark.parametrize(
    ("tables", "sentence"),
    [
        ({}, "a dict with a table for each name"),
        (torch.zeros(3, 2), "a dict with a table for each name"),
        ({"a": torch.zeros(3)}, r"axes \(position, number\), but its shape is \(3,\)"),
        ({"a": torch.full((2, 2), float("nan"))}, "finite"),
    ],
)
def test_bad_tables_get_one_sentence(tables, sentence):
    with pytest.raises(viz.PictureError, match=sentence):
        viz.position_tables(tables)


def test_bands_say_where_the_stored_runs_begin_and_end():
    picture = viz.bands(XS, GOOD, x="words", y="accuracy", mark=(32, "trained"), level=(0.125, "chance"))
    assert "task: a 1.00 to 0.40–0.60, b 0.10 to 0.30–0.30" in picture.alt


@pytest.mark.parametrize(
    ("panels", "sentence"),
    [
        ({}, "at least one chart"),
        ({"task": {}}, "at least one chart"),
        ({"one": GOOD["task"], "other": {"a": GOOD["task"]["a"]}}, "the same charts in the same order"),
        (
            {"task": {"a": ([1, 1], [[1, 1, 1]])}},
            r"one number for each x: there are 3 xs, and “task, a” has the shape \(2,\)",
        ),
        ({"task": {"a": ([1, 1, 1], [1, 1, 1])}}, r"\(run, point\) with 3 points; “task, a” has the shape \(3,\)"),
        ({"task": {"a": ([1, 1, float("nan")], [[1, 1, 1]])}}, "finite"),
    ],
)
def test_bad_bands_get_one_sentence(panels, sentence):
    with pytest.raises(viz.PictureError, match=sentence):
        viz.bands(XS, panels, x="words", y="accuracy")
