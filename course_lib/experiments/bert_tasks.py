"""Lesson 12's experiments: a small BERT is fine-tuned on tasks of the tiny world, and one on the languages of dates.

    examples = marked(SENTIMENT.train(50, seed=0))              # bert_heads.Example: ids with marks, segments, label
    model = with_head(SENTIMENT, tiny_bert.pretrained())        # a Classifier, Tagger or SpanReader
    fine_tune(model, examples)                                  # two seconds of one CPU core
    score(model, marked(SENTIMENT.test(200)))                   # 0.98: accuracy; of a tagger F1, of spans exact match

WAYS: "frozen" trains the new layer alone, "tuned" everything, "scratch" everything from random numbers. All see the
same labels, for as many steps. CONTROLS: frozen, but read elsewhere, or never pretrained.

`python -m course_lib.experiments.bert_tasks` remakes data/bert_tasks_runs.json; its card is data/bert_tasks_runs.md.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from pathlib import Path

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from course_lib.bert import Bert
from course_lib.bert_heads import (
    Classifier,
    Example,
    LabelledBatch,
    SpanReader,
    Tagger,
    answer_places,
    best_span,
    collate,
    labelled_batches,
    tags_on_pieces,
)
from course_lib.corpora.batching import IGNORE_INDEX, pad
from course_lib.corpora.cloze import pair_input
from course_lib.corpora.tiny_world import CLS, SEP, tasks, world_vocabulary
from course_lib.corpora.tiny_world.tasks import Task
from course_lib.experiments import dates_bert, tiny_bert
from course_lib.experiments.stored import command, read_runs
from course_lib.masks import length_mask
from course_lib.support.paths import DATA
from course_lib.training import fit, linear_decay, scheduled

STORED = DATA / "bert_tasks_runs.json"
OWN = Path("my_bert.safetensors")  # in the student's folder: `python -m course_lib.pretrain bert --out …`
WAYS = ("frozen", "tuned", "scratch")
# Never pretrained but frozen; and the mean of all T_i read in place of C.
CONTROLS = ("frozen, mean", "frozen, random", "frozen, random, mean", "scratch, mean")
RATES = {"frozen": 1e-1, "tuned": 1e-3, "apart": 1e-3, "apart, (u, v)": 1e-3, "scratch": 1e-3}  # AdamW's highest
DATE_RATES = {"frozen": 1e-1, "tuned": 2e-3, "scratch": 2e-3}  # a smaller model
STEPS, BATCH_SIZE = 100, 16
COUNTS, SEEDS = (10, 50, 100, 500), range(5)
TEST = 200


def pretrained() -> tuple[Bert, str]:
    """The student's own BERT where there is one, else the course's; and whose it is."""
    return (tiny_bert.pretrained(OWN), "yours") if OWN.exists() else (tiny_bert.pretrained(), "the course's")


# --- from words to what a head takes ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reader:
    """What may be fine-tuned: how it reads a text as tokens, and its BERTs, pretrained and new."""

    vocabulary: Callable[[], dict[str, int]]
    tokens: Callable[[str], list[str]]
    pretrained: Callable[[], Bert]
    new_model: Callable[[int], Bert]


WORLD = Reader(lambda: world_vocabulary().ids, str.split, tiny_bert.pretrained, tiny_bert.new_model)
DATES = Reader(
    lambda: dates_bert.tokenizer().vocab,
    lambda text: dates_bert.tokenizer().tokens(text),
    dates_bert.pretrained,
    dates_bert.new_model,
)


def marked(examples: Sequence[tasks.Example], reader: Reader = WORLD) -> list[Example]:
    """[CLS] A [SEP] or [CLS] A [SEP] B [SEP] as ids; tags and spans move to where their words now stand.

    A span's words are tokens by themselves.
    """
    return [_marked(reader, *example) for example in examples]


def _marked(reader: Reader, first: str, second: str, answer) -> Example:
    vocabulary, a, b = reader.vocabulary(), reader.tokens(first), reader.tokens(second)
    sides = ([vocabulary[piece] for piece in side] for side in (a, b))
    ids, segments = pair_input(*sides, vocabulary[CLS], vocabulary[SEP])
    if isinstance(answer, tuple):
        answer = tuple(place + len(a) + 2 for place in answer) if b else tags_on_pieces([CLS, *a, SEP], answer)
    return Example(ids, segments, answer)


def with_head(task: Task, bert: Bert, seed: int = 0, mean: bool = False) -> nn.Module:
    """The head that this task needs, plugged into this BERT. mean: a class is read from the mean of all states."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        if task.classes:
            return (MeanClassifier if mean else Classifier)(bert, len(task.labels))
        return Tagger(bert, len(task.labels)) if task.labels else SpanReader(bert)


