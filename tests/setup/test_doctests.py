"""The examples in docstrings are true, and each of them is run."""

import doctest
import importlib
import inspect
import io
import re

import pytest

from course_lib.support.paths import ROOT

WRITTEN = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): len(found)
    for path in sorted((ROOT / "course_lib").rglob("*.py"))
    if (found := re.findall(r"^\s*>>> ", path.read_text("utf-8"), re.MULTILINE))
}


class Finder(doctest.DocTestFinder):
    """Looks through decorators, which make a function seem to be another module's."""

    def _from_module(self, module, object):
        return super()._from_module(module, inspect.unwrap(object) if callable(object) else object)


@pytest.mark.parametrize("name", WRITTEN)
def test_the_examples_of_a_module_are_true(name):
    module, said = importlib.import_module(name), io.StringIO()
    runner = doctest.DocTestRunner()
    for each in Finder().find(module, name):
        runner.run(each, out=said.write)
    assert runner.failures == 0, said.getvalue()
    assert runner.tries == WRITTEN[name], "an example that doctest doesn't find"
