"""Lesson 01, Why attention: what recurrence costs, soft look-up, scores, context, and a decoder that looks."""

import torch

from course_lib import attention
from course_lib.checking.kinds import Case, Choice, Code, Number, Prediction
from course_lib.exercises.inputs import integer, non_contiguous, randn

NAME = "01_why_attention"
TITLE = "Why attention"

# --- predictions ----------------------------------------------------------------------------------------------------

fade = Prediction(
    title="What is left after 31 words",
    question="A fresh recurrent network reads 64 words. You nudge one input and watch its last output. How strong is the effect of the word 31 places back, compared with the last word?",
    options=["about as strong", "about half as strong", "about a hundredth", "less than a millionth"],
    answer="less than a millionth",
    why="Each step multiplies the effect by a number below 1, and 31 such numbers are multiplied: it shrinks exponentially, not a little at a time.",
)
faster = Prediction(
    title="Which is faster?",
    question="64 words, one pass forward and back. A GRU does about 64 small products, attention compares all 64 × 64 pairs. Which takes less time here?",
    options=[
        "the GRU: it meets every word only once",
        "attention: its products don't wait for each other",
        "both take the same time",
    ],
    answer="attention: its products don't wait for each other",
    why="A few large products keep a processor busy; 64 small ones in a row keep it waiting, and each can only begin when the last is done.",
)
longer = Prediction(
    title="Lists of eight",
    question="Both models train on lists of one to eight numbers. The one without attention gets nearly every list of two right. How many lists of eight?",
    options=["about nine in ten", "about half", "about one in five", "fewer than one in twenty"],
    answer="fewer than one in twenty",
    why="One vector has to carry all eight numbers in their order, and after this much training it can't.",
)
twelve = Prediction(
    title="Lists of twelve",
    question="With attention, most lists of eight come out right, and no list in training was longer. How many lists of twelve?",
    options=["as many as lists of eight", "about half", "hardly any"],
    answer="hardly any",
    why="Attention finds a number wherever it stands, but the decoder has to know which one is next, and it never had to count beyond eight.",
)

# --- 1. waiting ---------------------------------------------------------------------------------------------------------

waiting = Number(
    title="How long must it wait?",
    points=3,
    minutes=6,
    difficulty=1,
    answer={"GRU, steps in a row": 1000, "convolution, layers": 500, "attention, scores": 1_000_000},
    rtol=1e-9,
    wrong={
        "GRU, steps in a row": {
            999: "that is the distance from the first word to the last. The first word takes a step of its own, too.",
            1: "each state needs the state before it, so the words can't be read at the same time.",
            1_000_000: "that is the number of pairs. A GRU doesn't compare pairs: it takes one step a word.",
            500: "one direction, from the first word to the last: how many words are read on the way?",
        },
        "convolution, layers": {
            499: "499 layers reach back 998 words. The first word is 999 away.",
            499.5: "half a layer can't be built: round up.",
            999: "that would be a window of three: one word to the left in each layer. Here it is two.",
            1000: "each layer reaches further than one word. How many words lie to the left of the middle?",
            250: "you counted both sides of the window. Only the two words to the left bring you nearer to the first.",
            200: "you divided by the whole window. Only the two words to the left of its middle bring you nearer to the first.",
            333: "you divided by three. In a window of five, two words lie to the left of the middle.",
        },
        "attention, scores": {
            1000: "that is what one word needs. All 1000 of them look.",
            2000: "not two for each word: each of the 1000 looks at each of the 1000.",
            499_500: "you counted each pair once. But A looking at B and B looking at A are two scores, and a word looks at itself as well.",
            999_000: "a word looks at itself as well.",
            500_500: "you counted each pair once. But A looking at B and B looking at A are two scores.",
            1: "all of them can be computed in one go. How many are they?",
        },
    },
    hints=[
        "Three questions about one text: how many times does the GRU's state have to be computed? How far back does one layer of the convolution see? How many words does each word look at?",
        "A window of five has two words to the left of its middle, so each layer reaches two words further back. The first word is 999 words away from the last.",
    ],
)

# --- 2. a soft look-up ------------------------------------------------------------------------------------------------


def _soft_lookup(queries, keys, values, width):
    scores = -(((queries[:, None] - keys) / width) ** 2)
    return scores.softmax(dim=-1) @ values


def _table(g, queries, keys, width, **kwargs):
    return randn(g, queries, **kwargs), randn(g, keys, **kwargs), randn(g, keys, **kwargs), width


