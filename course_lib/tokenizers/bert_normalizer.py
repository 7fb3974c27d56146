"""What BERT does to a text before its tokens are looked for: clean it, then cut it into words and punctuation marks.

Devlin et al. (2019), "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding"; the rules are
those of the code published with the paper, as Hugging Face's `tokenizers` applies them (BertNormalizer, then
BertPreTokenizer).
"""

from dataclasses import dataclass

import regex

from course_lib.tokenizers.unicode_versions import CONTROL, IDEOGRAPH, MARK, PUNCTUATION, SPACE, decomposed, lower


def _pattern(classes: str) -> regex.Pattern:
    return regex.compile(classes, regex.V1)  # V1: a class may hold classes, and [a--b] is a without b


LONE_SURROGATE = _pattern(r"[\uD800-\uDFFF]")
CLEANED_SPACE = _pattern(rf"[{SPACE}--[\v\f\x85]]")  # these three are control characters as well, and are removed
CONTROLS = _pattern(rf"{CONTROL}+")
MARKS = _pattern(rf"{MARK}+")
IDEOGRAPHS = _pattern(IDEOGRAPH)
WORDS = _pattern(rf"{PUNCTUATION}|[^{PUNCTUATION}{SPACE}]+")


@dataclass(frozen=True)
class BertNormalizer:
    """BERT's rules. `BertNormalizer()` is BERT uncased, `BertNormalizer(lowercase=False)` BERT cased.

    The fields have the names that tokenizer.json gives them.
    Half a surrogate pair, which UTF-8 can't store, counts as U+FFFD, the sign for "no character".
    """

    clean_text: bool = True  # control characters, NUL and U+FFFD go; each other kind of space becomes " "
    handle_chinese_chars: bool = True  # a Chinese character stands alone: written Chinese has no spaces to cut at
    strip_accents: bool | None = None  # "é" → "e"; None: as `lowercase` says
    lowercase: bool = True

    def normalize(self, text: str) -> str:
        """The text after all changes, before it is cut: "Señor\\tGarcía" → "senor garcia"."""
        if not text.isascii():
            text = LONE_SURROGATE.sub("\ufffd", text)
        if self.clean_text:
            text = CONTROLS.sub("", CLEANED_SPACE.sub(" ", text))
        if not text.isascii():
            if self.handle_chinese_chars:
                text = IDEOGRAPHS.sub(r" \g<0> ", text)
            if self.lowercase if self.strip_accents is None else self.strip_accents:
                text = MARKS.sub("", decomposed(text))
        return lower(text) if self.lowercase else text

    def pretokenize(self, text: str) -> list[str]:
        """Words and single punctuation marks: "Don't stop!" → ["don", "'", "t", "stop", "!"]."""
        return WORDS.findall(self.normalize(text))
