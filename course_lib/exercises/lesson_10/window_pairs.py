"""Pairs of word and company: what skip-gram learns from."""

from collections import Counter

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer


def _window_pairs(sentences, window):
    return [
        (word, words[j])
        for words in sentences
        for i, word in enumerate(words)
        for j in range(max(0, i - window), min(len(words), i + window + 1))
        if j != i
    ]


WORDS = (
    "the",
    "a",
    "rain",
    "snow",
    "wind",
    "fog",
    "hail",
    "sun",
    "cloud",
    "storm",
    "frost",
    "thaw",
    "dew",
    "mist",
    "falls",
    "melts",
    "and",
)


def _text(g, lengths, window, twice=True):
    """Sentences of so many words; where there is room, one word comes twice within the first one's window."""
    sentences = [[WORDS[integer(g, 0, len(WORDS) - 1)] for _ in range(n)] for n in lengths]
    if twice:
        sentences[0][1] = sentences[0][0]  # "that that": a word beside itself
        sentences[0][4] = sentences[0][2]
    return sentences, window


window_pairs = Code(
    "10.window_pairs",
    title="The company it keeps",
    points=3,
    minutes=10,
    difficulty=1,
    reference=_window_pairs,
    axes=["list of pairs"],
    cases=[
        Case("two sentences", lambda g: _text(g, [6, 5], 2)),
        Case("direct neighbours only", lambda g: _text(g, [5, 4], 1)),
        Case("a window wider than the sentences", lambda g: _text(g, [5, 3], 8)),
        Case("sentences of one word, and of none", lambda g: _text(g, [5, 1, 0, 2], 2)),
        Case("any sizes", lambda g: _text(g, [integer(g, 5, 9) for _ in range(integer(g, 3, 6))], integer(g, 2, 4))),
        Case("no sentences", lambda g: ([], 2)),
        Case("many sentences", lambda g: _text(g, [6] + [integer(g, 2, 4) for _ in range(24)], 3)),
    ],
    hints=[
        "Three loops: over the sentences, over the places i of one sentence, over the places j of the company. From where to where does j go, and which j is left out?",
        "j runs from i − window to i + window, both included, but not below 0 and not beyond the sentence's last place. Only j = i is left out: the place, not the word.",
        "for j in range(max(0, i - window), min(len(words), i + window + 1)): if j != i: pairs.append((words[i], words[j]))",
    ],
)


def both_sides(i, n, window):
    return range(max(0, i - window), min(n, i + window + 1))


@window_pairs.variants
def steps(
    sentences,
    window,
    *,
    text=lambda sentences: sentences,
    words=lambda n, window: range(n),
    places=both_sides,
    another=lambda words, i, j: i != j,
    pair=lambda words, i, j: (words[i], words[j]),
    pairs=lambda pairs: pairs,
):
    found = []
    for sentence in text(sentences):
        for i in words(len(sentence), window):
            for j in places(i, len(sentence), window):
                if another(sentence, i, j):
                    found.append(pair(sentence, i, j))
    return pairs(found)


def one_text(sentences):
    return [[word for sentence in sentences for word in sentence]]


