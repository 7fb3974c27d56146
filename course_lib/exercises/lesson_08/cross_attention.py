"""Cross-attention: queries from the text that is written, keys and values from the one that was read."""

import torch

from course_lib.attention import dot_scores, scaled_dot_product_attention, scaled_dot_scores, softmax_over_keys
from course_lib.checking.kinds import Case, Code
from course_lib.exercises import common
from course_lib.exercises.inputs import integer, non_contiguous, randn


def _cross_attention(x, memory, W_Q, W_K, W_V, mask):
    return scaled_dot_product_attention(x @ W_Q.mT, memory @ W_K.mT, memory @ W_V.mT, mask)


def _inputs(g, n, m, d_model, d_k, d_v=None, leading=(), lengths=None, **kwargs):
    """n target words, m source words; the source's padding is closed, and texts have the given lengths."""
    d_v = d_v or d_k
    if lengths is None:
        mask = torch.arange(m) < integer(g, max(1, m - 2), max(1, m - 1))
        mask = mask.expand(*leading, 1, m) if leading else mask[None]
    else:
        mask = (torch.arange(m) < torch.tensor(lengths)[:, None])[:, None]
    words = randn(g, *leading, n, d_model, **kwargs), randn(g, *leading, m, d_model, **kwargs)
    matrices = (randn(g, rows, d_model, **kwargs) / d_model**0.5 * 1.5 for rows in (d_k, d_k, d_v))
    return *words, *matrices, mask


def _all_open(g):
    *rest, mask = _inputs(g, 3, 5, 6, 4)
    return *rest, torch.ones_like(mask)


def _turned(g):
    x, memory, *rest = _inputs(g, 3, 5, 6, 4, leading=(2,))
    return non_contiguous(x), non_contiguous(memory), *rest


cross_attention = Code(
    "08.cross_attention",
    title="From one text to another",
    points=4,
    minutes=12,
    difficulty=2,
    reference=_cross_attention,
    axes=["... n d_v", "... n m"],
    results=("output", "weights"),
    forbidden=("multi_head_attention", "multiheadattention"),
    atol=1e-4,
    cases=[
        Case("three words look at five", lambda g: _inputs(g, 3, 5, 6, 4)),
        Case("as many target words as source words", lambda g: _inputs(g, 4, 4, 6, 5)),
        Case("all of the source may be seen", _all_open),
        Case("one target word", lambda g: _inputs(g, 1, 6, 6, 4)),
        Case("one source word", lambda g: _inputs(g, 4, 1, 6, 4)),
        Case("as many words as numbers", lambda g: _inputs(g, 4, 4, 5, 4)),
        Case("longer values", lambda g: _inputs(g, 3, 5, 6, 4, 7)),
        Case("a batch of two pairs", lambda g: _inputs(g, 3, 5, 8, 4, leading=(2,), lengths=[5, 2])),
        Case("any sizes", lambda g: _inputs(g, integer(g, 5, 8), integer(g, 9, 12), integer(g, 8, 12), 6)),
        Case("double precision", lambda g: _inputs(g, 3, 5, 6, 4, dtype=torch.float64)),
        Case("not contiguous in memory", _turned),
    ],
    differentiable=True,
    hints=[
        "Who asks? The word that is being written. Who answers? The source. So which of x and memory gives the queries, and which gives keys and values?",
        "x @ W_Q.mT are the queries, memory @ W_K.mT the keys, memory @ W_V.mT the values. After that it is attention under a mask, as in lesson 04.",
        "The mask closes columns, keys: scores.masked_fill(~mask, float('-inf')) before the softmax over the last axis.",
    ],
)


