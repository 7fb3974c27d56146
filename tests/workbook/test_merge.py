"""A course update against whatever a student may have done. Before and after are real notebooks in files."""

import copy

import pytest
from nbformat.v4 import new_code_cell, new_output
from small_course import cell, code, ids, small_lesson, text

from course_lib.workbook.merge import merge, unedited
from course_lib.workbook.notebook_files import read_notebook, write_notebook
from course_lib.workbook.release import student_copy

pytestmark = pytest.mark.usefixtures("small_course")


@pytest.fixture
def base(small_course):
    return student_copy(small_lesson())


@pytest.fixture
def new(small_course):
    """The course's next edition: a text corrected, a cell added in the middle and one at the end, one dropped, a check moved on."""
    source = small_lesson()
    cell(source, "question").source = "What is 1 + 1, and why?"
    cell(source, "double-check").source = 'check("90.double", double)  # corrected'
    cell(source, "double-answer").source = cell(source, "double-answer").source.replace("def", "# Try it.\ndef")
    source.cells.insert(ids(source).index("demo") + 1, code("second-demo", "2 + 2"))
    source.cells = [each for each in source.cells if each.id != "end"] + [text("new-end", "The end.")]
    return student_copy(source)


@pytest.fixture
def mine(base):
    return copy.deepcopy(base)


def update(mine, base, new):
    """Merge, and hold every merge to it that merging again changes nothing."""
    merged = merge(mine, base, new)
    assert merge(merged, new, new) == merged
    return merged


def own(name, source="my_own = 1"):
    return new_code_cell(source, id=name)


def test_an_untouched_lesson_becomes_the_new_one(mine, base, new):
    assert update(mine, base, new).cells == new.cells
    assert unedited(mine, base)


def test_no_update_changes_nothing(mine, base):
    cell(mine, "double-answer").source = "def double(x):\n    return x + x"
    mine.cells.insert(3, own("mine"))
    mine.cells.append(mine.cells.pop(1))  # moved
    assert update(mine, base, base) == mine


def test_an_edited_answer_stays_and_the_rest_is_updated(mine, base, new):
    cell(mine, "double-answer").source = "def double(x):\n    return x + x"
    merged = update(mine, base, new)
    assert cell(merged, "double-answer").source == "def double(x):\n    return x + x"
    assert cell(merged, "question").source == "What is 1 + 1, and why?"
    assert cell(merged, "double-check").source.endswith("# corrected")
    assert ids(merged) == ids(new)


def test_an_edited_course_text_stays(mine, base, new):
    cell(mine, "question").source = "What is 1 + 1? I say 2."
    assert cell(update(mine, base, new), "question").source == "What is 1 + 1? I say 2."


def test_a_cell_turned_into_text_stays(mine, base, new):
    mine.cells[ids(mine).index("demo")] = text("demo", "1 + 1 is 2")
    assert cell(update(mine, base, new), "demo").cell_type == "markdown"


def test_own_cells_stay_behind_the_cell_they_stood_behind(mine, base, new):
    mine.cells.insert(ids(mine).index("demo") + 1, own("mine-1"))
    mine.cells.insert(ids(mine).index("demo") + 2, own("mine-2"))
    mine.cells.insert(0, own("mine-first"))
    mine.cells.append(own("mine-last"))
    order = ids(update(mine, base, new))
    at = order.index("demo")
    assert order[at : at + 4] == ["demo", "mine-1", "mine-2", "second-demo"]
    assert order[0] == "mine-first"
    assert order[-2:] == ["mine-last", "new-end"]  # "end", which it stood behind, is dropped


def test_a_dropped_cell_goes_unless_it_was_edited(mine, base, new):
    assert "end" not in ids(update(mine, base, new))
    cell(mine, "end").source = "That is all. My notes: ..."
    assert cell(update(mine, base, new), "end").source.endswith("My notes: ...")


def test_what_the_student_deleted_stays_deleted(mine, base, new):
    mine.cells = [each for each in mine.cells if each.id not in ("question", "demo", "double-check")]
    order = ids(update(mine, base, new))
    assert not {"question", "demo", "double-check"} & set(order)
    assert order.index("second-demo") == order.index("imports") + 1


def test_a_changed_check_is_put_right_even_without_an_update(mine, base):
    cell(mine, "double-check").source += "\n"
    cell(mine, "double-check").metadata.nbgrader["points"] = 100
    merged = update(mine, base, base)
    assert merged == base


@pytest.mark.parametrize("written", ["print('passed')", "{}\nprint('passed')\n", "print('passed')\n\n  {}"])
def test_what_was_written_into_a_check_gets_a_cell_of_its_own_above_it(mine, base, new, written):
    locked = cell(mine, "double-check")
    locked.source = written.format(locked.source)
    merged = update(mine, base, new)
    at = ids(merged).index("double-check")
    assert merged.cells.pop(at - 1).source == "print('passed')"
    assert merged.cells == new.cells


def test_a_check_turned_into_text_is_put_right(mine, base, new):
    locked = cell(mine, "double-check")
    mine.cells[ids(mine).index("double-check")] = text("double-check", f"{locked.source}\nMy notes.")
    mine.cells[ids(mine).index("double-check")].metadata = locked.metadata
    merged = update(mine, base, new)
    at = ids(merged).index("double-check")
    assert (merged.cells[at - 1].cell_type, merged.cells.pop(at - 1).source) == ("markdown", "My notes.")
    assert merged.cells == new.cells


