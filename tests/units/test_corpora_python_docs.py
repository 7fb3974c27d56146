"""The text that every CPython carries."""

import ast
import sys
from pathlib import Path

import pytest

from course_lib.corpora import python_docs
from course_lib.errors import CourseError


def test_topics_are_the_language_reference():
    topics = python_docs.topics()
    assert 400_000 < len(topics) < 900_000
    assert 'The "assert" statement' in topics and "The precedence of operators" not in topics[:100]
    assert python_docs.topics() is topics


def test_docstrings_are_of_the_library_and_none_comes_twice():
    docstrings = python_docs.docstrings()
    assert 1_200_000 < len(docstrings) < 2_500_000
    assert (
        "Return the bottommost element" not in docstrings
        and ast.get_docstring(ast.parse(Path(ast.__file__).read_text())) in docstrings
    )
    assert docstrings.count("Encode the bytes-like object s using Base64") == 1, "base64's"
    docstrings.encode()  # no half characters
    assert python_docs.text() == f"{python_docs.topics()}\n\n{docstrings}"


def test_the_order_is_fixed():
    files = [file.as_posix() for file in python_docs.source_files()]
    assert files == sorted(files) and 300 < len(files) < 900
    assert not [file for file in files if "/test/" in file or "site-packages" in file]


def test_a_docstring_is_found_wherever_something_is_defined():
    source = '"a"\nif x:\n    def f():\n        "b"\n        try:\n            class C: "c"\n        except E:\n            async def g(): "d"\n        else:\n            "no"\nx = lambda: "no"\ndef h(): " "\n'
    assert list(python_docs._docstrings(ast.parse(source))) == ["a", "b", "c", "d"]


def test_slim_pythons_get_a_sentence(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pydoc_data", None)
    monkeypatch.setitem(sys.modules, "pydoc_data.topics", None)
    with pytest.raises(CourseError, match="without the package pydoc_data"):
        python_docs.topics.__wrapped__()
    monkeypatch.setattr(python_docs.sysconfig, "get_path", lambda name: str(tmp_path))
    with pytest.raises(CourseError, match="without the source files"):
        python_docs.docstrings.__wrapped__()
