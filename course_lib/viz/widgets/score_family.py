"""Sliders on a query's direction and length: the same keys meet it under all five scores, computed in the browser."""

import anywidget
import ipywidgets
import numpy as np
import torch
import traitlets

from ..inputs import PictureError, finite, token_list
from ..picture import Picture
from ..style import BLUE, MUTED, ORANGE, new_figure, styled
from .live import Live
from .softmax_pictures import draw_bars
from .wire import RUN_ME, look, module, number_range, style, wire

SHAPES = {"W_1": "(d_score, 2)", "W_2": "(d_score, 2)", "w_3": "(d_score,)", "W": "(2, 2)"}


class ScoreFamily(anywidget.AnyWidget):
    """Arrows in the plane, and the weights that each score makes of them."""

    _esm = module("score_family.js")
    _css = style("score_family.css")
    arrows = traitlets.List().tag(sync=True)  # the keys, (key, 2); a widget already has a trait `keys`
    tokens = traitlets.List().tag(sync=True)
    weights = traitlets.Dict().tag(sync=True)  # W_1, W_2, w_3, W
    reach = traitlets.Float(2.0).tag(sync=True)
    direction = traitlets.Float(0.0).tag(sync=True)  # degrees
    length = traitlets.Float(1.0).tag(sync=True)


def score_family(
    keys, tokens, *, W_1, W_2, w_3, W, direction=(0, 360, 5), length=(0.2, 4.0, 0.1), start=(30, 1.0)
) -> Live:
    """Shows softmax(score(query, keys)) for the additive, multiplicative, dot, scaled dot and cosine score.

    keys: (key, 2), arrows in the plane. tokens: one name for each key. The query is an arrow too, moved by two sliders:
        its direction in degrees, counted from the right and upwards, and its length. start: where both stand at first.
    W_1, W_2 (d_score, 2) and w_3 (d_score,) belong to the additive score, W (2, 2) to the multiplicative one.
    Raises PictureError when the shapes don't fit, or a number isn't finite.
    """
    keys = finite(keys, "keys")
    if keys.ndim != 2 or keys.shape[1] != 2 or not len(keys):
        raise PictureError(f"keys should have the shape (key, 2): arrows in a plane; got {tuple(keys.shape)}.")
    tokens = token_list(tokens, len(keys), "tokens", "key")
    learned = {name: finite(value, name) for name, value in {"W_1": W_1, "W_2": W_2, "w_3": w_3, "W": W}.items()}
    d_score = learned["w_3"].size
    for name, wanted in {"W_1": (d_score, 2), "W_2": (d_score, 2), "w_3": (d_score,), "W": (2, 2)}.items():
        if learned[name].shape != wanted:
            shape = f"{SHAPES[name]}, here {wanted}"
            raise PictureError(f"{name} should have the shape {shape}; got {learned[name].shape}.")
    controls = {}
    for name, limits, value, digits in (("direction", direction, start[0], 0), ("length", length, start[1], 1)):
        low, high, step = number_range(name, limits, value)
        controls[name] = ipywidgets.FloatSlider(
            value=value, min=low, max=high, step=step, readout_format=f".{digits}f",
            **look(f"{name} of the query", 460, "160px"),
        )  # fmt: skip
    reach = max(float(np.linalg.norm(keys, axis=1).max()), controls["length"].max)
    view = ScoreFamily(
        arrows=keys.tolist(), tokens=tokens, weights={name: value.tolist() for name, value in learned.items()},
        reach=reach, direction=start[0], length=start[1],
    )  # fmt: skip
    return wire(view, controls, _still(keys, tokens, learned, reach, *start))


def family_weights(query, keys, W_1, W_2, w_3, W) -> dict[str, np.ndarray]:
    """The weights over the keys (key, d) that one query (d,) gets under each score, by the score's name."""
    query, keys, W_1, W_2, w_3, W = (torch.from_numpy(finite(x)) for x in (query, keys, W_1, W_2, w_3, W))
    scores = {
        "additive": (W_1 @ query + keys @ W_2.T).tanh() @ w_3,
        "multiplicative": keys @ (query @ W),
        "dot": keys @ query,
        "scaled dot": keys @ query / len(query) ** 0.5,
        "cosine": torch.cosine_similarity(query, keys, dim=-1),
    }
    return {name: each.softmax(dim=-1).numpy() for name, each in scores.items()}


def _still(keys, tokens, learned, reach, direction, length) -> Picture:
    angle = np.deg2rad(direction)
    query = length * np.array([np.cos(angle), np.sin(angle)])
    weights = family_weights(query, keys, **learned)
    figure = new_figure(9.6, 5.0)
    with styled():
        plane, *panels = figure.subplots(2, 3).flat
        arrows = [(key, token, BLUE, "-") for key, token in zip(keys, tokens, strict=True)]
        for vector, name, colour, dash in [*arrows, (query, "query", ORANGE, "--")]:
            arrow = {"arrowstyle": "->", "color": colour, "linestyle": dash, "linewidth": 2}
            plane.annotate("", vector, (0, 0), arrowprops=arrow)
            place = {"xytext": 9 * vector / np.linalg.norm(vector), "textcoords": "offset points"}
            plane.annotate(name, vector, fontsize=8.5, ha="center", va="center", color=colour, **place)
        plane.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal", title="the query and the keys")
        plane.axhline(0, color=MUTED, linewidth=0.5)
        plane.axvline(0, color=MUTED, linewidth=0.5)
        for axes, (name, row) in zip(panels, weights.items(), strict=True):
            draw_bars(axes, row, tokens, "attention weight", BLUE, limits=(0, 1))
            axes.set_title(name)
    title = f"Query with direction {direction:g}° and length {length:g}"
    most = "; ".join(f"{name} {row.max():.2f} on {tokens[int(row.argmax())]}" for name, row in weights.items())
    return Picture(figure, f"{title} among {len(keys)} keys, under five scores. Largest weights: {most}.", RUN_ME)
