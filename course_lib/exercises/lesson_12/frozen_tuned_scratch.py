"""What pretraining buys: the gain over two others, seed by seed, and how sure we can be of it."""

import torch

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer

FROZEN, TUNED, SCRATCH = range(3)


def _frozen_tuned_scratch(accuracy):
    frozen, tuned, scratch = accuracy
    difference = torch.stack([tuned - frozen, tuned - scratch])  # (2, counts, seeds)
    return difference.mean(-1), difference.std(-1) / difference.shape[-1] ** 0.5


def _runs(g, counts, seeds, dtype=torch.float32, ways=(0.70, 0.85, 0.55)):
    """Accuracies (3, counts, seeds): some draws of labels are luckier than others, for all three ways alike."""
    base = torch.tensor(ways, dtype=dtype)[:, None, None] + 0.03 * torch.arange(counts)[:, None] ** 0.5
    luck = torch.rand(counts, seeds, generator=g, dtype=dtype) - 0.5
    own = torch.rand(3, counts, seeds, generator=g, dtype=dtype) - 0.5
    return ((base + 0.16 * luck + 0.08 * own).to(dtype).clamp(max=1.0),)


frozen_tuned_scratch = Code(
    "12.frozen_tuned_scratch",
    title="More than luck?",
    points=3,
    minutes=12,
    difficulty=2,
    reference=_frozen_tuned_scratch,
    axes=["pair counts", "pair counts"],
    results=("gain", "error"),
    atol=1e-6,
    cases=[
        Case("four label counts, five seeds", lambda g: _runs(g, 4, 5)),
        Case("one label count", lambda g: _runs(g, 1, 5)),
        Case("two seeds", lambda g: _runs(g, 3, 2)),
        Case("as many label counts as seeds", lambda g: _runs(g, 3, 3)),
        Case("five label counts, three seeds", lambda g: _runs(g, 5, 3)),
        Case("any sizes", lambda g: _runs(g, integer(g, 2, 6), integer(g, 6, 12))),
        Case("double precision", lambda g: _runs(g, 4, 5, dtype=torch.float64)),
        Case("tuning gains little, or loses", lambda g: _runs(g, 4, 6, ways=(0.72, 0.70, 0.70))),
    ],
    hints=[
        "frozen, tuned, scratch = accuracy: each is (counts, seeds). A seed has the same labels in all three: subtract before you average.",
        "torch.stack([tuned - frozen, tuned - scratch]) is (2, counts, seeds). Over which axis goes the mean?",
        "x.std(-1) divides by seeds − 1, as asked for. Divided by √seeds it is the standard error of the mean.",
    ],
)


def against_both(accuracy):
    frozen, tuned, scratch = accuracy
    return torch.stack([tuned - frozen, tuned - scratch])


def paired_error(difference, accuracy):
    return difference.std(-1) / difference.shape[-1] ** 0.5


def unpaired_error(difference, accuracy):
    frozen, tuned, scratch = accuracy.var(-1) / accuracy.shape[-1]
    return torch.stack([tuned + frozen, tuned + scratch]).sqrt()


@frozen_tuned_scratch.variants
def steps(
    accuracy,
    *,
    difference=against_both,
    mean=lambda difference: difference.mean(-1),
    error=paired_error,
    result=lambda gain, error: (gain, error),
):
    each = difference(accuracy)
    return result(mean(each), error(each, accuracy))


