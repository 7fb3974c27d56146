"""How far training moved each model from its own start, as a share of that start's length: the pretrained and its controls."""

import itertools

import torch

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer, randn


def _distance_from_start(runs):
    return {
        name: (
            sum((end[each] - start[each]).square().sum() for each in start).sqrt()
            / sum(start[each].square().sum() for each in start).sqrt()
        ).item()
        for name, (start, end) in runs.items()
    }


def _weights(g, size=1.0, vocab=7, d=3):
    """The parts of a model are of different lengths, as they are in one that was trained."""
    shapes = {"token": (vocab, d), "W": (d, d), "b": (d,), "head.weight": (2, d), "head.bias": (2,)}
    sizes = dict(zip(shapes, (0.5, 1.5, 0.4, 1.0, 0.7)))
    return {name: randn(g, *shape, size=size * sizes[name]) for name, shape in shapes.items()}


def _moved(g, start, share):
    """Each part by another share of its own length."""
    return {name: x + share * (0.3 + 0.4 * i) * randn(g, *x.shape) for i, (name, x) in enumerate(start.items())}


def _run(g, share, size=1.0, **sizes):
    start = _weights(g, size, **sizes)
    return start, _moved(g, start, share)


def _same_start(g):
    """Two runs from one start, and one that goes back to where it came from."""
    start = _weights(g)
    one, other = _moved(g, start, 0.2), _moved(g, start, 0.4)
    return {"pretrained, seed 0": (start, one), "pretrained, seed 1": (start, other), "random": (one, start)}


def _larger(g):
    shape = {"vocab": integer(g, 8, 12), "d": integer(g, 4, 6)}
    return {"pretrained": _run(g, 0.1, 2.0, **shape), "random": _run(g, 0.3, **shape), "small": _run(g, 0.2)}


def _stayed(g):
    start = _weights(g)
    return {"untouched": (start, {name: x.clone() for name, x in start.items()}), "random": _run(g, 0.3)}


def _many(g, count):
    return {f"random, seed {i}": _run(g, 0.05 + 0.02 * i, 1.0 + 0.1 * i) for i in range(count)}


distance_from_start = Code(
    "15.distance_from_start",
    title="How far from the start?",
    points=3,
    minutes=10,
    difficulty=2,
    reference=_distance_from_start,
    forbidden=("distance",),
    axes=["dictionary"],
    cases=[
        Case(
            "a pretrained model and its control", lambda g: ({"pretrained": _run(g, 0.2, 2.0), "random": _run(g, 0.3)},)
        ),
        Case("the pretrained model alone", lambda g: ({"pretrained": _run(g, 0.3)},)),
        Case("two runs from one start", lambda g: (_same_start(g),)),
        Case("models of other sizes", lambda g: (_larger(g),)),
        Case("one that stayed where it was", lambda g: (_stayed(g),)),
        Case("one that went far", lambda g: ({"pretrained": _run(g, 3.0), "random": _run(g, 1.0, 0.5)},)),
        Case("many seeds", lambda g: (_many(g, 21 + integer(g, 0, 4)),)),
        Case("no runs", lambda g: ({},)),
    ],
    hints=[
        "All weights of a model are one long vector. Which two lengths do you need, and how do you get a length from squares?",
        "Go through the names: add up (end[name] − start[name]).square().sum() over all of them, and start[name].square().sum() in the same way. The root comes last.",
        "Do it for every run, the controls as well, each from its own start: {run: distance, …}, Python numbers by .item().",
    ],
)


def over_all(parts, of):
    """The length of what `of` makes of each part, all parts together."""
    return sum(of(*each).square().sum() for each in parts).sqrt()


def change(a, b):
    return b - a


def first(a, b):
    return a


@distance_from_start.variants
def steps(
    runs,
    *,
    chosen=lambda name, a: True,
    kept=lambda run: True,
    origin=lambda runs, run: runs[run][0],
    way=over_all,
    moved=change,
    by=first,
    share=lambda moved, length: moved / length,
    given=lambda found, start: found.item(),
    whole=lambda found: found,
):
    found = {}
    for run, (_, end) in runs.items():
        if kept(run):
            start = origin(runs, run)
            parts = [(start[name], end[name]) for name in end if chosen(name, end[name]) and name in start]
            found[run] = given(share(way(parts, moved), way(parts, by)), start)
    return whole(found)


