"""The experiments of lesson 06: the layer's switches, the task by a slow loop, the landscape's directions, the stored runs."""

import json
from itertools import product

import pytest
import torch

from course_lib.errors import CourseError
from course_lib.experiments.block_parts import (
    EVERY,
    LANDSCAPES,
    RADII,
    RATES,
    STORED,
    VARIANTS,
    Adder,
    ConstantNorm,
    Layer,
    accuracy,
    direction,
    landscape,
    stored_landscapes,
    stored_runs,
    sums,
    train,
    untrained,
)
from course_lib.layers import EncoderLayer, LayerNorm

CHANCE = 1 / 8


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def spread(x):
    return ((x - x.mean(-2, keepdim=True)).norm() / x.norm()).item()


# --- the layer --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_with_everything_on_it_is_the_library_s_layer(norm):
    torch.manual_seed(0)
    layer, library = Layer(16, 2, norm=norm), EncoderLayer(16, 2, 64, dropout=0.0, pre_norm=norm == "pre")
    names = {"norms.0": "attention_norm", "norms.1": "feed_forward_norm"}
    state = {
        names.get(k.rpartition(".")[0], k.rpartition(".")[0]) + "." + k.rpartition(".")[2]: v
        for k, v in layer.state_dict().items()
    }
    library.load_state_dict(state)
    x = torch.randn(2, 5, 16)
    torch.testing.assert_close(layer(x), library(x)[0])


def test_each_switch_takes_its_part_away():
    x = torch.randn(1, 4, 16)
    torch.manual_seed(0)
    layer = Layer(16, 2, feed_forward=False, norm="none", skip=False)
    torch.testing.assert_close(layer(x), layer.attention(x)[0])
    layer.skip = True
    torch.testing.assert_close(layer(x), x + layer.attention(x)[0])
    with pytest.raises(CourseError, match="norm should be 'post', 'pre' or 'none'; got 'both'"):
        Layer(16, 2, norm="both")


@pytest.mark.parametrize(
    "feed_forward, norm, skip", list(product((False, True), ("none", "post", "pre"), (False, True)))
)
def test_only_the_skip_keeps_words_apart(feed_forward, norm, skip):
    x = torch.randn(1, 7, 64, generator=generator())
    with torch.no_grad():
        for layer in untrained(3, feed_forward=feed_forward, norm=norm, skip=skip):
            x = layer(x)
    assert spread(x) > 0.8 if skip else spread(x) < 1e-5


def test_the_seed_decides_and_attention_is_the_same_whatever_is_switched():
    one, other = untrained(2, seed=1), untrained(2, seed=1, feed_forward=False, norm="none")
    assert torch.equal(one[1].attention.W_Q.weight, other[1].attention.W_Q.weight)
    assert not torch.equal(one[0].attention.W_Q.weight, untrained(2, seed=2)[0].attention.W_Q.weight)


def test_the_constant_norm_differs_in_the_gradient_alone():
    torch.manual_seed(0)
    x, incoming = torch.randn(2, 3, 8, dtype=torch.float64, requires_grad=True), torch.randn(2, 3, 8)
    norm, constant = LayerNorm(8).double(), ConstantNorm(8).double()
    torch.testing.assert_close(norm(x), constant(x))
    (through,), (around,) = (torch.autograd.grad(each(x), x, incoming) for each in (norm, constant))
    assert through.sum(-1).abs().max() < 1e-9 < 0.01 < around.sum(-1).abs().max()


# --- the task, its model, the landscape -------------------------------------------------------------------------------


def test_sums_by_a_loop():
    ids, targets = sums(20, generator())
    for digits, answers in zip(ids.tolist(), targets.tolist()):
        assert answers == [(a + b) % 8 for a, b in zip(digits, digits[1:])]


def test_an_adder_is_causal_and_its_seed_decides_everything():
    torch.manual_seed(5)
    before = torch.get_rng_state()
    (first, losses), (second, _) = (train(2, seed=1, lr=1e-3, steps=3) for _ in range(2))
    assert torch.equal(before, torch.get_rng_state()) and len(losses) == 3
    assert all(torch.equal(a, b) for a, b in zip(first.state_dict().values(), second.state_dict().values()))
    ids, _ = sums(4, generator())
    changed = ids.clone()
    changed[:, 5:] = (changed[:, 5:] + 1) % 8
    torch.testing.assert_close(first(ids)[:, :4], first(changed)[:, :4])
    assert accuracy(first) < 0.3


def test_a_direction_is_normalised_row_by_row():
    adder = Adder(1)
    for random, weight in zip(direction(adder, generator()), adder.parameters()):
        torch.testing.assert_close(
            random.norm(dim=-1), weight.norm(dim=-1) if weight.dim() > 1 else 0 * weight.norm(dim=-1)
        )