class MeanClassifier(Classifier):
    """The same, but it reads the mean of all places' states in place of C: what a frozen BERT has to say of a text
    need not stand at [CLS], which was never asked for it."""

    def forward(self, ids, segments=None, mask=None):
        states = self.states(ids, segments, mask)  # (batch, n, h)
        real = torch.ones_like(ids)[..., None] if mask is None else mask.view(*ids.shape, 1)
        return self.head((states * real).sum(1) / real.sum(1))


class Apart(nn.Module):
    """A pair of which each text is read alone, by the same BERT; only then are the two pooled vectors compared.

    The new layer reads (u, v, |u − v|), as Sentence-BERT (Reimers and Gurevych 2019); without `difference` (u, v).
    """

    def __init__(self, bert: Bert, num_classes: int, difference: bool = True):
        super().__init__()
        self.difference = difference
        self.bert, self.head = bert, nn.Linear((2 + difference) * bert.config.d_model, num_classes)
        nn.init.normal_(self.head.weight, std=0.02)
        nn.init.zeros_(self.head.bias)

    def forward(self, batch: LabelledBatch) -> Float[Tensor, "batch classes"]:
        u, v = (self.vector(batch.ids, batch.segments == side, batch.lengths) for side in (0, 1))
        return self.head(torch.cat([u, v, (u - v).abs()] if self.difference else [u, v], -1))

    def vector(self, ids: Tensor, of_text: Tensor, lengths: Tensor) -> Float[Tensor, "batch d_model"]:
        """[CLS] text [SEP] for itself, and what BERT makes of its [CLS]."""
        within = torch.arange(ids.shape[1]) < lengths[:, None]
        rows = [row[keep].tolist() for row, keep in zip(ids, of_text & within, strict=True)]
        rows = [row if row[0] == tiny_bert.marks().cls else [tiny_bert.marks().cls, *row] for row in rows]
        alone, lengths = pad(rows)
        states, _ = self.bert.encode(alone, mask=length_mask(lengths, alone.shape[1]))
        return self.bert.pooled(states[:, 0])

    def loss(self, batch: LabelledBatch) -> Float[Tensor, ""]:
        return F.cross_entropy(self(batch), batch.labels)


# --- training and measuring -------------------------------------------------------------------------------------------


