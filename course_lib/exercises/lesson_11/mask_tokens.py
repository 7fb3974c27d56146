"""Which places BERT is asked for, and what it reads there: 15 %, and of these 80 / 10 / 10."""

import torch

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer


def _mask_tokens(ids, special, chance, die, random_ids, mask_id):
    chosen = (chance < 0.15) & ~special
    inputs = torch.where(chosen & (die < 0.8), mask_id, ids)
    inputs = torch.where(chosen & (die >= 0.8) & (die < 0.9), random_ids, inputs)
    return inputs, torch.where(chosen, ids, -100)


def _texts(g, batch, n, mask_id=3, share=0.5, vocab=40, dtype=torch.float32):
    """Ids with marks and padding, and the random numbers; about `share` of the places are below 0.15."""
    ids = torch.randint(5, vocab, (batch, n), generator=g)
    special = torch.zeros(batch, n, dtype=torch.bool)
    if n > 4:
        ids[:, 0], ids[:, -2], ids[:, -1] = 1, 2, 0  # [CLS] … [SEP] [PAD]
        special[:, [0, -2, -1]] = True
    chance = torch.rand(batch, n, generator=g, dtype=dtype) * 0.15 / share
    die = torch.rand(batch, n, generator=g, dtype=dtype)
    other = torch.randint(5, vocab, (batch, n), generator=g)
    other = torch.where(other == ids, (ids - 4) % (vocab - 5) + 5, other)  # a random token that shows
    if n > 4:  # each of the three happens, and a mark is below 0.15 as well
        chance[:, :4], die[:, 1:4] = 0.1, torch.tensor([0.4, 0.85, 0.95], dtype=dtype)
    return ids, special, chance, die, other, mask_id


mask_tokens = Code(
    "11.mask_tokens",
    title="Eighty, ten and ten",
    points=4,
    minutes=15,
    difficulty=2,
    reference=_mask_tokens,
    axes=["batch place", "batch place"],
    results=("inputs", "labels"),
    cases=[
        Case("three texts", lambda g: _texts(g, 3, 12)),
        Case("one text", lambda g: _texts(g, 1, 20)),
        Case("any sizes", lambda g: _texts(g, integer(g, 4, 6), integer(g, 14, 24))),
        Case("as few places as in BERT", lambda g: _texts(g, 4, 40, share=0.15)),
        Case("every place is below 0.15", lambda g: _texts(g, 2, 16, share=1.0)),
        Case("texts without marks, one token each", lambda g: _texts(g, 9, 1)),
        Case("[MASK] has another id", lambda g: _texts(g, 3, 12, mask_id=103)),
        Case("random numbers in double precision", lambda g: _texts(g, 3, 12, dtype=torch.float64)),
        Case("nothing is chosen", lambda g: (*(x := _texts(g, 2, 8))[:2], x[2] + 0.2, *x[3:])),
    ],
    hints=[
        "Two questions, one after the other: which places are chosen at all? And only for those: which of the three happens?",
        "chosen = (chance < 0.15) & ~special. torch.where(condition, this, else_that) chooses place by place.",
        "inputs = torch.where(chosen & (die < 0.8), mask_id, ids), then in the same way random_ids where chosen and 0.8 ≤ die < 0.9. The labels are ids where chosen, −100 elsewhere.",
    ],
)


def below(chance, special):
    return (chance < 0.15) & ~special


def thrown(ids, chosen, die, random_ids, mask_id, mask=0.8, other=0.9):
    inputs = torch.where(chosen & (die < mask), mask_id, ids)
    return torch.where(chosen & (die >= mask) & (die < other), random_ids, inputs)


@mask_tokens.variants
def steps(
    ids,
    special,
    chance,
    die,
    random_ids,
    mask_id,
    *,
    choose=below,
    read=thrown,
    asked=lambda ids, inputs, chosen, die: torch.where(chosen, ids, -100),
    results=lambda inputs, labels: (inputs, labels),
):
    chosen = choose(chance, special)
    inputs = read(ids, chosen, die, random_ids, mask_id)
    return results(inputs, asked(ids, inputs, chosen, die))


def everywhere(ids, inputs, chosen, die):
    return ids


def masked_only(ids, inputs, chosen, die):
    return torch.where(chosen & (die < 0.8), ids, -100)


def changed_only(ids, inputs, chosen, die):
    return torch.where(inputs != ids, ids, -100)


def always_masked(ids, chosen, die, random_ids, mask_id):
    return torch.where(chosen, mask_id, ids)


