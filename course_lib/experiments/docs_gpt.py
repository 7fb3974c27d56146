"""A small GPT that reads ordinary English, Python's language reference: bits for each byte, and how it goes in circles.

`python -m course_lib.experiments.docs_gpt` remakes data/docs_gpt_runs.json; its card is data/docs_gpt_runs.md.
"""

import lzma
import math
import zlib
from collections.abc import Iterator, Sequence
from functools import cache
from time import process_time

import torch
import torch.nn.functional as F
from torch import Tensor

from course_lib import decoding
from course_lib.corpora import python_docs
from course_lib.corpora.packing import block_batches, blocks
from course_lib.experiments.language_models import Trigram, small_gpt, train
from course_lib.experiments.stored import command, read_runs
from course_lib.gpt import GPT
from course_lib.support.paths import DATA
from course_lib.tokenizers import BPETokenizer

STORED = DATA / "docs_gpt_runs.json"
SEEDS = range(3)
VOCAB, BLOCK, SIZE, STEPS = 1024, 128, 16, 450
PROMPT = 8  # tokens; then the model writes up to BLOCK
ROUNDS = 8  # that a phrase is said
WAYS = {  # to choose the next token
    "greedy": None,
    "temperature 0.5": {"temperature": 0.5},
    "temperature 1": {},
    "top-k 40": {"top_k": 40},
    "top-p 0.9": {"top_p": 0.9},
    "greedy, penalty 1.2": {"top_k": 1, "repetition": 1.2},
}


@cache
def split() -> tuple[str, str]:
    """(to train on, held out): every twentieth paragraph of the reference is held out."""
    paragraphs = [part for part in python_docs.topics().split("\n\n") if part.strip()]
    held_out = paragraphs[10::20]
    return "\n\n".join(part for i, part in enumerate(paragraphs) if i % 20 != 10), "\n\n".join(held_out)


@cache
def tokenizer() -> BPETokenizer:
    return BPETokenizer.train(split()[0], VOCAB)


def in_blocks(text: str) -> Tensor:
    """(block, BLOCK + 1) ids, cut as the text comes."""
    return blocks([tokenizer().encode(text)], BLOCK, end=0)


def loss_of(logits: Tensor, ids: Tensor, pad_id: int | None = None) -> Tensor:
    """Nats for each token; there is no padding in blocks."""
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten())


@torch.no_grad()
def bits_per_byte(model, text: str) -> dict[str, float]:
    """Of a text: nats for each token, and bits for each byte."""
    ids = in_blocks(text)
    nats = sum(loss_of(model(part)[0], part).item() * len(part) for part in ids.split(16)) / len(ids)
    read = tokenizer().decode(ids[:, 1:].flatten().tolist())
    return {
        "nats": round(nats, 4),
        "bits_per_byte": round(nats * ids[:, 1:].numel() / math.log(2) / len(read.encode()), 4),
    }


def packers() -> dict[str, float]:
    """Bits that gzip's and xz's algorithms need for each byte of the held-out text, after the text to train on."""
    known, new = (text.encode() for text in split())
    sizes = {"gzip": lambda data: len(zlib.compress(data, 9)), "xz": lambda data: len(lzma.compress(data, preset=9))}
    return {name: round(8 * (size(known + new) - size(known)) / len(new), 4) for name, size in sizes.items()}


def prompts() -> Tensor:
    """(prompt, PROMPT) ids: how held-out blocks begin."""
    return in_blocks(split()[1])[:40, :PROMPT]


def write(model: GPT, way: str, seed: int = 0) -> list[decoding.Decoded]:
    """What the model makes of each prompt, chosen in one of WAYS."""
    start, count = prompts(), BLOCK - PROMPT
    if WAYS[way] is None:
        return decoding.greedy(model.next_token(), start, None, count)
    return decoding.sample(
        model.next_token(), start, None, count, generator=torch.Generator().manual_seed(seed), **WAYS[way]
    )


