"""A task without training: which label would the language model write on with?"""

import torch

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.given import Sublayer
from course_lib.exercises.inputs import integer, randn
from course_lib.exercises.lesson_14.given import logits


def _label_words(model, start, prompt, labels):
    scores = []
    for label in labels:
        ids = torch.tensor([[start, *prompt, *label]])
        log_p = model(ids).log_softmax(-1)[0, :-1]  # row i: of token i + 1
        own = log_p.gather(-1, ids[0, 1:, None]).squeeze(-1)
        scores.append(own[-len(label) :].mean())
    return torch.stack(scores)


def _asked(g, prompt, *labels, vocab=12, d=6, start=1):
    """A model, a prompt of so many tokens, labels of so many; no two labels are the same."""

    def text(n):
        return torch.randint(2, vocab, (n,), generator=g).tolist()

    model = Sublayer(logits, randn(g, vocab, d), 0.3 * randn(g, 48, d), randn(g, d, vocab))
    return model, start, text(prompt), [text(n) for n in labels]


label_words = Code(
    "14.label_words",
    title="Ask, don't train",
    points=3,
    minutes=12,
    difficulty=2,
    reference=_label_words,
    axes=["label"],
    cases=[
        Case("two labels, one of three tokens", lambda g: _asked(g, 4, 1, 3)),
        Case("labels of two tokens", lambda g: _asked(g, 3, 2, 2, 2)),
        Case("labels of one token", lambda g: _asked(g, 5, 1, 1)),
        Case("one label", lambda g: _asked(g, 2, 4)),
        Case("nothing but the start mark in front", lambda g: _asked(g, 0, 2, 3)),
        Case("a long prompt", lambda g: _asked(g, 30, 2, 1, 3)),
        Case(
            "any sizes",
            lambda g: _asked(g, integer(g, 2, 8), integer(g, 1, 3), integer(g, 2, 5), 1, vocab=integer(g, 9, 15)),
        ),
        Case("the start mark has another id", lambda g: _asked(g, 3, 2, 1, start=0)),
    ],
    hints=[
        "Read start, prompt and label as one text. At which place does the model say the label's first token? Not at its own.",
        "ids = torch.tensor([[start, *prompt, *label]]); log_p = model(ids).log_softmax(-1)[0]. What log_p[i] says is about ids[0, i + 1].",
        "log_p[:-1].gather(-1, ids[0, 1:, None]) has one number for each token behind the start mark; the label's are the last len(label). Take their mean, and stack those of all labels.",
    ],
)


def told(log_p, ids):
    """(n − 1,): log P of each token behind the first."""
    return log_p[:-1].gather(-1, ids[1:, None]).squeeze(-1)


@label_words.variants
def steps(
    model,
    start,
    prompt,
    labels,
    *,
    text=lambda start, prompt, label: [start, *prompt, *label],
    say=lambda logits: logits.log_softmax(-1),
    pick=told,
    own=lambda each, prompt, label: each[-len(label) :],
    mean=lambda own, label: own.mean(),
    given=lambda scores: scores,
):
    scores = []
    for label in labels:
        ids = torch.tensor([text(start, prompt, label)])
        each = pick(say(model(ids))[0], ids[0])
        scores.append(mean(own(each, prompt, label), label))
    return given(torch.stack(scores))


# --- which tokens count -----------------------------------------------------------------------------------------------

