"""torch's own encoder and decoder layers, with the weights of ours."""

import torch
from torch import nn

from course_lib.attention import MultiHeadAttention
from course_lib.layers import Block


def torchs(block: Block) -> nn.TransformerEncoderLayer | nn.TransformerDecoderLayer:
    """torch's layer, in eval mode. Its second norm is the one before or after our second sublayer."""
    attention, feed_forward = block.attention, block.feed_forward
    decoder = block.cross_attention is not None
    theirs = (nn.TransformerDecoderLayer if decoder else nn.TransformerEncoderLayer)(
        attention.d_model,
        attention.num_heads,
        feed_forward.W_1.out_features if feed_forward is not None else 1,
        activation="relu" if feed_forward is not None and isinstance(feed_forward.activation, nn.ReLU) else "gelu",
        norm_first=block.pre_norm,
        batch_first=True,
    ).eval()
    norms = [block.attention_norm, block.cross_attention_norm, block.feed_forward_norm]
    with torch.no_grad():
        _copy_attention(theirs.self_attn, attention)
        if decoder:
            _copy_attention(theirs.multihead_attn, block.cross_attention)
        if feed_forward is not None:
            theirs.linear1.load_state_dict(feed_forward.W_1.state_dict())
            theirs.linear2.load_state_dict(feed_forward.W_2.state_dict())
        for i, norm in enumerate((norm for norm in norms if norm is not None), start=1):
            getattr(theirs, f"norm{i}").load_state_dict(norm.state_dict())
    return theirs


def _copy_attention(theirs: nn.MultiheadAttention, ours: MultiHeadAttention) -> None:
    projections = (ours.W_Q, ours.W_K, ours.W_V)
    theirs.in_proj_weight.copy_(torch.cat([each.weight for each in projections]))
    theirs.in_proj_bias.copy_(torch.cat([each.bias for each in projections]))
    theirs.out_proj.load_state_dict(ours.W_O.state_dict())


def named_like_torchs(block: Block) -> dict[str, torch.Tensor]:
    """The gradients of our parameters, under the names that torch's layer has for them."""
    attentions = {"self_attn": block.attention, "multihead_attn": block.cross_attention}
    found = {}
    for name, attention in attentions.items():
        if attention is not None:
            for kind in ("weight", "bias"):
                parts = [getattr(each, kind).grad for each in (attention.W_Q, attention.W_K, attention.W_V)]
                found[f"{name}.in_proj_{kind}"] = torch.cat(parts)
                found[f"{name}.out_proj.{kind}"] = getattr(attention.W_O, kind).grad
    norms = [norm for norm in (block.attention_norm, block.cross_attention_norm, block.feed_forward_norm) if norm]
    modules = {f"norm{i}": norm for i, norm in enumerate(norms, start=1)}
    modules |= {"linear1": block.feed_forward.W_1, "linear2": block.feed_forward.W_2}
    return found | {
        f"{name}.{kind}": getattr(m, kind).grad for name, m in modules.items() for kind in ("weight", "bias")
    }


def randomised(module: nn.Module) -> nn.Module:
    """Norms and biases other than 1 and 0: one that is left out, or exchanged with another, would be seen."""
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            if parameter.dim() == 1:
                parameter.copy_(torch.randn_like(parameter) * 0.5 + name.endswith("norm.weight"))
    return module
