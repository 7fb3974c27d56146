"""The loss of all models on the straight line between two: start + t (end − start), asked on held-out text."""

import torch

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer, randn
from course_lib.exercises.lesson_15.given import mean_loss


def _at(start, end, t):
    return {name: start[name] + t * (end[name] - start[name]) for name in start}


def _loss_on_the_line(loss, start, end, ts, train, held_out):
    return torch.stack([loss(_at(start, end, t), held_out) for t in ts])


# --- a model of a few numbers -----------------------------------------------------------------------------------------


def _weights(g, vocab=9, d=3, classes=2):
    shapes = {"token": (vocab, d), "W": (d, d), "b": (d,), "head.weight": (classes, d), "head.bias": (classes,)}
    return {name: randn(g, *shape, size=1.5) for name, shape in shapes.items()}


def _texts(g, count, vocab=9, classes=2):
    return [(torch.randint(vocab, (3,), generator=g).tolist(), integer(g, 0, classes - 1)) for _ in range(count)]


def _line(g, ts, train=5, held_out=7, **sizes):
    texts = {name: size for name, size in sizes.items() if name != "d"}
    start, end = _weights(g, **sizes), _weights(g, **sizes)
    return mean_loss, start, end, torch.tensor(ts), _texts(g, train, **texts), _texts(g, held_out, **texts)


def _near(g, ts):
    """What fine-tuning does: the end lies near the start, but the head has moved far."""
    loss, start, end, *rest = _line(g, ts)
    near = {name: start[name] + 0.1 * end[name] if "head" not in name else end[name] for name in start}
    return loss, start, near, *rest


loss_on_the_line = Code(
    "15.loss_on_the_line",
    title="The loss on the line",
    points=3,
    minutes=12,
    difficulty=2,
    reference=_loss_on_the_line,
    forbidden=("losses_on_line",),
    axes=["t"],
    cases=[
        Case("five places", lambda g: _line(g, [0.0, 0.25, 0.5, 0.75, 1.0])),
        Case("both ends", lambda g: _line(g, [0.0, 1.0])),
        Case("the middle alone", lambda g: _line(g, [0.5])),
        Case("beyond the ends", lambda g: _line(g, [-0.5, 0.2, 1.0, 1.5])),
        Case("not in order", lambda g: _line(g, [0.8, 0.1, 0.6, 0.3])),
        Case("a fine-tuned model", lambda g: _near(g, [0.0, 0.3, 0.7, 1.0])),
        Case("no training text at hand", lambda g: _line(g, [0.1, 0.4, 0.9], train=0)),
        Case("one held-out text", lambda g: _line(g, [0.2, 0.7], held_out=1)),
        Case("many held-out texts", lambda g: _line(g, [0.3, 0.6, 0.9], held_out=24)),
        Case("more classes", lambda g: _line(g, [0.0, 0.35, 0.8], classes=integer(g, 3, 5), d=integer(g, 4, 6))),
        Case("any places", lambda g: _line(g, torch.rand(integer(g, 6, 12), generator=g).tolist())),
    ],
    hints=[
        "One place first: t = ½. Which numbers does the model there have, and what does `loss` say of it?",
        "A model is a dictionary {name: tensor}. The one at t has the same names: {name: start[name] + t * (end[name] - start[name]) for name in start}. The head is among them.",
        "loss(weights, held_out) for each t in ts, in that order, and torch.stack of all of them.",
    ],
)


def straight(a, b, t):
    return a + t * (b - a)


@loss_on_the_line.variants
def steps(
    loss,
    start,
    end,
    ts,
    train,
    held_out,
    *,
    at=straight,
    which=lambda name, a: True,
    left=lambda a, b: a,
    places=lambda ts: ts,
    texts=lambda train, held_out: held_out,
    given=lambda losses, ts: losses,
):
    losses = []
    for t in places(ts):
        model = {
            name: at(start[name], end[name], t) if which(name, start[name]) else left(start[name], end[name])
            for name in start
        }
        losses.append(loss(model, texts(train, held_out)))
    return given(torch.stack(losses), ts)


def no_head(name, a):
    return "head" not in name


def at_end(a, b):
    return b


def on_train(train, held_out):
    return train


def turned(a, b, t):
    return b + t * (a - b)