steps.mistake(
    "The prompt is counted: it is the same for all labels, and drowns their difference. Only the label's tokens.",
    own=lambda each, prompt, label: each,
)
steps.mistake(
    "You count the prompt's tokens and leave out the label's. The label's are the last ones.",
    own=lambda each, prompt, label: each[: len(prompt)] if prompt else each[:0],
)
steps.mistake(
    "Only the label's first token counts with you. A label of several tokens is said by all of them.",
    own=lambda each, prompt, label: each[len(prompt)][None],
)
steps.mistake(
    "Only the label's last token counts with you. A label of several tokens is said by all of them.",
    own=lambda each, prompt, label: each[-1:],
)
steps.mistake(
    "You begin one token too early: the last one in front of the label counts, too.",
    own=lambda each, prompt, label: each[-len(label) - 1 :],
)
steps.mistake(
    "The label's first token is left out. What the model says at the prompt's *last* token is about it.",
    own=lambda each, prompt, label: each[-len(label) + 1 :] if len(label) > 1 else each[:0],
)
steps.mistake("The label's last token is left out.", own=lambda each, prompt, label: each[-len(label) : -1])
steps.mistake(
    "Your slice is one token too early: it begins before the label and ends before its last token.",
    own=lambda each, prompt, label: (
        each[len(prompt) - 1 : len(prompt) - 1 + len(label)] if prompt else each[: len(label)] * 2
    ),
)

# --- what the model says of them --------------------------------------------------------------------------------------

steps.mistake(
    "You ask each place for the token that it has just read: shift by one. What the model says at place i is about token i + 1.",
    pick=lambda log_p, ids: log_p.gather(-1, ids[:, None]).squeeze(-1),
)
steps.mistake(
    "You shift in the wrong direction: each place is asked for the token before it. What the model says at place i is about token i + 1.",
    pick=lambda log_p, ids: log_p[1:].gather(-1, ids[:-1, None]).squeeze(-1),
)
steps.mistake(
    "You ask the model once, after the prompt, and score all of the label's tokens by that. Its second token is said after the first: each is asked at its own place.",
    pick=lambda log_p, ids: log_p[0].expand(len(ids) - 1, -1).gather(-1, ids[1:, None]).squeeze(-1),
)
steps.mistake(
    "You take the probability of the likeliest token at each place. The label's own token counts.",
    pick=lambda log_p, ids: log_p[:-1].amax(-1),
)
steps.mistake(
    "These are probabilities. Their logarithms are asked for: log_softmax.", say=lambda logits: logits.softmax(-1)
)
steps.mistake(
    "The softmax is missing: a logit alone says nothing about how probable a token is. log_softmax over the vocabulary.",
    say=lambda logits: logits,
)
steps.mistake(
    "Your softmax runs over the places of the text. Each place has its own distribution over the vocabulary, dim=-1.",
    say=lambda logits: logits.log_softmax(1),
)
steps.mistake(
    "Two softmaxes: log_softmax takes the model's logits as they are.",
    say=lambda logits: logits.softmax(-1).log_softmax(-1),
)
steps.mistake(
    "The logarithm has base 2 with you. The natural one is asked for.", say=lambda logits: logits.softmax(-1).log2()
)
steps.mistake(
    "The logarithm has base 10 with you. The natural one is asked for.", say=lambda logits: logits.softmax(-1).log10()
)

# --- what it reads ----------------------------------------------------------------------------------------------------

steps.mistake(
    "The start mark is missing: every text that the model knows begins with it.",
    text=lambda start, prompt, label: [*prompt, *label],
)
steps.mistake(
    "The model never reads the prompt: start and label alone. Then the label is as probable after one prompt as after another.",
    text=lambda start, prompt, label: [start, *label],
)
steps.mistake(
    "The label stands in front of the prompt. The model is to write on with it: prompt, then label.",
    text=lambda start, prompt, label: [start, *label, *prompt],
)
steps.mistake(
    "A second start mark stands between prompt and label. The label goes on with the prompt's text.",
    text=lambda start, prompt, label: [start, *prompt, start, *label],
)
steps.mistake(
    "The start mark stands behind the prompt. It comes first.",
    text=lambda start, prompt, label: [*prompt, start, *label],
)
steps.mistake(
    "The start mark's id is written into the code, 1. Take `start`.",
    text=lambda start, prompt, label: [1, *prompt, *label],
)

# --- one number of them -----------------------------------------------------------------------------------------------

