"""What BERT learns from: texts with blanks, and pairs of sentences of which the second follows the first, or not.

    marks = Marks(vocab_size=500, pad=0, cls=1, sep=2, mask=3)
    batches = bert_batches(paragraphs, marks, size=64, seed=0)      # BertBatch without end, for bert.pretraining_loss

    paragraphs → next_sentence_pairs → pair_input: [CLS] A [SEP] B [SEP] → mask_tokens → BertBatch

Devlin et al. (2019), section 3.1 and appendix A.1. A paragraph is a list of sentences, a sentence a list of ids.
"""

import random
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from course_lib.corpora.batching import IGNORE_INDEX, bucketed, pad
from course_lib.errors import CourseError
from course_lib.support.messages import one_of, whole_number

IS_NEXT, NOT_NEXT = 0, 1  # as in the authors' code
NEGATIVES = ("any paragraph", "same scene", "swapped")
Sentence = Sequence[int]
Paragraph = Sequence[Sentence]


@dataclass(frozen=True)
class Marks:
    """The ids that BERT needs to know of a vocabulary. `special`: what is never masked, nor put in a word's place."""

    vocab_size: int
    pad: int
    cls: int
    sep: int
    mask: int
    others: tuple[int, ...] = ()

    @property
    def special(self) -> tuple[int, ...]:
        return (self.pad, self.cls, self.sep, self.mask, *self.others)


# --- blanks -----------------------------------------------------------------------------------------------------------


def with_blanks(
    ids: Int[Tensor, "*axes"],
    special: Bool[Tensor, "*axes"],
    chance: Float[Tensor, "*axes"],
    die: Float[Tensor, "*axes"],
    other: Int[Tensor, "*axes"],
    mask_id: int,
    share: float | Float[Tensor, "*axes"] = 0.15,
) -> tuple[Int[Tensor, "*axes"], Int[Tensor, "*axes"]]:
    """The text with blanks, and the labels: the ids that are asked for, IGNORE_INDEX at all other places.

    A place is asked for where its `chance`, from 0 to 1, is below `share`; never where a `special` token stands. Then
    its `die`, from 0 to 1, decides: below 0.8 [MASK] stands there, below 0.9 the `other` token, else what stood there.
    """
    asked = (chance < share) & ~special
    replaced = asked & (die < 0.9)
    inputs = ids.where(~replaced, other).masked_fill(asked & (die < 0.8), mask_id)
    return inputs, ids.where(asked, IGNORE_INDEX)


def mask_tokens(
    ids: Int[Tensor, "*axes"],
    mask_id: int,
    vocab_size: int,
    special: Collection[int] = (),
    share: float | Float[Tensor, "vocab"] = 0.15,
    generator: torch.Generator | None = None,
) -> tuple[Int[Tensor, "*axes"], Int[Tensor, "*axes"]]:
    """`with_blanks` by random numbers. `special` ids, and [MASK], are neither asked for nor put in a word's place.

    Each token is asked for with the probability `share`, or with its own, share[id].
    """
    _check_share(share, vocab_size)
    special = torch.tensor(sorted({*special, mask_id}))
    words = torch.ones(vocab_size, dtype=torch.bool).index_fill(0, special, False).nonzero()[:, 0]
    chance, die = (torch.rand(ids.shape, generator=generator) for _ in range(2))
    other = words[torch.randint(len(words), ids.shape, generator=generator)]
    share = share[ids] if isinstance(share, Tensor) else share
    return with_blanks(ids, torch.isin(ids, special), chance, die, other, mask_id, share)


def shares(
    texts: Iterable[Sentence], vocab_size: int, share: float = 0.15, common: int = 4, common_share: float = 0.05
) -> Float[Tensor, "vocab"]:
    """A share for each token: the few commonest, such as the full stop and "the", are asked for less often."""
    counts = Counter(id for text in texts for id in text)
    each = torch.full((whole_number("vocab_size", vocab_size, low=1),), share)
    each[[id for id, _ in counts.most_common(common)]] = common_share
    return each


def _check_share(share: float | Tensor, vocab_size: int) -> None:
    if isinstance(share, Tensor):
        if share.shape != (vocab_size,):
            raise CourseError(
                f"share should be a number, or one for each of vocab_size = {vocab_size} tokens; got "
                f"{tuple(share.shape)} of them."
            )
    elif not 0 <= share <= 1:
        raise CourseError(f"share should be from 0 to 1, of all tokens; got {share!r}.")


# --- pairs ------------------------------------------------------------------------------------------------------------


class Pair(NamedTuple):
    """Two texts, and IS_NEXT or NOT_NEXT; a text alone has an empty second, and IGNORE_INDEX."""

    first: list[int]
    second: list[int]
    label: int


