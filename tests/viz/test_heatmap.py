"""Heatmaps and head grids: what is drawn, what is said, and what is refused."""

import io

import numpy as np
import pytest
import torch
from PIL import Image

from course_lib import viz
from course_lib.errors import CourseError

WORDS = ["The", "animal", "was", "too", "tired"]


def weights(*shape, seed=0):
    return torch.softmax(2 * torch.randn(*shape, generator=torch.Generator().manual_seed(seed)), -1)


def pixels(picture):
    return np.asarray(Image.open(io.BytesIO(picture.png)).convert("RGB"))


@pytest.mark.parametrize("shape", [(5, 5), (1, 5, 5), (4, 5, 5), (1, 4, 5, 5), (12, 5, 5)])
def test_shapes_that_models_return_are_drawn(shape):
    assert pixels(viz.heatmap(weights(*shape), WORDS)).std() > 5


def test_the_words_name_the_strongest_pair():
    w = torch.full((5, 5), 0.1)
    w.fill_diagonal_(0.6)
    w[3] = torch.tensor([0, 0.9, 0.1, 0, 0])
    picture = viz.heatmap(w, WORDS, title="Head 2")
    assert picture.alt == "Head 2. Heatmap of weights, 5 queries × 5 keys; “too” looks most at “animal” (0.90)."
    assert "in head 1, “too” looks most" in viz.heatmap(torch.stack([torch.eye(5) * 0.5 + 0.1, w]), WORDS).alt
    assert viz.heatmap(w, WORDS, alt="My words").alt == "My words"


def test_other_axes_than_attention_are_named():
    picture = viz.heatmap([[0.9, 0.1], [0.2, 0.8]], ["ada", "ran"], ["PER", "O"], axes=("word", "tag", "probability"))
    assert picture.alt == "Heatmap of probability, 2 words × 2 tags; the highest is “ada”, “PER” (0.90)."


def test_a_bundle_has_words_html_and_png():
    bundle = viz.heatmap(weights(5, 5), WORDS, caption="<b>&")._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html", "image/png"}
    assert "&lt;b&gt;&amp;" in bundle["text/html"] and "<b>" not in bundle["text/html"]
    assert bundle == viz.heatmap(weights(5, 5), WORDS, caption="<b>&")._repr_mimebundle_(), (
        "the same input gives the same output"
    )


def test_alternative_text_is_escaped():
    html = viz.heatmap(torch.eye(2), ['"><script>', "b"]).html()
    assert "<script>" not in html and "&#34;&gt;&lt;script&gt;" in html


@pytest.mark.parametrize(
    "token", ["$x$", "$", "a_b^c", "\\frac", "<b>", "", " ", "\n", "x" * 300, "你好", "😀", "</script>"]
)
def test_any_token_can_be_drawn_without_a_warning(token, recwarn, capfd):
    viz.heatmap(torch.eye(2), [token, "b"])
    assert not recwarn.list and not capfd.readouterr().err


def test_a_dollar_sign_is_no_formula():
    assert (pixels(viz.heatmap(torch.eye(1), ["$x$"])) != pixels(viz.heatmap(torch.eye(1), ["x x"]))).any()


def test_long_tokens_do_not_blow_up_the_picture():
    assert viz.heatmap(torch.eye(2), ["x" * 300, "b"]).width < 700


def test_other_keys_than_queries():
    assert "2 queries × 5 keys" in viz.heatmap(weights(2, 5), ["a", "b"], WORDS).alt


def test_masked_rows_of_zeros_and_halves_are_weights():
    w, masked = weights(5, 5), weights(5, 5)
    masked[0] = 0
    drawn = viz.heatmap(w, WORDS)
    assert viz.heatmap(masked, WORDS).png != drawn.png
    assert viz.heatmap(w.bfloat16(), WORDS).alt == drawn.alt
    for same in (w.requires_grad_(), w.detach().numpy(), w.tolist()):
        assert viz.heatmap(same, WORDS).png == drawn.png


def test_scores_may_be_anything_but_nan():
    scores = torch.tensor([[-3.0, 200.0], [float("-inf"), 0.0]])
    assert "highest score" in viz.heatmap(scores, ["a", "b"], kind="scores").alt
    assert "(0.00)" in viz.heatmap(torch.zeros(2, 2), ["a", "b"], kind="scores").alt
    with pytest.raises(viz.PictureError, match="finite"):
        viz.heatmap(torch.full((2, 2), float("nan")), ["a", "b"], kind="scores")


