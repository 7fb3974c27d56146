"""A fine-tuning in which nothing but W moves: what the optimiser sees, what has a gradient, and what piles up."""

import copy
from functools import cache

import torch
import torch.nn.functional as F

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer
from course_lib.exercises.lesson_12 import buggy
from course_lib.exercises.lesson_12.given import SIZES, Start, classifier, trained


def _fine_tune(model, ids, labels, lr):
    optimizer, losses = torch.optim.SGD(model.parameters(), lr=lr), []
    for batch, right in zip(ids, labels):
        loss = F.cross_entropy(model(batch), right)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return torch.stack(losses)


@cache
def _plain(classes):
    """All numbers of a classifier, as one vector: norms are 1, the rest is 0."""
    parameters = classifier(classes).named_parameters()
    return torch.cat([torch.full((each.numel(),), float("norm.weight" in name)) for name, each in parameters])


def _start(classes, g):
    plain = _plain(classes)
    return Start(
        classes, plain + 0.5 * torch.randn(plain.shape, generator=g)
    )  # more than at a real start: every number moves


KEPT = {}
TOKENS = SIZES.vocab_size * SIZES.d_model
EMBEDDED = (SIZES.vocab_size + SIZES.max_len) * SIZES.d_model
NORMED = EMBEDDED + 2 * SIZES.d_model
PARTS = {  # where in an answer's vectors what stands
    "W and its bias": slice(None),
    "the pooler": slice(None),
    "the token table": slice(TOKENS),
    "the position table": slice(TOKENS, EMBEDDED),
    "the embeddings' norm": slice(EMBEDDED, NORMED),
    "the blocks": slice(NORMED, None),
}


class FineTuning(Code):
    """What a listed mistake answers is kept: each wrong answer is compared with all of them."""

    def run(self, submission, start, *given):
        key = submission, start.numbers.numpy().tobytes()
        if key in KEPT:
            return KEPT[key]
        answer = super().run(submission, start, *given)
        if any(submission is each.wrong for each in self.mistakes):
            KEPT[key] = answer
        return answer


def _given(g, steps, batch, n, classes=2, lr=0.5):
    """A BERT of one block with a new layer, and batches for so many steps."""
    ids = torch.randint(SIZES.vocab_size, (steps, batch, n), generator=g)
    return _start(classes, g), ids, torch.randint(classes, (steps, batch), generator=g), lr


fine_tune = FineTuning(
    "12.fine_tune",
    title="Nothing but W moved",
    points=3,
    minutes=12,
    difficulty=2,
    reference=_fine_tune,
    buggy=buggy.fine_tune,
    unchanged="Nothing has changed yet. Which parameters does the optimiser know? And which of them get a gradient at all?",
    axes=["step", "parameter", "parameter", "parameter", "part"],
    results=("losses", "new layer", "pooler", "part below the pooler", "path of the gradient"),
    call=trained,  # the losses, and what has become of the model; two bugs that hide each other are told apart
    calculates=False,
    atol=1e-4,
    rtol=1e-3,
    cases=[
        Case("a single step", lambda g: _given(g, 1, 4, 3, classes=3)),
        Case("two steps", lambda g: _given(g, 2, 4, 5)),
        Case("batches of one text", lambda g: _given(g, 3, 1, integer(g, 3, 7))),
    ],
    hints=[
        "Compare the parameters before and after: which of them have moved? Two lines are wrong, and a third is missing.",
        "Two bugs hide each other: the optimiser knows model.head's parameters alone, and inside torch.no_grad() no gradient is made for BERT. Mend one, and still nothing of the encoder moves.",
        "The third: backward() adds to the gradients that are there. optimizer.zero_grad() before it clears them, at each step.",
    ],
)


def everything(model):
    return list(model.parameters())


