"""Checkpoints in Hugging Face's form: read from a folder or a hub, written whole, and what is no such checkpoint."""

import json
import socket
from types import SimpleNamespace

import huggingface_hub as hub
import pytest
import torch
from huggingface_hub.errors import EntryNotFoundError, LocalEntryNotFoundError, RepositoryNotFoundError
from torch import nn

from course_lib import hugging_face
from course_lib.errors import CourseError

NAME = "somebody/some-model"
WEIGHTS = {"a.weight": torch.arange(6.0).view(2, 3).T, "a.bias": torch.tensor([1.0, 2, 3])}


@pytest.fixture
def folder(tmp_path):
    hugging_face.write(tmp_path / "model", {"model_type": "small", "size": 3}, WEIGHTS)
    return tmp_path / "model"


def as_bin(folder):
    """The same weights as an old checkpoint has them."""
    (folder / "model.safetensors").unlink()
    torch.save(WEIGHTS, folder / "pytorch_model.bin")


# --- a folder ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("change", [lambda folder: None, as_bin], ids=["safetensors", "bin"])
def test_a_folder_is_read_as_it_was_written(folder, change):
    change(folder)
    config, weights = hugging_face.read(folder, "small")
    assert config == {"model_type": "small", "size": 3}
    assert weights.keys() == WEIGHTS.keys()
    assert all(torch.equal(weights[name], WEIGHTS[name]) for name in WEIGHTS)


class Harm:
    """What a pickle may do when it is opened."""

    def __reduce__(self):
        return open, ("harm.txt", "w")


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("config.json", b'{"model_type": "other"}', "type 'other', but here it should be 'small'"),
        ("config.json", b"{}", "type None, but here it should be 'small'"),
        ("config.json", b'{"model_type": "sm', "config.json is damaged, or isn't a model's config"),
        ("config.json", b"[1]", "config.json is damaged, or isn't a model's config"),
        ("config.json", b"\xff\xfe", "config.json is damaged, or isn't a model's config"),
        ("config.json", None, "should be a folder with config.json"),
        ("model.safetensors", None, "should be a folder with model.safetensors or pytorch_model.bin"),
        ("model.safetensors", b"", "model.safetensors is damaged, or holds no weights"),
        ("model.safetensors", b"half a file", "model.safetensors is damaged, or holds no weights"),
        ("pytorch_model.bin", b"", "pytorch_model.bin is damaged, or holds no weights"),
        ("pytorch_model.bin", b"half a file", "pytorch_model.bin is damaged, or holds no weights"),
        ("pytorch_model.bin", [1, 2], "pytorch_model.bin is damaged, or holds no weights: it holds something else"),
        ("pytorch_model.bin", Harm(), "pytorch_model.bin is damaged, or holds no weights"),
    ],
)
def test_what_is_no_checkpoint_gets_a_sentence(folder, file, content, message, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    if file == "pytorch_model.bin":
        (folder / "model.safetensors").unlink()
    if content is None:
        (folder / file).unlink()
    elif isinstance(content, bytes):
        (folder / file).write_bytes(content)
    else:
        torch.save(content, folder / file)
    with pytest.raises(CourseError, match=message):
        hugging_face.read(folder, "small")
    assert not (tmp_path / "harm.txt").exists()


def test_a_file_where_a_folder_should_be(folder):
    with pytest.raises(CourseError, match="should be a folder with config.json"):
        hugging_face.read(folder / "config.json", "small")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda weights: weights.pop("a.bias"), r"'a.bias' is missing there, and \(3,\) in"),
        (lambda weights: weights.update(b=torch.ones(2)), r"'b' is \(2,\) there, and missing in"),
        (lambda weights: weights.update({"a.bias": torch.ones(2)}), r"'a.bias' is \(2,\) there, and \(3,\) in"),
    ],
)
def test_weights_that_do_not_fit_change_nothing(change, message):
    model, names = nn.Linear(2, 3), {"a.weight": "weight", "a.bias": "bias"}
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    weights = dict(WEIGHTS)
    change(weights)
    with pytest.raises(CourseError, match=message):
        hugging_face.load_into(model, names, weights, "there")
    assert all(torch.equal(before[name], tensor) for name, tensor in model.state_dict().items())

    hugging_face.load_into(model, names, WEIGHTS, "there")
    assert torch.equal(model.weight, WEIGHTS["a.weight"])


def test_a_full_disk_leaves_what_was_there(folder, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(CourseError, match="the disk is full"):
        hugging_face.write(folder, {"model_type": "small", "size": 4}, {"a.weight": torch.ones(1)})
    monkeypatch.undo()
    assert hugging_face.read(folder, "small")[0]["size"] == 3


# --- the hub ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def a_hub(folder, monkeypatch):
    """A hub that has one model; what is downloaded from it is on the disk from then on."""
    disk, asked = set(), []

    def metadata(url):
        asked.append(url)
        if NAME not in url:
            raise RepositoryNotFoundError("no", response=SimpleNamespace(headers={}, request=None))
        if not (folder / url.rsplit("/", 1)[1]).exists():
            raise EntryNotFoundError("no")

    def download(name, file, local_files_only=False):
        hub.utils.validate_repo_id(name)
        if local_files_only and (name, file) not in disk:
            raise LocalEntryNotFoundError("not here")
        disk.add((name, file))
        return str(folder / file)

    monkeypatch.setattr(hub, "get_hf_file_metadata", metadata)
    monkeypatch.setattr(hub, "hf_hub_download", download)
    return asked


@pytest.mark.parametrize("change", [lambda folder: None, as_bin], ids=["safetensors", "bin"])
def test_a_name_on_the_hub_is_fetched_once(a_hub, folder, change):
    change(folder)
    for _ in range(2):
        config, weights = hugging_face.read(NAME, "small")
        assert config["size"] == 3 and torch.equal(weights["a.bias"], WEIGHTS["a.bias"])
    assert sum("config.json" in url for url in a_hub) == 1


def test_names_that_the_hub_does_not_have(a_hub, folder):
    with pytest.raises(CourseError, match="no folder here, and Hugging Face's hub has no model of this name"):
        hugging_face.read("somebody/another", "small")
    with pytest.raises(CourseError, match="can't be the name of a model"):
        hugging_face.read("a/b/c", "small")
    (folder / "model.safetensors").unlink()
    with pytest.raises(CourseError, match="has no model.safetensors or pytorch_model.bin"):
        hugging_face.read(NAME, "small")


def test_without_internet_a_sentence_comes_soon(monkeypatch):
    def unknown(*_args, **_more):
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    for variable in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(variable, raising=False)
        monkeypatch.delenv(variable.upper(), raising=False)
    waited = []
    monkeypatch.setattr("time.sleep", waited.append)
    with pytest.raises(CourseError, match="could not be fetched from Hugging Face's hub: .*Without internet, take"):
        hugging_face.read("somebody/not-here", "small")
    assert waited == []


def test_json_is_readable(folder):
    assert json.loads((folder / "config.json").read_text()) == {"model_type": "small", "size": 3}
