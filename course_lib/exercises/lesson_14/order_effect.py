"""Does it matter which text stands first? Answers of a model that reads one order, and of both orders added."""

import torch

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer, randn


def _order_effect(logits, swapped, labels):
    def share(right):
        return right.double().mean().item()

    one, both = logits.argmax(-1), (logits + swapped).argmax(-1)
    return share(one != swapped.argmax(-1)), share(one == labels), share(both == labels)


def _pairs(g, pairs, classes=2, noise=1.0, dtype=torch.float32):
    """Logits that mostly know the label and depend on the order; in each class somebody is surer than the others."""
    labels = torch.randint(classes, (pairs,), generator=g)
    known = 1.2 * torch.nn.functional.one_hot(labels, classes).to(dtype)
    sure = torch.exp(randn(g, pairs, 1, dtype=dtype))  # some answers are far surer than others
    logits, swapped = ((known + noise * randn(g, pairs, classes, dtype=dtype)) * sure * factor for factor in (1.0, 1.7))
    swapped[logits[:, 0].argmax(), 0] = 1.0 + swapped[:, 0].max()  # the surest of class 0 is so in both orders
    return logits, swapped, labels


order_effect = Code(
    "14.order_effect",
    title="Does the order matter?",
    points=2,
    minutes=8,
    difficulty=1,
    reference=_order_effect,
    axes=["share that changes", "accuracy of one order", "accuracy of both orders"],
    results=("share that changes", "accuracy of one order", "accuracy of both orders"),
    cases=[
        Case("a thousand pairs", lambda g: _pairs(g, 997)),
        Case("three classes", lambda g: _pairs(g, 509, classes=3)),
        Case("any number of pairs", lambda g: _pairs(g, integer(g, 30, 90))),
        Case("few pairs", lambda g: _pairs(g, 9)),
        Case("a single pair", lambda g: _pairs(g, 1)),
        Case("nothing changes", lambda g: ((x := _pairs(g, 30))[0], x[0] * 3, x[2])),
        Case("double precision", lambda g: _pairs(g, 60, dtype=torch.float64)),
    ],
    hints=[
        "An answer is the class with the largest logit: argmax(-1). Which three tensors of answers do you need?",
        "Both orders are added before anybody chooses: (logits + swapped).argmax(-1).",
        "(a == b) gives True and False; .float().mean().item() makes a share of them, as a Python number.",
    ],
)


def largest(logits):
    return logits.argmax(-1)


@order_effect.variants
def steps(
    logits,
    swapped,
    labels,
    *,
    answers=largest,
    changed=lambda one, other, labels: one != other,
    together=lambda logits, swapped: logits + swapped,
    right=lambda answers, labels: answers == labels,
    share=lambda x: x.double().mean().item(),
    given=lambda changed, one, both: (changed, one, both),
):
    one, other = answers(logits), answers(swapped)
    both = answers(together(logits, swapped))
    return given(share(changed(one, other, labels)), share(right(one, labels)), share(right(both, labels)))


