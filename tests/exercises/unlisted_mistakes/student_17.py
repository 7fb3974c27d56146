"""What a fresh student tried in lesson 17, in two sets. Each docstring says what is really wrong."""

import torch
import torch.nn.functional as F

from unlisted_mistakes import wrong


def way(parents, i):
    found = [int(i)]
    while found[-1]:
        found.append(int(parents[found[-1]]))
    return found


def pairs(parents, pair):
    """A table of what `pair` makes of two places and their ways up."""
    ways = [way(parents, i) for i in range(len(parents))]
    return torch.tensor([[pair(a, b, i, j) for j, b in enumerate(ways)] for i, a in enumerate(ways)])


def scores(states, W_child, W_parent):
    return (states @ W_child.T) @ (states @ W_parent.T).mT


@wrong("17.tree_steps", "Up and down have changed places")
def ts1(parents):
    """up and down swapped: [down, up]"""
    n = len(parents)
    out = torch.zeros(n, n, 2, dtype=torch.long)
    for i in range(n):
        for j in range(n):
            a, b = way(parents, i), way(parents, j)
            m = next(x for x in a if x in b)
            out[i, j] = torch.tensor([b.index(m), a.index(m)])
    return out


@wrong("17.tree_steps", "You always go up to ROOT and down again")
def ts2(parents):
    """always goes up to ROOT: depth of i, depth of j, no common ancestor looked for"""
    n = len(parents)
    out = torch.zeros(n, n, 2, dtype=torch.long)
    for i in range(n):
        for j in range(n):
            out[i, j, 0] = len(way(parents, i)) - 1
            out[i, j, 1] = len(way(parents, j)) - 1
    return out


@wrong("17.tree_steps", "You count words")
def ts3(parents):
    """counts places instead of edges: one too many each way"""
    n = len(parents)
    out = torch.zeros(n, n, 2, dtype=torch.long)
    for i in range(n):
        for j in range(n):
            a, b = way(parents, i), way(parents, j)
            m = next(x for x in a if x in b)
            out[i, j, 0] = len(a[: a.index(m) + 1])
            out[i, j, 1] = len(b[: b.index(m) + 1])
    return out


@wrong("17.tree_steps", "A word isn't among its own ancestors with you, so from a child to its ")
def ts4(parents):
    """a word isn't counted as its own ancestor: ways begin with the parent (so sister-like detour for parent-child)"""
    n = len(parents)
    out = torch.zeros(n, n, 2, dtype=torch.long)
    for i in range(n):
        for j in range(n):
            a, b = way(parents, i)[1:] or [0], way(parents, j)[1:] or [0]
            m = next(x for x in a if x in b)
            out[i, j, 0] = a.index(m) + 1
            out[i, j, 1] = b.index(m) + 1
    return out


@wrong("17.tree_steps", "Floats come back")
def ts5(parents):
    """float instead of long"""
    n = len(parents)
    out = torch.zeros(n, n, 2)
    for i in range(n):
        for j in range(n):
            a, b = way(parents, i), way(parents, j)
            m = next(x for x in a if x in b)
            out[i, j, 0], out[i, j, 1] = a.index(m), b.index(m)
    return out


@wrong("17.tree_steps", "The two numbers stand on the first axis")
def ts6(parents):
    """returns (2, n, n) instead of (n, n, 2)"""
    n = len(parents)
    out = torch.zeros(2, n, n, dtype=torch.long)
    for i in range(n):
        for j in range(n):
            a, b = way(parents, i), way(parents, j)
            m = next(x for x in a if x in b)
            out[0, i, j], out[1, i, j] = a.index(m), b.index(m)
    return out


@wrong("17.tree_steps", "You always go up to ROOT and down again")
def ts8(parents):
    """takes the farthest common ancestor (ROOT) by taking the last common one"""
    p = parents.tolist()
    n = len(p)
    out = torch.zeros(n, n, 2, dtype=torch.long)
    for i in range(n):
        for j in range(n):
            a, b = way(p, i), way(p, j)
            m = [x for x in a if x in b][-1]
            out[i, j, 0], out[i, j, 1] = a.index(m), b.index(m)
    return out


