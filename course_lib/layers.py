"""What a Transformer stacks: layer normalisation, the feed-forward network, and the one Block of every model here.

Vaswani et al. (2017), "Attention Is All You Need", section 3.1 (the layers) and 3.3 (the feed-forward network).
"""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

from course_lib.attention import KeyValueCache, MultiHeadAttention
from course_lib.errors import CourseError
from course_lib.masks import Mask
from course_lib.positions import Positions
from course_lib.support.messages import whole_number

Vectors = Float[Tensor, "*axes d_model"]
Stream = Float[Tensor, "batch n d_model"]  # the residual stream: what goes through all blocks of a model
Memory = Float[Tensor, "batch source d_model"]  # what the encoder made of the source
OwnWeights = Float[Tensor, "batch head n key"]
CrossWeights = Float[Tensor, "batch head n source"]


def layer_norm(
    x: Vectors,
    weight: Float[Tensor, "d_model"] | None = None,
    bias: Float[Tensor, "d_model"] | None = None,
    eps: float = 1e-5,
) -> Vectors:
    """(x − μ) / √(σ² + ε) · γ + β, each vector by itself. Ba, Kiros and Hinton (2016), "Layer Normalization".

    μ and σ² are the mean and the variance of the vector's own d_model numbers. γ is `weight`, β is `bias`.
    """
    mean = x.mean(dim=-1, keepdim=True)
    variance = (x - mean).square().mean(dim=-1, keepdim=True)  # divided by d, not by d − 1
    x = (x - mean) / (variance + eps).sqrt()  # ε inside the root: equal numbers give 0, and a gradient that is finite
    x = x if weight is None else x * weight
    return x if bias is None else x + bias


class LayerNorm(nn.Module):
    """`layer_norm` with a γ and a β that are learned, `weight` and `bias`; without them if `affine` is False."""

    def __init__(self, d_model: int, eps: float = 1e-5, affine: bool = True):
        super().__init__()
        self.d_model, self.eps = whole_number("d_model", d_model, low=1), eps
        self.weight = nn.Parameter(torch.ones(d_model)) if affine else None
        self.bias = nn.Parameter(torch.zeros(d_model)) if affine else None

    def forward(self, x: Vectors) -> Vectors:
        """torch's fused version of `layer_norm`: the same numbers in one pass."""
        return F.layer_norm(x, (self.d_model,), self.weight, self.bias, self.eps)


