"""One step of beam search: of all continuations of all live hypotheses the k likeliest."""

import torch

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer


def _beam_step(totals, log_p, k):
    scores = totals[:, None] + log_p
    best, at = scores.flatten().topk(k)
    return best, at // log_p.shape[1], at % log_p.shape[1]


def _live(g, live, vocab, k, dtype=torch.float32, worse=3.0):
    """Totals from the best hypothesis down, and log-probabilities that sum to 1 as probabilities."""
    totals = -worse * torch.rand(live, generator=g, dtype=dtype).sort().values - 0.5
    return totals, (2 * torch.randn(live, vocab, generator=g, dtype=dtype)).log_softmax(-1), k


def _one_far_ahead(g):
    """Every continuation of the first hypothesis that matters beats all of the second."""
    totals, log_p, k = _live(g, 3, 8, 3)
    return totals + torch.tensor([0.0, -40.0, -60.0]), log_p, k


beam_step = Code(
    "09.beam_step",
    title="One step of beam search",
    points=4,
    minutes=15,
    difficulty=3,
    reference=_beam_step,
    forbidden=("beam_search", "beam_step"),
    axes=["k", "k", "k"],
    results=("totals", "parents", "tokens"),
    cases=[
        Case("three hypotheses, nine tokens", lambda g: _live(g, 3, 9, 3)),
        Case("the first step: one hypothesis", lambda g: _live(g, 1, 7, 4)),
        Case("as many tokens as hypotheses", lambda g: _live(g, 4, 4, 4)),
        Case("fewer places than hypotheses", lambda g: _live(g, 5, 6, 2)),
        Case("more places than tokens", lambda g: _live(g, 4, 3, 5)),
        Case("k = 1, greedy", lambda g: _live(g, 1, 9, 1)),
        Case("one far ahead of the others", _one_far_ahead),
        Case("close together", lambda g: _live(g, 4, 12, 4, worse=0.2)),
        Case("any sizes", lambda g: _live(g, integer(g, 2, 5), integer(g, 20, 40), integer(g, 5, 8))),
        Case("double precision", lambda g: _live(g, 2, 6, 3, torch.float64)),
        Case("the best doesn't come first", lambda g: (lambda t, p, k: (t.flip(0), p, k))(*_live(g, 4, 9, 3))),
    ],
    hints=[
        "Every live hypothesis can be continued with every token: a table (live, vocab). What stands in it?",
        "totals[:, None] + log_p. The k largest of the whole table are wanted, whichever rows they are in: flatten it, then .topk(k).",
        "A place in the flat table is row · vocab + token. // vocab gives the row back, % vocab the token.",
    ],
)


def table(totals, log_p):
    return totals[:, None] + log_p


def k_of_all(scores, k):
    best, at = scores.flatten().topk(min(k, scores.numel()))
    return best, at


@beam_step.variants
def steps(
    totals,
    log_p,
    k,
    *,
    scores=table,
    best=k_of_all,
    parent=lambda at, live, vocab: at // vocab,
    token=lambda at, live, vocab: at % vocab,
    given=lambda best, parents, tokens: (best, parents, tokens),
):
    found, at = best(scores(totals, log_p), k)
    live, vocab = log_p.shape
    return given(found, parent(at, live, vocab), token(at, live, vocab))


