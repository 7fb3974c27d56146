"""What lesson 14 does with the GPT of lesson 13: four tasks, L₃ = L₂ + λ L₁, label words, examples in the prompt.

    gpt = tiny_gpt.pretrained()
    model = fine_tuned(gpt, SENTIMENT, 50, lam=0.5, rate=RATES[0], seed=0)
    accuracy(model, as_runs(SENTIMENT, SENTIMENT.test()))
    forgetting(model.gpt)                                    # the loss on plain text, and what it writes

`python -m course_lib.experiments.gpt_uses` remakes data/gpt_uses_runs.json; its card is data/gpt_uses_runs.md.
Translation as continuation has a file of its own, `number_gpt`.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from functools import cache
from itertools import pairwise
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

from course_lib import gpt_tasks
from course_lib.corpora.batching import pad
from course_lib.corpora.tiny_world import CLS, SEP, World, tiny_world, world_vocabulary
from course_lib.corpora.tiny_world.pair_tasks import ENTAILMENT, SIMILARITY, TWO_ENDINGS, TwoEndings
from course_lib.corpora.tiny_world.tasks import SENTIMENT, Example, Task
from course_lib.corpora.tiny_world.words import BAD, GOOD
from course_lib.corpora.vocabulary import END_ID, PAD_ID, START_ID
from course_lib.decoding import sample
from course_lib.experiments import tiny_gpt
from course_lib.experiments.language_models import text_ids
from course_lib.experiments.stored import command, read_runs
from course_lib.gpt import GPT
from course_lib.gpt_tasks import TaskGPT, TaskMarks, label_word_scores, task_batch, task_batches, task_loss
from course_lib.support.paths import DATA
from course_lib.training import fit, linear_decay, scheduled

STORED = DATA / "gpt_uses_runs.json"
OWN = Path("my_gpt.safetensors")  # in the student's folder: `python -m course_lib.pretrain gpt --out …`
MARKS = TaskMarks(START_ID, *world_vocabulary().encode([SEP, CLS]))  # the last two the GPT of lesson 13 has never read
RATES = (2e-3, 5e-4)  # of AdamW: what pretraining had, and a quarter of it, as the paper's own two
LAMBDAS = (0.0, 0.25, 0.5, 1.0)
STEPS, SIZE = 80, 16
SEEDS = range(3)


def own_or_shipped() -> GPT:
    """The student's own, if there is one in this folder, else the course's."""
    return tiny_gpt.pretrained(OWN) if OWN.exists() else tiny_gpt.pretrained()


# --- four tasks, one model --------------------------------------------------------------------------------------------


def as_runs(task: Task, examples: Sequence[Example | TwoEndings], one_order: bool = False) -> list[gpt_tasks.Example]:
    """Each example as GPT reads it, with its answer. one_order: similarity as one run instead of two."""
    return [(_runs(task, example, one_order), example.answer) for example in examples]


def _runs(task: Task, example: Example | TwoEndings, one_order: bool) -> list[list[int]]:
    first = _ids(example.first)
    if task is TWO_ENDINGS:
        return gpt_tasks.multiple_choice(first, [_ids(ending) for ending in example.endings], MARKS)
    if not example.second:
        return gpt_tasks.classification(first, MARKS)
    form = gpt_tasks.similarity if task is SIMILARITY and not one_order else gpt_tasks.entailment
    return form(first, _ids(example.second), MARKS)


def _ids(text: str) -> list[int]:
    return world_vocabulary().encode(text.split())


def fine_tuned(
    gpt: GPT,
    task: Task,
    count: int,
    lam: float = 0.5,
    rate: float = RATES[1],
    seed: int = 0,
    *,
    steps: int = STEPS,
    plain: Sequence[Sequence[int]] | None = None,
    one_order: bool = False,
    head_only: bool = False,
    loss: Callable[..., Tensor] = task_loss,
    **options,
) -> TaskGPT:
    """A copy of `gpt`, fine-tuned on `count` labelled examples, with a head of its own.

    plain: texts for L₁ in place of the task's. head_only: W_y moves, and nothing that was pretrained.
    loss: of (model, batch, lam, plain ids or None). options: of `fit`.
    """
    torch.manual_seed(seed)
    model = TaskGPT(deepcopy(gpt), 1 if task is TWO_ENDINGS else len(task.labels))
    model.gpt.requires_grad_(not head_only)
    batches = task_batches(as_runs(task, task.train(count, seed), one_order), SIZE, seed)
    others = text_ids(plain, SIZE, seed) if plain is not None else None
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], rate, weight_decay=0.01)
    schedule = scheduled(optimizer, lambda step: linear_decay(step, steps, warmup=min(10, steps)))
    options = {"clip": 1.0, "seed": seed, "progress": False} | options
    fit(
        model,
        batches,
        lambda batch: loss(model, batch, lam, others and next(others)),
        steps,
        optimizer,
        schedule,
        **options,
    )
    return model


@torch.no_grad()
def logits_of(model: TaskGPT, examples: Sequence[gpt_tasks.Example], size: int = 100) -> Tensor:
    """(example, class)."""
    return torch.cat([model(task_batch(examples[i : i + size])) for i in range(0, len(examples), size)])


def accuracy(model: TaskGPT, examples: Sequence[gpt_tasks.Example]) -> float:
    return share_right(logits_of(model, examples), examples)


def share_right(logits: Tensor, examples: Sequence) -> float:
    labels = torch.tensor([example[-1] for example in examples])
    return (logits.argmax(-1) == labels).float().mean().item()


# --- what is forgotten ------------------------------------------------------------------------------------------------


@torch.no_grad()
def word_loss(gpt: GPT, texts: Sequence[str], size: int = 100) -> float:
    """Nats for each word, the end mark not counted: fine-tuning puts another one there."""
    total, count = 0.0, 0
    for i in range(0, len(texts), size):
        ids, _ = pad([[START_ID, *_ids(text)] for text in sorted(texts, key=len)[i : i + size]])
        wanted = ids[:, 1:]
        kept = wanted != PAD_ID
        logits, _ = gpt(ids[:, :-1])
        total += F.cross_entropy(logits[kept], wanted[kept], reduction="sum").item()
        count += int(kept.sum())
    return total / count


@cache
def _world(seed: int = 0) -> World:
    return tiny_world(seed, probes=1)


@cache
def plain_text(count: int = 300, seed: int = 0) -> tuple[str, ...]:
    """Held-out text of the world about anything but reviews."""
    return tuple(paragraph.text for paragraph in _world(seed).held_out_text if paragraph.scene != "review")[:count]


def is_review(example: TwoEndings) -> bool:
    """Whether a story with two endings is a review; else somebody is in one of two rooms."""
    return " i " in example.first


@cache
def reviews(count: int = 200) -> tuple[str, ...]:
    return tuple(example.first for example in SENTIMENT.test(count))


@cache
def known_pairs(seed: int = 0) -> frozenset[tuple[str, str]]:
    """All pairs of neighbouring words in the text to pretrain on."""
    return frozenset(pair for paragraph in _world(seed).train for pair in pairwise(paragraph.text.split()))


@torch.no_grad()
def written(gpt: GPT, count: int = 60, seed: int = 0, temperature: float = 0.8, longest: int = 30) -> list[str]:
    """So many texts as the model writes them from nothing, up to their end or to any mark."""
    start = torch.full((count, 1), START_ID)
    generator = torch.Generator().manual_seed(seed)
    found = sample(gpt.next_token(), start, END_ID, longest, temperature=temperature, generator=generator)
    texts = []
    for each in found:
        words = world_vocabulary().decode(each.ids)
        marks = [i for i, word in enumerate(words) if word in world_vocabulary().special_tokens]
        texts.append(" ".join(words[: marks[0] if marks else None]))
    return texts


def forgetting(gpt: GPT) -> dict:
    """Nats a word on plain text and on the task's; of 60 texts it writes, the share that is fluent, and of reviews.

    A text is fluent if no two neighbouring words of it are new to the 25,000 paragraphs of pretraining.
    """
    texts = written(gpt)
    fluent = [bool(text) and known_pairs().issuperset(pairwise(text.split())) for text in texts]
    review = [any(verdict in text.split() for verdict in (*GOOD, *BAD)) for text in texts]
    return {
        "plain": round(word_loss(gpt, plain_text()), 3),
        "task": round(word_loss(gpt, reviews()), 3),
        "fluent": round(sum(fluent) / len(texts), 3),
        "reviews": round(sum(review) / len(texts), 3),
        "written": texts[:4],
    }


# --- without training -------------------------------------------------------------------------------------------------


def by_label_words(gpt: GPT, texts: Sequence[str], words: Sequence[str], prompt: str = "in short , it was") -> Tensor:
    """(text, label): how probable each of these words, or groups of words, is after a text and the prompt."""
    prompts = [[START_ID, *_ids(f"{text} {prompt}")] for text in texts]
    return label_word_scores(gpt, prompts, [_ids(word) for word in words])


def with_examples(
    text: str, examples: Sequence[Example], words: Sequence[str], prompt: str, flipped: bool = False
) -> str:
    """Labelled texts in front of one that is asked for; flipped: each with the other label's word."""
    shown = [f"{each.first} {prompt} {words[each.answer ^ flipped]} ." for each in examples]
    return " ".join([*shown, text])