def _far_away(g):
    """Queries so far from every key that exp(score) is zero for all of them."""
    queries, keys, values, width = _table(g, 3, 5, 0.4)
    return queries + 40, keys, values, width


def _width(g, low, high):
    return low + (high - low) * torch.rand((), generator=g).item()


soft_lookup = Code(
    title="A table that answers every question",
    points=2,
    minutes=10,
    difficulty=1,
    reference=_soft_lookup,
    axes=["query"],
    cases=[
        Case("a few queries", lambda g: _table(g, 3, 5, _width(g, 0.4, 0.8))),
        Case("as many queries as keys", lambda g: _table(g, 4, 4, _width(g, 1.5, 2.5))),
        Case("one query", lambda g: _table(g, 1, 6, 0.5)),
        Case("one key", lambda g: _table(g, 3, 1, 2.0)),
        Case("any sizes", lambda g: _table(g, integer(g, 5, 9), integer(g, 10, 14), _width(g, 0.3, 0.6))),
        Case("far from every key", _far_away),
        Case("a narrow width", lambda g: _table(g, 4, 5, 0.01)),
        Case("double precision", lambda g: _table(g, 3, 4, 0.7, dtype=torch.float64)),
    ],
    differentiable=True,
    hints=[
        "Three steps: a score for each query and key, weights from the scores, a weighted sum of the values.",
        "queries[:, None] is (query, 1) and keys is (key): their difference is (query, key), every query with every key.",
        "The softmax runs over the keys, dim=-1; then weights (query, key) @ values (key) gives (query).",
    ],
)


def _lookup(
    sentence,
    name,
    scores=lambda d, width: -((d / width) ** 2),
    weights=lambda s: s.softmax(-1),
    mixed=lambda w, keys, values: w @ values,
):
    def wrong(queries, keys, values, width):
        return mixed(weights(scores(queries[:, None] - keys, width)), keys, values)

    wrong.__name__ = name
    soft_lookup.mistake(sentence)(wrong)


_lookup(
    "You give back the value of the nearest key alone. That is the hard table; here every value counts, by its weight.",
    "hard",
    weights=lambda s: torch.nn.functional.one_hot(s.argmax(-1), s.shape[-1]).to(s.dtype),
)
_lookup(
    "The minus sign is missing: keys that are far away get the most weight.",
    "no_minus",
    scores=lambda d, w: (d / w) ** 2,
)
_lookup(
    "The distance isn't squared. The score is −((q − k) / width)².", "not_squared", scores=lambda d, w: -(d / w).abs()
)
_lookup(
    "The width isn't squared. Divide the difference by the width first, then square the whole.",
    "width_not_squared",
    scores=lambda d, w: -(d**2) / w,
)
_lookup(
    "The width doesn't matter in your answer. Divide the difference of query and key by it, before you square.",
    "no_width",
    scores=lambda d, w: -(d**2),
)
_lookup(
    "You multiply by the width. A larger width should make the weights more alike, so divide.",
    "times_width",
    scores=lambda d, w: -((d * w) ** 2),
)
_lookup(
    "Your score is half as large as asked, as in the bell curve of statistics. Here it is −((q − k) / width)², without ½.",
    "bell_curve",
    scores=lambda d, w: -((d / w) ** 2) / 2,
)
_lookup(
    "Without the square, a key on one side counts more the further away it is. Square the difference.",
    "signed",
    scores=lambda d, w: -d / w,
)
_lookup(
    "Your weights sum to 1 over the queries. Each query shares its weight among the keys: dim=-1.",
    "over_queries",
    weights=lambda s: s.softmax(0),
)
_lookup(
    "The weights don't sum to 1: after exp, divide by the sum over the keys.",
    "not_normalised",
    weights=lambda s: s.exp(),
)
_lookup(
    "Far from every key all exponentials are 0, and 0 / 0 is NaN. Use softmax, which takes the largest score off first.",
    "underflowing",
    weights=lambda s: s.exp() / s.exp().sum(-1, keepdim=True),
)
_lookup(
    "You mix with the raw scores. They are negative and sum to anything: send them through a softmax.",
    "no_softmax",
    weights=lambda s: s,
)
_lookup(
    "You divide the scores by their sum. Then the key that is furthest away gets the most. Use a softmax.",
    "divides_by_sum",
    weights=lambda s: s / s.sum(-1, keepdim=True),
)
_lookup(
    "You mix the keys. They only serve to find the weights; what is mixed are the values.",
    "mixes_keys",
    mixed=lambda w, k, v: w @ k,
)
_lookup(
    "Every value counts the same in your answer. The weights should come from the distances.",
    "plain_mean",
    weights=lambda s: torch.full_like(s, 1 / s.shape[-1]),
)
_lookup(
    "You take the mean of the weighted values. The weights sum to 1 already: add the weighted values up.",
    "mean_of_weighted",
    mixed=lambda w, k, v: (w * v).mean(-1),
)
_lookup(
    "The weighted values aren't added up yet: one number for each query should come out.",
    "not_summed",
    mixed=lambda w, k, v: w * v,
)
_lookup("These are the weights. Mix the values with them: weights @ values.", "weights_only", mixed=lambda w, k, v: w)

