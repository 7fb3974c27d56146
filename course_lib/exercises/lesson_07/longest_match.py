"""longest_match, lesson 07."""

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


VOCAB = sorted(
    ["un", "under", "stand", "able", "believ", "to", "token", "tok", "play", "b", "u", "n", "##d", "##er", "##stand", "##able", "##believ", "##ken", "##ized", "##ize", "##iz",
     "##e", "##s", "##ing", "##play", "##un", "##n", "##i", "##r", "##bel", "##ieve", "##t"]
)  # fmt: skip


def _known_word(g) -> str:
    starts = [piece for piece in VOCAB if not piece.startswith("##")]
    goes_on = [piece[2:] for piece in VOCAB if piece.startswith("##")]
    return starts[integer(g, 0, len(starts) - 1)] + "".join(
        goes_on[integer(g, 0, len(goes_on) - 1)] for _ in range(integer(g, 2, 5))
    )


longest_match = Code(
    "07.longest_match",
    title="The longest match",
    points=3, minutes=12, difficulty=2,
    reference=_longest_match,
    axes=["tokens"],
    cases=[
        Case("in three pieces", lambda g: (["tokenized", "unplayable", "understands", "believable"][integer(g, 0, 3)] + ["s", "ing"][integer(g, 0, 1)], VOCAB)),
        Case("a longer piece wins", lambda g: ("unders" + "ing" * integer(g, 1, 2), VOCAB)),
        Case("a piece longer than all that begin a word", lambda g: ("un" * integer(g, 0, 1) + "unbelievable", ["un", "##un", "##believ", "##able", "##believable"])),
        Case("a random word of pieces", lambda g: (_known_word(g), VOCAB)),
        Case("another random word", lambda g: (_known_word(g) + _known_word(g), VOCAB)),
        Case("in the vocabulary as it is", lambda g: ("token", VOCAB)),
        Case("the same word, another vocabulary, a dictionary", lambda g: ("token", {"to": 0, "tok": 1, "##e": integer(g, 2, 9), "##en": 10, "##ken": 11, "##n": 12})),
        Case("a dead end after the longest piece", lambda g: (["abcd", "abcdcd"][integer(g, 0, 1)], ["a", "ab", "abc", "##bcd", "##cd"])),
        Case("unknown from the start", lambda g: (["xun", "ßplay"][integer(g, 0, 1)], VOCAB)),
        Case("known only inside a word", lambda g: (["sun", "tun", "tstand", "sable"][integer(g, 0, 3)], VOCAB)),
        Case("a capital letter", lambda g: (["Token", "playEr"][integer(g, 0, 1)], VOCAB)),
        Case("signs", lambda g: ("3x" + "5" * integer(g, 1, 2), ["3", "##.", "##5", "##.5", "##+"])),
        Case("unknown at the end", lambda g: (["unx", "tokenizedß", "playz"][integer(g, 0, 2)], VOCAB)),
        Case("unknown in the middle", lambda g: (["unxable", "playwing"][integer(g, 0, 1)], VOCAB)),
        Case("only as a beginning", lambda g: (["playto", "unb", "underu"][integer(g, 0, 2)], VOCAB)),
        Case("letter by letter", lambda g: ("n" * integer(g, 3, 6), VOCAB)),
        Case("an empty word", lambda g: ("", VOCAB)),
        Case("an empty vocabulary", lambda g: ("play" * integer(g, 1, 2), [])),
    ],
    hints=[
        "Stand at the start of the word. Try the whole rest first, then one letter less, and so on, until a piece is in the vocabulary.",
        "A piece that doesn't begin the word has ## in front when you look it up, and in the result.",
        "If not even one letter is found, the whole word is [\"[UNK]\"], whatever was found before.",
    ],
)  # fmt: skip


