"""Pretraining three ways: lesson 11's encoder, lesson 13's decoder and lesson 08's encoder–decoder, which fills gaps.

    world = tiny_world(seed=0)
    model = new_model("encoder–decoder", seed=0)
    train("encoder–decoder", model, world.train, seed=0)
    score(world.probes, answers("encoder–decoder", model))      # each family is asked a blank in its own way

All read the same text and have three layers of the same width (the encoder–decoder three and three); each trains for as
many steps as the same number of multiplications and additions allows. `python -m course_lib.experiments.three_ways`
remakes data/three_ways_runs.json; its card is data/three_ways_runs.md.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import islice

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from course_lib.bert import pretraining_loss
from course_lib.corpora.batching import IGNORE_INDEX, Batch, pad
from course_lib.corpora.cloze import bert_batches
from course_lib.corpora.span_corruption import random_spans, span_batches, span_corruption, with_sentinels
from course_lib.corpora.tiny_world import Paragraph, Probe, World, score, tiny_world, world_vocabulary
from course_lib.corpora.vocabulary import END_ID, PAD_ID, START_ID, Vocabulary
from course_lib.experiments import language_models, tiny_bert, tiny_gpt
from course_lib.experiments.stored import Watch, command, read_runs
from course_lib.masks import length_mask
from course_lib.support.paths import DATA
from course_lib.training import cosine_decay, fit, muon_and_adamw, scheduled
from course_lib.transformer import Transformer, TransformerConfig

STORED = DATA / "three_ways_runs.json"
FAMILIES = ("encoder", "decoder", "encoder–decoder")
SIZES = dict(d_model=128, num_heads=4, d_ff=512, num_layers=3, max_len=80, dropout=0.0, pre_norm=True)
SHARE, MEAN_LENGTH = 0.3, 2.0  # as many words as the encoder is asked for; gaps of one word must be among them
BATCH_SIZE = 64
FIRST_WORD = len(world_vocabulary().special_tokens)  # the first id that is no mark
STEPS = {"encoder": tiny_bert.STEPS, "decoder": tiny_gpt.STEPS, "encoder–decoder": 750}


@cache
def vocabulary() -> tuple[Vocabulary, range]:
    """The world's words with sentinels behind them, and the sentinels' ids."""
    return with_sentinels(world_vocabulary())


def new_model(family: str, seed: int = 0) -> nn.Module:
    """Untrained. The encoder–decoder's layers begin by adding nothing, as the decoder's do."""
    if family == "encoder":
        return tiny_bert.new_model(seed)
    if family == "decoder":
        return tiny_gpt.new_model(seed)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = Transformer(TransformerConfig(len(vocabulary()[0]), positions="learned", **SIZES))
    for layer in [*model.encoder, *model.decoder]:
        for last in (layer.attention.W_O, layer.feed_forward.W_2, getattr(layer.cross_attention, "W_O", None)):
            if last is not None:
                nn.init.zeros_(last.weight)
    return model


def gap_loss(model: Transformer, batch: Batch) -> Float[Tensor, ""]:
    """The mean of −log p of each token of the target, given those before it and the text with its gaps."""
    padded = int(batch.source_lengths.min()) < batch.source.shape[1]
    mask = length_mask(batch.source_lengths, batch.source.shape[1]) if padded else None
    memory, _ = model.encode(batch.source, mask)
    states, _ = model.decode(batch.target[:, :-1], memory, mask)
    wanted = batch.target[:, 1:]
    kept = wanted != PAD_ID
    return F.cross_entropy(model.logits(states[kept]).float(), wanted[kept])


def train(
    family: str,
    model: nn.Module,
    paragraphs: Sequence[Paragraph],
    steps: int | None = None,
    *,
    seed: int = 0,
    **options,
) -> list[float]:
    """Each by its own lesson's recipe; Muon and AdamW, with the same rates and the same schedule, for all three."""
    steps = steps or STEPS[family]
    if family == "encoder":
        return tiny_bert.train(model, tiny_bert.as_ids(paragraphs), steps, seed=seed, **options)
    if family == "decoder":
        return tiny_gpt.train(model, paragraphs, steps, seed=seed, **options)
    optimizer = muon_and_adamw(model)
    schedule = scheduled(optimizer, lambda step: cosine_decay(step, steps, min(30, steps), lowest=0.05))
    batches = span_batches(tiny_gpt.encoded(paragraphs), vocabulary()[1], BATCH_SIZE, seed, SHARE, MEAN_LENGTH)
    return fit(
        model, batches, lambda batch: gap_loss(model, batch), steps, optimizer, schedule, clip=1.0, seed=seed, **options
    )


# --- asking for a blank -----------------------------------------------------------------------------------------------


def answers(family: str, model: nn.Module) -> Callable[[list[Probe]], Float[Tensor, "probe vocab"]]:
    """What `tiny_world.score` asks: each word's score at each probe's blank, in the family's own way.

    encoder          reads the text with [MASK] in the blank, and is asked at [MASK]
    decoder          reads what stands before the blank, and is asked for the next word
    encoder–decoder  reads the text with a sentinel in the blank; is asked for the first word behind that sentinel
    """
    if family == "encoder":
        return tiny_bert.answers(model)
    if family == "decoder":
        return lambda probes: tiny_gpt.next_words(model, [probe.before for probe in probes])
    return lambda probes: first_words(model, [(probe.before.split(), probe.after.split()) for probe in probes])


