"""Shaw's relative scores: q_i · (k_j + r) / √d_k, with a vector r for the distance j − i, clipped to ±k."""

import torch

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.common import FINISHED_ATTENTION
from course_lib.exercises.inputs import integer, non_contiguous, randn
from course_lib.positions import clipped_distances, distances


def _relative_scores(query, key, table):
    k = len(table) // 2
    r = table[clipped_distances(query.shape[-2], k) + k]
    return (query @ key.mT + query_meets(query, key, r)) / query.shape[-1] ** 0.5


def query_meets(query, key, r):
    """q_i · r_ij, for r (query, key, d_k)."""
    return torch.einsum("...id,ijd->...ij", query, r)


def _relative(g, n, d_k, k, leading=(), **kwargs):
    return (
        randn(g, *leading, n, d_k, **kwargs),
        randn(g, *leading, n, d_k, **kwargs),
        randn(g, 2 * k + 1, d_k, **kwargs),
    )


relative_scores = Code(
    "05.relative_scores",
    title="How far apart?",
    points=4,
    minutes=15,
    difficulty=3,
    reference=_relative_scores,
    axes=["... query key"],
    forbidden=("clipped_distances", "relativepositions", *FINISHED_ATTENTION),
    cases=[
        Case("six words, told apart up to 2", lambda g: _relative(g, 6, 4, 2)),
        Case("all distances told apart", lambda g: _relative(g, 4, 3, 5)),
        Case("as many words as numbers", lambda g: _relative(g, 5, 5, 2)),
        Case("one word", lambda g: _relative(g, 1, 4, 3)),
        Case("left, here, right", lambda g: _relative(g, 7, 6, 1)),
        Case("no distances told apart", lambda g: _relative(g, 4, 2, 0)),
        Case("as many rows as words", lambda g: _relative(g, 7, 3, 3)),
        Case("a batch with heads", lambda g: _relative(g, 5, 4, 2, (2, 3))),
        Case("heads as many as words", lambda g: _relative(g, 3, 4, 1, (3, 3))),
        Case("any sizes", lambda g: _relative(g, integer(g, 8, 14), 8, integer(g, 2, 5), (integer(g, 1, 2),))),
        Case("double precision", lambda g: _relative(g, 6, 4, 2, dtype=torch.float64)),
        Case("not contiguous in memory", lambda g: tuple(map(non_contiguous, _relative(g, 5, 4, 2)))),
    ],
    differentiable=True,
    hints=[
        "First a matrix of distances, (n, n): distance[i, j] = j − i. Two aranges, one turned into a column, and broadcasting.",
        "clamp the distances to −k … k and add k: now they are rows of the table. table[rows] has the shape (n, n, d_k).",
        "The dot product of query i with r[i, j]: torch.einsum('...id,ijd->...ij', query, r). Add it to query @ key.mT, and divide the sum by √d_k.",
    ],
)


def clipped(distance, k):
    return distance.clamp(-k, k)


def whole_sum_scaled(content, relative, root):
    return (content + relative) / root


@relative_scores.variants
def steps(
    query,
    key,
    table,
    *,
    rows=lambda distance, k: clipped(distance, k) + k,
    relative=query_meets,
    score=whole_sum_scaled,
    root=lambda query, table: query.shape[-1] ** 0.5,
    half=lambda table: len(table) // 2,
    give=lambda scores: scores,
):
    distance, k = distances(query.shape[-2]), half(table)
    r = table[rows(distance, k)]
    return give(score(query @ key.mT, relative(query, key, r), root(query, table)))


