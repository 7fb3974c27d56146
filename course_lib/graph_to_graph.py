"""A Transformer that reads a graph over its words, and writes one: for each word its parent, and the edge's label.

Mohammadshahi and Henderson (2020), "Graph-to-Graph Transformer for Transition-based Dependency Parsing", and (2021),
"Recursive Non-Autoregressive Graph-to-Graph Transformer for Dependency Parsing with Iterative Refinement".

    ids → token → blocks → states → EdgeScorer → scores of parents and labels → Graph
                  ↑ edges as labels of pairs (GraphPositions)                     │
                  └───────────────── refine: what was drawn, once more ───────────┘

    model = GraphToGraph(GraphConfig(vocab_size=90, num_labels=12))
    loss = model.loss(batch)                                  # a TreeBatch
    first, second = model.refine(ids, mask, rounds=2)         # two Graphs

Place 0 of each text is ROOT. The papers' head, dependent and arc are parent, child and edge here: a head is one of
attention's.
"""

from dataclasses import dataclass
from typing import NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from course_lib.graph_positions import Edges, GraphPositions
from course_lib.layers import Block, LayerNorm
from course_lib.masks import Mask, check_padding_mask, length_mask
from course_lib.positions import SCHEMES, make_positions
from course_lib.support.inputs import check_ids
from course_lib.support.messages import one_of, whole_number
from course_lib.trees import edge_labels, is_tree

Ids = Int[Tensor, "batch n"]
Words = Bool[Tensor, "batch n"]
ParentScores = Float[Tensor, "batch child parent"]
LabelScores = Float[Tensor, "batch child parent label"]


class Graph(NamedTuple):
    """The parent of each word, and the label of the edge to it: 0 and 0 at ROOT and at padding."""

    parents: Ids
    labels: Ids


@dataclass(frozen=True)
class TreeBatch:
    """Texts with their graphs. ROOT stands at place 0 and counts in `lengths`; padding stands behind."""

    ids: Ids
    lengths: Int[Tensor, "batch"]
    graph: Graph

    @property
    def mask(self) -> Bool[Tensor, "batch 1 1 n"]:
        return length_mask(self.lengths, self.ids.shape[1])


class EdgeScorer(nn.Module):
    """How well each place fits as each word's parent, and each label on an edge between them.

    Dozat and Manning (2017), "Deep Biaffine Attention for Neural Dependency Parsing": attention whose weights are the
    answer. Two small networks make a child and a parent of each state, c and p, and two more for the labels. With a 1
    behind c or p, a bias is one more row of U:

        parent[i, j] = [cᵢ; 1]ᵀ U pⱼ          label[i, j, l] = [cᵢ'; 1]ᵀ U_l [pⱼ'; 1]
    """

    def __init__(self, d_model: int, num_labels: int, d_edge: int):
        super().__init__()
        whole_number("num_labels", num_labels, low=1), whole_number("d_edge", d_edge, low=1)
        self.child, self.parent, self.label_child, self.label_parent = (
            nn.Sequential(nn.Linear(d_model, d_edge), nn.ReLU()) for _ in range(4)
        )
        self.U = nn.Parameter(torch.randn(d_edge + 1, d_edge) / d_edge)
        self.U_label = nn.Parameter(torch.randn(num_labels, d_edge + 1, d_edge + 1) / d_edge)

    def forward(
        self, states: Float[Tensor, "batch n d_model"], mask: Mask | None = None
    ) -> tuple[ParentScores, LabelScores]:
        """Scores before the softmax over parents, or over labels. `mask` is a padding mask, (batch, 1, 1, n).

        No place is its own parent, and none hangs on padding: −∞. Any word may hang on ROOT, and ROOT's own row has a
        meaning as little as padding's.
        """
        parent = _with_one(self.child(states)) @ self.U @ self.parent(states).mT  # (batch, child, parent)
        open = ~torch.eye(states.shape[1], dtype=torch.bool, device=states.device)
        open = open if mask is None else open & mask[:, 0]
        c, p = _with_one(self.label_child(states)), _with_one(self.label_parent(states))
        label = torch.einsum("bif, lfg, bjg -> bijl", c, self.U_label, p)
        return parent.masked_fill(~open, float("-inf")), label


@dataclass(frozen=True)
class GraphConfig:
    """The sizes of a GraphToGraph. `num_labels` counts the labels of edges; `max_len` counts ROOT, too."""

    vocab_size: int
    num_labels: int
    d_model: int = 64
    num_heads: int = 4
    d_ff: int = 256
    num_layers: int = 2
    max_len: int = 48
    d_edge: int = 32
    # Of the sequence, one of course_lib.positions.SCHEMES. With sinusoids a parent's value carries its place, too; with
    # "relative" alone a graph that was given went unread (data/parser_runs.md).
    positions: str = "sinusoidal"

    def __post_init__(self):
        for name in ("vocab_size", "num_labels", "d_model", "num_heads", "d_ff", "max_len", "d_edge"):
            whole_number(name, getattr(self, name), low=1)
        whole_number("num_layers", self.num_layers)  # with 0 each word is judged by itself
        one_of("positions", self.positions, SCHEMES)