steps.mistake(
    "You multiply log-probabilities. Probabilities are multiplied; their logarithms are added.",
    scores=lambda totals, log_p: totals[:, None] * log_p,
)
steps.mistake(
    "What the hypotheses have cost so far doesn't count with you: add their totals to log_p.",
    scores=lambda totals, log_p: log_p,
)
steps.mistake(
    "You subtract the totals, or add them without their signs. They are negative, as log_p is: add them as they are.",
    scores=lambda totals, log_p: log_p - totals[:, None],
)
steps.mistake(
    "You take the worst k: the smallest, or the largest without their signs. Log-probabilities are negative; the best are nearest to 0.",
    best=lambda s, k: (lambda found: (found.values, found.indices))(s.flatten().topk(k, largest=False)),
)
steps.mistake(
    "The worst of the chosen comes first. Best first, please: as topk gives them.",
    given=lambda *found: tuple(each.flip(0) for each in found),
)
steps.mistake(
    "Your places in the flat table are cut wrongly: divide by the number of tokens in a row, vocab, not by the number of hypotheses.",
    parent=lambda at, live, vocab: at // live,
    token=lambda at, live, vocab: at % live,
)
steps.mistake(
    "Parents and tokens have changed places. The order is totals, parents, tokens; at // vocab is the row, so the parent, and at % vocab the token.",
    parent=lambda at, live, vocab: at % vocab,
    token=lambda at, live, vocab: at // vocab,
)
steps.mistake(
    "The parents are right, but the tokens are still places in the flat table: at % vocab.",
    token=lambda at, live, vocab: at,
)
steps.mistake(
    "The tokens are right, but the parents are still places in the flat table: at // vocab.",
    parent=lambda at, live, vocab: at,
)
steps.mistake(
    "Both parents and tokens are still places in the flat table: at // vocab is the row, at % vocab the token.",
    parent=lambda at, live, vocab: at,
    token=lambda at, live, vocab: at,
)
steps.mistake(
    "All your hypotheses have the first one as their parent. The k best are the best of the whole table.",
    best=lambda s, k: k_of_all(s[:1], k),
)
steps.mistake(
    "Probabilities come back. Everything stays in logarithms: a product of many probabilities is soon too small to be told from 0.",
    given=lambda best, parents, tokens: (best.exp(), parents, tokens),
)
steps.mistake(
    "You add probabilities to log-probabilities. Both are logarithms already: totals[:, None] + log_p.",
    scores=lambda totals, log_p: totals[:, None] + log_p.exp(),
)
steps.mistake(
    "You add probabilities. A text's probability is a product, so logarithms are added: totals[:, None] + log_p.",
    scores=lambda totals, log_p: totals.exp()[:, None] + log_p.exp(),
)
steps.mistake(
    "These are logarithms already: another log_softmax, over the totals or over the whole table, changes them.",
    scores=lambda totals, log_p: table(totals, log_p).flatten().log_softmax(0).view_as(log_p),
)
steps.mistake(
    "You divide the totals by 2, a mean. A text's log-probability is a sum; lengths are compared only when texts are finished.",
    scores=lambda totals, log_p: table(totals, log_p) / 2,
)
steps.mistake(
    "You flatten the table turned, so a place in it is token · live + row. Flatten it as it is: row · vocab + token.",
    best=lambda s, k: k_of_all(s.mT, k),
)
steps.mistake(
    "The right ones come back, but in the order of the table. Best first, please: as topk gives them.",
    best=lambda s, k: (lambda at: (s.flatten()[at], at))(k_of_all(s, k)[1].sort().values),
)
steps.mistake(
    "You keep as many as there are live hypotheses. k are asked for: after the first step one hypothesis has k continuations.",
    best=lambda s, k: k_of_all(s, len(s)),
)
steps.mistake(
    "`/` gives parents with a fraction. The row of a place is a whole number: at // vocab.",
    parent=lambda at, live, vocab: at / vocab,
)
steps.mistake("One too many comes back: k are kept.", best=lambda s, k: k_of_all(s, k + 1))
steps.mistake(
    "The order of the results is totals, parents, tokens: the totals come first.",
    given=lambda best, parents, tokens: (parents, tokens, best),
)
steps.mistake(
    "The totals have lost their minus. Log-probabilities are negative: return them as they are.",
    given=lambda best, parents, tokens: (-best, parents, tokens),
)
steps.mistake(
    "You add probabilities and take the log of the sum. Probabilities are multiplied; their logarithms are added: totals[:, None] + log_p.",
    scores=lambda totals, log_p: (totals.exp()[:, None] + log_p.exp()).log(),
)
steps.mistake(
    "You add the best total to every row. Each hypothesis adds its own: totals[:, None] + log_p.",
    scores=lambda totals, log_p: totals.max() + log_p,
)
steps.mistake(
    "You add the sum of all totals to every row. Each hypothesis adds its own: totals[:, None] + log_p.",
    scores=lambda totals, log_p: totals.sum() + log_p,
)
steps.mistake(
    "Your parents are counted from 1. They are rows, from 0: at // vocab.",
    parent=lambda at, live, vocab: at // vocab + 1,
)
steps.mistake("Your tokens are counted from 1. They are ids, from 0.", token=lambda at, live, vocab: at % vocab + 1)


