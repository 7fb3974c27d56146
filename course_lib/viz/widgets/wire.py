"""What the sliders share: their JavaScript, their ranges and controls, and how a control moves the picture."""

from functools import cache
from html import escape
from pathlib import Path

import ipywidgets

from ..inputs import PictureError
from ..picture import Shown, still_caption
from .live import Live

HERE = Path(__file__).parent
RUN_ME = still_caption("the slider")


@cache
def module(name: str) -> str:
    """shared.js and `name` as one ES module: anywidget takes one text, so what is shared stands in front."""
    return (HERE / "shared.js").read_text("utf-8").replace("\nexport ", "\n") + (HERE / name).read_text("utf-8")


@cache
def style(*names: str) -> str:
    """widgets.css, and a widget's own rules after it."""
    return "".join((HERE / name).read_text("utf-8") for name in ("widgets.css", *names))


def wire(view, controls: dict, picture: Shown, traits: dict | None = None, in_a_row: bool = False) -> Live:
    """Links each control to the view, in the browser, and puts them above it; the kernel isn't asked while one moves.

    controls: {name: control}; a choice among several gives its index. traits: {name: trait of the view} where the trait
    isn't called like the control. in_a_row: the controls beside each other. picture: the still one.
    """
    links = []
    for name, control in controls.items():
        value = "index" if hasattr(control, "index") else "value"
        links.append(ipywidgets.jslink((control, value), (view, (traits or {}).get(name, name))))
    above = [ipywidgets.HBox([*controls.values()])] if in_a_row else controls.values()
    box = ipywidgets.VBox([*above, view])
    box.links = links  # kept as long as the box
    return Live(box, controls, picture)


def look(label: str, width: int = 420, label_width: str = "initial") -> dict:
    """Arguments that every slider takes: its label and its size in CSS pixels."""
    return {
        "description": label,
        "style": {"description_width": label_width},
        "layout": {"width": f"{width}px", "max_width": "100%"},
    }


def number_range(name: str, limits, start=None) -> tuple[float, float, float]:
    """(low, high, step) from (low, high) or (low, high, step), after checking that start lies within."""
    try:
        low, high, *rest = limits
        whole = isinstance(low, int) and isinstance(high, int) and high - low >= 5
        step = rest[0] if rest else 1 if whole else _round_step(high - low)
        right = low < high and step > 0 and len(rest) < 2
    except (TypeError, ValueError):
        right = False
    if not right:
        wanted = "(lowest, highest) or (lowest, highest, step) with lowest < highest and step > 0"
        raise PictureError(f"{name} should be {wanted}; got {limits!r}.")
    if start is not None and not low <= start <= high:
        raise PictureError(f"{name} starts at {start!r}, outside its range from {low:g} to {high:g}.")
    return low, high, step


def _round_step(width: float) -> float:
    """About a hundredth of the width: 0.05 for 0.1 to 4."""
    steps = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, float(width) / 100)
    return next(step for step in steps if width / step <= 100)


def status_line(text: str, error: bool = False) -> str:
    """HTML of the line under a picture that Python draws anew; screen readers read it out."""
    colour = "var(--jp-error-color1, #b00020)" if error else "var(--jp-ui-font-color1, inherit)"
    return f'<div role="status" style="color:{colour};line-height:1.4">{escape(text)}</div>' if text else ""
