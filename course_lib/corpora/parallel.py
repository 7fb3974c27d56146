"""Real parallel text without a download: lists of numbers, single numbers and full dates in several languages.

    corpus = number_lists("en", "de")
    corpus.train[0].source, corpus.train[0].target

A value (a number, a list, a day) belongs to the test set or it doesn't, by its hash: in every pair of languages, for
every seed. So nothing that is tested was ever trained on, and no duplicate slips through.
"""

import datetime
import hashlib
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from course_lib.corpora.dates import FIRST, LAST, date_text, date_tokens, joined_date
from course_lib.corpora.disk_cache import cached
from course_lib.corpora.languages import language
from course_lib.corpora.number_words import (
    LARGEST,
    LARGEST_IN_LISTS,
    alignment,
    joined_numbers,
    list_tokens,
    number_text,
    number_tokens,
    parse_numbers,
)  # fmt: skip
from course_lib.corpora.vocabulary import Vocabulary
from course_lib.errors import CourseError

TESTED = 0.1  # of the values
TESTED_ALONE = 0.3  # of the numbers below 100: there are only a hundred of them


@dataclass(frozen=True)
class Pair:
    """The same thing said twice. `alignment`, where known: the source token that each target token renders, or None."""

    value: tuple[int, ...]
    source: tuple[str, ...]
    target: tuple[str, ...]
    source_text: str
    target_text: str
    alignment: tuple[int | None, ...] = ()


@dataclass(frozen=True)
class ParallelCorpus:
    """Pairs to train on and pairs to test.

    `tokens(text)` cuts what somebody typed in the source language as the corpus is cut; CourseError where it can't.
    `text(tokens)` puts tokens of the target language together again, for people.
    """

    source: str
    target: str
    train: list[Pair]
    test: list[Pair]
    tokens: Callable[[str], list[str]]
    text: Callable[[list[str]], str]

    @cached_property
    def source_vocabulary(self) -> Vocabulary:
        return Vocabulary.of_texts(pair.source for pair in self.train)

    @cached_property
    def target_vocabulary(self) -> Vocabulary:
        return Vocabulary.of_texts(pair.target for pair in self.train)

    def encoded(self, pairs: list[Pair]) -> list[tuple[list[int], list[int]]]:
        """(source ids, target ids) of each pair, without marks."""
        return [(self.source_vocabulary.encode(p.source), self.target_vocabulary.encode(p.target)) for p in pairs]


def number_lists(
    source: str = "en",
    target: str = "de",
    *,
    longest: int = 8,
    count: int = 20_000,
    test_longest: int = 12,
    test_each: int = 150,
    seed: int = 0,
) -> ParallelCorpus:
    """`count` lists of 1 to `longest` numbers from 0 to 99: "twenty-one, eight" ↔ "einundzwanzig, acht".

    The test set holds `test_each` lists of each length up to `test_longest`, all different (fewer of length 1: there
    are only a hundred numbers). Lists longer than any in training show what a model does beyond what it has seen.
    """
    _check_pair(source, target)
    rng = random.Random(seed)

    def draw(length: int) -> tuple[int, ...]:
        return tuple(rng.randrange(LARGEST_IN_LISTS + 1) for _ in range(length))

    def pair(numbers: tuple[int, ...]) -> Pair:
        texts = (", ".join(number_text(n, code) for n in numbers) for code in (source, target))
        tokens = (tuple(list_tokens(numbers, code)) for code in (source, target))
        return Pair(numbers, *tokens, *texts, tuple(alignment(numbers, source, target)))

    test = {(n,): None for n in range(LARGEST_IN_LISTS + 1) if held_out((n,))}  # a dict keeps the order
    for length in range(2, test_longest + 1):
        full = len(test) + test_each
        while len(test) < full:
            if held_out(numbers := draw(length)):
                test[numbers] = None
    train = []
    while len(train) < count:
        if not held_out(numbers := draw(rng.randint(1, longest))):
            train.append(numbers)
    return ParallelCorpus(
        source, target, [pair(numbers) for numbers in train], [pair(numbers) for numbers in test],
        tokens=lambda text: list_tokens(parse_numbers(text, source), source),
        text=lambda tokens: joined_numbers(tokens, target),
    )  # fmt: skip


