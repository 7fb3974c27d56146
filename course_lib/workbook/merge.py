"""A course update reaches a student's notebook without touching what the student wrote.

Three notebooks meet, cell by cell: `mine` (the student's), `base` (what the student was given) and `new` (what the
course gives now). Cells are recognised by their stable id.
"""

import copy

from nbformat import NotebookNode, from_dict

from course_lib.workbook.cells import grade_id, is_locked


def merge(mine: NotebookNode, base: NotebookNode, new: NotebookNode) -> NotebookNode:
    """The student's notebook after the update.

    Unedited course cells become the new ones and keep their outputs where the source is the same; locked cells are
    always the course's. The student's own and edited cells stay; what the student deleted stays deleted; what the
    course dropped goes, unless the student edited it. Merging again changes nothing.
    """
    mine = _with_course_ids(mine, base, new)
    my_cells, base_cells, new_cells = ({cell.id: cell for cell in notebook.cells} for notebook in (mine, base, new))
    moved = [i for i in my_cells if i in base_cells] != [i for i in base_cells if i in my_cells]
    if moved or list(base_cells) == list(new_cells):
        order = _weave(list(my_cells), list(new_cells))
    else:
        order = _weave(list(new_cells), list(my_cells))
    chosen = (_chosen(my_cells.get(i), base_cells.get(i), new_cells.get(i)) for i in order)
    metadata = {**new.metadata, **mine.metadata, "course": new.metadata.get("course", {})}
    return from_dict({**mine, "metadata": metadata, "cells": [cell for cell in chosen if cell is not None]})


def unedited(mine: NotebookNode, base: NotebookNode) -> bool:
    """Has the student changed nothing but outputs?"""
    return [(c.id, c.cell_type, c.source) for c in mine.cells] == [(c.id, c.cell_type, c.source) for c in base.cells]


def _with_course_ids(mine: NotebookNode, base: NotebookNode, new: NotebookNode) -> NotebookNode:
    """An exercise cell that an editor gave another id (cut and paste) gets its course id back."""
    mine = copy.deepcopy(mine)
    course_id = {grade_id(cell): cell.id for cell in [*base.cells, *new.cells] if grade_id(cell)}
    present = {cell.id for cell in mine.cells}
    for cell in mine.cells:
        wanted = course_id.get(grade_id(cell))
        if wanted and wanted not in present:
            cell.id = wanted
            present.add(wanted)
    return mine


def _weave(skeleton: list[str], others: list[str]) -> list[str]:
    """`skeleton` with each id that only `others` has, put after its predecessor there.

    >>> _weave(["a", "b", "c"], ["a", "x", "y", "b"])
    ['a', 'x', 'y', 'b', 'c']
    """
    order, known, previous = list(skeleton), set(skeleton), None
    for name in others:
        if name not in known:
            order.insert(order.index(previous) + 1 if previous is not None else 0, name)
        previous = name
    return order


def _chosen(mine, base, new) -> dict | None:
    """Which version of one cell stays; None when it goes. Each argument is None where that notebook lacks the cell."""
    if new is None:  # the student's own, or dropped by the course
        return mine if base is None or _edited(mine, base) else None
    if mine is None:  # new in the course, or deleted by the student
        return new if base is None else None
    metadata = {**mine.metadata, **new.metadata}
    if _edited(mine, base or new) and _edited(mine, new) and not is_locked(new):
        return {**mine, "metadata": metadata}
    kept = {**new, "metadata": metadata}
    if new.cell_type == "code" and not _edited(mine, new):
        kept |= {"outputs": mine.outputs, "execution_count": mine.execution_count}
    return kept


def _edited(one: NotebookNode, other: NotebookNode) -> bool:
    return (one.cell_type, one.source) != (other.cell_type, other.source)
