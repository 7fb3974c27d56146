"""The sinusoids of Vaswani et al. for any positions: sine and cosine in turn, each pair of columns with its own frequency."""

import math

import torch

from course_lib import positions
from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer, randn


def _places(g, n, d_model, base=10_000.0, dtype=torch.float32):
    """Whole numbers below 40, in no order."""
    return torch.randint(0, 40, (n,), generator=g).to(dtype), d_model, base


sinusoidal = Code(
    "05.sinusoidal",
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
        Case("double precision, frequencies with many digits", lambda g: _places(g, 5, 6, 10_000.0, torch.float64)),
        Case("not contiguous in memory", lambda g: (randn(g, 8, 2).abs()[:, 0] * 10, 6, 10_000.0)),
    ],
    hints=[
        "Begin with the frequencies, one for each pair: base ** (−2i / d_model) for i = 0 … d_model/2 − 1. 2i is torch.arange(0, d_model, 2).",
        "All angles at once, (n, d_model/2): positions[:, None] * frequencies. Then a table (n, d_model) whose columns 0::2 are the sines.",
        "torch.stack([angles.sin(), angles.cos()], dim=-1) is (n, d_model/2, 2). Flatten its last two axes, and sines and cosines alternate.",
    ],
)


def alternating(sines, cosines):
    return torch.stack([sines, cosines], dim=-1).flatten(-2)


def one_on_the_other(sines, cosines):
    """The sines in columns 0, 2, 4 …, and the cosines written over them."""
    return alternating(cosines, torch.zeros_like(cosines))


def angles_of_columns(place, d_model, base, exponent):
    """(n, d_model): an angle for each column by itself, not one for each pair."""
    return place[:, None] * base ** exponent(torch.arange(d_model, dtype=place.dtype), d_model)


