"""The translator of lesson 09: a small Transformer that writes English numbers in German.

    corpus = single_numbers("en", "de")
    tokenizer = subword_tokenizer(corpus.train)
    model = new_model(tokenizer, seed=0)
    train(model, encoded(tokenizer, corpus.train), seed=0)          # about 25 s of one CPU thread
    translate(model, tokenizer, ["twenty-one thousand and four"])   # ['einundzwanzigtausendvier']

Pre-norm, as today's models are; everything else is the paper's, made small.
`python -m course_lib.experiments.translator` remakes data/translator_runs.json; its card is data/translator_runs.md.
"""

import math
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from course_lib.corpora.batching import Batch, batches, collate
from course_lib.corpora.number_words import number_text
from course_lib.corpora.parallel import Pair, dates, number_lists, single_numbers
from course_lib.corpora.subwords import encoded, subword_tokenizer
from course_lib.corpora.vocabulary import END, END_ID, PAD_ID, START_ID
from course_lib.decoding import Beam, beam_search, greedy
from course_lib.errors import CourseError
from course_lib.experiments import seq2seq
from course_lib.experiments.stored import Watch, command, read_runs
from course_lib.masks import padding_mask
from course_lib.support.paths import DATA
from course_lib.tokenizers import BPETokenizer
from course_lib.training import fit, inverse_sqrt, scheduled, smoothed_cross_entropy
from course_lib.transformer import Transformer, TransformerConfig

STORED = DATA / "translator_runs.json"
SIZES = dict(d_model=64, num_heads=4, d_ff=128, num_layers=2, max_len=128, dropout=0.0, pre_norm=True)
STEPS, BATCH_SIZE, WARMUP = 400, 128, 100
FACTOR = 0.5  # of the paper's rate: with so few steps it ends before the rate has fallen far
LONGEST = 40  # tokens that a translation may have

Encoded = list[tuple[list[int], list[int]]]


def new_model(tokenizer: BPETokenizer, seed: int = 0, **changes) -> Transformer:
    """Untrained; 193,280 parameters with 400 tokens. `changes`: other sizes than SIZES."""
    torch.manual_seed(seed)
    return Transformer(TransformerConfig(len(tokenizer), **SIZES | changes))


def rate(step: int, d_model: int = SIZES["d_model"], warmup: int = WARMUP, factor: float = FACTOR) -> float:
    """The paper's learning rate, times `factor`."""
    return factor * inverse_sqrt(step, d_model, warmup)


def train(
    model: Transformer,
    pairs: Encoded,
    steps: int = STEPS,
    *,
    rate: Callable[[int], float] = rate,
    smoothing: float = 0.0,
    batch_size: int = BATCH_SIZE,
    seed: int = 0,
    **options,
) -> list[float]:
    """Adam(0.9, 0.98, 1e-9), one step for each batch; returns every step's loss. `pairs` are ids, as `encoded` gives.

    rate: of a step, from 1 on. options: what else `fit` takes.
    """
    optimizer = torch.optim.Adam(model.parameters(), lr=1.0, betas=(0.9, 0.98), eps=1e-9)

    def loss(batch: Batch) -> Tensor:
        logits, _ = model(batch.source, batch.target[:, :-1], padding_mask(batch.source, PAD_ID))
        return smoothed_cross_entropy(logits, batch.target[:, 1:], smoothing, ignore_index=PAD_ID)

    stream, schedule = batches(pairs, batch_size, seed), scheduled(optimizer, rate)
    return fit(model, stream, loss, steps, optimizer, schedule, clip=1.0, seed=seed, **options)


# --- using it ---------------------------------------------------------------------------------------------------------


def translate(model: Transformer, tokenizer: BPETokenizer, texts: Sequence[str], max_len: int = LONGEST) -> list[str]:
    """The greedy translation of each text."""
    return [tokenizer.decode(text.ids) for text in _greedy(model, [tokenizer.encode(text) for text in texts], max_len)]


def exact_match(model: Transformer, tokenizer: BPETokenizer, pairs: Sequence[Pair], chunk: int = 250) -> float:
    """The share of texts that greedy translation gets right to the last letter."""
    return (len(pairs) - len(mistakes(model, tokenizer, pairs, chunk))) / len(pairs)


