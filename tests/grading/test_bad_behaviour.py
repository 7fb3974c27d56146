"""Whatever a student's code does, the check ends in time, says one fair sentence, and leaves Python as it was."""
# ruff: noqa: SIM105 -- code as students write it

import copy
import functools
import gc
import inspect
import json
import os
import random
import signal
import sys
import threading
import time
from decimal import Decimal
from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from torch import nn

from course_lib import attention
from course_lib.checking import collect as collecting
from course_lib.checking.collect import collect
from course_lib.checking.judge import judge
from course_lib.checking.kinds import Code
from course_lib.checking.usual_state import usual_state
from course_lib.exercises import all_exercises, find
from course_lib.student.card import as_html, as_text

ATTEND, SOFTMAX, SDPA, LAYER = "02.attend", "00.softmax", "02.scaled_dot_product_attention", "03.MultiHeadAttention"


def verdict(key, submission, seed="1"):
    exercise = find(key)
    return judge(exercise, seed, collect(exercise, submission, seed))


def right(query, keys, values):
    return (keys @ query).softmax(-1) @ values


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(collecting, "SECONDS", 1.0)


# --- results of the wrong kind ------------------------------------------------------------------------------------------


class Evil:
    """Raises wherever it is touched."""

    def __eq__(self, other):
        raise RuntimeError("eq")

    def __repr__(self):
        raise RuntimeError("repr")

    def __len__(self):
        raise RuntimeError("len")

    def __bool__(self):
        raise RuntimeError("bool")

    def __getattr__(self, name):
        raise RuntimeError("getattr")

    __hash__ = None


class EvilList(list):
    def __len__(self):
        raise SystemExit("len")


class EvilTensor(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        raise RuntimeError("no")


def generator(query, keys, values):
    yield right(query, keys, values)


async def coroutine(query, keys, values):
    return right(query, keys, values)


def a_list_inside_itself():
    items = []
    items.append(items)
    return items


@pytest.mark.parametrize(
    ("result", "says"),
    [
        (None, "returns None. Is there a return"),
        (3, "should be a float32 tensor, yours is a whole number"),
        (3.5, "yours is a float"),
        ("text", "yours is a text"),
        (True, "yours is True or False"),
        ([1.0, 2.0, 3.0], "yours is a list"),
        ((torch.zeros(3), torch.zeros(3)), "You return 2 results, and one is asked for"),
        ({"a": 1}, "yours is a dictionary"),
        (np.zeros(3, dtype=np.float32), "yours is a NumPy array"),
        (np.float64(3), "yours is a float"),
        (object(), "yours is a value of type object"),
        (a_list_inside_itself(), "lists inside lists"),
        (torch.tensor(1.0), "expected (d_v 3), got a single number"),
        (torch.zeros(1, 3), "expected (d_v 3), got (1, 3)"),
        (torch.zeros(0), "got (0,)"),
        (torch.zeros(3, dtype=torch.float64), "expected float32, got float64"),
        (torch.zeros(3, dtype=torch.int64), "expected float32, got int64"),
        (torch.zeros(3, dtype=torch.complex64), "yours is a tensor of dtype complex64"),
        (torch.zeros(3, device="meta"), "a tensor without numbers of its own"),
        (torch.zeros(3).to_sparse(), "a tensor without numbers of its own"),
        (torch.full((3,), torch.nan), "contains NaN"),
        (torch.full((3,), torch.inf), "contains infinity"),
        (torch.zeros(3_000_000), "far more than the question asks for"),
        (torch.sum, "a function: it is named without being called"),
        (right, "a function: it is returned without being called"),
        (lambda x: x, "a function: it is returned without being called"),
    ],
    ids=lambda x: x if isinstance(x, str) else type(x).__name__,
)
def test_wrong_results(result, says):
    found = verdict(ATTEND, lambda query, keys, values: result)
    assert not found.passed and found.attempted
    assert says in found.message
    assert found.points == 0
    assert as_text(found) and as_html(found)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (Evil, "a value of type Evil"),
        (lambda: EvilList([1]), "can't be read"),
        (lambda: torch.zeros(3).as_subclass(EvilTensor), "can't be read"),
    ],
)
def test_results_that_bite(make, says):
    assert says in verdict(ATTEND, lambda query, keys, values: make()).message
    for key in ("02.by_hand", "02.order"):
        found = verdict(key, make())
        assert not found.passed and found.attempted
    assert not verdict("02.by_hand", {"first weight": make()}).passed
    assert "check needs your function itself" in verdict(ATTEND, make()).message


