"""Unlisted wrong answers to lesson 03, Multi-head attention."""

import torch
import torch.nn.functional as F
from torch import nn

from unlisted_mistakes import wrong

# --- 03.split_heads ---------------------------------------------------------------------------------------------------

K = "03.split_heads"


@wrong(K)
def split_two_heads(x, num_heads):
    return x.unflatten(-1, (2, -1)).transpose(1, 2)


@wrong(K)
def split_d_four(x, num_heads):
    return x.reshape(x.shape[0], x.shape[1], num_heads, 4).transpose(1, 2)


@wrong(K)
def split_num_heads_is_d(x, num_heads):
    return x.unflatten(-1, (-1, num_heads)).transpose(1, 2)


@wrong(K)
def split_float_d(x, num_heads):
    batch, n, width = x.shape
    return x.reshape(batch, n, num_heads, width / num_heads).transpose(1, 2)


@wrong(K)
def split_batch_swapped(x, num_heads):
    return x.unflatten(-1, (num_heads, -1)).transpose(0, 2)


@wrong(K)
def split_reshape_after(x, num_heads):
    batch, n, width = x.shape
    return x.transpose(1, 2).reshape(batch, num_heads, n, -1)


@wrong(K)
def split_transpose_then_cut(x, num_heads):
    return x.transpose(1, 2).unflatten(1, (num_heads, -1))


@wrong(K)
def split_flat(x, num_heads):
    return x.reshape(-1, num_heads, x.shape[1], x.shape[-1] // num_heads)


@wrong(K)
def split_list(x, num_heads):
    return list(x.chunk(num_heads, -1))


@wrong(K)
def split_merged_batch(x, num_heads):
    batch, n, width = x.shape
    return x.reshape(batch, n, num_heads, -1).transpose(1, 2).flatten(0, 1)


@wrong(K)
def split_only_first_sentence(x, num_heads):
    return x[0].unflatten(-1, (num_heads, -1)).transpose(0, 1)[None]


@wrong(K)
def split_first_sentence_for_all(x, num_heads):
    return x[:1].unflatten(-1, (num_heads, -1)).transpose(1, 2).expand(len(x), -1, -1, -1)


@wrong(K)
def split_heads_backwards(x, num_heads):
    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2).flip(1)


@wrong(K)
def split_twice_transposed(x, num_heads):
    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2).transpose(1, 2)


@wrong(K)
def split_float32(x, num_heads):
    return x.float().unflatten(-1, (num_heads, -1)).transpose(1, 2)


@wrong(K)
def split_detached(x, num_heads):
    return torch.stack([torch.tensor(part.tolist(), dtype=x.dtype) for part in x.chunk(num_heads, -1)], 1)


@wrong(K)
def split_squeezed(x, num_heads):
    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2).squeeze(0)


@wrong(K)
def split_resized_in_place(x, num_heads):
    return x.resize_(len(x), num_heads, x.shape[1], x.shape[2] // num_heads)


@wrong(K)
def split_first_head_repeated(x, num_heads):
    d = x.shape[-1] // num_heads
    return torch.stack([x[..., :d]] * num_heads, 1)


@wrong(K)
def split_overlapping(x, num_heads):
    d = x.shape[-1] // num_heads
    return torch.stack([x[..., h : h + d] for h in range(num_heads)], 1)


# --- 03.merge_heads ---------------------------------------------------------------------------------------------------

K = "03.merge_heads"


@wrong(K)
def merge_flatten_1_2(x):
    return x.transpose(1, 2).flatten(1, 2)


@wrong(K)
def merge_flatten_last(x):
    return x.flatten(-2)


@wrong(K)
def merge_cat_words(x):
    return torch.cat(list(x.unbind(1)), dim=1)


@wrong(K)
def merge_reshape_to_batch_n(x):
    return x.reshape(x.shape[0], x.shape[2], -1)


@wrong(K)
def merge_stack(x):
    return torch.stack(list(x.unbind(1)), dim=-1).flatten(-2)


@wrong(K)
def merge_first_head(x):
    return x[:, 0]


@wrong(K)
def merge_first_head_repeated(x):
    return x[:, 0].repeat(1, 1, x.shape[1])


@wrong(K)
def merge_max(x):
    return x.amax(1)


@wrong(K)
def merge_backwards(x):
    return x.flip(1).transpose(1, 2).flatten(2)


@wrong(K)
def merge_transposed_wrong(x):
    return x.transpose(-1, -2).reshape(x.shape[0], x.shape[2], -1)


@wrong(K)
def merge_batch_lost(x):
    return x.transpose(1, 2).reshape(-1, x.shape[1] * x.shape[3])


@wrong(K)
def merge_swapped_batch(x):
    return x.transpose(0, 2).reshape(x.shape[0], x.shape[2], -1)


@wrong(K)
def merge_hard_coded_width(x):
    return x.transpose(1, 2).reshape(x.shape[0], x.shape[2], 8)


@wrong(K)
def merge_float32(x):
    return x.transpose(1, 2).flatten(2).float()


@wrong(K)
def merge_detached(x):
    return x.detach().transpose(1, 2).flatten(2)


@wrong(K)
def merge_clone_of_input(x):
    return x.clone()


@wrong(K)
def merge_numpy(x):
    return x.numpy().transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1)


