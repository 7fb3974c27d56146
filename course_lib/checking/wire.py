"""Answers as plain JSON, so that the judge can sit in another process than the student's code.

`decode` trusts nothing: no pickle, no eval, no class of the student's.
"""

import base64
import binascii
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np
import torch

MIME = "application/vnd.course.answers+json"
DTYPES = {
    name: getattr(torch, name)
    for name in ("float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool")
}
MAX_BYTES = 4_000_000
MAX_ITEMS = 1000
MAX_DEPTH = 4


def readable(text: str) -> str:
    """The text with half characters written out, since no file and no message can hold them: \\ud83d."""
    return text.encode("utf-8", "backslashreplace").decode()


class Unreadable(ValueError):
    """The value can't be sent, or what arrived isn't one."""


def encode(value, depth: int = 0) -> dict:
    """A tensor, number, string, None, or a list, tuple or dict of them, as plain JSON."""
    if depth > MAX_DEPTH:
        raise Unreadable("lists inside lists, too deep to be an answer")
    if isinstance(value, np.ndarray):
        return {"type": "array", "of": str(value.dtype), "shape": list(value.shape)}
    if isinstance(value, torch.Tensor):
        name = str(value.dtype).removeprefix("torch.")
        if name not in DTYPES:
            raise Unreadable(f"a tensor of dtype {name}")
        if value.is_meta or value.layout is not torch.strided:
            raise Unreadable("a tensor without numbers of its own (on the device meta, or sparse)")
        if value.numel() * value.element_size() > MAX_BYTES:
            raise Unreadable(f"a tensor of {value.numel():,} numbers, far more than the question asks for")
        value = value.detach().cpu().clone(memory_format=torch.contiguous_format)  # one number may have any stride
        raw = value.flatten().view(torch.uint8).numpy().tobytes()
        return {"type": "tensor", "dtype": name, "shape": list(value.shape), "data": base64.b64encode(raw).decode()}
    if value is None or isinstance(value, (bool, np.bool_)):
        return {"type": "plain", "value": None if value is None else bool(value)}
    if isinstance(value, str):
        text = str(value[:10_000])
        if readable(text) != text:
            return {"type": "halves", "value": base64.b64encode(text.encode("utf-8", "surrogatepass")).decode()}
        return {"type": "plain", "value": text}
    if isinstance(value, (int, np.integer)):
        return {"type": "int", "value": str(int(value))}
    if isinstance(value, (float, np.floating, Fraction, Decimal)):
        return {"type": "float", "value": float(value).hex()}
    if isinstance(value, (list, tuple, dict)) and len(value) > MAX_ITEMS:
        raise Unreadable(f"{len(value):,} items, far more than the question asks for")
    if isinstance(value, (list, tuple)):
        return {
            "type": type(value).__name__ if type(value) in (list, tuple) else "tuple",
            "items": [encode(item, depth + 1) for item in value],
        }
    if isinstance(value, dict):
        return {"type": "dict", "items": [[_encode_key(k, depth + 1), encode(v, depth + 1)] for k, v in value.items()]}
    if isinstance(value, Other):
        return {"type": "other", "name": value.name}
    if value is Ellipsis:
        return {"type": "plain", "value": None}
    return {"type": "other", "name": readable(type(value).__name__[:80])}


def as_data(value):
    """A copy of `value` as it would arrive on the other side; what is no data becomes Other, with the reason."""
    try:
        return decode(encode(value))
    except Unreadable as reason:
        return Other(str(reason))
    except (Exception, SystemExit) as error:  # a student's own class may raise from anywhere
        return Other(f"something that can't be read ({type(error).__name__})")


def _encode_key(key, depth: int) -> dict:
    """A key, or its type's name alone where no key can be made of it again: a list with a __hash__ of the student's."""

    def can_be_key(data):
        return data["type"] not in ("list", "dict") and (data["type"] != "tuple" or all(map(can_be_key, data["items"])))

    data = encode(key, depth)
    return data if can_be_key(data) else {"type": "other", "name": type(key).__name__[:80]}


@dataclass(frozen=True)
class Other:
    """Stands for a value that isn't data, such as a function; only its type's name is known."""

    name: str

    def __repr__(self) -> str:
        return f"<{self.name}>"


def decode(data, depth: int = 0):
    """The value that `encode` was given; raises Unreadable on anything odd."""
    try:
        return _decode(data, depth)
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError, binascii.Error, RuntimeError) as error:
        raise Unreadable("a damaged answer") from error


def _decode(data, depth):
    kind = data["type"]
    if depth > MAX_DEPTH:
        raise Unreadable("a damaged answer")
    if kind == "tensor":
        dtype, shape = DTYPES[data["dtype"]], [int(n) for n in data["shape"]]
        if len(data["data"]) > 2 * MAX_BYTES or len(shape) > 16 or any(n < 0 for n in shape):
            raise Unreadable("a damaged answer")
        raw = bytearray(base64.b64decode(data["data"], validate=True))
        if dtype is torch.bool:
            raw = bytearray(byte != 0 for byte in raw)
        flat = torch.frombuffer(raw, dtype=dtype) if raw else torch.tensor([], dtype=dtype)
        return flat.reshape(shape)
    if kind == "plain" and (data["value"] is None or isinstance(data["value"], (bool, str))):
        return data["value"]
    if kind == "halves":
        return base64.b64decode(data["value"], validate=True).decode("utf-8", "surrogatepass")
    if kind == "int":
        return int(data["value"][:400])
    if kind == "float":
        return float.fromhex(data["value"])
    if kind in ("list", "tuple") and len(data["items"]) <= MAX_ITEMS:
        items = [_decode(item, depth + 1) for item in data["items"]]
        return items if kind == "list" else tuple(items)
    if kind == "dict" and len(data["items"]) <= MAX_ITEMS:
        return {_decode(k, depth + 1): _decode(v, depth + 1) for k, v in data["items"]}
    if kind == "array":
        return Other("NumPy array")
    if kind == "other":
        return Other(str(data["name"])[:80])
    raise Unreadable("a damaged answer")
