"""A slider on the softmax's temperature, computed in the browser."""

import anywidget
import ipywidgets
import numpy as np
import torch
import traitlets

from ..heatmap import heatmap
from ..inputs import PictureError, finite, token_list
from .live import Live
from .softmax_pictures import scores_and_weights
from .wire import RUN_ME, look, module, number_range, style, wire


class SoftmaxTemperature(anywidget.AnyWidget):
    """softmax(scores / temperature), drawn anew at every move without asking the kernel. scores (query, key)."""

    _esm = module("softmax_temperature.js")
    _css = style()
    scores = traitlets.List().tag(sync=True)
    query_tokens = traitlets.List().tag(sync=True)
    key_tokens = traitlets.List().tag(sync=True)
    temperature = traitlets.Float(1.0).tag(sync=True)
    share = traitlets.Unicode().tag(sync=True)


def softmax_temperature(
    scores, tokens, query_tokens=None, *, temperature=(0.1, 4), start=1.0, share="attention weight", title=None
) -> Live:
    """Shows softmax(scores / temperature) with a slider that answers while you drag.

    scores: (key,) for one word that looks (drawn as bars), or (query, key) (drawn as a heatmap).
    tokens: one word for each key. query_tokens: one for each query; by default the same words.
    temperature: (lowest, highest[, step]), above 0. start: where the slider stands at first.
    share: what to call the result.
    Raises PictureError for words that don't fit the shape, scores that aren't finite, or a bad range.
    """
    scores = finite(scores, "scores")
    if scores.ndim not in (1, 2) or scores.size == 0:
        shape = tuple(scores.shape)
        raise PictureError(f"Scores should have the axes (key,) or (query, key), but their shape is {shape}.")
    one_row = scores.ndim == 1 or len(scores) == 1
    scores = np.atleast_2d(scores)
    keys = token_list(tokens, scores.shape[1], "tokens", "key")
    if query_tokens is not None:
        queries = token_list(query_tokens, len(scores), "query_tokens", "query")
    else:
        queries = [""] if one_row else token_list(tokens, len(scores), "tokens", "query")
    low, high, step = number_range("temperature", temperature, start)
    if low <= 0:
        cure = "Begin at 0.1, for example."
        raise PictureError(f"A temperature is above 0, but the slider would start at {low:g}. {cure}")

    view = SoftmaxTemperature(
        scores=scores.tolist(), query_tokens=queries, key_tokens=keys, temperature=start, share=share
    )
    slider = ipywidgets.FloatSlider(
        value=start, min=low, max=high, step=step, readout_format=".2f", **look("temperature")
    )
    weights = torch.from_numpy(scores / start).softmax(dim=-1).numpy()
    heading = title or f"Softmax at temperature {start:g}"
    if one_row:
        picture = scores_and_weights(scores[0], weights[0], keys, share=share, title=heading, caption=RUN_ME)
    else:
        picture = heatmap(weights, queries, keys, title=heading, caption=RUN_ME)
    return wire(view, {"temperature": slider}, picture)