steps.mistake(
    "Left and right have changed places: the distance is j − i, key minus query, so a key to the left has a negative one.",
    rows=lambda distance, k: clipped(-distance, k) + k,
)
steps.mistake(
    "Left and right get the same vector: you lost the sign of the distance. The table has a row for −k and another for +k.",
    rows=lambda distance, k: clipped(distance.abs(), k) + k,
)
steps.mistake(
    "The rows are taken without adding k: distance −1 then picks the last row, since Python counts from the end. Row 0 is for distance −k.",
    rows=clipped,
)
steps.mistake(
    "Farther than k, the distances start over from the other end of the table. Clip them instead: beyond k, a distance counts as k.",
    rows=lambda distance, k: (distance + k) % (2 * k + 1),
)
steps.mistake(
    "The distances aren't clipped, or not on both sides, so the table runs out of rows. Clip them to −k … k first: torch.clamp.",
    rows=lambda distance, k: distance + k,
)
steps.mistake(
    "Every key to the right counts as “here”: you clip at −k and 0, or, after adding k, at 0 and k. Distances go from −k to k, and rows from 0 to 2k.",
    rows=lambda distance, k: (distance + k).clamp(0, k),
)
steps.mistake(
    "You clip one step too early, at k − 1. The table has a row for −k and one for +k.",
    rows=lambda distance, k: clipped(distance, max(k - 1, 0)) + k,
)
steps.mistake(
    "You clip the distances above only. To the left they go beyond −k, and negative rows count from the end of the table: clamp(-k, k).",
    rows=lambda distance, k: distance.clamp(max=k) + k,
)
steps.mistake(
    "You clip before k is added, at 0 and 2k: every key to the left counts as row 0. Either clip to −k … k and add k, or add k and clip to 0 … 2k.",
    rows=lambda distance, k: distance.clamp(0, 2 * k),
)
steps.mistake(
    "The distances to the left are all clipped to 0: every key to the left counts as “here”. Clip to −k … k, then add k.",
    rows=lambda distance, k: distance.clamp(0, k) + k,
)
steps.mistake(
    "You clip at 2k − 1 after adding k, so the last row is never used. The rows go from 0 to 2k.",
    rows=lambda distance, k: (distance + k).clamp(0, max(2 * k - 1, 0)),
)
steps.mistake(
    "Your k is too small by one. The table has 2k + 1 rows: k = len(table) // 2.",
    half=lambda table: len(table) // 2 - 1,
)
steps.mistake(
    "Your rows reach one too far. The table has 2k + 1 of them, so k = len(table) // 2; and distance −k has row 0: add k, no more.",
    half=lambda table: (len(table) + 1) // 2,
)
steps.mistake(
    "Your k is always 2. It comes with the table, which has 2k + 1 rows: k = len(table) // 2.", half=lambda table: 2
)
steps.mistake("You take the table's length for k. It has 2k + 1 rows, for −k … k: k = len(table) // 2.", half=len)
steps.mistake(
    "You divide by √n, the number of words. Divide by √d_k, the length of a query.",
    root=lambda query, table: query.shape[-2] ** 0.5,
)
steps.mistake(
    "You divide by √(2k + 1), from the table's length. Divide by √d_k, the length of a query.",
    root=lambda query, table: len(table) ** 0.5,
)
steps.mistake("You multiply by √d_k. Divide by it.", root=lambda query, table: query.shape[-1] ** -0.5)
steps.mistake(
    "Query and key have changed places in the first product: query @ key.mT, a row for each query.",
    score=lambda content, relative, root: (content.mT + relative) / root,
)
steps.mistake(
    "The two parts are multiplied. The score is q · k + q · r, a sum.",
    score=lambda content, relative, root: content * relative / root,
)
steps.mistake(
    "Left and right get the same vector, and row 0 stands for “here”: the sign of the distance is lost, and k isn't added. Row 0 is for distance −k.",
    rows=lambda distance, k: distance.abs().clamp(max=k),
)
steps.mistake(
    "The distances are one too small: key − query is 0 on the diagonal, and that has row k.",
    rows=lambda distance, k: clipped(distance - 1, k) + k,
)
steps.mistake(
    "The distances are one too large: key − query is 0 on the diagonal, and that has row k.",
    rows=lambda distance, k: clipped(distance + 1, k) + k,
)
steps.mistake("r is subtracted. It is added to the key.", relative=lambda query, key, r: -query_meets(query, key, r))
steps.mistake(
    "r is added to the query as well as to the key. Add it to the key alone: q_i · (k_j + r).",
    relative=lambda query, key, r: (
        query_meets(query, key, r) + torch.einsum("...jd,ijd->...ij", key, r) + (r * r).sum(-1)
    ),
)
steps.mistake(
    "The scale is missing: divide the whole score by √d_k.", score=lambda content, relative, root: content + relative
)
steps.mistake(
    "You divide by d_k. Divide by its root.", score=lambda content, relative, root: (content + relative) / root**2
)
steps.mistake(
    "Only the dot product of query and key is divided by √d_k. The whole sum is: the vector r belongs to the key.",
    score=lambda content, relative, root: content / root + relative,
)
steps.mistake(
    "Only the part with r is divided by √d_k. The whole sum is.",
    score=lambda content, relative, root: content + relative / root,
)
steps.mistake(
    "The distances have no effect: these are the plain scores. Add r to each key before the dot product.",
    score=lambda content, relative, root: content / root,
)
steps.mistake(
    "The keys have no effect: only the distances count. The score is q · (k + r), both parts.",
    score=lambda content, relative, root: relative / root,
)
steps.mistake(
    "r meets the key. It should meet the query: q_i · (k_j + r) = q_i · k_j + q_i · r.",
    relative=lambda query, key, r: torch.einsum("...jd,ijd->...ij", key, r),
)
steps.mistake(
    "r is added as numbers of its own, without the query. It is added to the key: the query decides what a distance is worth.",
    relative=lambda query, key, r: r.sum(-1),
)
steps.mistake(
    "Rows and columns have changed places: one row for each query, (query, key).", give=lambda scores: scores.mT
)
steps.mistake(
    "These are weights already. The exercise asks for the scores, before the softmax.",
    give=lambda scores: scores.softmax(-1),
)


