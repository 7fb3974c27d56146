"""Checks that every picture makes of its input; each broken rule has one sentence for the reader."""

import numpy as np

from course_lib.errors import CourseError

ROW_SUM_TOLERANCE = 0.01  # bfloat16 keeps 3 digits; a row of 64 such weights may be off by this much
LARGEST = float(np.finfo(np.float32).max)  # larger numbers come from no model, and no axis holds them


class PictureError(CourseError, ValueError):
    """A picture can't be drawn from this input. The message says what was expected, what it got and what to do."""


def array(values, name: str = "values") -> np.ndarray:
    """A float64 array from a tensor of any dtype or device, an array, or nested lists."""
    if hasattr(values, "detach"):
        try:
            if values.is_complex():
                raise TypeError
            return values.detach().cpu().double().numpy()
        except (RuntimeError, TypeError):
            wanted = f"{name} should be an ordinary tensor of real numbers"
            found = f"{values.dtype}, {values.layout}, on {values.device}"
            raise PictureError(f"{wanted}; got {found}. x.to_dense(), x.dequantize() or x.abs() may help.") from None
    if isinstance(values, (list, tuple)) and any(hasattr(v, "detach") for v in values):
        rows = [array(v, name) for v in values]
        if len({row.shape for row in rows}) > 1:
            shapes = ", ".join(str(row.shape) for row in rows)
            raise PictureError(f"{name} holds tensors of different shapes: {shapes}. Pass equal ones.")
        return np.stack(rows)
    try:
        if np.iscomplexobj(values):
            raise TypeError
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        wanted = f"{name} should hold numbers, as a tensor or nested lists of equal length"
        raise PictureError(f"{wanted}; got a {type(values).__name__} that doesn't.") from None


def finite(values, name: str = "values") -> np.ndarray:
    """The values as `array`, after checking that there is no NaN, no infinity and nothing near it among them."""
    values = array(values, name)
    if not np.isfinite(values).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(values))[0])
        raise PictureError(f"{name} should be finite numbers, but position {where} holds {values[where]}.")
    if (largest := np.abs(values).max(initial=0)) > LARGEST:
        raise PictureError(f"{name} should be numbers that float32 can hold, but the largest is {largest:.2g}.")
    return values


def whole(text: str) -> str:
    """The text with � for each half of a character: Python's strings may hold such, but no file, font or browser."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def token_list(tokens, count: int | None, name: str, axis: str, noun: str = "word") -> list[str]:
    """The tokens as strings, after checking that there is one for each position of `axis`. count None: any number."""
    if isinstance(tokens, str):
        wanted = f"Pass a list with one word for each position, for example {name}={name}.split()."
        raise PictureError(f"{name} is one string. {wanted}")
    try:
        tokens = [whole(str(token)) for token in tokens]
    except TypeError:
        raise PictureError(f"{name} should be a list of {noun}s; got a {type(tokens).__name__}.") from None
    if count is not None and len(tokens) != count:
        there = f"there {'is' if count == 1 else 'are'} {counted(count, axis)}"
        raise PictureError(f"{name} has {counted(len(tokens), noun)}, but {there}. Pass one {noun} for each.")
    return tokens


def both_tokens(query_tokens, key_tokens, queries: int, keys: int) -> tuple[list[str], list[str]]:
    """The tokens of both axes; without key_tokens the queries' serve both."""
    if key_tokens is None:
        tokens = token_list(query_tokens, queries, "tokens", "query")
        return tokens, token_list(tokens, keys, "tokens", "key")
    return (
        token_list(query_tokens, queries, "query_tokens", "query"),
        token_list(key_tokens, keys, "key_tokens", "key"),
    )


def counted(n: int, noun: str) -> str:
    """'1 key', '5 keys', '5 queries'."""
    if n == 1:
        return f"1 {noun}"
    return f"{n} {noun[:-1]}ies" if noun.endswith("y") and noun != "key" else f"{n} {noun}s"


def titled(title: str | None, words: str) -> str:
    """Alternative text that begins with the picture's title, if it has one."""
    return f"{title}. {words}" if title else words


def check_weights(weights: np.ndarray, query_tokens: list[str]) -> None:
    """Attention weights lie in [0, 1] and each query's row sums to 1, or to 0 where it may attend to nothing.

    weights (..., query, key). Raises PictureError that names the first query at fault.
    """
    rows = weights.reshape(-1, *weights.shape[-2:])

    def first(bad) -> str:
        head, query = np.argwhere(bad)[0][:2]
        matrix = f", in matrix {head}" if len(rows) > 1 else ""
        return f"the row of query {query}, “{shorten(query_tokens[query], 20)}”{matrix}"

    if np.isnan(rows).any():
        why = "A softmax over a row that is masked everywhere gives NaN: give such a row zeros."
        raise PictureError(f"The weights hold NaN in {first(np.isnan(rows).any(-1))}. {why}")
    scores_instead = 'or draw scores with viz.heatmap(…, kind="scores")'
    if (rows < -ROW_SUM_TOLERANCE).any():
        bad_row = first((rows < -ROW_SUM_TOLERANCE).any(-1))
        raise PictureError(
            f"Attention weights can't be negative, but {bad_row}, holds {rows.min():.3g}. "
            f"Draw the weights after the softmax, {scores_instead}."
        )
    sums = rows.sum(-1)
    bad = (np.abs(sums - 1) > ROW_SUM_TOLERANCE) & (np.abs(sums) > ROW_SUM_TOLERANCE)
    if bad.any():
        if np.allclose(rows.sum(-2), 1, atol=ROW_SUM_TOLERANCE):
            cure = "The softmax belongs over the keys, dim=-1."
            raise PictureError(f"Each column sums to 1, where each row should. {cure}")
        raise PictureError(
            f"Each row of attention weights should sum to 1, but {first(bad)}, sums to {sums[bad][0]:.3g}. "
            f"Draw the weights after the softmax and without dropout, {scores_instead}."
        )


def shorten(token: str, longest: int = 14) -> str:
    """The token as it is drawn: blanks made visible, long ones cut with an ellipsis."""
    if token == "":
        return "(empty)"
    if token.isspace():
        token = token.replace(" ", "␣")
    token = token.replace("\n", "↵").replace("\r", "↵").replace("\t", "→")
    return token if len(token) <= longest else token[: longest - 1] + "…"
