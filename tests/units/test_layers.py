"""Layer normalisation, the feed-forward network and the one Block against torch's own, by copied weights."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torchs import named_like_torchs, randomised, torchs

from course_lib.attention import KeyValueCache, MultiHeadAttention
from course_lib.errors import CourseError
from course_lib.layers import Block, DecoderLayer, EncoderLayer, FeedForward, LayerNorm, layer_norm
from course_lib.masks import causal_mask, length_mask
from course_lib.positions import ALiBiPositions, Positions, RelativePositions, RotaryPositions

D_MODEL, HEADS, D_FF = 16, 4, 24
NORMS = pytest.mark.parametrize("pre_norm", [True, False], ids=["pre-norm", "post-norm"])


# --- layer normalisation ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("shape", [(8,), (5, 8), (2, 3, 5, 8)])
def test_layer_norm_written_out_is_torchs(shape, affine):
    torch.manual_seed(0)
    ours, theirs = LayerNorm(8, eps=0.1, affine=affine), nn.LayerNorm(8, eps=0.1, elementwise_affine=affine)
    if affine:
        nn.init.normal_(ours.weight)
        nn.init.normal_(ours.bias)
    theirs.load_state_dict(ours.state_dict())  # the parameters have torch's names
    x = (3 * torch.randn(shape) + 2).requires_grad_()
    expected = theirs(x)
    expected_gradients = gradients(expected, x, *theirs.parameters())
    for y in (ours(x), layer_norm(x, ours.weight, ours.bias, eps=0.1)):
        torch.testing.assert_close(y, expected)
        for own, right in zip(gradients(y, x, *ours.parameters()), expected_gradients, strict=True):
            torch.testing.assert_close(own, right, atol=1e-5, rtol=1e-4)


def test_layer_norm_of_equal_numbers_is_zero_with_a_gradient():
    x = torch.full((8,), 3.0, requires_grad=True)
    assert (layer_norm(x) == 0).all()
    assert gradients(layer_norm(x), x)[0].isfinite().all()


def gradients(y, *inputs):
    return torch.autograd.grad((y * torch.linspace(-1, 1, y.numel()).reshape(y.shape)).sum(), inputs)


# --- the feed-forward network -----------------------------------------------------------------------------------------


def test_feed_forward_is_the_papers_formula():
    torch.manual_seed(0)
    layer, x = FeedForward(6, 10), torch.randn(2, 3, 6)
    W_1, b_1, W_2, b_2 = layer.parameters()
    torch.testing.assert_close(layer(x), (x @ W_1.T + b_1).clamp(min=0) @ W_2.T + b_2)
    assert [tuple(p.shape) for p in FeedForward(6, 10, bias=False).parameters()] == [(10, 6), (6, 10)]
    gelu = FeedForward(6, 10, activation=nn.GELU)
    torch.testing.assert_close(gelu(x), gelu.W_2(F.gelu(gelu.W_1(x))))


def test_dropout_in_the_feed_forward_network_is_inside():
    torch.manual_seed(0)
    layer = FeedForward(6, 10, dropout=1.0)
    torch.testing.assert_close(layer(torch.randn(2, 6)), layer.W_2.bias.expand(2, 6))
    assert not torch.allclose(layer.eval()(torch.randn(2, 6)), layer.W_2.bias)


# --- the block --------------------------------------------------------------------------------------------------------


@NORMS
@pytest.mark.parametrize("activation", [nn.ReLU, nn.GELU])
def test_without_memory_it_is_torchs_encoder_layer(pre_norm, activation):
    torch.manual_seed(0)
    block = randomised(Block(D_MODEL, HEADS, D_FF, pre_norm=pre_norm, activation=activation))
    theirs, x = torchs(block).train(), torch.randn(2, 5, D_MODEL)
    theirs.dropout = theirs.dropout1 = theirs.dropout2 = nn.Identity()
    theirs.self_attn.dropout = 0.0
    mask = causal_mask(5) & length_mask(torch.tensor([5, 3]))
    hidden = ~length_mask(torch.tensor([5, 3]))[:, 0, 0]
    expected = theirs(x, src_mask=~causal_mask(5), src_key_padding_mask=hidden)
    compare(block, theirs, block(x, mask), block(x, mask, need_weights=True), expected)
    assert block(x, mask, need_weights=True)[1].shape == (2, HEADS, 5, 5)


@NORMS
def test_with_memory_it_is_torchs_decoder_layer(pre_norm):
    torch.manual_seed(0)
    block = randomised(DecoderLayer(D_MODEL, HEADS, D_FF, dropout=0.0, pre_norm=pre_norm))
    theirs = torchs(block).train()
    theirs.dropout = theirs.dropout1 = theirs.dropout2 = theirs.dropout3 = nn.Identity()
    theirs.self_attn.dropout = theirs.multihead_attn.dropout = 0.0
    x, memory = torch.randn(2, 5, D_MODEL), torch.randn(2, 7, D_MODEL)
    memory_mask = length_mask(torch.tensor([7, 4]))
    expected = theirs(x, memory, tgt_mask=~causal_mask(5), memory_key_padding_mask=~memory_mask[:, 0, 0])
    fast = block(x, causal_mask(5), memory=memory, memory_mask=memory_mask)
    slow = block(x, causal_mask(5), True, memory, memory_mask)
    compare(block, theirs, fast, slow, expected)
    own, cross = slow[1]
    assert own.shape == (2, HEADS, 5, 5) and cross.shape == (2, HEADS, 5, 7)
    assert (cross[1, :, :, 4:] == 0).all()


def compare(block, theirs, fast, slow, expected):
    """Outputs of both paths, and all parameters' gradients through the fast one."""
    assert fast[1] is None
    torch.testing.assert_close(fast[0], expected, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(slow[0], expected, atol=1e-5, rtol=1e-5)
    goal = torch.linspace(-1, 1, expected.numel()).reshape(expected.shape)
    (fast[0] * goal).sum().backward()
    (expected * goal).sum().backward()
    own = named_like_torchs(block)
    for name, parameter in theirs.named_parameters():
        torch.testing.assert_close(own.pop(name), parameter.grad, atol=1e-5, rtol=1e-4, msg=name)
    assert not own


@NORMS
def test_without_feed_forward_it_is_attention_and_its_norm(pre_norm):
    torch.manual_seed(0)
    block, x = Block(D_MODEL, HEADS, pre_norm=pre_norm), torch.randn(2, 5, D_MODEL)
    theirs = torchs(block)
    read = theirs.norm1(x) if pre_norm else x
    expected = x + theirs.self_attn(read, read, read, attn_mask=~causal_mask(5))[0]
    torch.testing.assert_close(block(x, causal_mask(5))[0], expected if pre_norm else theirs.norm1(expected))


def test_the_papers_layers_are_post_norm_with_relu():
    for layer in (EncoderLayer(8, 2, 16), DecoderLayer(8, 2, 16)):
        assert not layer.pre_norm and isinstance(layer.feed_forward.activation, nn.ReLU) and layer.dropout.p == 0.1
        assert layer.attention.W_Q.bias is not None


def test_pre_norm_adds_to_what_came_in():
    block, x, memory = Block(8, 2, 16, bias=False, cross_attention=True), torch.randn(2, 5, 8), torch.randn(2, 3, 8)
    for last in (block.attention.W_O, block.cross_attention.W_O, block.feed_forward.W_2):
        nn.init.zeros_(last.weight)
    assert torch.equal(block(x, memory=memory)[0], x)


def test_post_norm_ends_with_a_norm():
    y, _ = Block(8, 2, 16, pre_norm=False)(torch.randn(2, 5, 8))
    torch.testing.assert_close(y.mean(-1), torch.zeros(2, 5), atol=1e-5, rtol=0)
    torch.testing.assert_close(y.std(-1, correction=0), torch.ones(2, 5), atol=1e-3, rtol=0)


def test_dropout_falls_on_each_sublayers_result_and_only_in_training():
    torch.manual_seed(0)
    x, memory = torch.randn(2, 5, 8), torch.randn(2, 3, 8)
    block = Block(8, 2, 16, dropout=0.5, cross_attention=True)
    torch.testing.assert_close(block.eval()(x, memory=memory)[0], block(x, memory=memory)[0])
    block.dropout.p, block.attention.dropout, block.cross_attention.dropout = 1.0, 0.0, 0.0
    assert torch.equal(block.train()(x, memory=memory)[0], x)


def test_without_bias_only_the_norms_have_one():
    names = [name for name, _ in Block(8, 2, 16, bias=False).named_parameters() if name.endswith("bias")]
    assert names == ["attention_norm.bias", "feed_forward_norm.bias"]


@pytest.mark.parametrize("cross_attention", [False, True])
@pytest.mark.parametrize("positions", [None, RotaryPositions(), ALiBiPositions(2), RelativePositions(4, 3)])
def test_a_text_token_by_token_is_the_text_at_once(positions, cross_attention):
    torch.manual_seed(0)
    block = Block(8, 2, 16, positions=positions, cross_attention=cross_attention)
    x, cache = torch.randn(2, 6, 8), KeyValueCache()
    memory = torch.randn(2, 4, 8) if cross_attention else None
    whole, _ = block(x, causal_mask(6), memory=memory)
    tokens = [block(token, memory=memory, cache=cache)[0] for token in x.split(1, dim=1)]
    torch.testing.assert_close(torch.cat(tokens, dim=1), whole, atol=1e-5, rtol=1e-5)


# --- bad input --------------------------------------------------------------------------------------------------------


@NORMS
def test_only_some_tokens_come_out(pre_norm):
    torch.manual_seed(0)
    block, x = randomised(Block(D_MODEL, HEADS, D_FF, pre_norm=pre_norm)), torch.randn(2, 5, D_MODEL)
    only = torch.tensor([[1, 0, 0, 1, 0], [0, 0, 1, 0, 0]]).bool()
    everything, weights = block(x, need_weights=True)
    some, same = block(x, need_weights=True, only=only)
    torch.testing.assert_close(some, everything[only])
    assert torch.equal(same, weights)


def test_ready_made_parts_are_used_as_they_are():
    torch.manual_seed(0)
    built = randomised(Block(D_MODEL, HEADS, D_FF, positions=RotaryPositions()))
    attention, feed_forward = MultiHeadAttention(D_MODEL, HEADS, positions=RotaryPositions()), FeedForward(D_MODEL, 7)
    block, x = Block(D_MODEL, HEADS, D_FF, attention=attention), torch.randn(2, 5, D_MODEL)
    block.load_state_dict(built.state_dict())
    assert block.attention is attention and torch.equal(block(x)[0], built(x)[0])
    for d_ff in (None, D_FF):
        assert Block(D_MODEL, HEADS, d_ff, feed_forward=feed_forward).feed_forward is feed_forward
    with pytest.raises(CourseError, match="give them to it, not to the block"):
        Block(D_MODEL, HEADS, attention=attention, positions=RotaryPositions())


class Graph(Positions):
    """A number for each pair of tokens of each text."""

    def __init__(self, bias):
        super().__init__()
        self.numbers = bias

    def bias(self, query, key):
        return self.numbers


@pytest.mark.parametrize("positions", [None, RotaryPositions(), ALiBiPositions(HEADS)])
@pytest.mark.parametrize("cross_attention", [False, True])
def test_a_graph_adds_to_the_scores_of_self_attention_alone(positions, cross_attention):
    torch.manual_seed(0)
    block = Block(D_MODEL, HEADS, D_FF, positions=positions, cross_attention=cross_attention)
    x, hidden = torch.randn(2, 5, D_MODEL), torch.rand(2, 1, 5, 5) < 0.4
    memory = {"memory": torch.randn(2, 3, D_MODEL)} if cross_attention else {}
    hidden |= torch.eye(5, dtype=torch.bool)  # a graph whose numbers are 0 and −∞ is a mask
    graph = Graph(torch.where(hidden, 0.0, float("-inf")))
    masked, plain = block(x, mask=hidden, need_weights=True, **memory), block(x, **memory)[0]
    torch.testing.assert_close(block(x, graph=graph, need_weights=True, **memory), masked)
    torch.testing.assert_close(block(x, graph=graph, **memory)[0], masked[0])
    torch.testing.assert_close(block(x, graph=Graph(torch.full((5, 5), 3.0)), **memory)[0], plain)


def test_a_graph_beside_padding_leaves_no_nan():
    torch.manual_seed(0)
    block, mask = Block(D_MODEL, HEADS, D_FF), length_mask(torch.tensor([4, 2, 0]), 4)
    x, graph = torch.randn(3, 4, D_MODEL, requires_grad=True), Graph(torch.randn(3, HEADS, 4, 4))
    fast, (slow, weights) = block(x, mask, graph=graph)[0], block(x, mask, graph=graph, need_weights=True)
    torch.testing.assert_close(fast, slow)
    assert (weights[2] == 0).all() and fast.isfinite().all() and gradients(fast, x)[0].isfinite().all()


def test_a_graph_where_it_means_nothing():
    attention, x, graph = MultiHeadAttention(D_MODEL, HEADS), torch.randn(1, 3, D_MODEL), Graph(torch.zeros(3, 3))
    for options in ({"key": torch.randn(1, 3, D_MODEL)}, {"cache": KeyValueCache()}):
        with pytest.raises(CourseError, match="without another text's keys, and without a cache"):
            attention(x, graph=graph, **options)


def test_a_memory_where_it_belongs():
    x = torch.randn(2, 5, 8)
    with pytest.raises(CourseError, match="attends to an encoder's output: pass it as memory="):
        DecoderLayer(8, 2, 16)(x)
    with pytest.raises(CourseError, match="no attention to a memory. Make it with cross_attention=True"):
        EncoderLayer(8, 2, 16)(x, memory=x)


def test_sizes_that_are_none(unchecked):
    with pytest.raises(CourseError, match="d_ff should be a whole number from 1 up; got 0"):
        unchecked.FeedForward(8, 0)
    with pytest.raises(CourseError, match="d_model should be a whole number from 1 up; got 8.0"):
        unchecked.LayerNorm(8.0)
