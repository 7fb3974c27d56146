"""What the tests of single modules share."""

import importlib.util
from pathlib import Path

import pytest

import course_lib


@pytest.fixture(scope="module")
def unchecked(request):
    """The module that a file tests (masks for test_masks.py) as a student imports it: the tests' own is wrapped to check shapes."""
    name = request.path.stem.removeprefix("test_")
    file = Path(course_lib.__file__).parent / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"unchecked_{name}", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
