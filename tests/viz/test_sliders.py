"""Sliders, from Python's side: their values, their still pictures, their sentences."""

import anywidget
import ipywidgets
import numpy as np
import pytest
import torch
from IPython.testing.globalipapp import start_ipython
from IPython.utils.capture import capture_output

from course_lib import decoding, viz
from course_lib.viz.widgets.learning_rate import paper_rate
from course_lib.viz.widgets.next_token import reshaped
from course_lib.viz.widgets.softmax_spread import jacobian_norm

WORDS = ["The", "animal", "<b>it</b>"]
generator = torch.Generator().manual_seed(0)
QUERY, KEYS = torch.randn(64, 1024, generator=generator), torch.randn(3, 1024, generator=generator)


def test_the_gradient_is_the_norm_of_autograds_jacobian():
    scores = torch.randn(5, dtype=torch.float64)
    jacobian = torch.autograd.functional.jacobian(lambda s: torch.softmax(s, -1), scores)
    assert jacobian_norm(torch.softmax(scores, -1)).item() == pytest.approx(jacobian.norm().item())


def test_temperature_slider_is_linked_in_the_browser():
    live = viz.softmax_temperature([1.0, 2.0, 3.0], WORDS, temperature=(0.1, 4), start=0.5)
    slider, view = live.widget.children
    assert (
        isinstance(view, anywidget.AnyWidget)
        and slider.value == view.temperature == 0.5
        and (slider.min, slider.max) == (0.1, 4)
    )
    assert [(link.source, link.target) for link in live.widget.links] == [((slider, "value"), (view, "temperature"))]
    assert "0.87, on “<b>it</b>”" in live.picture.alt
    assert "&lt;b&gt;" in live.picture.html()


def test_temperature_of_a_matrix():
    live = viz.softmax_temperature(torch.randn(3, 3), WORDS)
    assert live.widget.children[1].query_tokens == WORDS and "3 queries × 3 keys" in live.picture.alt
    viz.softmax_temperature(torch.randn(2, 3), WORDS, ["a", "b"])


@pytest.mark.parametrize(
    "scores, tokens, options, sentence",
    [
        (torch.randn(2, 3, 3), WORDS, {}, r"axes \(key,\) or \(query, key\)"),
        (torch.randn(4), WORDS, {}, "3 words, but there are 4 keys"),
        (torch.tensor([1, 2, float("nan")]), WORDS, {}, "finite"),
        (torch.randn(3), WORDS, {"temperature": (0, 4)}, "above 0"),
        (torch.randn(3), WORDS, {"temperature": (4, 1)}, "lowest < highest"),
        (torch.randn(3), WORDS, {"temperature": 2}, "lowest < highest"),
        (torch.randn(3), WORDS, {"start": 9}, "outside its range"),
    ],
)
def test_bad_temperatures_get_one_sentence(scores, tokens, options, sentence):
    with pytest.raises(viz.PictureError, match=sentence):
        viz.softmax_temperature(scores, tokens, **options)


def test_the_spread_of_scores_grows_without_the_scale_and_the_gradient_vanishes():
    view = viz.softmax_spread(QUERY, KEYS, WORDS).widget.children[1]
    assert view.d_ks == [2**i for i in range(11)]
    without, with_scale = view.gradients
    assert without[-1] < 0.4 * without[0] and with_scale[-1] > 0.7 * with_scale[0]
    np.testing.assert_allclose(view.scores[3], (QUERY[0, :8] @ KEYS[:, :8].T).double(), rtol=1e-5)


def test_one_query_and_a_smaller_range():
    assert viz.softmax_spread(QUERY[0], KEYS, d_k=(4, 100), start=16).widget.children[1].d_ks == [4, 8, 16, 32, 64]


@pytest.mark.parametrize(
    "query, keys, options, sentence",
    [
        (QUERY, KEYS[:, :5], {}, "same d_max"),
        (QUERY, KEYS, {"d_k": (1, 4096)}, "goes up to 4096, but each query and key has 1024"),
        (QUERY, KEYS, {"d_k": 64}, "two powers of two"),
        (QUERY, KEYS, {"start": 65}, "start should be 1, 2, 4, .* or 1024; got 65"),
        (QUERY, KEYS, {"tokens": ["a"]}, "1 word, but there are 3 keys"),
    ],
)
def test_bad_spreads_get_one_sentence(query, keys, options, sentence):
    with pytest.raises(viz.PictureError, match=sentence):
        viz.softmax_spread(query, keys, **options)


def line(figure, height=1.0, wide=False):
    if height > 3:
        raise ZeroDivisionError("too <high>")
    figure.subplots().plot([0, height])
    return f"height {height:.1f}"


def test_redraw_slider_draws_at_every_move():
    live = viz.redraw_slider(line, height=(0.5, 4, 0.5), wide=False)
    *_, image, _, message = live.widget.children
    before = image.value
    live.sliders["height"].value = 2.0
    assert image.value != before and "height 2.0" in message.value
    live.sliders["wide"].value = True
    assert isinstance(live.sliders["wide"], ipywidgets.Checkbox)


