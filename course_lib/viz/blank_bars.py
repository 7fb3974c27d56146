"""What a model puts into each blank of a text: its likeliest words as bars."""

from textwrap import wrap

from .inputs import PictureError, finite, shorten, titled, token_list
from .picture import Picture
from .style import BLUE, new_figure, styled

MOST = 4  # blanks on a page


def blank_bars(blanks, *, title=None, caption=None) -> Picture:
    """Draws, for each blank, a bar for each of its likeliest words.

    blanks: for each blank a list of (word, probability), the likeliest first. To compare models on one text, such a
    list for each of them, {name: blanks}: a row of the picture for each.
    Raises PictureError where there is no blank or more than four, or a probability isn't one.
    """
    models = blanks if isinstance(blanks, dict) else {"": blanks}
    models = {name: [list(blank) for blank in each] for name, each in models.items()}
    counts = {len(each) for each in models.values()}
    if len(counts) != 1 or not 1 <= min(counts) <= MOST or not all(all(each) for each in models.values()):
        got = " and ".join(map(str, sorted(counts))) or "no model"
        raise PictureError(f"There is room for 1 to {MOST} blanks, each with its words; got {got}.")
    (count,), longest, said = counts, max(len(blank) for each in models.values() for blank in each), []
    width = 2.5 * count + 1.2
    heading_lines = wrap(title or "", int(10.5 * width))  # characters that an inch holds
    figure = new_figure(width, (0.6 + 0.3 * longest) * len(models) + 0.1 * bool(title) + 0.2 * len(heading_lines))
    with styled():
        rows = figure.subplots(len(models), count, squeeze=False, sharex=True)
        for (name, each), line in zip(models.items(), rows, strict=True):
            for i, (axes, blank) in enumerate(zip(line, each, strict=True), start=1):
                heading = ", ".join(filter(None, [name, f"blank {i}" if count > 1 else ""]))
                said.append(_bars(axes, blank, heading, f"{name}, blank {i}" if name else f"blank {i}"))
        for axes in rows[-1]:
            axes.set_xlabel("probability")
        if title:
            figure.suptitle("\n".join(heading_lines))
    return Picture(figure, titled(title, "; ".join(said) + "."), caption)


def _bars(axes, blank, heading, which) -> str:
    """One blank's words; what it shows, in words."""
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
    axes.set(xlim=(0, 1.2), xticks=[0, 0.5, 1])
    axes.grid(axis="x", linewidth=0.8)
    if heading:
        axes.set_title(heading, fontsize=9.5)
    return f"{which}: " + ", ".join(f"{word} {share:.2f}" for word, share in zip(words, shares, strict=True))
