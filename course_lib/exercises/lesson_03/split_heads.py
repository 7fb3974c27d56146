"""Cut the last axis into heads: (batch, n, num_heads · d) → (batch, num_heads, n, d)."""

import torch

from course_lib import attention
from course_lib.checking.kinds import Case, Code
from course_lib.exercises.common import FINISHED_ATTENTION, unchanged
from course_lib.exercises.inputs import integer, non_contiguous, randn


def _split(g, batch, n, num_heads, d, **kwargs):
    return randn(g, batch, n, num_heads * d, **kwargs), num_heads


split_heads = Code(
    "03.split_heads",
    title="Cut into heads",
    points=2,
    minutes=8,
    difficulty=2,
    reference=attention.split_heads,
    axes=["batch head n d"],
    forbidden=("split_heads", *FINISHED_ATTENTION),
    cases=[
        Case("two sentences, two heads", lambda g: _split(g, 2, 3, 2, 4)),
        Case("as many words as heads", lambda g: _split(g, 2, 4, 4, 3)),
        Case("one sentence", lambda g: _split(g, 1, 5, 3, 2)),
        Case("one head", lambda g: _split(g, 2, 3, 1, 4)),
        Case("one word", lambda g: _split(g, 3, 1, 2, 4)),
        Case("any sizes", lambda g: _split(g, integer(g, 2, 4), integer(g, 5, 8), integer(g, 2, 4), 5)),
        Case("double precision", lambda g: _split(g, 2, 3, 2, 2, dtype=torch.float64)),
        Case("not contiguous in memory", lambda g: (non_contiguous(_split(g, 2, 3, 2, 4)[0]), 2)),
    ],
    differentiable=True,
    hints=[
        "Two steps. First cut the last axis in two, (batch, n, head, d). Which two axes must change places then?",
        "x.reshape(batch, n, num_heads, d), then transpose(1, 2).",
    ],
)


@split_heads.variants
def steps(x, num_heads, *, cut=lambda x, h: x.unflatten(-1, (h, -1)), swap=lambda x: x.transpose(1, 2)):
    return swap(cut(x, num_heads))  # from (batch, n, head, d)