@cross_attention.variants
def steps(
    x,
    memory,
    W_Q,
    W_K,
    W_V,
    mask,
    *,
    sources=lambda x, memory: (x, memory, memory),
    matrices=lambda Q, K, V: (Q, K, V),
    project=lambda x, W: x @ W.mT,
    scores=dot_scores,
    divided_by=lambda x, memory, q, k, v: q.shape[-1] ** 0.5,
    closed=lambda mask, x, memory: mask,
    weights=softmax_over_keys,
    mixed=lambda w, v, mask: w @ v,
    results=lambda output, weights: (output, weights),
):
    pairs = zip(sources(x, memory), matrices(W_Q, W_K, W_V), strict=True)
    q, k, v = (project(words, W) for words, W in pairs)
    w = weights(scores(q, k) / divided_by(x, memory, q, k, v), closed(mask, x, memory))
    return results(mixed(w, v, mask), w)


NO_SCALE = "The scale is missing: divide the scores by √d_k."
NO_MASK = "The mask is left out: your words look at the source's padding."


def no_scale(*_):
    return 1.0


def filled(scores, mask):
    return common.masked(scores, mask).softmax(-1)


def open_to_all(scores, mask):
    return scores.softmax(-1)


def turned(mask, x, memory):
    return mask.mT


def _both(one, other):
    return f"Two things at once. First: {one} And then: {other}"


for _sentence, _sources in {
    "Keys and values come from x, so another memory changes nothing: your target looks at itself. They come from memory.": lambda x, memory: (
        x,
        x,
        x,
    ),
    "Everything comes from memory: the source looks at itself, and x has no say. The queries come from x.": lambda x, memory: (
        memory,
        memory,
        memory,
    ),
    "The two texts have changed places: one row came out for each *source* word. Queries come from x, keys and values from memory.": lambda x, memory: (
        memory,
        x,
        x,
    ),
    "The values come from x. What is looked at is what is taken home: keys and values both come from memory.": lambda x, memory: (
        x,
        memory,
        x,
    ),
    "The keys come from x. Keys and values belong together, word by word, and both come from memory.": lambda x, memory: (
        x,
        x,
        memory,
    ),
    "The queries come from memory, too: one row came out for each source word. Who asks is the target, x.": lambda x, memory: (
        memory,
        memory,
        memory[..., :1, :].expand_as(memory),
    ),
}.items():  # where the lengths don't fit, the mask stops it
    steps.mistake(_sentence, sources=_sources, weights=filled)
    steps.mistake(_both(_sentence, NO_SCALE), sources=_sources, divided_by=no_scale, weights=filled)
    steps.mistake(_both(_sentence, NO_MASK), sources=_sources, weights=open_to_all)
    steps.mistake(
        f"{_sentence} You turned the mask to make it fit; it fits as it is.",
        sources=_sources,
        closed=turned,
        weights=filled,
    )

