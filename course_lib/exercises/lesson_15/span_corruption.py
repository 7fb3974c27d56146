"""A text with gaps, and what stood in them: what an encoder–decoder is asked to read and to write."""

import random
from collections import Counter

from course_lib.checking.kinds import Case, Code
from course_lib.corpora.span_corruption import random_spans
from course_lib.exercises.inputs import integer


def _span_corruption(tokens, spans, marks):
    source, target, place = [], [], 0
    for mark, (start, end) in zip(marks, spans):
        source += [*tokens[place:start], mark]
        target += [mark, *tokens[start:end]]
        place = end
    return source + tokens[place:], [*target, marks[len(spans)]]


WORDS = ("amara", "went", "home", "and", "the", "cat", "slept", "under", "trees", "when", "it", "rained")


def _words(g, n):
    """So many different words, and if that isn't enough the same ones again."""
    start, step = integer(g, 0, 11), (1, 5, 7, 11)[integer(g, 0, 3)]
    return [WORDS[(start + i * step) % 12] for i in range(n)]


def _marks(spans, more=3):
    return [f"<{i}>" for i in range(len(spans) + more)]


def _random(g, n, share=0.3, mean_length=2.0, more=3):
    spans = random_spans(n, random.Random(integer(g, 0, 10**6)), share, mean_length)
    return _words(g, n), spans, _marks(spans, more)


def _at(g, n, *spans, more=3):
    return _words(g, n), list(spans), _marks(spans, more)


def _ids(g):
    """Ids in place of words, of which some stand inside a gap and outside."""
    tokens = [integer(g, 6, 9) for _ in range(12)]
    tokens[2] = tokens[0]
    tokens[7] = tokens[5]
    first = integer(g, 500, 600)
    return tokens, [(2, 4), (7, 8)], list(range(first, first + 6))


def _again(g):
    """The words of the gaps stand elsewhere, too, and earlier."""
    here, there, other = _words(g, 3)
    return [here, there, other, here, there, here, there, other, there], [(3, 5), (8, 9)], _marks("12")


span_corruption = Code(
    "15.span_corruption",
    title="Gaps, and what stood in them",
    points=3,
    minutes=12,
    difficulty=2,
    reference=_span_corruption,
    forbidden=("span_corruption",),
    axes=["source", "target"],
    results=("source", "target"),
    cases=[
        Case("two gaps", lambda g: _at(g, 10, (2, 4), (integer(g, 6, 7), 8))),
        Case("a gap of one word", lambda g: _at(g, 6, (3, 4))),
        Case("a gap at the beginning", lambda g: _at(g, 8, (0, 2), (5, 7))),
        Case("a gap at the end", lambda g: _at(g, 9, (1, 2), (6, 9))),
        Case("two gaps that touch", lambda g: _at(g, 9, (2, 4), (4, 7))),
        Case("words that come again", _again),
        Case("ids in place of words", _ids),
        Case("marks just enough", lambda g: _random(g, 14, more=1)),
        Case("any places", lambda g: _random(g, integer(g, 22, 40), share=0.4)),
        Case("a long text", lambda g: _random(g, 60, share=0.15, mean_length=3.0)),
        Case("all of it", lambda g: (lambda n: _at(g, n, (0, n)))(integer(g, 3, 6))),
        Case("no gaps", lambda g: _at(g, 5)),
        Case("no words", lambda g: ([], [], _marks([]))),
    ],
    hints=[
        "Walk through the spans. Which words have to go into the source before the mark? Those from where the last span ended to where this one starts.",
        "Keep that place in a variable: place = 0 before the loop, place = end at the end of each round. tokens[place:start] and the mark go into the source, the mark and tokens[start:end] into the target.",
        "After the loop two things are missing: the words behind the last gap, tokens[place:], and the target's last mark, marks[len(spans)].",
    ],
)


@span_corruption.variants
def steps(
    tokens,
    spans,
    marks,
    *,
    read=lambda marks, i: marks[i],
    written=lambda marks, i: marks[i],
    left=lambda mark, hidden: [mark],
    asked=lambda mark, hidden: [mark, *hidden],
    until=lambda start, end: end,
    before=lambda tokens, place, start: tokens[place:start],
    behind=lambda tokens, place: tokens[place:],
    last=lambda marks, k: [marks[k]],
    given=lambda source, target: (source, target),
):
    source, target, place = [], [], 0
    for i, (start, end) in enumerate(spans):
        end = until(start, end)
        source += before(tokens, place, start) + left(read(marks, i), tokens[start:end])
        target += asked(written(marks, i), tokens[start:end])
        place = end
    return given(source + behind(tokens, place), target + last(marks, len(spans)))


