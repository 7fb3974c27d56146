"""Which cells of a lesson its answers and checks need."""

import pytest
from nbformat.v4 import new_notebook
from short_lesson import names, needed_cells, only
from small_course import answer, check, code, text


def test_demonstrations_are_dropped_and_what_an_answer_reads_is_kept():
    lesson = new_notebook(
        cells=[
            text("title", "# A lesson"),
            code("setup", "import torch"),
            code("old-sizes", "sizes = [1]"),
            code("helper", "def helper(n):\n    return torch.ones(n)"),
            code("sizes", "sizes = [2, 3]"),
            code("picture", "draw(sizes)"),
            answer("90.double", "def double(n):\n    return helper(n) + sizes[0]"),
            check("90.double", "double", 3),
            code("after", "helper = print(double(1))"),
        ]
    )
    needed = ["setup", "helper", "sizes", "double-answer", "double-check"]
    assert needed_cells(lesson) == needed
    assert [cell.id for cell in only(lesson, needed).cells] == needed
    assert len(lesson.cells) == 9


@pytest.mark.parametrize(
    ("source", "bound", "read"),
    [
        ("import a.b, c as d\nfrom e import f", "a d f", ""),
        ("x = y\nz = x", "x z", "y"),
        ("total += step", "total", "total step"),
        ("for i in row:\n    last = [k for k in i if k != end]", "i last", "row i end"),
        ("def f(p=start):\n    q = p\n    return q + later", "f", "start later"),
        ("class A(Base):\n    size = 3\n    def f(self):\n        return self.size * scale", "A", "Base scale"),
        ("x[0] = 1\nlayer.weight = w", "", "x layer w"),
    ],
)
def test_names(source, bound, read):
    assert names(source) == (set(bound.split()), set(read.split()))
