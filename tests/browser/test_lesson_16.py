"""Lesson 16 in a real JupyterLab: the pattern painter, its count and its ways; the bill; a wrong mask is named."""

import re

import pytest
import torch

from course_lib import masks
from course_lib.viz.widgets.pattern_painter import drawn_keys, key_order

from .untouched import (
    test_all_that_it_shows_is_accessible_in_both_themes,  # noqa: F401
    test_the_untouched_lesson_runs_from_top_to_bottom,  # noqa: F401
)

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(1800)]

LESSON = "16_cost_and_variants"
ONE_SIDED = """def sparse_mask(n, window, num_global, chosen):
    place = torch.arange(n)
    mask = (place[:, None] - place).abs() <= window
    mask[:num_global] = True
    return mask.scatter(1, chosen, True)"""
RIGHT = ONE_SIDED.replace("    return", "    mask[:, :num_global] = True\n    return")


def told(output):
    """The line under the painting."""
    return output.locator(".course-painter [role=status]").inner_text()


def slide(lesson, output, **places):
    """Moves sliders to where they shall stand, from their lowest place."""
    lowest = {"words": 8, "window": 0, "global": 0, "random": 0, "layers": 1}
    for name, value in places.items():
        handle = output.locator(f".noUi-handle[aria-label={name}]")
        lesson.press(handle, "Home")
        lesson.press(handle, "ArrowRight", value - lowest[name])


@pytest.mark.parametrize(
    "n, window, num_global, num_random, layers", [(48, 4, 0, 0, 3), (17, 1, 2, 0, 1), (20, 2, 1, 3, 2)]
)
def test_what_is_painted_is_the_librarys_mask(lesson, n, window, num_global, num_random, layers):
    output = lesson.shown("painter")
    settings = {"words": n, "window": window, "global": num_global, "random": num_random, "layers": layers}
    slide(lesson, output, **settings)
    chosen = torch.tensor(drawn_keys(key_order(0), n, window, num_global, num_random), dtype=torch.long).view(n, -1)
    mask = masks.sparse_mask(n, window, num_global, chosen)
    needed = next(layers for layers in range(n) if masks.reach(mask, layers).all())
    counted = f"{mask.sum():,} of {n * n:,} cells, "
    assert lesson.until(lambda: told(output).startswith(counted)), (told(output), counted)
    assert lesson.until(lambda: f"All hear of all after {needed} layer" in told(output)), told(output)
    word, heard = map(int, re.search(r"word (\d+) hears of (\d+)", told(output)).groups())
    assert heard == masks.reach(mask, layers)[word - 1].sum()
    lesson.screenshot(f"16-painter-{n}")


def test_another_word_by_the_keyboard_and_by_a_click(lesson):
    output = lesson.shown("painter")
    slide(lesson, output, words=16, window=1, **{"global": 0, "random": 0}, layers=1)
    asked = output.locator("input[aria-label='the word that looks']")
    lesson.press(asked, "Home")
    assert lesson.until(lambda: "word 1 hears of 2 of 16" in told(output))
    lesson.press(asked, "ArrowRight")
    assert lesson.until(lambda: "word 2 hears of 3 of 16" in told(output))
    table = output.locator("svg.map")
    box = lesson.where(table)
    table.click(position={"x": box["width"] / 2, "y": box["height"] - 30})  # the last row
    assert lesson.until(lambda: "word 16 hears of 2 of 16" in told(output))
    slide(lesson, output, window=0)
    assert lesson.until(lambda: "some never hear of each other" in told(output))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_both_themes(lesson, theme):
    lesson.dark(theme == "dark")
    output = lesson.shown("painter")
    assert output.locator(".course-static").is_hidden() and output.locator("svg.map").is_visible()
    lesson.screenshot(f"16-painter-{theme}")
    lesson.dark(False)


def test_global_words_that_nobody_sees_are_named_and_the_right_mask_is_used(lesson):
    assert "Not attempted yet" in lesson.check("16.sparse_mask").inner_text()
    assert "seen" in lesson.answer("16.sparse_mask", ONE_SIDED).inner_text()
    lesson.screenshot("16-wrong-answer")
    assert "Passed" in lesson.answer("16.sparse_mask", RIGHT).inner_text()
    lesson.run("mask-timed")
    assert "Using your own sparse_mask" in lesson.shown("mask-timed").inner_text()
    assert lesson.page.problems == []
