"""A tokenizer's file, tokenizer.json, in the form of Hugging Face's `tokenizers`. That library also reads it for us.

{"version": "1.0", "added_tokens": […], "normalizer": …, "pre_tokenizer": …, "decoder": …, "model": {"type": "BPE", …}}
"""

import json
from pathlib import Path

from course_lib.errors import CourseError
from course_lib.support import files
from course_lib.support.messages import one_of

PLAIN = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}


def read(path: str | Path, model_type: str) -> dict:
    """All of the file, as the library understands it: what a file may leave out is filled in.

    Raises CourseError where it can't be read, where the library refuses it, where its model is of another type, and
    where its ids contradict each other.
    """
    from tokenizers import Tokenizer

    try:
        text = Path(path).read_text(encoding="utf-8")
        data = json.loads(Tokenizer.from_str(text).to_str())
        stated = json.loads(text)
    except OSError as refusal:
        raise CourseError(f"{path} could not be read: {refusal.strerror}.") from refusal
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as reason:  # the library raises nothing more special, and its panics are no Exceptions
        raise CourseError(f"{path} is damaged, or isn't a tokenizer's file: {reason}.") from None
    if data["model"]["type"] != model_type:
        raise CourseError(f"{path} should hold a tokenizer of type {model_type}; got {data['model']['type']}.")
    # Of two tokens with one id the library keeps one; to an added token with a wrong id it gives another. We don't
    # guess.
    if stated["model"]["vocab"] != data["model"]["vocab"] or _ids(stated) != _ids(data):
        raise CourseError(
            f"{path} is damaged: two of its tokens have the same id, or an added token is empty, is there twice, or "
            "has another id than its model gives it."
        )
    return data


def _ids(data: dict) -> list[tuple[int, str]]:
    return sorted((entry["id"], entry["content"]) for entry in data.get("added_tokens", []))


def write(path: str | Path, parts: dict, special_tokens: dict[str, int]) -> None:
    """Whole or not at all. Raises CourseError where the system refuses, or where a string can't be written as UTF-8."""
    added = [
        {"id": id, "content": name} | PLAIN for name, id in sorted(special_tokens.items(), key=lambda item: item[1])
    ]
    head = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added}
    try:
        content = json.dumps(head | parts, ensure_ascii=False, indent=2).encode("utf-8")
    except UnicodeEncodeError as reason:
        alone = reason.object[reason.start]
        raise CourseError(
            f"{path} was not written: a token holds half a character, {alone!r}, which UTF-8 can't store."
        ) from None
    files.write(Path(path), content)


def special_tokens(data: dict) -> dict[str, int]:
    """The "added_tokens" with their ids. Raises CourseError for one that isn't found just as it stands."""
    # "normalized" says nothing where there is no normalizer; GPT-2's file, as published, has it true.
    options = PLAIN if data["normalizer"] else {option: PLAIN[option] for option in PLAIN if option != "normalized"}
    for entry in data["added_tokens"]:
        for option, value in options.items():
            one_of(f'"{option}" of its added token {entry["content"]!r}', entry[option], [value])
    return {entry["content"]: entry["id"] for entry in data["added_tokens"]}


def part(data: dict, name: str, *types: str | None) -> dict:
    """One of the file's parts, {} where it has none. Raises CourseError unless its type is one of those given."""
    found = data[name] or {}
    one_of(f"the type of its {name}", found.get("type"), types)
    return found