steps.mistake(
    "You take the absolute value after k was added. That makes nothing of the far left: −k − 1 becomes row 1. Clip the distances to −k … k, then add k.",
    rows=lambda distance, k: (distance + k).abs().clamp(max=2 * k),
)
steps.mistake(
    "You subtract k in place of adding it: distance −k has row 0, so the row is distance + k.",
    rows=lambda distance, k: clipped(distance, k) - k,
)
steps.mistake(
    "You add k + 1. Distance −k has row 0, and distance 0 has row k.",
    rows=lambda distance, k: (clipped(distance, k) + k + 1).clamp(max=2 * k),
)
steps.mistake(
    "Beyond k your distances count as 0. Clip them: beyond k, a distance counts as k, to the left as −k.",
    rows=lambda distance, k: distance * (distance.abs() <= k) + k,
)
steps.mistake(
    "You clip at 0 and k: every key to the left counts as “here”, and k isn't added. Clip to −k … k, then add k.",
    rows=lambda distance, k: distance.clamp(0, k),
)
steps.mistake(
    "Your distance is i + j. It is key − query, j − i.",
    rows=lambda distance, k: clipped((torch.arange(len(distance))[:, None] + torch.arange(len(distance))), k) + k,
)
steps.mistake(
    "Your distance is the key's place alone. It is key − query, j − i.",
    rows=lambda distance, k: clipped(torch.arange(len(distance)).expand_as(distance), k) + k,
)
steps.mistake(
    "Your distance is the query's place alone. It is key − query, j − i.",
    rows=lambda distance, k: clipped(torch.arange(len(distance))[:, None].expand_as(distance), k) + k,
)
steps.mistake(
    "The scale is there twice: divide by √d_k once.",
    score=lambda content, relative, root: (content + relative) / root / root**1.0001,
)
steps.mistake(
    "You divide the key's part by √d_k and the part with r by d_k. The whole sum is divided by √d_k, once.",
    score=lambda content, relative, root: content / root + relative / root**2,
)
steps.mistake(
    "r is multiplied with query and key. It is added to the key: q_i · (k_j + r).",
    relative=lambda query, key, r: torch.einsum("...id,...jd,ijd->...ij", query, key, r),
)
steps.mistake(
    "r is taken for query j, not for query i: q_i · r for the row i.",
    relative=lambda query, key, r: torch.einsum("...jd,ijd->...ij", query, r),
)


