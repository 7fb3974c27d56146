"""A choice among pictures that were all drawn beforehand: switches and sliders answer without the kernel."""

import itertools
import math

import anywidget
import ipywidgets
import traitlets

from ..flow import Flow
from ..inputs import PictureError
from ..picture import Shown
from .live import Live
from .wire import RUN_ME, look, module, style, wire

MOST_CONTROLS, MOST_PICTURES = 4, 48


class Choose(anywidget.AnyWidget):
    """Shows the picture that belongs to what the controls say."""

    _esm = module("choose.js")
    _css = style()
    label = traitlets.Unicode().tag(sync=True)
    sliders = traitlets.List().tag(sync=True)
    counts = traitlets.List().tag(sync=True)  # of choices, for each control
    pictures = traitlets.List().tag(sync=True)  # the last control's choices follow each other
    said = traitlets.List().tag(sync=True)
    choice_0 = traitlets.Int(0).tag(sync=True)  # jslink links one number, not one of a list
    choice_1 = traitlets.Int(0).tag(sync=True)
    choice_2 = traitlets.Int(0).tag(sync=True)
    choice_3 = traitlets.Int(0).tag(sync=True)


def choose(draw, *, label: str, **choices) -> Live:
    """Calls `draw(**values)` for every combination of values, and shows the picture of the one that is chosen.

    draw: returns a drawing or picture of this package, or (picture, sentence): the sentence stands under it.
    choices: for each name a list for a slider, or True or False for a switch, which then stands so at first.
    label: says in words what it is about. At most 4 controls and 48 pictures.

        viz.choose(lambda part: viz.block_drawing(lit=part), label="A block", part=["attention", "feed_forward"])
    """
    lists = {name: [False, True] if isinstance(given, bool) else list(given) for name, given in choices.items()}
    count = math.prod(map(len, lists.values()))
    if not 1 <= len(lists) <= MOST_CONTROLS or not 1 <= count <= MOST_PICTURES:
        wanted = f"1 to {MOST_CONTROLS} controls and 1 to {MOST_PICTURES} pictures"
        raise PictureError(f"There should be {wanted}; got {len(lists)} controls and {count} pictures.")
    shown = [_shown(draw(**dict(zip(lists, values)))) for values in itertools.product(*lists.values())]
    starts = [int(given) if isinstance(given, bool) else 0 for given in choices.values()]
    first = 0
    for values, start in zip(lists.values(), starts, strict=True):
        first = first * len(values) + start
    view = Choose(
        label=label, counts=[len(values) for values in lists.values()],
        sliders=[name.replace("_", " ") for name, given in choices.items() if not isinstance(given, bool)],
        pictures=[picture.svg if isinstance(picture, Flow) else picture.html() for picture, _ in shown],
        said=[said for _, said in shown], **{f"choice_{i}": start for i, start in enumerate(starts)},
    )  # fmt: skip
    controls = {name: _control(name, given) for name, given in choices.items()}
    traits = {name: f"choice_{i}" for i, name in enumerate(controls)}
    picture, said = shown[first]
    picture.alt, picture.caption = f"{picture.alt} {said}".strip(), f"{said} {RUN_ME}".strip()
    return wire(view, controls, picture, traits, in_a_row=all(isinstance(given, bool) for given in choices.values()))


def _shown(drawn) -> tuple[Shown, str]:
    picture, said = drawn if isinstance(drawn, tuple) else (drawn, "")
    if not isinstance(picture, Shown):
        raise PictureError(f"draw should return a picture, or (picture, sentence); got a {type(picture).__name__}.")
    return picture, said


def _control(name: str, given):
    text = name.replace("_", " ")
    if isinstance(given, bool):
        return ipywidgets.Checkbox(value=given, description=text, indent=False, layout={"width": "max-content"})
    return ipywidgets.SelectionSlider(options=list(map(str, given)), value=str(given[0]), **look(text))
