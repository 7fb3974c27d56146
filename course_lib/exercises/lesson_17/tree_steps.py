"""From each word to each other along the tree: how many edges up, to the nearest common ancestor, and how many down."""

import torch

from course_lib import trees
from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer
from course_lib.trees import chain


def _tree(g, n):
    """Any tree: a word may stand on either side of its parent."""
    older = [0] + [integer(g, 0, i - 1) for i in range(1, n)]
    place = [0, *(1 + torch.randperm(n - 1, generator=g)).tolist()] if n > 1 else [0]
    parents = torch.zeros(n, dtype=torch.long)
    for i in range(1, n):
        parents[place[i]] = place[older[i]]
    return parents


def _sentence(g, n):
    """One word hangs on ROOT, all others below it, as a grammar has it."""
    below = _tree(g, n - 1)  # its ROOT becomes the word that hangs on ROOT
    place = 1 + torch.randperm(n - 1, generator=g)
    parents = torch.zeros(n, dtype=torch.long)
    parents[place[1:]] = place[below[1:]]
    return parents


tree_steps = Code(
    "17.tree_steps",
    title="Up and down",
    points=4,
    minutes=15,
    difficulty=3,
    reference=trees.tree_steps,
    axes=["start end up/down"],
    forbidden=("tree_steps", "tree_distances", "ancestors", "tree_depths"),
    cases=[
        Case("a sentence of five words", lambda g: (_sentence(g, 6),)),
        Case("any tree", lambda g: (_tree(g, 7),)),
        Case("the five words of the exercise before", lambda g: (torch.tensor([0, 4, 3, 1, 0, 4]),)),
        Case("a chain: each word hangs on the one before", lambda g: (chain(5),)),
        Case("a chain the other way: each hangs on the next", lambda g: (torch.tensor([0, 2, 3, 4, 0]),)),
        Case("all words hang on ROOT", lambda g: (torch.zeros(5, dtype=torch.long),)),
        Case("all words hang on one", lambda g: (torch.tensor([0, 3, 3, 0, 3]),)),
        Case("one word", lambda g: (torch.tensor([0, 0]),)),
        Case("ROOT alone", lambda g: (torch.tensor([0]),)),
        Case("any sizes", lambda g: (_tree(g, integer(g, 8, 11)),)),
        Case("a long sentence", lambda g: (_sentence(g, integer(g, 13, 16)),)),
    ],
    hints=[
        "First the way up from one place: a list that begins with the place itself and ends with ROOT. At ROOT you must stop, since it is its own parent.",
        "For two places take both ways up. The first on the one that is also on the other is where they meet. How far in on each way does it stand?",
        "up = way_i.index(meet), down = way_j.index(meet), into a torch.zeros(n, n, 2, dtype=torch.long), for all pairs of places.",
    ],
)


def way_up(parents, i):
    """The place itself, its parent, … ROOT. Raises ValueError where a circle never gets there."""
    way = [i]
    while way[-1]:
        if len(way) > len(parents):
            raise ValueError("a circle")
        way.append(parents[way[-1]])
    return way


def first_common(one, other):
    return next(place for place in one if place in other)


def both_ways(one, other, meet):
    return one.index(meet), other.index(meet)


@tree_steps.variants
def steps(parents, *, way=way_up, meet=first_common, pair=both_ways, give=lambda found: found):
    parents = parents.tolist()
    ways = [way(parents, i) for i in range(len(parents))]
    found = torch.zeros(len(parents), len(parents), 2, dtype=torch.long)
    for i, one in enumerate(ways):
        for j, other in enumerate(ways):
            found[i, j] = torch.tensor(pair(one, other, meet(one, other)))
    return give(found)


def without_itself(parents, i):
    """From the parent up."""
    return way_up(parents, parents[i])


def without_root(parents, i):
    return way_up(parents, i)[:-1]