for says, scores in {
    "You take the larger of the two numbers. They are added: totals[:, None] + log_p.": lambda t, p: torch.maximum(
        t[:, None].expand_as(p), p
    ),
    "You take the smaller of the two numbers. They are added: totals[:, None] + log_p.": lambda t, p: torch.minimum(
        t[:, None].expand_as(p), p
    ),
    "Half of the totals is added. They count whole: totals[:, None] + log_p.": lambda t, p: t[:, None] / 2 + p,
    "The totals count twice. Once: totals[:, None] + log_p.": lambda t, p: 2 * t[:, None] + p,
    "log_p counts twice. Once: totals[:, None] + log_p.": lambda t, p: t[:, None] + 2 * p,
    "You add the mean of the totals to every row. Each hypothesis adds its own: totals[:, None] + log_p.": lambda t, p: (
        t.mean() + p
    ),
    "You add the first total to every row. Each hypothesis adds its own: totals[:, None] + log_p.": lambda t, p: (
        t[0] + p
    ),
    "A hypothesis gets the sum of its own total and of all before it, cumsum. Its own alone is added.": lambda t, p: (
        t.cumsum(0)[:, None] + p
    ),
    "The totals are sent through a softmax first. They are logarithms, and stay as they are: totals[:, None] + log_p.": lambda t, p: (
        t.softmax(0)[:, None] + p
    ),
    "The totals are sent through a softmax and multiplied with log_p, as weights. They are logarithms, and are added: totals[:, None] + log_p.": lambda t, p: (
        t.softmax(0)[:, None] * p
    ),
    "You add exp of the totals to log_p. Both are logarithms already: totals[:, None] + log_p.": lambda t, p: (
        t.exp()[:, None] + p
    ),
    "You divide log_p by the totals. Logarithms are added: totals[:, None] + log_p.": lambda t, p: p / t[:, None],
    "You take the logarithm of what is one already, and negative: NaN. totals[:, None] + log_p.": lambda t, p: (
        t.log()[:, None] + p
    ),
    "The totals are added to the rows in reverse order.": lambda t, p: t.flip(0)[:, None] + p,
    "log_p is sent through a softmax over the hypotheses. It is a table of logarithms already: totals[:, None] + log_p.": lambda t, p: (
        t[:, None] + p.log_softmax(0)
    ),
}.items():
    steps.mistake(says, scores=scores)
