"""A third fresh try at lesson 05. Each docstring says what is really wrong."""

import torch

from unlisted_mistakes import wrong
from unlisted_mistakes.first_05 import blocks, cut, omega, spins, steps, turn, turned, waves
from unlisted_mistakes.second_05 import vectors

K = "05.sinusoidal"


@wrong(K, "The slowest pair comes first.")
def third_sinusoidal_frequencies_reversed(positions, d_model, base=10_000.0):
    """The slowest pair comes first."""
    return waves(positions, omega(positions, d_model, base).flip(0))


@wrong(K, "All pairs turn at the same speed:")
def third_sinusoidal_only_first_base(positions, d_model, base=10_000.0):
    """All pairs have the second pair's frequency: i isn't used."""
    return waves(positions, omega(positions, d_model, base)[min(1, d_model // 2 - 1)].expand(d_model // 2))


@wrong(K)  # not told yet
def third_sinusoidal_growing_concatenated(positions, d_model, base=10_000.0):
    """Growing frequencies, and all sines first."""
    a = positions[:, None] / omega(positions, d_model, base)
    return torch.cat([a.sin(), a.cos()], -1)


@wrong(K, "The result: the right numbers without their sign.")
def third_sinusoidal_abs(positions, d_model, base=10_000.0):
    """Absolute values: the waves never go below zero."""
    return waves(positions, omega(positions, d_model, base)).abs()


@wrong(K, "All your numbers lie between 0 and 1.")
def third_sinusoidal_unit(positions, d_model, base=10_000.0):
    """Moved to 0 … 1: (1 + PE) / 2."""
    return (1 + waves(positions, omega(positions, d_model, base))) / 2


K = "05.shift_rotation"


@wrong(K, "Two things at once. First: It turns the wrong way: R @ PE(p) is PE(p −")
def third_rotation_textbook_and_no_shift(shift, frequencies):
    """The textbook's signs, and the shift isn't used."""
    return blocks(frequencies, lambda a: [[a.cos(), -a.sin()], [a.sin(), a.cos()]])


@wrong(K, "The pairs are in the wrong order:")
def third_rotation_reversed_frequencies(shift, frequencies):
    """The last pair's block stands first."""
    return blocks((shift * frequencies).flip(0), turned)


@wrong(K, "All pairs turn by the same angle.")
def third_rotation_full_blocks(shift, frequencies):
    """All blocks have the same angle, of the sum of all frequencies."""
    return blocks((shift * frequencies.sum()).expand(len(frequencies)), turned)


@wrong(K, "A tangent stands where a sine should:")
def third_rotation_sin_of_cos(shift, frequencies):
    """tan in place of sin."""
    return blocks(shift * frequencies, lambda a: [[a.cos(), a.tan()], [-a.tan(), a.cos()]])


@wrong(K, "The last block isn't filled:")
def third_rotation_last_pair_missing(shift, frequencies):
    """The loop ends one pair too early."""
    a = shift * frequencies
    out = blocks(a, turned)
    out[-2:] = 0
    return out


K = "05.relative_scores"


def scored(query, key, r):
    return (query @ key.mT + torch.einsum("...id,ijd->...ij", query, r)) / query.shape[-1] ** 0.5


@wrong(K, "Left and right have changed places:")
def third_relative_reversed_table(query, key, table):
    """Row 0 is taken for +k: the table is read backwards."""
    return scored(query, key, vectors(query, table.flip(0)))


@wrong(K, "With k = 5, a key at distance 0 gets row 2 of the table; it")
def third_relative_clip_at_two(query, key, table):
    """k is always 2."""
    n = query.shape[-2]
    r = table[(steps(n).clamp(-2, 2) + 2).clamp(max=len(table) - 1)]
    return scored(query, key, r)


@wrong(K, "With k = 2, a key at distance -1 gets no vector; it should g")
def third_relative_right_side_only(query, key, table):
    """Keys to the left get no vector."""
    r = vectors(query, table) * (steps(query.shape[-2]) >= 0)[..., None]
    return scored(query, key, r)


@wrong(K)  # not told yet
def third_relative_sum_over_table(query, key, table):
    """All vectors of the table are added up for each key."""
    n = query.shape[-2]
    return scored(query, key, table.sum(0).expand(n, n, -1))


@wrong(K, "With k = 2, a key at distance 1 gets row 2 of the table; it")
def third_relative_here_for_all(query, key, table):
    """All keys get the vector of distance 0."""
    n = query.shape[-2]
    return scored(query, key, table[len(table) // 2].expand(n, n, -1))


K = "05.rotary"


@wrong(K, "Two things at once.")
def third_rotary_bug_and_no_minus(x, base=10_000.0):
    """Angles for neighbours, turned in halves, and no minus."""
    return turn(x, spins(x, base).repeat_interleave(2, -1), lambda a, b: torch.cat([b, a], -1))


@wrong(K, "Two things at once.")
def third_rotary_bug_and_growing(x, base=10_000.0):
    """Angles for neighbours, turned in halves, and frequencies grow."""
    n, d = x.shape[-2:]
    a = torch.arange(n, dtype=x.dtype)[:, None] * base ** (torch.arange(0, d, 2, dtype=x.dtype) / d)
    return turn(x, a.repeat_interleave(2, -1))


@wrong(K, "There is a minus on both sines.")
def third_rotary_minus_on_all(x, base=10_000.0):
    """Both halves have a minus."""
    a = spins(x, base)
    return turn(x, torch.cat([a, a], -1), lambda a, b: torch.cat([-b, -a], -1))


@wrong(K, "All pairs turn by one angle, the mean of all.")
def third_rotary_mean_angle(x, base=10_000.0):
    """All pairs turn by the mean of the frequencies."""
    a = spins(x, base).mean(-1, keepdim=True).expand(-1, x.shape[-1])
    return turn(x, a)


@wrong(K, "The angles grow with the square of the position.")
def third_rotary_position_squared(x, base=10_000.0):
    """The angle grows with the square of the position."""
    a = spins(x, base) * torch.arange(x.shape[-2], dtype=x.dtype)[:, None]
    return turn(x, torch.cat([a, a], -1))


K = "05.random_windows"


@wrong(K, "Every text begins at position 0.")
def third_windows_first_n(table, n, u):
    """Always the first n rows."""
    return table[:n].expand(len(u), -1, -1)


@wrong(K, "Every text begins at the same row.")
def third_windows_mean_u(table, n, u):
    """All texts begin where the mean of u says."""
    start = int(u.mean() * (len(table) - n + 1))
    return table[start : start + n].expand(len(u), -1, -1)


@wrong(K, "Every window begins one row too early.")
def third_windows_one_off(table, n, u):
    """Windows begin one row too early (and at 0 stay there)."""
    return cut(table, n, ((u * (len(table) - n + 1)).floor() - 1).clamp(min=0))


@wrong(K)  # not told yet
def third_windows_times_u(table, n, u):
    """The windows are multiplied by u."""
    return cut(table, n, (u * (len(table) - n + 1)).floor()) * u[:, None, None]


@wrong(K, "in reverse order along")
def third_windows_reversed_texts(table, n, u):
    """The texts come in reverse order."""
    return cut(table, n, (u * (len(table) - n + 1)).floor()).flip(0)
