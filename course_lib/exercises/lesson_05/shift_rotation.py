"""The matrix R with R @ PE(p) = PE(p + shift) for every p: a 2 × 2 rotation for each pair, on the diagonal."""

import math

import torch

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer, randn


def rotation(c, s):
    """What turns (sin, cos), row by row: [[cos, sin], [−sin, cos]]."""
    return c, s, -s, c


def _block(angle, entries=rotation):
    return torch.stack(entries(angle.cos(), angle.sin())).reshape(2, 2)


def _shift_rotation(shift, frequencies):
    return torch.block_diag(*(_block(angle) for angle in shift * frequencies))


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
    axes=["row column"],
    forbidden=("sinusoid", "rotate_pairs"),
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
    hints=[
        "One pair first: (sin a, cos a) → (sin(a + δ), cos(a + δ)). Write the two sums with sin a and cos a: which four numbers stand before them?",
        "sin(a + δ) = cos δ · sin a + sin δ · cos a, and cos(a + δ) = −sin δ · sin a + cos δ · cos a. Each pair has its own δ = shift · frequency.",
        "Start from torch.zeros(d_model, d_model, dtype=frequencies.dtype). Row 2i, columns 2i and 2i + 1, gets cos δ and sin δ; row 2i + 1 gets −sin δ and cos δ.",
    ],
)


def neighbouring(blocks):
    """Written at i and i + 1, not at 2i and 2i + 1: each block covers half of the one before."""
    matrix = torch.zeros(2 * len(blocks), 2 * len(blocks), dtype=blocks[0].dtype)
    for i, block in enumerate(blocks):
        matrix[i : i + 2, i : i + 2] = block
    return matrix


def own_frequencies(frequencies):
    """The paper's, for base 10 000."""
    pairs = torch.arange(len(frequencies), dtype=frequencies.dtype)
    return 10_000.0 ** (-pairs / len(frequencies))


def first_alone(blocks):
    """A `return` inside the loop: the matrix is left after its first block."""
    return torch.block_diag(blocks[0], *(torch.zeros_like(block) for block in blocks[1:]))


@shift_rotation.variants
def steps(
    shift,
    frequencies,
    *,
    angles=lambda shift, f: shift * f,
    entries=rotation,
    matrix=lambda blocks: torch.block_diag(*blocks),
):
    return matrix([_block(angle, entries) for angle in angles(shift, frequencies)])


