"""More wrong answers to lessons 00 to 03, made up after the first set had been mended. Each docstring says what is really wrong."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from unlisted_mistakes import wrong

# --- 00.all_dots ------------------------------------------------------------------------------------------------------

K = "00.all_dots"


@wrong(K)
def dots_manhattan(queries, keys):
    """Manhattan distances."""
    return torch.cdist(queries, keys, p=1)


@wrong(K, "The result: the right numbers cut off at 0. (In the case")
def dots_without_negative_ones(queries, keys):
    """Negative products are cut off at 0."""
    return torch.relu(queries @ keys.mT)


@wrong(K)
def dots_by_two_loops(queries, keys):
    """Loops over the first axis, which is the batch."""
    out = torch.zeros(len(queries), len(keys), dtype=queries.dtype)
    for i in range(len(queries)):
        for j in range(len(keys)):
            out[i, j] = queries[i] @ keys[j]
    return out


@wrong(K)
def dots_turned_and_scaled(queries, keys):
    """Two mistakes: a row for each key, and divided by √d."""
    return keys @ queries.mT / math.sqrt(queries.shape[-1])


@wrong(K, "The last number of each vector is left out: range(n - 1) e")
def dots_without_last_number(queries, keys):
    """The last number of each vector is left out."""
    return queries[..., :-1] @ keys[..., :-1].mT


@wrong(K, "The first one's vectors are brought to length 1: leave the")
def dots_of_unit_queries(queries, keys):
    """The queries are brought to length 1."""
    return F.normalize(queries, dim=-1) @ keys.mT


@wrong(K, "Numbers are added in pairs where a dot product multiplies")
def dots_of_sums(queries, keys):
    """Adds number by number where it should multiply."""
    return (queries.unsqueeze(-2) + keys.unsqueeze(-3)).sum(-1)


@wrong(K, "You take the mean of the products. A dot product is their")
def dots_by_d(queries, keys):
    """Divided by d."""
    return queries @ keys.mT / keys.shape[-1]


@wrong(K)
def dots_upper_half(queries, keys):
    """Only where the key doesn't come before the query: the rest stays 0."""
    return (queries @ keys.mT).triu()


@wrong(K)
def dots_both_turned(queries, keys):
    """Both are turned."""
    return queries.mT @ keys.mT


@wrong(K)
def dots_inner_of_batches(queries, keys):
    """torch.inner pairs every sentence with every other."""
    return torch.inner(queries, keys)


# --- 00.softmax -------------------------------------------------------------------------------------------------------

K = "00.softmax"


@wrong(K, "dim=-2 is the last axis but one: a single row has none, an")
def softmax_last_but_one(scores):
    """The last axis but one."""
    e = torch.exp(scores - scores.amax(-1, keepdim=True))
    return e / e.sum(-2, keepdim=True)


@wrong(K)
def softmax_plus_one(scores):
    """1 is added below the line."""
    e = torch.exp(scores - scores.amax(-1, keepdim=True))
    return e / (1 + e.sum(-1, keepdim=True))


@wrong(K, "The result: nearly right, but not exactly. Is something ro")
def softmax_small_number(scores):
    """A small number is added below the line, and not so small."""
    e = torch.exp(scores - scores.amax(-1, keepdim=True))
    return e / (e.sum(-1, keepdim=True) + 1e-3)


@wrong(K, "Your loop runs over the first axis, so it is right for a t")
def softmax_row_loop(scores):
    """A loop over the first axis: right for a table only."""
    out = torch.zeros_like(scores)
    for i in range(len(scores)):
        e = torch.exp(scores[i] - scores[i].max())
        out[i] = e / e.sum()
    return out


@wrong(K)
def softmax_length(scores):
    """Divided by the length of the row as a vector, not by its sum."""
    e = torch.exp(scores - scores.amax(-1, keepdim=True))
    return e / e.norm(dim=-1, keepdim=True)


@wrong(K, "The result: the right numbers, but sorted along the k axis")
def softmax_sorted(scores):
    """The shares come back sorted."""
    s = scores.sort(-1).values
    e = torch.exp(s - s[..., -1:])
    return e / e.sum(-1, keepdim=True)


@wrong(K)
def softmax_in_float(scores):
    """Everything is made float32."""
    s = scores.float()
    e = torch.exp(s - s.amax(-1, keepdim=True))
    return e / e.sum(-1, keepdim=True)


@wrong(K, "Two things at once. First: The sum lost its axis, so a row")
def softmax_max_of_columns_and_sum_without_axis(scores):
    """Two mistakes: the columns' maxima, and a sum that lost its axis."""
    e = torch.exp(scores - scores.amax(0, keepdim=True))
    return e / e.sum(-1)


@wrong(K, "You bring the scores between 0 and 1 first. That changes t")
def softmax_range(scores):
    """Brought between 0 and 1 by the smallest and the largest first."""
    low, high = scores.amin(-1, keepdim=True), scores.amax(-1, keepdim=True)
    e = torch.exp((scores - low) / (high - low))
    return e / e.sum(-1, keepdim=True)


@wrong(K)
def softmax_constant_taken_off(scores):
    """A constant, 100, is taken off."""
    e = torch.exp(scores - 100)
    return e / e.sum(-1, keepdim=True)


@wrong(K, "You subtract the largest score of the whole tensor. A row")
def softmax_maximum_of_sizes(scores):
    """The largest size, sign left out, of the whole tensor is taken off."""
    e = torch.exp(scores - scores.abs().max())
    return e / e.sum(-1, keepdim=True)


# --- 00.broadcast_shape, 01.waiting, 02.by_hand, 03.parameters ----------------------------------------------------------

K = "00.broadcast_shape"
NAMES = ("first axis", "second axis", "third axis")
wrong(K)(dict(zip(NAMES, (4, 3, 5))))
wrong(K)(dict(zip(NAMES, (1, 4, 5))))
wrong(K)(dict(zip(NAMES, (3, 1, 1))))
wrong(K)(dict(zip(NAMES, (3, 4, 20))))
wrong(K)(dict(zip(NAMES, (5, 4, 3))))

K = "01.waiting"
NAMES = ("GRU, steps in a row", "convolution, layers", "attention, scores")
wrong(K)(dict(zip(NAMES, (2000, 500, 1_000_000))))
wrong(K)(dict(zip(NAMES, (1001, 500, 1_000_000))))
wrong(K)(dict(zip(NAMES, (1000, 501, 1_000_000))))
wrong(K)(dict(zip(NAMES, (1000, 199, 1_000_000))))
wrong(K)(dict(zip(NAMES, (1000, 249, 1_000_000))))
wrong(K)(dict(zip(NAMES, (1000, 500, 2_000_000))))
wrong(K)(dict(zip(NAMES, (1000, 500, 998_001))))

