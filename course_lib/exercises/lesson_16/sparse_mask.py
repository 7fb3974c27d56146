"""The mask of Big Bird: a window, global tokens, and keys drawn at random."""

import torch

from course_lib import masks
from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer


def _chosen(g, n, r):
    return torch.randint(n, (n, r), generator=g)


def _pattern(g, n, window, num_global, r):
    return n, window, num_global, _chosen(g, n, r)


def _reference(n, window, num_global, chosen):
    return masks.sparse_mask(n, window, num_global, chosen)


sparse_mask = Code(
    "16.sparse_mask",
    title="Who may look at whom?",
    points=3,
    minutes=12,
    difficulty=2,
    reference=_reference,
    axes=["query key"],
    forbidden=("sparse_mask",),
    cases=[
        Case("eight words", lambda g: _pattern(g, 8, 1, 1, 1)),
        Case("a longer text", lambda g: _pattern(g, integer(g, 14, 19), 2, 2, 2)),
        Case("no random keys", lambda g: _pattern(g, integer(g, 9, 12), 2, 1, 0)),
        Case("no global tokens", lambda g: _pattern(g, 10, 1, 0, 2)),
        Case("random keys alone", lambda g: _pattern(g, 9, 0, 0, 3)),
        Case("a window alone", lambda g: _pattern(g, integer(g, 12, 16), 3, 0, 0)),
        Case("a window as wide as the text", lambda g: _pattern(g, 5, 5, 0, 0)),
        Case("all tokens are global", lambda g: _pattern(g, 4, 0, 4, 1)),
        Case("one word", lambda g: _pattern(g, 1, 1, 0, 1)),
        Case("a window of 4 in a long text", lambda g: _pattern(g, integer(g, 40, 60), 4, 3, 3)),
    ],
    hints=[
        "Write three masks and join them: True where any of them is. Which operator joins two boolean tensors so?",
        "The window: place = torch.arange(n), and (place[:, None] − place).abs() <= window. Global tokens have a row each and a column each.",
        "Row i of chosen holds columns of row i: mask.scatter(1, chosen, True), or mask[i, chosen[i]] = True in a loop over the queries.",
    ],
)


def steps_between(n):
    """query − key"""
    place = torch.arange(n)
    return place[:, None] - place


def first(n, num_global):
    return torch.arange(n) < num_global


def nobody(n, num_global):
    return torch.zeros(n, dtype=torch.bool)


def scattered(n, chosen):
    return torch.zeros(n, n, dtype=torch.bool).scatter(1, chosen, True)


def any_of(near, glob, drawn):
    return near | glob | drawn


@sparse_mask.variants
def steps(
    n,
    window,
    num_global,
    chosen,
    *,
    near=masks.window_mask,
    queries=first,
    keys=first,
    crossed=torch.logical_or,
    drawn=scattered,
    joined=any_of,
    given=lambda mask: mask,
):
    glob = crossed(queries(n, num_global)[:, None], keys(n, num_global)[None, :])
    return given(joined(near(n, window), glob, drawn(n, chosen)))


def within(low, high):
    """A window from `low` to `high` of its size, in steps from query back to key."""
    return lambda n, window: (steps_between(n) >= low * window) & (steps_between(n) <= high * window)


def by_slices(n, window, start):
    mask = torch.zeros(n, n, dtype=torch.bool)
    for i in range(n):
        mask[i, start(i) : i + window + 1] = True
    return mask


def at_most(size):
    return lambda n, window: steps_between(n).abs() <= size(window)


GLOBAL_KEYS_MISSING = "Your global tokens see all, but not all see them. They must be *seen* as well: the first num_global columns are True, too."
ONE_SIDED = "Your window reaches to the left only. Neighbours stand on both sides: |i − j| ≤ window."

