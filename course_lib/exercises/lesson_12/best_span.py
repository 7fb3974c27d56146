"""The answer's first and last token: chosen together, where an answer may stand."""

import torch

from course_lib import bert_heads
from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer, randn


def _best_span(start, end, allowed, max_len):
    first, last = bert_heads.best_span(start, end, allowed, max_len)
    return int(first), int(last)


def _scores(g, n, question, max_len=30, dtype=torch.float32, after=1):
    """Scores of n places: [CLS], a question, [SEP], the text, [SEP]. The text alone is allowed."""
    start, end = randn(g, n, dtype=dtype, size=2.0), randn(g, n, dtype=dtype, size=2.0)
    allowed = torch.zeros(n, dtype=torch.bool)
    allowed[question : n - after] = True
    return start, end, allowed, max_len


def _planted(g, n, question, places, max_len=30, size=12.0, after=1):
    """The same with large scores: {place: (added to start, to end)}, counted in the text."""
    start, end, allowed, max_len = _scores(g, n, question, max_len, after=after)
    for place, (a, b) in places.items():
        start[question + place] += a * size
        end[question + place] += b * size
    return start, end, allowed, max_len


def _negative(given):
    start, end, allowed, max_len = given
    return start - 40, end - 40, allowed, max_len


best_span = Code(
    "12.best_span",
    title="Where the answer stands",
    points=3,
    minutes=15,
    difficulty=3,
    reference=_best_span,
    axes=["first", "last"],
    results=("first place", "last place"),
    forbidden=("best_span",),
    cases=[
        Case("ten places, a question in front", lambda g: _scores(g, 10, 4)),
        Case("the likeliest end lies before the likeliest start", lambda g: _planted(g, 14, 5, {5: (1, 0), 1: (0, 1)})),
        Case(
            "a pair that fits together beats the best start",
            lambda g: _planted(g, 16, 5, {8: (1, 0), 1: (0.9, 0), 3: (0, 1)}),
        ),
        Case(
            "a pair that fits together beats the best end",
            lambda g: _planted(g, 16, 5, {1: (0, 1), 4: (1, 0), 7: (0, 0.9)}),
        ),
        Case("the best of all stands in the question", lambda g: _planted(g, 15, 6, {-4: (2, 0), -2: (0, 2)})),
        Case("the best start stands in the question", lambda g: _planted(g, 15, 6, {-4: (2, 0), 3: (1, 0), 5: (0, 1)})),
        Case("the best end is the last [SEP]", lambda g: _planted(g, 12, 5, {6: (0, 2), 1: (1, 0), 3: (0, 1)})),
        Case("one token alone", lambda g: _planted(g, 12, 4, {integer(g, 1, 5): (1, 1)})),
        Case("the best is too long", lambda g: _planted(g, 20, 5, {1: (1, 0), 12: (0, 1)}, max_len=integer(g, 4, 6))),
        Case("just long enough", lambda g: _planted(g, 16, 4, {2: (1, 0), 5: (0, 1)}, max_len=4)),
        Case("one too long", lambda g: _planted(g, 16, 4, {2: (1, 0), 6: (0, 1)}, max_len=4)),
        Case("one token at most", lambda g: _scores(g, 12, 4, max_len=1)),
        Case("all scores are negative", lambda g: _negative(_scores(g, 12, 5))),
        Case("one place is allowed", lambda g: _scores(g, 6, 4)),
        Case("everything is allowed", lambda g: _scores(g, integer(g, 5, 9), 0, after=0)),
        Case("any sizes", lambda g: _scores(g, integer(g, 20, 30), integer(g, 4, 9), max_len=integer(g, 3, 8))),
        Case("a long text", lambda g: _scores(g, 120, 20, max_len=15)),
        Case("double precision", lambda g: _scores(g, 15, 5, dtype=torch.float64)),
        Case(
            "the whole text, from the first place to the last",
            lambda g: _planted(g, 8, 0, {0: (1, 0), 7: (0, 1)}, after=0),
        ),
        Case("seven tokens, as many as may be", lambda g: _planted(g, 20, 4, {3: (1, 0), 9: (0, 1)}, max_len=7)),
    ],
    hints=[
        "Two argmaxes may choose an end before the start. A *pair* is chosen: which pairs (i, j) are possible?",
        "Loops first: i over all places, j from i to at most i + max_len − 1. Both must be allowed. Keep the best sum so far, beginning with −∞, and its i and j.",
        "Without loops: start[:, None] + end[None, :] is (n, n), a row for each i. Set −∞ where j < i, j > i + max_len − 1, or a place isn't allowed; divmod(argmax, n) is the place of the largest.",
    ],
)