class GraphToGraph(nn.Module):
    """An encoder whose attention sees edges, and a scorer of edges. Each block begins by adding nothing."""

    def __init__(self, config: GraphConfig):
        super().__init__()
        self.config = config
        d, h = config.d_model, config.num_heads
        self.token = nn.Embedding(config.vocab_size, d)
        nn.init.normal_(self.token.weight, std=0.5**0.5)  # as large as sinusoids are
        self.positions = make_positions(config.positions, d, h, config.max_len)
        compared = self.positions if self.positions.relative else None  # the others are added to the embeddings
        self.blocks = nn.ModuleList(Block(d, h, config.d_ff, positions=compared) for _ in range(config.num_layers))
        for block in self.blocks:
            nn.init.zeros_(block.attention.W_O.weight)
            nn.init.zeros_(block.feed_forward.W_2.weight)
        self.graph = GraphPositions(d // h, 2 * config.num_labels + 1)  # no edge, my parent by l, my child by l
        self.final_norm = LayerNorm(d)
        self.scorer = EdgeScorer(d, config.num_labels, config.d_edge)

    def forward(
        self, ids: Ids, mask: Mask | None = None, edges: Edges | None = None
    ) -> tuple[ParentScores, LabelScores]:
        """The scores of `EdgeScorer`, by the words and by a graph over them that is given, as `trees.edge_labels`.

        Without `edges` no two words have one. Then r_ij is the same for all keys, and softmax doesn't see what it adds.
        Raises CourseError for ids that are no word's, texts too long, masks and edges that don't fit.
        """
        check_ids("ids", ids, self.config.vocab_size, self.config.max_len)
        check_padding_mask("mask", mask, *ids.shape)
        x = self.positions(self.token(ids))
        graph = None if edges is None else self.graph.of(edges)
        for block in self.blocks:
            x, _ = block(x, mask, graph=graph)
        return self.scorer(self.final_norm(x), mask)

    def loss(self, batch: TreeBatch, edges: Edges | None = None) -> Float[Tensor, ""]:
        """Cross-entropy of each word's parent, plus that of the label on the edge to it; means over words."""
        words = _words(batch.ids, batch.mask)
        parent, label = self(batch.ids, batch.mask, edges)
        parents, labels = batch.graph.parents[words], batch.graph.labels[words]
        of_right = label[words][torch.arange(len(parents)), parents]  # (word, label)
        return F.cross_entropy(parent[words], parents) + F.cross_entropy(of_right, labels)

    @torch.no_grad()
    def predict(self, ids: Ids, mask: Mask | None = None, edges: Edges | None = None) -> Graph:
        """For each word the best parent, and the best label for that edge. Each by itself: it need not be a tree."""
        parent, label = self(ids, mask, edges)
        words = _words(ids, mask)
        parents = parent.argmax(dim=-1).where(words, 0)
        best = label.argmax(dim=-1).gather(-1, parents[..., None])[..., 0]
        return Graph(parents, best.where(words, 0))

    def refine(self, ids: Ids, mask: Mask | None = None, rounds: int = 2) -> list[Graph]:
        """The graph of each round: the first from the words alone, each other from the words and the graph before."""
        drawn = [self.predict(ids, mask)]
        for _ in range(whole_number("rounds", rounds, low=1) - 1):
            drawn.append(self.predict(ids, mask, self.edges(drawn[-1])))
        return drawn

    def edges(self, graph: Graph) -> Edges:
        """A graph as this model reads it: a label for each pair. Drawn graphs are constants, nothing is learned through
        the choice of an edge."""
        return edge_labels(graph.parents, graph.labels, self.config.num_labels)


def attachment(predicted: Graph, gold: Graph, mask: Mask | None = None) -> dict[str, float]:
    """How much of the gold graph was found, as shares: of all words, of all words, of all sentences.

    unlabelled: its parent is right (the field's UAS). labelled: parent and label are (LAS). trees: the arcs are a tree.
    """
    words = _words(gold.parents, mask)
    right = (predicted.parents == gold.parents)[words]
    both = right & (predicted.labels == gold.labels)[words]
    shares = {"unlabelled": right, "labelled": both, "trees": is_tree(predicted.parents)}
    return {name: share.double().mean().item() for name, share in shares.items()}


def _words(ids: Ids, mask: Mask | None) -> Words:
    """Where a word stands: neither ROOT nor padding."""
    words = torch.ones_like(ids, dtype=torch.bool) if mask is None else mask[:, 0, 0].expand(ids.shape).clone()
    words[:, 0] = False
    return words


def _with_one(x: Float[Tensor, "*axes d"]) -> Float[Tensor, "*axes more"]:
    return F.pad(x, (0, 1), value=1.0)
