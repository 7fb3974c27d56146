"""The nucleus: the fewest likeliest words that hold a share p of the probability."""

import math

import torch

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer, randn


def _top_p_filter(probabilities, p):
    sorted_p, order = probabilities.sort(dim=-1, descending=True)
    before = sorted_p.cumsum(-1) - sorted_p
    kept = torch.zeros_like(probabilities).scatter(-1, order, sorted_p.masked_fill(before >= p, 0.0))
    return kept / kept.sum(-1, keepdim=True)


def _shares(g, *shape, size=2.0, dtype=torch.float32):
    return randn(g, *shape, size=size, dtype=dtype).softmax(-1)


def _exactly(g):
    """The two likeliest hold exactly p = .75; every sum of these numbers is exact."""
    return torch.tensor([0.0625, 0.5, 0.125, 0.0625, 0.25])[torch.randperm(5, generator=g)], 0.75


def _between(g, low, high):
    return low + (high - low) * torch.rand((), generator=g).item()


def _one_is_enough(g):
    shares = _shares(g, 3, 6)
    return 0.3 * shares + 0.7 * torch.eye(6)[torch.randint(6, (3,), generator=g)], _between(g, 0.2, 0.6)


top_p_filter = Code(
    "13.top_p_filter",
    title="The nucleus",
    points=4,
    minutes=15,
    difficulty=2,
    reference=_top_p_filter,
    forbidden=("sampling_probabilities", "top_p"),
    axes=["... vocab"],
    cases=[
        Case("two places, eight words", lambda g: (_shares(g, 2, 8), 0.7)),
        Case("one place", lambda g: (_shares(g, 9), _between(g, 0.5, 0.9))),
        Case("the likeliest alone is more than p", _one_is_enough),
        Case("the two likeliest hold exactly p", _exactly),
        Case("nearly all", lambda g: (_shares(g, 2, 7, size=1.0), 0.97)),
        Case("a flat distribution", lambda g: (_shares(g, 3, 12, size=0.3), 0.6)),
        Case("a batch of texts", lambda g: (_shares(g, 2, 3, 6), 0.8)),
        Case("one text of one place", lambda g: (_shares(g, 1, 1, 10), 0.75)),
        Case("any sizes", lambda g: (_shares(g, integer(g, 2, 5), integer(g, 15, 30)), _between(g, 0.4, 0.95))),
        Case("double precision", lambda g: (_shares(g, 2, 8, dtype=torch.float64), 0.65)),
    ],
    hints=[
        "Sort each row, the largest first. What do the words *before* a word hold together? When may it still stay?",
        "probabilities.sort(dim=-1, descending=True) gives the values and where they came from. cumsum(-1) of the values, less the value itself, is what the likelier words hold: a word stays while that is below p.",
        "To put the kept values back in their places: torch.zeros_like(probabilities).scatter(-1, order, kept). Then divide each row by its sum.",
    ],
)


def back_in_place(values, order):
    return torch.zeros_like(values).scatter(-1, order, values)


@top_p_filter.variants
def steps(
    probabilities,
    p,
    *,
    ranked=lambda x: x.sort(dim=-1, descending=True),
    total=lambda x: x.cumsum(-1),
    kept=lambda x, total, p: total - x < p,
    back=back_in_place,
    shared=lambda x: x / x.sum(-1, keepdim=True),
):
    values, order = ranked(probabilities)
    values = values * kept(values, total(values), p)
    return shared(back(values, order))


