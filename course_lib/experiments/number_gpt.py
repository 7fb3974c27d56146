"""A GPT that translates because its text goes on in another language: "vingt deux <ENG> twenty two".

    model = new_model(seed=0)
    train(model, 600, seed=0)
    continued(model, "vingt deux , quatre <ENG>")              # 'twenty two , four'
    exact(model, "fr", "en")                                   # the share of held-out lists that are right, whole

There is no task in the model, no second network and no other loss than the next word's: a word of the prompt says which
language comes. Johnson et al. (2017) did so with an encoder and a decoder, and asked for a pair of languages that these
had never been trained on; one direction is kept from the training here as well.
"""

import random
from collections.abc import Iterator, Sequence
from functools import cache

import torch

from course_lib.checkpoints import load_model, save_model
from course_lib.corpora.parallel import Pair, number_lists
from course_lib.corpora.vocabulary import END_ID, START_ID, Vocabulary
from course_lib.decoding import greedy
from course_lib.experiments import language_models
from course_lib.experiments.language_models import small_gpt, text_ids
from course_lib.experiments.stored import Watch, command, read_runs
from course_lib.gpt import GPT, GPTConfig
from course_lib.support.paths import DATA

STORED, CHECKPOINT = DATA / "number_gpt_runs.json", DATA / "number_gpt.safetensors"
ASK = {"en": "<ENG>", "fr": "<FRA>", "de": "<DEU>"}  # what stands between the two texts
NEVER = ("de", "fr")  # the direction that no training text has
TRAINED = tuple((a, b) for a in ASK for b in ASK if a != b and (a, b) != NEVER)
LONGEST, SIZE = 3, 64
SIZES = dict(d_model=96, num_heads=4, d_ff=384, num_layers=3, max_len=64)


@cache
def lists(source: str, target: str) -> tuple[list[Pair], list[Pair]]:
    """To train on and to test with: lists of one to three numbers below 100. No list stands in both."""
    corpus = number_lists(source, target, longest=LONGEST, count=8000, test_longest=LONGEST, test_each=100)
    return corpus.train, corpus.test


def told(pair: Pair, target: str) -> list[str]:
    """One text: the source, the mark, the target."""
    return [*pair.source, ASK[target], *pair.target]


@cache
def vocabulary() -> Vocabulary:
    """The words of all three languages together. Some are said in more than one: "six"."""
    words = {word for a, b in TRAINED for pair in lists(a, b)[0] for word in pair.source + pair.target}
    return Vocabulary([*ASK.values(), *sorted(words)])


def new_model(seed: int = 0) -> GPT:
    return small_gpt(len(vocabulary()), seed, **SIZES)


def train(model: GPT, steps: int, *, seed: int = 0, **options) -> list[float]:
    texts = [vocabulary().encode(told(pair, target)) for source, target in TRAINED for pair in lists(source, target)[0]]
    random.Random(seed).shuffle(texts)
    return language_models.train(model, text_ids(texts, SIZE, seed), steps, seed=seed, **options)


def continued(model: GPT, text: str) -> str:
    """What the model writes after this text, the likeliest word each time."""
    return _continued(model, [vocabulary().encode(text.split())])[0]


def _continued(model: GPT, prompts: Sequence[list[int]]) -> list[str]:
    """Prompts of one length."""
    start = torch.tensor([[START_ID, *prompt] for prompt in prompts])
    return [" ".join(vocabulary().decode(each.ids)) for each in greedy(model.next_token(), start, END_ID, 24)]


def exact(model: GPT, source: str, target: str) -> float:
    """The share of held-out lists that are translated without any mistake."""
    by_length: dict[int, list[Pair]] = {}
    for pair in lists(source, target)[1]:
        by_length.setdefault(len(pair.source), []).append(pair)
    right = total = 0
    for pairs in by_length.values():
        said = _continued(model, [vocabulary().encode([*pair.source, ASK[target]]) for pair in pairs])
        right += sum(text == " ".join(pair.target) for text, pair in zip(said, pairs, strict=True))
        total += len(pairs)
    return right / total


# --- the stored runs: about two minutes of one CPU thread -------------------------------------------------------------

SEEDS, STEPS, MEASURED = range(3), 600, (100, 200, 300, 400, 600)


def pretrained() -> GPT:
    """The one of seed 0; data/number_gpt.md is its card."""
    return load_model(CHECKPOINT, lambda config: GPT(GPTConfig(**config)))


def measured(model: GPT) -> dict:
    """For each direction the share of held-out lists that are right, the one never trained among them."""
    return {"exact": {f"{a} {b}": round(exact(model, a, b), 4) for a in ASK for b in ASK if a != b}}


def _runs() -> Iterator[dict]:
    for seed in SEEDS:
        model = new_model(seed)
        watch = Watch(MEASURED, lambda model=model: measured(model))
        train(model, STEPS, seed=seed, autocast="bf16", between=watch, progress=False)
        if seed == 0:
            save_model(model, CHECKPOINT)
        yield {"seed": seed, "parameters": sum(p.numel() for p in model.parameters()), "history": watch.rows}


def stored_runs() -> list[dict]:
    """The runs of data/number_gpt_runs.json, one a seed."""
    return read_runs(STORED)["GPT"]


if __name__ == "__main__":
    command("Train the GPT that translates, and keep what was measured.", STORED, {"GPT": _runs})
