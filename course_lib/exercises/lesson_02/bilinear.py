"""W = W_Qᵀ W_K: the one matrix that a score puts between two words."""

import torch
import torch.nn.functional as F

from course_lib.checking.kinds import Case, Code
from course_lib.exercises.common import reshaped, transposed, unchanged
from course_lib.exercises.inputs import integer, randn


def _bilinear(W_Q, W_K):
    return W_Q.mT @ W_K


def _projections(g, d_k, d_model, **kwargs):
    return randn(g, d_k, d_model, **kwargs), randn(g, d_k, d_model, **kwargs)


bilinear = Code(
    "02.bilinear",
    title="One matrix between two words",
    points=2,
    minutes=10,
    difficulty=2,
    reference=_bilinear,
    axes=["d_model d_model"],
    cases=[
        Case("d_k smaller than d_model", lambda g: _projections(g, 3, 5)),
        Case("d_k equal to d_model", lambda g: _projections(g, 4, 4)),
        Case("d_k larger than d_model", lambda g: _projections(g, integer(g, 6, 9), 3)),
        Case("d_k of 1", lambda g: _projections(g, 1, 4)),
        Case("double precision", lambda g: _projections(g, 2, 3, dtype=torch.float64)),
    ],
    differentiable=True,
    hints=[
        "Write the score out: q · k = (W_Q x)ᵀ (W_K y). What is (W_Q x)ᵀ?",
        "(A B)ᵀ = Bᵀ Aᵀ, so (W_Q x)ᵀ = xᵀ W_Qᵀ. What stands between xᵀ and y now?",
    ],
)


@bilinear.variants
def steps(W_Q, W_K, *, sides=lambda W_Q, W_K: (W_Q, W_K), transpose=transposed, key=unchanged, scale=lambda W_Q: 1.0):
    left, right = sides(W_Q, W_K)
    return transpose(left) @ key(right) / scale(W_Q)


steps.mistake(
    "W_Q W_K multiplies d_model with d_k: it only fits where both are equal, and isn't the score even then. Transpose W_Q.",
    transpose=unchanged,
)
steps.mistake(
    "W_Q has been cut anew, not turned: reshape and view keep the numbers in their order. Swap its axes, with .mT.",
    transpose=reshaped,
)
steps.mistake(
    "This is W_Kᵀ W_Q, the transpose: with it the key word asks and the query word answers. The query stands on the left.",
    sides=lambda W_Q, W_K: (W_K, W_Q),
)
steps.mistake(
    "Both matrices are transposed. Only the query's is: q · k = (W_Q x)ᵀ (W_K y), and W_K stays as it is.",
    key=transposed,
)
steps.mistake(
    "W_Q W_Kᵀ is right on slides that write a word as a row, x Q Kᵀ xᵀ: their matrices are ours turned round. "
    "Here W_Q is (d_k, d_model), and what stands between two words must be (d_model, d_model): W_Q.T @ W_K.",
    transpose=unchanged,
    key=transposed,
)
steps.mistake(
    "W_K W_Qᵀ is (d_k, d_k), but the words are outside, so d_model must be. Turn W_Q round, not W_K, and let the query stand on the left.",
    sides=lambda W_Q, W_K: (W_K, W_Q),
    transpose=unchanged,
    key=transposed,
)
steps.mistake("You use only W_Q. The key has its own matrix.", sides=lambda W_Q, W_K: (W_Q, W_Q))
steps.mistake("You use only W_K. The query has its own matrix.", sides=lambda W_Q, W_K: (W_K, W_K))
steps.mistake(
    "The division by √d_k isn't part of W. It comes afterwards, with the softmax.",
    scale=lambda W_Q: W_Q.shape[0] ** 0.5,
)
steps.mistake("You divide by d_k. Nothing is divided in W: it is the product alone.", scale=lambda W_Q: W_Q.shape[0])
steps.mistake(
    "You divide by √d_model. Nothing is divided in W: it is the product alone.", scale=lambda W_Q: W_Q.shape[1] ** 0.5
)

steps.mistake("The right numbers, multiplied by 2: the product is taken once.", scale=lambda W_Q: 0.5)
steps.mistake(
    "You divide by d_model. Nothing is divided in W: it is the product alone.", scale=lambda W_Q: W_Q.shape[1]
)

for _size, _of in {
    "√d_k": lambda W_Q: len(W_Q) ** -0.5,
    "d_k": lambda W_Q: 1 / len(W_Q),
    "d_model": lambda W_Q: 1 / W_Q.shape[1],
}.items():
    steps.mistake(f"You multiply by {_size}. W is the product of the two matrices alone.", scale=_of)
for _which, _rows in {"first": slice(1, None), "last": slice(None, -1)}.items():
    steps.mistake(
        f"The {_which} row of each matrix is left out. A loop over all d_k rows is `for m in range(len(W_Q))`; a matrix product needs none.",
        sides=lambda W_Q, W_K, _rows=_rows: (W_Q[_rows], W_K[_rows]),
    )
