"""A fifth fresh try at lesson 05: what its cards didn't name before they were mended. Each docstring says what is really wrong."""

import math

import torch

from course_lib.positions import distances
from unlisted_mistakes import wrong


def ang(x, base):
    n, d = x.shape[-2:]
    return torch.arange(n, dtype=x.dtype)[:, None] * base ** (-torch.arange(0, d, 2, dtype=x.dtype) / d)


@wrong("05.sinusoidal", "All the sines stand first")
def fifth_sinusoidal_15(positions, d_model, base=10_000.0):
    """The tensor2tensor form: i/(d/2-1) and concatenated (two differences)."""
    h = d_model // 2
    f = torch.exp(-math.log(base) * torch.arange(h, dtype=positions.dtype) / (h - 1))
    a = positions[:, None] * f
    return torch.cat([a.sin(), a.cos()], -1)


@wrong("05.random_windows", "multiples of n only")
def fifth_random_windows_07(table, n, u):
    """Starts only at multiples of n: chunks."""
    s = (u * (len(table) // n)).long() * n
    return table[s[:, None] + torch.arange(n)]


@wrong("05.random_windows", "You round, and spread u")
def fifth_random_windows_15(table, n, u):
    """Two: too few starts, and rounds."""
    s = (u * (len(table) - n - 1)).round().long()
    return table[s[:, None] + torch.arange(n)]


@wrong("05.shift_rotation", "Something stands outside")
def fifth_shift_rotation_05(shift, frequencies):
    """Off-block entries are 1."""
    a = shift * frequencies
    m = torch.block_diag(*[torch.stack([torch.stack([x.cos(), x.sin()]), torch.stack([-x.sin(), x.cos()])]) for x in a])
    o = torch.block_diag(*[torch.ones(2, 2, dtype=m.dtype)] * len(a))
    return m + (1 - o)


@wrong("05.shift_rotation", "put a star before the list")
def fifth_shift_rotation_09(shift, frequencies):
    """block_diag called with the list, not unpacked."""
    a = shift * frequencies
    return torch.block_diag(
        [torch.stack([torch.stack([x.cos(), x.sin()]), torch.stack([-x.sin(), x.cos()])]) for x in a]
    )


@wrong("05.relative_scores", "Your k is always 2")
def fifth_relative_scores_05(query, key, table):
    """k hard-coded as 2."""
    n, d = query.shape[-2:]
    k = 2
    return (query @ key.mT + torch.einsum("...id,ijd->...ij", query, table[distances(n).clamp(-k, k) + k])) / d**0.5


@wrong("05.rotary", "from the second axis")
def fifth_rotary_06(x, base=10_000.0):
    """Position axis is the second, not the next-to-last: x.shape[1] (right for 3 dims only)."""
    n, d = x.shape[1], x.shape[-1]
    a = torch.arange(n, dtype=x.dtype)[:, None] * base ** (-torch.arange(0, d, 2, dtype=x.dtype) / d)
    p, q = x.chunk(2, -1)
    return torch.cat([p * a.cos() - q * a.sin(), p * a.sin() + q * a.cos()], -1)


@wrong("05.rotary", "The halves have changed places")
def fifth_rotary_09(x, base=10_000.0):
    """Halves swapped in the result."""
    a = ang(x, base)
    p, q = x.chunk(2, -1)
    return torch.cat([p * a.sin() + q * a.cos(), p * a.cos() - q * a.sin()], -1)


@wrong("05.rotary", "You multiply x by the angles")
def fifth_rotary_10(x, base=10_000.0):
    """The angles are multiplied with x, no rotation (x * angle)."""
    a = torch.cat([ang(x, base)] * 2, -1)
    return x * a


@wrong("05.rotary", "You halve the wrong axis")
def fifth_rotary_11(x, base=10_000.0):
    """Split on dim=-2 (rows halved, not columns)."""
    a = ang(x, base)
    p, q = x.chunk(2, -2)
    return torch.cat([p * a.cos() - q * a.sin(), p * a.sin() + q * a.cos()], -2)


@wrong("05.rotary", "You halve the wrong axis")
def fifth_rotary_12(x, base=10_000.0):
    """Split on dim=0 / chunk default dim."""
    a = ang(x, base)
    p, q = x.chunk(2)
    return torch.cat([p * a.cos() - q * a.sin(), p * a.sin() + q * a.cos()])


@wrong("05.random_windows", "You round u")
def fifth_random_windows_02(table, n, u):
    """Round with the right count (max_len - n + 1), clamped."""
    s = (u * (len(table) - n + 1)).round().long().clamp(max=len(table) - n)
    return table[s[:, None] + torch.arange(n)]


@wrong("05.random_windows", "You take max_len from the wrong axis")
def fifth_random_windows_03(table, n, u):
    """Uses d_model for max_len: table.shape[1]."""
    s = (u * (table.shape[-1] - n + 1)).long().clamp(min=0)
    return table[s[:, None] + torch.arange(n)]


@wrong("05.random_windows", "one row too late")
def fifth_random_windows_05(table, n, u):
    """Begins at 1: start + 1 ... (off by one rows)."""
    s = (u * (len(table) - n + 1)).long()
    return table[(s[:, None] + torch.arange(1, n + 1)).clamp(max=len(table) - 1)]


@wrong("05.random_windows", "mixed from two neighbours")
def fifth_random_windows_10(table, n, u):
    """Interpolates between rows: start not floored."""
    s = u * (len(table) - n)
    lo = s.floor().long()
    w = (s - lo)[:, None, None]
    i = lo[:, None] + torch.arange(n)
    return table[i] * (1 - w) + table[(i + 1).clamp(max=len(table) - 1)] * w
