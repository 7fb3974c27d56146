"""What an encoder–decoder learns from: a text with gaps to read, and what stood in the gaps to write.

    vocabulary, marks = with_sentinels(world_vocabulary())
    batches = span_batches(texts, marks, size=64, seed=0)       # Batch without end, for a Transformer of lesson 08

    text      thank you for inviting me to your party last week
    spans               [2      4)                    [8 9)
    source    thank you     <0>     me to your party  <1>  week
    target    <0> for inviting <1> last <2>

Raffel et al. (2020), "Exploring the Limits of Transfer Learning" (T5), figure 2 and section 3.1.4: 15 % of the text is
hidden, in spans of three tokens on average. A text is a list of ids, a span the places from its start up to its end.
"""

import random
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise, repeat

from course_lib.corpora.batching import Batch, bucketed, collate
from course_lib.corpora.vocabulary import Vocabulary
from course_lib.errors import CourseError
from course_lib.support.messages import whole_number

SHARE, MEAN_LENGTH = 0.15, 3.0  # T5's; its section 3.3.4 tries lengths of 2, 3, 5 and 10
NUM_SENTINELS = 20  # T5 has a hundred: its texts are longer

Span = tuple[int, int]


def with_sentinels(vocabulary: Vocabulary, count: int = NUM_SENTINELS) -> tuple[Vocabulary, range]:
    """The same vocabulary with `count` sentinels, <0> <1> <2> …, behind its last word, and their ids.

    No other id changes: what was trained without them still reads the same text. A model that reads and writes them
    needs the larger vocab_size, len of the new vocabulary.

    >>> with_sentinels(Vocabulary(["a", "cat"]), 2)
    (Vocabulary of 7: <pad>, <s>, </s>, a, cat, <0>, <1>, range(5, 7))
    """
    names = [f"<{i}>" for i in range(whole_number("count", count, low=2))]
    words = vocabulary.words[len(vocabulary.special_tokens) :]
    return Vocabulary([*words, *names], vocabulary.special_tokens), range(len(vocabulary), len(vocabulary) + count)


def random_spans(n: int, rng: random.Random, share: float = SHARE, mean_length: float = MEAN_LENGTH) -> list[Span]:
    """Where the gaps of a text of n tokens are: sorted, none empty, a token at least between two of them.

    Only where they are is left to chance, not how many: round(share · n) tokens are hidden (one at least, not all), in
    as many spans as make their mean about `mean_length`. All choices that fit are equally likely; T5's own code puts
    the last span always at the text's end. Raises CourseError for a text of fewer than two tokens.

    >>> random_spans(20, random.Random(0), share=0.3)
    [(6, 10), (16, 18)]
    """
    if whole_number("n", n) < 2:
        raise CourseError(
            f"A text with a gap needs two tokens at least, one to hide and one to read; this one has {n}."
        )
    if not 0 < share < 1 or mean_length < 1:
        raise CourseError(
            f"A share between 0 and 1 is hidden, in spans of one token at least; got share={share}, "
            f"mean_length={mean_length}."
        )
    hidden = min(max(1, round(share * n)), n - 1)
    kept = n - hidden
    count = min(max(1, round(hidden / mean_length)), kept + 1)
    cuts = [0, *sorted(rng.sample(range(1, hidden), count - 1)), hidden]  # the hidden tokens in a line, cut in pieces
    before = sorted(rng.sample(range(kept + 1), count))  # how many kept tokens stand before each piece: all different
    return [(place + start, place + end) for place, (start, end) in zip(before, pairwise(cuts), strict=True)]


def span_corruption(ids: Sequence[int], spans: Sequence[Span], marks: Sequence[int]) -> tuple[list[int], list[int]]:
    """The text with a mark in place of each span, and the target: each mark with what stood there, then one mark more.

    The spans in their order, none in another. The i-th gets marks[i], in both; the mark more says: that was all.
    Raises CourseError for a span that is empty, not inside the text or begins before the last one's end, and where
    there are too few marks.

    >>> span_corruption([11, 12, 13, 14, 15, 16], [(1, 3), (5, 6)], marks=[90, 91, 92])
    ([11, 90, 14, 15, 91], [90, 12, 13, 91, 16, 92])
    """
    _check(len(ids), spans, marks)
    source, target, last = [], [], 0
    for mark, (start, end) in zip(marks, spans, strict=False):
        source += [*ids[last:start], mark]
        target += [mark, *ids[start:end]]
        last = end
    return [*source, *ids[last:]], [*target, marks[len(spans)]]


def filled_in(source: Sequence[int], target: Sequence[int], marks: Sequence[int]) -> list[int]:
    """`span_corruption` undone: the source with each mark replaced by what the target says of it.

    The target may be what a model wrote: of a mark that it never wrote nothing is said, and what it wrote before any
    mark has no place.

    >>> filled_in([11, 90, 14, 15, 91], [90, 12, 13, 91, 16, 92], marks=[90, 91, 92])
    [11, 12, 13, 14, 15, 16]
    """
    said, mark = {each: [] for each in marks}, None
    for id in target:
        if id in said:
            mark = id
        elif mark is not None:
            said[mark].append(id)
    return [word for id in source for word in said.get(id, [id])]


def span_batches(
    texts: Sequence[Sequence[int]],
    marks: Sequence[int],
    size: int,
    seed: int,
    share: float = SHARE,
    mean_length: float = MEAN_LENGTH,
) -> Iterator[Batch]:
    """Batches without end, of texts that are about equally long. Each round of all texts has new gaps.

    As every `Batch`: sources end with the end mark, targets stand between start and end. Raises CourseError where
    there are no texts.
    """
    whole_number("size", size, low=1)
    if not texts:
        raise CourseError("Batches are made of texts, but there are none.")
    rng = random.Random(seed)
    rounds = (bucketed(texts, size, rng, length=len) for _ in repeat(None))
    return (
        collate([span_corruption(ids, random_spans(len(ids), rng, share, mean_length), marks) for ids in rows])
        for rows in chain.from_iterable(rounds)
    )


def _check(n: int, spans: Sequence[Span], marks: Sequence[int]) -> None:
    last = 0
    for start, end in spans:
        if not last <= start < end <= n:
            raise CourseError(
                f"Each span goes from its start up to its end, behind the span before it and inside the {n} tokens; "
                f"got ({start}, {end}) after the place {last}."
            )
        last = end
    if len(marks) <= len(spans):
        raise CourseError(
            f"{len(spans)} spans need {len(spans) + 1} marks, one each and one to end with; got {len(marks)}. "
            "Hide less, or take more sentinels."
        )
