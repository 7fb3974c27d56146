"""The BERT of lesson 11: small, and pretrained on the tiny world in minutes of one CPU core.

    world = tiny_world(seed=0)
    model = new_model(seed=0)
    train(model, as_ids(world.train), seed=0)                # about two minutes of one CPU thread
    fill(model, "the keys near the lamp ___ old .")          # [[("were", 0.55), ("are", 0.44), …]]
    score(world.probes, answers(model))                      # corpora.tiny_world's: {"trivia": 0.9, …}

The paper's model made small: post-norm, learned positions, no dropout, as each text is seen a few times only. Three
things are ours, as the budget is a millionth of the paper's: Muon beside AdamW; 30 % of the places are asked for, not
15 %, but of the four commonest tokens 5 %; and pairs are true ones unless told otherwise.
`python -m course_lib.experiments.tiny_bert` remakes data/tiny_bert_runs.json; its card is data/tiny_bert_runs.md.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import combinations, islice
from pathlib import Path

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.attention import split_heads
from course_lib.bert import Bert, BertConfig, pretraining_loss
from course_lib.checkpoints import load_model
from course_lib.corpora import cloze
from course_lib.corpora.batching import IGNORE_INDEX, pad
from course_lib.corpora.cloze import IS_NEXT, NEGATIVES, NOT_NEXT, BertBatch, Marks, bert_batches, pair_input
from course_lib.corpora.tiny_world import CLS, MASK, SEP, Paragraph, Probe, World, score, tiny_world, world_vocabulary
from course_lib.errors import CourseError
from course_lib.experiments.stored import Watch, command, read_runs
from course_lib.masks import length_mask
from course_lib.support.paths import DATA
from course_lib.training import cosine_decay, fit, muon_and_adamw, scheduled

STORED, CHECKPOINT = DATA / "tiny_bert_runs.json", DATA / "tiny_bert.safetensors"
SIZES = dict(d_model=128, num_heads=4, d_ff=512, num_layers=3, max_len=64, dropout=0.0)
STEPS, BATCH_SIZE, WARMUP = 1800, 64, 30
SHARE, COMMON_SHARE = 0.3, 0.05  # of the places asked for; of the four commonest tokens' places
BLANK = "___"

Texts = Sequence[Sequence[Sequence[int]]]  # paragraphs of sentences of ids


def new_model(seed: int = 0, **changes) -> Bert:
    """Untrained; about 0.7 million parameters. `changes`: other sizes than SIZES."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return Bert(BertConfig(len(world_vocabulary()), **SIZES | changes))


def pretrained(path: str | Path = CHECKPOINT) -> Bert:
    """The one of `python -m course_lib.pretrain bert`, trained longer; data/tiny_bert.md is its card.

    path: another that this command has made. Raises CourseError where there is none.
    """
    return load_model(path, lambda config: Bert(BertConfig(**config)))


@cache
def marks() -> Marks:
    """The world's special tokens: no word of a text, so never masked, and never put in a word's place."""
    vocabulary = world_vocabulary()
    cls, sep, mask = vocabulary.encode([CLS, SEP, MASK])
    others = set(range(len(vocabulary.special_tokens))) - {0, cls, sep, mask}
    return Marks(len(vocabulary), 0, cls, sep, mask, tuple(sorted(others)))


def as_ids(paragraphs: Sequence[Paragraph]) -> Texts:
    """Each paragraph as a list of sentences, each a list of ids."""
    encode = world_vocabulary().encode
    return [[encode(sentence.split()) for sentence in paragraph.sentences] for paragraph in paragraphs]


def places_asked(texts: Texts) -> Float[Tensor, "vocab"]:
    """How often each token is asked for: SHARE, and COMMON_SHARE for the four commonest."""
    sentences = [sentence for paragraph in texts for sentence in paragraph]
    return cloze.shares(sentences, len(world_vocabulary()), SHARE, common_share=COMMON_SHARE)


true_pairs = partial(cloze.next_sentence_pairs, next_share=1.0)


def without_nsp(texts: Texts, rng: random.Random) -> list[cloze.Pair]:
    """Every B is the one that follows A, and nobody is asked whether it does."""
    return [pair._replace(label=IGNORE_INDEX) for pair in true_pairs(texts, rng)]


def next_sentence(texts: Texts, rng: random.Random, negatives: str = NEGATIVES[0], scenes=None) -> list[cloze.Pair]:
    """The paper's pairs, half of them NotNext. Two halves of different paragraphs may be too long: then B is cut."""
    made = cloze.next_sentence_pairs(texts, rng, negatives, scenes)
    return [pair._replace(second=pair.second[: SIZES["max_len"] - len(pair.first) - 3]) for pair in made]


