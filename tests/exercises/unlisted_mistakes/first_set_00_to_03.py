"""Wrong answers to lessons 00 to 03 that a student tried who had read the lessons alone. Each docstring says what is really wrong."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from unlisted_mistakes import wrong

# --- 00.all_dots ------------------------------------------------------------------------------------------------------

K = "00.all_dots"


@wrong(K, "`*` multiplies number by number, the first query with the")
def dots_elementwise(queries, keys):
    """A product number by number instead of the matrix product."""
    return queries * keys


@wrong(K, "The keys still lie the wrong way: as they are, their word")
def dots_keys_untransposed(queries, keys):
    """The keys' last two axes aren't swapped."""
    return queries @ keys


@wrong(K, "This works for one sentence, not with a batch in front. Sw")
def dots_capital_t(queries, keys):
    """`.T` turns round all axes, the batch too."""
    return queries @ keys.T


@wrong(K, "Your table is the wrong way round: a row for each query, a")
def dots_keys_first(queries, keys):
    """A row for each key: the table is transposed."""
    return keys @ queries.mT


@wrong(K, "You compare word 1 with word 1, word 2 with word 2. Every")
def dots_of_partners(queries, keys):
    """Each query meets only the key at its own place."""
    return (queries * keys).sum(dim=-1)


@wrong(K, "torch.dot takes one vector and one vector. For all of them")
def dots_dot(queries, keys):
    """torch.dot takes two single vectors."""
    return torch.dot(queries, keys)


@wrong(K, "transpose(0, 1) swaps the first two axes. In a batch those")
def dots_first_two_axes(queries, keys):
    """Axes 0 and 1 are swapped: the batch and the words."""
    return queries @ keys.transpose(0, 1)


@wrong(K)
def dots_one_batch_axis(queries, keys):
    """The letters fit one leading axis only."""
    return torch.einsum("bqd,bkd->bqk", queries, keys)


@wrong(K)
def dots_scaled(queries, keys):
    """Divided by √d, which wasn't asked for."""
    return queries @ keys.mT / math.sqrt(queries.shape[-1])


@wrong(K, "You divide by the vectors' lengths. That is the cosine; a")
def dots_cosine(queries, keys):
    """Cosines: the vectors are brought to length 1."""
    return F.normalize(queries, dim=-1) @ F.normalize(keys, dim=-1).mT


@wrong(K, "Every sentence of one is paired with every sentence of the")
def dots_all_with_all_batches(queries, keys):
    """tensordot pairs every batch with every batch."""
    return torch.tensordot(queries, keys, dims=([-1], [-1]))


@wrong(K, "Your table is the wrong way round: a row for each query, a")
def dots_letters_turned(queries, keys):
    """The letters of the result are in the order key, query."""
    return torch.einsum("...qd,...kd->...kq", queries, keys)


@wrong(K, "You take the mean of the products. A dot product is their")
def dots_mean(queries, keys):
    """The products are averaged, not summed."""
    return (queries[..., :, None, :] * keys[..., None, :, :]).mean(-1)


# --- 00.softmax -------------------------------------------------------------------------------------------------------

K = "00.softmax"


@wrong(K)
def softmax_naive(scores):
    """No maximum subtracted: exp overflows."""
    e = torch.exp(scores)
    return e / e.sum(dim=-1, keepdim=True)


@wrong(K, "All your numbers sum to 1 together. Each row should, by it")
def softmax_whole_table(scores):
    """One sum over the whole table."""
    e = torch.exp(scores - scores.max())
    return e / e.sum()


@wrong(K, "Your columns sum to 1, or whatever the first axis is. The")
def softmax_first_axis(scores):
    """Axis 0 instead of the last."""
    e = torch.exp(scores - scores.max(dim=0, keepdim=True).values)
    return e / e.sum(dim=0, keepdim=True)


@wrong(K, "You subtract the largest score of the whole tensor. A row")
def softmax_global_max(scores):
    """One maximum for all rows: rows far below it become 0/0."""
    e = torch.exp(scores - scores.max())
    return e / e.sum(dim=-1, keepdim=True)


@wrong(K, "The sum lost its axis, so a row is divided by another row'")
def softmax_sum_without_keepdim(scores):
    """keepdim=True is missing in the sum."""
    e = torch.exp(scores - scores.max(dim=-1, keepdim=True).values)
    return e / e.sum(dim=-1)


@wrong(K, "The maximum lost its axis, so another row's is subtracted.")
def softmax_max_without_keepdim(scores):
    """keepdim=True is missing in the maximum."""
    e = torch.exp(scores - scores.max(dim=-1).values)
    return e / e.sum(dim=-1, keepdim=True)


@wrong(K, "max(dim=…) gives two things, the values and where they sta")
def softmax_max_is_a_pair(scores):
    """max(dim) gives a pair, values and indices."""
    e = torch.exp(scores - scores.max(dim=-1, keepdim=True))
    return e / e.sum(dim=-1, keepdim=True)


@wrong(K, "You add the largest score. That makes exp overflow all the")
def softmax_max_added(scores):
    """The maximum is added instead of subtracted."""
    e = torch.exp(scores + scores.max(dim=-1, keepdim=True).values)
    return e / e.sum(dim=-1, keepdim=True)


@wrong(K, "argmax says where the largest score stands, not how large")
def softmax_argmax(scores):
    """argmax is the place of the maximum, not its size."""
    e = torch.exp(scores - scores.argmax(dim=-1, keepdim=True))
    return e / e.sum(dim=-1, keepdim=True)


@wrong(K, "You subtract each row's smallest score. What must not beco")
def softmax_minimum(scores):
    """The minimum is subtracted: large scores still overflow."""
    e = torch.exp(scores - scores.min(dim=-1, keepdim=True).values)
    return e / e.sum(dim=-1, keepdim=True)


@wrong(K, "You divide the scores by the row's maximum. Subtract it: d")
def softmax_divided_by_max(scores):
    """Divided by the maximum instead of subtracting it."""
    e = torch.exp(scores / scores.max(dim=-1, keepdim=True).values)
    return e / e.sum(dim=-1, keepdim=True)


@wrong(K)
def softmax_in_place(scores):
    """The student's own scores are changed."""
    scores -= scores.max(dim=-1, keepdim=True).values
    e = scores.exp()
    return e / e.sum(dim=-1, keepdim=True)


@wrong(K, "Where scores are large, all shares of a row come out equal")
def softmax_clamped(scores):
    """Large scores are cut off at 80, so they become alike."""
    e = torch.exp(scores.clamp(max=80))
    return e / e.sum(dim=-1, keepdim=True)


@wrong(K, "You have the exponentials, each as a part of its row's lar")
def softmax_max_of_exp(scores):
    """Divided by the largest, not by the sum."""
    e = torch.exp(scores - scores.max(dim=-1, keepdim=True).values)
    return e / e.max(dim=-1, keepdim=True).values


@wrong(K)
def softmax_log(scores):
    """The logarithm of the softmax."""
    return scores - torch.logsumexp(scores, dim=-1, keepdim=True)


@wrong(K, "You subtract the largest after exp, when it is too late. S")
def softmax_max_subtracted_after_exp(scores):
    """The maximum is subtracted after exp."""
    e = torch.exp(scores)
    e = e - e.max(dim=-1, keepdim=True).values
    return e / e.sum(dim=-1, keepdim=True)


# --- 00.broadcast_shape: (3, 4, 5) --------------------------------------------------------------------------------------

K = "00.broadcast_shape"


def axes(*numbers):
    return dict(zip(("first axis", "second axis", "third axis"), numbers))


wrong(K)(axes(3, 1, 5))  # the shape of x: y's 4 isn't stretched into it
wrong(K)(axes(3, 4, 1))  # the last axis isn't stretched
wrong(K)(axes(4, 1, 5))  # read from the left
wrong(K)(axes(3, 5, 4))  # the axes in another order
wrong(K)(axes(3, 5, 5))  # added the lengths of the axes
wrong(K)(axes(12, 1, 5))  # multiplied
wrong(K)(axes(4, 4, 5))  # 4 into the first as well
wrong(K)(axes(3, 4, 6))  # lengths added: 5 + 1

