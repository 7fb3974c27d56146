"""A dependency tree as arcs over its sentence, and under the words what somebody attends to."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, Rectangle
from matplotlib.path import Path

from .inputs import PictureError, array, check_weights, counted, shorten, titled, token_list
from .picture import Picture
from .style import BLUE, GRID, INK, MUTED, ORANGE, new_figure, styled
from .token_tables import PAD, widest

FONT, SMALL = 9.5, 8
GAP, NARROWEST = 0.14, 0.4  # inches: between two words, and a word with what stands under it
STEP, LINE, CELL = 0.3, 0.2, 0.28  # inches: from one height of arcs to the next, a line of text, a row of shades
WIDEST = 11  # inches


def arcs(
    words, parents, labels=None, *, wrong=(), asked=None, rows=None, weights=None, title=None, alt=None, caption=None
) -> Picture:
    """Draws an arrow from each word's parent to the word, above the sentence.

    words: (place,); place 0 may be ROOT. parents: (place,) whole numbers; a word that is its own parent gets no arc.
    labels: (place,) a name for the edge to each word's parent. wrong: places whose arc is drawn dashed.
    asked: the place of a word to frame. rows: {name: (place,)}, what is written under the words.
    weights: (place,) whom the asked word attends to, or (query, key) for all words, as shades.
    Raises PictureError where lengths don't fit, or a parent is no place of the sentence.
    """
    words, parents, labels = _checked(words, parents, labels)
    wrong = {_place(at, words, "wrong") for at in wrong}
    asked = asked if asked is None else _place(asked, words, "asked")
    rows = {str(name): list(map(str, row)) for name, row in (rows or {}).items()}
    for name, row in rows.items():
        token_list(row, len(words), f"The row “{name}”", "word", "entry")
    if weights is not None:
        weights = _weights(weights, words, asked)

    width, height = _size(words, parents, labels, rows, weights)
    figure = new_figure(width, height + (0.32 if title else 0))
    with styled():
        axes = figure.subplots()
        draw_arcs(axes, words, parents, labels, wrong=wrong, asked=asked, rows=rows, weights=weights)
        axes.set_title(title)
    return Picture(figure, alt or titled(title, _words(words, parents, labels, wrong, asked, weights)), caption)


def draw_arcs(axes: Axes, words, parents, labels=None, *, wrong=(), asked=None, rows=None, weights=None) -> None:
    """The same on axes of your own; its coordinates are inches, 0 at the words' baseline."""
    words, parents, labels = _checked(words, parents, labels)
    rows, shown = rows or {}, [shorten(word) for word in words]
    names = _names(rows, weights, words)
    left = widest(names, SMALL) + 2 * PAD if names else 0
    centres, right = _centres(shown, labels, rows)
    heights = _heights(parents)
    top = STEP * (max(heights.values(), default=0) + 1)
    for i, (word, centre) in enumerate(zip(shown, centres, strict=True)):
        frame = {"facecolor": "white", "edgecolor": INK, "pad": 2}
        look = {"fontweight": "bold", "bbox": frame} if i == asked else {}
        colour = MUTED if parents[i] == i else INK
        axes.text(centre, 0, word, ha="center", va="center", fontsize=FONT, color=colour, **look)
    for child, height in heights.items():
        _arc(axes, centres, parents[child], child, STEP * height, labels and labels[child], child in wrong)
    below = -LINE
    for name, row in rows.items():
        axes.text(-PAD, below - LINE / 2, name, ha="right", va="center", fontsize=SMALL, color=MUTED)
        for centre, entry in zip(centres, row, strict=True):
            axes.text(centre, below - LINE / 2, entry, ha="center", va="center", fontsize=SMALL)
        below -= LINE
    if weights is not None:
        below = _shades(axes, weights, words, asked, centres, below - PAD / 2)
    axes.set(xlim=(-left, right), ylim=(below - PAD, top), aspect="equal")
    axes.axis("off")


def _arc(axes: Axes, centres, parent: int, child: int, height: float, label: str | None, wrong: bool) -> None:
    """From the parent, a little to the side of its centre, to the child's centre."""
    side, foot = np.sign(child - parent), 0.13
    start, end = centres[parent] + side * 0.07, centres[child]
    bend = min(height - foot - 0.08, abs(end - start) / 2, 0.3)  # its last piece is straight: an arrow ends it
    corner = [(start, height - bend), (start, height), (start + side * bend, height)]
    other = [(end - side * bend, height), (end, height), (end, height - bend)]
    turn = [Path.LINETO, Path.CURVE3, Path.CURVE3]
    path = Path([(start, foot), *corner, *other, (end, foot)], [Path.MOVETO, *turn, *turn, Path.LINETO])
    look = {"color": ORANGE if wrong else BLUE, "linestyle": (0, (4, 2.5)) if wrong else "-", "linewidth": 1.4}
    look |= {"arrowstyle": "-|>", "mutation_scale": 9, "fill": False, "joinstyle": "miter"}
    axes.add_patch(FancyArrowPatch(path=path, **look))
    if label:
        paper = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
        look = {"fontsize": SMALL, "color": MUTED, "bbox": paper, "zorder": 3}
        axes.text((start + end) / 2, height + 0.03, label, ha="center", va="bottom", **look)


