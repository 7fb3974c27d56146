"""Attention as a table of shades: who looks at whom."""

import math
from typing import NamedTuple

import numpy as np
from matplotlib.collections import LineCollection

from course_lib.support.messages import one_of

from .inputs import PictureError, array, both_tokens, check_weights, counted, finite, shorten, titled, token_list
from .picture import Picture
from .style import INK, KEY_AXIS, QUERY_AXIS, styled
from .token_tables import BAR_WIDTH, Room, TokenTable, axis_titles, colour_bar, token_tables, widest

CELL, LONG_CELL, SMALL_CELL = 0.5, 0.32, 0.29  # inches: alone, alone with many tokens, among others
MOST_WITH_VALUES = 10  # more positions than this leave no room for numbers in the cells
MOST_POSITIONS = 128
MASKED = "#d9d9d9"


class Heads(NamedTuple):
    """Checked matrices with what stands on their axes. matrices: (head, query, key)."""

    matrices: np.ndarray
    query_tokens: list[str]
    key_tokens: list[str]
    names: list[str | None]
    kind: str = "weights"
    axes: tuple[str, str, str] | None = None  # rows, columns, colours, where they aren't queries, keys and weights


def heatmap(
    weights, query_tokens, key_tokens=None, *,
    title=None, alt=None, caption=None, values=None, kind="weights", head_names=None, axes=None,
) -> Picture:  # fmt: skip
    """Draws attention weights as a heatmap, or as one for each head.

    weights: (query, key), (head, query, key) or (1, head, query, key).
    query_tokens, key_tokens: one word for each position; without key_tokens the queries' words serve both axes.
    values: write the numbers into the cells; by default where they fit.
    kind: "weights" (rows sum to 1, or to 0 where all is masked) or "scores" (any number; −inf, a masked one, is grey).
    head_names: a title for each head instead of "head 0", "head 1", …
    axes: what rows, columns and colours are where it isn't attention, for example ("word", "tag", "probability").
    Raises PictureError for a batch larger than 1, words that don't fit the shape, or numbers that aren't weights.
    """
    matrices = array(weights, "weights")
    if matrices.ndim == 4:
        if matrices.shape[0] != 1:
            raise PictureError(
                f"A heatmap shows one sentence, but the weights hold a batch of {matrices.shape[0]}. "
                "Choose one, for example weights[0]."
            )
        matrices = matrices[0]
    if matrices.ndim not in (2, 3):
        wanted = "(query, key) or (head, query, key)"
        raise PictureError(f"Weights should have the axes {wanted}, but their shape is {tuple(matrices.shape)}.")
    if matrices.ndim == 2:
        matrices, names = matrices[None], [None]
    else:
        names = [f"head {i}" for i in range(len(matrices))] if head_names is None else head_names
        names = token_list(names, len(matrices), "head_names", "head", "name")
    heads = checked_heads(matrices, query_tokens, key_tokens, names, kind)
    return draw_heads(heads._replace(axes=axes), values=values, title=title, alt=alt, caption=caption)


def checked_heads(matrices: np.ndarray, query_tokens, key_tokens, names, kind: str) -> Heads:
    """Raises PictureError for nothing to draw or too much, words that don't fit, numbers that aren't of this kind."""
    _, queries, keys = matrices.shape
    if min(matrices.shape) == 0:
        raise PictureError(f"There is nothing to draw: the weights have the shape {tuple(matrices.shape)}.")
    if max(queries, keys) > MOST_POSITIONS:
        raise PictureError(
            f"A heatmap shows up to {MOST_POSITIONS} positions, but there are {max(queries, keys)}. "
            "Draw a part, for example weights[..., :32, :32]."
        )
    query_tokens, key_tokens = both_tokens(query_tokens, key_tokens, queries, keys)
    if one_of("kind", kind, ("weights", "scores"), PictureError) == "weights":
        check_weights(matrices, query_tokens)
    else:
        finite(np.where(np.isneginf(matrices), 0, matrices), "Scores")
    return Heads(matrices, query_tokens, key_tokens, names, kind)