def fine_tune(
    model: nn.Module,
    examples: Sequence[Example],
    steps: int = STEPS,
    rate: float = RATES["tuned"],
    size: int = BATCH_SIZE,
    seed: int = 0,
    loss: Callable[[LabelledBatch], Tensor] | None = None,
    **options,
) -> list[float]:
    """AdamW on whatever isn't frozen; the rate rises for a tenth of the steps, then falls in a line, as the paper's.

    Each step's loss: the model's own unless another is given. options: what else `fit` takes.
    """
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(trained, rate, weight_decay=0.01, fused=True)
    schedule = scheduled(optimizer, lambda step: linear_decay(step, steps, warmup=steps // 10))
    batches = labelled_batches(examples, size, seed)
    return fit(model, batches, loss or model.loss, steps, optimizer, schedule, clip=1.0, seed=seed, **options)


@torch.no_grad()
def score(model: nn.Module, examples: Sequence[Example]) -> float:
    """The share of classes, or of whole spans, that are right; of tags F1: of precision and recall of all but the first
    tag, "O"."""
    model.eval()
    right = found = there = 0
    for start in range(0, len(examples), 100):
        batch = collate(examples[start : start + 100])
        if isinstance(model, Apart):
            right += int((model(batch).argmax(-1) == batch.labels).sum())
            continue
        output = model(batch.ids, batch.segments, batch.mask)
        if isinstance(model, SpanReader):
            span = torch.stack(best_span(*output, answer_places(batch.segments, batch.lengths)), 1)
            right += int((span == batch.labels).all(1).sum())
        elif isinstance(model, Tagger):
            said, asked = output.argmax(-1), batch.labels != IGNORE_INDEX
            right += int(((said == batch.labels) & (batch.labels > 0)).sum())
            found += int(((said > 0) & asked).sum())
            there += int((batch.labels > 0).sum())
        else:
            right += int((output.argmax(-1) == batch.labels).sum())
    return 2 * right / max(1, found + there) if isinstance(model, Tagger) else right / len(examples)


def in_one_way(task: Task, way: str, count: int, seed: int, reader: Reader = WORLD, **options) -> float:
    """The score on the test of one of WAYS or CONTROLS, or of "apart", with so many labels."""
    bert = reader.new_model(seed) if way.startswith("scratch") or "random" in way else reader.pretrained()
    if way.startswith("apart"):
        model = Apart(bert, len(task.labels), difference=way == "apart")
    else:
        model = with_head(task, bert, seed, mean="mean" in way)
    if way.startswith("frozen"):
        model.freeze()
    rates = RATES if reader is WORLD else DATE_RATES
    options = {"rate": rates.get(way) or rates[way.split(",")[0]], "autocast": "bf16", "progress": False} | options
    fine_tune(model, marked(task.train(count, seed), reader), seed=seed, **options)
    return round(score(model, _test(task, reader)), 4)


def list_f1(count: int, seed: int) -> float:
    """The score of a list on TAGS, without a model: a word has the tag that a labelled sentence gave it, else "O"."""
    known = {
        word: tag
        for text, _, tags in tasks.TAGS.train(count, seed)
        for word, tag in zip(text.split(), tags, strict=True)
    }
    right = found = there = 0
    for text, _, tags in tasks.TAGS.test(TEST):
        for word, tag in zip(text.split(), tags, strict=True):
            said = known.get(word, 0)
            right, found, there = right + (said == tag > 0), found + (said > 0), there + (tag > 0)
    return 2 * right / (found + there)


@cache
def _test(task: Task, reader: Reader) -> list[Example]:
    return marked(task.test(TEST), reader)


# --- the stored runs: about twenty minutes of one CPU thread ------------------------------------------------------


def _curve(task: Task, ways: Sequence[str] = WAYS, reader: Reader = WORLD, counts: Sequence[int] = COUNTS):
    """A row for each number of labels and each seed, which chooses labels, new numbers and the order of the batches."""
    for count, seed in product(counts, SEEDS):
        yield {"labels": count, "seed": seed} | {way: in_one_way(task, way, count, seed, reader) for way in ways}


def _together() -> Iterator[dict]:
    """Pair tasks, each pair read together or apart: one word to compare, three in any order, and who is where."""
    for task, count, steps, ways in (
        (tasks.VERDICT, 500, 100, ("tuned", "apart", "apart, (u, v)")),
        (tasks.ROOM, 500, 200, ("tuned", "apart", "apart, (u, v)")),
        (tasks.SAME_THINGS, 1000, 200, ("tuned", "apart")),
        (tasks.WHEREABOUTS, 1000, 200, ("tuned", "apart")),
    ):
        for seed in range(3):
            scores = {way: in_one_way(task, way, count, seed, steps=steps) for way in ways}
            yield {"task": task.name, "labels": count, "steps": steps, "seed": seed} | scores


def _rates() -> Iterator[dict]:
    """The paper's batches and rates, and larger rates: sentiment with 50 labels, verdict with 500."""
    tried = [(tasks.SENTIMENT, 50, 16, rate) for rate in (2e-5, 5e-5, 3e-4, 1e-3, 3e-3)]
    tried += [(tasks.SENTIMENT, 50, 32, rate) for rate in (5e-5, 1e-3)]
    tried += [(tasks.VERDICT, 500, 16, rate) for rate in (5e-5, 3e-4, 1e-3, 3e-3)]
    for (task, count, size, rate), seed in product(tried, range(3)):
        accuracy = in_one_way(task, "tuned", count, seed, size=size, rate=rate)
        yield {"task": task.name, "labels": count, "size": size, "rate": rate, "seed": seed, "accuracy": accuracy}


def _controls() -> Iterator[dict]:
    """Is it pretraining that helps the frozen model? Is it C that holds it back?"""
    of_classes = [(tasks.SENTIMENT, WORLD), (dates_bert.LANGUAGE, DATES)]
    for task, reader in [*of_classes, (tasks.VERDICT, WORLD), (tasks.TAGS, WORLD), (tasks.SPANS, WORLD)]:
        ways = CONTROLS if (task, reader) in of_classes else ("frozen, random",)
        yield from ({"task": task.name} | row for row in _curve(task, ways, reader))


def _longer() -> Iterator[dict]:
    """Is it only that scratch needs more steps? Four times as many, with 500 labels."""
    for task, seed in product((tasks.VERDICT, tasks.TAGS), range(3)):
        yield {"task": task.name, "labels": 500, "steps": 400, "seed": seed} | {
            "scratch": in_one_way(task, "scratch", 500, seed, steps=400)
        }


SECTIONS = {
    "sentiment": partial(_curve, tasks.SENTIMENT),
    "verdict": partial(_curve, tasks.VERDICT),
    "tags": partial(_curve, tasks.TAGS),
    "spans": partial(_curve, tasks.SPANS),
    "language": partial(_curve, dates_bert.LANGUAGE, WAYS, DATES),
    "controls": _controls,
    "together": _together,
    "rates": _rates,
    "longer": _longer,
}


def stored_runs() -> dict[str, list[dict]]:
    """The runs of data/bert_tasks_runs.json, by section."""
    return read_runs(STORED)


if __name__ == "__main__":
    command("Fine-tune the small BERTs of lesson 12 and keep what was measured.", STORED, SECTIONS)
