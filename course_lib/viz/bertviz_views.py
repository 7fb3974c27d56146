"""bertviz's three views, offline and on your own tensors (Vig, "A Multiscale Visualization of Attention in the Transformer Model", 2019)."""

import numpy as np

from .frame import Frame
from .heatmap import head_grid, heatmap
from .inputs import PictureError, array, check_finite, check_weights, counted, shorten, token_list

RUN_ME = "A still picture. Run this cell, or trust the notebook, to get the interactive view."
MOST_STILL = 4  # layers and heads in the still picture of a large model
LESS_THAN = "\ufdd0"  # stands for "<" on the way through bertviz, so that no token can end its <script>


def head_view(attention, tokens, *, layer=None, layers=None, heads=None, max_tokens=64) -> Frame:
    """Lines from each word to the words it looks at, one colour for each head; choose the layer, click heads, point at words.

    attention: (layer, head, query, key), or a list of (head, query, key) or (1, head, query, key); rows sum to 1.
    tokens: one word for each position. layer: the layer shown first.
    layers, heads: the numbers of those to keep; all by default. max_tokens: more words than this are refused.
    Raises PictureError for a batch larger than 1, words that don't fit, numbers that aren't weights, unknown layers or heads.
    """
    weights, tokens, layers, heads = _checked(attention, tokens, layers, heads, max_tokens)
    layer = layers[0] if layer is None else _one_of("layer", layer, layers)
    import bertviz  # loads torch: not before it is needed

    page = bertviz.head_view(
        _layers(weights[:, heads]), _safe(tokens, 14), layer=layer, include_layers=layers, html_action="return"
    ).data
    still = heatmap(
        weights[layer, heads[:MOST_STILL]],
        tokens,
        title=f"Layer {layer}",
        head_names=[f"head {h}" for h in heads[:MOST_STILL]],
        caption=RUN_ME,
        values=False,
    )
    how_to = "Left: the word that looks (query). Right: the word looked at (key). A stronger line is a larger weight. Point at a word to see its lines alone. Click a numbered box to switch that head on or off, double-click for that head alone; by keyboard Space and Enter."
    return _frame(
        page,
        "head",
        still,
        f"Head view of attention, {_size(layers, heads, tokens)}",
        how_to,
        80 + round(22.5 * len(tokens)),
        360,
        layers,
        heads,
    )


def model_view(attention, tokens, *, layers=None, heads=None, max_tokens=64) -> Frame:
    """Every head of every layer as a thumbnail; click one to see it large.

    Arguments and errors as in `head_view`.
    """
    weights, tokens, layers, heads = _checked(attention, tokens, layers, heads, max_tokens)
    import bertviz

    page = bertviz.model_view(
        _layers(weights),
        _safe(tokens, 11),
        display_mode="light",
        include_layers=layers,
        include_heads=heads,
        html_action="return",
    ).data
    still = head_grid(
        weights[np.ix_(layers[:MOST_STILL], heads[:MOST_STILL])],
        tokens,
        title="The first heads of the first layers",
        caption=RUN_ME,
    )
    height = max(round(len(layers) * (len(tokens) * 84 / len(heads) + 10)) + 60, 18 * len(tokens) + 110)
    how_to = "One small picture for each head (columns) of each layer (rows). Click one to see it large; there, point at a word on the left."
    return _frame(
        page,
        "model",
        still,
        f"Model view of attention, {_size(layers, heads, tokens)}",
        how_to,
        height,
        990,
        layers,
        heads,
    )