steps.mistake(
    "Half a model moved: the head stays where the start has it. All weights lie on the line, the head's, too.",
    which=no_head,
)
steps.mistake(
    "Half a model moved: the head is the end's at every t. All weights lie on the line, the head's, too.",
    which=no_head,
    left=at_end,
)
steps.mistake(
    "Only the head moves with you, the body stays at the start. All weights lie on the line.",
    which=lambda name, a: "head" in name,
)
steps.mistake(
    "You ask the training text. Both ends were made to fit it, so it says little of what lies between: ask held_out.",
    texts=on_train,
)
steps.mistake(
    "You ask the training text and the held-out text together. Only held_out.",
    texts=lambda train, held_out: train + held_out,
)
steps.mistake(
    "Two things: you ask the training text, where held_out is meant; and the head doesn't move.",
    texts=on_train,
    which=no_head,
)
steps.mistake(
    "Two things: you ask the training text, where held_out is meant; and the head is the end's at every t.",
    texts=on_train,
    which=no_head,
    left=at_end,
)
steps.mistake(
    "You walk from the end to the start: at t = 0 you should stand at the start. start + t · (end − start).", at=turned
)
steps.mistake(
    "Two things: you walk from the end to the start; and you ask the training text, where held_out is meant.",
    at=turned,
    texts=on_train,
)
steps.mistake(
    "start + t · end isn't between the two: at t = 1 you stand at their sum. Add t times the *difference*, end − start.",
    at=lambda a, b, t: a + t * b,
)
steps.mistake("t · (end − start) is only the way, without where it begins. Add start.", at=lambda a, b, t: t * (b - a))
steps.mistake(
    "The difference is turned round, so you walk away from the end: end − start, not start − end.",
    at=lambda a, b, t: a + t * (a - b),
)
steps.mistake(
    "You go on from the *end*: end + t · (end − start). At t = 0 you should stand at the start.",
    at=lambda a, b, t: b + t * (b - a),
)
steps.mistake(
    "Both shares are t: t · start + t · end. The start's share is what is left, 1 − t.",
    at=lambda a, b, t: t * a + t * b,
)
steps.mistake("The end's share is missing its t: (1 − t) · start + t · end.", at=lambda a, b, t: (1 - t) * a + b)
steps.mistake("The model in the middle, whatever t is: t isn't used.", at=lambda a, b, t: (a + b) / 2)
steps.mistake("The start's loss for every t: nothing moves.", at=lambda a, b, t: a)
steps.mistake("The end's loss for every t.", at=lambda a, b, t: b)
steps.mistake(
    "You jump from one end to the other at t = ½. Between them lie models, too: start + t · (end − start).",
    at=lambda a, b, t: a if t < 0.5 else b,
)
steps.mistake(
    "You take the way by its length 1. t is a share of the *whole* way, from 0 to 1: don't divide end − start.",
    at=lambda a, b, t: a + t * (b - a) / (b - a).norm(),
)
steps.mistake(
    "t is kept between 0 and 1. The line goes on beyond both ends, and so does the question.",
    at=lambda a, b, t: straight(a, b, t.clamp(0, 1)),
)
steps.mistake(
    "The matrices move, the vectors stay at the start: biases are weights as well.", which=lambda name, a: a.dim() > 1
)
steps.mistake("Only the token vectors move. All weights lie on the line.", which=lambda name, a: name == "token")
steps.mistake(
    "The token vectors stay at the start. All weights lie on the line.", which=lambda name, a: name != "token"
)
steps.mistake(
    "You choose the places yourself, evenly from 0 to 1. The places in ts are asked for, in their order.",
    places=lambda ts: torch.linspace(0, 1, len(ts)),
)
steps.mistake(
    "You put the number of the place, 0, 1, 2, …, where t is meant: that walks past the end. For t in ts, without enumerate or range.",
    places=lambda ts: torch.arange(len(ts)),
)
steps.mistake(
    "You make the places from their numbers, i / len(ts). The places in ts are asked for, in their order.",
    places=lambda ts: torch.arange(len(ts)) / len(ts),
)
for sentence, bent in {
    "You round t to a whole number with int(t), so that nearly all places are the start. t as it is.": lambda t: (
        t.trunc()
    ),
    "You walk with t². All places are on the line, but others than asked for: t as it is.": lambda t: t**2,
    "You walk with the root of t. All places are on the line, but others than asked for: t as it is.": lambda t: (
        t.clamp(min=0).sqrt()
    ),
    "You walk with |t|, so you never get beyond the start. t as it is.": lambda t: t.abs(),
}.items():
    steps.mistake(sentence, at=lambda a, b, t, bent=bent: straight(a, b, bent(t)))
