"""Still pictures of scores, the weights that a softmax makes of them, and the gradient that comes back."""

import numpy as np

from ..inputs import shorten
from ..picture import Picture
from ..style import BLUE, LINES, MUTED, ORANGE, new_figure, styled


def scores_and_weights(scores, weights, tokens, *, share, title, caption=None) -> Picture:
    """Two sets of bars over the same words. scores (key,), weights (key,)."""
    figure = new_figure(7.2, 0.3 * len(tokens) + 1.3)
    with styled():
        left, right = figure.subplots(1, 2, sharey=True)
        draw_bars(left, scores, tokens, "score", ORANGE)
        draw_bars(right, weights, tokens, share, BLUE, limits=(0, 1))
        figure.suptitle(title)
    most = f"the largest {share} is {_most(weights, tokens)}"
    return Picture(figure, f"{title}. Bars of {len(tokens)} scores and the {share} of each; {most}.", caption)


def scores_weights_and_gradient(scores, weights, tokens, d_ks, gradients, d_k, scaled, caption=None) -> Picture:
    """The same, and the gradient's size against d_k. gradients {label: (d_k,)}."""
    figure = new_figure(9.6, max(0.28 * len(tokens) + 1.3, 3.0))
    with styled():
        left, middle, right = figure.subplots(1, 3)
        draw_bars(left, scores, tokens, "score", ORANGE)
        draw_bars(middle, weights, tokens, "attention weight", BLUE, limits=(0, 1))
        middle.tick_params(labelleft=False)
        for (label, values), (colour, dash, marker) in zip(gradients.items(), LINES, strict=False):
            right.plot(d_ks, values, color=colour, linestyle=dash, marker=marker, markersize=4, label=label)
        right.axvline(d_k, color=MUTED, linewidth=1)
        right.set_xscale("log", base=2)
        right.set_xticks(d_ks[::2], [str(d) for d in d_ks[::2]])
        right.set_ylim(bottom=0)
        right.set_xlabel("length of the key, d_k")
        right.set_ylabel("gradient that reaches the scores")
        right.grid(True, linewidth=0.8)
        right.legend(fontsize=8)
        title = f"d_k = {d_k}, {'divided' if scaled else 'not divided'} by √d_k"
        figure.suptitle(title)
    sizes = "; ".join(
        f"{label}: {values[0]:.2g} at d_k = {d_ks[0]}, {values[-1]:.2g} at {d_ks[-1]}"
        for label, values in gradients.items()
    )
    most = f"the largest weight is {_most(weights, tokens)}"
    alt = f"{title}. Bars of scores and attention weights; {most}. Gradient that reaches the scores, {sizes}."
    return Picture(figure, alt, caption)


def _most(weights, tokens) -> str:
    top = int(np.argmax(weights))
    return f"{weights[top]:.2f}, on “{shorten(tokens[top], 30)}”"


def draw_bars(axes, values, tokens, label, colour, limits=None) -> None:
    """Level bars from top to bottom, each with its number."""
    drawn = axes.barh(range(len(tokens)), values, color=colour, height=0.7)
    axes.bar_label(drawn, [f"{v:.2f}".replace("-", "−") for v in values], padding=3, fontsize=8)
    axes.set_yticks(range(len(tokens)), [shorten(t) for t in tokens])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(tokens) - 0.5, -0.5)
    if limits:
        axes.set_xlim(*limits)
        axes.margins(x=0)
    else:
        axes.margins(x=0.22)
    axes.axvline(0, color=MUTED, linewidth=0.8)
    axes.set_xlabel(label)
