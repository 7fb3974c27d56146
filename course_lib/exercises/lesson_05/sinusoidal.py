"""sinusoidal, lesson 05."""

import math

import torch

from course_lib import positions
from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer, randn


def _places(g, n, d_model, base=10_000.0, dtype=torch.float32):
    """Whole numbers below 40, in no order."""
    return torch.randint(0, 40, (n,), generator=g).to(dtype), d_model, base


sinusoidal = Code(
    "05.sinusoidal",
    title="A smooth counter",
    points=4,
    minutes=12,
    difficulty=2,
    reference=positions.sinusoids,
    axes=["n d_model"],
    forbidden=("sinusoid", "frequencies"),
    atol=1e-4,  # float32 angles of some 40 radians, however the power is taken
    cases=[
        Case("six positions", lambda g: _places(g, 6, 8)),
        Case("as many positions as numbers", lambda g: _places(g, 12, 12)),
        Case("one position", lambda g: _places(g, 1, 6)),
        Case("a single pair", lambda g: _places(g, 5, 2)),
        Case("any sizes", lambda g: _places(g, integer(g, 7, 12), 2 * integer(g, 8, 20))),
        Case("another base", lambda g: _places(g, 7, 8, 50.0)),
        Case("between whole numbers", lambda g: (40 * torch.rand(5, generator=g), 10, 1000.0)),
        Case("below zero", lambda g: (-_places(g, 6, 4)[0], 4, 100.0)),
        Case("double precision", lambda g: _places(g, 6, 8, 256.0, torch.float64)),
        Case("not contiguous in memory", lambda g: (randn(g, 8, 2).abs()[:, 0] * 10, 6, 10_000.0)),
    ],
    differentiable=True,
    hints=[
        "Begin with the frequencies, one for each pair: base ** (−2i / d_model) for i = 0 … d_model/2 − 1. 2i is torch.arange(0, d_model, 2).",
        "All angles at once, (n, d_model/2): positions[:, None] * frequencies. Then a table (n, d_model) whose columns 0::2 are the sines.",
        "torch.stack([angles.sin(), angles.cos()], dim=-1) is (n, d_model/2, 2). Flatten its last two axes, and sines and cosines alternate.",
    ],
)


def _waves(place, d_model, base, exponents=None, join=None, turn=1.0, odd=torch.cos, even=torch.sin):
    """Sinusoids with one of their steps replaced."""
    pair = torch.arange(d_model // 2, dtype=place.dtype)
    angles = turn * place[:, None] * base ** (-2 * pair / d_model if exponents is None else exponents(pair, d_model))
    if join:
        return join(even(angles), odd(angles))
    return torch.stack([even(angles), odd(angles)], dim=-1).flatten(-2)


@sinusoidal.mistake(
    "All the sines stand first, then all the cosines. The numbers are right; here they should alternate: sin, cos, sin, cos …"
)
def concatenated(place, d_model, base=10_000.0):
    return _waves(place, d_model, base, join=lambda sin, cos: torch.cat([sin, cos], -1))


@sinusoidal.mistake("Sine and cosine have changed places: the sine belongs at 0, 2, 4 …, the cosine at 1, 3, 5 …")
def cosine_first(place, d_model, base=10_000.0):
    return _waves(place, d_model, base, odd=torch.sin, even=torch.cos)


@sinusoidal.mistake(
    "All the cosines stand first, then all the sines. They should alternate, and begin with a sine: sin, cos, sin, cos …"
)
def cosines_then_sines(place, d_model, base=10_000.0):
    return _waves(place, d_model, base, join=lambda sin, cos: torch.cat([cos, sin], -1))


@sinusoidal.mistake(
    "Every column has a frequency of its own. Sine and cosine of a pair share one: columns 2i and 2i + 1 both have base^(−2i/d_model)."
)
def own_frequency_each(place, d_model, base=10_000.0):
    angles = place[:, None] * base ** (-torch.arange(d_model, dtype=place.dtype) / d_model)
    out = angles.sin()
    out[:, 1::2] = angles[:, 1::2].cos()
    return out


@sinusoidal.mistake("The cosine's exponent uses its own column, 2i + 1. It shares the sine's, 2i/d_model.")
def odd_columns_count_on(place, d_model, base=10_000.0):
    columns = torch.arange(d_model, dtype=place.dtype)
    angles = place[:, None] * base ** (-2 * columns / d_model)
    return torch.where(columns % 2 == 0, angles.sin(), angles.cos())


@sinusoidal.mistake(
    "The exponent is i/d_model; the 2 is missing. The pairs should reach from 1 almost down to 1/base: 2i/d_model."
)
def half_the_range(place, d_model, base=10_000.0):
    return _waves(place, d_model, base, exponents=lambda i, d: -i / d)


@sinusoidal.mistake(
    "The frequencies grow with i. Later pairs should turn more slowly: divide the position by base^(2i/d_model)."
)
def growing_frequencies(place, d_model, base=10_000.0):
    return _waves(place, d_model, base, exponents=lambda i, d: 2 * i / d)


@sinusoidal.mistake(
    "Your last pair has exactly the frequency 1/base: you divide by d_model/2 − 1. Some code does; the paper's exponent is 2i/d_model."
)
def divided_by_one_less(place, d_model, base=10_000.0):
    return _waves(place, d_model, base, exponents=lambda i, d: -i / max(d // 2 - 1, 1))


@sinusoidal.mistake(
    "Your exponent counts from i = 1. It counts from 0, so that the first pair turns by 1 radian at each step."
)
def counts_from_one(place, d_model, base=10_000.0):
    return _waves(place, d_model, base, exponents=lambda i, d: -2 * (i + 1) / d)


@sinusoidal.mistake("The base is always 10 000. Use the argument `base`.")
def fixed_base(place, d_model, base=10_000.0):
    return _waves(place, d_model, 10_000.0)


@sinusoidal.mistake("Both numbers of a pair are sines. The second should be the cosine of the same angle.")
def sines_only(place, d_model, base=10_000.0):
    return _waves(place, d_model, base, odd=torch.sin)


@sinusoidal.mistake("You number the rows yourself, 0, 1, 2 … Use the positions that are given.")
def numbers_the_rows(place, d_model, base=10_000.0):
    return _waves(torch.arange(len(place), dtype=place.dtype), d_model, base)


@sinusoidal.mistake("There is a 2π in your angles. The paper has none: a pair's wavelength is 2π · base^(2i/d_model).")
def with_two_pi(place, d_model, base=10_000.0):
    return _waves(place, d_model, base, turn=2 * math.pi)


@sinusoidal.mistake(
    "Your angles are turned into degrees or back. torch.sin takes radians, and the formula is meant so."
)
def degrees(place, d_model, base=10_000.0):
    return _waves(place, d_model, base, turn=math.pi / 180)


@sinusoidal.mistake("The table lies on its side, (d_model, n). One row for each position: (n, d_model).")
def on_its_side(place, d_model, base=10_000.0):
    return _waves(place, d_model, base).T


@sinusoidal.mistake("Only the angles come back. Take sine and cosine of them.")
def only_angles(place, d_model, base=10_000.0):
    return _waves(place, d_model, base, odd=lambda a: a, even=lambda a: a)


@sinusoidal.mistake("The slowest pair comes first. Pair 0 is the fastest, with frequency 1.")
def slowest_first(place, d_model, base=10_000.0):
    return _waves(place, d_model, base, exponents=lambda i, d: -2 * i.flip(0) / d)
