"""A loss that looks good: it asks for the word that the decoder has just read, and for padding."""

import torch

from course_lib import training
from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer, randn
from course_lib.exercises.lesson_09 import buggy


def _translation_loss(logits, target, pad_id):
    return training.cross_entropy(logits, target[:, 1:], ignore_index=pad_id)


def _batch(g, lengths, vocab=9, pad_id=0, dtype=torch.float32):
    """Texts with so many tokens, START and END among them. No token is the padding's but padding."""
    m = max(lengths)
    ids = torch.randint(1, vocab, (len(lengths), m), generator=g)
    ids = (ids + pad_id) % vocab  # all but pad_id
    for row, length in enumerate(lengths):
        ids[row, length:] = pad_id
    return randn(g, len(lengths), m - 1, vocab, size=2.0, dtype=dtype), ids, pad_id


translation_loss = Code(
    "09.translation_loss",
    title="A loss that looks good",
    points=3,
    minutes=10,
    difficulty=2,
    reference=_translation_loss,
    buggy=buggy.translation_loss,
    unchanged="Nothing has changed yet. Which token should the decoder guess after START? And what is asked of it at padding?",
    axes=[""],
    differentiable=True,
    cases=[
        Case("three texts, padded", lambda g: _batch(g, [7, 4, 3])),
        Case("one text, no padding", lambda g: _batch(g, [6])),
        Case("much padding", lambda g: _batch(g, [9, 3, 3, 3])),
        Case("padding has another number", lambda g: _batch(g, [6, 4, 5], pad_id=5)),
        Case("an empty text: START and END alone", lambda g: _batch(g, [5, 2])),
        Case("any sizes", lambda g: _batch(g, [integer(g, 9, 12), integer(g, 4, 8), integer(g, 3, 6)], vocab=14)),
        Case("double precision", lambda g: _batch(g, [6, 4], dtype=torch.float64)),
    ],
    hints=[
        "Write down what the decoder reads, target[:, :-1], and below it what it should say at each place. There are two bugs.",
        "After START it should say the first token: the wanted ids are target[:, 1:].",
        "Then drop the places where the wanted id is pad_id, before the mean: right[wanted != pad_id].mean().",
    ],
)


@translation_loss.variants
def steps(
    logits,
    target,
    pad_id,
    *,
    wanted=lambda target: target[:, 1:],
    log_p=lambda logits: logits.log_softmax(-1),
    kept=lambda wanted, target, pad_id: wanted != pad_id,
    mean=lambda loss, kept: loss[kept].mean(),
    sign=lambda loss: -loss,
):
    ids = wanted(target)
    right = log_p(logits).gather(-1, ids[..., None]).squeeze(-1)
    return mean(sign(right), kept(ids, target, pad_id))


SAME_WORD = "One of the two bugs is left: at each place you ask for the token that the decoder has just read there. Such a loss goes to 0, and nothing is learned. Ask for the next one, target[:, 1:]."
PADDING = "One of the two bugs is left: padding is counted. There is no right token there, and in a batch of short texts it is half of your mean."

steps.mistake(SAME_WORD, wanted=lambda target: target[:, :-1])
steps.mistake(PADDING, mean=lambda loss, kept: loss.mean())
steps.mistake(
    "Padding adds 0 to the sum now, but the sum is still divided by all places. Divide by the number of tokens that count.",
    mean=lambda loss, kept: (loss * kept).mean(),
)
steps.mistake(
    "That is a mean of the texts' means: a token of a short text weighs more than one of a long text. Take one mean over all tokens of the batch.",
    mean=lambda loss, kept: ((loss * kept).sum(1) / kept.sum(1)).mean(),
)
steps.mistake(
    "That is a mean of the places' means: take one mean over all tokens of the batch.",
    mean=lambda loss, kept: ((loss * kept).sum(0) / kept.sum(0).clamp(min=1)).mean(),
)
steps.mistake(
    "You divide by the number of texts. Divide by the number of tokens that count.",
    mean=lambda loss, kept: (loss * kept).sum() / len(loss),
)
steps.mistake("That is the sum. The mean over the tokens is asked for.", mean=lambda loss, kept: loss[kept].sum())
steps.mistake(
    "The padding's places are taken from the tokens that are read, target[:, :-1]: END is lost in some texts, and one place of padding counts. Look at the wanted ones.",
    kept=lambda wanted, target, pad_id: target[:, :-1] != pad_id,
)
steps.mistake(
    "You keep the padding and drop the words: wanted != pad_id.", kept=lambda wanted, target, pad_id: wanted == pad_id
)
steps.mistake("Padding isn't always number 0: compare with pad_id.", kept=lambda wanted, target, pad_id: wanted != 0)
steps.mistake("The sign is turned round: the loss is −log p, so it is never negative.", sign=lambda loss: loss)
steps.mistake(
    "Probabilities stand where their logarithms should: log_softmax was right.", log_p=lambda logits: logits.softmax(-1)
)
steps.mistake(
    "The softmax has gone: the logits alone say nothing about how probable a token is.", log_p=lambda logits: logits
)
steps.mistake(
    "Your softmax runs over the places of the text. It was right over the vocabulary, dim=-1.",
    log_p=lambda logits: logits.log_softmax(1),
)
steps.mistake(
    "Your softmax runs over the texts of the batch. It was right over the vocabulary, dim=-1.",
    log_p=lambda logits: logits.log_softmax(0),
)
steps.mistake("You divide by log 2: bits. Nats are asked for.", sign=lambda loss: -loss / torch.tensor(2.0).log())
steps.mistake(
    "That is the perplexity, exp of the loss. The loss itself is asked for.",
    mean=lambda loss, kept: loss[kept].mean().exp(),
)
steps.mistake(
    "The END of each text isn't asked for. It is a token like the others: a model that never learned it never stops.",
    kept=lambda wanted, target, pad_id: (
        (wanted != pad_id) & (torch.cat([wanted[:, 1:], torch.full_like(wanted[:, :1], pad_id)], 1) != pad_id)
    ),
)
steps.mistake(
    "The first token after START isn't asked for. The logits at place 0 were said after START and answer for target[:, 1]: keep all of both.",
    kept=lambda wanted, target, pad_id: (wanted != pad_id) & (torch.arange(wanted.shape[1]) > 0),
)
steps.mistake(
    "You roll the target round, so that START is asked for at the end. Cut it off: target[:, 1:].",
    wanted=lambda target: target.roll(-2, 1)[:, :-1],
)
steps.mistake("Each token comes out by itself. One number is asked for, the mean.", mean=lambda loss, kept: loss[kept])
steps.mistake("You take the median. The mean is asked for.", mean=lambda loss, kept: loss[kept].median())


@translation_loss.mistake(
    "You ask for the token after the next one. The decoder has read target[:, :-1], so place 0 answers for target[:, 1]."
)
def two_ahead(logits, target, pad_id):
    return _translation_loss(logits[:, :-1], target[:, 1:], pad_id)