# --- the stored runs: about ten minutes of one CPU thread -------------------------------------------------------------


def _tests(task: Task, one_order: bool = False) -> list[gpt_tasks.Example]:
    return as_runs(task, task.test(), one_order)


def _lambda() -> Iterator[dict]:
    """Sentiment: what λ and the rate do to the task, to plain text, and to what is written."""
    gpt, tests = tiny_gpt.pretrained(), _tests(SENTIMENT)
    plain = tiny_gpt.encoded(_world().train[:2000])
    yield {"count": 0} | forgetting(gpt)
    settings = [(50, lam, None) for lam in LAMBDAS] + [(50, 0.5, plain)]
    settings += [(count, lam, None) for count in (10, 500) for lam in (0.0, 0.5)]
    for count, lam, texts in settings:
        for rate in RATES:
            for seed in SEEDS:
                model = fine_tuned(gpt, SENTIMENT, count, lam, rate, seed, plain=texts, autocast="bf16")
                run = {"seed": seed, "rate": rate, "count": count, "lambda": lam, "on": "plain" if texts else "task"}
                yield run | {"accuracy": round(accuracy(model, tests), 4)} | forgetting(model.gpt)


def _head() -> Iterator[dict]:
    """Sentiment, W_y alone: what is forgotten is nothing. More steps and a higher rate, for it has two columns only."""
    gpt, tests = tiny_gpt.pretrained(), _tests(SENTIMENT)
    for count in (50, 500):
        for seed in SEEDS:
            model = fine_tuned(gpt, SENTIMENT, count, 0.0, 1e-2, seed, steps=400, head_only=True, autocast="bf16")
            yield {"seed": seed, "count": count, "accuracy": round(accuracy(model, tests), 4)}


