"""Readers of agreement: what each is told, trees of other kinds, and that the stored runs say what the lesson says."""

import pytest
import torch

from course_lib.corpora import agreement
from course_lib.errors import CourseError
from course_lib.experiments.agreement import (
    KINDS,
    AgreementReader,
    accuracy,
    batch_of,
    by_arc,
    own_trees,
    random_trees,
    stored_runs,
    train,
    trees_of_others,
    wrong_arcs,
)
from course_lib.trees import chain, is_tree


@pytest.fixture(scope="module")
def questions():
    return agreement.training(60, seed=1, depths=range(4))


@pytest.fixture(scope="module")
def readers():
    torch.manual_seed(0)
    return {kind: AgreementReader(kind).eval() for kind in KINDS}


def test_each_reader_hears_of_the_tree_or_of_the_order_as_its_kind_says(readers, questions):
    chains = [(chain(len(q.words)).tolist(), [0] * len(q.words)) for q in questions]
    own, flat = batch_of(questions), batch_of(questions, chains)
    alone = batch_of(questions[:1])
    for kind, reader in readers.items():
        logits = reader(own)
        told_of_tree = kind not in ("linear", "sinusoids", "linear and sinusoids", "no positions")
        assert (logits - reader(flat)).abs().max().gt(1e-4) == told_of_tree
        assert torch.allclose(reader(alone), logits[:1], atol=1e-5)  # padded beside longer sentences, or alone


def test_weights_of_one_question(readers, questions):
    n = len(questions[0].words)
    weights = readers["tree"].weights(questions[0])
    assert weights.shape == (2, 4, n, n) and torch.allclose(weights.sum(-1), torch.ones(2, 4, n))
    other = readers["tree"].weights(questions[0], random_trees(questions)[0])
    assert not torch.allclose(weights, other, atol=1e-3)


def test_other_trees_are_trees_over_the_same_words(questions):
    for trees in (
        own_trees(questions),
        trees_of_others(questions),
        random_trees(questions),
        wrong_arcs(questions, 0.5),
    ):
        for question, (parents, labels) in zip(questions, trees, strict=True):
            assert len(parents) == len(labels) == len(question.words) and is_tree(torch.tensor(parents))
    same = [a == b for (a, _), (b, _) in zip(own_trees(questions), trees_of_others(questions), strict=True)]
    assert sum(same) < 20
    with pytest.raises(CourseError, match="parent for each word"):
        batch_of(questions[:1], [([0, 0], [0, 0])])


def test_the_rule_reads_the_arc(questions):
    assert by_arc(questions, own_trees(questions)) == 1
    assert 0.3 < by_arc(questions, wrong_arcs(questions, 1.0)) < 0.7
    assert by_arc(questions, wrong_arcs(questions, 0.3)) < 1


def test_a_few_steps_make_a_reader_better_than_chance_and_the_same_again(questions):
    assert accuracy(train("labelled edges", 1, 400, steps=60, progress=False), questions) > 0.75
    short = [train("tree", 1, 400, steps=3, progress=False).number.weight for _ in range(2)]
    assert short[0].equal(short[1])
    with pytest.raises(CourseError, match="tre"):
        train("tre")


def test_the_stored_runs_say_what_the_lesson_says():
    runs = stored_runs()
    of = lambda section, **wanted: [r for r in runs[section] if wanted.items() <= r.items()]  # noqa: E731
    tree, linear = of("kinds", kind="tree", count=2000), of("kinds", kind="linear", count=2000)
    assert len(tree) == len(linear) == 5
    for depth in "345":
        assert min(r["all"][depth] for r in tree) > 0.1 + max(r["all"][depth] for r in linear)
        assert max(r["hard"][depth] for r in linear) < 0.5 < min(r["hard"][depth] for r in tree)
    for run in of("sentences", kind="linear", count=8000):  # it fits what it saw, and fails deeper
        assert min(run["all"][depth] for depth in "012") > 0.9 > max(run["all"][depth] for depth in "345")
        assert max(run["hard"][depth] for depth in "345") < 0.5
