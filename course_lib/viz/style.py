"""One look for every figure: white paper, few colours that everyone can tell apart, 100 CSS pixels an inch."""

import contextlib
import io
import warnings

import numpy as np
from matplotlib import cycler, rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.figure import Figure
from PIL import Image

from .inputs import whole

INK, MUTED, GRID = "#1f2933", "#52606d", "#dfe4ea"
# After Okabe and Ito, "Color Universal Design" (2008).
BLUE, ORANGE, GREEN, PURPLE = "#0072b2", "#d55e00", "#009e73", "#aa4499"
# Dash and marker say it without the colour.
LINES = [(BLUE, "-", "o"), (ORANGE, "--", "s"), (GREEN, "-.", "^"), (PURPLE, ":", "D")]
CSS_PIXELS_PER_INCH = 100
QUERY_AXIS, KEY_AXIS = "query (the word that looks)", "key (the word looked at)"

RULES = {
    "font.family": "DejaVu Sans",  # comes with matplotlib: the same picture on every machine
    "font.size": 9.5,
    "text.color": INK,
    "axes.labelcolor": MUTED,
    "axes.edgecolor": MUTED,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "figure.titlesize": 11,
    "figure.titleweight": "bold",
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "grid.color": GRID,
    "legend.frameon": False,
    "lines.linewidth": 2,
    "axes.prop_cycle": cycler(color=[BLUE, ORANGE, GREEN, PURPLE]),
    "text.parse_math": False,  # a token may hold a dollar sign
}


class _Renderer(RendererAgg):
    """matplotlib's, for any text at all: half a character would be a TypeError."""

    def get_text_width_height_descent(self, s, *args, **kwargs):
        return super().get_text_width_height_descent(whole(s), *args, **kwargs)

    def draw_text(self, gc, x, y, s, *args, **kwargs):
        return super().draw_text(gc, x, y, whole(s), *args, **kwargs)


class _Canvas(FigureCanvasAgg):
    def get_renderer(self):
        size = (*self.get_width_height(physical=True), self.figure.dpi)
        if size != getattr(self, "_size", None):
            self.renderer, self._size = _Renderer(*size), size
        return self.renderer


def new_figure(width: float, height: float) -> Figure:
    """A figure of width × height inches that no global state knows about."""
    figure = Figure(figsize=(width, height), layout="constrained", facecolor="white")
    _Canvas(figure)
    return figure


@contextlib.contextmanager
def styled():
    """Context in which axes are made, measured and drawn in the course's style."""
    with rc_context(RULES), warnings.catch_warnings():
        # An emoji is drawn as a box; that is no error of the reader's.
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        yield


def png(figure: Figure, sharpness: float = 2.0, small: bool = True) -> bytes:
    """The figure as PNG, `sharpness` image pixels for a CSS pixel.

    The same figure gives the same bytes: no date or version inside.
    small: 256 colours, a third of the size; without it, sooner ready.
    """
    figure.dpi = CSS_PIXELS_PER_INCH * sharpness
    with styled():
        figure.canvas.draw()
    pixels = Image.fromarray(np.asarray(figure.canvas.buffer_rgba())[..., :3])
    if small:
        pixels = pixels.quantize(256, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    out = io.BytesIO()
    pixels.save(out, format="png", compress_level=9 if small else 1)
    return out.getvalue()
