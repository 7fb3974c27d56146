"""Pictures and sliders from plain tensors and lists of words. Nothing here knows a model or needs the network."""

import importlib

from .arcs import arcs as arcs
from .arcs import draw_arcs as draw_arcs
from .bands import bands as bands
from .bars import bars as bars
from .beam_tree import beam_tree as beam_tree
from .blank_bars import blank_bars as blank_bars
from .curve import curve as curve
from .drawings import block_drawing as block_drawing
from .drawings import head_drawing as head_drawing
from .drawings import heads_drawing as heads_drawing
from .drawings import layer_pair_drawing as layer_pair_drawing
from .drawings import positions_drawing as positions_drawing
from .drawings import training_drawing as training_drawing
from .drawings import transformer_drawing as transformer_drawing
from .flow import Arrow as Arrow
from .flow import Box as Box
from .flow import Group as Group
from .flow import beside as beside
from .flow import flow as flow
from .head_cut import CUT_STEPS as CUT_STEPS
from .head_cut import head_cut as head_cut
from .head_grid import head_grid as head_grid
from .heatmap import heatmap as heatmap
from .input_strips import input_strips as input_strips
from .inputs import PictureError as PictureError
from .mask_map import mask_map as mask_map
from .picture import Picture as Picture
from .position_tables import position_tables as position_tables
from .recurrent_drawings import encoder_decoder_drawing as encoder_decoder_drawing
from .recurrent_drawings import reading_drawing as reading_drawing
from .runs import runs as runs
from .signed import SIGNED as SIGNED
from .tokens import tokens as tokens

# What moves loads torch, bertviz or ipywidgets: at first use, so that a card or a judge can draw without them.
_MOVING = {
    "live_loss": "live_loss", "live_scores": "live_scores", "masking_die": "widgets.masking_die",
    "beam_slider": "widgets.beam_slider",
    "head_view": "bertviz_views", "model_view": "bertviz_views", "neuron_view": "bertviz_views",
    "translation_view": "bertviz_views", "learning_rate": "widgets.learning_rate",
    "choose": "widgets.choose", "merge_slider": "widgets.merge_slider",
    "mixture": "widgets.mixture", "padded_batch": "widgets.padded_batch", "pattern_painter": "widgets.pattern_painter",
    "next_token": "widgets.next_token",
    "redraw_slider": "widgets.redraw_slider", "score_family": "widgets.score_family",
    "sinusoid_heatmaps": "widgets.sinusoid_heatmaps", "softmax_spread": "widgets.softmax_spread",
    "softmax_temperature": "widgets.softmax_temperature", "text_picture": "widgets.text_picture",
    "word_map": "widgets.word_map", "layer_mixture": "widgets.layer_mixture",
    "words_by_depth": "widgets.words_by_depth",
}  # fmt: skip


def __getattr__(name: str):
    if name not in _MOVING:
        raise AttributeError(f"module 'course_lib.viz' has no attribute {name!r}")
    globals()[name] = getattr(importlib.import_module(f"course_lib.viz.{_MOVING[name]}"), name)
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *_MOVING})