@wrong("17.tree_steps", "You fill one half only, to the places further right")
def ts9(parents):
    """only the pairs i < j filled, the other half left at zero"""
    p = parents.tolist()
    n = len(p)
    out = torch.zeros(n, n, 2, dtype=torch.long)
    for i in range(n):
        for j in range(i + 1, n):
            a, b = way(p, i), way(p, j)
            m = next(x for x in a if x in b)
            out[i, j, 0], out[i, j, 1] = a.index(m), b.index(m)
    return out


@wrong("17.tree_steps", "You fill one half and mirror it")
def ts10(parents):
    """fills the half i<j and mirrors it without swapping up and down"""
    p = parents.tolist()
    n = len(p)
    out = torch.zeros(n, n, 2, dtype=torch.long)
    for i in range(n):
        for j in range(i + 1, n):
            a, b = way(p, i), way(p, j)
            m = next(x for x in a if x in b)
            out[i, j, 0], out[i, j, 1] = a.index(m), b.index(m)
            out[j, i] = out[i, j]
    return out


@wrong("17.tree_steps", "Your ancestors reach one edge up, no further")
def ts11(parents):
    """the matrix form with parents only: A has a 1 for the word and its parent, not for all ancestors"""
    n = len(parents)
    A = torch.eye(n, dtype=torch.long)
    A[torch.arange(n), parents] = 1
    c, own = A @ A.mT, A.sum(-1)
    return torch.stack([own[:, None] - c, own[None] - c], -1)


@wrong("17.tree_steps", "ROOT is no ancestor with you, so words that meet only there don't meet")
def ts12(parents):
    """ROOT left out of the ways (stops before place 0): crashes/misses pairs that meet only at ROOT"""
    p = parents.tolist()
    n = len(p)
    out = torch.zeros(n, n, 2, dtype=torch.long)

    def way(i):
        w = []
        while i != 0:
            w.append(i)
            i = p[i]
        return w

    for i in range(n):
        for j in range(n):
            a, b = way(i), way(j)
            for m in a:
                if m in b:
                    out[i, j, 0], out[i, j, 1] = a.index(m), b.index(m)
                    break
    return out


@wrong("17.tree_steps", "These are distances in the sentence, how many places apart")
def ts13(parents):
    """distance in the line: up if j is left, down if j is right"""
    n = len(parents)
    d = torch.arange(n)[None] - torch.arange(n)[:, None]
    return torch.stack([(-d).clamp(min=0), d.clamp(min=0)], -1)


@wrong("17.tree_steps", "One number comes back for both, how many edges lie between")
def ts14(parents):
    """returns the total number of edges only, (n, n)"""
    p = parents.tolist()
    n = len(p)
    out = torch.zeros(n, n, dtype=torch.long)
    for i in range(n):
        for j in range(n):
            a, b = way(p, i), way(p, j)
            m = next(x for x in a if x in b)
            out[i, j] = a.index(m) + b.index(m)
    return out


@wrong("17.tree_steps", "Two things")
def ts15(parents):
    """two mistakes: swapped and counts places (one too many)"""
    p = parents.tolist()
    n = len(p)
    out = torch.zeros(n, n, 2, dtype=torch.long)
    for i in range(n):
        for j in range(n):
            a, b = way(p, i), way(p, j)
            m = next(x for x in a if x in b)
            out[i, j, 0], out[i, j, 1] = b.index(m) + 1, a.index(m) + 1
    return out


@wrong("17.tree_steps", "You turn round at a common ancestor, but not always at the nearest")
def ts16(parents):
    """set intersection: takes the common ancestor with the greatest place (max), right only where parents stand left"""
    p = parents.tolist()
    n = len(p)
    out = torch.zeros(n, n, 2, dtype=torch.long)
    for i in range(n):
        for j in range(n):
            a, b = way(p, i), way(p, j)
            m = max(set(a) & set(b))
            out[i, j, 0], out[i, j, 1] = a.index(m), b.index(m)
    return out


@wrong("17.tree_steps", "The second number is the whole way, up and down together")
def ts17(parents):
    """the second is the total distance, not the steps down"""
    p = parents.tolist()
    n = len(p)
    out = torch.zeros(n, n, 2, dtype=torch.long)
    for i in range(n):
        for j in range(n):
            a, b = way(p, i), way(p, j)
            m = next(x for x in a if x in b)
            out[i, j, 0], out[i, j, 1] = a.index(m), a.index(m) + b.index(m)
    return out


