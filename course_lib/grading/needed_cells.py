"""Which cells of a notebook the answers and checks in it need, found by the names that cells bind and read."""

import ast
import functools
from collections.abc import Iterable, Iterator
from symtable import SymbolTable, symtable

from IPython.core.inputtransformer2 import TransformerManager

NOT_PYTHON = (SyntaxError, ValueError, RecursionError, MemoryError)
MAY_NOT_BIND = (ast.If, ast.While, ast.Try, ast.Match)  # what stands in these may not be run


def needed(sources: list[str], roots: Iterable[int]) -> list[int]:
    """The indices of `roots`, and of each cell before one that binds or changes a name which it reads.

    Read from the end: a name that a cell binds anew needs no cell before it, unless that cell reads it first.
    """
    roots, kept, wanted = set(roots), [], set()
    imported = set().union(*map(_imported, sources))  # `torch.manual_seed(0)` changes nothing that an answer reads
    for index in reversed(range(len(sources))):
        bound, read = names(sources[index])
        if index in roots or (bound | (changed(sources[index]) - imported)) & wanted:
            kept.append(index)
            wanted = (wanted - bound) | read
    return kept[::-1]


def names(source: str) -> tuple[set[str], set[str]]:
    """The names that a cell binds, and those that it reads from cells before it.

    What a function reads counts where it is defined. A change in place (`x[0] = 1`, `train(model)`) binds nothing.
    """
    bound, read = set(), set()
    for statement in _statements(source):
        try:
            top, *inner = _scopes(symtable(ast.unparse(statement), "<cell>", "exec"))
        except NOT_PYTHON:  # `nonlocal` outside of a function
            continue
        inside = {symbol.get_name() for scope in inner for symbol in scope.get_symbols() if symbol.is_global()}
        added_to = {statement.target.id} if _adds(statement) else set()
        binds = {symbol.get_name() for symbol in top.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
        maybe = binds if isinstance(statement, MAY_NOT_BIND) else set()
        read |= (
            {symbol.get_name() for symbol in top.get_symbols() if symbol.is_referenced()} | inside | added_to | maybe
        ) - bound
        bound |= binds
    return bound, read


def changed(source: str) -> set[str]:
    """The names whose values a cell changes in place: `x[0] = 1`, `layer.weight = w`, `losses.append(3)`."""
    found = set()
    for statement in _statements(source):
        for node in ast.walk(statement):
            stored = isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, (ast.Store, ast.Del))
            called = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
            if stored or (called and isinstance(node.value.func, ast.Attribute)):
                found |= _root(node if stored else node.value.func)
    return found


def _imported(source: str) -> set[str]:
    imports = [each for each in _statements(source) if isinstance(each, (ast.Import, ast.ImportFrom))]
    return {(alias.asname or alias.name).partition(".")[0] for each in imports for alias in each.names}


def _root(node: ast.expr) -> set[str]:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return {node.id} if isinstance(node, ast.Name) else set()


@functools.cache
def _statements(source: str) -> list[ast.stmt]:
    """Empty where it isn't Python: such a cell binds nothing. Of a cell under a magic (`%%time`), what stands below."""
    if source.startswith("%%"):
        source = source.partition("\n")[2]
    try:
        return ast.parse(TransformerManager().transform_cell(source)).body
    except NOT_PYTHON:
        return []


def _adds(statement: ast.stmt) -> bool:
    """`total += 1`, which Python's symbol table doesn't count as reading."""
    return isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name)


def _scopes(table: SymbolTable) -> Iterator[SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _scopes(child)