steps.mistake(
    "Keep the one that crosses p: without it the words that are left hold less than p, and where the likeliest alone is more than p, nothing is left.",
    kept=lambda x, total, p: total <= p,
)
steps.mistake(
    "Keep the one that crosses p. And where the words hold exactly p, keep the last of them, too: a word stays while those before it hold less than p.",
    kept=lambda x, total, p: total < p,
)
steps.mistake(
    "The word that crosses p is dropped, unless it is the first. It belongs to the nucleus: without it the words hold less than p.",
    kept=lambda x, total, p: (total <= p) | (torch.arange(x.shape[-1]) == 0),
)
steps.mistake(
    "One word too many where the words hold exactly p: they are the fewest already. A word stays while those before it hold *less* than p.",
    kept=lambda x, total, p: total - x <= p,
)
steps.mistake(
    "One word too many: the one that crosses p is the last that stays. You keep the next one, too.",
    kept=lambda x, total, p: torch.cat([torch.ones_like(x[..., :1]), (total - x < p)[..., :-1].to(x.dtype)], -1) > 0,
)
steps.mistake("What is left must sum to 1: divide each row by its sum.", shared=lambda x: x)
steps.mistake(
    "You take a softmax of probabilities, so words that were thrown out come back (exp(0) = 1). Divide by the sum.",
    shared=lambda x: x.softmax(-1),
)
steps.mistake(
    "You divide by the sum of the whole batch. Each place is a distribution by itself: sum over dim=-1.",
    shared=lambda x: x / x.sum(),
)
steps.mistake(
    "Largest first, then add up: you add up in the order of the vocabulary, so whoever stands in front stays.",
    ranked=lambda x: (x, torch.arange(x.shape[-1]).expand_as(x)),
)
steps.mistake(
    "You add up from the smallest: the *un*likeliest words stay. Sort with descending=True.",
    ranked=lambda x: x.sort(dim=-1),
)
steps.mistake(
    "The right words are kept, but they come back sorted. Each belongs in its own place of the vocabulary: scatter them back.",
    back=lambda values, order: values,
)
steps.mistake(
    "On the way back you gather where you should scatter: order says where each came *from*. zeros.scatter(-1, order, values), or values.gather(-1, order.argsort(-1)).",
    back=lambda values, order: values.gather(-1, order),
)
steps.mistake(
    "You throw out the nucleus and keep the tail: the comparison is turned round.",
    kept=lambda x, total, p: total - x >= p,
)
steps.mistake(
    "You sort or add up over the wrong axis: it runs over the vocabulary, the last one.", total=lambda x: x.cumsum(0)
)
steps.mistake(
    "What stays is 1 for you, and then shared evenly. The words of the nucleus keep their proportions.",
    kept=lambda x, total, p: (total - x < p) / x.clamp(min=1e-30),
)
steps.mistake("You keep words until they hold 1 − p. The nucleus holds p.", kept=lambda x, total, p: total - x < 1 - p)


@top_p_filter.mistake(
    "Your mask is in sorted order, the probabilities are in the vocabulary's: each word is judged by another's rank. Mask the sorted values, then scatter them back."
)
def mask_not_put_back(probabilities, p):
    values = probabilities.sort(dim=-1, descending=True).values
    return steps(probabilities, p, back=lambda _, order: probabilities * (values.cumsum(-1) - values < p))


@top_p_filter.mistake(
    "A softmax of what is left changes its proportions: these are probabilities already, not logits. Divide by their sum."
)
def softmax_of_the_nucleus(probabilities, p):
    nucleus = _top_p_filter(probabilities, p) > 0
    return probabilities.masked_fill(~nucleus, float("-inf")).softmax(-1)


@top_p_filter.mistake(
    "−∞ is for logits, before a softmax. These are probabilities: whoever is thrown out gets 0, and what is left is divided by its sum."
)
def minus_infinity(probabilities, p):
    return probabilities.masked_fill(_top_p_filter(probabilities, p) == 0, float("-inf"))


@top_p_filter.mistake(
    "You share out the rest evenly, so the kept words lose their proportions. Divide each row by its sum instead."
)
def rest_shared_evenly(probabilities, p):
    kept = _top_p_filter(probabilities, p) > 0
    left = probabilities * kept
    return left + kept * (1 - left.sum(-1, keepdim=True)) / kept.sum(-1, keepdim=True)


@top_p_filter.mistake(
    "You sort and add up along the first axis, over different places. The vocabulary is the last one: dim=-1."
)
def along_the_first_axis(probabilities, p):
    return _top_p_filter(probabilities.movedim(0, -1), p).movedim(-1, 0)


@top_p_filter.mistake(
    "You keep the running sums of the nucleus. They only say who stays: what stays is the probabilities themselves."
)
def running_sums(probabilities, p):
    values, order = probabilities.sort(dim=-1, descending=True)
    total = values.cumsum(-1)
    kept = back_in_place(total * (total - values < p), order)
    return kept / kept.sum(-1, keepdim=True)


@top_p_filter.mistake("You divide by p. What is left holds p or a little more: divide by its own sum.")
def divided_by_p(probabilities, p):
    return steps(probabilities, p, shared=lambda x: x) / p


TOGETHER = "the nucleus is the words that hold p *together*, however probable each of them is."
FLOORS = {  # what each word is compared with, by itself
    "You keep the words whose probability is at least p; " + TOGETHER: lambda x, p: p,
    "You keep the words whose probability is at least 1 − p; " + TOGETHER: lambda x, p: 1 - p,
    "You keep words of at least p times the likeliest one's probability. That is another filter (min-p); "
    + TOGETHER: lambda x, p: p * x.amax(-1, keepdim=True),
    "You keep the words that are likelier than the mean of all, 1 / vocab; " + TOGETHER: lambda x, p: 1 / x.shape[-1],
}


def each_by_itself(floor):
    def answer(probabilities, p):
        kept = probabilities * (probabilities >= floor(probabilities, p))
        return kept / kept.sum(-1, keepdim=True)

    return answer


for says, floor in FLOORS.items():
    top_p_filter.mistake(says)(each_by_itself(floor))


def the_likeliest(probabilities, k):
    values, at = probabilities.topk(k, dim=-1)
    kept = torch.zeros_like(probabilities).scatter(-1, at, values)
    return kept / kept.sum(-1, keepdim=True)


