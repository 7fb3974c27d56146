"""A decoder that doesn't look: its query is the encoder's last annotation, and its softmax runs over the texts."""

import torch

from course_lib import attention
from course_lib.checking.kinds import Case, Code
from course_lib.exercises import common
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
    difficulty=2,
    reference=_decoder_step,
    buggy=buggy.repaired,
    unchanged="Nothing has changed yet. Print weights.sum(-1): does each text share out a weight of 1? And does the state decide where it looks?",
    axes=["batch d_state", "batch n"],
    results=("next state", "weights"),
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
    matrices=lambda W_1, W_2: (W_1, W_2),
    bend=torch.tanh,
    weights=lambda s: s.softmax(-1),
    context=lambda w, annotations: (w[..., None] * annotations).sum(1),
    joined=lambda word, state, context: (word, state, context),
    last=torch.tanh,
):
    W_1, W_2 = matrices(W_1, W_2)
    scores = bend((query(word, state, annotations) @ W_1.mT)[:, None] + annotations @ W_2.mT) @ w_3
    w = weights(scores)
    return last(torch.cat(joined(word, state, context(w, annotations)), dim=-1) @ W.mT), w


steps.mistake(
    "One of the two bugs is left: the query is the encoder's last annotation, which is the same at every step: the decoder always looks at the same place.",
    query=lambda word, state, a: a[:, -1],
)
steps.mistake(
    "One of the two bugs is left: weights.sum(-1) isn't 1, because the softmax runs over the texts of the batch.",
    weights=lambda s: s.softmax(0),
)
steps.mistake(
    "You ask with the word that was said last. The word goes into the update; the query is the decoder's state.",
    query=lambda word, state, a: word,
)
steps.mistake(
    "The query is the first annotation, the same at every step: ask with the decoder's state.",
    query=lambda word, state, a: a[:, 0],
)
steps.mistake(
    "The query is the mean of the annotations, the same at every step: ask with the decoder's state.",
    query=lambda word, state, a: a.mean(1),
)
steps.mistake(
    "The query is made of the annotations' largest numbers, the same at every step: ask with the decoder's state.",
    query=lambda word, state, a: a.amax(1),
)
steps.mistake(
    "All texts ask with the state of the last one: state[-1] is a text, not a step. Each asks with its own.",
    query=lambda word, state, a: state[-1:].expand_as(state),
)
steps.mistake(
    "All texts ask with the state of the first one: state[0] is a text, not a step. Each asks with its own.",
    query=lambda word, state, a: state[:1].expand_as(state),
)
steps.mistake(
    "The last annotation is still part of the query. The decoder's state alone asks.",
    query=lambda word, state, a: state + a[:, -1],
)
steps.mistake(
    "The softmax now runs over all texts and words together; each text should share out a weight of 1.",
    weights=lambda s: s.flatten().softmax(0).view_as(s),
)
steps.mistake("The softmax has gone: the weights are raw scores.", weights=lambda s: s)
steps.mistake(
    "The context was right as it was: it is the sum over the words, dim=1, not a mean.",
    context=lambda w, a: (w[..., None] * a).mean(1),
)
steps.mistake(
    "State and context have changed places in the update: W expects word, state, context.",
    joined=lambda word, state, context: (word, context, state),
)
steps.mistake(
    "The update no longer gets the state: without it the decoder forgets what it has said.",
    joined=lambda word, state, context: (word, context, context),
)
steps.mistake(
    "The update no longer gets the context: what was looked at is lost.",
    joined=lambda word, state, context: (word, state, torch.zeros_like(context)),
)
steps.mistake(
    "The score was right as it was: without the tanh, the state adds the same number to every score, and the softmax doesn't see it.",
    bend=common.unchanged,
)
steps.mistake("The score was right as it was: it has a tanh inside, not a ReLU.", bend=torch.relu)
steps.mistake(
    "W_1 and W_2 have changed places. They were right: W_1 belongs to the query, W_2 to the annotations.",
    matrices=lambda W_1, W_2: (W_2, W_1),
)
steps.mistake(
    "Query and annotations both go through W_1. The annotations have a matrix of their own, W_2.",
    matrices=lambda W_1, W_2: (W_1, W_1),
)
steps.mistake(
    "The scores are divided by a root. There is no scale in this score; it belongs to the dot product.",
    weights=lambda s: (s / s.shape[-1] ** 0.5).softmax(-1),
)
steps.mistake("All weight lies on the best word. The softmax shares it.", weights=common.all_on_the_best)
steps.mistake(
    "Word and state have changed places in the update: W expects word, state, context.",
    joined=lambda word, state, context: (state, word, context),
)
steps.mistake(
    "Word and context have changed places in the update: W expects word, state, context.",
    joined=lambda word, state, context: (context, state, word),
)
steps.mistake(
    "The context stands first in the update: W expects word, state, context.",
    joined=lambda word, state, context: (context, word, state),
)
steps.mistake(
    "The word stands last in the update: W expects word, state, context.",
    joined=lambda word, state, context: (state, context, word),
)
steps.mistake(
    "You add up over the numbers of each annotation. That line was right: dim=1 runs over the words.",
    context=lambda w, a: (w[..., None] * a).sum(-1),
)
steps.mistake(
    "The context is the last annotation alone. That line was right: all of them, by their weights, added up.",
    context=lambda w, a: a[:, -1],
)
steps.mistake(
    "The state goes through a tanh before it asks. It asks as it is; tanh comes after W₁ and W₂.",
    query=lambda word, state, a: state.tanh(),
)
steps.mistake(
    "All texts ask with one and the same query, the mean of their states. Each asks with its own.",
    query=lambda word, state, a: state.mean(0, keepdim=True).expand_as(state),
)
steps.mistake("The update has a sigmoid around it. It was right as it was, with tanh.", last=torch.sigmoid)
steps.mistake("The score was right as it was: it has a tanh inside, not a sigmoid.", bend=torch.sigmoid)
steps.mistake("The annotations aren't weighted any more: they are added up as they are.", context=lambda w, a: a.sum(1))
steps.mistake(
    "The annotations aren't weighted any more: the context is their plain mean.", context=lambda w, a: a.mean(1)
)
common.other_weights(steps, "twice logarithm sigmoid squared negative")
steps.mistake("The update has lost its tanh. It was right as it was.", last=common.unchanged)


