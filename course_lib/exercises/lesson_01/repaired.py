"""A decoder that doesn't look: its query is the encoder's last annotation, and its softmax runs over the texts."""

import torch

from course_lib import attention
from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer, randn
from course_lib.exercises.lesson_01 import buggy


def _decoder_step(word, state, annotations, W_1, W_2, w_3, W):
    scores = attention.additive_scores(state[:, None], annotations, W_1, W_2, w_3)
    weights = scores.softmax(dim=-1)
    context = (weights @ annotations).squeeze(1)
    return torch.tanh(torch.cat([word, state, context], dim=-1) @ W.mT), weights.squeeze(1)


def _step(g, batch, n, d_word, d_state, d_score, **kwargs):
    return (
        randn(g, batch, d_word, **kwargs),
        randn(g, batch, d_state, **kwargs),
        randn(g, batch, n, d_state, **kwargs),
        randn(g, d_score, d_state, **kwargs),
        randn(g, d_score, d_state, **kwargs),
        randn(g, d_score, **kwargs),
        randn(g, d_state, d_word + 2 * d_state, **kwargs) / d_state**0.5 / 2,
    )


repaired = Code(
    "01.repaired",
    title="A decoder that doesn't look",
    points=3,
    minutes=12,
    difficulty=3,
    reference=_decoder_step,
    buggy=buggy.repaired,
    unchanged="Nothing has changed yet. Print weights.sum(-1): does each text share out a weight of 1? And does the state decide where it looks?",
    axes=["batch d_state", "batch n"],
    forbidden=("additive_scores",),
    cases=[
        Case("two texts", lambda g: _step(g, 2, 4, 3, 5, 6)),
        Case("all sizes equal", lambda g: _step(g, 4, 4, 4, 4, 4)),
        Case("one text", lambda g: _step(g, 1, 5, 3, 4, 4)),
        Case("one word to look at", lambda g: _step(g, 3, 1, 2, 4, 3)),
        Case("any sizes", lambda g: _step(g, integer(g, 2, 4), integer(g, 6, 9), 5, 5, 3)),
        Case("double precision", lambda g: _step(g, 2, 3, 2, 4, 4, dtype=torch.float64)),
    ],
    hints=[
        "Two things to print: weights.sum(-1), which should be 1 for each text; and the weights of two steps with different states, which should differ.",
        "Which axis of the scores (batch, n) runs over the source words?",
        "Who asks? The query is what the decoder knows at this step. Where does it come from here, and does it change from step to step?",
    ],
)


@repaired.variants
def steps(
    word,
    state,
    annotations,
    W_1,
    W_2,
    w_3,
    W,
    *,
    query=lambda word, state, annotations: state,
    weights=lambda s: s.softmax(-1),
    context=lambda w, annotations: (w[..., None] * annotations).sum(1),
    joined=lambda word, state, context: (word, state, context),
):
    scores = torch.tanh((query(word, state, annotations) @ W_1.mT)[:, None] + annotations @ W_2.mT) @ w_3
    w = weights(scores)
    return torch.tanh(torch.cat(joined(word, state, context(w, annotations)), dim=-1) @ W.mT), w


steps.mistake(
    "One found: each text's weights sum to 1 now. But the query is the encoder's last annotation, which is the same at every step: the decoder always looks at the same place.",
    query=lambda word, state, a: a[:, -1],
)
steps.mistake(
    "One found: the decoder asks with its own state now. But weights.sum(-1) isn't 1: the softmax runs over the texts of the batch.",
    weights=lambda s: s.softmax(0),
)
steps.mistake(
    "The softmax is right. But you ask with the word that was said last. The word goes into the update; the query is the decoder's state.",
    query=lambda word, state, a: word,
)
steps.mistake(
    "The softmax is right. But the query is the first annotation, the same at every step: ask with the decoder's state.",
    query=lambda word, state, a: a[:, 0],
)
steps.mistake(
    "The softmax is right. But the query is the mean of the annotations, the same at every step: ask with the decoder's state.",
    query=lambda word, state, a: a.mean(1),
)
steps.mistake(
    "The softmax is right. But the last annotation is still part of the query. The decoder's state alone asks.",
    query=lambda word, state, a: state + a[:, -1],
)
steps.mistake(
    "The query is right. But the softmax now runs over all texts and words together; each text should share out a weight of 1.",
    weights=lambda s: s.flatten().softmax(0).view_as(s),
)
steps.mistake("The query is right. But the softmax has gone: the weights are raw scores.", weights=lambda s: s)
steps.mistake(
    "Query and weights are right. But the context was right before: it is the sum over the words, dim=1, not a mean.",
    context=lambda w, a: (w[..., None] * a).mean(1),
)
steps.mistake(
    "Query and weights are right. But state and context have changed places in the update: W expects word, state, context.",
    joined=lambda word, state, context: (word, context, state),
)
steps.mistake(
    "Query and weights are right. But the update no longer gets the state: without it the decoder forgets what it has said.",
    joined=lambda word, state, context: (word, context, context),
)
steps.mistake(
    "Query and weights are right. But the update no longer gets the context: what was looked at is lost.",
    joined=lambda word, state, context: (word, state, torch.zeros_like(context)),
)
