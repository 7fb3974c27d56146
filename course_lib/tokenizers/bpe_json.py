"""A BPETokenizer as the data of a tokenizer.json, and back.

The file is made of Unicode text, and a byte is none. GPT-2's way out: each of the 256 bytes is written as a printable character of its own. Those that are printable
in Latin-1 stand for themselves; the others, such as the space, take the characters from U+0100 on (the space is Ġ).
"""

from pathlib import Path

from course_lib.errors import CourseError
from course_lib.tokenizers import json_file, words
from course_lib.tokenizers.alphabets import Bytes, Characters

PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
OTHERS = [byte for byte in range(256) if byte not in PRINTABLE]
CHARACTER = {byte: chr(byte) for byte in PRINTABLE} | {byte: chr(0x100 + i) for i, byte in enumerate(OTHERS)}
BYTE = {character: byte for byte, character in CHARACTER.items()}

BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
MODEL = {
    "type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None, "end_of_word_suffix": None,
    "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
}  # fmt: skip


def as_json(tokenizer) -> dict:
    """The whole content of the file. Raises CourseError where two tokens would be written the same."""
    alphabet = tokenizer.alphabet
    if isinstance(alphabet, Bytes):
        pre_tokenizer = BYTE_LEVEL
        if alphabet.pattern != words.GPT2:
            cut = {"type": "Split", "pattern": {"Regex": alphabet.pattern}, "behavior": "Isolated", "invert": False}
            pre_tokenizer = {"type": "Sequence", "pretokenizers": [cut, BYTE_LEVEL | {"use_regex": False}]}
        decoder, more = BYTE_LEVEL, {}
    else:
        pre_tokenizer = {"type": "WhitespaceSplit"}
        decoder = {"type": "BPEDecoder", "suffix": alphabet.end_of_word}
        more = {"end_of_word_suffix": alphabet.end_of_word, "unk_token": alphabet.unknown}
    vocab = {_written(token): i for token, i in tokenizer.vocab.items()}
    if len(vocab) < len(tokenizer.vocab):
        name = next(
            name
            for name in tokenizer.special_tokens
            if vocab[name] != tokenizer.special_tokens[name] or bytes(BYTE.get(c, 0) for c in name) in tokenizer.vocab
        )
        raise CourseError(
            f"The file would write the special token {name!r} and a token learnt from the text in the same way. Give it another name."
        )
    merges = [[_written(left), _written(right)] for left, right in tokenizer.merges]
    return {
        "version": json_file.VERSION, "truncation": None, "padding": None, "added_tokens": json_file.added_tokens(tokenizer.special_tokens),
        "normalizer": None, "pre_tokenizer": pre_tokenizer, "post_processor": None, "decoder": decoder,
        "model": MODEL | more | {"vocab": vocab, "merges": merges},
    }  # fmt: skip


def _written(token: bytes | str) -> str:
    return token if isinstance(token, str) else "".join(map(CHARACTER.__getitem__, token))


def from_json(kind: type, data: dict, path: str | Path):
    """A tokenizer of class `kind` from the file's data. Raises CourseError where something is missing, contradicts itself, or isn't done here."""
    model = data["model"]
    if model["type"] != "BPE":
        raise CourseError(f'{path} holds a model of type {model["type"]!r}, not "BPE".')
    for part in ("normalizer", "truncation", "padding"):
        if data.get(part):
            raise CourseError(f"{path} can't be used here: it asks for \"{part}\", which we don't have.")
    if data.get("post_processor") and data["post_processor"].get("type") != "ByteLevel":
        raise CourseError(
            f"{path} can't be used here: its post_processor, {data['post_processor'].get('type')!r}, adds tokens of its own."
        )
    for option in ("dropout", "continuing_subword_prefix", "fuse_unk", "byte_fallback", "ignore_merges"):
        if model.get(option):
            raise CourseError(f"{path} can't be used here: its model asks for \"{option}\", which we don't have.")
    vocab = json_file.vocabulary(path, model)
    special = json_file.special_tokens(path, data, vocab)
    pairs = _pairs(path, model)
    pattern = _byte_pattern(path, data.get("pre_tokenizer"))
    if pattern is not None:
        vocab = {token if token in special else _bytes(path, token): i for token, i in vocab.items()}
        pairs = [(_bytes(path, left), _bytes(path, right)) for left, right in pairs]
        alphabet = Bytes(pattern)
    else:
        alphabet = _characters(path, data, vocab, special, pairs)
    _check_order(path, alphabet, pairs, vocab)
    return kind(alphabet, pairs, special, vocab | special)


