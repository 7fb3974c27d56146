"""BERT's input: [CLS] A [SEP] B [SEP], each place the sum of a token's, a segment's and a position's embedding."""

import torch

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer, randn

CLS, SEP = 1, 2


def _input_sum(a, b, token, segment, position, cls_id=CLS, sep_id=SEP):
    cls, sep = torch.tensor([cls_id]), torch.tensor([sep_id])
    first = torch.cat([cls, a, sep])
    second = a[:0] if b is None else torch.cat([b, sep])
    ids = torch.cat([first, second])
    segments = torch.cat([torch.zeros_like(first), torch.ones_like(second)])
    return token[ids] + segment[segments] + position[: len(ids)]


def _sentences(g, n_a, n_b, vocab=20, d=4, max_len=40, cls_id=CLS, sep_id=SEP, dtype=torch.float32):
    """Two sentences of so many tokens, n_b None for a single one, and the three tables."""
    words = torch.tensor([i for i in range(3, vocab) if i not in (cls_id, sep_id)])
    a, b = (None if n is None else words[torch.randint(len(words), (n,), generator=g)] for n in (n_a, n_b))
    tables = (randn(g, rows, d, dtype=dtype) for rows in (vocab, 2, max_len))
    return a, b, *tables, cls_id, sep_id


input_sum = Code(
    "11.input_sum",
    title="Three tables, one sum",
    points=3,
    minutes=12,
    difficulty=2,
    reference=_input_sum,
    axes=["place d_model"],
    differentiable=True,
    cases=[
        Case("two sentences", lambda g: _sentences(g, 3, 2)),
        Case("the second is longer", lambda g: _sentences(g, 2, 6)),
        Case("one word each", lambda g: _sentences(g, 1, 1)),
        Case("any sizes", lambda g: _sentences(g, integer(g, 4, 9), integer(g, 4, 9), d=integer(g, 5, 8))),
        Case("marks with other ids", lambda g: _sentences(g, 3, 4, cls_id=17, sep_id=11)),
        Case("just as long as the table of positions", lambda g: _sentences(g, 4, 3, max_len=10)),
        Case("a single sentence: b is None", lambda g: _sentences(g, 5, None)),
        Case("double precision", lambda g: _sentences(g, 4, 3, dtype=torch.float64)),
    ],
    hints=[
        "Begin with the ids of the whole text, [CLS] A [SEP] B [SEP], as one tensor: torch.cat joins tensors, so a mark has to be one, torch.tensor([cls_id]).",
        "Each place needs three numbers: which token, which segment, which position. Segment 0 is [CLS], A and the first [SEP]; segment 1 is B and the second [SEP].",
        "token[ids] picks rows, (n, d_model). The positions run on from 0: position[:len(ids)]. The three are added.",
    ],
)


def joined(a, b, cls_id, sep_id):
    cls, sep = torch.tensor([cls_id]), torch.tensor([sep_id])
    return torch.cat([cls, a, sep] + ([] if b is None else [b, sep]))


def segment_ids(a, b):
    second = 0 if b is None else len(b) + 1
    return torch.tensor([0] * (len(a) + 2) + [1] * second)


def running(a, b):
    return torch.arange(len(segment_ids(a, b)))


def restarting(a, b):
    return torch.cat([torch.arange(len(a) + 2), torch.arange(0 if b is None else len(b) + 1)])


@input_sum.variants
def steps(
    a,
    b,
    token,
    segment,
    position,
    cls_id,
    sep_id,
    *,
    ids=joined,
    segments=segment_ids,
    places=running,
    join=lambda t, s, p: t + s + p,
):
    return join(token[ids(a, b, cls_id, sep_id)], segment[segments(a, b)], position[places(a, b)])