def train(
    model: Bert,
    texts: Texts,
    steps: int = STEPS,
    *,
    pairs: Callable[[Texts, random.Random], list[cloze.Pair]] = without_nsp,
    change: Callable[[BertBatch], BertBatch] | None = None,
    loss: Callable[[Bert, BertBatch], Tensor] = pretraining_loss,
    rate: float = 1.0,
    seed: int = 0,
    stop: int | None = None,
    autocast: str | None = "auto",
    **options,
) -> list[float]:
    """Muon and AdamW, a step for each batch of 64 texts, a cosine from `rate` times their own rates; each step's loss.

    pairs: how texts become pairs, as in `cloze`. change: what happens to each batch before it is learned from.
    loss: of the model and a batch. stop: end after so many steps, with the cosine of them all. options: what else `fit`
    takes.
    """
    optimizer = muon_and_adamw(model)
    schedule = scheduled(optimizer, lambda step: rate * cosine_decay(step, steps, min(WARMUP, steps), lowest=0.05))

    batches = bert_batches(texts, marks(), BATCH_SIZE, seed, places_asked(texts), pairs)
    stream = islice(batches if change is None else map(change, batches), stop)
    return fit(
        model, stream, lambda batch: loss(model, batch), steps, optimizer, schedule,
        clip=1.0, seed=seed, autocast=autocast, **options,
    )  # fmt: skip


def blanks_by(mask_tokens: Callable, texts: Texts, seed: int = 0) -> Callable[[BertBatch], BertBatch]:
    """A `change` for `train`: blanks chosen anew by exercise 11.mask_tokens, at as many places as `train` asks for.

    The exercise chooses where its chance is below 0.15. Where a token is to be asked for twice as often, it gets half
    the chance.
    """
    generator, share = torch.Generator().manual_seed(seed), places_asked(texts)
    special = torch.tensor(marks().special)
    words = torch.tensor([i for i in range(marks().vocab_size) if i not in marks().special])

    def change(batch: BertBatch) -> BertBatch:
        ids = torch.where(batch.labels != IGNORE_INDEX, batch.labels, batch.ids)
        chance = torch.rand(ids.shape, generator=generator) * 0.15 / share[ids]
        die = torch.rand(ids.shape, generator=generator)
        other = words[torch.randint(len(words), ids.shape, generator=generator)]
        blanks, labels = mask_tokens(ids, torch.isin(ids, special), chance, die, other, marks().mask)
        return replace(batch, ids=blanks, labels=labels)

    return change


def all_masked(batch: BertBatch) -> BertBatch:
    """100/0/0 in place of 80/10/10: [MASK] at every place that is asked for."""
    return replace(batch, ids=batch.ids.masked_fill(batch.labels != IGNORE_INDEX, marks().mask))


# --- what it reads ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Read:
    """A text as BERT reads it: [CLS] A [SEP] B [SEP], the last sentence as B. blanks: the places of [MASK]."""

    tokens: list[str]
    ids: list[int]
    segments: list[int]
    blanks: list[int]


def read(text: str) -> Read:
    """A text with or without blanks, ___, as words and marks separated by spaces; small letters are made of large ones.

    Raises CourseError for a word that the world doesn't have, and for more words than the model has positions.
    """
    vocabulary = world_vocabulary()
    for mark in ".,?":
        text = text.replace(mark, f" {mark} ")
    words = [MASK if set(word) == {"_"} else word for word in text.lower().split()]
    ids = vocabulary.encode(words)
    ends = [i + 1 for i, word in enumerate(words[:-1]) if word in (".", "?")]
    cut = ends[-1] if ends else len(ids)
    ids, segments = pair_input(ids[:cut], ids[cut:], marks().cls, marks().sep)
    if len(ids) > SIZES["max_len"]:
        raise CourseError(f"The text has {len(ids)} tokens with its marks; this BERT reads {SIZES['max_len']} at most.")
    blanks = [i for i, id in enumerate(ids) if id == marks().mask]
    return Read([vocabulary.words[i] for i in ids], ids, segments, blanks)


@torch.no_grad()
def fill(model: Bert, text: str, k: int = 5) -> list[list[tuple[str, float]]]:
    """The k likeliest words of each blank, ___, with their probabilities. CourseError where there is no blank."""
    found = read(text)
    if not found.blanks:
        raise CourseError(f"There is no blank in “{text}”. Write {BLANK} for the word that is asked for.")
    output = model(torch.tensor([found.ids]), torch.tensor([found.segments]))
    best = output.mlm[0, found.blanks].softmax(-1).topk(k)
    words = world_vocabulary().words
    return [
        [(words[i], p) for i, p in zip(ids, shares, strict=True)]
        for ids, shares in zip(best.indices.tolist(), best.values.tolist(), strict=True)
    ]


