"""Drives JupyterLab in headless Chromium, as a student would: open a lesson, run it, look at what appears.

    with lab_server(folder) as address, chromium() as browser:
        with open_page(browser) as page:
            lesson = Lesson(page, address, "lesson.ipynb")
            lesson.run_all()
            assert lesson.errors() == [] and page.problems == []

Every host but this machine is blocked, so a picture that needs the network fails here and not in a closed classroom.
"""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

SCREENSHOTS = Path(__file__).resolve().parents[2] / "screenshots"
WIDTH, HEIGHT = 1280, 1000
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
]  # fmt: skip


def chromium_path() -> str | None:
    """The system's Chromium or Chrome, or None."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@contextlib.contextmanager
def lab_server(folder: Path, environment: dict | None = None):
    """JupyterLab on `folder`, with settings of its own. Gives its address; stops it at the end."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as state:
        places = {f"JUPYTER_{name}_DIR": f"{state}/{name.lower()}" for name in ("CONFIG", "DATA", "RUNTIME")}
        places |= {f"JUPYTERLAB_{name}_DIR": f"{state}/{name.lower()}" for name in ("SETTINGS", "WORKSPACES")}
        news = Path(state, "settings", "@jupyterlab", "apputils-extension", "notification.jupyterlab-settings")
        news.parent.mkdir(parents=True)
        news.write_text('{"fetchNews": "false"}')  # or a question about it covers a corner of every screenshot
        log = open(f"{state}/log", "wb")
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}", "--ServerApp.port_retries=0",
             "--IdentityProvider.token=", "--ServerApp.password=", "--ServerApp.disable_check_xsrf=True", f"--ServerApp.root_dir={folder}",
             "--LabApp.news_url=None", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate", "--LabApp.extension_manager=readonly",
             "--LabApp.expose_app_in_browser=True"],
            stdout=log, stderr=log, env=os.environ | places | {"IPYTHONDIR": f"{state}/ipython"} | (environment or {}),
        )  # fmt: skip
        address = f"http://127.0.0.1:{port}"
        try:
            _until(lambda: server.poll() is not None or _answers(address), 60, "JupyterLab did not start")
            if server.poll() is not None:
                raise RuntimeError("JupyterLab stopped: " + Path(f"{state}/log").read_text()[-2000:])
            yield address
        finally:
            server.terminate()
            try:
                server.wait(15)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
            log.close()


def end_kernels(address: str) -> None:
    """Shuts down every kernel of the server, as overnight."""
    for session in json.load(urllib.request.urlopen(f"{address}/api/sessions", timeout=10)):
        urllib.request.urlopen(
            urllib.request.Request(f"{address}/api/sessions/{session['id']}", method="DELETE"), timeout=30
        )


