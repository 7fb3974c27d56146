"""How a student's code is called. Each of these is `call(submission, *inputs)`, the inputs being those of one case.

They run beside the student's code, so they know no right answer.
"""

import torch
from torch import Tensor


class Misnamed(Exception):
    """The student's class lacks a parameter or a method that the exercise asks for; the message is for the student."""


def plain(submission, *inputs):
    return submission(*inputs)


def of_class(submission, *inputs, methods: tuple[str, ...], another: tuple):
    """What each method returns, in turn, of one object. The last inputs are the methods', those before make the object.

    A second object is made of `another` before that: what an answer keeps in the class or in a global shows.
    """
    count = len(inputs) - len(methods)
    made = submission(*inputs[:count])
    submission(*another)
    for name in methods:
        if not callable(getattr(made, name, None)):
            raise Misnamed(f"Your class has no method {name}. It needs: {', '.join(methods)}.")
    return tuple(getattr(made, name)(argument) for name, argument in zip(methods, inputs[count:]))


def of_module(submission, config: dict, weights: dict[str, Tensor], *inputs):
    """What an nn.Module with these weights returns, in training mode, where a dropout that nobody asked for shows."""
    module = submission(**config)
    own = module.state_dict()
    for name, weight in weights.items():
        layer = name.removesuffix(".bias")
        if name not in own and f"{layer}.weight" in own:
            raise Misnamed(f"Your {layer} has no bias, and here it should have one. Is it made with bias=False?")
        if name not in own:
            raise Misnamed(
                f"Your module has no parameter {name}. Its parameters are: {', '.join(own) or 'none'}. "
                "The check copies weights in by name, so the layers need the names that the exercise gives."
            )
        if own[name].shape != weight.shape:
            wanted, got = tuple(weight.shape), tuple(own[name].shape)
            made_of = ", ".join(f"{key}={value}" for key, value in config.items())
            raise Misnamed(f"{name} should have shape {wanted} for {made_of}, yours has {got}.")
    extra = sorted(set(own) - set(weights))
    if extra:
        raise Misnamed(f"Your module has parameters that aren't asked for: {', '.join(extra)}.")
    module.load_state_dict(weights)
    return module.to(next(iter(weights.values())).dtype)(*inputs)


def gradient(call, submission, inputs: tuple) -> list[Tensor]:
    """Of a weighted sum of the outputs, with respect to each of the inputs that is a floating-point tensor."""
    leaves = [x.requires_grad_() for x in inputs if isinstance(x, Tensor) and x.is_floating_point()]
    outputs = call(submission, *inputs)
    outputs = outputs if isinstance(outputs, (tuple, list)) else [outputs]
    torch.manual_seed(0)
    total = sum((out * torch.randn(out.shape, dtype=out.dtype)).sum() for out in outputs if out is not None)
    gradients = torch.autograd.grad(total, leaves, allow_unused=True)
    return [torch.zeros_like(x) if g is None else g for g, x in zip(gradients, leaves)]
