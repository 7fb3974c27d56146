"""Whatever is passed, every picture is drawn, fit to be sent to a browser, or refused with a sentence."""

import time

import numpy as np
import pytest
import torch

from course_lib import viz

WORDS = ["The", "animal", "was", "too", "tired"]
WEIGHTS = torch.softmax(torch.randn(2, 3, 5, 5, generator=torch.Generator().manual_seed(0)), -1)
VECTORS = torch.randn(2, 3, 5, 8, generator=torch.Generator().manual_seed(1))
HALF = "\ud83d half of 😀"  # a tokenizer over bytes decodes such a thing to itself

WITH_WORDS = {
    "heatmap": lambda words, **more: viz.heatmap(WEIGHTS[0], words, **more),
    "head_grid": lambda words, **more: viz.head_grid(WEIGHTS, words, **more),
    "bars": lambda words, **more: viz.bars(torch.arange(5.0), words, **more),
    "mask_map": lambda words, **more: viz.mask_map(torch.ones(5, 5), words, **more),
    "curve": lambda words, **more: viz.curve([1, 2], torch.ones(5, 2), x="x", y="y", labels=words, **more),
    "tokens": lambda words, **more: viz.tokens({"a": words}, **more),
    "head_view": lambda words: viz.head_view(WEIGHTS, words),
    "model_view": lambda words: viz.model_view(WEIGHTS, words),
    "neuron_view": lambda words: viz.neuron_view(VECTORS, VECTORS, WEIGHTS, words),
    "softmax_temperature": lambda words: viz.softmax_temperature(torch.arange(5.0), words),
    "softmax_spread": lambda words: viz.softmax_spread(VECTORS[0, 0, 0], VECTORS[0, 1], words, d_k=(1, 8), start=4),
    "padded_batch": lambda words: viz.padded_batch([words], [torch.zeros(6, 6)]),
}
TITLED = ["heatmap", "head_grid", "bars", "mask_map", "curve", "tokens"]


def sent(shown) -> bytes:
    """What a notebook sends to the browser; UTF-8 can't hold half a character."""
    shown = getattr(shown, "picture", shown)
    return "".join(shown._repr_mimebundle_().values()).encode()


@pytest.mark.parametrize("name", WITH_WORDS)
def test_half_a_character_among_the_words(name):
    live = WITH_WORDS[name]([HALF, *WORDS[1:]])
    assert sent(live)
    if hasattr(live, "widget"):
        for widget in live.widget.children:
            str(widget.get_state()).encode()
    if hasattr(live, "page"):
        live.page.encode()


@pytest.mark.parametrize("name", TITLED)
@pytest.mark.parametrize("text", [HALF, 5])
def test_any_title_and_caption(name, text):
    assert sent(WITH_WORDS[name](WORDS, title=text, caption=text))


def test_half_a_character_anywhere_else():
    assert sent(viz.heatmap(WEIGHTS[0], WORDS, head_names=[HALF, "b", "c"], alt=HALF))
    assert sent(viz.mask_map({HALF: torch.eye(5)}, WORDS))
    assert sent(viz.curve([1, 2], [1, 2], x=HALF, y=HALF))
    assert sent(viz.runs([1, 2], {HALF: [1, 2]}, x=HALF, y=HALF, mark=(1, HALF)))
    assert sent(viz.bands([1, 2], {HALF: {HALF: ([1, 2], [[1, 2]])}}, x=HALF, y=HALF))
    assert sent(viz.position_tables({HALF: [[1, 2]]}, title=HALF))
    assert sent(viz.text_picture(lambda text: viz.heatmap([[1.0]], [text]), HALF))


@pytest.mark.parametrize("name", WITH_WORDS)
@pytest.mark.parametrize("words", [None, 5, np.array(5)], ids=["None", "5", "array(5)"])
def test_what_is_no_list_of_words(name, words):
    if words is None and name in ("curve", "softmax_spread", "neuron_view"):  # there they have a default
        words = 5
    with pytest.raises(viz.PictureError, match="a list"):
        WITH_WORDS[name](words)


@pytest.mark.parametrize("name", [name for name in WITH_WORDS if name != "curve"])
def test_words_may_come_one_by_one(name):
    assert sent(WITH_WORDS[name](word for word in WORDS)) == sent(WITH_WORDS[name](WORDS))


