"""The one Block against torch's encoder layer, by copied weights."""

import pytest
import torch
from torch import nn

from course_lib.layers import Block
from course_lib.masks import causal_mask

D_MODEL, HEADS, D_FF = 16, 4, 24


def torchs(block: Block) -> nn.TransformerEncoderLayer:
    """torch's layer with the weights of ours."""
    theirs = nn.TransformerEncoderLayer(
        D_MODEL, HEADS, D_FF, activation="gelu", norm_first=block.pre_norm, batch_first=True
    ).eval()
    attention = block.attention
    projections = (attention.W_Q, attention.W_K, attention.W_V)
    with torch.no_grad():
        theirs.self_attn.in_proj_weight.copy_(torch.cat([each.weight for each in projections]))
        theirs.self_attn.in_proj_bias.copy_(torch.cat([each.bias for each in projections]))
        theirs.self_attn.out_proj.load_state_dict(attention.W_O.state_dict())
        theirs.norm1.load_state_dict(block.attention_norm.state_dict())
        if block.feed_forward is not None:
            theirs.linear1.load_state_dict(block.feed_forward[0].state_dict())
            theirs.linear2.load_state_dict(block.feed_forward[2].state_dict())
            theirs.norm2.load_state_dict(block.feed_forward_norm.state_dict())
    return theirs


@pytest.mark.parametrize("pre_norm", [True, False], ids=["pre-norm", "post-norm"])
@pytest.mark.parametrize("d_ff", [D_FF, None], ids=["feed-forward", "attention only"])
def test_it_is_torchs_encoder_layer(pre_norm, d_ff):
    torch.manual_seed(0)
    ours = Block(D_MODEL, HEADS, d_ff, pre_norm=pre_norm).eval()
    for norm in filter(None, [ours.attention_norm, ours.feed_forward_norm]):
        nn.init.normal_(norm.weight, mean=1)
        nn.init.normal_(norm.bias)
    x, mask = torch.randn(2, 5, D_MODEL), causal_mask(5)
    theirs = torchs(ours)
    if d_ff is not None:
        expected = theirs(x, src_mask=~mask)
    else:  # torch's layer can't be without its second half
        read = theirs.norm1(x) if pre_norm else x
        expected = x + theirs.self_attn(read, read, read, attn_mask=~mask)[0]
        expected = expected if pre_norm else theirs.norm1(expected)
    torch.testing.assert_close(ours(x, mask)[0], expected)
    fast, slow = ours(x, mask), ours(x, mask, need_weights=True)
    torch.testing.assert_close(fast[0], slow[0])
    assert fast[1] is None and slow[1].shape == (2, HEADS, 5, 5)


def test_pre_norm_adds_to_what_came_in():
    block, x = Block(8, 2, 16, bias=False), torch.randn(2, 5, 8)
    nn.init.zeros_(block.attention.W_O.weight)
    nn.init.zeros_(block.feed_forward[2].weight)
    assert torch.equal(block(x)[0], x)


def test_post_norm_ends_with_a_norm():
    y, _ = Block(8, 2, 16, pre_norm=False)(torch.randn(2, 5, 8))
    torch.testing.assert_close(y.mean(-1), torch.zeros(2, 5), atol=1e-5, rtol=0)
    torch.testing.assert_close(y.std(-1, correction=0), torch.ones(2, 5), atol=1e-3, rtol=0)


def test_dropout_falls_on_both_sublayers_and_only_in_training():
    torch.manual_seed(0)
    x = torch.randn(2, 5, 8)
    block = Block(8, 2, 16, dropout=0.5)
    torch.testing.assert_close(block.eval()(x)[0], block(x)[0])
    for silent in (block.attention.W_O, block.feed_forward[2]):  # the other sublayer alone is still random
        kept = silent.weight.detach().clone()
        nn.init.zeros_(silent.weight)
        assert not torch.allclose(block.train()(x)[0], block(x)[0])
        silent.weight.data = kept


def test_without_bias_only_the_norms_have_one():
    names = [name for name, _ in Block(8, 2, 16, bias=False).named_parameters() if name.endswith("bias")]
    assert names == ["attention_norm.bias", "feed_forward_norm.bias"]


def test_another_activation():
    x, block = torch.randn(1, 3, 8), Block(8, 2, 16, activation=nn.ReLU)
    assert type(block.feed_forward[1]) is nn.ReLU and block(x)[0].shape == x.shape