def absolute(moved, length):
    return moved


def of_the_first(runs, run):
    """The start of the run that stands first, where the sizes allow."""
    start = next(iter(runs.values()))[0]
    return start if all(x.shape == start[name].shape for name, x in runs[run][1].items()) else runs[run][0]


steps.mistake(
    "That is the distance itself. Divide it by the start's length: a larger model, or one of larger numbers, moves further and means nothing by it.",
    share=absolute,
)
steps.mistake(
    "Only the token vectors count with you. All weights do: go through all names.",
    chosen=lambda name, a: name == "token",
)
steps.mistake(
    "Two things: only the token vectors count with you, where all weights should; and the distance isn't divided by the start's length.",
    chosen=lambda name, a: name == "token",
    share=absolute,
)
steps.mistake("The token vectors are left out. All weights count.", chosen=lambda name, a: name != "token")
steps.mistake("The head is left out. All weights count.", chosen=lambda name, a: "head" not in name)
steps.mistake("Only the head counts with you. All weights do.", chosen=lambda name, a: "head" in name)
steps.mistake("Biases are left out: vectors are weights as well as matrices.", chosen=lambda name, a: a.dim() > 1)
steps.mistake("Only the last name counts: is the sum set anew in the loop?", chosen=lambda name, a: name == "head.bias")
steps.mistake(
    "The controls are missing. A random start may be left just as little: without that number the other one says nothing.",
    kept=lambda run: "random" not in run,
)
steps.mistake("Only the controls come back. The pretrained model belongs there, too.", kept=lambda run: "random" in run)
steps.mistake(
    "All runs are measured from the first one's start. Each has its own: for start, end in runs.values().",
    origin=of_the_first,
)
steps.mistake(
    "You divide by the length of the *end*. The question is how far it went from its start: divide by the start's length.",
    by=lambda a, b: b,
)
steps.mistake("Turned round: the start's length divided by the distance.", share=lambda moved, length: length / moved)
steps.mistake(
    "The root is missing: these are squared lengths, divided by each other.",
    share=lambda moved, length: (moved / length) ** 2,
)
steps.mistake(
    "The root is missing, and the start's length: that is the squared distance.", share=lambda moved, length: moved**2
)
steps.mistake(
    "The root is missing over the distance: a squared length divided by a length.",
    share=lambda moved, length: moved**2 / length,
)
steps.mistake(
    "The root is missing over the start's length: a length divided by a squared one.",
    share=lambda moved, length: moved / length**2,
)
steps.mistake(
    "You add sizes without squaring them, Σ|x|. A length is the root of the sum of squares.",
    way=lambda parts, of: sum(of(*each).abs().sum() for each in parts),
)
steps.mistake(
    "You take the largest change of a single number. A length takes all of them together: the root of the sum of squares.",
    way=lambda parts, of: torch.stack([of(*each).abs().max() for each in parts]).max(),
)
steps.mistake(
    "You add up the changes with their signs, so that one up and one down cancel. Square them first.",
    way=lambda parts, of: sum(of(*each).sum() for each in parts),
)
steps.mistake(
    "You add up the parts' lengths. Lengths don't add up, squares do: one root, over the sum of all squares.",
    way=lambda parts, of: sum(of(*each).norm() for each in parts),
)
steps.mistake(
    "Each part's mean square counts alike, however many numbers it has. Add up the squares of all numbers: sum, not mean.",
    way=lambda parts, of: sum(of(*each).square().mean() for each in parts).sqrt(),
)
steps.mistake(
    "That is how much *longer* the model became. It may turn without getting longer: subtract the weights first, then take the length.",
    moved=lambda a, b: b,
    share=lambda moved, length: moved / length - 1,
)
steps.mistake(
    "That is by how much the length changed, up or down. A model may turn without getting longer: subtract the weights first.",
    moved=lambda a, b: b,
    share=lambda moved, length: (moved / length - 1).abs(),
)
steps.mistake(
    "That is the logarithm of how much longer the model became. Subtract the weights first, then take the length; no logarithm.",
    moved=lambda a, b: b,
    share=lambda moved, length: (moved / length).log(),
)
steps.mistake(
    "That is the logarithm of the share. The share itself is asked for.",
    share=lambda moved, length: (moved / length).log(),
)
steps.mistake(
    "That is the end's length divided by the start's. Subtract the weights first, then take the length.",
    moved=lambda a, b: b,
)
steps.mistake(
    "Per cent come back. The share itself, please: 0.07, not 7.", share=lambda moved, length: 100 * moved / length
)
steps.mistake("The sign: a distance is never negative.", share=lambda moved, length: -moved / length)
steps.mistake("Tensors come back. Python numbers are asked for: .item().", given=lambda found, start: found)
steps.mistake(
    "A list comes back. A dictionary is asked for: {run: distance}.", whole=lambda found: list(found.values())
)
steps.mistake(
    "Two digits are left. Round when you print, not before: leave out round(…).",
    whole=lambda found: {run: round(x, 2) for run, x in found.items()},
)


