"""A window of n neighbouring rows of a table for each text, beginning where its random number u says."""

import torch

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer, non_contiguous, randn


def _windows(table, n, u):
    starts = (u * (len(table) - n + 1)).long()
    return table[starts[:, None] + torch.arange(n)]


def _table(g, max_len, d_model, n, batch, low=0.0, high=1.0, dtype=torch.float32):
    u = low + (high - low) * torch.rand(batch, generator=g, dtype=dtype)
    return randn(g, max_len, d_model, dtype=dtype), n, u


random_windows = Code(
    "05.random_windows",
    title="Begin anywhere",
    points=3,
    minutes=10,
    difficulty=2,
    reference=_windows,
    axes=["batch n d_model"],
    cases=[
        Case("four texts", lambda g: _table(g, 12, 4, 5, 4)),
        Case("one text", lambda g: _table(g, 9, 3, 4, 1)),
        Case("texts of one word", lambda g: _table(g, 7, 4, 1, 5)),
        Case("only one place to begin", lambda g: _table(g, 6, 4, 6, 3)),
        Case("two places to begin", lambda g: _table(g, 6, 3, 5, 8)),
        Case("near the end", lambda g: _table(g, 20, 4, 8, 6, 0.95, 0.999)),
        Case("near the beginning", lambda g: _table(g, 20, 4, 8, 6, 0.0, 0.05)),
        Case("as many texts as words", lambda g: _table(g, 16, 5, 5, 5)),
        Case("any sizes", lambda g: _table(g, integer(g, 30, 64), 8, integer(g, 8, 20), integer(g, 6, 9))),
        Case("double precision", lambda g: _table(g, 14, 4, 6, 5, dtype=torch.float64)),
        Case("not contiguous in memory", lambda g: (non_contiguous(randn(g, 12, 6)), 5, torch.rand(4, generator=g))),
    ],
    hints=[
        "A window of n rows fits into max_len rows in max_len − n + 1 ways. u is in [0, 1): which start does u stand for?",
        "starts = (u * (max_len − n + 1)).long(), one for each text. Each text needs the rows start, start + 1, …, start + n − 1.",
        "starts[:, None] + torch.arange(n) is (batch, n): all the rows at once. table[rows] adds the last axis.",
    ],
)


def even_starts(u, max_len, n):
    return (u * (max_len - n + 1)).long()


def over_all_rows(u, max_len, n):
    """Also starts from which a window runs past the end."""
    return (u * max_len).long()


@random_windows.variants
def steps(
    table,
    n,
    u,
    *,
    starts=even_starts,
    rows=lambda starts, n: starts[:, None] + torch.arange(n),
    window=lambda table, rows: table[rows],
):
    return window(table, rows(starts(u, len(table), n), n))


