"""Several processes train one model: each computes its rows of every batch, and the gradients are averaged.

    torchrun --nproc_per_node 2 -m course_lib.pretrain gpt

    processes = Processes(targets=lambda batch: batch.num_tokens)       # in each of them
    with processes:
        fit(model.to(processes.device), batches, loss, steps, optimizer, processes=processes)

The batches are the same in every process, by their seed; so is the model, and so it stays. The averaging is torch's
DistributedDataParallel (Li et al. 2020): over NCCL between GPUs, one for each process, else over gloo. A process that
torchrun hasn't started is alone, and may have a GPU, too.
"""

import atexit
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel


class Processes:
    """This process, its device, and what it shares with the others. `rank` 0 is the first one: it saves and reports.

    targets   of a batch: how many predictions its loss is the mean of, so that the mean over all can be made of the
              processes' own. A batch has a row for each process, at least
    """

    def __init__(self, targets: Callable[..., int]):
        self.targets = targets
        self.rank, self.count = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
        gpu = torch.cuda.is_available()
        self.device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0))) if gpu else torch.device("cpu")
        self.weight = 1.0  # of this process's rows in the batch's loss
        if self.count > 1 and not dist.is_initialized():
            dist.init_process_group("nccl" if gpu else "gloo")
            atexit.register(dist.destroy_process_group)
        if self.rank:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first one has the stop button, and tells the others

    def share(self, model: nn.Module, batches: Iterable, loss: Callable[..., Tensor]) -> tuple[Iterator, Callable]:
        """What stands in place of `batches` and `loss` in this process: its rows, and the loss over everybody's."""
        if self.count == 1:
            return (_rows(batch, 0, 1, self.device) for batch in batches), loss
        parallel = DistributedDataParallel(_Loss(model, loss))

        def over_all(rows) -> Tensor:
            own = parallel(rows) * self.weight
            total = own.detach().clone()
            dist.all_reduce(total)
            return own + (total / self.count - own).detach()  # everybody's number, with the gradient of one's own

        return self._shares(batches), over_all

    def _shares(self, batches: Iterable) -> Iterator:
        for batch in batches:
            if not self._goes_on(True):
                return
            rows = _rows(batch, self.rank, self.count, self.device)
            self.weight = self.count * self.targets(rows) / self.targets(batch)
            yield rows

    def _goes_on(self, wanted: bool) -> bool:
        """Whether the first process wants the next batch; the others wait until it says so."""
        self.waiting = self.waiting and self.agreed(wanted)
        return self.waiting

    def agreed(self, value):
        """The first process's value."""
        values = [value]
        if self.count > 1:
            dist.broadcast_object_list(values, device=self.device)
        return values[0]

    def __enter__(self):
        self.waiting = True
        return self

    def __exit__(self, *_) -> None:
        self._goes_on(False)  # those that wait for a batch need not


class _Loss(nn.Module):
    """DistributedDataParallel wants a module whose forward is all of the computation."""

    def __init__(self, model: nn.Module, loss: Callable[..., Tensor]):
        super().__init__()
        self.model, self.loss = model, loss

    def forward(self, rows) -> Tensor:
        return self.loss(rows)


def _rows(batch, rank: int, count: int, device: torch.device):
    """Every count-th row from `rank` on, of a tensor or of all tensors of a dataclass."""
    if isinstance(batch, Tensor):
        return batch[rank::count].to(device)
    return replace(batch, **{name: _rows(tensor, rank, count, device) for name, tensor in vars(batch).items()})
