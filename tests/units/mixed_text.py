"""About 1 MB of text of many kinds, all of Unicode, and random strings: what tokenizers are compared on."""

import json.decoder
import random
import sys
import unicodedata
from functools import cache
from pathlib import Path
from pydoc_data import topics

import pytest
from babel import Locale
from num2words import num2words

ODD = [
    "", " ", "\t\r\n \u3000\u00a0\u2028", "a", "don't stop, won't stop…", "naïve café résumé — Ærøskøbing, İstanbul, ΟΔΟΣ ΟΔΥΣΣΕΎΣ, Straße",
    "Wir grüßen Sie schön aus Köln, Ährenfeld und Öhringen!", "東京都に住んでいます。漢字かな交じり文", "我爱北京天安门，天安门上太阳升。", "한국어 텍스트 각",
    "👩‍👩‍👧‍👦 family 🇩🇪 flag 👍🏽 thumbs ☃️ e\u0301 a\u0328\u0301", "नमस्ते दुनिया",
    "مرحبا بالعالم", "שלום עולם", "ไม่มีช่องว่าง", "Việt Nam ơi", "$1,000.00 = 50% ^ ~`|", "anakula nimekuona hatutakupenda",
    "def f(x):\n\treturn x**2 if x>=0 else -x  # ≠", "<div class=\"a\">&nbsp;</div>", "http://example.org/?q=a&b=%20#x",
    "a\u200db\u200cc\ufeffd\u00ade", "\x00\x01\x7f\x85\x0b\x0c", "\ufffd", "x" * 101, "x" * 100, "ﬁ ﬂ ½ ² Ⅷ ẞ ŉ ǆ ﷺ",
    "[CLS] [SEP] [UNK] [MASK] [PAD]", "##ing ## # ##", "𐐀𐐨 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𠀀𪚥", "\U00011938\u1734\u166d\U000111c9\u1dfb\u0301",
]  # fmt: skip


def sized(small, full):
    """For parametrize: a size that takes seconds, and the full sweep, which `make test-all` runs."""
    values = full if isinstance(full, tuple) else (full,)
    return [small, pytest.param(*values, marks=pytest.mark.sweep)]


def scalars(step: int) -> list[str]:
    """Characters of all of Unicode but halves of surrogate pairs: the first 12 288, then every `step`-th."""
    return [chr(i) for i in (*range(0x3000), *range(0x3000, sys.maxunicode + 1, step)) if not 0xD800 <= i < 0xE000]


@cache
def mixed_text() -> str:
    """English, German and Swahili words, code, names of languages in 28 languages, odd strings: seeded, about 1 MB."""
    rng = random.Random(0)
    english = "\n".join(topics.topics.values())
    numbers = [num2words(rng.randrange(10**9), lang=lang) for lang in ("de", "en", "fr", "tr") for _ in range(600)]
    names = [
        " ".join(names.values())
        for code in [
            "sw",
            "de",
            "ja",
            "zh",
            "ko",
            "ru",
            "ar",
            "he",
            "hi",
            "th",
            "vi",
            "el",
            "tr",
            "pl",
            "hu",
            "fi",
            "is",
            "cs",
            "ta",
            "bn",
            "am",
            "ka",
            "hy",
            "km",
            "my",
            "ne",
            "si",
            "te",
        ]
        for names in (Locale(code).languages, Locale(code).territories)
    ]
    prefixes, middles, roots = (
        ["ni", "u", "a", "tu", "m", "wa"],
        ["na", "li", "ta", "me", "ki"],
        ["kupenda", "soma", "andika", "enda", "ona", "cheza", "imba", "kula"],
    )
    swahili = " ".join(rng.choice(prefixes) + rng.choice(middles) + rng.choice(roots) for _ in range(4000))
    folder = Path(json.decoder.__file__).parent
    code = "\n".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.py")))
    return "\n".join([english, *numbers, *names, swahili, code, *ODD * 20])


@cache
def _kinds() -> list[list[str]]:
    """Characters by what they do to a tokenizer; the last kind is all of them."""
    every = scalars(1)
    wanted = ("Mn", "Mc", "Me"), ("Zs", "Zl", "Zp", "Cc"), ("Lu", "Lt")
    kinds = [[c for c in every if unicodedata.category(c) in categories] for categories in wanted]
    kinds.append([c for c in every if unicodedata.category(c)[0] == "P"])
    kinds.append([c for c in every if unicodedata.decomposition(c)])
    return [[chr(i) for i in range(32, 127)], [chr(i) for i in range(0x2000)], *kinds, every]


def part_of_mixed_text(step: int) -> str:
    """Every `step`-th line of it, of all kinds."""
    return "\n".join(mixed_text().split("\n")[::step])


def random_strings(count: int, seed: int = 0, longest: int = 24) -> list[str]:
    """Strings of 0 to `longest` characters, each of one to three kinds; the kinds together are all of Unicode."""
    rng = random.Random(seed)
    strings = []
    for _ in range(count):
        kinds = rng.choices(_kinds(), k=rng.randint(1, 3))
        strings.append("".join(rng.choice(rng.choice(kinds)) for _ in range(rng.randint(0, longest))))
    return strings
