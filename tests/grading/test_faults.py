"""A mistake in the course itself is said to be ours: it costs the student neither a try nor points."""

import dataclasses

import pytest
import torch

from course_lib.checking.collect import collect
from course_lib.checking.judge import DAMAGED, judge
from course_lib.checking.kinds import Case, Code
from course_lib.student import check as check_module
from course_lib.workbook import progress


def exercise(**changes):
    right = dict(
        title="Doubled", points=1, minutes=1, difficulty=1, hints=[], axes=["n"], reference=lambda x: 2 * x,
        cases=[Case("three numbers", lambda g: (torch.randn(3, generator=g),))],
    )  # fmt: skip
    return Code("99.doubled", **right | changes)


def broken_reference():
    return exercise(reference=lambda x: torch.zeros(3) @ torch.zeros(4))


def broken_case():
    return exercise(cases=[Case("three numbers", lambda g: (torch.randn(3, generator=g).view(2, 2),))])


def broken_gradient():
    return exercise(reference=lambda x: x.detach() * 2, differentiable=True)


BROKEN = [broken_reference, broken_case, broken_gradient]


def right(x):
    return 2 * x


@pytest.fixture
def check(student, shown, monkeypatch):
    """`check` of an exercise that no lesson has; gives the card that it shows."""

    def run(exercise, submission):
        monkeypatch.setattr(check_module, "find", lambda key: exercise)
        check_module.check(exercise.key, submission)
        return shown[-1]

    return run


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_exercise_raises(broken):
    with pytest.raises(RuntimeError):
        judge(broken(), "1", collect(broken(), right, "1"))


@pytest.mark.parametrize("broken", BROKEN)
def test_the_card_says_that_it_is_our_fault(check, student, broken):
    card = check(broken(), right)
    assert card.text.startswith("Our fault · Doubled\n") and "no try and costs no points" in card.text
    assert "Please report it" in card.text and "RuntimeError" in card.text and "course_lib/checking/" in card.text
    assert "<pre>Traceback" in card.html and 'role="note"' in card.html
    assert progress.load(student).exercises == {}


def test_a_listed_mistake_that_raises_is_an_answer(check):
    doubled = exercise()

    @doubled.mistake("You take one number too many.")
    def one_more(x):
        raise IndexError("one too many")

    def same(x):
        raise IndexError("one too many")

    assert "You take one number too many." in check(doubled, same).text
    assert "Our fault" not in check(doubled, lambda x: x).text


def test_a_value_that_cannot_be_settled_is_an_answer():
    doubled = exercise(settle=lambda value, x: value.flatten())
    assert judge(doubled, "1", collect(doubled, right, "1")).passed
    verdict = judge(doubled, "1", collect(doubled, lambda x: "2 x", "1"))
    assert "'str' object has no attribute 'flatten'" in verdict.message
    assert (verdict.recognised, verdict.failed) == ("error:AttributeError", (0,))


def test_a_symptom_that_raises_does_not_hold(check):
    doubled = exercise()
    doubled.symptom("Its first row is wrong.")(lambda inputs, answer: answer[0, 0] > 1)
    doubled.symptom("It is what went in.")(lambda inputs, answer: torch.equal(inputs[0], answer))
    assert "It is what went in." in check(doubled, lambda x: x).text


def test_answers_of_another_exercise_are_damaged_not_our_fault():
    doubled = exercise()
    answers = collect(doubled, right, "1")
    verdict = judge(doubled, "1", dataclasses.replace(answers, cases=answers.cases * 2))
    assert verdict.message == DAMAGED and not verdict.passed
