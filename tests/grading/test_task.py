"""What a student's process learns of an exercise: enough to answer as beside the exercise itself, and no right answer."""

import ast
import base64
import importlib
import io
import pkgutil
import zlib
from pathlib import Path

import pytest
import torch
from torch.serialization import get_unsafe_globals_in_checkpoint

from course_lib import exercises
from course_lib.checking import calls
from course_lib.checking.collect import answers_to, collect
from course_lib.checking.kinds import Code, as_returned
from course_lib.checking.student_code import codes
from course_lib.checking.task import Task, pack, unpack
from course_lib.exercises import all_exercises

CODE = [exercise for exercise in all_exercises() if isinstance(exercise, Code)]
HANDED_OUT = ("given", "buggy", "planted")
every = pytest.mark.parametrize("exercise", CODE, ids=lambda exercise: exercise.key)


def same(a, b) -> bool:
    """Equal, and laid out alike in memory."""
    if isinstance(a, torch.Tensor):
        return a.dtype == b.dtype and a.stride() == b.stride() and torch.equal(a, b)
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    return type(a) is type(b) and a == b


@every
def test_a_task_arrives_as_it_was_sent(exercise):
    task = exercise.task("1")
    arrived = unpack(pack(task))
    inputs = [exercise.inputs(index, "1") for index in range(len(exercise.cases))]
    assert same(inputs, [arrived.inputs(index) for index in range(len(inputs))])
    assert arrived.names == tuple(exercise.input_names()) and arrived.signatures == task.signatures
    assert arrived.find_reference() is exercise.reference


@every
def test_its_answers_are_those_beside_the_exercise(exercise):
    for answer in (exercise.buggy, exercise.mistakes[-1].wrong):
        if answer:
            sent = unpack(pack(exercise.task("1")))
            assert answers_to(sent, answer).to_json() == collect(exercise, answer, "1").to_json()


@every
def test_nothing_of_the_exercises_is_in_it_but_what_is_given(exercise):
    file = io.BytesIO(zlib.decompress(base64.b64decode(pack(exercise.task("1")))))
    named = {name.rpartition(".")[0] for name in get_unsafe_globals_in_checkpoint(file)}
    own = {name for name in named if name.startswith("course_lib.exercises.")}
    assert {name.rpartition(".")[2] for name in own} <= {"given"}
    assert named - own <= {"course_lib.checking.task", "course_lib.checking.calls", "functools"}


def modules_handed_out():
    names = [name for _, name, _ in pkgutil.walk_packages(exercises.__path__, "course_lib.exercises.")]
    return [importlib.import_module(name) for name in names if name.rpartition(".")[2] in HANDED_OUT]


@pytest.mark.parametrize("module", modules_handed_out(), ids=lambda module: module.__name__)
def test_what_is_handed_out_holds_no_answer(module):
    tree = ast.parse(Path(module.__file__).read_text())
    imported = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    imported += [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    inside = [name for name in imported if name.startswith("course_lib.exercises")]
    assert all(name.rpartition(".")[2] in HANDED_OUT for name in inside)
    own = {code for thing in vars(module).values() for code in codes(thing) if code.co_filename == module.__file__}
    answers = [(each.key, each.reference) for each in CODE]
    answers += [(each.key, m.wrong) for each in CODE for m in each.mistakes if m.wrong is not each.buggy]
    assert not [key for key, answer in answers if own & set(codes(answer))]


def test_a_function_that_has_to_learn_by_its_gradient_is_settled_by_nobody():
    """The gradient is of what the call returns."""
    assert not [each.key for each in CODE if each.differentiable and each.settle is not as_returned]


def test_a_number_is_asked_for_by_its_key_alone():
    assert unpack(pack(Task("02.by_hand"))) == Task("02.by_hand")


def test_inputs_that_were_changed_are_whole_again():
    task = Task("90.x", wanted="function", cases=((torch.zeros(3), {"a": [1]}),))
    first = task.inputs(0)
    first[0].add_(1)
    first[1]["a"].append(2)
    assert same(task.inputs(0), (torch.zeros(3), {"a": [1]}))


@pytest.mark.parametrize("place", ["", "course_lib.nowhere:f", "course_lib.attention:nothing", "a <lambda>:b"])
def test_a_reference_that_is_not_here_is_none(place):
    assert Task("90.x", reference=place).find_reference() is None


def test_what_is_misnamed_in_a_class_is_said():
    with pytest.raises(calls.Misnamed, match="no method decode"):
        calls.of_class(type("A", (), {"encode": str}), "text", [1], methods=("encode", "decode"), another=())
