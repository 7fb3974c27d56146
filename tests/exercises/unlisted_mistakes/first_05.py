"""What a fresh student tried in lesson 05, Positions. Each docstring says what is really wrong."""

import math

import torch

from unlisted_mistakes import wrong

# --- 05.sinusoidal ----------------------------------------------------------------------------------------------------

K = "05.sinusoidal"


def waves(positions, frequencies):
    angles = positions[:, None] * frequencies
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)


def omega(positions, d_model, base):
    return base ** (-torch.arange(0, d_model, 2, dtype=positions.dtype) / d_model)


@wrong(K, "All the sines stand first, then all the cosines.")
def fresh_sinusoidal_concatenated(positions, d_model, base=10_000.0):
    """All sines first, then all cosines."""
    angles = positions[:, None] * omega(positions, d_model, base)
    return torch.cat([angles.sin(), angles.cos()], -1)


@wrong(K, "Sine and cosine have changed places:")
def fresh_sinusoidal_swapped(positions, d_model, base=10_000.0):
    """Cosines stand where the sines should."""
    angles = positions[:, None] * omega(positions, d_model, base)
    return torch.stack([angles.cos(), angles.sin()], -1).flatten(1)


@wrong(K, "The exponent is i/d_model; the 2 is missing.")
def fresh_sinusoidal_without_two(positions, d_model, base=10_000.0):
    """−i/d_model in the exponent, without the 2."""
    i = torch.arange(d_model // 2, dtype=positions.dtype)
    return waves(positions, base ** (-i / d_model))


@wrong(K, "You put the column's number in for i:")
def fresh_sinusoidal_column_as_i(positions, d_model, base=10_000.0):
    """The column's number is taken for i: −2 · column / d_model, another angle for sine and cosine."""
    column = torch.arange(d_model, dtype=positions.dtype)
    angles = positions[:, None] * base ** (-2 * column / d_model)
    out = angles.sin()
    out[:, 1::2] = angles.cos()[:, 1::2]
    return out


@wrong(K, "Every column has a frequency of its own.")
def fresh_sinusoidal_column_over_d(positions, d_model, base=10_000.0):
    """Each column has a frequency of its own: sine and cosine of a pair turn at different speeds."""
    column = torch.arange(d_model, dtype=positions.dtype)
    angles = positions[:, None] * base ** (-column / d_model)
    out = angles.sin()
    out[:, 1::2] = angles.cos()[:, 1::2]
    return out


@wrong(K, "The frequencies grow with i.")
def fresh_sinusoidal_growing(positions, d_model, base=10_000.0):
    """The minus in the exponent is missing: frequencies grow."""
    return waves(positions, base ** (torch.arange(0, d_model, 2, dtype=positions.dtype) / d_model))


@wrong(K, "The base is always 10 000.")
def fresh_sinusoidal_base_fixed(positions, d_model, base=10_000.0):
    """10 000 is written in place of base."""
    return waves(positions, omega(positions, d_model, 10_000.0))


@wrong(K, "Your exponent counts from i = 1.")
def fresh_sinusoidal_from_one(positions, d_model, base=10_000.0):
    """i runs from 1, so the first pair is too slow."""
    i = torch.arange(1, d_model // 2 + 1, dtype=positions.dtype)
    return waves(positions, base ** (-2 * i / d_model))


@wrong(K, "Your last pair has exactly the frequency 1/base:")
def fresh_sinusoidal_tensor2tensor(positions, d_model, base=10_000.0):
    """The exponent is divided by d/2 − 1, as another program has it."""
    i = torch.arange(d_model // 2, dtype=positions.dtype)
    return waves(positions, base ** (-i / max(d_model // 2 - 1, 1)))


@wrong(K, "There is a 2π in your angles.")
def fresh_sinusoidal_two_pi(positions, d_model, base=10_000.0):
    """A factor 2π too many: the frequencies are taken for turns, not radians."""
    return waves(2 * math.pi * positions, omega(positions, d_model, base))


@wrong(K, "You number the rows yourself, 0, 1, 2 … Use the positions th")
def fresh_sinusoidal_by_index(positions, d_model, base=10_000.0):
    """The rows are counted; the given positions aren't used."""
    return waves(torch.arange(len(positions), dtype=positions.dtype), omega(positions, d_model, base))


@wrong(K, "The table lies on its side,")
def fresh_sinusoidal_transposed(positions, d_model, base=10_000.0):
    """One column for each position: the transpose."""
    return waves(positions, omega(positions, d_model, base)).T


@wrong(K, "The result has the wrong dtype:")
def fresh_sinusoidal_float32(positions, d_model, base=10_000.0):
    """The frequencies are made in float32, whatever the positions are, and so is the result."""
    return waves(positions.float(), omega(positions.float(), d_model, base))


@wrong(K, "Both numbers of a pair are sines.")
def fresh_sinusoidal_all_sines(positions, d_model, base=10_000.0):
    """Sines twice: no cosine at all."""
    angles = positions[:, None] * omega(positions, d_model, base)
    return angles.sin().repeat_interleave(2, -1)


# --- 05.wavelengths ---------------------------------------------------------------------------------------------------

K = "05.wavelengths"
for fastest, slowest in (
    (1.0, 10_000 ** (62 / 64)),  # without 2π
    (1.0, 10_000 ** (-62 / 64)),  # the frequencies
    (2 * math.pi, 2 * math.pi * 10_000),  # as if i ran to d/2
    (2 * math.pi, 2 * math.pi * 10_000 ** (63 / 64)),  # the column's number
    (2 * math.pi * 10_000 ** (62 / 64), 2 * math.pi),  # exchanged
    (1 / (2 * math.pi), 10_000 ** (62 / 64) / (2 * math.pi)),  # divided by 2π
    (360, 360 * 10_000 ** (62 / 64)),  # degrees
    (math.pi, math.pi * 10_000 ** (62 / 64)),  # half a turn
    (2 * math.pi, 2 * math.pi * 10_000 ** (31 / 64)),  # the 2 is forgotten
    (2 * math.pi, 2 * math.pi * 10_000 ** (-62 / 64)),  # the power's sign
):
    wrong(K)({"fastest pair": fastest, "slowest pair": slowest})

# --- 05.shift_rotation ------------------------------------------------------------------------------------------------

K = "05.shift_rotation"


def blocks(angles, block):
    out = torch.zeros(2 * len(angles), 2 * len(angles), dtype=angles.dtype)
    for i, a in enumerate(angles):
        out[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = torch.tensor(block(a), dtype=angles.dtype)
    return out


def turned(a):
    return [[a.cos(), a.sin()], [-a.sin(), a.cos()]]


@wrong(K, "It turns the wrong way:")
def fresh_rotation_textbook(shift, frequencies):
    """The textbook's block (cos, −sin; sin, cos): it turns the other way, since the sine stands first here."""
    return blocks(shift * frequencies, lambda a: [[a.cos(), -a.sin()], [a.sin(), a.cos()]])


@wrong(K, "Both sines have the same sign.")
def fresh_rotation_no_minus(shift, frequencies):
    """The minus of the second row is missing."""
    return blocks(shift * frequencies, lambda a: [[a.cos(), a.sin()], [a.sin(), a.cos()]])


@wrong(K, "That is a reflection:")
def fresh_rotation_minus_below_right(shift, frequencies):
    """The minus stands at the wrong number: a mirror, not a rotation."""
    return blocks(shift * frequencies, lambda a: [[a.cos(), a.sin()], [a.sin(), -a.cos()]])


@wrong(K, "The cosines are missing from their places:")
def fresh_rotation_sin_cos_swapped(shift, frequencies):
    """Sine and cosine are exchanged in the block."""
    return blocks(shift * frequencies, lambda a: [[a.sin(), a.cos()], [-a.cos(), a.sin()]])


@wrong(K, "That is right for all sines first, then all cosines.")
def fresh_rotation_halves(shift, frequencies):
    """Sines are taken to stand in the first half, cosines in the second."""
    a = shift * frequencies
    c, s = torch.diag(a.cos()), torch.diag(a.sin())
    return torch.cat([torch.cat([c, s], 1), torch.cat([-s, c], 1)])


@wrong(K, "The shift is missing:")
def fresh_rotation_no_shift(shift, frequencies):
    """The shift isn't used."""
    return blocks(frequencies, turned)


@wrong(K, "You add shift and frequency.")
def fresh_rotation_added(shift, frequencies):
    """Shift and frequencies are added, not multiplied."""
    return blocks(shift + frequencies, turned)


@wrong(K, "The angle is shift / frequency.")
def fresh_rotation_divided(shift, frequencies):
    """shift / frequencies: the frequency is taken for a wavelength."""
    return blocks(shift / frequencies, turned)


@wrong(K, "You turn the angles into degrees.")
def fresh_rotation_degrees(shift, frequencies):
    """The angles are turned into degrees."""
    return blocks(torch.rad2deg(shift * frequencies), turned)


@wrong(K, "All pairs turn by the same angle, that of pair 0.")
def fresh_rotation_first_only(shift, frequencies):
    """All pairs turn by the angle of the first."""
    return blocks((shift * frequencies)[:1].expand(len(frequencies)), turned)


@wrong(K, "These are the blocks,")
def fresh_rotation_one_block(shift, frequencies):
    """The blocks are returned in a stack, (d/2, 2, 2), not put on the diagonal."""
    a = shift * frequencies
    return torch.stack([a.cos(), a.sin(), -a.sin(), a.cos()], -1).view(-1, 2, 2)


@wrong(K, "The result has the wrong dtype:")
def fresh_rotation_fixed_float(shift, frequencies):
    """The result is float32 whatever the frequencies are."""
    return blocks((shift * frequencies).float(), turned)


@wrong(K, "The two rows of a block turn by different angles.")
def fresh_rotation_row_with_another_angle(shift, frequencies):
    """The second row of each block has the next pair's angle."""
    a = shift * frequencies
    out = blocks(a, turned)
    b = a.roll(-1)
    for i in range(len(a)):
        out[2 * i + 1, 2 * i], out[2 * i + 1, 2 * i + 1] = -b[i].sin(), b[i].cos()
    return out


@wrong(K, "Your blocks stand one place apart, so they overlap.")
def fresh_rotation_overlapping(shift, frequencies):
    """The blocks stand at i, not at 2i, and overlap."""
    a = shift * frequencies
    out = torch.zeros(2 * len(a), 2 * len(a), dtype=a.dtype)
    for i in range(len(a)):
        out[i : i + 2, i : i + 2] = torch.tensor(turned(a[i]), dtype=a.dtype)
    return out


# --- 05.relative_scores -----------------------------------------------------------------------------------------------

K = "05.relative_scores"


def steps(n):
    i = torch.arange(n)
    return i - i[:, None]


@wrong(K, "Left and right have changed places:")
def fresh_relative_query_minus_key(query, key, table):
    """Distances are query − key: left and right are exchanged."""
    n, k = query.shape[-2], len(table) // 2
    r = table[(-steps(n)).clamp(-k, k) + k]
    return torch.einsum("...id,...ijd->...ij", query, key[..., None, :, :] + r) / query.shape[-1] ** 0.5


@wrong(K, "The distances aren't clipped, or not on both sides, so the t")
def fresh_relative_no_clip(query, key, table):
    """Distances aren't clipped: an index outside of the table."""
    n, k = query.shape[-2], len(table) // 2
    r = table[steps(n) + k]
    return torch.einsum("...id,...ijd->...ij", query, key[..., None, :, :] + r) / query.shape[-1] ** 0.5


@wrong(K, "The rows are taken without adding k:")
def fresh_relative_no_k(query, key, table):
    """k isn't added: negative distances count from the table's end."""
    n, k = query.shape[-2], len(table) // 2
    r = table[steps(n).clamp(-k, k)]
    return torch.einsum("...id,...ijd->...ij", query, key[..., None, :, :] + r) / query.shape[-1] ** 0.5


@wrong(K, "Left and right get the same vector:")
def fresh_relative_abs(query, key, table):
    """The distance's sign is lost: words before and after share a vector."""
    n, k = query.shape[-2], len(table) // 2
    r = table[steps(n).abs().clamp(max=k) + k]
    return torch.einsum("...id,...ijd->...ij", query, key[..., None, :, :] + r) / query.shape[-1] ** 0.5


@wrong(K, "The distances to the left are all clipped to 0:")
def fresh_relative_clip_after(query, key, table):
    """Clipped to 0 … 2k before k is added, so that everything before is one distance … and the index leaves the table."""
    n, k = query.shape[-2], len(table) // 2
    r = table[(steps(n).clamp(0, 2 * k) + k).clamp(max=2 * k)]
    return torch.einsum("...id,...ijd->...ij", query, key[..., None, :, :] + r) / query.shape[-1] ** 0.5


@wrong(K, "Your k is too small by one.")
def fresh_relative_k_off(query, key, table):
    """k is one too small: (len − 1)//2 − 1, so the table is read one row off."""
    n, k = query.shape[-2], len(table) // 2 - 1
    r = table[steps(n).clamp(-k, k) + k]
    return torch.einsum("...id,...ijd->...ij", query, key[..., None, :, :] + r) / query.shape[-1] ** 0.5


@wrong(K, "Only the dot product of query and key is divided by √d_k.")
def fresh_relative_unscaled_r(query, key, table):
    """Only q·k is divided by √d_k, the part with r isn't."""
    n, k = query.shape[-2], len(table) // 2
    r = table[steps(n).clamp(-k, k) + k]
    return query @ key.mT / query.shape[-1] ** 0.5 + torch.einsum("...id,ijd->...ij", query, r)


@wrong(K, "The scale is missing:")
def fresh_relative_unscaled(query, key, table):
    """Not divided by √d_k."""
    n, k = query.shape[-2], len(table) // 2
    r = table[steps(n).clamp(-k, k) + k]
    return query @ key.mT + torch.einsum("...id,ijd->...ij", query, r)


@wrong(K, "The keys have no effect:")
def fresh_relative_only_r(query, key, table):
    """Only the part with r: q·k is missing."""
    n, k = query.shape[-2], len(table) // 2
    r = table[steps(n).clamp(-k, k) + k]
    return torch.einsum("...id,ijd->...ij", query, r) / query.shape[-1] ** 0.5


@wrong(K, "The distances have no effect:")
def fresh_relative_only_k(query, key, table):
    """The table isn't used at all."""
    return query @ key.mT / query.shape[-1] ** 0.5


@wrong(K, "r meets the key.")
def fresh_relative_on_the_query(query, key, table):
    """r is added to the query, not to the key: (q + r)·k."""
    n, k = query.shape[-2], len(table) // 2
    r = table[steps(n).clamp(-k, k) + k]
    return torch.einsum("...ijd,...jd->...ij", query[..., :, None, :] + r, key) / query.shape[-1] ** 0.5


@wrong(K, "r is subtracted.")
def fresh_relative_minus(query, key, table):
    """r is subtracted."""
    n, k = query.shape[-2], len(table) // 2
    r = table[steps(n).clamp(-k, k) + k]
    return torch.einsum("...id,...ijd->...ij", query, key[..., None, :, :] - r) / query.shape[-1] ** 0.5


@wrong(K, "These are weights already.")
def fresh_relative_softmaxed(query, key, table):
    """Weights in place of scores: a softmax too many."""
    n, k = query.shape[-2], len(table) // 2
    r = table[steps(n).clamp(-k, k) + k]
    return (torch.einsum("...id,...ijd->...ij", query, key[..., None, :, :] + r) / query.shape[-1] ** 0.5).softmax(-1)


@wrong(K, "In `n, d`: 2 names stand on the left, but more val")
def fresh_relative_two_axes(query, key, table):
    """Right for two axes only."""
    n, d = query.shape
    k = len(table) // 2
    r = table[steps(n).clamp(-k, k) + k]
    return torch.einsum("id,ijd->ij", query, key[None] + r) / d**0.5


@wrong(K, "You take the absolute value after k was added.")
def fresh_relative_abs_after(query, key, table):
    """The absolute value is taken after k was added, of an index that is never negative; and nothing is clipped."""
    n, k = query.shape[-2], len(table) // 2
    r = table[(steps(n) + k).abs().clamp(max=2 * k)]
    return torch.einsum("...id,...ijd->...ij", query, key[..., None, :, :] + r) / query.shape[-1] ** 0.5


# --- 05.rotary --------------------------------------------------------------------------------------------------------

K = "05.rotary"


def turn(x, angles, twist=lambda a, b: torch.cat([-b, a], -1)):
    return x * angles.cos() + twist(*x.chunk(2, -1)) * angles.sin()


def spins(x, base):
    n, d = x.shape[-2:]
    return torch.arange(n, dtype=x.dtype)[:, None] * base ** (-torch.arange(0, d, 2, dtype=x.dtype) / d)


@wrong(K, "Angles and pairs don't agree: the angles are laid")
def fresh_rotary_from_two_programs(x, base=10_000.0):
    """Angles for neighbours, turned in halves: two programs copied together."""
    return turn(x, spins(x, base).repeat_interleave(2, -1))


@wrong(K, "Your pairs are neighbours, 2i and 2i + 1. That is")
def fresh_rotary_neighbours(x, base=10_000.0):
    """Neighbours are paired."""
    angles = spins(x, base).repeat_interleave(2, -1)
    a, b = x[..., 0::2], x[..., 1::2]
    return x * angles.cos() + torch.stack([-b, a], -1).flatten(-2) * angles.sin()


@wrong(K, "The pairs turn backwards.")
def fresh_rotary_other_way(x, base=10_000.0):
    """Turned the other way round."""
    a = spins(x, base)
    return turn(x, torch.cat([a, a], -1), lambda a, b: torch.cat([b, -a], -1))


@wrong(K, "There is no minus:")
def fresh_rotary_no_minus(x, base=10_000.0):
    """The minus is missing: no rotation."""
    a = spins(x, base)
    return turn(x, torch.cat([a, a], -1), lambda a, b: torch.cat([b, a], -1))


@wrong(K, "Each number meets itself, so nothing is turned:")
def fresh_rotary_halves_not_exchanged(x, base=10_000.0):
    """The halves aren't exchanged: each number is mixed with itself."""
    a = spins(x, base)
    return turn(x, torch.cat([a, a], -1), lambda a, b: torch.cat([-a, b], -1))


@wrong(K, "Your positions count from 1.")
def fresh_rotary_from_one(x, base=10_000.0):
    """Positions are counted from 1."""
    n, d = x.shape[-2:]
    a = torch.arange(1, n + 1, dtype=x.dtype)[:, None] * base ** (-torch.arange(0, d, 2, dtype=x.dtype) / d)
    return turn(x, torch.cat([a, a], -1))


@wrong(K, "The second half's angles run backwards.")
def fresh_rotary_angles_mirrored(x, base=10_000.0):
    """The second half has the frequencies in reversed order."""
    a = spins(x, base)
    return turn(x, torch.cat([a, a.flip(-1)], -1))


@wrong(K, "The angles are")
def fresh_rotary_no_repeat(x, base=10_000.0):
    """The angles aren't repeated: they are half as wide as x."""
    return turn(x, spins(x, base))


@wrong(K, "Every number has a frequency of its own.")
def fresh_rotary_frequencies_of_all(x, base=10_000.0):
    """A frequency for each number: d of them, in place of one for each pair."""
    n, d = x.shape[-2:]
    a = torch.arange(n, dtype=x.dtype)[:, None] * base ** (-torch.arange(d, dtype=x.dtype) / d)
    return turn(x, a)


@wrong(K, "The exponent is i/d_k; the 2 is missing.")
def fresh_rotary_half_exponent(x, base=10_000.0):
    """The exponent is −i/d, without the 2."""
    n, d = x.shape[-2:]
    a = torch.arange(n, dtype=x.dtype)[:, None] * base ** (-torch.arange(d // 2, dtype=x.dtype) / d)
    return turn(x, torch.cat([a, a], -1))


@wrong(K, "The positions are counted along the first axis of x, x.shape")
def fresh_rotary_position_is_batch(x, base=10_000.0):
    """Positions are counted along the first axis, not the last but one."""
    n, d = x.shape[0], x.shape[-1]
    a = (
        torch.arange(n, dtype=x.dtype)
        if x.dim() == 2
        else torch.arange(n, dtype=x.dtype).view(-1, *[1] * (x.dim() - 2))
    )
    a = a[..., None] * base ** (-torch.arange(0, d, 2, dtype=x.dtype) / d)
    return turn(x, torch.cat([a, a], -1))


@wrong(K, "Sines and cosines are added to x:")
def fresh_rotary_sines_added(x, base=10_000.0):
    """Sinusoids are added, nothing is turned."""
    a = spins(x, base)
    return x + torch.cat([a.sin(), a.cos()], -1)


@wrong(K, "The base is always 10 000.")
def fresh_rotary_fixed_base(x, base=10_000.0):
    """base isn't used."""
    a = spins(x, 10_000.0)
    return turn(x, torch.cat([a, a], -1))


@wrong(K, "Your code changes its input `x` in place.")
def fresh_rotary_in_place(x, base=10_000.0):
    """The input is changed in place."""
    a = spins(x, base)
    x.copy_(turn(x, torch.cat([a, a], -1)))
    return x


# --- 05.random_windows ------------------------------------------------------------------------------------------------

K = "05.random_windows"


def cut(table, n, starts):
    return table[starts.long()[:, None] + torch.arange(n)]


@wrong(K, "Your windows can run past the end of the table:")
def fresh_windows_too_far(table, n, u):
    """Starts run over all rows: the last windows don't fit."""
    return cut(table, n, (u * len(table)).floor())


@wrong(K, "The last possible start is never drawn:")
def fresh_windows_one_too_few(table, n, u):
    """The last start that fits is never taken: + 1 is missing."""
    return cut(table, n, (u * (len(table) - n)).floor())


@wrong(K, "One start too many:")
def fresh_windows_one_too_many(table, n, u):
    """One start too many: the last window doesn't fit."""
    return cut(table, n, (u * (len(table) - n + 2)).floor())


@wrong(K, "You round to the nearest start.")
def fresh_windows_rounded(table, n, u):
    """Rounded, not rounded down: first and last start get half of their share."""
    return cut(table, n, (u * (len(table) - n)).round())


@wrong(K, "You round u ·")
def fresh_windows_ceil(table, n, u):
    """Rounded up: start 0 is never taken."""
    return cut(table, n, (u * (len(table) - n)).ceil())


@wrong(K, "Every text begins at the same place, the first one's.")
def fresh_windows_same_for_all(table, n, u):
    """All texts begin where the first one does."""
    start = int(u[0] * (len(table) - n + 1))
    return table[start : start + n].expand(len(u), -1, -1)


@wrong(K, "Called twice with the same input, your code gives two differ")
def fresh_windows_own_random(table, n, u):
    """u isn't used; numbers of its own are drawn."""
    return cut(table, n, torch.randint(0, len(table) - n + 1, (len(u),)))


@wrong(K, "Only the row of each start comes back.")
def fresh_windows_start_only(table, n, u):
    """Only the first row of each window is returned."""
    return table[(u * (len(table) - n + 1)).long()]


@wrong(K, "A window that runs past the end goes on at the beginning of")
def fresh_windows_wraps(table, n, u):
    """Any start is allowed, and the window goes on at the table's beginning."""
    starts = (u * len(table)).long()
    return table[(starts[:, None] + torch.arange(n)) % len(table)]


@wrong(K, "Starts near the end are pushed back to max_len − n, so that")
def fresh_windows_clamped(table, n, u):
    """Starts run over all rows and are held at the last that fits, which is too frequent."""
    return cut(table, n, (u * len(table)).long().clamp(max=len(table) - n))


@wrong(K, "The rows of a window aren't neighbours in the table:")
def fresh_windows_scattered(table, n, u):
    """Rows aren't neighbours: every second one is taken."""
    starts = (u * (len(table) - n + 1)).long()
    return table[(starts[:, None] + 2 * torch.arange(n)) % len(table)]


@wrong(K, "The windows run backwards.")
def fresh_windows_backwards(table, n, u):
    """The rows of a window stand in reversed order."""
    return cut(table, n, (u * (len(table) - n + 1)).floor()).flip(1)


@wrong(K, "You sort u, so each window goes to another text.")
def fresh_windows_sorted(table, n, u):
    """u is sorted: the windows are right, but each belongs to another text."""
    return cut(table, n, (u.sort().values * (len(table) - n + 1)).floor())


@wrong(K, "The axes have changed places:")
def fresh_windows_axes(table, n, u):
    """The axes are (n, batch, d_model)."""
    return cut(table, n, (u * (len(table) - n + 1)).floor()).transpose(0, 1)
