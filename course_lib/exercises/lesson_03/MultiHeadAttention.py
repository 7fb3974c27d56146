"""MultiHeadAttention, lesson 03."""

import torch
from torch import nn

from course_lib import attention
from course_lib.checking.kinds import Case, ModuleCode
from course_lib.exercises.common import only_the_scale_differs
from course_lib.exercises.inputs import integer, randn


class _Layer(nn.Module):
    """What the exercise asks for: attention.MultiHeadAttention, but always returning its weights."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)

    def split(self, x):
        return attention.split_heads(x, self.num_heads)

    def merge(self, x):
        return attention.merge_heads(x)

    def scores(self, q, k):
        return q @ k.mT / q.shape[-1] ** 0.5

    def weights(self, scores):
        return scores.softmax(-1)

    def project(self, query, key, value):
        return self.W_Q(query), self.W_K(key), self.W_V(value)

    def forward(self, query, key, value):
        q, k, v = map(self.split, self.project(query, key, value))
        weights = self.weights(self.scores(q, k))
        return self.finish(weights @ v), weights

    def finish(self, heads):
        return self.W_O(self.merge(heads))


def _weights(g, d_model, **kwargs):
    weights = {}
    for name in ("W_Q", "W_K", "W_V", "W_O"):
        weights[f"{name}.weight"] = randn(g, d_model, d_model, **kwargs) / d_model**0.5 * 1.5
        weights[f"{name}.bias"] = randn(g, d_model, **kwargs) * 0.5
    return weights


def _layer(g, batch, n, d_model, num_heads, keys=None, **kwargs):
    """Self-attention, or, with `keys`, attention from one text to another whose values differ from its keys."""
    query = randn(g, batch, n, d_model, **kwargs)
    key = query if keys is None else randn(g, batch, keys, d_model, **kwargs)
    value = query if keys is None else randn(g, batch, keys, d_model, **kwargs)
    return (
        {"d_model": d_model, "num_heads": num_heads},
        _weights(g, d_model, **kwargs),
        query,
        key.clone(),
        value.clone(),
    )


SELF, OTHER = "a text that looks at itself", "a text that looks at another"

MultiHeadAttention = ModuleCode(
    "03.MultiHeadAttention",
    title="Multi-head attention",
    points=6,
    minutes=25,
    difficulty=3,
    criteria={SELF: 4, OTHER: 2},
    reference=_Layer,
    axes=["batch query d_model", "batch head query key"],
    forbidden=("multi_head_attention", "multiheadattention"),
    cases=[
        Case("two sentences, two heads", lambda g: _layer(g, 2, 4, 8, 2), SELF),
        Case("as many words as heads", lambda g: _layer(g, 2, 4, 12, 4), SELF),
        Case("one sentence", lambda g: _layer(g, 1, 5, 6, 3), SELF),
        Case("any sizes", lambda g: _layer(g, integer(g, 2, 3), integer(g, 6, 8), 20, 5), SELF),
        Case("double precision", lambda g: _layer(g, 2, 3, 16, 4, dtype=torch.float64), SELF),
        Case("more keys than queries", lambda g: _layer(g, 2, 3, 8, 2, keys=5), OTHER),
        Case("as many keys as queries", lambda g: _layer(g, 2, 4, 8, 2, keys=4), OTHER),
        Case("one query", lambda g: _layer(g, 3, 1, 6, 2, keys=4), OTHER),
    ],
    differentiable=True,
    hints=[
        "In __init__: four nn.Linear(d_model, d_model), named W_Q, W_K, W_V, W_O; remember num_heads.",
        "In forward: project, cut into heads, attend, lay side by side, project once more. You have written three of these five.",
        "scaled_dot_product_attention takes any leading axes: (batch, head, n, d) needs no loop over the heads.",
    ],
)


def _layer_mistake(sentence, breaks=None, **methods):
    """A version of the layer with some of its steps replaced."""
    name = "_".join(methods)
    MultiHeadAttention.mistake(sentence, breaks)(type(f"wrong_{name}", (_Layer,), methods))


_layer_mistake(
    "W_O is missing: the heads lie side by side, but nothing has mixed them yet.",
    finish=lambda self, heads: self.merge(heads),
)
_layer_mistake(
    "You scale by √d_model. Each head compares vectors of length d_k = d_model / num_heads: scale by its root.",
    scores=lambda self, q, k: q @ k.mT / (q.shape[-1] * self.num_heads) ** 0.5,
)
_layer_mistake("The scale is missing: divide the scores of each head by √d_k.", scores=lambda self, q, k: q @ k.mT)
_layer_mistake("You divide by d_k. Divide by its root.", scores=lambda self, q, k: q @ k.mT / q.shape[-1])
_layer_mistake(
    "Cutting into heads has scrambled the words. Cut the last axis first, then swap: use your split_heads.",
    split=lambda self, x: x.reshape(len(x), self.num_heads, x.shape[1], -1),
)
_layer_mistake(
    "The numbers are dealt out to the heads like cards. Head 0 gets the first d_k of them, head 1 the next.",
    split=lambda self, x: x.unflatten(-1, (-1, self.num_heads)).permute(0, 3, 1, 2),
)
_layer_mistake(
    "Laying the heads side by side has scrambled the words. Swap the axes back before you join them: use your merge_heads.",
    merge=lambda self, x: x.reshape(len(x), x.shape[2], -1),
)
_layer_mistake(
    "The numbers of the heads are interleaved when they are joined. Head 0's numbers come first, then head 1's.",
    merge=lambda self, x: x.permute(0, 2, 3, 1).flatten(-2),
)
_layer_mistake(
    "There is only one head: queries and keys are compared over all d_model numbers. Cut them first.",
    split=lambda self, x: x[:, None],
    merge=lambda self, x: x[:, 0],
)
_layer_mistake(
    "In each word its heads look at each other; words never meet. Swap the axes, so that words and numbers come last: use your split_heads.",
    split=lambda self, x: x.unflatten(-1, (self.num_heads, -1)),
    merge=lambda self, x: x.flatten(-2),
)
_layer_mistake(
    "The projections are missing: queries, keys and values are the inputs themselves.",
    project=lambda self, q, k, v: (q, k, v),
)
_layer_mistake(
    "Your softmax runs over the queries. It belongs over the keys, dim=-1.", weights=lambda self, s: s.softmax(-2)
)
_layer_mistake(
    "Your softmax runs over the heads. It belongs over the keys, dim=-1.", weights=lambda self, s: s.softmax(1)
)
_layer_mistake("There is no softmax: the weights are the raw scores.", weights=lambda self, s: s)
_layer_mistake(
    "The keys go through W_Q. They have a matrix of their own, W_K.",
    project=lambda self, q, k, v: (self.W_Q(q), self.W_Q(k), self.W_V(v)),
)
_layer_mistake(
    "The values go through W_K. They have a matrix of their own, W_V.",
    project=lambda self, q, k, v: (self.W_Q(q), self.W_K(k), self.W_K(v)),
)
_layer_mistake(
    "W_Q and W_K have changed places.", project=lambda self, q, k, v: (self.W_K(q), self.W_Q(k), self.W_V(v))
)
_layer_mistake(
    "The values come from the keys' input. Project the argument `value`.",
    (OTHER,),
    project=lambda self, q, k, v: (self.W_Q(q), self.W_K(k), self.W_V(k)),
)
_layer_mistake(
    "Keys and values come from the query. That is right when a text looks at itself only: project the arguments `key` and `value`.",
    (OTHER,),
    project=lambda self, q, k, v: (self.W_Q(q), self.W_K(q), self.W_V(q)),
)
_layer_mistake(
    "Keys and values have changed places.",
    (OTHER,),
    project=lambda self, q, k, v: (self.W_Q(q), self.W_K(v), self.W_V(k)),
)


def _and(change):
    """The right answer, changed afterwards."""

    def forward(self, query, key, value):
        return change(*_Layer.forward(self, query, key, value))

    return forward


_layer_mistake(
    "The weights are averaged over the heads. Return those of every head: (batch, head, query, key).",
    forward=_and(lambda out, w: (out, w.mean(1))),
)
_layer_mistake(
    "The returned weights are turned round: (batch, head, query, key), one row for each query.",
    forward=_and(lambda out, w: (out, w.mT)),
)
_layer_mistake("Only the output comes back. Return the weights as well.", forward=_and(lambda out, w: out))
_layer_mistake(
    "The two results are in the wrong order: the output first, then the weights.", forward=_and(lambda out, w: (w, out))
)
_layer_mistake(
    "The input is added to the output. That residual connection comes in lesson 06, outside of this layer.",
    forward=lambda self, query, key, value: (
        _Layer.forward(self, query, key, value)[0] + query,
        _Layer.forward(self, query, key, value)[1],
    ),
)


@MultiHeadAttention.symptom(
    "Your weights are right, the output isn't. Look at what happens after them: values through W_V, weights @ values, heads side by side, W_O with its bias."
)
def output_does_not_follow(inputs, answer):
    config, weights, *arguments = inputs
    return torch.allclose(answer[1], MultiHeadAttention.run(_Layer, config, weights, *arguments)[1], atol=1e-4)


@MultiHeadAttention.symptom(
    "Only the size of the scores is wrong. In each head they should be divided by √d_k, where d_k = d_model / num_heads."
)
def wrong_scale(inputs, answer):
    config, weights, *arguments = inputs
    return only_the_scale_differs(answer[1], MultiHeadAttention.run(_Layer, config, weights, *arguments)[1])


@MultiHeadAttention.symptom(
    "The weights don't sum to 1 for each query. Softmax over the keys, dim=-1, makes them do so."
)
def rows_do_not_sum_to_one(inputs, answer):
    return not torch.allclose(answer[1].sum(-1), torch.ones(answer[1].shape[:-1], dtype=answer[1].dtype), atol=1e-3)
