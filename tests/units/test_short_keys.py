"""Linformer and memory-compressed attention: what they are without shortening, and what their short keys hold."""

import pytest
import torch
from torch import nn

from course_lib.attention import KeyValueCache, MultiHeadAttention, scaled_dot_product_attention, split_heads
from course_lib.errors import CourseError
from course_lib.layers import Block
from course_lib.leaks import leaks
from course_lib.positions import RelativePositions, RotaryPositions
from course_lib.short_keys import CompressedAttention, LinformerAttention, compress


def copied(variant, positions=None):
    """Full attention with the variant's projections."""
    full = MultiHeadAttention(variant.d_model, variant.num_heads, positions=positions)
    full.load_state_dict(variant.state_dict(), strict=False)
    return full


@pytest.mark.parametrize("positions", [None, RotaryPositions()])
@pytest.mark.parametrize("need_weights", [True, False])
def test_without_shortening_it_is_full_attention(positions, need_weights):
    torch.manual_seed(0)
    linformer = LinformerAttention(16, 4, n=7, short=7, positions=positions)
    compressed = CompressedAttention(16, 4, stride=1, positions=positions)
    with torch.no_grad():
        for identity in (linformer.E, linformer.F, compressed.W_key, compressed.W_value):
            identity.copy_(torch.eye(identity.shape[-1]))
    x = torch.randn(2, 7, 16)
    for variant in (linformer, compressed):
        torch.testing.assert_close(
            variant(x, need_weights=need_weights), copied(variant, positions)(x, need_weights=need_weights)
        )


def test_linformer_is_the_papers_formula():
    torch.manual_seed(0)
    attention, x = LinformerAttention(16, 4, n=9, short=3), torch.randn(2, 9, 16)
    q, k, v = (split_heads(W(x), 4) for W in (attention.W_Q, attention.W_K, attention.W_V))
    short_k = torch.stack([sum(row[j] * k[:, :, j] for j in range(9)) for row in attention.E], dim=2)
    short_v = torch.stack([sum(row[j] * v[:, :, j] for j in range(9)) for row in attention.F], dim=2)
    heads, weights = scaled_dot_product_attention(q, short_k, short_v)
    output, own = attention(x, need_weights=True)
    assert own.shape == (2, 4, 9, 3)
    torch.testing.assert_close(own, weights)
    torch.testing.assert_close(output, attention.W_O(heads.transpose(1, 2).flatten(2)))
    torch.testing.assert_close(attention(x)[0], output)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 12])
@pytest.mark.parametrize("stride", [1, 3, 5])
def test_compress_is_the_loop_over_groups_and_a_convolution(n, stride):
    torch.manual_seed(0)
    x, W = torch.randn(2, n, 4, dtype=torch.float64), torch.randn(stride, 6, 4, dtype=torch.float64)
    own = compress(x, W)
    for m in range(-(-n // stride)):
        words = range(m * stride, min((m + 1) * stride, n))
        torch.testing.assert_close(own[:, m], sum(x[:, j] @ W[j - m * stride].T for j in words))
    convolution = nn.Conv1d(4, 6, stride, stride, bias=False, dtype=torch.float64)
    with torch.no_grad():
        convolution.weight.copy_(W.permute(1, 2, 0))
    padded = torch.cat([x, x.new_zeros(2, -n % stride, 4)], dim=1)
    torch.testing.assert_close(own, convolution(padded.mT).mT)


def test_the_convolution_goes_over_all_heads_together():
    torch.manual_seed(0)
    attention, x = CompressedAttention(16, 4, stride=2, d_v=3), torch.randn(2, 5, 16)
    projected = attention.W_K(x), attention.W_V(x)
    short = attention.shorten(*(split_heads(each, 4) for each in projected))
    assert short[1].shape == (2, 4, 3, 3)
    for own, each, W in zip(short, projected, (attention.W_key, attention.W_value), strict=True):
        torch.testing.assert_close(own, split_heads(compress(each, W), 4))


@pytest.mark.parametrize("n", [4, 5, 6])
def test_every_word_counts_the_last_ones_too(n):
    torch.manual_seed(0)
    for attention in (CompressedAttention(8, 2, stride=3), LinformerAttention(8, 2, n=n, short=2)):
        assert leaks(lambda x, layer=attention: layer(x)[0], torch.randn(1, n, 8)).all()


def test_in_a_block_it_learns():
    torch.manual_seed(0)
    for attention in (CompressedAttention(8, 2), LinformerAttention(8, 2, n=6, short=3)):
        block = Block(8, 2, 16, attention=attention)
        block(torch.randn(3, 6, 8))[0].square().sum().backward()
        assert all(p.grad is not None and p.grad.abs().max() > 0 for p in attention.parameters() if p.dim() > 1)


def linformer(m, **options):
    return m.LinformerAttention(8, 2, n=4, short=2, **options)


@pytest.mark.parametrize(
    "call, sentence",
    [
        (lambda m: linformer(m)(torch.zeros(1, 5, 8)), "E is made for one n: it mixes 4 words, but this text has 5"),
        (
            lambda m: linformer(m)(torch.zeros(1, 4, 8), mask=torch.ones(4, 4, dtype=torch.bool)),
            "Every short key holds words from many places, the future and padding among them",
        ),
        (
            lambda m: m.CompressedAttention(8, 2)(torch.zeros(1, 4, 8), mask=torch.ones(4, 4, dtype=torch.bool)),
            "Every short key holds",
        ),
        (
            lambda m: linformer(m, positions=RelativePositions(4, 2))(torch.zeros(1, 4, 8)),
            "A short key stands at no one place",
        ),
        (lambda m: linformer(m)(torch.zeros(1, 4, 8), cache=KeyValueCache()), "there is no cache of single ones"),
        (lambda m: m.LinformerAttention(8, 2, n=4, short=0), "short should be a whole number from 1 up; got 0"),
        (lambda m: m.CompressedAttention(8, 2, stride=0), "stride should be a whole number from 1 up; got 0"),
    ],
)
def test_bad_input_gets_one_sentence(unchecked, call, sentence):
    with pytest.raises(CourseError, match=sentence):
        call(unchecked)