@distance_from_start.mistake(
    "You take each part's share first, and then their mean, so that a bias counts as much as all token vectors. First all squares together, then one root, then divide."
)
def mean_of_shares(runs):
    return {
        run: (sum((end[n] - start[n]).norm() / start[n].norm() for n in start) / len(start)).item()
        for run, (start, end) in runs.items()
    }


@distance_from_start.mistake(
    "You take each part's share first and add them up. First all squares together, then one root, then divide."
)
def sum_of_shares(runs):
    return {
        run: sum(((end[n] - start[n]).norm() / start[n].norm()).item() for n in start)
        for run, (start, end) in runs.items()
    }


@distance_from_start.mistake(
    "A share for each part comes back. One number for each run is asked for: all weights together."
)
def share_of_each_part(runs):
    return {
        run: {n: ((end[n] - start[n]).norm() / start[n].norm()).item() for n in start}
        for run, (start, end) in runs.items()
    }


@distance_from_start.mistake("All runs come back as one number. A number for each run is asked for: {run: distance}.")
def mean_of_runs(runs):
    found = _distance_from_start(runs).values()
    return sum(found) / max(1, len(found))


@distance_from_start.mistake(
    "Each number is the run's share of the first one's distance. The distance of each from its own start is asked for."
)
def beside_the_first(runs):
    found = _distance_from_start(runs)
    return {run: x / next(iter(found.values())) for run, x in found.items() if next(iter(found.values()))}


@distance_from_start.mistake("Only the first run comes back. Is there a return inside the loop?")
def returns_too_soon(runs):
    return dict(list(_distance_from_start(runs).items())[:1])


@distance_from_start.mistake(
    "Only the first run's number comes back: the return stands inside the loop. Collect {run: distance}, and return it after the loop."
)
def returns_the_first_number(runs):
    return next(iter(_distance_from_start(runs).values()), {})


@distance_from_start.mistake("The last run's number comes back. Collect {run: distance}, one for each run.")
def returns_the_last_number(runs):
    for run, pair in runs.items():
        found = _distance_from_start({run: pair})[run]
    return found


@distance_from_start.mistake("Your squares are added up over all runs: set the sums to 0 again for each run.")
def never_set_back(runs):
    found, moved, length = {}, 0.0, 0.0
    for run, (start, end) in runs.items():
        moved += sum((end[n] - start[n]).square().sum() for n in start)
        length += sum(start[n].square().sum() for n in start)
        found[run] = (moved / length).sqrt().item()
    return found


@distance_from_start.mistake(
    "That is the angle between start and end (1 − cosine), not how far the end is from the start: ‖end − start‖ / ‖start‖."
)
def one_less_cosine(runs):
    def flat(weights):
        return torch.cat([x.flatten() for x in weights.values()])

    return {run: 1 - torch.cosine_similarity(flat(a), flat(b), 0).item() for run, (a, b) in runs.items()}


@distance_from_start.mistake(
    "That is the mean change of a number (a root mean square). Divide by the start's length, not by how many numbers there are."
)
def root_mean_square(runs):
    return {
        run: (sum((end[n] - start[n]).square().sum() for n in start) / sum(x.numel() for x in start.values()))
        .sqrt()
        .item()
        for run, (start, end) in runs.items()
    }


@distance_from_start.mistake(
    "The largest share of any part comes back. One number for each run is asked for, of all weights together."
)
def worst_part(runs):
    return {run: max(((b[n] - a[n]).norm() / a[n].norm()).item() for n in a) for run, (a, b) in runs.items()}


