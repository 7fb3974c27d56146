"""How much each head looks at the token before: a number for the picture."""

from itertools import combinations

import torch

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.inputs import integer, randn


def _previous_token(weights):
    return weights.diagonal(offset=-1, dim1=-2, dim2=-1).mean(-1)


def _weights(g, *axes, n, dtype=torch.float32):
    return (randn(g, *axes, n, n, dtype=dtype).mul(2).softmax(-1),)


previous_token = Code(
    "11.previous_token",
    title="The head that looks back",
    points=2,
    minutes=8,
    difficulty=1,
    reference=_previous_token,
    axes=["..."],
    cases=[
        Case("two layers of three heads", lambda g: _weights(g, 2, 3, n=5)),
        Case("one head", lambda g: _weights(g, n=6)),
        Case("two tokens", lambda g: _weights(g, 3, 1, n=2)),
        Case("any sizes", lambda g: _weights(g, integer(g, 2, 4), integer(g, 2, 5), n=integer(g, 6, 14))),
        Case("a batch in front", lambda g: _weights(g, 2, 3, 4, n=7)),
        Case("double precision", lambda g: _weights(g, 2, 2, n=5, dtype=torch.float64)),
    ],
    hints=[
        "Row i is the token that looks, column j the one that is looked at. Which cells are meant? Draw a table of five by five and mark them.",
        "They lie on the diagonal below the main one: weights[..., 1, 0], weights[..., 2, 1], …. There are n − 1 of them.",
        "weights.diagonal(offset=-1, dim1=-2, dim2=-1) has them all in its last axis.",
    ],
)


def diagonal(weights, offset):
    return weights.diagonal(offset=offset, dim1=-2, dim2=-1)


@previous_token.variants
def steps(weights, *, cells=lambda w: diagonal(w, -1), mean=lambda cells, n: cells.mean(-1)):
    return mean(cells(weights), weights.shape[-1])


steps.mistake(
    "You look one place to the right, at the *next* token. Rows look, columns are looked at: the cells lie below the diagonal.",
    cells=lambda w: diagonal(w, 1),
)
steps.mistake("That is how much a token looks at itself, the main diagonal.", cells=lambda w: diagonal(w, 0))
steps.mistake("That is how much every token looks at the *first* one: column 0.", cells=lambda w: w[..., 1:, 0])
steps.mistake(
    "That is how much every token looks at the first one, itself included. The one *before* is meant.",
    cells=lambda w: w[..., :, 0],
)
steps.mistake("You add them up. The mean is asked for.", mean=lambda cells, n: cells.sum(-1))
steps.mistake(
    "You divide by n. The first token has none before it: n − 1 cells count.", mean=lambda cells, n: cells.sum(-1) / n
)
steps.mistake("You take the largest of the cells. Their mean is asked for.", mean=lambda cells, n: cells.amax(-1))
steps.mistake("That is one number for each place. Take the mean over the places.", mean=lambda cells, n: cells)
steps.mistake("That is one number for all heads together. Each head gets its own.", mean=lambda cells, n: cells.mean())
steps.mistake("You look two places back.", cells=lambda w: diagonal(w, -2))
steps.mistake(
    "Your row −1 wraps round: with weights[..., i, i - 1] the first token looks at the last one. Begin at i = 1.",
    cells=lambda w: w[..., torch.arange(w.shape[-1]), torch.arange(w.shape[-1]) - 1],
)
steps.mistake(
    "You count both neighbours. Only the token before is meant.", cells=lambda w: diagonal(w, -1) + diagonal(w, 1)
)
steps.mistake(
    "You average everything below the diagonal, all the tokens before. Only the one right before is meant.",
    cells=lambda w: w[..., *torch.tril_indices(w.shape[-1], w.shape[-1], -1)],
)
steps.mistake(
    "That is the sum of everything below the diagonal, divided by the number of rows. Only the token right before is meant.",
    cells=lambda w: w.tril(-1).sum(-1),
)