@repaired.mistake(
    "You return the context. What comes back first is the next state: tanh of word, state and context, through W."
)
def context_returned(word, state, annotations, W_1, W_2, w_3, W):
    _, weights = _decoder_step(word, state, annotations, W_1, W_2, w_3, W)
    return (weights[:, None] @ annotations).squeeze(1), weights


@repaired.mistake(
    "The softmax comes before w₃. That line was right: w₃ makes one score of each place, and the softmax runs over the places."
)
def softmax_before_w_3(word, state, annotations, W_1, W_2, w_3, W):
    weights = torch.tanh((state @ W_1.mT)[:, None] + annotations @ W_2.mT).softmax(1) @ w_3
    context = (weights[..., None] * annotations).sum(1)
    return torch.tanh(torch.cat([word, state, context], dim=-1) @ W.mT), weights


@repaired.mistake(
    "In the update an annotation stands in the state's place. W expects word, state, context: that line was right."
)
def annotation_in_the_update(word, state, annotations, W_1, W_2, w_3, W):
    _, weights = _decoder_step(word, state, annotations, W_1, W_2, w_3, W)
    context = (weights[..., None] * annotations).sum(1)
    return torch.tanh(torch.cat([word, annotations[:, -1], context], dim=-1) @ W.mT), weights


@repaired.mistake("W isn't turned any more in the last line. It was right: x @ W.mT is W x for each row of x.")
def w_not_turned(word, state, annotations, W_1, W_2, w_3, W):
    _, weights = _decoder_step(word, state, annotations, W_1, W_2, w_3, W)
    return torch.tanh(torch.cat([word, state, (weights[..., None] * annotations).sum(1)], dim=-1) @ W), weights


@repaired.mistake(
    "You return the old state. What comes back first is the next one: tanh of word, state and context, through W."
)
def old_state_returned(word, state, annotations, W_1, W_2, w_3, W):
    return state, _decoder_step(word, state, annotations, W_1, W_2, w_3, W)[1]


common.output_does_not_follow(
    repaired,
    "The weights are right, the next state isn't. Look at what happens after them: the weighted sum of the annotations, "
    "then word, state and context through W, and tanh.",
)
