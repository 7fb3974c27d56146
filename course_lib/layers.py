"""What a Transformer stacks: the one Block of every model here."""

from collections.abc import Callable

from jaxtyping import Float
from torch import Tensor, nn

from course_lib.attention import MultiHeadAttention
from course_lib.masks import Mask
from course_lib.positions import Positions

Stream = Float[Tensor, "batch n d_model"]  # the residual stream: what goes through all blocks of a model
Weights = Float[Tensor, "batch head query key"]


class Block(nn.Module):
    """Self-attention, then a feed-forward network at each token by itself; each adds its result to what came in.

        pre-norm    x + sublayer(norm(x))    GPT-2; Xiong et al. (2020) show why it needs no warm-up
        post-norm   norm(x + sublayer(x))    Vaswani et al. (2017), section 3.1; BERT

    d_ff is the width of the feed-forward network (section 3.3); with None there is none. `dropout` falls on attention
    weights and on each sublayer's result. Without `bias` no linear layer has one; the norms keep theirs.
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
    ):
        super().__init__()
        self.pre_norm = pre_norm
        self.attention_norm = nn.LayerNorm(d_model)
        self.attention = MultiHeadAttention(d_model, num_heads, dropout, bias, positions=positions)
        if d_ff is not None:
            self.feed_forward_norm = nn.LayerNorm(d_model)
            self.feed_forward = nn.Sequential(
                nn.Linear(d_model, d_ff, bias=bias), activation(), nn.Linear(d_ff, d_model, bias=bias)
            )
        else:
            self.feed_forward_norm = self.feed_forward = None
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Stream, mask: Mask | None = None, need_weights: bool = False) -> tuple[Stream, Weights | None]:
        """`mask` broadcasts to (batch, head, query, key), True where a query may attend. Weights only if asked for."""
        if self.pre_norm:
            new, weights = self.attention(self.attention_norm(x), mask=mask, need_weights=need_weights)
            x = x + self.dropout(new)
            if self.feed_forward is not None:
                x = x + self.dropout(self.feed_forward(self.feed_forward_norm(x)))
        else:
            new, weights = self.attention(x, mask=mask, need_weights=need_weights)
            x = self.attention_norm(x + self.dropout(new))
            if self.feed_forward is not None:
                x = self.feed_forward_norm(x + self.dropout(self.feed_forward(x)))
        return x, weights
