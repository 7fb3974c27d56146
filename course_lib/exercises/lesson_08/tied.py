"""Tied embeddings with three bugs: a copied table, √vocab for √d_model, and the scale at the output as well."""

import torch

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer, non_contiguous, randn
from course_lib.exercises.lesson_08 import buggy


def _tied(table, step, ids, states):
    table = table + step
    return table[ids] * table.shape[1] ** 0.5, states @ table.mT


def _inputs(g, vocab, d_model, *shape, dtype=torch.float32):
    table, step = (randn(g, vocab, d_model, dtype=dtype) for _ in "12")
    return table, 0.5 * step, torch.randint(vocab, shape, generator=g), randn(g, *shape, d_model, dtype=dtype)


def _no_step(g):
    table, step, *rest = _inputs(g, 8, 4, 3)
    return table, 0 * step, *rest


tied = Code(
    "08.tied",
    title="One table, three bugs",
    points=3,
    minutes=10,
    difficulty=2,
    reference=_tied,
    buggy=buggy.tied,
    unchanged="All three bugs are still there. Follow the table: which one goes into the logits? And which number is under each root?",
    axes=["... n d_model", "... n vocab"],
    results=("vectors", "logits"),
    atol=1e-4,
    cases=[
        Case("three words", lambda g: _inputs(g, 7, 4, 3)),
        Case("as many words in the table as numbers", lambda g: _inputs(g, 6, 6, 4)),
        Case("one word", lambda g: _inputs(g, 9, 5, 1)),
        Case("a batch", lambda g: _inputs(g, 8, 4, 2, 5)),
        Case("any sizes", lambda g: _inputs(g, integer(g, 10, 20), integer(g, 5, 8), integer(g, 4, 7))),
        Case("double precision", lambda g: _inputs(g, 8, 4, 3, dtype=torch.float64)),
        Case("before the first step", _no_step),
        Case(
            "not contiguous in memory",
            lambda g: (*map(non_contiguous, _inputs(g, 8, 4, 3)[:2]), *_inputs(g, 8, 4, 2, 3)[2:]),
        ),
    ],
    differentiable=True,
    hints=[
        "After one step of training the two tables differ. When is the copy made?",
        "Under which root belongs d_model: at the input, at the output, or both? The paper, section 3.4: “In the embedding layers, we multiply those weights by √d_model.”",
        "vectors = table[ids] * table.shape[1] ** 0.5 and logits = states @ table.mT, with one and the same table.",
    ],
)


@tied.variants
def steps(
    table,
    step,
    ids,
    states,
    *,
    output=lambda old, new: new,
    trained=lambda old, step: old + step,
    scale=lambda vocab, d_model: d_model**0.5,
    out_scale=lambda vocab, d_model: 1.0,
    results=lambda vectors, logits: (vectors, logits),
    looked_up=lambda table, ids: table[ids],
):
    new = trained(table, step)
    vectors = looked_up(new, ids) * scale(*table.shape)
    return results(vectors, states @ output(table, new).mT * out_scale(*table.shape))


def copied(old, new):
    return old


def of_vocab(vocab, d_model):
    return vocab**0.5


def of_d(vocab, d_model):
    return d_model**0.5


def one(vocab, d_model):
    return 1.0


