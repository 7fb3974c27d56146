"""Sliders over the lengths of the sentences in a padded batch; masks and weights are computed in the browser."""

import anywidget
import ipywidgets
import numpy as np
import traitlets

from . import browser_code
from .inputs import PictureError, array, check_finite, counted, shorten, token_list
from .live import Live
from .picture import Picture
from .slider_rules import RUN_ME
from .style import INK, MUTED, new_figure, styled

MASKS = ["no mask", "padding", "causal", "both"]  # both: padding and causal
MOST_SENTENCES, MOST_WORDS = 4, 12


class PaddedBatch(anywidget.AnyWidget):
    """One table of attention weights for each sentence; padding fills it to the longest. Nothing is asked of the kernel."""

    _esm = browser_code.module("padded_batch.js")
    _css = browser_code.style()
    sentences = traitlets.List().tag(sync=True)
    scores = traitlets.List().tag(
        sync=True
    )  # for each sentence (n + 1, n + 1); the last row and column are the padding's
    pad = traitlets.Unicode().tag(sync=True)
    mask = traitlets.Int(0).tag(sync=True)  # index into MASKS
    length_0 = traitlets.Int(0).tag(sync=True)  # jslink links one number, not one of a list
    length_1 = traitlets.Int(0).tag(sync=True)
    length_2 = traitlets.Int(0).tag(sync=True)
    length_3 = traitlets.Int(0).tag(sync=True)


def padded_batch(sentences, scores, lengths=None, *, mask="no mask", pad="[pad]") -> Live:
    """Shows the attention weights of a padded batch, with a slider on each sentence's length and a choice of mask.

    A sentence of n words that is shortened loses its last words; padding fills every sentence to the longest of the batch.

    sentences: up to 4 lists of up to 12 words.
    scores: for each sentence (n + 1, n + 1): what query i scores with key j, the last row and column for padding.
    lengths: where the sliders stand at first; by default at the full lengths. mask: one of "no mask", "padding", "causal", "both".
    Raises PictureError where words, scores and lengths don't fit together.
    """
    if (
        not isinstance(sentences, (list, tuple))
        or not 1 <= len(sentences) <= MOST_SENTENCES
        or isinstance(sentences[0], str)
    ):
        raise PictureError(
            f'sentences should be a list of 1 to {MOST_SENTENCES} lists of words, for example ["it was late".split()].'
        )
    if len(scores) != len(sentences):
        raise PictureError(
            f"There are {counted(len(sentences), 'sentence')}, but {counted(len(scores), 'matrix') if len(scores) == 1 else f'{len(scores)} matrices'} of scores. Pass one for each."
        )
    matrices = [array(matrix, "scores") for matrix in scores]
    for words, matrix in zip(sentences, matrices):
        if not 1 <= len(words) <= MOST_WORDS:
            raise PictureError(f"A sentence should have 1 to {MOST_WORDS} words; one has {len(words)}.")
        if matrix.shape != (len(words) + 1, len(words) + 1):
            raise PictureError(
                f"A sentence of {counted(len(words), 'word')} needs scores of shape {(len(words) + 1,) * 2}, padding last; shape {tuple(matrix.shape)} came."
            )
        check_finite(matrix, "scores")
    sentences = [token_list(words, len(words), "sentences", "word") for words in sentences]
    lengths = [len(words) for words in sentences] if lengths is None else list(lengths)
    if (
        len(lengths) != len(sentences)
        or not all(0 <= length <= len(words) for length, words in zip(lengths, sentences))
        or not any(lengths)
    ):
        raise PictureError(
            f"lengths should hold a number from 0 to its number of words for each sentence, not all 0; {lengths!r} came."
        )
    if mask not in MASKS:
        raise PictureError(f"mask should be one of {', '.join(MASKS)}; {mask!r} came.")

    starts = {f"length_{i}": length for i, length in enumerate(lengths)}
    view = PaddedBatch(
        sentences=sentences, scores=[m.tolist() for m in matrices], pad=pad, mask=MASKS.index(mask), **starts
    )
    look = {"style": {"description_width": "initial"}, "layout": {"width": "420px"}}
    sliders = {
        name: ipywidgets.IntSlider(value=length, min=0, max=len(words), description=f"words in sentence {i}", **look)
        for i, ((name, length), words) in enumerate(zip(starts.items(), sentences), start=1)
    }
    kinds = ipywidgets.ToggleButtons(
        options=MASKS, value=mask, description="mask", style={"button_width": "90px", "description_width": "initial"}
    )
    box = ipywidgets.VBox([*sliders.values(), kinds, view])
    box.links = [ipywidgets.jslink((slider, "value"), (view, name)) for name, slider in sliders.items()]
    box.links.append(ipywidgets.jslink((kinds, "index"), (view, "mask")))
    return Live(box, {**sliders, "mask": kinds}, _still(sentences, matrices, lengths, mask, pad))