steps.mistake(
    "That is the share of answers that *stay*. Asked for is the share that changes: !=.",
    changed=lambda one, other, labels: one == other,
)
steps.mistake(
    "You count the pairs that are wrong in one of the orders. A changed answer is one that differs between the orders; the labels play no part in it.",
    changed=lambda one, other, labels: (one != labels) | (other != labels),
)
steps.mistake(
    "You count answers that were right and become wrong. Those that were wrong and become right, or another wrong one, change as well: compare the two answers alone.",
    changed=lambda one, other, labels: (one == labels) & (other != labels),
)
steps.mistake(
    "You count answers whose being right changes. With three classes a wrong answer may become another wrong one: compare the two answers alone.",
    changed=lambda one, other, labels: (one == labels) != (other == labels),
)
steps.mistake(
    "You count the pairs that are wrong in the swapped order. A changed answer is one that differs between the orders.",
    changed=lambda one, other, labels: other != labels,
)
steps.mistake(
    "You count the pairs that are wrong in the first order. A changed answer is one that differs between the orders.",
    changed=lambda one, other, labels: one != labels,
)
steps.mistake(
    "`both_orders` is of the swapped order alone. Add the two before you choose: (logits + swapped).argmax(-1).",
    together=lambda logits, swapped: swapped,
)
steps.mistake(
    "`both_orders` is of the first order alone. Add the two before you choose: (logits + swapped).argmax(-1).",
    together=lambda logits, swapped: logits,
)
steps.mistake(
    "You add probabilities. What is added is what stands *before* the softmax: the paper adds h of both runs, and as W_y is linear, that is adding the logits.",
    together=lambda logits, swapped: logits.softmax(-1) + swapped.softmax(-1),
)
steps.mistake(
    "You subtract one order from the other. They are added.", together=lambda logits, swapped: logits - swapped
)
steps.mistake(
    "You take the surer of the two orders (the larger logit). They are added.",
    together=lambda logits, swapped: torch.maximum(logits, swapped),
)
steps.mistake(
    "You multiply the two orders' logits: two negative ones become a positive one. They are added.",
    together=lambda logits, swapped: logits * swapped,
)
steps.mistake(
    "You take the class with the *smallest* logit. The answer is the largest: argmax.", answers=lambda x: x.argmin(-1)
)
steps.mistake(
    "These are counts. Shares are asked for: divide by the number of pairs, or take the mean.",
    share=lambda x: x.double().sum().item(),
)
steps.mistake(
    "These are percentages. Shares are asked for, from 0 to 1.", share=lambda x: 100 * x.double().mean().item()
)
steps.mistake("Your shares are rounded. Leave them as they are.", share=lambda x: round(x.double().mean().item(), 2))
steps.mistake(
    "The two accuracies are shares of errors: count the answers that *are* the label, ==.",
    right=lambda answers, labels: answers != labels,
)
steps.mistake(
    "The two accuracies have changed places: first that of one order, then that of both.",
    given=lambda changed, one, both: (changed, both, one),
)
steps.mistake(
    "The share that changes comes first, then the two accuracies.",
    given=lambda changed, one, both: (one, both, changed),
)
steps.mistake("The share that changes is missing.", given=lambda changed, one, both: (one, both))
steps.mistake(
    "You divide by 2 as well: the mean of the two orders? Of three numbers each is a share of the pairs.",
    share=lambda x: x.double().mean().item() / 2,
)


@order_effect.mistake(
    "`both_orders` is the mean of the two orders' accuracies. Both are added *before* anybody chooses: that is a third answer to each pair."
)
def mean_of_accuracies(logits, swapped, labels):
    changed, one, _ = _order_effect(logits, swapped, labels)
    return changed, one, (one + _order_effect(swapped, logits, labels)[1]) / 2


@order_effect.mistake(
    "`both_orders` counts a pair where both orders are right. Both are added *before* anybody chooses: (logits + swapped).argmax(-1)."
)
def both_right(logits, swapped, labels):
    changed, one, _ = _order_effect(logits, swapped, labels)
    two = (logits.argmax(-1) == labels) & (swapped.argmax(-1) == labels)
    return changed, one, two.double().mean().item()


@order_effect.mistake(
    "`both_orders` counts a pair where either order is right: you look at the label before you choose. Add both, then choose: (logits + swapped).argmax(-1)."
)
def either_right(logits, swapped, labels):
    changed, one, _ = _order_effect(logits, swapped, labels)
    two = (logits.argmax(-1) == labels) | (swapped.argmax(-1) == labels)
    return changed, one, two.double().mean().item()


@order_effect.mistake("`one_order` is the accuracy of the two orders' answers together. It is that of `logits` alone.")
def one_is_of_both(logits, swapped, labels):
    changed, one, both = _order_effect(logits, swapped, labels)
    return changed, (one + _order_effect(swapped, logits, labels)[1]) / 2, both