class FeedForward(nn.Module):
    """W₂ ReLU(W₁ x + b₁) + b₂ at each token by itself, d_ff numbers wide in the middle (section 3.3).

    `dropout` falls on these d_ff numbers. BERT and GPT have nn.GELU for their `activation`.
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        dropout: float = 0.0,
        bias: bool = True,
        activation: Callable[[], nn.Module] = nn.ReLU,
    ):
        super().__init__()
        self.W_1 = nn.Linear(d_model, whole_number("d_ff", d_ff, low=1), bias=bias)
        self.activation = activation()
        self.dropout = nn.Dropout(dropout)
        self.W_2 = nn.Linear(d_ff, d_model, bias=bias)

    def forward(self, x: Vectors) -> Vectors:
        return self.W_2(self.dropout(self.activation(self.W_1(x))))


class Block(nn.Module):
    """Two or three sublayers, each of which adds its result to what came in:

    self-attention, then (in a decoder) attention to the encoder's output, then a feed-forward network at each token.

        pre-norm    x + sublayer(norm(x))    GPT-2; Xiong et al. (2020) show why it needs no warm-up
        post-norm   norm(x + sublayer(x))    Vaswani et al. (2017), section 3.1; BERT

    d_ff is the width of the feed-forward network; with None there is none. `dropout` falls on attention weights, inside
    the feed-forward network and on each sublayer's result. Without `bias` no linear layer has one; the norms keep
    theirs, and `eps` is their ε. `positions` are those of self-attention: distances to another text's tokens would mean
    nothing.

    A variant comes ready-made, as `attention` or `feed_forward`, and is used as it is, in place of what the block would
    build. Make one for each block: what two blocks share is trained as one.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int | None = None,
        dropout: float = 0.0,
        bias: bool = True,
        pre_norm: bool = True,
        activation: Callable[[], nn.Module] = nn.GELU,
        positions: Positions | None = None,
        cross_attention: bool = False,
        eps: float = 1e-5,
        attention: nn.Module | None = None,
        feed_forward: nn.Module | None = None,
    ):
        super().__init__()
        if attention is not None and positions is not None:
            raise CourseError(
                "This attention is ready-made, and so are its positions: give them to it, not to the block."
            )
        self.pre_norm = pre_norm
        self.attention_norm = LayerNorm(d_model, eps)
        self.attention = attention
        if attention is None:
            self.attention = MultiHeadAttention(d_model, num_heads, dropout, bias, positions=positions)
        self.cross_attention_norm = self.cross_attention = None
        if cross_attention:
            self.cross_attention_norm = LayerNorm(d_model, eps)
            self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout, bias)
        self.feed_forward_norm = self.feed_forward = None
        if d_ff is not None or feed_forward is not None:
            self.feed_forward_norm = LayerNorm(d_model, eps)
            self.feed_forward = feed_forward
            if feed_forward is None:
                self.feed_forward = FeedForward(d_model, d_ff, dropout, bias, activation)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        x: Stream,
        mask: Mask | None = None,
        need_weights: bool = False,
        memory: Memory | None = None,
        memory_mask: Mask | None = None,
        cache: KeyValueCache | None = None,
        only: Bool[Tensor, "batch n"] | None = None,
        graph: Positions | None = None,
    ) -> tuple[Stream | Vectors, OwnWeights | tuple[OwnWeights, CrossWeights] | None]:
        """The new stream and, if asked for, the weights: of self-attention, or of both, (own, cross), in a decoder.

        `mask` broadcasts to (batch, head, n, n), `memory_mask` to (batch, head, n, source); True: may attend.
        With `only`, just these tokens go on to the feed-forward network, which sees each by itself, and come out, as
        (token, d_model): for a last block whose other tokens nobody asks for.
        A `graph` of these texts is handed to self-attention; see `MultiHeadAttention.forward`.
        """
        if (memory is None) == (self.cross_attention is not None):
            raise CourseError(
                "This block attends to an encoder's output: pass it as memory=…"
                if memory is None
                else "This block has no attention to a memory. Make it with cross_attention=True, or pass no memory."
            )
        options = dict(need_weights=need_weights, cache=cache)
        x, own = self._add(x, self.attention_norm, lambda x: self.attention(x, mask=mask, graph=graph, **options))
        if self.cross_attention is not None:
            x, cross = self._add(
                x, self.cross_attention_norm, lambda x: self.cross_attention(x, memory, mask=memory_mask, **options)
            )
        x = x if only is None else x[only]
        if self.feed_forward is not None:
            x, _ = self._add(x, self.feed_forward_norm, lambda x: (self.feed_forward(x), None))
        return x, (own, cross) if need_weights and self.cross_attention is not None else own

    def _add(
        self, x: Tensor, norm: nn.Module, sublayer: Callable[[Tensor], tuple[Tensor, Tensor | None]]
    ) -> tuple[Tensor, Tensor | None]:
        """The skip connection around one sublayer, and where the norm stands."""
        if self.pre_norm:
            new, weights = sublayer(norm(x))
            return x + self.dropout(new), weights
        new, weights = sublayer(x)
        return norm(x + self.dropout(new)), weights


class EncoderLayer(Block):
    """One layer of the paper's encoder: self-attention, feed-forward with ReLU, post-norm unless told otherwise."""

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        dropout: float = 0.1,
        pre_norm: bool = False,
        positions: Positions | None = None,
    ):
        super().__init__(d_model, num_heads, d_ff, dropout, pre_norm=pre_norm, activation=nn.ReLU, positions=positions)


class DecoderLayer(Block):
    """One layer of the paper's decoder: self-attention, attention to the encoder's output, feed-forward with ReLU.

    Nothing in it hides the future: pass `masks.causal_mask(n)`.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        dropout: float = 0.1,
        pre_norm: bool = False,
        positions: Positions | None = None,
    ):
        super().__init__(
            d_model,
            num_heads,
            d_ff,
            dropout,
            pre_norm=pre_norm,
            activation=nn.ReLU,
            positions=positions,
            cross_attention=True,
        )
