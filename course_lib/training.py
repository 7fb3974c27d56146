"""The one training loop, its losses and its learning rates: every model of the course is trained by `fit`.

    optimizer = torch.optim.Adam(model.parameters(), lr=1.0, betas=(0.9, 0.98), eps=1e-9)
    schedule = scheduled(optimizer, lambda step: inverse_sqrt(step, d_model=128, warmup=400))
    batches = batches_by_tokens(pairs, tokens=4096, seed=0)                             # corpora.batching
    def loss(batch):
        logits, _ = model(batch.source, batch.target[:, :-1], padding_mask(batch.source, PAD_ID))
        return smoothed_cross_entropy(logits, batch.target[:, 1:], 0.1, ignore_index=PAD_ID)
    losses = fit(model, batches, loss, 1000, optimizer, schedule, clip=1.0, seed=0, watch=viz.live_loss(steps=1000))

    losses          cross_entropy(logits, targets, ignore_index), smoothed_cross_entropy(logits, targets, smoothing,
                    ignore_index, over="all"), smoothed_targets(targets, vocab_size, smoothing, over="all")
    learning rates  inverse_sqrt(step, d_model, warmup), linear_decay(step, steps, warmup), cosine_decay(step, steps,
                    warmup, lowest); scheduled(optimizer, rate) makes torch's scheduler of any function of the step
    optimizers      torch's own; muon_and_adamw(model) joins two of them, for pretraining

`fit` knows no model, no corpus and no task: what a batch is, only `batches` and `loss` know.
"""

import contextlib
import math
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from pathlib import Path

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LambdaLR, LRScheduler
from tqdm.auto import tqdm

from course_lib.checkpoints import load_training, save_training
from course_lib.corpora.batching import IGNORE_INDEX
from course_lib.errors import CourseError
from course_lib.processes import Processes
from course_lib.support.messages import described, one_of, whole_number

SHARED_OVER = ("all", "others")  # who gets the ε of label smoothing
LOOK_EVERY, SAVE_EVERY = 0.5, 30.0  # seconds between two calls of `watch`, and between two checkpoints
SHARE = 0.05  # of the time, at most, that each of them may take


# --- losses -----------------------------------------------------------------------------------------------------------


def cross_entropy(
    logits: Float[Tensor, "batch n vocab"], targets: Int[Tensor, "batch n"], ignore_index: int = IGNORE_INDEX
) -> Float[Tensor, ""]:
    """The mean of −log p(target) in nats, over all targets but those that are `ignore_index`."""
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=ignore_index)


def smoothed_targets(
    targets: Int[Tensor, "*batch"], vocab_size: int, smoothing: float = 0.1, over: str = "all"
) -> Float[Tensor, "*batch vocab"]:
    """What the model should say with label smoothing: 1 − ε for the right token, and ε shared out. Each row sums to 1.

    over   "all": every token gets ε/V, the right one too (Szegedy et al. 2016, section 7; torch's own convention).
           "others": each of the V − 1 others gets ε/(V − 1), and the right one exactly 1 − ε.

    >>> smoothed_targets(torch.tensor([1]), 4, 0.1)
    tensor([[0.0250, 0.9250, 0.0250, 0.0250]])
    >>> smoothed_targets(torch.tensor([1]), 5, 0.1, over="others")
    tensor([[0.0250, 0.9000, 0.0250, 0.0250, 0.0250]])
    """
    _check_smoothing(smoothing, over)
    others = smoothing / (vocab_size - (over == "others"))
    right = 1 - smoothing + (others if over == "all" else 0)
    spread = torch.full((*targets.shape, vocab_size), others, device=targets.device)
    return spread.scatter(-1, targets[..., None], right)


def smoothed_cross_entropy(
    logits: Float[Tensor, "batch n vocab"],
    targets: Int[Tensor, "batch n"],
    smoothing: float = 0.1,
    ignore_index: int = IGNORE_INDEX,
    over: str = "all",
) -> Float[Tensor, ""]:
    """The mean cross-entropy −Σ q log p in nats against the smoothed targets q, over all targets but `ignore_index`.

    Vaswani et al. (2017), section 5.4, with ε = 0.1. `over` as in `smoothed_targets`, but q is never written down: all
    others have the same share, so that one sum of log p over the vocabulary is enough. The Kullback–Leibler divergence
    is this less the entropy of q, a constant: the gradients are the same.
    """
    _check_smoothing(smoothing, over)
    kept = targets != ignore_index
    precision = torch.promote_types(logits.dtype, torch.float32)  # three digits of bfloat16 would be too few here
    log_p = logits[kept].log_softmax(-1, dtype=precision)  # (token, vocab)
    right = log_p.gather(-1, targets[kept][:, None]).squeeze(-1)  # (token)
    spread = log_p.mean(-1) if over == "all" else (log_p.sum(-1) - right) / (log_p.shape[-1] - 1)
    return -((1 - smoothing) * right + smoothing * spread).mean()


