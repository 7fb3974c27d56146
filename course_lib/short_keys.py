"""Attention to fewer keys than words: the text's keys and values are mixed into a few before they are compared.

    Linformer            each short key is a learned mixture of all n keys        Wang et al. (2020)
    memory-compressed    each group of neighbours becomes one key                 Liu et al. (2018)

There are as many outputs as queries; the vectors keep their length. A short key holds words of the whole text, or of a
group: nothing can be hidden in it, so there are no masks here.
"""

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from course_lib.attention import MultiHeadAttention, merge_heads, split_heads
from course_lib.errors import CourseError
from course_lib.support.messages import whole_number

Keys = Float[Tensor, "batch head key d_k"]
Values = Float[Tensor, "batch head key d_v"]
ShortKeys = Float[Tensor, "batch head short d_k"]
ShortValues = Float[Tensor, "batch head short d_v"]


class _ShortKeys(MultiHeadAttention):
    """Multi-head attention to what `shorten` makes of keys and values."""

    def shorten(self, key: Keys, value: Values) -> tuple[ShortKeys, ShortValues]:
        raise NotImplementedError

    def forward(self, *inputs, cache=None, **options):
        """As MultiHeadAttention's, without mask, graph or cache; weights are (batch, head, query, short)."""
        if cache is not None:
            raise CourseError("Keys are mixed from the whole text at once, so there is no cache of single ones.")
        return super().forward(*inputs, **options)

    def attend(self, query, key, value, mask, bias, need_weights):
        if mask is not None:
            raise CourseError(
                "Every short key holds words from many places, the future and padding among them: a mask can't hide "
                "these any more. Pass no mask, and texts without padding."
            )
        if bias is not None:
            raise CourseError(
                "A short key stands at no one place, so it takes no positions in the scores (Shaw's, ALiBi) and no "
                "graph. Positions in the embeddings, or rotary ones, work."
            )
        return super().attend(query, *self.shorten(key, value), None, None, need_weights)


class LinformerAttention(_ShortKeys):
    """softmax(Q (E K)ᵀ / √d_k) F V: `short` mixtures of the keys, and as many of the values, in place of n.

    Wang et al. (2020), "Linformer: Self-Attention with Linear Complexity". E and F, (short, n), are learned,
    and are made for texts of exactly n words. All heads share them: the paper's "headwise sharing".

        paper   k        E_i, F_i
        code    short    E, F
    """

    def __init__(self, d_model: int, num_heads: int, n: int, short: int, **options):
        super().__init__(d_model, num_heads, **options)
        self.n, self.short = whole_number("n", n, low=1), whole_number("short", short, low=1)
        self.E = nn.Parameter(torch.randn(short, n) * n**-0.5)
        self.F = nn.Parameter(torch.randn(short, n) * n**-0.5)

    def shorten(self, key: Keys, value: Values) -> tuple[ShortKeys, ShortValues]:
        if key.shape[-2] != self.n:
            raise CourseError(
                f"E is made for one n: it mixes {self.n} words, but this text has {key.shape[-2]}. "
                f"Pass texts of {self.n} words, or make LinformerAttention(…, n={key.shape[-2]}, …)."
            )
        return self.E @ key, self.F @ value


class CompressedAttention(_ShortKeys):
    """Keys and values of `stride` neighbours become one each, by a convolution as wide as its stride.

    Liu et al. (2018), "Generating Wikipedia by Summarizing Long Sequences": "memory-compressed attention", with a
    stride of 3. Its T-DMCA alternates such layers with attention inside blocks of the text.
    The kernels W_key (stride, num_heads · d_k, num_heads · d_k) and W_value lie over all heads' numbers together.
    """

    def __init__(self, d_model: int, num_heads: int, stride: int = 3, **options):
        super().__init__(d_model, num_heads, **options)
        self.stride = whole_number("stride", stride, low=1)
        self.W_key, self.W_value = (
            nn.Parameter(torch.randn(stride, d, d) * (stride * d) ** -0.5)
            for d in (self.W_K.out_features, self.W_V.out_features)
        )

    def shorten(self, key: Keys, value: Values) -> tuple[ShortKeys, ShortValues]:
        short = (compress(merge_heads(x), W) for x, W in ((key, self.W_key), (value, self.W_value)))
        return tuple(split_heads(x, self.num_heads) for x in short)


def compress(x: Float[Tensor, "*axes n d"], W: Float[Tensor, "stride d_out d"]) -> Float[Tensor, "*axes groups d_out"]:
    """y_m = Σ_s W[s] x_{m · stride + s}: each group of `stride` neighbours becomes one vector.

    What is missing to the last group is filled with zeros; it is a group like the others. nn.Conv1d(d, d_out, stride,
    stride) computes the same. Here the groups' vectors, one behind the other, go through one matrix, and the result
    lies in memory as torch's fused attention wants it: the convolution's, turned, makes that leave its fast path.
    """
    stride = len(W)
    x = F.pad(x, (0, 0, 0, -x.shape[-2] % stride))
    groups = x.unflatten(-2, (-1, stride)).flatten(-2)  # (…, groups, stride · d)
    return groups @ W.mT.flatten(0, 1)  # W[0]ᵀ, W[1]ᵀ, … one below the other: (stride · d, d_out)