@pytest.mark.filterwarnings("ignore:coroutine")
@pytest.mark.parametrize(("submission", "says"), [(generator, "there is a `yield`"), (coroutine, "not `async def`")])
def test_wrong_kinds_of_function(submission, says):
    assert says in verdict(ATTEND, submission).message


@pytest.mark.parametrize(
    ("result", "says"),
    [
        (
            torch.zeros(2, 4),
            "Expected 2 results: (... query d_v), then (... query key). Yours: a tensor of shape (2, 4).",
        ),
        ((torch.zeros(2, 4),) * 3, "Yours: 3 results"),
        ((None, None), "The output (... query d_v) is None"),
        ({"output": 1}, "Yours: a dictionary"),
        (([[1.0]], torch.zeros(2, 4)), "The output should be a float32 tensor, yours is a list"),
    ],
    ids=["one", "three", "None", "dict", "list"],
)
def test_wrong_number_of_results(result, says):
    assert says in verdict(SDPA, lambda query, key, value: result).message


# --- code that doesn't return ---------------------------------------------------------------------------------------------


class Own(BaseException):
    """Not an Exception."""


class Unspeakable(Exception):
    def __str__(self):
        raise ValueError


def raising(error):
    def submission(query, keys, values):
        raise error

    return submission


def bottomless(query, keys, values):
    return bottomless(query, keys, values)