@wrong("17.graph_scores", "The scale is missing")
def gs1(query, key, edges, table):
    """no scaling by √d_k"""
    r = table[edges]
    return query @ key.mT + torch.einsum("bhid,bijd->bhij", query, r)


@wrong("17.graph_scores", "Only the dot product of query and key is divided by √d_k")
def gs2(query, key, edges, table):
    """only q·k is divided by √d_k"""
    d = query.size(-1)
    return query @ key.mT / d**0.5 + torch.einsum("bhid,bijd->bhij", query, table[edges])


@wrong("17.graph_scores", "You take the edge (j, i)")
def gs3(query, key, edges, table):
    """edges read from j to i (transposed)"""
    d = query.size(-1)
    return (query @ key.mT + torch.einsum("bhid,bjid->bhij", query, table[edges])) / d**0.5


@wrong("17.graph_scores", "Where there is no edge you add nothing")
def gs4(query, key, edges, table):
    """row 0 (no edge) left out: masked to zero like padding"""
    d = query.size(-1)
    r = table[edges] * (edges != 0)[..., None]
    return (query @ key.mT + torch.einsum("bhid,bijd->bhij", query, r)) / d**0.5


@wrong("17.graph_scores", "r meets the key, as if it were added to the query")
def gs5(query, key, edges, table):
    """r multiplied with the key, not the query"""
    d = query.size(-1)
    return (query @ key.mT + torch.einsum("bhjd,bijd->bhij", key, table[edges])) / d**0.5


@wrong("17.graph_scores", "Where there is no edge you close the score")
def gs6(query, key, edges, table):
    """no edge = masked: -inf where edges == 0"""
    d = query.size(-1)
    s = (query @ key.mT + torch.einsum("bhid,bijd->bhij", query, table[edges])) / d**0.5
    return s.masked_fill(edges[:, None] == 0, float("-inf"))


@wrong("17.graph_scores", "These are weights already")
def gs7(query, key, edges, table):
    """softmax applied at the end"""
    d = query.size(-1)
    s = (query @ key.mT + torch.einsum("bhid,bijd->bhij", query, table[edges])) / d**0.5
    return s.softmax(-1)


@wrong("17.graph_scores", "You divide by d_k")
def gs8(query, key, edges, table):
    """scales by d_k, not its root"""
    d = query.size(-1)
    return (query @ key.mT + torch.einsum("bhid,bijd->bhij", query, table[edges])) / d


@wrong("17.graph_scores", "You divide by √n, the number of words")
def gs9(query, key, edges, table):
    """uses n (query.shape[2]) for d_k under the root"""
    d = query.shape[2]
    return (query @ key.mT + torch.einsum("bhid,bijd->bhij", query, table[edges])) / d**0.5


@wrong("17.graph_scores", "Where there are as many heads as sentences it runs, and head h gets se")
def gs10(query, key, edges, table):
    """adds key + table[edges] directly: shapes don't fit (forgets head axis)"""
    k = key[:, :, None] + table[edges]
    return (query[:, :, :, None] * k).sum(-1) / query.size(-1) ** 0.5


@wrong("17.graph_scores", "The keys have no effect")
def gs11(query, key, edges, table):
    """q·k left out, only the edges' part"""
    return torch.einsum("bhid,bijd->bhij", query, table[edges]) / query.size(-1) ** 0.5


@wrong("17.graph_scores", "All sentences get the first one's graph")
def gs12(query, key, edges, table):
    """graph of the first sentence used for the whole batch"""
    return (query @ key.mT + torch.einsum("bhid,ijd->bhij", query, table[edges[0]])) / query.size(-1) ** 0.5


@wrong("17.graph_scores", "is used, for all")
def gs13(query, key, edges, table):
    """label i.e. table row taken only per key: r_j for the edge from the first word (row 0 of edges)"""
    r = table[edges[:, 0]]  # (b, n, d)
    return query @ (key + r[:, None]).mT / query.size(-1) ** 0.5


@wrong("17.graph_scores", "You take row label − 1")
def gs14(query, key, edges, table):
    """off by one in the table: edges - 1, row 0 is taken for label 1"""
    return (query @ key.mT + torch.einsum("bhid,bijd->bhij", query, table[edges - 1])) / query.size(-1) ** 0.5