@order_effect.mistake("`one_order` is the accuracy of the swapped order. It is that of `logits`.")
def one_is_the_swapped(logits, swapped, labels):
    changed, _, both = _order_effect(logits, swapped, labels)
    return changed, _order_effect(swapped, logits, labels)[1], both


@order_effect.mistake(
    "You compare the logits themselves: those differ for nearly every pair. An answer is the class with the largest: argmax(-1)."
)
def logits_compared(logits, swapped, labels):
    _, one, both = _order_effect(logits, swapped, labels)
    return (logits != swapped).any(-1).double().mean().item(), one, both


@order_effect.mistake(
    "The share that changes is a difference of accuracies. Answers may change in both directions, and such a difference hides them: compare the answers, pair by pair."
)
def difference_of_accuracies(logits, swapped, labels):
    _, one, both = _order_effect(logits, swapped, labels)
    return abs(one - _order_effect(swapped, logits, labels)[1]), one, both


@order_effect.mistake(
    "You compare the first order's answers with those of both added. What changes is asked of one order against the other: logits and swapped."
)
def changed_by_adding(logits, swapped, labels):
    _, one, both = _order_effect(logits, swapped, labels)
    return (logits.argmax(-1) != (logits + swapped).argmax(-1)).double().mean().item(), one, both


@order_effect.mistake("Your argmax runs over the pairs, the first axis. Each pair chooses among its classes: dim=-1.")
def over_the_pairs(logits, swapped, labels):
    one, other, both = (x.argmax(0) for x in (logits, swapped, logits + swapped))
    n = min(len(one), len(labels))
    return tuple(x.double().mean().item() for x in (one != other, one[:n] == labels[:n], both[:n] == labels[:n]))


@order_effect.mistake(
    "argmax without an axis looks at all logits at once, and gives one place. dim=-1: each pair by itself."
)
def over_everything(logits, swapped, labels):
    one, other, both = (x.argmax() for x in (logits, swapped, logits + swapped))
    return tuple(x.double().mean().item() for x in (one != other, one == labels, both == labels))


@order_effect.mistake(
    "`both_orders` averages class numbers: between class 0 and class 2 there is no class 1 that both mean. Add the logits, then choose: (logits + swapped).argmax(-1)."
)
def mean_of_class_numbers(logits, swapped, labels):
    changed, one, _ = _order_effect(logits, swapped, labels)
    both = (logits.argmax(-1) + swapped.argmax(-1)) // 2
    return changed, one, (both == labels).double().mean().item()


@order_effect.mistake(
    "You turn the classes of `swapped` round. The texts change places, the classes don't: similar stays similar."
)
def classes_turned(logits, swapped, labels):
    return _order_effect(logits, swapped.flip(-1), labels)


@order_effect.mistake(
    "You ask whether class 1 has a logit above 0. A logit alone decides nothing: the answer is the class with the largest, argmax(-1)."
)
def above_zero(logits, swapped, labels):
    one, other, both = (x[:, 1] > 0 for x in (logits, swapped, logits + swapped))
    return tuple(x.double().mean().item() for x in (one != other, one == labels, both == labels))


@order_effect.mistake(
    "You take the distance between class numbers. From class 0 to class 2 is one changed answer, not two: !=."
)
def distance_of_classes(logits, swapped, labels):
    _, one, both = _order_effect(logits, swapped, labels)
    return (logits.argmax(-1) - swapped.argmax(-1)).abs().double().mean().item(), one, both


@order_effect.mistake(
    "Where you look for changes you turn the classes of `swapped` round. The texts change places, the classes don't: similar stays similar."
)
def classes_turned_for_changes(logits, swapped, labels):
    _, one, both = _order_effect(logits, swapped, labels)
    return (logits.argmax(-1) != swapped.flip(-1).argmax(-1)).double().mean().item(), one, both


