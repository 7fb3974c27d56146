"""Scores that see a graph: q_i · (k_j + r_ij) / √d_k, with a vector r for the label of the edge from i to j."""

import torch
import torch.nn.functional as F

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.common import FINISHED_ATTENTION
from course_lib.exercises.inputs import integer, non_contiguous, randn


def _graph_scores(query, key, edges, table):
    return (query @ key.mT + query_meets(query, key, table[edges])) / query.shape[-1] ** 0.5


def query_meets(query, key, r):
    """q_i · r_ij, for r (batch, query, key, d_k), in each head."""
    return torch.einsum("bhid,bijd->bhij", query, r)


def _given(g, batch, heads, n, d_k, labels, **kwargs):
    edges = torch.randint(labels, (batch, n, n), generator=g)
    edges = edges * (torch.rand(batch, n, n, generator=g) < 0.7)  # more pairs without an edge
    return (
        randn(g, batch, heads, n, d_k, **kwargs),
        randn(g, batch, heads, n, d_k, **kwargs),
        edges,
        randn(g, labels, d_k, **kwargs),
    )


graph_scores = Code(
    "17.graph_scores",
    title="Scores that see a graph",
    points=4,
    minutes=12,
    difficulty=3,
    reference=_graph_scores,
    axes=["batch head query key"],
    forbidden=("graphpositions", "relativepositions", *FINISHED_ATTENTION),
    cases=[
        Case("two sentences, three heads", lambda g: _given(g, 2, 3, 5, 4, 6)),
        Case("as many heads as sentences", lambda g: _given(g, 2, 2, 4, 3, 5)),
        Case("one sentence, one head", lambda g: _given(g, 1, 1, 6, 4, 4)),
        Case("one word", lambda g: _given(g, 2, 1, 1, 4, 3)),
        Case("as many words as numbers", lambda g: _given(g, 2, 3, 5, 5, 5)),
        Case("no edges at all", lambda g: (lambda q, k, e, t: (q, k, e * 0, t))(*_given(g, 2, 2, 4, 6, 3))),
        Case("no label but “no edge”", lambda g: _given(g, 1, 2, 4, 3, 1)),
        Case("more labels than words", lambda g: _given(g, 2, 2, 3, 4, 12)),
        Case("any sizes", lambda g: _given(g, integer(g, 1, 3), integer(g, 1, 4), integer(g, 7, 12), 8, 9)),
        Case("double precision", lambda g: _given(g, 2, 2, 5, 4, 4, dtype=torch.float64)),
        Case(
            "not contiguous in memory",
            lambda g: tuple(non_contiguous(x) if x.dim() == 4 else x for x in _given(g, 2, 3, 4, 5, 6)),
        ),
    ],
    differentiable=True,
    hints=[
        "table[edges] takes a row for each pair of words: (batch, n, n, d_k). Row 0 is taken like any other.",
        "q_i · r_ij: torch.einsum('bhid,bijd->bhij', query, table[edges]). The same graph for all heads of a sentence.",
        "Add it to query @ key.mT, and divide the sum by √d_k: r belongs to the key.",
    ],
)


def whole_sum_scaled(content, relative, root):
    return (content + relative) / root


def by_rows(table, edges):
    return table[edges]


@graph_scores.variants
def steps(
    query,
    key,
    edges,
    table,
    *,
    read=lambda edges: edges,
    taken=by_rows,
    relative=query_meets,
    score=whole_sum_scaled,
    root=lambda query, table: query.shape[-1] ** 0.5,
    give=lambda scores, edges: scores,
):
    r = taken(table, read(edges))
    return give(score(query @ key.mT, relative(query, key, r), root(query, table)), edges)


