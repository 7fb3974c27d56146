"""Lesson 06 in a real JupyterLab: points that fall together, the landscape's slider, the drawings, and checks' verdicts."""

import re

import pytest

from .untouched import (
    test_all_that_it_shows_is_accessible_in_both_themes,  # noqa: F401
    test_the_untouched_lesson_runs_from_top_to_bottom,  # noqa: F401
)

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(1800)]

LESSON = "06_the_block"
OUTSIDE = """def layer_norm(x, gamma, beta, eps=1e-5):
    mean = x.mean(-1, keepdim=True)
    return (x - mean) / (x.var(-1, keepdim=True, correction=0).sqrt() + eps) * gamma + beta"""
RIGHT = (
    OUTSIDE.replace(".sqrt() + eps)", " + eps).sqrt()")
    .replace("(x.var(", "((x.var(")
    .replace(") * gamma", ")) * gamma")
)


def said(output):
    """Layers, the parts that are on, how far the words differ, and in how many places they are."""
    text = output.locator("[role=status]").inner_text()
    found = re.search(
        r"After (\d+) layers? of (.*): the words differ by ([\d.]+) of their length; (all words in one|\d+) place", text
    )
    layers, parts, spread, places = found.groups()
    return int(layers), parts.split(" + "), float(spread), 1 if places.startswith("all") else int(places)


@pytest.fixture
def points(lesson):
    output = lesson.shown("words-slider")
    output.locator("circle.word").first.wait_for()
    return output


def switch(lesson, points, **parts):
    """Sets the depth (Home or End) and the boxes."""
    for name, on in parts.items():
        box = points.get_by_label(name.replace("_", "-"), exact=True)
        box.set_checked(on)
    names = {name.replace("_", "-"): on for name, on in parts.items()}
    assert lesson.until(lambda: all((name in said(points)[1]) == on for name, on in names.items()))


def test_without_the_skip_all_words_fall_into_one_point(lesson, points):
    switch(lesson, points, feed_forward=False, norm=False, skip=False)
    handle = points.locator(".noUi-handle[aria-label=layers]")
    lesson.press(handle, "Home")
    assert lesson.until(lambda: said(points)[0] == 0)
    assert said(points)[2] > 0.9 and said(points)[3] == 7
    before = points.locator(".panels").screenshot()
    lesson.press(handle, "ArrowRight", 3)
    assert lesson.until(lambda: said(points)[0] == 3)
    assert said(points)[2] < 0.001 and said(points)[3] == 1
    points.get_by_text("7 words", exact=True).wait_for()
    assert lesson.until(lambda: points.locator(".panels").screenshot() != before)
    for feed_forward, norm in ((True, False), (False, True), (True, True)):
        switch(lesson, points, feed_forward=feed_forward, norm=norm, skip=False)
        assert said(points)[3] == 1


def test_with_the_skip_they_stay_apart_and_the_feed_forward_network_brings_them_closer(lesson, points):
    lesson.press(points.locator(".noUi-handle[aria-label=layers]"), "End")
    assert lesson.until(lambda: said(points)[0] == 12)
    switch(lesson, points, feed_forward=False, norm=True, skip=True)
    alone = said(points)
    switch(lesson, points, feed_forward=True, norm=True, skip=True)
    assert alone[2] > said(points)[2] > 0.5 and alone[3] == 7


def test_the_words_answer_while_the_slider_is_dragged(lesson, points):
    switch(lesson, points, feed_forward=True, norm=True, skip=True)
    slider = points.locator(".noUi-target", has=lesson.page.locator("[aria-label=layers]"))
    lesson.press(slider.locator(".noUi-handle"), "Home")
    seen = [said(points)[0]]
    for _ in lesson.dragging(slider, (0.3, 0.6, 0.9)):
        assert lesson.until(lambda: said(points)[0] > seen[-1])
        seen.append(said(points)[0])


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_both_themes(lesson, points, theme):
    lesson.dark(theme == "dark")
    points.locator(".course-static").wait_for(state="hidden"), points.locator("circle.word").first.wait_for()
    lesson.screenshot(f"06-words-{theme}")
    for cell in ("drawing", "both-drawings", "landscape-code"):
        lesson.shown(cell)
        lesson.screenshot(f"06-{cell}-{theme}")
    drawings = lesson.shown("both-drawings").locator("svg.course-flow")
    assert lesson.until(lambda: drawings.count() == 2)
    lesson.dark(False)


def test_the_landscape_shrinks_and_says_its_range(lesson):
    output = lesson.shown("landscape-code")
    radius = output.locator(".noUi-handle").first
    status = output.locator("[role=status]")

    def highest():  # loss that each of the three pictures shows
        return [float(number) for number in re.findall(r"to ([\d.]+\d)", status.inner_text())]

    lesson.press(radius, "End")
    assert lesson.until(lambda: len(highest()) == 3 and highest()[0] > 3), "far from the minimum"
    lesson.press(radius, "Home")
    assert lesson.until(lambda: len(highest()) == 3 and highest()[0] < 2), "near it"
    lesson.screenshot("06-landscape-near")


def test_epsilon_outside_the_root_is_named_and_the_right_one_is_kept(lesson):
    assert "Not attempted yet" in lesson.check("06.layer_norm").inner_text()
    verdict = lesson.answer("06.layer_norm", OUTSIDE)
    assert "ε stands outside the root" in verdict.inner_text()
    lesson.screenshot("06-wrong-answer")
    assert "Passed" in lesson.answer("06.layer_norm", RIGHT).inner_text()
    lesson.run("neighbours")
    assert "Using your own layer_norm" in lesson.shown("neighbours").inner_text()


def test_the_three_bugs_are_told_one_after_another(lesson):
    assert "Not attempted yet" in lesson.check("06.dropout").inner_text()
    buggy = lesson.source("06-dropout")
    assert "(x + new) * kept" in buggy
    one = buggy.replace("(x + new) * kept", "x + new * kept")
    assert "the mean still shrinks" in lesson.answer("06.dropout", one).inner_text()
    two = one.replace("new * kept", "new * kept / (1 - p)")
    assert "In evaluation some numbers are still switched off" in lesson.answer("06.dropout", two).inner_text()
    three = two.replace("    kept =", "    if not training:\n        return x + new\n    kept =")
    assert "Passed" in lesson.answer("06.dropout", three).inner_text()
    assert lesson.page.problems == []
