"""What a training step of GPT costs beside transformers' GPT-2, in bfloat16 beside float32, and what the cache spares."""

from collections.abc import Callable
from functools import partial

import torch
from torch import nn
from transformers import GPT2Config, GPT2LMHeadModel

from course_lib.decoding import greedy
from course_lib.gpt import GPT, GPTConfig
from course_lib.training import cross_entropy
from tests.benchmarks.transformer_speed import alternating

CONFIG = GPTConfig(vocab_size=1024, d_model=128, num_heads=4, d_ff=512, num_layers=4, max_len=128)
BATCH, N = 32, 128


def peer(config: GPTConfig) -> nn.Module:
    """The same sizes, with torch's fused attention, as it is by default."""
    rates = dict.fromkeys(("resid_pdrop", "embd_pdrop", "attn_pdrop"), config.dropout)
    sizes = dict(vocab_size=config.vocab_size, n_embd=config.d_model, n_head=config.num_heads, n_inner=config.d_ff)
    sizes |= dict(n_layer=config.num_layers, n_positions=config.max_len, bos_token_id=0, eos_token_id=0)
    return GPT2LMHeadModel(GPT2Config(**sizes, **rates, attn_implementation="sdpa", use_cache=False)).train()


def step_of(model: nn.Module, loss: Callable, bf16: bool = False) -> Callable[[], None]:
    """A whole step with AdamW, on random ids."""
    ids = torch.randint(CONFIG.vocab_size, (BATCH, N + 1), generator=torch.Generator().manual_seed(0))
    optimizer = torch.optim.AdamW(model.parameters(), 1e-4, fused=True)

    def step() -> None:
        with torch.autocast("cpu", torch.bfloat16, enabled=bf16):
            value = loss(model, ids)
        optimizer.zero_grad()
        value.backward()
        optimizer.step()

    return step


def own_loss(model: GPT, ids: torch.Tensor) -> torch.Tensor:
    return cross_entropy(model(ids[:, :-1])[0], ids[:, 1:])


def peers_loss(model: nn.Module, ids: torch.Tensor) -> torch.Tensor:
    return model(ids[:, :-1], labels=ids[:, :-1]).loss  # shifted inside; one token fewer is predicted


def training(dropout: float, repeats: int = 9) -> tuple[float, ...]:
    """Seconds of a step: ours in float32, transformers', ours in bfloat16. One thread, CPU time, in alternation."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    config = GPTConfig(**vars(CONFIG) | {"dropout": dropout})
    own, same = (GPT(config).train() for _ in range(2))
    return alternating(
        [step_of(own, own_loss), step_of(peer(config), peers_loss), step_of(same, own_loss, True)], repeats
    )


def generation(texts: int, tokens: int = 256, repeats: int = 2) -> tuple[float, float, bool]:
    """Seconds of so many tokens for each text, with cache and without, and whether they are the same tokens."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = GPT(GPTConfig(**vars(CONFIG) | {"max_len": tokens + 1})).eval()
    found = {}

    def write(cache: bool) -> None:
        prompts = torch.arange(texts)[:, None]
        found[cache] = [text.ids for text in greedy(model.next_token(cache), prompts, end=None, max_len=tokens)]

    times = alternating([partial(write, True), partial(write, False)], repeats)
    return *times, found[True] == found[False]
