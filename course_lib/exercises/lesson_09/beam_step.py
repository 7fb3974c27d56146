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
    "You subtract the totals. A hypothesis costs what it has cost so far: add them.",
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
    "These are logarithms already: another log_softmax over the whole table changes the totals.",
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


@beam_step.symptom("")
def what_fits(inputs, answer):
    """Which of the three are right; or all fit each other, and better ones are left out."""
    (totals, log_p, _), (own, parents, tokens) = inputs, answer
    right = _beam_step(*inputs)
    if torch.allclose(own, right[0], atol=1e-4):
        if torch.equal(tokens, right[2]):
            return "Totals and tokens are right, the parents aren't. A parent is the row of a place in the flat table: at // vocab."
        if torch.equal(parents, right[1]):
            return "Totals and parents are right, the tokens aren't. A token is the column of a place in the flat table: at % vocab."
        return "Your totals are right. Look at how a place in the flat table becomes a row and a token: at // vocab and at % vocab."
    if not torch.allclose(table(totals, log_p)[parents, tokens], own, atol=1e-4):
        return False
    had = set(zip(parents.tolist(), tokens.tolist()))
    left_out = [pair for pair in zip(right[1].tolist(), right[2].tolist()) if pair not in had]
    if not left_out:
        return False
    parent, token = left_out[0]
    return (
        f"Better ones are left out: hypothesis {parent} with token {token} has a total of {table(totals, log_p)[parent, token]:.3f}. "
        "All places of the table compete: a parent may come twice or never, and so may a token."
    )
