"""Bahdanau's score, w₃ · tanh(W₁ q + W₂ k): every query with every key, for any leading axes."""

import torch
import torch.nn.functional as F

from course_lib import attention
from course_lib.checking.kinds import Case, Code
from course_lib.exercises.common import unchanged
from course_lib.exercises.inputs import integer, non_contiguous, randn


def _compared(g, queries, keys, d_query, d_key, d_score, leading=(), size=1.0, **kwargs):
    return (
        randn(g, *leading, queries, d_query, size=size, **kwargs),
        randn(g, *leading, keys, d_key, size=size, **kwargs),
        randn(g, d_score, d_query, **kwargs),
        randn(g, d_score, d_key, **kwargs),
        randn(g, d_score, **kwargs),
    )


additive_scores = Code(
    "01.additive_scores",
    title="Bahdanau's score, for a whole batch",
    points=3,
    minutes=15,
    difficulty=2,
    reference=attention.additive_scores,
    axes=["... query key"],
    forbidden=("additive_scores",),
    cases=[
        Case("two texts", lambda g: _compared(g, 3, 5, 4, 6, 7, (2,))),
        Case("all sizes equal", lambda g: _compared(g, 4, 4, 4, 4, 4, (4,))),
        Case("no batch", lambda g: _compared(g, 2, integer(g, 3, 6), 3, 3, 5)),
        Case("one query, one key", lambda g: _compared(g, 1, 1, 3, 2, 4, (2,))),
        Case("one query, many keys", lambda g: _compared(g, 1, integer(g, 6, 9), 4, 4, 4, (3,))),
        Case("two leading axes", lambda g: _compared(g, 3, 4, 2, 5, 3, (2, 3))),
        Case("scores of one number", lambda g: _compared(g, 3, 4, 2, 3, 1, (2,))),
        Case("large numbers", lambda g: _compared(g, 3, 4, 4, 4, 5, (2,), size=30.0)),
        Case(
            "not contiguous in memory",
            lambda g: tuple(non_contiguous(x) if x.dim() > 2 else x for x in _compared(g, 3, 5, 4, 6, 7, (2,))),
        ),
        Case("double precision", lambda g: _compared(g, 3, 4, 4, 3, 5, (2,), dtype=torch.float64)),
    ],
    differentiable=True,
    hints=[
        "Every query meets every key, and for each pair there are d_score numbers before w₃ takes them together. Which shape must go into the tanh?",
        "Project both first, as rows: (..., query, d_score) and (..., key, d_score). To add every one to every other, each needs an axis of length 1 where the other has its words: x.unsqueeze(-2) makes one.",
        "tanh of the sum, and then @ w_3 takes the last axis away.",
    ],
)


def every_pair(a, b):
    """(..., query, d_score) and (..., key, d_score) added to (..., query, key, d_score)."""
    return a.unsqueeze(-2) + b.unsqueeze(-3)


@additive_scores.variants
def steps(
    query,
    key,
    W_1,
    W_2,
    w_3,
    *,
    projected=lambda q, k, W_1, W_2: (q @ W_1.mT, k @ W_2.mT),
    joined=every_pair,
    activation=torch.tanh,
    summed=lambda x, w_3: x @ w_3,
    result=unchanged,
):
    return result(summed(activation(joined(*projected(query, key, W_1, W_2))), w_3))


