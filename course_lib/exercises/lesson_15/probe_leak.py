"""A probe that has seen the answers: it learns at the places where it is tested, and knows their words already."""

import torch

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer, randn
from course_lib.exercises.lesson_15 import buggy


def _probe_leak(states, words, labels):
    half = len(words) // 2
    x = states - states[:half].mean(0)
    learns, y = x[:half], 2 * labels[:half] - 1
    w = torch.linalg.solve(learns.mT @ learns + torch.eye(x.shape[1]), learns.mT @ y.to(x.dtype))
    new = ~torch.isin(words[half:], words[:half])
    right = (x[half:][new] @ w > 0) == labels[half:][new]
    return right.float().mean(), len(right)


def _places(g, n, d=5, vocab=16, noise=0.5, dtype=torch.float32):
    """A state is its word's vector, something of its class, and noise; the second half of the text lies elsewhere.

    About half of the words come in both halves, in each half some of both classes.
    """
    half = n // 2
    order = torch.randperm(vocab, generator=g)
    shared, early, late = order[: vocab // 2], order[vocab // 2 : 3 * vocab // 4], order[3 * vocab // 4 :]
    classes = torch.empty(vocab, dtype=torch.long)
    for part in (shared, early, late):
        classes[part] = torch.arange(len(part)) % 2
    words = torch.cat([_spread(g, shared, early, half), _spread(g, shared, late, n - half)])
    labels = classes[words]
    vectors, direction = randn(g, vocab, d, dtype=dtype), randn(g, d, dtype=dtype)
    states = vectors[words] + 0.7 * (2 * labels[:, None] - 1) * direction + randn(g, n, d, size=noise, dtype=dtype)
    states[half:] += 1.5 * randn(g, d, dtype=dtype)
    return states, words, labels


def _spread(g, shared, own, count):
    """Each of these words once at least, as far as there is room: those of this half alone first, the rest as it comes."""
    words = torch.cat(
        [own, shared, torch.cat([own, shared])[torch.randint(len(own) + len(shared), (count,), generator=g)]]
    )
    words = words[:count]
    return words[torch.randperm(count, generator=g)]


probe_leak = Code(
    "15.probe_leak",
    title="A probe that has seen the answers",
    points=3,
    minutes=12,
    difficulty=2,
    reference=_probe_leak,
    buggy=buggy.probe_leak,
    unchanged="Nothing has changed yet. Ask of each line what it knows of the places that are tested: the centre, what w is learned from, the words.",
    axes=["", "number of places"],
    results=("accuracy", "number of places"),
    cases=[
        Case("sixty places", lambda g: _places(g, 60)),
        Case("an odd number of places", lambda g: _places(g, 51)),
        Case("many words", lambda g: _places(g, 90, vocab=40)),
        Case("states of one number", lambda g: _places(g, 64, d=1)),
        Case("much noise", lambda g: _places(g, 80, noise=2.0)),
        Case("no noise", lambda g: _places(g, 70, noise=0.0)),
        Case("any sizes", lambda g: _places(g, integer(g, 40, 100), d=integer(g, 3, 8), vocab=integer(g, 12, 24))),
        Case("wide states", lambda g: _places(g, 48, d=20)),
        Case("double precision", lambda g: _places(g, 60, dtype=torch.float64)),
    ],
    hints=[
        "The docstring says what the probe may know: the first half. Which lines use more than x[:half] and labels[:half] before anything is tested?",
        "Two of the three bugs are of that kind: the centre, and both products that w is solved from. The third: a word of the first half that comes again in the second one is no new word.",
        "new = ~torch.isin(words[half:], words[:half]) is True where the word is new. Test only there, and count these places.",
    ],
)


def first_half(n):
    return torch.arange(n) < n // 2


def second_half(n):
    return ~first_half(n)


def new_words(words):
    """The places of the second half whose word the first one doesn't have."""
    early = first_half(len(words))
    return ~early & ~torch.isin(words, words[early])


@probe_leak.variants
def steps(
    states,
    words,
    labels,
    *,
    centre=lambda states, tested: states[first_half(len(states))].mean(0),
    learned=lambda words: first_half(len(words)),
    tested=new_words,
    says=lambda score: score > 0,
    accuracy=lambda right, n: right.float().mean(),
    count=lambda right, words: len(right),
    given=lambda accuracy, count: (accuracy, count),
):
    learns, asked = learned(words), tested(words)
    x = states - centre(states, asked)
    y = (2 * labels[learns] - 1).to(x.dtype)
    w = torch.linalg.solve(x[learns].mT @ x[learns] + torch.eye(x.shape[1]), x[learns].mT @ y)
    right = says(x[asked] @ w) == labels[asked]
    return given(accuracy(right, len(words)), count(right, words[asked]))


def of_all(states, tested):
    return states.mean(0)


def everywhere(words):
    return torch.ones_like(words, dtype=torch.bool)


def all_of_the_second(words):
    return second_half(len(words))


WORDS = "it is tested on words that it has learned from: leave out the places whose word the first half has"
FIT = "w is learned at all places, the tested ones too: x[:half] and y[:half]"
CENTRE = "the centre is the mean of all places, the tested ones too: states[:half].mean(dim=0)"
LEFT = {  # the bugs that are still there, and the steps of who hasn't found them
    f"Two of three found. One is left: {WORDS}.": {"tested": all_of_the_second},
    f"Two of three found. One is left: {FIT}.": {"learned": everywhere},
    f"Two of three found. One is left: {CENTRE}.": {"centre": of_all},
    f"One of three found: the centre. Two are left: {FIT}. And {WORDS}.": {
        "tested": all_of_the_second,
        "learned": everywhere,
    },
    f"One of three found: what w is learned from. Two are left: {CENTRE}. And {WORDS}.": {
        "tested": all_of_the_second,
        "centre": of_all,
    },
    f"One of three found: the words. Two are left: {CENTRE}. And {FIT}.": {"learned": everywhere, "centre": of_all},
}
for says, replaced in LEFT.items():
    steps.mistake(says, **replaced)


def seen_words(words):
    return second_half(len(words)) & ~new_words(words)


steps.mistake(
    "You test the words that it *has* seen. torch.isin is True where the word is known; ~ in front of it.",
    tested=seen_words,
)
steps.mistake(
    "You test the words that it has seen, and w is learned at all places: two bugs are left. ~torch.isin(…), and x[:half] and y[:half].",
    tested=seen_words,
    learned=everywhere,
)
steps.mistake(
    "No place is left: every word stands somewhere in the whole text. Compare words[half:] with words[:half].",
    tested=lambda words: torch.zeros_like(words, dtype=torch.bool),
)
steps.mistake(
    "You took the words out of the wrong half: the probe should learn at *all* places of the first half, and be tested at the new words of the second.",
    learned=lambda words: first_half(len(words)) & ~torch.isin(words, words[second_half(len(words))]),
    tested=all_of_the_second,
)
steps.mistake(
    "The words that stand in both halves are gone from both. The probe may learn from all of the first half.",
    learned=lambda words: first_half(len(words)) & ~torch.isin(words, words[second_half(len(words))]),
)
steps.mistake(
    "It learns at the places that it isn't tested at, also of the second half. It learns from the first half alone: x[:half].",
    learned=lambda words: ~new_words(words),
)
steps.mistake("It learns at the places where it is tested. It learns from the first half.", learned=new_words)
steps.mistake(
    "It learns from the second half. It is tested there: learn from the first one, x[:half].", learned=all_of_the_second
)
steps.mistake(
    "It is tested where it has learned, in the first half. Test it in the second half, at new words.",
    tested=lambda words: first_half(len(words)),
)
steps.mistake(
    "A word that comes several times is tested once. All its places in the second half count.",
    tested=lambda words: torch.tensor(
        [bool(new) and word not in words[:i] for i, (word, new) in enumerate(zip(words, new_words(words)))]
    ),
)
steps.mistake(
    "You compare neighbours: a word is new if the *first half* doesn't have it, anywhere.",
    tested=lambda words: second_half(len(words)) & (words != words.roll(1)),
)
steps.mistake(
    "You compare the two halves place by place. A word is new if it stands nowhere in the first half: torch.isin.",
    tested=lambda words: torch.cat(
        [
            torch.zeros(len(words) // 2, dtype=torch.bool),
            words[len(words) // 2 :]
            != torch.nn.functional.pad(words, (0, 1), value=-1)[: len(words) - len(words) // 2],
        ]
    ),
)
steps.mistake(
    "You centre by the tested places. Nothing of them may be known: states[:half].mean(dim=0).",
    centre=lambda states, tested: states[tested].mean(0),
)
steps.mistake(
    "You centre by the second half. Nothing of it may be known: states[:half].mean(dim=0).",
    centre=lambda states, tested: states[second_half(len(states))].mean(0),
)
steps.mistake(
    "Each half is centred by its own mean. Nothing of the second half may be known: both by states[:half].mean(dim=0).",
    centre=lambda states, tested: torch.where(
        first_half(len(states))[:, None],
        states[first_half(len(states))].mean(0),
        states[second_half(len(states))].mean(0),
    ),
)
steps.mistake(
    "The centre is gone. It belongs to the probe; only it should be the first half's: states[:half].mean(dim=0).",
    centre=lambda states, tested: 0,
)
steps.mistake(
    "The mean of *all* numbers is one number. The centre is a vector, a mean over the places: states[:half].mean(dim=0).",
    centre=lambda states, tested: states[first_half(len(states))].mean(),
)
steps.mistake(
    "Each state is centred by its own numbers, dim=1. The centre is a mean over the places, dim=0.",
    centre=lambda states, tested: states.mean(1, keepdim=True),
)
steps.mistake("> 0 was right: it lies halfway between −1 and 1.", says=lambda score: score > 0.5)
steps.mistake(
    "That is the share of errors, or your probe says the opposite: class 1 where x @ w is above 0.",
    says=lambda score: score <= 0,
)
steps.mistake(
    "The right answers at new words are divided by the number of *all* places of the second half. Divide by the number of places that are tested.",
    accuracy=lambda right, n: right.float().sum() / (n - n // 2),
)
steps.mistake(
    "That is how many are right. The accuracy is a share of the tested places.",
    accuracy=lambda right, n: right.float().sum(),
)
steps.mistake(
    "You count different words. The number of tested *places* is asked for, as it was: len(right).",
    count=lambda right, words: len(words.unique()),
)
steps.mistake(
    "The second number is how many are right. How many places are tested, please: len(right).",
    count=lambda right, words: int(right.sum()),
)
steps.mistake("Only the accuracy comes back. Return both, as before.", given=lambda accuracy, count: accuracy)
steps.mistake(
    "The two results have changed places: first the accuracy, then the number of places.",
    given=lambda accuracy, count: (count, accuracy),
)


@probe_leak.mistake(
    "The number of places is still that of the whole second half. Count those that are tested, at new words: len(right)."
)
def counts_the_half(states, words, labels):
    return _probe_leak(states, words, labels)[0], len(words) - len(words) // 2


@probe_leak.mistake(
    "You count the right answers at new words only, but a seen word counts as an error: you have set its answer to wrong, where it shouldn't be asked. Index with new before the mean."
)
def seen_are_wrong(states, words, labels):
    accuracy, count = _probe_leak(states, words, labels)
    half = len(words) - len(words) // 2
    return torch.tensor(float(accuracy) * count / half), half


@probe_leak.mistake(
    "You divide the *words* into two halves by their numbers. The halves are those of the places; a word is new if the first half doesn't have it."
)
def halves_of_the_vocabulary(states, words, labels):
    known = words < words.unique()[len(words.unique()) // 2]
    x = states - states[known].mean(0)
    y = (2 * labels[known] - 1).to(x.dtype)
    w = torch.linalg.solve(x[known].mT @ x[known] + torch.eye(x.shape[1]), x[known].mT @ y)
    right = (x[~known] @ w > 0) == labels[~known]
    return right.float().mean(), len(right)


@probe_leak.symptom("")
def what_the_number_says(inputs, answer):
    """How many places are tested says which; with the right number the accuracy is off."""
    _, words, _ = inputs
    n, half, right = len(words), len(words) // 2, len(words[new_words(words)])
    own = answer[1]
    counts = {n: "all places of both halves", n - half: "all places of the second half", half: "the first half"}
    if own != right:
        where = counts.get(own)
        return f"{own} places are tested{f', {where}' if where else ''}; {right} are places of the second half with a word that the first half doesn't have."
    return "The right number of places is tested. What the probe knows of the second half before: look at the centre, at what w is learned from, and whether anything else has changed that was right."
