"""Words and their ids."""

from collections.abc import Iterable, Sequence
from functools import cached_property

from course_lib.errors import CourseError
from course_lib.support.messages import did_you_mean

PAD, START, END, MASK = "<pad>", "<s>", "</s>", "<mask>"
PAD_ID, START_ID, END_ID = 0, 1, 2  # padding is 0 in every vocabulary; the other two are what translators use


class Vocabulary:
    """A closed list of words: the special tokens first, then the words in the order given.

    >>> Vocabulary(["a", "cat"]).encode(["cat", "a"])
    [4, 3]
    """

    def __init__(self, words: Iterable[str], special_tokens: Sequence[str] = (PAD, START, END)):
        self.special_tokens = tuple(special_tokens)
        self.words = [*special_tokens, *words]

    @classmethod
    def of_texts(cls, texts: Iterable[Sequence[str]]) -> "Vocabulary":
        """Every word of these texts, in alphabetical order."""
        return cls(sorted({word for text in texts for word in text}))

    @cached_property
    def ids(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.words)}

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        return f"Vocabulary of {len(self)}: {', '.join(self.words)}"

    def encode(self, words: Sequence[str]) -> list[int]:
        """Each word's id. Raises CourseError if there are no words, or one isn't in the list."""
        if not words:
            raise CourseError("There is nothing to read: the text has no words.")
        for word in words:
            if word not in self.ids:
                advice = did_you_mean(word, self.words[len(self.special_tokens) :], cutoff=0.5)
                raise CourseError(f"The word {word!r} isn't in this vocabulary of {len(self)} words.{advice}")
        return [self.ids[word] for word in words]

    def decode(self, ids: Iterable[int]) -> list[str]:
        """The words up to the first end mark, without padding and start."""
        words = []
        for i in ids:
            if self.words[i] == END:
                break
            if self.words[i] not in (PAD, START):
                words.append(self.words[i])
        return words
