"""Lesson 14's experiments: how examples are read, what is measured, and what the stored runs say."""

import pytest
import torch

from course_lib.checkpoints import save_model
from course_lib.corpora.tiny_world.pair_tasks import ENTAILMENT, SIMILARITY, TWO_ENDINGS
from course_lib.corpora.tiny_world.tasks import SENTIMENT
from course_lib.experiments import gpt_uses, number_gpt, tiny_gpt
from course_lib.experiments.gpt_uses import MARKS, RATES


@pytest.fixture(scope="module")
def gpt():
    return tiny_gpt.pretrained()


@pytest.fixture(scope="module")
def stored():
    return gpt_uses.stored_runs()


def test_each_task_in_its_form():
    for task, runs, delimiters in ((SENTIMENT, 1, 0), (ENTAILMENT, 1, 1), (SIMILARITY, 2, 1), (TWO_ENDINGS, 2, 1)):
        for found, answer in gpt_uses.as_runs(task, task.train(6)):
            assert len(found) == runs and answer < len(task.labels)
            assert all(run[0] == MARKS.start and run[-1] == MARKS.extract for run in found)
            assert all(run.count(MARKS.delimiter) == delimiters for run in found)
    assert len(gpt_uses.as_runs(SIMILARITY, SIMILARITY.train(1), one_order=True)[0][0]) == 1


def test_fine_tuning_leaves_the_pretrained_model_alone_and_is_seeded(gpt):
    before = {name: value.clone() for name, value in gpt.state_dict().items()}
    one, two = (gpt_uses.fine_tuned(gpt, SENTIMENT, 10, 0.5, seed=3, steps=3) for _ in range(2))
    assert all(torch.equal(value, before[name]) for name, value in gpt.state_dict().items())
    assert all(torch.equal(a, b) for a, b in zip(one.state_dict().values(), two.state_dict().values(), strict=True))
    assert not torch.equal(one.gpt.token.weight, gpt.token.weight)


def test_label_words_of_the_worlds_own_reviews(gpt):
    examples = SENTIMENT.test()[:40]
    scores = gpt_uses.by_label_words(gpt, [example.first for example in examples], ("terrible", "great"))
    assert gpt_uses.share_right(scores, examples) > 0.9


def test_examples_in_front_of_a_text():
    one, two = SENTIMENT.train(2)
    text = gpt_uses.with_examples("it rains .", [one], ("bad", "good"), "it was")
    assert text == f"{one.first} it was {('bad', 'good')[one.answer]} . it rains ."
    assert (
        gpt_uses.with_examples("", [two], ("bad", "good"), "so", flipped=True).split()[-2]
        == ("good", "bad")[two.answer]
    )


def test_a_text_of_ones_own_model(gpt, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shipped = gpt_uses.own_or_shipped()
    assert torch.equal(shipped.token.weight, gpt.token.weight)
    own = tiny_gpt.new_model(seed=5)
    save_model(own, gpt_uses.OWN)
    assert torch.equal(gpt_uses.own_or_shipped().token.weight, own.token.weight)


# --- what the lesson says of the stored runs --------------------------------------------------------------------------


def of(runs, **wanted):
    return [run for run in runs if all(run.get(name) == value for name, value in wanted.items())]


def test_lambda_and_rate(stored):
    base, *runs = stored["lambda"]
    fast, slow = RATES

    def of_fifty(rate, lam, on="task"):
        found = of(runs, count=50, rate=rate, on=on) and of(
            runs, **{"count": 50, "rate": rate, "on": on, "lambda": lam}
        )
        assert [run["seed"] for run in found] == [0, 1, 2]
        return found

    assert all(run["fluent"] < 0.4 for run in of_fifty(fast, 0.0))
    assert all(run["fluent"] > 0.8 and run["reviews"] > 0.9 for run in of_fifty(fast, 0.5))
    assert all(run["plain"] > base["plain"] + 0.3 for lam in gpt_uses.LAMBDAS for run in of_fifty(fast, lam))
    assert all(run["plain"] < base["plain"] + 0.05 for run in of_fifty(slow, 0.0))
    assert all(run["plain"] > base["plain"] + 0.05 for run in of_fifty(slow, 0.5))
    for rate in RATES:
        kept, lost = of_fifty(rate, 0.5, on="plain"), of_fifty(rate, 0.5)
        assert max(run["plain"] for run in kept) < min(run["plain"] for run in lost)


def test_both_orders_always_answer_alike(stored):
    for run in stored["orders"]:
        changed = sum(
            (a[0] < a[1]) != (b[0] < b[1]) for a, b in zip(run["as they stand"], run["swapped"], strict=True)
        ) / len(run["swapped"])
        assert changed > 0.08 if run["orders"] == 1 else changed < 0.01


def test_wrong_labels_help_as_much_and_other_text_more(stored):
    right, wrong, other = (of(stored["examples"], **{"in front": each}) for each in gpt_uses.IN_FRONT)
    for one, two, three in zip(right, wrong, other, strict=True):
        assert abs(one["accuracy"][3] - two["accuracy"][3]) < 0.1
        assert three["accuracy"][3] > max(one["accuracy"][3], two["accuracy"][3]) + 0.1
        assert one["at_half"][0] > one["at_half"][3] + 0.05


def test_the_matrix_alone_is_not_enough(stored):
    assert all(run["accuracy"] < 0.75 for run in of(stored["head"], count=50))


def test_only_the_head_moves_when_asked_for(gpt):
    model = gpt_uses.fine_tuned(gpt, SENTIMENT, 10, 0.0, seed=3, steps=2, head_only=True)
    before = gpt.state_dict()
    assert all(torch.equal(value, before[name]) for name, value in model.gpt.state_dict().items())


def test_translation_by_continuation():
    for run in number_gpt.stored_runs():
        exact = run["history"][-1]["exact"]
        assert exact.pop(" ".join(number_gpt.NEVER)) < 0.1 and min(exact.values()) > 0.85
    assert number_gpt.continued(number_gpt.pretrained(), "vingt deux , quatre <ENG>") == "twenty two , four"
    held_out = {pair.value for pair in number_gpt.lists("fr", "en")[1]}
    assert not held_out & {
        pair.value for source, target in number_gpt.TRAINED for pair in number_gpt.lists(source, target)[0]
    }
