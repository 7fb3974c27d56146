"""The learning rate of "Attention Is All You Need": it rises in a line, then falls with the root of the step."""

import math

from course_lib import training
from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer


def _lrate(step, d_model, warmup=4000):
    return training.inverse_sqrt(step, d_model, warmup)


def _rising(g):
    warmup = integer(g, 50, 400)
    return integer(g, 2, warmup // 2), integer(g, 20, 300), warmup


def _early(g):
    """Here every power of the step and of the warm-up gives another number."""
    return integer(g, 2, 5), integer(g, 20, 300), integer(g, 100, 400)


def _falling(g):
    warmup = integer(g, 50, 400)
    return integer(g, 2 * warmup, 9 * warmup), integer(g, 20, 300), warmup


def _highest(g):
    warmup = integer(g, 50, 400)
    return warmup, integer(g, 20, 300), warmup


lrate = Code(
    "09.lrate",
    title="The learning rate of the paper",
    points=2,
    minutes=8,
    difficulty=1,
    reference=_lrate,
    forbidden=("inverse_sqrt",),
    rtol=1e-4,
    axes=["learning rate"],
    atol=1e-12,  # rates are small numbers
    cases=[
        Case("while it rises", _rising),
        Case("early in the rise", _early),
        Case("while it falls", _falling),
        Case("at its highest", _highest),
        Case("the very first step", lambda g: (1, integer(g, 20, 300), integer(g, 50, 400))),
        Case("the paper's own numbers", lambda g: (integer(g, 5_000, 100_000), 512, 4000)),
        Case("a step before its highest", lambda g: (99, 64, 100)),
        Case("a step after its highest", lambda g: (101, 64, 100)),
        Case("a warm-up of one step", lambda g: (integer(g, 2, 50), 64, 1)),
        Case("warm-up not given", lambda g: (integer(g, 100, 3000), integer(g, 20, 300))),
    ],
    hints=[
        "Two lines meet at step = warmup. The formula takes the smaller of them at every step.",
        "d_model ** -0.5 * min(step ** -0.5, …). The second one grows with the step.",
        "The second is step * warmup ** -1.5: at step = warmup that is warmup ** -0.5, what the first one is there.",
    ],
)


@lrate.variants
def steps(
    step,
    d_model,
    warmup=4000,
    *,
    width=lambda d: d**-0.5,
    falls=lambda step, warmup: step**-0.5,
    rises=lambda step, warmup: step * warmup**-1.5,
    chosen=min,
    count=lambda step: step,
    last=lambda rate: rate,
    factor=lambda step, d_model, warmup: 1,
):
    step = count(step)
    rate = width(d_model) * chosen(falls(step, warmup), rises(step, warmup))
    return last(rate * factor(step, d_model, warmup))


def ramp(step, warmup):
    return step * warmup**-1.5


steps.mistake(
    "It starts far too high, and never stops rising: you take the larger of the two. The smaller one counts, min.",
    chosen=max,
)
steps.mistake("You add the two. The smaller of them counts at each step: min(…, …).", chosen=lambda a, b: a + b)
steps.mistake("You multiply the two. The smaller of them counts at each step: min(…, …).", chosen=lambda a, b: a * b)
steps.mistake("You take the mean of the two. The smaller of them counts at each step.", chosen=lambda a, b: (a + b) / 2)
steps.mistake(
    "Your rate grows with d_model: wider models get *smaller* steps, d_model to the power of −½.",
    width=lambda d: d**0.5,
)
steps.mistake("d_model isn't used. The whole is multiplied by d_model to the power of −½.", width=lambda d: 1.0)
steps.mistake("You divide by d_model. Divide by its root: to the power of −½.", width=lambda d: 1 / d)
steps.mistake("You multiply by d_model. It is divided by the root of d_model.", width=lambda d: d)
steps.mistake("d_model is always 512 with you. Use the argument.", width=lambda d: 512**-0.5)
steps.mistake("The power of d_model is −½; yours is −1.5.", width=lambda d: d**-1.5)
steps.mistake(
    "The warm-up is always 4000 steps with you. Use the argument `warmup`.", rises=lambda step, warmup: ramp(step, 4000)
)
steps.mistake("It never falls: the part step^−½ is missing.", chosen=lambda a, b: b)
steps.mistake(
    "There is no warm-up: the rate is highest at the first step. The second part, step · warmup^−1.5, is missing, or never the smaller one (has its power the minus?).",
    chosen=lambda a, b: a,
)
steps.mistake(
    "The rise is too steep: the two parts should meet at step = warmup, so it takes warmup to the power of −1.5, not −½.",
    rises=lambda step, warmup: step * warmup**-0.5,
)
steps.mistake(
    "The rise ends at 1: step / warmup. It should end where the fall begins, at warmup^−½: step · warmup^−1.5.",
    rises=lambda step, warmup: step / warmup,
)
steps.mistake("The step isn't in the rising part: step · warmup^−1.5.", rises=lambda step, warmup: warmup**-1.5)
steps.mistake("The falling part rises: step to the power of −½, with a minus.", falls=lambda step, warmup: step**0.5)
steps.mistake("It falls too fast: step to the power of −½, not −1.", falls=lambda step, warmup: 1 / step)
steps.mistake("It falls too fast: step to the power of −½, not −1.5.", falls=lambda step, warmup: step**-1.5)
steps.mistake(
    "You count from 0 and add 1. Here steps count from 1, since 0^−½ would be infinite: take `step` as it is.",
    count=lambda step: step + 1,
)
steps.mistake(
    "step − 1 is 0 at the first step, and 0^−½ would be infinite. Steps count from 1: take `step` as it is.",
    count=lambda step: step - 1,
)
steps.mistake(
    "The ½ belongs to the lesson's own run. The formula of the paper has none.", width=lambda d: 0.5 * d**-0.5
)
steps.mistake(
    "`//` throws the fraction away: before step = warmup nothing is left of step / warmup. Divide with /.",
    rises=lambda step, warmup: step // warmup * warmup**-0.5,
)
BINDS = "In Python `{}` is halved at the end, {}: the power binds more tightly than the division. Write the power as -0.5 or -1.5, or in brackets."
HALVES = {
    "width": ("d_model ** -1/2", "(1/d_model) / 2", lambda d: d**-1 / 2),
    "falls": ("step ** -1/2", "(1/step) / 2", lambda step, warmup: step**-1 / 2),
    "rises": ("warmup ** -3/2", "(warmup ** -3) / 2", lambda step, warmup: step * warmup**-3 / 2),
}
for name, (code, value, half) in HALVES.items():
    steps.mistake(BINDS.format(code, value), **{name: half})
steps.mistake(
    BINDS.format("x ** -1/2", "(1/x) / 2, everywhere"), **{name: half for name, (_, _, half) in HALVES.items()}
)
steps.mistake(
    BINDS.format("x ** -1/2", "(1/x) / 2, in both places"), width=HALVES["width"][2], falls=HALVES["falls"][2]
)
steps.mistake(
    "You take 1 off the step. Steps count from 1 here; 0^−½ would be infinite.", count=lambda step: max(step - 1, 1)
)
steps.mistake(
    "After the warm-up your rate stays at its highest. It falls from there, as step^−½.",
    falls=lambda step, warmup: warmup**-0.5,
)
steps.mistake("The rise is bent: it goes in a line, step · warmup^−1.5.", rises=lambda step, warmup: step**0.5 / warmup)
steps.mistake(
    "The rise is bent: it goes in a line, with the step itself and not its square, step · warmup^−1.5.",
    rises=lambda step, warmup: step**2 * warmup**-2.5,
)
steps.mistake(
    "You multiply by −1.5 in the rising part. It is a power: step * warmup ** -1.5.",
    rises=lambda step, warmup: step * warmup * -1.5,
)
for power, written in ((-2, "−2"), (-0.25, "−¼"), (-1 / 3, "−⅓"), (0.25, "¼"), (2, "2")):
    steps.mistake(
        f"d_model has the power {written} with you. It is −½: divide by its root, once.",
        width=lambda d, power=power: d**power,
    )
for power, written in ((-2, "−2"), (-0.25, "−¼"), (-1 / 3, "−⅓"), (-0.75, "−¾"), (0, "0")):
    steps.mistake(
        f"In the falling part the step has the power {written} with you. It is −½, one over the root of the step.",
        falls=lambda step, warmup, power=power: step**power,
    )
RISES = (  # powers of the step and of the warm-up, as they are written
    (1, -0.75), (1, -2), (1, -3), (1, -1.25), (1, -2 / 3), (1, -0.25), (0.5, -1.5), (-1.5, -1.5), (-1, -1.5), (2, -1.5),
    (-1.5, 1), (0, -0.5), (0, -1), (2, -2), (0.5, -0.5), (0.5, -2), (1.5, -2), (-1, -1), (-0.5, -1),
)  # fmt: skip
WRITTEN = {0.5: "½", 1.5: "1.5", 0.75: "¾", 0.25: "¼", 2 / 3: "⅔", 1.25: "1.25", 1: "1", 2: "2", 3: "3", 0: "0"}
for a, b in RISES:
    of_step, of_warmup = ("−" * (power < 0) + WRITTEN[abs(power)] for power in (a, b))
    steps.mistake(
        f"The rising part should be step · warmup^−1.5. With you the step has the power {of_step} in it, and warmup the power {of_warmup}.",
        rises=lambda step, warmup, a=a, b=b: step**a * warmup**b,
    )
for says, rises in {
    "warmup counts twice in the rising part. It is step · warmup^−1.5.": lambda s, w: s * (2 * w) ** -1.5,
    "warmup is halved in the rising part. It is step · warmup^−1.5.": lambda s, w: s * (w / 2) ** -1.5,
    "1 is added to warmup in the rising part. It is step · warmup^−1.5.": lambda s, w: s * (w + 1) ** -1.5,
    "You divide by 1.5 · warmup in the rising part. 1.5 is a power: step * warmup ** -1.5.": lambda s, w: s / (1.5 * w),
    "The power −1.5 stands at both, the step and warmup, (step / warmup)^1.5. Only warmup has it: step · warmup^−1.5.": lambda s, w: (
        (s / w) ** 1.5
    ),
    "The rising part begins anew when the warm-up is over: you take the rest of a division, %. It is step · warmup^−1.5.": lambda s, w: (
        (s % w) * w**-1.5
    ),
}.items():
    steps.mistake(says, rises=rises)
steps.mistake(
    "You take the difference of the two. The smaller counts at each step: min(…, …).", chosen=lambda a, b: a - b
)
steps.mistake("You divide the one by the other. The smaller counts at each step: min(…, …).", chosen=lambda a, b: a / b)
for name, size in {
    "warmup": lambda step, d_model, warmup: warmup,
    "warmup^1.5": lambda step, d_model, warmup: warmup**1.5,
    "step": lambda step, d_model, warmup: step,
    "the root of the step": lambda step, d_model, warmup: step**0.5,
    "3": lambda step, d_model, warmup: 3,
    "10": lambda step, d_model, warmup: 10,
    "1000": lambda step, d_model, warmup: 1000,
}.items():
    steps.mistake(f"The whole is multiplied by {name}, which is one factor too many.", factor=size)
    steps.mistake(
        f"The whole is divided by {name}, which isn't in the formula, or is there already.",
        factor=lambda step, d_model, warmup, size=size: 1 / size(step, d_model, warmup),
    )
steps.mistake(
    "Rise and fall meet at 1 with you, so the rate is √warmup times too large everywhere. They meet at warmup^−½: step · warmup^−1.5, and step^−½.",
    factor=lambda step, d_model, warmup: warmup**0.5,
)
steps.mistake(
    "The rate is √warmup times too small everywhere. Rise and fall meet at warmup^−½: step · warmup^−1.5, and step^−½.",
    factor=lambda step, d_model, warmup: warmup**-0.5,
)
for says, width in {
    "The root of d_model is cut to a whole number. Take d_model ** -0.5.": lambda d: 1 / int(d**0.5),
    "You take the logarithm of d_model where its root is meant: d_model ** -0.5.": lambda d: 1 / math.log(d),
    "You multiply d_model by −½. It is a power: d_model ** -0.5.": lambda d: -0.5 * d,
    "You take ½ off d_model. −½ is its power: d_model ** -0.5.": lambda d: d - 0.5,
    "You divide by d_model / 2. −½ is a power: d_model ** -0.5.": lambda d: 2 / d,
    "You take 1 off d_model. It is d_model ** -0.5.": lambda d: (d - 1) ** -0.5,
}.items():
    steps.mistake(says, width=width)
for says, falls in {
    "You multiply the step by −½ in the falling part. It is a power: step ** -0.5.": lambda step, warmup: step * -0.5,
    "You take ½ off the step in the falling part. −½ is its power: step ** -0.5.": lambda step, warmup: step - 0.5,
    "The root of the step is cut to a whole number. Take step ** -0.5.": lambda step, warmup: 1 / int(step**0.5),
    "You take a logarithm of the step where its root is meant: step ** -0.5.": lambda step, warmup: (
        1 / math.log(step + 1)
    ),
    "In the falling part step is divided by warmup, so it is √warmup times too large: step ** -0.5.": lambda step, warmup: (
        (step / warmup) ** -0.5
    ),
    "In the falling part step is multiplied by warmup. warmup isn't in it: step ** -0.5.": lambda step, warmup: (
        (step * warmup) ** -0.5
    ),
}.items():
    steps.mistake(says, falls=falls)
steps.mistake(
    "You take 1.5 off warmup. −1.5 is its power: step * warmup ** -1.5.",
    rises=lambda step, warmup: step * (warmup - 1.5),
)
steps.mistake(
    "You take warmup ** -1.5 off the step. The step is multiplied by it: step * warmup ** -1.5.",
    rises=lambda step, warmup: step - warmup**-1.5,
)
for says, last in {
    "The sign is wrong: a rate is never negative. The minus belongs in the power.": lambda rate: -rate,
    "The rate is twice what it should be: there is no 2 in the formula.": lambda rate: 2 * rate,
    "int cuts a rate to 0: it is a small number, far below 1.": lambda rate: int(rate),
    "That is the logarithm of the rate. The rate itself is asked for.": lambda rate: math.log(rate),
    "That is the square of the rate.": lambda rate: rate**2,
    "At last you take a root of the rate. The roots are those of d_model and of the step alone.": lambda rate: (
        rate**0.5
    ),
    "At last you take 1 off.": lambda rate: rate - 1,
}.items():
    steps.mistake(says, last=last)


@lrate.mistake("That is the share of the highest rate, up to 1. The rate itself is asked for, d_model^−½ · min(…).")
def share_of_the_highest(step, d_model, warmup=4000):
    return _lrate(step, d_model, warmup) / _lrate(warmup, d_model, warmup)


@lrate.mistake(
    "After the warm-up your rate begins to fall from another value: it falls as step^−½, counted from the first step, not from the end of the warm-up."
)
def counts_from_the_warm_up(step, d_model, warmup=4000):
    return d_model**-0.5 * (step * warmup**-1.5 if step <= warmup else (step - warmup) ** -0.5)


@lrate.mistake(
    "The rise ends at d_model^−½, and there the rate drops: step / warmup rises to 1. It should end where the fall begins, at warmup^−½: step · warmup^−1.5."
)
def rises_to_one(step, d_model, warmup=4000):
    return d_model**-0.5 * (step / warmup if step < warmup else step**-0.5)


@lrate.mistake("After the warm-up your rate falls as 1/step. It falls as step^−½, more slowly.")
def falls_as_one_over_step(step, d_model, warmup=4000):
    return _lrate(min(step, warmup), d_model, warmup) * min(1, warmup / step)


@lrate.mistake("After the warm-up your rate falls in a line, to 0. It falls as step^−½, and never gets there.")
def falls_in_a_line(step, d_model, warmup=4000):
    return _lrate(warmup, d_model, warmup) * min(step / warmup, max(0, 2 - step / warmup))


for digits in (2, 3, 4, 5, 6):

    @lrate.mistake(f"You round to {digits} digits. Rates are small numbers: return it as it is, with all its digits.")
    def rounded(step, d_model, warmup=4000, digits=digits):
        return round(_lrate(step, d_model, warmup), digits)


@lrate.mistake("You multiply by −½ and −1.5. They are powers: x ** -0.5.")
def factors_for_powers(step, d_model, warmup=4000):
    return d_model * -0.5 * min(step * -0.5, step * warmup * -1.5)


@lrate.mistake("That is the highest rate, at every step. It rises to it, and falls from there.")
def always_the_highest(step, d_model, warmup=4000):
    return _lrate(warmup, d_model, warmup)


@lrate.mistake("The minus signs of all powers are lost: step^−½, warmup^−1.5, d_model^−½.")
def no_minus(step, d_model, warmup=4000):
    return d_model**0.5 * min(step**0.5, step * warmup**1.5)


@lrate.mistake("The falling part counts from the end of the warm-up. It is step^−½, with steps counted from the first.")
def falls_from_the_warm_up(step, d_model, warmup=4000):
    return d_model**-0.5 * min(max(step - warmup, 1) ** -0.5, step * warmup**-1.5)


@lrate.mistake("step and d_model have changed places.")
def step_for_width(step, d_model, warmup=4000):
    return _lrate(d_model, step, warmup)


@lrate.mistake("d_model and warmup have changed places.")
def places_changed(step, d_model, warmup=4000):
    return _lrate(step, warmup, d_model)


@lrate.mistake("Only the first part is multiplied by d_model^−½: both are, d_model ** -0.5 * min(…, …).")
def brackets(step, d_model, warmup=4000):
    return min(d_model**-0.5 * step**-0.5, step * warmup**-1.5)


@lrate.mistake("The whole is multiplied by d_model^−½, the falling part, too, not only the rising one.")
def brackets_on_the_right(step, d_model, warmup=4000):
    return min(step**-0.5, d_model**-0.5 * step * warmup**-1.5)


@lrate.mistake("That is one over the rate: all the minus signs of the powers are lost.")
def upside_down(step, d_model, warmup=4000):
    return 1 / _lrate(step, d_model, warmup)


@lrate.mistake("After the warm-up d_model is missing. The whole is multiplied by d_model^−½, before and after.")
def no_width_after(step, d_model, warmup=4000):
    return _lrate(step, d_model if step <= warmup else 1, warmup)


@lrate.mistake("While it rises d_model is missing. The whole is multiplied by d_model^−½, before and after.")
def no_width_before(step, d_model, warmup=4000):
    return _lrate(step, 1 if step <= warmup else d_model, warmup)


@lrate.mistake("min(…, …) stands in the power of d_model. The power is −½ alone: d_model ** -0.5 * min(…, …).")
def all_in_the_power(step, d_model, warmup=4000):
    return d_model ** (-0.5 * min(step**-0.5, step * warmup**-1.5))


@lrate.mistake("d_model stands beside warmup under its power, (d_model · warmup)^−1.5. It has a power of its own, −½.")
def width_with_the_warm_up(step, d_model, warmup=4000):
    return min((d_model * step) ** -0.5, step * (d_model * warmup) ** -1.5)


@lrate.mistake(
    "d_model^−½ is one of three among which you take the smallest. It multiplies the smaller of the two others."
)
def smallest_of_three(step, d_model, warmup=4000):
    return min(d_model**-0.5, step**-0.5, step * warmup**-1.5)


@lrate.mistake("You add d_model^−½. The smaller of the two is multiplied by it.")
def width_added(step, d_model, warmup=4000):
    return d_model**-0.5 + min(step**-0.5, step * warmup**-1.5)


@lrate.mistake(
    "min(…) is closed too early: warmup^−1.5 multiplies both parts. It belongs to the second alone: min(step ** -0.5, step * warmup ** -1.5)."
)
def closed_too_early(step, d_model, warmup=4000):
    return d_model**-0.5 * min(step**-0.5, step) * warmup**-1.5


@lrate.mistake("The power −½ is taken of min(…), not of d_model: d_model ** -0.5 * min(…, …).")
def power_of_the_smaller(step, d_model, warmup=4000):
    return d_model * min(step**-0.5, step * warmup**-1.5) ** -0.5


@lrate.mistake("The power −½ is taken of the whole product. It belongs to d_model alone: d_model ** -0.5 * min(…, …).")
def power_of_all(step, d_model, warmup=4000):
    return (d_model * min(step**-0.5, step * warmup**-1.5)) ** -0.5


@lrate.mistake("min(…, …) stands under the line with √d_model. It multiplies: min(…, …) / √d_model.")
def smaller_below(step, d_model, warmup=4000):
    return 1 / (d_model**0.5 * min(step**-0.5, step * warmup**-1.5))


@lrate.mistake(
    "The rise ends at 1 and the rate stays there, times d_model^−½. It rises to warmup^−½, step · warmup^−1.5, and then falls, step^−½."
)
def rises_to_one_and_stays(step, d_model, warmup=4000):
    return d_model**-0.5 * min(step / warmup, 1)


@lrate.mistake("-1//2 is a whole number in Python, −1, and -3//2 is −2. Write the powers as -0.5 and -1.5.")
def whole_powers(step, d_model, warmup=4000):
    return d_model ** (-1 // 2) * min(step ** (-1 // 2), step * warmup ** (-3 // 2))


@lrate.mistake(
    "Each root is taken twice: √x ** -0.5 is x to the power of −¼. Write d_model ** -0.5, step ** -0.5, warmup ** -1.5."
)
def roots_twice(step, d_model, warmup=4000):
    return d_model**-0.25 * min(step**-0.25, step * warmup**-0.75)


@lrate.mistake("After the warm-up your rate falls exponentially. It falls as step^−½, more slowly.")
def falls_exponentially(step, d_model, warmup=4000):
    return _lrate(min(step, warmup), d_model, warmup) * min(1.0, math.exp(1 - step / warmup))


@lrate.mistake(
    "The step doesn't count with you, the rate is d_model^−½ · warmup^−1.5 at every step. The step multiplies the second part, not the first: min(step ** -0.5, step * warmup ** -1.5)."
)
def step_in_the_other_part(step, d_model, warmup=4000):
    return d_model**-0.5 * min(step**-0.5 * step, warmup**-1.5)


@lrate.mistake("Both parts come back. At each step the smaller of them counts: min(…, …).")
def both_parts(step, d_model, warmup=4000):
    return d_model**-0.5 * step**-0.5, d_model**-0.5 * step * warmup**-1.5


@lrate.mistake("d_model and step are added under the root. They are multiplied: d_model ** -0.5 * step ** -0.5.")
def added_under_the_root(step, d_model, warmup=4000):
    return min((d_model + step) ** -0.5, d_model**-0.5 * step * warmup**-1.5)


@lrate.mistake("The minus signs are lost at d_model and at the falling step: d_model ** -0.5, step ** -0.5.")
def two_minuses_lost(step, d_model, warmup=4000):
    return d_model**0.5 * min(step**0.5, step * warmup**-1.5)


@lrate.mistake(
    "The root is taken of min(…) as a whole. The two parts have powers of their own: min(step ** -0.5, step * warmup ** -1.5)."
)
def smaller_before_the_power(step, d_model, warmup=4000):
    return d_model**-0.5 * min(step, step / warmup) ** -0.5


@lrate.mistake("In the rising part d_model stands where warmup should: step · warmup^−1.5.")
def width_for_warmup(step, d_model, warmup=4000):
    return d_model**-0.5 * min(step**-0.5, step * d_model**-1.5)


@lrate.mistake("You add 1 to the step in the falling part. Steps count from 1 here: take `step` as it is, in both.")
def later_in_the_fall(step, d_model, warmup=4000):
    return d_model**-0.5 * min((step + 1) ** -0.5, step * warmup**-1.5)


@lrate.mistake("You add 1 to the step in the rising part. Steps count from 1 here: take `step` as it is, in both.")
def later_in_the_rise(step, d_model, warmup=4000):
    return d_model**-0.5 * min(step**-0.5, (step + 1) * warmup**-1.5)