@pytest.mark.parametrize(
    ("submission", "says"),
    [
        (raising(ValueError("a <b> of mine")), "Your code stopped with ValueError: a <b> of mine"),
        (raising(KeyError("x")), "KeyError"),
        (raising(SystemExit(3)), "SystemExit"),
        (raising(Own("mine")), "stopped with Own: mine"),
        (raising(GeneratorExit()), "GeneratorExit"),
        (raising(StopIteration()), "StopIteration"),
        (raising(MemoryError()), "MemoryError"),
        (raising(Unspeakable()), "(its message can't be shown)"),
        (raising(NotImplementedError()), "still to be written"),
        (bottomless, "RecursionError"),
        (lambda query, keys, values: sys.exit(), "SystemExit"),
        (lambda query, keys, values: query[99], "IndexError"),
        (lambda query, keys, values: torch.empty(1 << 50), "RuntimeError"),
        (lambda query, keys, values: undefined_name, "NameError"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_raising(submission, says):
    found = verdict(ATTEND, submission)
    assert not found.passed and says in found.message
    assert "course_lib/" not in found.trace and "site-packages" not in found.trace


def test_the_trace_is_cut_to_the_students_lines():
    def helper(x):
        return torch.nn.functional.layer_norm(x, (99,))

    def submission(query, keys, values):
        return helper(query)

    trace = verdict(ATTEND, submission).trace
    assert "in submission, line" in trace and "in helper, line" in trace
    assert "return helper(query)" in trace
    assert trace.count("line") == 2


def endless(query, keys, values):
    while True:
        pass


def swallowing(query, keys, values):
    while True:
        try:
            sum(range(1000))
        except Exception:
            pass


def swallowing_everything(query, keys, values):
    while True:
        try:
            sum(range(1000))
        except:  # noqa: E722
            pass


def sleeping(query, keys, values):
    time.sleep(100)


def swallowing_while_asleep(query, keys, values):
    while True:
        try:
            time.sleep(100)
        except BaseException:
            continue


def torch_loop(query, keys, values):
    x = torch.randn(100, 100)
    while x is not None:
        x = (x @ x).softmax(-1)


def printing(query, keys, values):
    while True:
        print("x" * 10_000)


def swallowing_torch_loop(query, keys, values):
    x = torch.randn(20, 20)
    while True:
        try:
            x = torch.tanh(x @ x)
        except:  # noqa: E722
            pass


@pytest.mark.slow
@pytest.mark.parametrize(
    "submission", [torch_loop, swallowing_torch_loop, swallowing_while_asleep, endless], ids=lambda f: f.__name__
)
def test_a_stopped_check_leaves_nothing_behind(submission, monkeypatch):
    """Wherever the stop strikes: torch's modes, the profiler, the tracer and the alarm are as before."""
    before = (
        torch.overrides._get_current_function_mode_stack(),
        sys.getprofile(),
        sys.gettrace(),
        signal.getsignal(signal.SIGALRM),
    )
    for i in range(15):
        monkeypatch.setattr(collecting, "SECONDS", 0.02 + 0.003 * i)
        assert "Stopped" in verdict(ATTEND, submission).message
        assert (
            torch.overrides._get_current_function_mode_stack(),
            sys.getprofile(),
            sys.gettrace(),
            signal.getsignal(signal.SIGALRM),
        ) == before
    assert torch.zeros(2).softmax(0).tolist() == [0.5, 0.5], "finished functions work again outside of the check"


@pytest.mark.slow
@pytest.mark.parametrize(
    "submission",
    [
        endless,
        swallowing,
        swallowing_everything,
        sleeping,
        swallowing_while_asleep,
        torch_loop,
        swallowing_torch_loop,
        printing,
    ],
    ids=lambda f: f.__name__,
)
def test_endless(submission, quick, monkeypatch):
    found = verdict(ATTEND, submission)
    assert not found.passed
    assert "Stopped after" in found.message and "four words" in found.message and "loop" in found.message
    assert len(found.printed) <= 2000
    assert sys.gettrace() is None or "coverage" in str(sys.gettrace())
    monkeypatch.undo()
    assert verdict(ATTEND, right).passed  # and the next check works


def test_a_late_loop_is_named_by_its_case(monkeypatch):
    monkeypatch.setattr(collecting, "SECONDS", 3.0)  # enough for the cases before it on a busy machine

    def submission(query, keys, values):
        while len(values) > 10:
            pass
        return right(query, keys, values)

    assert "many words" in verdict(ATTEND, submission).message


def test_five_seconds_are_given():
    assert collecting.SECONDS == 5 and collecting.SECONDS * collecting.PATIENCE >= 30


def test_what_counts_is_computing_not_the_clock(monkeypatch):
    """On a busy machine, or while something is waited for, right code isn't stopped."""
    monkeypatch.setattr(collecting, "SECONDS", 0.5)

    def submission(query, keys, values):
        time.sleep(0.1)
        return right(query, keys, values)

    started = time.monotonic()
    found = verdict(ATTEND, submission)
    assert found.passed and time.monotonic() - started > 0.5


def test_what_waits_too_long_is_told_so(monkeypatch):
    monkeypatch.setattr(collecting, "SECONDS", 0.1)
    found = verdict(ATTEND, sleeping)
    assert "though little was computed" in found.message and "this is no try" in found.message
    assert found.limit_hit and not found.passed and not verdict(ATTEND, lambda q, k, v: q).limit_hit


def test_an_import_is_not_counted(monkeypatch, tmp_path):
    monkeypatch.setattr(collecting, "SECONDS", 0.5)
    (tmp_path / "slow_to_import.py").write_text(
        "import time\nend = time.thread_time() + 1\nwhile time.thread_time() < end: pass\n"
    )
    monkeypatch.syspath_prepend(tmp_path)

    def submission(query, keys, values):
        import slow_to_import  # noqa: F401

        return right(query, keys, values)

    assert verdict(ATTEND, submission).passed


def test_a_loop_in_init(quick):
    class Layer(nn.Module):
        def __init__(self, d_model, num_heads):
            while True:
                pass

        def forward(self, query, key, value):
            return query

    assert "Stopped after" in verdict(LAYER, Layer).message


def test_raising_in_init():
    class Layer(nn.Module):
        def __init__(self, d_model, num_heads):
            super().__init__()
            self.W_Q = nn.Linear(d_model, nonsense)

        def forward(self, query, key, value):
            return query

    found = verdict(LAYER, Layer)
    assert "NameError" in found.message and "nn.Linear(d_model, nonsense)" in found.trace


# --- code that misbehaves and returns -----------------------------------------------------------------------------------


def test_changes_its_input():
    def submission(query, keys, values):
        keys *= 2
        return right(query, keys / 2, values)

    found = verdict(ATTEND, submission)
    assert "changes its input `keys` in place" in found.message and not found.passed


def test_a_wrong_answer_that_changes_its_input_is_told_about_that():
    def submission(query, keys, values):
        query.zero_()
        values.t_()
        return values.mean(1)

    assert "changes its input `query` and `values` in place" in verdict(ATTEND, submission).message


STATE = {"calls": 0}


def counting(query, keys, values):
    STATE["calls"] += 1
    return right(query, keys, values) * STATE["calls"]


def remembering(query, keys, values, first=[]):  # noqa: B006
    first.append(right(query, keys, values))
    return first[0]


@pytest.mark.parametrize(
    "submission",
    [counting, lambda query, keys, values: right(query, keys, values) + 0.1 * torch.randn(values.shape[1])],
)
def test_not_repeatable(submission):
    assert "two different answers" in verdict(ATTEND, submission).message


def test_remembers_the_first_call():
    assert not verdict(ATTEND, remembering).passed


def test_right_at_first_but_not_again():
    calls = []

    def submission(query, keys, values):
        calls.append(1)
        return right(query, keys, values) + (len(calls) > 7)

    found = verdict(ATTEND, submission)
    assert not found.passed and "two different answers" in found.message


offset = torch.tensor(1.0)


def test_reads_a_variable_of_the_notebook():
    def submission(query, keys, values):
        return right(query, keys, values) + offset

    found = verdict(ATTEND, submission)
    assert "reads the notebook's variable `offset`" in found.message


@pytest.mark.parametrize(
    ("submission", "says"),
    [
        (lambda query: query, "expected (query, keys, values), yours has (query)"),
        (lambda query, keys, values, more: query, "arguments don't fit"),
        (lambda: None, "yours has ()"),
        (lambda *, query, keys, values: query, "arguments don't fit"),
    ],
)
def test_wrong_signature(submission, says):
    assert says in verdict(ATTEND, submission).message


@pytest.mark.parametrize(
    ("submission", "says"),
    [
        (None, "check needs your function itself, not None"),
        (torch.zeros(3), "not a tensor of shape (3,)"),
        (nn.Linear, "not the class Linear"),
        ("attend", "not a value of type str"),
        (42, "not a value of type int"),
    ],
    ids=["none", "tensor", "class", "text", "number"],
)
def test_not_a_function(submission, says):
    found = verdict(ATTEND, submission)
    assert says in found.message and 'check("02.attend", attend)' in found.message


@pytest.mark.parametrize(
    ("submission", "says"),
    [
        (right, "check needs your class itself, not the function right"),
        (nn.Linear(2, 2), "not a value of type Linear"),
        (dict, "dict should be a subclass of nn.Module. "),
    ],
    ids=["function", "instance", "other class"],
)
def test_not_a_module(submission, says):
    assert says in verdict(LAYER, submission).message


def test_printing_is_shown_once():
    def submission(query, keys, values):
        print("shape", tuple(keys.shape))
        return right(query, keys, values)

    found = verdict(ATTEND, submission)
    assert found.passed and found.printed == "shape (4, 3)"


def test_unfinished_code_says_so():
    def submission(query, keys, values):
        weights = (keys @ query).softmax(-1)
        ...
        return weights[:, None] + values * 0

    assert "still a `...`" in verdict(ATTEND, submission).message


def test_stubs_are_not_attempts():
    def stub(query, keys, values):
        """What it should do."""
        ...  # your code here

    def passing(query, keys, values):
        pass

    class Layer(nn.Module):
        def __init__(self, d_model, num_heads):
            super().__init__()
            ...  # your code here

        def forward(self, query, key, value): ...  # your code here

    for key, submission in [(ATTEND, stub), (ATTEND, passing), (LAYER, Layer)]:
        found = verdict(key, submission)
        assert not found.attempted and not found.passed and found.points == 0


# --- gradients -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda x: x.detach(), "no gradient flows"),
        (lambda x: torch.tensor(x.tolist(), dtype=x.dtype), "no gradient flows"),
        (lambda x: torch.from_numpy(x.detach().numpy()), "no gradient flows"),
        (lambda x: x.data, "no gradient flows"),
        (lambda x: x.detach().requires_grad_(), "the gradient isn't"),
        (lambda x: x.detach() + 0 * x, "the gradient isn't"),
    ],
)
def test_gradients_must_flow(change, says):
    def submission(query, keys, values):
        return change((keys @ query).softmax(-1) @ values)

    found = verdict(ATTEND, submission)
    assert not found.passed and says in found.message


def test_results_that_require_gradients_are_fine():
    def submission(query, keys, values):
        return right(query, keys, values.clone().requires_grad_() if not values.requires_grad else values)

    assert verdict(ATTEND, submission).passed


# --- the finished thing ---------------------------------------------------------------------------------------------------


def attention_calls():
    import torch.nn.functional as renamed
    from torch.nn.functional import scaled_dot_product_attention as innocent

    from course_lib import attention
    from course_lib.attention import scaled_dot_product_attention as library

    def two(weights_of):
        return lambda query, key, value: (weights_of(query, key, value), None)

    class Mine(attention.MultiHeadAttention):
        pass

    in_a_box = {"f": innocent}
    yield "renamed module", two(lambda q, k, v: renamed.scaled_dot_product_attention(q, k, v))
    yield "renamed function", two(lambda q, k, v: innocent(q, k, v))
    yield "attribute", two(lambda q, k, v: getattr(torch.nn.functional, "scaled_dot_" + "product_attention")(q, k, v))
    yield "in a dictionary", two(lambda q, k, v: in_a_box["f"](q, k, v))
    yield "partial", two(lambda q, k, v: functools.partial(innocent, q, k)(v))
    yield "map", two(lambda q, k, v: next(map(innocent, [q], [k], [v])))
    yield "torch.ops", two(lambda q, k, v: torch.ops.aten.scaled_dot_product_attention(q, k, v))
    yield "_C", two(lambda q, k, v: torch._C._nn.scaled_dot_product_attention(q, k, v))
    yield "swallowed", swallowed(innocent)
    yield "library", library
    yield "library inside", lambda query, key, value: library(query, key, value)
    yield "library weights", lambda query, key, value: (attention.attention_weights(query, key) @ value, None)
    yield "partial library", functools.partial(library, mask=None)
    yield "torch's layer", two(lambda q, k, v: nn.MultiheadAttention(q.shape[-1], 1, batch_first=True)(q, k, v)[0])
    yield "the library's layer", two(lambda q, k, v: attention.MultiHeadAttention(q.shape[-1], 1)(q[None])[0])
    yield "a subclass of it", two(lambda q, k, v: Mine(q.shape[-1], 1)(q[None])[0])
    yield "encoder layer", two(lambda q, k, v: nn.TransformerEncoderLayer(q.shape[-1], 1)(q))


def swallowed(finished):
    def submission(query, key, value):
        try:
            return finished(query, key, value), None
        except Exception:
            return query, None

    return submission


@pytest.mark.parametrize(("how", "submission"), list(attention_calls()), ids=lambda x: x if isinstance(x, str) else "")
def test_finished_attention(how, submission):
    found = verdict(SDPA, submission)
    assert not found.passed and "Your code calls the finished" in found.message and "attention" in found.message.lower()


class LibraryLayer:
    """Made at run time, so that importing this file costs nothing."""


def layer_calls():
    from course_lib import attention

    class Subclass(attention.MultiHeadAttention):
        def __init__(self, d_model, num_heads):
            super().__init__(d_model, num_heads)

        def forward(self, query, key, value):
            return super().forward(query, key, value, need_weights=True)

    class Holds(nn.Module):
        def __init__(self, d_model, num_heads):
            super().__init__()
            self.inner = attention.MultiHeadAttention(d_model, num_heads)

        def forward(self, query, key, value):
            return self.inner(query, key, value, need_weights=True)

    class HoldsTorchs(nn.Module):
        def __init__(self, d_model, num_heads):
            super().__init__()
            self.inner = nn.MultiheadAttention(d_model, num_heads, batch_first=True)

        def forward(self, query, key, value):
            return self.inner(query, key, value)

    class SubclassOfTorchs(nn.MultiheadAttention):
        def __init__(self, d_model, num_heads):
            super().__init__(d_model, num_heads, batch_first=True)

        def forward(self, query, key, value):
            return super().forward(query, key, value)

    class BorrowsForward(nn.Module):
        def __init__(self, d_model, num_heads):
            super().__init__()
            self.num_heads, self.dropout = num_heads, 0.0
            for name in ("W_Q", "W_K", "W_V", "W_O"):
                setattr(self, name, nn.Linear(d_model, d_model))

        def forward(self, query, key, value):
            return attention.MultiHeadAttention.forward(self, query, key, value, need_weights=True)

    return [
        attention.MultiHeadAttention,
        nn.MultiheadAttention,
        Subclass,
        Holds,
        HoldsTorchs,
        SubclassOfTorchs,
        BorrowsForward,
    ]


@pytest.mark.parametrize("submission", layer_calls(), ids=lambda cls: f"{cls.__module__}.{cls.__name__}")
def test_finished_layer(submission):
    found = verdict(LAYER, submission)
    assert not found.passed and "Your code calls the finished" in found.message


@pytest.mark.parametrize(
    "submission",
    [
        torch.softmax,
        torch.nn.functional.softmax,
        nn.Softmax(dim=-1),
        functools.partial(torch.softmax, dim=-1),
        lambda scores: scores.softmax(-1),
        lambda scores: torch.Tensor.softmax(scores, -1),
        lambda scores: nn.Softmax(dim=-1)(scores),
        lambda scores: nn.Softmax(-1).forward(scores),
        lambda scores: torch.special.softmax(scores, -1),
        lambda scores: torch._softmax(scores, -1, False),
        lambda scores: torch.ops.aten._softmax(scores, -1, False),
        lambda scores: torch.ops.aten._softmax.default(scores, -1, False),
        lambda scores: torch.log_softmax(scores, -1).exp(),
        lambda scores: (scores - scores.logsumexp(-1, keepdim=True)).exp(),
        lambda scores: nn.functional.softmin(-scores, -1),
        lambda scores: scores.softmax(-1),
        lambda scores: torch.vmap(lambda row: torch.softmax(row, -1))(scores),
    ],
)
def test_finished_softmax(submission):
    found = verdict(SOFTMAX, submission)
    assert not found.passed
    assert "Your code calls the finished" in found.message or "check needs your function itself" in found.message


def test_own_functions_may_be_named_like_finished_ones():
    def softmax(x):
        e = (x - x.amax(-1, keepdim=True)).exp()
        return e / e.sum(-1, keepdim=True)

    assert verdict(SOFTMAX, softmax).passed
    assert verdict(SOFTMAX, lambda scores: softmax(scores)).passed


# --- Python and torch afterwards -------------------------------------------------------------------------------------------


def meddling(query, keys, values):
    torch.manual_seed(3)
    torch.rand(5)
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(3)
    torch.set_grad_enabled(False)
    return right(query, keys, values)


@pytest.mark.parametrize("submission", [right, meddling, lambda query, keys, values: torch.rand(values.shape[1])])
def test_torch_is_as_before(submission):
    torch.manual_seed(1)
    state, python, numpy = torch.get_rng_state(), random.getstate(), np.random.get_state()[1].copy()
    threads = torch.get_num_threads()
    verdict(ATTEND, submission)
    assert torch.equal(torch.get_rng_state(), state)
    assert random.getstate() == python and (np.random.get_state()[1] == numpy).all()
    assert torch.get_num_threads() == threads
    assert torch.get_default_dtype() == torch.float32
    assert torch.is_grad_enabled()
    assert sys.getprofile() is None


def test_what_the_notebook_has_set_does_not_matter():
    wanted = collect(find(SOFTMAX), find_softmax(), "1").to_json()
    torch.set_default_dtype(torch.float64)
    torch.set_grad_enabled(False)
    try:
        assert collect(find(SOFTMAX), find_softmax(), "1").to_json() == wanted
        assert verdict(SOFTMAX, find_softmax()).passed
        assert torch.get_default_dtype() == torch.float64 and not torch.is_grad_enabled()
    finally:
        torch.set_default_dtype(torch.float32)
        torch.set_grad_enabled(True)


def find_softmax():
    def softmax(scores):
        e = (scores - scores.amax(-1, keepdim=True)).exp()
        return e / e.sum(-1, keepdim=True)

    return softmax


NOT_AS_USUAL = {
    "device": (lambda: torch.set_default_device("meta"), lambda: torch.get_default_device().type),
    "deterministic": (lambda: torch.use_deterministic_algorithms(True), torch.are_deterministic_algorithms_enabled),
    "anomaly": (lambda: torch.autograd.set_detect_anomaly(True), torch.is_anomaly_enabled),
    "printing": (lambda: torch.set_printoptions(precision=1), lambda: repr(torch.tensor(0.123456))),
    "NumPy's printing": (lambda: np.set_printoptions(precision=1), lambda: repr(np.array([0.123456]))),
    "NumPy's errors": (lambda: np.seterr(all="raise"), np.geterr),
    "Python's seed": (lambda: random.seed(5), random.getstate),
    "NumPy's seed": (lambda: np.random.seed(5), lambda: repr(np.random.get_state())),
    "folder": (lambda: os.chdir("/"), os.getcwd),
    "recursion": (lambda: sys.setrecursionlimit(1234), sys.getrecursionlimit),
    "collector": (gc.disable, gc.isenabled),
    "switching": (lambda: sys.setswitchinterval(0.1), sys.getswitchinterval),
    "figures": (lambda: plt.rcParams.update({"font.size": 3}), lambda: plt.rcParams["font.size"]),
    "open figures": (lambda: plt.figure(), plt.get_fignums),
    "inference": (lambda: torch._C._set_grad_enabled(False), torch.is_grad_enabled),
    "output": (lambda: sys.stdout.close(), lambda: sys.stdout.closed),
}


@pytest.mark.parametrize("thing", NOT_AS_USUAL)
def test_what_code_sets_is_put_back(thing):
    meddle, now = NOT_AS_USUAL[thing]

    def submission(query, keys, values):
        result = right(query, keys, values)
        meddle()
        return result

    before = now()
    verdict(ATTEND, submission)
    assert now() == before
    assert verdict(ATTEND, right).passed


@pytest.mark.parametrize("thing", ["device", "deterministic", "anomaly", "printing", "recursion", "collector"])
def test_what_the_notebook_set_is_kept_and_does_not_matter(thing):
    meddle, now = NOT_AS_USUAL[thing]
    usual = now()
    with usual_state():
        meddle()
        changed = now()
        assert changed != usual
        assert verdict(ATTEND, right).passed
        assert now() == changed
    assert now() == usual


def test_inference_mode_left_on_does_not_matter():
    with torch.inference_mode():
        assert verdict(ATTEND, right).passed
        assert torch.is_inference_mode_enabled()

    def leaves_it_on(query, keys, values):
        mode = torch.inference_mode()
        mode.__enter__()
        LEFT_ON.append(mode)
        return right(query, keys, values)

    verdict(ATTEND, leaves_it_on)
    assert not torch.is_inference_mode_enabled()
    assert verdict(ATTEND, right).passed


LEFT_ON = []


@pytest.mark.parametrize("text", ["\ud83d", "a\udc00b"])
def test_half_characters_lose_nothing(text):
    def prints(query, keys, values):
        print(text)
        return right(query, keys, values)

    def raises(query, keys, values):
        raise ValueError(text)

    exercise = find(ATTEND)
    answers = collect(exercise, prints, "1")
    json.dumps(answers.to_json(), ensure_ascii=False).encode()
    found = judge(exercise, "1", answers)
    assert found.passed and as_html(found).encode() and as_text(found).encode()
    for answer in (raises, lambda query, keys, values: text, lambda query, keys, values: {text: 1}):
        answers = collect(exercise, answer, "1")
        json.dumps(answers.to_json(), ensure_ascii=False).encode()
        found = judge(exercise, "1", answers)
        assert not found.passed and found.message.encode() and as_html(found).encode()


# --- parts and numbers -----------------------------------------------------------------------------------------------------


def test_part_of_the_points():
    mistake = next(m for m in find(LAYER).mistakes if m.breaks)
    layer = copy.copy(find(LAYER))
    layer.refuses_reference = False  # the mistake is built like the reference, of the same code
    found = judge(layer, "1", collect(layer, mistake.wrong, "1"))
    assert not found.passed and 0 < found.points < find(LAYER).points
    assert found.points == 4
    assert "Partly there" in as_text(found)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("10", "expected a number, got a text"),
        ([10.0], "got a list"),
        (np.zeros(2), "got a NumPy array"),
        (True, "got True or False"),
        (float("nan"), "finite"),
        (float("inf"), "finite"),
        (10**400, "far too large"),
        (-(10**400), "far too large"),
        (1e308, "too large"),
        (-10.0, "the sign isn't"),
        (1000.0, "factor of 100"),
        (11.0, "11 is too large"),
        (1000.0, "1,000 is too large, by a factor of 100"),
        (100.0, "100 is too large, by a factor of 10"),
        (20.0, "you divided by 2"),
        (0.982, "that is the answer to “first weight”"),
        (16_777_216, "16,777,216 is too large"),
        (Fraction(1, 3), "0.333333 is too small"),
        (Decimal("12"), "12 is too large"),
        (9, "9 is too small"),
        (10 + 0j, "expected a number"),
        (torch.zeros(3), "got a tensor of shape (3,)"),
    ],
    ids=lambda x: x if isinstance(x, str) else type(x).__name__,
)
def test_numbers(value, says):
    found = verdict("02.by_hand", {"first scaled score": value, "first weight": 0.982})
    assert says in found.message and "first scaled score" in found.message
    assert found.points == 1 and found.criteria == {"first scaled score": False, "first weight": True}


