"""The student's own Transformer: code that passed its check, kept as a module of `my_transformer/` in the workbook."""

import ast
import builtins
import contextlib
import importlib
import math
import os
import sys
import types
from pathlib import Path

from course_lib.checking.collect import collect
from course_lib.checking.judge import judge
from course_lib.checking.kinds import Code
from course_lib.checking.student_code import namespace_of, source_of
from course_lib.errors import CourseError
from course_lib.exercises import all_exercises
from course_lib.student.official import is_official
from course_lib.support.files import remove_leftovers, replace_whole
from course_lib.workbook import progress

PACKAGE = "my_transformer"
PACKAGE_TEXT = '''"""Your own parts: each file holds code of yours that passed its check.

`from my_transformer import softmax` gives the function, or the class, that softmax.py holds.
"""

from importlib import import_module
from pkgutil import iter_modules

for _module in iter_modules(__path__):
    if not _module.name.startswith("_"):
        try:
            globals()[_module.name] = getattr(import_module(f"{__name__}.{_module.name}"), _module.name)
        except (Exception, SystemExit):  # a broken file is no part; importing it by its name says what is wrong with it
            pass
'''


class NotKept(Exception):
    """Why passing code can't stand alone; the message is for the student."""


def keep(exercise: Code, submission) -> Path | None:
    """Save passing code as a part and return its file; None outside a workbook. Raises NotKept with the reason."""
    root = progress.workbook_root()
    if root is None or _is_part(submission, exercise.name):  # that part itself, submitted again
        return None
    file, trial = (root / PACKAGE / f"{name}.py" for name in (exercise.name, f"_trying_{exercise.name}"))
    text = _module_text(exercise, submission)
    try:
        remove_leftovers(root / PACKAGE)
        replace_whole(root / PACKAGE / "__init__.py", PACKAGE_TEXT)
        replace_whole(trial, text)
        _try_out(exercise, root, trial.stem)
        os.replace(trial, file)
        _load(root, file.stem, exercise.name)  # so that an import in this kernel finds it, and not the one before
    except OSError as error:
        raise NotKept(f"{file.parent} can't be written to ({error.strerror})") from error
    finally:
        with contextlib.suppress(OSError):
            trial.unlink(missing_ok=True)
    return file


def _is_part(thing, name: str) -> bool:
    """Was it loaded from the part's file?"""
    return isinstance(thing, (types.FunctionType, type)) and thing.__module__ == f"{PACKAGE}.{name}"


def _try_out(exercise: Code, root: Path, module: str) -> None:
    """Raise NotKept unless the saved code passes by itself, away from the notebook."""
    try:
        passed = judge(exercise, "kept", collect(exercise, _load(root, module, exercise.name), "kept")).passed
    except (Exception, SystemExit) as error:
        raise NotKept(f"outside this notebook it stops with {type(error).__name__}: {error}") from error
    if not passed:
        raise NotKept("outside this notebook it gives other answers, so it must depend on something here")


def part(name: str):
    """Your own `name` if it has passed its check, else the course's. Says which."""
    known = {each.name: each for each in all_exercises() if isinstance(each, Code) and not each.start}
    if name not in known:
        raise CourseError(f"There is no part {name!r}. Parts are: {', '.join(known)}.")
    exercise = known[name]
    root = None if is_official() else progress.workbook_root()
    if root and (root / PACKAGE / f"{name}.py").exists():
        try:
            own = _load(root, name, name)
        except (Exception, SystemExit) as error:  # the student may have edited the file
            why = f"{type(error).__name__}: {error}"
            print(f"Your own {name} can't be loaded from {PACKAGE}/{name}.py ({why}). Using the course's.")
            return exercise.reference
        print(f"Using your own {name}, from {PACKAGE}/{name}.py.")
        return own
    print(f"Using the course's {name}, until yours passes in lesson {exercise.lesson}.")
    return exercise.reference


