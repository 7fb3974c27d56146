"""Label smoothing: 1 − ε for the right token, and ε shared out evenly among all, as torch does it."""

import torch
import torch.nn.functional as F

from course_lib import training
from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer


def _smoothed(targets, vocab_size, epsilon=0.1):
    return training.smoothed_targets(targets, vocab_size, epsilon)


def _ids(g, *shape, vocab, epsilon=0.1):
    return torch.randint(vocab, shape, generator=g), vocab, epsilon


smoothed_targets = Code(
    "09.smoothed_targets",
    title="A little for everyone",
    points=3,
    minutes=10,
    difficulty=2,
    reference=_smoothed,
    forbidden=("smoothed_targets", "label_smoothing"),
    axes=["... vocab"],
    broadcastable=True,
    cases=[
        # sizes and an ε of which no two sums or quotients come to the same number
        Case("five tokens of eight", lambda g: _ids(g, 5, vocab=8, epsilon=0.15)),
        Case("a batch", lambda g: _ids(g, 3, 4, vocab=9)),
        Case("as many tokens as the vocabulary has", lambda g: _ids(g, 6, vocab=6)),
        Case("one token", lambda g: _ids(g, 1, vocab=8)),
        Case("two tokens to choose from", lambda g: _ids(g, 5, vocab=2)),
        Case("more smoothing", lambda g: _ids(g, 5, vocab=9, epsilon=0.3)),
        Case("no smoothing", lambda g: _ids(g, 5, vocab=6, epsilon=0.0)),
        Case("any sizes", lambda g: _ids(g, integer(g, 5, 9), vocab=integer(g, 10, 40), epsilon=0.2)),
    ],
    hints=[
        "Begin with a table in which every number is ε / V. What is still missing at the right token?",
        "1 − ε more. So the right one gets 1 − ε + ε / V, and the row sums to 1.",
        "F.one_hot(targets, vocab_size) is 1 at the right token: (1 − ε) · one_hot + ε / V.",
    ],
)


def one_hot(targets, vocab):
    return F.one_hot(targets, vocab).float()


@smoothed_targets.variants
def steps(
    targets,
    vocab_size,
    epsilon=0.1,
    *,
    hot=one_hot,
    right=lambda e, V: 1 - e,
    share=lambda e, V: e / V,
    where=lambda hot: torch.ones_like(hot),
    last=lambda table: table,
):
    table = hot(targets, vocab_size)
    return last(right(epsilon, vocab_size) * table + share(epsilon, vocab_size) * where(table))


