"""Lesson 02 as a student uses it: a prediction, a slider, a wrong answer, and a right one that lasts."""

import json

import pytest

from .lab import next_day
from .untouched import (
    test_all_that_it_shows_is_accessible_in_both_themes,  # noqa: F401
    test_the_untouched_lesson_runs_from_top_to_bottom,  # noqa: F401
)

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(1800)]

LESSON = "02_self_attention"
FORGOT_THE_SCALE = """def scaled_dot_product_attention(query, key, value):
    weights = (query @ key.mT).softmax(dim=-1)
    return weights @ value, weights"""
DESIGNED = """def noun_finder():
    W_Q = torch.diag(torch.tensor([0.0, 20, 20, 20]))
    W_K = torch.eye(4)
    W_K[1] = torch.tensor([1.0, 0, 0, 0])
    return W_Q, W_K"""
RIGHT = FORGOT_THE_SCALE.replace("key.mT)", "key.mT / query.shape[-1] ** 0.5)")


def test_prediction_is_answered_after_the_next_cell(lesson):
    lesson.run("predict-spread")
    asked = lesson.shown("predict-spread")
    asked.get_by_text("it doubles", exact=True).click()
    asked.get_by_text("Your choice is kept. Now run the next cell.").wait_for()
    assert "Variances add" not in asked.inner_text()
    lesson.screenshot("prediction")
    lesson.run("measure-spread")
    asked = lesson.shown("predict-spread")
    asked.get_by_text("You predicted “it doubles”").wait_for()
    assert "Variances add" in asked.inner_text()
    lesson.screenshot("prediction-answered")
    assert lesson.page.problems == []


def test_spread_slider_answers_its_question(lesson):
    output = lesson.shown("spread-slider")
    said = output.locator("[role=status]")
    lesson.press(output.locator(".noUi-handle"), "ArrowRight", 4)  # from 64 to 1024
    said.filter(has_text="d_k = 1024, not divided").wait_for()
    sharp = output.inner_text()
    lesson.picture("readme-slider")
    output.locator("input[type=checkbox]").check()
    said.filter(has_text="d_k = 1024, divided").wait_for()
    assert output.inner_text() != sharp, "the scale changes the weights"
    assert lesson.page.problems == []


def test_mixture_slider_moves_z_without_the_kernel(lesson):
    output = lesson.shown("mixture-slider")
    said, z = output.locator("[role=status]"), output.locator("svg .arrow.query")
    said.filter(has_text="direction of the query, degrees: 45").wait_for()
    before = z.get_attribute("x2")
    lesson.press(output.locator(".noUi-handle"), "ArrowRight", 18)  # from 45° to 135°
    said.filter(has_text="degrees: 135").wait_for()
    assert "· bites" in said.inner_text().split("+")[0], "the largest share comes first"
    assert z.get_attribute("x2") != before
    lesson.screenshot("mixture")
    assert lesson.page.problems == []


def test_a_designed_head_is_tried_on_sentences(lesson):
    asks_for_nouns = lesson.answer("02.noun_finder", DESIGNED.replace("20, 20, 20", "20, 0, 0"))
    assert "Not yet" in asks_for_nouns.inner_text() and "finds both nouns" in asks_for_nouns.inner_text()
    assert "Passed" in lesson.answer("02.noun_finder", DESIGNED).inner_text()
    assert lesson.page.problems == []


def test_wrong_answer_is_explained_and_right_one_survives_a_restart(lesson, student, page):
    key = "02.scaled_dot_product_attention"
    assert "Not attempted yet" in lesson.check(key).inner_text()
    wrong = lesson.answer(key, FORGOT_THE_SCALE)
    assert "Not yet" in wrong.inner_text() and "Divide them by √d_k before the softmax." in wrong.inner_text()
    assert wrong.locator("img").count() == 1, "yours, expected and difference"
    lesson.screenshot("wrong-answer")
    lesson.dark()
    lesson.screenshot("wrong-answer-dark")
    lesson.dark(False)
    assert "Passed" in lesson.answer(key, RIGHT).inner_text()
    lesson.screenshot("right-answer")
    kept = json.loads((student.folder / ".course" / "progress.json").read_text())
    assert kept["exercises"][key]["status"] == "passed"

    lesson.restart_kernel()
    lesson.run("setup")
    start = student.open(page, "00_start_here")
    start.run("setup", "board-code")
    board = start.shown("board-code")
    assert board.locator("[aria-label^='Scaled dot-product attention: passed']").count() == 1
    start.screenshot("board")
    later = student.open(page, "03_multi_head_attention")
    later.run("setup")
    assert "Using your own scaled_dot_product_attention" in later.shown("setup").inner_text()
    assert page.problems == [] and lesson.page.problems == []


def test_slider_still_works_in_a_lesson_reopened_without_a_kernel(browser, lesson):
    lesson.run("setup", "spread-slider")
    with next_day(browser, lesson) as reopened:
        output = reopened.shown("spread-slider")
        reopened.press(output.locator(".noUi-handle"), "ArrowRight")
        output.get_by_text("d_k = 128").first.wait_for()
        assert all("widget model not found" in problem for problem in reopened.page.problems)  # of other cells