steps.mistake(
    "Your error takes the runs as if they had nothing to do with each other: the two variances are added. A seed has the same labels for both: take the differences first, seed by seed, then *their* standard error.",
    error=unpaired_error,
)
steps.mistake(
    "Your error is made of the two standard deviations subtracted. Take the differences first, seed by seed, then *their* standard error.",
    error=lambda difference, accuracy: against_both(accuracy.std(-1)) / accuracy.shape[-1] ** 0.5,
)
steps.mistake(
    "Your error adds the two standard errors. Take the differences first, seed by seed, then *their* standard error.",
    error=lambda difference, accuracy: (
        torch.stack([accuracy[TUNED].std(-1) + accuracy[other].std(-1) for other in (FROZEN, SCRATCH)])
        / accuracy.shape[-1] ** 0.5
    ),
)
steps.mistake(
    "Your error is that of the tuned runs alone, both times. Asked for is the error of the *gain*: of the differences.",
    error=lambda difference, accuracy: accuracy[[TUNED, TUNED]].std(-1) / accuracy.shape[-1] ** 0.5,
)
steps.mistake(
    "Your errors are those of the frozen and the scratch runs. Asked for is the error of the *gain*: of the differences.",
    error=lambda difference, accuracy: accuracy[[FROZEN, SCRATCH]].std(-1) / accuracy.shape[-1] ** 0.5,
)
steps.mistake(
    "That is the standard deviation of one run's gain. That of the mean is √seeds times smaller.",
    error=lambda difference, accuracy: difference.std(-1),
)
steps.mistake(
    "Your standard deviation divides by the number of seeds. With so few it is too small: by seeds − 1, as std does unless told otherwise.",
    error=lambda difference, accuracy: difference.std(-1, correction=0) / difference.shape[-1] ** 0.5,
)
steps.mistake(
    "You divide the standard deviation by seeds − 1 inside and by √seeds not at all: that of one run, too large, and with correction=0 besides.",
    error=lambda difference, accuracy: difference.std(-1, correction=0),
)
steps.mistake(
    "You divide by the number of seeds. Standard error: by its root.",
    error=lambda difference, accuracy: difference.std(-1) / difference.shape[-1],
)
steps.mistake(
    "You divide by √(seeds − 1) after dividing by seeds − 1 already. Standard error: the deviation, with seeds − 1, by √seeds.",
    error=lambda difference, accuracy: difference.std(-1) / (difference.shape[-1] - 1) ** 0.5,
)
steps.mistake(
    "You divide by the root of the number of label counts. The mean is over the seeds: √seeds.",
    error=lambda difference, accuracy: difference.std(-1) / (difference.shape[1] + 1e-12) ** 0.5,
)
steps.mistake(
    "The squares are of the differences themselves. A standard deviation squares what is left of them without their mean.",
    error=lambda difference, accuracy: (
        (difference.square().sum(-1) / (difference.shape[-1] - 1)).sqrt() / difference.shape[-1] ** 0.5
    ),
)
steps.mistake(
    "The mean that your deviations are counted from is that of all label counts. Each count has its own, over its seeds.",
    error=lambda difference, accuracy: (
        ((difference - difference.mean((1, 2), keepdim=True)).square().sum(-1) / (difference.shape[-1] - 1)).sqrt()
        / difference.shape[-1] ** 0.5
    ),
)
steps.mistake(
    "The runs are sorted before the difference: then the seeds don't belong together any more, and the labels that both ways share don't fall out.",
    difference=lambda accuracy: against_both(accuracy.sort(-1).values),
)
steps.mistake(
    "The gain's sum is divided by seeds − 1. That belongs to the deviation: a mean divides by the number of seeds.",
    mean=lambda difference: difference.sum(-1) / (difference.shape[-1] - 1),
)
steps.mistake(
    "√5 is right for five seeds. How many there are, accuracy says: its last axis.",
    error=lambda difference, accuracy: difference.std(-1) / 5**0.5,
)
steps.mistake(
    "The root is missing: that is the variance, divided by the number of seeds.",
    error=lambda difference, accuracy: difference.var(-1) / difference.shape[-1],
)
steps.mistake(
    "You divide the *variance* by √seeds. The standard deviation, its root.",
    error=lambda difference, accuracy: difference.var(-1) / difference.shape[-1] ** 0.5,
)
steps.mistake(
    "That is the variance. The standard error is the standard deviation divided by √seeds.",
    error=lambda difference, accuracy: difference.var(-1),
)
steps.mistake(
    "That is twice the standard error, an interval of 95 %. The standard error itself is asked for.",
    error=lambda difference, accuracy: 2 * paired_error(difference, accuracy),
)
steps.mistake(
    "That is 1.96 times the standard error, an interval of 95 %. The standard error itself is asked for.",
    error=lambda difference, accuracy: 1.96 * paired_error(difference, accuracy),
)
steps.mistake(
    "That is the distance of the largest from the smallest gain. The standard error is asked for.",
    error=lambda difference, accuracy: difference.amax(-1) - difference.amin(-1),
)
steps.mistake(
    "That is half the distance of the largest from the smallest gain. The standard error is asked for.",
    error=lambda difference, accuracy: (difference.amax(-1) - difference.amin(-1)) / 2,
)
steps.mistake(
    "That is the mean distance from the mean. The standard error is asked for.",
    error=lambda difference, accuracy: (difference - difference.mean(-1, keepdim=True)).abs().mean(-1),
)
steps.mistake(
    "The deviation of both gains together comes out. Each pair has its own.",
    error=lambda difference, accuracy: (
        difference.transpose(0, 1).flatten(1).std(-1).expand(2, -1) / difference.shape[-1] ** 0.5
    ),
)
steps.mistake(
    "The sign is turned round: the gain is tuned − frozen, and tuned − scratch.",
    difference=lambda accuracy: -against_both(accuracy),
)
steps.mistake(
    "Your second row is frozen − scratch. Both rows are of *tuned*: tuned − frozen, tuned − scratch.",
    difference=lambda accuracy: accuracy[[TUNED, FROZEN]] - accuracy[[FROZEN, SCRATCH]],
)
steps.mistake(
    "Your first row is frozen − scratch. It is tuned − frozen.",
    difference=lambda accuracy: accuracy[[FROZEN, TUNED]] - accuracy[[SCRATCH, SCRATCH]],
)
steps.mistake(
    "The two rows have changed places: first tuned − frozen, then tuned − scratch.",
    difference=lambda accuracy: against_both(accuracy).flip(0),
)
steps.mistake(
    "The three are unpacked in another order: frozen, tuned, scratch = accuracy.",
    difference=lambda accuracy: against_both(accuracy.roll(1, 0)),
)
steps.mistake(
    "The three are unpacked in another order: frozen, tuned, scratch = accuracy. Tuned is the second.",
    difference=lambda accuracy: against_both(accuracy[[TUNED, FROZEN, SCRATCH]]),
)
steps.mistake(
    "Scratch is taken for tuned: frozen, tuned, scratch = accuracy.",
    difference=lambda accuracy: against_both(accuracy[[FROZEN, SCRATCH, TUNED]]),
)
steps.mistake(
    "You take away the signs of the differences. Where tuning loses, a seed's gain is negative, and counts so.",
    difference=lambda accuracy: against_both(accuracy).abs(),
)
steps.mistake(
    "You take away the sign of the gain. Where tuning loses, it is negative.",
    mean=lambda difference: difference.mean(-1).abs(),
)
steps.mistake(
    "You put gains below 0 to 0. Where tuning loses, the gain is negative.",
    mean=lambda difference: difference.mean(-1).clamp(min=0),
)
steps.mistake(
    "You divide by the other's accuracy: a gain in per cent of it. The difference itself is asked for.",
    difference=lambda accuracy: against_both(accuracy) / accuracy[[FROZEN, SCRATCH]],
)
steps.mistake(
    "That is a quotient, tuned / frozen. The difference is asked for.",
    difference=lambda accuracy: accuracy[[TUNED, TUNED]] / accuracy[[FROZEN, SCRATCH]],
)
steps.mistake(
    "You divide by the errors that the other makes. The difference itself is asked for.",
    difference=lambda accuracy: against_both(accuracy) / (1 - accuracy[[FROZEN, SCRATCH]]),
)
steps.mistake(
    "That is in per cent. Shares are asked for, as they came in.",
    difference=lambda accuracy: 100 * against_both(accuracy),
)
steps.mistake(
    "You average over the label counts. The mean is over the seeds, the last axis: a gain for each label count.",
    mean=lambda difference: difference.mean(1),
    error=lambda difference, accuracy: difference.std(1) / difference.shape[1] ** 0.5,
)
steps.mistake(
    "One number for all label counts comes out. The mean is over the seeds alone: a gain for each label count.",
    mean=lambda difference: difference.mean((1, 2)),
    error=lambda difference, accuracy: (
        difference.flatten(1).std(-1) / (difference.shape[1] * difference.shape[2]) ** 0.5
    ),
)
steps.mistake("The gains of all seeds come out. Their mean is asked for.", mean=lambda difference: difference)
steps.mistake("That is the sum of the gains. Their mean is asked for.", mean=lambda difference: difference.sum(-1))
steps.mistake(
    "That is the luckiest seed's gain. The mean over the seeds is asked for.",
    mean=lambda difference: difference.amax(-1),
)
steps.mistake(
    "That is the unluckiest seed's gain. The mean over the seeds is asked for.",
    mean=lambda difference: difference.amin(-1),
)
steps.mistake(
    "That is the first seed's gain. The mean over the seeds is asked for.", mean=lambda difference: difference[..., 0]
)
steps.mistake(
    "That is the median of the gains. Their mean is asked for.", mean=lambda difference: difference.median(-1).values
)
steps.mistake(
    "You divide the gain by its error. Both are asked for, side by side.",
    result=lambda gain, error: (gain / error, error),
)
steps.mistake(
    "That is the interval from gain − error to gain + error. The two themselves are asked for.",
    result=lambda gain, error: (gain - error, gain + error),
)
steps.mistake(
    "The two results are in the wrong order: the gain first, then the error.", result=lambda gain, error: (error, gain)
)
steps.mistake(
    "The two pairs stand along the last axis with you. They are the rows: (2, counts).",
    result=lambda gain, error: (gain.mT, error.mT),
)
steps.mistake(
    "Gain and error of each pair come together. Return gain, error: each has both pairs, (2, counts).",
    result=lambda gain, error: (torch.stack([gain[0], error[0]]), torch.stack([gain[1], error[1]])),
)
steps.mistake(
    "Only the gain over frozen comes out. Both are asked for, (2, counts): over frozen, then over scratch.",
    result=lambda gain, error: (gain[0], error[0]),
)


