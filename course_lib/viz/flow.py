"""A data flow as boxes and arrows, with shapes at the arrows: one style for every drawing of the course.

It flows upwards, as in Vaswani et al. (2017), figure 1. Drawn as SVG inside the page, so that ink and paper are those
of JupyterLab's theme; on a page without one, or where only images are shown, black on white. Lengths are CSS pixels.
"""

import base64
import math
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup

from course_lib.support.messages import one_of

from .inputs import PictureError, titled, whole
from .picture import HTML, Shown
from .style import CSS_PIXELS_PER_INCH
from .token_tables import widest

FONT, SMALL = 13, 11  # of boxes, of shapes and groups
LINE = 17
PAD = 10  # between a box and its text, a group's frame and its boxes
ROUND = 24  # diameter of a +
BETWEEN = 18  # columns
SIDES = ("left", "right")
WIDEST = 700
WIDE = 25  # that a wide box reaches beyond its first and last column

# The class is named twice, so that a widget's own rules for its pictures don't reach in here.
SVG = HTML.from_string("""\
<svg xmlns="http://www.w3.org/2000/svg" class="course-flow" role="img" aria-label="{{ alt }}" \
width="{{ width }}" height="{{ height }}" viewBox="0 0 {{ width }} {{ height }}">
<style>
.course-flow.course-flow{--ink:var(--jp-ui-font-color0,#1f2933);--quiet:var(--jp-ui-font-color1,#52606d);\
--paper:var(--jp-layout-color0,#fff);--lit:#0072b2;max-width:100%;height:auto;background:var(--paper)}
[data-jp-theme-light="false"] .course-flow.course-flow{--lit:#56b4e9}
.course-flow.course-flow text{font:{{ font }}px "DejaVu Sans",Verdana,sans-serif;fill:var(--ink);text-anchor:middle}
.course-flow.course-flow .shape{font-size:{{ small }}px;fill:var(--quiet);text-anchor:start;\
stroke:var(--paper);stroke-width:4;paint-order:stroke;stroke-linejoin:round}
.course-flow.course-flow .shape.left{text-anchor:end}
.course-flow.course-flow .title{font-weight:bold;text-anchor:start}
.course-flow.course-flow rect{fill:var(--paper);stroke:var(--ink);stroke-width:1.2}
.course-flow.course-flow .group{fill:none;stroke:var(--quiet);stroke-dasharray:5 4}
.course-flow.course-flow path{fill:none;stroke:var(--ink);stroke-width:1.2;stroke-linejoin:round}
.course-flow.course-flow .tip{fill:var(--ink);stroke:none}
.course-flow.course-flow .lit rect{fill:color-mix(in srgb,var(--lit) 22%,var(--paper));stroke:var(--lit);stroke-width:3}
.course-flow.course-flow .lit text{font-weight:bold}
.course-flow.course-flow .lit path{stroke:var(--lit);stroke-width:2.6}
.course-flow.course-flow .lit .tip{fill:var(--lit)}
</style>
{%- if title %}<text class="title" x="4" y="17">{{ title }}</text>{% endif %}
{%- for g in groups %}
<rect class="group" x="{{ g.x }}" y="{{ g.y }}" width="{{ g.width }}" height="{{ g.height }}" rx="10"/>
<text class="shape{{ ' left' if g.side == 'left' }}" x="{{ g.text_x }}" y="{{ g.text_y }}">{{ g.text }}</text>
{%- endfor %}
{%- for a in arrows %}
<g{% if a.lit %} class="lit"{% endif %}><path d="{{ a.points }}"/>\
<path class="tip" d="{{ a.tip }}Z"/></g>
{%- endfor %}
{%- for b in boxes %}
<g{% if b.lit %} class="lit"{% endif %}>
{%- if b.frame %}<rect x="{{ b.left }}" y="{{ b.top }}" width="{{ b.width }}" height="{{ b.height }}" \
rx="{{ b.radius }}"/>{% endif %}
{%- if b.bus %}<path d="M{{ b.bus[0] }} {{ b.top }} H{{ b.bus[1] }}"/>{% endif %}
{%- for line in b.lines %}<text x="{{ b.x }}" y="{{ line.y }}">{{ line.text }}</text>{% endfor %}</g>
{%- endfor %}
{%- for a in arrows if a.shape %}
<text class="shape" x="{{ a.shape_x }}" y="{{ a.shape_y }}">{{ a.shape }}</text>
{%- endfor %}
</svg>""")