steps.mistake(
    "Up and down have changed places: [i, j] begins with the edges up from i.", pair=lambda a, b, m: both_ways(b, a, m)
)
steps.mistake(
    "You count words. Edges are counted: from a word to itself it is 0 up and 0 down, to its parent 1 up and 0 down.",
    pair=lambda a, b, m: (a.index(m) + 1, b.index(m) + 1),
)
steps.mistake(
    "You count words on the way up, and edges on the way down. Edges, both: from a word to itself it is 0 and 0.",
    pair=lambda a, b, m: (a.index(m) + 1, b.index(m)),
)
steps.mistake(
    "You count words on the way down, and edges on the way up. Edges, both: from a word to itself it is 0 and 0.",
    pair=lambda a, b, m: (a.index(m), b.index(m) + 1),
)
steps.mistake(
    "One number comes back for both, how many edges lie between. Up two isn't down two: keep (up, down).",
    give=lambda found: found.sum(-1),
)
steps.mistake(
    "Both numbers are the whole way, up and down together. Up two isn't down two: first the edges up, then those down.",
    give=lambda found: found.sum(-1, keepdim=True).expand_as(found).clone(),
)
steps.mistake(
    "The second number is the whole way, up and down together. It is the edges down alone: way_j.index(meet).",
    pair=lambda a, b, m: (a.index(m), a.index(m) + b.index(m)),
)
steps.mistake(
    "The first number is the whole way, up and down together. It is the edges up alone: way_i.index(meet).",
    pair=lambda a, b, m: (a.index(m) + b.index(m), b.index(m)),
)
steps.mistake(
    "Only the edges up come back. Those down are asked for, too: (n, n, 2).", give=lambda found: found[..., 0]
)
steps.mistake(
    "Only the edges down come back. Those up are asked for, too: (n, n, 2).", give=lambda found: found[..., 1]
)
steps.mistake(
    "The two numbers stand on the first axis: (2, n, n). They belong on the last: torch.stack((up, down), dim=-1).",
    give=lambda found: found.permute(2, 0, 1),
)
steps.mistake(
    "You always go up to ROOT and down again: these are the two depths. Turn round at the nearest common ancestor, the first that both ways up have.",
    meet=lambda one, other: 0,
)
steps.mistake(
    "Up goes only to where the two ways meet, as it should, but down is counted from ROOT.",
    pair=lambda a, b, m: (a.index(m), len(b) - 1),
)
steps.mistake(
    "Down is counted from where the two ways meet, as it should, but up goes all the way to ROOT.",
    pair=lambda a, b, m: (len(a) - 1, b.index(m)),
)
steps.mistake(
    "You subtract the depths. Two words of the same depth may be far apart: go up from both until the ways meet.",
    pair=lambda a, b, m: (max(len(a) - len(b), 0), max(len(b) - len(a), 0)),
)
steps.mistake(
    "You subtract the depths, and both numbers are their difference. Go up from both words until the ways meet.",
    pair=lambda a, b, m: (abs(len(a) - len(b)),) * 2,
)
steps.mistake(
    "These are distances in the sentence, how many places apart. Go along the tree: from parent to parent.",
    give=lambda found: in_the_sentence(len(found)),
)
steps.mistake(
    "You fill one half and mirror it. What is up from i to j is down from j to i: mirrored, the two numbers change places.",
    give=lambda found: torch.where(upper(found), found, found.transpose(0, 1)),
)
steps.mistake(
    "You fill one half only, to the places further right. The others stay 0: from j back to i it is down and up, too.",
    give=lambda found: found * upper(found),
)
steps.mistake(
    "You fill one half only, to the places further left. The others stay 0: all pairs are asked for.",
    give=lambda found: found * ~upper(found),
)
steps.mistake(
    "ROOT's row and column are missing. ROOT is a place like the others: from it everything is down.",
    give=lambda found: found[1:, 1:],
)
steps.mistake(
    "ROOT's row and column stay 0. ROOT is a place like the others: from it everything is down, to it everything is up.",
    give=lambda found: found * away_from_root(found),
)
steps.mistake(
    "A word isn't among its own ancestors with you, so from a child to its parent you go one too far, up to the grandparent and down again. Let each way begin with the word itself.",
    way=without_itself,
    pair=lambda a, b, m: (a.index(m) + 1, b.index(m) + 1),
)
steps.mistake(
    "A word isn't among its own ancestors with you: both ways begin with the parent, and the first edge isn't counted. Let each way begin with the word itself.",
    way=without_itself,
)
steps.mistake(
    "You go up one edge only, so that cousins don't meet. Go on from parent to parent, until ROOT.",
    way=lambda parents, i: list(dict.fromkeys([i, parents[i]])),
    meet=lambda one, other: next((place for place in one if place in other), None),
    pair=lambda a, b, m: (0, 0) if m is None else both_ways(a, b, m),
)
steps.mistake(
    "ROOT is no ancestor with you, so words that meet only there don't meet at all and keep 0. ROOT is on every way up.",
    way=without_root,
    meet=lambda one, other: next((place for place in one if place in other), None),
    pair=lambda a, b, m: (0, 0) if m is None else both_ways(a, b, m),
)
steps.mistake(
    "Where one word lies above the other it is right; the others stay 0. Go up from both until the ways meet.",
    meet=lambda one, other: one[0] if one[0] in other else other[0] if other[0] in one else None,
    pair=lambda a, b, m: (0, 0) if m is None else both_ways(a, b, m),
)
steps.mistake(
    "Both numbers are the edges up. Down is counted on the other way, from j to where they meet.",
    pair=lambda a, b, m: (a.index(m),) * 2,
)
steps.mistake(
    "Down is counted with a minus. Both are numbers of edges, 0 or more.",
    pair=lambda a, b, m: (a.index(m), -b.index(m)),
)


