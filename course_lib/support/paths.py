"""Where the course's own files lie: the package is installed in place, beside `notebooks/` and `data/`."""

import os
from pathlib import Path

from course_lib.errors import CourseError

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
DATA = ROOT / "data"


def course_notebooks() -> Path:
    """The folder of the lessons' sources: the one that COURSE_NOTEBOOKS names, else the course's own `notebooks/`.

    CourseError where it holds none: the package isn't installed from a clone of the course.
    """
    folder = Path(os.environ.get("COURSE_NOTEBOOKS") or NOTEBOOKS)
    if not any(folder.glob("[0-9]*_*.ipynb")):
        raise CourseError(
            f"The lessons were expected in {folder}, but there are none. "
            "Install the package from a clone of the course: `pip install -e .` in its folder, or `make setup`."
        )
    return folder
