"""The course's drawings of a data flow, all made with `flow`. `lit`: the parts in question, by name.

    viz.block_drawing(lit="feed_forward")                       one block: pre_norm, masked, cross_attention
    viz.head_drawing(masked=True, lit="mask")                   one attention head
    viz.heads_drawing(num_heads=4, lit="W_O")                   several heads; summed=True: each with its part of W_O
    viz.positions_drawing(lit="queries and keys")               where one head can be told of positions
    viz.layer_pair_drawing(lit="decoder.cross_attention")       an encoder layer and a decoder layer
    viz.transformer_drawing(num_layers=6, lit="memory")         the whole model
    viz.training_drawing(["le", "chat"], lit="shifted")         the training step, its targets shifted

The parts have the names of the library's fields. A wrong name gives a sentence with all the names.
"""

from .flow import Arrow, Box, Flow, Group, flow
from .inputs import PictureError, token_list


def block_drawing(
    pre_norm=True,
    masked=False,
    cross_attention=False,
    feed_forward=True,
    *,
    memory=None,
    lit=(),
    shape="(n, d_model)",
    **words,
) -> Flow:
    """One block: self-attention, cross-attention if there is any, feed-forward; each with its norm and its skip.

    memory: whether the drawing shows where cross-attention reads; by default where there is cross-attention.
    lit: of attention_norm, attention, attention_add, the same for cross_attention and feed_forward, x, output, memory.
    words: title, alt, caption, as in `flow`.
    """
    sublayers = {"attention": "masked\nself-attention" if masked else "self-attention"}
    if cross_attention:
        sublayers["cross_attention"] = "cross-attention"
    if feed_forward:
        sublayers["feed_forward"] = "feed-forward"
    column = 1 if cross_attention else 0
    boxes = {"x": Box(f"x {shape}", column, 0, frame=False)}
    arrows, groups, below, row = [], [], "x", 0
    for name, text in sublayers.items():
        norm, add = f"{name}_norm", f"{name}_add"
        steps = [norm, name, add] if pre_norm else [name, add, norm]
        for step in steps:
            row += 1
            boxes[step] = Box({norm: "LayerNorm", name: text, add: "+"}[step], column, row)
        arrows += zip([below, *steps], steps)
        arrows += [Arrow(below, add, side="right")]
        below = steps[-1]
    boxes["output"] = Box(f"output {shape}", column, row + 1, frame=False)
    arrows += [(below, "output")]
    if cross_attention:
        boxes["memory"] = Box("memory (m, d_model)\nthe encoder's output", 0, 0, frame=False)
        arrows += [Arrow("memory", "cross_attention", "K, V", side="left")]
    return flow(boxes, arrows, groups, lit=lit, **words)


def head_drawing(masked=False, cross=False, *, lit=(), **words) -> Flow:
    """One attention head: W_Q, W_K, W_V, scores, mask, softmax, average. cross: keys and values from another text.

    lit: of x, memory, W_Q, W_K, W_V, scores, mask, softmax, average, output. words: title, alt, caption.
    """
    other, m = ("memory", "m") if cross else ("x", "n")
    if cross:
        boxes = {
            "x": Box("x (n, d_model)", 0, 0, frame=False),
            "memory": Box("memory (m, d_model)", 1, 0, to=2, frame=False),
        }
    else:
        boxes = {"x": Box("x (n, d_model)", 0, 0, to=2, frame=False)}
    boxes |= {f"W_{name}": Box(f"W_{name}", column, 1) for column, name in enumerate("QKV")}
    boxes["scores"] = Box("Q Kᵀ / √d_k", 0, 2, to=1)
    after = ["mask"] * masked + ["softmax"]
    texts = {"mask": "mask: −∞ where hidden", "softmax": "softmax over the keys"}
    boxes |= {name: Box(texts[name], 0, row, to=1) for row, name in enumerate(after, start=3)}
    row = 3 + len(after)
    boxes |= {
        "average": Box("weights · V", 0, row, to=2),
        "output": Box("output (n, d_v)", 0, row + 1, to=2, frame=False),
    }
    arrows = [("x", "W_Q"), (other, "W_K"), (other, "W_V")]
    arrows += [("W_Q", "scores", "Q (n, d_k)"), ("W_K", "scores", f"K ({m}, d_k)"), ("W_V", "average", f"V ({m}, d_v)")]
    path = ["scores", *after, "average"]
    arrows += [(a, b, f"(n, {m})") for a, b in zip(path, path[1:])] + [("average", "output")]
    return flow(boxes, arrows, lit=lit, **words)


