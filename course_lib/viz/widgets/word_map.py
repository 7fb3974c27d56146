"""A map of words that moves while their vectors are learned, and that can be searched."""

import json

import anywidget
import ipywidgets
import numpy as np
import traitlets

from ..inputs import PictureError, counted, finite, token_list
from ..neighbour_map import neighbour_map
from ..picture import Picture
from ..style import BLUE, MUTED, ORANGE, new_figure, styled
from .live import Live
from .wire import module, still_caption, style

NEAREST = 6
MOST = 600  # words


class Map(anywidget.AnyWidget):
    """The words as points, moment after moment; slider and search are in the browser."""

    _esm = module("word_map.js")
    _css = style("word_map.css")
    words = traitlets.List().tag(sync=True)
    groups = traitlets.List().tag(sync=True)  # [name, [which words]]
    marked = traitlets.List().tag(sync=True)  # which words are always named
    unit = traitlets.Unicode().tag(sync=True)
    moments = traitlets.List().tag(sync=True)  # each is JSON: at, points [[x, y]], near [[[word, cosine]]]


class WordMap(Live):
    """What `word_map` makes. moments: how many it has."""

    def __init__(self, words: list[str], groups: dict, marked: list[int], unit: str):
        self.words, self.groups, self.marked, self.unit, self.places = words, groups, marked, unit, None
        view = Map(words=words, groups=[[name, found] for name, found in groups.items()], marked=marked, unit=unit)
        super().__init__(ipywidgets.VBox([view]), {}, None)
        self.view = view

    def add(self, at: int, vectors) -> None:
        """The vectors of all words after so many steps, (word, d): the map moves there at once."""
        vectors = finite(vectors, "vectors")
        if vectors.ndim != 2 or len(vectors) != len(self.words):
            raise PictureError(f"vectors should have a row for each of {len(self.words)} words; got {vectors.shape}.")
        self.places = neighbour_map(vectors, self.places)
        points = self.places / max(np.abs(self.places).max(), 1e-9)
        cosine = vectors @ vectors.T / np.outer(*[np.linalg.norm(vectors, axis=1)] * 2)
        np.fill_diagonal(cosine, -2)
        first = np.argsort(-cosine, axis=1)[:, :NEAREST]
        near = [[[int(j), round(float(cosine[i, j]), 2)] for j in row] for i, row in enumerate(first)]
        moment = {"at": at, "points": points.round(3).tolist(), "near": near}
        self.view.moments = [*self.view.moments, json.dumps(moment, separators=(",", ":"))]  # a notebook keeps it short
        self.picture = self._still(points, at)

    @property
    def moments(self) -> int:
        return len(self.view.moments)

    def _still(self, points: np.ndarray, at: int) -> Picture:
        figure = new_figure(8.6, 6.2)
        others = [i for i in range(len(self.words)) if i not in self.marked]
        with styled():
            axes = figure.subplots()
            axes.scatter(*points[others].T, color=BLUE, s=12)
            axes.scatter(*points[self.marked].T, color=ORANGE, s=34, marker="D")
            for i in self.marked:
                axes.annotate(self.words[i], points[i], xytext=(6, -3), textcoords="offset points", fontsize=9)
            for name, found in self.groups.items():
                x, y = np.median(points[found], axis=0)
                axes.annotate(name, (x, y + 0.03), ha="center", fontsize=9, color=MUTED, fontstyle="italic")
            axes.set(xticks=[], yticks=[], title=f"{counted(len(self.words), 'word')} after {at} {self.unit}")
        alt = (
            f"A map of {len(self.words)} words after {at} {self.unit}: points, with the names of "
            f"{counted(len(self.groups), 'group')}. Marked: {', '.join(self.words[i] for i in self.marked) or 'none'}."
        )
        return Picture(figure, alt, still_caption("the map that moves and can be searched"))


def word_map(words, vectors, *, groups=None, marked=(), unit="steps") -> WordMap:
    """Shows words as points: near on the map is near in angle, as far as a plane can keep that (`neighbour_map`).

    words: one for each vector. vectors: (word, d), before anything was learned; `add(step, vectors)` moves the map.
    groups: {name: words}, named where most of their words are. marked: words whose names always stand there.
    Type a word to see its nearest ones, by their cosine in all dimensions; a slider goes back in time.
    Raises PictureError where there are no such words, or no vector for one.
    """
    words = token_list(words, None, "words", "word")
    if not 4 <= len(words) <= MOST or len(set(words)) < len(words):
        raise PictureError(f"A map has room for 4 to {MOST} different words; got {len(words)}.")
    place = {word: i for i, word in enumerate(words)}
    groups = {str(name): list(members) for name, members in (groups or {}).items()}
    for word in [*(word for members in groups.values() for word in members), *marked]:
        if word not in place:
            raise PictureError(f"{word!r} is in a group or marked, but it is none of the words.")
    if empty := [name for name, members in groups.items() if not members]:
        raise PictureError(f"The group {empty[0]!r} has no words.")
    found = {name: [place[word] for word in members] for name, members in groups.items()}
    made = WordMap(words, found, [place[word] for word in marked], unit)
    made.add(0, vectors)
    return made