def mistakes(
    model: Transformer, tokenizer: BPETokenizer, pairs: Sequence[Pair], chunk: int = 250
) -> list[dict[str, str]]:
    """The texts that greedy translation gets wrong: source, wanted, written. `chunk` of them at a time."""
    found = []
    for start in range(0, len(pairs), chunk):
        part = pairs[start : start + chunk]
        texts = translate(model, tokenizer, [pair.source_text for pair in part])
        found += [
            {"source": pair.source_text, "wanted": pair.target_text, "written": text}
            for text, pair in zip(texts, part, strict=True)
            if text != pair.target_text
        ]
    return found


def beams(model: Transformer, tokenizer: BPETokenizer, texts: Sequence[str], k: int, alpha: float = 0.6) -> list[Beam]:
    """Beam search for each text."""
    next_token, start = _reading(model, [tokenizer.encode(text) for text in texts])
    return beam_search(next_token, start, END_ID, LONGEST, k, alpha)


@dataclass(frozen=True)
class Look:
    """A translation, its tokens as they are read aloud, and where each target token looked before it was written."""

    text: str
    source: list[str]
    target: list[str]
    encoder: Float[Tensor, "layer head source source"]
    decoder: Float[Tensor, "layer head target target"]
    cross: Float[Tensor, "layer head target source"]


@torch.no_grad()
def look(model: Transformer, tokenizer: BPETokenizer, text: str) -> Look:
    """The greedy translation of one text, and all attention on the way. Row i of decoder and cross wrote token i."""
    source = tokenizer.encode(text)
    (written,) = _greedy(model, [source], LONGEST)
    target = [*written.ids, *[END_ID] * written.ended]
    batch = collate([(source, written.ids)])
    _, weights = model(batch.source, batch.target[:, : len(target)], need_weights=True)
    said = (names(tokenizer, [*source, END_ID]), names(tokenizer, target))
    return Look(tokenizer.decode(written.ids), *said, *(each[0] for each in weights))


def typed(text: str, source: str = "en") -> str:
    """A number as somebody types it, in digits or in words, as the words that the model reads.

    Raises CourseError where digits are no number from 0 to 999,999, and where there is nothing.
    """
    digits = "".join(text.split()).replace(",", "").replace(".", "")
    if digits.isdecimal():
        return number_text(int(digits), source)
    if not text.strip():
        raise CourseError("There is nothing to translate: type a number, such as 4321 or forty-two.")
    return text.strip().lower()


def names(tokenizer: BPETokenizer, ids: Sequence[int]) -> list[str]:
    """Each token as text; the end mark as </s>."""
    return [END if i == END_ID else tokenizer.decode([i]) for i in ids]


def vocabulary_names(tokenizer: BPETokenizer) -> list[str]:
    """What each id is called, in their order."""
    return names(tokenizer, range(len(tokenizer)))


def _greedy(model: Transformer, sources: list[list[int]], max_len: int):
    next_token, start = _reading(model, sources)
    return greedy(next_token, start, END_ID, max_len)


def _reading(model: Transformer, sources: list[list[int]]):
    """What `decoding` asks: the model at work on these sources, and a start token for each."""
    batch = collate([(ids, []) for ids in sources])
    next_token = model.next_token(batch.source, padding_mask(batch.source, PAD_ID))
    return next_token, torch.full((len(sources), 1), START_ID)


# --- measuring it -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Guesses:
    """What a model says at each target token of a test set when it has read the true ones before it."""

    log_p: Float[Tensor, "token"]  # of the right token, in nats
    confidence: Float[Tensor, "token"]  # the probability of the likeliest token
    right: Bool[Tensor, "token"]  # is the likeliest the right one?

    @property
    def perplexity(self) -> float:
        return math.exp(-self.log_p.mean().item())

    @property
    def surplus(self) -> float:
        """Mean confidence less the share that is right: above 0 the model is surer than it should be."""
        return (self.confidence.mean() - self.right.float().mean()).item()


