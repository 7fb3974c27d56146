"""ELMo's mixture of layers: shares that sum to 1, and a length."""

import math

import torch

from course_lib import elmo
from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer, non_contiguous, randn


def _mixture(states, s, gamma):
    return elmo.mixture(states, s, gamma)


def _layers(g, *shape, dtype=torch.float32):
    gamma = 0.5 + 2 * torch.rand((), generator=g, dtype=dtype)
    return randn(g, *shape, dtype=dtype), randn(g, shape[0], dtype=dtype), gamma


def _large(layers):
    """e to the power of any of these overflows; their shares are as if each were 300 less."""
    states, s, gamma = layers
    return states, s + 300, gamma


def _turned(layers):
    states, s, gamma = layers
    return non_contiguous(states), s, gamma


mixture = Code(
    "10.mixture",
    title="How much of each layer",
    points=2,
    minutes=8,
    difficulty=1,
    reference=_mixture,
    axes=["... d"],
    differentiable=True,
    cases=[
        Case("three layers, two texts of five words", lambda g: _layers(g, 3, 2, 5, 4)),
        Case("as many layers as words", lambda g: _layers(g, 3, 2, 3, 4)),
        Case("as many layers as texts, and as numbers", lambda g: _layers(g, 4, 4, 2, 4)),
        Case("one layer alone", lambda g: _layers(g, 1, 2, 3, 5)),
        Case("one word, no batch", lambda g: _layers(g, 3, 6)),
        Case("s in the hundreds", lambda g: _large(_layers(g, 3, 2, 4, 3))),
        Case("any sizes", lambda g: _layers(g, integer(g, 2, 5), integer(g, 1, 4), integer(g, 2, 7), integer(g, 3, 9))),
        Case("double precision", lambda g: _layers(g, 3, 2, 4, 5, dtype=torch.float64)),
        Case("not contiguous", lambda g: _turned(_layers(g, 3, 2, 4, 5))),
    ],
    hints=[
        "s has one number for each layer. What makes of any numbers shares that sum to 1?",
        "softmax(s) is (layer). Each share is multiplied with its whole layer; then the layers are added up, and the sum is multiplied with γ.",
        "With axes: shares.view(-1, *[1] * (states.dim() - 1)) meets states along the first axis. Or a loop: sum(share * layer for share, layer in zip(shares, states)).",
    ],
)


def shares(s):
    return s.softmax(0)


def along_layers(states, w):
    return w.reshape(-1, *[1] * (states.dim() - 1)) * states


@mixture.variants
def steps(
    states,
    s,
    gamma,
    *,
    layers=lambda states, s: (states, s),
    weights=shares,
    weighted=along_layers,
    together=lambda weighted: weighted.sum(0),
    length=lambda mixed, gamma: gamma * mixed,
):
    states, s = layers(states, s)
    return length(together(weighted(states, weights(s))), gamma)


