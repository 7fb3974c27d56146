"""What GPT is fine-tuned with: the loss of the labels, and beside it that of the next words. L3 = L2 + λ L1."""

import math

import torch
import torch.nn.functional as F

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer, randn


def _l3_loss(states, ids, labels, W_e, W_y, pad_id, lam):
    last = (ids != pad_id).sum(1) - 1
    label_loss = F.cross_entropy(states[torch.arange(len(ids)), last] @ W_y, labels)
    logits, wanted = (states @ W_e.mT)[:, :-1], ids[:, 1:]
    kept = wanted != pad_id
    return label_loss + lam * F.cross_entropy(logits[kept], wanted[kept])


def _batch(g, lengths, classes=3, d=5, vocab=9, pad_id=0, lam=None, dtype=torch.float32):
    """Texts of so many tokens, none of them the padding's. λ is none of the numbers that somebody might write down."""
    n = max(lengths)
    words = torch.tensor([i for i in range(vocab) if i != pad_id])
    ids = words[torch.randint(len(words), (len(lengths), n), generator=g)]
    for row, length in enumerate(lengths):
        ids[row, length:] = pad_id
    lam = 0.2 + 0.2 * torch.rand((), generator=g).item() if lam is None else lam
    return (
        randn(g, len(lengths), n, d, dtype=dtype),
        ids,
        (torch.randperm(len(lengths), generator=g) + integer(g, 0, classes - 1)) % classes,  # several of them occur
        randn(g, vocab, d, dtype=dtype),
        randn(g, d, classes, dtype=dtype),
        pad_id,
        lam,
    )


l3_loss = Code(
    "14.l3_loss",
    title="Two losses at once",
    points=4,
    minutes=15,
    difficulty=2,
    reference=_l3_loss,
    axes=[""],
    differentiable=True,
    cases=[
        Case("four texts, padded", lambda g: _batch(g, [4, 7, 3, 5])),
        Case("no padding", lambda g: _batch(g, [6, 6, 6])),
        Case("a single text", lambda g: _batch(g, [5])),
        Case("padding has another number", lambda g: _batch(g, [4, 6, 3], pad_id=5)),
        Case("λ is 0", lambda g: _batch(g, [3, 6, 5], lam=0.0)),
        Case("λ is larger than 1", lambda g: _batch(g, [5, 3, 7], lam=1.7)),
        Case("two classes", lambda g: _batch(g, [6, 3, 8, 4], classes=2)),
        Case("any sizes", lambda g: _batch(g, [integer(g, 8, 10), integer(g, 2, 5), integer(g, 4, 7)], d=7, vocab=14)),
        Case("double precision", lambda g: _batch(g, [4, 6, 5], dtype=torch.float64)),
    ],
    hints=[
        "L₂ reads one place of each text: the last that isn't padding. How do you find its index from ids and pad_id?",
        "last = (ids != pad_id).sum(1) - 1, and states[torch.arange(len(ids)), last] is (batch, d). Times W_y it is (batch, K): F.cross_entropy with labels.",
        "L₁ is lesson 13's loss: logits = states @ W_e.mT, then logits[:, :-1] beside ids[:, 1:], without those that are pad_id. Return L₂ + lam * L₁.",
    ],
)


def last_real(states, ids, pad_id):
    return at(states, (ids != pad_id).sum(1) - 1)


def at(states, places):
    return states[torch.arange(len(states)), places]


def real(states, ids, pad_id):
    return (ids != pad_id)[..., None].to(states.dtype)


def label_loss(h, W_y, labels):
    return F.cross_entropy(h @ W_y, labels)


def over_the_text(losses, kept):
    return losses[kept].mean()


