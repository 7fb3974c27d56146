"""A loss that looks good: it asks for the word that the decoder has just read, and for padding."""

import math

import torch
import torch.nn.functional as F

from course_lib import training
from course_lib.checking.kinds import Case, Code
from course_lib.corpora.vocabulary import END_ID, START_ID
from course_lib.exercises.inputs import integer, randn
from course_lib.exercises.lesson_09 import buggy


def _translation_loss(logits, target, pad_id):
    return training.cross_entropy(logits, target[:, 1:], ignore_index=pad_id)


def _batch(g, lengths, vocab=9, pad_id=0, dtype=torch.float32):
    """Texts with so many tokens, START and END among them. No token is the padding's but padding."""
    m = max(lengths)
    words = torch.tensor([i for i in range(vocab) if i not in (START_ID, END_ID, pad_id)])
    ids = words[torch.randint(len(words), (len(lengths), m), generator=g)]
    ids[:, 0] = START_ID
    for row, length in enumerate(lengths):
        ids[row, length - 1] = END_ID
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
        # so few places that which of them were counted can be told from the mean (a_selection, below)
        Case("three texts, padded", lambda g: _batch(g, [3, 5, 2], vocab=11)),
        Case("one text, no padding", lambda g: _batch(g, [6])),
        Case("much padding", lambda g: _batch(g, [3, 9, 3, 3])),
        Case("padding has another number", lambda g: _batch(g, [4, 6, 5], pad_id=5)),
        Case("an empty text: START and END alone", lambda g: _batch(g, [2, 5])),
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
    places=lambda log_p, ids: log_p[:, : ids.shape[1]],
    pick=lambda log_p, ids: log_p.gather(-1, ids[..., None]).squeeze(-1),
    kept=lambda wanted, target, pad_id: wanted != pad_id,
    mean=lambda loss, kept: loss[kept].mean(),
    sign=lambda loss: -loss,
    last=lambda loss: loss,
):
    ids = wanted(target)
    right = pick(places(log_p(logits), ids), ids)
    return last(mean(sign(right), kept(ids, target, pad_id)))


def everywhere(wanted, *_):
    return torch.ones_like(wanted, dtype=torch.bool)


def of_the_right(log_p, ids):
    return log_p.gather(-1, ids[..., None]).squeeze(-1)


def only_text(i):
    return lambda wanted, target, pad_id: (wanted != pad_id) & (torch.arange(len(wanted)) == i % len(wanted))[:, None]


SAME_WORD = "One of the two bugs is left: at each place you ask for the token that the decoder has just read there. Such a loss goes to 0, and nothing is learned. Ask for the next one, target[:, 1:]."
PADDING = "One of the two bugs is left: padding is counted. There is no right token there, and in a batch of short texts it is half of your mean."

