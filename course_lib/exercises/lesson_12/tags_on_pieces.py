"""Tags are for words, BERT reads pieces: a word is asked once, at its first."""

from course_lib import bert_heads
from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer

IGNORE = -100
MARKS = bert_heads.MARKS


def _tags_on_pieces(pieces, tags):
    return bert_heads.tags_on_pieces(pieces, tags)


WORDS = ("jim", "went", "to", "Zuko", "in", "Geneva", "and", "sang", "her", "friend", ".", "a", "baker")
ENDINGS = ("son", "ing", "s", "er", "ko", "va", "less", "a", "b")


def _text(g, lengths, padding=0, tags=5):
    """Words of so many pieces between [CLS] and [SEP], and a tag for each, the first and the last not 0."""
    pieces = []
    for n in lengths:
        word = WORDS[integer(g, 0, len(WORDS) - 1)]
        pieces += [word, *(f"##{ENDINGS[integer(g, 0, len(ENDINGS) - 1)]}" for _ in range(n - 1))]
    chosen = [integer(g, 0, tags - 1) for _ in lengths]
    for i in (0, -1):
        if chosen:
            chosen[i] = integer(g, 1, tags - 1)
    return ["[CLS]", *pieces, "[SEP]", *["[PAD]"] * padding], chosen


def _any(g, words, padding=0):
    return _text(g, [integer(g, 1, 3) for _ in range(words)], padding)


def _not_marks(g):
    """Words that look like marks or like pieces: an unknown one, brackets, a #."""
    pieces = ["[CLS]", "her", "[UNK]", "[", "#", "1", "##9", "]", "[SEP]"]
    return pieces, [integer(g, 1, 4) for _ in range(6)]


def _two_texts(g):
    """A pair: a [SEP] in the middle, too."""
    (first, a), (second, b) = _text(g, [1, 2, 1]), _text(g, [2, 1])
    return first + second[1:], a + b


tags_on_pieces = Code(
    "12.tags_on_pieces",
    title="Words have tags, pieces don't",
    points=2,
    minutes=8,
    difficulty=2,
    reference=_tags_on_pieces,
    axes=["list of labels"],
    forbidden=("tags_on_pieces", "first_pieces"),
    cases=[
        Case("one word in two pieces", lambda g: _text(g, [1, 2, 1, 1])),
        Case("no word is cut", lambda g: _text(g, [1] * integer(g, 3, 5))),
        Case("the first word is cut", lambda g: _text(g, [3, 1, 1])),
        Case("the last word is cut", lambda g: _text(g, [1, 1, 3])),
        Case("all words are cut", lambda g: _text(g, [2, 3, 2, 4])),
        Case("two cut words side by side", lambda g: _text(g, [1, 2, 3, 1])),
        Case("with padding", lambda g: _text(g, [1, 2, 1], padding=integer(g, 2, 4))),
        Case("a [SEP] in the middle", _two_texts),
        Case("one word", lambda g: _text(g, [integer(g, 1, 3)])),
        Case("a tag of 0 in the middle", lambda g: (_text(g, [1, 2, 1])[0], [integer(g, 1, 4), 0, integer(g, 1, 4)])),
        Case("no word", lambda g: _text(g, [])),
        Case("nothing at all", lambda g: ([], [])),
        Case("any text", lambda g: _any(g, integer(g, 6, 9), padding=1)),
        Case("many words", lambda g: _any(g, integer(g, 25, 40))),
        Case("an unknown word, brackets, a #", _not_marks),
    ],
    hints=[
        "Go through the pieces. Which of them begin a word? Two kinds don't.",
        "A counter says which word comes next. It moves on only where a word begins.",
        'next_tag = iter(tags); where a piece is no mark and not piece.startswith("##"), the label is next(next_tag), else −100.',
    ],
)


def begins(piece):
    return piece not in MARKS and not piece.startswith("##")


def to_words(pieces, tags, begins):
    """For each piece the tag of the word that it belongs to; `begins` says where the next word's tag is taken."""
    tags, now, each = iter(tags), IGNORE, []
    for piece in pieces:
        now = next(tags) if begins(piece) else now
        each.append(now)
    return each


