"""Positions: what tells attention where a token stands.

Attention by itself sees a bag of tokens. There are three places where a model can hear of their order, and every
scheme here is a small class that uses one of them:

    forward(x, start)          the embeddings         index, fraction, binary, sinusoidal, learned
    rotate(query, key, start)  queries and keys       rotary
    bias(query, key)           the scores             Shaw's relative positions, ALiBi

A model calls `positions(x)` once, before its first layer, and hands the same object to each
`attention.MultiHeadAttention(…, positions=positions)`. What a scheme doesn't use, it leaves as it is.

With a cache a text comes in pieces. `start` is the position of a piece's first token; and where there are fewer
queries than keys, the queries are the last of the keys' positions.
"""

import math
from collections.abc import Callable
from functools import lru_cache

import torch
from jaxtyping import Float, Int, Real
from torch import Tensor, nn

from course_lib.errors import CourseError
from course_lib.support.messages import one_of, whole_number

Embeddings = Float[Tensor, "batch n d_model"]
Queries = Float[Tensor, "batch head query d_k"]
Keys = Float[Tensor, "batch head key d_k"]


class Positions(nn.Module):
    """The interface, and by itself the scheme "none": each of the three places is left as it is."""

    def forward(self, x: Embeddings, start: int = 0) -> Embeddings:
        """The embeddings of tokens start, start + 1, …, with their positions in them."""
        return x

    def rotate(self, query: Queries, key: Keys, start: int = 0) -> tuple[Queries, Keys]:
        """Queries and keys, rotated by their positions: the first key is at `start`, the last query at the last key.

        So a cache keeps the keys that are returned; `start` is then how many it holds, and only new ones are rotated.
        """
        return query, key

    def bias(self, query: Queries, key: Keys) -> Float[Tensor, "*batch head query key"] | None:
        """What is added to the scaled scores before the softmax, or None; one for all texts, or one for each."""
        return None

    @property
    def relative(self) -> bool:
        """Whether queries and keys are compared by where they stand, so that both must be of one text."""
        return type(self).rotate is not Positions.rotate or type(self).bias is not Positions.bias


# --- in the embeddings ------------------------------------------------------------------------------------------------


class _Features(Positions):
    """x_i + W f_i + b: a few numbers f_i that describe position i, through a learned matrix."""

    def __init__(self, d_model: int, num_features: int):
        super().__init__()
        self.project = nn.Linear(num_features, d_model)

    def features(self, n: int) -> Float[Tensor, "{n} num_features"]:
        raise NotImplementedError

    def forward(self, x: Embeddings, start: int = 0) -> Embeddings:
        return x + self.project(self.features(start + x.shape[-2])[start:].to(x))


class IndexPositions(_Features):
    """The position itself, 0, 1, 2 …, as one number, counted in `unit`s so that it doesn't drown the embeddings."""

    def __init__(self, d_model: int, unit: float = 32.0):
        super().__init__(d_model, 1)
        self.unit = unit

    def features(self, n: int) -> Float[Tensor, "{n} 1"]:
        return torch.arange(n)[:, None] / self.unit


class FractionPositions(_Features):
    """How far through the text, from 0 to 1. The same fraction is another distance in a text of another length.

    It needs the whole text: where more tokens follow, all fractions change. So there is no `start` but 0.
    """

    def __init__(self, d_model: int):
        super().__init__(d_model, 1)

    def features(self, n: int) -> Float[Tensor, "{n} 1"]:
        return torch.linspace(0, 1, n)[:, None]

    def forward(self, x: Embeddings, start: int = 0) -> Embeddings:
        if start:
            raise CourseError(
                f"A fraction is of the whole text, so it can't begin at position {start}. Pass all of it."
            )
        return super().forward(x)


class BinaryPositions(_Features):
    """The position in binary, lowest bit first: −1 for 0, +1 for 1. As many bits as max_len − 1 needs."""

    def __init__(self, d_model: int, max_len: int):
        self.bits = max((max_len - 1).bit_length(), 1)
        super().__init__(d_model, self.bits)
        self.max_len = max_len

    def features(self, n: int) -> Float[Tensor, "{n} bits"]:
        _check_length(n, self.max_len)
        bits = torch.arange(n)[:, None] >> torch.arange(self.bits) & 1
        return 2.0 * bits - 1


