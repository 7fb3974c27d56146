"""Two changes to the Transformer that a search of programs found: squared ReLU, and a convolution after projections.

    Block(64, 4, 256, activation=SquaredReLU)
    Block(64, 4, 256, attention=ConvolvedAttention(64, 4))

So et al. (2021), "Primer: Searching for Efficient Transformers for Language Modeling", section 4.
"""

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from course_lib.attention import KeyValueCache, MultiHeadAttention
from course_lib.errors import CourseError
from course_lib.support.messages import whole_number


class SquaredReLU(nn.Module):
    """max(0, x)², a number at a time."""

    def forward(self, x: Float[Tensor, "*axes"]) -> Float[Tensor, "*axes"]:
        return x.relu().square()


class DepthwiseConvolution(nn.Module):
    """y_i = Σ_s w_s · x_{i+s}, each of the d numbers by itself: a few neighbours are mixed, no dimensions are.

    `causal`: over the token and the width − 1 before it; otherwise as many on both sides, and the width must be odd.
    Beyond the text stand zeros; padding within a batch counts as text. `weight` begins as the identity: y = x.
    """

    def __init__(self, d: int, width: int = 3, causal: bool = True):
        super().__init__()
        if whole_number("width", width, low=1) % 2 == 0 and not causal:
            raise CourseError(f"A window with as many tokens on both sides has an odd width; got {width}.")
        self.before = width - 1 if causal else width // 2
        self.weight = nn.Parameter(torch.zeros(width, d))
        with torch.no_grad():
            self.weight[self.before] = 1

    def forward(self, x: Float[Tensor, "batch n d"]) -> Float[Tensor, "batch n d"]:
        width, n = len(self.weight), x.shape[1]
        padded = F.pad(x, (0, 0, self.before, width - 1 - self.before))
        return sum(self.weight[s] * padded[:, s : s + n] for s in range(width))


class ConvolvedAttention(MultiHeadAttention):
    """Multi-head attention whose queries, keys and values have each met their neighbours, by a convolution.

    W_Q, W_K and W_V are followed by a `DepthwiseConvolution` of width 3. `options` are MultiHeadAttention's. For a
    model that must not see the future, leave `causal` and pass the causal mask. No cache.
    """

    def __init__(self, d_model: int, num_heads: int, causal: bool = True, **options):
        super().__init__(d_model, num_heads, **options)
        for name in ("W_Q", "W_K", "W_V"):
            linear = getattr(self, name)
            setattr(self, name, nn.Sequential(linear, DepthwiseConvolution(linear.out_features, causal=causal)))

    def _check(self, query: Tensor, key: Tensor, value: Tensor, cache: KeyValueCache | None) -> None:
        if cache is not None:
            raise CourseError(
                "The convolution needs the tokens before, and a cache keeps only their finished keys and values. "
                "Call it without a cache, on the whole text."
            )
        super()._check(query, key, value, cache)
