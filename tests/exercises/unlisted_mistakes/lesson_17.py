"""Unlisted wrong answers to lesson 17, trees and graphs."""

import torch

from unlisted_mistakes import wrong

# --- 17.tree_steps ----------------------------------------------------------------------------------------------------

K = "17.tree_steps"


def way(parents, i):
    found = [int(i)]
    while found[-1]:
        found.append(int(parents[found[-1]]))
    return found


def table(parents, pair):
    n = len(parents)
    ways = [way(parents, i) for i in range(n)]
    return torch.tensor([[pair(ways[i], ways[j]) for j in range(n)] for i in range(n)])


def meet(a, b):
    return next(place for place in a if place in b)


@wrong(K, "Stopped after")
def never_stops_at_root(parents):
    ways = []
    for i in range(len(parents)):
        up = [i]
        while True:
            up = [*up, int(parents[up[-1]])][-30:]  # no student's list: ours needn't fill the memory
            if up[-1] == -1:
                break
        ways.append(up)
    return table(parents, lambda a, b: (a.index(meet(a, b)), b.index(meet(a, b))))


@wrong(K, "stopped")
def never_stops_recursively(parents):
    def depth(i):
        return 1 + depth(int(parents[i]))

    return torch.tensor([[(depth(i), depth(j)) for j in range(len(parents))] for i in range(len(parents))])


@wrong(K, "tolist")
def sets_of_tensors(parents):
    """A set asks whether two tensors are the same object, not whether they are equal."""
    n = len(parents)
    ways = []
    for i in range(n):
        here, found = torch.tensor(i), []
        while here != 0:
            found.append(here)
            here = parents[here]
        ways.append([*found, torch.tensor(0)])
    out = torch.zeros(n, n, 2, dtype=torch.long)
    for i in range(n):
        for j in range(n):
            common = set(ways[i]) & set(ways[j])
            out[i, j, 0] = len(ways[i]) - len(common)
            out[i, j, 1] = len(ways[j]) - len(common)
    return out


@wrong(K, "torch.long")
def floats(parents):
    return table(parents, lambda a, b: (a.index(meet(a, b)), b.index(meet(a, b)))).float()


@wrong(K, "torch.tensor")
def nested_lists(parents):
    return table(parents, lambda a, b: (a.index(meet(a, b)), b.index(meet(a, b)))).tolist()


@wrong(K)
def edges_of_the_whole_way_and_depth(parents):
    return table(parents, lambda a, b: (a.index(meet(a, b)) + b.index(meet(a, b)), len(a) - 1))


@wrong(K, "not always at the nearest")
def last_common_but_root(parents):
    """The farthest common ancestor below ROOT."""
    return table(
        parents,
        lambda a, b: (lambda m: (a.index(m), b.index(m)))(([place for place in a if place in b and place] or [0])[-1]),
    )


@wrong(K, "not always at the nearest")
def smallest_common_place(parents):
    """The common ancestor that stands farthest to the left, ROOT left out."""
    return table(parents, lambda a, b: (lambda m: (a.index(m), b.index(m)))(min([p for p in a if p in b and p] or [0])))


@wrong(K, "not always at the nearest")
def largest_common_place(parents):
    return table(parents, lambda a, b: (lambda m: (a.index(m), b.index(m)))(max(p for p in a if p in b)))


@wrong(K, "Only from a word to itself")
def itself_one_up(parents):
    right = table(parents, lambda a, b: (a.index(meet(a, b)), b.index(meet(a, b))))
    right[torch.arange(len(parents)), torch.arange(len(parents)), 0] = 1
    return right


@wrong(K, "right where one of the two lies above")
def up_only_where_above(parents):
    """Up where j lies above i, down where it lies below, else the sum stands in the first."""
    return table(
        parents,
        lambda a, b: (
            (a.index(b[0]), 0)
            if b[0] in a
            else (0, b.index(a[0]))
            if a[0] in b
            else (a.index(meet(a, b)) + b.index(meet(a, b)), 0)
        ),
    )


