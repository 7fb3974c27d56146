"""Lesson 00, Start here: shapes, products, softmax."""

import torch

from course_lib.checking.kinds import Case, Choice, Code, Number, Prediction
from course_lib.exercises.inputs import integer, non_contiguous, randn

NAME = "00_start_here"
TITLE = "Start here"


def _all_dots(queries, keys):
    return queries @ keys.mT


def _pair(g, n, m, d, leading=(), **kwargs):
    return randn(g, *leading, n, d, **kwargs), randn(g, *leading, m, d, **kwargs)


first_guess = Prediction(
    title="The shape of a product",
    question="a has the shape (2, 3) and b the shape (3, 4). What is the shape of a @ b?",
    options=["(2, 4)", "(3, 3)", "(2, 3, 4)", "it is an error"],
    answer="(2, 4)",
    why="The inner lengths, 3 and 3, must be equal; they are summed over and vanish. The outer ones stay.",
)

all_dots = Code(
    title="Every word with every word",
    points=2,
    minutes=8,
    difficulty=1,
    reference=_all_dots,
    axes=["... query key"],
    cases=[
        Case("two words and three words", lambda g: _pair(g, 2, 3, 4)),
        Case("as many of one as of the other", lambda g: _pair(g, 4, 4, 3)),
        Case(
            "words, keys and numbers of any count",
            lambda g: _pair(g, integer(g, 2, 6), integer(g, 7, 9), integer(g, 10, 12)),
        ),
        Case("one word", lambda g: _pair(g, 1, 5, 2)),
        Case("vectors of length 1", lambda g: _pair(g, 3, 2, 1, size=2.0)),
        Case("a batch of two sentences", lambda g: _pair(g, 3, 4, 5, leading=(2,))),
        Case("two leading axes", lambda g: _pair(g, 3, 4, 4, leading=(2, 2))),
        Case("double precision", lambda g: _pair(g, 2, 3, 4, dtype=torch.float64)),
        Case("not contiguous in memory", lambda g: tuple(map(non_contiguous, _pair(g, 3, 5, 4, leading=(2,))))),
    ],
    differentiable=True,
    hints=[
        "In a @ b the last axis of a meets the last but one of b. Which axis should vanish here?",
        "The numbers of a vector lie on the last axis of both. So the keys have to be turned: two axes change places.",
        "keys.mT swaps the last two axes, whatever stands before them.",
    ],
)


@all_dots.mistake(
    "Your table is the wrong way round: a row for each query, a column for each key. Put the queries first."
)
def keys_first(queries, keys):
    return keys @ queries.mT


@all_dots.mistake(
    "This works for one sentence, not for a batch: .T turns all axes round. Swap only the last two, with .mT."
)
def turns_all_axes(queries, keys):
    return queries @ keys.permute(*reversed(range(keys.dim())))


@all_dots.mistake(
    "transpose(0, 1) swaps the first two axes. In a batch those aren't the ones you mean: count from the end, -1 and -2."
)
def swaps_first_axes(queries, keys):
    return queries @ keys.transpose(0, 1)


@all_dots.mistake(
    "transpose(1, 2) is right for one batch axis and no other number of them. Count from the end: transpose(-2, -1), or .mT."
)
def swaps_second_axes(queries, keys):
    return queries @ keys.transpose(1, 2)


@all_dots.mistake("You compare word 1 with word 1, word 2 with word 2. Every query should meet every key.")
def pair_by_pair(queries, keys):
    return (queries * keys).sum(-1)


@all_dots.mistake(
    "The keys still lie the wrong way: as they are, their word axis would have to meet the numbers of the queries."
)
def not_turned(queries, keys):
    return queries @ keys


@all_dots.mistake(
    "You divide by the vectors' lengths. That is the cosine; a dot product is only multiplied and summed."
)
def cosine(queries, keys):
    return torch.nn.functional.normalize(queries, dim=-1) @ torch.nn.functional.normalize(keys, dim=-1).mT


@all_dots.mistake("You take the mean of the products. A dot product is their sum.")
def mean_of_products(queries, keys):
    return (queries.unsqueeze(-2) * keys.unsqueeze(-3)).mean(-1)


@all_dots.mistake("You multiplied every pair of numbers, but didn't add them up. Sum over the last axis.")
def not_summed(queries, keys):
    return queries.unsqueeze(-2) * keys.unsqueeze(-3)


@all_dots.mistake("You scale by √d. That comes in lesson 02; here the plain dot product is asked for.")
def scaled(queries, keys):
    return queries @ keys.mT / queries.shape[-1] ** 0.5


@all_dots.symptom(
    "Your keys have been cut anew, not turned: reshape and view keep the numbers in their order. Swap the two axes, with .mT."
)
def reshaped(inputs, answer):
    queries, keys = inputs
    return torch.allclose(queries @ keys.reshape(keys.mT.shape), answer, atol=1e-4)


broadcast_shape = Number(
    title="What broadcasting makes",
    points=3,
    minutes=5,
    difficulty=1,
    answer={"first axis": 3, "second axis": 4, "third axis": 5},
    rtol=1e-9,
    wrong={
        "first axis": {
            4: "(4, 1) has no third axis from the right, so it is stretched to fit there. What does the other have?",
            1: "length 1 is stretched to whatever the other has.",
        },
        "second axis": {
            1: "one of the two has length 1 there, and is stretched to the other's length.",
            3: "line the two shapes up from the right, not from the left.",
        },
        "third axis": {
            1: "one of the two has length 1 there, and is stretched to the other's length.",
            4: "line the two shapes up from the right, not from the left.",
        },
    },
    hints=[
        "Write the two shapes under each other, flush right. Where one is missing, put a 1.",
        "In each column, equal lengths stay; a 1 is stretched to the other's length.",
    ],
)

