"""A mask as a table: who may look at whom, or, measured, who sees whom."""

from typing import NamedTuple

import numpy as np
from matplotlib.patches import Patch, Rectangle

from .inputs import PictureError, array, counted, shorten, titled, token_list
from .picture import Picture
from .style import BLUE, INK, KEY_AXIS, MUTED, ORANGE, QUERY_AXIS, styled
from .token_tables import Room, TokenTable, axis_titles, token_tables, widest

MOST_POSITIONS = 64
SEES, NOT, LEAK, MISSING = range(4)


class Look(NamedTuple):
    """How a cell is drawn. The mark and the hatch say it without the colour."""

    face: str
    edge: str
    mark: str = ""
    hatch: str | None = None


LOOKS = {
    SEES: Look(BLUE, "white"),
    NOT: Look("#e8ebee", "white"),
    LEAK: Look(ORANGE, "white", "!", "////"),
    MISSING: Look("white", BLUE, "–"),
}
ALLOWED = "may look", "may not"
MEASURED = {
    SEES: "sees it", NOT: "doesn't see it", LEAK: "! sees it, but shouldn't", MISSING: "– may see it, but doesn't",
}  # fmt: skip


def mask_map(
    masks, query_tokens, key_tokens=None, *, allowed=None, labels=ALLOWED, title=None, alt=None, caption=None
) -> Picture:
    """Draws a mask, or several side by side: filled where the query may look at the key.

    masks: True/False of shape (query, key), or any that broadcasts to it, such as (1, 1, 1, key); or {name: mask}.
    query_tokens, key_tokens: one word for each position; without key_tokens the queries' words serve both axes.
    allowed: draw what was measured (`leaks`: output, input) against what is allowed: an orange cell with “!” sees what
        it shouldn't, a white one with “–” doesn't see what it may.
    labels: what True and False mean, where they aren't permissions.
    Raises PictureError for a batch of several masks, words that don't fit, or values other than True and False.
    """
    named = masks if isinstance(masks, dict) else {None: masks}
    if not named:
        raise PictureError("There is nothing to draw: pass a mask, or {name: mask}.")
    queries = token_list(query_tokens, None, "query_tokens", "query")
    keys = queries if key_tokens is None else token_list(key_tokens, None, "key_tokens", "key")
    if not queries or not keys or max(len(queries), len(keys)) > MOST_POSITIONS:
        there = f"{counted(len(queries), 'query')} and {counted(len(keys), 'key')}"
        raise PictureError(f"A mask is drawn for 1 to {MOST_POSITIONS} positions, but there are {there}.")
    tables = {name: _table(mask, len(queries), len(keys), name) for name, mask in named.items()}
    measured = allowed is not None
    if measured:
        right = _table(allowed, len(queries), len(keys), "allowed")
        states = {
            name: np.select([table & right, ~table & ~right, table], [SEES, NOT, LEAK], MISSING)
            for name, table in tables.items()
        }
    else:
        states = {name: np.where(table, SEES, NOT) for name, table in tables.items()}
    meanings = MEASURED if measured else dict(zip((SEES, NOT), labels, strict=True))
    legend = _legend(states, meanings)
    words = alt or titled(title, _words(states, queries, keys, None if measured else labels[0]))

    legend_width = sum(widest([patch.get_label()], 8.5) + 0.58 for patch in legend)
    count = len(states)
    cell = min(0.5 if count == 1 else 0.37, (10.5 / count - 0.3) / len(keys), 5.8 / len(queries))
    font = float(np.clip(cell * 26, 4, 9.5))
    figure, places = token_tables(
        [TokenTable(name, queries, keys) for name in states],
        columns=count, cell=cell, font=font, gap=0.3, room=Room(right=0.2, bottom=0.66),
        least=(max(5.4 if measured else 3.4, legend_width), 2.2), title=title, bold_names=True,
    )  # fmt: skip
    with styled():
        for axes, table in zip(places, states.values(), strict=True):
            _draw(axes, table, font)
            axes.set_xlabel("input at this word" if measured else KEY_AXIS, fontsize=9 if count == 1 else 8)
        axis_titles(figure, places, "output at this word" if measured else QUERY_AXIS, None, size=9)
        figure.legend(handles=legend, loc="lower center", ncols=4, fontsize=8.5)
        return Picture(figure, words, caption)


