"""Lesson 10 in a real JupyterLab: the map that moves and is searched, the sliders over ELMo's layers, a wrong answer."""

import re

import pytest

from .untouched import (
    test_all_that_it_shows_is_accessible_in_both_themes,  # noqa: F401
    test_the_untouched_lesson_runs_from_top_to_bottom,  # noqa: F401
)

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(3600)]

LESSON = "10_word_vectors"
ACROSS = """def window_pairs(sentences, window):
    words = [word for sentence in sentences for word in sentence]
    return [(words[i], words[j]) for i in range(len(words))
            for j in range(max(0, i - window), min(len(words), i + window + 1)) if j != i]"""
RIGHT = """def window_pairs(sentences, window):
    return [(words[i], words[j]) for words in sentences for i in range(len(words))
            for j in range(max(0, i - window), min(len(words), i + window + 1)) if j != i]"""


def test_the_map_has_moved_while_it_learned_and_goes_back(lesson):
    output = lesson.shown("map")
    status, when = output.locator("[role=status]"), output.get_by_role("slider", name="steps")
    assert lesson.until(lambda: "After 500 steps" in status.inner_text())
    assert int(when.get_attribute("max")) == 10
    dot = output.locator("svg circle").first
    end = dot.get_attribute("cx")
    when.fill("0")
    assert lesson.until(lambda: "After 0 steps" in status.inner_text()) and dot.get_attribute("cx") != end
    output.get_by_role("button", name="Play").click()
    assert lesson.until(lambda: "After 500 steps" in status.inner_text())
    lesson.screenshot("10-map")


def test_the_map_is_searched(lesson):
    output = lesson.shown("map")
    box, status = output.get_by_label("find a word"), output.locator("[role=status]")
    box.fill("spring")
    assert lesson.until(lambda: re.search(r"nearest to spring: \w+ \(0\.\d\d\), ", status.inner_text()))
    assert output.locator("svg line.near").count() == 6 and output.locator("svg circle.asked").count() == 1
    lesson.screenshot("10-map-searched")
    box.fill("klavier")
    assert lesson.until(lambda: "klavier isn't on the map" in status.inner_text())
    box.fill("")


def apart(output):
    found = re.search(r"senses are ([\d.]+) apart", output.locator("[role=status]").inner_text())
    return float(found.group(1)) if found else None


def test_the_two_records_drift_apart_as_the_layers_are_mixed(lesson):
    output = lesson.shown("slider")
    assert lesson.until(lambda: apart(output) is not None)
    handle = output.get_by_label("s of layer 2")
    before = apart(output)
    handle.focus()
    handle.press("End")
    assert lesson.until(lambda: apart(output) > before + 0.3)
    lesson.screenshot("10-layers")
    handle.press("Home")
    output.get_by_label("s of layer 0").press("End")
    output.get_by_label("s of layer 1").press("Home")
    assert lesson.until(lambda: "all uses are one point" in output.locator("[role=status]").inner_text())
    output.locator("select").select_option("bank")
    assert lesson.until(lambda: "80 uses of bank" in output.inner_text())


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_both_themes(lesson, theme):
    lesson.dark(theme == "dark")
    for cell in ("map", "slider"):
        output = lesson.shown(cell)
        assert output.locator(".course-static").is_hidden() and output.locator(".course-widget svg").first.is_visible()
        lesson.screenshot(f"10-{cell}-{theme}")
    lesson.dark(False)


def test_a_wrong_window_is_named_and_the_right_one_is_used(lesson):
    assert "Not attempted yet" in lesson.check("10.window_pairs").inner_text()
    assert "full stop" in lesson.answer("10.window_pairs", ACROSS).inner_text()
    assert "Passed" in lesson.answer("10.window_pairs", RIGHT).inner_text()
    lesson.run("company")
    assert "Using your own window_pairs" in lesson.shown("company").inner_text()
    assert lesson.page.problems == []
