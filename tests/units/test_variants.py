"""Primer's two changes against transformers' and torch's own, and what they see."""

import pytest
import torch
from torch import nn
from transformers.activations import ACT2FN

from course_lib.attention import KeyValueCache, MultiHeadAttention
from course_lib.errors import CourseError
from course_lib.layers import FeedForward
from course_lib.leaks import leaks
from course_lib.masks import causal_mask
from course_lib.positions import RotaryPositions
from course_lib.variants import ConvolvedAttention, DepthwiseConvolution, SquaredReLU


def test_squared_relu_is_hugging_faces():
    x = torch.randn(50)
    torch.testing.assert_close(SquaredReLU()(x), ACT2FN["relu2"](x))
    assert isinstance(FeedForward(4, 8, activation=SquaredReLU).activation, SquaredReLU)


@pytest.mark.parametrize(("width", "causal"), [(3, True), (3, False), (1, True), (4, True), (5, False)])
@pytest.mark.parametrize("n", [1, 2, 9])
def test_the_convolution_is_torchs(width, causal, n):
    torch.manual_seed(0)
    layer, x = DepthwiseConvolution(6, width, causal), torch.randn(2, n, 6)
    torch.testing.assert_close(layer(x), x)  # it begins as the identity
    nn.init.normal_(layer.weight)
    padding = width - 1 if causal else width // 2
    theirs = nn.Conv1d(6, 6, width, groups=6, bias=False, padding=padding)
    with torch.no_grad():
        theirs.weight.copy_(layer.weight.T[:, None])
    torch.testing.assert_close(layer(x), theirs(x.mT)[..., :n].mT)


@pytest.mark.parametrize("causal", [True, False])
def test_convolved_attention_begins_as_attention_and_convolves_all_three(causal):
    torch.manual_seed(0)
    plain = MultiHeadAttention(8, 2, positions=RotaryPositions())
    layer, x = ConvolvedAttention(8, 2, causal=causal, positions=RotaryPositions()), torch.randn(2, 5, 8)
    for name in ("W_Q", "W_K", "W_V"):
        getattr(layer, name)[0].load_state_dict(getattr(plain, name).state_dict())
    layer.W_O.load_state_dict(plain.W_O.state_dict())
    torch.testing.assert_close(layer(x)[0], plain(x)[0])
    before = layer(x)[0]
    for name in ("W_Q", "W_K", "W_V"):
        changed = getattr(layer, name)[1].weight
        with torch.no_grad():
            changed += 0.5
        assert (layer(x)[0] - before).abs().max() > 1e-3
        with torch.no_grad():
            changed -= 0.5


def test_causal_ones_see_no_future():
    mask = causal_mask(6)
    for causal in (True, False):
        layer = ConvolvedAttention(8, 2, causal=causal).double()
        for name in ("W_Q", "W_K", "W_V"):
            nn.init.normal_(getattr(layer, name)[1].weight)
        seen = leaks(lambda x, layer=layer: layer(x, mask=mask)[0], torch.randn(1, 6, 8, dtype=torch.float64))
        assert torch.equal(seen, mask) == causal  # with both sides in the window, one token of the future comes in


def test_what_makes_no_sense_is_said():
    with pytest.raises(CourseError, match="odd width"):
        DepthwiseConvolution(4, width=2, causal=False)
    with pytest.raises(CourseError, match="without a cache"):
        ConvolvedAttention(8, 2)(torch.randn(1, 3, 8), cache=KeyValueCache())
