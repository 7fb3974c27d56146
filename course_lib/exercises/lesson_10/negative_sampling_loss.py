"""Skip-gram's loss: company should get a yes, strangers a no."""

import math

import torch
import torch.nn.functional as F

from course_lib import word2vec
from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer, randn


def _vectors(g, pairs, k, d, size=0.8, dtype=torch.float32):
    return (
        randn(g, pairs, d, size=size, dtype=dtype),
        randn(g, pairs, d, size=size, dtype=dtype),
        randn(g, pairs, k, d, size=size, dtype=dtype),
    )


negative_sampling_loss = Code(
    "10.negative_sampling_loss",
    title="Friends and strangers",
    points=3,
    minutes=12,
    difficulty=2,
    reference=word2vec.negative_sampling_loss,
    axes=[""],
    differentiable=True,
    cases=[
        Case("four pairs, three strangers each", lambda g: _vectors(g, 4, 3, 5)),
        Case("one pair", lambda g: _vectors(g, 1, 5, 4)),
        Case("one stranger each", lambda g: _vectors(g, 6, 1, 3)),
        Case("no strangers at all: k is 0", lambda g: _vectors(g, 3, 0, 4)),
        Case("as many strangers as pairs", lambda g: _vectors(g, 4, 4, 3)),
        Case("any sizes", lambda g: _vectors(g, integer(g, 5, 9), integer(g, 2, 4), integer(g, 6, 12))),
        Case("double precision", lambda g: _vectors(g, 3, 2, 4, dtype=torch.float64)),
        Case("products of several hundred", lambda g: _vectors(g, 6, 3, 8, size=14.0)),
    ],
    hints=[
        "One product for each pair, w · c, and k for its strangers, w · s. Which shapes do these have, and which signs before the sigmoid?",
        "(words * company).sum(-1) is (pair). With words[:, None], (pair, 1, d), the same works for strangers, and gives (pair, k).",
        "For each pair: −logsigmoid(w · c) − the sum over its strangers of logsigmoid(−w · s); then the mean over the pairs. F.logsigmoid stays finite where log(sigmoid(…)) doesn't.",
    ],
)


def dot(words, company):
    return (words * company).sum(-1)


def each_dot(words, strangers):
    return torch.einsum("pd,pkd->pk", words, strangers)


@negative_sampling_loss.variants
def steps(
    words,
    company,
    strangers,
    *,
    friend=dot,
    others=each_dot,
    yes=F.logsigmoid,
    no=lambda score: F.logsigmoid(-score),
    together=lambda no: no.sum(-1),
    each=lambda yes, no: -(yes + no),
    mean=lambda loss: loss.mean(),
):
    return mean(each(yes(friend(words, company)), together(no(others(words, strangers)))))