@wrong("17.graph_scores", "You take the edge (j, i)")
def gs15(query, key, edges, table):
    """two mistakes: edges transposed and no scaling"""
    return query @ key.mT + torch.einsum("bhid,bjid->bhij", query, table[edges])


@wrong("17.graph_scores", "turns all axes round")
def gs16(query, key, edges, table):
    """key.T instead of key.mT: reversed axes"""
    return (query @ key.T + torch.einsum("bhid,bijd->bhij", query, table[edges])) / query.size(-1) ** 0.5


@wrong("17.graph_scores", "r meets the key, as if it were added to the query")
def gs17(query, key, edges, table):
    """r added to the query and not to the key: (q_i + r_ij)·k_j"""
    s = torch.einsum("bhid,bhjd->bhij", query, key)
    s += torch.einsum("bijd,bhjd->bhij", table[edges], key)
    return s / query.size(-1) ** 0.5


@wrong("17.graph_scores", "Rows and columns have changed places")
def gs18(query, key, edges, table):
    """the scores transposed: rows are keys"""
    s = (query @ key.mT + torch.einsum("bhid,bijd->bhij", query, table[edges])) / query.size(-1) ** 0.5
    return s.mT


@wrong("17.graph_scores", "Only the dot product of query and key is divided by √d_k")
def gs19(query, key, edges, table):
    """adds the edges' scores by a mean over d_k of table rows: a number per label without the query"""
    return query @ key.mT / query.size(-1) ** 0.5 + table[edges].mean(-1)[:, None]


@wrong("17.parent_probabilities", "ROOT has a row")
def pp1(states, W_child, W_parent):
    """ROOT's row not dropped: (batch, n, n)"""
    s = scores(states, W_child, W_parent)
    n = s.size(-1)
    return s.masked_fill(torch.eye(n, dtype=torch.bool), float("-inf")).softmax(-1)


@wrong("17.parent_probabilities", "A word can be its own parent with you")
def pp2(states, W_child, W_parent):
    """diagonal not closed"""
    return scores(states, W_child, W_parent).softmax(-1)[:, 1:]


@wrong("17.parent_probabilities", "Your softmax goes over the children")
def pp3(states, W_child, W_parent):
    """softmax over children (dim=-2/1)"""
    s = scores(states, W_child, W_parent)
    n = s.size(-1)
    return s.masked_fill(torch.eye(n, dtype=torch.bool), float("-inf")).softmax(1)[:, 1:]


@wrong("17.parent_probabilities", "Child and parent have changed places")
def pp4(states, W_child, W_parent):
    """roles swapped: rows are parents, columns children"""
    s = scores(states, W_parent, W_child)
    n = s.size(-1)
    return s.masked_fill(torch.eye(n, dtype=torch.bool), float("-inf")).softmax(-1)[:, 1:]


@wrong("17.parent_probabilities", "You divide by √d_edge, as in attention")
def pp5(states, W_child, W_parent):
    """scaled by √d_edge, as attention is"""
    s = scores(states, W_child, W_parent) / W_child.size(0) ** 0.5
    n = s.size(-1)
    return s.masked_fill(torch.eye(n, dtype=torch.bool), float("-inf")).softmax(-1)[:, 1:]


@wrong("17.parent_probabilities", "You close the diagonal after ROOT's row is gone")
def pp6(states, W_child, W_parent):
    """diagonal closed AFTER dropping ROOT's row: eye of (n-1, n) closes the wrong cells, shifted by one"""
    s = scores(states, W_child, W_parent)[:, 1:]
    n = s.size(-1)
    return s.masked_fill(torch.eye(n - 1, n, dtype=torch.bool), float("-inf")).softmax(-1)


@wrong("17.parent_probabilities", "ROOT's column is gone")
def pp7(states, W_child, W_parent):
    """ROOT's column dropped, too: (batch, n-1, n-1)"""
    s = scores(states, W_child, W_parent)
    n = s.size(-1)
    return s.masked_fill(torch.eye(n, dtype=torch.bool), float("-inf")).softmax(-1)[:, 1:, 1:]


@wrong("17.parent_probabilities", "You leave out the column of ROOT, and keep its row")
def pp8(states, W_child, W_parent):
    """ROOT's column dropped instead of its row: (batch, n, n-1)"""
    s = scores(states, W_child, W_parent)
    n = s.size(-1)
    return s.masked_fill(torch.eye(n, dtype=torch.bool), float("-inf")).softmax(-1)[:, :, 1:]


