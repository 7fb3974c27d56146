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


def _twins(made):
    """A place in another document counts, even where the same words stand in A's own."""
    documents, coins, draws = made
    coins[3], draws[3] = False, [(0, 3), (2, 0), (1, 0)]  # the second document's first pair
    return [documents[0], list(documents[0]), documents[2]], coins, draws


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
        Case("two documents that read the same", lambda g: _twins(_drawn(g, [4, 4, 3], heads=0.3))),
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
    "You take the first sentence of the drawn document. The drawn place says which: (document, sentence).",
    other=lambda d, i, drawn: (another_document(d, i, drawn)[0], 0),
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
steps.mistake(
    "The labels are written “IsNext” and “NotNext”; yours begin with a small letter.", labels=("isNext", "notNext")
)
steps.mistake(
    "A drawn place is (document, sentence); you read it as (sentence, document).",
    other=lambda d, i, drawn: next(place[::-1] for place in drawn if place[1] != d),
)
steps.mistake(
    "A drawn place is (document, sentence). You compare the first with A's document, but then look up (sentence, document).",
    other=lambda d, i, drawn: next(place[::-1] for place in drawn if place[0] != d),
)
steps.mistake("The labels should be the strings IsNext and NotNext; yours are True and False.", labels=(True, False))
steps.mistake("The labels should be the strings IsNext and NotNext; yours are 1 and 0.", labels=(1, 0))
steps.mistake("The labels should be the strings IsNext and NotNext; yours are 0 and 1.", labels=(0, 1))
steps.mistake(
    "A and B have changed places: A comes first, then what may follow it.", order=lambda a, b, label: (b, a, label)
)
steps.mistake("The label stands last: (A, B, label).", order=lambda a, b, label: (label, a, b))
steps.mistake("The labels are missing: each entry is (A, B, label).", order=lambda a, b, label: (a, b))
steps.mistake(
    "Your labels follow the coins, your B goes against them: where the coin is True, B is the sentence after A.",
    heads=lambda coin: not coin,
    labels=(NOT, IS),
)
steps.mistake(
    "Where the coin is True, you look up a sentence that isn't there. B is the one after A, in A's own document: documents[d][i + 1].",
    following=lambda d, i: (d, i + 2),
)
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


@next_sentence_pairs.mistake("A list for each document comes out. One list of all pairs is asked for.")
def lists_of_documents(documents, coins, draws):
    pairs = iter(_next_sentence_pairs(documents, coins, draws))
    return [[next(pairs) for _ in sentences[1:]] for sentences in documents]


@next_sentence_pairs.mistake(
    "You compare what stands there, not the places, and two documents may read the same. Compare their numbers: enumerate(documents)."
)
def compares_sentences(documents, coins, draws):
    pairs = []
    for d, i, coin, drawn in pairs_of(documents, coins, draws):
        a, b = documents[d][i : i + 2]
        if not coin:
            b = next(documents[e][j] for e, j in drawn if documents[e][j] not in documents[d])
        pairs.append((a, b, IS if coin else NOT))
    return pairs


@next_sentence_pairs.mistake("One coin decides for a whole document with you. There is one for each pair.")
def a_coin_for_a_document(documents, coins, draws):
    of_documents = [coins[d] for d, _, _, _ in pairs_of(documents, coins, draws)]
    return _next_sentence_pairs(documents, of_documents, draws)


@next_sentence_pairs.mistake(
    "Each sentence is in two pairs, a true and a false one. It is in one: its coin says in which."
)
def both_pairs(documents, coins, draws):
    true, false = (_next_sentence_pairs(documents, [coin] * len(coins), draws) for coin in (True, False))
    return [pair for two in zip(true, false) for pair in two]


@next_sentence_pairs.mistake(
    "Your loop runs up to a document's last sentence, which has no next one: range(len(document) - 1)."
)
def runs_too_far(documents, coins, draws):
    pairs = []
    for d, sentences in enumerate(documents):
        for i in range(len(sentences)):
            e, j = (d, i + 1) if coins[len(pairs)] else another_document(d, i, draws[len(pairs)])
            pairs.append((sentences[i], documents[e][j], IS if coins[len(pairs)] else NOT))
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


@next_sentence_pairs.mistake("The places come out, not the sentences: documents[d][i] is what stands there.")
def places_alone(documents, coins, draws):
    places = pairs_of(documents, coins, draws)
    return [
        ((d, i), (d, i + 1), IS) if coin else ((d, i), another_document(d, i, drawn), NOT)
        for d, i, coin, drawn in places
    ]


@next_sentence_pairs.mistake("The pairs are right, but sorted by their labels. They come document after document.")
def sorted_by_label(documents, coins, draws):
    return sorted(_next_sentence_pairs(documents, coins, draws), key=lambda pair: pair[2])


