"""Sliders on a sparse pattern of attention: its cells counted, and what each word hears of through several layers."""

import anywidget
import ipywidgets
import numpy as np
import traitlets

from course_lib.support.messages import whole_number

from ..inputs import PictureError
from ..mask_map import mask_map
from ..picture import Picture
from .live import Live
from .wire import RUN_ME, look, module, style, wire

RANGES = {  # name: (label, lowest, highest)
    "n": ("words", 8, 48), "window": ("window, each side", 0, 12), "num_global": ("global words", 0, 4),
    "num_random": ("random keys a word", 0, 6), "layers": ("layers", 1, 6),
}  # fmt: skip


class PatternPainter(anywidget.AnyWidget):
    """The pattern as a table, and the chosen word's way down through the layers. Nothing is asked of the kernel."""

    _esm = module("pattern_painter.js")
    _css = style("pattern_painter.css")
    order = traitlets.List().tag(sync=True)
    n = traitlets.Int(24).tag(sync=True)
    window = traitlets.Int(2).tag(sync=True)
    num_global = traitlets.Int(1).tag(sync=True)
    num_random = traitlets.Int(1).tag(sync=True)
    layers = traitlets.Int(1).tag(sync=True)


def pattern_painter(n=24, window=2, num_global=1, num_random=1, layers=1, *, seed=0) -> Live:
    """Paints Big Bird's pattern (Zaheer et al., 2020) with sliders on all its parts, and shows what a word hears of.

    n: words of the text, 8 to 48. window: words on each side. num_global: the first so many see all and are seen by
    all. num_random: keys drawn for each word, once, by the seed. layers: through which the chosen word listens.
    Raises PictureError for a number outside its slider's range.
    """
    starts = {"n": n, "window": window, "num_global": num_global, "num_random": num_random, "layers": layers}
    for name, value in starts.items():
        label, low, high = RANGES[name]
        if whole_number(name, value, low, PictureError) > high:
            raise PictureError(f"{name} ({label}) should be from {low} to {high}; got {value}.")
    order = key_order(seed)
    view = PatternPainter(order=order.tolist(), **starts)
    controls = {
        name: ipywidgets.IntSlider(value=starts[name], min=low, max=high, **look(label, 420, "150px"))
        for name, (label, low, high) in RANGES.items()
    }
    return wire(view, controls, _still(order, **starts))


def key_order(seed: int) -> np.ndarray:
    """(query, key): for each query all keys in an order of its own. A pattern draws the first that it hasn't yet."""
    most = RANGES["n"][2]
    return np.random.default_rng(seed).permuted(np.tile(np.arange(most), (most, 1)), axis=1)


def drawn_keys(order: np.ndarray, n: int, window: int, num_global: int, num_random: int) -> list[list[int]]:
    """For each query its random keys: outside the window and the global words, fewer where no more are left."""
    return [
        [int(j) for j in order[i] if j < n and abs(i - j) > window and j >= num_global][:num_random] for i in range(n)
    ]


def painted(order: np.ndarray, n: int, window: int, num_global: int, num_random: int) -> np.ndarray:
    """(n, n) bool: who looks at whom, as the browser paints it."""
    place = np.arange(n)
    mask = np.abs(place[:, None] - place) <= window
    mask[:num_global], mask[:, :num_global] = True, True
    for row, keys in zip(mask, drawn_keys(order, n, window, num_global, num_random), strict=True):
        row[keys] = True
    return mask


def _still(order, n, window, num_global, num_random, layers) -> Picture:
    mask = painted(order, n, window, num_global, num_random)
    heard = np.linalg.matrix_power(mask.astype(object), layers) > 0  # Python's whole numbers never overflow
    named = {"one layer": mask} | ({f"{layers} layers": heard} if layers > 1 else {})
    words = [str(i + 1) for i in range(n)]
    about = f"window {window}, global words {num_global}, random keys {num_random}"
    alt = f"Who looks at whom among {n} words, {about}: {mask.sum()} of {mask.size} cells, {mask.sum() / n:.1f} a row."
    if layers > 1:
        alt += f" Through {layers} layers {heard.sum()} of {mask.size} are reached."
    return mask_map(named, words, labels=("looks at it", "doesn't"), alt=alt, caption=RUN_ME)
