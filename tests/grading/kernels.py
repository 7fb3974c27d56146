"""A real IPython kernel that runs cells as JupyterLab does."""

from dataclasses import dataclass, field
from pathlib import Path

from jupyter_client.manager import start_new_kernel


@dataclass
class Shown:
    """What a cell has shown."""

    text: str = ""
    html: str = ""
    printed: str = ""
    error: str = ""
    traceback: str = ""
    bundles: list[dict] = field(default_factory=list)


class Kernel:
    """Started in `folder`; `kernel("1 + 1").text` is what the cell shows. Use it in a with statement."""

    def __init__(self, folder: Path, **environment: str):
        import os

        env = {**os.environ, "OMP_NUM_THREADS": "1", **environment}
        self.manager, self.client = start_new_kernel(cwd=str(folder), env=env)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)

    def __call__(self, source: str, timeout: float = 60) -> Shown:
        shown = Shown()

        def collect(message):
            kind, content = message["msg_type"], message["content"]
            if kind in ("display_data", "execute_result"):
                shown.text += content["data"].get("text/plain", "") + "\n"
                shown.html += content["data"].get("text/html", "")
                shown.bundles.append(content["data"])
            elif kind == "stream":
                shown.printed += content["text"]
            elif kind == "error":
                shown.error = f"{content['ename']}: {content['evalue']}"
                shown.traceback = "\n".join(content["traceback"])

        self.client.execute_interactive(source, output_hook=collect, timeout=timeout)
        return shown
