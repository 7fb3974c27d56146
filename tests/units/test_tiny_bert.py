"""Lesson 11's small BERT: what it reads, how it is trained, what is measured, and what its stored runs say."""

import pytest
import torch

from course_lib.corpora import cloze
from course_lib.corpora.batching import IGNORE_INDEX
from course_lib.corpora.tiny_world import PHENOMENA, score, tiny_world, world_vocabulary
from course_lib.errors import CourseError
from course_lib.experiments import tiny_bert

SMALL = dict(d_model=32, num_heads=2, d_ff=32, num_layers=2)


@pytest.fixture(scope="module")
def world():
    return tiny_world(seed=0, count=300, probes=4)


@pytest.fixture(scope="module")
def small(world):
    """A model that has seen a few batches."""
    model = tiny_bert.new_model(seed=0, **SMALL)
    losses = tiny_bert.train(model, tiny_bert.as_ids(world.train), 20, autocast=None, progress=False)
    return model, losses


def test_the_loss_falls_and_the_same_seed_gives_the_same(world, small):
    _, losses = small
    assert losses[-1] < losses[0] - 0.15
    again = tiny_bert.new_model(seed=0, **SMALL)
    assert tiny_bert.train(again, tiny_bert.as_ids(world.train), 20, autocast=None, progress=False) == losses


def test_between_is_asked_before_each_step_and_after_the_last(world):
    steps = []
    texts = tiny_bert.as_ids(world.train)
    tiny_bert.train(tiny_bert.new_model(**SMALL), texts, 3, between=steps.append, autocast=None, progress=False)
    assert steps == [0, 1, 2, 3]


def test_what_it_reads():
    found = tiny_bert.read("tara met ivan. Then ___ went home .")
    assert found.tokens == [
        "[CLS]",
        "tara",
        "met",
        "ivan",
        ".",
        "[SEP]",
        "then",
        "[MASK]",
        "went",
        "home",
        ".",
        "[SEP]",
    ]
    assert found.segments == [0] * 6 + [1] * 6 and found.blanks == [7]
    assert tiny_bert.read("the key ___ old").tokens == ["[CLS]", "the", "key", "[MASK]", "old", "[SEP]"]


@pytest.mark.parametrize("text", ["", "the klavier ___ old", " ".join(["the"] * 80)])
def test_what_it_cannot_read(text):
    with pytest.raises(CourseError):
        tiny_bert.read(text)


def test_fill_gives_the_likeliest_words_of_each_blank(small):
    model, _ = small
    blanks = tiny_bert.fill(model, "the ___ near the lamp ___ old .", k=3)
    assert [len(blank) for blank in blanks] == [3, 3]
    for blank in blanks:
        shares = [share for _, share in blank]
        assert shares == sorted(shares, reverse=True) and 0 < sum(shares) <= 1
    with pytest.raises(CourseError, match="no blank"):
        tiny_bert.fill(model, "the key was old .")


def test_answers_are_those_of_each_probe_alone(world, small):
    model, _ = small
    probes = world.probes["coreference"]
    together = tiny_bert.answers(model)(probes)
    alone = torch.cat([tiny_bert.answers(model)([probe]) for probe in probes])
    torch.testing.assert_close(together, alone, atol=1e-4, rtol=1e-4)
    assert set(score(world.probes, tiny_bert.answers(model))) == set(PHENOMENA)


def test_look_shows_the_weights_that_queries_and_keys_make(small):
    model, _ = small
    seen = tiny_bert.look(model, "the key ___ old .")
    n = len(seen.tokens)
    assert seen.weights.shape == (2, 2, n, n) and seen.queries.shape == (2, 2, n, 16)
    own = (seen.queries @ seen.keys.mT / 16**0.5).softmax(-1)
    torch.testing.assert_close(own, seen.weights, atol=1e-5, rtol=1e-4)


def test_blanks_of_the_exercise_are_as_many_as_the_librarys(world):
    from course_lib.exercises import find

    texts = tiny_bert.as_ids(world.train)
    change = tiny_bert.blanks_by(find("11.mask_tokens").reference, texts)
    stream = cloze.bert_batches(texts, tiny_bert.marks(), 64, 0, tiny_bert.places_asked(texts))
    own = theirs = 0
    for _, batch in zip(range(20), stream):
        changed = change(batch)
        own += int((changed.labels != IGNORE_INDEX).sum())
        theirs += int((batch.labels != IGNORE_INDEX).sum())
        whole = torch.where(batch.labels == IGNORE_INDEX, batch.ids, batch.labels)
        assert torch.equal(torch.where(changed.labels == IGNORE_INDEX, changed.ids, changed.labels), whole)
        marks = torch.isin(whole, torch.tensor(tiny_bert.marks().special))
        assert (changed.labels[marks] == IGNORE_INDEX).all()
    assert abs(own / theirs - 1) < 0.05


