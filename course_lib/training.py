"""The one training loop: every model of the course is trained by `fit`.

    optimizer = torch.optim.AdamW(model.parameters(), lr)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, lr, steps)
    losses = fit(model, batches, lambda batch: cross_entropy(model(batch.x), batch.y), steps, optimizer, schedule)

It knows no model, no corpus and no task: what a batch is, only `batches` and `loss` know.
"""

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler
from tqdm.auto import tqdm

IGNORE_INDEX = -100  # a target that doesn't count; what torch's cross_entropy leaves out


def cross_entropy(
    logits: Float[Tensor, "batch n vocab"], targets: Int[Tensor, "batch n"], ignore_index: int = IGNORE_INDEX
) -> Float[Tensor, ""]:
    """The mean of −log p(target) in nats, over all targets but those that are `ignore_index`."""
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=ignore_index)


def fit(
    model: nn.Module,
    batches: Iterable,
    loss: Callable[..., Tensor],
    steps: int,
    optimizer: Optimizer,
    schedule: LRScheduler | None = None,
    *,
    clip: float | None = None,
    seconds: float | None = None,
    seed: int | None = None,
    name: str = "training",
    progress: bool = True,
) -> list[float]:
    """Train `model` on the first `steps` of the batches; returns the loss of each step, and leaves it in eval mode.

    loss      of a batch, a single number to be made smaller
    schedule  what sets the learning rate after each step
    clip      longer gradients are shortened to this norm (Pascanu, Mikolov and Bengio 2013, section 3.2)
    seconds   a budget of wall-clock time: no step begins after it
    seed      of all that the steps draw from torch's random numbers, dropout too; the caller's own go on as if nothing
              had been drawn. None draws from the caller's
    progress  shows a bar with `name` in front, if it takes more than a second
    """
    losses, start = [], time.monotonic()
    model.train()
    with _seeded(seed), tqdm(total=steps, desc=name, unit="step", delay=1, disable=not progress) as bar:
        for _, batch in zip(range(steps), batches, strict=False):
            if seconds is not None and time.monotonic() - start > seconds:
                break
            value = loss(batch)
            optimizer.zero_grad()
            value.backward()
            if clip is not None:
                nn.utils.clip_grad_norm_(model.parameters(), clip)
            optimizer.step()
            if schedule is not None:
                schedule.step()
            losses.append(value.item())
            bar.set_postfix(loss=f"{losses[-1]:.2f}", refresh=False)
            bar.update()
    model.eval()
    return losses


@contextlib.contextmanager
def _seeded(seed: int | None) -> Iterator[None]:
    """Inside, torch's random numbers begin at this seed; afterwards they are as they were."""
    if seed is None:
        yield
        return
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        yield
