"""The gate, the mixture of experts against a loop over tokens, and the balance loss."""

from copy import deepcopy

import pytest
import torch
from torch import nn

from course_lib.errors import CourseError
from course_lib.experts import Experts, balance_loss, balance_losses, top_k_gate
from course_lib.layers import FeedForward


def test_the_gate_is_a_softmax_over_the_k_largest():
    gate = top_k_gate(torch.tensor([[0.0, 3.0, 1.0, -2.0]]), 2)
    e = torch.tensor([0.0, 3.0, 1.0, 0.0]).exp() * torch.tensor([0, 1, 1, 0])
    torch.testing.assert_close(gate, (e / e.sum())[None])
    assert gate[0, 0] == gate[0, 3] == 0
    logits = torch.randn(5, 4)
    torch.testing.assert_close(top_k_gate(logits, 4), logits.softmax(-1))
    torch.testing.assert_close(top_k_gate(logits, 1), nn.functional.one_hot(logits.argmax(-1), 4).float())


def by_loop(layer: Experts, x):
    """Token by token, expert by expert."""
    rows = []
    for token in x.flatten(0, 1):
        logits = layer.gate.weight @ token
        order = logits.argsort(descending=True)[: layer.top_k].tolist()
        among = logits.exp().sum() if layer.top_k == 1 else logits[order].exp().sum()
        rows.append(sum(logits[i].exp() / among * layer.experts[i](token) for i in order))
    return torch.stack(rows).view_as(x)


@pytest.mark.parametrize("top_k", [1, 2, 5])
def test_experts_are_a_loop_over_tokens(top_k):
    torch.manual_seed(0)
    layer, x = Experts(6, 10, num_experts=5, top_k=top_k).double(), torch.randn(2, 7, 6, dtype=torch.float64)
    x.requires_grad_()
    output, expected = layer(x), by_loop(layer, x)
    torch.testing.assert_close(output, expected)
    weights = torch.randn_like(output)
    ours, theirs = (torch.autograd.grad((y * weights).sum(), [x, *layer.parameters()]) for y in (output, expected))
    for own, right in zip(ours, theirs, strict=True):
        torch.testing.assert_close(own, right)
    assert layer.gate.weight.shape == (5, 6) and ours[1].abs().max() > 1e-3  # the gate learns, with k = 1 too
    assert layer.used.sum() == pytest.approx(1)


def test_all_experts_together_are_their_soft_mixture():
    torch.manual_seed(0)
    layer, x = Experts(6, 10, num_experts=3, top_k=3), torch.randn(4, 6)
    shares = layer.gate(x).softmax(-1)
    torch.testing.assert_close(layer(x), sum(shares[:, i, None] * layer.experts[i](x) for i in range(3)))


def test_an_expert_that_nobody_chose_learns_nothing():
    torch.manual_seed(0)
    layer, x = Experts(4, 8, num_experts=3), torch.rand(5, 4)
    with torch.no_grad():
        layer.gate.weight[0] = 10.0  # on positive vectors expert 0 always wins
    layer(x).sum().backward()
    assert layer.used.tolist() == [1, 0, 0]
    for i, expert in enumerate(layer.experts):
        gradients = [parameter.grad.abs().sum() for parameter in expert.parameters()]
        assert all(gradient == 0 for gradient in gradients) == (i > 0)


def test_one_expert_is_a_feed_forward_network():
    torch.manual_seed(0)
    layer, alone, x = Experts(4, 8, num_experts=1), FeedForward(4, 8, activation=nn.GELU), torch.randn(3, 4)
    alone.load_state_dict(layer.experts[0].state_dict())
    torch.testing.assert_close(layer(x), alone(x))


def test_the_balance_loss_is_1_for_even_use_and_n_for_one_expert():
    even, one = torch.eye(4), torch.tensor([[1.0, 0, 0, 0]]).expand(4, 4)
    assert balance_loss(even, even.bool()) == 1 and balance_loss(one, one.bool()) == 4
    twice = torch.tensor([[0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5]])
    assert balance_loss(twice, twice > 0) == 1  # two experts a token count half each
    probabilities = torch.full((2, 2), 0.5, requires_grad=True)
    chosen = torch.tensor([[True, False], [True, False]])
    balance_loss(probabilities, chosen).backward()
    assert (probabilities.grad[:, 0] > probabilities.grad[:, 1]).all()  # less of the one that got all


def test_balance_losses_are_added_up_and_copies_can_be_made():
    torch.manual_seed(0)
    model = nn.Sequential(Experts(4, 8, 3), Experts(4, 8, 2, top_k=2))
    model(torch.randn(9, 4))
    torch.testing.assert_close(balance_losses(model), model[0].balance + model[1].balance)
    assert balance_losses(model).requires_grad
    other = deepcopy(model)
    assert not other[0].balance.requires_grad and model[0].balance.requires_grad


def test_what_makes_no_sense_is_said():
    with pytest.raises(CourseError, match="3 of 2 experts"):
        top_k_gate(torch.zeros(1, 2), 3)
    with pytest.raises(CourseError, match="5 of 4 experts"):
        Experts(4, 8, num_experts=4, top_k=5)
    with pytest.raises(CourseError, match="no Experts"):
        balance_losses(nn.Linear(2, 2))
