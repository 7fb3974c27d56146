"""The lessons that have no module of their own here, as a student meets them: in a browser that reaches no other host."""

from pathlib import Path

import pytest

from course_lib.support.paths import NOTEBOOKS

from . import untouched

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(1800)]

OWN = {path.stem.removeprefix("test_lesson_") for path in Path(__file__).parent.glob("test_lesson_*.py")}
OTHERS = [path.stem for path in sorted(NOTEBOOKS.glob("[0-9]*_*.ipynb")) if path.stem.split("_")[0] not in OWN]


@pytest.mark.parametrize("lesson", OTHERS, indirect=True)
def test_the_untouched_lesson_runs_from_top_to_bottom(lesson):
    untouched.test_the_untouched_lesson_runs_from_top_to_bottom(lesson)


@pytest.mark.parametrize("lesson", OTHERS, indirect=True)
def test_all_that_it_shows_is_accessible_in_both_themes(lesson):
    untouched.test_all_that_it_shows_is_accessible_in_both_themes(lesson)


@pytest.mark.parametrize("lesson", ["00_start_here"], indirect=True)
def test_no_lecturers_panels(lesson):
    assert lesson.until(lambda: lesson.page.locator(".lm-MenuBar-item", has_text="Help").count() == 1)
    assert lesson.page.locator(".lm-MenuBar-item", has_text="Nbgrader").count() == 0
    assert lesson.page.locator("text=Validate").count() == 0
    lesson.screenshot("start")


@pytest.mark.parametrize(("theme", "place"), [("light", 0.5), ("dark", 0.8)])
@pytest.mark.parametrize("lesson", ["00_start_here"], indirect=True)
def test_temperature_slider_by_mouse_and_keyboard(lesson, theme, place):
    output = lesson.shown("slider")
    lesson.dark(theme == "dark")
    handle, before = output.locator(".noUi-handle"), output.screenshot()
    for _ in lesson.dragging(output.locator(".noUi-target"), [place]):
        assert lesson.until(lambda: output.screenshot() != before), "the picture should answer while dragging"
        dragged = output.screenshot()
    lesson.press(handle, "ArrowLeft", 3)
    assert lesson.until(lambda: output.screenshot() != dragged)
    lesson.screenshot(f"temperature-{theme}")
    lesson.dark(False)
    assert lesson.page.problems == []
