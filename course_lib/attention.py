"""Attention: every query is compared with every key and takes a weighted average of the values.

Vaswani et al. (2017), "Attention Is All You Need", sections 3.2.1 and 3.2.2.

    paper   d_model      h           d_k   d_v   Q, K, V
    code    d_model      num_heads   d_k   d_v   query, key, value

Masks are boolean and True means "may attend". Batch first: the axes are (batch, head, query, key).
"""

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.errors import CourseError
from course_lib.masks import Mask, check_mask
from course_lib.positions import Positions
from course_lib.support.messages import whole_number

Query = Float[Tensor, "*axes query d_k"]
Key = Float[Tensor, "*axes key d_k"]
Value = Float[Tensor, "*axes key d_v"]
Output = Float[Tensor, "*axes query d_v"]
Scores = Float[Tensor, "*axes query key"]
Weights = Float[Tensor, "*axes query key"]

# --- the score family: how well does a query fit a key? (lesson 01) ---------------------------------------------------
# Every score compares each query with each key.


def additive_scores(
    query: Float[Tensor, "*axes query d_query"],
    key: Float[Tensor, "*axes key d_key"],
    W_1: Float[Tensor, "d_score d_query"],
    W_2: Float[Tensor, "d_score d_key"],
    w_3: Float[Tensor, "d_score"],
) -> Scores:
    """w₃ · tanh(W₁ q + W₂ k): a small network for each pair. Bahdanau, Cho and Bengio (2015), appendix A.1.2."""
    both = (query @ W_1.mT)[..., :, None, :] + (key @ W_2.mT)[..., None, :, :]  # (*axes, query, key, d_score)
    return both.tanh() @ w_3


def multiplicative_scores(
    query: Float[Tensor, "*axes query d_query"],
    key: Float[Tensor, "*axes key d_key"],
    W: Float[Tensor, "d_query d_key"],
) -> Scores:
    """qᵀ W k: a learned matrix between the two. Luong, Pham and Manning (2015), section 3.1, "general"."""
    return query @ W @ key.mT


def dot_scores(query: Query, key: Key) -> Scores:
    """q · k. Luong, Pham and Manning (2015), section 3.1, "dot"."""
    return query @ key.mT


def scaled_dot_scores(query: Query, key: Key) -> Scores:
    """q · k / √d_k. Vaswani et al. (2017), section 3.2.1."""
    return query @ key.mT / query.shape[-1] ** 0.5


def cosine_scores(query: Query, key: Key) -> Scores:
    """q · k / (|q| |k|), from -1 to 1: only the angle counts. Graves, Wayne and Danihelka (2014), section 3.3.1."""
    return F.normalize(query, dim=-1) @ F.normalize(key, dim=-1).mT


def softmax_over_keys(scores: Float[Tensor, "*axes key"], mask: Mask | None = None) -> Float[Tensor, "*axes key"]:
    """Positive weights that sum to 1 over the keys; all 0 where `mask`, broadcast to the scores, allows no key."""
    if mask is None:
        return scores.softmax(dim=-1)
    check_mask(mask, scores.shape)
    # −∞ becomes a weight of 0. A softmax over −∞ alone would be NaN: a query without any key gets zeros for scores.
    keyless = ~mask.any(dim=-1, keepdim=True)
    hidden = scores.new_tensor(float("-inf")).masked_fill(keyless, 0.0)
    weights = torch.where(mask, scores, hidden).softmax(dim=-1)
    return weights.masked_fill(keyless, 0.0) if keyless.any() else weights


# --- scaled dot-product attention -------------------------------------------------------------------------------------


def attention_weights(
    query: Query,
    key: Key,
    mask: Mask | None = None,
    scale: float | None = None,
    bias: Float[Tensor, "..."] | None = None,
) -> Weights:
    """softmax(query keyᵀ · scale + bias) over the keys; scale is 1/√d_k unless given.

    `mask` and `bias` broadcast to the result's shape. A query that may attend to nothing gets weights of zero.
    Raises CourseError if queries and keys differ in d_k, if axes don't fit, or the mask isn't boolean.
    """
    _check_axes(query, key)
    if query.shape[-1] != key.shape[-1]:
        raise CourseError(
            f"A query is compared with a key number by number, but queries have d_k = {query.shape[-1]} "
            f"and keys have d_k = {key.shape[-1]}."
        )
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    scores = (query * scale) @ key.mT  # n · d_k products to scale instead of n²
    scores = scores if bias is None else scores + bias
    return softmax_over_keys(scores, mask)


def scaled_dot_product_attention(
    query: Query, key: Key, value: Value, mask: Mask | None = None, scale: float | None = None
) -> tuple[Output, Weights]:
    """Equation 1 of the paper: softmax(query keyᵀ / √d_k) value.

    Returns the output and the weights. Raises CourseError as `attention_weights` does, or if a key has no value.
    """
    _check_axes(query, key, value)
    _check_values(key, value)
    weights = attention_weights(query, key, mask, scale)
    return weights @ value, weights