# --- 00.softmax_axis ----------------------------------------------------------------------------------------------------

K = "00.softmax_axis"
for letter in "acd":
    wrong(K)(letter)

# --- 01.waiting: 1000, 500, 1000000 --------------------------------------------------------------------------------------

K = "01.waiting"


def waits(steps, layers, scores):
    return {"GRU, steps in a row": steps, "convolution, layers": layers, "attention, scores": scores}


wrong(K)(waits(999, 500, 1_000_000))  # the first word needs a step, too
wrong(K)(waits(1, 500, 1_000_000))
wrong(K)(waits(1000, 200, 1_000_000))  # five words a layer: the window's width, not its reach
wrong(K)(waits(1000, 250, 1_000_000))  # four words a layer
wrong(K)(waits(1000, 999, 1_000_000))  # one word a layer, as with a window of three
wrong(K)(waits(1000, 499, 1_000_000))  # rounded down
wrong(K)(waits(1000, 500, 1000))  # one query only
wrong(K)(waits(1000, 500, 999_000))  # without itself
wrong(K)(waits(1000, 500, 499_500))  # each pair once
wrong(K)(waits(1000, 500, 500_500))  # each pair once, and itself

# --- 01.fits ------------------------------------------------------------------------------------------------------------

K = "01.fits"
for letter in "abd":
    wrong(K)(letter)

# --- 01.soft_lookup -----------------------------------------------------------------------------------------------------

K = "01.soft_lookup"


def gaps(queries, keys):
    return queries[:, None] - keys[None, :]


@wrong(K, "No minus sign is left: keys that are far away get the most")
def lookup_plus(queries, keys, values, width):
    """The minus sign is missing."""
    return ((gaps(queries, keys) / width) ** 2).softmax(-1) @ values


@wrong(K, "The distance isn't squared. The score is −((q − k) / width")
def lookup_absolute(queries, keys, values, width):
    """The distance isn't squared."""
    return (-gaps(queries, keys).abs() / width).softmax(-1) @ values


@wrong(K, "The width isn't squared. Divide the difference by the widt")
def lookup_width_outside(queries, keys, values, width):
    """The width isn't squared."""
    return (-(gaps(queries, keys) ** 2) / width).softmax(-1) @ values


@wrong(K, "Your score is half as large as asked, as in the bell curve")
def lookup_gaussian(queries, keys, values, width):
    """The statistician's Gaussian: divided by 2 width²."""
    return (-(gaps(queries, keys) ** 2) / (2 * width**2)).softmax(-1) @ values


@wrong(K)
def lookup_over_queries(queries, keys, values, width):
    """The softmax runs over the queries."""
    return (-((gaps(queries, keys) / width) ** 2)).softmax(0) @ values


@wrong(K, "You subtract key 0 from query 0, key 1 from query 1. Every")
def lookup_without_pairs(queries, keys, values, width):
    """Queries and keys are subtracted place by place: no table of pairs."""
    return (-(((queries - keys) / width) ** 2)).softmax(-1) @ values


@wrong(K, "You mix the keys. They only serve to find the weights; wha")
def lookup_keys_mixed(queries, keys, values, width):
    """The keys are averaged, not the values."""
    return (-((gaps(queries, keys) / width) ** 2)).softmax(-1) @ keys


@wrong(K, "You give back the value of the nearest key alone. That is")
def lookup_nearest(queries, keys, values, width):
    """A hard look-up of the nearest key."""
    return values[gaps(queries, keys).abs().argmin(-1)]


@wrong(K, "You share by 1 / (1 + d²), for a distance of d. Nearer key")
def lookup_inverse_distance(queries, keys, values, width):
    """Shares by the inverse distance instead of a softmax."""
    w = 1 / (1 + (gaps(queries, keys) / width) ** 2)
    return w / w.sum(-1, keepdim=True) @ values


@wrong(K, "Far from every key all exponentials are 0, and 0 / 0 is Na")
def lookup_naive(queries, keys, values, width):
    """exp without its maximum: far from every key all are 0, and 0/0 is NaN."""
    w = torch.exp(-((gaps(queries, keys) / width) ** 2))
    return w / w.sum(-1, keepdim=True) @ values


@wrong(K)
def lookup_unnormalised(queries, keys, values, width):
    """The weights aren't divided by their sum."""
    return torch.exp(-((gaps(queries, keys) / width) ** 2)) @ values


@wrong(K, "You take the mean of the weighted values. The weights sum")
def lookup_mean(queries, keys, values, width):
    """The mean of weight times value instead of the sum."""
    return ((-((gaps(queries, keys) / width) ** 2)).softmax(-1) * values).mean(-1)


@wrong(K, "You multiply by the width. A larger width should make the")
def lookup_times_width(queries, keys, values, width):
    """Multiplied by the width."""
    return (-((gaps(queries, keys) * width) ** 2)).softmax(-1) @ values


@wrong(K, "You return 2 results. Only the first, which is right, is a")
def lookup_pair(queries, keys, values, width):
    """Gives the weights as well."""
    weights = (-((gaps(queries, keys) / width) ** 2)).softmax(-1)
    return weights @ values, weights


@wrong(K, "You mix with the raw scores. They are negative and sum to")
def lookup_scores_mix(queries, keys, values, width):
    """No softmax: the scores themselves mix the values."""
    return -((gaps(queries, keys) / width) ** 2) @ values


# --- 01.additive_scores -------------------------------------------------------------------------------------------------

K = "01.additive_scores"


def joined(query, key, W_1, W_2):
    return (query @ W_1.mT)[..., :, None, :] + (key @ W_2.mT)[..., None, :, :]


@wrong(K, "You take tanh of the query's part and of the key's part, a")
def additive_tanh_each(query, key, W_1, W_2, w_3):
    """tanh of each part, before they are added."""
    return (torch.tanh(query @ W_1.mT)[..., :, None, :] + torch.tanh(key @ W_2.mT)[..., None, :, :]) @ w_3


@wrong(K, "The tanh is missing. Without it, query and key are never c")
def additive_without_tanh(query, key, W_1, W_2, w_3):
    """No tanh."""
    return joined(query, key, W_1, W_2) @ w_3


@wrong(K, "The tanh comes too late: it belongs around the sum W₁ q +")
def additive_w3_inside(query, key, W_1, W_2, w_3):
    """tanh last: w₃ has come inside."""
    return torch.tanh(joined(query, key, W_1, W_2) @ w_3)


@wrong(K, "The matrices aren't turned. The formula's W₁ q is for one")
def additive_untransposed(query, key, W_1, W_2, w_3):
    """W₁ and W₂ aren't transposed."""
    return torch.tanh((query @ W_1)[..., :, None, :] + (key @ W_2)[..., None, :, :]) @ w_3


@wrong(K, "You add query i to key i, so each query meets one key only")
def additive_without_pairs(query, key, W_1, W_2, w_3):
    """Added place by place: no axis for the pairs."""
    return torch.tanh(query @ W_1.mT + key @ W_2.mT) @ w_3


@wrong(K, "The axes query and key have changed places: a row belongs")
def additive_turned(query, key, W_1, W_2, w_3):
    """(key, query) instead of (query, key)."""
    return torch.tanh((query @ W_1.mT)[..., None, :, :] + (key @ W_2.mT)[..., :, None, :]) @ w_3


@wrong(K, "[:, None] and [None] count axes from the left: right for o")
def additive_one_text(query, key, W_1, W_2, w_3):
    """Right for one text: the new axes are counted from the left."""
    return torch.tanh((query @ W_1.T)[:, None] + (key @ W_2.T)[None]) @ w_3


@wrong(K, "These are weights already. Only the scores are asked for h")
def additive_weights(query, key, W_1, W_2, w_3):
    """Weights: a softmax that wasn't asked for."""
    return (torch.tanh(joined(query, key, W_1, W_2)) @ w_3).softmax(-1)


@wrong(K, "The last axis is still there: multiply with w_3 and add up")
def additive_unsummed(query, key, W_1, W_2, w_3):
    """Multiplied by w₃ and not summed."""
    return torch.tanh(joined(query, key, W_1, W_2)) * w_3


