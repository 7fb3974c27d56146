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
    scaled=lambda y, p: y / (1 - p),
    added=lambda x, new, kept, scaled: x + scaled(new * kept),
    evaluated=lambda x, new, u, p: x + new,
    is_training=lambda training: training,
):
    if not is_training(training):
        return evaluated(x, new, u, p)
    return added(x, new, kept(u, p).to(new.dtype), lambda y: scaled(y, p))


def in_training(sentence, **replaced):
    steps.mistake(sentence, (TRAINING,), **replaced)


def not_scaled(y, p):
    return y


def whole_sum(x, new, kept, scaled):
    return scaled((x + new) * kept)


# --- some of the three bugs left --------------------------------------------------------------------------------------

steps.mistake(
    "The place is right now. But the mean still shrinks: divide by 1 − p. And in evaluation nothing should be dropped: x + new.",
    scaled=not_scaled,
    evaluated=lambda x, new, u, p: x + new * mask(u, p),
)
steps.mistake(
    "You rescale now, but still the whole sum, in training and in evaluation: the skip has zeros, and two runs differ. Only `new` is dropped, and only in training.",
    added=whole_sum,
    evaluated=lambda x, new, u, p: (x + new) * mask(u, p) / (1 - p),
)
in_training("The mean shrinks: of new a share 1 − p is left. Divide what is kept by 1 − p.", scaled=not_scaled)
in_training(
    "In training the sum is dropped, so the skip has zeros too. Drop what the sublayer adds: x + new · kept / (1 − p).",
    scaled=not_scaled,
    added=whole_sum,
)
in_training(
    "The sum is dropped and rescaled: the skip still has zeros, and x is stretched. Only `new` is dropped and rescaled.",
    added=whole_sum,
)

# --- in evaluation, where x + new is meant ----------------------------------------------------------------------------

EVALUATED = {
    "In evaluation some numbers are still switched off, though nothing is divided there. With training=False return x + new.": (
        lambda x, new, u, p: x + new * mask(u, p)
    ),
    "In evaluation the sum still loses numbers, the skip's as well. With training=False return x + new.": (
        lambda x, new, u, p: (x + new) * mask(u, p)
    ),
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
    "In evaluation you return new / (1 − p): the skip is missing, and nothing is to be divided. x + new.": (
        lambda x, new, u, p: new / (1 - p)
    ),
    "In evaluation you return new · (1 − p): the skip is missing, and nothing is to be scaled. x + new.": (
        lambda x, new, u, p: new * (1 - p)
    ),
    "In evaluation the skip is missing, and numbers are still switched off. There nothing is dropped: x + new.": (
        lambda x, new, u, p: new * mask(u, p) / (1 - p)
    ),
    "In evaluation the sum still loses numbers and is divided, the skip's as well. With training=False return x + new.": (
        lambda x, new, u, p: (x + new) * mask(u, p) / (1 - p)
    ),
    "In evaluation you return 0 for everything that isn't trained. It is x + new.": lambda x, new, u, p: x * 0,
    "In evaluation the skip is scaled by 1 − p. There nothing is scaled: x + new.": lambda x, new, u, p: (
        x * (1 - p) + new
    ),
    "In evaluation you subtract. It is x + new.": lambda x, new, u, p: x - new,
}
for says, evaluated in EVALUATED.items():
    steps.mistake(says, (EVALUATION,), evaluated=evaluated)
steps.mistake(
    "In evaluation some numbers are still switched off: two runs with other random numbers differ. With training=False return x + new.",
    (EVALUATION,),
    is_training=lambda training: True,
)

# --- which numbers are kept -------------------------------------------------------------------------------------------