@wrong("17.parent_probabilities", "You put 0 on the diagonal before the softmax, and e⁰ is 1")
def pp9(states, W_child, W_parent):
    """diagonal set to 0 before the softmax (not -inf)"""
    s = scores(states, W_child, W_parent)
    n = s.size(-1)
    return s.masked_fill(torch.eye(n, dtype=torch.bool), 0.0).softmax(-1)[:, 1:]


@wrong("17.parent_probabilities", "You close the diagonal after the softmax, so the rows sum to less than")
def pp10(states, W_child, W_parent):
    """diagonal zeroed after the softmax: rows don't sum to 1"""
    s = scores(states, W_child, W_parent)
    n = s.size(-1)
    return s.softmax(-1).masked_fill(torch.eye(n, dtype=torch.bool), 0.0)[:, 1:]


@wrong("17.parent_probabilities", "in `a @ b` the last axis of a")
def pp11(states, W_child, W_parent):
    """W not transposed: states @ W_child fails by shape"""
    s = (states @ W_child) @ (states @ W_parent).mT
    n = s.size(-1)
    return s.masked_fill(torch.eye(n, dtype=torch.bool), float("-inf")).softmax(-1)[:, 1:]


@wrong("17.parent_probabilities", "You leave out the last word's row")
def pp12(states, W_child, W_parent):
    """last row dropped instead of the first"""
    s = scores(states, W_child, W_parent)
    n = s.size(-1)
    return s.masked_fill(torch.eye(n, dtype=torch.bool), float("-inf")).softmax(-1)[:, :-1]


@wrong("17.parent_probabilities", "These are the logarithms of weights")
def pp13(states, W_child, W_parent):
    """log_softmax: log-probabilities instead of probabilities"""
    s = scores(states, W_child, W_parent)
    n = s.size(-1)
    return s.masked_fill(torch.eye(n, dtype=torch.bool), float("-inf")).log_softmax(-1)[:, 1:]


@wrong("17.parent_probabilities", "You use W_child for both")
def pp14(states, W_child, W_parent):
    """one matrix for both: W_parent ignored"""
    s = scores(states, W_child, W_child)
    n = s.size(-1)
    return s.masked_fill(torch.eye(n, dtype=torch.bool), float("-inf")).softmax(-1)[:, 1:]


@wrong("17.parent_probabilities", "These are scores still")
def pp15(states, W_child, W_parent):
    """scores returned, no softmax"""
    s = scores(states, W_child, W_parent)
    n = s.size(-1)
    return s.masked_fill(torch.eye(n, dtype=torch.bool), float("-inf"))[:, 1:]


@wrong("17.parent_probabilities", "Only places further left can be parents with you")
def pp16(states, W_child, W_parent):
    """causal mask: only places to the left (and not itself) may be parents (triu)"""
    s = scores(states, W_child, W_parent)
    n = s.size(-1)
    return s.masked_fill(torch.ones(n, n, dtype=torch.bool).triu(), float("-inf")).softmax(-1)[:, 1:]


@wrong("17.parent_probabilities", "A word can be its own parent with you")
def pp17(states, W_child, W_parent):
    """two mistakes: diagonal open and scaled by √d_edge"""
    return (scores(states, W_child, W_parent) / W_child.size(0) ** 0.5).softmax(-1)[:, 1:]


@wrong("17.parent_probabilities", "fill_diagonal_ is for one square table, not for a batch of them")
def pp18(states, W_child, W_parent):
    """in place: fill_diagonal_ on a 3-D tensor (torch call that refuses / does another thing for batches)"""
    s = scores(states, W_child, W_parent)
    s.fill_diagonal_(float("-inf"))
    return s.softmax(-1)[:, 1:]


@wrong("17.parent_probabilities", "ROOT's column is gone before the softmax")
def pp19(states, W_child, W_parent):
    """ROOT dropped from the states before: words are scored against words only"""
    states = states[:, 1:]
    s = scores(states, W_child, W_parent)
    n = s.size(-1)
    return s.masked_fill(torch.eye(n, dtype=torch.bool), float("-inf")).softmax(-1)


