"""Attention and multi-head attention against torch's own, on random input and by copied weights."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from course_lib.attention import (
    MultiHeadAttention,
    attention_weights,
    merge_heads,
    scaled_dot_product_attention,
    split_heads,
)
from course_lib.errors import CourseError
from course_lib.masks import causal_mask, padding_mask

TOLERANCE = {torch.float32: dict(rtol=1e-4, atol=1e-5), torch.float64: dict(rtol=1e-9, atol=1e-11)}
DTYPES = list(TOLERANCE)


def random(*shapes, dtype=torch.float32, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(*shape, generator=generator, dtype=dtype).requires_grad_() for shape in shapes]


def masks(batch: int, n_query: int, n_key: int) -> dict:
    """By name, each in a shape of its own: they need only broadcast to (batch, head, query, key)."""
    ids = torch.arange(n_key).repeat(batch, 1) + 1
    ids[0, -(n_key // 2) :] = 0
    padding = padding_mask(ids, 0)
    random_mask = torch.rand(batch, 1, n_query, n_key, generator=torch.Generator().manual_seed(1)) > 0.4
    random_mask[..., 0] = True
    square = {"causal": causal_mask(n_query), "both": causal_mask(n_query) & padding} if n_query == n_key else {}
    return {"none": None, "padding": padding, "random": random_mask, **square}


def gradients(output, *inputs):
    weights = torch.linspace(-1, 1, output.numel(), dtype=output.dtype).reshape(output.shape)
    return torch.autograd.grad((output * weights).sum(), inputs)


# --- scaled dot-product attention ---------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["none", "padding", "random", "causal", "both"])
def test_same_as_torch(name, dtype):
    query, key, value = random((2, 3, 6, 4), (2, 3, 6, 4), (2, 3, 6, 7), dtype=dtype)
    mask = masks(2, 6, 6)[name]
    output, weights = scaled_dot_product_attention(query, key, value, mask)
    expected = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    torch.testing.assert_close(output, expected, **TOLERANCE[dtype])
    torch.testing.assert_close(weights.sum(-1), torch.ones_like(weights[..., 0]))
    for own, right in zip(gradients(output, query, key, value), gradients(expected, query, key, value), strict=True):
        torch.testing.assert_close(own, right, **TOLERANCE[dtype])


@pytest.mark.parametrize("n", [1, 2, 3, 17, 64, 128, 512])
def test_every_length(n):
    query, key, value = random((1, 2, n, 8), (1, 2, n, 8), (1, 2, n, 8))
    for mask in (None, causal_mask(n)):
        expected = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        torch.testing.assert_close(
            scaled_dot_product_attention(query, key, value, mask)[0], expected, **TOLERANCE[torch.float32]
        )


@pytest.mark.parametrize("leading", [(), (2,), (2, 3), (2, 3, 2)])
@pytest.mark.parametrize(("n_query", "n_key", "d_k", "d_v"), [(3, 5, 4, 4), (5, 3, 4, 7), (1, 4, 2, 1), (4, 1, 1, 3)])
def test_every_shape(leading, n_query, n_key, d_k, d_v):
    query, key, value = random((*leading, n_query, d_k), (*leading, n_key, d_k), (*leading, n_key, d_v))
    output, weights = scaled_dot_product_attention(query, key, value)
    assert output.shape == (*leading, n_query, d_v)
    assert weights.shape == (*leading, n_query, n_key)
    torch.testing.assert_close(output, F.scaled_dot_product_attention(query, key, value), **TOLERANCE[torch.float32])


def test_scale_is_what_is_given():
    query, key, value = random((3, 4), (5, 4), (5, 4))
    expected = F.scaled_dot_product_attention(query, key, value, scale=0.3)
    torch.testing.assert_close(scaled_dot_product_attention(query, key, value, scale=0.3)[0], expected)


def test_very_large_scores_stay_finite():
    query, key, value = random((4, 8), (6, 8), (6, 2))
    output, weights = scaled_dot_product_attention(query * 1e4, key * 1e3, value)
    assert output.isfinite().all() and weights.isfinite().all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_query_with_nothing_to_attend_to(dtype):
    query, key, value = random((2, 3, 4), (2, 5, 4), (2, 5, 6), dtype=dtype)
    mask = torch.ones(2, 3, 5, dtype=torch.bool)
    mask[0, 1] = mask[1] = False
    output, weights = scaled_dot_product_attention(query, key, value, mask)
    assert (weights[0, 1] == 0).all() and (output[0, 1] == 0).all() and (output[1] == 0).all()
    torch.testing.assert_close(weights[0, 0].sum(), torch.ones((), dtype=dtype))
    to_query, to_key, to_value = gradients(output, query, key, value)
    assert to_query.isfinite().all() and to_key.isfinite().all() and to_value.isfinite().all()
    assert (to_query[1] == 0).all() and (to_value[1] == 0).all()


def test_the_mask_hides_completely():
    query, key, value = random((3, 4), (5, 4), (5, 2))
    mask = torch.tensor([True, True, False, True, False])
    changed = torch.where(mask[:, None], value, 1e6)
    torch.testing.assert_close(
        scaled_dot_product_attention(query, key, value, mask)[0],
        scaled_dot_product_attention(query, key, changed, mask)[0],
    )
    assert (gradients(scaled_dot_product_attention(query, key, value, mask)[0], value)[0][~mask] == 0).all()


# --- multi-head attention -------------------------------------------------------------------------------------------


def copied_from(theirs: nn.MultiheadAttention, **kwargs) -> MultiHeadAttention:
    """Our layer with the weights of torch's."""
    bias = theirs.in_proj_bias is not None
    ours = MultiHeadAttention(theirs.embed_dim, theirs.num_heads, bias=bias, **kwargs).to(theirs.in_proj_weight.dtype)
    with torch.no_grad():
        for i, layer in enumerate([ours.W_Q, ours.W_K, ours.W_V]):
            layer.weight.copy_(theirs.in_proj_weight.chunk(3)[i])
            if bias:
                layer.bias.copy_(theirs.in_proj_bias.chunk(3)[i])
        ours.W_O.load_state_dict(theirs.out_proj.state_dict())
    return ours