@previous_token.mistake(
    "You count the tokens whose *largest* weight is on the one before. The mean weight is asked for."
)
def share_of_the_largest(weights):
    n = weights.shape[-1]
    return (weights.argmax(-1)[..., 1:] == torch.arange(n - 1)).to(weights.dtype).mean(-1)


@previous_token.mistake(
    "diagonal without dim1 and dim2 takes the first two axes, layers and heads. The last two are meant."
)
def first_axes(weights):
    if weights.dim() == 2:
        return _previous_token(weights)
    return weights.diagonal(offset=-1).mean(-1)


@previous_token.mistake(
    "You take each token's weight on *all* tokens before it, the whole triangle. Only the one right before is meant."
)
def all_before(weights):
    return weights.tril(-1).sum(-1)[..., 1:].mean(-1)


@previous_token.mistake(
    "You divide by what a token gives to all tokens before it. The weights are taken as they are: their rows sum to 1 already."
)
def share_of_all_before(weights):
    return (diagonal(weights, -1) / weights.tril(-1).sum(-1)[..., 1:]).mean(-1)


@previous_token.mistake(
    "You average a whole square, weights[..., 1:, :-1]. Only its diagonal is meant, the token right before."
)
def whole_square(weights):
    return weights[..., 1:, :-1].mean((-2, -1))


@previous_token.mistake(
    "Your mean runs over the first axis. It should run over the places, the last: each head gets a number."
)
def over_the_first_axis(weights):
    return diagonal(weights, -1).mean(0)


steps.mistake(
    "You take the mean of both neighbours. Only the token before is meant.",
    cells=lambda w: (diagonal(w, -1) + diagonal(w, 1)) / 2,
)
steps.mistake("You look at the last token alone. All but the first count.", mean=lambda cells, n: cells[..., -1])
steps.mistake("You look at the second token alone. All but the first count.", mean=lambda cells, n: cells[..., 0])
steps.mistake(
    "That is the median of the cells. Their mean is asked for.", mean=lambda cells, n: cells.median(-1).values
)


steps.mistake("You take the smallest of the cells. Their mean is asked for.", mean=lambda cells, n: cells.amin(-1))
steps.mistake(
    "You divide by all cells, n². The n − 1 right below the diagonal count.", mean=lambda cells, n: cells.sum(-1) / n**2
)
steps.mistake(
    "You divide by n² − n. The n − 1 cells right below the diagonal count.",
    mean=lambda cells, n: cells.sum(-1) / (n * n - n),
)


@previous_token.mistake("You take a softmax of the weights. They are weights already: each row sums to 1.")
def softmax_again(weights):
    return _previous_token(weights.softmax(-1))


@previous_token.mistake("That is how much each token is looked at, a mean over the rows. Each head gets one number.")
def looked_at(weights):
    return weights.mean(-2)


@previous_token.mistake(
    "You take the triangle *above* the diagonal, all tokens after. Only the one right before is meant."
)
def all_after(weights):
    return weights.triu(1).sum(-1)[..., :-1].mean(-1)


@previous_token.mistake("That is the mean of *all* weights, 1/n whatever they are: each row sums to 1.")
def mean_of_all(weights):
    return weights.mean((-2, -1))


@previous_token.symptom("An axis of places is left, or one of heads is gone.", any_shape=True)
def not_one_number_a_head(inputs, answer):
    """An axis of places is left, or one of heads is gone."""
    (weights,) = inputs
    heads, n = weights.shape[:-2], weights.shape[-1]
    if answer.shape in ((*heads, n), (*heads, n - 1)):
        return "That is one number for each token. Of each head one is asked for: the mean over the n − 1 tokens that have one before."
    if len(heads) > 1 and answer.shape == (*heads[:-1], n - 1):
        return "Your mean runs over the heads, and the places are still there. It should run over the places, the last axis."
    return False


