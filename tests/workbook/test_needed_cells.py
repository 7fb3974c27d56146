"""Which cells of a lesson its answers and checks need."""

import pytest

from course_lib.grading.needed_cells import changed, names, needed


def test_demonstrations_are_dropped_and_what_an_answer_reads_is_kept():
    cells = {
        "setup": "import torch",
        "old-sizes": "sizes = [1]",
        "helper": "def helper(n):\n    return torch.ones(n)",
        "sizes": "sizes = [2, 3]",
        "added": "sizes.append(4)",
        "seed": "torch.manual_seed(0)",
        "picture": "draw(sizes)",
        "double-answer": "def double(n):\n    return helper(n) + sizes[0]",
        "double-check": 'check("90.double", double)',
        "after": "helper = print(double(1))",
    }
    roots = [0, 7, 8]
    kept = [list(cells)[i] for i in needed(list(cells.values()), roots)]
    assert kept == ["setup", "helper", "sizes", "added", "double-answer", "double-check"]


def test_what_may_not_have_been_bound_needs_what_stands_before():
    assert needed(["x = 1", "if late:\n    x = 2", "try:\n    x = f()\nexcept Exception:\n    pass", "x"], [3]) == [
        0,
        1,
        2,
        3,
    ]
    assert needed(["x = 1", "x = 2", "x"], [2]) == [1, 2]


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
        ("%%time\nx = y", "x", "y"),
        ("x = y\n%timeit f(x)\n!ls", "x", "y get_ipython"),
        ("def f(:", "", ""),
        ("x = 1\0", "", ""),
        ("nonlocal x\ny = z", "y", "z"),
        ("x = await f(y)\nreturn x", "x", "f y"),
        ("x = 1" + " + 1" * 100_000, "", ""),
        ("x = " + "(" * 300 + ")" * 300, "", ""),
    ],
)
def test_names(source, bound, read):
    assert names(source) == (set(bound.split()), set(read.split()))


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("x[0] = 1\nlayer.weight.data = w", "x layer"),
        ("losses.append(3)\nmodel.eval()", "losses model"),
        ("del x.y, z[0]", "x z"),
        ("x = f(y)\nprint(y.shape)", ""),
    ],
)
def test_what_is_changed_in_place(source, names):
    assert changed(source) == set(names.split())
