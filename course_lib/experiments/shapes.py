"""A sentence followed through a Transformer: the shape after each step, measured in a real run, and its parameters."""

import torch
from jaxtyping import Int
from torch import Tensor, nn

from course_lib.masks import causal_mask
from course_lib.transformer import Transformer

ENCODER = tuple(f"encoder.{name}" for name in ("attention", "attention_norm", "feed_forward", "feed_forward_norm"))
DECODER = tuple(f"decoder.{name}" for name in ("attention", "cross_attention", "feed_forward"))


@torch.no_grad()
def follow(
    model: Transformer, source: Int[Tensor, "batch m"], target: Int[Tensor, "batch n"]
) -> list[tuple[tuple[str, ...], str]]:
    """For each step the boxes of viz.transformer_drawing that it goes through, and a sentence with the shapes.

    The post-norm model of the paper, in eval mode, so that the steps are all there is.
    """
    layers, scale = model.config.num_layers, model.config.d_model**0.5
    x = model.token(source) * scale
    steps = [
        (("source",), f"source words, whole numbers: {shape(source)}"),
        (("source_embedding",), f"a vector for each word: {shape(x)}; the table has {parameters(model.token)}"),
    ]
    x = model.positions(x)
    steps.append((("source_positions",), f"with positions: {shape(x)}; {parameters(model.positions)}"))
    for i, layer in enumerate(model.encoder, start=1):
        x, weights = layer(x, need_weights=True)
        said = f"after encoder layer {i} of {layers}: {shape(x)}; weights {shape(weights)}; {parameters(layer)}"
        steps.append((ENCODER, said))
    memory = x
    y = model.positions(model.token(target) * scale)
    said = f"target words, through the same table: {shape(target)} → {shape(y)}"
    steps.append((("target", "target_embedding", "target_positions"), said))
    for i, layer in enumerate(model.decoder, start=1):
        y, (own, cross) = layer(y, causal_mask(target.shape[1]), need_weights=True, memory=memory)
        weights = f"own weights {shape(own)}, cross {shape(cross)}"
        said = f"after decoder layer {i} of {layers}: {shape(y)}; {weights}; {parameters(layer)}"
        steps.append((DECODER, said))
    logits = model.logits(y)
    said = f"a score for each word of the vocabulary: {shape(logits)}; the table once more, nothing new to learn"
    steps.append((("output_matrix", "output"), said))
    return steps


def shape(x: Tensor) -> str:
    """'1 × 7 × 512'."""
    return " × ".join(map(str, x.shape))


def parameters(module: nn.Module) -> str:
    """'3,152,384 parameters'."""
    count = sum(p.numel() for p in module.parameters())
    return f"{count:,} parameters" if count else "no parameters"
