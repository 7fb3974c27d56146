"""What byte-pair encoding starts from: the 256 bytes, or the characters of a text."""

from collections.abc import Iterable
from typing import Self

from course_lib.errors import CourseError
from course_lib.tokenizers import pretokenize


class Bytes:
    """The base vocabulary of GPT-2: the bytes of UTF-8 can write every text there is, so nothing is ever unknown."""

    tokens = [bytes([byte]) for byte in range(256)]
    description = "256 bytes"

    def __init__(self, pattern: str = pretokenize.GPT2):
        pretokenize.compiled(pattern)  # raises CourseError for a bad one
        self.pattern = pattern

    def pretokenize(self, text: str) -> list[str]:
        return pretokenize.pretokenize(text, self.pattern, keep_rest=True)

    def to_symbols(self, word: str) -> str:
        """Byte i becomes chr(i). A lone surrogate, which UTF-8 forbids, takes the three bytes of its number."""
        return word.encode("utf-8", "surrogatepass").decode("latin-1")

    def to_text(self, tokens: Iterable[bytes]) -> str:
        """Bytes that aren't UTF-8, such as the first half of a character, become the sign �."""
        joined = b"".join(tokens)
        try:
            return joined.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            return joined.decode("utf-8", "replace")


class Characters:
    """The base vocabulary of Sennrich et al. (2016): the characters of a text, and each with the end-of-word mark.

    Words stand between spaces. How many spaces there were is forgotten, and a character that wasn't in the text is
    unknown.
    """

    def __init__(self, characters: Iterable[str], end_of_word: str = "</w>", unknown: str = "[UNK]"):
        """characters: base tokens such as "t" and "t</w>"."""
        self.end_of_word, self.unknown = end_of_word, unknown
        self.tokens = [unknown, *characters]
        self.description = (
            f"{unknown} and the text's characters inside words and at their ends ({len(self.tokens)} tokens)"
        )
        self._symbol = {token: chr(i) for i, token in enumerate(self.tokens)}

    @classmethod
    def of(cls, words: Iterable[str], end_of_word: str) -> Self:
        """All characters of the words, in the order of Unicode."""
        if not isinstance(end_of_word, str) or cls.pretokenize(end_of_word) != [end_of_word]:
            raise CourseError(f"end_of_word should be a mark without spaces, such as '</w>'; got {end_of_word!r}.")
        found = set()
        for word in words:
            if end_of_word in word:
                raise CourseError(
                    f"The text itself holds the end-of-word mark {end_of_word!r}, in {word!r}: choose another one."
                )
            found.update([*word[:-1], word[-1] + end_of_word])
        return cls(sorted(found), end_of_word)

    @staticmethod
    def pretokenize(text: str) -> list[str]:
        return pretokenize.pretokenize(text, pretokenize.BETWEEN_SPACES)

    def to_symbols(self, word: str) -> str:
        tokens = [*word[:-1], word[-1] + self.end_of_word]
        return "".join(self._symbol.get(token, self._symbol[self.unknown]) for token in tokens)

    def to_text(self, tokens: Iterable[str]) -> str:
        text = "".join(
            token.removesuffix(self.end_of_word) + " " * token.endswith(self.end_of_word) for token in tokens
        )
        return text.removesuffix(" ")