steps.mistake(
    "The parents are cut by the number of hypotheses, the tokens rightly. A row of the table has vocab places: at // vocab.",
    parent=lambda at, live, vocab: at // live,
)
steps.mistake(
    "The tokens are cut by the number of hypotheses, the parents rightly. A row of the table has vocab places: at % vocab.",
    token=lambda at, live, vocab: at % live,
)
steps.mistake(
    "at % live and at // live would be right if the table had a row for each token. It has a row for each hypothesis: at // vocab, at % vocab.",
    parent=lambda at, live, vocab: at % live,
    token=lambda at, live, vocab: at // live,
)
steps.mistake(
    "You cut the places by vocab − 1. A row has vocab places, from 0 to vocab − 1: at // vocab, at % vocab.",
    parent=lambda at, live, vocab: at // max(vocab - 1, 1),
    token=lambda at, live, vocab: at % max(vocab - 1, 1),
)
steps.mistake(
    "The parents are counted from the last hypothesis.", parent=lambda at, live, vocab: live - 1 - at // vocab
)
steps.mistake("All parents are 0. The row of a place is at // vocab.", parent=lambda at, live, vocab: at * 0)
steps.mistake(
    "Your parents are rounded to the nearest row. The row of a place is at // vocab, always rounded down.",
    parent=lambda at, live, vocab: (at / vocab).round().long(),
)
steps.mistake(
    "torch.floor(at / vocab) is right, but of the wrong type, float. Parents are whole numbers: at // vocab.",
    parent=lambda at, live, vocab: torch.floor(at / vocab),
)
steps.mistake(
    "The totals that come back are summed from the best to the worst. Each hypothesis has its own.",
    given=lambda best, parents, tokens: (best.cumsum(0), parents, tokens),
)
steps.mistake(
    "The best total is taken off all. They stay what they are, sums of log-probabilities.",
    given=lambda best, parents, tokens: (best - best[0], parents, tokens),
)
steps.mistake(
    "The totals that come back are divided by k. They are sums of log-probabilities, and stay as they are.",
    given=lambda best, parents, tokens: (best / len(best), parents, tokens),
)
steps.mistake(
    "The totals that come back are sent through a softmax. They are sums of log-probabilities, and stay as they are.",
    given=lambda best, parents, tokens: (best.softmax(0), parents, tokens),
)
steps.mistake(
    "The totals that come back are sent through a log_softmax over the k. They are sums of log-probabilities, and stay as they are.",
    given=lambda best, parents, tokens: (best.log_softmax(0), parents, tokens),
)
steps.mistake(
    "Only the very best comes back. k are asked for.",
    given=lambda best, parents, tokens: (best[:1], parents[:1], tokens[:1]),
)
steps.mistake(
    "Only the very best comes back, as single numbers: argmax gives one place. k are asked for, topk(k).",
    given=lambda best, parents, tokens: (best[0], parents[0], tokens[0]),
)
steps.mistake(
    "Totals and places come back, but the places aren't cut into parents and tokens: at // vocab, at % vocab.",
    given=lambda best, parents, tokens: (best, parents),
    parent=lambda at, live, vocab: at,
)
steps.mistake(
    "The order of the results is totals, parents, tokens: parents and tokens have come first.",
    given=lambda best, parents, tokens: (tokens, parents, best),
)
steps.mistake(
    "k for each live hypothesis come back, from the whole table. k of all together are kept: topk(k).",
    best=lambda s, k: k_of_all(s, k * len(s)),
)
steps.mistake("One too few comes back: k are kept.", best=lambda s, k: k_of_all(s, k - 1))
steps.mistake(
    "The first k places of the table come back, not the k largest: topk(k) chooses.",
    best=lambda s, k: (s.flatten()[:k], torch.arange(min(k, s.numel()))),
)
steps.mistake(
    "The ones after the best come back: the best of all is left out.",
    best=lambda s, k: tuple(each[1:] for each in k_of_all(s, k + 1)),
)


@beam_step.mistake(
    "You keep the best continuation of each hypothesis. The k best of *all* are wanted: two may have the same parent, and some parent none."
)
def best_of_each(totals, log_p, k):
    values, tokens = table(totals, log_p).max(-1)
    found, parents = values.topk(min(k, len(values)))
    return found, parents, tokens[parents]


@beam_step.mistake(
    "You choose hypotheses by their old totals, and then one token for each. All continuations of all hypotheses compete: the k largest of the table totals[:, None] + log_p."
)
def hypotheses_first(totals, log_p, k):
    found, parents = totals.topk(min(k, len(totals)))
    values, tokens = log_p[parents].max(-1)
    return found + values, parents, tokens


EACH_AS_A_TABLE = "topk looks at each row by itself here: a table comes back, k continuations of *each* hypothesis. k of all of them together are kept: flatten first."


@beam_step.mistake(f"{EACH_AS_A_TABLE} Then each has one parent, at // vocab.")
def k_of_each_and_its_row(totals, log_p, k):
    values, tokens = table(totals, log_p).topk(k, dim=-1)
    return values, torch.arange(len(totals)), tokens


@beam_step.mistake(EACH_AS_A_TABLE)
def k_of_each_as_a_table(totals, log_p, k):
    values, tokens = table(totals, log_p).topk(k, dim=-1)
    return values, torch.arange(len(totals))[:, None].expand_as(tokens), tokens


@beam_step.mistake(
    "You take the k likeliest hypotheses for one token (topk over dim=0). All tokens compete: flatten the table, then topk."
)
def over_the_hypotheses(totals, log_p, k):
    values, parents = table(totals, log_p).topk(k, dim=0)
    return values[:, 0], parents[:, 0], torch.zeros(k, dtype=torch.long)


@beam_step.mistake("You keep k continuations of *each* hypothesis. k of all of them together are kept.")
def k_of_each(totals, log_p, k):
    values, tokens = table(totals, log_p).topk(min(k, log_p.shape[1]), dim=-1)
    return values.flatten(), torch.arange(len(totals)).repeat_interleave(values.shape[1]), tokens.flatten()


