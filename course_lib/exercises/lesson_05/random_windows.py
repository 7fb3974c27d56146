"""random_windows, lesson 05."""

import torch

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer, non_contiguous, randn


def _windows(table, n, u):
    starts = (u * (len(table) - n + 1)).long()
    return _cut(table, n, starts)


def _cut(table, n, starts):
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


def _window_mistake(sentence, name, windows):
    windows.__name__ = name
    random_windows.mistake(sentence)(windows)


_window_mistake(
    "The last possible start is never drawn: a window of n rows fits in max_len − n + 1 ways, not max_len − n.",
    "one_too_few",
    lambda t, n, u: _cut(t, n, (u * (len(t) - n)).long()),
)
_window_mistake(
    "Every text begins at the same place, the first one's. Each has its own u.",
    "one_start_for_all",
    lambda t, n, u: _windows(t, n, u[:1].expand_as(u)),
)
_window_mistake(
    "Every text begins at position 0. Use u to choose the start.",
    "always_zero",
    lambda t, n, u: t[:n].expand(len(u), -1, -1),
)
_window_mistake(
    "Your windows can run past the end of the table: you spread u over all max_len rows. The last start that fits is max_len − n.",
    "runs_over",
    lambda t, n, u: (
        _cut(t.repeat(2, 1), n, (u * len(t)).long()) if (u * len(t)).long().max() + n <= len(t) else _too_far(len(t))
    ),
)
_window_mistake(
    "A window that runs past the end goes on at the beginning of the table. Positions have to stay neighbours: begin at most at max_len − n.",
    "wraps",
    lambda t, n, u: _cut(torch.cat([t, t]), n, (u * len(t)).long()),
)
_window_mistake(
    "Starts near the end are pushed back to max_len − n, so that one is drawn far too often. Spread u evenly over max_len − n + 1 starts.",
    "pushed_back",
    lambda t, n, u: _cut(t, n, (u * len(t)).long().clamp(max=len(t) - n)),
)
_window_mistake(
    "You round to the nearest start. Cut off instead (.long() does): then each start stands for an equal part of [0, 1).",
    "rounded",
    lambda t, n, u: _cut(t, n, (u * (len(t) - n)).round().long()),
)
_window_mistake(
    "You round up, so position 0 is (almost) never drawn. Cut off instead: .long().",
    "rounded_up",
    lambda t, n, u: _cut(t, n, (u * (len(t) - n + 1)).ceil().long().clamp(max=len(t) - n)),
)
_window_mistake(
    "u runs backwards: 0 should mean the first start, not the last.",
    "from_the_end",
    lambda t, n, u: _cut(t, n, len(t) - n - (u * (len(t) - n + 1)).long()),
)
_window_mistake(
    "The axes have changed places: (n, batch, d_model). The batch comes first.",
    "words_first",
    lambda t, n, u: _windows(t, n, u).transpose(0, 1),
)
_window_mistake(
    "Only the row of the start comes back, n times. The window goes on: start, start + 1, …, start + n − 1.",
    "stands_still",
    lambda t, n, u: _windows(t, n, u)[:, :1].expand(-1, n, -1),
)
_window_mistake(
    "The windows run backwards. They go from start to start + n − 1.",
    "backwards",
    lambda t, n, u: _windows(t, n, u).flip(1),
)
_window_mistake(
    "These are the rows' numbers, (batch, n). Look them up in the table: table[rows].",
    "only_rows",
    lambda t, n, u: (u * (len(t) - n + 1)).long()[:, None] + torch.arange(n),
)
_window_mistake(
    "The windows lie one after another, (batch · n, d_model). Keep the texts apart: (batch, n, d_model).",
    "in_a_row",
    lambda t, n, u: _windows(t, n, u).flatten(0, 1),
)


def _too_far(rows):
    raise IndexError(f"index {rows} is out of bounds for dimension 0 with size {rows}")
