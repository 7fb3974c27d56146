"""A score for each run, and a softmax over the runs of an example."""

import torch
import torch.nn.functional as F

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.common import only_the_scale_differs, same
from course_lib.exercises.inputs import integer, randn


def _multiple_choice(states, lengths, w_y, labels):
    read = states[torch.arange(len(states)), lengths - 1]
    scores = (read @ w_y).view(len(labels), -1)
    return scores.softmax(-1), F.cross_entropy(scores, labels)


def _runs(g, batch, choices, n=6, d=5, full=False, dtype=torch.float32):
    """All runs of the first example, then those of the second; some are shorter than the tensor."""
    lengths = torch.randint(2, n + 1, (batch * choices,), generator=g)
    if full:
        lengths[:] = n
    elif n > 3:
        lengths[0], lengths[-1] = n - 2, n - 1
        lengths[len(lengths) // 2] = n
    return (
        randn(g, batch * choices, n, d, dtype=dtype),
        lengths,
        randn(g, d, dtype=dtype),
        torch.randint(choices, (batch,), generator=g),
    )


multiple_choice = Code(
    "14.multiple_choice",
    title="One score a run",
    points=3,
    minutes=12,
    difficulty=2,
    reference=_multiple_choice,
    axes=["batch choice", ""],
    results=("probabilities", "loss"),
    differentiable=True,
    cases=[
        Case("three stories, two endings each", lambda g: _runs(g, 3, 2)),
        Case("two questions, four answers each", lambda g: _runs(g, 2, 4)),
        Case("as many examples as choices", lambda g: _runs(g, 3, 3)),
        Case("one example", lambda g: _runs(g, 1, 3)),
        Case("no padding", lambda g: _runs(g, 4, 2, full=True)),
        Case("any sizes", lambda g: _runs(g, integer(g, 3, 6), integer(g, 2, 5), n=integer(g, 7, 9), d=7)),
        Case("double precision", lambda g: _runs(g, 3, 4, dtype=torch.float64)),
    ],
    hints=[
        "Three steps: read each run at its last token, (runs, d); make one number of each, (runs,); put the runs of an example side by side, (batch, choices).",
        "states[torch.arange(len(states)), lengths - 1] @ w_y is (batch · choices,). The runs of the first example come first: .view(len(labels), -1).",
        "Now the choices are classes like any others: scores.softmax(-1), and F.cross_entropy(scores, labels), which takes the scores, not the probabilities.",
    ],
)


def last(states, lengths):
    return states[torch.arange(len(states)), lengths - 1]


def side_by_side(scores, batch):
    return scores.reshape(batch, -1)


def picked(probabilities, labels):
    return probabilities.gather(1, labels[:, None]).squeeze(1)


@multiple_choice.variants
def steps(
    states,
    lengths,
    w_y,
    labels,
    *,
    read=last,
    score=lambda h, w_y: h @ w_y,
    arrange=side_by_side,
    share=lambda scores: scores.softmax(-1),
    loss=lambda scores, probabilities, labels: F.cross_entropy(scores, labels),
    given=lambda probabilities, loss, scores: (probabilities, loss),
):
    scores = arrange(score(read(states, lengths), w_y), len(labels))
    probabilities = share(scores)
    return given(probabilities, loss(scores, probabilities, labels), scores)


# --- where a run is read ----------------------------------------------------------------------------------------------

steps.mistake(
    "You read at the padding: states[:, -1] is the last place of the tensor. Each run is read at its own last token, lengths - 1.",
    read=lambda states, lengths: states[:, -1],
)
steps.mistake(
    "You read at the first token. There GPT hasn't seen the answer yet. Each run is read at its last token, lengths - 1.",
    read=lambda states, lengths: states[:, 0],
)
steps.mistake(
    "You read one place before the last: counted from 0, it stands at lengths - 1.",
    read=lambda states, lengths: states[torch.arange(len(states)), lengths - 2],
)
steps.mistake(
    "You read one place too far: counted from 0, the last token stands at lengths - 1. Behind the longest run there is no such place.",
    read=lambda states, lengths: states[torch.arange(len(states)), lengths],
)
steps.mistake(
    "You read one place too far: counted from 0, the last token stands at lengths - 1, not at lengths. At the end of the tensor you stop, so only the longest run is right.",
    read=lambda states, lengths: states[torch.arange(len(states)), lengths.clamp(max=states.shape[1] - 1)],
)
steps.mistake(
    "You average over all places, the padding too. Each run is read at one place, its last token.",
    read=lambda states, lengths: states.mean(1),
)
steps.mistake(
    "You average over each run's tokens. It is read at one place, its last token.",
    read=lambda states, lengths: torch.stack([run[:n].mean(0) for run, n in zip(states, lengths)]),
)
steps.mistake(
    "You add up all of a run's tokens. It is read at one place, its last token.",
    read=lambda states, lengths: torch.stack([run[:n].sum(0) for run, n in zip(states, lengths)]),
)
steps.mistake(
    "All runs are read where the first one ends. Each has a length of its own.",
    read=lambda states, lengths: states[:, lengths[0] - 1],
)
steps.mistake(
    "-lengths counts from the end of the tensor, where the padding is. The last token stands at lengths - 1, counted from the front.",
    read=lambda states, lengths: states[torch.arange(len(states)), -lengths],
)
# --- scores, side by side ---------------------------------------------------------------------------------------------

steps.mistake(
    "The runs of one example lie one behind the other: all of the first, then all of the second. view(choices, batch).mT puts together runs of different examples: (batch · choices) → view(batch, choices).",
    arrange=lambda scores, batch: scores.reshape(-1, batch).mT,
)
steps.mistake(
    "view(-1, len(labels)) puts the batch last, and the runs of an example aren't side by side. (batch · choices) → (batch, choices): view(len(labels), -1).",
    arrange=lambda scores, batch: scores.reshape(-1, batch),
)
steps.mistake(
    "Choices come first in your result. (batch · choices) → (batch, choices).",
    arrange=lambda scores, batch: scores.reshape(batch, -1).mT,
)
steps.mistake(
    "The choices of each example stand in reverse order.",
    arrange=lambda scores, batch: scores.reshape(batch, -1).flip(-1),
)
steps.mistake("The score is the sum of h. It is h · w_y, one number for each run.", score=lambda h, w_y: h.sum(-1))
steps.mistake("The score is the mean of h. It is h · w_y, one number for each run.", score=lambda h, w_y: h.mean(-1))
steps.mistake("The score's sign is turned round: h · w_y.", score=lambda h, w_y: -(h @ w_y))
steps.mistake(
    "You divide the scores by √d. No attention is computed here: h · w_y as it is.",
    score=lambda h, w_y: h @ w_y / h.shape[-1] ** 0.5,
)
steps.mistake(
    "You take a softmax of h before w_y. The softmax comes last, over the runs.",
    score=lambda h, w_y: h.softmax(-1) @ w_y,
)
steps.mistake(
    "h is normalised to length 1, and w_y as well: a cosine. The score is their product, h · w_y.",
    score=lambda h, w_y: F.normalize(h, dim=-1) @ F.normalize(w_y, dim=-1),
)
steps.mistake(
    "A sigmoid of each score, and then a softmax of that. The softmax takes the scores as they are.",
    score=lambda h, w_y: (h @ w_y).sigmoid(),
)

# --- probabilities ----------------------------------------------------------------------------------------------------

steps.mistake(
    "Your softmax runs over the examples. It belongs over the runs of *one* example, dim=-1.",
    share=lambda scores: scores.softmax(0),
    loss=lambda scores, probabilities, labels: -picked(probabilities, labels).log().mean(),
)
steps.mistake(
    "The probabilities' softmax runs over the examples. It belongs over the runs of *one* example, dim=-1; your loss has it right.",
    share=lambda scores: scores.softmax(0),
)
steps.mistake(
    "All runs of the batch share a probability of 1. Those of each example should, by themselves: softmax over (batch, choices), dim=-1.",
    share=lambda scores: scores.flatten().softmax(0).view_as(scores),
    loss=lambda scores, probabilities, labels: -picked(probabilities, labels).log().mean(),
)
steps.mistake(
    "All runs of the batch share a probability of 1; only your loss has it right. Those of each example should, by themselves: dim=-1.",
    share=lambda scores: scores.flatten().softmax(0).view_as(scores),
)
steps.mistake(
    "Each run is asked for a yes or no by itself, by a sigmoid. One of the answers is right: a softmax over the runs.",
    share=torch.sigmoid,
    loss=lambda scores, probabilities, labels: -picked(probabilities, labels).log().mean(),
)
steps.mistake(
    "Each run is asked for a yes or no by itself: sigmoid and binary cross-entropy. One of the answers is right: a softmax over the runs.",
    share=torch.sigmoid,
    loss=lambda scores, probabilities, labels: F.binary_cross_entropy_with_logits(
        scores, F.one_hot(labels, scores.shape[1]).to(scores.dtype)
    ),
)
steps.mistake(
    "The probabilities are a sigmoid of each score; your loss is right. Those of an example sum to 1: a softmax over the runs.",
    share=torch.sigmoid,
)
steps.mistake(
    "These are scores, not probabilities: a softmax over the runs of each example is missing.",
    share=lambda scores: scores,
)
steps.mistake(
    "These are logarithms of probabilities: softmax, not log_softmax.", share=lambda scores: scores.log_softmax(-1)
)
steps.mistake(
    "Each score is divided by the sum of its example's scores. Scores may be negative: a softmax is asked for.",
    share=lambda scores: scores / scores.sum(-1, keepdim=True),
)
steps.mistake(
    "The best answer gets 1, the others 0. Probabilities are asked for: a softmax over the runs.",
    share=lambda scores: F.one_hot(scores.argmax(-1), scores.shape[-1]).to(scores.dtype),
)

steps.mistake(
    "The softmax of the probabilities is taken twice. Once is enough.",
    share=lambda scores: scores.softmax(-1).softmax(-1),
)
steps.mistake(
    "Two softmaxes, for the probabilities and for the loss: once is enough.",
    share=lambda scores: scores.softmax(-1).softmax(-1),
    loss=lambda scores, probabilities, labels: -picked(probabilities, labels).log().mean(),
)

# --- the loss ---------------------------------------------------------------------------------------------------------

steps.mistake(
    "Two softmaxes in the loss: cross_entropy takes the scores, not the probabilities.",
    loss=lambda scores, probabilities, labels: F.cross_entropy(probabilities, labels),
)
steps.mistake(
    "The log is missing in the loss: −log P of the right answer, not P.",
    loss=lambda scores, probabilities, labels: picked(probabilities, labels).mean(),
)
steps.mistake(
    "Your loss is minus the probability of the right answer: the log is missing. (nll_loss takes log-probabilities.)",
    loss=lambda scores, probabilities, labels: -picked(probabilities, labels).mean(),
)
steps.mistake(
    "Your loss is 1 − P. It is −log P of the right answer.",
    loss=lambda scores, probabilities, labels: (1 - picked(probabilities, labels)).mean(),
)
steps.mistake(
    "The loss is the sum over the examples. Their mean is asked for.",
    loss=lambda scores, probabilities, labels: F.cross_entropy(scores, labels, reduction="sum"),
)
steps.mistake(
    "Each example's loss comes out by itself. Their mean is asked for.",
    loss=lambda scores, probabilities, labels: F.cross_entropy(scores, labels, reduction="none"),
)
steps.mistake(
    "The sum of your losses is divided by the number of runs. Each *example* has one loss: divide by the batch.",
    loss=lambda scores, probabilities, labels: F.cross_entropy(scores, labels, reduction="sum") / scores.numel(),
)
steps.mistake(
    "The sign of the loss: −log P, which is never negative.",
    loss=lambda scores, probabilities, labels: -F.cross_entropy(scores, labels),
)
steps.mistake(
    "The loss is of the answer that the model likes best. The right one's counts: labels.",
    loss=lambda scores, probabilities, labels: F.cross_entropy(scores, scores.argmax(-1)),
)
steps.mistake(
    "The loss is the negative score of the right answer: the softmax is missing in it.",
    loss=lambda scores, probabilities, labels: -picked(scores, labels).mean(),
)
steps.mistake(
    "The log of the mean probability. First the log of each example's, then their mean.",
    loss=lambda scores, probabilities, labels: -picked(probabilities, labels).mean().log(),
)
steps.mistake(
    "The loss is the mean over *all* answers, the wrong ones as well. Only the right one's −log P counts.",
    loss=lambda scores, probabilities, labels: -scores.log_softmax(-1).mean(),
)
steps.mistake(
    "The loss is right but for its share: how often the model is wrong. It should be −log P of the right answer.",
    loss=lambda scores, probabilities, labels: (scores.argmax(-1) != labels).to(scores.dtype).mean(),
)

# --- what comes back --------------------------------------------------------------------------------------------------

steps.mistake(
    "The two results are in the wrong order: the probabilities first, then the loss.",
    given=lambda probabilities, loss, scores: (loss, probabilities),
)
steps.mistake(
    "Only the probabilities come back. The loss is asked for, too.",
    given=lambda probabilities, loss, scores: probabilities,
)
steps.mistake(
    "Only the loss comes back. The probabilities are asked for, too.", given=lambda probabilities, loss, scores: loss
)
steps.mistake(
    "The probability of the right answer comes back. Those of all answers are asked for, (batch, choices).",
    given=lambda probabilities, loss, scores: (probabilities.amax(-1), loss),
)
steps.mistake(
    "The probabilities are right, but in one row: (batch, choices) is asked for.",
    given=lambda probabilities, loss, scores: (probabilities.flatten(), loss),
)


@multiple_choice.mistake(
    "One score a run, softmax over *runs*: you take the softmax inside a run, over its places, and read then."
)
def softmax_inside_a_run(states, lengths, w_y, labels):
    shares = (states @ w_y).softmax(-1)[torch.arange(len(states)), lengths - 1].view(len(labels), -1)
    return shares, -picked(shares, labels).log().mean()


@multiple_choice.mistake(
    "A softmax of one number is 1, whatever the number: yours runs over an axis of length 1. Put the runs of an example side by side first, (batch, choices)."
)
def softmax_of_one(states, lengths, w_y, labels):
    shares = (last(states, lengths) @ w_y)[:, None].softmax(-1).view(len(labels), -1)
    return shares, -picked(shares, labels).log().mean()


@multiple_choice.mistake(
    "Your states are put side by side before they are read, and the runs are mixed: view(batch, n, choices, d). The axis of runs is the first: view(batch, choices, n, d)."
)
def mixed_view(states, lengths, w_y, labels):
    batch, (runs, n, d) = len(labels), states.shape
    states = states.view(batch, n, runs // batch, d).transpose(1, 2).reshape(runs, n, d)
    return _multiple_choice(states, lengths, w_y, labels)


@multiple_choice.mistake(
    "The number of choices is written into the code, 2. It follows from the shapes: len(states) // len(labels)."
)
def always_two(states, lengths, w_y, labels):
    scores = (last(states, lengths) @ w_y).view(-1, 2)
    return scores.softmax(-1), F.cross_entropy(scores, labels)


steps.mistake(
    "You add up all places, the padding too. Each run is read at one place, its last token.",
    read=lambda states, lengths: states.sum(1),
)


@multiple_choice.mistake(
    "You score every place of a run and take the largest. A run is read at one place, its last token, which has seen the whole of it."
)
def largest_of_all_places(states, lengths, w_y, labels):
    scores = (states @ w_y).amax(1).view(len(labels), -1)
    return scores.softmax(-1), F.cross_entropy(scores, labels)


@multiple_choice.mistake(
    "You divide each score by its run's length. h · w_y as it is: the last token's h is no sum over the run."
)
def divided_by_the_length(states, lengths, w_y, labels):
    scores = (last(states, lengths) @ w_y / lengths).view(len(labels), -1)
    return scores.softmax(-1), F.cross_entropy(scores, labels)


@multiple_choice.mistake(
    "states[:, lengths - 1] takes these places of *every* run. With states[torch.arange(len(states)), lengths - 1] each run gets its own."
)
def these_places_of_all(states, lengths, w_y, labels):
    scores = (states[:, lengths - 1] @ w_y).view(len(labels), -1)
    return scores.softmax(-1), F.cross_entropy(scores, labels)


@multiple_choice.mistake(
    "A sigmoid of each score, divided by their sum: they sum to 1, but it isn't a softmax, which divides e to the power of each score."
)
def sigmoids_shared(states, lengths, w_y, labels):
    shares = (last(states, lengths) @ w_y).view(len(labels), -1).sigmoid()
    shares = shares / shares.sum(-1, keepdim=True)
    return shares, -picked(shares, labels).log().mean()


@multiple_choice.mistake(
    "You add up all places, the padding too, and divide by the length. Each run is read at one place, its last token."
)
def sum_over_length(states, lengths, w_y, labels):
    scores = (states.sum(1) / lengths[:, None] @ w_y).view(len(labels), -1)
    return scores.softmax(-1), F.cross_entropy(scores, labels)


@multiple_choice.mistake(
    "All examples are read where the runs of the *first* example end. `lengths` has an entry for each run of the batch."
)
def lengths_of_the_first(states, lengths, w_y, labels):
    return _multiple_choice(states, lengths[: len(lengths) // len(labels)].repeat(len(labels)), w_y, labels)


@multiple_choice.mistake(
    "One softmax too many: the first runs inside a run, over its places, the second over the runs. Only the second: the score is h · w_y at the last token."
)
def softmax_inside_and_outside(states, lengths, w_y, labels):
    inside = (states @ w_y).softmax(-1)[torch.arange(len(states)), lengths - 1].view(len(labels), -1)
    return inside.softmax(-1), F.cross_entropy(inside, labels)


@multiple_choice.symptom("All runs stand in one row.", any_shape=True)
def runs_in_one_row(inputs, answer):
    """The runs of all examples beside each other."""
    shares = answer[0]
    if shares.numel() == len(inputs[0]) and shares.dim() == 1:
        return "All runs stand in one row with you, those of all examples. Put the scores of each example side by side before the softmax: .view(len(labels), -1)."
    return False


@multiple_choice.symptom("Only the loss is wrong.")
def loss_alone(inputs, answer):
    """The probabilities are right: what is the loss?"""
    states, lengths, w_y, labels = inputs
    shares, loss = _multiple_choice(*inputs)
    if not same(answer[0], shares):
        return False
    log_p, rows, own = shares.log(), torch.arange(len(labels)), answer[1]
    scores = side_by_side(last(states, lengths) @ w_y, len(labels))
    right = scores[rows, labels][:, None]
    for says, other in {
        "it is in bits. Nats are asked for: the natural log.": loss / torch.tensor(2.0).log(),
        "it has the decimal logarithm. Nats are asked for.": loss / torch.tensor(10.0).log(),
        "it takes the first answer for the right one. labels says which is.": -log_p[:, 0].mean(),
        "it takes the last answer for the right one. labels says which is.": -log_p[:, -1].mean(),
        "probabilities[:, labels] takes these columns of *every* example. Each has its own: probabilities[torch.arange(len(labels)), labels].": -log_p[
            :, labels
        ].mean(),
        "it is a margin between scores. It should be −log P of the right answer.": (1 - right + scores)
        .clamp(min=0)
        .mean(),
        "it is smoothed. −log P of the right answer alone is asked for.": F.cross_entropy(
            scores, labels, label_smoothing=0.1
        ),
        "it is the squared distance of probabilities from 0 and 1. It should be −log P of the right answer.": F.mse_loss(
            shares, F.one_hot(labels, shares.shape[1]).to(shares.dtype)
        ),
        "it is e to the power of it: the perplexity.": loss.exp(),
        "it compares the right answer with all the others together, −log P / (1 − P). It should be −log P.": -(
            picked(shares, labels) / (1 - picked(shares, labels))
        )
        .log()
        .mean(),
    }.items():
        if same(own, other.to(own.dtype)):
            return f"Your probabilities are right, but the loss isn't: {says}"
    return "Your probabilities are right, and the loss isn't: it is the mean over the examples of −log P of the right answer."


@multiple_choice.symptom("The probabilities are wrong.")
def other_probabilities(inputs, answer):
    """What the probabilities show."""
    shares, right = answer[0], _multiple_choice(*inputs)[0]
    if not torch.allclose(shares.sum(-1), torch.ones((), dtype=shares.dtype), atol=1e-3):
        return "Your probabilities don't sum to 1 for each example: a softmax over its choices, dim=-1."
    if only_the_scale_differs(shares, right):
        return "Your scores are right but for a factor. No temperature, no √d: h · w_y as it is."
    if same(shares.sort(-1).values, right.sort(-1).values):
        return (
            "Each example has the right probabilities, but in another order. The answers stay in the order of the runs."
        )
    if torch.allclose(shares, right, atol=6e-3):
        return False  # rounded
    states, lengths, w_y, labels = inputs
    scores = states @ w_y  # (batch · choices, n): what each place of each run would say
    for says, places in {
        "two places before its last token": lengths - 3,
        "its first token": torch.zeros_like(lengths),
        "its second token, states[:, 1]": torch.ones_like(lengths),
        "states[:, -2]": torch.full_like(lengths, scores.shape[1] - 2),
        "the place where the longest run ends": lengths.max().expand_as(lengths) - 1,
        "the place where the shortest run ends": lengths.min().expand_as(lengths) - 1,
        "the place where the run before it in the batch ends": lengths.roll(1) - 1,
    }.items():
        read = scores[torch.arange(len(scores)), places % scores.shape[1]]
        if same(shares, side_by_side(read, len(labels)).softmax(-1)):
            return f"You read each run at {says}. Its own last token has seen the whole of it: lengths - 1."
    return "Your probabilities sum to 1 for each example, but they aren't the softmax of h · w_y, h read at each run's last token. Print the scores of one run, and compare them with states[i, lengths[i] - 1] @ w_y."
