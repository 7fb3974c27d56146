"""Remake data/pronoun_reader.safetensors: `python data/train_pronoun_reader.py`. About three minutes of one CPU thread.

Half of each batch hides 15 % of its words and asks for them; the other half asks at each *it* for the noun that it
stands for ('it' itself where it stands for nothing). Nothing tells a head where to look.
"""

import argparse
import random
import time
from collections import defaultdict

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from tqdm import tqdm

from course_lib.corpora.pronouns import Sentence, minimal_pairs, sentences, vocabulary
from course_lib.experiments.pronoun_reader import CHECKPOINT, MASK_ID, PAD_ID, PronounReader, ReaderConfig

NO_TARGET = -100  # what cross_entropy leaves out


def train(seed: int, steps: int, batch: int = 64, lr: float = 4e-3, num_sentences: int = 40_000) -> PronounReader:
    torch.manual_seed(seed)
    reader = PronounReader(ReaderConfig(vocabulary()))
    for embedding in (reader.word, reader.position):
        nn.init.normal_(embedding.weight, std=reader.config.d_model**-0.5)  # the word vectors are the output layer too
    ids, nouns = texts(reader, seed, num_sentences)
    groups = [
        {"params": [p for p in reader.parameters() if p.dim() > 1], "weight_decay": 0.1},
        {"params": [p for p in reader.parameters() if p.dim() == 1], "weight_decay": 0.0},
    ]
    optimiser = torch.optim.AdamW(groups, lr, betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, lr, steps, pct_start=0.1)
    for _ in (bar := tqdm(range(steps), desc="training")):
        rows = torch.randint(len(ids), (batch,))
        length = int((ids[rows] != PAD_ID).sum(1).max())
        x, target = ids[rows, :length].clone(), nouns[rows, :length].clone()
        hidden = (torch.rand(x.shape) < 0.15) & (x != PAD_ID)
        hidden[batch // 2 :] = False
        target[: batch // 2] = NO_TARGET
        target[hidden] = x[hidden]
        x[hidden] = MASK_ID
        logits, _ = reader(x)
        loss = F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=NO_TARGET)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        bar.set_postfix(loss=f"{loss.item():.2f}", refresh=False)
    return reader.eval().requires_grad_(False)


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
        ids.append([i for s in waiting for i in reader.encode(s.tokens).tolist()])
        nouns.append([reader.ids[s.answer or "it"] if i == s.it else NO_TARGET
                      for s in waiting for i in range(len(s.tokens))])  # fmt: skip
        waiting = []
    return padded(ids, PAD_ID), padded(nouns, NO_TARGET)


def padded(rows: list[list[int]], value: int) -> Tensor:
    return nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True, padding_value=value)


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


if __name__ == "__main__":
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
