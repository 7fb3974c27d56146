"""Plausible wrong answers that no bank lists: none may pass. `UNLISTED["02.attend"]` holds them with a word that their verdict must contain."""

import importlib
import pkgutil
from collections import defaultdict

UNLISTED = defaultdict(list)


def wrong(key, says=""):
    """`says` is a piece of the sentence that should be shown."""

    def add(answer):
        UNLISTED[key].append((answer, says))
        return answer

    return add


for module in pkgutil.iter_modules(__path__):  # one a lesson
    importlib.import_module(f"{__name__}.{module.name}")
