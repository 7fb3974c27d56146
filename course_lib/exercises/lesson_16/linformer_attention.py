"""Linformer: attention to a few mixtures of the keys and of the values."""

import torch

from course_lib.attention import attention_weights
from course_lib.checking.kinds import Case, Code
from course_lib.exercises import common
from course_lib.exercises.inputs import integer, non_contiguous, qkv, randn


def _linformer_attention(query, key, value, E, F):
    weights = attention_weights(query, E @ key)
    return weights @ (F @ value), weights


def _text(g, n, d, short, leading=(), **kwargs):
    E, F = (randn(g, short, n, size=n**-0.5, **kwargs) for _ in range(2))
    return *qkv(g, n, d, leading=leading, **kwargs), E, F


linformer_attention = Code(
    "16.linformer_attention",
    title="A shorter text",
    points=3,
    minutes=12,
    difficulty=2,
    reference=_linformer_attention,
    axes=["... query d", "... query short"],
    results=("output", "weights"),
    forbidden=("linformer",),
    cases=[
        Case("six words, two short keys", lambda g: _text(g, 6, 4, 2)),
        Case("a longer text", lambda g: _text(g, integer(g, 9, 14), 5, 3)),
        Case("as many words as numbers", lambda g: _text(g, 5, 5, 3)),
        Case("as many short keys as numbers", lambda g: _text(g, 7, 3, 3)),
        Case("as many short keys as words", lambda g: _text(g, 4, 6, 4)),
        Case("one short key", lambda g: _text(g, 5, 4, 1)),
        Case("one word", lambda g: _text(g, 1, 4, 2)),
        Case("a batch of two texts", lambda g: _text(g, 6, 4, 3, leading=(2,))),
        Case("batch and heads", lambda g: _text(g, integer(g, 5, 8), 6, 2, leading=(2, 3))),
        Case("double precision", lambda g: _text(g, 6, 4, 3, dtype=torch.float64)),
        Case("not contiguous in memory", lambda g: tuple(map(non_contiguous, _text(g, 5, 6, 3, leading=(2,))))),
    ],
    differentiable=True,
    hints=[
        "Which axis should become shorter: the one of words or the one of numbers? E is (short, n): what can stand on its right?",
        "E @ key is (…, short, d): the axis of words is mixed, and leading axes come along by themselves. The values go the same way, with F.",
        "Then attention as always: scores query @ (E @ key).mT / √d, a softmax over the short keys, and weights @ (F @ value).",
    ],
)


def pooled(x, short):
    """The mean of each of `short` pieces of the text."""
    return torch.nn.functional.adaptive_avg_pool1d(x.reshape(-1, *x.shape[-2:]).mT, short).mT.reshape(
        *x.shape[:-2], short, -1
    )


def scaled(q, k):
    return q @ k.mT / q.shape[-1] ** 0.5


@linformer_attention.variants
def steps(
    query,
    key,
    value,
    E,
    F,
    *,
    asked=lambda query, E, F: query,
    keys=lambda key, E, F: E @ key,
    values=lambda value, E, F: F @ value,
    scores=scaled,
    weights=lambda s: s.softmax(-1),
    output=torch.matmul,
    results=lambda output, weights: (output, weights),
):
    q = asked(query, E, F)
    w = weights(scores(q, keys(key, E, F)))
    return results(output(w, values(value, E, F)), w)


