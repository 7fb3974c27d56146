"""What the decoder is fed and what it is asked for: the same words, one place apart."""

import torch

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer


def _shift(ids, start, end, pad):
    first = torch.full_like(ids[:, :1], start)
    last = torch.full_like(ids[:, :1], pad)
    inputs, targets = torch.cat([first, ids], dim=1), torch.cat([ids, last], dim=1)
    lengths = (ids != pad).sum(dim=1)
    return inputs, targets.scatter(1, lengths[:, None], end)


def _texts(g, lengths, n=None, pad=0, start=1, end=2):
    """Padded at the end to n words; the words are numbers from 3 on."""
    n = n or max(lengths)
    ids = torch.randint(3, 30, (len(lengths), n), generator=g)
    ids = ids + 70 * (ids == pad)
    return ids.masked_fill(torch.arange(n) >= torch.tensor(lengths)[:, None], pad), start, end, pad


shift = Code(
    "08.shift",
    title="One place to the right",
    points=4,
    minutes=10,
    difficulty=2,
    reference=_shift,
    axes=["batch place", "batch place"],
    results=("inputs", "targets"),
    cases=[
        Case("three texts", lambda g: _texts(g, [4, 2, 3])),
        Case("texts of the same length", lambda g: _texts(g, [4, 4])),
        Case("one text", lambda g: _texts(g, [integer(g, 2, 5)])),
        Case("one word each", lambda g: _texts(g, [1, 1, 1])),
        Case("a text without words among them", lambda g: _texts(g, [3, 0, 2])),
        Case("padding behind every text", lambda g: _texts(g, [3, 2], n=6)),
        Case("other marks", lambda g: _texts(g, [2, 4, 3], pad=9, start=97, end=98)),
        Case("any sizes", lambda g: _texts(g, [integer(g, 1, 12) for _ in range(integer(g, 4, 7))], n=12)),
    ],
    hints=[
        "Write one text down by hand. The inputs are START and the words; the targets are the words and END. So the input at place i is the target at place i − 1.",
        "torch.cat with a column of START in front gives the inputs, with a column of padding behind gives the targets: both are (batch, n + 1). Only END is missing.",
        "END stands right behind each text's last word: at place (ids != pad).sum(dim=1), in its own row.",
    ],
)


def column(ids, value):
    return torch.full_like(ids[:, :1], value)


def ends(ids, end, pad):
    """The words, and END right behind the last."""
    return torch.cat([ids, column(ids, pad)], dim=1).scatter(1, (ids != pad).sum(1)[:, None], end)


def end_at_the_edge(ids, end, pad):
    """END in the last column, behind the padding."""
    return torch.cat([ids, column(ids, end)], dim=1)


@shift.variants
def steps(
    ids,
    start,
    end,
    pad,
    *,
    fed=lambda ids, start, end, pad: torch.cat([column(ids, start), ids], dim=1),
    asked=lambda ids, start, end, pad: ends(ids, end, pad),
    results=lambda inputs, targets: (inputs, targets),
):
    return results(fed(ids, start, end, pad), asked(ids, start, end, pad))


def started(ids, start, end, pad):
    return torch.cat([column(ids, start), ids], dim=1)


