"""Pictures and sliders from plain tensors and lists of words. Nothing here knows a model or needs the network."""

from .bertviz_views import head_view, model_view, neuron_view
from .curves import bars, curve
from .heatmap import head_grid, heatmap
from .inputs import PictureError
from .merge_slider import merge_slider
from .picture import Picture
from .redraw_slider import redraw_slider
from .softmax_slider import softmax_temperature
from .softmax_spread import softmax_spread
from .token_boxes import tokens

__all__ = [
    "Picture", "PictureError", "bars", "curve", "head_grid", "head_view", "heatmap", "merge_slider", "model_view", "neuron_view",
    "redraw_slider", "softmax_spread", "softmax_temperature", "tokens",
]  # fmt: skip
