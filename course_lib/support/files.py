"""Files are written whole or not at all, and where the system refuses, a sentence says why."""

import errno
import os
import re
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path

from course_lib.errors import CourseError

ELSEWHERE = "another folder (for the whole workbook: --workbook)"
WHY = {
    errno.ENOSPC: "the disk is full. Free some space and do it again",
    errno.EDQUOT: "your disk quota is used up. Free some space and do it again",
    errno.EACCES: f"you may not write there. Change its permissions, or choose {ELSEWHERE}",
    errno.EPERM: f"you may not write there. Change its permissions, or choose {ELSEWHERE}",
    errno.EROFS: f"that disk is read-only. Choose {ELSEWHERE}",
}
LEFTOVER = re.compile(r"\..+\.(ipynb|json|py|html|safetensors)\.[a-z0-9_]{8}")  # as tempfile names them


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


class ChangedMeanwhile(Exception):
    """The file isn't any more what its new content was made from."""


def replace_whole(path: Path, content: str | bytes, instead_of: bytes | None = None) -> None:
    """Write to a neighbour first and then put it in place: a full disk or a crash leaves the old file as it was.

    A link stays one: the file that it points to is replaced. `instead_of`: what the file holds as far as the caller
    knows; where it holds something else in the last moment, it stays, and ChangedMeanwhile is raised.
    """
    path = Path(os.path.realpath(path))
    data = content.encode("utf-8") if isinstance(content, str) else content
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, neighbour = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(neighbour, path.stat().st_mode & 0o777 if path.exists() else 0o644)
        if instead_of is not None and path.read_bytes() != instead_of:
            raise ChangedMeanwhile(path)
        os.replace(neighbour, path)
    except BaseException:
        Path(neighbour).unlink(missing_ok=True)
        raise


def remove_leftovers(folder: Path, older_than: float = 3600) -> None:
    """Remove neighbours that a kill during `replace_whole` left, if they are older than so many seconds."""
    for file in folder.glob(".*"):
        if LEFTOVER.fullmatch(file.name):
            with suppress(OSError):
                if time.time() - file.stat().st_mtime > older_than:
                    file.unlink()


def write(path: Path, content: str | bytes, instead_of: bytes | None = None) -> None:
    """`replace_whole`, with a CourseError where the system refuses."""
    make_folder(path.parent)
    with one_sentence(path):
        replace_whole(path, content, instead_of)
