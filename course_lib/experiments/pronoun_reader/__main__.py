"""Remake data/pronoun_reader.safetensors: `python -m course_lib.experiments.pronoun_reader`.

About three minutes of one CPU thread. Half of each batch hides 15 % of its words and asks for them; the other half asks
at each *it* for the noun that it stands for ('it' itself where it stands for nothing). Nothing tells a head where to
attend.
"""

import argparse
import random
import time
from collections import defaultdict
from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from course_lib.corpora.pronouns import Sentence, minimal_pairs, sentences, vocabulary
from course_lib.corpora.vocabulary import MASK, PAD_ID
from course_lib.experiments.pronoun_reader import CHECKPOINT, PronounReader, ReaderConfig
from course_lib.training import IGNORE_INDEX, cross_entropy, fit


def train(seed: int, steps: int, batch: int = 64, lr: float = 4e-3, num_sentences: int = 40_000) -> PronounReader:
    torch.manual_seed(seed)
    reader = PronounReader(ReaderConfig(vocabulary()))
    for table in (reader.word.weight, reader.positions.table):
        nn.init.normal_(table, std=reader.config.d_model**-0.5)  # the word vectors are the output layer too
    ids, nouns = texts(reader, seed, num_sentences)
    groups = [
        {"params": [p for p in reader.parameters() if p.dim() > 1], "weight_decay": 0.1},
        {"params": [p for p in reader.parameters() if p.dim() == 1], "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(groups, lr, betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, lr, steps, pct_start=0.1)
    stream = batches(ids, nouns, batch, reader.ids[MASK])
    fit(reader, stream, lambda pair: cross_entropy(reader(pair[0])[0], pair[1]), steps, optimizer, schedule, clip=1.0)
    return reader.requires_grad_(False)


def batches(ids: Tensor, nouns: Tensor, batch: int, mask_id: int) -> Iterator[tuple[Tensor, Tensor]]:
    """(ids, targets) without end: the first half asks for hidden words, the second for the nouns behind *it*."""
    while True:
        rows = torch.randint(len(ids), (batch,))
        length = int((ids[rows] != PAD_ID).sum(1).max())
        x, targets = ids[rows, :length].clone(), nouns[rows, :length].clone()
        hidden = (torch.rand(x.shape) < 0.15) & (x != PAD_ID)
        hidden[batch // 2 :] = False
        targets[: batch // 2] = IGNORE_INDEX
        targets[hidden] = x[hidden]
        x[hidden] = mask_id
        yield x, targets


def texts(reader: PronounReader, seed: int, count: int) -> tuple[Tensor, Tensor]:
    """Ids (text, n) of one sentence a row, sometimes two; and at each *it* the id of the noun it stands for."""
    rng = random.Random(seed)
    ids, nouns = [], []
    waiting: list[Sentence] = []
    for sentence in sentences(seed, count):
        waiting.append(sentence)
        if len(waiting) == 1 and rng.random() < 0.15:
            continue  # its row will hold the next sentence as well
        if sum(len(s.tokens) for s in waiting) > reader.config.max_len:
            waiting = waiting[:1]
        ids.append(torch.cat([reader.encode(s.tokens) for s in waiting]))
        nouns.append(torch.cat([noun_ids(reader, s) for s in waiting]))
        waiting = []
    return (
        pad_sequence(ids, batch_first=True, padding_value=PAD_ID),
        pad_sequence(nouns, batch_first=True, padding_value=IGNORE_INDEX),
    )


def noun_ids(reader: PronounReader, sentence: Sentence) -> Tensor:
    targets = torch.full((len(sentence.tokens),), IGNORE_INDEX)
    if sentence.it is not None:
        targets[sentence.it] = reader.ids[sentence.answer or "it"]
    return targets


def accuracy(reader: PronounReader, seed: int = 1, count: int = 3000) -> dict[str, tuple[int, int]]:
    """For each frame, how many nouns the reader names rightly, of how many; only nouns that training kept apart."""
    score: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for sentence in sentences(seed, count, "test"):
        if sentence.antecedent is not None:
            right, of = score[sentence.frame]
            score[sentence.frame] = (right + (reader.stands_for(sentence.tokens, 1)[0][0] == sentence.answer), of + 1)
    return dict(sorted(score.items()))


def head_masses(reader: PronounReader, seed: int = 1, count: int = 500) -> dict[str, Tensor]:
    """Mean weights (layer, head) on held-out minimal pairs; the telling words are those in which the two differ."""
    seen: dict[str, list[Tensor]] = defaultdict(list)
    for pair in minimal_pairs(seed, count):
        both = []
        for sentence, other in (pair, pair[::-1]):
            _, weights = reader.attention(sentence.tokens)
            it = weights[:, :, sentence.it]
            both.append(it[..., sentence.antecedent])
            seen["it → its noun"].append(both[-1])
            telling = [i for i, word in enumerate(sentence.tokens) if word not in other.tokens]
            seen["it → telling word"].append(it[..., telling].sum(-1))
            seen["previous word"].append(weights.diagonal(-1, -2, -1).mean(-1))
            seen["next word"].append(weights.diagonal(1, -2, -1).mean(-1))
            seen["itself"].append(weights.diagonal(0, -2, -1).mean(-1))
            seen["a noun"].append(weights[..., list(sentence.candidates)].sum(-1).mean(-1))
        seen["flips (both > .6)"].append((torch.stack(both) > 0.6).all(0).float())
    return {name: torch.stack(values).mean(0) for name, values in seen.items()}


def report(reader: PronounReader) -> None:
    score = accuracy(reader)
    right, of = map(sum, zip(*score.values(), strict=True))
    print(f"\nNaming the noun on {of} held-out sentences: {right / of:.3f}")
    print("; ".join(f"{frame} {r / n:.2f} ({n})" for frame, (r, n) in score.items()))
    masses = head_masses(reader)
    print("\n| layer | head | " + " | ".join(masses) + " |\n" + "|---" * (len(masses) + 2) + "|")
    for layer in range(reader.config.num_layers):
        for head in range(reader.config.num_heads):
            print(f"| {layer} | {head} | " + " | ".join(f"{m[layer, head]:.2f}" for m in masses.values()) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description="Train the pronoun reader and measure it on held-out sentences.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=8000)
    parser.add_argument("--out", default=CHECKPOINT, help="where the checkpoint goes")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    start = time.process_time()
    reader = train(arguments.seed, arguments.steps)
    reader.save(arguments.out)
    print(f"Seed {arguments.seed}, {arguments.steps} steps, {time.process_time() - start:.0f} s of one CPU thread.")
    report(reader)


if __name__ == "__main__":
    main()
