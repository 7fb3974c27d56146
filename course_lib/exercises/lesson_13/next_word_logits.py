"""A language model that cheats: two leaks, one in the mask, one in the normalisation."""

import torch
import torch.nn.functional as F

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer, randn
from course_lib.exercises.lesson_13 import buggy


def _normed(x):
    return (x - x.mean(-1, keepdim=True)) / x.std(-1, keepdim=True, correction=0)


def _next_word_logits(ids, W_e, W_p, W_Q, W_K, W_V):
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p[:n]
    x = _normed(h)
    scores = (x @ W_Q) @ (x @ W_K).mT / d**0.5
    weights = scores.masked_fill(~torch.ones(n, n, dtype=torch.bool).tril(), float("-inf")).softmax(-1)
    return (h + weights @ (x @ W_V)) @ W_e.mT


def _model(g, batch, n, vocab=9, d=4, longest=12, dtype=torch.float32, size=4.0):
    """The tables are so wide that PyTorch's own layer normalisation, which adds 1e-5 to the variance, is right, too."""
    ids = torch.randint(vocab, (batch, n), generator=g)
    tables = (randn(g, vocab, d, size=size, dtype=dtype), randn(g, longest, d, size=size, dtype=dtype))
    return ids, *tables, *(randn(g, d, d, dtype=dtype) for _ in range(3))


next_word_logits = Code(
    "13.next_word_logits",
    title="A model that knows too much",
    points=3,
    minutes=12,
    difficulty=2,
    reference=_next_word_logits,
    buggy=buggy.next_word_logits,
    unchanged="Nothing has changed yet. Which places does the mask show to place 0? And over which axis is the mean taken: whose words does it know?",
    axes=["batch n vocab"],
    differentiable=True,
    rtol=1e-3,
    atol=1e-2,
    cases=[
        Case("two texts of five words", lambda g: _model(g, 2, 5)),
        Case("one text", lambda g: _model(g, 1, 7)),
        Case("two words, the shortest text with a future", lambda g: _model(g, 3, 2)),
        Case("as long as the positions reach", lambda g: _model(g, 2, 12)),
        Case("any sizes", lambda g: _model(g, integer(g, 2, 4), integer(g, 3, 9), vocab=integer(g, 8, 14), d=6)),
        Case("double precision", lambda g: _model(g, 2, 6, dtype=torch.float64, size=1e3)),
    ],
    hints=[
        "leaks(…) names the places that see their future. Change one line, and look again: there are two leaks.",
        "tril(diagonal=1) keeps one diagonal too many: the word that is to be guessed.",
        "Layer normalisation (lesson 06) takes mean and spread of each vector's own d numbers, dim=-1. dim=1 is the text: a mean over all words knows the future.",
    ],
)


@next_word_logits.variants
def steps(
    ids,
    W_e,
    W_p,
    W_Q,
    W_K,
    W_V,
    *,
    norm=_normed,
    allowed=lambda ones: ones.tril(),
    weights=lambda scores, allowed: scores.masked_fill(~allowed, float("-inf")).softmax(-1),
    added=lambda h, new, x: h + new,
    scale=lambda scores, d: scores / d**0.5,
    logits=lambda h, W_e: h @ W_e.mT,
):
    n, d = ids.shape[1], W_e.shape[1]
    h = W_e[ids] + W_p[:n]
    x = norm(h)
    w = weights(scale((x @ W_Q) @ (x @ W_K).mT, d), allowed(torch.ones(n, n, dtype=torch.bool)))
    return logits(added(h, w @ (x @ W_V), x), W_e)


def over(dim):
    return lambda x: (x - x.mean(dim, keepdim=True)) / x.std(dim, keepdim=True, correction=0)


def nothing_hidden(ones):
    return ones