K = "02.by_hand"
NAMES = ("first scaled score", "first weight")
wrong(K)(dict(zip(NAMES, (10, 0.5))))
wrong(K)(dict(zip(NAMES, (20, 0.99966))))
wrong(K)(dict(zip(NAMES, (10, 22026.5))))
wrong(K)(dict(zip(NAMES, (10, 4))))
wrong(K)(dict(zip(NAMES, (10, 0.01832))))
wrong(K)(dict(zip(NAMES, (10, 1.667))))

K = "03.parameters"
NAMES = ("8 heads, without bias", "16 heads, without bias", "8 heads, with bias")
wrong(K)(dict(zip(NAMES, (524288, 524288, 525312))))
wrong(K)(dict(zip(NAMES, (2048, 2048, 4096))))
wrong(K)(dict(zip(NAMES, (1048576, 1048576, 1048608))))
wrong(K)(dict(zip(NAMES, (1048576, 1048576, 1052672))))
wrong(K)(dict(zip(NAMES, (1310720, 1310720, 1313280))))

# --- 01.soft_lookup -----------------------------------------------------------------------------------------------------

K = "01.soft_lookup"


def gaps(queries, keys):
    return queries[:, None] - keys[None, :]


@wrong(K, "The width doesn't matter in your answer. Divide the differ")
def lookup_width_added(queries, keys, values, width):
    """The width is added, where it should divide: it cancels."""
    return (-(gaps(queries, keys) ** 2 + width)).softmax(-1) @ values


@wrong(K, "1 minus the softmax is taken: what fits worst gets the mos")
def lookup_one_minus(queries, keys, values, width):
    """1 minus the weights."""
    return (1 - (-((gaps(queries, keys) / width) ** 2)).softmax(-1)) @ values


@wrong(K)
def lookup_triangle(queries, keys, values, width):
    """Weights fall in a straight line, and are 0 from one width on."""
    w = (1 - gaps(queries, keys).abs() / width).clamp(min=0)
    return w / w.sum(-1, keepdim=True) @ values


@wrong(K, "`keys` and `values` have changed places. (In the case")
def lookup_keys_and_values_swapped(queries, keys, values, width):
    """Keys and values have changed places."""
    return (-(((queries[:, None] - values) / width) ** 2)).softmax(-1) @ keys


@wrong(K, "You subtract the squares, q² − k². Subtract first, and squ")
def lookup_difference_of_squares(queries, keys, values, width):
    """The difference of squares instead of the square of the difference."""
    return (-((queries[:, None] ** 2 - keys**2) / width**2)).softmax(-1) @ values


@wrong(K, "You divide by the square of what is meant: is a root missi")
def lookup_width_squared_inside(queries, keys, values, width):
    """The width is squared twice."""
    return (-((gaps(queries, keys) / width**2) ** 2)).softmax(-1) @ values


@wrong(K, "No minus sign is left, so keys that are far away get the m")
def lookup_plus_and_width_outside(queries, keys, values, width):
    """Two mistakes: no minus sign, and the width isn't squared."""
    return (gaps(queries, keys) ** 2 / width).softmax(-1) @ values


@wrong(K, "The numbers are right, but no gradient flows back through")
def lookup_through_items(queries, keys, values, width):
    """The numbers are right; .item() cuts the gradient."""
    out = [((-(((q - keys) / width) ** 2)).softmax(-1) @ values).item() for q in queries]
    return torch.tensor(out, dtype=values.dtype)


@wrong(K, "The softmax is taken of the scores times the values, and t")
def lookup_softmax_of_values(queries, keys, values, width):
    """The softmax is taken of scores times values."""
    return (-((gaps(queries, keys) / width) ** 2) * values).softmax(-1).sum(-1)


@wrong(K, "Two things at once. First: The distance isn't squared. The")
def lookup_root_of_width(queries, keys, values, width):
    """Two mistakes: neither distance nor width is squared, and 2 besides."""
    return (-gaps(queries, keys).abs() / (2 * width)).softmax(-1) @ values


@wrong(K)
def lookup_column(queries, keys, values, width):
    """An axis of length 1 is left at the end."""
    return (-((gaps(queries, keys) / width) ** 2)).softmax(-1) @ values[:, None]


# --- 01.additive_scores -------------------------------------------------------------------------------------------------

K = "01.additive_scores"


def joined(query, key, W_1, W_2):
    return (query @ W_1.mT)[..., :, None, :] + (key @ W_2.mT)[..., None, :, :]


@wrong(K, "You take the largest of the products. w₃ · tanh(…) is thei")
def additive_largest(query, key, W_1, W_2, w_3):
    """The largest product instead of their sum."""
    return (torch.tanh(joined(query, key, W_1, W_2)) * w_3).amax(-1)


@wrong(K, "The result: the right numbers sent through a tanh once mor")
def additive_twice_tanh(query, key, W_1, W_2, w_3):
    """A second tanh, after w₃."""
    return torch.tanh(torch.tanh(joined(query, key, W_1, W_2)) @ w_3)


@wrong(K)
def additive_loop_of_the_text(query, key, W_1, W_2, w_3):
    """The lesson's loop for one text, on a batch."""
    scores = torch.zeros(len(query), len(key))
    for i, q in enumerate(query):
        for j, k in enumerate(key):
            scores[i, j] = w_3 @ torch.tanh(W_1 @ q + W_2 @ k)
    return scores


@wrong(K, "You add up over the keys. What vanishes is the last axis,")
def additive_over_keys(query, key, W_1, W_2, w_3):
    """Summed over the keys."""
    return (torch.tanh(joined(query, key, W_1, W_2)) * w_3).sum(-2)


@wrong(K, "Two things at once. First: You use a sigmoid. The formula")
def additive_sigmoid_softmax(query, key, W_1, W_2, w_3):
    """Two mistakes: a sigmoid, and a softmax at last."""
    return (torch.sigmoid(joined(query, key, W_1, W_2)) @ w_3).softmax(-1)


@wrong(K, "The second one's vectors are brought to length 1: leave th")
def additive_unit_w3(query, key, W_1, W_2, w_3):
    """w₃ is brought to length 1."""
    return torch.tanh(joined(query, key, W_1, W_2)) @ F.normalize(w_3, dim=0)