steps.mistake(
    "You shorten the vectors: key @ E.mT mixes a word's numbers. The text is to be shortened: E @ key mixes words.",
    keys=lambda key, E, F: key @ E.mT,
    values=lambda value, E, F: value @ F.mT,
)
steps.mistake("E is for the keys, F for the values: yours mixes both with E.", values=lambda value, E, F: E @ value)
steps.mistake("E is for the keys, F for the values: yours mixes both with F.", keys=lambda key, E, F: F @ key)
steps.mistake(
    "E and F have changed places: E mixes the keys, F the values.",
    keys=lambda key, E, F: F @ key,
    values=lambda value, E, F: E @ value,
)
steps.mistake(
    "Only the keys are shortened. Each short key needs its short value: F @ value.", values=lambda value, E, F: value
)
steps.mistake(
    "Only the values are shortened. The scores are taken with the short keys, E @ key.", keys=lambda key, E, F: key
)
steps.mistake(
    "Nothing is shortened: that is attention to all n keys. E @ key and F @ value take their place.",
    keys=lambda key, E, F: key,
    values=lambda value, E, F: value,
)
steps.mistake(
    "The queries are shortened, too, so that only `short` outputs are left. Every word asks: n outputs are wanted.",
    asked=lambda query, E, F: E @ query,
)
steps.mistake(
    "The values are averaged, so that every short key has the same one. F @ value makes a value for each.",
    values=lambda value, E, F: value.mean(-2, keepdim=True).expand(*value.shape[:-2], len(F), value.shape[-1]),
)
steps.mistake(
    "You divide by √short. What makes scores grow is still the length of the vectors: √d.",
    scores=lambda q, k: q @ k.mT / k.shape[-2] ** 0.5,
)
steps.mistake(
    "You divide by √n. What makes scores grow is still the length of the vectors: √d.",
    scores=lambda q, k: q @ k.mT / q.shape[-2] ** 0.5,
)
steps.mistake("Your scores grow with d. Divide them by √d before the softmax.", scores=lambda q, k: q @ k.mT)
steps.mistake("You divide by d. Divide by its root: √d.", scores=lambda q, k: q @ k.mT / q.shape[-1])
steps.mistake("You multiply by √d. Divide by it.", scores=lambda q, k: q @ k.mT * q.shape[-1] ** 0.5)
steps.mistake(
    "Your weights sum to 1 over the queries. Each query shares out a weight of 1 among the short keys: dim=-1.",
    weights=lambda s: s.softmax(-2),
)
steps.mistake(
    "softmax(dim=1) is the short keys' axis for a single text only. Count from the end: dim=-1.",
    weights=lambda s: s.softmax(1),
)
steps.mistake(
    "Your softmax runs over the first axis. It belongs over the short keys, the last one: dim=-1.",
    weights=lambda s: s.softmax(0),
)
steps.mistake("No softmax: your weights are the raw scores.", weights=common.unchanged)
common.other_weights(steps, "twice logarithm sigmoid squared absolute largest all")
steps.mistake(
    "exp of a score, divided by the sum along the wrong axis: the sum lost its own. Use softmax(-1), or keepdim=True.",
    weights=lambda s: s.exp() / s.exp().sum(-1).unsqueeze(-2),
)
steps.mistake("The weights are exp alone: divide them by the sum of their row, or use softmax.", weights=torch.exp)
steps.mistake(
    "Your weights are hard: all on the best short key. That has no gradient. Use a softmax.",
    weights=common.all_on_the_best,
)
steps.mistake(
    "The rows of E and F go through a softmax. They are used as they are: a mixture may have negative shares here.",
    keys=lambda key, E, F: E.softmax(-1) @ key,
    values=lambda value, E, F: F.softmax(-1) @ value,
)
steps.mistake(
    "The rows of E go through a softmax. They are used as they are: a mixture may have negative shares here.",
    keys=lambda key, E, F: E.softmax(-1) @ key,
)
steps.mistake(
    "You divide the mixtures by n. E and F hold the shares as they should be: E @ key, F @ value.",
    keys=lambda key, E, F: E @ key / key.shape[-2],
    values=lambda value, E, F: F @ value / value.shape[-2],
)
steps.mistake(
    "The signs are turned round: the short keys that fit least get the most weight.", scores=lambda q, k: -scaled(q, k)
)
steps.mistake(
    "Instead of mixing, you cut: the first `short` keys and values are kept, and the words behind them are lost. E @ key has something of every word.",
    keys=lambda key, E, F: key[..., : len(E), :],
    values=lambda value, E, F: value[..., : len(F), :],
)
steps.mistake(
    "You average neighbours instead of using E and F. These say how much of each word goes into each short key: E @ key, F @ value.",
    keys=lambda key, E, F: pooled(key, len(E)),
    values=lambda value, E, F: pooled(value, len(F)),
)
steps.mistake(
    "You divide the rows of E and F by their sums. They are used as they are.",
    keys=lambda key, E, F: (E / E.sum(-1, keepdim=True)) @ key,
    values=lambda value, E, F: (F / F.sum(-1, keepdim=True)) @ value,
)
steps.mistake(
    "You divide by 8, the root of one d alone, 64. Here it is query.shape[-1], whatever that is.",
    scores=lambda q, k: q @ k.mT / 8,
)
steps.mistake(
    "E lies the wrong way: (short, n) is multiplied with (n, d) as it is, E @ key.",
    keys=lambda key, E, F: E.mT @ key,
    values=lambda value, E, F: F.mT @ value,
)
steps.mistake(
    "key @ E has the words on the wrong side. E, (short, n), stands in front: E @ key.",
    keys=lambda key, E, F: key @ E,
    values=lambda value, E, F: value @ F,
)
steps.mistake(
    "The short keys still lie the wrong way: their d numbers should meet those of the queries. query @ (E @ key).mT.",
    scores=lambda q, k: q @ k / q.shape[-1] ** 0.5,
)
steps.mistake(
    "The short keys are cut anew, not turned: reshape and view keep the numbers in their order. Swap the two axes, with .mT.",
    scores=lambda q, k: q @ common.reshaped(k) / q.shape[-1] ** 0.5,
)
steps.mistake(
    ".T turns all axes round. With a batch in front, swap the last two only: .mT.",
    scores=lambda q, k: q @ common.all_axes_reversed(k) / q.shape[-1] ** 0.5,
)
steps.mistake(
    "`*` multiplies number by number. The values are weighed and added up, by the matrix product: weights @ (F @ value).",
    output=torch.mul,
)
steps.mistake(common.ONLY_THE_OUTPUT, results=lambda output, weights: output)
steps.mistake(common.RESULTS_SWAPPED, results=lambda output, weights: (weights, output))