def _check_smoothing(smoothing: float, over: str) -> None:
    one_of("over", over, SHARED_OVER)
    if not 0 <= smoothing <= 1:
        raise CourseError(f"smoothing should be a share of the probability, from 0 to 1; got {smoothing!r}.")


# --- learning rates: plain functions of the step, which counts from 1 -------------------------------------------------


def inverse_sqrt(step: int, d_model: int, warmup: int = 4000) -> float:
    """The learning rate of "Attention Is All You Need", section 5.3: rises for `warmup` steps, then falls as 1/√step.

        d_model^−½ · min(step^−½, step · warmup^−1.5)

    >>> f"{inverse_sqrt(4000, d_model=512):.6f}"  # its highest
    '0.000699'
    """
    for name, value in (("step", step), ("d_model", d_model), ("warmup", warmup)):
        whole_number(name, value, low=1)
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def linear_decay(step: int, steps: int, warmup: int = 0) -> float:
    """A share of the highest rate: rises to 1 in `warmup` steps, then falls in a line, to 0 after the last.

    Devlin et al. (2019), appendix A.2, train BERT so.
    """
    _check(step, steps, warmup)
    return min(step / warmup if warmup else 1.0, max(0.0, (steps + 1 - step) / (steps + 1 - warmup)))


def cosine_decay(step: int, steps: int, warmup: int = 0, lowest: float = 0.0) -> float:
    """A share of the highest rate: rises to 1 in `warmup` steps, then half a cosine falls to `lowest` after the last.

    Loshchilov and Hutter (2017), "SGDR", equation 5, without restarts; GPT-3's authors let it fall to 0.1.
    """
    _check(step, steps, warmup)
    if step < warmup:
        return step / warmup
    done = min(1.0, (step - warmup) / (steps + 1 - warmup))
    return lowest + (1 - lowest) * (1 + math.cos(math.pi * done)) / 2


def scheduled(optimizer: Optimizer, rate: Callable[[int], float]) -> LRScheduler:
    """Step n is made with the optimizer's own rate times `rate(n)`.

    scheduled(Adam(parameters, lr=1.0, betas=(0.9, 0.98), eps=1e-9), lambda step: inverse_sqrt(step, 512, 4000))
    scheduled(AdamW(parameters, lr=3e-4), lambda step: cosine_decay(step, steps, warmup=100))
    """
    return LambdaLR(optimizer, lambda done: rate(done + 1))


def _check(step: int, steps: int, warmup: int) -> None:
    whole_number("step", step, 1)
    if whole_number("warmup", warmup) > steps:
        raise CourseError(f"The warm-up should end within the {steps} steps, but it takes {warmup}.")


# --- two optimizers as one --------------------------------------------------------------------------------------------


class MuonAndAdamW(Optimizer):
    """torch.optim.Muon for the parameters in `matrices`, torch.optim.AdamW for those in `rest`.

    To a schedule and to a checkpoint they are one optimizer with two groups.
    """

    def __init__(self, matrices: Iterable[nn.Parameter], rest: Iterable[nn.Parameter], muon: float, adamw: float):
        self.each = [
            torch.optim.Muon(matrices, muon, weight_decay=0.01),
            torch.optim.AdamW(rest, adamw, betas=(0.9, 0.95), weight_decay=0.0, fused=True),
        ]
        super().__init__([group for optimizer in self.each for group in optimizer.param_groups], {})

    def step(self) -> None:
        for optimizer, group in zip(self.each, self.param_groups, strict=True):
            optimizer.param_groups, optimizer.state = [group], self.state  # a checkpoint may have replaced ours
            optimizer.step()


