"""`course lab` in a real browser: opened on the first lesson, without the lecturer's panels, and quiet."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
import websocket
from small_course import EXERCISES

from course_lib.app.lab import free_port

START = """
import sys
import course_lib.exercises
course_lib.exercises.__path__.append(sys.argv[2])
from course_lib.app.cli import app
app(["lab", "--no-browser", "--workbook", sys.argv[1]])
"""


@pytest.fixture
def lab(small_course, tmp_path):
    """A running `course lab`; gives its address and its log."""
    user = tmp_path / "user"  # a student's own settings: the dark theme
    settings = user / "settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True)
    (settings / "themes.jupyterlab-settings").write_text('{"theme": "JupyterLab Dark"}')
    places = {"JUPYTER_CONFIG_DIR": "config", "JUPYTER_DATA_DIR": "data", "JUPYTER_RUNTIME_DIR": "runtime"}
    places |= {
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython",
    }
    environment = {**os.environ, **{name: str(user / folder) for name, folder in places.items()}}
    end = time.monotonic() + 60
    log = (tmp_path / "log").open("w+")
    command = [sys.executable, "-c", START, tmp_path / "workbook", EXERCISES]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, env=environment)
    try:
        printed = server.stdout.readline() + server.stdout.readline()
        address = re.search(r"http://localhost:\d+/lab/tree/90_small.ipynb\?token=\w{32}", printed)[0]
        address = address.replace("localhost", "127.0.0.1")
        while server.poll() is None and time.monotonic() < end:
            try:
                urllib.request.urlopen(address.replace("/lab/tree/90_small.ipynb", "/api/status")).close()
                break
            except OSError:
                time.sleep(0.05)
        yield address, tmp_path / "log"
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(20)
        log.close()


def test_opened_in_the_browser(lab, page):
    address, log = lab
    page.goto(address)
    page.locator(".jp-Notebook h1", has_text="A small lesson").wait_for(timeout=60_000)
    page.get_by_text("Python 3 (ipykernel) | Idle").wait_for(timeout=60_000)
    assert page.locator("body").get_attribute("data-jp-theme-name") == "JupyterLab Dark"
    menus = [menu.inner_text() for menu in page.locator(".lm-MenuBar-item").all()]
    assert menus == ["File", "Edit", "View", "Run", "Kernel", "Tabs", "Settings", "Help"]
    assert "nbgrader" not in page.inner_text("body").lower() and page.locator("[class*=nbgrader]").count() == 0
    assert page.locator(".Toastify__toast").count() == 0  # no question about news
    assert page.problems == []
    assert log.read_text() == ""


def test_without_the_token_nobody_gets_in(lab):
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(re.sub(r"/lab.*", "/api/contents", lab[0]))


def test_the_next_free_port_is_taken(lab):
    port = int(re.search(r":(\d+)/", lab[0])[1])
    assert free_port(None) != port


def test_its_terminals_know_the_command_and_begin_in_the_workbook(lab, tmp_path):
    address, _ = lab
    server, token = address.split("/lab/")[0], address.split("token=")[1]
    with urllib.request.urlopen(
        urllib.request.Request(f"{server}/api/terminals?token={token}", method="POST", data=b"")
    ) as made:
        name = json.load(made)["name"]
    terminal = websocket.create_connection(
        f"{server.replace('http', 'ws')}/terminals/websocket/{name}?token={token}", timeout=20
    )
    terminal.send(json.dumps(["stdin", "cat <<END\r$(command -v course) in $(pwd)\rEND\r"]))
    said = ""
    while f"in {tmp_path / 'workbook'}" not in said:  # or the time runs out
        said += str(json.loads(terminal.recv())[1:])
    terminal.close()
    assert f"{Path(sys.executable).parent / 'course'} in" in said
