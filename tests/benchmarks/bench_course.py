"""`make bench`: speed as a ratio to a peer measured in the same run, and what a lesson costs. Printed, never asserted."""

import statistics
import time

import nbformat
import pytest
import torch
from nbclient import NotebookClient
from rich.console import Console
from rich.table import Table
from torch import nn

from course_lib.attention import MultiHeadAttention
from course_lib.support.paths import NOTEBOOKS
from tests.benchmarks import bert_speed, check_time, gpt_speed, slider_latency, transformer_speed

# Linux's own mark of the highest memory use; getrusage would count what the parent process had at the fork.
PEAK = "print(next(int(line.split()[1]) // 1024 for line in open('/proc/self/status') if line.startswith('VmHWM')))"


def show(title: str, columns: list[str], rows: list[list]) -> None:
    table = Table(title=title, title_justify="left")
    for i, column in enumerate(columns):
        table.add_column(column, justify="left" if i == 0 else "right")
    for row in rows:
        table.add_row(*map(str, row))
    Console(width=120).print(table)


def cpu_seconds(call) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def test_multi_head_attention():
    """One thread, CPU time, median of interleaved calls; batch 4 × n words, d_model 512, 8 heads, eval mode."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    ours, theirs = MultiHeadAttention(512, 8).eval(), nn.MultiheadAttention(512, 8, batch_first=True).eval()
    rows = []
    for n in (128, 512, 2048):
        x = torch.randn(4 if n < 2048 else 1, n, 512)
        for weights in (False, True):
            own, peer = [], []
            with torch.no_grad():
                for _ in range(15):
                    own.append(cpu_seconds(lambda: ours(x, need_weights=weights)))
                    peer.append(cpu_seconds(lambda: theirs(x, x, x, need_weights=weights, average_attn_weights=False)))
            a, b = statistics.median(own), statistics.median(peer)
            rows.append([f"n = {n}", "yes" if weights else "no", f"{a * 1000:.1f}", f"{b * 1000:.1f}", f"{a / b:.2f}"])
    show("Multi-head attention against nn.MultiheadAttention", ["", "weights", "ours, ms", "torch, ms", "ratio"], rows)


def test_recurrence_against_attention():
    """Forward and back through one layer, batch 8, width 64: one thread, CPU time, medians of interleaved calls."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    gru, head = nn.GRU(64, 64, batch_first=True), MultiHeadAttention(64, 1)
    rows = []
    for n in (16, 64, 256, 1024):
        x = torch.randn(8, n, 64, requires_grad=True)
        recurrent, attending = [], []
        for _ in range(9):
            recurrent.append(cpu_seconds(lambda: gru(x)[0].sum().backward()))
            attending.append(cpu_seconds(lambda: head(x)[0].sum().backward()))
        a, b = statistics.median(recurrent), statistics.median(attending)
        rows.append([f"n = {n}", f"{a * 1000:.1f}", f"{b * 1000:.1f}", f"{a / b:.1f}", n, 1])
    show(
        "One layer over n words: nn.GRU against attention",
        ["", "GRU, ms", "attention, ms", "ratio", "steps in a row, GRU", "attention"],
        rows,
    )


@pytest.mark.parametrize("dropout", [0.0, 0.1])
def test_transformer_training_step(dropout):
    rows = [
        [name, f"{1000 * own:.0f}", f"{1000 * peer:.0f}", f"{peer / own:.2f}"]
        for name, (own, peer) in transformer_speed.training(dropout).items()
    ]
    title = f"Training step of the Transformer against nn.Transformer, dropout {dropout}"
    show(title, ["", "ours, ms", "torch, ms", "our tokens/s ÷ torch's"], rows)


@pytest.mark.parametrize("dropout", [0.0, 0.1])
def test_bert_training_step(dropout):
    """Pretraining, both losses; the head is asked for 15 % of the places, transformers' answers for all."""
    rows = [
        [name, f"{1000 * own:.0f}", f"{1000 * peer:.0f}", f"{tokens / own:,.0f}", f"{peer / own:.2f}"]
        for name, (own, peer, tokens) in bert_speed.training(dropout).items()
    ]
    title = f"Training step of BERT against transformers' BertForPreTraining with SDPA, dropout {dropout}"
    show(title, ["", "ours, ms", "theirs, ms", "our tokens/s", "÷ theirs"], rows)


def test_cache():
    """64 tokens, greedily. For one text at a small size, calling the modules costs more than their arithmetic."""
    rows = [
        [f"{name.partition(' layers')[0]}; {texts} texts", f"{1000 * with_it:.0f}", f"{1000 * without:.0f}"]
        + [f"{without / with_it:.1f}", "yes" if equal else "NO"]
        for texts in (1, 16)
        for name, (with_it, without, equal) in transformer_speed.decoding(texts).items()
    ]
    show("Greedy decoding of 64 tokens", ["", "cache, ms", "without, ms", "times faster", "equal output"], rows)


def test_gpt_training_step():
    """4 layers, d 128, 32 texts of 128 tokens, vocabulary 1024."""
    rows = []
    for dropout in (0.0, 0.1):
        own, peer, bf16 = gpt_speed.training(dropout)
        rows.append([f"dropout {dropout}", *(f"{1000 * each:.0f}" for each in (own, peer, bf16))])
        rows[-1] += [f"{peer / own:.2f}", f"{own / bf16:.2f}"]
    columns = ["", "ours, ms", "transformers, ms", "ours in bf16, ms", "our tokens/s ÷ theirs", "bf16 ÷ float32"]
    show("Training step of GPT against transformers' GPT-2", columns, rows)


def test_gpt_cache():
    rows = []
    for texts in (1, 8):
        with_it, without, equal = gpt_speed.generation(texts)
        row = [f"256 tokens; {texts} text{'s' * (texts > 1)}", f"{1000 * with_it:.0f}", f"{1000 * without:.0f}"]
        rows.append([*row, f"{without / with_it:.1f}", "yes" if equal else "NO"])
    columns = ["", "cache, ms", "without, ms", "times faster", "equal output"]
    show("GPT writes on, greedily", columns, rows)


def test_sliders():
    show(
        "Sliders: from key press to changed picture",
        ["", "ms"],
        [[name, f"{ms:.0f}"] for name, ms in slider_latency.measure().items()],
    )


def test_check():
    rows = [
        [key, *(f"{1000 * seconds:.0f}" for seconds in times.values())] for key, times in check_time.measure().items()
    ]
    show("check(...), ms", ["exercise", "right", "listed mistake", "other mistake"], rows)


def test_run_all():
    """Each lesson from top to bottom in a kernel of its own, outside JupyterLab."""
    rows = []
    for lesson in sorted(NOTEBOOKS.glob("*.ipynb")):
        notebook = nbformat.read(lesson, as_version=4)
        notebook.cells.append(nbformat.v4.new_code_cell(PEAK))
        start = time.perf_counter()
        NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(NOTEBOOKS)}}).execute()
        rows.append([lesson.stem, f"{time.perf_counter() - start:.1f}", notebook.cells[-1].outputs[0].text.strip()])
    show("Run All", ["lesson", "seconds", "peak memory of the kernel, MB"], rows)
