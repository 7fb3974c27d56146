"""Lines and planes through weights: against a landscape whose loss is known everywhere."""

import math

import pytest
import torch
from torch import nn

from course_lib.errors import CourseError
from course_lib.gpt import GPT, GPTConfig
from course_lib.landscape import Plane, barrier, between, distance, losses_on_line, losses_on_plane, weights


def layer(*numbers):
    """A model of three weights and a bias."""
    model = nn.Linear(3, 1)
    with torch.no_grad():
        model.weight.copy_(torch.tensor([numbers[:3]]))
        model.bias.fill_(numbers[3])
    return model


def squares(model):
    """A loss that is the squared length of all weights."""
    return sum((parameter**2).sum() for parameter in model.parameters())


def test_weights_are_a_copy_of_all_parameters():
    model = layer(1.0, 2.0, 3.0, 4.0)
    taken = weights(model)
    assert set(taken) == {"weight", "bias"} and not any(each.requires_grad for each in taken.values())
    with torch.no_grad():
        model.weight.zero_()
    assert taken["weight"].tolist() == [[1, 2, 3]]


def test_between_two_models():
    a, b = weights(layer(0.0, 0.0, 2.0, 1.0)), weights(layer(4.0, 0.0, 2.0, -1.0))
    assert between(a, b, 0.25)["weight"].tolist() == [[1, 0, 2]] and between(a, b, 0.25)["bias"].tolist() == [0.5]
    for t, end in ((0.0, a), (1.0, b)):
        assert all(torch.equal(between(a, b, t)[name], end[name]) for name in end)
    assert between(a, b, 1.5)["weight"].tolist() == [[6, 0, 2]]


def test_distance_is_over_all_weights_together_and_relative_to_the_first():
    a, b = weights(layer(0.0, 0.0, 3.0, 4.0)), weights(layer(1.0, 2.0, 3.0, 2.0))
    assert distance(a, b) == pytest.approx(3 / 5)
    assert distance(b, a) == pytest.approx(3 / math.sqrt(18)) and distance(a, a) == 0


def test_the_loss_on_a_line_and_what_stays_as_it_was():
    model, a, b = layer(9.0, 9.0, 9.0, 9.0), weights(layer(1.0, 0.0, 0.0, 0.0)), weights(layer(-1.0, 0.0, 0.0, 2.0))
    before = weights(model), {name: each.clone() for name, each in a.items()}
    model.train()
    modes = []
    found = losses_on_line(model, a, b, [0.0, 0.5, 1.0], lambda m: modes.append(m.training) or squares(m))
    assert found.tolist() == [1, 1, 5]
    assert model.training and modes == [False] * 3 and not found.requires_grad
    for old, new in zip(before, (weights(model), a), strict=True):
        assert all(torch.equal(old[name], new[name]) for name in old)


def test_a_barrier_is_what_rises_above_the_line_between_the_ends():
    assert barrier(torch.tensor([0.1, 0.6, 0.3])) == pytest.approx(0.4)
    assert barrier(torch.tensor([0.1, 0.2, 0.3])) == pytest.approx(0, abs=1e-7)
    assert barrier(torch.tensor([0.3, 0.0, 0.3])) == 0
    assert barrier(torch.tensor([0.0, 0.1, 0.9, 0.3])) == pytest.approx(0.7)


def test_a_plane_holds_its_three_models_and_isnt_stretched():
    torch.manual_seed(0)
    a, b, c = (weights(nn.Linear(5, 4)) for _ in range(3))
    plane = Plane.through(a, b, c)
    assert plane.place(a) == (0, 0) and plane.place(b) == pytest.approx((distance(a, b) * length(a), 0), abs=1e-5)
    for each in (a, b, c):
        there = plane.at(*plane.place(each))
        assert all(torch.allclose(there[name], each[name], atol=1e-5) for name in each)
    between_b_and_c = math.dist(plane.place(b), plane.place(c))
    assert between_b_and_c == pytest.approx(distance(b, c) * length(b), rel=1e-5)


def length(a):
    return math.sqrt(sum((each**2).sum().item() for each in a.values()))


def test_the_loss_on_a_plane_has_a_row_for_each_y():
    a, b, c = (weights(layer(*at)) for at in ((0.0, 0.0, 0.0, 0.0), (2.0, 0.0, 0.0, 0.0), (1.0, 0.0, 3.0, 0.0)))
    plane = Plane.through(a, b, c)
    assert plane.place(c) == (1, 3)
    found = losses_on_plane(layer(9.0, 9.0, 9.0, 9.0), plane, xs=[0.0, 1.0, 2.0], ys=[0.0, 3.0], loss=squares)
    assert found.tolist() == [[0, 1, 4], [9, 10, 13]]


def test_three_models_on_a_line_make_no_plane():
    a, b = weights(layer(0.0, 1.0, 0.0, 0.0)), weights(layer(2.0, 0.0, 1.0, 0.0))
    for c in (a, b, between(a, b, 3.0)):
        with pytest.raises(CourseError, match="three models that don't lie on one line"):
            Plane.through(a, b, c)
    with pytest.raises(CourseError, match="three models that don't lie on one line"):
        Plane.through(a, a, b)


def test_half_a_model_or_another_size_gets_a_sentence():
    a = weights(layer(1.0, 1.0, 1.0, 1.0))
    for call in (distance, lambda x, y: between(x, y, 0.5), lambda x, y: Plane.through(a, x, y)):
        with pytest.raises(CourseError, match="only one of them has bias. A head counts, too"):
            call(a, {"weight": a["weight"]})
    with pytest.raises(CourseError, match=r"weight is \(1, 3\) in one and \(1, 5\) in the other"):
        distance(a, weights(nn.Linear(5, 1)))
    with pytest.raises(CourseError, match="only one of them has bias"):
        losses_on_line(nn.Linear(3, 1, bias=False), a, a, [0.5], squares)


def test_tied_vectors_count_once():
    model = GPT(GPTConfig(vocab_size=11, d_model=8, num_heads=2, d_ff=16, num_layers=1, max_len=6))
    assert sum(each.numel() for each in weights(model).values()) == sum(each.numel() for each in model.parameters())
    ids = torch.tensor([[1, 2, 3]])
    halved = {name: each / 2 for name, each in weights(model).items()}
    found = losses_on_line(model, weights(model), halved, [0.0, 1.0], lambda m: m(ids)[0].abs().sum())
    assert found[0] == pytest.approx(model.eval()(ids)[0].abs().sum().item(), rel=1e-5) and found[1] < found[0]