steps.mistake(
    "It turns the wrong way: R @ PE(p) is PE(p − shift). The familiar [[cos, −sin], [sin, cos]] turns (cos, sin); our pairs are (sin, cos). Swap the signs of the sines.",
    entries=lambda c, s: (c, -s, s, c),
)
steps.mistake(
    "Both sines have the same sign. One of them needs a minus, or lengths change: cos(a + δ) = cos δ cos a − sin δ sin a.",
    entries=lambda c, s: (c, s, s, c),
)
steps.mistake(
    "Both sines have a minus. Only one needs it: sin(a + δ) = cos δ sin a + sin δ cos a.",
    entries=lambda c, s: (c, -s, -s, c),
)
steps.mistake(
    "The cosines are missing from their places: they belong on the diagonal, the sines beside it.",
    entries=lambda c, s: (s, c, -c, s),
)
steps.mistake(
    "Only the diagonal is filled. Beside each cosine belongs a sine, which brings in the pair's other number.",
    entries=lambda c, s: (c, 0 * s, 0 * s, c),
)
steps.mistake(
    "The shift is missing: every pair turns by a single step. Its angle is shift · frequency.",
    angles=lambda shift, f: f,
)
steps.mistake(
    "All pairs turn by the same angle, that of pair 0. Each has a frequency of its own.",
    angles=lambda shift, f: shift * f[:1].expand_as(f),
)
steps.mistake(
    "The pairs are in the wrong order: the first frequency belongs to the block at the top left.",
    angles=lambda shift, f: shift * f.flip(0),
)
steps.mistake(
    "Your blocks stand one place apart, so they overlap. Pair i has rows and columns 2i and 2i + 1.",
    matrix=neighbouring,
)
steps.mistake(
    "Only the first block is filled. Is there a `return` inside the loop? It belongs behind it.", matrix=first_alone
)
steps.mistake(
    "Ones are left on the diagonal, and the cosines were added to them. Start from torch.zeros, not from torch.eye.",
    matrix=lambda blocks: torch.block_diag(*blocks) + torch.eye(2 * len(blocks), dtype=blocks[0].dtype),
)
steps.mistake(
    "The diagonal still holds ones: put the cosines there. torch.eye is a turn by no angle at all.",
    entries=lambda c, s: (1 + 0 * c, s, -s, 1 + 0 * c),
)
steps.mistake(
    "The blocks stand on the other diagonal, from the top right. They belong on the one from the top left.",
    matrix=lambda blocks: torch.block_diag(*blocks).flip(0),
)
steps.mistake(
    "You turn by frequency ** shift. Each step adds the frequency to the angle: the product, shift · frequency.",
    angles=lambda shift, f: f**shift,
)
steps.mistake(
    "You add shift and frequency. Each step adds the frequency to the angle: the product, shift · frequency.",
    angles=lambda shift, f: shift + f,
)
steps.mistake("You turn by one step too many: shift + 1.", angles=lambda shift, f: (shift + 1) * f)
steps.mistake("You turn by half the angle. It is shift · frequency.", angles=lambda shift, f: shift * f / 2)
steps.mistake(
    "You compute frequencies of your own. Use those that are given.", angles=lambda shift, f: shift * own_frequencies(f)
)
steps.mistake(
    "You multiply by the pair's number. The frequencies are given already, one for each pair.",
    angles=lambda shift, f: shift * f * torch.arange(len(f), dtype=f.dtype),
)
steps.mistake(
    "Your sines and cosines are taken in degrees, or turned into them. The angle shift · frequency is in radians.",
    angles=lambda shift, f: shift * f * math.pi / 180,
)
steps.mistake(
    "A tangent stands where a sine should: [cos, sin] in the first row, [−sin, cos] in the second.",
    entries=lambda c, s: (c, s / c, -s / c, c),
)
steps.mistake("The second cosine of each block is missing.", entries=lambda c, s: (c, s, -s, 0 * c))
steps.mistake("The first cosine of each block is missing.", entries=lambda c, s: (0 * c, s, -s, c))
steps.mistake(
    "Only one sine stands in each block: −sin is missing in the second row.", entries=lambda c, s: (c, s, 0 * s, c)
)
steps.mistake(
    "Only one sine stands in each block: sin is missing in the first row.", entries=lambda c, s: (c, 0 * s, -s, c)
)
steps.mistake(
    "That is a reflection: the minus belongs to the sine in the second row, not to its cosine.",
    entries=lambda c, s: (c, s, s, -c),
)
steps.mistake(
    "The frequencies are one place off: pair i has frequencies[i], and frequencies[-1] is the last one.",
    angles=lambda shift, f: shift * f.roll(1),
)
steps.mistake("The cosines have a minus. They have none.", entries=lambda c, s: (-c, s, -s, -c))
steps.mistake(
    "The last block isn't filled: there are len(frequencies) pairs, range(len(frequencies)).",
    matrix=lambda blocks: torch.block_diag(*blocks[:-1], torch.zeros_like(blocks[-1])),
)
steps.mistake(
    "The frequency stands twice in your angle. It is shift · frequency.", angles=lambda shift, f: shift * f * f
)
steps.mistake(
    "The shift stands twice in your angle. It is shift · frequency.", angles=lambda shift, f: shift * shift * f
)
steps.mistake(
    "The two rows of each block are exchanged: [cos, sin] first, for the sine's row, then [−sin, cos].",
    entries=lambda c, s: (-s, c, c, s),
)
steps.mistake(
    "These are the blocks, (pair, 2, 2). Put them on the diagonal of one matrix, (d_model, d_model), with zeros elsewhere.",
    matrix=torch.stack,
)
steps.mistake(
    "The angle is shift / frequency. At each step a pair turns by its frequency: multiply.",
    angles=lambda shift, f: shift / f,
)
steps.mistake(
    "There is a 2π in the angle. Frequencies are in radians a step: the angle is shift · frequency.",
    angles=lambda shift, f: 2 * math.pi * shift * f,
)
steps.mistake(
    "The sign of the shift is lost. Backwards should turn the other way.", angles=lambda shift, f: abs(shift) * f
)
steps.mistake(
    "The shift is rounded to whole steps. Half a step is a rotation, too.", angles=lambda shift, f: int(shift) * f
)