@contextlib.contextmanager
def chromium():
    """A browser that reaches this machine and no other."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), headless=True, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


@contextlib.contextmanager
def open_page(browser, **context):
    """A fresh tab. `page.problems` collects console errors, uncaught exceptions, failed requests and answers from 400 up."""
    context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, **context)
    page = context.new_page()
    page.problems = []
    page.on("console", lambda message: message.type == "error" and page.problems.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: page.problems.append(f"exception: {error}"))
    page.on(
        "requestfailed",
        lambda request: _cancelled(request) or page.problems.append(f"failed: {request.url} {request.failure}"),
    )
    page.on("response", lambda answer: answer.status >= 400 and page.problems.append(f"{answer.status}: {answer.url}"))
    try:
        yield page
    finally:
        context.close()


class Lesson:
    """One notebook, open in JupyterLab."""

    def __init__(self, page: Page, address: str, path: str):
        self.page, self.address, self.path = page, address, path
        # A workspace of its own: JupyterLab's ?reset loses Run All now and then.
        page.goto(f"{address}/lab/workspaces/w{time.time_ns()}/tree/{path}", wait_until="domcontentloaded")
        self.wait_idle(60)

    def wait_idle(self, seconds: float = 120) -> None:
        """Waits until the kernel itself says that it is idle; the indicator in the toolbar can't be trusted."""
        _until(
            lambda: self.page.evaluate(IDLE),
            seconds,
            f"{self.path}: the kernel was not idle within {seconds} s",
            pause=self._pause,
        )

    def run_all(self, seconds: float = 180) -> None:
        """Runs every cell and waits for the last one."""
        self.page.evaluate("async () => { await jupyterapp.commands.execute('notebook:run-all-cells'); }")
        self._wait_ran(seconds)

    def run_cell(self, index: int, seconds: float = 60) -> None:
        """Runs one cell and waits for it."""
        self.page.evaluate(
            f"async () => {{ {NOTEBOOK} nb.activeCellIndex = {index}; await jupyterapp.commands.execute('notebook:run-cell'); }}"
        )
        self._wait_ran(seconds, index)

    def type_into(self, index: int, source: str) -> None:
        """Replaces the text of a cell as if typed, keystroke by keystroke."""
        self.page.evaluate(f"() => {{ {NOTEBOOK} nb.activeCellIndex = {index}; }}")
        cell = self.cell(index)
        cell.scroll_into_view_if_needed()
        cell.locator(".cm-content").click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.press("Delete")
        self.page.keyboard.insert_text(source)
        _until(lambda: self.source(index) == source, 10, f"cell {index} didn't take the text", pause=self._pause)

    def source(self, index: int) -> str:
        return self.page.evaluate(f"() => {{ {NOTEBOOK} return nb.widgets[{index}].model.sharedModel.source; }}")

    def cell(self, index: int):
        """Locator of a cell."""
        return self.page.locator(f".jp-Notebook .jp-Cell[data-windowed-list-index='{index}']")

    def output(self, index: int):
        """Locator of what stands under a code cell."""
        return self.cell(index).locator(".jp-Cell-outputArea")

    def show(self, index: int) -> None:
        """Scrolls to a cell."""
        self.page.evaluate(
            f"async () => {{ {NOTEBOOK} nb.activeCellIndex = {index}; await nb.scrollToItem({index}, 'start'); }}"
        )
        self.page.wait_for_timeout(200)

    def errors(self) -> list[str]:
        """Exceptions and anything on stderr, with the number of the cell."""
        return self.page.evaluate(
            f"""() => {{ {NOTEBOOK} return nb.widgets.flatMap((cell, i) => cell.model.type !== 'code' ? [] : cell.model.outputs.toJSON()
                .filter(o => o.output_type === 'error' || (o.output_type === 'stream' && o.name === 'stderr'))
                .map(o => `cell ${{i}}: ${{o.ename || 'stderr'}}: ${{String(o.evalue || o.text).slice(0, 400)}}`)); }}"""
        )

    def save(self) -> None:
        self.page.evaluate("async () => { await jupyterapp.commands.execute('docmanager:save'); }")

    def restart_kernel(self) -> None:
        self.page.evaluate(f"async () => {{ {PANEL} await panel.sessionContext.session.kernel.restart(); }}")
        self.wait_idle(60)

    def dark(self, on: bool = True) -> None:
        """Switches JupyterLab's theme."""
        theme = "JupyterLab Dark" if on else "JupyterLab Light"
        self.page.evaluate(
            f"async () => {{ await jupyterapp.commands.execute('apputils:change-theme', {{theme: '{theme}'}}); }}"
        )
        self.page.wait_for_function(f"() => document.body.dataset.jpThemeLight === '{'false' if on else 'true'}'")
        self.page.wait_for_timeout(300)

    def screenshot(self, name: str) -> Path:
        """The window as PNG in screenshots/, for a person to look at."""
        SCREENSHOTS.mkdir(exist_ok=True)
        self.page.screenshot(path=SCREENSHOTS / f"{name}.png")
        return SCREENSHOTS / f"{name}.png"

    def _wait_ran(self, seconds: float, index: int | None = None) -> None:
        which = "true" if index is None else f"i === {index}"
        ran = f"""() => {{ {NOTEBOOK} return nb.widgets.every((cell, i) => !({which}) || cell.model.type !== 'code' || !cell.model.sharedModel.source.trim()
            || (cell.model.executionCount != null && cell.model.executionState !== 'running')); }}"""
        self.page.wait_for_function(ran, timeout=seconds * 1000)
        self.wait_idle(seconds)

    def _pause(self) -> None:
        self.page.wait_for_timeout(50)


PANEL = "const panel = jupyterapp.shell.currentWidget;"
NOTEBOOK = f"{PANEL} const nb = panel.content;"
IDLE = """async () => {
  const asked = (async () => {
    const app = window.jupyterapp;
    if (!app?.commands.hasCommand('notebook:run-all-cells')) return false;
    await app.restored;
    const panel = app.shell.currentWidget;
    if (!panel?.sessionContext || !panel.content?.widgets) return false;
    await panel.context.ready;
    await panel.sessionContext.ready;
    const kernel = panel.sessionContext.session?.kernel;
    if (!kernel) return false;
    await kernel.info;
    return panel.sessionContext.kernelDisplayStatus === 'idle' && kernel.connectionStatus === 'connected';
  })();
  // A dialogue, such as the choice of a kernel, keeps `ready` waiting for ever.
  return Promise.race([asked, new Promise(done => setTimeout(done, 2000, false))]);
}"""


def _until(true, seconds: float, message: str, pause=lambda: time.sleep(0.1)) -> None:
    """Asks until the answer is yes. (playwright's wait_for_function takes an async function's promise for a yes.)"""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            raise TimeoutError(message)
        pause()


def _answers(address: str) -> bool:
    try:
        urllib.request.urlopen(address + "/api/status", timeout=1).read()
        return True
    except OSError:
        return False


def _cancelled(request) -> bool:
    """A request that JupyterLab itself gave up, for example when the page closes, is no failure."""
    return "ERR_ABORTED" in (request.failure or "")
