"""Drives JupyterLab in headless Chromium, as a student would: open a lesson, run it, look at what appears.

    with lab_server(folder) as address, chromium() as browser:
        with open_page(browser) as page:
            lesson = Lesson(page, address, "02_self_attention.ipynb")
            lesson.run("setup", "spread-slider")
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
LOOKED_AT = bool(os.environ.get("SCREENSHOTS"))  # each takes a fifth of a second, and no test reads them
WIDTH, HEIGHT = 1280, 1000
SECONDS = 120  # for anything that takes one or two on an idle machine
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
]  # fmt: skip


def chromium_path() -> str | None:
    """The system's Chromium or Chrome, or None."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@contextlib.contextmanager
def lab_server(folder: Path, environment: dict | None = None, startup: str = ""):
    """JupyterLab on `folder`, with settings of its own. Gives its address; stops it at the end.

    startup: what its kernels run before anything else
    """
    # Two JupyterLabs at once may choose the same port for a kernel; sockets with names have no ports. (macOS: names too long)
    transport = ["--KernelManager.transport=ipc"] if sys.platform == "linux" else []
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as state, open(f"{state}/log", "wb") as log:
        places = {f"JUPYTER_{name}_DIR": f"{state}/{name.lower()}" for name in ("CONFIG", "DATA", "RUNTIME")}
        places |= {f"JUPYTERLAB_{name}_DIR": f"{state}/{name.lower()}" for name in ("SETTINGS", "WORKSPACES")}
        first = Path(state, "ipython", "profile_default", "startup", "first.py")
        first.parent.mkdir(parents=True)
        first.write_text(STACKS_ON_SIGNAL + startup)
        news = Path(state, "settings", "@jupyterlab", "apputils-extension", "notification.jupyterlab-settings")
        news.parent.mkdir(parents=True)
        news.write_text('{"fetchNews": "false"}')  # or a question about it covers a corner of every screenshot
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}", "--ServerApp.port_retries=0",
             "--IdentityProvider.token=", "--ServerApp.password=", "--ServerApp.disable_check_xsrf=True", f"--ServerApp.root_dir={folder}",
             "--LabApp.news_url=None", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate", "--LabApp.extension_manager=readonly",
             "--LabApp.expose_app_in_browser=True", *transport],
            stdout=log, stderr=log, env=os.environ | places | {"IPYTHONDIR": f"{state}/ipython"} | (environment or {}),
        )  # fmt: skip
        address = f"http://127.0.0.1:{port}"
        SERVERS[address] = server.pid, first.parent
        try:
            started = until(lambda: server.poll() is not None or answers(f"{address}/api/status"), SECONDS)
            if not started or server.poll() is not None:
                raise RuntimeError("JupyterLab did not start: " + Path(f"{state}/log").read_text()[-2000:])
            yield address
        finally:
            server.terminate()
            try:
                server.wait(15)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def stacks(address: str) -> str:
    """Where each kernel of the server stands, thread by thread; for the message of a test that waited in vain."""
    server, folder = SERVERS[address]
    subprocess.run(["pkill", "-USR1", "-P", str(server), "-f", "ipykernel"], check=False)
    time.sleep(2)
    return "\n".join(f"--- {file.stem}\n{file.read_text()}" for file in sorted(folder.glob("*.stack")))