KEPT = {
    "You keep where u < p, and so a share p is left, not 1 − p. A number is kept where u ≥ p.": lambda u, p: u < p,
    "You keep where u ≤ p, and so a share p is left, not 1 − p. A number is kept where u ≥ p.": lambda u, p: u <= p,
    "You keep where u ≥ 1 − p, and so a share p is left, not 1 − p. A number is kept where u ≥ p.": (
        lambda u, p: u >= 1 - p
    ),
    "You keep where u < 1 − p. The share is right, but other numbers are kept than the ones asked for: where u ≥ p.": (
        lambda u, p: u < 1 - p
    ),
    "A number with u = p is switched off in your code. It is kept where u ≥ p, and p itself is among these.": (
        lambda u, p: u > p
    ),
    "Whole words are switched off: you look at one u for each word. Every number has its own.": (
        lambda u, p: mask(u, p)[..., :1]
    ),
    "The same places are switched off in every word: you look at one word's u. Every number has its own.": (
        lambda u, p: mask(u, p)[..., :1, :]
    ),
    "The same is switched off in every row: you look at the first of u alone. Every number has its own.": (
        lambda u, p: mask(u, p)[:1]
    ),
    "You always drop a half: p isn't used for the choice. A number is kept where u ≥ p.": lambda u, p: u >= 0.5,
    "You multiply by u itself. It only decides: a number is kept where u ≥ p.": lambda u, p: u,
}
for says, kept in KEPT.items():
    in_training(says, kept=kept)

# --- by what is scaled ------------------------------------------------------------------------------------------------

SCALED = {
    "You multiply by 1 − p, so the mean shrinks twice. Divide by it.": lambda y, p: y * (1 - p),
    "You divide by p, the share that is gone. Divide by 1 − p, the share that is left.": lambda y, p: y / p,
    "You multiply by p, the share that is gone. Divide by 1 − p, the share that is left.": lambda y, p: y * p,
    "You divide by √(1 − p): that keeps the spread. The mean is to stay: divide by 1 − p.": (
        lambda y, p: y / (1 - p) ** 0.5
    ),
    "You multiply by 1 + p. To make up for a share of 1 − p that is left, divide by 1 − p.": lambda y, p: y * (1 + p),
    "You divide by 1 + p. A share of 1 − p is left: divide by that.": lambda y, p: y / (1 + p),
    "You always multiply by 2, which is right for p = 0.5 alone. Divide by 1 − p.": lambda y, p: 2 * y,
    "You always divide by 0.7, the 1 − p of the measurements above. Divide by 1 − p, whatever p is.": lambda y, p: (
        y / 0.7
    ),
    "You always divide by 0.9, the paper's 1 − p. Divide by 1 − p, whatever p is.": lambda y, p: y / 0.9,
    "`/ 1 - p` divides by 1 and then takes p off each number. Put it in brackets: / (1 - p).": lambda y, p: y / 1 - p,
    "You divide twice by 1 − p. Once: the mean shrinks by this factor once.": lambda y, p: y / (1 - p) ** 2,
    "`new` has the wrong sign: it is subtracted where it is added, or you divide by p − 1, which is negative. x + new · kept / (1 − p).": lambda y, p: (
        y / (p - 1)
    ),
    "You add 1 − p. Divide by it.": lambda y, p: y + (1 - p),
}
for says, scaled in SCALED.items():
    in_training(says, scaled=scaled)

# --- what is dropped, scaled and added --------------------------------------------------------------------------------

