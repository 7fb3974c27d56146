"""A mask as a table: who may look at whom, or, measured, who sees whom."""

import numpy as np
from matplotlib.patches import Patch, Rectangle

from .heatmap import KEY_AXIS, QUERY_AXIS
from .inputs import PictureError, array, counted, shorten, token_list
from .picture import Picture
from .style import BLUE, INK, MUTED, ORANGE, new_figure, styled

CLOSED = "#e8ebee"
MOST_POSITIONS = 64
SEES, NOT, LEAK, MISSING = range(4)
LOOKS = {  # face, edge, mark: the mark says it without the colour
    SEES: (BLUE, "white", ""),
    NOT: (CLOSED, "white", ""),
    LEAK: (ORANGE, "white", "!"),
    MISSING: ("white", BLUE, "–"),
}


def mask_map(masks, query_tokens, key_tokens=None, *, allowed=None, title=None, alt=None, caption=None) -> Picture:
    """Draws a mask, or several side by side: filled where the query may look at the key.

    masks: True/False of shape (query, key), or any that broadcasts to it, such as (1, 1, 1, key); or {name: mask}.
    query_tokens, key_tokens: one word for each position; without key_tokens the queries' words serve both axes.
    allowed: draw what was measured (`leaks`: output, input) against what is allowed: an orange cell with “!” sees what it
        shouldn't, a white one with “–” doesn't see what it may.
    Raises PictureError for a batch of several masks, words that don't fit, or values other than True and False.
    """
    named = masks if isinstance(masks, dict) else {None: masks}
    if not named:
        raise PictureError("There is nothing to draw: pass a mask, or {name: mask}.")
    queries = token_list(query_tokens, len(query_tokens), "query_tokens", "query")
    keys = queries if key_tokens is None else token_list(key_tokens, len(key_tokens), "key_tokens", "key")
    if not queries or not keys or max(len(queries), len(keys)) > MOST_POSITIONS:
        raise PictureError(
            f"A mask is drawn for 1 to {MOST_POSITIONS} positions, but there are {counted(len(queries), 'query')} and {counted(len(keys), 'key')}."
        )
    tables = {name: _table(mask, len(queries), len(keys), name) for name, mask in named.items()}
    measured = allowed is not None
    if measured:
        right = _table(allowed, len(queries), len(keys), "allowed")
        tables = {
            name: np.select([table & right, ~table & ~right, table], [SEES, NOT, LEAK], MISSING)
            for name, table in tables.items()
        }
    else:
        tables = {name: np.where(table, SEES, NOT) for name, table in tables.items()}

    count = len(tables)
    cell = 0.46 if count == 1 else 0.34
    cell = min(cell, (10 / count - 0.3) / len(keys), 5.5 / len(queries))
    font = float(np.clip(cell * 26, 4, 9.5))
    keys_drawn, queries_drawn = [shorten(t) for t in keys], [shorten(t) for t in queries]
    turned = max(map(len, keys_drawn)) * font * 0.0092 > cell
    above = max(map(len, keys_drawn)) * font * 0.0092 if turned else 0.2
    beside = max(map(len, queries_drawn)) * font * 0.0092
    width = max(count * (len(keys) * cell + 0.3) + beside + 0.6, 5.4 if measured else 3.4)
    figure = new_figure(width, len(queries) * cell + above + 0.9 + (0.35 if count > 1 else 0) + (0.5 if title else 0))
    figure.set_layout_engine("compressed", h_pad=0.07)  # square cells: no gaps between panels
    with styled():
        for i, (axes, (name, table)) in enumerate(
            zip(figure.subplots(1, count, squeeze=False, sharey=True)[0], tables.items())
        ):
            _draw(axes, table, font)
            axes.set_xticks(range(len(keys)), keys_drawn, fontsize=font, rotation=90 if turned else 0)
            axes.set_yticks(range(len(queries)), queries_drawn, fontsize=font)
            axes.tick_params(length=0, labeltop=True, labelbottom=False, labelleft=i == 0)
            axes.set_xlabel("input at this word" if measured else KEY_AXIS, fontsize=9 if count == 1 else 8)
            if name is not None:
                axes.set_title(name, fontsize=9.5, pad=6)
        figure.supylabel("output at this word" if measured else QUERY_AXIS, fontsize=9, color=MUTED)
        figure.legend(handles=_legend(tables, measured), loc="outside lower center", ncols=4, fontsize=8.5)
        if title:
            figure.suptitle(title, fontsize=11, fontweight="bold")
        return Picture(figure, alt or _words(tables, queries, keys, title, measured), caption)


