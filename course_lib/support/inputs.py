"""What every model asks of its input before it computes: the ids of tokens."""

from torch import Tensor, int32, int64

from course_lib.errors import CourseError
from course_lib.support.messages import described


def check_ids(name: str, ids, vocab_size: int, max_len: int, start: int = 0) -> None:
    """Raises CourseError unless `ids` are those of tokens, (batch, n), and end within `max_len`.

    `start` is the position of the first: so many tokens are in a cache.
    """
    if not isinstance(ids, Tensor) or ids.dim() != 2 or ids.dtype not in (int64, int32):
        single = isinstance(ids, Tensor) and ids.dim() == 1
        raise CourseError(
            f"{name} should be a tensor of token ids, whole numbers of the shape (batch, n); got {described(ids)}."
            + " For a single text, ids[None] puts the batch's axis in front." * single
        )
    if start + ids.shape[1] > max_len:
        raise CourseError(
            f"{name} has {start + ids.shape[1]} tokens, but the model was made for max_len = {max_len}. "
            "Cut the text, or make the model with a larger max_len."
        )
    if ids.numel() and not (ids.min() >= 0 and ids.max() < vocab_size):
        raise CourseError(
            f"{name} has ids from {ids.min()} to {ids.max()}, but the ids of the model's vocab_size = {vocab_size} "
            f"tokens are 0 to {vocab_size - 1}. Was the text made by another tokenizer?"
        )
