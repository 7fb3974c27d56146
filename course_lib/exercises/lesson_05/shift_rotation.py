"""shift_rotation, lesson 05."""

import math

import torch

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer, randn


def _shift_rotation(shift, frequencies):
    return torch.block_diag(*(_block(angle) for angle in shift * frequencies))


def _block(angle, signs=(1, 1, -1, 1)):
    """[[cos, sin], [−sin, cos]], with other signs on demand."""
    c, s = angle.cos(), angle.sin()
    return torch.stack([signs[0] * c, signs[1] * s, signs[2] * s, signs[3] * c]).reshape(2, 2)


def _shift(g, pairs, shift=None, dtype=torch.float32):
    """Frequencies between 0.1 and 3, all different, and a shift of 1 to 9 steps."""
    frequencies = 0.1 + 2.9 * torch.rand(pairs, generator=g, dtype=dtype)
    return float(integer(g, 1, 9)) if shift is None else shift, frequencies


shift_rotation = Code(
    "05.shift_rotation",
    title="A shift is a rotation",
    points=3,
    minutes=12,
    difficulty=3,
    reference=_shift_rotation,
    axes=["d_model d_model"],
    forbidden=("sinusoid", "turn_pairs"),
    cases=[
        Case("two pairs", lambda g: _shift(g, 2)),
        Case("three pairs, one step", lambda g: _shift(g, 3, 1.0)),
        Case("one pair", lambda g: _shift(g, 1)),
        Case("backwards", lambda g: _shift(g, 4, -float(integer(g, 1, 6)))),
        Case("half a step", lambda g: _shift(g, 3, 0.5)),
        Case("any number of pairs", lambda g: _shift(g, integer(g, 5, 9))),
        Case("double precision", lambda g: _shift(g, 4, dtype=torch.float64)),
        Case("not contiguous in memory", lambda g: (2.0, randn(g, 4, 2)[:, 0].abs() + 0.1)),
    ],
    differentiable=True,
    hints=[
        "One pair first: (sin a, cos a) → (sin(a + δ), cos(a + δ)). Write the two sums with sin a and cos a: which four numbers stand before them?",
        "sin(a + δ) = cos δ · sin a + sin δ · cos a, and cos(a + δ) = −sin δ · sin a + cos δ · cos a. Each pair has its own δ = shift · frequency.",
        "Start from torch.zeros(d_model, d_model, dtype=frequencies.dtype). Row 2i, columns 2i and 2i + 1, gets cos δ and sin δ; row 2i + 1 gets −sin δ and cos δ.",
    ],
)


def _blocks(block):
    return lambda shift, frequencies: torch.block_diag(*(block(angle) for angle in shift * frequencies))


def _rotation_mistake(sentence, name, matrix):
    matrix.__name__ = name
    shift_rotation.mistake(sentence)(matrix)


_rotation_mistake(
    "It turns the wrong way: R @ PE(p) is PE(p − shift). The familiar [[cos, −sin], [sin, cos]] turns (cos, sin); our pairs are (sin, cos). Swap the signs of the sines.",
    "transposed",
    _blocks(lambda a: _block(a, (1, -1, 1, 1))),
)
_rotation_mistake(
    "Both sines have the same sign. One of them needs a minus, or lengths change: cos(a + δ) = cos δ cos a − sin δ sin a.",
    "both_plus",
    _blocks(lambda a: _block(a, (1, 1, 1, 1))),
)
_rotation_mistake(
    "Both sines have a minus. Only one needs it: sin(a + δ) = cos δ sin a + sin δ cos a.",
    "both_minus",
    _blocks(lambda a: _block(a, (1, -1, -1, 1))),
)
_rotation_mistake(
    "The cosines are missing from their places: they belong on the diagonal, the sines beside it.",
    "sine_on_diagonal",
    _blocks(lambda a: torch.stack([a.sin(), a.cos(), -a.cos(), a.sin()]).reshape(2, 2)),
)
_rotation_mistake(
    "Only the diagonal is filled. Beside each cosine belongs a sine, which brings in the pair's other number.",
    "diagonal_only",
    lambda shift, f: torch.diag((shift * f).cos().repeat_interleave(2)),
)


def _halves(shift, frequencies):
    c, s = torch.diag((shift * frequencies).cos()), torch.diag((shift * frequencies).sin())
    return torch.cat([torch.cat([c, s], -1), torch.cat([-s, c], -1)])


_rotation_mistake(
    "That is right for all sines first, then all cosines. Here they alternate, so each pair's four numbers form a 2 × 2 block on the diagonal.",
    "concatenated_layout",
    _halves,
)
_rotation_mistake(
    "The shift is missing: every pair turns by a single step. Its angle is shift · frequency.",
    "one_step",
    lambda shift, f: _shift_rotation(1.0, f),
)
_rotation_mistake(
    "All pairs turn by the same angle, that of pair 0. Each has a frequency of its own.",
    "first_frequency",
    lambda shift, f: _shift_rotation(shift, f[:1].expand_as(f)),
)
_rotation_mistake(
    "The pairs are in the wrong order: the first frequency belongs to the block at the top left.",
    "reversed_pairs",
    lambda shift, f: _shift_rotation(shift, f.flip(0)),
)
_rotation_mistake(
    "These are the blocks, (pair, 2, 2). Put them on the diagonal of one matrix, (d_model, d_model), with zeros elsewhere.",
    "blocks_apart",
    lambda shift, f: torch.stack([_block(a) for a in shift * f]),
)
_rotation_mistake(
    "The angle is shift / frequency. At each step a pair turns by its frequency: multiply.",
    "divided",
    lambda shift, f: torch.block_diag(*(_block(a) for a in shift / f)),
)
_rotation_mistake(
    "There is a 2π in the angle. Frequencies are in radians a step: the angle is shift · frequency.",
    "two_pi",
    lambda shift, f: _shift_rotation(2 * math.pi * shift, f),
)
_rotation_mistake(
    "The sign of the shift is lost. Backwards should turn the other way.",
    "sign_lost",
    lambda shift, f: _shift_rotation(abs(shift), f),
)
_rotation_mistake(
    "The shift is rounded to whole steps. Half a step is a rotation, too.",
    "rounded",
    lambda shift, f: _shift_rotation(float(int(shift)), f),
)