def grid(n):
    """How many tokens a span from i to j has, minus 1; (n, n), negative where it ends before it begins."""
    places = torch.arange(n)
    return places[None, :] - places[:, None]


def added(start, end):
    return start[:, None] + end[None, :]


def largest(score, possible):
    return divmod(score.masked_fill(~possible, -torch.inf).argmax().item(), score.shape[1])


@best_span.variants
def steps(
    start,
    end,
    allowed,
    max_len,
    *,
    score=added,
    ordered=lambda length: length >= 0,
    short=lambda length, max_len: length < max_len,
    inside=lambda allowed: allowed[:, None] & allowed[None, :],
    best=largest,
    result=lambda first, last, allowed: (first, last),
):
    length = grid(len(start))
    possible = ordered(length) & short(length, max_len) & inside(allowed)
    return result(*best(score(start, end), possible), allowed)


def anything(length, *_):
    return torch.ones_like(length, dtype=torch.bool)


steps.mistake("A span can't end before it begins: your j may be smaller than i.", ordered=anything)
steps.mistake(
    "Your span ends before it begins, or has one token: i and j have changed places in the condition. j ≥ i.",
    ordered=lambda length: length <= 0,
    short=lambda length, max_len: length > -max_len,
)
steps.mistake(
    "Your spans end before they begin, or have one token. j ≥ i: that is triu, the upper half of the table, not tril.",
    ordered=lambda length: length <= 0,
)
steps.mistake("A span may be one token: j may be equal to i.", ordered=lambda length: length > 0)
steps.mistake(
    "Your answer stands in the question, or at a mark. Both ends must be allowed: that is where the text stands.",
    inside=lambda allowed: torch.ones(len(allowed), len(allowed), dtype=torch.bool),
)
steps.mistake(
    "Only the start must be allowed with you, so a span may end at [SEP]. Both ends must.",
    inside=lambda allowed: allowed[:, None].expand(-1, len(allowed)),
)
steps.mistake(
    "Only the end must be allowed with you, so a span may begin in the question. Both ends must.",
    inside=lambda allowed: allowed[None, :].expand(len(allowed), -1),
)
steps.mistake(
    "The last place is never the end of your span: does a range stop one early?",
    inside=lambda allowed: allowed[:, None] & (allowed & (torch.arange(len(allowed)) < len(allowed) - 1))[None, :],
)
steps.mistake(
    "The first place, 0, is never the start of your span: does a range begin at 1?",
    inside=lambda allowed: (allowed & (torch.arange(len(allowed)) > 0))[:, None] & allowed[None, :],
)
steps.mistake(
    "With `or` one of the two ends may stand in the question. Both must be allowed: and.",
    inside=lambda allowed: allowed[:, None] | allowed[None, :],
)
steps.mistake(
    "`allowed` is read the wrong way round: True is where an answer may stand.",
    inside=lambda allowed: ~allowed[:, None] & ~allowed[None, :],
)
steps.mistake(
    "With a `break` all ends at the first place that isn't allowed, [CLS]. Such a place is left out, and the loop goes on: continue.",
    inside=lambda allowed: (allowed.int().cumprod(0) > 0)[:, None] & allowed[None, :],
)
steps.mistake("Your spans get longer than max_len.", short=anything)
steps.mistake(
    "max_len is counted from the input's beginning, j < max_len. It counts from the span's own: j < i + max_len.",
    short=lambda length, max_len: (torch.arange(len(length)) < max_len).expand_as(length),
)
steps.mistake(
    "Your spans may have max_len + 1 tokens. Both ends count: from i to j there are j − i + 1.",
    short=lambda length, max_len: length <= max_len,
)
steps.mistake(
    "Your spans have max_len − 1 tokens at most. With max_len tokens the last is i + max_len − 1, and range ends before its end.",
    short=lambda length, max_len: length < max_len - 1,
)
steps.mistake(
    "Your spans are at least max_len long. They are at most.", short=lambda length, max_len: length >= max_len - 1
)
steps.mistake("The smallest sum is chosen. Take the largest.", score=lambda s, e: -added(s, e))
steps.mistake("The end's score is subtracted. Both are added.", score=lambda s, e: s[:, None] - e[None, :])
steps.mistake("The start's score is subtracted. Both are added.", score=lambda s, e: e[None, :] - s[:, None])
steps.mistake(
    "The scores are multiplied: two bad ones, both negative, make a good span. They are logits: add them.",
    score=lambda s, e: s[:, None] * e[None, :],
)
steps.mistake(
    "You add probabilities. Logits are added: that is the product of both probabilities, up to a factor.",
    score=lambda s, e: s.softmax(0)[:, None] + e.softmax(0)[None, :],
)
steps.mistake(
    "Start and end have changed places in the sum: start[i] + end[j].", score=lambda s, e: e[:, None] + s[None, :]
)
steps.mistake(
    "Only the start's score counts with you. The end's is added.", score=lambda s, e: s[:, None].expand(-1, len(e))
)
steps.mistake(
    "Only the end's score counts with you. The start's is added.", score=lambda s, e: e[None, :].expand(len(s), -1)
)
steps.mistake(
    "You take the larger of the two scores. They are added.", score=lambda s, e: torch.maximum(s[:, None], e[None, :])
)
steps.mistake(
    "You divide by the span's length. The sum of both scores counts as it is.",
    score=lambda s, e: added(s, e) / (grid(len(s)) + 1).clamp(min=1),
)
steps.mistake(
    "You take the length off the sum: short spans win. The sum of both scores counts as it is.",
    score=lambda s, e: added(s, e) - grid(len(s)),
)
steps.mistake(
    "You add up all scores from i to j. A span's score is that of its two ends: start[i] + end[j].",
    score=lambda s, e: (
        (e.cumsum(0)[None, :] - (s.cumsum(0) - s)[:, None]) + (s.cumsum(0)[None, :] - (e.cumsum(0) - e)[:, None])
    ),
)


