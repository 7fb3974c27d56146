"""Multi-head attention in which heads meet heads instead of words meeting words, and W_O isn't transposed."""

import torch

from course_lib import attention
from course_lib.attention import softmax_over_keys
from course_lib.checking.kinds import Case, Code
from course_lib.exercises.common import other_weights, transposed, unchanged
from course_lib.exercises.inputs import integer, randn
from course_lib.exercises.lesson_03 import buggy


def _multi_head(x, W_Q, W_K, W_V, W_O, num_heads):
    q, k, v = (attention.split_heads(x @ W.mT, num_heads) for W in (W_Q, W_K, W_V))
    return attention.merge_heads(attention.scaled_dot_product_attention(q, k, v)[0]) @ W_O.mT


def _matrices(g, batch, n, d_model, num_heads, **kwargs):
    matrices = (randn(g, d_model, d_model, **kwargs) / d_model**0.5 * 1.5 for _ in range(4))
    return randn(g, batch, n, d_model, **kwargs), *matrices, num_heads


repaired = Code(
    "03.repaired",
    title="Words that never meet",
    points=3,
    minutes=15,
    difficulty=3,
    reference=_multi_head,
    buggy=buggy.repaired,
    unchanged="Nothing has changed yet: in each word, its heads look at each other. Print the shape of the scores.",
    axes=["batch n d_model"],
    forbidden=("multi_head_attention", "multiheadattention"),
    cases=[
        Case("two sentences", lambda g: _matrices(g, 2, 5, 8, 2)),
        Case("as many words as heads", lambda g: _matrices(g, 2, 4, 12, 4)),
        Case("one sentence", lambda g: _matrices(g, 1, 6, 6, 3)),
        Case("any sizes", lambda g: _matrices(g, integer(g, 2, 3), integer(g, 6, 9), 20, 5)),
        Case("double precision", lambda g: _matrices(g, 2, 3, 16, 4, dtype=torch.float64)),
    ],
    hints=[
        "Print the shape of the scores. Between what and what are they?",
        "Queries are (batch, n, head, d_k): the product joins the last two axes, so heads meet heads. Which axes must change places?",
        "Swap them back before the heads are joined. And look at W_O: x @ W.mT is what nn.Linear does.",
    ],
)


def words_last(x):
    """From (batch, n, head, d_k) to (batch, head, n, d_k)."""
    return x.transpose(1, 2)


def straight_to_shape(x):
    """The shape of `words_last`, but the numbers in their old order."""
    batch, n, num_heads, d_k = x.shape
    return x.reshape(batch, num_heads, n, d_k)


def side_by_side(heads, shape):
    return attention.merge_heads(heads)


def straight_back(heads, shape):
    return heads.reshape(shape)


def root_of_d_k(q, d_model):
    return q.shape[-1] ** 0.5


def root_of_d_model(q, d_model):
    return d_model**0.5


@repaired.variants
def steps(
    x,
    W_Q,
    W_K,
    W_V,
    W_O,
    num_heads,
    *,
    projected=transposed,
    cut=lambda x, num_heads: x.unflatten(-1, (num_heads, -1)),
    swap=words_last,
    scale=root_of_d_k,
    weights=softmax_over_keys,
    mixed=torch.matmul,
    join=side_by_side,
    last=transposed,
):
    q, k, v = (swap(cut(x @ projected(W), num_heads)) for W in (W_Q, W_K, W_V))
    heads = mixed(weights(q @ k.mT / scale(q, x.shape[-1])), v)
    return join(heads, x.shape) @ last(W_O)


