"""Drawings of a data flow: nothing overlaps, nothing is cut off, and their words say what is drawn."""

import itertools
import re
import xml.etree.ElementTree as ET

import pytest

from course_lib import viz
from course_lib.viz.flow import FONT, SMALL, WIDEST, _width

SVG = "{http://www.w3.org/2000/svg}"
DRAWINGS = {
    "pre-norm": lambda **k: viz.block_drawing(title="The block of GPT-2", **k),
    "post-norm": lambda **k: viz.block_drawing(pre_norm=False, **k),
    "decoder": lambda **k: viz.block_drawing(masked=True, cross_attention=True, **k),
    "no feed-forward": lambda **k: viz.block_drawing(feed_forward=False, **k),
    "head": viz.head_drawing,
    "masked head": lambda **k: viz.head_drawing(masked=True, **k),
    "cross head": lambda **k: viz.head_drawing(masked=True, cross=True, **k),
    "2 heads": lambda **k: viz.heads_drawing(2, **k),
    "6 heads": lambda **k: viz.heads_drawing(6, **k),
    "3 heads, summed": lambda **k: viz.heads_drawing(3, summed=True, **k),
    "4 heads, summed": lambda **k: viz.heads_drawing(4, summed=True, **k),
    "positions": viz.positions_drawing,
    "pair": viz.layer_pair_drawing,
    "transformer": lambda **k: viz.transformer_drawing(12, title="The Transformer", **k),
    "training": viz.training_drawing,
    "reading": lambda **k: viz.reading_drawing(["the", "keys", "to", "the", "cabinet", "are"], **k),
    "reading at once": lambda **k: viz.reading_drawing(["a", "b"], attention=True, title="Attention reads", **k),
    "without a look back": lambda **k: viz.encoder_decoder_drawing(["one", "</s>"], list("abcdef"), **k),
    "with a look back": lambda **k: viz.encoder_decoder_drawing(
        ["twenty", "one", ",", "forty", "two", "</s>"], ["zwei", "</s>"], True, title="A look back", **k
    ),
    "training, long": lambda **k: viz.training_drawing(
        ["une", "phrase", "un", "peu", "longue"], ["a", "sentence"], **k
    ),
}


def texts(svg):
    """(left, top, right, bottom) of every text, reckoned in bold."""
    found = []
    for node in svg.iter(SVG + "text"):
        kind = node.get("class") or ""
        size = SMALL if "shape" in kind else FONT
        width, x, y = (
            _width(node.text, size) / (1.13 if "shape" in kind else 1),
            float(node.get("x")),
            float(node.get("y")),
        )
        start = {"shape": 0, "title": 0, "shape left": 1}.get(kind, 0.5)
        found.append((node.text, (x - start * width, y - 0.75 * size, x + (1 - start) * width, y + 0.2 * size)))
    return found


def lines(svg):
    for node in svg.iter(SVG + "path"):
        if not node.get("class"):
            points = [tuple(map(float, p)) for p in re.findall(r"([\d.-]+) ([\d.-]+)", node.get("d"))]
            yield from itertools.pairwise(points)