@torch.no_grad()
def guesses(model: Transformer, pairs: Encoded) -> Guesses:
    """Every target token of these pairs, the end mark too."""
    batch = collate(pairs)
    logits, _ = model(batch.source, batch.target[:, :-1], padding_mask(batch.source, PAD_ID))
    wanted = batch.target[:, 1:]
    log_p, kept = logits.log_softmax(-1), wanted != PAD_ID
    best = log_p.max(-1)
    right = log_p.gather(-1, wanted[..., None]).squeeze(-1)
    return Guesses(right[kept], best.values.exp()[kept], (best.indices == wanted)[kept])


@cache
def of_every_length(source: str = "en", target: str = "de") -> tuple[list[Pair], dict[int, list[Pair]]]:
    """Numbers of every length up to six digits: many of each, as far as there are. To train on; and to test, by digits.

    None that is tested, here or in `single_numbers`, is trained on: `parallel.held_out` decides for all of them.
    """
    below_100 = number_lists(source, target, count=1, test_longest=1).test  # all that are held out
    train = single_numbers(source, target, largest=99, count=60, test_count=0).train
    test = {n: [pair for pair in below_100 if len(str(pair.value[0])) == n] for n in (1, 2)}
    for digits, count, test_count in ((3, 670, 40), (4, 3000, 200), (5, 3000, 200), (6, 3000, 200)):
        bounds = {"smallest": 10 ** (digits - 1), "largest": 10**digits - 1}
        part = single_numbers(source, target, **bounds, count=count, test_count=test_count)
        train, test = train + part.train, test | {digits: part.test}
    return train, test


# --- the stored runs: about half an hour of one CPU thread -----------------------------------------------------------

SEEDS = range(3)
COUNT = 12_000  # texts to train on
MIXED_STEPS = 150


def _numbers() -> Iterator[dict]:
    """The lesson's own run, with label smoothing and without; then with numbers of every length."""
    corpus = single_numbers(count=COUNT)
    tokenizer = subword_tokenizer(corpus.train)
    pairs, tested = encoded(tokenizer, corpus.train), encoded(tokenizer, corpus.test)
    mixed, by_digits = of_every_length()
    for seed in SEEDS:
        for smoothing in (0.0, 0.1):
            model = new_model(tokenizer, seed)

            def measure(model=model) -> dict:
                found = guesses(model, tested)
                return {
                    "exact": round(exact_match(model, tokenizer, corpus.test), 4),
                    "perplexity": round(found.perplexity, 4),
                    "right": round(found.right.float().mean().item(), 4),
                    "surplus": round(found.surplus, 4),
                    "bins": bins(found),
                }

            def with_beams(step: int, watch, model=model) -> None:
                watch(step)
                if step in (100, STEPS):
                    part = corpus.test[:200]
                    texts = [pair.source_text for pair in part]
                    now = time.process_time()
                    watch.rows[-1]["beam"] = {
                        k: sum(
                            tokenizer.decode(beam.best.ids) == pair.target_text
                            for beam, pair in zip(beams(model, tokenizer, texts, k), part, strict=True)
                        )
                        / 200
                        for k in range(1, 6)
                    }
                    watch.paused += time.process_time() - now

            watch = Watch(range(0, STEPS + 1, 50), measure)
            train(
                model,
                pairs,
                smoothing=smoothing,
                seed=seed,
                between=lambda s, w=watch, m=model: with_beams(s, w, m),
                progress=False,
            )
            run = {"seed": seed, "smoothing": smoothing, "history": watch.rows}
            run["by_digits"] = _by_digits(model, tokenizer, by_digits)
            if not smoothing:
                start = time.process_time()
                _train_on(model, tokenizer, mixed, seed)
                run["mixed"] = {"cpu_seconds": round(time.process_time() - start, 1),
                                "exact": exact_match(model, tokenizer, corpus.test),
                                "by_digits": _by_digits(model, tokenizer, by_digits)}  # fmt: skip
            yield run


def _train_on(model: Transformer, tokenizer: BPETokenizer, pairs: list[Pair], seed: int) -> None:
    """Goes on with other pairs, where the rate stood."""
    train(
        model, encoded(tokenizer, pairs), MIXED_STEPS, rate=lambda step: rate(STEPS + step), seed=seed, progress=False
    )


