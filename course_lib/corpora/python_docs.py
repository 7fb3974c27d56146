"""Real technical English in every CPython: its language reference and the docstrings of its standard library."""

import ast
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tqdm.auto import tqdm

from course_lib.errors import CourseError
from course_lib.support.garbage import no_garbage_collection

# Programs and tables that come with Python but aren't its library; and what others installed.
LEFT_OUT = {
    "__pycache__",
    "dist-packages",
    "encodings",
    "idlelib",
    "lib2to3",
    "pydoc_data",
    "site-packages",
    "test",
    "tests",
    "turtledemo",
}
FULL = "Use a full CPython, for example the one that `make setup` takes."
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def text() -> str:
    """`topics()`, then `docstrings()`: about 2 million characters."""
    return f"{topics()}\n\n{docstrings()}"


@cache
def topics() -> str:
    """What `help("for")`, `help("STRINGS")` … print: about 465 000 characters, in alphabetical order of the topics.

    Raises CourseError where Python was installed without `pydoc_data`.
    """
    try:
        from pydoc_data.topics import topics as by_name
    except ImportError:
        raise CourseError(
            f"This Python was installed without the package pydoc_data, which holds its documentation. {FULL}"
        ) from None
    return "\n\n".join(by_name[name].strip() for name in sorted(by_name))


@cache
def docstrings() -> str:
    """Every docstring of the standard library once, in the order of its files: about 1.6 million characters.

    Read from the source, nothing is imported; the same Python gives the same text. Takes two seconds, once.
    Raises CourseError where Python was installed without its source files.
    """
    found: dict[str, None] = {}
    with no_garbage_collection():
        for file in tqdm(source_files(), desc="Reading Python's docstrings", unit="file", delay=1, leave=False):
            try:
                tree = ast.parse(file.read_bytes())
            except (SyntaxError, ValueError, OSError):
                continue  # a file that this Python can't read documents nothing
            found.update(dict.fromkeys(_docstrings(tree)))
    if not found:
        raise CourseError(f"This Python was installed without the source files of its standard library. {FULL}")
    return "\n\n".join(found)


def source_files() -> list[Path]:
    """The standard library's modules, in alphabetical order."""
    library = Path(sysconfig.get_path("stdlib"))
    inside = [file.relative_to(library) for file in library.rglob("*.py")]
    machine = ("config-", "_sysconfigdata")  # written where this Python was built
    kept = [file for file in inside if not LEFT_OUT.intersection(file.parts) and not file.parts[0].startswith(machine)]
    return [library / file for file in sorted(kept, key=Path.as_posix)]


def _docstrings(node: ast.AST) -> Iterator[str]:
    """Docstrings of the node and of what is defined within it. Expressions hold none, so they aren't entered."""
    if isinstance(node, DOCUMENTED):
        docstring = (ast.get_docstring(node) or "").strip()
        if docstring:
            yield docstring
    for field in ("body", "orelse", "handlers", "finalbody"):
        for child in getattr(node, field, ()) if isinstance(getattr(node, field, ()), list) else ():
            yield from _docstrings(child)
