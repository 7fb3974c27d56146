"""Answers travel as plain JSON: what goes in comes out, and nothing hostile does more than raise Unreadable."""

import base64
import contextlib
import json

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.checking.answers import Answers, CaseAnswer
from course_lib.checking.collect import collect
from course_lib.checking.judge import Verdict, judge_json
from course_lib.checking.wire import DTYPES, MAX_DEPTH, Other, Unreadable, decode, encode
from course_lib.exercises import all_exercises, find
from course_lib.student.card import as_html, as_text


def there_and_back(value):
    return decode(json.loads(json.dumps(encode(value))))


def same(a, b) -> bool:
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, torch.Tensor):
        return a.dtype == b.dtype and a.shape == b.shape and torch.equal(a.nan_to_num(7.0), b.nan_to_num(7.0))
    return type(a) is type(b) and (a == b or a != a)


TENSORS = st.builds(
    lambda dtype, shape: (10 * torch.randn(shape)).to(DTYPES[dtype]),
    st.sampled_from(list(DTYPES)),
    st.lists(st.integers(0, 4), max_size=4),
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**300), 10**300) | st.floats() | st.text() | TENSORS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(), inner, max_size=3)
    ),
    max_leaves=6,
).filter(lambda value: depth(value) <= MAX_DEPTH)


def depth(value) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return 1 + max(map(depth, inner), default=0) if isinstance(value, (list, tuple, dict)) else 0


@given(VALUES)
@settings(max_examples=200, deadline=None)
def test_there_and_back(value):
    assert same(value, there_and_back(value))


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_and_layout(dtype):
    table = torch.arange(12).reshape(3, 4).to(DTYPES[dtype])
    for tensor in (table, table.mT, table[:, ::2], table[0, 0], table[:0], table.expand(2, 3, 4)):
        assert same(tensor, there_and_back(tensor))


def test_special_numbers():
    assert same(
        torch.tensor([torch.nan, torch.inf, -torch.inf, -0.0]),
        there_and_back(torch.tensor([torch.nan, torch.inf, -torch.inf, -0.0])),
    )
    assert there_and_back(float("inf")) == float("inf")
    assert there_and_back(np.float32(0.5)) == 0.5 and there_and_back(np.int64(3)) == 3
    assert there_and_back(...) is None


def test_what_is_not_data_keeps_its_name_alone():
    assert there_and_back(np.zeros(3)) == Other("NumPy array")
    assert there_and_back(print) == Other("builtin_function_or_method")


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (torch.zeros(2, dtype=torch.complex64), "complex64"),
        (torch.zeros(3_000_000), "3,000,000 numbers"),
        (list(range(2000)), "2,000 items"),
        ([[[[[[1]]]]]], "too deep"),
    ],
)
def test_too_much(value, says):
    with pytest.raises(Unreadable, match=says):
        encode(value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)
ANY = JSON | st.sampled_from(
    ["AAAA", "AAAAAAAA", "", "4", "0x1p+3", "nan", 10**400, -1, [2], [2, 0], [1 << 40, 1 << 40], [0, 1 << 62]]
)
ALMOST = st.recursive(
    st.fixed_dictionaries(
        {
            "type": st.sampled_from(["tensor", "plain", "int", "float", "list", "tuple", "dict", "array", "other"])
            | JSON
        },
        optional={
            "dtype": st.sampled_from(list(DTYPES)) | ANY,
            "shape": ANY,
            "data": ANY,
            "value": ANY,
            "items": ANY,
            "name": ANY,
            "of": ANY,
        },
    ),
    lambda inner: st.fixed_dictionaries(
        {
            "type": st.sampled_from(["list", "tuple", "dict"]),
            "items": st.lists(inner | st.tuples(ANY, inner).map(list), max_size=3),
        }
    ),
    max_leaves=5,
)


@pytest.mark.slow
@given(ALMOST | JSON)
@settings(max_examples=600, deadline=None)
def test_hostile_json_is_only_unreadable(data):
    with contextlib.suppress(Unreadable):
        decode(data)


def nested(levels: int):
    data = {"type": "int", "value": "1"}
    for _ in range(levels):
        data = {"type": "list", "items": [data]}
    return data


@pytest.mark.parametrize(
    "data",
    [
        {"type": "tensor", "dtype": "float32", "shape": [3], "data": ""},  # memory that nobody has written
        {"type": "tensor", "dtype": "float32", "shape": [1 << 40], "data": ""},
        {"type": "tensor", "dtype": "float32", "shape": [-1], "data": "AAAAAAAA"},
        {"type": "tensor", "dtype": "float64", "shape": [1], "data": base64.b64encode(b"1234").decode()},
        {"type": "tensor", "dtype": "complex64", "shape": [1], "data": "AAAAAAAAAAA="},
        {"type": "tensor", "dtype": "float32", "shape": [1], "data": "AAA*"},
        {"type": "tensor", "dtype": "float32", "shape": "x", "data": "AAAA"},
        {"type": "float", "value": "one"},
        {"type": "plain", "value": [1]},
        {"type": "dict", "items": [1, 2]},
        {"type": "list", "items": "abc"},
        {"type": "list", "items": [None] * 2000},
        {"type": "pickle"},
        nested(50),
        [],
        None,
    ],
)
def test_hostile_examples(data):
    with pytest.raises(Unreadable):
        decode(data)