@wrong(K, "You take the mean where a sum is meant. (In the case")
def additive_halved(query, key, W_1, W_2, w_3):
    """The mean of the two projections instead of their sum."""
    return torch.tanh(joined(query, key, W_1, W_2) / 2) @ w_3


@wrong(K)
def additive_einsum_one_batch(query, key, W_1, W_2, w_3):
    """Letters for one batch axis only."""
    q, k = torch.einsum("bqi,si->bqs", query, W_1), torch.einsum("bki,si->bks", key, W_2)
    return torch.einsum("bqks,s->bqk", torch.tanh(q[:, :, None] + k[:, None]), w_3)


@wrong(K, "The result: the right numbers sent through exp once more.")
def additive_exp(query, key, W_1, W_2, w_3):
    """exp of the scores."""
    return (torch.tanh(joined(query, key, W_1, W_2)) @ w_3).exp()


@wrong(K)
def additive_query_twice(query, key, W_1, W_2, w_3):
    """The query stands where the key should."""
    q = query @ W_1.mT
    return torch.tanh(q[..., :, None, :] + q[..., None, :, :]) @ w_3


@wrong(K, "The softmax stands where tanh is meant. (In the case")
def additive_softmax_over_features(query, key, W_1, W_2, w_3):
    """A softmax in place of tanh."""
    return joined(query, key, W_1, W_2).softmax(-1) @ w_3


# --- 01.context_vector --------------------------------------------------------------------------------------------------

K = "01.context_vector"


def words(scores, lengths):
    return torch.arange(scores.shape[-1]) < lengths[:, None]


def mix(weights, annotations):
    return (weights[..., None] * annotations).sum(1)


def right_weights(scores, lengths):
    return scores.masked_fill(~words(scores, lengths), float("-inf")).softmax(-1).nan_to_num()


@wrong(K, "The words of a text get shares in the right proportion, bu")
def context_minus_100(scores, annotations, lengths):
    """-100 isn't small enough."""
    weights = scores.masked_fill(~words(scores, lengths), -100).softmax(-1) * words(scores, lengths)
    return mix(weights, annotations), weights


@wrong(K, "You divide the context by the number of words. The weights")
def context_by_lengths(scores, annotations, lengths):
    """The context is divided by the number of words."""
    weights = right_weights(scores, lengths)
    return mix(weights, annotations) / lengths[:, None].clamp(min=1), weights


@wrong(K, "Your context is the plain mean of the words: the weights a")
def context_plain_mean(scores, annotations, lengths):
    """The context is the plain mean of the words."""
    real = words(scores, lengths).to(scores.dtype)
    return mix(real / real.sum(-1, keepdim=True).clamp(min=1), annotations), right_weights(scores, lengths)


@wrong(K, "The context is made before NaN is taken out of the weights")
def context_nan_in_context(scores, annotations, lengths):
    """NaN is taken out of the weights after the context has been made of them."""
    weights = scores.masked_fill(~words(scores, lengths), float("-inf")).softmax(-1)
    return mix(weights, annotations), weights.nan_to_num()


@wrong(K, "The annotations of padding are set to 0, but its weights a")
def context_hidden_annotations(scores, annotations, lengths):
    """The annotations of padding are set to 0, its weights aren't."""
    weights = scores.softmax(-1)
    return mix(weights, annotations * words(scores, lengths)[..., None]), weights


@wrong(K, "The weights end with the longest text of the batch. They h")
def context_cut_to_longest(scores, annotations, lengths):
    """The weights are cut to the longest text: padding at the end is gone from the table."""
    n = int(lengths.max())
    weights = right_weights(scores, lengths)[:, :n]
    return mix(weights, annotations[:, :n]), weights


@wrong(K, "The weights are a sigmoid divided by its sum. A softmax ta")
def context_sigmoid(scores, annotations, lengths):
    """A sigmoid in place of exp."""
    w = scores.sigmoid() * words(scores, lengths)
    weights = w / w.sum(-1, keepdim=True).clamp(min=1e-9)
    return mix(weights, annotations), weights


@wrong(K, "One softmax runs over all texts together. Each text shares")
def context_all_texts_together(scores, annotations, lengths):
    """One softmax over all texts together."""
    s = scores.masked_fill(~words(scores, lengths), float("-inf"))
    weights = s.flatten().softmax(0).view_as(s)
    return mix(weights, annotations), weights


@wrong(K)
def context_one_more_and_swapped(scores, annotations, lengths):
    """Two mistakes: <=, and the results in the wrong order."""
    seen = torch.arange(scores.shape[-1]) <= lengths[:, None]
    weights = scores.masked_fill(~seen, float("-inf")).softmax(-1).nan_to_num()
    return weights, mix(weights, annotations)


@wrong(K, "One place too few: the last word of each text gets no weig")
def context_from_one(scores, annotations, lengths):
    """Places are counted from 1 and compared with <: the last word is lost."""
    seen = torch.arange(1, scores.shape[-1] + 1) < lengths[:, None]
    weights = scores.masked_fill(~seen, float("-inf")).softmax(-1).nan_to_num()
    return mix(weights, annotations), weights


@wrong(K)
def context_unnormalised(scores, annotations, lengths):
    """exp, not divided by its sum."""
    weights = scores.exp() * words(scores, lengths)
    return mix(weights, annotations), weights


@wrong(K, "0 · ∞ is NaN: multiplying the mask by −∞ spoils the words")
def context_zero_is_hidden(scores, annotations, lengths):
    """The mask is multiplied with −∞ and added: 0 · ∞ is NaN."""
    hidden = (~words(scores, lengths)).float() * float("-inf")
    weights = (scores + hidden).softmax(-1)
    return mix(weights, annotations), weights


# --- 01.repaired --------------------------------------------------------------------------------------------------------

K = "01.repaired"


def look(state, annotations, W_1, W_2, w_3):
    return torch.tanh((state @ W_1.mT)[:, None] + annotations @ W_2.mT) @ w_3


@wrong(K, "The softmax comes before w₃. That line was right: w₃ makes")
def step_softmax_before_w3(word, state, annotations, W_1, W_2, w_3, W):
    """The softmax comes before w₃."""
    compared = torch.tanh((state @ W_1.mT)[:, None] + annotations @ W_2.mT)
    weights = compared.softmax(1) @ w_3
    context = (weights[..., None] * annotations).sum(dim=1)
    return torch.tanh(torch.cat([word, state, context], dim=-1) @ W.mT), weights


