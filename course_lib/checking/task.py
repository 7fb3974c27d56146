"""What a student's process learns of an exercise: the inputs of its cases and how to call the answer, and no right one.

    exercise.task(seed) --pack--> text --unpack--> another process: answers_to(task, submission) --> Answers

`pack` is pickle, and may be: it goes from the judge, who is trusted, to the student's process. What comes back is JSON
(`wire`). Functions and objects among the inputs travel by name, so they stand in modules called `given`.
"""

import base64
import copy
import io
import pkgutil
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

import torch

from course_lib.checking import calls


class Signature(NamedTuple):
    """What a function is called with; of a class, its __init__ (`attribute` is "") and each of its methods."""

    attribute: str
    names: tuple[str, ...]
    by_keyword: bool = False


@dataclass(frozen=True)
class Task:
    """A number or choice has a key alone, code has the rest."""

    key: str
    wanted: str = ""  # "function" or "class"
    start: str | None = None  # the code as it was given, in place of a stub
    signatures: tuple[Signature, ...] = ()
    forbidden: tuple[str, ...] = ()  # words in the names of finished functions
    reference: str = ""  # the course's own answer, as "module:name": to be refused where this process can reach it
    call: Callable = calls.plain
    cases: tuple[tuple, ...] = ()  # the inputs of each
    names: tuple[str, ...] = ()  # what these are called
    differentiable: bool = False

    @property
    def name(self) -> str:
        return self.key.partition(".")[2]

    def inputs(self, index: int) -> tuple:
        """The arguments of one case, each time as new objects: code may change them."""
        return copied(self.cases[index])

    def find_reference(self) -> Callable | None:
        """The course's own answer; None where it isn't to be refused, or isn't in this process."""
        with suppress(ImportError, AttributeError, ValueError):
            return pkgutil.resolve_name(self.reference) if self.reference else None
        return None


def copied(inputs: tuple) -> tuple:
    """Each input anew."""
    return tuple(map(_copied, inputs))


def _copied(x):
    """A deep copy; of a tensor with the same strides, for cases that aren't contiguous, and sooner than by deepcopy."""
    if isinstance(x, torch.Tensor) and (clone := x.clone()).stride() == x.stride():
        return clone
    if type(x) is dict:
        return {name: _copied(value) for name, value in x.items()}
    return copy.deepcopy(x)


def pack(task: Task) -> str:
    """The task as plain text, tensors with their strides."""
    file = io.BytesIO()
    torch.save(task, file)
    return base64.b64encode(zlib.compress(file.getvalue())).decode()


def unpack(text: str) -> Task:
    """The task that `pack` was given."""
    return torch.load(io.BytesIO(zlib.decompress(base64.b64decode(text))), "cpu", weights_only=False)