def single_numbers(
    source: str = "en",
    target: str = "de",
    *,
    smallest: int = 0,
    largest: int = LARGEST,
    count: int = 20_000,
    test_count: int = 500,
    seed: int = 0,
) -> ParallelCorpus:
    """Single numbers from `smallest` to `largest`: "one hundred and one" ↔ "einhunderteins".

    `count` of them to train on and `test_count` to test; none, say, to train on, where a model that was trained on
    shorter numbers is tested on longer ones. Raises CourseError where there aren't so many.
    """
    _check_pair(source, target)
    there = largest + 1 - smallest
    if count + test_count > there * (1 - 2 * TESTED) or test_count > there * TESTED / 2:
        raise CourseError(
            f"Between {smallest:,} and {largest:,} there aren't {count:,} numbers to train on and {test_count:,} "
            "others to test. Ask for fewer."
        )
    numbers = _drawn(lambda rng: rng.randint(smallest, largest), count, test_count, seed)
    size = f"{smallest}-{largest}-{count}-{test_count}-{seed}"
    texts = [
        cached(f"numbers-{code}-{size}", lambda code=code: [number_text(n, code) for n in numbers])
        for code in (source, target)
    ]
    pairs = [
        Pair((n,), tuple(number_tokens(s, source)), tuple(number_tokens(t, target)), s, t)
        for n, s, t in zip(numbers, *texts, strict=True)
    ]
    return ParallelCorpus(
        source, target, pairs[:count], pairs[count:],
        tokens=lambda text: number_tokens(text, source), text=lambda tokens: joined_numbers(tokens, target),
    )  # fmt: skip


def dates(
    source: str = "en", target: str = "de", *, count: int = 20_000, test_count: int = 500, seed: int = 0
) -> ParallelCorpus:
    """Days from 1900 to 2099: "Saturday, March 21, 1987" ↔ "Samstag, 21. März 1987". A value is (year, month, day)."""
    _check_pair(source, target)
    days = (LAST - FIRST).days + 1
    if count > days * (1 - 2 * TESTED) or test_count > days * TESTED / 2:
        raise CourseError(
            f"From {FIRST.year} to {LAST.year} there aren't {count:,} days to train on and {test_count:,} "
            "others to test. Ask for fewer."
        )

    def draw(rng: random.Random) -> tuple[int, int, int]:
        day = FIRST + datetime.timedelta(rng.randrange(days))
        return day.year, day.month, day.day

    values = _drawn(draw, count, test_count, seed)
    days_of = [datetime.date(*value) for value in values]
    size = f"{count}-{test_count}-{seed}"
    texts = [
        cached(f"dates-{code}-{size}", lambda code=code: [date_text(day, code) for day in days_of])
        for code in (source, target)
    ]
    pairs = [
        Pair(v, tuple(date_tokens(s)), tuple(date_tokens(t)), s, t) for v, s, t in zip(values, *texts, strict=True)
    ]
    return ParallelCorpus(source, target, pairs[:count], pairs[count:], tokens=date_tokens, text=joined_date)


def held_out(value: tuple[int, ...]) -> bool:
    """Does this value belong to the test set? Always the same answer, whatever the languages and the seed."""
    digest = hashlib.sha256(repr(value).encode()).digest()
    alone_in_lists = len(value) == 1 and value[0] <= LARGEST_IN_LISTS
    return int.from_bytes(digest[:8], "big") / 2**64 < (TESTED_ALONE if alone_in_lists else TESTED)


def _drawn(draw: Callable, count: int, test_count: int, seed: int) -> list:
    """`count` values to train on, then `test_count` that are held out; all different."""
    rng, train, test = random.Random(seed), {}, {}
    while len(train) < count or len(test) < test_count:
        value = draw(rng)
        tested = held_out(value if isinstance(value, tuple) else (value,))
        kept, wanted = (test, test_count) if tested else (train, count)
        if len(kept) < wanted:
            kept[value] = None
    return [*train, *test]


def _check_pair(source: str, target: str) -> None:
    if language(source) == language(target):
        raise CourseError(
            f'Source and target are both {language(source).name}: choose two languages, such as "en" and "de".'
        )
