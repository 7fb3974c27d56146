"""What a training step of the Transformer costs beside torch.nn.Transformer's, and what the cache spares a decoder.

`make bench` runs with JAXTYPING_DISABLE=1, as a student does: checking our shapes at each call costs a few per cent.
"""

import statistics
import time
from collections.abc import Callable
from functools import partial

import torch
import torch.nn.functional as F
from torch import nn

from course_lib.decoding import greedy
from course_lib.masks import causal_mask, padding_mask
from course_lib.transformer import Transformer, TransformerConfig

# Lesson 09's size, and one that is larger in everything: config, batch, tokens of source and of target.
SIZES = {
    "d 128, 2 + 2 layers, 64 × 20 tokens": (TransformerConfig(500, 128, 4, 512, 2), 64, 20),
    "d 256, 3 + 3 layers, 16 × 64 tokens": (TransformerConfig(1000, 256, 8, 1024, 3), 16, 64),
}


class TorchTransformer(nn.Module):
    """torch.nn.Transformer between the same positions and the same one table for source, target and logits."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        own = Transformer(config)
        self.scale, self.token, self.positions, self.dropout = (
            config.d_model**0.5,
            own.token,
            own.positions,
            own.dropout,
        )
        self.transformer = nn.Transformer(
            config.d_model,
            config.num_heads,
            config.num_layers,
            config.num_layers,
            config.d_ff,
            config.dropout,
            batch_first=True,
            norm_first=config.pre_norm,
        )
        if not config.pre_norm:
            self.transformer.encoder.norm = self.transformer.decoder.norm = None  # the paper's model has none there

    def forward(self, source, target, source_mask):
        x, y = (self.dropout(self.positions(self.token(ids) * self.scale)) for ids in (source, target))
        hidden, later = ~source_mask[:, 0, 0], ~causal_mask(target.shape[1])
        states = self.transformer(
            x, y, tgt_mask=later, src_key_padding_mask=hidden, memory_key_padding_mask=hidden, tgt_is_causal=True
        )
        return F.linear(states, self.token.weight), None


def training_step(model: nn.Module, vocab_size: int, batch: int, n: int) -> Callable[[], None]:
    generator = torch.Generator().manual_seed(0)
    source = torch.randint(1, vocab_size, (batch, n), generator=generator)
    source[: batch // 2, -n // 4 :] = 0  # half of the texts are shorter
    target = torch.randint(1, vocab_size, (batch, n + 1), generator=generator)
    mask, optimizer = padding_mask(source, 0), torch.optim.Adam(model.parameters(), 1e-4, fused=True)

    def step() -> None:
        logits, _ = model(source, target[:, :-1], mask)
        loss = F.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return step


def training(dropout: float, repeats: int = 11) -> dict[str, tuple[float, float]]:
    """Seconds of one step, ours and torch's: fp32, one thread, CPU time, medians of steps in alternation."""
    torch.set_num_threads(1)
    found = {}
    for name, (config, batch, n) in SIZES.items():
        config = TransformerConfig(**vars(config) | {"dropout": dropout})
        torch.manual_seed(0)
        steps = [training_step(model(config), config.vocab_size, batch, n) for model in (Transformer, TorchTransformer)]
        found[name] = alternating(steps, repeats)
    return found


def decoding(texts: int, tokens: int = 64, repeats: int = 3) -> dict[str, tuple[float, float, bool]]:
    """Seconds of greedy decoding with cache and without, and whether the outputs are equal."""
    torch.set_num_threads(1)
    found = {}
    for name, (config, _, _) in SIZES.items():
        torch.manual_seed(0)
        model = Transformer(config).eval()
        source, start = torch.randint(config.vocab_size, (texts, 20)), torch.ones(texts, 1, dtype=torch.long)
        outputs = {}

        def decode(cache: bool) -> None:
            outputs[cache] = greedy(model.next_token(source, cache=cache), start, end=None, max_len=tokens)

        times = alternating([partial(decode, True), partial(decode, False)], repeats)
        found[name] = (*times, [text.ids for text in outputs[True]] == [text.ids for text in outputs[False]])
    return found


def alternating(calls: list[Callable], repeats: int) -> tuple[float, ...]:
    times = [[] for _ in calls]
    for call in calls:
        call()
    for _ in range(repeats):
        for call, taken in zip(calls, times, strict=True):
            start = time.process_time()
            call()
            taken.append(time.process_time() - start)
    return tuple(map(statistics.median, times))