def muon_and_adamw(model: nn.Module, muon: float = 0.01, adamw: float = 2e-3) -> MuonAndAdamW:
    """Muon, with the learning rate `muon`, for the matrices of the model's blocks; AdamW for all else.

    Jordan et al. (2024), "Muon: An optimizer for hidden layers in neural networks": each step of a matrix is made
    orthogonal, so that it goes equally far in all directions. Such matrices are the weights of linear layers in an
    nn.ModuleList: what a model stacks. Embeddings, positions, norms, biases and heads are AdamW's (Loshchilov and
    Hutter 2019). Raises CourseError where the model stacks no linear layers.
    """
    stacks = [module for module in model.modules() if isinstance(module, nn.ModuleList)]
    linear = {layer for stack in stacks for layer in stack.modules() if isinstance(layer, nn.Linear)}
    ids = {id(layer.weight) for layer in linear}
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    matrices = [parameter for parameter in trained if id(parameter) in ids]
    if not matrices:
        raise CourseError(
            f"Muon trains the linear layers of a model's blocks, in an nn.ModuleList, but {type(model).__name__} has "
            "none there. Take torch.optim.AdamW(model.parameters())."
        )
    return MuonAndAdamW(matrices, [parameter for parameter in trained if id(parameter) not in ids], muon, adamw)


# --- the loop ---------------------------------------------------------------------------------------------------------


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
    autocast: str | None = None,
    tokens: Callable[..., int] | None = None,
    watch: Callable[[list[float]], None] | None = None,
    between: Callable[[int], None] | None = None,
    checkpoint: str | Path | None = None,
    resume: bool = False,
    name: str = "training",
    progress: bool = True,
    processes: Processes | None = None,
) -> list[float]:
    """Train `model` on the first `steps` of the batches; returns the loss of each step, and leaves it in eval mode.

    The stop button (KeyboardInterrupt) ends the training after the step it is in, and the model keeps what it learned;
    pressed twice, at once. A loss that is NaN or infinite ends it before that step, which would ruin the weights.

    loss        of a batch, a single number to be made smaller
    schedule    what sets the learning rate after each step
    clip        longer gradients are shortened to this norm (Pascanu, Mikolov and Bengio 2013, section 3.2)
    seconds     a budget of wall-clock time: no step begins after it
    seed        of all that the steps draw from torch's random numbers, dropout too; the caller's own go on as if
                nothing had been drawn. None draws from the caller's
    autocast    "bf16" computes the loss in bfloat16 where torch holds that safe (Kalamkar et al. 2019); "auto" does so
                where `fast_autocast` finds it faster on this machine. A checkpoint keeps which it was
    tokens      how many tokens a batch has, for the bar's tokens/s; without it a batch's own `num_tokens`, if any
    watch       is called with the losses so far, at most twice a second, for a twentieth of the time: viz.live_loss()
    between     is called with the number of steps made, before each step and after the last
    checkpoint  a file that keeps the training: saved every half minute, at the end, and when it is stopped
    resume      go on from the checkpoint, if it is there: the same losses as without a break. `batches` begin again at
                their first, and must be the same; those that were used are passed over
    progress    shows a bar with `name` in front, if it takes more than a second
    processes   of which this is one, each with its share of every batch (course_lib.processes); the first one saves,
                shows the bar and has the stop button
    """
    whole_number("steps", steps)
    if clip is not None and not clip > 0:
        raise CourseError(f"clip should be a length above 0, or None for gradients as they are; got {clip!r}.")
    one_of("autocast", autocast, [None, "bf16", "auto"])
    first = processes is None or processes.rank == 0
    if processes is not None:
        batches, loss = processes.share(model, batches, loss)
    losses: list[float] = []
    regularly = []
    if watch is not None:
        regularly.append(_NowAndThen(lambda: watch(losses), LOOK_EVERY))
    if checkpoint is not None and first:
        save = lambda: save_training(checkpoint, model, optimizer, schedule, losses, autocast)  # noqa: E731
        regularly.append(_NowAndThen(save, SAVE_EVERY))
    model.train()
    bar = tqdm(total=steps, desc=name, unit="step", delay=1, disable=not (progress and first))
    why = ""
    with _seeded(seed), _stop_button(first) as stop, bar:
        stream = iter(batches)
        if resume:
            losses[:], autocast = _go_on(checkpoint, model, optimizer, schedule, stream, autocast)
            bar.n = bar.initial = len(losses)
        if autocast == "auto":
            next_one = list(islice(stream, int(len(losses) < steps)))
            autocast = fast_autocast(model, loss, next_one[0]) if next_one else None
            autocast = autocast if processes is None else processes.agreed(autocast)
            stream = chain(next_one, stream)
        precision = _precision(autocast, model)
        speed = _Speed(tokens)
        try:
            for batch in islice(stream, max(0, steps - len(losses))):
                if seconds is not None and speed.seconds > seconds:
                    break
                if between is not None:
                    between(len(losses))
                with precision:
                    value = loss(batch)
                number = _number(value)
                if not math.isfinite(number):
                    why = f"the next loss was {number}. A lower learning rate, warm-up or clip=1.0 may help; "
                    break
                optimizer.zero_grad()
                value.backward()
                if clip is not None:
                    nn.utils.clip_grad_norm_(model.parameters(), clip)
                optimizer.step()
                if schedule is not None:
                    schedule.step()
                losses.append(number)
                bar.set_postfix({"loss": f"{losses[-1]:.2f}"} | speed.of(batch), refresh=False)
                bar.update()
                for each in regularly:
                    each()
                if stop.is_set():
                    break
            for each in regularly if losses else []:
                each.call()
        except KeyboardInterrupt:
            stop.set()
    if (why or stop.is_set()) and len(losses) < steps and first:
        print(f"Stopped after {len(losses)} of {steps} steps: {why}the model keeps what it has learned so far.")
    model.eval()
    if between is not None:
        between(len(losses))
    return losses