steps.mistake("Your labels ask for every token. Only chosen places are asked for: −100 elsewhere.", asked=everywhere)
steps.mistake(
    "Your labels ask where [MASK] stands. All chosen places are asked for: the random and the unchanged ones, too.",
    asked=masked_only,
)
steps.mistake(
    "Your labels leave out the places whose token was left as it is. They were chosen, and are asked for as well.",
    asked=changed_only,
)
steps.mistake(
    "Your labels ask for what stands there *after* masking. Ask for the token before.",
    asked=lambda ids, inputs, chosen, die: torch.where(chosen, inputs, -100),
)
steps.mistake(
    "Where nothing is asked, your labels are 0. That is a token's id; −100 is what the loss leaves out.",
    asked=lambda ids, inputs, chosen, die: torch.where(chosen, ids, 0),
)
steps.mistake(
    "Your labels ask for the places that were *not* chosen.",
    asked=lambda ids, inputs, chosen, die: torch.where(chosen, -100, ids),
)
steps.mistake(
    "Your labels say *whether* a place is asked for. They should say which token stood there, and −100 elsewhere.",
    asked=lambda ids, inputs, chosen, die: chosen.long(),
)
steps.mistake(
    "The labels have [MASK]'s id where nothing is asked. −100 is what the loss leaves out.",
    asked=lambda ids, inputs, chosen, die: torch.where(chosen, ids, 3),
)
steps.mistake(
    "Marks and padding are chosen, too. They aren't words: nothing where special is True.",
    choose=lambda chance, special: chance < 0.15,
)
steps.mistake(
    "You choose among the marks and the padding *only*: special is True where nothing may be chosen.",
    choose=lambda chance, special: (chance < 0.15) & special,
)
steps.mistake(
    "You choose 85 % of the places: those where chance is *below* 0.15 are meant.",
    choose=lambda chance, special: (chance >= 0.15) & ~special,
)
steps.mistake(
    "Every place is chosen with you. Only those where chance is below 0.15.", choose=lambda chance, special: ~special
)
steps.mistake("You choose where chance is below 0.85.", choose=lambda chance, special: (chance < 0.85) & ~special)
steps.mistake(
    "You choose where chance is below 0.8. 15 % of the places are chosen; the 80 % come later, among these.",
    choose=lambda chance, special: (chance < 0.8) & ~special,
)
steps.mistake("0.15 is wanted; yours is 0.1.", choose=lambda chance, special: (chance < 0.1) & ~special)
steps.mistake(
    "All chosen places read [MASK]. That is for 80 % of them; 10 % read a random token, and 10 % their own.",
    read=always_masked,
)
steps.mistake(
    "80 % *of the 15 %*: you put [MASK] wherever die < 0.8, chosen or not.",
    read=lambda ids, chosen, die, random_ids, mask_id: torch.where(
        chosen & (die >= 0.8) & (die < 0.9), random_ids, torch.where(die < 0.8, mask_id, ids)
    ),
)
steps.mistake(
    "Random tokens stand at places that weren't chosen: 10 % *of the 15 %*.",
    read=lambda ids, chosen, die, random_ids, mask_id: torch.where(
        (die >= 0.8) & (die < 0.9), random_ids, torch.where(chosen & (die < 0.8), mask_id, ids)
    ),
)
steps.mistake(
    "80 / 10 / 10 is done to all places, chosen or not. It is a share of the 15 %.",
    read=lambda ids, chosen, die, random_ids, mask_id: thrown(ids, torch.ones_like(chosen), die, random_ids, mask_id),
)
steps.mistake(
    "Nothing is left unchanged with you: every chosen place that isn't [MASK] gets a random token. That is for 0.8 ≤ die < 0.9 alone.",
    read=lambda ids, chosen, die, random_ids, mask_id: thrown(ids, chosen, die, random_ids, mask_id, other=2.0),
)
steps.mistake(
    "There are no random tokens with you: 10 % of the chosen places, where 0.8 ≤ die < 0.9, read random_ids.",
    read=lambda ids, chosen, die, random_ids, mask_id: torch.where(chosen & (die < 0.8), mask_id, ids),
)
steps.mistake(
    "Random and unchanged have changed places: random_ids where 0.8 ≤ die < 0.9, the token itself from 0.9 on.",
    read=lambda ids, chosen, die, random_ids, mask_id: torch.where(
        chosen & (die >= 0.9), random_ids, torch.where(chosen & (die < 0.8), mask_id, ids)
    ),
)
steps.mistake(
    "The token is replaced by a random one wherever die < 0.9, [MASK] too: the second torch.where takes back what the first did. Ask for die ≥ 0.8 as well.",
    read=lambda ids, chosen, die, random_ids, mask_id: torch.where(chosen & (die < 0.9), random_ids, ids),
)
steps.mistake(
    "[MASK] stands where die < 0.9, the random places too: the second torch.where takes back what the first did.",
    read=lambda ids, chosen, die, random_ids, mask_id: torch.where(chosen & (die < 0.9), mask_id, ids),
)
steps.mistake(
    "[MASK] stands where die ≥ 0.8, in 20 % of the chosen places. It is for the 80 % below.",
    read=lambda ids, chosen, die, random_ids, mask_id: torch.where(chosen & (die >= 0.8), mask_id, ids),
)
steps.mistake(
    "A tenth of [MASK], and eight of random tokens: the shares have changed places. [MASK] where die < 0.8.",
    read=lambda ids, chosen, die, random_ids, mask_id: torch.where(
        chosen & (die >= 0.8) & (die < 0.9), mask_id, torch.where(chosen & (die < 0.8), random_ids, ids)
    ),
)
steps.mistake(
    "All chosen places read a random token. Is it “or” between two conditions? (die >= 0.8) | (die < 0.9) is always true.",
    read=lambda ids, chosen, die, random_ids, mask_id: torch.where(chosen, random_ids, ids),
)
steps.mistake(
    "The inputs are as they were: nothing is masked. (x[a][b] = … writes into a copy: x[a & b] = ….)",
    read=lambda ids, chosen, die, random_ids, mask_id: ids,
)
steps.mistake(
    "[MASK]'s id isn't always 3: take mask_id.",
    read=lambda ids, chosen, die, random_ids, mask_id: thrown(ids, chosen, die, random_ids, 3),
)
steps.mistake(
    "The two results are in the wrong order: the inputs first, then the labels.",
    results=lambda inputs, labels: (labels, inputs),
)
steps.mistake("Only the inputs come back. The labels are asked for too.", results=lambda inputs, labels: inputs)
steps.mistake(
    "Two mistakes: everything chosen reads [MASK], and every token is asked for. Eighty, ten and ten; and −100 where nothing is asked.",
    read=always_masked,
    asked=everywhere,
)
steps.mistake(
    "Two mistakes: marks and padding are chosen, and all that is chosen reads [MASK].",
    choose=lambda chance, special: chance < 0.15,
    read=always_masked,
)
steps.mistake(
    "Two mistakes: marks and padding are chosen, and every token is asked for.",
    choose=lambda chance, special: chance < 0.15,
    asked=everywhere,
)