class SinusoidalPositions(Positions):
    """x + the sinusoids of Vaswani et al. (2017), section 3.5; see `sinusoids`. Nothing is learned."""

    def __init__(self, d_model: int, max_len: int, base: float = 10_000.0, layout: str = "interleaved"):
        super().__init__()
        table = sinusoids(torch.arange(max_len, dtype=torch.float64), d_model, base, layout)
        self.register_buffer("table", table.to(torch.get_default_dtype()), persistent=False)

    def forward(self, x: Embeddings, start: int = 0) -> Embeddings:
        return x + _rows(self.table, x, start).to(x.dtype)


class LearnedPositions(Positions):
    """x + a vector of its own for each position, learned like a token's (Gehring et al. 2017; BERT, GPT)."""

    def __init__(self, d_model: int, max_len: int, std: float = 0.02):
        super().__init__()
        self.table = nn.Parameter(torch.randn(max_len, d_model) * std)

    def forward(self, x: Embeddings, start: int = 0) -> Embeddings:
        return x + _rows(self.table, x, start)


def inverse_frequencies(d: int, base: float = 10_000.0) -> Float[Tensor, "pair"]:
    """base^(−2i/d) for the d/2 pairs i = 0, 1, …: the angle in radians by which pair i turns at each step, float64."""
    if d < 2 or d % 2:
        raise CourseError(
            f"Sine and cosine come in pairs, so the length of the vectors must be even, but it is {d}. "
            "Choose an even d_model (or, for rotary positions, an even d_k)."
        )
    if base <= 0:
        raise CourseError(f"The base of the frequencies should be above 0, but it is {base}. The paper's is 10 000.")
    return base ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)


def sinusoids(
    positions: Real[Tensor, "n"], d_model: int, base: float = 10_000.0, layout: str = "interleaved"
) -> Float[Tensor, "n {d_model}"]:
    """PE(pos, 2i) = sin(pos · base^(−2i/d_model)), PE(pos, 2i + 1) = cos(the same). Vaswani et al. (2017), section 3.5.

    positions may be any numbers. layout: "interleaved" is the paper's, sin cos sin cos …; "concatenated" has all
    sines first, then all cosines: the same numbers in another order. The authors' own code, tensor2tensor, is laid out
    like that too, but divides i by d_model/2 − 1 instead of d_model/2: its numbers are others.
    """
    positions = positions * 1.0  # whole numbers become floats: as integers, the frequencies would be 1 and 0
    angles = positions[:, None] * inverse_frequencies(d_model, base).to(positions)  # (n, d_model / 2)
    if one_of("layout", layout, ["interleaved", "concatenated"]) == "concatenated":
        return torch.cat([angles.sin(), angles.cos()], dim=-1)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)


# --- in queries and keys ----------------------------------------------------------------------------------------------


class RotaryPositions(Positions):
    """Rotates pairs of numbers in queries and keys by an angle that grows with the position. Su et al. (2021).

    A dot product of two rotated vectors depends on the difference of their angles only: on how far apart they stand.
    pairing says which numbers belong together, and must be the one that the weights were trained with:
    "interleaved", 2i and 2i + 1 (RoFormer, GPT-J, Llama as Meta published it), or "halves", number i and i + d_k/2
    (GPT-NeoX, and Llama in Hugging Face's transformers, which sorts the rows of its W_Q and W_K for that).
    """

    def __init__(self, base: float = 10_000.0, pairing: str = "halves"):
        super().__init__()
        self.base = base
        self.pairing = one_of("pairing", pairing, ["halves", "interleaved"])

    def rotate(self, query: Queries, key: Keys, start: int = 0) -> tuple[Queries, Keys]:
        first, end = start + _past(query, key), start + key.shape[-2]
        cos, sin = _rotations(_room(end), query.shape[-1], self.base, query.dtype, query.device)
        return (
            rotate_pairs(query, cos[first:end], sin[first:end], self.pairing),
            rotate_pairs(key, cos[start:end], sin[start:end], self.pairing),
        )


