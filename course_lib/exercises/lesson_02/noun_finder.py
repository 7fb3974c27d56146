"""A head designed by hand: W_Q and W_K with which every adjective finds the noun that it goes with."""

import torch
from torch import Tensor

from course_lib.attention import attention_weights
from course_lib.checking.calls import Misnamed
from course_lib.checking.kinds import Case, Code
from course_lib.checking.task import Signature
from course_lib.exercises.inputs import integer
from course_lib.exercises.lesson_02.given import without_inputs

FEATURES = ("noun", "adjective", "living", "thing")
NOUN, ADJECTIVE, LIVING, THING = range(4)
ENOUGH = 0.9  # of an adjective's weight

# The words that a sentence is made of; a verb goes with living things or with others, as an adjective does.
LIVING_NOUN, OTHER_NOUN = (1, 0, 1, 0), (1, 0, 0, 1)
TIRED, WIDE = (0, 1, 1, 0), (0, 1, 0, 1)
SLEEPS, RUSTS, THE = (0, 0, 1, 0), (0, 0, 0, 1), (0, 0, 0, 0)


def _sentence(g, *more, dtype=torch.float32):
    """x (n, 4): one noun of each kind and `more`, in any order."""
    words = [LIVING_NOUN, OTHER_NOUN, *more]
    return (torch.tensor([words[i] for i in torch.randperm(len(words), generator=g)], dtype=dtype),)


def _many(g):
    """Three adjectives and three verbs of each kind, always: how large the scores must be doesn't depend on the seed."""
    return [*(3 * [TIRED, WIDE, SLEEPS, RUSTS]), *([THE] * integer(g, 1, 4))]


def _noun_finder():
    #                    noun adj. living thing
    W_Q = torch.tensor([[0.0, 0.0, 20.0, 0.0],
                        [0.0, 0.0, 0.0, 20.0],
                        [0.0, 20.0, 0.0, 0.0]])  # fmt: skip
    W_K = torch.tensor([[0.0, 0.0, 1.0, 0.0],
                        [0.0, 0.0, 0.0, 1.0],
                        [1.0, 0.0, 0.0, 0.0]])  # fmt: skip
    return W_Q, W_K


class Design(Code):
    """The matrices are made without arguments, and tried on sentences."""

    def signatures(self, *inputs) -> list[Signature]:
        return [Signature("", ())]

    def input_names(self) -> list[str]:
        return ["the words x"]


def _where_adjectives_look(matrices, x):
    """(adjective, word): the weights, where more than .9 counts as 1 and less than .1 as 0; which numbers do it doesn't count."""
    weights = attention_weights(*_queries_and_keys(matrices, x))[x[:, ADJECTIVE] == 1]
    return weights.where(weights <= ENOUGH, 1.0).where(weights >= 1 - ENOUGH, 0.0)


def _queries_and_keys(answer, x: Tensor) -> list[Tensor]:
    if not isinstance(answer, (tuple, list)) or len(answer) != 2 or not all(isinstance(W, Tensor) for W in answer):
        raise Misnamed("Your function should return two tensors, W_Q and W_K: `return W_Q, W_K`.")
    for name, W in zip(("W_Q", "W_K"), answer):
        if W.dim() != 2 or W.shape[1] != len(FEATURES):
            turned = W.dim() == 2 and W.shape[0] == len(FEATURES)
            raise Misnamed(
                f"{name} should have the shape (d_k, 4), one column for each feature of a word; yours has "
                f"{tuple(W.shape)}." + " It lies on its side: a row makes one number of the query or key." * turned
            )
        if not W.isfinite().all():
            raise Misnamed(
                f"{name} holds a number that isn't finite, and the softmax makes NaN of it. 20 is large enough."
            )
    if len(answer[0]) != len(answer[1]):
        raise Misnamed(
            f"Queries and keys must be equally long to be multiplied, but W_Q has {len(answer[0])} rows and W_K {len(answer[1])}."
        )
    return [x @ W.detach().to(x.dtype).mT for W in answer]


noun_finder = Design(
    "02.noun_finder",
    title="A head that you design",
    points=3,
    minutes=15,
    difficulty=3,
    reference=_noun_finder,
    axes=["adjective word"],
    call=without_inputs,
    settle=_where_adjectives_look,
    calculates=False,
    cases=[
        Case("a noun and an adjective of each kind", lambda g: _sentence(g, TIRED, WIDE)),
        Case("with small words", lambda g: _sentence(g, TIRED, THE, THE, WIDE)),
        Case("with verbs", lambda g: _sentence(g, SLEEPS, TIRED, WIDE, RUSTS)),
        Case("two adjectives for one noun", lambda g: _sentence(g, TIRED, TIRED, THE, SLEEPS)),
        Case("a long sentence", lambda g: _sentence(g, *_many(g))),
        Case("no adjective at all", lambda g: _sentence(g, THE, SLEEPS)),
        Case("a single word", lambda g: (torch.tensor([LIVING_NOUN], dtype=torch.float32),)),
        Case("double precision", lambda g: _sentence(g, WIDE, THE, RUSTS, dtype=torch.float64)),
    ],
    hints=[
        "Write down what the query of *tired* should ask for. A row of W_Q makes one number of the query, the same row of W_K the number of the key that it is multiplied with.",
        "Three rows are enough. In two of them living asks for living, and thing for thing. In the third, every adjective asks for a noun: W_Q reads the second column, W_K the first.",
        "If the right word is ahead, but not far enough: multiply W_Q by 20. Scores are divided by √d_k, and a lead of 5 is a factor of 148.",
    ],
)

