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


def _all_pieces(g):
    word = "notwithstanding" + "s" * integer(g, 0, 2)
    ends = range(1, len(word) + 1)
    return word, [word[:end] for end in ends] + [f"##{word[i:end]}" for end in ends for i in range(1, end)]


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
        Case(
            "the fewest pieces are others",
            lambda g: ("abcdef" + "f" * integer(g, 0, 2), ["abcd", "abc", "a", "##e", "##f", "##def", "##cdef", "##b"]),
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
        Case("the beginning of a token", lambda g: (_one_of(g, "unde", "toke", "unbelie"), VOCAB)),
        Case("a capital letter", lambda g: (_one_of(g, "Token", "Tokens"), VOCAB)),
        Case("a capital inside", lambda g: (_one_of(g, "playEr", "unDer"), VOCAB)),
        Case("signs", lambda g: ("3x" + "5" * integer(g, 1, 2), ["3", "##.", "##5", "##.5", "##+"])),
        Case("unknown at the end", lambda g: (_one_of(g, "unx", "tokenizedß", "playz"), VOCAB)),
        Case("unknown in the middle", lambda g: (_one_of(g, "unxable", "playwing"), VOCAB)),
        Case("only as a beginning", lambda g: (_one_of(g, "playto", "unb", "underu"), VOCAB)),
        Case("letter by letter", lambda g: ("n" * integer(g, 3, 6), VOCAB)),
        Case(
            "a # among the tokens",
            lambda g: (_one_of(g, "ab", "nb"), ["a", "n", "b", "a##", "n##", "#", "#b", "###b", "##c"]),
        ),
        Case(
            "single letters only",
            lambda g: (
                "".join("abc"[integer(g, 0, 2)] for _ in range(6)) + "d",
                ["a", "b", "c", *(f"##{x}" for x in "abcd")],
            ),
        ),
        Case(
            "a longer piece in the middle",
            lambda g: ("abcde" + "e" * integer(g, 0, 2), ["ab", "a", "##bcd", "##cd", "##b", "##c", "##d", "##e"]),
        ),
        Case("a long word with all its pieces", _all_pieces),
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


def in_vocabulary(piece, vocab):
    return piece in vocab


def pieces(word, vocab, mark=marked, ends=longest_first, known=in_vocabulary, shown=lambda piece, start: piece):
    """All pieces of a word, with None for each letter where nothing fits."""
    start = 0
    while start < len(word):
        fits = (end for end in ends(start, len(word)) if known(mark(start) + word[start:end], vocab))
        end = next(fits, None)
        yield shown(mark(start) + word[start:end], start) if end else None
        start = end or start + 1


def or_unknown(found):
    return [UNKNOWN] if None in found else found


@longest_match.variants
def steps(
    word,
    vocab,
    *,
    read=str,
    mark=marked,
    ends=longest_first,
    known=in_vocabulary,
    shown=lambda piece, start: piece,
    tokens=or_unknown,
):
    return tokens(list(pieces(read(word), vocab, mark, ends, known, shown)))


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
    "You keep the pieces before the place that isn't known, and put ##[UNK] behind them. As soon as one place fits nothing, the whole word is [UNK].",
    tokens=lambda found: (
        [*found[: found.index(None)], "##" * (found.index(None) > 0) + UNKNOWN] if None in found else found
    ),
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
    "You skip letters that aren't known, and a word is [UNK] only if nothing is left. One place where nothing fits makes the whole word [UNK].",
    tokens=lambda found: [piece for piece in found if piece] or [UNKNOWN] * bool(found),
)
steps.mistake(
    "You skip letters that aren't known, and whatever comes out empty is [UNK]. One place where nothing fits makes the whole word [UNK]; an empty word has no tokens.",
    tokens=lambda found: [piece for piece in found if piece] or [UNKNOWN],
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


steps.mistake(
    "Every word comes out as [UNK]: its last letter is never part of a piece. Try the whole rest of the word first, range(len(word), start, -1), and leave the letters as they are.",
    ends=lambda start, length: range(length - 1, start, -1),
)
steps.mistake(
    "You never try a single letter: range stops before its end, so the loop is range(len(word), start, -1).",
    ends=lambda start, length: range(length, start + 1, -1),
)
steps.mistake(
    "You make small letters of capitals. Here they are other letters: a word with an unknown capital is [UNK].",
    read=str.lower,
)
steps.mistake(
    "You ignore the difference of capitals and small letters when you look a piece up. Here they are different letters.",
    known=lambda piece, vocab: piece.lower() in vocab,
)
steps.mistake(
    "You look the pieces up without ## and put it in front afterwards. “able” and “##able” are two tokens: look up what you return.",
    mark=lambda start: "",
    shown=lambda piece, start: marked(start) + piece,
)
steps.mistake(
    "You take a piece with or without its ##, whichever is there. A beginning needs a token without, all that follows one with ##.",
    known=lambda piece, vocab: {piece, piece.removeprefix("##"), "##" + piece.removeprefix("##")} & {*vocab},
)
steps.mistake(
    "Inside a word you also take a piece without ##. “able” begins a word; inside it only “##able” is a token.",
    known=lambda piece, vocab: piece in vocab or piece.removeprefix("##") in vocab,
)
steps.mistake(
    "You begin a word with a piece that stands in the vocabulary with ## only. That one is for the inside of words.",
    known=lambda piece, vocab: piece in vocab or "##" + piece in vocab,
)
steps.mistake(
    "You take a piece for known when some token begins with it. The piece itself must be in the vocabulary.",
    known=lambda piece, vocab: any(token.startswith(piece) for token in vocab),
)
steps.mistake(
    "You take a piece for known when it stands inside some token. The piece itself must be in the vocabulary.",
    known=lambda piece, vocab: any(piece in token for token in vocab),
)
steps.mistake("You put one # in front. It's two: ##.", shown=lambda piece, start: piece.replace("##", "#"))
steps.mistake(
    "You put ## behind the piece that is followed by another. It stands in front of the one that goes on.",
    shown=lambda piece, start: piece.removeprefix("##") + "##" * (start > 0),
)
steps.mistake(
    'For a word that isn\'t known you return an empty list. It should be ["[UNK]"], so that a reader sees that something stood there.',
    tokens=lambda found: [] if None in found else found,
)
steps.mistake(
    'For a word that isn\'t known you return None. It should be ["[UNK]"].',
    tokens=lambda found: None if None in found else found,
)
steps.mistake(
    "Your sign for an unknown word is another one. It is written [UNK], with brackets and capitals.",
    tokens=lambda found: ["UNK"] if None in found else found,
)
steps.mistake("Your [unk] is written small. It is [UNK].", tokens=lambda found: ["[unk]"] if None in found else found)
steps.mistake("Your tokens come in reverse order.", tokens=lambda found: or_unknown(found)[::-1])
steps.mistake(
    "You drop pieces that come twice. Each place of the word has its own token.",
    tokens=lambda found: [*dict.fromkeys(or_unknown(found))],
)
steps.mistake(
    "Each of your tokens is a list. Return one list of texts: append(piece), not append([piece]).",
    tokens=lambda found: [[piece] for piece in or_unknown(found)],
)
steps.mistake(
    "Only the first piece comes back. Go on behind it until the word ends.", tokens=lambda found: or_unknown(found)[:1]
)
steps.mistake(
    "You put [CLS] and [SEP] around the tokens. They belong to a whole text; here only a word is cut.",
    tokens=lambda found: ["[CLS]", *or_unknown(found), "[SEP]"],
)


steps.mistake(
    "You try only every second length: the loop over the ends has a step of 2. Try all of them: range(len(word), start, -1).",
    ends=lambda start, length: range(length, start, -2),
)
for limit in range(2, 13):
    steps.mistake(
        f"You try pieces of at most {limit} letters. A token may be longer: begin with the whole rest of the word.",
        ends=lambda start, length, limit=limit: range(min(start + limit, length), start, -1),
    )
steps.mistake(
    "You try one letter at a time, and nothing longer. Begin with the whole rest of the word.",
    ends=lambda start, length: range(start + 1, start, -1),
)
steps.mistake(
    "Only the whole word is looked up, or the whole rest, never a shorter piece. Take one letter less, and again, until something fits.",
    ends=lambda start, length: range(length, length - 1, -1),
)
steps.mistake(
    "You try every second length, beginning with the shortest. Begin with the longest, and leave none out: range(len(word), start, -1).",
    ends=lambda start, length: range(start + 1, length + 1, 2),
)
steps.mistake(
    "The pieces inside a word have one letter too few: you take the ## for letters of it. Count the word's letters alone.",
    mark=marked,
    shown=lambda piece, start: piece[:-1] if start else piece,
)
steps.mistake("The word is turned round before it is cut. Read it from its beginning.", read=lambda word: word[::-1])
steps.mistake("The first letter of the word is left out.", read=lambda word: word[1:])
steps.mistake("The last letter of the word is left out.", read=lambda word: word[:-1])
steps.mistake("In front of each token stands its ## once more.", shown=lambda piece, start: marked(start) + piece)
steps.mistake("There is a space between ## and the piece.", shown=lambda piece, start: piece.replace("##", "## "))
steps.mistake(
    '[UNK] goes with the mark ##. It stands for the whole word: ["[UNK]"].',
    tokens=lambda found: ["##" + UNKNOWN] if None in found else found,
)
steps.mistake(
    "For an empty word you return [UNK]. It has no letters, so no tokens: an empty list.",
    tokens=lambda found: or_unknown(found) or [UNKNOWN],
)
steps.mistake(
    "For an empty word you return an empty text in a list. It has no letters, so no tokens: an empty list.",
    tokens=lambda found: or_unknown(found) or [""],
)
steps.mistake(
    "You return the last piece only. All pieces are asked for, from the first to the last.",
    tokens=lambda found: or_unknown(found)[-1:],
)
steps.mistake(
    "You return the tokens as one text. What comes back is a list.", tokens=lambda found: "".join(or_unknown(found))
)


steps.mistake(
    "You make a small letter of the first one. A capital is another letter: a word with an unknown capital is [UNK].",
    read=lambda word: word[:1].lower() + word[1:],
)
steps.mistake(
    "The first piece is the shortest that fits, the others the longest. The longest is meant from the beginning.",
    ends=lambda start, length: longest_first(start, length) if start else range(1, length + 1),
)
steps.mistake(
    "You put ## behind each piece that is followed by another. It stands in front of those that go on.",
    tokens=lambda found: (
        or_unknown(found)
        if None in found
        else [p.removeprefix("##") + "##" for p in found[:-1]] + [p.removeprefix("##") for p in found[-1:]]
    ),
)


@longest_match.mistake(
    "You look for pieces with ## behind them, as on the lecture's slide. Here the mark stands in front of each piece that has another before it: ##able."
)
def mark_behind(word, vocab):
    tokens, start = [], 0
    while start < len(word):
        ends = longest_first(start, len(word))
        found = next((p for end in ends if (p := word[start:end] + "##" * (end < len(word))) in vocab), None)
        if found is None:
            return [UNKNOWN]
        tokens.append(found)
        start += len(found) - 2 * found.endswith("##")
    return tokens


@longest_match.mistake(
    "Inside a word you also take a piece without ##, where there is none with it. “able” begins a word; inside it only “##able” is a token."
)
def either_inside(word, vocab):
    tokens, start = [], 0
    while start < len(word):
        ways = ((end, m + word[start:end]) for end in longest_first(start, len(word)) for m in (marked(start), ""))
        start, piece = next(((end, piece) for end, piece in ways if piece in vocab), (start, None))
        if piece is None:
            return [UNKNOWN]
        tokens.append(piece)
    return tokens


@longest_match.mistake(
    "You go on len(token) letters further, which counts the two # of the mark as well. Go on where the piece ends: start = end."
)
def counts_the_mark(word, vocab):
    tokens, start = [], 0
    while start < len(word):
        end = next((end for end in longest_first(start, len(word)) if marked(start) + word[start:end] in vocab), None)
        if end is None:
            return [UNKNOWN]
        tokens.append(marked(start) + word[start:end])
        start += len(tokens[-1])
    return tokens


@longest_match.mistake("Only the second piece is looked up with ##. Every piece that doesn't begin the word has it.")
def second_piece_alone(word, vocab):
    tokens, start = [], 0
    while start < len(word):
        mark = "##" * (len(tokens) == 1)
        end = next((end for end in longest_first(start, len(word)) if mark + word[start:end] in vocab), None)
        if end is None:
            return [UNKNOWN]
        tokens.append(mark + word[start:end])
        start = end
    return tokens


@longest_match.mistake(
    "vocab[piece] looks a piece up in a dictionary; the vocabulary may be a list, too. Ask for piece in vocab: that works for both."
)
def as_a_dictionary(word, vocab):
    def has(piece, vocab):
        try:
            vocab[piece]
        except KeyError:
            return False
        return True

    return steps(word, vocab, known=has)


@longest_match.mistake(
    "vocab.get(piece) works for a dictionary; the vocabulary may be a list, too. Ask for piece in vocab: that works for both."
)
def by_get(word, vocab):
    return steps(word, vocab, known=lambda piece, vocab: vocab.get(piece) is not None)


@longest_match.symptom("A word that can't be cut comes back letter by letter. The whole word becomes a single [UNK].")
def letter_by_letter(inputs, answer):
    word, vocab = inputs
    return _longest_match(word, vocab) == [UNKNOWN] and [token.removeprefix("##") for token in answer] == list(word)


@longest_match.mistake(
    "You cut in two pieces only: the longest beginning, and the whole rest. Cut the rest in the same way, until the word ends."
)
def two_pieces(word, vocab):
    first = _longest_match(word, vocab)[:1] if word else []
    end = next((end for end in longest_first(0, len(word)) if word[:end] in vocab), None)
    if not word or end == len(word):
        return first
    return [word[:end], "##" + word[end:]] if end and "##" + word[end:] in vocab else [UNKNOWN]


@longest_match.mistake(
    "After a piece you go on one letter further, not behind it: pieces overlap. Go on where the piece ends: start = end."
)
def one_letter_further(word, vocab):
    tokens = []
    for start in range(len(word)):
        end = next((end for end in longest_first(start, len(word)) if marked(start) + word[start:end] in vocab), None)
        if end is None:
            return [UNKNOWN]
        tokens.append(marked(start) + word[start:end])
    return tokens


@longest_match.mistake(
    "The longest piece anywhere in the word is taken first. WordPiece begins at the front: the longest piece there, then the longest of the rest."
)
def longest_anywhere(word, vocab):
    def cut(start, end):
        if start == end:
            return []
        places = [(a, b) for a in range(start, end) for b in range(a + 1, end + 1)]
        fits = [(a, b) for a, b in places if marked(a) + word[a:b] in vocab]
        if not fits:
            return [None]
        a, b = max(fits, key=lambda place: (place[1] - place[0], -place[0]))
        return [*cut(start, a), marked(a) + word[a:b], *cut(b, end)]

    return or_unknown(cut(0, len(word)))


@longest_match.mistake(
    "For a word that isn't known you return the word. It isn't in the vocabulary: return [\"[UNK]\"]."
)
def the_word_itself(word, vocab):
    return [word if token == UNKNOWN else token for token in _longest_match(word, vocab)]


@longest_match.mistake(
    "You search for the cut with the fewest pieces. WordPiece doesn't look ahead: it takes the longest piece from the front, whatever that costs later."
)
def fewest_pieces(word, vocab):
    best = {0: []}
    for end in range(1, len(word) + 1):
        ways = [
            [*best[start], marked(start) + word[start:end]]
            for start in range(end)
            if start in best and marked(start) + word[start:end] in vocab
        ]
        if ways:
            best[end] = min(ways, key=len)
    return best.get(len(word), [UNKNOWN])


@longest_match.mistake(
    "You put ## in front of the rest and cut that. But a token such as # or #1 then takes a piece of the mark, and the word may never end. Keep word and mark apart: the mark goes on the piece that you look up."
)
def cuts_the_mark(word, vocab):
    tokens = []
    while word:
        end = next((end for end in longest_first(0, len(word)) if word[:end] in vocab), None)
        if end is None:
            return [UNKNOWN]
        tokens.append(word[:end])
        word = word[end:] and "##" + word[end:]
    return tokens


@longest_match.mistake("You take the first token of the vocabulary that fits. Of all that fit, the longest is meant.")
def first_of_the_vocabulary(word, vocab):
    tokens, start = [], 0
    while start < len(word):
        rest = marked(start) + word[start:]
        token = next((t for t in vocab if len(t) > len(marked(start)) and rest.startswith(t)), None)
        if token is None:
            return [UNKNOWN]
        tokens.append(token)
        start += len(token) - len(marked(start))
    return tokens


@longest_match.mistake("You return positions in the vocabulary. The tokens themselves are asked for, as texts.")
def positions_in_the_vocabulary(word, vocab):
    order = list(vocab)
    return [order.index(token) if token in vocab else -1 for token in _longest_match(word, vocab)]


@longest_match.symptom("These are numbers. The tokens themselves are asked for: texts.")
def numbers(inputs, answer):
    return bool(answer) and all(isinstance(token, int) for token in answer)


@longest_match.symptom(
    "You find no cut for this word, though there is one: from the front, the longest piece in the vocabulary, then the longest of the rest, with ## in front."
)
def found_nothing(inputs, answer):
    return bool(inputs[0]) and answer in ([], [UNKNOWN]) and _longest_match(*inputs) != [UNKNOWN]


@longest_match.symptom("Some items of your list aren't texts. The tokens alone are asked for.")
def no_texts(inputs, answer):
    return not all(isinstance(token, str) for token in answer)


@longest_match.symptom("The right tokens, but in another order. Keep that of the word.")
def another_order(inputs, answer):
    return sorted(answer) == sorted(_longest_match(*inputs))


@longest_match.symptom('[UNK] stands beside other tokens. A word that can\'t be cut is [UNK] alone: ["[UNK]"].')
def unknown_and_others(inputs, answer):
    return UNKNOWN in answer and len(answer) > 1


@longest_match.symptom(
    "What isn't in the vocabulary comes back as a piece. If at some place nothing fits, the whole word is [UNK]."
)
def unknown_as_a_piece(inputs, answer):
    return (
        _longest_match(*inputs) == [UNKNOWN]
        and answer[-1] not in inputs[1]
        and all(piece in inputs[1] for piece in answer[:-1])
    )


@longest_match.symptom(
    "You find no cut for this word: the piece at its beginning isn't the longest, or the rest is looked up only as a whole. Take the longest piece, then the longest of the rest, and so on."
)
def gives_up_early(inputs, answer):
    word, vocab = inputs
    return answer == [UNKNOWN] and len(_longest_match(word, vocab)) > 2


@longest_match.symptom("Some of your tokens aren't in the vocabulary. Only what stands there, with its ##, is a token.")
def not_in_the_vocabulary(inputs, answer):
    return any(token not in inputs[1] and token != UNKNOWN for token in answer)


@longest_match.symptom(
    "Your first piece has ##, and no ## begins the word. Tokens with ## are for the inside of words: at the beginning look up the piece as it is."
)
def begins_with_the_mark(inputs, answer):
    return answer[:1] != [] and answer[0].startswith("##") and not inputs[0].startswith("#")


@longest_match.symptom(
    "Put together, your tokens don't give the word. Each letter belongs to exactly one piece, from the first to the last."
)
def another_word(inputs, answer):
    word = "".join(token if i == 0 else token.removeprefix("##") for i, token in enumerate(answer))
    return answer != [UNKNOWN] and word != inputs[0]


@longest_match.symptom(
    "You cut a word that is [UNK]. Somewhere the longest piece leads to a place where nothing in the vocabulary fits, or a piece stands at a place that its ## doesn't allow."
)
def cut_though_unknown(inputs, answer):
    return _longest_match(*inputs) == [UNKNOWN] and answer != [UNKNOWN]


@longest_match.symptom(
    "Somewhere you take a piece though a longer one fits there. Begin with the whole rest of the word."
)
def not_the_longest(inputs, answer):
    first = next(i for i, (own, right) in enumerate(zip(answer, _longest_match(*inputs))) if own != right)
    return len(answer[first]) < len(_longest_match(*inputs)[first])


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


@longest_match.mistake(
    "You stop at the first length that doesn't fit. A longer piece may fit again: try all ends, from the whole rest downwards."
)
def grows_while_it_fits(word, vocab):
    tokens, start = [], 0
    while start < len(word):
        ends = range(start + 1, len(word) + 1)
        stop = next((end for end in ends if marked(start) + word[start:end] not in vocab), len(word) + 1) - 1
        if stop == start:
            return [UNKNOWN]
        tokens.append(marked(start) + word[start:stop])
        start = stop
    return tokens


@longest_match.mistake("You look inside a word for pieces with one # in front. It's two: ##.")
def one_hash(word, vocab):
    return steps(word, vocab, mark=lambda start: "#" * (start > 0))


@longest_match.mistake(
    'Before or after [UNK] there is something else. A word that can\'t be cut is [UNK] alone: ["[UNK]"].'
)
def word_and_unknown(word, vocab):
    tokens = _longest_match(word, vocab)
    return [word, UNKNOWN] if tokens == [UNKNOWN] else tokens


@longest_match.mistake("After a piece you leave a letter out. Go on right behind it: start = end.")
def leaves_a_letter_out(word, vocab):
    tokens, start = [], 0
    while start < len(word):
        end = next((end for end in longest_first(start, len(word)) if marked(start) + word[start:end] in vocab), None)
        if end is None:
            return [UNKNOWN]
        tokens.append(marked(start) + word[start:end])
        start = end + 1
    return tokens


@longest_match.mistake(
    "For a word that is a token itself you return the text. A list comes back in every case: [word]."
)
def a_token_as_text(word, vocab):
    return word if word in vocab else _longest_match(word, vocab)