@wrong("17.parent_probabilities", "You close everything but the diagonal")
def pp20(states, W_child, W_parent):
    """mask inverted: only the diagonal is left open"""
    s = scores(states, W_child, W_parent)
    n = s.size(-1)
    return s.masked_fill(~torch.eye(n, dtype=torch.bool), float("-inf")).softmax(-1)[:, 1:]


@wrong("17.tree_steps", "You always go up to ROOT and down again")
def a1(parents):
    """min of the common ancestors: always place 0, ROOT"""
    return pairs(parents, lambda a, b, i, j: (a.index(min(set(a) & set(b))), b.index(min(set(a) & set(b)))))


@wrong("17.tree_steps", "You turn round at a common ancestor, but not always at the nearest")
def a2(parents):
    """the parent of the nearest common ancestor is taken (stops one too late: meets at second common)"""

    def f(a, b, i, j):
        c = [x for x in a if x in b]
        m = c[1] if len(c) > 1 else c[0]
        return a.index(m), b.index(m)

    return pairs(parents, f)


@wrong("17.tree_steps", "You count the common ancestors themselves")
def a3(parents):
    """the place of the meeting is counted from ROOT: depth of the common ancestor in both numbers of the reversed ways"""

    def f(a, b, i, j):
        m = next(x for x in a if x in b)
        return a[::-1].index(m), b[::-1].index(m)

    return pairs(parents, f)


@wrong("17.tree_steps", "Both numbers are the whole way, up and down together")
def a4(parents):
    """symmetric difference size put into both"""
    return pairs(parents, lambda a, b, i, j: (len(set(a) ^ set(b)),) * 2)


@wrong("17.tree_steps", "Up and down have changed places")
def a5(parents):
    """up = what j has beyond, transposed output: [j, i] filled"""

    def f(a, b, i, j):
        return len(set(b) - set(a)), len(set(a) - set(b))

    return pairs(parents, f)


@wrong("17.tree_steps", "Only from a word to itself it is wrong")
def a6(parents):
    """diagonal skipped with 1 (thinks a word is one step from itself)"""

    def f(a, b, i, j):
        if i == j:
            return (1, 1)
        return len(set(a) - set(b)), len(set(b) - set(a))

    return pairs(parents, f)


@wrong("17.tree_steps", "In a product the two sides have changed places")
def a7(parents):
    """matrix form: A has children as rows (A.T @ A counts common descendants)"""
    p = parents.tolist()
    n = len(p)
    A = torch.zeros(n, n, dtype=torch.long)
    for i in range(n):
        A[i, way(p, i)] = 1
    c, own = A.T @ A, A.sum(-1)
    return torch.stack([own[:, None] - c, own[None] - c], -1)


@wrong("17.tree_steps", "A sum runs over the first axis")
def a8(parents):
    """matrix form with own taken from columns (A.sum(0)), numbers of descendants"""
    p = parents.tolist()
    n = len(p)
    A = torch.zeros(n, n, dtype=torch.long)
    for i in range(n):
        A[i, way(p, i)] = 1
    c, own = A @ A.T, A.sum(0)
    return torch.stack([own[:, None] - c, own[None] - c], -1)


@wrong("17.tree_steps", "the axes end and number have changed places")
def a9(parents):
    """stack on dim=0 / 1: (n, 2, n)"""
    return pairs(parents, lambda a, b, i, j: (len(set(a) - set(b)), len(set(b) - set(a)))).permute(0, 2, 1)


@wrong("17.tree_steps", "Only from parent to child and back it is right, the others stay 0")
def a10(parents):
    """parents used as steps: up is 1 whenever j is i's parent, else 0 (edges only), two numbers"""
    n = len(parents)
    out = torch.zeros(n, n, 2, dtype=torch.long)
    for i in range(1, n):
        out[i, parents[i], 0] = 1
        out[parents[i], i, 1] = 1
    return out


@wrong("17.graph_scores", "You take the edge (j, i)")
def b1(query, key, edges, table):
    """edges' axis of heads put wrong: edges treated as (batch, n, n) with einsum 'bhid,bijd->bhji' (transposed relative part)"""
    return (query @ key.mT + torch.einsum("bhid,bijd->bhji", query, table[edges])) / query.size(-1) ** 0.5


