"""Yours, expected and the difference, side by side: the picture on a card that says "not yet"."""

import numpy as np
from matplotlib import colormaps

from .picture import Picture
from .style import MUTED, new_figure, styled

SHOW_NUMBERS_UP_TO = 8  # rows or columns


def comparison(yours, expected, axes: list[str] = ()) -> Picture:
    """yours, expected: (n,) or (rows, columns), equal shapes, any numbers. axes: the names of the axes, if known."""
    yours, expected = (np.atleast_2d(np.asarray(x, dtype=float)) for x in (yours, expected))
    row_axis, column_axis = ["", "", *axes][-2:]
    difference = yours - expected
    both = np.concatenate([x[np.isfinite(x)] for x in (yours, expected)])
    low, high = (min(both.min(), 0.0), max(both.max(), 1e-9)) if both.size else (0.0, 1.0)
    most = np.abs(difference[np.isfinite(difference)]).max(initial=1e-9)
    panels = [
        ("yours", yours, "cividis", low, high),
        ("expected", expected, "cividis", low, high),
        ("difference", difference, "PuOr", -most, most),
    ]
    rows, columns = yours.shape
    with styled():
        figure = new_figure(7.6, min(3.2, 0.95 + 0.32 * rows))
        for place, (title, numbers, colours, bottom, top) in zip(figure.subplots(1, 3), panels, strict=True):
            shades = colormaps[colours].with_extremes(bad="#bbbbbb")
            image = place.imshow(numbers, cmap=shades, vmin=bottom, vmax=top, aspect="auto")
            place.set(title=title, xlabel=column_axis, ylabel=row_axis if title == "yours" else "")
            place.set(xticks=_ticks(columns), yticks=_ticks(rows))
            place.tick_params(labelcolor=MUTED, labelsize=8, length=0)
            if max(rows, columns) <= SHOW_NUMBERS_UP_TO:
                _write_numbers(place, image, numbers)
        wrong = int((~np.isclose(yours, expected, rtol=1e-3, atol=1e-5, equal_nan=True)).sum())
        size = f"{rows} × {columns} numbers"
        return Picture(figure, f"Yours, expected and the difference, {size}; {wrong} of them differ.")


def _ticks(n: int) -> list[int]:
    return list(range(0, n, max(1, n // 8)))


def _write_numbers(axes, image, numbers: np.ndarray) -> None:
    for (row, column), number in np.ndenumerate(numbers):
        dark = np.isfinite(number) and sum(image.cmap(image.norm(number))[:3]) < 1.5
        colour = "white" if dark else "#222222"
        axes.text(column, row, _written(number), ha="center", va="center", fontsize=7, color=colour)


def _written(number: float) -> str:
    if number == 0 or 0.01 <= abs(number) < 10:
        return f"{number:.2f}"
    return f"{number:.1g}" if abs(number) < 0.01 else f"{number:.3g}"
