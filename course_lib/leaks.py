"""What a model really sees: which output depends on which input, measured, whatever its masks promise."""

import contextlib
import copy
from collections.abc import Callable, Iterator, Mapping

import torch
import torch.nn.functional as F
from jaxtyping import Bool
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from course_lib.errors import CourseError
from course_lib.support.messages import one_of, whole_number

Seen = Bool[Tensor, "output input"]


def leaks(
    model: Callable,
    x: Tensor | tuple[int, ...],
    *others,
    by: str = "gradient",
    axis: int = 1,
    trials: int = 3,
    tolerance: float | None = None,
    seed: int = 0,
) -> Seen:
    """Which output position depends on which input position: True where it does, measured, for any module or function.

    model: called as model(x, *others); of several results the first is taken. Batch first: positions are axis 1 of x
        and of the output. An nn.Module is examined as a copy in eval mode and float64; the one passed in isn't touched.
        A function runs as it is: put what it calls into eval mode first.
    x: (batch, n, ...) floating point, or its shape, and random numbers are drawn; or token ids (batch, n), which are
        followed from where they are looked up in an nn.Embedding or a table.
    by: "gradient" asks for ∂output_i / ∂input_j. It is exact, however small the influence, and blind to what has no
        gradient: argmax, rounding, comparisons (a padding mask made from the ids is one), detach. "change" puts other
        values in the place of input j and compares the outputs. It sees all of these, but an influence only where the
        values drawn show it.
    axis: 1 for positions; 0 for the texts of a batch (none should see another); other numbers for other axes.
    trials: so many inputs near x are tried, x itself first, as a gradient may be zero by chance (ReLU, a saturated
        softmax). What any of them shows counts. Each takes one run and n backward passes, or, by change, n runs.
    tolerance: smaller than this share of the largest counts as rounding; 32 · eps of the dtype unless given.
    Raises CourseError where the output or the gradient is NaN, or nothing can be followed.
    """
    measure = {"gradient": _by_gradient, "change": _by_change}[one_of("by", by, ["gradient", "change"])]
    whole_number("trials", trials, low=1)
    generator = torch.Generator().manual_seed(seed)
    model, x, others, dtype = _prepared(model, x, others, axis, generator)

    def run(inputs: Tensor, trial: int) -> Tensor:
        torch.manual_seed(seed + trial)  # dropout in a function draws the same in every call of a trial
        return _checked(_first_tensor(model(inputs, *others)), axis)

    with _undisturbed(dtype):
        return torch.stack([measure(run, x, axis, trial, tolerance, generator) for trial in range(trials)]).any(0)


# --- the two ways to measure ------------------------------------------------------------------------------------------


def _by_gradient(run, x: Tensor, axis: int, trial: int, tolerance, generator) -> Seen:
    output, point = _output_and_leaf(run, x, trial, generator)
    # All numbers of an output position at once: each times a random one, so that they don't cancel.
    mixed = output * torch.randn(output.shape, generator=generator, dtype=output.dtype)
    rows = []
    for i, one_output in enumerate(mixed.movedim(axis, 0)):
        (gradient,) = torch.autograd.grad(one_output.sum(), point, retain_graph=True, allow_unused=True)
        gradient = torch.zeros_like(point) if gradient is None else gradient
        if not gradient.isfinite().all():
            raise CourseError(
                f"The gradient of output {i} is NaN or infinite, so what it sees can't be said. Is there a query with "
                "nothing to attend to, or a division by zero?"
            )
        rows.append(_largest(gradient, axis))
    sizes = torch.stack(rows)  # (output, input)
    return sizes > _tolerance(tolerance, sizes) * sizes.amax(-1, keepdim=True)


def _by_change(run, x: Tensor, axis: int, trial: int, tolerance, generator) -> Seen:
    point, new = _point_and_change(x, trial, generator)
    before, columns = run(point, trial).detach(), []
    for j in range(x.shape[axis]):
        changed = point.clone()
        changed.select(axis, j).copy_(new.select(axis, j))
        after = run(changed, trial).detach()
        same = (after == before) | ~(after.isfinite() | before.isfinite())  # two infinities have no difference
        columns.append(_largest(torch.where(same, 0.0, (after - before).double().abs()), axis))
    sizes, largest = torch.stack(columns, dim=1), before[before.isfinite()].double().abs().max()  # (output, input)
    return sizes > _tolerance(tolerance, before) * largest


def _output_and_leaf(run, x: Tensor, trial: int, generator) -> tuple[Tensor, Tensor]:
    """The output, and what to take its gradient by: the input itself, or a nudge of the vectors looked up by ids."""
    if x.is_floating_point():
        point = x + _noise(x, generator) if trial else x.clone()
        output = run(point.requires_grad_(), trial)
    else:
        point = torch.zeros(x.shape, requires_grad=True)
        with _NudgedLookups(x, point, noisy=trial > 0) as lookups:
            output = run(x, trial)
        if not lookups.found:
            raise CourseError(
                'These ids are looked up in no nn.Embedding or table, so no gradient can follow them. Use by="change".'
            )
    if not output.requires_grad:
        raise CourseError('No gradient flows from the output to the input (argmax, detach, no_grad?). Use by="change".')
    return output, point


