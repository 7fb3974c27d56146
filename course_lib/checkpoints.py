"""Trained weights in a file: a model's, or a whole training's, which goes on as if it had never stopped.

    save_model(model, "translator.safetensors", metrics={"exact match": 0.97})
    model = load_model("translator.safetensors", lambda config: Transformer(TransformerConfig(**config)))
    fit(…, checkpoint="run.safetensors", resume=True)

One safetensors file holds the weights under their names, and in its metadata, as JSON, the model's config and metrics.
A training's file is the same with more beside it, so `load_model` reads both. Files are written whole or not at all:
whatever happens during a save, the last good one stays. Reading one runs no code that may stand in it, as a pickle's
would.
"""

import json
import zlib
from collections.abc import Callable
from dataclasses import asdict, is_dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler

from course_lib.errors import CourseError
from course_lib.support import files

FACTS = ("config", "metrics", "training")
BESIDE = "training/"  # how the names of tensors begin that aren't the model's


def save_model(model: nn.Module, path: str | Path, metrics: dict | None = None) -> None:
    """The weights, `model.config` (a dataclass) and what was measured. Raises CourseError where it can't be written."""
    if (config := _config(model)) is None:
        raise CourseError(
            f"A model is loaded by its config, a dataclass, but {type(model).__name__} has no such .config."
        )
    write(path, _weights(model), {"config": config, "metrics": metrics or {}})


def load_model(path: str | Path, build: Callable[[dict], nn.Module]) -> nn.Module:
    """The model that was saved, in eval mode. `build` makes it from its config, whose tuples have become lists.

    Raises CourseError where the file is missing, damaged or another model's. Moves no random numbers of the caller's.
    """
    tensors, facts = read(path)
    if not facts.get("config"):
        raise CourseError(f"{path} holds no config, so it isn't a model that this course has saved.")
    with torch.random.fork_rng():
        try:
            model = build(facts["config"])
        except TypeError as reason:
            raise CourseError(f"{path} holds another kind of model, or one of another version: {reason}.") from reason
    model.load_state_dict(_fitting(tensors, model, path), strict=False)  # what is missing is tied to what is there
    return model.eval()


# --- a training -------------------------------------------------------------------------------------------------------


def save_training(
    path: str | Path,
    model: nn.Module,
    optimizer: Optimizer,
    schedule: LRScheduler | None,
    losses: list[float],
    autocast: str | None = None,
) -> None:
    """All that the next step depends on; `losses` says how many there were. `training.fit` calls this between steps."""
    state = {
        "optimizer": optimizer.state_dict(),
        "schedule": schedule and schedule.state_dict(),
        "losses": torch.tensor(losses, dtype=torch.float64),
        "random": torch.get_rng_state(),
        "random_cuda": torch.cuda.get_rng_state_all(),
    }
    tensors = _weights(model)
    facts = {
        "config": _config(model),
        "metrics": {"steps": len(losses), "loss": losses[-1] if losses else None},
        "training": {
            "made by": _makers(optimizer, schedule),
            "autocast": autocast,
            "state": _taken_out(state, f"{BESIDE}state", tensors),
        },
    }
    write(path, tensors, facts)


def load_training(
    path: str | Path, model: nn.Module, optimizer: Optimizer, schedule: LRScheduler | None, autocast: str | None = None
) -> tuple[list[float], str | None, Callable[[], None]]:
    """Puts model, optimizer and schedule back; returns the losses, autocast, and what puts torch's random numbers back.

    autocast "auto" is what the file says; another should be the same as there.
    Raises CourseError, and changes nothing, where the file is missing, damaged or another training's.
    """
    tensors, facts = read(path)
    if "training" not in facts:
        raise CourseError(f"{path} holds a model, but no training that could go on.")
    weights = _fitting(tensors, model, path)
    saved, here = facts.get("config") or {}, json.loads(json.dumps(_config(model))) or {}
    for name in [*here, *saved]:  # not all of them show in the weights: heads, dropout
        there, own = saved.get(name), here.get(name)
        if there != own:
            raise CourseError(
                f"{path} was saved by a model with {name} = {there!r}, but this one has {own!r}. Take the same again."
            )
    saved, here = facts["training"]["made by"], _makers(optimizer, schedule)
    if saved != here:
        raise CourseError(f"{path} was saved by a training with {saved}, but this one has {here}. Take the same again.")
    precision = facts["training"].get("autocast")
    if autocast not in (precision, "auto"):
        raise CourseError(
            f"{path} was saved by a training with autocast={precision!r}, but this one has {autocast!r}. Take the "
            "same again."
        )
    state = _put_back(facts["training"]["state"], tensors)
    model.load_state_dict(weights, strict=False)
    optimizer.load_state_dict(state["optimizer"])
    if schedule is not None:
        schedule.load_state_dict(state["schedule"])

    def put_random_numbers_back() -> None:
        torch.set_rng_state(state["random"])
        if len(state["random_cuda"]) == torch.cuda.device_count():
            torch.cuda.set_rng_state_all(state["random_cuda"])

    return state["losses"].tolist(), precision, put_random_numbers_back


