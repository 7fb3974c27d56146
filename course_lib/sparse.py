"""Sparse attention: each query meets a few keys, and only the scores that are asked for are computed.

Zaheer et al. (2020), "Big Bird": a window, a few global tokens, and random keys. Without random keys it is the pattern
of Beltagy, Peters and Cohan (2020), "Longformer".

A mask (`masks.sparse_mask`) computes all n² scores and throws most away. Here queries go in blocks of `window` words: a
block's neighbours within the window all stand in three blocks of keys, its own, the one before and the one after.
"""

from functools import lru_cache

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor

from course_lib.attention import MultiHeadAttention
from course_lib.errors import CourseError
from course_lib.masks import sparse_mask
from course_lib.support.messages import whole_number

Queries = Float[Tensor, "*axes n d_k"]
Values = Float[Tensor, "*axes n d_v"]


def random_keys(
    n: int, window: int, num_random: int, num_global: int = 0, seed: int = 0
) -> Int[Tensor, "{n} {num_random}"]:
    """For each query so many keys, drawn once: the same seed gives the same keys. They are distinct, outside the
    query's window, and not global.

    Each query draws its own here; Big Bird's code draws whole blocks of keys for whole blocks of queries. Raises
    CourseError where the text is too short for that many.
    """
    n, window = whole_number("n", n), whole_number("window", window)
    num_random, num_global = whole_number("num_random", num_random), whole_number("num_global", num_global)
    place = torch.arange(n)
    start = (place - window).clamp(min=num_global)  # the window, without global keys in it, is start … end − 1
    end = (place + window + 1).clamp(min=num_global, max=max(n, num_global))
    free = n - num_global - (end - start)  # so many keys are left for each query, numbered 0, 1, … without the window
    if num_random and n and int(free.min()) < num_random:
        raise CourseError(
            f"A text of {n} words has only {max(int(free.min()), 0)} keys left outside a window of {window} on each "
            f"side and {num_global} global tokens, but num_random = {num_random}. Take a longer text, or fewer."
        )
    generator = torch.Generator().manual_seed(seed)
    keys = torch.empty(n, 0, dtype=torch.long)
    for last in free - num_random + torch.arange(num_random)[:, None]:  # Floyd's way: no key twice, all equally likely
        drawn = (torch.rand(n, generator=generator, dtype=torch.float64) * (last + 1)).long()
        taken = (keys == drawn[:, None]).any(-1)
        keys = torch.cat([keys, torch.where(taken, last, drawn)[:, None]], dim=1)
    keys = keys + num_global
    return torch.where(keys >= start[:, None], keys + (end - start)[:, None], keys)


def sparse_attention(
    query: Queries,
    key: Queries,
    value: Values,
    window: int,
    num_global: int = 0,
    num_random: int = 0,
    seed: int = 0,
    dropout: float = 0.0,
) -> Values:
    """Attention to `window` neighbours on each side, to the first `num_global` tokens, and to `num_random` keys.

    The same as attention with `sparse_mask(n, window, num_global, random_keys(…))`, in time and memory that grow with
    n · (window + num_global + num_random); global queries see all n keys. Raises CourseError for sizes that are none,
    and where queries, keys and values aren't of one text.
    """
    if not query.shape[:-1] == key.shape[:-1] == value.shape[:-1] or query.shape[-1] != key.shape[-1]:
        raise CourseError(
            "A window needs queries, keys and values of one text, (…, n, d_k), (…, n, d_k) and (…, n, d_v); got "
            f"{tuple(query.shape)}, {tuple(key.shape)} and {tuple(value.shape)}."
        )
    n, d_k = query.shape[-2:]
    window = min(whole_number("window", window), max(n - 1, 0))
    num_global = min(whole_number("num_global", num_global), n)
    block = max(window, 1)
    seen = _seen(n, window, num_global).to(query.device)
    chosen = random_keys(n, window, num_random, num_global, seed).to(query.device)
    query = query * d_k**-0.5

    # A global key inside a window stands in the columns of the global keys alone: it must not count twice.
    near = _in_blocks(query, block) @ _with_neighbours(key, block).mT  # (…, blocks, block, 3 · block)
    near = near.masked_fill(~seen, float("-inf")).flatten(-3, -2)[..., :n, :]
    far = query @ key[..., :num_global, :].mT  # (…, n, num_global)
    drawn = (key[..., chosen, :] @ query[..., None]).squeeze(-1)  # (…, n, num_random)

    weights = F.dropout(torch.cat([near, far, drawn], dim=-1).softmax(dim=-1), dropout)  # one softmax over all three
    near, far, drawn = weights.split([3 * block, num_global, num_random], dim=-1)
    output = (_in_blocks(near, block) @ _with_neighbours(value, block)).flatten(-3, -2)[..., :n, :]
    output = output + far @ value[..., :num_global, :] + (drawn[..., None, :] @ value[..., chosen, :]).squeeze(-2)
    if not num_global:
        return output
    everywhere = F.scaled_dot_product_attention(query[..., :num_global, :], key, value, dropout_p=dropout, scale=1.0)
    return torch.cat([everywhere, output[..., num_global:, :]], dim=-2)


