"""In a real kernel, as in JupyterLab: check, parts of one's own, predictions, and that the kernel stays usable."""

import json
import subprocess
import sys

import pytest
from kernels import Kernel

from course_lib.checking.judge import judge_json
from course_lib.checking.task import pack
from course_lib.checking.wire import MIME
from course_lib.exercises import find
from course_lib.workbook import progress

pytestmark = pytest.mark.slow

START = """
import math
import torch
import torch.nn.functional as F
from torch import nn
from course_lib import check, hint, part, predict, solution, board
from course_lib.checking import collect as collecting
"""
ATTEND = """
def attend(query, keys, values):
    return (keys @ query).softmax(-1) @ values
"""


@pytest.fixture(scope="module")
def workbook(tmp_path_factory):
    root = tmp_path_factory.mktemp("workbook")
    (root / ".course").mkdir()
    return root


@pytest.fixture(scope="module")
def kernel(workbook):
    with Kernel(workbook, COURSE_WORKBOOK="") as kernel:
        assert not kernel(START).error
        yield kernel


@pytest.fixture(scope="module")
def another(workbook):
    """A second kernel in the same workbook: another lesson, or another day."""
    with Kernel(workbook, COURSE_WORKBOOK="") as kernel:
        assert not kernel(START).error
        yield kernel


@pytest.fixture
def soon(kernel):
    """Code that never ends is stopped after half a second: right code is given its five."""
    kernel("collecting.SECONDS = 0.5")
    yield
    kernel("collecting.SECONDS = 5.0")


@pytest.fixture
def parts(workbook):
    """The student's own parts, none at first."""
    folder = workbook / "my_transformer"
    for file in folder.glob("*.py"):
        file.unlink()
    return folder


# --- bad behaviour -----------------------------------------------------------------------------------------------------


def test_an_error_shows_the_students_own_lines(kernel):
    kernel("def helper(x):\n    return x.reshape(99, 99)  # here")
    shown = kernel("def attend(query, keys, values):\n    y = helper(query)\n    return y\ncheck('02.attend', attend)")
    assert not shown.error
    assert "Your code stopped with RuntimeError: shape '[99, 99]' is invalid" in shown.text
    assert "in attend, line 2:\n    y = helper(query)" in shown.text
    assert "in helper, line 2:\n    return x.reshape(99, 99)  # here" in shown.text
    assert "course_lib" not in shown.text and "site-packages" not in shown.text
    assert shown.html.index("Your code stopped") < shown.html.index("where it happened")


@pytest.mark.parametrize(
    "body",
    ["pass", "try: sum(range(999))\n        except: pass", "torch.rand(9, 9) @ torch.rand(9, 9)", "print('x' * 9999)"],
)
def test_an_endless_loop_is_stopped_and_the_kernel_lives(kernel, soon, body):
    shown = kernel(f"def attend(query, keys, values):\n    while True:\n        {body}\ncheck('02.attend', attend)")
    assert "Stopped after" in shown.text
    assert "The notebook is still usable" in shown.text
    assert len(shown.printed) < 100
    assert kernel("print(1 + 1)").printed == "2\n"


def test_sleep_and_exit(kernel, soon):
    shown = kernel("import time, sys\ncheck('02.attend', lambda query, keys, values: time.sleep(100))")
    assert "Stopped after" in shown.text
    assert "SystemExit" in kernel("check('02.attend', lambda query, keys, values: sys.exit())").text
    assert kernel("print(1 + 1)").printed == "2\n"


def test_generator_and_coroutine(kernel):
    assert "`yield`" in kernel("def attend(query, keys, values):\n    yield query\ncheck('02.attend', attend)").text
    shown = kernel("async def attend(query, keys, values):\n    return query\ncheck('02.attend', attend)")
    assert "`async def`" in shown.text and not shown.printed