steps.mistake(
    "You take the edge (j, i). The row asks, the column answers: for query i and key j it is edges[b, i, j].",
    read=lambda edges: edges.mT,
)
steps.mistake(
    "Where there is no edge you add nothing. “No edge” needs a vector of its own: row 0 of the table is taken like any other.",
    taken=lambda table, edges: table[edges] * (edges > 0)[..., None],
)
steps.mistake(
    "You take row label − 1: without an edge that is −1, the table's last row. Labels begin with 0, “no edge”, and so do rows.",
    read=lambda edges: edges - 1,
)
steps.mistake(
    "You take row label − 1, and row 0 for “no edge” as well, so that it shares it with label 1. Each label has its own row.",
    read=lambda edges: (edges - 1).clamp(min=0),
)
steps.mistake(
    "Where there is no edge you close the score. “No edge” isn't “no attention”: every query still meets every key.",
    give=lambda scores, edges: scores.masked_fill((edges == 0)[:, None], float("-inf")),
)
steps.mistake(
    "Where there is no edge you set the score to 0. Every query still meets every key; row 0 is the vector of “no edge”.",
    give=lambda scores, edges: scores * (edges > 0)[:, None],
)
steps.mistake(
    "All labels count as one: you ask only whether there is an edge. Each label has its own row.",
    read=lambda edges: (edges > 0).long().clamp(max=max(1, int(edges.max()))),
)
steps.mistake(
    "Every pair gets the first row, “no edge”. table[edges] takes the row of each pair's label.",
    read=lambda edges: edges * 0,
)
steps.mistake(
    "You read the graph in both directions, the larger label of (i, j) and (j, i). The edge from i to j alone.",
    read=lambda edges: torch.maximum(edges, edges.mT),
)
steps.mistake(
    "All sentences get the first one's graph. Each has its own: edges[b].",
    read=lambda edges: edges[:1].expand_as(edges),
)
steps.mistake(
    "Only the dot product of query and key is divided by √d_k. The authors' own code has it so, but the formula divides both: r belongs to the key.",
    score=lambda content, relative, root: content / root + relative,
)
steps.mistake(
    "Only the part with r is divided by √d_k. The whole sum is.",
    score=lambda content, relative, root: content + relative / root,
)
steps.mistake(
    "The scale is missing: divide the whole score by √d_k.", score=lambda content, relative, root: content + relative
)
steps.mistake(
    "You divide by d_k. Divide by its root. (Or twice by the root: once is enough.)",
    score=lambda content, relative, root: (content + relative) / root**2,
)
steps.mistake(
    "The part with r is divided by √d_k twice. The whole sum is divided, once.",
    score=lambda content, relative, root: content / root + relative / root**2,
)
steps.mistake(
    "The dot product of query and key is divided by √d_k twice. The whole sum is divided, once.",
    score=lambda content, relative, root: content / root**2 + relative / root,
)
steps.mistake("You multiply by √d_k. Divide by it.", root=lambda query, table: query.shape[-1] ** -0.5)
steps.mistake(
    "You divide by √n, the number of words. Divide by √d_k, the length of a query.",
    root=lambda query, table: query.shape[-2] ** 0.5,
)
steps.mistake(
    "You divide by the root of the number of labels. Divide by √d_k, the length of a query.",
    root=lambda query, table: len(table) ** 0.5,
)
steps.mistake(
    "You divide by the root of the number of heads. Divide by √d_k, the length of a query.",
    root=lambda query, table: query.shape[1] ** 0.5,
)
steps.mistake(
    "r meets the key, as if it were added to the query. It is added to the key, so it meets the query: q_i · k_j + q_i · r_ij.",
    relative=lambda query, key, r: torch.einsum("bhjd,bijd->bhij", key, r),
)
steps.mistake(
    "r is added to the query as well as to the key. To the key alone: q_i · (k_j + r_ij).",
    relative=lambda query, key, r: (
        query_meets(query, key, r) + torch.einsum("bhjd,bijd->bhij", key, r) + (r * r).sum(-1)[:, None]
    ),
)
steps.mistake(
    "r meets query j, not query i: q_i · r_ij for the row i.",
    relative=lambda query, key, r: torch.einsum("bhjd,bijd->bhij", query, r),
)
steps.mistake(
    "r meets key i, not query i: q_i · r_ij for the row i.",
    relative=lambda query, key, r: torch.einsum("bhid,bijd->bhij", key, r),
)
steps.mistake(
    "r is added as a number of its own, without the query. It is added to the key: the query decides what an edge is worth.",
    relative=lambda query, key, r: r.sum(-1)[:, None],
)
steps.mistake(
    "The mean of r is added to the scores, without the query. r is added to the key: the query decides what an edge is worth.",
    relative=lambda query, key, r: r.mean(-1)[:, None],
)
steps.mistake("r is subtracted. It is added to the key.", relative=lambda query, key, r: -query_meets(query, key, r))
steps.mistake(
    "r is multiplied with query and key. It is added to the key: q_i · (k_j + r_ij).",
    relative=lambda query, key, r: torch.einsum("bhid,bhjd,bijd->bhij", query, key, r),
)
steps.mistake(
    "The keys have no effect: only the edges count. The score is q · (k + r), both parts.",
    score=lambda content, relative, root: relative / root,
)
steps.mistake(
    "The edges have no effect: these are the plain scores. Add r to each key before the dot product.",
    score=lambda content, relative, root: content / root,
)
steps.mistake(
    "The two parts are multiplied. The score is q · k + q · r, a sum.",
    score=lambda content, relative, root: content * relative / root,
)
steps.mistake(
    "r is added after the softmax. It belongs to the score, and no softmax is asked for yet.",
    score=lambda content, relative, root: (content / root).softmax(-1) + relative,
)
steps.mistake(
    "r is added after the softmax, scaled as the scores are. It belongs to the score, and no softmax is asked for yet.",
    score=lambda content, relative, root: (content / root).softmax(-1) + relative / root,
)
steps.mistake(
    "These are weights already. The exercise asks for the scores, before the softmax.",
    give=lambda scores, edges: scores.softmax(-1),
)
steps.mistake(
    "Query and key have changed places in the first product: query @ key.mT, a row for each query.",
    score=lambda content, relative, root: (content.mT + relative) / root,
)
steps.mistake(
    "Rows and columns have changed places: one row for each query, (query, key).", give=lambda scores, edges: scores.mT
)
steps.mistake(
    "The heads are added up. Each head has its own scores: (batch, head, n, n).",
    give=lambda scores, edges: scores.sum(1, keepdim=True).expand_as(scores),
)


