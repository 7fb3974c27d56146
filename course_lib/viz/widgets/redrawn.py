"""A picture that Python draws anew while a control moves, with words for who can't see it."""

import anywidget
import ipywidgets
import traitlets

from ..picture import ON_WHITE
from .wire import module


class _Words(anywidget.AnyWidget):
    """ipywidgets has no alternative text for an Image and no name for a slider's handle."""

    _esm = module("redrawn.js")
    alt = traitlets.Unicode().tag(sync=True)
    sliders = traitlets.List().tag(sync=True)


class Redrawn:
    """image: the ipywidgets.Image to fill. parts: what belongs into the box, the image and its words."""

    def __init__(self, alt: str = "", sliders=(), **layout):
        size = {"max_width": "100%", "object_fit": "contain"} | layout
        self.image = ipywidgets.Image(format="png", layout=size).add_class("course-picture").add_class(ON_WHITE)
        self.words = _Words(alt=alt, sliders=list(sliders), layout={"display": "none"}).add_class("course-words")
        self.parts = [self.image, self.words]

    def show(self, png: bytes, alt: str) -> None:
        self.image.value, self.words.alt = png, alt