def test_printing_goes_into_the_card(kernel):
    shown = kernel(ATTEND.replace("return", "print('keys', *keys.shape)\n    return") + "check('02.attend', attend)")
    assert shown.printed == "" and "keys 4 3" in shown.text and shown.text.count("keys 4 3") == 1


def test_unknown_key_is_one_sentence(kernel):
    shown = kernel("check('02.atend', None)")
    assert shown.traceback == "There is no exercise '02.atend'. Did you mean '02.attend'?"


def test_stub_in_a_notebook(kernel):
    stub = 'def attend(query, keys, values):\n    """Doc."""\n    ...  # your code here\ncheck("02.attend", attend)'
    assert kernel(stub).text.startswith("○ Not attempted yet")
    layer = """
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        ...  # your code here

    def forward(self, query, key, value):
        ...  # your code here
check("03.MultiHeadAttention", MultiHeadAttention)"""
    assert kernel(layer).text.startswith("○ Not attempted yet")
    start = find("02.repaired").start
    assert kernel(start + '\ncheck("02.repaired", repaired)').text.startswith("○ Not attempted yet")


# --- parts of one's own ---------------------------------------------------------------------------------------------------


def test_kept_with_imports_constants_and_helpers(kernel, parts):
    shown = kernel(
        """
SCALE = 0.5
DIMS = (-2, -1)
from math import sqrt as root
def turn(x):
    return x.transpose(*DIMS)
half = lambda x: x / 2
def scores(query, key):
    return 2 * half(query) @ turn(key) / root(query.shape[-1]) * SCALE * 2
def scaled_dot_product_attention(query, key, value):
    weights = F.softmax(scores(query, key), dim=-1)
    return weights @ value, weights
check("02.scaled_dot_product_attention", scaled_dot_product_attention)"""
    )
    assert "✓ Passed" in shown.text and "Kept as `my_transformer/scaled_dot_product_attention.py`" in shown.text
    text = (parts / "scaled_dot_product_attention.py").read_text()
    for line in (
        "import torch.nn.functional as F",
        "from math import sqrt as root",
        "SCALE = 0.5",
        "DIMS = (-2, -1)",
        "def turn(x):",
        "def scores(query, key):",
        "half = lambda x: x / 2",
    ):
        assert line in text
    alone = "import torch; from my_transformer.scaled_dot_product_attention import scaled_dot_product_attention as f; print(f(*torch.ones(3, 2, 4))[0].shape)"
    run = subprocess.run([sys.executable, "-c", alone], cwd=parts.parent, capture_output=True, text=True)
    assert run.stdout.strip() == "torch.Size([2, 4])", run.stderr


def test_used_in_another_kernel_and_by_a_later_part(kernel, another, parts):
    kernel(ATTEND + "check('02.attend', attend)")
    assert another("mine = part('attend')").printed == "Using your own attend, from my_transformer/attend.py.\n"
    assert another("print(mine.__module__)").printed == "my_transformer.attend\n"
    assert "Using the course's merge_heads" in another("print(part('merge_heads') is not None)").printed
    shown = another(
        """
def scaled_dot_product_attention(query, key, value):
    if query.dim() > 2:
        both = [scaled_dot_product_attention(*one) for one in zip(query, key, value)]
        return torch.stack([o for o, _ in both]), torch.stack([w for _, w in both])
    eye = torch.eye(len(key), dtype=key.dtype)
    scale = query.shape[-1] ** -0.5
    return torch.stack([mine(q * scale, key, value) for q in query]), torch.stack([mine(q * scale, key, eye) for q in query])
check("02.scaled_dot_product_attention", scaled_dot_product_attention)"""
    )
    assert "Kept as" in shown.text
    assert "from .attend import attend as mine" in (parts / "scaled_dot_product_attention.py").read_text()
    use = "f = part('scaled_dot_product_attention'); print(f(*torch.ones(3, 2, 4))[0].shape)"
    assert kernel(use).printed.splitlines() == [
        "Using your own scaled_dot_product_attention, from my_transformer/scaled_dot_product_attention.py.",
        "torch.Size([2, 4])",
    ]


