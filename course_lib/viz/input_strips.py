"""BERT's input drawn piece by piece: three strips under the words, and the strip that they add up to."""

import numpy as np

from .inputs import PictureError, counted, finite, shorten, titled, token_list
from .picture import Picture
from .signed import SIGNED
from .style import MUTED, new_figure, styled
from .token_tables import widest

SEGMENTS = ("A", "B")
STRIPS = ("token", "segment", "position", "sum")
MOST = 26  # tokens on a page


def input_strips(tokens, segments, token, segment, position, *, title=None, caption=None) -> Picture:
    """Draws the vectors of a text's tokens, of their segments and of their positions, and their sum.

    tokens: (n,) words. segments: (n,) of 0 and 1. token, segment, position: (n, d) numbers, one row for each place.
    All strips share one scale: blue above 0, orange below, white at 0.
    Raises PictureError where the shapes differ, or a number isn't finite.
    """
    tokens = token_list(tokens, None, "tokens", "token")
    three = [finite(rows, name) for name, rows in zip(STRIPS, (token, segment, position), strict=False)]
    segments = [int(s) for s in finite(segments, "segments")]
    shapes = {rows.shape for rows in three}
    if len(shapes) > 1 or three[0].ndim != 2 or len(three[0]) != len(tokens) or len(segments) != len(tokens):
        got = ", ".join(str(rows.shape) for rows in three)
        raise PictureError(f"Each of the {counted(len(tokens), 'token')} needs a row in all three strips; got {got}.")
    if not 0 < len(tokens) <= MOST:
        raise PictureError(f"The strips have room for 1 to {MOST} tokens; there are {len(tokens)}.")
    if not set(segments) <= {0, 1}:
        raise PictureError(f"A segment is 0 (A) or 1 (B); got {sorted(set(segments))}.")
    strips = [*three, np.sum(three, axis=0)]
    largest = max(float(np.abs(np.stack(strips)).max()), 1e-12)
    names = [shorten(word, 12) for word in tokens]
    below = [[*names], [SEGMENTS[s] for s in segments], [str(i) for i in range(len(tokens))]]

    figure = new_figure(max(4.6, min(9.6, 1.9 + 0.5 * len(tokens))), 5.6)
    with styled():
        rows = figure.subplots(4, 1, sharex=True)
        for row, (axes, strip, name) in enumerate(zip(rows, strips, STRIPS, strict=True)):
            image = axes.imshow(strip.T, cmap=SIGNED, vmin=-largest, vmax=largest, aspect="auto", interpolation="none")
            axes.spines[:].set_visible(False)
            axes.tick_params(length=0, top=False, bottom=False, labeltop=True, labelbottom=False)
            axes.set_yticks([])
            label = {0: "token", 3: "= the input"}.get(row, f"+ {name}")
            axes.set_ylabel(label, rotation=0, ha="right", va="center", fontsize=10)
            for i in range(1, len(tokens)):
                axes.axvline(i - 0.5, color="white", linewidth=1.5)
            words = below[row] if row < 3 else names
            upright = row in (0, 3) and widest(words, 9) > 0.42
            secondary = axes.secondary_xaxis("top")
            secondary.set_xticks(range(len(tokens)), words, fontsize=9, rotation=90 if upright else 0)
            secondary.tick_params(length=0, labelcolor=MUTED if row in (1, 2) else "black")
            secondary.spines[:].set_visible(False)
            axes.xaxis.set_visible(False)
        bar = figure.colorbar(image, ax=rows, shrink=0.5, aspect=24)
        bar.outline.set_visible(False)
        if title:
            figure.suptitle(title)
    said = "; ".join(f"{i}: {word}, {SEGMENTS[s]}" for i, (word, s) in enumerate(zip(tokens, segments, strict=True)))
    added = f"At each of {counted(len(tokens), 'place')} three vectors are added: of its token, segment and position"
    return Picture(figure, titled(title, f"{added}. {said}."), caption)
