"""A third set for lessons 00 to 03, made up after the second had been mended; nothing was mended after it. Docstrings say what is wrong."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from unlisted_mistakes import wrong


@wrong("00.all_dots", "Your answer is that for `queries` with the wrong sign. (In")
def dots_negative(queries, keys):
    """The sign is turned round."""
    return -(queries @ keys.mT)


@wrong("00.all_dots")
def dots_keys_cut_anew(queries, keys):
    """The keys are reshaped, not turned, and the result is softmaxed."""
    return (queries @ keys.reshape(keys.mT.shape)).softmax(-1)


@wrong("00.all_dots")
def dots_of_keys(queries, keys):
    """Keys with keys."""
    return keys @ keys.mT


@wrong("00.softmax", "The sum runs over the first axis, so the shares of a row d")
def softmax_of_columns_maximum_of_rows(scores):
    """The sum runs down the columns."""
    e = torch.exp(scores - scores.max(-1, keepdim=True).values)
    return e / e.sum(0, keepdim=True)


@wrong("00.softmax")
def softmax_minus_sum(scores):
    """exp minus the sum of exp instead of divided by it."""
    e = torch.exp(scores - scores.max(-1, keepdim=True).values)
    return e - e.sum(-1, keepdim=True)


@wrong("00.softmax", "The scores are twice as large as they should be. (In the c")
def softmax_times_two(scores):
    """A temperature of ½."""
    e = torch.exp(2 * (scores - scores.max(-1, keepdim=True).values))
    return e / e.sum(-1, keepdim=True)


@wrong("01.soft_lookup", "These are the weights. Mix the values with them: weights @")
def lookup_weights_alone(queries, keys, values, width):
    """The weights alone."""
    return (-(((queries[:, None] - keys) / width) ** 2)).softmax(-1)


@wrong("01.soft_lookup")
def lookup_no_brackets(queries, keys, values, width):
    """Brackets: q − k / width."""
    return (-((queries[:, None] - keys / width) ** 2)).softmax(-1) @ values


@wrong("01.soft_lookup")
def lookup_cubed(queries, keys, values, width):
    """A third power."""
    return (-(((queries[:, None] - keys) / width).abs() ** 3)).softmax(-1) @ values


@wrong("01.additive_scores")
def additive_values(query, key, W_1, W_2, w_3):
    """tanh before the matrices."""
    return ((query.tanh() @ W_1.mT)[..., :, None, :] + (key.tanh() @ W_2.mT)[..., None, :, :]) @ w_3


@wrong("01.additive_scores", "You subtract the two projections. They are added: W₁ q + W")
def additive_minus(query, key, W_1, W_2, w_3):
    """The key's part is subtracted."""
    return torch.tanh((query @ W_1.mT)[..., :, None, :] - (key @ W_2.mT)[..., None, :, :]) @ w_3


@wrong("01.additive_scores")
def additive_scaled_and_turned(query, key, W_1, W_2, w_3):
    """Two: divided by √d_score, and (key, query)."""
    s = torch.tanh((query @ W_1.mT)[..., :, None, :] + (key @ W_2.mT)[..., None, :, :]) @ w_3
    return (s / math.sqrt(len(w_3))).mT


@wrong("01.context_vector")
def context_scores_used(scores, annotations, lengths):
    """The context is mixed by the scores."""
    real = torch.arange(scores.shape[-1]) < lengths[:, None]
    weights = scores.masked_fill(~real, float("-inf")).softmax(-1).nan_to_num()
    return ((scores * real)[..., None] * annotations).sum(1), weights


@wrong("01.context_vector")
def context_scaled(scores, annotations, lengths):
    """The scores are divided by √d_state."""
    real = torch.arange(scores.shape[-1]) < lengths[:, None]
    s = scores / annotations.shape[-1] ** 0.5
    weights = s.masked_fill(~real, float("-inf")).softmax(-1).nan_to_num()
    return torch.einsum("bk,bkd->bd", weights, annotations), weights


@wrong("01.context_vector")
def context_uniform(scores, annotations, lengths):
    """Every word counts the same, in float32."""
    real = (torch.arange(scores.shape[-1]) < lengths[:, None]).float()
    weights = real / real.sum(-1, keepdim=True).clamp(min=1)
    return (weights[..., None] * annotations).sum(1), weights


@wrong("01.repaired", "`W_1` has no influence: your answer is the same as if it w")
def step_keys_only(word, state, annotations, W_1, W_2, w_3, W):
    """The query isn't in the score."""
    weights = (torch.tanh(annotations @ W_2.mT) @ w_3).softmax(-1)
    context = (weights[..., None] * annotations).sum(1)
    return torch.tanh(torch.cat([word, state, context], -1) @ W.mT), weights


