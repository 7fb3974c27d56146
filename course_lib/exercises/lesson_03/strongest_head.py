"""Of all heads of a model, stacked as (layer, head, query, key): the one that gives a pair the largest weight."""

import torch

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer, randn


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
    "03.strongest_head",
    title="Which head looks there?",
    points=2,
    minutes=10,
    difficulty=2,
    reference=_strongest_head,
    axes=["layer", "head"],
    results=("layer", "head"),
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


def layer_and_head(index, weights):
    """An index that counts all heads, row by row, as (layer, head)."""
    return divmod(index, weights.shape[1])


def _only(weights, head):
    """1 for one head of every layer, 0 for the others."""
    chosen = torch.zeros(weights.shape[1])
    chosen[head] = 1
    return chosen


@strongest_head.variants
def steps(weights, query, key, *, here=lambda w, q, k: w[:, :, q, k], best=torch.argmax, place=layer_and_head):
    return place(best(here(weights, query, key)).item(), weights)


steps.mistake(
    "Head and layer have changed places: the layer comes first.", place=lambda index, w: layer_and_head(index, w)[::-1]
)
steps.mistake(
    "Layers and heads are counted from 0, as Python counts: leave out the + 1.",
    place=lambda index, w: tuple(n + 1 for n in layer_and_head(index, w)),
)
steps.mistake(
    "You divide by 4. Not every model has 4 heads: ask for the number, weights.shape[1].",
    place=lambda index, w: divmod(index, 4),
)
steps.mistake(
    "You divide by 12. Not every model has 12 heads: ask for the number, weights.shape[1].",
    place=lambda index, w: divmod(index, 12),
)
steps.mistake(
    "You divide the index by the number of words. One layer has as many entries as heads: weights.shape[1].",
    place=lambda index, w: divmod(index, w.shape[-1]),
)
steps.mistake(
    "The head is a remainder and starts at 0, as Python counts: leave out the 1 that you add or take off.",
    place=lambda index, w: (index // w.shape[1], index % w.shape[1] - 1),
)
steps.mistake(
    "The head is right; the layer must be a whole number: divide with //, not with /.",
    place=lambda index, w: (index / w.shape[1], index % w.shape[1]),
)
steps.mistake(
    "That is one tensor with both numbers. Return two Python numbers: layer, head.",
    place=lambda index, w: torch.tensor(layer_and_head(index, w)),
)
steps.mistake(
    "You search all weights of all words. Only one pair is asked about: weights[:, :, query, key] first, then argmax.",
    here=lambda w, q, k: w,
)
steps.mistake(
    "That is a single index into all heads of all layers. Make layer and head of it: divmod(index, num_heads).",
    place=lambda index, w: index,
)
steps.mistake(
    "You divide the index by the number of layers. Row by row means: by the number of heads.",
    place=lambda index, w: divmod(index, w.shape[0]),
)
steps.mistake(
    "The numbers are right, but they are tensors. Make Python numbers of them: .item().",
    place=lambda index, w: tuple(map(torch.tensor, layer_and_head(index, w))),
)
steps.mistake("That is the head that looks there least. Take the largest weight.", best=torch.argmin)
steps.mistake(
    "Query and key have changed places: you measured how much the noun looks at “it”. The third axis is the query.",
    here=lambda w, q, k: w[:, :, k, q],
)
steps.mistake("Only the first layer is searched. Search all of them.", here=lambda w, q, k: w[:1, :, q, k])
steps.mistake(
    "The last layer isn't searched: range(n) ends before n by itself, so leave out the - 1.",
    here=lambda w, q, k: w[:-1, :, q, k],
)
steps.mistake(
    "The head is the remainder of the division by the number of heads; you took the number of layers.",
    place=lambda index, w: (index // w.shape[1], index % w.shape[0]),
)
steps.mistake(
    "You look for the largest weight over all queries. Only one query is asked about.",
    here=lambda w, q, k: w[..., k].amax(-1),
)
steps.mistake("You average over the queries. Only one query is asked about.", here=lambda w, q, k: w[..., k].mean(-1))
steps.mistake(
    "You look for the head with the largest weight on any key. Only one key is asked about.",
    here=lambda w, q, k: w[:, :, q].amax(-1),
)
steps.mistake(
    "You look how much the word looks at itself. Between which two words do you measure?",
    here=lambda w, q, k: w[:, :, q, q],
)
steps.mistake(
    "You look for the largest weight of all, whoever looks at whom. Only one pair is asked about: weights[:, :, query, key].",
    here=lambda w, q, k: w.flatten(2).amax(-1),
)
steps.mistake(
    "Only the first head of each layer is searched. Search all of them.",
    here=lambda w, q, k: w[:, :, q, k] * _only(w, 0),
)
steps.mistake(
    "Only the last head of each layer is searched. Search all of them.",
    here=lambda w, q, k: w[:, :, q, k] * _only(w, -1),
)
steps.mistake(
    "You look one place too early, for query and for key. Words are counted from 0, as Python counts: weights[:, :, query, key].",
    here=lambda w, q, k: w[:, :, q - 1, k - 1],
)
steps.mistake(
    "You add both directions, query to key and key to query. Asked for is how much `query` looks at `key`: weights[:, :, query, key].",
    here=lambda w, q, k: w[:, :, q, k] + w[:, :, k, q],
)
steps.mistake(
    "You divide by all the weight that the key gets from any word. The weight itself is asked about: weights[:, :, query, key].",
    here=lambda w, q, k: w[:, :, q, k] / w[..., k].sum(-1),
)
steps.mistake(
    "That is the second largest. topk and sort begin with the largest, at 0.",
    best=lambda here: here.flatten().topk(2).indices[1],
)
steps.mistake(
    "Only the layer comes back. The head is asked for as well: layer, head.", place=lambda index, w: index // w.shape[1]
)
steps.mistake(
    "Only the head comes back. The layer is asked for as well: layer, head.", place=lambda index, w: index % w.shape[1]
)


@strongest_head.mistake(
    "You take the first head whose best key is this one. Several may have it for their best: take the largest weight."
)
def first_whose_best_it_is(weights, query, key):
    here = weights[:, :, query]
    return divmod((here.argmax(-1) == key).flatten().int().argmax().item(), weights.shape[1])


@strongest_head.mistake(
    "You take the first head with more than half of its weight there. There may be none, or several: take the largest weight."
)
def first_over_a_half(weights, query, key):
    return divmod((weights[:, :, query, key] > 0.5).flatten().int().argmax().item(), weights.shape[1])


@strongest_head.mistake(
    "Always the last layer and the last head: what a loop's variables hold at its end, or an `if` that is always true. Where the "
    "weight beats the best so far, keep three things: the weight, its layer and its head."
)
def where_the_loop_ends(weights, query, key):
    return weights.shape[0] - 1, weights.shape[1] - 1


@strongest_head.mistake("That is the weight itself. Asked for is where it stands: which layer, and which head.")
def the_weight(weights, query, key):
    return weights[:, :, query, key].max().item()


BOTH = "They belong together: one argmax over layers and heads."


@strongest_head.mistake("You take the best head of the first layer, and look for a layer with that. " + BOTH)
def head_of_the_first_layer(weights, query, key):
    here = weights[:, :, query, key]
    head = here[0].argmax().item()
    return here[:, head].argmax().item(), head


@strongest_head.mistake("You take the layer where the first head is best, and look for a head in that. " + BOTH)
def layer_of_the_first_head(weights, query, key):
    here = weights[:, :, query, key]
    layer = here[:, 0].argmax().item()
    return layer, here[layer].argmax().item()


@strongest_head.mistake("You take the best layer on average, and look for a head in that. " + BOTH)
def best_layer_on_average(weights, query, key):
    here = weights[:, :, query, key]
    layer = here.mean(1).argmax().item()
    return layer, here[layer].argmax().item()


@strongest_head.mistake("You take the best head on average, and look for a layer with that. " + BOTH)
def best_head_on_average(weights, query, key):
    here = weights[:, :, query, key]
    head = here.mean(0).argmax().item()
    return here[:, head].argmax().item(), head


@strongest_head.mistake(
    "weights[query, key] takes a layer and a head by the numbers of words. The axes are (layer, head, query, key): weights[:, :, query, key]."
)
def first_two_axes(weights, query, key):
    return divmod(weights[query, key].argmax().item(), weights.shape[1])


@strongest_head.mistake(
    "You search the layers for each head, and the heads for each layer: many answers. One argmax over both gives one, as an index."
)
def many_answers(weights, query, key):
    here = weights[:, :, query, key]
    return here.argmax(0), here.argmax(1)


@strongest_head.mistake("Only the last layer is searched. Search all of them.")
def last_layer_only(weights, query, key):
    return len(weights) - 1, weights[-1, :, query, key].argmax().item()


@strongest_head.mistake(
    "You find the best layer and the best head apart from each other. They belong together: one argmax over both."
)
def one_at_a_time(weights, query, key):
    here = weights[:, :, query, key]
    return here.mean(1).argmax().item(), here.mean(0).argmax().item()