FORMS = (("pretrained", 500, 0.0), ("pretrained", 500, 0.5), ("pretrained", 50, 0.0), ("from scratch", 500, 0.0))


def _forms() -> Iterator[dict]:
    """The other three forms, at a quarter of the rate; and a GPT that was never pretrained."""
    for task in (ENTAILMENT, SIMILARITY, TWO_ENDINGS):
        tests = _tests(task)
        for start, count, lam in FORMS:
            for seed in SEEDS:
                gpt = tiny_gpt.pretrained() if start == "pretrained" else tiny_gpt.new_model(seed)
                rate, steps = RATES[start == "pretrained"], STEPS if count == 50 else 2 * STEPS
                model = fine_tuned(gpt, task, count, lam, rate, seed, steps=steps, autocast="bf16")
                run = {"task": task.name, "start": start, "seed": seed, "count": count, "lambda": lam}
                yield run | {"accuracy": round(accuracy(model, tests), 4)}


def _orders() -> Iterator[dict]:
    """Similarity in one order, and in both at equal compute (half the steps); the logits of the first, for a and b
    as they stand and swapped."""
    examples = SIMILARITY.test()
    swapped = [example._replace(first=example.second, second=example.first) for example in examples]
    for seed in SEEDS:
        for one_order in (True, False):
            steps = 2 * STEPS if one_order else STEPS
            model = fine_tuned(tiny_gpt.pretrained(), SIMILARITY, 500, 0.0, RATES[1], seed, steps=steps,
                               one_order=one_order, autocast="bf16")  # fmt: skip
            run = {"seed": seed, "orders": 1 if one_order else 2, "steps": steps}
            for name, asked in (("as they stand", examples), ("swapped", swapped)):
                logits = logits_of(model, as_runs(SIMILARITY, asked, one_order))
                run[name] = [[round(x, 3) for x in row] for row in logits.tolist()]
            yield run