steps.mistake(
    "Long labels lose: each further token makes the sum smaller. Divide by their number: the mean.",
    mean=lambda own, label: own.sum(),
)
steps.mistake(
    "That is the label's probability, the product over its tokens. The mean of log P is asked for: it can be compared between labels of different lengths.",
    mean=lambda own, label: own.sum().exp(),
)
steps.mistake(
    "That is exp of the mean. The mean of log P itself is asked for.", mean=lambda own, label: own.mean().exp()
)
steps.mistake(
    "That is the perplexity, exp of −mean. The mean of log P itself is asked for.",
    mean=lambda own, label: (-own.mean()).exp(),
)
steps.mistake(
    "The sign: log P is negative, and the largest is the best. You give the loss.", mean=lambda own, label: -own.mean()
)
steps.mistake(
    "The log of the mean probability. First the log of each token's, then the mean.",
    mean=lambda own, label: own.exp().mean().log(),
)
steps.mistake(
    "The least likely token of the label decides with you. The mean over all is asked for.",
    mean=lambda own, label: own.amin(),
)
steps.mistake(
    "The likeliest token of the label decides with you. The mean over all is asked for.",
    mean=lambda own, label: own.amax(),
)
steps.mistake(
    "You divide by one more than the label has tokens. Does the start mark count?",
    mean=lambda own, label: own.sum() / (len(label) + 1),
)
steps.mistake(
    "You divide by the root of the number of tokens. The mean is asked for.",
    mean=lambda own, label: own.sum() / len(label) ** 0.5,
)

# --- what comes back --------------------------------------------------------------------------------------------------

steps.mistake(
    "Your scores are made to sum to 1 over the labels. The mean of log P of each is asked for, as it is.",
    given=lambda scores: scores.softmax(0),
)
steps.mistake(
    "A softmax over the labels, and its logarithm. The mean of log P of each is asked for, as it is.",
    given=lambda scores: scores.log_softmax(0),
)
steps.mistake(
    "The best label's number comes back. The scores of all are asked for.", given=lambda scores: scores.argmax()
)
steps.mistake("Only the best score comes back. One for each label is asked for.", given=lambda scores: scores.max())
steps.mistake("Only the first label has a score. Does a return stand inside the loop?", given=lambda scores: scores[:1])
steps.mistake(
    "Only the last label has a score: each pass of the loop replaces the one before.", given=lambda scores: scores[-1]
)
steps.mistake(
    "A list of numbers comes back. A tensor is asked for: torch.stack(scores), or torch.tensor(scores).",
    given=lambda scores: scores.tolist(),
)
steps.mistake("Your scores have an axis of length 1 too many, (label, 1).", given=lambda scores: scores[:, None])
steps.mistake(
    "Two things: the prompt's tokens are counted, and each place is asked for the token that it has just read. Only the label's, and what is said at place i is about token i + 1.",
    pick=lambda log_p, ids: log_p.gather(-1, ids[:, None]).squeeze(-1),
    own=lambda each, prompt, label: each,
)


steps.mistake(
    "The prompt is counted, and everything is added up. Only the label's tokens, and their mean.",
    own=lambda each, prompt, label: each,
    mean=lambda own, label: own.sum(),
)


@label_words.mistake(
    "The divisor is the number of all tokens. It is the label's alone that are added up: divide by len(label)."
)
def divided_by_the_text(model, start, prompt, labels):
    counts = torch.tensor([float(len(label)) for label in labels])
    return _label_words(model, start, prompt, labels) * counts / (counts + len(prompt) + 1)


@label_words.mistake(
    "You ask the model once, after the prompt, and score all of the label's tokens by that. Its second token is said after the first: read prompt *and* label, and ask each token at its own place."
)
def asked_once(model, start, prompt, labels):
    log_p = model(torch.tensor([[start, *prompt]]))[0, -1].log_softmax(-1)
    return torch.stack([log_p[label].mean() for label in labels])