def theirs(d_model, num_heads, dtype=torch.float32, bias=True):
    torch.manual_seed(0)
    layer = nn.MultiheadAttention(d_model, num_heads, bias=bias, batch_first=True, dtype=dtype)
    if bias:
        nn.init.normal_(layer.in_proj_bias)
        nn.init.normal_(layer.out_proj.bias)
    return layer


def as_torch_wants(mask, batch, heads, n_query, n_key):
    """True means "may not" in nn.MultiheadAttention, and batch and heads share an axis."""
    return None if mask is None else ~mask.expand(batch, heads, n_query, n_key).reshape(-1, n_query, n_key)


@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("name", ["none", "causal", "padding", "random", "both"])
def test_layer_is_the_same_as_torch(dtype, bias, name, need_weights):
    reference = theirs(12, 3, dtype, bias)
    ours = copied_from(reference)
    query, memory, value = random((2, 5, 12), (2, 5, 12), (2, 5, 12), dtype=dtype)
    mask = masks(2, 5, 5)[name]
    output, weights = ours(query, memory, value, mask, need_weights)
    expected, expected_weights = reference(
        query, memory, value, attn_mask=as_torch_wants(mask, 2, 3, 5, 5), average_attn_weights=False
    )
    torch.testing.assert_close(output, expected, **TOLERANCE[dtype])
    if need_weights:
        torch.testing.assert_close(weights, expected_weights, **TOLERANCE[dtype])
    else:
        assert weights is None
    own = gradients(output, query, memory, value, ours.W_Q.weight, ours.W_K.weight, ours.W_V.weight, ours.W_O.weight)
    right = gradients(expected, query, memory, value, reference.in_proj_weight, reference.out_proj.weight)
    for one, other in zip([*own[:3], torch.cat(own[3:6]), own[6]], right, strict=True):
        torch.testing.assert_close(one, other, **TOLERANCE[dtype])


@pytest.mark.parametrize("n", [1, 2, 31, 128, 512])
def test_layer_at_every_length(n):
    reference = theirs(16, 4)
    ours, (x,) = copied_from(reference), random((1, n, 16))
    expected = reference(x, x, x, need_weights=False)[0]
    for need_weights in (True, False):
        torch.testing.assert_close(ours(x, need_weights=need_weights)[0], expected, **TOLERANCE[torch.float32])


