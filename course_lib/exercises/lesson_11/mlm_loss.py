"""The loss of masked language modelling: of the chosen places only, with the table of the input as last matrix."""

import math

import torch
import torch.nn.functional as F

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer, randn


def _mlm_loss(hidden, labels, embedding, bias):
    asked = labels != -100
    return F.cross_entropy(hidden[asked] @ embedding.mT + bias, labels[asked])


def _batch(g, batch, n, d=6, vocab=9, share=0.4, dtype=torch.float32):
    """Vectors, labels with at least one place asked for in the batch, an embedding table and a bias."""
    labels = torch.randint(vocab, (batch, n), generator=g)
    labels[torch.rand(batch, n, generator=g) > share] = -100
    labels[0, 0], labels[-1, -1] = 0, vocab - 1  # token 0 is a token
    table = randn(g, vocab, d, dtype=dtype)
    return randn(g, batch, n, d, dtype=dtype), labels, table, randn(g, vocab, dtype=dtype)


mlm_loss = Code(
    "11.mlm_loss",
    title="Only what is asked",
    points=3,
    minutes=10,
    difficulty=2,
    reference=_mlm_loss,
    axes=[""],
    differentiable=True,
    cases=[
        Case("two texts", lambda g: _batch(g, 2, 5)),
        Case("one text", lambda g: _batch(g, 1, 8)),
        Case("as few places as in BERT", lambda g: _batch(g, 4, 20, share=0.15)),
        Case("a single place", lambda g: _batch(g, 1, 1)),
        Case("a text where nothing is asked", lambda g: _quiet(_batch(g, 3, 6))),
        Case("as many tokens as numbers in a vector", lambda g: _batch(g, 2, 7, d=8, vocab=8)),
        Case("any sizes", lambda g: _batch(g, integer(g, 3, 6), integer(g, 6, 12), vocab=integer(g, 12, 30))),
        Case("double precision", lambda g: _batch(g, 2, 6, dtype=torch.float64)),
        Case("logits of several hundred", lambda g: _large(_batch(g, 2, 6))),
    ],
    hints=[
        "asked = labels != -100 is boolean, (batch, n). What does hidden[asked] give?",
        "hidden[asked] is (asked, d_model), labels[asked] is (asked). A token's logit is the product of the vector with the token's row of the table, plus its bias.",
        "logits = hidden[asked] @ embedding.mT + bias, (asked, vocab). F.cross_entropy(logits, labels[asked]) does the rest: softmax, logarithm and mean.",
    ],
)


def _quiet(batch):
    hidden, labels, *rest = batch
    labels[1] = -100
    return hidden, labels, *rest


def _large(batch):
    """So large that e^s overflows; of two places asked for, one has its likeliest token and one its unlikeliest."""
    hidden, labels, embedding, bias = batch
    hidden, bias = hidden * 200, bias + 1000
    logits = tied(hidden, embedding, bias)
    labels[0, 0], labels[-1, -1] = logits[0, 0].argmax(), logits[-1, -1].argmin()
    return hidden, labels, embedding, bias


def tied(hidden, embedding, bias):
    return hidden @ embedding.mT + bias


def nll(logits, labels):
    """−log p of each place's label, 0 where nothing is asked; (batch, n)."""
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=-100, reduction="none").view_as(labels)


@mlm_loss.variants
def steps(
    hidden,
    labels,
    embedding,
    bias,
    *,
    logits=tied,
    asked=lambda labels: labels != -100,
    each=nll,
    mean=lambda loss, asked: loss[asked].mean(),
    result=lambda loss: loss,
):
    return result(mean(each(logits(hidden, embedding, bias), labels), asked(labels)))