steps.mistake(
    "You share ε among the others alone, ε/(V − 1). Both conventions exist, and the lecture's .025 is yours; here it is torch's: everyone gets ε/V, the right token, too.",
    share=lambda e, V: e / (V - 1),
    where=lambda hot: 1 - hot,
)
steps.mistake(
    "Your rows sum to less than 1: the right token gets its share of ε as well, 1 − ε + ε/V.", where=lambda hot: 1 - hot
)
steps.mistake(
    "Your rows sum to more than 1. What you give to others, take from the right word: 1 − ε + ε/V.",
    right=lambda e, V: 1.0,
)
steps.mistake("Every token gets the whole of ε. They share it: ε / V each.", share=lambda e, V: e)
steps.mistake(
    "Each of the others gets the whole of ε. All tokens share it: ε / V each.",
    share=lambda e, V: e,
    where=lambda hot: 1 - hot,
)
steps.mistake(
    "Everyone, the right token among them, gets ε/(V − 1): the rows sum to more than 1. Divide by V.",
    share=lambda e, V: e / (V - 1),
)
steps.mistake("ε is shared by V + 1 with you. There are V tokens.", share=lambda e, V: e / (V + 1))
steps.mistake(
    "You leave two tokens out, ε/(V − 2), as programs do that keep one token for padding. Here nothing is left out: ε/V for all.",
    share=lambda e, V: e / max(V - 2, 1),
    where=lambda hot: 1 - hot,
)
steps.mistake("That is the target without smoothing: a 1 and zeros.", right=lambda e, V: 1.0, share=lambda e, V: 0.0)
steps.mistake("The right token's 1 − ε is missing: all tokens get ε/V.", right=lambda e, V: 0.0)
steps.mistake("The ε that you take from the right token goes to nobody: share it, ε/V each.", share=lambda e, V: 0.0)
steps.mistake(
    "ε and 1 − ε have changed places: the right token keeps 1 − ε.",
    right=lambda e, V: e,
    share=lambda e, V: (1 - e) / V,
)
steps.mistake(
    "The right token ends with 1: nothing is taken from it, or only ε/V. It loses ε, and gets ε/V back like everyone: 1 − ε + ε/V.",
    right=lambda e, V: 1 - e / V,
)
steps.mistake("ε is always 0.1 with you. Use the argument.", right=lambda e, V: 0.9, share=lambda e, V: 0.1 / V)
steps.mistake(
    "The right token gets 1 − ε/V. It loses all of ε, and gets its share ε/V back: 1 − ε + ε/V.",
    right=lambda e, V: 1 - e / V,
    where=lambda hot: 1 - hot,
)
steps.mistake(
    "Each row is divided by its sum, so that it is 1. The right token's share of ε is what was missing: 1 − ε + ε/V, and nothing need be divided.",
    where=lambda hot: 1 - hot,
    last=lambda table: table / table.sum(-1, keepdim=True),
)
steps.mistake(
    "F.one_hot(targets) makes only as many columns as the largest id needs. Say how many there are: F.one_hot(targets, vocab_size).",
    hot=lambda t, V: F.one_hot(t).float(),
)
steps.mistake(
    "Each row has 1 − ε at the right tokens of *all* places: q[..., targets] picks those columns in every row. Each row has its own one: F.one_hot, or scatter with targets[..., None].",
    hot=lambda t, V: one_hot(t.flatten(), V).amax(0).expand(*t.shape, V),
)
steps.mistake(
    "Your table is made of whole numbers, like the ids, so every share is cut to 0. Make it of float32, or take .float() first.",
    last=lambda table: table.long(),
)
steps.mistake(
    "The numbers are right, but float64. The model counts in float32, torch's own: .float() at the end.",
    hot=lambda t, V: F.one_hot(t, V).double(),
)
steps.mistake(
    "These are logarithms. The probabilities themselves are asked for.", last=lambda table: table.clamp(min=1e-12).log()
)
steps.mistake(
    "The first axes and the vocabulary's have changed places: the vocabulary comes last.",
    last=lambda table: table.movedim(-1, 0),
)
steps.mistake(
    "That is a softmax of the targets. The numbers of the formula are probabilities already.",
    last=lambda table: table.softmax(-1),
)
steps.mistake(
    "Each of the others gets the whole of ε, and the right token what is left, 1 − (V − 1) ε. They share one ε: ε/V each, the right one 1 − ε + ε/V.",
    right=lambda e, V: 1 - (V - 1) * e,
    share=lambda e, V: e,
    where=lambda hot: 1 - hot,
)
steps.mistake(
    "Every number of the table loses ε: you take it off before the share is added. Only the right token loses it.",
    right=lambda e, V: 1.0,
    share=lambda e, V: e / V - e,
)
steps.mistake(
    "You share 1 − ε among all tokens. That is what the right one keeps; ε is shared, ε/V each.",
    share=lambda e, V: (1 - e) / V,
)
steps.mistake(
    "Each of the others gets (1 − ε)/V. The right token keeps 1 − ε; what is shared is ε, ε/V each, and the right one has a share, too.",
    share=lambda e, V: (1 - e) / V,
    where=lambda hot: 1 - hot,
)
steps.mistake(
    "Your brackets put the share inside: (1 − ε) · (one_hot + ε/V). Only one_hot is multiplied by 1 − ε.",
    share=lambda e, V: (1 - e) * e / V,
)
steps.mistake("ε is multiplied by V. It is divided: ε / V each.", share=lambda e, V: e * V)
steps.mistake("ε is divided by V twice. Once: ε / V each.", share=lambda e, V: e / V**2)
steps.mistake(
    "The right token loses ε twice: 1 − ε is what it keeps, and then its share ε/V is added.",
    right=lambda e, V: 1 - 2 * e,
)
steps.mistake(
    "Each row is divided by its sum, so it is 1; but the right token hadn't lost its ε first. (1 − ε) · one_hot + ε/V sums to 1 by itself.",
    right=lambda e, V: 1.0,
    last=lambda table: table / table.sum(-1, keepdim=True),
)
steps.mistake(
    "You add ε to each token and divide by the sum. The right shares need no division: (1 − ε) · one_hot + ε/V.",
    right=lambda e, V: 1.0,
    share=lambda e, V: e,
    last=lambda table: table / table.sum(-1, keepdim=True),
)
steps.mistake(
    "A softmax of the one-hot row isn't label smoothing: its shares come from e, not from ε. (1 − ε) · one_hot + ε/V.",
    right=lambda e, V: 1.0,
    share=lambda e, V: 0.0,
    last=lambda table: table.softmax(-1),
)
steps.mistake(
    "The right token gets nothing with you. It gets 1 − ε + ε/V.", right=lambda e, V: 0.0, where=lambda hot: 1 - hot
)
steps.mistake(
    "The right token gets nothing with you, and the others share ε alone, ε/(V − 1). The right one gets 1 − ε + ε/V, the others ε/V.",
    right=lambda e, V: 0.0,
    share=lambda e, V: e / (V - 1),
    where=lambda hot: 1 - hot,
)
steps.mistake(
    "Only the first target's row comes back. Each target has its own: (…, vocab_size).", last=lambda table: table[:1]
)
steps.mistake(
    "The last token gets nothing with you. Here every token of the vocabulary gets its share.",
    where=lambda hot: torch.cat([torch.ones_like(hot[..., 1:]), torch.zeros_like(hot[..., :1])], -1),
)
steps.mistake("There is a sign wrong: 1 − ε, not 1 + ε.", right=lambda e, V: 1 + e)
steps.mistake(
    "Both signs are wrong: you take ε/V from everyone and give the right token 1 + ε.",
    right=lambda e, V: 1 + e,
    share=lambda e, V: -e / V,
)
steps.mistake(
    "Every token gets 1/V: the right one has nothing of its own. It keeps 1 − ε, and only ε is shared.",
    right=lambda e, V: 0.0,
    share=lambda e, V: 1 / V,
)
steps.mistake("The right token gets 1 − ε twice; once is enough.", right=lambda e, V: 2 * (1 - e))
steps.mistake(
    "The right token ends with a share of 1 − ε − ε/V: there is a minus where ε/V is added.",
    where=lambda hot: 1 - 2 * hot,
)
steps.mistake("Your high numbers stand one token too far to the right.", hot=lambda t, V: one_hot((t + 1) % V, V))
steps.mistake("Your high numbers stand one token too far to the left.", hot=lambda t, V: one_hot((t - 1) % V, V))
steps.mistake(
    "All rows have the first row's right token. Each has its own.",
    hot=lambda t, V: one_hot(t.flatten()[:1].expand(t.numel()).reshape(t.shape), V),
)
steps.mistake(
    "Token 0 gets nothing with you, as if it were padding. Here every token gets its share.",
    where=lambda hot: torch.cat([torch.zeros_like(hot[..., :1]), torch.ones_like(hot[..., 1:])], -1),
)
steps.mistake(
    "Token 0 gets nothing with you, as if it were padding, and the others ε/(V − 1). Here every token gets ε/V.",
    share=lambda e, V: e / (V - 1),
    where=lambda hot: torch.cat([torch.zeros_like(hot[..., :1]), torch.ones_like(hot[..., 1:])], -1),
)