KIND = ((0, 0, 1, 0), (0, 0, 0, 1))
NONE = (0, 0, 0, 0)


@noun_finder.variants
def steps(*, query=(*KIND, (0, 1, 0, 0)), key=(*KIND, (1, 0, 0, 0)), size=20.0, returned=lambda W_Q, W_K: (W_Q, W_K)):
    return returned(size * torch.tensor(query).float(), torch.tensor(key).float())


steps.mistake(
    "Each adjective's largest weight is on its noun, but it isn't above .9: your scores are too close together. "
    "Make W_Q larger as a whole: a score that leads by 5 has 148 times the weight.",
    size=1.0,
)
steps.mistake(
    "Every word gets the same weight: all your scores are equal. Which row of W_K reads the feature that a row of W_Q asks for?",
    query=(NONE, NONE, NONE),
)
steps.mistake(
    "W_Q and W_K have changed places, or their rows about noun and adjective have: now a noun asks for its adjectives. "
    "Who looks is the adjective, and W_Q makes its query.",
    returned=lambda W_Q, W_K: (W_K, W_Q),
)
steps.mistake(
    "The kinds are crossed: what is said of living things looks for a thing, and the other way round. "
    "Where row i of W_Q reads living, row i of W_K should read living, too.",
    key=(KIND[1], KIND[0], (1, 0, 0, 0)),
)
steps.mistake("A minus sign turns it round: the words that fit least get the most weight.", size=-20.0)
steps.mistake(
    "Your adjectives look for adjectives of their kind, themselves among them. They should ask for a noun: "
    "where W_Q reads the second column, W_K should read the first.",
    key=(*KIND, (0, 1, 0, 0)),
)


def _right(x: Tensor) -> Tensor:
    """(adjective, word): which word is the noun of each adjective."""
    adjectives = x[x[:, ADJECTIVE] == 1]
    return (adjectives[:, [LIVING, THING]] @ x[:, [LIVING, THING]].mT == 1) & (x[:, NOUN] == 1)


@noun_finder.symptom("")
def where_they_look(inputs, answer):
    """Where the adjectives look instead, and what that says of the matrices."""
    (x,) = inputs
    if answer.shape != (right := _right(x)).shape or not len(answer) or answer.isnan().any():
        return False
    own, nouns = (x[:, ADJECTIVE] == 1), x[:, NOUN] == 1
    on_right, on_nouns = (answer * right).sum(-1), answer[:, nouns].sum(-1)
    # What the weight goes to, on the average: the right noun, the other one, words of the same kind, adjectives.
    same_kind = x[own][:, [LIVING, THING]] @ x[:, [LIVING, THING]].mT == 1
    on_kind, on_other = (answer * same_kind).sum(-1), on_nouns - on_right
    if (answer.argmax(-1) == right.int().argmax(-1)).all() and (on_right > answer.where(~right, 0).amax(-1)).all():
        return "Each adjective's largest weight is on its noun, but it isn't above .9. The scores lead by too little: make W_Q (or W_K) larger as a whole."
    if torch.allclose(on_right, on_other, atol=0.02) and (on_right > 0.2).all():
        return "Every adjective finds both nouns, and can't tell which is its own. It must also ask for living or thing: give W_Q and W_K a row for each."
    if (on_other > 0.5).all():
        return "Your adjectives look at the noun of the *other* kind. Living should ask for living, and thing for thing: the same row in W_Q and in W_K."
    if (on_right + 1e-3 >= answer.amax(-1)).all() and (on_kind > 0.5).all():
        return "Every adjective finds the words of its kind, but not only the noun. It must also ask for a noun: in one row W_Q reads adjective and W_K reads noun, not the other way round."
    if (on_kind < 0.05).all() and (on_nouns < 0.5).all():
        return "Your adjectives look at the words that fit least, those of the other kind. Is there a minus sign in W_Q or W_K? It turns every wish round."
    if (answer[:, own].sum(-1) > 0.5).all():
        return "Your adjectives look at adjectives, themselves among them. They should ask for a noun: in one row W_Q reads adjective (column 2), and W_K reads noun (column 1)."
    if (on_right > 0.5).any() and not (on_right > 0.5).all():
        return "Some adjectives find their noun and others don't. Is there a row for living and a row for thing, both of the same size, and with no minus sign?"
    if (on_nouns < 0.5).all():
        return "Most of the weight goes to words that are no nouns. Which feature do your adjectives ask for, and which row of W_K answers? A minus sign turns a wish round."
    return (
        "Your adjectives spread their weight. Work it out for one word on paper: which query does *tired* get, and which "
        "key does each word get? Row by row their products add up to the score."
    )