def _load(root: Path, module_name: str, name: str):
    """Import `name` afresh: its file may have changed since it was last imported."""
    for module in [m for m in sys.modules if m == PACKAGE or m.startswith(PACKAGE + ".")]:
        del sys.modules[module]
    importlib.invalidate_caches()
    path, writes_bytecode = sys.path, sys.dont_write_bytecode
    sys.path, sys.dont_write_bytecode = [str(root), *path], True
    try:
        return getattr(importlib.import_module(f"{PACKAGE}.{module_name}"), name)
    finally:
        sys.path, sys.dont_write_bytecode = path, writes_bytecode


def _module_text(exercise: Code, submission) -> str:
    """The code with the imports, constants and helper functions of the notebook that it uses."""
    if not isinstance(submission, (types.FunctionType, type)) or not submission.__name__.isidentifier():
        raise NotKept("it has no name of its own. Write it with `def`")
    module = _Module(exercise.name)
    module.define(submission.__name__, submission)
    head = f'"""{exercise.title}, lesson {exercise.lesson}: yours, kept when it passed its check."""\n'
    renamed = f"\n{exercise.name} = {submission.__name__}\n" if submission.__name__ != exercise.name else ""
    definitions = [f"\n{source.rstrip()}" for source in module.definitions.values()]
    blocks = [head, "\n".join(module.imports.values()), "\n".join(module.constants.values()), *definitions]
    return "\n".join(block for block in blocks if block.strip()) + "\n" + renamed


class _Module:
    """What a function or class needs to stand alone, each by its name in the notebook, as source."""

    def __init__(self, becomes: str):
        self.becomes = becomes  # the name of the part
        self.imports, self.constants, self.definitions = {}, {}, {}

    def define(self, name: str, thing) -> None:
        """Take up a function or class and whatever it uses. Raises NotKept where that can't be written down."""
        source = source_of(thing)
        if source is None:
            raise NotKept("its source can't be found")
        try:
            nodes = list(ast.walk(ast.parse(source)))
        except SyntaxError as error:  # a lambda's source is a piece of the lines around it
            raise NotKept(f"the source of `{name}` doesn't stand alone. Write it with `def`") from error
        stored = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        local = stored | {node.arg for node in nodes if isinstance(node, ast.arg)}
        used = {node.id for node in nodes if isinstance(node, ast.Name)} - local
        self.definitions[name] = None  # stops a recursive function from gathering itself
        space = namespace_of(thing)
        for other in sorted(used - set(self.definitions)):
            builtin = hasattr(builtins, other) and space.get(other) is getattr(builtins, other)
            if other in space and not builtin:
                self._take(other, space[other])
        del self.definitions[name]
        self.definitions[name] = source  # after what it needs

    def _take(self, name: str, value) -> None:
        module, qualified = getattr(value, "__module__", None) or "", getattr(value, "__qualname__", "")
        own = module.startswith(PACKAGE + ".")  # a part may use another part
        if value is part or _is_part(value, self.becomes):
            raise NotKept(f"it uses `{name}`, and a part can't be made of itself")
        if isinstance(value, types.ModuleType):
            alias = "" if value.__name__ == name else f" as {name}"
            self.imports[name] = f"import {value.__name__}{alias}"
        elif isinstance(value, float) and not math.isfinite(value):  # these have no literal
            self.constants[name] = f"{name} = float({str(value)!r})"
        elif _is_literal(value):
            self.constants[name] = f"{name} = {value!r}"
        elif module == "__main__" and isinstance(value, (types.FunctionType, type)):
            self.define(name, value)
        elif qualified and (own or getattr(sys.modules.get(module), qualified, None) is value):
            alias = "" if qualified == name else f" as {name}"
            self.imports[name] = f"from {module.removeprefix(PACKAGE) if own else module} import {qualified}{alias}"
        else:
            raise NotKept(f"it uses the notebook's variable `{name}`")


def _is_literal(value) -> bool:
    """Can it be written down as Python, a number, text, or tuple of them?"""
    try:
        return isinstance(value, (int, float, str, tuple, type(None))) and ast.literal_eval(repr(value)) == value
    except (ValueError, SyntaxError):
        return False
