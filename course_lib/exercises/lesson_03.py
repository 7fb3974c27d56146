"""Lesson 03, Multi-head attention: several attentions side by side."""

import torch
from torch import nn

from course_lib import attention
from course_lib.checking.kinds import Case, Code, Module, Number, Prediction
from course_lib.exercises.inputs import integer, non_contiguous, randn
from course_lib.exercises.lesson_02 import FINISHED, only_the_scale_differs

NAME = "03_multi_head_attention"
TITLE = "Multi-head attention"

# --- predictions ----------------------------------------------------------------------------------------------------

cost_of_heads = Prediction(
    title="What eight heads cost",
    question="You cut d_model = 512 into 8 heads of 64 instead of using one head of 512. How many parameters does the layer have then?",
    options=["eight times as many", "twice as many", "the same number", "an eighth"],
    answer="the same number",
    why="The projections keep their size: 8 · 64 = 512 rows. Only the way the result is cut changes.",
)
one_average = Prediction(
    title="One average for two questions",
    question="Half of the weight on one word, half on another. Can a head's output be the same for two quite different pairs of words?",
    options=["never", "only if the pairs share a word", "yes, for quite different pairs"],
    answer="yes, for quite different pairs",
    why="Many pairs of vectors have the same mean, and the mean is all that is left.",
)
same_heads = Prediction(
    title="Which head follows “it”",
    question="The small trained model has several heads in each of its layers. How many of them look mainly at the noun that “it” stands for?",
    options=["all of them", "about half", "only one or two", "none"],
    answer="only one or two",
    why="One does. Two more look at a noun that stands near, right or wrong; one looks at “tired”; the rest have no clear habit.",
)

# --- 1. cut into heads ----------------------------------------------------------------------------------------------


def _split(g, batch, n, num_heads, d, **kwargs):
    return randn(g, batch, n, num_heads * d, **kwargs), num_heads


split_heads = Code(
    title="Cut into heads",
    points=2,
    minutes=8,
    difficulty=2,
    reference=attention.split_heads,
    axes=["batch head n d"],
    forbidden=("split_heads", *FINISHED),
    cases=[
        Case("two sentences, two heads", lambda g: _split(g, 2, 3, 2, 4)),
        Case("as many words as heads", lambda g: _split(g, 2, 4, 4, 3)),
        Case("one sentence", lambda g: _split(g, 1, 5, 3, 2)),
        Case("one head", lambda g: _split(g, 2, 3, 1, 4)),
        Case("one word", lambda g: _split(g, 3, 1, 2, 4)),
        Case("any sizes", lambda g: _split(g, integer(g, 2, 4), integer(g, 5, 8), integer(g, 2, 4), 5)),
        Case("double precision", lambda g: _split(g, 2, 3, 2, 2, dtype=torch.float64)),
        Case("not contiguous in memory", lambda g: (non_contiguous(_split(g, 2, 3, 2, 4)[0]), 2)),
    ],
    differentiable=True,
    hints=[
        "Two steps. First cut the last axis in two, (batch, n, head, d). Which two axes must change places then?",
        "x.reshape(batch, n, num_heads, d), then transpose(1, 2).",
    ],
)


