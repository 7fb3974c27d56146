"""relative_scores, lesson 05."""

import torch

from course_lib import positions
from course_lib.checking.kinds import Case, Code
from course_lib.exercises.common import FINISHED_ATTENTION
from course_lib.exercises.inputs import integer, non_contiguous, randn


def _rows(n, k):
    return positions.clipped_distances(n, k) + k


def _relative_scores(query, key, table):
    return _scores(query, key, table[_rows(query.shape[-2], len(table) // 2)])


def _scores(query, key, r):
    """r (query, key, d_k): what is added to each key."""
    return (query @ key.mT + torch.einsum("...id,ijd->...ij", query, r)) / query.shape[-1] ** 0.5


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


@relative_scores.mistake(
    "Left and right have changed places: the distance is j − i, key minus query, so a key to the left has a negative one."
)
def query_minus_key(query, key, table):
    return _scores(query, key, table.flip(0)[_rows(query.shape[-2], len(table) // 2)])


@relative_scores.mistake(
    "Left and right get the same vector: you lost the sign of the distance. The table has a row for −k and another for +k."
)
def sign_lost(query, key, table):
    k = len(table) // 2
    return _scores(query, key, table[_rows(query.shape[-2], k).sub(k).abs() + k])


@relative_scores.mistake(
    "The rows are taken without adding k: distance −1 then picks the last row, since Python counts from the end. Row 0 is for distance −k."
)
def without_k(query, key, table):
    return _scores(query, key, table[positions.clipped_distances(query.shape[-2], len(table) // 2)])


@relative_scores.mistake("Farther than k, your keys get no vector at all. Clip: beyond k, a distance counts as k.")
def nothing_beyond(query, key, table):
    n, k = query.shape[-2], len(table) // 2
    near = (positions.distances(n).abs() <= k).to(query.dtype)
    return _scores(query, key, table[_rows(n, k)] * near[..., None])


@relative_scores.mistake(
    "Farther than k, the distances start over from the other end of the table. Clip them instead: beyond k, a distance counts as k."
)
def wraps_around(query, key, table):
    return _scores(query, key, table[(positions.distances(query.shape[-2]) + len(table) // 2) % len(table)])


@relative_scores.mistake(
    "The distances aren't clipped, so the table runs out of rows. Clip them to −k … k first: torch.clamp."
)
def not_clipped(query, key, table):
    n, k = query.shape[-2], len(table) // 2
    if n > k + 1:
        raise IndexError(f"index {len(table)} is out of bounds for dimension 0 with size {len(table)}")
    return _relative_scores(query, key, table)


@relative_scores.mistake(
    "You clip after adding k, at 0 and k: every key to the right counts as “here”. The rows go from 0 to 2k."
)
def right_side_lost(query, key, table):
    n, k = query.shape[-2], len(table) // 2
    return _scores(query, key, table[(positions.distances(n) + k).clamp(0, k)])


@relative_scores.mistake("You clip one step too early, at k − 1. The table has a row for −k and one for +k.")
def clipped_too_early(query, key, table):
    n, k = query.shape[-2], len(table) // 2
    return _scores(query, key, table[positions.clipped_distances(n, max(k - 1, 0)) + k])


@relative_scores.mistake("The scale is missing: divide the whole score by √d_k.")
def no_scale(query, key, table):
    return _relative_scores(query, key, table) * query.shape[-1] ** 0.5


@relative_scores.mistake("You divide by d_k. Divide by its root.")
def no_root(query, key, table):
    return _relative_scores(query, key, table) / query.shape[-1] ** 0.5


@relative_scores.mistake(
    "Only the dot product of query and key is divided by √d_k. The whole sum is: the vector r belongs to the key."
)
def only_content_scaled(query, key, table):
    r = table[_rows(query.shape[-2], len(table) // 2)]
    return _scores(query, key, r * query.shape[-1] ** 0.5)


@relative_scores.mistake("Only the part with r is divided by √d_k. The whole sum is.")
def only_relative_scaled(query, key, table):
    r = table[_rows(query.shape[-2], len(table) // 2)]
    return _scores(query, key * query.shape[-1] ** 0.5, r)


@relative_scores.mistake(
    "The distances have no effect: these are the plain scores. Add r to each key before the dot product."
)
def plain_scores(query, key, table):
    return query @ key.mT / query.shape[-1] ** 0.5


@relative_scores.mistake("The keys have no effect: only the distances count. The score is q · (k + r), both parts.")
def only_distances(query, key, table):
    return _scores(query, key * 0, table[_rows(query.shape[-2], len(table) // 2)])


@relative_scores.mistake("r meets the key. It should meet the query: q_i · (k_j + r) = q_i · k_j + q_i · r.")
def key_meets_r(query, key, table):
    r = table[_rows(query.shape[-2], len(table) // 2)]
    return (query @ key.mT + torch.einsum("...jd,ijd->...ij", key, r)) / query.shape[-1] ** 0.5


@relative_scores.mistake(
    "r is added as numbers of its own, without the query. It is added to the key: the query decides what a distance is worth."
)
def r_without_query(query, key, table):
    return (query @ key.mT + table[_rows(query.shape[-2], len(table) // 2)].sum(-1)) / query.shape[-1] ** 0.5


@relative_scores.mistake("Rows and columns have changed places: one row for each query, (query, key).")
def turned_round(query, key, table):
    return _relative_scores(query, key, table).mT


@relative_scores.mistake("These are weights already. The exercise asks for the scores, before the softmax.")
def softmax_taken(query, key, table):
    return _relative_scores(query, key, table).softmax(-1)
