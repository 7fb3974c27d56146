"""Masks: True means "may attend". What they promise, and what torch makes of them."""

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.attention import scaled_dot_product_attention
from course_lib.layers import Block
from course_lib.leaks import leaks
from course_lib.masks import (
    causal_mask,
    combine_masks,
    cross_mask,
    length_mask,
    padding_mask,
    reach,
    sparse_mask,
    window_mask,
)

# --- each mask --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 5, 512])
def test_causal(n):
    mask = causal_mask(n)
    assert mask.dtype == torch.bool and mask.shape == (n, n)
    query, key = torch.meshgrid(torch.arange(n), torch.arange(n), indexing="ij")
    assert torch.equal(mask, key <= query)


@given(n=st.integers(0, 8), past=st.integers(0, 8))
def test_causal_after_a_past_is_the_end_of_the_whole(n, past):
    assert torch.equal(causal_mask(n, past), causal_mask(past + n)[past:])


def test_padding():
    ids = torch.tensor([[5, 3, 7, 0], [2, 0, 0, 0]])
    mask = padding_mask(ids, pad_id=0)
    assert mask.dtype == torch.bool and mask.shape == (2, 1, 1, 4)
    assert mask[:, 0, 0].tolist() == [[True, True, True, False], [True, False, False, False]]


@given(lengths=st.lists(st.integers(0, 7), min_size=1, max_size=4), more=st.integers(0, 3))
def test_lengths_and_ids_give_the_same_mask(lengths, more):
    n = max(lengths) + more
    ids = torch.tensor([[1] * length + [0] * (n - length) for length in lengths], dtype=torch.long).view(
        len(lengths), n
    )
    assert torch.equal(length_mask(torch.tensor(lengths), n), padding_mask(ids, 0))
    if more == 0:
        assert torch.equal(length_mask(torch.tensor(lengths)), padding_mask(ids, 0))


def test_cross():
    mask = cross_mask(torch.tensor([[1, 2, 0]]), torch.tensor([[3, 0, 4, 0]]), pad_id=0)
    assert mask.shape == (1, 1, 3, 4)
    assert mask[0, 0].int().tolist() == [[1, 0, 1, 0], [1, 0, 1, 0], [0, 0, 0, 0]]


def test_both_together():
    ids = torch.tensor([[5, 3, 0], [2, 0, 0]])
    mask = combine_masks(causal_mask(3), None, padding_mask(ids, 0))
    assert torch.equal(mask, causal_mask(3) & padding_mask(ids, 0))
    assert mask.shape == (2, 1, 3, 3)
    assert mask[1, 0].tolist() == [[True, False, False]] * 3
    assert combine_masks() is None and combine_masks(None, None) is None


@pytest.mark.parametrize("n, window, num_global", [(1, 0, 0), (6, 1, 0), (6, 2, 1), (5, 9, 0), (5, 0, 5), (4, 1, 9)])
def test_sparse_cell_by_cell(n, window, num_global):
    chosen = torch.tensor([[(i + 3) % n, (i + 1) % n] for i in range(n)])
    mask = sparse_mask(n, window, num_global, chosen)
    assert mask.dtype == torch.bool and mask.shape == (n, n)
    for i in range(n):
        for j in range(n):
            near = abs(i - j) <= window or i < num_global or j < num_global
            assert mask[i, j] == (near or j in chosen[i])
            assert sparse_mask(n, window, num_global)[i, j] == near
            assert window_mask(n, window)[i, j] == (abs(i - j) <= window)
    assert torch.equal(sparse_mask(n, window, num_global, chosen[:, :0]), sparse_mask(n, window, num_global))


@given(n=st.integers(1, 12), window=st.integers(0, 5), layers=st.integers(0, 4))
def test_a_window_reaches_as_far_as_its_layers(n, window, layers):
    assert torch.equal(reach(window_mask(n, window), layers), window_mask(n, layers * window))


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_reach_is_what_blocks_really_see(layers):
    torch.manual_seed(0)
    mask = torch.rand(9, 9) < 0.15  # here and there not even a token's own key
    mask[:, 0] |= ~mask.any(-1)
    blocks = torch.nn.ModuleList(Block(8, 2, 16) for _ in range(layers))

    def model(x):
        for block in blocks.double():
            x, _ = block(x, mask=mask)
        return x

    assert torch.equal(leaks(model, torch.randn(1, 9, 8, dtype=torch.float64)), reach(mask, layers))


def test_global_tokens_join_all_in_two_layers():
    mask = sparse_mask(20, window=1, num_global=1)
    assert not reach(mask).all() and reach(mask, 2).all()


@pytest.mark.parametrize(
    "call, sentence",
    [
        (lambda m: m.window_mask(4, -1), "window should be a whole number from 0 up; got -1"),
        (lambda m: m.sparse_mask(4, 1, -1), "num_global should be a whole number from 0 up; got -1"),
        (
            lambda m: m.sparse_mask(4, 1, 0, torch.tensor([[0, 4]] * 4)),
            r"a row of keys, from 0 to 3, for each of n = 4 queries; got the shape \(4, 2\) with keys from 0 to 4",
        ),
        (lambda m: m.sparse_mask(4, 1, 0, torch.zeros(3, 2, dtype=torch.long)), r"queries; got the shape \(3, 2\)"),
        (lambda m: m.reach(torch.ones(2, 3, dtype=torch.bool)), r"of the shape \(n, n\), .* got the shape \(2, 3\)"),
        (lambda m: m.reach(torch.ones(2, 2)), r"boolean, True where"),
        (lambda m: m.causal_mask(-1), "n should be a whole number from 0 up; got -1"),
        (lambda m: m.causal_mask(2, -1), "past should be a whole number from 0 up; got -1"),
        (lambda m: m.length_mask(torch.tensor([4, 2]), 3), r"between 0 and n = 3, but the lengths are \[4, 2\]"),
        (lambda m: m.length_mask(torch.tensor([-1, 2])), r"between 0 and n = 2"),
        (lambda m: m.cross_mask(torch.ones(2, 3), torch.ones(3, 3), 0), "2 query texts and 3 key texts"),
        (
            lambda m: m.combine_masks(torch.ones(2, 2)),
            r"boolean, True where a query may attend; got torch.float32.*mask.bool\(\)",
        ),
    ],
)
def test_bad_input_gets_one_sentence(unchecked, call, sentence):
    with pytest.raises(Exception, match=sentence) as caught:
        call(unchecked)
    assert type(caught.value).__name__ == "CourseError"


