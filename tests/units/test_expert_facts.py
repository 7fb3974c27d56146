"""The facts, and that experts hold more of them than one network of the same products."""

import pytest
import torch

from course_lib.errors import CourseError
from course_lib.experiments.expert_facts import ANSWERS, KINDS, known, new_model, random_facts, stored_runs, train


def test_facts_are_drawn_once_and_blindly():
    (learned, held_out), (again, _) = random_facts(0), random_facts(0)
    assert torch.equal(learned.pairs, again.pairs)
    both = torch.cat([learned.pairs, held_out.pairs])
    assert len(both.unique(dim=0)) == len(both)  # no pair twice, none held out that is learned
    assert learned.answers.bincount(minlength=ANSWERS).min() > 150


def test_experts_hold_more_and_nobody_knows_what_is_held_out():
    learned, held_out = random_facts(0)
    share = {}
    for kind in ("dense", "experts"):
        model = new_model(kind)
        train(model, learned, steps=40, progress=False)
        share[kind] = known(model, learned)
        assert known(model, held_out) < 0.15
    assert share["experts"] > 1.5 * share["dense"]


def test_a_fixed_gate_stays_as_it_was_drawn():
    model = new_model("fixed gate")
    before = model.feed_forward.gate.weight.clone()
    train(model, random_facts(0)[0], steps=2, progress=False)
    assert torch.equal(model.feed_forward.gate.weight, before)


def test_the_stored_runs_and_an_unknown_kind():
    assert {run["kind"] for run in stored_runs()} == set(KINDS)
    with pytest.raises(CourseError, match="dense"):
        new_model("sparse")
