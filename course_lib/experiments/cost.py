"""What a layer costs: products, milliseconds and megabytes, against the length of the text.

    products("full", n=1024, d=64)       # multiplications of one text's way through it, by formula
    measure("full", n=1024, d=64)        # {"ms": 13.0, "kept_mb": 1.3, "largest_mb": 0.8}, there and back

`python -m course_lib.experiments.cost` remakes data/cost_runs.json; its card is data/cost_runs.md.
"""

import time
from collections.abc import Callable, Iterator
from statistics import median

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode, sdpa_flop_count

from course_lib.attention import MultiHeadAttention, merge_heads, split_heads
from course_lib.experiments.stored import command, read_runs
from course_lib.experts import Experts
from course_lib.layers import Block, FeedForward
from course_lib.short_keys import CompressedAttention, LinformerAttention
from course_lib.sparse import SparseAttention
from course_lib.support.messages import one_of
from course_lib.support.paths import DATA

STORED = DATA / "cost_runs.json"
HEADS, WINDOW, SHORT, STRIDE, NUM_EXPERTS = 4, 16, 32, 4, 4
BIG_BIRD = dict(window=10, num_global=4, num_random=7)


class _Bare(nn.Module):
    """Torch's fused attention alone: nothing is projected."""

    def forward(self, x: Tensor) -> Tensor:
        x = split_heads(x, HEADS)
        return merge_heads(F.scaled_dot_product_attention(x, x, x))


LAYERS: dict[str, Callable[[int, int], nn.Module]] = {
    "full": lambda n, d: MultiHeadAttention(d, HEADS),  # fused: the weights are never stored
    "weights kept": lambda n, d: MultiHeadAttention(d, HEADS),
    "bare": lambda n, d: _Bare(),
    "window": lambda n, d: SparseAttention(d, HEADS, WINDOW),
    "Big Bird": lambda n, d: SparseAttention(d, HEADS, **BIG_BIRD),
    "Linformer": lambda n, d: LinformerAttention(d, HEADS, n, SHORT),
    "compressed": lambda n, d: CompressedAttention(d, HEADS, STRIDE),
    "feed-forward": lambda n, d: FeedForward(d, 4 * d, activation=nn.GELU),
    "experts": lambda n, d: Experts(d, 4 * d, NUM_EXPERTS),
    "block": lambda n, d: Block(d, HEADS, 4 * d),
}
KINDS = tuple(LAYERS)


def products(kind: str, n: int, d: int) -> int:
    """Multiplications on one text's way through the layer, as it computes it; biases, norms and softmax left out."""
    one_of("kind", kind, KINDS)
    projections, feed_forward, pairs = 4 * n * d * d, 8 * n * d * d, 2 * n * n * d
    in_blocks = lambda n, window: -(-n // window) * window * 3 * window  # cells of each block's three  # noqa: E731
    groups = -(-n // STRIDE)
    window, few, drawn = BIG_BIRD["window"], BIG_BIRD["num_global"], BIG_BIRD["num_random"]
    return {
        "full": projections + pairs,
        "weights kept": projections + pairs,
        "bare": pairs,
        "window": projections + 2 * d * in_blocks(n, WINDOW),
        "Big Bird": projections + 2 * d * (in_blocks(n, window) + n * (few + drawn) + few * n),
        "Linformer": projections + 2 * SHORT * n * d + 2 * n * SHORT * d,  # shortened, then attended to
        "compressed": projections + 2 * groups * STRIDE * d * d + 2 * n * groups * d,
        "feed-forward": feed_forward,
        "experts": feed_forward + n * d * NUM_EXPERTS,  # one expert a token, and the gate
        "block": projections + pairs + feed_forward,
    }[kind]


def counted_products(kind: str, n: int, d: int) -> int:
    """The same, counted by torch while the layer runs. Torch counts additions as well: half of its number."""
    fused = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu  # which torch counts on a GPU only
    count = lambda query, key, value, *_, out_shape=None, **__: sdpa_flop_count(query, key, value)  # noqa: E731
    layer, x = LAYERS[kind](n, d), torch.randn(1, n, d)
    with torch.no_grad(), FlopCounterMode(display=False, custom_mapping={fused: count}) as counter:
        _run(kind, layer, x)
    return counter.get_total_flops() // 2


class Largest(TorchDispatchMode):
    """Inside, `bytes` grows to the largest result of any operation. What a fused kernel uses within, nobody sees."""

    bytes = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        results = function(*args, **(kwargs or {}))
        for result in results if isinstance(results, tuple | list) else [results]:
            if isinstance(result, Tensor):
                self.bytes = max(self.bytes, result.untyped_storage().nbytes())
        return results


def measure(kind: str, n: int, d: int = 64, least: float = 0.3) -> dict[str, float]:
    """One text of n vectors of d numbers, there and back, on one thread or what torch is set to.

    ms          CPU milliseconds, the median of three runs or more that take `least` seconds in all
    kept_mb     what is kept for the way back, without the parameters
    largest_mb  the largest result of an operation, on both ways
    """
    with torch.random.fork_rng():
        torch.manual_seed(0)
        layer, x = LAYERS[one_of("kind", kind, KINDS)](n, d), torch.randn(1, n, d, requires_grad=True)
    parameters = {parameter.untyped_storage().data_ptr() for parameter in layer.parameters()}
    kept = {}

    def keep(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        output = _run(kind, layer, x)
    output.sum().backward()
    with Largest() as largest:
        _run(kind, layer, x).sum().backward()

    times = []
    while len(times) < 3 or sum(times) < least:
        start = time.process_time()
        _run(kind, layer, x).sum().backward()
        times.append(time.process_time() - start)
    return {
        "ms": round(1e3 * median(times), 2),
        "kept_mb": round(sum(size for place, size in kept.items() if place not in parameters) / 1e6, 2),
        "largest_mb": round(largest.bytes / 1e6, 2),
    }


def _run(kind: str, layer: nn.Module, x: Tensor) -> Tensor:
    result = layer(x, need_weights=True) if kind == "weights kept" else layer(x)
    return result[0] if isinstance(result, tuple) else result


# --- the stored runs: about three minutes of one CPU thread -----------------------------------------------------------

LENGTHS, WIDTHS = (128, 256, 512, 1024, 2048, 4096), (64, 256)


def _costs() -> Iterator[dict]:
    for d in WIDTHS:
        for kind in KINDS:
            for n in LENGTHS:
                yield {"kind": kind, "n": n, "d": d, "products": products(kind, n, d)} | measure(kind, n, d)


def stored_runs() -> dict[str, list[dict]]:
    """The runs of data/cost_runs.json, in the section "costs"."""
    return read_runs(STORED)


if __name__ == "__main__":
    command("Measure what lesson 16's layers cost, against the length of the text.", STORED, {"costs": _costs})