def overlap(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def boxes(svg):
    for node in svg.iter(SVG + "rect"):
        if node.get("class") != "group":
            x, y, width, height = (float(node.get(k)) for k in ("x", "y", "width", "height"))
            yield x, y, x + width, y + height


@pytest.mark.parametrize("name", DRAWINGS)
def test_nothing_overlaps_and_nothing_is_cut_off(name):
    picture = DRAWINGS[name]()
    svg = ET.fromstring(picture.svg)
    assert picture.width <= WIDEST
    written = texts(svg)
    for text, (left, top, right, bottom) in written:
        assert left >= 0 and top >= 0 and right <= picture.width and bottom <= picture.height, text
    for (one, a), (other, b) in itertools.combinations(written, 2):
        assert not overlap(a, b), (one, other)
    for a, b in itertools.combinations(boxes(svg), 2):
        assert not overlap(a, b)
    for (x, y), (to_x, to_y) in lines(svg):
        line = min(x, to_x), min(y, to_y), max(x, to_x) + 0.1, max(y, to_y) + 0.1
        assert all(not overlap(line, place) for _, place in written), (
            line,
            [t for t, p in written if overlap(line, p)],
        )
        assert line[0] >= 0 and line[1] >= 0 and line[2] <= picture.width and line[3] <= picture.height


def test_a_drawing_says_its_arrows_in_words():
    picture = viz.flow(
        {"x": viz.Box("x", row=0, frame=False), "f": viz.Box("feed-\nforward", row=1), "+": viz.Box("+", row=2)},
        [("x", "f", "(n, d_model)"), ("f", "+"), viz.Arrow("x", "+", side="left")],
        [viz.Group(("f", "+"), "× 6")], lit="f", title="A layer",
    )  # fmt: skip
    said = "x → feed- forward (n, d_model); feed- forward → +; x → + (skip); feed- forward, +: × 6."
    assert picture.alt == f"A layer. Data flow, from the bottom up: {said} Lit: feed- forward."
    assert f'aria-label="{picture.alt}"' in picture.svg
    assert viz.flow({"x": viz.Box("x")}, [], alt="One box.").alt == "One box."


def test_only_what_is_lit_is_lit_and_nothing_moves():
    plain, lit = viz.block_drawing(), viz.block_drawing(lit=("attention", "attention_add"))
    assert (plain.width, plain.height) == (lit.width, lit.height)
    nodes = [node for node in ET.fromstring(lit.svg).iter(SVG + "g") if node.get("class") == "lit"]
    assert [node.find(SVG + "text").text for node in nodes if node.find(SVG + "text") is not None] == [
        "self-attention",
        "+",
    ]
    assert len(nodes) == 3, "two boxes and the arrow between them"
    assert 'class="lit"' not in plain.svg


def test_it_takes_the_ink_of_the_theme_and_stands_as_an_image_where_svg_is_kept_out():
    html = viz.block_drawing(caption="<b>Below</b>").html()
    assert "var(--jp-layout-color0,#fff)" in html and "var(--jp-ui-font-color0,#1f2933)" in html
    assert "data:image/svg+xml;base64," in html and "&lt;b&gt;Below" in html
    assert html == viz.block_drawing(caption="<b>Below</b>").html()


def test_a_text_is_text_never_html(tmp_path):
    picture = viz.training_drawing(["<script>", "a & b"], ["</svg>"])
    svg = ET.fromstring(picture.svg)
    assert "<script>" in [node.text for node in svg.iter(SVG + "text")]
    picture.save(tmp_path / "step.svg")
    ET.parse(tmp_path / "step.svg")


def test_the_decoder_is_asked_for_what_it_reads_next():
    said = [text for text, _ in texts(ET.fromstring(viz.training_drawing(["le", "chat"]).svg))]
    assert (
        said.index("START") < said.index("chat")
        and said.count("le") == 2
        and said.count("START") == said.count("END") == 1
    )


def test_two_drawings_stand_beside_each_other():
    both = viz.beside(viz.block_drawing(), viz.block_drawing(pre_norm=False), caption="Pre and post.")
    assert both.html().count("<svg") == 2 and both.alt.count("Data flow") == 2


TWO = {"x": viz.Box("x"), "y": viz.Box("y", row=1)}


def test_a_box_may_stand_between_two_columns_alone():
    assert viz.flow({"x": viz.Box("x", 0.5)}, []).width > 0


@pytest.mark.parametrize(
    "draw, sentence",
    [
        (lambda: viz.flow({}, []), "no box"),
        (lambda: viz.flow({"x": viz.Box("x")}, [("x", "y")]), "no box “y”: there are x"),
        (lambda: viz.flow({"x": viz.Box("x", -1)}, []), "counted from 0 at the left, but “x” goes from -1"),
        (lambda: viz.flow(TWO, [viz.Arrow("x", "y", side="top")]), "side should be '', 'left' or 'right'; got 'top'"),
        (lambda: viz.flow(TWO, [viz.Arrow("y", "x", side="left")]), "upwards, but “x” doesn't stand above “y”"),
        (lambda: viz.flow(TWO, [], [viz.Group((), "× 6")]), "the text '× 6' has none"),
        (lambda: viz.flow(TWO, [], [viz.Group(("x",), side="top")]), "side should be 'left' or 'right'; got 'top'"),
        (lambda: viz.block_drawing(lit="ffn"), "no box “ffn”: there are x, attention_norm"),
        (lambda: viz.heads_drawing(7), "from 2 to 6"),
        (lambda: viz.training_drawing("le chat dort"), "one string"),
        (lambda: viz.training_drawing(list("abcdef")), "1 to 5 words"),
        (lambda: viz.training_drawing(["Donaudampfschifffahrtsgesellschaftskapitän"] * 3), "pixels wide"),
    ],
)
def test_bad_input_gets_one_sentence(draw, sentence):
    with pytest.raises(viz.PictureError, match=sentence):
        draw()
