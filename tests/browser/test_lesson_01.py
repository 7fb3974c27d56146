"""Lesson 01 as a student meets it: the score family in the browser, the redrawn sliders, the text box, light and dark."""

import json
import re

import pytest

from .lab import next_day
from .untouched import (
    test_all_that_it_shows_is_accessible_in_both_themes,  # noqa: F401
    test_the_untouched_lesson_runs_from_top_to_bottom,  # noqa: F401
)

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(1800)]

LESSON = "01_why_attention"
WEIGHTS = """
import json
from course_lib.viz.widgets.score_family import family_weights
angle, length = torch.tensor(85.0).deg2rad(), 2.0
weights = family_weights(length * torch.stack([angle.cos(), angle.sin()]), keys, **learned)
print(json.dumps({name: row.tolist() for name, row in weights.items()}))
"""


def test_the_browsers_scores_are_the_librarys(lesson):
    printed = json.loads(lesson.ask_kernel(WEIGHTS))
    found = lesson.shown("score-family")
    direction, length = found.locator(".noUi-handle").all()
    assert lesson.until(lambda: direction.get_attribute("aria-label") == "direction of the query, degrees")
    lesson.press(direction, "Home")
    lesson.press(direction, "ArrowRight", 17)  # 5 degrees each
    lesson.press(length, "End")
    lesson.press(length, "ArrowLeft", 5)  # from 2.5 by 0.1
    found.locator("[role=status]", has_text="direction 85° and length 2.0").wait_for()

    def shown(name):
        return [float(number) for number in found.locator(f"[data-score='{name}'] .number").all_inner_texts()]

    for name, row in printed.items():
        assert lesson.until(lambda name=name, row=row: shown(name) == pytest.approx(row, abs=0.006)), name
    assert len(printed) == 5


def test_turning_the_query_moves_the_arrow_and_the_cosine_ignores_its_length(lesson):
    found = lesson.shown("score-family")
    direction, length = found.locator(".noUi-handle").all()

    def numbers(name):
        return found.locator(f"[data-score='{name}'] .number").all_inner_texts()

    lesson.press(length, "Home")
    found.get_by_text("length 0.2").first.wait_for()
    before = {name: numbers(name) for name in ("cosine", "dot", "additive")}
    lesson.press(length, "End")
    found.get_by_text("length 2.5").first.wait_for()
    assert lesson.until(lambda: all(numbers(name) != before[name] for name in ("dot", "additive")))
    assert numbers("cosine") == before["cosine"]
    arrow = found.locator("svg .arrow.query").get_attribute("x2")
    lesson.press(direction, "ArrowRight", 4)
    assert lesson.until(lambda: found.locator("svg .arrow.query").get_attribute("x2") != arrow)
    assert lesson.until(lambda: numbers("cosine") != before["cosine"])


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_family_answers_while_it_is_dragged(lesson, theme):
    found = lesson.shown("score-family")
    lesson.dark(theme == "dark")
    said, seen = found.locator("[role=status]"), set()
    for _ in lesson.dragging(found.locator(".noUi-target").first, (0.1, 0.4, 0.8)):
        assert lesson.until(lambda: said.inner_text() not in seen)
        seen.add(said.inner_text())
    lesson.screenshot(f"score-family-{theme}")
    lesson.dark(False)


def test_a_longer_text_is_measured_again(lesson):
    found = lesson.shown("influence-slider")
    handle, said, picture = (found.locator(each) for each in (".noUi-handle", "[role=status]", "img.course-picture"))
    lesson.press(handle, "Home")
    said.filter(has_text=re.compile("GRU nowhere.*attention nowhere")).wait_for()
    short = picture.get_attribute("src")  # the line comes after the picture
    lesson.press(handle, "End")
    at_256 = r"RNN from \d+ words on; GRU from \d+ words on; convolution from 4 words on; attention nowhere"
    said.filter(has_text=re.compile(at_256)).wait_for()
    assert picture.get_attribute("src") != short


def test_the_text_box_draws_what_is_typed_and_says_what_it_cant_read(lesson):
    found = lesson.shown("alignment")
    box, status, picture = (found.locator(each) for each in ("input[type=text]", "[role=status]", "img.course-picture"))
    status.filter(has_text=re.compile(r"\d+ queries × \d+ keys")).wait_for()
    first = picture.screenshot()

    def enter(text, said):
        box.fill(text)
        box.press("Enter")
        status.filter(has_text=said).wait_for()

    enter("42 8 3", said=re.compile(r"\d+ queries × 7 keys"))  # forty two , eight , three, and the end
    assert lesson.until(lambda: picture.screenshot() != first)
    enter("elevn", said="'elevn' is in none of the English numbers")
    enter("", said="There is no number in this text")
    lesson.screenshot("text-box-error")
    enter("twenty-one forty-two, ninety nine", said=re.compile(r"\d+ queries × 9 keys"))
    assert lesson.page.problems == []


def test_without_a_kernel_the_family_still_turns(browser, lesson):
    with next_day(browser, lesson) as reopened:
        found = reopened.shown("score-family")
        assert found.locator("img[alt*='five scores'], .course-scores").count() >= 1, "the widget or its still picture"