steps.mistake(
    "The matrices aren't turned. The formula's W₁ q is for one column; for the rows here it is query @ W_1.mT, and key @ W_2.mT. "
    "Without .mT it only fits when the lengths are equal, and is wrong even then.",
    projected=lambda q, k, W_1, W_2: (q @ W_1, k @ W_2),
)
steps.mistake(
    "The matrices have changed places: W_1 belongs to the query, W_2 to the key.",
    projected=lambda q, k, W_1, W_2: (q @ W_2.mT, k @ W_1.mT),
)
steps.mistake(
    "The key goes through W_1. It has a matrix of its own, W_2.",
    projected=lambda q, k, W_1, W_2: (q @ W_1.mT, k @ W_1.mT),
)
steps.mistake(
    "You multiply the two projections. They are added: W₁ q + W₂ k.",
    joined=lambda a, b: a.unsqueeze(-2) * b.unsqueeze(-3),
)
steps.mistake("You subtract the two projections. They are added: W₁ q + W₂ k.", joined=lambda a, b: every_pair(a, -b))
steps.mistake(
    "The axes query and key have changed places: a row belongs to a query.", joined=lambda a, b: every_pair(b, a)
)
steps.mistake(
    "You add query i to key i, so each query meets one key only. Every query should meet every key: give both an axis for the other.",
    joined=torch.add,
)
steps.mistake(
    "This works with one batch axis. With none, or with two, the new axes land in the wrong place: count them from the end, unsqueeze(-2) and unsqueeze(-3).",
    joined=lambda a, b: a.unsqueeze(2) + b.unsqueeze(1),
)
steps.mistake(
    "The new axes have changed places: a row should belong to a query. (…, query, 1, d_score) + (…, 1, key, d_score).",
    joined=lambda a, b: a.unsqueeze(1) + b.unsqueeze(2),
)
steps.mistake(
    "Both got their new axis in the same place, so query i still meets key i alone. "
    "The query's goes behind it, the key's before it: (…, query, 1, d_score) + (…, 1, key, d_score).",
    joined=lambda a, b: a.unsqueeze(1) + b.unsqueeze(1),
)
steps.mistake(
    "Only the first query is compared with the keys. Each of them should be.",
    joined=lambda a, b: every_pair(a[..., :1, :].expand_as(a), b),
)
steps.mistake(
    "The tanh is missing. Without it, query and key are never compared: the score is a sum of two parts that don't know each other.",
    activation=unchanged,
)
steps.mistake(
    "The tanh comes too late: it belongs around the sum W₁ q + W₂ k, before w₃.",
    activation=unchanged,
    result=torch.tanh,
)
steps.mistake(
    "You take tanh of the query's part and of the key's part, and then add. Add first: tanh(W₁ q + W₂ k).",
    joined=lambda a, b: every_pair(a.tanh(), b.tanh()),
    activation=unchanged,
)
steps.mistake("You use a sigmoid. The formula has tanh, from −1 to 1.", activation=torch.sigmoid)
steps.mistake("You use ReLU. The formula has tanh.", activation=torch.relu)
steps.mistake("You use GELU. The formula has tanh.", activation=F.gelu)
steps.mistake("You use exp. The formula has tanh, from −1 to 1.", activation=torch.exp)
steps.mistake("You use softplus. The formula has tanh.", activation=F.softplus)
steps.mistake(
    "Only the query's part goes through tanh. It belongs around the sum: tanh(W₁ q + W₂ k).",
    joined=lambda a, b: every_pair(a.tanh(), b),
    activation=unchanged,
)
steps.mistake(
    "Only the key's part goes through tanh. It belongs around the sum: tanh(W₁ q + W₂ k).",
    joined=lambda a, b: every_pair(a, b.tanh()),
    activation=unchanged,
)
steps.mistake(
    "These are weights already. Only the scores are asked for here: leave the softmax out.",
    result=lambda scores: scores.softmax(-1),
)
steps.mistake("w_3 isn't used: you add the numbers up, each with weight 1.", summed=lambda x, w_3: x.sum(-1))
steps.mistake("You take a mean over d_score. w₃ · tanh(…) is a sum.", summed=lambda x, w_3: (x * w_3).mean(-1))
steps.mistake(
    "You take the largest of the products. w₃ · tanh(…) is their sum.", summed=lambda x, w_3: (x * w_3).amax(-1)
)
steps.mistake(
    "You add up over the keys. What vanishes is the last axis, d_score: sum(-1), or @ w_3.",
    summed=lambda x, w_3: (x * w_3).sum(-2),
)
steps.mistake(
    "You divide by √d_score. There is no scale in this score; it belongs to the dot product.",
    summed=lambda x, w_3: x @ w_3 / len(w_3) ** 0.5,
)
steps.mistake(
    "w_3 @ x sums over the keys, the last axis but one. w₃ belongs to the last axis, d_score: x @ w_3.",
    summed=lambda x, w_3: w_3 @ x,
)
steps.mistake(
    "[:, None] and [None] count axes from the left: right for one text, wrong with a batch in front, whose axis is the first. "
    "Count from the end: unsqueeze(-2) and unsqueeze(-3).",
    joined=lambda a, b: a[:, None] + b[None],
)
steps.mistake(
    "w₃ stands inside of tanh. It comes after it: w₃ · tanh(W₁ q + W₂ k).",
    activation=unchanged,
    summed=lambda x, w_3: (x * w_3).tanh().sum(-1),
)
steps.mistake(
    "You lay the two projections side by side. They are added, W₁ q + W₂ k: d_score numbers, which w₃ makes one of.",
    joined=lambda a, b: torch.cat(
        torch.broadcast_tensors(a.unsqueeze(-2), b.unsqueeze(-3)) if a.shape[-2] * b.shape[-2] else (a, b), dim=-1
    ),
)
steps.mistake(
    "You lay the two projections side by side. They are added, every query's with every key's: W₁ q + W₂ k.",
    joined=lambda a, b: torch.cat([a, b], dim=-1),
)
steps.mistake("The last axis is still there: multiply with w_3 and add up, or use @ w_3.", summed=torch.mul)