steps.mistake(
    "The words come before the heads: (batch, n, head, d). Swap these two axes, so that each head sees a sentence.",
    swap=unchanged,
)
steps.mistake(
    "You swapped the last two axes as well: (batch, head, d, n). Words before numbers.",
    swap=lambda x: x.permute(0, 2, 3, 1),
)
steps.mistake(
    "Heads before sentences: (head, batch, n, d). The batch comes first.", swap=lambda x: x.permute(2, 0, 1, 3)
)
steps.mistake(
    "You deal the numbers out like cards: head 0 gets numbers 0, h, 2h … Each head should get d neighbours: cut into (num_heads, d), in this order.",
    cut=lambda x, h: x.unflatten(-1, (-1, h)).mT,
)
steps.mistake(
    "Every head gets the whole vector. Each should get its own d = width / num_heads numbers.",
    cut=lambda x, h: x.unsqueeze(2).expand(-1, -1, h, -1),
)
steps.mistake(
    "num_heads is how many heads there are; you made it the length of a head. Cut the last axis into (num_heads, d).",
    cut=lambda x, h: x.unflatten(-1, (-1, h)),
)
steps.mistake(
    "Every head gets the same numbers, the first d of them. Head 1 should get the next d, and so on.",
    cut=lambda x, h: x[..., : x.shape[-1] // h].unsqueeze(2).expand(-1, -1, h, -1),
)
steps.mistake(
    "Head h begins at number h: the pieces overlap. It should begin at h · d.",
    cut=lambda x, h: torch.stack([x[..., i : i + x.shape[-1] // h] for i in range(h)], 2),
)
steps.mistake(
    "The heads are in reverse order: head 0 gets the first d numbers.",
    cut=lambda x, h: x.unflatten(-1, (h, -1)).flip(2),
)
steps.mistake(
    "You swapped axis 1 with axis 3: (batch, d, head, n). Swap 1 and 2, words and heads; the numbers stay last.",
    swap=lambda x: x.transpose(1, 3),
)
steps.mistake(
    "You swapped the last two axes: (batch, n, d, head). Swap words and heads, axes 1 and 2.",
    swap=lambda x: x.transpose(2, 3),
)
steps.mistake(
    "You swapped axis 0 with axis 2, sentences and heads: (head, n, batch, d). Swap 1 and 2, words and heads.",
    swap=lambda x: x.transpose(0, 2),
)
steps.mistake(
    "You swapped axes 0 and 1, sentences and words: (n, batch, head, d). Swap 1 and 2, words and heads.",
    swap=lambda x: x.transpose(0, 1),
)
steps.mistake(
    "squeeze takes an axis of length 1 away: with a single head its axis is gone. Keep it, (batch, 1, n, d).",
    swap=lambda x: x.transpose(1, 2).squeeze(1),
)


@split_heads.mistake(
    "You swapped before you cut: then words are cut, not vectors. Cut the last axis first, (batch, n, head, d), then swap."
)
def swapped_before_the_cut(x, num_heads):
    batch, n, width = x.shape
    return x.transpose(1, 2).reshape(batch, num_heads, n, width // num_heads)


@split_heads.mistake(
    "chunk gives the heads one by one. Make one tensor of them, with an axis for the heads: torch.stack(…, dim=1)."
)
def pieces(x, num_heads):
    return x.chunk(num_heads, dim=-1)


@split_heads.mistake(
    "cat lays the heads behind each other, (batch, head · n, d). They need an axis of their own: torch.stack(…, dim=1)."
)
def one_behind_the_other(x, num_heads):
    return torch.cat(x.chunk(num_heads, dim=-1), dim=1)


@split_heads.mistake("A length must be a whole number, and / gives a float: divide with //, width // num_heads.")
def length_as_a_float(x, num_heads):
    batch, n, width = x.shape
    return x.reshape(batch, n, num_heads, width / num_heads).transpose(1, 2)


@split_heads.mistake("view needs whole numbers, and / gives a float: divide with //, width // num_heads.")
def length_as_a_float_in_view(x, num_heads):
    batch, n, width = x.shape
    return x.view(batch, n, num_heads, width / num_heads).transpose(1, 2)


@split_heads.mistake(
    "The shape is right, the numbers are scrambled: reshaping straight to (batch, head, n, d) cuts sentences apart. Cut the last axis first, then swap the axes."
)
def straight_to_shape(x, num_heads):
    batch, n, width = x.shape
    return x.reshape(batch, num_heads, n, width // num_heads)


@split_heads.mistake(
    "Heads and sentences share one axis, (batch · head, n, d), and reshaping at once has scrambled the words. Give heads an axis of "
    "their own: cut the last axis, then swap."
)
def heads_among_the_batch(x, num_heads):
    batch, n, width = x.shape
    return x.reshape(batch * num_heads, n, width // num_heads)


@split_heads.mistake(
    "Heads and sentences share one axis, (batch · head, n, d). The heads need an axis of their own: (batch, head, n, d)."
)
def batch_and_heads_joined(x, num_heads):
    return attention.split_heads(x, num_heads).flatten(0, 1)


@split_heads.mistake(
    "num_heads is how many heads there are; you made it the length of each slice. A head's length is width // num_heads."
)
def slices_of_num_heads(x, num_heads):
    return torch.stack([x[..., h * num_heads : (h + 1) * num_heads] for h in range(num_heads)], dim=1)


@split_heads.mistake(
    "split takes the length of a piece, chunk how many there are; and both give the pieces one by one. Make one tensor of them: "
    "torch.stack(x.chunk(num_heads, dim=-1), dim=1)."
)
def pieces_by_split(x, num_heads):
    return x.split(num_heads, dim=-1)


@split_heads.mistake("This works for one sentence only: the batch has been lost in the first axis.")
def batch_lost(x, num_heads):
    return x.reshape(-1, num_heads, x.shape[-1] // num_heads).transpose(0, 1).unsqueeze(0)


@split_heads.mistake(
    "Every head keeps the full width, with zeros where the others' numbers stand. Cut: each gets its own d numbers alone."
)
def zeros_elsewhere(x, num_heads):
    whose = torch.arange(x.shape[-1]) // (x.shape[-1] // num_heads) == torch.arange(num_heads)[:, None, None]
    return x[:, None] * whose


@split_heads.mistake("Heads are counted from 0: yours begin at 1, so the first is lost and the last is empty.")
def counted_from_one(x, num_heads):
    d = x.shape[-1] // num_heads
    return torch.stack([x[..., h * d : (h + 1) * d] for h in range(1, num_heads + 1)], dim=1)


@split_heads.mistake("You always make two heads. Make num_heads of them.")
def always_two(x, num_heads):
    return torch.stack(x.chunk(2, dim=-1), dim=1)


@split_heads.mistake(
    "You cut the words into heads, not their numbers: dim=1 is the words. The last axis is the one to cut, dim=-1."
)
def pieces_of_words(x, num_heads):
    return torch.stack(x.chunk(num_heads, dim=1), dim=1)


@split_heads.mistake("You cut the words into heads, not their numbers. The last axis is the one to cut.")
def cuts_the_words(x, num_heads):
    batch, n, width = x.shape
    return x.reshape(batch, num_heads, n // num_heads, width)
