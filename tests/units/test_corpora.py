"""Parallel text from num2words and CLDR: right, repeatable, split by value, cached without harm."""

import datetime
import gzip
import os
import random

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.corpora import disk_cache
from course_lib.corpora.batching import batches, batches_by_tokens, collate, pad
from course_lib.corpora.dates import date_text, date_tokens, joined_date
from course_lib.corpora.languages import LANGUAGES
from course_lib.corpora.number_words import (
    LARGEST,
    alignment,
    joined_numbers,
    list_tokens,
    number_text,
    number_tokens,
    parse_numbers,
)
from course_lib.corpora.parallel import dates, held_out, number_lists, single_numbers
from course_lib.corpora.vocabulary import END_ID, MASK, PAD, PAD_ID, START_ID, Vocabulary
from course_lib.errors import CourseError

CODES = sorted(LANGUAGES)


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    """No test reads or fills the real cache."""
    monkeypatch.setattr(disk_cache, "folder", lambda: tmp_path / "cache")
    return tmp_path / "cache"


# --- words ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "n", "text", "tokens"),
    [
        ("en", 21, "twenty-one", "twenty one"),
        ("en", 101, "one hundred and one", "one hundred and one"),
        ("de", 21, "einundzwanzig", "ein und zwanzig"),
        ("de", 30, "dreißig", "dreißig"),
        ("de", 16, "sechzehn", "sechzehn"),
        ("de", 342, "dreihundertzweiundvierzig", "drei hundert zwei und vierzig"),
        ("fr", 97, "quatre-vingt-dix-sept", "quatre vingt dix sept"),
        ("fr", 80, "quatre-vingts", "quatre vingts"),
        ("fr", 71, "soixante et onze", "soixante et onze"),
        ("nl", 22, "tweeëntwintig", "twee ën twintig"),
        ("nl", 1, "één", "één"),
        ("da", 57, "syvoghalvtreds", "syv og halvtreds"),
        ("sv", 42, "förtiotvå", "förtio två"),
        ("es", 22, "veintidós", "veintidós"),
        ("es", 97, "noventa y siete", "noventa y siete"),
    ],
)
def test_numbers_are_written_right(code, n, text, tokens):
    assert number_text(n, code) == text
    assert number_tokens(text, code) == tokens.split()


@pytest.mark.parametrize("code", CODES)
def test_every_number_below_a_hundred_is_read_back(code):
    for n in range(100):
        assert parse_numbers(number_text(n, code), code) == (n,)
        assert parse_numbers(" ".join(number_tokens(number_text(n, code), code)), code) == (n,)


@pytest.mark.parametrize("code", CODES)
@settings(deadline=None)
@given(n=st.integers(0, LARGEST))
def test_tokens_lose_nothing_but_blanks_commas_and_hyphens(code, n):
    text = number_text(n, code)
    assert "".join(number_tokens(text, code)) == text.replace(",", "").replace("-", "").replace(" ", "")


@settings(deadline=None)
@given(numbers=st.lists(st.integers(0, 99), min_size=1, max_size=12))
def test_lists_are_read_back_with_their_separators(numbers):
    for code in CODES:
        assert list(parse_numbers(", ".join(number_text(n, code) for n in numbers), code)) == numbers


def test_a_typed_list_needs_no_commas():
    assert parse_numbers("twenty-one forty-two", "en") == (21, 42)
    assert parse_numbers("Twenty one, 42; EIGHT", "en") == (21, 42, 8)
    assert parse_numbers("forty, two", "en") == (40, 2)
    assert parse_numbers("einundzwanzig acht", "de") == (21, 8)
    assert parse_numbers("quatre-vingt-dix-sept vingt", "fr") == (97, 20)


@pytest.mark.parametrize(
    ("text", "code", "sentence"),
    [
        ("", "en", "There is no number in this text. Write some in English, for example: twenty-one, eight."),
        (" , ", "en", "no number in this text"),
        ("twenty elevn", "en", "'elevn' is in none of the English numbers.*nearest that it knows: eleven"),
        ("one hundred", "en", "'hundred' is in none of the English numbers"),
        ("twenty-one", "de", "'twenty' is in none of the German"),
        ("und", "de", "No German number begins with 'und'"),
        ("7 120", "en", "from 0 to 99; got 120"),
        ("twenty", "xx", "no language 'xx'.*\"de\" \\(German\\)"),
    ],
)
def test_what_isnt_a_list_of_numbers_gets_one_sentence(text, code, sentence):
    with pytest.raises(CourseError, match=sentence):
        parse_numbers(text, code)