steps.mistake(
    "Floats come back. Numbers of edges are whole: torch.zeros(n, n, 2, dtype=torch.long), or .long() at the end.",
    give=lambda found: found.float(),
)
steps.mistake("A list comes back. torch.tensor(…) makes a tensor of it.", give=lambda found: found.tolist())


steps.mistake(
    "The numbers are right, but of another kind: torch.long (int64) is asked for, which is what torch makes of Python's whole numbers.",
    give=lambda found: found.int(),
)
steps.mistake(
    "Two things: you count words, where edges are asked for; and up and down have changed places.",
    pair=lambda a, b, m: (b.index(m) + 1, a.index(m) + 1),
)
steps.mistake(
    "Down is counted on i's own way, from where the two meet on to ROOT. It leads to j: way_j.index(meet).",
    pair=lambda a, b, m: (a.index(m), len(a) - 1 - a.index(m)),
)
steps.mistake(
    "All rows are the last one. [[…] * n] * n is one and the same row, n times: make each anew, [[…] for i in range(n)], or begin with torch.zeros.",
    give=lambda found: found[-1:].expand_as(found).clone(),
)


steps.mistake(
    "Both numbers are one too small: from a word to itself it is 0 up and 0 down, not −1.",
    pair=lambda a, b, m: (a.index(m) - 1, b.index(m) - 1),
)
steps.mistake(
    "Up is right, but down stays 0. From where they meet count the edges down to j: way_j.index(meet).",
    pair=lambda a, b, m: (a.index(m), 0),
)
steps.mistake(
    "Down is right, but up stays 0. Count the edges from i up to where they meet: way_i.index(meet).",
    pair=lambda a, b, m: (0, b.index(m)),
)
steps.mistake(
    "The last place is missing, and its row and column stay 0: range(n), not range(n − 1).",
    give=lambda found: found * (1 - edge_of_the_table(found)),
)
steps.mistake(
    "All edges of a way count as up if it leads to the left, and as down if to the right. Up is towards the parent, wherever it stands.",
    give=lambda found: in_the_sentence(len(found)).sign() * found.sum(-1, keepdim=True),
)


def edge_of_the_table(found):
    """(from, to, 1) → 1 where one of both is the last place."""
    last = torch.arange(len(found)) == len(found) - 1
    return (last[:, None] | last)[..., None].long()


def upper(found):
    """(from, to, 1) → whether `to` stands further right, or is the same."""
    return torch.ones(found.shape[:2], dtype=torch.bool).triu()[..., None]


def away_from_root(found):
    """(from, to, 1) → whether neither is ROOT."""
    word = torch.arange(len(found)) > 0
    return (word[:, None] & word)[..., None]


def in_the_sentence(n):
    """(n, n, 2): up for places to the left, down for places to the right."""
    place = torch.arange(n)
    left = place[:, None] - place
    return torch.stack([left.clamp(min=0), (-left).clamp(min=0)], dim=-1)


def counted(found):
    """What comes of a table (n, n) of ancestors, itself among them, by counting those in common."""
    common = found @ found.mT
    own = found.sum(-1)
    return torch.stack([own[:, None] - common, own[None, :] - common], dim=-1)