@pytest.mark.parametrize("d_v", [None, 3, 5])
@pytest.mark.parametrize("name", ["none", "random", "padding"])
def test_fast_path_is_the_explicit_path(name, d_v):
    torch.manual_seed(0)
    layer = MultiHeadAttention(8, 2, d_k=6, d_v=d_v)
    query, memory = random((2, 4, 8), (2, 7, 8))
    mask = masks(2, 4, 7)[name]
    explicit, fast = layer(query, memory, mask=mask, need_weights=True)[0], layer(query, memory, mask=mask)[0]
    torch.testing.assert_close(explicit, fast)
    for own, right in zip(gradients(explicit, *layer.parameters()), gradients(fast, *layer.parameters()), strict=True):
        torch.testing.assert_close(own, right, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("need_weights", [True, False])
def test_layer_with_nothing_to_attend_to(need_weights):
    torch.manual_seed(0)
    layer, (x,) = MultiHeadAttention(8, 2), random((2, 4, 8))
    mask = torch.ones(2, 1, 1, 4, dtype=torch.bool)
    mask[1] = False
    output, weights = layer(x, mask=mask, need_weights=need_weights)
    torch.testing.assert_close(output[1], layer.W_O.bias.expand(4, 8))
    assert all(g.isfinite().all() for g in gradients(output, x, *layer.parameters()))
    if need_weights:
        assert (weights[1] == 0).all()


def test_other_texts_than_the_query():
    torch.manual_seed(0)
    layer = MultiHeadAttention(8, 2)
    query, key, value = random((2, 3, 8), (2, 5, 8), (2, 5, 8))
    torch.testing.assert_close(layer(query)[0], layer(query, query, query)[0])
    torch.testing.assert_close(layer(query, key)[0], layer(query, key, key)[0])
    assert not torch.allclose(layer(query, key, value)[0], layer(query, key)[0])


@pytest.mark.parametrize("need_weights", [True, False])
def test_dropout_only_while_training(need_weights):
    torch.manual_seed(0)
    layer, (x,) = MultiHeadAttention(8, 2, dropout=0.5), random((4, 16, 8))
    kept = layer.eval()(x, need_weights=need_weights)[0]
    torch.testing.assert_close(kept, layer(x, need_weights=need_weights)[0])
    runs = torch.stack([layer.train()(x, need_weights=need_weights)[0] for _ in range(1000)])
    assert not torch.allclose(runs[0], runs[1])
    torch.testing.assert_close(runs.mean(0), kept, atol=0.1, rtol=0)  # dropout keeps the expectation


def test_weights_are_those_before_dropout():
    layer, (x,) = MultiHeadAttention(8, 2, dropout=0.5), random((2, 5, 8))
    weights = layer.train()(x, need_weights=True)[1]
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, 2, 5))


@pytest.mark.parametrize(("bias", "count"), [(True, 4 * 12 * 12 + 4 * 12), (False, 4 * 12 * 12)])
def test_parameters(bias, count):
    layer = MultiHeadAttention(12, 3, bias=bias)
    assert sum(p.numel() for p in layer.parameters()) == count
    assert {name.split(".")[0] for name, _ in layer.named_parameters()} == {"W_Q", "W_K", "W_V", "W_O"}


@pytest.mark.parametrize("num_heads", [1, 2, 3, 6])
def test_heads_cut_and_merged(num_heads):
    (x,) = random((2, 5, 6))
    heads = split_heads(x, num_heads)
    assert heads.shape == (2, num_heads, 5, 6 // num_heads)
    torch.testing.assert_close(heads[:, 0], x[..., : 6 // num_heads])
    torch.testing.assert_close(merge_heads(heads), x)


# --- bad input and declared shapes ------------------------------------------------------------------------------------


def test_keys_of_another_length(unchecked):
    query, key, value = random((3, 4), (5, 6), (5, 2))
    with pytest.raises(CourseError, match=r"queries have d_k = 4 and keys have d_k = 6"):
        unchecked.scaled_dot_product_attention(query, key, value)


def test_a_value_for_each_key(unchecked):
    query, key, value = random((3, 4), (5, 4), (6, 2))
    with pytest.raises(CourseError, match=r"5 keys and 6 values"):
        unchecked.scaled_dot_product_attention(query, key, value)


@pytest.mark.parametrize("need_weights", [True, False])
def test_a_mask_is_boolean(unchecked, need_weights):
    (x,) = random((2, 3, 4))
    with pytest.raises(CourseError, match=r"A mask is boolean.*torch.float32.*mask.bool\(\)"):
        unchecked.MultiHeadAttention(4, 2)(x, mask=torch.ones(3, 3), need_weights=need_weights)


def test_heads_that_do_not_divide(unchecked):
    with pytest.raises(CourseError, match=r"d_model = 10 can't be cut into 3 equal heads"):
        unchecked.MultiHeadAttention(10, 3)
    assert unchecked.MultiHeadAttention(10, 3, d_k=2, d_v=5).W_V.weight.shape == (15, 10)


def test_the_declared_shapes_are_checked_in_tests():
    """A shape in a signature that lies would fail the tests: here the caller lies, and is caught."""
    query, key, value = random((3, 4), (5, 6), (5, 2))
    for wrong in [(query, key, value), (query, key[:, :4], value[:3]), (query, key[:, :4].long(), value)]:
        with pytest.raises(Exception, match="Type-check error") as caught:
            scaled_dot_product_attention(*wrong)
        assert type(caught.value).__module__.startswith("jaxtyping")
    with pytest.raises(Exception, match="Type-check error"):
        attention_weights(query, key[:, :4], mask=torch.ones(3, 5))
    with pytest.raises(Exception, match="Type-check error"):
        MultiHeadAttention(4, 2)(query)
