"""Dropout with three bugs: on the skip too, without rescaling, and in evaluation as well."""

import torch

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer, non_contiguous, randn
from course_lib.exercises.lesson_06 import buggy


def _dropout(x, new, u, p, training):
    if not training:
        return x + new
    return x + new * (u >= p) / (1 - p)


def _inputs(g, training, p, *shape, dtype=torch.float32):
    x, new = randn(g, *shape, dtype=dtype), randn(g, *shape, dtype=dtype)
    return x, new, torch.rand(*shape, generator=g, dtype=dtype), p, training


def _on_the_border(g, *shape):
    """Each number of u is a multiple of a quarter, and p is one of them."""
    x, new, *_ = _inputs(g, True, 0.25, *shape)
    return x, new, torch.randint(4, shape, generator=g) / 4, 0.25, True


TRAINING, EVALUATION = "in training", "in evaluation"

dropout = Code(
    "06.dropout",
    buggy=buggy.dropout,
    unchanged="Nothing has changed yet. The three measurements above show three things that are wrong; begin with the zeros in the skip.",
    title="Dropped in the wrong place",
    points=3,
    minutes=10,
    difficulty=2,
    criteria={TRAINING: 2, EVALUATION: 1},
    reference=_dropout,
    axes=["... d_model"],
    forbidden=("dropout",),
    cases=[
        Case("half is switched off", lambda g: _inputs(g, True, 0.5, 4, 6), TRAINING),
        Case("the paper's 0.1", lambda g: _inputs(g, True, 0.1, 6, 10), TRAINING),
        Case("nothing is switched off", lambda g: _inputs(g, True, 0.0, 3, 4), TRAINING),
        Case("one word", lambda g: _inputs(g, True, 0.3, 1, 12), TRAINING),
        Case("a batch of sentences", lambda g: _inputs(g, True, 0.25, 2, 3, 8), TRAINING),
        Case("some numbers of u are p", lambda g: _on_the_border(g, 5, 8), TRAINING),
        Case("any sizes", lambda g: _inputs(g, True, 0.4, integer(g, 5, 9), integer(g, 6, 12)), TRAINING),
        Case("double precision", lambda g: _inputs(g, True, 0.2, 4, 6, dtype=torch.float64), TRAINING),
        Case(
            "not contiguous in memory",
            lambda g: (*(non_contiguous(randn(g, 6, 4)) for _ in "12"), torch.rand(6, 4, generator=g), 0.3, True),
            TRAINING,
        ),
        Case("in evaluation", lambda g: _inputs(g, False, 0.5, 4, 6), EVALUATION),
        Case("in evaluation, the paper's 0.1", lambda g: _inputs(g, False, 0.1, 3, 8), EVALUATION),
        Case(
            "in evaluation, double precision", lambda g: _inputs(g, False, 0.3, 2, 5, dtype=torch.float64), EVALUATION
        ),
    ],
    differentiable=True,
    hints=[
        "Which of the two terms is the skip? Only the other one is dropped.",
        "Of the numbers a share 1 − p is left. Their mean shrinks by this factor: divide by it.",
        "In evaluation nothing is dropped and nothing is divided: if not training: return x + new.",
    ],
)


def mask(u, p):
    return u >= p


@dropout.variants
def steps(
    x,
    new,
    u,
    p,
    training,
    *,
    kept=mask,
    scaled=lambda new, p: new / (1 - p),
    added=lambda x, new, kept: x + new * kept,
    evaluated=lambda x, new, u, p: x + new,
):
    if not training:
        return evaluated(x, new, u, p)
    return added(x, scaled(new, p), kept(u, p))


def not_scaled(new, p):
    return new


steps.mistake(
    "In evaluation some numbers are still switched off: two runs with other random numbers differ. With training=False return x + new.",
    (EVALUATION,),
    evaluated=lambda x, new, u, p: x + new * mask(u, p) / (1 - p),
)
steps.mistake(
    "The place is right now. But the mean still shrinks: divide by 1 − p. And in evaluation nothing should be dropped: x + new.",
    scaled=not_scaled,
    evaluated=lambda x, new, u, p: x + new * mask(u, p),
)
steps.mistake(
    "The mean shrinks: of new a share 1 − p is left. Divide what is kept by 1 − p.", (TRAINING,), scaled=not_scaled
)
steps.mistake(
    "In training the sum is dropped, so the skip has zeros too. Drop what the sublayer adds: x + new · kept / (1 − p).",
    (TRAINING,),
    scaled=not_scaled,
    added=lambda x, new, kept: (x + new) * kept,
)