@fine_tune.variants
def steps(
    model,
    ids,
    labels,
    lr,
    *,
    seen=everything,
    encoder=lambda model, batch: model.bert.encode(batch)[0],
    C=lambda model, states: model.bert.pooled(states[:, 0]),
    clear=lambda optimizer, step: optimizer.zero_grad(),
    loss=lambda logits, right: F.cross_entropy(logits, right),
    updates=lambda optimizer, step: optimizer.step(),
    optimizer=lambda parameters, lr: torch.optim.SGD(parameters, lr=lr),
    kept=lambda losses: torch.stack(losses),
):
    optimizer, losses = optimizer(seen(model), lr), []
    for step, (batch, right) in enumerate(zip(ids, labels)):
        value = loss(model.head(C(model, encoder(model, batch))), right)
        clear(optimizer, step)
        value.backward()
        updates(optimizer, step)
        losses.append(value.detach())
    return kept(losses)


def without_gradient(model, batch):
    with torch.no_grad():
        return model.bert.encode(batch)[0]


def never(*_):
    pass


def new_layer(model):
    return list(model.head.parameters())


def both_layers(model):
    return [*model.head.parameters(), *model.bert.pooler.parameters()]


HEAD_ONLY = "the optimiser knows only model.head's parameters, and moves nothing else: model.parameters()"
NO_GRADIENT = (
    "the encoder gets no gradient, so there is nothing to move it by: leave out torch.no_grad() (and .detach())"
)
PILED = "the gradients of all steps pile up: optimizer.zero_grad() before backward(), at every step"
steps.mistake(f"One bug is left: {HEAD_ONLY}.", seen=new_layer)
steps.mistake(f"One bug is left: {NO_GRADIENT}.", encoder=without_gradient)
steps.mistake(f"One bug is left: {PILED}.", clear=never)
steps.mistake(
    f"One found. The pooler moves now, but nothing below it: {NO_GRADIENT}. And {PILED}.",
    encoder=without_gradient,
    clear=never,
)
steps.mistake(f"One found. Two are left: {HEAD_ONLY}; and {PILED}.", seen=new_layer, clear=never)
steps.mistake(
    f"The gradients are cleared now, but still nothing but W moves, for two reasons: {HEAD_ONLY}; and {NO_GRADIENT}.",
    seen=new_layer,
    encoder=without_gradient,
)
steps.mistake(
    "Now the optimiser knows BERT's parameters, but no longer the new layer's: W stays as chance made it. model.parameters() has both.",
    seen=lambda model: list(model.bert.parameters()),
)
steps.mistake(
    "The optimiser knows the new layer and the pooler alone. All of BERT learns: model.parameters().", seen=both_layers
)
steps.mistake(
    "The optimiser knows the blocks and the new layer, but not the embeddings or the pooler. All learns: model.parameters().",
    seen=lambda model: [*model.head.parameters(), *model.bert.blocks.parameters()],
)
steps.mistake(
    "W's bias isn't among the optimiser's parameters. All learns: model.parameters().",
    seen=lambda model: [*model.bert.parameters(), model.head.weight],
)
steps.mistake(
    "Biases and norms don't move with you, only matrices. All learns: model.parameters().",
    seen=lambda model: [parameter for parameter in model.parameters() if parameter.dim() > 1],
)
steps.mistake(
    "The embeddings don't move with you. All learns: model.parameters().",
    seen=lambda model: [
        parameter for name, parameter in model.named_parameters() if not name.startswith(("bert.token", "bert.pos"))
    ],
)
steps.mistake(
    "No gradient comes as far as the pooler: what stands in torch.no_grad(), is detached or frozen can't learn. All of BERT does here.",
    C=lambda model, states: model.bert.pooled(states[:, 0]).detach(),
)
steps.mistake(
    "The pooler is gone: C is model.bert.pooled(states[:, 0]), as it was.", C=lambda model, states: states[:, 0]
)
steps.mistake(
    "C is a mean over all places now. [CLS] was right, states[:, 0].",
    C=lambda model, states: model.bert.pooled(states.mean(1)),
)
steps.mistake(
    "Nothing moves at all. Is optimizer.step() there? Does zero_grad() stand between backward() and step(), and throw away what was just computed? Before backward, or after step.",
    clear=never,
    updates=lambda optimizer, step: (optimizer.zero_grad(), optimizer.step()),
)
steps.mistake(
    "Two steps are made for each batch. One.", updates=lambda optimizer, step: (optimizer.step(), optimizer.step())
)
steps.mistake(
    "A softmax before cross_entropy: it takes logits, and does that itself. That line was right.",
    loss=lambda logits, right: F.cross_entropy(logits.softmax(-1), right),
)
steps.mistake(
    "The loss is a sum over the batch now. The mean was right.",
    loss=lambda logits, right: F.cross_entropy(logits, right, reduction="sum"),
)
steps.mistake(
    "The sign of the loss is turned round: it grows with each step.",
    loss=lambda logits, right: -F.cross_entropy(logits, right),
)
for kind in ("Adam", "AdamW"):
    steps.mistake(
        f"The optimiser is {kind} now. That is what BERT is fine-tuned with, but here plain gradient descent is asked for: torch.optim.SGD was right.",
        optimizer=lambda parameters, lr, kind=kind: getattr(torch.optim, kind)(parameters, lr=lr),
    )