def _byte_pattern(path, pre_tokenizer) -> str | None:
    """The pattern of a tokenizer over bytes; None for one over characters, whose words stand between spaces."""
    steps = (pre_tokenizer or {}).get("pretokenizers", [pre_tokenizer or {}])
    kinds = [step.get("type") for step in steps]
    if kinds == ["WhitespaceSplit"]:
        return None
    if kinds and kinds[-1] == "ByteLevel" and not steps[-1].get("add_prefix_space", True):
        if len(steps) == 1 and steps[0].get("use_regex", True):
            return words.GPT2
        if kinds[:-1] == ["Split"] and not steps[-1].get("use_regex", True):
            cut = steps[0]
            if cut.get("behavior") == "Isolated" and not cut.get("invert") and "Regex" in cut.get("pattern", {}):
                return cut["pattern"]["Regex"]
    raise CourseError(
        f"{path} can't be used here: its pre_tokenizer should be ByteLevel without a prefix space, a Split by a pattern followed by ByteLevel, "
        f"or WhitespaceSplit, but it is {', then '.join(map(str, kinds))}."
    )


def _characters(path, data: dict, vocab: dict, special: dict, pairs: list) -> Characters:
    """The alphabet of a tokenizer over characters: all that no merge makes."""
    model, mark = data["model"], data["model"].get("end_of_word_suffix")
    unknown = model.get("unk_token")
    if not mark or (data.get("decoder") or {}).get("type") != "BPEDecoder":
        raise CourseError(
            f'{path} can\'t be used here: words stand between spaces, so its model should have an "end_of_word_suffix" and its decoder be a BPEDecoder.'
        )
    if unknown not in vocab:
        raise CourseError(
            f"{path} can't be used here: it has no unk_token in its vocabulary, so characters that it doesn't know would be lost without a trace."
        )
    made = {left + right for left, right in pairs}
    base = [token for token in vocab if token not in made and token not in special and token != unknown]
    return Characters([token for token in base if len(token.removesuffix(mark)) == 1], mark, unknown)


def _pairs(path, model: dict) -> list[tuple[str, str]]:
    """The merges, written as [left, right], or "left right" in older files."""
    found = []
    for merge in model.get("merges") if isinstance(model.get("merges"), list) else [None]:
        parts = merge.split(" ") if isinstance(merge, str) else merge
        if not isinstance(parts, list) or len(parts) != 2 or not all(isinstance(part, str) and part for part in parts):
            raise CourseError(
                f'{path} is damaged: its "merges" should be a list of pairs of tokens, but {merge!r} is among them.'
            )
        found.append((parts[0], parts[1]))
    return found


def _bytes(path, token: str) -> bytes:
    try:
        return bytes(map(BYTE.__getitem__, token))
    except KeyError as wrong:
        raise CourseError(
            f"{path} is damaged: the character {wrong.args[0]!r} in token {token!r} stands for no byte."
        ) from None


def _check_order(path, alphabet, pairs: list, vocab: dict) -> None:
    """Each merge joins base symbols or what earlier merges made, and makes something new that has an id."""
    known = set(alphabet.tokens)
    for left, right in pairs:
        missing = next((token for token in (left, right) if token not in known), None)
        if missing is not None:
            raise CourseError(
                f"{path} is damaged: the merge of {left!r} and {right!r} comes before anything makes {missing!r}."
            )
        if left + right in known:
            raise CourseError(f"{path} can't be used here: two of its merges make {left + right!r}.")
        if left + right not in vocab:
            raise CourseError(f"{path} is damaged: its vocabulary lacks {left + right!r}, which a merge makes.")
        known.add(left + right)