def _point_and_change(x: Tensor, trial: int, generator) -> tuple[Tensor, Tensor]:
    """An input near x, and what to put in the place of each of its positions."""
    if x.is_floating_point():
        return (x + _noise(x, generator) if trial else x), x.mean() + 2 * _noise(x, generator)
    largest = int(x.max()) if x.numel() else 0
    if largest < 1:
        raise CourseError("All of these ids are 0, so no other can take their place. Pass ids of at least two tokens.")
    step = torch.randint(1, largest + 1, x.shape, generator=generator)
    return x, (x + step) % (largest + 1)  # another id than before, and a known one


# --- what goes in and what comes out ----------------------------------------------------------------------------------


def _prepared(model, x, others, axis: int, generator) -> tuple[Callable, Tensor, tuple, torch.dtype]:
    """Model and inputs, ready to be examined; and the dtype of whatever the model makes by itself."""
    if not callable(model):
        raise CourseError(
            f"model should be a module or a function; got a {type(model).__name__}. Pass it without calling it."
        )
    dtype = torch.get_default_dtype()
    if isinstance(model, nn.Module):
        dtype, model = torch.float64, _copy_to_examine(model)
        x, *others = (
            value.double() if isinstance(value, Tensor) and value.is_floating_point() else value
            for value in (x, *others)
        )
    if not isinstance(x, Tensor):
        x = torch.randn(*x, generator=generator, dtype=dtype)
    if x.ndim < 2 or not -x.ndim <= axis < x.ndim:
        raise CourseError(
            f"The input should be (batch, n, …) with axis {axis} among its axes, but its shape is {tuple(x.shape)}."
        )
    # Ids get a memory of their own, by which their look-ups are recognised.
    x = x.detach().clone() if x.is_floating_point() else x.detach().long().clone(memory_format=torch.contiguous_format)
    return model, x, tuple(others), dtype


def _checked(output: Tensor, axis: int) -> Tensor:
    if not -output.ndim <= axis < output.ndim:
        raise CourseError(f"The output's shape {tuple(output.shape)} has no axis {axis}; it should be (batch, n, …).")
    if output.isnan().any():
        where = sorted({index[axis] for index in output.isnan().nonzero().tolist()})
        raise CourseError(
            f"The output is NaN at index {_listed(where)} of axis {axis}: is there a query with nothing to attend to?"
        )
    return output


def _copy_to_examine(model: nn.Module) -> nn.Module:
    """In float64 rounding differs from influence. The caller's model keeps its mode, gradients and statistics."""
    try:
        return copy.deepcopy(model).double().eval()
    except RuntimeError as error:
        raise CourseError(
            f"This module can't be copied ({error}). Pass a function that calls it: leaks(lambda x: model(x), x)."
        ) from error


@contextlib.contextmanager
def _undisturbed(dtype: torch.dtype) -> Iterator[None]:
    """Gradients on, the right dtype for what the model makes; afterwards dtype and random numbers are as they were."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        with torch.random.fork_rng(devices=[]), torch.enable_grad():
            yield
    finally:
        torch.set_default_dtype(before)


def _noise(x: Tensor, generator) -> Tensor:
    """Normal numbers of x's shape and spread."""
    spread = x.std() if x.numel() > 1 and x.std() > 0 else 1.0
    return spread * torch.randn(x.shape, generator=generator, dtype=x.dtype)


def _largest(values: Tensor, axis: int) -> Tensor:
    """The largest size at each index of `axis`."""
    return values.abs().movedim(axis, 0).flatten(1).amax(1) if values.ndim > 1 else values.abs()


def _tolerance(given: float | None, values: Tensor) -> float:
    if given is not None:
        return given
    return 32 * torch.finfo(values.dtype).eps if values.is_floating_point() else 0.0


def _first_tensor(result) -> Tensor:
    if isinstance(result, Mapping):
        result = tuple(result.values())
    if isinstance(result, (tuple, list)) and result:
        return _first_tensor(result[0])
    if not isinstance(result, Tensor):
        raise CourseError(
            f"The model should return a tensor, or several with the output first; it returns {type(result).__name__}."
        )
    return result


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers[:8])) + (", …" if len(numbers) > 8 else "")


class _NudgedLookups(TorchFunctionMode):
    """Adds nudge · (a random direction) to each vector looked up by `ids`: gradients can follow it, as they can't ids.

    A view of the ids, such as ids[:, :-1], is known by the memory that it shares with them.
    """

    def __init__(self, ids: Tensor, nudge: Tensor, noisy: bool):
        super().__init__()
        self.ids, self.nudge, self.noisy, self.found = ids, nudge, noisy, False

    def __torch_function__(self, function, types, args=(), kwargs=None):
        out = function(*args, **(kwargs or {}))
        place = {F.embedding: 0, torch.embedding: 1, Tensor.__getitem__: 1}.get(function)
        index = args[place] if place is not None and len(args) > place else None
        if not isinstance(index, Tensor) or not isinstance(out, Tensor) or not out.is_floating_point():
            return out
        if index.untyped_storage().data_ptr() != self.ids.untyped_storage().data_ptr():
            return out
        self.found = True
        if self.noisy:
            out = out + 0.5 * out.detach().std() * torch.randn(out.shape, dtype=out.dtype)
        nudge = self.nudge.as_strided(index.shape, index.stride(), index.storage_offset())
        width = out.shape[index.ndim :]
        return out + (nudge.view(*index.shape, *[1] * len(width)) * torch.randn(width)).to(out.dtype)