steps.mistake(
    "The last possible start is never drawn: a window of n rows fits in max_len − n + 1 ways, not max_len − n.",
    starts=lambda u, max_len, n: (u * (max_len - n)).long(),
)
steps.mistake(
    "Every text begins at the same place, the first one's. Each has its own u.",
    starts=lambda u, max_len, n: even_starts(u[:1].expand_as(u), max_len, n),
)
steps.mistake(
    "Every text begins at position 0. Use u to choose the start, and multiply before you cut off: .long() makes 0 of all that is below 1.",
    starts=lambda u, max_len, n: (0 * u).long(),
)
steps.mistake(
    "Your windows can run past the end of the table: you spread u over all max_len rows. The last start that fits is max_len − n.",
    starts=over_all_rows,
)
steps.mistake(
    "A window that runs past the end goes on at the beginning of the table. Positions have to stay neighbours: begin at most at max_len − n.",
    starts=over_all_rows,
    window=lambda table, rows: table[rows % len(table)],
)
steps.mistake(
    "Starts near the end are pushed back to max_len − n, so that one is drawn far too often. Spread u evenly over max_len − n + 1 starts.",
    starts=lambda u, max_len, n: over_all_rows(u, max_len, n).clamp(max=max_len - n),
)
steps.mistake(
    "You round to the nearest start. Cut off instead (.long() does): then each start stands for an equal part of [0, 1).",
    starts=lambda u, max_len, n: (u * (max_len - n)).round().long(),
)
steps.mistake(
    "Each window begins one row too late, but for the last: you round up, or take the random place for a window's end. Start b is u[b] · (max_len − n + 1), cut off: .long().",
    starts=lambda u, max_len, n: (u * (max_len - n + 1)).ceil().long().clamp(max=max_len - n),
)
steps.mistake(
    "u runs backwards: 0 should mean the first start, not the last.",
    starts=lambda u, max_len, n: max_len - n - even_starts(u, max_len, n),
)
steps.mistake(
    "Each window begins one row too late. Cut the starts off, don't round them up, and count from there: start + torch.arange(n).",
    rows=lambda starts, n: starts[:, None] + torch.arange(1, n + 1),
)
steps.mistake("Each window begins one row too early.", rows=lambda starts, n: starts[:, None] + torch.arange(-1, n - 1))
steps.mistake(
    "Your windows have one row too many: n of them, torch.arange(n).",
    rows=lambda starts, n: starts[:, None] + torch.arange(n + 1),
    window=lambda table, rows: table[rows.clamp(max=len(table) - 1)],
)
steps.mistake(
    "Your windows have one row too many, and the last one runs past the table: n rows, torch.arange(n).",
    rows=lambda starts, n: starts[:, None] + torch.arange(n + 1),
)
steps.mistake(
    "Your windows have one row too few: n of them, torch.arange(n).",
    rows=lambda starts, n: starts[:, None] + torch.arange(n - 1),
)
steps.mistake(
    "You round u · (max_len − n) up, so position 0 is (almost) never drawn. Cut off u · (max_len − n + 1) instead: .long().",
    starts=lambda u, max_len, n: (u * (max_len - n)).ceil().long(),
)
steps.mistake(
    "You round u · (max_len − n + 1) to the nearest number: that may be max_len − n + 1, one too far. Cut off instead: .long().",
    starts=lambda u, max_len, n: (u * (max_len - n + 1)).round().long(),
)
steps.mistake(
    "You round u · (max_len − n + 1) to the nearest number, and push back what is too far. Cut off instead, .long(): then each start stands for an equal part of [0, 1).",
    starts=lambda u, max_len, n: (u * (max_len - n + 1)).round().long().clamp(max=max_len - n),
)
steps.mistake(
    "You round, and spread u over max_len − n − 1. Cut off u · (max_len − n + 1) instead, .long(): a window of n rows fits in max_len − n + 1 ways.",
    starts=lambda u, max_len, n: (u * (max_len - n - 1)).round().long(),
)
steps.mistake(
    "Each window begins one row too late, and the last one holds the last row twice: start + torch.arange(n) counts from the start itself.",
    rows=lambda starts, n: starts[:, None] + torch.arange(1, n + 1),
    window=lambda table, rows: table[rows.clamp(max=len(table) - 1)],
)
steps.mistake(
    "The last two starts are never drawn: a window of n rows fits in max_len − n + 1 ways, not max_len − n − 1.",
    starts=lambda u, max_len, n: (u * (max_len - n - 1)).long(),
)
steps.mistake(
    "One start too many: from max_len − n + 1 a window would run past the end. There are max_len − n + 1 starts, the first of them 0.",
    starts=lambda u, max_len, n: (u * (max_len - n + 2)).long(),
)
steps.mistake(
    "% folds starts near the end back to the beginning, so those are drawn too often. Spread u evenly over max_len − n + 1 starts.",
    starts=lambda u, max_len, n: over_all_rows(u, max_len, n) % (max_len - n + 1),
)
steps.mistake(
    "You spread u over n places. A window of n rows fits in max_len − n + 1 ways.",
    starts=lambda u, max_len, n: (u * n).long().clamp(max=max_len - n),
)
steps.mistake(
    "u isn't used: your starts lie evenly over the table, one text after another. Each text's start comes from its own u.",
    starts=lambda u, max_len, n: torch.linspace(0, max_len - n, len(u)).long(),
)
steps.mistake(
    "You multiply first and subtract n from that: starts below 0, pushed up to 0. Subtract inside: u · (max_len − n + 1).",
    starts=lambda u, max_len, n: (u * max_len - n).long().clamp(min=0),
)
steps.mistake(
    "Only the row of each start comes back. A window has n rows: start, start + 1, …, start + n − 1.",
    window=lambda table, rows: table[rows[:, 0]],
)
steps.mistake(
    "u runs backwards, and the first start is never drawn.",
    starts=lambda u, max_len, n: max_len - n - (u * (max_len - n)).long(),
)
steps.mistake(
    "Every text gets the last window. Use u to choose the start.",
    starts=lambda u, max_len, n: (0 * u).long() + max_len - n,
)
steps.mistake(
    "Your starts are multiples of n only, so no two windows overlap. Every row up to max_len − n may be a start.",
    starts=lambda u, max_len, n: (u * (max_len // n)).long() * n,
)
steps.mistake(
    "The axes have changed places: (n, batch, d_model). The batch comes first.",
    window=lambda table, rows: table[rows.T],
)
steps.mistake(
    "Only the row of the start comes back, n times. The window goes on: start, start + 1, …, start + n − 1.",
    rows=lambda starts, n: starts[:, None].expand(-1, n),
)
steps.mistake(
    "The windows run backwards. They go from start to start + n − 1.",
    rows=lambda starts, n: starts[:, None] + torch.arange(n).flip(0),
)
steps.mistake(
    "These are the rows' numbers, (batch, n). Look them up in the table: table[rows].", window=lambda table, rows: rows
)
steps.mistake(
    "The windows lie one after another, (batch · n, d_model). Keep the texts apart: (batch, n, d_model).",
    window=lambda table, rows: table[rows.flatten()],
)


@random_windows.mistake(
    "You take max_len from the wrong axis: table.shape[1] is d_model. The rows are len(table), or table.shape[0]."
)
def width_for_length(table, n, u):
    return steps(table, n, u, starts=lambda u, max_len, n: even_starts(u, table.shape[1], n))


@random_windows.mistake(
    "You take max_len from the wrong axis, and push starts below 0 up to 0: table.shape[1] is d_model. The rows are len(table), or table.shape[0]."
)
def width_for_length_from_0(table, n, u):
    return steps(table, n, u, starts=lambda u, max_len, n: even_starts(u, table.shape[1], n).clamp(min=0))


steps.mistake(
    "You round u before you multiply, so that only the first start and the last are left. Multiply first, then cut off: (u * (max_len - n + 1)).long().",
    starts=lambda u, max_len, n: (u.round() * (max_len - n)).long(),
)
steps.mistake(
    "You sort u, so each window goes to another text. Start b belongs to u[b].",
    starts=lambda u, max_len, n: even_starts(u.sort().values, max_len, n),
)
steps.mistake(
    "You use the order of the random numbers (argsort), not the numbers. Each text's start comes from its own u.",
    starts=lambda u, max_len, n: u.argsort().clamp(max=max_len - n),
)
steps.mistake(
    "u is made to reach from 0 to 1: you divide by its largest, so one text always gets the last start. Take u as it is.",
    starts=lambda u, max_len, n: (u / u.max() * (max_len - n)).long(),
)
steps.mistake(
    "You take the square or the root of u: then the starts aren't equally likely. Multiply u by max_len − n + 1.",
    starts=lambda u, max_len, n: even_starts(u**2, max_len, n),
)


@random_windows.mistake(
    "Your rows are mixed from two neighbours, since the start isn't a whole number. Cut it off, .long(): windows are rows of the table as they are."
)
def between_two_rows(table, n, u):
    starts = u * (len(table) - n)
    part = (starts - starts.floor())[:, None, None]
    rows = starts.long()[:, None] + torch.arange(n)
    return table[rows] * (1 - part) + table[(rows + 1).clamp(max=len(table) - 1)] * part


def starts_of(inputs, answer):
    """The row of the table at which each of the answer's windows begins, and whether its rows are neighbours."""
    table, n, _ = inputs
    rows = [
        [next((i for i in range(len(table)) if torch.equal(row, table[i])), None) for row in text] for text in answer
    ]
    if any(None in each for each in rows):
        return None, None
    return [each[0] for each in rows], all(each == [*range(each[0], each[0] + n)] for each in rows)


def right_starts(inputs):
    return even_starts(inputs[2], len(inputs[0]), inputs[1]).tolist()


@random_windows.symptom(
    "There are rows in your windows that the table doesn't have. Windows are rows of the table as they are: table[rows]."
)
def other_rows(inputs, answer):
    return starts_of(inputs, answer)[0] is None


@random_windows.symptom(
    "The rows of a window aren't neighbours in the table: they go start, start + 1, …, start + n − 1, one by one."
)
def no_neighbours(inputs, answer):
    return starts_of(inputs, answer)[1] is False


@random_windows.symptom("Every text begins at the same row. Each has its own random number: start b comes from u[b].")
def one_start(inputs, answer):
    return len({*starts_of(inputs, answer)[0]}) == 1 < len({*right_starts(inputs)})


@random_windows.symptom("Every window begins one row too early. Start b is u[b] · (max_len − n + 1), cut off: .long().")
def one_too_early(inputs, answer):
    return starts_of(inputs, answer)[0] == [max(0, start - 1) for start in right_starts(inputs)]


@random_windows.symptom(
    "These are the right windows, but some belong to another text: text b begins where its own number, u[b], says."
)
def of_other_texts(inputs, answer):
    starts, _ = starts_of(inputs, answer)
    return starts != right_starts(inputs) and sorted(starts) == sorted(right_starts(inputs))


@random_windows.symptom(
    "Some windows begin too early, none too late. [0, 1) is divided into max_len − n + 1 equal parts, one for each start: (u * (max_len - n + 1)).long()."
)
def too_early(inputs, answer):
    return all(own <= right for own, right in zip(starts_of(inputs, answer)[0], right_starts(inputs)))


@random_windows.symptom(
    "Some windows begin too late, none too early. [0, 1) is divided into max_len − n + 1 equal parts, one for each start: (u * (max_len - n + 1)).long()."
)
def too_late(inputs, answer):
    return all(own >= right for own, right in zip(starts_of(inputs, answer)[0], right_starts(inputs)))


@random_windows.symptom(
    "Your windows begin at other rows than u says. [0, 1) is divided into max_len − n + 1 equal parts, one for each start: (u * (max_len - n + 1)).long()."
)
def other_starts(inputs, answer):
    return starts_of(inputs, answer)[0] != right_starts(inputs)


steps.mistake(
    "u is halved, so the starts in the second half are never drawn. Spread u over all max_len − n + 1 starts.",
    starts=lambda u, max_len, n: even_starts(u / 2, max_len, n),
)