steps.mistake(
    "Queries and keys have each other's matrices: W_Q belongs to x, W_K to memory.", matrices=lambda Q, K, V: (K, Q, V)
)
steps.mistake("The values are made with W_K. They have a matrix of their own, W_V.", matrices=lambda Q, K, V: (Q, K, K))
steps.mistake(
    "W_K and W_V have changed places: W_K makes what is compared, W_V what is taken home.",
    matrices=lambda Q, K, V: (Q, V, K),
)
steps.mistake("The keys are made with W_Q. They have a matrix of their own, W_K.", matrices=lambda Q, K, V: (Q, Q, V))
steps.mistake(
    "The matrices aren't turned. Words are rows here, so q = W x becomes x @ W_Q.mT.", project=lambda x, W: x @ W
)
steps.mistake(NO_SCALE, divided_by=no_scale)
steps.mistake(
    "You multiply by √d_k. Divide by it: it keeps long queries from sharpening the softmax.",
    divided_by=lambda x, memory, q, k, v: q.shape[-1] ** -0.5,
)
steps.mistake(
    "The mask is turned: it closes rows, target words. It is the source's, and closes columns: use it as it is.",
    closed=turned,
    weights=filled,
)
steps.mistake(
    "The mask is turned: with −1e9 in a whole row, that target word looks at everything evenly. It is the source's and closes columns: use it as it is.",
    closed=turned,
    weights=lambda scores, mask: common.masked(scores, mask, -1e9).softmax(-1),
)
steps.mistake(
    "A closed score becomes −1, and e⁻¹ is .37: the padding still gets weight. It becomes −∞, before the softmax.",
    weights=lambda scores, mask: common.masked(scores, mask, -1.0).softmax(-1),
)
steps.mistake(
    "A closed score becomes +∞: that would be all of the weight, and ∞ / ∞ is NaN. It becomes −∞.",
    weights=lambda scores, mask: common.masked(scores, mask, float("inf")).softmax(-1),
)
steps.mistake(
    "The weights are turned before they mix the values. Each *row* of weights mixes the rows of values: weights @ values.",
    mixed=lambda w, v, mask: w.mT @ v,
)
steps.mistake(
    "Queries, keys and values all come from x: that is self-attention, and memory is never read.",
    sources=lambda x, memory: (x, x, x),
)
steps.mistake("You divide by d_k. Divide by its root.", divided_by=lambda x, memory, q, k, v: q.shape[-1])
steps.mistake(
    "You divide by √n, the number of target words. Divide by √d_k, the length of a query.",
    divided_by=lambda x, memory, q, k, v: q.shape[-2] ** 0.5,
)
steps.mistake(
    "You divide by √m, the number of source words. Divide by √d_k, the length of a key.",
    divided_by=lambda x, memory, q, k, v: k.shape[-2] ** 0.5,
)
steps.mistake(NO_MASK, weights=open_to_all)
steps.mistake(
    "The mask is turned round: your words see the padding alone. True means “may look”.",
    closed=lambda mask, x, memory: torch.where(mask.all(-1, keepdim=True), mask, ~mask),
)
steps.mistake(
    "You close the padding after the softmax: the rows no longer sum to 1. The mask acts on the scores, with −∞.",
    weights=lambda scores, mask: scores.softmax(-1) * mask,
)
steps.mistake(
    "Your cross-attention is causal. When the first target word is written, the whole source is known: only its padding is closed.",
    closed=lambda mask, x, memory: mask & torch.ones(x.shape[-2], memory.shape[-2], dtype=torch.bool).tril(),
)
steps.mistake(
    "Your cross-attention is causal, and the source's padding is open. It is the other way round: no triangle, and the padding is closed by the mask.",
    closed=lambda mask, x, memory: torch.ones(x.shape[-2], memory.shape[-2], dtype=torch.bool).tril(),
)
steps.mistake(
    "Your weights sum to 1 over the target's words. The softmax belongs over the keys, dim=-1: each word that is written shares out its own attention.",
    weights=lambda scores, mask: scores.masked_fill(~mask, -1e30).softmax(-2),
)
steps.mistake(
    "Your softmax runs over the target's words; a column that the mask closes becomes NaN, 0 / 0. It belongs over the keys, dim=-1.",
    weights=lambda scores, mask: common.masked(scores, mask).softmax(-2),
)
steps.mistake(
    "Keys stand in the rows of your scores and queries in the columns, so the softmax runs over the queries. Q @ K.mT gives one row for each target word.",
    scores=lambda q, k: k @ q.mT,
    closed=turned,
    weights=filled,
    mixed=lambda w, v, mask: w.mT @ v,
)
steps.mistake(
    "The mask is turned round: you hide what may be seen, and all is NaN where nothing is padding. True means “may look”: masked_fill(~mask, …).",
    closed=lambda mask, x, memory: ~mask,
    weights=filled,
)
steps.mistake(
    "Without a batch it is right. With one, .T turns *all* axes of the keys and transpose(0, 1) the first two; the last two are meant: .mT.",
    scores=lambda q, k: q @ k.permute(*reversed(range(k.dim()))),
)
steps.mistake(
    "Keys were averaged, not values: the output should be weights @ values.",
    mixed=lambda w, v, mask: v.mean(-2, keepdim=True).expand(*w.shape[:-1], v.shape[-1]),
)
steps.mistake(common.RESULTS_SWAPPED, results=lambda output, weights: (weights, output))
steps.mistake(common.ONLY_THE_OUTPUT, results=lambda output, weights: output)
steps.mistake(
    "Two things: the scale √d_k is missing, and so is the mask.",
    divided_by=no_scale,
    weights=lambda scores, mask: scores.softmax(-1),
)
steps.mistake(
    "These are the scores, where the weights are asked for: the softmax over the keys is missing.",
    weights=lambda scores, mask: scores.masked_fill(~mask, 0.0),
)

