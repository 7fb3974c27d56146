"""Lesson 03 in a real JupyterLab: the cut into heads, a silent head, the head view, the drawings, checks' verdicts."""

import pytest

from .untouched import (
    test_all_that_it_shows_is_accessible_in_both_themes,  # noqa: F401
    test_the_untouched_lesson_runs_from_top_to_bottom,  # noqa: F401
)

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(1800)]

LESSON = "03_multi_head_attention"
ROWS = """def silence(W_O, head, num_heads):
    d_v = W_O.shape[1] // num_heads
    W_O = W_O.clone()
    W_O[head * d_v : (head + 1) * d_v] = 0
    return W_O"""


def test_the_numbers_go_into_heads_or_are_scrambled(lesson):
    output = lesson.shown("cut-slider")
    handle, cells = output.locator(".noUi-handle[aria-label=step]"), output.locator("svg.course-cut text")
    drawn = cells.all_text_contents
    lesson.press(handle, "Home")
    assert lesson.until(lambda: "x (3, 4)" in drawn())
    lesson.press(handle, "End")
    assert lesson.until(lambda: "words and heads swapped (2, 3, 2)" in drawn())
    output.get_by_label("reshape at once").check()
    assert lesson.until(lambda: "reshaped at once (2, 3, 2)" in drawn())
    assert "half of “cat”" in output.locator("[role=status]").inner_text()
    lesson.screenshot("03-scrambled")
    lesson.press(handle, "ArrowLeft")
    assert lesson.until(lambda: "as the numbers lie in memory (12)" in drawn())
    output.get_by_label("reshape at once").uncheck()
    assert lesson.until(lambda: "the last axis cut (3, 2, 2)" in drawn())


def test_a_silent_head_changes_what_it_stands_for(lesson):
    output = lesson.shown("ablation")
    handle, said = output.locator(".noUi-handle[aria-label=silent]"), output.locator("[role=status]")
    lesson.press(handle, "Home")
    assert lesson.until(lambda: "Silent: none. “it” is taken for “animal”" in said.inner_text())
    lesson.press(handle, "ArrowRight", 6)
    assert lesson.until(lambda: "Silent: 1.1." in said.inner_text())


def test_both_themes(lesson):
    for theme in ("light", "dark"):
        lesson.dark(theme == "dark")
        for cell, count in (("heads-drawing", 1), ("sum-drawing", 2)):
            drawings = lesson.shown(cell).locator("svg.course-flow")
            assert lesson.until(lambda: drawings.count() == count)
            lesson.screenshot(f"03-{cell}-{theme}")
        lesson.shown("cut-slider")
        lesson.screenshot(f"03-cut-{theme}")
    lesson.dark(False)


LINES = """page => JSON.stringify([...page.querySelectorAll("line")].map(line =>
    [...line.attributes].filter(each => !/^[xy]/.test(each.name)).map(each => each.value)))"""


def test_head_view_is_live(lesson):
    frame = lesson.shown("head-view").locator("iframe").content_frame
    frame.locator("svg").first.wait_for()
    picture = frame.locator("#vis")

    def drawn():
        """The lines, but not where they lie: JupyterLab may have put the frame in anew, wider or narrower."""
        return picture.evaluate(LINES)

    def drawn_anew(before):
        return lesson.until(lambda: drawn() != before)

    lesson.page.mouse.move(0, 0)  # over a word it would leave that word's lines alone
    assert lesson.until(lambda: picture.locator("line").count() > 0)
    lesson.screenshot("head-view")
    layer_1 = drawn()
    frame.get_by_role("combobox", name="Layer").select_option("0")
    assert drawn_anew(layer_1), "another layer has other lines"
    frame.get_by_role("combobox", name="Layer").select_option("1")
    assert lesson.until(lambda: drawn() == layer_1)
    head = frame.get_by_role("checkbox", name="head 1")
    head.press("Space")
    assert drawn_anew(layer_1), "a head is switched off"
    if not head.is_checked():  # in a frame put in anew it is on already
        head.press("Space")
    assert lesson.until(lambda: drawn() == layer_1)
    frame.locator("#left text", has_text="it").first.hover()
    assert drawn_anew(layer_1), "one word's lines are shown alone"
    lesson.picture("readme-head-view")


def test_silent_rows_are_named_and_the_right_answer_is_used(lesson):
    assert "Not attempted yet" in lesson.check("03.silence").inner_text()
    assert "You silenced the rows" in lesson.answer("03.silence", ROWS).inner_text()
    right = ROWS.replace("W_O[head", "W_O[:, head")
    assert "Passed" in lesson.answer("03.silence", right).inner_text()
    lesson.run("silenced")
    assert "Using your own silence" in lesson.shown("silenced").inner_text()
    assert lesson.page.problems == []
