"""The dot product of every query with every key, for any leading axes: queries @ keys.mT."""

import torch
import torch.nn.functional as F

from course_lib.checking.kinds import Case, Code
from course_lib.exercises import common
from course_lib.exercises.inputs import integer, non_contiguous, randn


def _all_dots(queries, keys):
    return queries @ keys.mT


def _pair(g, n, m, d, leading=(), **kwargs):
    return randn(g, *leading, n, d, **kwargs), randn(g, *leading, m, d, **kwargs)


all_dots = Code(
    "00.all_dots",
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


@all_dots.variants
def steps(queries, keys, *, transpose=common.transposed, lengths=common.unchanged, result=common.unchanged):
    return result(queries @ transpose(lengths(keys)))


steps.mistake(
    "This works for one sentence, not with a batch in front. Swap only the last two axes, whatever stands before them: "
    "keys.mT (.T turns all axes round).",
    transpose=common.all_axes_reversed,
)
steps.mistake(
    "transpose(0, 1) swaps the first two axes. In a batch those aren't the ones you mean: count from the end, -1 and -2.",
    transpose=lambda k: k.transpose(0, 1),
)
steps.mistake(
    "transpose(1, 2) is right for one batch axis and no other number of them. Count from the end: transpose(-2, -1), or .mT.",
    transpose=lambda k: k.transpose(1, 2),
)
steps.mistake(
    "permute(0, 2, 1) is right for one batch axis and no other number of them. For any number there is .mT, the last two axes.",
    transpose=lambda k: k.permute(0, 2, 1),
)
steps.mistake(
    "You sum over the words, too: one number is left of the whole table. Only the numbers of the vectors should vanish.",
    result=lambda scores: scores.sum((-2, -1)),
)
steps.mistake(
    "The keys still lie the wrong way: as they are, their word axis would have to meet the numbers of the queries.",
    transpose=common.unchanged,
)
steps.mistake(
    "You divide the keys by their lengths. In a dot product the lengths of both vectors count: only multiply and sum.",
    lengths=lambda k: F.normalize(k, dim=-1),
)
steps.mistake(
    "The last number of each vector is left out: range(n - 1) ends one too early.",
    lengths=lambda k: torch.cat([k[..., :-1], torch.zeros_like(k[..., -1:])], dim=-1),
)
steps.mistake("You square the dot products. Leave them as they are, signs too.", result=torch.square)
steps.mistake("You take the amount of each dot product. Its sign says something: leave it.", result=torch.abs)
steps.mistake(
    "Weights aren't asked for yet, only the scores: leave the softmax out.", result=lambda scores: scores.softmax(-1)
)


@all_dots.mistake(
    "`*` multiplies number by number, the first query with the first key, and so on: (query, d) and (key, d) don't even fit "
    "where these are not equally many. Every query should meet every key: that is the matrix product, @."
)
def number_by_number(queries, keys):
    return queries * keys


@all_dots.mistake(
    "You turned the queries. The numbers of a vector must meet: they are last in queries, so they have to come last but one in "
    "the keys. Turn the keys."
)
def queries_turned(queries, keys):
    return queries.mT @ keys


@all_dots.mistake(
    "The sentences of the batch have become one: every query of every sentence meets every key of every sentence. "
    "Leave the axes in front alone; @ keeps them apart."
)
def one_long_sentence(queries, keys):
    return queries.flatten(0, -2) @ keys.flatten(0, -2).mT


@all_dots.mistake(
    "You add up the numbers of each vector before you multiply. Multiply number by number first, then sum."
)
def summed_before(queries, keys):
    return queries.sum(-1).unsqueeze(-1) * keys.sum(-1).unsqueeze(-2)


@all_dots.mistake("You measure distances. A dot product multiplies number by number and adds up.")
def distances(queries, keys):
    return torch.cdist(queries, keys)


@all_dots.mistake("You measure squared distances. A dot product multiplies number by number and adds up.")
def squared_distances(queries, keys):
    return (queries.unsqueeze(-2) - keys.unsqueeze(-3)).square().sum(-1)


@all_dots.mistake("torch.dot takes one vector and one vector. For all of them at once use the matrix product, @.")
def one_dot(queries, keys):
    return torch.dot(queries, keys)


@all_dots.mistake(
    "You sum over the keys, or over the queries. What should vanish is the last axis, the numbers of the vectors: sum(-1)."
)
def summed_over_keys(queries, keys):
    return (queries.unsqueeze(-2) * keys.unsqueeze(-3)).sum(-2)


@all_dots.mistake(
    "That is a loop for one sentence: with a batch in front, it runs over the sentences and not over the words. "
    "No loop is needed: @ works on the last two axes, whatever stands before them."
)
def loop_for_one_sentence(queries, keys):
    return torch.stack([torch.stack([q @ k for k in keys]) for q in queries])


@all_dots.mistake(
    "Your loop takes one query after another: right for one sentence. With a batch in front it takes one sentence after another, "
    "and keys @ q means something else then. No loop is needed: @ works on the last two axes."
)
def loop_over_queries(queries, keys):
    return torch.stack([keys @ q for q in queries])


@all_dots.mistake(
    "That is a loop for one sentence: with a batch in front, it runs over the sentences and not over the words; "
    "and a table made of Python's numbers has no gradient. No loop is needed: @ works on the last two axes."
)
def loop_for_one_sentence_in_numbers(queries, keys):
    return torch.tensor([[float(q @ k) for k in keys] for q in queries])


@all_dots.mistake("You compare queries with queries. The other side of the product is the keys.")
def queries_only(queries, keys):
    return queries @ queries.mT


@all_dots.mistake(
    "Your table is the wrong way round: a row for each query, a column for each key. Put the queries first."
)
def keys_first(queries, keys):
    return keys @ queries.mT


@all_dots.mistake("You compare word 1 with word 1, word 2 with word 2. Every query should meet every key.")
def pair_by_pair(queries, keys):
    return (queries * keys).sum(-1)


@all_dots.mistake(
    "You divide by the vectors' lengths. That is the cosine; a dot product is only multiplied and summed."
)
def cosine(queries, keys):
    return F.normalize(queries, dim=-1) @ F.normalize(keys, dim=-1).mT


@all_dots.mistake("You take the mean of the products. A dot product is their sum.")
def mean_of_products(queries, keys):
    return (queries.unsqueeze(-2) * keys.unsqueeze(-3)).mean(-1)


@all_dots.mistake("You multiplied every pair of numbers, but didn't add them up. Sum over the last axis.")
def not_summed(queries, keys):
    return queries.unsqueeze(-2) * keys.unsqueeze(-3)


@all_dots.mistake("You scale by √d. That comes in lesson 02; here the plain dot product is asked for.")
def scaled(queries, keys):
    return queries @ keys.mT / queries.shape[-1] ** 0.5


@all_dots.symptom(common.KEYS_RESHAPED)
def reshaped(inputs, answer):
    return common.same(answer, steps(*inputs, transpose=common.reshaped))


@all_dots.mistake(
    "Every sentence of one is paired with every sentence of the other, as tensordot and inner do, so a batch comes twice. "
    "@ keeps the sentences apart: queries @ keys.mT."
)
def every_batch_with_every_batch(queries, keys):
    return torch.tensordot(queries, keys, dims=([-1], [-1]))