@pytest.mark.parametrize("n", [-1, LARGEST + 1])
def test_numbers_out_of_range(n):
    with pytest.raises(CourseError, match="from 0 to 999,999"):
        number_text(n, "en")


def test_tokens_put_together_again():
    assert joined_numbers(list_tokens((21, 8), "de"), "de") == "ein·und·zwanzig, acht"
    assert joined_numbers(list_tokens((21, 8), "en"), "en") == "twenty one, eight"


def test_alignment_crosses_over_in_german():
    assert alignment((21, 8), "en", "de") == [1, None, 0, None, 3]  # ein → one, zwanzig → twenty, acht → eight
    assert alignment((21,), "de", "en") == [2, 0]
    assert alignment((97, 21), "en", "fr") == [None] * 5 + [3, None, 4], (
        "97 is four twenties, ten, seven in French: no token for ninety"
    )


@settings(deadline=None)
@given(numbers=st.lists(st.integers(0, 99), min_size=1, max_size=8).map(tuple))
def test_aligned_tokens_mean_the_same(numbers):
    source, target = list_tokens(numbers, "en"), list_tokens(numbers, "de")
    links = alignment(numbers, "en", "de")
    assert len(links) == len(target)
    value = {"ein": 1} | {number_text(n, "de"): n for n in [*range(20), *range(20, 100, 10)]}
    for token, j in zip(target, links, strict=True):
        assert (j is None) == (token in ("und", ",")), "every unit and every ten has its English word"
        assert j is None or number_text(value[token], "en") == source[j]


# --- dates ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "Saturday, March 21, 1987"), ("de", "Samstag, 21. März 1987"), ("fr", "samedi 21 mars 1987"), ("es", "sábado, 21 de marzo de 1987"),
        ("nl", "zaterdag 21 maart 1987"), ("da", "lørdag den 21. marts 1987"), ("sv", "lördag 21 mars 1987"),
    ],
)  # fmt: skip
def test_dates_are_written_right(code, text):
    assert date_text(datetime.date(1987, 3, 21), code) == text


@pytest.mark.parametrize("code", CODES)
@settings(deadline=None)
@given(date=st.dates(datetime.date(1900, 1, 1), datetime.date(2099, 12, 31)))
def test_dates_are_put_together_again(code, date):
    text = date_text(date, code)
    assert joined_date(date_tokens(text)) == text


# --- corpora ------------------------------------------------------------------------------------------------------------

SMALL = {
    number_lists: {"count": 600, "test_each": 10},
    single_numbers: {"count": 400, "test_count": 50},
    dates: {"count": 300, "test_count": 40},
}


@pytest.mark.parametrize("make", SMALL, ids=lambda f: f.__name__)
@pytest.mark.parametrize("languages", [("en", "de"), ("fr", "nl"), ("da", "es"), ("sv", "en")], ids="-".join)
def test_nothing_that_is_tested_was_trained_on(make, languages):
    corpus = make(*languages, **SMALL[make])
    tested = {pair.value for pair in corpus.test}
    assert len(tested) == len(corpus.test) > 0
    assert not tested & {pair.value for pair in corpus.train}
    assert not {pair.source for pair in corpus.test} & {pair.source for pair in corpus.train}, "not by its words either"
    assert all(held_out(value) for value in tested) and not any(held_out(pair.value) for pair in corpus.train)


@pytest.mark.parametrize("make", SMALL, ids=lambda f: f.__name__)
def test_the_same_values_are_held_out_in_every_pair_of_languages_and_for_every_seed(make):
    one, other = make("en", "de", seed=0, **SMALL[make]), make("de", "fr", seed=1, **SMALL[make])
    assert not {pair.value for pair in one.test} & {pair.value for pair in other.train}
    assert [pair.value for pair in one.train] != [pair.value for pair in other.train]


@pytest.mark.parametrize("make", SMALL, ids=lambda f: f.__name__)
def test_the_same_seed_gives_the_same_corpus(make):
    one, again = make(**SMALL[make]), make(**SMALL[make])
    assert (one.train, one.test) == (again.train, again.test)
    assert one.train != make(seed=1, **SMALL[make]).train


@pytest.mark.parametrize("make", SMALL, ids=lambda f: f.__name__)
def test_both_sides_say_the_same_and_typed_text_is_cut_alike(make):
    corpus = make("en", "de", **SMALL[make])
    for pair in corpus.train[:100]:
        assert corpus.tokens(pair.source_text) == list(pair.source)
        assert corpus.text(list(pair.target)).replace("·", "") == pair.target_text
    if make is number_lists:
        assert all(
            parse_numbers(p.source_text, "en") == parse_numbers(p.target_text, "de") == p.value
            for p in corpus.train[:100]
        )


