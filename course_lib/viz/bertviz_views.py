"""bertviz's views, offline and on your own tensors.

Vig, "A Multiscale Visualization of Attention in the Transformer Model" (2019).
"""

from typing import NamedTuple

import bertviz
import bertviz.neuron_view
import numpy as np
import torch

from course_lib.support.messages import one_of, whole_number

from .frame import Frame
from .head_grid import head_names
from .heatmap import Heads, described, draw_heads
from .inputs import PictureError, array, check_weights, counted, finite, shorten, titled, token_list
from .picture import still_caption

MOST_STILL = 4  # layers and heads in the still picture of a large model
LESS_THAN = "\ufdd0"  # stands for "<" on the way through bertviz, so that no token can end its <script>


class Shown(NamedTuple):
    """What is shown: checked weights (layer, head, query, key), the tokens, and the numbers of layers and heads."""

    weights: np.ndarray
    tokens: list[str]
    layers: list[int]
    heads: list[int]


def head_view(attention, tokens, *, layer=None, layers=None, heads=None, max_tokens=64) -> Frame:
    """Lines from each word to the words it looks at, one colour for each head.

    Choose the layer, click heads, point at words.

    attention: (layer, head, query, key), or a list of (head, query, key) or (1, head, query, key); rows sum to 1.
    tokens: one word for each position. layer: the layer shown first.
    layers, heads: the numbers of those to keep; all by default. max_tokens: more words than this are refused.
    Raises PictureError for a batch larger than 1, words that don't fit, numbers that aren't weights, unknown layers or
    heads.
    """
    shown = _checked(attention, tokens, layers, heads, max_tokens)
    layer = shown.layers[0] if layer is None else one_of("layer", layer, shown.layers, PictureError)
    page = bertviz.head_view(
        _layers(shown.weights[:, shown.heads]), _safe(shown.tokens, 14),
        layer=layer, include_layers=shown.layers, html_action="return",
    ).data  # fmt: skip
    first = shown.heads[:MOST_STILL]
    still = Heads(shown.weights[layer, first], shown.tokens, shown.tokens, [f"head {h}" for h in first])
    how_to = (
        "Left: the word that looks (query). Right: the word looked at (key). A stronger line is a larger weight. "
        "Point at a word to see its lines alone. Click a numbered box to switch that head on or off, double-click for "
        "that head alone; by keyboard Space and Enter."
    )
    return _frame(
        "head", shown, page, still, title=f"Layer {layer}", how_to=how_to,
        height=80 + round(22.5 * len(shown.tokens)), width=360,
    )  # fmt: skip


def translation_view(encoder, decoder, cross, source, target, *, layer=None, max_tokens=64) -> Frame:
    """The head view of an encoder–decoder: its three attentions, chosen by a list above the lines.

    encoder: (layer, head, source, source), decoder: (layer, head, target, target), cross: (layer, head, target,
    source); lists are taken as in `head_view`. source, target: one word for each position of either text. layer: the
    one shown first. Raises PictureError where they don't fit, as in `head_view`.
    """
    shown = {
        "encoder": _checked(encoder, source, None, None, max_tokens),
        "decoder": _checked(decoder, target, None, None, max_tokens),
    }
    source, target = shown["encoder"].tokens, shown["decoder"].tokens
    weights = _layered(array(cross, "cross"), "cross", "(layer, head, target, source)")
    if weights.shape[-2:] != (len(target), len(source)):
        found = f"{counted(weights.shape[-2], 'query')} and {counted(weights.shape[-1], 'key')}"
        raise PictureError(
            f"cross has {found}, but there are {counted(len(target), 'target token')} and "
            f"{counted(len(source), 'source token')}: the target asks, the source is looked at."
        )
    check_weights(weights, source)
    sizes = {weights.shape[:2], *(each.weights.shape[:2] for each in shown.values())}
    if len(sizes) > 1:
        raise PictureError(
            f"All three attentions should have the same layers and heads; got (layer, head) = {sorted(sizes)}."
        )
    both = Shown(weights, target, shown["encoder"].layers, shown["encoder"].heads)
    layer = both.layers[-1] if layer is None else one_of("layer", layer, both.layers, PictureError)
    page = bertviz.head_view(
        encoder_attention=_layers(shown["encoder"].weights), decoder_attention=_layers(shown["decoder"].weights),
        cross_attention=_layers(weights), encoder_tokens=_safe(source, 14), decoder_tokens=_safe(target, 14),
        layer=layer, html_action="return",
    ).data  # fmt: skip
    first = both.heads[:MOST_STILL]
    still = Heads(weights[layer, first], target, source, [f"head {h}" for h in first])
    how_to = (
        "Choose Encoder, Decoder or Cross in the list. Left: the word that looks (query). Right: the word looked at "
        "(key). Point at a word to see its lines alone. Click a numbered box to switch that head on or off, "
        "double-click for that head alone; by keyboard Space and Enter."
    )
    return _frame(
        "translation", both, page, still, title=f"Cross-attention, layer {layer}", how_to=how_to,
        height=80 + round(22.5 * max(len(source), len(target))), width=360,
    )  # fmt: skip