def batch_weights(scores: np.ndarray, length: int, n: int, mask: str) -> tuple[np.ndarray, np.ndarray]:
    """(weights, allowed), each (n, n), of one sentence of `length` words padded to n; a row that allows nothing is zero."""
    place = np.minimum(np.arange(n), len(scores) - 1)
    place[length:] = len(scores) - 1
    allowed = np.ones((n, n), dtype=bool)
    if mask in ("padding", "both"):
        allowed &= np.arange(n) < length
    if mask in ("causal", "both"):
        allowed &= np.tri(n, dtype=bool)
    shown = np.where(allowed, scores[np.ix_(place, place)], -np.inf)
    top = np.max(shown, axis=-1, keepdims=True, initial=-1e300)  # finite where a row allows nothing
    powers = np.exp(shown - top)
    return powers / np.maximum(powers.sum(-1, keepdims=True), 1e-300), allowed


def to_padding(weights: np.ndarray, length: int) -> float:
    """The share of its words' weight that lands on padding."""
    return float(weights[:length, length:].sum() / length) if length else 0.0


def _still(sentences, matrices, lengths, mask, pad) -> Picture:
    n, said = max(lengths), []
    figure = new_figure(2.9 * len(sentences) + 0.6, 0.27 * n + 1.9)
    with styled():
        for i, (axes, words, scores, length) in enumerate(
            zip(figure.subplots(1, len(sentences), squeeze=False)[0], sentences, matrices, lengths), start=1
        ):
            weights, allowed = batch_weights(scores, length, n, mask)
            image = axes.imshow(np.ma.masked_array(weights, ~allowed), cmap="Blues", vmin=0, vmax=1)
            axes.set_facecolor("#d9d9d9")
            tokens = [shorten(token, 9) for token in [*words[:length], *[pad] * (n - length)]]
            axes.set_xticks(range(n), tokens, rotation=90, fontsize=8)
            axes.set_yticks(range(n), tokens, fontsize=8)
            axes.tick_params(length=0, labeltop=True, labelbottom=False)
            axes.spines[:].set_visible(False)
            for (row, column), w in np.ndenumerate(weights):
                text = f"{w:.1f}" if allowed[row, column] else "·"
                axes.text(column, row, text, ha="center", va="center", fontsize=6.5, color="white" if w > 0.55 else INK)
            share = f"{to_padding(weights, length):.0%} of its weight to padding"
            axes.set_xlabel(share, fontsize=9, color=MUTED)
            axes.set_title(f"sentence {i}", fontsize=9.5)
            said.append(f"sentence {i}, {counted(length, 'word')}: {share}")
        figure.colorbar(image, ax=figure.axes, shrink=0.8, aspect=14, pad=0.02).set_label("attention weight")
        title = f"A batch padded to {counted(n, 'word')}, mask: {mask}"
        figure.suptitle(title, fontsize=11, fontweight="bold")
        return Picture(figure, f"{title}. {'; '.join(said)}.", RUN_ME)