@wrong("17.graph_scores", "All heads get the first head's part with r")
def b2(query, key, edges, table):
    """gather without the head axis expanded: gather on (b,h,n,L) with edges[:, None] only takes head 0"""
    by = query @ table.T
    return (query @ key.mT + by.gather(-1, edges[:, None])) / query.size(-1) ** 0.5


@wrong("17.graph_scores", "r meets the key, as if it were added to the query")
def b3(query, key, edges, table):
    """product with keys' label table: table.T @ ... wrong order: key meets table, gathered at the query's edges"""
    b, h, n, d = query.shape
    by = (key @ table.T).mT  # b h L n
    return (query @ key.mT + by.gather(-2, edges[:, None].expand(b, h, n, n))) / d**0.5


@wrong("17.graph_scores", "The part with r is divided by the number of heads as well")
def b4(query, key, edges, table):
    """mean over heads of r / divides r by number of heads"""
    return (query @ key.mT + torch.einsum("bhid,bijd->bhij", query, table[edges]) / query.size(1)) / query.size(
        -1
    ) ** 0.5


@wrong("17.graph_scores", "These are weights already")
def b5(query, key, edges, table):
    """softmax over r part and no scale: uses F.softmax(dim=-2) on the whole"""
    return ((query @ key.mT + torch.einsum("bhid,bijd->bhij", query, table[edges])) / query.size(-1) ** 0.5).softmax(-2)


@wrong("17.graph_scores", "All labels count as one")
def b6(query, key, edges, table):
    """r = table[edges] clipped: row 0 included but edges > 1 only: F.embedding with padding_idx/edges.clamp(max=1)"""
    return (query @ key.mT + torch.einsum("bhid,bijd->bhij", query, table[edges.clamp(max=1)])) / query.size(-1) ** 0.5


@wrong("17.graph_scores", "Query i meets its own key alone, q_i · k_i in all columns of its row")
def b7(query, key, edges, table):
    """elementwise query*key instead of a product of pairs"""
    return (query * key).sum(-1, keepdim=True) / query.size(-1) ** 0.5 + torch.einsum(
        "bhid,bijd->bhij", query, table[edges]
    ) / query.size(-1) ** 0.5


@wrong("17.graph_scores", "All heads get the first head's part with r")
def b8(query, key, edges, table):
    """only the heads of head 0: query[:, 0] used for r"""
    return (query @ key.mT + torch.einsum("bid,bijd->bij", query[:, 0], table[edges])[:, None]) / query.size(-1) ** 0.5


@wrong("17.graph_scores", "Your code changes its input `query` in place")
def b9(query, key, edges, table):
    """scale d_k**-0.5 applied to query in place (changes the input)"""
    query *= query.size(-1) ** -0.5
    return query @ key.mT + torch.einsum("bhid,bijd->bhij", query, table[edges])


@wrong("17.graph_scores", "one_hot makes as many columns as the largest label in this batch asks ")
def b10(query, key, edges, table):
    """one_hot with wrong number of classes (edges.max()+1), fails where the table has more rows"""
    oh = F.one_hot(edges).to(query.dtype)  # b i j L
    r = oh @ table
    return (query @ key.mT + torch.einsum("bhid,bijd->bhij", query, r)) / query.size(-1) ** 0.5


@wrong("17.parent_probabilities", "You put 0 on the diagonal before the softmax, and e⁰ is 1")
def c1(states, W_child, W_parent):
    """diagonal closed with 1e-9 (tiny number, not -inf)"""
    s = (states @ W_child.T) @ (states @ W_parent.T).mT
    n = s.size(-1)
    return s.masked_fill(torch.eye(n, dtype=torch.bool), 1e-9).softmax(-1)[:, 1:]


@wrong("17.parent_probabilities", "ROOT's column stands at the end")
def c2(states, W_child, W_parent):
    """ROOT's row removed from children, and ROOT's state taken at the END (rolled): column order words first, ROOT last"""
    s = (states @ W_child.T) @ (states @ W_parent.T).mT
    n = s.size(-1)
    p = s.masked_fill(torch.eye(n, dtype=torch.bool), float("-inf")).softmax(-1)[:, 1:]
    return torch.cat([p[:, :, 1:], p[:, :, :1]], -1)