def _in_blocks(x: Float[Tensor, "*axes n d"], block: int) -> Float[Tensor, "*axes blocks {block} d"]:
    """The last block is filled with zeros."""
    return F.pad(x, (0, 0, 0, -x.shape[-2] % block)).unflatten(-2, (-1, block))


def _with_neighbours(x: Float[Tensor, "*axes n d"], block: int) -> Float[Tensor, "*axes blocks 3*{block} d"]:
    """Each block between the one before and the one after, zeros beyond the ends; `unfold` copies nothing."""
    return F.pad(x, (0, 0, block, block + -x.shape[-2] % block)).unfold(-2, 3 * block, block).mT


@lru_cache(maxsize=16)
@torch.inference_mode(False)
def _seen(n: int, window: int, num_global: int) -> Bool[Tensor, "blocks block 3*block"]:
    """Which of its three blocks' keys a query sees: those of the text, within the window, that aren't global."""
    block = max(window, 1)
    query = torch.arange(n + -n % block).unflatten(0, (-1, block))[:, :, None]
    key = query[:, :1] + torch.arange(-block, 2 * block)
    return (key >= num_global) & (key < n) & ((query - key).abs() <= window)


class SparseAttention(MultiHeadAttention):
    """Multi-head attention by `sparse_attention`, for a block: Block(…, attention=SparseAttention(…)).

    `options` are those of MultiHeadAttention. Positions may be in the embeddings or rotary; a mask, positions in the
    scores, a graph or a cache raise CourseError. With need_weights it is dense attention with `sparse_mask`: the same
    numbers and all n² weights, for pictures.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        window: int,
        num_global: int = 0,
        num_random: int = 0,
        seed: int = 0,
        **options,
    ):
        super().__init__(d_model, num_heads, **options)
        self.window, self.num_global = whole_number("window", window), whole_number("num_global", num_global)
        self.num_random, self.seed = whole_number("num_random", num_random), seed

    def forward(self, *inputs, cache=None, **options):
        """As MultiHeadAttention's, of one whole text: self-attention without mask, graph or cache."""
        if cache is not None:
            raise CourseError("Sparse attention goes over a whole text at once: it takes no cache.")
        return super().forward(*inputs, **options)

    def attend(self, query, key, value, mask, bias, need_weights):
        if mask is not None or bias is not None:
            raise CourseError(
                "Sparse attention computes a few scores only, so it takes no mask, no positions in the scores (Shaw's, "
                "ALiBi) and no graph. Positions in the embeddings, or rotary ones, work."
            )
        n, pattern = query.shape[-2], (self.window, self.num_global, self.num_random, self.seed)
        if need_weights:
            chosen = random_keys(n, self.window, self.num_random, self.num_global, self.seed)
            mask = sparse_mask(n, self.window, self.num_global, chosen).to(query.device)
            return super().attend(query, key, value, mask, None, need_weights)
        return sparse_attention(query, key, value, *pattern, dropout=self.dropout if self.training else 0.0), None