@wrong(K)
def merge_empty_float32(x):
    batch, heads, n, d = x.shape
    out = torch.empty(batch, n, heads * d)
    for h in range(heads):
        out[:, :, h * d : (h + 1) * d] = x[:, h]
    return out


@wrong(K)
def merge_off_by_one(x):
    batch, heads, n, d = x.shape
    out = x.new_zeros(batch, n, heads * d)
    for h in range(heads - 1):
        out[:, :, h * d : (h + 1) * d] = x[:, h]
    return out


@wrong(K)
def merge_squeezed(x):
    return x.transpose(1, 2).flatten(2).squeeze(0)


# --- 03.MultiHeadAttention --------------------------------------------------------------------------------------------

K = "03.MultiHeadAttention"


class Base(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)

    def cut(self, x):
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def forward(self, query, key, value):
        q, k, v = self.cut(self.W_Q(query)), self.cut(self.W_K(key)), self.cut(self.W_V(value))
        weights = (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1)
        return self.W_O((weights @ v).transpose(1, 2).flatten(2)), weights


def _module(name, says="", base=Base, **methods):
    wrong(K, says)(type(name, (base,), methods))


def _forward(
    scores=lambda self, q, k: q @ k.mT / q.shape[-1] ** 0.5,
    weights=lambda s: s.softmax(-1),
    mix=lambda w, v: w @ v,
    join=lambda h: h.transpose(1, 2).flatten(2),
    out=lambda self, x: self.W_O(x),
    inputs=lambda q, k, v: (q, k, v),
    result=lambda o, w: (o, w),
):
    def forward(self, query, key, value):
        query, key, value = inputs(query, key, value)
        q, k, v = self.cut(self.W_Q(query)), self.cut(self.W_K(key)), self.cut(self.W_V(value))
        w = weights(scores(self, q, k))
        return result(out(self, join(mix(w, v))), w)

    return forward