steps.mistake(
    "One found: the output uses the trained table now. But look at both roots: which number is under the first, and does the second belong there?",
    scale=of_vocab,
    out_scale=of_d,
)
steps.mistake(
    "One found: the input is scaled by √d_model now. But the output is scaled, too, and its table is an old copy.",
    output=copied,
    out_scale=of_d,
)
steps.mistake(
    "One found: the output isn't scaled any more. But the input is scaled by √vocab, and the output's table is an old copy.",
    output=copied,
    scale=of_vocab,
)
steps.mistake(
    "Two found. One is left: the output's table is a copy, made before the step. After one step the two differ.",
    output=copied,
)
steps.mistake(
    "Two found. One is left: the logits are still √d_model times too large. Only embeddings are scaled.", out_scale=of_d
)
steps.mistake(
    "Two found. One is left: at the input the root is over table.shape[0], the vocabulary. The paper's is √d_model.",
    scale=of_vocab,
)
steps.mistake(
    "The input isn't scaled any more: the embedding is multiplied by √d_model. Only the output goes without.", scale=one
)
steps.mistake("The scale has moved to the output. It belongs at the input alone.", scale=one, out_scale=of_d)
steps.mistake("The input isn't scaled any more, and the output's table is still an old copy.", scale=one, output=copied)
steps.mistake(
    "The scale stands at the output alone, and the output's table is still an old copy.",
    scale=one,
    out_scale=of_d,
    output=copied,
)
steps.mistake(
    "Now the step is left out: both sides use the table as it was. Training changes the one table, and both see it.",
    trained=lambda old, step: old,
)
steps.mistake(
    "√vocab at the input, √vocab at the output: neither. The input is scaled by √d_model, the output isn't scaled.",
    scale=of_vocab,
    out_scale=of_vocab,
)
steps.mistake("You multiply by d_model. Multiply by its root.", scale=lambda vocab, d_model: d_model)
steps.mistake("You take the root twice, d_model ** 0.25. Once is enough.", scale=lambda vocab, d_model: d_model**0.25)
steps.mistake(
    "`** 1 / 2` is the first power, halved: ** binds more strongly than /. Write ** 0.5.",
    scale=lambda vocab, d_model: d_model**1 / 2,
)
steps.mistake(
    "These are logarithms of probabilities. Logits are asked for, before the softmax.",
    results=lambda vectors, logits: (vectors, logits.log_softmax(-1)),
)
steps.mistake(
    "Two left: the step is left out, and the logits are √d_model times too large. Training changes the one table, and both sides see it.",
    trained=lambda old, step: old,
    out_scale=of_d,
)
steps.mistake(
    "These are the likeliest words. Logits are asked for, a number for each word of the vocabulary: no argmax.",
    results=lambda vectors, logits: (vectors, logits.argmax(-1)),
)
steps.mistake("You divide the input by √d_model. Multiply by it.", scale=lambda vocab, d_model: d_model**-0.5)
steps.mistake(
    "You divide the logits by √d_model: that is attention's scale. Logits are products with the table as it is.",
    out_scale=lambda vocab, d_model: d_model**-0.5,
)
steps.mistake("The step is subtracted. It is what training adds.", trained=lambda old, step: old - step)
steps.mistake("The step is added twice.", trained=lambda old, step: old + 2 * step)
steps.mistake(
    "The two results are in the wrong order: vectors, then logits.", results=lambda vectors, logits: (logits, vectors)
)
steps.mistake(
    "These are probabilities already. Logits are asked for, before the softmax.",
    results=lambda vectors, logits: (vectors, logits.softmax(-1)),
)


@tied.mistake("The vectors come from the old table, before the step; the logits are right. It is one table.")
def old_input(table, step, ids, states):
    return table[ids] * table.shape[1] ** 0.5, states @ (table + step).mT


@tied.mistake("The step is in the output's table twice: once in table, and added again. Both sides use the one table.")
def step_twice_at_the_output(table, step, ids, states):
    table = table + step
    return table[ids] * table.shape[1] ** 0.5, states @ (table + step).mT


@tied.mistake("The step is in the input's vectors twice: once in table, and added again. Both sides use the one table.")
def step_twice_at_the_input(table, step, ids, states):
    table = table + step
    return (table + step)[ids] * table.shape[1] ** 0.5, states @ table.mT


@tied.mistake(
    "The scale comes too early: only the old table is multiplied by √d_model, the step is added after it. First train the table, then look up and scale."
)
def scaled_before_the_step(table, step, ids, states):
    return table[ids] * table.shape[1] ** 0.5 + step[ids], states @ (table + step).mT


@tied.mistake("The root is over the number of words in ids. The paper's is √d_model, the length of a word's vector.")
def root_of_the_words(table, step, ids, states):
    return (table + step)[ids] * ids.shape[-1] ** 0.5, states @ (table + step).mT


@tied.mistake(
    "Only the step is multiplied by √d_model, and the old table isn't. First train the table, then look up and scale."
)
def step_scaled(table, step, ids, states):
    return table[ids] + step[ids] * table.shape[1] ** 0.5, states @ (table + step).mT


@tied.mistake(
    "The states are compared with the vectors that went in. Logits compare them with *every* word of the table: states @ table.mT."
)
def compared_with_the_input(table, step, ids, states):
    vectors = (table + step)[ids] * table.shape[1] ** 0.5
    return vectors, states @ vectors.mT


@tied.mistake(
    "The states are brought to length 1 before they are compared. Logits are products with states as they are."
)
def states_of_length_one(table, step, ids, states):
    new = table + step
    return new[ids] * new.shape[1] ** 0.5, torch.nn.functional.normalize(states, dim=-1) @ new.mT
