"""Trees: against breadth-first search, edge by edge."""

import pytest
import torch

from course_lib.errors import CourseError
from course_lib.positions import clipped_distances
from course_lib.trees import (
    ancestors,
    chain,
    edge_labels,
    is_tree,
    step_labels,
    tree_depths,
    tree_distances,
    tree_steps,
    with_wrong_arcs,
)


def random_tree(n: int, generator: torch.Generator) -> torch.Tensor:
    """Parents anywhere, to the left or to the right: a tree in order of time, then its words shuffled."""
    older = [0] + [int(torch.randint(i, (), generator=generator)) for i in range(1, n)]
    place = [0] + [1 + int(i) for i in torch.randperm(n - 1, generator=generator)]
    parents = torch.zeros(n, dtype=torch.int64)
    for i in range(1, n):
        parents[place[i]] = place[older[i]]
    return parents


def searched(parents: list[int]) -> list[list[tuple[int, int]]]:
    """From each place to each other by breadth-first search over edges; how many of them went up, and down."""
    n = len(parents)
    found = []
    for start in range(n):
        steps, border = {start: (0, 0)}, [start]
        while border:
            here = border.pop(0)
            up, down = steps[here]
            for there in range(n):
                if there not in steps and there == parents[here]:
                    steps[there] = (up + 1, down)
                    border.append(there)
                elif there not in steps and there and here == parents[there]:
                    steps[there] = (up, down + 1)
                    border.append(there)
        found.append([steps[j] for j in range(n)])
    return found


def test_steps_are_those_of_a_search():
    generator = torch.Generator().manual_seed(0)
    for trial in range(200):
        parents = random_tree(1 + trial % 12, generator)
        steps = tree_steps(parents)
        assert steps.tolist() == [[list(pair) for pair in row] for row in searched(parents.tolist())]
        assert torch.equal(tree_depths(parents), steps[:, 0, 0])
        assert torch.equal(tree_distances(parents), tree_distances(parents).mT)


def test_a_batch_is_its_sentences():
    generator = torch.Generator().manual_seed(1)
    parents = torch.stack([random_tree(9, generator) for _ in range(6)]).view(2, 3, 9)
    assert tree_steps(parents).shape == (2, 3, 9, 9, 2)
    assert torch.equal(tree_steps(parents)[1, 2], tree_steps(parents[1, 2]))
    padded = torch.cat([parents, torch.zeros(2, 3, 4, dtype=torch.int64)], dim=-1)
    assert torch.equal(tree_steps(padded)[..., :9, :9, :], tree_steps(parents))


def test_the_example_of_the_docstring():
    parents = torch.tensor([0, 3, 1, 0])
    assert tree_depths(parents).tolist() == [0, 2, 3, 1]
    assert ancestors(parents)[2].tolist() == [True, True, True, True]
    assert ancestors(parents)[3].tolist() == [True, False, False, True]


def test_a_circle_is_named():
    circle = torch.tensor([0, 2, 1, 0])
    with pytest.raises(CourseError, match=r"from \[1, 2\] the edges go in a circle"):
        tree_steps(circle)
    assert is_tree(torch.stack([circle, chain(4)])).tolist() == [False, True]
    assert not is_tree(torch.tensor([0, 1]))  # its own parent


@pytest.mark.parametrize("parents", [[], [1, 0], [0, 2], [0, -1]])
def test_what_are_no_parents(parents):
    with pytest.raises(CourseError, match="begin with 0 for ROOT"):
        is_tree(torch.tensor(parents, dtype=torch.int64))


def test_the_chain_is_the_sequence():
    up, down = tree_steps(chain(9)).unbind(-1)
    assert chain(1).tolist() == [0]
    assert torch.equal(down - up, clipped_distances(9, 9))
    labels = step_labels(tree_steps(chain(9)), most=3)
    assert labels.max() < 16
    # one label for each clipped distance, another for each other
    pairs = set(zip(labels.flatten().tolist(), clipped_distances(9, 3).flatten().tolist(), strict=True))
    assert len(pairs) == 7 == len({label for label, _ in pairs})


def test_edges_are_those_of_the_loop():
    generator = torch.Generator().manual_seed(2)
    for _ in range(20):
        parents, labels = random_tree(8, generator), torch.randint(3, (8,), generator=generator)
        expected = torch.zeros(8, 8, dtype=torch.int64)
        for word in range(1, 8):
            expected[word, parents[word]] = 1 + labels[word]
            expected[parents[word], word] = 4 + labels[word]
        assert torch.equal(edge_labels(parents, labels, 3), expected)
        assert torch.equal(edge_labels(parents[None, None], labels[None, None], 3)[0, 0], expected)


def test_edges_need_no_tree():
    edges = edge_labels(torch.tensor([0, 2, 1]), torch.tensor([0, 0, 1]), 2)
    assert edges.tolist() == [[0, 0, 0], [0, 0, 1], [0, 2, 0]]
    with pytest.raises(CourseError, match="from 0 to 1"):
        edge_labels(chain(3), torch.tensor([0, 0, 2]), 2)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
def test_wrong_arcs_are_as_many_as_asked_for(share):
    generator = torch.Generator().manual_seed(3)
    wrong, words = 0, 0
    for _ in range(60):
        parents = random_tree(12, generator)
        drawn = with_wrong_arcs(parents, share, generator)
        assert is_tree(drawn)
        assert abs((drawn != parents).sum() - share * 11) < 1
        wrong, words = wrong + int((drawn != parents).sum()), words + 11
    assert abs(wrong / words - share) < 0.02


def test_wrong_arcs_are_the_seeds():
    parents = random_tree(10, torch.Generator().manual_seed(4))
    one, same, other = (with_wrong_arcs(parents, 0.5, torch.Generator().manual_seed(seed)) for seed in (5, 5, 6))
    assert torch.equal(one, same) and not torch.equal(one, other)


def test_a_tree_that_has_no_other():
    with pytest.raises(CourseError, match="no tree in which 1 of these 1 words"):
        with_wrong_arcs(chain(2), 1.0)
    with pytest.raises(CourseError, match="from 0 to 1"):
        with_wrong_arcs(chain(4), 30.0)