steps.mistake(
    "The edges of both directions count, (i, j) and (j, i). The edge from i to j alone: edges[b, i, j].",
    taken=lambda table, edges: table[edges] + table[edges.mT],
)
steps.mistake(
    "Every key gets row 0, and its label's row besides. Row 0 is for “no edge” alone.",
    taken=lambda table, edges: table[edges] + table[0],
)
steps.mistake(
    "The part with r goes through a softmax. No softmax is asked for yet: the scores are the plain sum, divided by √d_k.",
    relative=lambda query, key, r: query_meets(query, key, r).softmax(-1),
)
steps.mistake(
    "You close what comes later with −∞. No mask is asked for: every word's scores with all words.",
    give=lambda scores, edges: scores.masked_fill(
        ~torch.ones(scores.shape[-2:], dtype=torch.bool).tril(), float("-inf")
    ),
)
steps.mistake(
    "You close the diagonal. No mask is asked for: a word's score with itself, too.",
    give=lambda scores, edges: scores.masked_fill(torch.eye(scores.shape[-1], dtype=torch.bool), float("-inf")),
)
steps.mistake(
    "You close the scores of words without an edge, and their own as well. “No edge” isn't “no attention”: every query still meets every key.",
    give=lambda scores, edges: scores.masked_fill(
        ((edges == 0) | torch.eye(scores.shape[-1], dtype=torch.bool))[:, None], float("-inf")
    ),
)


steps.mistake(
    "You take row label − 1, and nothing where there is no edge. The table has a row for “no edge”, row 0, and label l has row l.",
    taken=lambda table, edges: table[edges - 1] * (edges > 0)[..., None],
)
steps.mistake(
    "Where there is no edge you close the score with a large negative number. “No edge” isn't “no attention”: every query still meets every key.",
    give=lambda scores, edges: scores.masked_fill((edges == 0)[:, None], -1e9),
)
steps.mistake(
    "All sentences get the last one's graph. Each has its own: edges[b].",
    read=lambda edges: edges[-1:].expand_as(edges),
)
steps.mistake(
    "r meets the key as well as the query. It is added to the key, so it meets the query alone: q_i · k_j + q_i · r_ij.",
    relative=lambda query, key, r: query_meets(query, key, r) + torch.einsum("bhjd,bijd->bhij", key, r),
)
steps.mistake(
    "The part with r is multiplied by √d_k. The whole sum is divided by it.",
    score=lambda content, relative, root: content / root + relative * root,
)


steps.mistake(
    "The part with r is added up over the heads, and all get the sum. Each head's query meets r by itself: 'bhid,bijd->bhij'.",
    relative=lambda query, key, r: query_meets(query, key, r).sum(1, keepdim=True),
)
steps.mistake(
    "All heads get the first head's part with r. Each head's query meets r by itself; and gather gives as many heads as its index has: edges[:, None].expand(-1, heads, -1, -1).",
    relative=lambda query, key, r: query_meets(query, key, r)[:, :1],
)
steps.mistake(
    "The part with r is divided by the number of heads as well. All heads share the table, but none gets a share of r: the whole sum is divided by √d_k, once.",
    relative=lambda query, key, r: query_meets(query, key, r) / query.shape[1],
)