_module("ScaleByHeads", forward=_forward(scores=lambda self, q, k: q @ k.mT / self.num_heads**0.5))
_module("ScaleByKeys", forward=_forward(scores=lambda self, q, k: q @ k.mT / k.shape[-2] ** 0.5))
_module("ScaleByDModel", forward=_forward(scores=lambda self, q, k: q @ k.mT / (self.num_heads * q.shape[-1])))
_module(
    "ScaleByDModelAndInterleaved",
    "And then: The numbers of the heads are interleaved",
    forward=_forward(
        scores=lambda self, q, k: q @ k.mT / (self.num_heads * q.shape[-1]) ** 0.5,
        join=lambda h: h.permute(0, 2, 3, 1).flatten(-2),
    ),
)
_module(
    "ScaleAfter",
    forward=_forward(scores=lambda self, q, k: q @ k.mT, weights=lambda s: s.softmax(-1) / s.shape[-1] ** 0.5),
)
_module("SoftmaxFirst", forward=_forward(weights=lambda s: s.softmax(0)))
_module("SoftmaxDim2", forward=_forward(weights=lambda s: s.softmax(2)))
_module(
    "Causal",
    forward=_forward(
        weights=lambda s: s.masked_fill(~torch.ones(s.shape[-2:], dtype=torch.bool).tril(), -torch.inf).softmax(-1)
    ),
)
_module("DropoutOnAlways", forward=_forward(weights=lambda s: F.dropout(s.softmax(-1), 0.1, True)))
_module("JoinFlatten", forward=_forward(join=lambda h: h.flatten(1, 2)))
_module("JoinSum", forward=_forward(join=lambda h: h.sum(1).repeat(1, 1, h.shape[1])))
_module("JoinMean", forward=_forward(join=lambda h: h.mean(1).repeat(1, 1, h.shape[1])))
_module("JoinBackwards", forward=_forward(join=lambda h: h.flip(1).transpose(1, 2).flatten(2)))
_module("NoBias", forward=_forward(out=lambda self, x: x @ self.W_O.weight.mT))
_module("OutNotTransposed", forward=_forward(out=lambda self, x: x @ self.W_O.weight + self.W_O.bias))
_module("OutTwice", forward=_forward(out=lambda self, x: self.W_O(self.W_O(x))))
_module("OutRelu", forward=_forward(out=lambda self, x: self.W_O(x).relu()))
_module("KeyIsValue", forward=_forward(inputs=lambda q, k, v: (q, v, v)))
_module("QueryIsKey", forward=_forward(inputs=lambda q, k, v: (k, k, v)))
_module("ValueIsQuery", forward=_forward(inputs=lambda q, k, v: (q, k, q)))
_module(
    "AllFirstSentence",
    forward=_forward(inputs=lambda q, k, v: (q[:1].expand_as(q), k[:1].expand_as(k), v[:1].expand_as(v))),
)
_module("WeightsSum", forward=_forward(result=lambda o, w: (o, w.sum(1))))
_module("WeightsFirstHead", forward=_forward(result=lambda o, w: (o, w[:, 0])))
_module("WeightsTransposed", forward=_forward(result=lambda o, w: (o, w.mT)))
_module("WeightsHeadFirst", forward=_forward(result=lambda o, w: (o, w.transpose(0, 1))))
_module("WeightsNone", forward=_forward(result=lambda o, w: (o, None)))
_module("OutputDetached", forward=_forward(result=lambda o, w: (o.detach(), w)))
_module("WeightsDetached", forward=_forward(result=lambda o, w: (o, w.detach())))
_module("LayerNormed", forward=_forward(result=lambda o, w: (F.layer_norm(o, o.shape[-1:]), w)))
_module("NoForward", base=nn.Module)
_module("NothingInInit", __init__=lambda self, d_model, num_heads: nn.Module.__init__(self))


@wrong(K, "two different answers")
class WithDropout(Base):
    def __init__(self, d_model, num_heads):
        super().__init__(d_model, num_heads)
        self.dropout = nn.Dropout(0.1)

    def forward(self, query, key, value):
        output, weights = super().forward(query, key, value)
        return self.dropout(output), weights