def _by_digits(model, tokenizer, by_digits: dict[int, list[Pair]]) -> dict[int, float]:
    return {digits: round(exact_match(model, tokenizer, pairs), 4) for digits, pairs in by_digits.items()}


def bins(found: Guesses, count: int = 10) -> list[tuple[float, float, int]]:
    """(mean confidence, share right, tokens) of the tokens in each tenth of confidence, where there are any."""
    place = (found.confidence * count).long().clamp(max=count - 1)
    kept = [place == i for i in range(count) if (place == i).any()]
    return [
        (round(found.confidence[k].mean().item(), 4), round(found.right[k].float().mean().item(), 4), int(k.sum()))
        for k in kept
    ]


def _gru() -> Iterator[dict]:
    """Lesson 01's translator with attention on the same tokens."""
    corpus = single_numbers(count=COUNT)
    tokenizer = subword_tokenizer(corpus.train)
    pairs = encoded(tokenizer, corpus.train)
    for seed in SEEDS:
        torch.manual_seed(seed)
        model = seq2seq.Seq2Seq(seq2seq.Seq2SeqConfig(len(tokenizer), len(tokenizer)))

        def measure(model=model) -> dict:
            right = 0
            for start in range(0, len(corpus.test), 250):
                part = corpus.test[start : start + 250]
                batch = collate(encoded(tokenizer, part))
                ids, _ = model.greedy(batch.source, batch.source_lengths, LONGEST)
                right += sum(
                    tokenizer.decode(row[: row.index(END_ID)] if END_ID in row else row) == pair.target_text
                    for row, pair in zip(ids.tolist(), part, strict=True)
                )
            return {"exact": right / len(corpus.test)}

        def loss(batch: Batch, model=model) -> Tensor:
            logits, _ = model(batch.source, batch.source_lengths, batch.target[:, :-1])
            return smoothed_cross_entropy(logits, batch.target[:, 1:], 0.0, ignore_index=PAD_ID)

        steps, lr = 800, 5e-3
        watch = Watch(range(0, steps + 1, 50), measure)

        optimizer = torch.optim.Adam(model.parameters(), lr)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, lr, steps, pct_start=0.1)
        stream = batches(pairs, BATCH_SIZE, seed)
        fit(model, stream, loss, steps, optimizer, schedule, clip=1.0, seed=seed, between=watch, progress=False)
        yield {"seed": seed, "parameters": sum(p.numel() for p in model.parameters()), "history": watch.rows}


def _warmup() -> Iterator[dict]:
    """Where the norm stands, how deep the model is, how high the rate begins; on the same numbers, 64 at a time."""
    corpus = single_numbers(count=COUNT)
    tokenizer = subword_tokenizer(corpus.train)
    pairs = encoded(tokenizer, corpus.train)
    wanted = [
        (6, pre, factor, warm)
        for factor, pres in ((0.25, (False, True)), (0.05, (False,)))
        for pre in pres
        for warm in (100, 1)
    ]
    wanted += [(2, pre, 0.25, warm) for pre in (False, True) for warm in (100, 1)]
    for layers, pre, factor, warmup in wanted:
        for seed in SEEDS:
            model = new_model(tokenizer, seed, num_layers=layers, pre_norm=pre)

            def begins_high(step: int, factor=factor, warmup=warmup) -> float:
                """The same highest rate and the same fall; without warm-up it begins there."""
                return rate(max(step, WARMUP) if warmup == 1 else step, factor=factor)

            start = time.process_time()
            losses = train(model, pairs, 300, rate=begins_high, batch_size=64, seed=seed, progress=False)
            yield {
                "layers": layers, "pre_norm": pre, "highest_rate": round(rate(WARMUP, factor=factor), 5),
                "warmup": warmup == WARMUP, "seed": seed, "cpu_seconds": round(time.process_time() - start, 1),
                "losses": [round(statistics.mean(losses[i : i + 10]), 3) for i in range(0, 300, 10)],
                "exact": exact_match(model, tokenizer, corpus.test[:250]),
            }  # fmt: skip


