"""How the loss looks between trained models, and how far apart they are.

    start, end = weights(before), weights(after)                # what training changed: {name: tensor}
    distance(start, end)                                        # .07: moved by 7 % of the start's length
    losses_on_line(model, start, end, ts, loss)                 # loss(model) at start + t (end − start), for each t

    through = Plane.through(start, end, other)                  # x to the end, y towards the other
    losses_on_plane(model, through, xs, ys, loss)               # a map of the loss, (ys, xs)

Lines: Goodfellow, Vinyals and Saxe (2015), "Qualitatively characterizing neural network optimization problems". Planes
through three models: Garipov et al. (2018), "Loss Surfaces, Mode Connectivity, and Fast Ensembling of DNNs"; Li et al.
(2018), "Visualizing the Loss Landscape of Neural Nets", lay theirs along random directions instead.

All weights of a model count as one long vector. `loss` should ask held-out text, and the model stays as it was.
"""

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from course_lib.errors import CourseError

Weights = dict[str, Tensor]
Loss = Callable[[nn.Module], Tensor | float]


def weights(model: nn.Module) -> Weights:
    """A copy of what training changes, by name. A matrix that serves twice, as tied token vectors do, comes once."""
    return {name: parameter.detach().clone() for name, parameter in model.named_parameters()}


def between(a: Weights, b: Weights, t: float) -> Weights:
    """a + t (b − a): a at t = 0, b at t = 1, in the middle at ½; below 0 and above 1 the line goes on.

    Raises CourseError where the two aren't of the same model.
    """
    _check_alike(a, b)
    return {name: torch.lerp(a[name], b[name], t) for name in a}


def length(a: Weights) -> float:
    """‖a‖, all weights together."""
    return _length(a).item()


def distance(a: Weights, b: Weights) -> float:
    """‖b − a‖ / ‖a‖ over all weights together: 0.07 says that b lies 7 % of a's own length away from it."""
    _check_alike(a, b)
    return (_length(_minus(b, a)) / _length(a)).item()


def losses_on_line(
    model: nn.Module, a: Weights, b: Weights, ts: Sequence[float], loss: Loss
) -> Float[Tensor, "{len(ts)}"]:
    """The loss at each t of the line from a to b."""
    return _losses(model, [between(a, b, t) for t in ts], loss)


def barrier(losses: Float[Tensor, "t"]) -> float:
    """How far the loss rises above the straight line between its two ends; 0 where it never does.

    `losses` at evenly spaced t from 0 to 1. As Entezari et al. (2022) have it.
    """
    t = torch.linspace(0, 1, len(losses), dtype=losses.dtype)
    return (losses - torch.lerp(losses[0], losses[-1], t)).max().item()


@dataclass(frozen=True)
class Plane:
    """The plane through three models. x and y count in the unit of the weights themselves: its map isn't stretched."""

    origin: Weights
    x: Weights  # of length 1
    y: Weights  # of length 1, at right angles to x

    @classmethod
    def through(cls, a: Weights, b: Weights, c: Weights) -> "Plane":
        """a at (0, 0), b at (‖b − a‖, 0), c above or below them. Raises CourseError where the three are on one line."""
        _check_alike(a, b)
        _check_alike(a, c)
        to_b, to_c = _minus(b, a), _minus(c, a)
        x = _scaled(to_b, 1 / _length(to_b).clamp(min=1e-30))
        rest = _minus(to_c, _scaled(x, _dot(to_c, x)))  # Gram and Schmidt: what of c − a doesn't go along x
        if not _length(to_b) > 0 or _length(rest) <= 1e-5 * _length(to_c):
            raise CourseError(
                "A plane needs three models that don't lie on one line; two of these are equal, or all do."
            )
        return cls(a, x, _scaled(rest, 1 / _length(rest)))

    def at(self, x: float, y: float) -> Weights:
        """The weights at this place of the map."""
        return {name: start + x * self.x[name] + y * self.y[name] for name, start in self.origin.items()}

    def place(self, of: Weights) -> tuple[float, float]:
        """(x, y) of a model, or of the point on the plane that is nearest to it."""
        _check_alike(self.origin, of)
        way = _minus(of, self.origin)
        return _dot(way, self.x).item(), _dot(way, self.y).item()


def losses_on_plane(
    model: nn.Module, plane: Plane, xs: Sequence[float], ys: Sequence[float], loss: Loss
) -> Float[Tensor, "{len(ys)} {len(xs)}"]:
    """The loss at each place of the map: a row for each y."""
    return _losses(model, (plane.at(x, y) for y in ys for x in xs), loss).view(len(ys), len(xs))


@torch.no_grad()
def _losses(model: nn.Module, places, loss: Loss) -> Float[Tensor, "place"]:
    model = copy.deepcopy(model).eval()  # the one that was given stays where it is
    found = []
    for place in places:
        _check_alike(dict(model.named_parameters()), place)
        for name, parameter in model.named_parameters():
            parameter.copy_(place[name])
        found.append(float(loss(model)))
    return torch.tensor(found)


def _minus(a: Weights, b: Weights) -> Weights:
    return {name: a[name] - b[name] for name in a}


def _scaled(a: Weights, factor: Tensor | float) -> Weights:
    return {name: a[name] * factor for name in a}


def _dot(a: Weights, b: Weights) -> Float[Tensor, ""]:
    return torch.stack([(a[name] * b[name]).sum() for name in a]).sum()


def _length(a: Weights) -> Float[Tensor, ""]:
    return _dot(a, a).sqrt()


def _check_alike(a: Weights, b: Weights) -> None:
    if other := sorted(a.keys() ^ b.keys()):
        raise CourseError(
            f"Both should have all weights of the same model, but only one of them has {', '.join(other[:3])}"
            f"{' …' * (len(other) > 3)}. A head counts, too."
        )
    for name in a:
        if a[name].shape != b[name].shape:
            raise CourseError(
                f"Both should have weights of the same shapes, but {name} is {tuple(a[name].shape)} in one and "
                f"{tuple(b[name].shape)} in the other."
            )
