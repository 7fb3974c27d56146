"""Sliders for temperature, top-k and top-p over the probabilities of the next token, computed in the browser."""

import anywidget
import ipywidgets
import numpy as np
import traitlets

from ..bars import bars
from ..inputs import PictureError, finite, token_list
from ..picture import Picture
from .live import Live
from .wire import RUN_ME, look, module, number_range, style, wire


class NextToken(anywidget.AnyWidget):
    """What is left of a distribution after temperature, top-k and top-p; the kernel isn't asked."""

    _esm = module("next_token.js")
    _css = style("next_token.css")
    beginnings = traitlets.List().tag(sync=True)
    tokens = traitlets.List().tag(sync=True)  # for each beginning, the likeliest first
    logits = traitlets.List().tag(sync=True)
    show = traitlets.Int(12).tag(sync=True)
    place = traitlets.Int(0).tag(sync=True)
    temperature = traitlets.Float(1.0).tag(sync=True)
    top_k = traitlets.Int(1).tag(sync=True)
    top_p = traitlets.Float(1.0).tag(sync=True)


def next_token(logits, tokens, *, show=12, temperature=(0.1, 2.0), start=None) -> Live:
    """Bars of the likeliest next tokens, and what temperature, top-k and top-p make of them, in this order.

    logits: {beginning: (vocab,)}, one to choose from several. tokens: (vocab,) words. show: how many have a bar.
    temperature: (lowest, highest), above 0. start: {"temperature": 1.0, "top_k": all, "top_p": 1.0}, in part or whole.
    A mark in each bar stands where the model's own probability ends.
    Raises PictureError for logits that don't fit the tokens or aren't finite, or a start outside its range.
    """
    if not isinstance(logits, dict) or not logits:
        raise PictureError(f"logits should be a dictionary {{beginning: (vocab,)}}; got a {type(logits).__name__}.")
    tables = {str(text): finite(values, f"The logits after “{text}”") for text, values in logits.items()}
    sizes = {values.shape for values in tables.values()}
    if len(sizes) > 1 or any(len(size) != 1 for size in sizes):
        raise PictureError(f"All logits should have one axis, (vocab,), of the same length; got {sorted(sizes)}.")
    words = token_list(tokens, *sizes.pop(), "tokens", "logit")
    at = {"temperature": 1.0, "top_k": len(words), "top_p": 1.0} | (start or {})
    ranges = {"temperature": (*temperature, 0.05), "top_k": (1, len(words), 1), "top_p": (0.05, 1.0, 0.05)}
    for name, limits in ranges.items():
        if number_range(name, limits, at[name])[0] <= 0:
            raise PictureError(f"{name} is above 0, but the slider would start at {limits[0]:g}.")
    orders = [np.argsort(-values, kind="stable") for values in tables.values()]
    view = NextToken(
        beginnings=list(tables), tokens=[[words[i] for i in order] for order in orders], show=min(show, len(words)),
        logits=[values[order].astype(float).tolist() for values, order in zip(tables.values(), orders, strict=True)],
        **at,
    )  # fmt: skip
    controls = {}
    if len(tables) > 1:
        shown = {"style": {"description_width": "110px"}, "layout": {"width": "min(640px, 100%)"}}
        controls["place"] = ipywidgets.Dropdown(options=list(tables), description="beginning", **shown)
    for name, (low, high, step) in ranges.items():
        kind = ipywidgets.IntSlider if name == "top_k" else ipywidgets.FloatSlider
        label = name.replace("_", "-")
        controls[name] = kind(value=at[name], min=low, max=high, step=step, **look(label, label_width="110px"))
    first, order = next(iter(tables)), orders[0][:show]
    return wire(view, controls, _still(first, reshaped(tables[first], **at)[order], [words[i] for i in order]))


def reshaped(logits: np.ndarray, temperature: float, top_k: int, top_p: float) -> np.ndarray:
    """softmax(logits / temperature), of the `top_k` likeliest, and of these the fewest that hold `top_p`; (vocab,)."""
    order = np.argsort(-logits, kind="stable")
    powers = np.exp((logits[order] - logits.max()) / temperature) * (np.arange(len(logits)) < top_k)
    shares = powers / powers.sum()
    before = np.cumsum(shares) - shares
    shares = np.where((before < top_p) | (top_p >= 1), shares, 0.0)
    out = np.zeros_like(shares)
    out[order] = shares / shares.sum()
    return out


def _still(beginning: str, shares: np.ndarray, words: list[str]) -> Picture:
    return bars(shares, words, y="probability", x="next word", title=f"{beginning} …", caption=RUN_ME)