@order_effect.mistake(
    "`swapped` is read from its last pair. In both tensors pair i is the same pair, with its texts in the other order."
)
def pairs_turned(logits, swapped, labels):
    return _order_effect(logits, swapped.flip(0), labels)


@order_effect.mistake(
    "Where you look for changes you read `swapped` from its last pair. In both tensors pair i is the same pair."
)
def pairs_turned_for_changes(logits, swapped, labels):
    _, one, both = _order_effect(logits, swapped, labels)
    return (logits.argmax(-1) != swapped.flip(0).argmax(-1)).double().mean().item(), one, both


@order_effect.mistake(
    "`both_orders` says class 0 wherever the orders disagree. Add the logits, and the surer one decides: (logits + swapped).argmax(-1)."
)
def zero_where_they_disagree(logits, swapped, labels):
    changed, one, _ = _order_effect(logits, swapped, labels)
    both = torch.where(logits.argmax(-1) == swapped.argmax(-1), logits.argmax(-1), 0)
    return changed, one, (both == labels).double().mean().item()


def agree(answers, labels):
    """The share of pairs whose answer is the label; nan where there isn't an answer for each pair."""
    return (answers == labels).double().mean().item() if answers.shape == labels.shape else float("nan")


# Each of the three by itself, of three tensors of answers; and the ways to choose an answer that aren't asked for.
SHARES = (
    lambda one, other, both, labels: (one != other).double().mean().item(),
    lambda one, other, both, labels: agree(one, labels),
    lambda one, other, both, labels: agree(both, labels),
)
CHOSEN = {
    "your argmax runs over the pairs, the first axis": lambda x: x.argmax(0),
    "your argmax has no axis: it looks at all logits at once": lambda x: x.argmax(),
    "you take the class with the smallest logit": lambda x: x.argmin(-1),
    "you compare classes 0 and 1 alone, and there may be more": lambda x: x[:, :2].argmax(-1),
    "you ask whether class 1 has a logit above 0": lambda x: (x[:, 1] > 0).long(),
    "you ask whether class 1 has a probability above one half": lambda x: (x.softmax(-1)[:, 1] > 0.5).long(),
    "you look at the first logit alone, whether it is above 0": lambda x: (x[:, 0] > 0).long(),
}
TOGETHER = {
    "`swapped` counts half": lambda a, b: (a + b / 2).argmax(-1),
    "`swapped` counts double": lambda a, b: (a + 2 * b).argmax(-1),
    "the classes of both stand side by side, twice as many (cat), and a class of `swapped` gets a number of its own": (
        lambda a, b: torch.cat([a, b], -1).argmax(-1)
    ),
    "softmax comes before the sum": lambda a, b: (a.softmax(-1) + b.softmax(-1)).argmax(-1),
    "logarithms of probabilities are multiplied": lambda a, b: (a.log_softmax(-1) * b.log_softmax(-1)).argmax(-1),
    "one order is subtracted from the other": lambda a, b: (a - b).argmax(-1),
    "they are multiplied": lambda a, b: (a * b).argmax(-1),
    "the surer of the two decides (the larger logit)": lambda a, b: torch.maximum(a, b).argmax(-1),
    "the smaller of the two logits counts": lambda a, b: torch.minimum(a, b).argmax(-1),
    "the absolute values are added": lambda a, b: (a.abs() + b.abs()).argmax(-1),
    "the classes of `swapped` are turned round": lambda a, b: (a + b.flip(-1)).argmax(-1),
    "`swapped` is read from its last pair": lambda a, b: (a + b.flip(0)).argmax(-1),
    "the answers are added, not the logits": lambda a, b: a.argmax(-1) + b.argmax(-1),
    "one answer is multiplied by the other": lambda a, b: a.argmax(-1) * b.argmax(-1),
    "the larger class number wins": lambda a, b: torch.maximum(a.argmax(-1), b.argmax(-1)),
}