steps.mistake(SAME_WORD, wanted=lambda target: target[:, :-1])
steps.mistake(PADDING, kept=everywhere)
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
steps.mistake(
    "That is the loss in bits, log2. Nats are asked for: the natural log.", sign=lambda loss: -loss / math.log(2)
)
steps.mistake(
    "You take the mean over the whole vocabulary. Of each place only the right token's log p counts: gather picks it.",
    pick=lambda log_p, ids: log_p.mean(-1),
)
steps.mistake(
    "You take the likeliest token's log p. The right token's counts, whether the model likes it or not.",
    pick=lambda log_p, ids: log_p.amax(-1),
)
steps.mistake(
    "Two softmaxes: cross_entropy and log_softmax take logits, not probabilities. One is enough.",
    log_p=lambda logits: logits.softmax(-1).log_softmax(-1),
)
steps.mistake(
    "That is the log of the mean probability. First the log of each, then the mean.",
    mean=lambda loss, kept: -(-loss[kept]).exp().mean().log(),
)
steps.mistake("1 − p stands where −log p should.", mean=lambda loss, kept: (1 - (-loss[kept]).exp()).mean())
steps.mistake(
    "A text with padding is left out whole. Only its padding is to be left out: wanted != pad_id, place by place.",
    kept=lambda wanted, target, pad_id: (wanted != pad_id).all(1, keepdim=True).expand_as(wanted),
)
steps.mistake(
    "Only the END of each text is counted. All its tokens are asked for.",
    kept=lambda wanted, target, pad_id: wanted == END_ID,
)
steps.mistake("That is log10. Nats are asked for: the natural log.", sign=lambda loss: -loss / math.log(10))
steps.mistake(
    "START is counted in the number that you divide by. It is read, never asked for: divide by (wanted != pad_id).sum().",
    mean=lambda loss, kept: (loss * kept).sum() / (kept.sum() + len(loss)),
)
steps.mistake(
    "wanted > pad_id drops every id below pad_id, too. Padding is one id, not always the smallest: wanted != pad_id.",
    kept=lambda wanted, target, pad_id: wanted > pad_id,
)
steps.mistake(
    "The last place is cut off, and with it the END of the longest text. The logits have m − 1 places, and target[:, 1:] has as many: keep all.",
    kept=lambda wanted, target, pad_id: (wanted != pad_id) & (torch.arange(wanted.shape[1]) < wanted.shape[1] - 1),
)
steps.mistake(
    "Where padding is wanted, you fill in −∞, and one −∞ makes the whole mean infinite. Filling is for a softmax; here leave the places out: right[wanted != pad_id].mean().",
    mean=lambda loss, kept: loss.masked_fill(~kept, float("inf")).mean(),
)
steps.mistake(
    "A plain number comes back: .item() or float() cuts the loss off from the model, and no gradient could flow. Let it stay a tensor.",
    mean=lambda loss, kept: loss[kept].mean().item(),
)
steps.mistake("That is the perplexity, exp of the loss. The loss itself is asked for.", last=lambda loss: loss.exp())
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
steps.mistake(
    "The first text's padding is left out in all texts. Each has its own: right[wanted != pad_id].",
    kept=lambda wanted, target, pad_id: (wanted[:1] != pad_id).expand_as(wanted),
)
steps.mistake(
    "The last place of all is cut off in place of the padding. Texts differ in length: right[wanted != pad_id].",
    kept=lambda wanted, target, pad_id: (torch.arange(wanted.shape[1]) < wanted.shape[1] - 1).expand_as(wanted),
)
steps.mistake("You take the median. The mean is asked for.", mean=lambda loss, kept: loss[kept].median())