@frozen_tuned_scratch.mistake(
    "Best against best: you compare each way's luckiest seed. Subtract seed by seed, then take the mean."
)
def best_against_best(accuracy):
    return against_both(accuracy.amax(-1)), _frozen_tuned_scratch(accuracy)[1]


@frozen_tuned_scratch.mistake("Median against median: subtract seed by seed, then take the mean.")
def median_against_median(accuracy):
    return against_both(accuracy.median(-1).values), _frozen_tuned_scratch(accuracy)[1]


@frozen_tuned_scratch.mistake(
    "The accuracies' means come out. The gains are asked for, tuned − frozen and tuned − scratch, and their errors."
)
def each_by_itself(accuracy):
    return accuracy.mean(-1), accuracy.std(-1) / accuracy.shape[-1] ** 0.5


@frozen_tuned_scratch.symptom("")
def one_is_right(inputs, answer):
    """What each row is made of, and which of the two results is right."""
    (accuracy,) = inputs
    gain, error = _frozen_tuned_scratch(accuracy)
    own_gain, own_error = answer
    rows = [_made_of(row, accuracy) for row in own_gain]
    if not torch.allclose(own_gain, gain, atol=1e-5) and all(rows):
        return f"Your gain is {rows[0]} in the first row, {rows[1]} in the second. It should be tuned − frozen and tuned − scratch, their means over the seeds."
    if torch.allclose(own_gain, gain, atol=1e-5):
        rows = [_kind_of_error(row, accuracy) for row in own_error]
        says = "It should be the standard deviation of the differences, with seeds − 1, divided by √seeds."
        if all(rows):
            return f"Your error is {rows[0]} in the first row, {rows[1]} in the second. {says}"
        return f"Only the error is wrong. {says}"
    if torch.allclose(own_error, error, atol=1e-5):
        return "Only the gain is wrong: the mean over the seeds of tuned − frozen, and of tuned − scratch."
    return False


