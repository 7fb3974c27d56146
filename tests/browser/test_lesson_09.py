"""Lesson 09 in a real JupyterLab: the learning rate's sliders, a number of one's own, bertviz's view of both texts."""

import re

import pytest

from .untouched import (
    test_all_that_it_shows_is_accessible_in_both_themes,  # noqa: F401
    test_the_untouched_lesson_runs_from_top_to_bottom,  # noqa: F401
)

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(1800)]

LESSON = "09_training_a_translator"
MAX = """def lrate(step, d_model, warmup=4000):
    return d_model**-0.5 * max(step**-0.5, step * warmup**-1.5)"""
RIGHT = MAX.replace("max(", "min(")


def said(output):
    """d_model, warm-up, highest rate, as the line under the picture has them."""
    text = output.locator("[role=status]").inner_text()
    found = re.search(r"d_model (\d+), warm-up ([\d,]+): (?:highest|still rising after \d+ steps, at) ([\d.]+)", text)
    assert found, text
    return [float(number.replace(",", "").rstrip(".")) for number in found.groups()]


@pytest.mark.parametrize("name", ["d_model", "warmup"])
def test_each_slider_by_keyboard(lesson, name):
    output = lesson.shown("slider-code")
    handle = output.locator(f".noUi-handle[aria-label={name}]")
    handle.wait_for()
    line = output.locator("polyline.with")
    lesson.press(handle, "Home")
    before, points = said(output), line.get_attribute("points")
    lesson.press(handle, "ArrowRight", 5)
    place = ["d_model", "warmup"].index(name)
    assert lesson.until(lambda: said(output)[place] > before[place])
    assert lesson.until(lambda: line.get_attribute("points") != points)
    d_model, warmup, highest = said(output)
    assert highest == pytest.approx((d_model * min(warmup, 400)) ** -0.5 * min(1, 400 / warmup), rel=0.03)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_both_themes(lesson, theme):
    lesson.dark(theme == "dark")
    output = lesson.shown("slider-code")
    output.locator(".course-static").wait_for(state="hidden"), output.locator("svg").first.wait_for()
    lesson.screenshot(f"09-rate-{theme}")
    lesson.dark(False)


def test_a_number_of_ones_own_is_translated(lesson):
    output = lesson.shown("type-code")
    box, status = output.locator("input[type=text]"), output.locator("[role=status]")
    # 921605, then 54321, as the source's tokens; what this machine's model makes of them is not compared
    status.filter(has_text=re.compile(r"^\s*[a-zäöüß]+\. Heatmap of weights, \d+ queries × 13 keys")).wait_for()
    box.fill("54321")
    box.press("Enter")
    status.filter(has_text=re.compile(r"^\s*[a-zäöüß]+\. Heatmap of weights, \d+ queries × (?!13 )\d+ keys")).wait_for()
    lesson.screenshot("09-typed")
    box.fill("1000000")
    box.press("Enter")
    output.get_by_text("from 0 to 999,999").wait_for()


def test_bertviz_shows_three_attentions(lesson):
    output = lesson.shown("bertviz")
    frame = output.frame_locator("iframe")
    frame.locator("svg").first.wait_for()
    options = frame.locator("select option")
    assert lesson.until(lambda: {"Encoder", "Decoder", "Cross"} <= set(options.all_inner_texts()))
    lesson.screenshot("09-bertviz")


def test_the_beams_slider(lesson):
    output = lesson.shown("tree")
    status = output.locator("[role=status]")
    status.wait_for()
    lesson.press(output.locator(".noUi-handle"), "Home")
    assert lesson.until(lambda: status.inner_text().startswith("k = 1. The best"))
    lesson.screenshot("09-beam")


def test_a_wrong_rate_is_named_and_the_right_one_is_used(lesson):
    assert "Not attempted yet" in lesson.check("09.lrate").inner_text()
    assert "never stops rising" in lesson.answer("09.lrate", MAX).inner_text()
    lesson.screenshot("09-wrong-answer")
    assert "Passed" in lesson.answer("09.lrate", RIGHT).inner_text()
    lesson.run("slider-code")
    assert "Using your own lrate" in lesson.shown("slider-code").inner_text()
    assert lesson.page.problems == []
