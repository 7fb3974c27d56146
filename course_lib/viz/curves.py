"""Lines and bars."""

import numpy as np

from .inputs import PictureError, array, check_finite, counted, shorten
from .picture import Picture
from .style import BLUE, LINES, MUTED, new_figure, styled


def curve(xs, ys, /, *, x, y, reference=None, labels=None, log=False, title=None, alt=None, caption=None) -> Picture:
    """Draws one line, or several over the same points.

    xs: (point,) numbers. ys: (point,), or (line, point) with one label for each line.
    x, y: what the axes show, with the unit.
    reference: (label, values), a dashed grey line to compare with, for example ("√d_k", [d ** 0.5 for d in d_ks]).
    log: True for both axes, or "x" or "y" for one.
    Raises PictureError for unequal lengths, numbers that aren't finite, or a logarithm of something ≤ 0.
    """
    xs, lines = array(xs, "xs"), array(ys, "ys")
    lines = lines[None] if lines.ndim == 1 else lines
    if xs.ndim != 1 or lines.ndim != 2 or lines.shape[1] != len(xs) or len(xs) == 0:
        raise PictureError(
            f"A curve needs one y for each x: there are {xs.size} xs, and ys has the shape {tuple(array(ys, 'ys').shape)}."
        )
    if labels is None and len(lines) > 1:
        raise PictureError(f"There are {len(lines)} lines; pass labels=[…] with a name for each.")
    if labels is not None and (isinstance(labels, str) or len(labels) != len(lines)):
        raise PictureError(
            f"labels should be a list with {counted(len(lines), 'name')}, one for each line; {labels!r} came."
        )
    compared = None
    if reference is not None:
        if not (
            isinstance(reference, tuple) and len(reference) == 2 and array(reference[1], "reference").shape == xs.shape
        ):
            raise PictureError(
                f"reference should be a pair of a label and {counted(len(xs), 'value')}, one for each x."
            )
        compared = array(reference[1], "reference")
        check_finite(compared, "The reference's values")
    check_finite(xs, "xs"), check_finite(lines, "ys")
    if log not in (False, True, "x", "y"):
        raise PictureError(f'log should be True, False, "x" or "y"; {log!r} came.')
    for name, axis, used in (("xs", xs, log in (True, "x")), ("ys", lines, log in (True, "y"))):
        if used and (axis <= 0).any():
            raise PictureError(f"A logarithmic axis needs numbers above 0, but {name} holds {axis.min():g}.")

    figure = new_figure(5.6, 3.4)
    with styled():
        axes = figure.subplots()
        if compared is not None:
            axes.plot(xs, compared, color=MUTED, linestyle=(0, (5, 3)), linewidth=1.6, label=reference[0], zorder=1)
        for i, line in enumerate(lines):
            colour, dash, marker = LINES[i % len(LINES)]
            axes.plot(
                xs,
                line,
                color=colour,
                linestyle=dash,
                marker=marker if len(xs) <= 40 else None,
                markersize=5,
                label=labels[i] if labels else y.split(",")[0],
            )
        if log in (True, "x"):
            axes.set_xscale("log", base=2 if _powers_of_two(xs) else 10)
            if len(xs) <= 14:
                axes.set_xticks(xs, [f"{v:g}" for v in xs])
                axes.set_xticks([], minor=True)
        if log in (True, "y"):
            axes.set_yscale("log", base=2 if _powers_of_two(xs) and lines.max() < 2**12 * lines.min() else 10)
            axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.grid(True, linewidth=0.8)
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        if labels or compared is not None:
            axes.legend()
        if title:
            axes.set_title(title)
        return Picture(figure, alt or _curve_words(xs, lines, x, y, labels, reference, title), caption)


def bars(values, labels, *, y="value", x=None, title=None, alt=None, caption=None, highlight=None) -> Picture:
    """Draws one bar for each label, with its number.

    values: (bar,) numbers. labels: (bar,) words. y, x: what the axes show, with the unit.
    highlight: the index of a bar that should stand out.
    Raises PictureError when there isn't one label for each value, or a value isn't finite.
    """
    values = array(values, "values")
    labels = [shorten(str(label)) for label in labels]
    if values.ndim != 1 or len(values) != len(labels) or len(values) == 0:
        raise PictureError(
            f"Bars need one label for each value: the values have the shape {tuple(values.shape)}, and there are {counted(len(labels), 'label')}."
        )
    check_finite(values, "values")
    longest = max(map(len, labels))
    figure = new_figure(float(np.clip(0.62 * len(values) + 1.4, 3.6, 9.6)), 3.0)
    with styled():
        axes = figure.subplots()
        colours = [BLUE if highlight is None or i == highlight % len(values) else "#9fb8c8" for i in range(len(values))]
        drawn = axes.bar(range(len(values)), values, color=colours, width=0.72)
        if len(values) <= 16:
            axes.bar_label(
                drawn,
                [f"{v:.2f}".replace("-", "−") if abs(v) < 100 else f"{v:,.0f}" for v in values],
                padding=2,
                fontsize=8.5,
            )
        axes.set_xticks(
            range(len(values)),
            labels,
            rotation=0 if longest * 0.085 < 0.62 else 45,
            ha="center" if longest * 0.085 < 0.62 else "right",
            rotation_mode="anchor",
        )
        axes.tick_params(axis="x", length=0)
        axes.axhline(0, color=MUTED, linewidth=0.8)
        axes.margins(y=0.12)
        axes.grid(axis="y", linewidth=0.8)
        axes.set_ylabel(y)
        if x:
            axes.set_xlabel(x)
        if title:
            axes.set_title(title)
        most, least = int(values.argmax()), int(values.argmin())
        words = f"{title + '. ' if title else ''}Bar chart of {y}, {counted(len(values), 'bar')}; highest “{labels[most]}” ({values[most]:.3g}), lowest “{labels[least]}” ({values[least]:.3g})."
        return Picture(figure, alt or words, caption)


def _powers_of_two(xs: np.ndarray) -> bool:
    return bool((xs > 0).all() and np.allclose(np.log2(xs), np.round(np.log2(xs))))


def _curve_words(xs, lines, x, y, labels, reference, title) -> str:
    told = [
        (f"{labels[i]}: " if labels else "") + f"from {line[0]:.3g} at {xs[0]:g} to {line[-1]:.3g} at {xs[-1]:g}"
        for i, line in enumerate(lines)
    ]
    compared = f"; dashed line to compare with: {reference[0]}" if reference else ""
    return f"{title + '. ' if title else ''}Line chart of {y} against {x}; {'; '.join(told)}{compared}."