@wrong(K, "not always at the nearest")
def meets_at_the_same_step(parents):
    """Both climb in step, as if they were equally deep."""

    def pair(a, b):
        for step in range(max(len(a), len(b))):
            one, other = a[min(step, len(a) - 1)], b[min(step, len(b) - 1)]
            if one == other:
                return min(step, len(a) - 1), min(step, len(b) - 1)
        return 0, 0

    return table(parents, pair)


@wrong(K, "the way up")
def distance_clipped(parents):
    return table(parents, lambda a, b: (min(a.index(meet(a, b)), 2), min(b.index(meet(a, b)), 2)))


@wrong(K)
def children_for_parents(parents):
    """Climbs to the first child in place of the parent."""
    n = len(parents)
    child = [next((j for j in range(1, n) if parents[j] == i), 0) for i in range(n)]
    ways = []
    for i in range(n):
        found = [i]
        while found[-1] and len(found) < n:
            found.append(child[found[-1]])
        ways.append([*found, 0])
    return torch.tensor(
        [
            [(ways[i].index(meet(ways[i], ways[j])), ways[j].index(meet(ways[i], ways[j]))) for j in range(n)]
            for i in range(n)
        ]
    )


@wrong(K, "the way up")
def places_off_by_one(parents):
    """Words are counted from 1, and their parents looked up from 0."""
    n = len(parents)
    ways = []
    for i in range(n):
        found = [i]
        while found[-1] and len(found) < n + 1:
            found.append(int(parents[found[-1] - 1]))
        ways.append([*found, 0])
    return torch.tensor(
        [
            [(ways[i].index(meet(ways[i], ways[j])), ways[j].index(meet(ways[i], ways[j]))) for j in range(n)]
            for i in range(n)
        ]
    )


@wrong(K)
def three_up_at_most(parents):
    n = len(parents)
    A = torch.eye(n, dtype=torch.long)
    P = torch.nn.functional.one_hot(parents, n)
    for _ in range(3):
        A = (A + A @ P).clamp(max=1)
    common = A @ A.T
    own = A.sum(-1)
    return torch.stack((own[:, None] - common, own[None] - common), -1)


@wrong(K, "transposed")
def stacked_in_front_of_the_places(parents):
    return table(parents, lambda a, b: (a.index(meet(a, b)), b.index(meet(a, b)))).transpose(1, 2)


@wrong(K)
def common_as_union(parents):
    n = len(parents)
    A = torch.zeros(n, n, dtype=torch.long)
    for i in range(n):
        A[i, way(parents, i)] = 1
    union = ((A[:, None] + A[None]) > 0).sum(-1)
    own = A.sum(-1)
    return torch.stack((union - own[:, None], union - own[None]), -1).abs()


@wrong(K, "the way up")
def siblings_next_to_each_other(parents):
    """Sisters count as neighbours."""
    right = table(parents, lambda a, b: (a.index(meet(a, b)), b.index(meet(a, b))))
    sisters = (parents[:, None] == parents[None]) & ~torch.eye(len(parents), dtype=torch.bool)
    sisters[0] = sisters[:, 0] = False
    right[sisters] = torch.tensor([0, 1])
    return right


# --- 17.graph_scores --------------------------------------------------------------------------------------------------

K = "17.graph_scores"


def meets(query, r):
    return torch.einsum("bhid,bijd->bhij", query, r)


@wrong(K, "Row 0")
def no_edge_only(query, key, edges, table):
    """Row 0 everywhere, and the label's row besides."""
    r = table[edges] + table[0]
    return (query @ key.mT + meets(query, r)) / query.shape[-1] ** 0.5


@wrong(K, "below the diagonal")
def edges_above_the_diagonal(query, key, edges, table):
    return (query @ key.mT + meets(query, table[edges.triu()])) / query.shape[-1] ** 0.5


@wrong(K)
def edges_below_the_diagonal(query, key, edges, table):
    return (query @ key.mT + meets(query, table[edges.tril()])) / query.shape[-1] ** 0.5