def listed(sentence, in_training, in_evaluation=None, breaks=None):
    """A wrong answer given by what it returns in training and in evaluation; by default the same in both."""

    def wrong(x, new, u, p, training):
        return (in_training if training or in_evaluation is None else in_evaluation)(x, new, u, p)

    wrong.__name__ = f"form_{len(dropout.mistakes)}"
    dropout.mistake(sentence, breaks)(wrong)


def right_in_evaluation(x, new, u, p):
    return x + new


def sum_rescaled(x, new, u, p):
    return (x + new) * mask(u, p) / (1 - p)


listed(
    "You rescale now, but still the whole sum, in training and in evaluation: the skip has zeros, and two runs differ. Only `new` is dropped, and only in training.",
    sum_rescaled,
)
listed(
    "The sum is dropped and rescaled: the skip still has zeros, and x is stretched. Only `new` is dropped and rescaled.",
    sum_rescaled,
    right_in_evaluation,
    (TRAINING,),
)
listed(
    "The skip is dropped, and the sublayer's result isn't. It is the other way round: x stays whole.",
    lambda x, new, u, p: x * mask(u, p) / (1 - p) + new,
    right_in_evaluation,
    (TRAINING,),
)
listed(
    "You divide everything by 1 − p, the skip as well. Only what was dropped is rescaled.",
    lambda x, new, u, p: (x + new * mask(u, p)) / (1 - p),
    right_in_evaluation,
    (TRAINING,),
)
listed(
    "You scale by 1 − p in evaluation, as the dropout of 2014 did. Today training divides by 1 − p instead, and evaluation stays as it is: x + new.",
    lambda x, new, u, p: x + new * mask(u, p),
    lambda x, new, u, p: x + new * (1 - p),
)
listed(
    "Training and evaluation have changed places: dropping is for training.",
    right_in_evaluation,
    lambda x, new, u, p: x + new * mask(u, p) / (1 - p),
)
listed(
    "Nothing is dropped any more. In training a share p of `new` is switched off, and the rest divided by 1 − p.",
    right_in_evaluation,
    right_in_evaluation,
    (TRAINING,),
)

steps.mistake(
    "You multiply by 1 − p, so the mean shrinks twice. Divide by it.", (TRAINING,), scaled=lambda new, p: new * (1 - p)
)
steps.mistake(
    "You divide by p, the share that is gone. Divide by 1 − p, the share that is left.",
    (TRAINING,),
    scaled=lambda new, p: new / p,
)
steps.mistake(
    "You divide by √(1 − p): that keeps the spread. The mean is to stay: divide by 1 − p.",
    (TRAINING,),
    scaled=lambda new, p: new / (1 - p) ** 0.5,
)
steps.mistake(
    "You multiply by 1 + p. To make up for a share of 1 − p that is left, divide by 1 − p.",
    (TRAINING,),
    scaled=lambda new, p: new * (1 + p),
)
steps.mistake(
    "You keep where u < p, and so a share p is left, not 1 − p. A number is kept where u ≥ p.",
    (TRAINING,),
    kept=lambda u, p: u < p,
)
steps.mistake(
    "You keep where u < 1 − p. The share is right, but other numbers are kept than the ones asked for: where u ≥ p.",
    (TRAINING,),
    kept=lambda u, p: u < 1 - p,
)
steps.mistake(
    "Whole words are switched off: you look at one u for each word. Every number has its own.",
    (TRAINING,),
    kept=lambda u, p: mask(u, p)[..., :1],
)
steps.mistake(
    "The same places are switched off in every word: you look at one word's u. Every number has its own.",
    (TRAINING,),
    kept=lambda u, p: mask(u, p)[..., :1, :],
)
steps.mistake(
    "x is missing in training: dropped or not, the sublayer's result is added to the skip.",
    (TRAINING,),
    added=lambda x, new, kept: new * kept,
)
EVALUATED = {  # what comes back in evaluation, where x + new is meant
    "x is missing in evaluation: x + new.": lambda x, new, u, p: new.clone(),
    "In evaluation only x comes back. The sublayer's result is added as it is: x + new.": lambda x, new, u, p: (
        x.clone()
    ),
    "In evaluation you scale by 1 − p, as the dropout of 2014 did, and training is rescaled already. Do one of them; here it is training.": (
        lambda x, new, u, p: x + new * (1 - p)
    ),
    "In evaluation you scale everything by 1 − p, the skip as well. There nothing is scaled: x + new.": (
        lambda x, new, u, p: (x + new) * (1 - p)
    ),
    "You divide in evaluation, too. There nothing is dropped, so nothing has to be made up for: x + new.": (
        lambda x, new, u, p: x + new / (1 - p)
    ),
    "You divide everything in evaluation, the skip as well. There nothing is dropped and nothing divided: x + new.": (
        lambda x, new, u, p: (x + new) / (1 - p)
    ),
    "In evaluation you multiply by p. There nothing is scaled: x + new.": lambda x, new, u, p: x + new * p,
}
for says, evaluated in EVALUATED.items():
    steps.mistake(says, (EVALUATION,), evaluated=evaluated)