def test_outputs_stay_where_the_source_is_the_same(mine, base, new):
    seen = [new_output("stream", text="seen")]
    for name in ("demo", "double-check"):
        cell(mine, name).outputs, cell(mine, name).execution_count = copy.deepcopy(seen), 7
    merged = update(mine, base, new)
    assert cell(merged, "demo").outputs == seen and cell(merged, "demo").execution_count == 7
    assert cell(merged, "double-check").outputs == []


def test_an_exercise_cell_that_lost_its_id_is_recognised(mine, base, new):
    """Cut and paste gives a cell another id."""
    answer = cell(mine, "double-answer")
    answer.id, answer.source = "pasted", "def double(x):\n    return x + x"
    merged = update(mine, base, new)
    assert ids(merged) == ids(new)
    assert cell(merged, "double-answer").source == "def double(x):\n    return x + x"


@pytest.fixture
def without_ids(mine):
    """As Colab and editors of format 4.4 write it: every cell comes back with another id."""

    def drop(*, metadata):
        for number, each in enumerate(mine.cells):
            each.id = f"dropped-{number}"
            if not metadata:
                each.metadata = type(each.metadata)()
        return mine

    return drop


@pytest.mark.parametrize("metadata", [True, False], ids=["nbgrader's marks kept", "all metadata gone"])
def test_course_cells_are_recognised_without_ids(without_ids, mine, base, new, metadata):
    cell(mine, "double-answer").source = "def double(x):\n    return x + x"
    mine.cells.insert(3, own("mine"))
    merged = update(without_ids(metadata=metadata), base, new)
    assert [name for name in ids(merged) if not name.startswith("dropped")] == ids(new)
    assert cell(merged, "double-answer").source == "def double(x):\n    return x + x"
    assert cell(merged, "double-answer").metadata == cell(new, "double-answer").metadata
    assert merged.cells.pop(3).source == "my_own = 1"
    answer = ids(new).index("double-answer")
    assert merged.cells[:answer] + merged.cells[answer + 1 :] == new.cells[:answer] + new.cells[answer + 1 :]


def test_a_copied_exercise_cell_stays_the_students_own(mine, base, new):
    twin = copy.deepcopy(cell(mine, "double-answer"))
    twin.id = "twin"
    mine.cells.insert(ids(mine).index("double-answer") + 1, twin)
    assert "twin" in ids(update(mine, base, new))


def test_course_cells_that_the_student_moved_stay_there(mine, base, new):
    mine.cells.insert(1, mine.cells.pop(ids(mine).index("double-answer")))
    order = ids(update(mine, base, new))
    assert order[:3] == ["title", "double-answer", "imports"]
    assert order[order.index("demo") + 1] == "second-demo"


def test_a_reordered_course_is_followed(mine, base, new):
    new.cells.insert(1, new.cells.pop(ids(new).index("sizes-answer")))
    mine.cells.insert(ids(mine).index("sizes-answer") + 1, own("mine"))
    assert ids(update(mine, base, new))[:3] == ["title", "sizes-answer", "mine"]


def test_without_the_original_nothing_of_the_students_is_lost(mine, base, new):
    cell(mine, "double-answer").source = "def double(x):\n    return x + x"
    mine.cells.append(own("mine"))
    merged = update(mine, new, new)
    assert {each.source for each in mine.cells if "check(" not in each.source} <= {each.source for each in merged.cells}


def test_where_the_original_is_lost_the_stamps_tell_what_was_edited(mine, new):
    cell(mine, "double-answer").source = "def double(x):\n    return x + x"
    cell(mine, "end").source = ""
    mine.cells.insert(3, own("mine"))
    mine.cells = [each for each in mine.cells if each.id != "demo"]
    merged = merge(mine, None, new)
    assert merge(merged, new, new) == merged
    assert cell(merged, "question").source == "What is 1 + 1, and why?", "unedited, so updated"
    assert cell(merged, "double-check").source.endswith("# corrected")
    assert cell(merged, "double-answer").source == "def double(x):\n    return x + x"
    assert cell(merged, "mine").source == "my_own = 1"
    assert set(ids(new)) | {"mine", "end"} == set(ids(merged)), "also `demo`, that was deleted"


def test_without_original_and_stamps_all_that_differs_counts_as_edited(mine, new):
    for each in mine.cells:
        each.metadata.pop("course")
    cell(mine, "double-answer").source = "def double(x):\n    return x + x"
    merged = merge(mine, None, new)
    assert cell(merged, "question").source == "What is 1 + 1?"
    assert cell(merged, "double-answer").source == "def double(x):\n    return x + x"
    assert cell(merged, "double-check").source.endswith("# corrected")


def test_the_kernel_that_the_student_chose_stays(mine, base, new):
    mine.metadata.kernelspec.name = "conda-env"
    assert update(mine, base, new).metadata.kernelspec.name == "conda-env"


def test_through_files(mine, base, new, tmp_path):
    """The same when every notebook has been written and read in between."""
    cell(mine, "double-answer").source = "def double(x):\n    return x + x"
    for name, notebook in {"mine": mine, "base": base, "new": new}.items():
        write_notebook(tmp_path / name, notebook)
    read = [read_notebook(tmp_path / name) for name in ("mine", "base", "new")]
    write_notebook(tmp_path / "merged", merge(*read))
    assert read_notebook(tmp_path / "merged") == merge(mine, base, new)
