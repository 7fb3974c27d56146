"""Right answers to lesson 05, Positions."""

import math

import numpy as np
import torch

from right_answers import right

# --- 05.sinusoidal ----------------------------------------------------------------------------------------------------


@right("05.sinusoidal")
def sinusoidal_in_place(positions, d_model, base=10_000.0):
    frequencies = base ** (-torch.arange(0, d_model, 2, dtype=positions.dtype) / d_model)
    angles = positions[:, None] * frequencies
    out = torch.zeros(len(positions), d_model, dtype=positions.dtype)
    out[:, 0::2] = torch.sin(angles)
    out[:, 1::2] = torch.cos(angles)
    return out


@right("05.sinusoidal")
def sinusoidal_by_loop(positions, d_model, base=10_000.0):
    columns = []
    for i in range(d_model // 2):
        angle = positions / base ** (2 * i / d_model)
        columns += [angle.sin(), angle.cos()]
    return torch.stack(columns, dim=1)


@right("05.sinusoidal")
def sinusoidal_in_python(positions, d_model, base=10_000.0):
    """No gradient flows, and none is asked for."""
    out = torch.zeros(len(positions), d_model, dtype=positions.dtype)
    for row, position in enumerate(positions.tolist()):
        for i in range(d_model // 2):
            angle = position / base ** (2 * i / d_model)
            out[row, 2 * i], out[row, 2 * i + 1] = math.sin(angle), math.cos(angle)
    return out


@right("05.sinusoidal")
def sinusoidal_by_the_logarithm(positions, d_model, base=10_000.0):
    frequencies = torch.exp(torch.arange(0, d_model, 2).to(positions.dtype) * (-math.log(base) / d_model))
    angles = torch.outer(positions, frequencies)
    return torch.cat([angles.sin()[..., None], angles.cos()[..., None]], dim=-1).flatten(1)


@right("05.sinusoidal")
def sinusoidal_as_shifted_sines(positions, d_model, base=10_000.0):
    column = torch.arange(d_model, dtype=positions.dtype)
    angles = positions[:, None] / base ** (2 * (column // 2) / d_model)
    return torch.where(column % 2 == 0, angles.sin(), angles.cos())


@right("05.sinusoidal")
def sinusoidal_by_einsum(positions, d_model, base=10_000.0):
    angles = torch.einsum(
        "n,i->ni",
        positions,
        torch.pow(
            torch.tensor(base, dtype=positions.dtype), -torch.arange(d_model // 2, dtype=positions.dtype) * 2 / d_model
        ),
    )
    return torch.dstack([angles.sin(), angles.cos()]).reshape(len(positions), -1)


# --- 05.shift_rotation ------------------------------------------------------------------------------------------------


@right("05.shift_rotation")
def shift_by_loop(shift, frequencies):
    d_model = 2 * len(frequencies)
    R = torch.zeros(d_model, d_model, dtype=frequencies.dtype)
    for i, frequency in enumerate(frequencies):
        c, s = torch.cos(shift * frequency), torch.sin(shift * frequency)
        R[2 * i, 2 * i], R[2 * i, 2 * i + 1] = c, s
        R[2 * i + 1, 2 * i], R[2 * i + 1, 2 * i + 1] = -s, c
    return R


@right("05.shift_rotation")
def shift_by_slices(shift, frequencies):
    angles = shift * frequencies
    even = torch.arange(0, 2 * len(frequencies), 2)
    R = frequencies.new_zeros(2 * len(frequencies), 2 * len(frequencies))
    R[even, even] = R[even + 1, even + 1] = angles.cos()
    R[even, even + 1] = angles.sin()
    R[even + 1, even] = -angles.sin()
    return R


@right("05.shift_rotation")
def shift_by_block_diag(shift, frequencies):
    blocks = []
    for angle in shift * frequencies:
        blocks.append(torch.stack([torch.stack([angle.cos(), angle.sin()]), torch.stack([-angle.sin(), angle.cos()])]))
    return torch.block_diag(*blocks)


@right("05.shift_rotation")
def shift_by_kron(shift, frequencies):
    keep, swap = torch.eye(2, dtype=frequencies.dtype), torch.tensor([[0, 1], [-1, 0]], dtype=frequencies.dtype)
    angles = shift * frequencies
    return torch.kron(torch.diag(angles.cos()), keep) + torch.kron(torch.diag(angles.sin()), swap)


@right("05.shift_rotation")
def shift_by_matrix_exponential(shift, frequencies):
    swap = torch.tensor([[0, 1], [-1, 0]], dtype=frequencies.dtype)
    return torch.matrix_exp(torch.kron(torch.diag(shift * frequencies), swap))


@right("05.shift_rotation")
def shift_by_blocks_of_constants(shift, frequencies):
    """Frequencies are constants: no gradient is asked for."""
    blocks = []
    for w in frequencies:
        c, s = torch.cos(shift * w), torch.sin(shift * w)
        blocks.append(torch.tensor([[c, s], [-s, c]], dtype=frequencies.dtype))
    return torch.block_diag(*blocks)


@right("05.shift_rotation")
def shift_in_python(shift, frequencies):
    angles = [shift * w for w in frequencies.tolist()]
    blocks = [[[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]] for a in angles]
    return torch.block_diag(*(torch.tensor(block, dtype=frequencies.dtype) for block in blocks))


# --- 05.relative_scores -----------------------------------------------------------------------------------------------


@right("05.relative_scores")
def relative_by_loops(query, key, table):
    n, k = query.shape[-2], len(table) // 2
    rows = []
    for i in range(n):
        rows.append(
            torch.stack(
                [(query[..., i, :] * (key[..., j, :] + table[max(-k, min(k, j - i)) + k])).sum(-1) for j in range(n)],
                dim=-1,
            )
        )
    return torch.stack(rows, dim=-2) / math.sqrt(query.shape[-1])


@right("05.relative_scores")
def relative_by_broadcasting(query, key, table):
    n, k = query.shape[-2], (len(table) - 1) // 2
    place = torch.arange(n)
    r = table[torch.clamp(place - place[:, None], -k, k) + k]
    return (query[..., :, None, :] * (key[..., None, :, :] + r)).sum(-1) * query.shape[-1] ** -0.5


@right("05.relative_scores")
def relative_by_matmul(query, key, table):
    n, k = query.shape[-2], len(table) // 2
    i, j = torch.meshgrid(torch.arange(n), torch.arange(n), indexing="ij")
    r = table[(j - i).clip(-k, k) + k]
    with_r = (r @ query.unsqueeze(-1)).squeeze(-1)
    return (query @ key.transpose(-2, -1) + with_r) / np.sqrt(query.shape[-1])


@right("05.relative_scores")
def relative_by_gather(query, key, table):
    n, k = query.shape[-2], len(table) // 2
    every_row = query @ table.T
    rows = (torch.arange(n)[None, :] - torch.arange(n)[:, None]).clamp(-k, k) + k
    return (query @ key.mT + every_row.gather(-1, rows.expand(*every_row.shape[:-1], n))) / query.size(-1) ** 0.5


@right("05.relative_scores")
def relative_on_the_keys(query, key, table):
    n, k = query.shape[-2], len(table) // 2
    distance = torch.arange(n).unsqueeze(0) - torch.arange(n).unsqueeze(1)
    keys = key.unsqueeze(-3) + table[torch.minimum(torch.maximum(distance, torch.tensor(-k)), torch.tensor(k)) + k]
    return torch.einsum("...id,...ijd->...ij", query, keys) / query.shape[-1] ** 0.5


# --- 05.rotary --------------------------------------------------------------------------------------------------------


@right("05.rotary")
def rotary_repaired(x, base=10_000.0):
    n, d_k = x.shape[-2:]
    frequencies = base ** (-torch.arange(0, d_k, 2, dtype=x.dtype) / d_k)
    angles = torch.arange(n, dtype=x.dtype)[:, None] * frequencies
    angles = torch.cat([angles, angles], dim=-1)
    first, second = x.chunk(2, dim=-1)
    turned = torch.cat([-second, first], dim=-1)
    return x * angles.cos() + turned * angles.sin()


@right("05.rotary")
def rotary_repeated(x, base=10_000.0):
    n, d_k = x.shape[-2:]
    frequencies = base ** (-torch.arange(0, d_k, 2, dtype=x.dtype) / d_k)
    angles = (torch.arange(n, dtype=x.dtype)[:, None] * frequencies).repeat(1, 2)
    turned = torch.roll(x, d_k // 2, dims=-1) * torch.tensor([-1.0] * (d_k // 2) + [1.0] * (d_k // 2), dtype=x.dtype)
    return x * angles.cos() + turned * angles.sin()


@right("05.rotary")
def rotary_with_complex_numbers(x, base=10_000.0):
    n, half = x.shape[-2], x.shape[-1] // 2
    angles = torch.arange(n, dtype=x.dtype)[:, None] * base ** (-torch.arange(half, dtype=x.dtype) / half)
    turned = torch.complex(x[..., :half].contiguous(), x[..., half:].contiguous()) * torch.polar(
        torch.ones_like(angles), angles
    )
    return torch.cat([turned.real, turned.imag], dim=-1)


@right("05.rotary")
def rotary_half_by_half(x, base=10_000.0):
    n, d_k = x.shape[-2:]
    out = torch.empty_like(x)
    for i in range(d_k // 2):
        angle = torch.arange(n, dtype=x.dtype) / base ** (2 * i / d_k)
        out[..., i] = x[..., i] * angle.cos() - x[..., i + d_k // 2] * angle.sin()
        out[..., i + d_k // 2] = x[..., i + d_k // 2] * angle.cos() + x[..., i] * angle.sin()
    return out


# --- 05.random_windows ------------------------------------------------------------------------------------------------


@right("05.random_windows")
def windows_at_once(table, n, u):
    starts = (u * (len(table) - n + 1)).long()
    return table[starts[:, None] + torch.arange(n)]


@right("05.random_windows")
def windows_by_loop(table, n, u):
    return torch.stack([table[int(x * (table.shape[0] - n + 1)) :][:n] for x in u])


@right("05.random_windows")
def windows_by_unfold(table, n, u):
    windows = table.unfold(0, n, 1).mT
    return windows[torch.floor(u * len(windows)).to(torch.int64)]


@right("05.random_windows")
def windows_by_python_numbers(table, n, u):
    ways = len(table) - n + 1
    return torch.stack([table[start : start + n] for start in (math.floor(x * ways) for x in u.tolist())])


@right("05.random_windows")
def windows_by_index_select(table, n, u):
    starts = u.mul(len(table) - n + 1).floor().int()
    rows = (starts.unsqueeze(1) + torch.arange(n).unsqueeze(0)).flatten()
    return table.index_select(0, rows).reshape(len(u), n, -1)
