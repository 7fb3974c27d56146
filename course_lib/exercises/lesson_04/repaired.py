"""The three masks of a translator with three bugs: the triangle, how it meets the padding, and whose keys a cross-attention closes."""

import torch

from course_lib import masks
from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer
from course_lib.exercises.lesson_04 import buggy
from course_lib.exercises.lesson_04.decoder_mask import causal_and_padding, padded_ids


def _translator_masks(source_ids, target_ids, pad_id):
    source = masks.padding_mask(source_ids, pad_id)
    return source, causal_and_padding(target_ids, pad_id), source


def _pair(g, batch, n_source, n_target, pad_id=0, source=None, target=None):
    return (padded_ids(g, batch, n_source, pad_id, source), padded_ids(g, batch, n_target, pad_id, target), pad_id)


def _open_for_padding(answer, source_ids, target_ids, pad_id):
    """What the target's padding reads is thrown away, so its rows in the cross mask may be open or closed."""
    try:
        source, target, cross = answer
        padding, words = (target_ids == pad_id)[:, None, :, None], (source_ids != pad_id)[:, None, None, :]
        return source, target, cross | padding & words
    except Exception:  # no three masks, or of other shapes
        return answer


repaired = Code(
    "04.repaired",
    title="Three masks, three bugs",
    points=3,
    minutes=10,
    difficulty=3,
    reference=_translator_masks,
    buggy=buggy.repaired,
    unchanged="All three bugs are still there. Draw the three masks: which words may the first target word see?",
    axes=["batch head query key"] * 3,
    results=("source's mask", "target's mask", "cross-attention's mask"),
    settle=_open_for_padding,
    broadcastable=True,
    forbidden=("combine",),
    cases=[
        Case("two pairs of sentences", lambda g: _pair(g, 2, 6, 4, source=[6, integer(g, 2, 5)], target=[2, 4])),
        Case("source and target of the same length", lambda g: _pair(g, 3, 5, 5, source=[5, 2, 4], target=[2, 5, 3])),
        Case("as many pairs as words", lambda g: _pair(g, 4, 4, 4, source=[1, 4, 2, 3], target=[4, 3, 1, 2])),
        Case("one pair", lambda g: _pair(g, 1, 3, 7, source=[2], target=[5])),
        Case("one word each", lambda g: _pair(g, 2, 1, 1)),
        Case("another padding id", lambda g: _pair(g, 2, 5, 6, pad_id=8, source=[3, 5], target=[6, 4])),
        Case("any sizes", lambda g: _pair(g, integer(g, 2, 4), integer(g, 5, 9), integer(g, 5, 9))),
    ],
    hints=[
        "Draw all three with viz.mask_map. Which words may the first target word see?",
        "Three lines to look at: the triangle; how it is joined with the padding; and whose keys the target looks at when it looks at the source.",
        "The triangle is the lower one, .tril(); both conditions must hold, &; and in cross-attention the keys are the source's.",
    ],
)


@repaired.variants
def steps(
    source_ids,
    target_ids,
    pad_id,
    *,
    source=lambda source_words: source_words,
    triangle=torch.tril,
    joined=torch.logical_and,
    cross=lambda source_words, target_words: source_words,
):
    n = target_ids.shape[1]
    source_words, target_words = ((ids != pad_id)[:, None, None, :] for ids in (source_ids, target_ids))
    target = joined(triangle(torch.ones(n, n, dtype=torch.bool)), target_words)
    return source(source_words), target, cross(source_words, target_words)


def targets_own(source_words, target_words):
    return target_words


