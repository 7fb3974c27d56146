"""Tables of positions: one row for each position, one column for each number of its vector."""

import numpy as np

from .inputs import PictureError, finite, titled
from .picture import Picture
from .signed import draw_signed
from .style import new_figure, styled


def position_tables(tables, *, title=None, alt=None, caption=None) -> Picture:
    """Draws tables side by side, each in its own colours: blue above 0, orange below.

    tables: {name: (position, number)}, each with as many rows as there are positions.
    Raises PictureError for a table that isn't one, no table at all, or numbers that aren't finite.
    """
    if not isinstance(tables, dict) or not tables:
        wanted = "a dict with a table for each name, for example {'binary': bits}"
        raise PictureError(f"tables should be {wanted}; got {type(tables).__name__}.")
    tables = {str(name): finite(table, f"The table of {name}") for name, table in tables.items()}
    for name, table in tables.items():
        if table.ndim != 2 or table.size == 0:
            wrong = f"but its shape is {tuple(table.shape)}"
            raise PictureError(f"The table of {name} should have the axes (position, number), {wrong}.")

    widths = [min(0.7 + 0.13 * table.shape[1], 3.6) for table in tables.values()]
    figure = new_figure(sum(widths) + 0.75 * len(tables) + 0.5, 3.6)
    with styled():
        every = figure.subplots(1, len(tables), gridspec_kw={"width_ratios": widths}, squeeze=False)[0]
        for axes, (name, table) in zip(every, tables.items(), strict=True):
            image = draw_signed(axes, table, title=name, x="number", y="position")
            bar = figure.colorbar(image, ax=axes, pad=0.03, aspect=30)
            bar.outline.set_visible(False)
            bar.ax.tick_params(labelsize=7.5)
            if table.shape[1] == 1:
                axes.set_xticks([0])
        if title:
            figure.suptitle(title)
        told = "; ".join(
            f"{name}: {len(t)} positions × {t.shape[1]} numbers, from {_said(t.min())} to {_said(t.max())}"
            for name, t in tables.items()
        )
        return Picture(figure, alt or titled(title, f"Tables of positions. {told}."), caption)


def _said(value: np.floating) -> str:
    return f"{value:.3g}".replace("-", "−")