@wrong(K, "The results are the right ones in another order: first nex")
def step_swapped(word, state, annotations, W_1, W_2, w_3, W):
    """The two results are in the wrong order."""
    weights = look(state, annotations, W_1, W_2, w_3).softmax(-1)
    context = (weights[..., None] * annotations).sum(dim=1)
    return weights, torch.tanh(torch.cat([word, state, context], dim=-1) @ W.mT)


@wrong(K, "W isn't turned any more in the last line. It was right: x")
def step_w_plain(word, state, annotations, W_1, W_2, w_3, W):
    """W isn't transposed any more."""
    weights = look(state, annotations, W_1, W_2, w_3).softmax(-1)
    context = (weights[..., None] * annotations).sum(dim=1)
    return torch.tanh(torch.cat([word, state, context], dim=-1) @ W), weights


@wrong(K, "The context is the last annotation alone. That line was ri")
def step_last_annotation_as_context(word, state, annotations, W_1, W_2, w_3, W):
    """The context is the last annotation."""
    weights = look(state, annotations, W_1, W_2, w_3).softmax(-1)
    return torch.tanh(torch.cat([word, state, annotations[:, -1]], dim=-1) @ W.mT), weights


@wrong(K)
def step_residual(word, state, annotations, W_1, W_2, w_3, W):
    """The old state is added to the new one."""
    weights = look(state, annotations, W_1, W_2, w_3).softmax(-1)
    context = (weights[..., None] * annotations).sum(dim=1)
    return state + torch.tanh(torch.cat([word, state, context], dim=-1) @ W.mT), weights


@wrong(K, "The update has a sigmoid around it. It was right as it was")
def step_sigmoid(word, state, annotations, W_1, W_2, w_3, W):
    """A sigmoid around the update."""
    weights = look(state, annotations, W_1, W_2, w_3).softmax(-1)
    context = (weights[..., None] * annotations).sum(dim=1)
    return torch.sigmoid(torch.cat([word, state, context], dim=-1) @ W.mT), weights


@wrong(K, "The state goes through a tanh before it asks. It asks as i")
def step_bent_state(word, state, annotations, W_1, W_2, w_3, W):
    """tanh of the state asks."""
    weights = look(state.tanh(), annotations, W_1, W_2, w_3).softmax(-1)
    context = (weights[..., None] * annotations).sum(dim=1)
    return torch.tanh(torch.cat([word, state, context], dim=-1) @ W.mT), weights


@wrong(K, "All texts ask with one and the same query, the mean of the")
def step_state_of_all(word, state, annotations, W_1, W_2, w_3, W):
    """One query for all texts: the mean of their states."""
    weights = look(state.mean(0, keepdim=True).expand_as(state), annotations, W_1, W_2, w_3).softmax(-1)
    context = (weights[..., None] * annotations).sum(dim=1)
    return torch.tanh(torch.cat([word, state, context], dim=-1) @ W.mT), weights


@wrong(K, "Only the next state comes back; all are asked for: next st")
def step_only_state(word, state, annotations, W_1, W_2, w_3, W):
    """Only the next state comes back."""
    weights = look(state, annotations, W_1, W_2, w_3).softmax(-1)
    context = (weights[..., None] * annotations).sum(dim=1)
    return torch.tanh(torch.cat([word, state, context], dim=-1) @ W.mT)


@wrong(K, "Two things at once. First: One of the two bugs is left: th")
def step_query_and_order(word, state, annotations, W_1, W_2, w_3, W):
    """Two: the query is still the last annotation, and word and state have changed places."""
    weights = look(annotations[:, -1], annotations, W_1, W_2, w_3).softmax(-1)
    context = (weights[..., None] * annotations).sum(dim=1)
    return torch.tanh(torch.cat([state, word, context], dim=-1) @ W.mT), weights


# --- 02.attend ----------------------------------------------------------------------------------------------------------

K = "02.attend"


@wrong(K, "You return 2 results. Only the first, which is right, is a")
def attend_pair(query, keys, values):
    """Gives the weights as well."""
    weights = (keys @ query).softmax(-1)
    return weights @ values, weights


@wrong(K, "The scores are half as large as they should be. (In the ca")
def attend_temperature(query, keys, values):
    """The scores are divided by 2."""
    return (keys @ query / 2).softmax(-1) @ values


@wrong(K, "1 minus the softmax is taken: what fits worst gets the mos")
def attend_one_minus(query, keys, values):
    """1 minus the weights."""
    return (1 - (keys @ query).softmax(-1)) @ values


@wrong(K)
def attend_residual(query, keys, values):
    """The query is added, where its length allows."""
    return (keys @ query).softmax(-1) @ values + query


@wrong(K, "1 is added below the line of the softmax: then the weights")
def attend_plus_one(query, keys, values):
    """1 is added below the line."""
    s = keys @ query
    e = (s - s.max()).exp()
    return e / (1 + e.sum()) @ values


@wrong(K, "Two things at once. First: You take the mean of the weight")
def attend_scaled_mean(query, keys, values):
    """Two: divided by √d_k, and the mean of the weighted values."""
    weights = (keys @ query / len(query) ** 0.5).softmax(-1)
    return (weights[:, None] * values).mean(0)


@wrong(K, "The softmax is taken of score times value, column by colum")
def attend_softmax_of_products(query, keys, values):
    """The softmax is taken of score times value."""
    return ((keys @ query)[:, None] * values).softmax(0).sum(0)


@wrong(K, "Only the best two keep a weight. All of them share. (In th")
def attend_best_two(query, keys, values):
    """Only the best two keys share."""
    s = keys @ query
    top = s.topk(min(2, len(s)))
    return top.values.softmax(0) @ values[top.indices]


@wrong(K, "query * keys is added up over the words. The numbers of a")
def attend_over_words(query, keys, values):
    """query * keys is summed over the words."""
    return (query * keys).sum(0).softmax(-1) @ values


@wrong(K, "Vectors are compared by the sum of absolute differences wh")
def attend_manhattan(query, keys, values):
    """Minus the sum of absolute differences as score."""
    return (-(keys - query).abs().sum(-1)).softmax(-1) @ values


@wrong(K, "You divide by d_k. No scale is asked for yet: here the pla")
def attend_mean_of_products(query, keys, values):
    """The score is the mean of the products, not their sum."""
    return (keys * query).mean(-1).softmax(-1) @ values


# --- 02.bilinear --------------------------------------------------------------------------------------------------------

K = "02.bilinear"


