"""Rotary positions, written: queries or keys turned by their positions, number i paired with number i + d_k/2."""

import torch

from course_lib import positions
from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer, non_contiguous, randn


def _rotary(x, base=10_000.0):
    angles = positions.rotary_angles(x.shape[-2], x.shape[-1], base).to(x)
    return positions.rotate_pairs(x, angles.cos(), angles.sin(), "halves")


def _vectors(g, n, d_k, base=10_000.0, leading=(), **kwargs):
    return randn(g, *leading, n, d_k, **kwargs), base


rotary = Code(
    "05.rotary",
    title="Turn by position",
    points=4,
    minutes=15,
    difficulty=3,
    reference=_rotary,
    axes=["... n d_k"],
    forbidden=("rotate_pairs", "rotarypositions", "rotary_angles", "inverse_frequencies"),
    atol=1e-4,
    cases=[
        Case("five words", lambda g: _vectors(g, 5, 8)),
        Case("as many words as numbers", lambda g: _vectors(g, 6, 6)),
        Case("one word", lambda g: _vectors(g, 1, 4)),
        Case("a batch with heads", lambda g: _vectors(g, 4, 8, leading=(2, 3))),
        Case("another base", lambda g: _vectors(g, 7, 10, 50.0)),
        Case("any sizes", lambda g: _vectors(g, integer(g, 8, 16), 2 * integer(g, 6, 12))),
        Case("double precision", lambda g: _vectors(g, 6, 8, 256.0, dtype=torch.float64)),
        Case("not contiguous in memory", lambda g: (non_contiguous(randn(g, 5, 8)), 10_000.0)),
    ],
    differentiable=True,
    hints=[
        "Begin with the angles, one for each position and pair: (n, d_k/2), as in 05.1. Then ask for each angle: which two numbers of a row does it turn?",
        "first, second = x.chunk(2, dim=-1): first[..., i] and second[..., i] are the two numbers of pair i, a and b. The angles' cosines and sines are (n, d_k/2) and broadcast over all axes in front.",
        "The new first half is first * cos − second * sin, the new second half first * sin + second * cos. Put them side by side again: torch.cat([…, …], dim=-1).",
    ],
)


def halves(first, second):
    return torch.cat([first, second], dim=-1)


def neighbour(x, *_):
    return torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)


