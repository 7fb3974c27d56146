"""rotary, lesson 05."""

import torch

from course_lib import positions
from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer, non_contiguous, randn
from course_lib.exercises.lesson_05 import buggy


def _rotary(x, base=10_000.0):
    return _turned(x, positions.rotary_angles(x.shape[-2], x.shape[-1], base).to(x))


def _turned(x, angles, pairing="halves"):
    return positions.turn_pairs(x, angles.cos(), angles.sin(), pairing)


def _vectors(g, n, d_k, base=10_000.0, leading=(), **kwargs):
    return randn(g, *leading, n, d_k, **kwargs), base


rotary = Code(
    "05.rotary",
    buggy=buggy.rotary,
    unchanged="Nothing has changed yet: numbers that are paired still turn by different angles. Write down, for d_k = 4, which angle stands at each place and who is paired with whom.",
    title="Turned, but wrongly",
    points=3,
    minutes=10,
    difficulty=2,
    reference=_rotary,
    axes=["... n d_k"],
    forbidden=("turn_pairs", "rotarypositions"),
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
        "Take d_k = 4, so two pairs. Write down which four angles stand in `angles`, and which number stands in each place of `turned`. Do they agree on who is paired with whom?",
        "`turned` pairs number i with number i + d_k/2. So places i and i + d_k/2 need the same angle.",
        "One line changes: the angles of all pairs stand once for the first half, and once more for the second: torch.cat([angles, angles], dim=-1).",
    ],
)


def _rotary_mistake(sentence, name, turn):
    def wrong(x, base=10_000.0):
        return turn(x, positions.rotary_angles(x.shape[-2], x.shape[-1], base).to(x))

    wrong.__name__ = name
    rotary.mistake(sentence)(wrong)


def _mixed(x, angles, partner):
    return x * angles.cos() + partner * angles.sin()


def _twice(angles):
    return torch.cat([angles, angles], dim=-1)


def _beside(angles):
    return angles.repeat_interleave(2, dim=-1)


def _other_half(x):
    first, second = x.chunk(2, dim=-1)
    return torch.cat([-second, first], dim=-1)


def _neighbour(x):
    return torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)


_rotary_mistake(
    "Each pair turns by one angle now, but the pairs are neighbours, 2i and 2i + 1. That is RoFormer's pairing. This model was trained with the other: leave `turned` as it was, and change the angles.",
    "interleaved",
    lambda x, a: _turned(x, a, "interleaved"),
)
_rotary_mistake(
    "Both were changed, the angles and the pairs, and so they still don't agree. `turned` was right: change only the angles.",
    "both_changed",
    lambda x, a: _mixed(x, _twice(a), _neighbour(x)),
)
_rotary_mistake(
    "The pairs are right now, but they turn backwards: the minus belongs to the second half, as it was.",
    "backwards",
    lambda x, a: _turned(x, -a),
)
_rotary_mistake(
    "The angles are right now. But the minus is gone from `turned`: without it a pair is stretched, not turned.",
    "no_minus",
    lambda x, a: _mixed(x, _twice(a), torch.cat(x.chunk(2, -1)[::-1], -1)),
)
_rotary_mistake(
    "The angles are right now. But the halves aren't swapped any more: each number meets itself, so nothing is turned.",
    "not_swapped",
    lambda x, a: _mixed(x, _twice(a), torch.cat([-x.chunk(2, -1)[0], x.chunk(2, -1)[1]], -1)),
)
_rotary_mistake(
    "The second half's angles run backwards. Number i + d_k/2 has the same angle as number i.",
    "second_half_flipped",
    lambda x, a: _mixed(x, torch.cat([a, a.flip(-1)], -1), _other_half(x)),
)
_rotary_mistake(
    "Only the first half is turned. A turn changes both numbers of a pair.",
    "first_half_only",
    lambda x, a: torch.cat([_turned(x, a).chunk(2, -1)[0], x.chunk(2, -1)[1]], -1),
)
_rotary_mistake(
    "Every number gets a frequency of its own now. The two numbers of a pair share one: d_k/2 frequencies, each used twice.",
    "own_frequency",
    lambda x, a: _mixed(
        x,
        torch.arange(x.shape[-2], dtype=x.dtype)[:, None]
        * (a[1, 1] if x.shape[-2] > 1 else 1) ** (torch.arange(x.shape[-1], dtype=x.dtype) / 2),
        _other_half(x),
    ),
)
_rotary_mistake(
    "Sine and cosine have changed places: at position 0 nothing should be turned.",
    "sine_and_cosine",
    lambda x, a: x * _twice(a).sin() + _other_half(x) * _twice(a).cos(),
)
_rotary_mistake(
    "The positions count from 1 now. They count from 0: the first word isn't turned.",
    "from_one",
    lambda x, a: _turned(x, a + (a[1] if len(a) > 1 else positions.rotary_angles(2, x.shape[-1], 10_000.0)[1].to(a))),
)
_rotary_mistake(
    "The numbers come out in another order: pairs side by side. Turn them in place: the first half stays the first half.",
    "comes_out_interleaved",
    lambda x, a: _turned(x, a).unflatten(-1, (2, -1)).mT.flatten(-2),
)
_rotary_mistake("Nothing is turned: x comes back as it went in.", "as_it_was", lambda x, a: x.clone())


@rotary.mistake("The base is always 10 000. It was an argument: leave it in.")
def rotary_fixed_base(x, base=10_000.0):
    return _rotary(x)