for sentence, alone in {
    "The scores are squared: then a bad one counts as a good one.": torch.square,
    "You take away the signs of the scores: then a bad one counts as a good one.": torch.abs,
}.items():
    steps.mistake(sentence, score=lambda s, e, alone=alone: added(alone(s), alone(e)))
steps.mistake(
    "The smaller of the two scores counts with you. They are added.",
    score=lambda s, e: torch.minimum(s[:, None], e[None, :]),
)


def keeps_the_best_above(low, at_first=(0, 0)):
    """Two loops, with a best sum that begins at `low`."""

    def best(score, possible):
        found, at = low, at_first
        for i, j in possible.nonzero().tolist():
            if score[i, j] > found:
                found, at = score[i, j].item(), (i, j)
        return at

    return best


steps.mistake(
    "Where all sums are far below 0, what you hide pairs by, or begin with, beats them: 0, say. −∞ does neither.",
    best=keeps_the_best_above(0.0),
)
steps.mistake(
    "Where all sums are negative, none beats your 0, and None comes back: the best sum so far begins at −∞.",
    best=keeps_the_best_above(0.0, (None, None)),
    result=lambda first, last, allowed: None if first is None else (first, last),
)
steps.mistake(
    "The first possible span is taken, whatever its score. Is there a return inside the loop?",
    best=lambda score, possible: tuple(possible.nonzero()[0].tolist()),
)
steps.mistake(
    "The last possible span is taken, whatever its score. What a loop's variables hold at its end isn't the best: keep it.",
    best=lambda score, possible: tuple(possible.nonzero()[-1].tolist()),
)


