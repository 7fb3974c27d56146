"""The loss of a language model: at each place the next token, and nothing at padding."""

import math

import torch
import torch.nn.functional as F

from course_lib import training
from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer, randn


def _lm_loss(logits, ids, pad_id):
    return training.cross_entropy(logits[:, :-1], ids[:, 1:], ignore_index=pad_id)


def _batch(g, lengths, vocab=9, pad_id=0, dtype=torch.float32):
    """Texts of so many tokens, none of them the padding's."""
    n = max(lengths)
    words = torch.tensor([i for i in range(vocab) if i != pad_id])
    ids = words[torch.randint(len(words), (len(lengths), n), generator=g)]
    for row, length in enumerate(lengths):
        ids[row, length:] = pad_id
    return randn(g, len(lengths), n, vocab, size=2.0, dtype=dtype), ids, pad_id


lm_loss = Code(
    "13.lm_loss",
    title="The next word, everywhere",
    points=3,
    minutes=10,
    difficulty=2,
    reference=_lm_loss,
    axes=[""],
    differentiable=True,
    cases=[
        Case("three texts, padded", lambda g: _batch(g, [4, 7, 3])),
        Case("one text, no padding", lambda g: _batch(g, [6])),
        Case("much padding", lambda g: _batch(g, [3, 9, 4, 3])),
        Case("padding has another number", lambda g: _batch(g, [4, 6, 5], pad_id=5)),
        Case("any sizes", lambda g: _batch(g, [integer(g, 9, 12), integer(g, 4, 8), integer(g, 3, 6)], vocab=14)),
        Case("double precision", lambda g: _batch(g, [6, 4], dtype=torch.float64)),
    ],
    hints=[
        "Write the ids in a row, and below each what the model should say after it. Which place has nothing to say?",
        "Logits and wanted ids must lie side by side: logits[:, :-1] and ids[:, 1:].",
        "Where the wanted id is pad_id, the place doesn't count. F.cross_entropy has an argument for it, ignore_index; it wants the vocabulary on axis 1, or everything flattened.",
    ],
)


@lm_loss.variants
def steps(
    logits,
    ids,
    pad_id,
    *,
    pair=lambda logits, ids: (logits[:, :-1], ids[:, 1:]),
    log_p=lambda logits: logits.log_softmax(-1),
    pick=lambda log_p, wanted: log_p.gather(-1, wanted[..., None]).squeeze(-1),
    kept=lambda wanted, ids, pad_id: wanted != pad_id,
    mean=lambda loss, kept: loss[kept].mean(),
    given=lambda loss: -loss,
):
    said, wanted = pair(logits, ids)
    return given(mean(pick(log_p(said), wanted), kept(wanted, ids, pad_id)))