steps.mistake(
    "You ask for the token after the next one. The decoder has read target[:, :-1], so place 0 answers for target[:, 1].",
    wanted=lambda target: target[:, 2:],
)
steps.mistake(
    "Logits and tokens have been moved the wrong way: each place is asked for a token that was read before it. Leave the logits as they are, and ask for target[:, 1:].",
    wanted=lambda target: target[:, :-2],
    places=lambda log_p, ids: log_p[:, 1:],
)
steps.mistake(
    "You have taken the first place off the logits and the first token off the target: both have moved, so each place is still asked for the token that was just read. Leave the logits whole, and ask for target[:, 1:].",
    wanted=lambda target: target[:, 1:-1],
    places=lambda log_p, ids: log_p[:, 1:],
)
steps.mistake(
    "Your target is read from its end. Place 0 answers for the first token, target[:, 1].",
    wanted=lambda target: target[:, 1:].flip(1),
)
steps.mistake(
    "All texts are asked for the first one's tokens. Each has its own: target[:, 1:].",
    wanted=lambda target: target[:1, 1:].expand_as(target[:, 1:]),
)
steps.mistake(
    "That is a smoothed loss, ε = 0.1. Here all of the target is on the right token.",
    pick=lambda log_p, ids: 0.9 * of_the_right(log_p, ids) + 0.1 * log_p.mean(-1),
)
steps.mistake(
    "You take the mean over the vocabulary, too: the zeros of a one-hot target count as losses. Sum over the vocabulary, and take the mean over the places alone.",
    pick=lambda log_p, ids: of_the_right(log_p, ids) / log_p.shape[-1],
)
steps.mistake(
    "You sum log p over the whole vocabulary. Of each place only the right token's counts: gather picks it.",
    pick=lambda log_p, ids: log_p.sum(-1),
)
steps.mistake(
    "That is the entropy, −Σ p log p: how unsure the model is, whatever is right. The right token's −log p is asked for.",
    pick=lambda log_p, ids: (log_p.exp() * log_p).sum(-1),
)
steps.mistake(
    "You weigh each −log p with its p, as in an entropy. Each token counts once: −log p.",
    pick=lambda log_p, ids: of_the_right(log_p.exp() * log_p, ids),
)
steps.mistake(
    "You take the least likely token's log p. The right token's counts.", pick=lambda log_p, ids: log_p.amin(-1)
)
steps.mistake(
    "You take the sum of squares between p and a one-hot target. The loss is −log p of the right token.",
    pick=lambda log_p, ids: -((log_p.exp() - F.one_hot(ids, log_p.shape[-1])) ** 2).sum(-1),
)
steps.mistake(
    "A sigmoid looks at each logit by itself. The tokens share a probability of 1: log_softmax was right.",
    log_p=lambda logits: F.logsigmoid(logits),
)
steps.mistake(
    "You ask for the token that was just read, and leave out the places where the next one is padding: one of the two bugs is left. Ask for the next token itself, target[:, 1:].",
    wanted=lambda target: target[:, :-1],
    kept=lambda wanted, target, pad_id: target[:, 1:] != pad_id,
)
steps.mistake(
    "log is taken of the logits. Half of them are negative, and have none: NaN. log_softmax was right.",
    log_p=lambda logits: logits.log(),
)
steps.mistake(
    "You square each −log p. The mean of −log p itself is asked for.", mean=lambda loss, kept: (loss[kept] ** 2).mean()
)
for says, kept in {
    "You cut all texts to the shortest: only places where no text has padding count. A long text's own tokens count, too: right[wanted != pad_id].": lambda wanted, target, pad_id: (
        (wanted != pad_id).all(0).expand_as(wanted)
    ),
    "Only the first text counts. Is there a return inside the loop, or an index [0]? All texts of the batch are asked for.": only_text(
        0
    ),
    "Only the last text counts. Is a loop's result written over each time? All texts of the batch are asked for.": only_text(
        -1
    ),
    "Only the first token of each text counts. All its tokens are asked for, END among them.": lambda wanted, target, pad_id: (
        (torch.arange(wanted.shape[1]) == 0).expand_as(wanted)
    ),
    "Only the last place of each row counts. All tokens are asked for.": lambda wanted, target, pad_id: (
        torch.arange(wanted.shape[1]) == wanted.shape[1] - 1
    ).expand_as(wanted),
    "END is left out and padding counts: you compare with END's id. Padding is what isn't asked for, wanted != pad_id.": lambda wanted, target, pad_id: (
        wanted != END_ID
    ),
}.items():
    steps.mistake(says, kept=kept)
for says, mean in {
    "You sum the texts' means. One mean over all tokens of the batch is asked for.": lambda loss, kept: (
        (loss * kept).sum(1) / kept.sum(1)
    ).sum(),
    "You sum the texts' losses and divide the sum of all by each text's length. One sum, divided by one number: all tokens that are asked for.": lambda loss, kept: (
        ((loss * kept).sum() / kept.sum(1)).mean()
    ),
    "That is the largest loss of a token. The mean is asked for.": lambda loss, kept: loss[kept].max(),
    "That is the smallest loss of a token. The mean is asked for.": lambda loss, kept: loss[kept].min(),
    "The sum still holds the padding's losses, though you divide by the tokens that count. Leave them out of both: right[wanted != pad_id].mean().": lambda loss, kept: (
        loss.sum() / kept.sum()
    ),
    "The sum still holds the padding's losses, and START is counted in the number that you divide by. Leave padding out of both, and START: right[wanted != pad_id].mean().": lambda loss, kept: (
        loss.sum() / (kept.sum() + len(loss))
    ),
    "You multiply the mean over all places by the share that counts. The padding's losses are still in it: take the mean of those that count alone.": lambda loss, kept: (
        loss.mean() * kept.float().mean()
    ),
    "You take the mean over the padding off the mean over all. Leave padding out before the mean: right[wanted != pad_id].mean().": lambda loss, kept: (
        loss.mean() - (loss[~kept].mean() if (~kept).any() else 0)
    ),
    "You take the padding's losses off the others'. They are to be left out: right[wanted != pad_id].mean().": lambda loss, kept: (
        ((loss * kept).sum() - (loss * ~kept).sum()) / loss.numel()
    ),
    "You divide twice: the mean is divided by the number of tokens once more.": lambda loss, kept: (
        loss[kept].mean() / kept.sum()
    ),
    "You divide by the length of the longest text. Divide by the number of tokens that count in all texts.": lambda loss, kept: (
        (loss * kept).sum() / kept.shape[1]
    ),
    "You divide the sum by the number of all places and by the number of texts.": lambda loss, kept: (
        (loss * kept).sum() / loss.numel() / len(loss)
    ),
    "That is the spread of the losses, their standard deviation. The mean is asked for.": lambda loss, kept: loss[
        kept
    ].std(),
}.items():
    steps.mistake(says, mean=mean)