def test_lists_reach_the_lengths_that_were_asked_for():
    corpus = number_lists(longest=3, count=300, test_longest=5, test_each=7)
    assert {len(pair.value) for pair in corpus.train} == {1, 2, 3}
    lengths = [len(pair.value) for pair in corpus.test]
    assert [lengths.count(n) for n in (2, 3, 4, 5)] == [7] * 4 and 15 <= lengths.count(1) <= 45
    assert max(corpus.encoded(corpus.test)[0][0]) < len(corpus.source_vocabulary), "all test words were trained on"


@pytest.mark.parametrize("make", SMALL, ids=lambda f: f.__name__)
def test_languages_that_arent_there(make):
    with pytest.raises(CourseError, match="no language 'xx'"):
        make("en", "xx")
    with pytest.raises(CourseError, match="both German: choose two"):
        make("de", "de")


def test_numbers_that_are_longer_than_those_trained_on():
    trained = single_numbers(largest=999, count=300, test_count=20)
    longer = single_numbers(smallest=1000, largest=99_999, count=0, test_count=40)
    assert max(pair.value[0] for pair in [*trained.train, *trained.test]) <= 999
    assert longer.train == [] and len(longer.test) == 40 and all(held_out(pair.value) for pair in longer.test)
    assert all(1000 <= pair.value[0] <= 99_999 for pair in longer.test)


def test_more_than_there_is():
    with pytest.raises(CourseError, match="Between 100 and 199 there aren't 90 numbers"):
        single_numbers(smallest=100, largest=199, count=90, test_count=1)
    with pytest.raises(CourseError, match="aren't 100 numbers"):
        single_numbers(largest=50, count=100)
    with pytest.raises(CourseError, match="aren't 100,000 days"):
        dates(count=100_000)


# --- the cache ----------------------------------------------------------------------------------------------------------


def counting(texts=("a", "ü")):
    calls = []
    return calls, lambda: calls.append(1) or list(texts)


def test_cached_texts_are_made_once(own_cache):
    calls, make = counting()
    assert disk_cache.cached("name", make) == disk_cache.cached("name", make) == ["a", "ü"]
    assert len(calls) == 1 and [file.name for file in own_cache.iterdir()] == ["name.json.gz"]


@pytest.mark.parametrize("damage", [lambda data: b"", lambda data: data[:-9], lambda data: b"no gzip", lambda data: gzip.compress(b'0\n["b"]'),
                                    lambda data: gzip.compress(b"\xff\xfe"), lambda data: data[:20] + b"\x00" + data[21:]])  # fmt: skip
def test_a_damaged_file_is_made_again(own_cache, damage):
    calls, make = counting()
    disk_cache.cached("name", make)
    [file] = own_cache.iterdir()
    file.write_bytes(damage(file.read_bytes()))
    assert disk_cache.cached("name", make) == ["a", "ü"] and len(calls) == 2
    assert disk_cache.cached("name", make) == ["a", "ü"] and len(calls) == 2, "and is whole again"


def test_a_disk_that_cant_be_written_to_does_no_harm(own_cache, monkeypatch):
    calls, make = counting()
    own_cache.write_text("a file where the folder should be")
    assert disk_cache.cached("name", make) == disk_cache.cached("name", make) == ["a", "ü"] and len(calls) == 2
    own_cache.unlink()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert disk_cache.cached("name", make) == ["a", "ü"]
    assert list(own_cache.iterdir()) == [], "nothing half written is left"


def test_single_numbers_come_from_the_cache(own_cache, monkeypatch):
    fresh = single_numbers(count=50, test_count=5)
    assert len(list(own_cache.iterdir())) == 2
    monkeypatch.setattr("course_lib.corpora.parallel.number_text", lambda n, code: pytest.fail("made again"))
    assert single_numbers(count=50, test_count=5).train == fresh.train


# --- vocabulary and batches ------------------------------------------------------------------------------------------------


def test_vocabulary():
    vocabulary = Vocabulary.of_texts([["b", "a"], ["a"]])
    assert vocabulary.words == ["<pad>", "<s>", "</s>", "a", "b"] and len(vocabulary) == 5
    assert vocabulary.encode(["a", "b"]) == [3, 4]
    assert vocabulary.decode([START_ID, 3, PAD_ID, 4, END_ID, 3]) == ["a", "b"]
    assert Vocabulary(["b", "a"], special_tokens=[PAD, MASK]).words == ["<pad>", "<mask>", "b", "a"]
    with pytest.raises(CourseError, match="'c' isn't in this vocabulary of 5 words"):
        vocabulary.encode(["c"])
    with pytest.raises(CourseError, match="no words"):
        vocabulary.encode([])