@l3_loss.variants
def steps(
    states,
    ids,
    labels,
    W_e,
    W_y,
    pad_id,
    lam,
    *,
    read=last_real,
    of_labels=label_loss,
    say=lambda states, W_e: (states @ W_e.mT).log_softmax(-1),
    pair=lambda log_p, ids: (log_p[:, :-1], ids[:, 1:]),
    kept=lambda wanted, ids, pad_id: wanted != pad_id,
    mean=over_the_text,
    total=lambda l2, l1, lam: l2 + lam * l1,
):
    l2 = of_labels(read(states, ids, pad_id), W_y, labels)
    log_p, wanted = pair(say(states, W_e), ids)
    losses = -log_p.gather(-1, wanted[..., None]).squeeze(-1)
    return total(l2, mean(losses, kept(wanted, ids, pad_id)), lam)


# --- where the labels are read ----------------------------------------------------------------------------------------

steps.mistake(
    "You read at the padding: states[:, -1] is the last place of the *tensor*. A shorter text ends before it: read at its last real token, (ids != pad_id).sum(1) - 1.",
    read=lambda states, ids, pad_id: states[:, -1],
)
steps.mistake(
    "You read at the first token. GPT looks back only: there it has seen nothing of the text yet. Read at the last real token.",
    read=lambda states, ids, pad_id: states[:, 0],
)
steps.mistake(
    "You read one place before the last. Counted from 0, the last real token stands at length − 1.",
    read=lambda states, ids, pad_id: at(states, (ids != pad_id).sum(1) - 2),
)
steps.mistake(
    "You read one place too far: counted from 0, the last real token stands at length − 1. At `length` there is padding, or the tensor is at its end.",
    read=lambda states, ids, pad_id: at(states, (ids != pad_id).sum(1)),
)
steps.mistake(
    "You read one place too far: counted from 0, the last real token stands at length − 1, not at length. At the end of the tensor you stop, so only the longest text is right.",
    read=lambda states, ids, pad_id: at(states, (ids != pad_id).sum(1).clamp(max=ids.shape[1] - 1)),
)
steps.mistake(
    "You average the states of all tokens. The paper reads one place, h_l^m: the last real token, the only one that has seen the whole text.",
    read=lambda states, ids, pad_id: (states * real(states, ids, pad_id)).sum(1) / real(states, ids, pad_id).sum(1),
)
steps.mistake(
    "You average the states of all places, padding as well. The paper reads one place, h_l^m: the last real token.",
    read=lambda states, ids, pad_id: states.mean(1),
)
steps.mistake(
    "You add up the states of all tokens. The paper reads one place, h_l^m: the last real token.",
    read=lambda states, ids, pad_id: (states * real(states, ids, pad_id)).sum(1),
)
steps.mistake(
    "You take the largest number of each of the d over all places. The paper reads one place, h_l^m: the last real token.",
    read=lambda states, ids, pad_id: states.amax(1),
)
steps.mistake(
    "All texts are read at the place where the shortest ends. Each has a last token of its own.",
    read=lambda states, ids, pad_id: states[:, (ids != pad_id).sum(1).min() - 1],
)
steps.mistake(
    "All texts are read at the place where the first text ends. Each has a last token of its own.",
    read=lambda states, ids, pad_id: states[:, (ids != pad_id).sum(1)[0] - 1],
)
steps.mistake(
    "You count the padding, not the text: its length is the number of ids that are *not* pad_id.",
    read=lambda states, ids, pad_id: at(states, (ids == pad_id).sum(1) - 1),
)
steps.mistake(
    "Padding isn't always number 0: count the ids that aren't pad_id.",
    read=lambda states, ids, pad_id: at(states, (ids != 0).sum(1) - 1),
    kept=lambda wanted, ids, pad_id: wanted != 0,
)
steps.mistake(
    "Where the text ends you compare with 0; padding isn't always number 0. Compare with pad_id.",
    read=lambda states, ids, pad_id: at(states, (ids != 0).sum(1) - 1),
)

# --- the labels' loss -------------------------------------------------------------------------------------------------

