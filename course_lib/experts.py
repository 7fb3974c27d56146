"""Mixture of experts: many feed-forward networks, of which each token goes through a few.

    block = Block(64, 4, feed_forward=Experts(64, 256, num_experts=8, top_k=2))
    loss = cross_entropy(logits, targets) + 0.01 * balance_losses(model)

Shazeer et al. (2017), "Outrageously Large Neural Networks: The Sparsely-Gated Mixture-of-Experts Layer"; Fedus, Zoph
and Shazeer (2022), "Switch Transformers". A layer of eight experts has eight times the parameters of one, and costs
each token the products of `top_k`. Left out: the noise in the gate and the two balance losses of 2017, and the limit on
how many tokens an expert takes, which only matters where experts lie on different machines.
"""

from collections.abc import Callable

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from course_lib.errors import CourseError
from course_lib.layers import FeedForward, Vectors
from course_lib.support.messages import whole_number


def top_k_gate(logits: Float[Tensor, "token expert"], k: int) -> Float[Tensor, "token expert"]:
    """How much of each expert a token gets: a softmax over its k largest logits, exactly 0 for all others.

    Shazeer et al. (2017), equations 3 and 5, without the noise. With k = 1 the one share is 1 whatever the logits are,
    and no gradient reaches them. Raises CourseError unless k lies between 1 and the number of experts.
    """
    check_top_k(k, logits.shape[-1])
    largest, which = logits.topk(k, dim=-1)
    return torch.full_like(logits, float("-inf")).scatter(-1, which, largest).softmax(-1)


def balance_loss(
    probabilities: Float[Tensor, "token expert"], chosen: Bool[Tensor, "token expert"]
) -> Float[Tensor, ""]:
    """N · Σ f_i P_i over the N experts: 1 if all are used alike, N if one gets everything. Fedus et al., equation 4.

    f_i is expert i's part of all choices, P_i its mean probability. A choice has no gradient, so only P learns.
    """
    f = chosen.sum(0) / chosen.sum()
    return chosen.shape[1] * (f * probabilities.mean(0)).sum()


class Experts(nn.Module):
    """In place of a feed-forward network: `num_experts` of them, and a gate that sends each token to `top_k`.

    With top_k = 1 the expert's output is multiplied by its probability among all experts, as in the Switch Transformer;
    with more, by the shares of `top_k_gate`. After each call, `used` says which part of all choices each expert
    got, and `balance` is the call's balance loss. Padding is sent to experts as any other token.
    """

    def __init__(
        self, d_model: int, d_ff: int, num_experts: int, top_k: int = 1, activation: Callable[[], nn.Module] = nn.GELU
    ):
        super().__init__()
        self.top_k = check_top_k(top_k, whole_number("num_experts", num_experts, low=1))
        self.gate = nn.Linear(d_model, num_experts, bias=False)
        self.experts = nn.ModuleList(FeedForward(d_model, d_ff, activation=activation) for _ in range(num_experts))
        self.used = torch.zeros(num_experts)
        self.balance = torch.zeros(())

    def forward(self, x: Vectors) -> Vectors:
        tokens = x.reshape(-1, x.shape[-1])
        logits = self.gate(tokens)
        probabilities = logits.softmax(-1)
        shares = top_k_gate(logits, self.top_k)
        chosen = shares > 0
        if self.top_k == 1:
            shares = probabilities * chosen

        output = torch.zeros_like(tokens)
        for i, expert in enumerate(self.experts):
            (mine,) = chosen[:, i].nonzero(as_tuple=True)  # the others are never computed: here the products are saved
            new = shares[mine, i, None] * expert(tokens[mine])
            output = output.index_add(0, mine, new.to(output.dtype))

        self.used = chosen.sum(0) / chosen.sum()
        self.balance = balance_loss(probabilities, chosen)
        return output.view_as(x)

    def __getstate__(self):
        """For a copy: torch copies no tensor that was computed, unless it is cut off from what it was computed with."""
        return self.__dict__ | {"balance": self.balance.detach()}


def balance_losses(model: nn.Module) -> Float[Tensor, ""]:
    """The sum of the balance losses of all Experts in the model, from their last call. CourseError if it has none."""
    losses = [module.balance for module in model.modules() if isinstance(module, Experts)]
    if not losses:
        raise CourseError(f"{type(model).__name__} has no Experts, so nothing to balance. Leave this loss out.")
    return torch.stack(losses).sum()


def check_top_k(k: int, num_experts: int) -> int:
    if whole_number("k", k, low=1) > num_experts:
        raise CourseError(f"A token can't go to {k} of {num_experts} experts. Choose k from 1 to {num_experts}.")
    return k
