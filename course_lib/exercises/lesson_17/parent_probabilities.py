"""For each word the probability of every place to be its parent: attention whose weights are the answer."""

import torch

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.common import FINISHED_ATTENTION, all_on_the_best, other_weights, rows_sum_to_one, unchanged
from course_lib.exercises.inputs import integer, non_contiguous, randn


def own_place_closed(scores):
    """−∞ where a place would be its own parent."""
    return scores.masked_fill(torch.eye(scores.shape[-1], dtype=torch.bool), float("-inf"))


def _parent_probabilities(states, W_child, W_parent):
    scores = (states @ W_child.mT) @ (states @ W_parent.mT).mT  # (batch, child, parent)
    return own_place_closed(scores).softmax(dim=-1)[:, 1:]


def _given(g, batch, n, d, d_edge, **kwargs):
    return (
        randn(g, batch, n, d, **kwargs),
        randn(g, d_edge, d, size=0.7, **kwargs),
        randn(g, d_edge, d, size=0.7, **kwargs),
    )


parent_probabilities = Code(
    "17.parent_probabilities",
    title="Who is whose parent?",
    points=4,
    minutes=15,
    difficulty=3,
    reference=_parent_probabilities,
    axes=["batch word place"],
    forbidden=("edgescorer", *FINISHED_ATTENTION),
    cases=[
        Case("two sentences of four words", lambda g: _given(g, 2, 5, 4, 3)),
        Case("as many numbers for edges as for states", lambda g: _given(g, 2, 4, 3, 3)),
        Case("one sentence", lambda g: _given(g, 1, 6, 4, 2)),
        Case("two words", lambda g: _given(g, 2, 3, 4, 3)),
        Case("one word: ROOT is its parent", lambda g: _given(g, 3, 2, 4, 3)),
        Case("more numbers for edges than for states", lambda g: _given(g, 2, 5, 2, 6)),
        Case("any sizes", lambda g: _given(g, integer(g, 1, 4), integer(g, 7, 12), 6, integer(g, 2, 5))),
        Case("double precision", lambda g: _given(g, 2, 5, 4, 3, dtype=torch.float64)),
        Case("not contiguous in memory", lambda g: tuple(map(non_contiguous, _given(g, 2, 5, 4, 3)))),
    ],
    differentiable=True,
    hints=[
        "Two projections, as of queries and keys: of each state what it is as a child, states @ W_child.mT, and what it is as a parent.",
        "All children against all parents is (batch, n, n). Close the diagonal while the table is square: masked_fill(torch.eye(n, dtype=torch.bool), float('-inf')).",
        "softmax over the parents, dim=-1: each word has one. Then leave out the row of ROOT, [:, 1:], but not its column.",
    ],
)


def over_parents(scores):
    return scores.softmax(-1)


def words_alone(table):
    return table[:, 1:]


@parent_probabilities.variants
def steps(
    states,
    W_child,
    W_parent,
    *,
    child=lambda states, W_child, W_parent: states @ W_child.mT,
    parent=lambda states, W_child, W_parent: states @ W_parent.mT,
    match=lambda child, parent: child @ parent.mT,
    scale=lambda scores, d, d_edge: scores,
    before=lambda scores: scores,
    close=own_place_closed,
    weights=over_parents,
    after=lambda table: table,
    rows=words_alone,
):
    scores = match(child(states, W_child, W_parent), parent(states, W_child, W_parent))
    scores = scale(scores, states.shape[-1], len(W_child))
    return rows(after(weights(close(before(scores)))))


def zero_on_the_diagonal(table):
    return table.masked_fill(torch.eye(table.shape[-1], dtype=torch.bool), 0.0)


def shifted_diagonal_closed(scores):
    """ROOT's row is gone, and then the diagonal of what is left is closed: place i − 1 of word i."""
    scores = scores[:, 1:]
    return scores.masked_fill(torch.eye(*scores.shape[1:], dtype=torch.bool), float("-inf"))


def without_state_of_root(states):
    return torch.cat([0 * states[:, :1], states[:, 1:]], dim=1)