steps.mistake(
    "A closed score becomes 0, and e⁰ = 1 is no small weight. It becomes −∞, before the softmax.",
    weights=lambda scores, mask: scores.masked_fill(~mask, 0.0).softmax(-1),
)


for _says, _weights in {
    "You add the mask to the scores: True counts as 1, False as 0, so what is closed is only a little less. A closed score becomes −∞: masked_fill(~mask, float('-inf')).": (
        lambda s, mask: (s + mask).softmax(-1)
    ),
    "You add ~mask · −∞, and False · −∞ is 0 · ∞, NaN. Fill it in: masked_fill(~mask, float('-inf')).": (
        lambda s, mask: (s + ~mask * float("-inf")).softmax(-1)
    ),
    "You subtract the mask: what is open is taken off by 1. A closed score becomes −∞: masked_fill(~mask, float('-inf')).": (
        lambda s, mask: (s - mask.to(s.dtype)).softmax(-1)
    ),
    "−∞ is filled in after the softmax: no weight is −∞. It stands in the scores, and the softmax makes 0 of it.": (
        lambda s, mask: common.masked(s.softmax(-1), mask)
    ),
    "−1e9 is filled in after the softmax: no weight is negative. It stands in the scores, and the softmax makes 0 of it.": (
        lambda s, mask: common.masked(s.softmax(-1), mask, -1e9)
    ),
    "1e-9 is nearly 0, and e⁰ = 1 is no small weight. A large negative number is meant, -1e9, or float('-inf').": (
        lambda s, mask: common.masked(s, mask, 1e-9).softmax(-1)
    ),
    "A closed score becomes +1e9: all of the weight goes there. It becomes −∞ (or −1e9).": (
        lambda s, mask: common.masked(s, mask, 1e9).softmax(-1)
    ),
    "The mask is turned round: open scores get −1e9, and your words look at the padding. True means “may look”: masked_fill(~mask, …).": (
        lambda s, mask: common.masked(s, ~mask, -1e9).softmax(-1)
    ),
    "The softmax runs over the first axis (of a batch: the texts), with −1e9 where the mask is closed. It belongs over the keys, dim=-1.": (
        lambda s, mask: common.masked(s, mask, -1e9).softmax(0)
    ),
    "The softmax runs over the first axis (of a batch: the texts); where all of it is closed, 0 / 0 is NaN. It belongs over the keys, dim=-1.": (
        lambda s, mask: common.masked(s, mask).softmax(0)
    ),
    "The softmax runs over axis 1: the keys if there is no batch, else the target's words. Counted from the end it is right for both: dim=-1.": (
        lambda s, mask: common.masked(s, mask, -1e9).softmax(1)
    ),
    "The softmax runs over axis 1: the keys if there is no batch, else the target's words (NaN where a key is closed to all). Counted from the end it is right for both: dim=-1.": (
        lambda s, mask: common.masked(s, mask).softmax(1)
    ),
    "No softmax is taken: each score is divided by its row's sum. The weights are the softmax of the scores.": (
        lambda s, mask: common.share_without_exp(common.masked(s, mask, 0.0))
    ),
    "A sigmoid stands where the softmax should: each weight is found alone, and a row doesn't sum to 1.": (
        lambda s, mask: common.masked(s, mask).sigmoid()
    ),
}.items():
    steps.mistake(_says, weights=_weights)