@relative_scores.mistake(
    "You add r to the key on the wrong axis: key.unsqueeze(-2) stands on the axis of queries, so query i meets itself. Use key.unsqueeze(-3): (…, 1, key, d_k)."
)
def keys_as_queries(query, key, table):
    k = len(table) // 2
    r = table[clipped(distances(query.shape[-2]), k) + k]
    return (query.unsqueeze(-2) * (key.unsqueeze(-2) + r)).sum(-1) / query.shape[-1] ** 0.5


@relative_scores.mistake(
    "For one sentence it is right. With a batch in front, query.shape[:2] is no longer (n, d_k): count from the end, query.shape[-2:]."
)
def sizes_from_the_front(query, key, table):
    (n, d_k), k = query.shape[:2], len(table) // 2
    return (query @ key.mT + query_meets(query, key, table[clipped(distances(n), k) + k])) / d_k**0.5


@relative_scores.mistake(
    "For one sentence it is right. With a batch in front, key.T turns all axes round: .mT swaps the last two alone."
)
def all_axes_turned(query, key, table):
    k = len(table) // 2
    r = table[clipped(distances(query.shape[-2]), k) + k]
    return (query @ key.T + query_meets(query, key, r)) / query.shape[-1] ** 0.5


@relative_scores.mistake("Farther than k, your keys get no vector at all. Clip: beyond k, a distance counts as k.")
def nothing_beyond(query, key, table):
    near = distances(query.shape[-2]).abs() <= len(table) // 2
    return steps(query, key, table, relative=lambda *inputs: query_meets(*inputs) * near)


steps.mistake(
    "You close what comes later with −∞. No mask is asked for: every word's scores with all words.",
    give=lambda scores: scores.masked_fill(~torch.ones(scores.shape[-2:], dtype=torch.bool).tril(), float("-inf")),
)
steps.mistake(
    "The mean of r is added to the scores, without the query. r is added to the key: the query decides what a distance is worth.",
    relative=lambda query, key, r: r.mean(-1),
)


def rows_taken(inputs, answer):
    """For each (query, key) of a single sentence the row of the table that was taken; −1 for none, None for no row at all."""
    query, key, table = (x.double() for x in inputs)
    parts = answer.double() * query.shape[-1] ** 0.5 - query @ key.mT  # (query, key): q · r
    could = torch.cat([query @ table.T, torch.zeros(len(query), 1)], -1)  # (query, row), the last for no vector
    off = (parts[..., None] - could[:, None, :]).abs()
    best = off.argmin(-1)
    return None if off.amin(-1).max() > 1e-3 else best.where(best < len(table), -1)


@relative_scores.symptom("Each key gets a vector of the table, but not that of its distance.")
def other_rows(inputs, answer):
    if inputs[0].dim() > 2 or (taken := rows_taken(inputs, answer)) is None:
        return False
    k = len(inputs[2]) // 2
    distance = distances(len(taken))
    wrong = [
        (d, row)
        for d, row in zip(distance.flatten().tolist(), taken.flatten().tolist())
        if row != min(max(d, -k), k) + k
    ]
    d, row = min(wrong, key=lambda each: abs(each[0]))
    got = "no vector" if row < 0 else f"row {row} of the table"
    return f"With k = {k}, a key at distance {d} gets {got}; it should get row {min(max(d, -k), k) + k}: clip the distance to −k … k, then add k."