softmax_axis = Choice(
    title="Which axis sums to one",
    points=1,
    minutes=3,
    difficulty=1,
    answer="b",
    options={
        "a": "dim=0 runs down a column: it shares one key out among the queries. Each query should share itself out.",
        "b": "Each row belongs to one query. dim=-1 runs along it, over the keys, so each query's weights sum to 1.",
        "c": "Over everything, all the weights of all queries would sum to 1 together: a query in a long sentence would get next to nothing.",
        "d": "It matters: the results differ, as the two sums under the last cell show.",
    },
    hints=[
        "Take one query, one row of the table. What should add up to 1?",
        "Along a row, the index that changes is the last one.",
    ],
)

softmax = Code(
    title="Softmax",
    points=3,
    minutes=12,
    difficulty=2,
    reference=lambda scores: scores.softmax(dim=-1),
    axes=["... key"],
    forbidden=("softmax", "softmin", "sumexp", "cross_entropy", "scaled_dot_product", "attention_weights"),
    cases=[
        Case("one row of scores", lambda g: (randn(g, 5),)),
        Case("a square table", lambda g: (randn(g, 4, 4),)),
        Case("three queries, five keys", lambda g: (randn(g, 3, integer(g, 4, 7)),)),
        Case("batch, head, query, key", lambda g: (randn(g, 2, 3, 4, 5),)),
        Case("scores around 1000", lambda g: (randn(g, 2, 6) * 3 + 1000,)),
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
softmax.reference.__name__ = "softmax"


@softmax.mistake(
    "exp(1000) is too large for a computer's numbers. Subtract each row's largest score first: the result stays the same."
)
def no_maximum(scores):
    e = scores.exp()
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


@softmax.mistake("The sum lost its axis, so a row is divided by another row's sum. Use sum(dim=-1, keepdim=True).")
def no_keepdim(scores):
    e = (scores - scores.max(-1, keepdim=True).values).exp()
    return e / e.sum(-1)


@softmax.mistake(
    "You subtract the largest score of the whole tensor. A row far below it vanishes to 0 / 0. Take each row's own maximum."
)
def one_maximum(scores):
    e = (scores - scores.max()).exp()
    return e / e.sum(-1, keepdim=True)


@softmax.mistake(
    "You subtract each row's smallest score. What must not become too large is the largest: subtract the row's maximum."
)
def subtracts_minimum(scores):
    e = (scores - scores.amin(-1, keepdim=True)).exp()
    return e / e.sum(-1, keepdim=True)


@softmax.mistake(
    "You subtract each row's mean. A score far above it is still too large for exp: subtract the row's maximum."
)
def subtracts_row_mean(scores):
    e = (scores - scores.mean(-1, keepdim=True)).exp()
    return e / e.sum(-1, keepdim=True)


@softmax.mistake("Subtracting the mean doesn't stop exp from growing too large. Subtract the row's maximum.")
def subtracts_mean(scores):
    e = (scores - scores.mean()).exp()
    return e / e.sum(-1, keepdim=True)


@softmax.mistake(
    "All on the largest: that is a hard choice, without a gradient. Each score should get its share, exp(score) over the sum."
)
def hard(scores):
    return torch.nn.functional.one_hot(scores.argmax(-1), scores.shape[-1]).to(scores.dtype)


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


@softmax.mistake("max(dim=…) gives two things, the values and where they stand. Take .values, and keepdim=True.")
def maximum_and_place(scores):
    e = (scores - scores.max(dim=-1, keepdim=True)).exp()
    return e / e.sum(-1, keepdim=True)


@softmax.mistake("The maximum lost its axis, so another row's is subtracted. Use max(dim=-1, keepdim=True).values.")
def maximum_without_keepdim(scores):
    e = (scores - scores.max(-1).values).exp()
    return e / e.sum(-1, keepdim=True)


@softmax.mistake(
    "nan_to_num hides the overflow, it doesn't undo it: the right share isn't 0. Subtract each row's largest score before exp."
)
def hides_the_overflow(scores):
    e = scores.exp()
    return (e / e.sum(-1, keepdim=True)).nan_to_num()


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
    "The exponential is missing: you divide the scores by their sum, and negative ones become negative weights."
)
def no_exponential(scores):
    return scores / scores.sum(-1, keepdim=True)


@softmax.mistake("You have the exponentials, each as a part of its row's largest. Divide them by the sum of the row.")
def not_normalised(scores):
    return (scores - scores.max(-1, keepdim=True).values).exp()


@softmax.mistake("That is the logarithm of the softmax. Leave out the last log.")
def logarithm(scores):
    return scores.log_softmax(-1)


@softmax.symptom("Not every row sums to 1. Which sum do you divide by, and along which axis does it run?")
def rows_do_not_sum_to_one(inputs, answer):
    return not torch.allclose(answer.sum(-1), torch.ones(answer.shape[:-1], dtype=answer.dtype), atol=1e-3)
