"""Lists of texts that take seconds to make, kept on disk for the next time: a cache that can only help, never hurt.

A file that is damaged, half written or of another version is made again; a disk that can't be written to is left alone.
"""

import contextlib
import gzip
import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import platformdirs

from course_lib.support.files import replace_whole

VERSION = 1  # raise it when the same name should hold something else


def folder() -> Path:
    """The user's cache folder of this course; it may be deleted at any time."""
    return Path(platformdirs.user_cache_dir("transformer-course", appauthor=False)) / f"corpora-{VERSION}"


def cached(name: str, make: Callable[[], list[str]]) -> list[str]:
    """make(), or what it gave the last time. `name` says everything that decides the content."""
    path = folder() / f"{name}.json.gz"
    texts = _read(path)
    if texts is None:
        texts = make()
        with contextlib.suppress(OSError):  # a full or read-only disk: it is made again next time
            text = json.dumps(texts, ensure_ascii=False)
            data = f"{hashlib.sha256(text.encode()).hexdigest()}\n{text}".encode()
            replace_whole(path, gzip.compress(data, compresslevel=1, mtime=0))
    return texts


def _read(path: Path) -> list[str] | None:
    try:
        digest, _, text = gzip.decompress(path.read_bytes()).decode().partition("\n")
        return json.loads(text) if hashlib.sha256(text.encode()).hexdigest() == digest else None
    except (OSError, EOFError, ValueError, gzip.zlib.error):
        return None
