"""Every head of every layer, as a grid of small heatmaps."""

from .heatmap import checked_heads, draw_heads
from .inputs import PictureError, array
from .picture import Picture


def head_grid(weights, tokens, key_tokens=None, *, title=None, alt=None, caption=None, kind="weights") -> Picture:
    """Draws every head of every layer: a row of heatmaps for each layer, a column for each head.

    weights: (layer, head, query, key) or (head, query, key). tokens: one word for each query (and key).
    Raises PictureError like `heatmap`.
    """
    matrices = array(weights, "weights")
    if matrices.ndim == 5 and matrices.shape[1] == 1:  # a list of layers, each with a batch of one
        matrices = matrices[:, 0]
    if matrices.ndim == 3:
        matrices = matrices[None]
    if matrices.ndim != 4:
        axes = "(layer, head, query, key)"
        raise PictureError(f"Weights should have the axes {axes}, but their shape is {tuple(matrices.shape)}.")
    layers, count = matrices.shape[:2]
    flat = matrices.reshape(layers * count, *matrices.shape[2:])
    heads = checked_heads(flat, tokens, key_tokens, head_names(layers, count), kind)
    return draw_heads(heads, columns=count, values=False, title=title, alt=alt, caption=caption)


def head_names(layers: int, heads: int) -> list[str]:
    """One for each head, layer after layer."""
    return [f"layer {i} · head {j}" if layers > 1 else f"head {j}" for i in range(layers) for j in range(heads)]