steps.mistake(
    "Two softmaxes in L₂: cross_entropy takes logits, h W_y, and does the softmax itself.",
    of_labels=lambda h, W_y, labels: F.cross_entropy((h @ W_y).softmax(-1), labels),
)
steps.mistake(
    "L₂ is the mean probability of the right label, not −log of it.",
    of_labels=lambda h, W_y, labels: (h @ W_y).softmax(-1).gather(1, labels[:, None]).mean(),
)
steps.mistake(
    "The sign of L₂: the loss is −log P, which is never negative.",
    of_labels=lambda h, W_y, labels: -label_loss(h, W_y, labels),
)
steps.mistake(
    "L₂ is a sum over the texts. Take the mean, as of L₁: else λ would weigh less the larger the batch.",
    of_labels=lambda h, W_y, labels: F.cross_entropy(h @ W_y, labels, reduction="sum"),
)
steps.mistake(
    "The softmax of L₂ runs over the texts of the batch. It belongs over the classes, dim=-1.",
    of_labels=lambda h, W_y, labels: -(h @ W_y).log_softmax(0).gather(1, labels[:, None]).mean(),
)
steps.mistake(
    "The softmax is missing in L₂: −log P of the right class is meant, and you take the negative logit.",
    of_labels=lambda h, W_y, labels: -(h @ W_y).gather(1, labels[:, None]).mean(),
)
steps.mistake(
    "L₂ asks each class for a yes or no by itself (binary cross-entropy). One of the classes is right: a softmax over them.",
    of_labels=lambda h, W_y, labels: F.binary_cross_entropy_with_logits(
        h @ W_y, F.one_hot(labels, W_y.shape[1]).to(h.dtype)
    ),
)
steps.mistake(
    "L₂ compares numbers: the squared distance of probabilities from 0 and 1. It is −log P of the right label.",
    of_labels=lambda h, W_y, labels: F.mse_loss((h @ W_y).softmax(-1), F.one_hot(labels, W_y.shape[1]).to(h.dtype)),
)
steps.mistake(
    "W_y is (d, K), as in the paper: h @ W_y. With F.linear(h, W_y) or W_y.mT the sizes don't meet.",
    of_labels=lambda h, W_y, labels: F.cross_entropy(h @ W_y.mT, labels),
)

# --- the language's loss ----------------------------------------------------------------------------------------------