@cross_attention.mistake(
    "You divide the output by √d_k, and not the scores. The scale comes before the softmax, where it keeps it from getting too sharp."
)
def output_scaled(x, memory, W_Q, W_K, W_V, mask):
    weights = filled(dot_scores(x @ W_Q.mT, memory @ W_K.mT), mask)
    return weights @ memory @ W_V.mT / W_Q.shape[0] ** 0.5, weights


@cross_attention.mistake(
    "You divide the scores by √d_k, and the output once more. Only the scores are divided, before the softmax."
)
def output_scaled_too(x, memory, W_Q, W_K, W_V, mask):
    output, weights = _cross_attention(x, memory, W_Q, W_K, W_V, mask)
    return output / W_Q.shape[0] ** 0.5, weights


@cross_attention.mistake(
    "x isn't projected before it is compared: x has d_model numbers a word, the keys have d_k. The queries are x @ W_Q.mT."
)
def queries_as_they_are(x, memory, W_Q, W_K, W_V, mask):
    return x @ (memory @ W_K.mT).mT


@cross_attention.mistake(
    "memory isn't projected before it is compared: it has d_model numbers a word, the queries have d_k. The keys are memory @ W_K.mT."
)
def keys_as_they_are(x, memory, W_Q, W_K, W_V, mask):
    return x @ W_Q.mT @ memory.mT


@cross_attention.mistake(
    "values @ weights is the wrong order. Each row of weights mixes the rows of values: weights @ values."
)
def values_times_weights(x, memory, W_Q, W_K, W_V, mask):
    _, weights = _cross_attention(x, memory, W_Q, W_K, W_V, mask)
    return memory @ W_V.mT @ weights, weights


@cross_attention.mistake(
    "The keys aren't turned. The scores compare every query with every key: queries @ keys.mT, (n, m)."
)
def keys_not_turned(x, memory, W_Q, W_K, W_V, mask):
    weights = filled(x @ W_Q.mT @ (memory @ W_K.mT) / W_Q.shape[0] ** 0.5, mask)
    return weights @ memory @ W_V.mT, weights


@cross_attention.mistake("W_Q makes queries, keys and values. Each has a matrix of its own: W_Q, W_K, W_V.")
def one_matrix(x, memory, W_Q, W_K, W_V, mask):
    return _cross_attention(x, memory, W_Q, W_Q, W_Q, mask)


@cross_attention.mistake(
    "The output is right. What you return beside it are the scores, −∞ where the mask is closed: the weights are what the softmax makes of them."
)
def scores_for_weights(x, memory, W_Q, W_K, W_V, mask):
    scores = common.masked(scaled_dot_scores(x @ W_Q.mT, memory @ W_K.mT), mask)
    return scores.softmax(-1) @ memory @ W_V.mT, scores


@cross_attention.mistake(
    "You divide the weights, after the softmax. The scale belongs to the scores, before it: then the rows still sum to 1."
)
def weights_scaled(x, memory, W_Q, W_K, W_V, mask):
    weights = filled(dot_scores(x @ W_Q.mT, memory @ W_K.mT), mask) / W_Q.shape[0] ** 0.5
    return weights @ memory @ W_V.mT, weights


@cross_attention.mistake(
    "After the mask you bring the *columns* back to a sum of 1 (NaN where one is closed). Each target word's row sums to 1: dim=-1."
)
def columns_sum_to_one(x, memory, W_Q, W_K, W_V, mask):
    weights = scaled_dot_scores(x @ W_Q.mT, memory @ W_K.mT).softmax(-1) * mask
    weights = weights / weights.sum(-2, keepdim=True)
    return weights @ memory @ W_V.mT, weights


@cross_attention.mistake(
    "Your weights are right, and something is added to the output: the query. The skip is the layer's business, outside of attention."
)
def query_added(x, memory, W_Q, W_K, W_V, mask):
    output, weights = _cross_attention(x, memory, W_Q, W_K, W_V, mask)
    return x @ W_Q.mT + output, weights


