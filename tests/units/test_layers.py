"""The layers that a Transformer stacks."""

import torch
from torch import nn

from course_lib.layers import SelfAttentionLayer


def test_self_attention_layer_adds_to_what_came_in():
    layer, x = SelfAttentionLayer(8, 2, bias=False), torch.randn(2, 5, 8)
    nn.init.zeros_(layer.attention.W_O.weight)
    assert torch.equal(layer(x)[0], x)


def test_it_is_the_first_half_of_torchs_pre_norm_layer():
    torch.manual_seed(0)
    ours, theirs = (
        SelfAttentionLayer(16, 4).eval(),
        nn.TransformerEncoderLayer(16, 4, norm_first=True, batch_first=True).eval(),
    )
    with torch.no_grad():
        attention = ours.attention
        theirs.self_attn.in_proj_weight.copy_(
            torch.cat([attention.W_Q.weight, attention.W_K.weight, attention.W_V.weight])
        )
        theirs.self_attn.in_proj_bias.copy_(torch.cat([attention.W_Q.bias, attention.W_K.bias, attention.W_V.bias]))
        theirs.self_attn.out_proj.load_state_dict(attention.W_O.state_dict())
        theirs.linear2.weight.zero_()
        theirs.linear2.bias.zero_()
    x, mask = torch.randn(2, 5, 16), torch.ones(5, 5, dtype=torch.bool).tril()
    torch.testing.assert_close(ours(x, mask)[0], theirs(x, src_mask=~mask))
    fast, slow = ours(x, mask), ours(x, mask, need_weights=True)
    torch.testing.assert_close(fast[0], slow[0])
    assert fast[1] is None and slow[1].shape == (2, 4, 5, 5)
