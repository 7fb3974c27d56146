"""`course lab` in a real browser: opened on the first lesson, without the lecturer's panels, and quiet."""

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import NamedTuple

import pytest
import websocket
from small_course import EXERCISES, write_lessons

from course_lib.app.lab import free_port

from .lab import SECONDS, answers, until

START = """
import sys
import course_lib.exercises
course_lib.exercises.__path__.append(sys.argv[2])
from course_lib.app.cli import app
app(["lab", "--no-browser", "--workbook", sys.argv[1]])
"""


class Running(NamedTuple):
    """A `course lab`: where it answers, the workbook that it serves, and its log."""

    address: str
    workbook: Path
    log: Path


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    folder = tmp_path_factory.mktemp("course")
    user = folder / "user"  # a student's own settings: the dark theme
    settings = user / "settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True)
    (settings / "themes.jupyterlab-settings").write_text('{"theme": "JupyterLab Dark"}')
    places = {"JUPYTER_CONFIG_DIR": "config", "JUPYTER_DATA_DIR": "data", "JUPYTER_RUNTIME_DIR": "runtime"}
    places |= {
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython",
    }
    places = {name: str(user / place) for name, place in places.items()}
    environment = {**os.environ, **places, "COURSE_NOTEBOOKS": str(write_lessons(folder / "notebooks"))}
    running = Running("", folder / "workbook", folder / "log")
    command = [sys.executable, "-c", START, running.workbook, EXERCISES]
    with running.log.open("w") as log:
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, env=environment)
    try:
        printed = server.stdout.readline() + server.stdout.readline()
        address = re.search(r"http://localhost:\d+/lab/tree/90_small.ipynb\?token=\w{32}", printed)[0]
        address = address.replace("localhost", "127.0.0.1")
        status = address.replace("/lab/tree/90_small.ipynb", "/api/status")
        assert until(lambda: server.poll() is not None or answers(status)) and server.poll() is None
        yield running._replace(address=address)
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(SECONDS)
        server.stdout.close()


def test_opened_in_the_browser(lab, page):
    page.goto(lab.address)
    page.locator(".jp-Notebook h1", has_text="A small lesson").wait_for()
    page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
    page.locator("body[data-jp-theme-name='JupyterLab Dark']").wait_for(state="attached")
    menus, all_menus = page.locator(".lm-MenuBar-item"), "File Edit View Run Kernel Tabs Settings Help"
    assert until(lambda: menus.all_inner_texts() == all_menus.split()), menus.all_inner_texts()
    assert "nbgrader" not in page.inner_text("body").lower() and page.locator("[class*=nbgrader]").count() == 0
    assert page.locator(".Toastify__toast").count() == 0  # no question about news
    assert page.problems == []
    assert lab.log.read_text() == ""


def test_without_the_token_nobody_gets_in(lab):
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(re.sub(r"/lab.*", "/api/contents", lab.address))


def test_the_next_free_port_is_taken(lab):
    port = int(re.search(r":(\d+)/", lab.address)[1])
    assert free_port(None) != port


def test_its_terminals_know_the_command_and_begin_in_the_workbook(lab):
    server, token = lab.address.split("/lab/")[0], lab.address.split("token=")[1]
    with urllib.request.urlopen(
        urllib.request.Request(f"{server}/api/terminals?token={token}", method="POST", data=b"")
    ) as made:
        name = json.load(made)["name"]
    terminal = websocket.create_connection(
        f"{server.replace('http', 'ws')}/terminals/websocket/{name}?token={token}", timeout=SECONDS
    )
    terminal.send(json.dumps(["stdin", "cat <<END\r$(command -v course) in $(pwd)\rEND\r"]))
    said = ""
    while f"in {lab.workbook}" not in said:  # or the time runs out
        said += str(json.loads(terminal.recv())[1:])
    terminal.close()
    assert f"{Path(sys.executable).parent / 'course'} in" in said