@mask_tokens.mistake(
    "Your shares are right on average, but you cut them out of `chance`: 80 % of 0.15 is 0.12. Here `die` decides what happens at a chosen place."
)
def by_chance_alone(ids, special, chance, die, random_ids, mask_id):
    chosen = below(chance, special)
    return thrown(ids, chosen, chance / 0.15, random_ids, mask_id), torch.where(chosen, ids, -100)


@mask_tokens.mistake(
    "`chance` and `die` have changed places: chance says whether a place is chosen, die what happens there."
)
def changed_places(ids, special, chance, die, random_ids, mask_id):
    return _mask_tokens(ids, special, die, chance, random_ids, mask_id)


steps.mistake(
    "Where nothing is asked, your labels are −1. The loss leaves out −100, and would stop at −1.",
    asked=lambda ids, inputs, chosen, die: torch.where(chosen, ids, -1),
)
steps.mistake(
    "You have 70 / 20 / 10: [MASK] is read where die < 0.8, not 0.7.",
    read=lambda ids, chosen, die, random_ids, mask_id: thrown(ids, chosen, die, random_ids, mask_id, mask=0.7),
)


@mask_tokens.mistake(
    "Your inputs are right. The labels ask for marks and padding as well, where chance is below 0.15: −100 where special is True."
)
def labels_at_marks(ids, special, chance, die, random_ids, mask_id):
    inputs, _ = _mask_tokens(ids, special, chance, die, random_ids, mask_id)
    return inputs, torch.where(chance < 0.15, ids, -100)


@mask_tokens.mistake(
    "Your labels are right. In the inputs marks and padding are replaced as well: they stay where special is True."
)
def inputs_at_marks(ids, special, chance, die, random_ids, mask_id):
    inputs = thrown(ids, chance < 0.15, die, random_ids, mask_id)
    return inputs, torch.where(below(chance, special), ids, -100)


