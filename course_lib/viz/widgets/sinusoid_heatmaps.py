"""Sliders on the base, the length and a shift of sinusoidal positions, computed in the browser."""

import anywidget
import ipywidgets
import numpy as np
import torch
import traitlets

from ..inputs import PictureError
from ..picture import Picture
from ..signed import draw_signed
from ..style import INK, new_figure, styled
from .live import Live
from .wire import RUN_ME, look, module, number_range, style, wire

MOST_NUMBERS = 256


class SinusoidHeatmaps(anywidget.AnyWidget):
    """The table of sinusoids, (position, d_model), and how alike any two positions are; the kernel isn't asked."""

    _esm = module("sinusoid_heatmaps.js")
    _css = style()
    positions = traitlets.Int(64).tag(sync=True)
    d_model = traitlets.Int(64).tag(sync=True)
    base = traitlets.Float(10_000.0).tag(sync=True)
    shift = traitlets.Int(0).tag(sync=True)
    concatenated = traitlets.Bool(False).tag(sync=True)


def sinusoid_heatmaps(
    positions=64, *, d_model=(2, 128, 2), base=(2.0, 100_000.0), shift=None, start=None, title=None
) -> Live:
    """Shows the sinusoids of `positions` positions and their similarities, with sliders that answer while you drag.

    Left: the table PE, a row for each position, a column for each number. Right: PE(p) · PE(q) / (d_model / 2) for any
    two positions, 1 where both are the same; a line marks the pairs that are `shift` apart.
    d_model, shift: (lowest, highest[, step]), whole; d_model in even steps. base: (lowest, highest), on a logarithmic
    slider. start: {"d_model": 64, "base": 10_000, "shift": 8}, where the sliders stand at first, in part or whole.
    The formula: Vaswani et al. (2017), "Attention Is All You Need", section 3.5.
    Raises PictureError for a range that isn't one, or an odd d_model.
    """
    if not isinstance(positions, int) or not 2 <= positions <= 256:
        raise PictureError(f"positions should be a whole number from 2 to 256; got {positions!r}.")
    at = {"d_model": 64, "base": 10_000.0, "shift": 8} | (start or {})
    low, high, step = number_range("d_model", d_model, at["d_model"])
    if any(not isinstance(v, int) or v % 2 for v in (low, high, step, at["d_model"])) or low < 2 or high > MOST_NUMBERS:
        wanted = f"even, from 2 to {MOST_NUMBERS}, in even steps: sine and cosine come in pairs"
        raise PictureError(f"d_model should be {wanted}; got {d_model!r}, starting at {at['d_model']}.")
    lowest, highest, _ = number_range("base", base, at["base"])
    if lowest <= 1:
        raise PictureError(f"The base is above 1, but the slider would start at {lowest:g}. Begin at 2, for example.")
    near, far, _ = number_range("shift", shift or (0, positions - 1), at["shift"])
    if near < 0 or far >= positions:
        wanted = f"between 0 and {positions - 1}, since there are {positions} positions"
        raise PictureError(f"shift should lie {wanted}; got {shift!r}.")

    view = SinusoidHeatmaps(positions=positions, **at)
    decades = {"base": 10, "min": np.log10(lowest), "max": np.log10(highest), "step": 0.05, "readout_format": ",.0f"}
    controls = {
        "base": ipywidgets.FloatLogSlider(value=at["base"], **decades, **look("base", label_width="110px")),
        "d_model": ipywidgets.IntSlider(
            value=at["d_model"], min=low, max=high, step=step, **look("d_model", label_width="110px")
        ),
        "shift": ipywidgets.IntSlider(value=at["shift"], min=near, max=far, **look("shift", label_width="110px")),
        "concatenated": ipywidgets.Checkbox(
            description="all sines first, then all cosines", indent=False, layout={"width": "300px"}
        ),
    }
    return wire(view, controls, _still(positions, at, title))


def sinusoid_table(positions: int, d_model: int, base: float) -> np.ndarray:
    """(position, d_model), sines and cosines alternating."""
    frequencies = base ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    angles = torch.arange(positions)[:, None] * frequencies  # (position, pair)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1).numpy()


def _still(positions: int, at: dict, title) -> Picture:
    table = sinusoid_table(positions, at["d_model"], at["base"])
    alike = table @ table.T / (at["d_model"] / 2)
    shift, heading = at["shift"], title or f"Sinusoids with base {at['base']:,.0f} and d_model = {at['d_model']}"
    figure = new_figure(9.0, 4.0)
    with styled():
        left, right = figure.subplots(1, 2)
        image = draw_signed(left, table, title="the table PE", x="number", y="position p", largest=1)
        draw_signed(right, alike, title="similarity of two positions", x="position q", y="position p", largest=1)
        right.plot([shift, positions - 1], [0, positions - 1 - shift], color=INK, linewidth=1.2, linestyle="--")
        figure.colorbar(image, ax=[left, right], pad=0.02, aspect=40).outline.set_visible(False)
        figure.suptitle(heading)
    size = f"{positions} positions × {at['d_model']} numbers"
    alt = (
        f"{heading}. Left, {size} from −1 to 1: fast waves on the left, slow ones on the right. Right, the similarity "
        f"of any two positions; {shift} apart it is {alike[0, shift]:.2f} everywhere."
    )
    return Picture(figure, alt, RUN_ME)