steps.mistake(
    "The columns are counted from 1: high numbers stand one token too far to the left, and that of token 0 nowhere. Ids begin at 0.",
    hot=lambda t, V: F.pad(one_hot(t, V)[..., 1:], (0, 1)),
)
steps.mistake(
    "1 is added to the ids: high numbers stand one token too far to the right, and that of the last token nowhere.",
    hot=lambda t, V: F.pad(one_hot(t, V)[..., :-1], (1, 0)),
)
steps.mistake(
    "ε is shared by how often each token is among the targets. It is shared evenly, ε/V each.",
    share=lambda e, V: e,
    where=lambda hot: hot.flatten(0, -2).mean(0).expand_as(hot),
)


@smoothed_targets.mistake(
    "You have lost the batch's axes: for targets (…) the result is (…, vocab), not all tokens in one row."
)
def flattened(targets, vocab_size, epsilon=0.1):
    return _smoothed(targets.flatten(), vocab_size, epsilon)


@smoothed_targets.mistake("You make one row for all places. Each target has its own: the result is (…, vocab_size).")
def one_row_for_all(targets, vocab_size, epsilon=0.1):
    return (1 - epsilon) * one_hot(targets.flatten(), vocab_size).amax(0) + epsilon / vocab_size


@smoothed_targets.mistake(
    "The size of the vocabulary is no matter of the largest target, which may be small by chance. It is given: vocab_size."
)
def vocabulary_guessed(targets, vocab_size, epsilon=0.1):
    return _smoothed(targets, int(targets.max()) + 1, epsilon)