@wrong(K, "You take a mean over d_score. w₃ · tanh(…) is a sum.")
def additive_mean(query, key, W_1, W_2, w_3):
    """The mean instead of the sum of w₃'s products."""
    return (torch.tanh(joined(query, key, W_1, W_2)) * w_3).mean(-1)


@wrong(K, "w_3 isn't used: you add the numbers up, each with weight 1")
def additive_without_w3(query, key, W_1, W_2, w_3):
    """w₃ is missing."""
    return torch.tanh(joined(query, key, W_1, W_2)).sum(-1)


@wrong(K, "You use a sigmoid. The formula has tanh, from −1 to 1.")
def additive_sigmoid(query, key, W_1, W_2, w_3):
    """A sigmoid instead of tanh."""
    return torch.sigmoid(joined(query, key, W_1, W_2)) @ w_3


@wrong(K, "The matrices have changed places: W_1 belongs to the query")
def additive_matrices_swapped(query, key, W_1, W_2, w_3):
    """W₁ is given to the keys, W₂ to the queries."""
    return torch.tanh(joined(query, key, W_2, W_1)) @ w_3


@wrong(K, "You multiply the two projections. They are added: W₁ q + W")
def additive_product(query, key, W_1, W_2, w_3):
    """The two parts are multiplied instead of added."""
    return torch.tanh((query @ W_1.mT)[..., :, None, :] * (key @ W_2.mT)[..., None, :, :]) @ w_3


@wrong(K)
def additive_last_axis_kept(query, key, W_1, W_2, w_3):
    """An axis of length 1 too many at the end."""
    return torch.tanh(joined(query, key, W_1, W_2)) @ w_3[:, None]


# --- 01.context_vector --------------------------------------------------------------------------------------------------

K = "01.context_vector"


def words(scores, lengths):
    return torch.arange(scores.shape[-1]) < lengths[:, None]


def mix(weights, annotations):
    return (weights[..., None] * annotations).sum(1)


@wrong(K, "Padding gets weight: nothing in your code looks at the len")
def context_no_mask(scores, annotations, lengths):
    """The padding isn't hidden."""
    weights = scores.softmax(-1)
    return mix(weights, annotations), weights


@wrong(K, "You set padding to 0 after the softmax, so what is left su")
def context_hidden_after(scores, annotations, lengths):
    """Hidden after the softmax: the rest no longer sums to 1."""
    weights = scores.softmax(-1) * words(scores, lengths)
    return mix(weights, annotations), weights


@wrong(K, "One place too many: place number lengths[b] is the first o")
def context_one_more(scores, annotations, lengths):
    """<= lets one place of padding through."""
    seen = torch.arange(scores.shape[-1]) <= lengths[:, None]
    weights = scores.masked_fill(~seen, float("-inf")).softmax(-1).nan_to_num()
    return mix(weights, annotations), weights


@wrong(K, "It is the other way round: your weights lie on the padding")
def context_mask_turned(scores, annotations, lengths):
    """The words are hidden, and the padding isn't."""
    weights = scores.masked_fill(words(scores, lengths), float("-inf")).softmax(-1).nan_to_num()
    return mix(weights, annotations), weights


@wrong(K, "Your softmax runs over the texts of the batch. Each text s")
def context_over_the_batch(scores, annotations, lengths):
    """The softmax runs over the texts."""
    weights = scores.masked_fill(~words(scores, lengths), float("-inf")).softmax(0).nan_to_num()
    return mix(weights, annotations), weights


@wrong(K, "With a large negative number instead of −∞, a text without")
def context_minus_1e9(scores, annotations, lengths):
    """A text without words gets weights on its padding: -1e9 everywhere is the same as 0 everywhere."""
    weights = scores.masked_fill(~words(scores, lengths), -1e9).softmax(-1)
    return mix(weights, annotations), weights


@wrong(K, "A text without words gives NaN: nothing is left to share,")
def context_nan(scores, annotations, lengths):
    """A text without words gets NaN."""
    weights = scores.masked_fill(~words(scores, lengths), float("-inf")).softmax(-1)
    return mix(weights, annotations), weights


@wrong(K, "You set the scores of padding to 0. A score of 0 still get")
def context_scores_times_mask(scores, annotations, lengths):
    """The scores of padding are set to 0, and exp(0) is 1."""
    weights = (scores * words(scores, lengths)).softmax(-1)
    return mix(weights, annotations), weights


@wrong(K, "The two results are in the wrong order: the context first,")
def context_swapped(scores, annotations, lengths):
    """The two results are in the wrong order."""
    weights = scores.masked_fill(~words(scores, lengths), float("-inf")).softmax(-1).nan_to_num()
    return weights, mix(weights, annotations)


@wrong(K, "You hide the first places of each text, as if padding stoo")
def context_padding_in_front(scores, annotations, lengths):
    """Padding is taken to stand in front."""
    n = scores.shape[-1]
    seen = torch.arange(n) >= n - lengths[:, None]
    weights = scores.masked_fill(~seen, float("-inf")).softmax(-1).nan_to_num()
    return mix(weights, annotations), weights


@wrong(K, "weights @ annotations multiplies each text's weights with")
def context_matmul_without_axis(scores, annotations, lengths):
    """weights @ annotations mixes every text's weights with every text's words."""
    weights = scores.masked_fill(~words(scores, lengths), float("-inf")).softmax(-1).nan_to_num()
    return weights @ annotations, weights


@wrong(K, "The weights that you return are right, but the context is")
def context_of_all_words(scores, annotations, lengths):
    """The context is made with weights that don't hide the padding."""
    weights = scores.masked_fill(~words(scores, lengths), float("-inf")).softmax(-1).nan_to_num()
    return mix(scores.softmax(-1), annotations), weights


@wrong(K, "All texts keep the places of the longest. Each has its own")
def context_longest(scores, annotations, lengths):
    """All texts are taken to be as long as the longest."""
    weights = scores.masked_fill(torch.arange(scores.shape[-1]) >= lengths.max(), float("-inf")).softmax(-1)
    return mix(weights.nan_to_num(), annotations), weights.nan_to_num()


@wrong(K, "You take the mean of the weighted annotations. The weights")
def context_mean(scores, annotations, lengths):
    """The sum of weight times annotation is divided by the number of places."""
    weights = scores.masked_fill(~words(scores, lengths), float("-inf")).softmax(-1).nan_to_num()
    return (weights[..., None] * annotations).mean(1), weights


@wrong(K, "exp of a large score is infinite, of a very negative one 0")
def context_naive(scores, annotations, lengths):
    """exp of large scores overflows."""
    e = scores.exp() * words(scores, lengths)
    weights = e / e.sum(-1, keepdim=True).clamp(min=1e-9)
    return mix(weights, annotations), weights


@wrong(K)
def context_in_place(scores, annotations, lengths):
    """The caller's scores are changed."""
    scores.masked_fill_(~words(scores, lengths), float("-inf"))
    weights = scores.softmax(-1).nan_to_num()
    return mix(weights, annotations), weights


# --- 01.repaired --------------------------------------------------------------------------------------------------------

K = "01.repaired"


def friend(
    word, state, annotations, W_1, W_2, w_3, W, query="last", dim=0, order="wsc", say=torch.tanh, last=torch.tanh
):
    queries = {"last": annotations[:, -1], "first": annotations[:, 0], "mean": annotations.mean(1)}
    q = {**queries, "state": state, "word": word}[query]
    compared = say((q @ W_1.mT)[:, None] + annotations @ W_2.mT)
    weights = (compared @ w_3).softmax(dim=dim)
    context = (weights[..., None] * annotations).sum(dim=1)
    parts = {"w": word, "s": state, "c": context}
    return last(torch.cat([parts[letter] for letter in order], dim=-1) @ W.mT), weights


@wrong(K, "Nothing has changed yet. Print weights.sum(-1): does each")
def step_untouched(*inputs):
    """Nothing is repaired."""
    return friend(*inputs)


@wrong(K, "One of the two bugs is left: weights.sum(-1) isn't 1, beca")
def step_only_query(*inputs):
    """The softmax still runs over the batch."""
    return friend(*inputs, query="state")


