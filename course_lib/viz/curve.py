"""Lines over the same points."""

import numpy as np

from .inputs import PictureError, array, counted, finite, titled
from .picture import Picture
from .style import LINES, MUTED, new_figure, styled


def curve(xs, ys, /, *, x, y, reference=None, labels=None, log=False, title=None, alt=None, caption=None) -> Picture:
    """Draws one line, or several over the same points.

    xs: (point,) numbers. ys: (point,), or (line, point) with one label for each line.
    x, y: what the axes show, with the unit.
    reference: (label, values), a dashed grey line to compare with, for example ("√d_k", [d ** 0.5 for d in d_ks]).
    log: True for both axes, or "x" or "y" for one.
    Raises PictureError for unequal lengths, numbers that aren't finite, or a logarithm of something ≤ 0.
    """
    xs, lines = array(xs, "xs"), array(ys, "ys")
    if xs.ndim != 1 or lines.ndim not in (1, 2) or lines.shape[-1] != len(xs) or len(xs) == 0:
        raise PictureError(
            f"A curve needs one y for each x: there are {xs.size} xs, and ys has the shape {tuple(lines.shape)}."
        )
    xs, lines = finite(xs, "xs"), finite(np.atleast_2d(lines), "ys")
    if labels is None and len(lines) > 1:
        raise PictureError(f"There are {len(lines)} lines; pass labels=[…] with a name for each.")
    if labels is not None and (not isinstance(labels, list | tuple) or len(labels) != len(lines)):
        wanted = f"a list with {counted(len(lines), 'name')}, one for each line"
        raise PictureError(f"labels should be {wanted}; got {labels!r}.")
    if reference is not None:
        if (
            not isinstance(reference, tuple)
            or len(reference) != 2
            or array(reference[1], "reference").shape != xs.shape
        ):
            wanted = f"a pair of a label and {counted(len(xs), 'value')}, one for each x"
            raise PictureError(f"reference should be {wanted}.")
        reference = reference[0], finite(reference[1], "The reference's values")
    if log not in (False, True, "x", "y"):
        raise PictureError(f'log should be True, False, "x" or "y"; got {log!r}.')
    for name, axis, used in (("xs", xs, log in (True, "x")), ("ys", lines, log in (True, "y"))):
        if used and (axis <= 0).any():
            raise PictureError(f"A logarithmic axis needs numbers above 0, but {name} holds {axis.min():g}.")

    figure = new_figure(5.6, 3.4)
    with styled():
        axes = figure.subplots()
        if reference:
            label, values = reference
            axes.plot(xs, values, color=MUTED, linestyle=(0, (5, 3)), linewidth=1.6, label=label, zorder=1)
        for i, line in enumerate(lines):
            colour, dash, marker = LINES[i % len(LINES)]
            look = {"color": colour, "linestyle": dash, "marker": marker if len(xs) <= 40 else None, "markersize": 5}
            axes.plot(xs, line, label=labels[i] if labels else y.split(",")[0], **look)
        if log in (True, "x"):
            axes.set_xscale("log", base=2 if _powers_of_two(xs) else 10)
            if len(xs) <= 14:
                axes.set_xticks(xs, [f"{v:g}" for v in xs])
                axes.set_xticks([], minor=True)
        if log in (True, "y"):
            axes.set_yscale("log", base=2 if _powers_of_two(xs) and lines.max() < 2**12 * lines.min() else 10)
            axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        if log not in (True, "x") and (xs == np.round(xs)).all():
            axes.xaxis.get_major_locator().set_params(integer=True)  # no batch 2.5
        axes.grid(True, linewidth=0.8)
        axes.set(xlabel=x, ylabel=y, title=title)
        if labels or reference:
            axes.legend()
        return Picture(figure, alt or titled(title, _words(xs, lines, x, y, labels, reference)), caption)


def _powers_of_two(xs: np.ndarray) -> bool:
    return bool((xs > 0).all() and np.allclose(np.log2(xs), np.round(np.log2(xs))))


def _words(xs, lines, x, y, labels, reference) -> str:
    told = [f"from {line[0]:.3g} at {xs[0]:g} to {line[-1]:.3g} at {xs[-1]:g}" for line in lines]
    if labels:
        told = [f"{label}: {way}" for label, way in zip(labels, told, strict=True)]
    if reference:
        told.append(f"dashed line to compare with: {reference[0]}")
    return f"Line chart of {y} against {x}; {'; '.join(told)}."