def repeated(ids: Sequence[int], n: int = 4) -> float:
    """The share of n-grams that stood there before: 0 where all are new, near 1 in a circle."""
    grams = list(zip(*(ids[i:] for i in range(n)), strict=False))
    return 1 - len(set(grams)) / len(grams)


@torch.no_grad()
def chosen_probability(model: GPT, texts: Sequence[Sequence[int]]) -> list[float]:
    """The mean probability of the token that stands there, by tenths of the text written."""
    ids = torch.cat([prompts(), torch.tensor(texts)], 1)
    p = model(ids[:, :-1])[0].softmax(-1).gather(-1, ids[:, 1:, None])[:, PROMPT - 1 :, 0]
    return [round(part.mean().item(), 4) for part in p.tensor_split(10, dim=1)]


def held_out_phrases(length: int = 12) -> list[list[int]]:
    return in_blocks(split()[1])[:, 20 : 20 + length].tolist()


def circles(texts: Sequence[Sequence[int]], longest: int = BLOCK // ROUNDS) -> list[list[int]]:
    """The phrase that a text says again and again at its end: the shortest that stands there three times in a row."""
    found = []
    for text in map(list, texts):
        lengths = (n for n in range(2, longest + 1) if text[-n:] == text[-2 * n : -n] == text[-3 * n : -2 * n])
        if length := next(lengths, None):
            found.append(text[-length:])
    return found


@torch.no_grad()
def said_again(model: GPT, phrases: Sequence[Sequence[int]]) -> list[float]:
    """Each phrase said ROUNDS times in a row: the mean probability of its tokens but the first, round by round."""
    rows = []
    for phrase in phrases:
        ids = torch.tensor([[*phrase] * ROUNDS])
        p = model(ids[:, :-1])[0].softmax(-1).gather(-1, ids[:, 1:, None]).flatten()
        p = torch.cat([p.new_zeros(1), p]).view(ROUNDS, len(phrase))  # the very first token is a given
        rows.append(p[:, 1:].mean(1))
    return [round(x, 4) for x in torch.stack(rows).mean(0).tolist()]


def _runs() -> Iterator[dict]:
    known, new = split()
    yield {"model": "packers", "train_bytes": len(known.encode()), "held_out_bytes": len(new.encode())} | packers()
    start = process_time()
    trigram = Trigram(in_blocks(known).tolist(), VOCAB)
    seconds = round(process_time() - start, 1)
    yield {"model": "trigram", "cpu_seconds": seconds} | bits_per_byte(trigram, new)
    real = in_blocks(new)[:40, PROMPT:BLOCK].tolist()
    for seed in SEEDS:
        model = small_gpt(VOCAB, seed, max_len=BLOCK + 1)
        start = process_time()
        stream = (
            torch.cat([rows.inputs, rows.targets[:, -1:]], 1) for rows in block_batches(in_blocks(known), SIZE, seed)
        )
        train(model, stream, STEPS, seed=seed, autocast="bf16", loss=loss_of, progress=False)
        run = {"model": "GPT", "seed": seed, "steps": STEPS, "cpu_seconds": round(process_time() - start, 1)}
        run |= bits_per_byte(model, new)
        ways = {"the reference itself": real} | {way: [text.ids for text in write(model, way, seed)] for way in WAYS}
        own = circles(ways["greedy"])
        run |= {"said_again": said_again(model, held_out_phrases()), "circles": len(own)}
        run["circle_again"] = said_again(model, own)
        run["written"] = {
            way: {
                "repeated": round(sum(map(repeated, texts)) / len(texts), 4),
                "probability": chosen_probability(model, texts),
                "example": tokenizer().decode([*prompts()[3].tolist(), *texts[3]]),
            }
            for way, texts in ways.items()
        }
        yield run


def stored_runs() -> list[dict]:
    """The runs of data/docs_gpt_runs.json."""
    return read_runs(STORED)["docs"]


if __name__ == "__main__":
    command("Train lesson 13's GPT on Python's language reference.", STORED, {"docs": _runs})