def model_view(attention, tokens, *, layers=None, heads=None, max_tokens=64) -> Frame:
    """Every head of every layer as a thumbnail; click one to see it large.

    Arguments and errors as in `head_view`.
    """
    shown = _checked(attention, tokens, layers, heads, max_tokens)
    page = bertviz.model_view(
        _layers(shown.weights), _safe(shown.tokens, 11),
        display_mode="light", include_layers=shown.layers, include_heads=shown.heads, html_action="return",
    ).data  # fmt: skip
    first = shown.weights[np.ix_(shown.layers[:MOST_STILL], shown.heads[:MOST_STILL])]
    n_layers, n_heads, n, _ = first.shape
    still = Heads(first.reshape(-1, n, n), shown.tokens, shown.tokens, head_names(n_layers, n_heads))
    how_to = (
        "One small picture for each head (columns) of each layer (rows). Click one to see it large; there, point at a "
        "word on the left."
    )
    thumbnails = round(len(shown.layers) * (n * 84 / len(shown.heads) + 10)) + 60
    return _frame(
        "model", shown, page, still, columns=n_heads, title="The first heads of the first layers", how_to=how_to,
        height=max(thumbnails, 18 * n + 110), width=990,
    )  # fmt: skip


def neuron_view(
    queries, keys, attention=None, tokens=None, *,
    causal=False, layer=None, head=None, layers=None, heads=None, max_tokens=64,
) -> Frame:  # fmt: skip
    """How a weight comes about: query × key number by number, their sum, the softmax.

    queries, keys: (layer, head, token, d_k), (head, token, d_k), or a list with one for each layer.
    attention: as in `head_view`; None computes softmax(q · k / √d_k), with the causal mask if causal=True.
    tokens: one word for each position. layer, head: those shown first. The other arguments as in `head_view`.
    Raises PictureError like `head_view`, and when queries and keys differ in shape.
    """
    if tokens is None:
        wanted = "neuron_view(queries, keys, attention, tokens), with None for attention to have it computed"
        raise PictureError(f"neuron_view needs tokens: {wanted}.")
    axes = "(layer, head, token, d_k)"
    queries = finite(_layered(array(queries, "queries"), "queries", axes), "queries")
    keys = finite(_layered(array(keys, "keys"), "keys", axes), "keys")
    if queries.shape != keys.shape:
        raise PictureError(f"queries and keys should have the same shape, but have {queries.shape} and {keys.shape}.")
    if attention is None:
        attention = _attention(torch.from_numpy(queries), torch.from_numpy(keys), causal)
    shown = _checked(attention, tokens, layers, heads, max_tokens)
    if shown.weights.shape[:3] != queries.shape[:3]:
        found = f"{queries.shape[:3]}, but the attention has {shown.weights.shape[:3]}"
        raise PictureError(f"queries have the shape (layer, head, token) = {found}.")
    layer = shown.layers[0] if layer is None else one_of("layer", layer, shown.layers, PictureError)
    head = shown.heads[0] if head is None else one_of("head", head, shown.heads, PictureError)

    chosen = np.ix_(shown.layers, shown.heads)
    each_layer = zip(*(_layers(x[chosen]) for x in (shown.weights, queries, keys)), strict=True)
    record = [dict(attn=weights, queries=q, keys=k) for weights, q, k in each_layer]
    page = bertviz.neuron_view.show(
        _Recorded(record), "gpt2", _Words(_safe(shown.tokens, 13)), "given",
        display_mode="light", layer=shown.layers.index(layer), head=shown.heads.index(head), html_action="return",
    ).data  # fmt: skip
    if not causal:
        # The model type decides whether the view shows words to the right; "gpt2" alone leaves our tokens as they are.
        page = page.replace('"bidirectional": false', '"bidirectional": true', 1)
    still = Heads(shown.weights[layer, head][None], shown.tokens, shown.tokens, [None])
    how_to = (
        "Point at a word on the left: its query is multiplied with every key, number by number; the sums q · k go "
        "through the softmax. Blue is positive, orange negative; a stronger colour is a larger number. Click the sign "
        "beside the word to fold or unfold the vectors."
    )
    return _frame(
        "neuron", shown, page, still, title=f"Layer {layer}, head {head}", how_to=how_to,
        height=150 + 26 * len(shown.tokens), width=1130,
    )  # fmt: skip