@pytest.mark.parametrize(
    "value", [10, 10.0, Fraction(20, 2), torch.tensor(10.0), torch.tensor([10]), np.float32(10), np.int64(10), 10.01]
)
def test_numbers_of_every_kind(value):
    assert verdict("02.by_hand", {"first scaled score": value, "first weight": 0.982}).passed


@pytest.mark.parametrize(
    "value", [None, {}, {"first weight": None}, ..., {"first scaled score": ..., "first weight": ...}]
)
def test_numbers_not_attempted(value):
    assert not verdict("02.by_hand", value).attempted


def test_numbers_under_other_names_are_no_empty_answer():
    found = verdict("02.by_hand", {"score": 10.0})
    assert found.attempted and found.message == "Keep the names as they were given: first scaled score, first weight."


@pytest.mark.parametrize("value", [5, "x", [10, 0.98], 10.0, {"score": 10.0}])
def test_numbers_in_another_form(value):
    found = verdict("02.by_hand", value)
    assert not found.passed and found.points == 0 and found.message


@pytest.mark.parametrize(
    ("value", "says"), [("z", "'z'"), (3, "got 3"), (["c"], "a list"), (True, "True"), ("c" * 9999, "letters")]
)
def test_choices(value, says):
    found = verdict("02.order", value)
    assert not found.passed and found.attempted and says in found.message
    assert len(found.message) < 300


