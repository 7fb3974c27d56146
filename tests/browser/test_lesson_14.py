"""Lesson 14 in a real JupyterLab: the four forms, the slider of λ, label words of one's own."""

import pytest

from .untouched import (
    test_all_that_it_shows_is_accessible_in_both_themes,  # noqa: F401
    test_the_untouched_lesson_runs_from_top_to_bottom,  # noqa: F401
)

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(1800)]

LESSON = "14_using_gpt"
ONE_ORDER = """def input_forms(task, first, others, start, delimiter, extract):
    if task == "classification":
        return [[start, *first, extract]]
    return [[start, *first, delimiter, *other, extract] for other in others]"""


def test_the_four_forms_by_keyboard(lesson):
    output = lesson.shown("four-forms")
    title = output.locator(".course-widget svg.course-flow text.title")
    handle = output.locator(".noUi-handle")
    lesson.press(handle, "Home")
    assert lesson.until(lambda: title.text_content() == "classification")
    lesson.press(handle, "ArrowRight", 2)
    assert lesson.until(lambda: title.text_content() == "similarity")
    lit = output.locator(".course-widget svg.course-flow g.lit text")
    assert lesson.until(lambda: lit.all_text_contents().count("<e>") == 2)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_both_themes(lesson, theme):
    lesson.dark(theme == "dark")
    for cell in ("four-forms", "strips", "two-losses", "slider", "own-words"):
        lesson.shown(cell)
        lesson.screenshot(f"14-{cell}-{theme}")
    lesson.dark(False)


def test_the_slider_of_lambda(lesson):
    output = lesson.shown("slider")
    status = output.locator("[role=status]")
    handles = output.locator(".noUi-handle")
    assert lesson.until(lambda: status.inner_text().startswith("Accuracy"))
    lesson.press(handles.first, "Home")
    lesson.press(handles.last, "Home")
    assert lesson.until(lambda: "caldrow caldrow" in status.inner_text())
    lesson.press(handles.first, "End")
    assert lesson.until(lambda: "caldrow caldrow" not in status.inner_text())
    lesson.screenshot("14-lambda")


def test_label_words_of_ones_own(lesson):
    output = lesson.shown("own-words")
    box, status = output.locator("input[type=text]"), output.locator("[role=status]")
    assert lesson.until(lambda: "bad / good" in status.inner_text())
    box.fill("dull / lovely")
    box.press("Enter")
    assert lesson.until(lambda: "dull / lovely" in status.inner_text())
    box.fill("awful / cool")
    box.press("Enter")
    output.get_by_text("isn't in this vocabulary").wait_for()


def test_one_order_is_named(lesson):
    assert "Not attempted yet" in lesson.check("14.input_forms").inner_text()
    assert "both" in lesson.answer("14.input_forms", ONE_ORDER).inner_text()
    lesson.screenshot("14-wrong-answer")
    assert lesson.page.problems == []
