"""Which tests drive a browser and go first, and what nbval can't compare of the stored outputs of `notebooks/`."""

from pathlib import Path

import pytest

BROWSER_TESTS = Path(__file__).parent / "tests" / "browser"

# Random or measured each time: widgets' model ids, the HTML of cards with their seconds, pictures' bytes.
NOT_COMPARED = (
    "text/html",
    "application/vnd.jupyter.widget-view+json",
    "application/vnd.course.answers+json",
    "image/svg+xml",
)


def pytest_collectstart(collector):
    if hasattr(collector, "skip_compare"):
        collector.skip_compare += NOT_COMPARED


def pytest_collection_modifyitems(items):
    """Whole lessons go first: at the end, one of them would keep one worker busy and the others waiting."""
    for item in items:
        if BROWSER_TESTS in item.path.parents:
            item.add_marker(pytest.mark.browser)
    items.sort(key=lambda item: (BROWSER_TESTS not in item.path.parents, item.path.suffix != ".ipynb"))