@mask_tokens.mistake(
    "Nothing is left unchanged with you: what isn't random reads [MASK]. That is for die < 0.8 alone; from 0.9 on the token stays."
)
def masked_or_random(ids, special, chance, die, random_ids, mask_id):
    chosen = below(chance, special)
    inputs = torch.where(chosen & (die >= 0.8) & (die < 0.9), random_ids, torch.where(chosen, mask_id, ids))
    return inputs, torch.where(chosen, ids, -100)


@mask_tokens.mistake("Your labels say [MASK] at every chosen place. Ask for the token that stood there.")
def asks_for_the_mask(ids, special, chance, die, random_ids, mask_id):
    inputs, labels = _mask_tokens(ids, special, chance, die, random_ids, mask_id)
    return inputs, labels.masked_fill(labels >= 0, mask_id)


@mask_tokens.mistake("A random id is *added* to the token. It takes the token's place.")
def adds_random_ids(ids, special, chance, die, random_ids, mask_id):
    inputs, labels = _mask_tokens(ids, special, chance, die, random_ids, mask_id)
    swapped = (labels >= 0) & (die >= 0.8) & (die < 0.9)
    return torch.where(swapped, ids + random_ids, inputs), labels


@mask_tokens.mistake("Your random tokens are the first of random_ids. Each place has its own there: random_ids[where].")
def first_random_ids(ids, special, chance, die, random_ids, mask_id):
    inputs, labels = _mask_tokens(ids, special, chance, die, random_ids, mask_id)
    swapped = (labels >= 0) & (die >= 0.8) & (die < 0.9)
    inputs[swapped] = random_ids.flatten()[: swapped.sum()]
    return inputs, labels


steps.mistake(
    "“Or” stands where “and not” is meant: all marks and padding are chosen. (chance < 0.15) & ~special.",
    choose=lambda chance, special: (chance < 0.15) | special,
)


@mask_tokens.symptom("")
def what_stands_where(inputs, answer):
    """The kind of place where the inputs first are wrong, or the labels, and what stands there."""
    ids, special, chance, die, random_ids, mask_id = inputs
    chosen = below(chance, special)
    kinds = {
        "at marks and padding": special,
        "at places that aren't chosen": ~chosen & ~special,
        "where a chosen place has die < 0.8": chosen & (die < 0.8),
        "where a chosen place has 0.8 ≤ die < 0.9": chosen & (die >= 0.8) & (die < 0.9),
        "where a chosen place has die ≥ 0.9": chosen & (die >= 0.9),
    }
    read, asked = _mask_tokens(*inputs)
    whole = {name: torch.full_like(ids, n) for name, n in (("[MASK]", mask_id), ("−100", -100), ("0", 0), ("1", 1))}
    reading = {"[MASK]": whole["[MASK]"], "random_ids": random_ids, "the token itself": ids}
    asking = {"the token": ids, "−100": whole["−100"], "random_ids": random_ids}
    for which, own, right, names in (
        ("The inputs", answer[0], read, reading),
        ("The labels", answer[1], asked, asking),
    ):
        for where, these in kinds.items():
            if not torch.equal(own[these], right[these]):
                wanted = next(name for name, x in names.items() if torch.equal(x[these], right[these]))
                got = next((name for name, x in (names | whole).items() if torch.equal(x[these], own[these])), None)
                moved = (own - ids)[these]
                if got is None and (moved == moved[0]).all():
                    got = f"the token's id {moved[0]:+d}"
                if own is answer[0] and got is None and torch.equal(own[~chosen], read[~chosen]):
                    return _along_the_die(own, chosen, die, reading) or False
                return f"{which} are wrong {where}: {wanted} should stand there{f', yours is {got}' if got else ''}."
    return False


def _along_the_die(own, chosen, die, reading):
    """What chosen places read, from the smallest number of the die to the largest; None if it is no such order."""
    order = die[chosen].argsort()
    thrown, read = die[chosen][order], own[chosen][order]
    runs = []  # (what is read, from where on)
    for x, id, *others in zip(thrown, read, *(ids[chosen][order] for ids in reading.values())):
        name = next((name for name, other in zip(reading, others) if other == id), None)
        if name is None:
            return None
        if not runs or runs[-1][0] != name:
            runs.append((name, float(x)))
    if len(runs) > 3:
        return None
    yours = ", then ".join([runs[0][0], *(f"{name} from about {x:.2f} on" for name, x in runs[1:])])
    return f"At chosen places you read, as their die grows: {yours}. It should be [MASK] below 0.8, random_ids from there, the token itself from 0.9 on."
