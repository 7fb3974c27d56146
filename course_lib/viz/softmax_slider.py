"""A slider on the softmax's temperature, computed in the browser."""

import anywidget
import ipywidgets
import numpy as np
import traitlets

from . import browser_code
from .heatmap import heatmap
from .inputs import PictureError, array, check_finite, token_list
from .live import Live
from .slider_rules import RUN_ME, number_range
from .softmax_pictures import scores_and_weights


class SoftmaxTemperature(anywidget.AnyWidget):
    """softmax(scores / temperature), drawn anew at every move without asking the kernel. scores (query, key)."""

    _esm = browser_code.module("softmax_slider.js")
    _css = browser_code.style()
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
    temperature: (lowest, highest[, step]), above 0. start: where the slider stands at first. share: what to call the result.
    Raises PictureError for words that don't fit the shape, scores that aren't finite, or a bad range.
    """
    scores = array(scores, "scores")
    if scores.ndim not in (1, 2) or scores.size == 0:
        raise PictureError(
            f"Scores should have the axes (key,) or (query, key), but their shape is {tuple(scores.shape)}."
        )
    check_finite(scores, "scores")
    one_row = scores.ndim == 1 or len(scores) == 1
    matrix = np.atleast_2d(scores)
    keys = token_list(tokens, matrix.shape[1], "tokens", "key")
    queries = (
        token_list(query_tokens, len(matrix), "query_tokens", "query")
        if query_tokens is not None
        else [""]
        if one_row
        else token_list(tokens, len(matrix), "tokens", "query")
    )
    low, high, step = number_range("temperature", temperature, start)
    if low <= 0:
        raise PictureError(
            f"A temperature is above 0, but the slider would start at {low:g}. Begin at 0.1, for example."
        )

    view = SoftmaxTemperature(
        scores=matrix.tolist(), query_tokens=queries, key_tokens=keys, temperature=start, share=share
    )
    slider = ipywidgets.FloatSlider(
        value=start,
        min=low,
        max=high,
        step=step,
        description="temperature",
        readout_format=".2f",
        style={"description_width": "initial"},
        layout={"width": "420px"},
    )
    link = ipywidgets.jslink((slider, "value"), (view, "temperature"))
    box = ipywidgets.VBox([slider, view])
    box.link = link  # keeps the link as long as the box
    weights = softmax(matrix / start)
    heading = title or f"Softmax at temperature {start:g}"
    if one_row:
        picture = scores_and_weights(matrix[0], weights[0], keys, share=share, title=heading, caption=RUN_ME)
    else:
        picture = heatmap(weights, queries, keys, title=heading, caption=RUN_ME)
    return Live(box, {"temperature": slider}, picture)


def softmax(scores: np.ndarray) -> np.ndarray:
    """Over the last axis, safe for large scores."""
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)
