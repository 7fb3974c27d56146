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


def placed(ids, end, pad, rows, places):
    """END at these rows and places of the targets."""
    targets = torch.cat([ids, column(ids, pad)], dim=1)
    targets[rows, places] = end
    return targets


def from_the_second(ids, end, pad):
    """The words but for the first, and END right behind the last."""
    targets = torch.cat([ids[:, 1:], column(ids, pad)], dim=1)
    targets[torch.arange(len(ids)), (ids != pad).sum(1) - 1] = end
    return targets


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
    "Both are as long as the words: one word is cut off, or written over, in each. They are one longer, (batch, n + 1): START and *all* words; all words and END.",
    fed=lambda ids, start, end, pad: torch.cat([column(ids, start), ids[:, :-1]], dim=1),
    asked=lambda ids, start, end, pad: torch.cat([ids[:, :-1], column(ids, end)], dim=1),
)
steps.mistake(
    "Both are as long as the words, and the targets have lost their first. They are one longer, (batch, n + 1): START and *all* words; all words and END.",
    fed=lambda ids, start, end, pad: torch.cat([column(ids, start), ids[:, :-1]], dim=1),
    asked=lambda ids, start, end, pad: torch.cat([ids[:, 1:], column(ids, end)], dim=1),
)
steps.mistake(
    "The shift goes the wrong way round: START stands behind the words, END in front of them. START is fed first, END is asked for last.",
    fed=lambda ids, start, end, pad: torch.cat([ids, column(ids, start)], dim=1),
    asked=lambda ids, start, end, pad: torch.cat([column(ids, end), ids], dim=1),
)
steps.mistake(
    "END has taken the place of the last word. It comes after it, at place (ids != pad).sum(dim=1), counted from 0.",
    asked=lambda ids, start, end, pad: placed(ids, end, pad, torch.arange(len(ids)), (ids != pad).sum(1) - 1),
)
steps.mistake(
    "END stands where the *longest* text ends, in every row. Each text has its own length.",
    asked=lambda ids, start, end, pad: placed(ids, end, pad, slice(None), (ids != pad).sum(1).max()),
)
steps.mistake(
    "targets[:, lengths] = end writes into every row at *all* texts' lengths. Row i belongs to length i: targets[torch.arange(batch), lengths] = end.",
    asked=lambda ids, start, end, pad: placed(ids, end, pad, slice(None), (ids != pad).sum(1)),
)
steps.mistake(
    "END is put at place length + 1, counted as if START stood in the targets. Without it the last word is at length − 1 and END at length.",
    asked=lambda ids, start, end, pad: placed(ids, end, pad, torch.arange(len(ids)), (ids != pad).sum(1) + 1),
)
steps.mistake(
    "You count along the batch: (ids != pad).sum(0) says how many texts have a word at each place. Lengths are .sum(dim=1).",
    asked=lambda ids, start, end, pad: placed(ids, end, pad, torch.arange(len(ids)), (ids != pad).sum(0)),
)
steps.mistake(
    "You add the ids up. A text's length is how many of them aren't padding: (ids != pad).sum(dim=1).",
    asked=lambda ids, start, end, pad: placed(ids, end, pad, torch.arange(len(ids)), ids.sum(1)),
)
steps.mistake(
    "In a text that fills its row argmax finds no padding and says 0, so END lands on the first word. Look for padding in the row with its new column, or count words.",
    asked=lambda ids, start, end, pad: placed(ids, end, pad, torch.arange(len(ids)), (ids == pad).int().argmax(1)),
)
steps.mistake(
    "All padding has become END, in the inputs, too. END stands once, in the targets, behind the last word; padding stays padding.",
    fed=lambda ids, start, end, pad: started(ids.masked_fill(ids == pad, end), start, end, pad),
    asked=lambda ids, start, end, pad: torch.cat([ids, column(ids, pad)], 1).masked_fill(
        torch.cat([ids, column(ids, pad)], 1) == pad, end
    ),
)
steps.mistake(
    "START stands in front of the targets, and END on their last word. START is fed, never asked for: the targets are *all* words and END.",
    asked=lambda ids, start, end, pad: started(ids, start, end, pad).scatter(1, (ids != pad).sum(1)[:, None], end),
)
steps.mistake(
    "END has been written over each text's last word in the inputs. Nothing follows the end, so it is never fed: START and *all* words.",
    fed=lambda ids, start, end, pad: started(ids, start, end, pad).scatter(1, (ids != pad).sum(1)[:, None], end),
)
steps.mistake(
    "START stands in the targets, where it belongs in the inputs, and END is missing: fed are START and the words, asked for the words and END.",
    fed=lambda ids, start, end, pad: torch.cat([ids, column(ids, pad)], dim=1),
    asked=lambda ids, start, end, pad: started(ids, start, end, pad),
)
steps.mistake(
    "Both hold START and END, and END stands behind the padding. The inputs are START and the words; the targets the words and END, right behind the last.",
    fed=lambda ids, start, end, pad: torch.cat([column(ids, start), ids, column(ids, end)], dim=1),
    asked=lambda ids, start, end, pad: torch.cat([column(ids, start), ids, column(ids, end)], dim=1),
)
steps.mistake(
    "START has been written over the first word. It comes before it, in a column of its own.",
    fed=lambda ids, start, end, pad: torch.cat([column(ids, start), ids[:, 1:], column(ids, pad)], dim=1),
)
steps.mistake(
    "Each text's last word is missing in the inputs. It is fed in, too: END is asked for there.",
    fed=lambda ids, start, end, pad: started(ids, start, end, pad).scatter(1, (ids != pad).sum(1)[:, None], pad),
)
steps.mistake(
    "You write 1 for START and 2 for END. They may have other numbers: use start and end.",
    fed=lambda ids, start, end, pad: started(ids, 1, end, pad),
    asked=lambda ids, start, end, pad: ends(ids, 2, pad),
)
steps.mistake(
    "You fill up with 0. Padding may have another number: use pad.",
    asked=lambda ids, start, end, pad: torch.cat([ids, column(ids, 0)], 1).scatter(
        1, (ids != pad).sum(1)[:, None], end
    ),
)
steps.mistake(
    "A text that fills its row gets no END: there is no padding in ids to put it on. The targets have one column more; END belongs there, then.",
    asked=lambda ids, start, end, pad: torch.cat([ends(ids, end, pad)[:, :-1], column(ids, pad)], dim=1),
)
steps.mistake(
    "START and END have become new rows, as if they were texts. They are new columns: dim=1, one of each in every text.",
    fed=lambda ids, start, end, pad: torch.cat([torch.full_like(ids[:1], start), ids]),
    asked=lambda ids, start, end, pad: torch.cat([ids, torch.full_like(ids[:1], end)]),
)
steps.mistake(
    "Your targets are no longer than the words: END has taken the last column. A column is added for it, so that both are (batch, n + 1); END stands right behind each text's last word.",
    asked=lambda ids, start, end, pad: torch.cat([ids[:, :-1], column(ids, end)], dim=1),
)
steps.mistake(
    "Your targets are ids as they came in, without END and one column shorter than the inputs. They are the words and END.",
    asked=lambda ids, start, end, pad: ids.clone(),
)
steps.mistake(
    "The inputs are the words without START, the targets the words from the second on, with END: a language model's shift. Here START is fed first: START and *all* words; all words and END.",
    fed=lambda ids, start, end, pad: ids.clone(),
    asked=lambda ids, start, end, pad: from_the_second(ids, end, pad),
)
steps.mistake(
    "Your targets are the words from the second on: the first word is never asked for. They are *all* words and END, as long as the inputs.",
    asked=lambda ids, start, end, pad: ends(ids, end, pad)[:, 1:],
)
steps.mistake(
    "The inputs are ids as they came in, without START. Fed are START and *all* words, (batch, n + 1).",
    fed=lambda ids, start, end, pad: ids.clone(),
)
steps.mistake(
    "Both are as long as the words: the inputs are ids without START, the targets end in the last column. Both are (batch, n + 1): START and *all* words; all words and END.",
    fed=lambda ids, start, end, pad: ids.clone(),
    asked=lambda ids, start, end, pad: torch.cat([ids[:, 1:], column(ids, end)], dim=1),
)
steps.mistake(
    "START stands in front of every word. Once, in front of the first.",
    fed=lambda ids, start, end, pad: torch.full((len(ids), ids.shape[1] + 1), start),
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


@shift.mistake(
    "Your padding stands in front. It stands at the end, behind the words: START is the first of the inputs."
)
def padded_in_front(ids, start, end, pad):
    places = torch.arange(ids.shape[1] + 1) - (ids == pad).sum(1)[:, None]
    inputs, targets = _shift(ids, start, end, pad)
    return tuple(each.gather(1, places.clamp(min=0)).masked_fill(places < 0, pad) for each in (inputs, targets))


NO_PLACE = "There is no place behind the last word of a text that fills its row: first add a column of padding, then put END at place length."


@shift.mistake(NO_PLACE)
def no_column(ids, start, end, pad):
    targets = ids.clone()
    targets[torch.arange(len(ids)), (ids != pad).sum(1)] = end
    return started(ids, start, end, pad), targets


@shift.mistake(f"{NO_PLACE} (scatter finds no such place, either.)")
def no_column_to_scatter(ids, start, end, pad):
    return started(ids, start, end, pad), ids.scatter(1, (ids != pad).sum(1)[:, None], end)


@shift.mistake(
    "A single [[START]] has one row, ids has one for each text: torch.full((len(ids), 1), start), or .expand(len(ids), 1)."
)
def one_row(ids, start, end, pad):
    return torch.cat([torch.tensor([[start]]), ids], 1), torch.cat([ids, torch.tensor([[end]])], 1)


@shift.mistake(
    "START is a column beside a table: it needs two axes and a row for each text, torch.full((len(ids), 1), start), not torch.tensor([start])."
)
def one_axis(ids, start, end, pad):
    return torch.cat([torch.tensor([start]), ids], 1), torch.cat([ids, torch.tensor([end])], 1)