COPY = "L₁ learns to copy: at each place you ask for the token that has just been read there. The next one is wanted: [:, :-1] of the logits goes with ids[:, 1:]."
steps.mistake(COPY, pair=lambda log_p, ids: (log_p, ids))
steps.mistake(
    "L₁ is shifted in the wrong direction: each place is asked for the token before. logits[:, :-1] go with ids[:, 1:].",
    pair=lambda log_p, ids: (log_p[:, 1:], ids[:, :-1]),
)
steps.mistake(
    "L₁ is shifted twice: each place is asked for the token after next. One step: logits[:, :-1] and ids[:, 1:].",
    pair=lambda log_p, ids: (log_p[:, :-2], ids[:, 2:]),
)
steps.mistake(
    "In L₁ you cut the first place off both, so they still lie side by side: it learns to copy. The logits lose their last place, the ids their first.",
    pair=lambda log_p, ids: (log_p[:, 1:], ids[:, 1:]),
)
steps.mistake(
    "Padding isn't text: L₁ counts the places where nothing comes next. Leave out those whose wanted id is pad_id.",
    mean=lambda losses, kept: losses.mean(),
)
steps.mistake(
    "In L₁ padding adds 0 to your sum, but the sum is divided by all places. Divide by the number of tokens that count.",
    mean=lambda losses, kept: (losses * kept).mean(),
)
steps.mistake("L₁ is a sum over the tokens. Their mean is asked for.", mean=lambda losses, kept: losses[kept].sum())
steps.mistake(
    "L₁ is divided by the number of texts. Divide by the number of tokens that count.",
    mean=lambda losses, kept: losses[kept].sum() / len(losses),
)
steps.mistake(
    "L₁ is a mean of the texts' means: a token of a short text weighs more. One mean over all tokens of the batch.",
    mean=lambda losses, kept: ((losses * kept).sum(1) / kept.sum(1)).mean(),
)
steps.mistake(
    "L₁ is asked at the last word of each text alone. Every token that has one before it counts.",
    mean=lambda losses, kept: at(losses, kept.sum(1) - 1).mean(),
)
steps.mistake(
    "L₁ looks for padding among the tokens that are *read*, so the first padding after a text still counts as wanted: look at ids[:, 1:].",
    kept=lambda wanted, ids, pad_id: ids[:, :-1] != pad_id,
)
steps.mistake(
    "L₁ keeps the padding and drops the words: wanted != pad_id.", kept=lambda wanted, ids, pad_id: wanted == pad_id
)
steps.mistake(
    "L₁ compares with 0, and padding isn't always number 0. Compare with pad_id.",
    kept=lambda wanted, ids, pad_id: wanted != 0,
)
steps.mistake(
    "Two softmaxes in L₁: cross_entropy takes logits, states @ W_e.mT, and does the softmax itself.",
    say=lambda states, W_e: (states @ W_e.mT).softmax(-1).log_softmax(-1),
)
steps.mistake(
    "The log is missing in L₁: you take the mean of probabilities.",
    say=lambda states, W_e: (states @ W_e.mT).softmax(-1),
)
steps.mistake(
    "The softmax of L₁ runs over the places of the text. It belongs over the vocabulary, dim=-1.",
    say=lambda states, W_e: (states @ W_e.mT).log_softmax(1),
)

# --- both together ----------------------------------------------------------------------------------------------------

steps.mistake(
    "λ weighs the *language* loss, and you put it on the labels': L₂ + λ L₁.", total=lambda l2, l1, lam: lam * l2 + l1
)
steps.mistake("Both are minimised, so both are added: L₂ + λ L₁, not minus.", total=lambda l2, l1, lam: l2 - lam * l1)
steps.mistake(
    "λ is missing: L₂ + λ L₁, so that λ = 0 leaves the labels' loss alone.", total=lambda l2, l1, lam: l2 + l1
)
steps.mistake("λ is written into the code: the paper's is 0.5. Take lam.", total=lambda l2, l1, lam: l2 + 0.5 * l1)
steps.mistake(
    "L₂ gets what λ leaves, 1 − λ. In the paper it counts whole: L₂ + λ L₁.",
    total=lambda l2, l1, lam: (1 - lam) * l2 + lam * l1,
)
steps.mistake(
    "L₁ gets what λ leaves, 1 − λ, and L₂ gets λ. In the paper L₂ counts whole: L₂ + λ L₁.",
    total=lambda l2, l1, lam: lam * l2 + (1 - lam) * l1,
)
steps.mistake("λ weighs both losses. Only L₁: L₂ + λ L₁.", total=lambda l2, l1, lam: lam * (l2 + l1))
steps.mistake(
    "You divide by 1 + λ. The paper's L₃ is a sum: L₂ + λ L₁.", total=lambda l2, l1, lam: (l2 + lam * l1) / (1 + lam)
)
steps.mistake(
    "You take the mean of the two. The paper's L₃ is their sum: L₂ + λ L₁.",
    total=lambda l2, l1, lam: (l2 + lam * l1) / 2,
)
steps.mistake("You multiply the two losses. L₃ is their sum: L₂ + λ L₁.", total=lambda l2, l1, lam: l2 * lam * l1)
steps.mistake("You divide L₁ by λ. Multiply: L₂ + λ L₁.", total=lambda l2, l1, lam: l2 + l1 / lam if lam else l2 + l1)
steps.mistake("λ is squared: L₂ + λ L₁.", total=lambda l2, l1, lam: l2 + lam**2 * l1)
steps.mistake("λ is added, not multiplied: L₂ + λ L₁.", total=lambda l2, l1, lam: l2 + lam + l1)
steps.mistake("That is L₂ alone. λ L₁ comes to it.", total=lambda l2, l1, lam: l2 + 0 * l1)
steps.mistake("That is λ L₁ alone. L₂ comes to it.", total=lambda l2, l1, lam: 0 * l2 + lam * l1)
steps.mistake("That is L₁ alone. Asked for is L₂ + λ L₁.", total=lambda l2, l1, lam: 0 * l2 + l1)
steps.mistake(
    "The sign: as a loss both are −log P. You have the paper's sum of log P, which is maximised.",
    total=lambda l2, l1, lam: -(l2 + lam * l1),
)
steps.mistake("Two losses come back. One number is asked for: L₂ + λ L₁.", total=lambda l2, l1, lam: (l2, l1))
steps.mistake(
    "Both losses come back beside their sum. One number is asked for: L₂ + λ L₁.",
    total=lambda l2, l1, lam: (l2 + lam * l1, l2, l1),
)
steps.mistake(
    "Two things: you read at the end of the tensor, where shorter texts have padding; and L₁ counts the padding, too.",
    read=lambda states, ids, pad_id: states[:, -1],
    mean=lambda losses, kept: losses.mean(),
)
steps.mistake(
    "Two things: λ weighs the labels' loss where it should weigh the language's; and L₁ counts the padding.",
    mean=lambda losses, kept: losses.mean(),
    total=lambda l2, l1, lam: lam * l2 + l1,
)


