"""Graph in, graph out: the scorer against its loop, padding, ROOT, and what a graph that is given changes."""

import pytest
import torch
import torch.nn.functional as F

from course_lib.errors import CourseError
from course_lib.graph_to_graph import EdgeScorer, Graph, GraphConfig, GraphToGraph, TreeBatch, attachment
from course_lib.masks import length_mask
from course_lib.training import fit, muon_and_adamw
from course_lib.trees import chain, edge_labels

CONFIG = GraphConfig(vocab_size=11, num_labels=3, d_model=16, num_heads=2, d_ff=32, d_edge=5, max_len=12)


def random_model(**changes) -> GraphToGraph:
    """With blocks that do something: an untrained one's add nothing."""
    torch.manual_seed(0)
    model = GraphToGraph(GraphConfig(**vars(CONFIG) | changes)).double()
    for block in model.blocks:
        torch.nn.init.normal_(block.attention.W_O.weight, std=0.5)
        torch.nn.init.normal_(block.feed_forward.W_2.weight, std=0.5)
    return model.eval()


def random_batch(lengths=(9, 6, 2)) -> TreeBatch:
    torch.manual_seed(1)
    lengths = torch.tensor(lengths)
    n = int(lengths.max())
    words = torch.arange(n) < lengths[:, None]
    parents = chain(n).expand(len(lengths), n).where(words, 0)
    ids = torch.randint(1, 11, words.shape).where(words, 0)
    return TreeBatch(ids, lengths, Graph(parents, torch.randint(3, words.shape).where(parents > 0, 0)))


def test_the_scorer_is_its_loop():
    torch.manual_seed(0)
    scorer, states = EdgeScorer(6, 3, 4).double(), torch.randn(2, 5, 6, dtype=torch.float64)
    parent, label = scorer(states)
    one = torch.ones(1, dtype=torch.float64)
    for b in range(2):
        for i in range(5):
            for j in range(5):
                c, p = torch.cat([scorer.child(states[b, i]), one]), scorer.parent(states[b, j])
                expected = c @ scorer.U @ p if i != j else torch.tensor(-torch.inf, dtype=torch.float64)
                torch.testing.assert_close(parent[b, i, j], expected)
                c = torch.cat([scorer.label_child(states[b, i]), one])
                p = torch.cat([scorer.label_parent(states[b, j]), one])
                torch.testing.assert_close(label[b, i, j], torch.stack([c @ U @ p for U in scorer.U_label]))
    mask = length_mask(torch.tensor([5, 3]))
    probabilities = scorer(states, mask)[0].softmax(dim=-1)
    assert (probabilities[1, :, 3:] == 0).all()
    assert (probabilities.diagonal(dim1=1, dim2=2) == 0).all()
    assert (probabilities[:, 1:, 0] > 0).all()  # any word may hang on ROOT
    states.requires_grad_()
    assert torch.autograd.gradcheck(lambda x: scorer(x)[1], states)


@pytest.mark.parametrize("positions", ["relative", "sinusoidal", "rotary", "none"])
def test_a_padded_text_is_the_text_alone(positions):
    model, batch = random_model(positions=positions), random_batch()
    edges = model.edges(batch.graph)
    for given in (None, edges):
        together = model.predict(batch.ids, batch.mask, given)
        parent, _ = model(batch.ids, batch.mask, given)
        for row, length in enumerate(batch.lengths.tolist()):
            ids = batch.ids[row : row + 1, :length]
            part = None if given is None else given[row : row + 1, :length, :length]
            torch.testing.assert_close(model(ids, None, part)[0][0], parent[row, :length, :length])
            alone = model.predict(ids, None, part)
            for one, all_ in zip(alone, together, strict=True):
                assert torch.equal(one[0], all_[row, :length])
                assert (all_[row, length:] == 0).all() and all_[row, 0] == 0
            assert (alone.parents[0, 1:] != torch.arange(1, length)).all()  # nobody is its own parent


