"""A context vector for each text of a padded batch: its annotations, weighted by a softmax over its words alone."""

import torch
import torch.nn.functional as F

from course_lib import attention
from course_lib.checking.kinds import Case, Code
from course_lib.exercises import common
from course_lib.exercises.common import masked
from course_lib.exercises.inputs import integer, randn


def _real(scores, lengths):
    """Which places are words: the first lengths[b] of row b."""
    return torch.arange(scores.shape[-1]) < lengths[:, None]


def _context_vector(scores, annotations, lengths):
    weights = attention.softmax_over_keys(scores, _real(scores, lengths))
    return (weights[:, None] @ annotations).squeeze(1), weights


def _read(g, lengths, n, d, **kwargs):
    return randn(g, len(lengths), n, **kwargs), randn(g, len(lengths), n, d, **kwargs), torch.tensor(lengths)


def _tempting_padding(g):
    """The padding scores higher than every word."""
    scores, annotations, lengths = _read(g, [3, 5, 2], 6, 4)
    scores[torch.arange(6) >= lengths[:, None]] += 50
    return scores, annotations, lengths


def _far_from_zero(g):
    """Texts whose scores are all large, of either sign: exp alone gives infinity for one, 0 for another."""
    scores, annotations, lengths = _read(g, [5, 3, 2], 5, 3)
    return scores + torch.tensor([[300.0], [-300.0], [0.0]]), annotations, lengths


def softmax_by_hand(scores, real):
    """exp without the row's maximum taken off; a sum of 0 is kept from being divided by."""
    e = scores.exp() * real
    return e / e.sum(-1, keepdim=True).clamp(min=1e-9)


context_vector = Code(
    "01.context_vector",
    title="Words, not padding",
    points=3,
    minutes=15,
    difficulty=2,
    reference=_context_vector,
    axes=["batch d_state", "batch key"],
    results=("context", "weights"),
    forbidden=("softmax_over_keys", "scaled_dot_product", "attention_weights"),
    cases=[
        Case("three texts", lambda g: _read(g, [4, 2, 5], 6, 3)),
        Case("no padding", lambda g: _read(g, [5, 5], 5, 4)),
        Case("any lengths", lambda g: _read(g, [integer(g, 1, 8) for _ in range(integer(g, 4, 6))], 9, 5)),
        Case("one word", lambda g: _read(g, [1, 3], 3, 4)),
        Case("one text", lambda g: _read(g, [2], 4, 3)),
        Case("as many texts as words and numbers", lambda g: _read(g, [1, 4, 2, 3], 4, 4)),
        Case("padding with high scores", _tempting_padding),
        Case("scores far from 0", _far_from_zero),
        Case("a text without words", lambda g: _read(g, [3, 0, 2], 4, 3)),
        Case("double precision", lambda g: _read(g, [3, 2], 4, 3, dtype=torch.float64)),
    ],
    differentiable=True,
    hints=[
        "Three steps: which places are words? What score must the others have, so that the softmax gives them 0? And what is left to do for a text without words?",
        "torch.arange(n) numbers the places, and a place is a word if its number is below the text's length. Every place has to meet every length: lengths[:, None]. Then scores.masked_fill(…) puts in −∞.",
        "A row of −∞ alone becomes NaN. Set the weights outside the text to 0 once more, after the softmax: masked_fill(~real, 0.0).",
    ],
)


@context_vector.variants
def steps(
    scores,
    annotations,
    lengths,
    *,
    real=_real,
    weights=attention.softmax_over_keys,
    mixed=lambda w, annotations: (w[..., None] * annotations).sum(1),
):
    w = weights(scores, real(scores, lengths))
    return mixed(w, annotations), w


