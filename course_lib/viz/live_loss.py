"""The loss while a model learns: one figure that is drawn again as the numbers come in, and stays when they end."""

import numpy as np
from IPython import get_ipython
from IPython.display import display

from .inputs import PictureError, array, titled
from .picture import Picture
from .runs import draw_losses
from .style import LINES, new_figure, styled


class LiveLoss:
    """What `live_loss` makes. picture: the last one, None before the first."""

    def __init__(self, others: dict | None, steps: int | None, y: str, title: str | None):
        self.others, self.steps, self.y, self.title = others or {}, steps, y, title
        if not isinstance(self.others, dict) or len(self.others) >= len(LINES):
            wanted = f"a dictionary of at most {len(LINES) - 1} earlier runs, each a list of losses with its name"
            raise PictureError(f"others should be {wanted}; got {others!r:.60}.")
        self.others = {name: _losses(losses) for name, losses in self.others.items()}
        self.picture = self.shown = None

    def __call__(self, losses) -> None:
        """Draws the losses so far, in the place where they were drawn before. In a script nothing is shown."""
        self.picture = _draw(_losses(losses), self.others, self.steps, self.y, self.title)
        if self.shown is not None:
            self.shown.update(self.picture)
        elif getattr(get_ipython(), "kernel", None) is not None:
            self.shown = display(self.picture, display_id=True)


def live_loss(others=None, *, steps=None, y="loss, nats for each token", title=None) -> LiveLoss:
    """A figure of the loss while it falls: fit(…, watch=viz.live_loss(steps=steps)). One for each training.

    The line is the mean over neighbouring steps, and the band goes from their lowest to their highest.
    others: {name: losses} of earlier runs to compare with, at most three. steps: how many there will be, for the axis.
    y: what the vertical axis shows, with the unit.
    Raises PictureError where others aren't lists of numbers.
    """
    return LiveLoss(others, steps, y, title)


def _losses(losses) -> np.ndarray:
    losses = array(losses, "The losses")
    if losses.ndim != 1 or not len(losses):
        raise PictureError(f"The losses should be one number for each step; got the shape {tuple(losses.shape)}.")
    return losses


def _draw(losses: np.ndarray, others: dict, steps: int | None, y: str, title: str | None) -> Picture:
    figure = new_figure(6.4, 3.2)
    with styled():
        axes = figure.subplots()
        told = draw_losses(axes, losses, others, steps, y)
        axes.set_title(title)
    return Picture(figure, titled(title, told))
