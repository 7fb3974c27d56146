"""What the Makefile promises, as far as it can be tried without installing everything."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from course_lib.support.paths import ROOT

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def make(*arguments, cwd=ROOT, **environment):
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    return subprocess.run(["make", *arguments], cwd=cwd, env=clean | environment, capture_output=True, text=True)


@pytest.fixture
def clone(tmp_path):
    """The Makefile and lists of a fresh clone, with a python3 that only answers questions."""
    for name in ("Makefile", "requirements.txt", "requirements-test.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "bin").mkdir()
    return tmp_path


def fake(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def test_help_names_every_command():
    shown = make("help").stdout
    for command in (
        "setup",
        "lab",
        "grade",
        "test",
        "test-fast",
        "test-all",
        "lint",
        "bench",
        "execute",
        "lesson",
        "readme",
    ):
        assert f"\n{command} " in f"\n{shown}"
    assert make().stdout == shown


def test_an_old_python_is_one_clear_sentence(clone):
    fake(clone / "bin" / "python3", 'test "$1" = --version && echo Python 3.9.2 && exit 0; exit 1')
    for tool in ("sh", "touch", "rm", "test"):
        os.symlink(shutil.which(tool), clone / "bin" / tool)
    done = subprocess.run(
        [shutil.which("make"), "lab"], cwd=clone, env={"PATH": str(clone / "bin")}, capture_output=True, text=True
    )
    assert done.returncode != 0
    assert "The course needs Python 3.11, 3.12 or 3.13, and here is Python 3.9.2." in done.stdout
    assert not (clone / ".venv").exists()


def test_the_first_fitting_python_is_taken(clone):
    fake(clone / "bin" / "python3", "exit 1")
    fake(clone / "bin" / "python3.12", 'case "$*" in *venv*) echo made; exit 1;; esac; exit 0')
    done = make("setup", cwd=clone, PATH=f"{clone / 'bin'}:/usr/bin:/bin")
    assert "made" in done.stdout and "install python3-venv first" in done.stdout


def test_a_second_start_installs_nothing(clone):
    fake(clone / ".venv" / "bin" / "python", "echo installing; exit 1")
    fake(clone / ".venv" / "bin" / "course", 'echo "course $@"')
    (clone / ".venv" / ".course-ready").touch()
    done = make("lab", "PORT=8899", "BROWSER=none", cwd=clone)
    assert (done.returncode, done.stdout.strip()) == (0, "course lab --port 8899 --no-browser")
    assert make("grade", "LESSON=02", cwd=clone).stdout.strip() == "course grade 02"


def test_a_new_list_of_packages_is_installed(clone):
    fake(clone / ".venv" / "bin" / "python", 'echo "python $@"')
    (clone / ".venv" / ".course-ready").touch()
    os.utime(clone / ".venv" / ".course-ready", (0, 0))
    shown = make("setup", cwd=clone, PATH=f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}").stdout
    assert "install -r requirements.txt" in shown and "install --no-deps --editable ." in shown
    assert "requirements-test" not in shown


def test_a_lesson_begins_with_its_name_and_title():
    said = make("-n", "lesson", "NAME=06_the_block", "TITLE=The block").stdout
    assert '-m course_lib.app.new_lesson "06_the_block" "The block"' in said


@pytest.mark.parametrize(
    ("command", "without"), [("test", "sweep"), ("test-fast", "slow notebook browser sweep"), ("test-all", "")]
)
def test_what_each_run_leaves_out(command, without):
    """pytest's own default leaves out the sweeps; what a command says instead is taken."""
    said = make("-n", command).stdout
    expression = re.search(r'-m "(.*?)"', said)
    left_out = expression[1] if expression else "not sweep"
    assert re.findall(r"not (\w+)", left_out) == without.split()
    assert ("--changed" in said) == (command == "test-fast")
    assert "ruff check" in said and said.index("ruff check") < said.index("pytest")
