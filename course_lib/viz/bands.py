"""One run over a band of stored runs: what happened just now, and what usually happens."""

import numpy as np

from .inputs import PictureError, array, check_finite
from .picture import Picture
from .style import BLUE, MUTED, ORANGE, new_figure, styled

BAND = "#9fc5de"


def bands(
    xs, panels, *, x, y, mark=None, level=None, names=("this run", "stored runs"), title=None, alt=None, caption=None
) -> Picture:
    """Draws a row of small charts for each panel: a line over the band between the lowest and highest stored run.

    xs: (point,) numbers. panels: {panel: {chart: (line, runs)}} with line (point,) and runs (run, point); line may be None.
    x, y: what the axes show. mark: (x value, word) for a vertical line, level: (y value, word) for a horizontal one.
    names: what the line and the band are called.
    Raises PictureError for unequal lengths, no panel, or numbers that aren't finite.
    """
    xs = array(xs, "xs")
    if (
        not isinstance(panels, dict)
        or not panels
        or not all(isinstance(charts, dict) and charts for charts in panels.values())
    ):
        raise PictureError("panels should be {panel: {chart: (line, runs)}} with at least one chart in each panel.")
    if len({tuple(charts) for charts in panels.values()}) > 1:
        raise PictureError(
            "Each panel should have the same charts in the same order, so that they stand below each other."
        )
    panels = {
        panel: {chart: _checked(xs, f"{panel}, {chart}", *pair) for chart, pair in charts.items()}
        for panel, charts in panels.items()
    }

    columns = len(next(iter(panels.values())))
    figure = new_figure(max(1.02 * columns + 0.5, 4), 1.95 * len(panels) + 0.75)
    with styled():
        parts = figure.subfigures(len(panels), 1, squeeze=False)[:, 0]
        for part, (panel, charts) in zip(parts, panels.items()):
            part.suptitle(panel, fontsize=10.5, fontweight="bold")
            every = part.subplots(1, columns, sharex=True, sharey=True, squeeze=False)[0]
            for axes, (chart, (line, runs)) in zip(every, charts.items()):
                axes.set_title(chart, fontsize=9, fontweight="normal")
                axes.fill_between(xs, runs.min(0), runs.max(0), color=BAND, linewidth=0)
                axes.plot(
                    xs, np.median(runs, axis=0), color=BAND, linewidth=2.5
                )  # where all runs agree, the band has no height
                if line is not None:
                    axes.plot(xs, line, color=BLUE, marker="o", markersize=3, linewidth=1.6)
                if mark:
                    axes.axvline(mark[0], color=ORANGE, linewidth=1, linestyle="--")
                if level:
                    axes.axhline(level[0], color=MUTED, linewidth=1, linestyle=":")
                axes.set_ylim(0, 1.04)
                axes.set_xlim(xs.min(), xs.max())
                axes.set_xticks(_ticks(xs, mark))
                axes.tick_params(labelsize=8)
                axes.grid(axis="y", linewidth=0.7)
            part.supxlabel(x, fontsize=9, color=MUTED)
            part.supylabel(y, fontsize=9, color=MUTED)
        handles = [
            parts[0].axes[0].fill_between([], [], [], color=BAND),
            parts[0].axes[0].plot([], color=BLUE, marker="o", markersize=3)[0],
        ]
        labels = [names[1], names[0]]
        for drawn, style in ((mark, dict(color=ORANGE, linestyle="--")), (level, dict(color=MUTED, linestyle=":"))):
            if drawn:
                handles.append(parts[0].axes[0].plot([], linewidth=1, **style)[0])
                labels.append(f"{drawn[1]} ({drawn[0]:.3g})")
        figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), fontsize=8.5)
        if title:
            figure.suptitle(title, fontsize=11, fontweight="bold")
        return Picture(figure, alt or _words(xs, panels, x, y, title), caption)


def _checked(xs, name, line, runs):
    runs = array(runs, f"The runs of {name}")
    line = None if line is None else array(line, f"The line of {name}")
    if runs.ndim != 2 or runs.shape[1] != len(xs) or (line is not None and line.shape != xs.shape):
        raise PictureError(
            f"{name} needs one number for each of {len(xs)} points: its runs have the shape {runs.shape}, its line {None if line is None else line.shape}."
        )
    check_finite(runs, f"The runs of {name}")
    if line is not None:
        check_finite(line, f"The line of {name}")
    return line, runs


def _ticks(xs, mark):
    return sorted({xs.min(), xs.max(), *([mark[0]] if mark else [])})


def _words(xs, panels, x, y, title) -> str:
    told = []
    for panel, charts in panels.items():
        ends = ", ".join(
            f"{chart} {runs[:, 0].min():.2f} to {runs[:, -1].min():.2f}–{runs[:, -1].max():.2f}"
            for chart, (_, runs) in charts.items()
        )
        told.append(f"{panel}: {ends}")
    return f"{title + '. ' if title else ''}Charts of {y} against {x}; the stored runs from {xs[0]:g} to {xs[-1]:g}. {'; '.join(told)}."
