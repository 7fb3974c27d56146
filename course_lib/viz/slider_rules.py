"""What the sliders share: their ranges, and the words under their static pictures."""

from .inputs import PictureError

RUN_ME = "A still picture. Run this cell to get the slider."


def number_range(name: str, limits, start=None) -> tuple[float, float, float]:
    """(low, high, step) from (low, high) or (low, high, step), after checking that start lies within."""
    try:
        low, high, *rest = limits
        step = (
            rest[0]
            if rest
            else (1 if all(isinstance(v, int) for v in (low, high)) and high - low >= 5 else _round_step(high - low))
        )
        right = low < high and step > 0 and len(rest) < 2
    except (TypeError, ValueError):
        right = False
    if not right:
        raise PictureError(
            f"{name} should be (lowest, highest) or (lowest, highest, step) with lowest < highest and step > 0; {limits!r} came."
        )
    if start is not None and not low <= start <= high:
        raise PictureError(f"{name} starts at {start!r}, outside its range from {low:g} to {high:g}.")
    return low, high, step


def _round_step(width: float) -> float:
    """About a hundredth of the width: 0.05 for 0.1 to 4."""
    return next(
        step
        for step in (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, float(width) / 100)
        if width / step <= 100
    )
