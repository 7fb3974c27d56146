"""A small BERT that reads real text: dates in seven languages as CLDR's tables write them, cut into WordPieces.

    tokenizer().tokens("Donnerstag, 19. Juni 1975")     # ['don', '##n', '##er', '##stag', ',', '19', '.', 'juni', …]
    model = pretrained()                                # blanks in 14,000 dates; half a minute of one CPU core
    LANGUAGE.train(10), PARTS.train(10)                 # labelled: which language? and which word is the month?

Pretraining and labels hold no date whose weekday and month are among the held-out pairs; the test holds no other.
"""

import datetime
import random
from collections.abc import Sequence
from functools import cache

import torch

from course_lib.bert import Bert, BertConfig, pretraining_loss
from course_lib.corpora.cloze import Marks, bert_batches
from course_lib.corpora.dates import FIRST, LAST, date_text
from course_lib.corpora.languages import LANGUAGES
from course_lib.corpora.tiny_world.tasks import Example, Task
from course_lib.corpora.tiny_world.telling import held_out
from course_lib.tokenizers import WordPieceTokenizer
from course_lib.training import cosine_decay, fit, muon_and_adamw, scheduled

SIZES = dict(d_model=64, num_heads=4, d_ff=256, num_layers=2, max_len=32, dropout=0.0)
VOCAB, TEXTS, STEPS, BATCH_SIZE, SHARE = 160, 2000, 600, 64, 0.3  # TEXTS: unlabelled dates of each language


def _date(rng: random.Random, test: bool) -> datetime.date:
    while True:
        date = FIRST + datetime.timedelta(rng.randrange((LAST - FIRST).days + 1))
        if held_out(("dates", str(date.weekday()), str(date.month))) == test:
            return date


@cache
def texts() -> list[str]:
    """What is pretrained on."""
    rng = random.Random(0)
    return [date_text(_date(rng, False), code) for _ in range(TEXTS) for code in LANGUAGES]


@cache
def tokenizer() -> WordPieceTokenizer:
    return WordPieceTokenizer.train(texts(), VOCAB)


@cache
def marks() -> Marks:
    vocab = tokenizer().vocab
    pad, cls, sep, mask = (vocab[token] for token in ("[PAD]", "[CLS]", "[SEP]", "[MASK]"))
    return Marks(len(vocab), pad, cls, sep, mask, (vocab["[UNK]"],))


def new_model(seed: int = 0) -> Bert:
    """Untrained; about 0.12 million parameters."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return Bert(BertConfig(marks().vocab_size, **SIZES))


@cache
def _pretrained() -> dict[str, torch.Tensor]:
    model = new_model()
    optimizer = muon_and_adamw(model)
    schedule = scheduled(optimizer, lambda step: cosine_decay(step, STEPS, 30, lowest=0.05))
    batches = bert_batches([[tokenizer().encode(text)] for text in texts()], marks(), BATCH_SIZE, 0, SHARE)
    loss = lambda batch: pretraining_loss(model, batch)  # noqa: E731
    fit(model, batches, loss, STEPS, optimizer, schedule, clip=1.0, seed=0, name="pretraining on dates")
    return model.state_dict()


def pretrained() -> Bert:
    """Trained at the first call; every call gives a new model with the same weights."""
    model = new_model()
    model.load_state_dict(_pretrained())
    return model.eval()


# --- labelled dates ---------------------------------------------------------------------------------------------------


def _language(rng: random.Random, test: bool) -> Example:
    code = rng.choice(list(LANGUAGES))
    return Example(date_text(_date(rng, test), code), "", list(LANGUAGES).index(code))


def _parts(rng: random.Random, test: bool) -> Example:
    """Words as BERT's tokenizer separates them; a number is the day or the year, other words are told by the order."""
    date, code = _date(rng, test), rng.choice(list(LANGUAGES))
    words = tokenizer().normalizer.pretokenize(date_text(date, code))
    return Example(" ".join(words), "", tuple(_part(word, i, words) for i, word in enumerate(words)))


def _part(word: str, place: int, words: Sequence[str]) -> int:
    """The weekday stands first; "den", "de" and marks are nothing; the month is the other word."""
    if word.isdigit():
        return PARTS.labels.index("day" if len(word) < 3 else "year")
    if not word.isalpha() or word in ("den", "de"):
        return 0
    return PARTS.labels.index("month" if place else "weekday")


LANGUAGE = Task("language", tuple(each.name for each in LANGUAGES.values()), _language)
PARTS = Task("parts of a date", ("O", "weekday", "day", "month", "year"), _parts, classes=False)
