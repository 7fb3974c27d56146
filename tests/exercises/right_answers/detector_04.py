"""Right answers to 04.by_gradient, in several styles."""

import torch

from right_answers import right

K = "04.by_gradient"


@right(K)
def with_autograd_grad(layer, x):
    x = x.clone().requires_grad_()
    output, rows = layer(x), []
    for i in range(len(x)):
        mixed = output[i] @ torch.randn(output.shape[1], dtype=x.dtype)
        (gradient,) = torch.autograd.grad(mixed, x, retain_graph=True)
        rows.append((gradient != 0).any(-1))
    return torch.stack(rows)


@right(K)
def with_backward(layer, x):
    x = x.detach().clone().requires_grad_(True)
    y = layer(x)
    seen = torch.zeros(len(y), len(x), dtype=torch.bool)
    for i in range(len(y)):
        x.grad = None
        y[i].backward(torch.randn_like(y[i]), retain_graph=True)
        seen[i] = x.grad.abs().sum(dim=1) > 0
    return seen


@right(K)
def with_the_jacobian(layer, x):
    jacobian = torch.autograd.functional.jacobian(layer, x)  # (n, d_out, n, d)
    return (jacobian != 0).any(-1).any(1)


@right(K)
def in_place_on_the_input(layer, x):
    x.requires_grad_()
    y = layer(x)
    weights = torch.randn_like(y)
    rows = [
        torch.autograd.grad((weights * y)[i].sum(), x, retain_graph=True)[0].norm(dim=-1) != 0 for i in range(len(x))
    ]
    return torch.stack(rows)


@right(K)
def anew_each_time(layer, x):
    result = []
    for i in range(x.shape[0]):
        leaf = x.clone().requires_grad_()
        out = layer(leaf)[i]
        (out * torch.rand_like(out)).sum().backward()
        result.append([bool(g.count_nonzero()) for g in leaf.grad])
    return torch.tensor(result)
