"""What makes two trainings of a lesson one: nbval runs its source, and tests/browser the untouched copy, which trains the same.

Kernels that start with `startup()` keep the end of every training in one folder. Of a training that begins as another began, with
the same weights, optimizer and number of steps, three steps are made. Where their losses are those of the other's, it goes on from
the other's end, as `fit` goes on from a checkpoint; where not, it begins again and is trained like any other.
"""

import hashlib
import importlib.util
import math
import os
import shutil
import sys
import tempfile
from collections import Counter
from functools import wraps
from importlib.abc import MetaPathFinder
from itertools import chain
from pathlib import Path

SHORT = 30  # steps: not worth a file
FIRST = 3  # steps are made and compared
MORE = {"checkpoint", "resume", "seconds", "processes"}  # than a training from its beginning to its end
FOLDER = "COURSE_TRAININGS"  # in the environment, set by conftest.py: the same for all workers of a run


def startup() -> str:
    """The text of a startup file for IPython."""
    return f"""def _():
    import importlib.util
    spec = importlib.util.spec_from_file_location("trained_once", {str(Path(__file__).resolve())!r})
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.watch_imports({os.environ[FOLDER]!r})
_()
del _
"""


def watch_imports(folder: str) -> None:
    """`training.fit`, as soon as a lesson imports it, becomes `once(fit)`."""

    class Finder(MetaPathFinder):
        def find_spec(self, name, path, target=None):
            if name != "course_lib.training":
                return None
            sys.meta_path.remove(self)
            spec = importlib.util.find_spec(name)
            execute = spec.loader.exec_module

            def exec_module(module):
                execute(module)
                module.fit = once(module.fit, Path(folder))

            spec.loader.exec_module = exec_module
            return spec

    sys.meta_path.insert(0, Finder())


def once(fit, folder: Path):
    """`fit`, which looks in the folder for the end of a training that began the same."""
    from course_lib.checkpoints import load_training, save_training
    from course_lib.errors import CourseError

    numbers = Counter()  # a lesson may train twice from the same beginning, on other texts

    @wraps(fit)
    def fit_once(model, batches, loss, steps, optimizer, schedule=None, **options):
        if steps < SHORT or MORE & options.keys():
            return fit(model, batches, loss, steps, optimizer, schedule, **options)
        name = beginning(model, optimizer, steps, options)
        end = folder / f"{name}-{numbers[name]}.safetensors"
        numbers[name] += 1
        training = model, optimizer, schedule
        with tempfile.TemporaryDirectory(dir=folder) as own:
            begin, checkpoint = Path(own, "begin.safetensors"), Path(own, "training.safetensors")
            try:
                save_training(begin, *training, [])
            except CourseError:  # what can't be kept, such as a config that JSON can't hold
                return fit(model, batches, loss, steps, optimizer, schedule, **options)
            if not end.exists():
                losses = fit(model, batches, loss, steps, optimizer, schedule, checkpoint=checkpoint, **options)
                if len(losses) == steps:
                    checkpoint.replace(end)
                return losses
            there, autocast, _ = load_training(end, *training, options.get("autocast"))
            load_training(begin, *training)[2]()
            stream, seen = iter(batches), []
            few = options | {"autocast": autocast, "watch": None, "progress": False}
            here = fit(model, map(kept_in(seen), stream), loss, FIRST, optimizer, schedule, **few)
            if all(math.isclose(a, b, rel_tol=1e-4) for a, b in zip(here, there)):
                options |= {"checkpoint": shutil.copy(end, checkpoint), "resume": True}
            else:
                load_training(begin, *training)[2]()
            return fit(model, chain(seen, stream), loss, steps, optimizer, schedule, **options)

    return fit_once


def beginning(model, optimizer, steps: int, options: dict) -> str:
    """A name for what a training begins with."""
    groups = [{name: value for name, value in group.items() if name != "params"} for group in optimizer.param_groups]
    chosen = [options.get(name) for name in ("seed", "clip", "autocast")]
    digest = hashlib.sha256(repr((type(model).__name__, type(optimizer).__name__, groups, steps, chosen)).encode())
    for name, tensor in model.state_dict().items():
        digest.update(name.encode() + tensor.detach().double().numpy().tobytes())
    return digest.hexdigest()[:16]


def kept_in(seen: list):
    """The same thing, kept in a list."""
    return lambda each: seen.append(each) or each