steps.mistake("Shares sum to 1: a softmax of s is missing.", weights=lambda s: s)
steps.mistake(
    "The mixture comes out flat, all numbers in one row. It has the axes of one layer: .view(states.shape[1:]).",
    together=lambda weighted: weighted.sum(0).flatten(),
)
steps.mistake("γ is missing: the whole sum is multiplied with it.", length=lambda mixed, gamma: mixed)
steps.mistake("The softmax and γ are missing: γ · Σ softmax(s)ⱼ hⱼ.", weights=lambda s: s, length=lambda m, gamma: m)
steps.mistake("γ is added. The sum is multiplied with it.", length=lambda mixed, gamma: mixed + gamma)
steps.mistake("You divide by γ. The sum is multiplied with it.", length=lambda mixed, gamma: mixed / gamma)
steps.mistake(
    "All is twice as large as it should be: γ · Σ softmax(s)ⱼ hⱼ, and nothing else.",
    length=lambda mixed, gamma: 2 * gamma * mixed,
)
steps.mistake("γ is multiplied twice: once, with the whole sum.", length=lambda mixed, gamma: gamma * gamma * mixed)
steps.mistake(
    "The layers' mean comes out. Each has its own share, softmax(s).", weights=lambda s: torch.full_like(s, 1 / len(s))
)
steps.mistake("The layers are added up as they are. Each has its own share, softmax(s).", weights=torch.ones_like)
steps.mistake(
    "You divide s by its sum. That can be 0 or negative; a softmax makes shares of any numbers.",
    weights=lambda s: s / s.sum(),
)
steps.mistake(
    "You divide s by the sum of its sizes. A softmax makes shares of any numbers, and never a negative one.",
    weights=lambda s: s / s.abs().sum(),
)
steps.mistake("exp(s) alone doesn't sum to 1. Divide by the sum: softmax.", weights=torch.exp)
steps.mistake(
    "exp of a large s overflows, and inf / inf is NaN. softmax is safe.", weights=lambda s: s.exp() / s.exp().sum()
)
steps.mistake(
    "exp(s − the largest) doesn't sum to 1 yet. Divide by the sum: softmax.", weights=lambda s: (s - s.max()).exp()
)
steps.mistake(
    "You divide s by the largest. A softmax makes shares of any numbers, and they sum to 1.",
    weights=lambda s: s / s.max(),
)
steps.mistake("You take the softmax twice. Once makes shares of s.", weights=lambda s: s.softmax(0).softmax(0))
steps.mistake("These are logarithms of shares: softmax, not log_softmax.", weights=lambda s: s.log_softmax(0))
steps.mistake("The sigmoid looks at each number by itself. Shares sum to 1: softmax.", weights=torch.sigmoid)
steps.mistake(
    "Your sigmoids are divided by their sum. That sums to 1, but isn't a softmax: e^s divided by the sum of e^s.",
    weights=lambda s: s.sigmoid() / s.sigmoid().sum(),
)
steps.mistake(
    "The signs are turned round: the layer with the smallest s gets the most.", weights=lambda s: (-s).softmax(0)
)
steps.mistake("You leave out the signs of s. A negative s means a small share.", weights=lambda s: s.abs().softmax(0))
steps.mistake("You square s. A negative s means a small share.", weights=lambda s: (s**2).softmax(0))
steps.mistake("Negative s count as 0 with you. softmax takes them as they are.", weights=lambda s: s.relu().softmax(0))
steps.mistake("You raise 2 to s. A softmax raises e.", weights=lambda s: (s * math.log(2)).softmax(0))
steps.mistake(
    "You divide s by √ of the number of layers. softmax(s) takes s as it is.",
    weights=lambda s: (s / len(s) ** 0.5).softmax(0),
)
steps.mistake("You halve s. softmax(s) takes s as it is.", weights=lambda s: (s / 2).softmax(0))
steps.mistake("You double s. softmax(s) takes s as it is.", weights=lambda s: (2 * s).softmax(0))
steps.mistake(
    "The layer with the largest s gets everything. Shares are asked for: softmax.",
    weights=lambda s: torch.zeros_like(s).scatter(0, s.argmax(0, keepdim=True), 1.0),
)
steps.mistake(
    "The layers have changed places: share j belongs to layer j, layer 0 first.", weights=lambda s: s.softmax(0).flip(0)
)
steps.mistake(
    "Only the top layer comes out. All have their shares.",
    weighted=lambda states, w: states,
    together=lambda states: states[-1],
)
steps.mistake(
    "Only layer 0 comes out, the word's own vector. All have their shares.",
    weighted=lambda states, w: states,
    together=lambda states: states[0],
)
steps.mistake("The layers are weighted, but not added up: .sum(0).", together=lambda weighted: weighted)
steps.mistake(
    "You take the mean of the weighted layers. The shares sum to 1 already: add them up.",
    together=lambda weighted: weighted.mean(0),
)
steps.mistake(
    "You add up the numbers of each vector. The *layers* are added up: .sum(0).",
    together=lambda weighted: weighted.sum(-1),
)
steps.mistake(
    "One number comes out: you add up everything. The layers alone are added up: .sum(0).",
    together=lambda weighted: weighted.sum(),
)
steps.mistake(
    "You take the largest number over the layers. They are added up.", together=lambda weighted: weighted.amax(0)
)
steps.mistake("You multiply the layers. They are added up.", together=lambda weighted: weighted.prod(0))
steps.mistake(
    "Your shares go along the last axis: torch lines up axes from the right. They belong to the layers, the first axis.",
    weighted=lambda states, w: states * w,
)
for axes in (2, 3):
    steps.mistake(
        f"Your shares get {axes} new axes, which fits states of {axes + 1} axes alone. As many as states has behind the first: s.view(-1, *[1] * (states.dim() - 1)), or a loop over the layers.",
        weighted=lambda states, w, axes=axes: states * w.reshape(-1, *[1] * axes),
    )