# Where a page's rules keep SVG out (GitHub, an untrusted notebook), the same drawing stands as an image.
BOTH = HTML.from_string(
    '<style>svg[class^="course-"] + img{display:none}</style>{{ svg }}<img alt="{{ alt }}" width="{{ width }}" '
    'style="max-width:100%;height:auto" src="data:image/svg+xml;base64,{{ image }}">'
)


class Box(NamedTuple):
    """text: what stands in it; "+" is drawn as a circle. column, row: where, from 0 at the left and at the bottom.

    column may be a half, between two. to: the last column of a wide box. frame: False for what is no step but a tensor.
    """

    text: str
    column: float = 0
    row: int = 0
    to: float | None = None
    frame: bool = True


class Arrow(NamedTuple):
    """start, end: names of boxes. shape: stands beside it, "(n, d_model)".

    side: "left" or "right" enters the end there; from the same column it goes round all that stands between (a skip).
    """

    start: str
    end: str
    shape: str = ""
    side: str = ""


class Group(NamedTuple):
    """A dashed frame round some boxes, with a text beside it: "× 6"."""

    boxes: tuple[str, ...]
    text: str = ""
    side: str = "left"


class Flow(Shown):
    """A drawing that says in words what it shows. svg: the drawing itself; width, height: in CSS pixels."""

    on_white = False

    def __init__(self, svg: str, width: int, height: int, alt: str, caption: str | None = None):
        self.svg, self.width, self.height = svg, width, height
        image = base64.b64encode(svg.encode()).decode()
        super().__init__(BOTH.render(svg=Markup(svg), alt=alt, width=width, image=image), alt, caption)

    def save(self, path: str | Path) -> None:
        """Writes the drawing as an SVG file."""
        Path(path).write_text(self.svg, "utf-8")


def flow(boxes, arrows, groups=(), *, lit=(), title=None, alt=None, caption=None) -> Flow:
    """Draws boxes in columns and rows, and arrows between them; what is `lit` stands out.

    boxes: {name: Box}. arrows: a list of Arrow, or (start, end) and (start, end, shape). groups: a list of Group.
    lit: a name, or several. An arrow from a lit box to a lit box is lit, too.
    Raises PictureError for a name that no box has, a place that is none, or a drawing wider than a page (700 pixels).

        viz.flow({"x": Box("x", row=0, frame=False), "f": Box("feed-forward", row=1), "+": Box("+", row=2)},
                 [("x", "f", "(n, d_model)"), ("f", "+"), Arrow("x", "+", side="left")], lit="f")
    """
    lit = {lit} if isinstance(lit, str) else set(lit)
    boxes = {name: Box(*box) for name, box in boxes.items()}
    arrows, groups = [Arrow(*arrow) for arrow in arrows], [Group(*group) for group in groups]
    named = [*lit, *(name for a in arrows for name in a[:2]), *(name for g in groups for name in g.boxes)]
    if not boxes or (missing := [name for name in named if name not in boxes]):
        there = f"There is no box “{missing[0]}”: there are {', '.join(boxes)}." if boxes else "There is no box."
        raise PictureError(f"{there} Arrows, groups and lit take the names of boxes.")
    _check(boxes, arrows, groups)
    words = whole(alt or titled(title, _in_words(boxes, arrows, groups, lit)))
    layout = _Layout(boxes, arrows, groups, title)
    if layout.width > WIDEST:
        raise PictureError(
            f"The drawing would be {layout.width} pixels wide, and a page has {WIDEST}. Use fewer columns."
        )
    svg = SVG.render(
        alt=words, title=title, width=layout.width, height=layout.height, font=FONT, small=SMALL,
        groups=[layout.group(g) for g in groups],
        arrows=[layout.arrow(a) | {"lit": {a.start, a.end} <= lit} for a in arrows],
        boxes=[layout.box(name) | {"lit": name in lit} for name in boxes],
    )  # fmt: skip
    return Flow(svg, layout.width, layout.height, words, caption)