def _lists() -> Iterator[dict]:
    """Lesson 01's lists of numbers, of up to 8 in training and up to 12 in the test; its GRU and the Transformer."""
    corpus = number_lists("en", "de", count=COUNT)
    words = [corpus.source_vocabulary, corpus.target_vocabulary]
    pairs = corpus.encoded(corpus.train)
    for seed in SEEDS:
        torch.manual_seed(seed)
        model = Transformer(TransformerConfig(max(map(len, words)), **SIZES))
        start = time.process_time()
        train(model, pairs, 1200, batch_size=64, seed=seed, progress=False)
        run = {"model": "Transformer", "seed": seed, "cpu_seconds": round(time.process_time() - start, 1)}

        def transformer(part: list[Pair], model=model) -> list[list[str]]:
            texts = _greedy(model, [words[0].encode(pair.source) for pair in part], 100)
            return [words[1].decode(text.ids) for text in texts]

        yield run | _list_figures(transformer, corpus.test)
        torch.manual_seed(seed)
        gru = seq2seq.Seq2Seq(seq2seq.Seq2SeqConfig(*map(len, words)))
        start = time.process_time()
        seq2seq.train(gru, corpus, 750, seed=seed)
        run = {"model": "GRU", "seed": seed, "cpu_seconds": round(time.process_time() - start, 1)}

        def recurrent(part: list[Pair], gru=gru) -> list[list[str]]:
            batch = collate(corpus.encoded(part))
            ids, _ = gru.greedy(batch.source, batch.source_lengths, 100)
            return [words[1].decode(row) for row in ids.tolist()]

        yield run | _list_figures(recurrent, corpus.test)


def _list_figures(write: Callable[[list[Pair]], list[list[str]]], tested: list[Pair]) -> dict:
    """By length: the share right, and how many numbers were written. A list of twelve as an example."""
    exact, written, endless, example = {}, {}, {}, None
    for length in range(1, 13):
        part = [pair for pair in tested if len(pair.value) == length]
        texts = write(part)
        exact[length] = round(sum(text == list(pair.target) for text, pair in zip(texts, part)) / len(part), 4)
        written[length] = round(statistics.mean(text.count(",") + 1 for text in texts), 2)
        endless[length] = round(sum(len(text) >= 100 for text in texts) / len(part), 4)
        place = next(
            (i for i, text in enumerate(texts) if len(text) >= 100), 0
        )  # one that doesn't end, if there is one
        example = {"source": part[place].source_text, "written": " ".join(texts[place])}
    return {"exact": exact, "written": written, "endless": endless, "example": example}


def _languages() -> Iterator[dict]:
    """The lesson's own run with other languages, and with dates; Danish with more tokens, too."""
    wanted = [("numbers", single_numbers, target, 400) for target in ("es", "fr", "da")]
    wanted += [("dates", dates, target, 400) for target in ("de", "fr")]
    wanted += [("numbers", single_numbers, "da", 450)]
    for texts, make, target, tokens in wanted:
        corpus = make("en", target, count=COUNT)
        tokenizer = subword_tokenizer(corpus.train, tokens)
        pairs = encoded(tokenizer, corpus.train)
        for seed in SEEDS:
            model = new_model(tokenizer, seed)
            start = time.process_time()
            train(model, pairs, seed=seed, progress=False)
            run = {"texts": texts, "target": target, "tokens": tokens, "seed": seed,
                   "cpu_seconds": round(time.process_time() - start, 1)}  # fmt: skip
            wrong = mistakes(model, tokenizer, corpus.test)
            yield run | {"exact": round(1 - len(wrong) / len(corpus.test), 4), "mistakes": wrong}


SECTIONS = {"numbers": _numbers, "gru": _gru, "warmup": _warmup, "lists": _lists, "languages": _languages}


def stored_runs() -> dict[str, list[dict]]:
    """The runs of data/translator_runs.json, by section: numbers, gru, warmup, lists, languages."""
    return read_runs(STORED)


if __name__ == "__main__":
    command("Train the translators of lesson 09 and keep what was measured.", STORED, SECTIONS)