def test_no_edges_are_edges_labelled_0():
    model, batch = random_model(), random_batch()
    none = torch.zeros(3, 9, 9, dtype=torch.int64)
    for with_0, without in zip(model(batch.ids, batch.mask, none), model(batch.ids, batch.mask), strict=True):
        torch.testing.assert_close(with_0, without)


def test_each_round_reads_the_graph_before():
    model, batch = random_model(), random_batch()
    first, second, third = model.refine(batch.ids, batch.mask, rounds=3)
    assert all(map(torch.equal, first, model.predict(batch.ids, batch.mask)))
    edges = edge_labels(first.parents, first.labels, 3)
    assert all(map(torch.equal, second, model.predict(batch.ids, batch.mask, edges)))
    assert not torch.equal(model(batch.ids, batch.mask, edges)[0], model(batch.ids, batch.mask)[0])
    with pytest.raises(CourseError, match="rounds should be a whole number from 1 up"):
        model.refine(batch.ids, batch.mask, rounds=0)


def test_the_loss_is_the_loop_over_words():
    model, batch = random_model(), random_batch()
    parent, label = model(batch.ids, batch.mask)
    of_parent, of_label = [], []
    for row, length in enumerate(batch.lengths.tolist()):
        for i in range(1, length):
            j = batch.graph.parents[row, i]
            of_parent.append(F.cross_entropy(parent[row, i], j))
            of_label.append(F.cross_entropy(label[row, i, j], batch.graph.labels[row, i]))
    expected = torch.stack(of_parent).mean() + torch.stack(of_label).mean()
    torch.testing.assert_close(model.loss(batch), expected)


def test_a_small_grammar_is_learnt():
    """The next word of the same colour is the parent, and the colour the label."""
    torch.manual_seed(0)
    model = GraphToGraph(GraphConfig(vocab_size=4, num_labels=3, d_model=32, num_heads=2, d_ff=64, max_len=9))

    def batches():
        while True:
            ids = torch.cat([torch.zeros(32, 1, dtype=torch.int64), torch.randint(1, 4, (32, 8))], dim=1)
            same = (ids[:, :, None] == ids[:, None, :]) & torch.ones(9, 9, dtype=torch.bool).triu(1)
            parents = same.byte().argmax(dim=-1)  # 0, ROOT, where none follows
            yield TreeBatch(ids, torch.full((32,), 9), Graph(parents, (ids - 1).clamp(min=0)))

    fit(model, batches(), model.loss, 120, muon_and_adamw(model, 0.02, 3e-3), progress=False, seed=0)
    batch = next(batches())
    found = attachment(model.predict(batch.ids, batch.mask), batch.graph, batch.mask)
    assert found["labelled"] > 0.9 and found["unlabelled"] >= found["labelled"]


def test_attachment_counts_words():
    gold = Graph(torch.tensor([[0, 2, 0, 2, 0], [0, 0, 1, 0, 0]]), torch.tensor([[0, 1, 0, 2, 0], [0, 0, 1, 0, 0]]))
    drawn = Graph(torch.tensor([[0, 2, 0, 1, 0], [0, 2, 1, 0, 0]]), torch.tensor([[0, 1, 1, 2, 0], [0, 0, 1, 0, 0]]))
    mask = length_mask(torch.tensor([4, 3]), 5)
    assert attachment(gold, gold, mask) == {"unlabelled": 1.0, "labelled": 1.0, "trees": 1.0}
    # of 5 words, 1 and 2 of the first text and 2 of the second have the right parent; the first text's 2 another label
    assert attachment(drawn, gold, mask) == {"unlabelled": 0.6, "labelled": 0.4, "trees": 0.5}
    assert attachment(drawn, gold)["unlabelled"] == 0.75  # padding counts where no mask says otherwise


def test_sizes_that_are_none():
    with pytest.raises(CourseError, match="num_labels should be a whole number from 1 up"):
        GraphConfig(vocab_size=4, num_labels=0)
    with pytest.raises(CourseError, match="positions should be"):
        GraphConfig(vocab_size=4, num_labels=1, positions="tree")