def test_a_class_is_kept(kernel, parts):
    shown = kernel(
        """
def cut(x, n):
    return x.unflatten(-1, (n, -1)).transpose(1, 2)

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, query, key, value):
        q, k, v = (cut(f(x), self.num_heads) for f, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value)))
        weights = (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1)
        return self.W_O((weights @ v).transpose(1, 2).flatten(2)), weights

check("03.MultiHeadAttention", MultiHeadAttention)"""
    )
    assert "✓ Passed" in shown.text and "Kept as" in shown.text
    text = (parts / "MultiHeadAttention.py").read_text()
    assert ("def cut(x, n):" in text and "from torch import nn" in text) or "import torch.nn as nn" in text


def test_imported_from_the_package_it_is_the_function(kernel, another, parts):
    kernel(ATTEND + "check('02.attend', attend)")
    (parts / "broken.py").write_text("def broken(:")
    use = "print(attend(torch.ones(2), torch.ones(3, 2), torch.ones(3, 2)))"
    assert another(f"from my_transformer import attend\n{use}").printed == "tensor([1., 1.])\n"
    again = another(f"part('attend')\nimport my_transformer.attend\nfrom my_transformer import attend\n{use}")
    assert "tensor([1., 1.])" in again.printed
    assert "SyntaxError" in another("from my_transformer import broken").error


def test_imported_where_it_was_just_kept_it_is_the_function(kernel, parts):
    use = "from my_transformer import attend\nprint(attend.__doc__)"
    for said in ("one", "two"):
        answer = ATTEND.replace("    return", f"    {said!r}\n    return")
        assert "Kept as" in kernel(answer + "check('02.attend', attend)").text
        assert kernel(use).printed == f"{said}\n"


def test_a_part_that_is_submitted_again_stays_as_it_is(kernel, parts):
    helped = "def mix(w, v):\n    return w @ v\n" + ATTEND.replace("softmax(-1) @ values", "softmax(-1)").replace(
        "return", "w ="
    )
    kernel(helped + "    return mix(w, values)\ncheck('02.attend', attend)")
    before = (parts / "attend.py").read_text()
    shown = kernel("attend = part('attend')\ncheck('02.attend', attend)")
    assert "✓ Passed" in shown.text and "Kept" not in shown.text and not shown.error
    for body in ("own(query, keys, values)", "part('attend')(query, keys, values)"):
        source = f"own = part('attend')\ndef attend(query, keys, values):\n    return {body}\n"
        shown = kernel(source + "check('02.attend', attend)")
        assert "✓ Passed" in shown.text and "a part can't be made of itself" in shown.text
    assert (parts / "attend.py").read_text() == before
    assert "Using your own attend" in kernel("part('attend')").printed


@pytest.mark.parametrize("key", ["02.attend", "03.MultiHeadAttention", "07.encode_word"])
@pytest.mark.parametrize("wrapping", ["{}", "lambda *a: {}(*a)", "__import__('functools').partial({})"])
def test_the_courses_own_part_is_no_answer(kernel, parts, key, wrapping):
    shown = kernel(f"course = part({key[3:]!r})\ncheck({key!r}, {wrapping.format('course')})")
    assert "✗ Not yet" in shown.text and not shown.error
    assert not (parts / f"{key[3:]}.py").exists()


def test_loading_a_part_leaves_the_path_as_it_was(kernel, parts):
    kernel(ATTEND + "check('02.attend', attend)")
    shown = kernel("import sys\nbefore = list(sys.path)\npart('attend')\nprint(sys.path == before)")
    assert shown.printed.splitlines()[-1] == "True"