def _table(mask, queries: int, keys: int, name: str | None) -> np.ndarray:
    """The mask as (query, key) of True and False."""
    what = f"The mask “{name}”" if name else "The mask"
    values = array(mask, "mask")
    if not np.isin(values, (0, 1)).all():
        raise PictureError(
            f"{what} should hold True and False, but it holds {values[~np.isin(values, (0, 1))][0]:g}. Draw scores or weights with viz.heatmap."
        )
    while values.ndim > 2 and len(values) == 1:
        values = values[0]
    try:
        return np.broadcast_to(values, (queries, keys)) == 1
    except ValueError:
        hint = " Choose one of the batch, for example mask[0]." if values.ndim > 2 else ""
        raise PictureError(
            f"{what} has the shape {tuple(values.shape)}, which doesn't broadcast to {counted(queries, 'query')} × {counted(keys, 'key')}.{hint}"
        ) from None


def _draw(axes, table: np.ndarray, font: float) -> None:
    rows, columns = table.shape
    for (row, column), state in np.ndenumerate(table):
        face, edge, mark = LOOKS[int(state)]
        inside = {"hatch": "////", "linewidth": 0.8} if state == LEAK else {"linewidth": 1.0}
        axes.add_patch(Rectangle((column - 0.46, row - 0.46), 0.92, 0.92, facecolor=face, edgecolor=edge, **inside))
        if mark:
            badge = (
                {"boxstyle": "circle,pad=0.15", "facecolor": "white", "edgecolor": "none"} if state == LEAK else None
            )
            axes.text(
                column,
                row,
                mark,
                ha="center",
                va="center",
                fontsize=font * 0.9,
                fontweight="bold",
                color=INK,
                bbox=badge,
            )
    axes.set_xlim(-0.55, columns - 0.45)
    axes.set_ylim(rows - 0.45, -0.55)
    axes.set_aspect("equal")
    axes.spines[:].set_visible(False)


def _legend(tables: dict, measured: bool) -> list[Patch]:
    labels = (
        {SEES: "sees it", NOT: "doesn't see it", LEAK: "! sees it, but shouldn't", MISSING: "– may see it, but doesn't"}
        if measured
        else {SEES: "may look", NOT: "may not"}
    )
    found = {int(state) for table in tables.values() for state in np.unique(table)}
    return [
        Patch(
            facecolor=LOOKS[state][0],
            edgecolor=LOOKS[state][1] if state != NOT else MUTED,
            hatch="////" if state == LEAK else None,
            label=label,
        )
        for state, label in labels.items()
        if state in found
    ]


def _words(tables: dict, queries: list[str], keys: list[str], title: str | None, measured: bool) -> str:
    """What the picture shows, in words: how much may be seen, and where the leaks are."""

    def one(name, table) -> str:
        before = f"{name}: " if name is not None else ""
        if not measured:
            return f"{before}{(table == SEES).sum()} of {table.size} pairs may look"
        leak, missing = np.argwhere(table == LEAK), (table == MISSING).sum()
        if len(leak) == 0:
            said = "no leak"
        else:
            row, column = leak[0]
            said = f"{counted(len(leak), 'leak')}, the first at “{shorten(queries[row], 30)}”, which sees “{shorten(keys[column], 30)}”"
        return f"{before}{said}" + (f"; {missing} missing" if missing else "")

    sizes = f"{counted(len(queries), 'output' if measured else 'query')} × {counted(len(keys), 'input' if measured else 'key')}"
    kind = "Who sees whom" if measured else "Mask"
    return (
        f"{title + '. ' if title else ''}{kind}, {sizes}. "
        + ". ".join(one(name, table) for name, table in tables.items())
        + "."
    )