@wrong(K, "One of the two bugs is left: the query is the encoder's la")
def step_only_softmax(*inputs):
    """The query is still the last annotation."""
    return friend(*inputs, dim=-1)


@wrong(K, "You ask with the word that was said last. The word goes in")
def step_word_asks(*inputs):
    """The word asks instead of the state."""
    return friend(*inputs, query="word", dim=-1)


@wrong(K, "Word and state have changed places in the update: W expect")
def step_order(*inputs):
    """State and word have changed places before W."""
    return friend(*inputs, query="state", dim=-1, order="swc")


@wrong(K, "The context stands first in the update: W expects word, st")
def step_context_first(*inputs):
    """The context stands first."""
    return friend(*inputs, query="state", dim=-1, order="cws")


@wrong(K, "The query is the first annotation, the same at every step:")
def step_first_annotation(*inputs):
    """The first annotation asks."""
    return friend(*inputs, query="first", dim=-1)


@wrong(K, "The query is the mean of the annotations, the same at ever")
def step_mean_asks(*inputs):
    """The mean of the annotations asks, and not the state."""
    return friend(*inputs, query="mean", dim=-1)


@wrong(K, "The update has lost its tanh. It was right as it was.")
def step_no_last_tanh(*inputs):
    """The outer tanh has gone."""
    return friend(*inputs, query="state", dim=-1, last=lambda x: x)


@wrong(K, "The score was right as it was: without the tanh, the state")
def step_no_inner_tanh(*inputs):
    """The inner tanh has gone."""
    return friend(*inputs, query="state", dim=-1, say=lambda x: x)


@wrong(K, "You return the context. What comes back first is the next")
def step_gives_context(word, state, annotations, W_1, W_2, w_3, W):
    """Gives the context instead of the next state."""
    compared = torch.tanh((state @ W_1.mT)[:, None] + annotations @ W_2.mT)
    weights = (compared @ w_3).softmax(dim=-1)
    return (weights[..., None] * annotations).sum(dim=1), weights


@wrong(K, "You add up over the numbers of each annotation. That line")
def step_context_over_numbers(word, state, annotations, W_1, W_2, w_3, W):
    """The context is summed over the annotations' numbers, not over the words."""
    compared = torch.tanh((state @ W_1.mT)[:, None] + annotations @ W_2.mT)
    weights = (compared @ w_3).softmax(dim=-1)
    context = (weights[..., None] * annotations).sum(dim=-1)
    return torch.tanh(torch.cat([word, state, context], dim=-1) @ W.mT), weights


@wrong(K, "W_1 and W_2 have changed places. They were right: W_1 belo")
def step_matrices_swapped(word, state, annotations, W_1, W_2, w_3, W):
    """W₁ and W₂ have changed places."""
    return friend(word, state, annotations, W_2, W_1, w_3, W, query="state", dim=-1)


# --- 02.attend ----------------------------------------------------------------------------------------------------------

K = "02.attend"


@wrong(K, "You divide by √d_k already. That comes later in this lesso")
def attend_scaled(query, keys, values):
    """Divided by √d_k, where the plain dot product was asked for."""
    return (keys @ query / len(query) ** 0.5).softmax(-1) @ values


@wrong(K, "You weigh with the raw scores. They can be negative and su")
def attend_scores(query, keys, values):
    """No softmax."""
    return (keys @ query) @ values


@wrong(K, "You mix the keys. They only serve to find the weights; wha")
def attend_keys_mixed(query, keys, values):
    """Mixes the keys."""
    return (keys @ query).softmax(-1) @ keys


@wrong(K, "These are the weights. Mix the values with them: weights @")
def attend_gives_weights(query, keys, values):
    """Gives the weights, not the mixture."""
    return (keys @ query).softmax(-1)


@wrong(K, "Every word counts the same in your answer: that is the pla")
def attend_mean(query, keys, values):
    """The plain mean of the values."""
    return values.mean(0)


@wrong(K, "The weighted values aren't summed yet: one vector should c")
def attend_unsummed(query, keys, values):
    """The weighted values aren't summed."""
    return (keys @ query).softmax(-1)[:, None] * values


@wrong(K, "You sum over the wrong axis: the weights run over the word")
def attend_summed_over_numbers(query, keys, values):
    """Summed over the numbers of a value, not over the words."""
    return ((keys @ query).softmax(-1)[:, None] * values).sum(-1)


@wrong(K, "You return the value of the best key alone. That is a hard")
def attend_hard(query, keys, values):
    """The best key takes all."""
    return values[(keys @ query).argmax()]


@wrong(K, "query @ keys sums over the words. The numbers of query and")
def attend_untransposed(query, keys, values):
    """The keys aren't transposed."""
    return (query @ keys).softmax(-1) @ values


@wrong(K)
def attend_unnormalised(query, keys, values):
    """exp without dividing by the sum."""
    return torch.exp(keys @ query) @ values


@wrong(K, "You take the mean of the weighted values. The weights sum")
def attend_mean_of_weighted(query, keys, values):
    """The mean of the weighted values: divided by n."""
    return ((keys @ query).softmax(-1)[:, None] * values).mean(0)


@wrong(K, "You compare by the distance. The score here is the dot pro")
def attend_distance(query, keys, values):
    """Distances as scores."""
    return (-(keys - query).norm(dim=-1)).softmax(-1) @ values


@wrong(K, "The sigmoid looks at each score by itself. The keys share")
def attend_sigmoid(query, keys, values):
    """A sigmoid for each score instead of a softmax."""
    return torch.sigmoid(keys @ query) @ values


@wrong(K, "exp of a large score is infinite, and infinity divided by")
def attend_naive(query, keys, values):
    """exp overflows."""
    e = torch.exp(keys @ query)
    return e / e.sum() @ values


@wrong(K, "You divide the scores by their sum, without exp: negative")
def attend_share_of_scores(query, keys, values):
    """Scores divided by their sum, without exp."""
    scores = keys @ query
    return scores / scores.sum() @ values


@wrong(K, "The softmax comes too late: it makes weights of the scores")
def attend_softmax_last(query, keys, values):
    """The softmax comes after the mixture."""
    return ((keys @ query) @ values).softmax(-1)


# --- 02.bilinear --------------------------------------------------------------------------------------------------------

K = "02.bilinear"


@wrong(K, "W_Q W_Kᵀ is right on slides that write a word as a row")
def bilinear_outside(W_Q, W_K):
    """Sums over d_model instead of d_k."""
    return W_Q @ W_K.T


@wrong(K, "This is W_Kᵀ W_Q, the transpose: with it the key word asks")
def bilinear_turned(W_Q, W_K):
    """The transpose: asking and answering change roles."""
    return W_K.T @ W_Q


@wrong(K, "The division by √d_k isn't part of W. It comes afterwards,")
def bilinear_scaled(W_Q, W_K):
    """Divided by √d_k."""
    return W_Q.T @ W_K / W_Q.shape[0] ** 0.5


@wrong(K, "W_Q W_K multiplies d_model with d_k: it only fits where bo")
def bilinear_untransposed(W_Q, W_K):
    """Nothing is transposed."""
    return W_Q @ W_K


@wrong(K, "You multiply entry by entry. The score sums over d_k, so a")
def bilinear_elementwise(W_Q, W_K):
    """Number by number."""
    return W_Q * W_K


@wrong(K, "You add the matrices. A score is a product: (W_Q x)ᵀ (W_K")
def bilinear_sum(W_Q, W_K):
    """Added."""
    return W_Q + W_K


@wrong(K, "You made it symmetric. It isn't:")
def bilinear_symmetric(W_Q, W_K):
    """Made symmetric."""
    W = W_Q.T @ W_K
    return (W + W.T) / 2


@wrong(K, "kron multiplies every number of one with every number of t")
def bilinear_kron(W_Q, W_K):
    """The Kronecker product."""
    return torch.kron(W_Q, W_K)


@wrong(K, "You lay the matrices one below the other. A score is a pro")
def bilinear_cat(W_Q, W_K):
    """Laid side by side."""
    return torch.cat([W_Q, W_K])


