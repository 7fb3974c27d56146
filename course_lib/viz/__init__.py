"""Pictures and sliders from plain tensors and lists of words. Nothing here knows a model or needs the network."""

from .bands import bands
from .bertviz_views import head_view, model_view, neuron_view
from .curves import bars, curve
from .heatmap import head_grid, heatmap
from .inputs import PictureError
from .mask_map import mask_map
from .merge_slider import merge_slider
from .padded_batch import padded_batch
from .picture import Picture
from .position_tables import position_tables
from .redraw_slider import redraw_slider
from .runs import runs
from .score_family import score_family
from .signed import SIGNED
from .sinusoid_sliders import sinusoid_heatmaps
from .softmax_slider import softmax_temperature
from .softmax_spread import softmax_spread
from .text_picture import text_picture
from .token_boxes import tokens

__all__ = [
    "SIGNED", "Picture", "PictureError", "bands", "bars", "curve", "head_grid", "head_view", "heatmap", "mask_map", "merge_slider",
    "model_view", "neuron_view", "padded_batch", "position_tables", "redraw_slider", "runs", "score_family", "sinusoid_heatmaps",
    "softmax_spread", "softmax_temperature", "text_picture", "tokens",
]  # fmt: skip
