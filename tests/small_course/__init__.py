"""A course of two lessons in the real source format, small enough for a test: `write_lessons(folder)`."""

from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

EXERCISES = Path(__file__).parent / "exercises"
NAME = "90_small"

DOUBLE = """def double(x):
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION"""
SIZES = """sizes = {"rows": None, "columns": None}
### BEGIN SOLUTION
sizes = {"rows": 3, "columns": 4}
### END SOLUTION"""
REPAIRED = """### BEGIN SOLUTION
def broken(x):
    return x + 1
### END SOLUTION"""


def text(name: str, source: str):
    return new_markdown_cell(source, id=name)


def code(name: str, source: str, **metadata):
    return new_code_cell(source, id=name, metadata=metadata)


def answer(key: str, source: str):
    marks = {
        "grade": False,
        "solution": True,
        "locked": False,
        "grade_id": key.replace(".", "-"),
        "schema_version": 3,
        "task": False,
    }
    return code(f"{key.split('.')[1]}-answer", source, nbgrader=marks)


def check(key: str, submitted: str, points: int):
    marks = {"grade": True, "solution": False, "locked": True, "points": points, "schema_version": 3, "task": False}
    marks["grade_id"] = f"{key.replace('.', '-')}-check"
    return code(f"{key.split('.')[1]}-check", f'check("{key}", {submitted})', nbgrader=marks)


def small_lesson():
    """Lesson 90 as its author writes it, with outputs."""
    notebook = new_notebook(cells=[
        text("title", "# A small lesson"),
        code("imports", f"import course_lib.exercises\ncourse_lib.exercises.__path__.append({str(EXERCISES)!r})\nfrom course_lib import check"),
        text("question", "What is 1 + 1?"),
        code("demo", "1 + 1"),
        answer("90.double", DOUBLE),
        check("90.double", "double", 3),
        answer("90.sizes", SIZES),
        check("90.sizes", "sizes", 2),
        answer("90.repaired", REPAIRED),
        check("90.repaired", "broken", 1),
        text("end", "That is all."),
    ])  # fmt: skip
    notebook.metadata = nbformat.from_dict({
        "course": {"lesson": "90"},
        "kernelspec": {"name": "python3", "language": "python", "display_name": "Python 3"},
    })  # fmt: skip
    cell(notebook, "demo").outputs = [nbformat.v4.new_output("execute_result", {"text/plain": "2"}, execution_count=1)]
    return notebook


def other_lesson():
    """Lesson 91: nothing to grade."""
    notebook = new_notebook(cells=[text("title", "# Another lesson"), code("one", "print('one')")])
    notebook.metadata = nbformat.from_dict({"course": {"lesson": "91"}})
    return notebook


def write_lessons(folder: Path, small=None, other=None) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(small or small_lesson(), folder / f"{NAME}.ipynb")
    nbformat.write(other or other_lesson(), folder / "91_other.ipynb")
    return folder


def cell(notebook, name: str):
    """The cell with this id."""
    return next(each for each in notebook.cells if each.id == name)


def ids(notebook) -> list[str]:
    return [each.id for each in notebook.cells]


def read(path: Path):
    return nbformat.read(path, as_version=4)


class Editor:
    """Changes a student's notebook on disk: `with Editor(path) as notebook: ...`."""

    def __init__(self, path: Path):
        self.path = path

    def __enter__(self):
        self.notebook = read(self.path)
        return self.notebook

    def __exit__(self, *_):
        nbformat.write(self.notebook, self.path)