def answers(model: Bert) -> Callable[[list[Probe]], Float[Tensor, "probe vocab"]]:
    """What `tiny_world.score` asks: each word's logit at each probe's blank."""

    @torch.no_grad()
    def predict(probes: list[Probe]) -> Tensor:
        texts = [read(f"{probe.before} {BLANK} {probe.after}") for probe in probes]
        ids, lengths = pad([text.ids for text in texts])
        segments, _ = pad([text.segments for text in texts])
        places = torch.zeros_like(ids, dtype=torch.bool)
        places[range(len(texts)), [text.blanks[0] for text in texts]] = True
        return model(ids, segments, length_mask(lengths, ids.shape[1]), places).mlm

    return predict


@dataclass(frozen=True)
class Look:
    """A text and all attention in it, for pictures: weights, and the queries and keys they come from."""

    tokens: list[str]
    weights: Float[Tensor, "layer head n n"]
    queries: Float[Tensor, "layer head n d_k"]
    keys: Float[Tensor, "layer head n d_k"]


@torch.no_grad()
def look(model: Bert, text: str) -> Look:
    """Every head at work on one text."""
    found, kept = read(text), {}
    hooks = []
    for layer, block in enumerate(model.blocks):
        for name in ("W_Q", "W_K"):
            linear = getattr(block.attention, name)
            hooks.append(linear.register_forward_hook(lambda _, __, out, at=(name, layer): kept.update({at: out})))
    try:
        _, weights = model.encode(torch.tensor([found.ids]), torch.tensor([found.segments]), need_weights=True)
    finally:
        for hook in hooks:
            hook.remove()
    heads, layers = model.config.num_heads, range(model.config.num_layers)
    queries, keys = (
        torch.stack([split_heads(kept[name, i], heads)[0] for i in layers]) for name in ("W_Q", "W_K")
    )  # fmt: skip
    return Look(found.tokens, weights[0], queries, keys)


# --- measuring it -----------------------------------------------------------------------------------------------------


@torch.no_grad()
def still_named(model: Bert, texts: Texts) -> float:
    """Texts without any [MASK]: the share of words that the model's head names where they stand."""
    right = count = 0
    for start in range(0, len(texts), 100):
        joined = ([id for sentence in text for id in sentence] for text in texts[start : start + 100])
        rows = [pair_input(text, [], marks().cls, marks().sep) for text in joined]
        ids, lengths = pad([ids for ids, _ in rows])
        words = ~torch.isin(ids, torch.tensor(marks().special))
        guesses = model(ids, mask=length_mask(lengths, ids.shape[1]), places=words).mlm.argmax(-1)
        right, count = right + int((guesses == ids[words]).sum()), count + int(words.sum())
    return right / count


@torch.no_grad()
def nsp_accuracy(model: Bert, paragraphs: Sequence[Paragraph], negatives: str, seed: int = 0) -> float:
    """Next-sentence prediction: the mean of the share right among true pairs and among wrong ones of this kind."""
    texts, scenes = as_ids(paragraphs), [paragraph.scene for paragraph in paragraphs]
    made = next_sentence(texts, random.Random(seed), negatives, scenes)
    made = [pair for pair in made if pair.label != IGNORE_INDEX]
    right = {IS_NEXT: [], NOT_NEXT: []}
    for start in range(0, len(made), 100):
        part = made[start : start + 100]
        batch = cloze.collate(part, marks(), share=0.0)
        said = model(batch.ids, batch.segments, length_mask(batch.lengths, batch.ids.shape[1]), batch.labels >= 0).nsp
        for pair, guess in zip(part, said.argmax(-1).tolist(), strict=True):
            right[pair.label].append(guess == pair.label)
    return sum(sum(hits) / len(hits) for hits in right.values()) / 2


