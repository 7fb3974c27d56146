"""Lesson 13's models and texts: what they read and say, and what is measured of them."""

import math
import random
import sys

import pytest
import torch

from course_lib.corpora.tiny_world import tiny_world, world_vocabulary
from course_lib.experiments import docs_gpt, feast, tiny_gpt
from course_lib.experiments.language_models import (
    RecurrentLM,
    Trigram,
    after,
    mean_loss,
    next_token_loss,
    small_gpt,
    text_ids,
    train,
)
from course_lib.experiments.stored import Watch, command, read_runs

TEXTS = [[3, 4, 5], [3, 4], [5, 4, 3, 3]]


@pytest.fixture(params=["GPT", "GRU"])
def model(request):
    small = dict(d_model=16, num_heads=2, d_ff=16, num_layers=1)
    return small_gpt(7, **small) if request.param == "GPT" else RecurrentLM(7, 8, 8)


def test_a_trigram_is_a_distribution_that_counts():
    trigram = Trigram(TEXTS, 7)
    p = trigram(torch.tensor([[1, 3, 4, 6]]))[0].exp()
    torch.testing.assert_close(p.sum(-1), torch.ones(1, 4))
    # after <s> 3 comes 4 both times; after 3 it is 4 twice, 3 once, the end once
    of_4 = 0.1 * (3.1 / (12 + 0.7)) + 0.3 * (2 / 4) + 0.6
    assert p[0, 1, 4].item() == pytest.approx(of_4)
    # nothing has followed 6: all its shares go to single words
    torch.testing.assert_close(p[0, 3], trigram.one)


def test_the_loss_is_the_next_tokens_and_padding_counts_nothing(model):
    model.eval()
    texts = sorted(TEXTS, key=len)
    nats = 0.0
    for text in texts:
        for i, token in enumerate([*text, 2]):
            nats -= math.log(after(model, [text[:i]])[0, token])
    assert mean_loss(model, TEXTS, size=2) == pytest.approx(nats / (9 + 3), rel=1e-4)
    ids = next(text_ids(TEXTS, 3, seed=0))
    assert next_token_loss(model, ids).item() == pytest.approx(nats / 12, rel=1e-4)


def test_training_repeats_itself_and_takes_anothers_loss(model):
    state = {name: value.clone() for name, value in model.state_dict().items()}

    def other(logits, ids, pad_id):
        assert pad_id == 0 and logits.shape[:2] == ids.shape
        return torch.nn.functional.cross_entropy(logits[:, :-1].mT, ids[:, 1:], ignore_index=pad_id)

    runs, steps = [], []
    for loss in (None, None, other):
        model.load_state_dict(state)
        runs.append(train(model, text_ids(TEXTS, 2, 0), 4, loss=loss, between=steps.append, progress=False))
    assert runs[0] == runs[1] and runs[2] == pytest.approx(runs[0], rel=1e-3)
    assert steps == [0, 1, 2, 3, 4] * 3


def test_watch_counts_training_alone():
    watch = Watch((0, 2), lambda: {"measured": 1})
    for step in range(3):
        watch(step)
    assert [row["step"] for row in watch.rows] == [0, 2] and watch.rows[0]["measured"] == 1


def test_the_command_remakes_what_only_names_and_keeps_other_sections(tmp_path, monkeypatch, capsys):
    path, threads = tmp_path / "runs.json", torch.get_num_threads()
    monkeypatch.setattr(sys, "argv", ["runs"])
    command("", path, {"a": lambda: [{"x": 1}], "b": lambda: [{"x": 2}]})
    monkeypatch.setattr(sys, "argv", ["runs", "--only", "a"])
    command("", path, {"a": lambda: [{"x": 3}, {"x": 4}], "b": list})
    torch.set_num_threads(threads)
    assert read_runs(path) == {"a": [{"x": 3}, {"x": 4}], "b": [{"x": 2}]}
    assert capsys.readouterr().out.splitlines()[-1] == '{"x": 4}'


def test_a_story_asks_for_the_feast_of_its_month():
    rng = random.Random(0)
    for distance in [*feast.DISTANCES, None] * 20:
        test = rng.random() < 0.5
        story = feast.story(rng, test, distance)
        assert story.words[story.place] == feast.FEASTS[story.month]
        assert story.words[story.place - story.distance] == story.month
        assert distance is None or abs(story.distance - distance) <= 6
        feast.vocabulary().encode(story.words)
    for _ in range(20):
        told = feast.travellers(rng)
        assert len(told.places) == told.people and all(told.words[i] in feast.FEASTS.values() for i in told.places)
        feast.vocabulary().encode(told.words)