@label_words.mistake(
    "You write the labels one behind the other, so the second is read after the first. Each label is read after the prompt alone."
)
def one_behind_the_other(model, start, prompt, labels):
    scores = []
    for label in labels:
        scores.append(_label_words(model, start, prompt, [label])[0])
        prompt = [*prompt, *label]
    return torch.stack(scores)


@label_words.mistake("All labels are divided by the first one's number of tokens. Each by its own.")
def divided_by_the_first(model, start, prompt, labels):
    counts = torch.tensor([float(len(label)) for label in labels])
    return _label_words(model, start, prompt, labels) * counts / counts[0]


@label_words.mistake(
    "You subtract what each label would get without the prompt. That is a good idea (Holtzman et al. 2021), but not asked for: the mean of log P as it is."
)
def less_what_it_gets_anyway(model, start, prompt, labels):
    return _label_words(model, start, prompt, labels) - _label_words(model, start, [], labels)


@label_words.mistake(
    "Each label is padded to the longest, and the padding's tokens count. Only the label's own tokens."
)
def padding_counted(model, start, prompt, labels):
    longest = max(map(len, labels))
    return _label_words(model, start, prompt, [label + [0] * (longest - len(label)) for label in labels])


steps.mistake(
    "Two things: the label's tokens are added up where their mean is meant, so long labels lose; and at last a softmax is taken over the labels.",
    mean=lambda own, label: own.sum(),
    given=lambda scores: scores.softmax(0),
)
steps.mistake(
    "The label's tokens are read from the last to the first. GPT reads and writes from left to right.",
    text=lambda start, prompt, label: [start, *prompt, *label[::-1]],
)


@label_words.mistake(
    "Two things: you ask the model once, after the prompt, and score all of the label's tokens by that; and you add them up, so long labels lose. Read prompt *and* label, ask each token at its own place, and take the mean."
)
def asked_once_and_added(model, start, prompt, labels):
    log_p = model(torch.tensor([[start, *prompt]]))[0, -1].log_softmax(-1)
    return torch.stack([log_p[label].sum() for label in labels])


@label_words.mistake("The scores are right, but sorted. They come in the order of the labels.")
def sorted_scores(model, start, prompt, labels):
    return _label_words(model, start, prompt, labels).sort(descending=True).values


@label_words.mistake(
    "The model writes on by itself, and you score the label on *its* words. Each token of the label is asked after the label's own tokens before it."
)
def after_its_own_words(model, start, prompt, labels):
    scores = []
    for label in labels:
        read, each = [start, *prompt], []
        for token in label:
            log_p = model(torch.tensor([read]))[0, -1].log_softmax(-1)
            each.append(log_p[token])
            read.append(int(log_p.argmax()))
        scores.append(torch.stack(each).mean())
    return torch.stack(scores)


@label_words.mistake(
    "You count how many of the label's tokens the model would say first. The mean of their log P is asked for, likeliest or not."
)
def share_that_would_be_said(model, start, prompt, labels):
    scores = []
    for label in labels:
        said = model(torch.tensor([[start, *prompt, *label]]))[0].argmax(-1)
        scores.append((said[len(prompt) : -1] == torch.tensor(label)).float().mean())
    return torch.stack(scores)


@label_words.mistake(
    "You look one place too early: the start mark counts as well. The label's first token is said at place len(prompt), its own place is len(prompt) + 1."
)
def start_mark_forgotten(model, start, prompt, labels):
    scores = []
    for label in labels:
        log_p = model(torch.tensor([[start, *prompt, *label]]))[0].log_softmax(-1)
        scores.append(torch.stack([log_p[len(prompt) - 1 + i, token] for i, token in enumerate(label)]).mean())
    return torch.stack(scores)