@pytest.mark.parametrize("value", [None, "", ...])
def test_choices_not_attempted(value):
    assert not verdict("02.order", value).attempted


# --- the finished thing, called and hidden --------------------------------------------------------------------------


def hidden_by_swallowing(query, key, value):
    try:
        attention.scaled_dot_product_attention(query, key, value)
    except BaseException:
        pass
    return attention.scaled_dot_product_attention(query, key, value)


def hidden_in_a_thread(query, key, value):
    found = []
    thread = threading.Thread(target=lambda: found.append(attention.scaled_dot_product_attention(query, key, value)))
    thread.start()
    thread.join()
    return found[0] if found else (query @ key.mT @ value, query @ key.mT)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("submission", [hidden_by_swallowing, hidden_in_a_thread], ids=lambda f: f.__name__)
def test_a_finished_function_that_is_called_in_secret(submission):
    found = verdict(SDPA, submission)
    assert not found.passed and "calls the finished scaled_dot_product_attention" in found.message


OWN_ANSWERS = [exercise for exercise in all_exercises() if isinstance(exercise, Code)]


def wrappings(reference):
    """The course's own answer as `part` gives it, under other names and in other clothes."""
    if inspect.isclass(reference):

        class Mine(reference):
            pass

        class Holds(nn.Module):
            def __init__(self, d_model, num_heads):
                super().__init__()
                self.__dict__.update(reference(d_model, num_heads).__dict__)

            def forward(self, query, key, value):
                return reference.forward(self, query, key, value)

        return [reference, Mine, Holds]

    @functools.wraps(reference)
    def mine(*args, **kwargs):
        return reference(*args, **kwargs)

    def swallowing(*args):
        try:
            return reference(*args)
        except BaseException:
            return reference(*args)

    return [reference, mine, functools.partial(reference), lambda *args: reference(*args), swallowing]


