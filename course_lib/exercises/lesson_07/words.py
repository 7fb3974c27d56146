"""Words, spelled, for the cases of this lesson."""

from course_lib.exercises.inputs import integer

LETTERS = "aenrst"


def _word(g, longest: int = 8, letters: str = LETTERS) -> tuple[str, ...]:
    """A random word in symbols, the last one with the end-of-word mark."""
    drawn = [letters[integer(g, 0, len(letters) - 1)] for _ in range(integer(g, 1, longest))]
    return (*drawn[:-1], drawn[-1] + "</w>")


def _table(g, size: int, letters: str = LETTERS, longest: int = 8, merged: bool = True) -> dict[tuple[str, ...], int]:
    """Different words with counts; where `merged`, a few symbols have been merged already."""
    table, seen = {}, set()
    while len(table) < size:
        word = _word(g, longest, letters)
        if (
            word in seen
        ):  # never one word in two spellings: when merges make them the same, their counts would have to be added
            continue
        seen.add(word)
        if merged and len(word) > 3 and integer(g, 0, 2) == 0:
            word = (word[0] + word[1], *word[2:])
        table[word] = integer(g, 1, 9)
    return table


def _twins(g) -> tuple:
    """Words in which a symbol stands three times in a row."""
    letter, other = "ab" if integer(g, 0, 1) else "ba"
    return {
        (other, letter, letter, letter, letter + "</w>"): integer(g, 2, 5),
        (letter, letter, letter, other + "</w>"): integer(g, 2, 5),
        ("a", "b", "a</w>"): integer(g, 1, 9),
    }
