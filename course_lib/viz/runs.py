"""A measured run as lines, over the spread of runs that were stored before."""

import numpy as np

from .inputs import PictureError, array, check_finite, counted
from .picture import Picture
from .style import LINES, MUTED, new_figure, styled


def runs(xs, live, stored=None, /, *, x, y, mark=None, limits=None, title=None, alt=None, caption=None) -> Picture:
    """Draws one line for each label, and behind it the band from the lowest to the highest of its stored runs.

    xs: (point,) numbers. live: {label: (point,)}. stored: {label: (run, point)}, for all labels, some or none.
    x, y: what the axes show, with the unit. mark: (x, text), a vertical line with its name. limits: of the y axis.
    Raises PictureError where lengths don't fit, or a number isn't finite.
    """
    xs = array(xs, "xs")
    lines = {label: array(ys, f"live[{label!r}]") for label, ys in live.items()}
    bands = {label: array(rows, f"stored[{label!r}]") for label, rows in (stored or {}).items()}
    if not lines:
        raise PictureError("There is no line to draw: live should hold at least one label with its numbers.")
    for label, line in lines.items():
        if line.shape != xs.shape or xs.ndim != 1:
            xs_there = counted(xs.size, "x")
            shape = tuple(line.shape)
            raise PictureError(
                f"A line needs one number for each x: there are {xs_there}, and “{label}” has the shape {shape}."
            )
        check_finite(line, f"live[{label!r}]")
    for label, rows in bands.items():
        if label not in lines:
            raise PictureError(
                f"stored holds “{label}”, but there is no line of this name. The lines are: {', '.join(lines)}."
            )
        if rows.ndim != 2 or rows.shape[1] != len(xs) or not len(rows):
            points = counted(len(xs), "point")
            shape = tuple(rows.shape)
            raise PictureError(
                f"Stored runs should have the axes (run, point) with {points}; “{label}” has the shape {shape}."
            )
        check_finite(rows, f"stored[{label!r}]")
    figure = new_figure(6.4, 3.6)
    with styled():
        axes = figure.subplots()
        for (label, line), (colour, dash, marker) in zip(lines.items(), LINES):
            if label in bands:
                axes.fill_between(xs, bands[label].min(0), bands[label].max(0), color=colour, alpha=0.2, linewidth=0)
            axes.plot(xs, line, color=colour, linestyle=dash, marker=marker, markersize=5, label=label)
        if mark:
            axes.axvline(mark[0], color=MUTED, linewidth=1, linestyle=(0, (2, 3)))
            place = {
                "xycoords": ("data", "axes fraction"),
                "xytext": (4, -4),
                "textcoords": "offset points",
                "va": "top",
            }
            axes.annotate(mark[1], (mark[0], 1), fontsize=8.5, color=MUTED, **place)
        if bands:
            count = max(map(len, bands.values()))
            axes.fill_between(
                [], [], [], color=MUTED, alpha=0.2, linewidth=0, label=f"band: {counted(count, 'stored run')}"
            )
        if len(xs) <= 14:
            axes.set_xticks(xs, [f"{v:g}" for v in xs])
        axes.set(xlabel=x, ylabel=y, ylim=limits, title=title)
        axes.grid(True, linewidth=0.8)
        axes.legend(fontsize=8.5)
    told = [
        f"{label} from {line[0]:.2f} at {xs[0]:g} to {line[-1]:.2f} at {xs[-1]:g}{_band(bands.get(label))}"
        for label, line in lines.items()
    ]
    return Picture(
        figure, alt or f"{title + '. ' if title else ''}Line chart of {y} against {x}: {'; '.join(told)}.", caption
    )


def _band(rows: np.ndarray | None) -> str:
    return "" if rows is None else f" (stored runs: {rows[:, -1].min():.2f} to {rows[:, -1].max():.2f})"
