"""Take one head out of a layer: zeros in the columns of W_O that meet its result."""

import torch

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.common import unchanged
from course_lib.exercises.inputs import integer, randn


def columns(W_O, head, num_heads):
    """The columns of W_O that meet this head's numbers."""
    d_v = W_O.shape[1] // num_heads
    return torch.arange(head * d_v, (head + 1) * d_v)


def _matrix(g, d_model, num_heads, d_v, head=None, **kwargs):
    return (
        randn(g, d_model, num_heads * d_v, **kwargs),
        integer(g, 0, num_heads - 1) if head is None else head,
        num_heads,
    )


silence = Code(
    "03.silence",
    title="Silence a head",
    points=2,
    minutes=8,
    difficulty=2,
    reference=lambda W_O, head, num_heads: W_O.index_fill(1, columns(W_O, head, num_heads), 0.0),
    axes=["d_model column"],
    cases=[
        Case("the second of two heads", lambda g: _matrix(g, 6, 2, 3, head=1)),
        Case("the first of three heads", lambda g: _matrix(g, 6, 3, 2, head=0)),
        Case("the last of four heads", lambda g: _matrix(g, 8, 4, 2, head=3)),
        Case("one in the middle", lambda g: _matrix(g, 10, 5, 2, head=integer(g, 1, 3))),
        Case("values longer than d_model / num_heads", lambda g: _matrix(g, 4, 2, 5)),
        Case("short values", lambda g: _matrix(g, 12, 3, 2)),
        Case("a single row", lambda g: _matrix(g, 1, 3, 4)),
        Case("any sizes", lambda g: _matrix(g, integer(g, 5, 9), integer(g, 3, 5), integer(g, 3, 4))),
        Case("double precision", lambda g: _matrix(g, 6, 3, 2, dtype=torch.float64)),
    ],
    hints=[
        "x @ W_O.T: which part of W_O do a head's numbers meet, some of its rows or some of its columns?",
        "A head has W_O.shape[1] // num_heads columns. Where do those of head 0 end, and where do those of head 1 begin?",
        "Change a copy: W_O = W_O.clone(). Then a slice of it can be set to 0.",
    ],
)


@silence.variants
def steps(W_O, head, num_heads, *, which=columns, filled=lambda W, at: W.index_fill(1, at, 0.0), last=unchanged):
    return last(filled(W_O, which(W_O, head, num_heads)), W_O)


