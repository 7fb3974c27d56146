"""A course update reaches a student's notebook without touching what the student wrote.

Three notebooks meet, cell by cell: `mine` (the student's), `base` (what the student was given) and `new` (what the
course gives now). Cells are recognised by their stable id.
"""

import copy
from difflib import SequenceMatcher

from nbformat import NotebookNode, from_dict
from nbformat.v4 import new_code_cell, new_markdown_cell

from course_lib.workbook.cells import grade_id, is_as_given, is_locked


def merge(mine: NotebookNode, base: NotebookNode | None, new: NotebookNode) -> NotebookNode:
    """The student's notebook after the update.

    Unedited course cells become the new ones and keep their outputs where the source is the same; locked cells are
    always the course's, and what the student wrote into one gets a cell of its own above it. The student's own and
    edited cells stay; what the student deleted stays deleted; what the course dropped goes, unless the student edited
    it. Where `base` is lost (None), the cells' stamps tell what was edited, and deleted cells come back. Merging again
    changes nothing.
    """
    mine = _with_course_ids(mine, base or new, new)
    given = [cell.id for cell in (base or new).cells]
    base = base or _as_stamped(mine, new)
    my_cells, base_cells, new_cells = ({cell.id: cell for cell in notebook.cells} for notebook in (mine, base, new))
    moved = [i for i in my_cells if i in given] != [i for i in given if i in my_cells]
    if moved or given == list(new_cells):
        order = _weave(list(my_cells), list(new_cells))
    else:
        order = _weave(list(new_cells), list(my_cells))
    cells = []
    for versions in ((my_cells.get(i), base_cells.get(i), new_cells.get(i)) for i in order):
        cells += [cell for cell in (_written_into_locked(*versions), _chosen(*versions)) if cell is not None]
    metadata = {**new.metadata, **mine.metadata, "course": new.metadata.get("course", {})}
    return from_dict({**mine, "metadata": metadata, "cells": cells})


def unedited(mine: NotebookNode, base: NotebookNode) -> bool:
    """Has the student changed nothing but outputs?"""
    return [(c.id, c.cell_type, c.source) for c in mine.cells] == [(c.id, c.cell_type, c.source) for c in base.cells]


def _with_course_ids(mine: NotebookNode, base: NotebookNode, new: NotebookNode) -> NotebookNode:
    """Course cells that an editor gave other ids get theirs back.

    Exercises are recognised by nbgrader's name (cut and paste gives a new id); where no id of the course is left
    (Colab and older editors drop them all), the others by their source, or by their place between such.
    """
    mine = copy.deepcopy(mine)
    course_id = {grade_id(cell): cell.id for cell in [*base.cells, *new.cells] if grade_id(cell)}
    known, present = {cell.id for cell in base.cells}, {cell.id for cell in mine.cells}
    pairs = [(cell, course_id.get(grade_id(cell))) for cell in mine.cells]
    if present.isdisjoint(known):
        pairs += [(cell, wanted) for cell, wanted in _pairs_by_place(mine.cells, base.cells) if not grade_id(cell)]
    for cell, wanted in pairs:
        if wanted and wanted not in present:
            cell.id = wanted
            present.add(wanted)
    return mine


def _pairs_by_place(mine: list[NotebookNode], base: list[NotebookNode]) -> list[tuple[NotebookNode, str]]:
    """Cells with the id of the base cell that they are: of the same source, or as many as there were in between."""
    texts = [[(cell.cell_type, cell.source) for cell in cells] for cells in (mine, base)]
    pairs = []
    for _, i, i_end, j, j_end in SequenceMatcher(None, *texts, autojunk=False).get_opcodes():
        if i_end - i == j_end - j:
            pairs += [(one, other.id) for one, other in zip(mine[i:i_end], base[j:j_end])]
    return pairs


def _as_stamped(mine: NotebookNode, new: NotebookNode) -> NotebookNode:
    """What the student was given, as far as their cells' stamps tell: of edited cells only that they were another."""
    known = {cell.id for cell in new.cells}
    cells = [c if is_as_given(c) else {**c, "cell_type": "lost", "source": ""} for c in mine.cells if c.id in known]
    return from_dict({**mine, "cells": cells})


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
    metadata = {key: value for key, value in mine.metadata.items() if key != "nbgrader"} | new.metadata
    if _edited(mine, base or new) and _edited(mine, new) and not is_locked(new):
        return {**mine, "metadata": metadata}
    kept = {**new, "metadata": metadata}
    if new.cell_type == "code" and not _edited(mine, new):
        kept |= {"outputs": mine.outputs, "execution_count": mine.execution_count}
    return kept


def _written_into_locked(mine, base, new) -> NotebookNode | None:
    """What the student wrote into a locked cell beside the course's lines. Above it, it still runs before the check."""
    if None in (mine, base, new) or not is_locked(new) or not _edited(mine, base) or not _edited(mine, new):
        return None
    course = {line.strip() for cell in (base, new) for line in cell.source.splitlines()}
    text = "\n".join(line for line in mine.source.splitlines() if line.strip() not in course).strip("\n")
    if not text:
        return None
    return new_code_cell(text) if mine.cell_type == "code" else new_markdown_cell(text)


def _edited(one: NotebookNode, other: NotebookNode) -> bool:
    return (one.cell_type, one.source) != (other.cell_type, other.source)
