"""Sliders over ELMo's mixture γ Σ softmax(s)_j h_j: one word's uses as points, each layer's share moved by hand."""

import anywidget
import ipywidgets
import numpy as np
import traitlets

from ..inputs import PictureError, finite, token_list
from ..picture import Picture
from ..style import BLUE, ORANGE, new_figure, styled
from .live import Live
from .wire import RUN_ME, look, module, style, wire

S, GAMMA = (-4.0, 4.0), (0.2, 3.0)
MOST = 8  # layers


class LayerMixture(anywidget.AnyWidget):
    """Mixes each use's points, one a layer, in the browser; the kernel isn't asked."""

    _esm = module("layer_mixture.js")
    _css = style("layer_mixture.css")
    words = traitlets.List().tag(sync=True)  # what can be chosen
    points = traitlets.List().tag(sync=True)  # [word][layer][use] = [x, y]
    kinds = traitlets.List().tag(sync=True)  # [word][use] = 0 or 1
    names = traitlets.List().tag(sync=True)  # [word] = two names
    texts = traitlets.List().tag(sync=True)  # [word][use]
    word = traitlets.Int(0).tag(sync=True)
    gamma = traitlets.Float(1.0).tag(sync=True)


def layer_mixture(layers, kinds, texts, *, start=None) -> Live:
    """Shows each use of a word as a point: the mixture of its layers, in the two directions in which the uses differ.

    layers: {word: (layer, use, d)}, as many layers for each word. kinds: {word: a name for each use}, two different
    ones. texts: {word: a sentence for each use}, shown where one points at. start: each layer's s at first.
    Sliders move the numbers s (before the softmax) and γ. Directions and scale stay: points that move have changed.
    Raises PictureError for words, layers or names that don't fit together.
    """
    if not isinstance(layers, dict) or not layers or set(layers) != set(kinds) or set(layers) != set(texts):
        raise PictureError("layers, kinds and texts should be dictionaries with the same words, one or more.")
    planes, sides, names = [], [], []
    for word, each in layers.items():
        each = finite(each, f"layers[{word!r}]")
        if each.ndim != 3 or not 2 <= len(each) <= MOST or each.shape[1] < 3 or each.shape[2] < 2:
            wanted = f"(layer, use, d), 2 to {MOST} layers and three uses or more"
            raise PictureError(f"layers[{word!r}] should have the shape {wanted}; got {each.shape}.")
        called = token_list(kinds[word], each.shape[1], f"kinds[{word!r}]", "use", "name")
        token_list(texts[word], each.shape[1], f"texts[{word!r}]", "use", "sentence")
        if len(two := list(dict.fromkeys(called))) != 2:
            raise PictureError(f"kinds[{word!r}] should hold two different names; got {', '.join(two)}.")
        planes.append(flattened(each))
        sides.append([two.index(name) for name in called])
        names.append(two)
    counts = {len(plane) for plane in planes}
    if len(counts) > 1:
        raise PictureError(f"Each word should have as many layers; got {sorted(counts)}.")
    (count,) = counts
    start = [0.0] * count if start is None else finite(start, "start").tolist()
    if len(start) != count or not all(S[0] <= s <= S[1] for s in start):
        raise PictureError(f"start should hold {count} numbers from {S[0]:g} to {S[1]:g}; got {start}.")

    traits = {f"s{j}": traitlets.Float(s).tag(sync=True) for j, s in enumerate(start)}
    view = LayerMixture(
        words=list(map(str, layers)), points=[plane.round(4).tolist() for plane in planes], kinds=sides, names=names,
        texts=[list(map(str, texts[word])) for word in layers],
    )  # fmt: skip
    view.add_traits(**traits)
    for name, s in zip(traits, start, strict=True):
        setattr(view, name, s)
    view.send_state(list(traits))
    controls = {}
    if len(layers) > 1:
        controls["word"] = ipywidgets.Dropdown(options=list(layers), **look("word", 220, "60px"))
    for j, s in enumerate(start):
        controls[f"s{j}"] = ipywidgets.FloatSlider(
            value=s, min=S[0], max=S[1], step=0.1, **look(f"s{'₀₁₂₃₄₅₆₇'[j]}", 420, "60px")
        )
    controls["gamma"] = ipywidgets.FloatSlider(
        value=1.0, min=GAMMA[0], max=GAMMA[1], step=0.1, **look("γ", 420, "60px")
    )
    return wire(view, controls, _still(planes[0], sides[0], names[0], next(iter(layers)), start))


def flattened(layers: np.ndarray) -> np.ndarray:
    """(layer, use, d) → (layer, use, 2): the two directions in which uses differ most, taken over all layers; a layer
    in which they don't differ is one point. The largest number is 1."""
    own = layers - layers.mean(axis=1, keepdims=True)
    _, _, directions = np.linalg.svd(own.reshape(-1, layers.shape[-1]), full_matrices=False)
    points = own @ directions[:2].T
    return points / max(np.abs(points).max(), 1e-12)


def shares(s) -> np.ndarray:
    powers = np.exp(np.asarray(s) - np.max(s))
    return powers / powers.sum()


def _still(points, sides, names, word: str, s) -> Picture:
    mixed = np.einsum("j,jux->ux", shares(s), points)
    sides = np.array(sides)
    figure = new_figure(6.2, 4.6)
    with styled():
        axes = figure.subplots()
        for side, (name, colour, marker) in enumerate(zip(names, (BLUE, ORANGE), "os", strict=True)):
            axes.scatter(*mixed[sides == side].T, color=colour, marker=marker, s=22, label=name, alpha=0.8)
        axes.set(xlim=(-1.1, 1.1), ylim=(-1.1, 1.1), xticks=[], yticks=[])
        shown = ", ".join(f"layer {j} {share:.2f}" for j, share in enumerate(shares(s)))
        axes.set_title(f"{len(sides)} uses of {word}; {shown}")
        axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
    return Picture(figure, f"{len(sides)} uses of {word} as points, {names[0]} and {names[1]}; {shown}.", RUN_ME)
