"""A pair of texts as BERT reads it: cut to fit, with marks and segments."""

from course_lib.bert_heads import longest_first
from course_lib.checking.kinds import Case, Code
from course_lib.corpora import cloze
from course_lib.exercises.inputs import integer

CLS, SEP = 1, 2


def _pair_input(first, second, cls, sep, max_len):
    first, second = longest_first(first, second, max_len - (3 if second else 2))
    return cloze.pair_input(first, second, cls, sep)


def _pair(g, a, b, max_len, cls=CLS, sep=SEP):
    """Two texts of so many tokens, and how long both may be together with their marks."""
    low = max(cls, sep) + 1
    first, second = ([integer(g, low, low + 900) for _ in range(n)] for n in (a, b))
    return first, second, cls, sep, max_len


pair_input = Code(
    "12.pair_input",
    title="Two texts, one input",
    points=3,
    minutes=12,
    difficulty=2,
    reference=_pair_input,
    axes=["ids", "segments"],
    results=("ids", "segments"),
    forbidden=("pair_input", "longest_first"),
    cases=[
        Case("a pair that fits", lambda g: _pair(g, integer(g, 3, 5), 2, 12)),
        Case("it fits exactly", lambda g: _pair(g, 4, 5, 12)),
        Case("one token too many", lambda g: _pair(g, 4, 6, 12)),
        Case("A is far too long", lambda g: _pair(g, integer(g, 12, 15), 3, 11)),
        Case("B is far too long", lambda g: _pair(g, 4, integer(g, 13, 16), 12)),
        Case("both are too long", lambda g: _pair(g, 9, 12, 13)),
        Case("equally long, an odd number too many", lambda g: _pair(g, 8, 8, 16)),
        Case("equally long, an even number too many", lambda g: _pair(g, 8, 8, 15)),
        Case("other marks", lambda g: _pair(g, 6, 4, 10, cls=101, sep=102)),
        Case("a text alone", lambda g: _pair(g, integer(g, 3, 6), 0, 12)),
        Case("a text alone that fits exactly", lambda g: _pair(g, 8, 0, 10)),
        Case("a text alone, too long", lambda g: _pair(g, integer(g, 11, 14), 0, 10)),
        Case("hundreds of tokens", lambda g: _pair(g, integer(g, 90, 120), integer(g, 60, 80), 128)),
    ],
    hints=[
        "How many places do the marks take, with a B and without? What is left is for both texts together.",
        "Cut before you put marks in: while both are too long together, take one token off the end of the longer (of B, where they are equal). Work on copies, list(first): the lists that came in stay as they are.",
        "a = [cls, *first, sep] has segment 0 throughout; b = [*second, sep], or [] without a second text, has segment 1.",
    ],
)


def room_for_both(max_len, second):
    return max_len - (3 if second else 2)


def laid(first, second, cls, sep):
    """ids and segments, each a list of three: what A is made of, its [SEP], what B is made of."""
    a, b = [cls, *first, sep], [*second, sep] if second else []
    return a + b, [0] * len(a) + [1] * len(b)


@pair_input.variants
def steps(
    first,
    second,
    cls,
    sep,
    max_len,
    *,
    room=room_for_both,
    cut=longest_first,
    layout=laid,
    ids=lambda ids: ids,
    segments=lambda segments: segments,
    last=lambda ids, segments, max_len: (ids, segments),
):
    all_ids, all_segments = layout(*cut(first, second, max(room(max_len, second), 0)), cls, sep)
    return last(ids(all_ids), segments(all_segments), max_len)


def popping(which, from_end=True):
    """Tokens are taken one by one; `which` says of both texts, and how many went already, whether A loses the next."""

    def cut(first, second, most):
        first, second, gone = list(first), list(second), 0
        while len(first) + len(second) > most:
            loser = first if (which(first, second, gone) and first) or not second else second
            loser.pop(-1 if from_end else 0)
            gone += 1
        return first, second

    return cut


steps.mistake(
    "All segments are 0 with you: then BERT can't tell A from B. B and its [SEP] have segment 1.",
    segments=lambda segments: [0] * len(segments),
)
steps.mistake(
    "All segments are 1 with you. A has segment 0, with [CLS] and its own [SEP].",
    segments=lambda segments: [1] * len(segments),
)
steps.mistake(
    "The segments are turned round: A has 0, B has 1.", segments=lambda segments: [1 - each for each in segments]
)
steps.mistake(
    "Your segments are 1 and 2. They are rows of a table of two: A has 0, B has 1.",
    segments=lambda segments: [1 + each for each in segments],
)
steps.mistake(
    "The segments are True and False. Whole numbers are asked for, 0 and 1.",
    segments=lambda segments: [bool(each) for each in segments],
)
steps.mistake(
    "A's own [SEP] has segment 1 with you. It ends A: segment 0.",
    segments=lambda segments: [
        1 if i + 1 < len(segments) and segments[i + 1] == 1 else each for i, each in enumerate(segments)
    ],
)
steps.mistake(
    "A's own [SEP] has segment 1 with you, a text alone's, too. It ends A: segment 0.",
    segments=lambda segments: [0] * (segments.count(0) - 1) + [1] * (segments.count(1) + 1),
)
steps.mistake(
    "The last [SEP] has segment 0 with you. It ends B: segment 1.", segments=lambda segments: [*segments[:-1], 0]
)
steps.mistake(
    "B's first token has segment 0 with you. It is B's already: segment 1.",
    segments=lambda segments: [each and segments[i - 1] for i, each in enumerate(segments)],
)


