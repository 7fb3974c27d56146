"""Positions: what tells attention where a word stands.

Attention by itself sees a bag of words. There are three places where a model can hear of their order, and every
scheme here is a small class that uses one of them:

    forward(x)          the embeddings         index, fraction, binary, sinusoidal, learned
    rotate(query, key)  queries and keys       rotary
    bias(query, key)    the scores             Shaw's relative positions, ALiBi

A model calls `positions(x)` once, before its first layer, and hands the same object to each
`attention.MultiHeadAttention(…, positions=positions)`. What a scheme doesn't use, it leaves as it is.
"""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.errors import CourseError


class Positions(nn.Module):
    """The interface, and by itself the scheme "none": each of the three places is left as it is."""

    def forward(self, x: Float[Tensor, "batch n d_model"]) -> Float[Tensor, "batch n d_model"]:
        """The embeddings, with their positions in them."""
        return x

    def rotate(
        self, query: Float[Tensor, "batch head n d_k"], key: Float[Tensor, "batch head n_key d_k"]
    ) -> tuple[Float[Tensor, "batch head n d_k"], Float[Tensor, "batch head n_key d_k"]]:
        """Queries and keys, turned by their positions."""
        return query, key

    def bias(
        self, query: Float[Tensor, "batch head n d_k"], key: Float[Tensor, "batch head n_key d_k"]
    ) -> Float[Tensor, "*batch head n n_key"] | None:
        """What is added to the scaled scores before the softmax, or None; one for all texts, or one for each."""
        return None


# --- in the embeddings ------------------------------------------------------------------------------------------------


class _Features(Positions):
    """x_i + W f_i + b: a few numbers f_i that describe position i, through a learned matrix."""

    def __init__(self, d_model: int, num_features: int):
        super().__init__()
        self.project = nn.Linear(num_features, d_model)

    def features(self, n: int) -> Float[Tensor, "{n} num_features"]:
        raise NotImplementedError

    def forward(self, x: Float[Tensor, "batch n d_model"]) -> Float[Tensor, "batch n d_model"]:
        return x + self.project(self.features(x.shape[-2]).to(x))


class IndexPositions(_Features):
    """The position itself, 0, 1, 2 …, as one number, counted in `unit`s so that it doesn't drown the words."""

    def __init__(self, d_model: int, unit: float = 32.0):
        super().__init__(d_model, 1)
        self.unit = unit

    def features(self, n: int) -> Float[Tensor, "{n} 1"]:
        return torch.arange(n)[:, None] / self.unit


class FractionPositions(_Features):
    """How far through the text, from 0 to 1. The same fraction is another distance in a text of another length."""

    def __init__(self, d_model: int):
        super().__init__(d_model, 1)

    def features(self, n: int) -> Float[Tensor, "{n} 1"]:
        return torch.linspace(0, 1, n)[:, None]


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

    def forward(self, x: Float[Tensor, "batch n d_model"]) -> Float[Tensor, "batch n d_model"]:
        return x + _first(self.table, x).to(x.dtype)


class LearnedPositions(Positions):
    """x + a vector of its own for each position, learned like a word's (Gehring et al. 2017; BERT, GPT)."""

    def __init__(self, d_model: int, max_len: int, std: float = 0.02):
        super().__init__()
        self.table = nn.Parameter(torch.randn(max_len, d_model) * std)

    def forward(self, x: Float[Tensor, "batch n d_model"]) -> Float[Tensor, "batch n d_model"]:
        return x + _first(self.table, x)


def frequencies(d: int, base: float = 10_000.0) -> Float[Tensor, "pair"]:
    """base^(−2i/d) for the d/2 pairs i = 0, 1, …: the angle in radians by which pair i turns at each step, in float64."""
    if d < 2 or d % 2:
        raise CourseError(f"Sine and cosine come in pairs, so the length of the vectors must be even, but it is {d}. "
                          "Choose an even d_model (or, for rotary positions, an even d_k).")  # fmt: skip
    if base <= 0:
        raise CourseError(f"The base of the frequencies should be above 0, but it is {base}. The paper's is 10 000.")
    return base ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)


def sinusoids(
    positions: Float[Tensor, "n"], d_model: int, base: float = 10_000.0, layout: str = "interleaved"
) -> Float[Tensor, "n {d_model}"]:
    """PE(pos, 2i) = sin(pos · base^(−2i/d_model)), PE(pos, 2i + 1) = cos(the same). Vaswani et al. (2017), section 3.5.

    positions may be any numbers. layout: "interleaved" is the paper's, sin cos sin cos …; "concatenated" has all
    sines first, then all cosines (the authors' own code, tensor2tensor): the same numbers in another order.
    """
    angles = positions[:, None] * frequencies(d_model, base).to(positions)  # (n, d_model / 2)
    if _one_of("layout", layout, "interleaved", "concatenated") == "concatenated":
        return torch.cat([angles.sin(), angles.cos()], dim=-1)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)


# --- in queries and keys ----------------------------------------------------------------------------------------------


