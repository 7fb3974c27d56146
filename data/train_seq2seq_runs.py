"""Remake data/seq2seq_runs.json: `python data/train_seq2seq_runs.py`. About six minutes of one CPU thread.

The two translators of lesson 01, with attention and without, trained with five seeds by the code that the lesson uses. And, with
three seeds, the one without attention for longer: what a bottleneck costs is a matter of training time, too.
"""

import argparse
import json
import time

import torch

from course_lib.corpora.parallel import number_lists
from course_lib.experiments.seq2seq import Seq2Seq, Seq2SeqConfig, aligned, exact_match, train
from course_lib.support.paths import DATA

STEPS, LONGER = 750, 2000


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Train the translators of lesson 01 and keep how often they are right."
    )
    parser.add_argument("--out", default=DATA / "seq2seq_runs.json")
    parser.add_argument("--seeds", type=int, default=5)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    corpus = number_lists("en", "de")
    trained_lengths = [pair for pair in corpus.test if len(pair.value) <= 8]
    runs = []
    wanted = [(attention, STEPS, seed) for seed in range(arguments.seeds) for attention in (False, True)]
    for attention, steps, seed in [*wanted, *((False, LONGER, seed) for seed in range(3))]:
        torch.manual_seed(seed)
        model = Seq2Seq(Seq2SeqConfig(len(corpus.source_vocabulary), len(corpus.target_vocabulary), attention))
        start = time.process_time()
        losses = train(model, corpus, steps, seed=seed)
        seconds = time.process_time() - start
        run = {"seed": seed, "attention": attention, "steps": steps, "cpu_seconds": round(seconds, 1)}
        run["last_loss"] = round(sum(losses[-20:]) / 20, 4)
        run["exact_match"] = {
            length: round(share, 4) for length, share in exact_match(model, corpus, corpus.test).items()
        }
        if attention:
            run["aligned"] = aligned(model, corpus, trained_lengths)
        print(json.dumps(run), flush=True)
        runs.append(run)
    content = {"source": corpus.source, "target": corpus.target, "torch": torch.__version__, "runs": runs}
    with open(arguments.out, "w", encoding="utf-8") as file:
        file.write(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main()
