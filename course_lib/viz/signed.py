"""Numbers from −1 to 1 as shades: blue above 0, orange below, nothing at 0."""

import numpy as np
from matplotlib.colors import LinearSegmentedColormap

from .style import BLUE, ORANGE

SIGNED = LinearSegmentedColormap.from_list("signed", [ORANGE, "#ffffff", BLUE])


def draw_signed(axes, values: np.ndarray, *, title, x, y, largest=None):
    """A table (row, column) on the axes, its colours symmetric about 0. Returns the image, for a colour bar."""
    largest = largest or max(float(np.abs(values).max()), 1e-12)
    image = axes.imshow(values, cmap=SIGNED, vmin=-largest, vmax=largest, aspect="auto", interpolation="nearest")
    axes.spines[:].set_visible(False)
    axes.set_title(title, fontsize=9.5)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    for axis in (axes.xaxis, axes.yaxis):
        axis.get_major_locator().set_params(integer=True)
    return image