def other_layout(sentence, a, b, alone=None):
    """`a` and `b` make of a text and the marks what stands there; `alone` what of a text without a second."""

    def layout(first, second, cls, sep):
        if not second and alone is None:
            return laid(first, second, cls, sep)
        left, right = (a(first, cls, sep), b(second, cls, sep)) if second else alone(first, cls, sep)
        return left + right, [0] * len(left) + [1] * len(right)

    steps.mistake(sentence, layout=layout)


other_layout(
    "There is one [SEP] with you, at the end. A ends with one, too: [CLS] A [SEP] B [SEP].",
    lambda t, cls, sep: [cls, *t],
    lambda t, cls, sep: [*t, sep],
)
other_layout(
    "There is one [SEP] with you, between the texts. B ends with one, too: [CLS] A [SEP] B [SEP].",
    lambda t, cls, sep: [cls, *t, sep],
    lambda t, cls, sep: [*t],
)
other_layout(
    "There is one [SEP] with you, between the texts, and a text alone has none. Each text ends with one: [CLS] A [SEP] B [SEP].",
    lambda t, cls, sep: [cls, *t, sep],
    lambda t, cls, sep: [*t],
    lambda t, cls, sep: ([cls, *t], []),
)
other_layout(
    "The [SEP] between the texts is counted to B with you. It ends A: segment 0. And B's own is missing.",
    lambda t, cls, sep: [cls, *t],
    lambda t, cls, sep: [sep, *t],
)
other_layout(
    "There are no [SEP]s with you. Each text ends with one: [CLS] A [SEP] B [SEP].",
    lambda t, cls, sep: [cls, *t],
    lambda t, cls, sep: [*t],
    lambda t, cls, sep: ([cls, *t], []),
)
other_layout(
    "[CLS] is missing, the place that a classifier reads: [CLS] A [SEP] B [SEP].",
    lambda t, cls, sep: [*t, sep],
    lambda t, cls, sep: [*t, sep],
    lambda t, cls, sep: ([*t, sep], []),
)
other_layout(
    "B begins with a second [CLS] with you. There is one, in front of both: [CLS] A [SEP] B [SEP].",
    lambda t, cls, sep: [cls, *t, sep],
    lambda t, cls, sep: [cls, *t, sep],
)
other_layout(
    "B begins with a [SEP] of its own, so there are two in the middle: [CLS] A [SEP] B [SEP].",
    lambda t, cls, sep: [cls, *t, sep],
    lambda t, cls, sep: [sep, *t, sep],
)
other_layout(
    "A text alone ends with two [SEP]s with you. Without a B its [SEP] isn't there either: [CLS] A [SEP].",
    lambda t, cls, sep: [cls, *t, sep],
    lambda t, cls, sep: [*t, sep],
    lambda t, cls, sep: ([cls, *t, sep], [sep]),
)
other_layout(
    "[CLS] and [SEP] have changed places.",
    lambda t, cls, sep: [sep, *t, cls],
    lambda t, cls, sep: [*t, cls],
    lambda t, cls, sep: ([sep, *t, cls], []),
)
steps.mistake(
    "B stands in front of A with you: [CLS] A [SEP] B [SEP].",
    layout=lambda a, b, cls, sep: laid(b, a, cls, sep) if b else laid(a, b, cls, sep),
)
steps.mistake(
    "[CLS] stands at the end. It is the first token: place 0 is what a classifier reads.",
    ids=lambda ids: [*ids[1:], ids[0]],
)