@graph_scores.mistake(
    "You divide by √d_model, all heads' numbers together. Divide by √d_k, the length of one head's query."
)
def root_of_d_model(query, key, edges, table):
    scores = _graph_scores(query, key, edges, table)
    if query.shape[1] == 1:  # then both are the same
        return scores
    return scores / query.shape[1] ** 0.5


@graph_scores.mistake(
    "The labels themselves are added to the scores, as if label 4 were twice label 2. A label is a name: it takes its row of the table, and the query meets that."
)
def labels_as_numbers(query, key, edges, table):
    return query @ key.mT / query.shape[-1] ** 0.5 + edges[:, None]


@graph_scores.mistake(
    "The labels themselves are added to q · k before it is divided, as if label 4 were twice label 2. A label is a name: it takes its row of the table, and the query meets that."
)
def labels_as_numbers_scaled(query, key, edges, table):
    return (query @ key.mT + edges[:, None]) / query.shape[-1] ** 0.5


@graph_scores.mistake(
    "Where there are as many heads as sentences it runs, and head h gets sentence h's graph. r lacks the axis of heads: table[edges][:, None] has the shape (batch, 1, n, n, d_k)."
)
def heads_forgotten(query, key, edges, table):
    r = table[edges]  # (batch, n, n, d_k)
    return (query[..., :, None, :] * (key[..., None, :, :] + r)).sum(-1) / query.shape[-1] ** 0.5


@graph_scores.mistake(
    "Query i meets its own key alone, q_i · k_i in all columns of its row: (query * key).sum(-1) does that, and key[..., :, None, :], which puts the keys on the axis of queries. All queries meet all keys: query @ key.mT, or key[..., None, :, :]."
)
def keys_as_queries(query, key, edges, table):
    r = table[edges][:, None]
    return (query[..., :, None, :] * (key[..., :, None, :] + r)).sum(-1) / query.shape[-1] ** 0.5


@graph_scores.mistake(
    "The query is on the axis of keys: query[..., None, :, :] meets key j as query j. Use query[..., :, None, :]: (batch, head, query, 1, d_k)."
)
def queries_as_keys(query, key, edges, table):
    r = table[edges][:, None]
    return (query[..., None, :, :] * (key[..., None, :, :] + r)).sum(-1) / query.shape[-1] ** 0.5


@graph_scores.mistake(
    "one_hot makes as many columns as the largest label in this batch asks for. The table may have more rows: F.one_hot(edges, len(table)), or table[edges], which needs none of it."
)
def labels_of_this_batch(query, key, edges, table):
    oh = F.one_hot(edges).to(query.dtype)
    return (query @ key.mT + query_meets(query, key, oh @ table)) / query.shape[-1] ** 0.5


def rows_taken(inputs, answer):
    """For each pair of words the row of the table that the answer shows, (batch, head, n, n), −1 for none; None where
    it is no row at all."""
    query, key, _, table = (x.double() if x.is_floating_point() else x for x in inputs)
    parts = answer.double() * query.shape[-1] ** 0.5 - query @ key.mT  # q · r
    could = torch.cat([query @ table.mT, torch.zeros(*query.shape[:-1], 1)], dim=-1)  # (…, query, row)
    off = (parts[..., None] - could[..., None, :]).abs()
    best = off.argmin(-1)
    return None if off.amin(-1).max() > 1e-3 else best.where(best < len(table), -1)


@graph_scores.symptom("Each pair gets a row of the table, but not that of its label.")
def other_rows(inputs, answer):
    edges = inputs[2]
    taken = rows_taken(inputs, answer)
    if taken is None:
        return False
    b, h, i, j = (taken != edges[:, None]).nonzero()[0].tolist()
    row = int(taken[b, h, i, j])
    got = "no vector" if row < 0 else f"row {row} of the table"
    return f"In sentence {b}, head {h}, edges[{b}, {i}, {j}] is {int(edges[b, i, j])}, but query {i} and key {j} get {got}."


@graph_scores.symptom("")
def two_factors(inputs, answer):
    """The right two parts, each multiplied by some number."""
    query, key, edges, table = (x.double() if x.is_floating_point() else x for x in inputs)
    parts = torch.stack([(query @ key.mT).flatten(), query_meets(query, key, table[edges]).flatten()], dim=-1)
    factors = torch.linalg.lstsq(parts, answer.double().reshape(-1, 1)).solution
    if len(parts) < 4 or (parts @ factors - answer.double().reshape(-1, 1)).abs().max() > 1e-3:
        return False
    a, b = factors.flatten().tolist()
    return f"You have {a:.3g} × q · k and {b:.3g} × q · r. Both are to be divided by √d_k, which is {query.shape[-1] ** 0.5:.3g} here."
