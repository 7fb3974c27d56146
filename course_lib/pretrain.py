"""`python -m course_lib.pretrain {bert,gpt}`: the lessons' models, trained longer than a lesson has time for.

    python -m course_lib.pretrain gpt --minutes 10 --seed 0 --out my_gpt.safetensors
    torchrun --nproc_per_node 2 -m course_lib.pretrain bert --out my_bert.safetensors

The recipes are those of `experiments.tiny_bert` and `experiments.tiny_gpt`, with more steps. Beside the model stands
its card, my_gpt.md. As long as the training isn't over, two more files keep it, my_gpt.training.safetensors and .json:
whatever ended it (ctrl-C, a full disk, a power cut), the same command goes on from there, with the same losses as
without a break. It computes on a GPU if there is one.
"""

import argparse
import json
import platform
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from course_lib.checkpoints import read, save_model
from course_lib.corpora.batching import IGNORE_INDEX
from course_lib.corpora.tiny_world import World, baselines, score, tiny_world
from course_lib.corpora.vocabulary import PAD_ID
from course_lib.errors import CourseError
from course_lib.experiments import tiny_bert, tiny_gpt
from course_lib.processes import Processes
from course_lib.support import files

PARAGRAPHS = 25_000
TIMED = 20  # steps on a model that is thrown away, to see how many go into the minutes


@dataclass(frozen=True)
class Recipe:
    """What is done for one of the models. targets: how many predictions a batch's loss is the mean of."""

    lesson: str
    new_model: Callable[[int], nn.Module]
    train: Callable[..., list[float]]  # (model, world, steps, **what fit takes)
    targets: Callable[[Any], int]
    scores: Callable[[nn.Module, World], dict[str, float]]
    left_to_right: bool


RECIPES = {
    "bert": Recipe(
        "11",
        tiny_bert.new_model,
        lambda model, world, steps, **options: tiny_bert.train(model, tiny_bert.as_ids(world.train), steps, **options),
        lambda batch: int((batch.labels != IGNORE_INDEX).sum()),
        lambda model, world: score(world.probes, tiny_bert.answers(model)),
        left_to_right=False,
    ),
    "gpt": Recipe(
        "13",
        tiny_gpt.new_model,
        lambda model, world, steps, **options: tiny_gpt.train(model, world.train, steps, **options),
        lambda ids: int((ids[:, 1:] != PAD_ID).sum()),
        tiny_gpt.accuracies,
        left_to_right=True,
    ),
}


@dataclass
class Plan:
    """What a training must be the same in when it goes on, and what it took so far."""

    model: str
    seed: int
    paragraphs: int
    autocast: str | None
    steps: int
    cpu_seconds: float = 0.0
    seconds: float = 0.0


