"""Lesson 05, Positions: how attention is told where a word stands."""

import math

import torch

from course_lib import positions
from course_lib.checking.kinds import Case, Code, Number, Prediction
from course_lib.exercises.inputs import integer, non_contiguous, randn
from course_lib.exercises.lesson_02 import FINISHED

NAME = "05_positions"
TITLE = "Positions"

# --- predictions ----------------------------------------------------------------------------------------------------

same_bag = Prediction(
    title="Who bites whom?",
    question="“the dog bites the man” and “the man bites the dog” go through one attention layer, without any mask. What does “dog” take home from each?",
    options=[
        "two different vectors, since its neighbours differ",
        "the same vector twice",
        "the same numbers, in another order",
    ],
    answer="the same vector twice",
    why="Its query meets the same five keys. Their order doesn't enter the formula: a sum is the same in any order.",
)
fraction_step = Prediction(
    title="One word further, as a fraction",
    question="Positions run from 0 to 1 through each text. A model learns in texts of 8 words what “one word back” looks like: a difference of 1/7. What is “one word back” in a text of 64 words?",
    options=["the same difference", "a difference nine times smaller", "a difference nine times larger"],
    answer="a difference nine times smaller",
    why="1/63 instead of 1/7. The same difference means one word in one text and nine words in another.",
)
similar = Prediction(
    title="How alike are two positions?",
    question="Take the dot product of the sinusoids of two positions, PE(p) · PE(q). What does it depend on?",
    options=[
        "on p and q, in no clear way",
        "only on the distance q − p, and left differs from right",
        "only on the distance, and left and right are the same",
    ],
    answer="only on the distance, and left and right are the same",
    why="Each pair adds cos(ω(q − p)), since sin a sin b + cos a cos b = cos(b − a); and a cosine doesn't know the sign.",
)
mixed_up = Prediction(
    title="What would give it away?",
    question="A model was trained with one pairing of the rotary numbers, and your code uses the other. Which of these numbers are wrong?",
    options=[
        "the lengths of the turned queries and keys",
        "the score of each word with itself",
        "the scores between different words",
        "all of them",
    ],
    answer="the scores between different words",
    why="Either pairing only turns: lengths stay. A word's query and key are turned by the same angles, so its score with itself stays too. Both look healthy.",
)
holds = Prediction(
    title="Twice as long",
    question="One small model, trained on texts of at most 32 words with each scheme in turn. Which scheme still solves both tasks in texts of 64 words?",
    options=["sinusoidal", "learned", "Shaw's relative positions, clipped", "rotary", "ALiBi"],
    answer="Shaw's relative positions, clipped",
    why="A distance that is clipped is a distance that training has seen. The others meet something new at 64, or can't express one of the tasks so soon.",
)
with_random_starts = Prediction(
    title="The same sinusoids, other starts",
    question="Training texts now begin at a random position between 0 and 32 instead of always at 0. Nothing else changes. How well do the sinusoids do at 64 words on “shift 3”, where they were near chance?",
    options=["still near chance, .13", "about .4", "above .8"],
    answer="above .8",
    why="Now training has seen all 64 positions, though never a text of 64 words. The positions were what was new, not the length.",
)

# --- 1. sinusoids -----------------------------------------------------------------------------------------------------


def _places(g, n, d_model, base=10_000.0, dtype=torch.float32):
    """Whole numbers below 40, in no order."""
    return torch.randint(0, 40, (n,), generator=g).to(dtype), d_model, base


