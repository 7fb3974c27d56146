"""A text box for the reader's own words: Python draws the picture again for each text."""

import ipywidgets

from course_lib.errors import CourseError

from ..inputs import PictureError
from ..picture import still_caption
from .live import Live
from .redrawn import Redrawn
from .wire import status_line


def text_picture(draw, start: str, *, label: str = "your text") -> Live:
    """Calls `draw(text)` whenever a text is entered (Enter, or a click elsewhere), and shows its Picture.

    start: the text that is drawn first. label: what stands in front of the box.
    A CourseError in draw becomes its sentence under the box, and the last picture stays.
    """
    if not callable(draw):
        raise PictureError(f"draw should be a function draw(text) that returns a picture; got a {type(draw).__name__}.")
    look = {"style": {"description_width": "initial"}, "layout": {"width": "min(640px, 100%)"}}
    box = ipywidgets.Text(value=start, description=label, continuous_update=False, **look)
    shown = Redrawn()
    message = ipywidgets.HTML()

    def show(picture) -> None:
        shown.image.layout.width = f"{picture.width}px"
        shown.show(picture.png, picture.alt)
        message.value = status_line(picture.alt)

    def redraw(_change=None) -> None:
        try:
            show(draw(box.value))
        except CourseError as error:
            message.value = status_line(str(error), error=True)
        except Exception as error:
            what = f"For “{box.value}” the picture could not be drawn: {type(error).__name__}: {error}"
            message.value = status_line(what, error=True)

    first = draw(start)
    show(first)
    box.observe(redraw, "value")
    first.caption = still_caption("the text box")
    return Live(ipywidgets.VBox([box, message, *shown.parts]), {"text": box}, first)
