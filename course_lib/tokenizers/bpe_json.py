"""What a tokenizer.json says of a BPETokenizer.

The file is Unicode text, and a byte is none. GPT-2's way out: each of the 256 bytes is written as a printable character
of its own. Those that are printable in Latin-1 stand for themselves; the others, such as the space, take the characters
from U+0100 on (the space is Ġ).
"""

from collections.abc import Iterable, Mapping

from course_lib.errors import CourseError
from course_lib.tokenizers.base import Token
from course_lib.tokenizers.base_vocabulary import Bytes, Characters
from course_lib.tokenizers.pretokenize import GPT2

PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
OTHERS = [byte for byte in range(256) if byte not in PRINTABLE]
CHARACTER = {byte: chr(byte) for byte in PRINTABLE} | {byte: chr(0x100 + i) for i, byte in enumerate(OTHERS)}
BYTE = {character: byte for byte, character in CHARACTER.items()}

BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
NOT_DONE_HERE = {
    "dropout": None,
    "continuing_subword_prefix": None,
    "fuse_unk": False,
    "byte_fallback": False,
    "ignore_merges": False,
}


def to_json(base: Bytes | Characters, vocab: Mapping[Token, int], merges: Iterable[tuple[Token, Token]]) -> dict:
    """The file's parts. Raises CourseError where two tokens would be written the same."""
    if isinstance(base, Bytes):
        before, decoder, unknown, mark = BYTE_LEVEL, BYTE_LEVEL, None, None
        if base.pattern != GPT2:
            cut = {"type": "Split", "pattern": {"Regex": base.pattern}, "behavior": "Isolated", "invert": False}
            before = {"type": "Sequence", "pretokenizers": [cut, BYTE_LEVEL | {"use_regex": False}]}
    else:
        unknown, mark = base.unknown, base.end_of_word
        before, decoder = {"type": "WhitespaceSplit"}, {"type": "BPEDecoder", "suffix": mark}
    ids = {}
    for token, id in vocab.items():  # special tokens come last
        if (written := _written(token)) in ids:
            raise CourseError(
                f"The file would write the special token {written!r} and a token learnt from the text in the same way. "
                "Give it another name."
            )
        ids[written] = id
    pairs = [[_written(left), _written(right)] for left, right in merges]
    model = {"type": "BPE", "unk_token": unknown, "end_of_word_suffix": mark, **NOT_DONE_HERE}
    return {
        "normalizer": None,
        "pre_tokenizer": before,
        "post_processor": None,
        "decoder": decoder,
        "model": model | {"vocab": ids, "merges": pairs},
    }


def from_json(data: dict, special: Mapping[str, int]) -> tuple[Bytes | Characters, list, Mapping, dict]:
    """The arguments of BPETokenizer. Raises CourseError where the file asks for something that isn't done here."""
    model = data["model"]
    over_characters = data["pre_tokenizer"] == {"type": "WhitespaceSplit"}
    options = [*NOT_DONE_HERE, *([] if over_characters else ["end_of_word_suffix"])]
    if asked := ["normalizer"] * bool(data["normalizer"]) + [option for option in options if model[option]]:
        raise CourseError(f'it asks for "{asked[0]}", which isn\'t done here.')
    vocab, merges = model["vocab"], [(left, right) for left, right in model["merges"]]
    if over_characters:
        base = _characters(data, merges, special)
    else:
        base = Bytes(_pattern(data["pre_tokenizer"]))
        vocab = {token if token in special else _bytes(token): id for token, id in vocab.items()}
        merges = [(_bytes(left), _bytes(right)) for left, right in merges]
    made = set(base.tokens)
    for left, right in merges:
        if not made.issuperset([left, right]) or left + right in made:
            raise CourseError(
                f"the merge of {left!r} and {right!r} comes before one that makes its parts, or is the second one that "
                f"makes {left + right!r}."
            )
        made.add(left + right)
    return base, merges, special, vocab | special


def _written(token: Token) -> str:
    return token if isinstance(token, str) else "".join(map(CHARACTER.__getitem__, token))


def _bytes(token: str) -> bytes:
    try:
        return bytes(map(BYTE.__getitem__, token))
    except KeyError as wrong:
        raise CourseError(f"the character {wrong.args[0]!r} in its token {token!r} stands for no byte.") from None


def _pattern(before: dict | None) -> str:
    """The pattern that cuts words before they become bytes, GPT-2's where ByteLevel itself does it."""
    steps = before["pretokenizers"] if before and before["type"] == "Sequence" else [before]
    *cuts, level = steps or [None]
    if level and level["type"] == "ByteLevel" and not level["add_prefix_space"]:
        if not cuts and level["use_regex"]:
            return GPT2
        if [cut["type"] for cut in cuts] == ["Split"] and not level["use_regex"]:
            [cut] = cuts
            if "Regex" in cut["pattern"] and cut["behavior"] == "Isolated" and not cut["invert"]:
                return cut["pattern"]["Regex"]
    raise CourseError(
        "its pre_tokenizer should be ByteLevel without a prefix space, a Split by a pattern and then such a ByteLevel, "
        f"or WhitespaceSplit; got {', '.join(step['type'] if step else 'none' for step in [*cuts, level])}."
    )


def _characters(data: dict, merges: list, special: Mapping[str, int]) -> Characters:
    """All tokens of one character that no merge makes."""
    model = data["model"]
    mark, unknown = model["end_of_word_suffix"], model["unk_token"]
    if not mark or data["decoder"] != {"type": "BPEDecoder", "suffix": mark}:
        raise CourseError(
            'its words stand between spaces, so its model should have an "end_of_word_suffix" and its decoder be a '
            "BPEDecoder with the same."
        )
    if unknown not in model["vocab"]:
        raise CourseError("it has no unk_token in its vocabulary, so unknown characters would be lost without a trace.")
    made = {left + right for left, right in merges}
    base = [token for token in model["vocab"] if token not in made and token not in special and token != unknown]
    return Characters([token for token in base if len(token.removesuffix(mark)) == 1], mark, unknown)
