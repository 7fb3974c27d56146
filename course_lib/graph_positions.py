"""Where a word stands in a graph: a label on the edge between two words, or a depth in a tree, in place of a position.

    graph = GraphPositions(d_k=16, num_labels=25)          # learned: one vector for each label
    edges = step_labels(tree_steps(parents), most=4)       # (batch, n, n), of these sentences (course_lib/trees.py)
    x, _ = block(x, mask, graph=graph.of(edges))

Graphs differ from text to text. So what is learned is one module of the model, and `of` ties it to the graphs of one
batch: a `Positions` like all others, which is handed to each block at the call.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.errors import CourseError
from course_lib.positions import Embeddings, Keys, Positions, Queries, sinusoids
from course_lib.support.messages import described, whole_number
from course_lib.trees import Parents, tree_depths

Edges = Int[Tensor, "batch n n"]


class GraphPositions(nn.Module):
    """Each key, as a query sees it, gets a learned vector for their edge's label: e_ij = q_i · (k_j + r_ij) / √d_k.

    Shaw, Uszkoreit and Vaswani (2018), section 3.1, say it of any graph, and then take distances for labels, which is
    `positions.RelativePositions`. Mohammadshahi and Henderson (2020), "Graph-to-Graph Transformer", take a syntax tree.
    One table for all heads and blocks that get it. As in `RelativePositions` there is no second table for the values;
    Mohammadshahi's and Henderson's code has one, and divides only q_i · k_j by √d_k.
    """

    def __init__(self, d_k: int, num_labels: int):
        super().__init__()
        self.num_labels = whole_number("num_labels", num_labels, low=1)
        self.table = nn.Parameter(torch.randn(num_labels, d_k) * d_k**-0.5)

    def of(self, edges: Edges) -> Positions:
        """These edges as positions: edges[b, i, j] is the label between query i and key j, "no edge" being one, too.

        Raises CourseError for labels that the table doesn't have.
        """
        fits = edges.dim() == 3 and edges.shape[1] == edges.shape[2] and not edges.is_floating_point()
        if not fits or (edges.numel() and not 0 <= edges.min() <= edges.max() < self.num_labels):
            raise CourseError(
                f"edges should be labels, whole numbers from 0 to {self.num_labels - 1} of the shape (batch, n, n); "
                f"got {described(edges)}" + (f", from {edges.min()} to {edges.max()}." if edges.numel() else ".")
            )
        return _OfGraph(self.table, edges)


class _OfGraph(Positions):
    """The table and the edges of one batch. It lives for one call: its model holds the table."""

    def __init__(self, table: nn.Parameter, edges: Edges):
        super().__init__()
        self.table, self.edges = table, edges

    def bias(self, query: Queries, key: Keys) -> Float[Tensor, "batch head query key"]:
        d_k, n = query.shape[-1], key.shape[-2]
        if d_k != self.table.shape[-1]:
            raise CourseError(
                f"The graph's vectors were made for heads of d_k = {self.table.shape[-1]}, but queries have "
                f"d_k = {d_k}. Make them with GraphPositions(d_k={d_k}, …)."
            )
        if self.edges.shape[1:] != (n, n) or query.shape[-2] != n or len(self.edges) not in (1, len(query)):
            raise CourseError(
                f"These graphs have the shape {tuple(self.edges.shape)}, but there are {len(query)} texts of "
                f"{query.shape[-2]} queries and {n} keys. Pass each batch the graphs of its own texts."
            )
        scores = query @ self.table.mT * d_k**-0.5  # (batch, head, query, label): each query meets each label once
        return scores.gather(-1, self.edges[:, None].expand(*scores.shape[:-1], n))


class DepthPositions(nn.Module):
    """x + tanh(W [sinusoids of the place; sinusoids of the depth in the tree]).

    After Wang, Tu, Wang and Shi (2019), "Self-Attention with Structural Position Representations", who combine the
    place in the sequence and the depth in the tree by a nonlinear function.
    """

    def __init__(self, d_model: int, max_len: int):
        super().__init__()
        table = sinusoids(torch.arange(whole_number("max_len", max_len, low=1), dtype=torch.float64), d_model)
        self.register_buffer("table", table.to(torch.get_default_dtype()), persistent=False)
        self.W = nn.Linear(2 * d_model, d_model, bias=False)

    def of(self, parents: Parents) -> Positions:
        """The places and depths in these trees, one for each text of the batch, (batch, n).

        Raises CourseError where one is no tree, or longer than max_len.
        """
        n = parents.shape[-1]
        if n > len(self.table):
            raise CourseError(
                f"There are positions for max_len = {len(self.table)} words, but these texts have {n}. "
                "Make the positions with a larger max_len, or cut the texts."
            )
        depths = self.table[tree_depths(parents)]  # (batch, n, d_model)
        places = self.table[:n].expand_as(depths)
        return _Added(self.W(torch.cat([places, depths], dim=-1)).tanh())


class _Added(Positions):
    """Vectors for the tokens of one batch."""

    def __init__(self, vectors: Float[Tensor, "batch n d_model"]):
        super().__init__()
        self.vectors = vectors

    def forward(self, x: Embeddings, start: int = 0) -> Embeddings:
        if start or x.shape[1:] != self.vectors.shape[1:]:
            raise CourseError(
                f"These positions are those of whole trees, {tuple(self.vectors.shape)}, but the embeddings are "
                f"{tuple(x.shape)} and begin at {start}. Pass the whole texts that the trees belong to."
            )
        return x + self.vectors
