"""Pairs for next-sentence prediction: half of the time the sentence that follows, half of the time another text's."""

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer

IS, NOT = "IsNext", "NotNext"


def _next_sentence_pairs(documents, coins, draws):
    places = [(d, i) for d, sentences in enumerate(documents) for i in range(len(sentences) - 1)]
    pairs = []
    for (d, i), coin, drawn in zip(places, coins, draws):
        if coin:
            pairs.append((documents[d][i], documents[d][i + 1], IS))
        else:
            other, j = next(place for place in drawn if place[0] != d)
            pairs.append((documents[d][i], documents[other][j], NOT))
    return pairs


WORDS = ("rain", "snow", "wind", "fog", "hail", "sun", "cloud", "storm", "frost", "thaw", "dew", "mist")


def _drawn(g, lengths, heads=0.5):
    """Documents of so many sentences, all different; a coin and six drawn places for each pair.

    Among the first places drawn are the pair's own true next sentence and others of its own document.
    """
    documents = [[f"{WORDS[integer(g, 0, 11)]} {d}.{i} ." for i in range(n)] for d, n in enumerate(lengths)]
    coins, draws = [], []
    for d, n in enumerate(lengths):
        for i in range(n - 1):
            own = [(d, i + 1), (d, integer(g, 0, n - 1)), (d, i)][integer(g, 0, 2) :]
            others = [(e, integer(g, 0, m - 1)) for e, m in enumerate(lengths) if e != d and m]
            turn = integer(g, 0, len(others) - 1)
            coins.append(integer(g, 0, 99) < 100 * heads)
            draws.append(own[: integer(g, 0, 2)] + (others[turn:] + others[:turn])[:3] + [(d, 0)])
    return documents, coins, draws


def _sure(g, lengths, first):
    """The first pair's coin is as given, and so are the next two the other way round."""
    documents, coins, draws = _drawn(g, lengths)
    coins[:3] = [first, not first, not first]
    draws[1] = [(0, 2), *draws[1]]  # the true next sentence of the second pair is drawn first
    return documents, coins, draws


next_sentence_pairs = Code(
    "11.next_sentence_pairs",
    title="Next, or from anywhere",
    points=3,
    minutes=12,
    difficulty=2,
    reference=_next_sentence_pairs,
    axes=["list of pairs"],
    cases=[
        Case("three documents", lambda g: _sure(g, [4, 3, 5], False)),
        Case("more of them", lambda g: _sure(g, [integer(g, 4, 6) for _ in range(integer(g, 6, 9))], True)),
        Case("a document of one sentence, and one of none", lambda g: _sure(g, [4, 1, 0, 3], False)),
        Case("the coin always says next", lambda g: _drawn(g, [3, 4], heads=1.0)),
        Case("the coin never says next", lambda g: _drawn(g, [3, 4, 2], heads=0.0)),
        Case("no documents", lambda g: ([], [], [])),
        Case("many sentences", lambda g: _sure(g, [30, 20], False)),
    ],
    hints=[
        "Two loops: over the documents, and in each over the sentences that have a next one. Which sentences of a document are those?",
        "Coins and draws have one entry for each pair, counted through all documents. A counter, or next(iterator), takes one after the other.",
        "For NotNext: go through the drawn places (other, j) and take the first with other != d. The true next sentence stands in document d, so it can't be drawn by accident.",
    ],
)


def pairs_of(documents, coins, draws, inside=lambda sentences: range(len(sentences) - 1)):
    """(document, place of A, coin, drawn places) for every pair."""
    places = [(d, i) for d, sentences in enumerate(documents) for i in inside(sentences)]
    return [(d, i, coin, drawn) for (d, i), coin, drawn in zip(places, coins, draws)]


def another_document(d, i, drawn):
    return next(place for place in drawn if place[0] != d)


@next_sentence_pairs.variants
def steps(
    documents,
    coins,
    draws,
    *,
    following=lambda d, i: (d, i + 1),
    other=another_document,
    heads=lambda coin: coin,
    labels=(IS, NOT),
    order=lambda a, b, label: (a, b, label),
):
    pairs = []
    for d, i, coin, drawn in pairs_of(documents, coins, draws):
        e, j = following(d, i) if heads(coin) else other(d, i, drawn)
        pairs.append(order(documents[d][i], documents[e][j], labels[0] if heads(coin) else labels[1]))
    return pairs


