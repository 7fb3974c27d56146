"""Parsers of the treebank: baselines, graphs with other parents, trees out of drawn arcs, and the stored runs."""

import pytest
import torch

from course_lib.corpora import agreement
from course_lib.corpora.treebank import sentences
from course_lib.experiments.parser import (
    baseline,
    batch_of,
    drawn_trees,
    mended,
    new_model,
    scores,
    stored_runs,
    train,
    with_other_parents,
)
from course_lib.graph_to_graph import attachment
from course_lib.trees import is_tree


@pytest.fixture(scope="module")
def several():
    return sentences(100, seed=5)


def test_baselines_know_the_commonest_parent_of_each_word(several):
    gold = batch_of(several)
    found = {
        rule: attachment(baseline(rule, several, several), gold.graph, gold.mask)["unlabelled"]
        for rule in ("left neighbour", "right neighbour", "by word")
    }
    assert found["left neighbour"] < found["right neighbour"] < found["by word"] < 0.8
    graph = baseline("right neighbour", several, several)
    for row, sentence in enumerate(several):
        last = len(sentence.words) - 1
        assert graph.parents[row, : last + 1].tolist() == [0, *range(2, last + 1), 0]


def test_other_parents_are_a_share_of_the_words(several):
    batch = batch_of(several)
    generator = torch.Generator().manual_seed(0)
    turned = with_other_parents(batch.graph, batch.lengths, 0.3, generator)
    words = batch.mask[:, 0, 0].clone()
    words[:, 0] = False
    share = (turned.parents != batch.graph.parents)[words].double().mean()
    assert 0.2 < share < 0.3  # now and then the parent drawn is the right one
    assert (turned.parents[~words] == 0).all() and (turned.parents < batch.lengths[:, None]).all()
    assert turned.labels.equal(batch.graph.labels)


def test_mended_cuts_each_circle_once():
    assert mended([0, 2, 1, 1]) in ([0, 0, 1, 1], [0, 2, 0, 1])
    assert mended([0, 2, 3, 0]) == [0, 2, 3, 0]
    generator = torch.Generator().manual_seed(0)
    for _ in range(50):
        parents = torch.randint(9, (9,), generator=generator)
        parents[0] = 0
        parents = [p if p != i else 0 for i, p in enumerate(parents.tolist())]
        tree = mended(parents)
        assert is_tree(torch.tensor(tree)) and all(new in (old, 0) for new, old in zip(tree, parents, strict=True))


def test_a_parser_learns_in_a_few_steps_and_draws_trees(several):
    model = new_model(0)
    losses = train(model, batch_of(several), reads="the right", steps=15, progress=False)
    assert sum(losses[-5:]) < 0.8 * sum(losses[:5])
    questions = agreement.training(20)
    for question, (parents, labels) in zip(questions, drawn_trees(model, questions), strict=True):
        assert len(parents) == len(labels) == len(question.words) and is_tree(torch.tensor(parents))


def test_the_right_graph_scores_one():
    several = sentences(300, range(3), 1, test=True)
    assert set(scores("unseen", batch_of(several).graph).values()) == {1.0}


def test_the_stored_runs_say_what_the_lesson_says():
    runs = stored_runs()
    by_word = next(r for r in runs["baselines"] if r["kind"] == "by word")
    assert by_word["unseen"]["labelled"] < 0.7
    unseen = [r for r in runs["refined"] if r["test"] == "unseen"]
    assert len(unseen) == 3
    for run in unseen:
        assert run["round 1"] == run["no graph again"] and run["round 1"]["labelled"] > 0.9
        assert (
            run["another sentence's graph"]["labelled"]
            < run["round 2"]["labelled"]
            < run["the right graph"]["labelled"]
        )