def end_kernels(address: str) -> None:
    """Shuts down every kernel of the server, as overnight."""
    for session in json.load(urllib.request.urlopen(f"{address}/api/sessions", timeout=SECONDS)):
        urllib.request.urlopen(
            urllib.request.Request(f"{address}/api/sessions/{session['id']}", method="DELETE"), timeout=SECONDS
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
    context.set_default_timeout(SECONDS * 1000)
    page = context.new_page()
    page.problems = []
    page.on("console", lambda message: message.type == "error" and page.problems.append(f"console: {message.text}"))
    page.on(
        "pageerror", lambda error: _jupyterlabs(error) or page.problems.append(f"exception: {error}\n{error.stack}")
    )
    page.on(
        "requestfailed",
        lambda request: _cancelled(request) or page.problems.append(f"failed: {request.url} {request.failure}"),
    )
    page.on("response", lambda answer: answer.status >= 400 and page.problems.append(f"{answer.status}: {answer.url}"))
    try:
        yield page
    finally:
        context.close()


@contextlib.contextmanager
def next_day(browser, lesson: "Lesson"):
    """The lesson, saved and closed, in a new tab: its kernel has gone, and no cell has run since."""
    lesson.save()
    lesson.page.close()
    end_kernels(lesson.address)
    with open_page(browser) as page:
        yield Lesson(page, lesson.address, lesson.path)


class Lesson:
    """One notebook, open in JupyterLab."""

    def __init__(self, page: Page, address: str, path: str):
        self.page, self.address, self.path, self.name = page, address, path, Path(path).stem
        # A workspace of its own: JupyterLab's ?reset loses Run All now and then.
        page.goto(f"{address}/lab/workspaces/w{time.time_ns()}/tree/{path}", wait_until="domcontentloaded")
        self.wait_idle()

    def wait_idle(self, seconds: float = SECONDS) -> None:
        """Waits until the kernel itself says that it is idle; the indicator in the toolbar can't be trusted."""
        if not self.until(lambda: self.page.evaluate(IDLE), seconds):
            raise TimeoutError(f"{self.path}: the kernel was not idle within {seconds} s")

    def run_all(self, seconds: float = 2400) -> None:
        """Runs every cell and waits for the last one."""
        self._execute("notebook:run-all-cells", seconds)
        self._wait_ran(seconds)

    def run(self, *cells: int | str, seconds: float = 120) -> None:
        """Runs cells, one after the other, and waits for each. A cell is named by its id or its index."""
        for index in map(self.index, cells):
            self.page.evaluate(f"() => {{ {NOTEBOOK} nb.activeCellIndex = {index}; }}")
            self._execute("notebook:run-cell", seconds)
            self._wait_ran(seconds, index)

    def answer(self, key: str, source: str):
        """Writes the answer of an exercise, "02.attend", and runs it and its check; what the check shows, in view."""
        self.show(key.replace(".", "-"))
        self.type_into(key.replace(".", "-"), source)
        return self.check(key)

    def check(self, key: str):
        """Runs the answer of an exercise and its check; what the check shows, in view."""
        cell = key.replace(".", "-")
        self.run(cell, f"{cell}-check")
        return self.shown(f"{cell}-check")

    def type_into(self, cell: int | str, source: str) -> None:
        """Replaces the text of a cell, through its editor."""
        index = self.index(cell)
        self.page.evaluate(f"() => {{ {NOTEBOOK} nb.activeCellIndex = {index}; }}")
        editor = self.cell(index)
        editor.scroll_into_view_if_needed()
        editor.locator(".cm-content").click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.press("Delete")
        self.page.keyboard.insert_text(source)
        assert self.until(lambda: self.source(index) == source), f"cell {cell} didn't take the text"

    def ask_kernel(self, code: str, seconds: float = SECONDS) -> str | None:
        """What this code prints in the lesson's kernel, None where no answer comes; no cell of the lesson changes."""
        return self.page.evaluate(
            f"""async ([code, seconds]) => {{ {PANEL}
                const asked = panel.sessionContext.session.kernel.requestExecute({{code, store_history: false}});
                let printed = "";
                asked.onIOPub = message => {{ if (message.header.msg_type === "stream") printed += message.content.text; }};
                const answer = asked.done.then(() => printed, () => null);
                return Promise.race([answer, new Promise(late => setTimeout(late, seconds * 1000, null))]); }}""",
            [code, seconds],
        )

    def index(self, cell: int | str) -> int:
        """The place of a cell in the notebook, from its id."""
        if isinstance(cell, int):
            return cell
        found = self.page.evaluate(
            f"id => {{ {NOTEBOOK} return nb.widgets.findIndex(cell => cell.model.id === id); }}", cell
        )
        assert found >= 0, f"no cell {cell}"
        return found

    def cells_with_output(self) -> list[str]:
        """The ids of the cells that show something."""
        return self.page.evaluate(
            f"() => {{ {NOTEBOOK} return nb.widgets.filter(cell => cell.model.outputs?.length).map(cell => cell.model.id); }}"
        )

    def source(self, cell: int | str) -> str:
        return self.page.evaluate(
            f"() => {{ {NOTEBOOK} return nb.widgets[{self.index(cell)}].model.sharedModel.source; }}"
        )

    def cell(self, cell: int | str):
        """Locator of a cell."""
        return self.page.locator(f".jp-Notebook .jp-Cell[data-windowed-list-index='{self.index(cell)}']")

    def output(self, cell: int | str):
        """Locator of what stands under a code cell."""
        return self.cell(cell).locator(".jp-Cell-outputArea")

    def show(self, cell: int | str) -> None:
        """Scrolls to a cell and waits until it is drawn, a live widget in place of its still picture: see DRAWN."""
        index = self.index(cell)
        self.page.evaluate(
            f"async () => {{ {NOTEBOOK} nb.activeCellIndex = {index}; await nb.scrollToItem({index}, 'start'); }}"
        )
        self.cell(index).wait_for()
        assert self.until(lambda: self.page.evaluate(DRAWN, index)), f"cell {cell} isn't drawn"

    def shown(self, cell: int | str):
        """What stands under a code cell, scrolled into view."""
        self.show(cell)
        output = self.output(cell)
        output.scroll_into_view_if_needed()
        return output

    def until(self, true, seconds: float = SECONDS) -> bool:
        """Asks again and again until the answer is yes. False where it never is."""
        return until(true, seconds, lambda: self.page.wait_for_timeout(50))

    def press(self, handle, key: str, times: int = 1) -> None:
        """Presses a key on a slider's handle."""
        handle.focus()
        for _ in range(times):
            self.page.keyboard.press(key)

    def dragging(self, slider, places):
        """Drags the handle of a slider (its `.noUi-target`) to places along its track, 0 to 1, and stops at each for a look."""
        handle, track = self.where(slider.locator(".noUi-handle")), self.where(slider.locator(".noUi-base"))
        mouse, y = self.page.mouse, handle["y"] + handle["height"] / 2
        mouse.move(handle["x"] + handle["width"] / 2, y)
        mouse.down()
        try:
            for place in places:
                mouse.move(track["x"] + place * track["width"], y, steps=4)
                yield place
        finally:
            mouse.up()

    def where(self, locator) -> dict:
        """The bounding box of what stands still: JupyterLab draws cells above later, and moves those below."""
        seen = [None]

        def stands():
            self.page.wait_for_timeout(50)
            seen.append(locator.bounding_box())
            return seen[-1] == seen[-2]

        assert self.until(stands), "it never stands still"
        return seen[-1]

    def errors(self) -> list[str]:
        """Exceptions and anything on stderr, with the number of the cell."""
        return self.page.evaluate(
            f"""() => {{ {NOTEBOOK} return nb.widgets.flatMap((cell, i) => cell.model.type !== 'code' ? [] : cell.model.outputs.toJSON()
                .filter(o => o.output_type === 'error' || (o.output_type === 'stream' && o.name === 'stderr'))
                .map(o => `cell ${{i}}: ${{o.ename || 'stderr'}}: ${{String(o.evalue || o.text).slice(0, 400)}}`)); }}"""
        )

    def save(self) -> None:
        self._execute("docmanager:save", SECONDS)

    def restart_kernel(self) -> None:
        """Restarts it, and waits until it has answered: what is sent in between JupyterLab may lose."""
        self._begin(f"{PANEL} await panel.sessionContext.restartKernel();")
        self._wait_done("the restart", SECONDS)
        self.wait_idle()
        if not self.until(lambda: self.ask_kernel("print('here')", 10) == "here\n"):
            raise TimeoutError(f"{self.path}: the restarted kernel doesn't answer.\n{stacks(self.address)}")

    def dark(self, on: bool = True) -> None:
        """Switches JupyterLab's theme."""
        theme = "JupyterLab Dark" if on else "JupyterLab Light"
        self._begin(f"await jupyterapp.commands.execute('apputils:change-theme', {{theme: '{theme}'}});")
        self.page.wait_for_function(f"() => document.body.dataset.jpThemeLight === '{'false' if on else 'true'}'")

    @contextlib.contextmanager
    def all_cells_in_the_page(self):
        """JupyterLab keeps only the cells in view in its page; here all of them are, and drawn."""
        mode = f"mode => {{ {NOTEBOOK} nb.notebookConfig = {{...nb.notebookConfig, windowingMode: mode}}; }}"
        count = self.page.evaluate(f"() => {{ {NOTEBOOK} return nb.widgets.length; }}")
        self.page.evaluate(mode, "none")
        try:
            assert self.until(lambda: self.page.locator(".jp-Notebook .jp-Cell").count() == count)
            for index in map(self.index, self.cells_with_output()):
                assert self.until(lambda: self.page.evaluate(DRAWN, index)), f"cell {index} isn't drawn"
            yield
        finally:
            self.page.evaluate(mode, "full")

    def screenshot(self, name: str) -> None:
        """The window as PNG in screenshots/, for a person to look at who has set SCREENSHOTS=1."""
        self._picture(self.page, name)

    def picture(self, name: str) -> None:
        """The notebook alone as PNG. The README's are copies of these, in tests/browser/pictures/."""
        self._picture(self.page.locator(".jp-NotebookPanel-notebook"), name)

    def _picture(self, of, name: str) -> None:
        if LOOKED_AT:
            path = SCREENSHOTS / f"{name}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            of.screenshot(path=path)

    def _begin(self, javascript: str) -> None:
        """Starts what takes its time. playwright would wait for its end without a limit."""
        self.page.evaluate(
            f"() => {{ window.courseDone = false; (async () => {{ {javascript} }})().finally(() => window.courseDone = true); }}"
        )

    def _wait_done(self, what: str, seconds: float) -> None:
        if not self.until(lambda: self.page.evaluate("() => window.courseDone"), seconds):
            raise TimeoutError(f"{self.path}: {what} didn't end within {seconds} s.\n{stacks(self.address)}")

    def _execute(self, command: str, seconds: float) -> None:
        """Runs a command to its end. What JupyterLab has lost, as it does on a busy machine, is asked for once more."""
        begin = f"await jupyterapp.commands.execute('{command}');"
        self._begin(begin)
        stood, end = None, time.monotonic() + seconds
        while time.monotonic() < end:
            if self.until(lambda: self.page.evaluate("() => window.courseDone"), min(30, seconds)):
                return
            # The kernel answers, and no cell has run since it did so last: whoever sits before it would press the key again.
            stands = self._counts() if self.ask_kernel("print('here')", 10) == "here\n" else None
            if stands and stands == stood:
                self._begin(begin)
                break
            stood = stands
        self._wait_done(command, seconds)

    def _counts(self) -> list[int | None]:
        """The number in front of each code cell."""
        return self.page.evaluate(
            f"() => {{ {NOTEBOOK} return nb.widgets.flatMap(cell => cell.model.type === 'code' ? [cell.model.executionCount] : []); }}"
        )

    def _wait_ran(self, seconds: float, index: int | None = None) -> None:
        which = "true" if index is None else f"i === {index}"
        ran = f"""() => {{ {NOTEBOOK} return nb.widgets.every((cell, i) => !({which}) || cell.model.type !== 'code' || !cell.model.sharedModel.source.trim()
            || (cell.model.executionCount != null && cell.model.executionState !== 'running')); }}"""
        self.page.wait_for_function(ran, timeout=seconds * 1000)
        self.wait_idle(seconds)


SERVERS = {}  # address → process, and the folder where its kernels write their stacks
STACKS_ON_SIGNAL = """def _():
    import faulthandler, os, signal
    faulthandler.stack = open(f"{os.path.dirname(__file__)}/{os.getpid()}.stack", "w")  # must stay open
    faulthandler.register(signal.SIGUSR1, faulthandler.stack)
_()
del _
"""
PANEL = "const panel = jupyterapp.shell.currentWidget;"
NOTEBOOK = f"{PANEL} const nb = panel.content;"
# Stands a cell still, with all that it has to show? A widget comes in steps: its panel, its box, what is in the box, what
# JavaScript draws there. Where its kernel has gone, JupyterLab says so; where nobody trusts the notebook, it isn't tried.
DRAWN = f"""async index => {{ {NOTEBOOK}
  const cell = nb.widgets[index], place = () => cell.node.getBoundingClientRect().top, before = place();
  for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame);
  if (cell.isPlaceholder() || place() !== before) return false;
  const shown = cell.outputArea?.widgets ?? [];
  if (shown.length < (cell.outputArea?.model.length ?? 0)) return false;
  const unfinished = ".widget-box:empty, .widget-box > :empty:not(img, .course-words), .widget-slider:not(:has(.noUi-handle))";
  const drawn = node => node.querySelector(".jupyter-widgets") && !node.querySelector(unfinished)
    && [...node.querySelectorAll(".course-live img")].every(img => img.complete);
  return shown.flatMap(output => output.widgets).every(output =>
    output.mimeType === "text/html" ? output.node.hasChildNodes() :
    output.mimeType !== "application/vnd.jupyter.widget-view+json" || output.isHidden
      || /model not found|Error displaying/.test(output.node.textContent) || drawn(output.node));
}}"""
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


def until(true, seconds: float = SECONDS, pause=lambda: time.sleep(0.1)) -> bool:
    """Asks until the answer is yes; False where it never is. (playwright's wait_for_function takes an async function's promise for a yes.)"""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        pause()
    return True


def answers(url: str) -> bool:
    """Is there a server?"""
    try:
        urllib.request.urlopen(url, timeout=SECONDS).read()
        return True
    except OSError:
        return False


def _cancelled(request) -> bool:
    """A request that JupyterLab itself gave up, for example when the page closes, is no failure."""
    return "ERR_ABORTED" in (request.failure or "")


def _jupyterlabs(error) -> bool:
    """Its list of cells now and then takes out twice what has scrolled away (jupyterlab issue 15415): nothing of ours.

    What a widget runs is loaded from a blob, so it would stand in the stack.
    """
    stack = error.stack or ""
    return "'removeChild'" in error.message and "/static/lab/" in stack and "blob:" not in stack