ADDED = {
    "x is missing in training: dropped or not, the sublayer's result is added to the skip.": (
        lambda x, new, kept, scaled: scaled(new * kept)
    ),
    "The skip is dropped, and the sublayer's result isn't. It is the other way round: x stays whole.": (
        lambda x, new, kept, scaled: scaled(x * kept) + new
    ),
    "The skip is dropped as well: x stays whole. Only the sublayer's result is dropped and rescaled.": (
        lambda x, new, kept, scaled: x * kept + scaled(new * kept)
    ),
    "The skip is dropped, and the sublayer's result is rescaled but not dropped. x stays whole; `new` is dropped.": (
        lambda x, new, kept, scaled: x * kept + scaled(new)
    ),
    "You divide everything by 1 − p, the skip as well. Only what was dropped is rescaled.": (
        lambda x, new, kept, scaled: scaled(x + new * kept)
    ),
    "You rescale the skip, not the sublayer's result. x stays as it is; `new` is dropped and rescaled.": (
        lambda x, new, kept, scaled: scaled(x) + new * kept
    ),
    "Nothing is switched off in training, and yet you divide by 1 − p. Keep `new` only where u ≥ p.": (
        lambda x, new, kept, scaled: x + scaled(new)
    ),
    "Nothing is dropped any more. In training a share p of `new` is switched off, and the rest divided by 1 − p.": (
        lambda x, new, kept, scaled: x + new
    ),
    "`new` is added twice in training, once whole and once dropped. Only what was kept is added.": (
        lambda x, new, kept, scaled: x + new + scaled(new * kept)
    ),
    "`kept` is added, and `new` stays whole. Multiply: x + new · kept / (1 − p).": (
        lambda x, new, kept, scaled: x + new + scaled(kept)
    ),
    "`kept` is added to what is rescaled, and `new` stays whole. Multiply: x + new · kept / (1 − p).": (
        lambda x, new, kept, scaled: x + scaled(new) + kept
    ),
    "`kept` itself is added, and `new` has no part. Multiply: x + new · kept / (1 − p).": (
        lambda x, new, kept, scaled: x + scaled(kept)
    ),
    "new[u >= p] is a list of the numbers that are left, and their places are lost. Multiply by the mask: new * (u >= p) keeps the shape, with zeros.": (
        lambda x, new, kept, scaled: x + scaled(new[kept.bool()])
    ),
    "x is dropped where `new` is kept. x stays whole: x + new · kept / (1 − p).": (
        lambda x, new, kept, scaled: x * (1 - kept) + scaled(new * kept)
    ),
    "x is subtracted. The skip is added: x + …": lambda x, new, kept, scaled: scaled(new * kept) - x,
    "x is multiplied. The skip is a sum: x + …": lambda x, new, kept, scaled: x * scaled(new * kept),
    "You divide by the share that happened to be kept. Divide by 1 − p: a number mustn't depend on its neighbours' luck.": (
        lambda x, new, kept, scaled: x + new * kept / kept.mean()
    ),
    "You divide by the share that happened to be kept in each word. Divide by 1 − p: a number mustn't depend on its neighbours' luck.": (
        lambda x, new, kept, scaled: x + new * kept / kept.mean(-1, keepdim=True).clamp(min=1e-6)
    ),
}
for says, added in ADDED.items():
    in_training(says, added=added)
in_training(
    "In training everything is multiplied by 1 − p, the skip as well. Only what is kept of `new` is scaled, and divided by it.",
    added=lambda x, new, kept, scaled: scaled(x + new * kept),
    scaled=lambda y, p: y * (1 - p),
)

# --- training and evaluation together ---------------------------------------------------------------------------------

steps.mistake(
    "You scale by 1 − p in evaluation, as the dropout of 2014 did. Today training divides by 1 − p instead, and evaluation stays as it is: x + new.",
    scaled=not_scaled,
    evaluated=lambda x, new, u, p: x + new * (1 - p),
)
steps.mistake(
    "Training and evaluation have changed places, and nothing is divided by 1 − p: dropping is for training.",
    added=lambda x, new, kept, scaled: x + new,
    evaluated=lambda x, new, u, p: x + new * mask(u, p),
)
steps.mistake(
    "Training and evaluation have changed places, and it is still the whole sum that is dropped: only `new` is, in training.",
    added=lambda x, new, kept, scaled: x + new,
    evaluated=lambda x, new, u, p: (x + new) * mask(u, p),
)
steps.mistake(
    "Training and evaluation have changed places: dropping is for training.",
    added=lambda x, new, kept, scaled: x + new,
    evaluated=lambda x, new, u, p: x + new * mask(u, p) / (1 - p),
)
steps.mistake(
    "You divide by 1 − p, but nothing is switched off any more. In training keep `new` only where u ≥ p; in evaluation x + new.",
    added=lambda x, new, kept, scaled: x + scaled(new),
    evaluated=lambda x, new, u, p: x + new / (1 - p),
)
steps.mistake(
    "Nothing is dropped, in training or in evaluation, and `new` is scaled by 1 − p in both. In training a share p is switched off; in evaluation it is x + new.",
    added=lambda x, new, kept, scaled: x + scaled(new),
    scaled=lambda y, p: y * (1 - p),
    evaluated=lambda x, new, u, p: x + new * (1 - p),
)