for says, last in {
    "That is exp(−loss), the (geometric) mean probability of the right tokens. The loss itself is asked for.": lambda loss: (
        (-loss).exp()
    ),
    "That is 2 to the power of the loss. The loss itself is asked for, in nats.": lambda loss: 2**loss,
    "Half of the loss comes back. Nothing is to be halved.": lambda loss: loss / 2,
    "At last you take a logarithm of the loss. It is made of logarithms already.": lambda loss: loss.log(),
    "At last you take a root. The loss is a mean, not a root mean square.": lambda loss: loss**0.5,
}.items():
    steps.mistake(says, last=last)


@translation_loss.mistake(
    "You take padding out of the softmax, so the probabilities of all other tokens grow. Padding is left out by its *places*, in the mean: right[wanted != pad_id]."
)
def padding_out_of_the_vocabulary(logits, target, pad_id):
    hidden = torch.arange(logits.shape[-1]) == pad_id
    return _translation_loss(logits.masked_fill(hidden, float("-inf")), target, pad_id)


@translation_loss.mistake(
    "Your logits have been cut anew, not turned: view and reshape keep the numbers in their order. For cross_entropy the vocabulary is axis 1: logits.transpose(1, 2)."
)
def logits_reshaped(logits, target, pad_id):
    cut = logits.reshape(len(logits), logits.shape[2], logits.shape[1])
    return F.cross_entropy(cut, target[:, 1:], ignore_index=pad_id)


@translation_loss.mistake(
    "The texts have been joined before START was cut off, so it is missing in the first alone, and all others have moved. Cut first, target[:, 1:], then flatten."
)
def cut_after_joining(logits, target, pad_id):
    rows = logits.flatten(0, 1)
    return F.cross_entropy(rows, target.flatten()[1 : len(rows) + 1], ignore_index=pad_id)


@translation_loss.symptom("Other tokens are counted than those that are asked for.")
def a_selection(inputs, answer):
    """The mean, or the sum, over some other places: all selections are tried, 4096 where there are twelve places."""
    logits, target, pad_id = inputs
    wanted = target[:, 1:]
    if wanted.numel() > 12:
        return False
    kept = (wanted != pad_id).flatten()
    for ids, whose in ((wanted, ""), (target[:, :-1], " of the token that was just *read*, not of the next one")):
        loss = -of_the_right(logits.double().log_softmax(-1), ids).flatten()
        sums, counts = torch.zeros(1, dtype=torch.double), torch.zeros(1, dtype=torch.double)
        for number in loss:
            sums, counts = torch.cat([sums, sums + number]), torch.cat([counts, counts + 1])
        for how, numbers in (("mean", sums / counts), ("sum", sums)):
            found = torch.isclose(numbers, answer.double(), rtol=5e-7, atol=0).nonzero().flatten()
            if len(found) == 1:
                counted = torch.tensor([bool(int(found) >> i & 1) for i in range(len(loss))])
                said = [f"That is the {how} of −log p{whose}, {int(counts[found])} of them"]
                for place, text in (
                    (~counted & kept, "left out, though asked for"),
                    (counted & ~kept, "counted, though padding"),
                ):
                    places = [
                        f"text {i // wanted.shape[1]} place {i % wanted.shape[1]}"
                        for i in place.nonzero()[:, 0].tolist()
                    ]
                    if places:
                        said.append(f"{text}: {', '.join(places[:4])}{' …' if len(places) > 4 else ''}")
                return f"{'; '.join(said)}. The mean over the {int(kept.sum())} tokens after START is asked for, without padding."
    return False