steps.mistake(
    "You divide by all places. Places that aren't asked for don't count: divide by the number that are.",
    mean=lambda loss, asked: loss.mean(),
)
steps.mistake("That is the sum. The mean over the places asked for is wanted.", mean=lambda loss, asked: loss.sum())
steps.mistake(
    "That is a mean of the texts' means. Take one mean over all the places asked for.",
    mean=lambda loss, asked: ((loss.sum(1) / asked.sum(1).clamp(min=1))[asked.any(1)]).mean(),
)
steps.mistake(
    "You divide by the number of texts. Divide by the number of places asked for.",
    mean=lambda loss, asked: loss.sum() / len(loss),
)
steps.mistake(
    "A softmax before cross_entropy: it takes logits, and does that itself.",
    logits=lambda h, e, b: tied(h, e, b).softmax(-1),
)
steps.mistake("The bias is missing: each token has one, added to its logit.", logits=lambda h, e, b: h @ e.mT)
steps.mistake("The bias is taken off. It is added.", logits=lambda h, e, b: h @ e.mT - b)
steps.mistake(
    "Your logits are divided by √d_model. That belongs to attention's scores; here the products stay as they are.",
    logits=lambda h, e, b: h @ e.mT / h.shape[-1] ** 0.5 + b,
)
steps.mistake("The sign is turned round: the loss is −log p, never negative.", result=lambda loss: -loss)
steps.mistake("That is in bits. Nats are asked for: the natural logarithm.", result=lambda loss: loss / math.log(2))
steps.mistake("That is the perplexity, exp of the loss. The loss itself is asked for.", result=lambda loss: loss.exp())
steps.mistake(
    "Token 0 is a token, too. Nothing is asked where the label is −100, not where it is 0.",
    asked=lambda labels: labels > 0,
)
steps.mistake(
    "The likeliest token's log p is taken, whichever it is. The label's counts.",
    each=lambda logits, labels: -logits.log_softmax(-1).amax(-1),
)
steps.mistake(
    "You average log p over the whole vocabulary. Of each place only the label's counts.",
    each=lambda logits, labels: -logits.log_softmax(-1).mean(-1),
)
steps.mistake(
    "Probabilities stand where their logarithms should.",
    each=lambda logits, labels: -logits.softmax(-1).gather(-1, labels.clamp(min=0)[..., None]).squeeze(-1),
)
steps.mistake(
    "The softmax is missing: you take the label's logit as if it were its log p.",
    each=lambda logits, labels: -logits.gather(-1, labels.clamp(min=0)[..., None]).squeeze(-1),
)
steps.mistake(
    "Your softmax runs over the places of the text. It belongs over the vocabulary, dim=-1.",
    each=lambda logits, labels: -logits.log_softmax(1).gather(-1, labels.clamp(min=0)[..., None]).squeeze(-1),
)
steps.mistake(
    "Your softmax runs over the texts of the batch. It belongs over the vocabulary, dim=-1.",
    each=lambda logits, labels: -logits.log_softmax(0).gather(-1, labels.clamp(min=0)[..., None]).squeeze(-1),
)
steps.mistake(
    "1 − p stands where −log p should.",
    each=lambda logits, labels: 1 - logits.softmax(-1).gather(-1, labels.clamp(min=0)[..., None]).squeeze(-1),
)
steps.mistake(
    "First the log of each probability, then the mean: you take the log of the mean.",
    mean=lambda loss, asked: -(-loss[asked]).exp().mean().log(),
)
steps.mistake(
    "One loss for each place comes out. One mean over all that are asked for is wanted.",
    mean=lambda loss, asked: loss[asked],
)
steps.mistake(
    "Each text's loss comes out by itself. One mean over the batch is wanted.",
    mean=lambda loss, asked: loss.sum(1) / asked.sum(1).clamp(min=1),
)


@mlm_loss.mistake(
    "Every place is asked for with you, −100 as if it were token 0. Leave those places out: labels != -100."
)
def asks_everywhere(hidden, labels, embedding, bias):
    return F.cross_entropy(tied(hidden, embedding, bias).flatten(0, 1), labels.clamp(min=0).flatten())


@mlm_loss.mistake(
    "−100 counts from the end of the list with you, or from somewhere: those places aren't asked for at all. Leave them out: labels != -100."
)
def asks_by_remainder(hidden, labels, embedding, bias):
    return F.cross_entropy(tied(hidden, embedding, bias).flatten(0, 1), (labels % len(embedding)).flatten())


@mlm_loss.mistake(
    "The table stands the wrong way round: a token's logit is the product with its *row*, hidden @ embedding.mT."
)
def table_turned(hidden, labels, embedding, bias):
    return _mlm_loss(hidden, labels, embedding.mT, bias)


@mlm_loss.mistake("That is accuracy: how often the likeliest token is right. The mean of −log p is asked for.")
def accuracy(hidden, labels, embedding, bias):
    asked = labels != -100
    return (tied(hidden, embedding, bias).argmax(-1) == labels)[asked].to(hidden.dtype).mean()


@mlm_loss.mistake("Your labels are moved one place: BERT is asked for the word *at* the place, not for the next one.")
def asks_for_the_next(hidden, labels, embedding, bias):
    asked = labels[:, 1:] != -100
    if not asked.any():
        return hidden.sum() * 0
    return F.cross_entropy(tied(hidden, embedding, bias)[:, :-1][asked], labels[:, 1:][asked])


@mlm_loss.mistake("That is with label smoothing. BERT's loss has none: −log p of the label alone.")
def smoothed(hidden, labels, embedding, bias):
    return F.cross_entropy(tied(hidden, embedding, bias).transpose(1, 2), labels, label_smoothing=0.1)


