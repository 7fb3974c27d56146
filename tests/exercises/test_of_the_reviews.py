"""What two reviews of the lessons found misnamed, refused though right, or put away as not attempted."""

from decimal import Decimal
from fractions import Fraction

import pytest
from banks import verdict

from course_lib.exercises import find

SCORES = find("07.pair_scores")
LEAKS = find("04.planted_leaks")


@pytest.mark.parametrize(
    "number", [Fraction, lambda text: Decimal(text.partition("/")[0]) / Decimal(text.partition("/")[2])]
)
def test_a_fraction_is_a_number(number):
    assert verdict(SCORES, {"##n ##d": number("5/60"), "q ##u": number("4/40")}).passed
    assert "Divide by both" in verdict(SCORES, {"##n ##d": number("5/12"), "q ##u": number("4/40")}).message


@pytest.mark.parametrize("key", ["05.wavelengths", "07.pair_scores"])
def test_an_answer_under_other_names_is_an_attempt(key):
    exercise = find(key)
    found = verdict(exercise, {"first": 1.0, "second": 2.0})
    assert found.attempted and not found.passed and "Keep the names as they were given" in found.message
    assert not verdict(exercise, dict.fromkeys(exercise.answer)).attempted


def test_a_missing_bracket_is_told_from_a_shifted_point():
    found = verdict(SCORES, {"##n ##d": 5 / 12 * 5, "q ##u": 4 / 4 * 10})
    assert found.message.count("bracket") == 2 and "factor" not in found.message


def test_the_diagonal_counted_is_told_for_each_layer():
    counted = {"A": 6, "B": 21, "C": 15, "D": 11, "E, sentences": 16}
    lines = verdict(LEAKS, counted).message.splitlines()
    assert len(lines) == 5 and all("diagonal" in line or "see itself" in line for line in lines)


def count_pairs_with(add):
    def count_pairs(words):
        counts = {}
        for word, n in words.items():
            for pair in zip(word, word[1:]):
                counts[pair] = add(counts, pair, word, n)
        return counts

    return count_pairs


@pytest.mark.parametrize(
    ("add", "says"),
    [
        (lambda counts, pair, word, n: counts.get(pair) + n, "counts.get(pair, 0)"),
        (lambda counts, pair, word, n: counts.get(pair, 0) + word[1], "How often the word occurs is n"),
        (lambda counts, pair, word, n: counts.get(pair, 0) + word, "its value in the table"),
        (lambda counts, pair, word, n: counts.get((pair[0], pair[2]), 0) + n, "isn't there, such as pair[2]"),
        (lambda counts, pair, word, n: counts.get(pair, 0) + n(), "TypeError: 'int' object is not callable"),
    ],
)
def test_a_type_error_is_known_by_its_words(add, says):
    message = verdict(find("07.count_pairs"), count_pairs_with(add)).message
    assert says in message and "A list can't be a key" not in message