ALONE = "A text alone has two marks, not three: one place more for its tokens."
steps.mistake(
    "The marks aren't counted: they make your input longer than max_len. With a B they are three, without it two.",
    room=lambda max_len, second: max_len,
)
steps.mistake(
    "You count two marks for a pair. There are three: [CLS] and two [SEP]s.", room=lambda max_len, second: max_len - 2
)
steps.mistake(ALONE, room=lambda max_len, second: max_len - 3)
steps.mistake("You count one mark. With a B they are three, without it two.", room=lambda max_len, second: max_len - 1)
steps.mistake(
    "You cut one token too many: max_len itself is allowed. Is it >= where > is meant?",
    room=lambda max_len, second: room_for_both(max_len, second) - 1,
)
steps.mistake("You leave one token too many.", room=lambda max_len, second: room_for_both(max_len, second) + 1)
steps.mistake("Nothing is cut: the input gets longer than max_len.", cut=lambda a, b, most: (a, b))
steps.mistake(
    "Only A is cut. Cut the longer of the two, one token after the other.",
    cut=lambda a, b, most: (a[: max(most - len(b), 0)], b),
)
steps.mistake(
    "Only B is cut. Cut the longer of the two, one token after the other.",
    cut=lambda a, b, most: (a[:most], b[: max(most - len(a), 0)]),
)
steps.mistake(
    "Each text is cut to half of the room, even where the other leaves it more. Cut the longer one, until both fit.",
    cut=lambda a, b, most: (a[: most // 2], b[: most // 2]) if b else (a[:most], b),
)
steps.mistake(
    "Each text is cut to half of the room, even where both fit, or one is alone. Cut the longer one, until both fit.",
    cut=lambda a, b, most: (a[: most // 2], b[: most // 2]),
)
steps.mistake(
    "Each text is cut to half of the room as soon as both don't fit, even where one is short. Cut the longer one, until both fit.",
    cut=lambda a, b, most: (a[: most // 2], b[: most // 2]) if b and len(a) + len(b) > most else (a[:most], b),
)


def in_proportion(rounded):
    """Each text is cut in proportion to its length."""

    def cut(a, b, most):
        if len(a) + len(b) <= most:
            return a, b
        keeps = rounded(most * len(a) / (len(a) + len(b)))
        return a[:keeps], b[: most - keeps]

    return cut


for rounded, how in ((int, ""), (round, ", and rounded")):
    steps.mistake(
        f"Both texts are cut in proportion to their lengths{how}. One token at a time, each off the text that is longer: a short one stays whole.",
        cut=in_proportion(rounded),
    )


def excess_off_the_longer(a, b, most):
    too_many = max(len(a) + len(b) - most, 0)
    return (a[: max(len(a) - too_many, 0)], b) if len(a) > len(b) else (a, b[: max(len(b) - too_many, 0)])


steps.mistake(
    "You take all that is too many off the text that is longer at the beginning, and it ends shorter than the other. One token at a time, each off the text that is longer *then*.",
    cut=excess_off_the_longer,
)
steps.mistake(
    "Where both are equally long, A loses a token with you. B does: is it >= where > is meant?",
    cut=popping(lambda a, b, gone: len(a) >= len(b)),
)
steps.mistake(
    "You take tokens off the *shorter* text. Take them off the longer.", cut=popping(lambda a, b, gone: len(a) < len(b))
)
steps.mistake(
    "You take tokens off in turn, one of A, one of B, whichever is longer. Each time the longer one loses one.",
    cut=popping(lambda a, b, gone: gone % 2 == 0),
)
steps.mistake(
    "You take tokens off in turn, one of B, one of A, whichever is longer. Each time the longer one loses one.",
    cut=popping(lambda a, b, gone: gone % 2 == 1),
)
steps.mistake(
    "You take tokens off the beginning of the longer text. Off its end: pop(), without a 0.",
    cut=popping(lambda a, b, gone: len(a) > len(b), from_end=False),
)
steps.mistake(
    "Only one token is taken off, however many are too many. Repeat it: while, not if.",
    cut=lambda a, b, most: longest_first(a, b, max(most, len(a) + len(b) - 1)),
)
steps.mistake(
    "You cut the finished input, and with its end the last [SEP] goes. Cut the texts first, then put the marks in.",
    cut=lambda a, b, most: (a, b),
    last=lambda ids, segments, max_len: (ids[:max_len], segments[:max_len]),
)
steps.mistake(
    "You cut the finished input and write [SEP] over its end: then B, or its beginning, may be gone, and A isn't cut at all. Cut the texts first.",
    cut=lambda a, b, most: (a, b),
    last=lambda ids, segments, max_len: (
        ids if len(ids) <= max_len else [*ids[: max_len - 1], ids[-1]],
        segments[:max_len],
    ),
)
steps.mistake(
    "You fill up with 0 to max_len. Padding comes later, when a batch is made: return what there is.",
    last=lambda ids, segments, max_len: (ids + [0] * (max_len - len(ids)), segments + [0] * (max_len - len(segments))),
)
steps.mistake(
    "Two mistakes: only B is cut, and the marks aren't counted.",
    room=lambda max_len, second: max_len,
    cut=lambda a, b, most: (a[:most], b[: max(most - len(a), 0)]),
)
steps.mistake(
    "Two mistakes: all segments are 0, and nothing is cut.",
    segments=lambda segments: [0] * len(segments),
    cut=lambda a, b, most: (a, b),
)


@pair_input.mistake("The two results are in the wrong order: the ids first, then the segments.")
def segments_first(first, second, cls, sep, max_len):
    return _pair_input(first, second, cls, sep, max_len)[::-1]


@pair_input.mistake("Only the ids come back. The segments are asked for too: return ids, segments.")
def ids_alone(first, second, cls, sep, max_len):
    return _pair_input(first, second, cls, sep, max_len)[0]


@pair_input.mistake("Each place comes back as a pair (id, segment). Two lists are asked for: ids, segments.")
def zipped(first, second, cls, sep, max_len):
    return [tuple(pair) for pair in zip(*_pair_input(first, second, cls, sep, max_len))]


@pair_input.mistake("`[cls] + first` in a list of its own: your ids hold lists. Join them: [cls, *first, sep].")
def nested(first, second, cls, sep, max_len):
    ids, segments = _pair_input(first, second, cls, sep, max_len)
    a = segments.count(0)
    return [cls, ids[1 : a - 1], sep, *([ids[a:-1], sep] if second else [])], segments


@pair_input.symptom("")
def what_is_left(inputs, answer):
    """Marks, lengths, and which tokens of A and B are still there."""
    first, second, cls, sep, max_len = inputs
    ids, segments = map(list, answer)
    right, right_segments = _pair_input(*inputs)
    if ids == right:
        return _of_segments(segments, right_segments)
    if not ids or ids[0] != cls:
        return f"Your ids begin with {ids[:1]}; cls is {cls} here."
    if ids.count(cls) > 1:
        return f"[CLS] stands {ids.count(cls)} times in your ids. There is one, in front of both texts: [CLS] A [SEP] B [SEP]."
    wanted = 2 if second else 1
    if ids.count(sep) != wanted:
        return f"[SEP]s in your ids: {ids.count(sep)}. {'[CLS] A [SEP] B [SEP] has two' if second else '[CLS] A [SEP] has one'}."
    if ids[-1] != sep:
        return "Your ids don't end with [SEP]."
    cut = ids.index(sep)
    a, b = ids[1:cut], ids[cut + 1 : -1]
    room = room_for_both(max_len, second)
    if first[: len(a)] != a or second[: len(b)] != b:
        return "What is left of a text isn't its beginning, token by token: tokens are taken off the end."
    if len(ids) > max_len:
        return f"Your input has {len(ids)} tokens, and max_len is {max_len}, marks counted."
    if len(a) + len(b) < min(room, len(first) + len(second)):
        halved = second and {len(a), len(b)} & {room // 2, (room + 1) // 2}
        question = " Is each text cut to half of the room, though the other leaves it more?" if halved else ""
        return f"You cut too much: your input has {len(ids)} tokens, and {min(max_len, len(right))} fit.{question}"
    keeps = right.index(sep) - 1
    if says := _another_way_to_cut(first, second, a, b, keeps, room):
        return says
    return f"You keep {len(a)} tokens of A and {len(b)} of B. Taking one after the other off the longer (off B, where they are equal) leaves {keeps} and {len(right) - keeps - 2 - bool(second)}."


def _another_way_to_cut(first, second, a, b, keeps, room):
    """Who loses tokens, and should not: `a` and `b` are what is left, `keeps` how many A should have."""
    if not second or len(a) + len(b) != room:
        return None
    (longer, most, left), (shorter, least, kept) = sorted(
        [("A", first, a), ("B", second, b)], key=lambda text: len(text[1]), reverse=True
    )
    sizes = f"A has {len(first)}, B {len(second)}"
    if len(first) == len(second):
        return f"Both are equally long, and you take {len(first) - len(a)} tokens off A, {len(second) - len(b)} off B. In turn: B loses the first, then A, which is longer then."
    if not kept:
        return f"All {len(least)} tokens of {shorter} go before {longer} loses any, though {longer} is longer: {sizes}. Each token goes off the text that is longer *then*."
    if len(left) == len(most):
        return f"You take tokens off {shorter}, the *shorter* text: {sizes}. Each token goes off the text that is longer *then*."
    if len(kept) == len(least) and len(left) < len(kept) - 1:
        return f"All that is too many goes off {longer}, until it is shorter than {shorter}: {sizes}. Each token goes off the text that is longer *then*."
    return None


def _of_segments(segments, right):
    if len(segments) != len(right):
        return f"There are {len(right)} ids, but {len(segments)} segments: each place has one, the marks too."
    place = next((i for i, pair in enumerate(zip(segments, right)) if pair[0] != pair[1]), None)
    if place is None:
        return False
    return f"The ids are right here. At place {place} the segment should be {right[place]}: 0 up to A's [SEP], which is at place {right.count(0) - 1}, and 1 after it."
