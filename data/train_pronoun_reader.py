"""Remake data/pronoun_reader.safetensors: `python data/train_pronoun_reader.py`. A few minutes on one CPU thread.

Half of each batch hides 15 % of its words and asks for them; the other half asks at each *it* for the noun it stands
for (for 'it' itself where it stands for nothing). Nothing tells a head where to look.
"""

import argparse
import random
import time
from collections import defaultdict

import torch
import torch.nn.functional as F
from torch import Tensor
from tqdm import tqdm

from course_lib.corpora.pronouns import Sentence, minimal_pairs, sentences, vocabulary
from course_lib.pronoun_reader import CHECKPOINT, MASK_ID, PAD_ID, PronounReader, ReaderConfig

NO_TARGET = -100  # what cross_entropy leaves out


def train(seed: int = 0, steps: int = 8000, batch: int = 64, lr: float = 4e-3, num_sentences: int = 40_000) -> PronounReader:
    torch.manual_seed(seed)
    reader = PronounReader(ReaderConfig(vocabulary()))
    for embedding in (reader.word, reader.position):
        torch.nn.init.normal_(embedding.weight, std=reader.config.d_model**-0.5)
    ids, nouns = _texts(reader, seed, num_sentences)
    decayed = [p for p in reader.parameters() if p.dim() > 1]
    rest = [p for p in reader.parameters() if p.dim() == 1]
    optimiser = torch.optim.AdamW([{"params": decayed}, {"params": rest, "weight_decay": 0.0}], lr, (0.9, 0.98),
                                  weight_decay=0.1)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, lr, steps, pct_start=0.1)
    for _ in (bar := tqdm(range(steps), desc=f"seed {seed}")):
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
        torch.nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        bar.set_postfix(loss=f"{loss.item():.2f}", refresh=False)
    return reader.eval().requires_grad_(False)


def _texts(reader: PronounReader, seed: int, count: int) -> tuple[Tensor, Tensor]:
    """One sentence a row, or two where they fit; and at each *it* the noun it stands for."""
    rng, drawn = random.Random(seed), iter(sentences(seed, count))
    ids, nouns = [], []
    held: Sentence | None = None
    for sentence in drawn:
        texts = [sentence]
        if held:
            texts, held = [held, sentence], None
        elif rng.random() < 0.15:
            held = sentence
            continue
        if sum(len(t.tokens) for t in texts) > reader.config.max_len:
            texts = texts[:1]
        ids.append([i for t in texts for i in reader.encode(t.tokens).tolist()])
        nouns.append([reader.ids[t.answer or "it"] if i == t.it else NO_TARGET for t in texts for i in range(len(t.tokens))])
    return _padded(ids, PAD_ID), _padded(nouns, NO_TARGET)


def _padded(rows: list[list[int]], value: int) -> Tensor:
    return torch.nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True, padding_value=value)


def measure(reader: PronounReader, seed: int = 1) -> dict:
    """On sentences whose nouns training never saw together: accuracy, and what each head looks at."""
    right = defaultdict(list)
    looks = defaultdict(list)
    for s in sentences(seed, 1500, "test"):
        if s.antecedent is None:
            continue
        logits, weights = reader(reader.encode(s.tokens)[None], need_weights=True)
        w = weights[0]  # (layer, head, query, key)
        right[s.frame].append(reader.vocabulary[logits[0, s.it].argmax()] == s.answer)
        looks["it -> antecedent"].append(w[:, :, s.it, s.antecedent])
        looks["previous word"].append(w.diagonal(-1, 2, 3).mean(-1))
        looks["next word"].append(w.diagonal(1, 2, 3).mean(-1))
        looks["itself"].append(w.diagonal(0, 2, 3).mean(-1))
        looks["any candidate"].append(w[..., list(s.candidates)].sum(-1).mean(-1))
        looks["last mark"].append(w[..., -1].mean(-1) if s.tokens[-1] == "." else w[..., -1].mean(-1) * 0)
    flips = []
    for a, b in minimal_pairs(seed, 300):
        wa, wb = reader.attention(a.tokens)[1], reader.attention(b.tokens)[1]
        flips.append((wa[:, :, a.it, a.antecedent] > 0.6) & (wb[:, :, b.it, b.antecedent] > 0.6))
        if len(a.tokens) == len(b.tokens) and a.it == b.it:
            differ = [i for i, (x, y) in enumerate(zip(a.tokens, b.tokens)) if x != y]
            looks["it -> telling words"].append(wa[:, :, a.it, differ].sum(-1))
            looks["nouns -> telling words"].append(wa[:, :, list(a.candidates)][..., differ].sum(-1).mean(-1))
            looks["telling words -> right noun"].append(wa[:, :, differ, a.antecedent].mean(-1))
    return {
        "accuracy": sum(map(sum, right.values())) / sum(map(len, right.values())),
        "by frame": {frame: sum(r) / len(r) for frame, r in sorted(right.items())},
        "flips": torch.stack(flips).float().mean(0),
        **{name: torch.stack(maps).mean(0) for name, maps in looks.items()},
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--out", default=CHECKPOINT)
    parser.add_argument("--dff", type=int, default=256)
    parser.add_argument("--lr", type=float, default=2e-3)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    start = time.process_time()
    reader = train(arguments.seed, arguments.steps, num_layers=arguments.layers, lr=arguments.lr, d_ff=arguments.dff)
    reader.save(arguments.out)
    print(f"{time.process_time() - start:.0f} s of one CPU thread")
    torch.set_printoptions(precision=2, sci_mode=False)
    for name, value in measure(reader).items():
        print(name, value if not isinstance(value, Tensor) else "\n" + str(value))
    for t in ["tired", "wide"]:
        text = f"The animal did not cross the street because it was too {t}."
        tokens, w = reader.attention(text)
        it = tokens.index("it")
        print(t, reader.stands_for(text), "\n animal", w[:, :, it, 1], "\n street", w[:, :, it, 6], "\n tell", w[:, :, it, -2])
