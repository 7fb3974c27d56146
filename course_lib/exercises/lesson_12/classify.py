"""The head of figure 4, a and b: one matrix reads [CLS], and cross-entropy does the rest."""

import math

import torch
import torch.nn.functional as F

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer, randn


def _classify(states, W, labels):
    logits = states[:, 0] @ W.mT
    return logits, F.cross_entropy(logits, labels)


def _texts(g, batch, n, h=6, classes=3, dtype=torch.float32):
    """Vectors as BERT gives them, a new matrix, and labels of at least two kinds where there are two texts."""
    labels = torch.randint(classes, (batch,), generator=g)
    labels[0], labels[-1] = classes - 1, 0
    return randn(g, batch, n, h, dtype=dtype), randn(g, classes, h, dtype=dtype), labels


def _large(g):
    """So large that e^s overflows; one text has its likeliest class and one its unlikeliest."""
    states, W, labels = _texts(g, 3, 4)
    W[1] = -W[0]
    states[:2, 0] = 500 * W[0] / W[0].square().sum()  # a logit of 500 for class 0, of −500 for class 1
    logits = states[:, 0] @ W.mT
    labels[0], labels[1] = logits[0].argmax(), logits[1].argmin()
    return states, W, labels


classify = Code(
    "12.classify",
    title="One matrix more",
    points=3,
    minutes=10,
    difficulty=1,
    reference=_classify,
    axes=["batch classes", ""],
    results=("logits", "loss value"),
    differentiable=True,
    cases=[
        Case("two texts", lambda g: _texts(g, 2, 5)),
        Case("one text", lambda g: _texts(g, 1, 4)),
        Case("[CLS] alone", lambda g: _texts(g, 3, 1)),
        Case("as many classes as numbers in a vector", lambda g: _texts(g, 4, 3, h=5, classes=5)),
        Case("as many texts as tokens", lambda g: _texts(g, 4, 4)),
        Case("two classes", lambda g: _texts(g, 5, 7, h=8, classes=2)),
        Case("any sizes", lambda g: _texts(g, integer(g, 3, 6), integer(g, 5, 9), integer(g, 7, 10), integer(g, 3, 6))),
        Case("double precision", lambda g: _texts(g, 3, 4, dtype=torch.float64)),
        Case("logits of several hundred", _large),
    ],
    hints=[
        "Which place of a text does [CLS] have? Of states (batch, n, h) only that is read: C, (batch, h).",
        "W has a row for each class, (K, h). A class's logit is the product of C with its row: which of C @ W and C @ W.mT has the shape (batch, K)?",
        "F.cross_entropy(logits, labels) does softmax, logarithm and mean. Return logits, loss.",
    ],
)


def product(C, W):
    return C @ W.mT


def nll(logits, labels):
    """−log p of each text's label; (batch)."""
    return F.cross_entropy(logits, labels, reduction="none")


def of_the_label(table, labels):
    return table.gather(1, labels[:, None])[:, 0]


@classify.variants
def steps(
    states,
    W,
    labels,
    *,
    C=lambda states: states[:, 0],
    logits=product,
    each=nll,
    mean=torch.mean,
    loss=lambda loss: loss,
    shown=lambda logits: logits,
    order=lambda logits, loss: (logits, loss),
):
    scores = logits(C(states), W)
    return order(shown(scores), loss(mean(each(scores, labels))))


