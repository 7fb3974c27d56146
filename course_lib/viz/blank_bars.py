"""What a model puts into each blank of a text: its likeliest words as bars."""

from .inputs import PictureError, finite, shorten, titled, token_list
from .picture import Picture
from .style import BLUE, new_figure, styled

MOST = 4  # blanks on a page


def blank_bars(blanks, *, title=None, caption=None) -> Picture:
    """Draws, for each blank, a bar for each of its likeliest words.

    blanks: for each blank a list of (word, probability), the likeliest first.
    Raises PictureError where there is no blank or more than four, or a probability isn't one.
    """
    blanks = [list(blank) for blank in blanks]
    if not 1 <= len(blanks) <= MOST or not all(blanks):
        raise PictureError(f"There is room for 1 to {MOST} blanks, each with its words; got {len(blanks)}.")
    said = []
    figure = new_figure(2.5 * len(blanks) + 1.2, 0.6 + 0.3 * max(map(len, blanks)) + (0.3 if title else 0))
    with styled():
        rows = figure.subplots(1, len(blanks), squeeze=False)[0]
        for i, (axes, blank) in enumerate(zip(rows, blanks, strict=True), start=1):
            words = token_list([word for word, _ in blank], None, "words", "word")
            shares = finite([share for _, share in blank], "probabilities")
            if (shares < 0).any() or (shares > 1.001).any():
                raise PictureError(f"A probability lies from 0 to 1; got {shares.min():.3g} to {shares.max():.3g}.")
            places = range(len(words))
            drawn = axes.barh(places, shares, color=BLUE, height=0.7)
            axes.bar_label(drawn, [f"{share:.2f}" for share in shares], padding=3, fontsize=8.5)
            axes.set_yticks(places, [shorten(word, 16) for word in words])
            axes.tick_params(axis="y", length=0)
            axes.invert_yaxis()
            axes.set(xlim=(0, 1.2), xlabel="probability")
            axes.set_xticks([0, 0.5, 1])
            axes.grid(axis="x", linewidth=0.8)
            if len(blanks) > 1:
                axes.set_title(f"blank {i}", fontsize=9.5)
            said.append(f"blank {i}: " + ", ".join(f"{w} {s:.2f}" for w, s in zip(words, shares, strict=True)))
        if title:
            figure.suptitle(title)
    return Picture(figure, titled(title, "; ".join(said) + "."), caption)