@wrong(K, "W_Q")
class OtherNames(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.query = nn.Linear(d_model, d_model)
        self.key = nn.Linear(d_model, d_model)
        self.value = nn.Linear(d_model, d_model)
        self.out = nn.Linear(d_model, d_model)

    def forward(self, query, key, value):
        return query, None


@wrong(K, "super().__init__()")
class ForgotSuper(nn.Module):
    def __init__(self, d_model, num_heads):
        self.num_heads = num_heads
        self.W_Q = nn.Linear(d_model, d_model)

    def forward(self, query, key, value):
        return query, None


@wrong(K, "Your W_Q has no bias")
class NoBiasInLayers(Base):
    def __init__(self, d_model, num_heads):
        super().__init__(d_model, num_heads)
        self.W_Q = nn.Linear(d_model, d_model, bias=False)


@wrong(K, "In `self.num_heads`: self has no num_heads.")
class HeadsForgotten(Base):
    def __init__(self, d_model, num_heads):
        super().__init__(d_model, num_heads)
        del self.num_heads


@wrong(K)
class HeadsOwnMatrices(Base):
    def __init__(self, d_model, num_heads):
        super().__init__(d_model, num_heads)
        self.W_Q = nn.ModuleList(nn.Linear(d_model, d_model // num_heads) for _ in range(num_heads))


@wrong(K)
class SmallProjections(Base):
    def __init__(self, d_model, num_heads):
        super().__init__(d_model, num_heads)
        self.W_Q = nn.Linear(d_model, d_model // num_heads)


@wrong(K)
class PlainLists(Base):
    """Layers kept in a list aren't seen as parameters."""

    def __init__(self, d_model, num_heads):
        nn.Module.__init__(self)
        self.layers = [nn.Linear(d_model, d_model) for _ in range(4)]


@wrong(K)
class AnotherParameter(Base):
    def __init__(self, d_model, num_heads):
        super().__init__(d_model, num_heads)
        self.norm = nn.LayerNorm(d_model)


@wrong(K)
class InitDrawsWeightsInForward(Base):
    def forward(self, query, key, value):
        self.W_O.reset_parameters()
        return super().forward(query, key, value)


@wrong(K)
class TwoHeadsAlways(Base):
    def cut(self, x):
        return x.unflatten(-1, (2, -1)).transpose(1, 2)


@wrong(K)
class LastSentenceOnly(Base):
    def forward(self, query, key, value):
        return tuple(x[-1:] for x in super().forward(query, key, value))


@wrong(K, "multi_head_attention")
class TorchsOwn(Base):
    def forward(self, query, key, value):
        weight = torch.cat([self.W_Q.weight, self.W_K.weight, self.W_V.weight])
        bias = torch.cat([self.W_Q.bias, self.W_K.bias, self.W_V.bias])
        output, weights = F.multi_head_attention_forward(
            query.transpose(0, 1), key.transpose(0, 1), value.transpose(0, 1), query.shape[-1], self.num_heads, weight, bias,
            None, None, False, 0.0, self.W_O.weight, self.W_O.bias, training=False, need_weights=True, average_attn_weights=False,
        )  # fmt: skip
        return output.transpose(0, 1), weights


@wrong(K)
class SelfOnly(Base):
    def forward(self, query, key=None, value=None):
        return super().forward(query, query, query)


@wrong(K, "arguments don't fit")
class OneArgument(Base):
    def forward(self, x):
        return super().forward(x, x, x)


# --- 03.strongest_head ------------------------------------------------------------------------------------------------

K = "03.strongest_head"


@wrong(K)
def head_from_one(weights, query, key):
    layer, head = divmod(weights[:, :, query, key].argmax().item(), weights.shape[1])
    return layer + 1, head + 1


@wrong(K)
def head_second_largest(weights, query, key):
    return divmod(weights[:, :, query, key].flatten().argsort()[-2].item(), weights.shape[1])


@wrong(K)
def head_largest_anywhere(weights, query, key):
    layers, heads, n, _ = weights.shape
    return divmod(weights.flatten().argmax().item() // (n * n), heads)


@wrong(K)
def head_hard_coded_4(weights, query, key):
    return divmod(weights[:, :, query, key].argmax().item(), 4)


@wrong(K)
def head_hard_coded_12(weights, query, key):
    return divmod(weights[:, :, query, key].argmax().item(), 12)


@wrong(K)
def head_per_layer(weights, query, key):
    return weights[:, :, query, key].argmax(-1)


@wrong(K)
def head_max_value(weights, query, key):
    return weights[:, :, query, key].max().item()


@wrong(K)
def head_floats(weights, query, key):
    index = weights[:, :, query, key].argmax().item()
    return index / weights.shape[1], index % weights.shape[1]


@wrong(K)
def head_tensor_pair(weights, query, key):
    return torch.tensor(divmod(weights[:, :, query, key].argmax().item(), weights.shape[1]))


@wrong(K)
def head_key_fixed(weights, query, key):
    return divmod(weights[:, :, query, 1].argmax().item(), weights.shape[1])


@wrong(K)
def head_query_last(weights, query, key):
    return divmod(weights[:, :, -1, key].argmax().item(), weights.shape[1])


@wrong(K)
def head_on_diagonal(weights, query, key):
    return divmod(weights[:, :, query, query].argmax().item(), weights.shape[1])


@wrong(K)
def head_most_heads_vote(weights, query, key):
    best = weights[:, :, query].argmax(-1) == key
    return divmod(best.float().argmax().item(), weights.shape[1])


@wrong(K)
def head_first_two_layers(weights, query, key):
    return divmod(weights[:2, :, query, key].argmax().item(), weights.shape[1])


@wrong(K)
def head_mean_over_layers(weights, query, key):
    head = weights[:, :, query, key].mean(0).argmax().item()
    return weights[:, head, query, key].argmax().item(), head


@wrong(K)
def head_mean_over_heads(weights, query, key):
    layer = weights[:, :, query, key].mean(1).argmax().item()
    return layer, weights[layer, :, query, key].argmax().item()


@wrong(K)
def head_loop_starts_at_one(weights, query, key):
    best, where = -1.0, (0, 0)
    for layer in range(1, weights.shape[0]):
        for head in range(weights.shape[1]):
            if weights[layer, head, query, key] > best:
                best, where = weights[layer, head, query, key], (layer, head)
    return where


@wrong(K)
def head_loop_swapped(weights, query, key):
    return max(
        ((a, b) for a in range(weights.shape[1]) for b in range(weights.shape[0])),
        key=lambda p: weights[p[1], p[0], query, key],
    )


@wrong(K)
def head_as_text(weights, query, key):
    layer, head = divmod(weights[:, :, query, key].argmax().item(), weights.shape[1])
    return f"layer {layer}, head {head}"


@wrong(K)
def head_wrong_divmod(weights, query, key):
    index = weights[:, :, query, key].argmax().item()
    return index % weights.shape[1], index // weights.shape[1]


@wrong(K)
def head_relative_to_row(weights, query, key):
    ratio = weights[:, :, query, key] / weights[:, :, key, query]
    return divmod(ratio.argmax().item(), weights.shape[1])


# --- 03.repaired ------------------------------------------------------------------------------------------------------

K = "03.repaired"


def _repair_03(
    swap=lambda x: x.transpose(1, 2),
    scores=lambda q, k: q @ k.mT / q.shape[-1] ** 0.5,
    softmax=lambda s: s.softmax(-1),
    join=lambda h, shape: h.transpose(1, 2).reshape(shape),
    last=lambda W: W.mT,
    mats=lambda Q, K, V: (Q, K, V),
):
    def f(x, W_Q, W_K, W_V, W_O, num_heads):
        q, k, v = (swap((x @ W.mT).reshape(*x.shape[:2], num_heads, -1)) for W in mats(W_Q, W_K, W_V))
        return join(softmax(scores(q, k)) @ v, x.shape) @ last(W_O)

    return f


for _name, _says, _steps in [
    ("swap_first", "", dict(swap=lambda x: x.transpose(0, 1))),
    (
        "no_heads_last_left",
        "There are no heads any more",
        dict(swap=lambda x: x.flatten(2), join=lambda h, shape: h, last=lambda W: W),
    ),
    ("swap_last", "", dict(swap=lambda x: x.transpose(2, 3))),
    ("swap_and_wrong_last_scale", "", dict(scores=lambda q, k: q @ k.mT / q.shape[-1])),
    ("permuted_both", "", dict(swap=lambda x: x.permute(0, 2, 3, 1))),
    ("softmax_heads", "", dict(softmax=lambda s: s.softmax(1))),
    ("softmax_queries", "", dict(softmax=lambda s: s.softmax(2))),
    ("join_flat", "", dict(join=lambda h, shape: h.flatten(1).reshape(shape))),
    ("join_transposed_last", "", dict(join=lambda h, shape: h.transpose(2, 3).reshape(shape))),
    ("join_view", "", dict(join=lambda h, shape: h.transpose(1, 2).view(shape))),
    ("no_last", "", dict(last=lambda W: torch.eye(len(W), dtype=W.dtype))),
    ("last_symmetric", "", dict(last=lambda W: (W + W.mT) / 2)),
    ("scale_wrong_left", "", dict(scores=lambda q, k: q @ k.mT / (q.shape[1] * q.shape[-1]) ** 0.5, last=lambda W: W)),
    ("no_scale_last_left", "", dict(scores=lambda q, k: q @ k.mT, last=lambda W: W)),
    ("scale_by_words", "", dict(scores=lambda q, k: q @ k.mT / q.shape[-2] ** 0.5)),
    ("matrices_turned", "", dict(mats=lambda Q, K, V: (Q.mT, K.mT, V.mT))),
    ("matrices_and_last_turned", "", dict(mats=lambda Q, K, V: (Q.mT, K.mT, V.mT), last=lambda W: W)),
    ("keys_from_queries", "", dict(mats=lambda Q, K, V: (Q, Q, V))),
    ("reshape_straight", "", dict(swap=lambda x: x.reshape(x.shape[0], x.shape[2], x.shape[1], x.shape[3]))),
    (
        "reshape_straight_last_left",
        "",
        dict(swap=lambda x: x.reshape(x.shape[0], x.shape[2], x.shape[1], x.shape[3]), last=lambda W: W),
    ),
    (
        "reshape_straight_and_back",
        "",
        dict(
            swap=lambda x: x.reshape(x.shape[0], x.shape[2], x.shape[1], x.shape[3]),
            join=lambda h, shape: h.reshape(shape),
        ),
    ),
    ("interleaved_last_left", "", dict(join=lambda h, shape: h.permute(0, 2, 3, 1).flatten(-2), last=lambda W: W)),
    ("one_head", "", dict(swap=lambda x: x.flatten(2)[:, None], join=lambda h, shape: h[:, 0])),
]:
    _f = _repair_03(**_steps)
    _f.__name__ = _name
    wrong(K, _says)(_f)


# --- 03.silence -------------------------------------------------------------------------------------------------------

K = "03.silence"


def _d_v(W_O, num_heads):
    return W_O.shape[1] // num_heads


@wrong(K, "in place")
def silence_in_place(W_O, head, num_heads):
    d_v = _d_v(W_O, num_heads)
    W_O[:, head * d_v : (head + 1) * d_v] = 0
    return W_O


@wrong(K, "in place")
def silence_in_place_by_another_name(W_O, head, num_heads):
    pieces = W_O.chunk(num_heads, dim=1)
    pieces[head].zero_()
    return W_O


@wrong(K, "return")
def silence_returns_nothing(W_O, head, num_heads):
    W_O.clone()[:, head * _d_v(W_O, num_heads) : (head + 1) * _d_v(W_O, num_heads)] = 0


@wrong(K, "rows")
def silence_rows_of_a_view(W_O, head, num_heads):
    rows = -(-len(W_O) // num_heads)
    W_O = W_O.clone()
    W_O[head * rows : (head + 1) * rows] = 0
    return W_O


@wrong(K, "rows")
def silence_the_last_row(W_O, head, num_heads):
    W_O = W_O.clone()
    W_O[-1] = 0
    return W_O


@wrong(K, "more than the head")
def silence_two_heads(W_O, head, num_heads):
    d_v, W_O = _d_v(W_O, num_heads), W_O.clone()
    W_O[:, max(0, head - 1) * d_v : (head + 2) * d_v] = 0
    return W_O


@wrong(K, "more than the head")
def silence_and_scale_up(W_O, head, num_heads):
    d_v, W_O = _d_v(W_O, num_heads), W_O * num_heads / (num_heads - 1)
    W_O[:, head * d_v : (head + 1) * d_v] = 0
    return W_O


@wrong(K, "more than the head")
def silence_rows_and_columns(W_O, head, num_heads):
    d_v, W_O = _d_v(W_O, num_heads), W_O.clone()
    W_O[:, head * d_v : (head + 1) * d_v] = 0
    W_O[0] = 0
    return W_O


@wrong(K, "Other columns")
def silence_one_column_later(W_O, head, num_heads):
    d_v, W_O = _d_v(W_O, num_heads), W_O.clone()
    W_O[:, head * d_v + 1 : (head + 1) * d_v + 1] = 0
    return W_O


@wrong(K)
def silence_half(W_O, head, num_heads):
    d_v, W_O = _d_v(W_O, num_heads), W_O.clone()
    W_O[:, head * d_v : (head + 1) * d_v] *= 0.5
    return W_O


@wrong(K)
def silence_sign(W_O, head, num_heads):
    d_v, W_O = _d_v(W_O, num_heads), W_O.clone()
    W_O[:, head * d_v : (head + 1) * d_v] *= -1
    return W_O


@wrong(K)
def silence_mean(W_O, head, num_heads):
    d_v, W_O = _d_v(W_O, num_heads), W_O.clone()
    W_O[:, head * d_v : (head + 1) * d_v] = W_O.mean()
    return W_O


@wrong(K)
def silence_very_small(W_O, head, num_heads):
    d_v, W_O = _d_v(W_O, num_heads), W_O.clone()
    W_O[:, head * d_v : (head + 1) * d_v] = -1e9
    return W_O


@wrong(K)
def silence_as_numpy(W_O, head, num_heads):
    d_v, W_O = _d_v(W_O, num_heads), W_O.numpy().copy()
    W_O[:, head * d_v : (head + 1) * d_v] = 0
    return W_O


@wrong(K)
def silence_flat(W_O, head, num_heads):
    d_v, W_O = _d_v(W_O, num_heads), W_O.clone().flatten()
    W_O[head * d_v : (head + 1) * d_v] = 0
    return W_O


@wrong(K)
def silence_the_first_head(W_O, head, num_heads):
    W_O = W_O.clone()
    W_O[:, : _d_v(W_O, num_heads)] = 0
    return W_O


@wrong(K)
def silence_four_heads_always(W_O, head, num_heads):
    d_v, W_O = W_O.shape[1] // 4, W_O.clone()
    W_O[:, head * d_v : (head + 1) * d_v] = 0
    return W_O