steps.mistake(
    "You read at the last place but one of the tensor, states[:, -2]. Each text has a last real token of its own: (ids != pad_id).sum(1) - 1.",
    read=lambda states, ids, pad_id: states[:, -2],
)
steps.mistake(
    "You add up the states of all places, padding as well. The paper reads one place, h_l^m: the last real token.",
    read=lambda states, ids, pad_id: states.sum(1),
)
steps.mistake(
    "A tanh before W_y is BERT's pooler. GPT's h goes to W_y as it is: softmax(h W_y).",
    of_labels=lambda h, W_y, labels: label_loss(h.tanh(), W_y, labels),
)
steps.mistake(
    "Label smoothing isn't asked for in L₂.",
    of_labels=lambda h, W_y, labels: F.cross_entropy(h @ W_y, labels, label_smoothing=0.1),
)
steps.mistake(
    "L₂ leaves out a label, as if it were padding: ignore_index is for L₁. Every text has a label, 0 is one of them.",
    of_labels=lambda h, W_y, labels: F.cross_entropy(h @ W_y, labels, ignore_index=0),
)
steps.mistake(
    "L₂ is a mean over the classes as well. Of each text only the right label's −log P counts.",
    of_labels=lambda h, W_y, labels: -(h @ W_y).log_softmax(-1).mean(),
)
steps.mistake(
    "L₂ is of the likeliest label. The right one's −log P counts.",
    of_labels=lambda h, W_y, labels: -(h @ W_y).log_softmax(-1).amax(-1).mean(),
)
steps.mistake(
    "The softmax is missing in L₁: −log P of the next token is meant, and you take the negative logit.",
    say=lambda states, W_e: states @ W_e.mT,
)
steps.mistake(
    "You use the texts in one row: in L₁ the end of each is asked for the beginning of the next. Shift first, [:, :-1] and [:, 1:].",
    pair=lambda log_p, ids: (log_p.flatten(0, 1)[:-1], ids.flatten()[1:]),
)
steps.mistake(
    "In L₁ the logits are cut anew, not turned: reshape keeps the numbers in their order. For (batch, vocab, n): .mT, or .transpose(1, 2).",
    pair=lambda log_p, ids: (log_p[:, :-1].reshape(len(ids), -1, ids.shape[1] - 1).log_softmax(1).mT, ids[:, 1:]),
    say=lambda states, W_e: states @ W_e.mT,
)
steps.mistake(
    "λ times the perplexity: you take exp of L₁. The loss itself is asked for.",
    total=lambda l2, l1, lam: l2 + lam * l1.exp(),
)
steps.mistake(
    "exp of both losses: P, not −log P. Asked for is L₂ + λ L₁.",
    total=lambda l2, l1, lam: (-l2).exp() + lam * (-l1).exp(),
)


