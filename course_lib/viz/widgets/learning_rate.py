"""Sliders on d_model and the warm-up of the Transformer's learning rate, computed in the browser."""

import anywidget
import ipywidgets
import numpy as np
import traitlets

from ..inputs import PictureError, finite
from ..picture import Picture
from ..style import LINES, MUTED, new_figure, styled
from .live import Live
from .wire import RUN_ME, look, module, number_range, style, wire

POINTS = 240  # of the line


class LearningRate(anywidget.AnyWidget):
    """d_model^−½ · min(step^−½, step · warmup^−1.5), drawn anew at every move; the kernel isn't asked."""

    _esm = module("learning_rate.js")
    _css = style()
    steps = traitlets.Int(20_000).tag(sync=True)
    d_model = traitlets.Int(512).tag(sync=True)
    warmup = traitlets.Int(4000).tag(sync=True)
    own = traitlets.List().tag(sync=True)
    own_name = traitlets.Unicode().tag(sync=True)


def learning_rate(
    steps=20_000, *, d_model=(16, 2048), warmup=(10, 16_000), start=None, own=None, own_name="your run"
) -> Live:
    """Shows the learning rate of Vaswani et al. (2017), section 5.3, over so many steps, with two sliders.

    d_model, warmup: (lowest, highest), whole numbers above 0. start: {"d_model": 512,
    "warmup": 4000}, where they stand at first, in part or whole. own: the rates of a run that was made, (step,), drawn
    as a second line; own_name: what it is called.
    Raises PictureError for a range that isn't one, or rates that aren't finite numbers.
    """
    at = {"d_model": 512, "warmup": 4000} | (start or {})
    if not isinstance(steps, int) or not 10 <= steps <= 1_000_000:
        raise PictureError(f"steps should be a whole number from 10 to 1,000,000; got {steps!r}.")
    for name, limits in (("d_model", d_model), ("warmup", warmup)):
        if number_range(name, limits, at[name])[0] < 1:
            raise PictureError(f"{name} is above 0, but the slider would start at {limits[0]}.")
    rates = finite([] if own is None else own, "own")
    if rates.ndim != 1:
        raise PictureError(f"own should hold one rate for each step; got the shape {tuple(rates.shape)}.")
    view = LearningRate(steps=steps, own=rates.tolist(), own_name=own_name, **at)
    controls = {
        name: ipywidgets.IntSlider(value=at[name], min=limits[0], max=limits[1], **look(name, label_width="110px"))
        for name, limits in (("d_model", d_model), ("warmup", warmup))
    }
    return wire(view, controls, _still(steps, at, rates, own_name))


def paper_rate(step: np.ndarray, d_model: int, warmup: int) -> np.ndarray:
    """The rate at each of these steps, from 1 on."""
    return d_model**-0.5 * np.minimum(step**-0.5, step * warmup**-1.5)


def _still(steps: int, at: dict, own: np.ndarray, own_name: str) -> Picture:
    xs = np.unique(np.linspace(1, steps, POINTS).round())
    ys = paper_rate(xs, **at)
    figure = new_figure(6.4, 3.4)
    with styled():
        axes = figure.subplots()
        axes.plot(xs, ys, color=LINES[0][0], label=f"d_model = {at['d_model']}, warm-up {at['warmup']:,}")
        if len(own):
            axes.plot(np.arange(1, len(own) + 1), own, color=LINES[1][0], linestyle="--", label=own_name)
        axes.axvline(at["warmup"], color=MUTED, linewidth=1, linestyle=(0, (2, 3)))
        axes.set(xlabel="step", ylabel="learning rate", title="The learning rate of the paper")
        axes.grid(True, linewidth=0.8)
        axes.legend(fontsize=8.5)
    highest = paper_rate(np.array([float(at["warmup"])]), **at)[0]
    said = f"Learning rate against step: d_model = {at['d_model']}, highest {highest:.2g} at step {at['warmup']:,}."
    mine = f" {own_name}: {len(own)} steps, highest {own.max():.2g}." if len(own) else ""
    return Picture(figure, said + mine, RUN_ME)