@torch.no_grad()
def first_words(
    model: Transformer, texts: Sequence[tuple[Sequence[str], Sequence[str]]], seed: int = 0
) -> Float[Tensor, "text vocab"]:
    """The probabilities of a gap's first word; each text is the words before its gap and those behind it.

    In training a text has a gap for every seven words or so. A single gap at the end of a long text, with nothing
    missing in front of it, would be none that the model knows. So there are as many gaps in front as training would
    make; what stood in them the decoder is told, so that nothing is kept from it.
    """
    ids, marks, rng = world_vocabulary().ids, vocabulary()[1], random.Random(seed)
    sources, begun = [], []
    for before, after in texts:
        read = [ids[word] for word in (*before, ".", *after)]  # any word: it stands in the gap
        drawn = random_spans(len(read), rng, SHARE, MEAN_LENGTH)
        hidden, room = sum(end - start for start, end in drawn) - 1, len(before) - 1  # none touches the gap
        spans = []
        if len(drawn) > 1 and room > 1 and hidden:
            spans = random_spans(room, rng, min(SHARE, hidden / room), max(1.0, hidden / (len(drawn) - 1)))
        source, target = span_corruption(read, [*spans, (len(before), len(before) + 1)], marks)
        sources.append([*source, END_ID])
        begun.append([START_ID, *target[:-2]])  # up to the gap's own mark
    (source, lengths), (target, ends) = pad(sources), pad(begun)
    logits, _ = model(source, target, length_mask(lengths, source.shape[1]))
    return logits[range(len(texts)), ends - 1, : len(world_vocabulary())].softmax(-1)


# --- the price --------------------------------------------------------------------------------------------------------


def price(family: str, batches: int = 16) -> dict[str, int | float]:
    """What a step costs, the mean of some batches: `flops`, multiplications and additions of loss and gradients,
    which torch counts; and for a text `tokens` that are read or written, marks too, and how many are `asked` for.

    (What Muon computes on top is left out, as is usual: with the papers' batches it is next to nothing.)
    """
    texts, model = tiny_world(seed=0, count=BATCH_SIZE * batches, probes=1).train, new_model(family)
    if family == "encoder":
        ids = tiny_bert.as_ids(texts)
        stream = bert_batches(ids, tiny_bert.marks(), BATCH_SIZE, 0, tiny_bert.places_asked(ids), tiny_bert.without_nsp)
        loss, tokens = partial(pretraining_loss, model), lambda batch: batch.num_tokens
        asked = lambda batch: (batch.labels != IGNORE_INDEX).sum()  # noqa: E731
    elif family == "decoder":
        stream = language_models.text_ids(tiny_gpt.encoded(texts), BATCH_SIZE, seed=0)
        loss, tokens = partial(language_models.next_token_loss, model), lambda ids: (ids != PAD_ID).sum()
        asked = lambda ids: (ids >= FIRST_WORD).sum()  # noqa: E731
    else:
        stream = span_batches(tiny_gpt.encoded(texts), vocabulary()[1], BATCH_SIZE, 0, SHARE, MEAN_LENGTH)
        loss, tokens = partial(gap_loss, model), lambda batch: batch.num_tokens
        asked = lambda batch: ((batch.target >= FIRST_WORD) & (batch.target < vocabulary()[1][0])).sum()  # noqa: E731
    some = list(islice(stream, batches))
    with FlopCounterMode(display=False) as counter:
        for batch in some:
            loss(batch).backward()
    texts = BATCH_SIZE * len(some)
    return {
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "flops": counter.get_total_flops() / batches,
        "tokens": round(sum(int(tokens(batch)) for batch in some) / texts, 2),
        "asked": round(sum(int(asked(batch)) for batch in some) / texts, 2),
    }


# --- the stored runs: about six minutes of one CPU thread -------------------------------------------------------------

SEEDS = range(3)
MEASURED = (150, 300, 450, 600, 750)


def accuracies(family: str, model: nn.Module, world: World) -> dict[str, float]:
    """The share right of each phenomenon, of blanks that the words before them decide; and of "a or an" by itself."""
    predict = answers(family, model)
    shares = score(world.probes, predict, left_to_right=True)
    articles = [probe for probe in world.probes["syntax"] if not probe.left_to_right]
    shares |= score({"a or an": articles}, predict)
    return {phenomenon: round(share, 4) for phenomenon, share in shares.items()}


def pretrain(family: str, seed: int) -> tuple[nn.Module, dict]:
    """One training, measured on its way."""
    world, model = tiny_world(seed, probes=100), new_model(family, seed)
    watch = Watch(MEASURED, lambda: {"accuracy": accuracies(family, model, world)})
    train(family, model, world.train, seed=seed, autocast="bf16", between=watch, progress=False)
    parameters = sum(parameter.numel() for parameter in model.parameters())
    return model, {"seed": seed, "parameters": parameters, "history": watch.rows}


def _gaps() -> Iterator[dict]:
    return (pretrain("encoder–decoder", seed)[1] for seed in SEEDS)


def _prices() -> Iterator[dict]:
    yield {family: price(family) for family in FAMILIES}


SECTIONS = {"encoder–decoder": _gaps, "price": _prices}


def stored_runs() -> dict[str, list[dict]]:
    """By family: the encoder's runs are lesson 11's, the decoder's lesson 13's, the third family's lie in STORED. Each
    has its `history`: the step, and the `accuracy` on each phenomenon. And the "price" of a step of each family."""
    encoder = [
        {"seed": run["seed"], "history": [{"step": row["step"], "accuracy": row["scores"]} for row in run["history"]]}
        for run in tiny_bert.stored_runs()["pretraining"]
    ]
    return {"encoder": encoder, "decoder": tiny_gpt.stored_runs()["GPT"]} | read_runs(STORED)


if __name__ == "__main__":
    command("Train lesson 15's encoder–decoders and count what a step costs.", STORED, SECTIONS)
