"""Words in symbols, for the cases of this lesson. The last symbol of a word ends with the mark </w>."""

from course_lib.exercises.inputs import integer

LETTERS = "aenrst"

# The words of Sennrich, Haddow and Birch (2016), algorithm 1.
PAPER = {
    ("l", "o", "w</w>"): 5,
    ("l", "o", "w", "e", "r</w>"): 2,
    ("n", "e", "w", "e", "s", "t</w>"): 6,
    ("w", "i", "d", "e", "s", "t</w>"): 3,
}


def random_word(g, longest: int = 8, letters: str = LETTERS) -> tuple[str, ...]:
    """1 to `longest` random letters."""
    drawn = [letters[integer(g, 0, len(letters) - 1)] for _ in range(integer(g, 1, longest))]
    return (*drawn[:-1], drawn[-1] + "</w>")


def word_table(
    g, size: int, letters: str = LETTERS, longest: int = 8, merged: bool = True
) -> dict[tuple[str, ...], int]:
    """Different words with counts; where `merged`, a few symbols have been merged already.

    Never one word in two spellings: when merges make them the same, their counts would have to be added.
    """
    table, seen = {}, set()
    while len(table) < size:
        word = random_word(g, longest, letters)
        if word in seen:
            continue
        seen.add(word)
        if merged and len(word) > 3 and integer(g, 0, 2) == 0:
            word = (word[0] + word[1], *word[2:])
        table[word] = integer(g, 1, 9)
    return table


def twins(g) -> dict[tuple[str, ...], int]:
    """Words in which a symbol stands three times in a row."""
    letter, other = "ab" if integer(g, 0, 1) else "ba"
    return {
        (other, letter, letter, letter, letter + "</w>"): integer(g, 2, 5),
        (letter, letter, letter, other + "</w>"): integer(g, 2, 5),
        ("a", "b", "a</w>"): integer(g, 1, 9),
    }


def is_within(few, many):
    """Do the items of `few` stand in `many`, in this order?"""
    rest = iter(many)
    return all(item in rest for item in few)
