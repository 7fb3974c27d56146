"""Lesson 17 in a real JupyterLab: line and tree, wrong arcs and where the verb looks, the answers that are named."""

import re

import pytest

from .untouched import (
    test_all_that_it_shows_is_accessible_in_both_themes,  # noqa: F401
    test_the_untouched_lesson_runs_from_top_to_bottom,  # noqa: F401
)

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(1800)]

LESSON = "17_trees_and_graphs"
RIGHT = """def tree_steps(parents):
    def way(place):
        return [place] if place == 0 else [place, *way(int(parents[place]))]
    ways = [way(place) for place in range(len(parents))]
    steps = torch.zeros(len(parents), len(parents), 2, dtype=torch.long)
    for i, one in enumerate(ways):
        for j, other in enumerate(ways):
            meet = next(place for place in one if place in other)
            steps[i, j, 0], steps[i, j, 1] = one.index(meet), other.index(meet)
    return steps"""
SWAPPED = RIGHT.replace("one.index(meet), other.index(meet)", "other.index(meet), one.index(meet)")


def said(output):
    """The line that tells what is shown."""
    return output.locator("[role=status]").inner_text()


def test_the_tables_of_line_and_tree(lesson):
    output = lesson.shown("two-tables")
    assert lesson.until(lambda: said(output).startswith("Along the line: one step from “wait” are sees, today"))
    lesson.press(output.locator(".noUi-handle[aria-label=along]"), "End")
    assert lesson.until(lambda: said(output).startswith("Along the tree: one step from “wait” are ROOT, dogs, today"))
    lesson.screenshot("17-two-tables")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_wrong_arcs_change_the_tree_s_reader_and_not_the_line_s(lesson, theme):
    lesson.dark(theme == "dark")
    output = lesson.shown("toggle")
    share, switch = output.locator(".noUi-handle[aria-label='wrong arcs']"), output.locator("input[type=checkbox]")
    right = lambda: float(re.search(r"gets (\d\.\d+) right", said(output)).group(1))  # noqa: E731
    alt = lambda: output.locator(".course-widget img").first.get_attribute("alt")  # noqa: E731

    lesson.press(share, "Home")
    switch.check()
    assert lesson.until(lambda: "0 % wrong arcs" in said(output) and "a wrong arc" not in alt())
    by_the_tree, looks = right(), alt()
    lesson.press(share, "End")
    assert lesson.until(lambda: "100 % wrong arcs" in said(output) and alt().count("a wrong arc") > 10)
    assert right() < by_the_tree and alt() != looks
    lesson.screenshot(f"17-wrong-arcs-{theme}")

    switch.uncheck()
    assert lesson.until(lambda: right() < by_the_tree - 0.2)
    by_the_line, looks = right(), alt().rpartition("attends most to")[2]
    lesson.press(share, "Home")
    assert lesson.until(lambda: "a wrong arc" not in alt())
    assert right() == by_the_line and alt().rpartition("attends most to")[2] == looks
    lesson.screenshot(f"17-line-{theme}")
    lesson.dark(False)


def test_up_and_down_swapped_is_named_and_the_right_answer_is_used(lesson):
    assert "Not attempted yet" in lesson.check("17.tree_steps").inner_text()
    assert "changed places" in lesson.answer("17.tree_steps", SWAPPED).inner_text()
    assert "Passed" in lesson.answer("17.tree_steps", RIGHT).inner_text()
    assert lesson.page.problems == []