steps.mistake(
    "Your softmax goes over the children. Each word has one parent: for each word the probabilities of all places sum to 1, dim=-1.",
    weights=lambda scores: scores.softmax(-2),
)
steps.mistake(
    "Your softmax goes over the children, ROOT not among them. Each word has one parent: for each word the probabilities of all places sum to 1, dim=-1.",
    before=lambda scores: own_place_closed(scores)[:, 1:],
    close=unchanged,
    weights=lambda scores: scores.softmax(-2),
    rows=unchanged,
)
steps.mistake("A word can be its own parent with you. Close the diagonal: −∞ before the softmax.", close=unchanged)
steps.mistake(
    "You close the diagonal after ROOT's row is gone. Then it is one off: word 1 stands in row 0 there, and ROOT is closed to it. Close it while the table is square, or from torch.eye(n)[1:].",
    close=shifted_diagonal_closed,
    rows=unchanged,
)
steps.mistake(
    "ROOT's column is gone. One word needs no other: it hangs on ROOT, so a column for each place stays.",
    rows=lambda table: table[:, 1:, 1:],
)
steps.mistake(
    "ROOT's column is gone before the softmax. One word needs no other: it hangs on ROOT, so a column for each place stays.",
    after=lambda table: table[:, :, 1:] / table[:, :, 1:].sum(-1, keepdim=True),
)
steps.mistake(
    "ROOT can't be a parent with you. One word needs no other: it hangs on ROOT, so that column stays open.",
    before=lambda scores: torch.cat([scores[..., :1] * 0 - 1e9, scores[..., 1:]], dim=-1),
)
steps.mistake(
    "You close ROOT's column with −∞. One word needs no other: it hangs on ROOT, so that column stays open.",
    close=lambda scores: own_place_closed(scores).index_fill(-1, torch.tensor([0]), float("-inf")),
)
steps.mistake("ROOT has a row. ROOT has no parent: leave out its row, [:, 1:].", rows=unchanged)
steps.mistake("You leave out the last word's row. ROOT's is the first: [:, 1:].", rows=lambda table: table[:, :-1])
steps.mistake(
    "You leave out the column of ROOT, and keep its row. It is the other way round: ROOT has no parent, but is one. [:, 1:] cuts rows.",
    rows=lambda table: table[:, :, 1:],
)
steps.mistake(
    "Child and parent have changed places. The row is the child, by W_child; the column its parent, by W_parent.",
    match=lambda child, parent: parent @ child.mT,
)
steps.mistake(
    "You close the diagonal after the softmax, so the rows sum to less than 1. Before it, with −∞, the others share what is left.",
    close=unchanged,
    after=zero_on_the_diagonal,
)
steps.mistake(
    "You put 0 on the diagonal before the softmax, and e⁰ is 1: the word is still among its parents. −∞ becomes 0.",
    close=zero_on_the_diagonal,
)
steps.mistake(
    "You put −1 on the diagonal. That is a score like others: −∞ becomes a probability of 0.",
    close=lambda scores: scores.masked_fill(torch.eye(scores.shape[-1], dtype=torch.bool), -1.0),
)
steps.mistake(
    "You use W_child for both. The same word is one thing as a child and another as a parent: W_parent for the columns.",
    parent=lambda states, W_child, W_parent: states @ W_child.mT,
)
steps.mistake(
    "You use W_parent for both. The same word is one thing as a child and another as a parent: W_child for the rows.",
    child=lambda states, W_child, W_parent: states @ W_parent.mT,
)
steps.mistake(
    "The states are compared as they are. A word is one thing as a child and another as a parent: states @ W_child.mT, and states @ W_parent.mT.",
    child=lambda states, W_child, W_parent: states,
    parent=lambda states, W_child, W_parent: states,
)
steps.mistake(
    "The parents aren't projected, so they have other numbers than the children: states @ W_parent.mT.",
    parent=lambda states, W_child, W_parent: states,
)
steps.mistake(
    "The children aren't projected, so they have other numbers than the parents: states @ W_child.mT.",
    child=lambda states, W_child, W_parent: states,
)
steps.mistake(
    "It is right until you divide by the sums over the words. Each word has one parent: its own row sums to 1, nothing else.",
    after=lambda table: table / table[:, 1:].sum(1, keepdim=True),
)
steps.mistake(
    "You divide by √d, as in attention. Here the scores are the plain products.",
    scale=lambda scores, d, d_edge: scores / d**0.5,
)
steps.mistake(
    "You divide by √d_edge, as in attention. Here the scores are the plain products.",
    scale=lambda scores, d, d_edge: scores / d_edge**0.5,
)
steps.mistake(
    "Only places further right can be parents with you. A parent stands on either side: close nothing but the diagonal.",
    close=lambda scores: scores.masked_fill(
        torch.ones(scores.shape[-2:], dtype=torch.bool).tril() & (torch.arange(scores.shape[-1]) > 0), float("-inf")
    ),
)
steps.mistake(
    "Only places further left can be parents with you. A parent stands on either side: close nothing but the diagonal.",
    close=lambda scores: scores.masked_fill(~torch.ones(scores.shape[-2:], dtype=torch.bool).tril(-1), float("-inf")),
)
steps.mistake(
    "Only places further left, or the word itself, can be parents with you. A parent stands on either side: close the diagonal, and nothing else.",
    close=lambda scores: scores.masked_fill(~torch.ones(scores.shape[-2:], dtype=torch.bool).tril(), float("-inf")),
)
steps.mistake(
    "You close everything but the diagonal: masked_fill closes where the mask is True. torch.eye is True on the diagonal, use it as it is.",
    close=lambda scores: scores.masked_fill(~torch.eye(scores.shape[-1], dtype=torch.bool), float("-inf")),
)
steps.mistake(
    "The projections go through a ReLU. Dozat and Manning have such small networks; the formula asked for has the two matrices alone.",
    match=lambda child, parent: child.relu() @ parent.relu().mT,
)
steps.mistake(
    "The best place comes back, not its probability. Probabilities of all places are asked for: no argmax.",
    rows=lambda table: table.argmax(-1)[:, 1:],
)
steps.mistake(
    "[1:] cuts the first axis, and that is the sentences'. Words are the second: [:, 1:].", rows=lambda table: table[1:]
)
steps.mistake(
    "fill_diagonal_ is for one square table, not for a batch of them. masked_fill with torch.eye(n, dtype=torch.bool) closes the diagonal of each.",
    close=lambda scores: scores.fill_diagonal_(float("-inf")),
)
steps.mistake("These are scores still. Probabilities are asked for: softmax over the places.", weights=unchanged)
steps.mistake(
    "These are scores still, and the diagonal is open. Close it with −∞, and take the softmax over the places.",
    weights=unchanged,
    close=unchanged,
)
steps.mistake("The best parent gets 1 and the others 0. Probabilities are asked for: softmax.", weights=all_on_the_best)
steps.mistake(
    "The signs are turned round: what fits least gets the most weight. The softmax takes the scores as they are.",
    before=lambda scores: -scores,
)
steps.mistake(
    "An infinity is in the wrong place, and the softmax becomes NaN. +∞ on the diagonal does that; so does torch.eye(n) * inf, since 0 · ∞ is NaN, too. masked_fill puts −∞ on the diagonal, and nothing elsewhere.",
    close=lambda scores: scores.masked_fill(torch.eye(scores.shape[-1], dtype=torch.bool), float("inf")),
)
steps.mistake(
    "ROOT's column stands at the end. The columns are the places in their order, and ROOT is place 0: the first.",
    after=lambda table: table.roll(-1, -1),
)
steps.mistake(
    "Child and parent go through a softmax each, before they meet. One softmax, at the end, over the scores of all places.",
    match=lambda child, parent: child.softmax(-1) @ parent.softmax(-1).mT,
)
steps.mistake(
    "Your scores are the same in both directions, the mean of (i, j) and (j, i). That i is j's child isn't that j is i's: the row asks by W_child, the column answers by W_parent.",
    before=lambda scores: (scores + scores.mT) / 2,
)
steps.mistake(
    "Your scores are the same in both directions, the sum of (i, j) and (j, i). That i is j's child isn't that j is i's: the row asks by W_child, the column answers by W_parent.",
    before=lambda scores: scores + scores.mT,
)
steps.mistake(
    "Your softmax goes over the sentences of the batch. For each word the probabilities of all places sum to 1, dim=-1.",
    weights=lambda scores: scores.softmax(0),
)
steps.mistake(
    "ROOT's state is set to 0, so its score is 0 for every word. ROOT offers itself as a parent like all others; leave out its row, at the end.",
    parent=lambda states, W_child, W_parent: without_state_of_root(states) @ W_parent.mT,
)
steps.mistake(
    "Only the first sentence's table comes back. One for each is asked for: keep the axis of sentences, in [:, 1:] as well.",
    rows=lambda table: table[:1, 1:],
)
steps.mistake(
    "The finished table is transposed, so a row is a parent. A row is a child: leave it as it comes from the softmax.",
    after=lambda table: table.mT,
)
other_weights(steps, "twice logarithm sigmoid all")


@parent_probabilities.symptom("")
def what_the_rows_show(inputs, answer):
    """What can be read off the table: it has a row for each word and a column for each place."""
    own = answer.diagonal(offset=1, dim1=-2, dim2=-1)  # row i − 1 is word i
    if (answer < -1e-6).any() or not rows_sum_to_one(answer):
        return "For each word the probabilities of all places should be 0 or more, and sum to 1: softmax over dim=-1."
    if own.abs().max() > 1e-6:
        closed = (answer[0] == 0).nonzero().tolist()
        instead = f" Yours is closed at row {closed[0][0]}, column {closed[0][1]}." if closed else ""
        return f"Some words are their own parents. Row 0 is word 1, so its own place is column 1.{instead} Close the diagonal while ROOT's row is still there, before the softmax."
    closed = (answer == 0).sum(-1) > 1
    if answer.shape[-1] > 2 and closed.all():
        return "More than a word's own place is closed to it. Any other place may be its parent, on either side, ROOT as well."
    return False