@wrong(K, "You take an inverse. (W_Q x)ᵀ = xᵀ W_Qᵀ needs the transpos")
def bilinear_inverse(W_Q, W_K):
    """The inverse instead of the transpose."""
    return torch.linalg.pinv(W_Q) @ W_K


@wrong(K, "You take the transpose off. W isn't symmetric, and not ant")
def bilinear_antisymmetric(W_Q, W_K):
    """The transpose is taken off."""
    return W_Q.T @ W_K - W_K.T @ W_Q


@wrong(K, "The result: right only on the diagonal, where column = row")
def bilinear_diagonal(W_Q, W_K):
    """Only the diagonal: each feature with itself."""
    return torch.diag((W_Q * W_K).sum(0))


@wrong(K, "You add up everything to one number. Only d_k is summed ov")
def bilinear_number(W_Q, W_K):
    """Everything is summed: one number."""
    return (W_Q * W_K).sum()


@wrong(K, "These are the two matrices. Multiply them: one matrix stan")
def bilinear_pair(W_Q, W_K):
    """Gives both matrices back."""
    return W_Q.T, W_K


@wrong(K, "The result: the right numbers, but divided by their norm,")
def bilinear_normalised(W_Q, W_K):
    """Divided by its own size."""
    W = W_Q.T @ W_K
    return W / W.norm()


@wrong(K, "Two things at once. First: This is W_Kᵀ W_Q, the transpose")
def bilinear_turned_and_scaled(W_Q, W_K):
    """Two: the transpose, and divided by √d_k."""
    return W_K.T @ W_Q / W_Q.shape[0] ** 0.5


@wrong(K, "You use the first row of each matrix alone. All d_k rows c")
def bilinear_values_only(W_Q, W_K):
    """The first row alone: d_k isn't summed over."""
    return torch.outer(W_Q[0], W_K[0])


@wrong(K, "You subtract the matrices. A score is a product: xᵀ W_Qᵀ W")
def bilinear_minus(W_Q, W_K):
    """The difference of the two."""
    return W_Q - W_K


# --- 02.scaled_dot_product_attention ------------------------------------------------------------------------------------

K = "02.scaled_dot_product_attention"


@wrong(K, "Later keys are hidden, as by a causal mask. That isn't ask")
def sdpa_causal(query, key, value):
    """A causal mask that wasn't asked for."""
    scores = query @ key.mT / query.shape[-1] ** 0.5
    weights = scores.masked_fill(torch.ones_like(scores).triu(1).bool(), float("-inf")).softmax(-1)
    return weights @ value, weights


@wrong(K, "The size of your scores is wrong. They should be divided b")
def sdpa_size_one(query, key, value):
    """Axis 1 is taken for d_k."""
    weights = (query @ key.mT / key.shape[1] ** 0.5).softmax(-1)
    return weights @ value, weights


@wrong(K, "The size of your scores is wrong. They should be divided b")
def sdpa_by_eight(query, key, value):
    """√64 as in the example, whatever d_k is."""
    weights = (query @ key.mT / 8).softmax(-1)
    return weights @ value, weights


@wrong(K)
def sdpa_output_turned(query, key, value):
    """The output is transposed."""
    weights = (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1)
    return (weights @ value).mT, weights


@wrong(K)
def sdpa_keys_are_values(query, key, value):
    """Queries are compared with the values, where their lengths allow."""
    weights = (query @ value.mT / query.shape[-1] ** 0.5).softmax(-1)
    return weights @ value, weights


@wrong(K, "The size of your scores is wrong. They should be divided b")
def sdpa_fourth_root(query, key, value):
    """Only the query is divided, by the fourth root."""
    weights = (query / query.shape[-1] ** 0.25 @ key.mT).softmax(-1)
    return weights @ value, weights


@wrong(K)
def sdpa_bmm(query, key, value):
    """bmm takes one batch axis, no more and no fewer."""
    weights = (torch.bmm(query, key.transpose(1, 2)) / query.shape[-1] ** 0.5).softmax(-1)
    return torch.bmm(weights, value), weights


@wrong(K, "Two things at once. First: The weights are too sharp: your")
def sdpa_unscaled_turned(query, key, value):
    """Two: the scale is missing, and the returned weights are transposed."""
    weights = (query @ key.mT).softmax(-1)
    return weights @ value, weights.mT


@wrong(K, "The numbers are right, but the gradient isn't: part of the")
def sdpa_detached(query, key, value):
    """The weights are detached: no gradient to queries and keys."""
    weights = (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1).detach()
    return weights @ value, weights


@wrong(K)
def sdpa_plus_one(query, key, value):
    """1 is added below the line."""
    s = query @ key.mT / query.shape[-1] ** 0.5
    e = (s - s.amax(-1, keepdim=True)).exp()
    weights = e / (1 + e.sum(-1, keepdim=True))
    return weights @ value, weights


@wrong(K, "The returned weights are averaged over the first axis. Ret")
def sdpa_mean_over_batch(query, key, value):
    """The returned weights are averaged over the first axis."""
    weights = (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1)
    return weights @ value, weights.mean(0)


@wrong(K, "The weights: the right numbers, sent through a softmax ove")
def sdpa_softmax_both_ways(query, key, value):
    """A softmax over the keys, and another over the queries."""
    weights = (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1).softmax(-2)
    return weights @ value, weights


@wrong(K, "The size of your scores is wrong. They should be divided b")
def sdpa_root_of_d_k_minus_one(query, key, value):
    """√(d_k − 1), as in a sample's variance."""
    weights = (query @ key.mT / max(query.shape[-1] - 1, 1) ** 0.5).softmax(-1)
    return weights @ value, weights


# --- 02.repaired --------------------------------------------------------------------------------------------------------

K = "02.repaired"


def rows(scores):
    e = (scores - scores.max(dim=-1, keepdim=True).values).exp()
    return e / e.sum(dim=-1, keepdim=True)


def compared(x, W_Q, W_K):
    return x @ W_Q.mT @ (x @ W_K.mT).mT / W_Q.shape[0] ** 0.5


@wrong(K, "The words themselves are mixed. The line was right: the va")
def repair_values_unprojected(x, W_Q, W_K, W_V):
    """The words themselves are mixed, without W_V."""
    return rows(compared(x, W_Q, W_K)) @ x


@wrong(K, "Below the line stands the sum of the scores. It should be")
def repair_by_scores(x, W_Q, W_K, W_V):
    """Divided by the sum of the scores."""
    s = compared(x, W_Q, W_K)
    e = (s - s.max(dim=-1, keepdim=True).values).exp()
    return e / s.sum(dim=-1, keepdim=True) @ (x @ W_V.mT)