@distance_from_start.mistake(
    "You divide number by number, before any length is taken: a weight near 0 then counts for more than all others. First both lengths, then divide."
)
def number_by_number(runs):
    return {
        run: torch.cat([((b[n] - a[n]) / a[n]).abs().flatten() for n in a]).mean().item()
        for run, (a, b) in runs.items()
    }


@distance_from_start.mistake("Pairs come back, in a list. A dictionary is asked for: {run: distance}.")
def list_of_pairs(runs):
    return list(_distance_from_start(runs).items())


steps.mistake(
    "One root too many: the two lengths are lengths already.", share=lambda moved, length: (moved / length).sqrt()
)
steps.mistake(
    "You take the share off 1. How far it went is asked for, not how much has stayed.",
    share=lambda moved, length: 1 - moved / length,
)


def spectral(parts):
    """What torch.linalg.matrix_norm(…, 2) gives: of a matrix its largest singular value."""
    return torch.stack([torch.linalg.matrix_norm(x, 2) if x.dim() == 2 else x.norm() for x in parts])


LENGTH = "the root of the sum of all squares"
MEASURES = {  # what somebody may take for the length of a model: a list of tensors
    LENGTH: lambda parts: sum(x.square().sum() for x in parts).sqrt(),
    "the sum of the squares, without the root": lambda parts: sum(x.square().sum() for x in parts),
    "the sum of all sizes, Σ|x|": lambda parts: sum(x.abs().sum() for x in parts),
    "the sum of all numbers, in which plus and minus cancel": lambda parts: sum(x.sum() for x in parts).abs(),
    "the sum of the parts' lengths": lambda parts: sum(x.norm() for x in parts),
    "the mean of the parts' lengths": lambda parts: sum(x.norm() for x in parts) / len(parts),
    "the largest of the parts' lengths": lambda parts: max(x.norm() for x in parts),
    "the root of the sum of the parts' lengths": lambda parts: sum(x.norm() for x in parts).sqrt(),
    "the sum of the parts' mean squares": lambda parts: sum(x.square().mean() for x in parts),
    "the root of the parts' mean squares": lambda parts: sum(x.square().mean() for x in parts).sqrt(),
    "the mean of the parts' mean squares": lambda parts: sum(x.square().mean() for x in parts) / len(parts),
    "the sum of the parts' mean sizes": lambda parts: sum(x.abs().mean() for x in parts),
    "the mean of the parts' mean sizes": lambda parts: sum(x.abs().mean() for x in parts) / len(parts),
    "the mean square": lambda parts: torch.cat([x.flatten() for x in parts]).square().mean(),
    "the root of the mean square": lambda parts: torch.cat([x.flatten() for x in parts]).square().mean().sqrt(),
    "the mean size": lambda parts: torch.cat([x.flatten() for x in parts]).abs().mean(),
    "the standard deviation": lambda parts: torch.cat([x.flatten() for x in parts]).std(),
    "the sum of the rows' lengths (dim=-1)": lambda parts: sum(x.norm(dim=-1).sum() for x in parts),
    "the sum of the columns' lengths (dim=0)": lambda parts: sum(x.norm(dim=0).sum() for x in parts),
    "the largest size of a single number": lambda parts: max(x.abs().max() for x in parts),
    "the largest singular value of each matrix (ord=2) in place of its length": lambda parts: spectral(parts).norm(),
    "the sum of the matrices' largest singular values (ord=2)": lambda parts: spectral(parts).sum(),
}
NUMBERS = {  # what else the distance is divided by
    "the number of weights": lambda a, b: sum(x.numel() for x in a.values()),
    "the root of the number of weights": lambda a, b: sum(x.numel() for x in a.values()) ** 0.5,
    "the number of names": lambda a, b: len(a),
    "the start's length, and the number of names": lambda a, b: length(a) * len(a),
    "the lengths of start and end together": lambda a, b: length(a) + length(b),
    "the mean of both lengths": lambda a, b: (length(a) + length(b)) / 2,
    "the larger of both lengths": lambda a, b: max(length(a), length(b)),
    "the root of both lengths' product": lambda a, b: (length(a) * length(b)).sqrt(),
} | {f"the length of `{n}` alone": lambda a, b, n=n: a[n].norm() for n in ("token", "W", "head.weight")}


def length(weights):
    return MEASURES[LENGTH](list(weights.values()))


def changes(start, end):
    return [end[name] - start[name] for name in start]


