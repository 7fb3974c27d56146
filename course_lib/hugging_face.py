"""Checkpoints in Hugging Face's form: a folder with config.json and the weights, here or on their hub.

    config, weights = read("google-bert/bert-base-uncased", "bert")     # or the path of a folder
    write("my_bert", {"model_type": "bert", …}, weights)

What the names in there mean, each model knows for itself (`from_pretrained`, `save_pretrained`).
"""

import json
from pathlib import Path

import huggingface_hub as hub
import torch
from huggingface_hub.errors import EntryNotFoundError, LocalEntryNotFoundError, RepositoryNotFoundError
from safetensors.torch import load_file, save
from torch import Tensor, nn

from course_lib.errors import CourseError
from course_lib.support import files

CONFIG, WEIGHTS = "config.json", ("model.safetensors", "pytorch_model.bin")  # the second is what old ones have


def read(name_or_path: str | Path, model_type: str) -> tuple[dict, dict[str, Tensor]]:
    """The config and the weights, under their names there. A folder here goes before a name on the hub.

    What was downloaded once is taken from the disk. No code that stands in the files is run.
    Raises CourseError where there is none, it can't be fetched, it is damaged, or it is another kind of model.
    """
    local = Path(name_or_path).is_dir()
    fetch = _here if local or Path(name_or_path).exists() else _from_hub
    path = fetch(name_or_path, CONFIG)
    try:
        config = json.loads(path.read_text("utf-8"))
        found = config.get("model_type")
    except (ValueError, AttributeError, OSError) as reason:
        raise CourseError(f"{path} is damaged, or isn't a model's config: {reason}. Take another copy.") from None
    if found != model_type:
        raise CourseError(f"{name_or_path} holds a model of the type {found!r}, but here it should be {model_type!r}.")
    return config, _weights(fetch(name_or_path, *WEIGHTS))


def write(folder: str | Path, config: dict, weights: dict[str, Tensor]) -> None:
    """Both files, each whole or not at all. Raises CourseError where they can't be written."""
    weights = {name: tensor.detach().cpu().contiguous() for name, tensor in weights.items()}
    files.write(Path(folder) / WEIGHTS[0], save(weights, {"format": "pt"}))
    files.write(Path(folder) / CONFIG, json.dumps(config, indent=2) + "\n")


def load_into(model: nn.Module, own_names: dict[str, str], weights: dict[str, Tensor], source: str | Path) -> None:
    """Copy weights into the model: `own_names` says what each one of the checkpoint is called in the model.

    Raises CourseError, and changes nothing, where one is missing, one is left over, or has another shape.
    """
    state = model.state_dict()
    for name in [*own_names, *weights]:
        there = tuple(weights[name].shape) if name in weights else "missing"
        here = tuple(state[own_names[name]].shape) if name in own_names else "missing"
        if there != here:
            raise CourseError(
                f"{source} doesn't fit its own config, or is another model's: {name!r} is {there} there, and {here} in "
                "this model."
            )
    model.load_state_dict({own_names[name]: tensor for name, tensor in weights.items()}, strict=False)


def _here(folder: str | Path, *names: str) -> Path:
    """The first of these files that is in the folder."""
    for name in names:
        if (Path(folder) / name).is_file():
            return Path(folder) / name
    raise CourseError(f"{folder} should be a folder with {' or '.join(names)}, as save_pretrained makes it.")


def _from_hub(name: str | Path, *names: str) -> Path:
    """The first of these files that the hub has, on this disk."""
    for file in names:
        try:
            return Path(hub.hf_hub_download(str(name), file, local_files_only=True))
        except ValueError:
            raise CourseError(
                f"{name} is no folder here, and can't be the name of a model on Hugging Face's hub. A name there looks "
                "like google-bert/bert-base-uncased."
            ) from None
        except LocalEntryNotFoundError:
            pass
    for file in names:
        try:
            hub.get_hf_file_metadata(hub.hf_hub_url(str(name), file))  # asks once; the next would for half a minute
            return Path(hub.hf_hub_download(str(name), file))
        except RepositoryNotFoundError:
            raise CourseError(
                f"{name} is no folder here, and Hugging Face's hub has no model of this name that all may read."
            ) from None
        except EntryNotFoundError:
            pass
        except Exception as reason:  # what a network and its libraries can all raise
            raise CourseError(
                f"{name} is no folder here, and could not be fetched from Hugging Face's hub: {reason}. Without "
                "internet, take a model's folder from a machine that has it, and pass the folder's path."
            ) from None
    raise CourseError(f"{name} on Hugging Face's hub has no {' or '.join(names)}.")


def _weights(path: Path) -> dict[str, Tensor]:
    try:
        if path.suffix == ".safetensors":
            return load_file(path)
        weights = torch.load(path, map_location="cpu", weights_only=True)
        if not (isinstance(weights, dict) and all(isinstance(each, Tensor) for each in weights.values())):
            raise ValueError("it holds something else than weights")
        return dict(weights)
    except Exception as reason:  # a damaged pickle can raise any
        raise CourseError(f"{path} is damaged, or holds no weights: {reason}. Take another copy.") from None
