"""Lesson 08 in a real JupyterLab: its switches and its slider by keyboard, in both themes, and a check's verdicts."""

import re

import pytest

from .untouched import (
    test_all_that_it_shows_is_accessible_in_both_themes,  # noqa: F401
    test_the_untouched_lesson_runs_from_top_to_bottom,  # noqa: F401
)

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(1800)]

LESSON = "08_encoder_and_decoder"
RIGHT = """def shift(ids, start, end, pad):
    inputs = F.pad(ids, (1, 0), value=start)
    place = torch.arange(ids.shape[1] + 1)
    return inputs, torch.where(place == (ids != pad).sum(1, keepdim=True), end, F.pad(ids, (0, 1), value=pad))"""
NOT_SHIFTED = RIGHT.replace("return inputs, ", "inputs = ").replace(
    "value=pad))", "value=pad))\n    return inputs, inputs"
)


def said(output):
    return output.locator("[role=status]").inner_text()


def test_the_switches_make_encoder_gpt_and_decoder(lesson):
    output = lesson.shown("switches-widget")
    boxes = output.locator("input[type=checkbox]")
    assert lesson.until(lambda: boxes.count() == 3 and "encoder layer" in said(output))
    boxes.nth(0).check()
    assert lesson.until(lambda: "GPT" in said(output))
    boxes.nth(1).check()
    assert lesson.until(lambda: "refuses" in said(output) and "memory=" in said(output))
    boxes.nth(2).check()
    assert lesson.until(lambda: "A decoder layer" in said(output) and "cross (1, 2, 3, 4)" in said(output))
    output.locator(".course-widget svg.course-flow", has_text="cross-attention").wait_for()
    lesson.screenshot("lesson-08-switches")
    boxes.nth(0).uncheck()
    assert lesson.until(lambda: "No common name" in said(output))


def test_a_sentence_goes_through_by_keyboard(lesson):
    output = lesson.shown("shapes-slider")
    handle = output.locator(".noUi-handle")
    lesson.press(handle, "Home")
    assert lesson.until(lambda: "whole numbers" in said(output))
    lesson.press(handle, "ArrowRight", 4)
    assert lesson.until(
        lambda: "after encoder layer 2 of 6: 1 × 7 × 512; weights 1 × 8 × 7 × 7; 3,152,384" in said(output)
    )
    assert lesson.until(lambda: output.locator(".course-widget svg.course-flow g.lit rect").count() == 4)
    lesson.press(handle, "End")
    assert lesson.until(lambda: "1 × 5 × 37000" in said(output))


@pytest.mark.parametrize("dark", [False, True])
def test_drawings_take_the_themes_ink(lesson, dark):
    lesson.dark(dark)
    try:
        output = lesson.shown("whole")
        drawing = output.locator("svg.course-flow")

        def brightness(of):
            colour = drawing.locator(of).first.evaluate("e => getComputedStyle(e).fill")
            return sum(map(float, re.findall(r"[\d.]+", colour)[:3]))

        def ink_over_paper():
            return brightness("text") - brightness("rect:not(.group)")

        assert lesson.until(lambda: ink_over_paper() * (1 if dark else -1) > 400)
        output.locator("img").wait_for(state="hidden")  # it is for where SVG is kept out
        lesson.screenshot(f"lesson-08-drawing-{'dark' if dark else 'light'}")
    finally:
        lesson.dark(False)


def test_a_wrong_and_a_right_answer(lesson):
    assert "Copying gives a loss of 0" in lesson.answer("08.shift", NOT_SHIFTED).inner_text()
    assert "Passed" in lesson.answer("08.shift", RIGHT).inner_text()
    lesson.run("own-parts")
    assert "1 of 9 parts are yours" in lesson.shown("own-parts").locator("svg.course-flow").text_content()
    lesson.run("assembly-code", "assembly-check-code", "task")
    assert lesson.errors() == [], "the Transformer runs on the student's own part"
