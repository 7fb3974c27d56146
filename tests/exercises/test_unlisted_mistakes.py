"""Wrong answers that no bank lists are rejected all the same, with a sentence that helps."""

import pytest
from banks import CODE, name, verdict
from unlisted_mistakes import SETS, UNLISTED

from course_lib.exercises import find

pytestmark = pytest.mark.slow  # hundreds of them, and some run into the time limit


def answers(source):
    return pytest.mark.parametrize(
        ("exercise", "answer", "says"),
        [(find(key), *pair) for key, pairs in source.items() for pair in pairs],
        ids=name,
    )


@answers(UNLISTED)
def test_rejected(exercise, answer, says):
    rejected(exercise, answer, says)


@pytest.mark.sweep
@answers(SETS)
def test_rejected_of_a_fresh_student(exercise, answer, says):
    rejected(exercise, answer, says)


def rejected(exercise, answer, says):
    found = verdict(exercise, answer)
    assert found.attempted and not found.passed
    assert says in found.message
    assert "damaged" not in found.message


@pytest.mark.parametrize("exercise", CODE, ids=name)
def test_enough(exercise):
    assert len(UNLISTED[exercise.key]) >= 15
