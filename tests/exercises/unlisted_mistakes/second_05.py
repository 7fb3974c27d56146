"""A second fresh try at lesson 05, after the mending of the first. Each docstring says what is really wrong."""

import math

import torch

from unlisted_mistakes import wrong
from unlisted_mistakes.first_05 import blocks, cut, omega, spins, steps, turn, turned, waves

K = "05.sinusoidal"


@wrong(K, "Your frequencies fall evenly, by the same amount from pair t")
def second_sinusoidal_linear(positions, d_model, base=10_000.0):
    """Frequencies fall evenly from 1 to 1/base, not as powers."""
    return waves(positions, torch.linspace(1, 1 / base, d_model // 2, dtype=positions.dtype))


@wrong(K, "The frequency multiplies the sine and the cosine.")
def second_sinusoidal_outside(positions, d_model, base=10_000.0):
    """The frequency multiplies the sine, not the angle."""
    f = omega(positions, d_model, base)
    return torch.stack([positions.sin()[:, None] * f, positions.cos()[:, None] * f], -1).flatten(1)


@wrong(K, "Rows alternate in place of columns:")
def second_sinusoidal_by_parity_of_position(positions, d_model, base=10_000.0):
    """Rows, not columns, alternate: even rows are sines, odd rows cosines."""
    a = (positions[:, None] * omega(positions, d_model, base)).repeat_interleave(2, -1)
    out = a.sin()
    out[1::2] = a[1::2].cos()
    return out


@wrong(K, "The result has lost digits:")
def second_sinusoidal_float32_frequencies(positions, d_model, base=10_000.0):
    """The frequencies are computed in float32 only."""
    f = base ** (-torch.arange(0, d_model, 2) / d_model)
    return waves(positions, f)


@wrong(K, "The sines are written into the first half of the columns, th")
def second_sinusoidal_first_half_overwritten(positions, d_model, base=10_000.0):
    """Sines are put into the first half, then cosines into every second column."""
    a = positions[:, None] * omega(positions, d_model, base)
    out = torch.zeros(len(positions), d_model, dtype=positions.dtype)
    out[:, : d_model // 2] = a.sin()
    out[:, 1::2] = a.cos()
    return out


@wrong(K, "The exponent is upside down, and i counts from 1.")
def second_sinusoidal_root_of_base(positions, d_model, base=10_000.0):
    """The exponent is 1/(2i/d), upside down."""
    i = torch.arange(1, d_model // 2 + 1, dtype=positions.dtype)
    return waves(positions, base ** (-d_model / (2 * i)))


@wrong(K, "i runs over all d_model, so there are twice as many columns.")
def second_sinusoidal_d_for_half(positions, d_model, base=10_000.0):
    """i runs over d_model, not d_model/2: twice as many columns."""
    i = torch.arange(d_model, dtype=positions.dtype)
    return waves(positions, base ** (-2 * i / d_model))


@wrong(K, "The cosines have the wrong sign.")
def second_sinusoidal_half_turn_ahead(positions, d_model, base=10_000.0):
    """The second number is the sine a quarter turn behind: −cos."""
    a = positions[:, None] * omega(positions, d_model, base)
    return torch.stack([a.sin(), (a - math.pi / 2).sin()], -1).flatten(1)


K = "05.wavelengths"
for fastest, slowest in (
    (2 * math.pi / 64, 2 * math.pi / 64 * 10_000 ** (62 / 64)),  # divided by d_model
    (6.28, 10_000),  # the base for the slowest
    (2 * math.pi * 10_000 ** (1 / 32), 2 * math.pi * 10_000),  # counted from 1
    (1, 64),  # the pairs' numbers
    (2, 2 * 7498.94),  # π is forgotten
):
    wrong(K)({"fastest pair": fastest, "slowest pair": slowest})

K = "05.shift_rotation"


@wrong(K, "The identity is subtracted:")
def second_rotation_minus_identity(shift, frequencies):
    """The identity is subtracted: the change, not the new vector."""
    R = blocks(shift * frequencies, turned)
    return R - torch.eye(len(R), dtype=R.dtype)


@wrong(K, "You turn by twice the angle.")
def second_rotation_squared(shift, frequencies):
    """Applied twice: R @ R."""
    R = blocks(shift * frequencies, turned)
    return R @ R


@wrong(K, "Some pairs turn the wrong way, others don't.")
def second_rotation_signs_alternate(shift, frequencies):
    """Every second pair turns the other way."""
    sign = torch.tensor([(-1.0) ** i for i in range(len(frequencies))], dtype=frequencies.dtype)
    return blocks(shift * frequencies * sign, turned)


@wrong(K, "Some blocks are the identity:")
def second_rotation_first_pair_stays(shift, frequencies):
    """The loop begins at 1: the first block is the identity."""
    a = shift * frequencies
    R = torch.eye(2 * len(a), dtype=a.dtype)
    for i in range(1, len(a)):
        R[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = torch.tensor(turned(a[i]), dtype=a.dtype)
    return R


@wrong(K, "Rows are empty.")
def second_rotation_only_upper_rows(shift, frequencies):
    """Only the sines' rows are filled; the cosines' rows are zero."""
    return blocks(shift * frequencies, lambda a: [[a.cos(), a.sin()], [0.0, 0.0]])


@wrong(K, "That is a vector, sines and cosines of the angles, as PE")
def second_rotation_vector(shift, frequencies):
    """The angles' sines and cosines in a row, PE(shift), not a matrix."""
    a = shift * frequencies
    return torch.stack([a.sin(), a.cos()], -1).flatten()


@wrong(K, "You divide the angle by the number of pairs.")
def second_rotation_per_length(shift, frequencies):
    """The angle is divided by the number of pairs."""
    return blocks(shift * frequencies / len(frequencies), turned)


@wrong(K, "The result has the wrong dtype:")
def second_rotation_default_zeros(shift, frequencies):
    """zeros without dtype: float32 whatever the frequencies are."""
    a = shift * frequencies
    R = torch.zeros(2 * len(a), 2 * len(a))
    for i in range(len(a)):
        R[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = torch.tensor(turned(a[i]))
    return R


K = "05.relative_scores"


def vectors(query, table):
    n, k = query.shape[-2], len(table) // 2
    return table[steps(n).clamp(-k, k) + k]


@wrong(K)  # not told yet
def second_relative_only_neighbours(query, key, table):
    """Only words next to each other get a vector."""
    r = vectors(query, table) * (steps(query.shape[-2]).abs() <= 1)[..., None]
    return (query @ key.mT + torch.einsum("...id,ijd->...ij", query, r)) / query.shape[-1] ** 0.5


@wrong(K, "In `torch.einsum")
def second_relative_batch_only(query, key, table):
    """The einsum is written for one leading axis."""
    r = vectors(query, table)
    return (query @ key.mT + torch.einsum("bid,ijd->bij", query, r)) / query.shape[-1] ** 0.5


@wrong(K)  # not told yet
def second_relative_k_of_the_width(query, key, table):
    """k is taken from the table's width, d_k."""
    n, k = query.shape[-2], table.shape[1] // 2
    r = table[(steps(n).clamp(-k, k) + k).clamp(max=len(table) - 1)]
    return (query @ key.mT + torch.einsum("...id,ijd->...ij", query, r)) / query.shape[-1] ** 0.5


@wrong(K, "You close what comes later with −∞.")
def second_relative_causal(query, key, table):
    """What comes later is closed with −∞."""
    scores = (query @ key.mT + torch.einsum("...id,ijd->...ij", query, vectors(query, table))) / query.shape[-1] ** 0.5
    n = query.shape[-2]
    return scores.masked_fill(~torch.ones(n, n, dtype=torch.bool).tril(), float("-inf"))


@wrong(K)  # not told yet
def second_relative_mean_of_r(query, key, table):
    """The mean of r is added to the scores, not r to the key."""
    return (query @ key.mT + vectors(query, table).mean(-1)) / query.shape[-1] ** 0.5


@wrong(K, "You divide by d_k.")
def second_relative_scaled_query_too(query, key, table):
    """Divided by √d_k twice."""
    scores = query @ key.mT + torch.einsum("...id,ijd->...ij", query, vectors(query, table))
    return scores / query.shape[-1]


@wrong(K, "The numbers are right, but the gradient isn't:")
def second_relative_detached_table(query, key, table):
    """The table is cut off from the gradient."""
    r = vectors(query, table.detach())
    return (query @ key.mT + torch.einsum("...id,ijd->...ij", query, r)) / query.shape[-1] ** 0.5


@wrong(K)  # not told yet
def second_relative_unclipped_to_the_left(query, key, table):
    """Only the right side is clipped, to k, and the left at 0 after adding: min(…, k) before, no max."""
    n, k = query.shape[-2], len(table) // 2
    r = table[(steps(n).clamp(max=k) + k).clamp(min=1)]
    return (query @ key.mT + torch.einsum("...id,ijd->...ij", query, r)) / query.shape[-1] ** 0.5


K = "05.rotary"


@wrong(K, "The lengths of the vectors change.")
def second_rotary_chunk_over_words(x, base=10_000.0):
    """The words are halved, not the numbers: chunk over dim=-2."""
    a = spins(x, base)
    first, second = x.chunk(2, dim=-2)
    return x * torch.cat([a, a], -1).cos() + torch.cat([-second, first], -2) * torch.cat([a, a], -1).sin()


@wrong(K, "The 2 stands twice in the exponent.")
def second_rotary_over_half_width(x, base=10_000.0):
    """The exponent is divided by d_k/2: the 2 stands twice."""
    n, d = x.shape[-2:]
    a = torch.arange(n, dtype=x.dtype)[:, None] * base ** (-torch.arange(0, d, 2, dtype=x.dtype) / (d // 2))
    return turn(x, torch.cat([a, a], -1))


@wrong(K, "The result has lost digits:")
def second_rotary_float32(x, base=10_000.0):
    """Angles in float32 whatever x is."""
    n, d = x.shape[-2:]
    a = torch.arange(n)[:, None] * base ** (-torch.arange(0, d, 2) / d)
    return turn(x, torch.cat([a, a], -1))


@wrong(K, "The halves meet in reverse order:")
def second_rotary_whole_width_reversed(x, base=10_000.0):
    """All numbers in reverse order meet, not the other half."""
    a = spins(x, base)
    return turn(x, torch.cat([a, a], -1), lambda a, b: torch.cat([-b.flip(-1), a.flip(-1)], -1))


@wrong(K, "Two things at once.")
def second_rotary_still_and_from_one(x, base=10_000.0):
    """Angles for neighbours, turned in halves, and positions count from 1."""
    n, d = x.shape[-2:]
    a = torch.arange(1, n + 1, dtype=x.dtype)[:, None] * base ** (-torch.arange(0, d, 2, dtype=x.dtype) / d)
    return turn(x, a.repeat_interleave(2, -1))


@wrong(K, "The numbers are right, but the gradient isn't:")
def second_rotary_detached(x, base=10_000.0):
    """One part is cut off from the gradient."""
    a = spins(x, base)
    return turn(x.detach(), torch.cat([a, a], -1)) + 0 * x


@wrong(K)  # not told yet
def second_rotary_first_word_left_out(x, base=10_000.0):
    """Positions are one too small: they begin at −1."""
    n, d = x.shape[-2:]
    a = torch.arange(-1, n - 1, dtype=x.dtype)[:, None] * base ** (-torch.arange(0, d, 2, dtype=x.dtype) / d)
    return turn(x, torch.cat([a, a], -1))


@wrong(K, "The result: the right numbers, but divided by √(x.")
def second_rotary_scaled(x, base=10_000.0):
    """Divided by √d_k as well."""
    a = spins(x, base)
    return turn(x, torch.cat([a, a], -1)) / x.shape[-1] ** 0.5


K = "05.random_windows"


@wrong(K, "In `int(u * (len(table) - n + 1))`, given (4,): he")
def second_windows_int_of_all(table, n, u):
    """int() of a whole tensor: only one number can be made one."""
    start = int(u * (len(table) - n + 1))
    return table[start : start + n]


@wrong(K, "The rows of a window aren't neighbours in the table:")
def second_windows_spread(table, n, u):
    """n rows spread evenly from the start to the end of the table."""
    starts = (u * (len(table) - n + 1)).long()
    return torch.stack([table[torch.linspace(int(s), len(table) - 1, n).long()] for s in starts])


@wrong(K, "The windows lie one after another,")
def second_windows_concatenated(table, n, u):
    """The windows are joined to one long table."""
    starts = (u * (len(table) - n + 1)).long()
    return torch.cat([table[s : s + n] for s in starts])


@wrong(K, "u is halved, so the starts in the second half are never draw")
def second_windows_half(table, n, u):
    """Only starts in the first half: u is halved."""
    return cut(table, n, u / 2 * (len(table) - n + 1))


@wrong(K, "u runs backwards:")
def second_windows_one_minus_u(table, n, u):
    """1 − u: the last part stands for start 0."""
    return cut(table, n, ((1 - u) * (len(table) - n + 1)).floor().clamp(max=len(table) - n))


@wrong(K)  # not told yet
def second_windows_columns(table, n, u):
    """Columns are taken in place of rows."""
    starts = (u * (table.shape[1])).long()
    return table[:n, starts].T[..., None].expand(-1, -1, table.shape[1])


@wrong(K, "Each window begins one row too late, but for the last:")
def second_windows_ends(table, n, u):
    """The random place is taken for the window's end."""
    ends = (u * (len(table) - n + 1)).long() + n
    return torch.stack([table[e - n + 1 : e + 1] if e < len(table) else table[e - n : e] for e in ends])


@wrong(K, "Your starts are multiples of n only")
def second_windows_multiples(table, n, u):
    """Starts are whole multiples of n."""
    return cut(table, n, (u * (len(table) // n)).floor() * n)
