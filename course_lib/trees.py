"""Trees over the words of a sentence: who hangs on whom, and how far it is from word to word along the edges.

    parents    [0, 3, 1, 0]      place 0 is ROOT and its own parent; word 1 hangs on 3, word 2 on 1, word 3 on ROOT
    depth       0  2  3  1       edges up to ROOT
    from 2 to 3                  2 up, 0 down; in a sentence the same two words are neighbours

The papers say head for the parent, dependent for the child, arc for the edge. Padding behind a sentence has parent 0,
as if it hung on ROOT; nobody asks for it. Shapes may have any axes in front.
"""

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Int
from torch import Tensor

from course_lib.errors import CourseError
from course_lib.support.messages import described, whole_number

Parents = Int[Tensor, "*axes n"]


def ancestors(parents: Parents) -> Bool[Tensor, "*axes n n"]:
    """(i, a) → whether a is i itself, its parent, its parent's parent … up to ROOT.

    Raises CourseError where the edges go in a circle, and never reach ROOT.
    """
    found = _upwards(parents)
    if not found[..., 0].all():
        lost = sorted(set((~found[..., 0]).nonzero()[:, -1].tolist()))
        raise CourseError(
            f"In a tree every word reaches ROOT, place 0, from parent to parent, but from {lost} the edges go in a "
            "circle. `is_tree(parents)` says which sentences are trees."
        )
    return found


def is_tree(parents: Parents) -> Bool[Tensor, "*axes"]:
    """Whether every word reaches ROOT. Arcs that a model drew for each word by itself need not."""
    return _upwards(parents)[..., 0].all(dim=-1)


def tree_depths(parents: Parents) -> Int[Tensor, "*axes n"]:
    """How many edges up to ROOT: 0 for ROOT itself."""
    return ancestors(parents).sum(dim=-1) - 1


def tree_steps(parents: Parents) -> Int[Tensor, "*axes n n 2"]:
    """(i, j) → how many edges up from i, and then down to j. Where they meet is the nearest common ancestor.

    The common ancestors of i and j are those of the nearest one, itself among them. So what i has beyond these lies on
    the way up, and what j has beyond these on the way down.

    >>> tree_steps(torch.tensor([0, 3, 1, 0]))[2, 3].tolist()
    [2, 0]
    """
    found = ancestors(parents).float()  # whole numbers far below 2²⁴ are exact, and floats multiply fast
    common = found @ found.mT  # (*axes, n, n)
    own = found.sum(dim=-1)
    return torch.stack([own[..., :, None] - common, own[..., None, :] - common], dim=-1).long()


def tree_distances(parents: Parents) -> Int[Tensor, "*axes n n"]:
    """(i, j) → how many edges lie between them, up and down together."""
    return tree_steps(parents).sum(dim=-1)


def step_labels(steps: Int[Tensor, "*axes n n 2"], most: int) -> Int[Tensor, "*axes n n"]:
    """A label for each pair (up, down), each clipped to `most`: up · (most + 1) + down, so (most + 1)² labels.

    What Shaw's distances are for the sequence, from −most to +most, these are for the tree.
    """
    up, down = steps.clamp(max=whole_number("most", most)).unbind(-1)
    return up * (most + 1) + down


def edge_labels(parents: Parents, labels: Parents, num_labels: int) -> Int[Tensor, "*axes n n"]:
    """The graph as a label for each pair (query, key), of which there are 2 · num_labels + 1:

        0                      no edge between them
        1 + l                  the key is my parent, by an edge with label l
        1 + num_labels + l     the key is my child, by an edge with label l

    `labels` has the label of each word's edge to its parent; ROOT has no edge, its label isn't read. The arcs need not
    be a tree. Where two words are each other's parents, each sees the other as its parent.
    """
    _check(parents)
    if labels.shape != parents.shape or (labels.numel() and not 0 <= labels.min() <= labels.max() < num_labels):
        raise CourseError(
            f"labels should be whole numbers from 0 to {num_labels - 1}, one for each of the parents "
            f"{tuple(parents.shape)}; got {described(labels)}."
        )
    above = F.one_hot(parents, parents.shape[-1]) * (1 + labels)[..., None]  # (*axes, child, parent)
    above[..., 0, :] = 0
    below = torch.where(above > 0, above + num_labels, 0).mT
    return torch.where(above > 0, above, below)


def chain(n: int) -> Int[Tensor, "{n}"]:
    """The sequence as a tree: each place hangs on the one before it."""
    return (torch.arange(whole_number("n", n, low=1)) - 1).clamp(min=0)


def with_wrong_arcs(
    parents: Int[Tensor, "n"], share: float, generator: torch.Generator | None = None
) -> Int[Tensor, "n"]:
    """The tree of one sentence in which this share of the words got another parent, at random, so that it is a tree.

    A share of a word is one with that probability: .1 of 4 words is one in 4 of 10 sentences. All such trees are
    equally likely. A word that everybody else hangs on can't be moved alone, so its arc is wrong less often.
    """
    if not 0 <= share <= 1:
        raise CourseError(f"share should be a share of the words, from 0 to 1; got {share!r}.")
    n, tries = len(parents), 64
    wrong = int(share * (n - 1) + torch.rand((), generator=generator))
    for _ in range(100):  # draw until it is a tree; one draw in four is, in a sentence of ten words
        words = 1 + torch.rand(tries, n - 1, generator=generator).argsort(dim=-1)[:, :wrong]
        others = torch.rand(tries, wrong, n, generator=generator)
        others.scatter_(-1, words[..., None], -1).scatter_(-1, parents[words][..., None], -1)
        drawn = parents.repeat(tries, 1).scatter_(-1, words, others.argmax(dim=-1))
        fits = is_tree(drawn) & ((drawn != parents).sum(dim=-1) == wrong)
        if fits.any():
            return drawn[fits][0]
    raise CourseError(
        f"There is no tree in which {wrong} of these {n - 1} words have another parent. Take a smaller share."
    )


def _upwards(parents: Parents) -> Bool[Tensor, "*axes n n"]:
    """(i, a) → whether a can be reached from i by going up, 0 steps or more."""
    _check(parents)
    n = parents.shape[-1]
    found = (F.one_hot(parents, n) + torch.eye(n, dtype=torch.int64)).clamp(max=1).float()  # 0 steps or 1
    for _ in range(n.bit_length()):  # 2 steps, 4, 8 …
        found = (found @ found).clamp(max=1)
    return found > 0


def _check(parents: Tensor) -> None:
    n = parents.shape[-1] if parents.dim() else 0
    if n == 0 or parents.is_floating_point() or parents.min() < 0 or parents.max() >= n or (parents[..., 0] != 0).any():
        raise CourseError(
            "parents should be whole numbers, for each place the place of its parent, and begin with 0 for ROOT, which "
            f"is its own; got {described(parents)}" + (f": {parents.tolist()}." if parents.numel() < 30 else ".")
        )
