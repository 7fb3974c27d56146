"""A fourth fresh try at lesson 05, after its mending. Each docstring says what is really wrong."""

import math

import torch

from unlisted_mistakes import wrong


def ang(x, base, half=True):
    n, d = x.shape[-2:]
    return torch.arange(n, dtype=x.dtype)[:, None] * base ** (-torch.arange(0, d, 2, dtype=x.dtype) / d)


@wrong("05.rotary", "Your pairs are neighbours, 2i and 2i + 1. That is")
def fourth_rotary_1(x, base=1e4):
    """Interleaved stacked, neighbours textbook (RoFormer)."""
    a = ang(x, base)
    e, o = x[..., 0::2], x[..., 1::2]
    return torch.stack([e * a.cos() - o * a.sin(), e * a.sin() + o * a.cos()], -1).flatten(-2)


@wrong("05.rotary", "The numbers come out in another order, the two of a pair")
def fourth_rotary_2(x, base=1e4):
    """Halves in, stacked out interleaved."""
    a = ang(x, base)
    e, o = x.chunk(2, -1)
    return torch.stack([e * a.cos() - o * a.sin(), e * a.sin() + o * a.cos()], -1).flatten(-2)


@wrong("05.rotary", "The pairs turn backwards. That is 05.3's matrix, whose")
def fourth_rotary_3(x, base=1e4):
    """Uses shift_rotation R sign: backwards."""
    a = ang(x, base)
    e, o = x.chunk(2, -1)
    return torch.cat([e * a.cos() + o * a.sin(), o * a.cos() - e * a.sin()], -1)


@wrong("05.rotary", "The second half has sine and cosine the wrong way round, a")
def fourth_rotary_4(x, base=1e4):
    """Sin/cos swapped in second half."""
    a = ang(x, base)
    e, o = x.chunk(2, -1)
    return torch.cat([e * a.cos() - o * a.sin(), e * a.cos() + o * a.sin()], -1)


@wrong("05.rotary", "The second half has sine and cosine the wrong way round, a")
def fourth_rotary_5(x, base=1e4):
    """Second half uses a and b exchanged."""
    a = ang(x, base)
    e, o = x.chunk(2, -1)
    return torch.cat([e * a.cos() - o * a.sin(), o * a.sin() + e * a.cos()], -1)


@wrong("05.rotary", "n is taken from the first axis, x.shape[0]. With batch and")
def fourth_rotary_6(x, base=1e4):
    """Positions from x.shape[0] / first axis wrong for batch (n = len(x))."""
    n, d = len(x), x.shape[-1]
    a = torch.arange(n, dtype=x.dtype)[:, None] * base ** (-torch.arange(0, d, 2, dtype=x.dtype) / d)
    e, o = x.chunk(2, -1)
    return torch.cat([e * a.cos() - o * a.sin(), e * a.sin() + o * a.cos()], -1)


@wrong("05.rotary")  # In
def fourth_rotary_7(x, base=1e4):
    """N,d=x.shape unpack fails in batch."""
    n, d = x.shape
    a = torch.arange(n, dtype=x.dtype)[:, None] * base ** (-torch.arange(0, d, 2, dtype=x.dtype) / d)
    e, o = x.chunk(2, -1)
    return torch.cat([e * a.cos() - o * a.sin(), e * a.sin() + o * a.cos()], -1)


@wrong("05.rotary", "The result has lost digits: the input is float64, but your")
def fourth_rotary_8(x, base=1e4):
    """Float32 angles (no dtype)."""
    n, d = x.shape[-2:]
    a = torch.arange(n)[:, None] * base ** (-torch.arange(0, d, 2) / d)
    e, o = x.chunk(2, -1)
    return torch.cat([e * a.cos() - o * a.sin(), e * a.sin() + o * a.cos()], -1)


@wrong("05.rotary", "The second half is turned with a first half that has been")
def fourth_rotary_9(x, base=1e4):
    """Overwrites in place first then second."""
    a = ang(x, base)
    out = x.clone()
    h = x.shape[-1] // 2
    out[..., :h] = out[..., :h] * a.cos() - out[..., h:] * a.sin()
    out[..., h:] = out[..., :h] * a.sin() + out[..., h:] * a.cos()
    return out


