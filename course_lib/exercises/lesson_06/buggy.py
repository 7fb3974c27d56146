"""The code with bugs that a student of lesson 06 is given."""


def dropout(x, new, u, p, training):
    """x + Dropout(new): what a sublayer adds, some of its numbers switched off in training.

    x, new (..., d_model) · u, a random number from 0 to 1 for each number of new
    p, the share to switch off
    A number is kept where u ≥ p.
    """
    kept = (u >= p).to(new.dtype)
    return (x + new) * kept
