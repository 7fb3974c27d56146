"""Attention as a table of shades: who looks at whom."""

import numpy as np

from .inputs import PictureError, array, check_finite, check_weights, counted, shorten, token_list
from .picture import Picture
from .style import INK, MUTED, new_figure, styled

QUERY_AXIS, KEY_AXIS = "query (the word that looks)", "key (the word looked at)"
CELL, SMALL_CELL = 0.46, 0.27  # inches
MOST_WITH_VALUES = 10  # more positions than this leave no room for numbers in the cells
MOST_POSITIONS = 128


def heatmap(
    weights,
    query_tokens,
    key_tokens=None,
    *,
    title=None,
    alt=None,
    caption=None,
    values=None,
    kind="weights",
    head_names=None,
) -> Picture:
    """Draws attention weights as a heatmap, or as one for each head.

    weights: (query, key), (head, query, key) or (1, head, query, key).
    query_tokens, key_tokens: one word for each position; without key_tokens the queries' words serve both axes.
    values: write the numbers into the cells; by default where they fit.
    kind: "weights" (rows sum to 1, or to 0 where all is masked) or "scores" (any number; −inf, a masked score, is grey).
    head_names: a title for each head instead of "head 0", "head 1", …
    Raises PictureError for a batch larger than 1, words that don't fit the shape, or numbers that aren't weights.
    """
    matrices = array(weights, "weights")
    if matrices.ndim == 4:
        if matrices.shape[0] != 1:
            raise PictureError(
                f"A heatmap shows one sentence, but the weights hold a batch of {matrices.shape[0]}. Choose one, for example weights[0]."
            )
        matrices = matrices[0]
    if matrices.ndim not in (2, 3):
        raise PictureError(
            f"Weights should have the axes (query, key) or (head, query, key), but their shape is {tuple(matrices.shape)}."
        )
    heads = matrices[None] if matrices.ndim == 2 else matrices
    names = [None] if matrices.ndim == 2 else head_names or [f"head {i}" for i in range(len(heads))]
    if len(names) != len(heads):
        raise PictureError(
            f"head_names has {counted(len(names), 'name')}, but there are {counted(len(heads), 'head')}. Pass one name for each."
        )
    columns = 1 if len(heads) == 1 else 2 if len(heads) in (2, 4) else min(4, len(heads))
    if len(heads) == 4 and matrices.shape[-1] <= 8:
        columns = 4
    return _draw(heads, names, columns, query_tokens, key_tokens, title, alt, caption, values, kind)


def head_grid(weights, tokens, key_tokens=None, *, title=None, alt=None, caption=None, kind="weights") -> Picture:
    """Draws every head of every layer: a row of heatmaps for each layer, a column for each head.

    weights: (layer, head, query, key) or (head, query, key). tokens: one word for each query (and key).
    Raises PictureError like `heatmap`.
    """
    matrices = array(weights, "weights")
    if matrices.ndim == 5 and matrices.shape[1] == 1:  # a list of layers, each with a batch of one
        matrices = matrices[:, 0]
    if matrices.ndim == 3:
        matrices = matrices[None]
    if matrices.ndim != 4:
        raise PictureError(
            f"Weights should have the axes (layer, head, query, key), but their shape is {tuple(matrices.shape)}."
        )
    layers, heads = matrices.shape[:2]
    names = [f"layer {i} · head {j}" if layers > 1 else f"head {j}" for i in range(layers) for j in range(heads)]
    return _draw(
        matrices.reshape(-1, *matrices.shape[2:]), names, heads, tokens, key_tokens, title, alt, caption, False, kind
    )