def test_the_middle_of_the_landscape_is_the_model_itself_and_it_is_put_back():
    adder = Adder(1).requires_grad_(False)
    before = [weight.clone() for weight in adder.parameters()]
    table = landscape(adder, radii=[-0.5, 0.0, 0.5])
    ids, targets = sums(64, generator(77))
    loss = torch.nn.functional.cross_entropy(adder(ids).flatten(0, 1), targets.flatten()).item()
    assert table[1][1] == pytest.approx(loss, abs=1e-3) and table[0][0] != table[1][1]
    assert all(torch.equal(a, b) for a, b in zip(before, adder.parameters()))


@pytest.mark.slow
def test_two_layers_without_a_feed_forward_network_learn_the_sums():
    assert accuracy(train(2, seed=5, lr=3e-3, norm="pre", feed_forward=False)[0]) > 0.9


# --- the stored runs: what the lesson says of them --------------------------------------------------------------------


@pytest.fixture(scope="module")
def stored():
    return stored_runs()


def test_the_stored_runs_are_complete(stored):
    file = json.loads(STORED.read_text("utf-8"))
    assert list(stored) == [(name, rate) for name in VARIANTS for rate in RATES] and len(set(file["seeds"])) == 3
    assert file["radii"] == RADII and RADII[0] == -1 and RADII[-1] == 1 and sorted(RADII) == RADII
    for run in stored.values():
        assert len(run["accuracy"]) == 3 and [len(losses) for losses in run["loss"]] == [file["steps"] // EVERY] * 3
    landscapes = stored_landscapes()
    assert list(landscapes) == list(LANDSCAPES)
    for each in landscapes.values():
        assert [len(table) for table in each["loss"]] == [len(RADII)] * 3
    with pytest.raises(CourseError, match="python -m course_lib.experiments.block_parts"):
        stored_runs("nowhere.json")


def test_post_norm_fails_at_the_high_rate_without_warm_up_and_pre_norm_does_not(stored):
    assert max(stored["post-norm", 0.003]["accuracy"]) < 0.2
    assert min(stored["pre-norm", 0.003]["accuracy"]) > 0.99
    assert min(stored["post-norm, warm-up", 0.003]["accuracy"]) > 0.9
    for name in ("post-norm", "pre-norm"):
        assert min(stored[name, 0.001]["accuracy"]) > 0.99


def test_the_norm_alone_does_not_train_and_the_skip_alone_does(stored):
    assert min(stored["skip, no norm", 0.001]["accuracy"]) > 0.9
    assert max(stored["post-norm, no skip", 0.001]["accuracy"]) < 0.2


def test_without_a_norm_the_usual_start_learns_soonest_and_a_large_input_does_not_learn(stored):
    def step_100(name):
        return [losses[9] for losses in stored[name, 0.001]["loss"]]

    assert max(step_100("skip, no norm")) < min(step_100("pre-norm") + step_100("post-norm"))
    assert max(stored["skip, no norm, input × 10", 0.001]["accuracy"]) < 0.3
    for name in ("pre-norm, input × 10", "post-norm, input × 10"):
        assert min(stored[name, 0.001]["accuracy"]) > 0.97


def test_an_adder_takes_another_layer_and_a_larger_input():
    torch.manual_seed(0)
    usual = Adder(1)
    torch.manual_seed(0)
    larger = Adder(1, scale=10.0, make_layer=Layer)
    torch.testing.assert_close(larger.token.weight, 10 * usual.token.weight)
    torch.testing.assert_close(larger.place, 10 * usual.place)


def test_dropout_falls_in_training_alone_and_few_texts_are_seen_again_and_again():
    texts = sums(4, generator())
    adder, _ = train(1, seed=0, lr=3e-3, steps=3, texts=texts, dropout=0.5)
    assert not adder.training and torch.equal(adder(texts[0]), adder(texts[0]))
    adder.train()
    assert not torch.equal(adder(texts[0]), adder(texts[0]))
    assert accuracy(train(2, seed=0, lr=3e-3, steps=100, norm="pre", texts=texts)[0].eval(), texts) > 0.9


@pytest.mark.slow
def test_dropout_helps_a_model_that_sees_few_texts():
    texts = sums(128, generator())
    without, with_it = (
        [accuracy(train(2, seed, lr=3e-3, norm="pre", texts=texts, dropout=p)[0]) for seed in range(2)]
        for p in (0.0, 0.1)
    )
    assert min(with_it) > max(without) + 0.05
