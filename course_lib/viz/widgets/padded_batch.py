"""Sliders over the lengths of the sentences in a padded batch; masks and weights are computed in the browser."""

import anywidget
import ipywidgets
import numpy as np
import torch
import traitlets

from course_lib.support.messages import one_of

from ..heatmap import MASKED
from ..inputs import PictureError, counted, finite, shorten, token_list
from ..picture import Picture
from ..style import INK, MUTED, styled
from ..token_tables import BAR_WIDTH, Room, TokenTable, colour_bar, token_tables
from .live import Live
from .wire import RUN_ME, look, module, style, wire

MASKS = {  # name: (padding is masked, the future is masked)
    "no mask": (False, False), "padding": (True, False), "causal": (False, True), "both": (True, True),
}  # fmt: skip
MOST_SENTENCES, MOST_WORDS = 4, 12


class PaddedBatch(anywidget.AnyWidget):
    """One table of attention weights for each sentence, padded to the longest. Nothing is asked of the kernel."""

    _esm = module("padded_batch.js")
    _css = style()
    sentences = traitlets.List().tag(sync=True)
    # For each sentence (n + 1, n + 1); the last row and column are the padding's.
    scores = traitlets.List().tag(sync=True)
    pad = traitlets.Unicode().tag(sync=True)
    masks = traitlets.List(list(MASKS.items())).tag(sync=True)
    mask = traitlets.Int(0).tag(sync=True)  # index into masks
    length_0 = traitlets.Int(0).tag(sync=True)  # jslink links one number, not one of a list
    length_1 = traitlets.Int(0).tag(sync=True)
    length_2 = traitlets.Int(0).tag(sync=True)
    length_3 = traitlets.Int(0).tag(sync=True)


def padded_batch(sentences, scores, lengths=None, *, mask="no mask", pad="[pad]") -> Live:
    """Shows the attention weights of a padded batch, with a slider on each sentence's length and a choice of mask.

    A sentence of n words that is shortened loses its last words; padding fills every sentence to the longest of the
    batch.

    sentences: up to 4 lists of up to 12 words.
    scores: for each sentence (n + 1, n + 1): what query i scores with key j, the last row and column for padding.
    lengths: where the sliders stand at first; by default at the full lengths.
    mask: one of "no mask", "padding", "causal", "both".
    Raises PictureError where words, scores and lengths don't fit together.
    """
    several = isinstance(sentences, (list, tuple)) and 1 <= len(sentences) <= MOST_SENTENCES
    if not several or isinstance(sentences[0], str):
        wanted = f"a list of 1 to {MOST_SENTENCES} lists of words"
        raise PictureError(f'sentences should be {wanted}, for example ["it was late".split()].')
    if len(scores) != len(sentences):
        there = "1 matrix" if len(scores) == 1 else f"{len(scores)} matrices"
        raise PictureError(
            f"There are {counted(len(sentences), 'sentence')}, but {there} of scores. Pass one for each."
        )
    scores = [finite(matrix, "scores") for matrix in scores]
    sentences = [token_list(words, None, "sentences", "word") for words in sentences]
    for words, matrix in zip(sentences, scores, strict=True):
        if not 1 <= len(words) <= MOST_WORDS:
            raise PictureError(f"A sentence should have 1 to {MOST_WORDS} words; one has {len(words)}.")
        if matrix.shape != (len(words) + 1, len(words) + 1):
            wanted = f"needs scores of shape {(len(words) + 1,) * 2}, padding last"
            raise PictureError(f"A sentence of {counted(len(words), 'word')} {wanted}; got {tuple(matrix.shape)}.")
    longest = [len(words) for words in sentences]
    lengths = longest if lengths is None else list(lengths)
    fit = len(lengths) == len(longest) and all(0 <= n <= most for n, most in zip(lengths, longest, strict=True))
    if not fit or not any(lengths):
        wanted = "a number from 0 to its number of words for each sentence, not all 0"
        raise PictureError(f"lengths should hold {wanted}; got {lengths!r}.")
    one_of("mask", mask, MASKS, PictureError)

    names = list(MASKS)
    starts = {f"length_{i}": length for i, length in enumerate(lengths)}
    view = PaddedBatch(
        sentences=sentences, scores=[m.tolist() for m in scores], pad=pad, mask=names.index(mask), **starts
    )
    controls = {
        f"length_{i}": ipywidgets.IntSlider(value=length, min=0, max=most, **look(f"words in sentence {i + 1}"))
        for i, (length, most) in enumerate(zip(lengths, longest, strict=True))
    }
    controls["mask"] = ipywidgets.ToggleButtons(
        options=names, value=mask, description="mask", style={"button_width": "90px", "description_width": "initial"}
    )
    return wire(view, controls, _still(sentences, scores, lengths, mask, pad))


def batch_weights(scores: np.ndarray, length: int, n: int, mask: str) -> tuple[np.ndarray, np.ndarray]:
    """(weights, allowed), each (n, n), of a sentence of `length` words padded to n; an empty row is zero."""
    place = torch.arange(n)
    place[length:] = len(scores) - 1
    no_padding, no_future = MASKS[mask]
    allowed = torch.ones(n, n, dtype=torch.bool)
    if no_padding:
        allowed &= torch.arange(n) < length
    if no_future:
        allowed = allowed.tril()
    shown = torch.from_numpy(scores)[place][:, place].masked_fill(~allowed, float("-inf"))
    return shown.softmax(dim=-1).masked_fill(~allowed, 0.0).numpy(), allowed.numpy()


def to_padding(weights: np.ndarray, length: int) -> float:
    """The share of its words' weight that lands on padding."""
    return float(weights[:length, length:].sum() / length) if length else 0.0


def _still(sentences, scores, lengths, mask: str, pad: str) -> Picture:
    n, said = max(lengths), []
    tables = []
    for i, (words, length) in enumerate(zip(sentences, lengths, strict=True), start=1):
        tokens = [shorten(token, 9) for token in [*words[:length], *[pad] * (n - length)]]
        tables.append(TokenTable(f"sentence {i}", tokens, tokens))
    cell = min(0.27 + 0.6 / n, (11 / len(tables) - 0.9) / n)
    title = f"A batch padded to {counted(n, 'word')}, mask: {mask}"
    figure, places = token_tables(
        tables, columns=len(tables), cell=cell, font=8, gap=0.4, title=title, bold_names=True,
        room=Room(left=0.12, right=BAR_WIDTH, bottom=0.4), least=(3.5, 2.2),
    )  # fmt: skip
    with styled():
        for i, (axes, matrix, length) in enumerate(zip(places, scores, lengths, strict=True), start=1):
            weights, allowed = batch_weights(matrix, length, n, mask)
            masked = np.ma.masked_array(weights, ~allowed)
            image = axes.imshow(masked, cmap="Blues", vmin=0, vmax=1, aspect="auto")
            axes.set_facecolor(MASKED)
            for (row, column), w in np.ndenumerate(weights):
                text = f"{w:.1f}" if allowed[row, column] else "·"
                axes.text(column, row, text, ha="center", va="center", fontsize=6.5, color="white" if w > 0.55 else INK)
            share = f"{to_padding(weights, length):.0%} of its weight to padding"
            axes.set_xlabel(share, fontsize=9, color=MUTED)
            said.append(f"sentence {i}, {counted(length, 'word')}: {share}")
        colour_bar(figure, places, image, "attention weight")
        return Picture(figure, f"{title}. {'; '.join(said)}.", RUN_ME)