@wrong(K, "You use only W_Q. The key has its own matrix.")
def bilinear_query_twice(W_Q, W_K):
    """W_Q twice."""
    return W_Q.T @ W_Q


@wrong(K, "Both are summed over d_k before they are multiplied. Multi")
def bilinear_outer(W_Q, W_K):
    """Sums d_k away in each before multiplying."""
    return torch.outer(W_Q.sum(0), W_K.sum(0))


@wrong(K, "The result: the right numbers, sent through a softmax over")
def bilinear_softmax(W_Q, W_K):
    """A softmax that wasn't asked for."""
    return (W_Q.T @ W_K).softmax(-1)


# --- 02.by_hand: 10, 0.982 ----------------------------------------------------------------------------------------------

K = "02.by_hand"


def hand(score, weight):
    return {"first scaled score": score, "first weight": weight}


wrong(K)(hand(2.5, 0.731))  # divided by d_k, not by its root
wrong(K)(hand(40, 1.0))  # not divided
wrong(K)(hand(10, 0.018))  # the second's weight
wrong(K)(hand(10, 0.625))  # 10 of 16: no exp
wrong(K)(hand(10, 0.88))  # the example's
wrong(K)(hand(5, 0.88))  # divided by 8, as in the example
wrong(K)(hand(10, 98.2))  # per cent
wrong(K)(hand(160, 1.0))  # multiplied
wrong(K)(hand(10, 0.731))  # the right score, but a weight from scores divided by 16
wrong(K)(hand(10, 1.0))  # the weight of the unscaled scores

# --- 02.order -----------------------------------------------------------------------------------------------------------

K = "02.order"
for letter in "acd":
    wrong(K)(letter)

# --- 02.scaled_dot_product_attention ------------------------------------------------------------------------------------

K = "02.scaled_dot_product_attention"


@wrong(K, "The weights are too sharp: your scores grow with d_k. Divi")
def sdpa_unscaled(query, key, value):
    """√d_k is missing."""
    weights = (query @ key.mT).softmax(-1)
    return weights @ value, weights


@wrong(K, "You divide by d_k. Divide by its square root: the spread o")
def sdpa_by_d_k(query, key, value):
    """Divided by d_k, not by its root."""
    weights = (query @ key.mT / query.shape[-1]).softmax(-1)
    return weights @ value, weights


@wrong(K, "You scale by the number of keys. What makes scores grow is")
def sdpa_by_words(query, key, value):
    """√n instead of √d_k."""
    weights = (query @ key.mT / key.shape[-2] ** 0.5).softmax(-1)
    return weights @ value, weights


@wrong(K, "You scale by the length of the values, d_v. The scores are")
def sdpa_by_d_v(query, key, value):
    """√d_v instead of √d_k."""
    weights = (query @ key.mT / value.shape[-1] ** 0.5).softmax(-1)
    return weights @ value, weights


@wrong(K)
def sdpa_over_queries(query, key, value):
    """Softmax over the queries."""
    weights = (query @ key.mT / query.shape[-1] ** 0.5).softmax(-2)
    return weights @ value, weights


@wrong(K, "This works for one sentence without a batch: .T turns all")
def sdpa_capital_t(query, key, value):
    """`.T` turns round all axes."""
    weights = (query @ key.T / query.shape[-1] ** 0.5).softmax(-1)
    return weights @ value, weights


@wrong(K, "Only the output comes back. The weights are asked for too:")
def sdpa_output_only(query, key, value):
    """The weights aren't returned."""
    return (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1) @ value


@wrong(K, "The two results are in the wrong order: the output first,")
def sdpa_swapped(query, key, value):
    """The results are in the wrong order."""
    weights = (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1)
    return weights, weights @ value


@wrong(K, "You scale after the softmax: then the rows sum to 1/√d_k.")
def sdpa_scaled_after(query, key, value):
    """Divided after the softmax."""
    weights = (query @ key.mT).softmax(-1) / query.shape[-1] ** 0.5
    return weights @ value, weights


@wrong(K, "You multiply by √d_k. Divide, so that the spread shrinks b")
def sdpa_times(query, key, value):
    """Multiplied by √d_k."""
    weights = (query @ key.mT * query.shape[-1] ** 0.5).softmax(-1)
    return weights @ value, weights


@wrong(K, "The output is right. As the second result you return the s")
def sdpa_scores_returned(query, key, value):
    """Returns the scores instead of the weights."""
    scores = query @ key.mT / query.shape[-1] ** 0.5
    return scores.softmax(-1) @ value, scores


@wrong(K, "softmax(dim=1) is right only for two axes. With batch and")
def sdpa_axis_one(query, key, value):
    """Softmax over axis 1, whatever stands there."""
    weights = (query @ key.mT / query.shape[-1] ** 0.5).softmax(1)
    return weights @ value, weights


@wrong(K, "You mix the keys. The weights come from the keys; what the")
def sdpa_keys_mixed(query, key, value):
    """The keys are mixed."""
    weights = (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1)
    return weights @ key, weights


@wrong(K, "The size of your scores is wrong. They should be divided b")
def sdpa_len_query(query, key, value):
    """len(query) is the number of queries, or the batch."""
    weights = (query @ key.mT / len(query) ** 0.5).softmax(-1)
    return weights @ value, weights


@wrong(K, "Your score is the distance, with a minus sign and over √d_")
def sdpa_distances(query, key, value):
    """Distances as scores."""
    weights = (-torch.cdist(query, key) / query.shape[-1] ** 0.5).softmax(-1)
    return weights @ value, weights


@wrong(K, "The values are divided by √d_k. Divide the scores, before")
def sdpa_values_scaled(query, key, value):
    """The values are divided by √d_k, not the scores."""
    weights = (query @ key.mT).softmax(-1)
    return weights @ (value / query.shape[-1] ** 0.5), weights


@wrong(K, "You divide by d_k. Divide by its square root: the spread o")
def sdpa_both_scaled(query, key, value):
    """Query and key are both divided by √d_k."""
    d = query.shape[-1] ** 0.5
    weights = (query / d @ (key / d).mT).softmax(-1)
    return weights @ value, weights


@wrong(K, "Two things at once. First: The weights are too sharp: your")
def sdpa_unscaled_over_queries(query, key, value):
    """Two mistakes: no scale, and softmax over the queries."""
    weights = (query @ key.mT).softmax(-2)
    return weights @ value, weights


# --- 02.repaired --------------------------------------------------------------------------------------------------------

K = "02.repaired"


def rows(scores, dim=-1):
    e = (scores - scores.max(dim=-1, keepdim=True).values).exp()
    return e / e.sum(dim=dim, keepdim=True)


@wrong(K, "Both bugs are still there. Print weights.sum(-1): does eve")
def repair_untouched(x, W_Q, W_K, W_V):
    """Nothing is repaired."""
    query, key, value = x @ W_Q.mT, x @ W_K.mT, x @ W_V.mT
    scores = query @ key.mT / x.shape[-1] ** 0.5
    e = (scores - scores.max(dim=-1, keepdim=True).values).exp()
    return e / e.sum(dim=-1) @ value


@wrong(K, "One of the two bugs is left: look at weights.sum(-1), whic")
def repair_only_scale(x, W_Q, W_K, W_V):
    """The sum still lacks keepdim."""
    query, key, value = x @ W_Q.mT, x @ W_K.mT, x @ W_V.mT
    scores = query @ key.mT / key.shape[-1] ** 0.5
    e = (scores - scores.max(dim=-1, keepdim=True).values).exp()
    return e / e.sum(dim=-1) @ value


@wrong(K, "One of the two bugs is left, in the scale: d_k is the leng")
def repair_only_sum(x, W_Q, W_K, W_V):
    """Still √d_model."""
    return rows(x @ W_Q.mT @ (x @ W_K.mT).mT / x.shape[-1] ** 0.5) @ (x @ W_V.mT)


@wrong(K, "You scale by the length of a value. Scores are made of que")
def repair_d_v(x, W_Q, W_K, W_V):
    """√d_v."""
    return rows(x @ W_Q.mT @ (x @ W_K.mT).mT / W_V.shape[0] ** 0.5) @ (x @ W_V.mT)