def series(inputs, text):
    """For each label: log P of every token of its text, at its own place; all as if asked right after the prompt; and,
    not shifted, at the token itself."""
    model, start, prompt, labels = inputs
    for label in labels:
        ids = torch.tensor([text(start, prompt, label)])
        log_p = model(ids).log_softmax(-1)[0].double()
        once = log_p[len(ids[0]) - len(label) - 1].expand_as(log_p)
        yield told(log_p, ids[0]), told(once, ids[0]), log_p.gather(-1, ids[0][:, None])[1:, 0]


READ = {
    "": lambda start, prompt, label: [start, *prompt, *label],
    "The model reads no start mark with you: every text that it knows begins with it.": lambda start, prompt, label: [
        *prompt,
        *label,
    ],
    "The model never reads the prompt with you.": lambda start, prompt, label: [start, *label],
    "The start mark stands behind your prompt. It comes first.": lambda start, prompt, label: [*prompt, start, *label],
}
ASKED = (
    "",
    ", all of them by what the model says after the prompt",
    ", each at its own place instead of the one before",
)
FROM = {
    "all tokens behind the start mark": (lambda n, k, counts: 0, lambda n, k, counts: n),
    "all tokens but the last": (lambda n, k, counts: 0, lambda n, k, counts: n - 1),
    "the prompt's tokens": (lambda n, k, counts: 0, lambda n, k, counts: n - k),
    "the label's tokens": (lambda n, k, counts: n - k, lambda n, k, counts: n),
    "the label's tokens but the last": (lambda n, k, counts: n - k, lambda n, k, counts: n - 1),
    "the label's tokens but the first": (lambda n, k, counts: n - k + 1, lambda n, k, counts: n),
    "the label's tokens and the one before them": (lambda n, k, counts: max(0, n - k - 1), lambda n, k, counts: n),
    "the label's first token": (lambda n, k, counts: n - k, lambda n, k, counts: n - k + 1),
    "as many last tokens as the longest label has": (
        lambda n, k, counts: max(0, n - max(counts)),
        lambda n, k, counts: n,
    ),
    "as many last tokens as the first label has": (lambda n, k, counts: max(0, n - counts[0]), lambda n, k, counts: n),
    "the label's last token": (lambda n, k, counts: n - 1, lambda n, k, counts: n),
}
BY = {
    "their number": lambda n, k, count, counts: count,
    "1": lambda n, k, count, counts: 1,
    "the number of the label's tokens": lambda n, k, count, counts: k,
    "that and one": lambda n, k, count, counts: k + 1,
    "the number of tokens behind the start mark": lambda n, k, count, counts: n,
    "the number of all tokens": lambda n, k, count, counts: n + 1,
    "the longest label's number of tokens": lambda n, k, count, counts: max(counts),
    "the shortest label's number of tokens": lambda n, k, count, counts: min(counts),
    "the number of labels": lambda n, k, count, counts: len(counts),
}

MEANS = ("their number", "the number of the label's tokens")


@label_words.symptom("")
def a_sum_of_tokens(inputs, answer):
    """What is read, which tokens are added up, and what the sum is divided by, the same for all labels."""
    counts = [len(label) for label in inputs[-1]]
    for read, text in READ.items():
        texts = list(series(inputs, text))
        for says, (begin, end) in FROM.items():
            for by, divisor in BY.items():
                for how, asked in enumerate(ASKED):
                    found = []
                    for k, each in zip(counts, texts):
                        n = len(each[how])
                        own = each[how][begin(n, k, counts) : end(n, k, counts)]
                        found.append(own.sum() / (divisor(n, k, len(own), counts) or 1))
                    if not torch.allclose(torch.stack(found), answer.double(), atol=1e-4):
                        continue
                    if read and (says, how) == ("the label's tokens", 0) and by in MEANS:
                        return read
                    sums = f"You add up {says}{asked}, and divide by {by}. Asked for is the mean over the label's own tokens, each as it is said by the token before it."
                    return f"{read} And that isn't all: {sums[0].lower()}{sums[1:]}" if read else sums
    return False