steps.mistake(
    "You average all places. C is the first place alone, [CLS]; a mean takes in [SEP] and padding, too.",
    C=lambda states: states.mean(1),
)
steps.mistake("You add up all places. C is the first place alone, [CLS].", C=lambda states: states.sum(1))
steps.mistake(
    "You take the largest number over all places. C is the first place alone, [CLS].", C=lambda states: states.amax(1)
)
steps.mistake(
    "You read the last place, as one would of a GPT. There stands [SEP] or padding: C is the first place, [CLS].",
    C=lambda states: states[:, -1],
)
steps.mistake("You read the place after [CLS]. Places are counted from 0: states[:, 0].", C=lambda states: states[:, 1])
steps.mistake(
    "You average the words, without [CLS]. [CLS] is the very place that is read.",
    C=lambda states: states[:, 1:].mean(1) if states.shape[1] > 1 else states[:, 0] * float("nan"),
)
steps.mistake(
    "states[0] is all places of the first *text*. The first place of each text is states[:, 0].",
    C=lambda states: states[0],
)
steps.mistake(
    "states[:, :, 0] is the first *number* of each place's vector. The first place's vector is states[:, 0].",
    C=lambda states: states[:, :, 0],
)
steps.mistake(
    "You score every place, and no place is chosen: (batch, n, K). Only [CLS] is read, states[:, 0].",
    C=lambda states: states,
    each=lambda logits, labels: F.cross_entropy(logits[:, 0], labels, reduction="none"),
)
steps.mistake("You put a tanh on C: the pooler's. Here C is [CLS]'s state as it comes.", C=lambda s: s[:, 0].tanh())
steps.mistake("You bring C to length 1. It is taken as it comes.", C=lambda s: F.normalize(s[:, 0], dim=-1))
steps.mistake(
    "You normalise C once more. BERT's last norm has done so already: take it as it comes.",
    C=lambda s: F.layer_norm(s[:, 0], s.shape[-1:]),
)
steps.mistake("You put a softmax on C. It belongs behind W, over the classes.", C=lambda s: s[:, 0].softmax(-1))
steps.mistake("You put a ReLU on C. It is taken as it comes.", C=lambda s: s[:, 0].relu())
steps.mistake("You put a GELU on C. It is taken as it comes.", C=lambda s: F.gelu(s[:, 0]))
steps.mistake(
    "Your W is used as (h, K), but it is (K, h): a row for each class, so C Wᵀ, C @ W.mT.", logits=lambda C, W: C @ W
)
steps.mistake(
    "You cut W anew, reshape or view, where it should be turned: C Wᵀ, C @ W.mT.",
    logits=lambda C, W: C @ W.reshape(W.shape[1], W.shape[0]),
)
steps.mistake(
    "Your logits are divided by √h. That belongs to attention's scores; here the products stay as they are.",
    logits=lambda C, W: C @ W.mT / W.shape[1] ** 0.5,
)
steps.mistake(
    "Your logits are cosines. The products stay as they are.",
    logits=lambda C, W: F.normalize(C, dim=-1) @ F.normalize(W, dim=-1).mT,
)
steps.mistake(
    "Your logits measure how far C is from each row of W. A class's logit is its *product* with the row.",
    logits=lambda C, W: -(C[:, None] - W).square().sum(-1),
)
steps.mistake("The sign of the logits is turned round.", logits=lambda C, W: -(C @ W.mT))
steps.mistake("A tanh on the logits: they stay as they are, however large.", logits=lambda C, W: (C @ W.mT).tanh())
steps.mistake(
    "Two softmaxes: your logits are probabilities already, and cross_entropy takes the softmax of them once more. Logits go in, and come back, as they are.",
    logits=lambda C, W: (C @ W.mT).softmax(-1),
)
steps.mistake(
    "Your loss is right, but probabilities come back in place of the logits. Logits are asked for, before the softmax.",
    shown=lambda logits: logits.softmax(-1),
)
steps.mistake(
    "Your loss is right, but log-probabilities come back in place of the logits. Logits are asked for, before any softmax.",
    shown=lambda logits: logits.log_softmax(-1),
)
steps.mistake(
    "The likeliest class comes back in place of the logits, a number for each class.",
    shown=lambda logits: logits.argmax(-1),
)
steps.mistake(
    "The logits are right, but the loss takes the softmax twice: cross_entropy does it itself.",
    each=lambda logits, labels: nll(logits.softmax(-1), labels),
)
steps.mistake("The logits are right; the loss is a sum. The mean over the texts is asked for.", mean=torch.sum)
steps.mistake("One loss for each text comes out. Their mean is asked for.", mean=lambda each: each)
steps.mistake("The loss has the wrong sign: it is −log p, never negative.", loss=lambda loss: -loss)
steps.mistake("The loss is in bits. Nats are asked for: the natural logarithm.", loss=lambda loss: loss / math.log(2))
steps.mistake("That is with log to the base 10. Nats: the natural logarithm.", loss=lambda loss: loss / math.log(10))
steps.mistake("That is the perplexity, exp of the loss. The loss itself is asked for.", loss=lambda loss: loss.exp())
steps.mistake(
    "Your loss takes the likeliest class, whichever it is. The label's counts.",
    each=lambda logits, labels: -logits.log_softmax(-1).amax(-1),
)
steps.mistake(
    "Your loss is a mean of −log p over *all* classes. Of each text only its label's counts.",
    each=lambda logits, labels: -logits.log_softmax(-1).mean(-1),
)
steps.mistake(
    "The loss is the probability with a minus: the logarithm is missing.",
    each=lambda logits, labels: -of_the_label(logits.softmax(-1), labels),
)
steps.mistake(
    "1 − p stands where −log p should.", each=lambda logits, labels: 1 - of_the_label(logits.softmax(-1), labels)
)
steps.mistake(
    "In the loss the softmax is missing: you take the label's logit for its log p.",
    each=lambda logits, labels: -of_the_label(logits, labels),
)
steps.mistake(
    "Your softmax runs over the texts of the batch. It belongs over the classes, dim=-1.",
    each=lambda logits, labels: -of_the_label(logits.log_softmax(0), labels),
)
steps.mistake(
    "[:, labels] takes of each text the labels of *all* texts. Each has its own: [torch.arange(len(labels)), labels], or gather.",
    each=lambda logits, labels: -logits.log_softmax(-1)[:, labels].mean(-1),
)
steps.mistake(
    "Your softmax runs over all numbers of the batch together. Each text has its own, over its classes: dim=-1.",
    each=lambda logits, labels: -of_the_label(logits.flatten().log_softmax(0).view_as(logits), labels),
)
steps.mistake(
    "The loss is −log(1 − p): that of *not* being the label. −log p is asked for.",
    each=lambda logits, labels: -(1 - of_the_label(logits.softmax(-1), labels)).log(),
)
steps.mistake(
    "In the loss each class is asked by itself, with a sigmoid. They exclude each other: one softmax over all.",
    each=lambda logits, labels: F.binary_cross_entropy_with_logits(
        logits, F.one_hot(labels, logits.shape[-1]).to(logits.dtype), reduction="none"
    ).mean(-1),
)
steps.mistake(
    "The loss is the square distance of the probabilities from 0 and 1. −log p of the label is asked for.",
    each=lambda logits, labels: (logits.softmax(-1) - F.one_hot(labels, logits.shape[-1])).square().sum(-1),
)
steps.mistake(
    "The loss compares logits with 0 and 1 by squares. −log softmax at the label is asked for.",
    each=lambda logits, labels: (logits - F.one_hot(labels, logits.shape[-1])).square().mean(-1),
)
steps.mistake(
    "The loss has label smoothing. −log p of the label alone is asked for.",
    each=lambda logits, labels: F.cross_entropy(logits, labels, reduction="none", label_smoothing=0.1),
)
steps.mistake("The loss is that of the first text alone. Does a return stand inside a loop?", mean=lambda each: each[0])
steps.mistake("The loss is that of the last text alone. Does = stand where += is meant?", mean=lambda each: each[-1])
steps.mistake("The worst text's loss comes out. The mean over the texts is asked for.", mean=torch.amax)
steps.mistake(
    "First the logarithm of each probability, then the mean: your loss is the logarithm of the mean.",
    mean=lambda each: -(-each).exp().mean().log(),
)
steps.mistake(
    "Your loss weighs the classes alike, a mean of each class's mean. All texts count alike.",
    mean=torch.mean,
    each=lambda logits, labels: torch.stack([nll(logits, labels)[labels == k].mean() for k in labels.unique()]),
)
steps.mistake(
    "Two steps are missing: the logits come back as probabilities, and the loss is the mean of the labels' p, without −log.",
    shown=lambda logits: logits.softmax(-1),
    each=lambda logits, labels: of_the_label(logits.softmax(-1), labels),
)
steps.mistake(
    "Your e^s overflows where logits are large, and inf / inf is nan. F.cross_entropy and log_softmax are safe.",
    each=lambda logits, labels: -of_the_label(logits.exp() / logits.exp().sum(-1, keepdim=True), labels).log(),
)
steps.mistake(
    "Where logits are large a probability becomes 0, and its logarithm −∞. F.cross_entropy and log_softmax are safe.",
    each=lambda logits, labels: -of_the_label(logits.softmax(-1), labels).log(),
)


