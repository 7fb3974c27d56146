"""context_vector, lesson 01."""

import torch

from course_lib import attention
from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer, randn


def _context_vector(scores, annotations, lengths):
    real = torch.arange(scores.shape[-1]) < lengths[:, None]
    weights = attention.softmax_over_keys(scores, real)
    return (weights[:, None] @ annotations).squeeze(1), weights


def _read(g, lengths, n, d, **kwargs):
    return randn(g, len(lengths), n, **kwargs), randn(g, len(lengths), n, d, **kwargs), torch.tensor(lengths)


def _tempting_padding(g):
    """The padding scores higher than every word."""
    scores, annotations, lengths = _read(g, [3, 5, 2], 6, 4)
    scores[torch.arange(6) >= lengths[:, None]] += 50
    return scores, annotations, lengths


context_vector = Code(
    "01.context_vector",
    title="Words, not padding",
    points=3,
    minutes=15,
    difficulty=2,
    reference=_context_vector,
    axes=["batch d_state", "batch key"],
    forbidden=("softmax_over_keys", "scaled_dot_product", "attention_weights"),
    cases=[
        Case("three texts", lambda g: _read(g, [4, 2, 5], 6, 3)),
        Case("no padding", lambda g: _read(g, [5, 5], 5, 4)),
        Case("any lengths", lambda g: _read(g, [integer(g, 1, 8) for _ in range(integer(g, 4, 6))], 9, 5)),
        Case("one word", lambda g: _read(g, [1, 3], 3, 4)),
        Case("one text", lambda g: _read(g, [2], 4, 3)),
        Case("as many texts as words and numbers", lambda g: _read(g, [1, 4, 2, 3], 4, 4)),
        Case("padding with high scores", _tempting_padding),
        Case("a text without words", lambda g: _read(g, [3, 0, 2], 4, 3)),
        Case("double precision", lambda g: _read(g, [3, 2], 4, 3, dtype=torch.float64)),
    ],
    differentiable=True,
    hints=[
        "torch.arange(n) numbers the places. Which of them are smaller than the text's length? lengths[:, None] stands ready to be compared with all of them.",
        "A score of −∞ before the softmax becomes a weight of exactly 0: scores.masked_fill(~real, float('-inf')).",
        "A row of −∞ alone becomes NaN. Set the weights outside the text to 0 once more, after the softmax: masked_fill(~real, 0.0).",
    ],
)


def _real(scores, lengths):
    return torch.arange(scores.shape[-1]) < lengths[:, None]


def _context(
    sentence,
    name,
    real=_real,
    weights=lambda s, m: attention.softmax_over_keys(s, m),
    mixed=lambda w, a: (w[..., None] * a).sum(1),
    out=lambda c, w: (c, w),
):
    def wrong(scores, annotations, lengths):
        w = weights(scores, real(scores, lengths))
        return out(mixed(w, annotations), w)

    wrong.__name__ = name
    context_vector.mistake(sentence)(wrong)


_context(
    "Padding gets weight: nothing in your code looks at the lengths. Only the first lengths[b] places of row b are words.",
    "no_mask",
    weights=lambda s, m: s.softmax(-1),
)
_context(
    "You set padding to 0 after the softmax, so what is left sums to less than 1. Take it out before: a score of −∞.",
    "zero_after",
    weights=lambda s, m: s.softmax(-1) * m,
)
_context(
    "You set the scores of padding to 0. A score of 0 still gets weight, e⁰ = 1: it must be −∞.",
    "zero_before",
    weights=lambda s, m: (s * m).softmax(-1),
)
_context(
    "Zeroed before and after: the weights no longer sum to 1, because the zeros before the softmax took their share. Use −∞ before it.",
    "zero_twice",
    weights=lambda s, m: (s * m).softmax(-1) * m,
)
_context(
    "A text without words gives NaN: a softmax over −∞ alone divides 0 by 0. Set such weights to 0 after it.",
    "nan_when_empty",
    weights=lambda s, m: s.masked_fill(~m, float("-inf")).softmax(-1),
)
_context(
    "With a large negative number instead of −∞, a text without words gets equal weights on its padding. Its weights should all be 0.",
    "large_negative",
    weights=lambda s, m: s.masked_fill(~m, -1e9).softmax(-1),
)
_context(
    "One place too many: place number lengths[b] is the first of the padding, because counting starts at 0. Use <, not <=.",
    "one_too_many",
    real=lambda s, n: torch.arange(s.shape[-1]) <= n[:, None],
)
_context(
    "One place too few: the last word of each text gets no weight.",
    "one_too_few",
    real=lambda s, n: torch.arange(s.shape[-1]) < n[:, None] - 1,
)
_context(
    "It is the other way round: your weights lie on the padding.",
    "upside_down",
    real=lambda s, n: torch.arange(s.shape[-1]) >= n[:, None],
)
_context(
    "All texts are cut at the length of the first. Each has its own: compare with lengths[:, None].",
    "first_length",
    real=lambda s, n: (torch.arange(s.shape[-1]) < n[0]).expand_as(s),
)
_context(
    "All texts keep the places of the longest. Each has its own length: compare with lengths[:, None].",
    "longest_length",
    real=lambda s, n: (torch.arange(s.shape[-1]) < n.max()).expand_as(s),
)
_context(
    "Your softmax runs over the texts of the batch. Each text shares its weight among its words: dim=-1.",
    "over_batch",
    weights=lambda s, m: s.masked_fill(~m, float("-inf")).softmax(0).masked_fill(~m, 0),
)
_context(
    "The scores don't matter in your answer: every word of a text counts the same.",
    "plain_average",
    weights=lambda s, m: m / m.sum(-1, keepdim=True).clamp(min=1).to(s.dtype),
)
_context(
    "All weight lies on the best word. The softmax shares it.",
    "best_only",
    weights=lambda s, m: (
        torch.nn.functional.one_hot(s.masked_fill(~m, float("-inf")).argmax(-1), s.shape[-1]).to(s.dtype) * m
    ),
)
_context(
    "You take the mean of the weighted annotations. The weights sum to 1 already: add them up.",
    "mean_of_weighted_annotations",
    mixed=lambda w, a: (w[..., None] * a).mean(1),
)
_context(
    "The annotations aren't weighted in your context: you add them all up.", "plain_sum", mixed=lambda w, a: a.sum(1)
)
_context(
    "The weighted annotations aren't added up yet: one vector for each text should come out.",
    "not_added_up",
    mixed=lambda w, a: w[..., None] * a,
)
_context(
    "Only the context comes back. The weights are asked for too: return context, weights.",
    "context_only",
    out=lambda c, w: c,
)
_context(
    "The two results are in the wrong order: the context first, then the weights.",
    "order_of_results",
    out=lambda c, w: (w, c),
)
_context(
    "The context has an axis of length 1 left: (batch, 1, d_state). squeeze(1) takes it away.",
    "axis_left",
    mixed=lambda w, a: w[:, None] @ a,
)