steps.mistake(
    "A number with u = p is switched off in your code. It is kept where u ≥ p, and p itself is among these.",
    (TRAINING,),
    kept=lambda u, p: u > p,
)
steps.mistake(
    "You keep where u ≥ 1 − p, and so a share p is left, not 1 − p. A number is kept where u ≥ p.",
    (TRAINING,),
    kept=lambda u, p: u >= 1 - p,
)
steps.mistake(
    "You multiply by u itself. It only decides: a number is kept where u ≥ p.", (TRAINING,), kept=lambda u, p: u
)
for factor in (0.7, 0.9):
    steps.mistake(
        f"You always divide by {factor}, whatever p is. Divide by 1 − p.",
        (TRAINING,),
        scaled=lambda new, p, factor=factor: new / factor,
    )
steps.mistake(
    "The skip is dropped as well: x stays whole. Only the sublayer's result is dropped and rescaled.",
    (TRAINING,),
    added=lambda x, new, kept: x * kept + new * kept,
)
steps.mistake(
    "The skip is dropped, and the sublayer's result is rescaled but not dropped. x stays whole; `new` is dropped.",
    (TRAINING,),
    added=lambda x, new, kept: x * kept + new,
)
steps.mistake(
    "`new` isn't multiplied by `kept`: kept is added. Where it is 0, nothing of `new` may be left.",
    (TRAINING,),
    added=lambda x, new, kept: x + new + kept,
)
steps.mistake(
    "x is multiplied in as well: the skip is a sum, x + …", (TRAINING,), added=lambda x, new, kept: x * new * kept
)
OF_KEPT = "You divide by the share that happened to be kept{0}. Divide by 1 − p: the mean is to stay over many draws, and a number mustn't depend on its neighbours' luck."
listed(
    OF_KEPT.format(""),
    lambda x, new, u, p: x + new * mask(u, p) / mask(u, p).to(new.dtype).mean(),
    right_in_evaluation,
    (TRAINING,),
)
listed(
    OF_KEPT.format(", word by word"),
    lambda x, new, u, p: x + new * mask(u, p) / mask(u, p).to(new.dtype).mean(-1, keepdim=True).clamp(min=1e-6),
    right_in_evaluation,
    (TRAINING,),
)
listed(
    "`new` is added twice in training, once whole and once dropped. Only what was kept is added.",
    lambda x, new, u, p: x + new + new * mask(u, p) / (1 - p),
    right_in_evaluation,
    (TRAINING,),
)
listed(
    "`kept` itself is added, divided by 1 − p, and `new` stays whole. Multiply: x + new · kept / (1 − p).",
    lambda x, new, u, p: x + new + mask(u, p) / (1 - p),
    right_in_evaluation,
    (TRAINING,),
)
listed(
    "In training everything is multiplied by 1 − p, the skip as well. Only what is kept of `new` is scaled, and divided by it.",
    lambda x, new, u, p: (x + new * mask(u, p)) * (1 - p),
    right_in_evaluation,
    (TRAINING,),
)
listed(
    "Nothing is dropped, in training or in evaluation, and `new` is scaled by 1 − p in both. In training a share p is switched off; in evaluation it is x + new.",
    lambda x, new, u, p: x + new * (1 - p),
)
steps.mistake(
    "You always drop a half: p isn't used for the choice. A number is kept where u ≥ p.",
    (TRAINING,),
    kept=lambda u, p: u >= 0.5,
)
steps.mistake(
    "You always multiply by 2, which is right for p = 0.5 alone. Divide by 1 − p.",
    (TRAINING,),
    scaled=lambda new, p: 2 * new,
)
listed(
    "You divide by 1 − p, but nothing is switched off any more. In training keep `new` only where u ≥ p; in evaluation x + new.",
    lambda x, new, u, p: x + new / (1 - p),
)
listed(
    "Nothing is switched off in training, and yet you divide by 1 − p. Keep `new` only where u ≥ p.",
    lambda x, new, u, p: x + new / (1 - p),
    right_in_evaluation,
    (TRAINING,),
)