@order_effect.symptom("")
def which_share_is_wrong(inputs, answer):
    """The first of the three that isn't right, by what else it is."""
    logits, swapped, labels = inputs
    n, right = len(labels), _order_effect(*inputs)
    names = ("changed", "one_order", "both_orders")
    i = next((i for i in range(3) if abs(answer[i] - right[i]) > 1e-6), None)
    if i is None:
        return False
    own = answer[i]
    if own in (0, 1):
        return f"`{names[i]}` is {own}: all or nothing. Is it rounded, divided by //, made by any(), all() or torch.equal, or of an argmax without an axis? Compare pair by pair, and take the mean: {right[i]:.4g} here."
    for says, answers in CHOSEN.items():
        if abs(own - SHARES[i](answers(logits), answers(swapped), answers(logits + swapped), labels)) < 1e-6:
            return f"For `{names[i]}` {says}. Each pair chooses among all its classes: argmax(-1)."
    for says, answers in TOGETHER.items() if i == 2 else ():
        if abs(own - agree(answers(logits, swapped), labels)) < 1e-6:
            return f"For `both_orders` {says}. Both logits are added as they are, each class to the same class, and then one class is chosen: (logits + swapped).argmax(-1)."
    for says, x in {"one_order": {"`logits`": logits}, "both_orders": {"the sum": logits + swapped}}.get(
        names[i], {}
    ).items():
        of_right = x.log_softmax(-1)[torch.arange(n), labels].double()
        for what, value in {
            "mean probability": of_right.exp(),
            "mean −log P": -of_right,
            "mean log P": of_right,
        }.items():
            if abs(own - value.mean().item()) < 1e-5:
                return f"`{names[i]}` is the {what} that {says} gives to the right class. An accuracy counts answers: the share of pairs where argmax(-1) is the label."
    one, other, both = logits.argmax(-1), swapped.argmax(-1), (logits + swapped).argmax(-1)
    known = {
        "the share of answers that change when the texts swap": one != other,
        "the accuracy of `logits` alone": one == labels,
        "the accuracy of `swapped` alone": other == labels,
        "the accuracy of both added": both == labels,
        "the share of answers that change when the other order is added": one != both,
        "the share of pairs that are right in both orders": (one == labels) & (other == labels),
        "the share of pairs that are right in one of the orders at least": (one == labels) | (other == labels),
        "the share of pairs that are right at first, and wrong when swapped": (one == labels) & (other != labels),
        "the share of pairs that are wrong at first, and right when swapped": (one != labels) & (other == labels),
    }
    wanted = list(known)[(0, 1, 3)[i]]
    for says, which in known.items():
        k = int(which.sum())
        if abs(own - k / n) < 1e-6:
            return f"`{names[i]}` is {says}. It should be {wanted}."
        if abs(own - (1 - k / n)) < 1e-6:
            return f"`{names[i]}` is 1 less {says}. It should be {wanted}."
        if abs(own - k) < 1e-6:
            return f"`{names[i]}` is a count: {says.replace('the share', 'the number')}, {k}, not divided by the {n} pairs."
        if abs(own - k / logits.numel()) < 1e-6:
            return f"`{names[i]}` is divided by the number of all logits, {logits.numel()}. There are {n} pairs."
        for by, others in known.items():
            if abs(own - int((which & others).sum()) / max(1, int(others.sum()))) < 1e-6:
                return f"`{names[i]}` is divided by {int(others.sum())}: only some of the pairs count, those of “{by}”. All {n} do."
    if abs(own * (n - 1) / n - right[i]) < 1e-6:
        return f"`{names[i]}` is divided by {n - 1}, one less than the number of pairs. A share of {n} pairs is divided by {n}."
    if abs(own * n - round(own * n)) > 1e-3:
        return f"`{names[i]}` is {own:.4g}, which is no share of {n} pairs: {n} times it is {own * n:.4g}, not a whole number. What do you divide by?"
    return f"`{names[i]}` is {own:.4g}, {round(own * n)} of {n} pairs; it should be {wanted}, {round(right[i] * n)} of {n}."
