"""What a check finds and leaves: settings of torch, Python and matplotlib that code can change for all after it."""

import contextlib
import copy
import gc
import os
import random
import sys
import warnings

import numpy as np
import torch
from torch import _tensor_str

# name: (what it is now, how to set it, its usual value; None where it stays as it is for the check)
SETTINGS = {
    "dtype": (torch.get_default_dtype, torch.set_default_dtype, torch.float32),
    "threads": (torch.get_num_threads, torch.set_num_threads, None),
    "deterministic": (
        lambda: (torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()),
        lambda pair: torch.use_deterministic_algorithms(pair[0], warn_only=pair[1]),
        (False, False),
    ),
    "anomaly": (
        lambda: (torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()),
        lambda pair: torch.set_anomaly_enabled(*pair),
        (False, True),
    ),
    "torch's printing": (lambda: vars(_tensor_str.PRINT_OPTS).copy(), vars(_tensor_str.PRINT_OPTS).update, None),
    "NumPy's printing": (np.get_printoptions, lambda options: np.set_printoptions(**options), None),
    "NumPy's errors": (np.geterr, lambda errors: np.seterr(**errors), None),
    "recursion": (sys.getrecursionlimit, sys.setrecursionlimit, 3000),
    "collector": (gc.isenabled, lambda on: gc.enable() if on else gc.disable(), True),
    "switching": (sys.getswitchinterval, sys.setswitchinterval, 0.005),
}


@contextlib.contextmanager
def usual_state():
    """All as it is when Python starts, gradients on, the CPU as device; afterwards as it was, random numbers too."""
    before = {name: now() for name, (now, _, _) in SETTINGS.items()}
    for name, (_, put, usual) in SETTINGS.items():
        if usual is not None and before[name] != usual:
            with contextlib.suppress(RecursionError):  # the stack is deeper than that already
                put(usual)
    seeds, folder, figures = (random.getstate(), np.random.get_state()), _folder(), _figures()
    try:
        with _usual_device(), torch.random.fork_rng(devices=[]), torch.inference_mode(False), torch.enable_grad():
            yield
    finally:
        for name, (now, put, _) in SETTINGS.items():
            if now() != before[name]:
                put(before[name])
        random.setstate(seeds[0])
        np.random.set_state(seeds[1])
        if folder and _folder() != folder:
            with contextlib.suppress(OSError):
                os.chdir(folder)
        _put_back(figures)


def _folder() -> str | None:
    try:
        return os.getcwd()
    except OSError:  # it has been deleted
        return None


@contextlib.contextmanager
def _usual_device():
    """Tensors are made on the CPU, whatever the notebook has set."""
    device = torch.get_default_device()
    if device.type != "cpu":
        torch.set_default_device(None)
    try:
        yield
    finally:
        if torch.get_default_device() != device:
            torch.set_default_device(device if device.type != "cpu" else None)


def _figures():
    """matplotlib's settings and open figures; None where nobody has imported it."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    return pyplot and (dict.copy(pyplot.rcParams), pyplot.get_fignums())


def _put_back(figures) -> None:
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return
    settings, open_ones = figures or (None, [])
    for number in set(pyplot.get_fignums()) - set(open_ones):
        pyplot.close(number)
    if settings is not None and settings != dict(pyplot.rcParams):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            dict.update(pyplot.rcParams, copy.copy(settings))
