"""A student's code from outside: its source, what is still to be written, what it reads, where it failed."""

import ast
import dis
import inspect
import linecache
import sys
import sysconfig
import textwrap
import traceback
import types

import numpy as np
import torch

STANDARD_LIBRARY = sysconfig.get_paths()["stdlib"]


def source_of(thing) -> str | None:
    """The source that a function or class was defined with, or None."""
    try:
        if inspect.isclass(thing) and thing.__module__ == "__main__":
            return _class_source(thing)
        return textwrap.dedent(inspect.getsource(thing))
    except Exception:  # not only where there is none: `inspect` asks the object, which may be a student's own
        return None


def _class_source(cls) -> str | None:
    """A class made in a notebook: found in the cell that holds its methods, which `inspect` can't do by itself."""
    method = next((m for m in vars(cls).values() if isinstance(m, types.FunctionType)), None)
    if method is None:
        return None
    lines = linecache.getlines(method.__code__.co_filename)
    for node in ast.walk(ast.parse("".join(lines))):
        if isinstance(node, ast.ClassDef) and node.name == cls.__name__:
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            if first <= method.__code__.co_firstlineno <= node.end_lineno:
                return textwrap.dedent("".join(lines[first - 1 : node.end_lineno]))
    return None


def _parse(source: str):
    try:
        return ast.parse(source).body[0]
    except (SyntaxError, IndexError):
        return None


def _is_ellipsis(node) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and node.value.value is Ellipsis


def _statements(node) -> list:
    """A body without its docstring."""
    return node.body[ast.get_docstring(node, clean=False) is not None :]


def has_ellipsis(source: str) -> bool:
    tree = _parse(source)
    return tree is not None and any(_is_ellipsis(node) for node in ast.walk(tree))


def is_untouched(start: str | None, source: str | None) -> bool:
    """Is this still what the student was given: `start`, or a stub?"""
    tree = source and _parse(source)
    if not isinstance(tree, (ast.FunctionDef, ast.ClassDef)):
        return False
    if start:
        return ast.dump(tree) == ast.dump(_parse(start))
    stubs = [tree] if isinstance(tree, ast.FunctionDef) else [n for n in tree.body if isinstance(n, ast.FunctionDef)]
    given = (ast.Pass, ast.Expr)  # an expression: the `...` itself, or super().__init__()
    return bool(stubs) and all(
        all(isinstance(s, given) for s in _statements(f))
        and any(_is_ellipsis(s) or isinstance(s, ast.Pass) for s in _statements(f))
        for f in stubs
    )


def functions(submission) -> list[types.FunctionType]:
    """A function, without what wraps it, or a class's methods."""
    things = vars(submission).values() if inspect.isclass(submission) else [submission]
    return list(filter(inspect.isfunction, (inspect.unwrap(thing) for thing in things if inspect.isfunction(thing))))


def codes(submission):
    """All code objects of a function or class, nested ones too."""
    todo = [function.__code__ for function in functions(submission)]
    while todo:
        code = todo.pop()
        yield code
        todo += [c for c in code.co_consts if isinstance(c, types.CodeType)]


def global_names(submission) -> set[str]:
    """Names that the code reads or writes in its module, such as `torch` or a variable of the notebook."""
    return {
        i.argval
        for code in codes(submission)
        for i in dis.get_instructions(code)
        if i.opname in ("LOAD_GLOBAL", "STORE_GLOBAL", "LOAD_NAME")
    }


def namespace_of(submission) -> dict:
    if inspect.isfunction(submission):
        return submission.__globals__
    return vars(sys.modules.get(getattr(submission, "__module__", ""), types.ModuleType("empty")))


def global_data(submission) -> list[str]:
    """The notebook's variables that the code reads: data, not modules, functions or constants IN CAPITALS."""
    space = namespace_of(submission)
    data = (torch.Tensor, torch.nn.Module, np.ndarray, int, float, list, dict, set)
    return sorted(n for n in global_names(submission) if not n.isupper() and isinstance(space.get(n), data))


def fingerprint(submission) -> str:
    """The same for the same answer again: of code, with the notebook's functions and classes that it uses."""
    if not (inspect.isfunction(submission) or inspect.isclass(submission)):
        try:
            return repr(submission)[:10_000]
        except Exception:  # a student's own class
            return ""
    seen, todo = {}, [submission]
    while todo:
        thing = todo.pop()
        if id(thing) in seen or not (inspect.isfunction(thing) or inspect.isclass(thing)):
            continue
        seen[id(thing)] = "".join(f"{c.co_code}{c.co_names}{c.co_varnames}{_constants(c)}" for c in codes(thing))
        space = namespace_of(thing)
        todo += [space[name] for name in sorted(global_names(thing)) if name in space]
    return "".join(seen.values())


def _constants(code) -> str:
    return repr([each for each in code.co_consts if not isinstance(each, types.CodeType)])


def own_trace(error: BaseException) -> str:
    """The lines of the student's own cells that led to the error, innermost last, without our frames or torch's."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if is_students(frame.filename)]
    return "\n".join(f"in {frame.name}, line {frame.lineno}:\n    {frame.line}" for frame in frames[-6:])


def is_students(file: str) -> bool:
    """Is this a cell of theirs, or a file that isn't installed?"""
    in_cell = "ipykernel_" in file or file.startswith("<")
    installed = "site-packages" in file or "course_lib" in file or file.startswith(STANDARD_LIBRARY)
    return in_cell or not installed
