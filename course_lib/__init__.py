"""The library of the course: attention and the Transformer, pictures, exercises and their checks.

What a lesson needs on its first line: `from course_lib import check, hint, part, predict, solution, viz`.
"""

import importlib

_NAMES = {
    "check": "student.check", "hint": "student.check", "solution": "student.check",
    "predict": "student.predict", "part": "student.parts", "board": "student.board",
}  # fmt: skip
__all__ = [*_NAMES, "viz"]


def __getattr__(name: str):
    """Import on first use, so that `from course_lib import attention` costs nothing but torch."""
    if name in _NAMES:
        return getattr(importlib.import_module(f"course_lib.{_NAMES[name]}"), name)
    if name == "viz":
        return importlib.import_module("course_lib.viz")
    raise AttributeError(f"module 'course_lib' has no attribute {name!r}")