@wrong(K, "Now the columns sum to 1, not the rows: the sum belongs ov")
def repair_over_queries(x, W_Q, W_K, W_V):
    """The sum runs over the queries."""
    return rows(x @ W_Q.mT @ (x @ W_K.mT).mT / W_Q.shape[0] ** 0.5, dim=0) @ (x @ W_V.mT)


@wrong(K, "The scale has gone altogether: divide the scores by √d_k.")
def repair_unscaled(x, W_Q, W_K, W_V):
    """The scale was taken out."""
    return rows(x @ W_Q.mT @ (x @ W_K.mT).mT) @ (x @ W_V.mT)


@wrong(K, "You divide by d_k; divide by its square root.")
def repair_by_d_k(x, W_Q, W_K, W_V):
    """d_k instead of its root."""
    return rows(x @ W_Q.mT @ (x @ W_K.mT).mT / W_Q.shape[0]) @ (x @ W_V.mT)


@wrong(K, "You scale by the number of words; d_k is the length of a k")
def repair_words(x, W_Q, W_K, W_V):
    """√n instead of √d_k."""
    return rows(x @ W_Q.mT @ (x @ W_K.mT).mT / len(x) ** 0.5) @ (x @ W_V.mT)


@wrong(K, "The row's largest score is no longer taken off, so exp of")
def repair_naive(x, W_Q, W_K, W_V):
    """The maximum has gone: exp overflows."""
    e = (x @ W_Q.mT @ (x @ W_K.mT).mT / W_Q.shape[0] ** 0.5).exp()
    return e / e.sum(-1, keepdim=True) @ (x @ W_V.mT)


@wrong(K, "The weights are transposed before they meet the values. Th")
def repair_weights_turned(x, W_Q, W_K, W_V):
    """The weights are transposed before mixing."""
    return rows(x @ W_Q.mT @ (x @ W_K.mT).mT / W_Q.shape[0] ** 0.5).mT @ (x @ W_V.mT)


@wrong(K, "Now all weights sum to 1 together; each row should, by its")
def repair_whole_sum(x, W_Q, W_K, W_V):
    """Divided by the sum of the whole table."""
    scores = x @ W_Q.mT @ (x @ W_K.mT).mT / W_Q.shape[0] ** 0.5
    e = (scores - scores.max(dim=-1, keepdim=True).values).exp()
    return e / e.sum() @ (x @ W_V.mT)


@wrong(K, "The three matrices aren't turned any more. They were right")
def repair_matrices_plain(x, W_Q, W_K, W_V):
    """.mT taken away from the matrices."""
    query, key, value = x @ W_Q, x @ W_K, x @ W_V
    return rows(query @ key.mT / key.shape[-1] ** 0.5) @ value


@wrong(K, "Queries and keys have changed places. That line was right:")
def repair_keys_from_query(x, W_Q, W_K, W_V):
    """The roles of query and key are exchanged."""
    return rows(x @ W_K.mT @ (x @ W_Q.mT).mT / W_Q.shape[0] ** 0.5) @ (x @ W_V.mT)


# --- 03.split_heads -----------------------------------------------------------------------------------------------------

K = "03.split_heads"


