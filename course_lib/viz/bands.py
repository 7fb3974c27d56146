"""`runs` for many measurements at once: rows of small charts, each a line over the band of its stored runs."""

import numpy as np

from .inputs import PictureError, array, titled
from .picture import Picture
from .runs import checked_run, draw_run
from .style import BLUE, MUTED, ORANGE, new_figure, styled

BAND = {"color": "#9fc5de"}
LINE = {"color": BLUE, "marker": "o", "markersize": 3, "linewidth": 1.6}
MARK = {"color": ORANGE, "linewidth": 1, "linestyle": "--"}
LEVEL = {"color": MUTED, "linewidth": 1, "linestyle": ":"}


def bands(
    xs, panels, *, x, y, mark=None, level=None, names=("this run", "stored runs"), title=None, alt=None, caption=None
) -> Picture:
    """Draws a row of small charts for each panel: a line over the band between the lowest and highest stored run.

    xs: (point,) numbers. panels: {panel: {chart: (line, runs)}} with line (point,) and runs (run, point); line may be
        None. x, y: what the axes show. mark: (x value, word) for a vertical line, level: (y value, word) for a
        horizontal one. names: what the line and the band are called.
    Raises PictureError for unequal lengths, no panel, or numbers that aren't finite.
    """
    xs = array(xs, "xs")
    if not isinstance(panels, dict) or not panels or not all(isinstance(c, dict) and c for c in panels.values()):
        wanted = "{panel: {chart: (line, runs)}} with at least one chart in each panel"
        raise PictureError(f"panels should be {wanted}.")
    if len({tuple(charts) for charts in panels.values()}) > 1:
        why = "so that they stand below each other"
        raise PictureError(f"Each panel should have the same charts in the same order, {why}.")
    panels = {
        panel: {chart: checked_run(xs, f"{panel}, {chart}", *pair) for chart, pair in charts.items()}
        for panel, charts in panels.items()
    }

    columns = len(next(iter(panels.values())))
    figure = new_figure(max(1.02 * columns + 0.5, 4), 1.95 * len(panels) + 0.75)
    with styled():
        parts = figure.subfigures(len(panels), 1, squeeze=False)[:, 0]
        for part, (panel, charts) in zip(parts, panels.items(), strict=True):
            part.suptitle(panel, fontsize=10.5)
            every = part.subplots(1, columns, sharex=True, sharey=True, squeeze=False)[0]
            for axes, (chart, (line, rows)) in zip(every, charts.items(), strict=True):
                axes.set_title(chart, fontsize=9, fontweight="normal")
                # Where all runs agree, the band has no height: their median is drawn too.
                axes.plot(xs, np.median(rows, axis=0), linewidth=2.5, **BAND)
                draw_run(axes, xs, line, rows, LINE, BAND)
                if mark:
                    axes.axvline(mark[0], **MARK)
                if level:
                    axes.axhline(level[0], **LEVEL)
                axes.set(ylim=(0, 1.04), xlim=(xs.min(), xs.max()))
                axes.set_xticks(sorted({xs.min(), xs.max(), *([mark[0]] if mark else [])}))
                axes.tick_params(labelsize=8)
                axes.grid(axis="y", linewidth=0.7)
            part.supxlabel(x, fontsize=9, color=MUTED)
            part.supylabel(y, fontsize=9, color=MUTED)
        axes = parts[0].axes[0]
        axes.fill_between([], [], [], label=names[1], **BAND)
        if any(line is not None for charts in panels.values() for line, _ in charts.values()):
            axes.plot([], label=names[0], **LINE | {"linewidth": 2})
        for drawn, look in ((mark, MARK), (level, LEVEL)):
            if drawn:
                axes.plot([], label=f"{drawn[1]} ({drawn[0]:.3g})", **look)
        figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=4, fontsize=8.5)
        if title:
            figure.suptitle(title)
        return Picture(figure, alt or titled(title, _words(xs, panels, x, y)), caption)


def _words(xs, panels, x, y) -> str:
    told = []
    for panel, charts in panels.items():
        ends = ", ".join(
            f"{chart} {rows[:, 0].min():.2f} to {rows[:, -1].min():.2f}–{rows[:, -1].max():.2f}"
            for chart, (_, rows) in charts.items()
        )
        told.append(f"{panel}: {ends}")
    where = f"the stored runs from {xs[0]:g} to {xs[-1]:g}"
    return f"Charts of {y} against {x}; {where}. {'; '.join(told)}."