def _made_of(row, accuracy):
    """A sum of the three ways' means, each with a factor of its own: found by least squares over the label counts."""
    if len(row) < 4:
        return None
    means = accuracy.mean(-1).mT.double()  # (counts, 3)
    factors = torch.linalg.lstsq(means, row[:, None].double()).solution
    if not torch.allclose(means @ factors, row[:, None].double(), atol=1e-5):
        return None
    named = zip(factors.flatten().tolist(), ("frozen", "tuned", "scratch"))
    return (
        " + ".join(f"{factor:.3g} × {name}" for factor, name in named if abs(factor) > 1e-3)
        .replace("+ -", "− ")
        .replace("-", "−")
    )


def _kind_of_error(row, accuracy):
    """One of the errors and deviations that could have been meant."""
    root = accuracy.shape[-1] ** 0.5
    for name, each in zip(("the frozen runs", "the tuned runs", "the scratch runs"), accuracy):
        for kind, deviation in (("standard deviation", 1), ("standard error", root)):
            for correction in (0, 1):
                if torch.allclose(row, each.std(-1, correction=correction) / deviation, atol=1e-6):
                    return f"the {kind} of {name}"
    for other, name in ((FROZEN, "tuned and frozen"), (SCRATCH, "tuned and scratch")):
        for kind, n in (("deviations", 1), ("errors", accuracy.shape[-1])):
            for correction in (0, 1):
                variance = (accuracy[[TUNED, other]].var(-1, correction=correction) / n).sum(0)
                if torch.allclose(row, variance.sqrt(), atol=1e-6):
                    return (
                        f"the root of the squared {kind} of {name}, added as if these had nothing to do with each other"
                    )
    return None
