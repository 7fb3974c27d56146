"""The file of a tokenizer, tokenizer.json, in the form that Hugging Face's `tokenizers` reads and writes.

{"version": "1.0", "added_tokens": […], "normalizer": …, "pre_tokenizer": …, "decoder": …, "model": {"type": "BPE", "vocab": …}}
"""

import json
from pathlib import Path

from course_lib.errors import CourseError
from course_lib.support import files

VERSION = "1.0"


def read(path: str | Path) -> dict:
    """All of the file. Raises CourseError where it is missing, damaged, of another version, or holds no tokenizer."""
    path = Path(path)
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CourseError(f"There is no file {path}. A tokenizer's `save` makes one.") from None
    except IsADirectoryError:
        raise CourseError(f"{path} is a folder, but a tokenizer is one file, usually called tokenizer.json.") from None
    except OSError as refusal:
        raise CourseError(f"{path} could not be read: {refusal.strerror}.") from refusal
    except UnicodeDecodeError as reason:
        raise CourseError(
            f"{path} isn't a tokenizer's file: it should be text in UTF-8, but byte {reason.start} isn't."
        ) from None
    except (ValueError, RecursionError) as reason:
        raise CourseError(f"{path} is damaged: it should be JSON, but {reason}. Save the tokenizer again.") from None
    if not isinstance(data, dict):
        raise CourseError(
            f"{path} isn't a tokenizer's file: it should hold one JSON object, but it holds a {type(data).__name__}."
        )
    for key in ("version", "model"):
        if key not in data:
            raise CourseError(f"{path} isn't a tokenizer's file: it has no \"{key}\".")
    if data["version"] != VERSION:
        raise CourseError(f'{path} has version {data["version"]!r}, but only version "{VERSION}" can be read.')
    model = data["model"]
    if not isinstance(model, dict) or not isinstance(model.get("type"), str):
        raise CourseError(
            f'{path} isn\'t a tokenizer\'s file: its "model" should be an object with a "type" such as "BPE".'
        )
    return data


def write(path: str | Path, data: dict) -> None:
    """Whole or not at all. Raises CourseError where the system refuses, or where a string can't be written as UTF-8."""
    path = Path(path)
    try:
        content = json.dumps(data, ensure_ascii=False, indent=2).encode("utf-8")
    except UnicodeEncodeError as reason:
        alone = reason.object[reason.start]
        raise CourseError(
            f"{path} was not written: a token holds half a character, {alone!r}, which UTF-8 can't store."
        ) from None
    if path.is_dir():
        raise CourseError(
            f"{path} is a folder, but a tokenizer is one file. Add a name, such as {path / 'tokenizer.json'}."
        )
    files.write(path, content)


def vocabulary(path: str | Path, model: dict) -> dict[str, int]:
    """The model's "vocab": each token with an id of its own. Raises CourseError where it is missing or isn't one."""
    vocab = model.get("vocab")
    if not isinstance(vocab, dict):
        raise CourseError(
            f'{path} is damaged: its "model" should have a "vocab", an object that gives each token its id.'
        )
    tokens: dict[int, str] = {}
    for token, id in vocab.items():
        if type(id) is not int or id < 0:
            raise CourseError(
                f"{path} is damaged: the id of token {token!r} should be a whole number from 0, but it is {id!r}."
            )
        if id in tokens:
            raise CourseError(f"{path} is damaged: tokens {tokens[id]!r} and {token!r} have the same id, {id}.")
        tokens[id] = token
    return vocab


def special_tokens(path: str | Path, data: dict, vocab: dict[str, int]) -> dict[str, int]:
    """The "added_tokens" with their ids. Raises CourseError for one that isn't found as it stands wherever it stands."""
    added = data.get("added_tokens") or []
    special: dict[str, int] = {}
    tokens = {id: token for token, id in vocab.items()}
    for entry in added if isinstance(added, list) else [added]:
        if not isinstance(entry, dict) or not isinstance(entry.get("content"), str) or type(entry.get("id")) is not int:
            raise CourseError(
                f'{path} is damaged: each of its "added_tokens" should have a "content" and an "id", unlike {entry!r}.'
            )
        content, id = entry["content"], entry["id"]
        if (
            not content
            or content in special
            or id < 0
            or tokens.get(id, content) != content
            or vocab.get(content, id) != id
        ):
            raise CourseError(
                f"{path} is damaged: added token {content!r} with id {id} is empty, there twice, or has another's id."
            )
        for option in ("single_word", "lstrip", "rstrip", "normalized"):
            if entry.get(option, False):
                raise CourseError(
                    f"{path} can't be used here: added token {content!r} asks for \"{option}\", which we don't have."
                )
        if not entry.get("special", False):
            raise CourseError(
                f"{path} can't be used here: added token {content!r} isn't special, but all that we add are special tokens."
            )
        special[content] = id
        tokens[id] = content
    return special


def added_tokens(special: dict[str, int]) -> list[dict]:
    """Special tokens as the file's "added_tokens"."""
    plain = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return [{"id": id, "content": token} | plain for token, id in sorted(special.items(), key=lambda item: item[1])]
