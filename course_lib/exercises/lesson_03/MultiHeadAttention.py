"""Multi-head attention as an nn.Module: project, cut into heads, attend, lay side by side, project once more."""

import torch
import torch.nn.functional as F
from torch import nn

from course_lib.attention import dot_scores, merge_heads, scaled_dot_scores, softmax_over_keys, split_heads
from course_lib.checking.kinds import Case, ModuleCode
from course_lib.exercises import common
from course_lib.exercises.inputs import integer, randn
from course_lib.exercises.lesson_03.merge_heads import straight_back
from course_lib.exercises.lesson_03.split_heads import straight_to_shape


def layer(
    *,
    inputs=lambda query, key, value: (query, key, value),
    matrices=lambda layer: (layer.W_Q, layer.W_K, layer.W_V, layer.W_O),
    split=split_heads,
    scores=scaled_dot_scores,
    weights=softmax_over_keys,
    mixed=torch.matmul,
    merge=merge_heads,
    results=lambda output, weights, query: (output, weights),
):
    """The class that the exercise asks for: attention.MultiHeadAttention without options, always returning its weights."""

    class Layer(nn.Module):
        def __init__(self, d_model, num_heads):
            super().__init__()
            self.num_heads = num_heads
            self.W_Q = nn.Linear(d_model, d_model)
            self.W_K = nn.Linear(d_model, d_model)
            self.W_V = nn.Linear(d_model, d_model)
            self.W_O = nn.Linear(d_model, d_model)

        def forward(self, query, key, value):
            *projections, W_O = matrices(self)
            q, k, v = (split(W(x), self.num_heads) for W, x in zip(projections, inputs(query, key, value)))
            w = weights(scores(q, k))
            return results(W_O(merge(mixed(w, v))), w, query)

    return Layer


def _weights(g, d_model, **kwargs):
    weights = {}
    for name in ("W_Q", "W_K", "W_V", "W_O"):
        weights[f"{name}.weight"] = randn(g, d_model, d_model, **kwargs) / d_model**0.5 * 1.5
        weights[f"{name}.bias"] = randn(g, d_model, **kwargs) * 0.5
    return weights


def _inputs(g, batch, n, d_model, num_heads, keys=None, **kwargs):
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
    reference=layer(),
    axes=["batch query d_model", "batch head query key"],
    results=("output", "weights"),
    forbidden=("multi_head_attention", "multiheadattention"),
    cases=[
        Case("two sentences, two heads", lambda g: _inputs(g, 2, 4, 8, 2), SELF),
        Case("as many words as heads", lambda g: _inputs(g, 2, 4, 12, 4), SELF),
        Case("one sentence", lambda g: _inputs(g, 1, 5, 6, 3), SELF),
        Case("any sizes", lambda g: _inputs(g, integer(g, 2, 3), integer(g, 6, 8), 20, 5), SELF),
        Case("double precision", lambda g: _inputs(g, 2, 3, 16, 4, dtype=torch.float64), SELF),
        Case("more keys than queries", lambda g: _inputs(g, 2, 3, 8, 2, keys=5), OTHER),
        Case("as many keys as queries", lambda g: _inputs(g, 2, 4, 8, 2, keys=4), OTHER),
        Case("one query", lambda g: _inputs(g, 3, 1, 6, 2, keys=4), OTHER),
    ],
    differentiable=True,
    hints=[
        "In __init__: four nn.Linear(d_model, d_model), named W_Q, W_K, W_V, W_O; remember num_heads.",
        "In forward: project, cut into heads, attend, lay side by side, project once more. You have written three of these five.",
        "scaled_dot_product_attention takes any leading axes: (batch, head, n, d) needs no loop over the heads.",
    ],
)

steps = MultiHeadAttention.variants(layer)

