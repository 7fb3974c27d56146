"""Whatever a cell does to its kernel, the exercises that don't need it answer. Bare cells, in kernels of the warm process."""

import os
import time

import pytest

from course_lib.checking.task import Task, pack
from course_lib.checking.wire import MIME
from course_lib.errors import CourseError
from course_lib.grading import kernels
from course_lib.grading.runner import Limits, Plan, run

pytestmark = pytest.mark.slow

SECONDS = 3  # that one of these cells may run: they need a hundredth of one
KEY = "90.sizes"
DEAF = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass"
KILL = "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"
TOO_LONG = f"The cell ran longer than {SECONDS} s and was stopped."
PUB = "pub = get_ipython().display_pub\n"


def answer(value: str, key=KEY) -> str:
    """What a check cell is called with."""
    return f"({key!r}, {value})"


def sent(token: str, value: int) -> str:
    """An expression that sends an answer of one's own."""
    return f"display({{{MIME!r}: {{'key': {KEY!r}, 'token': {token}, 'answers': {number(value)}}}}}, raw=True)"


def number(value: int) -> dict:
    """It, as it arrives."""
    return {"value": {"type": "int", "value": str(value)}}


OWN_TOKEN = "__import__('re').search('[0-9a-f]{32}', In[-1])[0]"  # of the check that is running


def ran(folder, *cells, checks=(), alone=(), seconds=SECONDS, budget=60, **options):
    """All cells together; then each silent check alone, after the cells `alone`."""
    plan = Plan(
        list(cells), dict.fromkeys(checks, KEY), list(range(len(cells))), {check: [*alone, check] for check in checks}
    )
    return run(plan, folder, {KEY: pack(Task(KEY))}, Limits(seconds, budget), **options)


def test_answers_count_from_a_check_for_its_own_key_and_token_and_once(tmp_path):
    guessed, stolen = sent("'0123'", 1), sent(OWN_TOKEN, 3)
    checks = [answer("1", key="90.double"), answer(f"[{guessed}, 2][1]"), answer(f"[{stolen}, 4][1]")]
    done = ran(tmp_path, f"elsewhere = {'0' * 32!r}\n{stolen}", *checks, checks=(1, 2, 3))
    assert done.answers == {2: number(2), 3: number(3)} and done.troubles == {}


def test_an_interrupted_kernel_goes_on(tmp_path):
    done = ran(tmp_path, "before = 1", "during = 2\nwhile True: pass", answer("before + during"), checks=(2,))
    assert done.answers == {2: number(3)}
    assert done.troubles == {1: TOO_LONG}


@pytest.mark.parametrize(
    ("cell", "trouble"),
    [
        ("import os\nos._exit(1)", kernels.DEAD),
        (KILL, kernels.DEAD),
        (DEAF, TOO_LONG),
        ("import os\nos.closerange(0, 1000)", None),
        (f"{PUB}pub.session.key = b'another'\ndisplay(1)", "The cell sent what no Python of Jupyter's sends."),
        (
            f"{PUB}pub.pub_socket.send_multipart([b'<IDS|MSG>', b'x'])\ndisplay(1)",
            "The cell sent what no Python of Jupyter's sends.",
        ),
    ],
    ids=["exit", "kill", "deaf", "closed", "signature", "damaged"],
)
def test_after_a_dead_deaf_or_broken_kernel_the_exercises_answer_alone(tmp_path, cell, trouble):
    cells = ["before = 1", answer("before"), cell, answer("before + 1"), "1 / 0", answer("before + 2")]
    done = ran(tmp_path, *cells, checks=(1, 3, 5), alone=(0,))
    assert done.answers == {1: number(1), 3: number(2), 5: number(3)}
    assert set(done.troubles) == {2} and trouble in (done.troubles[2], None)


@pytest.mark.parametrize(
    "cell",
    [
        "exit()",
        "quit()",
        "import IPython\nIPython.Application.instance().kernel.do_shutdown(True)",
        "import subprocess\nsubprocess.run(['kill', '-9', str(__import__('os').getppid())])",
        f"{PUB}pub.session.send(pub.pub_socket, 'display_data', {{'data': 5}}, parent=pub.parent_header)",
        "display({'text/plain': 'x' * 80_000_000}, raw=True)",
        "for i in range(30_000): print(i)",
    ],
    ids=["exit", "quit", "shutdown", "parent", "no data", "large", "many"],
)
def test_what_does_nothing_here(tmp_path, cell):
    done = ran(tmp_path, cell, "import time\ntime.sleep(0.3)\nafter = 1", answer("after"), checks=(2,), seconds=60)
    assert done.answers == {2: number(1)} and done.troubles == {}