def test_an_error_while_drawing_is_a_sentence_and_the_last_picture_stays():
    live = viz.redraw_slider(line, height=(0.5, 4, 0.5))
    *_, image, _, message = live.widget.children
    before = image.value
    live.sliders["height"].value = 4.0
    assert image.value == before
    assert "At height = 4.0 the picture could not be drawn: ZeroDivisionError: too &lt;high&gt;" in message.value
    live.sliders["height"].value = 1.5
    assert "could not" not in message.value


def test_controls_follow_their_ranges():
    live = viz.redraw_slider(lambda figure, n, f, c: None, n=(1, 9), f=(0.0, 1.0), c=["a", "b"])
    assert [type(c) for c in live.sliders.values()] == [
        ipywidgets.IntSlider,
        ipywidgets.FloatSlider,
        ipywidgets.SelectionSlider,
    ]


@pytest.mark.parametrize(
    "draw, ranges, sentence",
    [
        (3, {"a": (0, 1)}, "draw should be a function"),
        (line, {}, "no slider"),
        (line, {"depth": (0, 1)}, "draw should take a figure and depth"),
        (line, {"height": (3, 1)}, "lowest < highest"),
        (line, {"height": (2.0, 3.0)}, "starts at 1.0, outside"),
        (line, {"height": []}, "one of its choices"),
    ],
)
def test_bad_redraws_get_one_sentence(draw, ranges, sentence):
    with pytest.raises(viz.PictureError, match=sentence):
        viz.redraw_slider(draw, **ranges)


def test_a_still_picture_comes_first_and_then_the_widget():
    start_ipython()
    live = viz.softmax_temperature([1.0, 2.0, 3.0], WORDS)
    with capture_output() as captured:
        live._ipython_display_()
    still, widget = (output.data for output in captured.outputs)
    assert still["text/plain"] == live.picture.alt and 'class="course-static"' in still["text/html"]
    assert (
        widget["application/vnd.jupyter.widget-view+json"]["model_id"] == live.widget.model_id
        and widget["text/plain"] == ""
    )


def test_the_learning_rate_is_linked_in_the_browser_and_drawn_by_the_formula():
    live = viz.learning_rate(400, start={"d_model": 64, "warmup": 100}, own=[0.001, 0.002])
    *sliders, view = live.widget.children
    assert [(s.value, link.target) for s, link in zip(sliders, live.widget.links)] == [
        (64, (view, "d_model")), (100, (view, "warmup"))]  # fmt: skip
    assert view.own == [0.001, 0.002] and "highest 0.013 at step 100" in live.picture.alt
    assert paper_rate(np.array([50.0, 400.0]), 64, 100) == pytest.approx([0.125 * 0.05, 0.125 * 0.05])


@pytest.mark.parametrize(
    "options, sentence",
    [
        ({"steps": 3}, "10 to 1,000,000"),
        ({"d_model": (0, 600)}, "above 0"),
        ({"warmup": (1000, 10)}, "lowest < highest"),
        ({"own": [[0.1]]}, "one rate for each step"),
        ({"own": [float("nan")]}, "finite"),
    ],
)
def test_bad_learning_rates_get_one_sentence(options, sentence):
    with pytest.raises(viz.PictureError, match=sentence):
        viz.learning_rate(**options)


# --- the next token ---------------------------------------------------------------------------------------------------

LOGITS = {"it was": [0.0, 2.0, 1.0, -1.0], "": [3.0, 0.0, 0.0, 0.0]}


def test_next_token_links_every_control_and_has_the_likeliest_first():
    live = viz.next_token(LOGITS, ["a", "b", "c", "d"], start={"top_p": 0.8})
    view = live.widget.children[-1]
    assert [link.target[1] for link in live.widget.links] == ["place", "temperature", "top_k", "top_p"]
    assert view.tokens[0] == ["b", "c", "a", "d"] and view.logits[0] == [2.0, 1.0, 0.0, -1.0]
    assert view.tokens[1][0] == "a" and (view.temperature, view.top_k, view.top_p) == (1.0, 4, 0.8)
    assert "place" not in viz.next_token({"it was": LOGITS["it was"]}, list("abcd")).sliders


@pytest.mark.parametrize(
    "options", [{}, {"temperature": 0.4}, {"top_k": 2}, {"top_p": 0.7}, {"top_k": 3, "top_p": 0.95}]
)
def test_next_token_reshapes_as_decoding_does(options):
    values = {"temperature": 1.3, "top_k": 6, "top_p": 1.0} | options
    logits = torch.randn(6, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    expected = decoding.sampling_probabilities(logits, **values)
    np.testing.assert_allclose(reshaped(logits.numpy(), **values), expected.numpy(), atol=1e-12)


@pytest.mark.parametrize(
    "logits, options, sentence",
    [
        ([1.0, 2.0], {}, "a dictionary"),
        ({"a": [1.0, 2.0], "b": [1.0]}, {}, "the same length"),
        ({"a": [1.0, float("inf"), 0.0, 0.0]}, {}, "finite"),
        (LOGITS, {"temperature": (0, 2)}, "above 0"),
        (LOGITS, {"start": {"top_k": 9}}, "outside its range"),
    ],
)
def test_bad_next_tokens_get_one_sentence(logits, options, sentence):
    with pytest.raises(viz.PictureError, match=sentence):
        viz.next_token(logits, ["a", "b", "c", "d"], **options)
