"""A slider over the width k of a beam search: its tree for each k, drawn beforehand; the browser shows one."""

import anywidget
import ipywidgets
import traitlets

from course_lib.support.messages import one_of

from ..beam_tree import LEGEND, BeamTree, beam_tree
from ..inputs import PictureError
from .live import Live
from .wire import RUN_ME, look, module, style, wire


class BeamSlider(anywidget.AnyWidget):
    """One of several drawings. Nothing is asked of the kernel."""

    _esm = module("beam_slider.js")
    _css = style()
    trees = traitlets.List().tag(sync=True)  # (SVG, the sentence under it)
    legend = traitlets.Unicode(LEGEND).tag(sync=True)
    index = traitlets.Int(0).tag(sync=True)


def beam_slider(beams, words, *, k=None, start="start", title=None) -> Live:
    """Shows `beam_tree` of the same text for several k.

    beams: {k: beam}, each as `beam_tree` takes it. k: where the slider stands at first; by default at the smallest.
    words, start, title: as in `beam_tree`.
    """
    if not isinstance(beams, dict) or len(beams) < 2:
        raise PictureError(
            "A slider needs several beams, {k: beam}, for example {1: …, 2: …}; draw one with beam_tree."
        )
    widths = sorted(beams)
    k = one_of("k", widths[0] if k is None else k, widths, PictureError)
    trees = [beam_tree(beams[width], words, start=start, title=title) for width in widths]
    said = [f"k = {width}. The best: {tree.best}." for width, tree in zip(widths, trees, strict=True)]
    view = BeamSlider(trees=[[t.svg, text] for t, text in zip(trees, said, strict=True)], index=widths.index(k))
    slider = ipywidgets.SelectionSlider(options=widths, value=k, **look("k, the beam's width"))
    still = trees[widths.index(k)]
    picture = BeamTree(still.svg, still.width, still.height, still.best, f"k = {k}. {still.alt}", f"{LEGEND} {RUN_ME}")
    return wire(view, {"k": slider}, picture, {"k": "index"})