@tree_steps.mistake(
    "It is right where parents stand to the left of their children. You go through the words once, from left to right: a parent further right doesn't have its own ancestors yet. Follow the parents up to ROOT for each word."
)
def from_left_to_right(parents):
    found = torch.eye(len(parents), dtype=torch.long)
    for i, parent in enumerate(parents.tolist()):
        found[i] |= found[parent]
    return counted(found)


@tree_steps.mistake(
    "Depths go through the words once, from left to right, so a parent further right counts as if it were ROOT. Follow the parents up to ROOT for each word."
)
def depths_from_left_to_right(parents):
    parents, depths = parents.tolist(), [0] * len(parents)
    for i in range(1, len(parents)):
        depths[i] = depths[parents[i]] + 1
    ways = [way_up(parents, i) for i in range(len(parents))]
    meet = [[first_common(one, other) for other in ways] for one in ways]
    rows = [[(depths[i] - depths[m], depths[j] - depths[m]) for j, m in enumerate(row)] for i, row in enumerate(meet)]
    return torch.tensor(rows)


@tree_steps.mistake(
    "Your ancestors reach two edges up, no further: A @ A once. Go on until ROOT is among everybody's: multiply again, or climb in a loop."
)
def two_edges_up(parents):
    n = len(parents)
    found = torch.eye(n, dtype=torch.long)
    found[torch.arange(n), parents] = 1
    return counted((found @ found).clamp(max=1))


@tree_steps.mistake(
    "Your ancestors reach one edge up, no further: each word and its parent. Go on until ROOT is among everybody's."
)
def one_edge_up(parents):
    n = len(parents)
    found = torch.eye(n, dtype=torch.long)
    found[torch.arange(n), parents] = 1
    return counted(found)


@tree_steps.mistake(
    "You count the common ancestors themselves. Up is what i has beyond these, down what j has beyond these."
)
def common_ones(parents):
    steps_ = trees.tree_steps(parents)
    common = steps_[:, 0, 0][:, None] + 1 - steps_[..., 0]
    return torch.stack([common, common], dim=-1)


@tree_steps.mistake(
    "You search along the edges and count them all in one number, up and down; the second stays 0. Tell the two apart: up to a parent, down to a child."
)
def all_in_the_first(parents):
    both = trees.tree_steps(parents).sum(-1)
    return torch.stack([both, torch.zeros_like(both)], dim=-1)


@tree_steps.mistake(
    "Only from parent to child and back it is right, the others stay 0: you look one edge far. Follow the parents up to ROOT, and meet on the way."
)
def neighbours_alone(parents):
    found = trees.tree_steps(parents)
    return found * (found.sum(-1, keepdim=True) == 1)


def way_below_root(parents, i):
    """Stops before ROOT; of ROOT it is ROOT alone."""
    return way_up(parents, i)[:-1] or [0]


@tree_steps.mistake(
    "ROOT is missing on your ways up, so two words that meet only there have nothing in common, and the list is empty. Go on until you stand at ROOT, not before it."
)
def no_root_no_meeting(parents):
    parents = parents.tolist()
    ways = [way_below_root(parents, i) for i in range(len(parents))]
    meet = [[[place for place in one if place in other][0] for other in ways] for one in ways]
    return torch.tensor([[both_ways(ways[i], ways[j], m) for j, m in enumerate(row)] for i, row in enumerate(meet)])


@tree_steps.mistake(
    "ROOT is missing on your ways up, so two words that meet only there have nothing in common, and `next` finds nothing. Go on until you stand at ROOT, not before it."
)
def no_root_no_next(parents):
    parents = parents.tolist()
    ways = [way_below_root(parents, i) for i in range(len(parents))]
    meet = []
    for one in ways:
        row = []
        for other in ways:
            row.append(first_common(one, other))
        meet.append(row)
    return torch.tensor([[both_ways(ways[i], ways[j], m) for j, m in enumerate(row)] for i, row in enumerate(meet)])


@tree_steps.mistake(
    "A word isn't among its own ancestors with you, so sisters seem to be 0 edges apart. Let each way begin with the word itself."
)
def beyond_without_itself(parents):
    parents = parents.tolist()
    above = [set(way_up(parents, i)[1:]) for i in range(len(parents))]
    return torch.tensor([[(len(a - b), len(b - a)) for b in above] for a in above])