@wrong(K, "The weights are transposed before they meet the values. Th")
def repair_turned_once(x, W_Q, W_K, W_V):
    """Turned for the division, and not turned back."""
    s = compared(x, W_Q, W_K)
    e = (s - s.max(dim=-1, keepdim=True).values).exp()
    return (e.mT / e.sum(dim=-1)) @ (x @ W_V.mT)


@wrong(K)
def repair_scaled_after(x, W_Q, W_K, W_V):
    """The scale comes after the softmax."""
    return rows(x @ W_Q.mT @ (x @ W_K.mT).mT) / W_Q.shape[0] ** 0.5 @ (x @ W_V.mT)


@wrong(K, "These are the weights. What is asked for is the mixture: w")
def repair_gives_weights(x, W_Q, W_K, W_V):
    """Gives the weights."""
    return rows(compared(x, W_Q, W_K))


@wrong(K, "Two things at once. First: One of the two bugs is left, in")
def repair_sum_over_all_with_wrong_scale(x, W_Q, W_K, W_V):
    """Two: all weights sum to 1 together, and the scale is still √d_model."""
    s = x @ W_Q.mT @ (x @ W_K.mT).mT / x.shape[-1] ** 0.5
    e = (s - s.max(dim=-1, keepdim=True).values).exp()
    return e / e.sum() @ (x @ W_V.mT)


@wrong(K, "One of the two bugs is left: look at weights.sum(-1), whic")
def repair_unsqueezed_wrong(x, W_Q, W_K, W_V):
    """unsqueeze(0) where unsqueeze(1) is meant: another row's sum."""
    s = compared(x, W_Q, W_K)
    e = (s - s.max(dim=-1, keepdim=True).values).exp()
    return e / e.sum(dim=-1).unsqueeze(0) @ (x @ W_V.mT)


@wrong(K, "You return 2 results. Only the first, which is right, is a")
def repair_pair(x, W_Q, W_K, W_V):
    """Gives the weights as well."""
    weights = rows(compared(x, W_Q, W_K))
    return weights @ (x @ W_V.mT), weights


@wrong(K)
def repair_itself_hidden(x, W_Q, W_K, W_V):
    """No word looks at itself."""
    s = compared(x, W_Q, W_K)
    if len(x) > 1:
        s = s.masked_fill(torch.eye(len(x), dtype=torch.bool), float("-inf"))
    return rows(s) @ (x @ W_V.mT)


@wrong(K, "`W_V` isn't used: `W_K` stands in its place. (In the case")
def repair_values_from_keys(x, W_Q, W_K, W_V):
    """The keys are mixed."""
    return rows(compared(x, W_Q, W_K)) @ (x @ W_K.mT)


# --- 03.split_heads -----------------------------------------------------------------------------------------------------

K = "03.split_heads"


@wrong(K)
def split_into_the_batch(x, num_heads):
    """Heads and batch are one axis."""
    batch, n, width = x.shape
    return x.reshape(batch, n, num_heads, -1).transpose(1, 2).reshape(batch * num_heads, n, -1)


@wrong(K)
def split_swapped_then_reshaped(x, num_heads):
    """Swapped, and then reshaped to (batch, n, head, d) again."""
    batch, n, width = x.shape
    return x.reshape(batch, n, num_heads, -1).transpose(1, 2).reshape(batch, n, num_heads, -1)


@wrong(K, "Every head keeps the full width, with zeros where the othe")
def split_zeros_elsewhere(x, num_heads):
    """Each head keeps the full width, zeros in the places of the others."""
    d = x.shape[-1] // num_heads
    mask = torch.zeros(num_heads, 1, x.shape[-1], dtype=x.dtype)
    for h in range(num_heads):
        mask[h, :, h * d : (h + 1) * d] = 1
    return x[:, None] * mask


@wrong(K, "Heads are counted from 0: yours begin at 1, so the first i")
def split_slices_from_one(x, num_heads):
    """Heads are counted from 1: the first is lost, the last is empty."""
    d = x.shape[-1] // num_heads
    return torch.stack([x[..., h * d : (h + 1) * d] for h in range(1, num_heads + 1)], dim=1)


@wrong(K)
def split_dealt_and_not_swapped(x, num_heads):
    """Two: dealt out like cards, and the axes aren't swapped."""
    batch, n, width = x.shape
    return x.reshape(batch, n, -1, num_heads).transpose(-1, -2)


@wrong(K, "You swapped the last two axes: (batch, n, d, head). Swap w")
def split_stacked_last(x, num_heads):
    """The heads are stacked on the last axis."""
    return torch.stack(x.chunk(num_heads, dim=-1), dim=-1)


@wrong(K, "The result: right numbers, but in reverse order along the")
def split_words_reversed(x, num_heads):
    """The words come in reverse order."""
    return x.flip(1).unflatten(-1, (num_heads, -1)).transpose(1, 2)


@wrong(K, "You always make two heads. Make num_heads of them.")
def split_only_two(x, num_heads):
    """Always two heads."""
    a, b = x.chunk(2, dim=-1)
    return torch.stack([a, b], dim=1)