# --- 3. which score fits ------------------------------------------------------------------------------------------------

fits = Choice(
    title="Two lengths",
    points=1,
    minutes=3,
    difficulty=1,
    answer="c",
    options={
        "a": "Three of the five multiply the numbers of query and key place by place, so they need equally many.",
        "b": "These three multiply place by place: number 257 of the key would have no partner.",
        "c": "Both have matrices of their own that bring the two lengths together: W₁ and W₂ in one, W (256, 512) in the other. That is one reason why an encoder and a decoder of different sizes used to be joined like this.",
        "d": "The additive one can, that is right: W₁ and W₂ have a width each. Look at the shape of W in the multiplicative one again.",
    },
    hints=[
        "Write down the shapes: which of the formulas can be computed at all?",
        "qᵀ W k is (256) · W · (512). Is there a shape of W that fits?",
    ],
)

# --- 4. additive scores -------------------------------------------------------------------------------------------------


def _compared(g, queries, keys, d_query, d_key, d_score, leading=(), size=1.0, **kwargs):
    return (
        randn(g, *leading, queries, d_query, size=size, **kwargs),
        randn(g, *leading, keys, d_key, size=size, **kwargs),
        randn(g, d_score, d_query, **kwargs),
        randn(g, d_score, d_key, **kwargs),
        randn(g, d_score, **kwargs),
    )


additive_scores = Code(
    title="Bahdanau's score, for a whole batch",
    points=3,
    minutes=15,
    difficulty=2,
    reference=attention.additive_scores,
    axes=["... query key"],
    forbidden=("additive_scores",),
    cases=[
        Case("two texts", lambda g: _compared(g, 3, 5, 4, 6, 7, (2,))),
        Case("all sizes equal", lambda g: _compared(g, 4, 4, 4, 4, 4, (4,))),
        Case("no batch", lambda g: _compared(g, 2, integer(g, 3, 6), 3, 3, 5)),
        Case("one query, one key", lambda g: _compared(g, 1, 1, 3, 2, 4, (2,))),
        Case("one query, many keys", lambda g: _compared(g, 1, integer(g, 6, 9), 4, 4, 4, (3,))),
        Case("two leading axes", lambda g: _compared(g, 3, 4, 2, 5, 3, (2, 3))),
        Case("scores of one number", lambda g: _compared(g, 3, 4, 2, 3, 1, (2,))),
        Case("large numbers", lambda g: _compared(g, 3, 4, 4, 4, 5, (2,), size=30.0)),
        Case(
            "not contiguous in memory",
            lambda g: tuple(non_contiguous(x) if x.dim() > 2 else x for x in _compared(g, 3, 5, 4, 6, 7, (2,))),
        ),
        Case("double precision", lambda g: _compared(g, 3, 4, 4, 3, 5, (2,), dtype=torch.float64)),
    ],
    differentiable=True,
    hints=[
        "Project both first: query @ W_1.mT is (..., query, d_score), key @ W_2.mT is (..., key, d_score). Which shape should their sum have?",
        "(..., query, 1, d_score) + (..., 1, key, d_score) is (..., query, key, d_score): every query with every key. x.unsqueeze(-2) makes such an axis.",
        "tanh of the sum, and then @ w_3 takes the last axis away.",
    ],
)


def _additive(sentence, name, project=lambda q, k, W_1, W_2: (q @ W_1.mT, k @ W_2.mT), join=lambda a, b: a.unsqueeze(-2) + b.unsqueeze(-3),
              bend=torch.tanh, end=lambda x, w_3: x @ w_3):  # fmt: skip
    def wrong(query, key, W_1, W_2, w_3):
        return end(bend(join(*project(query, key, W_1, W_2))), w_3)

    wrong.__name__ = name
    additive_scores.mistake(sentence)(wrong)