def angles_with(n, d_k, base, exponent):
    """(n, d_k/2) with another exponent of the base."""
    return torch.arange(n)[:, None] * base ** exponent(torch.arange(d_k // 2))


def turned(x, partner, angles):
    return x * angles.cos() + partner * angles.sin()


@rotary.variants
def steps(
    x,
    base,
    *,
    angles=positions.rotary_angles,
    laid_out=lambda a: halves(a, a),
    partner=lambda x, first, second: halves(-second, first),
    result=turned,
):
    a = laid_out(angles(x.shape[-2], x.shape[-1], base).to(x))
    return result(x, partner(x, *x.chunk(2, dim=-1)), a)


steps.mistake(
    "Your pairs are neighbours, 2i and 2i + 1. That is RoFormer's pairing; here number i belongs to number i + d_k/2: x.chunk(2, dim=-1).",
    laid_out=lambda a: a.repeat_interleave(2, dim=-1),
    partner=neighbour,
)
steps.mistake(
    "Angles and pairs don't agree: number i and number i + d_k/2 have the same angle, as they should, but number 2i is turned with number 2i + 1.",
    partner=neighbour,
)
steps.mistake(
    "The pairs turn backwards. That is 05.3's matrix, whose pairs are (sin, cos). Here (a, b) becomes (a cos − b sin, a sin + b cos): the minus stands in the first half.",
    partner=lambda x, first, second: halves(second, -first),
)
steps.mistake(
    "There is no minus: without it a pair is stretched, not turned. (a, b) becomes (a cos − b sin, a sin + b cos).",
    partner=lambda x, first, second: halves(second, first),
)
steps.mistake(
    "Each number meets itself, so nothing is turned: the first half is first · cos − second · sin, and the second half has the first one's sine.",
    partner=lambda x, first, second: halves(-first, second),
)
steps.mistake(
    "Each number meets itself, with the minus in the second half: swap the halves. The new first half is first · cos − second · sin.",
    partner=lambda x, first, second: halves(first, -second),
)
steps.mistake(
    "There is a minus on both sines. Only the first half has one: (a, b) becomes (a cos − b sin, a sin + b cos).",
    partner=lambda x, first, second: halves(-second, -first),
)
steps.mistake(
    "The exponent is i/d_k; the 2 is missing. It is 2i/d_k: torch.arange(0, d_k, 2) / d_k.",
    angles=lambda n, d_k, base: angles_with(n, d_k, base, lambda i: -i / d_k),
)
steps.mistake(
    "The 2 stands twice in the exponent. torch.arange(0, d_k, 2) is 2i already.",
    angles=lambda n, d_k, base: angles_with(n, d_k, base, lambda i: -4 * i / d_k),
)
steps.mistake(
    "The frequencies grow with i: the minus in the exponent is missing. Pair i turns by base ** (−2i / d_k) at each step.",
    angles=lambda n, d_k, base: angles_with(n, d_k, base, lambda i: 2 * i / d_k),
)
steps.mistake(
    "The positions run backwards: the first word is at position 0.",
    angles=lambda n, d_k, base: positions.rotary_angles(n, d_k, base).flip(0),
)
steps.mistake(
    "Angles and pairs don't agree: the angles are laid out for neighbours, each twice in a row, but number i is turned with number i + d_k/2. Lay the angles out as halves: torch.cat([angles, angles], dim=-1).",
    laid_out=lambda a: a.repeat_interleave(2, dim=-1),
)
steps.mistake("Every pair turns by twice its angle.", laid_out=lambda a: halves(2 * a, 2 * a))
steps.mistake(
    "The second half's angles run backwards. Number i + d_k/2 has the same angle as number i.",
    laid_out=lambda a: halves(a, a.flip(-1)),
)
steps.mistake(
    "Only the first half is turned. A turn changes both numbers of a pair.", laid_out=lambda a: halves(a, 0 * a)
)
steps.mistake(
    "Every number has a frequency of its own. The two numbers of a pair share one: d_k/2 frequencies, each used twice.",
    angles=lambda n, d_k, base: positions.rotary_angles(n, 2 * d_k, base),
    laid_out=lambda a: a,
)
steps.mistake(
    "Sine and cosine have changed places: at position 0 nothing should be turned.",
    result=lambda x, partner, a: x * a.sin() + partner * a.cos(),
)
steps.mistake(
    "Your positions count from 1. They count from 0: the first word isn't turned.",
    angles=lambda n, d_k, base: positions.rotary_angles(n + 1, d_k, base)[1:],
)
steps.mistake(
    "The numbers come out in another order, the two of a pair side by side. Join the halves again: torch.cat, not torch.stack.",
    result=lambda x, partner, a: turned(x, partner, a).unflatten(-1, (2, -1)).mT.flatten(-2),
)
steps.mistake(
    "In the part with the sine you take the odd and the even numbers. The pairs here are i and i + d_k/2, the two halves of x.",
    partner=lambda x, *_: halves(-x[..., 1::2], x[..., 0::2]),
)
steps.mistake(
    "The part with the cosine and the part with the sine are multiplied. A turn is their sum: a cos − b sin, and a sin + b cos.",
    result=lambda x, partner, a: x * a.cos() * partner * a.sin(),
)
steps.mistake(
    "You divide the positions by their number. Position 3 turns by 3 · frequency in any text.",
    angles=lambda n, d_k, base: positions.rotary_angles(n, d_k, base) / n,
)
steps.mistake(
    "The first half's angles run backwards. Number i + d_k/2 has the same angle as number i.",
    laid_out=lambda a: halves(a.flip(-1), a),
)
steps.mistake(
    "The halves have changed places in your result. The turned first half comes first: a cos − b sin, then a sin + b cos.",
    result=lambda x, partner, a: turned(x, partner, a).roll(x.shape[-1] // 2, dims=-1),
)
steps.mistake(
    "You multiply x by the angles. They are for turning: (a, b) becomes (a cos − b sin, a sin + b cos).",
    result=lambda x, partner, a: x * a,
)
steps.mistake(
    "You add the angles to x. They are for turning: (a, b) becomes (a cos − b sin, a sin + b cos).",
    result=lambda x, partner, a: x + a,
)
steps.mistake("Nothing is turned: x comes back as it went in.", result=lambda x, partner, a: x.clone())
steps.mistake(
    "The base is always 10 000. Use the argument `base`.",
    angles=lambda n, d_k, base: positions.rotary_angles(n, d_k, 10_000.0),
)


steps.mistake(
    "The angles are (n, d_k/2), but they meet numbers of another shape. Multiply them with the halves of each row, a, b = x.chunk(2, dim=-1); or lay them out for the whole row, torch.cat([angles, angles], dim=-1).",
    laid_out=lambda a: a,
)
steps.mistake(
    "Only the second half is turned. A turn changes both numbers of a pair.", laid_out=lambda a: halves(0 * a, a)
)
steps.mistake("Every pair turns by half its angle.", laid_out=lambda a: halves(a / 2, a / 2))
steps.mistake(
    "Sines and cosines are added to x: that is how sinusoids go into words. Rotary positions turn x: (a, b) becomes (a cos − b sin, a sin + b cos).",
    result=lambda x, partner, a: x + halves(a.chunk(2, -1)[0].sin(), a.chunk(2, -1)[0].cos()),
)
steps.mistake(
    "Sines and cosines are added to x, alternating: that is exercise 05.1. Rotary positions turn x: (a, b) becomes (a cos − b sin, a sin + b cos).",
    result=lambda x, partner, a: x + torch.stack([a.chunk(2, -1)[0].sin(), a.chunk(2, -1)[0].cos()], -1).flatten(-2),
)
steps.mistake(
    "The first half is multiplied by the cosines, the second by the sines. A turn needs both for each number: a cos − b sin, and a sin + b cos.",
    result=lambda x, partner, a: x * halves(a.chunk(2, -1)[0].cos(), a.chunk(2, -1)[0].sin()),
)
steps.mistake(
    "You multiply by the cosine and nothing else. A turn brings in the pair's other number: a cos − b sin, and a sin + b cos.",
    result=lambda x, partner, a: x * a.cos(),
)
steps.mistake(
    "The part with the cosine is missing: a cos − b sin, and a sin + b cos.",
    result=lambda x, partner, a: partner * a.sin(),
)
steps.mistake(
    "x isn't multiplied by the cosine. A turn is a cos − b sin, and a sin + b cos.",
    result=lambda x, partner, a: x + partner * a.sin(),
)
steps.mistake(
    "The pair's other number isn't multiplied by the sine. A turn is a cos − b sin, and a sin + b cos.",
    result=lambda x, partner, a: x * a.cos() + partner,
)
steps.mistake(
    "Both parts have the cosine. A turn is a cos − b sin, and a sin + b cos.",
    result=lambda x, partner, a: (x + partner) * a.cos(),
)
steps.mistake(
    "The frequency is the base alone, or it is a product: it is a power, base ** (−2i / d_k).",
    angles=lambda n, d_k, base: torch.arange(n)[:, None] * (base * 2 * torch.arange(d_k // 2) / d_k),
)
steps.mistake(
    "All pairs turn by the same frequency. Pair i has base ** (−2i / d_k).",
    angles=lambda n, d_k, base: angles_with(n, d_k, base, lambda i: 0.0 * i),
)
steps.mistake(
    "The frequencies come slowest first. Pair 0 is the fastest.",
    angles=lambda n, d_k, base: positions.rotary_angles(n, d_k, base).flip(-1),
)
steps.mistake(
    "Your exponent counts from i = 1. It counts from 0: pair 0 turns by 1 radian at each step.",
    angles=lambda n, d_k, base: angles_with(n, d_k, base, lambda i: -2 * (i + 1) / d_k),
)
steps.mistake(
    "The angles are turned into degrees, or back. They are radians: position · frequency.",
    angles=lambda n, d_k, base: positions.rotary_angles(n, d_k, base) * torch.pi / 180,
)
steps.mistake(
    "There is a 2π in the angles. They are position · frequency.",
    angles=lambda n, d_k, base: positions.rotary_angles(n, d_k, base) * 2 * torch.pi,
)


steps.mistake(
    "The positions begin at −1. They count from 0: the first word isn't turned.",
    angles=lambda n, d_k, base: positions.rotary_angles(n, d_k, base) - positions.rotary_angles(2, d_k, base)[1],
)
steps.mistake(
    "The angles grow with the square of the position. They are position · frequency.",
    angles=lambda n, d_k, base: positions.rotary_angles(n, d_k, base) * torch.arange(n)[:, None],
)
steps.mistake(
    "All pairs turn by one angle, the mean of all. Pair i has its own, position · base ** (−2i / d_k).",
    laid_out=lambda a: a.mean(-1, keepdim=True).expand(-1, 2 * a.shape[-1]),
)
steps.mistake(
    "The words are halved, not the numbers of each: chunk over dim=-2. The pairs are within a vector: x.chunk(2, dim=-1).",
    partner=lambda x, *_: torch.cat([-x.chunk(2, dim=-2)[1], x.chunk(2, dim=-2)[0]], dim=-2),
)
steps.mistake(
    "The halves meet in reverse order: number i is paired with the last but i. It belongs to number i + d_k/2.",
    partner=lambda x, first, second: halves(-second.flip(-1), first.flip(-1)),
)


@rotary.mistake(
    "The positions are counted along the first axis of x, x.shape[0]. That is n for one sentence only; with batch and heads in front n is x.shape[-2]."
)
def places_of_the_first_axis(x, base):
    angles = positions.rotary_angles(x.shape[0], x.shape[-1], base).to(x)
    a = halves(angles, angles).view(-1, *[1] * (x.dim() - 2), x.shape[-1])
    return turned(x, halves(-x.chunk(2, -1)[1], x.chunk(2, -1)[0]), a)


@rotary.mistake(
    "n is taken from the first axis, x.shape[0]. With batch and heads in front that is the batch: n is x.shape[-2]."
)
def length_of_the_first_axis(x, base):
    return steps(x, base, angles=lambda n, d_k, base: positions.rotary_angles(x.shape[0], d_k, base))


@rotary.mistake(
    "n is taken from the second axis, x.shape[1]. How many axes stand in front isn't known, so count from the end: n is x.shape[-2]."
)
def length_of_the_second_axis(x, base):
    return steps(x, base, angles=lambda n, d_k, base: positions.rotary_angles(x.shape[1], d_k, base))


@rotary.mistake(
    "You halve the wrong axis: the words, or the first axis, which chunk takes where it isn't told. The pairs are within a vector: x.chunk(2, dim=-1)."
)
def words_halved(x, base):
    a = positions.rotary_angles(x.shape[-2], x.shape[-1], base).to(x)
    first, second = x.chunk(2, dim=-2)
    return torch.cat([first * a.cos() - second * a.sin(), first * a.sin() + second * a.cos()], dim=-2)


@rotary.mistake(
    "The second half is turned with a first half that has been turned already. Keep the old numbers until both are computed."
)
def overwritten(x, base):
    a = positions.rotary_angles(x.shape[-2], x.shape[-1], base).to(x)
    first, second = x.chunk(2, dim=-1)
    first = first * a.cos() - second * a.sin()
    return halves(first, second * a.cos() + first * a.sin())


@rotary.mistake(
    "You take the even and the odd numbers for pairs, 2i and 2i + 1, and put them together half by half. The pairs here are i and i + d_k/2: x.chunk(2, dim=-1)."
)
def neighbours_put_by_halves(x, base):
    a = positions.rotary_angles(x.shape[-2], x.shape[-1], base).to(x)
    even, odd = x[..., 0::2], x[..., 1::2]
    return halves(even * a.cos() - odd * a.sin(), odd * a.cos() + even * a.sin())


@rotary.mistake(
    "Your pairs are neighbours, 2i and 2i + 1, and they turn backwards. Here number i belongs to number i + d_k/2, and (a, b) becomes (a cos − b sin, a sin + b cos)."
)
def neighbours_backwards(x, base):
    return steps(x, base, laid_out=lambda a: a.repeat_interleave(2, dim=-1), partner=lambda x, *_: -neighbour(x))


@rotary.symptom(
    "The lengths of the vectors change. A turn keeps them: both numbers of a pair need the same angle, and one of the two sines a minus."
)
def lengths_change(inputs, answer):
    return not torch.allclose(answer.norm(dim=-1), inputs[0].norm(dim=-1), atol=1e-3)


@rotary.mistake(
    "The second half has sine and cosine the wrong way round, a cos + b sin. (a, b) becomes (a cos − b sin, a sin + b cos)."
)
def second_half_exchanged(x, base):
    angles = positions.rotary_angles(x.shape[-2], x.shape[-1], base).to(x)
    a, b = x.chunk(2, dim=-1)
    return halves(a * angles.cos() - b * angles.sin(), a * angles.cos() + b * angles.sin())


@rotary.symptom("Each pair is turned, but not by its own angle.")
def other_angles(inputs, answer):
    """By how much each pair was turned, read off its numbers before and after."""
    x, base = inputs
    before, after = (torch.complex(*each.double().chunk(2, dim=-1)) for each in (x, answer))
    turn = after / before  # (..., n, pair)
    if not torch.allclose(turn.abs(), torch.ones(1, dtype=torch.float64), atol=1e-3):
        return False
    angles = positions.rotary_angles(x.shape[-2], x.shape[-1], base)
    *_, position, pair = (
        ((turn / torch.polar(torch.ones_like(angles), angles)).angle().abs() > 1e-2).nonzero()[0].tolist()
    )
    wanted = f"{angles[position, pair]:.2f} radians, {position} · base^(−2 · {pair} / d_k)"
    got = f"{turn.reshape(-1, *angles.shape)[0, position, pair].angle():.2f}"
    return f"Each pair is turned, but not by its own angle: at position {position}, pair {pair} turns by {got} radians. It should turn by {wanted}."