def test_a_grid_of_layers_and_heads():
    assert viz.head_grid(weights(2, 3, 5, 5), WORDS).alt.startswith("6 heatmaps of weights")
    assert "layer 1 · head" in viz.head_grid(torch.stack([weights(3, 5, 5) * 0 + 0.2, weights(3, 5, 5)]), WORDS).alt
    assert viz.head_grid([weights(1, 3, 5, 5)] * 2, WORDS).alt.startswith("6 heatmaps")
    assert viz.head_grid(weights(3, 5, 5), WORDS).alt.startswith("3 heatmaps")
    with pytest.raises(viz.PictureError, match=r"\(layer, head, query, key\)"):
        viz.head_grid(weights(5, 5), WORDS)


nan_row = weights(5, 5)
nan_row[2] = float("nan")


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        ((weights(2, 4, 5, 5), WORDS), r"batch of 2\. Choose one"),
        ((weights(5), WORDS), r"axes \(query, key\).*\(5,\)"),
        ((weights(5, 5), WORDS[:4]), "tokens has 4 words, but there are 5 queries"),
        ((weights(5, 5), WORDS, WORDS[:1]), "key_tokens has 1 word, but there are 5 keys"),
        ((weights(4, 5), WORDS[:4]), "tokens has 4 words, but there are 5 keys"),
        ((weights(5, 5), " ".join(WORDS)), "one string"),
        ((weights(5, 5), 5), "list of words"),
        ((weights(5, 5) * 3, WORDS), "row of query 0, “The”, sums to 3"),
        ((weights(5, 5).T, WORDS), "Each column sums to 1.*dim=-1"),
        ((weights(5, 5) - 0.5, WORDS), "can't be negative"),
        ((nan_row, WORDS), "NaN in the row of query 2, “was”"),
        ((torch.zeros(0, 0), []), "nothing to draw"),
        ((torch.eye(200), ["w"] * 200), "up to 128 positions, but there are 200"),
        (("weights", WORDS), "should hold numbers"),
        (([[1, 0], [1]], WORDS), "should hold numbers"),
        (([torch.eye(2), torch.eye(3)], WORDS), "different shapes"),
    ],
)
def test_bad_input_gets_one_sentence(arguments, sentence):
    with pytest.raises(CourseError, match=sentence) as caught:
        viz.heatmap(*arguments)
    assert isinstance(caught.value, ValueError) and "\n" not in str(caught.value)


def test_unknown_kind_and_wrong_names():
    with pytest.raises(viz.PictureError, match="kind should be 'weights' or 'scores'; got 'logits'"):
        viz.heatmap(torch.eye(2), ["a", "b"], kind="logits")
    with pytest.raises(viz.PictureError, match="head_names has 1 name, but there are 2 heads"):
        viz.heatmap(weights(2, 5, 5), WORDS, head_names=["x"])


def test_names_of_many_heads_do_not_run_into_each_other():
    from course_lib.viz.token_tables import Room, TokenTable, token_tables

    names = [f"layer 10 · head {i}" for i in range(12)]
    tables = [TokenTable(name, WORDS, WORDS) for name in names]
    figure, places = token_tables(tables, columns=12, cell=0.1, font=4, room=Room())
    figure.canvas.draw()
    extents = [axes.title.get_window_extent() for axes in places]
    assert all(left.x1 < right.x0 for left, right in zip(extents, extents[1:]))
    assert all(axes.yaxis.get_visible() == (i == 0) for i, axes in enumerate(places)), (
        "one set of labels serves the row"
    )


@pytest.mark.parametrize("size, cell", [(3, 0.5), (30, 0.2), (14, 0.12)])
def test_every_text_is_inside_the_picture(size, cell):
    from course_lib.viz.token_tables import Room, TokenTable, axis_titles, token_tables

    words = ["internationalisation", "<b>", *["w" * i for i in range(1, size - 1)]]
    tables = [TokenTable(name, words, words) for name in ("one", "two")]
    figure, places = token_tables(
        tables, columns=1, cell=cell, font=8, room=Room(bottom=0.35), title="A long title " * 4
    )
    axis_titles(figure, places, "query", "key")
    figure.canvas.draw()
    width, height = figure.get_size_inches() * figure.dpi
    texts = [
        figure._suptitle,
        *(label for axes in places for label in (*axes.get_xticklabels(), *axes.get_yticklabels())),
    ]
    for text in texts:
        box = text.get_window_extent()
        assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= width and box.y1 <= height, text


def test_pictures_stay_small():
    assert len(viz.heatmap(weights(5, 5), WORDS).png) < 40_000
    assert len(viz.heatmap(weights(8, 24, 24), ["word"] * 24).png) < 200_000