@sinusoidal.variants
def steps(
    place,
    d_model,
    base,
    *,
    frequency=lambda i, d, base: base ** (-2 * i / d),
    angles=lambda place, frequency: place[:, None] * frequency,
    even=torch.sin,
    odd=torch.cos,
    table=alternating,
):
    a = angles(place, frequency(torch.arange(d_model // 2, dtype=place.dtype), d_model, base))
    return table(even(a), odd(a))


steps.mistake(
    "All the sines stand first, then all the cosines. Here they should alternate: sin, cos, sin, cos …",
    table=lambda sines, cosines: torch.cat([sines, cosines], -1),
)
steps.mistake(
    "Sine and cosine have changed places: the sine belongs at 0, 2, 4 …, the cosine at 1, 3, 5 …",
    even=torch.cos,
    odd=torch.sin,
)
steps.mistake(
    "All the cosines stand first, then all the sines. They should alternate, and begin with a sine: sin, cos, sin, cos …",
    table=lambda sines, cosines: torch.cat([cosines, sines], -1),
)
steps.mistake(
    "The exponent is i/d_model; the 2 is missing. The pairs should reach from 1 almost down to 1/base: 2i/d_model.",
    frequency=lambda i, d, base: base ** (-i / d),
)
steps.mistake(
    "You divide the exponent by d_model − 1. The paper's exponent is 2i/d_model.",
    frequency=lambda i, d, base: base ** (-2 * i / (d - 1)),
)
steps.mistake(
    "The 2 stands twice in your exponent. torch.arange(0, d_model, 2) is 2i already: divide it by d_model, and that's all.",
    frequency=lambda i, d, base: base ** (-4 * i / d),
)
steps.mistake(
    "The frequencies grow with i. Later pairs should turn more slowly: divide the position by base^(2i/d_model).",
    frequency=lambda i, d, base: base ** (2 * i / d),
)
steps.mistake(
    "Your last pair has exactly the frequency 1/base: you divide by d_model/2 − 1. Some code does; the paper's exponent is 2i/d_model.",
    frequency=lambda i, d, base: base ** (-i / max(d // 2 - 1, 1)),
)
steps.mistake(
    "Your exponent counts from i = 1. It counts from 0, so that the first pair turns by 1 radian at each step.",
    frequency=lambda i, d, base: base ** (-2 * (i + 1) / d),
)
steps.mistake(
    "The base is always 10 000. Use the argument `base`.", frequency=lambda i, d, base: 10_000.0 ** (-2 * i / d)
)
steps.mistake("Both numbers of a pair are sines. The second should be the cosine of the same angle.", odd=torch.sin)
steps.mistake(
    "You number the rows yourself, 0, 1, 2 … Use the positions that are given.",
    angles=lambda place, frequency: torch.arange(len(place), dtype=place.dtype)[:, None] * frequency,
)
steps.mistake(
    "You add position and frequency. Each step adds the frequency to the angle: the product, position · frequency.",
    angles=lambda place, frequency: place[:, None] + frequency,
)
steps.mistake(
    "Your angles have a minus, or your sines: sin(−a) = −sin(a). The formula has none.",
    angles=lambda place, frequency: -place[:, None] * frequency,
)
steps.mistake("The cosines have the wrong sign.", odd=lambda a: -a.cos())
steps.mistake(
    "You shift the sine by π, which turns its sign. A cosine is a sine shifted by π/2.",
    odd=lambda a: (a + math.pi).sin(),
)
steps.mistake(
    "You cut the positions off to whole numbers. They may be any numbers: leave them as they are.",
    angles=lambda place, frequency: place.trunc()[:, None] * frequency,
)
steps.mistake(
    "You multiply by √d_model. That is done to word vectors; the sinusoids stay between −1 and 1.",
    table=lambda sines, cosines: alternating(sines, cosines) * (2 * sines.shape[-1]) ** 0.5,
)
steps.mistake(
    "The columns come in reverse order. Column 0 is the sine of the fastest pair.",
    table=lambda sines, cosines: alternating(sines, cosines).flip(-1),
)
steps.mistake(
    "You add 1 to the positions. Take them as they are given; position 0 doesn't turn at all.",
    angles=lambda place, frequency: (place + 1)[:, None] * frequency,
)
steps.mistake(
    "You number the rows yourself, and from 1. Use the positions that are given.",
    angles=lambda place, frequency: torch.arange(1, len(place) + 1, dtype=place.dtype)[:, None] * frequency,
)
steps.mistake("Both numbers of a pair are cosines. The first should be the sine of the same angle.", even=torch.cos)
steps.mistake(
    "You use the positions without their sign. The sine of −3 isn't that of 3.",
    angles=lambda place, frequency: place.abs()[:, None] * frequency,
)
steps.mistake(
    "You round the positions to whole numbers. They may be any numbers: leave them as they are.",
    angles=lambda place, frequency: place.round()[:, None] * frequency,
)
steps.mistake(
    "You divide the positions by their number. Position 3 should be the same in a short text and in a long one.",
    angles=lambda place, frequency: place[:, None] / len(place) * frequency,
)
steps.mistake(
    "You divide the positions by the largest one. Position 3 should be the same in a short text and in a long one.",
    angles=lambda place, frequency: place[:, None] / place.max() * frequency,
)
steps.mistake(
    "You divide by base · 2i / d_model. The exponent is a power of the base: base ** (2i / d_model).",
    angles=lambda place, frequency: place[:, None] / frequency,
    frequency=lambda i, d, base: base * 2 * i / d,
)
steps.mistake(
    "Your exponential has lost the base: exp(−2i/d_model) is a power of e. Write base ** (−2i / d_model), or multiply the exponent by log(base).",
    frequency=lambda i, d, base: torch.exp(-2 * i / d),
)
steps.mistake(
    "You take the logarithm to base 10, but exp undoes the natural one: math.log(base).",
    frequency=lambda i, d, base: torch.exp(-2 * i / d * math.log10(base)),
)
steps.mistake(
    "`//` cuts the exponents off to whole numbers. Divide with /.", frequency=lambda i, d, base: base ** (-2 * i // d)
)
steps.mistake(
    "All pairs have the same frequency, 1. Either `//` cuts the exponents off to whole numbers, all of them to 0, or the exponent lacks its i: base ** (−2i / d_model).",
    frequency=lambda i, d, base: base ** -(2 * i // d),
)
steps.mistake(
    "Your pairs are numbered from d_model/2 on, or the exponent lacks its i: every pair has the same frequency.",
    frequency=lambda i, d, base: base ** (-2 * torch.ones_like(i) / d),
)
steps.mistake(
    "There is a 2π in your angles. The paper has none: a pair's wavelength is 2π · base^(2i/d_model).",
    angles=lambda place, frequency: 2 * math.pi * place[:, None] * frequency,
)
steps.mistake(
    "Your angles are turned into degrees or back. torch.sin takes radians, and the formula is meant so.",
    angles=lambda place, frequency: math.pi / 180 * place[:, None] * frequency,
)
steps.mistake(
    "The table lies on its side, (d_model, n). One row for each position: (n, d_model).",
    table=lambda sines, cosines: alternating(sines, cosines).T,
)
steps.mistake(
    "You write the cosines over the sines, into columns 0, 2, 4 …; columns 1, 3, 5 … stay empty. Those are the cosines': table[:, 1::2].",
    table=one_on_the_other,
)
steps.mistake(
    "Sines and cosines land in the wrong places: stack puts sines and cosines on the first axis, and reshape then cuts across the rows. Stack on the last axis: dim=-1.",
    table=lambda sines, cosines: torch.stack([sines, cosines]).reshape(len(sines), -1),
)
steps.mistake("Only the angles come back. Take sine and cosine of them.", even=lambda a: a, odd=lambda a: a)
steps.mistake(
    "The slowest pair comes first. Pair 0 is the fastest, with frequency 1.",
    frequency=lambda i, d, base: base ** (-2 * i.flip(0) / d),
)


steps.mistake(
    "The frequencies grow with i, and the 2 is missing. Divide the position by base^(2i/d_model).",
    frequency=lambda i, d, base: base ** (i / d),
)
for text, frequency in {
    "base · i": lambda i, d, base: base * i,
    "base · i / d_model": lambda i, d, base: base * i / d,
    "base · 2i / d_model": lambda i, d, base: base * 2 * i / d,
    "base · (−2i / d_model)": lambda i, d, base: base * -2 * i / d,
    "1 / (base · i)": lambda i, d, base: 1 / (base * i),
}.items():
    steps.mistake(f"You have {text}: a product where a power is meant, base ** (−2i / d_model).", frequency=frequency)
steps.mistake(
    "`**` comes before `*` and `/`: base ** -2 * i / d_model is (base ** -2) · i / d_model. Put the whole exponent in brackets.",
    frequency=lambda i, d, base: base**-2 * i / d,
)
steps.mistake(
    "`**` comes before `/`: base ** (-2 * i) / d_model divides the power, not the exponent. Put the whole exponent in brackets.",
    frequency=lambda i, d, base: base ** (-2 * i) / d,
)
steps.mistake(
    "The exponent isn't divided by d_model, so the frequencies fall far too fast. It is 2i/d_model.",
    frequency=lambda i, d, base: base ** (-2 * i),
)
steps.mistake(
    "The exponent isn't divided by d_model, and its 2 is missing. It is 2i/d_model.",
    frequency=lambda i, d, base: base ** (-i),
)
steps.mistake(
    "You divide the exponent by d_model − 2, so that the last pair has exactly 1/base. The paper's exponent is 2i/d_model.",
    frequency=lambda i, d, base: base ** (-2 * i / max(d - 1.999, 0.001)),
)
steps.mistake(
    "You take the logarithm to base 2, but exp undoes the natural one: math.log(base).",
    frequency=lambda i, d, base: torch.exp(-2 * i / d * math.log2(base)),
)
steps.mistake(
    "You divide the angles by 2π. A frequency is in radians a step: the angle is position · frequency.",
    angles=lambda place, frequency: place[:, None] * frequency / (2 * math.pi),
)
steps.mistake(
    "You take the position as a power or the frequency to the power of it. Each step adds the frequency: position · frequency.",
    angles=lambda place, frequency: frequency ** place[:, None],
)
steps.mistake(
    "You take 1 from the positions. Take them as they are given; position 0 doesn't turn at all.",
    angles=lambda place, frequency: (place - 1)[:, None] * frequency,
)
steps.mistake(
    "Your positions are sorted, or come in reverse order. Row i is for positions[i].",
    angles=lambda place, frequency: place.flip(0)[:, None] * frequency,
)
steps.mistake(
    "You turn all positions by the first one's, so that it becomes 0. Take them as they are given.",
    angles=lambda place, frequency: (place - place[:1])[:, None] * frequency,
)
steps.mistake(
    "The angles are sums over all positions before. Each position has its own angle, position · frequency.",
    angles=lambda place, frequency: place.cumsum(0)[:, None] * frequency,
)
steps.mistake("The second number of a pair is a tangent. It is the cosine of the same angle.", odd=lambda a: a.tan())
steps.mistake(
    "The second number of a pair is 1 − sin. That isn't the cosine: cos² = 1 − sin².", odd=lambda a: 1 - a.sin()
)
steps.mistake(
    "The second number of a pair is √(1 − sin²), which is never negative. Take the cosine: its sign counts.",
    odd=lambda a: (1 - a.sin() ** 2).clamp(min=0).sqrt(),
)
steps.mistake(
    "The cosine's angle is one position further. Both numbers of a pair belong to the same angle.",
    odd=lambda a: (a + 1).cos(),
)
steps.mistake(
    "Sines and cosines are added, and each sum stands there twice or alone. They are two numbers side by side.",
    table=lambda sines, cosines: alternating(sines + cosines, sines + cosines),
)
steps.mistake(
    "Your table is (n, d_model / 2, 2): the pairs still have an axis of their own. Flatten the last two axes.",
    table=lambda sines, cosines: torch.stack([sines, cosines], -1),
)
steps.mistake(
    "You divide by √(d_model / 2), so that rows have length 1. The sinusoids stay as they are.",
    table=lambda sines, cosines: alternating(sines, cosines) / sines.shape[-1] ** 0.5,
)


steps.mistake(
    "Your frequencies fall evenly, by the same amount from pair to pair. They are powers: each is the one before times the same factor, base ** (−2i / d_model).",
    frequency=lambda i, d, base: torch.linspace(1, 1 / base, len(i), dtype=i.dtype),
)
steps.mistake(
    "The exponent is upside down: d_model / (2i) stands where 2i / d_model is meant.",
    frequency=lambda i, d, base: base ** (-d / (2 * i)),
)
steps.mistake(
    "The exponent is upside down, and i counts from 1. It is 2i / d_model, for i = 0, 1, 2 …",
    frequency=lambda i, d, base: base ** (-d / (2 * i + 2)),
)


@sinusoidal.mistake(
    "The frequency multiplies the sine and the cosine. It belongs inside, into the angle: sin(position · frequency)."
)
def frequency_outside(place, d_model, base):
    f = base ** (-torch.arange(0, d_model, 2, dtype=place.dtype) / d_model)
    return alternating(place.sin()[:, None] * f, place.cos()[:, None] * f)


@sinusoidal.mistake(
    "Rows alternate in place of columns: one position gets sines, the next cosines. In every row columns 0, 2, 4 … are sines, 1, 3, 5 … cosines."
)
def rows_alternate(place, d_model, base):
    angles = place[:, None] * base ** (-torch.arange(0, d_model, 2, dtype=place.dtype) / d_model)
    angles = angles.repeat_interleave(2, -1)
    return torch.where(torch.arange(len(place))[:, None] % 2 == 0, angles.sin(), angles.cos())


@sinusoidal.mistake(
    "The sines are written into the first half of the columns, the cosines into every second one, over them. The sines belong into columns 0, 2, 4 …: table[:, 0::2]."
)
def half_overwritten(place, d_model, base):
    angles = place[:, None] * base ** (-torch.arange(0, d_model, 2, dtype=place.dtype) / d_model)
    table = torch.cat([angles.sin(), torch.zeros_like(angles)], -1)
    table[:, 1::2] = angles.cos()
    return table


@sinusoidal.mistake(
    "You write pair i into columns i and i + 1, so each pair covers half of the one before. It belongs into columns 2i and 2i + 1."
)
def one_column_apart(place, d_model, base):
    table = torch.zeros(len(place), d_model, dtype=place.dtype)
    for i in range(d_model // 2):
        angle = place * base ** (-2 * i / d_model)
        table[:, i], table[:, i + 1] = angle.sin(), angle.cos()
    return table


@sinusoidal.mistake(
    "i runs over all d_model, so there are twice as many columns. d_model numbers are d_model/2 pairs: i = 0 … d_model/2 − 1."
)
def a_pair_for_each_number(place, d_model, base):
    angles = angles_of_columns(place, d_model, base, lambda column, d: -2 * column / d)
    return alternating(angles.sin(), angles.cos())


@sinusoidal.mistake(
    "The cosines belong to the next pair's angle, 2(i + 1)/d_model. Sine and cosine of a pair share one: columns 2i and 2i + 1 both have base^(−2i/d_model)."
)
def cosine_of_the_next_pair(place, d_model, base):
    even, odd = (
        angles_of_columns(place, d_model, base, lambda column, d, more=more: -(column + more) / d)[:, 0::2]
        for more in (0, 2)
    )
    return alternating(even.sin(), odd.cos())


@sinusoidal.symptom("You turn the angles into degrees. torch.sin takes radians: position · frequency as it is.")
def degrees(inputs, answer):
    place, *rest = inputs
    return torch.allclose(answer, positions.sinusoids(180 / math.pi * place, *rest), atol=1e-2)


@sinusoidal.symptom(
    "All pairs turn at the same speed: your exponent lacks its i. Pair i has the frequency base ** (−2i / d_model)."
)
def one_frequency(inputs, answer):
    return answer.shape[1] > 2 and torch.allclose(answer[:, 2:], answer[:, :-2], atol=1e-4)


@sinusoidal.symptom(
    "All your numbers lie between 0 and 1. Sines and cosines reach from −1 to 1: leave them as they are."
)
def never_negative(inputs, answer):
    return bool((answer >= 0).all()) and bool((positions.sinusoids(*inputs) < -0.1).any())


@sinusoidal.symptom(
    "Some columns are empty, 0 in every row. Does your loop reach every pair, i = 0 … d_model/2 − 1, and both its columns, 2i and 2i + 1?"
)
def empty_columns(inputs, answer):
    return bool((answer == 0).all(0).any()) and bool((inputs[0] != 0).any())


@sinusoidal.symptom(
    "All the sines stand first, then all the cosines; they should alternate. And their angles aren't position · base ** (−2i / d_model)."
)
def halves_are_pairs(inputs, answer):
    first, second = answer.chunk(2, dim=-1)
    return answer.shape[1] > 2 and torch.allclose(first**2 + second**2, torch.ones((), dtype=answer.dtype), atol=1e-3)


@sinusoidal.symptom(
    "The two numbers of a pair don't belong together: of one angle, sin² + cos² = 1. Columns 2i and 2i + 1 are sine and cosine of the same angle."
)
def no_pairs(inputs, answer):
    return not torch.allclose(
        answer[:, 0::2] ** 2 + answer[:, 1::2] ** 2, torch.ones((), dtype=answer.dtype), atol=1e-3
    )


@sinusoidal.symptom(
    "The first pair is right, the later ones aren't: look at the exponent. Pair i has the frequency base ** (−2i / d_model), for i = 0, 1, 2 …"
)
def exponent(inputs, answer):
    return torch.allclose(answer[:, :2], positions.sinusoids(*inputs)[:, :2], atol=1e-3)


@sinusoidal.symptom(
    "Each pair is sine and cosine of one angle, but already the first pair's isn't the position itself. Pair 0 has the frequency 1: look at the positions, and at where i begins."
)
def first_angle(inputs, answer):
    return not torch.allclose(answer[:, :2], positions.sinusoids(*inputs)[:, :2], atol=1e-3)


@sinusoidal.mistake(
    "Every column has a frequency of its own. Sine and cosine of a pair share one: columns 2i and 2i + 1 both have base^(−2i/d_model)."
)
def own_frequency_each(place, d_model, base):
    angles = angles_of_columns(place, d_model, base, lambda column, d: -column / d)
    return alternating(angles[:, 0::2].sin(), angles[:, 1::2].cos())


@sinusoidal.mistake(
    "You put the column's number in for i: the exponent is 2 · column / d_model. Columns 2i and 2i + 1 are both of pair i, with exponent 2i / d_model."
)
def odd_columns_count_on(place, d_model, base):
    angles = angles_of_columns(place, d_model, base, lambda column, d: -2 * column / d)
    return alternating(angles[:, 0::2].sin(), angles[:, 1::2].cos())


@sinusoidal.mistake("There is a pair too many. d_model numbers are d_model/2 pairs: torch.arange(0, d_model, 2).")
def one_pair_more(place, d_model, base):
    angles = place[:, None] * base ** (-torch.arange(0, d_model + 2, 2, dtype=place.dtype) / d_model)
    return alternating(angles.sin(), angles.cos())