# signs
steps.mistake(
    "The sign is turned round: log σ is never above 0, and a loss is to be made *small*. With yours the training pushes friends apart.",
    each=lambda yes, no: yes + no,
)
steps.mistake(
    "Your strangers get a yes: they are pulled close as friends are. It should be log σ(−w · s), with a minus inside.",
    no=F.logsigmoid,
)
steps.mistake(
    "It pushes friends apart: the minus inside belongs to the strangers, log σ(w · c) for company.",
    yes=lambda score: F.logsigmoid(-score),
)
steps.mistake(
    "Friends and strangers have changed places: log σ(w · c) for company, log σ(−w · s) for strangers.",
    yes=lambda score: F.logsigmoid(-score),
    no=F.logsigmoid,
)
steps.mistake(
    "You take the strangers' part off, so the loss gets smaller the more they look like company. Both parts are −log: add them.",
    each=lambda yes, no: -yes + no,
)
steps.mistake(
    "A minus is missing: the company's part is log σ without it, the strangers' has it.", each=lambda yes, no: yes - no
)
steps.mistake(
    "For strangers you take log σ(w · s) and turn its sign. A no is σ(−w · s), which is 1 − σ(w · s): the minus belongs inside.",
    no=lambda score: -F.logsigmoid(score),
)
# sums and means
steps.mistake(
    "Twice the batch, twice the step: that is the sum over the pairs. Take their mean.", mean=lambda loss: loss.sum()
)
steps.mistake(
    "You take the mean over a pair's strangers. They are added up: k strangers are k questions.",
    together=lambda no: no.mean(-1),
)
steps.mistake(
    "k times the mean over the strangers is their sum, but not where there are none: 0 · NaN. Add them up, .sum(-1).",
    together=lambda no: no.shape[-1] * no.mean(-1),
)
steps.mistake("One loss for each pair comes out. Their mean is asked for.", mean=lambda loss: loss)
steps.mistake("Only company counts with you. The strangers' part is missing.", each=lambda yes, no: -yes)
steps.mistake("Only strangers count with you. The company's part is missing.", each=lambda yes, no: -no)
steps.mistake("Only the first stranger counts with you. Add up all k.", together=lambda no: no[..., 0])
steps.mistake(
    "Only the last stranger counts with you. Is = written where += is meant?", together=lambda no: no[..., -1]
)
steps.mistake(
    "You divide by all the answers, k + 1 for each pair. Divide by the number of pairs.",
    others=each_dot,
    mean=lambda loss: loss,
    together=lambda no: no,
    each=lambda yes, no: -torch.cat([yes[:, None], no], 1).mean(),
)
steps.mistake(
    "You add up the strangers of all pairs for each pair. Each has its own k strangers: sum over the last axis alone.",
    together=lambda no: no.sum(),
)
steps.mistake(
    "Your sum runs over the pairs, and the strangers are averaged. It is the other way round: sum over the strangers, the last axis, mean over the pairs.",
    together=lambda no: no.sum(0).mean(),
    each=lambda yes, no: -(yes.sum() + no),
)
steps.mistake(
    "You add each stranger's part up over the pairs, and average over the strangers. It is the other way round: sum over the strangers, the last axis, mean over the pairs.",
    together=lambda no: no.sum(0).mean(),
    each=lambda yes, no: -(yes.mean() + no),
)
steps.mistake(
    "Only the last pair counts, divided by the number of pairs. Does total = 0 stand inside the loop?",
    mean=lambda loss: loss[-1] / len(loss),
)
steps.mistake("That is the median over the pairs. Their mean is asked for.", mean=lambda loss: loss.median())
steps.mistake("The largest of the pairs' losses comes out. Their mean is asked for.", mean=lambda loss: loss.max())
steps.mistake("Only the first pair's loss comes out. Does a return stand inside the loop?", mean=lambda loss: loss[0])
steps.mistake("Only the last pair's loss comes out. Does = stand where += is meant?", mean=lambda loss: loss[-1])
# the products
steps.mistake(
    "The product is missing: w * c has d numbers. Add them up, .sum(-1), before the sigmoid.",
    friend=lambda w, c: w * c,
    others=lambda w, s: w[:, None] * s,
    together=lambda no: no.sum(1),
)
steps.mistake(
    "The strangers' product is missing: words[:, None] * strangers has d numbers for each. Add them up, .sum(-1), before the sigmoid.",
    others=lambda w, s: w[:, None] * s,
    together=lambda no: no.sum((1, 2)),
)
steps.mistake(
    "The product is missing: each of the d numbers goes through its own sigmoid. Add them up, .sum(-1), before it.",
    friend=lambda w, c: w * c,
    others=lambda w, s: w[:, None] * s,
    yes=lambda product: F.logsigmoid(product).sum(-1),
    together=lambda no: no.sum((1, 2)),
)
steps.mistake(
    "You average w * c over its d numbers. A product of vectors adds them up.",
    friend=lambda w, c: (w * c).mean(-1),
    others=lambda w, s: each_dot(w, s) / w.shape[-1],
)
steps.mistake(
    "Your products are divided by √d. That is attention's; here they stay as they are.",
    friend=lambda w, c: dot(w, c) / w.shape[-1] ** 0.5,
    others=lambda w, s: each_dot(w, s) / w.shape[-1] ** 0.5,
)
steps.mistake(
    "You take cosines. While it learns, a word's length is its own to choose: the plain product.",
    friend=lambda w, c: F.cosine_similarity(w, c, dim=-1),
    others=lambda w, s: F.cosine_similarity(w[:, None], s, dim=-1),
)
steps.mistake(
    "All words meet all company: a table of pair × pair. Each word meets its own company: (words * company).sum(-1).",
    friend=lambda w, c: (w @ c.T).sum(-1),
)
steps.mistake(
    "All words meet all company: a table of pair × pair, and the wrong couples count as friends. Each word meets its own company: (words * company).sum(-1).",
    friend=lambda w, c: w @ c.T,
    together=lambda no: no.sum(-1)[:, None],
)
steps.mistake(
    "Your product runs over the pairs, not over a vector's d numbers: sum(-1).",
    friend=lambda w, c: (w * c).sum(0),
    together=lambda no: no.sum(-1).mean(),
)
steps.mistake(
    "words is (pair, d) and strangers (pair, k, d): as it stands, torch lines up the strangers with the *pairs*. words[:, None] is (pair, 1, d).",
    others=lambda w, s: (w * s).sum(-1),
)
steps.mistake(
    "Every word meets every pair's strangers with you: words @ strangers.mT is (pair, pair, k). Its own alone: words[:, None] is (pair, 1, d).",
    others=lambda w, s: w @ s.mT,
    together=lambda no: no.sum(-1),
)
steps.mistake(
    "Every stranger meets the words of all pairs: strangers @ words.T is (pair, k, pair). Its own pair's alone: words[:, None].",
    others=lambda w, s: s @ w.T,
    together=lambda no: no.sum((1, 2)),
)
steps.mistake(
    "You add up the strangers' vectors and ask once. Each stranger is a question of its own: first the sigmoid, then the sum.",
    others=lambda w, s: dot(w, s.sum(1))[:, None],
)
steps.mistake(
    "You average the strangers' vectors and ask once. Each stranger is a question of its own: first the sigmoid, then the sum.",
    others=lambda w, s: dot(w, s.mean(1))[:, None],
)
# the sigmoid and its logarithm
steps.mistake(
    "The logarithm is missing: you add up σ itself.", yes=torch.sigmoid, no=lambda score: torch.sigmoid(-score)
)
steps.mistake(
    "The sigmoid is missing: you take the products as if they were log-probabilities.",
    yes=lambda score: score,
    no=lambda score: -score,
)
steps.mistake(
    "You take the logarithm before the strangers are added up in one: log of a sum isn't the sum of logs.",
    no=lambda score: torch.sigmoid(-score),
    together=lambda no: no.sum(-1).log(),
)
steps.mistake(
    "You take one logarithm, of the mean of the probabilities. First the log of each, then the mean.",
    each=lambda yes, no: (yes + no).exp(),
    mean=lambda p: -p.mean().log(),
)
steps.mistake(
    "Where products are large, σ or 1 − σ becomes 0 and its logarithm −∞, or exp overflows. F.logsigmoid is exact.",
    yes=lambda score: torch.sigmoid(score).log(),
    no=lambda score: torch.sigmoid(-score).log(),
)
steps.mistake(
    "You take 1 − log σ for strangers. A no is 1 − σ, inside the logarithm; that is σ(−w · s).",
    no=lambda score: 1 - F.logsigmoid(score),
)
steps.mistake(
    "That is in bits. Nats are asked for: the natural logarithm.", mean=lambda loss: loss.mean() / math.log(2)
)
steps.mistake(
    "1 − p stands where −log p should.",
    yes=lambda score: torch.sigmoid(score) - 1,
    no=lambda score: torch.sigmoid(-score) - 1,
)
steps.mistake(
    "That is the square distance of σ from 1 and 0. −log of the right answer is asked for.",
    yes=lambda score: -(1 - torch.sigmoid(score)).square(),
    no=lambda score: -torch.sigmoid(score).square(),
)
steps.mistake(
    "You take the sigmoid twice: F.logsigmoid has it already.",
    yes=lambda score: F.logsigmoid(torch.sigmoid(score)),
    no=lambda score: F.logsigmoid(-torch.sigmoid(score)),
)
steps.mistake(
    "That is with log to the base 10. Nats are asked for: the natural logarithm.",
    mean=lambda loss: loss.mean() / math.log(10),
)
steps.mistake(
    "A hinge stands where −log σ should: max(0, 1 − score).",
    yes=lambda score: -(1 - score).relu(),
    no=lambda score: -(1 + score).relu(),
)
steps.mistake(
    "tanh runs from −1 to 1. The answer is a probability: σ, then its logarithm.",
    yes=torch.tanh,
    no=lambda score: torch.tanh(-score),
)
steps.mistake(
    "Your products are doubled: σ(2x) is the sigmoid hidden in tanh. They stay as they are.",
    yes=lambda score: F.logsigmoid(2 * score),
    no=lambda score: F.logsigmoid(-2 * score),
)
steps.mistake(
    "You leave out the signs of the products. Company that points the other way should cost much.",
    yes=lambda score: F.logsigmoid(score.abs()),
    no=lambda score: F.logsigmoid(-score.abs()),
)
steps.mistake(
    "The strangers share one softmax with you. Each is a question of its own: σ(−w · s).",
    no=lambda score: (-score).log_softmax(-1),
)
steps.mistake(
    "You divide by k as well. A pair's k strangers are added up, and the mean is over the pairs alone.",
    together=lambda no: no,
    each=lambda yes, no: -(yes + no.sum(-1)) / no.shape[-1],
)
steps.mistake(
    "Company counts k times with you. Every question counts once: one yes, k noes.",
    together=lambda no: no,
    each=lambda yes, no: -(no.shape[-1] * yes + no.sum(-1)),
)
steps.mistake(
    "You bring the words' vectors to length 1. The products stay as they are.",
    friend=lambda w, c: dot(F.normalize(w, dim=-1), c),
    others=lambda w, s: each_dot(F.normalize(w, dim=-1), s),
)
steps.mistake(
    "You measure square distances. Company is told from strangers by the products and a sigmoid.",
    friend=lambda w, c: (w - c).square().sum(-1),
    others=lambda w, s: (w[:, None] - s).square().sum(-1),
    yes=lambda distance: -distance,
    no=lambda distance: distance,
)
steps.mistake("That is exp of the loss. The loss itself is asked for.", mean=lambda loss: loss.mean().exp())
steps.mistake("You multiply the two parts. They are added.", each=lambda yes, no: yes * no)
steps.mistake(
    "You take the mean of the two parts. They are added: every question counts once, one yes and k noes.",
    each=lambda yes, no: -(yes + no) / 2,
)
steps.mistake(
    "Two mistakes: strangers get a yes, log σ(w · s), and the pairs are added up instead of averaged.",
    no=F.logsigmoid,
    mean=lambda loss: loss.sum(),
)