def always_updated(score, possible):
    """The best sum so far is compared, and never stored: each that beats −∞ is taken."""
    at, before = (0, 0), -torch.inf
    for i, j in possible.nonzero().tolist():
        if score[i, j] > before:
            at = (i, j)
        before = score[i, j].item()
    return at


steps.mistake(
    "Each sum is compared with the one before it, not with the best so far. Store the best where it is beaten.",
    best=always_updated,
)
steps.mistake(
    "The last place is included in the answer: j itself, not j + 1.",
    result=lambda first, last, allowed: (first, last + 1),
)
steps.mistake(
    "The places are counted from the text's beginning. Count them from the input's, [CLS] is 0.",
    result=lambda first, last, allowed: (first - int(allowed.int().argmax()), last - int(allowed.int().argmax())),
)
steps.mistake(
    "First and last have changed places: the first place comes first.",
    result=lambda first, last, allowed: (last, first),
)
steps.mistake(
    "Places are counted from 0, as Python counts: leave out the + 1.",
    result=lambda first, last, allowed: (first + 1, last + 1),
)
steps.mistake(
    "The first place and the *length* come back. The last place is asked for.",
    result=lambda first, last, allowed: (first, last - first + 1),
)
steps.mistake(
    "The first place comes back twice. The second number is the span's last place.",
    result=lambda first, last, allowed: (first, first),
)
steps.mistake(
    "All places of the span come back. The first and the last are asked for: (first, last).",
    result=lambda first, last, allowed: list(range(first, last + 1)),
)
steps.mistake(
    "The numbers are right, but they are tensors. Make Python numbers of them: .item().",
    result=lambda first, last, allowed: (torch.tensor(first), torch.tensor(last)),
)
steps.mistake(
    "Only the first place comes back. Both are asked for: first, last.", result=lambda first, last, allowed: first
)
steps.mistake(
    "Two mistakes: the span may end before it begins, and it may stand in the question.",
    ordered=anything,
    inside=lambda allowed: torch.ones(len(allowed), len(allowed), dtype=torch.bool),
)


@best_span.mistake("The score comes back. Asked for is where the best span stands: its first and its last place.")
def the_score(start, end, allowed, max_len):
    first, last = _best_span(start, end, allowed, max_len)
    return (start[first] + end[last]).item()


@best_span.mistake("The index in the table of all pairs comes back. divmod(index, n) makes row and column of it.")
def the_index(start, end, allowed, max_len):
    first, last = _best_span(start, end, allowed, max_len)
    return first * len(start) + last


def hidden(scores, where):
    return scores.masked_fill(~where, -torch.inf)


def one_by_one(sentence, choose):
    """Start and end are chosen one after the other, or apart."""

    @best_span.mistake(sentence)
    def chosen(start, end, allowed, max_len):
        return choose(start, end, allowed, max_len, torch.arange(len(start)))


def from_on(start, end, allowed, max_len, places):
    i = hidden(start, allowed).argmax().item()
    return i, hidden(end, allowed & (places >= i) & (places < i + max_len)).argmax().item()


def up_to(start, end, allowed, max_len, places):
    j = hidden(end, allowed).argmax().item()
    return hidden(start, allowed & (places <= j) & (places > j - max_len)).argmax().item(), j


def apart(start, end, allowed, max_len, places):
    return hidden(start, allowed).argmax().item(), hidden(end, allowed).argmax().item()


