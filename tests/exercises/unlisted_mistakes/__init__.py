"""Plausible wrong answers that no bank lists: none may pass. `UNLISTED["02.attend"]` holds them with a word that their verdict must contain."""

import importlib
import pkgutil
from collections import defaultdict

UNLISTED = defaultdict(list)  # of the authors, in lesson_NN.py
SETS = defaultdict(list)  # whole sets that students wrote before they had seen the judge


def wrong(key, says=""):
    """`says` is a piece of the sentence that should be shown."""

    def add(answer):
        source[key].append((answer, says))
        return answer

    return add


for module in pkgutil.iter_modules(__path__):
    source = UNLISTED if module.name.startswith("lesson_") else SETS
    importlib.import_module(f"{__name__}.{module.name}")