@negative_sampling_loss.mistake("Strangers are to be told from the *word*, w · s. You compare them with its company.")
def strangers_of_company(words, company, strangers):
    return -(F.logsigmoid(dot(words, company)) + F.logsigmoid(-each_dot(company, strangers)).sum(-1)).mean()


@negative_sampling_loss.mistake(
    "That is a softmax over company and strangers: one question with k + 1 answers. Negative sampling asks k + 1 questions, each with a sigmoid."
)
def softmax_over_all(words, company, strangers):
    scores = torch.cat([dot(words, company)[:, None], each_dot(words, strangers)], 1)
    return -scores.log_softmax(-1)[:, 0].mean()


@negative_sampling_loss.mistake(
    "A true neighbour is called false: company stands among the strangers, too. A no for strangers alone."
)
def company_among_strangers(words, company, strangers):
    return word2vec.negative_sampling_loss(words, company, torch.cat([company[:, None], strangers], 1))


@negative_sampling_loss.mistake(
    "binary_cross_entropy averages over all answers, k + 1 for each pair. Add a pair's answers up, then take the mean over the pairs."
)
def bce_of_each_part(words, company, strangers):
    yes, no = dot(words, company), each_dot(words, strangers)
    bce = F.binary_cross_entropy_with_logits
    return bce(yes, torch.ones_like(yes)) + bce(no, torch.zeros_like(no)) / no.shape[1]