steps.mistake(
    "Your positions restart in B. They run on through the whole text: the first token of B stands behind the first [SEP].",
    places=restarting,
)
steps.mistake(
    "Every place gets segment 0, so BERT can't tell A from B. B and its [SEP] are segment 1.",
    segments=lambda a, b: torch.zeros_like(segment_ids(a, b)),
)
steps.mistake(
    "The segments are the wrong way round: [CLS], A and its [SEP] are 0, B and its [SEP] are 1.",
    segments=lambda a, b: 1 - segment_ids(a, b),
)
steps.mistake(
    "Every place gets segment 1. [CLS], A and its [SEP] are segment 0.",
    segments=lambda a, b: torch.ones_like(segment_ids(a, b)),
)
steps.mistake(
    "Segment 1 begins one place too soon with you: the first [SEP] ends A, and is of its segment, 0.",
    segments=lambda a, b: torch.cat([segment_ids(a, b)[1:], torch.ones(1, dtype=torch.long)]),
)
steps.mistake(
    "The second [SEP] belongs to B: its segment is 1.",
    segments=lambda a, b: torch.cat([segment_ids(a, b)[:-1], torch.zeros(1, dtype=torch.long)]),
)
steps.mistake("The segments are missing: three tables are added.", join=lambda t, s, p: t + p)
steps.mistake("The positions are missing: three tables are added.", join=lambda t, s, p: t + s)
steps.mistake("Tokens alone are no input for BERT: segments and positions are added.", join=lambda t, s, p: t)
steps.mistake("The tokens are missing: three tables are added.", join=lambda t, s, p: s + p)
steps.mistake(
    "Your three vectors lie side by side. They are added: d_model numbers stay d_model numbers.",
    join=lambda t, s, p: torch.cat([t, s, p], -1),
)
steps.mistake(
    "Your three vectors are stacked. They are added, place by place.", join=lambda t, s, p: torch.stack([t, s, p])
)
steps.mistake("You take the mean of the three. They are added.", join=lambda t, s, p: (t + s + p) / 3)
steps.mistake("You multiply the three. They are added.", join=lambda t, s, p: t * s * p)
steps.mistake(
    "You multiply the tokens by √d_model, as the Transformer of lesson 08 does. BERT adds them as they are.",
    join=lambda t, s, p: t * t.shape[-1] ** 0.5 + s + p,
)
steps.mistake(
    "Your sum is normalised already. BERT's LayerNorm comes next; here the sum itself is asked for.",
    join=lambda t, s, p: torch.nn.functional.layer_norm(t + s + p, t.shape[-1:]),
)
steps.mistake("Your positions begin at 1. [CLS] stands at position 0.", places=lambda a, b: running(a, b) + 1)
steps.mistake("Every place gets position 0.", places=lambda a, b: torch.zeros_like(running(a, b)))
steps.mistake("Your positions run backwards.", places=lambda a, b: running(a, b).flip(0))
steps.mistake("[CLS] and [SEP] have changed places.", ids=lambda a, b, cls_id, sep_id: joined(a, b, sep_id, cls_id))
steps.mistake(
    "Both mistakes with the second sentence: its positions restart, and its segment is 0. Positions run on; B and its [SEP] are segment 1.",
    places=restarting,
    segments=lambda a, b: torch.zeros_like(segment_ids(a, b)),
)


# --- other layouts: pieces of ids, each with its segment ----------------------------------------------------------------


def laid_out(pieces, token, segment, position):
    ids = torch.cat([torch.as_tensor(ids).reshape(-1) for ids, _ in pieces])
    segments = torch.cat([torch.full((torch.as_tensor(ids).numel(),), s) for ids, s in pieces])
    return token[ids] + segment[segments] + position[: len(ids)]


@input_sum.mistake("[CLS] is missing: the text begins with it.")
def no_cls(a, b, token, segment, position, cls_id, sep_id):
    return laid_out([(a, 0), (sep_id, 0), *([(b, 1), (sep_id, 1)] if b is not None else [])], token, segment, position)


@input_sum.mistake("The last [SEP] is missing: B ends with one, too.")
def no_last_sep(a, b, token, segment, position, cls_id, sep_id):
    return laid_out([(cls_id, 0), (a, 0), (sep_id, 0), *([(b, 1)] if b is not None else [])], token, segment, position)


