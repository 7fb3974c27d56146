"""The softmax over the last axis, for scores of any size: exp, divided by the sum of its row."""

import torch
import torch.nn.functional as F

from course_lib.checking.kinds import Case, Code
from course_lib.exercises import common
from course_lib.exercises.inputs import integer, randn


def _softmax(scores):
    return scores.softmax(dim=-1)


def _near_the_limit(g):
    """Scores around 90, the largest of each row at index 9: exp overflows, but not if a little is taken off."""
    scores = 88 + randn(g, 2, 12)
    scores[:, 9] = 91
    return (scores,)


softmax = Code(
    "00.softmax",
    title="Softmax",
    points=3,
    minutes=12,
    difficulty=2,
    reference=_softmax,
    axes=["... key"],
    forbidden=("softmax", "softmin", "sumexp", "cross_entropy", "scaled_dot_product", "attention_weights"),
    cases=[
        Case("one row of scores", lambda g: (randn(g, 5),)),
        Case("a square table", lambda g: (randn(g, 4, 4),)),
        Case("three queries, five keys", lambda g: (randn(g, 3, integer(g, 4, 7)),)),
        Case("batch, head, query, key", lambda g: (randn(g, 2, 3, 4, 5),)),
        Case("scores around 1000", lambda g: (randn(g, 2, 6) * 3 + 1000,)),
        Case("scores around 90", _near_the_limit),
        Case("scores far apart", lambda g: (randn(g, 4, 6, size=300.0),)),
        Case("rows of very different size", lambda g: (randn(g, 3, 4) + torch.tensor([[-2000.0], [0.0], [2000.0]]),)),
        Case("one key", lambda g: (randn(g, 4, 1),)),
        Case("double precision", lambda g: (randn(g, 3, 4, dtype=torch.float64),)),
    ],
    differentiable=True,
    hints=[
        "exp of every score, divided by the sum of its row. Which axis is a row, and does the sum keep it?",
        "keepdim=True leaves an axis of length 1, so that each row is divided by its own sum.",
        "exp(1000) is infinite. Subtracting the same number from a whole row changes nothing in the result: subtract the row's largest.",
    ],
)


@softmax.variants
def steps(
    scores,
    *,
    shift=lambda s: s.amax(-1, keepdim=True),
    exponential=torch.exp,
    total=lambda e, s: e.sum(-1, keepdim=True),
):
    e = exponential(scores - shift(scores))
    return e / total(e, scores)