def test_padding_and_lengths():
    ids, lengths = pad([[5, 6, 7], [8]])
    assert ids.tolist() == [[5, 6, 7], [8, 0, 0]] and lengths.tolist() == [3, 1]
    batch = collate([([5, 6], [7]), ([5], [7, 8, 9])])
    assert batch.source.tolist() == [[5, 6, END_ID], [5, END_ID, 0]] and batch.source_lengths.tolist() == [3, 2]
    assert batch.target.tolist() == [
        [START_ID, 7, END_ID, 0, 0],
        [START_ID, 7, 8, 9, END_ID],
    ] and batch.target_lengths.tolist() == [3, 5]


def test_batches_are_seeded_complete_and_of_like_lengths():
    pairs = [([i + 3] * (1 + i % 9), [i + 3]) for i in range(64)]
    stream, again = batches(pairs, 8, seed=1), batches(pairs, 8, seed=1)
    seen = [next(stream) for _ in range(8)]
    assert all(torch.equal(batch.source, next(again).source) for batch in seen)
    assert sorted(int(row[0]) for batch in seen for row in batch.source) == [i + 3 for i in range(64)], (
        "one round has every pair once"
    )
    spread = [int(batch.source_lengths.max() - batch.source_lengths.min()) for batch in seen]
    assert max(spread) <= 2
    assert not torch.equal(next(batches(pairs, 8, seed=2)).target, seen[0].target)


def one_round(stream, pairs: int) -> list:
    found = []
    while sum(len(batch.source) for batch in found) < pairs:
        found.append(next(stream))
    return found


def test_batches_by_tokens_are_full_seeded_and_hold_every_pair_once_a_round():
    rng = random.Random(0)
    pairs = [([i + 3] * rng.randint(1, 12), [i + 3] * rng.randint(1, 12)) for i in range(400)]
    stream = batches_by_tokens(pairs, 200, seed=1)
    rounds = [one_round(stream, 400), one_round(stream, 400)]
    for batches_of_round in rounds:
        assert sorted(int(row[0]) for batch in batches_of_round for row in batch.source) == [i + 3 for i in range(400)]
        sizes = [batch.source.numel() + batch.target.numel() for batch in batches_of_round]
        assert max(sizes) <= 200 and sorted(sizes)[1] > 100, "none too large, and only the round's last may be small"
    assert [len(batch.source) for batch in rounds[0]] != [len(batch.source) for batch in rounds[1]]
    again = batches_by_tokens(pairs, 200, seed=1)
    assert all(torch.equal(batch.target, next(again).target) for batch in rounds[0])
    assert not torch.equal(next(batches_by_tokens(pairs, 200, seed=2)).target[:1, :2], rounds[0][0].target[:1, :2])


def test_sorting_by_length_saves_padding():
    corpus = single_numbers(count=3000, test_count=5)
    pairs = corpus.encoded(corpus.train)
    sorted_, mixed = (
        one_round(batches_by_tokens(pairs, 1024, 0, buckets), len(pairs) // 2) for buckets in (True, False)
    )
    assert sum(batch.padding for batch in sorted_) / len(sorted_) < 0.02
    assert sum(batch.padding for batch in mixed) / len(mixed) > 0.08
    batch = collate([([5, 6], [7]), ([5], [7, 8, 9])])
    assert (batch.num_tokens, batch.padding) == (3 + 3 + 2 + 5, 1 - 13 / 16)


def test_batches_of_nothing_are_refused_at_once():
    """Once they were looked for without end."""
    with pytest.raises(CourseError, match="there are no pairs"):
        batches([], 8, seed=0)
    with pytest.raises(CourseError, match="size should be a whole number from 1 up; got 0"):
        batches([([3], [4])], 0, seed=0)


def test_a_pair_that_fits_in_no_batch_is_said_at_once():
    with pytest.raises(
        CourseError, match="at most 9 tokens should hold at least one pair, but the longest pair has 10"
    ):
        batches_by_tokens([([3], [3]), ([3] * 4, [3] * 3)], 9, seed=0)
    with pytest.raises(CourseError, match="there are no pairs"):
        batches_by_tokens([], 9, seed=0)