def test_the_tiny_gpt_reads_writes_and_is_asked():
    world = tiny_world(1, count=200, probes=4)
    model = tiny_gpt.new_model(1, d_model=32, num_heads=2, d_ff=32, num_layers=2)
    losses = tiny_gpt.train(model, world.train, 3, seed=1, progress=False)
    assert abs(losses[0] - math.log(len(world_vocabulary()))) < 0.5
    found = tiny_gpt.measured(model, world, tiny_gpt.encoded(world.held_out_text))
    assert set(found["accuracy"]) == set(world.probes) and found["loss"] > 0
    text = tiny_gpt.complete(model, "lucia went", seed=3, max_len=4)
    assert text.startswith("lucia went") and len(text.split()) <= 6
    assert text == tiny_gpt.complete(model, "lucia went", seed=3, max_len=4)
    look = tiny_gpt.look(model, "Lucia went")
    assert look.words == ["<s>", "lucia", "went"] and look.weights.shape == (2, 2, 3, 3)
    (probe, *_) = world.probes["coreference"]
    mass = tiny_gpt.mass_on_antecedent(model, [probe])
    weights = tiny_gpt.look(model, probe.before)
    assert weights.words[probe.antecedent_place + 1] == probe.antecedent
    torch.testing.assert_close(mass, weights.weights[:, :, -1, probe.antecedent_place + 1])


def test_repeated_is_the_share_of_n_grams_that_were_there():
    assert docs_gpt.repeated([1, 2, 3, 4, 5, 6]) == 0
    assert docs_gpt.repeated([1, 2] * 6) == pytest.approx(1 - 2 / 9)


def test_what_the_stored_runs_of_the_tiny_world_show():
    runs = tiny_gpt.stored_runs()
    wanted = {
        "trivia": 0.95,
        "syntax": 0.95,
        "coreference": 0.95,
        "sentiment": 0.9,
        "word classes": 0.75,
        "sequences": 0.55,
    }
    for run in runs["GPT"]:
        end = run["history"][-1]
        assert end["cpu_seconds"] < 95 and all(end["accuracy"][name] >= least for name, least in wanted.items())
        assert 0.3 < end["accuracy"]["location"] < 0.9  # not learned in this time
    losses = {
        name: [(run.get("history") or [run])[-1]["loss"] for run in runs[name]] for name in ("GPT", "GRU", "trigram")
    }
    assert max(losses["GPT"]) < min(losses["trigram"]) and max(losses["GRU"]) < min(losses["trigram"])


def test_who_is_meant_and_the_same_with_another_count_of_words():
    first, second = tiny_gpt.because(count=5, seed=3)
    assert len(first) == len(second) == 5 and first == tiny_gpt.because(count=5, seed=3)[0]
    for meant, each in ((0, first), (1, second)):
        for story in each:
            words = story.text.split()
            assert (
                story.meant == meant
                and words[-1] == "because"
                and [words[i - 1] for i in story.places] == [*story.people]
            )
            far = story.places[1] - story.places[0]  # a preposition stands between, or doesn't: the cue
            assert (far, story.altered.places[1] - story.altered.places[0]) == ((3, 2) if meant == 0 else (2, 3))
            world_vocabulary().encode(story.altered.text.split())
    model = tiny_gpt.new_model(1, d_model=32, num_heads=2, d_ff=32, num_layers=2)
    mass = tiny_gpt.mass_on_the_two(model, first)
    one = tiny_gpt.look(model, first[0].text)
    assert one.words[first[0].places[1]] == first[0].people[1] and mass.shape == (2, 2, 2)
    assert set(tiny_gpt.means(model, first)) <= {0, 1}


def test_stored_runs_go_by_the_count_of_words_not_by_the_verb():
    for run in tiny_gpt.stored_runs()["because"]:
        assert min(run["right"]) > 0.9 and max(run["altered"]) < 0.2


def test_the_travellers_are_guessed_by_both():
    for run in feast.stored_runs()["travellers"]:
        found = run["history"][-1]["feast"]
        assert found["1"]["p"] > 0.98 and all(found[str(n)]["p"] < 1 / n + 0.03 for n in (2, 3, 4))


def test_a_circle_is_what_comes_three_times_in_a_row_at_the_end():
    assert docs_gpt.circles([[9, 1, 2, 3, 1, 2, 3, 1, 2, 3], [1, 2, 3, 4, 5, 6, 7, 8], [4, 5, 4, 5]]) == [[1, 2, 3]]
