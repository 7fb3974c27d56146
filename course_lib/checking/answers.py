"""What passes from the student's side to the judge: two dataclasses of plain data, and the same as JSON.

    Task, submission --answers_to--> Answers --to_json--> another process --from_json--> Answers --judge--> Verdict

In the notebook the two steps in the middle are left out. `from_json` trusts nothing that arrives.
"""

from dataclasses import dataclass, fields
from typing import Any

import torch

from course_lib.checking.wire import Unreadable, decode, encode, readable

LIMITS = ("timeout", "waiting")  # too long by its own computing, or by the clock
PROBLEMS = ("", "type", "signature", "forbidden", *LIMITS)
LONGEST = {
    "error": 80,
    "message": 1500,
    "trace": 4000,
    "operation": 300,
    "code": 120,
    "detail": 500,
    "printed": 2000,
}  # characters


@dataclass(frozen=True)
class CaseAnswer:
    """What came of one call of the submission: the value that it returned, or the error that it stopped with."""

    value: Any = None  # plain data, as `wire.as_data` makes it
    changed: tuple[str, ...] = ()  # the inputs that were changed in place, by name
    error: str = ""  # the exception's class, "" where there was none
    message: str = ""
    trace: str = ""  # the lines of the student's own code that led there
    operation: str = ""  # the one of torch's that failed, with the shapes of what it was given
    code: str = ""  # the piece of the student's code that was being computed

    def to_json(self) -> dict:
        return _others(self, "value") | ({} if self.error else {"value": encode(self.value)})

    @classmethod
    def from_json(cls, data) -> "CaseAnswer":
        _check(data, dict)
        if ("value" in data) == bool(data.get("error")):
            raise Unreadable("expected a value or an error")
        value = decode(data["value"]) if "value" in data else None
        return cls(value, _names(data, "changed"), **_texts(data, "error", "message", "trace", "operation", "code"))


@dataclass(frozen=True)
class Answers:
    """All that the judge learns about a submission. A number or choice has a `value`, code has the rest."""

    value: Any = None
    attempted: bool = True  # False: the code is still as it was given
    problem: str = ""  # why it was not run, or not to its end: one of PROBLEMS
    detail: str = ""  # about the problem, such as the name of the finished function that was called
    seconds: float = 0.0  # how long it was given, where it was stopped
    cases: tuple[CaseAnswer, ...] = ()  # one for each case of the exercise; fewer where there was a problem
    again: CaseAnswer | None = None  # the first case once more, with other random numbers
    gradient: CaseAnswer | None = None  # its value: a tensor for each floating-point input of the first case
    unfinished: bool = False  # there is still a `...` in the source
    notebook_names: tuple[str, ...] = ()  # the notebook's variables that it reads
    printed: str = ""  # by the first case

    def to_json(self) -> dict:
        data = _others(self, "value", "cases", "again", "gradient")
        data |= {"value": encode(self.value)} if self.value is not None else {}
        data |= {"cases": [case.to_json() for case in self.cases]} if self.cases else {}
        calls = {"again": self.again, "gradient": self.gradient}
        return data | {name: call.to_json() for name, call in calls.items() if call is not None}

    @classmethod
    def from_json(cls, data) -> "Answers":
        """Raises Unreadable where `data` isn't what `to_json` writes."""
        _check(data, dict)
        calls = {name: CaseAnswer.from_json(data[name]) for name in ("again", "gradient") if name in data}
        gradient = calls.get("gradient")
        if gradient and not gradient.error:
            _check(gradient.value, list)
            for each in gradient.value:
                _check(each, torch.Tensor)
        if data.get("problem", "") not in PROBLEMS:
            raise Unreadable("an unknown problem")
        return cls(
            value=decode(data["value"]) if "value" in data else None,
            attempted=_check(data.get("attempted", True), bool),
            seconds=_check(data.get("seconds", 0.0), float),
            cases=tuple(map(CaseAnswer.from_json, _check(data.get("cases", []), list))),
            unfinished=_check(data.get("unfinished", False), bool),
            notebook_names=_names(data, "notebook_names"),
            **_texts(data, "problem", "detail", "printed"),
            **calls,
        )


def message_of(error: BaseException) -> str:
    """What the error says, cut where it gets long; a student's own class may not even be able to say it."""
    try:
        return readable(str(error)[: LONGEST["message"]])
    except Exception:
        return "(its message can't be shown)"


def _others(thing, *names: str) -> dict:
    """The fields of plain JSON that aren't as they are by default, but for those named."""
    rest = [each for each in fields(thing) if each.name not in names]
    return {each.name: getattr(thing, each.name) for each in rest if getattr(thing, each.name) != each.default}


def _check(value, kind):
    if not isinstance(value, kind):
        raise Unreadable(f"expected {kind}, got {type(value)}")
    return value


def _texts(data: dict, *names: str) -> dict[str, str]:
    return {name: _check(data.get(name, ""), str)[: LONGEST.get(name)] for name in names}


def _names(data: dict, field: str) -> tuple[str, ...]:
    return tuple(_check(name, str) for name in _check(data.get(field, []), (list, tuple))[:20])
