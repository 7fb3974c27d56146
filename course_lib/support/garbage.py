"""Making many small objects without Python's collector of cycles."""

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def no_garbage_collection() -> Iterator[None]:
    """For code that makes many small objects and no cycles.

    Every few hundred new lists and tuples Python looks for cycles that nobody needs any more, among all objects there
    are. Beside an imported torch that takes longer than the work itself: reading the standard library's docstrings took
    4.5 s, and without it 2 s.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
