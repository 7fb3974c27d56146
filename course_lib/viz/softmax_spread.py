"""A slider on d_k: what the length of the key does to scores, weights and gradient, with the scale and without."""

import anywidget
import ipywidgets
import numpy as np
import traitlets

from . import browser_code
from .inputs import PictureError, array, check_finite, token_list
from .live import Live
from .slider_rules import RUN_ME
from .softmax_pictures import scores_weights_and_gradient
from .softmax_slider import softmax

WITHOUT, WITH = "q · k", "q · k / √d_k"


class SoftmaxSpread(anywidget.AnyWidget):
    """Bars of scores and weights and two curves of gradients; moving it asks nothing of the kernel."""

    _esm = browser_code.module("softmax_spread.js")
    _css = browser_code.style()
    scores = traitlets.List().tag(sync=True)  # (d_k, key), not yet divided
    d_ks = traitlets.List().tag(sync=True)
    gradients = traitlets.List().tag(sync=True)  # (without | with, d_k)
    tokens = traitlets.List().tag(sync=True)
    index = traitlets.Int(0).tag(sync=True)
    scaled = traitlets.Bool(False).tag(sync=True)


def softmax_spread(query, keys, tokens=None, *, d_k=(1, 1024), start=64, scaled=False) -> Live:
    """Shows scores, their softmax and the gradient that reaches the scores, with a slider over d_k and a switch for the scale.

    At each power of two the first d_k numbers of every query and key are used.

    query: (d_max,) or (many, d_max), numbers with mean 0 and variance 1. The bars show the first query; the curves are
        the mean over all of them, so that one lucky draw doesn't decide.
    keys: (key, d_max). tokens: one word for each key.
    d_k: (lowest, highest). start: where the slider stands at first. scaled: whether "divide by √d_k" is ticked at first.
    The gradient's size is the Frobenius norm of the softmax's Jacobian diag(a) − a aᵀ at the weights a (Vaswani et al.,
    "Attention Is All You Need", 2017, §3.2.1 is where the scale comes from).
    Raises PictureError when the shapes don't fit or d_k asks for more numbers than there are.
    """
    queries, keys = np.atleast_2d(array(query, "query")), array(keys, "keys")
    if keys.ndim != 2 or queries.ndim != 2 or queries.shape[-1] != keys.shape[-1]:
        raise PictureError(
            f"query should be (d_max,) or (many, d_max) and keys (key, d_max) with the same d_max; shapes {tuple(queries.shape)} and {tuple(keys.shape)} came."
        )
    check_finite(queries, "query"), check_finite(keys, "keys")
    tokens = (
        token_list(tokens, len(keys), "tokens", "key") if tokens is not None else [f"key {i}" for i in range(len(keys))]
    )
    try:
        low, high = d_k
        d_ks = [2**i for i in range(31) if low <= 2**i <= high]
    except (TypeError, ValueError):
        d_ks = []
    if len(d_ks) < 2:
        raise PictureError(
            f"d_k should be (lowest, highest) with at least two powers of two between them; {d_k!r} came."
        )
    if d_ks[-1] > keys.shape[-1]:
        raise PictureError(
            f"d_k goes up to {d_ks[-1]}, but each query and key has {keys.shape[-1]} numbers. Pass longer ones or a smaller range."
        )
    if start not in d_ks:
        raise PictureError(f"start should be one of {', '.join(map(str, d_ks))}; {start!r} came.")

    scores = np.stack([queries[:, :d] @ keys[:, :d].T for d in d_ks])  # (d_k, query, key)
    roots = np.sqrt(d_ks)[:, None, None]
    gradients = [jacobian_norm(softmax(s)).mean(-1) for s in (scores, scores / roots)]  # each (d_k,)
    index = d_ks.index(start)
    view = SoftmaxSpread(
        scores=scores[:, 0].tolist(),
        d_ks=d_ks,
        gradients=[g.tolist() for g in gradients],
        tokens=tokens,
        index=index,
        scaled=scaled,
    )
    slider = ipywidgets.SelectionSlider(
        options=d_ks,
        value=start,
        description="length of the key, d_k",
        style={"description_width": "initial"},
        layout={"width": "460px"},
    )
    switch = ipywidgets.Checkbox(value=scaled, description="divide by √d_k", indent=False, layout={"width": "160px"})
    box = ipywidgets.VBox([ipywidgets.HBox([slider, switch]), view])
    box.links = [
        ipywidgets.jslink((slider, "index"), (view, "index")),
        ipywidgets.jslink((switch, "value"), (view, "scaled")),
    ]

    shown = scores[index, 0] / (start**0.5 if scaled else 1)
    picture = scores_weights_and_gradient(
        shown, softmax(shown), tokens, d_ks, dict(zip((WITHOUT, WITH), gradients)), start, scaled, RUN_ME
    )
    return Live(box, {"d_k": slider, "scaled": switch}, picture)


def jacobian_norm(weights: np.ndarray) -> np.ndarray:
    """Frobenius norm of diag(a) − a aᵀ for each row a of weights (..., key), without building the matrix."""
    squares = (weights**2).sum(-1)
    return np.sqrt(np.maximum(squares - 2 * (weights**3).sum(-1) + squares**2, 0))