@beam_step.mistake(
    "You choose by the new token alone, and add the totals afterwards. Add first: a good token after a bad beginning shouldn't win."
)
def added_afterwards(totals, log_p, k):
    _, at = log_p.flatten().topk(k)
    parents, tokens = at // log_p.shape[1], at % log_p.shape[1]
    return totals[parents] + log_p[parents, tokens], parents, tokens


@beam_step.mistake("You add each total to a column: totals[:, None] puts one on each row.")
def along_the_other_axis(totals, log_p, k):
    padded = totals.repeat(log_p.shape[1] // len(totals) + 1)[: log_p.shape[1]]
    return _beam_step(torch.zeros_like(totals), log_p + padded, k)


@beam_step.mistake(
    "totals (live) meets the last axis of log_p (live, vocab), the tokens. It belongs to the rows: totals[:, None], (live, 1)."
)
def without_an_axis(totals, log_p, k):
    return _beam_step(torch.zeros_like(totals), totals + log_p, k)


@beam_step.mistake(
    "You divide the places by k. A row of the table has vocab places: at // vocab is the row, at % vocab the token."
)
def divided_by_k(totals, log_p, k):
    best, at = k_of_all(table(totals, log_p), k)
    return best, at // k, at % k


@beam_step.mistake(
    "The totals aren't the new ones: log_p of the new token comes back. Return totals[:, None] + log_p of those chosen."
)
def step_alone(totals, log_p, k):
    _, parents, tokens = _beam_step(totals, log_p, k)
    return log_p[parents, tokens], parents, tokens


@beam_step.mistake(
    "The totals that come back are the old ones, without the new token: totals[:, None] + log_p of those chosen."
)
def old_totals(totals, log_p, k):
    _, parents, tokens = _beam_step(totals, log_p, k)
    return totals[parents], parents, tokens


@beam_step.mistake("Only the totals come back. Parents and tokens are asked for, too.")
def totals_alone(totals, log_p, k):
    return _beam_step(totals, log_p, k)[0]


def _two_stages(totals, log_p, k):
    """The k best of each row, and of these the k best of all: values, their places there, and the rows' tokens."""
    values, tokens = table(totals, log_p).topk(min(k, log_p.shape[1]), dim=-1)
    best, at = values.flatten().topk(k)
    return best, at, tokens, values.shape[1]


@beam_step.mistake(
    "Your tokens are places among the best of their row, not tokens. Look them up in what the first topk gave as tokens, with .flatten()[at]."
)
def places_among_the_rows_best(totals, log_p, k):
    best, at, _, width = _two_stages(totals, log_p, k)
    return best, at // width, at % width


@beam_step.mistake(
    "After the first topk a row has k places, not vocab: divide by that number for the parents. The tokens are right."
)
def rows_cut_by_the_vocabulary(totals, log_p, k):
    best, at, tokens, _ = _two_stages(totals, log_p, k)
    return best, at // log_p.shape[1], tokens.flatten()[at]


@beam_step.mistake(
    "After the first topk a row has k places, and what stands there isn't the token: divide by that number, and look the token up in what topk gave."
)
def rows_cut_by_the_vocabulary_twice(totals, log_p, k):
    best, at, _, _ = _two_stages(totals, log_p, k)
    return best, at // log_p.shape[1], at % log_p.shape[1]


@beam_step.mistake(
    "A row has only vocab tokens, so topk(k) of a row stops where k is larger. Flatten the table before topk, or take min(k, vocab) of each row."
)
def too_many_of_a_row(totals, log_p, k):
    values, tokens = table(totals, log_p).topk(k, dim=-1)
    best, at = values.flatten().topk(k)
    return best, at // k, tokens.flatten()[at]


@beam_step.mistake(
    "Totals and parents are right, but each token is its parent's likeliest, so two with one parent are the same. The token is that of the place that was chosen: at % vocab."
)
def likeliest_of_each_parent(totals, log_p, k):
    best, parents, _ = _beam_step(totals, log_p, k)
    return best, parents, log_p[parents].argmax(-1)


@beam_step.mistake("Every parent is that of the best. Each has its own: at // vocab.")
def one_parent_for_all(totals, log_p, k):
    best, parents, tokens = _beam_step(totals, log_p, k)
    return best, parents[:1].expand_as(parents), tokens


@beam_step.mistake("Every token is that of the best. Each has its own: at % vocab.")
def one_token_for_all(totals, log_p, k):
    best, parents, tokens = _beam_step(totals, log_p, k)
    return best, parents, tokens[:1].expand_as(tokens)


@beam_step.mistake(
    "From the place in the flat table you take the parent off. What is to be taken off is parent · vocab, all rows before: at % vocab."
)
def parent_taken_off(totals, log_p, k):
    best, at = k_of_all(table(totals, log_p), k)
    return best, at // log_p.shape[1], at - at // log_p.shape[1]


@beam_step.mistake(
    "The parents are right, but the tokens are cut by k. A row of the table has vocab places: at % vocab."
)
def tokens_cut_by_k(totals, log_p, k):
    best, at = k_of_all(table(totals, log_p), k)
    return best, at // log_p.shape[1], at % k


@beam_step.mistake(
    "The tokens are right, but the parents are cut by k. A row of the table has vocab places: at // vocab."
)
def parents_cut_by_k(totals, log_p, k):
    best, at = k_of_all(table(totals, log_p), k)
    return best, at // k, at % log_p.shape[1]


@beam_step.mistake(
    "You keep no more than there are live hypotheses. k are asked for: after the first step one hypothesis has k continuations."
)
def no_more_than_live(totals, log_p, k):
    best, parents, tokens = _beam_step(totals, log_p, k)
    return best[: len(totals)], parents[: len(totals)], tokens[: len(totals)]


@beam_step.mistake("The totals are added twice: those chosen hold them already, and you add the parents' once more.")
def added_twice(totals, log_p, k):
    best, parents, tokens = _beam_step(totals, log_p, k)
    return totals[parents] + best, parents, tokens


@beam_step.mistake(
    "Each token is taken once only, from the best hypothesis for it. Two hypotheses may be continued with the same token: all places of the table compete."
)
def each_token_once(totals, log_p, k):
    values, parents = table(totals, log_p).max(0)
    best, tokens = values.topk(min(k, len(values)))
    return best, parents[tokens], tokens


@beam_step.mistake(
    "You sum log_p over all tokens. A continuation takes one token: the table totals[:, None] + log_p has a place for each."
)
def rows_summed(totals, log_p, k):
    best, parents = (totals + log_p.sum(1)).topk(min(k, len(totals)))
    return best, parents, log_p[parents].argmax(-1)


@beam_step.symptom("")
def what_fits(inputs, answer):
    """Which of the three are right; or all fit each other, and better ones are left out."""
    (totals, log_p, _), (own, parents, tokens) = inputs, answer
    right = _beam_step(*inputs)
    if torch.allclose(own, right[0], atol=1e-4):
        vocab = log_p.shape[1]
        wrong = next(i for i in range(len(own)) if parents[i] != right[1][i] or tokens[i] != right[2][i])
        parent, token = int(right[1][wrong]), int(right[2][wrong])
        at = parent * vocab + token
        rule = f"place {at} of the flat table is row {at} // {vocab} = {parent} and token {at} % {vocab} = {token}; with you it is {parents[wrong]} and {tokens[wrong]}."
        if torch.equal(tokens, right[2]):
            return f"Totals and tokens are right, the parents aren't: {rule}"
        if torch.equal(parents, right[1]):
            return f"Totals and parents are right, the tokens aren't: {rule}"
        return f"Your totals are right, parents and tokens aren't: {rule}"
    if not torch.allclose(table(totals, log_p)[parents, tokens], own, atol=1e-4):
        old, new = totals[parents], log_p[parents, tokens]
        if len(own) < 3:
            return False
        a, b = torch.linalg.lstsq(torch.stack([old, new], 1), own).solution.tolist()
        if not torch.allclose(a * old + b * new, own, atol=1e-4):
            return False
        return f"Your totals are {a:.3g} · the old total {b:+.3g} · log_p of the token. Each counts once: totals[:, None] + log_p."
    had = set(zip(parents.tolist(), tokens.tolist()))
    left_out = [pair for pair in zip(right[1].tolist(), right[2].tolist()) if pair not in had]
    if not left_out:
        return False
    parent, token = left_out[0]
    return (
        f"Better ones are left out: hypothesis {parent} with token {token} has a total of {table(totals, log_p)[parent, token]:.3f}. "
        "All places of the table compete: a parent may come twice or never, and so may a token."
    )
