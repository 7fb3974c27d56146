"""Byte-pair encoding against the library `tokenizers` and against counting anew. One thread, CPU time, medians of interleaved runs."""

import os
import statistics
import subprocess
import sys

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"

from collections import Counter

from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from course_lib.corpora import python_docs
from course_lib.tokenizers import BPETokenizer, naive_bpe
from course_lib.tokenizers.pretokenize import GPT2, pretokenize
from tests.benchmarks.bench_course import cpu_seconds, show

RUNS = 15
SIZES = (512, 1024, 4096)
MEMORY = """
import sys
from course_lib.corpora import python_docs
from course_lib.tokenizers import BPETokenizer
def megabytes(mark): return next(int(line.split()[1]) / 1024 for line in open("/proc/self/status") if line.startswith(mark))
text = python_docs.topics()
BPETokenizer.train("warm up", 260)
before = megabytes("VmRSS")
BPETokenizer.train(text, int(sys.argv[1]))
print(megabytes("VmHWM") - before)
"""


def their_trainer(texts, vocab_size):
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    made.train_from_iterator(texts, trainer)
    return made


def interleaved(*calls, runs=RUNS) -> list[float]:
    """The median CPU seconds of each call, run by turns."""
    times = [[] for _ in calls]
    for _ in range(runs):
        for own, call in zip(times, calls):
            own.append(cpu_seconds(call))
    return [statistics.median(own) for own in times]


def test_training():
    text = python_docs.topics()
    rows = []
    for size in SIZES:
        ours, theirs = interleaved(lambda: BPETokenizer.train(text, size), lambda: their_trainer([text], size))
        memory = subprocess.run(
            [sys.executable, "-c", MEMORY, str(size)], capture_output=True, text=True, check=True
        ).stdout
        rows.append(
            [size, f"{1000 * ours:.0f}", f"{1000 * theirs:.0f}", f"{ours / theirs:.2f}", f"{float(memory):.1f}"]
        )
    show(
        f"Training on {len(text.encode()) / 1000:.0f} kB",
        ["vocabulary", "ours, ms", "tokenizers, ms", "ratio", "ours: peak above the start, MB"],
        rows,
    )


def test_training_against_counting_anew():
    """The trainer as a whole, cutting into words included, against the two slow loops alone."""
    text = python_docs.topics()
    tokens, table = list(text.encode()), Counter(tuple(word.encode()) for word in pretokenize(text, GPT2))
    rows = []
    for size in SIZES[:2]:
        [ours] = interleaved(lambda: BPETokenizer.train(text, size))
        over_words = cpu_seconds(lambda: naive_bpe.learn_from_words(table, 256, size - 256))
        over_tokens = cpu_seconds(lambda: naive_bpe.learn_from_tokens(tokens, 256, size - 256))
        rows.append(
            [
                size,
                f"{ours:.3f}",
                f"{over_words:.1f}",
                f"{over_words / ours:.0f} ×",
                f"{over_tokens:.1f}",
                f"{over_tokens / ours:.0f} ×",
            ]
        )
    show(
        "Training against counting anew, s",
        ["vocabulary", "ours", "over the word table", "", "over the token list", ""],
        rows,
    )


def test_encoding():
    """Cold: a tokenizer just loaded, which has met no word yet."""
    text = python_docs.topics()
    mb = len(text.encode()) / 1e6
    rows = []
    for size in SIZES:
        trained, theirs = BPETokenizer.train(text, size), their_trainer([text], size)
        makers = iter([BPETokenizer(trained.base_vocabulary, trained.merges) for _ in range(RUNS)])
        fresh = iter([Tokenizer.from_str(theirs.to_str()) for _ in range(RUNS)])
        cold, their_cold, warm = interleaved(
            lambda: next(makers).encode(text), lambda: next(fresh).encode(text), lambda: trained.encode(text)
        )
        rows.append(
            [size, f"{mb / cold:.1f}", f"{mb / their_cold:.1f}", f"{their_cold / cold:.1f} ×", f"{mb / warm:.1f}"]
        )
    show("Encoding, MB/s", ["vocabulary", "ours, cold", "tokenizers, cold", "", "ours, again"], rows)


def test_growth():
    """Twice the text has fewer than twice the words, so learning takes less than twice the time."""
    topics, docstrings = python_docs.topics(), python_docs.docstrings()
    small, large = [topics], [topics, docstrings]
    rows = []
    for size in SIZES:
        one, four = interleaved(
            lambda: BPETokenizer.train(small, size), lambda: BPETokenizer.train(large, size), runs=7
        )
        times_larger = sum(map(len, large)) / len(topics)
        rows.append([size, f"{1000 * one:.0f}", f"{1000 * four:.0f}", f"{times_larger:.2f}", f"{four / one:.2f}"])
    show(
        "Training on more text",
        ["vocabulary", "topics, ms", "and docstrings, ms", "times the text", "times the time"],
        rows,
    )