steps.mistake(
    "You scale the weights back to the start's length, so that you walk on a sphere. On the straight line: start + t · (end − start), as it is.",
    at=lambda a, b, t: straight(a, b, t) / straight(a, b, t).norm() * a.norm(),
)
steps.mistake(
    "Your losses are in the order of t, smallest first. They come in the order of ts.",
    places=lambda ts: ts.sort().values,
)
steps.mistake(
    "One number comes back, the mean. A loss for each t is asked for.", given=lambda losses, ts: losses.mean()
)
steps.mistake(
    "One number comes back, the largest loss. A loss for each t is asked for.", given=lambda losses, ts: losses.max()
)
steps.mistake(
    "Only the first place's loss comes back. Is there a return inside the loop?", given=lambda losses, ts: losses[0]
)
steps.mistake(
    "Only the first place's loss comes back: the return stands inside the loop, so the loop never gets to the second t.",
    given=lambda losses, ts: losses[:1],
)
steps.mistake(
    "Only the last place's loss comes back: the list is made anew in each round of the loop.",
    given=lambda losses, ts: losses[-1:],
)
steps.mistake(
    "A column comes back, (t, 1). One axis is asked for: a loss is a number already, torch.stack is enough.",
    given=lambda losses, ts: losses[:, None],
)
steps.mistake(
    "Only the last place's loss comes back. Collect them in a list as the loop goes on.",
    given=lambda losses, ts: losses[-1],
)
steps.mistake("The first place is missing.", given=lambda losses, ts: losses[1:])
steps.mistake(
    "That is how far each loss lies above the first one. The losses themselves are asked for.",
    given=lambda losses, ts: losses - losses[0],
)
steps.mistake(
    "These are the places and the losses. The losses alone are asked for.", given=lambda losses, ts: (ts, losses)
)
steps.mistake(
    "A list of floats comes back. Make a tensor of it: torch.tensor(losses), or torch.stack of tensors.",
    given=lambda losses, ts: losses.tolist(),
)


@loss_on_the_line.mistake(
    "You draw the line between the two *losses*. Ask the models between the two: first mix the weights, then take the loss."
)
def mixes_losses(loss, start, end, ts, train, held_out):
    return straight(loss(start, held_out), loss(end, held_out), ts)


@loss_on_the_line.mistake(
    "You go on from where the last t has brought you. Each place counts from the start: mix start and end anew for each t."
)
def goes_on(loss, start, end, ts, train, held_out):
    losses, model = [], start
    for t in ts:
        model = {name: straight(model[name], end[name], t) for name in start}
        losses.append(loss(model, held_out))
    return torch.stack(losses)


@loss_on_the_line.mistake(
    "Each t adds another step to the last model. Each place counts from the start: mix start and end anew for each t."
)
def adds_up(loss, start, end, ts, train, held_out):
    return _loss_on_the_line(loss, start, end, ts.cumsum(0), train, held_out)


@loss_on_the_line.mistake("The training text and the held-out text take turns. Ask held_out at every place.")
def both_in_turn(loss, start, end, ts, train, held_out):
    each = [
        _loss_on_the_line(loss, start, end, ts[i : i + 1], train, (held_out, train or held_out)[i % 2])
        for i in range(len(ts))
    ]
    return torch.cat(each)


def of_both(mix):
    """A number made of the two losses of each place."""

    def losses(loss, start, end, ts, train, held_out):
        on = [_loss_on_the_line(loss, start, end, ts, train, texts) for texts in (held_out, train)]
        return mix(*on)

    return losses


for sentence, mix in {
    "You take the training loss off the held-out loss: that is the gap between them. The held-out loss itself is asked for.": lambda held_out, train: (
        held_out - train
    ),
    "You take the held-out loss off the training loss. The held-out loss itself is asked for.": lambda held_out, train: (
        train - held_out
    ),
    "You take the mean of training loss and held-out loss. Only the held-out loss is asked for.": lambda held_out, train: (
        (held_out + train) / 2
    ),
    "You add up training loss and held-out loss. Only the held-out loss is asked for.": lambda held_out, train: (
        held_out + train
    ),
    "Both losses come back. Only the held-out loss is asked for.": lambda held_out, train: torch.stack(
        [held_out, train]
    ),
    "Both losses come back, training and held-out. Only the held-out loss is asked for.": lambda held_out, train: (
        train,
        held_out,
    ),
}.items():
    loss_on_the_line.mistake(sentence)(of_both(mix))


@loss_on_the_line.mistake(
    "A loss of one text at a time, added up. `loss` takes all texts at once and gives their mean: loss(weights, held_out)."
)
def added_up(loss, start, end, ts, train, held_out):
    return sum(_loss_on_the_line(loss, start, end, ts, train, [text]) for text in held_out)