@shift_rotation.mistake(
    "That is right for all sines first, then all cosines. Here they alternate, so each pair's four numbers form a 2 × 2 block on the diagonal."
)
def sines_first(shift, frequencies):
    c, s = torch.diag((shift * frequencies).cos()), torch.diag((shift * frequencies).sin())
    return torch.cat([torch.cat([c, s], -1), torch.cat([-s, c], -1)])


@shift_rotation.mistake(
    "You multiply sine and cosine by the shift. It belongs inside, into the angle: cos(shift · frequency)."
)
def shift_outside(shift, frequencies):
    return shift * _shift_rotation(1.0, frequencies)


@shift_rotation.mistake(
    "Your matrix has a row for each pair. There are len(frequencies) pairs, so d_model is twice that, and each pair has a block of 2 × 2."
)
def a_row_for_each_pair(shift, frequencies):
    return torch.diag((shift * frequencies).cos())


steps.mistake("You turn by one step too few: shift − 1.", angles=lambda shift, f: (shift - 1) * f)
steps.mistake(
    "You turn by shift − frequency. Each step adds the frequency to the angle: the product, shift · frequency.",
    angles=lambda shift, f: shift - f,
)
steps.mistake(
    "You divide by 2π. Frequencies are in radians a step: the angle is shift · frequency.",
    angles=lambda shift, f: shift * f / (2 * math.pi),
)
steps.mistake("You turn by twice the angle. It is shift · frequency.", angles=lambda shift, f: 2 * shift * f)
steps.mistake(
    "The frequencies are one place off: pair i has frequencies[i], not frequencies[i + 1].",
    angles=lambda shift, f: shift * f.roll(-1),
)
steps.mistake(
    "You sort the frequencies. Pair i has frequencies[i], as they come.",
    angles=lambda shift, f: shift * f.sort().values,
)
steps.mistake(
    "You add up the frequencies of all pairs before. Each pair turns by its own, shift · frequencies[i].",
    angles=lambda shift, f: shift * f.cumsum(0),
)
steps.mistake(
    "All pairs turn by the same angle, made from all frequencies. Each has its own, shift · frequencies[i].",
    angles=lambda shift, f: shift * f.mean().expand_as(f),
)
steps.mistake(
    "The sign of the sines depends on nothing: they are taken as positive.",
    entries=lambda c, s: (c, s.abs(), -s.abs(), c),
)
steps.mistake(
    "You take the angles as they are, without sine and cosine.",
    entries=lambda c, s: (torch.acos(c), torch.asin(s), -torch.asin(s), torch.acos(c)),
)


def of_two_angles(shift, frequencies, first, second):
    """Rows of the blocks, or sines and cosines, by angles that differ."""
    return torch.block_diag(*(torch.stack([a, b]) for a, b in zip(first, second)))


def rows_of(angles):
    return torch.stack([angles.cos(), angles.sin()], -1), torch.stack([-angles.sin(), angles.cos()], -1)


steps.mistake(
    "The identity is subtracted: that is the change of PE(pos), not PE(pos + shift). Leave the cosines as they are.",
    matrix=lambda blocks: torch.block_diag(*blocks) - torch.eye(2 * len(blocks), dtype=blocks[0].dtype),
)
steps.mistake(
    "You divide the angle by the number of pairs. It is shift · frequency.", angles=lambda shift, f: shift * f / len(f)
)


@shift_rotation.mistake(
    "That is a vector, sines and cosines of the angles, as PE(shift). A matrix is asked for: for each pair a block [[cos, sin], [−sin, cos]]."
)
def a_vector(shift, frequencies):
    a = shift * frequencies
    return torch.stack([a.sin(), a.cos()], -1).flatten()


@shift_rotation.mistake("The shift is in the cosines only. Sine and cosine are of the same angle, shift · frequency.")
def shift_in_the_cosines(shift, frequencies):
    c, s = (shift * frequencies).cos(), frequencies.sin()
    return of_two_angles(shift, frequencies, torch.stack([c, s], -1), torch.stack([-s, c], -1))


