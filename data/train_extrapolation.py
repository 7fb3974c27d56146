"""Remake data/extrapolation.json: `python data/train_extrapolation.py`. About a minute of one CPU thread for each of five seeds."""

import argparse
import json
import time

import torch

from course_lib.experiments.extrapolation import LENGTHS, SCHEMES, STORED, TASKS, compare


def table(runs: dict, seeds: list[int]) -> str:
    """The runs of all seeds as a table: the smallest and the largest accuracy at three lengths."""
    shown = (32, 40, 64)
    head = ["positions", *(f"{task} at {n}" for task in TASKS for n in shown)]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for scheme in SCHEMES:
        row = [scheme]
        for task in TASKS:
            for n in shown:
                values = [runs[task][scheme][i][LENGTHS.index(n)] for i in range(len(seeds))]
                row.append(f"{min(values):.3f} – {max(values):.3f}")
        lines.append("| " + " | ".join(row) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description="Train every position scheme on both tasks, several times; store the accuracies."
    )
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3, 4, 5])
    parser.add_argument("--out", default=STORED, help="where the accuracies go")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    runs = {task: {scheme: [] for scheme in SCHEMES} for task in TASKS}
    for seed in arguments.seeds:
        start = time.process_time()
        for (task, scheme), of_length in compare(seed).items():
            runs[task][scheme].append([round(of_length[n], 4) for n in LENGTHS])
        print(f"seed {seed}: {time.process_time() - start:.0f} s of one CPU thread", flush=True)
    with open(arguments.out, "w", encoding="utf-8") as file:
        stored = {
            "seeds": arguments.seeds,
            "lengths": LENGTHS,
            "accuracy": "on the last eight words of 256 texts",
            "runs": runs,
        }
        json.dump(stored, file, indent=1)
    print(table(runs, arguments.seeds))