one_by_one(
    "You choose the best start and the best end apart: the end may lie before the start, or too far behind. Choose them together, the best *pair*.",
    apart,
)
one_by_one(
    "You choose the best start and the best end apart, and in the whole input. Choose them together, the best *pair* of allowed places.",
    lambda start, end, allowed, max_len, places: (start.argmax().item(), end.argmax().item()),
)
one_by_one(
    "You choose the best start first, and then an end that fits. A worse start with a better end may be the better pair: choose them together.",
    from_on,
)
one_by_one(
    "You choose the best start first, and then an end that fits, without max_len. Choose both together, the best *pair*.",
    lambda start, end, allowed, max_len, places: from_on(start, end, allowed, len(start), places),
)
one_by_one(
    "You choose the best end first, and then a start that fits. A worse end with a better start may be the better pair: choose them together.",
    up_to,
)
one_by_one(
    "You choose the best end first, and then a start that fits, without max_len. Choose both together, the best *pair*.",
    lambda start, end, allowed, max_len, places: up_to(start, end, allowed, len(start), places),
)
one_by_one(
    "You choose start and end apart, and exchange them where they cross. That is another pair, with other scores: choose them together.",
    lambda *given: tuple(sorted(apart(*given))),
)
one_by_one(
    "You choose start and end apart, and where they cross the end is put at the start. Choose them together, the best *pair*.",
    lambda *given: (apart(*given)[0], max(apart(*given))),
)
one_by_one(
    "You choose start and end apart, and cut where the span gets too long. Choose them together, the best *pair*.",
    lambda start, end, allowed, max_len, places: (
        i := apart(start, end, allowed, max_len, places)[0],
        min(max(apart(start, end, allowed, max_len, places)), i + max_len - 1),
    ),
)
one_by_one(
    "You take the best *single* place, start[i] + end[i]. A span may have more tokens: start[i] + end[j]. (A mean over a span is never above its best place, either.)",
    lambda start, end, allowed, max_len, places: (hidden(start + end, allowed).argmax().item(),) * 2,
)
one_by_one(
    "You find the best pair first, and only then look whether it is possible. Leave the impossible pairs out *before* you choose.",
    lambda start, end, allowed, max_len, places: _best_of_all(start, end, allowed),
)
one_by_one(
    "The whole text comes back: from the first allowed place to the last.",
    lambda start, end, allowed, max_len, places: (places[allowed].min().item(), places[allowed].max().item()),
)


def _best_of_all(start, end, allowed):
    pair = start.argmax().item(), end.argmax().item()
    possible = pair[0] <= pair[1] and allowed[pair[0]] and allowed[pair[1]]
    return pair if possible else (0, 0)


@best_span.symptom("")
def what_the_span_is(inputs, answer):
    """An impossible span, or one that isn't the best."""
    start, end, allowed, max_len = inputs
    i, j = answer
    if not all(type(x) is int and 0 <= x < len(start) for x in (i, j)):
        return f"The places are 0 to {len(start) - 1}; a place beyond them comes out."
    first, last = _best_span(*inputs)
    if (i, j) == (0, 0) and not allowed[0]:
        return f"(0, 0) comes back: no pair was found at all, though ({first}, {last}) is a possible one. What leaves it out?"
    if j < i:
        return f"Your span ends before it begins, {j} < {i}."
    for x, end_of in ((i, "begins"), (j, "ends")):
        if not allowed[x]:
            return f"Your span {end_of} at place {x}, which isn't allowed: that is the question, or a mark."
    if j - i >= max_len:
        return f"Your span has {j - i + 1} tokens, and max_len is {max_len}."
    own, best = (start[a] + end[b] for a, b in ((i, j), (first, last)))
    length = grid(len(start))
    possible = (length >= 0) & (length < max_len) & allowed[:, None] & allowed[None, :]
    for says, left_out in {
        f"Your spans have max_len − 1 tokens at most: the best has {last - first + 1}, and max_len is {max_len}. The last place is i + max_len − 1, and range ends before its end.": length
        == max_len - 1,
        f"A span of one token is never yours, and here it is the best, place {first}: j may be equal to i.": length
        == 0,
        "The last allowed place is never the end of your span, and here it should be: does a range stop too early?": (
            torch.arange(len(start)) == allowed.nonzero().max()
        )[None, :],
        "The first allowed place is never the start of your span, and here it should be: where does the loop begin?": (
            torch.arange(len(start)) == allowed.int().argmax()
        )[:, None],
    }.items():
        left_out = left_out.expand_as(possible)
        if left_out[first, last] and not left_out[i, j] and (i, j) == largest(added(start, end), possible & ~left_out):
            return says
    return f"Your span is a possible one, but start[{i}] + end[{j}] = {own:.3g}, and start[{first}] + end[{last}] = {best:.3g} is larger."