def the_first(marks, i):
    return marks[0]


def nothing(*_):
    return []


ONE_EACH = "Each gap has its own mark, or nobody can tell which words belong to which"
TWO_FIRST = "the first gap gets marks[0], the second marks[1], in the source and in the target."
steps.mistake(f"{ONE_EACH}: {TWO_FIRST}", read=the_first, written=the_first)
steps.mistake(f"{ONE_EACH}. Your target has them, your source says marks[0] everywhere.", read=the_first)
steps.mistake(f"{ONE_EACH}. Your source has them, your target says marks[0] everywhere.", written=the_first)
steps.mistake(
    "Two things: all gaps have the same mark, where each needs its own; and the target doesn't end with a mark.",
    read=the_first,
    written=the_first,
    last=nothing,
)
FINAL = (
    "The target ends with a mark: the next one, marks[len(spans)], which stands in no gap and says that this was all."
)
steps.mistake(FINAL, last=nothing)
steps.mistake(
    "The target's last mark is the next one, marks[len(spans)], not the last of the list: there may be more than are used.",
    last=lambda marks, k: marks[-1:],
)
steps.mistake(
    "The target's last mark is one that has been used already. It is the next one: marks[len(spans)].",
    last=lambda marks, k: [marks[max(k - 1, 0)]],
)
steps.mistake(
    "The target ends with marks[0], which stands for the first gap. The last mark is the next one: marks[len(spans)].",
    last=lambda marks, k: [marks[0]],
)
steps.mistake(
    "One mark is skipped before the target's last: marks are counted from 0, so the next one is marks[len(spans)].",
    last=lambda marks, k: marks[k + 1 : k + 2],
)
steps.mistake(
    "The target ends with all marks that are left over. One is enough: marks[len(spans)].",
    last=lambda marks, k: marks[k:],
)
steps.mistake(
    "A span goes from its start up to its end, as a slice does: the word at `end` isn't hidden any more.",
    until=lambda start, end: end + 1,
)
steps.mistake(
    "Your gaps end one word too soon: tokens[start:end] stops before `end` by itself.", until=lambda start, end: end - 1
)
steps.mistake(
    "You read a span as (start, length). It is (start, end): the words tokens[start:end] are hidden.",
    until=lambda start, end: start + end,
)
steps.mistake(
    "You leave a mark for every hidden word. One mark stands for the whole gap, so the source doesn't say how many words are missing.",
    left=lambda mark, hidden: [mark] * len(hidden),
)
steps.mistake(
    "You leave a mark for every hidden word, as BERT does, and ask for each by itself. One mark stands for the whole gap, in the source and in the target.",
    left=lambda mark, hidden: [mark] * len(hidden),
    asked=lambda mark, hidden: [each for word in hidden for each in (mark, word)],
)
steps.mistake(
    "In the target each word has a mark of its own in front. One mark, then all words of the gap.",
    asked=lambda mark, hidden: [each for word in hidden for each in (mark, word)],
)
steps.mistake(
    "The gaps are closed without a trace. Leave a mark in the source where words are missing, or nobody knows where they go.",
    left=nothing,
)
steps.mistake(
    "The hidden words still stand in the source, behind their marks: the answer is in the question. Go on from the span's end.",
    left=lambda mark, hidden: [mark, *hidden],
)
steps.mistake(
    "The hidden words still stand in the source, in front of their marks: the answer is in the question. Only the mark stays.",
    left=lambda mark, hidden: [*hidden, mark],
)
steps.mistake(
    "The words behind the last gap are lost: after the loop the source still needs tokens[place:].", behind=nothing
)
steps.mistake(
    "Two things: the words behind the last gap are lost; and the target doesn't end with a mark. Both belong after the loop.",
    behind=nothing,
    last=nothing,
)
steps.mistake(
    "The word right before a gap is lost. A slice stops before its end by itself: tokens[place:start].",
    before=lambda tokens, place, start: tokens[place : max(start - 1, place)],
)
steps.mistake(
    "The word right behind a gap is lost: `end` is the first word that isn't hidden. Go on from there.",
    before=lambda tokens, place, start: tokens[place + (place > 0) : start],
    behind=lambda tokens, place: tokens[place + (place > 0) :],
)
steps.mistake(
    "Before each gap you copy the text from its very beginning. Go on from where the last span ended: tokens[place:start].",
    before=lambda tokens, place, start: tokens[:start],
)
steps.mistake(
    "Only what stands behind the last gap and the marks come into the source. The words between the gaps, tokens[place:start], are missing.",
    before=nothing,
)
steps.mistake(
    "The target has the words without marks, so nobody can tell where one gap ends. In front of each gap's words stands its mark.",
    asked=lambda mark, hidden: hidden,
)
steps.mistake(
    "The target has the words alone. In front of each gap's words stands its mark, and at the very end the next one.",
    asked=lambda mark, hidden: hidden,
    last=nothing,
)
steps.mistake(
    "In the target the mark stands *behind* its words. It comes first: the decoder is told which gap, then it writes.",
    asked=lambda mark, hidden: [*hidden, mark],
)
steps.mistake(
    "In the target a mark stands behind the words and none before them: a gap's own mark comes first, and only the last one closes.",
    asked=lambda mark, hidden: [*hidden, mark],
    last=nothing,
)
steps.mistake(
    "Your marks begin with marks[1]. The first gap gets marks[0].",
    read=lambda marks, i: (marks + marks)[i + 1],
    written=lambda marks, i: (marks + marks)[i + 1],
)
steps.mistake(
    "Every mark is the same, marks[0]. Each gap has its own, or nobody can tell which words belong to which: marks[0], marks[1], …, in source and target; the last one is the next, marks[len(spans)].",
    read=lambda marks, i: marks[0],
    written=lambda marks, i: marks[0],
    last=lambda marks, k: marks[:1],
)
steps.mistake(
    "The target's marks are one further than the source's. A gap has the same mark in both.",
    written=lambda marks, i: (marks + marks)[i + 1],
)
steps.mistake(
    "You take the marks from the back of the list. The first gap gets marks[0].",
    read=lambda marks, i: marks[-1 - i],
    written=lambda marks, i: marks[-1 - i],
)
steps.mistake(
    "The first word of each gap is lost: the mark stands before it, it doesn't take its place in the target.",
    asked=lambda mark, hidden: [mark, *hidden[1:]],
)
steps.mistake(
    "Of each gap you ask for the first word only. All that was hidden is asked for: tokens[start:end].",
    asked=lambda mark, hidden: [mark, *hidden[:1]],
)
steps.mistake(
    "A gap's words are a list inside the list. Each token stands for itself: target += …, or extend, not append.",
    asked=lambda mark, hidden: [mark, hidden],
)
steps.mistake(
    "Source and target have changed places: first what is read, then what is written.",
    given=lambda source, target: (target, source),
)
steps.mistake("Only the source comes back. Return both: source, target.", given=lambda source, target: source)
steps.mistake("Only the target comes back. Return both: source, target.", given=lambda source, target: target)
steps.mistake(
    "Two texts come back. Two lists are asked for: leave the tokens as they are, without join.",
    given=lambda source, target: (" ".join(map(str, source)), " ".join(map(str, target))),
)