def _heights(parents: list[int]) -> dict[int, int]:
    """For each child how high its arc is: one more than any shorter arc that it spans or crosses."""
    spans = {child: tuple(sorted((child, parent))) for child, parent in enumerate(parents) if parent != child}
    heights: dict[int, int] = {}
    for child in sorted(spans, key=lambda each: spans[each][1] - spans[each][0]):
        low, high = spans[child]
        under = [heights[other] for other in heights if spans[other][0] < high and low < spans[other][1]]
        heights[child] = 1 + max(under, default=0)
    return heights


def _shades(axes: Axes, weights: np.ndarray, words, asked, centres, top: float) -> float:
    """A row of cells for each query, a cell under each word. Returns where it ends."""
    between = [(a + b) / 2 for a, b in zip(centres, centres[1:], strict=False)]
    edges = [0.0, *between, 2 * centres[-1] - between[-1]]
    largest = max(float(weights.max()), 0.1)
    for name, row in zip(_names({}, weights, words), weights, strict=True):
        axes.text(-PAD, top - CELL / 2, name, ha="right", va="center", fontsize=SMALL, color=MUTED)
        for left, right, weight in zip(edges, edges[1:], row, strict=False):
            strength, place = float(weight) / largest, ((left, top - CELL), right - left, CELL)
            axes.add_patch(Rectangle(*place, facecolor=BLUE, alpha=strength, edgecolor="none"))
            axes.add_patch(Rectangle(*place, fill=False, edgecolor=GRID, linewidth=0.6))
            if len(weights) == 1:
                look = {"color": "white" if strength > 0.55 else INK, "fontsize": SMALL}
                said = "1" if weight > 0.995 else f"{weight:.2f}"[1:]
                axes.text((left + right) / 2, top - CELL / 2, said, ha="center", va="center", **look)
        top -= CELL
    return top


def _names(rows: dict, weights, words) -> list[str]:
    """What stands at the left of what is under the words."""
    if weights is None:
        return list(rows)
    return [*rows, *(["attention"] if len(weights) == 1 else map(shorten, words))]


def _centres(words: list[str], labels, rows: dict) -> tuple[list[float], float]:
    """Where each word stands, in inches from the left edge, and where the last one ends."""
    centres, right = [], 0.0
    for i, word in enumerate(words):
        under = [*(row[i] for row in rows.values()), *(labels[i : i + 1] if labels else [])]
        room = max(NARROWEST, widest([word], FONT) + GAP, *(widest([text], SMALL) + GAP for text in under))
        centres.append(right + room / 2)
        right += room
    return centres, right


def _size(words, parents, labels, rows, weights) -> tuple[float, float]:
    names = _names(rows, weights, words)
    width = _centres([shorten(word) for word in words], labels, rows)[1]
    width += widest(names, SMALL) + 2 * PAD if names else 0
    height = STEP * (max(_heights(parents).values(), default=0) + 1) + LINE * (1 + len(rows)) + 2 * PAD
    return min(WIDEST, width + 0.2), height + (CELL * len(weights) if weights is not None else 0) + 0.1


def _checked(words, parents, labels):
    words = token_list(words, None, "words", "word")
    if len(words) < 2:
        raise PictureError(f"A tree needs two words or more, but the sentence has {counted(len(words), 'word')}.")
    given = array(parents, "parents")
    if given.shape != (len(words),) or (given != given.astype(int)).any():
        wanted = f"one whole number for each of {counted(len(words), 'word')}"
        raise PictureError(f"parents should hold {wanted}; got the shape {tuple(given.shape)}.")
    parents = [int(parent) for parent in given]
    if outside := [parent for parent in parents if not 0 <= parent < len(words)]:
        raise PictureError(f"A parent is a place of the sentence, 0 to {len(words) - 1}; got {outside[0]}.")
    return words, parents, labels if labels is None else token_list(labels, len(words), "labels", "word", "label")


def _place(at, words, name: str) -> int:
    if isinstance(at, str) or int(at) != at or not 0 <= at < len(words):
        raise PictureError(f"{name} should name places of the sentence, 0 to {len(words) - 1}; got {at!r}.")
    return int(at)


def _weights(weights, words, asked) -> np.ndarray:
    """(query, key): one row for the asked word, or one for each."""
    weights = array(weights, "weights")
    if weights.ndim == 1 and asked is None:
        raise PictureError("One row of weights is the asked word's: say which it is, asked=….")
    weights = np.atleast_2d(weights)
    if weights.shape not in ((1, len(words)), (len(words), len(words))):
        wanted = f"({len(words)},) for the asked word or ({len(words)}, {len(words)}) for all"
        raise PictureError(f"weights should have the shape {wanted}; got {tuple(weights.shape)}.")
    check_weights(weights, [words[asked]] if len(weights) == 1 else words)
    return weights.clip(0, 1)


def _words(words, parents, labels, wrong, asked, weights) -> str:
    told = []
    for child, parent in enumerate(parents):
        if parent != child:
            label, note = f" ({labels[child]})" if labels else "", ", a wrong arc" if child in wrong else ""
            told.append(f"{words[parent]} → {words[child]}{label}{note}")
    said = f"Arcs from each parent to its child, over “{' '.join(words)}”: {'; '.join(told)}."
    if weights is not None and len(weights) == 1:
        most = int(weights[0].argmax())
        said += f" “{words[asked]}” attends most to “{words[most]}” ({weights[0, most]:.2f})."
    elif weights is not None:
        said += " Under it a map of attention, a row for each word that looks."
    return said