@smoothed_targets.mistake("Only the neighbours get a share. All tokens do, ε/V each: ids side by side mean nothing.")
def neighbours(targets, vocab_size, epsilon=0.1):
    hot = one_hot(targets, vocab_size)
    return (1 - epsilon) * hot + epsilon / 2 * (hot.roll(1, -1) + hot.roll(-1, -1))


@smoothed_targets.mistake(
    "You divide ε by the number of targets. It is shared among the tokens of the vocabulary: ε / vocab_size."
)
def shared_among_places(targets, vocab_size, epsilon=0.1):
    return (1 - epsilon) * one_hot(targets, vocab_size) + epsilon / targets.shape[-1]


@smoothed_targets.mistake(
    "You multiply the ids themselves. Which token is right isn't a size: make a table with a 1 at the right token first, F.one_hot(targets, vocab_size)."
)
def ids_for_a_table(targets, vocab_size, epsilon=0.1):
    return (1 - epsilon) * targets + epsilon / vocab_size


@smoothed_targets.mistake(
    "You multiply the ids themselves, one row of them for each. Which token is right isn't a size: make a table with a 1 at the right token, F.one_hot(targets, vocab_size)."
)
def ids_in_every_column(targets, vocab_size, epsilon=0.1):
    return (1 - epsilon) * targets[..., None] + torch.full((vocab_size,), epsilon / vocab_size)


@smoothed_targets.mistake(
    "Your table has the shape of targets, (…). It needs an axis more, for the vocabulary: (*targets.shape, vocab_size)."
)
def no_axis_for_the_vocabulary(targets, vocab_size, epsilon=0.1):
    table = torch.zeros_like(targets) + epsilon / vocab_size
    table[targets] = 1 - epsilon
    return table


@smoothed_targets.mistake("The table is smoothed twice. Once: (1 − ε) · one_hot + ε/V.")
def smoothed_again(targets, vocab_size, epsilon=0.1):
    return (1 - epsilon) * _smoothed(targets, vocab_size, epsilon) + epsilon / vocab_size


@smoothed_targets.mistake(
    "That is the table of all tokens, a row for each of the vocabulary. A row for each target is asked for: this table, [targets]."
)
def a_row_for_each_token(targets, vocab_size, epsilon=0.1):
    return (1 - epsilon) * torch.eye(vocab_size) + epsilon / vocab_size


TWO_AXES = "Right for one axis of targets, not for two: they may have any axes, (…), and the result has one more, (…, vocab_size). F.one_hot, or scatter with targets[..., None], take any."


@smoothed_targets.mistake(TWO_AXES)
def by_index(targets, vocab_size, epsilon=0.1):
    table = torch.full((len(targets), vocab_size), epsilon / vocab_size)
    table[torch.arange(len(targets)), targets] += 1 - epsilon
    return table


@smoothed_targets.mistake(f"A loop over the first axis alone. {TWO_AXES}")
def by_loop(targets, vocab_size, epsilon=0.1):
    table = torch.full((len(targets), vocab_size), epsilon / vocab_size)
    for i, token in enumerate(targets):
        table[i, token] += 1 - epsilon
    return table


@smoothed_targets.mistake(
    "table[targets] picks whole *rows*, those with the ids' numbers. One column of each row is meant: table.scatter(-1, targets[..., None], …), or F.one_hot."
)
def rows_set(targets, vocab_size, epsilon=0.1):
    table = torch.full((*targets.shape, vocab_size), epsilon / vocab_size)
    table[targets] = 1 - epsilon
    return table