@wrong(K)
def split_num_heads_after(x, num_heads):
    """num_heads is taken for the length, and the axes are swapped to fit."""
    batch, n, width = x.shape
    return x.reshape(batch, n, width // num_heads, num_heads).transpose(1, 3)


# --- 03.merge_heads -----------------------------------------------------------------------------------------------------

K = "03.merge_heads"


@wrong(K)
def merge_batch_lost(x):
    """All sentences' words in one row: (batch · n, width)."""
    batch, heads, n, d = x.shape
    return x.transpose(1, 2).reshape(-1, heads * d)


@wrong(K)
def merge_batch_and_words(x):
    """Batch and words are joined, head and d aren't."""
    return x.transpose(1, 2).flatten(0, 1)


@wrong(K, "The result: the right numbers, but divided by x.shape[-3].")
def merge_divided(x):
    """Side by side, and divided by the number of heads."""
    return x.transpose(1, 2).flatten(2) / x.shape[1]


@wrong(K, "You swapped axes 0 and 1, sentences and heads, and then al")
def merge_heads_in_front(x):
    """Axes 0 and 1 are swapped, heads and sentences, and all is cut anew."""
    batch, heads, n, d = x.shape
    return x.transpose(0, 1).reshape(batch, n, heads * d)


@wrong(K, "You return a list of 2 tensors. Make one of them: torch.ca")
def merge_list(x):
    """A list of heads."""
    return list(x.unbind(1))


@wrong(K, "The heads stand on a new last axis, (batch, n, d, head). L")
def merge_stack(x):
    """Stacked on a new last axis, and not joined."""
    return torch.stack(x.unbind(1), dim=-1)


@wrong(K)
def merge_squeezed(x):
    """squeeze takes axes of length 1 away."""
    return x.transpose(1, 2).flatten(2).squeeze()


@wrong(K, "The result: right numbers, but in reverse order along the")
def merge_words_reversed(x):
    """The words come in reverse order."""
    return x.flip(2).transpose(1, 2).flatten(2)


@wrong(K)
def merge_as_reversed_and_turned(x):
    """The result is transposed: (batch, width, n)."""
    return x.transpose(1, 2).flatten(2).mT


@wrong(K, "Only the first and the last head are left. Lay all of them")
def merge_two(x):
    """Only the first and the last head."""
    return torch.cat([x[:, 0], x[:, -1]], dim=-1)


# --- 03.MultiHeadAttention ----------------------------------------------------------------------------------------------

K = "03.MultiHeadAttention"


def attend(q, k, v, scale=None):
    weights = (q @ k.mT / (scale or q.shape[-1] ** 0.5)).softmax(-1)
    return weights @ v, weights


def cut(x, heads):
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def lay(x):
    return x.transpose(1, 2).flatten(2)


class Layer(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.d_model = d_model
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(d_model, d_model) for _ in range(4))

    def heads(self, query, key, value):
        h = self.num_heads
        return cut(self.W_Q(query), h), cut(self.W_K(key), h), cut(self.W_V(value), h)


@wrong(K)
class LayerLastWeights(Layer):
    """Only the last head's weights come back."""

    def forward(self, query, key, value):
        output, weights = attend(*self.heads(query, key, value))
        return self.W_O(lay(output)), weights[:, -1]


@wrong(K, "Every head reads the first d_k numbers. Head 1 should get")
class LayerFirstHeadOnly(Layer):
    """Every head reads the first d_k numbers."""

    def forward(self, query, key, value):
        d = self.d_model // self.num_heads
        q, k, v = (x[..., :d] for x in (self.W_Q(query), self.W_K(key), self.W_V(value)))
        pairs = [attend(q, k, v) for _ in range(self.num_heads)]
        return self.W_O(torch.cat([o for o, _ in pairs], -1)), torch.stack([w for _, w in pairs], 1)


@wrong(K, "Later keys are hidden, as by a causal mask. That isn't ask")
class LayerCausal(Layer):
    """A causal mask that wasn't asked for."""

    def forward(self, query, key, value):
        q, k, v = self.heads(query, key, value)
        s = q @ k.mT / q.shape[-1] ** 0.5
        weights = s.masked_fill(torch.ones_like(s).triu(1).bool(), float("-inf")).softmax(-1)
        return self.W_O(lay(weights @ v)), weights


@wrong(K, "Queries and keys go through W_K both: are W_Q and W_K one")
class LayerShared(nn.Module):
    """One Linear for queries and keys under two names."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = self.W_Q
        self.W_V, self.W_O = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)

    def forward(self, query, key, value):
        h = self.num_heads
        output, weights = attend(cut(self.W_Q(query), h), cut(self.W_K(key), h), cut(self.W_V(value), h))
        return self.W_O(lay(output)), weights


@wrong(K, "You divide by d_k. Divide by its root.")
class LayerScaledTwice(Layer):
    """Divided by √d_k twice."""

    def forward(self, query, key, value):
        q, k, v = self.heads(query, key, value)
        output, weights = attend(q / q.shape[-1] ** 0.5, k, v)
        return self.W_O(lay(output)), weights


@wrong(K)
class LayerScores(Layer):
    """The scores come back, not the weights."""

    def forward(self, query, key, value):
        q, k, v = self.heads(query, key, value)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        return self.W_O(lay(scores.softmax(-1) @ v)), scores


@wrong(K)
class LayerUnscaledMean(Layer):
    """Two: no scale, and weights averaged over the heads."""

    def forward(self, query, key, value):
        output, weights = attend(*self.heads(query, key, value), scale=1.0)
        return self.W_O(lay(output)), weights.mean(1)


@wrong(K, "Two things at once. First: W_O is missing: the heads lie s")
class LayerWithoutWOScaledByModel(Layer):
    """Two: W_O is missing, and the scale is √d_model."""

    def forward(self, query, key, value):
        output, weights = attend(*self.heads(query, key, value), scale=self.d_model**0.5)
        return lay(output), weights


@wrong(K, "Heads and d_k have changed places: there are num_heads hea")
class LayerHeadsAndLengthSwapped(Layer):
    """d_k heads of length num_heads."""

    def forward(self, query, key, value):
        self.num_heads = self.d_model // self.num_heads
        output, weights = attend(*self.heads(query, key, value))
        return self.W_O(lay(output)), weights


@wrong(K, "Heads and sentences are mixed up: joined in one order, tak")
class LayerFoldedAndUnfolded(Layer):
    """Heads and batch are folded in one order and unfolded in the other."""

    def forward(self, query, key, value):
        b, h = len(query), self.num_heads
        q, k, v = (
            W(x).unflatten(-1, (h, -1)).permute(2, 0, 1, 3).flatten(0, 1)
            for W, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value))
        )
        output, weights = attend(q, k, v)
        return self.W_O(lay(output.unflatten(0, (b, h)))), weights.unflatten(0, (b, h))


@wrong(K, "A ReLU stands behind W_Q, W_K and W_V, which isn't asked f")
class LayerReluQueries(Layer):
    """A ReLU after the first projections."""

    def forward(self, query, key, value):
        output, weights = attend(*(x.relu() for x in self.heads(query, key, value)))
        return self.W_O(lay(output)), weights


@wrong(K, "Called twice with the same input, your code gives two diff")
class LayerDropout(Layer):
    """Dropout on the weights, which nobody asked for."""

    def forward(self, query, key, value):
        q, k, v = self.heads(query, key, value)
        _, weights = attend(q, k, v)
        return self.W_O(lay(F.dropout(weights, 0.1, self.training) @ v)), weights


@wrong(K)
class LayerNoHeadsNoWO(Layer):
    """Two: no heads, and no W_O."""

    def forward(self, query, key, value):
        return attend(self.W_Q(query), self.W_K(key), self.W_V(value))


# --- 03.strongest_head --------------------------------------------------------------------------------------------------

K = "03.strongest_head"


@wrong(K, "That is the second largest. topk and sort begin with the l")
def head_second(weights, query, key):
    """The second largest."""
    i = weights[:, :, query, key].flatten().topk(2).indices[1].item()
    return divmod(i, weights.shape[1])


@wrong(K, "You take the first head with more than half of its weight")
def head_first_over_half(weights, query, key):
    """The first head with more than half of its weight there, else the first of all."""
    w = weights[:, :, query, key].flatten()
    over = (w > 0.5).nonzero().flatten().tolist()
    return divmod(over[0] if over else 0, weights.shape[1])


@wrong(K, "You take the first head whose best key is this one. Severa")
def head_looks_there_most(weights, query, key):
    """The first head for which `key` is the best of its row."""
    best = weights[:, :, query].argmax(-1) == key
    found = best.flatten().nonzero().flatten().tolist()
    return divmod(found[0] if found else 0, weights.shape[1])


@wrong(K, "Only the layer comes back. The head is asked for as well:")
def head_layer_only(weights, query, key):
    """Only the layer comes back."""
    return weights[:, :, query, key].argmax().item() // weights.shape[1]


@wrong(K, "You look one place too early, for query and for key. Words")
def head_next_query(weights, query, key):
    """Words are counted from 1: one row and one column too early."""
    return divmod(weights[:, :, query - 1, key - 1].argmax().item(), weights.shape[1])


@wrong(K)
def head_floats(weights, query, key):
    """Floats, not whole numbers."""
    layer, head = divmod(weights[:, :, query, key].argmax().item(), weights.shape[1])
    return float(layer), float(head)


@wrong(K, "You divide by all the weight that the key gets from any wo")
def head_share_of_key(weights, query, key):
    """The largest share of all that the key gets from any query."""
    w = weights[:, :, query, key] / weights[:, :, :, key].sum(-1)
    return divmod(w.argmax().item(), weights.shape[1])


@wrong(K)
def head_words(weights, query, key):
    """A text, not two numbers."""
    layer, head = divmod(weights[:, :, query, key].argmax().item(), weights.shape[1])
    return f"{layer}.{head}"


@wrong(K, "Two things at once. First: Head and layer have changed pla")
def head_turned_and_first(weights, query, key):
    """Two: query and key are swapped, and so are layer and head."""
    layer, head = divmod(weights[:, :, key, query].argmax().item(), weights.shape[1])
    return head, layer


@wrong(K, "You add both directions, query to key and key to query. As")
def head_both_directions(weights, query, key):
    """Both directions are added."""
    w = weights[:, :, query, key] + weights[:, :, key, query]
    return divmod(w.argmax().item(), weights.shape[1])


# --- 03.repaired --------------------------------------------------------------------------------------------------------

K = "03.repaired"


def made(x, matrices, num_heads):
    return tuple(cut(x @ W.mT, num_heads) for W in matrices)


@wrong(K, "num_heads is how many heads there are; you made it the len")
def meet_dealt(x, W_Q, W_K, W_V, W_O, num_heads):
    """num_heads is taken for d_k in the cut."""
    q, k, v = ((x @ W.mT).unflatten(-1, (-1, num_heads)).transpose(1, 2) for W in (W_Q, W_K, W_V))
    return lay(attend(q, k, v)[0]) @ W_O.mT


@wrong(K, "The values aren't projected any more. That line was right:")
def meet_values_plain(x, W_Q, W_K, W_V, W_O, num_heads):
    """The values don't go through W_V."""
    q, k, _ = made(x, (W_Q, W_K, W_V), num_heads)
    return lay(attend(q, k, cut(x, num_heads))[0]) @ W_O.mT


@wrong(K, "The heads are averaged, and the result is repeated to d_mo")
def meet_heads_averaged(x, W_Q, W_K, W_V, W_O, num_heads):
    """The heads are averaged and repeated."""
    heads = attend(*made(x, (W_Q, W_K, W_V), num_heads))[0]
    return heads.mean(1).repeat(1, 1, num_heads) @ W_O.mT


@wrong(K, "The words meet, and each keeps its place. But the scale ha")
def meet_d_model_and_w_o(x, W_Q, W_K, W_V, W_O, num_heads):
    """Two: √d_model, and W_O isn't transposed."""
    return lay(attend(*made(x, (W_Q, W_K, W_V), num_heads), scale=x.shape[-1] ** 0.5)[0]) @ W_O


@wrong(K, "`W_Q` and `W_K` have changed places. (In the case")
def meet_queries_and_keys(x, W_Q, W_K, W_V, W_O, num_heads):
    """Queries and keys have changed places."""
    return lay(attend(*made(x, (W_K, W_Q, W_V), num_heads))[0]) @ W_O.mT


@wrong(K, "The result: the right numbers with `x` added. (In the case")
def meet_residual(x, W_Q, W_K, W_V, W_O, num_heads):
    """The input is added."""
    return x + lay(attend(*made(x, (W_Q, W_K, W_V), num_heads))[0]) @ W_O.mT


@wrong(K, "The heads are joined in reverse order. Head 0's numbers co")
def meet_heads_reversed(x, W_Q, W_K, W_V, W_O, num_heads):
    """The heads are laid together in reverse order."""
    return lay(attend(*made(x, (W_Q, W_K, W_V), num_heads))[0].flip(1)) @ W_O.mT


@wrong(K, "You divide by d_k. The scale was right: divide by its root")
def meet_by_d_k(x, W_Q, W_K, W_V, W_O, num_heads):
    """Divided by d_k, without a root."""
    q, k, v = made(x, (W_Q, W_K, W_V), num_heads)
    return lay(attend(q, k, v, scale=q.shape[-1])[0]) @ W_O.mT


@wrong(K, "You return 2 results. Only the first, which is right, is a")
def meet_pair(x, W_Q, W_K, W_V, W_O, num_heads):
    """Gives the weights as well."""
    heads, weights = attend(*made(x, (W_Q, W_K, W_V), num_heads))
    return lay(heads) @ W_O.mT, weights


@wrong(K, "Two things at once. First: The heads are joined without sw")
def meet_unscaled_not_back(x, W_Q, W_K, W_V, W_O, num_heads):
    """Two: no scale, and not swapped back."""
    return attend(*made(x, (W_Q, W_K, W_V), num_heads), scale=1.0)[0].reshape(x.shape) @ W_O.mT
