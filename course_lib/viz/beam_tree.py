"""Beam search as a tree: what each step compared, kept and dropped. Drawn as SVG, in the colours of the theme."""

import math

from .flow import Flow
from .inputs import PictureError, counted, titled, whole
from .picture import HTML
from .style import CSS_PIXELS_PER_INCH
from .token_tables import widest
from .tokens import display_parts, said_tokens

FONT, SMALL = 13, 11  # of tokens, of numbers; CSS pixels
BOX, ROW, GAP, PAD = 36, 44, 30, 8  # height of a box, of a row; between two columns; around a text
MOST_STEPS, MOST_CANDIDATES = 40, 24
LEGEND = (
    "In a box: the token, its probability after its parent · log P of the text up to here. "
    "Filled: kept; ✓ finished, at the end token. Dashed: compared and dropped. ★ the best in the end."
)

SVG = HTML.from_string("""\
<svg xmlns="http://www.w3.org/2000/svg" class="course-beam" role="img" aria-label="{{ alt }}" \
width="{{ width }}" height="{{ height }}" viewBox="0 0 {{ width }} {{ height }}" \
style="min-width:{{ width * 3 // 4 }}px">
<style>
svg.course-beam{--ink:var(--jp-ui-font-color0,#1f2933);--quiet:var(--jp-ui-font-color1,#52606d);\
--paper:var(--jp-layout-color0,#fff);--lit:#0072b2;--done:#009e73;background:var(--paper);\
max-width:100%;height:auto}
[data-jp-theme-light="false"] svg.course-beam{--lit:#56b4e9;--done:#2fc49a}
svg.course-beam text{font:{{ font }}px "DejaVu Sans",Verdana,sans-serif;fill:var(--quiet);text-anchor:middle}
svg.course-beam .number{font-size:{{ small }}px}
svg.course-beam .hypothesis{text-anchor:start;font-size:{{ small + 1 }}px;fill:var(--ink)}
svg.course-beam .title{text-anchor:start;font-weight:bold;fill:var(--ink)}
svg.course-beam rect{fill:var(--paper);stroke:var(--quiet);stroke-dasharray:4 3}
svg.course-beam path{fill:none;stroke:var(--quiet);stroke-dasharray:4 3;opacity:.7}
svg.course-beam .kept rect{fill:color-mix(in srgb,var(--lit) 20%,var(--paper));stroke:var(--lit);stroke-width:2;\
stroke-dasharray:none}
svg.course-beam .kept text{fill:var(--ink)}
svg.course-beam .kept path{stroke:var(--lit);stroke-width:2;stroke-dasharray:none;opacity:1}
svg.course-beam .ended rect{fill:color-mix(in srgb,var(--done) 24%,var(--paper));stroke:var(--done)}
svg.course-beam .best rect{stroke-width:3.5}
svg.course-beam .best path{stroke-width:4.5}
svg.course-beam .best text{font-weight:bold}
</style>
{%- if title %}<text class="title" x="4" y="17">{{ title }}</text>{% endif %}
{%- for node in nodes %}
<g class="{{ node.look }}">{% if node.edge %}<path d="{{ node.edge }}"/>{% endif %}\
<rect x="{{ node.left }}" y="{{ node.top }}" width="{{ node.width }}" height="{{ node.box }}" rx="5"/>\
<text x="{{ node.x }}" y="{{ node.top + (15 if node.numbers else 22) }}">{{ node.token }}</text>\
{% if node.numbers %}<text class="number" x="{{ node.x }}" y="{{ node.top + 30 }}">{{ node.numbers }}</text>{% endif %}
<title>{{ node.said }}</title></g>
{%- endfor %}
{%- for line in lines %}
<text class="hypothesis" x="4" y="{{ line.y }}"{% if line.best %} font-weight="bold"{% endif %}>{{ line.text }}</text>
{%- endfor %}
</svg>""")


class BeamTree(Flow):
    """A drawing that says in words what it shows. svg: the drawing itself. best: the sentence on its best text."""

    def __init__(self, svg: str, width: int, height: int, best: str, alt: str, caption: str | None = None):
        super().__init__(svg, width, height, alt, caption or LEGEND)
        self.content, self.best = f'<div style="overflow-x:auto">{self.content}</div>', best


def beam_tree(beam, words, *, start="start", title=None, alt=None, caption=None) -> BeamTree:
    """Draws the steps of a beam search from left to right, and its hypotheses below, the best first.

    beam: what `decoding.beam_search` gives for one row: `.steps`, `.hypotheses`, `.alpha`.
    words: the token of each id, as a list or {id: token}; a token is str or bytes.
    start: what stands at the root, where decoding began.
    Raises PictureError for an id without a word, or a beam with more than 40 steps or 24 candidates at a step.
    """
    steps = beam.steps
    most = max(map(len, steps), default=0)
    if not 1 <= len(steps) <= MOST_STEPS or most > MOST_CANDIDATES:
        there = f"{counted(len(steps), 'step')} with up to {counted(most, 'candidate')}"
        wanted = f"1 to {MOST_STEPS} steps of up to {MOST_CANDIDATES} candidates"
        raise PictureError(
            f"A tree is drawn for {wanted}, but this beam has {there}. Decode less, or with a smaller k."
        )
    names = [[_word(words, c.token) for c in step] for step in steps]
    best = _best_path(beam)
    nodes, width, height = _nodes(steps, names, best, whole(str(start)), 30 if title else 6)

    lines, texts = [], []
    for rank, text in enumerate(beam.hypotheses, start=1):
        said = said_tokens([_token(words, token) for token in text.ids]) or "(empty)"
        ending = "" if text.ended else " … (cut at max_len)"
        numbers = f"log P {_number(text.log_probability)}, score {_number(text.score(beam.alpha))}"
        texts.append(f"{'★ ' * (rank == 1)}{rank}. {said}{ending} · {numbers}")
        lines.append({"text": texts[-1], "y": height + 18 * rank, "best": rank == 1})
    width = round(max(width, max(_width(text, SMALL + 1) for text in texts) + 8))
    height += 18 * len(lines) + 8
    said = whole(alt or titled(title, _in_words(steps, names, texts)))
    sizes = {"width": width, "height": height, "font": FONT, "small": SMALL}
    svg = SVG.render(alt=said, title=title, nodes=nodes, lines=lines, **sizes)
    return BeamTree(svg, width, height, texts[0].removeprefix("★ 1. "), said, caption)