@next_sentence_pairs.mistake("For NotNext you take the next document's first sentence. Take the drawn places.")
def next_document(documents, coins, draws):
    first = [[((d + 1) % len(documents), 0)] for d, _, _, _ in pairs_of(documents, coins, draws)]
    return [
        (documents[d][i], documents[d][i + 1], IS) if coin else (documents[d][i], documents[place[0]][place[1]], NOT)
        for (d, i, coin, _), (place,) in zip(pairs_of(documents, coins, draws), first)
    ]


@next_sentence_pairs.symptom("")
def the_first_wrong_pair(inputs, answer):
    """What its A, its label or its B shows."""
    documents, coins, draws = inputs
    right, places = _next_sentence_pairs(*inputs), pairs_of(*inputs)
    form = next(filter(None, map(_another_form, answer)), None)
    if form:
        return form
    firsts = [each[0] for each in answer]
    twice = next((a for a, b in zip(firsts, firsts[1:]) if a == b), None)
    if twice and len(answer) > len(right):
        return f"“{twice}” is A of more than one pair. It is of one: stop at the first drawn place that lies in another document (break)."
    if any(each and each[0] in [s[-1] for s in documents if s] for each in answer):
        return "The last sentence of a document is an A with you. It has no next one: no pair begins with it, and none goes on into the next document."
    if len(answer) < len(right):
        k = next((k for k, (own, want) in enumerate(zip(answer, right)) if own[0] != want[0]), len(answer))
        drawn = (
            ""
            if coins[k] or draws[k][0][0] != places[k][0]
            else " Its coin is False: go on through its drawn places until one is in another document."
        )
        return f"The pair of “{right[k][0]}” is missing: each sentence that has a next one gets a pair.{drawn}"
    k = next(k for k, (own, want) in enumerate(zip(answer, right)) if tuple(own) != want)
    (d, _, coin, drawn), (a, b, label) = places[k], answer[k]
    if label not in (IS, NOT):
        return f"The label of a pair is {IS!r} or {NOT!r}; yours is {label!r}."
    if a != right[k][0]:
        return False
    if label != right[k][2]:
        return f"The label of pair {k}, counted from 0, doesn't follow its coin, {coin}. Count coins and draws once for each *pair*: a document's last sentence has none, and the label is the coin's, whatever was drawn."
    if label == IS:
        return f"“{b}” isn't the sentence after “{a}”, though the coin says that it follows."
    e, j = another_document(d, 0, drawn)
    if b in documents[d]:
        return f"“{b}” stands in A's own document, {d}, and the pair says NotNext. The first place drawn in another one is ({e}, {j}): documents[{e}][{j}]."
    if b not in [documents[e][j] for e, j in drawn]:
        if any(b in documents[e] for e, j in drawn if e != d):
            return f"“{b}” is of a drawn document, but isn't the sentence drawn for pair {k}, counted from 0: documents[e][j] for the place (e, j). Or are coins and draws counted in another way? There is one of each for every pair."
        return f"“{b}” is at none of the places drawn for pair {k}, counted from 0. Draws are counted like coins, one for each pair, also where the coin is True."
    return f"“{b}” is drawn for this pair, in another document, but isn't the *first* such place."


def _another_form(pair):
    """What a pair is made of, where that isn't A, B and a label."""
    if isinstance(pair, str):
        return "Each item of the list is a pair with its label, (A, B, label); yours is a text."
    if len(pair) == 2 and isinstance(pair[0], (tuple, list)):
        return "A and B stand in brackets of their own, ((A, B), label). Three things side by side are asked for: (A, B, label)."
    for which, x in zip("AB", pair):
        if x is None:
            return f"Your {which} is None. Where the first drawn place lies in A's document, go on to the next one."
        if isinstance(x, (tuple, list)) and all(isinstance(each, int) for each in x):
            return f"Your {which} is a place, {x}. The sentence that stands there is asked for: documents[e][j] for the place (e, j)."
        if isinstance(x, (tuple, list)):
            return f"Your {which} is a whole document. One sentence of it is asked for: documents[e][j]."
        if isinstance(x, int):
            return f"Your {which} is a number, {x}. The sentence itself is asked for: documents[e][j]."


def counts_false_alone(documents, coins, draws):
    """The draws of a second counter, which moves for False coins alone."""
    taken = iter(draws)
    return _next_sentence_pairs(documents, coins, [drawn if coin else next(taken) for coin, drawn in zip(coins, draws)])


def the_sentence_after(documents, coins, draws):
    after = [[(e, (j + 1) % len(documents[e])) for e, j in drawn] for drawn in draws]
    return _next_sentence_pairs(documents, coins, after)


next_sentence_pairs.mistake(
    "You count the draws for False coins alone. There is a list of places for each pair, also where the coin is True."
)(counts_false_alone)
next_sentence_pairs.mistake("For NotNext you take the sentence *after* the drawn place. B is the one at it.")(
    the_sentence_after
)