def share_of_the_words(whole):
    return lambda probabilities, p: the_likeliest(probabilities, max(1, whole(p * probabilities.shape[-1])))


for whole, how in ((round, "rounded"), (int, "rounded down"), (math.ceil, "rounded up")):
    top_p_filter.mistake(
        f"You keep a share p of the *words*, {how}: that is top-k. p is a share of the probability, so how many stay differs from place to place."
    )(share_of_the_words(whole))


@top_p_filter.mistake(
    "As many words stay at each place as in the first row's nucleus. Each place has a number of its own: work along dim=-1."
)
def as_many_as_in_the_first_row(probabilities, p):
    counts = (_top_p_filter(probabilities, p) > 0).sum(-1).flatten()
    return the_likeliest(probabilities, int(counts[0]))


@top_p_filter.mistake(
    "How many words stay is decided once for the whole batch. Each place has its own nucleus: work along dim=-1."
)
def all_rows_together(probabilities, p):
    flat = probabilities.flatten() / (probabilities.numel() // probabilities.shape[-1])
    return steps(flat, p, shared=lambda x: x).view_as(probabilities) / (
        steps(flat, p, shared=lambda x: x).view_as(probabilities).sum(-1, keepdim=True)
    )


@top_p_filter.mistake("Only the likeliest word stays: that is greedy decoding.")
def greedy_only(probabilities, p):
    return torch.nn.functional.one_hot(probabilities.argmax(-1), probabilities.shape[-1]).to(probabilities.dtype)


@top_p_filter.mistake("Nothing is thrown out: the probabilities come back as they were.")
def as_they_were(probabilities, p):
    return probabilities + 0.0


@top_p_filter.symptom("What comes back doesn't sum to 1 at each place: divide by the sum of what is left, over dim=-1.")
def does_not_sum_to_one(inputs, answer):
    return not torch.allclose(answer.sum(-1), torch.ones((), dtype=answer.dtype), atol=1e-3)


def rows(inputs, answer):
    """(given, own, nucleus) of each place."""
    three = inputs[0], answer, _top_p_filter(*inputs)
    return zip(*(x.reshape(-1, x.shape[-1]) for x in three), strict=True)


@top_p_filter.symptom("A word stays that is less likely than one that is thrown out.")
def not_the_likeliest(inputs, answer):
    """A word stays that is less likely than one that is thrown out."""
    for given, own, _ in rows(inputs, answer):
        stay = own > 1e-6
        if stay.any() and not stay.all() and given[stay].min() < given[~stay].max():
            return (
                f"A word of probability {given[stay].min():.3f} stays, and one of {given[~stay].max():.3f} is thrown out. "
                "Whoever stays, it is the likeliest. Is your mask in sorted order, and what you mask in the vocabulary's?"
            )
    return False


@top_p_filter.symptom("Too many words stay, or too few.")
def another_number_of_words(inputs, answer):
    """The likeliest stay, but too many or too few: everywhere as many, or not."""
    counts = [(int((own > 1e-6).sum()), int((right > 0).sum())) for _, own, right in rows(inputs, answer)]
    at, off = next(((i, pair) for i, pair in enumerate(counts) if pair[0] != pair[1]), (0, None))
    if off is None or not all(got for got, _ in counts):
        return False
    where = "The first place is right. At another one, " * bool(at)
    if off[0] == inputs[0].shape[-1]:
        return where + "nobody is thrown out: words outside the nucleus still have a probability, where they get 0."
    alike = len(counts) > 2 and len({got for got, _ in counts}) == 1 < len({wanted for _, wanted in counts})
    return (
        f"{where}{'you' if where else 'You'} keep {off[0]} words where {off[1]} are the fewest that hold p. "
        + "And it is as many at each place, whatever its distribution. " * alike
        + "A word stays while the likelier ones hold less than p together."
    )


@top_p_filter.symptom(
    "All but the least likely word of the nucleus keep their proportions, and that one has too little: the word that crosses p stays whole."
)
def crossing_word_cut(inputs, answer):
    cut = [
        torch.allclose(own[rest] / own[rest].sum(), right[rest] / right[rest].sum(), atol=1e-4)
        and own[least] < right[least]
        for _, own, right in rows(inputs, answer)
        if (right > 0).sum() > 2
        for least in [right.masked_fill(right == 0, 2).argmin()]
        for rest in [torch.arange(len(right)) != least]
    ]
    return bool(cut) and all(cut)


@top_p_filter.symptom(
    "The right words stay, but not in proportion: one that was twice as probable as another is so no longer. Divide each row by its sum, and change nothing else."
)
def other_proportions(inputs, answer):
    return all(
        torch.equal(own > 0, right > 0) and not torch.allclose(own / own.sum(), right, atol=1e-3)
        for given, own, right in rows(inputs, answer)
        if (right > 0).sum() > 1
    )