_additive(
    "The tanh is missing. Without it, query and key are never compared: the score is a sum of two parts that don't know each other.",
    "no_tanh",
    bend=lambda x: x,
)
_additive(
    "The tanh comes too late: it belongs around the sum W₁ q + W₂ k, before w₃.",
    "tanh_last",
    bend=lambda x: x,
    end=lambda x, w_3: (x @ w_3).tanh(),
)
_additive(
    "You take tanh of the query's part and of the key's part, and then add. Add first: tanh(W₁ q + W₂ k).",
    "tanh_apart",
    join=lambda a, b: a.tanh().unsqueeze(-2) + b.tanh().unsqueeze(-3),
    bend=lambda x: x,
)
_additive(
    "You multiply the two projections. They are added: W₁ q + W₂ k.",
    "product",
    join=lambda a, b: a.unsqueeze(-2) * b.unsqueeze(-3),
)
_additive(
    "You subtract the two projections. They are added: W₁ q + W₂ k.",
    "difference",
    join=lambda a, b: a.unsqueeze(-2) - b.unsqueeze(-3),
)
_additive(
    "The axes query and key have changed places: a row belongs to a query.",
    "axes_swapped",
    join=lambda a, b: a.unsqueeze(-3) + b.unsqueeze(-2),
)
_additive(
    "The matrices are used the wrong way round, W_1 @ x where x @ W_1.mT is meant: that only fits when all lengths are equal, and is wrong even then.",
    "not_turned",
    project=lambda q, k, W_1, W_2: (q @ W_1, k @ W_2),
)
_additive(
    "The matrices have changed places: W_1 belongs to the query, W_2 to the key.",
    "matrices_swapped",
    project=lambda q, k, W_1, W_2: (q @ W_2.mT, k @ W_1.mT),
)
_additive(
    "The key goes through W_1. It has a matrix of its own, W_2.",
    "one_matrix",
    project=lambda q, k, W_1, W_2: (q @ W_1.mT, k @ W_1.mT),
)
_additive(
    "These are weights already. Only the scores are asked for here: leave the softmax out.",
    "softmaxed",
    end=lambda x, w_3: (x @ w_3).softmax(-1),
)
_additive("You use a sigmoid. The formula has tanh, from −1 to 1.", "sigmoid", bend=torch.sigmoid)
_additive("You use ReLU. The formula has tanh.", "relu", bend=torch.relu)
_additive("w_3 isn't used: you add the numbers up, each with weight 1.", "no_w_3", end=lambda x, w_3: x.sum(-1))
_additive("You take a mean over d_score. w₃ · tanh(…) is a sum.", "mean", end=lambda x, w_3: (x * w_3).mean(-1))
_additive(
    "You divide by √d_score. There is no scale in this score; it belongs to the dot product.",
    "scaled",
    end=lambda x, w_3: x @ w_3 / w_3.shape[0] ** 0.5,
)
_additive(
    "The last axis is still there: multiply with w_3 and add up, or use @ w_3.",
    "not_summed_up",
    end=lambda x, w_3: x * w_3,
)


@additive_scores.mistake(
    "You add query i to key i, so each query meets one key only. Every query should meet every key: give both an axis for the other."
)
def meets_its_own_number(query, key, W_1, W_2, w_3):
    return torch.tanh(query @ W_1.mT + key @ W_2.mT) @ w_3


@additive_scores.mistake(
    "This works with one batch axis. With none, or with two, the new axes land in the wrong place: count them from the end, unsqueeze(-2) and unsqueeze(-3)."
)
def counted_from_the_front(query, key, W_1, W_2, w_3):
    return torch.tanh((query @ W_1.mT).unsqueeze(2) + (key @ W_2.mT).unsqueeze(1)) @ w_3


@additive_scores.mistake("Only the first query is compared with the keys. Each of them should be.")
def first_query_only(query, key, W_1, W_2, w_3):
    return (
        (torch.tanh((query[..., :1, :] @ W_1.mT) + key @ W_2.mT) @ w_3)
        .unsqueeze(-2)
        .expand(*query.shape[:-1], key.shape[-2])
    )


