"""Pictures and sliders from plain tensors and lists of words. Nothing here knows a model or needs the network."""

from .bertviz_views import head_view, model_view, neuron_view
from .curves import bars, curve
from .heatmap import head_grid, heatmap
from .inputs import PictureError
from .picture import Picture
from .redraw_slider import redraw_slider
from .runs import runs
from .score_family import score_family
from .softmax_slider import softmax_temperature
from .softmax_spread import softmax_spread
from .text_picture import text_picture

__all__ = [
    "Picture", "PictureError", "bars", "curve", "head_grid", "head_view", "heatmap", "model_view", "neuron_view", "redraw_slider",
    "runs", "score_family", "softmax_spread", "softmax_temperature", "text_picture",
]  # fmt: skip