steps.mistake(
    "You take the first drawn place, wherever it is. Some of your NotNext pairs *are* next: take the first that stands in another document.",
    other=lambda d, i, drawn: drawn[0],
)
steps.mistake(
    "You only avoid the true next sentence. A sentence of the same document is no random one either: take the first from *another* document.",
    other=lambda d, i, drawn: next(place for place in drawn if place != (d, i + 1)),
)
steps.mistake(
    "You avoid A itself and the sentence after it, but other sentences of the same document come in. Take the first from *another* document.",
    other=lambda d, i, drawn: next(place for place in drawn if place not in ((d, i), (d, i + 1))),
)
steps.mistake(
    "You take the last drawn place that stands in another document. The first is asked for.",
    other=lambda d, i, drawn: [place for place in drawn if place[0] != d][-1],
)
steps.mistake(
    "You look for a place *within* the same document. NotNext comes from another one.",
    other=lambda d, i, drawn: next(place for place in drawn if place[0] == d),
)
steps.mistake(
    "Every pair is IsNext with you: where the coin is False, B comes from another document.", heads=lambda coin: True
)
steps.mistake(
    "Every pair is NotNext with you: where the coin is True, B is the sentence that follows.", heads=lambda coin: False
)
steps.mistake("The coin is read the wrong way round: True means that B follows.", heads=lambda coin: not coin)
steps.mistake("The pairs are right, the two labels have changed places.", labels=(NOT, IS))
steps.mistake(
    "The labels are written “IsNext” and “NotNext”, with capital letters inside.", labels=("isnext", "notnext")
)
steps.mistake("The labels are written “IsNext” and “NotNext”, in one word.", labels=("Is Next", "Not Next"))
steps.mistake("The labels should be the strings IsNext and NotNext; yours are True and False.", labels=(True, False))
steps.mistake("The labels should be the strings IsNext and NotNext; yours are 1 and 0.", labels=(1, 0))
steps.mistake("The labels should be the strings IsNext and NotNext; yours are 0 and 1.", labels=(0, 1))
steps.mistake(
    "A and B have changed places: A comes first, then what may follow it.", order=lambda a, b, label: (b, a, label)
)
steps.mistake("The label stands last: (A, B, label).", order=lambda a, b, label: (label, a, b))
steps.mistake("The labels are missing: each entry is (A, B, label).", order=lambda a, b, label: (a, b))
steps.mistake("B is A itself where the coin is True. It is the sentence after A.", following=lambda d, i: (d, i))
steps.mistake(
    "Where the coin is True, your B is always the document's second sentence. It is the one after A.",
    following=lambda d, i: (d, 1),
)
steps.mistake(
    "A and B are one string with you. Keep them apart: (A, B, label).", order=lambda a, b, label: (f"{a} {b}", label)
)
steps.mistake(
    "Two mistakes: the first drawn place is taken, wherever it is, and the labels have changed places.",
    other=lambda d, i, drawn: drawn[0],
    labels=(NOT, IS),
)


@next_sentence_pairs.mistake(
    "Coins and draws begin again in each document with you. They are counted through all of them."
)
def begins_again(documents, coins, draws):
    pairs = []
    for d, sentences in enumerate(documents):
        for i in range(len(sentences) - 1):
            e, j = (d, i + 1) if coins[i] else another_document(d, i, draws[i])
            pairs.append((sentences[i], documents[e][j], IS if coins[i] else NOT))
    return pairs


@next_sentence_pairs.mistake("Only the first document's pairs come out. Is there a return inside the loop?")
def returns_too_soon(documents, coins, draws):
    first = max(0, len(documents[0]) - 1) if documents else 0
    return _next_sentence_pairs(documents, coins, draws)[:first]


@next_sentence_pairs.mistake("Only the IsNext pairs come out. The others belong in the list, too.")
def only_true(documents, coins, draws):
    return [pair for pair in _next_sentence_pairs(documents, coins, draws) if pair[2] == IS]


@next_sentence_pairs.mistake("Only the NotNext pairs come out. The others belong in the list, too.")
def only_false(documents, coins, draws):
    return [pair for pair in _next_sentence_pairs(documents, coins, draws) if pair[2] == NOT]


@next_sentence_pairs.mistake("Each document's first pair is missing: its first sentence has a next one, too.")
def from_the_second_on(documents, coins, draws):
    kept = {sentences[0] for sentences in documents if sentences}
    return [pair for pair in _next_sentence_pairs(documents, coins, draws) if pair[0] not in kept]


@next_sentence_pairs.mistake("Each document's last pair is missing: the last sentence but one has a next one, too.")
def stops_too_soon(documents, coins, draws):
    last = {sentences[-2] for sentences in documents if len(sentences) > 1}
    return [pair for pair in _next_sentence_pairs(documents, coins, draws) if pair[0] not in last]


@next_sentence_pairs.mistake(
    "You skip every other sentence. A sentence may be B in one pair and A in the next: one pair for each that has a next one."
)
def by_twos(documents, coins, draws):
    pairs, places = [], [(d, i) for d, s in enumerate(documents) for i in range(0, len(s) - 1, 2)]
    for (d, i), coin, drawn in zip(places, coins, draws):
        e, j = (d, i + 1) if coin else another_document(d, i, drawn)
        pairs.append((documents[d][i], documents[e][j], IS if coin else NOT))
    return pairs


@next_sentence_pairs.mistake(
    "You go on from the last sentence of a document to the first of the next. A document's last sentence has no next one: it is no A."
)
def across_documents(documents, coins, draws):
    places = [(d, i) for d, sentences in enumerate(documents) for i in range(len(sentences))]
    pairs = []
    for (d, i), (e, j), coin, drawn in zip(places, places[1:], coins, draws):
        e, j = (e, j) if coin else another_document(d, i, drawn)
        pairs.append((documents[d][i], documents[e][j], IS if coin else NOT))
    return pairs