class RotaryPositions(Positions):
    """Turns pairs of numbers of queries and keys by an angle that grows with the position (Su et al. 2021, "RoFormer").

    A dot product of two turned vectors depends on the difference of their angles only: on how far apart they stand.
    pairing says which numbers belong together, and must be the one that the weights were trained with:
    "halves", number i and i + d_k/2 (GPT-NeoX, Llama), or "interleaved", 2i and 2i + 1 (RoFormer, GPT-J).
    """

    def __init__(self, base: float = 10_000.0, pairing: str = "halves"):
        super().__init__()
        self.base = base
        self.pairing = _one_of("pairing", pairing, "halves", "interleaved")

    def rotate(
        self, query: Float[Tensor, "batch head n d_k"], key: Float[Tensor, "batch head n_key d_k"]
    ) -> tuple[Float[Tensor, "batch head n d_k"], Float[Tensor, "batch head n_key d_k"]]:
        _check_self_attention(query, key)
        angles = rotary_angles(query.shape[-2], query.shape[-1], self.base)
        cos, sin = angles.cos().to(query), angles.sin().to(query)
        return turn_pairs(query, cos, sin, self.pairing), turn_pairs(key, cos, sin, self.pairing)


def rotary_angles(n: int, d_k: int, base: float = 10_000.0) -> Float[Tensor, "{n} pair"]:
    """By how much each pair is turned at each position, in radians, in float64."""
    return torch.arange(n, dtype=torch.float64)[:, None] * frequencies(d_k, base)


def turn_pairs(
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
        if max_distance < 0:
            raise CourseError(
                f"The largest distance told apart should be 0 or more, but max_distance is {max_distance}."
            )
        self.max_distance = max_distance
        self.table = nn.Parameter(torch.randn(2 * max_distance + 1, d_k) * d_k**-0.5)

    def bias(
        self, query: Float[Tensor, "batch head n d_k"], key: Float[Tensor, "batch head n_key d_k"]
    ) -> Float[Tensor, "batch head n n_key"]:
        _check_self_attention(query, key)
        if query.shape[-1] != self.table.shape[-1]:
            raise CourseError(f"The relative positions were made for heads of d_k = {self.table.shape[-1]}, but queries have "
                              f"d_k = {query.shape[-1]}. Make them with RelativePositions(d_k={query.shape[-1]}, …).")  # fmt: skip
        scores = (
            query @ self.table.mT * query.shape[-1] ** -0.5
        )  # (batch, head, n, row): each query meets each row once
        rows = clipped_distances(query.shape[-2], self.max_distance) + self.max_distance
        return scores.gather(-1, rows.to(query.device).expand(*scores.shape[:-1], -1))


class ALiBiPositions(Positions):
    """Each step of distance takes a fixed amount from the score, another one in each head; nothing is learned.

    Press, Smith and Lewis (2022), "Train Short, Test Long". For causal attention: left and right look the same.
    """

    def __init__(self, num_heads: int):
        super().__init__()
        self.register_buffer("slopes", alibi_slopes(num_heads), persistent=False)

    def bias(
        self, query: Float[Tensor, "batch head n d_k"], key: Float[Tensor, "batch head n_key d_k"]
    ) -> Float[Tensor, "head n n_key"]:
        _check_self_attention(query, key)
        if query.shape[-3] != len(self.slopes):
            raise CourseError(f"ALiBi has a slope for each of {len(self.slopes)} heads, but there are {query.shape[-3]}. "
                              f"Make it with ALiBiPositions(num_heads={query.shape[-3]}).")  # fmt: skip
        return -self.slopes.to(query)[:, None, None] * distances(query.shape[-2]).abs().to(query)


def alibi_slopes(num_heads: int) -> Float[Tensor, "{num_heads}"]:
    """2^(−8/h), 2^(−16/h) … 2^(−8) for h heads. Where h is no power of two, its authors take the next smaller power's
    slopes, and then every other one of the next larger power's."""

    def of_power(power: int) -> list[float]:
        return [2 ** (-8 * (head + 1) / power) for head in range(power)]

    if num_heads < 1:
        raise CourseError(f"ALiBi needs at least one head, but num_heads is {num_heads}.")
    power = 2 ** int(math.log2(num_heads))
    return torch.tensor(of_power(power) + of_power(2 * power)[0::2][: num_heads - power])


def distances(n: int) -> Int[Tensor, "{n} {n}"]:
    """(query, key) → key − query: −1 for the word before, 0 for the word itself, +1 for the next."""
    place = torch.arange(n)
    return place[None, :] - place[:, None]


def clipped_distances(n: int, max_distance: int) -> Int[Tensor, "{n} {n}"]:
    """The same, from −max_distance to +max_distance: what is farther away counts as that far."""
    return distances(n).clamp(-max_distance, max_distance)


# --- bad input --------------------------------------------------------------------------------------------------------


def _first(table: Tensor, x: Tensor) -> Tensor:
    """The table's rows for the n words of x."""
    _check_length(x.shape[-2], len(table))
    if x.shape[-1] != table.shape[-1]:
        raise CourseError(f"These positions were made for d_model = {table.shape[-1]}, but the words' vectors have "
                          f"{x.shape[-1]} numbers. Make both equally long.")  # fmt: skip
    return table[: x.shape[-2]]


def _check_length(n: int, max_len: int) -> None:
    if n > max_len:
        raise CourseError(f"There are positions for max_len = {max_len} words, but this text has {n}. "
                          "Make the positions with a larger max_len, or cut the text.")  # fmt: skip


def _check_self_attention(query: Tensor, key: Tensor) -> None:
    if query.shape[-2] != key.shape[-2]:
        raise CourseError(f"Distances are between words of one text, but there are {query.shape[-2]} queries and "
                          f"{key.shape[-2]} keys. From one text to another, use attention without relative positions.")  # fmt: skip


def _one_of(name: str, value: str, *allowed: str) -> str:
    if value not in allowed:
        raise CourseError(f"{name} should be {' or '.join(map(repr, allowed))}, but it is {value!r}.")
    return value