steps.mistake(
    "One leak is left: mean and spread are taken over the text, dim=1, so each place knows something of all words, the coming ones too. Layer normalisation takes each vector by itself, dim=-1.",
    norm=over(1),
)
steps.mistake(
    "One leak is left, the mask's: tril(diagonal=1) shows each place one word of its future, the very word that it should guess. tril() ends at the place itself.",
    allowed=lambda ones: ones.tril(1),
)
steps.mistake(
    "tril(diagonal=2) opens the mask further: each place sees two words of its future now. tril() ends at the place itself.",
    allowed=lambda ones: ones.tril(2),
)
steps.mistake(
    "These are log-probabilities. Logits are asked for, before any softmax.",
    logits=lambda h, W_e: (h @ W_e.mT).log_softmax(-1),
)
steps.mistake(
    "The mask is too strict now: a place may see itself. tril() keeps the diagonal; with diagonal=-1 the first place sees nothing at all.",
    allowed=lambda ones: ones.tril(-1),
    weights=lambda scores, allowed: scores.masked_fill(~allowed, float("-inf")).softmax(-1).nan_to_num(),
)
steps.mistake(
    "The mask is too strict now, and the first place, which sees nothing, becomes NaN. A place may see itself: tril().",
    allowed=lambda ones: ones.tril(-1),
)
steps.mistake(
    "triu shows each place its future and hides its past. It is the other half: tril().",
    allowed=lambda ones: ones.triu(),
)
steps.mistake(
    "Nothing is hidden now: every place sees the whole text. tril() keeps what is up to the place.",
    allowed=nothing_hidden,
)
FILLS = {
    "masked_fill wants True where a place may *not* look": lambda x, hidden: x.masked_fill(hidden, float("-inf")),
    "you hide by −1e9 where a place may look": lambda x, hidden: x.masked_fill(hidden, -1e9),
    "1e9 is taken off where a place may look": lambda x, hidden: x - 1e9 * hidden,
}
for how, fill in FILLS.items():
    steps.mistake(
        f"The mask is turned round, so each place sees its future, not its past: {how}. ~allowed was right.",
        weights=lambda scores, allowed, fill=fill: fill(scores, allowed).softmax(-1),
    )
steps.mistake(
    "The mask is turned round, which leaves the last place nothing to see, and the mean is still taken over the text, dim=1.",
    norm=over(1),
    weights=lambda scores, allowed: scores.masked_fill(allowed, float("-inf")).softmax(-1),
)
MIXED = {  # axes of (batch, n, d) over which mean and spread may be taken, and what that does
    (1, 2): "text and features together, dim=(1, 2), still know the future",
    (0, 2): "batch and features, dim=(0, 2), mix the words of different texts",
    (0, 1): "all words of the batch, dim=(0, 1), know the future, and other texts",
    (0, 1, 2): "the whole batch, without dim, mix all texts and places",
    0: "the batch, dim=0, mix different texts, and a single text becomes NaN",
}
for dims, does in MIXED.items():
    steps.mistake(f"Mean and spread over {does}. Each vector by itself: dim=-1.", norm=over(dims))
steps.mistake(
    "Mean and spread over the batch, dim=0, mix different texts. Each vector by itself: dim=-1.",
    norm=lambda x: (x - x.mean(0, keepdim=True)) / (x.std(0, keepdim=True, correction=0) + 1e-5),
)


def so_far(x):
    count = torch.arange(1, x.shape[1] + 1, dtype=x.dtype)[:, None]
    mean = x.cumsum(1) / count
    return (x - mean) / ((x**2).cumsum(1) / count - mean**2 + 1e-5).sqrt()


steps.mistake(
    "Mean and spread over the words so far know no future, but they mix the words. Layer normalisation takes each vector by itself, dim=-1.",
    norm=so_far,
)
steps.mistake(
    "You normalise once more before the logits. That is GPT-2's last norm; your friend's model has none, and only the leaks should change.",
    logits=lambda h, W_e: _normed(h) @ W_e.mT,
)
steps.mistake(
    "The leak is closed, but so is the normalisation: it belongs to the model. Keep it, over each vector's own numbers, dim=-1.",
    norm=lambda x: x,
)
steps.mistake(
    "The mean is subtracted, but the spread is gone: divide by the standard deviation of each vector, dim=-1.",
    norm=lambda x: x - x.mean(-1, keepdim=True),
)
steps.mistake(
    "The mean is taken over each vector now, but the spread still over the text: one leak is left, std(dim=1).",
    norm=lambda x: (x - x.mean(-1, keepdim=True)) / x.std(1, keepdim=True, correction=0),
)
steps.mistake(
    "The spread is taken over each vector now, but the mean still over the text: one leak is left, mean(dim=1).",
    norm=lambda x: (x - x.mean(1, keepdim=True)) / x.std(-1, keepdim=True, correction=0),
)
steps.mistake(
    "The spread is divided by d − 1 with you. It was right before: layer normalisation divides by d, correction=0.",
    norm=lambda x: (x - x.mean(-1, keepdim=True)) / x.std(-1, keepdim=True),
)
steps.mistake(
    "The mean isn't taken off: you divide by the root mean square (RMSNorm). Layer normalisation takes it off first.",
    norm=lambda x: x / x.square().mean(-1, keepdim=True).sqrt(),
)
for how, centred in {"": lambda x: x, ", its mean taken off,": lambda x: x - x.mean(-1, keepdim=True)}.items():
    steps.mistake(
        f"You bring each vector{how} to length 1. Layer normalisation brings its numbers to mean 0 and standard deviation 1, which makes it √d times as long.",
        norm=lambda x, centred=centred: F.normalize(centred(x), dim=-1),
    )