COPY = "It learned to copy: at each place you ask for the token that has just been read there. The next one is wanted: logits[:, :-1] go with ids[:, 1:]."
steps.mistake(COPY, pair=lambda logits, ids: (logits, ids))
steps.mistake(
    "You cut off the first place of both, so they still lie side by side as before: it learned to copy. The logits lose their last place, the ids their first.",
    pair=lambda logits, ids: (logits[:, 1:], ids[:, 1:]),
)
steps.mistake(
    "You cut off the last place of both, so they still lie side by side as before: it learned to copy. The logits lose their last place, the ids their first.",
    pair=lambda logits, ids: (logits[:, :-1], ids[:, :-1]),
)
steps.mistake(
    "It guesses the word after next: you have shifted twice. One step: logits[:, :-1] and ids[:, 1:].",
    pair=lambda logits, ids: (logits[:, :-2], ids[:, 2:]),
)
steps.mistake(
    "You have shifted in the wrong direction: each place is asked for the token *before* the one it read. logits[:, :-1] go with ids[:, 1:].",
    pair=lambda logits, ids: (logits[:, 1:], ids[:, :-1]),
)
steps.mistake(
    "`roll` brings the first token round to the end: the last place has no next token, so it should be cut off.",
    pair=lambda logits, ids: (logits, ids.roll(-1, dims=1)),
)
steps.mistake(
    "Padding isn't text: you count the places where nothing comes next. Leave out those whose wanted id is pad_id.",
    mean=lambda loss, kept: loss.mean(),
)
steps.mistake(
    "Two things: it learned to copy, since each place is asked for the token that it has just read; and padding is counted.",
    pair=lambda logits, ids: (logits, ids),
    mean=lambda loss, kept: loss.mean(),
)
steps.mistake(
    "Padding adds 0 to your sum, but the sum is divided by all places. Divide by the number of tokens that count.",
    mean=lambda loss, kept: (loss * kept).mean(),
)
steps.mistake(
    "That is a mean of the texts' means: a token of a short text weighs more. One mean over all tokens of the batch.",
    mean=lambda loss, kept: ((loss * kept).sum(1) / kept.sum(1)).mean(),
)
steps.mistake(
    "That is a mean over the places of their means over the texts: a token at a place that few texts reach weighs more. One mean over all tokens of the batch.",
    mean=lambda loss, kept: ((loss * kept).sum(0) / kept.sum(0).clamp(min=1)).mean(),
)
steps.mistake(
    "You cut all texts to the shortest one. Each is asked to its own end; only padding is left out.",
    kept=lambda wanted, ids, pad_id: torch.ones_like(wanted).cumsum(1) < (ids != pad_id).sum(1).min(),
)
steps.mistake("That is the sum. The mean over the tokens is asked for.", mean=lambda loss, kept: loss[kept].sum())
steps.mistake(
    "You divide by the number of texts. Divide by the number of tokens that count.",
    mean=lambda loss, kept: (loss * kept).sum() / len(loss),
)
steps.mistake(
    "You look for padding among the tokens that are *read*. The first padding after a text still counts as wanted: look at ids[:, 1:].",
    kept=lambda wanted, ids, pad_id: ids[:, :-1] != pad_id,
)
steps.mistake(
    "You keep the padding and drop the words: wanted != pad_id.", kept=lambda wanted, ids, pad_id: wanted == pad_id
)
steps.mistake("Padding isn't always number 0: compare with pad_id.", kept=lambda wanted, ids, pad_id: wanted != 0)
steps.mistake("The sign: the loss is −log p, which is never negative.", given=lambda loss: loss)
steps.mistake(
    "That is the perplexity, exp of the loss. The loss itself is asked for.", given=lambda loss: (-loss).exp()
)
steps.mistake("That is the loss in bits. Nats are asked for: the natural log.", given=lambda loss: -loss / math.log(2))
steps.mistake(
    "The log is missing: you take the mean of probabilities. The loss is −log p.",
    log_p=lambda logits: logits.softmax(-1),
)
steps.mistake(
    "The softmax is missing: a logit alone says nothing about how probable a token is. log_softmax over the vocabulary.",
    log_p=lambda logits: logits,
)
steps.mistake(
    "Your softmax runs over the places of the text. Each place has its own distribution over the vocabulary, dim=-1.",
    log_p=lambda logits: logits.log_softmax(1),
)
steps.mistake(
    "Your softmax runs over the places of the text, the last one too. Each place has its own distribution over the vocabulary, dim=-1.",
    pair=lambda logits, ids: (logits.log_softmax(1)[:, :-1], ids[:, 1:]),
    log_p=lambda log_p: log_p,
)
steps.mistake(
    "Your softmax runs over the texts of the batch. It belongs over the vocabulary, dim=-1.",
    log_p=lambda logits: logits.log_softmax(0),
)
steps.mistake(
    "Two softmaxes: cross_entropy and log_softmax take logits, not probabilities. One is enough.",
    log_p=lambda logits: logits.softmax(-1).log_softmax(-1),
)
steps.mistake(
    "You take the likeliest token's log p. The right one's counts, whether the model likes it or not.",
    pick=lambda log_p, wanted: log_p.amax(-1),
)
steps.mistake(
    "You take the mean over the vocabulary. Of each place only the right token's log p counts: gather picks it.",
    pick=lambda log_p, wanted: log_p.mean(-1),
)
steps.mistake(
    "That is the log of the mean probability. First the log of each, then the mean.",
    mean=lambda loss, kept: loss[kept].exp().mean().log(),
)


steps.mistake(
    "One place too few: the second token of each text, the first that has one before it, isn't asked for. logits[:, :-1] go with ids[:, 1:].",
    pair=lambda logits, ids: (logits[:, 1:-1], ids[:, 2:]),
)
steps.mistake(
    "Each text's last token isn't asked for: you look for padding one place too far on. Only places whose *own* wanted id is pad_id are left out.",
    kept=lambda wanted, ids, pad_id: F.pad(wanted[:, 1:], (0, 1), value=pad_id) != pad_id,
)
steps.mistake(
    "The softmax's lower line is missing: log p is the logit less the log of the *sum* of all exponentials, not less the largest logit. log_softmax does it.",
    log_p=lambda logits: logits - logits.amax(-1, keepdim=True),
)
steps.mistake(
    "That is binary cross-entropy: a yes or no for each word of the vocabulary by itself. One word comes next: a softmax over the vocabulary, F.cross_entropy.",
    log_p=lambda logits: F.logsigmoid(logits) + F.logsigmoid(-logits).sum(-1, keepdim=True) - F.logsigmoid(-logits),
)
steps.mistake(
    "gather gives (batch, n − 1, 1), and the mask is (batch, n − 1): number doesn't meet its own number. Take the last axis off first: .squeeze(-1).",
    pick=lambda log_p, wanted: log_p.gather(-1, wanted[..., None]),
    mean=lambda loss, kept: (loss * kept).sum() / kept.sum(),
)
steps.mistake(
    "To index so, log_p[:, :, wanted], asks every place for every wanted token of the batch. Each place has one of its own: gather(-1, wanted[..., None]).",
    pick=lambda log_p, wanted: log_p[:, :, wanted],
    mean=lambda loss, kept: loss.mean(),
)