@tags_on_pieces.variants
def steps(
    pieces,
    tags,
    *,
    counts=begins,
    asked=begins,
    inside=lambda tag: IGNORE,
    mark=lambda tag: IGNORE,
    tag=lambda tag: tag,
    result=lambda pieces, labels: labels,
):
    labels = []
    for piece, word in zip(pieces, to_words(pieces, tags, counts)):
        if asked(piece):
            labels.append(tag(word))
        else:
            labels.append(mark(word) if piece in MARKS else inside(word))
    return result(pieces, labels)


def is_piece(piece):
    return piece.startswith("##")


steps.mistake(
    "Every piece of a word gets its tag with you. Only a word's first piece is asked: −100 at the others.",
    inside=lambda tag: tag,
)
steps.mistake(
    "Pieces that go on a word have the label 0 with you. 0 is a tag; nothing is asked there: −100.",
    inside=lambda tag: 0,
)
steps.mistake("Marks have the label 0 with you. 0 is a tag; nothing is asked there: −100.", mark=lambda tag: 0)
steps.mistake(
    "Where nothing is asked you write 0. 0 is a tag: then BERT is trained to say it there. −100 is what cross_entropy leaves out.",
    inside=lambda tag: 0,
    mark=lambda tag: 0,
)
for other, reads in ((-1, "−1"), (100, "100, without the minus"), (None, "None")):
    steps.mistake(
        f"Where nothing is asked you write {reads}. cross_entropy leaves out −100.",
        inside=lambda tag, other=other: other,
        mark=lambda tag, other=other: other,
    )
steps.mistake("Marks are tagged with the word before them. They are no words: −100.", mark=lambda tag: tag)
steps.mistake(
    "Pieces and marks get the tag of the word before them. Only a word's first piece is asked: −100 at all others.",
    inside=lambda tag: tag,
    mark=lambda tag: tag,
)
steps.mistake("The tags are in the wrong places: 1 is added to each.", tag=lambda tag: tag + 1)
steps.mistake(
    "It is turned round: the first pieces have −100, the others the tag.",
    tag=lambda tag: IGNORE,
    inside=lambda tag: tag,
)
steps.mistake(
    "The pieces with ## are left out of your list. Each piece has a label, −100 at these: as many labels as pieces.",
    result=lambda pieces, labels: [each for piece, each in zip(pieces, labels) if not is_piece(piece)],
)
steps.mistake(
    "The marks are left out of your list. Each piece has a label, −100 at these: as many labels as pieces.",
    result=lambda pieces, labels: [each for piece, each in zip(pieces, labels) if piece not in MARKS],
)
steps.mistake(
    "Only the words' tags come back. Each piece has a label, −100 where nothing is asked: as many labels as pieces.",
    result=lambda pieces, labels: [each for piece, each in zip(pieces, labels) if begins(piece)],
)
steps.mistake(
    "[CLS] and [SEP] of one text are left out: −100 stands there. As many labels as pieces.",
    result=lambda pieces, labels: labels[1:-1],
)
steps.mistake(
    "Each label comes with its piece. Only the labels are asked for.",
    result=lambda pieces, labels: list(zip(pieces, labels)),
)
steps.mistake(
    "The places that are asked for come out. The labels are asked for, one for each piece.",
    result=lambda pieces, labels: [i for i, piece in enumerate(pieces) if begins(piece)],
)
steps.mistake(
    "Ones and zeros come out, which places are asked. At these the word's tag should stand, at all others −100.",
    result=lambda pieces, labels: [int(begins(piece)) for piece in pieces],
)
steps.mistake(
    "Your labels are texts. Numbers are asked for: the tags as they came in, and −100.",
    result=lambda pieces, labels: [str(each) for each in labels],
)
steps.mistake("The labels are in reverse order.", result=lambda pieces, labels: labels[::-1])


def in_turn(sentence, takes, fill=IGNORE):
    """Whoever `takes` a tag takes the next, as long as there are any; then `fill`."""

    @tags_on_pieces.mistake(sentence)
    def taken(pieces, tags):
        left = iter(tags)
        return [next(left, fill) if takes(piece) else IGNORE for piece in pieces]


