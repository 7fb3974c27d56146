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
        Case("six tokens of five", lambda g: _ids(g, 6, vocab=5)),
        Case("a batch", lambda g: _ids(g, 3, 4, vocab=7)),
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


@smoothed_targets.symptom("")
def two_numbers(inputs, answer):
    """What the right token gets and what the others get, where each is one number in every row."""
    targets, V, epsilon = inputs
    hot = F.one_hot(targets, V).bool()
    right, others = answer[hot], answer[~hot]
    if float(right.max() - right.min()) > 1e-6 or float(others.max() - others.min()) > 1e-6:
        return False
    wanted = {
        f"the right token should get 1 − ε + ε/V = {1 - epsilon + epsilon / V:.4g}": (right, 1 - epsilon + epsilon / V)
    }
    wanted |= {f"each of the others should get ε/V = {epsilon / V:.4g}": (others, epsilon / V)}
    said = [f"{says}, with you {own[0]:.4g}" for says, (own, want) in wanted.items() if abs(own[0] - want) > 1e-5]
    return f"With ε = {epsilon:g} and V = {V}, {'; '.join(said)}." if said else False


@smoothed_targets.symptom("The rows don't sum to 1. What you give to others, take from the right token.")
def rows(inputs, answer):
    return not torch.allclose(answer.sum(-1), torch.ones(1, dtype=answer.dtype), atol=1e-4)


@smoothed_targets.symptom("Each row sums to 1, but the largest number isn't at the right token.")
def another_token(inputs, answer):
    return inputs[2] < 0.5 and inputs[1] > 2 and not torch.equal(answer.argmax(-1), inputs[0])
