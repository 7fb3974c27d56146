"""The loss while a model learns and, beside it, what it can do so far: one bar for each thing, rising."""

import numpy as np
from IPython import get_ipython
from IPython.display import display

from .inputs import PictureError, counted, finite, titled, token_list
from .picture import Picture
from .runs import draw_losses
from .style import BLUE, MUTED, ORANGE, new_figure, styled

MARKS = [("|", ORANGE), ("d", MUTED)]  # of what a bar is compared with


class LiveScores:
    """What `live_scores` makes. picture: the last one, None before the first. history: [(step, scores)]."""

    def __init__(self, labels: list[str], marks: dict, steps: int | None, y: str, title: str | None):
        self.labels, self.marks, self.steps, self.y, self.title = labels, marks, steps, y, title
        self.history, self.losses = [], np.zeros(0)
        self.picture = self.shown = None

    def add(self, step: int, scores: dict) -> None:
        """What was measured after so many steps, {label: share}; it is drawn at once."""
        self.history.append((step, finite([scores[label] for label in self.labels], "scores")))
        self(self.losses)

    def __call__(self, losses) -> None:
        """Draws losses and scores so far, where they were drawn before. In a script nothing is shown."""
        self.losses = np.asarray(losses, dtype=float)
        self.picture = self._draw()
        if self.shown is not None:
            self.shown.update(self.picture)
        elif getattr(get_ipython(), "kernel", None) is not None:
            self.shown = display(self.picture, display_id=True)

    def _draw(self) -> Picture:
        figure = new_figure(9.4, 3.5)
        places = np.arange(len(self.labels))
        with styled():
            left, right = figure.subplots(1, 2, width_ratios=(1, 1.15))
            told = "No step has been made yet."
            if len(self.losses):
                told = draw_losses(left, self.losses, {}, self.steps, self.y)
            else:
                left.set(xlabel="step", ylabel=self.y, xlim=(0, self.steps or 2))
            step, scores = self.history[-1] if self.history else (0, np.zeros(len(places)))
            right.barh(places, scores, color=BLUE, height=0.66)
            for place, share in zip(places, scores, strict=True):  # in a column: no mark stands on a number
                right.text(1.12, place, f"{share:.2f}", ha="right", va="center", fontsize=9)
            for (name, shares), (marker, colour) in zip(self.marks.items(), MARKS, strict=False):
                look = {"marker": marker, "color": colour, "s": 110 if marker == "|" else 26, "linewidths": 2.2}
                right.scatter(shares, places, label=name, zorder=3, **look)
            right.set_yticks(places, self.labels)
            right.invert_yaxis()
            right.tick_params(axis="y", length=0)
            right.set(xlim=(0, 1.13), xticks=(0, 0.2, 0.4, 0.6, 0.8, 1), xlabel="share of held-out blanks filled right")
            right.grid(axis="x", linewidth=0.8)
            right.set_title(f"after {step} steps", fontsize=9.5, fontweight="normal")
            if self.marks:
                right.legend(fontsize=8.5, loc="upper left", bbox_to_anchor=(0, -0.16), ncols=2)
            if self.title:
                figure.suptitle(self.title)
        said = ", ".join(f"{label} {share:.2f}" for label, share in zip(self.labels, scores, strict=True))
        return Picture(figure, titled(self.title, f"{told} Bars after {step} steps: {said}."))


def live_scores(labels, marks=None, *, steps=None, y="loss, nats for each place asked", title=None) -> LiveScores:
    """A figure of the loss, and of what the model can do, while it learns: fit(…, watch=live), live.add(step, scores).

    labels: what is measured. marks: {name: shares}, at most two, each with one share for each label: the baselines,
    marked on the bars. steps: how many there will be. y: what the loss is, with its unit.
    Raises PictureError where marks don't fit the labels.
    """
    labels = token_list(labels, None, "labels", "label")
    marks = {name: finite(shares, name) for name, shares in (marks or {}).items()}
    if len(marks) > len(MARKS) or any(shares.shape != (len(labels),) for shares in marks.values()):
        wanted = f"at most {len(MARKS)} names, each with {counted(len(labels), 'share')}"
        raise PictureError(f"marks should hold {wanted}; got {', '.join(marks)}.")
    return LiveScores(labels, marks, steps, y, title)