steps.mistake(
    "You silenced rows: a row of W_O makes one number of the output, out of all heads. A head's numbers meet columns.",
    which=lambda W, head, h: torch.arange(head * (len(W) // h), (head + 1) * (len(W) // h)),
    filled=lambda W, at: W.index_fill(0, at, 0.0),
)
steps.mistake(
    "You silenced the rows with the numbers of the head's columns. A row makes one number of the output, out of all heads: W_O[:, …].",
    filled=lambda W, at: W.index_fill(0, at[at < len(W)], 0.0),
)
steps.mistake(
    "It is the other way round: this head alone is left, and all others are silent.",
    filled=lambda W, at: W - W.index_fill(1, at, 0.0),
)
steps.mistake("Nothing is silent: the matrix comes back as it was.", filled=unchanged)
steps.mistake("All heads are silent.", filled=lambda W, at: torch.zeros_like(W))
steps.mistake(
    "A head's numbers aren't dealt out like cards: they lie next to each other, head 0's first.",
    which=lambda W, head, h: torch.arange(head, W.shape[1], h),
)
steps.mistake(
    "Only one column is silent. A head has W_O.shape[1] // num_heads of them.",
    which=lambda W, head, h: torch.tensor([head]),
)
steps.mistake(
    "Only the first of the head's columns is silent. It has W_O.shape[1] // num_heads of them.",
    which=lambda W, head, h: columns(W, head, h)[:1],
)
steps.mistake(
    "The head's first column still speaks: begin the slice at head · d_v, without + 1.",
    which=lambda W, head, h: columns(W, head, h)[1:],
)
steps.mistake(
    "The head's last column still speaks: a slice ends before its end, by itself. Leave out the - 1.",
    which=lambda W, head, h: columns(W, head, h)[:-1],
)
steps.mistake(
    "One column too many is silent: a slice ends before its end, so leave out the + 1.",
    which=lambda W, head, h: torch.arange(columns(W, head, h)[0], min(columns(W, head, h)[-1] + 2, W.shape[1])),
)
steps.mistake(
    "Heads are counted from 0: you silenced the one before.", which=lambda W, head, h: columns(W, (head - 1) % h, h)
)
steps.mistake(
    "Heads are counted from 0: you silenced the one before; and for head 0 none at all.",
    which=lambda W, head, h: columns(W, head - 1, h) if head else torch.arange(0),
)
steps.mistake(
    "Heads are counted from 0: you silenced the one after it.",
    which=lambda W, head, h: columns(W, head + 1, h) if head + 1 < h else torch.arange(0),
)
steps.mistake("You count the heads from the back.", which=lambda W, head, h: columns(W, h - 1 - head, h))
steps.mistake(
    "You silence this head and all before it: begin the slice at head · d_v.",
    which=lambda W, head, h: torch.arange(columns(W, head, h)[-1] + 1),
)
steps.mistake(
    "You silence all heads before this one, and not this one.",
    which=lambda W, head, h: torch.arange(columns(W, head, h)[0]),
)
steps.mistake(
    "You silence this head and all after it: end the slice at (head + 1) · d_v.",
    which=lambda W, head, h: torch.arange(columns(W, head, h)[0], W.shape[1]),
)
steps.mistake(
    "num_heads is how many heads there are; you took it for a head's length. A head has W_O.shape[1] // num_heads columns.",
    which=lambda W, head, h: torch.arange(W.shape[1])[head * h : (head + 1) * h],
)
steps.mistake(
    "You took a head's length from the rows, d_model // num_heads. Its columns are W_O.shape[1] // num_heads: d_v needn't be d_k.",
    which=lambda W, head, h: torch.arange(W.shape[1])[head * (len(W) // h) : (head + 1) * (len(W) // h)],
)
steps.mistake(
    "Is a head's length written down as a number, such as 16? Not every layer has heads of that length: W_O.shape[1] // num_heads.",
    which=lambda W, head, h: torch.arange(W.shape[1])[head * 16 : (head + 1) * 16],
)
steps.mistake(
    "The head begins at column `head`. Before it stand `head` heads of d_v columns each: begin at head · d_v.",
    which=lambda W, head, h: torch.arange(W.shape[1])[head : head + W.shape[1] // h],
)
steps.mistake(
    "The columns are gone; the matrix must keep its shape, or it fits no longer. Put zeros in their place.",
    filled=lambda W, at: W[:, [i for i in range(W.shape[1]) if i not in at]],
)
steps.mistake(
    "These are the head's columns by themselves. The whole matrix is asked for, with zeros in their place.",
    filled=lambda W, at: W[:, at],
)
steps.mistake(
    "These are the columns of a head, all zero. The whole matrix is asked for.",
    filled=lambda W, at: torch.zeros_like(W[:, at]),
)
steps.mistake(
    "−∞ silences a *score*, since a softmax comes after it. W_O is multiplied with what the head found: zero silences it.",
    filled=lambda W, at: W.index_fill(1, at, -torch.inf),
)
steps.mistake(
    "A one isn't silence: the head would be added to every number of the output. Put zeros there.",
    filled=lambda W, at: W.index_fill(1, at, 1.0),
)
steps.mistake(
    "A NaN in W_O makes the whole output NaN. Zeros silence a head.",
    filled=lambda W, at: W.index_fill(1, at, torch.nan),
)
steps.mistake("The right columns are silent, but the matrix comes back transposed.", last=lambda W, given: W.mT)
steps.mistake(
    "You return where the head stands, a mask of ones and zeros. Multiply W_O by it.",
    last=lambda W, given: (W != 0).to(W.dtype),
)


@silence.mistake("A slice that is set to 0 gives nothing back: return the whole matrix after it.")
def only_the_zero(W_O, head, num_heads):
    return torch.zeros(())


@silence.mistake(
    "A single row is silent. A row makes one number of the output, out of all heads; a head's numbers meet columns."
)
def one_row(W_O, head, num_heads):
    W_O = W_O.clone()
    W_O[head] = 0
    return W_O


@silence.mistake(
    "Only the rows with the same numbers are silent in the head's columns. Every row meets the head: W_O[:, …]."
)
def a_square(W_O, head, num_heads):
    W_O, d_v = W_O.clone(), W_O.shape[1] // num_heads
    W_O[head * d_v : (head + 1) * d_v, head * d_v : (head + 1) * d_v] = 0
    return W_O


@silence.mistake(
    "The matrix comes back cut into heads. Join the last axis again: it should have the shape that W_O has."
)
def cut_into_heads(W_O, head, num_heads):
    W_O = W_O.unflatten(1, (num_heads, -1)).transpose(0, 1).clone()
    W_O[head] = 0
    return W_O


@silence.mistake(
    "The matrix comes back cut into heads, with a batch that wasn't asked for. It should have the shape that W_O has."
)
def cut_into_heads_with_a_batch(W_O, head, num_heads):
    W_O = W_O.unflatten(1, (num_heads, -1)).transpose(0, 1)[None].clone()
    W_O[:, head] = 0
    return W_O


@silence.mistake(
    "Reshaping W_O to (num_heads, d_model, d_v) has cut its rows apart. Cut the last axis: W_O.reshape(d_model, num_heads, d_v), then [:, head]."
)
def straight_to_heads(W_O, head, num_heads):
    heads = W_O.reshape(num_heads, len(W_O), -1).clone()
    heads[head] = 0
    return heads.reshape(W_O.shape)


@silence.mistake("A place in a slice must be a whole number, and / gives a float: divide with //.")
def float_length(W_O, head, num_heads):
    W_O, d_v = W_O.clone(), W_O.shape[1] / num_heads
    W_O[:, head * d_v : (head + 1) * d_v] = 0
    return W_O


def _silent(W):
    """Which rows, and which columns, are all zero."""
    return (W == 0).all(1), (W == 0).all(0)


@silence.symptom(
    "Whole rows are silent. A row of W_O makes one number of the output, out of all heads; a head's numbers meet columns."
)
def silent_rows(inputs, answer):
    rows, cols = _silent(answer)
    return rows.any() and not cols.any()


@silence.symptom(
    "The head is silent, but so is more than the head, or something else has changed. Leave all other columns as they are."
)
def more_than_the_head(inputs, answer):
    return _silent(answer)[1][columns(*inputs)].all()


@silence.symptom(
    "Other columns are silent than this head's. They begin at head · d_v and end before (head + 1) · d_v, with d_v = W_O.shape[1] // num_heads."
)
def other_columns(inputs, answer):
    return _silent(answer)[1].any()