def pretrain(
    name: str,
    out: str | Path,
    *,
    minutes: float = 10,
    steps: int | None = None,
    seed: int = 0,
    paragraphs: int = PARAGRAPHS,
    autocast: str | None = "auto",
) -> list[float]:
    """Train the model `name`, or go on with it, for about so many minutes or exactly so many steps; each step's loss.

    Raises CourseError where a file can't be written or read, where `out` has another training begun, or where the
    memory is too small. The last good checkpoint stays in each case.
    """
    recipe, out = RECIPES[name], Path(out)
    processes = Processes(recipe.targets)
    kept, plan_file = out.with_suffix(".training.safetensors"), out.with_suffix(".training.json")
    world = tiny_world(seed, paragraphs)

    def train(model: nn.Module, steps: int, **options) -> list[float]:
        options |= {"seed": seed, "autocast": autocast, "processes": processes}
        with processes:
            return recipe.train(model.to(processes.device), world, steps, **options)

    plan = processes.agreed(_begun(plan_file, steps, model=name, seed=seed, paragraphs=paragraphs, autocast=autocast))
    if plan is None:
        if steps is None:
            steps = _fitting(minutes * 60, lambda: train(recipe.new_model(seed), TIMED, progress=False))
        plan = Plan(name, seed, paragraphs, autocast, processes.agreed(steps))
        if processes.rank == 0:
            kept.unlink(missing_ok=True)
            _write(plan_file, plan)
    elif processes.rank == 0:
        print(f"Going on with the training of {plan.steps} steps that {plan_file} began.")

    model, start = recipe.new_model(seed), (time.process_time(), time.perf_counter())
    try:
        losses = train(model, plan.steps, checkpoint=kept, resume=True, name=f"{name}, seed {seed}")
    except (MemoryError, RuntimeError) as error:
        if not _out_of_memory(error):
            raise
        raise CourseError(
            f"The memory is too small for the next step ({error}). Close other programs and give the same command "
            f"again: it goes on from the last checkpoint, {kept}."
        ) from None
    if processes.rank == 0:
        plan.cpu_seconds += (time.process_time() - start[0]) * processes.count
        plan.seconds += time.perf_counter() - start[1]
        if len(losses) < plan.steps:
            _write(plan_file, plan)
            print(f"The same command goes on from there; the model so far is in {kept}.")
        else:
            plan.autocast = read(kept)[1]["training"]["autocast"]  # which one "auto" was
            _finish(recipe, model.cpu(), world, plan, losses, processes, out)
            plan_file.unlink()
            kept.unlink()
    return losses


def _begun(plan_file: Path, steps: int | None, **wanted) -> Plan | None:
    """The plan of a training that was begun here, if it is the one that is wanted."""
    if not plan_file.exists():
        return None
    try:
        plan = Plan(**json.loads(plan_file.read_text("utf-8")))
    except (ValueError, TypeError) as reason:
        raise CourseError(f"{plan_file} is damaged: {reason}. Remove it, and the training begins anew.") from None
    wanted |= {"steps": plan.steps if steps is None else steps}
    for name, value in wanted.items():
        if (there := getattr(plan, name)) != value:
            raise CourseError(
                f"{plan_file} keeps another training, with {name} = {there!r} instead of {value!r}. Finish that one "
                "with its own command, take another --out, or remove the file."
            )
    return plan


def _write(plan_file: Path, plan: Plan) -> None:
    files.write(plan_file, json.dumps(asdict(plan)) + "\n")


def _fitting(seconds: float, some_steps: Callable[[], list[float]]) -> int:
    """How many steps such a time has room for: some are made to warm up, and as many are timed."""
    some_steps()
    start = time.perf_counter()
    some_steps()
    return max(1, round(seconds / ((time.perf_counter() - start) / TIMED)))


def _out_of_memory(error: BaseException) -> bool:
    """On a CPU torch says so in a plain RuntimeError."""
    return isinstance(error, MemoryError | torch.OutOfMemoryError) or "can't allocate memory" in str(error)


# --- the card ---------------------------------------------------------------------------------------------------------

CARD = """\
# {file}

The {model} of lesson {lesson}, trained longer than a lesson has time for.

**Data.** The tiny world (`course_lib/corpora/tiny_world`), {paragraphs} paragraphs, seed {seed}.
No other text, data or weights went in. **Licence:** MIT, as the course.

**Remake it:** `{command}`

**Config.** {config}: {parameters:,} parameters, {size:.1f} MB.

**Training.** {steps} steps in {cpu:.1f} CPU minutes ({clock:.1f} minutes by the clock), in {precision}.
The mean loss of the last 50 steps is {loss:.3f}. Made by {processes} × {threads} on {machine}, torch {torch}.

**Scores** on probes whose combinations training never saw, beside two who have only counted the training text:

| phenomenon | accuracy | majority | trigram |
|---|---|---|---|
"""


