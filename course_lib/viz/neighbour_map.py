"""Vectors laid out in a plane so that near ones stay near: t-SNE (van der Maaten and Hinton 2008), for a few hundred.

It keeps who is whose neighbour. Distances between far groups, and how large a group looks, mean nothing.
"""

import numpy as np

from .inputs import PictureError, finite

FIRST, FURTHER = 250, 80  # steps from nowhere, and from places that are nearly right


def neighbour_map(vectors, start=None, *, perplexity: float = 12.0) -> np.ndarray:
    """(n, d) → (n, 2), the mean at 0. Near means: a small angle.

    start: (n, 2), where the points stood before; from there they move on, and what hasn't changed stays about there.
    perplexity: about how many neighbours each point has. Raises PictureError for shapes that don't fit, and a point
    whose vector is 0.
    """
    vectors = finite(vectors, "vectors")
    if vectors.ndim != 2 or len(vectors) < 4 or min(np.linalg.norm(vectors, axis=-1), default=0) == 0:
        wanted = "the shape (word, d), four words or more, none of them all zeros"
        raise PictureError(f"vectors should have {wanted}; got {vectors.shape}.")
    unit = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    near = _probabilities(2 - 2 * unit @ unit.T, min(perplexity, (len(unit) - 1) / 3))
    if start is None:
        own = unit - unit.mean(0)
        places = own @ np.linalg.svd(own, full_matrices=False)[2][:2].T
        places, steps, early = places / max(places.std(), 1e-9) * 0.1, FIRST, FIRST // 4
    else:
        places, steps, early = finite(start, "start").copy(), FURTHER, 0
        if places.shape != (len(unit), 2):
            raise PictureError(f"start should have the shape ({len(unit)}, 2); got {places.shape}.")
    speed = np.zeros_like(places)
    for step in range(steps):
        kernel = 1 / (1 + _squared_distances(places))
        np.fill_diagonal(kernel, 0)
        pull = (near * (4 if step < early else 1) - kernel / kernel.sum()) * kernel
        slope = 4 * (pull.sum(1)[:, None] * places - pull @ places)
        speed = 0.8 * speed - 0.3 * len(unit) * slope
        places = places + speed
        places -= places.mean(0)
    return places


def _probabilities(squared: np.ndarray, perplexity: float) -> np.ndarray:
    """How near each two are, together 1: a bell round each point, so wide that it has `perplexity` neighbours."""
    low, high = np.full(len(squared), 1e-3), np.full(len(squared), 1e4)
    squared = np.maximum(squared, 0)
    for _ in range(40):
        width = np.sqrt(low * high)
        shares = np.exp(-(squared - np.sort(squared, axis=1)[:, 1:2]) * width[:, None])
        np.fill_diagonal(shares, 0)
        shares /= shares.sum(1, keepdims=True)
        spread = -(shares * np.log(shares + 1e-12)).sum(1)
        low, high = (
            np.where(spread > np.log(perplexity), width, low),
            np.where(spread > np.log(perplexity), high, width),
        )
    return (shares + shares.T) / (2 * len(shares))


def _squared_distances(places: np.ndarray) -> np.ndarray:
    sizes = (places**2).sum(1)
    return np.maximum(sizes[:, None] + sizes - 2 * places @ places.T, 0)
