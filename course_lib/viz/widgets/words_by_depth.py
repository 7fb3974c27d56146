"""Slider over a stack's layers, with switches for their parts: a sentence's words as points that may fall together."""

from itertools import product

import anywidget
import ipywidgets
import numpy as np
import traitlets

from ..inputs import PictureError, counted, finite, token_list
from ..picture import Picture
from ..style import BLUE, new_figure, styled
from .live import Live
from .wire import RUN_ME, look, module, style, wire

PARTS = {"feed_forward": "feed-forward", "norm": "norm", "skip": "skip"}
SETTINGS = list(product((False, True), repeat=len(PARTS)))


class WordsByDepth(anywidget.AnyWidget):
    """One point for each word, and how far the words differ, layer by layer; the kernel isn't asked."""

    _esm = module("words_by_depth.js")
    _css = style()
    tokens = traitlets.List().tag(sync=True)
    points = traitlets.Dict().tag(sync=True)  # "101" (which parts are on): [layer][word] = [x, y]
    spreads = traitlets.Dict().tag(sync=True)  # "101": [layer]
    reach = traitlets.Float(1.0).tag(sync=True)
    depth = traitlets.Int(0).tag(sync=True)
    feed_forward = traitlets.Bool(False).tag(sync=True)
    norm = traitlets.Bool(False).tag(sync=True)
    skip = traitlets.Bool(False).tag(sync=True)


def words_by_depth(vectors, tokens, *, depth=0, parts=()) -> Live:
    """Shows a sentence's words after each layer, under every choice of the block's parts.

    vectors: {(feed_forward, norm, skip): (layer, word, d_model)} for all eight choices, each three booleans; layer 0 is
        what went in. tokens: one for each word. depth, parts: where the slider stands and what is switched on at first.
    A word is drawn at its distance from the words' mean, as a share of the words' length, in the two directions in
    which they differ most; from layer to layer the picture is turned to change as little as it can.
    Raises PictureError for a choice that is missing, unequal shapes, or a start that doesn't exist.
    """
    if not isinstance(vectors, dict) or sorted(vectors) != SETTINGS:
        wanted = "{(feed_forward, norm, skip): (layer, word, d_model)} for all eight choices of True and False"
        raise PictureError(f"vectors should be {wanted}.")
    vectors = {setting: finite(each, f"vectors[{setting}]") for setting, each in vectors.items()}
    shapes = {each.shape for each in vectors.values()}
    if len(shapes) > 1 or len(shape := shapes.pop()) != 3 or shape[0] < 2 or shape[1] < 2 or shape[2] < 2:
        wanted = "(layer, word, d_model), the same for all choices, with two or more of each"
        raise PictureError(f"Each choice's vectors should have the shape {wanted}.")
    tokens = token_list(tokens, shape[1], "tokens", "word")
    if not isinstance(depth, int) or not 0 <= depth < shape[0]:
        raise PictureError(f"depth should be a number of layers from 0 to {shape[0] - 1}; got {depth!r}.")
    if unknown := [part for part in parts if part not in PARTS]:
        raise PictureError(f"parts may hold {', '.join(PARTS)}; got {unknown[0]!r}.")
    on = {name: name in parts for name in PARTS}

    points = {_key(setting): flattened(each) for setting, each in vectors.items()}
    spreads = {_key(setting): spread(each) for setting, each in vectors.items()}
    reach = max(float(np.abs(each).max()) for each in points.values()) * 1.05
    view = WordsByDepth(
        tokens=tokens, reach=reach, depth=depth, **on,
        points={key: each.round(4).tolist() for key, each in points.items()},
        spreads={key: each.tolist() for key, each in spreads.items()},
    )  # fmt: skip
    controls = {"depth": ipywidgets.IntSlider(value=depth, min=0, max=shape[0] - 1, **look("layers", 460, "60px"))} | {
        name: ipywidgets.Checkbox(value=on[name], description=said, indent=False, layout={"width": "150px"})
        for name, said in PARTS.items()
    }
    key = _key(tuple(on.values()))
    return wire(view, controls, _still(points[key], spreads[key], tokens, depth, on, reach))


def spread(vectors: np.ndarray) -> np.ndarray:
    """How far the words differ, at each layer: the length of what they don't share, as a share of all. 0: all alike.

    vectors (layer, word, d_model) → (layer,)
    """
    own = vectors - vectors.mean(axis=1, keepdims=True)
    return np.linalg.norm(own, axis=(1, 2)) / np.maximum(np.linalg.norm(vectors, axis=(1, 2)), 1e-30)


def flattened(vectors: np.ndarray) -> np.ndarray:
    """(layer, word, d_model) → (layer, word, 2): two principal components, each layer turned towards the one before."""
    own = vectors - vectors.mean(axis=1, keepdims=True)
    own = own / np.maximum(np.sqrt((vectors**2).sum(-1).mean(-1)), 1e-30)[:, None, None]  # of the mean length
    left, sizes, _ = np.linalg.svd(own, full_matrices=False)
    points = left[..., :2] * sizes[:, None, :2]  # (layer, word, 2)
    for before, now in zip(points, points[1:], strict=False):
        u, _, v = np.linalg.svd(now.T @ before)
        now[:] = now @ (u @ v)  # orthogonal Procrustes
    return points


def _key(setting: tuple) -> str:
    return "".join(str(int(part)) for part in setting)


def _still(points, spreads, tokens, depth: int, on: dict, reach: float) -> Picture:
    named = " + ".join(["attention", *(said for name, said in PARTS.items() if on[name])])
    figure = new_figure(8.2, 4.0)
    with styled():
        plane, chart = figure.subplots(1, 2, width_ratios=(1, 1))
        plane.scatter(*points[depth].T, color=BLUE)
        for (x, y), token in zip(points[depth], tokens, strict=True):
            plane.annotate(token, (x, y), xytext=(5, -3), textcoords="offset points", fontsize=8.5)
        plane.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal", xticks=[], yticks=[])
        plane.set_title(f"the words after {counted(depth, 'layer')}")
        chart.plot(spreads, color=BLUE)
        chart.plot(depth, spreads[depth], "o", color=BLUE)
        chart.set(
            ylim=(0, 1.02), xlabel="layers", ylabel="share of their length", title="how far the words still differ"
        )
        chart.grid(True, linewidth=0.8)
        figure.suptitle(named)
    ends = f"from {spreads[0]:.2f} before the first layer to {spreads[-1]:.3f} after {len(spreads) - 1}"
    alt = (
        f"The {len(tokens)} words of a sentence as points, after {counted(depth, 'layer')} of {named}. "
        f"They differ by {spreads[depth]:.3f} of their length: {ends}."
    )
    return Picture(figure, alt, RUN_ME)