@wrong("17.parent_probabilities", "Child and parent go through a softmax each, before they meet")
def c3(states, W_child, W_parent):
    """softmax before the products' sum: softmax of child and parent vectors separately"""
    c, p = (states @ W_child.T).softmax(-1), (states @ W_parent.T).softmax(-1)
    s = c @ p.mT
    n = s.size(-1)
    return s.masked_fill(torch.eye(n, dtype=torch.bool), float("-inf")).softmax(-1)[:, 1:]


@wrong("17.parent_probabilities", "An infinity is in the wrong place, and the softmax becomes NaN")
def c4(states, W_child, W_parent):
    """diagonal subtracted infinity times eye: NaN from 0 * inf"""
    s = (states @ W_child.T) @ (states @ W_parent.T).mT
    n = s.size(-1)
    return (s - torch.eye(n) * float("inf")).softmax(-1)[:, 1:]


@wrong("17.parent_probabilities", "turns all axes round")
def c5(states, W_child, W_parent):
    """parents' matrix product with .T on a batch (axes turned)"""
    s = (states @ W_child.T) @ (states @ W_parent.T).T
    n = s.size(-1)
    return s.masked_fill(torch.eye(n, dtype=torch.bool), float("-inf")).softmax(-1)[:, 1:]


@wrong("17.parent_probabilities", "Some words are their own parents")
def c6(states, W_child, W_parent):
    """diagonal of the already cut table closed at i+... off by one the other way: eye shifted by diagonal=-1 / uses torch.diag offset 2"""
    s = ((states @ W_child.T) @ (states @ W_parent.T).mT)[:, 1:]
    m = torch.ones(s.shape[1:]).triu(2) * torch.ones(s.shape[1:]).tril(2)
    return s.masked_fill(m.bool(), float("-inf")).softmax(-1)


@wrong("17.parent_probabilities", "Your scores are the same in both directions, the mean of (i, j) and (j")
def c7(states, W_child, W_parent):
    """symmetric scores: (child·parent + parent·child)/2"""
    s = (states @ W_child.T) @ (states @ W_parent.T).mT
    s = (s + s.mT) / 2
    n = s.size(-1)
    return s.masked_fill(torch.eye(n, dtype=torch.bool), float("-inf")).softmax(-1)[:, 1:]


@wrong("17.parent_probabilities", "Your softmax goes over the sentences of the batch")
def c8(states, W_child, W_parent):
    """softmax over dim=0 (the batch)"""
    s = (states @ W_child.T) @ (states @ W_parent.T).mT
    n = s.size(-1)
    return s.masked_fill(torch.eye(n, dtype=torch.bool), float("-inf")).softmax(0)[:, 1:]


@wrong("17.parent_probabilities", "ROOT's state is set to 0, so its score is 0 for every word")
def c9(states, W_child, W_parent):
    """states of ROOT set to zero: ROOT's score is 0"""
    st = states.clone()
    st[:, 0] = 0
    s = (st @ W_child.T) @ (st @ W_parent.T).mT
    n = s.size(-1)
    return s.masked_fill(torch.eye(n, dtype=torch.bool), float("-inf")).softmax(-1)[:, 1:]


@wrong("17.parent_probabilities", "Only the first sentence's table comes back")
def c10(states, W_child, W_parent):
    """ROOT's row left out by [1:] after squeezing the batch: works for the first sentence only"""
    st = states[0]
    s = (st @ W_child.T) @ (st @ W_parent.T).mT
    n = s.size(-1)
    return s.masked_fill(torch.eye(n, dtype=torch.bool), float("-inf")).softmax(-1)[None, 1:]


@wrong("17.parent_probabilities", "The finished table is transposed, so a row is a parent")
def c11(states, W_child, W_parent):
    """rows swapped and ROOT's column cut from the swapped: uses mT of the right square table of scores (softmax over children named dim -1)"""
    s = (states @ W_child.T) @ (states @ W_parent.T).mT
    n = s.size(-1)
    return s.masked_fill(torch.eye(n, dtype=torch.bool), float("-inf")).softmax(-1).mT[:, 1:]


@wrong("17.parent_probabilities", "First: ROOT has a row")
def c12(states, W_child, W_parent):
    """two mistakes: roles swapped and ROOT's row kept"""
    s = (states @ W_parent.T) @ (states @ W_child.T).mT
    n = s.size(-1)
    return s.masked_fill(torch.eye(n, dtype=torch.bool), float("-inf")).softmax(-1)