@wrong(K, "row 5 of the table")
def last_row_for_no_edge(query, key, edges, table):
    return (query @ key.mT + meets(query, table[torch.where(edges == 0, -1, edges)])) / query.shape[-1] ** 0.5


@wrong(K, "both directions")
def both_directions_added(query, key, edges, table):
    return (query @ key.mT + meets(query, table[edges] + table[edges.mT])) / query.shape[-1] ** 0.5


@wrong(K)
def only_between_words_with_edges(query, key, edges, table):
    return (query @ key.mT + meets(query, table[edges])) / query.shape[-1] ** 0.5 * (edges > 0)[:, None]


@wrong(K, "twice")
def queries_scaled_twice(query, key, edges, table):
    query = query / query.shape[-1] ** 0.5
    return query @ key.mT / query.shape[-1] ** 0.5 + meets(query, table[edges])


@wrong(K)
def softmax_of_the_relative_part(query, key, edges, table):
    return (query @ key.mT + meets(query, table[edges]).softmax(-1)) / query.shape[-1] ** 0.5


@wrong(K, "axis head")
def heads_summed(query, key, edges, table):
    return ((query @ key.mT + meets(query, table[edges])) / query.shape[-1] ** 0.5).mean(1)


@wrong(K, "name")
def label_as_a_number(query, key, edges, table):
    return query @ key.mT / query.shape[-1] ** 0.5 + edges[:, None]


@wrong(K, "backwards")
def rows_from_the_end(query, key, edges, table):
    return (query @ key.mT + meets(query, table.flip(0)[edges])) / query.shape[-1] ** 0.5


@wrong(K)
def diagonal_closed(query, key, edges, table):
    scores = (query @ key.mT + meets(query, table[edges])) / query.shape[-1] ** 0.5
    return scores.masked_fill(torch.eye(query.shape[-2], dtype=torch.bool), float("-inf"))


@wrong(K, "No mask")
def causal(query, key, edges, table):
    scores = (query @ key.mT + meets(query, table[edges])) / query.shape[-1] ** 0.5
    return scores.masked_fill(torch.ones(query.shape[-2:-1] * 2, dtype=torch.bool).triu(1), float("-inf"))


@wrong(K)
def key_scaled_alone(query, key, edges, table):
    return query @ (key / query.shape[-1] ** 0.5).mT + meets(query, table[edges]) * query.shape[-1] ** 0.5


@wrong(K, "row 0 of the table")
def distance_in_place_of_label(query, key, edges, table):
    place = torch.arange(query.shape[-2])
    labels = (place[None] - place[:, None]).abs().clamp(max=len(table) - 1).expand_as(edges)
    return (query @ key.mT + meets(query, table[labels])) / query.shape[-1] ** 0.5


@wrong(K, "(j, i)")
def first_sentences_edges_turned(query, key, edges, table):
    return (query @ key.mT + meets(query, table[edges[0].T].expand(len(query), -1, -1, -1))) / query.shape[-1] ** 0.5


@wrong(K, "stopped")
def reshaped_heads(query, key, edges, table):
    r = table[edges].reshape(query.shape[0], query.shape[1], *edges.shape[1:], -1)
    return ((query[..., :, None, :] * r).sum(-1) + query @ key.mT) / query.shape[-1] ** 0.5


# --- 17.parent_probabilities ------------------------------------------------------------------------------------------

K = "17.parent_probabilities"


def scores_of(states, W_child, W_parent):
    return (states @ W_child.mT) @ (states @ W_parent.mT).mT


def closed(scores):
    return scores.masked_fill(torch.eye(scores.shape[-1], dtype=torch.bool), float("-inf"))


@wrong(K, "Turned")
def w_on_the_wrong_side(states, W_child, W_parent):
    return closed((states @ W_child) @ (states @ W_parent).mT).softmax(-1)[:, 1:]


@wrong(K, "sum to 1")
def over_both_axes(states, W_child, W_parent):
    s = closed(scores_of(states, W_child, W_parent))[:, 1:]
    return s.flatten(1).softmax(-1).view_as(s)


