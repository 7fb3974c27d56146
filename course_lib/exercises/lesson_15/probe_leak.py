"""A probe that has seen the answers: it learns at the places where it is tested, and knows their words already."""

import itertools

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
    return w, right.float().mean(), len(right)


def _places(g, n, d=5, vocab=20, noise=1.0, dtype=torch.float32):
    """A state is its word's vector, something of its class, and noise; the second half of the text lies elsewhere.

    Half of the words come in both halves; at more than half of the second half's places stand words of its own.
    """
    half, order = n // 2, torch.randperm(vocab, generator=g)
    shared, early, late = order[: vocab // 2], order[vocab // 2 : 3 * vocab // 4], order[3 * vocab // 4 :]
    words = torch.cat([_drawn(g, early, shared, half), _drawn(g, late, shared, n - half)])
    labels = torch.randint(2, (vocab,), generator=g)
    labels[order[0]], labels[early[0]] = 0, 1  # the probe learns from both
    labels = labels[words]
    states = randn(g, vocab, d, dtype=dtype)[words] + randn(g, n, d, size=noise, dtype=dtype)
    states += 0.7 * (2 * labels[:, None] - 1) * randn(g, d, dtype=dtype)
    states[half:] += randn(g, d, dtype=dtype)
    return states, words, labels


def _drawn(g, own, shared, count):
    """Places of so many words, mixed: each word once, then two of its own for each shared one."""
    pool = torch.cat([own, own, own, own, shared])
    words = torch.cat([own, shared, pool[torch.randint(len(pool), (count,), generator=g)]])[:count]
    return words[torch.randperm(count, generator=g)]


def _with_plain_numbers(found, *inputs):
    """The accuracy and the number of places may be Python numbers or tensors with one number, of any precision."""
    if not (isinstance(found, tuple) and len(found) == 3):
        return found
    w, accuracy, count = found
    if isinstance(accuracy, float) or (_is_one_number(accuracy) and accuracy.is_floating_point()):
        accuracy = torch.tensor(float(accuracy))
    if _is_one_number(count) and not count.is_floating_point():
        count = int(count)
    return w, accuracy, count


def _is_one_number(x):
    return isinstance(x, torch.Tensor) and x.dim() == 0


probe_leak = Code(
    "15.probe_leak",
    title="A probe that has seen the answers",
    points=3,
    minutes=12,
    difficulty=2,
    reference=_probe_leak,
    buggy=buggy.probe_leak,
    unchanged="Nothing has changed yet. Ask of each line what it knows of the places that are tested: the centre, what w is learned from, the words.",
    axes=["d", "", "number of places"],
    results=("probe", "accuracy", "number of places"),
    settle=_with_plain_numbers,
    cases=[
        Case("a hundred and sixty places", lambda g: _places(g, 160)),
        Case("an odd number of places", lambda g: _places(g, 151)),
        Case("many words", lambda g: _places(g, 200, vocab=40)),
        Case("states of one number", lambda g: _places(g, 120, d=1)),
        Case("much noise", lambda g: _places(g, 180, noise=2.0)),
        Case("no noise", lambda g: _places(g, 170, noise=0.0)),
        Case("any sizes", lambda g: _places(g, integer(g, 120, 220), d=integer(g, 3, 8), vocab=integer(g, 12, 24))),
        Case("wide states", lambda g: _places(g, 140, d=20)),
        Case("double precision", lambda g: _places(g, 160, dtype=torch.float64)),
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
    of_y=lambda words, learns: learns,
    of_x=lambda words, learns: learns,
    tested=new_words,
    target=lambda labels: 2 * labels - 1,
    ridge=1.0,
    says=lambda score: score > 0,
    accuracy=lambda right, n: right.float().mean(),
    count=lambda right, words: len(right),
    given=lambda w, accuracy, count: (w, accuracy, count),
):
    learns, asked = learned(words), tested(words)
    with_x, with_y = (each(words, learns)[:, None] for each in (of_x, of_y))
    x = states - centre(states, asked)
    y = target(labels).to(x.dtype)
    w = torch.linalg.solve((x * with_x).mT @ x + ridge * torch.eye(x.shape[1]), (x * with_y).mT @ y)
    right = says(x[asked] @ w) == labels[asked]
    return given(w, accuracy(right, len(words)), count(right, words[asked]))


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


steps.mistake(
    "x.T @ x is still over all places, the tested ones too. Both products that w is solved from belong to the first half: x[:half].T @ x[:half].",
    of_x=lambda words, learns: everywhere(words),
)
steps.mistake(
    "x.T @ y is still over all places, with the tested ones' labels: the worst leak of all. x[:half].T @ y[:half].",
    of_y=lambda words, learns: everywhere(words),
)
steps.mistake(
    "Two leaks are left: x.T @ x is still over all places, x[:half].T @ x[:half]; and the centre is the mean of all of them, states[:half].mean(dim=0).",
    of_x=lambda words, learns: everywhere(words),
    centre=of_all,
)


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
    "The tested states aren't centred. The probe knows only centred ones: take the first half's mean off these as well.",
    centre=lambda states, tested: torch.where(
        first_half(len(states))[:, None], states[first_half(len(states))].mean(0), torch.zeros(())
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
steps.mistake(
    "You compare 0 and 1 with y, which is −1 or 1, so that class 0 is never right. Compare with labels.",
    says=lambda score: 2 * (score > 0) - 1 - (score <= 0).long(),
)
steps.mistake("The probe w doesn't come back any more. Return all three, as before.", given=lambda w, *others: others)
steps.mistake("Only the accuracy comes back. Return all three, as before.", given=lambda w, accuracy, count: accuracy)
steps.mistake(
    "Accuracy and number of places have changed places: w, accuracy, number.",
    given=lambda w, accuracy, count: (w, count, accuracy),
)


@probe_leak.mistake(
    "The number of places is still that of the whole second half. Count those that are tested, at new words: len(right)."
)
def counts_the_half(states, words, labels):
    return *_probe_leak(states, words, labels)[:2], len(words) - len(words) // 2


@probe_leak.mistake(
    "You count the right answers at new words only, but a seen word counts as an error: you have set its answer to wrong, where it shouldn't be asked. Index with new before the mean."
)
def seen_are_wrong(states, words, labels):
    w, accuracy, count = _probe_leak(states, words, labels)
    half = len(words) - len(words) // 2
    return w, torch.tensor(float(accuracy) * count / half), half


@probe_leak.mistake(
    "You divide the *words* into two halves by their numbers. The halves are those of the places; a word is new if the first half doesn't have it."
)
def halves_of_the_vocabulary(states, words, labels):
    known = words < words.unique()[len(words.unique()) // 2]
    x = states - states[known].mean(0)
    y = (2 * labels[known] - 1).to(x.dtype)
    w = torch.linalg.solve(x[known].mT @ x[known] + torch.eye(x.shape[1]), x[known].mT @ y)
    right = (x[~known] @ w > 0) == labels[~known]
    return w, right.float().mean(), len(right)


steps.mistake(
    "Your targets are 0 and 1 now, so w is half as long. −1 and 1 were right; they had nothing to do with the leaks.",
    target=lambda labels: labels,
)
steps.mistake("The ridge is gone: + torch.eye(d) belongs to the probe. It had nothing to do with the leaks.", ridge=0.0)


PLACES = {  # from which places something may be taken
    "the first half": lambda words: first_half(len(words)),
    "all places": everywhere,
    "the second half": all_of_the_second,
    "the places that are tested": new_words,
    "all places that aren't tested": lambda words: ~new_words(words),
    "the second half's words that it has seen": seen_words,
    "the first half's words that the second one doesn't have": lambda words: (
        first_half(len(words)) & ~torch.isin(words, words[second_half(len(words))])
    ),
    "the first half's words that the second one has as well": lambda words: (
        first_half(len(words)) & torch.isin(words, words[second_half(len(words))])
    ),
    "the words that both halves have": lambda words: (
        torch.isin(words, words[first_half(len(words))]) & torch.isin(words, words[second_half(len(words))])
    ),
}
CENTRES = {f"the mean of {name}": lambda x, words, of=of: x[of(words)].mean(0) for name, of in PLACES.items()} | {
    "nothing": lambda x, words: 0,
    "the mean of all numbers": lambda x, words: x.mean(),
    "the first half's median": lambda x, words: x[first_half(len(words))].median(0).values,
}
SCALES = {
    "": lambda x: 1.0,
    "divided by their spread": lambda x: x.std(0),
    "divided by the first half's spread": lambda x: x[first_half(len(x))].std(0),
    "made as long as 1": lambda x: x.norm(dim=1, keepdim=True),
}
FIRST = next(iter(PLACES))


def what_w_is(inputs, w):
    """Where a wrong w comes from: its centre, the places that it is learned at, the ridge, the states' scale."""
    states, words, labels = inputs
    for (centred, centre), (scaled, scale) in itertools.product(CENTRES.items(), SCALES.items()):
        x = states - centre(states, words)
        x = x / scale(x)
        for (learned, places), target in itertools.product(PLACES.items(), (2 * labels - 1, labels)):
            a, y = x[places(words)], target[places(words)].to(x.dtype)
            for ridge, k in RIDGES.items():
                own = torch.linalg.solve(a.mT @ a + k(a) * torch.eye(a.shape[1]), a.mT @ y)
                if torch.allclose(own, w, rtol=1e-3, atol=1e-4):
                    said = [
                        f"w is learned from {learned}. It should know the first half alone: x[:half] and y[:half]."
                    ] * (learned != FIRST)
                    said += [
                        f"The states are centred by {centred}. It should be the mean of the first half, states[:half].mean(dim=0)."
                    ] * (centred != f"the mean of {FIRST}")
                    said += ["Your targets are 0 and 1; −1 and 1 were right."] * (target is labels)
                    said += [
                        f"The states are {scaled}, which nobody has asked for: it was no bug that they weren't."
                    ] * bool(scaled)
                    said += [f"{ridge} It was right as it was given."] * bool(ridge)
                    return " And: ".join(said)
    right = _probe_leak(*inputs)[0]
    if torch.cosine_similarity(w, right, 0) > 1 - 1e-5:
        return f"w points the right way, but it is {w.norm() / right.norm():.3g} times as long as it should be. It comes back as it is solved for."
    return ""


RIDGES = {
    "": lambda a: 1.0,
    "The ridge is gone: + torch.eye(d) belongs to the probe.": lambda a: 0.0,
    "The ridge grows with the number of places: you take means where sums were.": lambda a: float(len(a)),
}


@probe_leak.symptom("")
def what_the_results_say(inputs, answer):
    """w knows nothing of the test; how many places are tested says which; then the accuracy."""
    _, words, _ = inputs
    w, _, own = answer
    right_w, _, right = _probe_leak(*inputs)
    n, half = len(words), len(words) // 2
    counts = {half: ", the first half", n - half: ", all places of the second half", n: ", all places of both halves"}
    wrong_w = "w isn't what the first half alone gives: look at the centre, and at both products that w is solved from."
    learned = (
        "w is right. " if torch.allclose(w, right_w, rtol=1e-3, atol=1e-4) else f"{what_w_is(inputs, w) or wrong_w} "
    )
    if own != right:
        return f"{learned * (learned != 'w is right. ')}You test {own} places{counts.get(own, '')}; {right} are places of the second half with a word that stands nowhere in the first half."
    if learned == "w is right. ":
        return "The accuracy alone is wrong. Are the tested states centred by the first half's mean as well? And compared with the labels of the same places?"
    return learned + "The number of places is right."