def beside(*drawings: Flow, caption: str | None = None) -> Shown:
    """Drawings next to each other, where the page is wide enough: beside(block_drawing(True), block_drawing(False))."""
    parts = [
        f'<div style="display:inline-block;vertical-align:bottom;margin-right:28px">{d.content}</div>' for d in drawings
    ]
    together = Shown("".join(parts), " ".join(d.alt for d in drawings), caption)
    together.on_white = any(drawing.on_white for drawing in drawings)
    return together


def _check(boxes, arrows, groups) -> None:
    for name, box in boxes.items():
        if box.column < 0 or (box.to is not None and box.to < box.column):
            raise PictureError(
                f"Columns are counted from 0 at the left, but “{name}” goes from {box.column} to {box.to}."
            )
    for a in arrows:
        one_of("An arrow's side", a.side, ("", *SIDES), PictureError)
        if _skips(a, boxes) and boxes[a.start].row >= boxes[a.end].row:
            raise PictureError(f"A skip goes upwards, but “{a.end}” doesn't stand above “{a.start}”.")
    for g in groups:
        one_of("A group's side", g.side, SIDES, PictureError)
        if not g.boxes:
            raise PictureError(f"A group is a frame round boxes, but the one with the text {g.text!r} has none.")


def _width(text: str, size: float) -> float:
    """Of the widest line, in bold: what is lit must not need more room."""
    return 1.13 * CSS_PIXELS_PER_INCH * float(widest(text.split("\n"), size * 72 / CSS_PIXELS_PER_INCH))


def _in_words(boxes, arrows, groups, lit) -> str:
    """The arrows, in the order in which they were given."""

    def say(name: str) -> str:
        return " ".join(boxes[name].text.split())

    said = [
        f"{say(a.start)} → {say(a.end)}{f' {a.shape}' * bool(a.shape)}{' (skip)' * _skips(a, boxes)}" for a in arrows
    ]
    said += [f"{', '.join(map(say, g.boxes))}: {g.text}" for g in groups if g.text]
    marked = f" Lit: {', '.join(say(name) for name in boxes if name in lit)}." if lit else ""
    return f"Data flow, from the bottom up: {'; '.join(said)}.{marked}"


def _skips(arrow: Arrow, boxes) -> bool:
    return bool(arrow.side) and boxes[arrow.start].column == boxes[arrow.end].column