steps.mistake(
    "Every word is normalised by the mean and spread of the first one. Each vector by its own: dim=-1.",
    norm=lambda x: (x - x[:, :1].mean(-1, keepdim=True)) / x[:, :1].std(-1, keepdim=True, correction=0),
)
steps.mistake(
    "You divide by the variance. Its root, the standard deviation, was right.",
    norm=lambda x: (x - x.mean(-1, keepdim=True)) / x.var(-1, keepdim=True, correction=0),
)
steps.mistake(
    "You hide the future after the softmax, so the rows don't sum to 1: before it, with −∞.",
    weights=lambda scores, allowed: scores.softmax(-1) * allowed,
)
steps.mistake(
    "You fill the hidden scores with 0, which is a score like any other: exp(0) = 1. −∞ was right.",
    weights=lambda scores, allowed: scores.masked_fill(~allowed, 0.0).softmax(-1),
)
steps.mistake(
    "Your softmax runs over the queries. Each place shares a weight of 1 among the words that it sees, dim=-1.",
    weights=lambda scores, allowed: scores.masked_fill(~allowed, float("-inf")).softmax(-2),
)
steps.mistake("The skip connection is gone: h + weights @ value was right.", added=lambda h, new, x: new)
steps.mistake(
    "The normalised x goes on in place of h. Pre-norm: only what attention reads is normalised.",
    added=lambda h, new, x: x + new,
)
steps.mistake("The scores have lost their √d.", scale=lambda scores, d: scores)
steps.mistake(
    "The scores are divided by the root of the number of words now. √d was right: queries and keys have d numbers.",
    scale=lambda scores, d: scores / scores.shape[-1] ** 0.5,
)
steps.mistake("Logits are asked for, before the softmax.", logits=lambda h, W_e: (h @ W_e.mT).softmax(-1))


steps.mistake(
    "Mean and spread have lost their axis, so h can't meet them: dim=-1 and keepdim=True, (batch, n, 1).",
    norm=lambda x: (x - x.mean(-1)) / x.std(-1, correction=0),
)


@next_word_logits.mistake("Your positions begin at 1. The first place has position 0, as before: W_p[:n].")
def positions_from_1(ids, W_e, W_p, W_Q, W_K, W_V):
    return _next_word_logits(ids, W_e, W_p.roll(-1, 0), W_Q, W_K, W_V)


def from_other_vectors(read):
    """`read(h, x, W_e, ids, W_p)` gives what queries and keys, and what values, are made from."""

    def answer(ids, W_e, W_p, W_Q, W_K, W_V):
        n, d = ids.shape[1], W_e.shape[1]
        h = W_e[ids] + W_p[:n]
        compared, carried = read(h, _normed(h), W_e[ids], W_p[:n])
        scores = (compared @ W_Q) @ (compared @ W_K).mT / d**0.5
        weights = scores.masked_fill(~torch.ones(n, n, dtype=torch.bool).tril(), float("-inf")).softmax(-1)
        return (h + weights @ (carried @ W_V)) @ W_e.mT

    return answer


next_word_logits.mistake("Your values are made from h. All three are made from the normalised x, as before: x @ W_V.")(
    from_other_vectors(lambda h, x, words, places: (x, h))
)
next_word_logits.mistake("Your queries and keys are made from h. All three are made from the normalised x, as before.")(
    from_other_vectors(lambda h, x, words, places: (h, x))
)
next_word_logits.mistake(
    "You normalise before the positions are added. It was right before: the normalisation takes h."
)(from_other_vectors(lambda h, x, words, places: (_normed(words) + places,) * 2))


@next_word_logits.mistake(
    "You hide the future in the ids: place i is computed from another text. Change the mask and the mean, nothing else."
)
def ids_shifted(ids, W_e, W_p, W_Q, W_K, W_V):
    return _next_word_logits(ids.roll(1, 1), W_e, W_p, W_Q, W_K, W_V)


@next_word_logits.symptom(
    "The spread is divided by d − 1 with you, but for something small that is added. Layer normalisation divides by d, correction=0."
)
def nearly_the_other_spread(inputs, answer):
    right = steps(*inputs, norm=lambda x: (x - x.mean(-1, keepdim=True)) / x.std(-1, keepdim=True))
    return torch.allclose(answer, right, rtol=1e-3, atol=1e-2)


@next_word_logits.symptom("")
def still_leaks(inputs, answer):
    """An earlier place changes when the last word does."""
    if tuple(answer.shape) != tuple(_next_word_logits(*inputs).shape) or not torch.isfinite(answer).all():
        return False
    wrong = (answer - _next_word_logits(*inputs)).abs().amax(-1) > 1e-3
    if wrong[:, -1].any() and not wrong[:, :-1].any():
        return "Only the last place is wrong, and it has no future to see. Change the mask and the axis of mean and spread, nothing else."
    return False