steps.mistake(
    "One place too many: place number lengths[b] is the first of the padding, because counting starts at 0. Use <, not <=.",
    real=lambda s, lengths: _real(s, lengths + 1),
)
steps.mistake(
    "One place too few: the last word of each text gets no weight.", real=lambda s, lengths: _real(s, lengths - 1)
)
steps.mistake("It is the other way round: your weights lie on the padding.", real=lambda s, lengths: ~_real(s, lengths))
steps.mistake(
    "All texts are cut at the length of the first. Each has its own: compare with lengths[:, None].",
    real=lambda s, lengths: _real(s, lengths[:1]).expand_as(s),
)
steps.mistake(
    "All texts keep the places of the longest. Each has its own length: compare with lengths[:, None].",
    real=lambda s, lengths: _real(s, lengths.amax(0, keepdim=True)).expand_as(s),
)
steps.mistake(
    "You hide the first places of each text, as if padding stood in front. It stands at the end: the words are the first lengths[b] places.",
    real=lambda s, lengths: _real(s, lengths).flip(-1),
)
steps.mistake(
    "Padding gets weight: nothing in your code looks at the lengths. Only the first lengths[b] places of row b are words.",
    weights=lambda s, real: s.softmax(-1),
)
steps.mistake(
    "You set padding to 0 after the softmax, so what is left sums to less than 1. Take it out before: a score of −∞.",
    weights=lambda s, real: s.softmax(-1) * real,
)
steps.mistake(
    "You set the scores of padding to 0. A score of 0 still gets weight, e⁰ = 1: it must be −∞.",
    weights=lambda s, real: (s * real).softmax(-1),
)
steps.mistake(
    "Zeroed before and after: the weights no longer sum to 1, because the zeros before the softmax took their share. Use −∞ before it.",
    weights=lambda s, real: (s * real).softmax(-1) * real,
)
steps.mistake(
    "A text without words gives NaN: nothing is left to share, and 0 is divided by 0. Set such weights to 0 afterwards.",
    weights=lambda s, real: masked(s, real).softmax(-1),
)
steps.mistake(
    "The weights don't sum to 1: exp alone makes no shares. Use softmax, with a score of −∞ on the padding.",
    weights=lambda s, real: s.exp() * real,
)
steps.mistake(
    "A text without words gets weights of 1: that is what nan_to_num(1.0) makes of NaN. They should be 0.",
    weights=lambda s, real: masked(s, real).softmax(-1).nan_to_num(1.0),
)
steps.mistake(
    "Your softmax runs over the texts of the batch, and where all of them are padding it gives NaN. "
    "Each text shares its weight among its words: dim=-1.",
    weights=lambda s, real: masked(s, real).softmax(0),
)
steps.mistake(
    "exp of a large score is infinite, of a very negative one 0: then nothing can be shared. "
    "Take the row's largest score off first, or use softmax, with a score of −∞ on the padding.",
    weights=softmax_by_hand,
)
steps.mistake(
    "exp of a large score is infinite, and a text without words divides 0 by 0: NaN in both. Use softmax, with a score of −∞ on "
    "the padding, and set the weights of padding to 0 after it.",
    weights=lambda s, real: s.exp() * real / (s.exp() * real).sum(-1, keepdim=True),
)
steps.mistake(
    "0 · ∞ is NaN: multiplying the mask by −∞ spoils the words as well. Fill it in: scores.masked_fill(~real, float('-inf')).",
    weights=lambda s, real: (s + ~real * float("-inf")).softmax(-1),
)
steps.mistake(
    "0 · ∞ is NaN: multiplying the mask by −∞ spoils the words as well, and nan_to_num makes 0 of all weights. "
    "Fill it in: scores.masked_fill(~real, float('-inf')).",
    weights=lambda s, real: (s + ~real * float("-inf")).softmax(-1).nan_to_num(),
)
steps.mistake(
    "With a large negative number instead of −∞, a text without words gets equal weights on its padding. Its weights should all be 0.",
    weights=lambda s, real: masked(s, real, -1e9).softmax(-1),
)
for _fill in (-10.0, -100.0):
    steps.mistake(
        f"A score of {_fill:g} isn't −∞: where the words score lower still, padding takes their weight, and in a text without words "
        "all of it. Fill in float('-inf').",
        weights=lambda s, real, fill=_fill: masked(s, real, fill).softmax(-1),
    )