@mlm_loss.mistake(
    "Your e^s overflows where logits are large, and inf / inf is nan. log_softmax, logsumexp and cross_entropy are safe."
)
def overflows(hidden, labels, embedding, bias):
    asked = labels != -100
    powers = tied(hidden[asked], embedding, bias).exp()
    return -(powers / powers.sum(-1, keepdim=True)).gather(-1, labels[asked][:, None]).log().mean()


@mlm_loss.mistake(
    "Where logits are large a probability becomes 0, and its logarithm −∞. log_softmax, logsumexp and cross_entropy are safe."
)
def log_of_zero(hidden, labels, embedding, bias):
    asked = labels != -100
    return -tied(hidden[asked], embedding, bias).softmax(-1).gather(-1, labels[asked][:, None]).log().mean()


@mlm_loss.mistake("Your softmax runs over the places that are asked for. It belongs over the vocabulary, dim=-1.")
def over_the_asked(hidden, labels, embedding, bias):
    asked = labels != -100
    return -tied(hidden[asked], embedding, bias).log_softmax(0).gather(-1, labels[asked][:, None]).mean()


@mlm_loss.mistake(
    "You put the transform in front, GELU and norm. `hidden` has it behind it already: here only the table and the bias follow."
)
def transformed(hidden, labels, embedding, bias):
    return _mlm_loss(F.layer_norm(F.gelu(hidden), hidden.shape[-1:]), labels, embedding, bias)


@mlm_loss.mistake("You put a softmax in front of the table. It comes behind it, over the vocabulary.")
def with_softmax(hidden, labels, embedding, bias):
    return _mlm_loss(hidden.softmax(-1), labels, embedding, bias)


@mlm_loss.mistake("You bring the vectors to length 1. The products stay as they are.")
def normalised(hidden, labels, embedding, bias):
    return _mlm_loss(F.normalize(hidden, dim=-1), labels, embedding, bias)


@mlm_loss.mistake("You put a GELU in front of the table. Only the table and the bias follow here.")
def with_gelu(hidden, labels, embedding, bias):
    return _mlm_loss(F.gelu(hidden), labels, embedding, bias)


@mlm_loss.mistake("You put a LayerNorm in front of the table. Only the table and the bias follow here.")
def with_norm(hidden, labels, embedding, bias):
    return _mlm_loss(F.layer_norm(hidden, hidden.shape[-1:]), labels, embedding, bias)


@mlm_loss.mistake("The bias is added to the log-probabilities. It belongs to the logits, before the softmax.")
def bias_after_the_softmax(hidden, labels, embedding, bias):
    asked = labels != -100
    return F.nll_loss((hidden[asked] @ embedding.mT).log_softmax(-1) + bias, labels[asked])


@mlm_loss.mistake(
    "You set vectors to 0 where nothing is asked, and those places count all the same. Leave them out: hidden[labels != -100]."
)
def zeroed(hidden, labels, embedding, bias):
    hidden = hidden * (labels != -100)[..., None]
    return F.cross_entropy(tied(hidden, embedding, bias).flatten(0, 1), labels.clamp(min=0).flatten())


@mlm_loss.mistake(
    "That is a mean of the texts' means, and NaN where a text isn't asked at all. Take one mean over all the places asked for."
)
def mean_of_means_with_nan(hidden, labels, embedding, bias):
    return torch.stack([F.cross_entropy(*pair) for pair in zip(tied(hidden, embedding, bias), labels)]).mean()


@mlm_loss.mistake("Only the first text is asked. All texts of the batch count.")
def first_text(hidden, labels, embedding, bias):
    return _mlm_loss(hidden[:1], labels[:1], embedding, bias)


@mlm_loss.mistake(
    "You divide by the size of the vocabulary, too. One log p for each place: divide by the number of places."
)
def by_the_vocabulary(hidden, labels, embedding, bias):
    return _mlm_loss(hidden, labels, embedding, bias) / len(embedding)


@mlm_loss.mistake("Only the last text is asked. All texts of the batch count.")
def last_text(hidden, labels, embedding, bias):
    return _mlm_loss(hidden[-1:], labels[-1:], embedding, bias)


@mlm_loss.mistake("That is with log to the base 10. Nats are asked for: the natural logarithm.")
def base_ten(hidden, labels, embedding, bias):
    return _mlm_loss(hidden, labels, embedding, bias) / math.log(10)


@mlm_loss.mistake(
    "You put a tanh in front of the table. It belongs to the pooler; only the table and the bias follow here."
)
def with_tanh(hidden, labels, embedding, bias):
    return _mlm_loss(hidden.tanh(), labels, embedding, bias)


