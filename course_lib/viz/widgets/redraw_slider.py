"""A slider for what the browser can't compute: Python draws the same figure again at every move."""

import inspect

import ipywidgets
from matplotlib.figure import Figure

from course_lib.errors import CourseError

from ..inputs import PictureError
from ..picture import Picture
from ..style import CSS_PIXELS_PER_INCH, new_figure, png, styled
from .live import Live
from .redrawn import Redrawn
from .wire import RUN_ME, look, number_range, status_line

SHARPNESS = 1.5  # a little less than a still picture has: the answer comes sooner


def redraw_slider(draw, *, size=(5.6, 3.6), alt=None, **ranges) -> Live:
    """Calls `draw(figure, **values)` at every move of a slider, and shows the figure.

    draw: gets an empty matplotlib Figure, and one value for each slider. A default in its signature is where that
        slider starts. A string that it returns is shown under the picture.
    ranges: for each name (low, high), (low, high, step), a list of choices, or True/False for a switch.
    size: width and height in inches; one inch is 100 pixels on the screen.
    An exception in draw becomes one sentence under the slider, and the last good picture stays.
    Raises PictureError for a range that isn't one, or names that draw doesn't take.

        def waves(figure, frequency=2.0):
            x = torch.linspace(0, 1, 200)
            figure.subplots().plot(x, torch.sin(frequency * x * 6.28))
        viz.redraw_slider(waves, frequency=(1, 10, 0.5))
    """
    starts = _starts(draw, ranges)
    controls = {name: _control(name, limits, starts.get(name)) for name, limits in ranges.items()}
    figure = new_figure(*size)
    labels = [control.description for control in controls.values() if not isinstance(control, ipywidgets.Checkbox)]
    shown = Redrawn(sliders=labels, width=f"{round(size[0] * CSS_PIXELS_PER_INCH)}px")
    message = ipywidgets.HTML()

    def words() -> str:
        return alt or f"Picture at {', '.join(f'{n} = {c.value}' for n, c in controls.items())}."

    places = []

    def redraw(_change=None):
        values = {name: control.value for name, control in controls.items()}
        try:
            said = _draw(draw, figure, values)
            _keep_places(figure, places)
            shown.show(png(figure, SHARPNESS, small=False), words())
            places[:] = [axes.get_position() for axes in figure.axes]
            message.value = status_line(said if isinstance(said, str) else "")
        except Exception as error:
            message.value = status_line(_sentence(error, values), error=True)

    for control in controls.values():
        control.observe(redraw, "value")
    redraw()
    picture = Picture(figure, words(), RUN_ME)
    return Live(ipywidgets.VBox([*controls.values(), *shown.parts, message]), controls, picture)


def _draw(draw, figure: Figure, values: dict):
    figure.clear()
    with styled():
        return draw(figure, **values)


def _keep_places(figure: Figure, places: list) -> None:
    """Axes stay where the last drawing put them: they don't jump while you drag, and a quarter of the time is saved."""
    if places and len(places) == len(figure.axes):
        figure.set_layout_engine("none")
        for axes, place in zip(figure.axes, places, strict=True):
            axes.set_position(place)
    else:
        figure.set_layout_engine("constrained")


def _starts(draw, ranges: dict) -> dict:
    """The defaults in draw's signature, after checking that it takes every slider."""
    if not callable(draw):
        raise PictureError(f"draw should be a function draw(figure, …); got a {type(draw).__name__}.")
    if not ranges:
        raise PictureError("There is no slider: pass at least one range, for example temperature=(0.1, 4).")
    parameters = inspect.signature(draw).parameters
    try:
        inspect.signature(draw).bind(None, **dict.fromkeys(ranges))
    except TypeError as error:
        found = f"its parameters are ({', '.join(parameters)})"
        raise PictureError(f"draw should take a figure and {', '.join(ranges)}, but {found}: {error}.") from None
    return {name: p.default for name, p in parameters.items() if p.default is not inspect.Parameter.empty}


def _control(name: str, limits, start):
    label = name.replace("_", " ")
    if isinstance(limits, bool):
        return ipywidgets.Checkbox(value=limits if start is None else start, description=label, indent=False)
    if isinstance(limits, list):
        if not limits or (start is not None and start not in limits):
            raise PictureError(f"{name} should start at one of its choices {limits!r}; got {start!r}.")
        return ipywidgets.SelectionSlider(options=limits, value=limits[0] if start is None else start, **look(label))
    low, high, step = number_range(name, limits, start)
    whole = all(isinstance(v, int) for v in (low, high, step)) and not isinstance(start, float)
    slider = ipywidgets.IntSlider if whole else ipywidgets.FloatSlider
    return slider(value=low if start is None else start, min=low, max=high, step=step, **look(label))


def _sentence(error: Exception, values: dict) -> str:
    if isinstance(error, CourseError):
        return str(error)
    at = ", ".join(f"{name} = {value}" for name, value in values.items())
    return f"At {at} the picture could not be drawn: {type(error).__name__}: {error}"