def neuron_view(
    queries,
    keys,
    attention=None,
    tokens=None,
    *,
    causal=False,
    layer=None,
    head=None,
    layers=None,
    heads=None,
    max_tokens=64,
) -> Frame:
    """How a weight comes about: query × key number by number, their sum, the softmax.

    queries, keys: (layer, head, token, d_k), (head, token, d_k), or a list with one for each layer.
    attention: as in `head_view`; None computes softmax(q · k / √d_k), with the causal mask if causal=True.
    tokens: one word for each position. layer, head: those shown first. The other arguments as in `head_view`.
    Raises PictureError like `head_view`, and when queries and keys differ in shape.
    """
    if tokens is None:
        raise PictureError(
            "neuron_view needs tokens: neuron_view(queries, keys, attention, tokens), with None for attention to have it computed."
        )
    queries, keys = (
        _layered(array(x, name), name, "(layer, head, token, d_k)")
        for x, name in ((queries, "queries"), (keys, "keys"))
    )
    if queries.shape != keys.shape:
        raise PictureError(f"queries and keys should have the same shape, but have {queries.shape} and {keys.shape}.")
    check_finite(queries, "queries"), check_finite(keys, "keys")
    if attention is None:
        attention = _attention(queries, keys, causal)
    weights, tokens, layers, heads = _checked(attention, tokens, layers, heads, max_tokens)
    if weights.shape[:3] != queries.shape[:3]:
        raise PictureError(
            f"queries have the shape (layer, head, token) = {queries.shape[:3]}, but the attention has {weights.shape[:3]}."
        )
    layer = layers[0] if layer is None else _one_of("layer", layer, layers)
    head = heads[0] if head is None else _one_of("head", head, heads)

    from bertviz import neuron_view as bertviz_neurons

    chosen = np.ix_(layers, heads)
    record = [
        dict(
            zip(
                ("attn", "queries", "keys"),
                (_tensor(x[i][None]) for x in (weights[chosen], queries[chosen], keys[chosen])),
            )
        )
        for i in range(len(layers))
    ]
    page = bertviz_neurons.show(
        _Recorded(record),
        "gpt2",
        _Words(_safe(tokens, 13)),
        "given",
        display_mode="light",
        layer=layers.index(layer),
        head=heads.index(head),
        html_action="return",
    ).data
    if (
        not causal
    ):  # the model type decides whether the view shows words to the right; "gpt2" alone leaves our tokens as they are
        page = page.replace('"bidirectional": false', '"bidirectional": true', 1)
    still = heatmap(weights[layer, head], tokens, title=f"Layer {layer}, head {head}", caption=RUN_ME)
    how_to = "Point at a word on the left: its query is multiplied with every key, number by number; the sums q · k go through the softmax. Blue is positive, orange negative; a stronger colour is a larger number. Click the sign beside the word to fold or unfold the vectors."
    return _frame(
        page,
        "neuron",
        still,
        f"Neuron view of attention, {_size(layers, heads, tokens)}",
        how_to,
        150 + 26 * len(tokens),
        1130,
        layers,
        heads,
    )


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
                f"A view shows one sentence, but {name} holds a batch of {values.shape[1]}. Choose one, for example [layer[:1] for layer in {name}]."
            )
        values = values[:, 0]
    if values.ndim == 3:
        values = values[None]
    if values.ndim != 4 or values.size == 0:
        raise PictureError(f"{name} should have the axes {axes}, but the shape is {tuple(values.shape)}.")
    return values


def _checked(attention, tokens, layers, heads, max_tokens):
    weights = _layered(array(attention, "attention"), "attention", "(layer, head, query, key)")
    queries, keys = weights.shape[-2:]
    if queries != keys:
        raise PictureError(
            f"This view shows self-attention, with as many queries as keys; {counted(queries, 'query')} and {counted(keys, 'key')} came. Use viz.heatmap for these."
        )
    tokens = token_list(tokens, keys, "tokens", "position")
    if keys > max_tokens:
        raise PictureError(
            f"This view shows up to {max_tokens} tokens, but there are {keys}. Take a shorter text, or pass max_tokens={keys} with few layers=[…] and heads=[…]."
        )
    check_weights(weights, tokens, tokens)
    return weights, tokens, _chosen("layers", layers, weights.shape[0]), _chosen("heads", heads, weights.shape[1])


def _chosen(name: str, numbers, count: int) -> list[int]:
    if numbers is None:
        return list(range(count))
    try:
        numbers = [int(n) for n in numbers]
    except (TypeError, ValueError):
        raise PictureError(f"{name} should be a list of numbers, for example {name}=[0]; {numbers!r} came.") from None
    if not numbers or not all(0 <= n < count for n in numbers) or len(set(numbers)) < len(numbers):
        raise PictureError(f"{name} should be different numbers from 0 to {count - 1}; {numbers} came.")
    return numbers


def _one_of(name: str, number, numbers: list[int]) -> int:
    if number not in numbers:
        raise PictureError(f"{name} should be one of {', '.join(map(str, numbers))}; {number!r} came.")
    return int(number)


def _attention(queries: np.ndarray, keys: np.ndarray, causal: bool) -> np.ndarray:
    from .softmax_slider import softmax

    scores = queries @ keys.swapaxes(-1, -2) / queries.shape[-1] ** 0.5
    if causal:
        scores = np.where(np.tril(np.ones(scores.shape[-2:], bool)), scores, -np.inf)
    return softmax(scores)


def _tensor(values: np.ndarray):
    import torch

    return torch.from_numpy(values.round(4))  # four decimals: a tenth of the text that bertviz writes otherwise


def _layers(weights: np.ndarray) -> list:
    """bertviz wants (1, head, query, key) for each layer."""
    return [_tensor(layer[None]) for layer in weights]


def _safe(tokens: list[str], longest: int) -> list[str]:
    return [shorten(token, longest).replace("<", LESS_THAN) for token in tokens]


def _size(layers, heads, tokens) -> str:
    return f"{counted(len(layers), 'layer')}, {counted(len(heads), 'head')}, {counted(len(tokens), 'token')}"


def _frame(page, view, still, title, how_to, height, width, layers, heads) -> Frame:
    page = page.replace("\\ufdd0", "\\u003c")  # both as JSON writes them: "<" that the browser's HTML parser never sees
    still.alt = f"{title}. {still.alt}"
    return Frame(
        page, still, title, how_to, height, {"view": view, "width": width, "layerNames": layers, "headNames": heads}
    )