def _match(
    word,
    vocab,
    goes_on=lambda start: "" if start == 0 else "##",
    shortest=False,
    unknown=lambda tokens, rest: [UNKNOWN],
    written=None,
):
    tokens, start = [], 0
    while start < len(word):
        ends = range(start + 1, len(word) + 1) if shortest else range(len(word), start, -1)
        end = next((end for end in ends if goes_on(start) + word[start:end] in vocab), None)
        if end is None:
            return unknown(tokens, word[start:])
        tokens.append((goes_on if written is None else written)(start) + word[start:end])
        start = end
    return tokens


@longest_match.mistake(
    "You take the shortest piece that fits. Begin with the longest: the whole rest of the word, then one letter less."
)
def shortest_first(word, vocab):
    return _match(word, vocab, shortest=True)


@longest_match.mistake(
    "You look for the pieces inside a word without their ##. “able” at the beginning of a word and “##able” inside it are two different tokens."
)
def no_marks(word, vocab):
    return _match(word, vocab, goes_on=lambda start: "")


@longest_match.mistake("You find the pieces with their ##, but don't return it. The token is “##able”.")
def marks_lost(word, vocab):
    return _match(word, vocab, written=lambda start: "")


@longest_match.mistake(
    "You put ## before the first piece as well. It says that a piece goes on with a word; the first one begins it."
)
def marked_from_the_start(word, vocab):
    return _match(word, vocab, goes_on=lambda start: "##")


@longest_match.mistake(
    "You keep the pieces before the place that isn't known. As soon as one place fits nothing, the whole word is [UNK]."
)
def keeps_the_beginning(word, vocab):
    return _match(word, vocab, unknown=lambda tokens, rest: [*tokens, UNKNOWN])


@longest_match.mistake(
    "You drop what isn't known, so a reader can't see that something is missing. The whole word becomes [UNK]."
)
def drops_the_rest(word, vocab):
    return _match(word, vocab, unknown=lambda tokens, rest: tokens)


@longest_match.mistake("You skip a letter that isn't known and go on behind it. The whole word becomes [UNK].")
def skips_a_letter(word, vocab):
    tokens, start = [], 0
    while start < len(word):
        mark = "" if start == 0 else "##"
        end = next((end for end in range(len(word), start, -1) if mark + word[start:end] in vocab), None)
        if end is None:
            start += 1
        else:
            tokens.append(mark + word[start:end])
            start = end
    return tokens


@longest_match.mistake("You put one [UNK] in the place of each unknown letter. The whole word becomes a single [UNK].")
def unknown_letters(word, vocab):
    tokens, start = [], 0
    while start < len(word):
        mark = "" if start == 0 else "##"
        end = next((end for end in range(len(word), start, -1) if mark + word[start:end] in vocab), None)
        tokens.append(UNKNOWN if end is None else mark + word[start:end])
        start = start + 1 if end is None else end
    return tokens


@longest_match.mistake(
    "When a piece leads into a dead end you try a shorter one. WordPiece doesn't go back: once it has taken the longest piece, it stays with it, and the word is [UNK]."
)
def goes_back(word, vocab):
    def ways(start):
        if start == len(word):
            return []
        for end in range(len(word), start, -1):
            piece = ("" if start == 0 else "##") + word[start:end]
            if piece in vocab:
                rest = ways(end)
                if rest is not None:
                    return [piece, *rest]
        return None

    found = ways(0)
    return [UNKNOWN] if found is None else found


@longest_match.mistake("You return the word as one text with spaces. Return a list of tokens.")
def as_text(word, vocab):
    return " ".join(_longest_match(word, vocab))


@longest_match.mistake(
    'For a word that isn\'t known you return “[UNK]” as a text. A list comes back in every case: ["[UNK]"].'
)
def unknown_as_text(word, vocab):
    found = _longest_match(word, vocab)
    return UNKNOWN if found == [UNKNOWN] else found


@longest_match.mistake("You read from the end of the word. The longest piece is taken from the front.")
def from_the_end(word, vocab):
    tokens, end = [], len(word)
    while end > 0:
        start = next((start for start in range(end) if ("" if start == 0 else "##") + word[start:end] in vocab), None)
        if start is None:
            return [UNKNOWN]
        tokens.insert(0, ("" if start == 0 else "##") + word[start:end])
        end = start
    return tokens