@classify.mistake("That is the accuracy in place of the loss: how often the likeliest class is right.")
def accuracy(states, W, labels):
    logits = product(states[:, 0], W)
    return logits, (logits.argmax(-1) == labels).to(logits.dtype).mean()


@classify.mistake("The two results are in the wrong order: the logits first, then the loss.")
def loss_first(states, W, labels):
    return _classify(states, W, labels)[::-1]


@classify.mistake("Only the logits come back. The loss is asked for too: return logits, loss.")
def no_loss(states, W, labels):
    return _classify(states, W, labels)[0]


@classify.mistake("Only the loss comes back. The logits are asked for too: return logits, loss.")
def no_logits(states, W, labels):
    return _classify(states, W, labels)[1]


def small_number_added(eps):
    @classify.mistake(
        f"You add {eps:g} before the logarithm, so no loss gets above {-math.log(eps):.0f}. F.cross_entropy and log_softmax are exact."
    )
    def adds(states, W, labels):
        logits = product(states[:, 0], W)
        return logits, -(of_the_label(logits.softmax(-1), labels) + eps).log().mean()


for eps in (1e-12, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6):
    small_number_added(eps)


def another_total(sentence, total):
    """Each text's −log p is right, but they are put together in another way."""
    steps.mistake(sentence, mean=total)