def test_a_changed_folder_is_changed_back_and_the_code_is_kept(kernel, parts):
    shown = kernel("import os\n" + ATTEND.replace("return", "os.chdir('/')\n    return") + "check('02.attend', attend)")
    folder = kernel(f"print(os.getcwd())\nos.chdir({str(parts.parent)!r})").printed.strip()
    assert "✓ Passed" in shown.text and "Kept as" in shown.text and folder == str(parts.parent)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("offset = torch.zeros(1)\ndef attend(query, keys, values):\n    return (keys @ query).softmax(-1) @ values + offset", "it uses the notebook's variable `offset`"),
        ("attend = lambda query, keys, values: (keys @ query).softmax(-1) @ values", "Write it with `def`"),
        ("import functools\ndef g(query, keys, values, dim):\n    return (keys @ query).softmax(dim) @ values\nattend = functools.partial(g, dim=-1)", "Write it with `def`"),
        ("class A:\n    def __call__(self, query, keys, values):\n        return (keys @ query).softmax(-1) @ values\nattend = A()", "Write it with `def`"),
        ("exec('def attend(query, keys, values):\\n    return (keys @ query).softmax(-1) @ values')", "its source can't be found"),
        ("def outer(scale):\n    def attend(query, keys, values):\n        return (keys @ query * scale).softmax(-1) @ values\n    return attend\nattend = outer(1.0)", "it isn't kept"),
    ],
    ids=["tensor", "lambda", "partial", "object", "exec", "closure"],
)  # fmt: skip
def test_not_kept_but_passed(kernel, parts, source, says):
    shown = kernel(source + "\ncheck('02.attend', attend)")
    assert not shown.error, shown.traceback
    assert "✓ Passed" in shown.text
    assert "it isn't kept as a part of your own" in shown.text and says in shown.text
    assert not (parts / "attend.py").exists()
    assert "Using the course's attend" in kernel("part('attend')").printed


def test_what_was_kept_stays_when_the_next_cannot_be_kept(kernel, parts):
    kernel(ATTEND + "check('02.attend', attend)")
    before = (parts / "attend.py").read_text()
    kernel("offset = torch.zeros(1)" + ATTEND.replace("@ values", "@ values + offset") + "check('02.attend', attend)")
    assert (parts / "attend.py").read_text() == before
    kernel("def attend(query, keys, values):\n    return values.mean(0)\ncheck('02.attend', attend)")
    assert (parts / "attend.py").read_text() == before


@pytest.mark.parametrize(
    "damage", ["def attend(:", "raise SystemExit", "attend = undefined", "", "import nothing_of_this_name"]
)
def test_a_broken_part_falls_back(kernel, parts, damage):
    kernel(ATTEND + "check('02.attend', attend)")
    (parts / "attend.py").write_text(damage)
    shown = kernel("f = part('attend')\nprint(f(torch.ones(2), torch.ones(3, 2), torch.ones(3, 2)))")
    assert not shown.error, shown.traceback
    assert (
        "Your own attend can't be loaded from my_transformer/attend.py" in shown.printed
        and "Using the course's." in shown.printed
    )
    assert "tensor([1., 1.])" in shown.printed


def test_a_part_that_cannot_be_written(kernel, workbook, parts):
    parts.mkdir(exist_ok=True)
    for file in parts.glob("*"):
        file.unlink() if file.is_file() else None
    (parts / "attend.py").mkdir()
    try:
        shown = kernel(ATTEND + "check('02.attend', attend)")
        assert "✓ Passed" in shown.text and "it isn't kept" in shown.text and not shown.error
    finally:
        (parts / "attend.py").rmdir()


def test_unknown_part(kernel):
    shown = kernel("part('atend')")
    assert shown.traceback.startswith("There is no part 'atend'. Parts are: ")


# --- progress and predictions ---------------------------------------------------------------------------------------------


def test_progress_is_seen_in_another_kernel(kernel, another):
    kernel(f"check('02.order', {find('02.order').answer!r})")
    assert "order ✓" in another("board()").text


