"""Attention and multi-head attention against torch's own, on random input and by copied weights."""

import inspect

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from course_lib.attention import (
    KeyValueCache,
    MultiHeadAttention,
    attention_weights,
    merge_heads,
    scaled_dot_product_attention,
    softmax_over_keys,
    split_heads,
)
from course_lib.errors import CourseError
from course_lib.layers import Block
from course_lib.masks import causal_mask, padding_mask
from course_lib.positions import ALiBiPositions, Positions, RelativePositions, RotaryPositions

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


@pytest.mark.parametrize("path", ["scaled_dot_product_attention", "with weights", "fused"])
def test_a_query_with_nothing_to_attend_to_is_no_nan_on_the_way(path):
    """torch's anomaly mode stops at any NaN in a gradient: whoever hunts one shouldn't be stopped here."""
    torch.manual_seed(0)
    query, key, value = random((2, 2, 3, 4), (2, 2, 5, 4), (2, 2, 5, 6))
    layer, (x, memory) = MultiHeadAttention(8, 2), random((2, 3, 8), (2, 5, 8))
    mask = torch.ones(2, 1, 3, 5, dtype=torch.bool)
    mask[0, :, 1] = mask[1] = False
    with torch.autograd.set_detect_anomaly(True):
        if path == "scaled_dot_product_attention":
            scaled_dot_product_attention(query, key, value, mask)[0].sum().backward()
        else:
            layer(x, memory, mask=mask, need_weights=path == "with weights")[0].sum().backward()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_masked_weights_are_exactly_zero_and_the_others_as_if_alone(dtype):
    (scores,) = random((4, 6), dtype=dtype)
    mask = torch.tensor([True, False, True, True, False, False])
    weights = softmax_over_keys(1000 * scores, mask)
    assert (weights[:, ~mask] == 0).all()
    assert torch.equal(weights[:, mask], (1000 * scores)[:, mask].softmax(-1))


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


@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize(
    ("shapes", "sentence"),
    [
        ([(1, 2, 8), (1, 3, 8), (1, 4, 8)], "Each key needs one value, but there are 3 keys and 4 values"),
        ([(1, 2, 8), (1, 500, 8), (1, 3, 8)], "500 keys and 3 values"),
        ([(5, 8)], r"\(batch, n, d_model = 8\); got the shape \(5, 8\)\. For a single text, x\[None\] puts"),
        ([(2, 3, 5, 8)], r"query should have the axes \(batch, n, d_model = 8\); got the shape \(2, 3, 5, 8\)\.$"),
        ([(8,)], r"got the shape \(8,\)\.$"),
        ([(1, 5, 8), (5, 8)], r"key should have the axes .*got the shape \(5, 8\)"),
        ([(1, 5, 8), (1, 5, 8), (1, 5, 6)], r"value should have the axes .*got the shape \(1, 5, 6\)"),
        ([(2, 5, 8), (3, 5, 8)], "as many texts, but their batches are of 2, 3 and 3"),
    ],
)
def test_texts_that_do_not_fit_the_layer(unchecked, need_weights, shapes, sentence):
    """Without a check the fused path reads values from foreign memory, and takes each row for a text of its own."""
    with pytest.raises(CourseError, match=sentence):
        unchecked.MultiHeadAttention(8, 2)(*(torch.zeros(shape) for shape in shapes), need_weights=need_weights)


@pytest.mark.parametrize("positions", [RotaryPositions(), ALiBiPositions(2), RelativePositions(4, 3)])
def test_with_distances_too_a_text_alone_is_refused(unchecked, positions):
    layer = unchecked.MultiHeadAttention(8, 2, positions=positions)
    block = Block(8, 2, 16)
    block.attention = layer
    for shape in ((5, 8), (2, 3, 5, 8)):
        for call in (layer, inspect.unwrap(Block.forward).__get__(block)):
            with pytest.raises(CourseError, match=r"should have the axes \(batch, n, d_model = 8\)"):
                call(torch.zeros(shape))


@pytest.mark.parametrize(
    "shape", [(), (1,), (7,), (5, 1), (5, 7), (1, 1), (3, 5, 7), (3, 1, 7), (2, 1, 1, 7), (2, 3, 5, 1)]
)
@pytest.mark.parametrize("positions", [Positions(), ALiBiPositions(3)])
def test_both_paths_take_the_same_masks(shape, positions):
    """Two tokens are in the cache, five come: each of the five has seven keys."""
    layer, (x,) = MultiHeadAttention(12, 3, positions=positions), random((2, 7, 12))
    mask = torch.rand(shape, generator=torch.Generator().manual_seed(2)) > 0.3

    def last_five(mask, need_weights):
        cache = KeyValueCache()
        layer(x[:, :2], cache=cache)
        return layer(x[:, 2:], mask=mask, need_weights=need_weights, cache=cache)[0]

    explicit = last_five(mask, True)
    torch.testing.assert_close(last_five(mask, False), explicit)
    torch.testing.assert_close(last_five(mask.expand(2, 3, 5, 7), False), explicit)


# --- the key–value cache ----------------------------------------------------------------------------------------------
# A text in pieces, with each scheme of positions: tests/units/test_positions.py


@pytest.mark.parametrize("need_weights", [True, False])
def test_another_texts_keys_are_computed_once(need_weights):
    torch.manual_seed(0)
    layer, cache, (query, memory) = MultiHeadAttention(8, 2), KeyValueCache(), random((2, 3, 8), (2, 5, 8))
    computed = []
    layer.W_K.register_forward_hook(lambda *_: computed.append(1))
    for _ in range(3):
        torch.testing.assert_close(
            layer(query, memory, need_weights=need_weights, cache=cache)[0], layer(query, memory)[0]
        )
    assert len(computed) == 1 + 3 and cache.length(layer) == 5  # once with the cache, each time without