steps.mistake(
    "W_O is missing: the heads lie side by side, but nothing has mixed them yet.",
    matrices=lambda layer: (layer.W_Q, layer.W_K, layer.W_V, common.unchanged),
)
steps.mistake(
    "You scale by √d_model. Each head compares vectors of length d_k = d_model / num_heads: scale by its root.",
    scores=lambda q, k: q @ k.mT / (q.shape[-1] * q.shape[1]) ** 0.5,
)
steps.mistake("The scale is missing: divide the scores of each head by √d_k.", scores=dot_scores)
steps.mistake("You divide by d_k. Divide by its root.", scores=lambda q, k: q @ k.mT / q.shape[-1])
steps.mistake(
    "Cutting into heads has scrambled the words. Cut the last axis first, then swap: use your split_heads.",
    split=straight_to_shape,
)
steps.mistake(
    "The numbers are dealt out to the heads like cards. Head 0 gets the first d_k of them, head 1 the next.",
    split=lambda x, num_heads: x.unflatten(-1, (-1, num_heads)).permute(0, 3, 1, 2),
)
steps.mistake(
    "Laying the heads side by side has scrambled the words. Swap the axes back before you join them: use your merge_heads.",
    merge=straight_back,
)
steps.mistake(
    "The numbers of the heads are interleaved when they are joined. Head 0's numbers come first, then head 1's.",
    merge=lambda x: x.permute(0, 2, 3, 1).flatten(-2),
)
steps.mistake(
    "A word has one head's d_k numbers left, and W_O expects d_model: were the heads averaged, added up, or all but one dropped? "
    "Lay them side by side: merge_heads.",
    merge=lambda x: x.mean(1),
)
for _name, _together in {"averaged": torch.mean, "added up": torch.sum}.items():
    steps.mistake(
        f"The heads are {_name}, and the result is repeated to d_model. What each of them found can't be told apart any more: "
        "lay them side by side, with merge_heads.",
        merge=lambda x, f=_together: f(x, 1).repeat(1, 1, x.shape[1]),
    )