steps.mistake(
    "Inputs and targets are the same: each word would be asked for where it is fed in. Copying gives a loss of 0, and nothing is learned. The inputs begin with START.",
    fed=lambda ids, start, end, pad: ends(ids, end, pad),
)
steps.mistake(
    "Inputs and targets are the same, START and the words. Nothing is asked for that isn't seen. The targets are the words and END.",
    asked=started,
)
steps.mistake(
    "END is missing in the targets: the model would never learn when to stop. It stands right behind the last word.",
    asked=lambda ids, start, end, pad: torch.cat([ids, column(ids, pad)], dim=1),
)
steps.mistake(
    "END stands in the last column, behind the padding. It stands right behind each text's own last word.",
    asked=lambda ids, start, end, pad: end_at_the_edge(ids, end, pad),
)
steps.mistake(
    "END has taken the place of the last word. It comes after it: the targets are one longer than the words.",
    asked=lambda ids, start, end, pad: torch.cat([ids, column(ids, pad)], 1).scatter(
        1, ((ids != pad).sum(1)[:, None] - 1).clamp(min=0), end
    ),
)
steps.mistake(
    "END stands one place too far, with padding between it and the last word.",
    asked=lambda ids, start, end, pad: torch.cat([ids, column(ids, pad)], 1).scatter(
        1, ((ids != pad).sum(1)[:, None] + 1).clamp(max=ids.shape[1]), end
    ),
)
steps.mistake(
    "Every place behind a text's last word asks for END. One END is enough; the places after it are padding and are asked nothing.",
    asked=lambda ids, start, end, pad: torch.where(
        (both := torch.cat([ids, column(ids, pad)], 1)) == pad, torch.full_like(both, end), both
    ),
)
steps.mistake(
    "START is missing in the inputs. Without it nothing is fed in when the first word is asked for.",
    fed=lambda ids, start, end, pad: torch.cat([ids, column(ids, pad)], dim=1),
)
steps.mistake(
    "END is fed in: the inputs hold it behind the words. Nothing follows the end, so nothing is asked after it.",
    fed=lambda ids, start, end, pad: torch.cat([column(ids, start), ends(ids, end, pad)], dim=1),
)
steps.mistake(
    "END is fed in in place of padding: nothing follows the end. The inputs are START, the words, and padding.",
    fed=lambda ids, start, end, pad: torch.cat([column(ids, start), ends(ids, end, pad)], dim=1)[:, :-1],
)
steps.mistake(
    "START is asked for: it is given, never guessed. The targets begin with the first word.",
    asked=lambda ids, start, end, pad: torch.cat([column(ids, start), ends(ids, end, pad)], dim=1),
)
steps.mistake(
    "START is asked for, END is fed in: both hold START, the words, END. The inputs leave END out, the targets START.",
    fed=lambda ids, start, end, pad: torch.cat([column(ids, start), ends(ids, end, pad)], dim=1),
    asked=lambda ids, start, end, pad: torch.cat([column(ids, start), ends(ids, end, pad)], dim=1),
)
steps.mistake(
    "The shift goes the wrong way: the inputs are the words from the second on, so the answer to each question has been seen, and the word before it hasn't.",
    fed=lambda ids, start, end, pad: torch.cat([ids[:, 1:], column(ids, pad), column(ids, pad)], dim=1),
)
steps.mistake(
    "You shifted twice: each place is asked for the word after next. The targets begin with the first word.",
    asked=lambda ids, start, end, pad: torch.cat([ends(ids, end, pad)[:, 1:], column(ids, pad)], dim=1),
)
steps.mistake(
    "The inputs stand one place too far: START twice. One START is enough.",
    fed=lambda ids, start, end, pad: torch.cat([column(ids, start), column(ids, start), ids], dim=1)[:, :-1],
)
steps.mistake(
    "The two results are in the wrong order: first what is fed in, then what is asked for.",
    results=lambda inputs, targets: (targets, inputs),
)
steps.mistake(
    "The last word is cut off from the inputs: they are START and *all* words, (batch, n + 1), as long as the targets.",
    fed=lambda ids, start, end, pad: torch.cat([column(ids, start), ids[:, :-1]], dim=1),
)
steps.mistake(
    "Both are one place too short, as if START and END stood in ids already. They don't: add them.",
    fed=lambda ids, start, end, pad: ids[:, :-1],
    asked=lambda ids, start, end, pad: ids[:, 1:],
)
steps.mistake(
    "Both are one place too short: the inputs lack the last word, the targets END. START and *all* words go in, all words and END are asked for.",
    fed=lambda ids, start, end, pad: torch.cat([column(ids, start), ids[:, :-1]], dim=1),
    asked=lambda ids, start, end, pad: ids,
)
steps.mistake(
    "START stands behind the words. It is what the decoder is fed first: in front.",
    fed=lambda ids, start, end, pad: torch.cat([ids, column(ids, start)], dim=1),
)
steps.mistake(
    "END stands in front of the words. It is what is asked for last: right behind the last word.",
    asked=lambda ids, start, end, pad: torch.cat([column(ids, end), ids], dim=1),
)
steps.mistake(
    "START and END have changed places.",
    fed=lambda ids, start, end, pad: torch.cat([column(ids, end), ids], dim=1),
    asked=lambda ids, start, end, pad: ends(ids, start, pad),
)
steps.mistake(
    "The inputs begin with END. They begin with START.",
    fed=lambda ids, start, end, pad: torch.cat([column(ids, end), ids], dim=1),
)
steps.mistake(
    "The targets end with START. They end with END.", asked=lambda ids, start, end, pad: ends(ids, start, pad)
)
steps.mistake(
    "The inputs begin with padding. They begin with START.",
    fed=lambda ids, start, end, pad: torch.cat([column(ids, pad), ids], dim=1),
)
steps.mistake(
    "START stands in front of the targets' words, too, and END is missing there. The targets are the words and END.",
    asked=lambda ids, start, end, pad: torch.cat([column(ids, start), column(ids, start), ids], dim=1)[:, :-1],
)
steps.mistake(
    "Your ids are numbers with a decimal point. A table is looked up by whole numbers: torch.long.",
    results=lambda inputs, targets: (inputs.float(), targets.float()),
)


@shift.mistake("You take 0 for padding. It may have another number: compare with pad.")
def zero_is_padding(ids, start, end, pad):
    targets = torch.cat([ids, column(ids, pad)], dim=1)
    return started(ids, start, end, pad), targets.scatter(1, (ids != 0).sum(1)[:, None].clamp(max=ids.shape[1]), end)


@shift.mistake("END stands where the *first* text ends, in every row. Each text has its own length.")
def ends_with_the_first(ids, start, end, pad):
    targets = torch.cat([ids, column(ids, pad)], dim=1)
    targets[:, int((ids[0] != pad).sum())] = end
    return started(ids, start, end, pad), targets
