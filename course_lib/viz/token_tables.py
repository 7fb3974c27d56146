"""Tables with tokens on their axes: the one place that lays them out, for heatmaps, masks and padded batches.

Everything is counted in inches, from the cells outwards; matplotlib says how much room a text takes.
"""

from functools import cache
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from .inputs import shorten
from .style import MUTED, new_figure, styled

PAD = 0.06  # between a label and its table
NAME_HEIGHT = 0.24
TITLE_HEIGHT = 0.3
BAR_WIDTH = 0.95  # a colour bar with its numbers and its name


class TokenTable(NamedTuple):
    """One table: its name, if it has one, and the tokens of its rows and columns."""

    name: str | None
    queries: list[str]
    keys: list[str]


class Room(NamedTuple):
    """Inches around the tables, for axis titles, a colour bar or a legend."""

    left: float = 0.32
    right: float = 0.1
    top: float = 0.08
    bottom: float = 0.1


@cache
def _ruler() -> Text:
    return new_figure(1, 1).text(0, 0, "")


def widest(texts, size: float) -> float:
    """Inches that the widest of the texts takes, set in `size` points."""
    with styled():
        ruler = _ruler()
        widths = []
        for text in set(texts):
            ruler.set(text=text, fontsize=size)
            widths.append(ruler.get_window_extent().width / ruler.get_figure().dpi)
        return max(widths)


def token_tables(
    tables: list[TokenTable],
    *,
    columns: int,
    cell: float,
    font: float,
    room: Room,
    gap: float = 0.15,
    least: tuple[float, float] = (0, 0),
    title: str | None = None,
    bold_names: bool = False,
) -> tuple[Figure, list[Axes]]:
    """A figure with an empty (query, key) table for each of `tables`, `columns` in a row, cells of `cell` inches.

    A table with the same tokens as its neighbour to the left (or above) has its labels there. Where a key's label is
    wider than a cell, all stand upright. least: the smallest (width, height) of the figure.
    """
    tables = [TokenTable(t.name, list(map(shorten, t.queries)), list(map(shorten, t.keys))) for t in tables]
    upright = widest([key for t in tables for key in t.keys], font) > cell
    beside, above = [], []  # inches of labels; None where a neighbour has them
    for i, table in enumerate(tables):
        own = i % columns == 0 or table.queries != tables[i - 1].queries
        beside.append(widest(table.queries, font) + PAD if own else None)
        own = i < columns or table.keys != tables[i - columns].keys
        above.append((widest(table.keys, font) if upright else 1.25 * font / 72) + PAD if own else None)

    in_columns = [range(column, len(tables), columns) for column in range(columns)]
    in_rows = [range(first, min(first + columns, len(tables))) for first in range(0, len(tables), columns)]
    lefts, width = _line_up(
        room.left, [max(beside[i] or 0 for i in here) for here in in_columns],
        [cell * max(len(tables[i].keys) for i in here) for here in in_columns], gap,
    )  # fmt: skip
    tops, height = _line_up(
        room.top + (TITLE_HEIGHT if title else 0),
        [max((above[i] or 0) + (NAME_HEIGHT if tables[i].name else 0) for i in here) for here in in_rows],
        [cell * max(len(tables[i].queries) for i in here) for here in in_rows], 0.1,
    )  # fmt: skip
    width, height = width + room.right, height + room.bottom
    least_width = max(least[0], widest([title], 11) * 1.1 + 0.2 if title else 0)  # bold is a tenth wider
    from_left, width = max(0, least_width - width) / 2, max(width, least_width)
    from_top, height = max(0, least[1] - height) / 2, max(height, least[1])

    with styled():
        figure = new_figure(width, height)
        figure.set_layout_engine("none")
        if title:
            figure.suptitle(title, y=1 - 0.1 / height, va="top")
        name_look = {"fontsize": 9.5} if bold_names else {"fontsize": 9, "fontweight": "normal"}
        if columns > 1 and tables[0].name:  # names don't run into each other
            narrowest = cell * min(len(t.keys) for t in tables) + gap
            name_look["fontsize"] *= min(1, 0.94 * narrowest / widest([t.name for t in tables], 9.5))
        places = []
        for i, table in enumerate(tables):
            wide, high = cell * len(table.keys), cell * len(table.queries)
            left, top = from_left + lefts[i % columns], from_top + tops[i // columns]
            axes = figure.add_axes((left / width, 1 - (top + high) / height, wide / width, high / height))
            axes.spines[:].set_visible(False)
            axes.tick_params(length=0, pad=PAD * 72 * 0.8, top=False, bottom=False, labeltop=True, labelbottom=False)
            if above[i] is not None:
                axes.set_xticks(range(len(table.keys)), table.keys, fontsize=font, rotation=90 if upright else 0)
            else:  # an axis without ticks costs nothing: 144 heads in 3 seconds
                axes.xaxis.set_visible(False)
            if beside[i] is not None:
                axes.set_yticks(range(len(table.queries)), table.queries, fontsize=font)
            else:
                axes.yaxis.set_visible(False)
            if table.name:
                axes.set_title(table.name, **name_look, y=1, pad=((above[i] or 0) + PAD) * 72)
            places.append(axes)
        return figure, places


def _line_up(start: float, labels: list[float], sizes: list[float], gap: float) -> tuple[list[float], float]:
    """Where each of several tables begins, behind its labels, and where the last one ends.

    >>> _line_up(0, [1, 2], [10, 10], 5)
    ([1, 18], 28)
    """
    begins = []
    for label, size in zip(labels, sizes, strict=True):
        begins.append(start + label)
        start += label + size + gap
    return begins, start - gap


def axis_titles(figure: Figure, axes: list[Axes], query: str | None, key: str | None, size: float = 9.5) -> None:
    """Names both axes for all tables together: the queries' at the left edge, the keys' at the lower one."""
    left, right = min(a.get_position().x0 for a in axes), max(a.get_position().x1 for a in axes)
    low, high = min(a.get_position().y0 for a in axes), max(a.get_position().y1 for a in axes)
    if query:
        figure.supylabel(query, x=0.1 / figure.get_figwidth(), y=(low + high) / 2, fontsize=size, color=MUTED)
    if key:
        figure.supxlabel(key, x=(left + right) / 2, y=0.06 / figure.get_figheight(), fontsize=size, color=MUTED)


def colour_bar(figure: Figure, axes: list[Axes], image, label: str):
    """A colour bar to the right of the tables, at most 2.4 inches high."""
    right = max(a.get_position().x1 for a in axes)
    low, high = min(a.get_position().y0 for a in axes), max(a.get_position().y1 for a in axes)
    width, height = figure.get_size_inches()
    tall = min(2.4, 0.95 * (high - low) * height)
    place = (right + 0.16 / width, (low + high - tall / height) / 2, max(tall / 14, 0.12) / width, tall / height)
    bar = figure.colorbar(image, cax=figure.add_axes(place))
    bar.set_label(label)
    bar.outline.set_visible(False)
    return bar