@wrong("05.rotary", "The exponent is i/d_k; the 2 is missing. It is 2i/d_k:")
def fourth_rotary_10(x, base=1e4):
    """Frequency i/d (arange(d//2)/d)."""
    n, d = x.shape[-2:]
    a = torch.arange(n, dtype=x.dtype)[:, None] * base ** (-torch.arange(d // 2, dtype=x.dtype) / d)
    e, o = x.chunk(2, -1)
    return torch.cat([e * a.cos() - o * a.sin(), e * a.sin() + o * a.cos()], -1)


@wrong("05.rotary", "The 2 stands twice in the exponent. torch.arange(0, d_k, 2)")
def fourth_rotary_11(x, base=1e4):
    """2i/(d/2): doubled exponent."""
    n, d = x.shape[-2:]
    h = d // 2
    a = torch.arange(n, dtype=x.dtype)[:, None] * base ** (-2 * torch.arange(h, dtype=x.dtype) / h)
    e, o = x.chunk(2, -1)
    return torch.cat([e * a.cos() - o * a.sin(), e * a.sin() + o * a.cos()], -1)


@wrong("05.rotary", "You return a tuple of 2 tensors. Make one of them:")
def fourth_rotary_12(x, base=1e4):
    """Returns the two halves as tuple."""
    a = ang(x, base)
    e, o = x.chunk(2, -1)
    return e * a.cos() - o * a.sin(), e * a.sin() + o * a.cos()


@wrong("05.rotary", "Two things at once.")
def fourth_rotary_13(x, base=1e4):
    """Neighbours and growing freq."""
    n, d = x.shape[-2:]
    a = torch.arange(n, dtype=x.dtype)[:, None] * base ** (torch.arange(0, d, 2, dtype=x.dtype) / d)
    e, o = x[..., 0::2], x[..., 1::2]
    return torch.stack([e * a.cos() - o * a.sin(), e * a.sin() + o * a.cos()], -1).flatten(-2)


@wrong("05.rotary", "Two things at once.")
def fourth_rotary_14(x, base=1e4):
    """Positions from 1 and backwards."""
    n, d = x.shape[-2:]
    a = torch.arange(1, n + 1, dtype=x.dtype)[:, None] * base ** (-torch.arange(0, d, 2, dtype=x.dtype) / d)
    e, o = x.chunk(2, -1)
    return torch.cat([e * a.cos() + o * a.sin(), o * a.cos() - e * a.sin()], -1)


@wrong("05.rotary", "The result has the wrong shape: expected (n 5, d_k 8), got")
def fourth_rotary_15(x, base=1e4):
    """Concatenated along dim=-2."""
    a = ang(x, base)
    e, o = x.chunk(2, -1)
    return torch.cat([e * a.cos() - o * a.sin(), e * a.sin() + o * a.cos()], -2)


@wrong("05.rotary", "The numbers are right, but no gradient flows back through")
def fourth_rotary_16(x, base=1e4):
    """Detaches with torch.no_grad."""
    with torch.no_grad():
        a = ang(x, base)
        e, o = x.chunk(2, -1)
        return torch.cat([e * a.cos() - o * a.sin(), e * a.sin() + o * a.cos()], -1)


@wrong("05.rotary", "You take the even and the odd numbers for pairs, 2i and 2i")
def fourth_rotary_17(x, base=1e4):
    """Neighbours written back half by half."""
    a = ang(x, base)
    e, o = x[..., 0::2], x[..., 1::2]
    return torch.cat([e * a.cos() - o * a.sin(), e * a.sin() + o * a.cos()], -1)


@wrong("05.rotary", "You subtract where a sum is meant. The lengths of the")
def fourth_rotary_18(x, base=1e4):
    """Both minus: e cos - o sin, e sin - o cos (reflection)."""
    a = ang(x, base)
    e, o = x.chunk(2, -1)
    return torch.cat([e * a.cos() - o * a.sin(), e * a.sin() - o * a.cos()], -1)


@wrong("05.rotary", "There is no minus: without it a pair is stretched, not")
def fourth_rotary_19(x, base=1e4):
    """E cos + o sin, e sin + o cos."""
    a = ang(x, base)
    e, o = x.chunk(2, -1)
    return torch.cat([e * a.cos() + o * a.sin(), e * a.sin() + o * a.cos()], -1)


@wrong("05.rotary")  # In
def fourth_rotary_20(x, base=1e4):
    """Angles transposed (d/2, n)."""
    a = ang(x, base).T
    e, o = x.chunk(2, -1)
    return torch.cat([e * a.cos() - o * a.sin(), e * a.sin() + o * a.cos()], -1)


@wrong("05.rotary", "The angles are (n, d_k/2), but they meet numbers of another")
def fourth_rotary_21(x, base=1e4):
    """Halves split by position: first n/2 words."""
    a = ang(x, base)
    h = x.shape[-1] // 2
    e, o = x[:h], x[h:]
    return torch.cat([e * a.cos() - o * a.sin(), e * a.sin() + o * a.cos()], -1)


@wrong("05.rotary", "Sines and cosines are added to x, alternating: that is")
def fourth_rotary_22(x, base=1e4):
    """Adds PE from 05.1 (sinusoids) to x."""
    a = ang(x, base)
    return x + torch.stack([a.sin(), a.cos()], -1).flatten(-2)


@wrong("05.rotary", "Each pair is turned, but not by its own angle: at position")
def fourth_rotary_23(x, base=1e4):
    """Base**(2i/d) divided forgotten, all the same freq 1/base."""
    n, d = x.shape[-2:]
    a = torch.arange(n, dtype=x.dtype)[:, None] / base * torch.arange(0, d, 2, dtype=x.dtype) / d
    e, o = x.chunk(2, -1)
    return torch.cat([e * a.cos() - o * a.sin(), e * a.sin() + o * a.cos()], -1)


@wrong("05.rotary", "Each pair is turned, but not by its own angle: at position")
def fourth_rotary_24(x, base=1e4):
    """Only last words position used (n-1) for all."""
    a = ang(x, base)[-1:]
    e, o = x.chunk(2, -1)
    return torch.cat([e * a.cos() - o * a.sin(), e * a.sin() + o * a.cos()], -1)


@wrong("05.rotary", "All pairs turn by the same frequency. Pair i has base **")
def fourth_rotary_25(x, base=1e4):
    """Every pair same angle = position."""
    n, d = x.shape[-2:]
    a = torch.arange(n, dtype=x.dtype)[:, None].expand(n, d // 2)
    e, o = x.chunk(2, -1)
    return torch.cat([e * a.cos() - o * a.sin(), e * a.sin() + o * a.cos()], -1)


@wrong("05.rotary", "Each pair is turned, but not by its own angle: at position")
def fourth_rotary_26(x, base=1e4):
    """Position squared or 3x."""
    a = 3 * ang(x, base)
    e, o = x.chunk(2, -1)
    return torch.cat([e * a.cos() - o * a.sin(), e * a.sin() + o * a.cos()], -1)


def om(p, d, base):
    return base ** (-torch.arange(0, d, 2, dtype=p.dtype) / d)


@wrong("05.sinusoidal", "Sine and cosine have changed places: the sine belongs at 0,")
def fourth_sinusoidal_1(positions, d_model, base=1e4):
    """Rows by cat of per-pos, sines at odd."""
    a = positions[:, None] * om(positions, d_model, base)
    t = torch.zeros(len(positions), d_model, dtype=positions.dtype)
    t[:, 1::2] = a.sin()
    t[:, 0::2] = a.cos()
    return t


@wrong("05.sinusoidal", "`**` comes before `/`: base ** (-2 * i) / d_model divides")
def fourth_sinusoidal_2(positions, d_model, base=1e4):
    """/ base ** 2i/d without brackets: base**(2i)/d."""
    i = torch.arange(0, d_model, 2, dtype=positions.dtype)
    a = positions[:, None] / base**i / d_model
    return torch.stack([a.sin(), a.cos()], -1).flatten(-2)


@wrong("05.sinusoidal", "The result has the wrong shape: expected (n 6, d_model 8),")
def fourth_sinusoidal_3(positions, d_model, base=1e4):
    """Torch.cat dim=0."""
    a = positions[:, None] * om(positions, d_model, base)
    return torch.cat([a.sin(), a.cos()], 0)


@wrong("05.sinusoidal", "All the sines stand first, then all the cosines. Here they")
def fourth_sinusoidal_4(positions, d_model, base=1e4):
    """Interleave wrong: stack dim=1 then reshape."""
    a = positions[:, None] * om(positions, d_model, base)
    return torch.stack([a.sin(), a.cos()], 1).reshape(len(positions), d_model)


@wrong("05.sinusoidal", "The result has lost digits: the input is float64, but your")
def fourth_sinusoidal_5(positions, d_model, base=1e4):
    """Float32 freq default dtype."""
    a = positions[:, None] * base ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.stack([a.sin(), a.cos()], -1).flatten(-2)


@wrong("05.sinusoidal", "Every column has a frequency of its own. Sine and cosine of")
def fourth_sinusoidal_6(positions, d_model, base=1e4):
    """Angles of d_model columns; sin even cos odd by own i (column/d)."""
    a = positions[:, None] * base ** (-torch.arange(d_model, dtype=positions.dtype) / d_model)
    t = a.clone()
    t[:, 0::2] = a[:, 0::2].sin()
    t[:, 1::2] = a[:, 1::2].cos()
    return t


@wrong("05.sinusoidal", "Two things at once.")
def fourth_sinusoidal_7(positions, d_model, base=1e4):
    """Torch.arange(n) instead of positions & halves."""
    a = torch.arange(len(positions), dtype=positions.dtype)[:, None] * om(positions, d_model, base)
    return torch.cat([a.sin(), a.cos()], -1)


@wrong("05.sinusoidal", "Two things at once.")
def fourth_sinusoidal_8(positions, d_model, base=1e4):
    """Freq growing & concatenated."""
    a = positions[:, None] / om(positions, d_model, base)
    return torch.cat([a.sin(), a.cos()], -1)


@wrong("05.sinusoidal", "number meets number here")
def fourth_sinusoidal_9(positions, d_model, base=1e4):
    """Forgot [:,None], elementwise fails."""
    a = positions * om(positions, d_model, base)
    return torch.stack([a.sin(), a.cos()], -1).flatten(-2)


@wrong("05.sinusoidal", "The base is always 10 000. Use the argument")
def fourth_sinusoidal_10(positions, d_model, base=1e4):
    """Base-10 log in exp."""
    a = positions[:, None] * torch.exp(-torch.arange(0, d_model, 2, dtype=positions.dtype) * math.log(10000) / d_model)
    return torch.stack([a.sin(), a.cos()], -1).flatten(-2)


@wrong("05.sinusoidal", "The 2 stands twice in your exponent. torch.arange(0,")
def fourth_sinusoidal_11(positions, d_model, base=1e4):
    """Exponent i/(d/2) with i even: doubled."""
    i = torch.arange(0, d_model, 2, dtype=positions.dtype)
    a = positions[:, None] / base ** (i / (d_model // 2))
    return torch.stack([a.sin(), a.cos()], -1).flatten(-2)


@wrong("05.sinusoidal", "Some columns are empty, 0 in every row. Does your loop")
def fourth_sinusoidal_12(positions, d_model, base=1e4):
    """Range(d_model//2 - 1)."""
    t = torch.zeros(len(positions), d_model, dtype=positions.dtype)
    for i in range(d_model // 2 - 1):
        a = positions / base ** (2 * i / d_model)
        t[:, 2 * i] = a.sin()
        t[:, 2 * i + 1] = a.cos()
    return t


@wrong("05.sinusoidal", "You write pair i into columns i and i + 1, so each pair")
def fourth_sinusoidal_13(positions, d_model, base=1e4):
    """Writes cos with 2i instead of 2i+1 loop."""
    t = torch.zeros(len(positions), d_model, dtype=positions.dtype)
    for i in range(d_model // 2):
        a = positions / base ** (2 * i / d_model)
        t[:, i] = a.sin()
        t[:, i + 1] = a.cos()
    return t


@wrong("05.sinusoidal", "You put the column's number in for i: the exponent is 2 ·")
def fourth_sinusoidal_14(positions, d_model, base=1e4):
    """Loop over range(d_model) with i column, sin if even else cos, exponent 2i/d."""
    t = torch.zeros(len(positions), d_model, dtype=positions.dtype)
    for i in range(d_model):
        a = positions / base ** (2 * i / d_model)
        t[:, i] = a.sin() if i % 2 == 0 else a.cos()
    return t


def bl(a, m):
    return torch.block_diag(*[torch.stack([torch.stack(list(r)) for r in m(x.cos(), x.sin())]) for x in a])


@wrong("05.shift_rotation", "It turns the wrong way: R @ PE(p) is PE(p − shift). The")
def fourth_rotation_1(shift, frequencies):
    """Textbook rotation."""
    return bl(shift * frequencies, lambda c, s: ((c, -s), (s, c)))


@wrong("05.shift_rotation", "Two things at once.")
def fourth_rotation_2(shift, frequencies):
    """Textbook & halves layout."""
    a = shift * frequencies
    C, S_ = a.cos().diag(), a.sin().diag()
    return torch.cat([torch.cat([C, -S_], 1), torch.cat([S_, C], 1)])


@wrong("05.shift_rotation", "Rows are empty. Each pair fills two: row 2i with cos and")
def fourth_rotation_3(shift, frequencies):
    """Blocks at i,i+1 by +=."""
    d = 2 * len(frequencies)
    M = torch.zeros(d, d, dtype=frequencies.dtype)
    for i, f in enumerate(frequencies):
        a = shift * f
        M[i, i] += a.cos()
        M[i, i + 1] += a.sin()
        M[i + 1, i] -= a.sin()
        M[i + 1, i + 1] += a.cos()
    return M


@wrong("05.shift_rotation", "The two rows of a block turn by different angles. A pair")
def fourth_rotation_4(shift, frequencies):
    """Torch.stack blocks and reshape(d,d)."""
    a = shift * frequencies
    d = 2 * len(frequencies)
    return torch.stack([torch.stack([x.cos(), x.sin(), -x.sin(), x.cos()]) for x in a]).repeat(1, len(a)).reshape(d, d)


@wrong("05.shift_rotation", "The result has the wrong dtype: expected float64, got")
def fourth_rotation_5(shift, frequencies):
    """Float32 zeros."""
    d = 2 * len(frequencies)
    M = torch.zeros(d, d)
    for i, f in enumerate(frequencies):
        a = shift * f
        M[2 * i, 2 * i] = a.cos()
        M[2 * i, 2 * i + 1] = a.sin()
        M[2 * i + 1, 2 * i] = -a.sin()
        M[2 * i + 1, 2 * i + 1] = a.cos()
    return M


@wrong("05.shift_rotation", "Two things at once.")
def fourth_rotation_6(shift, frequencies):
    """Forgot shift and textbook."""
    return bl(frequencies, lambda c, s: ((c, -s), (s, c)))


@wrong("05.shift_rotation", "Your matrix has a row for each pair. There are")
def fourth_rotation_7(shift, frequencies):
    """(d/2,d/2) diag only of pairs."""
    return (shift * frequencies).cos().diag()


@wrong("05.shift_rotation", "The result has the wrong shape: expected (row 4, column 4),")
def fourth_rotation_8(shift, frequencies):
    """D_model = len(frequencies)."""
    d = len(frequencies)
    M = torch.zeros(d, d, dtype=frequencies.dtype)
    for i in range(d // 2):
        a = shift * frequencies[i]
        M[2 * i, 2 * i] = a.cos()
        M[2 * i, 2 * i + 1] = a.sin()
        M[2 * i + 1, 2 * i] = -a.sin()
        M[2 * i + 1, 2 * i + 1] = a.cos()
    return M


@wrong("05.shift_rotation", "there is no place 2 on axis 0")
def fourth_rotation_9(shift, frequencies):
    """Range(0,d,2) with frequencies[i] -> index error."""
    d = 2 * len(frequencies)
    M = torch.zeros(d, d, dtype=frequencies.dtype)
    for i in range(0, d, 2):
        a = shift * frequencies[i]
        M[i, i] = a.cos()
        M[i, i + 1] = a.sin()
        M[i + 1, i] = -a.sin()
        M[i + 1, i + 1] = a.cos()
    return M


@wrong("05.shift_rotation", "Two things at once.")
def fourth_rotation_10(shift, frequencies):
    """Transposed: sin on lower, -sin upper with zeros_like."""
    return bl(shift * frequencies, lambda c, s: ((s, c), (c, -s)))


@wrong("05.shift_rotation", "The shift is rounded to whole steps. Half a step is a")
def fourth_rotation_11(shift, frequencies):
    """Math.cos of tensor ints rounding shift int."""
    return bl(int(shift) * frequencies, lambda c, s: ((c, s), (-s, c)))


@wrong("05.shift_rotation", "Your blocks don't only turn: rows should have length 1,")
def fourth_rotation_12(shift, frequencies):
    """Cos(shift)*freq."""
    return torch.block_diag(
        *[
            torch.tensor(
                [[math.cos(shift) * f, math.sin(shift) * f], [-math.sin(shift) * f, math.cos(shift) * f]],
                dtype=frequencies.dtype,
            )
            for f in frequencies.tolist()
        ]
    )


def parts(q, k, t):
    n = q.shape[-2]
    c = len(t) // 2
    d = torch.arange(n)[None] - torch.arange(n)[:, None]
    return n, c, d


@wrong("05.relative_scores", "r meets the key. It should meet the query: q_i · (k_j + r)")
def fourth_relative_1(query, key, table):
    """R added to query."""
    n, c, d = parts(query, key, table)
    r = table[d.clamp(-c, c) + c]
    return torch.einsum("...ijd,...jd->...ij", query.unsqueeze(-2) + r, key) / query.shape[-1] ** 0.5


@wrong("05.relative_scores", "Two things at once.")
def fourth_relative_2(query, key, table):
    """Q@key.T + table rows @ key, no sqrt."""
    n, c, d = parts(query, key, table)
    r = table[d.clamp(-c, c) + c]
    return query @ key.mT + torch.einsum("...jd,ijd->...ij", key, r)


@wrong("05.relative_scores", "Two things at once.")
def fourth_relative_3(query, key, table):
    """Query - key and not scaled."""
    n, c, d = parts(query, key, table)
    r = table[(-d).clamp(-c, c) + c]
    return query @ key.mT + torch.einsum("...id,ijd->...ij", query, r)


@wrong("05.relative_scores", "You take the table's length for k. It has 2k + 1 rows, for")
def fourth_relative_4(query, key, table):
    """K=len(table) , clamp and index error."""
    n, c, d = parts(query, key, table)
    k = len(table)
    r = table[d.clamp(-k, k) + k]
    return (query @ key.mT + torch.einsum("...id,ijd->...ij", query, r)) / query.shape[-1] ** 0.5


@wrong("05.relative_scores", "Left and right get the same vector: you lost the sign of")
def fourth_relative_5(query, key, table):
    """Abs distance."""
    n, c, d = parts(query, key, table)
    r = table[d.abs().clamp(max=c) + c]
    return (query @ key.mT + torch.einsum("...id,ijd->...ij", query, r)) / query.shape[-1] ** 0.5


@wrong("05.relative_scores", "These are weights already. The exercise asks for the")
def fourth_relative_6(query, key, table):
    """Softmax applied."""
    n, c, d = parts(query, key, table)
    r = table[d.clamp(-c, c) + c]
    return ((query @ key.mT + torch.einsum("...id,ijd->...ij", query, r)) / query.shape[-1] ** 0.5).softmax(-1)


@wrong("05.relative_scores", "You divide by √n, the number of words. Divide by √d_k, the")
def fourth_relative_7(query, key, table):
    """Divides by sqrt(n)."""
    n, c, d = parts(query, key, table)
    r = table[d.clamp(-c, c) + c]
    return (query @ key.mT + torch.einsum("...id,ijd->...ij", query, r)) / n**0.5


@wrong("05.relative_scores", "r is added as numbers of its own, without the query. It is")
def fourth_relative_8(query, key, table):
    """Sums r with r.sum(-1) mean."""
    n, c, d = parts(query, key, table)
    r = table[d.clamp(-c, c) + c]
    return (query @ key.mT + r.sum(-1)) / query.shape[-1] ** 0.5


@wrong("05.relative_scores", "You clip before k is added, at 0 and 2k: every key to the")
def fourth_relative_9(query, key, table):
    """Rows clamp(0,2k) without +k."""
    n, c, d = parts(query, key, table)
    r = table[d.clamp(0, 2 * c)]
    return (query @ key.mT + torch.einsum("...id,ijd->...ij", query, r)) / query.shape[-1] ** 0.5


@wrong("05.relative_scores", "Left and right have changed places: the distance is j − i,")
def fourth_relative_10(query, key, table):
    """Einsum id,jid (transposed r)."""
    n, c, d = parts(query, key, table)
    r = table[d.clamp(-c, c) + c]
    return (query @ key.mT + torch.einsum("...id,jid->...ij", query, r)) / query.shape[-1] ** 0.5


@wrong("05.relative_scores", "2 names stand on the left, but more values come: of a shape")
def fourth_relative_11(query, key, table):
    """Loop in place for 2d only."""
    n, dk = query.shape
    k = len(table) // 2
    s = torch.zeros(n, n)
    for i in range(n):
        for j in range(n):
            s[i, j] = query[i] @ (key[j] + table[max(-k, min(k, j - i)) + k]) / dk**0.5
    return s


@wrong("05.relative_scores", "Every key to the right counts as “here”: you clip at −k and")
def fourth_relative_12(query, key, table):
    """Causal clamp(-k,0)."""
    n, c, d = parts(query, key, table)
    r = table[d.clamp(-c, 0) + c]
    return (query @ key.mT + torch.einsum("...id,ijd->...ij", query, r)) / query.shape[-1] ** 0.5


@wrong("05.relative_scores", "Two things at once.")
def fourth_relative_13(query, key, table):
    """Scale only content, wrong sign."""
    n, c, d = parts(query, key, table)
    r = table[(-d).clamp(-c, c) + c]
    return query @ key.mT / query.shape[-1] ** 0.5 + torch.einsum("...id,ijd->...ij", query, r)


@wrong("05.random_windows", "Called twice with the same input, your code gives two")
def fourth_windows_1(table, n, u):
    """Torch.randint ignoring u."""
    s = torch.randint(0, len(table) - n + 1, (len(u),))
    return table[s[:, None] + torch.arange(n)]


@wrong("05.random_windows", "The last possible start is never drawn: a window of n rows")
def fourth_windows_2(table, n, u):
    """Max_len - n."""
    return table[(u * (len(table) - n)).long()[:, None] + torch.arange(n)]


@wrong("05.random_windows", "an index is made of whole numbers")
def fourth_windows_3(table, n, u):
    """No long: float index."""
    return table[(u * (len(table) - n + 1))[:, None] + torch.arange(n)]


@wrong("05.random_windows", "a single Python number is wanted")
def fourth_windows_4(table, n, u):
    """Int(u) on batch."""
    s = int(u * (len(table) - n + 1))
    return table[s : s + n]


@wrong("05.random_windows", "Every text begins at position 0. Use u to choose the start,")
def fourth_windows_5(table, n, u):
    """U.long()*(...)."""
    return table[(u.long() * (len(table) - n + 1))[:, None] + torch.arange(n)]


@wrong("05.random_windows", "Make one of them: torch.stack")
def fourth_windows_6(table, n, u):
    """A list of windows, not stacked."""
    return [table[int(x * (len(table) - n + 1)) :][:n] for x in u]


@wrong("05.random_windows", "The axes have changed places: (n, batch, d_model). The")
def fourth_windows_7(table, n, u):
    """Broadcast wrong: starts + arange(n)[:,None]."""
    return table[(u * (len(table) - n + 1)).long() + torch.arange(n)[:, None]]


@wrong("05.random_windows", "number meets number here")
def fourth_windows_8(table, n, u):
    """Starts + arange(n) without None."""
    return table[(u * (len(table) - n + 1)).long() + torch.arange(n)]


@wrong("05.random_windows", "You round u · (max_len − n + 1) to the nearest number, and")
def fourth_windows_9(table, n, u):
    """Round instead of floor on n+1."""
    return table[(u * (len(table) - n + 1)).round().long().clamp(max=len(table) - n)[:, None] + torch.arange(n)]


@wrong("05.random_windows", "Some windows begin too late, none too early. [0, 1) is")
def fourth_windows_10(table, n, u):
    """Len(u) for n."""
    return table[
        (u * (len(table) - len(u) + 1)).long().clamp(min=0)[:, None] + torch.arange(n).clamp(max=len(table) - 1)
    ]


@wrong("05.random_windows", "There are rows in your windows that the table doesn't have.")
def fourth_windows_11(table, n, u):
    """Adds u noise."""
    return table[:n][None] + u[:, None, None]


@wrong("05.random_windows", "Every text begins at position 0. Use u to choose the start,")
def fourth_windows_12(table, n, u):
    """First n rows for all."""
    return table[:n].expand(len(u), -1, -1)
