"""Wrong answers to 04.by_gradient of ordinary students; those with a sentence are told."""

import torch

from unlisted_mistakes import wrong

K = "04.by_gradient"


def seen(x, layer, number=lambda y: (y * torch.randn_like(y)).sum(), any_of=lambda g: (g != 0).any(-1)):
    x = x.clone().requires_grad_()
    y = layer(x)
    return torch.stack([any_of(torch.autograd.grad(number(one), x, retain_graph=True)[0]) for one in y])


@wrong(K, "no gradient leads back to the input")
def no_requires_grad(layer, x):
    y = layer(x)
    return torch.stack([torch.autograd.grad(one.sum(), x, retain_graph=True)[0].any(-1) for one in y])


@wrong(K, "retain_graph=True keeps it")
def without_retain(layer, x):
    x = x.clone().requires_grad_()
    y = layer(x)
    return torch.stack([(torch.autograd.grad((one * torch.randn_like(one)).sum(), x)[0] != 0).any(-1) for one in y])


@wrong(K, "a gradient is taken of one number")
def of_a_whole_vector(layer, x):
    x = x.clone().requires_grad_()
    y = layer(x)
    return torch.stack([(torch.autograd.grad(one, x, retain_graph=True)[0] != 0).any(-1) for one in y])


@wrong(K, "run the layer on the very x")
def another_tensor(layer, x):
    leaf = x.clone().requires_grad_()
    y = layer(x.clone().requires_grad_())
    return torch.stack([(torch.autograd.grad(one.sum(), leaf, retain_graph=True)[0] != 0).any(-1) for one in y])


@wrong(K, ".grad adds up")
def grad_adds_up(layer, x):
    x = x.clone().requires_grad_()
    y, rows = layer(x), []
    for one in y:
        (one * torch.rand_like(one)).sum().backward(retain_graph=True)
        rows.append((x.grad != 0).any(-1))
    return torch.stack(rows)


@wrong(K, "A plain sum")
def a_mean(layer, x):
    return seen(x, layer, number=torch.mean)


@wrong(K, "A plain sum")
def ones_as_weights(layer, x):
    return seen(x, layer, number=lambda y: y @ torch.ones_like(y))


@wrong(K, "A very small influence")
def rounded(layer, x):
    return seen(x, layer, any_of=lambda g: (g.round(decimals=4) != 0).any(-1))


@wrong(K, "A very small influence")
def allclose(layer, x):
    return seen(x, layer, any_of=lambda g: ~torch.isclose(g, torch.zeros_like(g)).all(-1))


@wrong(K, "A very small influence")
def by_exchange(layer, x):
    columns = []
    for j in range(len(x)):
        other = x.clone()
        other[j] = torch.randn_like(x[j])
        columns.append((layer(other) != layer(x)).any(-1))
    return torch.stack(columns, 1)


@wrong(K, "Rows and columns have changed places")
def stacked_along_one(layer, x):
    x = x.clone().requires_grad_()
    y = layer(x)
    rows = [(torch.autograd.grad((o * torch.rand_like(o)).sum(), x, retain_graph=True)[0] != 0).any(1) for o in y]
    return torch.stack(rows, dim=1)


@wrong(K, "Only positive gradients")
def positive(layer, x):
    return seen(x, layer, any_of=lambda g: (g > 0).any(-1))


@wrong(K, "None")
def nothing_returned(layer, x):
    seen(x, layer)


@wrong(K, "list")
def a_list(layer, x):
    return list(seen(x, layer))


@wrong(K, "have an influence")
def first_number_of_the_input(layer, x):
    return seen(x, layer, any_of=lambda g: g[:, 0] != 0)


@wrong(K, "a single number of each output")
def first_number_of_the_output(layer, x):
    return seen(x, layer, number=lambda y: y[0])


@wrong(K, "All rows are the same")
def one_backward(layer, x):
    x = x.clone().requires_grad_()
    layer(x).square().sum().backward()
    return (x.grad != 0).any(-1).expand(len(x), -1)


@wrong(K)  # the number of leaks
def counted(layer, x):
    return (seen(x, layer) & ~torch.ones(len(x), len(x), dtype=torch.bool).tril()).sum()


@wrong(K, "Make it True and False")
def strengths(layer, x):
    return seen(x, layer, any_of=lambda g: g.abs().amax(-1))


@wrong(K)
def diagonal_left_out(layer, x):
    return seen(x, layer) & ~torch.eye(len(x), dtype=torch.bool)


@wrong(K)
def only_what_came_before(layer, x):
    return seen(x, layer).tril()


@wrong(K)
def output_times_input(layer, x):
    return (layer(x) @ torch.randn(layer(x).shape[1], x.shape[1], dtype=x.dtype)) @ x.mT != 0