steps.mistake(
    "One found: the triangle is the lower one now. How is it joined with the padding, and whose keys are those of the cross-attention?",
    joined=torch.logical_or,
    cross=targets_own,
)
steps.mistake(
    "One found: triangle and padding are joined by & now. But the triangle is the upper one; and whose keys are those of the cross-attention?",
    triangle=torch.triu,
    cross=targets_own,
)
steps.mistake(
    "One found: the cross-attention closes the source's padding now. But look at the triangle, and how it is joined with the padding.",
    triangle=torch.triu,
    joined=torch.logical_or,
)
steps.mistake(
    "In cross-attention the keys are the source's, so it's the source's padding that must be closed.", cross=targets_own
)
steps.mistake(
    "`|` opens what either of the two allows, the triangle or the padding. A key must be allowed by both: &. (`+` of booleans is `|`, too.)",
    joined=torch.logical_or,
)
steps.mistake(
    "The target's words see what comes later, not what came before: the lower triangle is meant.", triangle=torch.triu
)
steps.mistake("The diagonal of the triangle has gone: a word may see itself.", triangle=lambda square: square.tril(-1))
steps.mistake("The target sees one word too many, the one that comes next.", triangle=lambda square: square.tril(1))
steps.mistake(
    "The triangle has gone altogether: the target's words see what comes later.", triangle=lambda square: square
)
steps.mistake(
    "The target's padding is open now: only the triangle is left.",
    joined=lambda causal, words: causal & torch.ones_like(words),
)
steps.mistake(
    "The cross-attention is causal now. When the target is written, the whole source is known: only its padding is closed.",
    cross=lambda source, target: source & torch.ones(target.shape[-1], source.shape[-1], dtype=torch.bool).tril(),
)
steps.mistake(
    "In the cross-attention everything is open, the source's padding too.",
    cross=lambda source, target: torch.ones_like(source),
)
steps.mistake(
    "In the cross-attention you close rows for the source's padding. It belongs on the axis of keys, the last: (batch, 1, 1, n_source).",
    cross=lambda source, target: source.mT,
)
steps.mistake(
    "In the cross-attention the axes have changed places: the target asks, so its words are the rows, the source's the columns.",
    cross=lambda source, target: source.mT & target,
)
steps.mistake(
    "The triangle alone is no mask of the target: join it with the target's padding, by &.",
    joined=lambda causal, words: causal,
)
steps.mistake(
    "`^` is True where exactly one of the two allows a key. Both must, triangle and padding: &.",
    joined=torch.logical_xor,
)
steps.mistake(
    "All targets get the padding of the first one. Each sentence has its own.",
    joined=lambda causal, words: causal & words[:1].expand_as(words),
)
steps.mistake(
    "In the cross-attention you close rows, those of the target's padding, and no keys. The source's padding must be closed.",
    cross=lambda source, target: target.mT,
)
steps.mistake(
    "You close the rows of the target's padding, not its columns. Nobody may look *at* padding.",
    joined=lambda causal, words: causal & words.mT,
)
steps.mistake(
    "The target's words see the padding and nothing else: True means “may look”.",
    joined=lambda causal, words: causal & ~words,
)
steps.mistake(
    "The source's mask is causal now. When the target is written, the whole source is known: only its padding is closed.",
    source=lambda source_words: source_words & torch.ones(2 * source_words.shape[-1:], dtype=torch.bool).tril(),
)
steps.mistake(
    "The source's mask closes the rows of its padding as well. That does no harm, but the mask was right as it was: it is about keys.",
    source=lambda source_words: source_words & source_words.mT,
)
steps.mistake(
    "The source's mask is turned round now. It was right: True where there is a word.", source=torch.logical_not
)
steps.mistake(
    "Source and cross mask are turned round: True means “may look”.",
    source=torch.logical_not,
    cross=lambda source, target: ~source,
)


@repaired.mistake("You compare with 0. Padding may have another id, and 0 may be a word: compare with pad_id.")
def zero_is_padding(source_ids, target_ids, pad_id):
    return _translator_masks(source_ids, target_ids, 0)


@repaired.mistake("The three masks are in another order: the source's, the target's, then that of the cross-attention.")
def target_first(source_ids, target_ids, pad_id):
    source, target, cross = _translator_masks(source_ids, target_ids, pad_id)
    return target, source, cross