steps.mistake(
    "It mixes layers, not words: your shares go along the words. They belong to the layers, the first axis.",
    weighted=lambda states, w: states * w[:, None],
)
steps.mistake(
    "It mixes layers, not words: your shares go along the words, and these are added up.",
    weighted=lambda states, w: states * w[:, None],
    together=lambda weighted: weighted.sum(-2),
)
steps.mistake(
    "The layers stand side by side with you. They are added up: Σ softmax(s)ⱼ hⱼ.",
    together=lambda weighted: torch.cat(list(weighted), dim=-1),
)
steps.mistake(
    "You bring each layer to length 1 first. The states as they are.",
    layers=lambda states, s: (torch.nn.functional.normalize(states, dim=-1), s),
)
steps.mistake(
    "You put a layer norm on each layer. (The paper tried one.) Here the states come as they are.",
    layers=lambda states, s: (torch.nn.functional.layer_norm(states, states.shape[-1:]), s),
)
steps.mistake(
    "Your mixture is brought to length 1. Its length is γ's business.",
    together=lambda weighted: torch.nn.functional.normalize(weighted.sum(0), dim=-1),
)
steps.mistake(
    "You divide the mixture by one length, of all its numbers together. Its length is γ's business.",
    together=lambda weighted: weighted.sum(0) / weighted.sum(0).norm(),
)
steps.mistake(
    "The softmax belongs to s, not to the states: γ · Σ softmax(s)ⱼ hⱼ.",
    layers=lambda states, s: (states.softmax(0), s),
    weights=lambda s: s,
)
steps.mistake(
    "You take a softmax of the states, too. Only s becomes shares.", layers=lambda states, s: (states.softmax(-1), s)
)
steps.mistake(
    "You take the softmax of s times the states, so each number gets shares of its own. A layer has one share: softmax(s).",
    weights=lambda s: s,
    weighted=lambda states, s: along_layers(states, s).softmax(0) * states,
)
steps.mistake(
    "The softmax comes too late: it belongs to s, before the sum.",
    weights=lambda s: s,
    together=lambda w: w.sum(0).softmax(-1),
)


@mixture.mistake("The word's own vector is a layer: layer 0 is missing, and the others share its part.")
def without_layer_0(states, s, gamma):
    return gamma * along_layers(states[1:], s[1:].softmax(0)).sum(0)


@mixture.mistake("The word's own vector is a layer: layer 0 is missing, though it has its share.")
def without_layer_0_but_its_share(states, s, gamma):
    return gamma * along_layers(states[1:], s.softmax(0)[1:]).sum(0)


@mixture.mistake("The top layer is missing. All layers have their shares: a range ends before its end.")
def without_the_top(states, s, gamma):
    return gamma * along_layers(states[:-1], s.softmax(0)[:-1]).sum(0)


@mixture.mistake("γ stands inside the softmax with you. It multiplies the whole sum.")
def gamma_inside(states, s, gamma):
    return along_layers(states, (gamma * s).softmax(0)).sum(0)


@mixture.mistake("γ stands inside the softmax with you, and outside. It multiplies the whole sum, once.")
def gamma_inside_and_outside(states, s, gamma):
    return gamma * along_layers(states, (gamma * s).softmax(0)).sum(0)


@mixture.mistake("γ is multiplied with layer 0 alone, or added to one share. It multiplies the whole sum: brackets.")
def gamma_of_the_first(states, s, gamma):
    mixed = along_layers(states, s.softmax(0))
    return gamma * mixed[0] + mixed[1:].sum(0)


@mixture.mistake("Each round of your loop multiplies with γ all that was added up before. Once, behind the loop.")
def gamma_in_every_round(states, s, gamma):
    mixed = 0 * states[0]
    for share, layer in zip(s.softmax(0), states):
        mixed = gamma * (mixed + share * layer)
    return mixed


@mixture.mistake("Only the last layer's part comes out. Does = stand where += is meant?")
def last_part(states, s, gamma):
    return gamma * along_layers(states, s.softmax(0))[-1]


@mixture.mistake("Only layer 0's part comes out. Does a return stand inside the loop?")
def first_part(states, s, gamma):
    return gamma * along_layers(states, s.softmax(0))[0]


@mixture.symptom("")
def layers_in_it(inputs, answer):
    """How much of each layer the answer holds, by least squares."""
    states, s, gamma = inputs
    right = elmo.mixture(*inputs)
    if answer.shape != right.shape or right.numel() <= len(s):
        return False
    columns = states.flatten(1).mT.double()
    held = torch.linalg.lstsq(columns, answer.flatten()[:, None].double()).solution.flatten()
    if not torch.allclose(columns @ held, answer.flatten().double(), atol=1e-4):
        return False
    want = (gamma * s.softmax(0)).double()
    gone = [j for j in range(len(s)) if abs(held[j]) < 1e-4 < want[j] / 10]
    if gone and len(gone) < len(s):
        layers = "Layer " + ", ".join(map(str, gone)) + (" is" if len(gone) == 1 else " are")
        return f"{layers} missing. Your answer holds of the layers {_listed(held)}; γ · softmax(s) are {_listed(want)}."
    if torch.allclose(held.sort().values, want.sort().values, atol=1e-4):
        return f"The right shares, but at other layers: share j belongs to layer j. You have {_listed(held)}, and γ · softmax(s) are {_listed(want)}."
    return f"Your answer holds of the layers {_listed(held)}; γ · softmax(s) are {_listed(want)}."


def _listed(numbers):
    return ", ".join("0" if abs(x) < 1e-4 else f"{x:.3g}" for x in numbers.tolist())
