"""A measured run as lines, over the spread of runs that were stored before."""

import numpy as np

from .inputs import PictureError, array, counted, finite, titled
from .picture import Picture
from .style import LINES, MUTED, new_figure, styled

POINTS = 60  # that a line of losses has at most: each is the mean of as many steps as it takes


def runs(
    xs, live, stored=None, /, *, x, y, mark=None, limits=None, log=False, title=None, alt=None, caption=None
) -> Picture:
    """Draws one line for each label, and behind it the band from the lowest to the highest of its stored runs.

    xs: (point,) numbers. live: {label: (point,)}. stored: {label: (run, point)}, for all labels, some or none.
    x, y: what the axes show, with the unit. mark: (x, text), a vertical line with its name. limits: of the y axis. log:
    whether the x axis is logarithmic.
    Raises PictureError where lengths don't fit, or a number isn't finite.
    """
    stored = stored or {}
    if not isinstance(live, dict) or not live:
        raise PictureError("There is no line to draw: live should hold at least one label with its numbers.")
    if unknown := [label for label in stored if label not in live]:
        there = f"there is no line of this name. The lines are: {', '.join(live)}"
        raise PictureError(f"stored holds “{unknown[0]}”, but {there}.")
    xs = array(xs, "xs")
    pairs = {label: checked_run(xs, label, line, stored.get(label)) for label, line in live.items()}

    figure = new_figure(6.4, 3.6)
    with styled():
        axes = figure.subplots()
        for (label, (line, rows)), (colour, dash, marker) in zip(pairs.items(), LINES, strict=False):
            look = {"color": colour, "linestyle": dash, "marker": marker, "markersize": 5, "label": label}
            draw_run(axes, xs, line, rows, look, {"color": colour, "alpha": 0.2})
        if mark:
            axes.axvline(mark[0], color=MUTED, linewidth=1, linestyle=(0, (2, 3)))
            place = {"xycoords": ("data", "axes fraction"), "xytext": (4, -4), "textcoords": "offset points"}
            axes.annotate(mark[1], (mark[0], 1), fontsize=8.5, color=MUTED, va="top", **place)
        if stored:
            label = f"band: {counted(max(map(len, stored.values())), 'stored run')}"
            axes.fill_between([], [], [], color=MUTED, alpha=0.2, linewidth=0, label=label)
        if log:
            axes.set_xscale("log")
            axes.minorticks_off()
        if len(xs) <= 14:
            axes.set_xticks(xs, [f"{v:g}" for v in xs])
        axes.set(xlabel=x, ylabel=y, ylim=limits, title=title)
        axes.grid(True, linewidth=0.8)
        axes.legend(fontsize=8.5)
    told = [
        f"{label} from {line[0]:.2f} at {xs[0]:g} to {line[-1]:.2f} at {xs[-1]:g}{_ends(rows)}"
        for label, (line, rows) in pairs.items()
    ]
    return Picture(figure, alt or titled(title, f"Line chart of {y} against {x}: {'; '.join(told)}."), caption)


def checked_run(xs: np.ndarray, name: str, line, rows):
    """(line (point,), rows (run, point)) as arrays; either may be None. Raises PictureError where they don't fit xs."""
    if line is not None:
        line = array(line, f"The line of {name}")
        if line.shape != xs.shape or xs.ndim != 1:
            there = f"there are {counted(xs.size, 'x')}, and “{name}” has the shape {tuple(line.shape)}"
            raise PictureError(f"A line needs one number for each x: {there}.")
        finite(line, f"The line of {name}")
    if rows is not None:
        rows = array(rows, f"The runs of {name}")
        if rows.ndim != 2 or rows.shape[1] != len(xs) or not len(rows):
            wanted = f"the axes (run, point) with {counted(len(xs), 'point')}"
            raise PictureError(f"Stored runs should have {wanted}; “{name}” has the shape {tuple(rows.shape)}.")
        finite(rows, f"The runs of {name}")
    return line, rows


def draw_run(axes, xs, line, rows, look: dict, band: dict) -> None:
    """A line over the band between the lowest and the highest of the stored runs."""
    if rows is not None:
        axes.fill_between(xs, rows.min(0), rows.max(0), linewidth=0, **band)
    if line is not None:
        axes.plot(xs, line, **look)


def draw_losses(axes, losses: np.ndarray, others: dict, steps: int | None, y: str) -> str:
    """This run and the others on the axes; what is to be seen, in words."""
    runs, told = {"this run": losses, **others}, []
    for (name, run), (colour, dash, _) in zip(runs.items(), LINES, strict=False):
        ends, rows = _binned(run)
        look = {"color": colour, "linestyle": dash, "label": name}
        draw_run(axes, ends, rows.mean(0), rows, look, {"color": colour, "alpha": 0.15})
        told.append(f"{name} from {rows[:, 0].mean():.2f} to {rows[:, -1].mean():.2f} at step {len(run)}")
    axes.set(xlabel="step", ylabel=y, xlim=(0, max(steps or 0, *map(len, runs.values()), 2)))
    axes.grid(True, linewidth=0.8)
    if others:
        axes.legend(fontsize=8.5)
    if not np.isfinite(losses).all():
        text = f"from step {int(np.argmin(np.isfinite(losses))) + 1} on, not a number"
        axes.text(0.5, 0.9, text, transform=axes.transAxes, color=MUTED, ha="center")
        told.append(text)
    return f"Line chart of the {y} against the step: {'; '.join(told)}."


def _binned(losses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The last step of each bin (bin,), and its losses (step in the bin, bin). What is left over begins no bin."""
    width = -(-len(losses) // POINTS)
    count = max(1, len(losses) // width)
    rows = losses[: count * width].reshape(count, -1).T
    return np.arange(1, count + 1) * width, rows


def _ends(rows: np.ndarray | None) -> str:
    return "" if rows is None else f" (stored runs: {rows[:, -1].min():.2f} to {rows[:, -1].max():.2f})"