@span_corruption.mistake(FINAL[:-1] + "; in the source it has no place.")
def last_mark_in_both(tokens, spans, marks):
    source, target = _span_corruption(tokens, spans, marks)
    return [*source, marks[len(spans)]], target


@span_corruption.mistake("The last mark ends the *target*. You put it at the end of the source.")
def last_mark_in_the_source(tokens, spans, marks):
    source, target = _span_corruption(tokens, spans, marks)
    return source + target[-1:], target[:-1]


@span_corruption.mistake(
    "The target is the whole text with you, as in BART. Only what was hidden is written, each gap behind its mark: that is much shorter."
)
def whole_text(tokens, spans, marks):
    return _span_corruption(tokens, spans, marks)[0], list(tokens)


@span_corruption.mistake(
    "The target says what was *not* hidden. It is the other way round: in the target stand the marks and the words of the gaps."
)
def the_rest(tokens, spans, marks):
    bounds = [0, *(each for span in spans for each in span), len(tokens)]
    target = []
    for i in range(len(spans) + 1):
        target += tokens[bounds[2 * i] : bounds[2 * i + 1]] + marks[i : i + 1]
    return _span_corruption(tokens, spans, marks)[0], target


@span_corruption.mistake(
    "Once the first gap is cut out, all later words stand further to the left, and your spans count in the whole text. Build a new list; leave tokens as it is."
)
def places_moved(tokens, spans, marks):
    source, target = list(tokens), []
    for mark, (start, end) in zip(marks, spans):
        target += [mark, *tokens[start:end]]
        source[start:end] = [mark]
    return source, [*target, marks[len(spans)]]