@wrong(K, "own parent")
def closed_only_for_root(states, W_child, W_parent):
    s = scores_of(states, W_child, W_parent)
    s[:, 0, 0] = float("-inf")
    return s.softmax(-1)[:, 1:]


@wrong(K, "closed at row")
def anti_diagonal(states, W_child, W_parent):
    s = scores_of(states, W_child, W_parent)
    return s.masked_fill(torch.eye(s.shape[-1], dtype=torch.bool).flip(0), float("-inf")).softmax(-1)[:, 1:]


@wrong(K)
def row_of_itself_closed_above(states, W_child, W_parent):
    """One off to the other side: place i + 1 of word i."""
    s = scores_of(states, W_child, W_parent)
    return s.masked_fill(torch.ones_like(s).triu(1).tril(1) > 0, float("-inf")).softmax(-1)[:, 1:]


@wrong(K, "own parents")
def small_negative_number(states, W_child, W_parent):
    s = scores_of(states, W_child, W_parent)
    return s.masked_fill(torch.eye(s.shape[-1], dtype=torch.bool), -5.0).softmax(-1)[:, 1:]


@wrong(K, "+∞")
def plus_infinity(states, W_child, W_parent):
    s = scores_of(states, W_child, W_parent)
    return s.masked_fill(torch.eye(s.shape[-1], dtype=torch.bool), float("inf")).softmax(-1)[:, 1:]


@wrong(K, "W_child")
def states_not_projected(states, W_child, W_parent):
    return closed(states @ states.mT).softmax(-1)[:, 1:]


@wrong(K)
def sum_of_scores(states, W_child, W_parent):
    """A child's number plus a parent's number: every word has the same favourite."""
    s = (states @ W_child.mT).sum(-1)[:, :, None] + (states @ W_parent.mT).sum(-1)[:, None]
    return closed(s).softmax(-1)[:, 1:]


@wrong(K)
def shares_without_exp(states, W_child, W_parent):
    s = scores_of(states, W_child, W_parent) * (1 - torch.eye(states.shape[1], dtype=states.dtype))
    return (s / s.sum(-1, keepdim=True))[:, 1:]


@wrong(K, "own row")
def softmax_then_children(states, W_child, W_parent):
    """Closed and dropped as asked, but normalised once more over the words."""
    p = closed(scores_of(states, W_child, W_parent)).softmax(-1)[:, 1:]
    return p / p.sum(1, keepdim=True)


@wrong(K, "closed")
def parent_words_only_then_padded(states, W_child, W_parent):
    """ROOT's column is put back as 0."""
    p = closed(scores_of(states, W_child, W_parent)[:, 1:, 1:]).softmax(-1).nan_to_num()
    return torch.nn.functional.pad(p, (1, 0))


@wrong(K)
def root_twice(states, W_child, W_parent):
    s = closed(scores_of(states, W_child, W_parent))
    return torch.cat([s[:, :, :1], s], -1).softmax(-1)[:, 1:, 1:]


@wrong(K, "cosine")
def cosine(states, W_child, W_parent):
    c = torch.nn.functional.normalize(states @ W_child.mT, dim=-1)
    p = torch.nn.functional.normalize(states @ W_parent.mT, dim=-1)
    return closed(c @ p.mT).softmax(-1)[:, 1:]


@wrong(K)
def batch_in_the_softmax(states, W_child, W_parent):
    return closed(scores_of(states, W_child, W_parent)).softmax(0)[:, 1:]


@wrong(K)
def one_tree_forced(states, W_child, W_parent):
    """Once a parent is chosen it is closed to the others."""
    s = closed(scores_of(states, W_child, W_parent))[:, 1:].clone()
    for i in range(1, s.shape[1]):
        best = s[:, i - 1].argmax(-1)
        s[torch.arange(len(s)), i, best] = -1e4
    return s.softmax(-1)


@wrong(K, "sigmoid")
def sigmoid_shared_out(states, W_child, W_parent):
    p = closed(scores_of(states, W_child, W_parent)).sigmoid()
    return (p / p.sum(-1, keepdim=True))[:, 1:]