@wrong("01.repaired", "You multiply where a sum is meant. (In the case")
def step_product(word, state, annotations, W_1, W_2, w_3, W):
    """A product of the projections instead of their sum."""
    weights = (torch.tanh((state @ W_1.mT)[:, None] * (annotations @ W_2.mT)) @ w_3).softmax(-1)
    context = (weights[..., None] * annotations).sum(1)
    return torch.tanh(torch.cat([word, state, context], -1) @ W.mT), weights


@wrong("01.repaired")
def step_best(word, state, annotations, W_1, W_2, w_3, W):
    """The context is the best annotation."""
    weights = (torch.tanh((state @ W_1.mT)[:, None] + annotations @ W_2.mT) @ w_3).softmax(-1)
    context = annotations[torch.arange(len(word)), weights.argmax(-1)]
    return torch.tanh(torch.cat([word, state, context], -1) @ W.mT), weights


@wrong("02.attend", "`keys` and `values` have changed places. (In the case")
def attend_values_are_keys(query, keys, values):
    """The query meets the values, and the keys are mixed."""
    return (values @ query).softmax(-1) @ keys


@wrong("02.attend", "The first one's vectors are brought to length 1: leave the")
def attend_unit_keys(query, keys, values):
    """The keys are brought to length 1."""
    return (F.normalize(keys, dim=-1) @ query).softmax(-1) @ values


@wrong("02.attend", "The scores are divided by the root of the number of keys,")
def attend_scaled_by_n(query, keys, values):
    """Divided by √n."""
    return (keys @ query / len(keys) ** 0.5).softmax(-1) @ values


@wrong("02.bilinear", "The right numbers, multiplied by 2")
def bilinear_square(W_Q, W_K):
    """Twice: both products added."""
    return 2 * W_Q.T @ W_K


@wrong("02.bilinear")
def bilinear_unit(W_Q, W_K):
    """W_K's rows are brought to length 1."""
    return W_Q.T @ F.normalize(W_K, dim=-1)


@wrong("02.bilinear", "W_K W_Qᵀ is (d_k, d_k)")
def bilinear_inner(W_Q, W_K):
    """Both transposed the wrong way: W_K W_Qᵀ."""
    return W_K @ W_Q.T


@wrong("02.scaled_dot_product_attention", "Two things at once. First: The weights are too sharp: your")
def sdpa_twice(query, key, value):
    """Softmax of the softmax, and no scale."""
    weights = (query @ key.mT).softmax(-1).softmax(-1)
    return weights @ value, weights


@wrong("02.scaled_dot_product_attention", "You leave out the signs of the scores, so a key that doesn")
def sdpa_absolute(query, key, value):
    """Signs are lost."""
    weights = ((query @ key.mT).abs() / query.shape[-1] ** 0.5).softmax(-1)
    return weights @ value, weights


@wrong("02.scaled_dot_product_attention", "Only the best two keep a weight. All of them share. (In th")
def sdpa_best_two(query, key, value):
    """Only the best two keys keep a weight."""
    s = query @ key.mT / query.shape[-1] ** 0.5
    weights = s.masked_fill(s < s.topk(min(2, s.shape[-1]), -1).values[..., -1:], float("-inf")).softmax(-1)
    return weights @ value, weights


@wrong("02.repaired", "Later keys are hidden, as by a causal mask. That isn't ask")
def repair_causal(x, W_Q, W_K, W_V):
    """Later words are hidden."""
    s = x @ W_Q.mT @ (x @ W_K.mT).mT / W_Q.shape[0] ** 0.5
    return s.masked_fill(torch.ones_like(s).triu(1).bool(), float("-inf")).softmax(-1) @ (x @ W_V.mT)


@wrong("02.repaired", "Two things at once. First: One of the two bugs is left, in")
def repair_values_over_keys(x, W_Q, W_K, W_V):
    """Two: W_V and W_K have changed places in the values, and √d_model is left."""
    s = x @ W_Q.mT @ (x @ W_K.mT).mT / x.shape[-1] ** 0.5
    return s.softmax(-1) @ (x @ W_K.mT)


@wrong("02.repaired")
def repair_residual(x, W_Q, W_K, W_V):
    """The values are added to the mixture."""
    s = x @ W_Q.mT @ (x @ W_K.mT).mT / W_Q.shape[0] ** 0.5
    return s.softmax(-1) @ (x @ W_V.mT) + x @ W_V.mT


@wrong("03.split_heads", "The result: the right numbers, but divided by num_heads. (")
def split_scaled(x, num_heads):
    """Divided by the number of heads."""
    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2) / num_heads