steps.mistake(
    "One of the two bugs is left: in each word its heads look at each other; words never meet. Print the shape of the scores.",
    swap=unchanged,
    join=straight_back,
)
steps.mistake(
    "The words meet now. But the heads are joined without swapping the axes back, so the words are scrambled; and W_O is the wrong way round.",
    join=straight_back,
    last=unchanged,
)
steps.mistake("The heads are joined without swapping the axes back, so the words are scrambled.", join=straight_back)
steps.mistake("One of the two bugs is left, in the last line: nn.Linear computes x @ W.mT.", last=unchanged)
steps.mistake("The scale is √d_model; a head's keys have length d_k = d_model / num_heads.", scale=root_of_d_model)
steps.mistake(
    "The heads are interleaved when they are joined: swap the axes back to (batch, n, head, d_k), then join.",
    join=lambda heads, shape: heads.permute(0, 2, 3, 1).flatten(-2),
)
steps.mistake(
    "You reshape straight to (batch, head, n, d_k), which cuts sentences apart. Keep the reshape as it was, then transpose(1, 2).",
    swap=straight_to_shape,
)
steps.mistake(
    "You reshape straight to (batch, head, n, d_k) and straight back: both scramble the words. Keep the reshape as it was, and swap axes 1 and 2.",
    swap=straight_to_shape,
    join=straight_back,
)
steps.mistake(
    "The words meet, and each keeps its place. But the scale has become √d_model; and in the last line W_O is the wrong way round.",
    scale=root_of_d_model,
    last=unchanged,
)
steps.mistake(
    "Reshaping straight to (batch, head, n, d_k) cuts the words apart: cut as before, then swap two axes. And in the last line W_O is the wrong way round.",
    swap=straight_to_shape,
    last=unchanged,
)
steps.mistake("The scale has gone. It was right: divide the scores by √d_k.", scale=lambda q, d_model: 1.0)
steps.mistake("You divide by d_k. The scale was right: divide by its root.", scale=lambda q, d_model: q.shape[-1])
steps.mistake(
    "The softmax runs over the queries now. It was right: over the keys, dim=-1.", weights=lambda s: s.softmax(-2)
)
steps.mistake(
    "The softmax runs over the heads now. It was right: over the keys, dim=-1.", weights=lambda s: s.softmax(1)
)
steps.mistake("The softmax has gone: the weights are raw scores.", weights=unchanged)
steps.mistake(
    "The first three matrices aren't turned any more. They were right: x @ W.mT is what nn.Linear does.",
    projected=unchanged,
)
steps.mistake(
    "There are no heads any more: this is one attention over all d_model numbers. Keep the cut into heads, and swap axes 1 and 2 after it.",
    cut=unchanged,
    swap=unchanged,
    join=unchanged,
)
steps.mistake(
    "You swap heads and numbers, so now numbers look at numbers; words still never meet. Words should come last but one: swap axes 1 and 2.",
    swap=lambda x: x.transpose(2, 3),
    join=lambda heads, shape: heads.transpose(2, 3).reshape(shape),
)
steps.mistake(
    "You swap words and numbers, axes 1 and 3, so numbers look at each other. Words should come last but one: swap axes 1 and 2.",
    swap=lambda x: x.transpose(1, 3),
    join=lambda heads, shape: heads.transpose(1, 3).reshape(shape),
)
steps.mistake(
    "You swap axes 2 and 3 before the heads are joined, words and numbers. Undo the swap that was made: axes 1 and 2.",
    join=lambda heads, shape: heads.transpose(2, 3).reshape(shape),
)
steps.mistake(
    "The numbers are dealt out to the heads like cards. The cut was right: (num_heads, d_k), in this order.",
    cut=lambda x, num_heads: x.unflatten(-1, (-1, num_heads)).mT,
)
steps.mistake(
    "You scale by the number of heads. The scale was right: the root of a head's d_k.",
    scale=lambda q, d_model: q.shape[-3] ** 0.5,
)
steps.mistake(
    "You scale by the number of words. The scale was right: the root of a head's d_k.",
    scale=lambda q, d_model: q.shape[-2] ** 0.5,
)
steps.mistake(
    "Words and numbers are swapped, axes 2 and 3, so numbers look at numbers; words still never meet. Swap axes 1 and 2, before and after.",
    swap=lambda x: x.transpose(2, 3),
    join=straight_back,
)
steps.mistake(
    "The weights are transposed before they meet the values. That was right: a row of weights belongs to a query, weights @ values.",
    mixed=lambda w, v: w.mT @ v,
)
other_weights(steps, "twice sigmoid negative")
steps.mistake(
    "W_O has gone: the heads lie side by side, and nothing mixes them. Its line only lacked a transpose: @ W_O.mT.",
    last=lambda W: torch.eye(len(W), dtype=W.dtype),
)
steps.mistake(
    "num_heads is how many heads there are; you made it the length of a head. The cut was right: (num_heads, -1).",
    cut=lambda x, num_heads: x.unflatten(-1, (-1, num_heads)),
)
steps.mistake(
    "The heads are joined in reverse order. Head 0's numbers come first.",
    join=lambda heads, shape: attention.merge_heads(heads.flip(1)),
)
for _name, _together in {"averaged": torch.mean, "added up": torch.sum}.items():
    steps.mistake(
        f"The heads are {_name}, and the result is repeated to d_model. Lay them side by side, as it was.",
        join=lambda heads, shape, f=_together: f(heads, 1).repeat(1, 1, heads.shape[1]),
    )


for _then, _join in {
    "before, and back after": lambda heads, shape: heads.permute(0, 3, 1, 2).reshape(shape),
    "before, as you do after": lambda heads, shape: heads.transpose(1, 2).reshape(shape),
    "before, and back again after": straight_back,
}.items():
    steps.mistake(
        f"Numbers look at numbers: you swapped the last two axes as well, (batch, head, d_k, n). Swap axes 1 and 2 alone {_then}.",
        swap=lambda x: x.permute(0, 2, 3, 1),
        join=_join,
    )
steps.mistake(
    "Sentences have changed places with heads, axes 0 and 2, so words of different sentences meet. Swap axes 1 and 2, words and heads.",
    swap=lambda x: x.transpose(0, 2),
    join=lambda heads, shape: heads.transpose(0, 2).reshape(shape),
)


@repaired.mistake("The values aren't projected any more. That line was right: they go through W_V.")
def values_not_projected(x, W_Q, W_K, W_V, W_O, num_heads):
    return _multi_head(x, W_Q, W_K, torch.eye(x.shape[-1], dtype=x.dtype), W_O, num_heads)