steps.mistake(
    "A momentum has come in. Plain gradient descent is asked for: torch.optim.SGD(…, lr=lr).",
    optimizer=lambda parameters, lr: torch.optim.SGD(parameters, lr=lr, momentum=0.9),
)
steps.mistake(
    "The optimiser maximises. The loss should get smaller.",
    optimizer=lambda parameters, lr: torch.optim.SGD(parameters, lr=lr, maximize=True),
)
steps.mistake(
    "The learning rate isn't the one that is passed in, but SGD's own, 0.001: lr=lr.",
    optimizer=lambda parameters, lr: torch.optim.SGD(parameters, lr=1e-3),
)
steps.mistake("Only the last loss comes back. One for each step is asked for.", kept=lambda losses: losses[-1])
steps.mistake("The mean of the losses comes back. One for each step.", kept=lambda losses: torch.stack(losses).mean())
steps.mistake(
    "The losses come back as a list. A tensor (step) is asked for, as it was: torch.stack(losses).",
    kept=lambda losses: losses,
)


@fine_tune.mistake("The gradients are summed up, and one step is made, at the end. A step for each batch.")
def one_step_at_the_end(model, ids, labels, lr):
    optimizer, losses = torch.optim.SGD(model.parameters(), lr=lr), []
    optimizer.zero_grad()
    for batch, right in zip(ids, labels):
        loss = F.cross_entropy(model(batch), right)
        loss.backward()
        losses.append(loss.detach())
    optimizer.step()
    return torch.stack(losses)


@fine_tune.mistake("The loss is computed again after the step. Asked for is the one before it.")
def loss_after_the_step(model, ids, labels, lr):
    optimizer, losses = torch.optim.SGD(model.parameters(), lr=lr), []
    for batch, right in zip(ids, labels):
        optimizer.zero_grad()
        F.cross_entropy(model(batch), right).backward()
        optimizer.step()
        losses.append(F.cross_entropy(model(batch), right).detach())
    return torch.stack(losses)


@fine_tune.mistake("Only the first batch is learned. Does the return stand inside the loop?")
def first_batch(model, ids, labels, lr):
    return _fine_tune(model, ids[:1], labels[:1], lr)


@fine_tune.mistake("You train a copy: the model that came in is as it was. It is trained in place.")
def a_copy(model, ids, labels, lr):
    return _fine_tune(copy.deepcopy(model), ids, labels, lr)