steps.mistake(
    "Your softmax runs over the texts of the batch. Each text shares its weight among its words: dim=-1.",
    weights=lambda s, real: masked(s, real).softmax(0).masked_fill(~real, 0),
)
steps.mistake(
    "Your softmax runs over the texts of the batch, and dividing by the row's sum afterwards doesn't undo that. "
    "Each text shares its weight among its words: softmax over dim=-1.",
    weights=lambda s, real: (w := masked(s, real).softmax(0).nan_to_num()) / w.sum(-1, keepdim=True).clamp(min=1e-9),
)
steps.mistake(
    "The scores don't matter in your answer: every word of a text counts the same.",
    weights=lambda s, real: attention.softmax_over_keys(torch.zeros_like(s), real),
)
steps.mistake(
    "All weight lies on the best word. The softmax shares it.",
    weights=lambda s, real: F.one_hot(masked(s, real).argmax(-1), s.shape[-1]).to(s.dtype) * real,
)
steps.mistake(
    "You take the mean of the weighted annotations. The weights sum to 1 already: add them up.",
    mixed=lambda w, a: (w[..., None] * a).mean(1),
)
steps.mistake(
    "arange(n) < lengths compares place 0 with the first length, place 1 with the second. "
    "Every place should meet every length: lengths[:, None] makes a row of each.",
    real=lambda s, lengths: torch.arange(s.shape[-1]) < lengths,
)
steps.mistake(
    "weights @ annotations multiplies each text's weights with the words of every text. "
    "Give each text a row of its own: (weights[:, None] @ annotations).squeeze(1).",
    mixed=lambda w, a: w @ a,
)
steps.mistake(
    "Each text's weights are multiplied with the annotations of all texts. Text b has its own, annotations[b]: "
    "in einsum both get the same letter for the batch.",
    mixed=lambda w, a: torch.einsum("bk,ckd->bd", w, a),
)
steps.mistake(
    "You add up over the texts of the batch. The words are on axis 1: sum(1).",
    mixed=lambda w, a: (w[..., None] * a).sum(0),
)
steps.mistake(
    "You add up over the numbers of each annotation. The words are on axis 1: sum(1), and d_state numbers are left.",
    mixed=lambda w, a: (w[..., None] * a).sum(-1),
)
steps.mistake(
    "squeeze() takes away every axis of length 1, that of a single text, too. Say which: squeeze(1).",
    mixed=lambda w, a: (w[:, None] @ a).squeeze(),
)
steps.mistake("The annotations aren't weighted in your context: you add them all up.", mixed=lambda w, a: a.sum(1))
steps.mistake(
    "The weighted annotations aren't added up yet: one vector for each text should come out.",
    mixed=lambda w, a: w[..., None] * a,
)
steps.mistake(
    "The context has an axis of length 1 left: (batch, 1, d_state). squeeze(1) takes it away.",
    mixed=lambda w, a: w[:, None] @ a,
)
steps.mistake(
    "The weights are a sigmoid divided by its sum. A softmax takes exp: softmax, with a score of −∞ on the padding.",
    weights=lambda s, real: (w := s.sigmoid() * real) / w.sum(-1, keepdim=True).clamp(min=1e-9),
)
steps.mistake(
    "One softmax runs over all texts together. Each text shares out a weight of 1 of its own: dim=-1.",
    weights=lambda s, real: masked(s, real).flatten().softmax(0).view_as(s),
)
steps.mistake(
    "You divide the context by the number of words. The weights sum to 1 already: it is a mean as it is.",
    mixed=lambda w, a: (w[:, None] @ a).squeeze(1) / (w > 0).sum(-1, keepdim=True).clamp(min=1),
)
steps.mistake(
    "Your context is the plain mean of the words: the weights are right, and aren't used for it.",
    mixed=lambda w, a: ((w > 0)[..., None] * a).sum(1) / (w > 0).sum(-1, keepdim=True).clamp(min=1),
)


@context_vector.mistake(
    "The annotations of padding are set to 0, but its weights aren't, so the words share less than 1. Hide the scores, by −∞."
)
def annotations_hidden(scores, annotations, lengths):
    weights = scores.softmax(-1)
    return (weights[:, None] @ (annotations * _real(scores, lengths)[..., None])).squeeze(1), weights


@context_vector.mistake(
    "The context is made before NaN is taken out of the weights. Set them to 0 first, then mix the annotations with them."
)
def mixed_before_cleaning(scores, annotations, lengths):
    spoilt = masked(scores, _real(scores, lengths)).softmax(-1)
    return (spoilt[:, None] @ annotations).squeeze(1), spoilt.nan_to_num()


@context_vector.mistake(
    "The weights end with the longest text of the batch. They have a column for every place, padding too: (batch, key)."
)
def cut_to_the_longest(scores, annotations, lengths):
    context, weights = _context_vector(scores, annotations, lengths)
    return context, weights[:, : int(lengths.max())]


@context_vector.mistake(
    "The weights that you return are right, but the context is made with others, which don't hide the padding. Use the same for both."
)
def context_with_padding(scores, annotations, lengths):
    return (scores.softmax(-1)[:, None] @ annotations).squeeze(1), _context_vector(scores, annotations, lengths)[1]


@context_vector.mistake(
    "Your context is right, but the weights that you return still give padding a share. Return those that made the context."
)
def weights_with_padding(scores, annotations, lengths):
    return _context_vector(scores, annotations, lengths)[0], scores.softmax(-1)


@context_vector.mistake("Only the context comes back. The weights are asked for too: return context, weights.")
def context_only(scores, annotations, lengths):
    return _context_vector(scores, annotations, lengths)[0]


@context_vector.mistake(
    "You return the scores. What comes back second are the weights: what the softmax makes of them."
)
def scores_returned(scores, annotations, lengths):
    return _context_vector(scores, annotations, lengths)[0], masked(scores, _real(scores, lengths))


@context_vector.mistake("The two results are in the wrong order: the context first, then the weights.")
def order_of_results(scores, annotations, lengths):
    return _context_vector(scores, annotations, lengths)[::-1]


@context_vector.symptom(
    "The words of a text get shares in the right proportion, but these don't sum to 1: something that is no word took a part. "
    "Padding? Where it scores high, next to nothing is left: take it out before the softmax, with a score of −∞."
)
def too_little_is_left(inputs, answer):
    weights, right = answer[1], _context_vector(*inputs)[1]
    total = weights.sum(-1, keepdim=True)
    return common.same(weights, right * total) and total.any() and (total < 0.999)[right.sum(-1) > 0].any()


common.output_does_not_follow(
    context_vector,
    "Your weights are right, the context isn't: each text's annotations, times their weights, added up over the words.",
)
