"""Graph positions: on a chain they are Shaw's, without edges they are nothing, and the words' order doesn't matter."""

import pytest
import torch

from course_lib.attention import MultiHeadAttention, attention_weights
from course_lib.errors import CourseError
from course_lib.graph_positions import DepthPositions, GraphPositions
from course_lib.layers import Block
from course_lib.masks import length_mask
from course_lib.positions import RelativePositions, clipped_distances, sinusoids
from course_lib.trees import chain, step_labels, tree_depths, tree_steps

D_K, HEADS, N = 8, 2, 7


@pytest.fixture(autouse=True)
def float64():
    torch.manual_seed(0)
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def queries_and_keys(batch=2, n=N):
    return torch.randn(batch, HEADS, n, D_K), torch.randn(batch, HEADS, n, D_K)


def test_the_scores_are_those_of_the_loop():
    graph, (query, key) = GraphPositions(D_K, 5), queries_and_keys()
    edges = torch.randint(5, (2, N, N))
    bias = graph.of(edges).bias(query, key)
    for b, h, i, j in [(0, 0, 0, 3), (1, 1, 6, 2), (1, 0, 4, 4)]:
        expected = query[b, h, i] @ graph.table[edges[b, i, j]] / D_K**0.5
        torch.testing.assert_close(bias[b, h, i, j], expected)


@pytest.mark.parametrize("k", [1, 3, 20])
def test_on_a_sequence_they_are_shaws(k):
    """Relative distances are the labels of a graph, as in section 3.1 of the paper: equal to the last bit."""
    shaw, graph, (query, key) = RelativePositions(D_K, k), GraphPositions(D_K, 2 * k + 1), queries_and_keys()
    graph.table.data = shaw.table.data
    edges = (clipped_distances(N, k) + k)[None].expand(2, -1, -1)
    assert torch.equal(graph.of(edges).bias(query, key), shaw.bias(query, key))
    x, block = torch.randn(2, N, 16), Block(16, HEADS, 32, positions=shaw)
    plain = Block(16, HEADS, 32)
    plain.load_state_dict({name: w for name, w in block.state_dict().items() if "positions" not in name})
    mask = length_mask(torch.tensor([N, 4]))
    for need_weights in (False, True):
        ours, weights = plain(x, mask, need_weights, graph=graph.of(edges))
        theirs, shaws = block(x, mask, need_weights)
        assert torch.equal(ours, theirs)
        assert weights is shaws is None or torch.equal(weights, shaws)


def test_on_a_chain_the_labels_of_the_tree_are_shaws_in_another_order():
    k = 3
    shaw, graph, (query, key) = RelativePositions(D_K, k), GraphPositions(D_K, (k + 1) ** 2), queries_and_keys()
    rows = torch.zeros((k + 1) ** 2, dtype=torch.int64)
    for distance in range(-k, k + 1):  # up for what stands before, down for what stands behind
        rows[-distance * (k + 1) if distance < 0 else distance] = distance + k
    graph.table.data = shaw.table.data[rows]
    edges = step_labels(tree_steps(chain(N)), most=k)[None]  # one graph for all texts
    torch.testing.assert_close(graph.of(edges).bias(query, key), shaw.bias(query, key))


def test_without_edges_attention_is_plain():
    graph, (query, key) = GraphPositions(D_K, 5), queries_and_keys()
    bias = graph.of(torch.zeros(2, N, N, dtype=torch.int64)).bias(query, key)
    torch.testing.assert_close(bias, bias[..., :1].expand_as(bias))  # the same for all keys
    torch.testing.assert_close(attention_weights(query, key, bias=bias), attention_weights(query, key))


def test_who_moves_with_their_edges_is_the_same():
    """Edges, not places: sort the words anyhow, and the outputs are sorted alike."""
    graph, attention, x = GraphPositions(D_K, 5), MultiHeadAttention(16, HEADS), torch.randn(1, N, 16)
    edges, order = torch.randint(5, (1, N, N)), torch.randperm(N)
    here, _ = attention(x, graph=graph.of(edges))
    there, _ = attention(x[:, order], graph=graph.of(edges[:, order][:, :, order]))
    torch.testing.assert_close(there, here[:, order])
    other, _ = attention(x, graph=graph.of(edges.mT.contiguous()))
    assert not torch.allclose(other, here)  # the row asks, the column answers


def test_a_graph_and_distances_add_up():
    graph, shaw, x = GraphPositions(D_K, 5), RelativePositions(D_K, 2), torch.randn(2, N, 16)
    attention = MultiHeadAttention(16, HEADS, positions=shaw)
    edges = torch.randint(5, (2, N, N))
    _, weights = attention(x, need_weights=True, graph=graph.of(edges))
    q, k = (W(x).unflatten(-1, (HEADS, -1)).transpose(1, 2) for W in (attention.W_Q, attention.W_K))
    both = shaw.bias(q, k) + graph.of(edges).bias(q, k)
    torch.testing.assert_close(weights, attention_weights(q, k, bias=both))


def test_gradients_reach_the_table():
    graph, (query, key) = GraphPositions(D_K, 4), queries_and_keys(n=3)
    edges = torch.randint(4, (2, 3, 3))
    assert torch.autograd.gradcheck(lambda q: graph.of(edges).bias(q, key), query.requires_grad_())
    graph.of(edges).bias(query, key).sum().backward()
    assert (graph.table.grad.norm(dim=-1) > 0).tolist() == [label in edges for label in range(4)]


@pytest.mark.parametrize(
    "edges, sentence",
    [
        (torch.full((2, N, N), 5), "from 0 to 4.*from 5 to 5"),
        (torch.zeros(2, N, N), None),
        (torch.zeros(2, N, N - 1, dtype=torch.int64), None),
        (torch.zeros(2, N - 1, N - 1, dtype=torch.int64), "graphs of its own texts"),
        (torch.zeros(3, N, N, dtype=torch.int64), "graphs of its own texts"),
    ],
)
def test_graphs_that_do_not_fit(unchecked, edges, sentence):
    graph, (query, key) = unchecked.GraphPositions(D_K, 5), queries_and_keys()
    with pytest.raises(CourseError, match=sentence):
        graph.of(edges).bias(query, key)


def test_heads_of_another_width():
    graph = GraphPositions(D_K + 1, 5).of(torch.zeros(2, N, N, dtype=torch.int64))
    with pytest.raises(CourseError, match="GraphPositions\\(d_k=8"):
        graph.bias(*queries_and_keys())


def test_depths_are_added_to_places():
    depth, x = DepthPositions(16, 10), torch.randn(2, 4, 16)
    parents = torch.tensor([[0, 3, 1, 0], [0, 0, 1, 2]])
    out = depth.of(parents)(x)
    for b in range(2):
        for i in range(4):
            place, deep = sinusoids(torch.tensor([i, int(tree_depths(parents)[b, i])]), 16)
            torch.testing.assert_close(out[b, i], x[b, i] + (depth.W.weight @ torch.cat([place, deep])).tanh())
    with pytest.raises(CourseError, match="max_len = 10"):
        depth.of(chain(11)[None])
    with pytest.raises(CourseError, match="whole texts"):
        depth.of(parents)(x[:, :3])