def _draw(heads, names, columns, query_tokens, key_tokens, title, alt, caption, values, kind) -> Picture:
    count, queries, keys = heads.shape
    if min(heads.shape) == 0:
        raise PictureError(f"There is nothing to draw: the weights have the shape {tuple(heads.shape)}.")
    if max(queries, keys) > MOST_POSITIONS:
        raise PictureError(
            f"A heatmap shows up to {MOST_POSITIONS} positions, but there are {max(queries, keys)}. Draw a part, for example weights[..., :32, :32]."
        )
    query_tokens = token_list(query_tokens, queries, "query_tokens" if key_tokens is not None else "tokens", "query")
    key_tokens = (
        token_list(key_tokens, keys, "key_tokens", "key")
        if key_tokens is not None
        else token_list(query_tokens, keys, "tokens", "key")
    )
    if kind not in ("weights", "scores"):
        raise PictureError(f'kind should be "weights" or "scores"; {kind!r} came.')
    if kind == "weights":
        check_weights(heads, query_tokens, key_tokens)
    else:
        check_finite(np.where(np.isneginf(heads), 0, heads), "Scores")

    single = count == 1
    cell = (CELL if max(queries, keys) <= 16 else 0.3) if single else SMALL_CELL
    if single and keys <= 8:  # room for words that lie flat
        cell = max(cell, min(0.72, 0.0092 * 9.5 * max(len(shorten(token)) for token in key_tokens)))
    cell = min(cell, (9 if single else 11 / columns - 0.2) / keys, 5.8 / queries if single else cell)
    show_values = values if values is not None else single and max(queries, keys) <= MOST_WITH_VALUES
    rows_labelled = [shorten(token) for token in query_tokens]
    keys_labelled = [shorten(token) for token in key_tokens]
    font = float(np.clip(cell * (30 if single else 45), 3.5, 9.5))
    turned = max(map(len, keys_labelled)) * font * 0.0088 > cell  # a label wider than its cell is set upright
    label_height = max(map(len, keys_labelled)) * font * 0.0092 if turned else 0.2
    label_width = max(map(len, rows_labelled)) * font * 0.0092
    rows = -(-count // columns)
    figure_width = max(columns * (keys * cell + 0.15) + label_width + 1.35, 4.2 if single else 0)
    figure_height = (
        rows * (queries * cell + (0.3 if names[0] else 0) + 0.1)
        + label_height * (1 if turned else rows)
        + 0.5
        + (0.35 if title else 0)
    )

    figure = new_figure(figure_width, max(figure_height, 2.2))
    with styled():
        grid = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
        shades = _shades(heads, kind)
        for i, axes in enumerate(grid.flat):
            if i >= count:
                axes.set_visible(False)
                continue
            image = axes.imshow(np.ma.masked_invalid(heads[i]), **shades, aspect="equal", interpolation="nearest")
            axes.set_facecolor("#d9d9d9")
            axes.spines[:].set_visible(False)
            if max(queries, keys) <= 40:  # as two collections: a grid of minor ticks takes three times as long
                thin = {"color": "white", "linewidth": 0.6 if single else 0.4}
                axes.hlines(np.arange(queries - 1) + 0.5, -0.5, keys - 0.5, **thin)
                axes.vlines(np.arange(keys - 1) + 0.5, -0.5, queries - 0.5, **thin)
            axes.tick_params(length=0)
            axes.set_yticks(range(queries), rows_labelled, fontsize=font)
            axes.set_xticks(range(keys), keys_labelled, fontsize=font, rotation=90 if turned else 0)
            axes.tick_params(axis="x", top=False, bottom=False, labeltop=i < columns, labelbottom=False)
            if names[i]:
                axes.set_title(names[i], fontsize=9, fontweight="normal", pad=3 if i >= columns else None)
            if show_values:
                _write_values(axes, image, heads[i], kind, cell)
        if single:
            axes.set_ylabel(QUERY_AXIS)
            axes.set_xlabel(KEY_AXIS)
            axes.xaxis.set_label_position("top")
        else:
            figure.supylabel(QUERY_AXIS, fontsize=9.5, color=MUTED)
            figure.supxlabel(KEY_AXIS, fontsize=9.5, color=MUTED)
        bar = figure.colorbar(
            image,
            ax=list(grid.flat),
            shrink=min(1.0, 2.4 / (rows * queries * cell)) if rows * queries * cell > 2.4 else 0.95,
            aspect=14,
            pad=0.02,
        )
        bar.set_label("attention weight" if kind == "weights" else "score")
        bar.outline.set_visible(False)
        if title:
            figure.suptitle(title, fontsize=11, fontweight="bold")
        return Picture(figure, alt or _words(heads, names, query_tokens, key_tokens, title, kind), caption)


def _shades(heads: np.ndarray, kind: str) -> dict:
    """Colour map and its range. One hue for weights; two that meet in white for scores, so that zero is seen."""
    finite = heads[np.isfinite(heads)]
    if kind == "scores":
        reach = float(np.abs(finite).max()) if finite.size and np.abs(finite).max() > 0 else 1.0
        return {"cmap": "PuOr", "vmin": -reach, "vmax": reach}
    top = float(finite.max())
    return {"cmap": "Blues", "vmin": 0, "vmax": 1 if top > 0.5 else max(0.1, np.ceil(top * 10) / 10)}


def _write_values(axes, image, matrix, kind, cell) -> None:
    for (row, column), value in np.ndenumerate(matrix):
        if not np.isfinite(value):
            text, dark = "−∞", False
        else:
            red, green, blue, _ = image.cmap(image.norm(value))
            text, dark = (
                (f"{value:.2f}" if abs(value) < 10 else f"{value:.0f}"),
                0.3 * red + 0.6 * green + 0.1 * blue < 0.5,
            )
        axes.text(
            column,
            row,
            text.replace("-", "−"),
            ha="center",
            va="center",
            fontsize=min(8.5, cell * 18),
            color="white" if dark else INK,
        )


def _words(heads, names, query_tokens, key_tokens, title, kind) -> str:
    """What the picture shows, in words: its size and its strongest pair."""
    count, queries, keys = heads.shape
    head, query, key = (
        int(i) for i in np.unravel_index(np.argmax(np.where(np.isfinite(heads), heads, -np.inf)), heads.shape)
    )
    what = f"Heatmap of {kind}" if count == 1 else f"{count} heatmaps of {kind}, one for each head"
    sizes = f"{queries} {'query' if queries == 1 else 'queries'} × {counted(keys, 'key')}"
    strongest = f"“{shorten(query_tokens[query], 30)}” looks most at “{shorten(key_tokens[key], 30)}” ({heads[head, query, key]:.2f})"
    if kind == "scores":
        strongest = f"the highest score is “{shorten(query_tokens[query], 30)}” to “{shorten(key_tokens[key], 30)}” ({heads[head, query, key]:.2f})"
    where = f"in {names[head]}, " if count > 1 else ""
    return f"{title + '. ' if title else ''}{what}, {sizes}; {where}{strongest}."
