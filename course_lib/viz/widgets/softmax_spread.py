"""A slider on d_k: what the length of the key does to scores, weights and gradient, with the scale and without."""

import anywidget
import ipywidgets
import numpy as np
import torch
import traitlets

from course_lib.support.messages import one_of

from ..inputs import PictureError, finite, token_list
from .live import Live
from .softmax_pictures import scores_weights_and_gradient
from .wire import RUN_ME, look, module, style, wire

WITHOUT, WITH = "q · k", "q · k / √d_k"


class SoftmaxSpread(anywidget.AnyWidget):
    """Bars of scores and weights and two curves of gradients; moving it asks nothing of the kernel."""

    _esm = module("softmax_spread.js")
    _css = style()
    scores = traitlets.List().tag(sync=True)  # (d_k, key), not yet divided
    d_ks = traitlets.List().tag(sync=True)
    gradients = traitlets.List().tag(sync=True)  # (without | with, d_k)
    tokens = traitlets.List().tag(sync=True)
    index = traitlets.Int(0).tag(sync=True)
    scaled = traitlets.Bool(False).tag(sync=True)


def softmax_spread(query, keys, tokens=None, *, d_k=(1, 1024), start=64, scaled=False) -> Live:
    """Shows scores, their softmax and the gradient that reaches the scores, with a slider over d_k and a switch.

    At each power of two the first d_k numbers of every query and key are used. The switch divides by √d_k.

    query: (d_max,) or (many, d_max), numbers with mean 0 and variance 1. The bars show the first query; the curves are
        the mean over all of them, so that one lucky draw doesn't decide.
    keys: (key, d_max). tokens: one word for each key.
    d_k: (lowest, highest). start: where the slider stands at first. scaled: whether "divide by √d_k" is ticked at
        first.
    The gradient's size is the Frobenius norm of the softmax's Jacobian diag(a) − a aᵀ at the weights a (Vaswani et al.,
    "Attention Is All You Need", 2017, §3.2.1 is where the scale comes from).
    Raises PictureError when the shapes don't fit or d_k asks for more numbers than there are.
    """
    queries, keys = np.atleast_2d(finite(query, "query")), finite(keys, "keys")
    if keys.ndim != 2 or queries.ndim != 2 or queries.shape[-1] != keys.shape[-1]:
        wanted = "query should be (d_max,) or (many, d_max) and keys (key, d_max) with the same d_max"
        raise PictureError(f"{wanted}; got the shapes {tuple(queries.shape)} and {tuple(keys.shape)}.")
    names = [f"key {i}" for i in range(len(keys))] if tokens is None else tokens
    tokens = token_list(names, len(keys), "tokens", "key")
    d_ks = _powers_of_two(d_k)
    if d_ks[-1] > keys.shape[-1]:
        there = f"each query and key has {keys.shape[-1]} numbers. Pass longer ones or a smaller range"
        raise PictureError(f"d_k goes up to {d_ks[-1]}, but {there}.")
    index = d_ks.index(one_of("start", start, d_ks, PictureError))

    queries, keys = torch.from_numpy(queries), torch.from_numpy(keys)
    scores = torch.stack([queries[:, :d] @ keys[:, :d].T for d in d_ks])  # (d_k, query, key)
    roots = torch.tensor(d_ks).sqrt()[:, None, None]
    gradients = [jacobian_norm(s.softmax(dim=-1)).mean(-1).tolist() for s in (scores, scores / roots)]
    view = SoftmaxSpread(
        scores=scores[:, 0].tolist(), d_ks=d_ks, gradients=gradients, tokens=tokens, index=index, scaled=scaled
    )
    slider = ipywidgets.SelectionSlider(options=d_ks, value=start, **look("length of the key, d_k", 460))
    switch = ipywidgets.Checkbox(value=scaled, description="divide by √d_k", indent=False, layout={"width": "160px"})
    shown = scores[index, 0] / (start**0.5 if scaled else 1)
    picture = scores_weights_and_gradient(
        shown.numpy(), shown.softmax(dim=-1).numpy(), tokens, d_ks,
        {WITHOUT: gradients[0], WITH: gradients[1]}, start, scaled, RUN_ME,
    )  # fmt: skip
    return wire(view, {"d_k": slider, "scaled": switch}, picture, traits={"d_k": "index"}, in_a_row=True)


def _powers_of_two(d_k) -> list[int]:
    try:
        low, high = d_k
        d_ks = [2**i for i in range(31) if low <= 2**i <= high]
    except (TypeError, ValueError):
        d_ks = []
    if len(d_ks) < 2:
        wanted = "(lowest, highest) with at least two powers of two between them"
        raise PictureError(f"d_k should be {wanted}; got {d_k!r}.")
    return d_ks


def jacobian_norm(weights: torch.Tensor) -> torch.Tensor:
    """Frobenius norm of diag(a) − a aᵀ for each row a of weights (..., key), without building the matrix."""
    squares = (weights**2).sum(-1)
    return (squares - 2 * (weights**3).sum(-1) + squares**2).clamp(min=0).sqrt()