def test_all_masked_hides_every_place_that_is_asked_for(world):
    texts = tiny_bert.as_ids(world.train)
    batch = next(cloze.bert_batches(texts, tiny_bert.marks(), 64, 0, 0.3))
    asked = batch.labels != IGNORE_INDEX
    masked = tiny_bert.all_masked(batch)
    assert (masked.ids[asked] == tiny_bert.marks().mask).all() and torch.equal(masked.ids[~asked], batch.ids[~asked])


def test_measures_of_an_untrained_model_are_those_of_chance(world):
    model = tiny_bert.new_model(seed=0, **SMALL)
    held = world.held_out_text
    assert tiny_bert.still_named(model, tiny_bert.as_ids(held)) < 0.2
    assert 0.3 < tiny_bert.nsp_accuracy(model, held + world.train[:100], "any paragraph") < 0.7
    habits = tiny_bert.head_habits(model, world.probes, count=2)
    assert all(table.shape == (2, 2) and (table >= 0).all() and (table <= 1).all() for table in habits.values())


def test_stopped_early_it_is_the_beginning_of_the_whole_training(world):
    texts, runs = tiny_bert.as_ids(world.train), {}
    for stop in (2, None):
        asked = []
        model = tiny_bert.new_model(seed=0, **SMALL)
        options = dict(stop=stop, between=asked.append, autocast=None, progress=False)
        runs[stop] = tiny_bert.train(model, texts, 4, **options)
        assert asked == list(range((stop or 4) + 1))
    assert runs[2] == runs[None][:2]


def test_without_a_head_its_columns_give_nothing_and_all_else_stays(world, small):
    model, _ = small
    before = {name: value.clone() for name, value in model.state_dict().items()}
    other = tiny_bert.without_heads(model, (1, 0))
    for name, value in model.state_dict().items():
        assert torch.equal(value, before[name])
        changed = other.state_dict()[name] != value
        assert bool(changed.any()) == (name == "blocks.1.attention.W_O.weight")
        if changed.any():
            assert not changed[:, 16:].any() and not other.state_dict()[name][:, :16].any()
    text = "the key ___ old ."
    assert tiny_bert.fill(other, text) != tiny_bert.fill(model, text)
    assert tiny_bert.fill(tiny_bert.without_heads(model), text) == tiny_bert.fill(model, text)


def test_0_7_million_parameters():
    assert 0.6e6 < sum(p.numel() for p in tiny_bert.new_model().parameters()) < 0.8e6
    assert tiny_bert.marks().vocab_size == len(world_vocabulary())


# --- what the lesson says of the stored runs --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def stored():
    return tiny_bert.stored_runs()


def test_three_seeds_reach_what_the_lesson_says_within_the_time(stored):
    assert [run["seed"] for run in stored["pretraining"]] == [0, 1, 2]
    least = {"trivia": 0.65, "syntax": 0.9, "coreference": 0.9, "word classes": 0.7, "sentiment": 0.9}
    for run in stored["pretraining"]:
        end = run["history"][-1]
        assert end["step"] == tiny_bert.STEPS and end["cpu_seconds"] < 181
        assert all(end["scores"][phenomenon] >= share for phenomenon, share in least.items())


def test_location_is_no_better_than_a_guess_among_the_rooms_named(stored):
    assert all(0.3 < run["history"][-1]["scores"]["location"] < 0.55 for run in stored["pretraining"])


def test_with_nothing_but_masks_the_vector_at_a_word_names_it_less(stored):
    assert len(stored["all_masked"]) == 3
    for masked, usual in zip(stored["all_masked"], stored["pretraining"], strict=True):
        for early, late in zip(masked["history"][1:], usual["history"][1:]):
            assert early["step"] == late["step"] and early["named"] < late["named"] - 0.15


def test_both_tasks_from_the_start_cost_persons_and_rooms(stored):
    def reached(section, step):
        return [row for run in stored[section] for row in run["history"] if row["step"] == step]

    assert [run["seed"] for run in stored["with_nsp"]] == [0, 1, 2]
    for step, count in ((tiny_bert.STEPS // 2, 3), (tiny_bert.STEPS, 1)):
        both, alone = reached("with_nsp", step), reached("pretraining", step)
        assert len(both) == count and len(alone) == 3
        for phenomenon in ("coreference", "location"):
            assert max(row["scores"][phenomenon] for row in both) < min(row["scores"][phenomenon] for row in alone)
        assert all(row["nsp"]["any paragraph"] > 0.85 and row["nsp"]["same scene"] < 0.6 for row in both)


# --- what the lesson says of the model that was trained longer --------------------------------------------------------


def test_the_shipped_models_heads_do_what_the_lesson_says():
    world, shipped = tiny_world(seed=0), tiny_bert.pretrained()
    asked = {name: world.probes[name] for name in ("coreference", "syntax")}

    def left(*heads):
        return score(asked, tiny_bert.answers(tiny_bert.without_heads(shipped, *heads)))

    assert min(left().values()) > 0.97
    assert 0.8 < left((2, 3))["coreference"] < 0.96
    assert left((2, 3), (2, 2))["coreference"] < 0.65 and left((2, 0), (2, 1))["coreference"] > 0.95
    assert 0.75 < left((1, 0))["syntax"] < 0.93
