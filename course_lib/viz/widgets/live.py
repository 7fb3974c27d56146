"""A widget and its static picture, shown together so that one of them is always seen.

A widget lives as long as its kernel. Reopen the notebook, read it on the web or don't trust it, and the widget is
gone. So two outputs are displayed: the picture, then the widget. A style rule that travels with the picture hides it
while a live widget stands beneath it, and hides JupyterLab's "model not found" when the widget is gone.
"""

from IPython.display import display

from ..picture import Shown

LIVE_CLASS = "course-live"  # on the widget's outermost box
STYLE = (
    "<style>"
    ".course-picture{border-radius:8px;background:#fff}"
    f".jp-OutputArea:has(.{LIVE_CLASS}) .course-static{{display:none}}"
    f".jp-OutputArea:has(.course-static):not(:has(.{LIVE_CLASS})) .jupyter-widgets:not(:has(*)){{display:none}}"
    "</style>"
)


class Live:
    """What a slider function returns: show it by making it the last line of a cell.

    widget: the ipywidgets box. sliders: its controls by name; `.value` reads or moves one.
    picture: the still picture at the starting values, for where no kernel runs.
    """

    def __init__(self, widget, sliders: dict, picture: Shown):
        widget.add_class(LIVE_CLASS)
        self.widget, self.sliders, self.picture = widget, sliders, picture

    def _ipython_display_(self):
        html = f'{STYLE}<div class="course-static">{self.picture.html()}</div>'
        display({"text/plain": self.picture.alt, "text/html": html}, raw=True)
        view = {"model_id": self.widget.model_id, "version_major": 2, "version_minor": 0}
        display({"text/plain": "", "application/vnd.jupyter.widget-view+json": view}, raw=True)

    def __repr__(self) -> str:
        return self.picture.alt