another_total("The smallest of the texts' losses comes out. Their mean is asked for.", lambda each: each.amin())
another_total("That is the median of the texts' losses. Their mean is asked for.", lambda each: each.median())


@classify.symptom("")
def wrong_half(inputs, answer):
    """Where the logits are right, the loss is what is wrong, and the other way round."""
    labels = inputs[2]
    logits, loss = _classify(*inputs)
    own, number = answer
    if own.shape == logits.shape and torch.allclose(own, logits, atol=1e-4):
        by = float(len(labels) * loss / number)
        if abs(by - round(by)) < 1e-3 and 1 <= round(by) <= 4 * len(labels):
            return f"The texts' losses are right, but their sum is divided by {by:.0f}. There are {len(labels)} texts."
        return "Your logits are right; the loss isn't: the mean over the texts of −log softmax(logits)[label]."
    if torch.allclose(number, loss, atol=1e-4):
        shift = own - logits
        if torch.allclose(shift, shift[:, :1].expand_as(shift), atol=1e-4):
            return "From each text's logits a number is taken, or added: the loss doesn't see that, but the logits should come back as they are, C Wᵀ."
        return "Your loss is right; what comes back as logits isn't: C Wᵀ, (batch, K)."
    if own.shape == logits.shape and (read := _places_read(inputs, own)):
        return read
    if own.shape == logits.shape and torch.allclose(number, F.cross_entropy(own, labels), atol=1e-4):
        return "Your loss follows from your logits; these are wrong. C is states[:, 0], and the logits are C Wᵀ."
    return False


def _places_read(inputs, own):
    """Logits as a sum over places, each with a factor of its own: found by least squares."""
    states, W, _ = inputs
    of_places = (states @ W.mT).mT.flatten(0, 1).double()  # (batch · K, n)
    if len(of_places) <= of_places.shape[1]:
        return None
    wanted = own.flatten()[:, None].double()
    factors = torch.linalg.lstsq(of_places, wanted).solution
    if not torch.allclose(of_places @ factors, wanted, atol=1e-4):
        return None
    read = [(i, factor) for i, factor in enumerate(factors.flatten().tolist()) if abs(factor) > 1e-3]
    return f"Your logits read {' + '.join(f'{factor:.3g} × place {i}' for i, factor in read)}. They should read place 0 alone, [CLS]."
