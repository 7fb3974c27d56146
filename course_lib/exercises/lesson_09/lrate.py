"""The learning rate of "Attention Is All You Need": it rises in a line, then falls with the root of the step."""

from course_lib import training
from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer


def _lrate(step, d_model, warmup=4000):
    return training.inverse_sqrt(step, d_model, warmup)


def _rising(g):
    warmup = integer(g, 50, 400)
    return integer(g, 2, warmup // 2), integer(g, 20, 300), warmup


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
    falls=lambda step: step**-0.5,
    rises=lambda step, warmup: step * warmup**-1.5,
    chosen=min,
    count=lambda step: step,
):
    step = count(step)
    return width(d_model) * chosen(falls(step), rises(step, warmup))


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
steps.mistake("The falling part rises: step to the power of −½, with a minus.", falls=lambda step: step**0.5)
steps.mistake("It falls too fast: step to the power of −½, not −1.", falls=lambda step: 1 / step)
steps.mistake("It falls too fast: step to the power of −½, not −1.5.", falls=lambda step: step**-1.5)
steps.mistake(
    "You count from 0 and add 1. Here steps count from 1, since 0^−½ would be infinite: take `step` as it is.",
    count=lambda step: step + 1,
)
steps.mistake(
    "You take 1 off the step. Steps count from 1 here; 0^−½ would be infinite.", count=lambda step: max(step - 1, 1)
)


@lrate.mistake("That is the share of the highest rate, up to 1. The rate itself is asked for, d_model^−½ · min(…).")
def share_of_the_highest(step, d_model, warmup=4000):
    return _lrate(step, d_model, warmup) / _lrate(warmup, d_model, warmup)


@lrate.mistake("After the warm-up your rate stays at its highest. It falls from there, as step^−½.")
def stays_up(step, d_model, warmup=4000):
    return _lrate(min(step, warmup), d_model, warmup)


@lrate.mistake(
    "After the warm-up your rate begins to fall from another value: it falls as step^−½, counted from the first step, not from the end of the warm-up."
)
def counts_from_the_warm_up(step, d_model, warmup=4000):
    return d_model**-0.5 * (step * warmup**-1.5 if step <= warmup else (step - warmup) ** -0.5)


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