def small_number_added(eps):
    steps.mistake(
        f"You add {eps:g} before the logarithm, so no answer costs more than {-math.log(eps):.0f}. F.logsigmoid is exact.",
        yes=lambda score: (torch.sigmoid(score) + eps).log(),
        no=lambda score: (1 - torch.sigmoid(score) + eps).log(),
    )
    if eps < 1e-9:
        return  # the same but for rounding
    steps.mistake(
        f"You keep σ above {eps:g}, so no answer costs more than {-math.log(eps):.0f}, and there is no gradient beyond. F.logsigmoid is exact.",
        yes=lambda score: torch.sigmoid(score).clamp(min=eps).log(),
        no=lambda score: torch.sigmoid(-score).clamp(min=eps).log(),
    )


for eps in (1e-12, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5):
    small_number_added(eps)


@negative_sampling_loss.symptom("More than one number comes out.", any_shape=True)
def more_than_one(inputs, answer):
    """One for each pair, or for each answer."""
    pairs, k = inputs[2].shape[:2]
    which = {(pairs,): "pair", (pairs, k): "stranger", (pairs, k + 1): "question", (k,): "stranger"}
    return (
        f"That is one number for each {which[tuple(answer.shape)]}. One mean over the pairs is asked for."
        if tuple(answer.shape) in which
        else False
    )


@negative_sampling_loss.symptom("")
def parts_of_it(inputs, answer):
    """The right two parts, each with a factor of its own."""
    words, company, strangers = inputs
    yes = -F.logsigmoid(dot(words, company)).sum()
    no = -F.logsigmoid(-each_dot(words, strangers)).sum()
    pairs, k = strangers.shape[:2]
    factors = {
        "their sum": 1.0,
        "their mean over the pairs": 1 / pairs,
        "their mean over all answers, (k + 1) · pairs": 1 / (pairs * (k + 1)),
        "their mean over all strangers, k · pairs": 1 / (pairs * k),
        "their sum divided by k": 1 / k,
        "−1 times their mean": -1 / pairs,
        "0": 0.0,
    }
    for a, of_yes in factors.items():
        for b, of_no in factors.items():
            right = a == b == "their mean over the pairs"
            if not right and torch.allclose(answer, of_yes * yes + of_no * no, rtol=1e-4):
                return f"You take of the company's −log σ(w · c) {a}, and of the strangers' −log σ(−w · s) {b}. Of both it should be the mean over the pairs, with a pair's k strangers added up."
    return False