class _Layout:
    """Where everything goes. Columns get the room that their boxes, shapes, skips and frames need; so do rows."""

    def __init__(self, boxes: dict[str, Box], arrows: list[Arrow], groups: list[Group], title: str | None):
        self.boxes, self.arrows, self.groups = boxes, arrows, groups
        self.sizes = {name: _size(box) for name, box in boxes.items()}
        columns = range(math.ceil(max(_ends(box)[1] for box in boxes.values())) + 1)
        self.reach = {(column, side): 25.0 for column in columns for side in SIDES}
        self._reserve()
        self.buses = {a.start for a in arrows if boxes[a.start].to is not None and not boxes[a.start].frame}
        self.columns, at = [], 0.0
        for column in columns:
            self.columns.append(at + self.reach[column, "left"])
            at = self.columns[-1] + self.reach[column, "right"] + BETWEEN
        left = min(0, *(self._across(name)[0] for name in boxes))
        right = max(at - BETWEEN, *(self._across(name)[1] for name in boxes))
        self.columns = [x - left + 4 for x in self.columns]
        self.width = round(max(right - left, _width(title, FONT) if title else 0)) + 8
        self._stack(title)

    def _reserve(self) -> None:
        """How far each column reaches to its left and right: boxes and shapes, then skips, frames, texts of frames."""
        boxes, reach = self.boxes, self.reach

        def widen(column: float, side: str, by: float) -> None:
            if column == int(column):
                reach[column, side] = max(reach[column, side], by)

        for name, box in boxes.items():
            for side in SIDES:
                widen(box.column, side, self.sizes[name][0] / 2 if box.to is None else 0)
        for a in self.arrows:
            if a.shape and boxes[a.start].row == boxes[a.end].row:
                widen(boxes[a.start].column, "right", self.sizes[a.start][0] / 2 + _width(a.shape, SMALL))
            elif a.shape and not _skips(a, boxes):
                widen(self._arrow_column(a), "right", 7 + _width(a.shape, SMALL))
        # Skips of a column follow each other in one lane, outside its boxes and shapes.
        lanes = {(boxes[a.start].column, a.side) for a in self.arrows if _skips(a, boxes)}
        self.lanes = {lane: reach[lane] + 13 for lane in lanes}
        reach |= self.lanes
        self.frames = {}
        for g in self.groups:
            ends = dict(
                zip(
                    SIDES,
                    (min(_ends(boxes[name])[0] for name in g.boxes), max(_ends(boxes[name])[1] for name in g.boxes)),
                )
            )
            for side, column in ends.items():
                inside = [
                    self.sizes[name][0] / 2 if boxes[name].to is None else WIDE
                    for name in g.boxes
                    if column in _ends(boxes[name])
                ]
                out = max(inside, default=0), self.lanes.get((column, side), 0)
                self.frames[g, side] = column, max(out) + PAD
                widen(column, side, max(out) + PAD + (6 + _width(g.text, SMALL)) * (side == g.side and bool(g.text)))

    def _stack(self, title: str | None) -> None:
        """The rows from the bottom up. A gap is high enough for what stands in it."""
        rows = sorted({box.row for box in self.boxes.values()})
        tall = {row: max(self.sizes[name][1] for name, box in self.boxes.items() if box.row == row) for row in rows}
        full = set()  # rows with a high gap above them
        for a in self.arrows:
            low, high = sorted((self.boxes[a.start].row, self.boxes[a.end].row))
            if a.shape or a.side:
                full.add(low)
            elif not self._straight(a):
                full.add(max(row for row in rows if row < high))
        for g in self.groups:
            inside = [self.boxes[name].row for name in g.boxes]
            full |= {max(inside), min(inside) - 1}
        up, self.middle, gap = 6.0, {}, 0
        for row in rows:
            up += gap
            self.middle[row] = up + tall[row] / 2
            up, gap = up + tall[row], 38 if row in full else 24
        self.height = round(up + 6 + (24 if title else 0) + (20 if rows[-1] in full else 0))

    def _x(self, column: float) -> float:
        low = int(column)
        if column == low:
            return self.columns[low]
        return self.columns[low] + (column - low) * (self.columns[low + 1] - self.columns[low])

    def _across(self, name: str) -> tuple[float, float]:
        """Left and right end. A wide box covers its columns, and at least its text."""
        left, right = map(self._x, _ends(self.boxes[name]))
        more = self.sizes[name][0] - (right - left)
        more = more / 2 if self.boxes[name].to is None else max(more / 2, WIDE)
        return left - more, right + more

    def _place(self, name: str) -> tuple[float, float, float, float]:
        """Left, top, right, bottom; y downwards."""
        (left, right), y = self._across(name), self.height - self.middle[self.boxes[name].row]
        high = self.sizes[name][1]
        return left, y - high / 2, right, y + high / 2

    def box(self, name: str) -> dict:
        box, (left, top, right, bottom) = self.boxes[name], self._place(name)
        texts = box.text.split("\n")
        first = (top + bottom) / 2 + 4.5 - LINE * (len(texts) - 1) / 2
        sizes = {"left": left, "top": top, "width": right - left, "height": bottom - top, "x": (left + right) / 2}
        bus = [round(self._x(column), 1) for column in _ends(box)] if name in self.buses else None
        return _round(sizes) | {
            "lines": [{"text": text, "y": round(first + LINE * i, 1)} for i, text in enumerate(texts)],
            "frame": box.frame, "radius": ROUND / 2 if box.text == "+" else 5, "bus": bus,
        }  # fmt: skip

    def _straight(self, a: Arrow) -> bool:
        """Whether one end lies right above the other."""
        narrow, wide = sorted(
            (_ends(self.boxes[a.start]), _ends(self.boxes[a.end])), key=lambda ends: ends[1] - ends[0]
        )
        return wide[0] <= narrow[0] and narrow[1] <= wide[1]

    def _arrow_column(self, a: Arrow) -> float:
        """Where a straight arrow stands: in the middle of its narrower end."""
        start, end = self.boxes[a.start], self.boxes[a.end]
        return sum(_ends(start if start.to is None else end)) / 2

    def arrow(self, a: Arrow) -> dict:
        start, end = self._place(a.start), self._place(a.end)
        x, to_x, level = (start[0] + start[2]) / 2, (end[0] + end[2]) / 2, (end[1] + end[3]) / 2
        top, bottom, entry = start[1], end[3], end[0] if a.side == "left" else end[2]
        shape_x, shape_y = x + 7, top - 8
        column, to_column = self.boxes[a.start].column, self.boxes[a.end].column
        if _skips(a, self.boxes):  # leaves the stream just before the next box, and goes round
            over = [
                self._place(n)[3]
                for n, b in self.boxes.items()
                if b.column == column and b.row > self.boxes[a.start].row
            ]
            lane = self._x(column) + self.lanes[column, a.side] * (-1 if a.side == "left" else 1)
            points = [(x, max(over) + 11), (lane, max(over) + 11), (lane, level), (entry, level)]
        elif a.side and top > level:  # up, then in from the side
            points = [(x, top), (x, level), (entry, level)]
        elif a.side:  # over the top, down between the columns, in from the side
            left, right = sorted((column, to_column))
            between = self._x(left) + self.reach[left, "right"] + self._x(right) - self.reach[right, "left"]
            points = [(x, top), (x, top - 24), (between / 2, top - 24), (between / 2, level), (entry, level)]
            shape_y = top - 30
        elif self.boxes[a.start].row == self.boxes[a.end].row:
            level = (start[1] + start[3]) / 2
            points = [(start[2], level), (end[0], level)] if x < to_x else [(start[0], level), (end[2], level)]
            shape_x, shape_y = min(points)[0] + 6, level - 7
        elif self.boxes[a.start].row > self.boxes[a.end].row:
            x = self._x(self._arrow_column(a))
            points = [(x, start[3]), (x, end[1])]
            shape_y = end[1] - 8
        elif self._straight(a):
            x = self._x(self._arrow_column(a))
            points, shape_x = [(x, top), (x, bottom)], x + 7
            out_of = any(a.start in g.boxes and a.end not in g.boxes for g in self.groups)
            into = any(a.end in g.boxes and a.start not in g.boxes for g in self.groups)
            shape_y += 2 * into - 9 * out_of  # beside the frame, which would strike the shape through
        else:
            points = [(x, top), (x, bottom + 13), (to_x, bottom + 13), (to_x, bottom)]
        (from_x, from_y), (x, y) = points[-2:]
        dx, dy = (x > from_x) - (x < from_x), (y > from_y) - (y < from_y)
        tip = [(x, y), (x - 7 * dx - 4 * dy, y - 7 * dy - 4 * dx), (x - 7 * dx + 4 * dy, y - 7 * dy + 4 * dx)]
        points[-1] = (x - 5 * dx, y - 5 * dy)
        return _round({"shape_x": shape_x, "shape_y": shape_y}) | {
            "shape": a.shape, "points": _joined(points), "tip": _joined(tip),
        }  # fmt: skip

    def group(self, g: Group) -> dict:
        places = [self._place(name) for name in g.boxes]
        (first, left), (last, right) = (self.frames[g, side] for side in SIDES)
        left, right = self._x(first) - left, self._x(last) + right
        top, bottom = min(p[1] for p in places) - PAD, max(p[3] for p in places) + 19
        sizes = {"x": left, "y": top, "width": right - left, "height": bottom - top}
        sizes |= {"text_x": left - 6 if g.side == "left" else right + 6, "text_y": (top + bottom) / 2 + 4}
        return _round(sizes) | {"text": g.text, "side": g.side}


def _ends(box: Box) -> tuple[float, float]:
    """The first and last column."""
    return box.column, box.column if box.to is None else box.to


def _size(box: Box) -> tuple[float, float]:
    """Width and height that the text takes."""
    if box.text == "+":
        return ROUND, ROUND
    pad = PAD if box.frame else 2
    return _width(box.text, FONT) + 2 * pad, LINE * (box.text.count("\n") + 1) + 2 * pad - 3


def _round(sizes: dict[str, float]) -> dict[str, float]:
    return {name: round(size, 1) for name, size in sizes.items()}


def _joined(points: list[tuple[float, float]]) -> str:
    """Points as SVG writes a line through them."""
    return "M" + " L".join(f"{x:.1f} {y:.1f}" for x, y in points)