@fine_tune.symptom("")
def what_moved(inputs, answer):
    """Which parts are as they were, how far the others went, and whether the model computes something else."""
    before, right = (fine_tune.run(code, *inputs)[1:4] for code in (lambda *_: None, _fine_tune))
    losses, after, first = answer[0], answer[1:4], _fine_tune(inputs[0].model(), *inputs[1:])[0]
    still = [
        name
        for (name, at), part in zip(PARTS.items(), (0, 1, 2, 2, 2, 2))
        if torch.equal(after[part][at], before[part][at]) and not torch.equal(right[part][at], before[part][at])
    ]
    if len(still) == len(PARTS):
        return f"Nothing moves at all. Is {'optimizer.step() there, behind loss.backward()' if answer[4].any() else 'loss.backward() there'}, at every step?"
    if still:
        return (
            f"Not moved at all: {', '.join(still)}. All learns: does the optimiser know it, and does it get a gradient?"
        )
    if not torch.allclose(losses.flatten()[0], first, rtol=1e-3, atol=1e-4):
        return f"Before any step the loss of the first batch is {first:.4g}, and your first loss is {losses.flatten()[0]:.4g}: another batch, another model, or the model is read in another way than by model.head(model.bert.pooled(states[:, 0]))."
    if all(torch.allclose(*pair, rtol=1e-3, atol=1e-4) for pair in zip(after, right)):
        return "The model is trained as it should be, but the losses aren't those of the steps: each step's own, before it."
    if inputs[1].shape[0] == 2 and (says := _second_step(inputs, before, after, right)):
        return says
    if inputs[1].shape[0] > 1:
        return "A single step is right, but the next one isn't. What is left over from the step before? Each batch makes one step, in their order, from its own gradient alone."
    far = torch.cat(after) - torch.cat(before)
    right = torch.cat(right) - torch.cat(before)
    factor = (far @ right / (right @ right)).item()
    if torch.allclose(far, factor * right, rtol=1e-2, atol=1e-4 * abs(factor) + 1e-6):
        return f"All parts move the right way, but {factor:.3g} times as far: a step is lr times the gradient, whatever its length."
    if far[right.abs() > 1e-3 * right.abs().max()].abs().std() < 1e-2 * inputs[3]:
        return f"Each number moves by {far.abs().max():.3g}, however large its gradient: that is Adam's first step, or its sign alone. Plain gradient descent is asked for: torch.optim.SGD was right."
    was = torch.cat(before)
    factors = torch.linalg.lstsq(torch.stack([right, was], 1), far[:, None]).solution
    if torch.allclose(torch.stack([right, was], 1) @ factors, far[:, None], rtol=1e-2, atol=1e-4):
        return "A weight decay has come in: each number is pulled towards 0 as well. A plain step goes against the gradient alone."
    return "All parts move, but not against their gradient alone: is there something in the optimiser that plain gradient descent doesn't have?"


def _second_step(inputs, before, after, right):
    """How the second of two steps is wrong where the first is right: too far, or with the first one's gradient."""
    start, ids, labels, lr = inputs
    between = fine_tune.run(_fine_tune, start, ids[:1], labels[:1], lr)[1:4]
    piled, far, wanted = [], [], []
    for (name, at), part in zip(PARTS.items(), (0, 1, 2, 2, 2, 2)):
        own, step = after[part][at] - between[part][at], right[part][at] - between[part][at]
        first = between[part][at] - before[part][at]
        if first.abs().max() > 1e-3 and torch.allclose(own, step + first, rtol=1e-2, atol=1e-4):
            piled.append(name)
        far, wanted = [*far, own], [*wanted, step]
    if piled:
        all_parts = "of all parts" if len(piled) == len(PARTS) else f"of {', '.join(piled)}"
        return f"At the second step the first one's gradient is still there, {all_parts}: zero_grad() of all parameters, at *every* step."
    far, wanted = torch.cat(far), torch.cat(wanted)
    factor = (far @ wanted / (wanted @ wanted)).item()
    if abs(factor) < 1e-3:
        return "A single step is right, but no second one is made. One for each batch: optimizer.step() in the loop, and under no condition."
    if torch.allclose(far, factor * wanted, rtol=1e-2, atol=1e-4):
        return f"The second step is {factor:.3g} times as far as it should be: does the rate change? Each step is lr times the gradient."
    return None