@additive_scores.mistake(
    "You take the dot product of the two projections. They are added here, W₁ q + W₂ k, and the sum goes through tanh and w₃."
)
def projected_dot_product(query, key, W_1, W_2, w_3):
    return (query @ W_1.mT) @ (key @ W_2.mT).mT


@additive_scores.mistake(
    "You take tanh of the projections' dot product. They are added here: tanh(W₁ q + W₂ k), and then w₃ makes one number of it."
)
def tanh_of_dot_product(query, key, W_1, W_2, w_3):
    return torch.tanh((query @ W_1.mT) @ (key @ W_2.mT).mT)


@additive_scores.mistake(
    "That is the formula for one query and one key, as columns. Here they are rows, many of them: W₁ q becomes query @ W_1.mT, "
    "and every query needs a sum with every key, (..., query, key, d_score), before tanh and @ w_3."
)
def as_it_stands_in_the_text(query, key, W_1, W_2, w_3):
    return w_3 @ torch.tanh(W_1 @ query + W_2 @ key)


@additive_scores.symptom(
    "Some numbers are right: those where the sizes happen to be equal. Print the shape of the sum before tanh; it should be (..., query, key, d_score)."
)
def partly_right(inputs, answer):
    right = attention.additive_scores(*inputs)
    return answer.shape == right.shape and 0.2 < torch.isclose(answer, right, rtol=1e-3, atol=1e-4).double().mean() < 1


@additive_scores.mistake(
    "That is the loop for one text. With a batch in front its first axis is the batch, and not the words: work on the last two axes, without a loop."
)
def loop_for_one_text(query, key, W_1, W_2, w_3):
    return torch.stack([torch.stack([w_3 @ torch.tanh(W_1 @ q + W_2 @ k) for k in key]) for q in query])


@additive_scores.mistake(
    "Your loop takes the first axis of both for the batch: right for one batch axis, wrong for none, and for two. "
    "Without a loop the last two axes are enough: unsqueeze(-2) and unsqueeze(-3) leave all others alone."
)
def loop_over_the_batch(query, key, W_1, W_2, w_3):
    pairs = zip(query @ W_1.mT, key @ W_2.mT, strict=False)
    return torch.stack([torch.tanh(a[:, None] + b[None]) @ w_3 for a, b in pairs])


@additive_scores.mistake(
    "F.linear takes the rows first, then the matrix: F.linear(query, W_1) is query @ W_1.mT. You gave them the other way round."
)
def linear_the_other_way_round(query, key, W_1, W_2, w_3):
    return torch.tanh(F.linear(W_1, query).unsqueeze(-2) + F.linear(W_2, key).unsqueeze(-3)) @ w_3
