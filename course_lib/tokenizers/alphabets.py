"""What merging starts from: all bytes, or the characters of a text with a mark at the end of each word.

An alphabet cuts text into words and spells each in base symbols, one character chr(i) for symbol number i. Both kinds answer to the same calls.
"""

from collections.abc import Iterable

from course_lib.errors import CourseError
from course_lib.tokenizers import words


class Bytes:
    """The bytes of UTF-8: 256 symbols spell every text there is, so nothing is ever unknown (Radford et al. 2019)."""

    def __init__(self, pattern: str = words.GPT2):
        words.compiled(pattern)
        self.pattern = pattern
        self.tokens = [bytes([byte]) for byte in range(256)]
        self.description = "256 bytes"

    def words(self, text: str) -> list[str]:
        return words.split_all(text, self.pattern)

    def spell(self, word: str) -> str:
        """Symbol i is byte i. A lone surrogate, which Python's texts can hold and UTF-8 can't, takes the three bytes of its number."""
        return word.encode("utf-8", "surrogatepass").decode("latin-1")

    def text(self, tokens: Iterable[bytes]) -> str:
        """Bytes that aren't UTF-8, such as the first half of a character, become the sign �."""
        joined = b"".join(tokens)
        try:
            return joined.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            return joined.decode("utf-8", "replace")


class Characters:
    """The characters of a text, and each once more with the end-of-word mark, as in Sennrich et al. (2016).

    Words stand between spaces. How many spaces there were is forgotten, and a character that wasn't in the text is [UNK].
    """

    def __init__(self, characters: Iterable[str], end_of_word: str = "</w>", unknown: str = "[UNK]"):
        """characters: base tokens such as "t" and "t</w>"."""
        self.end_of_word, self.unknown = end_of_word, unknown
        self.tokens = [unknown, *characters]
        self.description = (
            f"{len(self.tokens)} base symbols ({unknown}, and the text's characters inside words and at their ends)"
        )
        self._symbol = {token: chr(i) for i, token in enumerate(self.tokens)}

    @classmethod
    def of(cls, text_words: Iterable[str], end_of_word: str) -> "Characters":
        """All characters of the words, in the order of Unicode. Raises CourseError for a mark that can't be told from the text."""
        if (
            not isinstance(end_of_word, str)
            or not end_of_word
            or words.split(end_of_word, words.SPACES_APART) != [end_of_word]
        ):
            raise CourseError(
                f"end_of_word should be a mark without spaces, such as '</w>', but it is {end_of_word!r}."
            )
        found = set()
        for word in text_words:
            if end_of_word in word:
                raise CourseError(
                    f"The text itself holds the end-of-word mark {end_of_word!r}, in {word!r}: choose another one with end_of_word=."
                )
            found.update([*word[:-1], word[-1] + end_of_word])
        return cls(sorted(found), end_of_word)

    @staticmethod
    def words(text: str) -> list[str]:
        return words.split(text, words.SPACES_APART)

    def spell(self, word: str) -> str:
        tokens = [*word[:-1], word[-1] + self.end_of_word]
        return "".join(self._symbol.get(token, "\0") for token in tokens)  # symbol 0 is the unknown one

    def text(self, tokens: Iterable[str]) -> str:
        spaced = [
            token.removesuffix(self.end_of_word) + " " if token.endswith(self.end_of_word) else token
            for token in tokens
        ]
        return "".join(spaced).removesuffix(" ")