steps.mistake(
    "You divide each row by its length first. The matrices are multiplied as they are.",
    sides=lambda W_Q, W_K: (F.normalize(W_Q, dim=-1), F.normalize(W_K, dim=-1)),
)


@bilinear.mistake(
    "That is the identity: the words would be compared as they are. Here each goes through a matrix first, and W holds both."
)
def identity(W_Q, W_K):
    return torch.eye(W_Q.shape[1], dtype=W_Q.dtype)


@bilinear.mistake("You add the matrices. A score is a product: (W_Q x)ᵀ (W_K y) = xᵀ W_Qᵀ W_K y.")
def added(W_Q, W_K):
    return W_Q + W_K


@bilinear.mistake("You turn both matrices and add them. A score is a product: xᵀ W_Qᵀ W_K y.")
def turned_and_added(W_Q, W_K):
    return W_Q.mT + W_K.mT


@bilinear.mistake("You multiply row by row and keep d_k. It should be summed over: a matrix product does that.")
def not_summed(W_Q, W_K):
    return W_Q[:, :, None] * W_K[:, None, :]


@bilinear.mistake("You multiply entry by entry. The score sums over d_k, so a matrix product is needed.")
def entry_by_entry(W_Q, W_K):
    return W_Q * W_K


@bilinear.mistake(
    "You made it symmetric. It isn't: “animal” asking “it” is another question than “it” asking “animal”."
)
def symmetric(W_Q, W_K):
    return (W_Q.mT @ W_K + W_K.mT @ W_Q) / 2


@bilinear.mistake("You add the transpose. W isn't symmetric: to ask and to answer are two roles.")
def with_its_transpose(W_Q, W_K):
    return W_Q.mT @ W_K + W_K.mT @ W_Q


@bilinear.mistake(
    "kron multiplies every number of one with every number of the other, and sums nothing. A score sums over d_k: a matrix product."
)
def kronecker(W_Q, W_K):
    return torch.kron(W_Q, W_K)


@bilinear.mistake("You lay the matrices one below the other. A score is a product: xᵀ W_Qᵀ W_K y.")
def one_below_the_other(W_Q, W_K):
    return torch.cat([W_Q, W_K])


@bilinear.mistake("You lay the matrices side by side. A score is a product: xᵀ W_Qᵀ W_K y.")
def side_by_side(W_Q, W_K):
    return torch.cat([W_Q, W_K], dim=1)


@bilinear.mistake(
    "Both are summed over d_k before they are multiplied. Multiply first, row by row, and then sum: a matrix product does both."
)
def summed_before(W_Q, W_K):
    return torch.outer(W_Q.sum(0), W_K.sum(0))


@bilinear.mistake("You subtract the matrices. A score is a product: xᵀ W_Qᵀ W_K y.")
def subtracted(W_Q, W_K):
    return W_Q - W_K


@bilinear.mistake(
    "You take the transpose off. W isn't symmetric, and not antisymmetric either: it is the product alone."
)
def without_its_transpose(W_Q, W_K):
    return W_Q.mT @ W_K - W_K.mT @ W_Q


@bilinear.mistake(
    "You add up everything to one number. Only d_k is summed over: every feature of one word meets every one of the other."
)
def one_number(W_Q, W_K):
    return (W_Q * W_K).sum()


@bilinear.mistake(
    "You use the first row of each matrix alone. All d_k rows count, and are added up: a matrix product does that."
)
def first_row(W_Q, W_K):
    return torch.outer(W_Q[0], W_K[0])


@bilinear.mistake(
    "Only the last row of each matrix is left: in the loop each turn writes over the one before. Add up, W = W + ..., or use a matrix product."
)
def last_row(W_Q, W_K):
    return torch.outer(W_Q[-1], W_K[-1])


@bilinear.mistake(
    "You sum over d_model and keep d_k. The words are outside, so d_model must stay, and the sum runs over d_k: the first axis of both."
)
def summed_over_d_model(W_Q, W_K):
    return W_Q[:, :, None].mul(W_K[:, None, :]).sum(-1)


@bilinear.mistake(
    "Every number of one matrix meets every number of the other, and nothing is summed. The score sums over d_k: a matrix product does that."
)
def outer_of_all(W_Q, W_K):
    return torch.outer(W_Q.flatten(), W_K.flatten())


@bilinear.mistake("You take an inverse. (W_Q x)ᵀ = xᵀ W_Qᵀ needs the transpose only.")
def inverse(W_Q, W_K):
    return torch.linalg.pinv(W_Q) @ W_K


@bilinear.mistake("These are the two matrices. Multiply them: one matrix stands between the two words.")
def both_matrices(W_Q, W_K):
    return W_Q.mT, W_K