def rotary_angles(n: int, d_k: int, base: float = 10_000.0) -> Float[Tensor, "{n} pair"]:
    """By how much each pair is rotated at each position, in radians, in float64."""
    return torch.arange(n, dtype=torch.float64)[:, None] * inverse_frequencies(d_k, base)


def rotate_pairs(
    x: Float[Tensor, "*axes n d_k"], cos: Float[Tensor, "n pair"], sin: Float[Tensor, "n pair"], pairing: str
) -> Float[Tensor, "*axes n d_k"]:
    """(a, b) → (a cos − b sin, a sin + b cos) for each pair (a, b) of numbers of x."""
    if pairing == "halves":
        a, b = x.chunk(2, dim=-1)
        return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)


# --- in the scores ----------------------------------------------------------------------------------------------------


class RelativePositions(Positions):
    """Each key, as a query sees it, gets a learned vector for its distance: e_ij = q_i · (k_j + r_{j−i}) / √d_k.

    Shaw, Uszkoreit and Vaswani (2018), "Self-Attention with Relative Position Representations", equation 4. Distances
    are clipped to ±max_distance, so the table has 2 · max_distance + 1 rows, for −max_distance first; all heads
    share it. The paper's second table, for the values, is left out: its ablation finds nothing lost without it.
    """

    def __init__(self, d_k: int, max_distance: int):
        super().__init__()
        self.max_distance = whole_number("max_distance", max_distance)
        self.table = nn.Parameter(torch.randn(2 * max_distance + 1, d_k) * d_k**-0.5)

    def bias(self, query: Queries, key: Keys) -> Float[Tensor, "batch head query key"]:
        d_k, past = query.shape[-1], _past(query, key)
        if d_k != self.table.shape[-1]:
            raise CourseError(
                f"The relative positions were made for heads of d_k = {self.table.shape[-1]}, but queries have "
                f"d_k = {d_k}. Make them with RelativePositions(d_k={d_k}, …)."
            )
        scores = query @ self.table.mT * d_k**-0.5  # (batch, head, query, row): each query meets each row once
        rows = _table_rows(query.shape[-2], past, self.max_distance, query.device)
        return scores.gather(-1, rows.expand(*scores.shape[:-1], -1))


class ALiBiPositions(Positions):
    """Each step of distance takes a fixed amount from the score, another one in each head; nothing is learned.

    Press, Smith and Lewis (2022), "Train Short, Test Long". For causal attention: left and right look the same.
    """

    def __init__(self, num_heads: int):
        super().__init__()
        self.register_buffer("slopes", alibi_slopes(num_heads), persistent=False)

    def bias(self, query: Queries, key: Keys) -> Float[Tensor, "head query key"]:
        n, past = query.shape[-2], _past(query, key)
        heads = (1, *query.shape)[-3]  # without an axis of heads there is one
        if heads != len(self.slopes):
            raise CourseError(
                f"ALiBi has a slope for each of {len(self.slopes)} heads, but there {'is' if heads == 1 else 'are'} "
                f"{heads}. Make it with ALiBiPositions(num_heads={heads})."
            )
        return -self.slopes.to(query)[:, None, None] * _steps(n, past, query.dtype, query.device)


def alibi_slopes(num_heads: int) -> Float[Tensor, "{num_heads}"]:
    """2^(−8/h), 2^(−16/h) … 2^(−8) for h heads. Where h is no power of two, its authors take the next smaller power's
    slopes, and then every other one of the next larger power's."""

    def of_power(power: int) -> list[float]:
        return [2 ** (-8 * (head + 1) / power) for head in range(power)]

    power = 2 ** int(math.log2(whole_number("num_heads", num_heads, low=1)))
    return torch.tensor(of_power(power) + of_power(2 * power)[0::2][: num_heads - power])


def distances(n: int, past: int = 0) -> Int[Tensor, "{n} {past+n}"]:
    """(query, key) → key − query: −1 for the token before, 0 for the token itself, +1 for the next.

    `past` more keys stand in front, as in `masks.causal_mask`.
    """
    place = torch.arange(past + n)
    return place[None, :] - place[past:, None]


