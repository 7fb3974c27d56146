"""What lies near pretrained weights: how far fine-tuning moves, and the loss on the lines between the models it makes.

    start = beginning("pretrained", seed=0)                # or "random", or "shuffled": a BERT with a classifier on top
    model = tuned(start, SENTIMENT.train(32), order=0)     # the start stays as it was
    losses_on_line(model, weights(start), weights(model), ts, loss_on(SENTIMENT.test()))

Whatever is said of the pretrained start has to be compared with the same recipe from a start that knows nothing:
random weights as `Bert` makes them, and the pretrained weights themselves, each matrix with its numbers in another
order, so that they are as long as before. `python -m course_lib.experiments.near_the_start` remakes
data/near_the_start_runs.json; its card is data/near_the_start_runs.md.
"""

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy

import torch
import torch.nn.functional as F

from course_lib.bert_heads import Classifier, collate, labelled_batches
from course_lib.corpora.tiny_world.tasks import SENTIMENT, Example
from course_lib.experiments import tiny_bert
from course_lib.experiments.bert_tasks import marked
from course_lib.experiments.stored import command, read_runs
from course_lib.landscape import distance, length, losses_on_line, weights
from course_lib.support.messages import one_of
from course_lib.support.paths import DATA
from course_lib.training import cosine_decay, fit, scheduled

STORED = DATA / "near_the_start_runs.json"
STARTS = ("pretrained", "random", "shuffled")
RATE, BATCH_SIZE, STEPS = 5e-4, 16, 100
TS = [i / 10 for i in range(11)]


def beginning(kind: str, seed: int = 0) -> Classifier:
    """A BERT of lesson 11's size with an untrained classifier of two classes, which is the same for every kind.

    pretrained: the shipped one. random: untrained, another one for each seed. shuffled: the shipped one's numbers,
    those of each matrix and each vector in random order; nothing of what it knew is left, but all lengths are.
    """
    one_of("kind", kind, STARTS)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        bert = tiny_bert.new_model(seed) if kind == "random" else tiny_bert.pretrained()
        model = Classifier(bert, len(SENTIMENT.labels))
        if kind == "shuffled":
            with torch.no_grad():
                for parameter in bert.parameters():
                    parameter.copy_(parameter.flatten()[torch.randperm(parameter.numel())].view_as(parameter))
    return model


def tuned(
    start: Classifier,
    examples: Sequence[Example],
    order: int = 0,
    steps: int = STEPS,
    losses: list[float] | None = None,
    **options,
) -> Classifier:
    """A copy of `start`, trained; `order` is the seed of the batches. AdamW, 20 steps of warm-up, then a cosine.

    losses: a list that gets each step's loss. options: what else `fit` takes.
    """
    model = deepcopy(start)
    optimizer = torch.optim.AdamW(model.parameters(), RATE, weight_decay=0.01)
    schedule = scheduled(optimizer, lambda step: cosine_decay(step, steps, min(20, steps), lowest=0.02))
    batches = labelled_batches(marked(examples), BATCH_SIZE, order)
    made = fit(model, batches, model.loss, steps, optimizer, schedule, clip=1.0, seed=order, **options)
    if losses is not None:
        losses += made
    return model


@torch.no_grad()
def held_out(model: Classifier, examples: Sequence[Example]) -> tuple[float, float]:
    """The mean loss on these texts, in nats, and the share of them that get their label."""
    batch = collate(marked(examples))
    logits = model(batch.ids, batch.segments, batch.mask)
    loss = F.cross_entropy(logits, batch.labels).item()
    return loss, (logits.argmax(-1) == batch.labels).float().mean().item()


def loss_on(examples: Sequence[Example]) -> Callable[[Classifier], float]:
    """What `landscape` asks at each place: the mean loss on these texts."""
    batch = collate(marked(examples))
    return torch.no_grad()(lambda model: model.loss(batch).item())


def gradients(model: Classifier, examples: Sequence[Example]) -> list[float]:
    """The length of the loss's gradient in the token vectors, then in each block, from the lowest to the highest."""
    loss, found = model.loss(collate(marked(examples))), []
    for part in (model.bert.token, *model.bert.blocks):
        slopes = torch.autograd.grad(loss, list(part.parameters()), retain_graph=True)
        found.append(sum(slope.square().sum() for slope in slopes).sqrt().item())
    return found


# --- the stored runs: about four minutes of one CPU thread ------------------------------------------------------------

SEEDS = range(3)
TESTED = 200  # held-out texts
FEW, MANY = (32, 100), (400, 250)  # labels, and the steps that they are learned in


def _run(seed: int, labels: int, steps: int) -> dict:
    """Six trainings with one recipe, and the lines between them."""
    examples, test = SENTIMENT.train(labels, seed), SENTIMENT.test(TESTED)
    pretrained, random, shuffled = (beginning(kind, seed) for kind in STARTS)
    other = beginning("random", seed + 100)
    plan = {
        "pretrained": (pretrained, 2 * seed),
        "pretrained, other order": (pretrained, 2 * seed + 1),
        "random": (random, 2 * seed),
        "random, other order": (random, 2 * seed + 1),
        "another random": (other, 2 * seed),
        "shuffled": (shuffled, 2 * seed),
    }
    models, measured = {}, {}
    for name, (start, order) in plan.items():
        losses: list[float] = []
        models[name] = model = tuned(start, examples, order, steps, progress=False, losses=losses)
        loss, share = held_out(model, test)
        measured[name] = {
            "loss": round(loss, 4),
            "accuracy": round(share, 4),
            "moved": round(distance(weights(start), weights(model)), 4),
            "start": round(length(weights(start)), 2),
            "learned_by": next((i for i in range(9, steps) if sum(losses[i - 9 : i + 1]) < 1), None),
        }
    ends = {name: weights(model) for name, model in models.items()}
    pairs = {
        "from pretrained weights": (weights(pretrained), ends["pretrained"]),
        "from random weights": (weights(random), ends["random"]),
        "two from pretrained weights": (ends["pretrained"], ends["pretrained, other order"]),
        "two from the same random weights": (ends["random"], ends["random, other order"]),
        "two from different random weights": (ends["random"], ends["another random"]),
        "one of each": (ends["pretrained"], ends["random"]),
    }
    lines, model = {}, models["random"]
    for name, (a, b) in pairs.items():
        lines[name] = {
            text: [round(x, 4) for x in losses_on_line(model, a, b, TS, loss_on(asked)).tolist()]
            for text, asked in (("held out", test), ("training", examples[:100]))
        }
    slopes = {kind: [round(x, 4) for x in gradients(beginning(kind, seed), examples[:32])] for kind in STARTS}
    return {"seed": seed, "labels": labels, "steps": steps, "models": measured, "lines": lines, "gradients": slopes}


def _few() -> Iterator[dict]:
    """So few labels that pretraining makes the difference."""
    return (_run(seed, *FEW) for seed in SEEDS)


def _many() -> Iterator[dict]:
    """So many that a random start learns the task, too."""
    return (_run(seed, *MANY) for seed in SEEDS)


SECTIONS = {"few": _few, "many": _many}


def stored_runs() -> dict[str, list[dict]]:
    """The runs of data/near_the_start_runs.json, by section: few labels, many."""
    return read_runs(STORED)


if __name__ == "__main__":
    command("Fine-tune lesson 15's classifiers and measure the lines between them.", STORED, SECTIONS)