steps.mistake(
    "exp(1000) is too large for a computer's numbers. Subtract each row's largest score first: the result stays the same.",
    shift=lambda s: 0.0,
)
steps.mistake(
    "You subtract the largest score of the whole tensor. A row far below it vanishes to 0 / 0. Take each row's own maximum.",
    shift=lambda s: s.max(),
)
steps.mistake(
    "You subtract each row's smallest score. What must not become too large is the largest: subtract the row's maximum.",
    shift=lambda s: s.amin(-1, keepdim=True),
)
steps.mistake(
    "You subtract each row's mean. A score far above it is still too large for exp: subtract the row's maximum.",
    shift=lambda s: s.mean(-1, keepdim=True),
)
steps.mistake(
    "Subtracting the mean doesn't stop exp from growing too large. Subtract the row's maximum.",
    shift=lambda s: s.mean(),
)
steps.mistake(
    "max(dim=…) gives two things, the values and where they stand. Take .values, and keepdim=True.",
    shift=lambda s: s.max(dim=-1, keepdim=True),
)
steps.mistake(
    "The maximum lost its axis, so another row's is subtracted. Use max(dim=-1, keepdim=True).values.",
    shift=lambda s: s.max(-1).values,
)
steps.mistake(
    "The sum lost its axis, so a row is divided by another row's sum. Use sum(dim=-1, keepdim=True).",
    total=lambda e, s: e.sum(-1),
)
steps.mistake(
    "You have the exponentials, each as a part of its row's largest. Divide them by the sum of the row.",
    total=lambda e, s: 1.0,
)
steps.mistake(
    "The sum runs over the first axis, so the shares of a row don't sum to 1. The keys are on the last axis: dim=-1.",
    total=lambda e, s: e.sum(0, keepdim=True),
)
steps.mistake(
    "The sum runs over dim=1. That is the last axis of a table only; count from the end: dim=-1.",
    total=lambda e, s: e.sum(1, keepdim=True),
)
steps.mistake(
    "You divide by the sum of all numbers together. Each row should be divided by its own: sum(dim=-1, keepdim=True).",
    total=lambda e, s: e.sum(),
)
steps.mistake(
    "You divide by the mean of the row. Divide by its sum: then the shares add up to 1.",
    total=lambda e, s: e.mean(-1, keepdim=True),
)
steps.mistake(
    "Below the line stands the sum of the scores. It should be the sum of their exponentials, as above.",
    total=lambda e, s: s.sum(-1, keepdim=True),
)
steps.mistake(
    "You subtract the largest score of each column. Then the scores of one row lose different amounts, and its shares change: "
    "take the maximum along the row, dim=-1.",
    shift=lambda s: s.amax(0, keepdim=True),
)
steps.mistake(
    "You subtract the sum of the row. Whether anything is too large for exp depends on the largest score: subtract that.",
    shift=lambda s: s.sum(-1, keepdim=True),
)
steps.mistake("exp is missing: you share out what is left after the subtraction.", exponential=common.unchanged)
steps.mistake("You raise 10 to the scores. The softmax has e as its base: exp.", exponential=lambda x: 10**x)
steps.mistake("You raise 2 to the scores. The softmax has e as its base: exp.", exponential=lambda x: 2**x)
steps.mistake("You square. The softmax raises e to each score: exp.", exponential=torch.square)
steps.mistake(
    "You scale the scores by the root of their number. No scale is asked for here: exp of each score as it is.",
    exponential=lambda x: (x / x.shape[-1] ** 0.5).exp(),
)
steps.mistake(
    "You subtract the largest amount, without its sign. In a row of large negative scores every exp is 0 then: take the maximum itself.",
    shift=lambda s: s.abs().amax(-1, keepdim=True),
)
steps.mistake(
    "You add the largest score. That makes exp overflow all the sooner: subtract it.",
    shift=lambda s: -s.amax(-1, keepdim=True),
)
steps.mistake(
    "argmax says where the largest score stands, not how large it is. Subtract the score itself: amax, or max(…).values.",
    shift=lambda s: s.argmax(-1, keepdim=True),
)
steps.mistake(
    "You take the logarithm of the sum. Divide exp by the sum itself.", total=lambda e, s: e.sum(-1, keepdim=True).log()
)
steps.mistake(
    "dim=-2 is the last axis but one: a single row has none, and in a table it runs down the columns. The keys are on the last: dim=-1.",
    total=lambda e, s: e.sum(-2, keepdim=True),
)
steps.mistake(
    "You bring the scores between 0 and 1 first. That changes the shares: subtract the largest, and leave the rest as it is.",
    shift=lambda s: s.amin(-1, keepdim=True),
    exponential=lambda x: (x / x.amax(-1, keepdim=True)).exp(),
)


steps.mistake(
    "A small number added below the line keeps 0 / 0 away, but exp(1000) is infinite: that is what spoils the row. Subtract its largest score first.",
    shift=lambda s: 0.0,
    total=lambda e, s: e.sum(-1, keepdim=True) + 1e-8,
)
for _constant in (100.0, 1000.0):
    steps.mistake(
        f"You subtract {_constant:g} from every row. It is too much for a row of small scores, where all exponentials become 0, "
        "and too little for one of larger scores. Each row knows what it needs: subtract its own largest score.",
        shift=lambda s, constant=_constant: constant,
    )
steps.mistake(
    "You bring each row to mean 0 and spread 1 first. The mean may go, but dividing changes the differences, and so the shares: subtract the row's largest score, and no more.",
    shift=lambda s: s.mean(-1, keepdim=True),
    exponential=lambda x: (x / x.std(-1, keepdim=True)).exp(),
)


@softmax.mistake(
    "Double precision only moves the limit: exp overflows at 710 then, instead of at 89. Subtract each row's largest score, and no score is too large."
)
def double_instead(scores):
    e = scores.double().exp()
    return (e / e.sum(-1, keepdim=True)).to(scores.dtype)


@softmax.mistake(
    "The maximum is subtracted below the fraction line only. What is subtracted must be the same above and below, so that it cancels."
)
def maximum_below_only(scores):
    return scores.exp() / (scores - scores.max(-1, keepdim=True).values).exp().sum(-1, keepdim=True)