@additive_scores.symptom(
    "Some numbers are right: those where the sizes happen to be equal. Print the shape of the sum before tanh; it should be (..., query, key, d_score)."
)
def partly_right(inputs, answer):
    right = attention.additive_scores(*inputs)
    return answer.shape == right.shape and 0.2 < torch.isclose(answer, right, rtol=1e-3, atol=1e-4).double().mean() < 1


# --- 5. the context -----------------------------------------------------------------------------------------------------


def _context_vector(scores, annotations, lengths):
    real = torch.arange(scores.shape[-1]) < lengths[:, None]
    weights = attention.softmax_over_keys(scores, real)
    return (weights[:, None] @ annotations).squeeze(1), weights


def _read(g, lengths, n, d, **kwargs):
    return randn(g, len(lengths), n, **kwargs), randn(g, len(lengths), n, d, **kwargs), torch.tensor(lengths)


def _tempting_padding(g):
    """The padding scores higher than every word."""
    scores, annotations, lengths = _read(g, [3, 5, 2], 6, 4)
    scores[torch.arange(6) >= lengths[:, None]] += 50
    return scores, annotations, lengths


context_vector = Code(
    title="Words, not padding",
    points=3,
    minutes=15,
    difficulty=2,
    reference=_context_vector,
    axes=["batch d_state", "batch key"],
    forbidden=("softmax_over_keys", "scaled_dot_product", "attention_weights"),
    cases=[
        Case("three texts", lambda g: _read(g, [4, 2, 5], 6, 3)),
        Case("no padding", lambda g: _read(g, [5, 5], 5, 4)),
        Case("any lengths", lambda g: _read(g, [integer(g, 1, 8) for _ in range(integer(g, 4, 6))], 9, 5)),
        Case("one word", lambda g: _read(g, [1, 3], 3, 4)),
        Case("one text", lambda g: _read(g, [2], 4, 3)),
        Case("as many texts as words and numbers", lambda g: _read(g, [1, 4, 2, 3], 4, 4)),
        Case("padding with high scores", _tempting_padding),
        Case("a text without words", lambda g: _read(g, [3, 0, 2], 4, 3)),
        Case("double precision", lambda g: _read(g, [3, 2], 4, 3, dtype=torch.float64)),
    ],
    differentiable=True,
    hints=[
        "torch.arange(n) numbers the places. Which of them are smaller than the text's length? lengths[:, None] stands ready to be compared with all of them.",
        "A score of −∞ before the softmax becomes a weight of exactly 0: scores.masked_fill(~real, float('-inf')).",
        "A row of −∞ alone becomes NaN. Set the weights outside the text to 0 once more, after the softmax: masked_fill(~real, 0.0).",
    ],
)


def _real(scores, lengths):
    return torch.arange(scores.shape[-1]) < lengths[:, None]


def _context(
    sentence,
    name,
    real=_real,
    weights=lambda s, m: attention.softmax_over_keys(s, m),
    mixed=lambda w, a: (w[..., None] * a).sum(1),
    out=lambda c, w: (c, w),
):
    def wrong(scores, annotations, lengths):
        w = weights(scores, real(scores, lengths))
        return out(mixed(w, annotations), w)

    wrong.__name__ = name
    context_vector.mistake(sentence)(wrong)


