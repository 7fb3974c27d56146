"""One bar for each label."""

import numpy as np

from .inputs import PictureError, array, counted, finite, shorten, titled, token_list
from .picture import Picture
from .style import BLUE, MUTED, new_figure, styled
from .token_tables import widest

ROOM_FOR_A_LABEL = 0.62  # inches


def bars(values, labels, *, y="value", x=None, title=None, alt=None, caption=None, highlight=None) -> Picture:
    """Draws one bar for each label, with its number.

    values: (bar,) numbers. labels: (bar,) words. y, x: what the axes show, with the unit.
    highlight: the index of a bar that should stand out.
    Raises PictureError when there isn't one label for each value, or a value isn't finite.
    """
    values, labels = array(values, "values"), list(map(shorten, token_list(labels, None, "labels", "bar")))
    if values.ndim != 1 or len(values) != len(labels) or len(values) == 0:
        there = f"the values have the shape {tuple(values.shape)}, and there are {counted(len(labels), 'label')}"
        raise PictureError(f"Bars need one label for each value: {there}.")
    finite(values, "values")
    if highlight is not None and highlight not in range(-len(values), len(values)):
        raise PictureError(f"highlight should be the index of a bar, 0 to {len(values) - 1}; got {highlight!r}.")
    flat = widest(labels, 9.5) < ROOM_FOR_A_LABEL
    figure = new_figure(float(np.clip(ROOM_FOR_A_LABEL * len(values) + 1.4, 3.6, 9.6)), 3.0)
    with styled():
        axes = figure.subplots()
        colours = [BLUE if highlight is None or i == highlight % len(values) else "#9fb8c8" for i in range(len(values))]
        drawn = axes.bar(range(len(values)), values, color=colours, width=0.72)
        if len(values) <= 16:
            axes.bar_label(drawn, list(map(_written, values)), padding=2, fontsize=8.5)
        turned = {} if flat else {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
        axes.set_xticks(range(len(values)), labels, **turned)
        axes.tick_params(axis="x", length=0)
        axes.axhline(0, color=MUTED, linewidth=0.8)
        axes.margins(y=0.12)
        axes.grid(axis="y", linewidth=0.8)
        axes.set(xlabel=x, ylabel=y, title=title)
    most, least = (f"“{labels[i]}” ({values[i]:.3g})" for i in (values.argmax(), values.argmin()))
    words = f"Bar chart of {y}, {counted(len(values), 'bar')}; highest {most}, lowest {least}."
    return Picture(figure, alt or titled(title, words), caption)


def _written(value: float) -> str:
    return f"{value:.2f}".replace("-", "−") if abs(value) < 100 else f"{value:,.0f}"