@previous_token.symptom("")
def other_cells(inputs, answer):
    """The right cells but for one at an end, or a right sum divided by something else."""
    (weights,) = inputs
    n, cells = weights.shape[-1], diagonal(weights, -1)
    wraps = weights[..., 0, -1]
    after, square = diagonal(weights, 1).sum(-1), weights[..., 1:, :-1]
    for says, total in {
        "The last token is left out: the loop stops one early. i runs up to n − 1": cells[..., :-1].sum(-1),
        "The second token is left out: it is the first that has one before it. Begin at i = 1": cells[..., 1:].sum(-1),
        "Your row −1 wraps round: the first token's weight on the *last* one comes in. Begin at i = 1": cells.sum(-1)
        + wraps,
        "Your i is one too small: the first token's weight on the last one comes in, and the last token is left out. i runs from 1 to n − 1": cells[
            ..., :-1
        ].sum(-1)
        + wraps,
        "The first token comes in with its weight on itself. It has none before it, and doesn't count": cells.sum(-1)
        + weights[..., 0, 0],
        "You look two places back": diagonal(weights, -2).sum(-1),
        "You look two places ahead": diagonal(weights, 2).sum(-1),
        "You look one place *ahead*, and the last token's weight on the first comes in, too": after
        + weights[..., -1, 0],
        "You look one place *ahead*, at the next token: i − 1 and i have changed places": after,
        "You add up whole rows of the square weights[..., 1:, :-1]. Only its diagonal is meant": square.sum((-2, -1)),
        "The last token's weight alone comes in: does = stand where += is meant? All but the first token count": cells[
            ..., -1
        ],
        "The second token's weight alone comes in: does a return stand inside the loop? All but the first token count": cells[
            ..., 0
        ],
        "That is the main diagonal: how much a token looks at itself": diagonal(weights, 0).sum(-1),
        "You take a column of weights, not the cells below the diagonal: the first token's": weights[..., 0].sum(-1),
        "You take a column of weights, not the cells below the diagonal: the last token's": weights[..., -1].sum(-1),
    }.items():
        if any(torch.allclose(answer, total / by, atol=1e-5) for by in (n - 2, n - 1, n, 1) if by):
            return f"{says}."
    if any(torch.allclose(answer, cells.mean(-1).round(decimals=d), atol=1e-6) for d in (1, 2, 3, 4)):
        return "Your numbers are rounded. Leave them as they are."
    return _two_of(answer, weights) or False


def _two_of(answer, weights):
    """The number of each head as one or two sums of cells, each times a factor: found by least squares over the heads."""
    n, total = weights.shape[-1], lambda w, offset: diagonal(w, offset).sum(-1)
    sums = {
        "the weights on the token before": total(weights, -1),
        "the weights on the token itself": total(weights, 0),
        "the weights on the token after": total(weights, 1),
        "the weights two places back": total(weights, -2),
        "the weights on all tokens before": weights.tril(-1).sum((-2, -1)),
        "the weights on all tokens after": weights.triu(1).sum((-2, -1)),
        "all weights on the first token": weights[..., 0].sum(-1),
        "all weights on the last token": weights[..., -1].sum(-1),
        "the first token's weight on itself": weights[..., 0, 0],
        "the last token's weight on itself": weights[..., -1, -1],
        "": torch.ones_like(answer),
    }
    if answer.numel() < 4 or answer.std() < 1e-4:
        return None
    for count in (1, 2):
        for names in combinations(sums, count):
            columns = torch.stack([sums[name].flatten() for name in names], 1).double()  # (head, count)
            factors = torch.linalg.lstsq(columns, answer.flatten()[:, None].double()).solution.flatten()
            if torch.allclose(columns @ factors, answer.flatten().double(), atol=1e-5):
                parts = " + ".join(f"{x:.4g} × {name}" if name else f"{x:.4g}" for x, name in zip(factors, names))
                parts = parts.replace("+ -", "− ")
                return f"Your number is {parts}. It should be {1 / (n - 1):.4g} × {next(iter(sums))}: n − 1 = {n - 1} of them count."
    return None