@given(st.sampled_from([e.key for e in all_exercises()]), st.data())
@settings(max_examples=300, deadline=None)
def test_the_judge_always_has_a_verdict(key, data):
    """Whatever arrives from the student's kernel, the grader goes on, and gives no points for nonsense."""
    exercise = find(key)
    case = st.fixed_dictionaries(
        {},
        optional={
            "value": ALMOST,
            "error": JSON | st.fixed_dictionaries({"type": ANY, "message": ANY, "trace": ANY}),
            "changed": ANY,
        },
    )
    cases = (
        st.lists(case, min_size=len(getattr(exercise, "cases", [])), max_size=len(getattr(exercise, "cases", [])))
        | JSON
    )
    fields = {"cases": cases, "value": ALMOST | JSON, "problem": ANY, "detail": JSON, "notebook_names": JSON, "again": JSON | case,
              "gradient": JSON | case, "unfinished": JSON, "attempted": JSON, "seconds": JSON, "printed": JSON}  # fmt: skip
    answers = data.draw(st.fixed_dictionaries({}, optional=fields) | JSON)
    verdict = judge_json(exercise, "1", answers)
    assert isinstance(verdict, Verdict)
    assert verdict.points == 0 or exercise.kind != "code"
    assert as_text(verdict) and as_html(verdict)


def test_a_damaged_right_answer_says_so():
    exercise = find("02.attend")
    data = collect(exercise, lambda query, keys, values: (keys @ query).softmax(-1) @ values, "1").to_json()
    assert judge_json(exercise, "1", data).passed
    data["cases"][0]["value"]["data"] = data["cases"][0]["value"]["data"][:-4]
    verdict = judge_json(exercise, "1", data)
    assert not verdict.passed and "damaged" in verdict.message


# --- the answers ------------------------------------------------------------------------------------------------------

CALL = CaseAnswer(value=[1, "x"])
STOPPED = CaseAnswer(error="ValueError", message="no", trace="in f, line 1", operation="matmul of (2, 4) and (3, 4)")


@pytest.mark.parametrize(
    "answers",
    [
        Answers(),
        Answers(attempted=False),
        Answers(value={"rows": 3, "columns": Other("function")}),
        Answers(problem="type", detail="the class Linear"),
        Answers(problem="timeout", detail="two words", seconds=5.0, cases=(CALL,), printed="hello"),
        Answers(cases=(CALL, STOPPED), again=STOPPED, gradient=STOPPED, unfinished=True, notebook_names=("x", "y")),
        Answers(cases=(CaseAnswer(None, changed=("query",)),), again=CALL, gradient=CaseAnswer([])),
    ],
)
def test_answers_there_and_back(answers):
    assert Answers.from_json(json.loads(json.dumps(answers.to_json()))) == answers


def test_usual_answers_are_short():
    assert Answers(value="b").to_json() == {"value": {"type": "plain", "value": "b"}}
    assert Answers(attempted=False).to_json() == {"attempted": False}


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        "answers",
        {"cases": {}},
        {"cases": [{}]},
        {"cases": [{"value": {"type": "int", "value": "1"}, "error": "E"}]},
        {"cases": [{"error": 3}]},
        {"cases": [{"error": "E", "message": None}]},
        {"cases": [{"value": {"type": "int", "value": "1"}, "changed": "query"}]},
        {"cases": [{"value": {"type": "int", "value": "1"}, "changed": [1]}]},
        {"gradient": {"value": {"type": "int", "value": "1"}}},
        {"gradient": {"value": {"type": "list", "items": [{"type": "int", "value": "1"}]}}},
        {"again": None},
        {"problem": "another"},
        {"problem": ["type"]},
        {"attempted": 0},
        {"seconds": "5"},
        {"unfinished": "yes"},
        {"notebook_names": {"x": 1}},
        {"printed": 3},
        {"value": 3},
    ],
    ids=str,
)
def test_what_are_no_answers(data):
    with pytest.raises(Unreadable):
        Answers.from_json(data)
    verdict = judge_json(find("02.attend"), "1", data)
    assert "damaged" in verdict.message and verdict.points == 0 and verdict.attempted


def test_what_arrives_is_cut():
    long = Answers.from_json({"printed": "x" * 10_000, "cases": [{"error": "E" * 10_000, "message": "m" * 10_000}]})
    assert (len(long.printed), len(long.cases[0].error), len(long.cases[0].message)) == (2000, 80, 1500)