@linformer_attention.mistake(
    "You compute all (n, n) weights first, and shorten them after the softmax. That costs n² again, and the rows don't sum to 1: shorten the keys, then take the scores."
)
def shortened_after_the_softmax(query, key, value, E, F):
    weights = scaled(query, key).softmax(-1) @ E.mT
    return weights @ (F @ value), weights


@linformer_attention.mistake(
    "The weights are over all n keys, and only then the values are put in. Shorten keys and values first: weights are (…, n, short)."
)
def all_weights_returned(query, key, value, E, F):
    short = scaled(query, E @ key).softmax(-1)
    return short @ (F @ value), scaled(query, key).softmax(-1)


@linformer_attention.mistake(
    "You shorten the *output*, after attention to all n keys. Shorten keys and values before it: that saves n², and every word keeps its output."
)
def output_shortened(query, key, value, E, F):
    weights = scaled(query, key).softmax(-1)
    return F @ (weights @ value), weights


@linformer_attention.mistake(
    "The weights that you return are right, the output isn't mixed from values: those are short *keys*. weights @ (F @ value)."
)
def keys_mixed(query, key, value, E, F):
    weights = scaled(query, E @ key).softmax(-1)
    return weights @ (E @ key), weights


@linformer_attention.mistake("F is put on the keys, not on the values: what is mixed in the end is F @ value.")
def f_on_the_keys(query, key, value, E, F):
    weights = scaled(query, E @ key).softmax(-1)
    return weights @ (F @ key), weights


@linformer_attention.mistake(
    "You hide the future with a causal mask. Every short key holds words of the whole text: in Linformer there is nothing to hide any more."
)
def causal(query, key, value, E, F):
    scores = scaled(query, E @ key)
    hidden = torch.ones_like(scores, dtype=torch.bool).triu(1)
    weights = scores.masked_fill(hidden, float("-inf")).softmax(-1)
    return weights @ (F @ value), weights


@linformer_attention.mistake(
    "The output is right. As the second result you return the scores, before the softmax; the weights are asked for."
)
def returns_scores(query, key, value, E, F):
    return _linformer_attention(query, key, value, E, F)[0], scaled(query, E @ key)


@linformer_attention.mistake("You mix queries' words into the short keys: E @ query. The keys are mixed: E @ key.")
def queries_as_keys(query, key, value, E, F):
    weights = scaled(query, E @ query).softmax(-1)
    return weights @ (F @ value), weights


@linformer_attention.symptom("The size of your scores is wrong: they are divided by √d, the root of query.shape[-1].")
def wrong_scale(inputs, answer):
    return common.only_the_scale_differs(answer[1], _linformer_attention(*inputs)[1])


common.rows_do_not_sum_to_one(
    linformer_attention,
    "Your weights don't sum to 1 for each query. A softmax over the short keys makes them do so, as the last step before the values.",
)
common.output_does_not_follow(
    linformer_attention, "Your weights are right, but the output isn't: it should be weights @ (F @ value)."
)