@cross_attention.mistake(
    "The output is right; the weights that you return beside it are made without the mask. Return those that mixed the values."
)
def other_weights_returned(x, memory, W_Q, W_K, W_V, mask):
    output, _ = _cross_attention(x, memory, W_Q, W_K, W_V, mask)
    return output, scaled_dot_scores(x @ W_Q.mT, memory @ W_K.mT).softmax(-1)


steps.mistake(
    "You set the padding's values to 0, but its keys still take weight from the others. The mask acts on the scores, with −∞.",
    weights=open_to_all,
    mixed=lambda w, v, mask: w @ (v * mask.mT),
)


@cross_attention.mistake("x is added to the output. The skip is the layer's business, outside of attention.")
def x_added(x, memory, W_Q, W_K, W_V, mask):
    output, weights = _cross_attention(x, memory, W_Q, W_K, W_V, mask)
    return x + output, weights


@cross_attention.mistake(
    "x and memory are joined into one text. In cross-attention the keys are the source's alone, (m, d_k)."
)
def joined_x_first(x, memory, W_Q, W_K, W_V, mask):
    both = torch.cat([x, memory], dim=-2)
    return scaled_dot_product_attention(x @ W_Q.mT, both @ W_K.mT, both @ W_V.mT)


@cross_attention.mistake("The values aren't projected: what is taken home is memory @ W_V.mT, not memory itself.")
def values_as_they_are(x, memory, W_Q, W_K, W_V, mask):
    return scaled_dot_product_attention(x @ W_Q.mT, memory @ W_K.mT, memory, mask)


for _says, _divided_by in {
    "You divide by √d_v. It is queries and keys whose product grows with their length: √d_k.": lambda x, memory, q, k, v: (
        v.shape[-1] ** 0.5
    ),
    "You scale by √d_model. Queries and keys are d_k numbers long, as many as W_Q has rows: √d_k.": lambda x, memory, q, k, v: (
        x.shape[-1] ** 0.5
    ),
    "`** 1 / 2` is the first power, and then a half: ** binds more strongly than /. Divide by d_k ** 0.5.": lambda x, memory, q, k, v: (
        2 * q.shape[-1]
    ),
    "You divide by √2, `2 ** 0.5`. It is √d_k, the length of a query.": lambda x, memory, q, k, v: 2**0.5,
}.items():
    steps.mistake(_says, divided_by=_divided_by)
steps.mistake(
    "transpose(1, 2) is right with a batch in front; one text alone has no axis 2. Counted from the end it is right for both: transpose(-2, -1), or .mT.",
    scores=lambda q, k: q @ k.transpose(1, 2),
)


@cross_attention.mistake("Without W_Q, W_K and W_V: you compare the words' vectors themselves. Project them first.")
def no_matrices(x, memory, W_Q, W_K, W_V, mask):
    return scaled_dot_product_attention(x, memory, memory, mask)


@cross_attention.mistake(
    "You joined the two texts into one. In cross-attention the keys are the source's alone; the target reads itself in another sublayer."
)
def joined(x, memory, W_Q, W_K, W_V, mask):
    both = torch.cat([memory, x], dim=-2)
    return scaled_dot_product_attention(x @ W_Q.mT, both @ W_K.mT, both @ W_V.mT)


@cross_attention.symptom(
    "All of the weight goes where the mask is False: it is turned round. True means “may look”, so scores become −∞ where it isn't."
)
def sees_the_padding_alone(inputs, answer):
    weights, mask = answer[1], inputs[-1]
    fits = weights.shape[-1] == mask.shape[-1] and not mask.all()
    return fits and bool((weights.nan_to_num() * mask).abs().max() < 1e-6)


common.rows_do_not_sum_to_one(
    cross_attention, "The weights of each target word should sum to 1 over the source's words."
)
common.output_does_not_follow(
    cross_attention, "Your weights are right, but the output isn't: weights @ values, with values from memory."
)