in_turn(
    "Your pieces with ## are counted as words, and the tags run out of step. Count words, not pieces: nothing is taken at a ##.",
    lambda piece: piece not in MARKS,
)
in_turn(
    "[CLS] takes the first word's tag with you, and all are moved. Marks are no words.",
    lambda piece: not is_piece(piece),
)
in_turn("Marks and pieces with ## take tags as if they were words. Neither does.", lambda piece: True)
in_turn(
    "[SEP] in the middle takes a tag with you: it is a mark, too, as [CLS] and [PAD] are.",
    lambda piece: piece not in ("[CLS]", "[PAD]") and not is_piece(piece),
)
in_turn(
    "All that begins with [ is a mark with you. A bracket is a word, and so is [UNK], an unknown one: [CLS], [SEP] and [PAD] alone are marks.",
    lambda piece: not piece.startswith("[") and not is_piece(piece),
)
in_turn(
    "All that stands in brackets is a mark with you. [UNK] is a word, an unknown one: [CLS], [SEP] and [PAD] alone are marks.",
    lambda piece: not (piece.startswith("[") and piece.endswith("]")) and not is_piece(piece),
)
in_turn(
    "A piece with one # in front goes on a word with you. It takes two: # alone is a word.",
    lambda piece: piece not in MARKS and not piece.startswith("#"),
)
in_turn("The last piece of a cut word isn't meant: you take tags at pieces with ## alone.", is_piece)


def with_index(sentence, index, asked=begins):
    """The tag with this index: of the place, and of the pieces so far."""

    @tags_on_pieces.mistake(sentence)
    def indexed(pieces, tags):
        return [tags[index(i, pieces)] if asked(piece) else IGNORE for i, piece in enumerate(pieces)]


with_index(
    "tags[i − 1] takes the *piece's* place for the word's number; a cut word moves all that follow. Count the words.",
    lambda i, pieces: i - 1,
)
with_index(
    "Your index passes the last tag: the first word has tags[0]. Is it the *piece's* place? Does [CLS] count? Does the counter move before the tag is taken?",
    lambda i, pieces: i,
)
with_index(
    "Each word gets the tag of the word before it: tags[-1], the last, at the first. The counter is one behind.",
    lambda i, pieces: sum(map(begins, pieces[:i])) - 1,
)
with_index("Your counter doesn't move: every word gets the first tag.", lambda i, pieces: 0)


@tags_on_pieces.mistake("A cut word is asked at its *last* piece with you. Its first is asked: the one without ##.")
def at_the_last_piece(pieces, tags):
    each = to_words(pieces, tags, begins)
    after = [*pieces[1:], "[SEP]"]
    return [
        tag if piece not in MARKS and not is_piece(following) else IGNORE
        for piece, following, tag in zip(pieces, after, each)
    ]


@tags_on_pieces.mistake("Words that are cut aren't asked at all with you. They are, at their first piece.")
def whole_words_alone(pieces, tags):
    after = [*pieces[1:], "[SEP]"]
    labels = _tags_on_pieces(pieces, tags)
    return [IGNORE if is_piece(following) else label for label, following in zip(labels, after)]


@tags_on_pieces.mistake(
    "Your loop ends with the shorter of the two lists, zip(pieces, tags). Go through the pieces, and count the words."
)
def zipped(pieces, tags):
    return [tag if begins(piece) else IGNORE for piece, tag in zip(pieces, tags)]


@tags_on_pieces.mistake("[PAD] is a word with you, and no tag is left for it. It is a mark as [CLS] and [SEP] are.")
def padding_is_a_word(pieces, tags):
    labels, word = [], 0
    for piece in pieces:
        if piece in ("[CLS]", "[SEP]") or is_piece(piece):
            labels.append(IGNORE)
        else:
            labels.append(tags[word])
            word += 1
    return labels


@tags_on_pieces.mistake(
    "You stop at the first [SEP]. A pair has a second one, and padding may follow: each piece has a label."
)
def up_to_the_first_sep(pieces, tags):
    end = pieces.index("[SEP]") + 1 if "[SEP]" in pieces else 0
    return _tags_on_pieces(pieces, tags)[:end]