_context(
    "Padding gets weight: nothing in your code looks at the lengths. Only the first lengths[b] places of row b are words.",
    "no_mask",
    weights=lambda s, m: s.softmax(-1),
)
_context(
    "You set padding to 0 after the softmax, so what is left sums to less than 1. Take it out before: a score of −∞.",
    "zero_after",
    weights=lambda s, m: s.softmax(-1) * m,
)
_context(
    "You set the scores of padding to 0. A score of 0 still gets weight, e⁰ = 1: it must be −∞.",
    "zero_before",
    weights=lambda s, m: (s * m).softmax(-1),
)
_context(
    "Zeroed before and after: the weights no longer sum to 1, because the zeros before the softmax took their share. Use −∞ before it.",
    "zero_twice",
    weights=lambda s, m: (s * m).softmax(-1) * m,
)
_context(
    "A text without words gives NaN: a softmax over −∞ alone divides 0 by 0. Set such weights to 0 after it.",
    "nan_when_empty",
    weights=lambda s, m: s.masked_fill(~m, float("-inf")).softmax(-1),
)
_context(
    "With a large negative number instead of −∞, a text without words gets equal weights on its padding. Its weights should all be 0.",
    "large_negative",
    weights=lambda s, m: s.masked_fill(~m, -1e9).softmax(-1),
)
_context(
    "One place too many: place number lengths[b] is the first of the padding, because counting starts at 0. Use <, not <=.",
    "one_too_many",
    real=lambda s, n: torch.arange(s.shape[-1]) <= n[:, None],
)
_context(
    "One place too few: the last word of each text gets no weight.",
    "one_too_few",
    real=lambda s, n: torch.arange(s.shape[-1]) < n[:, None] - 1,
)
_context(
    "It is the other way round: your weights lie on the padding.",
    "upside_down",
    real=lambda s, n: torch.arange(s.shape[-1]) >= n[:, None],
)
_context(
    "All texts are cut at the length of the first. Each has its own: compare with lengths[:, None].",
    "first_length",
    real=lambda s, n: (torch.arange(s.shape[-1]) < n[0]).expand_as(s),
)
_context(
    "All texts keep the places of the longest. Each has its own length: compare with lengths[:, None].",
    "longest_length",
    real=lambda s, n: (torch.arange(s.shape[-1]) < n.max()).expand_as(s),
)
_context(
    "Your softmax runs over the texts of the batch. Each text shares its weight among its words: dim=-1.",
    "over_batch",
    weights=lambda s, m: s.masked_fill(~m, float("-inf")).softmax(0).masked_fill(~m, 0),
)
_context(
    "The scores don't matter in your answer: every word of a text counts the same.",
    "plain_average",
    weights=lambda s, m: m / m.sum(-1, keepdim=True).clamp(min=1).to(s.dtype),
)
_context(
    "All weight lies on the best word. The softmax shares it.",
    "best_only",
    weights=lambda s, m: (
        torch.nn.functional.one_hot(s.masked_fill(~m, float("-inf")).argmax(-1), s.shape[-1]).to(s.dtype) * m
    ),
)
_context(
    "You take the mean of the weighted annotations. The weights sum to 1 already: add them up.",
    "mean_of_weighted_annotations",
    mixed=lambda w, a: (w[..., None] * a).mean(1),
)
_context(
    "The annotations aren't weighted in your context: you add them all up.", "plain_sum", mixed=lambda w, a: a.sum(1)
)
_context(
    "The weighted annotations aren't added up yet: one vector for each text should come out.",
    "not_added_up",
    mixed=lambda w, a: w[..., None] * a,
)
_context(
    "Only the context comes back. The weights are asked for too: return context, weights.",
    "context_only",
    out=lambda c, w: c,
)
_context(
    "The two results are in the wrong order: the context first, then the weights.",
    "order_of_results",
    out=lambda c, w: (w, c),
)
_context(
    "The context has an axis of length 1 left: (batch, 1, d_state). squeeze(1) takes it away.",
    "axis_left",
    mixed=lambda w, a: w[:, None] @ a,
)

# --- 6. find the bugs ---------------------------------------------------------------------------------------------------


def _decoder_step(word, state, annotations, W_1, W_2, w_3, W):
    scores = attention.additive_scores(state[:, None], annotations, W_1, W_2, w_3)
    weights = scores.softmax(dim=-1)
    context = (weights @ annotations).squeeze(1)
    return torch.tanh(torch.cat([word, state, context], dim=-1) @ W.mT), weights.squeeze(1)


def _step(g, batch, n, d_word, d_state, d_score, **kwargs):
    return (
        randn(g, batch, d_word, **kwargs),
        randn(g, batch, d_state, **kwargs),
        randn(g, batch, n, d_state, **kwargs),
        randn(g, d_score, d_state, **kwargs),
        randn(g, d_score, d_state, **kwargs),
        randn(g, d_score, **kwargs),
        randn(g, d_state, d_word + 2 * d_state, **kwargs) / d_state**0.5 / 2,
    )


repaired = Code(
    title="A decoder that doesn't look",
    points=3,
    minutes=12,
    difficulty=3,
    reference=_decoder_step,
    axes=["batch d_state", "batch n"],
    forbidden=("additive_scores",),
    cases=[
        Case("two texts", lambda g: _step(g, 2, 4, 3, 5, 6)),
        Case("all sizes equal", lambda g: _step(g, 4, 4, 4, 4, 4)),
        Case("one text", lambda g: _step(g, 1, 5, 3, 4, 4)),
        Case("one word to look at", lambda g: _step(g, 3, 1, 2, 4, 3)),
        Case("any sizes", lambda g: _step(g, integer(g, 2, 4), integer(g, 6, 9), 5, 5, 3)),
        Case("double precision", lambda g: _step(g, 2, 3, 2, 4, 4, dtype=torch.float64)),
    ],
    hints=[
        "Two things to print: weights.sum(-1), which should be 1 for each text; and the weights of two steps with different states, which should differ.",
        "Which axis of the scores (batch, n) runs over the source words?",
        "Who asks? The query is what the decoder knows at this step. Where does it come from here, and does it change from step to step?",
    ],
)