def test_rows_of_the_cache_are_left_out_and_repeated():
    torch.manual_seed(0)
    layers, cache, (x, new) = (
        [MultiHeadAttention(8, 2) for _ in range(2)],
        KeyValueCache(),
        random((3, 4, 8), (4, 1, 8)),
    )
    for layer in layers:
        layer(x, cache=cache)
    rows = torch.tensor([2, 0, 2, 2])
    cache.select(rows)
    for layer in layers:
        whole, _ = layer(torch.cat([x[rows], new], dim=1))
        torch.testing.assert_close(layer(new, cache=cache)[0], whole[:, -1:])


def test_a_cache_of_other_texts_is_refused(unchecked):
    layer, cache = unchecked.MultiHeadAttention(8, 2), unchecked.KeyValueCache()
    layer(torch.zeros(3, 2, 8), cache=cache)
    with pytest.raises(CourseError, match=r"holds keys of 3 texts, but queries come from 1\. .*cache\.select\(rows\)"):
        layer(torch.zeros(1, 1, 8), cache=cache)


@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("shape", [(7, 1, 1, 5), (4,), (4, 5), (1, 1, 1, 1, 5), (3, 5, 5)])
def test_and_refuse_the_same(unchecked, need_weights, shape):
    layer, x, mask = unchecked.MultiHeadAttention(8, 2), torch.zeros(1, 5, 8), torch.ones(shape, dtype=torch.bool)
    with pytest.raises(CourseError, match=r"broadcast to the shape of the scores, \(1, 2, 5, 5\).*; got the shape \("):
        layer(x, mask=mask, need_weights=need_weights)


@pytest.mark.parametrize(
    ("shapes", "sentence"),
    [
        ([(2, 3, 4), (3, 3, 4), (3, 3, 4)], r"got query \(2, 3, 4\), key \(3, 3, 4\), value \(3, 3, 4\)"),
        ([(2, 3, 4), (2, 3, 4), (3, 3, 4)], r"those in front the same for all; got .*value \(3, 3, 4\)"),
        ([(3, 4), (4,), (4,)], r"The last two axes should be \(n, d\)"),
        ([(3, 4), (5, 4), (5,)], r"value \(5,\)"),
    ],
)
def test_axes_that_do_not_fit(unchecked, shapes, sentence):
    with pytest.raises(CourseError, match=sentence):
        unchecked.scaled_dot_product_attention(*(torch.zeros(shape) for shape in shapes))


def test_a_mask_that_does_not_fit(unchecked):
    query, key, value = random((3, 4), (5, 4), (5, 2))
    for shape in [(4,), (5, 3), (2, 3, 5)]:
        with pytest.raises(CourseError, match=r"the shape of the scores, \(3, 5\)"):
            unchecked.scaled_dot_product_attention(query, key, value, torch.ones(shape, dtype=torch.bool))


@pytest.mark.parametrize("positions", [RotaryPositions(), ALiBiPositions(2), RelativePositions(4, 3)])
@pytest.mark.parametrize("need_weights", [True, False])
def test_distances_are_within_one_text(positions, need_weights):
    layer, (query, memory) = MultiHeadAttention(8, 2, positions=positions), random((1, 3, 8), (1, 5, 8))
    with pytest.raises(CourseError, match="within one text, but there are 3 queries and 5 keys"):
        layer(query, memory, need_weights=need_weights)
    with pytest.raises(CourseError, match="5 queries and 3 keys"):
        layer(memory, query, need_weights=need_weights)
    assert MultiHeadAttention(8, 2)(query, memory)[0].shape == query.shape


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"num_heads": 0}, "num_heads should be a whole number from 1 up; got 0"),
        ({"num_heads": -2}, "num_heads should be a whole number from 1 up; got -2"),
        ({"num_heads": 2.0}, "num_heads should be a whole number from 1 up; got 2.0"),
        ({"num_heads": 2, "d_k": 0}, "d_k should be a whole number from 1 up; got 0"),
        ({"num_heads": 2, "d_v": 0}, "d_v should be a whole number from 1 up; got 0"),
        ({"num_heads": 2, "dropout": 1.5}, "dropout should be a share of the weights, from 0 to 1; got 1.5"),
        ({"num_heads": 2, "dropout": -0.1}, "from 0 to 1; got -0.1"),
        ({"num_heads": 2, "dropout": float("nan")}, "from 0 to 1; got nan"),
    ],
)
def test_sizes_that_are_none(unchecked, options, sentence):
    with pytest.raises(CourseError, match=sentence):
        unchecked.MultiHeadAttention(8, **options)


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


@pytest.mark.parametrize("mask", [None, causal_mask(9), masks(2, 9, 9)["both"]])
def test_in_bfloat16_output_and_gradients_are_those_of_float32_but_for_rounding(mask):
    """There the way back isn't the fused one's."""
    torch.manual_seed(0)
    attention, (x,) = MultiHeadAttention(16, 2), random((2, 9, 16))
    found = {}
    for bf16 in (False, True):
        with torch.autocast("cpu", torch.bfloat16, enabled=bf16):
            output, weights = attention(x, mask=mask)
        assert weights is None and output.dtype == (torch.bfloat16 if bf16 else torch.float32)
        found[bf16] = [output.float(), *gradients(output.float(), x, *attention.parameters())]
    for exact, rounded in zip(found[False], found[True], strict=True):
        torch.testing.assert_close(rounded, exact, atol=0.01 + 0.03 * exact.abs().max().item(), rtol=0)