@tree_steps.mistake(
    "Both words climb in step until they are at the same place, and both get that number. The lower one has further to go: take each way up by itself, and look where they meet."
)
def in_step(parents):
    parents = parents.tolist()

    def until_equal(i, j):
        climbed = 0
        while i != j:
            i, j, climbed = parents[i], parents[j], climbed + 1
            if climbed > len(parents):
                raise ValueError("a circle")
        return climbed, climbed

    return torch.tensor([[until_equal(i, j) for j in range(len(parents))] for i in range(len(parents))])


@tree_steps.mistake(
    "You put tensors into a set or ask a dictionary for them. To these two tensors are never the same, whatever number they hold: begin with parents.tolist()."
)
def sets_of_tensors(parents):
    ways = [way_up(parents.tolist(), i) for i in range(len(parents))]
    rows = [[(len(a), len(b)) if i != j else (0, 0) for j, b in enumerate(ways)] for i, a in enumerate(ways)]
    return torch.tensor(rows)


TOO_FAR = "You turn round at a common ancestor, but not always at the nearest."


@tree_steps.symptom(TOO_FAR)
def another_common_ancestor(inputs, answer):
    """Every pair turns round at a place that both ways have, only not always at the first."""
    ways = [way_up(inputs[0].tolist(), i) for i in range(len(answer))]
    too_far = []
    for i, one in enumerate(ways):
        for j, other in enumerate(ways):
            turns = {both_ways(one, other, place): place for place in one if place in other}
            turn = turns.get(tuple(answer[i, j].tolist()))
            if turn is None:
                return False
            if turn != first_common(one, other):
                too_far.append((i != j, one, other, turn))
    _, one, other, turn = max(too_far)
    shown = [" → ".join(map(str, way)) for way in (one, other)]
    return f"{TOO_FAR} Of the ways up {shown[0]} and {shown[1]} the first place that both have is {first_common(one, other)}; you turn at {turn}."


@tree_steps.symptom("")
def the_two_ways(inputs, answer):
    """Which pairs are wrong, if they have something in common, and the ways up of the first of them."""
    parents = inputs[0].tolist()
    wrong = (answer != trees.tree_steps(inputs[0])).any(-1)
    ways = [way_up(parents, i) for i in range(len(parents))]
    i, j = max(wrong.nonzero().tolist(), key=lambda pair: (0 not in pair, -len(ways[pair[0]]) - len(ways[pair[1]])))
    m = first_common(ways[i], ways[j])
    right = (ways[i].index(m), ways[j].index(m))
    kinds = {says: among(parents, ways) for says, among in KINDS.items()}
    which = next(
        (says for says, kind in kinds.items() if not wrong[~kind].any() and wrong[kind].double().mean() > 0.7), ""
    )
    shown = [" → ".join(map(str, way)) for way in (ways[i], ways[j])]
    return (
        f"{which}From place {i} the way up is {shown[0]}, from place {j} it is {shown[1]}: they meet at {m}, so it is "
        f"{right[0]} up and {right[1]} down; yours are {answer[i, j].tolist()}."
    )


def _pairs(n, holds):
    return torch.tensor([[holds(i, j) for j in range(n)] for i in range(n)])


# What wrong pairs may have in common; the first that fits is said.
KINDS = {
    "Only from a word to itself it is wrong. ": lambda parents, ways: _pairs(len(ways), lambda i, j: i == j),
    "Only what begins or ends at ROOT is wrong. ": lambda parents, ways: _pairs(len(ways), lambda i, j: 0 in (i, j)),
    "It is right where one of the two lies above the other. ": lambda parents, ways: _pairs(
        len(ways), lambda i, j: i not in ways[j] and j not in ways[i]
    ),
    "It is right where the two meet below ROOT. ": lambda parents, ways: _pairs(
        len(ways), lambda i, j: first_common(ways[i], ways[j]) == 0
    ),
    "It is right where both ways lead to the left. ": lambda parents, ways: _pairs(
        len(ways), lambda i, j: any(parents[place] > place for place in (*ways[i], *ways[j]))
    ),
}