@repaired.starts_from
def repaired_start(word, state, annotations, W_1, W_2, w_3, W):
    """One step of a decoder: look at the annotations, then update the state.

    word (batch, d_word), state (batch, d_state), annotations (batch, n, d_state)
    Returns (the next state (batch, d_state), the weights (batch, n)).
    """
    query = annotations[:, -1]
    compared = torch.tanh((query @ W_1.mT)[:, None] + annotations @ W_2.mT)
    weights = (compared @ w_3).softmax(dim=0)
    context = (weights[..., None] * annotations).sum(dim=1)
    return torch.tanh(torch.cat([word, state, context], dim=-1) @ W.mT), weights


def _decoder(
    sentence,
    name,
    query=lambda word, state, a: state,
    weights=lambda s: s.softmax(-1),
    context=lambda w, a, c: (w[..., None] * a).sum(1),
    parts=lambda word, state, c: (word, state, c),
):
    def step(word, state, annotations, W_1, W_2, w_3, W):
        compared = torch.tanh((query(word, state, annotations) @ W_1.mT)[:, None] + annotations @ W_2.mT)
        w = weights(compared @ w_3)
        mixed = context(w, annotations, compared)
        return torch.tanh(torch.cat(parts(word, state, mixed), dim=-1) @ W.mT), w

    step.__name__ = name
    repaired.mistake(sentence)(step)


def _last(word, state, a):
    return a[:, -1]


def _over_texts(s):
    return s.softmax(0)


_decoder(
    "Nothing has changed yet. Print weights.sum(-1): does each text share out a weight of 1? And does the state decide where it looks?",
    "unchanged",
    _last,
    _over_texts,
)
_decoder(
    "One found: each text's weights sum to 1 now. But the query is the encoder's last annotation, which is the same at every step: the decoder always looks at the same place.",
    "query_left",
    _last,
)
_decoder(
    "One found: the decoder asks with its own state now. But weights.sum(-1) isn't 1: the softmax runs over the texts of the batch.",
    "softmax_left",
    weights=_over_texts,
)
_decoder(
    "The softmax is right. But you ask with the word that was said last. The word goes into the update; the query is the decoder's state.",
    "asks_with_word",
    lambda word, state, a: word,
)
_decoder(
    "The softmax is right. But the query is the first annotation, the same at every step: ask with the decoder's state.",
    "asks_with_first",
    lambda word, state, a: a[:, 0],
)
_decoder(
    "The softmax is right. But the query is the mean of the annotations, the same at every step: ask with the decoder's state.",
    "asks_with_mean",
    lambda word, state, a: a.mean(1),
)
_decoder(
    "The softmax is right. But the last annotation is still part of the query. The decoder's state alone asks.",
    "asks_with_both",
    lambda word, state, a: state + a[:, -1],
)
_decoder(
    "The query is right. But the softmax now runs over all texts and words together; each text should share out a weight of 1.",
    "over_all",
    weights=lambda s: s.flatten().softmax(0).view_as(s),
)
_decoder("The query is right. But the softmax has gone: the weights are raw scores.", "raw_scores", weights=lambda s: s)
_decoder(
    "Query and weights are right. But the context was right before: it is the sum over the words, dim=1, not a mean.",
    "mean_context",
    context=lambda w, a, c: (w[..., None] * a).mean(1),
)
_decoder(
    "Query and weights are right. But state and context have changed places in the update: W expects word, state, context.",
    "update_order",
    parts=lambda word, state, c: (word, c, state),
)
_decoder(
    "Query and weights are right. But the update no longer gets the state: without it the decoder forgets what it has said.",
    "state_forgotten",
    parts=lambda word, state, c: (word, c, c),
)
_decoder(
    "Query and weights are right. But the update no longer gets the context: what was looked at is lost.",
    "context_forgotten",
    parts=lambda word, state, c: (word, state, torch.zeros_like(c)),
)