def _number(value) -> float:
    if not isinstance(value, Tensor) or value.numel() != 1:
        raise CourseError(f"loss should give a tensor of one number, such as a mean; got {described(value)}.")
    return value.item()


def fast_autocast(model: nn.Module, loss: Callable[..., Tensor], batch, rounds: int = 3) -> str | None:
    """ "bf16" where a loss and its gradients take a tenth less time with it, else None: a CPU may be slower with it.

    Measured on this batch, in alternation, the quickest of so many rounds; on a CPU in CPU time. Weights, buffers and
    random numbers stay as they are; gradients are cleared.
    """
    device = next(model.parameters()).device.type
    buffers = [(buffer, buffer.clone()) for buffer in model.buffers()]
    best = {None: math.inf, "bf16": math.inf}
    with torch.random.fork_rng():
        for _ in range(rounds):
            for each in best:
                start = _clock(device)
                with _precision(each, model):
                    value = loss(batch)
                value.backward()
                best[each] = min(best[each], _clock(device) - start)
                model.zero_grad()
    for buffer, before in buffers:
        buffer.copy_(before)
    return "bf16" if best["bf16"] < 0.9 * best[None] else None


def _clock(device: str) -> float:
    if device == "cpu":
        return time.process_time()
    torch.accelerator.synchronize()
    return time.perf_counter()


def _precision(autocast: str | None, model: nn.Module) -> contextlib.AbstractContextManager:
    if autocast is None:
        return contextlib.nullcontext()
    return torch.autocast(next(model.parameters()).device.type, torch.bfloat16)


def _go_on(checkpoint, model, optimizer, schedule, stream: Iterator, autocast: str | None):
    """The losses up to the checkpoint, and its autocast; all stands as it stood then, and its batches have passed."""
    if checkpoint is None:
        raise CourseError("To resume, fit needs the file to go on from: checkpoint=….")
    if not Path(checkpoint).exists():
        return [], autocast
    losses, autocast, put_random_numbers_back = load_training(checkpoint, model, optimizer, schedule, autocast)
    for _ in islice(stream, len(losses)):
        pass
    put_random_numbers_back()  # after the batches, which may draw some
    return losses, autocast


class _NowAndThen:
    """Calls at most every `pause` seconds, and so seldom that it takes a twentieth of the time."""

    def __init__(self, call: Callable[[], None], pause: float):
        self.call, self.pause, self.due = call, pause, time.monotonic()

    def __call__(self) -> None:
        if (start := time.monotonic()) >= self.due:
            self.call()
            end = time.monotonic()
            self.due = end + max(self.pause, (1 / SHARE - 1) * (end - start))


class _Speed:
    """Tokens in a second since it was made."""

    def __init__(self, tokens: Callable[..., int] | None):
        self.tokens = tokens or (lambda batch: getattr(batch, "num_tokens", 0))
        self.count, self.start = 0, time.monotonic()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.start

    def of(self, batch) -> dict[str, str]:
        self.count += self.tokens(batch)
        return {"tokens/s": f"{self.count / max(self.seconds, 1e-3):,.0f}"} if self.count else {}


@contextlib.contextmanager
def _stop_button(here: bool = True) -> Iterator[threading.Event]:
    """Inside, an interrupt sets the event instead: no step is left half done. A second one interrupts as always."""
    pressed = threading.Event()
    if not here or threading.current_thread() is not threading.main_thread():
        yield pressed  # only the main thread can have the button
        return

    def press(_signal, _frame):
        if pressed.is_set():
            raise KeyboardInterrupt
        pressed.set()

    before = signal.signal(signal.SIGINT, press)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def _seeded(seed: int | None) -> Iterator[None]:
    """Inside, torch's random numbers begin at this seed; afterwards they are as they were."""
    if seed is None:
        yield
        return
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        yield
