"""The pages, what they ask, and that each kind learns the easy question."""

import pytest
import torch

from course_lib.corpora.batching import IGNORE_INDEX
from course_lib.errors import CourseError
from course_lib.experiments import patterns
from course_lib.experiments.patterns import (
    KINDS,
    NEAR,
    PATTERNS,
    WINDOW,
    N,
    accuracy,
    commonest_ink,
    loss,
    new_model,
    pages,
    pattern_mask,
    run,
    stored_runs,
    train,
)
from course_lib.masks import reach


def test_the_answers_are_right():
    page = pages(3, torch.Generator().manual_seed(0))
    assert page.words.shape == (3, N) and page.num_tokens == 3 * N
    for words, inks, row in zip(page.words.tolist(), page.inks.tolist(), range(3), strict=True):
        answer = {question: each[row].tolist() for question, each in page.answers.items()}
        for half in (words[: N // 2], words[N // 2 :]):
            assert sorted(half) == list(range(N // 2))
        counts = sorted((inks.count(ink), ink) for ink in set(inks))
        commonest = counts[-1][1] if counts[-1][0] > counts[-2][0] else IGNORE_INDEX
        for i in range(N):
            assert answer["near"][i] == (inks[i - NEAR] if i >= NEAR else IGNORE_INDEX)
            assert answer["count"][i] == commonest
            before = words.index(words[i])
            asked = i >= N // 2 and i - before > 2 * WINDOW
            assert answer["far"][i] == (inks[before] if asked else IGNORE_INDEX)
    assert (page.answers["far"] != IGNORE_INDEX).float().mean() > 0.3


def test_the_same_seed_gives_the_same_pages():
    one, same, other = (pages(2, torch.Generator().manual_seed(seed)) for seed in (0, 0, 1))
    assert torch.equal(one.words, same.words) and torch.equal(one.inks, same.inks)
    assert not torch.equal(one.words, other.words)


def test_the_patterns_have_equal_budgets_and_reach():
    cells = {kind: pattern_mask(kind).sum(1).median().item() for kind in PATTERNS}
    assert cells == {"window": 33, "Big Bird": 32, "random": 32}
    two = {kind: reach(pattern_mask(kind), layers=2) for kind in PATTERNS}
    assert two["Big Bird"].all() and two["random"].float().mean() > 0.99
    far = (torch.arange(N)[:, None] - torch.arange(N)).abs() > 2 * WINDOW
    assert not two["window"][far].any()
    assert not torch.equal(pattern_mask("random", seed=0), pattern_mask("random", seed=1))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_trains(kind):
    model = new_model(kind, seed=0)
    again = new_model(kind, seed=0)
    for one, other in zip(model.parameters(), again.parameters(), strict=True):
        assert torch.equal(one, other)
    page = pages(2, torch.Generator().manual_seed(5))
    before = loss(model, page).item()
    losses = train(model, stop=12, seed=0, autocast=None, progress=False)
    assert len(losses) == 12 and loss(model, page).item() < before
    assert set(accuracy(model, count=2)) == set(commonest_ink(2))


def test_mixing_says_how_fast_linformers_shortening_moves(monkeypatch):
    monkeypatch.setattr("course_lib.experiments.patterns.MEASURED_EVERY", 3)
    models = []
    made = patterns.new_model
    monkeypatch.setattr(patterns, "new_model", lambda *args, **sizes: models.append(made(*args, **sizes)) or models[-1])
    for mixing in (0.0, 0.1, 1.0):
        run("Linformer", 0, steps=3, mixing=mixing, short=N, from_identity=True)
    moved = [(model.blocks[0].attention.E - torch.eye(N)).norm().item() for model in models]
    assert moved[0] == 0 < moved[1] < 0.3 * moved[2]


def test_the_stored_runs_are_told_apart():
    runs = stored_runs()
    assert {made["kind"] for made in runs["patterns"]} == set(KINDS)
    assert len({(made["kind"], made["seed"]) for made in runs["patterns"]}) == len(runs["patterns"])
    for made in runs["patterns"]:
        assert made["history"][0]["step"] == 0 and set(made["history"][-1]["accuracy"]) == {"near", "far", "count"}


def test_an_unknown_kind_is_said():
    with pytest.raises(CourseError, match="Big Bird"):
        new_model("bigbird")