class _Recorded:
    """Stands in for the model that bertviz's neuron view asks: it answers with what was recorded."""

    def __init__(self, record):
        self.record = record

    def eval(self):
        pass

    def __call__(self, ids):
        return (self.record,)


class _Words:
    """Stands in for the tokenizer: the text is cut already."""

    def __init__(self, tokens):
        self.tokens = tokens

    def tokenize(self, text):
        return self.tokens

    def convert_tokens_to_ids(self, tokens):
        return list(range(len(tokens)))


def _layered(values: np.ndarray, name: str, axes: str) -> np.ndarray:
    """(layer, head, …, …) from what models return: one layer alone, or each layer in a batch of one."""
    if values.ndim == 5:
        if values.shape[1] != 1:
            raise PictureError(
                f"A view shows one sentence, but {name} holds a batch of {values.shape[1]}. "
                f"Choose one, for example [layer[:1] for layer in {name}]."
            )
        values = values[:, 0]
    if values.ndim == 3:
        values = values[None]
    if values.ndim != 4 or values.size == 0:
        raise PictureError(f"{name} should have the axes {axes}, but the shape is {tuple(values.shape)}.")
    return values


def _checked(attention, tokens, layers, heads, max_tokens) -> Shown:
    weights = _layered(array(attention, "attention"), "attention", "(layer, head, query, key)")
    queries, keys = weights.shape[-2:]
    if queries != keys:
        raise PictureError(
            "This view shows self-attention, with as many queries as keys; "
            f"got {counted(queries, 'query')} and {counted(keys, 'key')}. Use viz.heatmap for these."
        )
    tokens = token_list(tokens, keys, "tokens", "position")
    if keys > whole_number("max_tokens", max_tokens, error=PictureError):
        raise PictureError(
            f"This view shows up to {max_tokens} tokens, but there are {keys}. "
            f"Take a shorter text, or pass max_tokens={keys} with few layers=[…] and heads=[…]."
        )
    check_weights(weights, tokens)
    n_layers, n_heads = weights.shape[:2]
    return Shown(weights, tokens, _chosen("layers", layers, n_layers), _chosen("heads", heads, n_heads))


def _chosen(name: str, numbers, count: int) -> list[int]:
    if numbers is None:
        return list(range(count))
    try:
        numbers = [int(n) for n in numbers]
    except (TypeError, ValueError):
        wanted = f"a list of numbers, for example {name}=[0]"
        raise PictureError(f"{name} should be {wanted}; got {numbers!r}.") from None
    if not numbers or not all(0 <= n < count for n in numbers) or len(set(numbers)) < len(numbers):
        raise PictureError(f"{name} should be different numbers from 0 to {count - 1}; got {numbers}.")
    return numbers


def _attention(queries: torch.Tensor, keys: torch.Tensor, causal: bool) -> torch.Tensor:
    scores = queries @ keys.mT / queries.shape[-1] ** 0.5
    if causal:
        scores = scores.masked_fill(~torch.ones(scores.shape[-2:], dtype=torch.bool).tril(), float("-inf"))
    return scores.softmax(dim=-1)


def _layers(values: np.ndarray) -> list[torch.Tensor]:
    """What bertviz wants: (1, head, …, …) for each layer. Four decimals: a tenth of the text that it would write."""
    return [torch.from_numpy(layer[None].round(4)) for layer in values]


def _safe(tokens: list[str], longest: int) -> list[str]:
    return [shorten(token, longest).replace("<", LESS_THAN) for token in tokens]


def _frame(
    view: str,
    shown: Shown,
    page: str,
    still: Heads,
    *,
    columns: int | None = None,
    title: str,
    how_to: str,
    height: int,
    width: int,
) -> Frame:
    """The page of a view with its still picture. title: the still's. height, width: of the page, in CSS pixels."""
    page = page.replace("\\ufdd0", "\\u003c")  # both as JSON writes them: "<" that the browser's HTML parser never sees
    size = f"{counted(len(shown.layers), 'layer')}, {counted(len(shown.heads), 'head')}"
    name = f"{view.capitalize()} view of attention, {size}, {counted(len(shown.tokens), 'token')}"
    alt = titled(name, titled(title, described(still)))
    caption = still_caption("the interactive view", "Run this cell, or trust the notebook,")
    picture = draw_heads(
        still, columns=columns, values=None if view == "neuron" else False, title=title, alt=alt, caption=caption
    )
    facts = {"view": view, "width": width, "layerNames": shown.layers, "headNames": shown.heads}
    return Frame(page, picture, name, how_to, height, facts)
