"""Unlisted wrong answers to lesson 05, Positions."""

import math

import torch

from unlisted_mistakes import wrong

# --- 05.sinusoidal ----------------------------------------------------------------------------------------------------

K = "05.sinusoidal"


def angles_of(positions, d_model, base, power=lambda i, d: -2 * i / d):
    i = torch.arange(d_model // 2, dtype=positions.dtype)
    return positions[:, None] * base ** power(i, d_model)


def alternate(a, b):
    return torch.stack([a, b], -1).flatten(-2)


@wrong(K)
def sinusoidal_ignores_the_positions_of_later_rows(positions, d_model, base):
    a = angles_of(positions[:1].expand_as(positions), d_model, base)
    return alternate(a.sin(), a.cos())


@wrong(K)
def sinusoidal_whole_positions(positions, d_model, base):
    a = angles_of(positions.round(), d_model, base)
    return alternate(a.sin(), a.cos())


@wrong(K)
def sinusoidal_absolute_positions(positions, d_model, base):
    a = angles_of(positions.abs(), d_model, base)
    return alternate(a.sin(), a.cos())


@wrong(K)
def sinusoidal_positions_from_one(positions, d_model, base):
    a = angles_of(positions + 1, d_model, base)
    return alternate(a.sin(), a.cos())


@wrong(K)
def sinusoidal_scaled(positions, d_model, base):
    a = angles_of(positions, d_model, base)
    return alternate(a.sin(), a.cos()) * d_model**0.5


@wrong(K)
def sinusoidal_normalised(positions, d_model, base):
    a = angles_of(positions / len(positions), d_model, base)
    return alternate(a.sin(), a.cos())


@wrong(K)
def sinusoidal_minus_sine(positions, d_model, base):
    a = angles_of(positions, d_model, base)
    return alternate(-a.sin(), a.cos())


@wrong(K)
def sinusoidal_pairs_of_sines_then_cosines(positions, d_model, base):
    a = angles_of(positions, d_model, base)
    out = torch.stack([a.sin(), a.cos()], -2)
    return out.flatten(-2)


@wrong(K)
def sinusoidal_linear_frequencies(positions, d_model, base):
    a = angles_of(positions, d_model, base, lambda i, d: -torch.ones_like(i)) * torch.arange(
        d_model // 2, dtype=positions.dtype
    )
    return alternate(a.sin(), a.cos())


@wrong(K)
def sinusoidal_base_times_exponent(positions, d_model, base):
    i = torch.arange(d_model // 2, dtype=positions.dtype)
    a = positions[:, None] / (base * 2 * i / d_model + 1)
    return alternate(a.sin(), a.cos())


@wrong(K)
def sinusoidal_e_instead_of_base(positions, d_model, base):
    i = torch.arange(d_model // 2, dtype=positions.dtype)
    a = positions[:, None] * torch.exp(-2 * i / d_model)
    return alternate(a.sin(), a.cos())


@wrong(K)
def sinusoidal_log10(positions, d_model, base):
    i = torch.arange(d_model // 2, dtype=positions.dtype)
    a = positions[:, None] * torch.exp(-2 * i / d_model * math.log10(base))
    return alternate(a.sin(), a.cos())


@wrong(K)
def sinusoidal_floor_division(positions, d_model, base):
    a = positions[:, None] * base ** (-(torch.arange(0, d_model, 2, dtype=positions.dtype) // d_model))
    return alternate(a.sin(), a.cos())


@wrong(K, "shape")
def sinusoidal_only_sines_half_as_wide(positions, d_model, base):
    return angles_of(positions, d_model, base).sin()


@wrong(K, "Flatten the last two axes")
def sinusoidal_pairs_apart(positions, d_model, base):
    a = angles_of(positions, d_model, base)
    return torch.stack([a.sin(), a.cos()], -1)


@wrong(K, "float32")
def sinusoidal_in_float32(positions, d_model, base):
    a = angles_of(positions.float(), d_model, base)
    return alternate(a.sin(), a.cos())


@wrong(K, "lost digits")
def sinusoidal_frequencies_through_float32(positions, d_model, base):
    a = positions[:, None] * torch.tensor([0.9999999 * base ** (-2 * i / d_model) for i in range(d_model // 2)])
    return alternate(a.sin(), a.cos())


@wrong(K, "lost digits")
def sinusoidal_with_default_dtype_exponents(positions, d_model, base):
    """The exercise asks for the positions' dtype."""
    a = positions[:, None] / base ** (torch.arange(0, d_model, 2) / d_model)
    return alternate(a.sin(), a.cos())


@wrong(K, "positions and two")
def sinusoidal_added(positions, d_model, base):
    raise ValueError("positions and two columns don't add")


@wrong(K)
def sinusoidal_up_to_ten_only(positions, d_model, base):
    a = angles_of(positions % 10, d_model, base)
    return alternate(a.sin(), a.cos())


@wrong(K)
def sinusoidal_d_model_of_eight(positions, d_model, base):
    a = positions[:, None] * base ** (-torch.arange(0, d_model, 2, dtype=positions.dtype) / 8)
    return alternate(a.sin(), a.cos())


# --- 05.shift_rotation ------------------------------------------------------------------------------------------------

K = "05.shift_rotation"


def matrix_of(angles, block):
    return torch.block_diag(*(torch.tensor(block(float(a)), dtype=angles.dtype) for a in angles))


def turning(a):
    return [[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]]


@wrong(K)
def shift_identity(shift, frequencies):
    return torch.eye(2 * len(frequencies), dtype=frequencies.dtype)


@wrong(K)
def shift_half_angle(shift, frequencies):
    return matrix_of(shift * frequencies / 2, turning)


@wrong(K)
def shift_one_too_many(shift, frequencies):
    return matrix_of((shift + 1) * frequencies, turning)


@wrong(K)
def shift_sum_of_angles(shift, frequencies):
    return matrix_of(shift + frequencies, turning)


@wrong(K)
def shift_power_of_frequency(shift, frequencies):
    return matrix_of(frequencies**shift, turning)


@wrong(K)
def shift_reflection(shift, frequencies):
    return matrix_of(shift * frequencies, lambda a: [[-math.cos(a), math.sin(a)], [math.sin(a), math.cos(a)]])


@wrong(K)
def shift_swapped_rows(shift, frequencies):
    return matrix_of(shift * frequencies, lambda a: turning(a)[::-1])


@wrong(K)
def shift_cosines_twice(shift, frequencies):
    return matrix_of(shift * frequencies, lambda a: [[math.cos(a), math.cos(a)], [-math.cos(a), math.cos(a)]])


@wrong(K)
def shift_small_angle(shift, frequencies):
    return matrix_of(shift * frequencies, lambda a: [[1 - a * a / 2, a], [-a, 1 - a * a / 2]])


@wrong(K)
def shift_for_two_pairs(shift, frequencies):
    return matrix_of((shift * frequencies)[:2], turning)


@wrong(K)
def shift_mean_frequency(shift, frequencies):
    return matrix_of(shift * frequencies.mean().expand_as(frequencies), turning)


@wrong(K, "shape")
def shift_a_row_for_each_pair(shift, frequencies):
    a = shift * frequencies
    return torch.stack([a.cos(), a.sin(), -a.sin(), a.cos()], -1)


@wrong(K, "dtype")
def shift_in_float32(shift, frequencies):
    return matrix_of((shift * frequencies).float(), turning)


@wrong(K, "shape")
def shift_angles_only(shift, frequencies):
    return shift * frequencies


@wrong(K, "Shift")
def shift_named_elsewhere(shift, frequencies):
    raise NameError("Shift is not defined")


@wrong(K)
def shift_negative_frequencies_lost(shift, frequencies):
    return matrix_of((shift * frequencies).abs(), turning)


@wrong(K)
def shift_overlapping_blocks(shift, frequencies):
    out = torch.zeros(2 * len(frequencies), 2 * len(frequencies), dtype=frequencies.dtype)
    for i, a in enumerate((shift * frequencies).tolist()):
        out[i : i + 2, i : i + 2] += torch.tensor(turning(a), dtype=frequencies.dtype)
    return out


@wrong(K)
def shift_sines_at_the_far_end(shift, frequencies):
    a = (shift * frequencies).repeat_interleave(2)
    return torch.diag(a.cos()) + torch.diag(a.sin()).flip(-1)


# --- 05.relative_scores -----------------------------------------------------------------------------------------------

K = "05.relative_scores"


def rows_of(n, k):
    return (torch.arange(n)[None, :] - torch.arange(n)[:, None]).clamp(-k, k) + k


def with_r(query, key, r, scale=None):
    return (query @ key.mT + torch.einsum("...id,ijd->...ij", query, r)) / (
        query.shape[-1] ** 0.5 if scale is None else scale
    )


@wrong(K)
def relative_half_the_table(query, key, table):
    n, k = query.shape[-2], len(table) // 4
    return with_r(query, key, table[rows_of(n, k)])


@wrong(K)
def relative_table_reversed_and_turned(query, key, table):
    n, k = query.shape[-2], len(table) // 2
    return with_r(key, query, table[rows_of(n, k)])


@wrong(K)
def relative_r_twice(query, key, table):
    return with_r(query, key, 2 * table[rows_of(query.shape[-2], len(table) // 2)])


@wrong(K)
def relative_added_to_the_query(query, key, table):
    r = table[rows_of(query.shape[-2], len(table) // 2)]
    return torch.einsum("...ijd,...jd->...ij", query.unsqueeze(-2) + r, key) / query.shape[-1] ** 0.5


@wrong(K)
def relative_added_to_both(query, key, table):
    r = table[rows_of(query.shape[-2], len(table) // 2)]
    return torch.einsum("...ijd,...ijd->...ij", query.unsqueeze(-2) + r, key.unsqueeze(-3) + r) / query.shape[-1] ** 0.5


@wrong(K)
def relative_absolute_rows(query, key, table):
    n, k = query.shape[-2], len(table) // 2
    r = table[torch.arange(n).clamp(max=2 * k)].expand(n, n, -1)
    return with_r(query, key, r)


@wrong(K)
def relative_squared_distance(query, key, table):
    n, k = query.shape[-2], len(table) // 2
    d = torch.arange(n)[None, :] - torch.arange(n)[:, None]
    return with_r(query, key, table[(d * d.abs()).clamp(-k, k) + k])


@wrong(K)
def relative_clipped_at_table_length(query, key, table):
    n = query.shape[-2]
    d = torch.arange(n)[None, :] - torch.arange(n)[:, None]
    return with_r(query, key, table[(d + len(table) // 2).clamp(0, len(table) - 2)])


@wrong(K)
def relative_scaled_by_heads_width(query, key, table):
    return with_r(query, key, table[rows_of(query.shape[-2], len(table) // 2)], (query.shape[-1] * 2) ** 0.5)


@wrong(K)
def relative_scaled_by_n(query, key, table):
    return with_r(query, key, table[rows_of(query.shape[-2], len(table) // 2)], query.shape[-2] ** 0.5)


@wrong(K)
def relative_causal(query, key, table):
    out = with_r(query, key, table[rows_of(query.shape[-2], len(table) // 2)])
    return out.tril()


@wrong(K)
def relative_subtracted(query, key, table):
    return with_r(query, key, -table[rows_of(query.shape[-2], len(table) // 2)])


@wrong(K)
def relative_k_of_two(query, key, table):
    return with_r(
        query, key, table[rows_of(query.shape[-2], min(2, len(table) // 2)) - min(2, len(table) // 2) + len(table) // 2]
    )


@wrong(K)
def relative_only_the_first_sentence(query, key, table):
    r = table[rows_of(query.shape[-2], len(table) // 2)]
    first = query.reshape(-1, *query.shape[-2:])[0]
    return (query @ key.mT + torch.einsum("id,ijd->ij", first, r)) / query.shape[-1] ** 0.5


@wrong(K, "shape")
def relative_before_the_product(query, key, table):
    return key.unsqueeze(-3) + table[rows_of(query.shape[-2], len(table) // 2)]


@wrong(K)
def relative_detached(query, key, table):
    return with_r(query, key, table[rows_of(query.shape[-2], len(table) // 2)].detach())


@wrong(K, "dtype")
def relative_in_float32(query, key, table):
    return with_r(query.float(), key.float(), table.float()[rows_of(query.shape[-2], len(table) // 2)])


@wrong(K)
def relative_normalised_queries(query, key, table):
    return with_r(query / query.norm(dim=-1, keepdim=True), key, table[rows_of(query.shape[-2], len(table) // 2)])


# --- 05.rotary --------------------------------------------------------------------------------------------------------

K = "05.rotary"


def turn(x, base, angles=lambda a: torch.cat([a, a], -1), turned=None, power=lambda i, d: -2 * i / d, places=None):
    n, d_k = x.shape[-2:]
    places = torch.arange(n, dtype=x.dtype) if places is None else places(n).to(x.dtype)
    a = angles(places[:, None] * base ** power(torch.arange(d_k // 2, dtype=x.dtype), d_k))
    first, second = x.chunk(2, -1)
    return x * a.cos() + (torch.cat([-second, first], -1) if turned is None else turned(first, second)) * a.sin()


@wrong(K)
def rotary_halved_exponent(x, base):
    return turn(x, base, power=lambda i, d: -i / d)


@wrong(K)
def rotary_growing(x, base):
    return turn(x, base, power=lambda i, d: 2 * i / d)


@wrong(K)
def rotary_positions_reversed(x, base):
    return turn(x, base, places=lambda n: torch.arange(n).flip(0))


@wrong(K)
def rotary_negative_positions(x, base):
    return turn(x, base, places=lambda n: -torch.arange(n) - 1)


@wrong(K)
def rotary_fractions(x, base):
    return turn(x, base, places=lambda n: torch.linspace(0, 1, n))


@wrong(K)
def rotary_minus_on_both(x, base):
    return turn(x, base, turned=lambda a, b: torch.cat([-b, -a], -1))


@wrong(K)
def rotary_no_second_half(x, base):
    return turn(x, base, turned=lambda a, b: torch.cat([-b, torch.zeros_like(a)], -1))


@wrong(K)
def rotary_zero_angles(x, base):
    return turn(x, base, angles=lambda a: torch.cat([a, torch.zeros_like(a)], -1))


@wrong(K)
def rotary_doubled_angles(x, base):
    return turn(x, base, angles=lambda a: torch.cat([2 * a, 2 * a], -1))


@wrong(K)
def rotary_all_pairs_alike(x, base):
    return turn(x, base, power=lambda i, d: 0 * i)


@wrong(K)
def rotary_cosine_only(x, base):
    return turn(x, base, turned=lambda a, b: torch.zeros_like(torch.cat([a, b], -1)))


@wrong(K)
def rotary_negative_second_angles(x, base):
    return turn(x, base, angles=lambda a: torch.cat([a, -a], -1))


@wrong(K)
def rotary_angles_flipped(x, base):
    return turn(x, base, angles=lambda a: torch.cat([a, a], -1).flip(-1))


@wrong(K)
def rotary_normalised(x, base):
    out = turn(x, base)
    return out / out.norm(dim=-1, keepdim=True)


@wrong(K)
def rotary_sinusoids_added(x, base):
    n, d_k = x.shape[-2:]
    a = torch.arange(n, dtype=x.dtype)[:, None] * base ** (-torch.arange(0, d_k, 2, dtype=x.dtype) / d_k)
    return x + torch.cat([a.sin(), a.cos()], -1)


@wrong(K, "shape")
def rotary_first_half_only(x, base):
    return turn(x, base).chunk(2, -1)[0]


@wrong(K, "dtype")
def rotary_in_float32(x, base):
    return turn(x.float(), base)


@wrong(K)
def rotary_over_the_wrong_axis(x, base):
    return turn(x.flip(-2), base).flip(-2)


@wrong(K)
def rotary_first_of_the_batch(x, base):
    return turn(x.reshape(-1, *x.shape[-2:])[:1].expand(x.shape), base)


@wrong(K)
def rotary_neighbours_with_halves_minus(x, base):
    return turn(x, base, turned=lambda a, b: torch.cat([a, b], -1).unflatten(-1, (-1, 2)).flip(-1).flatten(-2))


# --- 05.random_windows ------------------------------------------------------------------------------------------------

K = "05.random_windows"


def cut(table, n, starts):
    return table[starts[:, None] + torch.arange(n)]


@wrong(K)
def windows_of_own_randomness(table, n, u):
    return cut(table, n, torch.randint(len(table) - n + 1, (len(u),)))


@wrong(K)
def windows_two_too_few(table, n, u):
    return cut(table, n, (u * max(len(table) - n - 1, 0)).long())


@wrong(K)
def windows_always_last(table, n, u):
    return table[-n:].expand(len(u), -1, -1)


@wrong(K)
def windows_shuffled(table, n, u):
    return cut(table, n, (u * (len(table) - n + 1)).long())[:, torch.randperm(n)]


@wrong(K)
def windows_sorted(table, n, u):
    return cut(table, n, (u * (len(table) - n + 1)).long().sort().values)


@wrong(K)
def windows_other_texts(table, n, u):
    return cut(table, n, (u * (len(table) - n + 1)).long().flip(0))


@wrong(K)
def windows_spread(table, n, u):
    return table[torch.linspace(0, len(table) - 1, n).long()].expand(len(u), -1, -1)


@wrong(K)
def windows_every_second(table, n, u):
    return table[((u * (len(table) - n + 1)).long()[:, None] + 2 * torch.arange(n)).clamp(max=len(table) - 1)]


@wrong(K)
def windows_mean(table, n, u):
    return cut(table, n, (u.mean() * (len(table) - n + 1)).long().expand(len(u)))


@wrong(K)
def windows_squared(table, n, u):
    return cut(table, n, (u * u * (len(table) - n + 1)).long())


@wrong(K)
def windows_start_plus_one(table, n, u):
    return cut(torch.cat([table[1:], table[:1]]), n, (u * (len(table) - n + 1)).long())


@wrong(K)
def windows_scaled(table, n, u):
    return cut(table, n, (u * (len(table) - n + 1)).long()) * u[:, None, None]


@wrong(K, "IndexError")
def windows_floats_as_rows(table, n, u):
    return table[u * (len(table) - n + 1)]


@wrong(K, "shape")
def windows_one_short(table, n, u):
    return cut(table, n + 1, (u * (len(table) - n)).long())


@wrong(K, "shape")
def windows_only_first_text(table, n, u):
    return cut(table, n, (u * (len(table) - n + 1)).long())[0]


@wrong(K)
def windows_of_another_table(table, n, u):
    return cut(torch.zeros_like(table), n, (u * (len(table) - n + 1)).long())


@wrong(K, "list")
def windows_in_a_list(table, n, u):
    return [table[s : s + n] for s in (u * (len(table) - n + 1)).long()]


@wrong(K, "dtype")
def windows_in_double(table, n, u):
    return cut(table, n, (u * (len(table) - n + 1)).long()).double()


# --- two mistakes at once: both are named -----------------------------------------------------------------------------


@wrong("05.sinusoidal", "the 2 is missing")
def sinusoidal_side_by_side_without_the_two(positions, d_model, base):
    a = angles_of(positions, d_model, base, lambda i, d: -i / d)
    return torch.cat([a.sin(), a.cos()], -1)


@wrong("05.sinusoidal", "Sine and cosine have changed places")
def sinusoidal_cosine_first_and_growing(positions, d_model, base):
    a = angles_of(positions, d_model, base, lambda i, d: 2 * i / d)
    return alternate(a.cos(), a.sin())


@wrong("05.shift_rotation", "The shift is missing")
def shift_forgotten_and_backwards(shift, frequencies):
    return matrix_of(-frequencies, turning)


@wrong("05.relative_scores", "The scale is missing")
def relative_turned_and_unscaled(query, key, table):
    n, k = query.shape[-2], len(table) // 2
    return with_r(query, key, table[(2 * k - rows_of(n, k))], scale=1)


@wrong("05.relative_scores", "without adding k")
def relative_without_k_and_scale(query, key, table):
    n, k = query.shape[-2], len(table) // 2
    return with_r(query, key, table[rows_of(n, k) - k], scale=1)


@wrong("05.rotary", "turn backwards")
def rotary_backwards_and_halved_exponent(x, base):
    return turn(x, base, turned=lambda a, b: torch.cat([b, -a], -1), power=lambda i, d: -i / d)


@wrong("05.random_windows", "never drawn")
def windows_backwards_and_one_start_short(table, n, u):
    return cut(table, n, (u * (len(table) - n)).long()).flip(1)