@smoothed_targets.mistake(
    "scatter runs along axis 0 with you, the first of the targets'. The ids are places along the last axis: scatter(-1, targets[..., None], …)."
)
def scattered_along_the_first(targets, vocab_size, epsilon=0.1):
    table = torch.full((*targets.shape, vocab_size), epsilon / vocab_size)
    return table.scatter(0, targets[..., None], 1 - epsilon + epsilon / vocab_size)


@smoothed_targets.mistake(
    "Only the right token's number comes back, once for each target. The whole row is asked for, (…, vocab_size)."
)
def the_right_tokens_number(targets, vocab_size, epsilon=0.1):
    return torch.full(targets.shape, 1 - epsilon + epsilon / vocab_size)


@smoothed_targets.mistake(
    "One column too many: ids run from 0 to V − 1, so F.one_hot(targets, vocab_size) has a place for each."
)
def a_column_too_many(targets, vocab_size, epsilon=0.1):
    return (1 - epsilon) * one_hot(targets, vocab_size + 1) + epsilon / vocab_size


def _likely(e, V, count):
    """What a token might be given, as it is written; the simplest first. `count`: of the targets."""
    shares = {
        "ε/V": e / V, "ε": e, "ε/(V − 1)": e / (V - 1), "ε/(V + 1)": e / (V + 1), "(1 − ε)/V": (1 - e) / V, "1/V": 1 / V,
        "(1 − ε)/(V − 1)": (1 - e) / (V - 1), "1/(V − 1)": 1 / (V - 1), "ε/V²": e / V**2, "ε·V": e * V, "ε²": e * e,
        "ε²/V": e * e / V, "(1 − ε) · ε/V": (1 - e) * e / V, "2ε/V": 2 * e / V, "ε/2": e / 2, "V": V,
        "(1 − ε)²": (1 - e) ** 2, "(V − 1) · ε": (V - 1) * e, "√ε": e**0.5, f"ε/{count} (the number of targets)": e / count, "(V − 1) · ε/V": (V - 1) * e / V,
    }  # fmt: skip
    wholes = {
        "ε − 1": e - 1,
        "1": 1.0,
        "1 − ε": 1 - e,
        "1 + ε": 1 + e,
        "2 − 2ε": 2 - 2 * e,
        "2": 2.0,
        "1 − ε²": 1 - e * e,
    }
    yield from {"0": 0.0, **wholes, **shares}.items()
    for whole, value in {**wholes, "ε": e, "ε/V": e / V}.items():
        for share, part in shares.items():
            yield f"{whole} + {share}", value + part
            yield f"{whole} − {share}", value - part
    for share, part in shares.items():
        yield f"−{share}", -part


def _written(number, *sizes):
    return next((text for text, value in _likely(*sizes) if abs(value - number) < 2e-6), None)


@smoothed_targets.symptom("")
def two_numbers(inputs, answer):
    """What the right token gets and what the others get, where each is one number in every row."""
    targets, V, e = inputs
    hot = F.one_hot(targets, V).bool()
    right, others = answer[hot], answer[~hot]
    if float(right.max() - right.min()) > 1e-6 or float(others.max() - others.min()) > 1e-6:
        return False
    wanted = _smoothed(*inputs)
    if any(torch.allclose(answer, wanted.round(decimals=digits), atol=1e-7) for digits in range(1, 6)):
        return "You round. Return the numbers as they are."
    said = []
    for who, own, text, want in (
        ("the right token", float(right[0]), "1 − ε + ε/V", 1 - e + e / V),
        ("each of the others", float(others[0]), "ε/V", e / V),
    ):
        if abs(own - want) > 1e-5:
            written = _written(own, e, V, len(targets)) or ""
            equals = f"{written} = " if "ε" in written or "V" in written else ""
            said.append(f"{who} gets {equals}{own:.4g}, and should get {text} = {want:.4g}")
    return f"With ε = {e:g} and V = {V}, {'; '.join(said)}." if said else False


@smoothed_targets.symptom("The rows don't sum to 1. What you give to others, take from the right token.")
def rows(inputs, answer):
    return not torch.allclose(answer.sum(-1), torch.ones(1, dtype=answer.dtype), atol=1e-4)


@smoothed_targets.symptom("Each row sums to 1, but the largest number isn't at the right token.")
def another_token(inputs, answer):
    return inputs[2] < 0.5 and inputs[1] > 2 and not torch.equal(answer.argmax(-1), inputs[0])
