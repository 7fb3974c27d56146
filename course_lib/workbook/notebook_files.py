"""Notebooks of the student's: read with a sentence when they can't be read, written whole or not at all."""

from datetime import datetime
from pathlib import Path
from uuid import uuid4

import nbformat
from nbformat import NotebookNode

from course_lib.errors import CourseError
from course_lib.support.files import write


def read_notebook(path: Path) -> NotebookNode:
    """The notebook, every cell with an id of its own. CourseError where the file isn't a notebook."""
    try:
        notebook = nbformat.v4.reads(path.read_text(encoding="utf-8"))
        if notebook.nbformat != 4 or not all(isinstance(c.source, str) and c.cell_type for c in notebook.cells):
            raise ValueError("not Jupyter's format 4")
    except FileNotFoundError:
        raise CourseError(f"{path} is missing.") from None
    except OSError as refusal:
        raise CourseError(f"{path} could not be read: {refusal.strerror}.") from refusal
    except Exception as reason:
        raise CourseError(
            f"{path.name} isn't a notebook any more: it can't be read as JSON in Jupyter's format. {_way_back(path)}"
        ) from reason
    notebook.nbformat_minor = max(notebook.get("nbformat_minor", 0), 5)
    seen = set()
    for cell in notebook.cells:
        if not cell.get("id") or cell.id in seen:
            cell.id = uuid4().hex[:8]
        seen.add(cell.id)
    return notebook


def is_readable(path: Path) -> bool:
    try:
        read_notebook(path)
    except CourseError:
        return False
    return True


def newest_copy(path: Path) -> Path | None:
    """The newest readable copy that Jupyter left beside a notebook.

    It writes in place, after a copy to `.~NAME`, which stays where it is killed meanwhile; checkpoints are older.
    """
    beside = [path.with_name(f".~{path.name}"), path.parent / ".ipynb_checkpoints" / f"{path.stem}-checkpoint.ipynb"]
    whole = [copy for copy in beside if copy.is_file() and is_readable(copy)]
    return max(whole, key=lambda copy: copy.stat().st_mtime, default=None)


def when(path: Path) -> str:
    """The minute in which a file was written."""
    return f"{datetime.fromtimestamp(path.stat().st_mtime):%Y-%m-%d %H:%M}"


def _way_back(path: Path) -> str:
    copy = newest_copy(path)
    if copy:
        return (
            f"Jupyter left a whole copy of {when(copy)} beside it, {copy.relative_to(path.parent)}: "
            f"`course restore {path.stem}` puts it back and keeps the broken file."
        )
    return f"`course reset {path.stem}` gives the lesson back and keeps a copy of this file."


def write_notebook(path: Path, notebook: NotebookNode, instead_of: bytes | None = None) -> None:
    """The notebook as Jupyter writes it. `instead_of`: as in `replace_whole`."""
    write(path, nbformat.v4.writes(notebook) + "\n", instead_of)
