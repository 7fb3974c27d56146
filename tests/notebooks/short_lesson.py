"""What grading a lesson needs of it: a student's copy with the solutions, and the cells that its answers and checks use."""

import ast
import copy
import re
from collections.abc import Iterator
from symtable import SymbolTable, symtable

from nbformat import NotebookNode

from course_lib.workbook.cells import exercise_key, is_answer
from course_lib.workbook.release import student_copy

SETUP = "setup"  # the id of a lesson's first code cell
MARK = re.compile(r"^\s*### (BEGIN|END) SOLUTION\n?", re.MULTILINE)


def solved_copy(source: NotebookNode) -> NotebookNode:
    """The student's copy, its answer cells filled with what the source has between its marks."""
    solutions = {cell.id: MARK.sub("", cell.source) for cell in source.cells if is_answer(cell)}
    given = student_copy(source)
    for cell in given.cells:
        cell.source = solutions.get(cell.id, cell.source)
    return given


def needed_cells(notebook: NotebookNode) -> list[str]:
    """The ids of the set-up, of the answers and checks, and of each cell before that binds a name which they read.

    Read from the end: a name that a cell binds anew needs no cell before it, unless that cell reads it first.
    """
    kept, wanted = [], set()
    for cell in reversed([cell for cell in notebook.cells if cell.cell_type == "code"]):
        bound, read = names(cell.source)
        if exercise_key(cell) or cell.id == SETUP or bound & wanted:
            kept.append(cell.id)
            wanted = (wanted - bound) | read
    return kept[::-1]


def only(notebook: NotebookNode, cells: list[str]) -> NotebookNode:
    """A copy of the notebook with these cells alone."""
    short = copy.copy(notebook)
    short.cells = [cell for cell in notebook.cells if cell.id in cells]
    return short


def names(source: str) -> tuple[set[str], set[str]]:
    """The names that a cell binds, and those that it reads from cells before it.

    What a function reads counts where it is defined. A change in place (`x[0] = 1`, `train(model)`) binds nothing.
    """
    bound, read = set(), set()
    for statement in ast.parse(source).body:
        top, *inner = _scopes(symtable(ast.unparse(statement), "<cell>", "exec"))
        inside = {symbol.get_name() for scope in inner for symbol in scope.get_symbols() if symbol.is_global()}
        added_to = {statement.target.id} if _adds(statement) else set()
        read |= (
            {symbol.get_name() for symbol in top.get_symbols() if symbol.is_referenced()} | inside | added_to
        ) - bound
        bound |= {symbol.get_name() for symbol in top.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    return bound, read


def _adds(statement: ast.stmt) -> bool:
    """`total += 1`, which Python's symbol table doesn't count as reading."""
    return isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name)


def _scopes(table: SymbolTable) -> Iterator[SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _scopes(child)
