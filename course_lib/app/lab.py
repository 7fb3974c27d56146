"""JupyterLab on the student's workbook, without the lecturer's panels and without a look at the network."""

import os
import secrets
import socket
import sys
from pathlib import Path
from urllib.parse import quote

from course_lib.errors import CourseError

CONFIG = Path(__file__).parent / "lab_config"  # the student's own settings, such as the theme, apply beside it
PORTS = range(8888, 8938)


def free_port(wanted: int | None) -> int:
    """The port to serve on: the wanted one, or the first free one from 8888 on. CourseError where it is taken."""
    if wanted is not None and not _is_free(wanted):
        raise CourseError(
            f"Port {wanted} is taken, perhaps by a JupyterLab that is still running. "
            "Stop that one, choose another with --port, or leave --port out to get a free one."
        )
    port = wanted if wanted is not None else next(filter(_is_free, PORTS), None)
    if port is None:
        raise CourseError(f"No port from {PORTS[0]} to {PORTS[-1]} is free. Choose one with --port.")
    return port


def _is_free(port: int) -> bool:
    if not 0 < port < 65536:
        raise CourseError(f"{port} isn't a port. Choose a number from 1 to 65535; 8888 is the usual one.")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, os.name == "posix")
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def address(port: int, first: str, token: str) -> str:
    """What to type into a browser to see the notebook `first`."""
    return f"http://localhost:{port}/lab/tree/{quote(first)}?token={token}"


def serve(workbook: Path, first: str, port: int, token: str, browser: bool) -> None:
    """Run JupyterLab until it is stopped, opened on the notebook `first`."""
    _own_places_if_home_is_closed(workbook)
    os.chdir(workbook)  # where its terminals begin
    here = str(Path(sys.executable).parent)
    os.environ["PATH"] = os.pathsep.join([here, os.environ.get("PATH", "")])  # `course` in its terminals
    searched = [str(CONFIG), *filter(None, [os.environ.get("JUPYTER_CONFIG_PATH")])]
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(searched)
    import zmq
    from jupyterlab.labapp import LabApp

    options = {
        "ServerApp.root_dir": workbook,
        "ServerApp.port": port,
        "ServerApp.port_retries": 0,
        "ServerApp.open_browser": browser,
        "LabApp.default_url": f"/lab/tree/{quote(first)}",
        "IdentityProvider.token": token,
        "Application.log_level": "WARN",
    }
    if os.name == "posix":  # a login shell would set its own PATH again
        options["ServerApp.terminado_settings"] = {"shell_command": [os.environ.get("SHELL") or "/bin/sh"]}
    if zmq.has("curve"):  # what goes between notebook and kernel stays unreadable to others on this machine
        options["KernelManager.transport_encryption"] = "auto"
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # in a container
        options["ServerApp.allow_root"] = True
    LabApp.launch_instance([f"--{name}={value}" for name, value in options.items()])


def _own_places_if_home_is_closed(workbook: Path) -> None:
    """Where the home folder can't be written to, Jupyter keeps its things in the workbook."""
    from jupyter_core.paths import jupyter_config_dir, jupyter_runtime_dir

    try:
        for folder in (jupyter_config_dir(), jupyter_runtime_dir()):
            Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError:
        for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "MPLCONFIGDIR"):
            os.environ[name] = str(workbook / ".course" / "jupyter" / name.lower())


def new_token() -> str:
    """What keeps others on this machine out of the student's server."""
    return secrets.token_hex(16)
