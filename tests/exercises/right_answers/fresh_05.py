"""Right answers to lesson 05 in a fresh student's styles."""

import math

import torch

from right_answers import right


@right("05.sinusoidal")
def fresh_sinusoidal_log(positions, d_model, base=10_000.0):
    i = torch.arange(0, d_model, 2, dtype=positions.dtype)
    angles = torch.outer(positions, torch.exp(-math.log(base) * i / d_model))
    return torch.stack((angles.sin(), angles.cos()), dim=2).reshape(len(positions), d_model)


@right("05.sinusoidal")
def fresh_sinusoidal_phase(positions, d_model, base=10_000.0):
    column = torch.arange(d_model, dtype=positions.dtype)
    even = 2 * torch.div(column, 2, rounding_mode="floor")
    return torch.sin(positions.unsqueeze(1) / base ** (even / d_model) + (column % 2) * math.pi / 2)


@right("05.sinusoidal")
def fresh_sinusoidal_where(positions, d_model, base=10_000.0):
    column = torch.arange(d_model)
    angles = positions.view(-1, 1) / torch.tensor(base, dtype=positions.dtype).pow((column - column % 2) / d_model)
    angles = angles.to(positions.dtype)
    exact = torch.pow(torch.tensor(base, dtype=positions.dtype), ((column - column % 2).to(positions.dtype)) / d_model)
    return torch.where(column % 2 == 0, (positions[:, None] / exact).sin(), (positions[:, None] / exact).cos())


@right("05.shift_rotation")
def fresh_rotation_kron(shift, frequencies):
    a = shift * frequencies
    J = torch.tensor([[0.0, 1.0], [-1.0, 0.0]], dtype=a.dtype)
    return torch.kron(a.cos().diag(), torch.eye(2, dtype=a.dtype)) + torch.kron(a.sin().diag(), J)


@right("05.shift_rotation")
def fresh_rotation_matrix_exp(shift, frequencies):
    J = torch.tensor([[0.0, 1.0], [-1.0, 0.0]], dtype=frequencies.dtype)
    return torch.matrix_exp(torch.kron(torch.diag(shift * frequencies), J))


@right("05.shift_rotation")
def fresh_rotation_strides(shift, frequencies):
    d = 2 * len(frequencies)
    R = frequencies.new_zeros(d, d)
    a = frequencies * shift
    R.diagonal()[:] = a.cos().repeat_interleave(2)
    R[::2, 1::2] = a.sin().diag()
    R[1::2, ::2] = -a.sin().diag()
    return R


@right("05.relative_scores")
def fresh_relative_gather(query, key, table):
    n, d = query.shape[-2:]
    k = (table.shape[0] - 1) // 2
    index = torch.clamp(torch.arange(n)[None, :] - torch.arange(n)[:, None], -k, k) + k
    by_row = query @ table.T
    return (query @ key.mT + by_row.gather(-1, index.expand(*query.shape[:-2], n, n))) / math.sqrt(d)


@right("05.relative_scores")
def fresh_relative_matmul(query, key, table):
    n, d = query.shape[-2:]
    k = len(table) // 2
    place = torch.arange(n)
    r = table[(place - place.unsqueeze(1)).clamp(min=-k, max=k) + k]
    return ((key.unsqueeze(-3) + r) @ query.unsqueeze(-1)).squeeze(-1) / d**0.5


@right("05.relative_scores")
def fresh_relative_rows(query, key, table):
    n, d = query.shape[-2:]
    k = len(table) // 2
    rows = []
    for i in range(n):
        r = table[[max(-k, min(k, j - i)) + k for j in range(n)]]
        rows.append(((key + r) * query[..., i : i + 1, :]).sum(-1) / d**0.5)
    return torch.stack(rows, -2)


@right("05.rotary")
def fresh_rotary_complex(x, base=10_000.0):
    n, d = x.shape[-2:]
    a = torch.arange(n, dtype=x.dtype)[:, None] * base ** (-torch.arange(0, d, 2, dtype=x.dtype) / d)
    z = torch.complex(*x.chunk(2, -1)) * torch.polar(torch.ones_like(a), a)
    return torch.cat([z.real, z.imag], -1)


@right("05.rotary")
def fresh_rotary_pieces(x, base=10_000.0):
    n, d = x.shape[-2:]
    a = torch.arange(n, dtype=x.dtype)[:, None] / base ** (torch.arange(0, d, 2, dtype=x.dtype) / d)
    u, v = x[..., : d // 2], x[..., d // 2 :]
    return torch.cat((u * a.cos() - v * a.sin(), u * a.sin() + v * a.cos()), dim=-1)


@right("05.rotary")
def fresh_rotary_repeat(x, base=10_000.0):
    n, d_k = x.shape[-2:]
    frequencies = base ** (-torch.arange(0, d_k, 2, dtype=x.dtype) / d_k)
    angles = (torch.arange(n, dtype=x.dtype)[:, None] * frequencies).repeat(1, 2)
    first, second = x.tensor_split(2, dim=-1)
    return x * angles.cos() + torch.cat([-second, first], dim=-1) * angles.sin()


@right("05.random_windows")
def fresh_windows_unfold(table, n, u):
    windows = table.unfold(0, n, 1).mT
    return windows[(u * len(windows)).long()]


@right("05.random_windows")
def fresh_windows_list(table, n, u):
    fits = len(table) - n + 1
    return torch.stack([table[int(x * fits) : int(x * fits) + n] for x in u])


@right("05.random_windows")
def fresh_windows_bucketize(table, n, u):
    fits = table.shape[0] - n + 1
    starts = torch.floor(fits * u).to(torch.int64)
    return torch.index_select(table, 0, (starts[:, None] + torch.arange(n)).flatten()).view(len(u), n, -1)
