"""Lesson 15 in a real JupyterLab: the gaps' sliders, three families by price, lines between models, the map."""

import re

import pytest

from .untouched import (
    test_all_that_it_shows_is_accessible_in_both_themes,  # noqa: F401
    test_the_untouched_lesson_runs_from_top_to_bottom,  # noqa: F401
)

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(1800)]

LESSON = "15_pretraining_three_ways"
ONE_MARK = """def span_corruption(tokens, spans, marks):
    source, target, last = [], [], 0
    for start, end in spans:
        source += [*tokens[last:start], marks[0]]
        target += [marks[0], *tokens[start:end]]
        last = end
    return source + list(tokens[last:]), target + [marks[len(spans)]]"""
RIGHT = """def span_corruption(tokens, spans, marks):
    source, target, last = [], [], 0
    for mark, (start, end) in zip(marks, spans):
        source += [*tokens[last:start], mark]
        target += [mark, *tokens[start:end]]
        last = end
    return source + list(tokens[last:]), target + [marks[len(spans)]]"""


def told(output):
    """The line under the picture."""
    return output.locator("[role=status]").inner_text()


def test_more_is_hidden_in_more_gaps(lesson):
    output = lesson.shown("gaps-slider")
    assert lesson.until(lambda: told(output).startswith("Gaps: "))
    count = lambda: int(re.match(r"Gaps: (\d+)", told(output)).group(1))  # noqa: E731
    before, share = count(), output.locator(".noUi-handle[aria-label=share]")
    lesson.press(share, "End")
    assert lesson.until(lambda: count() > before)
    lesson.screenshot("15-gaps")


def test_another_phenomenon_by_price(lesson):
    output = lesson.shown("families")
    assert lesson.until(lambda: told(output).startswith("syntax"))
    lesson.press(output.locator(".noUi-handle[aria-label=phenomenon]"), "End")
    assert lesson.until(lambda: told(output).startswith("sequences"))
    lesson.screenshot("15-families")


def test_lines_between_two(lesson):
    output = lesson.shown("pairs")
    assert lesson.until(lambda: told(output).startswith("two from pretrained weights"))
    lesson.press(output.locator(".noUi-handle[aria-label=pair]"), "ArrowRight", 2)
    assert lesson.until(lambda: told(output).startswith("two from different random weights"))
    ends, *centre = (float(number) for number in re.findall(r"\d\.\d+", told(output)))
    assert len(centre) == 3 and max(centre) > ends


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_walk_on_the_map(lesson, theme):
    lesson.dark(theme == "dark")
    output = lesson.shown("map")
    assert lesson.until(lambda: "t = " in told(output))
    lesson.press(output.locator(".noUi-handle[aria-label=line]"), "Home")
    handle = output.locator(".noUi-handle[aria-label=t]")
    lesson.press(handle, "Home")
    assert lesson.until(lambda: "t = 0.00" in told(output))
    start = float(re.search(r"loss (\d\.\d+)", told(output)).group(1))
    lesson.press(handle, "End")
    assert lesson.until(lambda: "t = 1.00" in told(output))
    assert float(re.search(r"loss (\d\.\d+)", told(output)).group(1)) < start
    lesson.screenshot(f"15-map-{theme}")
    lesson.dark(False)


def test_one_mark_for_all_gaps_is_named_and_the_right_answer_is_used(lesson):
    assert "Not attempted yet" in lesson.check("15.span_corruption").inner_text()
    assert "own mark" in lesson.answer("15.span_corruption", ONE_MARK).inner_text()
    lesson.screenshot("15-wrong-answer")
    assert "Passed" in lesson.answer("15.span_corruption", RIGHT).inner_text()
    assert lesson.page.problems == []