@distance_from_start.symptom("Above or below the line stands another length.")
def another_length(inputs, answer):
    """What is above the line and what is below it, in the same way in each run."""
    runs = [(*pair, answer[run]) for run, pair in inputs[0].items() if length(pair[0]) and answer[run]]

    def comes_of(found):
        return runs and all(abs(found(start, end) - own) < 1e-4 * abs(own) for start, end, own in runs)

    for what, below in NUMBERS.items():
        if comes_of(lambda a, b, below=below: MEASURES[LENGTH](changes(a, b)) / below(a, b)):
            return f"You divide the distance by {what}. By the start's length, please: {LENGTH}."
    for what, of in MEASURES.items():
        if comes_of(lambda a, b, of=of: of([(b[n] - a[n]) / a[n] for n in a])):
            return "You divide number by number, before any length is taken: a weight near 0 then counts for more than all others. First both lengths, then divide."
        if comes_of(lambda a, b, of=of: of([(b[n] - a[n]).norm() / a[n].norm() for n in a])):
            return "You take each part's share first, so that a bias counts as much as all token vectors. First all squares together, then one root, then divide."
        if comes_of(lambda a, b, of=of: of(changes(a, b))):
            return f"Of the change you take {what}, and divide by nothing of the start. Take {LENGTH}, and divide it by the start's."
    for (above, of_change), (below, of_start) in itertools.product(MEASURES.items(), repeat=2):
        if comes_of(
            lambda a, b, of_change=of_change, of_start=of_start: of_change(changes(a, b)) / of_start(list(a.values()))
        ):
            return two_measures(above, below)
        if comes_of(
            lambda a, b, of_change=of_change, of_start=of_start: of_change(changes(a, b)) / of_start(list(b.values()))
        ):
            return f"You divide by the end's numbers, not the start's. {two_measures(above, below) * (above != LENGTH)}"
    return False


def two_measures(above, below):
    """What to say of who divides one measure of the change by another of the start."""
    if above == below:
        return f"You take {above}. A length is {LENGTH}, of all weights together."
    if below == LENGTH:
        return f"Of the change you take {above}. Its length is {LENGTH}, as below the line."
    if above == LENGTH:
        return f"You divide the distance by {below}. By the start's length, please: {LENGTH}."
    return f"Of the change you take {above}; of the start, {below}. Both should be lengths: {LENGTH}."


@distance_from_start.symptom("All runs are divided by one length.")
def one_length_for_all(inputs, answer):
    """Each distance is right, but all are divided by the same length."""
    (runs,) = inputs
    used = [MEASURES[LENGTH](changes(*pair)) / answer[run] for run, pair in runs.items() if answer[run]]
    if len(used) < 2 or max(used) - min(used) > 1e-4 * max(used):
        return False
    whose = next((run for run, (start, _) in runs.items() if abs(length(start) - used[0]) < 1e-4 * used[0]), None)
    one = f"the length of one start, that of {whose!r}" if whose else f"the same number, {used[0]:.4g}"
    return f"You divide all runs by {one}. Each is divided by the length of its own start."


@distance_from_start.symptom("")
def of_some_parts(inputs, answer):
    """The shares of some names alone, or right in some runs."""
    (runs,) = inputs
    right = _distance_from_start(runs)
    if not isinstance(answer, dict) or set(answer) != set(right):
        return False
    digits = next((n for n in (1, 3, 4) if all(round(right[run], n) == answer[run] for run in runs)), None)
    if digits:
        return f"Only {digits} digits are left. Round when you print, not before: leave out round(…)."
    for name in next(iter(runs.values()))[0]:
        without = steps(runs, chosen=lambda each, a, name=name: each != name)
        if all(abs(without[run] - answer[run]) < 1e-5 for run in runs):
            return f"`{name}` is left out: all names count."
        alone = steps(runs, chosen=lambda each, a, name=name: each == name)
        if all(abs(alone[run] - answer[run]) < 1e-5 for run in runs):
            return f"Only `{name}` counts with you: all names do."
    wrong = [run for run in runs if abs(right[run] - answer[run]) > 1e-4 * right[run]]
    if len(wrong) < len(runs):
        return f"Right for {len(runs) - len(wrong)} of {len(runs)} runs, wrong for {wrong[0]!r}. Each run is measured in the same way, from its own start."
    return False