@input_sum.mistake("Nothing stands between A and B: each of them ends with a [SEP].")
def no_first_sep(a, b, token, segment, position, cls_id, sep_id):
    rest = [(b, 1), (sep_id, 1)] if b is not None else [(sep_id, 0)]
    return laid_out([(cls_id, 0), (a, 0), *rest], token, segment, position)


@input_sum.mistake("The marks are missing: [CLS] A [SEP] B [SEP].")
def no_marks(a, b, token, segment, position, cls_id, sep_id):
    return laid_out([(a, 0), *([(b, 1)] if b is not None else [])], token, segment, position)


@input_sum.mistake("Between A and B stands [CLS] with you. It stands once, in front of all; A ends with a [SEP].")
def cls_twice(a, b, token, segment, position, cls_id, sep_id):
    rest = [(sep_id, 0)] if b is None else [(cls_id, 1), (b, 1), (sep_id, 1)]
    return laid_out([(cls_id, 0), (a, 0), *rest], token, segment, position)


@input_sum.mistake("[CLS] stands in front of B as well. It stands once, in front of all.")
def cls_before_b(a, b, token, segment, position, cls_id, sep_id):
    rest = [] if b is None else [(cls_id, 1), (b, 1), (sep_id, 1)]
    return laid_out([(cls_id, 0), (a, 0), (sep_id, 0), *rest], token, segment, position)


@input_sum.mistake("B stands before A with you: [CLS] A [SEP] B [SEP].")
def b_first(a, b, token, segment, position, cls_id, sep_id):
    if b is None:
        return _input_sum(a, b, token, segment, position, cls_id, sep_id)
    return _input_sum(b, a, token, segment, position, cls_id, sep_id)


@input_sum.mistake("A single sentence is right except at its end: without B there is one [SEP], not two.")
def two_seps_for_one(a, b, token, segment, position, cls_id, sep_id):
    return _input_sum(a, a[:0] if b is None else b, token, segment, position, cls_id, sep_id)


@input_sum.mistake(
    "Positions count words with you, the marks get none of their own: [CLS] stands at 0, the first word at 1."
)
def positions_of_words(a, b, token, segment, position, cls_id, sep_id):
    ids, segments = joined(a, b, cls_id, sep_id), segment_ids(a, b)
    words = torch.ones_like(ids)
    words[[0, len(a) + 1, -1]] = 0
    return token[ids] + segment[segments] + position[(words.cumsum(0) - words)]


@input_sum.mistake("These are the ids. What stands in the three tables for them is asked for, added up.")
def ids_alone(a, b, token, segment, position, cls_id, sep_id):
    return joined(a, b, cls_id, sep_id)


@input_sum.mistake("The sums are right, but a batch of one stands in front: (n, d_model) is asked for.")
def batch_of_one(a, b, token, segment, position, cls_id, sep_id):
    return _input_sum(a, b, token, segment, position, cls_id, sep_id)[None]


@input_sum.mistake("Your positions are looked up in the table of tokens. They have a table of their own.")
def positions_from_tokens(a, b, token, segment, position, cls_id, sep_id):
    ids = joined(a, b, cls_id, sep_id)
    return token[ids] + segment[segment_ids(a, b)] + token[: len(ids)]


@input_sum.mistake("Your positions are looked up by the tokens' ids. A position is a place in the text: 0, 1, 2, ….")
def positions_by_ids(a, b, token, segment, position, cls_id, sep_id):
    ids = joined(a, b, cls_id, sep_id)
    return token[ids] + segment[segment_ids(a, b)] + position[ids]


@input_sum.mistake("A single sentence ends with a [SEP], too: [CLS] A [SEP].")
def single_without_sep(a, b, token, segment, position, cls_id, sep_id):
    right = _input_sum(a, b, token, segment, position, cls_id, sep_id)
    return right[:-1] if b is None else right