def test_a_prediction_is_kept_and_answered_after_the_next_cell(kernel, another, workbook):
    shown = kernel("predict('02.looks_at')")
    assert "Predict first. The animal did not cross" in shown.text and "- animal" in shown.text
    assert "application/vnd.jupyter.widget-view+json" in shown.bundles[0]
    make = (
        "from course_lib.exercises import find; from course_lib.student.predict import PredictionWidget\n"
        "asked = PredictionWidget(find('02.looks_at'))\n"
    )
    shown = another(make + "asked.show(); asked.options.value = 'street'; print(asked.answer.value)")
    assert "Your choice is kept. Now run the next cell." in shown.printed and "animal" not in shown.printed
    assert progress.load(workbook).predictions["02.looks_at"] == "street"
    another("x = 1")
    answer = another("print(asked.answer.value)").printed
    assert "You predicted “street”; it is “animal”." in answer
    assert "Streets don&#39;t tire" in answer and 'role="status"' in answer
    another("asked.options.value = 'animal'")
    assert "As you predicted." in another("print(asked.answer.value)").printed
    assert kernel(make + "print(asked.options.value)").printed == "animal\n"


def test_predicting_and_checking_are_not_confused(kernel):
    assert 'is an exercise, not a prediction: use check("02.attend"' in kernel("predict('02.attend')").traceback
    assert kernel("check('02.looks_at', 'animal')").traceback.count("\n") == 0


# --- official grading ---------------------------------------------------------------------------------------------------------


SUBMISSIONS = {
    "02.attend": ATTEND,
    "02.bilinear": "def bilinear(W_Q, W_K):\n    return W_K.mT @ W_Q",
    "02.scaled_dot_product_attention": "def scaled_dot_product_attention(query, key, value):\n    return F.scaled_dot_product_attention(query, key, value)",
    "02.repaired": "def repaired(x, W_Q, W_K, W_V):\n    raise ValueError('mine')",
    "02.order": "order = 'b'",
    "02.by_hand": "by_hand = {'first scaled score': 10.0, 'first weight': 1.0}",
    "03.merge_heads": "def merge_heads(x):\n    while True: pass",
}


def test_the_judge_in_another_process_says_the_same(kernel, another):
    seed = "0123abcd"
    another("from course_lib.student.official import answer; collecting.SECONDS = 2.0")
    kernel("collecting.SECONDS = 2.0")
    try:
        for key, source in SUBMISSIONS.items():
            shown = another(f"{source}\nanswer('0123', {pack(find(key).task(seed))!r}, {key!r}, {key[3:]})")
            assert not shown.error and not shown.html
            (bundle,) = (data[MIME] for data in shown.bundles)
            assert bundle["key"] == key and bundle["token"] == "0123"
            elsewhere = judge_json(find(key), seed, json.loads(json.dumps(bundle["answers"])))
            here = kernel(
                f"{source}\nfrom course_lib.checking.judge import judge; from course_lib.exercises import find\n"
                f"v = judge(find({key!r}), {seed!r}, collecting.collect(find({key!r}), {key[3:]}, {seed!r})); print((v.passed, v.points, v.message, v.criteria))"
            ).printed
            assert here.strip() == str((elsewhere.passed, elsewhere.points, elsewhere.message, elsewhere.criteria))
    finally:
        another("collecting.SECONDS = 5.0")
        kernel("collecting.SECONDS = 5.0")


def test_outside_a_workbook_a_kernel_writes_nothing(another, workbook, tmp_path):
    another(f"import os; os.chdir({str(tmp_path)!r})")
    try:
        shown = another(ATTEND + "check('02.attend', attend)")
        assert "✓ Passed" in shown.text and "Kept" not in shown.text
        assert "Using the course's attend" in another("part('attend')").printed
    finally:
        another(f"os.chdir({str(workbook)!r})")
    assert list(tmp_path.iterdir()) == []