def test_the_declared_shapes_are_checked_in_tests():
    with pytest.raises(Exception, match="Type-check error"):
        padding_mask(torch.tensor([1, 2, 3]), 0)
    with pytest.raises(Exception, match="Type-check error"):
        cross_mask(torch.ones(2, 3).long(), torch.ones(3, 3).long(), 0)


# --- every combination, against torch ---------------------------------------------------------------------------------


@st.composite
def texts(draw):
    """Ids of queries and keys with padding anywhere, whole texts of it among them; the same text for both where `own`."""
    batch, n = draw(st.integers(1, 3)), draw(st.integers(1, 6))
    own = draw(st.booleans())
    m = n if own else draw(st.integers(1, 6))
    ids = st.integers(0, 2)  # 0 is padding
    query_ids = torch.tensor(draw(st.lists(st.lists(ids, min_size=n, max_size=n), min_size=batch, max_size=batch)))
    key_ids = (
        query_ids
        if own
        else torch.tensor(draw(st.lists(st.lists(ids, min_size=m, max_size=m), min_size=batch, max_size=batch)))
    )
    kinds = [draw(st.booleans()) for _ in range(4)]
    given = [
        causal_mask(n) if own and kinds[0] else None,
        padding_mask(key_ids, 0) if kinds[1] else None,
        cross_mask(query_ids, key_ids, 0) if kinds[2] else None,
        torch.rand(2, n, m, generator=torch.Generator().manual_seed(draw(st.integers(0, 99)))) < 0.4
        if kinds[3]
        else None,  # one a head
    ]
    return query_ids, key_ids, given


@settings(max_examples=300, deadline=None)
@given(texts(), st.integers(0, 1000))
def test_every_combination_means_what_it_means_to_torch(text, seed):
    query_ids, key_ids, parts = text
    mask = combine_masks(*parts)
    generator = torch.Generator().manual_seed(seed)
    batch, n, m = len(query_ids), query_ids.shape[1], key_ids.shape[1]
    shapes = [(batch, 2, n, 4), (batch, 2, m, 4), (batch, 2, m, 3)]
    inputs = [torch.randn(shape, generator=generator, dtype=torch.float64, requires_grad=True) for shape in shapes]
    output, weights = scaled_dot_product_attention(*inputs, mask)
    expected = F.scaled_dot_product_attention(*inputs, attn_mask=mask)
    torch.testing.assert_close(output, expected)

    whole = torch.ones(batch, 2, n, m, dtype=torch.bool) if mask is None else mask.expand(batch, 2, n, m)
    assert torch.equal(weights > 0, whole), "positive where one may look, and exactly zero elsewhere"
    some = whole.any(-1)
    torch.testing.assert_close(weights.sum(-1), some.double())  # a row that sees nothing sums to 0
    assert (output[~some] == 0).all()

    mixed = torch.randn(output.shape, generator=generator, dtype=torch.float64)
    gradients = torch.autograd.grad((output * mixed).sum(), inputs)
    assert all(g.isfinite().all() for g in gradients)
    assert (gradients[1][~whole.any(-2)] == 0).all() and (gradients[2][~whole.any(-2)] == 0).all(), (
        "nobody looked at these keys"
    )
    for own, theirs in zip(gradients, torch.autograd.grad((expected * mixed).sum(), inputs), strict=True):
        torch.testing.assert_close(own, theirs)


@settings(max_examples=60, deadline=None)
@given(texts(), st.integers(0, 1000))
def test_the_detector_sees_what_the_mask_allows(text, seed):
    """Values of other keys: output i depends on value j exactly where the mask says so, found by either way."""
    query_ids, key_ids, parts = text
    mask = combine_masks(*parts)
    generator = torch.Generator().manual_seed(seed)
    n, m = query_ids.shape[1], key_ids.shape[1]
    query, key = (
        torch.randn(len(query_ids), 2, length, 4, generator=generator, dtype=torch.float64) for length in (n, m)
    )

    def layer(x):  # (batch, m, 8) are the values of two heads
        return (
            scaled_dot_product_attention(query, key, x.unflatten(-1, (2, 4)).transpose(1, 2), mask)[0]
            .transpose(1, 2)
            .flatten(2)
        )

    allowed = (
        torch.ones(n, m, dtype=torch.bool)
        if mask is None
        else mask.expand(len(query_ids), 2, n, m).flatten(0, 1).any(0)
    )
    values = torch.randn(len(query_ids), m, 8, generator=generator, dtype=torch.float64)
    assert torch.equal(leaks(layer, values), allowed)
    assert torch.equal(leaks(layer, values, by="change"), allowed)