@torch.no_grad()
def head_habits(model: Bert, probes: dict[str, list[Probe]], count: int = 60) -> dict[str, Float[Tensor, "layer head"]]:
    """Each head's mean weight on the token before, on the token after, on itself, on the marks; and from the blank of
    a coreference, syntax or location probe on the word that decides it. `count` probes of each phenomenon."""
    sums: dict[str, list[Tensor]] = {}
    for phenomenon in ("coreference", "syntax", "location"):
        for probe in probes[phenomenon][:count]:
            question = phenomenon
            if phenomenon == "syntax":
                question = "a or an" if probe.accepted & {"a", "an"} else "is or are"
            found = look(model, f"{probe.before} {BLANK} {probe.after}")
            w, special = found.weights, torch.tensor([token in (CLS, SEP) for token in found.tokens])
            for name, offset in (("the token before", -1), ("the token after", 1), ("itself", 0)):
                sums.setdefault(name, []).append(w.diagonal(offset, -2, -1).mean(-1))
            sums.setdefault("[CLS] and [SEP]", []).append(w[..., special].sum(-1).mean(-1))
            blank = found.tokens.index(MASK)
            decides = [i for i, token in enumerate(found.tokens) if token == probe.antecedent]
            if decides:
                place = max((i for i in decides if i < blank), default=decides[0])
                sums.setdefault(f"what decides ({question})", []).append(w[:, :, blank, place])
    return {name: torch.stack(each).mean(0) for name, each in sums.items()}


def without_heads(model: Bert, *heads: tuple[int, int]) -> Bert:
    """A copy in which nothing of these heads, (layer, head) from 0 on, reaches the sum of its layer's heads."""
    other, d_k = deepcopy(model), model.config.d_model // model.config.num_heads
    with torch.no_grad():
        for layer, head in heads:
            other.blocks[layer].attention.W_O.weight[:, head * d_k : (head + 1) * d_k] = 0
    return other


# --- the stored runs: about half an hour of one CPU thread ------------------------------------------------------------

SEEDS = range(3)
MEASURED_EVERY, STOPPED_AT = 150, 600


def _run(world: World, seed: int, stop: int = STEPS, with_pairs: bool = False, **changes) -> tuple[Bert, dict]:
    """One training on the world, measured every so many steps; the seconds are the training's alone."""
    texts, held = as_ids(world.train), as_ids(world.held_out_text[:300])
    model = new_model(seed)

    def measure() -> dict:
        row = {"scores": _scores(world, model), "named": round(still_named(model, held), 4)}
        if with_pairs:
            row["nsp"] = {kind: round(nsp_accuracy(model, world.held_out_text[:600], kind), 3) for kind in NEGATIVES}
        return row

    watch = Watch(range(0, stop + 1, MEASURED_EVERY), measure)
    losses = train(model, texts, seed=seed, stop=stop, between=watch, progress=False, **changes)
    run = {"seed": seed, "history": watch.rows}
    if stop == STEPS:
        run["losses"] = [round(sum(losses[i : i + 20]) / 20, 3) for i in range(0, STEPS, 20)]
    return model, run


def _scores(world: World, model: Bert) -> dict[str, float]:
    return {phenomenon: round(share, 3) for phenomenon, share in score(world.probes, answers(model)).items()}


def _pretraining() -> Iterator[dict]:
    """The lesson's own run; at its end, what each head does, and what is lost without it or without two of a layer."""
    world = tiny_world(seed=0)
    for seed in SEEDS:
        model, run = _run(world, seed)
        habits = head_habits(model, world.probes)
        run["habits"] = {name: [[round(x, 3) for x in row] for row in table.tolist()] for name, table in habits.items()}
        layers = [[(i, head) for head in range(model.config.num_heads)] for i in range(model.config.num_layers)]
        off = [heads for layer in layers for count in (1, 2) for heads in combinations(layer, count)]
        run["without"] = [{"heads": heads, "scores": _scores(world, without_heads(model, *heads))} for heads in off]
        yield run


def _all_masked() -> Iterator[dict]:
    """The same with [MASK] at every chosen place, up to a third of the steps."""
    world = tiny_world(seed=0)
    for seed in SEEDS:
        yield _run(world, seed, STOPPED_AT, change=all_masked)[1]


def _with_nsp() -> Iterator[dict]:
    """Both tasks from the first step on, as in the paper: one run to the end, the others up to half of the steps."""
    world = tiny_world(seed=0)
    for seed in SEEDS:
        yield _run(world, seed, STEPS // 2 if seed else STEPS, with_pairs=True, pairs=next_sentence)[1]


SECTIONS = {"pretraining": _pretraining, "all_masked": _all_masked, "with_nsp": _with_nsp}


def stored_runs() -> dict[str, list[dict]]:
    """The runs of data/tiny_bert_runs.json, by section: pretraining, all_masked, with_nsp."""
    return read_runs(STORED)


if __name__ == "__main__":
    command("Train the small BERTs of lesson 11 and keep what was measured.", STORED, SECTIONS)