def heads_drawing(num_heads=4, summed=False, *, lit=(), **words) -> Flow:
    """Several heads side by side, concatenated and mixed by W_O; or, summed, each with its own part of W_O.

    lit: of x, "head 1", "head 2" …, concat, W_O, output; summed: of x, heads, "W_O 1", "W_O 2" …, sum, output.
    num_heads from 2 to 6, summed to 4. words: title, alt, caption.
    """
    most = 4 if summed else 6
    if not 2 <= num_heads <= most:
        raise PictureError(f"num_heads should be from 2 to {most}, to fit on a page; got {num_heads!r}.")
    heads, last = [f"head {i + 1}" for i in range(num_heads)], num_heads - 1
    boxes = {"x": Box("x (n, d_model)", 0, 0, to=last, frame=False)}
    boxes |= {head: Box(head, column, 1) for column, head in enumerate(heads)}
    arrows = [("x", head) for head in heads]
    if summed:
        parts = [f"W_O {i + 1}" for i in range(num_heads)]
        boxes |= {part: Box(f"W_O⁽{'¹²³⁴⁵⁶'[column]}⁾", column, 2) for column, part in enumerate(parts)}
        boxes |= {"sum": Box("add up", 0, 3, to=last)}
        arrows += [(head, part, "(n, d_v)") for head, part in zip(heads, parts)]
        arrows += [(part, "sum", "(n, d_model)") for part in parts]
        top = "sum"
    else:
        boxes |= {"concat": Box("side by side: concatenate", 0, 2, to=last), "W_O": Box("W_O", last / 2, 3)}
        arrows += [(head, "concat", "(n, d_v)") for head in heads]
        arrows += [("concat", "W_O", f"(n, {num_heads} · d_v)")]
        top = "W_O"
    boxes |= {"output": Box("output (n, d_model)", last / 2, 4, frame=False)}
    return flow(boxes, [*arrows, (top, "output")], lit=lit, **words)


def positions_drawing(*, lit=("word vectors", "queries and keys", "scores"), **words) -> Flow:
    """One attention head, and the three places at which it can be told where words stand.

    lit: of "word vectors", "queries and keys", "scores"; x, W_Q, W_K, W_V, product, softmax, average, output.
    words: title, alt, caption.
    """
    boxes = {
        "x": Box("words (n, d_model)", 0, 0, to=2, frame=False),
        "word vectors": Box("word vectors + positions:\nindex, binary, sinusoids, learned", 0, 1, to=2),
        "W_Q": Box("W_Q", 0, 2),
        "W_K": Box("W_K", 1, 2),
        "W_V": Box("W_V", 2, 2),
        "queries and keys": Box("queries and keys turned: rotary", 0, 3, to=1),
        "product": Box("Q Kᵀ / √d_k", 0, 4, to=1),
        "scores": Box("scores + distances: Shaw, ALiBi", 0, 5, to=1),
        "softmax": Box("softmax over the keys", 0, 6, to=1),
        "average": Box("weights · V", 0, 7, to=2),
        "output": Box("output (n, d_v)", 0, 8, to=2, frame=False),
    }
    arrows = [("x", "word vectors", "(n, d_model)"), ("word vectors", "W_Q"), ("word vectors", "W_K")]
    arrows += [("word vectors", "W_V"), ("W_Q", "queries and keys", "Q (n, d_k)")]
    arrows += [("W_K", "queries and keys", "K (n, d_k)"), ("W_V", "average", "V (n, d_v)")]
    arrows += [("queries and keys", "product"), ("product", "scores", "(n, n)"), ("scores", "softmax", "(n, n)")]
    arrows += [("softmax", "average", "(n, n)"), ("average", "output")]
    return flow(boxes, arrows, lit=lit, **words)


def _layer(side: str, column: float, row: int, below: str) -> tuple[dict, list, str, int]:
    """An encoder or decoder layer, post-norm as in the paper, from `row` on: boxes, arrows, its last box, next row."""
    sublayers = {"attention": "self-attention", "feed_forward": "feed-forward"}
    if side == "decoder":
        sublayers = {
            "attention": "masked\nself-attention",
            "cross_attention": "cross-attention",
            "feed_forward": "feed-forward",
        }
    boxes, arrows, skip = {}, [], "left" if side == "encoder" else "right"
    for name, text in sublayers.items():
        name, norm = f"{side}.{name}", f"{side}.{name}_norm"
        boxes |= {name: Box(text, column, row), norm: Box("add & norm", column, row + 1)}
        arrows += [(below, name), (name, norm), Arrow(below, norm, side=skip)]
        below, row = norm, row + 2
    return boxes, arrows, below, row