@shift_rotation.mistake("The shift is in the sines only. Sine and cosine are of the same angle, shift · frequency.")
def shift_in_the_sines(shift, frequencies):
    c, s = frequencies.cos(), (shift * frequencies).sin()
    return of_two_angles(shift, frequencies, torch.stack([c, s], -1), torch.stack([-s, c], -1))


def blocks_of(answer):
    return torch.stack([answer[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] for i in range(len(answer) // 2)])


def only_some_blocks(inputs, answer, wrong_ones):
    """Are all blocks right, or what `wrong_ones` makes of the right ones, and nothing outside them?"""
    own, right = blocks_of(answer), blocks_of(_shift_rotation(*inputs))
    wrong = ~torch.isclose(own, right, atol=1e-3).all(-1).all(-1)
    outside = torch.allclose(torch.block_diag(*own), answer)
    return outside and torch.allclose(own[wrong], wrong_ones(right)[wrong], atol=1e-3) and bool(wrong.any())


@shift_rotation.symptom(
    "Some blocks are the identity: they don't turn. Does your loop reach every pair, 0 … len(frequencies) − 1?"
)
def some_do_not_turn(inputs, answer):
    return only_some_blocks(inputs, answer, lambda right: torch.eye(2, dtype=right.dtype).expand_as(right))


@shift_rotation.symptom("Some blocks are empty. Does your loop reach every pair, 0 … len(frequencies) − 1?")
def some_are_empty(inputs, answer):
    return only_some_blocks(inputs, answer, torch.zeros_like)


@shift_rotation.symptom(
    "Some pairs turn the wrong way, others don't. Each block is [[cos, sin], [−sin, cos]], with the minus in the second row."
)
def some_turn_back(inputs, answer):
    return only_some_blocks(inputs, answer, lambda right: right.mT)


@shift_rotation.symptom(
    "Rows are empty. Each pair fills two: row 2i with cos and sin, for its sine, and row 2i + 1 with −sin and cos, for its cosine."
)
def empty_rows(inputs, answer):
    return not (answer != 0).any(-1).all()


@shift_rotation.symptom(
    "The two rows of a block turn by different angles. A pair has one angle, shift · frequency: [cos, sin] and [−sin, cos] are of the same."
)
def rows_disagree(inputs, answer):
    blocks = torch.stack([answer[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] for i in range(len(answer) // 2)])
    norms = blocks.norm(dim=-1)
    apart = (blocks[:, 0] * blocks[:, 1]).sum(-1).abs() > 1e-3
    return torch.allclose(norms, torch.ones_like(norms), atol=1e-3) and bool(apart.any())


@shift_rotation.symptom(
    "Something stands outside the 2 × 2 blocks on the diagonal. Row 2i and row 2i + 1 have numbers in columns 2i and 2i + 1 alone."
)
def outside_the_blocks(inputs, answer):
    blocks = torch.block_diag(*torch.ones(len(inputs[1]), 2, 2))
    return bool((answer * (blocks == 0)).abs().max() > 1e-4)


@shift_rotation.symptom("Your blocks don't only turn: rows should have length 1, since cos² + sin² = 1.")
def stretches(inputs, answer):
    return not torch.allclose(answer.norm(dim=-1), torch.ones(1, dtype=answer.dtype), atol=1e-3)


@shift_rotation.symptom("All pairs turn by the same angle. Each has a frequency of its own: shift · frequencies[i].")
def one_angle(inputs, answer):
    blocks = blocks_of(answer)
    return len(blocks) > 1 and torch.allclose(blocks, blocks[:1].expand_as(blocks), atol=1e-4)


@shift_rotation.symptom(
    "You turn the angles into degrees. cos and sin take radians, and shift · frequency is in radians."
)
def degrees(inputs, answer):
    shift, frequencies = inputs
    return torch.allclose(answer, _shift_rotation(180 / math.pi * shift, frequencies), atol=1e-2)


@shift_rotation.symptom(
    "Each block is a turn, but by another angle. It is shift · frequency, in radians, with [cos, sin] in the first row and [−sin, cos] in the second."
)
def another_angle(inputs, answer):
    first, second = answer[0::2], answer[1::2]
    return torch.allclose(first[:, 0::2], second[:, 1::2], atol=1e-4) and torch.allclose(
        first[:, 1::2], -second[:, 0::2], atol=1e-4
    )