def _endings() -> Iterator[dict]:
    """Two endings, 500 labels, as in `forms`: reviews and rooms, each by itself."""
    asked = TWO_ENDINGS.test()
    for seed in SEEDS:
        model = fine_tuned(tiny_gpt.pretrained(), TWO_ENDINGS, 500, 0.0, RATES[1], seed, steps=2 * STEPS,
                           autocast="bf16")  # fmt: skip
        run = {"seed": seed}
        for review in (True, False):
            some = [each for each in asked if is_review(each) is review]
            run["review" if review else "rooms"] = round(accuracy(model, as_runs(TWO_ENDINGS, some)), 4)
        yield run


SHOTS, ASKED = range(4), 150
IN_FRONT = ("their labels", "wrong labels", "other text")


def _examples() -> Iterator[dict]:
    """So many labelled reviews in front of one, with their labels or with the wrong ones, or as many texts about
    something else: what is answered? at_half: as if "great" were said of every second review."""
    gpt, words, prompt = tiny_gpt.pretrained(), ("terrible", "great"), "it was"
    asked = SENTIMENT.test()[:ASKED]
    others = [text for text in plain_text() if len(text.split()) <= 14]
    for seed in SEEDS:
        short = [each for each in SENTIMENT.train(300, seed) if len(each.first.split()) <= 14]
        for in_front in IN_FRONT:
            run = {"seed": seed, "in front": in_front, "accuracy": [], "great": [], "at_half": [], "longest": []}
            for shots in SHOTS:
                rng = random.Random(f"{seed} {shots}")
                texts = []
                for each in asked:
                    if in_front == "other text":
                        texts.append(" ".join([*rng.sample(others, shots), each.first]))
                        continue
                    shown = [rng.choice([e for e in short if e.answer == i % 2]) for i in range(shots)]
                    flipped = in_front == "wrong labels"
                    texts.append(with_examples(each.first, rng.sample(shown, shots), words, prompt, flipped))
                scores = by_label_words(gpt, texts, words, prompt)
                lead = scores[:, 1] - scores[:, 0]  # of "great"
                shifted = torch.stack([lead.median().expand_as(lead), lead], -1)
                run["accuracy"].append(round(share_right(scores, asked), 4))
                run["great"].append(round((lead > 0).float().mean().item(), 4))
                run["at_half"].append(round(share_right(shifted, asked), 4))
                run["longest"].append(max(len(text.split()) for text in texts) + len(prompt.split()) + 2)
            yield run


SECTIONS = {
    "lambda": _lambda,
    "head": _head,
    "orders": _orders,
    "forms": _forms,
    "endings": _endings,
    "examples": _examples,
}


def stored_runs() -> dict[str, list[dict]]:
    """The runs of data/gpt_uses_runs.json, by section."""
    return read_runs(STORED)


if __name__ == "__main__":
    command("Fine-tune lesson 13's GPT and keep what was measured.", STORED, SECTIONS)