@lm_loss.mistake("Only the last token of each row is asked for. A language model is asked at every place at once.")
def last_place_only(logits, ids, pad_id):
    return training.cross_entropy(logits[:, -2:-1], ids[:, -1:], ignore_index=-100)


@lm_loss.mistake("Only each text's last token is asked for. A language model is asked at every place at once.")
def last_word_only(logits, ids, pad_id):
    rows, last = torch.arange(len(ids)), (ids != pad_id).sum(1) - 1
    return F.cross_entropy(logits[rows, last - 1], ids[rows, last])


@lm_loss.mistake("Each text's loss comes out by itself. One mean over all tokens of the batch is asked for.")
def a_loss_for_each_text(logits, ids, pad_id):
    return torch.stack([_lm_loss(*each, pad_id) for each in zip(logits[:, None], ids[:, None])])


steps.mistake(
    "Each place's loss comes out by itself, the padding's too. One mean over all tokens that count is asked for.",
    mean=lambda loss, kept: loss,
)
steps.mistake(
    "Each place's loss comes out by itself, with 0 at padding. One mean over all tokens that count is asked for.",
    mean=lambda loss, kept: loss * kept,
)
steps.mistake(
    "The tokens' losses come out one by one, in a row. One mean of them is asked for.",
    mean=lambda loss, kept: loss[kept],
)
ONE_ROW = "the end of each text is asked for the beginning of the next. Shift first: logits[:, :-1] and ids[:, 1:]."


steps.mistake(
    "You lay all texts in one row before you shift, so " + ONE_ROW,
    pair=lambda logits, ids: (logits.flatten(0, 1)[:-1], ids.flatten()[1:]),
)


@lm_loss.mistake("You take the padding out before you shift, so " + ONE_ROW)
def in_one_row_without_padding(logits, ids, pad_id):
    return F.cross_entropy(logits[ids != pad_id][:-1], ids[ids != pad_id][1:])


@lm_loss.mistake(
    "reshape doesn't turn: it cuts the same row of numbers elsewhere, so the logits of different places are mixed. For (batch, vocab, n): logits.transpose(1, 2)."
)
def reshaped(logits, ids, pad_id):
    said, wanted = logits[:, :-1], ids[:, 1:]
    return F.cross_entropy(said.reshape(len(ids), -1, wanted.shape[1]), wanted, ignore_index=pad_id)


@lm_loss.mistake(
    "You hide the padding in the logits, so the softmax shares its probability out among the others. The logits stay as they are; only places where pad_id is wanted don't count."
)
def padding_never_said(logits, ids, pad_id):
    never = F.one_hot(torch.tensor(pad_id), logits.shape[-1]).bool()
    return _lm_loss(logits.masked_fill(never, float("-inf")), ids, pad_id)


def one_is_not_cut(pair, beside):
    def answer(logits, ids, pad_id):
        logits, ids = pair(logits, ids)
        if beside:
            return F.cross_entropy(logits.mT, ids, ignore_index=pad_id)
        return F.cross_entropy(logits.flatten(0, 1), ids.flatten(), ignore_index=pad_id)

    return answer


for beside, how in ((True, "side by side"), (False, "in one row each")):
    lm_loss.mistake(
        f"You cut the logits' last place, but the ids are as long as before, so {how} they don't fit. The ids lose their first: ids[:, 1:]."
    )(one_is_not_cut(lambda logits, ids: (logits[:, :-1], ids), beside))
    lm_loss.mistake(
        f"You cut the first id, but the logits are as long as before, so {how} they don't fit. They lose their last place, which has nothing to foretell: logits[:, :-1]."
    )(one_is_not_cut(lambda logits, ids: (logits, ids[:, 1:]), beside))


@lm_loss.symptom("That is the loss with the decimal logarithm. Nats are asked for: the natural log.")
def in_digits(inputs, answer):
    return math.isclose(float(answer) * math.log(10), _lm_loss(*inputs), rel_tol=1e-4)


@lm_loss.symptom("That is the loss in bits, but for rounding. Nats are asked for: the natural log.")
def in_bits(inputs, answer):
    return math.isclose(float(answer) * math.log(2), _lm_loss(*inputs), rel_tol=1e-4)


@lm_loss.symptom("")
def divided_by_another_number(inputs, answer):
    """The sum is right, and the number that it is divided by is a whole one."""
    _, ids, pad_id = inputs
    count = int((ids[:, 1:] != pad_id).sum())
    if not isinstance(answer, torch.Tensor) or answer.numel() != 1 or not float(answer):
        return False
    by = float(count * _lm_loss(*inputs) / answer)
    if abs(by - round(by)) > 1e-3 or not 1 <= round(by) <= 2 * ids.numel():
        return False
    what = {int((ids != pad_id).sum()): ", as many as there are tokens, the first of each text among them"}
    return (
        f"Your sum is right, but you divide it by {by:.0f}{what.get(round(by), '')}. {count} tokens are asked for here."
    )