@span_corruption.mistake(
    "Once the first gap is cut out, all later words stand further to the left, so your later gaps hide other words. Build a new list; leave tokens as it is."
)
def places_moved_in_both(tokens, spans, marks):
    source, target = list(tokens), []
    for mark, (start, end) in zip(marks, spans):
        target += [mark, *source[start:end]]
        source[start:end] = [mark]
    return source, [*target, marks[len(spans)]]


def by_hidden_places(tokens, spans, marks):
    """A gap begins where a hidden word follows one that isn't: two that touch become one."""
    hidden = {place for start, end in spans for place in range(start, end)}
    source, target, count = [], [], 0
    for place, token in enumerate(tokens):
        if place not in hidden:
            source.append(token)
            continue
        if place - 1 not in hidden:
            source.append(marks[count])
            target.append(marks[count])
            count += 1
        target.append(token)
    return source, target, marks[count]


@span_corruption.mistake(
    "Two gaps became one: where one span ends and the next begins at the same place, each keeps its own mark. Walk through the spans, not through the hidden words."
)
def two_became_one(tokens, spans, marks):
    source, target, last = by_hidden_places(tokens, spans, marks)
    return source, [*target, last]


@span_corruption.mistake(
    "Two things: where two spans touch, two gaps became one; and the target doesn't end with a mark."
)
def two_became_one_without_an_end(tokens, spans, marks):
    return by_hidden_places(tokens, spans, marks)[:2]


@span_corruption.mistake(
    "You hide words wherever they stand. Only the places of the spans are hidden: the same word elsewhere stays. Compare places, not words."
)
def by_words(tokens, spans, marks):
    source, target = list(tokens), []
    for mark, (start, end) in zip(marks, spans):
        target += [mark, *tokens[start:end]]
        source = [mark if token == tokens[start] else token for token in source]
        source = [token for token in source if token not in tokens[start + 1 : end]]
    return source, [*target, marks[len(spans)]]


@span_corruption.mistake(
    "You look for a gap's words with index, which finds the first place where such a word stands. The span says the place: tokens[start:end]."
)
def by_index(tokens, spans, marks):
    source, target = list(tokens), []
    for mark, (start, end) in zip(marks, spans):
        target += [mark, *tokens[start:end]]
        at = source.index(tokens[start])
        source[at : at + end - start] = [mark]
    return source, [*target, marks[len(spans)]]


@span_corruption.mistake(
    "You close every gap with the next mark, so the marks between two gaps come twice. One in front of each gap's words; only the last gap is followed by one more."
)
def closed_each(tokens, spans, marks):
    source, _ = _span_corruption(tokens, spans, marks)
    target = [each for i, (a, b) in enumerate(spans) for each in (marks[i], *tokens[a:b], marks[i + 1])]
    return source, target or marks[:1]


@span_corruption.mistake(
    "The words behind a gap go into the source inside the loop, so the later gaps' words come along. In the loop only tokens[place:start] and the mark; tokens[place:] once, after it."
)
def the_rest_in_the_loop(tokens, spans, marks):
    source, place = [], 0
    for mark, (start, end) in zip(marks, spans):
        source += [*tokens[place:start], mark, *tokens[end:]]
        place = end
    return source if spans else list(tokens), _span_corruption(tokens, spans, marks)[1]


@span_corruption.mistake(
    "The target's last mark is put in once for each gap: that line belongs after the loop, not into it."
)
def last_mark_in_the_loop(tokens, spans, marks):
    last = marks[len(spans)]
    target = [each for mark, (a, b) in zip(marks, spans) for each in (mark, *tokens[a:b], last)]
    return _span_corruption(tokens, spans, marks)[0], target or [last]


@span_corruption.mistake(
    "Your target begins with the last gap. To cut from the back is fine, but the target is written from the front: each gap's words in front of those that you have."
)
def target_from_the_back(tokens, spans, marks):
    gaps = [[mark, *tokens[a:b]] for mark, (a, b) in zip(marks, spans)]
    target = [each for gap in reversed(gaps) for each in gap]
    return _span_corruption(tokens, spans, marks)[0], [*target, marks[len(spans)]]


@span_corruption.mistake(
    "The target ends with an end mark of its own. It ends with the next *sentinel*, marks[len(spans)]; </s> comes when batches are made."
)
def end_of_text(tokens, spans, marks):
    source, target = _span_corruption(tokens, spans, marks)
    return source, [*target[:-1], "</s>"]


