"""What every picture asks of its input, each broken rule with one sentence for the reader."""

import numpy as np

from course_lib.errors import CourseError

ROW_SUM_TOLERANCE = 0.01  # bfloat16 keeps 3 digits; a row of 64 such weights may be off by this much


class PictureError(CourseError, ValueError):
    """A picture can't be drawn from this input. The message says what was expected, what came and what to do."""


def array(values, name: str = "values") -> np.ndarray:
    """A float64 array from a tensor of any dtype or device, an array, or nested lists."""
    if hasattr(values, "detach"):
        return values.detach().cpu().double().numpy()
    if isinstance(values, (list, tuple)) and any(hasattr(v, "detach") for v in values):
        rows = [array(v, name) for v in values]
        if len({row.shape for row in rows}) > 1:
            raise PictureError(
                f"{name} holds tensors of different shapes: {', '.join(str(r.shape) for r in rows)}. Pass equal ones."
            )
        return np.stack(rows)
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise PictureError(
            f"{name} should hold numbers, as a tensor or nested lists of equal length; a {type(values).__name__} came that doesn't."
        ) from None


def token_list(tokens, count: int, name: str, axis: str) -> list[str]:
    """The tokens as strings, after checking that there is one for each position of `axis`."""
    if isinstance(tokens, str):
        raise PictureError(
            f"{name} is one string. Pass a list with one word for each position, for example {name}={name}.split()."
        )
    try:
        tokens = [str(token) for token in tokens]
    except TypeError:
        raise PictureError(f"{name} should be a list of words; a {type(tokens).__name__} came.") from None
    if len(tokens) != count:
        raise PictureError(
            f"{name} has {counted(len(tokens), 'word')}, but there {'is' if count == 1 else 'are'} {counted(count, axis)}. Pass one word for each."
        )
    return tokens


def counted(n: int, noun: str) -> str:
    """'1 key', '5 keys', '5 queries'."""
    return (
        f"{n} {noun}" if n == 1 else f"{n} {noun[:-1]}ies" if noun.endswith("y") and noun != "key" else f"{n} {noun}s"
    )


def check_weights(weights: np.ndarray, query_tokens: list[str], key_tokens: list[str]) -> None:
    """Attention weights lie in [0, 1] and each query's row sums to 1, or to 0 where it may attend to nothing.

    weights (..., query, key). Raises PictureError that names the first query at fault.
    """
    rows = weights.reshape(-1, *weights.shape[-2:])

    def first(bad) -> str:
        head, query = np.argwhere(bad)[0][:2]
        return f"the row of query {query}, “{shorten(query_tokens[query], 20)}”" + (
            f", in matrix {head}" if len(rows) > 1 else ""
        )

    if np.isnan(rows).any():
        raise PictureError(
            f"The weights hold NaN in {first(np.isnan(rows).any(-1))}. A softmax over a row that is masked everywhere gives NaN: give such a row zeros."
        )
    sums = rows.sum(-1)
    bad = (np.abs(sums - 1) > ROW_SUM_TOLERANCE) & (np.abs(sums) > ROW_SUM_TOLERANCE)
    if (rows < -ROW_SUM_TOLERANCE).any():
        bad_row = first((rows < -ROW_SUM_TOLERANCE).any(-1))
        raise PictureError(
            f'Attention weights can\'t be negative, but {bad_row}, holds {rows.min():.3g}. Draw the weights after the softmax, or draw scores with viz.heatmap(…, kind="scores").'
        )
    if bad.any():
        columns = rows.sum(-2)
        if np.allclose(columns, 1, atol=ROW_SUM_TOLERANCE):
            raise PictureError(
                "Each column sums to 1, where each row should. The softmax belongs over the keys, dim=-1."
            )
        value = sums[tuple(np.argwhere(bad)[0])]
        raise PictureError(
            f'Each row of attention weights should sum to 1, but {first(bad)}, sums to {value:.3g}. Draw the weights after the softmax and without dropout, or draw scores with viz.heatmap(…, kind="scores").'
        )


def check_finite(values: np.ndarray, name: str) -> None:
    """Raises PictureError where there is a NaN or an infinity."""
    if not np.isfinite(values).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(values))[0])
        raise PictureError(f"{name} should be finite numbers, but position {where} holds {values[where]}.")


def shorten(token: str, longest: int = 14) -> str:
    """The token as it is drawn: blanks made visible, long ones cut with an ellipsis."""
    if token == "":
        return "(empty)"
    if token.isspace():
        token = token.replace(" ", "␣")
    token = token.replace("\n", "↵").replace("\r", "↵").replace("\t", "→")
    return token if len(token) <= longest else token[: longest - 1] + "…"