steps.mistake(
    "Every head reads the first d_k numbers. Head 1 should get the next d_k, and so on: use your split_heads.",
    split=lambda x, num_heads: x[..., : x.shape[-1] // num_heads].unsqueeze(1).expand(-1, num_heads, -1, -1),
)
steps.mistake(
    "Queries and keys go through W_K both: are W_Q and W_K one and the same Linear? Each name needs an nn.Linear of its own.",
    matrices=lambda layer: (layer.W_K, layer.W_K, layer.W_V, layer.W_O),
)
steps.mistake(
    "Heads and d_k have changed places: there are num_heads heads, each of length d_model / num_heads.",
    split=lambda x, num_heads: split_heads(x, x.shape[-1] // num_heads),
)
steps.mistake(
    "A ReLU stands behind W_Q, W_K and W_V, which isn't asked for: queries, keys and values may be negative.",
    split=lambda x, num_heads: split_heads(x, num_heads).relu(),
)
steps.mistake(
    "Heads and sentences are mixed up: joined in one order, taken apart in the other. (batch · head, …) comes from (batch, head, …) alone.",
    split=lambda x, num_heads: split_heads(x, num_heads).transpose(0, 1).reshape(len(x), num_heads, x.shape[1], -1),
)
steps.mistake(
    "The first head is repeated to d_model, the others are lost. Lay all of them side by side: merge_heads.",
    merge=lambda x: x[:, 0].repeat(1, 1, x.shape[1]),
)
for _name, _step in (
    ("A LayerNorm", lambda x: F.layer_norm(x, x.shape[-1:])),
    ("A ReLU", torch.relu),
    ("A GELU", F.gelu),
    ("A tanh", torch.tanh),
    ("A softmax", lambda x: x.softmax(-1)),
):
    steps.mistake(
        f"{_name} stands before W_O, which isn't asked for: the heads, side by side, go straight into W_O.",
        merge=lambda x, step=_step: step(merge_heads(x)),
    )
    steps.mistake(
        f"{_name} stands after W_O, which isn't asked for: what W_O gives is the output.",
        results=lambda out, w, query, step=_step: (step(out), w),
    )
steps.mistake(
    "There is only one head: queries and keys are compared over all d_model numbers. Cut them first.",
    split=lambda x, num_heads: x[:, None],
    merge=lambda x: x[:, 0],
)
steps.mistake(
    "There are no heads yet: this is one attention over all d_model numbers, so the weights lack the axis of the heads. "
    "Cut queries, keys and values with split_heads before it, and join with merge_heads after it.",
    split=common.unchanged,
    merge=common.unchanged,
)
steps.mistake(
    "A Linear expects all d_model numbers of a word and gets one head's. If it is W_O, use merge_heads before it; "
    "if it is W_Q, W_K or W_V, project first and cut afterwards.",
    merge=common.unchanged,
)
steps.mistake(
    "Queries, keys and values aren't cut yet, so there is nothing to merge. Use split_heads after the projections.",
    split=common.unchanged,
)
steps.mistake(
    "In each word its heads look at each other; words never meet. Swap the axes, so that words and numbers come last: use your split_heads.",
    split=lambda x, num_heads: x.unflatten(-1, (num_heads, -1)),
    merge=lambda x: x.flatten(-2),
)
steps.mistake("Your softmax runs over the queries. It belongs over the keys, dim=-1.", weights=lambda s: s.softmax(-2))
steps.mistake("Your softmax runs over the heads. It belongs over the keys, dim=-1.", weights=lambda s: s.softmax(1))
common.other_weights(steps, "twice logarithm sigmoid squared negative relu")
steps.mistake(
    "The weights are transposed before they meet the values. A row of weights belongs to a query: weights @ values.",
    mixed=lambda w, v: w.mT @ v,
)
steps.mistake(
    "The values aren't projected: they should go through W_V before they are cut.",
    matrices=lambda layer: (layer.W_Q, layer.W_K, common.unchanged, layer.W_O),
)
steps.mistake(
    "The keys aren't projected: they should go through W_K before they are cut.",
    matrices=lambda layer: (layer.W_Q, common.unchanged, layer.W_V, layer.W_O),
)
steps.mistake(
    "The queries aren't projected: they should go through W_Q before they are cut.",
    matrices=lambda layer: (common.unchanged, layer.W_K, layer.W_V, layer.W_O),
)
steps.mistake(
    "W_Q and W_O have changed places: W_O comes last.",
    matrices=lambda layer: (layer.W_O, layer.W_K, layer.W_V, layer.W_Q),
)
steps.mistake("There is no softmax: the weights are the raw scores.", weights=common.unchanged)
steps.mistake(
    "The projections are missing: queries, keys and values are the inputs themselves.",
    matrices=lambda layer: (common.unchanged, common.unchanged, common.unchanged, layer.W_O),
)
steps.mistake(
    "The keys go through W_Q. They have a matrix of their own, W_K.",
    matrices=lambda layer: (layer.W_Q, layer.W_Q, layer.W_V, layer.W_O),
)
steps.mistake(
    "The values go through W_K. They have a matrix of their own, W_V.",
    matrices=lambda layer: (layer.W_Q, layer.W_K, layer.W_K, layer.W_O),
)
steps.mistake(
    "The values go through W_Q. They have a matrix of their own, W_V.",
    matrices=lambda layer: (layer.W_Q, layer.W_K, layer.W_Q, layer.W_O),
)
steps.mistake(
    "The keys go through W_V. They have a matrix of their own, W_K.",
    matrices=lambda layer: (layer.W_Q, layer.W_V, layer.W_V, layer.W_O),
)
steps.mistake(
    "Queries, keys and values all go through W_Q. Each has a matrix of its own: W_Q, W_K, W_V.",
    matrices=lambda layer: (layer.W_Q, layer.W_Q, layer.W_Q, layer.W_O),
)
steps.mistake("W_K and W_V have changed places.", matrices=lambda layer: (layer.W_Q, layer.W_V, layer.W_K, layer.W_O))
steps.mistake("W_Q and W_V have changed places.", matrices=lambda layer: (layer.W_V, layer.W_K, layer.W_Q, layer.W_O))
steps.mistake(
    "W_V and W_O have changed places: W_V makes the values, W_O comes last.",
    matrices=lambda layer: (layer.W_Q, layer.W_K, layer.W_O, layer.W_V),
)
steps.mistake(
    "Queries and keys have changed places on the way into attention: scaled_dot_product_attention(query, key, value).",
    scores=lambda q, k: scaled_dot_scores(k, q),
)
steps.mistake(
    "You scale by the number of heads. What makes scores grow is the length of a head's key, d_k = d_model / num_heads.",
    scores=lambda q, k: q @ k.mT / q.shape[1] ** 0.5,
)
steps.mistake(
    "You scale by the number of words. What makes scores grow is the length of a head's key, d_k = d_model / num_heads.",
    scores=lambda q, k: q @ k.mT / k.shape[-2] ** 0.5,
)
steps.mistake("W_Q and W_K have changed places.", matrices=lambda layer: (layer.W_K, layer.W_Q, layer.W_V, layer.W_O))
steps.mistake(
    "The values come from the keys' input. Project the argument `value`.",
    breaks=(OTHER,),
    inputs=lambda q, k, v: (q, k, k),
)
steps.mistake(
    "Keys and values come from the query. That is right when a text looks at itself only: project the arguments `key` and `value`.",
    breaks=(OTHER,),
    inputs=lambda q, k, v: (q, q, q),
)
steps.mistake("Keys and values have changed places.", breaks=(OTHER,), inputs=lambda q, k, v: (q, v, k))
steps.mistake(
    "The weights are averaged over the heads. Return those of every head: (batch, head, query, key).",
    results=lambda out, w, query: (out, w.mean(1)),
)
steps.mistake(
    "The weights are added up over the heads. Return those of every head: (batch, head, query, key).",
    results=lambda out, w, query: (out, w.sum(1)),
)
steps.mistake(
    "The returned weights are turned round: (batch, head, query, key), one row for each query.",
    results=lambda out, w, query: (out, w.mT),
)
steps.mistake("Only the output comes back. Return the weights as well.", results=lambda out, w, query: out)
steps.mistake(common.RESULTS_SWAPPED, results=lambda out, w, query: (w, out))
steps.mistake(
    "The input is added to the output. That residual connection comes in lesson 06, outside of this layer.",
    results=lambda out, w, query: (out + query, w),
)

steps.mistake(
    "W_O is used the wrong way round, and without its bias: self.W_O(…) does both.",
    matrices=lambda layer: (layer.W_Q, layer.W_K, layer.W_V, lambda x: x @ layer.W_O.weight),
)
steps.mistake(
    "W_O is used the wrong way round: nn.Linear computes x @ W.mT + b. self.W_O(…) does it.",
    matrices=lambda layer: (layer.W_Q, layer.W_K, layer.W_V, lambda x: x @ layer.W_O.weight + layer.W_O.bias),
)
steps.mistake(
    "W_O's bias is missing: self.W_O(…) adds it.",
    matrices=lambda layer: (layer.W_Q, layer.W_K, layer.W_V, lambda x: x @ layer.W_O.weight.mT),
)


@MultiHeadAttention.mistake(
    "The second result is what the heads found. Asked for are their weights: scaled_dot_product_attention gives (output, weights)."
)
class HeadsForWeights(layer()):
    def forward(self, query, key, value):
        output, weights = super().forward(query, key, value)
        return output, weights @ split_heads(self.W_V(value), self.num_heads)


@MultiHeadAttention.mistake(
    "You divide by √d_k after the softmax (a slide writes it so). It belongs before it: the scores are divided, then the softmax."
)
class ScaledAfterTheSoftmax(layer(scores=dot_scores)):
    def forward(self, query, key, value):
        _, weights = super().forward(query, key, value)
        v = split_heads(self.W_V(value), self.num_heads)
        weights = weights / v.shape[-1] ** 0.5
        return self.W_O(merge_heads(weights @ v)), weights


common.output_does_not_follow(
    MultiHeadAttention,
    "Your weights are right, the output isn't. Look at what happens after them: values through W_V, weights @ values, heads side by side, W_O with its bias.",
)


@MultiHeadAttention.symptom(
    "The size of the scores is wrong. In each head they should be divided by √d_k, where d_k = d_model / num_heads."
)
def wrong_scale(inputs, answer):
    _, right = MultiHeadAttention.run(MultiHeadAttention.reference, *inputs)
    return common.only_the_scale_differs(answer[1], right)


common.rows_do_not_sum_to_one(
    MultiHeadAttention, "The weights don't sum to 1 for each query. Softmax over the keys, dim=-1, makes them do so."
)
