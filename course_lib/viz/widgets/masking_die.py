"""The die that BERT's masking rolls at every word: rolled in the browser, again and again."""

import anywidget
import ipywidgets
import traitlets

from ..inputs import PictureError, counted, token_list
from ..picture import HTML, Shown, still_caption
from .live import Live
from .wire import module, style

MOST = 24  # tokens
STILL = HTML.from_string("""\
<table style="border-collapse:collapse;font-size:13px;color:#1f2933">
{%- for name, cells in rows %}<tr><th scope="row" style="text-align:right;padding:2px 8px">{{ name }}</th>
{%- for cell in cells %}<td style="padding:2px 6px;border:1px solid #dfe4ea">{{ cell }}</td>{% endfor %}</tr>
{%- endfor %}</table>""")


class MaskingDie(anywidget.AnyWidget):
    """Chooses places and rolls for each of them, at every click; the kernel isn't asked."""

    _esm = module("masking_die.js")
    _css = style("masking_die.css")
    tokens = traitlets.List().tag(sync=True)
    special = traitlets.List().tag(sync=True)
    words = traitlets.List().tag(sync=True)
    share = traitlets.Float(0.15).tag(sync=True)
    edges = traitlets.List([0.8, 0.9]).tag(sync=True)
    seed = traitlets.Int(0).tag(sync=True)


def masking_die(tokens, special, words, *, share=0.15, seed=0) -> Live:
    """Shows what BERT reads of a text and what it is asked for, with a button that rolls anew.

    Devlin et al. (2019), section 3.1: each word is chosen with probability `share`; of those chosen 80 % become [MASK],
    10 % a random word, 10 % stay.

    tokens: (n,) words and marks. special: (n,) True where a mark stands that is never chosen. words: what random
    tokens are drawn from. seed: of the first roll, and of "Start again".
    Raises PictureError where they don't fit, or share isn't one.
    """
    tokens = token_list(tokens, None, "tokens", "token")
    special, words = [bool(s) for s in special], token_list(words, None, "words", "word")
    if len(special) != len(tokens) or not 1 <= len(tokens) <= MOST or not words:
        there = f"{counted(len(tokens), 'token')}, {len(special)} marks and {counted(len(words), 'word')} to draw from"
        raise PictureError(
            f"There should be 1 to {MOST} tokens, each marked as special or not, and words; got {there}."
        )
    if not 0 < share <= 1:
        raise PictureError(f"share should be above 0 and at most 1; got {share!r}.")
    view = MaskingDie(tokens=tokens, special=special, words=words, share=float(share), seed=seed)
    return Live(ipywidgets.VBox([view]), {}, _still(tokens, special, words))


def _still(tokens: list[str], special: list[bool], words: list[str]) -> Shown:
    """One of each kind, at the first three words."""
    places = [i for i, mark in enumerate(special) if not mark][:6:2]
    read, asked = list(tokens), ["·"] * len(tokens)
    for place, kind in zip(places, ("[MASK]", words[0], None), strict=False):
        asked[place], read[place] = tokens[place], kind or tokens[place]
    rows = [("text", tokens), ("BERT reads", read), ("asked for", asked)]
    alt = f"What BERT reads: {' '.join(read)}. Asked for: {', '.join(tokens[i] for i in places)}."
    return Shown(STILL.render(rows=rows), alt, still_caption("the buttons"))
