"""What a step of pretraining costs beside transformers' BERT: the same texts, blanks, pairs and sizes."""

import random
from collections.abc import Callable

import torch
from torch import nn
from transformers import BertConfig as PeersConfig
from transformers import BertForPreTraining

from course_lib.bert import Bert, BertConfig, pretraining_loss
from course_lib.corpora.cloze import BertBatch, Marks, Pair, collate
from tests.benchmarks.transformer_speed import alternating

# Config, batch, and the tokens of the longest and the shortest text.
SIZES = {
    "d 128, 4 layers, vocabulary 1024, 32 × 128 tokens": (BertConfig(1024, 128, 4, 512, 4, 128), 32, (128, 128)),
    "the same, texts of 96 to 128 tokens": (BertConfig(1024, 128, 4, 512, 4, 128), 32, (128, 96)),
    "d 128, 3 layers, vocabulary 500, 64 × 24 tokens": (BertConfig(500, 128, 4, 512, 3, 64), 64, (24, 22)),
}


def random_batch(vocab_size: int, size: int, longest: int, shortest: int) -> BertBatch:
    rng = random.Random(0)

    def words(n: int) -> list[int]:
        return [rng.randrange(4, vocab_size) for _ in range(n)]

    lengths = [longest, *(rng.randint(shortest, longest) for _ in range(size - 1))]
    pairs = [Pair(words(n // 2), words(n - n // 2 - 3), rng.randrange(2)) for n in lengths]
    return collate(pairs, Marks(vocab_size, 0, 1, 2, 3), generator=torch.Generator().manual_seed(0))


def peer(config: BertConfig) -> nn.Module:
    return BertForPreTraining(
        PeersConfig(
            vocab_size=config.vocab_size,
            hidden_size=config.d_model,
            num_attention_heads=config.num_heads,
            intermediate_size=config.d_ff,
            num_hidden_layers=config.num_layers,
            max_position_embeddings=config.max_len,
            hidden_dropout_prob=config.dropout,
            attention_probs_dropout_prob=config.dropout,
            attn_implementation="sdpa",
        )
    ).train()


def step_of(model: nn.Module, loss: Callable[[], torch.Tensor]) -> Callable[[], None]:
    optimizer = torch.optim.AdamW(model.parameters(), 1e-4, fused=True)

    def step() -> None:
        value = loss()
        optimizer.zero_grad()
        value.backward()
        optimizer.step()

    return step


def training(dropout: float, repeats: int = 9) -> dict[str, tuple[float, float, int]]:
    """Seconds of one step, ours and theirs, and its tokens: fp32, one thread, CPU time, medians in alternation."""
    torch.set_num_threads(1)
    found = {}
    for name, (config, size, lengths) in SIZES.items():
        torch.manual_seed(0)
        config, batch = (
            BertConfig(**vars(config) | {"dropout": dropout}),
            random_batch(config.vocab_size, size, *lengths),
        )
        ours, theirs = Bert(config).train(), peer(config)
        n = batch.ids.shape[1]
        seen = torch.arange(n) < batch.lengths[:, None] if batch.padding else None
        labels = dict(labels=batch.labels, next_sentence_label=batch.next_sentence)
        steps = [
            step_of(ours, lambda: pretraining_loss(ours, batch)),
            step_of(theirs, lambda: theirs(batch.ids, seen, batch.segments, **labels).loss),
        ]
        found[name] = (*alternating(steps, repeats), batch.num_tokens)
    return found
