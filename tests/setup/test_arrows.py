"""The arrows of DESIGN: who may import whom inside course_lib. Found by reading every file, lazy imports too."""

import ast
from collections import defaultdict

import pytest

from course_lib.support.paths import ROOT

PACKAGE = ROOT / "course_lib"
ROOMS = [path.stem for path in sorted(PACKAGE.iterdir()) if path.suffix == ".py" or (path / "__init__.py").exists()]

BASE = {"errors", "support"}
TENSORS = {"masks", "positions", "attention", "layers", "leaks"}
TEXTS = {"tokenizers", "corpora"}
# The rooms that aren't models. What stands at the top of course_lib and isn't named here is a model, or drives one.
MAY = {
    "__init__": {"student", "viz"},
    "errors": set(),
    "support": {"errors"},
    "checking": BASE,
    "masks": BASE,
    "positions": BASE | {"masks"},
    "attention": BASE | {"masks", "positions"},
    "layers": BASE | TENSORS - {"leaks"},
    "leaks": BASE | TENSORS,
    "tokenizers": BASE,
    "corpora": BASE | TEXTS,
    "viz": BASE,
    "pretrain": {"experiments"},  # and all that those may: a command, above what it trains with
}
MODELS = [room for room in ROOMS if room not in MAY and (PACKAGE / f"{room}.py").exists()]
UNDER = BASE | TENSORS | TEXTS | set(MODELS)  # what a model may stand on, and everything above it
MAY |= dict.fromkeys(MODELS, UNDER)
MAY["experiments"] = UNDER
MAY["pretrain"] |= UNDER
MAY["exercises"] = UNDER | {"experiments", "checking"}
MAY["workbook"] = BASE | {"exercises"}
MAY["student"] = BASE | {"workbook", "exercises", "checking", "viz"}
MAY["grading"] = BASE | {"student", "workbook", "exercises", "checking"}
MAY["app"] = BASE | {"grading", "student", "workbook", "exercises"}


def imported(path) -> set[str]:
    """The full names of what a file imports: "course_lib.viz.frame", "torch.nn"."""
    folder, names = path.parent.relative_to(ROOT).parts, set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            up = folder[: len(folder) - node.level + 1] if node.level else ()
            start = ".".join([*up, *filter(None, [node.module])])
            names |= {f"{start}.{alias.name}" for alias in node.names}
    return names


def room_of(path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


FILES = defaultdict(list)
for _path in sorted(PACKAGE.rglob("*.py")):
    FILES[room_of(_path)].append(_path)


def test_every_room_has_its_arrows():
    assert set(MAY) == set(ROOMS) == set(FILES)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_what_stands_below_it(room):
    for path in FILES[room]:
        inside = {name.split(".")[1] for name in imported(path) if name.startswith("course_lib.")}
        assert inside - {room} <= MAY[room], f"{path} imports {inside - {room} - MAY[room]}"


def test_the_engine_knows_no_jupyter_and_opens_no_file():
    for path in FILES["checking"]:
        tops = {name.split(".")[0] for name in imported(path)}
        assert not tops & {"IPython", "ipywidgets", "nbformat", "nbclient", "jupyter_client", "pathlib", "shutil"}, path
        calls = [node.func for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
        assert not [call for call in calls if isinstance(call, ast.Name) and call.id == "open"], path


@pytest.mark.parametrize("room", ROOMS)
def test_between_the_files_of_a_room_there_is_no_circle(room):
    modules = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in FILES[room]}
    modules = {name.removesuffix(".__init__"): path for name, path in modules.items()}
    waiting = {name: _inside(name, path, modules) for name, path in modules.items()}
    while waiting:
        ready = [name for name, needed in waiting.items() if not needed & waiting.keys()]
        assert ready, f"there is a circle among {sorted(waiting)}"
        for name in ready:
            del waiting[name]


def _inside(name: str, path, modules: dict) -> set[str]:
    """The modules of the same room that this one imports: a module itself, or a name in it."""
    found = {each if each in modules else each.rpartition(".")[0] for each in imported(path)}
    return {each for each in found if each in modules and each != name}
