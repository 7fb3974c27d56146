"""Pictures and sliders from plain tensors and lists of words. Nothing here knows a model or needs the network."""

from .bertviz_views import head_view, model_view, neuron_view
from .curves import bars, curve
from .heatmap import head_grid, heatmap
from .inputs import PictureError
from .mask_map import mask_map
from .merge_slider import merge_slider
from .padded_batch import padded_batch
from .picture import Picture
from .redraw_slider import redraw_slider
from .runs import runs
from .score_family import score_family
from .softmax_slider import softmax_temperature
from .softmax_spread import softmax_spread
from .text_picture import text_picture
from .token_boxes import tokens

__all__ = [
    "Picture", "PictureError", "bars", "curve", "head_grid", "head_view", "heatmap", "mask_map", "merge_slider", "model_view", "neuron_view",
    "padded_batch", "redraw_slider", "runs", "score_family", "softmax_spread", "softmax_temperature", "text_picture", "tokens",
]  # fmt: skip