@wrong("03.split_heads")
def split_sentences_reversed(x, num_heads):
    """The heads in reverse order, and not swapped."""
    return x.unflatten(-1, (num_heads, -1)).flip(2)


@wrong("03.split_heads")
def split_last_only(x, num_heads):
    """Only the last head."""
    return x.chunk(num_heads, dim=-1)[-1]


@wrong("03.merge_heads", "The result: the right numbers, but divided by √(x.shape[-1")
def merge_scaled(x):
    """Divided by √d."""
    return x.transpose(1, 2).flatten(2) / x.shape[-1] ** 0.5


@wrong("03.merge_heads")
def merge_largest(x):
    """The largest of each head's numbers."""
    return x.transpose(1, 2).amax(-1)


@wrong("03.merge_heads", "The result: all the right numbers are there, but in other")
def merge_numbers(x):
    """Axes 1 and 3 are swapped, and all is cut anew."""
    b, h, n, d = x.shape
    return x.transpose(1, 3).reshape(b, n, h * d)


class Layer(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.h = num_heads
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(d_model, d_model) for _ in range(4))

    def cut(self, *pairs):
        return [W(x).unflatten(-1, (self.h, -1)).transpose(1, 2) for W, x in pairs]


@wrong("03.MultiHeadAttention")
class LayerValueProjectedTwice(Layer):
    """The values go through W_V, and through W_O before they are mixed."""

    def forward(self, query, key, value):
        q, k = self.cut((self.W_Q, query), (self.W_K, key))
        v = self.W_O(self.W_V(value)).unflatten(-1, (self.h, -1)).transpose(1, 2)
        w = (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1)
        return (w @ v).transpose(1, 2).flatten(2), w


@wrong("03.MultiHeadAttention", "`key` isn't used: `value` stands in its place. (In the cas")
class LayerKeyFromValue(Layer):
    """The keys are made from `value`."""

    def forward(self, query, key, value):
        q, k, v = self.cut((self.W_Q, query), (self.W_K, value), (self.W_V, value))
        w = (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1)
        return self.W_O((w @ v).transpose(1, 2).flatten(2)), w


@wrong("03.MultiHeadAttention", "Two things at once. First: The scale is missing: divide th")
class LayerOverQueriesUnscaled(Layer):
    """Two: over the queries, and no scale."""

    def forward(self, query, key, value):
        q, k, v = self.cut((self.W_Q, query), (self.W_K, key), (self.W_V, value))
        w = (q @ k.mT).softmax(-2)
        return self.W_O((w @ v).transpose(1, 2).flatten(2)), w


@wrong("03.strongest_head", "You average over the queries. Only one query is asked abou")
def head_of_total(weights, query, key):
    """The head with the largest sum over all queries."""
    return divmod(weights[..., key].sum(-1).argmax().item(), weights.shape[1])


@wrong("03.strongest_head", "`weights` is read backwards along its axis -4. (In the cas")
def head_reversed_layers(weights, query, key):
    """Layers are counted from the last."""
    layer, head = divmod(weights[:, :, query, key].argmax().item(), weights.shape[1])
    return len(weights) - 1 - layer, head


@wrong("03.strongest_head")
def head_as_list(weights, query, key):
    """The weight comes along."""
    layer, head = divmod(weights[:, :, query, key].argmax().item(), weights.shape[1])
    return layer, head, weights[layer, head, query, key].item()


@wrong("03.repaired")
def meet_relu(x, W_Q, W_K, W_V, W_O, num_heads):
    """A ReLU before W_O."""
    q, k, v = ((x @ W.mT).unflatten(-1, (num_heads, -1)).transpose(1, 2) for W in (W_Q, W_K, W_V))
    heads = (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1) @ v
    return heads.transpose(1, 2).flatten(2).relu() @ W_O.mT


@wrong("03.repaired")
def meet_multiplied(x, W_Q, W_K, W_V, W_O, num_heads):
    """Multiplied by √d_k."""
    q, k, v = ((x @ W.mT).unflatten(-1, (num_heads, -1)).transpose(1, 2) for W in (W_Q, W_K, W_V))
    heads = (q @ k.mT * q.shape[-1] ** 0.5).softmax(-1) @ v
    return heads.transpose(1, 2).flatten(2) @ W_O.mT


@wrong("03.repaired")
def meet_two(x, W_Q, W_K, W_V, W_O, num_heads):
    """Two: over the queries, and W_O isn't transposed."""
    q, k, v = ((x @ W.mT).unflatten(-1, (num_heads, -1)).transpose(1, 2) for W in (W_Q, W_K, W_V))
    heads = (q @ k.mT / q.shape[-1] ** 0.5).softmax(-2) @ v
    return heads.transpose(1, 2).flatten(2) @ W_O