def _finish(
    recipe: Recipe, model: nn.Module, world: World, plan: Plan, losses: list[float], processes: Processes, out: Path
) -> None:
    """Write the model, and a card that says what it is."""
    scores, counted = recipe.scores(model, world), baselines(world, recipe.left_to_right)
    loss = sum(losses[-50:]) / len(losses[-50:])
    accuracy = {phenomenon: round(share, 4) for phenomenon, share in scores.items()}
    save_model(model, out, {"steps": plan.steps, "seed": plan.seed, "loss": round(loss, 4), "accuracy": accuracy})
    card = CARD.format(
        file=out.name,
        model={"bert": "BERT", "gpt": "GPT"}[plan.model],
        lesson=recipe.lesson,
        paragraphs=plan.paragraphs,
        seed=plan.seed,
        command=f"python -m course_lib.pretrain {plan.model} --steps {plan.steps} --seed {plan.seed}"
        + f" --paragraphs {plan.paragraphs}" * (plan.paragraphs != PARAGRAPHS)
        + f" --autocast {plan.autocast or 'none'}",
        config=", ".join(f"{name} = {value}" for name, value in asdict(model.config).items()),
        parameters=sum(parameter.numel() for parameter in model.parameters()),
        size=out.stat().st_size / 1e6,
        steps=plan.steps,
        cpu=plan.cpu_seconds / 60,
        clock=plan.seconds / 60,
        precision={None: "float32", "bf16": "bfloat16 (autocast)"}[plan.autocast],
        loss=loss,
        processes="one process" if processes.count == 1 else f"{processes.count} processes",
        threads="one thread" if torch.get_num_threads() == 1 else f"{torch.get_num_threads()} threads",
        machine=_machine(processes),
        torch=torch.__version__,
    )
    for phenomenon, share in scores.items():
        chance = counted[phenomenon]
        card += f"| {phenomenon} | {share:.3f} | {chance['majority']:.3f} | {chance['trigram']:.3f} |\n"
    files.write(out.with_suffix(".md"), card)
    print(f"Written: {out}, and its card, {out.with_suffix('.md')}.")


def _machine(processes: Processes) -> str:
    """The processor's or the GPU's name."""
    if processes.device.type == "cuda":
        return torch.cuda.get_device_name(processes.device)
    listed = Path("/proc/cpuinfo")
    lines = listed.read_text().splitlines() if listed.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m course_lib.pretrain", description="Pretrain a lesson's model for longer.", allow_abbrev=False
    )
    parser.add_argument("model", choices=RECIPES)
    parser.add_argument("--minutes", type=_above_0(float), default=10, help="about how long to train, 10 unless given")
    parser.add_argument("--steps", type=_above_0(int), help="in place of minutes: exactly how many steps")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="the model's file, tiny_bert.safetensors or tiny_gpt.safetensors")
    parser.add_argument("--paragraphs", type=_above_0(int), default=PARAGRAPHS, help="of the tiny world, to learn from")
    parser.add_argument("--autocast", choices=("auto", "bf16", "none"), default="auto", help="auto: measured")
    parser.add_argument(
        "--threads", type=_above_0(int), default=1, help="of each process; two can be slower on a busy machine"
    )
    given = parser.parse_args(arguments)
    torch.set_num_threads(given.threads)
    out = given.out or Path(f"tiny_{given.model}.safetensors")
    autocast = None if given.autocast == "none" else given.autocast
    options = {"seed": given.seed, "paragraphs": given.paragraphs, "autocast": autocast}
    try:
        pretrain(given.model, out, minutes=given.minutes, steps=given.steps, **options)
    except CourseError as sentence:
        sys.exit(str(sentence))


def _above_0(kind: type) -> Callable[[str], float]:
    def number(text: str) -> float:
        if not (value := kind(text)) > 0:
            raise argparse.ArgumentTypeError(f"should be above 0; got {text}")
        return value

    number.__name__ = kind.__name__  # what argparse says of words that are no number
    return number


if __name__ == "__main__":
    main()
