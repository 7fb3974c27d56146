"""A word into WordPiece's tokens: the longest piece in the vocabulary, then the longest of the rest, or the whole word unknown."""

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer

UNKNOWN = "[UNK]"


def _longest_match(word, vocab):
    tokens, start = [], 0
    while start < len(word):
        for end in range(len(word), start, -1):
            piece = word[start:end] if start == 0 else "##" + word[start:end]
            if piece in vocab:
                tokens.append(piece)
                start = end
                break
        else:
            return [UNKNOWN]
    return tokens


BEGINNINGS = ["able", "b", "believ", "n", "play", "stand", "to", "tok", "token", "u", "un", "under"]
INSIDE = [
    "able", "bel", "believ", "d", "e", "er", "i", "ieve", "ing", "iz", "ize", "ized", "ken", "n", "play", "r", "s",
    "stand", "t", "un",
]  # fmt: skip
VOCAB = ["##" + piece for piece in INSIDE] + BEGINNINGS


def _one_of(g, *words):
    return words[integer(g, 0, len(words) - 1)]


def _known_word(g) -> str:
    return _one_of(g, *BEGINNINGS) + "".join(_one_of(g, *INSIDE) for _ in range(integer(g, 2, 5)))


longest_match = Code(
    "07.longest_match",
    title="The longest match",
    points=3,
    minutes=12,
    difficulty=2,
    reference=_longest_match,
    axes=["tokens"],
    cases=[
        Case(
            "in three pieces",
            lambda g: (
                _one_of(g, "tokenized", "unplayable", "understands", "believable") + _one_of(g, "s", "ing"),
                VOCAB,
            ),
        ),
        Case("a longer piece wins", lambda g: ("unders" + "ing" * integer(g, 1, 2), VOCAB)),
        Case(
            "a piece longer than all that begin a word",
            lambda g: ("un" * integer(g, 0, 1) + "unbelievable", ["un", "##un", "##believ", "##able", "##believable"]),
        ),
        Case("a random word of pieces", lambda g: (_known_word(g), VOCAB)),
        Case("another random word", lambda g: (_known_word(g) + _known_word(g), VOCAB)),
        Case("in the vocabulary as it is", lambda g: ("token", VOCAB)),
        Case(
            "the same word, another vocabulary, a dictionary",
            lambda g: ("token", {"to": 0, "tok": 1, "##e": integer(g, 2, 9), "##en": 10, "##ken": 11, "##n": 12}),
        ),
        Case(
            "a dead end after the longest piece",
            lambda g: (_one_of(g, "abcd", "abcdcd"), ["a", "ab", "abc", "##bcd", "##cd"]),
        ),
        Case("unknown from the start", lambda g: (_one_of(g, "xun", "ßplay"), VOCAB)),
        Case("known only inside a word", lambda g: (_one_of(g, "sun", "tun", "tstand", "sable"), VOCAB)),
        Case("a capital letter", lambda g: (_one_of(g, "Token", "playEr"), VOCAB)),
        Case("signs", lambda g: ("3x" + "5" * integer(g, 1, 2), ["3", "##.", "##5", "##.5", "##+"])),
        Case("unknown at the end", lambda g: (_one_of(g, "unx", "tokenizedß", "playz"), VOCAB)),
        Case("unknown in the middle", lambda g: (_one_of(g, "unxable", "playwing"), VOCAB)),
        Case("only as a beginning", lambda g: (_one_of(g, "playto", "unb", "underu"), VOCAB)),
        Case("letter by letter", lambda g: ("n" * integer(g, 3, 6), VOCAB)),
        Case("an empty word", lambda g: ("", VOCAB)),
        Case("an empty vocabulary", lambda g: ("play" * integer(g, 1, 2), [])),
    ],
    hints=[
        "Stand at the start of the word. Try the whole rest first, then one letter less, and so on, until a piece is in the vocabulary.",
        "A piece that doesn't begin the word has ## in front when you look it up, and in the result.",
        'If not even one letter is found, the whole word is ["[UNK]"], whatever was found before.',
    ],
)


def marked(start):
    return "" if start == 0 else "##"


def longest_first(start, length):
    return range(length, start, -1)


def pieces(word, vocab, mark=marked, ends=longest_first):
    """All pieces of a word, with None for each letter where nothing fits."""
    start = 0
    while start < len(word):
        fits = (end for end in ends(start, len(word)) if mark(start) + word[start:end] in vocab)
        end = next(fits, None)
        yield mark(start) + word[start:end] if end else None
        start = end or start + 1


def or_unknown(found):
    return [UNKNOWN] if None in found else found


@longest_match.variants
def steps(word, vocab, *, mark=marked, ends=longest_first, tokens=or_unknown):
    return tokens(list(pieces(word, vocab, mark, ends)))


steps.mistake(
    "You take the shortest piece that fits. Begin with the longest: the whole rest of the word, then one letter less.",
    ends=lambda start, length: range(start + 1, length + 1),
)
steps.mistake(
    "You look for the pieces inside a word without their ##. “able” at the beginning of a word and “##able” inside it are two different tokens.",
    mark=lambda start: "",
)
steps.mistake(
    "You find the pieces with their ##, but don't return it. The token is “##able”.",
    tokens=lambda found: [token.removeprefix("##") for token in or_unknown(found)],
)
steps.mistake(
    "You put ## before the first piece as well. It says that a piece goes on with a word; the first one begins it.",
    mark=lambda start: "##",
)
steps.mistake(
    "You keep the pieces before the place that isn't known. As soon as one place fits nothing, the whole word is [UNK].",
    tokens=lambda found: [*found[: found.index(None)], UNKNOWN] if None in found else found,
)
steps.mistake(
    "You drop what isn't known, so a reader can't see that something is missing. The whole word becomes [UNK].",
    tokens=lambda found: found[: found.index(None)] if None in found else found,
)
steps.mistake(
    "You skip a letter that isn't known and go on behind it. The whole word becomes [UNK].",
    tokens=lambda found: [piece for piece in found if piece],
)
steps.mistake(
    "You put one [UNK] in the place of each unknown letter. The whole word becomes a single [UNK].",
    tokens=lambda found: [piece or UNKNOWN for piece in found],
)
steps.mistake(
    "You return the word as one text with spaces. Return a list of tokens.",
    tokens=lambda found: " ".join(or_unknown(found)),
)
steps.mistake(
    'For a word that isn\'t known you return “[UNK]” as a text. A list comes back in every case: ["[UNK]"].',
    tokens=lambda found: UNKNOWN if None in found else found,
)


@longest_match.mistake(
    "When a piece leads into a dead end you try a shorter one. WordPiece doesn't go back: once it has taken the longest piece, it stays with it, and the word is [UNK]."
)
def goes_back(word, vocab):
    def ways(start):
        """All ways to cut the rest, longest pieces first."""
        if start == len(word):
            yield []
        for end in longest_first(start, len(word)):
            if (piece := marked(start) + word[start:end]) in vocab:
                yield from ([piece, *rest] for rest in ways(end))

    return next(ways(0), [UNKNOWN])


@longest_match.mistake("You read from the end of the word. The longest piece is taken from the front.")
def from_the_end(word, vocab):
    tokens, end = [], len(word)
    while end > 0:
        start = next((start for start in range(end) if marked(start) + word[start:end] in vocab), None)
        if start is None:
            return [UNKNOWN]
        tokens = [marked(start) + word[start:end], *tokens]
        end = start
    return tokens