@tags_on_pieces.mistake("Nothing is asked anywhere with you: −100 stands at the words, too.")
def nothing_asked(pieces, tags):
    return [IGNORE] * len(pieces)


@tags_on_pieces.symptom("")
def the_first_wrong_label(inputs, answer):
    """What stands at the first place that is wrong."""
    pieces = inputs[0]
    right, answer = _tags_on_pieces(*inputs), list(answer)
    if len(answer) != len(pieces):
        return f"There are {len(pieces)} pieces and {len(answer)} labels: each piece has one."
    place = next(i for i, pair in enumerate(zip(answer, right)) if pair[0] != pair[1])
    piece, own = pieces[place], answer[place]
    if says := _another_tag_taken(*inputs, right, answer):
        return says
    if answer == [*right[1:], IGNORE]:
        return "All your labels stand one place too early: [CLS] has one, too, −100."
    if answer == [IGNORE, *right[:-1]]:
        return "All your labels stand one place too late."
    again = f" “{piece}” stands more than once in this text: each time it is a word, with a tag of its own."
    again = again if pieces.count(piece) > 1 else ""
    if piece in MARKS:
        return f"{piece}, at place {place}, is a mark: nothing is asked there, −100; yours has {own!r}."
    if is_piece(piece):
        return f"“{piece}”, at place {place}, goes on a word: nothing is asked there, −100; yours has {own!r}."
    word = sum(map(begins, pieces[:place]))
    if own == IGNORE:
        return f"“{piece}”, at place {place}, begins word {word}, counted from 0, and isn't asked with you. Its tag is {right[place]}.{again}"
    return f"“{piece}”, at place {place}, begins word {word}, counted from 0: its tag is tags[{word}] = {right[place]}, and yours is {own!r}.{again}"


def _another_tag_taken(pieces, tags, right, answer):
    """By which other index the words' tags are taken, where that explains all of them that it reaches."""
    asked = [i for i, piece in enumerate(pieces) if begins(piece)]
    if [own for i, own in enumerate(answer) if i not in asked] != [IGNORE] * (len(pieces) - len(asked)):
        return None
    first, cut = pieces[asked[0]], next((k for k, i in enumerate(asked) if i != asked[0] + k), 0)
    for says, index in {
        f"The counter is one ahead: “{first}”, word 0, has tags[1]. Take the tag first, then move on.": lambda k, i: (
            k + 1
        ),
        f"The counter is one behind: “{pieces[asked[-1]]}”, the last word, has the tag of the word before it.": lambda k, i: (
            k - 1
        ),
        "The counter doesn't move at a word that is cut. It does at every word: once, at its first piece.": lambda k, i: (
            k - sum(is_piece(pieces[start + 1]) for start in asked[:k])
        ),
        "A word that stands more than once has the tag of its first place with you: index, or a dictionary, finds one alone. Count the words.": lambda k, i: (
            next(n for n, start in enumerate(asked) if pieces[start] == pieces[i])
        ),
        "A word that stands more than once has the tag of its last place with you: a dictionary holds one alone. Count the words.": lambda k, i: (
            max(n for n, start in enumerate(asked) if pieces[start] == pieces[i])
        ),
        f"You count pieces, not words: at “{pieces[asked[cut]]}”, place {asked[cut]}, the tag is taken by the number of *pieces* so far. It is word {cut}, counted from 0, and has tags[{cut}].": lambda k, i: (
            i - 1
        ),
        f"The tag is taken by the piece's place in the whole list, [CLS] counted: “{first}”, at place {asked[0]}, has tags[{asked[0]}]. It is word 0.": lambda k, i: (
            i
        ),
    }.items():
        taken = [(i, index(k, i)) for k, i in enumerate(asked)]
        reached = [(i, k) for i, k in taken if 0 <= k < len(tags)]
        if any(right[i] != answer[i] for i, _ in reached) and all(answer[i] == tags[k] for i, k in reached):
            return says
    return None