@loss_on_the_line.symptom("Each t goes on from where the last one stopped.", any_shape=True)
def moved_in_place(inputs, answer):
    """What comes of start += t (end − start), which the next t finds changed."""
    loss, start, end, ts, train, held_out = inputs
    for walks in (goes_on, lambda *given: _loss_on_the_line(*given[:3], ts.cumsum(0), *given[4:])):
        right = walks(loss, start, end, ts, train, held_out)
        if len(ts) > 1 and torch.allclose(answer, right, atol=1e-5):
            return "So each t goes on from where the last one stopped. dict(start) and start.copy() copy the names, not the tensors: write start[name] + …, never +=, for each t anew."
    return False


@loss_on_the_line.mistake(
    "That is how far the loss lies above the straight line between the two losses, the barrier. The losses themselves are asked for."
)
def the_barrier(loss, start, end, ts, train, held_out):
    return _loss_on_the_line(loss, start, end, ts, train, held_out) - mixes_losses(
        loss, start, end, ts, train, held_out
    )


steps.mistake(
    "That is exp of the loss, the perplexity. The loss itself is asked for.", given=lambda losses, ts: losses.exp()
)
steps.mistake("That is the logarithm of the loss. The loss itself is asked for.", given=lambda losses, ts: losses.log())
steps.mistake(
    "You take the mean of all losses so far. Each t has its own loss.",
    given=lambda losses, ts: losses.cumsum(0) / torch.arange(1, len(losses) + 1),
)
steps.mistake("You add up all losses so far. Each t has its own loss.", given=lambda losses, ts: losses.cumsum(0))
steps.mistake(
    "You keep the largest loss so far. Each t has its own loss.", given=lambda losses, ts: losses.cummax(0).values
)
steps.mistake(
    "Each loss is divided by the first one. The losses themselves are asked for.",
    given=lambda losses, ts: losses / losses[0],
)
steps.mistake(
    "Your losses are divided by their number, as if they were to be a mean. The losses themselves are asked for.",
    given=lambda losses, ts: losses / len(losses),
)


@loss_on_the_line.symptom("A part of the model stays where it is.")
def one_name_stays(inputs, answer):
    """Right but for one name, which has the start's or the end's numbers at every t."""
    loss, start, end, ts, _, held_out = inputs
    for whose, stay in (("start", start), ("end", end)):
        for name in start:
            own = [loss({**_at(start, end, t), name: stay[name]}, held_out) for t in ts]
            if torch.allclose(answer, torch.stack(own), rtol=1e-4, atol=1e-5):
                return f"`{name}` is the {whose}'s at every t. All weights lie on the line: go through all names."
    return False


@loss_on_the_line.symptom("Only some of the held-out texts are asked.")
def some_texts(inputs, answer):
    loss, start, end, ts, train, held_out = inputs
    for k in range(1, len(held_out)):
        for which, some in (("first", held_out[:k]), ("last", held_out[k:])):
            if torch.allclose(answer, _loss_on_the_line(loss, start, end, ts, train, some), rtol=1e-4, atol=1e-5):
                return f"You ask only the {which} {len(some)} of {len(held_out)} held-out texts. All of them, at every t: loss(weights, held_out)."
    return False


@loss_on_the_line.symptom("")
def which_places_are_right(inputs, answer):
    """Both ends are right and what lies between isn't, or one end alone is right."""
    loss, _start, end, ts, _, held_out = inputs
    ends = {0.0: "start", 1.0: "end"}
    right = _loss_on_the_line(*inputs)
    good = torch.isclose(answer, right, rtol=1e-4, atol=1e-5)
    at_ends = {ends[t]: bool(ok) for t, ok in zip(ts.tolist(), good) if t in ends}
    between = any(t not in ends for t in ts.tolist())
    if len(at_ends) == 2 and between and not good.all():
        if all(at_ends.values()):
            return "At both ends your losses are right, between them they aren't: there each weight is start + t · (end − start), a straight line."
        if any(at_ends.values()):
            ok = next(name for name, fine in at_ends.items() if fine)
            other = "end" if ok == "start" else "start"
            return f"At the {ok} your loss is right, at the {other} it isn't: there your model should be exactly `{other}`. Do all weights arrive, and is `held_out` asked?"
        if torch.isclose(answer[0], loss(end, held_out), atol=1e-5):
            return "Your first loss is the end's. At t = 0 you should stand at the start."
        return "Not even at the ends your losses are right: at t = 0 your model should be exactly `start`, at t = 1 exactly `end`, and `loss` is asked about held_out."
    return False