@span_corruption.mistake("Only the first gap is made. Is there a return inside the loop?")
def returns_too_soon(tokens, spans, marks):
    return _span_corruption(tokens, spans[:1], marks)


@span_corruption.mistake("The last gap stays unmade: your loop ends one span too soon.")
def stops_too_soon(tokens, spans, marks):
    return _span_corruption(tokens, spans[:-1], marks)


@span_corruption.mistake(
    "The target's last mark is missing where there are no gaps. It stands there, too: marks[0], nothing was hidden."
)
def nothing_to_say(tokens, spans, marks):
    source, target = _span_corruption(tokens, spans, marks)
    return source, target if spans else []


@span_corruption.mistake(
    "Where the last gap reaches the end of the text, your target has no last mark. It ends with one always."
)
def no_mark_at_the_end(tokens, spans, marks):
    source, target = _span_corruption(tokens, spans, marks)
    return source, target[:-1] if spans and spans[-1][1] == len(tokens) else target


@span_corruption.mistake(
    "The target is a list of lists, one for each gap. One list of tokens is asked for: target += …, not append."
)
def a_list_for_each_gap(tokens, spans, marks):
    source, _ = _span_corruption(tokens, spans, marks)
    return source, [[mark, *tokens[start:end]] for mark, (start, end) in zip(marks, spans)] + [[marks[len(spans)]]]


@span_corruption.mistake(
    "You use two marks for each gap, one to open and one to close it. One in front is enough: the next gap's mark closes it, and only the last gap is followed by one more."
)
def opened_and_closed(tokens, spans, marks):
    marks, source, target, place = marks * 3, [], [], 0
    for i, (start, end) in enumerate(spans):
        source += [*tokens[place:start], marks[2 * i]]
        target += [marks[2 * i], *tokens[start:end], marks[2 * i + 1]]
        place = end
    return source + tokens[place:], target


@span_corruption.mistake(
    "In the target all marks come first, then all words. Each gap's words stand right behind their own mark."
)
def marks_first(tokens, spans, marks):
    words = [token for start, end in spans for token in tokens[start:end]]
    return _span_corruption(tokens, spans, marks)[0], [*marks[: len(spans) + 1], *words]


@span_corruption.symptom("")
def what_the_lists_show(inputs, answer):
    """The first thing that is wrong with the source's marks, its words, the target's marks, its words."""
    tokens, spans, marks = inputs
    pairs = zip(answer, _span_corruption(*inputs), ("source", "target"))
    for own, right, name in pairs:
        if list(own) == right:
            continue
        nested = next((each for each in own if isinstance(each, (list, tuple))), None)
        if nested is not None:
            return (
                f"In your {name} stands a list, {nested}. Its tokens stand there one by one: += or extend, not append."
            )
        odd = next((each for each in own if each not in tokens and each not in marks), None)
        if odd is not None:
            return f"{odd!r} in your {name} is no token of the text, and no mark. Tokens are put in as they are, one by one."
        own_marks, right_marks = ([each for each in x if each in marks] for x in (own, right))
        if own_marks != right_marks:
            return f"The marks in your {name} are {own_marks}; for {len(spans)} gap{'s' * (len(spans) != 1)} they are {right_marks}."
        return _wrong_words(name, *([each for each in x if each not in marks] for x in (own, right)), inputs)
    return False


def _wrong_words(name, own, right, inputs):
    """What is wrong with the words of a list whose marks are right."""
    tokens, spans, _ = inputs
    hidden = {each for start, end in spans for each in tokens[start:end]}
    missing, extra = list((Counter(right) - Counter(own)).elements()), list((Counter(own) - Counter(right)).elements())
    if name == "source" and missing and not extra and hidden.issuperset(missing):
        return f"You hide words wherever they stand: {missing[0]!r} is missing from your source, where it stands outside the gaps, too. Compare places, not words."
    if name == "source" and extra and not missing and hidden.issuperset(extra):
        return f"Your source still has {', '.join(map(repr, extra))}, from the gaps. Only the mark stands there."
    if missing and not extra:
        return f"Missing from your {name}: {', '.join(map(repr, missing))}."
    if extra and not missing:
        return f"Too much in your {name}: {', '.join(map(repr, extra))}."
    if not missing:
        return f"The marks and the words of your {name} are right, but not their order."
    return f"The marks in your {name} are right, its words aren't: it has {', '.join(map(repr, extra))} in place of {', '.join(map(repr, missing))}."
