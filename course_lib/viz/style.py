"""One look for every figure: white paper, few colours that everyone can tell apart, 100 CSS pixels an inch."""

import io
import warnings

from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

INK, MUTED, GRID = "#1f2933", "#52606d", "#dfe4ea"
BLUE, ORANGE, GREEN, PURPLE = "#0072b2", "#d55e00", "#009e73", "#aa4499"  # after Okabe and Ito, "Color Universal Design" (2008)
LINES = [(BLUE, "-", "o"), (ORANGE, "--", "s"), (GREEN, "-.", "^"), (PURPLE, ":", "D")]  # dash and marker say it without the colour
CSS_PIXELS_PER_INCH = 100

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
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "grid.color": GRID,
    "legend.frameon": False,
    "lines.linewidth": 2,
    "text.parse_math": False,  # a token may hold a dollar sign
}


def new_figure(width: float, height: float) -> Figure:
    """A figure of width × height inches that no global state knows about."""
    figure = Figure(figsize=(width, height), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    return figure


def styled():
    """Context in which axes are made and drawn in the course's style."""
    return rc_context(RULES)


def png(figure: Figure, sharpness: float = 2.0, compression: int = 9) -> bytes:
    """The figure as PNG, `sharpness` image pixels for a CSS pixel. No date or version inside: the same figure gives the same bytes."""
    out = io.BytesIO()
    with styled(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # an emoji is drawn as a box; that is no error of the reader's
        figure.savefig(out, format="png", dpi=CSS_PIXELS_PER_INCH * sharpness, metadata={"Software": None}, pil_kwargs={"compress_level": compression})
    return out.getvalue()