def next_sentence_pairs(
    paragraphs: Sequence[Paragraph],
    rng: random.Random,
    negatives: str = "any paragraph",
    scenes: Sequence[str] | None = None,
    next_share: float = 0.5,
) -> list[Pair]:
    """A pair of each paragraph, cut in two between any sentences. In half of them (`next_share`) B is what follows A.

    Otherwise B is, by `negatives`: the end of "any paragraph", as in the paper; that of one of the "same scene", which
    is harder, as B speaks of the same things (`scenes` has a name for each paragraph); or A's own end with the two
    "swapped", the hardest: only the order is wrong (Lan et al. 2020, ALBERT). It is never the true B by chance; where
    there is no wrong one, as for a scene with one paragraph, the pair is true. A single sentence stays alone.
    """
    one_of("negatives", negatives, NEGATIVES)
    if negatives == "same scene" and (scenes is None or len(scenes) != len(paragraphs)):
        raise CourseError("Negatives of the same scene need scenes=…: a name for each paragraph.")
    groups: dict[str, list[Paragraph]] = {}
    names = scenes if negatives == "same scene" else [""] * len(paragraphs)
    for paragraph, name in zip(paragraphs, names, strict=True):
        if len(paragraph) > 1:
            groups.setdefault(name, []).append(paragraph)
    pairs = []
    for paragraph, name in zip(paragraphs, names, strict=True):
        if len(paragraph) < 2:
            pairs.append(Pair(_joined(paragraph), [], IGNORE_INDEX))
            continue
        first, second = _cut(paragraph, rng)
        if rng.random() < next_share:
            pairs.append(Pair(first, second, IS_NEXT))
        elif negatives == "swapped":
            pairs.append(Pair(second, first, NOT_NEXT))
        else:
            wrong = _wrong(paragraph, second, groups[name], rng)
            pairs.append(Pair(first, wrong or second, NOT_NEXT if wrong else IS_NEXT))
    return pairs


def pair_input(first: Sentence, second: Sentence, cls: int, sep: int) -> tuple[list[int], list[int]]:
    """[CLS] A [SEP] B [SEP], and the segments: 0 up to the first [SEP], 1 after it. Without a B: [CLS] A [SEP].

    >>> pair_input([7, 8], [9], cls=1, sep=2)
    ([1, 7, 8, 2, 9, 2], [0, 0, 0, 0, 1, 1])
    """
    a, b = [cls, *first, sep], [*second, sep] if second else []
    return a + b, [0] * len(a) + [1] * len(b)


def _cut(paragraph: Paragraph, rng: random.Random) -> tuple[list[int], list[int]]:
    place = rng.randint(1, len(paragraph) - 1)
    return _joined(paragraph[:place]), _joined(paragraph[place:])


def _joined(sentences: Iterable[Sentence]) -> list[int]:
    return [id for sentence in sentences for id in sentence]


def _wrong(paragraph: Paragraph, second: list[int], others: list[Paragraph], rng: random.Random) -> list[int] | None:
    """The end of another paragraph that doesn't say the same as `second`: a small world says some sentences twice."""
    for _ in range(10):
        other = rng.choice(others)
        _, end = _cut(other, rng)
        if other is not paragraph and end != second:
            return end
    return None


# --- batches ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class BertBatch:
    """What `bert.pretraining_loss` takes. Padding stands at the end of each row."""

    ids: Int[Tensor, "batch n"]  # with blanks
    segments: Int[Tensor, "batch n"]
    labels: Int[Tensor, "batch n"]  # the tokens asked for, IGNORE_INDEX elsewhere
    next_sentence: Int[Tensor, "batch"]  # IS_NEXT, NOT_NEXT, or IGNORE_INDEX for a text alone
    lengths: Int[Tensor, "batch"]

    @property
    def num_tokens(self) -> int:
        """Tokens with their marks, without padding."""
        return int(self.lengths.sum())

    @property
    def padding(self) -> float:
        """The share of padding among all that the model computes."""
        return 1 - self.num_tokens / self.ids.numel()

    def to(self, device: str | torch.device) -> "BertBatch":
        """The same on another device."""
        return BertBatch(*(tensor.to(device) for tensor in vars(self).values()))


def collate(
    pairs: Sequence[Pair],
    marks: Marks,
    share: float | Float[Tensor, "vocab"] = 0.15,
    generator: torch.Generator | None = None,
) -> BertBatch:
    """These pairs as one batch, with blanks chosen now."""
    ids, segments = zip(*(pair_input(pair.first, pair.second, marks.cls, marks.sep) for pair in pairs))
    (ids, lengths), (segments, _) = pad(ids, marks.pad), pad(segments)
    blanks, labels = mask_tokens(ids, marks.mask, marks.vocab_size, marks.special, share, generator)
    return BertBatch(blanks, segments, labels, torch.tensor([pair.label for pair in pairs]), lengths)


def bert_batches(
    paragraphs: Sequence[Paragraph],
    marks: Marks,
    size: int,
    seed: int,
    share: float | Float[Tensor, "vocab"] = 0.15,
    pairs: Callable[[Sequence[Paragraph], random.Random], list[Pair]] = next_sentence_pairs,
) -> Iterator[BertBatch]:
    """Batches without end, of texts that are about equally long. Each round of all paragraphs has new pairs and blanks.

    `pairs` makes a round's: partial(next_sentence_pairs, negatives="swapped"), say.
    """
    whole_number("size", size, low=1)
    if not paragraphs:
        raise CourseError("Batches are made of paragraphs, but there are none.")
    return _batches(paragraphs, marks, size, random.Random(seed), share, pairs)


def _batches(paragraphs, marks: Marks, size: int, rng: random.Random, share, pairs) -> Iterator[BertBatch]:
    generator = torch.Generator().manual_seed(rng.getrandbits(63))
    while True:
        rows = bucketed(pairs(paragraphs, rng), size, rng, length=lambda pair: len(pair.first) + len(pair.second))
        yield from (collate(each, marks, share, generator) for each in rows)
