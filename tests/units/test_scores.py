"""The score family: loops, known cases, and what each score does with the length of a query."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from course_lib.attention import (
    additive_scores,
    attention_weights,
    cosine_scores,
    dot_scores,
    multiplicative_scores,
    scaled_dot_scores,
    softmax_over_keys,
)  # fmt: skip


@pytest.fixture(params=[torch.float32, torch.float64])
def given(request):
    g = torch.Generator().manual_seed(0)
    randn = lambda *shape: torch.randn(*shape, generator=g, dtype=request.param)  # noqa: E731
    return randn(2, 3, 4, 6), randn(2, 3, 5, 6), randn


def test_additive_is_its_formula_for_every_pair(given):
    query, _, randn = given
    key, W_1, W_2, w_3 = randn(2, 3, 5, 7), randn(8, 6), randn(8, 7), randn(8)
    scores = additive_scores(query, key, W_1, W_2, w_3)
    assert scores.shape == (2, 3, 4, 5)
    for b, h, i, j in [(0, 0, 0, 0), (1, 2, 3, 4), (0, 1, 2, 3)]:
        torch.testing.assert_close(scores[b, h, i, j], w_3 @ torch.tanh(W_1 @ query[b, h, i] + W_2 @ key[b, h, j]))


def test_multiplicative_is_torchs_bilinear(given):
    query, _, randn = given
    key, W = randn(2, 3, 4, 7), randn(6, 7)
    bilinear = nn.Bilinear(6, 7, 1, bias=False, dtype=query.dtype)
    bilinear.weight.data = W[None]
    torch.testing.assert_close(
        multiplicative_scores(query, key, W).diagonal(dim1=-2, dim2=-1), bilinear(query, key).squeeze(-1)
    )


def test_dot_products_and_cosine(given):
    query, key, _ = given
    torch.testing.assert_close(dot_scores(query, key), torch.einsum("bhqd,bhkd->bhqk", query, key))
    torch.testing.assert_close(scaled_dot_scores(query, key), dot_scores(query, key) / 6**0.5)
    torch.testing.assert_close(
        cosine_scores(query, key), F.cosine_similarity(query.unsqueeze(-2), key.unsqueeze(-3), dim=-1)
    )
    torch.testing.assert_close(softmax_over_keys(scaled_dot_scores(query, key)), attention_weights(query, key))
    assert cosine_scores(torch.zeros_like(query), key).abs().max() == 0, (
        "a query without length fits nothing, and isn't NaN"
    )


def test_lengths_matter_to_dot_products_and_not_to_the_cosine(given):
    query, key, _ = given
    torch.testing.assert_close(dot_scores(3 * query, key), 3 * dot_scores(query, key))
    torch.testing.assert_close(cosine_scores(3 * query, key), cosine_scores(query, key))


def test_softmax_over_keys_with_a_mask(given):
    scores = dot_scores(*given[:2])
    mask = torch.rand(2, 1, 1, 5) > 0.4
    mask[0] = False
    weights = softmax_over_keys(scores, mask)
    assert (weights[~mask.expand_as(weights)] == 0).all()
    torch.testing.assert_close(weights.sum(-1), mask.any(-1).expand(2, 3, 4).to(weights))


def test_gradients_flow(given):
    query, key, randn = given
    for scores in (dot_scores, scaled_dot_scores, cosine_scores):
        q = query.clone().requires_grad_()
        scores(q, key).sum().backward()
        assert q.grad.abs().min() > 0
    if query.dtype == torch.float64:
        inputs = [
            randn(2, 3).requires_grad_(),
            randn(4, 3).requires_grad_(),
            randn(5, 3).requires_grad_(),
            randn(5, 3).requires_grad_(),
            randn(5).requires_grad_(),
        ]
        assert torch.autograd.gradcheck(additive_scores, inputs)
