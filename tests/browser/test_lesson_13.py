"""Lesson 13 in a real JupyterLab: the sampling sliders, the feast's slider, a beginning of one's own."""

import re

import pytest

from .untouched import (
    test_all_that_it_shows_is_accessible_in_both_themes,  # noqa: F401
    test_the_untouched_lesson_runs_from_top_to_bottom,  # noqa: F401
)

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(1800)]

LESSON = "13_gpt"
COPIES = """def lm_loss(logits, ids, pad_id):
    return torch.nn.functional.cross_entropy(logits.mT, ids, ignore_index=pad_id)"""
RIGHT = COPIES.replace("(logits.mT, ids,", "(logits[:, :-1].mT, ids[:, 1:],")


def said(output):
    """(temperature, top-k, top-p, words that can be drawn, of so many), as the line under the bars has them."""
    text = output.locator("[role=status]").inner_text()
    found = re.search(r"Temperature ([\d.]+), top-k (\d+), top-p ([\d.]+): (\d+) of (\d+) words", text)
    return [float(number) for number in found.groups()] if found else None


def test_each_sampling_slider_by_keyboard(lesson):
    output = lesson.shown("sliders")
    assert lesson.until(lambda: said(output) is not None)
    handles = {name: output.locator(f".noUi-handle[aria-label={name}]") for name in ("temperature", "top-k", "top-p")}
    lesson.press(handles["top-p"], "End")
    lesson.press(handles["top-k"], "End")
    assert lesson.until(lambda: said(output)[2] == 1.0 and said(output)[3] == said(output)[4])
    lesson.press(handles["top-k"], "Home")
    assert lesson.until(lambda: said(output)[1] == said(output)[3] == 1)
    lesson.press(handles["top-k"], "ArrowRight", 4)
    assert lesson.until(lambda: said(output)[1] == said(output)[3] == 5)
    assert output.locator("section:not([hidden]) .word.cut").count() > 0
    before = said(output)[0]
    lesson.press(handles["temperature"], "ArrowRight", 3)
    assert lesson.until(lambda: said(output)[0] > before)


def test_another_beginning_has_other_words(lesson):
    output = lesson.shown("sliders")
    heading = output.locator("section:not([hidden]) .title")
    heading.wait_for()
    before = heading.inner_text()
    output.locator("select").select_option(index=2)
    assert lesson.until(lambda: heading.inner_text() != before)
    assert "17 , 18 , 19" in heading.inner_text()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_both_themes(lesson, theme):
    lesson.dark(theme == "dark")
    output = lesson.shown("sliders")
    assert lesson.until(lambda: said(output) is not None)
    assert output.locator(".course-static").is_hidden() and output.locator("section:not([hidden]) .bars").is_visible()
    lesson.screenshot(f"13-sampling-{theme}")
    lesson.dark(False)


def test_the_feasts_slider(lesson):
    output = lesson.shown("time")
    status = output.locator("[role=status]")
    status.wait_for()
    lesson.press(output.locator(".noUi-handle"), "Home")
    assert lesson.until(lambda: status.inner_text().startswith("After 50 steps"))
    lesson.screenshot("13-feast")


def test_a_beginning_of_ones_own(lesson):
    output = lesson.shown("ask")
    box, status = output.locator("input[type=text]"), output.locator("[role=status]")
    assert lesson.until(lambda: "highest" in status.inner_text())
    box.fill("hugo was born in")
    box.press("Enter")
    assert lesson.until(lambda: status.inner_text().startswith("hugo was born in"))
    box.fill("hugo was born in Paris")
    box.press("Enter")
    output.get_by_text("isn't in this vocabulary").wait_for()


def test_a_loss_that_copies_is_named_and_the_right_one_is_used(lesson):
    assert "Not attempted yet" in lesson.check("13.lm_loss").inner_text()
    assert "learned to copy" in lesson.answer("13.lm_loss", COPIES).inner_text()
    lesson.screenshot("13-wrong-answer")
    assert "Passed" in lesson.answer("13.lm_loss", RIGHT).inner_text()
    assert lesson.page.problems == []