sinusoidal = Code(
    title="A smooth counter",
    points=4,
    minutes=12,
    difficulty=2,
    reference=positions.sinusoids,
    axes=["n d_model"],
    forbidden=("sinusoid", "frequencies"),
    atol=1e-4,  # float32 angles of some 40 radians, however the power is taken
    cases=[
        Case("six positions", lambda g: _places(g, 6, 8)),
        Case("as many positions as numbers", lambda g: _places(g, 12, 12)),
        Case("one position", lambda g: _places(g, 1, 6)),
        Case("a single pair", lambda g: _places(g, 5, 2)),
        Case("any sizes", lambda g: _places(g, integer(g, 7, 12), 2 * integer(g, 8, 20))),
        Case("another base", lambda g: _places(g, 7, 8, 50.0)),
        Case("between whole numbers", lambda g: (40 * torch.rand(5, generator=g), 10, 1000.0)),
        Case("below zero", lambda g: (-_places(g, 6, 4)[0], 4, 100.0)),
        Case("double precision", lambda g: _places(g, 6, 8, 256.0, torch.float64)),
        Case("not contiguous in memory", lambda g: (randn(g, 8, 2).abs()[:, 0] * 10, 6, 10_000.0)),
    ],
    differentiable=True,
    hints=[
        "Begin with the frequencies, one for each pair: base ** (−2i / d_model) for i = 0 … d_model/2 − 1. 2i is torch.arange(0, d_model, 2).",
        "All angles at once, (n, d_model/2): positions[:, None] * frequencies. Then a table (n, d_model) whose columns 0::2 are the sines.",
        "torch.stack([angles.sin(), angles.cos()], dim=-1) is (n, d_model/2, 2). Flatten its last two axes, and sines and cosines alternate.",
    ],
)


