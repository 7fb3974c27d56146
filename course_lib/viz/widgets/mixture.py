"""Slider over what an attention head mixes: the values as points of a plane, and z, which moves as the weights do."""

import anywidget
import ipywidgets
import numpy as np
import traitlets

from ..inputs import PictureError, finite, token_list
from ..picture import Picture
from ..style import BLUE, MUTED, ORANGE, new_figure, styled
from .live import Live
from .softmax_pictures import draw_bars
from .wire import RUN_ME, look, module, style, wire

CLOSE = 0.09  # of the plane's width: a label hides others that are so near


class Mixture(anywidget.AnyWidget):
    """z = Σ a_j v_j for one of several rows of weights; the kernel isn't asked."""

    _esm = module("mixture.js")
    _css = style("mixture.css")
    tokens = traitlets.List().tag(sync=True)
    points = traitlets.List().tag(sync=True)  # (key, 2); a widget already has a trait `values`
    rows = traitlets.List().tag(sync=True)  # (setting, key)
    settings = traitlets.List().tag(sync=True)  # what each row is called, after `slider`
    slider = traitlets.Unicode().tag(sync=True)
    outline = traitlets.List().tag(sync=True)  # the points on the border, in a row
    index = traitlets.Int(0).tag(sync=True)


def mixture(weights, values, tokens, *, slider="row", settings=None, start=0) -> Live:
    """Shows the values as points and their mixture z as an arrow, with a slider over rows of weights.

    weights: (setting, key), each row positive with sum 1: what the slider goes through. values: (key, 2), in a plane.
    tokens: one for each key. slider: what is moved; settings: its value in each row, by default 0, 1, 2 …
    start: the row shown at first.
    Raises PictureError for shapes that don't fit, or rows that are no weights.
    """
    weights, values = finite(weights, "weights"), finite(values, "values")
    if weights.ndim != 2 or len(weights) < 2 or (weights < 0).any() or abs(weights.sum(-1) - 1).max() > 1e-3:
        raise PictureError(
            "weights should have the shape (setting, key), two rows or more; each row positive with sum 1."
        )
    if values.shape != (weights.shape[1], 2):
        wanted = f"({weights.shape[1]}, 2), a point of a plane for each key"
        raise PictureError(f"values should have the shape {wanted}; got {tuple(values.shape)}.")
    tokens = token_list(tokens, len(values), "tokens", "key")
    settings = token_list(
        range(len(weights)) if settings is None else settings, len(weights), "settings", "row", "name"
    )
    if not isinstance(start, int) or not 0 <= start < len(weights):
        raise PictureError(f"start should be a row from 0 to {len(weights) - 1}; got {start!r}.")
    view = Mixture(
        tokens=tokens, points=values.tolist(), rows=weights.round(5).tolist(), settings=settings, slider=slider,
        outline=outline(values), index=start,
    )  # fmt: skip
    options = [(name, i) for i, name in enumerate(settings)]
    control = ipywidgets.SelectionSlider(options=options, index=start, **look(slider, 520, "240px"))
    return wire(
        view, {"row": control}, _still(weights[start], values, tokens, f"{slider}: {settings[start]}"), {"row": "index"}
    )


def outline(points: np.ndarray) -> list[int]:
    """The indices of the points on the border of all, counter-clockwise: their convex hull. points (key, 2)."""

    def half(order) -> list[int]:
        found = []
        for i in order:
            while len(found) > 1 and _turn(*points[found[-2:]], points[i]) <= 0:
                found.pop()
            found.append(i)
        return found[:-1]

    order = [int(i) for i in np.lexsort((points[:, 1], points[:, 0]))]
    return half(order) + half(order[::-1]) or order


def _turn(a, b, c) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _still(weights, values, tokens, setting: str) -> Picture:
    z = weights @ values
    figure = new_figure(8.2, max(0.26 * len(tokens) + 1.2, 3.8))
    with styled():
        plane, panel = figure.subplots(1, 2, width_ratios=(3, 2))
        plane.fill(*values[outline(values)].T, facecolor="none", edgecolor=MUTED, linewidth=0.8, linestyle=":")
        plane.scatter(*values.T, s=25 + 300 * weights, color=BLUE)
        steps = np.cumsum([(0, 0), *(weights[:, None] * values)], axis=0)
        plane.plot(*steps.T, color=BLUE, linewidth=1)
        plane.annotate(
            "", z, (0, 0), arrowprops={"arrowstyle": "->", "color": ORANGE, "linestyle": "--", "linewidth": 2}
        )
        plane.annotate("z", z, xytext=(6, -12), textcoords="offset points", color=ORANGE, fontweight="bold")
        near, placed = CLOSE * max(np.ptp(values, axis=0).max(), 1e-9), []
        for i in np.argsort(-weights, kind="stable"):
            if all(abs(values[i] - values[j]).max() > near for j in placed):
                plane.annotate(tokens[i], values[i], xytext=(8, 5), textcoords="offset points", fontsize=8.5)
                placed.append(i)
        plane.set(aspect="equal", title="values, and z")
        plane.margins(0.15)
        plane.axhline(0, color=MUTED, linewidth=0.5)
        plane.axvline(0, color=MUTED, linewidth=0.5)
        draw_bars(panel, weights, tokens, "attention weight", BLUE, limits=(0, 1))
        figure.suptitle(setting)
    top = int(weights.argmax())
    at = " and ".join(f"{number:.2f}" for number in z)
    alt = (
        f"{setting}. {len(tokens)} values as points, and their mixture z at {at}. "
        f"The largest weight is {weights[top]:.2f}, on {tokens[top]}."
    )
    return Picture(figure, alt, RUN_ME)