@pytest.mark.parametrize("exercise", OWN_ANSWERS, ids=lambda each: each.key)
def test_the_courses_own_answer_is_none(exercise):
    for submission in wrappings(exercise.reference):
        found = judge(exercise, "1", collect(exercise, submission, "1"))
        assert not found.passed and found.points == 0
        assert "Your code calls the finished" in found.message


@pytest.mark.parametrize("key", ["02.scaled_dot_product_attention", "02.attend"])
def test_nor_is_it_with_the_watch_switched_off(key):
    reference = find(key).reference

    def unwatched(*inputs):
        sys.setprofile(None)
        return reference(*inputs)

    found = judge(find(key), "1", collect(find(key), unwatched, "1"))
    assert not found.passed and f"calls the finished {find(key).name}" in found.message
    assert reference(*find(key).inputs(0, "1")) is not None  # afterwards it is whole again


def test_torchs_not_implemented_error_is_shown():
    def unsupported(scores):
        raise (
            NotImplementedError("\"softmax_kernel_impl\" not implemented for 'Long'")
            if scores is None
            else torch.bitwise_and(scores, 1)
        )

    found = verdict(SOFTMAX, unsupported)
    assert "not implemented for 'Float'" in found.message and "still to be written" not in found.message


def test_a_misspelt_forward():
    class Layer(nn.Module):
        def __init__(self, d_model, num_heads):
            super().__init__()
            self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(d_model, d_model) for _ in range(4))

        def foward(self, query, key, value):
            return query

    found = verdict(LAYER, Layer)
    assert "no method called forward" in found.message or "arguments don't fit" in found.message