@wrong(K, "The shape is right, the numbers are scrambled: reshaping s")
def split_at_once(x, num_heads):
    """Reshaped at once: scrambles the words."""
    batch, n, width = x.shape
    return x.reshape(batch, num_heads, n, width // num_heads)


@wrong(K, "The words come before the heads: (batch, n, head, d). Swap")
def split_not_swapped(x, num_heads):
    """The axes aren't swapped."""
    batch, n, width = x.shape
    return x.reshape(batch, n, num_heads, width // num_heads)


@wrong(K, "You deal the numbers out like cards: head 0 gets numbers 0")
def split_interleaved(x, num_heads):
    """Head 0 gets every num_heads-th number: cut as (d, head)."""
    batch, n, width = x.shape
    return x.reshape(batch, n, width // num_heads, num_heads).permute(0, 3, 1, 2)


@wrong(K, "Heads before sentences: (head, batch, n, d). The batch com")
def split_heads_in_front(x, num_heads):
    """The heads stand before the batch."""
    return torch.stack(x.chunk(num_heads, dim=-1))


@wrong(K, "You swapped the last two axes as well: (batch, head, d, n)")
def split_words_last(x, num_heads):
    """The last two axes are swapped as well: (…, d, n)."""
    batch, n, width = x.shape
    return x.reshape(batch, n, num_heads, width // num_heads).permute(0, 2, 3, 1)


@wrong(K, "num_heads is how many heads there are; you made it the len")
def split_head_and_d_swapped(x, num_heads):
    """num_heads is taken for d."""
    batch, n, width = x.shape
    return x.reshape(batch, n, -1, num_heads).transpose(1, 2)


@wrong(K, "num_heads is how many heads there are; you made it the len")
def split_size(x, num_heads):
    """split takes the size of a piece, not their number."""
    return torch.stack(x.split(num_heads, dim=-1), dim=1)


@wrong(K, "chunk gives the heads one by one. Make one tensor of them,")
def split_list(x, num_heads):
    """A tuple of heads, not one tensor."""
    return x.chunk(num_heads, dim=-1)


@wrong(K)
def split_batch_swapped(x, num_heads):
    """Batch and words are swapped."""
    batch, n, width = x.shape
    return x.reshape(batch, n, num_heads, width // num_heads).transpose(0, 1)


@wrong(K, "2 names stand on the left, but more values come: of a shap")
def split_one_text(x, num_heads):
    """Forgets the batch."""
    n, width = x.shape
    return x.reshape(n, num_heads, width // num_heads).transpose(0, 1)


@wrong(K, "You cut the words into heads, not their numbers: dim=1 is")
def split_words(x, num_heads):
    """Cuts the words, not the numbers."""
    return torch.stack(x.chunk(num_heads, dim=1), dim=1)


@wrong(K, "Every head gets the same numbers, the first d of them. Hea")
def split_two_numbers(x, num_heads):
    """Every head gets the first d numbers."""
    d = x.shape[-1] // num_heads
    return torch.stack([x[..., :d]] * num_heads, dim=1)


# --- 03.merge_heads -----------------------------------------------------------------------------------------------------

K = "03.merge_heads"


@wrong(K, "The shape is right, the words are scrambled: swap head and")
def merge_at_once(x):
    """Reshaped at once, without swapping back."""
    batch, heads, n, d = x.shape
    return x.reshape(batch, n, heads * d)


@wrong(K, "view can't join axes that don't lie next to each other in")
def merge_view(x):
    """view after transpose: torch asks for contiguous."""
    batch, heads, n, d = x.shape
    return x.transpose(1, 2).view(batch, n, heads * d)


@wrong(K, "You add the heads up: what each of them found can't be tol")
def merge_sum(x):
    """Sums the heads."""
    return x.sum(dim=1)


@wrong(K, "You average the heads: what each of them found can't be to")
def merge_mean(x):
    """Averages the heads."""
    return x.mean(dim=1)


@wrong(K, "The numbers of the heads are interleaved. Head 0's numbers")
def merge_interleaved(x):
    """(d, head): the heads' numbers are interleaved."""
    return x.permute(0, 2, 3, 1).flatten(2)


@wrong(K, "You laid the words of all heads one after another: (batch,")
def merge_words(x):
    """Heads laid one below the other, along the words."""
    return x.flatten(1, 2)


@wrong(K, "The axes are swapped back, but head and d are still apart.")
def merge_only_swapped(x):
    """Swapped, not laid together."""
    return x.transpose(1, 2)


@wrong(K, "You laid the words of all heads one after another: (batch,")
def merge_cat_words(x):
    """cat along the words."""
    return torch.cat(x.unbind(1), dim=1)


@wrong(K, "The heads are joined in reverse order. Head 0's numbers co")
def merge_backwards(x):
    """The last head first."""
    return torch.cat(x.unbind(1)[::-1], dim=-1)


@wrong(K, "You swapped axes 0 and 2, sentences and words, and then al")
def merge_batch(x):
    """The heads of the batch: axes 0 and 2 are swapped."""
    batch, heads, n, d = x.shape
    return x.transpose(0, 2).reshape(batch, n, heads * d)


@wrong(K, "Only the first head is left. Lay all of them side by side.")
def merge_only_first(x):
    """Head 0 only."""
    return x[:, 0]


@wrong(K, "The words are scrambled: words and numbers were swapped, a")
def merge_last_swapped(x):
    """n and d are swapped before reshaping."""
    batch, heads, n, d = x.shape
    return x.transpose(2, 3).reshape(batch, n, heads * d)


# --- 03.parameters: 1048576, 1048576, 1050624 ---------------------------------------------------------------------------

K = "03.parameters"


def counted(eight, sixteen, bias):
    return {"8 heads, without bias": eight, "16 heads, without bias": sixteen, "8 heads, with bias": bias}


wrong(K)(counted(786432, 786432, 787968))  # W_O is missing
wrong(K)(counted(1048576, 2097152, 1050624))  # twice the heads, twice the parameters
wrong(K)(counted(1048576, 524288, 1050624))  # half
wrong(K)(counted(1048576, 1048576, 1049088))  # one bias only
wrong(K)(counted(1048576, 1048576, 1048580))  # one number for each matrix
wrong(K)(counted(1048576, 1048576, 1050112))  # W_O has no bias
wrong(K)(counted(131072, 65536, 131328))  # only one head
wrong(K)(counted(8388608, 16777216, 8404992))  # d_model × d_model for each head
wrong(K)(counted(262144, 262144, 262656))  # one matrix
wrong(K)(counted(1048576, 1048576, 1048576))  # no biases counted

# --- 03.MultiHeadAttention ----------------------------------------------------------------------------------------------

K = "03.MultiHeadAttention"


def attend(q, k, v, scale=None, dim=-1):
    weights = (q @ k.mT / (scale or q.shape[-1] ** 0.5)).softmax(dim)
    return weights @ v, weights


def cut(x, heads):
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def lay(x):
    return x.transpose(1, 2).flatten(2)


class Layer(nn.Module):
    def __init__(self, d_model, num_heads, bias=True):
        super().__init__()
        self.num_heads = num_heads
        self.d_model = d_model
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(d_model, d_model, bias=bias) for _ in range(4))

    def heads(self, query, key, value):
        h = self.num_heads
        return cut(self.W_Q(query), h), cut(self.W_K(key), h), cut(self.W_V(value), h)


@wrong(K, "There are no heads yet: this is one attention over all d_m")
class LayerWithoutHeads(Layer):
    """One head over all of d_model."""

    def forward(self, query, key, value):
        output, weights = attend(self.W_Q(query), self.W_K(key), self.W_V(value))
        return self.W_O(output), weights


@wrong(K, "You scale by √d_model. Each head compares vectors of lengt")
class LayerScaledByModel(Layer):
    """√d_model instead of √d_k."""

    def forward(self, query, key, value):
        output, weights = attend(*self.heads(query, key, value), scale=self.d_model**0.5)
        return self.W_O(lay(output)), weights


@wrong(K, "W_O is missing: the heads lie side by side, but nothing ha")
class LayerWithoutWO(Layer):
    """W_O isn't used."""

    def forward(self, query, key, value):
        output, weights = attend(*self.heads(query, key, value))
        return lay(output), weights


@wrong(K, "Cutting into heads has scrambled the words. Cut the last a")
class LayerReshaped(Layer):
    """Reshaped at once, without swapping axes."""

    def forward(self, query, key, value):
        b, h = len(query), self.num_heads
        q, k, v = (
            W(x).reshape(b, h, x.shape[1], -1) for W, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value))
        )
        output, weights = attend(q, k, v)
        return self.W_O(lay(output)), weights


@wrong(K, "Keys and values come from the query. That is right when a")
class LayerOfOneText(Layer):
    """Keys and values are made from the query."""

    def forward(self, query, key, value):
        output, weights = attend(*self.heads(query, query, query))
        return self.W_O(lay(output)), weights


@wrong(K, "The weights are averaged over the heads. Return those of e")
class LayerMeanWeights(Layer):
    """The weights are averaged over the heads."""

    def forward(self, query, key, value):
        output, weights = attend(*self.heads(query, key, value))
        return self.W_O(lay(output)), weights.mean(1)


@wrong(K)
class LayerWithoutBias(Layer):
    """The four Linear have no bias."""

    def __init__(self, d_model, num_heads):
        super().__init__(d_model, num_heads, bias=False)

    def forward(self, query, key, value):
        output, weights = attend(*self.heads(query, key, value))
        return self.W_O(lay(output)), weights


@wrong(K, "Your softmax runs over the heads. It belongs over the keys")
class LayerOverHeads(Layer):
    """Softmax over the heads."""

    def forward(self, query, key, value):
        output, weights = attend(*self.heads(query, key, value), dim=1)
        return self.W_O(lay(output)), weights


@wrong(K, "Laying the heads side by side has scrambled the words. Swa")
class LayerMergedAtOnce(Layer):
    """The heads aren't swapped back before they are laid side by side."""

    def forward(self, query, key, value):
        output, weights = attend(*self.heads(query, key, value))
        return self.W_O(output.reshape(query.shape)), weights


@wrong(K, "The values come from the keys' input. Project the argument")
class LayerValueFromKey(Layer):
    """The values are made from the keys' text."""

    def forward(self, query, key, value):
        output, weights = attend(*self.heads(query, key, key))
        return self.W_O(lay(output)), weights


@wrong(K)
class LayerOtherNames(nn.Module):
    """The layers have other names than asked for."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.w_q, self.w_k, self.w_v, self.w_o = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, query, key, value):
        h = self.num_heads
        output, weights = attend(cut(self.w_q(query), h), cut(self.w_k(key), h), cut(self.w_v(value), h))
        return self.w_o(lay(output)), weights


@wrong(K, "W_Q.weight should have shape (8, 8) for d_model=8, num_hea")
class LayerOfSmallOnes(nn.Module):
    """Linear(d_k, d_k) for the pieces of one head, instead of Linear(d_model, d_model)."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        d = d_model // num_heads
        self.W_Q, self.W_K, self.W_V = (nn.Linear(d, d) for _ in range(3))
        self.W_O = nn.Linear(d_model, d_model)

    def forward(self, query, key, value):
        h = self.num_heads
        output, weights = attend(self.W_Q(cut(query, h)), self.W_K(cut(key, h)), self.W_V(cut(value, h)))
        return self.W_O(lay(output)), weights


@wrong(K, "Only the output comes back. Return the weights as well.")
class LayerOutputOnly(Layer):
    """The weights aren't returned."""

    def forward(self, query, key, value):
        output, _ = attend(*self.heads(query, key, value))
        return self.W_O(lay(output))


@wrong(K, "The input is added to the output. That residual connection")
class LayerResidual(Layer):
    """The query is added: a residual connection."""

    def forward(self, query, key, value):
        output, weights = attend(*self.heads(query, key, value))
        return query + self.W_O(lay(output)), weights


@wrong(K, "W_Q and W_K have changed places.")
class LayerProjectionsSwapped(Layer):
    """W_Q makes the keys, and W_K the queries."""

    def forward(self, query, key, value):
        h = self.num_heads
        output, weights = attend(cut(self.W_K(query), h), cut(self.W_Q(key), h), cut(self.W_V(value), h))
        return self.W_O(lay(output)), weights


@wrong(K)
class LayerLengthOfQuery(Layer):
    """Keys are reshaped by the number of queries."""

    def forward(self, query, key, value):
        b, n, d = query.shape
        q, k, v = (
            W(x).view(b, n, self.num_heads, d // self.num_heads).transpose(1, 2)
            for W, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value))
        )
        output, weights = attend(q, k, v)
        return self.W_O(lay(output)), weights


@wrong(K, "The scale is missing: divide the scores of each head by √d")
class LayerUnscaled(Layer):
    """The scale is missing."""

    def forward(self, query, key, value):
        output, weights = attend(*self.heads(query, key, value), scale=1.0)
        return self.W_O(lay(output)), weights


@wrong(K, "The heads are averaged, and the result is repeated to d_mo")
class LayerHeadsSummed(Layer):
    """The heads are averaged, and repeated to d_model."""

    def forward(self, query, key, value):
        output, weights = attend(*self.heads(query, key, value))
        return self.W_O(output.mean(1).repeat(1, 1, self.num_heads)), weights


# --- 03.strongest_head --------------------------------------------------------------------------------------------------

K = "03.strongest_head"


@wrong(K, "Query and key have changed places: you measured how much t")
def head_turned(weights, query, key):
    """Query and key are swapped."""
    return divmod(weights[:, :, key, query].argmax().item(), weights.shape[1])


@wrong(K, "That is a single index into all heads of all layers. Make")
def head_flat(weights, query, key):
    """One number: the place in the flattened table."""
    return weights[:, :, query, key].argmax().item()


@wrong(K, "You divide the index by the number of layers. Row by row m")
def head_by_layers(weights, query, key):
    """Divided by the number of layers instead of heads."""
    return divmod(weights[:, :, query, key].argmax().item(), weights.shape[0])


@wrong(K, "Head and layer have changed places: the layer comes first.")
def head_first(weights, query, key):
    """(head, layer)."""
    layer, head = divmod(weights[:, :, query, key].argmax().item(), weights.shape[1])
    return head, layer


@wrong(K, "The numbers are right, but they are tensors. Make Python n")
def head_tensors(weights, query, key):
    """Tensors, not Python numbers."""
    return torch.unravel_index(weights[:, :, query, key].argmax(), weights.shape[:2])


@wrong(K, "That is the head that looks there least. Take the largest")
def head_least(weights, query, key):
    """The least weight."""
    return divmod(weights[:, :, query, key].argmin().item(), weights.shape[1])


@wrong(K, "You find the best layer and the best head apart from each")
def head_by_marginals(weights, query, key):
    """Layer and head are sought apart: the sums over heads and over layers."""
    w = weights[:, :, query, key]
    return w.sum(1).argmax().item(), w.sum(0).argmax().item()


@wrong(K, "Layers and heads are counted from 0, as Python counts: lea")
def head_from_one(weights, query, key):
    """Counts from 1."""
    layer, head = divmod(weights[:, :, query, key].argmax().item(), weights.shape[1])
    return layer + 1, head + 1


@wrong(K, "You look for the largest weight of all, whoever looks at w")
def head_anywhere(weights, query, key):
    """The largest weight of all, whoever looks."""
    i = weights.flatten(2).max(-1).values.argmax().item()
    return divmod(i, weights.shape[1])


@wrong(K, "You look for the head with the largest weight on any key.")
def head_any_key(weights, query, key):
    """The largest weight of this query, whatever it looks at."""
    return divmod(weights[:, :, query].max(-1).values.argmax().item(), weights.shape[1])


@wrong(K, "Only the last layer is searched. Search all of them.")
def head_last_layer(weights, query, key):
    """Only the last layer is searched."""
    return len(weights) - 1, weights[-1, :, query, key].argmax().item()


@wrong(K, "That is the weight itself. Asked for is where it stands: w")
def head_value(weights, query, key):
    """The weight itself."""
    return weights[:, :, query, key].max().item()


@wrong(K, "You take the best head of the first layer, and look for a")
def head_two_argmaxes(weights, query, key):
    """Takes the best head of layer 0, then the best layer for it."""
    w = weights[:, :, query, key]
    head = w[0].argmax().item()
    return w[:, head].argmax().item(), head


# --- 03.repaired --------------------------------------------------------------------------------------------------------

K = "03.repaired"


def made(x, matrices, num_heads):
    return tuple(cut(x @ W.mT, num_heads) for W in matrices)


@wrong(K, "Nothing has changed yet: in each word, its heads look at e")
def meet_untouched(x, W_Q, W_K, W_V, W_O, num_heads):
    """Nothing is repaired."""
    b, n, d = x.shape
    q, k, v = ((x @ W.mT).reshape(b, n, num_heads, -1) for W in (W_Q, W_K, W_V))
    return attend(q, k, v)[0].reshape(b, n, d) @ W_O


@wrong(K, "One of the two bugs is left: in each word its heads look a")
def meet_only_output(x, W_Q, W_K, W_V, W_O, num_heads):
    """The heads of one word still meet each other."""
    b, n, d = x.shape
    q, k, v = ((x @ W.mT).reshape(b, n, num_heads, -1) for W in (W_Q, W_K, W_V))
    return attend(q, k, v)[0].reshape(b, n, d) @ W_O.mT


@wrong(K, "One of the two bugs is left, in the last line: nn.Linear c")
def meet_only_axes(x, W_Q, W_K, W_V, W_O, num_heads):
    """W_O isn't transposed."""
    return lay(attend(*made(x, (W_Q, W_K, W_V), num_heads))[0]) @ W_O


@wrong(K, "The heads are joined without swapping the axes back, so th")
def meet_not_back(x, W_Q, W_K, W_V, W_O, num_heads):
    """Swapped, and not swapped back."""
    return attend(*made(x, (W_Q, W_K, W_V), num_heads))[0].reshape(x.shape) @ W_O.mT


@wrong(K, "You reshape straight to (batch, head, n, d_k), which cuts")
def meet_at_once(x, W_Q, W_K, W_V, W_O, num_heads):
    """Reshaped at once to (batch, head, n, d)."""
    b, n, d = x.shape
    q, k, v = ((x @ W.mT).reshape(b, num_heads, n, -1) for W in (W_Q, W_K, W_V))
    return lay(attend(q, k, v)[0]) @ W_O.mT


@wrong(K, "There are no heads any more: this is one attention over al")
def meet_one_head(x, W_Q, W_K, W_V, W_O, num_heads):
    """The heads have gone."""
    return attend(x @ W_Q.mT, x @ W_K.mT, x @ W_V.mT)[0] @ W_O.mT


@wrong(K, "The scale is √d_model; a head's keys have length d_k = d_m")
def meet_d_model(x, W_Q, W_K, W_V, W_O, num_heads):
    """Scaled by √d_model."""
    return lay(attend(*made(x, (W_Q, W_K, W_V), num_heads), scale=x.shape[-1] ** 0.5)[0]) @ W_O.mT


@wrong(K, "The softmax runs over the heads now. It was right: over th")
def meet_over_heads(x, W_Q, W_K, W_V, W_O, num_heads):
    """Softmax over the heads."""
    return lay(attend(*made(x, (W_Q, W_K, W_V), num_heads), dim=1)[0]) @ W_O.mT


@wrong(K, "The softmax runs over the queries now. It was right: over")
def meet_over_queries(x, W_Q, W_K, W_V, W_O, num_heads):
    """Softmax over the queries."""
    return lay(attend(*made(x, (W_Q, W_K, W_V), num_heads), dim=-2)[0]) @ W_O.mT


@wrong(K, "The first three matrices aren't turned any more. They were")
def meet_all_untransposed(x, W_Q, W_K, W_V, W_O, num_heads):
    """The projections lost their transposes, too."""
    return lay(attend(*(cut(x @ W, num_heads) for W in (W_Q, W_K, W_V)))[0]) @ W_O.mT


@wrong(K)
def meet_values_left(x, W_Q, W_K, W_V, W_O, num_heads):
    """The values' axes aren't swapped."""
    b, n, d = x.shape
    q, k, _ = made(x, (W_Q, W_K, W_V), num_heads)
    v = (x @ W_V.mT).reshape(b, n, num_heads, -1)
    return lay(attend(q, k, v)[0]) @ W_O.mT


@wrong(K, "The scale has gone. It was right: divide the scores by √d_")
def meet_unscaled(x, W_Q, W_K, W_V, W_O, num_heads):
    """The scale is missing."""
    return lay(attend(*made(x, (W_Q, W_K, W_V), num_heads), scale=1.0)[0]) @ W_O.mT


@wrong(K, "W_O has gone: the heads lie side by side, and nothing mixe")
def meet_without_output(x, W_Q, W_K, W_V, W_O, num_heads):
    """W_O was left out."""
    return lay(attend(*made(x, (W_Q, W_K, W_V), num_heads))[0])