@softmax.mistake(
    "Your loop runs over the first axis, so it is right for a table only. With more axes in front, or none, rows are elsewhere: "
    "no loop is needed, dim=-1 with keepdim=True takes each row."
)
def loop_over_the_first_axis(scores):
    return torch.stack([(s - s.max()).exp() / (s - s.max()).exp().sum() for s in scores])


@softmax.mistake(
    "You subtract the largest after exp, when it is too late. Subtract the largest score first, then take exp."
)
def maximum_after_exp(scores):
    e = scores.exp()
    e = e - e.amax(-1, keepdim=True)
    return e / e.sum(-1, keepdim=True)


@softmax.mistake("Your columns sum to 1, or whatever the first axis is. The last axis should: dim=-1.")
def over_first_axis(scores):
    return scores.softmax(0)


@softmax.mistake(
    "dim=1 is the last axis of a table only. With one axis it doesn't exist, with batch and head in front it is another: dim=-1."
)
def over_second_axis(scores):
    return scores.softmax(1)


@softmax.mistake("You normalise over the last axis but one. The keys are on the last: dim=-1.")
def over_queries(scores):
    return scores.softmax(-2 if scores.dim() > 1 else -1)


@softmax.mistake("All your numbers sum to 1 together. Each row should, by itself.")
def over_everything(scores):
    return scores.flatten().softmax(0).reshape(scores.shape)


@softmax.mistake("You divide the scores by the row's maximum. Subtract it: dividing changes the shares.")
def divided_by_maximum(scores):
    e = (scores / scores.max(-1, keepdim=True).values).exp()
    return e / e.sum(-1, keepdim=True)


@softmax.mistake(
    "The maximum is subtracted above the fraction line only. What is subtracted must be the same above and below, so that it cancels."
)
def maximum_above_only(scores):
    return (scores - scores.max(-1, keepdim=True).values).exp() / scores.exp().sum(-1, keepdim=True)


@softmax.mistake(
    "nan_to_num hides the overflow, it doesn't undo it: the right share isn't 0. Subtract each row's largest score before exp."
)
def hides_the_overflow(scores):
    e = scores.exp()
    return (e / e.sum(-1, keepdim=True)).nan_to_num()


@softmax.mistake(
    "nan_to_num hides the overflow, it doesn't undo it: two large scores in a row would both get 1. "
    "Subtract each row's largest score before exp."
)
def hides_the_overflow_with_ones(scores):
    e = scores.exp()
    return (e / e.sum(-1, keepdim=True)).nan_to_num(nan=1.0)


@softmax.mistake(
    "All on the largest: that is a hard choice, without a gradient. Each score should get its share, exp(score) over the sum."
)
def hard(scores):
    return F.one_hot(scores.argmax(-1), scores.shape[-1]).to(scores.dtype)


@softmax.mistake(
    "The signs are turned round: your smallest score gets the largest weight. Subtract the maximum from the scores, not the scores from it."
)
def turned_round(scores):
    return (-scores).softmax(-1)


@softmax.mistake(
    "Each of your numbers is between 0 and 1, but they don't share anything: that is the sigmoid. Divide exp by the sum of exp."
)
def sigmoid(scores):
    return scores.sigmoid()


@softmax.mistake(
    "The exponential is missing: you divide the scores by their sum, and negative ones become negative weights."
)
def no_exponential(scores):
    return scores / scores.sum(-1, keepdim=True)


@softmax.mistake("That is the logarithm of the softmax. Leave out the last log.")
def logarithm(scores):
    return scores.log_softmax(-1)


@softmax.symptom(
    "Where scores are large, all shares of a row come out equal, though its scores differ. Was something cut off (clamp, minimum)? "
    "That makes large scores alike. Subtract the row's largest score: it changes nothing in the result."
)
def large_ones_made_alike(inputs, answer):
    (scores,) = inputs
    alike = torch.allclose(answer, torch.full_like(answer, 1 / answer.shape[-1]), atol=1e-4)
    return alike and scores.shape[-1] > 1 and scores.abs().min() > 100


common.rows_do_not_sum_to_one(
    softmax,
    "Not every row sums to 1. What do you divide by: does the sum run along the row, dim=-1, and does it keep its axis, keepdim=True?",
)