def _waves(place, d_model, base, exponents=None, join=None, turn=1.0, odd=torch.cos, even=torch.sin):
    """Sinusoids with one of their steps replaced."""
    pair = torch.arange(d_model // 2, dtype=place.dtype)
    angles = turn * place[:, None] * base ** (-2 * pair / d_model if exponents is None else exponents(pair, d_model))
    if join:
        return join(even(angles), odd(angles))
    return torch.stack([even(angles), odd(angles)], dim=-1).flatten(-2)


@sinusoidal.mistake(
    "All the sines stand first, then all the cosines. The numbers are right; here they should alternate: sin, cos, sin, cos …"
)
def concatenated(place, d_model, base=10_000.0):
    return _waves(place, d_model, base, join=lambda sin, cos: torch.cat([sin, cos], -1))


@sinusoidal.mistake("Sine and cosine have changed places: the sine belongs at 0, 2, 4 …, the cosine at 1, 3, 5 …")
def cosine_first(place, d_model, base=10_000.0):
    return _waves(place, d_model, base, odd=torch.sin, even=torch.cos)


@sinusoidal.mistake(
    "All the cosines stand first, then all the sines. They should alternate, and begin with a sine: sin, cos, sin, cos …"
)
def cosines_then_sines(place, d_model, base=10_000.0):
    return _waves(place, d_model, base, join=lambda sin, cos: torch.cat([cos, sin], -1))


@sinusoidal.mistake(
    "Every column has a frequency of its own. Sine and cosine of a pair share one: columns 2i and 2i + 1 both have base^(−2i/d_model)."
)
def own_frequency_each(place, d_model, base=10_000.0):
    angles = place[:, None] * base ** (-torch.arange(d_model, dtype=place.dtype) / d_model)
    out = angles.sin()
    out[:, 1::2] = angles[:, 1::2].cos()
    return out


@sinusoidal.mistake("The cosine's exponent uses its own column, 2i + 1. It shares the sine's, 2i/d_model.")
def odd_columns_count_on(place, d_model, base=10_000.0):
    columns = torch.arange(d_model, dtype=place.dtype)
    angles = place[:, None] * base ** (-2 * columns / d_model)
    return torch.where(columns % 2 == 0, angles.sin(), angles.cos())


@sinusoidal.mistake(
    "The exponent is i/d_model; the 2 is missing. The pairs should reach from 1 almost down to 1/base: 2i/d_model."
)
def half_the_range(place, d_model, base=10_000.0):
    return _waves(place, d_model, base, exponents=lambda i, d: -i / d)


@sinusoidal.mistake(
    "The frequencies grow with i. Later pairs should turn more slowly: divide the position by base^(2i/d_model)."
)
def growing_frequencies(place, d_model, base=10_000.0):
    return _waves(place, d_model, base, exponents=lambda i, d: 2 * i / d)


@sinusoidal.mistake(
    "Your last pair has exactly the frequency 1/base: you divide by d_model/2 − 1. Some code does; the paper's exponent is 2i/d_model."
)
def divided_by_one_less(place, d_model, base=10_000.0):
    return _waves(place, d_model, base, exponents=lambda i, d: -i / max(d // 2 - 1, 1))


@sinusoidal.mistake(
    "Your exponent counts from i = 1. It counts from 0, so that the first pair turns by 1 radian at each step."
)
def counts_from_one(place, d_model, base=10_000.0):
    return _waves(place, d_model, base, exponents=lambda i, d: -2 * (i + 1) / d)


@sinusoidal.mistake("The base is always 10 000. Use the argument `base`.")
def fixed_base(place, d_model, base=10_000.0):
    return _waves(place, d_model, 10_000.0)


@sinusoidal.mistake("Both numbers of a pair are sines. The second should be the cosine of the same angle.")
def sines_only(place, d_model, base=10_000.0):
    return _waves(place, d_model, base, odd=torch.sin)


@sinusoidal.mistake("You number the rows yourself, 0, 1, 2 … Use the positions that are given.")
def numbers_the_rows(place, d_model, base=10_000.0):
    return _waves(torch.arange(len(place), dtype=place.dtype), d_model, base)


@sinusoidal.mistake("There is a 2π in your angles. The paper has none: a pair's wavelength is 2π · base^(2i/d_model).")
def with_two_pi(place, d_model, base=10_000.0):
    return _waves(place, d_model, base, turn=2 * math.pi)


@sinusoidal.mistake(
    "Your angles are turned into degrees or back. torch.sin takes radians, and the formula is meant so."
)
def degrees(place, d_model, base=10_000.0):
    return _waves(place, d_model, base, turn=math.pi / 180)


@sinusoidal.mistake("The table lies on its side, (d_model, n). One row for each position: (n, d_model).")
def on_its_side(place, d_model, base=10_000.0):
    return _waves(place, d_model, base).T


@sinusoidal.mistake("Only the angles come back. Take sine and cosine of them.")
def only_angles(place, d_model, base=10_000.0):
    return _waves(place, d_model, base, odd=lambda a: a, even=lambda a: a)


@sinusoidal.mistake("The slowest pair comes first. Pair 0 is the fastest, with frequency 1.")
def slowest_first(place, d_model, base=10_000.0):
    return _waves(place, d_model, base, exponents=lambda i, d: -2 * i.flip(0) / d)


# --- 2. wavelengths ---------------------------------------------------------------------------------------------------

wavelengths = Number(
    title="The hands of the clock",
    points=2,
    minutes=5,
    difficulty=1,
    answer={"fastest pair": 2 * math.pi, "slowest pair": 2 * math.pi * 10_000 ** (62 / 64)},
    rtol=1e-2,
    wrong={
        "fastest pair": {
            1.0: "that is its frequency, in radians a step. A full turn is 2π radians: how many steps is that?",
            math.pi: "that is half a turn.",
            1 / (2 * math.pi): "that is the part of a turn made in one step. How many steps make a whole turn?",
        },
        "slowest pair": {
            2 * math.pi * 10_000: "that would be an exponent of 1. The last pair has i = 31, so its exponent is 62/64.",
            10_000 ** (62 / 64): "that is one over its frequency. A full turn is 2π of that.",
            2
            * math.pi
            * 10_000 ** (63 / 64): "the last column is 63, a cosine. It shares the exponent of its sine, column 62.",
            2 * math.pi * 10_000 ** (31 / 64): "you took i/d_model. The exponent is 2i/d_model, and the last i is 31.",
            2 * math.pi * 10_000 ** (-62 / 64): "the sign of the exponent: a slow pair needs many steps for a turn.",
            10_000.0: "nearly: it is 2π times 10 000 to the power of 62/64.",
        },
    },
    hints=[
        "Pair i turns by base^(−2i/d_model) radians at each step. How many steps make 2π?",
        "d_model = 64 has pairs i = 0 to 31. The wavelength is 2π · base^(2i/d_model).",
    ],
)

# --- 3. the shift is a rotation ---------------------------------------------------------------------------------------


def _shift_rotation(shift, frequencies):
    return torch.block_diag(*(_block(angle) for angle in shift * frequencies))


def _block(angle, signs=(1, 1, -1, 1)):
    """[[cos, sin], [−sin, cos]], with other signs on demand."""
    c, s = angle.cos(), angle.sin()
    return torch.stack([signs[0] * c, signs[1] * s, signs[2] * s, signs[3] * c]).reshape(2, 2)


def _shift(g, pairs, shift=None, dtype=torch.float32):
    """Frequencies between 0.1 and 3, all different, and a shift of 1 to 9 steps."""
    frequencies = 0.1 + 2.9 * torch.rand(pairs, generator=g, dtype=dtype)
    return float(integer(g, 1, 9)) if shift is None else shift, frequencies


shift_rotation = Code(
    title="A shift is a rotation",
    points=3,
    minutes=12,
    difficulty=3,
    reference=_shift_rotation,
    axes=["d_model d_model"],
    forbidden=("sinusoid", "rotate_pairs"),
    cases=[
        Case("two pairs", lambda g: _shift(g, 2)),
        Case("three pairs, one step", lambda g: _shift(g, 3, 1.0)),
        Case("one pair", lambda g: _shift(g, 1)),
        Case("backwards", lambda g: _shift(g, 4, -float(integer(g, 1, 6)))),
        Case("half a step", lambda g: _shift(g, 3, 0.5)),
        Case("any number of pairs", lambda g: _shift(g, integer(g, 5, 9))),
        Case("double precision", lambda g: _shift(g, 4, dtype=torch.float64)),
        Case("not contiguous in memory", lambda g: (2.0, randn(g, 4, 2)[:, 0].abs() + 0.1)),
    ],
    differentiable=True,
    hints=[
        "One pair first: (sin a, cos a) → (sin(a + δ), cos(a + δ)). Write the two sums with sin a and cos a: which four numbers stand before them?",
        "sin(a + δ) = cos δ · sin a + sin δ · cos a, and cos(a + δ) = −sin δ · sin a + cos δ · cos a. Each pair has its own δ = shift · frequency.",
        "Start from torch.zeros(d_model, d_model, dtype=frequencies.dtype). Row 2i, columns 2i and 2i + 1, gets cos δ and sin δ; row 2i + 1 gets −sin δ and cos δ.",
    ],
)


def _blocks(block):
    return lambda shift, frequencies: torch.block_diag(*(block(angle) for angle in shift * frequencies))


def _rotation_mistake(sentence, name, matrix):
    matrix.__name__ = name
    shift_rotation.mistake(sentence)(matrix)


_rotation_mistake(
    "It turns the wrong way: R @ PE(p) is PE(p − shift). The familiar [[cos, −sin], [sin, cos]] turns (cos, sin); our pairs are (sin, cos). Swap the signs of the sines.",
    "transposed",
    _blocks(lambda a: _block(a, (1, -1, 1, 1))),
)
_rotation_mistake(
    "Both sines have the same sign. One of them needs a minus, or lengths change: cos(a + δ) = cos δ cos a − sin δ sin a.",
    "both_plus",
    _blocks(lambda a: _block(a, (1, 1, 1, 1))),
)
_rotation_mistake(
    "Both sines have a minus. Only one needs it: sin(a + δ) = cos δ sin a + sin δ cos a.",
    "both_minus",
    _blocks(lambda a: _block(a, (1, -1, -1, 1))),
)
_rotation_mistake(
    "The cosines are missing from their places: they belong on the diagonal, the sines beside it.",
    "sine_on_diagonal",
    _blocks(lambda a: torch.stack([a.sin(), a.cos(), -a.cos(), a.sin()]).reshape(2, 2)),
)
_rotation_mistake(
    "Only the diagonal is filled. Beside each cosine belongs a sine, which brings in the pair's other number.",
    "diagonal_only",
    lambda shift, f: torch.diag((shift * f).cos().repeat_interleave(2)),
)


def _halves(shift, frequencies):
    c, s = torch.diag((shift * frequencies).cos()), torch.diag((shift * frequencies).sin())
    return torch.cat([torch.cat([c, s], -1), torch.cat([-s, c], -1)])


_rotation_mistake(
    "That is right for all sines first, then all cosines. Here they alternate, so each pair's four numbers form a 2 × 2 block on the diagonal.",
    "concatenated_layout",
    _halves,
)
_rotation_mistake(
    "The shift is missing: every pair turns by a single step. Its angle is shift · frequency.",
    "one_step",
    lambda shift, f: _shift_rotation(1.0, f),
)
_rotation_mistake(
    "All pairs turn by the same angle, that of pair 0. Each has a frequency of its own.",
    "first_frequency",
    lambda shift, f: _shift_rotation(shift, f[:1].expand_as(f)),
)
_rotation_mistake(
    "The pairs are in the wrong order: the first frequency belongs to the block at the top left.",
    "reversed_pairs",
    lambda shift, f: _shift_rotation(shift, f.flip(0)),
)
_rotation_mistake(
    "These are the blocks, (pair, 2, 2). Put them on the diagonal of one matrix, (d_model, d_model), with zeros elsewhere.",
    "blocks_apart",
    lambda shift, f: torch.stack([_block(a) for a in shift * f]),
)
_rotation_mistake(
    "The angle is shift / frequency. At each step a pair turns by its frequency: multiply.",
    "divided",
    lambda shift, f: torch.block_diag(*(_block(a) for a in shift / f)),
)
_rotation_mistake(
    "There is a 2π in the angle. Frequencies are in radians a step: the angle is shift · frequency.",
    "two_pi",
    lambda shift, f: _shift_rotation(2 * math.pi * shift, f),
)
_rotation_mistake(
    "The sign of the shift is lost. Backwards should turn the other way.",
    "sign_lost",
    lambda shift, f: _shift_rotation(abs(shift), f),
)
_rotation_mistake(
    "The shift is rounded to whole steps. Half a step is a rotation, too.",
    "rounded",
    lambda shift, f: _shift_rotation(float(int(shift)), f),
)

# --- 4. relative positions --------------------------------------------------------------------------------------------


def _rows(n, k):
    return positions.clipped_distances(n, k) + k


def _relative_scores(query, key, table):
    return _scores(query, key, table[_rows(query.shape[-2], len(table) // 2)])


def _scores(query, key, r):
    """r (query, key, d_k): what is added to each key."""
    return (query @ key.mT + torch.einsum("...id,ijd->...ij", query, r)) / query.shape[-1] ** 0.5


def _relative(g, n, d_k, k, leading=(), **kwargs):
    return (
        randn(g, *leading, n, d_k, **kwargs),
        randn(g, *leading, n, d_k, **kwargs),
        randn(g, 2 * k + 1, d_k, **kwargs),
    )


relative_scores = Code(
    title="How far apart?",
    points=4,
    minutes=15,
    difficulty=3,
    reference=_relative_scores,
    axes=["... query key"],
    forbidden=("clipped_distances", "relativepositions", *FINISHED),
    cases=[
        Case("six words, told apart up to 2", lambda g: _relative(g, 6, 4, 2)),
        Case("all distances told apart", lambda g: _relative(g, 4, 3, 5)),
        Case("as many words as numbers", lambda g: _relative(g, 5, 5, 2)),
        Case("one word", lambda g: _relative(g, 1, 4, 3)),
        Case("left, here, right", lambda g: _relative(g, 7, 6, 1)),
        Case("no distances told apart", lambda g: _relative(g, 4, 2, 0)),
        Case("as many rows as words", lambda g: _relative(g, 7, 3, 3)),
        Case("a batch with heads", lambda g: _relative(g, 5, 4, 2, (2, 3))),
        Case("heads as many as words", lambda g: _relative(g, 3, 4, 1, (3, 3))),
        Case("any sizes", lambda g: _relative(g, integer(g, 8, 14), 8, integer(g, 2, 5), (integer(g, 1, 2),))),
        Case("double precision", lambda g: _relative(g, 6, 4, 2, dtype=torch.float64)),
        Case("not contiguous in memory", lambda g: tuple(map(non_contiguous, _relative(g, 5, 4, 2)))),
    ],
    differentiable=True,
    hints=[
        "First a matrix of distances, (n, n): distance[i, j] = j − i. Two aranges, one turned into a column, and broadcasting.",
        "clamp the distances to −k … k and add k: now they are rows of the table. table[rows] has the shape (n, n, d_k).",
        "The dot product of query i with r[i, j]: torch.einsum('...id,ijd->...ij', query, r). Add it to query @ key.mT, and divide the sum by √d_k.",
    ],
)


@relative_scores.mistake(
    "Left and right have changed places: the distance is j − i, key minus query, so a key to the left has a negative one."
)
def query_minus_key(query, key, table):
    return _scores(query, key, table.flip(0)[_rows(query.shape[-2], len(table) // 2)])


@relative_scores.mistake(
    "Left and right get the same vector: you lost the sign of the distance. The table has a row for −k and another for +k."
)
def sign_lost(query, key, table):
    k = len(table) // 2
    return _scores(query, key, table[_rows(query.shape[-2], k).sub(k).abs() + k])


@relative_scores.mistake(
    "The rows are taken without adding k: distance −1 then picks the last row, since Python counts from the end. Row 0 is for distance −k."
)
def without_k(query, key, table):
    return _scores(query, key, table[positions.clipped_distances(query.shape[-2], len(table) // 2)])


@relative_scores.mistake("Farther than k, your keys get no vector at all. Clip: beyond k, a distance counts as k.")
def nothing_beyond(query, key, table):
    n, k = query.shape[-2], len(table) // 2
    near = (positions.distances(n).abs() <= k).to(query.dtype)
    return _scores(query, key, table[_rows(n, k)] * near[..., None])


@relative_scores.mistake(
    "Farther than k, the distances start over from the other end of the table. Clip them instead: beyond k, a distance counts as k."
)
def wraps_around(query, key, table):
    return _scores(query, key, table[(positions.distances(query.shape[-2]) + len(table) // 2) % len(table)])


@relative_scores.mistake(
    "The distances aren't clipped, so the table runs out of rows. Clip them to −k … k first: torch.clamp."
)
def not_clipped(query, key, table):
    n, k = query.shape[-2], len(table) // 2
    if n > k + 1:
        raise IndexError(f"index {len(table)} is out of bounds for dimension 0 with size {len(table)}")
    return _relative_scores(query, key, table)


@relative_scores.mistake(
    "You clip after adding k, at 0 and k: every key to the right counts as “here”. The rows go from 0 to 2k."
)
def right_side_lost(query, key, table):
    n, k = query.shape[-2], len(table) // 2
    return _scores(query, key, table[(positions.distances(n) + k).clamp(0, k)])


@relative_scores.mistake("You clip one step too early, at k − 1. The table has a row for −k and one for +k.")
def clipped_too_early(query, key, table):
    n, k = query.shape[-2], len(table) // 2
    return _scores(query, key, table[positions.clipped_distances(n, max(k - 1, 0)) + k])


@relative_scores.mistake("The scale is missing: divide the whole score by √d_k.")
def no_scale(query, key, table):
    return _relative_scores(query, key, table) * query.shape[-1] ** 0.5


@relative_scores.mistake("You divide by d_k. Divide by its root.")
def no_root(query, key, table):
    return _relative_scores(query, key, table) / query.shape[-1] ** 0.5


@relative_scores.mistake(
    "Only the dot product of query and key is divided by √d_k. The whole sum is: the vector r belongs to the key."
)
def only_content_scaled(query, key, table):
    r = table[_rows(query.shape[-2], len(table) // 2)]
    return _scores(query, key, r * query.shape[-1] ** 0.5)


@relative_scores.mistake("Only the part with r is divided by √d_k. The whole sum is.")
def only_relative_scaled(query, key, table):
    r = table[_rows(query.shape[-2], len(table) // 2)]
    return _scores(query, key * query.shape[-1] ** 0.5, r)


@relative_scores.mistake(
    "The distances have no effect: these are the plain scores. Add r to each key before the dot product."
)
def plain_scores(query, key, table):
    return query @ key.mT / query.shape[-1] ** 0.5


@relative_scores.mistake("The keys have no effect: only the distances count. The score is q · (k + r), both parts.")
def only_distances(query, key, table):
    return _scores(query, key * 0, table[_rows(query.shape[-2], len(table) // 2)])


@relative_scores.mistake("r meets the key. It should meet the query: q_i · (k_j + r) = q_i · k_j + q_i · r.")
def key_meets_r(query, key, table):
    r = table[_rows(query.shape[-2], len(table) // 2)]
    return (query @ key.mT + torch.einsum("...jd,ijd->...ij", key, r)) / query.shape[-1] ** 0.5


@relative_scores.mistake(
    "r is added as numbers of its own, without the query. It is added to the key: the query decides what a distance is worth."
)
def r_without_query(query, key, table):
    return (query @ key.mT + table[_rows(query.shape[-2], len(table) // 2)].sum(-1)) / query.shape[-1] ** 0.5


@relative_scores.mistake("Rows and columns have changed places: one row for each query, (query, key).")
def turned_round(query, key, table):
    return _relative_scores(query, key, table).mT


@relative_scores.mistake("These are weights already. The exercise asks for the scores, before the softmax.")
def softmax_taken(query, key, table):
    return _relative_scores(query, key, table).softmax(-1)


# --- 5. find the bug: rotary ------------------------------------------------------------------------------------------


def _rotary(x, base=10_000.0):
    return _turned(x, positions.rotary_angles(x.shape[-2], x.shape[-1], base).to(x))


def _turned(x, angles, pairing="halves"):
    return positions.rotate_pairs(x, angles.cos(), angles.sin(), pairing)


def _vectors(g, n, d_k, base=10_000.0, leading=(), **kwargs):
    return randn(g, *leading, n, d_k, **kwargs), base


rotary = Code(
    title="Turned, but wrongly",
    points=3,
    minutes=10,
    difficulty=2,
    reference=_rotary,
    axes=["... n d_k"],
    forbidden=("rotate_pairs", "rotarypositions"),
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


@rotary.starts_from
def rotary_start(x, base=10_000.0):
    """Rotary positions for x (..., n, d_k): turns the pairs (i, i + d_k/2), returns the same shape."""
    n, d_k = x.shape[-2:]
    frequencies = base ** (-torch.arange(0, d_k, 2, dtype=x.dtype) / d_k)
    angles = torch.arange(n, dtype=x.dtype)[:, None] * frequencies
    angles = angles.repeat_interleave(2, dim=-1)
    first, second = x.chunk(2, dim=-1)
    turned = torch.cat([-second, first], dim=-1)
    return x * angles.cos() + turned * angles.sin()


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
    "Nothing has changed yet: numbers that are paired still turn by different angles. Write down, for d_k = 4, which angle stands at each place and who is paired with whom.",
    "unchanged",
    lambda x, a: _mixed(x, _beside(a), _other_half(x)),
)
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


# --- 6. a random start ------------------------------------------------------------------------------------------------


def _windows(table, n, u):
    starts = (u * (len(table) - n + 1)).long()
    return _cut(table, n, starts)


def _cut(table, n, starts):
    return table[starts[:, None] + torch.arange(n)]


def _table(g, max_len, d_model, n, batch, low=0.0, high=1.0, dtype=torch.float32):
    u = low + (high - low) * torch.rand(batch, generator=g, dtype=dtype)
    return randn(g, max_len, d_model, dtype=dtype), n, u


random_windows = Code(
    title="Begin anywhere",
    points=3,
    minutes=10,
    difficulty=2,
    reference=_windows,
    axes=["batch n d_model"],
    cases=[
        Case("four texts", lambda g: _table(g, 12, 4, 5, 4)),
        Case("one text", lambda g: _table(g, 9, 3, 4, 1)),
        Case("texts of one word", lambda g: _table(g, 7, 4, 1, 5)),
        Case("only one place to begin", lambda g: _table(g, 6, 4, 6, 3)),
        Case("two places to begin", lambda g: _table(g, 6, 3, 5, 8)),
        Case("near the end", lambda g: _table(g, 20, 4, 8, 6, 0.95, 0.999)),
        Case("near the beginning", lambda g: _table(g, 20, 4, 8, 6, 0.0, 0.05)),
        Case("as many texts as words", lambda g: _table(g, 16, 5, 5, 5)),
        Case("any sizes", lambda g: _table(g, integer(g, 30, 64), 8, integer(g, 8, 20), integer(g, 6, 9))),
        Case("double precision", lambda g: _table(g, 14, 4, 6, 5, dtype=torch.float64)),
        Case("not contiguous in memory", lambda g: (non_contiguous(randn(g, 12, 6)), 5, torch.rand(4, generator=g))),
    ],
    hints=[
        "A window of n rows fits into max_len rows in max_len − n + 1 ways. u is in [0, 1): which start does u stand for?",
        "starts = (u * (max_len − n + 1)).long(), one for each text. Each text needs the rows start, start + 1, …, start + n − 1.",
        "starts[:, None] + torch.arange(n) is (batch, n): all the rows at once. table[rows] adds the last axis.",
    ],
)


def _window_mistake(sentence, name, windows):
    windows.__name__ = name
    random_windows.mistake(sentence)(windows)


_window_mistake(
    "The last possible start is never drawn: a window of n rows fits in max_len − n + 1 ways, not max_len − n.",
    "one_too_few",
    lambda t, n, u: _cut(t, n, (u * (len(t) - n)).long()),
)
_window_mistake(
    "Every text begins at the same place, the first one's. Each has its own u.",
    "one_start_for_all",
    lambda t, n, u: _windows(t, n, u[:1].expand_as(u)),
)
_window_mistake(
    "Every text begins at position 0. Use u to choose the start.",
    "always_zero",
    lambda t, n, u: t[:n].expand(len(u), -1, -1),
)
_window_mistake(
    "Your windows can run past the end of the table: you spread u over all max_len rows. The last start that fits is max_len − n.",
    "runs_over",
    lambda t, n, u: (
        _cut(t.repeat(2, 1), n, (u * len(t)).long()) if (u * len(t)).long().max() + n <= len(t) else _too_far(len(t))
    ),
)
_window_mistake(
    "A window that runs past the end goes on at the beginning of the table. Positions have to stay neighbours: begin at most at max_len − n.",
    "wraps",
    lambda t, n, u: _cut(torch.cat([t, t]), n, (u * len(t)).long()),
)
_window_mistake(
    "Starts near the end are pushed back to max_len − n, so that one is drawn far too often. Spread u evenly over max_len − n + 1 starts.",
    "pushed_back",
    lambda t, n, u: _cut(t, n, (u * len(t)).long().clamp(max=len(t) - n)),
)
_window_mistake(
    "You round to the nearest start. Cut off instead (.long() does): then each start stands for an equal part of [0, 1).",
    "rounded",
    lambda t, n, u: _cut(t, n, (u * (len(t) - n)).round().long()),
)
_window_mistake(
    "You round up, so position 0 is (almost) never drawn. Cut off instead: .long().",
    "rounded_up",
    lambda t, n, u: _cut(t, n, (u * (len(t) - n + 1)).ceil().long().clamp(max=len(t) - n)),
)
_window_mistake(
    "u runs backwards: 0 should mean the first start, not the last.",
    "from_the_end",
    lambda t, n, u: _cut(t, n, len(t) - n - (u * (len(t) - n + 1)).long()),
)
_window_mistake(
    "The axes have changed places: (n, batch, d_model). The batch comes first.",
    "words_first",
    lambda t, n, u: _windows(t, n, u).transpose(0, 1),
)
_window_mistake(
    "Only the row of the start comes back, n times. The window goes on: start, start + 1, …, start + n − 1.",
    "stands_still",
    lambda t, n, u: _windows(t, n, u)[:, :1].expand(-1, n, -1),
)
_window_mistake(
    "The windows run backwards. They go from start to start + n − 1.",
    "backwards",
    lambda t, n, u: _windows(t, n, u).flip(1),
)
_window_mistake(
    "These are the rows' numbers, (batch, n). Look them up in the table: table[rows].",
    "only_rows",
    lambda t, n, u: (u * (len(t) - n + 1)).long()[:, None] + torch.arange(n),
)
_window_mistake(
    "The windows lie one after another, (batch · n, d_model). Keep the texts apart: (batch, n, d_model).",
    "in_a_row",
    lambda t, n, u: _windows(t, n, u).flatten(0, 1),
)


def _too_far(rows):
    raise IndexError(f"index {rows} is out of bounds for dimension 0 with size {rows}")