def _table(mask, queries: int, keys: int, name: str | None) -> np.ndarray:
    """The mask as (query, key) of True and False."""
    what = f"The mask “{name}”" if name else "The mask"
    values = array(mask, "mask")
    if not np.isin(values, (0, 1)).all():
        found = f"{values[~np.isin(values, (0, 1))][0]:g}"
        cure = "Draw scores or weights with viz.heatmap."
        raise PictureError(f"{what} should hold True and False, but it holds {found}. {cure}")
    while values.ndim > 2 and len(values) == 1:
        values = values[0]
    try:
        return np.broadcast_to(values, (queries, keys)) == 1
    except ValueError:
        wanted = f"{counted(queries, 'query')} × {counted(keys, 'key')}"
        hint = " Choose one of the batch, for example mask[0]." if values.ndim > 2 else ""
        shape = tuple(values.shape)
        raise PictureError(f"{what} has the shape {shape}, which doesn't broadcast to {wanted}.{hint}") from None


def _draw(axes, table: np.ndarray, font: float) -> None:
    rows, columns = table.shape
    for (row, column), state in np.ndenumerate(table):
        look = LOOKS[int(state)]
        colours = {"facecolor": look.face, "edgecolor": look.edge, "hatch": look.hatch}
        width = 0.8 if look.hatch else 1.0
        axes.add_patch(Rectangle((column - 0.46, row - 0.46), 0.92, 0.92, linewidth=width, **colours))
        if look.mark:
            badge = {"boxstyle": "circle,pad=0.15", "facecolor": "white", "edgecolor": "none"} if look.hatch else None
            letter = {"fontsize": font * 0.9, "fontweight": "bold", "color": INK, "ha": "center", "va": "center"}
            axes.text(column, row, look.mark, bbox=badge, **letter)
    axes.set_xlim(-0.55, columns - 0.45)
    axes.set_ylim(rows - 0.45, -0.55)


def _legend(tables: dict, meanings: dict[int, str]) -> list[Patch]:
    found = {int(state) for table in tables.values() for state in np.unique(table)}
    patches = []
    for state, label in meanings.items():
        if state in found:
            look = LOOKS[state]
            edge = MUTED if state == NOT else look.edge
            patches.append(Patch(facecolor=look.face, edgecolor=edge, hatch=look.hatch, label=label))
    return patches


def _words(tables: dict, queries: list[str], keys: list[str], label: str | None) -> str:
    """What the picture shows, in words: how many pairs may look (`label`), or, measured, where the leaks are."""

    def one(name, table) -> str:
        before = f"{name}: " if name is not None else ""
        if label:
            return f"{before}{(table == SEES).sum()} of {table.size} pairs {label}."
        leak, missing = np.argwhere(table == LEAK), (table == MISSING).sum()
        said = "no leak"
        if len(leak):
            output, seen = (f"“{shorten(words[i], 30)}”" for words, i in zip((queries, keys), leak[0], strict=True))
            said = f"{counted(len(leak), 'leak')}, the first at {output}, which sees {seen}"
        return f"{before}{said}; {missing} missing." if missing else f"{before}{said}."

    rows, columns = ("query", "key") if label else ("output", "input")
    kind = "Mask" if label else "Who sees whom"
    sizes = f"{counted(len(queries), rows)} × {counted(len(keys), columns)}"
    return " ".join([f"{kind}, {sizes}.", *(one(name, table) for name, table in tables.items())])
