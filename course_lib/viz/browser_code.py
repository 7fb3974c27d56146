"""The widgets' JavaScript: one module each, made of the shared part and its own."""

from functools import cache
from pathlib import Path

HERE = Path(__file__).parent


@cache
def module(name: str) -> str:
    """bars.js and `name` as one ES module. anywidget takes one text, so the shared functions are put in front, unexported."""
    shared = (
        (HERE / "bars.js").read_text("utf-8").replace("export const", "const").replace("export function", "function")
    )
    return shared + (HERE / name).read_text("utf-8")


@cache
def style() -> str:
    return (HERE / "widgets.css").read_text("utf-8")