@translation_loss.symptom("")
def divided_by_another_number(inputs, answer):
    """The sum is right, and the number that it is divided by is a whole one."""
    _, target, pad_id = inputs
    count = int((target[:, 1:] != pad_id).sum())
    by = float(count * _translation_loss(*inputs) / answer)
    if abs(by - round(by)) > 1e-3 or not 1 <= round(by) <= 2 * target.numel():
        return False
    counts = {target.numel(): "all of `target`", len(target) * 2: "twice the texts", 2 * count: "twice as many"}
    counts[count * len(target)] = "those that are asked for, times the number of texts"
    what = counts.get(round(by), "")
    return f"Your sum is right, but you divide it by {by:.0f}{f', {what}' if what else ''}. {count} tokens are asked for here."


@translation_loss.mistake("Each text's loss comes out by itself. One mean over all tokens of the batch is asked for.")
def a_loss_for_each_text(logits, target, pad_id):
    return torch.stack([_translation_loss(*each, pad_id) for each in zip(logits[:, None], target[:, None])])


@translation_loss.mistake(
    "That is the accuracy, the share of tokens that the model would get right. The loss is asked for, −log p."
)
def accuracy(logits, target, pad_id):
    wanted = target[:, 1:]
    return (logits.argmax(-1) == wanted)[wanted != pad_id].to(logits.dtype).mean()


@translation_loss.mistake(
    "log_p[..., wanted] takes at each place the wanted tokens of *all* places. gather takes one at each: log_p.gather(-1, wanted[..., None])."
)
def all_tokens_at_each_place(logits, target, pad_id):
    return -logits.log_softmax(-1)[..., target[:, 1:]].mean()


@translation_loss.mistake(
    "The padding's logits are set to 0, but its places are still in the mean, with a loss of log V each. Leave the places out: right[wanted != pad_id]."
)
def logits_of_padding_zeroed(logits, target, pad_id):
    wanted = target[:, 1:]
    return -of_the_right((logits * (wanted != pad_id)[..., None]).log_softmax(-1), wanted).mean()


@translation_loss.mistake(
    "That is the share of wrong guesses, the error rate. The loss is asked for, −log p: argmax isn't in it."
)
def error_rate(logits, target, pad_id):
    return 1 - accuracy(logits, target, pad_id)


@translation_loss.mistake(
    "Padding's id is replaced by 0, and counted all the same: token 0 is asked for there. Leave its places out of the mean: right[wanted != pad_id]."
)
def padding_asks_for_token_0(logits, target, pad_id):
    wanted = target[:, 1:]
    return -of_the_right(logits.log_softmax(-1), wanted.masked_fill(wanted == pad_id, 0)).mean()


@translation_loss.mistake(
    "Left out are the places where the model *guesses* padding. Those where padding is wanted are meant: right[wanted != pad_id]."
)
def where_padding_is_guessed(logits, target, pad_id):
    return -of_the_right(logits.log_softmax(-1), target[:, 1:])[logits.argmax(-1) != pad_id].mean()


@translation_loss.mistake(
    "gather runs along axis 1, the places, and takes the ids for places. It should run along the vocabulary: gather(-1, wanted[..., None])."
)
def gathered_along_the_places(logits, target, pad_id):
    wanted = target[:, 1:]
    return -logits.log_softmax(-1).gather(1, wanted[..., None]).squeeze(-1)[wanted != pad_id].mean()


@translation_loss.mistake(
    "squeeze() takes away every axis of length 1, the batch's, too, where there is one text. Name the one you mean: squeeze(-1)."
)
def everything_squeezed(logits, target, pad_id):
    wanted = target[:, 1:]
    return -logits.log_softmax(-1).gather(-1, wanted[..., None]).squeeze()[wanted != pad_id].mean()