@repaired.mistake(
    "The last two masks are in the wrong order: the target's comes second, that of the cross-attention last."
)
def target_last(source_ids, target_ids, pad_id):
    source, target, cross = _translator_masks(source_ids, target_ids, pad_id)
    return source, cross, target


@repaired.mistake(
    "Source and target are taken for each other in all three masks. The first is about source_ids, the second about target_ids, and the keys of the third are the source's."
)
def source_for_target(source_ids, target_ids, pad_id):
    return _translator_masks(target_ids, source_ids, pad_id)


@repaired.mistake(
    "For the cross-attention you return the target's own mask. There the keys are the source's: only its padding is closed."
)
def target_for_cross(source_ids, target_ids, pad_id):
    source, target, _ = _translator_masks(source_ids, target_ids, pad_id)
    return source, target, target


@repaired.mistake(
    "The triangle has the source's length. It belongs to the target's own attention: n is target_ids.shape[1]."
)
def triangle_of_the_source(source_ids, target_ids, pad_id):
    source, target = (masks.padding_mask(ids, pad_id) for ids in (source_ids, target_ids))
    return source, masks.causal_mask(source_ids.shape[1]) & target, source


@repaired.mistake(
    "The target's mask closes the source's padding. In its own attention the target's words are the keys: target_ids != pad_id."
)
def sources_padding_for_the_target(source_ids, target_ids, pad_id):
    source = masks.padding_mask(source_ids, pad_id)
    return source, masks.causal_mask(target_ids.shape[1]) & source, source


@repaired.mistake("In the cross-attention both paddings stand on the axis of keys. The keys are the source's alone.")
def both_paddings_as_keys(source_ids, target_ids, pad_id):
    source, target, _ = _translator_masks(source_ids, target_ids, pad_id)
    return source, target, source & masks.padding_mask(target_ids, pad_id)


@repaired.mistake(
    "The triangle is in the source's mask. The source is known as a whole; it is the target's words that must not see what comes later."
)
def triangle_in_the_source(source_ids, target_ids, pad_id):
    source, target = (masks.padding_mask(ids, pad_id) for ids in (source_ids, target_ids))
    return causal_and_padding(source_ids, pad_id), target, source


steps.mistake(
    "The triangle is turned round: a target word sees only what comes later. It sees itself and what came before.",
    triangle=lambda square: square.triu(1),
)
steps.mistake(
    "The target's mask is turned round as a whole: True and False have changed places. True means “may look”.",
    joined=lambda causal, words: ~(causal & words),
)
steps.mistake(
    "Triangle and padding are joined by `|` with the padding turned round: what is padding is open. A key comes no later, *and* is a word: &, and != pad_id.",
    joined=lambda causal, words: causal | ~words,
)


@repaired.symptom("The target's words see something that comes later. Look at the triangle, and how it is joined.")
def opens_the_future(inputs, answer):
    return bool((answer[1] & ~masks.causal_mask(inputs[1].shape[1])).any())


@repaired.symptom("The target's padding can be looked at. A key must come no later than its query, *and* be a word.")
def sees_the_targets_padding(inputs, answer):
    return bool((answer[1] & ~_translator_masks(*inputs)[1]).any())


@repaired.symptom(
    "In the target's mask something is closed that may be seen: a word that comes no later than the query."
)
def too_much_closed(inputs, answer):
    return bool((_translator_masks(*inputs)[1] & ~answer[1]).any())


@repaired.symptom("The source's padding can be looked at in the cross-attention. Whose words are looked at there?")
def cross_sees_padding(inputs, answer):
    return bool((answer[2] & ~_translator_masks(*inputs)[2]).any())


@repaired.symptom(
    "In the cross-attention some words of the source are closed. The target's words may look at all of them."
)
def cross_too_much_closed(inputs, answer):
    return bool((_translator_masks(*inputs)[2] & ~answer[2]).any())
