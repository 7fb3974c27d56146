"""Pictures and sliders from plain tensors and lists of words. Nothing here knows a model or needs the network."""

from .bands import bands
from .bertviz_views import head_view, model_view, neuron_view
from .curves import bars, curve
from .heatmap import head_grid, heatmap
from .inputs import PictureError
from .picture import Picture
from .position_tables import position_tables
from .redraw_slider import redraw_slider
from .signed import SIGNED
from .sinusoid_sliders import sinusoid_heatmaps
from .softmax_slider import softmax_temperature
from .softmax_spread import softmax_spread

__all__ = [
    "SIGNED", "Picture", "PictureError", "bands", "bars", "curve", "head_grid", "head_view", "heatmap", "model_view", "neuron_view", "position_tables",
    "redraw_slider", "sinusoid_heatmaps", "softmax_spread", "softmax_temperature",
]  # fmt: skip
