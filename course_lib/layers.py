"""What a Transformer stacks. So far: self-attention as a residual layer."""

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
        self, x: Float[Tensor, "batch n d_model"], mask: Bool[Tensor, "..."] | None = None, need_weights: bool = False
    ) -> tuple[Float[Tensor, "batch n d_model"], Float[Tensor, "batch head n n"] | None]:
        """`mask` broadcasts to (batch, head, query, key), True where a query may look. Weights only if asked for."""
        context, weights = self.attention(self.norm(x), mask=mask, need_weights=need_weights)
        return x + self.dropout(context), weights