@split_heads.mistake(
    "The shape is right, the numbers are scrambled: reshaping straight to (batch, head, n, d) cuts sentences apart. Cut the last axis first, then swap the axes."
)
def straight_to_shape(x, num_heads):
    batch, n, width = x.shape
    return x.reshape(batch, num_heads, n, width // num_heads)


@split_heads.mistake(
    "The words come before the heads: (batch, n, head, d). Swap these two axes, so that each head sees a sentence."
)
def not_swapped(x, num_heads):
    return x.unflatten(-1, (num_heads, -1))


@split_heads.mistake(
    "You deal the numbers out like cards: head 0 gets numbers 0, h, 2h … Each head should get d neighbours: cut into (num_heads, d), in this order."
)
def dealt_like_cards(x, num_heads):
    return x.unflatten(-1, (-1, num_heads)).permute(0, 3, 1, 2)


@split_heads.mistake("You swapped the last two axes as well: (batch, head, d, n). Words before numbers.")
def words_last(x, num_heads):
    return x.unflatten(-1, (num_heads, -1)).permute(0, 2, 3, 1)


@split_heads.mistake("Heads before sentences: (head, batch, n, d). The batch comes first.")
def heads_first(x, num_heads):
    return torch.stack(x.chunk(num_heads, dim=-1))


@split_heads.mistake("Every head gets the whole vector. Each should get its own d = width / num_heads numbers.")
def copies(x, num_heads):
    return x.unsqueeze(1).expand(-1, num_heads, -1, -1)


@split_heads.mistake("This works for one sentence only: the batch has been lost in the first axis.")
def batch_lost(x, num_heads):
    return x.reshape(-1, num_heads, x.shape[-1] // num_heads).transpose(0, 1).unsqueeze(0)


@split_heads.mistake("You cut the words into heads, not their numbers. The last axis is the one to cut.")
def cuts_the_words(x, num_heads):
    batch, n, width = x.shape
    return x.reshape(batch, num_heads, n // num_heads, width)


# --- 2. and together again ------------------------------------------------------------------------------------------


def _heads(g, batch, num_heads, n, d, **kwargs):
    return (randn(g, batch, num_heads, n, d, **kwargs),)


merge_heads = Code(
    title="Lay the heads side by side",
    points=2,
    minutes=6,
    difficulty=2,
    reference=attention.merge_heads,
    axes=["batch n width"],
    forbidden=("merge_heads", *FINISHED),
    cases=[
        Case("two sentences, two heads", lambda g: _heads(g, 2, 2, 3, 4)),
        Case("as many words as heads", lambda g: _heads(g, 2, 3, 3, 4)),
        Case("one sentence", lambda g: _heads(g, 1, 3, 5, 2)),
        Case("one head", lambda g: _heads(g, 2, 1, 3, 4)),
        Case("any sizes", lambda g: _heads(g, integer(g, 2, 3), integer(g, 2, 5), integer(g, 6, 8), 3)),
        Case("straight from split_heads", lambda g: (attention.split_heads(*_split(g, 2, 4, 3, 2)),)),
        Case("double precision", lambda g: _heads(g, 2, 2, 3, 2, dtype=torch.float64)),
    ],
    differentiable=True,
    hints=[
        "It is split_heads backwards. What was the last thing that it did?",
        "Swap the axes back, (batch, n, head, d); then join the last two. .reshape may copy, .view may not.",
    ],
)


@merge_heads.mistake("The shape is right, the words are scrambled: swap head and word axes first, then join.")
def straight_to_shape_again(x):
    batch, num_heads, n, d = x.shape
    return x.reshape(batch, n, num_heads * d)


@merge_heads.mistake(
    "The numbers of the heads are interleaved. Head 0's numbers come first, then head 1's: join (head, d), in this order."
)
def interleaved(x):
    return x.permute(0, 2, 3, 1).flatten(-2)


@merge_heads.mistake(
    "You add the heads up: what each of them found can't be told apart any more. Lay them side by side."
)
def summed(x):
    return x.sum(1)


@merge_heads.mistake(
    "You average the heads: what each of them found can't be told apart any more. Lay them side by side."
)
def averaged(x):
    return x.mean(1)


@merge_heads.mistake("The axes are swapped back, but head and d are still apart. Join the last two axes.")
def not_joined(x):
    return x.transpose(1, 2)


@merge_heads.mistake(
    "You laid the words of all heads one after another: (batch, head · n, d). Each word should keep its place and get all heads' numbers."
)
def words_in_a_row(x):
    return x.flatten(1, 2)


@merge_heads.mistake(
    "view can't join axes that don't lie next to each other in memory, and after a transpose they don't. Use reshape (or contiguous() first)."
)
def view_after_transpose(x):
    batch, num_heads, n, d = x.shape
    return x.transpose(1, 2).view(batch, n, num_heads * d)


# --- 3. parameters --------------------------------------------------------------------------------------------------

parameters = Number(
    title="Count the parameters",
    points=3,
    minutes=6,
    difficulty=2,
    answer={"8 heads, without bias": 1_048_576, "16 heads, without bias": 1_048_576, "8 heads, with bias": 1_050_624},
    rtol=1e-9,
    wrong={
        "8 heads, without bias": {
            786_432: "you counted W_Q, W_K and W_V. W_O is a matrix as well.",
            262_144: "that is one of the four matrices.",
            8_388_608: "a head has a (64, 512) matrix, not a (512, 512) one: the heads share the 512 rows.",
            131_072: "that is a single head's share.",
            1_050_624: "that is with bias.",
        },
        "16 heads, without bias": {
            2_097_152: "twice the heads, but each half as wide: 16 · 32 is 512 again.",
            524_288: "the matrices keep their size: 16 · 32 is 512 again.",
            786_432: "you counted W_Q, W_K and W_V. W_O is a matrix as well.",
        },
        "8 heads, with bias": {
            1_048_576: "that is without. Each of the four matrices gets 512 more numbers.",
            1_049_088: "you added one bias. Each of the four matrices has one.",
            1_050_112: "you added three biases. W_O has one as well.",
            1_064_960: "the bias belongs to a matrix's 512 rows, not to each head again.",
            787_968: "you counted three matrices. W_O is one as well.",
        },
    },
    hints=[
        "How many rows and columns does W_Q have if its 8 heads have 64 rows each?",
        "Four matrices of 512 × 512. A bias is one number for each row.",
    ],
)

# --- 4. the layer ---------------------------------------------------------------------------------------------------


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

MultiHeadAttention = Module(
    title="Multi-head attention",
    points=6,
    minutes=25,
    difficulty=3,
    parts={SELF: 4, OTHER: 2},
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


# --- 5. which head --------------------------------------------------------------------------------------------------


def _strongest_head(weights, query, key):
    num_heads = weights.shape[1]
    return divmod(weights[:, :, query, key].argmax().item(), num_heads)


def _attention(g, layers, heads, n, dtype=torch.float32):
    weights = (2 * randn(g, layers, heads, n, n, dtype=dtype)).softmax(-1)
    query = integer(g, 0, n - 1)
    key = (query + integer(g, 1, n - 1)) % n
    return weights, query, key


def _planted(g, layers, heads, n, layer, head):
    """The strongest head in a chosen place. One other layer, and one other head of every layer, are stronger on average."""
    scores = 2 * randn(g, layers, heads, n, n)
    query, key = 0, n - 1
    scores[:, :, query, key] = randn(g, layers, heads)
    scores[(layer + 1) % layers, :, query, key] += 4
    scores[:, (head + 1) % heads, query, key] += 4
    scores[layer, :, query, key] -= 4
    scores[layer, head, query, key] = 16
    return scores.softmax(-1), query, key


strongest_head = Code(
    title="Which head looks there?",
    points=2,
    minutes=10,
    difficulty=2,
    reference=_strongest_head,
    axes=["layer", "head"],
    cases=[
        Case("two layers of four heads", lambda g: _attention(g, 2, 4, 7)),
        Case("more layers than heads", lambda g: _attention(g, 6, 2, 5)),
        Case("twelve of each", lambda g: _attention(g, 12, 12, integer(g, 6, 9))),
        Case("double precision", lambda g: _attention(g, 4, 3, 9, torch.float64)),
        Case("strongest in the first layer", lambda g: _planted(g, 3, 5, integer(g, 6, 9), 0, 4)),
        Case("strongest in the last layer", lambda g: _planted(g, 5, 4, integer(g, 6, 9), 4, 0)),
        Case("strongest in the middle", lambda g: _planted(g, 3, 6, integer(g, 6, 9), 1, 3)),
        *(Case(f"another text ({i})", lambda g: _attention(g, 3, 5, integer(g, 6, 12))) for i in range(1, 4)),
    ],
    hints=[
        "weights[:, :, query, key] has one number for each layer and head. Where is the largest?",
        "argmax gives a single index, counted row by row. divmod(index, num_heads) makes two of it; .item() a Python number.",
    ],
)


@strongest_head.mistake("Head and layer have changed places: the layer comes first.")
def head_first(weights, query, key):
    return _strongest_head(weights, query, key)[::-1]


@strongest_head.mistake(
    "Query and key have changed places: you measured how much the noun looks at “it”. The third axis is the query."
)
def query_and_key_swapped(weights, query, key):
    return _strongest_head(weights, key, query)


@strongest_head.mistake("That is the head that looks there least. Take the largest weight.")
def weakest(weights, query, key):
    return divmod(weights[:, :, query, key].argmin().item(), weights.shape[1])


@strongest_head.mistake(
    "That is a single index into all heads of all layers. Make layer and head of it: divmod(index, num_heads)."
)
def flat_index(weights, query, key):
    return weights[:, :, query, key].argmax().item()


@strongest_head.mistake("You divide the index by the number of layers. Row by row means: by the number of heads.")
def divided_by_layers(weights, query, key):
    return divmod(weights[:, :, query, key].argmax().item(), weights.shape[0])


@strongest_head.mistake("Only the last layer is searched. Search all of them.")
def last_layer_only(weights, query, key):
    return len(weights) - 1, weights[-1, :, query, key].argmax().item()


@strongest_head.mistake("Only the first layer is searched. Search all of them.")
def first_layer_only(weights, query, key):
    return 0, weights[0, :, query, key].argmax().item()


@strongest_head.mistake("You look for the largest weight over all queries. Only one query is asked about.")
def over_all_queries(weights, query, key):
    return divmod(weights[..., key].amax(-1).argmax().item(), weights.shape[1])


@strongest_head.mistake("You average over the queries. Only one query is asked about.")
def mean_over_queries(weights, query, key):
    return divmod(weights[..., key].mean(-1).argmax().item(), weights.shape[1])


@strongest_head.mistake("You look for the head with the largest weight on any key. Only one key is asked about.")
def over_all_keys(weights, query, key):
    return divmod(weights[:, :, query].amax(-1).argmax().item(), weights.shape[1])


@strongest_head.mistake(
    "You find the best layer and the best head apart from each other. They belong together: one argmax over both."
)
def one_at_a_time(weights, query, key):
    here = weights[:, :, query, key]
    return here.mean(1).argmax().item(), here.mean(0).argmax().item()


@strongest_head.mistake("The numbers are right, but they are tensors. Make Python numbers of them: .item().")
def tensors(weights, query, key):
    layer, head = _strongest_head(weights, query, key)
    return torch.tensor(layer), torch.tensor(head)


# --- 6. find the bugs -----------------------------------------------------------------------------------------------


def _multi_head(x, W_Q, W_K, W_V, W_O, num_heads):
    q, k, v = (attention.split_heads(x @ W.mT, num_heads) for W in (W_Q, W_K, W_V))
    return attention.merge_heads(attention.scaled_dot_product_attention(q, k, v)[0]) @ W_O.mT


def _matrices(g, batch, n, d_model, num_heads, **kwargs):
    matrices = (randn(g, d_model, d_model, **kwargs) / d_model**0.5 * 1.5 for _ in range(4))
    return randn(g, batch, n, d_model, **kwargs), *matrices, num_heads


repaired = Code(
    title="Words that never meet",
    points=3,
    minutes=15,
    difficulty=3,
    reference=_multi_head,
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


@repaired.starts_from
def repaired_start(x, W_Q, W_K, W_V, W_O, num_heads):
    """Multi-head self-attention of x (batch, n, d_model): returns (batch, n, d_model)."""
    batch, n, d_model = x.shape
    query = (x @ W_Q.mT).reshape(batch, n, num_heads, -1)
    key = (x @ W_K.mT).reshape(batch, n, num_heads, -1)
    value = (x @ W_V.mT).reshape(batch, n, num_heads, -1)
    scores = query @ key.mT / query.shape[-1] ** 0.5
    heads = scores.softmax(dim=-1) @ value
    return heads.reshape(batch, n, d_model) @ W_O


def _repair(sentence, name, swap, join, last, scale=lambda q, d_model: q.shape[-1]):
    def multi_head(x, W_Q, W_K, W_V, W_O, num_heads):
        q, k, v = (swap((x @ W.mT).unflatten(-1, (num_heads, -1))) for W in (W_Q, W_K, W_V))
        heads = (q @ k.mT / scale(q, x.shape[-1]) ** 0.5).softmax(-1) @ v
        return join(heads, x.shape) @ last(W_O)

    multi_head.__name__ = name
    repaired.mistake(sentence)(multi_head)


def _swapped(x):
    return x.transpose(1, 2)


def _as_it_is(x):
    return x


def _turned(W):
    return W.mT


def _side_by_side(heads, shape):
    return attention.merge_heads(heads)


def _join_as_it_is(heads, shape):
    return heads.reshape(shape)


_repair(
    "Nothing has changed yet: in each word, its heads look at each other. Print the shape of the scores.",
    "unchanged",
    _as_it_is,
    _join_as_it_is,
    _as_it_is,
)
_repair(
    "One found: W_O is turned the right way now. But in each word its heads look at each other; words never meet. Print the shape of the scores.",
    "only_last",
    _as_it_is,
    _join_as_it_is,
    _turned,
)
_repair(
    "The words meet now. But the heads are joined without swapping the axes back, so the words are scrambled; and W_O is the wrong way round.",
    "only_swapped",
    _swapped,
    _join_as_it_is,
    _as_it_is,
)
_repair(
    "The words meet, and W_O is right. Still wrong: the heads are joined without swapping the axes back, so the words are scrambled.",
    "not_back",
    _swapped,
    _join_as_it_is,
    _turned,
)
_repair(
    "The words meet, and each keeps its place. One bug is left, in the last line: nn.Linear computes x @ W.mT.",
    "last_left",
    _swapped,
    _side_by_side,
    _as_it_is,
)
_repair(
    "The words meet now. But the scale is √d_model; a head's keys have length d_k = d_model / num_heads.",
    "scale",
    _swapped,
    _side_by_side,
    _turned,
    lambda q, d_model: d_model,
)
_repair(
    "The words meet, but the heads are interleaved when they are joined: swap the axes back to (batch, n, head, d_k), then join.",
    "interleaved_heads",
    _swapped,
    lambda heads, shape: heads.permute(0, 2, 3, 1).flatten(-2),
    _turned,
)
_repair(
    "You reshape straight to (batch, head, n, d_k), which cuts sentences apart. Keep the reshape as it was, then transpose(1, 2).",
    "straight",
    lambda x: x.reshape(len(x), x.shape[2], x.shape[1], -1),
    _side_by_side,
    _turned,
)
_repair(
    "You reshape straight to (batch, head, n, d_k) and straight back: both scramble the words. Keep the reshape as it was, and swap axes 1 and 2.",
    "straight_and_back",
    lambda x: x.reshape(len(x), x.shape[2], x.shape[1], -1),
    _join_as_it_is,
    _turned,
)
_repair(
    "The words meet, and each keeps its place. But the scale has become √d_model; and in the last line W_O is the wrong way round.",
    "scale_and_last",
    _swapped,
    _side_by_side,
    _as_it_is,
    lambda q, d_model: d_model,
)
_repair(
    "Reshaping straight to (batch, head, n, d_k) cuts the words apart: cut as before, then swap two axes. And in the last line W_O is the wrong way round.",
    "cut_straight_and_last",
    lambda x: x.flatten(-2).reshape(len(x), x.shape[2], x.shape[1], -1),
    _side_by_side,
    _as_it_is,
)
_repair(
    "The scale has gone. It was right: divide the scores by √d_k.",
    "no_scale",
    _swapped,
    _side_by_side,
    _turned,
    lambda q, d_model: 1.0,
)
