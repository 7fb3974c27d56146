"""Pictures of masks, and the padded batch from Python's side."""

import anywidget
import numpy as np
import pytest
import torch

from course_lib import attention, masks, viz
from course_lib.viz.widgets.padded_batch import MASKS, batch_weights, to_padding

WORDS = ["The", "animal", "was", "<b>too</b>", "tired"]
CAUSAL = masks.causal_mask(5)


def test_a_mask_says_how_much_may_be_seen():
    picture = viz.mask_map(CAUSAL, WORDS, title="Causal")
    assert picture.alt == "Causal. Mask, 5 queries × 5 keys. 15 of 25 pairs may look."


def test_masks_are_broadcast_to_queries_and_keys():
    padding = masks.padding_mask(torch.tensor([[1, 2, 0, 0, 0]]), 0)
    picture = viz.mask_map({"causal": CAUSAL, "padding": padding, "both": CAUSAL & padding}, WORDS)
    assert (
        picture.alt
        == "Mask, 5 queries × 5 keys. causal: 15 of 25 pairs may look. padding: 10 of 25 pairs may look. both: 9 of 25 pairs may look."
    )
    assert "2 queries × 5 keys. 4 of 10" in viz.mask_map(padding, ["le", "chat"], WORDS).alt


def test_leaks_and_what_is_missing_are_named():
    picture = viz.mask_map({"right": CAUSAL, "turned": CAUSAL.mT}, WORDS, allowed=CAUSAL)
    assert "right: no leak. turned: 10 leaks, the first at “The”, which sees “animal”; 10 missing." in picture.alt
    assert (
        "1 leak, the first at “The”"
        in viz.mask_map(CAUSAL | (torch.arange(25) == 1).view(5, 5), WORDS, allowed=CAUSAL).alt
    )


def test_a_leak_looks_different_without_colour():
    from test_heatmap import pixels

    right, leaking = (pixels(viz.mask_map(m, WORDS, allowed=CAUSAL)).mean(-1) for m in (CAUSAL, CAUSAL.mT))
    assert right.shape[1] == leaking.shape[1] and abs(right.mean() - leaking.mean()) > 1


@pytest.mark.parametrize(
    "mask, words, options, sentence",
    [
        (CAUSAL.float() * 0.5, WORDS, {}, "True and False, but it holds 0.5"),
        (CAUSAL, WORDS[:3], {}, r"shape \(5, 5\), which doesn't broadcast to 3 queries × 3 keys"),
        (CAUSAL.expand(2, 1, 5, 5), WORDS, {}, "Choose one of the batch"),
        (CAUSAL, WORDS, {"allowed": torch.ones(4, 4)}, "The mask “allowed” has the shape"),
        ({}, WORDS, {}, "nothing to draw"),
        (CAUSAL, [], {}, "1 to 64 positions"),
        (torch.ones(65, 65), ["w"] * 65, {}, "1 to 64 positions"),
        (CAUSAL, "The animal", {}, "one string"),
    ],
)
def test_bad_masks_get_one_sentence(mask, words, options, sentence):
    with pytest.raises(viz.PictureError, match=sentence):
        viz.mask_map(mask, words, **options)


# --- the padded batch -------------------------------------------------------------------------------------------------

SENTENCES = [WORDS, WORDS[:2]]
SCORES = [
    torch.randn(6, 6, generator=torch.Generator().manual_seed(0)),
    torch.randn(3, 3, generator=torch.Generator().manual_seed(1)),
]


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("length, n", [(5, 5), (3, 5), (1, 4), (0, 3), (2, 8)])
def test_the_weights_are_those_of_the_library(mask, length, n):
    place = torch.tensor([i if i < length else 5 for i in range(n)])
    scores = SCORES[0].double()[place][:, place]
    allowed = torch.ones(n, n, dtype=torch.bool)
    if mask in ("padding", "both"):
        allowed = allowed & masks.length_mask(torch.tensor([length]), n)[0, 0]
    if mask in ("causal", "both"):
        allowed = allowed & masks.causal_mask(n)
    weights, shown = batch_weights(SCORES[0].double().numpy(), length, n, mask)
    np.testing.assert_array_equal(shown, allowed.numpy())
    np.testing.assert_allclose(
        weights, attention.attention_weights(scores, torch.eye(n).double(), allowed, scale=1.0).numpy(), atol=1e-12
    )
    assert to_padding(weights, length) == pytest.approx(float(weights[:length, length:].sum()) / max(length, 1))


def test_sliders_are_linked_in_the_browser():
    live = viz.padded_batch(SENTENCES, SCORES, [4, 1], mask="both")
    view = live.widget.children[-1]
    assert isinstance(view, anywidget.AnyWidget) and (view.length_0, view.length_1, view.mask) == (4, 1, 3)
    assert list(live.sliders) == ["length_0", "length_1", "mask"] and live.sliders["length_1"].max == 2
    assert [link.target for link in live.widget.links] == [(view, "length_0"), (view, "length_1"), (view, "mask")]
    assert (
        "padded to 4 words, mask: both" in live.picture.alt
        and "sentence 2, 1 word: 0% of its weight to padding" in live.picture.alt
    )


def test_without_a_mask_the_still_picture_names_the_share():
    weights, _ = batch_weights(SCORES[1].double().numpy(), 1, 5, "no mask")
    assert (
        f"sentence 2, 1 word: {weights[0, 1:].sum():.0%} of its weight"
        in viz.padded_batch(SENTENCES, SCORES, [5, 1]).picture.alt
    )


@pytest.mark.parametrize(
    "sentences, scores, options, sentence",
    [
        ("it was", SCORES, {}, "1 to 4 lists of words"),
        (["it was"], SCORES[:1], {}, "1 to 4 lists of words"),
        (SENTENCES, SCORES[:1], {}, "2 sentences, but 1 matrix"),
        (SENTENCES, SCORES[::-1], {}, r"5 words needs scores of shape \(6, 6\)"),
        (SENTENCES, [SCORES[0] / 0, SCORES[1]], {}, "finite"),
        (SENTENCES, SCORES, {"lengths": [6, 1]}, "lengths should hold"),
        (SENTENCES, SCORES, {"lengths": [0, 0]}, "not all 0"),
        (SENTENCES, SCORES, {"mask": "future"}, "mask should be 'no mask', .* or 'both'; got 'future'"),
        ([["w"] * 13], [torch.zeros(14, 14)], {}, "1 to 12 words"),
    ],
)
def test_bad_batches_get_one_sentence(sentences, scores, options, sentence):
    with pytest.raises(viz.PictureError, match=sentence):
        viz.padded_batch(sentences, scores, **options)