@mlm_loss.mistake("That is the square distance of the probabilities from 0 and 1. −log p of the label is asked for.")
def squares(hidden, labels, embedding, bias):
    asked = labels != -100
    p = tied(hidden[asked], embedding, bias).softmax(-1)
    return ((p - F.one_hot(labels[asked], len(bias))) ** 2).sum(-1).mean()


@mlm_loss.mistake(
    "You add the bias to the table, before the product. A product has a bias added to it: (hidden @ embedding.mT) + bias."
)
def bias_in_the_table(hidden, labels, embedding, bias):
    return _mlm_loss(hidden, labels, embedding + bias[:, None], torch.zeros_like(bias))


@mlm_loss.mistake(
    "You ask the label's logit alone, with a sigmoid. The softmax over the *whole* vocabulary makes its probability."
)
def yes_or_no(hidden, labels, embedding, bias):
    asked = labels != -100
    return -F.logsigmoid(tied(hidden[asked], embedding, bias).gather(-1, labels[asked][:, None])).mean()


@mlm_loss.mistake(
    "You measure how far the vector is from its token's row. The row's product with it is the token's *logit*; cross-entropy comes of all logits."
)
def distance_to_the_row(hidden, labels, embedding, bias):
    asked = labels != -100
    return F.mse_loss(hidden[asked], embedding[labels[asked]])


@mlm_loss.mistake(
    "NaN is the mean of nothing. Do you ask where the label *is* −100? Asked for are the others: labels != -100."
)
def asks_the_others(hidden, labels, embedding, bias):
    return F.cross_entropy(tied(hidden[labels == -100], embedding, bias), labels[labels == -100])


@mlm_loss.mistake("You ask for the places of the first text in all texts. Each text has its own: labels != -100.")
def places_of_the_first(hidden, labels, embedding, bias):
    asked = labels[0] != -100
    return F.cross_entropy(tied(hidden[:, asked], embedding, bias).flatten(0, 1), labels[:, asked].flatten())


def small_number_added(eps):
    @mlm_loss.mistake(
        f"You add {eps:g} before the logarithm, so no loss gets above {-math.log(eps):.0f}. log_softmax, logsumexp and cross_entropy are exact."
    )
    def adds(hidden, labels, embedding, bias):
        asked = labels != -100
        p = tied(hidden[asked], embedding, bias).softmax(-1).gather(-1, labels[asked][:, None])
        return -(p + eps).log().mean()


for eps in (1e-12, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5):
    small_number_added(eps)


def another_total(says, total):
    """The right −log p of each place, put together in another way; `total` of those (asked) and of the texts' means."""

    @mlm_loss.mistake(says)
    def put_together(hidden, labels, embedding, bias):
        asked = labels != -100
        each = nll(tied(hidden, embedding, bias), labels)
        return total(each[asked], torch.stack([row[these].mean() for row, these in zip(each, asked) if these.any()]))


COUNT = "All places that are asked for count: their mean."
another_total(
    f"The first place's loss alone comes out. Does a return stand inside the loop? {COUNT}", lambda x, _: x[0]
)
another_total(f"The last place's loss alone comes out. Does = stand where += is meant? {COUNT}", lambda x, _: x[-1])
another_total(
    f"The last place's loss comes out, divided by the number of places. Does = stand where += is meant? {COUNT}",
    lambda x, _: x[-1] / len(x),
)
another_total(f"The largest of the places' losses comes out. {COUNT}", lambda x, _: x.max())
another_total(f"The smallest of the places' losses comes out. {COUNT}", lambda x, _: x.min())
another_total("That is the median of the places' losses. Their mean is asked for.", lambda x, _: x.median())
another_total(
    "The texts' means are added up. Take one mean over all the places asked for.", lambda _, means: means.sum()
)


@mlm_loss.symptom("More than one number comes out.", any_shape=True)
def more_than_one(inputs, answer):
    """One for each text, or for each place."""
    each = {tuple(inputs[1].shape): "place", (int((inputs[1] != -100).sum()),): "place that is asked for"}
    which = (each | {(len(inputs[1]),): "text"}).get(tuple(answer.shape))
    return (
        f"That is one number for each {which}. One mean over all places that are asked for is wanted."
        if which
        else False
    )


@mlm_loss.symptom("")
def divided_by_another_number(inputs, answer):
    """The sum is right, and the number that it is divided by is a whole one."""
    labels = inputs[1]
    count = int((labels != -100).sum())
    by = float(count * _mlm_loss(*inputs) / answer)
    if abs(by - round(by)) > 1e-3 or not 1 <= round(by) <= 2 * labels.numel():
        return False
    return f"Your sum is right, but you divide it by {by:.0f}. {count} places are asked for here."