def layer_pair_drawing(*, lit=(), **words) -> Flow:
    """One encoder layer beside one decoder layer, and what goes from one to the other.

    lit: of source, target, memory, output, encoder.attention, encoder.attention_norm, encoder.feed_forward … and the
    same with decoder, which has decoder.cross_attention, too. words: title, alt, caption.
    """
    boxes = {"source": Box("x (m, d_model)", 0, 0, frame=False), "target": Box("y (n, d_model)", 1, 0, frame=False)}
    encoder, into_encoder, top, _ = _layer("encoder", 0, 1, "source")
    decoder, into_decoder, end, last = _layer("decoder", 1, 1, "target")
    boxes |= encoder | decoder
    boxes |= {"output": Box("output (n, d_model)", 1, last, frame=False)}
    arrows = [
        *into_encoder,
        *into_decoder,
        Arrow(top, "decoder.cross_attention", "memory (m, d_model): K, V", side="left"),
    ]
    arrows += [(end, "output")]
    groups = [Group(tuple(encoder), "encoder"), Group(tuple(decoder), "decoder", side="right")]
    return flow(boxes, arrows, groups, lit=lit, **words)


def transformer_drawing(num_layers=6, *, lit=(), **words) -> Flow:
    """The whole Transformer, as in figure 1 of Vaswani et al. (2017): m source words, n target words.

    lit: of source, source_embedding, source_positions, the layers' parts as in `layer_pair_drawing`, target,
    target_embedding, target_positions, output_matrix, output. words: title, alt, caption.
    """
    boxes, arrows, tops = {}, [], {}
    groups = []
    for column, (text, side, length) in enumerate([("source", "encoder", "m"), ("target", "decoder", "n")]):
        said = "source words" if text == "source" else "target words, shifted right"
        boxes |= {
            text: Box(f"{said} ({length})", column, 0, frame=False),
            f"{text}_embedding": Box("embedding · √d", column, 1),
            f"{text}_positions": Box("+ positions", column, 2),
        }
        arrows += [(text, f"{text}_embedding"), (f"{text}_embedding", f"{text}_positions")]
        layer, into, tops[side], row = _layer(side, column, 3, f"{text}_positions")
        boxes |= layer
        arrows += into
        groups += [Group(tuple(layer), f"× {num_layers}", side="left" if side == "encoder" else "right")]
    boxes |= {
        "output_matrix": Box("embeddingᵀ, softmax", 1, row),
        "output": Box("next word (n, vocab)", 1, row + 1, frame=False),
    }
    arrows += [(tops["decoder"], "output_matrix"), ("output_matrix", "output")]
    arrows += [Arrow(tops["encoder"], "decoder.cross_attention", "memory (m, d_model)", side="left")]
    return flow(boxes, arrows, groups, lit=lit, **words)


def training_drawing(
    target=("le", "chat", "dort"), source=("the", "cat", "sleeps"), *, start="START", end="END", lit=(), **words
) -> Flow:
    """The training step: the decoder reads the target shifted right, and is asked for the target, all words at once.

    target, source: words, at most 5 of each; without a source (None) it is a model that continues a text.
    lit: of source, encoder, decoder, inputs, predictions, loss, targets. words: title, alt, caption.
    """
    target = token_list(target, None, "target", "word")
    source = None if source is None else token_list(source, None, "source", "word")
    if not 1 <= len(target) <= 5:
        raise PictureError(f"target should have 1 to 5 words, to fit on a page; got {len(target)}.")
    lit = {lit} if isinstance(lit, str) else set(lit)
    first = 0 if source is None else 1  # column of the first word
    last = len(target) + first
    predictions = [f"p{'₁₂₃₄₅₆'[i]}" for i in range(len(target) + 1)]
    rows = {"inputs": (0, [start, *target]), "predictions": (2, predictions), "targets": (4, [*target, end])}
    text = "the sentence" if source is None else "the target"
    said = {"inputs": f"{text},\nshifted right", "predictions": "a guess for\neach place", "targets": text}
    boxes, arrows = {}, []
    if source is not None:
        boxes = {"source": Box(" ".join(source), 0, 0, frame=False), "encoder": Box("encoder", 0, 1)}
        arrows = [("source", "encoder"), ("encoder", "decoder", "memory")]
    boxes |= {
        "decoder": Box("model with a causal mask" if source is None else "decoder", first, 1, to=last),
        "loss": Box("loss: how probable was the right word?", first, 3, to=last),
    }
    columns = {}
    boxes |= {f"{name} said": Box(said[name], last + 1, row, frame=False) for name, (row, _) in rows.items()}
    for name, (row, texts) in rows.items():
        columns[name] = [f"{name} {i}" for i in range(1, len(texts) + 1)]
        boxes |= {
            n: Box(text, i, row, frame=name in lit)
            for i, (n, text) in enumerate(zip(columns[name], texts), start=first)
        }
    arrows += [(a, "decoder") for a in columns["inputs"]]
    arrows += [("decoder", p) for p in columns["predictions"]] + [(p, "loss") for p in columns["predictions"]]
    arrows += [(t, "loss") for t in columns["targets"]]
    lit = {name for part in lit for name in columns.get(part, [part])}
    return flow(boxes, arrows, lit=lit, **words)