def _config(model: nn.Module) -> dict | None:
    config = getattr(model, "config", None)
    return asdict(config) if is_dataclass(config) else None


def _makers(optimizer: Optimizer, schedule: LRScheduler | None) -> str:
    """'AdamW for 3 + 5 tensors and no schedule': what must be the same again, so that the state fits."""
    groups = " + ".join(str(len(group["params"])) for group in optimizer.param_groups)
    return (
        f"{type(optimizer).__name__} for {groups} tensors and {type(schedule).__name__ if schedule else 'no schedule'}"
    )


def _taken_out(value, name: str, tensors: dict[str, Tensor]):
    """`value` as JSON can hold it: each tensor inside goes to `tensors`, and its name stands in its place."""
    if isinstance(value, Tensor):
        tensors[name] = value
        return {"tensor": name}
    if isinstance(value, dict):  # as pairs: JSON would turn the keys 0, 1, 2 into strings
        return {"dict": [[key, _taken_out(each, f"{name}.{key}", tensors)] for key, each in value.items()]}
    if isinstance(value, list | tuple):
        return [_taken_out(each, f"{name}.{i}", tensors) for i, each in enumerate(value)]
    return value


def _put_back(value, tensors: dict[str, Tensor]):
    if isinstance(value, list):
        return [_put_back(each, tensors) for each in value]
    if isinstance(value, dict):
        if "tensor" in value:
            return tensors[value["tensor"]]
        return {key: _put_back(each, tensors) for key, each in value["dict"]}
    return value


# --- weights ----------------------------------------------------------------------------------------------------------


def _weights(model: nn.Module) -> dict[str, Tensor]:
    """The model's state. What is tied, as embeddings to an output layer, stands there once, under its first name."""
    seen, kept = set(), {}
    for name, tensor in model.state_dict().items():
        place = (tensor.data_ptr(), tensor.shape, tensor.stride()) if tensor.numel() else name
        if place not in seen:
            kept[name] = tensor
        seen.add(place)
    return kept


def _fitting(tensors: dict[str, Tensor], model: nn.Module, path: str | Path) -> dict[str, Tensor]:
    """The file's weights, if they are just this model's."""
    saved = {name: tensor for name, tensor in tensors.items() if not name.startswith(BESIDE)}
    own = _weights(model)
    for name in [*own, *saved]:
        there, here = (tuple(which[name].shape) if name in which else "missing" for which in (saved, own))
        if there != here:
            raise CourseError(
                f"{path} holds the weights of another model: {name!r} is {there} there, and {here} in this model. "
                "Build the model with the config that it was saved with."
            )
    return saved


# --- the file ---------------------------------------------------------------------------------------------------------


def write(path: str | Path, tensors: dict[str, Tensor], facts: dict) -> None:
    """Tensors and facts (what JSON can hold) as one safetensors file, whole or not at all."""
    path = Path(path)
    files.remove_leftovers(path.parent)
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    try:
        text = {name: json.dumps(fact) for name, fact in facts.items()}
    except TypeError as reason:
        advice = "Of a tensor of one number, take .item()"
        raise CourseError(f"Beside the weights, {path} can hold numbers and words alone: {reason}. {advice}.") from None
    files.write(path, save(tensors, text | {"checksum": _checksum(tensors, text)}))


def read(path: str | Path) -> tuple[dict[str, Tensor], dict]:
    """Tensors and facts. Raises CourseError where the file is missing, is damaged, or is no safetensors file."""
    if not Path(path).is_file():
        raise CourseError(f"There is no file {path}. Save something there first, or take another path.")
    try:
        with safe_open(path, framework="pt") as file:
            said = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (no dict)
        text = {name: said[name] for name in FACTS if name in said}
        if said.get("checksum") not in (None, _checksum(tensors, text)):
            raise ValueError("its checksum is another")
        return tensors, {name: json.loads(fact) for name, fact in text.items()}
    except (SafetensorError, OSError, ValueError) as reason:
        raise CourseError(
            f"{path} is damaged, or isn't a safetensors file: {reason}. Take another copy, or make it again."
        ) from None


def _checksum(tensors: dict[str, Tensor], text: dict[str, str]) -> str:
    """CRC-32 of everything. A half-written file is noticed by its length, a wrong byte only by this."""
    total = zlib.crc32(json.dumps(text, sort_keys=True).encode())
    for name in sorted(tensors):
        total = zlib.crc32(name.encode(), total)
        total = zlib.crc32(tensors[name].reshape(-1).view(torch.uint8).numpy(), total)
    return f"{total:08x}"