steps.mistake(
    "You read at the first padding (and where there is none, at the first token). The last real token stands one before it.",
    read=lambda states, ids, pad_id: at(states, (ids == pad_id).int().argmax(1)),
)
steps.mistake(
    "You set the padding's states to 0 and then read states[:, -1], so of shorter texts you read zeros. Read each at its last real token: (ids != pad_id).sum(1) - 1.",
    read=lambda states, ids, pad_id: (states * real(states, ids, pad_id))[:, -1],
)
steps.mistake(
    "The last state of the tensor is cut off before you read, so the longest text is read one place too early. L₁ has nothing to say at the last place, but L₂ has: cut after reading.",
    read=lambda states, ids, pad_id: at(states, ((ids != pad_id).sum(1) - 1).clamp(max=ids.shape[1] - 2)),
)
steps.mistake(
    "In L₁ each text's last token isn't asked for. It has tokens before it: it counts.",
    kept=lambda wanted, ids, pad_id: F.pad(wanted[:, 1:], (0, 1), value=pad_id) != pad_id,
)
steps.mistake(
    "In L₁ the second token of each text isn't asked for. It has one before it: it counts.",
    pair=lambda log_p, ids: (log_p[:, 1:-1], ids[:, 2:]),
)
steps.mistake(
    "You divide the logits of L₁ by √d. No attention is computed here: states @ W_e.mT as it is.",
    say=lambda states, W_e: (states @ W_e.mT / states.shape[-1] ** 0.5).log_softmax(-1),
)


@l3_loss.mistake(
    "The label is taken for a word: L₂ uses W_e. In fine-tuning W_y stands in its place, one column for each class: h @ W_y."
)
def label_as_a_word(states, ids, labels, W_e, W_y, pad_id, lam):
    return steps(states, ids, labels, W_e, W_y, pad_id, lam, of_labels=lambda h, _, y: label_loss(h, W_e.mT, y))


@l3_loss.mistake("λ stands inside the softmax of L₁, at the logits. It weighs the loss: L₂ + λ L₁.")
def lam_at_the_logits(states, ids, labels, W_e, W_y, pad_id, lam):
    return steps(states, ids, labels, lam * W_e, W_y, pad_id, 1.0)


@l3_loss.mistake(
    "All texts and all tokens share one mean with you: both sums, divided by the number of all terms. L₂ is a mean over the texts, L₁ a mean over the tokens; then L₂ + λ L₁."
)
def one_mean_for_all(states, ids, labels, W_e, W_y, pad_id, lam):
    count = int((ids[:, 1:] != pad_id).sum())
    l2 = _l3_loss(states, ids, labels, W_e, W_y, pad_id, 0.0)
    l1 = _l3_loss(states, ids, labels, W_e, W_y, pad_id, 1.0) - l2
    return (len(ids) * l2 + lam * count * l1) / (len(ids) + count)


@l3_loss.mistake(
    "You change the word table for W_y in both losses: L₁ says words, with W_e. W_y is for the labels alone."
)
def labels_of_every_word(states, ids, labels, W_e, W_y, pad_id, lam):
    l2 = label_loss(last_real(states, ids, pad_id), W_y, labels)
    each = F.cross_entropy((states @ W_y).mT, labels[:, None].expand_as(ids), reduction="none")
    return l2 + lam * each[ids != pad_id].mean()