@pytest.mark.parametrize("name", ["SIGSTOP", "SIGKILL"])
def test_what_is_done_to_the_parent_is_done_to_the_warm_process_and_not_to_the_grader(tmp_path, name):
    cell = f"import os, signal\nos.kill(os.getppid(), signal.{name})\nos._exit(1)"
    done = ran(tmp_path, "x = 1", cell, answer("x"), checks=(2,), alone=(0, 1), seconds=60)
    assert done.answers == {}
    assert ran(tmp_path, answer("1"), checks=(0,)).answers == {0: number(1)}


def test_output_too_large_to_be_read_costs_no_answer(tmp_path, monkeypatch):
    monkeypatch.setattr(kernels, "LARGEST_PART", 1_000_000)
    monkeypatch.setattr(kernels, "SECONDS_FOR_OUTPUT", 1)
    done = ran(tmp_path, "x = 1", "print('y' * 3_000_000)", answer("x"), checks=(2,), alone=(0,), seconds=60)
    assert done.answers == {2: number(1)}


def test_a_late_death_costs_no_answer(tmp_path):
    late = "import os, threading\nthreading.Timer(0.3, lambda: os._exit(1)).start()"
    done = ran(tmp_path, "x = 1", late, "import time\ntime.sleep(30)", answer("x"), checks=(3,), alone=(0,), seconds=60)
    assert done.answers == {3: number(1)}


def test_a_lost_reply_is_noticed_long_before_the_limit(tmp_path):
    began = time.monotonic()
    done = ran(tmp_path, "x = 1", "import sys\nsys.stdout = None", answer("x"), checks=(2,), alone=(0,), seconds=300)
    assert done.answers == {2: number(1)} and time.monotonic() - began < 200


def test_after_the_time_for_all_only_what_the_exercises_need_is_run(tmp_path):
    done = ran(tmp_path, "x = 1", *["while True: pass"] * 9, answer("x"), checks=(10,), alone=(0,), seconds=1, budget=3)
    assert done.answers == {10: number(1)}


def test_an_exercise_that_hangs_alone_too_leaves_the_others_their_time(tmp_path):
    cells = [DEAF, answer("1"), answer("2")]
    done = ran(tmp_path, *cells, checks=(1, 2), alone=(), seconds=1)
    assert done.answers == {1: number(1), 2: number(2)}


def test_an_answer_above_the_limit_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(kernels, "LARGEST_MESSAGE", 9_000)
    done = ran(tmp_path, answer("'x' * 9_999"), answer("2"), checks=(0, 1))
    assert done.answers == {1: number(2)}


def test_what_a_cell_started_ends_with_its_kernel(tmp_path):
    started = "import subprocess\npid = subprocess.Popen(['sleep', '600']).pid"
    pid = ran(tmp_path, started, answer("pid"), checks=(1,)).answers[1]["value"]["value"]
    end = time.monotonic() + 30
    while os.path.exists(f"/proc/{pid}") and time.monotonic() < end:
        time.sleep(0.05)
    assert not os.path.exists(f"/proc/{pid}")


def test_a_course_module_beside_the_notebook_does_no_harm(tmp_path):
    for name in ("torch", "random", "json", "course_lib"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit")
    done = ran(tmp_path, "import torch, random, json, course_lib", answer("len(torch.ones(2))"), checks=(1,))
    assert done.answers == {1: number(2)} and done.troubles == {}


def test_without_fork_kernels_are_started_anew(tmp_path, monkeypatch):
    monkeypatch.setattr(kernels, "CAN_FORK", False)
    done = ran(tmp_path, "x = 1", "exit()", answer("x"), checks=(2,), seconds=60)  # this one imports torch
    assert done.answers == {2: number(1)} and done.troubles == {}


def test_a_warm_process_that_does_not_answer_is_replaced(tmp_path):
    ran(tmp_path, "1")
    kernels._warm.to.close()
    assert ran(tmp_path, answer("1"), checks=(0,)).answers == {0: number(1)}
    assert ran(tmp_path, answer("1"), checks=(0,)).answers == {0: number(1)}


def test_a_kernel_that_does_not_start_is_said(tmp_path, monkeypatch):
    (tmp_path / "ipykernel.py").write_text("raise SystemExit")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    kernels.cool_down()
    with pytest.raises(CourseError, match="Python did not start"):
        ran(tmp_path, "1")
    kernels.cool_down()