steps.mistake(
    "A full stop ends the company: your pairs go on into the next sentence. Each sentence by itself.", text=one_text
)
steps.mistake(
    "A word isn't its own company: leave out the place itself, j = i. (The same word at *another* place counts.)",
    another=lambda words, i, j: True,
)
steps.mistake(
    "You leave out a place because the same word stands there. Only the place itself is left out: compare i and j, not the words.",
    another=lambda words, i, j: words[i] != words[j],
)
steps.mistake(
    "Company stands on both sides: yours only follows the word. What stands before it counts, too.",
    places=lambda i, n, window: range(i, min(n, i + window + 1)),
)
steps.mistake(
    "Company stands on both sides: yours only comes before the word. What follows it counts, too.",
    places=lambda i, n, window: range(max(0, i - window), i),
)
steps.mistake(
    "On the right your window is one place too short: a range ends before its end. It should be i + window + 1.",
    places=lambda i, n, window: range(max(0, i - window), min(n, i + window)),
)
steps.mistake(
    "On the left your window is one place too short: it begins at i − window.",
    places=lambda i, n, window: range(max(0, i - window + 1), min(n, i + window + 1)),
)
steps.mistake(
    "Your window is one place too short on both sides: a distance of exactly `window` belongs to it.",
    places=lambda i, n, window: range(max(0, i - window + 1), min(n, i + window)),
)
steps.mistake(
    "Your window is one place too wide on both sides.",
    places=lambda i, n, window: range(max(0, i - window - 1), min(n, i + window + 2)),
)
steps.mistake(
    "On the right your window is one place too wide: range(…, i + window + 1) ends at i + window.",
    places=lambda i, n, window: range(max(0, i - window), min(n, i + window + 2)),
)
steps.mistake(
    "You share the window between the two sides. `window` words stand on *each* side.",
    places=lambda i, n, window: range(max(0, i - window // 2), min(n, i + window // 2 + 1)),
)
steps.mistake(
    "Your window is twice as wide as it should be: `window` places on each side.",
    places=lambda i, n, window: range(max(0, i - 2 * window), min(n, i + 2 * window + 1)),
)
steps.mistake(
    "You only take words that are exactly `window` places away. All up to there are company.",
    places=lambda i, n, window: [j for j in (i - window, i + window) if 0 <= j < n],
)
steps.mistake(
    "You only take the direct neighbours. The window reaches `window` places to each side.",
    places=lambda i, n, window: range(max(0, i - 1), min(n, i + 2)),
)
steps.mistake(
    "Every word of the sentence is company with you. The window ends `window` places away.",
    places=lambda i, n, window: range(n),
)
steps.mistake(
    "You compare the place j with the window. It is the distance of the two that counts, |i − j|.",
    places=lambda i, n, window: range(min(n, window + 1)),
)
steps.mistake(
    "At a sentence's beginning your places get below 0, and Python counts those from the sentence's end. Begin at max(0, i − window).",
    places=lambda i, n, window: range(max(-n, i - window), min(n, i + window + 1)),
)
steps.mistake(
    "Words near a sentence's beginning lose what stands before them: a slice that begins below 0 counts from the end. Begin at max(0, i − window).",
    places=lambda i, n, window: [*range(n)[i - window : i], *range(n)[i + 1 : i + window + 1]],
)
steps.mistake(
    "Words near a sentence's beginning are left without any company: a slice that begins below 0 counts from the end. Begin at max(0, i − window).",
    places=lambda i, n, window: range(n)[i - window : i + window + 1],
)
steps.mistake(
    "Your places run beyond the sentence, where no word stands: keep j from max(0, i − window) to min(len(words), i + window + 1).",
    places=lambda i, n, window: range(max(0, i - window), i + window + 1),
)
steps.mistake(
    "You only ask words whose window fits into the sentence. At its ends a word has less company, but it has some.",
    words=lambda n, window: range(window, n - window),
)
steps.mistake(
    "Each sentence's last word is never asked. It has company before it.", words=lambda n, window: range(n - 1)
)
steps.mistake(
    "Each sentence's last word is never company: a range ends before its end, so it may go up to len(words).",
    places=lambda i, n, window: range(max(0, i - window), min(n - 1, i + window + 1)),
)
steps.mistake(
    "On the right your company ends too soon: range(…, end) ends before its end. It should be min(len(words), i + window + 1).",
    places=lambda i, n, window: range(max(0, i - window), min(n - 1, i + window)),
)
steps.mistake(
    "Each sentence's first word is never company: places begin at 0.",
    places=lambda i, n, window: range(max(1, i - window), min(n, i + window + 1)),
)
steps.mistake(
    "Each sentence's first word is never asked. It has company after it.", words=lambda n, window: range(1, n)
)
steps.mistake(
    "The two have changed places: first the word, then its company.", pair=lambda words, i, j: (words[j], words[i])
)
steps.mistake("These are places. The words that stand there are asked for.", pair=lambda words, i, j: (i, j))
steps.mistake("You pair each word with itself: words[j] is its company.", pair=lambda words, i, j: (words[i], words[i]))
steps.mistake(
    "Word and company are one text with you. A pair of two is asked for: (word, company).",
    pair=lambda words, i, j: f"{words[i]} {words[j]}",
)
steps.mistake(
    "A pair is a tuple in round brackets, (word, company); yours is a list.",
    pair=lambda words, i, j: [words[i], words[j]],
)
steps.mistake(
    "Your pairs carry the distance, too. Two things are asked for: (word, company).",
    pair=lambda words, i, j: (words[i], words[j], abs(i - j)),
)
steps.mistake("Only the company comes out. Pairs are asked for: (word, company).", pair=lambda words, i, j: words[j])
steps.mistake(
    "You leave out pairs that have come before. Each time counts: what stands together often should weigh more.",
    pairs=lambda pairs: list(dict.fromkeys(pairs)),
)
steps.mistake("The pairs are sorted. They come in the text's order.", pairs=sorted)
steps.mistake(
    "The pairs are the right ones, in another order: of each word first what follows it, then what stands before it. From left to right is asked for.",
    places=lambda i, n, window: [*range(i + 1, min(n, i + window + 1)), *range(max(0, i - window), i)],
)
steps.mistake(
    "Of each word the company comes from right to left. From left to right is asked for.",
    places=lambda i, n, window: both_sides(i, n, window)[::-1],
)
steps.mistake(
    "The pairs are the right ones, in another order: of each word the nearest company first. From left to right is asked for.",
    places=lambda i, n, window: [j for gap in range(window + 1) for j in (i - gap, i + gap) if 0 <= j < n],
)
steps.mistake(
    "That is how often each pair occurs. The pairs themselves are asked for, in a list.",
    pairs=lambda pairs: dict(Counter(pairs)),
)
steps.mistake("That is the number of pairs. The pairs themselves are asked for.", pairs=len)
steps.mistake(
    "Two mistakes: pairs go on into the next sentence, and a word is its own company.",
    text=one_text,
    another=lambda words, i, j: True,
)
steps.mistake(
    "Only the first sentence's pairs come out. Is there a return inside the loop?", text=lambda sentences: sentences[:1]
)
steps.mistake(
    "Only the last sentence's pairs come out. Is the list made anew inside the loop?",
    text=lambda sentences: sentences[-1:],
)
steps.mistake(
    "Only each sentence's first word is asked. Is there a break, or a list made anew, inside the loop?",
    words=lambda n, window: range(min(n, 1)),
)
steps.mistake(
    "Only each sentence's last word is asked. Is a list made anew inside the loop?",
    words=lambda n, window: range(n)[-1:],
)


@window_pairs.mistake("Only the first word's pairs come out. Is there a return inside the loops?")
def first_word_alone(sentences, window):
    return [(words[0], words[j]) for words in sentences[:1] for j in range(1, min(len(words), window + 1))]


@window_pairs.mistake(
    "You look up a word's place by words.index, which finds the first one only: a word may stand twice. enumerate gives each its own place."
)
def place_by_index(sentences, window):
    found = []
    for words in sentences:
        for word in words:
            i = words.index(word)
            found += [(word, words[j]) for j in both_sides(i, len(words), window) if j != i]
    return found


@window_pairs.mistake(
    "You look up places by words.index, which finds a word's first one only: a word may stand twice. Loop over places."
)
def both_by_index(sentences, window):
    return [
        (word, other)
        for words in sentences
        for word in words
        for other in words
        if word != other and abs(words.index(word) - words.index(other)) <= window
    ]


@window_pairs.mistake("A list for each sentence comes out. One list of all pairs is asked for.")
def lists_of_sentences(sentences, window):
    return [_window_pairs([words], window) for words in sentences]


@window_pairs.mistake(
    "A list for each word comes out. One list of all pairs is asked for: extend it, or +=, not append."
)
def lists_of_words(sentences, window):
    return [
        [(word, words[j]) for j in both_sides(i, len(words), window) if j != i]
        for words in sentences
        for i, word in enumerate(words)
    ]


@window_pairs.mistake("Each word stands beside a list of all its company. One pair for each of them is asked for.")
def with_all_company(sentences, window):
    return [
        (word, [words[j] for j in both_sides(i, len(words), window) if j != i])
        for words in sentences
        for i, word in enumerate(words)
    ]


@window_pairs.mistake(
    "Each pair comes out with both its orders at once, so everything comes twice. One of each is right."
)
def twice_each(sentences, window):
    return [pair for word, other in _window_pairs(sentences, window) for pair in ((word, other), (other, word))]


@window_pairs.mistake(
    "The right pairs, but both orders of a pair follow each other. Word after word is asked for: all company of the first word, then of the second."
)
def order_and_its_reverse(sentences, window):
    found = []
    for words in sentences:
        for i in range(len(words)):
            for j in range(i + 1, min(len(words), i + window + 1)):
                found += [(words[i], words[j]), (words[j], words[i])]
    return found


@window_pairs.mistake(
    "The right pairs, but sorted by their distance. Word after word is asked for: all company of the first word, then of the second."
)
def distance_by_distance(sentences, window):
    found = []
    for words in sentences:
        for gap in range(1, window + 1):
            for i in range(len(words) - gap):
                found += [(words[i], words[i + gap]), (words[i + gap], words[i])]
    return found


@window_pairs.mistake(
    "Your sentences are pairs with one another. One loop is missing: over the words of each sentence."
)
def sentences_as_words(sentences, window):
    return _window_pairs([sentences], window)


@window_pairs.symptom("")
def the_first_wrong_pair(inputs, answer):
    """What is missing, what is too much, or what stands elsewhere."""
    sentences, window = inputs
    right = _window_pairs(sentences, window)
    if len(answer) == 2 and all(isinstance(each, list) and len(each) > 2 for each in answer):
        return "Two lists come out, one of words and one of company. One list of pairs is asked for: list(zip(words, company))."
    form = next(filter(None, map(_another_form, answer)), None)
    if form:
        return form
    if not answer:
        return "Your list is empty. Does anything get into it: pairs.append((word, company))?"
    own, want = Counter(answer), Counter(right)
    if own == want:
        return "The pairs are the right ones, in another order. Sentence after sentence, word after word, its company from left to right is asked for."
    missing, extra = want - own, own - want
    if extra and not missing and own == Counter({pair: 2 * count for pair, count in want.items()}):
        return "Each pair comes twice. Does a word's company come from both its loops?"
    if extra:
        pair = next(pair for pair in answer if pair in extra)
        gap, known = _stands(pair, sentences), {word for words in sentences for word in words}
        if not set(pair) <= known:
            return f"{pair} is one of your pairs, but {next(word for word in pair if word not in known)!r} stands nowhere in the text."
        if gap is None:
            return f"{pair} is one of your pairs, but these two stand in different sentences. A full stop ends the company."
        if abs(gap) > window:
            return f"{pair} is one of your pairs, but these two are {abs(gap)} places apart, and the window reaches {window}."
        if gap == 0:
            return f"{pair} is one of your pairs, but this word stands there once: it is no company of itself."
        return f"{pair} comes {_times(own[pair])} with you, and should come {_times(want[pair])}."
    pair = next(pair for pair in right if pair in missing)
    gap = _stands(pair, sentences)
    apart, side = f"{abs(gap)} place{'s' * (abs(gap) != 1)}", "before" if gap < 0 else "after"
    if pair[0] == pair[1]:
        return (
            f"{pair} is missing: the word stands twice in its sentence, {apart} apart, and each is the other's company."
        )
    often = f" It should come {_times(want[pair])}, yours comes {_times(own[pair])}." if own[pair] else ""
    return f"{pair} is missing: the second stands {apart} {side} the first in a sentence, and the window reaches {window}.{often}"


def _times(count):
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _stands(pair, sentences):
    """How many places the second stands after the first where they are nearest; None where no sentence has both."""
    gaps = [
        j - i
        for words in sentences
        for i, word in enumerate(words)
        for j, other in enumerate(words)
        if (word, other) == pair and i != j
    ]
    if not gaps:
        return 0 if pair[0] == pair[1] else None
    return min(gaps, key=abs)


def _another_form(pair):
    """What a pair is made of, where that isn't two words."""
    if isinstance(pair, str):
        return "Each item of the list is a pair, (word, company); yours is a text."
    if not isinstance(pair, (tuple, list)):
        return f"Each item of the list is a pair of words, (word, company); yours is {pair!r}."
    if len(pair) != 2:
        return f"A pair has two words, (word, company); yours has {len(pair)} things: {tuple(pair)!r}."
    if not all(isinstance(word, str) for word in pair):
        return f"A pair has two words, (word, company); yours is {tuple(pair)!r}."
    if isinstance(pair, list):
        return "A pair is a tuple in round brackets, (word, company); yours is a list."
    return None
