"""Where the course's own files lie: the package is installed in place, beside `notebooks/` and `data/`."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
DATA = ROOT / "data"