@l3_loss.mistake("L₂ asks every token for its text's label. One place is read, the last real token: h_l^m.")
def labels_everywhere(states, ids, labels, W_e, W_y, pad_id, lam):
    each = F.cross_entropy((states @ W_y).mT, labels[:, None].expand_as(ids), reduction="none")
    l1 = _l3_loss(states, ids, labels, W_e, W_y, pad_id, 1.0) - _l3_loss(states, ids, labels, W_e, W_y, pad_id, 0.0)
    return each[ids != pad_id].mean() + lam * l1


@l3_loss.mistake(
    "states[:, last] takes these places of *every* text: (batch, batch, d). With states[torch.arange(len(ids)), last] each text gets its own."
)
def all_places_of_all(states, ids, labels, W_e, W_y, pad_id, lam):
    last = (ids != pad_id).sum(1) - 1
    return F.cross_entropy(states[:, last] @ W_y, labels)


def other_reads(states, last):
    """What else of the states L₂ may have read, `last` being each text's last real place."""
    rows, n = torch.arange(len(states)), states.shape[1]
    return {
        "the places of *all* texts' last tokens in each text (states[:, last]), and takes their mean": states[
            :, last
        ].mean(1),
        "the places of *all* texts' last tokens in each text (states[:, last]), and adds them up": states[:, last].sum(
            1
        ),
        "two places before the last token": states[rows, (last - 2) % n],
        "the second token": states[:, 1 % n],
        "the place where the longest text ends": states[:, last.max()],
        "the place where the next text of the batch ends": states[rows, last.roll(-1)],
        "the place where the text before it in the batch ends": states[rows, last.roll(1)],
        "counted from the end of the tensor, where the padding is (-length)": states[rows, -last - 1],
        "the first and the last token, added up": states[:, 0] + states[rows, last],
        "the mean over all places, padding too": states.mean(1),
    }


@l3_loss.symptom("")
def one_of_the_two(inputs, answer):
    """What each of the two would be, if the other were right."""
    lam, own = inputs[-1], float(answer)
    l2 = float(_l3_loss(*inputs[:-1], 0.0))
    l1 = float(_l3_loss(*inputs[:-1], 1.0)) - l2
    for base, name in ((2, "in bits"), (10, "with the decimal logarithm")):
        if math.isclose(own * math.log(base), l2 + lam * l1, rel_tol=1e-4):
            return f"That is {name}. Nats are asked for: the natural log."
    if not lam:
        return f"With λ = 0 only L₂ counts, {l2:.4g}, and yours is {own:.4g}. Which place is read, and what is done with h W_y?"
    for name, part, rest in (("L₁", l1, (own - l2) / lam), ("L₂", l2, own - lam * l1)):
        for says, value in {
            "is in bits. Nats are asked for: the natural log": part / math.log(2),
            "has the decimal logarithm. Nats are asked for: the natural log": part / math.log(10),
            "is e to the power of it, the perplexity": math.exp(part),
            "is counted twice": 2 * part,
            "is halved": part / 2,
            "has the wrong sign: −log P is never negative": -part,
            "is squared": part**2,
        }.items():
            if math.isclose(rest, value, rel_tol=1e-4):
                return f"Your {name} {says}. The rest is right."
    states, ids, labels, _, W_y, pad_id, _ = inputs
    for says, h in other_reads(states, (ids != pad_id).sum(1) - 1).items():
        if math.isclose(own - lam * l1, float(label_loss(h, W_y, labels)), rel_tol=1e-4):
            return f"Your L₁ is right. L₂ reads {says}. Each text has its own last real token: states[torch.arange(len(ids)), last]."
    return (
        f"Here L₂ is {l2:.4g}, L₁ is {l1:.4g} and λ is {lam:.4g}. Is your case “λ is 0” right? Then the mistake is in L₁, "
        f"and yours would be {(own - l2) / lam:.4g}. If not, it is in L₂: yours would be {own - lam * l1:.4g}."
    )
