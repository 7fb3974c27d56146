"""A text's vectors on their way into heads, cell by cell: cut and swapped, or reshaped at once."""

from course_lib.support.messages import one_of, whole_number

from .flow import FONT, SMALL, Flow
from .inputs import PictureError, token_list
from .picture import HTML

CUT_STEPS = ("as it comes", "half-way", "in heads")
CELL_WIDTH, CELL_HEIGHT, GAP, LABEL, TOP = 46, 28, 14, 64, 44  # CSS pixels
MOST_WORDS, MOST_CELLS = 4, 13
SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")

SVG = HTML.from_string("""\
<svg xmlns="http://www.w3.org/2000/svg" class="course-cut" role="img" aria-label="{{ alt }}" \
width="{{ width }}" height="{{ height }}" viewBox="0 0 {{ width }} {{ height }}">
<style>
.course-cut.course-cut{--ink:var(--jp-ui-font-color0,#1f2933);--quiet:var(--jp-ui-font-color1,#52606d);\
--paper:var(--jp-layout-color0,#fff);max-width:100%;height:auto;background:var(--paper)}
.course-cut.course-cut text{font:{{ font }}px "DejaVu Sans",Verdana,sans-serif;fill:var(--ink);text-anchor:middle}
.course-cut.course-cut .quiet{font-size:{{ small }}px;fill:var(--quiet)}
.course-cut.course-cut .row{text-anchor:end}
.course-cut.course-cut .title{font-weight:bold;text-anchor:start}
.course-cut.course-cut rect{stroke:var(--quiet);stroke-width:1}
.course-cut.course-cut .group{fill:none;stroke-dasharray:5 4}
{%- for colour in ("#0072b2", "#d55e00", "#009e73", "#aa4499") %}
.course-cut.course-cut .word{{ loop.index0 }}{fill:color-mix(in srgb,{{ colour }} 30%,var(--paper))}
{%- endfor %}
</style>
<text class="title" x="4" y="17">{{ title }}</text>
{%- for g in groups %}
<rect class="group" x="{{ g.x }}" y="{{ g.y }}" width="{{ g.width }}" height="{{ g.height }}" rx="8"/>
<text class="quiet" x="{{ g.x + g.width / 2 }}" y="{{ g.y - 5 }}">{{ g.name }}</text>
{%- endfor %}
{%- for c in cells %}
<rect class="word{{ c.word }}" x="{{ c.x }}" y="{{ c.y }}" width="{{ c.width }}" height="{{ c.height }}"/>\
<text x="{{ c.x + c.width / 2 }}" y="{{ c.y + 19 }}">{{ c.text }}</text>
{%- endfor %}
{%- for r in rows %}
<text class="quiet row" x="{{ r.x }}" y="{{ r.y }}">{{ r.text }}</text>
{%- endfor %}
</svg>""")


def head_cut(words, num_heads=2, d=2, step=CUT_STEPS[-1], at_once=False) -> Flow:
    """Draws x (n, num_heads · d) becoming (num_heads, n, d), for one text.

    words: n words, a colour each; a cell is one number of a word, counted from 0. step: "as it comes", "half-way" (the
    last axis cut, or, at_once, the numbers as they lie in memory) or "in heads". at_once: reshaped straight to the last
    shape, which scrambles the words. Raises PictureError for more than 4 words or 13 numbers in all.

        viz.head_cut(["the", "cat", "sat"], num_heads=2, d=2, step="in heads")
    """
    words = token_list(words, None, "words", "word")
    h, d = (
        whole_number("num_heads", num_heads, low=1, error=PictureError),
        whole_number("d", d, low=1, error=PictureError),
    )
    step = CUT_STEPS.index(one_of("step", step, CUT_STEPS, PictureError))
    n, width = len(words), h * d
    if not 1 <= n <= MOST_WORDS or n * width > MOST_CELLS:
        raise PictureError(
            f"There is room for {MOST_WORDS} words and {MOST_CELLS} numbers in all; got {n} words of {width} numbers."
        )
    numbers = [(i, j) for i in range(n) for j in range(width)]  # (word, its number), as they lie in memory
    if step == 0:
        title, shape, tables = "x", (n, width), [("", words, numbers)]
    elif at_once and step == 1:
        title, shape, tables = "as the numbers lie in memory", (n * width,), [("", [""], numbers)]
    elif step == 1:
        title, shape = "the last axis cut", (n, h, d)
        tables = [(word, [f"head {k}" for k in range(h)], numbers[i * width : (i + 1) * width])
                  for i, word in enumerate(words)]  # fmt: skip
    else:
        title, shape = ("reshaped at once" if at_once else "words and heads swapped"), (h, n, d)
        chosen = numbers if at_once else sorted(numbers, key=lambda cell: cell[1] // d)
        rows = [f"row {i}" for i in range(n)] if at_once else words
        tables = [(f"head {k}", rows, chosen[k * n * d : (k + 1) * n * d]) for k in range(h)]

    cells, groups, labels, said, x = [], [], [], [], 0.0
    for name, rows, table in tables:
        columns = len(table) // len(rows)
        room = LABEL if any(rows) else GAP
        left = x + room
        for place, (word, number) in enumerate(table):
            row, column = divmod(place, columns)
            text = f"{words[word]}{str(number).translate(SUBSCRIPTS)}"
            cells.append({
                "x": left + column * CELL_WIDTH, "y": TOP + row * CELL_HEIGHT,
                "width": CELL_WIDTH, "height": CELL_HEIGHT, "word": word, "text": text,
            })  # fmt: skip
        labels += [{"x": left - 6, "y": TOP + row * CELL_HEIGHT + 18, "text": text} for row, text in enumerate(rows)]
        end = left + columns * CELL_WIDTH
        if name:
            groups.append(
                {"x": x + 6, "y": TOP - 6, "width": end - x, "height": len(rows) * CELL_HEIGHT + 12, "name": name}
            )
        texts = [f"{words[word]} {number}" for word, number in table]
        each = [
            f"{text}: {', '.join(texts[i * columns : (i + 1) * columns])}".lstrip(": ") for i, text in enumerate(rows)
        ]
        said.append(f"{name + ' holds ' if name else ''}{'; '.join(each)}")
        x = end + GAP
    shape = f"({', '.join(map(str, shape))})"
    alt = f"{title} {shape}. {'. '.join(said)}."
    height = TOP + max(len(rows) for _, rows, _ in tables) * CELL_HEIGHT + 12
    svg = SVG.render(
        alt=alt, title=f"{title} {shape}", width=round(x), height=height, font=FONT, small=SMALL, cells=cells,
        groups=groups, rows=labels,
    )  # fmt: skip
    return Flow(svg, round(x), height, alt)