def draw_heads(heads: Heads, *, columns=None, values=None, title=None, alt=None, caption=None) -> Picture:
    """The picture of matrices that are checked already. columns: how many stand side by side."""
    count, queries, keys = heads.matrices.shape
    # Up to 16 heads stand four in a row; of many the picture is about as wide as high.
    columns = columns or (2 if count == 4 and keys > 8 else min(count, max(4, min(12, math.ceil(count**0.5)))))
    single, longest = count == 1, max(queries, keys)
    cell = (CELL if longest <= 16 else LONG_CELL) if single else SMALL_CELL
    if single and keys <= 8:  # room for words that lie flat
        cell = max(cell, min(0.72, widest(map(shorten, heads.key_tokens), 9.5) + 0.06), min(0.62, 1.4 / queries))
    cell = min(cell, 9 / keys, 6 / queries) if single else min(cell, (11 / columns - 0.2) / keys)
    font = float(np.clip(cell * (30 if single else 45), 3.5, 9.5))
    show_values = values if values is not None else single and longest <= MOST_WITH_VALUES

    tables = [TokenTable(name, heads.query_tokens, heads.key_tokens) for name in heads.names]
    room = Room(right=BAR_WIDTH, top=0.26 if single else 0.08, bottom=0.1 if single else 0.35)
    figure, places = token_tables(
        tables, columns=columns, cell=cell, font=font, room=room, least=(4.2 if single else 0, 2.2), title=title
    )
    with styled():
        shades, thin = _shades(heads), {"color": "white", "linewidth": 0.6 if single else 0.4}
        for axes, matrix in zip(places, heads.matrices, strict=True):
            image = axes.imshow(np.ma.masked_invalid(matrix), **shades, aspect="auto", interpolation="nearest")
            axes.set_facecolor(MASKED)
            if longest <= 40:
                axes.add_collection(LineCollection(_between_cells(queries, keys), **thin), autolim=False)
            if show_values:
                _write_values(axes, image, matrix, cell)
        measure = "attention weight" if heads.kind == "weights" else "score"
        rows, across, measure = heads.axes or (QUERY_AXIS, KEY_AXIS, measure)
        if single:
            places[0].set_xlabel(across)
            places[0].xaxis.set_label_position("top")
        axis_titles(figure, places, rows, None if single else across)
        colour_bar(figure, places, image, measure)
        return Picture(figure, alt or titled(title, described(heads)), caption)


def _between_cells(queries: int, keys: int) -> list:
    """The lines between the cells; drawn as one collection, since a grid of minor ticks takes three times as long."""
    level = [((-0.5, row + 0.5), (keys - 0.5, row + 0.5)) for row in range(queries - 1)]
    upright = [((column + 0.5, -0.5), (column + 0.5, queries - 0.5)) for column in range(keys - 1)]
    return level + upright


def _shades(heads: Heads) -> dict:
    """Colour map and its range. One hue for weights; two that meet in white for scores, so that zero is seen."""
    numbers = heads.matrices[np.isfinite(heads.matrices)]
    if heads.kind == "scores":
        reach = float(np.abs(numbers).max(initial=0)) or 1.0
        return {"cmap": "PuOr", "vmin": -reach, "vmax": reach}
    top = float(numbers.max())
    return {"cmap": "Blues", "vmin": 0, "vmax": 1 if top > 0.5 else max(0.1, np.ceil(top * 10) / 10)}


def _write_values(axes, image, matrix: np.ndarray, cell: float) -> None:
    for (row, column), value in np.ndenumerate(matrix):
        text, dark = "−∞", False
        if np.isfinite(value):
            text = f"{value:.2f}" if abs(value) < 10 else f"{value:.0f}"
            red, green, blue, _ = image.cmap(image.norm(value))
            dark = 0.3 * red + 0.6 * green + 0.1 * blue < 0.5
        look = {"ha": "center", "va": "center", "fontsize": min(8.5, cell * 18), "color": "white" if dark else INK}
        axes.text(column, row, text.replace("-", "−"), **look)


def described(heads: Heads) -> str:
    """What the picture shows, in words: its size and its strongest pair."""
    count, queries, keys = heads.matrices.shape
    highest = np.argmax(np.where(np.isfinite(heads.matrices), heads.matrices, -np.inf))
    head, query, key = (int(i) for i in np.unravel_index(highest, heads.matrices.shape))
    value = f"({heads.matrices[head, query, key]:.2f})"
    looks, looked_at = (f"“{shorten(token, 30)}”" for token in (heads.query_tokens[query], heads.key_tokens[key]))
    if heads.axes:
        strongest = f"the highest is {looks}, {looked_at} {value}"
    elif heads.kind == "scores":
        strongest = f"the highest score is {looks} to {looked_at} {value}"
    else:
        strongest = f"{looks} looks most at {looked_at} {value}"
    row, column, measure = heads.axes or ("query", "key", heads.kind)
    what = f"Heatmap of {measure}" if count == 1 else f"{count} heatmaps of {measure}, one for each head"
    where = f"in {heads.names[head]}, " if count > 1 else ""
    return f"{what}, {counted(queries, row)} × {counted(keys, column)}; {where}{strongest}."