EYE = torch.eye(5)
NO_NUMBERS = {
    "sparse": EYE.to_sparse(),
    "a list of sparse ones": [EYE.to_sparse(), EYE.to_sparse()],
    "meta": EYE.to("meta"),
    "complex": EYE + 1j,
    "a complex array": EYE.numpy() + 1j,
    "a complex list": (EYE + 1j).tolist(),
    "objects": [[object()] * 5] * 5,
    "words": WORDS,
}


@pytest.mark.parametrize("name", NO_NUMBERS)
def test_what_are_no_numbers(name):
    for draw in (viz.heatmap, viz.head_grid, viz.bars):
        with pytest.raises(viz.PictureError, match="values|weights"):
            draw(NO_NUMBERS[name], WORDS)


@pytest.mark.parametrize("large", [1.7e308, 1e200, 4e38])
def test_numbers_that_no_axis_holds(large):
    numbers = [large, 1, -large]
    sentence = "float32 can hold, but the largest is"
    for draw in (
        lambda: viz.heatmap([numbers], ["a"], ["a", "b", "c"], kind="scores"),
        lambda: viz.bars(numbers, ["a", "b", "c"]),
        lambda: viz.curve([1, 2, 3], numbers, x="x", y="y"),
        lambda: viz.runs([1, 2, 3], {"a": numbers}, x="x", y="y"),
        lambda: viz.position_tables({"a": [numbers]}),
        lambda: viz.softmax_temperature(numbers, ["a", "b", "c"]),
        lambda: viz.neuron_view([[[numbers]]], [[[numbers]]], None, ["a"]),
    ):
        with pytest.raises(viz.PictureError, match=sentence):
            draw()


def test_the_largest_numbers_of_a_model_are_drawn():
    lowest = torch.finfo(torch.float32).min
    assert "highest score" in viz.heatmap([[lowest, 1.0]], ["a"], ["a", "b"], kind="scores").alt


@pytest.mark.parametrize("shape", [(2, 2, 0, 0), (0, 2, 5, 5), (2, 0, 5, 5), (2, 2, 0, 5)])
def test_nothing_to_draw(shape):
    with pytest.raises(viz.PictureError, match="nothing to draw"):
        viz.head_grid(torch.zeros(shape), [])


@pytest.mark.parametrize("highlight", ["a", 1.5, 7, -6, None])
def test_a_bar_to_highlight(highlight):
    if highlight is None:
        for index in (0, -1, np.int64(2), torch.tensor(3)):
            assert sent(viz.bars(range(5), WORDS, highlight=index))
        return
    with pytest.raises(viz.PictureError, match="highlight should be the index of a bar, 0 to 4; got"):
        viz.bars(range(5), WORDS, highlight=highlight)


def test_other_options():
    for most in ("a", None, 64.0, -1):
        with pytest.raises(viz.PictureError, match="max_tokens should be a whole number"):
            viz.head_view(WEIGHTS, WORDS, max_tokens=most)
    with pytest.raises(viz.PictureError, match="head_names should be a list of names; got a int"):
        viz.heatmap(WEIGHTS[0], WORDS, head_names=5)
    with pytest.raises(viz.PictureError, match="live should hold at least one label"):
        viz.runs([1, 2], 5, x="x", y="y")


@pytest.mark.parametrize("view", ["head_view", "model_view", "neuron_view"])
def test_more_tokens_than_a_heatmap_takes(view):
    """The still picture of a view isn't asked for: it never stands in its way."""
    n, words = 129, ["w"] * 129
    weights, vectors = torch.full((1, 1, n, n), 1 / n), torch.zeros(1, 1, n, 2)
    arguments = (vectors, vectors, weights) if view == "neuron_view" else (weights,)
    assert "129 tokens" in repr(getattr(viz, view)(*arguments, words, max_tokens=n))


@pytest.mark.slow
def test_a_large_model_is_about_as_wide_as_high_and_no_hang():
    weights = torch.softmax(torch.zeros(200, 10, 10), -1)
    start = time.process_time()
    picture = viz.heatmap(weights, ["word"] * 10)
    grid = viz.head_grid(weights[:144].reshape(12, 12, 10, 10), ["word"] * 10)
    assert time.process_time() - start < 60, "it was 100 s; measured now: 3 and 2.5 s"
    assert 0.5 < picture.width / picture.height < 2 and 0.5 < grid.width / grid.height < 2