@input_sum.mistake("For a single sentence b is None, which torch.cat can't join: leave B and its [SEP] out there.")
def joins_none(a, b, token, segment, position, cls_id, sep_id):
    cls, sep = torch.tensor([cls_id]), torch.tensor([sep_id])
    torch.cat([cls, a, sep, b, sep])
    return _input_sum(a, b, token, segment, position, cls_id, sep_id)


@input_sum.mistake("For a single sentence b is None, which has no length: look first whether there is a B.")
def length_of_none(a, b, token, segment, position, cls_id, sep_id):
    len(b)
    return _input_sum(a, b, token, segment, position, cls_id, sep_id)


# --- symptoms: the tables are random, so a sum tells which three rows were added ----------------------------------------


@input_sum.symptom("Numbers are added where vectors should be.")
def numbers_for_vectors(inputs, answer):
    """Of one table not the vectors are added, but a number at each place."""
    a, b, token, segment, position, cls_id, sep_id = inputs
    right = (joined(a, b, cls_id, sep_id), token), (segment_ids(a, b), segment), (running(a, b), position)
    rows = [table[ids] for ids, table in right]
    for i, name in enumerate(("token", "segment", "position")):
        rest = answer - sum(rows[:i] + rows[i + 1 :])
        if (rest - rest[:, :1]).abs().max() < 1e-4:
            return (
                f"The vectors of `{name}` are missing: in their place each of the d_model numbers of a place has "
                f"{rest[1, 0]:.4g} added at place 1, {rest[-1, 0]:.4g} at the last. Look the vector up: {name}[…]."
            )
    return False


@input_sum.symptom("", any_shape=True)
def other_rows(inputs, answer):
    """Which rows of the tables were added at each place, beside those that should be."""
    a, b, token, segment, position, cls_id, sep_id = inputs
    rows = _rows(answer, token, segment, position)
    if rows is None:
        return False
    tokens, segments, places = ([row[i] for row in rows] for i in range(3))
    said = []
    if None in tokens:
        said.append("at some places no vector of a token is added: the marks have one, too")
    elif tokens != joined(a, b, cls_id, sep_id).tolist():
        said.append(f"your tokens are {tokens}, and should be {joined(a, b, cls_id, sep_id).tolist()}")
    if None in segments:
        whole = "everywhere" if set(segments) == {None} else "at some places"
        said.append(f"{whole} no vector of a segment is added: each place gets one, a single sentence row 0")
    elif BOTH in segments:
        said.append("the vectors of both segments are added: each place gets one, row 0 or row 1")
    elif segments != segment_ids(a, b).tolist():
        said.append(f"your segments are {segments}, and should be {segment_ids(a, b).tolist()}")
    if None in places:
        said.append("at some places no vector of a position is added: each gets one, the marks too")
    elif places != running(a, b).tolist():
        said.append(f"your positions are {places}, and should be {running(a, b).tolist()}")
    both = "; and ".join(said)
    return f"{both[0].upper()}{both[1:]}." if said else False


BOTH = 2  # a row behind the two of the segments: their sum


def _rows(answer, token, segment, position):
    """(token, segment, position) of each place, None for a vector that isn't added; None if some place is no such sum."""
    tables = [
        torch.cat([table, torch.zeros_like(table[:1])])
        for table in (token, torch.cat([segment, segment.sum(0)[None]]), position)
    ]
    token, segment, position = tables
    sums = token[:, None, None] + segment[:, None] + position  # (vocab + 1, 4, max_len + 1, d_model)
    distance, which = (answer[:, None] - sums.flatten(0, 2)).abs().amax(-1).min(-1)
    if (distance > 1e-4).any():
        return None
    found = (torch.unravel_index(i, sums.shape[:3]) for i in which)
    absent = [len(table) - 1 for table in tables]
    return [tuple(None if int(i) == none else int(i) for i, none in zip(each, absent)) for each in found]
