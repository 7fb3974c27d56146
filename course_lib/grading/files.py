"""Files of the student's: read with a sentence when they can't be read, written whole or not at all."""

import errno
import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import nbformat
from nbformat import NotebookNode

from course_lib.errors import CourseError

WHY = {
    errno.ENOSPC: "the disk is full. Free some space and do it again",
    errno.EDQUOT: "your disk quota is used up. Free some space and do it again",
    errno.EACCES: "you may not write there. Change its permissions, or work in another folder with --workbook",
    errno.EPERM: "you may not write there. Change its permissions, or work in another folder with --workbook",
    errno.EROFS: "that disk is read-only. Work in another folder with --workbook",
}


@contextmanager
def one_sentence(path: Path):
    """An operating system's refusal to write to `path`, as a CourseError with the reason and what to do."""
    try:
        yield
    except OSError as refusal:
        why = WHY.get(refusal.errno, f"{refusal.strerror or refusal}")
        raise CourseError(f"{path} could not be written: {why}. Nothing was lost.") from refusal


def make_folder(path: Path) -> Path:
    """The folder, made if it is missing, with its parents."""
    with one_sentence(path):
        path.mkdir(parents=True, exist_ok=True)
    return path


def replace_whole(path: Path, content: str | bytes) -> None:
    """Write to a neighbour first and then put it in place: a full disk or a crash leaves the old file as it was."""
    data = content.encode("utf-8") if isinstance(content, str) else content
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, neighbour = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(neighbour, path.stat().st_mode & 0o777 if path.exists() else 0o644)
        os.replace(neighbour, path)
    except BaseException:
        Path(neighbour).unlink(missing_ok=True)
        raise


def write(path: Path, content: str | bytes) -> None:
    """`replace_whole`, with a CourseError where the system refuses."""
    make_folder(path.parent)
    with one_sentence(path):
        replace_whole(path, content)


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
            f"{path.name} isn't a notebook any more: it can't be read as JSON in Jupyter's format. "
            f"`course reset {path.stem}` gives the lesson back and keeps a copy of this file."
        ) from reason
    notebook.nbformat_minor = max(notebook.get("nbformat_minor", 0), 5)
    seen = set()
    for cell in notebook.cells:
        if not cell.get("id") or cell.id in seen:
            cell.id = uuid4().hex[:8]
        seen.add(cell.id)
    return notebook


def write_notebook(path: Path, notebook: NotebookNode) -> None:
    """The notebook as Jupyter writes it."""
    write(path, nbformat.v4.writes(notebook) + "\n")
