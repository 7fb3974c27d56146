"""What screen readers say of ipywidgets' own parts, which come without names."""

import anywidget
import traitlets

from .wire import module


class Spoken(anywidget.AnyWidget):
    """Stands unseen in a box, names the handles of its sliders and says what its image shows."""

    _esm = module("spoken.js")
    handles = traitlets.List().tag(sync=True)  # one name for each slider of the box, in their order
    picture = traitlets.Unicode().tag(sync=True)
