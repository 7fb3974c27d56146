"""What a Transformer stacks: a sub-layer of self-attention, the feed-forward layer, and the encoder layer of the two."""

from jaxtyping import Bool, Float
from torch import Tensor, nn

from course_lib.attention import MultiHeadAttention


class SelfAttentionLayer(nn.Module):
    """x + attention(norm(x)): each word adds to itself what it read from the others (pre-norm; Xiong et al. 2020)."""

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.attention = MultiHeadAttention(d_model, num_heads, dropout, bias)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        x: Float[Tensor, "batch n d_model"],
        mask: Bool[Tensor, "..."] | None = None,
        need_weights: bool = False,
    ) -> tuple[Float[Tensor, "batch n d_model"], Float[Tensor, "batch head n n"] | None]:
        """`mask` broadcasts to (batch, head, query, key), True where a query may look. Weights only if asked for."""
        context, weights = self.attention(self.norm(x), mask=mask, need_weights=need_weights)
        return x + self.dropout(context), weights


class FeedForward(nn.Module):
    """W₂ ReLU(W₁ x + b₁) + b₂, the same for every position (Vaswani et al. 2017, equation 2)."""

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.W_1 = nn.Linear(d_model, d_ff)
        self.W_2 = nn.Linear(d_ff, d_model)

    def forward(self, x: Float[Tensor, "*axes d_model"]) -> Float[Tensor, "*axes d_model"]:
        return self.W_2(self.W_1(x).relu())


class EncoderLayer(nn.Module):
    """Self-attention between the words, then x + feed_forward(norm(x)) for each word alone."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, bias: bool = True):
        super().__init__()
        self.self_attention = SelfAttentionLayer(d_model, num_heads, dropout, bias)
        self.norm = nn.LayerNorm(d_model)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        x: Float[Tensor, "batch n d_model"],
        mask: Bool[Tensor, "..."] | None = None,
        need_weights: bool = False,
    ) -> tuple[Float[Tensor, "batch n d_model"], Float[Tensor, "batch head n n"] | None]:
        """As in `SelfAttentionLayer.forward`."""
        x, weights = self.self_attention(x, mask, need_weights)
        return x + self.dropout(self.feed_forward(self.norm(x))), weights