def split_heads(x: Float[Tensor, "batch n width"], num_heads: int) -> Float[Tensor, "batch {num_heads} n d"]:
    """Split the last axis into heads: (batch, n, num_heads · d) → (batch, num_heads, n, d). Nothing is copied."""
    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2)


def merge_heads(x: Float[Tensor, "batch head n d"]) -> Float[Tensor, "batch n width"]:
    """Concatenate the heads again, head 0 first: (batch, head, n, d) → (batch, n, head · d)."""
    return x.transpose(1, 2).flatten(-2)


class KeyValueCache:
    """Keys and values that were computed before, for texts that grow token by token.

        cache = KeyValueCache()
        for token in x.split(1, dim=1):
            output, _ = attention(token, cache=cache)      # attends to this token and to all before it

    One cache serves all attentions of a model: each finds its own in it, a pair (key, value) of the shapes
    (batch, head, key, d_k) and (batch, head, key, d_v), the keys already rotated by their positions.
    """

    def __init__(self):
        self.kept: dict[nn.Module, tuple[Tensor, Tensor]] = {}

    def length(self, attention: nn.Module) -> int:
        """How many keys this attention has in here."""
        return self.kept[attention][0].shape[-2] if attention in self.kept else 0

    def append(self, attention: nn.Module, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Keep these behind what is there; returns all of it."""
        if attention in self.kept:
            key, value = (torch.cat(pair, dim=-2) for pair in zip(self.kept[attention], (key, value), strict=True))
        self.kept[attention] = key, value
        return key, value

    def select(self, rows: Int[Tensor, "new_batch"]) -> None:
        """Keep these texts of the batch, in this order; one may be kept twice, as beam search needs it."""
        self.kept = {attention: (key[rows], value[rows]) for attention, (key, value) in self.kept.items()}


class MultiHeadAttention(nn.Module):
    """Several attentions in parallel, each in its own d_k dimensions, mixed by a last matrix W_O (section 3.2.2).

    d_k and d_v are the lengths of one head's keys and values; both are d_model / num_heads unless given.
    `positions` says where tokens stand, in queries, keys or scores (course_lib/positions.py); by default nothing does.
    The projections are `W_Q, W_K, W_V, W_O`, each an nn.Linear; heads lie one after the other in their rows.
    Raises CourseError if a size isn't one, or if num_heads doesn't divide d_model and d_k or d_v is missing.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        d_k: int | None = None,
        d_v: int | None = None,
        positions: Positions | None = None,
    ):
        super().__init__()
        whole_number("num_heads", num_heads, low=1)
        if not 0 <= dropout <= 1:
            raise CourseError(f"dropout should be a share of the weights, from 0 to 1; got {dropout!r}.")
        if (d_k is None or d_v is None) and d_model % num_heads:
            raise CourseError(
                f"d_model = {d_model} can't be cut into {num_heads} equal heads: "
                "choose num_heads so that it divides d_model, or give d_k and d_v."
            )
        d_k = whole_number("d_k", d_model // num_heads if d_k is None else d_k, low=1)
        d_v = whole_number("d_v", d_model // num_heads if d_v is None else d_v, low=1)
        self.d_model, self.num_heads = d_model, num_heads
        self.dropout = dropout
        self.positions = positions or Positions()
        self.W_Q = nn.Linear(d_model, num_heads * d_k, bias=bias)
        self.W_K = nn.Linear(d_model, num_heads * d_k, bias=bias)
        self.W_V = nn.Linear(d_model, num_heads * d_v, bias=bias)
        self.W_O = nn.Linear(num_heads * d_v, d_model, bias=bias)

    def forward(
        self,
        query: Float[Tensor, "batch query d_model"],
        key: Float[Tensor, "batch key d_model"] | None = None,
        value: Float[Tensor, "batch key d_model"] | None = None,
        mask: Mask | None = None,
        need_weights: bool = False,
        cache: KeyValueCache | None = None,
        graph: Positions | None = None,
    ) -> tuple[Float[Tensor, "batch query d_model"], Float[Tensor, "batch head query compared"] | None]:
        """Self-attention when only `query` is given; `value` is `key` unless given.

        `mask` broadcasts to (batch, head, query, key). Without `need_weights` torch's fused attention computes the same
        output without ever storing the weights, and None stands in their place.
        With a `cache`, self-attention's keys and values join those of the tokens before, and queries attend to all of
        them. Another text doesn't grow: its keys and values are computed once and then taken from the cache.
        `compared` is as many as there are keys, but in a variant that makes fewer of them (`short_keys`).
        A `graph` between the tokens of just these texts adds its bias to that of `positions`; in self-attention only.
        """
        own = key is None or key is query
        key = query if own else key
        value = key if value is None else value
        past = cache.length(self) if cache is not None else 0
        self._check(query, key, value, cache)
        if graph is not None and (not own or cache is not None):
            raise CourseError(
                "A graph has edges between all tokens of one text, so it goes with self-attention to the whole text: "
                "without another text's keys, and without a cache."
            )
        q = split_heads(self.W_Q(query), self.num_heads)  # (batch, head, query, d_k)
        if past and not own:
            k, v = cache.kept[self]
        else:
            k = split_heads(self.W_K(key), self.num_heads)  # (batch, head, key, d_k)
            v = split_heads(self.W_V(value), self.num_heads)  # (batch, head, key, d_v)
            q, k = self.positions.rotate(q, k, past)
            if cache is not None:
                k, v = cache.append(self, k, v)
        bias = self.positions.bias(q, k)
        if graph is not None:
            bias = graph.bias(q, k) if bias is None else bias + graph.bias(q, k)
        heads, weights = self.attend(q, k, v, mask, bias, need_weights)
        return self.W_O(merge_heads(heads)), weights if need_weights else None

    def attend(
        self,
        query: Float[Tensor, "batch head query d_k"],
        key: Float[Tensor, "batch head key d_k"],
        value: Float[Tensor, "batch head key d_v"],
        mask: Mask | None,
        bias: Float[Tensor, "..."] | None,
        need_weights: bool,
    ) -> tuple[Float[Tensor, "batch head query d_v"], Float[Tensor, "batch head query key"] | None]:
        """What happens between the projections. Other kinds of attention replace this alone: `sparse`, `short_keys`."""
        dropout = self.dropout if self.training else 0.0
        if need_weights or _slow_when_fused(query):
            weights = attention_weights(query, key, mask, bias=bias)
            return F.dropout(weights, dropout) @ value, weights
        if mask is not None:
            check_mask(mask, (*query.shape[:-1], key.shape[-2]))
        mask = _with_bias(mask, bias)
        return F.scaled_dot_product_attention(query, key, value, attn_mask=mask, dropout_p=dropout), None

    def _check(self, query: Tensor, key: Tensor, value: Tensor, cache: KeyValueCache | None) -> None:
        """torch's fused attention checks little of this: values that are missing it reads from foreign memory."""
        for name, x in (("query", query), ("key", key), ("value", value)):
            if x.dim() != 3 or x.shape[-1] != self.d_model:
                raise CourseError(
                    f"{name} should have the axes (batch, n, d_model = {self.d_model}); got the shape {tuple(x.shape)}."
                    + " For a single text, x[None] puts the batch's axis in front." * (x.dim() == 2)
                )
        if not len(query) == len(key) == len(value):
            raise CourseError(
                f"query, key and value should hold as many texts, but their batches are of {len(query)}, {len(key)} "
                f"and {len(value)}."
            )
        _check_values(key, value)
        if self.positions.relative and key.shape[1] != query.shape[1]:
            raise CourseError(
                f"These positions are distances within one text, but there are {query.shape[1]} queries and "
                f"{key.shape[1]} keys. From one text to another, use attention without such positions; where a text "
                "comes in pieces, pass each piece alone, with cache=…"
            )
        if cache is not None and self in cache.kept and len(cache.kept[self][0]) != len(query):
            raise CourseError(
                f"The cache holds keys of {len(cache.kept[self][0])} texts, but queries come from {len(query)}. "
                "Where texts are left out or repeated, cache.select(rows) does the same in the cache."
            )


def _slow_when_fused(query: Tensor) -> bool:
    """On a CPU in bfloat16, the way back through torch's fused attention takes three times as long as the formula's."""
    return query.requires_grad and query.dtype == torch.bfloat16 and query.device.type == "cpu"


def _with_bias(mask: Tensor | None, bias: Tensor | None) -> Tensor | None:
    """What torch's fused attention takes: a boolean mask, or numbers to add, −inf where a query may not attend."""
    if mask is None or bias is None:
        return torch.atleast_2d(mask) if mask is not None else bias
    return torch.where(mask, bias, float("-inf"))


def _check_axes(*inputs: Tensor) -> None:
    """Raises CourseError unless queries, keys (and values) have rows, and what stands in front of these fits."""
    shapes = [x.shape for x in inputs]
    fits = all(len(shape) > 1 for shape in shapes)
    if fits and any(shape[:-2] != shapes[0][:-2] for shape in shapes):
        try:
            torch.broadcast_shapes(*(shape[:-2] for shape in shapes))
        except RuntimeError:
            fits = False
    if not fits:
        got = ", ".join(f"{name} {tuple(shape)}" for name, shape in zip(("query", "key", "value"), shapes))
        raise CourseError(f"The last two axes should be (n, d), and those in front the same for all; got {got}.")


def _check_values(key: Tensor, value: Tensor) -> None:
    if value.shape[-2] != key.shape[-2]:
        raise CourseError(f"Each key needs one value, but there are {key.shape[-2]} keys and {value.shape[-2]} values.")
