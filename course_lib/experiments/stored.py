"""Runs that are kept in data/: how they are measured on their way, made again, and read."""

import argparse
import json
import time
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from pathlib import Path

import torch

from course_lib.support.files import write

Sections = Mapping[str, Callable[[], Iterable[dict]]]


class Watch:
    """Measures after so many steps, and how many CPU seconds of training alone it took to get there."""

    def __init__(self, steps: Container[int], measure: Callable[[], dict]):
        self.steps, self.measure, self.rows = steps, measure, []
        self.start, self.paused = time.process_time(), 0.0

    def __call__(self, step: int) -> None:
        if step in self.steps:
            now = time.process_time()
            self.rows.append({"step": step, "cpu_seconds": round(now - self.start - self.paused, 1)} | self.measure())
            self.paused += time.process_time() - now


def read_runs(path: Path) -> dict[str, list[dict]]:
    """The runs of each section."""
    return json.loads(path.read_text("utf-8"))["runs"]


def remake(path: Path, sections: Sections, only: Sequence[str] | None = None) -> None:
    """Makes the runs of these sections again, all by default, and writes them to `path`; others stay as they are."""
    runs = read_runs(path) if path.exists() else {}
    for section in only or sections:
        runs[section] = []
        for run in sections[section]():
            print(json.dumps(run), flush=True)
            runs[section].append(run)
            write(path, json.dumps({"torch": torch.__version__, "runs": runs}, indent=1) + "\n")


def command(description: str, path: Path, sections: Sections) -> None:
    """`python -m` of an experiment: remakes its file, or what --only names, on one thread."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--only", choices=sections, action="append", help="a section; the others stay as they are")
    parser.add_argument("--out", type=Path, default=path, help="where the runs go")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    remake(arguments.out, sections, arguments.only)