steps.mistake(GLOBAL_KEYS_MISSING, keys=nobody)
steps.mistake(
    "Your global tokens are seen by all, but don't *see* all. They look at everything as well: the first num_global rows are True, too.",
    queries=nobody,
)
steps.mistake(
    "Your global tokens see each other only. They see all words and are seen by all: whole rows and whole columns.",
    crossed=torch.logical_and,
)
steps.mistake(
    "The global tokens are missing: the first num_global rows and columns are True.", queries=nobody, keys=nobody
)
steps.mistake(ONE_SIDED, near=within(0, 1))
steps.mistake(
    "Your window reaches to the right only. Neighbours stand on both sides: |i − j| ≤ window.", near=within(-1, 0)
)
steps.mistake(
    "Two things: your window reaches to the left only, and neighbours stand on both sides; and your global tokens see all, but aren't seen by all.",
    near=within(0, 1),
    keys=nobody,
)
steps.mistake(
    "Two things: your window reaches to the left only, and neighbours stand on both sides; and your global tokens are seen by all, but don't see all.",
    near=within(0, 1),
    queries=nobody,
)
steps.mistake(
    "Your window ends one word too soon, at |i − j| < window. The word `window` steps away is still in it: ≤.",
    near=at_most(lambda w: w - 1),
)
steps.mistake("Your window is one word too wide on each side: |i − j| ≤ window.", near=at_most(lambda w: w + 1))
steps.mistake(
    "You take `window` for the whole width. It counts the words on *each* side: |i − j| ≤ window.",
    near=at_most(lambda w: w // 2),
)
steps.mistake("Your window is twice as wide: |i − j| ≤ window on each side.", near=at_most(lambda w: 2 * w))
steps.mistake(
    "Your window begins at i − window and ends before i + window: in a slice or range the end isn't part of it. Up to i + window + 1.",
    near=lambda n, w: (steps_between(n) <= w) & (steps_between(n) > -w),
)
steps.mistake(
    "Your window leaves out its left end: it goes from i − window to i + window, both included.",
    near=lambda n, w: (steps_between(n) < w) & (steps_between(n) >= -w),
)
steps.mistake(
    "No word looks at itself in your window. It stands in the middle of it: |i − i| = 0.",
    near=lambda n, w: masks.window_mask(n, w) & (steps_between(n) != 0),
)
steps.mistake(
    "Only the word `window` steps away is in your window, with nothing between. All up to there are: ≤, not ==.",
    near=lambda n, w: steps_between(n).abs() == w,
)
steps.mistake(
    "Your window goes round: the first word sees the last one. A text is no ring; the window ends at its ends.",
    near=lambda n, w: torch.minimum(steps_between(n) % n, -steps_between(n) % n) <= w,
)
steps.mistake(
    "Your windows are blocks: words see those of their own block, and the one at its edge has neighbours on one side only. The window moves with each word: |i − j| ≤ window.",
    near=lambda n, w: torch.arange(n)[:, None] // max(w, 1) == torch.arange(n) // max(w, 1),
)
steps.mistake(
    "Your blocks are whole: a word sees all of its own block, the one before and the one after. That is how the words are found quickly; what may be seen is still cut to |i − j| ≤ window.",
    near=lambda n, w: (torch.arange(n)[:, None] // max(w, 1) - torch.arange(n) // max(w, 1)).abs() <= 1,
)
steps.mistake(
    "The sign: i − j ≤ window is true of everything that comes later. The distance has none: |i − j|, .abs().",
    near=lambda n, w: steps_between(n) <= w,
)
steps.mistake(
    "The sign: j − i ≤ window is true of everything that came before. The distance has none: |i − j|, .abs().",
    near=lambda n, w: -steps_between(n) <= w,
)
steps.mistake(
    "A slice that begins below 0 counts from the end: the first words lose their windows. Begin at max(0, i − window).",
    near=lambda n, w: by_slices(n, w, lambda i: i - w),
)
steps.mistake(
    "i − window is negative for the first words, and −1 is the *last* column: they see the end of the text. Leave out what lies below 0.",
    near=lambda n, w: masks.window_mask(n, w) | (steps_between(n) + n <= w),
)
for _size in (1, 2, 3):
    steps.mistake(
        f"Your window is {_size} whatever is asked for: `window` comes in as an argument.",
        near=lambda n, w, size=_size: masks.window_mask(n, size),
    )
steps.mistake(
    "The window is missing: each word sees itself and `window` words on each side.",
    near=lambda n, w: torch.zeros(n, n, dtype=torch.bool),
)
steps.mistake(
    "Of the window each word has itself alone. Its neighbours belong to it: |i − j| ≤ window.",
    near=lambda n, w: torch.eye(n, dtype=torch.bool),
)
steps.mistake(
    "You marked what lies *outside* the window: |i − j| > window. Its words are to be seen: ≤.",
    near=lambda n, w: ~masks.window_mask(n, w),
)
steps.mistake(
    "The chosen keys are turned round. chosen[i] belongs to *query* i: in row i they are columns.",
    drawn=lambda n, chosen: scattered(n, chosen).mT,
)
steps.mistake(
    "You made the chosen pairs symmetric: j may look at i because i may look at j. Each query has its own keys, in its row alone.",
    drawn=lambda n, chosen: scattered(n, chosen) | scattered(n, chosen).mT,
)
steps.mistake(
    "The chosen keys are missing: in row i the columns chosen[i] are True.",
    drawn=lambda n, chosen: torch.zeros(n, n, dtype=torch.bool),
)


def _columns(n, chosen):
    mask = torch.zeros(n, n, dtype=torch.bool)
    mask[:, chosen] = True
    return mask


def _rows(n, chosen):
    mask = torch.zeros(n, n, dtype=torch.bool)
    mask[chosen] = True
    return mask


steps.mistake(
    "Every chosen key is open to *all* queries: that is what mask[:, chosen] = True does. Row i of chosen is for query i alone: mask.scatter(1, chosen, True), or a loop over the rows.",
    drawn=_columns,
)
steps.mistake(
    "mask[chosen] = True opens whole *rows*: each chosen key sees all. chosen[i] are columns of row i: mask.scatter(1, chosen, True), or a loop over the rows.",
    drawn=_rows,
)
steps.mistake(
    "Only the first of each query's chosen keys is open. All r of them are.",
    drawn=lambda n, chosen: scattered(n, chosen[:, :1]),
)
steps.mistake(
    "Only the last of each query's chosen keys is open. All r of them are.",
    drawn=lambda n, chosen: scattered(n, chosen[:, -1:]),
)
steps.mistake(
    "All queries have the keys chosen for the first one. Row i of chosen is for query i.",
    drawn=lambda n, chosen: scattered(n, chosen[:1].expand(n, -1)),
)
steps.mistake(
    "scatter along dim=0 takes the chosen numbers for *rows*, and what stands in column r for column r. Row i keeps its row: dim=1.",
    drawn=lambda n, chosen: torch.zeros(n, n, dtype=torch.bool).scatter(0, chosen, True),
)
steps.mistake(
    "Only the first r queries get their chosen keys: chosen.shape[1] is r, how many keys a query has. Go over all n rows.",
    drawn=lambda n, chosen: scattered(n, chosen) & (torch.arange(n) < chosen.shape[1])[:, None],
)
steps.mistake(
    "Your chosen keys lie one place too far to the left: places are counted from 0 in chosen, too.",
    drawn=lambda n, chosen: scattered(n, (chosen - 1) % n),
)
steps.mistake(
    "You took the chosen keys for steps away from the query, i + chosen[i]. They are places in the text, counted from 0.",
    drawn=lambda n, chosen: scattered(n, (torch.arange(n)[:, None] + chosen) % n),
)
steps.mistake(
    "The chosen keys have replaced the window. They come in addition to it.",
    joined=lambda near, glob, drawn: glob | (drawn if drawn.any() else near),
)
steps.mistake(
    "Your three rules are joined by “and”. One of them is enough: | between the masks.",
    joined=lambda near, glob, drawn: near & glob & drawn,
)
for _joined_by_and, _joined in {
    "window and global tokens": lambda near, glob, drawn: near & glob | drawn,
    "window and chosen keys": lambda near, glob, drawn: near & drawn | glob,
    "global tokens and chosen keys": lambda near, glob, drawn: glob & drawn | near,
    "the window and both others": lambda near, glob, drawn: near & (glob | drawn),
    "the global tokens and both others": lambda near, glob, drawn: glob & (near | drawn),
    "the chosen keys and both others": lambda near, glob, drawn: drawn & (near | glob),
}.items():
    steps.mistake(
        f"“And” stands between {_joined_by_and}. One of the three rules is enough: | between all of them.",
        joined=_joined,
    )
steps.mistake(
    "Where two rules meet, your mask is closed again: adding, or ^, counts True and True as False. One of them is enough: |.",
    joined=lambda near, glob, drawn: near ^ glob ^ drawn,
)
steps.mistake(
    "A cell is open in yours where exactly one rule holds. Where two meet it is open just as well: |, or > 0 in place of == 1.",
    joined=lambda near, glob, drawn: near.int() + glob.int() + drawn.int() == 1,
)
steps.mistake(
    "A chosen key that was open already is closed by yours: don't flip it, set it to True.",
    joined=lambda near, glob, drawn: (near | glob) ^ drawn,
)
ONE_INDEX = "Only the token at place num_global is global in yours. All those before it are, and it isn't: the first num_global."


def at_place(n, num_global):
    """mask[num_global], which fails where all tokens are global."""
    chosen = torch.zeros(n, dtype=torch.bool)
    chosen[num_global] = True
    return chosen


for _side, _which in {
    "You have one global token too many: 0 … num_global − 1 are the first num_global, < and not ≤.": lambda n, g: (
        torch.arange(n) <= g
    ),
    "The *last* tokens are global in yours. The first num_global are.": lambda n, g: torch.arange(n) >= n - g,
    ONE_INDEX: lambda n, g: torch.arange(n) == g,
    "The first token isn't global in yours: places are counted from 0.": lambda n, g: (
        (torch.arange(n) <= g) & (torch.arange(n) > 0)
    ),
    "The first two tokens are global in yours, whatever is asked for: num_global comes in as an argument.": lambda n, g: (
        torch.arange(n) < 2
    ),
    "You opened the rows and columns *behind* the first num_global: [num_global:]. The first ones are [:num_global].": lambda n, g: (
        torch.arange(n) >= g
    ),
    "Only the first token is global in yours. The first num_global are.": lambda n, g: torch.arange(n) < min(g, 1),
}.items():
    steps.mistake(_side, queries=_which, keys=_which)
steps.mistake(
    "mask[num_global] is one row alone, and none at all where all tokens are global. The first num_global are: mask[:num_global].",
    queries=at_place,
    keys=at_place,
)
steps.mistake(
    "You marked what is hidden. In this course, as in torch's scaled_dot_product_attention, True means “may look”.",
    given=lambda mask: ~mask,
)
steps.mistake(
    "No word looks at itself in your mask: the diagonal is closed. |i − i| is 0, which is in every window.",
    given=lambda mask: mask & ~torch.eye(len(mask), dtype=torch.bool),
)
steps.mistake("It holds floats, 1.0 and 0.0. A mask is boolean: end with .bool().", given=lambda mask: mask.float())
steps.mistake("It holds whole numbers. A mask is boolean: end with .bool().", given=lambda mask: mask.long())
steps.mistake(
    "That is the mask for adding: 0 where one may look, −∞ elsewhere. Here it is boolean: True where one may look.",
    given=lambda mask: torch.zeros(mask.shape).masked_fill(~mask, float("-inf")),
)
steps.mistake(
    "You have hidden the future as well. This text is read whole: a window has two sides, and global tokens are seen from everywhere.",
    given=torch.tril,
)
steps.mistake(
    "The mask needs no axes for batch and head: it should be (n, n), and broadcasts to them by itself.",
    given=lambda mask: mask[None, None],
)
steps.mistake(
    "That is a list of lists with the right values. Make a tensor of it: torch.tensor(…).",
    given=lambda mask: mask.tolist(),
)
steps.mistake(
    "Those are the places that are open, one pair (query, key) a row. A mask is asked for: (n, n), True there and False elsewhere.",
    given=torch.nonzero,
)


@sparse_mask.mistake(
    "`for i, j in chosen` takes each row for a pair (query, key). Row i holds r keys of query i: for i in range(n), then mask[i, chosen[i]] = True."
)
def rows_as_pairs(n, window, num_global, chosen):
    mask = masks.sparse_mask(n, window, num_global)
    for i, j in chosen:
        mask[i, j] = True
    return mask


@sparse_mask.mistake(
    "`near | place < num_global` is read as `(near | place) < num_global`: | binds more strongly than <. Put the comparison in brackets, near | (place < num_global)."
)
def bars_before_comparisons(n, window, num_global, chosen):
    place = torch.arange(n)
    mask = masks.window_mask(n, window) | (place[:, None] < num_global) | place < num_global
    return mask.scatter(1, chosen, True)


def glob(n, num_global):
    return first(n, num_global)[:, None] | first(n, num_global)


@sparse_mask.mistake(
    "`distance <= window | …` is read as `distance <= (window | …)`: | binds more strongly than <=. Put the comparison in brackets, (distance <= window) | …"
)
def bars_before_the_window(n, window, num_global, chosen):
    mask = steps_between(n).abs() <= window | glob(n, num_global)
    return mask.scatter(1, chosen, True)


@sparse_mask.mistake(
    "`distance <= window | …` is read as `distance <= (window | …)`, with all that follows: | binds more strongly than <=. Put the comparison in brackets, (distance <= window) | …"
)
def bars_before_the_window_and_all(n, window, num_global, chosen):
    return steps_between(n).abs() <= window | glob(n, num_global) | scattered(n, chosen)


@sparse_mask.symptom(
    "No tokens are added for the global ones: they are the first num_global of the text's own n.", any_shape=True
)
def tokens_added(inputs, answer):
    n, _, num_global, _ = inputs
    return isinstance(answer, torch.Tensor) and num_global > 0 and answer.shape == (n + num_global,) * 2


def _parts(inputs):
    """The three rules' own masks."""
    n, window, num_global, chosen = inputs
    return masks.window_mask(n, window), masks.sparse_mask(n, 0, num_global), scattered(n, chosen)


@sparse_mask.symptom(
    "Window and global tokens are right, but the random keys are others than those in chosen: are they drawn anew? Random, but fixed: chosen[i] holds them for query i."
)
def drawn_anew(inputs, answer):
    near, glob, drawn = _parts(inputs)
    if answer.dtype != torch.bool or not inputs[3].numel() or not (answer | ~(near | glob)).all():
        return False
    extra = answer & ~(near | glob)
    return bool(extra.any() and (extra & ~drawn).any() and (drawn & ~near & ~glob & ~answer).any())


@sparse_mask.symptom("")
def which_rule_is_broken(inputs, answer):
    """The first cell that is wrong, and the rule that it breaks."""
    if answer.dtype != torch.bool:
        return False
    (near, glob, drawn), right = _parts(inputs), _reference(*inputs)
    missing, extra = (right & ~answer).nonzero().tolist(), (answer & ~right).nonzero().tolist()
    for i, j in missing:
        steps_apart = abs(i - j)
        if glob[i, j] and i != j and not near[i, j] and not drawn[i, j]:
            who = (
                f"Token {i} is global and should see word {j}"
                if i < inputs[2]
                else f"Word {i} should see token {j}, which is global"
            )
            return f"{who}: with you it doesn't. Global tokens have whole rows and whole columns."
        if near[i, j] and not glob[i, j] and not drawn[i, j]:
            whom = (
                "itself"
                if i == j
                else f"word {j}, {steps_apart} step{'s' * (steps_apart > 1)} away in a window of {inputs[1]}"
            )
            return f"Word {i} doesn't see {whom}, in a text of {inputs[0]}. |i − j| ≤ window holds to both sides and at both ends of the text."
        if drawn[i, j] and not near[i, j] and not glob[i, j]:
            return (
                f"Word {i} doesn't see {j}, though chosen[{i}] holds it. All of a row of chosen are open to its query."
            )
    if missing:
        i, j = missing[0]
        return f"Word {i} doesn't see {j}, though two rules allow it. One of them is enough: | joins them."
    i, j = extra[0]
    return f"Word {i} sees word {j}, which is outside its window of {inputs[1]}, not global ({inputs[2]} are) and not in chosen[{i}]."
