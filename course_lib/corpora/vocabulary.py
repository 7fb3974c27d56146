"""Words and their numbers."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from functools import cached_property

from course_lib.errors import CourseError

PAD, START, END = "<pad>", "<s>", "</s>"
PAD_ID, START_ID, END_ID = 0, 1, 2


class Vocabulary:
    """A closed list of words: padding, start and end first, then the words of `texts` in alphabetical order."""

    def __init__(self, texts: Iterable[Sequence[str]]):
        self.words = [PAD, START, END, *sorted({word for text in texts for word in text})]

    @cached_property
    def ids(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.words)}

    def __len__(self) -> int:
        return len(self.words)

    def encode(self, words: Sequence[str]) -> list[int]:
        """Raises CourseError for a word that isn't in the list, and for no words at all."""
        if not words:
            raise CourseError("There is nothing to read: the text has no words.")
        for word in words:
            if word not in self.ids:
                near = get_close_matches(word, self.words[3:], 3, cutoff=0.5)
                advice = (
                    f"The nearest words that it holds: {', '.join(near)}." if near else "No word that it holds is near."
                )
                raise CourseError(f"The word '{word}' isn't in this vocabulary of {len(self)} words. {advice}")
        return [self.ids[word] for word in words]

    def decode(self, ids: Iterable[int]) -> list[str]:
        """The words up to the first end mark, without padding and start."""
        words = []
        for i in ids:
            if i == END_ID:
                break
            if i not in (PAD_ID, START_ID):
                words.append(self.words[i])
        return words