def _nodes(steps, names, best: set, start: str, top: int) -> tuple[list[dict], float, int]:
    """The root and all candidates with their places; the width and the height that they take.

    In a column the children of one parent stand together, and these groups in the order of their parents: so no two
    lines cross.
    """
    rows = max(map(len, steps))
    middle, height = top + rows * ROW / 2, top + rows * ROW
    root = {"x": PAD + _width(start, FONT) / 2, "width": _width(start, FONT) + 2 * PAD, "y": middle}
    nodes = [_placed(root, 4, "kept best", start, "", "where decoding begins")]
    parents, at = {None: nodes[0]}, nodes[0]["left"] + nodes[0]["width"] + GAP
    for number, (step, words) in enumerate(zip(steps, names, strict=True)):
        numbers = [f"{_share(c.log_probability)} · {_number(c.total)}" for c in step]
        texts = [f"{'✓ ' * (c.kept and c.ended)}{word}" for c, word in zip(step, words, strict=True)]
        width = max([_width(t, FONT) for t in texts] + [_width(n, SMALL) for n in numbers]) + 2 * PAD
        order = sorted(range(len(step)), key=lambda i: (parents[step[i].parent]["y"], i))
        placed = {}
        for row, i in enumerate(order):
            c, parent = step[i], parents[step[i].parent]
            look = " ".join(
                ["kept"] * c.kept + ["ended"] * (c.kept and c.ended) + ["best"] * ((number, i) in best) or ["dropped"]
            )
            fate = "dropped" if not c.kept else "kept, finished" if c.ended else "kept"
            said = f"{words[i]}: probability {_share(c.log_probability)}, log P {_number(c.total)}, {fate}"
            spot = {"y": middle + (row - (len(step) - 1) / 2) * ROW, "width": width}
            node = placed[i] = _placed(spot, at, look, texts[i], numbers[i], said)
            from_x, half = parent["left"] + parent["width"], GAP / 2
            node["edge"] = (
                f"M{from_x:.1f} {parent['y']:.1f} C{from_x + half:.1f} {parent['y']:.1f} "
                f"{at - half:.1f} {node['y']:.1f} {at:.1f} {node['y']:.1f}"
            )
        nodes += sorted(placed.values(), key=lambda node: "kept" in node["look"])  # what is lit is drawn on top
        parents, at = placed, at + width + GAP
    return nodes, at - GAP + 4, round(height)


def _placed(spot: dict, left: float, look: str, token: str, numbers: str, said: str) -> dict:
    width, y = round(spot["width"], 1), round(spot["y"], 1)
    return {
        "left": round(left, 1), "top": y - BOX / 2, "width": width, "box": BOX, "x": round(left + width / 2, 1), "y": y,
        "look": look, "token": token, "numbers": numbers, "said": said, "edge": "",
    }  # fmt: skip


def _best_path(beam) -> set[tuple[int, int]]:
    """(step, place) of each candidate on the way to the best hypothesis."""
    best = beam.hypotheses[0]
    last = len(best.ids) + best.ended - 1
    for end, candidate in enumerate(beam.steps[last]):
        path, place = {}, end
        for step in range(last, -1, -1):
            path[step] = place
            place = beam.steps[step][place].parent
        tokens = [beam.steps[step][path[step]].token for step in range(len(best.ids))]
        if candidate.kept and candidate.ended == best.ended and tokens == list(best.ids):
            return set(path.items())
    raise PictureError("The best hypothesis isn't in the beam's steps: pass one beam as beam_search gave it.")


def _in_words(steps, names, texts: list[str]) -> str:
    said = []
    for number, (step, words) in enumerate(zip(steps, names, strict=True), start=1):
        kept = [
            f"{word} {_share(c.log_probability)}{' (finished)' * c.ended}"
            for c, word in zip(step, words, strict=True)
            if c.kept
        ]
        dropped = len(step) - len(kept)
        said.append(f"step {number}: {', '.join(kept)}" + f"; {dropped} more dropped" * bool(dropped))
    return f"Tree of a beam search. Kept at {'; at '.join(said)}. In the end: {'; '.join(texts)}."


def _token(words, token: int) -> str | bytes:
    try:
        return words[token]
    except (KeyError, IndexError, TypeError):
        wanted = "words should hold the token of each id, as a list or {id: token}"
        raise PictureError(f"{wanted}; there is none for the id {token}.") from None


def _word(words, token: int, longest: int = 16) -> str:
    text = "".join(text for _, text in display_parts(_token(words, token)))
    return whole(text if len(text) <= longest else text[: longest - 1] + "…")


def _share(log_probability: float) -> str:
    share = math.exp(log_probability)
    return f"{share:.2f}" if share >= 0.005 else "<0.01"


def _number(value: float) -> str:
    return f"{value:.2f}".replace("-0.00", "0.00").replace("-", "−")


def _width(text: str, size: float) -> float:
    return 1.1 * CSS_PIXELS_PER_INCH * float(widest([text], size * 72 / CSS_PIXELS_PER_INCH))