def clipped_distances(n: int, max_distance: int, past: int = 0) -> Int[Tensor, "{n} {past+n}"]:
    """The same, from −max_distance to +max_distance: what is farther away counts as that far."""
    return distances(n, past).clamp(-max_distance, max_distance)


# --- by name ----------------------------------------------------------------------------------------------------------

# What a model's config may name; each is made from (d_model, num_heads, max_len). Learned vectors begin as large as
# sinusoids are, for token vectors of that size; the papers of BERT and GPT have smaller ones for both.
SCHEMES: dict[str, Callable[[int, int, int], Positions]] = {
    "none": lambda d_model, num_heads, max_len: Positions(),
    "sinusoidal": lambda d_model, num_heads, max_len: SinusoidalPositions(d_model, max_len),
    "learned": lambda d_model, num_heads, max_len: LearnedPositions(d_model, max_len, std=0.5**0.5),
    "rotary": lambda d_model, num_heads, max_len: RotaryPositions(),
    "relative": lambda d_model, num_heads, max_len: RelativePositions(d_model // num_heads, max_distance=16),
    "alibi": lambda d_model, num_heads, max_len: ALiBiPositions(num_heads),
}


def make_positions(scheme: str, d_model: int, num_heads: int, max_len: int) -> Positions:
    """The positions of this name. Raises CourseError where there are none.

    >>> make_positions("alibi", d_model=64, num_heads=2, max_len=32).slopes
    tensor([0.0625, 0.0039])
    """
    return SCHEMES[one_of("positions", scheme, SCHEMES)](d_model, num_heads, max_len)


# --- tables, kept by length for all layers and calls; no part of any module's state -----------------------------------
# Made outside inference mode, wherever they are asked for first: a training that follows couldn't use them otherwise.


@lru_cache(maxsize=16)
@torch.inference_mode(False)
def _rotations(n: int, d_k: int, base: float, dtype: torch.dtype, device: torch.device) -> tuple[Tensor, Tensor]:
    """cos and sin of the rotary angles, (n, pair) each."""
    angles = rotary_angles(n, d_k, base)
    return angles.cos().to(device, dtype), angles.sin().to(device, dtype)


@lru_cache(maxsize=8)
@torch.inference_mode(False)
def _table_rows(n: int, past: int, max_distance: int, device: torch.device) -> Tensor:
    """(query, key) → the row of Shaw's table."""
    return clipped_distances(n, max_distance, past).to(device) + max_distance


@lru_cache(maxsize=8)
@torch.inference_mode(False)
def _steps(n: int, past: int, dtype: torch.dtype, device: torch.device) -> Tensor:
    """(query, key) → how far apart they are."""
    return distances(n, past).abs().to(device, dtype)


def _room(n: int) -> int:
    """The next power of two: a text that grows token by token doesn't need a new table for each."""
    return 1 << max(n - 1, 0).bit_length()


# --- bad input --------------------------------------------------------------------------------------------------------


def _rows(table: Tensor, x: Tensor, start: int) -> Tensor:
    """The table's rows for the tokens of x, of which the first stands at `start`."""
    end = start + x.shape[-2]
    _check_length(end, len(table))
    if x.shape[-1] != table.shape[-1]:
        raise CourseError(
            f"These positions were made for d_model = {table.shape[-1]}, but the embeddings have "
            f"{x.shape[-1]} numbers. Make both equally long."
        )
    return table[start:end]


def _check_length(n: int, max_len: int) -> None:
    if n > max_len:
        raise CourseError(
            f"There are positions for max_len = {max_len} words, but this text has {n}. "
            "Make the positions with a larger max_len, or cut the text."
        )


def _past(query: Tensor, key: Tensor) -> int:
    """How many keys stand before the first query."""
    past = key.shape[-2] - query.shape[-2]
    if past < 0:
        raise CourseError(
            f"Distances are between tokens of one text, but there are {query.shape[-2]} queries and {key.shape[-2]} "
            "keys. From one text to another, use attention without relative positions."
        )
    return past
